"""Margins, and tests that a run is at most a margin worse than another run, or equivalent to it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from xcg.errors import XcgError
from xcg.formats.text_columns import decimal
from xcg.lazy_modules import np
from xcg.measures import MEASURES
from xcg.statistics.corrections import adjust
from xcg.statistics.significance_tests import paired_p_values
from xcg.statistics.topic_scores import DIGITS, ROUNDING, Booleans, Floats, check_name, divisor, sign

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
