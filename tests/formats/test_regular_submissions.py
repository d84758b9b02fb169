"""The fast and the general reader of submissions return the same results and error messages."""

from __future__ import annotations

import gzip
from pathlib import Path
from unittest.mock import patch

import pytest
from format_examples import run_content
from hypothesis import given
from hypothesis import strategies as st
from random_cases import UNEXPECTED_MARKUP, compressed_or_damaged, damaged_file

from xcg.formats import inex_submission
from xcg.formats.base import read_run

BLOCK_SIZES = [1, 7, 40, 150, 1 << 18]

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
    with patch.object(inex_submission, "BLOCK_SIZE", block_size):
        fast = run_content(path, lenient=lenient, topics=topics)
    with patch.object(inex_submission, "read_regular_submission", side_effect=ValueError):
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
