"""TREC qrels: legal and illegal lines, and agreement of reading columns and reading lines."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from unittest.mock import patch

import pytest
from format_examples import assessments_content, write
from hypothesis import given
from hypothesis import strategies as st

from xcg.errors import InputError, Notes
from xcg.formats.base import read_assessments
from xcg.formats.text_columns import TextBlock


def test_comments_are_ignored_and_a_mark_may_belong_to_the_name(tmp_path: Path) -> None:
    text = "# topic, iteration\n1 0 doc#4_163 2\n#1 0 d 1\n1 0 doc#4 1\n"
    base = read_assessments(write(tmp_path, text))
    assert {file: a["/"].label for file, a in base.files["1"].items()} == {
        "doc#4_163": "level 2",
        "doc#4": "level 1",
    }
    regular = write(tmp_path, "1 0 doc#4_163 2\n1 0 doc#4 1\n", "regular")
    with patch.object(TextBlock, "lines", side_effect=AssertionError):
        assert read_assessments(regular).files["1"] == base.files["1"]


TEXTS = "1 2 -1 d1 d2 d1.xml x#/a[1] .. +3 1001 all é x#4_1 # x#1:2 1.5 1e3 nan"
COLUMNS = st.sampled_from(TEXTS.split())
LINES = st.lists(COLUMNS, min_size=3, max_size=5) | st.tuples(
    st.sampled_from("12"), st.just("0"), st.sampled_from(["d1", "d2", "d3", "./d1", "e#/a"]), COLUMNS
)


@given(
    rows=st.lists(LINES, max_size=12),
    line_end=st.sampled_from(["\n", "\r\n", "\n\n", " \n\ufeff"]),
    lenient=st.booleans(),
)
def test_columns_and_lines_give_the_same_assessments(
    tmp_path: Path, rows: list[Sequence[str]], line_end: str, lenient: bool
) -> None:
    path = write(tmp_path, "1 0 first 1\n" + line_end.join(map(" ".join, rows)) + line_end)
    from_columns = assessments_content(path, lenient)
    with patch.object(TextBlock, "columns", return_value=None):
        assert from_columns == assessments_content(path, lenient)


@pytest.mark.parametrize(
    ("lines", "place"),
    [
        ("1 1 d 1\n1 2 d 1\n1 1 d 1\n", r"q:3: topic 1, d: judged before, in line 1"),
        ("1 0 d 1\n1 0 d 2\n", "q:2: topic 1, d: judged before, in line 1"),
        ("1 0 d#/a 1\n2 0 d 1\n1 0 d#/a[1] 1\n", r"q:3: topic 1, d#/a\[1\]: judged before, in line 1"),
    ],
)
def test_a_document_that_is_judged_again_is_refused(tmp_path: Path, lines: str, place: str) -> None:
    """A line for the same topic, document and nugget."""
    (tmp_path / "q").write_text(lines)
    with pytest.raises(InputError, match=f"{place}.*document and nugget"):
        read_assessments(tmp_path / "q")
    notes = Notes(lenient=True)
    read_assessments(tmp_path / "q", notes)
    assert "repeated judgements; the first is used: 1 time" in notes.lines()[0]
    (tmp_path / "q").write_text("1 0 d 1\n")
    (tmp_path / "r").write_text("2 0 d 1\n1 0 d 1\n")
    with pytest.raises(InputError, match="r:2: topic 1, d: judged before, in an earlier line or file"):
        read_assessments([tmp_path / "q", tmp_path / "r"])
