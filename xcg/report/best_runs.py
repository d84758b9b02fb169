"""State in sentences whether the best run differs from the second."""

from __future__ import annotations

from collections.abc import Sequence

from xcg.report.plot_selection import grouped
from xcg.statistics.corrections import CORRECTION_NAMES, SIGNIFICANCE_LEVEL
from xcg.statistics.significance import BestRun


def best_run_sentences(found: Sequence[BestRun]) -> list[str]:
    """Return a sentence for each measure, and one on the test.

    >>> for sentence in best_run_sentences([BestRun("MAep", "m", "a", "b", 0.25, "shaffer", 3)]):
    ...     print(sentence)
    MAep: the best run, a, does not differ significantly from the second, b (p = 0.2500)
    best and second: the paired t test, corrected for 3 comparisons (Holm with Shaffer's steps), \
significance level 5 %; the best run was chosen after seeing the scores, so the correction is for all \
pairs of runs
    """
    sentences = [
        _sentence(measure, own) for measure, own in grouped(found, lambda one: one.measure).items()
    ]
    tested = [one for one in found if one.p is not None]
    if not tested:
        return sentences
    corrections = [
        f"corrected for {one.comparisons} comparisons ({CORRECTION_NAMES[one.correction]}), "
        for one in tested
        if one.comparisons > 1
    ]
    chosen = "the best run was chosen after seeing the scores"
    if corrections:
        chosen += ", so the correction is for all pairs of runs"
    if len(found) > 1:
        chosen += "; there is no correction for the number of measures and user models"
    corrected = "or ".join(dict.fromkeys(corrections))
    return [
        *sentences,
        f"best and second: the paired t test, {corrected}significance level "
        f"{100 * SIGNIFICANCE_LEVEL:g} %; {chosen}",
    ]


def _sentence(measure: str, found: Sequence[BestRun]) -> str:
    p_values = [one.p for one in found if one.p is not None]
    different = sum(p < SIGNIFICANCE_LEVEL for p in p_values)
    if not p_values:
        return (
            f"{measure}: whether the best run differs from the second cannot be tested, because they "
            "share fewer than two topics"
        )
    if len(found) > 1:
        return (
            f"{measure}: the best run differs significantly from the second under {different} of "
            f"{len(p_values)} user models"
        )
    differs = "differs" if different else "does not differ"
    return (
        f"{measure}: the best run, {found[0].best}, {differs} significantly from the second, "
        f"{found[0].second} (p = {p_values[0]:.4f})"
    )
