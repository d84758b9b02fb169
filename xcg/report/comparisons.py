"""Arrange comparisons of runs as records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from string import ascii_uppercase
from typing import Any

from xcg.errors import XcgError
from xcg.evaluation.results import Results
from xcg.measures import MEASURES
from xcg.statistics import overall_tests
from xcg.statistics.significance import (
    Comparison,
    means_of_runs,
    practical_significance,
    relative_difference,
)
from xcg.statistics.topic_scores import (
    TopicScores,
    common_scores,
    deciding_topics,
    scores_by_run,
    topic_scores,
)

Row = dict[str, Any]

_COMPARISON_FIELDS = (
    *("run", "baseline", "topics", "mean", "baseline_mean", "difference", "relative", "criterion"),
    *("low", "high", "level", "detectable", "effect"),
)
_CONOVER = {
    "holm": "Conover, Holm",
    "bonferroni": "Conover, Bonferroni",
    "fdr_bh": "Conover, Benjamini-Hochberg",
    "none": "Conover",
}
"""Correction → name of the pairwise test."""
_TABLE_FIELDS = ("measure", "user_model", "significance")
_TEST_FIELDS = ("p", "p_adjusted", "test", "correction", "comparisons")
_MARGIN_FIELDS = ("margin", "p_not_worse", "p_equivalent")


def comparison_rows(results: Results, comparisons: Sequence[Comparison], topics: int) -> list[Row]:
    """Return one row for each comparison.

    Args:
        results: Results with the scores of topics.
        comparisons: Comparisons of these results.
        topics: The number of deciding topics to include.
    """
    has_models = len(results.user_models) > 1
    families = {(line.measure, line.user_model) for line in comparisons}
    scores = {family: scores_by_run(results, *family) for family in families}
    return [
        {
            "measure": line.measure,
            **({"user_model": line.user_model} if has_models else {}),
            **{name: getattr(line, name) for name in _COMPARISON_FIELDS},
            "wins/losses/ties": f"{line.wins}/{line.losses}/{line.ties}",
            **{name: getattr(line, name) for name in _TEST_FIELDS},
            **{name: getattr(line, name) for name in _MARGIN_FIELDS if line.margin is not None},
            "deciding_topics": deciding_text(
                results, scores[line.measure, line.user_model], line, topics
            ),
        }
        for line in comparisons
    ]


def deciding_text(
    results: Results, scores: Mapping[str, Mapping[str, float]], line: Comparison, topics: int
) -> str:
    """Return the topics with the largest differences of two runs, and the differences.

    Args:
        results: Results with the scores of topics.
        scores: Run → topic → score by the measure under the user model of the comparison.
        line: The comparison.
        topics: The number of topics to return.
    """
    if not topics:
        return ""
    pair = {run: scores[run] for run in (line.run, line.baseline)}
    common = common_scores(pair, results.topics, line.measure)
    found = deciding_topics(common, line.run, line.baseline, topics)
    return ", ".join(f"{name} {by:+.2f}" for name, by in found)


def overall_rows(results: Results, correction: str) -> list[Row]:
    """Return the tests over all runs: ANOVA, discriminative power, Friedman and its pairwise tests.

    The row of Friedman's test lists the runs that differ significantly, as :func:`means_rows` does. A
    pair of runs has the difference between the better and the worse mean, relative to the worse.

    Args:
        results: Results with the scores of topics.
        correction: The correction for the number of pairs.

    Raises:
        XcgError: If there is only one run.
    """
    _check_several_runs(results)
    return [
        {"measure": measure, "user_model": model, **row}
        for measure in results.measures
        for model in results.user_models
        for row in _overall_tests(results, measure, model, correction)
    ]


def means_rows(results: Results, correction: str) -> list[Row]:
    """Return one row for each measure and user model: the mean of each run, and the significance.

    The rows have the form of Table 2 of Järvelin and Kekäläinen (2002). The means are over the topics
    that all runs have. The significance is empty if no runs differ, and for two runs.

    Args:
        results: Results with the scores of topics.
        correction: The correction for the number of pairs.

    Raises:
        XcgError: If there is only one run.
    """
    _check_several_runs(results)
    rows = []
    for measure in results.measures:
        for model in results.user_models:
            scores = topic_scores(results, measure, model, results.runs)
            means = means_of_runs(scores, measure)
            rows.append(
                {
                    "measure": measure,
                    **({"user_model": model} if len(results.user_models) > 1 else {}),
                    **{f"run {run}" if run in _TABLE_FIELDS else run: means[run] for run in means},
                    "significance": _significance(scores, measure, correction),
                }
            )
    return rows


def with_letters(results: Results) -> tuple[Results, str]:
    """Name the runs A, B, C and so on, in their order.

    Returns:
        The renamed results, and the legend.
    """
    names = ["".join(name) for length in (1, 2, 3) for name in product(ascii_uppercase, repeat=length)]
    letters = dict(zip(results.runs, names, strict=False))
    renamed = Results((row._replace(run=letters[row.run]) for row in results), results.notes)
    return renamed, "runs: " + ", ".join(f"{letter} = {run}" for run, letter in letters.items())


def _check_several_runs(results: Results) -> None:
    if len(results.runs) < 2:
        raise XcgError("one run has nothing to be compared with: expected several")


def _significance(scores: TopicScores, measure: str, correction: str) -> str:
    """Return the compact form of the runs that differ significantly; empty for two runs."""
    if len(scores.values) < 3:
        return ""
    lower_is_better = MEASURES.order(measure).lower_is_better
    pairs = overall_tests.significant_pairs(scores, lower_is_better, correction)
    return overall_tests.compact_form(pairs)


def _overall_tests(results: Results, measure: str, model: str, correction: str) -> list[Row]:
    scores = topic_scores(results, measure, model, results.runs)
    of_runs, of_topics, error_df = overall_tests.anova(scores)
    rows = [
        _test_row(f"two-way ANOVA, {name}", "", effect.f, f"{effect.df}, {error_df}", effect.p)
        for name, effect in (("runs", of_runs), ("topics", of_topics))
    ]
    power, needed = overall_tests.discriminative_power(scores)
    name = "discriminative power (bootstrap, 5 %)"
    rows.append(_test_row(name, f"difference needed {needed:.4f}", power, "", None))
    if len(results.runs) > 2:
        statistic, p = overall_tests.friedman(scores)
        significant = _significance(scores, measure, correction)
        rows.append(_test_row("Friedman", significant, statistic, str(len(results.runs) - 1), p))
        means = means_of_runs(scores, measure)
        order = MEASURES.order(measure)
        for pair, p_pair in overall_tests.friedman_posthoc(scores, correction=correction).items():
            better, worse = sorted(pair, key=lambda run: order.sort_key(means[run]))
            difference = means[better] - means[worse]
            row = _test_row(_CONOVER[correction], f"{better} - {worse}", None, "", p_pair)
            row |= {"difference": difference, "relative": relative_difference(difference, means[worse])}
            rows.append(row | {"criterion": practical_significance(difference, means[worse])})
    return rows


def _test_row(test: str, runs: str, statistic: float | None, df: str, p: float | None) -> Row:
    no_difference = dict.fromkeys(("difference", "relative", "criterion"))
    return {"test": test, "runs": runs, "statistic": statistic, "df": df, "p": p, **no_difference}
