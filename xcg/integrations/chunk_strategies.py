"""Apply an overlap strategy to the chunks that a retrieval library returned.

A kept result is the object of the library itself, and so is a parent that replaces its children. Other
new spans, such as those of merged neighbours, become new chunks. The modules for LlamaIndex, Haystack
and LangChain state how their chunks are made; this module imports none of these libraries.
"""

from __future__ import annotations

import itertools
import operator
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple, cast

from xcg.documents.corpus import Corpus, Documents, corpus_of
from xcg.errors import InputError, XcgError
from xcg.runs.chunk_adapters import ChunkAdapter, as_score, shortened
from xcg.runs.chunk_documents import DocumentKey, name_in_corpus
from xcg.runs.chunks import chunks_by_id, ranking_of_chunks, span_of
from xcg.runs.run import ORACLE, Ranking
from xcg.strategies.registry import STRATEGIES, BoundStrategy, rewrite_ranking, single_strategy

SOURCES_KEY = "merged_from"
"""The metadata key of the ids of the chunks that a new chunk replaces."""

TextSource = Mapping[str, str] | Callable[[str], str | None] | None
"""The documents' texts by name, or a function of the name."""

_Piece = tuple[int, int, str]
"""Start, end and text of a part of a document."""

_MAX_DEPTH = 50


def serving_strategy(spec: object) -> BoundStrategy:
    """Return the strategy that a text, a mapping or a function names, for use without assessments.

    Args:
        spec: As in :func:`xcg.strategies.registry.strategies_of`, without lists of values.

    Raises:
        XcgError: If the name, a parameter or a value is illegal, or the strategy needs assessments.

    >>> str(serving_strategy({"name": "thorough"}))
    'thorough'
    """
    strategy = single_strategy(spec)
    if strategy.name == ORACLE:
        raise XcgError(f"the strategy {ORACLE!r} needs assessments, which a retrieval pipeline lacks")
    return strategy


def serialized_strategy(strategy: BoundStrategy) -> str | dict[str, object]:
    """Return the text or mapping that names a strategy in a serialized pipeline.

    Raises:
        XcgError: If the strategy is a function that has no name in a module.
    """
    name = strategy.name
    if ":" not in name and not (name in STRATEGIES and STRATEGIES.get(name) is strategy.plain):
        module, name = strategy.plain.__module__, strategy.plain.__qualname__
        if not name.isidentifier() or module == "__main__":
            raise XcgError(
                f"the strategy {name!r} of {module} cannot be serialized: expected a function that can "
                "be imported from a module"
            )
        name = f"{module}:{name}"
    return {"name": name, **dict(strategy.parameters)} if strategy.parameters else name


def storable_strategy(strategy: BoundStrategy) -> object:
    """Return a strategy as :func:`serialized_strategy`, or the function itself if it has no name."""
    try:
        return serialized_strategy(strategy)
    except XcgError:
        return strategy.function


class _DocumentTexts(Mapping[str, str]):
    """The texts of documents by the names that chunks state; each is asked for once."""

    def __init__(self, source: Mapping[str, str] | Callable[[str], str | None]) -> None:
        self._get = source.get if isinstance(source, Mapping) else source
        self._texts: dict[str, str | None] = {}
        self.by_document: dict[str, str] = {}
        """The texts by the names in rankings."""

    def __getitem__(self, name: str) -> str:
        if name not in self._texts:
            self._texts[name] = self._get(name)
        text = self._texts[name]
        if text is None:
            raise KeyError(name)
        if not isinstance(text, str):
            raise InputError(name, f"its text is {type(text).__name__}: expected str")
        self.by_document[name_in_corpus(name)] = text
        return text

    def __iter__(self) -> Iterator[str]:
        return iter(self.by_document)

    def __len__(self) -> int:
        return len(self.by_document)


class NewChunk(NamedTuple):
    """A span that a strategy made.

    Attributes:
        document: The name of the document.
        start: First character.
        end: First character after the span.
        text: The characters of the span.
        score: The score, None if the chunks have none.
        child: The chunk of the best rank inside the span, without its score.
        metadata: The metadata of the child, with the ids of all chunks inside the span.
    """

    document: str
    start: int
    end: int
    text: str
    score: float | None
    child: Any
    metadata: dict[str, Any]

    @property
    def id(self) -> str:
        """An id that depends only on the document and the span."""
        return f"{self.document}#{self.start}:{self.end - self.start}"


class ChunkLibrary(ABC):
    """Makes the chunks of one retrieval library."""

    adapter: ChunkAdapter

    def score(self, chunk: Any) -> object:
        """Return the score of a chunk, None if it has none."""
        return chunk.score

    @abstractmethod
    def with_score(self, chunk: Any, score: float | None) -> Any:
        """Return a chunk, given with or without its score, with a new score, as a copy."""

    @abstractmethod
    def new_chunk(self, new: NewChunk) -> Any:
        """Return the chunk of a new span. The offsets in its metadata are those of the span."""

    def is_store(self, parents: object) -> bool:
        """Return whether the parents are in a store of the library."""
        return False

    def fetch(self, store: Any, ids: Sequence[str]) -> Iterable[Any]:
        """Return the chunks of a store with these ids, without those that it lacks."""
        raise NotImplementedError


class ChunkRewriter:
    """Applies an overlap strategy to lists of chunks.

    The order of a list is its ranking. Scores count if every chunk has one and they do not increase;
    otherwise the strategy uses n - rank + 1 for n chunks.

    Args:
        library: The library of the chunks.
        strategy: The strategy, see :func:`serving_strategy`.
        document: What names the document of a chunk, see :func:`xcg.runs.chunks.span_of`.
        texts: The documents' texts by name, or a function of the name. They locate chunks without
            offsets, and are the source of the text of new spans. Without them, the text of a new span
            comes from the chunks, which must then cover it.
        parents: The parents of chunks: all chunks of a hierarchical splitter, a mapping from ids to
            chunks, or a store of the library.
        corpus: The documents, for strategies that need them; the source of the texts by default.

    Raises:
        XcgError: If the strategy is illegal.
    """

    def __init__(
        self,
        library: ChunkLibrary,
        strategy: object,
        document: DocumentKey = None,
        texts: TextSource = None,
        parents: Any = None,
        corpus: Documents = None,
    ) -> None:
        self.strategy = serving_strategy(strategy)
        self._library = library
        self._document = document
        self._corpus = corpus = corpus_of(corpus)
        if not (texts is None or isinstance(texts, Mapping) or callable(texts)):
            raise XcgError(
                f"texts is {shortened(repr(texts))}: expected a mapping from names to texts, or a "
                "function of the name"
            )
        self._texts = texts
        if texts is None and corpus is not None:
            self._texts = partial(_text_of, corpus)
        self._store = parents if library.is_store(parents) else None
        self._parents = chunks_by_id(parents or ()) if self._store is None else {}
        self._states_parents = self._store is not None or bool(self._parents)

    def __call__(self, chunks: Iterable[Any]) -> list[Any]:
        """Return the chunks of the rewritten ranking.

        Args:
            chunks: The chunks of one query in rank order. They are not changed: a chunk with a new
                score is a copy.

        Raises:
            InputError: If the span of a chunk is unknown, the strategy fails, or the text of a new span
                is unknown.
        """
        chunks = list(chunks)
        if not chunks:
            return []
        texts = None if self._texts is None else _DocumentTexts(self._texts)
        ancestors = self._ancestors(chunks)
        where = f"strategy {self.strategy}"
        read = ranking_of_chunks(chunks, self._document, texts, ancestors, f"{where}, ")
        if self._states_parents and read.parents is None:
            read.parents = {}  # no chunk has a parent
        ranking = self._with_scores(read, chunks)
        rewritten = rewrite_ranking(ranking, self.strategy, self._corpus, where)
        if rewritten is ranking:
            return chunks
        return list(_ChunksOfRanking(self._library, ranking, chunks, ancestors, texts).of(rewritten))

    def _with_scores(self, ranking: Ranking, chunks: Sequence[Any]) -> Ranking:
        scores = [as_score(self._library.score(chunk)) for chunk in chunks]
        known = [score for score in scores if score is not None]
        if len(known) < len(chunks) or any(b > a for a, b in itertools.pairwise(known)):
            return ranking
        return replace(ranking, keys=known, has_scores=True)

    def _ancestors(self, chunks: Iterable[Any]) -> Mapping[str, Any]:
        """Return the known parents of chunks, their parents, and so on, by id."""
        found: dict[str, Any] = {}
        wanted = self._parent_ids(chunks) if self._states_parents else set()
        for _ in range(_MAX_DEPTH):
            missing = sorted(wanted - found.keys())
            if not missing:
                break
            if self._store is not None:
                fetched = chunks_by_id(self._library.fetch(self._store, missing))
            else:
                fetched = {key: self._parents[key] for key in missing if key in self._parents}
            found.update(fetched)
            wanted = self._parent_ids(fetched.values())
        return found

    def _parent_ids(self, chunks: Iterable[Any]) -> set[str]:
        parents = (parent_id(self._library.adapter, chunk) for chunk in chunks)
        return {parent for parent in parents if parent is not None}


def _text_of(corpus: Corpus, name: str) -> str | None:
    return corpus.tree(name).text if name in corpus else None


def parent_id(adapter: ChunkAdapter, chunk: Any) -> str | None:
    """Return the id of the chunk from which a chunk's offsets count, None if the chunk is illegal."""
    with suppress(ValueError):  # ranking_of_chunks raises it again, with the rank
        return adapter.fields(adapter.unwrap(chunk)[0]).parent
    return None


class _ChunksOfRanking:
    """Finds or makes the chunks of a ranking that a strategy returned."""

    def __init__(
        self,
        library: ChunkLibrary,
        ranking: Ranking,
        chunks: Sequence[Any],
        ancestors: Mapping[str, Any],
        texts: _DocumentTexts | None,
    ) -> None:
        self._library = library
        self._ranking = ranking
        self._chunks = chunks
        self._ancestors = ancestors
        self._texts = texts
        self._parents: dict[tuple[str, tuple[int, int]], Any] | None = None

    def of(self, rewritten: Ranking) -> Iterator[Any]:
        """Yield the chunk of each result. Results with one name are the chunks in their order."""
        waiting: dict[tuple[str, object], list[int]] = {}
        for position in range(len(self._ranking) - 1, -1, -1):
            waiting.setdefault(_name(self._ranking, position), []).append(position)
        old_scores = self._ranking.keys if self._ranking.has_scores else None
        new_scores = rewritten.keys if rewritten.has_scores else None
        for index in range(len(rewritten)):
            name = _name(rewritten, index)
            score = None if new_scores is None else float(new_scores[index])
            positions = waiting.get(name)
            if positions is None:
                yield self._new(name, score)
                continue
            position = positions.pop() if len(positions) > 1 else positions[0]
            chunk = self._chunks[position]
            old_score = None if old_scores is None else old_scores[position]
            changed = score is not None and score != old_score
            yield self._library.with_score(chunk, score) if changed else chunk

    def _new(self, name: tuple[str, object], score: float | None) -> Any:
        document, span = name
        start, end = _checked(document, span)
        inside = self._inside(document, start, end)
        if not inside:
            raise InputError(
                document, f"the strategy returned characters {start} to {end}, which no chunk overlaps"
            )
        if score is None:
            score = as_score(self._library.score(self._chunks[inside[0]]))
        if self._parents is None:
            self._parents = self._parents_by_name()
        parent = self._parents.get((document, (start, end)))
        if parent is not None:
            return self._library.with_score(parent, score)
        text = self._text(document, start, end)
        child = self._inner(inside[0])
        metadata = {
            **self._library.adapter.fields(child).metadata,
            SOURCES_KEY: [self._id(position) for position in inside],
        }
        return self._library.new_chunk(NewChunk(document, start, end, text, score, child, metadata))

    def _inner(self, position: int) -> Any:
        return self._library.adapter.unwrap(self._chunks[position])[0]

    def _id(self, position: int) -> str:
        start, end = self._span(position)
        key = self._library.adapter.id(self._inner(position))
        return key or f"{self._ranking.files[position]}#{start}:{end - start}"

    def _span(self, position: int) -> tuple[int, int]:
        return cast(tuple[int, int], self._ranking.spans[position])

    def _positions(self, document: str) -> list[int]:
        """Return the positions of the chunks of a document."""
        return [position for position, file in enumerate(self._ranking.files) if file == document]

    def _inside(self, document: str, start: int, end: int) -> list[int]:
        """Return the positions of the chunks inside a span, or of those that overlap it."""
        spans = [(position, *self._span(position)) for position in self._positions(document)]
        inside = [position for position, low, high in spans if start <= low and high <= end]
        return inside or [position for position, low, high in spans if low < end and high > start]

    def _parents_by_name(self) -> dict[tuple[str, tuple[int, int]], Any]:
        """Return (document, span) → parent, for the parents of all chunks."""
        found: dict[tuple[str, tuple[int, int]], Any] = {}
        seen = set()
        results = zip(self._chunks, self._ranking.files, strict=True) if self._ancestors else ()
        for chunk, file in results:
            key = parent_id(self._library.adapter, chunk)
            while key is not None and key in self._ancestors and (file, key) not in seen:
                seen.add((file, key))
                parent = self._ancestors[key]
                with suppress(XcgError):  # a parent without offsets replaces nothing
                    span = span_of(parent, lambda _: file, parents=self._ancestors)  # noqa: B023
                    found.setdefault((file, (span.start, span.end)), parent)
                key = parent_id(self._library.adapter, parent)
        return found

    def _text(self, document: str, start: int, end: int) -> str:
        if self._texts is not None:
            text = self._texts.by_document[document]
            if end > len(text):
                raise InputError(
                    document,
                    f"the strategy returned characters {start} to {end}, but the text has {len(text)}",
                )
            return text[start:end]
        return _joined_text(self._known_texts(document), document, start, end)

    def _known_texts(self, document: str) -> Iterator[_Piece]:
        """Yield start, end and text of the chunks of a document and of their parents."""
        adapter = self._library.adapter
        assert self._parents is not None
        spans = [(self._span(p), self._inner(p)) for p in self._positions(document)]
        spans += [(span, parent) for (file, span), parent in self._parents.items() if file == document]
        for (start, end), chunk in spans:
            text = adapter.fields(chunk).text
            if text is not None and len(text) == end - start:
                yield start, end, text


def _joined_text(pieces: Iterable[_Piece], document: str, start: int, end: int) -> str:
    """Return the text of a span that pieces cover together.

    Raises:
        InputError: If the pieces do not cover the span, or differ in a character.
    """
    in_order = sorted(pieces)
    parts: list[str] = []
    reached, previous = start, None
    while reached < end:
        before = (piece for piece in in_order if piece[0] <= reached)
        piece = max(before, key=operator.itemgetter(1), default=None)
        if piece is None or piece[1] <= reached:
            raise InputError(
                f"{document}, characters {start} to {end}",
                f"the text of the new chunk is unknown: no chunk has character {reached}; pass texts=, "
                "the texts of the documents",
            )
        if previous is not None:
            _check_shared_text(document, previous, piece)
        parts.append(piece[2][reached - piece[0] : end - piece[0]])
        reached, previous = piece[1], piece
    return "".join(parts)


def _check_shared_text(document: str, a: _Piece, b: _Piece) -> None:
    start, end = max(a[0], b[0]), min(a[1], b[1])
    if a[2][start - a[0] : end - a[0]] != b[2][start - b[0] : end - b[0]]:
        raise InputError(
            f"{document}, characters {start} to {end}",
            "two chunks have different texts there: are their offsets those of one text? Pass texts=, "
            "the texts of the documents",
        )


def _checked(document: str, span: object) -> tuple[int, int]:
    """Return a span that a strategy made; its offsets can be NumPy's whole numbers."""
    with suppress(TypeError, ValueError):
        start, end = map(operator.index, span)  # type: ignore[call-overload]
        if 0 <= start < end:
            return start, end
    raise InputError(document, f"the strategy returned {span!r}: expected a span of characters")


def _name(ranking: Ranking, position: int) -> tuple[str, object]:
    """Return what identifies a result: its document, and its span or path."""
    return ranking.files[position], ranking.spans.get(position) or ranking.paths[position]
