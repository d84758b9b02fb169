"""Sakai's Q-measure and R-measure on element gains."""

from __future__ import annotations

from xcg.lazy_modules import np, npt
from xcg.measures.cumulated_gain import BOUND
from xcg.measures.definition import Definition, Parameters
from xcg.measures.effort import UNRETRIEVED, divisor
from xcg.measures.gain_vectors import check_gains, check_ideal, cumulate
from xcg.measures.parser import MEASURES
from xcg.measures.standard import RECALL_AT_RANK
from xcg.measures.topic_gains import TopicGains
from xcg.user_model.effort import Unretrieved


def q_measure(
    gains: npt.ArrayLike,
    ideal: npt.ArrayLike,
    not_retrieved: int = 0,
    unretrieved: Unretrieved = "uncredited",
) -> float:
    """Compute Sakai's Q-measure.

    Q = 1/N · Σ cbg(j) / (cig(j) + j) over the ranks j with gain. cbg cumulates the bonus gains, which
    are g + 1 if g > 0 and else 0; cig cumulates the ideal gains without bonus (Kazai and Lalmas 2006,
    equation 11 with footnotes 12 and 13; Sakai 2004).

    Args:
        gains: Gain of each result in rank order; one dimension, finite, not negative.
        ideal: Gains of the ideal ranking in decreasing order; their sum must be positive.
        not_retrieved: Number of ideal elements that the ranking does not retrieve.
        unretrieved: How these count in N, see :func:`xcg.measures.mean_effort_precision`.

    Returns:
        The value, from 0, and at most 1 if the ranking cannot gain more than the ideal.

    Raises:
        ValueError: If an argument has another shape or illegal values.

    >>> q_measure([0.5, 1.0], [1.0, 0.5])
    0.875
    """
    checked = check_gains(gains)
    hits = np.flatnonzero(checked > 0)
    bonus = np.cumsum(np.where(checked > 0, checked + 1, 0.0))
    best = cumulate(check_ideal(ideal), len(checked))
    ranks = np.arange(1, len(checked) + 1)
    total = float(np.sum((bonus / (best + ranks))[hits]))
    return total / divisor(len(hits), ideal, not_retrieved, unretrieved)


def r_measure(gains: npt.ArrayLike, ideal: npt.ArrayLike) -> float:
    """Compute Sakai's R-measure.

    R-measure = cbg(R) / (cig(R) + R), where R is the number of ideal gains above 0; cbg and cig are
    those of :func:`q_measure`. Kazai and Lalmas 2006, equation 12 has cbg(R) + R as the divisor; only
    cig(R) + R gives the values of its Table II.

    Args:
        gains: Gain of each result in rank order; one dimension, finite, not negative.
        ideal: Gains of the ideal ranking in decreasing order; their sum must be positive.

    Returns:
        The value, with the range of :func:`q_measure`.

    Raises:
        ValueError: If an argument has another shape or illegal values.

    >>> round(r_measure([0.9, 0.1, 0.0, 0.5], [1.0, 0.5]), 3)
    0.857
    """
    checked = check_gains(gains)
    best = check_ideal(ideal)
    rank = int(np.count_nonzero(best > 0))
    bonus = cumulate(np.where(checked > 0, checked + 1, 0.0), rank)
    return float(bonus[-1] / (np.sum(best) + rank))


# Declarations


def _q(topic: TopicGains, cutoff: float, parameters: Parameters) -> float:
    return q_measure(topic.gains, topic.ideal, topic.not_retrieved, parameters["unretrieved"])


def _r(topic: TopicGains, cutoff: float, parameters: Parameters) -> float:
    return r_measure(topic.gains, topic.ideal)


MEASURES.register(
    Definition(
        name="Q",
        title="Sakai's Q-measure on element gains",
        formula="Q = 1/N · Σ over the ranks j with gain of cbg(j) / (cig(j) + j), where cbg cumulates "
        "g + 1 for gains g > 0, cig cumulates ideal gains, and N is that of MAep",
        range=BOUND,
        source="Kazai & Lalmas 2006, equation 11 with footnotes 12 and 13; Sakai 2004",
        example="gains 0.5, 1, ideal 1, 0.5: Q = (1.5 / 2 + 3.5 / 3.5) / 2 = 0.875",
        parameters=UNRETRIEVED,
        compute=_q,
    )
)
MEASURES.register(
    Definition(
        name="R",
        title="Sakai's R-measure on element gains",
        formula="R = cbg(n) / (cig(n) + n), where n is the number of ideal elements; cbg and cig as "
        "for Q",
        range=BOUND,
        source="Kazai & Lalmas 2006, equation 12, corrected by its Table II; Sakai 2004",
        example="gains 0.9, 0.1, 0, 0.5, ideal 1, 0.5: R = 3 / (1.5 + 2) = 0.857",
        caveat="R with a rank, as in R@10, is the standard measure recall.",
        with_cutoff=RECALL_AT_RANK,
        compute=_r,
    )
)
