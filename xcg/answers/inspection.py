"""Answer `check` and `explain`: the inputs, the ideal recall-base, and the gain of each result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any

from xcg.answer import Answer, Layout
from xcg.answers.asked import Asked
from xcg.errors import XcgError
from xcg.evaluation.config import select_runs
from xcg.evaluation.explain import explain as explain_runs
from xcg.evaluation.gold_review import review_gold
from xcg.evaluation.ideals import ideal_elements, judged_elements
from xcg.evaluation.validation import validate
from xcg.formats.base import read_assessments
from xcg.judgements.anchoring import anchor
from xcg.judgements.distribution import cross_tabulate, level_distribution
from xcg.report.columns import DISTRIBUTION, IDEAL_ELEMENTS
from xcg.report.explanations import ranking_tables, topic_heading, tree_text
from xcg.report.gold_review import review_tables
from xcg.report.validation import cross_rows, distribution_rows, report_blocks
from xcg.statistics.rank_correlation import level_correlation
from xcg.tables import Table
from xcg.terminal_tables import separated


def check(asked: Asked) -> Answer[Any]:
    """Check the corpus, the assessments and the runs; or count assessments, or review gold."""
    chosen = asked.settings.check
    if chosen.levels and chosen.review:
        raise XcgError("levels and review are two tables: expected one of them")
    if chosen.levels:
        return _levels(asked)
    if chosen.review:
        return _review(asked)
    inputs = replace(asked.inputs, strategies=())
    assessments: Any = inputs.assessments
    if isinstance(assessments, Mapping):
        assessments = inputs.recall_base
    runs: Any = inputs.runs if inputs.has_runs else ()
    if not isinstance(runs, (list, tuple)) or not all(isinstance(run, (str, Path)) for run in runs):
        runs = inputs.run_sources
    if not (inputs.has_assessments or runs) and inputs.corpus is None:
        raise XcgError("nothing to check: expected a CONFIG.yaml, --assessments, --run or --corpus")
    report = validate(assessments, runs, inputs.corpus, inputs.ties, inputs.document)
    return Answer(
        report.findings,
        report.unread.lines(),
        to_records=lambda: list(map(asdict, report.findings)),
        layout=lambda: Layout(
            tables=report_blocks(report),
            publication=lambda: [Table.of_records(list(map(asdict, report.findings)))],
        ),
        status=2 if report.status == 2 else 0,
    )


def _levels(asked: Asked) -> Answer[Any]:
    """Count the assessments of each level or grade pair, or cross-tabulate two sets."""
    chosen = asked.settings.check
    inputs = asked.inputs_with("assessments")
    base, notes = inputs.recall_base, inputs.notes
    if not chosen.other:
        rows = distribution_rows(level_distribution(base))
        return Answer(rows, notes.lines(), layout=lambda: Layout(columns=DISTRIBUTION))
    other = anchor(read_assessments(chosen.other, notes), inputs.documents, notes)
    table = cross_tabulate(base, other)
    if table.only_first or table.only_second:
        notes.note(
            f"{table.only_first} documents and elements are only in the assessments, "
            f"{table.only_second} only in check.other"
        )
    value, number = level_correlation(base, other)
    if value is not None:
        what = f"the levels of {number} documents and elements"
        notes.note(f"Pearson's correlation of {what} is {value:.4f}")
    return Answer(cross_rows(table), notes.lines(), layout=lambda: Layout(columns=DISTRIBUTION))


def _review(asked: Asked) -> Answer[Any]:
    """List what to review in gold: spans that no run finds, and duplicates."""
    chosen = asked.settings.check
    inputs = asked.inputs_with("assessments", "corpus")
    with asked.progress("documents") as progress:
        review = review_gold(inputs, chosen.overlap, progress)
    rows = [one._asdict() for one in (*review.missed, *review.duplicates)]
    return Answer(rows, review.notes, layout=lambda: Layout(tables=review_tables(review)))


def explain(asked: Asked) -> Answer[Any]:
    """Explain the results of a run for a topic; without a run, return the ideal recall-base."""
    chosen = asked.settings.explain
    if not chosen.run:
        return ideal(asked)
    asked.refuse("explain.tree", "with explain.run")
    if len(chosen.topic) != 1:
        raise XcgError(f"{len(chosen.topic) or 'no'} topics: expected one, --topic ID")
    (topic,) = chosen.topic
    where = asked.stated.file.path if asked.stated.file is not None else Path("the runs")
    inputs = select_runs(asked.inputs_with("assessments"), chosen.run, asked.inputs.runs, where)
    inputs = replace(asked.inputs_with("runs", of=inputs), topics=[topic])
    explanations = explain_runs(inputs, topic)

    def layout() -> Layout:
        blocks = [block for one in explanations for block in ("\n", *ranking_tables(one))]
        return Layout(tables=[*topic_heading(topic, inputs.topic_titles), *blocks[1:]])

    def to_records() -> list[dict[str, Any]]:
        return [
            {"run": one.run, "topic": one.topic, "user_model": one.user_model, **record}
            for one in explanations
            for record in one.to_records()
        ]

    return Answer(explanations, explanations.notes, to_records=to_records, layout=layout)


def ideal(asked: Asked) -> Answer[Any]:
    """Return the ideal recall-base: the elements that a system should return."""
    chosen = asked.settings.explain
    inputs = replace(asked.inputs_with("assessments"), runs=())
    topics: Sequence[str] | None = chosen.topic or None
    if not chosen.tree:
        rows = ideal_elements(inputs, topics)
        return Answer(rows, rows.notes, layout=lambda: Layout(columns=IDEAL_ELEMENTS))
    elements = judged_elements(inputs, topics)
    trees = groupby(elements, lambda one: one[:3])
    drawn = [partial(tree_text, list(document)) for _, document in trees]
    return Answer(elements, elements.notes, layout=lambda: Layout(tables=separated(drawn)))
