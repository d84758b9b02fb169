"""Reading assessments by columns and element by element give the same, or the same message."""

from __future__ import annotations

import gzip
from pathlib import Path
from unittest.mock import patch

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from strategies import UNEXPECTED_MARKUP, damaged_file

from xcg.errors import InputError, Notes
from xcg.formats import fast_xml, inex_assessments
from xcg.formats.base import read_assessments

HEADS = [
    '<assessments topic="7">',
    '<?xml version="1.0" encoding="UTF-8"?>\n<assessments pool="9" topic=" 7 " version="2">\n',
    '<!DOCTYPE assessments SYSTEM "a.dtd"><assessments topic="&#55;"><inex_topic topic_id="7">'
    "<title>a &lt; b</title></inex_topic><!-- <x> -->",
]
ODD_HEADS = [
    "",
    "<assessments>",
    '<assessments topic=" ">',
    '<assessments topic="all">',
    '<assessments topic="a&#10;b">',
    '<assessments topic="7" TOPIC="8">',
    '<ASSESSMENTS topic="7">',
    '<judgements topic="7">',
    '<assessments xmlns="urn:x" topic="7">',
    '<x><assessments topic="7">',
    '<assessments topic="7"><assessments topic="8">',
    '<assessments topic="7"><path path="/a" e="1" s="1"/>',
    '<assessments topic="7"><inex_topic><element path="/a"/></inex_topic>',
    '<assessments topic="7"><file/>',
    '<assessments topic="7"><!--',
    '<!DOCTYPE assessments [<!ATTLIST path e CDATA "3">]><assessments topic="7">',
    '<?xml version="1.0" encoding="ISO-8859-1"?><assessments topic="7">',
]
FILES = [
    'file="co/1"',
    'file="co/2.xml"',
    'collection="ieee" name="größe"',
    'name=" d-3 "',
    'name="co/1" file="co/1"',
    'xmlns="urn:x" file="co/3"',
]
PATHS = ["/a[1]", "/a[1]/b[1]", "/a/b[2]", " /a[1]/c[1]", "/m:math[02]/x", "/é[1]", "/a[1]/b[1]"]
POINTS = [
    '<passage start="/a" end="/a/b[2]/text()[1].3" size="3"/>',
    '<best-entry-point path="/a[1]/text()[1].4"/>',
    '<best-entry-point path="/a" />',
]
FORMS: list[tuple[str, dict[str, list[str]]]] = [
    ("path", {"exhaustiveness": ["3", "3", "1", "U"], "specificity": ["3", " 3", "1", "u"]}),
    ("path", {"e": ["2", "2", "2", "0"], "s": ["1"], "compulsory": ["yes"]}),
    ("path", {"relevance": ["3", "1"], "coverage": ["E", "s", "U"]}),
    ("path", {"e": ["2"], "s": ["1"], "PATH": ["/q"]}),
    ("path", {}),
    ("element", {"exhaustivity": ["1", "2", "?"], "size": ["200", "090"], "rsize": ["50", "80"]}),
]
ODD = [
    *UNEXPECTED_MARKUP,
    *("\r\n", "\n", "\t", "'", ' xmlns="u"', ' xml:id="i"', ' path="/q"', ' PATH="/q"', ' e="1"'),
    *("<path/>", "<element/>", "</path>", '<path path="/a"/>', '<path e="1" s="1"/>'),
    *('<path path="/q" e="1" s="1"></path>', '<path path="/q" e="1" s="1"><b/></path>'),
    *("<path path='/q' e='1' s='1'/>", '<PATH path="/q" e="1" s="1"/>'),
    *('<path path="/a" e="2" s="2"/>', '<element path="/q" exhaustivity="1" size="9" rsize="9"/>'),
    *('<passage start="/a"/>', "</file>", "<file>", "<file/>", '<file file="../x">', " " * 150),
    '<file file="co/1"></file>',
    *("</assessments>", "<assessments>", "3", "4", "/a[0]", "1" * 120),
]


@st.composite
def assessments(draw: st.DrawFn) -> bytes:
    """Assessments of one layout, in most of which something is out of the ordinary."""
    space = draw(st.sampled_from(["", "\n", "\n  ", "\t", "\r\n"]))
    form, values = draw(st.sampled_from(FORMS))
    names = draw(st.permutations(["path", *values]))
    pieces = [draw(st.sampled_from(HEADS))]
    if draw(st.integers(0, 5)) == 0:
        pieces = [draw(st.sampled_from(ODD_HEADS))]
    unique = draw(st.integers(0, 5)) > 0
    for file in draw(st.lists(st.sampled_from(FILES), max_size=4, unique=unique)):
        pieces.append(f"<file {file}>")
        pieces += draw(st.lists(st.sampled_from(POINTS), max_size=2))
        for path in draw(st.lists(st.sampled_from(PATHS), max_size=4, unique=unique)):
            stated = {"path": [path], **values}
            row = [f'{name}="{draw(st.sampled_from(stated[name]))}"' for name in names]
            pieces.append(f"<{form} {' '.join(row)}/>")
        pieces.append("</file>")
    pieces.append("</assessments>")
    octets = damaged_file(draw, pieces, ODD, space)
    return octets[: draw(st.integers(0, len(octets)))] if draw(st.integers(0, 11)) == 0 else octets


def outcome(folder: Path, lenient: bool) -> object:
    """Return all that can be seen of assessments, or the message."""
    notes = Notes(lenient)
    try:
        base = read_assessments(folder, notes)
    except InputError as error:
        return str(error)
    found = [
        (
            topic,
            [(file, list(elements.items())) for file, elements in base.files(topic).items()],
            [(file, list(passages)) for file, passages in base.passages(topic).items()],
            list(base.entry_points(topic).items()),
        )
        for topic in base.topics
    ]
    return found, base.sources, notes.lines()


@settings(max_examples=1500, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    first=assessments(),
    second=st.one_of(st.none(), assessments()),
    lenient=st.booleans(),
    block=st.sampled_from([1, 7, 40, 150, 1 << 18]),
)
def test_both_ways_agree(
    tmp_path: Path, first: bytes, second: bytes | None, lenient: bool, block: int
) -> None:
    (tmp_path / "1.xml").write_bytes(first)
    (tmp_path / "2.xml").unlink(missing_ok=True)
    if second is not None:
        (tmp_path / "2.xml").write_bytes(second)
    with patch.object(fast_xml, "BLOCK_SIZE", block):
        by_columns = outcome(tmp_path, lenient)
    with patch.object(inex_assessments, "read_regular_assessments", return_value=False):
        assert by_columns == outcome(tmp_path, lenient)


@pytest.mark.parametrize("head", HEADS)
@pytest.mark.parametrize("end", ["\n", "\r\n", ""])
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
@pytest.mark.parametrize(
    ("elements", "label"),
    [
        (["path='/a' exhaustiveness='3' specificity='1'"], "(3,1)"),
        (["relevance='2' path='/a' coverage='L'", "relevance='U' path='/b' coverage='U'"], "(2,L)"),
        (["exhaustivity='2' size='8' rsize='4' path='/a'"], "(2,0.5)"),
    ],
)
def test_assessments_of_one_layout_are_read_by_columns(
    tmp_path: Path, head: str, end: str, pack: type[bytes], elements: list[str], label: str
) -> None:
    form = "element" if "size" in elements[0] else "path"
    stated = [f"<{form} {element}/>".replace("'", '"') for element in elements]
    files = [f'<file file="{name}">{end.join([*POINTS, *stated])}</file>' for name in "de"]
    path = tmp_path / "assessments"
    path.write_bytes(pack(end.join([head, *files, "</assessments>"]).encode()))
    with patch.object(inex_assessments, "_read_elements", side_effect=AssertionError):
        base = read_assessments(path)
    found = {
        file: {p: assessment.label for p, assessment in elements.items()}
        for file, elements in base.files("7").items()
    }
    assert found == {"d": {"/a[1]": label}, "e": {"/a[1]": label}}
    assert [len(passages) for passages in base.passages("7").values()] == [1, 1]


def test_equal_paths_and_assessments_are_kept_once(tmp_path: Path) -> None:
    path = tmp_path / "assessments"
    files = [f'<file file="{name}"><path path="/a/b" e="3" s="2"/></file>' for name in "de"]
    path.write_text(f'<assessments topic="7">{"".join(files)}</assessments>')
    first, second = read_assessments(path).files("7").values()
    assert next(iter(first)) is next(iter(second))
    assert first["/a[1]/b[1]"] is second["/a[1]/b[1]"]


SMALL = [
    '<assessments topic="7"> <file name="d"><best-entry-point path="/a"/> '
    '<path path="/a" e="3" s="2" more="x"/> <path path="/b" e="3" s="2" more="x"/></file> '
    "</assessments>",
    '<assessments topic="7"><file file="d"><element exhaustivity="2" size="20" rsize="4" path="/a"/>'
    '<element exhaustivity="2" size="20" rsize="4" path="/b"/></file>'
    '<file file="e"><element exhaustivity="?" size="9" rsize="1" path="/a" /></file></assessments>',
]


@pytest.mark.parametrize("text", SMALL)
@pytest.mark.parametrize(
    "odd", ["<", ">", "&", '"', "\t", "\n", "\r", " ", " " * 150, "x", "/", "\x85"]
)
def test_both_ways_agree_wherever_something_odd_stands(tmp_path: Path, text: str, odd: str) -> None:
    path = tmp_path / "assessments"
    for place in range(len(text) + 1):
        path.write_text(text[:place] + odd + text[place:], newline="")
        by_columns = outcome(tmp_path, lenient=True)
        with patch.object(inex_assessments, "read_regular_assessments", return_value=False):
            assert by_columns == outcome(tmp_path, lenient=True), place
