"""Answer ``evaluate``: scores, intervals of means, and the output of trec_eval."""

from __future__ import annotations

import functools

from xcg.answer import Layout
from xcg.answers.asked import Asked
from xcg.errors import XcgError, nearest
from xcg.evaluation.results import Results
from xcg.evaluation.run_names import with_named_run
from xcg.report.marks import marks_of
from xcg.report.trec_eval import trec_eval_inputs, trec_eval_output
from xcg.statistics.intervals import mean_intervals
from xcg.statistics.topic_scores import ALL_PAIRS


def evaluate(asked: Asked) -> Results:
    """Return the scores of the runs."""
    shown = asked.settings.evaluate
    inputs = asked.inputs_with("assessments", "runs")
    if asked.settings.format == "trec_eval":
        results = asked.evaluate(trec_eval_inputs(inputs))
        text = trec_eval_output(results, shown.per_topic)
        return results.shown(Layout(texts={"trec_eval": lambda: text}))
    inputs, against = with_named_run(inputs, shown.against, (ALL_PAIRS,))
    results = asked.evaluate(inputs)
    if against not in (None, ALL_PAIRS, *results.runs):
        raise XcgError(f"evaluate.against: no run {against!r}: {nearest(str(against), results.runs)}")
    limits = None
    if shown.topic:
        results = results.of_topics(shown.topic)
    elif shown.intervals is not None:
        limits, without = mean_intervals(results, shown.intervals)
        results.notes += [
            f"intervals: Student's t over the topics, {shown.intervals:g} %; each holds alone",
            *without,
        ]

    marks = functools.partial(marks_of, results, against)
    per_topic = shown.per_topic or bool(shown.topic)
    return results.shown(None, per_topic, limits, None if shown.topic else marks, shown.ranks)
