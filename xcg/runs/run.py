"""A run: topic → ranking of elements."""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from io import BufferedReader
from pathlib import Path
from typing import Literal, NamedTuple

from xcg.documents.files import PathLike, whole_file
from xcg.documents.passage_points import Passage
from xcg.documents.paths import canonical_file, canonical_path, split_element_id
from xcg.errors import InputError, Notes, XcgError
from xcg.lazy_modules import np
from xcg.registry import Registry

Ties = Literal["document", "rank", "file"]
"""How TREC results of one score are ordered: by document id descending as trec_eval does, by the
rank that is written, or as they stand in the file."""

AnySpan = tuple[int, int] | Passage
"""A result that is a passage: (start, end) in characters of the document's text, or two points."""

Topics = Container[str] | None
"""The topics of which a run's results are wanted; None for all."""

TIES: tuple[Ties, ...] = ("document", "rank", "file")


class Ranking:
    """The results for one topic in order, as two columns of equal length.

    files: canonical file names. paths: canonical element paths, ``"/"`` for a whole document, ``""``
    for a result that names no element (which readers only let through where errors are lenient) or is
    a passage. spans: place → (start, end) for the results that are passages, characters of the
    document's text. keys: the ranks or scores that ordered the results, equal for those that are tied;
    without any the order is strict.
    """

    __slots__ = ("files", "keys", "paths", "spans")

    def __init__(
        self,
        files: Sequence[str],
        paths: Sequence[str],
        spans: Mapping[int, AnySpan] | None = None,
        keys: Sequence[float] | None = None,
    ) -> None:
        self.files = files
        self.paths = paths
        self.spans: Mapping[int, AnySpan] = spans or {}
        self.keys = keys

    def top(self, depth: int | None) -> Ranking:
        """Return the ranking of the first results; of all for None."""
        if depth is None or depth >= len(self):
            return self
        spans = {place: span for place, span in self.spans.items() if place < depth}
        keys = self.keys[:depth] if self.keys is not None else None
        return Ranking(self.files[:depth], self.paths[:depth], spans, keys)

    def __len__(self) -> int:
        return len(self.files)

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return zip(self.files, self.paths, strict=True)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Ranking) and list(self) == list(other) and self.spans == other.spans

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<Ranking of {len(self)} results>"


class Run:
    """What one system returned.

    name: the run's id. rankings: topic → :class:`Ranking`. source: where it was read, for messages.
    skipped: the topics that it answers too, and that were not read because nobody asked for them.

    >>> run = Run.of("bm25", {"163": [("co/2001/r7022", "/article/bdy/sec[4]")]})
    >>> list(run.rankings["163"])
    [('co/2001/r7022', '/article[1]/bdy[1]/sec[4]')]
    """

    def __init__(
        self,
        name: str,
        rankings: Mapping[str, Ranking],
        source: str = "",
        skipped: Iterable[str] = (),
    ) -> None:
        self.name = name
        self.rankings = rankings
        self.source = source or f"run {name}"
        self.skipped = frozenset(skipped)

    def __repr__(self) -> str:
        return f"<Run {self.name}: {len(self.rankings)} topics>"

    @property
    def answered(self) -> frozenset[str]:
        """The topics with results."""
        return frozenset(topic for topic, ranking in self.rankings.items() if len(ranking))

    @classmethod
    def of(cls, name: str, results: Mapping[str, Iterable[object]]) -> Run:
        """Return the run of topic → results in order.

        A result is a (file, path) pair, or a string: ``file#/path``, or a document's name for the
        whole of it. A mapping from strings to scores is ordered as a TREC run is. Raises InputError
        for a result that is neither.
        """
        rankings = {}
        for topic, ranked in results.items():
            files, paths, keys = [], [], None
            in_order: Iterable[object] = ranked
            if isinstance(ranked, Mapping):
                in_order, keys = _by_score(ranked, f"run {name}, topic {topic}")
            for rank, result in enumerate(in_order, 1):
                where = f"run {name}, topic {topic}, rank {rank}"
                try:
                    file, path = _file_and_path(result)
                except ValueError as error:
                    raise InputError(where, str(error)) from None
                files.append(file)
                paths.append(path)
            rankings[str(topic)] = Ranking(files, paths, keys=keys)
        return cls(name, rankings)

    def to_text(self, format: str = "trec") -> tuple[str, list[str]]:
        r"""Return the content of a file with this run.

        Args:
            format: Name of a run format, for example ``inex``, ``trec`` or ``jsonl``.

        Returns:
            The text, and descriptions of what the format cannot hold.

        Raises:
            XcgError: If the format is unknown, is only read, or cannot hold the run's results.

        >>> Run.of("bm25", {"163": ["co/1#/article[1]", "co/2"]}).to_text("trec")
        ('163 Q0 co/1#/article[1] 1 2 bm25\n163 Q0 co/2 2 1 bm25\n', [])
        """
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


class RunFormat(NamedTuple):
    """A file format for runs.

    Attributes:
        description: What the files hold, in one line.
        detect: Takes the first bytes of a file and returns how certain it is that the file has this
            format, from 0 to 1; True is 1.
        read: Reads an open file. Takes the file, its path for messages, the notes, the order of tied
            results, and the topics whose results are needed; it may return other topics too.
        write: Takes a run and returns the content of a file, and descriptions of what the format
            cannot hold. None for a format that is only read.
    """

    description: str
    detect: Callable[[bytes], float]
    read: Callable[[BufferedReader, Path, Notes, Ties, Topics], Run]
    write: Callable[[Run], tuple[str, list[str]]] | None = None


RUN_FORMATS: Registry[RunFormat] = Registry("run format", "xcg.run_format", package="xcg.formats")
"""The file formats for runs by name."""


def _by_score(scored: Mapping[object, object], where: str) -> tuple[list[object], list[float]]:
    """Order results by score in single precision, and by id descending where scores are equal."""
    rows = []
    for result, score in scored.items():
        if isinstance(score, bool) or not isinstance(score, (int, float)) or not math.isfinite(score):
            raise InputError(where, f"the score of {result!r} is {score!r}: expected a finite number")
        rows.append((float(np.float32(score)), str(result), result))
    rows.sort(key=lambda row: row[:2], reverse=True)
    return [result for _, _, result in rows], [score for score, _, _ in rows]


def _file_and_path(result: object) -> tuple[str, str]:
    if isinstance(result, str):
        return split_element_id(result)
    if isinstance(result, Sequence) and len(result) == 2 and all(isinstance(x, str) for x in result):
        return canonical_file(result[0]), canonical_path(result[1])
    raise ValueError(f"illegal result {result!r}: expected (file, path) or 'file#/path'")


def ranking_of(
    results: Iterable[tuple[str, str, AnySpan | None]], keys: Sequence[float] | None = None
) -> Ranking:
    """Return the ranking of (file, path, span) results; a path of ``""`` goes with a span."""
    files, paths, spans = [], [], {}
    for place, (file, path, span) in enumerate(results):
        files.append(file)
        paths.append(path)
        if span is not None:
            spans[place] = span
    return Ranking(files, paths, spans, keys)


def check_span(start: int, end: int) -> tuple[int, int]:
    """Return a span; ValueError for one that is empty or begins before the text."""
    if not 0 <= start < end:
        raise ValueError(f"start {start} and end {end}: expected 0 <= start < end")
    return start, end


def order_by(keys: Sequence[float], descending: bool = False) -> list[int]:
    """Return the stable order of the keys: equal keys stay as written."""
    column = np.asarray(keys, dtype=np.float64)
    return np.argsort(-column if descending else column, kind="stable").tolist()  # type: ignore[no-any-return]


class Memo(dict[str, str]):
    """A function of strings that remembers its answers, for spellings that come again and again."""

    __slots__ = ("_function",)

    def __init__(self, function: Callable[[str], str]) -> None:
        self._function = function

    def __missing__(self, text: str) -> str:
        self[text] = answer = self._function(text)
        return answer
