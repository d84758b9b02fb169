"""Read the option that defines how run files name documents."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from xcg.documents.files import check_complete, open_input
from xcg.errors import InputError, XcgError
from xcg.runs.chunk_adapters import shortened
from xcg.runs.chunk_documents import FILE_NAME, DocumentKey

MAX_FILE_BYTES = 64 << 20
"""Maximum size of a file that maps names."""

_ENDINGS = (".json", ".csv", ".tsv")


def document_key(value: str, folder: Path | None = None) -> DocumentKey:
    """Return how to name documents.

    Args:
        value: ``"file name"``; a file that maps names, with the ending ``.json``, ``.csv`` or ``.tsv``;
            else a field of the results or a key of their metadata.
        folder: The folder to which the path of a file is relative; the current one by default.

    Raises:
        InputError: If the file cannot be read or is illegal, with the line.
        XcgError: If the value is empty.

    >>> document_key("source"), document_key("file name")
    ('source', 'file name')
    """
    if not value.strip():
        raise XcgError(f"no name of the documents: expected {FILE_NAME!r}, a key or a file of names")
    if value.endswith(_ENDINGS):
        return read_document_names(Path(value) if folder is None else folder / value)
    return value


def read_document_names(path: Path) -> dict[str, str]:
    """Read a file that maps the names of documents in run files to those in the corpus.

    A JSON file holds one object, ``{"https://example.org/bees": "bees"}``. The rows of CSV (``.csv``)
    and tab-separated files (``.tsv``) have the two names. A header row is optional.

    Args:
        path: The file; its ending states the format.

    Returns:
        Name in run files → name in the corpus.

    Raises:
        InputError: If the file cannot be read or a row is illegal, with file and line.
    """
    check_complete(path.parent)
    with open_input(path) as file:
        content = file.read(MAX_FILE_BYTES + 1)
        if len(content) > MAX_FILE_BYTES:
            raise InputError(path, "larger than 64 MB; expected names of documents")
        text = content.decode("utf-8-sig")
    names: dict[str, str] = {}
    for where, cells in (_json_rows if path.suffix == ".json" else _rows)(path, text):
        if len(cells) != 2 or not all(isinstance(cell, str) and cell.strip() for cell in cells):
            raise InputError(
                where,
                f"{shortened(repr(cells))}: expected the name in run files and the name in the corpus",
            )
        name, document = cells
        if names.setdefault(name, document) != document:
            raise InputError(
                where, f"{shortened(repr(name))} has two names: {names[name]!r} and {document!r}"
            )
    if not names:
        raise InputError(path, "no names of documents: expected at least one")
    return names


def _rows(path: Path, text: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the rows of a table, each with its file and line."""
    delimiter = "\t" if path.suffix == ".tsv" else ","
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            where = f"{path}:{number}"
            try:
                (cells,) = csv.reader([line.rstrip("\r")], delimiter=delimiter, strict=True)
            except csv.Error as error:
                raise InputError(where, f"not a row of two names: {error}") from None
            yield where, [cell.strip() for cell in cells]


def _json_rows(path: Path, text: str) -> Iterator[tuple[str, Any]]:
    try:
        pairs = json.loads(text, object_pairs_hook=list)
    except (ValueError, RecursionError) as error:
        raise InputError(path, f"not valid JSON: {error}") from None
    if not text.lstrip().startswith("{"):
        raise InputError(path, 'expected an object like {"https://example.org/bees": "bees"}')
    yield from ((str(path), pair) for pair in pairs)
