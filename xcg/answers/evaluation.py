"""Answer ``evaluate``: scores, intervals of means, and the output of trec_eval."""

from __future__ import annotations

from xcg.answer import Layout
from xcg.answers.asked import Asked
from xcg.evaluation.results import Marks, Results
from xcg.evaluation.run_names import with_named_run
from xcg.report.marks import marks_of
from xcg.report.trec_eval import trec_eval_inputs, trec_eval_output
from xcg.statistics.intervals import mean_intervals


def evaluate(asked: Asked) -> Results:
    """Return the scores of the runs."""
    shown = asked.settings.evaluate
    inputs = asked.inputs_with("assessments", "runs")
    if asked.settings.format == "trec_eval":
        results = asked.evaluate(trec_eval_inputs(inputs))
        text = trec_eval_output(results, shown.per_topic)
        return results.shown(Layout(texts={"trec_eval": lambda: text}))
    inputs, against = with_named_run(inputs, shown.against)
    results = asked.evaluate(inputs)
    limits = None
    if shown.topic:
        results = results.of_topics(shown.topic)
    elif shown.intervals is not None:
        limits, without = mean_intervals(results, shown.intervals)
        results.notes += [
            f"intervals: Student's t over the topics, {shown.intervals:g} %; each holds alone",
            *without,
        ]

    def marks(format: str) -> Marks:
        return marks_of(results, format, shown.mark, against)

    return results.shown(None, shown.per_topic or bool(shown.topic), limits, marks)
