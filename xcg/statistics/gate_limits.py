"""Limits of a gate without a test: how far a mean may drop, and how many topics may become worse."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from xcg.errors import XcgError
from xcg.measures import MEASURES
from xcg.statistics.baseline_pairs import BaselinePair
from xcg.statistics.topic_scores import ROUNDING

_EXPECTED_DROP = "expected a number of at least 0 or a percentage, like 0.02, 5% or MAep=0.02"
_EXPECTED_TOPICS = "expected a number of topics of at least 0, like 3 or MAep=3"


class Drop(NamedTuple):
    """The maximum by which a mean may be worse than the mean of the baseline.

    Attributes:
        value: The difference of the means; a share of the baseline's mean if relative. At least 0.
        is_relative: Whether the value is a share.

    >>> str(Drop(0.05, True)), str(Drop(0.02))
    ('5 %', '0.02')
    """

    value: float
    is_relative: bool = False

    def absolute(self, baseline_mean: float) -> float:
        """Return the difference that is allowed with this mean of the baseline."""
        return self.value * abs(baseline_mean) if self.is_relative else self.value

    def __str__(self) -> str:
        return f"{100 * self.value:g} %" if self.is_relative else f"{self.value:g}"


class Limits(NamedTuple):
    """The limits of a gate that compares runs with a baseline without a test.

    Attributes:
        drops: Measure → the drop of its mean that is allowed. The measure ``""`` means all others.
        regressed: Measure → the number of topics that may become worse, in the same form.
    """

    drops: Mapping[str, Drop] = {}
    regressed: Mapping[str, int] = {}

    def __bool__(self) -> bool:
        return bool(self.drops or self.regressed)

    @property
    def measures(self) -> list[str]:
        """The measures that have limits of their own."""
        return [measure for measure in dict.fromkeys((*self.drops, *self.regressed)) if measure]

    def drop(self, measure: str) -> Drop | None:
        """Return the drop of a measure that is allowed, or None without a limit."""
        return self.drops.get(measure, self.drops.get(""))

    def most_regressed(self, measure: str) -> int | None:
        """Return the number of topics that may become worse by a measure, or None without a limit."""
        return self.regressed.get(measure, self.regressed.get(""))

    def apply_to(self, measure: str) -> bool:
        """Return whether a measure has a limit."""
        return self.drop(measure) is not None or self.most_regressed(measure) is not None


def parse_limits(max_drop: object = None, max_regressed: object = None) -> Limits:
    """Return the limits of a gate.

    Args:
        max_drop: How much worse than the mean of the baseline a mean may be: a number, a percentage
            such as ``"5%"``, or a mapping of measures to these; or a list of texts like ``"0.02"`` and
            ``"ASL=10%"``, in which a text without a measure is for all other measures.
        max_regressed: The number of topics that may become worse, in the same forms.

    Raises:
        XcgError: If a limit is illegal, a measure is unknown, or a measure has several limits.

    >>> parse_limits(["5%", "ASL=2"], 3)
    Limits(drops={'': Drop(value=0.05, is_relative=True), 'ASL': Drop(value=2.0, is_relative=False)}, \
regressed={'': 3})
    """
    return Limits(
        _by_measure("max-drop", max_drop, _drop, _EXPECTED_DROP),
        _by_measure("max-regressed", max_regressed, _topics, _EXPECTED_TOPICS),
    )


def limit_failures(
    pair: BaselinePair, baseline: str, limits: Limits
) -> Iterator[tuple[str, str, dict[str, float]]]:
    """Yield the limits that a run exceeds.

    Yields:
        The name of the limit, the beginning of the message, and the topics that became worse.
    """
    where = f"{pair.run}, {pair.user_model}: {pair.measure}"
    mean, baseline_mean = pair.means
    losses = pair.losses
    allowed = limits.drop(pair.measure)
    drop = pair.sign * (baseline_mean - mean)
    if allowed is not None and drop > allowed.absolute(baseline_mean) + ROUNDING:
        share = drop / abs(baseline_mean) if baseline_mean else math.inf
        size = f"{100 * share:.4g} %" if allowed.is_relative else f"{drop:.4f}"
        direction = "lower" if pair.sign > 0 else "higher"
        found = f"{size} {direction} than {baseline_mean:.4f} of {baseline}"
        yield "max-drop", f"{where} is {mean:.4f}, {found}: at most {allowed} is allowed", losses
    most = limits.most_regressed(pair.measure)
    if most is not None and len(losses) > most:
        count = f"{len(losses)} topic{'s' * (len(losses) > 1)}"
        found = f"worse than that of {baseline} for {count} of {len(pair.scores)}"
        yield "max-regressed", f"{where} is {found}: at most {most} {_are(most)} allowed", losses


def useless_limits(pair: BaselinePair, baseline: str, limits: Limits) -> Iterator[str]:
    """Yield messages about limits that can never make a gate fail, with advice.

    A mean of scores that are at least 0 cannot drop by more than the baseline's mean.
    """
    where = f"{pair.run}, {pair.user_model}: by {pair.measure} the gate can never fail"
    allowed = limits.drop(pair.measure)
    _, baseline_mean = pair.means
    lowest = min(*pair.scores.values(), *pair.baseline_scores.values())
    if (
        allowed is not None
        and pair.sign > 0
        and lowest >= 0
        and allowed.absolute(baseline_mean) >= baseline_mean
    ):
        yield (
            f"{where}: a drop of {allowed} is allowed, and the mean of {baseline} is "
            f"{baseline_mean:.4f}; expected a lower --max-drop (max_drop), such as 5%"
        )
    most = limits.most_regressed(pair.measure)
    if most is not None and most >= len(pair.scores):
        yield (
            f"{where}: {most} topics may become worse, and there {_are(len(pair.scores))} "
            f"{len(pair.scores)}; expected a lower --max-regressed (max_regressed)"
        )


def _are(count: int) -> str:
    return "is" if count == 1 else "are"


def _by_measure(option: str, limits: Any, parse: Callable[[Any], Any], expected: str) -> dict[str, Any]:
    """Return measure → limit; the measure "" means all others."""
    pairs: Iterable[tuple[str, Any]]
    if limits is None:
        return {}
    if isinstance(limits, Mapping):
        pairs = limits.items()
    elif isinstance(limits, (str, float, int)):
        pairs = [("", limits)]
    else:
        pairs = [(name, value) for name, _, value in (text.rpartition("=") for text in limits)]
    found: dict[str, Any] = {}
    for name, value in pairs:
        try:
            limit = parse(value)
        except (TypeError, ValueError, OverflowError):
            text = f"{name}={value}" if name else str(value)
            raise XcgError(f"illegal {option} {text!r}: {expected}") from None
        measure = str(MEASURES.parse(name)) if name else ""
        if measure in found:
            raise XcgError(f"several values of {option}{measure and f' for {measure}'}: expected one")
        found[measure] = limit
    return found


def _drop(value: str | float) -> Drop:
    is_relative = isinstance(value, str) and value.endswith("%")
    number = float(str(value).removesuffix("%")) / (100 if is_relative else 1)
    if isinstance(value, bool) or not (math.isfinite(number) and number >= 0):
        raise ValueError
    return Drop(number, is_relative)


def _topics(value: str | int) -> int:
    count = int(str(value))
    if count < 0:
        raise ValueError
    return count
