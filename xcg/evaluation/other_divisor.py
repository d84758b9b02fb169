"""Note which pairs of runs MAep and Q would order differently with ``unretrieved=max``.

The parameter changes only the divisor N, so the other values follow from the values and both N.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

from xcg.errors import Notes
from xcg.evaluation.scored_runs import ScoredRun
from xcg.measures import Measure, RankingGains
from xcg.measures.effort import divisor

_EQUAL = 1e-9


def divides_by_uncredited(measure: Measure, effort: Mapping[str, str]) -> bool:
    """Return whether a measure has the divisor of ``unretrieved=uncredited``.

    Args:
        measure: The measure.
        effort: The parameters of the user model.
    """
    settings = measure.settings(effort)
    is_used = settings.get("effort", "ranks") == "ranks" and settings.get("average") != "gain"
    return is_used and settings.get("unretrieved") == "uncredited"


def with_max(value: float, gains: RankingGains) -> float:
    """Return what a value computed from gains would be with ``unretrieved=max``."""
    vectors = gains.checked_gains, gains.checked_ideal, gains.not_retrieved
    return value * divisor(*vectors, "uncredited") / divisor(*vectors, "max")


def note_other_order(
    models: Sequence[str], measures: Sequence[Measure], runs: Mapping[str, ScoredRun], notes: Notes
) -> None:
    """Note how many pairs of runs ``unretrieved=max`` would order differently, if any.

    Args:
        models: The names of the user models.
        measures: The measures of the runs' values.
        runs: Name → run, without greedy references.
        notes: The notes.
    """
    compared = changed = total = 0
    largest, example = 0.0, ""
    for position, measure in enumerate(measures):
        for number, model in enumerate(models):
            means = {}
            for name, run in runs.items():
                values = run.values[number][position]
                if values.with_max:
                    default = measure.aggregate(list(values.values.values()))
                    means[name] = default, measure.aggregate(values.with_max)
            compared += bool(means)
            for one, two in combinations(sorted(means, key=lambda name: -means[name][0]), 2):
                difference, other = (a - b for a, b in zip(means[one], means[two], strict=True))
                total += 1
                if _sign(difference) != _sign(other):
                    changed += 1
                    if abs(difference - other) > largest:
                        largest = abs(difference - other)
                        example = (
                            f"{one} minus {two} is {difference:+.2g}, and with max {other:+.2g}, by "
                            f"{measure} under {model}"
                        )
    if changed:
        counted = ", counted for each measure and user model" if compared > 1 else ""
        notes.note(
            f"unretrieved=max would order {changed} of {total} pairs of runs differently{counted}; the "
            f"largest difference: {example}"
        )


def _sign(difference: float) -> int:
    return (difference > _EQUAL) - (difference < -_EQUAL)
