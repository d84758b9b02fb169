"""Read spans of text that state nuggets: the same information gains once, wherever it is read.

For an alternative a of a nugget n, share(a) is the share of its text that was read, and seen(n) the
highest share of its alternatives. A result that raises seen(n) by Δ, and of whose text the largest
share of one alternative is M, gains v(n)·(Δ + (1 − α)·(M − Δ)), where v(n) is the score of n.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from xcg.documents.text_units import IntervalSet
from xcg.gains.span_reader import GainedPart, GoldSpan, ReadResult, SpanReader, SpanTopic, UnitSpan
from xcg.measures.nuggets import greedy
from xcg.runs.columns import FunctionCache
from xcg.user_model.relevance_value import RelevanceValue

Alternative = tuple[str, float, float]
"""A text that states a nugget: document, start and end."""


class Nugget(NamedTuple):
    """A fact or subtopic, the score of its grade, and the texts each of which states it.

    ``level`` is its grade.
    """

    name: str
    score: float
    level: float
    alternatives: Sequence[Alternative]

    @property
    def label(self) -> str:
        """What answers call it."""
        return f"nugget {self.name}"


class Shown(NamedTuple):
    """What a result contains of the alternative of which it contains most.

    ``share`` is the share of its text, and ``start`` and ``end`` are those of the common text.
    """

    share: float
    start: float
    end: float
    alternative: int


class SeenNuggets:
    """What a user has seen of the nuggets of a topic.

    Attributes:
        seen: Of each nugget the highest share of an alternative that was read.

    >>> nuggets = SeenNuggets([Nugget("n", 1.0, 1.0, [("a", 0, 100), ("b", 40, 90)])], alpha=0.5)
    >>> [nuggets.read("a", (0, 60))[0].gain, nuggets.read("b", (0, 90))[0].gain]
    [0.6, 0.7]
    """

    def __init__(self, nuggets: Sequence[Nugget], alpha: float) -> None:
        self.nuggets = nuggets
        self.seen = [0.0] * len(nuggets)
        self._share_if_seen = 1 - alpha
        self._covered: defaultdict[str, IntervalSet[float]] = defaultdict(IntervalSet)
        self._stated: defaultdict[str, list[tuple[int, int, float, float]]] = defaultdict(list)
        for number, nugget in enumerate(nuggets):
            for alternative, (file, start, end) in enumerate(nugget.alternatives):
                self._stated[file].append((number, alternative, start, end))

    def shown(self, file: str, result: UnitSpan) -> dict[int, Shown]:
        """Return nugget → what a result shows of it."""
        best: dict[int, Shown] = {}
        for number, alternative, start, end in self._stated.get(file, ()):
            low, high = max(start, result[0]), min(end, result[1])
            share = (high - low) / (end - start)
            if share > 0 and (number not in best or share > best[number].share):
                best[number] = Shown(share, low, high, alternative)
        return best

    def gained(self, file: str, result: UnitSpan) -> tuple[list[GainedPart], dict[int, float]]:
        """Return what a result would gain on each nugget, and how much of them would be seen.

        The gain on a nugget is spread evenly over the text of the alternative of which the result
        contains the largest share.
        """
        covered, shown = self._covered[file], self.shown(file, result)
        seen = {number: self.seen[number] for number in shown}
        for number, _, start, end in self._stated.get(file, ()) if shown else ():
            low, high = max(start, result[0]), min(end, result[1])
            if low < high:
                new = high - low - covered.amount(low, high)
                share = (covered.amount(start, end) + new) / (end - start)
                seen[number] = max(share, seen[number])
        parts = []
        for number, one in shown.items():
            rise = seen[number] - self.seen[number]
            repeated = max(0.0, one.share - rise)
            gain = self.nuggets[number].score * (rise + self._share_if_seen * repeated)
            if gain > 0:
                parts.append(GainedPart(one.start, one.end, gain, number))
        return parts, seen

    def cut_by(self, file: str, result: UnitSpan) -> list[UnitSpan]:
        """Return the alternatives of which a result contains a part, but not all."""
        low, high = result
        found = [(start, end) for *_, start, end in self._stated.get(file, ())]
        return [(a, b) for a, b in found if a < high and low < b and not (low <= a and b <= high)]

    def read(self, file: str, result: UnitSpan) -> list[GainedPart]:
        """Read a result and return its gain on each nugget."""
        parts, seen = self.gained(file, result)
        for number, share in seen.items():
            self.seen[number] = share
        self._covered[file].add(*result)
        return parts


def _joined(parts: Sequence[GainedPart]) -> list[GainedPart]:
    """Return parts that share no text, with the sums of the gains of parts that may share some."""
    offsets = sorted({offset for part in parts for offset in part[:2]})
    joined = []
    for low, high in pairwise(offsets):
        here = [part for part in parts if part.start <= low and high <= part.end]
        if here:
            gain = sum(part.gain * (high - low) / (part.end - part.start) for part in here)
            joined.append(GainedPart(low, high, gain, here[0].gold))
    return joined


class NuggetSpanReader(SpanReader):
    """A user who reads spans of one document; what was seen of nuggets is shared with other documents.

    Numbers of parts with a gain are those of gold spans, and then those of nuggets.
    """

    def __init__(
        self, gold: Sequence[GoldSpan], relevance_value: RelevanceValue, file: str, seen: SeenNuggets
    ) -> None:
        super().__init__(gold, relevance_value, file)
        self._file = file
        self.nuggets = seen
        self._asked: dict[UnitSpan, None] = {}

    def read_parts(self, result: UnitSpan) -> ReadResult:
        """Read the next result and return the gain of each of its parts."""
        plain = super().read_parts(result)
        parts = self.nuggets.read(self._file, result)
        if not parts:
            return plain
        parts = [part._replace(gold=part.gold + len(self.gold)) for part in parts]
        gain = plain.gain + sum(part.gain for part in parts)
        return plain._replace(gain=gain, parts=_joined([*plain.parts, *parts]))

    def shown(self, result: UnitSpan) -> dict[int, Shown]:
        """Return number → what a result shows of a nugget."""
        found = self.nuggets.shown(self._file, result)
        return {len(self.gold) + number: shown for number, shown in found.items()}

    def related(self, result: UnitSpan) -> list[int]:
        """Return the numbers of the gold spans and nuggets that a result can gain from."""
        return [*super().related(result), *self.shown(result)]

    def score(self, result: UnitSpan) -> float:
        """Return what a result would gain if the user had seen nothing."""
        found = self.nuggets.shown(self._file, result).items()
        scores = [self.nuggets.nuggets[number].score * shown.share for number, shown in found]
        return super().score(result) + sum(scores)

    def remaining(self, ideal: int) -> float:
        """Return what can still be gained on a gold span or a nugget by new information."""
        number = ideal - len(self.gold)
        if number < 0:
            return super().remaining(ideal)
        return self.nuggets.nuggets[number].score * (1 - self.nuggets.seen[number])

    def raised_by(self, result: UnitSpan) -> list[UnitSpan]:
        """Return the results with other parts of an alternative of which this one contains a part.

        Its text can complete them, so that they show more than another alternative did.
        """
        cut = self.nuggets.cut_by(self._file, result)
        return [
            one for one in self._asked if any(one[0] < end and start < one[1] for start, end in cut)
        ]

    def gain_of(self, result: UnitSpan) -> float:
        """Return what a result would gain if it were read next."""
        self.steps += 1
        self._asked[result] = None
        parts, _ = self.nuggets.gained(self._file, result)
        return super().gain_of(result) + sum(part.gain for part in parts)


class NuggetTopic(SpanTopic):
    """The gold spans and the nuggets of one topic in a unit of text.

    Args:
        gold: Document → gold spans without nuggets, in characters.
        in_units: As for :class:`SpanTopic`.
        nuggets: The nuggets, in characters.
    """

    def __init__(
        self,
        gold: Mapping[str, Sequence[GoldSpan]],
        in_units: Callable[[str, float, float], UnitSpan],
        nuggets: Sequence[Nugget],
    ) -> None:
        super().__init__(gold, in_units)
        self.nuggets = [
            one._replace(alternatives=[(a[0], *in_units(*a)) for a in one.alternatives])
            for one in nuggets
        ]
        self.files = self.gold.keys() | {a[0] for one in nuggets for a in one.alternatives}

    def readers(self, relevance_value: RelevanceValue) -> FunctionCache[str, SpanReader]:
        """Return document → its new reader."""
        seen = SeenNuggets(self.nuggets, relevance_value.alpha)
        return FunctionCache(
            lambda file: NuggetSpanReader(self.gold.get(file, ()), relevance_value, file, seen)
        )

    def missed(self, readers: Mapping[str, SpanReader]) -> int:
        """Return the number of gold spans and nuggets on which readers of a ranking gained nothing."""
        with_nuggets = (one for one in readers.values() if isinstance(one, NuggetSpanReader))
        reader = next(with_nuggets, None)
        seen = reader.nuggets.seen if reader is not None else [0.0] * len(self.nuggets)
        return super().missed(readers) + seen.count(0.0)

    def ideal(
        self, relevance_value: RelevanceValue, per_text: bool
    ) -> list[tuple[str, UnitSpan, float]]:
        """Return (document, span, gain) of the greedy ideal ranking of gold spans and alternatives.

        Args:
            relevance_value: The relevance value function of the user model.
            per_text: Whether to take the greatest gain per unit of text, instead of per result.
        """
        items = [(file, (span[0], span[1])) for file, spans in self.gold.items() for span in spans]
        stated = {a: None for one in self.nuggets for a in one.alternatives}
        items += [(file, (start, end)) for file, start, end in sorted(stated)]
        readers = self.readers(relevance_value)

        def gain_of(item: int) -> float:
            file, (start, end) = items[item]
            return readers[file].gain_of((start, end)) / (end - start if per_text else 1)

        ideal = []
        for item, _ in greedy(len(items), gain_of):
            file, span = items[item]
            gain = readers[file].read(span)
            if gain > 0:
                ideal.append((file, span, gain))
        return ideal
