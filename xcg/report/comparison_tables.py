"""Arrange comparisons of runs as tables for people: runs relative to one run, or pairs of runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from operator import attrgetter
from typing import Any

from xcg.evaluation.results import Results
from xcg.measures import MEASURES
from xcg.report.comparison_sentences import comparison_statement
from xcg.report.comparisons import deciding_text
from xcg.report.plot_selection import grouped
from xcg.statistics.corrections import SIGNIFICANCE_LEVEL
from xcg.statistics.overall_tests import letter_groups
from xcg.statistics.significance import (
    Comparison,
    means_of_runs,
    practical_significance,
    relative_difference,
)
from xcg.statistics.topic_scores import TopicScores, best_first, compares_within_runs, scores_by_run
from xcg.table_formats import Marked
from xcg.tables import Column, Table

_COLUMNS = [
    Column("measure", is_key=True),
    Column("user_model", "user model", is_key=True),
    Column("run", is_key=True),
    Column("baseline", is_key=True),
    Column("topics", kind="count", meaning="topics that both runs have"),
    Column("mean", kind="score", meaning="mean over topics; the sum if the measure is a count"),
    Column("baseline mean", kind="score", priority=2, meaning="the same value of the baseline"),
    Column("difference", kind="score", meaning="mean minus the mean of the baseline or best run"),
    Column("95 % interval", kind="score", meaning="confidence interval of the difference"),
    Column("relative", kind="score", priority=2, meaning="difference in % of the baseline's mean"),
    Column("p", kind="p", meaning="p value"),
    Column("p not worse", kind="p", meaning="p value of being at most the margin worse"),
    Column("p equivalent", kind="p", meaning="p value of differing by at most the margin"),
    Column(
        "d_z",
        kind="score",
        decimals=2,
        priority=1,
        meaning="Cohen's d_z: difference / standard deviation of the topics' differences",
    ),
    Column("group", kind="text", meaning="runs that share a letter do not differ significantly"),
    Column("better/worse/equal", kind="text", priority=4, meaning="number of topics"),
    Column("criterion", priority=5, meaning="size of the relative difference (Spärck Jones)"),
    Column("p alone", kind="p", priority=6, meaning="p value without correction"),
    Column("detectable", kind="score", priority=6, meaning="difference found with 80 % power"),
    Column("level", kind="score", priority=6, meaning="confidence level of this interval"),
    Column("deciding topics", kind="text", priority=3, meaning="topics with the largest differences"),
]
_OF_PUBLICATIONS = (
    *("run", "baseline", "mean", "baseline mean", "difference"),
    *("95 % interval", "relative", "p", "p not worse", "p equivalent", "d_z", "group"),
)

_BEST = "best"
"""The text in the row of the best run instead of a difference, if all pairs are compared."""
_NO_LETTERS = (
    "There are no letters for runs that do not differ significantly, because they form more than 52 "
    "groups."
)

Row = dict[str, Any]


def comparison_tables(
    results: Results, comparisons: Sequence[Comparison], topics: int, by_pair: bool
) -> list[Table]:
    """Return one table for each measure and user model.

    The rows are the pairs of runs that were compared; or the baseline, then the others, best first. If
    all pairs of runs are compared, the runs are shown relative to the best run, with letters: two runs
    share a letter if and only if they do not differ significantly.

    Args:
        results: Results with the scores of topics.
        comparisons: Comparisons of these results, with one baseline or of all pairs.
        topics: The number of deciding topics to include.
        by_pair: Whether the rows are pairs of runs, and not runs relative to one run.
    """
    rows_of = _rows if by_pair else _rows_of_runs
    families = _families(comparisons)
    tables = []
    for (measure, model), lines in families.items():
        title = f"{measure} under {model}" if len(results.user_models) > 1 else measure
        rows = rows_of(results, lines, topics)
        tables.append(_table(rows, lines[0], title if len(families) > 1 else ""))
    return tables


def has_one_baseline(comparisons: Sequence[Comparison]) -> bool:
    """Return whether all runs are compared with the same run, for each measure and user model."""
    families = _families(comparisons).values()
    return all(len({line.baseline for line in lines}) == 1 for lines in families)


def publication_tables(
    results: Results, comparisons: Sequence[Comparison], baseline: str, by_pair: bool
) -> list[Table]:
    """Return the tables for papers: without details, with captions that state the test.

    The best mean is bold.

    Args:
        results: As for :func:`comparison_tables`.
        comparisons: As for :func:`comparison_tables`.
        baseline: The run with which runs are compared, ``all`` or ``best``.
        by_pair: As for :func:`comparison_tables`.
    """
    within_runs = compares_within_runs(results)
    tables = []
    shown = comparison_tables(results, comparisons, 0, by_pair)
    families = _families(comparisons).items()
    for table, ((measure, model), lines) in zip(shown, families, strict=True):
        kept = [i for i, column in enumerate(table.columns) if column.name in _OF_PUBLICATIONS]
        columns = [table.columns[i] for i in kept]
        rows = [[row[i] for i in kept] for row in table.rows]
        if not by_pair:
            mean = [column.name for column in columns].index("mean")
            printed = [f"{row[mean]:.4f}" for row in rows]
            best = MEASURES.order(measure).best(map(float, printed))
            for row, number in zip(rows, printed, strict=True):
                row[mean] = Marked(number, float(number) == best)
        statement = comparison_statement(lines, baseline, None, within_runs)
        lead = [sentence.replace(", named by the user,", "") for sentence in statement.lead]
        facts = [one for one in statement.facts if one.startswith(("intervals: ", "significant, but"))]
        title, legend = f"{measure} under {model}", [*lead, *facts, *table.legend]
        tables.append(replace(table, columns=columns, rows=rows, title=title, legend=legend))
    return tables


def _families(comparisons: Sequence[Comparison]) -> dict[tuple[str, str], list[Comparison]]:
    """Return measure and user model → comparisons."""
    return grouped(comparisons, attrgetter("measure", "user_model"))


def _table(rows: Sequence[Row], line: Comparison, title: str = "") -> Table:
    """Arrange rows as a table with the declared order of columns, without columns that are empty.

    Args:
        rows: The rows.
        line: One of the comparisons.
        title: The title of the table.
    """
    filled = {name for row in rows for name, value in row.items() if value not in (None, "")}
    columns = [column for column in _COLUMNS if column.name in filled]
    if line.comparisons > 1 and line.correction != "none":
        meaning = f"p value, corrected for {line.comparisons} comparisons"
        columns = [replace(c, meaning=meaning) if c.name == "p" else c for c in columns]
    cells = [[row.get(column.name) for column in columns] for row in rows]
    has_no_letters = any(row.get("difference") == _BEST for row in rows) and "group" not in filled
    return Table(columns, cells, [_NO_LETTERS] if has_no_letters else (), title=title)


def _rows_of_runs(results: Results, lines: Sequence[Comparison], topics: int) -> list[Row]:
    """Return the row of the baseline or of the best run, then the others, best first."""
    measure = lines[0].measure
    groups: Mapping[str, str] = {}
    scores = scores_by_run(results, measure, lines[0].user_model)
    name, label = lines[0].baseline, "baseline"
    if len({line.baseline for line in lines}) > 1:  # all pairs
        groups = groups_of(results, lines)
        compared = {run for line in lines for run in (line.run, line.baseline)}
        own = {run: values for run, values in scores.items() if run in compared}
        name, label = best_first(own, measure)[0], _BEST
        lines = [_compared_with(line, name) for line in lines if name in (line.run, line.baseline)]
    has_same_baseline = len({line.topics for line in lines}) == 1
    rows = _rows(results, lines, topics)
    for row in rows:
        row |= {"baseline": None, "group": groups.get(row["run"])}
        row["baseline mean"] = None if has_same_baseline else row["baseline mean"]
    rows.sort(key=lambda row: MEASURES.order(measure).sort_key(row["mean"]))
    mean = _means(scores, measure)[name]
    return [{"run": name, "mean": mean, "difference": label, "group": groups.get(name)}, *rows]


def _means(scores: Mapping[str, Mapping[str, float]], measure: str) -> dict[str, float]:
    """Return run → mean over its own topics."""
    return {
        run: means_of_runs(TopicScores([*values], {run: [*values.values()]}), measure)[run]
        for run, values in scores.items()
    }


def groups_of(results: Results, lines: Sequence[Comparison]) -> Mapping[str, str]:
    """Return the letters of each run by the comparisons of all pairs of one measure and user model.

    The mapping is empty if there are more groups than letters.
    """
    measure, model = lines[0].measure, lines[0].user_model
    means, order = _means(scores_by_run(results, measure, model), measure), MEASURES.order(measure)
    compared = {run for line in lines for run in (line.run, line.baseline)}
    runs = sorted((run for run in means if run in compared), key=lambda run: order.sort_key(means[run]))
    different = [(p.run, p.baseline) for p in lines if p.p_adjusted < SIGNIFICANCE_LEVEL]
    return letter_groups(runs, different) or {}


def _compared_with(line: Comparison, baseline: str) -> Comparison:
    """Return the comparison with this run as the baseline: exchange the runs if necessary."""
    if line.baseline == baseline:
        return line
    difference = -line.difference
    low, high, effect = (None if one is None else -one for one in (line.high, line.low, line.effect))
    return replace(
        line,
        run=line.baseline,
        baseline=line.run,
        mean=line.baseline_mean,
        baseline_mean=line.mean,
        difference=difference,
        relative=relative_difference(difference, line.mean),
        criterion=practical_significance(difference, line.mean),
        low=low,
        high=high,
        effect=effect,
        wins=line.losses,
        losses=line.wins,
    )


def _rows(results: Results, lines: Sequence[Comparison], topics: int) -> list[Row]:
    """Return the cells that describe each comparison."""
    scores = scores_by_run(results, lines[0].measure, lines[0].user_model)
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
            "p not worse": line.p_not_worse,
            "p equivalent": line.p_equivalent,
            "d_z": "" if line.effect is None else f"{line.effect:+.2f}",
            "better/worse/equal": f"{line.wins}/{line.losses}/{line.ties}",
            "criterion": line.criterion,
            "p alone": line.p if line.comparisons > 1 and line.correction != "none" else None,
            "detectable": line.detectable,
            "level": line.level if levels != {1 - SIGNIFICANCE_LEVEL} else None,
            "deciding topics": deciding_text(results, scores, line, topics),
        }
        for line in lines
    ]
