"""Find the documents of the chunks in JSON Lines runs, and the positions of their text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from xcg.documents.corpus import Corpus
from xcg.documents.paths import canonical_file
from xcg.errors import InputError, Notes, UnmappedError
from xcg.formats.json_records import Field
from xcg.runs.chunk_adapters import ChunkFields, as_metadata, shortened
from xcg.runs.chunk_documents import (
    FILE_NAME,
    PATH_KEYS,
    ChunkSource,
    DocumentKey,
    document_of,
    file_name,
    missing_document,
    name_in_corpus,
)
from xcg.runs.chunk_matching import DocumentText, checked_span, matched_span, only_occurrence

CHUNK_FIELDS = (
    Field("text", (str,), "the text of the chunk", required=False),
    Field("metadata", (dict,), "an object", required=False),
    *(Field(name, (str,), "a path or URL", required=False) for name in PATH_KEYS),
)
"""The fields that only chunks have."""

Result = tuple[
    tuple[str, str, tuple[int, int] | None], tuple[int, int] | None, int | None, float | None
]
"""Document, path and span of a result; its parent, rank and score."""


def document_fields(fields: tuple[Field, ...], document: DocumentKey) -> tuple[Field, ...]:
    """Return the legal fields of a result if its document is named by an option."""
    if document is None:
        return fields
    names = {field.name for field in fields}
    own = [document] if isinstance(document, str) and document not in (*names, FILE_NAME) else []
    return (
        *(field._replace(required=False) if field.name == "doc" else field for field in fields),
        *(Field(name, (str, int), "a document's name", required=False) for name in own),
    )


def hint_without_document(record: Mapping[str, Any]) -> str:
    """Return a hint on the option that names the document of a record without ``doc``, or ""."""
    values = {**as_metadata(record.get("metadata")), **record}
    key = next((name for name in PATH_KEYS if name in values), None)
    if key is None:
        return ""
    value = str(values[key])
    option = repr(FILE_NAME) if file_name(value) != value else key
    return f", but its {key!r} is {shortened(repr(value))}: expected --document {option} (document=)"


def named_document(record: Mapping[str, Any], document: DocumentKey) -> str:
    """Return the name of a record's document in the corpus.

    Raises:
        ValueError: If it has no legal name.
    """
    metadata = {**as_metadata(record.get("metadata")), **record}
    fields = ChunkFields(
        document=record.get("doc"), metadata=metadata, no_document="the result has no 'doc'"
    )
    return name_in_corpus(document_of(record, fields, document))


def canonical_document(name: str) -> str:
    """Return the canonical name of a document.

    Raises:
        ValueError: If it is illegal, such as an absolute path. The message names the option that helps.
    """
    try:
        return canonical_file(name)
    except ValueError as error:
        hint = f"; --document {FILE_NAME!r} (document=) takes the last part of a path"
        raise ValueError(f"{error}{hint if file_name(name) else ''}") from None


def check_parent(parent: tuple[int, int] | None, span: tuple[int, int], where: str) -> None:
    """Raise InputError if the parent of a passage does not contain it."""
    if parent is not None and not (parent[0] <= span[0] and span[1] <= parent[1]):
        raise InputError(
            where,
            f"the parent, {parent[0]} to {parent[1]}, does not contain the passage, {span[0]} to "
            f"{span[1]}",
        )


class _Chunk(NamedTuple):
    """A chunk that states its text: a list of results, its index in the list, its file and line."""

    results: list[Result]
    position: int
    where: str


_Stated = tuple[int | None, int | None, str]
"""Start, end and text, as the file states them."""


class StatedChunks:
    """The chunks of a file that state their text.

    They are searched after the whole file is read, so that each document is prepared for the search
    once. Equal texts are stored and searched once.

    Args:
        source: The documents.
        notes: Counts chunks that are not found if they are lenient.
    """

    def __init__(self, source: ChunkSource, notes: Notes) -> None:
        self._corpus = source.corpus
        self._notes = notes
        self._chunks: dict[str, dict[_Stated, list[_Chunk]]] = {}

    @property
    def are_found(self) -> bool:
        """Whether no chunk is still to be searched."""
        return not self._chunks

    def add(
        self, record: Mapping[str, Any], document: str, results: list[Result], where: str
    ) -> tuple[str, str, tuple[int, int] | None]:
        """Return document, path and span of the next result; the span is None until it is found.

        Raises:
            InputError: If the chunk has no offsets, and there are no documents.
            ValueError: If it is illegal.
        """
        text, start, end = record["text"], record.get("start"), record.get("end")
        if "path" in record or (start is None and end is not None):
            raise ValueError("expected the field 'text' with 'start' and 'end', with 'start', or alone")
        if start is None and not text.strip():
            raise ValueError("the chunk is empty: it has no text")
        span = None if start is None else checked_span(start, start + len(text) if end is None else end)
        name = canonical_document(document)
        if self._corpus is None:
            if span is None:
                raise InputError(
                    where, "the chunk is given by its text: expected a corpus, or start and end"
                )
            return name, "", span
        of_document = self._chunks.setdefault(name, {})
        of_document.setdefault((start, end, text), []).append(_Chunk(results, len(results), where))
        return name, "", None

    def find(self) -> None:
        """Add the spans to the results.

        Raises:
            UnmappedError: If a chunk is not in its document.
        """
        if self._corpus is None:  # no chunk is searched
            return
        for name in self._corpus.prepared(list(self._chunks)):
            self._find_in(self._corpus, name, self._chunks.pop(name))

    def _find_in(self, corpus: Corpus, name: str, chunks: Mapping[_Stated, list[_Chunk]]) -> None:
        document = None
        problem: InputError | None = None
        if name not in corpus:
            problem = UnmappedError("", missing_document(name, corpus))
        else:
            try:
                document = DocumentText(corpus.tree(name).text)
            except InputError as unreadable:
                problem = unreadable
        for (start, end, text), uses in chunks.items():
            span, reason = None, problem
            if document is not None:
                try:
                    span = (
                        only_occurrence(document, text, name)
                        if start is None
                        else matched_span(document, start, end, text, name)
                    )
                except UnmappedError as not_found:
                    reason = not_found
            for results, position, where in uses:
                if span is not None:
                    _, parent, rank, score = results[position]
                    check_parent(parent, span, where)
                    results[position] = (name, "", span), parent, rank, score
                elif reason is not None:
                    kind = "chunks without a place in a document"
                    self._notes.tolerate(kind, type(reason)(where, str(reason)))
