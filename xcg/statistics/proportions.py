"""Proportions of simulated campaigns, with their confidence intervals."""

from __future__ import annotations

from typing import NamedTuple

_CONFIDENCE = 0.95


class Proportion(NamedTuple):
    """A proportion of campaigns, with its 95 % interval.

    Attributes:
        rate: The proportion, from 0 to 1.
        low: Lower limit of the interval.
        high: Upper limit of the interval.
    """

    rate: float
    low: float
    high: float


def proportion(found: int, campaigns: int) -> Proportion:
    """Return the proportion of campaigns with a finding, and its Clopper-Pearson interval.

    Args:
        found: Number of campaigns with a finding, from 0 to ``campaigns``.
        campaigns: Number of all campaigns, at least 1.

    >>> [round(value, 4) for value in proportion(0, 100)]  # 1 − 0.025^(1/100)
    [0.0, 0.0, 0.0362]
    """
    from scipy.stats import binomtest

    limits = binomtest(found, campaigns).proportion_ci(_CONFIDENCE, method="exact")
    return Proportion(found / campaigns, float(limits.low), float(limits.high))
