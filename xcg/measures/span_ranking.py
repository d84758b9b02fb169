"""A ranking of spans of text, with the gold spans of its topic; offsets are in characters."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from xcg.documents.intervals import IntervalSet
from xcg.documents.text_units import TextUnit, UnitConverter
from xcg.errors import InputError
from xcg.measures.highlighted_ranking import RelevantText
from xcg.measures.judged_ranking import JudgedRanking
from xcg.user_model.effort import EffortUnit

MAX_COMPARISONS = 4_000_000
"""The maximum number of pairs of a result and a gold span that one ranking compares."""

Gold = Mapping[str, Sequence[tuple[int, int, float]]]
"""Document → relevant passages: start, end, and a grade above 0."""


class ReadText(NamedTuple):
    """The text that a ranking returns up to some rank or amount of text, in characters.

    Attributes:
        found: Text of gold spans; text that is returned twice counts once.
        returned: All text; text that is returned twice counts twice.
        distinct: All text; text that is returned twice counts once.
    """

    found: int = 0
    returned: int = 0
    distinct: int = 0

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

    >>> ranking = SpanRanking([("d", 0, 40), ("e", 0, 60)], {"d": [(10, 30, 1.0), (90, 110, 1.0)]})
    >>> ranking.read_up_to([1, 2])
    [ReadText(found=20, returned=40, distinct=40), ReadText(found=20, returned=100, distinct=100)]
    >>> ranking.judged(overlap=0.5)[:3]
    ([1], [1], [1, 1])
    """

    results: Sequence[tuple[str, int, int]]
    gold: Gold
    converter: Callable[[TextUnit, str], UnitConverter] | None = None
    unknown: Sequence[int] = ()
    _read_texts: dict[tuple[float, EffortUnit], ReadText] = field(default_factory=dict, repr=False)

    @cached_property
    def relevant_text(self) -> Mapping[str, RelevantText]:
        """Document → its relevant text. Text in several gold spans counts once."""
        return {file: RelevantText(pieces) for file, pieces in self._distinct_gold.items()}

    @cached_property
    def relevant(self) -> int:
        """Number of relevant characters. A character in several gold spans counts once."""
        return sum(end - start for pieces in self._distinct_gold.values() for start, end in pieces)

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
        missing = {file: _best_first(spans) for file, spans in self.gold.items()}
        judged = [int(grade) for spans in missing.values() for _, _, grade in spans]
        ranks, levels, others, comparisons = [], [], [], 0
        for rank, (file, start, end) in enumerate(self.results, 1):
            spans = missing.get(file)
            if not spans or start >= end:
                continue
            comparisons += len(spans)
            _check_comparisons(comparisons, file)
            found = [
                (low, high, grade)
                for low, high, grade in spans
                if low < end and start < high and contained_share(low, high, start, end) >= overlap
            ]
            if found:
                ranks.append(rank)
                levels.append(int(found[0][2]))
                others += [(rank, int(grade)) for _, _, grade in found[1:]]
                taken = set(found)
                missing[file] = [span for span in spans if span not in taken]
        return JudgedRanking(ranks, levels, judged, len(self.results), others=others)

    def shares(self) -> Iterator[tuple[int, tuple[str, int, int], float]]:
        """Yield the share of each gold span that each result contains, if it contains any of it.

        A result is relevant to the standard measures if this share is at least their ``overlap``.

        Yields:
            The rank of the result; document, start and end of the gold span; the share, above 0.

        Raises:
            InputError: If results are compared with more than :data:`MAX_COMPARISONS` gold spans.

        >>> list(SpanRanking([("d", 0, 40)], {"d": [(30, 50, 1.0)]}).shares())
        [(1, ('d', 30, 50), 0.5)]
        """
        distinct = {file: _best_first(spans) for file, spans in self.gold.items()}
        comparisons = 0
        for rank, (file, start, end) in enumerate(self.results, 1):
            spans = distinct.get(file, ())
            comparisons += len(spans)
            _check_comparisons(comparisons, file)
            for low, high, _ in spans:
                if max(low, start) < min(high, end):
                    yield rank, (file, low, high), contained_share(low, high, start, end)

    def text_at(self, cutoff: float, unit: EffortUnit = "ranks") -> ReadText:
        """Return what the user has read at a cutoff. Several measures use the same values."""
        key = cutoff, unit
        if key not in self._read_texts:
            (self._read_texts[key],) = self.read_up_to([cutoff], unit)
        return self._read_texts[key]

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
        for result in self.results:
            start, cost = self._start_and_cost(result, unit)
            while len(amounts) < len(limits) and limits[len(amounts)] < effort + cost:
                left = limits[len(amounts)] - effort
                part = self._first_part(result, unit, start, left)
                amounts.append(total.plus(self._read(part, seen)))
            if len(amounts) == len(limits):
                return amounts
            total = total.plus(self._read(result, seen))
            seen[result[0]].add(*result[1:])
            effort += cost
        return amounts + [total] * (len(limits) - len(amounts))

    def _read(self, result: tuple[str, int, int], seen: Mapping[str, IntervalSet[int]]) -> ReadText:
        """Return what a result adds to the text that was seen before."""
        file, start, end = result
        if start < 0:
            return ReadText(0, end - start, end - start)
        new = [piece[:2] for piece in seen[file].split(start, end) if not piece[2]]
        gold = self.relevant_text.get(file)
        found = sum(gold.count(*piece) for piece in new) if gold is not None else 0
        return ReadText(found, end - start, sum(high - low for low, high in new))

    def _start_and_cost(self, result: tuple[str, int, int], unit: EffortUnit) -> tuple[float, float]:
        """Return the amount of text before a result in its document, and the cost of the result."""
        file, start, end = result
        if unit == "ranks" or start == end:
            return 0.0, 1.0
        if start < 0:  # unknown text counts like text at the document's start
            start, end = 0, end - start
        first, last = self._converter(unit, file).amounts([start, end]).tolist()
        return first, last - first

    def _first_part(
        self, result: tuple[str, int, int], unit: EffortUnit, first: float, amount: float
    ) -> tuple[str, int, int]:
        """Return the part of a result that the user reads with an amount of effort below its cost."""
        file, start, end = result
        if unit == "ranks" or start == end or amount <= 0:
            return file, start, start
        offset = round(float(self._converter(unit, file).offsets([first + amount])[0]))
        return file, start, min(max(start, offset + min(start, 0)), end)

    def _converter(self, unit: TextUnit, file: str) -> UnitConverter:
        assert self.converter is not None
        return self.converter(unit, file)


def contained_share(low: int, high: int, start: int, end: int) -> float:
    """Return the share of the text from low to high that is in the text from start to end.

    >>> contained_share(10, 30, 0, 15)
    0.25
    """
    return (min(high, end) - max(low, start)) / (high - low)


def _check_comparisons(comparisons: int, file: str) -> None:
    if comparisons > MAX_COMPARISONS:
        raise InputError(
            file,
            f"the results are compared with more than {MAX_COMPARISONS:,} gold spans: expected "
            "fewer results or gold spans from one document",
        )


def _merged(spans: Sequence[tuple[int, int, float]]) -> list[tuple[int, int]]:
    """Return the text of gold spans as disjoint pieces in document order."""
    pieces: list[tuple[int, int]] = []
    for start, end, _ in sorted(spans):
        if pieces and start <= pieces[-1][1]:
            pieces[-1] = pieces[-1][0], max(end, pieces[-1][1])
        else:
            pieces.append((start, end))
    return pieces


def _best_first(spans: Sequence[tuple[int, int, float]]) -> list[tuple[int, int, float]]:
    """Return gold spans with different offsets, best grade first, then in document order."""
    best: dict[tuple[int, int], float] = {}
    for start, end, grade in spans:
        best[start, end] = max(grade, best.get((start, end), 0.0))
    return sorted(((*span, grade) for span, grade in best.items()), key=lambda s: (-s[2], s[:2]))
