"""The fast and the general XML readers return the same results and the same error messages."""

from __future__ import annotations

import gzip
from pathlib import Path
from unittest.mock import patch

import pytest
from format_examples import assessments_content, run_content
from hypothesis import given
from hypothesis import strategies as st
from random_cases import UNEXPECTED_MARKUP, compressed_or_damaged, damaged_file

from xcg.formats import fast_xml, inex_assessments, inex_submission
from xcg.formats.base import read_assessments, read_run

BLOCK_SIZES = [1, 7, 40, 150, 1 << 18]

ASSESSMENT_HEADS = [
    '<assessments topic="7">',
    '<?xml version="1.0" encoding="UTF-8"?>\n<assessments pool="9" topic=" 7 " version="2">\n',
    '<!DOCTYPE assessments SYSTEM "a.dtd"><assessments topic="&#55;"><inex_topic topic_id="7">'
    "<title>a &lt; b</title></inex_topic><!-- <x> -->",
]
ASSESSMENT_IRREGULAR_HEADS = [
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
ASSESSMENT_FILES = [
    'file="co/1"',
    'file="co/2.xml"',
    'collection="ieee" name="größe"',
    'name=" d-3 "',
    'name="co/1" file="co/1"',
    'xmlns="urn:x" file="co/3"',
]
ASSESSMENT_PATHS = [
    "/a[1]",
    "/a[1]/b[1]",
    "/a/b[2]",
    " /a[1]/c[1]",
    "/m:math[02]/x",
    "/é[1]",
    "/a[1]/b[1]",
]
ASSESSMENT_POINTS = [
    '<passage start="/a" end="/a/b[2]/text()[1].3" size="3"/>',
    '<best-entry-point path="/a[1]/text()[1].4"/>',
    '<best-entry-point path="/a" />',
]
ASSESSMENT_ELEMENTS: list[tuple[str, dict[str, list[str]]]] = [
    ("path", {"exhaustiveness": ["3", "3", "1", "U"], "specificity": ["3", " 3", "1", "u"]}),
    ("path", {"e": ["2", "2", "2", "0"], "s": ["1"], "compulsory": ["yes"]}),
    ("path", {"relevance": ["3", "1"], "coverage": ["E", "s", "U"]}),
    ("path", {"e": ["2"], "s": ["1"], "PATH": ["/q"]}),
    ("path", {}),
    ("element", {"exhaustivity": ["1", "2", "?"], "size": ["200", "090"], "rsize": ["50", "80"]}),
]
ASSESSMENT_IRREGULAR_TEXTS = [
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
    """Return assessments with a regular layout; most are then changed at random positions."""
    space = draw(st.sampled_from(["", "\n", "\n  ", "\t", "\r\n"]))
    form, values = draw(st.sampled_from(ASSESSMENT_ELEMENTS))
    names = draw(st.permutations(["path", *values]))
    pieces = [draw(st.sampled_from(ASSESSMENT_HEADS))]
    if draw(st.integers(0, 5)) == 0:
        pieces = [draw(st.sampled_from(ASSESSMENT_IRREGULAR_HEADS))]
    unique = draw(st.integers(0, 5)) > 0
    for file in draw(st.lists(st.sampled_from(ASSESSMENT_FILES), max_size=4, unique=unique)):
        pieces.append(f"<file {file}>")
        pieces += draw(st.lists(st.sampled_from(ASSESSMENT_POINTS), max_size=2))
        for path in draw(st.lists(st.sampled_from(ASSESSMENT_PATHS), max_size=4, unique=unique)):
            stated = {"path": [path], **values}
            row = [f'{name}="{draw(st.sampled_from(stated[name]))}"' for name in names]
            pieces.append(f"<{form} {' '.join(row)}/>")
        pieces.append("</file>")
    pieces.append("</assessments>")
    data = damaged_file(draw, pieces, ASSESSMENT_IRREGULAR_TEXTS, space)
    return data[: draw(st.integers(0, len(data)))] if draw(st.integers(0, 11)) == 0 else data


@pytest.mark.slow
@given(
    first=assessments(),
    second=st.one_of(st.none(), assessments()),
    lenient=st.booleans(),
    block_size=st.sampled_from(BLOCK_SIZES),
)
def test_both_readers_agree_on_assessments(
    tmp_path: Path, first: bytes, second: bytes | None, lenient: bool, block_size: int
) -> None:
    (tmp_path / "1.xml").write_bytes(first)
    (tmp_path / "2.xml").unlink(missing_ok=True)
    if second is not None:
        (tmp_path / "2.xml").write_bytes(second)
    with patch.object(fast_xml, "BLOCK_SIZE", block_size):
        fast = assessments_content(tmp_path, lenient)
    with patch.object(inex_assessments, "read_regular_assessments", return_value=False):
        assert fast == assessments_content(tmp_path, lenient)


@pytest.mark.parametrize("head", ASSESSMENT_HEADS)
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
def test_regular_assessments_are_read_fast(
    tmp_path: Path, head: str, end: str, pack: type[bytes], elements: list[str], label: str
) -> None:
    form = "element" if "size" in elements[0] else "path"
    stated = [f"<{form} {element}/>".replace("'", '"') for element in elements]
    files = [f'<file file="{name}">{end.join([*ASSESSMENT_POINTS, *stated])}</file>' for name in "de"]
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


RUN_HEADS = [
    '<inex-submission run-id="r">',
    '<?xml version="1.0" encoding="UTF-8"?>\n'
    '<inex-submission participant-id="4" run-id=" r &amp; s ">\n',
    "<!DOCTYPE inex-submission SYSTEM 'inex.dtd'><inex-submission run-id='r'>"
    '<topic-fields title="yes"/><description>a &lt; b — <!-- <x> --></description>\n'
    "<collections><collection>ieee</collection></collections>",
]
RUN_IRREGULAR_HEADS = [
    "",
    "<inex-submission>",
    '<inex-submission run-id=" ">',
    '<INEX-SUBMISSION run-id="r">',
    '<inex-submission run-id="r" run-id="s">',
    '<inex-submission xmlns="urn:x" run-id="r">',
    '<x><inex-submission run-id="r">',
    '<inex-submission run-id="r"><Topic topic-id="8"/>',
    '<inex-submission run-id="r"><inex-submission run-id="s">',
    '<inex-submission run-id="r"><description>',
    '<inex-submission run-id="r"><!--',
    '<inex-submission run-id="r"><result/>',
    '<!DOCTYPE inex-submission [<!ATTLIST topic topic-id CDATA "5">]><inex-submission run-id="r">',
    "<!DOCTYPE inex-submission [<!ATTLIST topic topic-id NMTOKENS #IMPLIED>]>"
    '<inex-submission run-id="r">',
    '<!DOCTYPE inex-submission [<!ENTITY e "x">]><inex-submission run-id="&e;">',
    '<?xml version="1.0" encoding="ISO-8859-1"?><inex-submission run-id="\xe4">',
    '<?xml version="1.0" encoding="UTF-16"?><inex-submission run-id="r">',
    '<?xml version="1.1"?><inex-submission run-id="r">',
]
RUN_FILES = ["co/1", "co/2.xml", " co/1\n", "./a.b", "größe", "d-3"]
RUN_PATHS = ["/a[1]", "/a/b[2]", " /a[1]\t", "/m:math[02]/x", "/é[1]"]
RUN_FIELDS = {
    "file": [f"<file>{name}</file>" for name in RUN_FILES],
    "path": [f"<path>{path}</path>" for path in RUN_PATHS],
    "fol": ['<fol offset="5" length="20"/>', '<fol offset="0" length="1" />'],
    "passage": ['<passage start="/a" end="/a/b[2]/text()[1].3"/>'],
    "rank": [f"<rank>{rank}</rank>" for rank in ("1", "02", " 3 ", "3", "999999999999999", "0")],
    "rsv": [f"<rsv>{score}</rsv>" for score in ("1", "-.5", "+2.5e1", "\n3.", "1E-3", "-0")],
}
RUN_IRREGULAR_TEXTS = [
    *UNEXPECTED_MARKUP,
    *("\r\n", "\x7f", "\U0001fffe", "<other/>"),
    *("</result>", "<result>", "<result/>", "<Result></Result>", "</topic>", "<topic>"),
    *("<file>co/7</file>", "<file></file>", "<file>../x</file>", "<path>/a[0]</path>", "<path/>"),
    *("<rank>7</rank>", "<rank>x</rank>", "<rank/>", "<rank>١</rank>", '<fol offset="1" length="0"/>'),
    *("<rsv>1e999</rsv>", "<rsv>1.2.3</rsv>", "<rsv>1_0</rsv>"),
    *('<topic topic-id="1"/>', "</inex-submission>"),
    '<topic topic-id="1"><result><file>f</file><path>/q</path></result></topic>',
]


@st.composite
def submissions(draw: st.DrawFn) -> bytes:
    """Return submissions with a regular layout; most are then changed at random positions."""
    space = draw(st.sampled_from(["", "\n", "\n  ", "\t", "\r\n"]))
    layout = ["file", draw(st.sampled_from(["path", "path", "fol", "passage"]))]
    layout += draw(st.lists(st.sampled_from(["rank", "rsv"]), unique=True, max_size=2))
    layout = draw(st.permutations(layout))
    pieces = [draw(st.sampled_from(RUN_HEADS))]
    if draw(st.integers(0, 5)) == 0:
        pieces = [draw(st.sampled_from(RUN_IRREGULAR_HEADS))]
    ids = draw(st.lists(st.sampled_from("123"), max_size=4, unique=draw(st.integers(0, 5)) > 0))
    for topic in ids:
        pieces.append(f'<topic topic-id="{topic}">')
        if draw(st.integers(0, 4)) == 0:
            pieces.append("<collections><collection>ieee</collection></collections>")
        for _ in range(draw(st.integers(0, 4))):
            fields = [draw(st.sampled_from(RUN_FIELDS[name])) for name in layout]
            pieces += ["<result>", *fields, "</result>"]
        pieces.append("</topic>")
    pieces.append("</inex-submission>")
    data = damaged_file(draw, pieces, RUN_IRREGULAR_TEXTS, space)
    return compressed_or_damaged(draw, data)


@pytest.mark.slow
@given(
    data=submissions(),
    lenient=st.booleans(),
    topics=st.sampled_from([None, None, {"1"}, {"2", "3"}]),
    block_size=st.sampled_from(BLOCK_SIZES),
)
def test_both_readers_agree_on_submissions(
    tmp_path: Path, data: bytes, lenient: bool, topics: set[str] | None, block_size: int
) -> None:
    path = tmp_path / "run"
    path.write_bytes(data)
    with patch.object(fast_xml, "BLOCK_SIZE", block_size):
        fast = run_content(path, lenient=lenient, topics=topics)
    with patch.object(inex_submission, "read_regular_submission", return_value=None):
        assert fast == run_content(path, lenient=lenient, topics=topics)


@pytest.mark.parametrize("head", RUN_HEADS)
@pytest.mark.parametrize("end", ["\n", "\r\n", ""])
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_regular_submissions_are_read_fast(
    tmp_path: Path, head: str, end: str, pack: type[bytes]
) -> None:
    results = [f"<result><rank>{rank}</rank><file>f</file><path>/a</path></result>" for rank in (2, 1)]
    topics = [f'<topic topic-id="{topic}">{end.join(results)}</topic>' for topic in "12"]
    text = end.join([head, *topics, '<topic topic-id="3"></topic>', "</inex-submission>"])
    path = tmp_path / "run"
    path.write_bytes(pack(text.encode()))
    with patch.object(inex_submission, "_read_results", side_effect=AssertionError):
        run = read_run(path, topics={"1", "3"})
    assert {topic: list(ranking.files) for topic, ranking in run.rankings.items()} == {
        "1": ["f", "f"],
        "3": [],
    }
    assert run.skipped == {"2"}


SMALL_ASSESSMENTS = [
    '<assessments topic="7"> <file name="d"><best-entry-point path="/a"/> '
    '<path path="/a" e="3" s="2" more="x"/> <path path="/b" e="3" s="2" more="x"/></file> '
    "</assessments>",
    '<assessments topic="7"><file file="d"><element exhaustivity="2" size="20" rsize="4" path="/a"/>'
    '<element exhaustivity="2" size="20" rsize="4" path="/b"/></file>'
    '<file file="e"><element exhaustivity="?" size="9" rsize="1" path="/a" /></file></assessments>',
]
SMALL_SUBMISSION = (
    '<inex-submission run-id="r"> <topic topic-id="1"><result><file>d</file><path>/a</path>'
    "<rank>2</rank></result> <result><file>e</file><path>/b</path><rank>1</rank></result></topic> "
    '<topic topic-id="2"></topic></inex-submission>'
)


@pytest.mark.slow
@pytest.mark.parametrize("text", [*SMALL_ASSESSMENTS, SMALL_SUBMISSION])
@pytest.mark.parametrize(
    "character", ["<", ">", "&", '"', "\t", "\n", "\r", " ", " " * 150, "x", "/", "\x85", "9"]
)
def test_both_readers_agree_wherever_a_character_is_inserted(
    tmp_path: Path, text: str, character: str
) -> None:
    path = tmp_path / "file"
    content = run_content if text is SMALL_SUBMISSION else assessments_content
    for position in range(len(text) + 1):
        path.write_text(text[:position] + character + text[position:], newline="")
        fast = content(path, lenient=True)
        with (
            patch.object(inex_assessments, "read_regular_assessments", return_value=False),
            patch.object(inex_submission, "read_regular_submission", return_value=None),
        ):
            assert fast == content(path, lenient=True), position
