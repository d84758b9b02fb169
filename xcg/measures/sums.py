"""Sums in a fixed order of additions, as the official evaluators compute them."""

from __future__ import annotations

import functools
import operator
from collections.abc import Iterable


def sum_in_order(values: Iterable[float]) -> float:
    """Add values from left to right, rounding after each, as inex_eval and trec_eval do.

    An exact sum can differ in the last digit, and then 0.61875 is printed as 0.6188 instead of 0.6187.
    ``sum`` also compensates rounding errors, since Python 3.12.

    >>> import math
    >>> sum_in_order([0.1] * 10), math.fsum([0.1] * 10)
    (0.9999999999999999, 1.0)
    """
    return functools.reduce(operator.add, values, 0.0)
