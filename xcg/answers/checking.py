"""Answer ``check``: errors and oddities of all inputs, counts of assessments, and a review of gold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from xcg.answer import Answer, Layout
from xcg.answers.asked import Asked
from xcg.errors import XcgError
from xcg.evaluation.gold_review import review_gold
from xcg.evaluation.validation import validate
from xcg.formats.base import read_assessments
from xcg.judgements.anchoring import anchor
from xcg.judgements.distribution import CrossTabulation, cross_tabulate, level_distribution
from xcg.judgements.recall_base import RecallBase
from xcg.report.columns import DISTRIBUTION
from xcg.report.gold_review import review_tables
from xcg.report.validation import cross_rows, distribution_rows, report_blocks
from xcg.statistics.rank_correlation import level_correlation
from xcg.tables import Table


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
    report = validate(assessments, runs, inputs.corpus, inputs.file_order, inputs.ties, inputs.document)
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
        rows = distribution_rows(level_distribution(base, chosen.topic))
        return Answer(rows, notes.lines(), layout=lambda: Layout(columns=DISTRIBUTION))
    other = anchor(read_assessments(chosen.other, notes), inputs.documents, notes)
    table = cross_tabulate(base, other, chosen.topic, chosen.unassessed)
    lines = [*notes.lines(), *_differences(base, other, table, chosen.unassessed)]
    if not chosen.topic:
        lines += _correlation(base, other)
    return Answer(cross_rows(table), lines, layout=lambda: Layout(columns=DISTRIBUTION))


def _correlation(first: RecallBase, second: RecallBase) -> list[str]:
    """Return a note on the correlation of two sets of levels; nothing if it is undefined."""
    value, number = level_correlation(first, second)
    if value is None:
        return []
    return [
        f"note: Pearson's correlation of the levels of {number} documents and elements is {value:.4f}"
    ]


def _differences(
    first: RecallBase, second: RecallBase, table: CrossTabulation, unassessed: bool
) -> list[str]:
    """Return notes about what only one of the two sets assesses."""
    found = []
    topics = [sum(topic not in table.topics for topic in base.topics) for base in (first, second)]
    if any(topics):
        found.append(
            f"note: {len(table.topics)} topics are counted, but not {topics[0]} of the assessments and "
            f"{topics[1]} of check.other"
        )
    if (table.only_first or table.only_second) and not unassessed:
        found.append(
            f"note: {table.only_first} documents and elements are only in the assessments, "
            f"{table.only_second} only in check.other; check.unassessed counts them"
        )
    return found


def _review(asked: Asked) -> Answer[Any]:
    """List what to review in gold: disagreement of runs, missed spans, and duplicates."""
    chosen = asked.settings.check
    inputs = asked.inputs_with("assessments", "corpus")
    with asked.progress("documents") as progress:
        review = review_gold(inputs, chosen.measure, chosen.overlap, chosen.fuzzy, progress)
    rows = review.to_records()
    return Answer(rows, review.notes, layout=lambda: Layout(tables=review_tables(review)))
