"""The rules of a gate, how often an unchanged run breaks them, and which loss they find."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from xcg.errors import XcgError
from xcg.formats.text_columns import decimal
from xcg.lazy_modules import np
from xcg.measures import MEASURES
from xcg.statistics.corrections import (
    SIGNIFICANCE_LEVEL,
    adjusted,
    are_losses,
    by_measure,
    critical_levels,
    not_worse_p,
)
from xcg.statistics.intervals import POWER
from xcg.statistics.significance_tests import family_p_values
from xcg.statistics.topic_scores import ROUNDING, BaselinePair, Booleans, Floats, divisor

DRAWS = 2000
_RUNS_IN_NOTES = 10
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
        raise XcgError(f"illegal regressed_by {size}: expected a number of at least 0, like 0.1")
    return Limits(
        by_measure("max-drop", max_drop, _drop, _EXPECTED_DROP),
        by_measure("max-regressed", max_regressed, _topics, _EXPECTED_TOPICS),
        size,
    )


def useless_limits(pair: BaselinePair, baseline: str, limits: Limits) -> Iterator[tuple[str, str]]:
    """Yield messages about limits that can never make a gate fail, and advice for each.

    Scores of at least 0 cannot drop by more than those of the baseline.
    """
    where = f"{pair.run}, {pair.user_model}: by {pair.measure} the gate can never fail"
    allowed = limits.drop(pair.measure)
    _, mean = pair.means
    if allowed is not None and pair.is_bounded and allowed.of(mean) >= mean:
        yield (
            f"{where}: a drop of {allowed} is allowed, and the mean of {baseline} is {mean:.4f}",
            "expected a lower --max-drop (max_drop), such as 5%",
        )
    most, size = limits.most_regressed(pair.measure), limits.regressed_by
    scores = pair.baseline_scores.values()
    can_regress = sum(score > size for score in scores) if pair.is_bounded else len(scores)
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


class Rules(NamedTuple):
    """What makes a gate fail.

    Attributes:
        minimums: Measure → the smallest mean of a run.
        limits: How far means may drop, and how many topics may regress.
        test: Name of the test against the baseline; empty without a test.
        correction: Correction of its p values over all comparisons of the gate.
        margins: By measure, how much worse than the baseline a run may be; None without margins.
    """

    minimums: Mapping[str, float] = {}
    limits: Limits = Limits()
    test: str = ""
    correction: str = "holm"
    margins: Mapping[str, float] | None = None

    def margin(self, pair: BaselinePair) -> float | None:
        """Return the margin of one topic, or None without a margin."""
        if not self.test or self.margins is None:
            return None
        return self.margins[pair.measure] / (len(pair.scores) / pair.divisor)


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


def deciding_p_values(
    pairs: Sequence[BaselinePair], found: Sequence[Floats], rules: Rules, limit: float = 1.0
) -> Floats:
    """Return the p values that decide: corrected over all comparisons, or one-sided with margins.

    Args:
        pairs: The comparisons of the gate.
        found: The advantage of the run by topic, for each comparison; arrays of shape (draws, topics).
        rules: Rules with a test.
        limit: As for :func:`xcg.statistics.significance_tests.paired_p_values`.

    Returns:
        Array of shape (draws, comparisons).
    """
    if rules.margins is None:
        return adjusted(family_p_values(found, rules.test, limit), rules.correction)
    columns = [
        not_worse_p(rules.test, values, rules.margin(pair) or 0.0)
        for pair, values in zip(pairs, found, strict=True)
    ]
    return np.stack(columns, axis=1)


def broken_rules(
    pairs: Sequence[BaselinePair], found: Sequence[Floats], rules: Rules, p_values: Floats | None
) -> dict[str, Booleans]:
    """Return which comparisons break which rule against the baseline.

    Args:
        pairs: As for :func:`deciding_p_values`.
        found: As for :func:`deciding_p_values`.
        rules: The rules of the gate.
        p_values: From :func:`deciding_p_values`; None without a test.

    Returns:
        Name of the rule → array of shape (draws, comparisons).
    """
    broken: dict[str, Booleans] = {}
    if p_values is not None and rules.margins is None:
        broken["worse-than"] = (p_values < SIGNIFICANCE_LEVEL) & are_losses(found, rules.test)
    elif p_values is not None:
        broken["margin"] = p_values >= SIGNIFICANCE_LEVEL
    broken["max-drop"] = _spare_drops(pairs, found, rules) < -ROUNDING
    regressed = broken["max-regressed"] = np.zeros((len(found[0]), len(pairs)), bool)
    for column, (pair, values) in enumerate(zip(pairs, found, strict=True)):
        most = rules.limits.most_regressed(pair.measure)
        if most is not None:
            counts = (values < -rules.limits.regressed_by - ROUNDING).sum(axis=1)
            regressed[:, column] = counts > most.of(values.shape[1]) + ROUNDING * values.shape[1]
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
        p_values = deciding_p_values(pairs, found, rules, SIGNIFICANCE_LEVEL) if rules.test else None
        broken = broken_rules(pairs, found, rules, p_values)
        spare = _spare_means(pairs, own_scores, found, rules)
        fails.append(np.any([*broken.values(), spare < -ROUNDING], axis=0))
        losses.append(np.minimum(spare, _critical_losses(pairs, found, rules)))
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


def _spare_drops(pairs: Sequence[BaselinePair], found: Sequence[Floats], rules: Rules) -> Floats:
    """Return by how much more each mean may drop: shape (draws, comparisons)."""
    spare = np.full((len(found[0]), len(pairs)), np.inf)
    for column, (pair, values) in enumerate(zip(pairs, found, strict=True)):
        allowed, sums = rules.limits.drop(pair.measure), values.sum(axis=1)
        if allowed is not None:
            gained = pair.sign * (pair.advantages.sum() - sums) / 2  # by the exchanged baseline
            spare[:, column] = allowed.of(pair.means[1] + gained / pair.divisor) + sums / pair.divisor
    return spare


def _spare_means(
    pairs: Sequence[BaselinePair],
    own_scores: Sequence[Sequence[float]],
    found: Sequence[Floats],
    rules: Rules,
) -> Floats:
    """Return by how much topics may lose on average before the mean is too low, as _spare_drops."""
    spare = np.full((len(found[0]), len(pairs)), np.inf)
    for column, (pair, scores, values) in enumerate(zip(pairs, own_scores, found, strict=True)):
        if pair.measure in rules.minimums:  # higher is better
            topics = divisor(pair.measure, len(scores))
            changed = (values.sum(axis=1) - pair.advantages.sum()) / 2
            above = (sum(scores) + changed) / topics - rules.minimums[pair.measure]
            spare[:, column] = above * topics / pair.divisor
    return spare


def _critical_losses(pairs: Sequence[BaselinePair], found: Sequence[Floats], rules: Rules) -> Floats:
    """Return the smallest loss that breaks a rule against the baseline: shape (draws, comparisons)."""
    from scipy.stats import t

    levels = np.full((len(found[0]), len(pairs)), 2 * SIGNIFICANCE_LEVEL)
    if rules.test and rules.margins is None:
        levels = critical_levels(family_p_values(found, "t"), rules.correction, SIGNIFICANCE_LEVEL)
    critical = np.full(levels.shape, np.inf)
    for column, (pair, values) in enumerate(zip(pairs, found, strict=True)):
        topics = values.shape[1]
        means = values.mean(axis=1)
        if rules.test:
            limits = t.isf(levels[:, column] / 2, topics - 1) * values.std(axis=1, ddof=1) / topics**0.5
            margin = rules.margin(pair)
            critical[:, column] = means + (limits if margin is None else margin - limits)
        critical[:, column] *= topics / pair.divisor
    smallest: Floats = np.minimum(critical, _spare_drops(pairs, found, rules))
    return smallest


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
    runs = list(dict.fromkeys(pair.run for pair, _ in compared))
    for run in runs[:_RUNS_IN_NOTES]:
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
    if len(runs) > _RUNS_IN_NOTES:
        yield f"the chances of {len(runs) - _RUNS_IN_NOTES} more runs are not shown"


def share_text(share: float) -> str:
    """Return an estimated probability for people.

    >>> share_text(0.0), share_text(0.0335), share_text(0.402)
    ('less than 0.1 %', '3.4 %', '40 %')
    """
    if share < 1 / DRAWS:
        return "less than 0.1 %"
    return f"{100 * share:.0f} %" if share >= 0.1 else f"{100 * share:.1f} %"
