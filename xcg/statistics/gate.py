"""A gate for automatic use: which runs fall short of what is asked."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

from xcg.errors import XcgError
from xcg.measures import MEASURES
from xcg.results import Results
from xcg.statistics.significance import compare

LEVEL = 0.05


def limits(texts: Iterable[str]) -> dict[str, float]:
    """Return measure → the least mean, of texts like ``MAep=0.30``.

    Raises XcgError for what is no measure with a number.

    >>> limits(["MAep=0.30", "ep(interpolation=linear)@0.1=0.5"])
    {'MAep': 0.3, 'ep(interpolation=linear)@0.1': 0.5}
    """
    found = {}
    for text in texts:
        name, _, number = text.rpartition("=")
        try:
            least = float(number)
        except ValueError:
            least = math.nan
        if not name or not math.isfinite(least):
            raise XcgError(f"{text!r} is no limit: expected one like MAep=0.30")
        found[str(MEASURES.parse(name))] = least
    return found


def shortfalls(
    results: Results,
    least: Mapping[str, float],
    baseline: str | None = None,
    test: str = "t",
    correction: str = "holm",
) -> list[str]:
    """Return what falls short, a sentence each: means below a limit, runs worse than the baseline.

    A run is worse than the baseline where its mean is lower and the difference is significant at 5 %
    after the correction. Raises XcgError for a limit on a measure that was not evaluated, and for a
    run that has no figure: what is absent is no pass.
    """
    failures = []
    for measure, limit in least.items():
        if measure not in results.measures:
            raise XcgError(f"no figures of {measure}: expected it among the measures")
        for model in results.user_models:
            for run in results.runs:
                mean = results.value(run, measure, user_model=model)
                if mean < limit:
                    failures.append(f"{run}, {model}: {measure} is {mean:.4f}, below {limit:g}")
    if baseline is not None:
        for measure in results.measures:
            for model in results.user_models:
                failures += [
                    f"{line.run}, {model}: {measure} is {line.mean:.4f}, worse than "
                    f"{line.baseline_mean:.4f} of {baseline} (p = {line.p_adjusted:.4f})"
                    for line in compare(results, measure, model, baseline, test, correction)
                    if line.difference < 0 and line.p_adjusted < LEVEL
                ]
    return failures
