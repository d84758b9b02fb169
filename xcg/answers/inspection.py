"""Answer `check`, `explain` and `curves`: the inputs, the gain of each result, and curves."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any

from xcg.answer import Answer, Layout
from xcg.answers.asked import Asked
from xcg.errors import InputError, XcgError, printable
from xcg.evaluation.config import select_runs
from xcg.evaluation.curves import curves as compute_curves
from xcg.evaluation.curves import ranks_of_value
from xcg.evaluation.explain import explain as explain_runs
from xcg.evaluation.gold_review import review_gold
from xcg.evaluation.ideals import ideal_elements
from xcg.evaluation.validation import validate
from xcg.formats.base import read_assessments
from xcg.judgements.anchoring import anchor
from xcg.judgements.distribution import cross_tabulate, level_distribution
from xcg.judgements.recall_base import MEAN
from xcg.measures import MEASURES
from xcg.report.columns import CURVES, DISTRIBUTION, IDEAL_ELEMENTS, RANKS_OF_VALUE
from xcg.report.explanations import ranking_tables
from xcg.report.gold_review import review_tables
from xcg.report.plots import curves_plot
from xcg.report.validation import cross_rows, distribution_rows, report_blocks
from xcg.statistics.rank_correlation import level_correlation
from xcg.tables import Table
from xcg.terminal_tables import Block, Prose


def check(asked: Asked) -> Answer[Any]:
    """Check the corpus, the assessments and the runs; or count assessments, or review gold."""
    chosen = asked.settings.check
    if chosen.levels and chosen.review:
        raise XcgError("levels and review are two tables: expected one of them")
    if chosen.levels:
        return _levels(asked)
    if chosen.review:
        return _review(asked)
    asked.refuse("check.other", "without check.levels")
    asked.refuse("check.overlap", "without check.review")
    inputs = replace(asked.inputs, strategies=())
    if not (inputs.has_assessments or inputs.has_runs) and inputs.corpus is None:
        raise XcgError("nothing to check: expected a CONFIG.yaml, --assessments, --run or --corpus")
    report = validate(inputs)
    records = [asdict(finding) for finding in report.findings]
    return Answer(
        report.findings,
        report.unread.lines(),
        to_records=lambda: records,
        layout=lambda: Layout(
            tables=report_blocks(report), publication=lambda: [Table.of_records(records)]
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
    if len(chosen.topic) != 1:
        raise XcgError(f"{len(chosen.topic) or 'no'} topics: expected one, --topic ID")
    (topic,) = chosen.topic
    where = asked.stated.file.path if asked.stated.file is not None else Path("the runs")
    inputs = select_runs(asked.inputs_with("assessments"), chosen.run, asked.inputs.runs, where)
    inputs = replace(asked.inputs_with("runs", of=inputs), topics=[topic])
    explanations = explain_runs(inputs, topic)

    def layout() -> Layout:
        blocks: list[Block] = []
        if title := inputs.topic_titles.get(topic):
            blocks.append(Prose(printable(f"topic {topic}: {title}") + "\n"))
        for one in explanations:
            blocks += ["\n" * bool(blocks), *ranking_tables(one)]
        return Layout(tables=blocks)

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
    rows = ideal_elements(inputs, topics)
    return Answer(rows, rows.notes, layout=lambda: Layout(columns=IDEAL_ELEMENTS))


def curves(asked: Asked) -> Answer[Any]:
    """Return points of curves; with ``at``, the ranks at which runs reach a gain."""
    chosen = asked.settings.curves
    inputs = asked.inputs_with("assessments", "runs")
    depth = max(chosen.depth, chosen.at or 0)
    lines = compute_curves(inputs, _curve_measures(asked), depth, chosen.ideal or chosen.at is not None)
    printed = [curve for curve in lines if chosen.per_topic or curve.topic == MEAN]
    figure = partial(curves_plot, lines)
    if chosen.at is None:
        rows = [
            {**curve._asdict(), "x": x, "y": y}
            for curve in printed
            for x, y in zip(curve.x, curve.y, strict=True)
        ]
        return Answer(rows, lines.notes, layout=lambda: Layout(columns=CURVES), figure=figure)
    ranks = ranks_of_value(printed, chosen.at, chosen.reference)
    notes = lines.notes
    if any(one.rank is None for one in ranks):
        unreached = f"note: empty rank: the value is not reached within {depth} ranks"
        notes = [*notes, f"{unreached}; --set curves.depth=N looks further"]
    return Answer(ranks, notes, layout=lambda: Layout(columns=RANKS_OF_VALUE), figure=figure)


def _curve_measures(asked: Asked) -> str:
    """Return the names of the measures to draw.

    An option names them. Of the measures of a campaign, those with a curve are, or the default.
    """
    names, place = asked.measure_names, asked.stated.place(("measures",)).name
    if place == "--measures":
        return " ".join(names)
    if asked.settings.curves.at is not None:
        return "xCG"
    found = []
    for name in names:
        try:
            if ":" not in name and MEASURES.definition(re.split("[@(]", name)[0]).has_curve:
                found.append(name.partition("@")[0])
        except XcgError as error:
            raise InputError(place, str(error)) from None
    return " ".join(dict.fromkeys(found)) or "nxCG ep"
