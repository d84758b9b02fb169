"""The scores of a run and of its baseline for the topics that both have."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import product

from xcg.errors import XcgError
from xcg.evaluation.results import Results
from xcg.judgements.recall_base import MEAN
from xcg.lazy_modules import np
from xcg.measures import MEASURES
from xcg.statistics.topic_scores import ROUNDING, Floats, check_name

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
        return -1 if MEASURES.order(self.measure).lower_is_better else 1

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
        return 1 if MEASURES.is_count(self.measure) else len(self.scores)

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
            raise XcgError(
                f"{run} and {baseline} share {len(topics)} topics with scores of {measure} under "
                f"{model}: expected at least {'two' if least > 1 else 'one'}"
            )
        common = ({topic: values[topic] for topic in topics} for values in (first, second))
        pairs.append(BaselinePair(run, measure, model, *common))
    return pairs
