"""How chunks name their document and state their order, and values of wrong types."""

from __future__ import annotations

from types import SimpleNamespace as Thing
from typing import Any

import pandas
import pytest

import xcg
from xcg.errors import InputError, Notes, XcgError
from xcg.evaluation.inputs import Inputs
from xcg.runs.chunks import run_of_chunks, span_of

TEXT = "The bee flies. Ants walk."
GOLD = {"1": {"bees": [(0, 14)]}}
CORPUS = {"bees": TEXT}


def langchain(**metadata: object) -> Thing:
    return Thing(page_content="The bee flies.", metadata={"start_index": 0, **metadata})


def names(results: dict[str, list[Any]], **options: Any) -> tuple[dict[str, str], list[str]]:
    """Return the documents of each topic in order, and the notes."""
    notes = Notes()
    run = run_of_chunks("r", results, notes=notes, **options)
    return {topic: "".join(r.files) for topic, r in run.rankings.items()}, notes.lines()


@pytest.mark.parametrize(
    ("chunk", "document"),
    [
        (langchain(source="/data/docs/bees.md"), "file name"),
        (langchain(source="/data/7.md"), {"/data/7.md": "bees"}),
        (langchain(source="/data/7.md"), lambda chunk: "bees"),
        (langchain(title="bees"), "title"),
        ({"doc": "/data/bees.md", "start": 0, "end": 14}, "file name"),
        (("/data/bees.md", 0, 14), "file name"),
        (Thing(ref_doc_id="4f2", start_char_idx=0, end_char_idx=14), {"4f2": "bees"}),
        (
            Thing(
                ref_doc_id="4f2",
                start_char_idx=0,
                end_char_idx=14,
                metadata={"file_path": "/x/bees.md"},
            ),
            "file name",
        ),
    ],
)
def test_document_names_the_document(chunk: object, document: Any) -> None:
    assert span_of(chunk, document)[:3] == ("bees", 0, 14)
    runs = {"r": {"1": [chunk]}}
    campaign = xcg.load(assessments=GOLD, runs=runs, corpus=CORPUS, measures="MAep", document=document)
    assert campaign.evaluate().value("r", "MAep") == 1
    assert campaign.chunks()[0]["found"] == 1


def test_ranks_of_dicts_decide_the_order() -> None:
    chunks = [
        {"doc": name, "start": 0, "end": 1, "rank": rank, "score": score}
        for name, rank, score in [("d", 3, 0.9), ("e", 1, 0.1), ("f", 2, 0.5), ("g", 2, 0.7)]
    ]
    order, (note,) = names({"1": chunks})
    assert order == {"1": "efgd"}
    assert "ranks and scores contradict each other: 1 time" in note
    ranking = run_of_chunks("r", {"1": chunks}).rankings["1"]
    assert ranking.keys is not None
    assert (list(ranking.keys), ranking.has_scores) == ([1, 2, 2, 3], False)
    with pytest.raises(InputError, match=r"^run r, topic 1: 1 of 2 chunks have a rank: expected all"):
        run_of_chunks("r", {"1": [chunks[0], ("e", 0, 1)]})
    for rank, message in ((-1, "rank is -1: expected a whole number from 0"), ("1", "rank is '1'")):
        with pytest.raises(InputError, match=f"^run r, topic 1, rank 1: {message}"):
            run_of_chunks("r", {"1": [{"doc": "d", "start": 0, "end": 1, "rank": rank}]})


def pairs(*numbers: float) -> list[Any]:
    return [(("defg"[index], 0, 1), number) for index, number in enumerate(numbers)]


def test_increasing_numbers_in_pairs_are_distances_and_a_note_says_so() -> None:
    distances = {"1": pairs(0.1, 0.4, 0.4), "2": pairs(0.2, 0.3), "3": pairs(0.5, 0.5), "4": []}
    order, (note,) = names(distances)
    assert order == {"1": "def", "2": "de", "3": "de", "4": ""}
    assert "increase with the rank, so they are read as distances" in note
    found = xcg.evaluate(GOLD, {"r": {"1": [(("bees", 0, 14), 0.1), (("bees", 14, 20), 0.9)]}}, CORPUS)
    assert any("read as distances" in note for note in found.notes)
    assert found.value("r", "MAep") == 1


def test_decreasing_numbers_in_pairs_are_scores() -> None:
    assert names({"1": pairs(0.4, 0.4, 0.1), "2": pairs(3), "3": pairs(2, 2)})[1] == []


def test_pairs_in_no_order_are_sorted_by_score_and_a_note_says_so() -> None:
    order, (note,) = names({"1": pairs(0.4, 0.1), "2": pairs(0.1, 0.4)})
    assert order == {"1": "de", "2": "ed"}
    assert "read as scores, but those of topic 2 do not decrease, so its chunks are sorted" in note
    assert names({"1": pairs(2, 3, 1)})[0] == {"1": "edf"}


def test_objects_with_scores_are_never_distances() -> None:
    nodes = [
        Thing(node=Thing(ref_doc_id=d, start_char_idx=0, end_char_idx=1), score=s)
        for d, s in (("d", 0.1), ("e", 0.4))
    ]
    assert names({"1": nodes}) == ({"1": "ed"}, [])


CHUNK = {"doc": "bees", "start": 0, "end": 4}


@pytest.mark.parametrize(
    ("runs", "message"),
    [
        (5, "illegal runs 5: expected a path, a Run, or a dict run"),
        ([5], "illegal runs 5: expected"),
        ([langchain(source="bees")], "illegal runs .*; chunks belong to a run and a topic$"),
        ({"r": [CHUNK]}, "run r is a list: expected topic → results"),
        ({"r": {1: [CHUNK], "1": []}}, "run r: the topic 1 occurs twice, as text and as a number"),
        ({"r": {"1": {"bees", "ants"}}}, "topic 1: the results are {.*: expected a list"),
        ({"r": {"1": pandas.DataFrame([["bees", 1.0]])}}, "the results are .*: expected a list"),
        ({"r": {"1": CHUNK}}, "run r, topic 1: the results are one chunk: expected a list of chunks"),
        ({"r": {"1": langchain()}}, "run r, topic 1: the results are one chunk"),
        ({"r": {"1": "bees"}}, "run r, topic 1: the results are 'bees': expected a list"),
        ({"r": {"1": ("bees", 0, 4)}}, "run r, topic 1, rank 1: illegal chunk|illegal result 0"),
        ({"r": {"1": [CHUNK, None]}}, "run r, topic 1, rank 2: illegal chunk None"),
    ],
)
def test_runs_of_wrong_types_are_errors_of_xcg(runs: Any, message: str) -> None:
    with pytest.raises(XcgError, match=message):
        _ = Inputs(GOLD, runs, CORPUS).loaded_runs


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"document": 5}, "document is 5: expected a key"),
        ({"texts": "bees"}, "texts is a str: expected the documents' texts by name"),
        ({"parents": 5}, "parents is 5: expected chunks"),
    ],
)
def test_options_of_wrong_types_are_errors_of_xcg(options: Any, message: str) -> None:
    with pytest.raises(XcgError, match=message):
        run_of_chunks("r", {"1": [CHUNK]}, **options)
    if "document" in options:
        with pytest.raises(XcgError, match="document: expected file name, a key"):
            xcg.evaluate(GOLD, {"r": {"1": [CHUNK]}}, CORPUS, **options)
