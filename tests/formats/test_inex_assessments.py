"""INEX assessments of 2002 to 2007: legal files, illegal values, and tolerated errors."""

from __future__ import annotations

from pathlib import Path

import pytest
from format_examples import ASSESSMENTS, labels, write

from xcg.errors import InputError, Notes
from xcg.formats.base import read_assessments


def read_elements(folder: Path, content: str) -> dict[str, str]:
    """Return path → label of the elements in a <file> with this content."""
    return labels(read_assessments(write(folder, ASSESSMENTS.format(content))))


def read_leniently(folder: Path, content: str) -> tuple[dict[str, str], str]:
    """Return the same with illegal values tolerated, and the warnings."""
    notes = Notes(lenient=True)
    base = read_assessments(write(folder, ASSESSMENTS.format(content)), notes)
    return labels(base), "; ".join(notes.lines())


@pytest.mark.parametrize(
    "attributes", ['E="2" S="3"', 'Exhaustivity="2" SPECIFICITY="3"', 'exhaustiveness=" 2 " s="3"']
)
def test_names_of_tags_and_attributes_vary(tmp_path: Path, attributes: str) -> None:
    assert read_elements(tmp_path, f'<PATH Path="/a" {attributes}/>') == {"/a[1]": "(2,3)"}


@pytest.mark.parametrize(
    ("attributes", "message"),
    [
        ('start="/a[1]"', "the passage has no start or no end"),
        ('start="7" end="/a"', "'7' is not an element path"),
    ],
)
def test_illegal_points_are_refused(tmp_path: Path, attributes: str, message: str) -> None:
    with pytest.raises(InputError, match=r"input\.xml:3: ") as raised:
        read_elements(tmp_path, f"<passage {attributes}/>")
    assert message in str(raised.value)


def test_lenient_reading_counts_illegal_values(tmp_path: Path) -> None:
    content = '<path path="/a" e="9" s="9"/>\n<path path="/b" e="1" s="0"/>'
    found, warnings = read_leniently(tmp_path, content)
    assert found == {}
    assert "assessments left out: 2 times; the first:" in warnings


def test_an_element_may_be_assessed_twice_if_the_assessments_agree(tmp_path: Path) -> None:
    same = '<path path="/a" e="1" s="1"/><path path="/a[1]" e="1" s="1"/>'
    assert read_elements(tmp_path, same) == {"/a[1]": "(1,1)"}
    different = '<path path="/a" e="1" s="1"/><path path="/a" e="2" s="2"/>'
    with pytest.raises(InputError, match=r"is assessed \(2,2\) but was \(1,1\) before"):
        read_elements(tmp_path, different)
    found, warnings = read_leniently(tmp_path, different)
    assert found == {"/a[1]": "(1,1)"}
    assert "contradictory assessments; the first is used: 1 time" in warnings


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<assessments topic='1'><file file='x'></assessments>", "not well-formed XML"),
        ("<other/>", "no <assessments> element"),
        ("<assessments/>", "has no topic attribute"),
        ("<assessments topic='all'/>", "a topic is called 'all', the name of the mean"),
        ("<assessments topic='1'><file/></assessments>", "has no file attribute"),
        ("<assessments topic='1'><file file='../x'/></assessments>", "is not a document name"),
        ("<x><file file='a'/></x>", "no <assessments> element around <file>, found <x>"),
    ],
)
def test_files_without_legal_assessments_are_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError) as raised:
        read_assessments(write(tmp_path, text))
    assert message in str(raised.value)
    assert str(tmp_path / "input.xml") in str(raised.value)


@pytest.mark.parametrize("content", ['<path path="/a" Path="/b"/>', '<passage start="/a" START="/b"/>'])
def test_an_attribute_that_occurs_twice_is_an_illegal_value(tmp_path: Path, content: str) -> None:
    with pytest.raises(InputError, match=r"input\.xml:3: the attribute '\w+' occurs twice"):
        read_elements(tmp_path, content)
    found, warnings = read_leniently(tmp_path, content)
    assert found == {}
    assert "left out: 1 time; the first:" in warnings
    assert warnings.count("input.xml:3") == 1
