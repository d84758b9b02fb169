"""From highlighted passages to element assessments, and what is answered to wrong ones."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import Command
from hypothesis import given
from hypothesis import strategies as st
from random_cases import markup

import xcg
from xcg.documents.parsing import parse_document
from xcg.documents.text_search import locate_passage
from xcg.errors import InputError, XcgError
from xcg.formats.base import read_assessments
from xcg.formats.inex_assessments import inex_2004
from xcg.formats.json_assessments import read_highlights
from xcg.judgements.highlights import Highlight, SpecificityScale, assess
from xcg.judgements.recall_base import RecallBase

DOCUMENT = "<a><s><t>0123456789</t><p>0123456789</p><p>0123456789</p></s><s>0123456789</s></a>"


def labels(*marks: tuple[int, int, int], scale: SpecificityScale | None = None) -> dict[str, str]:
    highlights = [Highlight("1", "d", *mark) for mark in marks]
    base = assess(highlights, xcg.Corpus.of({"d": DOCUMENT}), scale or SpecificityScale(smallest=1))
    return {path: a.label for path, a in base.files("1")["d"].items()}


def test_grades_by_hand() -> None:
    # 15 characters from the first paragraph on: all of p[1], half of p[2]; 15 of 30 and of 40.
    assert labels((10, 25, 3)) == {
        "/a[1]": "(3,1)",
        "/a[1]/s[1]": "(3,2)",
        "/a[1]/s[1]/p[1]": "(3,3)",
        "/a[1]/s[1]/p[2]": "(2,2)",  # holds a third of the passage: one grade less
    }


def test_several_passages_lend_the_highest_exhaustivity() -> None:
    found = labels((0, 10, 1), (10, 20, 2), (30, 40, 1))
    assert found["/a[1]"] == "(2,2)"
    assert found["/a[1]/s[1]"] == "(2,2)"
    assert found["/a[1]/s[2]"] == "(1,3)"
    assert found["/a[1]/s[1]/t[1]"] == "(1,3)"


def test_the_scale() -> None:
    assert (
        labels((0, 9, 1), scale=SpecificityScale(highly=0.95, smallest=1))["/a[1]/s[1]/t[1]"] == "(1,2)"
    )
    assert "/a[1]/s[1]/t[1]" not in labels((0, 9, 1), scale=SpecificityScale(smallest=11))
    for highly, fairly in ((0.5, 0.9), (1.5, 0.5), (0.5, 0.0)):
        with pytest.raises(ValueError, match="expected 0 < fairly"):
            SpecificityScale(highly, fairly)


@given(
    markup(), st.lists(st.tuples(st.integers(0, 60), st.integers(1, 30), st.integers(1, 3)), min_size=1)
)
def test_exhaustivity_never_falls_towards_the_root(
    source: str, marks: list[tuple[int, int, int]]
) -> None:
    tree = parse_document(source.encode())
    length = int(tree.characters[0])
    highlights = [
        Highlight("1", "d", start, min(start + size, length), e)
        for start, size, e in marks
        if start < length
    ]
    base = assess(highlights, xcg.Corpus.of({"d": tree}), SpecificityScale(smallest=0))
    elements = base.files("1").get("d", {})
    for path, assessment in elements.items():
        assert assessment.relevant
        for above in tree.ancestors(tree.row(path)):
            assert elements[tree.paths[above]].exhaustivity >= assessment.exhaustivity


def test_passages_are_placed_by_their_text() -> None:
    tree = parse_document(b"<a><p>one\n two</p><p>two three</p></a>")
    assert locate_passage(tree, "one two") == (0, 8)
    assert locate_passage(tree, "two", within="/a[1]/p[2]") == (8, 11)
    with pytest.raises(XcgError, match="occurs more than once: 'two'"):
        locate_passage(tree, "two")
    for text in ("four", " "):
        with pytest.raises(XcgError, match="the text does not occur"):
            locate_passage(tree, text)


GOOD = {"topic": "1", "doc": "d", "start": 0, "end": 10, "exhaustivity": 2, "text": "0123456789"}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"start": 10}, "start 10 and end 10: expected 0 <= start < end"),
        ({"start": -1}, "expected 0 <= start < end"),
        ({"end": 10.0}, "end is 10.0: expected a whole number"),
        ({"end": True}, "end is True"),
        ({"exhaustivity": 0}, "exhaustivity is 0: expected 1, 2 or 3"),
        ({"doc": "../d"}, "is not a document name"),
        ({"doc": 7}, "doc is 7: expected a document's name"),
        ({"topic": None}, "topic is None"),
        ({"exhaustiveness": 2}, "unknown field 'exhaustiveness': did you mean 'exhaustivity'?"),
    ],
)
def test_wrong_lines_name_file_and_line(
    tmp_path: Path, change: dict[str, object], message: str
) -> None:
    path = tmp_path / "marks.jsonl"
    path.write_text(json.dumps(GOOD) + "\n" + json.dumps({**GOOD, **change}) + "\n")
    with pytest.raises(InputError) as raised:
        read_highlights(path)
    assert str(raised.value).startswith(f"{path}:2: ")
    assert message in str(raised.value)


@pytest.mark.parametrize("line", ["{", "[1]", "7", '{"topic": "1"}', "[" * 100_000])
def test_what_is_no_highlight(tmp_path: Path, line: str) -> None:
    path = tmp_path / "marks.jsonl"
    path.write_text(line)
    with pytest.raises(InputError, match=r"marks\.jsonl:1: "):
        read_highlights(path)


def test_spans_and_texts_are_compared_with_the_document() -> None:
    corpus = xcg.Corpus.of({"d": DOCUMENT})
    with pytest.raises(InputError, match="the document's text has 40 characters"):
        assess([Highlight("1", "d", 5, 41, 1)], corpus)
    with pytest.raises(InputError, match="the text is '01', not 'xx'"):
        assess([Highlight("1", "d", 0, 2, 1, "xx")], corpus)
    with pytest.raises(InputError, match="the corpus has no document 'e'"):
        assess([Highlight("1", "e", 0, 2, 1)], corpus)


def test_the_command(xcg_command: Command, tmp_path: Path) -> None:
    (tmp_path / "corpus").mkdir()
    (tmp_path / "corpus" / "d.xml").write_text(DOCUMENT)
    marks = tmp_path / "marks.jsonl"
    marks.write_text(json.dumps(GOOD) + "\n" + json.dumps({**GOOD, "topic": 22}) + "\n")
    options = ["--corpus", tmp_path / "corpus", "--output", tmp_path / "out", "--smallest", 5]
    done = xcg_command("assess", marks, *options)
    assert (done.returncode, done.stdout) == (0, "")
    assert "2 topics, 6 assessed elements" in done.stderr
    base = read_assessments(tmp_path / "out")
    assert base.topics == ["1", "22"]
    assert {p: a.label for p, a in base.files("22")["d"].items()} == {
        "/a[1]": "(2,1)",
        "/a[1]/s[1]": "(2,1)",
        "/a[1]/s[1]/t[1]": "(2,3)",
    }
    bad = xcg_command("assess", marks, *options, "--fairly", 0.95)
    assert (bad.returncode, "expected 0 < fairly < highly" in bad.stderr) == (2, True)
    marks.write_text(json.dumps({**GOOD, "topic": "../x"}))
    climbing = xcg_command("assess", marks, *options)
    assert (climbing.returncode, "cannot name a file" in climbing.stderr) == (2, True)


def test_only_the_four_point_scale_can_be_written() -> None:
    base = RecallBase.of({"1": {"d": {"/a": xcg.Assessment(3.0, "E", scale="coverage")}}})
    with pytest.raises(ValueError, match="is on the coverage scale, but the format inex2004 holds"):
        inex_2004(base, "1")
