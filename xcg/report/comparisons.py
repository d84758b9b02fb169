"""Comparisons of runs as rows for tables and for programs."""

from __future__ import annotations

from itertools import combinations
from typing import Any

from xcg.errors import XcgError
from xcg.evaluation.results import Results
from xcg.statistics.rank_correlation import kendall_tau_b
from xcg.statistics.significance import (
    align,
    anova,
    compare,
    deciding_topics,
    discriminative_power,
    friedman,
    friedman_posthoc,
    tau_ap,
)


def comparison_rows(
    results: Results, baseline: str | None, test: str, correction: str, topics: int
) -> list[dict[str, Any]]:
    """Return a row for each measure, user model and pair of runs."""
    rows = []
    for measure in results.measures:
        for model in results.user_models:
            for line in compare(results, measure, model, baseline, test, correction):
                figures = align(results, measure, model, [line.run, line.baseline])
                decisive = deciding_topics(figures, line.run, line.baseline, topics) if topics else []
                several = {"user_model": model} if len(results.user_models) > 1 else {}
                rows.append(
                    {
                        "measure": measure,
                        **several,
                        "run": line.run,
                        "baseline": line.baseline,
                        "mean": line.mean,
                        "difference": line.difference,
                        "low": line.low,
                        "high": line.high,
                        "effect": line.effect,
                        "wins/losses/ties": f"{line.wins}/{line.losses}/{line.ties}",
                        "p": line.p,
                        "p_adjusted": line.p_adjusted,
                        "deciding_topics": ", ".join(f"{name} {by:+.2f}" for name, by in decisive),
                    }
                )
    return rows


def overall_rows(results: Results) -> list[dict[str, Any]]:
    """Return the tests over all runs: ANOVA, discriminative power, Friedman with its pairs."""
    rows: list[dict[str, Any]] = []
    if len(results.runs) < 2:
        raise XcgError("one run has nothing to be compared with: expected several")
    for measure in results.measures:
        for model in results.user_models:
            figures = align(results, measure, model, results.runs)
            head = {"measure": measure, "user_model": model}
            table = anova(figures)
            for name, effect in (("runs", table.runs), ("topics", table.topics)):
                rows.append(
                    {
                        **head,
                        "test": f"two-way ANOVA, {name}",
                        "runs": "",
                        "statistic": effect.f,
                        "df": f"{effect.df}, {table.error_df}",
                        "p": effect.p,
                    }
                )
            power, needed = discriminative_power(figures)
            rows.append(
                {
                    **head,
                    "test": "discriminative power (bootstrap, 5 %)",
                    "runs": f"difference needed {needed:.4f}",
                    "statistic": power,
                    "df": "",
                    "p": None,
                }
            )
            if len(results.runs) > 2:
                statistic, p = friedman(figures)
                df = str(len(results.runs) - 1)
                rows.append(
                    {**head, "test": "Friedman", "runs": "", "statistic": statistic, "df": df, "p": p}
                )
                for pair, p_pair in friedman_posthoc(figures).items():
                    rows.append(
                        {
                            **head,
                            "test": "Conover, Holm",
                            "runs": " - ".join(pair),
                            "statistic": None,
                            "df": "",
                            "p": p_pair,
                        }
                    )
    return rows


def order_rows(results: Results) -> list[dict[str, Any]]:
    """Return τ-b and τ_AP between the orders of runs by every two measures and user models.

    τ_AP takes the first of the two as reference.
    """
    if len(results.runs) < 2:
        raise XcgError("one run has no order: expected several")
    columns = {
        (measure, model): [results.value(run, measure, user_model=model) for run in results.runs]
        for model in results.user_models
        for measure in results.measures
    }
    if len(columns) < 2:
        raise XcgError("one order: expected several measures or user models")
    return [
        {
            "measure": one[0],
            "user_model": one[1],
            "and measure": other[0],
            "and user_model": other[1],
            "tau_b": kendall_tau_b(columns[one], columns[other]),
            "tau_ap": tau_ap(columns[one], columns[other]),
        }
        for one, other in combinations(columns, 2)
    ]
