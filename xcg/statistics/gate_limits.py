"""Limits of a gate without a test: minimums, how far a mean may drop, how many topics may regress."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from xcg.errors import XcgError
from xcg.evaluation.results import Results
from xcg.formats.text_columns import decimal
from xcg.measures import MEASURES
from xcg.statistics.measure_values import by_measure
from xcg.statistics.run_pairs import BaselinePair

REGRESSED_BY = 0.1
"""The difference by which a topic must be worse to count as regressed."""

_EXPECTED_DROP = "expected a number of at least 0 or a percentage, like 0.02, 5% or MAep=0.02"
_EXPECTED_TOPICS = (
    "expected a number of topics of at least 0 or a percentage below 100, like 3, 20% or MAep=3"
)


class Amount(NamedTuple):
    """The maximum of a loss.

    Attributes:
        value: A number of at least 0, or a share.
        is_relative: Whether the value is a share.

    >>> str(Amount(0.05, True)), str(Amount(0.02)), Amount(0.05, True).of(40)
    ('5 %', '0.02', 2.0)
    """

    value: float
    is_relative: bool = False

    def of(self, whole: Any) -> Any:
        """Return the loss that is allowed of a whole: of baseline means, or of all topics."""
        return self.value * abs(whole) if self.is_relative else self.value

    def __str__(self) -> str:
        return f"{100 * self.value:g} %" if self.is_relative else f"{self.value:g}"


class Limits(NamedTuple):
    """The limits of a gate that compares runs with a baseline without a test.

    Attributes:
        drops: Measure → the drop of its mean that is allowed. The measure ``""`` means all others.
        regressed: Measure → the number or share of topics that may regress, in the same form.
        regressed_by: A topic regresses if its score is worse by more than this.
    """

    drops: Mapping[str, Amount] = {}
    regressed: Mapping[str, Amount] = {}
    regressed_by: float = REGRESSED_BY

    def __bool__(self) -> bool:
        return bool(self.drops or self.regressed)

    @property
    def measures(self) -> list[str]:
        """The measures that have limits of their own."""
        return [measure for measure in dict.fromkeys((*self.drops, *self.regressed)) if measure]

    def drop(self, measure: str) -> Amount | None:
        """Return the drop of a measure that is allowed, or None without a limit."""
        return self.drops.get(measure, self.drops.get(""))

    def most_regressed(self, measure: str) -> Amount | None:
        """Return how many topics may regress by a measure, or None without a limit."""
        return self.regressed.get(measure, self.regressed.get(""))

    def apply_to(self, measure: str) -> bool:
        """Return whether a measure has a limit."""
        return self.drop(measure) is not None or self.most_regressed(measure) is not None


def parse_thresholds(thresholds: Iterable[str] | Mapping[str, float]) -> dict[str, float]:
    """Return the minimum mean of each measure.

    Args:
        thresholds: Texts like ``"MAep=0.30"``, or a mapping of measures to minimums.

    Returns:
        Minimums by canonical name.

    Raises:
        XcgError: If a measure is unknown, lower-is-better or named twice, or a minimum is not a finite
            number.

    >>> parse_thresholds(["MAep=0.30", "ep(interpolation=linear)@0.1=0.5"])
    {'MAep': 0.3, 'ep(interpolation=linear)@0.1': 0.5}
    """
    expected = "expected a measure and its minimum, like MAep=0.30"
    minimums = by_measure("threshold", thresholds, _finite, expected)
    for measure, minimum in minimums.items():
        if not measure:
            raise XcgError(f"illegal threshold '{minimum:g}': {expected}")
        if MEASURES.order(measure).lower_is_better:
            raise XcgError(f"{measure} is lower-is-better: it cannot have a minimum threshold")
    return minimums


def _finite(value: str | float) -> float:
    number = decimal(str(value))
    if not math.isfinite(number):
        raise ValueError
    return number


def parse_limits(
    max_drop: object = None, max_regressed: object = None, regressed_by: float | None = None
) -> Limits:
    """Return the limits of a gate.

    Args:
        max_drop: How much worse than the mean of the baseline a mean may be: a number, a percentage
            such as ``"5%"``, or a mapping of measures to these; or a list of texts like ``"0.02"`` and
            ``"ASL=10%"``, in which a text without a measure is for all other measures.
        max_regressed: The number of topics that may regress, or their share, in the same forms.
        regressed_by: A topic regresses if its score is worse by more than this, at least 0; by default
            :data:`REGRESSED_BY`.

    Raises:
        XcgError: If a limit is illegal, a measure is unknown, or a measure has several limits.

    >>> parse_limits(["5%", "ASL=2"]).drops
    {'': Amount(value=0.05, is_relative=True), 'ASL': Amount(value=2.0, is_relative=False)}
    """
    if regressed_by is not None and max_regressed in (None, ()):
        raise XcgError("regressed_by has no effect without max_regressed: expected both")
    size = REGRESSED_BY if regressed_by is None else regressed_by
    if not (math.isfinite(size) and size >= 0):
        raise XcgError(f"illegal regressed-by {size}: expected a number of at least 0, like 0.1")
    return Limits(
        by_measure("max-drop", max_drop, _drop, _EXPECTED_DROP),
        by_measure("max-regressed", max_regressed, _topics, _EXPECTED_TOPICS),
        size,
    )


def useless_minimums(results: Results, minimums: Mapping[str, float]) -> Iterator[tuple[str, str]]:
    """Yield messages about minimums that no score can miss, with advice."""
    for measure, minimum in minimums.items():
        lowest = min((row.value for row in results if row.measure == measure), default=0.0)
        if minimum <= 0 <= lowest:
            yield (
                f"by {measure} the gate can never fail: no score is below {minimum:g}",
                f"expected a minimum above 0, like {measure}=0.3",
            )


def useless_limits(pair: BaselinePair, baseline: str, limits: Limits) -> Iterator[tuple[str, str]]:
    """Yield messages about limits that can never make a gate fail, and advice for each.

    Scores of at least 0 cannot drop by more than those of the baseline.
    """
    where = f"{pair.run}, {pair.user_model}: by {pair.measure} the gate can never fail"
    allowed = limits.drop(pair.measure)
    _, mean = pair.means
    bounded = pair.sign > 0 and min(*pair.scores.values(), *pair.baseline_scores.values()) >= 0
    if allowed is not None and bounded and allowed.of(mean) >= mean:
        yield (
            f"{where}: a drop of {allowed} is allowed, and the mean of {baseline} is {mean:.4f}",
            "expected a lower --max-drop (max_drop), such as 5%",
        )
    most, size = limits.most_regressed(pair.measure), limits.regressed_by
    scores = pair.baseline_scores.values()
    can_regress = sum(score > size for score in scores) if bounded else len(scores)
    if most is not None and most.of(len(scores)) >= can_regress:
        yield (
            f"{where}: {most}{f' of {len(scores)}' * most.is_relative} topics may regress by more than "
            f"{size:g}, and {can_regress} can, with these scores of {baseline}",
            "expected a lower --max-regressed (max_regressed) or gate.regressed_by",
        )


def _drop(value: str | float) -> Amount:
    is_relative = isinstance(value, str) and value.endswith("%")
    number = decimal(str(value).removesuffix("%").rstrip()) / (100 if is_relative else 1)
    if not (math.isfinite(number) and number >= 0):
        raise ValueError
    return Amount(number, is_relative)


def _topics(value: str | int) -> Amount:
    found = _drop(value)
    if found.value >= 1 if found.is_relative else found.value != int(str(value)):
        raise ValueError  # all topics, or a fraction of a topic
    return found
