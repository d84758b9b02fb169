"""Note which pairs of runs MAep and Q would order differently with ``unretrieved=max``.

The parameter changes only the divisor N, so the other values follow from the values and both N.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

from xcg.errors import Notes, first_names
from xcg.evaluation.shares import ScoredRun
from xcg.measures import Measure, TopicGains
from xcg.measures.effort import divisor

_LISTED = 6
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


def with_max(value: float, gains: TopicGains) -> float:
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
        runs: Name → run, without reference points.
        notes: The notes.
    """
    counts = []
    largest = 0.0
    for number, model in enumerate(models):
        for position, measure in enumerate(measures):
            means = {}
            for name, run in runs.items():
                values = run.values[number][position]
                if values.with_max:
                    lists = list(values.values.values()), values.with_max
                    means[name] = [measure.aggregate(values) for values in lists]
            pairs = list(combinations(sorted(means, key=lambda name: -means[name][0]), 2))
            changed = 0
            for first, second in pairs:
                ahead, other = (a - b for a, b in zip(means[first], means[second], strict=True))
                if _sign(ahead) != _sign(other):
                    changed += 1
                    if abs(ahead - other) > largest:
                        largest = abs(ahead - other)
                        pair = (
                            f"{first} minus {second} is {ahead:+.2g}, and with max {other:+.2g}, by "
                            f"{measure} under {model}"
                        )
            if changed:
                counts.append(f"{changed} of {len(pairs)} by {measure} under {model}")
    if counts:
        notes.note(
            "unretrieved=max would order pairs of runs differently: "
            f"{first_names(counts, _LISTED)}; the largest difference: {pair}"
        )


def _sign(difference: float) -> int:
    return (difference > _EQUAL) - (difference < -_EQUAL)
