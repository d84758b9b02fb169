"""Arrange comparisons of runs as rows for tables and records."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xcg.errors import XcgError
from xcg.evaluation.results import Results
from xcg.statistics.overall_tests import anova, discriminative_power, friedman, friedman_posthoc
from xcg.statistics.rank_correlation import order_agreements
from xcg.statistics.significance import (
    ALL_PAIRS,
    BEST,
    SIGNIFICANCE_LEVEL,
    Comparison,
    deciding_topics,
)
from xcg.statistics.topic_scores import common_scores, scores_by_run, topic_scores

Row = dict[str, Any]

_COMPARISON_FIELDS = (
    *("run", "baseline", "topics", "mean", "baseline_mean", "difference", "low", "high", "level"),
    "effect",
)
_TEST_FIELDS = ("p", "p_adjusted", "test", "correction", "comparisons")
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
                "deciding_topics": ", ".join(f"{name} {by:+.2f}" for name, by in deciding),
            }
        )
    return rows


def comparison_sentences(
    comparisons: Sequence[Comparison], baseline: str | None, correction: str | None = None
) -> list[str]:
    """State test, correction, level, family, baseline, topics and intervals of comparisons.

    Args:
        comparisons: What :func:`xcg.compare` returned.
        baseline: The baseline with which it was called.
        correction: The correction with which it was called.

    >>> from xcg.statistics.significance import compare
    >>> gold = {"1": {"d": 1}, "2": {"d": 1}, "3": {"d": 1}}
    >>> runs = {run: {"1": ["d"], "2": [run, "d"], "3": ["d"]} for run in "abc"}
    >>> for sentence in comparison_sentences(compare(gold, runs, measures="MAep"), None):
    ...     print(sentence)
    test: Tukey's HSD (two-way ANOVA of runs and topics); significance level 0.05
    family: all 3 pairs of runs, for each measure and user model; correction: tukey
    baseline: none
    topics: 3 in each comparison
    intervals: all of a family hold together with 95 %
    """
    sentences = []
    families = dict.fromkeys((line.correction, line.comparisons) for line in comparisons)
    for used, size in families:
        lines = [line for line in comparisons if (line.correction, line.comparisons) == (used, size)]
        if len(families) > 1:
            names = dict.fromkeys(f"{line.measure} ({line.user_model})" for line in lines)
            sentences.append(f"{', '.join(names)}:")
        sentences += _family_sentences(lines, baseline, correction)
    return sentences


def _family_sentences(
    lines: Sequence[Comparison], baseline: str | None, correction: str | None
) -> list[str]:
    test, used, size = lines[0].test, lines[0].correction, lines[0].comparisons
    all_pairs = baseline in (None, ALL_PAIRS, BEST)
    name = _TEST_NAMES[test, "tukey" if used == "tukey" and size > 1 else ""]
    family = f"all {size} pairs of runs" if all_pairs else f"{size} comparisons with {baseline}"
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
        if all_pairs and size > 1 and used == "holm" != correction:
            sentences.append(
                "note: Tukey's HSD needs scores of all runs for the same topics; here each pair is "
                "tested on the topics that both runs have"
            )
    else:
        sentences.append("intervals: none, because Wilcoxon's test is about ranks and not about means")
    return sentences


def overall_rows(results: Results) -> list[Row]:
    """Return the tests over all runs: ANOVA, discriminative power, Friedman and its pairwise tests.

    Raises:
        XcgError: If there is only one run.
    """
    if len(results.runs) < 2:
        raise XcgError("one run has nothing to be compared with: expected several")
    return [
        {"measure": measure, "user_model": model, **row}
        for measure in results.measures
        for model in results.user_models
        for row in _overall_tests(results, measure, model)
    ]


def _overall_tests(results: Results, measure: str, model: str) -> list[Row]:
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
        rows.append(_test_row("Friedman", "", statistic, str(len(results.runs) - 1), p))
        rows += [
            _test_row("Conover, Holm", " - ".join(pair), None, "", p_pair)
            for pair, p_pair in friedman_posthoc(scores).items()
        ]
    return rows


def _test_row(test: str, runs: str, statistic: float | None, df: str, p: float | None) -> Row:
    return {"test": test, "runs": runs, "statistic": statistic, "df": df, "p": p}


def order_rows(results: Results) -> list[Row]:
    """Return τ-b, τ_AP and Pearson's correlation between the orders of runs.

    There is one row for every two measures and user models.

    The first order of each pair is the reference of τ_AP.

    Raises:
        XcgError: If there is only one run or only one order.
    """
    return [dict(zip(_ORDER_FIELDS, found, strict=True)) for found in order_agreements(results)]
