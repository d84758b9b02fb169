"""Gains of rankings of elements: what rankings share, and which error is raised."""

from __future__ import annotations

import pytest

from xcg.errors import InputError, Notes
from xcg.evaluation.topics import TopicSource
from xcg.gains.topic import Topic
from xcg.judgements.assessment import Assessment
from xcg.judgements.recall_base import RecallBase
from xcg.runs.run import Run
from xcg.user_model.model import UserModel

MODEL = UserModel.shipped("kazai-lalmas-2006")


def base(characters: int | None) -> RecallBase:
    """Return assessments of a section and two paragraphs in it, in the documents d1 and d2."""
    base = RecallBase()
    base.add_topic("1", "t1")
    for file in ("d1", "d2"):
        base.add("1", file, "/s[1]", Assessment(2, 1, characters), "t1")
        for path in ("/s[1]/p[1]", "/s[1]/p[2]"):
            base.add("1", file, path, Assessment(3, 3, characters and characters // 2), "t1")
    return base


def topic_of(recall_base: RecallBase, *runs: Run) -> Topic:
    return TopicSource(recall_base, runs).topic("1", Notes())


def test_the_error_of_the_first_result_is_raised() -> None:
    results = [("d1", "/s/p"), ("d2", "/s/p"), ("d2", "/s"), ("d1", "/s")]
    gains = topic_of(base(None), Run.of("r", {"1": results}))
    with pytest.raises(InputError, match=r"topic 1, d2, /s\[1\]/p\[2\]: its size"):
        gains.gains("r", gains.ideal(MODEL), MODEL)
