"""Nuggets in data frames."""

from __future__ import annotations

import pandas

import xcg
from xcg.integrations.pandas import qrels_from_frame


def test_a_column_names_the_nugget() -> None:
    columns = ["topic", "doc", "level", "nugget"]
    frame = pandas.DataFrame(
        [("1", "x", 2, "a"), ("1", "x", 1, "b"), ("1", "y", 2, "a")], columns=columns
    )
    qrels = qrels_from_frame(frame)
    found = xcg.evaluate(qrels, {"r": {"1": ["y", "x"]}}, measures="xCG@1 xCG@2 StRecall@1")
    assert [found.value("r", name) for name in ("xCG@1", "xCG@2", "StRecall@1")] == [2, 3, 0.5]
