"""Arrange comparisons of runs as rows for tables and records."""

from __future__ import annotations

from typing import Any

from xcg.errors import XcgError
from xcg.evaluation.results import Results
from xcg.statistics.overall_tests import anova, discriminative_power, friedman, friedman_posthoc
from xcg.statistics.rank_correlation import order_agreements
from xcg.statistics.significance import compare_runs, deciding_topics
from xcg.statistics.topic_scores import topic_scores

Row = dict[str, Any]

_COMPARISON_FIELDS = ("run", "baseline", "mean", "difference", "low", "high", "effect")
_ORDER_FIELDS = (
    *("measure", "user_model", "and measure", "and user_model"),
    *("tau_b", "pearson", "tau_ap"),
)


def comparison_rows(
    results: Results, baseline: str | None, test: str, correction: str, topics: int
) -> list[Row]:
    """Return one row for each measure, user model and pair of runs.

    Args:
        results: Results with the scores of topics.
        baseline: The run to compare with, or ``all`` for all pairs; by default the best run.
        test: The paired test, see :func:`xcg.compare`.
        correction: The correction for the number of comparisons.
        topics: The number of deciding topics to include.
    """
    rows = []
    for measure in results.measures:
        for model in results.user_models:
            for line in compare_runs(results, measure, model, baseline, test, correction):
                scores = topic_scores(results, measure, model, [line.run, line.baseline])
                deciding = deciding_topics(scores, line.run, line.baseline, topics) if topics else []
                rows.append(
                    {
                        "measure": measure,
                        **({"user_model": model} if len(results.user_models) > 1 else {}),
                        **{name: getattr(line, name) for name in _COMPARISON_FIELDS},
                        "wins/losses/ties": f"{line.wins}/{line.losses}/{line.ties}",
                        "p": line.p,
                        "p_adjusted": line.p_adjusted,
                        "deciding_topics": ", ".join(f"{name} {by:+.2f}" for name, by in deciding),
                    }
                )
    return rows


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
