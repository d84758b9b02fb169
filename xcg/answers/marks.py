"""Mark the best means, and those that differ significantly, for tables in publications."""

from __future__ import annotations

from xcg.errors import XcgError
from xcg.evaluation.results import Cell, Marks, Results
from xcg.measures import MEASURES
from xcg.report.comparison_sentences import comparison_statement
from xcg.report.comparison_tables import groups_of
from xcg.statistics.corrections import SIGNIFICANCE_LEVEL
from xcg.statistics.significance import Comparison, compare_runs
from xcg.statistics.topic_scores import ALL_PAIRS, compares_within_runs

LETTERS = (
    "Runs that share a letter do not differ significantly by the same measure under the same user "
    "model (a-c: a, b and c)."
)


def marks_of(results: Results, against: str | None = None) -> Marks:
    """Return the marks of the means, and their meaning.

    Args:
        results: The results. Greedy references are never the best, and not tested.
        against: A run; means that differ significantly from its mean (paired t test, Holm, 5 %) get a
            dagger. ``all`` gives letters for the pairs that do not differ (Holm with Shaffer's steps).
    """
    best: list[Cell] = []
    raised: dict[Cell, str] = {}
    lines: list[Comparison] = []
    systems = results.without_references()
    if against == ALL_PAIRS and compares_within_runs(systems):
        raise XcgError(
            "letters need all pairs of runs, but only strategies of the same run are compared: "
            "expected evaluate.against=RUN"
        )
    values: dict[tuple[str, str], dict[str, float]] = {}
    for row in systems.means():
        values.setdefault((row.measure, row.user_model), {})[row.run] = round(row.value, 4)
    for (measure, model), means in values.items():
        highest = MEASURES.order(measure).best(means.values())
        best += [(measure, model, run) for run, value in means.items() if value == highest]
        if against is not None and len(means) > 1:
            found = compare_runs(systems, measure, model, None if against == ALL_PAIRS else against)
            lines += found
            if against == ALL_PAIRS:
                letters = groups_of(systems, found)
            else:
                letters = {one.run: "†" for one in found if one.p_adjusted < SIGNIFICANCE_LEVEL}
            raised |= {(measure, model, run): letter for run, letter in letters.items()}
    sentences = ["The best mean of each measure and user model is bold."]
    if lines:
        named = LETTERS if against == ALL_PAIRS else f"†: differs significantly from {against}."
        lead = comparison_statement(lines, against).lead
        sentences += [named, *(one.replace(", named by the user,", "") for one in lead)]
    return Marks(best, raised, sentences)
