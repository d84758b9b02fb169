"""Arrange comparisons of runs as rows for tables and records."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import product
from string import ascii_uppercase
from typing import Any

from xcg.errors import XcgError
from xcg.evaluation.results import Results
from xcg.measures import MEASURES
from xcg.statistics.bootstrap import interval_columns
from xcg.statistics.overall_tests import anova, discriminative_power, friedman, friedman_posthoc
from xcg.statistics.rank_correlation import OrderShift, order_agreements
from xcg.statistics.run_pairs import ALL_PAIRS, BEST
from xcg.statistics.significance import (
    SIGNIFICANCE_LEVEL,
    Comparison,
    means_of_runs,
    practical_significance,
    relative_difference,
)
from xcg.statistics.significant_pairs import compact_form, significant_pairs
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
_TEST_NAMES = {
    ("t", "tukey"): "Tukey's HSD (two-way ANOVA of runs and topics)",
    ("randomisation", "tukey"): "randomised Tukey HSD (scores of each topic permuted among the runs)",
    ("t", ""): "paired t test",
    ("wilcoxon", ""): "Wilcoxon's signed-rank test",
    ("wilcoxon-pratt", ""): "Wilcoxon's signed-rank test with Pratt's zeros",
    ("randomisation", ""): "paired randomisation test",
}
_INTERVALS = {
    "tukey": "all of a family hold together with 95 %",
    "bonferroni": "each with the level in its row, so that all of a family hold together with 95 %",
    "holm": "each with the level in its row; those with the highest level hold together with 95 %",
    "fdr_bh": "each with the level in its row; 5 % of those that exclude 0 are expected to be wrong",
    "none": "each holds alone with 95 %",
}
_ORDER_FIELDS = (
    *("measure", "user_model", "and measure", "and user_model"),
    *("tau_b", "pearson", "tau_ap"),
)


def comparison_rows(results: Results, comparisons: Sequence[Comparison], topics: int) -> list[Row]:
    """Return one row for each comparison.

    Args:
        results: Results with the scores of topics.
        comparisons: Comparisons of these results.
        topics: The number of deciding topics to include.
    """
    rows = []
    scores: dict[tuple[str, str], dict[str, dict[str, float]]] = {}
    names = results.topics
    for line in comparisons:
        family = line.measure, line.user_model
        if family not in scores:
            scores[family] = scores_by_run(results, *family)
        pair = {run: scores[family][run] for run in (line.run, line.baseline)}
        common = common_scores(pair, names, line.measure)
        deciding = deciding_topics(common, line.run, line.baseline, topics) if topics else []
        rows.append(
            {
                "measure": line.measure,
                **({"user_model": line.user_model} if len(results.user_models) > 1 else {}),
                **{name: getattr(line, name) for name in _COMPARISON_FIELDS},
                "wins/losses/ties": f"{line.wins}/{line.losses}/{line.ties}",
                **{name: getattr(line, name) for name in _TEST_FIELDS},
                **{name: getattr(line, name) for name in _MARGIN_FIELDS if line.margin is not None},
                "deciding_topics": ", ".join(f"{name} {by:+.2f}" for name, by in deciding),
            }
        )
    return rows


def comparison_sentences(
    comparisons: Sequence[Comparison],
    baseline: str | None,
    correction: str | None = None,
    within_runs: bool = False,
) -> list[str]:
    """State test, correction, level, family, baseline, topics, intervals and power of comparisons.

    Args:
        comparisons: What :func:`xcg.compare` returned.
        baseline: The baseline with which it was called.
        correction: The correction with which it was called.
        within_runs: Whether only strategies of the same run were compared.

    >>> from xcg.statistics.significance import compare
    >>> gold = {"1": {"d": 1}, "2": {"d": 1}, "3": {"d": 1}}
    >>> runs = {run: {"1": ["d"], "2": [run, "d"], "3": ["d"]} for run in "abc"}
    >>> for sentence in comparison_sentences(compare(gold, runs, measures="MAep"), None):
    ...     print(sentence)  # doctest: +ELLIPSIS
    test: Tukey's HSD (two-way ANOVA of runs and topics); significance level 0.05
    family: all 3 pairs of runs, for each measure and user model; correction: tukey
    baseline: none
    topics: 3 in each comparison
    intervals: all of a family hold together with 95 %
    assumption: all pairs ... with --correction holm; ... is up to 1.0 times the average
    """
    sentences = []
    families = dict.fromkeys((line.correction, line.comparisons) for line in comparisons)
    for used, size in families:
        lines = [line for line in comparisons if (line.correction, line.comparisons) == (used, size)]
        if len(families) > 1:
            names = dict.fromkeys(f"{line.measure} ({line.user_model})" for line in lines)
            sentences.append(f"{', '.join(names)}:")
        sentences += _family_sentences(lines, baseline, correction, within_runs)
    return sentences


def _largest_deviation(lines: Sequence[Comparison]) -> float:
    """Return the largest standard deviation of differences, relative to the root mean variance."""
    deviations: dict[tuple[str, str], list[float]] = {}
    for line in lines:
        if line.effect:
            family = deviations.setdefault((line.measure, line.user_model), [])
            family.append(line.difference / line.effect)
    ratios = [max(family) / math.hypot(*family) * len(family) ** 0.5 for family in deviations.values()]
    return max(ratios, default=1.0)


def _family_sentences(
    lines: Sequence[Comparison], baseline: str | None, correction: str | None, within_runs: bool
) -> list[str]:
    test, used, size = lines[0].test, lines[0].correction, lines[0].comparisons
    all_pairs = baseline in (None, ALL_PAIRS, BEST)
    name = _TEST_NAMES[test, "tukey" if used == "tukey" and size > 1 else ""]
    pairs = "strategies of the same run" if within_runs else "runs"
    family = f"all {size} pairs of {pairs}" if all_pairs else f"{size} comparisons with {baseline}"
    if size == 1:
        family, used = "one comparison", "none is needed"
    chosen = "none" if baseline in (None, ALL_PAIRS) else f"{baseline}, named by the user"
    if baseline == BEST:
        best = ", ".join(dict.fromkeys(line.baseline for line in lines))
        chosen = f"{best}, with the best mean; as the results select it, all pairs are corrected"
    counts = {line.topics for line in lines}
    topics = str(*counts) if len(counts) == 1 else f"{min(counts)} to {max(counts)}"
    sentences = [
        f"test: {name}; significance level {SIGNIFICANCE_LEVEL}",
        f"family: {family}, for each measure and user model; correction: {used}",
        f"baseline: {chosen}",
        f"topics: {topics} in each comparison",
    ]
    if test in ("t", "randomisation"):
        sentences.append(f"intervals: {_INTERVALS['none' if size == 1 else used]}")
        if used == "tukey" and size > 1:
            largest = _largest_deviation(lines)
            sentences.append(
                "assumption: all pairs have the same variance, unlike with --correction holm; the "
                f"standard deviation of a pair is up to {largest:.1f} times the average"
            )
        if all_pairs and size > 1 and used == "holm" != correction:
            reason = (
                "needs scores of all runs for the same topics; here each pair is tested on the topics"
            )
            sentences.append(
                "note: Tukey's HSD compares all pairs of runs, not only the strategies of the same run"
                if within_runs
                else f"note: Tukey's HSD {reason} that both runs have"
            )
    else:
        sentences.append("intervals: none, because Wilcoxon's test is about ranks and not about means")
    if any(line.detectable is not None for line in lines):
        sentences.append(
            "detectable: the smallest true difference that a comparison finds with 80 % power"
            + (
                ", if no other comparison finds one"
                if size > 1 and used not in ("tukey", "none")
                else ""
            )
        )
    if lines[0].margin is not None:
        sentences.append(
            "margin: p_not_worse below 0.05 shows that a run is at most the margin worse, p_equivalent "
            f"that it differs by at most the margin; correction of each: {used}"
        )
    return sentences


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

    The form of Table 2 of Järvelin and Kekäläinen (2002); the means are those over the topics that all
    runs have. The significance is empty if no runs differ, and for two runs.

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
    return compact_form(significant_pairs(scores, lower_is_better, correction))


def _overall_tests(results: Results, measure: str, model: str, correction: str) -> list[Row]:
    scores = topic_scores(results, measure, model, results.runs)
    table = anova(scores)
    rows = [
        _test_row(f"two-way ANOVA, {name}", "", effect.f, f"{effect.df}, {table.error_df}", effect.p)
        for name, effect in (("runs", table.runs), ("topics", table.topics))
    ]
    power, needed = discriminative_power(scores)
    name = "discriminative power (bootstrap, 5 %)"
    rows.append(_test_row(name, f"difference needed {needed:.4f}", power, "", None))
    if len(results.runs) > 2:
        statistic, p = friedman(scores)
        significant = _significance(scores, measure, correction)
        rows.append(_test_row("Friedman", significant, statistic, str(len(results.runs) - 1), p))
        means = means_of_runs(scores, measure)
        order = MEASURES.order(measure)
        for pair, p_pair in friedman_posthoc(scores, correction=correction).items():
            better, worse = sorted(pair, key=lambda run: order.sort_key(means[run]))
            row = _test_row(_CONOVER[correction], f"{better} - {worse}", None, "", p_pair)
            rows.append(row | _difference_fields(means[better] - means[worse], means[worse]))
    return rows


def _test_row(test: str, runs: str, statistic: float | None, df: str, p: float | None) -> Row:
    no_difference = dict.fromkeys(("difference", "relative", "criterion"))
    return {"test": test, "runs": runs, "statistic": statistic, "df": df, "p": p, **no_difference}


def _difference_fields(difference: float, reference: float) -> Row:
    return {
        "difference": difference,
        "relative": relative_difference(difference, reference),
        "criterion": practical_significance(difference, reference),
    }


def order_rows(results: Results, resamples: int = 0, seed: int = 0) -> list[Row]:
    """Return τ-b, τ_AP and Pearson's correlation between the orders of runs.

    There is one row for every two measures and user models. The first order of each pair is the
    reference of τ_AP.

    Args:
        results: Results of at least two runs.
        resamples: Number of bootstrap resamples for the interval of τ-b; 0 for no interval.
        seed: Seed of the resamples.

    Raises:
        XcgError: If there is only one run or only one order.
    """
    rows = []
    for found in order_agreements(results, resamples, seed):
        row: Row = dict(zip(_ORDER_FIELDS, found[:-1], strict=True))
        rows.append(row | (interval_columns("tau_b", found.interval) if resamples else {}))
    return rows


def shift_rows(shifts: Sequence[OrderShift], resamples: int = 0) -> list[Row]:
    """Return the rows of ``xcg sweep``, with the limits of intervals if there are resamples."""
    rows = []
    for shift in shifts:
        row: Row = shift._asdict()
        del row["interval"]
        rows.append(row | (interval_columns("tau_b", shift.interval) if resamples else {}))
    return rows
