"""Corrections of p values for the number of comparisons, and one-sided tests with a margin."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import Any, TypeVar

from xcg.errors import XcgError
from xcg.formats.text_columns import decimal
from xcg.lazy_modules import np
from xcg.measures import MEASURES
from xcg.statistics.significance_tests import paired_p_values
from xcg.statistics.topic_scores import DIGITS, ROUNDING, Booleans, Floats, check_name, divisor, sign

CORRECTION_NAMES = {
    "shaffer": "Holm with Shaffer's steps",
    "holm": "Holm",
    "bonferroni": "Bonferroni",
    "fdr_bh": "Benjamini and Hochberg",
    "none": "no correction",
}
SIGNIFICANCE_LEVEL = 0.05
"""A difference is significant if the corrected p value is below this."""
P_VALUE_CORRECTIONS = ("holm", "bonferroni", "fdr_bh", "none")


def adjust(p_values: Sequence[float], correction: str) -> list[float]:
    """Correct the p values of one family, see :func:`adjusted`.

    >>> adjust([0.01, 0.02, 0.25], "holm"), adjust([0.01, 0.02, 0.25], "shaffer")
    ([0.03, 0.04, 0.25], [0.03, 0.03, 0.25])
    >>> adjust([0.5, 0.125], "fdr_bh")
    [0.5, 0.25]
    """
    found: list[float] = adjusted(np.array([p_values], float), correction)[0].tolist()
    return found


def adjusted(p_values: Floats, correction: str) -> Floats:
    """Correct p values for the number of comparisons m of their family.

    With the p values of a family in increasing order, Holm (1979) multiplies the i-th by m − i + 1, the
    number of hypotheses that can still be true, and each result is at least the one before. Shaffer
    (1986) multiplies by the number that can still be true together, see :func:`possibly_true`.
    Benjamini and Hochberg (1995) divide the i-th by i / m, and each result is at most the one after.
    Bonferroni multiplies all by m. Results are at most 1.

    Args:
        p_values: Array of shape (campaigns, comparisons); each row is a family.
        correction: ``"holm"``, ``"bonferroni"``, ``"fdr_bh"``, ``"none"``; or ``"shaffer"``, if the
            comparisons are all pairs of runs by one measure, and equality is transitive.

    Returns:
        The corrected p values in the same order.
    """
    m = p_values.shape[1]
    if correction == "none" or not m:
        return p_values
    if correction == "bonferroni":
        bounded: Floats = np.minimum(1, p_values * m)
        return bounded
    order = np.argsort(p_values, axis=1, kind="stable")
    increasing = np.take_along_axis(p_values, order, axis=1)
    if correction == "fdr_bh":
        steps = increasing / (np.arange(1, m + 1) / m)
        steps = np.minimum.accumulate(steps[:, ::-1], axis=1)[:, ::-1]
    else:
        factors = possibly_true(m) if correction == "shaffer" else range(m, 0, -1)
        steps = np.maximum.accumulate(increasing * np.array(factors), axis=1)
    found = np.empty(p_values.shape)
    np.put_along_axis(found, order, np.minimum(1, steps), axis=1)
    return found


def single_level(level: float, correction: str, comparisons: int, rejected: int = 1) -> float:
    """Return the level of one comparison before others of its family are rejected.

    This is the strictest level at which the correction tests it, and that of intervals:
    level / m for Holm, Bonferroni, and Benjamini and Hochberg. If these reject r, they test all at
    r · level / m (the false coverage rate of Benjamini and Yekutieli 2005).

    Args:
        level: Significance level of the family.
        correction: As for :func:`adjusted`.
        comparisons: Number of comparisons in the family, m.
        rejected: Number of rejected comparisons, r, of Benjamini and Hochberg.

    >>> single_level(0.05, "holm", 10), single_level(0.05, "none", 10)
    (0.005, 0.05)
    """
    return level if correction == "none" else max(1, rejected) * level / comparisons


def critical_levels(p_values: Floats, correction: str, level: float) -> Floats:
    """Return the level below which each p value would be significant, given the others of its family.

    Args:
        p_values: As for :func:`adjusted`.
        correction: ``"holm"``, ``"bonferroni"``, ``"fdr_bh"`` or ``"none"``.
        level: Significance level of the corrected p values.

    Returns:
        Array of shape (campaigns, comparisons).

    >>> critical_levels(np.array([[0.01, 0.5, 0.6]]), "holm", 0.06).round(3).tolist()
    [[0.02, 0.03, 0.03]]
    """
    m = p_values.shape[1]
    hypotheses = np.full(p_values.shape, 1.0 if correction == "none" else float(m))
    if correction in ("holm", "fdr_bh"):
        for column in range(m):
            others = np.sort(np.delete(p_values, column, axis=1), axis=1)
            if correction == "holm":  # those that are significant are not counted any more
                rejected = others * np.arange(m, 1, -1) < level
                hypotheses[:, column] -= np.logical_and.accumulate(rejected, axis=1).sum(axis=1)
            else:  # the last step at which enough others are significant counts
                enough = others * m < level * np.arange(2, m + 1)
                hypotheses[:, column] /= 1 + np.where(enough, np.arange(1, m), 0).max(axis=1, initial=0)
    levels: Floats = level / hypotheses
    return levels


@cache
def possibly_true(comparisons: int) -> tuple[int, ...]:
    """Return how many hypotheses of equality can be true after 0, 1, … of them were rejected.

    If one pair of k runs differs, others must differ too: of three runs, not exactly one pair. The
    numbers of equal pairs that are possible are those of the divisions of the runs into groups of equal
    runs: S(k) = ⋃ over j of {j·(j − 1)/2 + s : s ∈ S(k − j)} (Shaffer 1986, section 3, method S1).
    After i rejections, at most the largest number in S(k) that is not above m − i is true.

    Args:
        comparisons: The number of all pairs of runs, m = k·(k − 1)/2.

    >>> possibly_true(6)  # of 4 runs: 6, 3, 2, 1 or 0 pairs can be equal
    (6, 3, 3, 3, 2, 1)
    """
    runs = (1 + math.isqrt(1 + 8 * comparisons)) // 2
    assert math.comb(runs, 2) == comparisons
    possible = [1]  # bit s of possible[k]: s is in S(k)
    for k in range(1, runs + 1):
        possible.append(0)
        for j in range(1, k + 1):
            possible[k] |= possible[k - j] << math.comb(j, 2)
    bits = f"{possible[runs]:b}"[::-1]
    found, most = [], 0
    for number in range(1, comparisons + 1):
        most = number if bits[number] == "1" else most
        found.append(most)
    return tuple(reversed(found))


_T = TypeVar("_T")


def by_measure(what: str, values: Any, parse: Callable[[Any], _T], expected: str) -> dict[str, _T]:
    """Return the value of each measure.

    Args:
        what: Name of the values in messages.
        values: One value for all measures; values by measure; or texts like ``"0.01"`` and
            ``"ASL=2"``. None means no value.
        parse: Returns a value, or raises ValueError or TypeError.
        expected: End of the message about an illegal value.

    Returns:
        Values by canonical name; the measure ``""`` means all others.

    Raises:
        XcgError: If a value is illegal, a measure is unknown, or a measure has several values.

    >>> by_measure("margin", ["0.01", "ASL=2"], float, "expected a number")
    {'': 0.01, 'ASL': 2.0}
    """
    pairs: Iterable[tuple[str, Any]]
    if values is None:
        return {}
    if isinstance(values, Mapping):
        pairs = values.items()
    elif isinstance(values, (str, float, int)):
        pairs = [("", values)]
    else:
        pairs = [(name, value) for name, _, value in (text.rpartition("=") for text in values)]
    found: dict[str, _T] = {}
    for name, value in pairs:
        try:
            parsed = parse(value)
        except (TypeError, ValueError, OverflowError):
            text = f"{name}={value}" if name else str(value)
            raise XcgError(f"illegal {what} {text!r}: {expected}") from None
        measure = str(MEASURES.parse(name)) if name else ""
        if measure in found:
            raise XcgError(f"several values of {what}{measure and f' for {measure}'}: expected one")
        found[measure] = parsed
    return found


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
    known = list(measures)
    expected = "expected a number above 0, like 0.01 or MAep=0.01"
    found = by_measure("margin", margins, _margin, expected)
    for measure in filter(None, found):
        check_name("measure", measure, known)
    for measure in known:
        if measure not in found and "" not in found:
            raise XcgError(f"no margin of {measure}: expected a number for all measures, like 0.01")
    return {measure: found.get(measure, found.get("", math.nan)) for measure in known}


def _margin(value: str | float) -> float:
    margin = decimal(str(value))
    if not (math.isfinite(margin) and margin > 0):
        raise ValueError
    return margin


def not_worse_p(test: str, found: Floats, margin: float) -> Floats:
    """Compute p values of non-inferiority: that a run is at most ``margin`` worse than another.

    The null hypothesis is that the run is worse by the margin or more. The margin is added to the
    advantage of each topic, and the one-sided paired test shows that the result is above 0.

    Args:
        test: A name in :data:`xcg.statistics.significance_tests.PAIRED_TESTS`.
        found: Differences between the scores of the run and those of the other run for each topic,
            positive if the run is better; shape (pairs, topics).
        margin: The difference per topic, above 0.

    Returns:
        One-sided p values, 0 to 1; shape (pairs,). Below 5 %, the run is at most ``margin`` worse.

    Raises:
        XcgError: As the test.

    >>> not_worse_p("t", np.array([[0.0, 0.02, -0.02, 0.0]]), 0.01).round(4).tolist()  # t = √1.5
    [0.154]
    """
    gained = found + margin
    gained[np.abs(gained) <= ROUNDING] = 0
    # The distribution of each statistic is symmetric.
    p_values = paired_p_values(test, gained) / 2
    shown: Floats = np.where(evidence(test, gained) > 0, p_values, 1 - p_values)
    return shown


def equivalence_p(test: str, found: Floats, margin: float) -> Floats:
    """Compute p values of equivalence: that two runs differ by at most ``margin``.

    Each is the higher p value of two one-sided tests: the run is at most ``margin`` worse, and at most
    ``margin`` better (Schuirmann 1987).

    Args:
        test: As for :func:`not_worse_p`.
        found: As for :func:`not_worse_p`.
        margin: As for :func:`not_worse_p`.

    Returns:
        p values, 0 to 1; shape (pairs,). Below 5 %, the runs are equivalent.

    Raises:
        XcgError: As the test.

    >>> equivalence_p("wilcoxon", np.array([[0.0, 0.001, -0.002, 0.0, 0.001]]), 0.01).tolist()  # 1 / 2⁵
    [0.03125]
    """
    higher: Floats = np.maximum(not_worse_p(test, found, margin), not_worse_p(test, -found, margin))
    return higher


def margin_p_values(
    found: Sequence[Floats], measure: str, test: str, correction: str, margin: float
) -> tuple[list[float], list[float]]:
    """Test non-inferiority and equivalence of each pair, and correct the p values.

    Args:
        found: The scores of a run minus those of its baseline by topic, for each comparison of the
            family.
        measure: Canonical name of the measure of the scores.
        test: As for :func:`not_worse_p`.
        correction: As for :func:`xcg.statistics.corrections.adjusted`.
        margin: The difference of the means, or of the sums if the measure is a count, above 0.

    Returns:
        The corrected p values of non-inferiority, and of equivalence, by pair.

    Raises:
        XcgError: As the test.
    """
    not_worse, equivalent = [], []
    for values in found:
        advantages = sign(measure) * values[None]
        by_topic = margin / (len(values) / divisor(measure, len(values)))
        not_worse += not_worse_p(test, advantages, by_topic).tolist()
        equivalent += equivalence_p(test, advantages, by_topic).tolist()
    return adjust(not_worse, correction), adjust(equivalent, correction)


def evidence(test: str, found: Floats) -> Floats:
    """Return a statistic with the sign of the direction in which a paired test rejects.

    It is the sum of the signed ranks for Wilcoxon's test, and the mean for other tests.

    Args:
        test: As for :func:`not_worse_p`.
        found: As for :func:`not_worse_p`.

    Returns:
        Array of shape (pairs,).

    >>> found = np.array([[0.01, 0.02, 0.03, -0.9]])
    >>> evidence("wilcoxon", found).tolist(), evidence("t", found).round(2).tolist()  # 1 + 2 + 3 − 4
    ([2.0], [-0.21])
    """
    if not test.startswith("wilcoxon"):
        means: Floats = found.mean(axis=1)
        return means
    from scipy.stats import rankdata

    found = np.round(found, DIGITS)
    ranks = rankdata(np.abs(found), axis=1)
    if test == "wilcoxon":  # topics without a difference, which are first, have no rank
        ranks -= (found == 0).sum(axis=1, keepdims=True)
    sums: Floats = (np.sign(found) * ranks).sum(axis=1)
    return sums


def are_losses(found: Sequence[Floats], test: str) -> Booleans:
    """Return whether the mean is below 0 and the test rejects in this direction, if it rejects.

    Args:
        found: Differences for each comparison, negative if the first run is worse; arrays of shape
            (campaigns, topics).
        test: As for :func:`not_worse_p`.

    Returns:
        Array of shape (campaigns, comparisons).
    """
    columns = [(values.mean(axis=1) < 0) & (evidence(test, values) < 0) for values in found]
    return np.stack(columns, axis=1)
