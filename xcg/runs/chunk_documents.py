"""Find the names of the documents of chunks."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from xcg.documents.corpus import Corpus
from xcg.documents.paths import canonical_file
from xcg.documents.sources import document_name
from xcg.errors import nearest
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
