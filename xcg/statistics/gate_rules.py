"""The rules of a gate on arrays, how often an unchanged run breaks them, and which loss they find."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from xcg.lazy_modules import np
from xcg.statistics.corrections import SIGNIFICANCE_LEVEL, adjusted, critical_levels
from xcg.statistics.gate_limits import Limits
from xcg.statistics.margins import are_losses, not_worse_p
from xcg.statistics.significance_tests import family_p_values
from xcg.statistics.topic_scores import ROUNDING, BaselinePair, Booleans, Floats, divisor

DRAWS = 2000
POWER = 0.8
_RUNS_IN_NOTES = 10
_MAX_SCORES_IN_MEMORY = 4_000_000


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
    pairs: Sequence[BaselinePair], own_scores: Sequence[Sequence[float]], rules: Rules, seed: int = 0
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
        seed: Seed of the signs.

    Returns:
        The chances of each comparison.
    """
    topics = list(dict.fromkeys(topic for pair in pairs for topic in pair.scores))
    columns = [[topics.index(topic) for topic in pair.scores] for pair in pairs]
    signs = 2 * np.random.default_rng(seed).integers(0, 2, (DRAWS, len(topics)), np.int8) - 1
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
    bounded = pair.sign > 0 and min(*pair.scores.values(), *pair.baseline_scores.values()) >= 0
    obstacle = ""
    if not pair.advantages.any():
        obstacle = "all differences are 0"
    elif loss == np.inf:
        obstacle = "no limit on means, and no test"
    elif loss <= 0:
        obstacle = "an unchanged run fails in 80 % of cases or more"
    elif bounded and loss > pair.means[1]:
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
    """Return by how much the topics of a pair may lose on average before the run's mean is too low.

    Returns:
        Array of shape (draws, comparisons).
    """
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
