"""Rankings as measures of text see them: spans of text."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate
from typing import Literal, NamedTuple

from xcg.documents.text_units import IntervalSet, TextUnit, UnitConverter
from xcg.errors import InputError
from xcg.measures.judged_rankings import JudgedRanking, NuggetRanking, Nuggets
from xcg.user_model.relevance_value import EffortUnit

MAX_COMPARISONS = 4_000_000
"""The maximum number of pairs of a result and a gold span that one ranking compares."""
_FEW_PASSAGES = 8  # are counted twice as fast one by one

TextSpan = tuple[str, int, int]
"""A document, and the characters start to end - 1 of its text."""
Spans = Sequence[tuple[int, int]]
Gold = Mapping[str, Sequence[tuple[int, int, float]]]
"""Document → relevant passages: start, end, and a grade above 0."""
Repeated = Literal["always", "once", "official"]
"""How text counts that an earlier result contains. ``once``: it is not read again. ``official``: the
same in documents with relevant text; in other documents it is read each time, as ``always``."""


@dataclass(frozen=True)
class HighlightedRanking:
    """The characters that a ranking returns, and those that are relevant.

    A document is relevant if its relevant size is above 0. The text of passages is relevant in every
    document.

    Attributes:
        results: (document, start, end) in rank order; a result is the characters start to end - 1 of
            the document's text. Results can be empty. A result that begins before the text has an
            unknown offset; no other result is known to repeat it.
        highlighted: Document → relevant passages (start, end). Text in several passages counts for each
            of them.
        entry_points: Document → character offset of the best entry point; None if the assessments
            have no entry points.
        mean_length: Returns the mean length of the corpus's documents; None without a corpus.
        stated_sizes: Document → its relevant size, if the assessments state it. By default the relevant
            size is the sum of the passages' lengths.
        length: Returns the length of a document's text; None if it is unknown.
        unknown: Indices of the results whose text is unknown, because the documents lack them.
        other: For each result, the characters of its text that the document does not have; none if
            empty.

    >>> ranking = HighlightedRanking([("d", 0, 100), ("e", 0, 50)], {"d": [(0, 80)], "f": [(0, 120)]})
    >>> ranking.relevant, ranking.amounts("always")
    (200, [(100, 80), (50, 0)])
    """

    results: Sequence[TextSpan]
    highlighted: Mapping[str, Spans]
    entry_points: Mapping[str, int] | None = None
    mean_length: Callable[[], float] | None = None
    stated_sizes: Mapping[str, int] = field(default_factory=dict)
    length: Callable[[str], int | None] | None = None
    unknown: Sequence[int] = ()
    other: Sequence[int] = ()

    @cached_property
    def relevant_in(self) -> dict[str, int]:
        """Relevant document → its relevant size."""
        stated = self.stated_sizes
        sizes = {file: _size(spans) for file, spans in self.highlighted.items() if file not in stated}
        return {file: size for file, size in {**sizes, **stated}.items() if size > 0}

    @cached_property
    def relevant(self) -> int:
        """Trel, the relevant size of the topic."""
        return sum(self.relevant_in.values())

    @cached_property
    def relevant_text(self) -> Mapping[str, RelevantText]:
        """Document → its passages; only for documents with both results and passages."""
        documents = {document for document, _, _ in self.results}
        passages = self.highlighted
        return {file: RelevantText(passages[file]) for file in documents if passages.get(file)}

    def pieces(self, repeated: Repeated) -> list[list[tuple[int, int]]]:
        """Return for each result the parts of it that are read."""
        once, in_these = repeated == "once", self.relevant_in if repeated == "official" else ()
        seen: defaultdict[str, IntervalSet[int]] = defaultdict(IntervalSet)
        return [
            seen[file].add(start, end) if start >= 0 and (once or file in in_these) else [(start, end)]
            for file, start, end in self.results
        ]

    def amounts(self, repeated: Repeated) -> list[tuple[int, int]]:
        """Return for each result how many characters of it are read, and how many are relevant."""
        text = {file: text for file, text in self.relevant_text.items() if file in self.relevant_in}
        other = self.other or [0] * len(self.results)
        amounts = []
        for (file, _, _), pieces, unstated in zip(
            self.results, self.pieces(repeated), other, strict=True
        ):
            of_file, size, relevant = text.get(file), unstated, 0
            for start, end in pieces:
                size += end - start
                relevant += 0 if of_file is None else of_file.count(start, end)
            amounts.append((size, relevant))
        return amounts

    def articles(self) -> dict[str, list[tuple[int, int]]]:
        """Return document → its results, with documents in the order of their first result."""
        grouped: dict[str, list[tuple[int, int]]] = {}
        for document, start, end in self.results:
            grouped.setdefault(document, []).append((start, end))
        return grouped

    def read(self, document: str, pieces: Iterable[tuple[int, int]], limit: float) -> tuple[int, int]:
        """Read pieces of a document's text in order.

        Args:
            document: The document's name.
            pieces: (start, end) of what is read; no character occurs twice.
            limit: Number of characters after which reading stops.

        Returns:
            The number of characters read, and how many of them are relevant.
        """
        text = self.relevant_text.get(document)
        size = relevant = 0
        for start, end in pieces:
            stop = int(min(end, start + limit - size))
            size += stop - start
            relevant += text.count(start, stop) if text is not None else 0
        return size, relevant


class RelevantText:
    """The relevant passages of one document.

    Stored are the offsets where passages start and end, so that neither time nor memory depends on the
    length of the document.

    Args:
        passages: (start, end) in any order; they may be empty and may overlap.

    >>> text = RelevantText([(10, 30), (20, 40)])
    >>> text.count(0, 25), list(text.stretches(0, 25))
    (20, [(10, 0), (10, 1), (5, 2)])
    """

    def __init__(self, passages: Spans) -> None:
        self._passages = passages

    @cached_property
    def _offsets(self) -> tuple[list[int], list[int], list[int], list[int]]:
        """The sorted starts and ends of the passages, and the sums of the first of them."""
        starts = sorted([start for start, _ in self._passages])
        ends = sorted([end for _, end in self._passages])
        return starts, ends, [*accumulate(starts, initial=0)], [*accumulate(ends, initial=0)]

    def count(self, start: int, end: int) -> int:
        """Return the number of relevant characters from start to end - 1."""
        if len(self._passages) > _FEW_PASSAGES:
            return self._count_before(end) - self._count_before(start)
        total = 0
        for first, last in self._passages:
            if first < end and start < last:
                total += min(end, last) - max(start, first)
        return total

    def _count_before(self, offset: int) -> int:
        starts, ends, sums_of_starts, sums_of_ends = self._offsets
        started, ended = bisect_right(starts, offset), bisect_right(ends, offset)
        return (started - ended) * offset - sums_of_starts[started] + sums_of_ends[ended]

    def stretches(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        """Yield the length of each stretch from start to end - 1, and in how many passages it is."""
        starts, ends, *_ = self._offsets
        while start < end:
            started, ended = bisect_right(starts, start), bisect_right(ends, start)
            stop = min([end, *starts[started : started + 1], *ends[ended : ended + 1]])
            yield stop - start, started - ended
            start = stop


def _size(spans: Spans) -> int:
    return sum([end - start for start, end in spans])


class ReadText(NamedTuple):
    """The text that a ranking returns up to some rank or amount of text, in characters.

    Attributes:
        found: Text of gold spans; text that is returned twice counts once.
        returned: All text; text that is returned twice counts twice.
    """

    found: int = 0
    returned: int = 0

    def plus(self, other: ReadText) -> ReadText:
        """Return the sums of both."""
        return ReadText(*(a + b for a, b in zip(self, other, strict=True)))


@dataclass(frozen=True)
class SpanRanking:
    """The results of a ranking as spans of text, and the gold spans of its topic.

    Attributes:
        results: (document, start, end) in rank order. A result without known text is empty. A result
            that begins before the text has an unknown offset; it contains no gold span.
        gold: Document → its gold spans. They may overlap.
        converter: (unit, document) → how the text of the document is measured in the unit.
        unknown: Indices of the results whose text is unknown, because the documents lack them.
        other: Index → text of a result that its document does not have. It is read before the span.
        amount: (unit, text) → how much text that is.
        nuggets: Gold span → its nuggets, for gold spans that state nuggets.

    >>> ranking = SpanRanking([("d", 0, 40), ("e", 0, 60)], {"d": [(10, 30, 1.0), (90, 110, 1.0)]})
    >>> ranking.read_up_to([1, 2])
    [ReadText(found=20, returned=40), ReadText(found=20, returned=100)]
    >>> ranking.judged(overlap=0.5)[:3]
    ([1], [1], [1, 1])
    """

    results: Sequence[TextSpan]
    gold: Gold
    converter: Callable[[TextUnit, str], UnitConverter] | None = None
    unknown: Sequence[int] = ()
    other: Mapping[int, str] = field(default_factory=dict)
    amount: Callable[[TextUnit, str], float] | None = None
    nuggets: Mapping[TextSpan, Nuggets] = field(default_factory=dict)

    @cached_property
    def relevant_text(self) -> Mapping[str, RelevantText]:
        """Document → its relevant text. Text in several gold spans counts once."""
        return {file: RelevantText(pieces) for file, pieces in self._distinct_gold.items()}

    @cached_property
    def relevant(self) -> int:
        """Number of relevant characters. A character in several gold spans counts once."""
        return sum(map(_size, self._distinct_gold.values()))

    @cached_property
    def _distinct_gold(self) -> dict[str, list[tuple[int, int]]]:
        return {file: _merged(spans) for file, spans in self.gold.items()}

    def ideal(self) -> SpanRanking:
        """Return the ranking of the relevant text itself, longest pieces first."""
        pieces = [(file, *piece) for file, found in self._distinct_gold.items() for piece in found]
        pieces.sort(key=lambda piece: piece[1] - piece[2])
        return SpanRanking(pieces, self.gold, self.converter)

    def judged(self, overlap: float) -> JudgedRanking:
        """Return the levels of relevance of the results.

        A result finds a gold span if it contains at least the share ``overlap`` of the span, and no
        earlier result found the span. Its level is the best grade that it finds. Gold spans with the
        same offsets are one gold span with the best of their grades.

        Raises:
            InputError: If results are compared with more than :data:`MAX_COMPARISONS` gold spans.
        """
        grades = {(file, *span[:2]): int(span[2]) for file, span in self._different_gold()}
        found: dict[int, list[int]] = {}
        taken: set[TextSpan] = set()
        stated: list[dict[str, float]] = [{} for _ in self.results] if self.nuggets else []
        for rank, span, share in self.shares():
            if share >= overlap and span in self.nuggets:
                stated[rank - 1].update(self.nuggets[span])
            if share >= overlap and span not in taken:
                taken.add(span)
                found.setdefault(rank, []).append(grades[span])
        others = [(rank, level) for rank, (_, *levels) in found.items() for level in levels]
        best = [levels[0] for levels in found.values()]
        pool = [nuggets for _, nuggets in sorted(self.nuggets.items(), reverse=True)]
        return JudgedRanking(
            list(found),
            best,
            [*grades.values()],
            len(self.results),
            others=others,
            nuggets=NuggetRanking(stated, pool, {}) if self.nuggets else None,
        )

    def shares(self) -> Iterator[tuple[int, TextSpan, float]]:
        """Yield the share of each gold span that each result contains, if it contains any of it.

        A result is relevant to the standard measures if this share is at least their ``overlap``.

        Yields:
            The rank of the result; document, start and end of the gold span; the share, above 0.

        Raises:
            InputError: If results are compared with more than :data:`MAX_COMPARISONS` gold spans.

        >>> list(SpanRanking([("d", 0, 40)], {"d": [(30, 50, 1.0)]}).shares())
        [(1, ('d', 30, 50), 0.5)]
        """
        distinct: dict[str, list[tuple[int, int]]] = {}
        for file, (low, high, _) in self._different_gold():
            distinct.setdefault(file, []).append((low, high))
        comparisons = 0
        for rank, (file, start, end) in enumerate(self.results, 1):
            spans = distinct.get(file, ())
            comparisons += len(spans)
            if comparisons > MAX_COMPARISONS:
                raise InputError(
                    file,
                    f"the results are compared with more than {MAX_COMPARISONS:,} gold spans: expected "
                    "fewer results or gold spans from one document",
                )
            for low, high in spans:
                contained = min(high, end) - max(low, start)
                if contained > 0:
                    yield rank, (file, low, high), contained / (high - low)

    def _different_gold(self) -> Iterator[tuple[str, tuple[int, int, float]]]:
        """Yield documents and gold spans with different offsets, best grade first in a document."""
        for file, spans in self.gold.items():
            best: dict[tuple[int, int], float] = {}
            for start, end, grade in spans:
                best[start, end] = max(grade, best.get((start, end), 0.0))
            for span, grade in sorted(best.items(), key=lambda item: (-item[1], item[0])):
                yield file, (*span, grade)

    def read_up_to(self, limits: Sequence[float], unit: EffortUnit = "ranks") -> list[ReadText]:
        """Return what the user has read after each amount of effort in ``limits``.

        A result without text costs one unit, because the user looks at it. A result that a budget cuts
        counts up to the nearest character.

        Args:
            limits: Ranks, or amounts of text; increasing, from 0; infinity for all results.
            unit: What the limits count.
        """
        seen: defaultdict[str, IntervalSet[int]] = defaultdict(IntervalSet)
        total, effort = ReadText(), 0.0
        amounts: list[ReadText] = []
        for result, other, start, before, cost in self._costs(unit):
            while len(amounts) < len(limits) and limits[len(amounts)] < effort + cost:
                left = limits[len(amounts)] - effort
                part = self._first_part(result, unit, start, left - before)
                shown = round(len(other) * min(left / before, 1.0)) if before else 0
                amounts.append(total.plus(self._read(part, seen)).plus(ReadText(0, shown)))
            if len(amounts) == len(limits):
                return amounts
            total = total.plus(self._read(result, seen)).plus(ReadText(0, len(other)))
            seen[result[0]].add(*result[1:])
            effort += cost
        return amounts + [total] * (len(limits) - len(amounts))

    def parts_up_to(self, limit: float, unit: EffortUnit) -> list[TextSpan]:
        """Return the results that the user reads with an amount of effort, the last one cut."""
        parts: list[TextSpan] = []
        effort = 0.0
        for result, _, start, before, cost in self._costs(unit):
            if limit < effort + cost:
                return [*parts, self._first_part(result, unit, start, limit - effort - before)]
            parts.append(result)
            effort += cost
        return parts

    def _read(self, result: TextSpan, seen: Mapping[str, IntervalSet[int]]) -> ReadText:
        """Return what a result adds to the text that was seen before."""
        file, start, end = result
        if start < 0:
            return ReadText(0, end - start)
        gold = self.relevant_text.get(file)
        if gold is None:
            return ReadText(0, end - start)
        new = [piece[:2] for piece in seen[file].split(start, end) if not piece[2]]
        return ReadText(sum(gold.count(*piece) for piece in new), end - start)

    def _costs(self, unit: EffortUnit) -> Iterator[tuple[TextSpan, str, float, float, float]]:
        """Yield each result with what it costs.

        Yields:
            The result; its text that its document does not have; the amount of text before the result
            in its document; the cost of that other text, which is read first; and the whole cost.
        """
        for position, (file, start, end) in enumerate(self.results):
            other, first, before, cost = self.other.get(position, ""), 0.0, 0.0, 1.0
            if unit != "ranks" and start != end:
                known = max(start, 0)  # unknown text counts like text at the document's start
                converter = self._converter(unit, file)
                first, last = converter.amounts([known, known + end - start]).tolist()
                cost = last - first
            if unit != "ranks" and other:
                assert self.amount is not None
                before = self.amount(unit, other)
                cost = before + (cost if start < end else 0.0)
            yield (file, start, end), other, first, before, cost

    def _first_part(self, result: TextSpan, unit: EffortUnit, first: float, amount: float) -> TextSpan:
        """Return the part of a result that the user reads with an amount of effort below its cost."""
        file, start, end = result
        if unit == "ranks" or start == end or amount <= 0:
            return file, start, start
        offset = round(float(self._converter(unit, file).offsets([first + amount])[0]))
        return file, start, min(max(start, offset + min(start, 0)), end)

    def _converter(self, unit: TextUnit, file: str) -> UnitConverter:
        assert self.converter is not None
        return self.converter(unit, file)


def _merged(spans: Sequence[tuple[int, int, float]]) -> list[tuple[int, int]]:
    """Return the text of gold spans as disjoint pieces in document order."""
    pieces: list[tuple[int, int]] = []
    for start, end, _ in sorted(spans):
        if pieces and start <= pieces[-1][1]:
            pieces[-1] = pieces[-1][0], max(end, pieces[-1][1])
        else:
            pieces.append((start, end))
    return pieces
