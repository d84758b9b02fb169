"""Answer ``evaluate``: scores, intervals of means, and the output of trec_eval."""

from __future__ import annotations

from xcg.answer import Layout
from xcg.answers.asked import Asked
from xcg.evaluation.results import Results
from xcg.evaluation.run_names import with_named_run
from xcg.report.tables import marks_with_intervals, render, results_table
from xcg.report.trec_eval import trec_eval_inputs, trec_eval_output
from xcg.statistics.intervals import mean_intervals


def evaluate(asked: Asked) -> Results:
    """Return the scores of the runs."""
    shown = asked.settings.evaluate
    inputs = asked.inputs_with("assessments", "runs")
    if asked.settings.format == "trec_eval":
        asked.refuse("user_model", "with the format trec_eval, whose measures have no user model")
        results = asked.evaluate(trec_eval_inputs(inputs))
        text = trec_eval_output(results, shown.per_topic)
        return results.shown(Layout(texts={"trec_eval": lambda: text}))
    inputs, against = with_named_run(inputs, shown.against)
    results = asked.evaluate(inputs)
    per_topic, limits = shown.per_topic, None
    if shown.topic:
        results, per_topic = results.of_topics(shown.topic), True
    elif shown.intervals is not None:
        limits, without = mean_intervals(results, shown.intervals)
        results.notes += [
            f"intervals: Student's t over the topics, {shown.intervals:g} %; each holds alone",
            *without,
        ]

    def written(format: str) -> str:
        return render(results, format, per_topic, shown.mark, against, limits)

    formats = ("jsonl", "csv", "csv-without-formulas", "markdown", "latex")
    return results.shown(
        Layout(
            tables=[results_table(results, per_topic, marks_with_intervals(limits or {}))],
            texts={name: (lambda name=name: written(name)) for name in formats},  # type: ignore[misc]
        ),
        per_topic,
    )
