"""Name the document of a chunk."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from xcg.documents.paths import canonical_file
from xcg.documents.sources import document_name
from xcg.errors import XcgError
from xcg.runs.chunk_adapters import ChunkFields, shortened

DocumentKey = str | Mapping[Any, object] | Callable[[Any], object] | None
"""How to name a chunk's document: a key of the chunk's metadata, ``"file name"``, a mapping from the
library's names, a function of the chunk, or None for the library's own name."""

FILE_NAME = "file name"
"""Names a document by the last part of the path of its file."""

_PATH_KEYS = ("file_path", "file_name", "source")


def check_document_key(document: object) -> None:
    """Raise XcgError for a value that does not state how to name documents."""
    if not (document is None or isinstance(document, (str, Mapping)) or callable(document)):
        raise XcgError(
            f"document is {shortened(repr(document))}: expected a key of the chunks' metadata, "
            f"{FILE_NAME!r}, a mapping or a function"
        )


def document_of(chunk: object, fields: ChunkFields, key: DocumentKey) -> str:
    """Return the name of a chunk's document.

    Args:
        chunk: The chunk without its score.
        fields: What it states.
        key: How to name its document.

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
    elif key == FILE_NAME:
        paths = [fields.metadata.get(known) for known in _PATH_KEYS]
        names = [fields.document, *paths] if isinstance(chunk, Mapping) else [*paths, fields.document]
        name = next((found for found in names if found), None)
        if name is not None:
            name = file_name(str(name))
    elif key is not None:
        name = fields.metadata.get(key)
        problem = f"the chunk's metadata has no {key!r}, the key for document="
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


def file_name(path: str) -> str:
    r"""Return the last part of a path.

    >>> file_name("/data/bees.md"), file_name("C:\\data\\bees.md")
    ('bees.md', 'bees.md')
    """
    return path.replace("\\", "/").rstrip("/").rpartition("/")[2]


def name_in_corpus(name: str) -> str:
    """Return a document's name without the ending of its file."""
    return document_name(name) or canonical_file(name)
