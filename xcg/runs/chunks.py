"""Turn the chunks that a retrieval system returns into runs of passages.

A chunk is a dict, a tuple, or an object of a library for which an adapter is registered (see
:mod:`xcg.runs.chunk_adapters`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any, NamedTuple

from xcg.documents.corpus import Corpus
from xcg.errors import InputError, Notes, UnmappedError, XcgError
from xcg.runs.chunk_adapters import (
    ADAPTERS,
    ChunkAdapter,
    ChunkFields,
    PlainAdapter,
    as_rank,
    as_score,
    check_parent,
    shortened,
)
from xcg.runs.chunk_documents import (
    FILE_NAME,
    DocumentKey,
    GoldText,
    document_of,
    file_name,
    name_in_corpus,
)
from xcg.runs.chunk_matching import (
    DocumentText,
    Placement,
    no_place,
    note_placement,
    note_unplaced,
    place,
)
from xcg.runs.ordering import Results, are_distances
from xcg.runs.run import Run

Texts = Mapping[str, str] | Corpus | None
"""The documents' texts by name, or the documents."""

Parents = Mapping[str, object] | Iterable[object]
"""The chunks of a hierarchical splitter, by id or as the splitter returned them."""

NO_GOLD: Mapping[str, Any] = MappingProxyType({})
_MAX_DEPTH = 50
_KEPT_DOCUMENTS = 64


class ChunkSpan(NamedTuple):
    """The span of a chunk: characters start to end - 1 of a document's text."""

    document: str
    start: int
    end: int
    score: float | None = None


class _Chunk(NamedTuple):
    """A chunk: its span, the rest of its text, its parent's span, its rank, if it is in a pair."""

    span: ChunkSpan
    other_text: str
    parent: tuple[int, int] | None
    rank: int | None
    is_pair: bool


_PLAIN = PlainAdapter()


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
        document: A key of the chunk's metadata that names its document; ``"file name"`` for the last
            part of the path in its metadata or name; a mapping from the library's names; or a function
            of the chunk (the node without its score). By default the id of the source node or
            ``file_name`` (LlamaIndex), ``source_id`` or ``parent_id`` (Haystack), ``source``
            (LangChain), ``doc``. File endings (``.md``, ``.txt``, …) are removed as in a corpus.
        texts: The documents' texts by name. With them, the text of a chunk is searched in its document,
            and its offsets only say where it is: the span of a chunk whose text has headers or context
            that the document does not have is the longest part that the document has. White space,
            control characters and typography may differ.
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
    return _ChunkReader(document, texts, parents).read(chunk, where).span


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
    notes: Notes | None = None,
    gold: Mapping[str, GoldText] = NO_GOLD,
) -> Run:
    """Return a run whose results are the spans of chunks.

    The ``rank`` of dicts orders the chunks of a topic, from the lowest. Without ranks, decreasing
    scores do; but if all chunks are (chunk, number) pairs and their numbers increase with the rank in
    every topic, these are distances, and a note says so. Otherwise chunks keep their order.

    Args:
        name: Id of the run.
        results: Topic → chunks, as in :func:`span_of`.
        document: As in :func:`span_of`.
        texts: As in :func:`span_of`.
        parents: As in :func:`span_of`. The run then states the parents of its passages, as it does if
            a dict has the key ``parent``; ``promote_parent`` needs them.
        notes: Counts the chunks that have no place in their document. They keep their rank, gain
            nothing and cost their text. Lenient notes also count those of documents without a text.
        gold: Topic → gold text, to choose between several occurrences of a chunk's text.

    Raises:
        XcgError: As in :func:`span_of`, with topic and rank; if only some chunks of a topic have a
            rank, the results are not a mapping of topics to chunks, or more than half of the chunks
            have no place in their document.

    >>> run = run_of_chunks("r", {"7": [("bees", 0, 9), {"doc": "ants", "start": 4, "end": 8}]})
    >>> list(run.rankings["7"]), run.rankings["7"].spans
    ([('bees', ''), ('ants', '')], {0: (0, 9), 1: (4, 8)})
    """
    if not isinstance(results, Mapping):
        raise XcgError(f"run {name} is a {type(results).__name__}: expected topic → chunks")
    notes = notes or Notes()
    reader = _ChunkReader(document, texts, parents, notes)
    found: dict[str, list[_Chunk]] = {}
    for topic, chunks in results.items():
        where = f"run {name}, topic {topic}"
        check_chunks(chunks, where)
        found[str(topic)] = read = [
            reader.read(chunk, f"{where}, rank {rank}", gold.get(str(topic), {}))
            for rank, chunk in enumerate(chunks, 1)
        ]
        ranked = sum(chunk.rank is not None for chunk in read)
        if 0 < ranked < len(read):
            message = f"{ranked} of {len(read)} chunks have a rank: expected all of them or none"
            raise InputError(where, message)
    note_unplaced(f"run {name}", reader.unplaced, sum(map(len, found.values())), notes)
    pairs = {
        topic: [chunk.span.score for chunk in chunks]
        for topic, chunks in found.items()
        if all(chunk.is_pair and chunk.rank is None for chunk in chunks)
    }
    by_distance = pairs if are_distances(pairs, name, notes) else ()
    rankings = {
        topic: _results(chunks, topic in by_distance).ranking(
            f"run {name}, topic {topic}", notes, None, states_parents=reader.states_parents
        )
        for topic, chunks in found.items()
    }
    return Run(name, rankings)


def check_chunks(chunks: object, where: str) -> None:
    """Raise InputError if the results of a topic are not several chunks."""
    is_one = not isinstance(chunks, (Sequence, str)) and _adapter(chunks) is not None
    has_no_order = isinstance(chunks, (str, bytes, set, frozenset)) or hasattr(chunks, "columns")
    if is_one or has_no_order or not isinstance(chunks, Iterable):
        shown = "one chunk" if is_one else shortened(repr(chunks))
        raise InputError(where, f"the results are {shown}: expected a list of chunks")


def _results(chunks: Iterable[_Chunk], by_distance: bool) -> Results:
    results = Results()
    for index, (span, other_text, parent, rank, _) in enumerate(chunks):
        offsets = (span.start, span.end) if span.start < span.end else None
        results.add(span.document, "", offsets)
        results.ranks.append(span.score if by_distance else rank)
        results.scores.append(None if by_distance else span.score)
        if other_text:
            results.other_text[index] = other_text
        if parent is not None:
            results.parents[index] = parent
    return results


class _ChunkReader:
    """Finds the spans of chunks.

    Attributes:
        states_parents: Whether parents are given, or a chunk that was read has the key ``parent``.
        unplaced: The chunks that have no place in their document; raised without notes.
    """

    def __init__(
        self, document: DocumentKey, texts: Texts, parents: Parents, notes: Notes | None = None
    ) -> None:
        if not (document is None or isinstance(document, (str, Mapping)) or callable(document)):
            raise XcgError(
                f"document is {shortened(repr(document))}: expected a key of the chunks' metadata, "
                f"{FILE_NAME!r}, a mapping or a function"
            )
        if texts is not None and not isinstance(texts, (Mapping, Corpus)):
            raise XcgError(f"texts is a {type(texts).__name__}: expected the documents' texts by name")
        self._document = document
        self._notes = notes or Notes()
        self._is_strict = notes is None
        self.unplaced: list[UnmappedError] = []
        self._texts = texts
        self._documents: dict[str, DocumentText] = {}
        self._adapters = tuple(ADAPTERS.values())
        self._parents = chunks_by_id(parents)
        self.states_parents = bool(self._parents)

    def read(self, chunk: object, where: str, gold: GoldText = NO_GOLD) -> _Chunk:
        """Return the span of a chunk; an empty span if it has no place in its document."""
        try:
            is_pair = isinstance(chunk, tuple) and len(chunk) == 2
            chunk, score = _unwrap(chunk, self._adapters)
            fields = self._fields(chunk)
            rank = None
            if isinstance(chunk, Mapping):
                self.states_parents = self.states_parents or "parent" in chunk
                rank = as_rank(chunk.get("rank"))
            name = document_of(chunk, fields, self._document, self._texts or ())
            file, text, span = name_in_corpus(name), fields.text or "", (0, 0)
            try:
                placed = self._place(fields, name)
            except UnmappedError as error:
                unmapped = UnmappedError(where, str(error))
                self._notes.tolerate("chunks without a place in a document", unmapped)
                placed = Placement([], text)
            else:
                if placed.occurrences:
                    span = placed.best(fields.text, gold.get(file, ()))
                    note_placement(placed, text, where, name, self._notes)
                else:
                    self.unplaced.append(UnmappedError(where, no_place(text, fields.start, name)))
                    if self._is_strict:
                        raise self.unplaced[-1]
            found = ChunkSpan(file, *span, score)
            return _Chunk(found, placed.other, _parent_of(chunk, span, fields), rank, is_pair)
        except UnmappedError:
            raise
        except ValueError as error:
            raise InputError(where, str(error)) from None

    def _place(self, fields: ChunkFields, name: str) -> Placement:
        start, end, text = fields.start, fields.end, fields.text
        needs_end = end is None and text is None
        if needs_end or (start is None and (self._texts is None or text is None)):
            hint = "; or pass texts= to search for the chunk's text" if text else ""
            raise ValueError(fields.no_offsets + hint)
        if self._texts is None:
            return place(None, start, end, text, name)
        known = next((one for one in (name, name_in_corpus(name)) if one in self._texts), None)
        if known is None:
            hint = ""
            last = file_name(name, self._texts)
            if self._document is None and name_in_corpus(last) in self._texts:
                hint = f", but one of {last!r}: expected document={FILE_NAME!r}"
            raise UnmappedError("", f"there is no text of the document {name!r}{hint}")
        if name not in self._documents:
            while len(self._documents) >= _KEPT_DOCUMENTS:
                del self._documents[next(iter(self._documents))]
            texts = self._texts
            body = texts.tree(known).text if isinstance(texts, Corpus) else texts[known]
            self._documents[name] = DocumentText(body)
        return place(self._documents[name], start, end, text, name)

    def _fields(self, chunk: object, depth: int = 0) -> ChunkFields:
        """Return the fields of a chunk with offsets that count from the document's start."""
        if depth > _MAX_DEPTH:
            raise ValueError(f"a chunk has more than {_MAX_DEPTH} levels of parents")
        adapter = _adapter(chunk, self._adapters)
        if adapter is None:
            raise ValueError(
                f"illegal chunk {shortened(repr(chunk))}: expected a dict with doc, start and end, a "
                f"(doc, start, end) tuple, or an object of {', '.join(ADAPTERS)}, with or without score"
            )
        fields = adapter.fields(chunk)
        if fields.parent is None or fields.start is None:
            return fields
        if fields.parent in self._parents:
            parent, _ = _unwrap(self._parents[fields.parent], self._adapters)
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
    if isinstance(chunk, Mapping):
        check_parent(parent, span)
    return parent if parent[0] <= span[0] and span[1] <= parent[1] else None


def _adapter(chunk: object, adapters: Iterable[ChunkAdapter] | None = None) -> ChunkAdapter | None:
    """Return the first adapter that recognises a chunk; looking up all adapters takes time."""
    if _PLAIN.recognises(chunk):
        return _PLAIN
    if isinstance(chunk, (str, tuple, list)):
        return None
    known = ADAPTERS.values() if adapters is None else adapters
    return next((adapter for adapter in known if adapter.recognises(chunk)), None)


def _unwrap(
    chunk: object, adapters: Iterable[ChunkAdapter] | None = None
) -> tuple[object, float | None]:
    """Return a chunk without its score, and the score."""
    if isinstance(chunk, tuple) and len(chunk) == 2:
        inner, score = chunk
        return _unwrap(inner, adapters)[0], as_score(score)
    adapter = _adapter(chunk, adapters)
    if adapter is None:
        return chunk, None
    inner, score = adapter.unwrap(chunk)
    return inner, as_score(score)


def chunks_by_id(parents: object) -> Mapping[str, Any]:
    """Return chunks without their scores by id; a mapping is returned unchanged.

    Raises:
        XcgError: If the value is neither.
    """
    if isinstance(parents, Mapping):
        return parents
    if isinstance(parents, (str, bytes)) or not isinstance(parents, Iterable):
        raise XcgError(
            f"parents is {shortened(repr(parents))}: expected chunks, a mapping from ids to chunks, or "
            "a store of the library"
        )
    found = {}
    for parent in parents:
        chunk, _ = _unwrap(parent)
        adapter = _adapter(chunk)
        if adapter is not None and (key := adapter.id(chunk)) is not None:
            found[key] = chunk
    return found


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
