"""Significance of the differences between runs: paired tests, effect sizes, confidence intervals."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from xcg.errors import XcgError
from xcg.evaluation.results import Results
from xcg.lazy_modules import np
from xcg.measures import MEASURES, Measure
from xcg.statistics.corrections import P_VALUE_CORRECTIONS, SIGNIFICANCE_LEVEL
from xcg.statistics.families import Inference, paired_inferences, tukey_inferences
from xcg.statistics.margins import margin_inferences, parse_margins
from xcg.statistics.run_pairs import pairs_of_runs, scores_to_compare
from xcg.statistics.significance_tests import PAIRED_TESTS
from xcg.statistics.topic_scores import (
    DIGITS,
    TopicScores,
    check_name,
    common_scores,
    differences,
    divisor,
    sign,
    standard_deviation,
)

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
        relative: The difference divided by the magnitude of baseline_mean; None if that is 0.
        criterion: ``"marginal"``, ``"noticeable"`` or ``"material"``, see
            :func:`practical_significance`.
        low: Lower limit of the confidence interval of the difference. An interval that excludes 0 is of
            a significant difference. With Shaffer's and Holm's correction, the interval of a
            significant difference can contain 0, because later steps have a higher level. None if there
            is no limit: always with Wilcoxon's test, which is about ranks and not about means; and if
            there are too few topics for the level.
        high: Its upper limit, or None.
        effect: Cohen's d_z, the difference divided by the standard deviation of the topics'
            differences; None if the deviation is 0.
        wins: Number of topics for which the run is better. With a lower-is-better measure, lower scores
            are better.
        losses: Number of topics for which the run is worse.
        ties: Number of topics with equal scores, apart from rounding.
        p: Two-sided p value of this comparison alone. With ``"tukey"``, the variance or the
            permutations are those of all runs.
        p_adjusted: p value after the correction for all comparisons of the family.
        level: Confidence level of the interval. With ``"tukey"``, all intervals of the family hold
            together at this level (0.95). Otherwise each interval has its own level:
            1 − 0.05 / ``comparisons`` (Bonferroni's) for Shaffer, Holm and Bonferroni, so that all hold
            together at 0.95. None without an interval.
        detectable: The smallest true difference that this comparison finds with a probability of 80 %
            if no other difference of the family is found (the power; see
            :mod:`xcg.statistics.power`). None with Wilcoxon's test, if all topics have the same
            difference, or if there are too few topics for the level.
        test: Name of the test.
        correction: Name of the correction.
        comparisons: Number of comparisons that were corrected together, the family.
        margin: The margin of the following p values; None without a margin.
        p_not_worse: One-sided p value, after the correction, of non-inferiority: that the run is at
            most ``margin`` worse than the baseline. It is shown if p is below 0.05.
        p_equivalent: p value, after the correction, of equivalence: that the run is at most ``margin``
            worse and at most ``margin`` better.
    """

    run: str
    baseline: str
    measure: str
    user_model: str
    topics: int
    mean: float
    baseline_mean: float
    difference: float
    relative: float | None
    criterion: str
    low: float | None
    high: float | None
    effect: float | None
    wins: int
    losses: int
    ties: int
    p: float
    p_adjusted: float
    level: float | None
    detectable: float | None
    test: str
    correction: str
    comparisons: int
    margin: float | None = None
    p_not_worse: float | None = None
    p_equivalent: float | None = None


def compare(
    results: Results,
    measures: Iterable[str | Measure] | str | None = None,
    *,
    baseline: str | None = None,
    test: str = "t",
    correction: str | None = None,
    margin: float | Mapping[str, float] | None = None,
) -> list[Comparison]:
    """Test whether the differences between runs are significant.

    All pairs of runs are compared, or each run with a baseline, over the topics that both have. With
    several strategies, the pairs are the strategies of the same run. Greedy references (``oracle``) are
    not compared. The comparisons by one measure under one user model are a family: their p values are
    corrected together.
    """
    chosen = results.measures if measures is None else list(map(str, MEASURES.parse_all(measures)))
    margins = {} if margin is None else parse_margins(margin, chosen)
    return [
        comparison
        for measure in chosen
        for model in results.user_models
        for comparison in compare_runs(
            results, measure, model, baseline, test, correction, margins.get(measure)
        )
    ]


def compare_runs(
    results: Results,
    measure: str,
    user_model: str,
    baseline: str | None = None,
    test: str = "t",
    correction: str | None = None,
    margin: float | None = None,
) -> list[Comparison]:
    """Compare runs by one measure under one user model.

    Args:
        results: Results with scores per topic.
        measure: Canonical name. Only runs with scores of the measure are compared.
        user_model: Name.
        baseline: As for :func:`compare`; of several runs with the best mean, the first is the best.
        test: As for :func:`compare`.
        correction: As for :func:`compare`.
        margin: A difference above 0, as for :func:`compare`.

    Returns:
        The comparisons in the order of the runs; of a pair, the earlier run is compared with the later.

    Raises:
        XcgError: As :func:`compare`.

    >>> from xcg.evaluation.results import Result
    >>> scores = {"a": (0.2, 0.4, 0.6), "b": (0.1, 0.2, 0.3)}
    >>> results = Results(
    ...     Result(run, str(topic), "MAep", value, "m")
    ...     for run, values in scores.items() for topic, value in enumerate(values)
    ... )
    >>> (line,) = compare_runs(results, "MAep", "m")
    >>> line.run, line.baseline, round(line.difference, 4), round(line.p, 4)
    ('a', 'b', 0.2, 0.0742)
    """
    check_name("test", test, PAIRED_TESTS)
    if correction is not None:
        check_name("correction", correction, CORRECTIONS)
    scores, named, base = scores_to_compare(results, measure, user_model, baseline)
    if margin is not None and named is None:
        raise XcgError("a margin needs a baseline: expected the name of a run that was chosen before")
    if named is not None:
        pairs = [(run, named) for run in scores if run != named]
    else:
        pairs = [(b, a) if a == base else (a, b) for a, b in pairs_of_runs(results, scores)]
    shown = [pair for pair in pairs if base in (None, pair[1])]
    has_all_pairs = len(pairs) == math.comb(len(scores), 2)
    procedure = choose_correction(scores, named, test, correction, has_all_pairs)
    what, topics = f"{measure} under {user_model}", results.topics
    together = procedure == "tukey" and len(scores) > 2
    samples = {
        pair: common_scores({run: scores[run] for run in pair}, topics, what)
        for pair in (shown if together else pairs)
    }
    if together:
        complete = common_scores(scores, topics, what)
        found = tukey_inferences(complete, shown, test, SIGNIFICANCE_LEVEL)
    else:
        by_topic = [differences(*sample.values.values()) for sample in samples.values()]
        single = "none" if procedure == "tukey" else procedure  # there is one pair
        found = paired_inferences(by_topic, test, single, SIGNIFICANCE_LEVEL)
    inferences = dict(zip(samples, found, strict=True))
    names = {
        "measure": measure,
        "user_model": user_model,
        "test": test,
        "correction": procedure,
        "comparisons": len(pairs),
    }
    lines = [_comparison(samples[p], inferences[p], names) for p in shown]
    if margin is None:
        return lines
    columns = [(samples[pair].values[pair[0]], samples[pair].values[pair[1]]) for pair in shown]
    p_values = margin_inferences(columns, measure, test, procedure, margin)
    return [
        replace(line, margin=margin, p_not_worse=not_worse, p_equivalent=equivalent)
        for line, (not_worse, equivalent) in zip(lines, p_values, strict=True)
    ]


def choose_correction(
    scores: Mapping[str, Mapping[str, float]],
    named: str | None,
    test: str,
    correction: str | None,
    has_all_pairs: bool = True,
) -> str:
    """Return the correction of :func:`compare`; XcgError if it is not defined for the test."""
    complete = len({frozenset(values) for values in scores.values()}) == 1
    obstacle = ""
    if named is not None:
        obstacle = f"all pairs of runs are compared, not with a baseline like {named!r}"
    elif not has_all_pairs:
        obstacle = "all pairs of runs are compared, not only the strategies of each run"
    elif test != "t" and not (correction == "tukey" and test == "randomisation"):
        obstacle = f"the test is t{' or randomisation' * (correction == 'tukey')}, not {test}"
    elif not complete:
        obstacle = "all runs have scores for the same topics"
    if correction in ("tukey", "shaffer") and obstacle:
        raise XcgError(f"the correction {correction} is only defined if {obstacle}: use holm")
    return correction or ("holm" if obstacle or len(scores) == 2 else "shaffer")


def _comparison(scores: TopicScores, inference: Inference, procedure: Mapping[str, Any]) -> Comparison:
    (run, first), (baseline, second) = scores.values.items()
    measure, found = procedure["measure"], differences(first, second)
    topics = len(found)
    difference = float(found.mean())
    deviation = standard_deviation(found)
    better = sign(measure) * found
    wins, losses = int(np.count_nonzero(better > 0)), int(np.count_nonzero(better < 0))
    summed = divisor(measure, topics)
    factor = topics / summed
    baseline_mean = math.fsum(second) / summed
    limits = inference.low, inference.high, inference.detectable
    low, high, detectable = (None if limit is None else factor * limit for limit in limits)
    return Comparison(
        run=run,
        baseline=baseline,
        topics=topics,
        mean=math.fsum(first) / summed,
        baseline_mean=baseline_mean,
        difference=difference * factor,
        relative=relative_difference(difference * factor, baseline_mean),
        criterion=practical_significance(difference * factor, baseline_mean),
        effect=difference / deviation if deviation else None,
        wins=wins,
        losses=losses,
        ties=topics - wins - losses,
        **inference._replace(low=low, high=high, detectable=detectable)._asdict(),
        **procedure,
    )


def means_of_runs(scores: TopicScores, measure: str) -> dict[str, float]:
    """Return run → mean over the topics; the sum if the measure is a count."""
    count = divisor(measure, len(scores.topics))
    return {run: math.fsum(values) / count for run, values in scores.values.items()}


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
