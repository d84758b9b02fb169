"""Data frames of pandas and polars evaluate as the same dicts do."""

from __future__ import annotations

import math
from typing import Any

import pandas
import pytest
from ir_measures_campaign import as_xcg, campaign

import xcg
from xcg.errors import XcgError
from xcg.integrations.pandas import qrels_from_frame, run_from_frame

# ir_measures parses with names of ast that later Pythons deprecate.
pytestmark = pytest.mark.filterwarnings("ignore:ast.:DeprecationWarning")


def polars_frame(columns: dict[str, list[Any]]) -> Any:
    return pytest.importorskip("polars").DataFrame(columns)


LIBRARIES = pytest.mark.parametrize("frame", [pandas.DataFrame, polars_frame])


def labels(frame: Any) -> dict[str, Any]:
    base = qrels_from_frame(frame)
    return {
        topic: {
            file: {path: one.label for path, one in elements.items()}
            for file, elements in base.files[topic].items()
        }
        for topic in base.topics
    }


@LIBRARIES
@pytest.mark.parametrize("pairs", [False, True])
def test_frames_evaluate_as_dicts(frame: Any, pairs: bool) -> None:
    qrels, run = campaign(3, pairs=pairs)
    base, ranked = as_xcg(qrels, run)
    ids = [qrel.doc_id.partition("#") for qrel in qrels]
    columns: dict[str, list[Any]] = {
        "topic": [int(qrel.query_id) for qrel in qrels],
        "doc": [file for file, _, _ in ids],
        "path": [path or None for _, _, path in ids],
        "characters": [qrel.characters for qrel in qrels],
    }
    if pairs:
        columns["exhaustivity"] = [float(qrel.exhaustivity) for qrel in qrels]
        columns["specificity"] = [qrel.specificity for qrel in qrels]
    else:
        columns["level"] = [float(qrel.relevance) for qrel in qrels]
    results = {
        "qid": [row.query_id for row in run],
        "docno": [row.doc_id for row in run],
        "score": [row.score for row in run],
        "rank": [sum(o.score > r.score for o in run if o.query_id == r.query_id) for r in run],
        "query": ["words"] * len(run),
    }
    judged, answers = qrels_from_frame(frame(columns)), run_from_frame(frame(results))
    measures = ["MAep", "nxCG@10", "overlap"]
    found = xcg.evaluate(judged, {"r": answers}, measures=measures, ties="document")
    assert list(found) == list(xcg.evaluate(base, {"r": ranked}, measures=measures, ties="document"))


@LIBRARIES
def test_columns_have_several_names_and_optional_grades(frame: Any) -> None:
    rows = {
        "query_id": ["1", "1", "1", "2"],
        "doc_id": ["d#/a", "d", "e", "e.xml"],
        "relevance": [1, 2, 3, 0],
        "iteration": ["0"] * 4,
    }
    assert labels(frame(rows)) == {
        "1": {"d": {"/a[1]": "level 1", "/": "level 2"}, "e": {"/": "level 3"}},
        "2": {"e": {"/": "level 0"}},
    }
    ranks = {"topic": [1, 1, 1], "doc": ["d", "d", "e"], "path": ["/a", "/", ""], "rank": [3, 1, 1]}
    assert run_from_frame(frame(ranks)) == {"1": ["d", "e", "d#/a"]}
    scores = {"topic": ["1"] * 3, "doc": ["d", "e", "d"], "score": [1.0, 1.0, 0.5]}
    assert run_from_frame(frame(scores)) == {"1": ["d", "e", "d"]}  # equal scores keep their order
    both = {"qid": ["1"], "docno": ["d"], "label": [2], "exhaustivity": [3], "specificity": [1]}
    assert labels(frame(both)) == {"1": {"d": {"/": "(3,1)"}}}
    both["exhaustivity"] = [None]
    assert labels(frame(both)) == {"1": {"d": {"/": "level 2"}}}


@LIBRARIES
@pytest.mark.parametrize(
    ("read", "columns", "message"),
    [
        (qrels_from_frame, {"doc": ["d"], "level": [1]}, "topic: expected one of topic, query_id, qid"),
        (
            qrels_from_frame,
            {"qid": ["1"], "doc": ["d"], "level": [1], "specificity": [1]},
            "no column exhaustivity",
        ),
        (
            qrels_from_frame,
            {"qid": ["1"], "topic": ["1"], "doc": ["d"], "level": [1]},
            "two columns for the topic, qid and topic",
        ),
        (
            qrels_from_frame,
            {"qid": ["1"], "doc": ["d"], "level": [math.inf]},
            "row 1: the level is inf",
        ),
        (qrels_from_frame, {"qid": ["1"], "doc": ["d"]}, "relevance: expected one of level, relevance"),
        (qrels_from_frame, {"qid": ["1"], "doc": ["d"], "level": [None]}, "row 1: no level"),
        (qrels_from_frame, {"qid": ["1"], "doc": [None], "level": [1]}, "row 1: no document"),
        (
            qrels_from_frame,
            {"qid": ["1"], "doc": ["d"], "path": ["a"], "level": [1]},
            "row 1: 'a' is not an element path",
        ),
        (
            qrels_from_frame,
            {"qid": ["1"] * 2, "doc": ["d"] * 2, "level": [1, 2]},
            "row 2: topic 1, d: / is assessed",
        ),
        (
            run_from_frame,
            {"qid": ["1"] * 2, "doc": ["d", "e"], "rank": [0, 1], "score": [0.1, 0.5]},  # distances
            "topic 1: a result has a better rank and a lower score than another one",
        ),
        (run_from_frame, {"qid": ["1"], "doc": ["d"]}, "the order: expected score or rank"),
        (run_from_frame, {"qid": ["1"], "doc": ["d"], "rank": [None]}, "row 1: the rank is None"),
        (run_from_frame, {"qid": ["1"], "doc": ["d"], "score": [1], "run": ["a"]}, "column 'run'"),
    ],
)
def test_illegal_frames_are_errors(
    frame: Any, read: Any, columns: dict[str, list[Any]], message: str
) -> None:
    with pytest.raises(XcgError, match=message):
        read(frame(columns))


def test_other_objects_are_errors() -> None:
    with pytest.raises(
        XcgError, match="assessments is of type list: expected a DataFrame of pandas or polars"
    ):
        qrels_from_frame([("1", "d", 1)])
    for given in (pandas.DataFrame([("1", "d", 1)]), polars_frame({"topic": ["1"]})):
        gold, run = {"1": {"d": 1}}, {"r": {"1": ["d"]}}
        for frames in ((given, run), (gold, given), (gold, [given])):
            with pytest.raises(XcgError, match=r"found a data frame; qrels_from_frame and run_from_"):
                xcg.evaluate(*frames)
    with pytest.raises(XcgError, match="two columns for the score, score and score"):
        run_from_frame(pandas.DataFrame([("1", "d", 1, 2)], columns=["qid", "doc", "score", "score"]))
