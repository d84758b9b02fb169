"""Read JSON Lines and CSV files record by record, and check the fields of a record.

A table of document names is such a file, too.
"""

from __future__ import annotations

import io
import re
import reprlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from io import BufferedReader
from pathlib import Path
from typing import Any, NamedTuple

from xcg.documents.files import PathLike, check_complete, expand, lines, open_input, read_input
from xcg.documents.paths import canonical_file
from xcg.errors import InputError, XcgError, nearest
from xcg.lazy_modules import csv, json
from xcg.runs.chunk_adapters import shortened
from xcg.runs.chunk_documents import FILE_NAME, PATH_KEYS, DocumentKey

_CONTROL_CHARACTERS = frozenset(map(chr, (*range(9), 11, 12, *range(14, 32), *range(127, 160))))

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


QUOTE = "text exact prefix suffix"
"""The fields of a quote: ``exact`` or ``text``, with optional ``prefix`` and ``suffix``."""
_TEXTS = frozenset(QUOTE.split())  # they may have form feeds

_FIELDS: dict[str, tuple[tuple[type, ...], str]] = {
    "id": ((str, int), "an id"),
    "topic": ((str, int), "an id"),
    "doc": ((str,), "a document's name"),
    "path": ((str,), "an element's path"),
    **dict.fromkeys(("start", "end", "exhaustivity", "specificity"), ((int,), "a whole number")),
    **dict.fromkeys(("text", "exact"), ((str,), "the words of the passage")),
    **dict.fromkeys(("prefix", "suffix"), ((str,), "the text around the passage")),
    "level": ((int, float), "a level of relevance, a number from -1000 to 1000"),
    "nugget": ((str, int), "the name of a nugget"),
    "lost": ((bool,), "true for a passage that xcg place --update did not find"),
    "near": ((int, float), "a number from 0 to 1"),
    "rank": ((int,), "a whole number from 0"),
    "score": ((int, float), "a number"),
    "parent": ((dict, type(None)), 'an object like {"start": 10, "end": 90}, or null'),
    "metadata": ((dict,), "an object"),
    **dict.fromkeys(PATH_KEYS, ((str,), "a path or URL")),
    **dict.fromkeys(("title", "description", "narrative", "castitle"), ((str,), "text")),
}


@cache
def legal_fields(required: str, optional: str = "") -> tuple[Field, ...]:
    """Return the legal fields of a record.

    Args:
        required: The names of the fields that every record has, separated by blanks.
        optional: The names of the others.

    >>> [(field.name, field.required) for field in legal_fields("topic", "doc near")]
    [('topic', True), ('doc', False), ('near', False)]
    """
    names = dict.fromkeys(optional.split(), False) | dict.fromkeys(required.split(), True)
    return tuple(Field(name, *_FIELDS[name], names[name]) for name in f"{required} {optional}".split())


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
        try:
            record = _decoder().decode(line)
        except (ValueError, RecursionError) as error:
            if line.lstrip().startswith("{"):
                raise InputError(where, f"not valid JSON: {error}") from None
            record = None
        if not isinstance(record, dict):
            raise InputError(where, "expected JSON Lines, one object {…} per line")
        topic = record.get("topic")
        if isinstance(topic, str):
            record["topic"] = topic = topic.strip()
            if not topic:
                raise InputError(where, "the topic is empty")
        yield where, record


def records_in(paths: PathLike | Iterable[PathLike], what: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the records of several JSON Lines or CSV files, see :func:`json_lines`.

    The first row of a CSV file names the fields, in any order; empty cells are left out.

    Args:
        paths: Files, folders and globs.
        what: Description of the expected files, for messages.
    """
    for path in expand(paths, what):
        with open_input(path) as file:
            if path.suffix != ".csv":
                yield from json_lines(file, path)
                continue
            for where, record in csv_records(file.read(), path):
                if "topic" in record:
                    record["topic"] = " ".join(record["topic"].split())
                for name in _NUMBERS & record.keys():
                    if re.fullmatch(r"-?[0-9]+(\.[0-9]+)?", cell := record[name], re.ASCII):
                        record[name] = float(cell) if "." in cell else int(cell)
                yield where, record


def csv_records(data: bytes, path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the records of a CSV file, each with its file and line; empty cells are left out.

    Raises:
        InputError: If it is not CSV in UTF-8, or two columns have one name.
    """
    names: list[str] = []
    for where, row in csv_rows(data, path):
        if not names:
            names = [_COLUMNS.get(name, name) for name in (one.strip().lower() for one in row)]
            for name in names:
                if names.count(name) > 1:
                    raise InputError(where, f"the column {name!r} occurs twice")
            continue
        cells = zip(names, map(str.strip, row), strict=True)
        yield where, {name: cell for name, cell in cells if cell}


_NUMBERS = {"near", "level", "exhaustivity"}
_COLUMNS = {"question": "topic", "quote": "exact", "document": "doc"}
_CONTROL_CHARACTER = re.compile("[\0-\x08\x0e-\x1f\x7f-\x9f]")


def csv_rows(data: bytes, path: Path) -> Iterator[tuple[str, list[str]]]:
    """Yield the rows of a CSV file that are not empty, with file and line; all have equally many cells.

    Raises:
        InputError: If it is not CSV in UTF-8, or a row has control characters or other columns.
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(f"{path}:{line}", "not UTF-8 text; expected CSV") from None
    heading = text.partition("\n")[0]
    delimiter = max(",;\t", key=heading.count)
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    first, columns = 1, 0
    try:
        for row in rows:
            where, first = f"{path}:{first}", rows.line_num + 1
            if not any(map(str.strip, row)):
                continue
            if any(map(_CONTROL_CHARACTER.search, row)):
                raise InputError(where, "a control character; expected text")
            columns = columns or len(row)
            if len(row) != columns:
                raise InputError(where, f"{len(row)} columns: expected {columns}")
            yield where, row
    except csv.Error as error:
        raise InputError(f"{path}:{first}", f"illegal CSV: {error}") from None


MAX_TABLE_BYTES = 64 << 20
"""Maximum size of a table of document names."""


def document_key(value: str, folder: Path | None = None) -> DocumentKey:
    """Return how to name documents.

    Args:
        value: ``"file name"``; a CSV file with the names in run files and in the corpus; else a field
            of the results or a key of their metadata.
        folder: The folder to which the path of a file is relative; the current one by default.

    Raises:
        InputError: If the file cannot be read or is illegal, with the line.
        XcgError: If the value is empty.

    >>> document_key("source"), document_key("file name")
    ('source', 'file name')
    """
    if not value.strip():
        raise XcgError(f"no name of the documents: expected {FILE_NAME!r}, a key or a file of names")
    if not value.endswith(".csv"):
        return value
    path = (folder or Path()) / value
    check_complete(path.parent)
    names: dict[str, str] = {}
    for where, row in csv_rows(read_input(path, MAX_TABLE_BYTES, "names of documents"), path):
        cells = list(map(str.strip, row))
        if len(cells) != 2 or not all(cells):
            expected = "expected the name in run files and the name in the corpus"
            raise InputError(where, f"{shortened(repr(cells))}: {expected}")
        name, document = cells
        if names.setdefault(name, document) != document:
            message = f"{shortened(repr(name))} has two names: {names[name]!r} and {document!r}"
            raise InputError(where, message)
    if not names:
        raise InputError(path, "no names of documents: expected at least one")
    return names


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


def check_record(record: dict[str, Any], fields: Sequence[Field], where: str) -> None:
    """Check the fields of a record.

    Args:
        record: The record.
        fields: All legal fields.
        where: File and line, for messages.

    Raises:
        InputError: If a field is unknown, missing or of the wrong type.
    """
    known, problem = 0, ""
    for name, types, expected, required in fields:
        if name not in record:
            if required and not problem:
                problem = f"the field {name!r} is missing"
            continue
        known += 1
        value = record[name]
        if type(value) not in types:  # a bool is no int
            problem = problem or f"{name} is {_SHORT.repr(value)}: expected {expected}"
        elif types == (int,) and abs(value) > MAX_NUMBER:
            limit = f"the limit is {MAX_NUMBER}"
            problem = problem or f"{name} is {_SHORT.repr(value)}: {limit}; expected {expected}"
    if known < len(record):
        names = [field.name for field in fields]
        key = next(key for key in record if key not in names)
        raise InputError(where, f"unknown field {key!r}: {nearest(key, names)}")
    if problem:
        raise InputError(where, problem)


def document_name(record: Mapping[str, Any], where: str) -> str:
    """Return the canonical name of a record's document.

    Raises:
        InputError: If it is illegal.
    """
    try:
        return canonical_file(record["doc"])
    except ValueError as error:
        raise InputError(where, str(error)) from None
