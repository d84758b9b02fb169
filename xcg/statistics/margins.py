"""Tests that a run is at most a margin worse than another run, or equivalent to it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from xcg.errors import XcgError
from xcg.lazy_modules import np
from xcg.measures import MEASURES
from xcg.statistics.corrections import adjust
from xcg.statistics.significance_tests import PAIRED_TESTS
from xcg.statistics.topic_scores import DIGITS, Floats, check_name, differences


def parse_margins(
    margins: float | Iterable[str] | Mapping[str, float], measures: Iterable[str]
) -> dict[str, float]:
    """Return the margin of each measure.

    Args:
        margins: One margin for all measures; margins by measure; or texts like ``"0.01"`` and
            ``"ASL=2"``, in which a text without a measure is for all other measures.
        measures: Canonical names of the measures that need a margin.

    Returns:
        Margins by canonical name, in the order of ``measures``.

    Raises:
        XcgError: If a margin is not a finite number above 0, a measure is unknown or not among the
            measures, or a measure has no margin or several.

    >>> parse_margins(["0.01", "ASL=2"], ["MAep", "ASL"])
    {'MAep': 0.01, 'ASL': 2.0}
    """
    if isinstance(margins, Mapping):
        pairs: list[tuple[str, Any]] = list(margins.items())
    elif isinstance(margins, (float, int)):
        pairs = [("", margins)]
    else:
        pairs = [(name, value) for name, _, value in (text.rpartition("=") for text in margins)]
    known = list(measures)
    found: dict[str, float] = {}
    for name, value in pairs:
        try:
            margin = float(value)
        except (TypeError, ValueError):
            margin = math.nan
        if not (math.isfinite(margin) and margin > 0):
            raise XcgError(
                f"illegal margin {f'{name}={value}' if name else value!r}: expected a number above 0, "
                "like 0.01 or MAep=0.01"
            )
        measure = str(MEASURES.parse(name)) if name else ""
        if measure in found:
            raise XcgError(f"several margins{measure and f' of {measure}'}: expected one")
        if measure:
            check_name("measure", measure, known)
        found[measure] = margin
    for measure in known:
        if measure not in found and "" not in found:
            raise XcgError(f"no margin of {measure}: expected a number for all measures, like 0.01")
    return {measure: found.get(measure, found.get("", math.nan)) for measure in known}


def not_worse_p(test: str, found: Floats, margin: float) -> float:
    """Compute the p value of non-inferiority: that a run is at most ``margin`` worse than another.

    The null hypothesis is that the run is worse by the margin or more. The margin is added to the
    advantage of each topic, and the one-sided paired test shows that the result is above 0.

    Args:
        test: A name in :data:`xcg.statistics.significance_tests.PAIRED_TESTS`.
        found: Differences between the scores of the run and those of the other run for each topic,
            positive if the run is better.
        margin: The difference per topic, above 0.

    Returns:
        The one-sided p value, 0 to 1. If it is below 5 %, the run is at most ``margin`` worse.

    Raises:
        XcgError: As the test.

    >>> round(not_worse_p("t", np.array([0.0, 0.02, -0.02, 0.0]), 0.01), 4)  # t = √1.5
    0.154
    """
    return _above_zero_p(test, found + margin)


def equivalence_p(test: str, found: Floats, margin: float) -> float:
    """Compute the p value of equivalence: that two runs differ by at most ``margin``.

    It is the higher p value of two one-sided tests: the run is at most ``margin`` worse, and at most
    ``margin`` better (Schuirmann 1987).

    Args:
        test: As for :func:`not_worse_p`.
        found: As for :func:`not_worse_p`.
        margin: As for :func:`not_worse_p`.

    Returns:
        The p value, 0 to 1. If it is below 5 %, the runs are equivalent.

    Raises:
        XcgError: As the test.

    >>> round(equivalence_p("wilcoxon", np.array([0.0, 0.001, -0.002, 0.0, 0.001]), 0.01), 4)  # 1 / 2⁵
    0.0312
    """
    return max(not_worse_p(test, found, margin), not_worse_p(test, -found, margin))


def margin_inferences(
    pairs: Sequence[tuple[Sequence[float], Sequence[float]]],
    measure: str,
    test: str,
    correction: str,
    margin: float,
) -> list[tuple[float, float]]:
    """Test non-inferiority and equivalence of each pair, and correct the p values.

    Args:
        pairs: The scores of a run and of its baseline for the topics that both have, for each
            comparison of the family.
        measure: Canonical name of the measure of the scores.
        test: As for :func:`not_worse_p`.
        correction: As for :func:`xcg.statistics.corrections.adjust`.
        margin: The difference of the means, or of the sums if the measure is a count, above 0.

    Returns:
        For each pair, the corrected p values of non-inferiority and of equivalence.

    Raises:
        XcgError: As the test.
    """
    not_worse, equivalent = [], []
    for first, second in pairs:
        found = advantages(measure, first, second)
        by_topic = margin_per_topic(measure, margin, len(found))
        not_worse.append(not_worse_p(test, found, by_topic))
        equivalent.append(equivalence_p(test, found, by_topic))
    corrected = (adjust(p_values, correction) for p_values in (not_worse, equivalent))
    return list(zip(*corrected, strict=True))


def advantages(measure: str, first: Sequence[float], second: Sequence[float]) -> Floats:
    """Return the differences between two runs for each topic, positive if the first is better."""
    found = differences(first, second)
    return -found if MEASURES.order(measure).lower_is_better else found


def margin_per_topic(measure: str, margin: float, topics: int) -> float:
    """Return the margin of one topic. For a count, the margin is divided by the number of topics."""
    return margin / (topics if MEASURES.is_count(measure) else 1)


def evidence(test: str, found: Floats) -> float:
    """Return a statistic with the sign of the direction in which a paired test rejects.

    It is the sum of the signed ranks for Wilcoxon's test, and the mean for other tests.

    >>> found = np.array([0.01, 0.02, 0.03, -0.9])
    >>> evidence("wilcoxon", found), round(evidence("t", found), 2)  # 1 + 2 + 3 − 4
    (2.0, -0.21)
    """
    if not test.startswith("wilcoxon"):
        return float(found.mean())
    from scipy.stats import rankdata

    found = np.round(found, DIGITS)
    if test == "wilcoxon":
        found = found[found != 0]
    return float(np.sum(np.sign(found) * rankdata(np.abs(found))))


def _above_zero_p(test: str, values: Floats) -> float:
    """Return the one-sided p value: the distribution of each statistic is symmetric."""
    p = PAIRED_TESTS[test](values.tolist(), [0.0] * len(values))
    return p / 2 if evidence(test, values) > 0 else 1 - p / 2
