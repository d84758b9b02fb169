"""Significance of the differences between runs: paired tests, effect sizes, confidence intervals."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations, product
from typing import Any, NamedTuple

from xcg.errors import XcgError
from xcg.evaluation.results import Results
from xcg.lazy_modules import np
from xcg.statistics.intervals import Inference, paired_inferences
from xcg.statistics.significance_tests import (
    P_VALUE_CORRECTIONS,
    PAIRED_TESTS,
    SIGNIFICANCE_LEVEL,
    adjusted,
    family_p_values,
)
from xcg.statistics.topic_scores import (
    DIGITS,
    Floats,
    TopicScores,
    best_first,
    check_name,
    common_scores,
    differences,
    divisor,
    pair_differences,
    score_matrix,
    scores_by_run,
    scores_to_compare,
    sign,
    standard_deviation,
)
from xcg.statistics.tukey import tukey_inferences

CORRECTIONS = ("shaffer", "tukey", *P_VALUE_CORRECTIONS)


@dataclass(frozen=True)
class Comparison:
    """The comparison of a run with a baseline by one measure.

    Attributes:
        run: Name of the run.
        baseline: Name of the run that it is compared with.
        measure: Canonical name of the measure.
        user_model: Name of the user model.
        topics: Number of topics; those that both runs have.
        mean: Mean of the run over these topics; the sum if the measure is a count.
        baseline_mean: The same value of the baseline.
        difference: mean − baseline_mean.
        low: Lower limit of the confidence interval of the difference. An interval that excludes 0 is of
            a significant difference. With Shaffer's and Holm's correction, the interval of a
            significant difference can contain 0, because later steps have a higher level. None if there
            is no limit: always with Wilcoxon's test, which is about ranks and not about means; and if
            there are too few topics for the level.
        high: Its upper limit, or None.
        effect: Cohen's d_z, the difference divided by the standard deviation of the topics'
            differences; None if the deviation is 0.
        deviation: Standard deviation of the topics' differences.
        wins: Number of topics for which the run is better. With a lower-is-better measure, lower scores
            are better.
        losses: Number of topics for which the run is worse.
        p: Two-sided p value of this comparison alone. With ``"tukey"``, the variance or the
            permutations are those of all runs.
        p_adjusted: p value after the correction for all comparisons of the family.
        level: Confidence level of the interval. With ``"tukey"``, all intervals of the family hold
            together at this level (0.95). Otherwise each interval has its own level:
            1 − 0.05 / ``comparisons`` (Bonferroni's) for Shaffer, Holm and Bonferroni, so that all hold
            together at 0.95. None without an interval.
        test: Name of the test.
        correction: Name of the correction.
        comparisons: Number of comparisons that were corrected together, the family.
    """

    run: str
    baseline: str
    measure: str
    user_model: str
    topics: int
    mean: float
    baseline_mean: float
    difference: float
    low: float | None
    high: float | None
    effect: float | None
    deviation: float
    wins: int
    losses: int
    p: float
    p_adjusted: float
    level: float | None
    test: str
    correction: str
    comparisons: int

    @property
    def relative(self) -> float | None:
        """The difference divided by the magnitude of baseline_mean; None if that is 0."""
        return relative_difference(self.difference, self.baseline_mean)

    @property
    def criterion(self) -> str:
        """``marginal``, ``noticeable`` or ``material``, see :func:`practical_significance`."""
        return practical_significance(self.difference, self.baseline_mean)

    @property
    def ties(self) -> int:
        """Number of topics with equal scores, apart from rounding."""
        return self.topics - self.wins - self.losses


def compare(
    results: Results,
    *,
    baseline: str | None = None,
    test: str = "t",
    correction: str | None = None,
) -> list[Comparison]:
    """Test whether the differences between runs are significant.

    All pairs of runs are compared, or each run with a baseline, over the topics that both runs have.
    Greedy references (``oracle``) are not compared. The comparisons by one measure under one user model
    are a family: their p values are corrected together.

    Args:
        results: Results with scores per topic.
        baseline: Name of a run that was chosen before the results were known. By default, and for
            ``"all"``, all pairs are compared.
        test: ``"t"``, ``"wilcoxon"`` or ``"randomisation"``; see
            :mod:`xcg.statistics.significance_tests`.
        correction: Correction of p values for the number of comparisons: ``"shaffer"`` (Holm with
            Shaffer's steps, for all pairs by ``"t"``), ``"holm"``, ``"bonferroni"``, ``"fdr_bh"``
            (Benjamini and Hochberg 1995), ``"none"``, or
            ``"tukey"`` (Tukey's honestly significant differences, for all pairs by ``"t"`` or
            ``"randomisation"``, if all pairs have the same variance; see
            :func:`xcg.statistics.tukey.tukey_inferences`). The default is ``"shaffer"`` for more
            than two runs without a baseline by ``"t"`` if all runs have the same topics, and otherwise
            ``"holm"``.

    Returns:
        The comparisons in the order of measures, user models and runs. ``pandas.DataFrame`` takes them.

    Raises:
        XcgError: If a name is unknown, there are fewer than two runs, two runs share fewer than two
            topics, or the correction is not defined for the test, baseline or topics.

    >>> from xcg.evaluation.results import Result
    >>> scores = {"a": (0.2, 0.4, 0.6), "b": (0.1, 0.2, 0.3)}
    >>> (line,) = compare(Results(
    ...     Result(run, str(topic), "MAep", value, "m")
    ...     for run, values in scores.items() for topic, value in enumerate(values)
    ... ))
    >>> line.run, line.baseline, round(line.difference, 4), round(line.p, 4)
    ('a', 'b', 0.2, 0.0742)
    """
    return [
        comparison
        for measure, model in product(results.measures, results.user_models)
        for comparison in compare_runs(results, measure, model, baseline, test, correction)
    ]


def compare_runs(
    results: Results,
    measure: str,
    user_model: str,
    baseline: str | None = None,
    test: str = "t",
    correction: str | None = None,
) -> list[Comparison]:
    """Compare runs by one measure under one user model.

    Args:
        results: Results with scores per topic.
        measure: Canonical name. Only runs with scores of the measure are compared.
        user_model: Name.
        baseline: As for :func:`compare`.
        test: As for :func:`compare`.
        correction: As for :func:`compare`.

    Returns:
        The comparisons in the order of the runs; of a pair, the earlier run is compared with the later.

    Raises:
        XcgError: As :func:`compare`.
    """
    check_name("test", test, PAIRED_TESTS)
    if correction is not None:
        check_name("correction", correction, CORRECTIONS)
    scores, named = scores_to_compare(results, measure, user_model, baseline)
    pairs = list(combinations(scores, 2))
    if named is not None:
        pairs = [(run, named) for run in scores if run != named]
    procedure = choose_correction(scores, named, test, correction)
    what, topics = f"{measure} under {user_model}", results.topics
    samples = [common_scores({run: scores[run] for run in pair}, topics, what) for pair in pairs]
    found = [differences(*sample.values.values()) for sample in samples]
    if procedure == "tukey" and len(scores) > 2:
        complete = common_scores(scores, topics, what)
        inferences = tukey_inferences(complete, pairs, test, SIGNIFICANCE_LEVEL)
    else:
        single = "none" if procedure == "tukey" else procedure  # there is one pair
        inferences = paired_inferences(found, test, single, SIGNIFICANCE_LEVEL)
    names = {
        "measure": measure,
        "user_model": user_model,
        "test": test,
        "correction": procedure,
        "comparisons": len(pairs),
    }
    return [
        _comparison(sample, by_topic, inference, names)
        for sample, by_topic, inference in zip(samples, found, inferences, strict=True)
    ]


def choose_correction(
    scores: Mapping[str, Mapping[str, float]],
    named: str | None,
    test: str,
    correction: str | None,
) -> str:
    """Return the correction of :func:`compare`; XcgError if it is not defined for the test."""
    complete = len({frozenset(values) for values in scores.values()}) == 1
    obstacle = ""
    if named is not None:
        obstacle = f"all pairs of runs are compared, not with a baseline like {named!r}"
    elif test != "t" and not (correction == "tukey" and test == "randomisation"):
        obstacle = f"the test is t{' or randomisation' * (correction == 'tukey')}, not {test}"
    elif not complete:
        obstacle = "all runs have scores for the same topics"
    if correction in ("tukey", "shaffer") and obstacle:
        raise XcgError(f"the correction {correction} is only defined if {obstacle}: use holm")
    return correction or ("holm" if obstacle or len(scores) == 2 else "shaffer")


def _comparison(
    scores: TopicScores, found: Floats, inference: Inference, procedure: Mapping[str, Any]
) -> Comparison:
    (run, first), (baseline, second) = scores.values.items()
    measure, topics = procedure["measure"], len(found)
    difference, deviation = float(found.mean()), standard_deviation(found)
    better = sign(measure) * found
    wins, losses = int(np.count_nonzero(better > 0)), int(np.count_nonzero(better < 0))
    summed = divisor(measure, topics)
    factor = topics / summed
    limits = inference.low, inference.high
    low, high = (None if limit is None else factor * limit for limit in limits)
    return Comparison(
        run=run,
        baseline=baseline,
        topics=topics,
        mean=math.fsum(first) / summed,
        baseline_mean=math.fsum(second) / summed,
        difference=difference * factor,
        effect=difference / deviation if deviation else None,
        deviation=deviation,
        wins=wins,
        losses=losses,
        **inference._replace(low=low, high=high)._asdict(),
        **procedure,
    )


class BestRun(NamedTuple):
    """The best and the second run by a measure under a user model.

    Attributes:
        measure: Canonical name of the measure.
        user_model: Name of the user model.
        best: The first of the runs with the best mean.
        second: The next run.
        p: p value of their difference by the paired t test, corrected for all pairs of runs, because
            the scores select the best. None if two runs share fewer than two topics.
        correction: Name of the correction.
        comparisons: Number of pairs of runs.
        topics: Number of topics that both have.
    """

    measure: str
    user_model: str
    best: str
    second: str
    p: float | None
    correction: str
    comparisons: int
    topics: int


def best_runs(results: Results) -> list[BestRun]:
    """Test for each measure and user model whether the best run differs from the second.

    The test is that of :func:`compare` with its defaults, without greedy references. There is no
    correction for the number of measures and user models.

    Args:
        results: Results with means and scores per topic. Families with fewer than two runs are left
            out.

    >>> from xcg.evaluation.results import Result
    >>> scores = {"a": {"1": 0.1, "2": 0.2, "3": 0.3, "all": 0.2}}
    >>> scores["b"] = {topic: 2 * score for topic, score in scores["a"].items()}
    >>> (found,) = best_runs(Results(
    ...     Result(run, topic, "MAep", value, "m")
    ...     for run, values in scores.items() for topic, value in values.items()
    ... ))
    >>> found.best, found.second, round(found.p, 4)
    ('b', 'a', 0.0742)
    """
    tested = results.without_references()
    found = []
    for measure, model in product(tested.measures, tested.user_models):
        scores = scores_by_run(tested, measure, model)
        if len(scores) < 2:
            continue
        best, second, *_ = best_first(tested, measure, model)
        pairs = list(combinations(scores, 2))
        matrix, runs = score_matrix(scores, tested.topics), list(scores)
        samples = [pair_differences(matrix[None], (runs.index(a), runs.index(b))) for a, b in pairs]
        number = next(i for i, pair in enumerate(pairs) if {best, second} == {*pair})
        correction, p = choose_correction(scores, None, "t", None), None
        if min(sample.shape[1] for sample in samples) > 1:
            p = float(adjusted(family_p_values(samples, "t"), correction)[0, number])
        topics = samples[number].shape[1]
        found.append(BestRun(measure, model, best, second, p, correction, len(pairs), topics))
    return found


def relative_difference(difference: float, reference: float) -> float | None:
    """Return a difference divided by the magnitude of a reference, or None if the reference is 0.

    >>> relative_difference(-0.125, 0.25), relative_difference(0.1, 0)
    (-0.5, None)
    """
    return difference / abs(reference) if reference else None


def practical_significance(difference: float, reference: float) -> str:
    """Classify a difference by the criteria of Spärck Jones (1974).

    A difference below 5 % of the reference is marginal, from 5 % to 10 % noticeable, and above 10 %
    material. Järvelin and Kekäläinen (2002, section 2.3) quote the limits, and call material
    differences essential. If the reference is 0, every difference is material.

    Args:
        difference: The difference between the means of two runs.
        reference: The mean that it is relative to.

    Returns:
        ``"marginal"``, ``"noticeable"`` or ``"material"``.

    >>> [practical_significance(value, 0.2) for value in (0.009, -0.01, 0.02, -0.021)]
    ['marginal', 'noticeable', 'noticeable', 'material']
    """
    relative = relative_difference(difference, reference)
    if relative is None:
        return "material" if difference else "marginal"
    # A rounding error must not exceed a limit: 0.55 - 0.5 is slightly more than 10 % of 0.5.
    share = round(abs(relative), DIGITS)
    return "marginal" if share < 0.05 else "noticeable" if share <= 0.1 else "material"
