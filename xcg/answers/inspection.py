"""Answer `check`, `explain` and `curves`: the inputs, the gain of each result, and curves."""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from xcg.answer import Answer, Layout
from xcg.answers.asked import Asked
from xcg.errors import InputError, XcgError, nearest
from xcg.evaluation.config import require, select_runs
from xcg.evaluation.curves import curves as compute_curves
from xcg.evaluation.curves import ranks_of_value
from xcg.evaluation.explain import explain as explain_runs
from xcg.evaluation.explanation import Explanation
from xcg.evaluation.gold_review import review_gold
from xcg.evaluation.ideals import ideal_elements, ideal_statistics, judged_trees
from xcg.evaluation.validation import validate
from xcg.formats.base import read_assessments
from xcg.judgements.anchoring import anchor
from xcg.judgements.distribution import CrossTabulation, cross_tabulate, level_distribution
from xcg.judgements.recall_base import MEAN, RecallBase
from xcg.measures import MEASURES
from xcg.report.columns import CURVES, DISTRIBUTION, IDEAL_ELEMENTS, RANKS_OF_VALUE
from xcg.report.explanations import (
    document_tree,
    ideal_tree,
    ideal_tree_records,
    ranking_tables,
    topic_heading,
)
from xcg.report.gold_review import review_tables
from xcg.report.plots import curves_plot
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
    lines = [*notes.lines(), *_differences(base, other, table), *_correlation(base, other)]
    return Answer(cross_rows(table), lines, layout=lambda: Layout(columns=DISTRIBUTION))


def _correlation(first: RecallBase, second: RecallBase) -> list[str]:
    """Return a note on the correlation of two sets of levels; nothing if it is undefined."""
    value, number = level_correlation(first, second)
    if value is None:
        return []
    return [
        f"note: Pearson's correlation of the levels of {number} documents and elements is {value:.4f}"
    ]


def _differences(first: RecallBase, second: RecallBase, table: CrossTabulation) -> list[str]:
    """Return notes about what only one of the two sets assesses."""
    found = []
    topics = [sum(topic not in table.topics for topic in base.topics) for base in (first, second)]
    if any(topics):
        found.append(
            f"note: {len(table.topics)} topics are counted, but not {topics[0]} of the assessments and "
            f"{topics[1]} of check.other"
        )
    if table.only_first or table.only_second:
        found.append(
            f"note: {table.only_first} documents and elements are only in the assessments, "
            f"{table.only_second} only in check.other"
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


def explain(asked: Asked) -> Answer[Any]:
    """Explain the results of a run for a topic; without a run, return the ideal recall-base."""
    return _explain(asked) if asked.settings.explain.run else ideal(asked)


def _explain(asked: Asked) -> Answer[Explanation]:
    """Explain rank by rank what the results of runs gained, and what the runs missed."""
    chosen = asked.settings.explain
    if len(chosen.topic) != 1:
        raise XcgError(f"{len(chosen.topic) or 'no'} topics: expected one, --topic ID")
    (topic,) = chosen.topic
    where = asked.stated.file.path if asked.stated.file is not None else Path("the runs")
    inputs = select_runs(asked.inputs_with("assessments"), chosen.run, asked.inputs.runs, where)
    require(inputs, asked.stated, "runs")
    inputs = replace(inputs, topics=[topic])
    explanations = explain_runs(inputs, topic)

    def layout() -> Layout:
        if chosen.tree is not None:
            size: Any = chosen.size
            drawn = [
                functools.partial(document_tree, one, name, size)
                for one in explanations
                for name in (sorted(one.judged) if chosen.tree is True else [chosen.tree])
            ]
            return Layout(tables=separated(drawn))
        blocks: list[Any] = []
        for one in explanations:
            blocks += ["\n", *ranking_tables(one)]
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
    size: Any = chosen.size
    inputs = replace(asked.inputs_with("assessments"), runs=())
    topics: Sequence[str] | None = chosen.topic or None
    if chosen.tree is not None:
        found = judged_trees(inputs, topics)
        trees = [one for one in found if chosen.tree in (True, one.file)]
        if not trees:
            files = {one.file for one in found}
            raise XcgError(f"no relevant element in {chosen.tree!r}: {nearest(chosen.tree, files)}")
        drawn = [functools.partial(ideal_tree, one, size) for one in trees]
        return Answer(
            trees,
            found.notes,
            to_records=lambda: [record for one in trees for record in ideal_tree_records(one, size)],
            layout=lambda: Layout(tables=separated(drawn)),
        )
    if chosen.statistics:
        asked.refuse("explain.topic", "with explain.statistics, which is for all topics")
        rows: Any = ideal_statistics(inputs)
    else:
        rows = ideal_elements(inputs, topics)
    return Answer(rows, rows.notes, layout=lambda: Layout(columns=IDEAL_ELEMENTS))


def curves(asked: Asked) -> Answer[Any]:
    """Return points of curves; with ``at``, the ranks at which runs reach a gain."""
    chosen = asked.settings.curves
    inputs = asked.inputs_with("assessments", "runs")
    depth = max(chosen.depth, chosen.at or 0)
    lines = compute_curves(inputs, _curve_measures(asked), depth, chosen.ideal or chosen.at is not None)
    printed = [curve for curve in lines if chosen.per_topic or curve.topic == MEAN]
    figure = functools.partial(curves_plot, lines)
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
