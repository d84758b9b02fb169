"""Answer ``explain``: the gain of each result of a run, or the ideal recall-base."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from xcg.answer import Answer, Layout
from xcg.answers.asked import Asked
from xcg.errors import XcgError, nearest
from xcg.evaluation.config import require
from xcg.evaluation.explain import explain as explain_runs
from xcg.evaluation.explanation import Explanation
from xcg.evaluation.ideals import ideal_elements, ideal_statistics, judged_trees
from xcg.evaluation.run_names import select_runs
from xcg.report.columns import IDEAL_ELEMENTS
from xcg.report.explanations import (
    document_tree,
    ideal_tree,
    ideal_tree_records,
    ranking_tables,
    topic_heading,
)
from xcg.terminal_tables import separated


def explain(asked: Asked) -> Answer[Any]:
    """Explain the results of a run for a topic; without a run, return the ideal recall-base."""
    return _explain(asked) if asked.settings.explain.run else ideal(asked)


def _explain(asked: Asked) -> Answer[Explanation]:
    """Explain rank by rank what the results of runs gained, and what the runs missed."""
    chosen = asked.settings.explain
    if len(chosen.topic) != 1:
        raise XcgError(f"{len(chosen.topic)} topics: expected one, --topic ID")
    (topic,) = chosen.topic
    asked.refuse("explain.statistics", "with a run")
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
