"""Read curves horizontally: find the rank at which each run reaches a gain."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from xcg.errors import XcgError, nearest
from xcg.evaluation.curves import IDEAL, CurveOf, curve_measure
from xcg.measures.topic_gains import TOLERANCE


class RankOfValue(NamedTuple):
    """The rank at which a run reaches a value of a curve.

    Attributes:
        run: The run, or the ideal ranking.
        topic: The topic, or ``all`` for the mean curves.
        measure: The measure.
        user_model: The user model.
        reference: The run or ideal ranking that has the value.
        at: The rank at which it has the value.
        value: The value.
        rank: The first rank at which the curve of ``run`` has at least this value; 0 for the value 0;
            None if the curve ends before.
        more_than_ideal: The number of results that ``run`` needs more than the ideal ranking.
        more_than_best: The number that it needs more than the run that reaches the value first.
        times_best: Its rank divided by the rank of that run.
    """

    run: str
    topic: str
    measure: str
    user_model: str
    reference: str
    at: int
    value: float
    rank: int | None
    more_than_ideal: int | None
    more_than_best: int | None
    times_best: float | None


def ranks_of_value(curves: Sequence[CurveOf], at: int, reference: str = "ideal") -> list[RankOfValue]:
    """Find the ranks at which runs reach the value that a reference has at a rank.

    Järvelin and Kekäläinen (2002, section 3.4) read their Figure 1(a) in this way: the best run
    reaches at rank 30, and the worst at rank 90, what the ideal ranking gains at rank 10.

    Args:
        curves: The curves over ranks of runs and of the ideal ranking, as ``curves`` of
            :mod:`xcg.evaluation.curves` returns them with ``with_ideal=True``.
        at: The rank of the reference, at most the last rank of the curves.
        reference: ``ideal``, ``best`` (the run with the highest value at the rank), or a run.

    Returns:
        One entry for each curve, grouped by measure, user model and topic; otherwise in their order.

    Raises:
        XcgError: If a curve is not over ranks or ends before ``at``, or the reference is unknown.

    >>> from xcg.evaluation.curves import curves
    >>> from xcg.evaluation.inputs import Inputs
    >>> inputs = Inputs({"1": {"d": 2, "e": 1}}, {"r": {"1": ["x", "d"]}})
    >>> found = curves(inputs, "xCG", with_ideal=True)
    >>> [(one.run, one.rank) for one in ranks_of_value(found, at=1) if one.topic == "all"]
    [('r', 2), ('ideal ranking', 1)]
    """
    groups: dict[tuple[str, str, str], dict[str, CurveOf]] = {}
    for curve in curves:
        key = (curve.measure, curve.user_model, curve.topic)
        groups.setdefault(key, {})[curve.run] = curve
    return [row for runs in groups.values() for row in _ranks_of_runs(runs, at, reference)]


def _ranks_of_runs(curves: Mapping[str, CurveOf], at: int, reference: str) -> list[RankOfValue]:
    """Return the ranks of all runs for one measure, user model and topic."""
    name = _reference_run(curves, at, reference)
    value = curves[name].y[at - 1]
    ranks = {run: _first_rank(curve.y, value) for run, curve in curves.items()}
    ideal = ranks[IDEAL]
    best = min((rank for run, rank in ranks.items() if run != IDEAL and rank is not None), default=None)
    rows = []
    for run, curve in curves.items():
        rank, is_run = ranks[run], run != IDEAL
        from_best = best if rank is not None and is_run else None
        rows.append(
            RankOfValue(
                *(run, curve.topic, curve.measure, curve.user_model),
                *(name, at, value, rank),
                more_than_ideal=None if rank is None or ideal is None else rank - ideal,
                more_than_best=None if rank is None or from_best is None else rank - from_best,
                times_best=rank / from_best if rank is not None and from_best else None,
            )
        )
    return rows


def _reference_run(curves: Mapping[str, CurveOf], at: int, reference: str) -> str:
    """Check the curves and the rank, and return the name of the reference."""
    curve = next(iter(curves.values()))
    over = curve_measure(curve.measure).curve_over
    if over != "rank":
        raise XcgError(
            f"{curve.measure} is a curve over {over}: expected a measure over ranks, like xCG"
        )
    if not 1 <= at <= len(curve.y):
        raise XcgError(f"rank {at} is not on the curves: expected a rank from 1 to {len(curve.y)}")
    if IDEAL not in curves:
        raise XcgError("no curve of the ideal ranking: compute the curves with with_ideal=True")
    if reference == "ideal":
        return IDEAL
    runs = [run for run in curves if run != IDEAL]
    if reference == "best":
        return max(runs, key=lambda run: curves[run].y[at - 1])
    if reference not in runs:
        legal = ["ideal", "best", *runs]
        raise XcgError(f"unknown reference {reference!r}: {nearest(reference, legal)}")
    return reference


def _first_rank(values: Sequence[float], wanted: float) -> int | None:
    """Return the first rank with at least a value, within the tolerance; 0 for the value 0."""
    if wanted <= 0:
        return 0
    least = wanted * (1 - TOLERANCE)
    return next((rank for rank, value in enumerate(values, 1) if value >= least), None)
