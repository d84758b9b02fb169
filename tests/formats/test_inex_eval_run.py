"""Runs as inex_eval reads them."""

from __future__ import annotations

from pathlib import Path

import pytest
from format_examples import write

from xcg.errors import InputError
from xcg.formats.inex_eval_run import read_inex_eval_run

REGULAR = (
    "1 Q0 a.xml 1 9 first 5 10\n"
    "7 Q0 a 1 9 unassessed 5 10\n"
    "1\tQ0 b 2 8 second 0 0 \r\n"
    "2 Q0 c/d 1 7 third 12 1\n"
    "1 Q0 b 3 7 fourth 100 20\n"
)


def test_regular_lines_are_read(tmp_path: Path) -> None:
    run, tag = read_inex_eval_run(str(write(tmp_path, REGULAR, "r")), {"1", "2"})
    assert (tag, list(run.rankings)) == ("fourth", ["1", "2"])
    first, second = (run.rankings[topic] for topic in "12")
    assert (first.files, first.paths) == (["a", "b", "b"], ["", "", ""])
    assert first.spans == {0: (5, 15), 1: (0, 0), 2: (100, 120)}
    assert (list(second), second.spans) == ([("c/d", "")], {0: (12, 13)})


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("", "0 columns; expected eight"),
        ("1 Q0 a 1 9 tag 5", "7 columns; expected eight"),
        ("1 Q0 a 1 9 tag -2 5", "illegal passage '-2' '5': expected an offset and a length"),
        ("1 Q0 a 1 9 tag 2 5.0", "illegal passage '2' '5.0': expected an offset and a length"),
        ("1 Q0 ../a 1 9 tag 2 5", "'../a' is not a document name"),
    ],
)
def test_an_illegal_line_is_named(tmp_path: Path, line: str, message: str) -> None:
    path = write(tmp_path, f"{REGULAR}{line}\n{REGULAR}", "r")
    with pytest.raises(InputError, match=r"r:6: ") as raised:
        read_inex_eval_run(str(path), {"1", "2"})
    assert message in str(raised.value)


@pytest.mark.parametrize(
    "text", ['{"topic": "1", "doc": "a", "path": "/b"}\n', "<inex-submission run-id='r'/>"]
)
def test_other_formats_are_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(InputError, match="XML or JSON Lines; expected eight, topic Q0 "):
        read_inex_eval_run(str(write(tmp_path, text, "r")), {"1"})
