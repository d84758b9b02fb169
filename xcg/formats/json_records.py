"""Read JSON Lines files record by record and check the fields of a record."""

from __future__ import annotations

import reprlib
from collections.abc import Iterator, Sequence
from functools import cache
from io import BufferedReader
from pathlib import Path
from typing import Any, NamedTuple

from xcg.documents.files import lines
from xcg.errors import InputError, nearest
from xcg.lazy_modules import json

_CONTROL_CHARACTERS = frozenset(map(chr, (*range(9), 11, 12, *range(14, 32), *range(127, 160))))

_TEXTS = ("text", "exact", "prefix", "suffix")
"""Fields with the text of a document, which may have form feeds."""

MAX_NUMBER = (1 << 53) - 1
"""The largest whole number in JSON Lines; a float cannot hold all larger ones."""

_SHORT = reprlib.Repr()
_SHORT.maxstring = _SHORT.maxlong = _SHORT.maxother = 60


class Field(NamedTuple):
    """A field of a record.

    Attributes:
        name: Name of the field.
        types: Types of its value.
        expected: Description of legal values, for messages.
        required: Whether every record must have it.
    """

    name: str
    types: tuple[type, ...]
    expected: str
    required: bool = True


TOPIC_AND_DOCUMENT = (Field("topic", (str, int), "an id"), Field("doc", (str,), "a document's name"))
"""The fields that all assessments and results have."""


def json_lines(file: BufferedReader, path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the records of a JSON Lines file, each with its file and line.

    A topic that is a string loses the white space at its ends.

    Raises:
        InputError: If a line is not a JSON object, repeats a key, holds control characters or lone
            surrogates, or has an empty topic.
    """
    name = str(path)
    for number, line in lines(file, path):
        if not line or line.isspace():
            continue
        where = f"{name}:{number}"
        record = _plain_record(line.rstrip("\r\n"))
        if record is None:
            try:
                record = _decoder().decode(line)
            except (ValueError, RecursionError) as error:
                raise InputError(where, f"not valid JSON: {error}") from None
        if not isinstance(record, dict):
            raise InputError(where, "expected JSON Lines, one object {…} per line")
        topic = record.get("topic")
        if isinstance(topic, str):
            record["topic"] = topic = topic.strip()
            if not topic:
                raise InputError(where, "the topic is empty")
        yield where, record


def _plain_record(line: str) -> dict[str, Any] | None:
    """Return the record of a line; None if only the slower decoder can check it.

    Without escapes, each string has two quotation marks, so more marks show a repeated key.
    """
    if "\\" in line or line.count("{") != 1 or not line.isprintable():
        return None
    try:
        record, end = _plain_decoder().raw_decode(line)
    except (ValueError, RecursionError):
        return None  # the other decoder raises the error again
    if end != len(line) or not isinstance(record, dict):
        return None
    strings = len(record) + sum([type(value) is str for value in record.values()])
    return record if line.count('"') == 2 * strings else None


def _record(pairs: list[tuple[str, object]]) -> dict[str, Any]:
    record = dict(pairs)
    if len(record) < len(pairs):
        keys = [key for key, _ in pairs]
        key = next(key for index, key in enumerate(keys) if key in keys[:index])
        raise ValueError(f"the key {key!r} occurs twice")
    for key, value in pairs:
        if isinstance(value, str) and not value.isprintable():
            if key not in _TEXTS and not _CONTROL_CHARACTERS.isdisjoint(value):
                raise ValueError(f"the value of {key!r} has control characters")
            try:
                value.encode()
            except UnicodeEncodeError:
                raise ValueError(f"the value of {key!r} has a lone surrogate") from None
    return record


@cache
def _decoder() -> json.JSONDecoder:
    """Return the decoder that checks records."""
    return json.JSONDecoder(object_pairs_hook=_record)


@cache
def _plain_decoder() -> json.JSONDecoder:
    return json.JSONDecoder()


def check_record(record: dict[str, Any], fields: Sequence[Field], where: str) -> None:
    """Check the fields of a record.

    Args:
        record: The record.
        fields: All legal fields.
        where: File and line, for messages.

    Raises:
        InputError: If a field is unknown, missing or of the wrong type.
    """
    if _is_legal(record, fields):
        return
    names = [field.name for field in fields]
    for key in record:
        if key not in names:
            raise InputError(where, f"unknown field {key!r}: {nearest(key, names)}")
    for field in fields:
        if field.name not in record:
            if field.required:
                raise InputError(where, f"the field {field.name!r} is missing")
            continue
        value = record[field.name]
        if not isinstance(value, field.types) or isinstance(value, bool):
            raise InputError(where, f"{field.name} is {_short(value)}: expected {field.expected}")
        if field.types == (int,) and isinstance(value, int) and abs(value) > MAX_NUMBER:
            limit = f"the limit is {MAX_NUMBER}"
            message = f"{field.name} is {_short(value)}: {limit}; expected {field.expected}"
            raise InputError(where, message)


def _is_legal(record: dict[str, Any], fields: Sequence[Field]) -> bool:
    """Return whether a record is certainly legal; a False needs a closer check."""
    known = 0
    for name, types, _, required in fields:
        if name in record:
            value = record[name]
            if type(value) not in types or (type(value) is int and abs(value) > MAX_NUMBER):
                return False
            known += 1
        elif required:
            return False
    return known == len(record)


def _short(value: object) -> str:
    """Return the text of a value for a message; long and deeply nested values are shortened."""
    return _SHORT.repr(value)
