"""Orders of runs: how much they agree between user models or measures."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from xcg.errors import XcgError, nearest
from xcg.evaluation.results import Results


def kendall_tau_b(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Return Kendall's τ-b of two columns of figures: -1 … 1, None where one column is constant.

    Source: Kendall 1945, by scipy (needs the extra ``xcg[statistics]``).

    >>> round(kendall_tau_b([1, 2, 3, 4], [1, 2, 4, 3]), 4)
    0.6667
    """
    try:
        from scipy.stats import kendalltau
    except ImportError:
        raise XcgError("Kendall's τ-b needs scipy: pip install 'xcg[statistics]'") from None
    if len(first) < 2 or len(set(first)) < 2 or len(set(second)) < 2:
        return None  # nothing is ordered
    return float(kendalltau(first, second, variant="b").statistic)


class Shift(NamedTuple):
    """How the order of runs under a user model differs from that under a baseline model.

    tau_b: Kendall's τ-b of the runs' means, None where all are equal. moved: how many runs stand at
    another place. best: the run, or runs, with the highest mean.
    """

    measure: str
    user_model: str
    tau_b: float | None
    moved: int
    best: str


def shifts(results: Results, baseline: str | None = None) -> list[Shift]:
    """Return a line for each measure and user model, against one of the user models.

    baseline: its name, by default the first. Only runs with a figure under both models are compared.
    Raises XcgError for an unknown name, and where there is but one model or one run.
    """
    models = results.user_models
    chosen = models[0] if baseline is None else baseline
    if chosen not in models:
        raise XcgError(f"no user model {chosen!r} among the results: {nearest(chosen, models)}")
    if len(models) < 2:
        raise XcgError("one user model: expected several, or lists of values for its parameters")
    if len(results.runs) < 2:
        raise XcgError("one run has no order: expected several")
    means = {(r.measure, r.user_model, r.run): r.value for r in results.means()}
    found = []
    for measure in results.measures:
        for model in models:
            runs = [
                run
                for run in results.runs
                if (measure, model, run) in means and (measure, chosen, run) in means
            ]
            before = [means[measure, chosen, run] for run in runs]
            after = [means[measure, model, run] for run in runs]
            highest = max(after, default=math.nan)
            found.append(
                Shift(
                    measure,
                    model,
                    kendall_tau_b(before, after),
                    sum(a != b for a, b in zip(places(before), places(after), strict=True)),
                    ", ".join(run for run, value in zip(runs, after, strict=True) if value == highest),
                )
            )
    return found


def places(values: Sequence[float]) -> list[int]:
    """Return the place of each value, 1 for the highest; equal values share a place.

    >>> places([0.5, 0.75, 0.5])
    [2, 1, 2]
    """
    return [1 + sum(other > value for other in values) for value in values]
