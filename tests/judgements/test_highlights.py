"""From highlighted passages to element assessments, and what is answered to wrong ones."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from random_cases import markup

import xcg
from xcg.documents.parsing import parse_document
from xcg.errors import InputError
from xcg.formats.inex_assessments import inex_2004
from xcg.formats.json_assessments import read_highlights
from xcg.judgements.highlights import SCALE, Highlight, SpecificityScale, assess
from xcg.judgements.recall_base import RecallBase

DOCUMENT = "<a><s><t>0123456789</t><p>0123456789</p><p>0123456789</p></s><s>0123456789</s></a>"


def labels(*marks: tuple[int, int, int], smallest: int = 1) -> dict[str, str]:
    highlights = [Highlight("1", "d", *mark) for mark in marks]
    base = assess(highlights, xcg.Corpus.of({"d": DOCUMENT}), SpecificityScale(smallest=smallest))
    return {path: a.label for path, a in base.files["1"]["d"].items()}


def test_grades_by_hand() -> None:
    # 15 characters from the first paragraph on: all of p[1], half of p[2]; 15 of 30 and of 40.
    assert labels((10, 25, 3)) == {
        "/a[1]": "(3,1)",
        "/a[1]/s[1]": "(3,2)",
        "/a[1]/s[1]/p[1]": "(3,3)",
        "/a[1]/s[1]/p[2]": "(2,2)",  # holds a third of the passage: one grade less
    }


def test_the_scale() -> None:
    assert [SCALE.specificity(share) for share in (1, 0.9, 0.89, 0.5, 0.49)] == [3, 3, 2, 2, 1]
    assert "/a[1]/s[1]/t[1]" not in labels((0, 9, 1), smallest=11)


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
    elements = base.files["1"].get("d", {})
    for path, assessment in elements.items():
        assert assessment.relevant
        for above in tree.ancestors(tree.row(path)):
            assert elements[tree.paths[above]].exhaustivity >= assessment.exhaustivity


GOOD = {"topic": "1", "doc": "d", "start": 0, "end": 10, "exhaustivity": 2, "text": "0123456789"}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"start": 10}, "start 10 and end 10: expected 0 <= start < end"),
        ({"start": -1}, "expected 0 <= start < end"),
        ({"end": 10.0}, "end is 10.0: expected a whole number"),
        ({"exhaustivity": 0}, "exhaustivity is 0: expected 1, 2 or 3"),
        ({"doc": "../d"}, "is not a document name"),
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


def test_spans_and_texts_are_compared_with_the_document() -> None:
    corpus = xcg.Corpus.of({"d": DOCUMENT})
    with pytest.raises(InputError, match="the document's text has 40 characters"):
        assess([Highlight("1", "d", 5, 41, 1)], corpus)
    with pytest.raises(InputError, match="the text is '01', not 'xx'"):
        assess([Highlight("1", "d", 0, 2, 1, "xx")], corpus)
    with pytest.raises(InputError, match="the corpus has no document 'e'"):
        assess([Highlight("1", "e", 0, 2, 1)], corpus)


def test_only_the_four_point_scale_can_be_written() -> None:
    base = RecallBase.of({"1": {"d": {"/a": xcg.Assessment(3.0, "E", scale="coverage")}}})
    with pytest.raises(ValueError, match="is on the coverage scale, but the format inex2004 holds"):
        inex_2004(base, "1")
