"""Corrections of p values for the number of comparisons."""

from __future__ import annotations

from collections.abc import Sequence

from xcg.lazy_modules import np

P_VALUE_CORRECTIONS = ("holm", "bonferroni", "fdr_bh", "none")


def adjust(p_values: Sequence[float], correction: str) -> list[float]:
    """Correct p values for the number of comparisons.

    With the m p values in increasing order, Holm (1979) multiplies the i-th by m − i + 1, and each
    result is at least the one before; Benjamini and Hochberg (1995) divide the i-th by i / m, and each
    result is at most the one after; Bonferroni multiplies all by m. Results are at most 1.

    Args:
        p_values: The p values of a family.
        correction: ``"holm"``, ``"bonferroni"``, ``"fdr_bh"`` or ``"none"``.

    >>> adjust([0.01, 0.02, 0.25], "holm")
    [0.03, 0.04, 0.25]
    >>> adjust([0.5, 0.125], "fdr_bh")
    [0.5, 0.25]
    """
    if correction == "none" or not p_values:
        return list(p_values)
    m = len(p_values)
    order = np.argsort(p_values, kind="stable")
    increasing = np.asarray(p_values, float)[order]
    if correction == "bonferroni":
        corrected = increasing * m
    elif correction == "holm":
        corrected = np.maximum.accumulate(increasing * np.arange(m, 0, -1))
    else:
        corrected = np.minimum.accumulate((increasing / (np.arange(1, m + 1) / m))[::-1])[::-1]
    found = np.empty(m)
    found[order] = np.minimum(corrected, 1)
    return [float(p) for p in found]
