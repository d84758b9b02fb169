"""Passages become elements on the scale of another format, if their documents are given."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import Command

import xcg
from xcg.documents.corpus import Corpus
from xcg.documents.passage_points import Passage, Point
from xcg.errors import XcgError
from xcg.evaluation.conversion import convert_assessments
from xcg.formats.base import read_assessments
from xcg.judgements.recall_base import RecallBase

# Characters 0 to 9 are /a/p[1], 10 to 19 /a/p[2].
DOCUMENT = "<a><p>0123456789</p><p>0123456789</p></a>"
QRELS = "1 Q0 d 14 20 3 0:10 6:8 15:0\n1 Q0 e 0 20\n"


@pytest.fixture
def campaign(tmp_path: Path) -> Path:
    (tmp_path / "corpus").mkdir()
    for name in ("d", "e"):
        (tmp_path / "corpus" / f"{name}.xml").write_text(DOCUMENT)
    (tmp_path / "q").write_text(QRELS)
    return tmp_path


def corpus() -> Corpus:
    return Corpus.of({"d": DOCUMENT, "e": DOCUMENT})


@pytest.mark.parametrize(
    ("format", "expected"),
    [
        # The passages cover 14 of the 20 characters of /a, all of /a/p[1], and 4 of 10 of /a/p[2].
        ("inex2005", {"/a[1]": "(2,0.7)", "/a[1]/p[1]": "(2,1)", "/a[1]/p[2]": "(2,0.4)"}),
        ("inex2004", {"/a[1]": "(3,2)", "/a[1]/p[1]": "(3,3)", "/a[1]/p[2]": "(3,1)"}),
        ("trec", {"/a[1]": "level 2", "/a[1]/p[1]": "level 2", "/a[1]/p[2]": "level 2"}),
    ],
)
def test_overlapping_passages_become_elements(
    campaign: Path, format: str, expected: dict[str, str]
) -> None:
    text, _ = convert_assessments(read_assessments(campaign / "q"), format, corpus())
    (campaign / "converted").write_text(text)
    files = read_assessments(campaign / "converted").files["1"]
    assert {path: assessment.label for path, assessment in files["d"].items()} == expected
    assert {p: a.label for p, a in files.get("e", {}).items()} == (
        {"/": "level 0"} if format == "trec" else {}
    )


def test_the_lower_exhaustivity_of_2005_becomes_the_lowest_of_2004() -> None:
    text, _ = convert_assessments(RecallBase.of({"1": {"d": [(0, 18, 1)]}}), "inex2004", corpus())
    assert '<path path="/a[1]" exhaustiveness="1" specificity="3"/>' in text  # 18 of 20 characters


@pytest.mark.parametrize("format", ["inex2004", "inex2005"])
def test_higher_levels_have_no_exhaustivity(format: str) -> None:
    base = RecallBase.of({"1": {"d": [(0, 5, 3)]}})
    with pytest.raises(XcgError, match="the passages have the level 3, but exhaustivity in the format"):
        convert_assessments(base, format, corpus())
    assert convert_assessments(base, "trec", corpus())[0] == "1 0 d#/a[1] 3\n1 0 d#/a[1]/p[1] 3\n"


def test_every_loss_is_reported(campaign: Path) -> None:
    (campaign / "q").write_text(QRELS + "1 Q0 f 7 20\n")
    lost = convert_assessments(
        read_assessments(campaign / "q"),
        "inex2004",
        Corpus.of({"d": DOCUMENT, "e": "<a/>", "f": "<a/>"}),
    )[1]
    assert lost == [
        "the beginnings and ends of passages, and exact shares of relevant text",
        "best entry points",
        "stated lengths and relevant sizes of documents",
        "assessed documents without relevant text",
        "the sizes of elements",
    ]


def test_stated_assessments_of_elements_stay_as_they_are() -> None:
    base = RecallBase.of({"1": {"d": [(0, 5)], "e": {"/a": 1}}})
    text, _ = convert_assessments(base, "trec", corpus())
    assert text == "1 0 d#/a[1] 2\n1 0 d#/a[1]/p[1] 2\n1 0 e#/a[1] 1\n"


def test_passages_and_entry_points_by_points_become_offsets() -> None:
    base = RecallBase()
    base.add_topic("1", "q")
    base.add_passage("1", "d", Passage(Point("/a[1]/p[2]"), Point("/a[1]/p[2]", 1, 4)))
    base.add_entry_point("1", "d", Point("/a[1]/p[2]", 1, 2))
    text, lost = convert_assessments(base, "offsets", corpus())
    assert (text, lost) == ("1 Q0 d 4 20 12 10:4\n", [])


def test_stated_lengths_take_precedence_over_the_corpus(campaign: Path) -> None:
    (campaign / "q").write_text("1 Q0 d 5 30 3 0:5\n")
    base = read_assessments([campaign / "q"])
    assert convert_assessments(base, "offsets", corpus()) == ("1 Q0 d 5 30 3 0:5\n", [])


def test_a_file_of_inex_has_one_topic() -> None:
    base = RecallBase.of({str(topic): {"d": [(0, 5)]} for topic in range(1, 6)})
    with pytest.raises(XcgError) as raised:
        convert_assessments(base, "inex2004", corpus())
    assert str(raised.value) == (
        "the format inex2004 holds one topic per file, but the assessments have 5 topics (1, 2, 3, …); "
        "expected assessments of one topic"
    )


def test_standard_measures_follow_the_advice_of_their_message(
    campaign: Path, xcg_command: Command
) -> None:
    run = {"r": {"1": ["d#/a/p[2]", "e#/a/p[1]", "d#/a"]}}
    with pytest.raises(
        XcgError, match="named by its path, so it needs its document; expected a corpus"
    ):
        xcg.evaluate(campaign / "q", run, None, None, "AP")
    with pytest.raises(
        XcgError, match="if the runs return elements, convert the passages with xcg convert --corpus"
    ):
        xcg.evaluate(campaign / "q", run, None, None, "Rprec")
    target = campaign / "elements.qrels"
    done = xcg_command(
        *("convert", "--assessments", campaign / "q", "--corpus", campaign / "corpus"),
        *("--to", "trec", "--output", target),
    )
    assert (done.returncode, done.stdout) == (0, "")
    assert "lost in trec: best entry points\n" in done.stderr
    # Relevant elements: /a, /a/p[1] and /a/p[2] of d; two of them at ranks 1 and 3.
    found = xcg.evaluate(target, run, None, None, "AP").value("r", "AP")
    assert found == pytest.approx((1 + 2 / 3) / 3)
