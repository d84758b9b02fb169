"""Reading by columns and reading result by result give the same runs, or the same message."""

from __future__ import annotations

import gzip
from contextlib import ExitStack
from pathlib import Path
from unittest.mock import patch

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from strategies import UNEXPECTED_MARKUP, damaged_file

from xcg.documents import files as inputs
from xcg.errors import InputError, Notes
from xcg.formats import fast_xml, inex_submission, trec_run
from xcg.formats.base import read_run
from xcg.formats.text_columns import TextBlock
from xcg.runs.run import Ties

HEADS = [
    '<inex-submission run-id="r">',
    '<?xml version="1.0" encoding="UTF-8"?>\n'
    '<inex-submission participant-id="4" run-id=" r &amp; s ">\n',
    "<!DOCTYPE inex-submission SYSTEM 'inex.dtd'><inex-submission run-id='r'>"
    '<topic-fields title="yes"/><description>a &lt; b — <!-- <x> --></description>\n'
    "<collections><collection>ieee</collection></collections>",
]
ODD_HEADS = [
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
FILES = ["co/1", "co/2.xml", " co/1\n", "./a.b", "größe", "d-3"]
PATHS = ["/a[1]", "/a/b[2]", " /a[1]\t", "/m:math[02]/x", "/é[1]"]
FIELDS = {
    "file": [f"<file>{name}</file>" for name in FILES],
    "path": [f"<path>{path}</path>" for path in PATHS],
    "fol": ['<fol offset="5" length="20"/>', '<fol offset="0" length="1" />'],
    "passage": ['<passage start="/a" end="/a/b[2]/text()[1].3"/>'],
    "rank": [f"<rank>{rank}</rank>" for rank in ("1", "02", " 3 ", "3", "999999999999999", "0")],
    "rsv": [f"<rsv>{score}</rsv>" for score in ("1", "-.5", "+2.5e1", "\n3.", "1E-3", "-0")],
}
ODD = [
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
    """Submissions of one layout, in most of which something is out of the ordinary."""
    space = draw(st.sampled_from(["", "\n", "\n  ", "\t", "\r\n"]))
    layout = ["file", draw(st.sampled_from(["path", "path", "fol", "passage"]))]
    layout += draw(st.lists(st.sampled_from(["rank", "rsv"]), unique=True, max_size=2))
    layout = draw(st.permutations(layout))
    pieces = [draw(st.sampled_from(HEADS))]
    if draw(st.integers(0, 5)) == 0:
        pieces = [draw(st.sampled_from(ODD_HEADS))]
    ids = draw(st.lists(st.sampled_from("123"), max_size=4, unique=draw(st.integers(0, 5)) > 0))
    for topic in ids:
        pieces.append(f'<topic topic-id="{topic}">')
        if draw(st.integers(0, 4)) == 0:
            pieces.append("<collections><collection>ieee</collection></collections>")
        for _ in range(draw(st.integers(0, 4))):
            fields = [draw(st.sampled_from(FIELDS[name])) for name in layout]
            pieces += ["<result>", *fields, "</result>"]
        pieces.append("</topic>")
    pieces.append("</inex-submission>")
    octets = damaged_file(draw, pieces, ODD, space)
    return packed(draw, octets)


ODD_COLUMNS = [
    *(
        "",
        " ",
        "\t",
        "\n",
        "\r",
        "\0",
        "\x1c",
        "\x85",
        "\xa0",
        "\ufeff",
        "#",
        ":",
        "x",
        "/",
        "# #",
        "]",
    ),
    *(
        "nan",
        "inf",
        "1e39",
        "1e999",
        "1_0",
        "-3",
        "+3",
        "9" * 19,
        "²",
        "٣",
        "\n\n",
        " 1 2",
        "/article[1]",
    ),
]


@st.composite
def trec_runs(draw: st.DrawFn) -> bytes:
    """TREC runs of six to eight columns, in most of which something is out of the ordinary."""
    kind = draw(st.sampled_from(["element", "element", "flat", "column", "passage", "both"]))
    rows = []
    for _ in range(draw(st.integers(0, 8))):
        document = draw(st.sampled_from(["co/1", "co/2.xml", "d-3", "größe"]))
        path = draw(st.sampled_from(["/a[1]", "/a/b[2]", "/a[1]/b[3]", "/m:math"]))
        if kind == "element" or (kind == "both" and draw(st.booleans())):
            document += "#" + path
        score = draw(st.sampled_from(["3", "2.5", "2.5", "1e0", "-1", "0.30000000001", "0.3", "1e300"]))
        row = [draw(st.sampled_from("112")), "Q0", document, str(draw(st.integers(0, 4))), score, "tag"]
        row += {"column": [path], "passage": ["5", "20"]}.get(kind, [])
        rows.append(row)
    for _ in range(draw(st.sampled_from([0, 0, 1, 1, 2])) if rows else 0):
        row = draw(st.sampled_from(rows))
        place = draw(st.integers(0, len(row) - 1))
        at = draw(st.integers(0, len(row[place])))
        odd = draw(st.sampled_from(ODD_COLUMNS))
        row[place] = odd if draw(st.booleans()) else row[place][:at] + odd + row[place][at:]
    end = draw(st.sampled_from(["\n", "\n", "\r\n", "\n\n"]))
    text = draw(st.sampled_from(["", "", "\ufeff", "\n"])) + end.join(map(" ".join, rows))
    octets = (text + draw(st.sampled_from(["", "\n", " \n\n"]))).encode()
    return packed(draw, octets)


def packed(draw: st.DrawFn, octets: bytes) -> bytes:
    """Return the octets as they are, gzipped, or damaged in one of these states."""
    form = draw(st.integers(0, 11))
    if form in (0, 1):
        octets = gzip.compress(octets, mtime=0)
    if form in (1, 2):
        octets = octets[: draw(st.integers(0, len(octets)))]
    if form == 3:
        place = draw(st.integers(0, len(octets)))
        octets = octets[:place] + draw(st.binary(min_size=1, max_size=2)) + octets[place:]
    return octets


def outcome(path: Path, ties: Ties, lenient: bool, topics: set[str] | None) -> object:
    """Return all that can be seen of a run, or the message."""
    notes = Notes(lenient)
    try:
        run = read_run(path, notes, ties, topics)
    except InputError as error:
        return str(error)
    rankings = [
        (topic, list(ranking.files), list(ranking.paths), dict(ranking.spans))
        + ((ranking.keys.typecode, list(ranking.keys)) if ranking.keys is not None else ())  # type: ignore[attr-defined]
        for topic, ranking in run.rankings.items()
    ]
    return run.name, run.source, run.skipped, rankings, notes.lines()


def result_by_result(path: Path, ties: Ties, lenient: bool, topics: set[str] | None) -> object:
    """Return the same without reading by columns."""
    with ExitStack() as stack:
        stack.enter_context(patch.object(inex_submission, "read_regular_submission", return_value=None))
        stack.enter_context(patch.object(TextBlock, "columns", return_value=None))
        stack.enter_context(patch.object(trec_run._Elements, "files_and_paths", side_effect=ValueError))
        return outcome(path, ties, lenient, topics)


@settings(max_examples=1500, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    octets=st.one_of(submissions(), trec_runs()),
    ties=st.sampled_from(["document", "rank", "file"]),
    lenient=st.booleans(),
    topics=st.sampled_from([None, None, {"1"}, {"2", "3"}]),
    block=st.sampled_from([1, 7, 40, 150, 1 << 18]),
)
def test_both_ways_agree(
    tmp_path: Path, octets: bytes, ties: Ties, lenient: bool, topics: set[str] | None, block: int
) -> None:
    path = tmp_path / "run"
    path.write_bytes(octets)
    with patch.object(fast_xml, "BLOCK_SIZE", block), patch.object(inputs, "CHUNK_BYTES", block):
        by_columns = outcome(path, ties, lenient, topics)
    assert by_columns == result_by_result(path, ties, lenient, topics)


@pytest.mark.parametrize("head", HEADS)
@pytest.mark.parametrize("end", ["\n", "\r\n", ""])
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_submissions_of_one_layout_are_read_by_columns(
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


@pytest.mark.parametrize("column", ["f#/a 1 2.5 t", "f 1 2.5 t", "f 1 2.5 t /a", "f 1 2.5 t 5 20"])
def test_trec_runs_of_one_layout_are_read_by_columns(tmp_path: Path, column: str) -> None:
    path = tmp_path / "run"
    path.write_text(f"1 Q0 {column}\r\n2 Q0 {column}\n\n")
    with patch.object(trec_run._Reader, "add_lines", side_effect=AssertionError):
        assert list(read_run(path).rankings) == ["1", "2"]
    with (
        patch.object(trec_run._Reader, "add_columns", side_effect=AssertionError),
        pytest.raises(AssertionError),
    ):
        read_run(path)


def test_a_line_without_its_topic_behind_an_empty_line(tmp_path: Path) -> None:
    path = tmp_path / "run"
    path.write_text("1 Q0 f#/a 1 2 t\n\n Q0 f#/a 2 1 t\n")
    with pytest.raises(InputError, match=r"run:3: 5 columns"):
        read_run(path)


def test_equal_names_and_paths_are_kept_once(tmp_path: Path) -> None:
    path = tmp_path / "run"
    result = "<result><file>co/1</file><path>/a/b</path></result>"
    for text in (
        f'<inex-submission run-id="r"><topic topic-id="1">{result * 2}</topic></inex-submission>',
        "1 Q0 co/1#/a/b 1 2 t\n1 Q0 co/1#/a/b 2 1 t\n",
    ):
        path.write_text(text)
        ranking = read_run(path).rankings["1"]
        assert ranking.files[0] is ranking.files[1]
        assert ranking.paths[0] is ranking.paths[1]


def test_a_pipe_is_read_once(tmp_path: Path) -> None:
    import os
    import threading

    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=("1 Q0 f#/a 1 2 t\n",))
    writer.start()
    assert list(read_run(pipe).rankings["1"]) == [("f", "/a[1]")]
    writer.join()
