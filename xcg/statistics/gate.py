"""A gate for automatic use: which runs fall short of what is asked."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from xcg.errors import UnmappedError, XcgError, nearest
from xcg.evaluation.results import Results
from xcg.judgements.recall_base import MEAN
from xcg.measures import MEASURES
from xcg.statistics.significance import TIE, compare

LEVEL = 0.05
_WORST = 3  # topics that a message names


def limits(texts: Iterable[str] | Mapping[str, float]) -> dict[str, float]:
    """Return measure → the least mean, of texts like ``MAep=0.30``, or of a mapping.

    Raises XcgError for what is no measure with a number, and a measure of which less is better.

    >>> limits(["MAep=0.30", "ep(interpolation=linear)@0.1=0.5"])
    {'MAep': 0.3, 'ep(interpolation=linear)@0.1': 0.5}
    >>> limits({"nxCG@10": 0.5})
    {'nxCG@10': 0.5}
    """
    pairs = (
        texts.items() if isinstance(texts, Mapping) else [text.rpartition("=")[::2] for text in texts]
    )
    found: dict[str, float] = {}
    for name, number in pairs:
        try:
            least = float(number)
        except (TypeError, ValueError):
            least = math.nan
        if not name or not math.isfinite(least):
            text = f"{name}={number}" if name else number
            raise XcgError(f"{text!r} is no limit: expected one like MAep=0.30")
        measure = str(MEASURES.parse(name))
        if MEASURES.order(measure).lower_is_better:
            raise XcgError(f"{measure} has no lower limit: less of it is better")
        found[measure] = max(least, found.get(measure, least))
    return found


def shortfalls(
    results: Results,
    least: Mapping[str, float],
    baseline: str | None = None,
    test: str = "t",
    correction: str = "holm",
    allow_unmapped: int = 0,
    exempt: Sequence[str] = (),
) -> list[str]:
    """Return what falls short, a sentence each: means below a limit, runs worse than the baseline.

    A run is worse than the baseline where its mean is worse and the difference is significant at 5 %
    after the correction. Figures up to 10⁻¹² below a limit are no shortfall.

    Args:
        results: with figures per topic.
        least: measure → the least mean, as :func:`limits` returns it.
        baseline: the run that no other may be worse than, on any measure.
        test: see :func:`xcg.statistics.significance.compare`.
        correction: see there.
        allow_unmapped: how many wrong data that were tolerated are let pass.
        exempt: the runs that no limit holds for.

    Raises UnmappedError where more was tolerated than is allowed. Raises XcgError for a limit on a
    measure that was not evaluated, a run that has no figure or answers no assessed topic, and an
    unknown baseline: what is absent is no pass.
    """
    _check_complete(results, least, baseline, allow_unmapped)
    failures = []
    for measure, limit in least.items():
        for model in results.user_models:
            for run in results.runs:
                mean = results.value(run, measure, user_model=model)
                if mean < limit - TIE and run not in exempt:
                    lowest = _worst(_by_topic(results, run, measure, model), ".4f")
                    failures.append(
                        f"{run}, {model}: {measure} is {mean:.4f}, below {limit:g}; lowest on {lowest}"
                    )
    if baseline is not None:
        for measure in results.measures:
            sign = -1 if MEASURES.order(measure).lower_is_better else 1
            for model in results.user_models:
                other = _by_topic(results, baseline, measure, model)
                for line in compare(results, measure, model, baseline, test, correction):
                    if sign * line.difference < 0 and line.p_adjusted < LEVEL:
                        own = _by_topic(results, line.run, measure, model)
                        lost = {t: own[t] - other[t] for t in own if t in other}
                        failures.append(
                            f"{line.run}, {model}: {measure} is {line.mean:.4f}, worse than "
                            f"{line.baseline_mean:.4f} of {baseline} (p = {line.p_adjusted:.4f}); "
                            f"lost most on {_worst(lost, '+.4f', sign)}"
                        )
    return failures


def _check_complete(
    results: Results, least: Mapping[str, float], baseline: str | None, allow_unmapped: int
) -> None:
    """Raise where figures are absent, or rest on less data than was given."""
    scope = results.scope
    if scope.tolerated > allow_unmapped:
        warning = next((note for note in results.notes if note.startswith("warning: ")), "")
        raise UnmappedError(
            "",
            f"{scope.tolerated} results or assessments could not be used, and {allow_unmapped} are "
            f"allowed{warning and '; ' + warning.removeprefix('warning: ')}",
        )
    for measure in least:
        if measure not in scope.measures:
            raise XcgError(f"no figures of {measure}: expected it among the measures")
    if baseline is not None and baseline not in scope.runs:
        raise XcgError(f"no run {baseline!r}: {nearest(baseline, scope.runs)}")
    if scope.unanswering:
        raise XcgError(f"run {scope.unanswering[0]} answers no assessed topic: expected its results")
    present = {(row.run, row.measure, row.user_model) for row in results if row.topic == MEAN}
    for model in scope.user_models:
        for measure in scope.measures if baseline is not None else least:
            for run in scope.runs:
                if (run, measure, model) not in present:
                    missing = f"run {run} has no figure of {measure} under {model}"
                    raise XcgError(f"{missing}: there is no topic to average over")


def _by_topic(results: Results, run: str, measure: str, model: str) -> dict[str, float]:
    wanted = (run, measure, model)
    return {
        row.topic: row.value
        for row in results
        if (row.run, row.measure, row.user_model) == wanted and row.topic != MEAN
    }


def _worst(figures: Mapping[str, float], form: str, sign: int = 1) -> str:
    """Name the topics with the worst figures, and these."""
    worst = sorted(figures, key=lambda topic: sign * figures[topic])[:_WORST]
    return ", ".join(f"topic {topic} ({figures[topic]:{form}})" for topic in worst)
