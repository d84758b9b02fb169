"""Answer ``report``: one HTML page, or the methods paragraph of a paper with BibTeX."""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO

from xcg import __version__
from xcg.answer import Answer, Layout
from xcg.answers.asked import Asked, record_of
from xcg.errors import printable
from xcg.report.citations import Citation, bibtex, citations_of_inputs
from xcg.report.comparison_sentences import TEST_NAMES
from xcg.report.html_page import write_report
from xcg.statistics.corrections import CORRECTION_NAMES
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
    results = asked.evaluate(inputs)
    cited = list({one.subject: one for one in citations_of_inputs(inputs)}.values())
    measures = _listed([str(measure) for measure in inputs.measure_list])
    sentences = [
        f"Runs were evaluated by {measures} with xcg {__version__}, over {len(results.topics)} topics."
    ]
    if len(results.topics) < len(inputs.recall_base.topics):
        left = len(inputs.recall_base.topics) - len(results.topics)
        sentences.append(f"{left} further assessed topics have no score.")
    zero = "counts 0" if inputs.unanswered == "zero" else "is left out of the mean of the run"
    sentences.append(f"An assessed topic that a run does not answer {zero}.")
    for model in inputs.user_models:
        settings = ", ".join(f"{key} {value}" for key, value in model.settings.items())
        sentences.append(f"The user model {model.name} has {settings}.")
    if inputs.strategy_list:
        names = _listed(list(map(str, inputs.strategy_list)))
        sentences.append(f"Each run was rewritten by the overlap strategies {names}.")
    if asked.states("compare"):
        chosen = asked.settings.compare
        correction = chosen.correction or ("holm" if chosen.baseline else "shaffer")
        against = f" with {chosen.baseline}" if chosen.baseline else ""
        test = TEST_NAMES[chosen.test, ""]
        sentences.append(
            f"Runs were compared{against} by {test} over topics, at the 5 % level; "
            f"correction for multiple comparisons: {CORRECTION_NAMES.get(correction, correction)}."
        )
    paragraph = printable(" ".join(sentences))
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


def _listed(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
