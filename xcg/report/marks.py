"""Mark the best means in bold, and those that differ significantly from a run with a dagger."""

from __future__ import annotations

from xcg.evaluation.results import Cell, Marks, Results
from xcg.measures import MEASURES
from xcg.statistics.corrections import SIGNIFICANCE_LEVEL
from xcg.statistics.significance import compare_runs

_MARKS = {"markdown": ("**", "**", "†"), "latex": (r"\textbf{", "}", r"$^\dagger$")}
"""Format → the beginning and the end of bold text, and the dagger."""


def marks_of(results: Results, format: str, mark: bool = False, against: str | None = None) -> Marks:
    """Return the bold and dagger marks of the means.

    Args:
        results: The results.
        format: ``markdown`` or ``latex``.
        mark: Whether the best mean of each measure is bold. Greedy references are never the best.
        against: A run; means that differ significantly from its mean (paired t test, Holm, 5 %) get a
            dagger.

    Raises:
        XcgError: If the run is unknown.
    """
    bold, bold_end, dagger = _MARKS[format]
    marks: dict[Cell, tuple[str, str]] = {}
    means = list(results.means())
    for measure in results.measures:
        for model in results.user_models:
            printed = {
                row.run: round(row.value, 4)
                for row in means
                if (row.measure, row.user_model) == (measure, model)
                and row.run not in results.scope.references
            }
            if mark and printed:
                best = MEASURES.order(measure).best(printed.values())
                for run, value in printed.items():
                    if value == best:
                        marks[measure, model, run] = bold, bold_end
            if against is not None:
                for line in compare_runs(results, measure, model, against):
                    if line.p_adjusted < SIGNIFICANCE_LEVEL:
                        key = measure, model, line.run
                        before, after = marks.get(key, ("", ""))
                        marks[key] = before, after + dagger
    return marks
