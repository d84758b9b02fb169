"""Writing and reading again gives the same data, and writers report what a format cannot hold."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from random_cases import RandomCampaign, campaigns

from xcg.documents.passage_points import Passage, Point
from xcg.errors import XcgError
from xcg.formats.base import read_assessments, read_run
from xcg.judgements.assessment import Assessment, DocumentSizes
from xcg.judgements.recall_base import RecallBase, Span
from xcg.runs.run import RUN_FORMATS, Ranking, Run


def read_again(folder: Path, text: str) -> RecallBase:
    path = folder / "converted"
    path.write_text(text, encoding="utf-8")
    return read_assessments(path)


def content(base: RecallBase) -> object:
    return {t: (dict(base.files[t]), dict(base.spans[t])) for t in base.topics}


@given(campaigns())
@pytest.mark.parametrize("format", ["inex2004", "jsonl"])
def test_elements_are_the_same_after_writing_and_reading(
    tmp_path: Path, format: str, campaign: RandomCampaign
) -> None:
    base = RecallBase.of({"1": campaign.assessments})
    text, lost = base.to_text(format)
    if not len(base) and format == "jsonl":
        assert lost == ["topics without any assessed document"]
        return
    assert content(read_again(tmp_path, text)) == content(base)
    assert lost == []


_NAMES = st.sampled_from(["d", "e/2009", "x#y", "12"])
_OFFSETS = st.integers(0, 10**6)
_PASSAGES = st.lists(st.tuples(_OFFSETS, st.integers(0, 3000)), max_size=4)
_LINES = st.dictionaries(
    st.tuples(st.sampled_from(["1", "2", "t"]), _NAMES),
    st.tuples(_OFFSETS, _OFFSETS, st.none() | _OFFSETS, _PASSAGES),
    min_size=1,
)


@given(_LINES)
def test_offset_qrels_are_the_same_after_reading_and_writing(
    tmp_path: Path, lines: dict[tuple[str, str], tuple[int, int, int | None, list[tuple[int, int]]]]
) -> None:
    text = ""
    for (topic, document), (relevant, length, entry_point, passages) in sorted(lines.items()):
        text += f"{topic} Q0 {document} {relevant} {length}"
        if passages:
            text += f" {-1 if entry_point is None else entry_point} "
            text += " ".join(f"{offset}:{size}" for offset, size in passages)
        text += "\n"
    assert read_again(tmp_path, text).to_text("offsets") == (text, [])


def test_offset_qrels_report_what_they_lose() -> None:
    base = RecallBase.of({"1": {"d": [(0, 5, 1)], "e": []}, "2": {}})
    base.add_entry_point("1", "d", Point("/a[1]"))
    base.add_entry_point("1", "e", 4)
    base.add_passage("2", "f", Passage(Point("/a[1]"), Point("/a[1]")))
    text, lost = base.to_text("offsets")
    assert text == "1 Q0 d 5 5 -1 0:5\n1 Q0 e 0 0\n"
    assert sorted(lost) == [
        "best entry points of documents without passages",
        "best entry points that are not offsets",
        "exhaustivity",
        "highlighted passages by their points",
        "the documents' lengths (the end of the last passage is written instead)",
        "topics without any assessed document",
    ]


@pytest.mark.parametrize(
    ("topic", "document", "message"),
    [
        ("#1", "d", "the topic '#1' would begin a comment in the format offsets"),
        (
            "1",
            "d 2",
            "the format offsets holds no names with white space or control characters: topic '1', "
            "document 'd 2'",
        ),
    ],
)
def test_offset_qrels_refuse_names_that_they_cannot_hold(
    topic: str, document: str, message: str
) -> None:
    with pytest.raises(XcgError, match=message):
        RecallBase.of({topic: {document: [(0, 5)]}}).to_text("offsets")


def test_trec_files_refuse_documents_that_they_would_read_as_elements() -> None:
    message = "in TREC files, 'd#/a' is an element of another document; expected the format jsonl"
    with pytest.raises(XcgError, match=message):
        RecallBase.of({"1": {"d#/a": 1}}).to_text("trec")
    with pytest.raises(XcgError, match=message):
        Run.of("r", {"1": [("d#/a", "/b[1]")]}).to_text("trec")


@pytest.mark.parametrize("format", ["jsonl", "trec", "inex2004", "inex2005"])
def test_only_offset_qrels_hold_sizes_and_entry_points(format: str) -> None:
    base = RecallBase.of({"1": {}})
    base.add_entry_point("1", "d", 4)
    base.add_document_sizes("1", "d", DocumentSizes(0, 9))
    lost = base.to_text(format)[1]
    assert set(lost) >= {"best entry points", "stated lengths and relevant sizes of documents"}


@given(campaigns())
@pytest.mark.parametrize("format", [name for name in RUN_FORMATS if RUN_FORMATS.get(name).write])
def test_runs_are_the_same_after_writing_and_reading(
    tmp_path: Path, format: str, campaign: RandomCampaign
) -> None:
    if not campaign.ranking:
        return
    files, paths = zip(*campaign.ranking, strict=True)
    passages = Ranking(["d0", "d1", "d0"], ["", "/s[1]", ""], {0: (3, 9), 2: (0, 1)})
    run = Run("converted", {"1": Ranking(files, paths), "b": passages})
    path = tmp_path / "converted.txt"
    path.write_text(run.to_text(format)[0], encoding="utf-8")
    read = read_run(path)
    assert (read.name, read.rankings) == (run.name, run.rankings)


def test_writers_refuse_or_report_what_a_format_cannot_hold() -> None:
    two = RecallBase.of({"1": {"d": {"/a": (1, 1)}}, "2": {"d": {"/a": (1, 1)}}})
    spans = RecallBase()
    spans.add_span("1", "d", Span(0, 5, 1.0), "")
    spans.add_span("1", "e", None, "")
    coverage = RecallBase.of({"1": {"d": {"/a": Assessment(3.0, "E", 9, "coverage")}}})
    sized = RecallBase.of({"1": {"d": {"/a": Assessment(3.0, 1.0, 9)}}})
    for base, format_name, message in (
        (two, "inex2004", r"holds one topic per file, but the assessments have 2 topics \(1, 2\)"),
        (spans, "inex2004", "the assessments are passages"),
        (two, "offsets", "the assessments are of elements"),
        (coverage, "inex2004", r"is on the coverage scale"),
        (RecallBase.of({"1": {"d": 1}}), "inex2004", "level 1 is on the level scale"),
        (coverage, "jsonl", r"is on the coverage scale"),
        (sized, "inex2005", r"is on the four-point scale"),
        (two, "inex2003", "unknown assessment format 'inex2003': did you mean 'inex20"),
        (spans, "inex2005", "the assessments are passages"),
    ):
        with pytest.raises(XcgError, match=message):
            base.to_text(format_name)
    for base, format_name, lost in (
        (spans, "offsets", "exhaustivity"),
        (spans, "jsonl", "assessed documents without relevant text"),
        (sized, "inex2004", "the sizes of elements"),
        (sized, "jsonl", "the sizes of elements"),
    ):
        assert lost in base.to_text(format_name)[1]
    with pytest.raises(XcgError, match="d is a whole document"):
        Run.of("r", {"1": ["d"]}).to_text("inex")
    with pytest.raises(XcgError, match="does not name an element"):
        Run("r", {"1": Ranking(["d"], [""])}).to_text("trec")


SCORED = {"1": {"d": 2.5, "e": 1e-3}, "2": {"d": 1.0 + 1e-9, "e": 1.0}, "3": {"d": 2.0, "e": 2.0}}
LOST_SCORES = {
    "trec": "scores that do not decrease with every rank; the order of the results is kept",
    "jsonl": "scores that increase or are too large; the order of the results is kept",
    "inex": "scores that increase or are too large; the order of the results is kept",
}


@pytest.mark.parametrize(
    ("format", "expected"),
    [
        ("trec", {"1": [2.5, 1e-3], "2": [2, 1], "3": [2, 1]}),
        ("jsonl", {"1": [2.5, 1e-3], "2": [1.0 + 1e-9, 1.0], "3": [2.0, 2.0]}),
    ],
)
def test_scores_are_written_if_readers_find_the_order_again(
    tmp_path: Path, format: str, expected: dict[str, list[float]]
) -> None:
    """In trec, equal scores are written as ranks, also those that differ in double precision only."""
    run = Run.of("r", SCORED)
    assert (LOST_SCORES[format] in run.write(tmp_path / "r", format)) == (format == "trec")
    again = read_run(tmp_path / "r")
    assert again.rankings == run.rankings
    assert {topic: list(one.scores) for topic, one in again.rankings.items()} == expected
    decreasing = Run("r", {"1": run.rankings["1"]})
    assert LOST_SCORES[format] not in decreasing.to_text(format)[1]


def test_inex_submissions_hold_scores_or_ranks() -> None:
    ranking = Ranking.of([("d", "/a[1]", None), ("d", "/a[1]/b[1]", None)], [0.5, -1e-7], True)
    rising = Ranking.of([("d", "/a[1]", None), ("d", "/a[1]/b[1]", None)], [0.5, 0.6], True)
    text, lost = Run("r", {"1": ranking, "2": rising}).to_text("inex")
    assert lost == [LOST_SCORES["inex"]]
    assert [text.count(tag) for tag in ("<rsv>0.5</rsv>", "<rsv>-1e-07</rsv>", "<rank>")] == [1, 1, 2]


@pytest.mark.parametrize(("format", "legal"), [("jsonl", False), ("inex", True), ("trec", False)])
def test_scores_that_a_format_cannot_hold_become_ranks(
    tmp_path: Path, format: str, legal: bool
) -> None:
    """JSON Lines hold scores up to 1e300. Single precision has no numbers above 3.5e38."""
    elements = [("d", "/a[1]", None), ("d", "/a[1]/b[1]", None)]
    run = Run("r", {"1": Ranking.of(elements, [1.7e308, 1.6e308], True)})
    assert (LOST_SCORES[format] not in run.write(tmp_path / "r", format)) == legal
    assert list(read_run(tmp_path / "r").rankings["1"].scores) == (
        [1.7e308, 1.6e308] if legal else [2, 1]
    )
