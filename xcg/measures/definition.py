"""What a measure is, apart from how it is computed: declaration, parameters, and its printed name."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from xcg.errors import XcgError, nearest
from xcg.lazy_modules import np

if TYPE_CHECKING:
    import numpy.typing as npt

    from xcg.documents.text_units import TextUnit
    from xcg.measures.flat import JudgedRanking
    from xcg.measures.highlighted import HighlightedRanking
    from xcg.measures.text_effort import Reading

Parameters = Mapping[str, Any]
Curve = tuple[Sequence[float], Sequence[float]]
"""The points of a curve: where, and how high."""

Needs = Literal["gains", "scores", "grades", "text", "levels"]
"""What a measure looks at: the gains under a user model; the quantised scores of all judged elements,
whatever was seen; exhaustivity, specificity and sizes; highlighted text; levels of relevance."""


class GradedResult(NamedTuple):
    """A result as inex-eval-ng sees it.

    exhaustivity, specificity: mapped to 0 … 1. size: in characters. new: how many of them lie in no
    earlier result.
    """

    exhaustivity: float
    specificity: float
    size: int
    new: int


class RankingDetails(NamedTuple):
    """What a measure can use besides the gains; functions, so that only what is used is computed.

    Attributes:
        scores: The quantised score of each result in rank order, whatever the user has seen before.
        recall_base_scores: The quantised scores of all assessed elements.
        tie_groups: A group number for each result; tied results have the same number.
        overlaps: For the first n results (None: all), whether each contains, lies inside or repeats
            another one of them.
        grades: The results as inex-eval-ng uses them, and the sum of exhaustivity over all assessed
            elements.
        highlights: The ranking as text, with the highlighted text of the topic.
        system_scores: The scores by which the system ordered its results; None if it gave none.
        readings: The text and gain that the user reads in the run and in the ideal ranking, in a unit
            of text.
    """

    scores: Callable[[], Sequence[float]]
    recall_base_scores: Callable[[], Sequence[float]]
    tie_groups: Callable[[], Sequence[int]]
    overlaps: Callable[[int | None], Sequence[bool]]
    grades: Callable[[], tuple[Sequence[GradedResult], float]]
    highlights: Callable[[], HighlightedRanking]
    system_scores: Callable[[], Sequence[float] | None]
    readings: Callable[[TextUnit], tuple[Reading, Reading]]


@dataclass(frozen=True)
class TopicGains:
    """The gains of one ranking for one topic: the input of all measures.

    Attributes:
        gains: xG, the gain of each result in rank order.
        ideal: xI, the gains of the ideal ranking in decreasing order.
        not_retrieved: The number of ideal elements that the ranking does not retrieve.
        details: What some measures need besides the gains; None outside an evaluation.
    """

    gains: npt.ArrayLike
    ideal: npt.ArrayLike
    not_retrieved: int
    details: RankingDetails | None = None

    def required_details(self, name: str) -> RankingDetails:
        """Return the details of the ranking.

        Args:
            name: The measure that needs them, for the error message.

        Raises:
            XcgError: If there are only gains.
        """
        if self.details is None:
            raise XcgError(f"{name} needs more than gains: use it in an evaluation")
        return self.details


class Cutoff(NamedTuple):
    """What stands behind the @: its name in messages, and which numbers it may be."""

    name: str
    example: str
    whole: bool
    required: bool = True
    least: float = 0.0
    """What a number that is no rank must exceed, or reach where it is below 0."""


RANK = Cutoff("a rank from 1", "10", whole=True)
RANK_OR_ALL = Cutoff("a rank from 1", "10", whole=True, required=False)
RECALL = Cutoff("a recall point above 0 and at most 1", "0.1", whole=False)
RECALL_OR_MEAN = Cutoff("a recall point above 0 and at most 1", "0.1", whole=False, required=False)
RECALL_FROM_0 = Cutoff("a recall point from 0 to 1", "0.01", whole=False, least=-1.0)


class Number(NamedTuple):
    """A parameter that is a number: its default, and the range it must lie in."""

    default: float
    least: float
    most: float = math.inf
    whole: bool = False
    above: bool = False

    def read(self, text: str) -> float:
        """Return the number that a text says; ValueError with what was expected."""
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        legal = self.least < value if self.above else self.least <= value
        if not (legal and value <= self.most) or (self.whole and not value.is_integer()):
            raise ValueError(f"expected {self}")
        return value

    def __str__(self) -> str:
        kind = "a whole number" if self.whole else "a number"
        bound = f"above {self.least:g}" if self.above else f"from {self.least:g}"
        return f"{kind} {bound}" + (f" to {self.most:g}" if self.most < math.inf else "")


class Order(NamedTuple):
    """The order of a measure's values from best to worst.

    >>> Order(lower_is_better=True).best([5.2, 3.0]), HIGHER_IS_BETTER.best([5.2, 3.0])
    (3.0, 5.2)
    """

    lower_is_better: bool

    def sort_key(self, value: float) -> float:
        """Return a key that sorts better values first: ``sorted(values, key=order.sort_key)``."""
        return value if self.lower_is_better else -value

    def better(self, first: float, second: float) -> bool:
        """Return whether the first value is better than the second."""
        return self.sort_key(first) < self.sort_key(second)

    def best(self, values: Iterable[float]) -> float:
        """Return the best value; ValueError if there is none."""
        return min(values, key=self.sort_key)

    def rank(self, value: float, values: Iterable[float]) -> int:
        """Return the rank of a value among values, from 1; equal values share a rank.

        >>> [HIGHER_IS_BETTER.rank(value, [0.5, 0.7, 0.5]) for value in (0.7, 0.5)]
        [1, 2]
        """
        return 1 + sum(self.better(other, value) for other in values)


HIGHER_IS_BETTER = Order(lower_is_better=False)


@dataclass(frozen=True, eq=False)
class Definition:
    """The declaration of a measure.

    parameters: name → the values it may have, the first being the default unless the user model's
    ``effort`` says otherwise, or a :class:`Number`. compute: ``(topic, cutoff, parameters) → value``,
    None where the measure is not defined for the ranking, so that the topic stays out of its mean.
    needs: what it looks at. curve: the points that a plot draws. aggregate: makes the mean over topics
    of what ``aggregate_input`` gives for each, if that is not the mean of the topics' values. of_levels:
    computes a measure of levels in place of ``compute``; None if ir_measures does.
    """

    name: str
    title: str
    formula: str
    range: str
    source: str
    example: str
    compute: Callable[[TopicGains, float, Parameters], float | None]
    cutoff: Cutoff | None = None
    parameters: Mapping[str, tuple[str, ...] | Number] = field(default_factory=dict)
    caveat: str = ""
    lower_is_better: bool = False
    needs: Needs = "gains"
    curve: Callable[[TopicGains, int, Parameters], Curve] | None = None
    aggregate_input: Callable[[TopicGains, float, Parameters], object] | None = None
    aggregate: Callable[[Sequence[Any], float, Parameters], float] | None = None
    of_levels: Callable[[JudgedRanking, float, Parameters], float] | None = None

    @property
    def usage(self) -> str:
        """How the measure is written, with a cutoff where it takes one: ``nxCG@10``."""
        name = self.name
        if name in SHARED and self.needs != "levels":
            parameter, legal = next(iter(self.parameters.items()))
            assert isinstance(legal, Number)
            name += f"({parameter}={legal.default:g})"
        return f"{name}@{self.cutoff.example}" if self.cutoff else name

    @property
    def order(self) -> Order:
        """The order of this measure's values from best to worst."""
        return Order(self.lower_is_better)


@dataclass(frozen=True)
class Measure:
    """A measure as a user asks for it: a definition with its cutoff and parameters.

    ``str(measure)`` is its canonical name, which parses to the same measure.
    """

    definition: Definition
    cutoff: float = math.nan
    parameters: tuple[tuple[str, Any], ...] = ()

    def __str__(self) -> str:
        brackets = ",".join(f"{name}={_written(value)}" for name, value in self.parameters)
        name = f"{self.definition.name}({brackets})" if brackets else self.definition.name
        if self.definition.cutoff is None or math.isnan(self.cutoff):
            return name
        whole = self.cutoff.is_integer()
        return f"{name}@{int(self.cutoff) if whole else repr(self.cutoff)}"

    def settings(self, defaults: Mapping[str, str] | None = None) -> dict[str, Any]:
        """Return the values of all parameters; ``defaults`` are the user model's."""
        settings: dict[str, Any] = {
            name: values.default if isinstance(values, Number) else values[0]
            for name, values in self.definition.parameters.items()
        }
        settings.update({k: v for k, v in (defaults or {}).items() if k in settings})
        settings.update(self.parameters)
        if settings.get("effort", "ranks") != "ranks":
            for name, _ in self.parameters:
                if name in _OF_RANKS:
                    raise XcgError(
                        f"{name} is for effort in ranks, and here effort is paid in "
                        f"{settings['effort']}"
                    )
        return settings

    def compute(self, topic: TopicGains, defaults: Mapping[str, str] | None = None) -> float | None:
        """Return the value for one topic.

        Args:
            topic: The gains of the ranking.
            defaults: Values of parameters that the user model sets.

        Returns:
            The value; None if the measure is undefined for this ranking.
        """
        return self.definition.compute(topic, self.cutoff, self.settings(defaults))

    def curve(self, topic: TopicGains, depth: int, defaults: Mapping[str, str] | None = None) -> Curve:
        """Return the measure's curve for one topic; XcgError where it has none."""
        if self.definition.curve is None:
            raise XcgError(f"{self.definition.name} has no curve")
        return self.definition.curve(topic, depth, self.settings(defaults))

    def averages_values(self, defaults: Mapping[str, str] | None = None) -> bool:
        """Return whether the mean over topics is the arithmetic mean of the topics' values."""
        aggregates = self.definition.aggregate is not None
        return not aggregates or self.settings(defaults).get("mean") == "figures"

    def aggregate_input(
        self, topic: TopicGains, defaults: Mapping[str, str] | None = None
    ) -> object | None:
        """Return what :meth:`mean` needs of a topic besides its value; None if nothing."""
        if self.definition.aggregate_input is None or self.averages_values(defaults):
            return None
        return self.definition.aggregate_input(topic, self.cutoff, self.settings(defaults))

    def mean(
        self, values: Sequence[float], inputs: Sequence[object], defaults: Mapping[str, str] | None
    ) -> float:
        """Return the mean over topics.

        Args:
            values: The topics' values.
            inputs: The topics' results of :meth:`aggregate_input`; unused if the mean is arithmetic.
            defaults: Values of parameters that the user model sets.
        """
        if self.definition.aggregate is not None and not self.averages_values(defaults):
            return self.definition.aggregate(inputs, self.cutoff, self.settings(defaults))
        # fsum is exact, so the mean does not depend on the order of topics.
        return math.fsum(values) / len(values)


_OF_RANKS = ("interpolation", "unretrieved")
"""Parameters that say how a curve by rank is read; a curve over text is read in one way."""


def _written(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def vector(values: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Return numbers as a vector."""
    return np.asarray(values, dtype=np.float64)


def not_alone(topic: TopicGains, cutoff: float, parameters: Parameters) -> float | None:
    """Raise XcgError: what a measure of levels looks at is no gain."""
    raise XcgError(
        "a measure of levels of relevance is computed over a whole run: use it in an evaluation"
    )


SHARED = frozenset({"AP", "nDCG"})
"""Names of two measures: without parameters of the one on gains they mean the standard one."""

TREC_NAMES = frozenset(
    [
        "Accuracy",
        "ADR",
        "AP_IA",
        "Compat",
        "ERR",
        "ERR_IA",
        "IPrec",
        "infAP",
        "INSQ",
        "INST",
        "Judged",
        "nERR",
        "nNRBP",
        "NRBP",
        "NumQ",
        "NumRel",
        "NumRet",
        "P_IA",
        "RBP",
        "SDCG",
        "SetAP",
        "SetF",
        "SetP",
        "SetR",
        "StRecall",
    ]
)
"""What ir_measures calls its other measures, to know one where it is not installed."""

_PLAIN = re.compile(r"\s*(?:rel\s*=\s*[1-9][0-9]*)?\s*")  # whatever else, ir_measures computes
_MEASURE = re.compile(r"([A-Za-z]+)\s*(?:\(([^()]*)\))?\s*(?:@\s*([^\s@]+))?\Z")


class MeasureRegistry:
    """The measures by name, and the parser of what users write."""

    def __init__(self) -> None:
        self._definitions: dict[str, Definition] = {}

    def add(self, definition: Definition) -> None:
        """Register a definition under its name."""
        self._definitions[definition.name] = definition

    def __iter__(self) -> Iterator[Definition]:
        return iter(self._definitions.values())

    def named(self, name: str) -> Definition:
        """Return the definition of a name; XcgError with the nearest name for an unknown one.

        Where a standard measure has the name too, it is that of the measure on gains.
        """
        return self.all_named(name)[0]

    def all_named(self, name: str) -> list[Definition]:
        """Return the definitions of a name, the measure on gains before the standard one."""
        from xcg.measures.flat import STANDARD

        found = [known[name] for known in (self._definitions, STANDARD) if name in known]
        if not found:
            raise XcgError(
                f"unknown measure {name!r}: {nearest(name, {*self._definitions, *STANDARD})}"
            )
        return found

    def standard(self) -> list[Definition]:
        """Return the definitions of the standard measures, which iteration leaves out."""
        from xcg.measures.flat import STANDARD

        return list(STANDARD.values())

    def parse(self, text: str | Measure) -> Measure:
        """Return the measure that a text names: ``nxCG@10``, ``ep(interpolation=linear)@0.1``.

        Raises XcgError for an unknown name or parameter, and for a cutoff that is missing, illegal
        or not wanted.
        """
        if isinstance(text, Measure):
            return text
        text = text.strip().replace("µ", "mu").replace("μ", "mu")
        match = _MEASURE.match(text)
        if match is None:
            raise XcgError(
                f"{text!r} is no measure: expected one like nxCG@10 or MAep(unretrieved=max)"
            )
        name, brackets, at = match.groups()
        standard = self._standard(text, name, brackets, at)
        if standard is not None:
            return standard
        definition = self.named(name)
        return Measure(definition, _cutoff(definition, at), _parameters(definition, brackets))

    def order(self, name: str | Measure) -> Order:
        """Return the order of a measure's values from best to worst.

        A name that is not a measure here, as in results of another installation, means higher is
        better.
        """
        try:
            return self.parse(name).definition.order
        except XcgError:
            return HIGHER_IS_BETTER

    def _standard(self, text: str, name: str, brackets: str | None, at: str | None) -> Measure | None:
        """Return the measure of levels that a text means, None where it means another."""
        from xcg.measures.flat import STANDARD
        from xcg.measures.trec import trec_measure, trec_name

        known = name in self._definitions
        if known:
            given = [item.partition("=")[0].strip() for item in (brackets or "").split(",")]
            own = any(parameter in self._definitions[name].parameters for parameter in given)
            if own or not (name in SHARED or (name == "R" and at is not None)):
                return None
        measure = _standard_measure(name, brackets, at)
        if measure is not None:
            return measure
        try:
            canonical = trec_name(text)
        except XcgError:
            if known or name in STANDARD or name in TREC_NAMES:
                raise
            return None  # more likely a slip of the pen than a measure of a missing package
        if canonical is None:
            return None
        match = _MEASURE.match(canonical)
        return (match and _standard_measure(*match.groups())) or trec_measure(canonical)

    def parse_all(self, texts: str | Measure | Iterable[str | Measure]) -> list[Measure]:
        """Return the measures of a list, or of a text that separates them by white space or commas.

        A measure that is named twice is kept once. Raises XcgError as :meth:`parse`, and for none.
        """
        if isinstance(texts, Measure):
            texts = [texts]
        elif isinstance(texts, str):
            texts = split_measures(texts)
        measures = list(dict.fromkeys(self.parse(text) for text in texts))
        if not measures:
            raise XcgError("no measures: expected at least one, like nxCG@10")
        return measures


def _standard_measure(name: str, brackets: str | None, at: str | None) -> Measure | None:
    """Return the measure of ``xcg.measures.flat`` that is meant, None for what only ir_measures has."""
    from xcg.measures.flat import ALIASES, STANDARD

    definition = STANDARD.get(ALIASES.get(name, name))
    if definition is None or not _PLAIN.fullmatch(brackets or ""):
        return None
    parameters = _parameters(definition, brackets)
    return Measure(
        definition, _cutoff(definition, at), () if parameters == (("rel", 1),) else parameters
    )


def split_measures(text: str) -> list[str]:
    """Split a list of measures at white space and commas outside brackets.

    >>> split_measures("nxCG@10, ep(interpolation=linear)@0.1 MAep")
    ['nxCG@10', 'ep(interpolation=linear)@0.1', 'MAep']
    """
    return re.findall(r"[^\s,(]+(?:\([^)]*\)?[^\s,(]*)?|\([^\s]*", text)


def _cutoff(definition: Definition, at: str | None) -> float:
    cutoff = definition.cutoff
    if cutoff is None:
        if at is not None:
            raise XcgError(f"{definition.name} takes no cutoff: expected {definition.usage}")
        return math.nan
    problem = f"expected {cutoff.name}, like {definition.usage}"
    if at is None and not cutoff.required:
        return math.nan
    if at is None:
        raise XcgError(f"{definition.name} lacks its cutoff: {problem}")
    number = re.compile(r"[0-9]{1,9}" if cutoff.whole else r"[0-9]*\.?[0-9]+(?:[eE]-?[0-9]+)?")
    if not number.fullmatch(at):
        raise XcgError(f"{definition.name}@{at}: {problem}")
    value = float(at)
    if not (value >= 1 if cutoff.whole else cutoff.least < value <= 1):
        raise XcgError(f"{definition.name}@{at}: {problem}")
    return value


def _parameters(definition: Definition, brackets: str | None) -> tuple[tuple[str, Any], ...]:
    given: dict[str, Any] = {}
    for item in (brackets or "").split(","):
        if not item.strip():
            continue
        name, equals, value = (part.strip() for part in item.partition("="))
        value = value.strip("'\"")
        if name not in definition.parameters:
            hint = nearest(name, definition.parameters) if definition.parameters else "it takes none"
            raise XcgError(f"{definition.name} has no parameter {name!r}: {hint}")
        if name in given:
            raise XcgError(f"{definition.name}: the parameter {name} stands twice")
        legal = definition.parameters[name]
        problem = f"{definition.name}: illegal {name} {value!r}: "
        if isinstance(legal, Number):
            try:
                given[name] = legal.read(value)
            except ValueError as error:
                raise XcgError(problem + str(error)) from None
        elif not equals or value not in legal:
            raise XcgError(problem + nearest(value, legal))
        else:
            given[name] = value
    return tuple((name, given[name]) for name in definition.parameters if name in given)
