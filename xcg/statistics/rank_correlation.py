"""Agreement of orders of runs, by different user models or measures, and of two sets of levels."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import combinations, product
from typing import NamedTuple

from xcg.errors import XcgError
from xcg.evaluation.results import Results
from xcg.judgements.recall_base import RecallBase
from xcg.lazy_modules import np, npt
from xcg.measures import MEASURES
from xcg.statistics.intervals import Interval, centred_interval, resampled_topics
from xcg.statistics.topic_scores import (
    DIGITS,
    ROUNDING,
    Floats,
    matrix_product,
    score_matrix,
    scores_by_cell,
    sign,
)

Signs = npt.NDArray[np.int8]
_Key = tuple[str, str]  # measure, user model


def kendall_tau_b(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Compute Kendall's τ-b of two lists of scores (Kendall 1945).

    Args:
        first: A score for each run.
        second: Other scores for the same runs.

    Returns:
        A number from -1 to 1; None if all scores of a list are equal.

    >>> round(kendall_tau_b([1, 2, 3, 4], [1, 2, 4, 3]), 4)
    0.6667
    """
    found = float(tau_b(*(pair_signs(np.array([scores])) for scores in (first, second)))[0])
    return None if math.isnan(found) else found


def pair_signs(scores: npt.ArrayLike) -> Signs:
    """Return the signs of the differences of all pairs of runs.

    Args:
        scores: Array of shape (orders, runs).

    Returns:
        Array of shape (orders, pairs).
    """
    array = np.asarray(scores, np.float64)
    i, j = np.triu_indices(array.shape[1], 1)
    return np.sign(array[:, i] - array[:, j]).astype(np.int8)


def tau_b(first: Signs, second: Signs) -> Floats:
    """Compute Kendall's τ-b between each two orders of runs.

    τ-b = Σ s·t / √(Σ s² · Σ t²), where s and t are the signs of the differences of all pairs of runs.

    Args:
        first: Signs from :func:`pair_signs`, of shape (orders, pairs).
        second: Signs of the same runs; same shape.

    Returns:
        Array of shape (orders,); NaN if all runs of an order are equal.
    """
    products = np.einsum("rp,rp->r", first, second, dtype=np.int64)
    norms = np.sqrt(
        np.prod([np.count_nonzero(s, axis=1) for s in (first, second)], axis=0, dtype=float)
    )
    undefined: Floats = np.full(len(norms), np.nan)
    found: Floats = np.divide(products, norms, out=undefined, where=norms > 0)
    return found


def pearson(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Compute Pearson's correlation of two lists of numbers.

    r = Σ (x − mean x)·(y − mean y) / √(Σ (x − mean x)² · Σ (y − mean y)²). Unlike rank correlations, it
    depends on the sizes of differences.

    Args:
        first: A number for each run or document.
        second: Other numbers for the same runs or documents.

    Returns:
        A number from -1 to 1; None if all numbers of a list are equal up to rounding errors.

    >>> round(pearson([1, 2, 3], [1, 2, 4]), 4)
    0.982
    """
    x, y = np.array(first, np.float64), np.array(second, np.float64)
    if len(x) < 2 or min(np.ptp(x), np.ptp(y)) <= ROUNDING:
        return None
    x, y = x - x.mean(), y - y.mean()
    lengths = math.sqrt(float((x**2).sum())) * math.sqrt(float((y**2).sum()))
    return max(-1.0, min(float((x * y).sum()) / lengths, 1.0))


def level_correlation(first: RecallBase, second: RecallBase) -> tuple[float | None, int]:
    """Compute Pearson's correlation of the levels that two sets of judgements give.

    Scheel, Lommatzsch and Albayrak 2011, section 2.2, report 0.96 for two virtual users.

    Args:
        first: Judgements with levels of relevance.
        second: Other judgements of the same topics.

    Returns:
        The correlation over all documents and elements for which both have a level, None if one of the
        sets has one level only; and the number of these documents and elements.

    >>> one = RecallBase.of({"1": {"a": 1, "b": 2, "c": 3}})
    >>> two = RecallBase.of({"1": {"a": 1, "b": 2, "c": 4, "d": 9}})
    >>> value, number = level_correlation(one, two)
    >>> round(value, 4), number
    (0.982, 3)
    """
    others = _levels(second)
    pairs = [(level, others[unit]) for unit, level in _levels(first).items() if unit in others]
    return pearson([a for a, _ in pairs], [b for _, b in pairs]), len(pairs)


def _levels(base: RecallBase) -> dict[tuple[str, str, str], float]:
    """Return (topic, file, path) → level for all assessments on the scale of levels."""
    return {
        (topic, file, path): assessment.exhaustivity
        for topic in base.topics
        for file, elements in base.files[topic].items()
        for path, assessment in elements.items()
        if assessment.scale == "level"
    }


def tau_ap(reference: Sequence[float], other: Sequence[float]) -> float:
    """Compute τ_AP, a rank correlation with more weight on the top ranks.

    τ_AP = 2 / (N − 1) · Σ_{i=2…N} C(i) / (i − 1) − 1. The runs are sorted by decreasing ``other``, and
    C(i) is the number of runs above rank i that ``reference`` also ranks above the run at rank i. Of
    equal scores, the earlier is ranked higher. τ_AP is not symmetric (Yilmaz, Aslam and Robertson
    2008).

    Args:
        reference: A score for each run; higher is better.
        other: Other scores for the same runs; higher is better.

    Returns:
        A number from -1 to 1.

    >>> round(tau_ap([4, 3, 2, 1], [3, 4, 2, 1]), 4)  # the top two are swapped
    0.3333
    >>> round(tau_ap([4, 3, 2, 1], [4, 3, 1, 2]), 4)  # the bottom two are swapped
    0.7778
    """
    runs = len(reference)
    # sorted() is stable, so equal scores keep their order.
    rank = {run: i for i, run in enumerate(sorted(range(runs), key=lambda run: -reference[run]))}
    ranks = [rank[run] for run in sorted(range(runs), key=lambda run: -other[run])]
    total = math.fsum(sum(r < ranks[i] for r in ranks[:i]) / i for i in range(1, runs))
    return 2 / (runs - 1) * total - 1


class OrderShift(NamedTuple):
    """The change of the order of runs between two user models.

    Attributes:
        measure: Canonical name of the measure.
        user_model: Name of the user model.
        tau_b: Kendall's τ-b of the means under this and the baseline model; None if all are equal.
        moved: Number of runs with another rank than under the baseline model.
        best: Name of the best run, or names of the best runs.
        interval: 95 % bootstrap interval of τ-b over topics; None if it is unknown.
    """

    measure: str
    user_model: str
    tau_b: float | None
    moved: int
    best: str
    interval: Interval | None = None


def order_shifts(results: Results, resamples: int = 0, seed: int = 0) -> list[OrderShift]:
    """Compare the order of runs under each user model with the order under the first.

    Args:
        results: Results of at least two runs under at least two user models.
        resamples: Number of bootstrap resamples of the topics; 0 for no intervals.
        seed: Seed of the resamples, at least 0.

    Returns:
        A row for each measure and user model. Only runs with scores under both models are compared.

    Raises:
        XcgError: If there is one user model or one run.
    """
    models = results.user_models
    base = models[0]
    if len(models) < 2:
        raise XcgError("one user model: expected at least two, or lists of values for its parameters")
    if len(results.runs) < 2:
        raise XcgError("one run has no order: expected at least two")
    means = {(row.measure, row.user_model, row.run): row.value for row in results.means()}
    shifts = []
    orders = _resampled_orders(results, resamples, seed)
    for measure, model in product(results.measures, models):
        order = MEASURES.order(measure)
        runs = [r for r in results.runs if {(measure, model, r), (measure, base, r)} <= means.keys()]
        before = [means[measure, base, run] for run in runs]
        after = [means[measure, model, run] for run in runs]
        ranks_before = [order.rank(mean, before) for mean in before]
        ranks = [order.rank(mean, after) for mean in after]
        moved = sum(old != new for old, new in zip(ranks_before, ranks, strict=True))
        best = ", ".join(run for run, rank in zip(runs, ranks, strict=True) if rank == 1)
        tau = kendall_tau_b(before, after)
        interval = _tau_b_interval(orders, (measure, base), (measure, model), tau)
        shifts.append(OrderShift(measure, model, tau, moved, best, interval))
    return shifts


class OrderAgreement(NamedTuple):
    """The agreement of the orders of runs by two measures or user models.

    Attributes:
        measure: Canonical name of the first measure.
        user_model: Name of its user model.
        other_measure: Canonical name of the second measure.
        other_user_model: Name of its user model.
        tau_b: Kendall's τ-b; None if all means by a measure are equal.
        tau_ap: τ_AP with the first measure as reference.
        interval: 95 % bootstrap interval of τ-b over topics; None if it is unknown.
    """

    measure: str
    user_model: str
    other_measure: str
    other_user_model: str
    tau_b: float | None
    tau_ap: float
    interval: Interval | None = None


def order_agreements(results: Results, resamples: int = 0, seed: int = 0) -> list[OrderAgreement]:
    """Compare the orders of runs by all pairs of measures and user models.

    The means by lower-is-better measures are negated, so that a positive correlation always means
    agreement on the better runs.

    Args:
        results: Results of at least two runs, by at least two measures or user models.
        resamples: Number of bootstrap resamples of the topics; 0 for no intervals.
        seed: Seed of the resamples, at least 0.

    Raises:
        XcgError: If there is one run or one order.
    """
    if len(results.runs) < 2:
        raise XcgError("one run has no order: expected at least two")
    goodness: dict[tuple[str, str], list[float]] = {}
    for model, measure in product(results.user_models, results.measures):
        goodness[measure, model] = [
            sign(measure) * results.value(run, measure, user_model=model) for run in results.runs
        ]
    if len(goodness) < 2:
        raise XcgError("one order: expected at least two measures or user models")
    orders = _resampled_orders(results, resamples, seed)
    agreements = []
    for (first, means), (second, others) in combinations(goodness.items(), 2):
        tau = kendall_tau_b(means, others)
        interval = _tau_b_interval(orders, first, second, tau)
        agreements.append(OrderAgreement(*first, *second, tau, tau_ap(means, others), interval))
    return agreements


def _resampled_orders(results: Results, resamples: int, seed: int) -> dict[_Key, Signs]:
    """Return the signs of the differences of all pairs of runs, with shape (resamples, pairs).

    Topics are drawn from those that have all scores. Measures are left out if their means are not the
    arithmetic means of the scores of topics.
    """
    if not resamples:
        return {}
    scores, runs = scores_by_cell(results), results.runs
    keys = list(dict.fromkeys(cell[:2] for cell in scores))
    every = [scores.get((*key, run), {}) for key in keys for run in runs]
    complete = [topic for topic in results.topics if all(topic in own for own in every)]
    if len(complete) < 2:
        return {}
    count = len(complete)
    drawn = [resampled_topics(count, seed, number) for number in range(resamples)]
    weights = np.array([np.bincount(topics, minlength=count) for topics in drawn])
    means_given = {(row.measure, row.user_model, row.run): row.value for row in results.means()}
    orders = {}
    for key in keys:
        if not all(_is_mean(means_given.get((*key, run)), scores[*key, run]) for run in runs):
            continue
        table = score_matrix({run: scores[*key, run] for run in runs}, complete)
        means = np.round(matrix_product(weights, table) / count, DIGITS)
        orders[key] = pair_signs(sign(key[0]) * means)
    return orders


def _is_mean(value: float | None, scores: Mapping[str, float]) -> bool:
    mean = math.fsum(scores.values()) / len(scores)
    return value is not None and math.isclose(mean, value, rel_tol=1e-9, abs_tol=ROUNDING)


def _tau_b_interval(
    orders: dict[_Key, Signs], first: _Key, second: _Key, estimate: float | None
) -> Interval | None:
    """Return the interval of τ-b between two orders; None if one is missing."""
    if estimate is None or first not in orders or second not in orders:
        return None
    return centred_interval(estimate, tau_b(orders[first], orders[second]))
