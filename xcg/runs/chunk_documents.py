"""Find the names of the documents of chunks, and read the option that defines them."""

from __future__ import annotations

import json
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from xcg.documents.corpus import Corpus
from xcg.documents.files import check_complete, open_input
from xcg.documents.paths import canonical_file
from xcg.documents.sources import document_name
from xcg.errors import InputError, XcgError, nearest
from xcg.lazy_modules import csv
from xcg.runs.chunk_adapters import ChunkFields, shortened

DocumentKey = str | Mapping[Any, object] | Callable[[Any], object] | None
"""How to name a chunk's document: a key of the chunk's metadata, ``"file name"``, a mapping from the
library's names, a function of the chunk, or None for the library's own name."""

GoldText = Mapping[str, Sequence[tuple[int, int, float]]]
"""Document → start, end and grade of its gold spans."""

FILE_NAME = "file name"
"""Names a document by the longest end of the path of its file that names one, or its last part."""

PATH_KEYS = ("file_path", "file_name", "source")
"""Keys of a chunk's metadata that hold the path of its document in several libraries."""


class ChunkSource(NamedTuple):
    """How to find the chunks of a run file in their documents.

    Attributes:
        document: How to name the document of a chunk.
        corpus: The documents, in which the text of chunks is searched.
        gold: Topic → its gold text, to choose between several occurrences.
    """

    document: DocumentKey = None
    corpus: Corpus | None = None
    gold: Mapping[str, GoldText] = MappingProxyType({})


NO_SOURCE = ChunkSource()
"""The default: the document that each chunk states, and no corpus."""


def check_document_key(document: object) -> None:
    """Raise XcgError if a value cannot be used to name documents."""
    if not (document is None or isinstance(document, (str, Mapping)) or callable(document)):
        raise XcgError(
            f"document is {shortened(repr(document))}: expected a key of the chunks' metadata, "
            f"{FILE_NAME!r}, a mapping or a function"
        )


def document_of(
    chunk: object, fields: ChunkFields, key: DocumentKey, documents: Container[str] = ()
) -> str:
    """Return the name of a chunk's document.

    Args:
        chunk: The chunk without its score.
        fields: What it states.
        key: How to name its document.
        documents: The names of the documents, if they are known.

    Raises:
        ValueError: If it has no legal name.
    """
    problem = f"{fields.no_document}; or name it with document="
    name: object
    if callable(key):
        try:
            name = key(chunk)
        except Exception as error:
            raise ValueError(
                f"the function for document= failed: {type(error).__name__}: {error}"
            ) from None
        problem = "the function for document= returned no name"
    elif isinstance(key, Mapping):
        name = fields.document
        if isinstance(name, (str, int)) and (name := key.get(name)) is None:
            name_given = shortened(repr(fields.document))
            problem = f"the mapping for document= does not contain the document {name_given}"
            problem += _nearest_key(str(fields.document), key)
    elif key == FILE_NAME:
        paths = [fields.metadata.get(known) for known in PATH_KEYS]
        names = [fields.document, *paths] if isinstance(chunk, Mapping) else [*paths, fields.document]
        ends = [file_name(str(found), documents) for found in names if found]
        name = next((end for end in ends if _is_named(end, documents)), ends[0] if ends else None)
    elif key is not None:
        name = fields.metadata.get(key)
        problem = f"the chunk's metadata has no {key!r}, the key for document="
        if name is None:
            problem += _nearest_key(key, [FILE_NAME, *fields.metadata])
    else:
        name = fields.document
    if name is None or name == "":
        raise ValueError(problem)
    if isinstance(name, bool) or not isinstance(name, (str, int)):
        raise ValueError(f"the document is {shortened(repr(name))}: expected its name")
    try:
        canonical_file(str(name))
    except ValueError as error:
        hint = f", or document={FILE_NAME!r}" if key is None and file_name(str(name)) else ""
        raise ValueError(f"{error}; use document= to name it{hint}") from None
    return str(name)


def _nearest_key(name: str, keys: Iterable[object]) -> str:
    """Return the nearest of some keys, for a message; empty if no key is a text."""
    legal = [key for key in keys if isinstance(key, str)]
    return f": {nearest(name, legal)}" if legal else ""


def file_name(path: str, documents: Container[str] = ()) -> str:
    r"""Return the longest end of a path or URL that names one of the documents, or its last part.

    >>> file_name("/data/bees.md"), file_name("C:\\data\\bees.md")
    ('bees.md', 'bees.md')
    >>> file_name("https://example.org/docs/bees.md?version=2#dance", {"docs/bees"})
    'docs/bees.md'
    """
    if "://" in path:
        path = path.partition("#")[0].partition("?")[0]
    parts = [part for part in path.replace("\\", "/").split("/") if part]
    ends = ("/".join(parts[first:]) for first in range(len(parts)))
    return next((end for end in ends if _is_named(end, documents)), parts[-1] if parts else "")


def _is_named(name: str, documents: Container[str]) -> bool:
    return name in documents or (document_name(name) or name) in documents


def name_in_corpus(name: str) -> str:
    """Return a document's name without the file extension."""
    return document_name(name) or canonical_file(name)


def missing_document(
    file: str, corpus: Corpus, *, is_result: bool = True, is_lenient: bool = True, tried: str = ""
) -> str:
    """Return the message for a document that a corpus lacks.

    Args:
        file: The document.
        corpus: The corpus.
        is_result: Whether it is the document of a result, so that the option ``document`` can help.
        is_lenient: Whether missing documents are tolerated, so the message need not name the option.
        tried: What a setting achieves that was tried; empty if none helps.
    """
    message = f"the corpus has no document {file!r}; "
    if tried:
        return message + tried
    name = document_name(file)
    if name is not None and name in corpus:
        hint = f"; in JSON Lines, --set document={FILE_NAME!r} removes it"
        return (
            f"{message}did you mean {name!r}? Documents are named without the file extension"
            f"{hint if is_result else ''}"
        )
    end = file_name(file, corpus)
    end = document_name(end) or end
    if end in corpus:
        hint = f" --set document={FILE_NAME!r} takes the end of a path that names a document"
        return f"{message}did you mean {end!r}?{hint if is_result else ''}"
    similar = corpus.similar_name(file, "results" if is_result else "assessments")
    if similar is not None:
        return f"{message}did you mean {similar!r}?"
    hint = "" if is_lenient else ", or --set lenient=true to only warn of missing documents"
    unread = "".join(f"; {oddity}" for oddity in corpus.source.oddities())
    return f"{message}expected {corpus.label / file}.xml{hint}{unread}"


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
