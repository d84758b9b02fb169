"""The rules of a gate, how often an unchanged run breaks them, and which loss they find."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from xcg.errors import UndecidedError, XcgError
from xcg.lazy_modules import np
from xcg.measures import MEASURES
from xcg.settings.schema import decimal
from xcg.statistics.intervals import POWER
from xcg.statistics.significance_tests import (
    SIGNIFICANCE_LEVEL,
    adjusted,
    are_losses,
    critical_levels,
    family_p_values,
    t_half_widths,
)
from xcg.statistics.topic_scores import ROUNDING, BaselinePair, Booleans, Floats, divisor

DRAWS = 2000
_MAX_SCORES_IN_MEMORY = 4_000_000
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


_T = TypeVar("_T")


def _by_measure(what: str, values: Any, parse: Callable[[Any], _T], expected: str) -> dict[str, _T]:
    """Return the value of each measure.

    The measure ``""`` means all others.

    >>> _by_measure("max-drop", ["0.01", "ASL=2"], float, "expected a number")
    {'': 0.01, 'ASL': 2.0}
    """
    pairs: Iterable[tuple[str, Any]]
    if isinstance(values, Mapping):
        pairs = values.items()
    else:
        texts = [values] if isinstance(values, (str, float, int)) else values or ()
        pairs = [(name, value) for name, _, value in (str(text).rpartition("=") for text in texts)]
    found: dict[str, _T] = {}
    for name, value in pairs:
        try:
            parsed = parse(value)
        except (TypeError, ValueError, OverflowError):
            text = f"{name}={value}" if name else str(value)
            raise XcgError(f"illegal {what} {text!r}: {expected}") from None
        measure = str(MEASURES.parse(name)) if name else ""
        if measure in found:
            raise XcgError(f"several values of {what}{measure and f' for {measure}'}: expected one")
        found[measure] = parsed
    return found


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
    minimums = _by_measure("threshold", thresholds, _finite, expected)
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
        raise XcgError(f"illegal regressed_by {size}: expected a number of at least 0, like 0.1")
    return Limits(
        _by_measure("max-drop", max_drop, _drop, _EXPECTED_DROP),
        _by_measure("max-regressed", max_regressed, _topics, _EXPECTED_TOPICS),
        size,
    )


def check_limits(pair: BaselinePair, baseline: str, limits: Limits) -> None:
    """Raise UndecidedError if a limit can never make a gate fail.

    Scores of at least 0 cannot drop by more than those of the baseline.
    """
    where = f"{pair.run}, {pair.user_model}: by {pair.measure} the gate can never fail"
    allowed = limits.drop(pair.measure)
    _, mean = pair.means
    if allowed is not None and pair.is_bounded and allowed.of(mean) >= mean:
        raise UndecidedError(
            f"{where}: a drop of {allowed} is allowed, and the mean of {baseline} is {mean:.4f}; "
            "expected a lower --max-drop (max_drop), such as 5%"
        )
    most, size = limits.most_regressed(pair.measure), limits.regressed_by
    scores = pair.baseline_scores.values()
    can_regress = sum(score > size for score in scores) if pair.is_bounded else len(scores)
    if most is not None and most.of(len(scores)) >= can_regress:
        raise UndecidedError(
            f"{where}: {most}{f' of {len(scores)}' * most.is_relative} topics may regress by more than "
            f"{size:g}, and {can_regress} can, with these scores of {baseline}; expected a lower "
            "--max-regressed (max_regressed) or gate.regressed_by"
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


class Rules(NamedTuple):
    """What makes a gate fail.

    Attributes:
        minimums: Measure → the smallest mean of a run.
        limits: How far means may drop, and how many topics may regress.
        test: Name of the test against the baseline; empty without a test.
        correction: Correction of its p values over all comparisons of the gate.
    """

    minimums: Mapping[str, float] = {}
    limits: Limits = Limits()
    test: str = ""
    correction: str = "holm"


class Chances(NamedTuple):
    """What a gate can find by one comparison.

    Attributes:
        unchanged: The probability that the gate fails because of a run that equals the baseline but for
            chance, by any measure and user model; None if it cannot be estimated.
        loss: The true loss of the mean that makes this comparison fail with 80 % power; None if it
            cannot be estimated.
        obstacle: Why a number is missing; empty if none is.
    """

    unchanged: float | None = None
    loss: float | None = None
    obstacle: str = ""


def broken_rules(
    pairs: Sequence[BaselinePair], found: Sequence[Floats], rules: Rules, p_values: Floats | None
) -> dict[str, Booleans]:
    """Return which comparisons break which rule against the baseline.

    Args:
        pairs: The comparisons of the gate.
        found: The advantage of the run by topic, for each comparison; arrays of shape (draws, topics).
        rules: The rules of the gate.
        p_values: Corrected over all comparisons, of shape (draws, comparisons); None without a test.

    Returns:
        Name of the rule → array of shape (draws, comparisons).
    """
    each = [*zip(pairs, found, strict=True)]
    spare = [_spare_drops(pair, values, rules.limits) for pair, values in each]
    regressed = [_regresses(pair, values, rules.limits) for pair, values in each]
    broken: dict[str, Booleans] = {
        "max-drop": np.stack(spare, axis=1) < -ROUNDING,
        "max-regressed": np.stack(regressed, axis=1),
    }
    if p_values is not None:
        broken["worse-than"] = (p_values < SIGNIFICANCE_LEVEL) & are_losses(found, rules.test)
    return broken


def gate_chances(
    pairs: Sequence[BaselinePair], own_scores: Sequence[Sequence[float]], rules: Rules
) -> list[Chances]:
    """Estimate how often a gate fails an unchanged run, and the loss that it finds with 80 % power.

    If a run is the baseline but for chance, the two scores of a topic can be exchanged, which changes
    the sign of their difference. The signs are exchanged at random 2,000 times, alike for all runs,
    measures and user models, and the gate is applied to each draw. The loss is the smallest constant
    which, subtracted from the exchanged differences, makes the rules on means and tests fail in 80 % of
    the draws: an order statistic, because each draw has its own smallest constant. Tests are replaced
    by the t test for this.

    Args:
        pairs: The comparisons of the gate.
        own_scores: For each comparison, the scores of the run for all its topics, the common ones among
            them.
        rules: The rules of the gate.

    Returns:
        The chances of each comparison.
    """
    topics = list(dict.fromkeys(topic for pair in pairs for topic in pair.scores))
    columns = [[topics.index(topic) for topic in pair.scores] for pair in pairs]
    signs = 2 * np.random.default_rng(0).integers(0, 2, (DRAWS, len(topics)), np.int8) - 1
    rows = max(1, _MAX_SCORES_IN_MEMORY // sum(map(len, columns)))
    fails, losses = [], []
    for start in range(0, DRAWS, rows):
        block = signs[start : start + rows]
        found = [pair.advantages * block[:, c] for pair, c in zip(pairs, columns, strict=True)]
        p_values = levels = None
        if rules.test:
            p_values = family_p_values(found, rules.test, SIGNIFICANCE_LEVEL)
            p_values = adjusted(p_values, rules.correction)
            levels = critical_levels(family_p_values(found, "t"), rules.correction, SIGNIFICANCE_LEVEL)
        broken = broken_rules(pairs, found, rules, p_values)
        spare, critical = np.full((2, len(block), len(pairs)), np.inf)
        for column, (pair, own, values) in enumerate(zip(pairs, own_scores, found, strict=True)):
            if pair.measure in rules.minimums:
                spare[:, column] = _spare_means(pair, own, values, rules.minimums[pair.measure])
            if levels is not None:
                critical[:, column] = _critical_losses(pair, values, levels[:, column])
            drop = _spare_drops(pair, values, rules.limits)
            critical[:, column] = np.minimum(critical[:, column], drop)
        fails.append(np.any([*broken.values(), spare < -ROUNDING], axis=0))
        losses.append(np.minimum(spare, critical))
    failing, critical = np.concatenate(fails), np.sort(np.concatenate(losses), axis=0)
    needed = critical[int(np.ceil(POWER * DRAWS)) - 1]
    return [_chances(pairs, column, failing, float(loss)) for column, loss in enumerate(needed)]


def _chances(pairs: Sequence[BaselinePair], column: int, failing: Booleans, loss: float) -> Chances:
    pair = pairs[column]
    own = [number for number, other in enumerate(pairs) if other.run == pair.run]
    if not any(pairs[number].advantages.any() for number in own):
        return Chances(obstacle="all differences are 0")
    unchanged = float(failing[:, own].any(axis=1).mean())
    obstacle = ""
    if not pair.advantages.any():
        obstacle = "all differences are 0"
    elif loss == np.inf:
        obstacle = "no limit on means, and no test"
    elif loss <= 0:
        obstacle = "an unchanged run fails in 80 % of cases or more"
    elif pair.is_bounded and loss > pair.means[1]:
        obstacle = "it is more than the baseline's mean"
    return Chances(unchanged, None if obstacle else loss, obstacle)


def _regresses(pair: BaselinePair, values: Floats, limits: Limits) -> Booleans:
    """Return whether too many topics regress, for each draw."""
    most, topics = limits.most_regressed(pair.measure), values.shape[1]
    counts = (values < -limits.regressed_by - ROUNDING).sum(axis=1)
    allowed = topics if most is None else most.of(topics)
    found: Booleans = counts > allowed + ROUNDING * topics
    return found


def _spare_drops(pair: BaselinePair, values: Floats, limits: Limits) -> Floats:
    """Return by how much more the mean may drop in each draw; infinite without a limit."""
    allowed, sums = limits.drop(pair.measure), values.sum(axis=1)
    if allowed is None:
        return np.full(len(values), np.inf)
    gained = pair.sign * (pair.advantages.sum() - sums) / 2  # by the exchanged baseline
    spare: Floats = allowed.of(pair.means[1] + gained / pair.divisor) + sums / pair.divisor
    return spare


def _spare_means(
    pair: BaselinePair, own_scores: Sequence[float], values: Floats, minimum: float
) -> Floats:
    """Return by how much topics may lose on average before the mean is too low, in each draw."""
    topics = divisor(pair.measure, len(own_scores))
    changed = (values.sum(axis=1) - pair.advantages.sum()) / 2  # higher is better
    spare: Floats = ((sum(own_scores) + changed) / topics - minimum) * topics / pair.divisor
    return spare


def _critical_losses(pair: BaselinePair, values: Floats, levels: Floats) -> Floats:
    """Return the smallest loss that is significant by the t test, in each draw."""
    critical = values.mean(axis=1) + t_half_widths(values, levels)
    losses: Floats = critical * (values.shape[1] / pair.divisor)
    return losses


def chance_sentences(
    compared: Sequence[tuple[BaselinePair, Chances]], baseline: str | None, replaces_test: bool
) -> Iterator[str]:
    """Yield how often an unchanged run fails, and which loss is found, for each run.

    Args:
        compared: The comparisons of the gate.
        baseline: Name of the baseline, None without one.
        replaces_test: Whether the loss is that of the t test instead of another test.
    """
    unknown = (
        "how often an unchanged run fails, and which loss would be found with 80 % power, cannot be "
        "estimated"
    )
    if baseline is None:
        yield f"{unknown}: there is no baseline"
    several = len({pair.user_model for pair, _ in compared}) > 1
    for run in dict.fromkeys(pair.run for pair, _ in compared):
        losses, obstacles = [], []
        for pair, (unchanged, loss, obstacle) in compared:
            name = f"{pair.measure} under {pair.user_model}" if several else pair.measure
            if pair.run != run:
                continue
            if unchanged is None:
                summary = f"{unknown}: {obstacle}"
                continue
            summary = f"an unchanged run fails in {share_text(unchanged)} of cases"
            if loss is None:
                obstacles.append(f"; the loss by {name} cannot be estimated: {obstacle}")
            else:
                losses.append(f"{loss:.4f} by {name}")
        by_t = " (by the t test)" * replaces_test
        found = f"; a loss of {' or '.join(losses)} would be found with 80 % power{by_t}"
        yield f"{run}: {summary}{found * bool(losses)}{''.join(obstacles)}"


def share_text(share: float) -> str:
    """Return an estimated probability for people.

    >>> share_text(0.0), share_text(0.0335), share_text(0.402)
    ('less than 0.1 %', '3.4 %', '40 %')
    """
    if share < 1 / DRAWS:
        return "less than 0.1 %"
    return f"{100 * share:.0f} %" if share >= 0.1 else f"{100 * share:.1f} %"
