"""Read spans of text: the gain of each result by the relevant text that it shows first.

This is the form of :mod:`xcg.gains.element_reader` for results that need not be elements: chunks,
passages, and elements that are scored as the text that they contain. Relevant text is given as gold
spans, or as the spans of the ideal elements, so the ideal does not depend on how documents were cut.
The definitions are xcg's own; docs/decisions/measures.md states where they agree with the form
for elements.

Text is measured in a unit: characters, words or tokens. Positions in a document are counted in this
unit too.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from xcg.documents.text_units import IntervalSet
from xcg.errors import InputError
from xcg.gains.reader import RELATIVE_THRESHOLD, EarlierView
from xcg.runs.columns import FunctionCache
from xcg.user_model.relevance_value import Charge, RelevanceValue

TextSpan = tuple[str, int, int]
"""A result: its document, and the characters start … end - 1. A result without text has start = end;
the characters of a result with an unknown offset are before the text."""
UnitSpan = tuple[float, float]
"""Start and end of a text in units."""

MAX_PIECES = 4_000_000
"""The maximum number of pieces of gold spans in the results from one document in a ranking.

It applies if text that was seen before can gain. Then every result gains on all gold spans in it,
whatever the results before it.
"""


class GoldSpan(NamedTuple):
    """A relevant passage with its score."""

    start: float
    end: float
    score: float


class GainedPart(NamedTuple):
    """A part of a result with an even gain, and the number of the gold span that it belongs to."""

    start: float
    end: float
    gain: float
    gold: int


def disjoint(spans: Iterable[GoldSpan]) -> list[GoldSpan]:
    r"""Return gold spans that share no text, in document order.

    Text of several spans belongs to the one with the highest score; of equal ones to the first, then
    to the longest. What remains of the others keeps its share of their score: of a gold span g with
    score q, a piece p has the score q·|p| / |g|. Spans with score 0 are dropped.

    >>> for span in disjoint([GoldSpan(0, 100, 0.5), GoldSpan(20, 40, 1.0), GoldSpan(20, 40, 1.0)]):
    ...     print(*span)
    0 20 0.1
    20 40 1.0
    40 100 0.3
    """
    covered: IntervalSet[float] = IntervalSet()
    pieces = []
    for start, end, score in sorted(spans, key=lambda s: (-s.score, s.start, -s.end)):
        if score > 0:
            pieces += [
                GoldSpan(low, high, score * (high - low) / (end - start))
                for low, high in covered.add(start, end)
            ]
    return sorted(pieces)


class ReadResult(NamedTuple):
    """A result after reading: its start and end in units, its gain, and the parts with a gain.

    ``other`` is the amount of its text that the document does not have. It is read first.
    """

    start: float
    end: float
    gain: float
    parts: Sequence[GainedPart]
    other: float = 0.0

    def stretches(self, charge: Charge = "as_read") -> list[tuple[float, float]]:
        """Return the (text, gain) pairs that the user pays for one after the other.

        A result without text costs one unit, because the user has to look at it.

        Args:
            charge: With ``as_read``, text is paid in its order, so text after the last gain of a result
                costs nothing if the user stops there. With ``whole``, text without a gain is paid
                first; then come the parts with a gain, in the order of the text.

        >>> result = ReadResult(0, 40, 1.0, [GainedPart(10, 30, 1.0, 0)])
        >>> result.stretches(), result.stretches("whole")
        ([(10, 0.0), (20, 1.0), (10, 0.0)], [(10, 0.0), (10, 0.0), (20, 1.0)])
        """
        if self.start == self.end:
            return [(self.other or 1.0, 0.0)]
        if not self.parts:  # most results
            return [(self.other + self.end - self.start, 0.0)]
        pairs = [(self.other, 0.0)]
        position = self.start
        for part in self.parts:
            pairs += [(part.start - position, 0.0), (part.end - part.start, part.gain)]
            position = part.end
        pairs.append((self.end - position, 0.0))
        if charge == "whole":
            pairs.sort(key=lambda pair: pair[1] > 0)  # stable: gains stay in the order of the text
        return [(text, gain) for text, gain in pairs if text > 0]

    def text_before_gold(self, charge: Charge) -> dict[int, float]:
        """Return for each gold span with a gain the text that the user pays before its first gain.

        >>> result = ReadResult(0, 40, 1.0, [GainedPart(10, 30, 1.0, 0)])
        >>> result.text_before_gold("as_read"), result.text_before_gold("whole")
        ({0: 10.0}, {0: 20.0})
        """
        before: dict[int, float] = {}
        gaining = 0.0
        for part in reversed(self.parts):
            gaining += part.end - part.start
            whole = charge == "whole"
            text = self.end - self.start - gaining if whole else part.start - self.start
            before[part.gold] = self.other + text
        return before


class SpanReader:
    """A user who reads spans of one document's text in rank order.

    It implements :class:`xcg.gains.reader.Reader`. Results are (start, end) in units; ideal parts are
    numbers of gold spans. For every gold span g with score q that shares text with a result s, s gains

        q·(|s ∩ g, not seen before| + (1 − α)·|s ∩ g, seen before|) / |g|

    With the normalisations ``subtree`` and ``related``, the gains on g add up to at most q. They are
    equal, because text is used up by position.

    Args:
        gold: Disjoint spans in document order, in units.
        relevance_value: The relevance value function of the user model.
        name: The name of the document, for messages.

    Attributes:
        earned: The gain so far on each gold span.
        steps: Number of pieces of text that were compared to compute gains.

    >>> reader = SpanReader([GoldSpan(10, 20, 1.0)], RelevanceValue(alpha=1.0))
    >>> round(reader.read((0, 14)), 3), round(reader.read((12, 30)), 3)
    (0.4, 0.6)
    """

    def __init__(
        self, gold: Sequence[GoldSpan], relevance_value: RelevanceValue, name: str = ""
    ) -> None:
        self.gold = gold
        self._name = name
        self._pieces = 0
        self.steps = 0
        self.earned = [0.0] * len(gold)
        self._ends = [span.end for span in gold]
        self._share_if_seen = 1 - relevance_value.alpha
        self._normalised = relevance_value.normalisation.name != "none"
        self._covered: IntervalSet[float] = IntervalSet()
        self._read: list[UnitSpan] = []
        self._threshold = RELATIVE_THRESHOLD * max((span.score for span in gold), default=0.0)

    def read(self, result: UnitSpan) -> float:
        """Read the next result and return its gain."""
        return self.read_parts(result).gain

    def read_parts(self, result: UnitSpan) -> ReadResult:
        """Read the next result and return the gain of each of its parts.

        Raises:
            InputError: If the results consist of more than :data:`MAX_PIECES` pieces of gold spans.
        """
        if self._share_if_seen:
            before = self.steps
            parts, earned = self._gained_parts(self._pieces_of_gold(*result))
            self._pieces += self.steps - before
            if self._pieces > MAX_PIECES:
                raise InputError(
                    self._name or "the document",
                    f"the results repeat more than {MAX_PIECES} pieces of gold spans: expected fewer "
                    "results from one document, or the user model's alpha 1",
                )
            self._covered.add(*result)
        else:
            parts, earned = self._gained_parts(self._new_gold(self._covered.add(*result)))
        for number, total in earned.items():
            self.earned[number] = total
        self._read.append(result)
        return ReadResult(*result, self._total(parts), parts)

    def gain_of(self, result: UnitSpan) -> float:
        """Return what a result would gain if it were read next."""
        if self._share_if_seen:
            return self._total(self._gained_parts(self._pieces_of_gold(*result))[0])
        pieces = self._covered.split(*result)
        new = [(low, high) for low, high, seen in pieces if not seen]
        self.steps += len(pieces) - len(new)
        return self._total(self._gained_parts(self._new_gold(new))[0])

    def raised_by(self, result: UnitSpan) -> Sequence[UnitSpan]:
        """Return nothing: reading only lowers what other results show for the first time."""
        return ()

    def _total(self, parts: Sequence[GainedPart]) -> float:
        total = sum((part.gain for part in parts), 0.0)
        return total if total >= self._threshold else 0.0

    def _gained_parts(
        self, pieces: Iterable[tuple[int, float, float, bool]]
    ) -> tuple[list[GainedPart], dict[int, float]]:
        """Return the parts of a result that would gain, and the gain on each gold span after it.

        Args:
            pieces: The pieces of the result: gold span, start, end, and whether it was seen.
        """
        parts: list[GainedPart] = []
        earned: dict[int, float] = {}
        for number, low, high, seen in pieces:
            gold = self.gold[number]
            density = gold.score / (gold.end - gold.start)
            gain, stop = density * (high - low) * (self._share_if_seen if seen else 1.0), high
            before = earned.get(number, self.earned[number])
            if self._normalised:
                left = max(0.0, gold.score - before)
                if left <= RELATIVE_THRESHOLD * gold.score:
                    continue
                if gain > left:  # used up before the end of this piece
                    gain, stop = left, low + (high - low) * left / gain
            if gain > 0:
                earned[number] = before + gain
                parts.append(GainedPart(low, stop, gain, number))
        return parts, earned

    def _pieces_of_gold(self, start: float, end: float) -> Iterator[tuple[int, float, float, bool]]:
        """Yield the pieces of gold in a result, new or seen."""
        for number in self._gold_in((start, end)):
            gold = self.gold[number]
            pieces = self._covered.split(max(start, gold.start), min(end, gold.end))
            self.steps += len(pieces)
            for low, high, seen in pieces:
                yield number, low, high, seen

    def _new_gold(self, pieces: Iterable[tuple[float, float]]) -> list[tuple[int, float, float, bool]]:
        """Return the pieces of gold in new text. Each text is new only once."""
        found = []
        for low, high in pieces:
            related = self._gold_in((low, high))
            self.steps += 1 + len(related)
            for number in related:
                gold = self.gold[number]
                found.append((number, max(low, gold.start), min(high, gold.end), False))
        return found

    def score(self, result: UnitSpan) -> float:
        """Return what a result would gain if the user had seen nothing."""
        numbers = self._gold_in(result)
        return sum(self.gold[number].score * self.overlap(number, result) for number in numbers)

    def value(self, result: UnitSpan) -> float | None:
        """Return None: the gain follows from the text that is new, without a value of its own."""
        return None

    def related(self, result: UnitSpan) -> list[int]:
        """Return the numbers of the gold spans that share text with a result."""
        return self._gold_in(result)

    def _gold_in(self, result: UnitSpan) -> list[int]:
        start, end = result
        first = last = bisect_right(self._ends, start)
        while last < len(self.gold) and self.gold[last].start < end:
            last += 1
        return list(range(first, last if start < end else first))

    def overlap(self, gold: int, result: UnitSpan) -> float:
        """Return the share of a gold span that a result shows."""
        span = self.gold[gold]
        shown = min(result[1], span.end) - max(result[0], span.start)
        return shown / (span.end - span.start)

    def remaining(self, ideal: int) -> float:
        """Return what can still be gained on a gold span."""
        return max(0.0, self.gold[ideal].score - self.earned[ideal])

    def retrieved(self) -> int:
        """Return the number of gold spans on which something was gained."""
        return sum(
            earned > 0 and earned >= RELATIVE_THRESHOLD * gold.score
            for gold, earned in zip(self.gold, self.earned, strict=True)
        )

    def seen(self, result: UnitSpan) -> EarlierView:
        """Return how much of a result earlier results had shown, and which."""
        start, end = result
        amount = self.seen_text(start, end)
        if not amount:
            return EarlierView("no", [])
        spans = enumerate(self._read)
        earlier = [number for number, span in spans if max(start, span[0]) < min(end, span[1])]
        whole = amount >= (end - start) * (1 - RELATIVE_THRESHOLD)
        return EarlierView("fully" if whole else "partly", earlier)

    def seen_text(self, start: float, end: float) -> float:
        """Return how much text of a span earlier results had shown, in units."""
        return self._covered.amount(start, end)


class SpanTopic:
    """The gold spans of one topic in a unit of text, and readers of them.

    Args:
        gold: Document → gold spans in characters, which may overlap.
        in_units: Function (document, start, end) → start and end of the text in units.

    Attributes:
        gold: Document → disjoint gold spans in units, in document order.
        files: The documents in which results can gain.
    """

    def __init__(
        self, gold: Mapping[str, Sequence[GoldSpan]], in_units: Callable[[str, float, float], UnitSpan]
    ) -> None:
        self._in_units = in_units
        pieces = {
            document: disjoint(
                GoldSpan(*in_units(document, span.start, span.end), span.score) for span in spans
            )
            for document, spans in gold.items()
        }
        self.gold = {document: spans for document, spans in pieces.items() if spans}
        self.files: Collection[str] = self.gold.keys()

    def readers(self, relevance_value: RelevanceValue) -> FunctionCache[str, SpanReader]:
        """Return document → its new reader."""
        return FunctionCache(
            lambda document: SpanReader(self.gold.get(document, ()), relevance_value, document)
        )

    def in_units(self, results: Iterable[TextSpan]) -> list[UnitSpan | None]:
        """Return start and end of each result in units; None for a result without known text."""
        in_units = self._in_units
        return [
            in_units(document, start, end) if 0 <= start < end else None
            for document, start, end in results
        ]

    def read(
        self,
        results: Sequence[TextSpan],
        relevance_value: RelevanceValue,
        other: Mapping[int, float] = MappingProxyType({}),
    ) -> tuple[list[ReadResult], int]:
        """Read a ranking.

        Args:
            results: The results in rank order.
            relevance_value: The relevance value function of the user model.
            other: Position → amount of the text of a result that its document does not have.

        Returns:
            The results after reading, and the number of gold spans without a gain.
        """
        read, readers = [], self.readers(relevance_value)
        for result, span in zip(results, self.in_units(results), strict=True):
            if span is None:
                read.append(self.unread(*result))
            elif result[0] in self.files:
                read.append(readers[result[0]].read_parts(span))
            else:
                read.append(ReadResult(*span, 0.0, ()))
        for position, amount in other.items():
            read[position] = read[position]._replace(other=amount)
        return read, self.missed(readers)

    def missed(self, readers: Mapping[str, SpanReader]) -> int:
        """Return the number of gold spans on which readers of a ranking gained nothing."""
        retrieved = sum(reader.retrieved() for reader in readers.values())
        return sum(map(len, self.gold.values())) - retrieved

    def unread(self, document: str, start: int, end: int) -> ReadResult:
        """Return a result without known text. It is as long as such a text at the document's start."""
        length = self._in_units(document, 0, end - start)[1] if start < end else 0.0
        return ReadResult(0.0, length, 0.0, ())
