"""Relevance values of spans of text: what a result is worth by the text that it shows.

The form of :mod:`xcg.gains.element_reader` for results that need not be elements: chunks, passages, and
elements taken for the text that they span. Relevant text is given as gold spans, or as the spans of the
ideal elements, so that the ideal depends on the judgements alone and not on how documents were cut.
The definitions are xcg's own; docs/decisions.md says where they agree with the form for elements.

Text is measured in a unit, characters, words or tokens, and places in it are counted in that unit.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from xcg.documents.intervals import IntervalSet
from xcg.documents.text_units import UnitConverter
from xcg.gains.element_reader import NEGLIGIBLE
from xcg.user_model.relevance_value import RelevanceValue

Result = tuple[str, int, int]
"""A result: its document, and the characters start … end - 1 of its text; none where it has no text."""


class GoldSpan(NamedTuple):
    """Relevant text that is worth a score, from one place of a document to another."""

    start: float
    end: float
    score: float


class Gained(NamedTuple):
    """A stretch of a result over which the reader gains evenly, on the gold span of that number."""

    start: float
    end: float
    gain: float
    gold: int


def disjoint(spans: Iterable[GoldSpan]) -> list[GoldSpan]:
    r"""Return gold spans that share no text, in order.

    Text that several hold belongs to the one with the highest score, of equal ones to the first, then
    to the longest. What is left of the others is worth their score in proportion: of a gold span g with
    score q, a piece p is worth q·|p| / |g|. Spans without a score above 0 are left out.

    >>> for span in disjoint([GoldSpan(0, 100, 0.5), GoldSpan(20, 40, 1.0), GoldSpan(20, 40, 1.0)]):
    ...     print(*span)
    0 20 0.1
    20 40 1.0
    40 100 0.3
    """
    taken: IntervalSet[float] = IntervalSet()
    pieces = []
    for start, end, score in sorted(spans, key=lambda s: (-s.score, s.start, -s.end)):
        if score > 0:
            pieces += [
                GoldSpan(low, high, score * (high - low) / (end - start))
                for low, high in taken.add(start, end)
            ]
    return sorted(pieces)


class SpanReader:
    """A user who reads spans of one document's text and remembers what was seen.

    A result s gains, on every gold span g with score q of which it shows text,

        q·(|s ∩ g, not seen before| + (1 − α)·|s ∩ g, seen before|) / |g|

    and with ``normalisation: subtree`` never more in all than q.

    gold: disjoint spans in order.

    >>> reader = SpanReader([GoldSpan(10, 20, 1.0)], RelevanceValue(alpha=1.0))
    >>> [round(sum(part.gain for part in reader.read(*span)), 3) for span in [(0, 14), (12, 30)]]
    [0.4, 0.6]
    """

    def __init__(self, gold: Sequence[GoldSpan], relevance_value: RelevanceValue) -> None:
        self.gold = gold
        self._ends = [span.end for span in gold]
        self._again = 1 - relevance_value.alpha
        self._bounded = relevance_value.normalisation == "subtree"
        self._seen: IntervalSet[float] = IntervalSet()
        self.earned = [0.0] * len(gold)
        """What was gained on each gold span."""

    def left(self, gold: int) -> float:
        """Return what is left to be gained on a gold span."""
        return max(0.0, self.gold[gold].score - self.earned[gold])

    def touched(self, start: float, end: float) -> range:
        """Return the numbers of the gold spans of which a result shows text."""
        first = last = bisect_right(self._ends, start)
        while last < len(self.gold) and self.gold[last].start < end:
            last += 1
        return range(first, last if start < end else first)

    def worth(self, start: float, end: float) -> float:
        """Return what a result would gain if nothing had been seen."""
        return sum(
            gold.score * (min(end, gold.end) - max(start, gold.start)) / (gold.end - gold.start)
            for gold in (self.gold[number] for number in self.touched(start, end))
        )

    def seen(self, start: float, end: float) -> float:
        """Return how much of a result's text was seen before."""
        return sum(high - low for low, high, seen in self._seen.split(start, end) if seen)

    def read(self, start: float, end: float) -> list[Gained]:
        """Return where the next result gains how much, and remember it as seen."""
        gained = []
        for number in self.touched(start, end):
            gold = self.gold[number]
            density = gold.score / (gold.end - gold.start)
            for low, high, seen in self._seen.split(max(start, gold.start), min(end, gold.end)):
                gain, stop = density * (high - low) * (self._again if seen else 1.0), high
                if self._bounded:
                    left = self.left(number)
                    if left < NEGLIGIBLE:
                        continue
                    if gain > left:  # used up on the way
                        gain, stop = left, low + (high - low) * left / gain
                if gain > 0:
                    self.earned[number] += gain
                    gained.append(Gained(low, stop, gain, number))
        self._seen.add(start, end)
        return gained


class ReadResult(NamedTuple):
    """A result that was read: its place in units of text, and what was gained where."""

    start: float
    end: float
    gained: Sequence[Gained]

    @property
    def gain(self) -> float:
        """The gain of the result as a whole."""
        total = sum(part.gain for part in self.gained)
        return total if total >= NEGLIGIBLE else 0.0

    def stretches(self) -> list[tuple[float, float]]:
        """Return the (text, gain) pairs that the reader goes through.

        A result without text costs one unit, for it has to be looked at.
        """
        if self.start == self.end:
            return [(1.0, 0.0)]
        found = []
        place = self.start
        for part in self.gained:
            found += [(part.start - place, 0.0), (part.end - part.start, part.gain)]
            place = part.end
        return [(text, gain) for text, gain in (*found, (self.end - place, 0.0)) if text > 0]


class SpanTopic:
    """The gold of one topic, and readers of it.

    gold: document → gold spans in characters, which may overlap. converter: finds how the text of a
    document is measured.
    """

    def __init__(
        self, gold: Mapping[str, Sequence[GoldSpan]], converter: Callable[[str], UnitConverter]
    ) -> None:
        self._converter = converter
        self.gold = {
            document: disjoint(
                GoldSpan(*_units(converter(document), span.start, span.end), span.score)
                for span in spans
            )
            for document, spans in gold.items()
        }
        """Document → gold spans that share no text, in units."""

    def read(
        self,
        results: Iterable[Result],
        relevance_value: RelevanceValue,
        watch: Callable[[int, float, float, SpanReader], None] | None = None,
    ) -> tuple[list[ReadResult], int]:
        """Return the results as a user reads them, and from how many gold spans nothing was gained.

        watch: called with place, start, end and the document's reader before each result is read.
        """
        readers: dict[str, SpanReader] = {}
        found = []
        for place, (document, first, last) in enumerate(results):
            if first == last:
                found.append(ReadResult(0.0, 0.0, ()))
                continue
            start, end = _units(self._converter(document), first, last)
            reader = readers.get(document)
            if reader is None:
                reader = SpanReader(self.gold.get(document, ()), relevance_value)
                readers[document] = reader
            if watch is not None:
                watch(place, start, end, reader)
            found.append(ReadResult(start, end, reader.read(start, end)))
        missed = sum(map(len, self.gold.values())) - sum(
            sum(earned >= NEGLIGIBLE for earned in reader.earned) for reader in readers.values()
        )
        return found, missed


def _units(converter: UnitConverter, start: float, end: float) -> tuple[float, float]:
    first, last = converter.amounts([start, end]).tolist()
    return first, last
