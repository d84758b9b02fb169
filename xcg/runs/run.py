"""Runs: the rankings that one system returned for its topics, and the registry of run formats."""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Literal, NamedTuple, get_args

from xcg.documents.files import PathLike, whole_file
from xcg.documents.passage_points import Passage
from xcg.documents.paths import canonical_file, canonical_path, split_at_mark, split_element_id
from xcg.errors import InputError, XcgError, printable
from xcg.lazy_modules import np
from xcg.registry import Registry
from xcg.runs.columns import NameColumn, Names, finite_number

Ties = Literal["document", "rank", "file"]
"""Order of results with equal scores or equal ranks: by decreasing document id, then path or start; by
the rank in the file, where it does not order the results; or as given. If none is stated, TREC runs
have the first, as in trec_eval, and all other runs the last."""

AnySpan = tuple[int, int] | Passage
"""A passage: (start, end) in characters of the document's text, or two points."""

Topics = Container[str] | None
"""The topics whose results are needed; None for all."""

ORACLE = "oracle"
"""The strategy of a greedy reference: its results are ordered by their gains during the evaluation."""

TIES: tuple[Ties, ...] = get_args(Ties)

_is_length = re.compile("[0-9]{1,15}").fullmatch
_UNKNOWN = ("X", "-1")
UNKNOWN_SPAN = (-18, 0)
"""The span of a result whose offset is unknown: 18 characters before the text, which hold nothing
relevant. inex_eval 3.1 counts such a result, with the offset ``X`` or ``-1``, as 18 characters."""


@dataclass(slots=True, repr=False)
class Ranking:
    """The results for one topic in rank order.

    Attributes:
        files: Canonical file name of each result.
        paths: Canonical element path of each result; ``"/"`` for a whole document, ``""`` for a passage
            or, if errors are lenient, a result with an illegal path.
        spans: Index → span of the results that are passages.
        keys: The ranks or scores that ordered the results; tied results have equal keys. None if the
            order of the results was given, so that there are no ties.
        has_scores: Whether the keys are scores.
        parents: Index → the span of the parent of a passage, such as the section of a chunk, for the
            passages that have one. None if the run does not state parents.
        other_text: Index → the part of a result's stated text that its document does not have.
    """

    files: Sequence[str]
    paths: Sequence[str]
    spans: Mapping[int, AnySpan] = field(default_factory=dict)
    keys: Sequence[float] | None = None
    has_scores: bool = False
    parents: Mapping[int, tuple[int, int]] | None = None
    other_text: Mapping[int, str] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        results: Iterable[tuple[str, str, AnySpan | None]],
        keys: Sequence[float] | None = None,
        has_scores: bool = False,
    ) -> Ranking:
        """Return the ranking of (file, path, span) results.

        Args:
            results: The results in rank order. A passage has the path ``""``, an element no span.
            keys: The ranks or scores that ordered them.
            has_scores: Whether the keys are scores.

        >>> Ranking.of([("bees", "/a[1]", None), ("ants", "", (4, 8))]).spans
        {1: (4, 8)}
        """
        files, paths, spans = [], [], {}
        for index, (file, path, span) in enumerate(results):
            files.append(file)
            paths.append(path)
            if span is not None:
                spans[index] = span
        return cls(files, paths, spans, keys, has_scores)

    def top(self, depth: int | None) -> Ranking:
        """Return the first ``depth`` results; all of them for None."""
        return self if depth is None or depth >= len(self) else self.select(range(depth))

    def select(self, positions: Sequence[int]) -> Ranking:
        """Return some of the results in a new order, with their keys.

        Args:
            positions: Positions from 0 in this ranking; each at most once.

        >>> ranking = Ranking.of([("a", "/s[1]", None), ("b", "", (4, 8))], [0.5, 0.25], True)
        >>> selected = ranking.select([1])
        >>> list(selected), selected.spans, selected.keys
        ([('b', '')], {0: (4, 8)}, [0.25])
        """
        spans, parents, keys, other = self.spans, self.parents, self.keys, self.other_text
        if keys is not None:
            found = [keys[old] for old in positions]
            keys = array(keys.typecode, found) if isinstance(keys, array) else found
        return Ranking(
            _selected(self.files, positions),
            _selected(self.paths, positions),
            {new: spans[old] for new, old in enumerate(positions) if old in spans} if spans else {},
            keys,
            self.has_scores,
            parents and {new: parents[old] for new, old in enumerate(positions) if old in parents},
            other and {new: other[old] for new, old in enumerate(positions) if old in other},
        )

    @property
    def scores(self) -> Sequence[float]:
        """The score of each result; n − rank + 1 for n results without scores."""
        if self.has_scores and self.keys is not None:
            return self.keys
        return range(len(self), 0, -1)

    def __len__(self) -> int:
        return len(self.files)

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return zip(self.files, self.paths, strict=True)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Ranking) and list(self) == list(other) and self.spans == other.spans

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<Ranking of {len(self)} results>"


def _selected(texts: Sequence[str], positions: Sequence[int]) -> Sequence[str]:
    if isinstance(texts, NameColumn):
        return texts.select(positions)
    return [texts[old] for old in positions]


@dataclass(repr=False, eq=False)
class Run:
    """The rankings that one system returned.

    Attributes:
        name: Id of the run.
        rankings: Topic → :class:`Ranking`.
        source: File of the run, for messages.
        skipped: Topics of the file that were not read because their results are not needed.
        strategy: The overlap strategy that rewrote the run; empty for a run as it was read. With
            ``oracle``, the rankings are those of the run as it was read, and the evaluation orders
            them by gain under each user model.
        format: The format of its file; empty for a run that was not read from a file.

    >>> run = Run.of("bm25", {"163": [("co/2001/r7022", "/article/bdy/sec[4]")]})
    >>> list(run.rankings["163"])
    [('co/2001/r7022', '/article[1]/bdy[1]/sec[4]')]
    """

    name: str
    rankings: Mapping[str, Ranking]
    source: str = ""
    skipped: frozenset[str] = frozenset()
    strategy: str = ""
    format: str = ""

    def __post_init__(self) -> None:
        self.source = self.source or f"run {self.name}"

    @property
    def is_reference(self) -> bool:
        """Whether the run is a greedy reference, which the evaluation orders with the assessments."""
        return self.strategy == ORACLE or self.strategy.endswith(f"+{ORACLE}")

    @property
    def name_as_read(self) -> str:
        """The name before an overlap strategy rewrote the run.

        >>> Run("bm25+unique", {}, strategy="unique").name_as_read, Run("bm25", {}).name_as_read
        ('bm25', 'bm25')
        """
        return self.name.removesuffix(f"+{self.strategy}") if self.strategy else self.name

    def __repr__(self) -> str:
        return f"<Run {printable(self.name)}: {len(self.rankings)} topics>"

    def where(self, topic: str) -> str:
        """Return the file, the topic and the strategy, for messages.

        Ranks in messages are those of the rewritten ranking.

        >>> Run("bm25+unique", {}, "bm25.run", strategy="unique").where("163")
        'bm25.run, topic 163, strategy unique'
        """
        return f"{self.source}, topic {topic}" + f", strategy {self.strategy}" * bool(self.strategy)

    @cached_property
    def answered(self) -> frozenset[str]:
        """The topics with results."""
        return frozenset(topic for topic, ranking in self.rankings.items() if len(ranking))

    @classmethod
    def of(cls, name: str, results: Mapping[str, Iterable[object]]) -> Run:
        """Return the run of plain results.

        Args:
            name: Id of the run.
            results: Topic → results in rank order, or result → score; equal scores keep the order.
                A result is a (file, path) pair, ``"file#/path"``, ``"file#offset:length"``, or the name
                of a document.

        Raises:
            InputError: If a result or a score is illegal.
        """
        rankings = {}
        for topic, given in results.items():
            where = f"run {name}, topic {topic}"
            ordered, keys = given, None
            if isinstance(given, Mapping):
                ordered, keys = _ordered_by_score(given, where)
            found = [_result(result, f"{where}, rank {n}") for n, result in enumerate(ordered, 1)]
            rankings[str(topic)] = Ranking.of(found, keys, keys is not None)
        return cls(name, rankings)

    def top(self, depth: int | None) -> Run:
        """Return the run with the first ``depth`` results of each topic; all of them for None."""
        rankings = {topic: ranking.top(depth) for topic, ranking in self.rankings.items()}
        return replace(self, rankings=rankings)

    def to_text(self, format: str = "trec") -> tuple[str, list[str]]:
        r"""Return the content of a file with this run.

        Args:
            format: Name of a run format, for example ``inex``, ``trec`` or ``jsonl``.

        Returns:
            The text, and descriptions of what the format cannot hold.

        Raises:
            XcgError: If the format is unknown, is only read, or cannot hold the run's results, or if
                the run is a greedy reference.

        >>> Run.of("bm25", {"163": ["co/1#/article[1]", "co/2"]}).to_text("trec")
        ('163 Q0 co/1#/article[1] 1 2 bm25\n163 Q0 co/2 2 1 bm25\n', [])
        """
        if self.is_reference:
            raise XcgError(f"cannot write {self.name}: only an evaluation can order its results")
        write = RUN_FORMATS.get(format).write
        if write is None:
            raise XcgError(f"cannot write runs in the format {format!r}: it is only read")
        return write(self)

    def write(self, path: PathLike, format: str = "trec") -> list[str]:
        """Write the run to a file.

        Args:
            path: The file. It appears only when it is complete; an existing file is replaced.
            format: Name of a run format, for example ``inex``, ``trec`` or ``jsonl``.

        Returns:
            Descriptions of what the format cannot hold.

        Raises:
            XcgError: If the format is unknown, is only read, or cannot hold the run's results.
            InputError: If the file cannot be written.
        """
        text, lost = self.to_text(format)
        with whole_file(Path(path)) as file:
            file.write(text.encode())
        return lost


class Runs(list[Run]):
    """The runs of an evaluation, whose rankings share the names of documents and of paths.

    The documents and paths of a ranking are a :class:`NameColumn` each: 8 bytes for each result.

    Args:
        runs: The runs.
        names_of: Other runs, whose names are shared; by default, the names are new.

    Attributes:
        documents: The names of all documents.
        paths: All paths.

    >>> runs = Runs([Run.of("bm25", {"1": ["bees#/a", "ants#/a"], "2": ["bees#/a"]})])
    >>> runs.documents.texts, runs.paths.texts, list(runs[0].rankings["2"])
    (['bees', 'ants'], ['/a[1]'], [('bees', '/a[1]')])
    """

    def __init__(self, runs: Iterable[Run] = (), names_of: Runs | None = None) -> None:
        super().__init__()
        self.documents: Names = Names() if names_of is None else names_of.documents
        self.paths: Names = Names() if names_of is None else names_of.paths
        for run in runs:
            rankings = {topic: self.stored(ranking) for topic, ranking in run.rankings.items()}
            self.append(replace(run, rankings=rankings))

    def merge(self, others: Runs) -> None:
        """Add the runs of another process, whose names have other numbers."""
        rankings = [ranking for run in others for ranking in run.rankings.values()]
        for old, new in ((others.documents, self.documents), (others.paths, self.paths)):
            numbers = np.frombuffer(new.column(old.texts).numbers, np.int32)
            for column in (column for one in rankings for column in (one.files, one.paths)):
                if isinstance(column, NameColumn) and column.names is old:
                    renumbered = numbers[np.frombuffer(column.numbers, np.int32)]
                    column.numbers, column.names = array("i", renumbered.tobytes()), new
        self.extend(others)

    def stored(self, ranking: Ranking) -> Ranking:
        """Return a ranking whose documents and paths are columns with the names of these runs."""
        files, paths = self.documents.column(ranking.files), self.paths.column(ranking.paths)
        is_stored = files is ranking.files and paths is ranking.paths
        return ranking if is_stored else replace(ranking, files=files, paths=paths)

    def of_topics(self, topics: Collection[str]) -> Runs:
        """Return the runs with the rankings of some topics."""
        found = (
            replace(run, rankings={t: r for t, r in run.rankings.items() if t in topics})
            for run in self
        )
        return Runs(found, self)


class RunFormat(NamedTuple):
    """A file format for runs.

    Attributes:
        description: What the files hold, in one line.
        detect: Takes the first bytes of a file and returns how certain it is that the file has this
            format, from 0 to 1; True is 1.
        read: Reads an open file. Takes the file, its path for messages, the notes, the order of results
            with equal keys, and the topics whose results are needed. It may ignore the order, and
            return other topics too. With ``reads_chunks``, it also takes a
            :class:`xcg.runs.chunk_documents.ChunkSource`.
        write: Takes a run and returns the content of a file, and descriptions of what the format
            cannot hold. None for a format that is only read.
        reads_chunks: Whether the files can state the text of chunks.
    """

    description: str
    detect: Callable[[bytes], float]
    read: Callable[..., Run]
    write: Callable[[Run], tuple[str, list[str]]] | None = None
    reads_chunks: bool = False


RUN_FORMATS: Registry[RunFormat] = Registry("run format", "xcg.run_format", package="xcg.formats")
"""The file formats for runs by name."""


def _ordered_by_score(scored: Mapping[object, object], where: str) -> tuple[list[object], list[float]]:
    """Order results by decreasing score; equal scores keep their order."""
    rows = []
    for result, score in scored.items():
        number = finite_number(score)
        if number is None:
            raise InputError(where, f"the score of {result!r} is {score!r}: expected a finite number")
        rows.append((number, result))
    rows.sort(key=lambda row: -row[0])
    return [result for _, result in rows], [score for score, _ in rows]


def _result(result: object, where: str) -> tuple[str, str, AnySpan | None]:
    """Return document, path and span of a plain result."""
    try:
        match result:
            case str():
                return parse_result(result)
            case [str(file), str(path)]:
                return canonical_file(file), canonical_path(path), None
    except ValueError as error:
        raise InputError(where, str(error)) from None
    raise InputError(where, f"illegal result {result!r}: expected (file, path) or 'file#/path'")


def parse_result(text: str) -> tuple[str, str, AnySpan | None]:
    """Return document, path and span of ``file``, ``file#/path`` or ``file#offset:length``.

    >>> parse_result("d#12:30"), parse_result("d#X:0")
    (('d', '', (12, 42)), ('d', '', (-18, 0)))

    Raises:
        ValueError: If the name or the path is illegal.
    """
    file, element = split_at_mark(text)
    if not element or element.startswith("#/"):
        return *split_element_id(text), None
    offset, _, length = element[1:].partition(":")
    return canonical_file(file), "", span_of(offset, length)


def span_of(offset: str, length: str) -> tuple[int, int]:
    """Return the span of a stated offset and length; the offset ``X`` or ``-1`` is unknown.

    Raises:
        ValueError: If one of them is not a whole number of at most 15 digits.
    """
    if _is_length(offset) and _is_length(length):
        return (start := int(offset)), start + int(length)
    if offset in _UNKNOWN and (length in _UNKNOWN or _is_length(length)):
        return UNKNOWN_SPAN
    raise ValueError(
        f"illegal passage {offset[:20]!r} {length[:20]!r}: expected an offset and a length, whole "
        "numbers of at most 15 digits"
    )


def offset_and_length(span: tuple[int, int]) -> tuple[str, str]:
    """Return offset and length of a span as :func:`span_of` reads them."""
    start, end = span
    return "X" if span == UNKNOWN_SPAN else str(start), str(end - start)


def check_span(start: int, end: int) -> tuple[int, int]:
    """Return a span, which may be empty or :data:`UNKNOWN_SPAN`.

    Raises:
        ValueError: If it starts before the text, or ends before it starts.
    """
    if not 0 <= start <= end and (start, end) != UNKNOWN_SPAN:
        raise ValueError(f"start {start} and end {end}: expected 0 <= start <= end")
    return start, end
