"""Arrange comparisons and orders of runs as records and tables."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from operator import attrgetter
from typing import Any

from xcg.errors import XcgError
from xcg.evaluation.results import Results
from xcg.measures import MEASURES
from xcg.report.columns import SHIFTS
from xcg.report.comparison_sentences import comparison_statement
from xcg.report.plot_selection import grouped, model_parameters
from xcg.statistics import overall_tests
from xcg.statistics.intervals import Interval
from xcg.statistics.rank_correlation import OrderShift, order_agreements
from xcg.statistics.significance import (
    BestRun,
    Comparison,
    practical_significance,
    relative_difference,
)
from xcg.statistics.significance_tests import CORRECTION_NAMES, SIGNIFICANCE_LEVEL
from xcg.statistics.topic_scores import (
    best_first,
    divisor,
    scores_by_run,
    topic_scores,
)
from xcg.table_formats import Marked
from xcg.tables import Column, Table

Row = dict[str, Any]

_FIELDS = (
    *("run", "baseline", "topics", "mean", "baseline_mean", "difference", "relative", "criterion"),
    *("low", "high", "level", "effect"),
)
_TEST_FIELDS = ("p", "p_adjusted", "test", "correction", "comparisons")
_COLUMNS = [
    Column("run", is_key=True),
    Column("baseline", is_key=True),
    Column("topics", kind="count", priority=3, meaning="topics that both runs have"),
    Column("mean", kind="score", meaning="mean over topics; the sum if the measure is a count"),
    Column("baseline mean", kind="score", priority=2, meaning="the same value of the baseline"),
    Column("difference", kind="score", meaning="mean minus the mean of the baseline or best run"),
    Column("95 % interval", kind="score", meaning="confidence interval of the difference"),
    Column("relative", kind="score", priority=2, meaning="difference in % of the baseline's mean"),
    Column("p", kind="p", meaning="p value"),
    Column("d_z", kind="score", priority=1, meaning="Cohen's d_z: difference / its standard deviation"),
    Column("group", kind="text", meaning="runs that share a letter do not differ significantly"),
    Column("better/worse/equal", kind="text", priority=4, meaning="number of topics"),
    Column("criterion", priority=5, meaning="size of the relative difference (Spärck Jones)"),
    Column("p alone", kind="p", priority=6, meaning="p value without correction"),
    Column("level", kind="score", priority=6, meaning="confidence level of this interval"),
]
_DETAILS = 3
"""The lowest priority number of columns that publications do not have."""


def comparison_rows(comparisons: Sequence[Comparison]) -> list[Row]:
    """Return one row for each comparison."""
    has_models = len({line.user_model for line in comparisons}) > 1
    return [
        {
            "measure": line.measure,
            **({"user_model": line.user_model} if has_models else {}),
            **{name: getattr(line, name) for name in _FIELDS},
            "wins/losses/ties": f"{line.wins}/{line.losses}/{line.ties}",
            **{name: getattr(line, name) for name in _TEST_FIELDS},
        }
        for line in comparisons
    ]


def comparison_tables(
    results: Results, comparisons: Sequence[Comparison], by_pair: bool
) -> list[Table]:
    """Return one table for each measure and user model.

    The rows are the pairs of runs that were compared; or the baseline, then the others, best first. If
    all pairs of runs are compared, the runs are shown relative to the best run, with letters: two runs
    share a letter if and only if they do not differ significantly.

    Args:
        results: Results with the scores of topics.
        comparisons: Comparisons of these results, with one baseline or of all pairs.
        by_pair: Whether the rows are pairs of runs, and not runs relative to one run.
    """
    families = grouped(comparisons, attrgetter("measure", "user_model"))
    tables = []
    for (measure, model), lines in families.items():
        title = f"{measure} under {model}" if len(results.user_models) > 1 else measure
        rows = _rows(lines) if by_pair else _rows_of_runs(results, lines)
        filled = {name for row in rows for name, value in row.items() if value not in (None, "")}
        columns = [column for column in _COLUMNS if column.name in filled]
        if lines[0].comparisons > 1 and lines[0].correction != "none":
            meaning = f"p value, corrected for {lines[0].comparisons} comparisons"
            columns = [replace(c, meaning=meaning) if c.name == "p" else c for c in columns]
        cells = [[row.get(column.name) for column in columns] for row in rows]
        tables.append(Table(columns, cells, title=title if len(families) > 1 else ""))
    return tables


def publication_tables(
    results: Results, comparisons: Sequence[Comparison], baseline: str, by_pair: bool
) -> list[Table]:
    """Return the tables for papers: without details, with captions that state the test.

    The best mean is bold.

    Args:
        results: As for :func:`comparison_tables`.
        comparisons: As for :func:`comparison_tables`.
        baseline: The run with which runs are compared, or ``all``.
        by_pair: As for :func:`comparison_tables`.
    """
    tables = []
    shown = comparison_tables(results, comparisons, by_pair)
    families = grouped(comparisons, attrgetter("measure", "user_model")).items()
    for table, ((measure, model), lines) in zip(shown, families, strict=True):
        kept = [i for i, column in enumerate(table.columns) if column.priority < _DETAILS]
        columns = [table.columns[i] for i in kept]
        rows = [[row[i] for i in kept] for row in table.rows]
        if not by_pair:
            mean = [column.name for column in columns].index("mean")
            printed = [f"{row[mean]:.4f}" for row in rows]
            best = MEASURES.order(measure).best(map(float, printed))
            for row, number in zip(rows, printed, strict=True):
                row[mean] = Marked(number, float(number) == best)
        statement = comparison_statement(lines, baseline)
        facts = [one for one in statement.facts if one.startswith(("intervals: ", "significant, but"))]
        title, legend = f"{measure} under {model}", [*statement.lead, *facts]
        tables.append(replace(table, columns=columns, rows=rows, title=title, legend=legend))
    return tables


def _rows_of_runs(results: Results, lines: Sequence[Comparison]) -> list[Row]:
    """Return the row of the baseline or of the best run, then the others, best first."""
    measure, model = lines[0].measure, lines[0].user_model
    groups: Mapping[str, str] = {}
    shown, label = relative_to_one_run(results, lines), "baseline"
    if len(shown) < len(lines):
        groups, label = groups_of(results, lines), "best"
    name = shown[0].baseline
    has_same_baseline = len({line.topics for line in shown}) == 1
    rows = _rows(shown)
    for row in rows:
        row |= {"baseline": None, "group": groups.get(row["run"])}
        row["baseline mean"] = None if has_same_baseline else row["baseline mean"]
    rows.sort(key=lambda row: MEASURES.order(measure).sort_key(row["mean"]))
    own = scores_by_run(results, measure, model)[name].values()
    mean = math.fsum(own) / divisor(measure, len(own))
    return [{"run": name, "mean": mean, "difference": label, "group": groups.get(name)}, *rows]


def relative_to_one_run(results: Results, lines: Sequence[Comparison]) -> list[Comparison]:
    """Return the comparisons of a measure and user model with the baseline, or with the best run."""
    name = lines[0].baseline
    if len({line.baseline for line in lines}) > 1:  # all pairs
        name = best_first(results, lines[0].measure, lines[0].user_model)[0]
    return [_compared_with(line, name) for line in lines if name in (line.run, line.baseline)]


def groups_of(results: Results, lines: Sequence[Comparison]) -> Mapping[str, str]:
    """Return the letters of each run by the comparisons of all pairs of one measure and user model.

    The mapping is empty if there are more groups than letters.
    """
    different = [(p.run, p.baseline) for p in lines if p.p_adjusted < SIGNIFICANCE_LEVEL]
    runs = best_first(results, lines[0].measure, lines[0].user_model)
    return overall_tests.letter_groups(runs, different) or {}


def _compared_with(line: Comparison, baseline: str) -> Comparison:
    """Return the comparison with this run as the baseline: exchange the runs if necessary."""
    if line.baseline == baseline:
        return line
    low, high, effect = (None if one is None else -one for one in (line.high, line.low, line.effect))
    return replace(
        line,
        run=line.baseline,
        baseline=line.run,
        mean=line.baseline_mean,
        baseline_mean=line.mean,
        difference=-line.difference,
        low=low,
        high=high,
        effect=effect,
        wins=line.losses,
        losses=line.wins,
    )


def _rows(lines: Sequence[Comparison]) -> list[Row]:
    """Return the cells that describe each comparison."""
    levels = {line.level for line in lines} - {None}
    has_same_topics = len({line.topics for line in lines}) == 1
    return [
        {
            "run": line.run,
            "baseline": line.baseline,
            "topics": None if has_same_topics else line.topics,
            "mean": line.mean,
            "baseline mean": line.baseline_mean,
            "difference": f"{line.difference:+.4f}",
            "95 % interval": ""
            if line.low is None or line.high is None
            else f"[{line.low:+.4f}, {line.high:+.4f}]",
            "relative": "" if line.relative is None else f"{100 * line.relative:+.1f} %",
            "p": line.p_adjusted,
            "d_z": "" if line.effect is None else f"{line.effect:+.2f}",
            "better/worse/equal": f"{line.wins}/{line.losses}/{line.ties}",
            "criterion": line.criterion,
            "p alone": line.p if line.comparisons > 1 and line.correction != "none" else None,
            "level": line.level if levels != {1 - SIGNIFICANCE_LEVEL} else None,
        }
        for line in lines
    ]


def overall_rows(results: Results, correction: str) -> list[Row]:
    """Return the tests over all runs: ANOVA, discriminative power, Friedman and its pairwise tests.

    The row of Friedman's test lists the runs that differ significantly, in the form of Table 2 of
    Järvelin and Kekäläinen (2002). A pair of runs has the difference between the better and the worse
    mean, relative to the worse.

    Args:
        results: Results with the scores of topics.
        correction: The correction for the number of pairs.

    Raises:
        XcgError: If there is only one run.
    """
    if len(results.runs) < 2:
        raise XcgError("one run has nothing to be compared with: expected several")
    return [
        {"measure": measure, "user_model": model, **row}
        for measure in results.measures
        for model in results.user_models
        for row in _overall_tests(results, measure, model, correction)
    ]


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
        order = MEASURES.order(measure)
        statistic, p = overall_tests.friedman(scores)
        pairs = overall_tests.significant_pairs(scores, order.lower_is_better, correction)
        significant = overall_tests.compact_form(pairs)
        rows.append(_test_row("Friedman", significant, statistic, str(len(results.runs) - 1), p))
        count = divisor(measure, len(scores.topics))
        means = {run: math.fsum(values) / count for run, values in scores.values.items()}
        test = "Conover" if correction == "none" else f"Conover, {CORRECTION_NAMES[correction]}"
        for pair, p_pair in overall_tests.friedman_posthoc(scores, correction=correction).items():
            better, worse = sorted(pair, key=lambda run: order.sort_key(means[run]))
            difference = means[better] - means[worse]
            row = _test_row(test, f"{better} - {worse}", None, "", p_pair)
            row |= {"difference": difference, "relative": relative_difference(difference, means[worse])}
            rows.append(row | {"criterion": practical_significance(difference, means[worse])})
    return rows


def _test_row(test: str, runs: str, statistic: float | None, df: str, p: float | None) -> Row:
    no_difference = dict.fromkeys(("difference", "relative", "criterion"))
    return {"test": test, "runs": runs, "statistic": statistic, "df": df, "p": p, **no_difference}


def order_rows(results: Results, resamples: int = 0, seed: int = 0) -> list[Row]:
    """Return τ-b and τ_AP between the orders of runs.

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
        names = "measure", "user_model", "and measure", "and user_model", "tau_b", "tau_ap"
        row: Row = dict(zip(names, found[:-1], strict=True))
        rows.append(row | (_limits(found.interval) if resamples else {}))
    return rows


def _limits(interval: Interval | None) -> Row:
    low, high = (None, None) if interval is None else (round(limit, 9) for limit in interval)
    return {"tau_b low": low, "tau_b high": high}


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
        rows.append(row | (_limits(shift.interval) if resamples else {}))
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
