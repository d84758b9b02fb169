"""Declarations of measures, and measures as users ask for them: with a cutoff and parameters."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple, cast, get_args

from xcg.errors import XcgError, nearest
from xcg.lazy_modules import np
from xcg.measures.topic_gains import RankingGains
from xcg.settings.schema import decimal
from xcg.user_model.relevance_value import EffortUnit

Parameters = Mapping[str, Any]
"""The values of a measure's parameters by name."""

Curve = tuple[Sequence[float], Sequence[float]]
"""The abscissae and the values of a curve."""

Needs = Literal["gains", "scores", "grades", "text", "levels"]
"""The input of a measure: gains under a user model; quantised scores of all assessed elements;
exhaustivity, specificity and sizes; highlighted text; or levels of relevance."""

UNITS: tuple[str, ...] = get_args(EffortUnit)
"""What effort can be counted in: visited results, or units of read text."""

BOUND = (
    "0 to 1; above 1 only if a run gains more than the ideal ranking, which is possible without "
    "normalisation, with results that contain ideal elements, with ideal elements that overlap, and "
    "with text that shows several gold spans"
)
"""The range of measures that compare with the ideal ranking."""

HIGHEST_RANK = 999_999_999
"""The highest rank that can be a cutoff. Memory does not depend on the cutoff."""

NO_CUTOFF = math.inf
"""The cutoff of a measure without one; a rank that no ranking exceeds."""


class Cutoff(NamedTuple):
    """The legal numbers after the ``@`` of a measure.

    Attributes:
        name: What messages call such a number.
        example: A legal number.
        whole: Whether it is a rank; otherwise it is at most 1.
        required: Whether the measure is undefined without it.
        from_0: Whether 0 is legal.
    """

    name: str
    example: str
    whole: bool
    required: bool = True
    from_0: bool = False

    def allows(self, value: float) -> bool:
        """Return whether a number is legal."""
        if self.whole:
            return 1 <= value <= HIGHEST_RANK
        return (self.from_0 or value > 0) and value <= 1


RANK = Cutoff("a rank from 1", "10", whole=True)
RANK_OR_ALL = RANK._replace(required=False)
RECALL = Cutoff("a recall point above 0 and at most 1", "0.1", whole=False)
RECALL_OR_MEAN = RECALL._replace(required=False)
RECALL_FROM_0 = Cutoff("a recall point from 0 to 1", "0.01", whole=False, from_0=True)
RECALL_FROM_0_OR_MEAN = RECALL_FROM_0._replace(example="0.1", required=False)


class Number(NamedTuple):
    """A parameter that is a number.

    Attributes:
        default: The value if the user gives none.
        least: The lower limit.
        most: The upper limit, which is legal itself.
        whole: Whether only whole numbers are legal.
        above: Whether the lower limit itself is illegal.
    """

    default: float
    least: float
    most: float = math.inf
    whole: bool = False
    above: bool = False

    def read(self, text: str) -> float:
        """Return the number in a text; ValueError with what was expected."""
        value = decimal(text)
        legal = self.least < value if self.above else self.least <= value
        legal &= value <= self.most and math.isfinite(value)
        if not legal or (self.whole and not value.is_integer()):
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

    def best(self, values: Iterable[float]) -> float:
        """Return the best value; ValueError if there is none."""
        return min(values, key=self.sort_key)

    def rank(self, value: float, values: Iterable[float]) -> int:
        """Return the rank of a value among values, from 1; equal values share a rank.

        >>> [HIGHER_IS_BETTER.rank(value, [0.5, 0.7, 0.5]) for value in (0.7, 0.5)]
        [1, 2]
        """
        return 1 + sum(self.sort_key(other) < self.sort_key(value) for other in values)


HIGHER_IS_BETTER = Order(lower_is_better=False)


@dataclass(frozen=True, eq=False)
class Definition:
    """The declaration of a measure: what it is for people, and how it is computed.

    Attributes:
        name: The name that users write; see ``aliases`` for others.
        title: What the measure is, in a few words.
        formula: The formula in plain text.
        source: Paper and equation. ``[@key]`` after a paper names its entry in ``references.bib``.
        references: These keys; or BibTeX entries of sources that are not in this file.
        example: A worked example with small numbers.
        compute: ``(topic, cutoff, parameters) → value``, or None if the measure is undefined for a
            ranking, whose topic is then left out of the mean. ``topic`` is a :class:`RankingGains`, or
            a :class:`~xcg.measures.judged_rankings.JudgedRanking` if ``needs`` is ``"levels"``.
        range: The range of values.
        cutoff: The legal cutoffs; None for a measure without one.
        parameters: Name → a :class:`Number`, or the legal words with the default first. The user model
            changes the defaults of ``effort``, ``charge``, ``interpolation`` and ``unretrieved``.
        caveat: What users should know before they rely on the measure.
        aliases: Other names that mean the same measure.
        lower_is_better: Whether a lower value is better.
        needs: The input of the measure.
        with_cutoff: The measure that the name means if a cutoff follows, if that is another one.
        curve: ``(topic, depth, parameters) → points`` of the curve that plots draw, or None if the
            curve is undefined for a ranking.
        curve_points: The cutoffs of the curve of a measure of levels.
        curve_over: What the abscissa of the curve is.
        vectors: ``(topic, depth, parameters) →`` what ``aggregate`` and ``aggregate_curve`` need of a
            topic, for a measure whose mean can be another than the arithmetic mean of its values.
        aggregate: ``(vectors, cutoff, parameters) →`` the mean over topics.
        aggregate_curve: ``(vectors) →`` the values of the mean curve over topics.
        is_count: Whether the value over all topics is the sum of the topics' values, not their mean.
        on_spans: Whether the measure is defined for topics with gold spans alone without a user model.
        needs_nuggets: Whether the measure is undefined for topics without nuggets.
    """

    name: str
    compute: Callable[[Any, float, Parameters], float | None]
    title: str = ""  # python -OO drops the docstrings that state these texts
    formula: str = ""
    source: str = ""
    example: str = ""
    references: tuple[str, ...] = ()
    range: str = "0 to 1"
    cutoff: Cutoff | None = None
    parameters: Mapping[str, tuple[str, ...] | Number] = field(default_factory=dict)
    caveat: str = ""
    aliases: tuple[str, ...] = ()
    lower_is_better: bool = False
    needs: Needs = "gains"
    with_cutoff: Definition | None = None
    curve: Callable[[RankingGains, int, Parameters], Curve | None] | None = None
    curve_points: Sequence[float] = ()
    curve_over: str = "rank"
    vectors: Callable[[RankingGains, float, Parameters], object] | None = None
    aggregate: Callable[[Sequence[Any], float, Parameters], float] | None = None
    aggregate_curve: Callable[[Sequence[Any]], Sequence[float]] | None = None
    is_count: bool = False
    on_spans: bool = False
    needs_nuggets: bool = False

    def __post_init__(self) -> None:
        keys = re.findall(r" \[@([\w-]+)\]", self.source)
        object.__setattr__(self, "references", (*keys, *self.references))
        object.__setattr__(self, "source", re.sub(r" \[@[\w-]+\]", "", self.source))

    @property
    def usage(self) -> str:
        """An example of how the measure is written, with a cutoff if it has one: ``nxCG@10``."""
        return f"{self.name}@{self.cutoff.example}" if self.cutoff else self.name

    @property
    def has_curve(self) -> bool:
        """Whether plots can draw the measure as a curve."""
        return self.curve is not None or bool(self.curve_points)

    @property
    def order(self) -> Order:
        """The order of this measure's values from best to worst."""
        return Order(self.lower_is_better)

    def read_cutoff(self, text: str | None) -> float:
        """Return the cutoff in a text; XcgError if it is illegal, missing, or one too many."""
        cutoff = self.cutoff
        if cutoff is None:
            if text is not None:
                raise XcgError(f"{self.name} takes no cutoff: expected {self.usage}")
            return NO_CUTOFF
        expected = f"expected {cutoff.name}, like {self.usage}"
        if text is None:
            if cutoff.required:
                raise XcgError(f"{self.name} lacks its cutoff: {expected}")
            return NO_CUTOFF
        if cutoff.whole and text.isdecimal() and float(text) > HIGHEST_RANK:
            raise XcgError(f"{self.name}@{text}: the highest rank is {HIGHEST_RANK:,}")
        number = r"[0-9]+" if cutoff.whole else r"[0-9]*\.?[0-9]+(?:[eE]-?[0-9]+)?"
        if not re.fullmatch(number, text) or not cutoff.allows(float(text)):
            raise XcgError(f"{self.name}@{text}: {expected}")
        return float(text)

    def read_parameters(self, values: Mapping[str, object]) -> tuple[tuple[str, Any], ...]:
        """Return checked parameters in the order of the declaration.

        Args:
            values: Name → value, as text or as a Python object.

        Raises:
            XcgError: If a name is unknown, or a value illegal.
        """
        read: dict[str, Any] = {}
        for name, given in values.items():
            if name not in self.parameters:
                hint = nearest(name, self.parameters) if self.parameters else "it takes none"
                raise XcgError(f"{self.name} has no parameter {name!r}: {hint}")
            legal, text = self.parameters[name], str(given)
            problem = f"{self.name}: illegal {name} {text!r}"
            if isinstance(legal, Number):
                try:
                    read[name] = legal.read(text)
                except ValueError as error:
                    raise XcgError(f"{problem}: {error}") from None
            elif text in legal:
                read[name] = text
            else:
                raise XcgError(f"{problem}: {nearest(text, legal)}")
        return tuple((name, read[name]) for name in self.parameters if name in read)


@dataclass(frozen=True)
class Measure:
    """A measure with its cutoff and parameters.

    ``measure @ 10`` sets the cutoff and ``measure(name=value)`` sets parameters, as in ir_measures.
    ``str(measure)`` is its canonical name, which parses to the same measure.

    Attributes:
        definition: The declaration of the measure.
        cutoff: The number after the ``@``; infinity if there is none.
        parameters: The parameters that the user sets, with their values.

    >>> from xcg.measures import ep, nxCG
    >>> str(nxCG @ 10), str(ep(interpolation="linear") @ 0.1)
    ('nxCG@10', 'ep(interpolation=linear)@0.1')
    """

    definition: Definition
    cutoff: float = NO_CUTOFF
    parameters: tuple[tuple[str, Any], ...] = ()

    def __str__(self) -> str:
        written = {name: f"{v:g}" if isinstance(v, float) else v for name, v in self.parameters}
        brackets = ",".join(f"{name}={value}" for name, value in written.items())
        name = f"{self.definition.name}({brackets})" if brackets else self.definition.name
        if math.isinf(self.cutoff):
            return name
        return f"{name}@{int(self.cutoff) if self.cutoff.is_integer() else repr(self.cutoff)}"

    def __call__(self, **parameters: object) -> Measure:
        """Return the measure with other values of parameters; XcgError for illegal ones."""
        definition = self.definition
        merged = {**dict(self.parameters), **parameters}
        return replace(self, parameters=definition.read_parameters(merged))

    def __matmul__(self, cutoff: float) -> Measure:
        """Return the measure at another cutoff; XcgError for an illegal one."""
        definition = self.definition.with_cutoff or self.definition
        return replace(self, definition=definition, cutoff=definition.read_cutoff(str(cutoff)))

    def settings(self, defaults: Mapping[str, str] | None = None) -> Parameters:
        """Return the values of all parameters.

        Args:
            defaults: Values that the user model sets; the measure's own parameters override them.

        Raises:
            XcgError: If a parameter is set that does not apply to the unit of effort.
        """
        settings: dict[str, Any] = {
            name: legal.default if isinstance(legal, Number) else legal[0]
            for name, legal in self.definition.parameters.items()
        }
        settings.update({name: value for name, value in (defaults or {}).items() if name in settings})
        settings.update(self.parameters)
        unit = settings.get("budget", settings.get("effort", "ranks"))
        for name, _ in self.parameters:
            if unit != "ranks" and name in _FOR_RANKS_ONLY:
                raise XcgError(f"{name} applies to effort in ranks only; here effort is in {unit}")
            if name == "unretrieved" and settings.get("average") == "gain":
                raise XcgError("unretrieved has no effect with average=gain: remove one of them")
            if unit == "ranks" and name == "charge":
                key = "budget" if "budget" in settings else "effort"
                raise XcgError(f"charge applies to effort in text only: add {key}=tokens")
        return settings

    def unit(self, defaults: Mapping[str, str] | None = None) -> EffortUnit:
        """Return what effort is counted in: ``ranks``, ``characters``, ``words`` or ``tokens``."""
        settings = self.settings(defaults)
        return cast(EffortUnit, settings.get("budget", settings.get("effort", "ranks")))

    def compute(self, topic: Any, defaults: Mapping[str, str] | None = None) -> float | None:
        """Return the value for one topic.

        Args:
            topic: The gains of the ranking; for a standard measure the ranking with its levels.
            defaults: Values of parameters that the user model sets.

        Returns:
            The value; None if the measure is undefined for this ranking.

        Raises:
            XcgError: If the measure needs more than it is given.
        """
        if self.definition.needs == "levels" and isinstance(topic, RankingGains):
            raise XcgError(
                f"{self} is computed from levels of relevance, not from gains: use xcg.evaluate"
            )
        return self.definition.compute(topic, self.cutoff, self.settings(defaults))

    def curve(
        self, topic: RankingGains, depth: int, defaults: Mapping[str, str] | None = None
    ) -> Curve | None:
        """Return the points of the measure's curve for one topic; None if it is undefined.

        Args:
            topic: The gains of the ranking.
            depth: The last rank, or the amount of text, of a curve over ranks or text.
            defaults: Values of parameters that the user model sets.

        Raises:
            XcgError: If the measure has no curve.
        """
        if self.definition.curve is None:
            raise XcgError(f"{self.definition.name} has no curve")
        return self.definition.curve(topic, depth, self.settings(defaults))

    @property
    def curve_over(self) -> str:
        """What the abscissa of the measure's curve is, for example ``rank`` or ``tokens read``."""
        budget = dict(self.parameters).get("budget", "ranks")
        return self.definition.curve_over if budget == "ranks" else f"{budget} read"

    def curve_input(
        self, topic: RankingGains, depth: float, defaults: Mapping[str, str] | None = None
    ) -> object | None:
        """Return what :meth:`aggregate_curve` needs of a topic besides its curve; None if nothing."""
        if self.definition.vectors is None or self.averages_values(defaults):
            return None
        return self.definition.vectors(topic, depth, self.settings(defaults))

    def aggregate_curve(
        self,
        curves: Sequence[Sequence[float]],
        inputs: Sequence[object] = (),
        defaults: Mapping[str, str] | None = None,
    ) -> Sequence[float]:
        """Return the values of the mean curve over all topics.

        Args:
            curves: The values of each topic's curve.
            inputs: The topics' results of :meth:`curve_input`, if the mean is not arithmetic.
            defaults: Values of parameters that the user model sets.
        """
        if self.definition.aggregate_curve is not None and not self.averages_values(defaults):
            return self.definition.aggregate_curve(inputs)
        return cast("list[float]", np.mean(curves, axis=0).tolist())

    def averages_values(self, defaults: Mapping[str, str] | None = None) -> bool:
        """Return whether the mean over topics is the arithmetic mean of the topics' values."""
        if self.definition.is_count:
            return False
        return self.definition.aggregate is None or self.settings(defaults).get("mean") == "values"

    def aggregate(
        self,
        values: Sequence[float],
        inputs: Sequence[object] = (),
        defaults: Mapping[str, str] | None = None,
    ) -> float:
        """Return the value over all topics: the mean, or the sum of a count.

        Args:
            values: The topics' values.
            inputs: The topics' results of :meth:`curve_input`, if the mean is not arithmetic.
            defaults: Values of parameters that the user model sets.
        """
        if self.definition.aggregate is not None and not self.averages_values(defaults):
            return self.definition.aggregate(inputs, self.cutoff, self.settings(defaults))
        total = math.fsum(values)  # exact, so it does not depend on the order of topics
        return total if self.definition.is_count else total / len(values)


_FOR_RANKS_ONLY = ("interpolation", "unretrieved", "average")
"""A curve over ranks can be interpolated and averaged in several ways, a curve over text in one."""
