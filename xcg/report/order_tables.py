"""Describe in sentences and tables how user models change the order of runs, for ``xcg sweep``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from xcg.evaluation.results import Results
from xcg.report.best_runs import best_run_sentences
from xcg.report.columns import SHIFTS
from xcg.report.plot_selection import model_parameters
from xcg.statistics.best_runs import BestRun
from xcg.statistics.rank_correlation import OrderShift
from xcg.tables import Column, Table


def sweep_sentences(results: Results, reference: str | None, resamples: int) -> list[str]:
    """Return sentences that state which orders are compared, and over how many topics.

    Args:
        results: The results whose orders are compared.
        reference: The user model that the user named; None for the first.
        resamples: Number of bootstrap resamples for the intervals; 0 for no intervals.
    """
    runs, models, topics = (len(names) for names in (results.runs, results.user_models, results.topics))
    named = f"{reference}, named by the user"
    if reference is None:
        named = f"{results.user_models[0]}, the first (sweep.reference_model names another)"
    sentences = [
        f"The order of {runs} runs by their means over {topics} topics under each of {models} user "
        f"models is compared with the order under {named}."
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


def shift_table(shifts: Sequence[OrderShift], best: Sequence[BestRun]) -> Table:
    """Arrange the shifts of orders for a terminal, with one column for each parameter that varies."""
    names = [shift.user_model for shift in shifts]
    parameters = model_parameters(names) or [{"user model": name} for name in names]
    declared = {column.name: column for column in SHIFTS}
    columns = [
        Column("measure", kind="text", is_key=True),
        *(Column(name, kind="text", is_key=True) for name in parameters[0]),
        declared["tau_b"],
        Column("95 % interval", kind="score", priority=1, meaning="bootstrap interval of tau_b"),
        replace(declared["pearson"], priority=2),
        *(declared[name] for name in ("moved", "best", "second", "p")),
    ]
    tests = {(one.measure, one.user_model): (one.second, one.p) for one in best}
    rows: list[list[Any]] = [
        [
            shift.measure,
            *values.values(),
            shift.tau_b,
            _interval(shift),
            shift.pearson,
            shift.moved,
            shift.best,
            *tests.get((shift.measure, shift.user_model), ("", None)),
        ]
        for shift, values in zip(shifts, parameters, strict=True)
    ]
    title = ""
    if len({shift.measure for shift in shifts}) == 1:
        columns, rows = columns[1:], [row[1:] for row in rows]
        title = shifts[0].measure
    filled = [i for i in range(len(columns)) if any(row[i] not in (None, "") for row in rows)]
    return Table([columns[i] for i in filled], [[row[i] for i in filled] for row in rows], title=title)


def _interval(shift: OrderShift) -> str:
    if shift.interval is None:
        return ""
    return f"[{shift.interval.low:.4f}, {shift.interval.high:.4f}]"
