"""Arrange studies of overlap strategies as rows for records, and as tables and sentences for people."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

from xcg.runs.run import ORACLE
from xcg.statistics.strategy_study import NEAR_ENDS, PRECISION, Leaders, StrategyStudy, grid
from xcg.table_formats import Marked
from xcg.tables import Column, Table

Row = dict[str, Any]

REFERENCE = "greedy reference"
"""What oracle is called in all output, because it is not a strategy."""

_JUMP = 0.005
"""A larger difference of scores at neighbouring values of α next to 0 or 1 is a jump."""

_MAX_LISTED = 11
"""Values of α in a sentence."""


def study_rows(study: StrategyStudy) -> list[Row]:
    """Return one row for each measure, user model, run, strategy and α.

    The field ``best`` is ``greedy reference`` for oracle.
    """
    rows = []
    for score in study.scores:
        row: Row = score._asdict()
        is_best = "yes" if row.pop("is_best") else "no"
        rows.append(row | {"best": REFERENCE if score.strategy == ORACLE else is_best})
    return rows


def study_table(study: StrategyStudy, has_all_names: bool = False) -> Table:
    """Return a table of scores with one column for each α; the best strategy of each run is marked.

    Args:
        study: The study.
        has_all_names: Whether there are columns for measure and user model even if there is only one.
    """
    alphas = sorted({score.alpha for score in study.scores})
    shown = ["measure", "user model"] if has_all_names else _names(study)
    found: dict[tuple[str, str, str, str], dict[float, str]] = {}
    for score in study.scores:
        if score.score is not None:
            number = f"{round(score.score, 4) + 0.0:.4f}"  # not -0.0000
            cell = Marked(number, score.is_best, addition=("  ", " *")[score.is_best])
            found.setdefault(score[:4], {})[score.alpha] = cell
    rows = [
        [measure] * ("measure" in shown)
        + [model] * ("user model" in shown)
        + [run, strategy_label(strategy), *(by_alpha.get(alpha, "") for alpha in alphas)]
        for (measure, model, run, strategy), by_alpha in found.items()
    ]
    columns = [Column(name, kind="text", is_key=True) for name in (*shown, "run", "strategy")]
    for alpha in alphas:
        priority = (2 * alpha % 1 != 0) + (round(alpha, 1) != alpha)
        columns.append(Column(f"α={alpha:.3g}", kind="score", priority=priority))
    return Table(columns, rows, ["* is the best strategy of its run."])


def study_sentences(study: StrategyStudy) -> list[str]:
    """Return sentences on the best strategy for each α that was tried, and on the largest leads.

    There is no sentence on a run with one strategy or without scores.
    """
    count = len({score.strategy for score in study.scores} - {ORACLE})
    has_models = "user model" in _names(study)
    sentences = [
        f"{run}, {measure}{f' under {model}' * has_models}: "
        + _describe_leaders(found, count, _grid(study.alphas[model]))
        for (measure, model, run), found in study.leaders.items()
        if count > 1 and found
    ]
    if any(len(found) > 1 for found in study.leaders.values()):
        sentences.append(
            f"the values of α at which the best strategy changes are exact to ± {PRECISION}; two "
            "changes between neighbouring values that restore the best strategy are not found"
        )
    if any(leaders.lead for found in study.leaders.values() for leaders in found):
        sentences.append(
            "leads are over the second best strategy, with 95 % intervals by the paired t test; best "
            "and second were chosen after seeing the scores, which the intervals do not take into "
            "account"
        )
    return sentences


def with_gaps(line: Iterable[tuple[float, float]]) -> tuple[list[float], list[float]]:
    """Return α and score of the points of a line, with NaN next to α = 0 and 1 if the score can jump.

    There, a line connects two points only if they are 0.001 apart and differ by at most 0.005.

    >>> with_gaps([(0.0, 0.3), (0.001, 0.3), (0.999, 0.2), (1.0, 0.4)])[1]
    [0.3, 0.3, 0.2, nan, 0.4]
    """
    x: list[float] = []
    y: list[float] = []
    for alpha, score in line:
        if x and (x[-1] == 0 or alpha == 1):
            is_near = round(alpha - x[-1], 12) <= NEAR_ENDS[0]
            if not (is_near and abs(score - y[-1]) <= _JUMP):
                x.append((x[-1] + alpha) / 2)
                y.append(math.nan)
        x.append(alpha)
        y.append(score)
    return x, y


def strategy_label(strategy: str) -> str:
    """Return the name of a strategy for people, which marks oracle as a greedy reference."""
    return f"{ORACLE} ({REFERENCE})" if strategy == ORACLE else strategy


def _names(study: StrategyStudy) -> list[str]:
    """Return the columns that distinguish tables: measure and user model, if there are several."""
    measures = {measure for measure, _, _ in study.leaders}
    models = {model for _, model, _ in study.leaders}
    return ["measure"] * (len(measures) > 1) + ["user model"] * (len(models) > 1)


def _grid(alphas: Sequence[float]) -> str:
    """Describe the values of α that were tried.

    >>> _grid([0, 0.001, 0.25, 0.5, 0.75, 0.999, 1]), _grid([0.001, 0.2, 0.7])
    ('0 to 1 in steps of 0.25, and 0.001 and 0.999', '0.001, 0.2 and 0.7')
    """
    step = 1 / max(1, len(alphas) - len(NEAR_ENDS) - 1)
    if len(alphas) > 4 and list(alphas) == list(grid(step)):
        return f"0 to 1 in steps of {step:g}, and {' and '.join(f'{near:g}' for near in NEAR_ENDS)}"
    if len(alphas) > _MAX_LISTED:
        return f"{len(alphas)} values from {alphas[0]:g} to {alphas[-1]:g}"
    return " and ".join(filter(None, [", ".join(f"{a:g}" for a in alphas[:-1]), f"{alphas[-1]:g}"]))


def _describe_leaders(found: Sequence[Leaders], count: int, grid: str) -> str:
    """Return which strategies are best from the lowest to the highest α, and their largest leads.

    >>> _describe_leaders([Leaders(("a",), 0, 0.49), Leaders(("b", "c"), 0.5, 1)], 3, "0 and 1")
    'a is best up to α = 0.495, then b and c (equal); α tried: 0 and 1'
    """
    if len(found) == 1:
        if len(found[0].strategies) == count:
            return f"all strategies are equal at every α tried ({grid})"
        names = _joined(found[0].strategies)
        return f"{names} {_verb(found[0])} best at every α tried ({grid}){_lead(found[0])}"
    first, *_ = found
    parts = [
        f"{_joined(leaders.strategies)}{f' {_verb(first)} best' if leaders is first else ''} up to "
        f"α = {_alpha((leaders.last + following.first) / 2)}{_lead(leaders)}"
        for leaders, following in pairwise(found)
    ]
    last = f"{_joined(found[-1].strategies)}{_lead(found[-1])}"
    return f"{', then '.join([*parts, last])}; α tried: {grid}"


def _alpha(value: float) -> str:
    """Return α with three decimals, or four if it would look like 0 or 1."""
    return f"{value:.4f}" if round(value, 3) in (0, 1) else f"{value:.3f}"


def _lead(leaders: Leaders) -> str:
    """Return the largest lead over the second best strategy, in brackets."""
    lead = leaders.lead
    if lead is None:
        return ""
    text = f"largest lead {lead.difference:+.4f} over {lead.second} at α = {lead.alpha:g}"
    if lead.low is None or lead.high is None:
        return f" ({text})"
    significance = ", not significant" * (lead.low <= 0 <= lead.high)
    return f" ({text}: {lead.low:+.4f} to {lead.high:+.4f} over {lead.topics} topics{significance})"


def _verb(leaders: Leaders) -> str:
    return "is" if len(leaders.strategies) == 1 else "are"


def _joined(names: Sequence[str]) -> str:
    if len(names) == 1:
        return names[0]
    return f"{', '.join(names[:-1])} and {names[-1]} (equal)"
