"""Reading JSON Lines: the fast decoder for plain lines agrees with the one that checks everything."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xcg.formats.json_records import _decoder, _plain_record

STRINGS = ['"a"', '"b"', '":"', '""', '"\\n"', '"\\u0000"', '"\\ud800"', '"é"', '"a":1', '"a" :":"']
WORDS = [*STRINGS, *":,{}[]1\\", "1e400", "null", "true"]
PIECES = st.lists(st.sampled_from([*WORDS, " ", "\t", "\x1f", "\u00a0"]), max_size=14).map("".join)
VALUES = st.none() | st.booleans() | st.integers() | st.text(max_size=6)
OBJECTS = st.lists(st.tuples(st.sampled_from(["a", "b", ":", "é"]), VALUES | st.lists(VALUES)))


@given(PIECES | PIECES.map(lambda text: f"{{{text}}}"))
def test_a_plain_record_is_the_record_of_the_checking_decoder(line: str) -> None:
    record = _plain_record(line)
    assert record is None or record == _decoder().decode(line)


@given(OBJECTS, st.booleans(), st.sampled_from([":", " : "]))
def test_a_plain_record_never_repeats_a_key(
    pairs: list[tuple[str, object]], ascii_only: bool, colon: str
) -> None:
    fields = [f"{json.dumps(key)}{colon}{json.dumps(v, ensure_ascii=ascii_only)}" for key, v in pairs]
    record = _plain_record(f"{{{', '.join(fields)}}}")
    assert record is None or (record == dict(pairs) and len(record) == len(pairs))


def test_a_line_as_json_dumps_writes_it_is_plain() -> None:
    record = {"topic": "1", "doc": "bees", "start": 0, "end": 8, "score": 0.5}
    assert _plain_record(json.dumps(record)) == record


@pytest.mark.parametrize(
    "line",
    [
        '{"a": 1, "a": 2}',
        '{"a" : 1, "a":":"}',
        '{"a": "\\n"}',
        '{"a": {"b": 1}}',
        "[]",
        '{"a": 1} 2',
        "{",
    ],
)
def test_other_lines_are_not_plain(line: str) -> None:
    assert _plain_record(line) is None
