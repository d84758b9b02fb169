"""Arrange the orders of runs as records, and state in sentences how they and the best runs differ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from xcg.evaluation.results import Results
from xcg.report.columns import SHIFTS
from xcg.report.plot_selection import grouped, model_parameters
from xcg.statistics.corrections import CORRECTION_NAMES, SIGNIFICANCE_LEVEL
from xcg.statistics.intervals import interval_columns
from xcg.statistics.rank_correlation import OrderShift, order_agreements
from xcg.statistics.significance import BestRun
from xcg.tables import Column, Table, p_equation

Row = dict[str, Any]

_ORDER_FIELDS = (
    *("measure", "user_model", "and measure", "and user_model"),
    *("tau_b", "pearson", "tau_ap"),
)


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


def shift_rows(shifts: Sequence[OrderShift], best: Sequence[BestRun], resamples: int = 0) -> list[Row]:
    """Return the rows of ``xcg sweep``, with the limits of intervals if there are resamples.

    Args:
        shifts: The result of :func:`xcg.statistics.rank_correlation.order_shifts`.
        best: The best and the second run by each measure under each user model.
        resamples: The number of resamples.
    """
    rows = []
    tests = {(one.measure, one.user_model): one for one in best}
    for shift in shifts:
        row: Row = shift._asdict()
        del row["interval"]
        test = tests.get((shift.measure, shift.user_model))
        row |= {"second": test.second if test else None, "p": test.p if test else None}
        rows.append(row | (interval_columns("tau_b", shift.interval) if resamples else {}))
    return rows


def shift_tables(rows: Sequence[Row], legend: Sequence[str]) -> list[Table]:
    """Return a table for papers for each measure; the parameters of user models are columns.

    Args:
        rows: The rows of :func:`shift_rows`.
        legend: Sentences for the caption.
    """
    tables = []
    for measure, own in grouped(rows, lambda row: row["measure"]).items():
        models = [row["user_model"] for row in own]
        names = model_parameters(models) or [{"user model": model} for model in models]
        kept = [
            {**name, **{key: row[key] for key in row if key not in ("measure", "user_model")}}
            for name, row in zip(names, own, strict=True)
        ]
        keys = [Column(name, kind="text", is_key=True) for name in names[0]]
        table = Table.of_records(kept, (*keys, *SHIFTS), legend)
        tables.append(replace(table, title=f"Orders of runs by {measure}"))
    return tables


def sweep_sentences(results: Results, resamples: int) -> list[str]:
    """Return sentences that state which orders are compared, and over how many topics.

    Args:
        results: The results whose orders are compared.
        resamples: Number of bootstrap resamples for the intervals; 0 for no intervals.
    """
    runs, models, topics = (len(names) for names in (results.runs, results.user_models, results.topics))
    sentences = [
        f"The order of {runs} runs by their means over {topics} topics under each of {models} user "
        f"models is compared with the order under {results.user_models[0]}, the first."
    ]
    if resamples:
        sentences.append(
            f"Intervals of tau_b are 95 % bootstrap intervals over topics ({resamples:,} resamples)."
        )
    return sentences


def shift_facts(shifts: Sequence[OrderShift], best: Sequence[BestRun], resamples: int) -> list[str]:
    """Return sentences on the best and the second run, and the reasons for empty cells."""
    facts = best_run_sentences(best)
    if any(shift.tau_b is None or shift.pearson is None for shift in shifts):
        facts.append("empty tau_b or pearson: all runs have the same mean under one of the models")
    if resamples and any(shift.interval is None for shift in shifts if shift.tau_b is not None):
        facts.append("empty interval: tau_b is not defined in the resamples")
    return facts


def best_run_sentences(found: Sequence[BestRun]) -> list[str]:
    """Return a sentence for each measure, and one on the test.

    >>> for sentence in best_run_sentences([BestRun("MAep", "m", "a", "b", 0.25, "shaffer", 3)]):
    ...     print(sentence)
    MAep: the best run, a, does not differ significantly from the second, b (p = 0.2500)
    best and second: the paired t test, corrected for 3 comparisons (Holm with Shaffer's steps), \
significance level 5 %; the best run was chosen after seeing the scores, so the correction is for all \
pairs of runs
    """
    sentences = [
        _sentence(measure, own) for measure, own in grouped(found, lambda one: one.measure).items()
    ]
    tested = [one for one in found if one.p is not None]
    if not tested:
        return sentences
    corrections = [
        f"corrected for {one.comparisons} comparisons ({CORRECTION_NAMES[one.correction]}), "
        for one in tested
        if one.comparisons > 1
    ]
    chosen = "the best run was chosen after seeing the scores"
    if corrections:
        chosen += ", so the correction is for all pairs of runs"
    if len(found) > 1:
        chosen += "; there is no correction for the number of measures and user models"
    corrected = "or ".join(dict.fromkeys(corrections))
    return [
        *sentences,
        f"best and second: the paired t test, {corrected}significance level "
        f"{100 * SIGNIFICANCE_LEVEL:g} %; {chosen}",
    ]


def _sentence(measure: str, found: Sequence[BestRun]) -> str:
    p_values = [one.p for one in found if one.p is not None]
    different = sum(p < SIGNIFICANCE_LEVEL for p in p_values)
    if not p_values:
        return (
            f"{measure}: whether the best run differs from the second cannot be tested, because they "
            "share fewer than two topics"
        )
    if len(found) > 1:
        return (
            f"{measure}: the best run differs significantly from the second under {different} of "
            f"{len(p_values)} user models"
        )
    differs = "differs" if different else "does not differ"
    return (
        f"{measure}: the best run, {found[0].best}, {differs} significantly from the second, "
        f"{found[0].second} (p {p_equation(p_values[0])})"
    )
