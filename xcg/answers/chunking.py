"""Answer ``chunks``: compare chunkers and retrievers on one gold set."""

from __future__ import annotations

import functools
from typing import Any

from xcg.answer import Answer, Layout
from xcg.answers.asked import Asked
from xcg.evaluation.chunk_comparison import ChunkComparison
from xcg.evaluation.chunks import compare_chunks
from xcg.report.columns import chunk_columns
from xcg.report.orders import best_run_sentences
from xcg.report.plots import reading_plot
from xcg.statistics.significance import best_runs
from xcg.tables import Table
from xcg.terminal_tables import separated


class ChunkAnswer(Answer[Any]):
    """The answer of ``chunks``; ``comparison`` has the gold spans and results of each question."""

    comparison: ChunkComparison


def chunks(asked: Asked) -> ChunkAnswer:
    """Return one row per run; or every gold span and result of each question."""
    chosen = asked.settings.chunks
    inputs = asked.inputs_with("assessments", "runs", "corpus")
    unit: Any = chosen.unit
    with asked.progress("topics") as progress:
        comparison = compare_chunks(
            inputs,
            chosen.budget,
            unit,
            inputs.measure_list if asked.states("measures") else (),
            questions=chosen.questions,
            progress=progress,
        )
    notes = list(comparison.notes)
    if not chosen.questions:
        notes += best_run_sentences(best_runs(comparison.scores))

    def layout() -> Layout:
        columns = chunk_columns(unit, chosen.budget)
        kinds = (
            (comparison.gold_records(), comparison.result_records())
            if chosen.questions
            else (comparison.to_records(),)
        )
        return Layout(tables=separated([Table.of_records(rows, columns) for rows in kinds if rows]))

    rows = comparison.question_records() if chosen.questions else comparison.to_records()
    answer = ChunkAnswer(
        rows, notes, layout=layout, figure=functools.partial(reading_plot, comparison.curves, unit)
    )
    answer.comparison = comparison
    return answer
