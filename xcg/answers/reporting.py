"""Answer ``report``: one HTML page, or the methods paragraph of a paper with BibTeX."""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO

from xcg.answer import Answer, Layout
from xcg.answers.asked import Asked, record_of
from xcg.answers.comparison import compared
from xcg.errors import printable
from xcg.evaluation.config import with_named_run
from xcg.evaluation.evaluate import evaluate
from xcg.report.citations import Citation, bibtex, citations_of_inputs
from xcg.report.comparison_sentences import comparison_methods
from xcg.report.html_page import write_report
from xcg.report.methods import methods_paragraph
from xcg.statistics.topic_scores import ALL_PAIRS
from xcg.terminal_tables import Prose


def write(asked: Asked, page: BinaryIO) -> None:
    """Write the HTML page of the campaign."""
    chosen = asked.settings.report
    inputs = asked.inputs_with("assessments", "runs")
    with asked.progress("steps") as progress:
        write_report(
            inputs,
            page,
            title=chosen.title,
            explained=chosen.explained,
            settings=record_of(asked, ["report"], Path()),
            progress=progress,
        )


def methods(asked: Asked) -> Answer[Citation]:
    """Return the methods paragraph of a paper about the campaign, and what it cites."""
    inputs = asked.inputs_with("assessments", "runs")
    comparison: list[str] = []
    baseline = asked.settings.compare.baseline
    if asked.states("compare"):
        inputs, baseline = with_named_run(inputs, baseline, (ALL_PAIRS,))
    results = evaluate(inputs, asked.progress)
    cited = list({one.subject: one for one in citations_of_inputs(inputs)}.values())
    if asked.states("compare"):
        comparisons = list(compared(asked, results.without_references(), baseline))
        comparison = comparison_methods(comparisons, baseline or ALL_PAIRS)
    paragraph = printable(methods_paragraph(inputs, results, comparison))
    entries = bibtex(cited)
    return Answer(
        cited,
        results.notes,
        to_records=lambda: [
            {"subject": one.subject, "keys": " ".join(entry.key for entry in one.entries)}
            for one in cited
        ],
        layout=lambda: Layout(
            tables=[Prose(f"{paragraph}\n"), "\n", entries], texts={"bibtex": lambda: entries}
        ),
    )
