"""Runs of the chunks that retrieval libraries return: LlamaIndex, Haystack, LangChain, plain ones.

The libraries are never imported; a chunk is known by its attributes.
"""

from __future__ import annotations

import math
import re
from array import array
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

from xcg.documents.paths import canonical_file
from xcg.documents.sources import document_name
from xcg.errors import InputError, Notes, UnmappedError, XcgError
from xcg.runs.run import Ranking, Run, check_span, order_by, ranking_of

Naming = str | Callable[[Any], object] | None
"""What names a chunk's document: a key of its metadata, a function of the chunk, None for the library's
own way."""

Texts = Mapping[str, str] | None
"""The documents' texts, by name."""

Parents = Mapping[str, object] | Iterable[object]
"""The nodes of a hierarchical splitter, by id or as the splitter returned them."""

Order = Literal["score", "distance", "given"]
"""How chunks are ordered: by score, the highest first; by a score that is a distance, the lowest
first; as they are given."""

ORDERS: tuple[Order, ...] = ("score", "distance", "given")


class ChunkSpan(NamedTuple):
    """Where a chunk stands: the characters start … end - 1 of a document's text."""

    document: str
    start: int
    end: int
    score: float | None = None


def span_of(
    chunk: object,
    document: Naming = None,
    texts: Texts = None,
    parents: Parents = (),
    where: str = "",
) -> ChunkSpan:
    """Return the place of a chunk in its document.

    A chunk is a LlamaIndex ``NodeWithScore`` or node, a Haystack ``Document``, a LangChain
    ``Document``, a dict with ``doc``, ``start``, ``end`` and maybe ``score`` and ``text``, a
    (doc, start, end) tuple, or a (chunk, score) pair of these.

    Args:
        chunk: The chunk.
        document: What names its document: a key of the chunk's metadata, or a function of the chunk
            (the node without its score). By default the source node's id and then ``file_name``
            (LlamaIndex), ``source_id`` or ``parent_id`` (Haystack), ``source`` (LangChain), ``doc``.
            A name loses the ending of a file (``.md``, ``.txt``, …) as it does in a corpus.
        texts: The documents' texts by name. With them it is checked that the chunk's text stands where
            it says, blanks at its ends aside, and a chunk without offsets is looked for, which it must
            be in the document once only.
        parents: The nodes that a hierarchical splitter made. Those of LlamaIndex and Haystack count
            the characters of a child from the start of its parent, so that a child's place is known by
            those of its parents.
        where: What messages begin with.

    Raises XcgError for a chunk whose document or place is not known, that spans nothing, or whose text
    is not what the document has there.

    >>> span_of({"doc": "bees", "start": 10, "end": 25, "score": 0.5})
    ChunkSpan(document='bees', start=10, end=25, score=0.5)
    >>> span_of((("bees", 10, 25), 0.5))
    ChunkSpan(document='bees', start=10, end=25, score=0.5)
    """
    return _Reader(document, texts, _by_id(parents)).span(chunk, where)


def is_chunk(result: object) -> bool:
    """Return whether a result is meant as a chunk, and not as an element or a document.

    >>> is_chunk(("bees", 0, 9)), is_chunk(({"doc": "bees"}, 0.5)), is_chunk(("bees", "/a/b"))
    (True, True, False)
    """
    if isinstance(result, tuple) and len(result) == 2 and not isinstance(result[1], str):
        return is_chunk(result[0])
    if isinstance(result, (Mapping, tuple)):
        return isinstance(result, Mapping) or len(result) == 3
    return any(hasattr(result, name) for name in _OF_CHUNKS)


_OF_CHUNKS = ("page_content", "content", "node", "start_char_idx", "ref_doc_id", "relationships")


def run_of_chunks(
    name: str,
    results: Mapping[Any, Iterable[object]],
    document: Naming = None,
    texts: Texts = None,
    parents: Parents = (),
    order: Order = "score",
    notes: Notes | None = None,
) -> Run:
    """Return the run of topic → chunks, each a passage of its document.

    Args:
        name: The run's id.
        results: Topic → chunks as :func:`span_of` takes them.
        document: See :func:`span_of`.
        texts: See :func:`span_of`.
        parents: See :func:`span_of`.
        order: ``score`` orders by score descending where every chunk of the topic has one (equal ones
            as given), else as given; ``distance`` takes scores for distances, the lowest first (those
            of LangChain's ``similarity_search_with_score`` on FAISS or Chroma are such);
            ``given`` leaves the order as it is.
        notes: Where they are lenient, a chunk that has no place in its document's text is counted; it
            holds its rank, and gains nothing.

    Raises XcgError as :func:`span_of`, with topic and rank.

    >>> run = run_of_chunks("r", {"7": [("bees", 0, 9), {"doc": "ants", "start": 4, "end": 8}]})
    >>> list(run.rankings["7"]), run.rankings["7"].spans
    ([('bees', ''), ('ants', '')], {0: (0, 9), 1: (4, 8)})
    """
    if order not in ORDERS:
        raise XcgError(f"unknown order {order!r}: expected one of {', '.join(ORDERS)}")
    reader = _Reader(document, texts, _by_id(parents))
    notes = notes if notes is not None else Notes()
    rankings = {}
    for topic, chunks in results.items():
        spans = []
        for rank, chunk in enumerate(chunks, 1):
            try:
                spans.append(reader.span(chunk, f"run {name}, topic {topic}, rank {rank}"))
            except UnmappedError as error:
                notes.tolerate("chunks without a place in a document", error)
                spans.append(reader.nowhere(chunk))
        rankings[str(topic)] = _ranking(spans, order)
    return Run(name, rankings)


def _ranking(spans: list[ChunkSpan], order: Order) -> Ranking:
    sign = -1.0 if order == "distance" else 1.0
    scores = [sign * span.score for span in spans if span.score is not None]
    keys = None
    if spans and order != "given" and len(scores) == len(spans):
        places = order_by(scores, descending=True)
        spans = [spans[place] for place in places]
        keys = array("d", (scores[place] for place in places))
    results = (
        (span.document, "", (span.start, span.end) if span.start < span.end else None) for span in spans
    )
    return ranking_of(results, keys)


@dataclass(frozen=True)
class _Piece:
    """What a chunk says of itself.

    document: the library's name for its document. start, end: None where it does not say. text: its
    text. metadata: where a key names its document. unnamed, unplaced: what is missing where there is
    no document, no start.
    """

    document: object
    start: int | None
    end: int | None
    text: str | None
    metadata: Mapping[str, object]
    unnamed: str
    unplaced: str


class _Reader:
    """Finds the places of chunks."""

    def __init__(self, document: Naming, texts: Texts, parents: Mapping[str, object]) -> None:
        self._document = document
        self._texts = texts
        self._parents = parents

    def span(self, chunk: object, where: str) -> ChunkSpan:
        """Return a chunk's place; XcgError where it is not known."""
        try:
            chunk, score = _unwrapped(chunk)
            piece = self._piece(chunk)
            name = self._name(chunk, piece)
            start, end = self._place(piece, name)
            return ChunkSpan(_in_corpus(name), *check_span(start, end), score)
        except UnmappedError as error:
            raise UnmappedError(where, str(error)) from None
        except ValueError as error:
            raise InputError(where, str(error)) from None

    def nowhere(self, chunk: object) -> ChunkSpan:
        """Return an empty span for a chunk whose document is named, and has no such text."""
        chunk, score = _unwrapped(chunk)
        name = self._name(chunk, self._piece(chunk))
        return ChunkSpan(_in_corpus(name), 0, 0, score)

    def _name(self, chunk: object, piece: _Piece) -> str:
        if callable(self._document):
            name, missing = self._document(chunk), "the function that names documents returned nothing"
        elif self._document is not None:
            name = piece.metadata.get(self._document)
            missing = f"the chunk's metadata has no {self._document!r}, which is to name its document"
        else:
            name, missing = piece.document, f"{piece.unnamed}; or name the document with document="
        if name is None or name == "":
            raise ValueError(missing)
        if isinstance(name, bool) or not isinstance(name, (str, int)):
            raise ValueError(f"the document is {name!r}: expected its name")
        try:
            canonical_file(str(name))
        except ValueError as error:
            raise ValueError(f"{error}; document= can name it otherwise") from None
        return str(name)

    def _place(self, piece: _Piece, name: str) -> tuple[int, int]:
        start, end = piece.start, piece.end
        if start is not None and end is None and piece.text is not None:
            end = start + len(piece.text)
        if self._texts is None:
            if start is None or end is None:
                hint = "; or give texts=, to find the chunk's text" if piece.text else ""
                raise ValueError(piece.unplaced + hint)
            return _spanning(start, end)
        body = self._texts.get(name, self._texts.get(_in_corpus(name)))
        if body is None:
            raise UnmappedError("", f"there is no text of the document {name!r}")
        if start is None or end is None:
            if piece.text is None:
                raise ValueError(piece.unplaced)
            return _found(body, piece.text, name)
        return _fitted(body, *_spanning(start, end), piece.text, name)

    def _piece(self, chunk: object, depth: int = 0) -> _Piece:
        if depth > _DEEPEST:
            raise ValueError(f"a chunk has more than {_DEEPEST} parents, one above the other")
        if isinstance(chunk, Mapping):
            return _plain(chunk)
        if isinstance(chunk, tuple) and len(chunk) == 3:
            return _plain(dict(zip(("doc", "start", "end"), chunk, strict=True)))
        if hasattr(chunk, "page_content"):
            return _langchain(chunk)
        if hasattr(chunk, "content") and hasattr(chunk, "meta"):
            piece, parent, needed = _haystack(chunk)
        elif any(hasattr(chunk, name) for name in ("start_char_idx", "ref_doc_id", "relationships")):
            piece, parent, needed = _llama_index(chunk)
        else:
            raise ValueError(
                f"illegal chunk {_short(repr(chunk))}: expected a LlamaIndex node, a Haystack or "
                "LangChain document, a dict with doc, start and end, a (doc, start, end) tuple, or "
                "such a chunk with its score"
            )
        if parent is None or piece.start is None:
            return piece
        if parent not in self._parents:
            return replace(piece, start=None, end=None, unplaced=needed) if needed else piece
        above = self._piece(_unwrapped(self._parents[parent])[0], depth + 1)
        return _below(piece, above)


_DEEPEST = 50


def _in_corpus(name: str) -> str:
    """Return what a corpus calls a document, which loses the ending of its file."""
    return document_name(name) or canonical_file(name)


def _below(piece: _Piece, above: _Piece) -> _Piece:
    """Return a child whose offsets count from its parent's start with those in the document.

    Where the parent's text tells that they count from the document's start they are left alone.
    """
    assert piece.start is not None
    if above.start is None:
        why = f"the place of the chunk's parent is not known: {above.unplaced}"
        return replace(piece, start=None, end=None, unplaced=why)
    end = piece.end if piece.end is not None else piece.start + len(piece.text or "")
    if piece.text and above.text:
        core = piece.text.strip()
        inside = piece.start - above.start
        if above.text[piece.start : end].strip() != core:
            if inside >= 0 and above.text[inside : end - above.start].strip() == core:
                return replace(piece, document=above.document)
            why = "the chunk's parent does not hold its text where it says: is it another text's node?"
            return replace(piece, start=None, end=None, unplaced=why)
    start = above.start + piece.start
    return replace(piece, document=above.document, start=start, end=above.start + end)


def _spanning(start: int, end: int) -> tuple[int, int]:
    if start == end:
        raise ValueError(f"a chunk that spans nothing: it starts and ends at {start}")
    return check_span(start, end)


_BLANKS = re.compile(r"\s*")


def _fitted(body: str, start: int, end: int, text: str | None, name: str) -> tuple[int, int]:
    """Return a chunk's span in its document's text, where blanks at its ends may be missing."""
    if text is None:
        if end > len(body):
            raise UnmappedError("", f"the chunk ends at {end}, and {name} has {len(body)} characters")
        return start, end
    core = text.strip()
    if start < len(body) and body[start:end].strip() == core:
        return start, min(end, len(body))
    first = _BLANKS.match(body, min(start, len(body))).end()  # type: ignore[union-attr]
    if core and body.startswith(core, first):
        return first, first + len(core)
    raise UnmappedError(
        "",
        f"the chunk is {_short(repr(text))}, and {name} has {_short(repr(body[start:end]))} at {start} "
        f"to {end} of its {len(body)} characters: are its offsets those of this text?",
    )


def _found(body: str, text: str, name: str) -> tuple[int, int]:
    """Return where the one occurrence of a chunk's text stands."""
    for wanted in (text, text.strip()):
        if not wanted.strip():
            raise ValueError("a chunk that spans nothing: it has no text")
        first = body.find(wanted)
        if first >= 0:
            if body.find(wanted, first + 1) >= 0:
                raise UnmappedError(
                    "",
                    f"the chunk has no offsets, and its text {_short(repr(text))} occurs more than "
                    f"once in {name}",
                )
            return first, first + len(wanted)
    raise UnmappedError(
        "", f"the chunk has no offsets, and its text {_short(repr(text))} does not occur in {name}"
    )


# What the libraries' chunks say


def _unwrapped(chunk: object) -> tuple[object, float | None]:
    """Return a chunk without its score, and the score."""
    if isinstance(chunk, tuple) and len(chunk) == 2:
        inner, score = chunk
        return _unwrapped(inner)[0], _score(score)
    if isinstance(chunk, Mapping):
        return chunk, _score(chunk.get("score"))
    if hasattr(chunk, "node") and hasattr(chunk, "score"):
        return chunk.node, _score(chunk.score)
    return chunk, _score(getattr(chunk, "score", None))


def _score(score: Any) -> float | None:
    if score is None:
        return None
    try:
        number = math.nan if isinstance(score, (bool, str)) else float(score)
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number):
        raise ValueError(f"the score is {score!r}: expected a finite number")
    return number


def _whole(value: Any, what: str) -> int | None:
    """Return an offset; some stores of chunks keep whole numbers as floats."""
    if value is None:
        return None
    try:
        number = int(value)
        if isinstance(value, (bool, str)) or number != value:
            raise ValueError
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"{what} is {value!r}: expected a whole number") from None
    return number


def _text(text: object) -> str | None:
    return text if isinstance(text, str) else None


def _metadata(metadata: object) -> Mapping[str, object]:
    return metadata if isinstance(metadata, Mapping) else {}


def _plain(chunk: Mapping[str, object]) -> _Piece:
    missing = [key for key in ("start", "end") if chunk.get(key) is None]
    return _Piece(
        document=chunk.get("doc"),
        start=_whole(chunk.get("start"), "start"),
        end=_whole(chunk.get("end"), "end"),
        text=_text(chunk.get("text")),
        metadata=chunk,
        unnamed="the chunk has no 'doc'",
        unplaced=f"the chunk has no {' and no '.join(map(repr, missing))}",
    )


def _langchain(chunk: Any) -> _Piece:
    metadata = _metadata(getattr(chunk, "metadata", None))
    start = _whole(metadata.get("start_index"), "start_index")
    unplaced = (
        "the LangChain document has no metadata 'start_index': its text splitters set it with "
        "add_start_index=True (those by headers never do)"
    )
    if start is not None and start < 0:
        unplaced = (
            f"the LangChain document's start_index is {start}: its splitter changed the text and did "
            "not find it again (a separator that is a regex, an overlap that is not in characters)"
        )
        start = None
    return _Piece(
        document=metadata.get("source"),
        start=start,
        end=None,
        text=_text(chunk.page_content),
        metadata=metadata,
        unnamed="the LangChain document has no metadata 'source': loaders set it",
        unplaced=unplaced,
    )


def _haystack(chunk: Any) -> tuple[_Piece, str | None, str]:
    """Return a chunk, the block that its offset counts from, and why that one is needed."""
    metadata = _metadata(chunk.meta)
    start = _whole(metadata.get("split_idx_start"), "split_idx_start")
    document = metadata.get("source_id") or metadata.get("parent_id")
    level = _whole(metadata.get("__level"), "__level")
    parent = metadata.get("__parent_id")
    if level == 0 and document is None and start is None:
        document, start = getattr(chunk, "id", None), 0  # a hierarchy's root is the document
    unplaced = (
        "the Haystack document has no meta 'split_idx_start': DocumentSplitter and "
        "RecursiveDocumentSplitter set it, and stores keep it with the meta"
    )
    if start is not None and "parent_headers" in metadata:
        start = None
        unplaced = (
            "the split_idx_start of a chunk of Haystack's MarkdownHeaderSplitter counts from its "
            "header, whose place is not known"
        )
    piece = _Piece(
        document=document,
        start=start,
        end=None,
        text=_text(chunk.content),
        metadata=metadata,
        unnamed="the Haystack document has no meta 'source_id' or 'parent_id': splitters set it",
        unplaced=unplaced,
    )
    needed = (
        f"the split_idx_start of a block at level {level} of Haystack's HierarchicalDocumentSplitter "
        f"counts from its parent {_short(str(parent))}: give parents=, all blocks that it made"
    )
    return piece, _text(parent), needed if level is None or level > 1 else ""


def _llama_index(node: Any) -> tuple[_Piece, str | None, str]:
    """Return a node, the one that its offsets count from, and why that one is needed."""
    metadata = _metadata(getattr(node, "metadata", None))
    relationships = getattr(node, "relationships", None)
    source = _related(relationships, "SOURCE", "1")
    piece = _Piece(
        document=getattr(node, "ref_doc_id", None) or source or metadata.get("file_name"),
        start=_whole(getattr(node, "start_char_idx", None), "start_char_idx"),
        end=_whole(getattr(node, "end_char_idx", None), "end_char_idx"),
        text=_text(getattr(node, "text", None)),
        metadata=metadata,
        unnamed=(
            "the LlamaIndex node has no source node and no metadata 'file_name': node parsers set the "
            "former, readers the latter"
        ),
        unplaced=(
            "the LlamaIndex node has no start_char_idx: node parsers set it (get_nodes_from_documents) "
            "where the document holds the node's text word for word"
        ),
    )
    parent = _related(relationships, "PARENT", "4")
    needed = (
        "the start_char_idx of a child that LlamaIndex's HierarchicalNodeParser made counts from its "
        f"parent {_short(str(parent))}: give parents=, all nodes that it made"
    )
    return piece, parent, needed


def _related(relationships: object, name: str, value: str) -> str | None:
    """Return the id of a related node: keys are members of an enumeration, or their values."""
    for key, related in _metadata(relationships).items():
        if getattr(key, "name", None) == name or getattr(key, "value", key) in (value, name):
            if isinstance(related, Mapping):
                return _text(related.get("node_id"))
            return _text(getattr(related, "node_id", None))
    return None


def _by_id(parents: Parents) -> Mapping[str, object]:
    if isinstance(parents, Mapping):
        return parents
    found: dict[str, object] = {}
    for chunk in parents:
        inner = _unwrapped(chunk)[0]
        for name in ("id_", "node_id", "id"):
            if isinstance(key := getattr(inner, name, None), str):
                found[key] = inner
                break
    return found


def _short(text: str) -> str:
    return text if len(text) <= 60 else text[:58] + " …"
