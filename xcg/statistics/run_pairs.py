"""Decide which runs are compared with each other: all pairs, the strategies of a run, or a baseline."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations, product

from xcg.errors import UndecidedError, XcgError
from xcg.evaluation.results import Results
from xcg.judgements.recall_base import MEAN
from xcg.lazy_modules import np
from xcg.measures import MEASURES
from xcg.statistics.topic_scores import ROUNDING, Floats, check_name, divisor, scores_by_run, sign

ALL_PAIRS = "all"
BEST = "best"


def pairs_of_runs(results: Results, runs: Iterable[str]) -> list[tuple[str, str]]:
    """Return all pairs of runs; with several strategies, the pairs of strategies of the same run.

    Args:
        results: Results that know the strategies of the runs.
        runs: Some of their runs.
    """
    pairs = list(combinations(runs, 2))
    as_read = {run: name for run, (name, _) in results.scope.strategies.items()}
    within = [pair for pair in pairs if as_read.get(pair[0], 0) == as_read.get(pair[1], 1)]
    return within or pairs


def compares_within_runs(results: Results) -> bool:
    """Return whether without a baseline only the strategies of the same run are compared."""
    return len(pairs_of_runs(results, results.runs)) < math.comb(len(results.runs), 2)


def scores_to_compare(
    results: Results, measure: str, user_model: str, baseline: str | None
) -> tuple[dict[str, dict[str, float]], str | None, str | None]:
    """Return the scores of the runs to compare, and the run that they are compared with.

    Returns:
        Scores by run and topic, without greedy references; the named baseline, or None; and the named
        baseline or the best run, None if all pairs are compared.

    Raises:
        XcgError: If there are fewer than two runs, or the baseline is unknown, ambiguous or a reference
            point.
    """
    references = results.scope.references
    if baseline in references:
        raise XcgError(f"the baseline {baseline!r} is a greedy reference: expected a run of a system")
    scores = scores_by_run(results, measure, user_model)
    scores = {run: values for run, values in scores.items() if run not in references}
    if len(scores) < 2:
        found = f"{len(scores)} runs with scores per topic of {measure} under {user_model}"
        raise XcgError(f"{found}: expected at least two")
    if baseline in (ALL_PAIRS, BEST) and baseline in scores:
        message = "is not a run, but a run has this name: rename the run"
        raise XcgError(f"the baseline {baseline!r} {message}")
    if baseline in (None, ALL_PAIRS):
        return scores, None, None
    if baseline == BEST:
        return scores, None, best_run(scores, measure)
    check_name("run", baseline, scores)
    return scores, baseline, baseline


def best_run(scores: Mapping[str, Mapping[str, float]], measure: str) -> str:
    """Return the first of the runs that have the best mean over their own topics."""
    order = MEASURES.order(measure)
    return min(
        scores, key=lambda run: order.sort_key(math.fsum(scores[run].values()) / len(scores[run]))
    )


Cell = tuple[str, str, str]
"""(measure, user model, run)."""


@dataclass(frozen=True)
class BaselinePair:
    """The scores of a run and of a baseline, by one measure under one user model.

    Attributes:
        run: Name of the run.
        measure: Canonical name of the measure.
        user_model: Name of the user model.
        scores: Scores of the run for the topics that the baseline has too, by topic.
        baseline_scores: Scores of the baseline for the same topics.
    """

    run: str
    measure: str
    user_model: str
    scores: dict[str, float]
    baseline_scores: dict[str, float]

    @property
    def sign(self) -> int:
        """1 if higher scores are better, -1 if lower scores are better."""
        return sign(self.measure)

    @property
    def means(self) -> tuple[float, float]:
        """The mean of the run and of the baseline over the common topics; the sum of a count."""
        sums = math.fsum(self.scores.values()), math.fsum(self.baseline_scores.values())
        return sums[0] / self.divisor, sums[1] / self.divisor

    @property
    def advantages(self) -> Floats:
        """The differences by topic, positive if the run is better."""
        found: Floats = self.sign * np.array([*self.differences.values()], np.float64)
        found[np.abs(found) <= ROUNDING] = 0
        return found

    @property
    def divisor(self) -> int:
        """What a sum over the topics is divided by: the value of a count is the sum itself."""
        return divisor(self.measure, len(self.scores))

    @property
    def differences(self) -> dict[str, float]:
        """The score of the run minus that of the baseline, by topic."""
        return {topic: score - self.baseline_scores[topic] for topic, score in self.scores.items()}

    @property
    def losses(self) -> dict[str, float]:
        """The differences of the topics for which the run is worse, the largest loss first."""
        lost = {t: d for t, d in self.differences.items() if self.sign * d < -ROUNDING}
        return dict(sorted(lost.items(), key=lambda item: self.sign * item[1]))


def scores_by_cell(results: Results) -> dict[Cell, dict[str, float]]:
    """Return the scores by topic of each measure, user model and run."""
    scores: dict[Cell, dict[str, float]] = {}
    for row in results:
        if row.topic != MEAN:
            scores.setdefault((row.measure, row.user_model, row.run), {})[row.topic] = row.value
    return scores


def baseline_pairs(results: Results, baseline: str, least: int = 2) -> list[BaselinePair]:
    """Pair each run with a baseline, by all measures under all user models.

    Args:
        results: Results with scores per topic.
        baseline: Name of a run.
        least: The smallest number of topics that a run must share with the baseline, 1 or 2.

    Returns:
        The pairs in the order of measures, user models and runs.

    Raises:
        XcgError: If the name is unknown, there is no other run, or a run shares too few topics with
            the baseline.
    """
    check_name("run", baseline, results.runs)
    if len(results.runs) < 2:
        raise XcgError(f"no run to compare with {baseline}: expected at least two runs")
    scores = scores_by_cell(results)
    pairs = []
    for measure, model, run in product(results.measures, results.user_models, results.runs):
        if run == baseline:
            continue
        first = scores.get((measure, model, run), {})
        second = scores.get((measure, model, baseline), {})
        topics = [topic for topic in first if topic in second]
        if len(topics) < least:
            raise UndecidedError(
                f"{run} and {baseline} share {len(topics)} topics with scores of {measure} under "
                f"{model}: expected at least {'two' if least > 1 else 'one'}"
            )
        common = ({topic: values[topic] for topic in topics} for values in (first, second))
        pairs.append(BaselinePair(run, measure, model, *common))
    return pairs
