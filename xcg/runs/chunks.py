"""Turn the chunks that a retrieval system returns into runs of passages.

A chunk is a dict, a tuple, or an object of a library for which an adapter is registered (see
:mod:`xcg.runs.chunk_adapters`).
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, Literal, NamedTuple

from xcg.documents.paths import canonical_file
from xcg.documents.sources import document_name
from xcg.errors import InputError, Notes, UnmappedError, XcgError
from xcg.runs.chunk_adapters import (
    ADAPTERS,
    ChunkAdapter,
    ChunkFields,
    as_offset,
    as_score,
    as_text,
    shortened,
)
from xcg.runs.chunk_matching import checked_span, matched_span, only_occurrence
from xcg.runs.run import Ranking, Run, sorted_order

DocumentKey = str | Callable[[Any], object] | None
"""How to name a chunk's document: a key of the chunk's metadata, a function of the chunk, or None for
the library's own name."""

Texts = Mapping[str, str] | None
"""The documents' texts by name."""

Parents = Mapping[str, object] | Iterable[object]
"""The chunks of a hierarchical splitter, by id or as the splitter returned them."""

Order = Literal["score", "distance", "given"]
"""How to order chunks: by decreasing score, by increasing distance, or as given."""

ORDERS: tuple[Order, ...] = ("score", "distance", "given")

_MAX_DEPTH = 50


class ChunkSpan(NamedTuple):
    """The span of a chunk: characters start to end - 1 of a document's text."""

    document: str
    start: int
    end: int
    score: float | None = None


_Chunk = tuple[ChunkSpan, tuple[int, int] | None]
"""The span of a chunk, and that of its parent."""


class _PlainAdapter(ChunkAdapter):
    """Reads dicts and (doc, start, end) tuples."""

    def recognises(self, chunk: Any) -> bool:
        return isinstance(chunk, Mapping) or (isinstance(chunk, tuple) and len(chunk) == 3)

    def unwrap(self, chunk: Any) -> tuple[object, object]:
        return chunk, chunk.get("score") if isinstance(chunk, Mapping) else None

    def fields(self, chunk: Any) -> ChunkFields:
        if isinstance(chunk, tuple):
            chunk = dict(zip(("doc", "start", "end"), chunk, strict=True))
        missing = [repr(key) for key in ("start", "end") if chunk.get(key) is None]
        return ChunkFields(
            document=chunk.get("doc"),
            start=as_offset(chunk.get("start"), "start"),
            end=as_offset(chunk.get("end"), "end"),
            text=as_text(chunk.get("text")),
            metadata=chunk,
            parent_span=_stated_parent(chunk),
            no_document="the chunk has no 'doc'",
            no_offsets=f"the chunk has no {' and no '.join(missing)}",
        )


def _stated_parent(chunk: Mapping[str, Any]) -> tuple[int, int] | None:
    """Return the span of the parent that a dict states."""
    parent = chunk.get("parent")
    if parent is None:
        return None
    if not isinstance(parent, Mapping) or None in (parent.get("start"), parent.get("end")):
        raise ValueError(
            f"the parent is {shortened(repr(parent))}: expected a dict with start and end, or None"
        )
    start, end = (as_offset(parent[name], f"{name} of the parent") for name in ("start", "end"))
    if start is None or end is None or not 0 <= start <= end:
        raise ValueError(f"the parent is from {start} to {end}: expected 0 <= start <= end")
    return start, end


_PLAIN = _PlainAdapter()


def span_of(
    chunk: object,
    document: DocumentKey = None,
    texts: Texts = None,
    parents: Parents = (),
    where: str = "",
) -> ChunkSpan:
    """Return the span of a chunk in its document.

    Args:
        chunk: A LlamaIndex ``NodeWithScore`` or node, a Haystack or LangChain ``Document``, a dict with
            ``doc``, ``start``, ``end`` and optionally ``score``, ``text`` and ``parent`` (the ``start``
            and ``end`` of a larger passage, such as a section), a (doc, start, end) tuple, or a
            (chunk, score) pair.
        document: A key of the chunk's metadata that names its document, or a function of the chunk (the
            node without its score). By default the id of the source node or ``file_name`` (LlamaIndex),
            ``source_id`` or ``parent_id`` (Haystack), ``source`` (LangChain), ``doc``. File endings
            (``.md``, ``.txt``, …) are removed from names as in a corpus.
        texts: The documents' texts by name. With them, the text of a chunk must equal that of its span,
            except for white space at its ends, and a chunk without offsets is searched in its document,
            where it must occur exactly once.
        parents: All chunks of a hierarchical splitter. LlamaIndex and Haystack count the offsets of a
            child from the start of its parent.
        where: Prefix of error messages.

    Raises:
        XcgError: If the document or the span of the chunk is unknown, the span is empty, or the chunk's
            text differs from the document's.

    >>> span_of({"doc": "bees", "start": 10, "end": 25, "score": 0.5})
    ChunkSpan(document='bees', start=10, end=25, score=0.5)
    >>> span_of((("bees", 10, 25), 0.5))
    ChunkSpan(document='bees', start=10, end=25, score=0.5)
    """
    return _ChunkReader(document, texts, parents).read(chunk, where)[0]


def is_chunk(result: object) -> bool:
    """Return whether a result is a chunk and not an element or a document.

    >>> is_chunk(("bees", 0, 9)), is_chunk(({"doc": "bees"}, 0.5)), is_chunk(("bees", "/a/b"))
    (True, True, False)
    """
    if isinstance(result, tuple) and len(result) == 2 and not isinstance(result[1], str):
        return is_chunk(result[0])
    return _adapter(result) is not None


def run_of_chunks(
    name: str,
    results: Mapping[Any, Iterable[object]],
    document: DocumentKey = None,
    texts: Texts = None,
    parents: Parents = (),
    order: Order = "score",
    notes: Notes | None = None,
) -> Run:
    """Return a run whose results are the spans of chunks.

    Args:
        name: Id of the run.
        results: Topic → chunks, as in :func:`span_of`.
        document: As in :func:`span_of`.
        texts: As in :func:`span_of`.
        parents: As in :func:`span_of`. The run then states the parents of its passages, as it does if
            a dict has the key ``parent``; ``promote_parent`` needs them.
        order: ``score`` orders by decreasing score if every chunk of the topic has one (ties as given),
            otherwise as given. ``distance`` orders by increasing score: LangChain's
            ``similarity_search_with_score`` returns distances on FAISS or Chroma. ``given`` keeps the
            order.
        notes: If they are lenient, a chunk that does not match its document's text is counted. It keeps
            its rank and gains nothing.

    Raises:
        XcgError: As in :func:`span_of`, with topic and rank; or if the order is unknown.

    >>> run = run_of_chunks("r", {"7": [("bees", 0, 9), {"doc": "ants", "start": 4, "end": 8}]})
    >>> list(run.rankings["7"]), run.rankings["7"].spans
    ([('bees', ''), ('ants', '')], {0: (0, 9), 1: (4, 8)})
    """
    if order not in ORDERS:
        raise XcgError(f"unknown order {order!r}: expected one of {', '.join(ORDERS)}")
    reader = _ChunkReader(document, texts, parents, notes)
    found = {}
    for topic, chunks in results.items():
        where = f"run {name}, topic {topic}, rank"
        found[str(topic)] = [
            reader.read(chunk, f"{where} {rank}") for rank, chunk in enumerate(chunks, 1)
        ]
    rankings = {
        topic: _ranking(chunks, order, reader.states_parents) for topic, chunks in found.items()
    }
    return Run(name, rankings)


def ranking_of_chunks(
    chunks: Iterable[object],
    document: DocumentKey = None,
    texts: Texts = None,
    parents: Parents = (),
    where: str = "",
) -> Ranking:
    """Return chunks as a ranking in their order, without scores.

    Args:
        chunks: The chunks of one topic, as in :func:`span_of`.
        document: As in :func:`span_of`.
        texts: As in :func:`span_of`.
        parents: As in :func:`span_of`.
        where: Prefix of error messages.

    Raises:
        XcgError: As in :func:`span_of`, with the rank.

    >>> ranking_of_chunks([("bees", 0, 9), ("bees", 4, 12)]).spans
    {0: (0, 9), 1: (4, 12)}
    """
    reader = _ChunkReader(document, texts, parents)
    found = [reader.read(chunk, f"{where}rank {rank}") for rank, chunk in enumerate(chunks, 1)]
    return _ranking(found, "given", reader.states_parents)


def _ranking(chunks: list[_Chunk], order: Order, states_parents: bool) -> Ranking:
    scores = [span.score for span, _ in chunks if span.score is not None]
    keys = None
    if chunks and order != "given" and len(scores) == len(chunks):
        ranked = sorted_order(scores, descending=order == "score")
        chunks = [chunks[index] for index in ranked]
        keys = array("d", (scores[index] for index in ranked))
    ranking = Ranking.of(
        ((s.document, "", (s.start, s.end) if s.start < s.end else None) for s, _ in chunks),
        keys,
        has_scores=keys is not None and order == "score",
    )
    if states_parents:
        ranking.parents = {
            position: parent for position, (_, parent) in enumerate(chunks) if parent is not None
        }
    return ranking


class _ChunkReader:
    """Finds the spans of chunks.

    Attributes:
        states_parents: Whether there are parents, or a chunk that was read states its own or None.
    """

    def __init__(
        self, document: DocumentKey, texts: Texts, parents: Parents, notes: Notes | None = None
    ) -> None:
        self._document = document
        self._notes = notes or Notes()
        self._texts = texts
        self._parents = parents if isinstance(parents, Mapping) else _by_id(parents)
        self.states_parents = bool(self._parents)

    def read(self, chunk: object, where: str) -> _Chunk:
        """Return the span of a chunk; an empty one if it is not found and errors are lenient."""
        try:
            chunk, score = _unwrap(chunk)
            fields = self._fields(chunk)
            if isinstance(chunk, Mapping) and "parent" in chunk:
                self.states_parents = True
            name = self._document_name(chunk, fields)
            span = 0, 0
            try:
                span = self._offsets(fields, name)
            except UnmappedError as error:
                unmapped = UnmappedError(where, str(error))
                self._notes.tolerate("chunks without a place in a document", unmapped)
            return ChunkSpan(_name_in_corpus(name), *span, score), _parent_of(chunk, span, fields)
        except UnmappedError:
            raise
        except ValueError as error:
            raise InputError(where, str(error)) from None

    def _document_name(self, chunk: object, fields: ChunkFields) -> str:
        if callable(self._document):
            name, problem = self._document(chunk), "the function for document= returned no name"
        elif self._document is not None:
            name = fields.metadata.get(self._document)
            problem = f"the chunk's metadata has no {self._document!r}, the key for document="
        else:
            name, problem = fields.document, f"{fields.no_document}; or name it with document="
        if name is None or name == "":
            raise ValueError(problem)
        if isinstance(name, bool) or not isinstance(name, (str, int)):
            raise ValueError(f"the document is {name!r}: expected its name")
        try:
            canonical_file(str(name))
        except ValueError as error:
            raise ValueError(f"{error}; use document= to name it") from None
        return str(name)

    def _offsets(self, fields: ChunkFields, name: str) -> tuple[int, int]:
        start, end = fields.start, fields.end
        if start is not None and end is None and fields.text is not None:
            end = start + len(fields.text)
        span = checked_span(start, end) if start is not None and end is not None else None
        if self._texts is None:
            if span is None:
                hint = "; or pass texts= to search for the chunk's text" if fields.text else ""
                raise ValueError(fields.no_offsets + hint)
            return span
        body = self._texts.get(name, self._texts.get(_name_in_corpus(name)))
        if body is None:
            raise UnmappedError("", f"there is no text of the document {name!r}")
        if span is not None:
            return matched_span(body, *span, fields.text, name)
        if fields.text is None:
            raise ValueError(fields.no_offsets)
        return only_occurrence(body, fields.text, name)

    def _fields(self, chunk: object, depth: int = 0) -> ChunkFields:
        """Return the fields of a chunk with offsets that count from the document's start."""
        if depth > _MAX_DEPTH:
            raise ValueError(f"a chunk has more than {_MAX_DEPTH} levels of parents")
        adapter = _adapter(chunk)
        if adapter is None:
            raise ValueError(
                f"illegal chunk {shortened(repr(chunk))}: expected a dict with doc, start and end, a "
                f"(doc, start, end) tuple, or an object of {', '.join(ADAPTERS)}, with or without score"
            )
        fields = adapter.fields(chunk)
        if fields.parent is None or fields.start is None:
            return fields
        if fields.parent in self._parents:
            parent, _ = _unwrap(self._parents[fields.parent])
            return _from_document_start(fields, self._fields(parent, depth + 1))
        return _without_offsets(fields, fields.no_parent) if fields.no_parent else fields


def _parent_of(chunk: object, span: tuple[int, int], fields: ChunkFields) -> tuple[int, int] | None:
    """Return the span of a chunk's parent; None if it has none.

    Raises:
        ValueError: If a dict states a parent that does not contain it.
    """
    parent = fields.parent_span
    if parent is None or span[0] == span[1]:  # the span of a chunk that was not found is empty
        return None
    if parent[0] <= span[0] and span[1] <= parent[1]:
        return parent
    if isinstance(chunk, Mapping):
        raise ValueError(
            f"the parent, {parent[0]} to {parent[1]}, does not contain the chunk, "
            f"{span[0]} to {span[1]}"
        )
    return None


def _adapter(chunk: object) -> ChunkAdapter | None:
    if _PLAIN.recognises(chunk):
        return _PLAIN
    if isinstance(chunk, (str, tuple, list)):
        return None
    return next((adapter for adapter in ADAPTERS.values() if adapter.recognises(chunk)), None)


def _unwrap(chunk: object) -> tuple[object, float | None]:
    """Return a chunk without its score, and the score."""
    if isinstance(chunk, tuple) and len(chunk) == 2:
        inner, score = chunk
        return _unwrap(inner)[0], as_score(score)
    adapter = _adapter(chunk)
    if adapter is None:
        return chunk, None
    inner, score = adapter.unwrap(chunk)
    return inner, as_score(score)


def _by_id(parents: Iterable[object]) -> Mapping[str, object]:
    found = {}
    for parent in parents:
        chunk, _ = _unwrap(parent)
        adapter = _adapter(chunk)
        if adapter is not None and (key := adapter.id(chunk)) is not None:
            found[key] = chunk
    return found


def _name_in_corpus(name: str) -> str:
    """Return a document's name without the ending of its file."""
    return document_name(name) or canonical_file(name)


def _from_document_start(child: ChunkFields, parent: ChunkFields) -> ChunkFields:
    """Return a child's fields with offsets that count from the document's start.

    The offsets of a child count from its parent's start, unless the parent's text shows otherwise.
    """
    assert child.start is not None
    if parent.start is None:
        return _without_offsets(
            child, f"the offset of the chunk's parent is unknown: {parent.no_offsets}"
        )
    end = child.end if child.end is not None else child.start + len(child.text or "")
    start_in_document, end_in_document = parent.start + child.start, parent.start + end
    if child.text and parent.text:
        wanted = child.text.strip()
        if parent.text[child.start : end].strip() != wanted:
            start_in_parent = child.start - parent.start
            found = parent.text[start_in_parent : end - parent.start].strip()
            if start_in_parent < 0 or found != wanted:
                return _without_offsets(
                    child, "the chunk's parent does not contain its text at its offsets"
                )
            start_in_document, end_in_document = child.start, end
    parent_end = parent.end if parent.end is not None else parent.start + len(parent.text or "")
    return replace(
        child,
        document=parent.document,
        start=start_in_document,
        end=end_in_document,
        parent=None,
        parent_span=(parent.start, parent_end),
    )


def _without_offsets(fields: ChunkFields, reason: str) -> ChunkFields:
    return replace(fields, start=None, end=None, no_offsets=reason)
