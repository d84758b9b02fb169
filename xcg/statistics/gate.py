"""The gate for automatic use: which runs miss a threshold or are worse than a baseline."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, NamedTuple

from xcg.errors import UnmappedError, XcgError, nearest
from xcg.evaluation.results import Results
from xcg.judgements.recall_base import MEAN
from xcg.measures import MEASURES
from xcg.statistics.families import adjust
from xcg.statistics.margins import advantages, evidence, margin_per_topic, not_worse_p
from xcg.statistics.significance import SIGNIFICANCE_LEVEL
from xcg.statistics.significance_tests import PAIRED_TESTS, smallest_p
from xcg.statistics.topic_scores import ROUNDING, check_name, standard_deviation

_TOPICS_IN_MESSAGE = 3
_SMALLEST_PRINTED = 0.0001
_DEFAULT_CORRECTION = "holm"
_CORRECTION_NAMES = {
    "holm": "Holm",
    "bonferroni": "Bonferroni",
    "fdr_bh": "Benjamini and Hochberg",
    "none": "no correction",
}


def parse_thresholds(thresholds: Iterable[str] | Mapping[str, float]) -> dict[str, float]:
    """Return the minimum mean of each measure.

    Args:
        thresholds: Texts like ``"MAep=0.30"``, or a mapping of measures to minimums. Of several
            minimums of a measure, the highest counts.

    Returns:
        Minimums by canonical name.

    Raises:
        XcgError: If a measure is unknown or lower-is-better, or a minimum is not a finite number.

    >>> parse_thresholds(["MAep=0.30", "ep(interpolation=linear)@0.1=0.5"])
    {'MAep': 0.3, 'ep(interpolation=linear)@0.1': 0.5}
    >>> parse_thresholds({"nxCG@10": 0.5})
    {'nxCG@10': 0.5}
    """
    if isinstance(thresholds, Mapping):
        pairs: Iterable[Sequence[Any]] = thresholds.items()
    else:
        pairs = [text.rpartition("=")[::2] for text in thresholds]
    minimums: dict[str, float] = {}
    for name, value in pairs:
        try:
            minimum = float(value)
        except (TypeError, ValueError):
            minimum = math.nan
        if not name or not math.isfinite(minimum):
            text = f"{name}={value}" if name else value
            raise XcgError(
                f"illegal threshold {text!r}: expected a measure and its minimum, like MAep=0.30"
            )
        measure = str(MEASURES.parse(name))
        if MEASURES.order(measure).lower_is_better:
            raise XcgError(f"{measure} is lower-is-better: it cannot have a minimum threshold")
        minimums[measure] = max(minimum, minimums.get(measure, minimum))
    return minimums


class Verdict(NamedTuple):
    """The result of :func:`check_gate`.

    Attributes:
        failures: A sentence for each reason to fail; empty if the gate passes.
        notes: What was tested, and what the gate cannot find.
    """

    failures: list[str]
    notes: list[str]


@dataclass(frozen=True)
class GateComparison:
    """The comparison of a run with the baseline of a gate, by one measure under one user model.

    Attributes:
        run: Name of the run.
        measure: Canonical name of the measure.
        user_model: Name of the user model.
        scores: Scores of the run for the topics that the baseline has too, by topic.
        baseline_scores: Scores of the baseline for the same topics.
        smallest_p: The smallest p value that the gate can reach if no other comparison shows anything.
        p: p value that decides, corrected over all comparisons of the gate.
        fails: Whether the gate fails because of this comparison.
    """

    run: str
    measure: str
    user_model: str
    scores: dict[str, float]
    baseline_scores: dict[str, float]
    smallest_p: float = 0.0
    p: float = 1.0
    fails: bool = False


def check_gate(
    results: Results,
    minimums: Mapping[str, float],
    baseline: str | None = None,
    *,
    test: str = "t",
    correction: str | None = None,
    margins: Mapping[str, float] | None = None,
    allow_unmapped: int = 0,
    allow_underpowered: bool = False,
    exempt: Sequence[str] = (),
) -> Verdict:
    """Check that no mean is below its minimum, and no run is worse than the baseline.

    A mean may be lower than its minimum by a rounding error. :func:`gate_comparisons` describes the
    comparison with the baseline.

    Args:
        results: Results with scores per topic.
        minimums: Minimum mean of each measure, from :func:`parse_thresholds`.
        baseline: Name of the run that no other run may be worse than, by any measure.
        test: As for :func:`xcg.compare`.
        correction: As for :func:`gate_comparisons`.
        margins: By measure, how much worse than the baseline a run may be.
        allow_unmapped: Number of tolerated problems (see ``lenient`` of :func:`xcg.evaluate`) that may
            pass, at least 0.
        allow_underpowered: Whether comparisons are accepted that cannot change the verdict, because
            there are too few topics.
        exempt: Names of runs to which the minimums do not apply.

    Raises:
        UnmappedError: If more problems were tolerated than allowed.
        XcgError: If a measure with a minimum was not evaluated, a run has no score, answers no
            assessed topic or is a reference point, the baseline is unknown, or there are too few topics
            for the test. Missing scores must not pass.
    """
    _check_complete(results, minimums, baseline, allow_unmapped)
    failures = _below_minimum(results, minimums, exempt)
    if baseline is None:
        return Verdict(failures, [])
    found = gate_comparisons(results, baseline, test, correction, margins)
    family = f"{len(found)} comparison{'s' * (len(found) > 1)}"
    if margins is None:
        family = f"{_CORRECTION_NAMES[correction or _DEFAULT_CORRECTION]} over {family}"
    else:
        family = f"one-sided, must hold for {family}"
    notes = [f"gate: {test} test, {family}, level {100 * SIGNIFICANCE_LEVEL:g} %, baseline {baseline}"]
    # A run that fails by another comparison needs no power here.
    decided = {line.run for line in found if line.fails} if margins is None else set()
    undecided = [line for line in found if line.run not in decided]
    weakest = max(undecided, key=lambda line: line.smallest_p, default=None)
    if weakest is not None and weakest.smallest_p >= SIGNIFICANCE_LEVEL:
        verdict = "fail" if margins is None else "pass"
        problem = (
            f"{weakest.run}, {weakest.user_model}: by {weakest.measure} the gate can never {verdict}: "
            f"the {test} test over {len(weakest.scores)} topics"
            f"{' with equal differences' if test == 't' else ''}, {family}, returns at least "
            f"p = {weakest.smallest_p:.4f}"
        )
        if not allow_underpowered:
            raise XcgError(
                f"{problem}; use more topics, fewer runs, measures or user models, "
                f"{'' if test == 't' else 'the t test, '}"
                "or --allow-underpowered (allow_underpowered=True)"
            )
        notes.append(f"warning: {problem}")
    for comparison in found:
        if comparison.fails:
            margin = None if margins is None else margins[comparison.measure]
            failures.append(_worse_than_baseline(comparison, baseline, test, family, margin))
    return Verdict(failures, notes)


def gate_comparisons(
    results: Results,
    baseline: str,
    test: str = "t",
    correction: str | None = None,
    margins: Mapping[str, float] | None = None,
) -> list[GateComparison]:
    """Compare each run with the baseline of a gate, by all measures under all user models.

    Each run is compared over the topics that it shares with the baseline.

    Without margins, a run fails if it is shown to be worse: its mean is worse, and the two-sided p
    value is below 5 %. Every comparison can make the gate fail, so all of them are one family: the
    correction is applied to all runs, measures and user models together. With Holm's or Bonferroni's
    method, the probability that a gate of equally good runs fails is at most 5 %.

    With margins, a run fails unless it is shown to be at most the margin worse: its one-sided p value
    (see :func:`xcg.statistics.margins.not_worse_p`) must be below 5 %. The gate passes only if every
    comparison shows this. Therefore no correction is needed: the probability that a gate passes
    although a run is worse by the margin is at most 5 % (intersection-union test, Berger 1982).

    Args:
        results: Results with scores per topic.
        baseline: Name of a run.
        test: As for :func:`xcg.compare`.
        correction: ``"holm"`` (the default), ``"bonferroni"``, ``"fdr_bh"`` or ``"none"``; without an
            effect if there are margins.
        margins: By measure, how much worse than the baseline a run may be.

    Returns:
        The comparisons in the order of measures, user models and runs.

    Raises:
        XcgError: If a name is unknown, there is no other run, or a run shares fewer than two topics
            with the baseline.
    """
    check_name("test", test, PAIRED_TESTS)
    correction = correction or _DEFAULT_CORRECTION
    check_name("correction", correction, _CORRECTION_NAMES)
    check_name("run", baseline, results.runs)
    if len(results.runs) < 2:
        raise XcgError(f"no run to compare with {baseline}: expected at least two runs")
    scores: dict[tuple[str, str, str], dict[str, float]] = {}
    for row in results:
        if row.topic != MEAN:
            scores.setdefault((row.measure, row.user_model, row.run), {})[row.topic] = row.value
    found = []
    for measure, model, run in product(results.measures, results.user_models, results.runs):
        if run == baseline:
            continue
        first = scores.get((measure, model, run), {})
        second = scores.get((measure, model, baseline), {})
        topics = [topic for topic in first if topic in second]
        if len(topics) < 2:
            raise XcgError(
                f"{run} and {baseline} share {len(topics)} topics with scores of {measure} under "
                f"{model}: expected at least two"
            )
        pair = tuple({topic: values[topic] for topic in topics} for values in (first, second))
        margin = None if margins is None else margins[measure]
        found.append(_uncorrected(GateComparison(run, measure, model, pair[0], pair[1]), test, margin))
    if margins is not None:
        return found
    others = [1.0] * (len(found) - 1)
    smallest = {p: adjust([p, *others], correction)[0] for p in {line.smallest_p for line in found}}
    adjusted = adjust([line.p for line in found], correction)
    return [
        replace(
            line,
            smallest_p=smallest[line.smallest_p],
            p=p,
            fails=line.fails and p < SIGNIFICANCE_LEVEL,
        )
        for line, p in zip(found, adjusted, strict=True)
    ]


def _uncorrected(comparison: GateComparison, test: str, margin: float | None) -> GateComparison:
    """Return the comparison with the p values of its test, before any correction."""
    scores, baseline_scores = comparison.scores.values(), comparison.baseline_scores.values()
    found = advantages(comparison.measure, list(scores), list(baseline_scores))
    topics = len(found)
    smallest = smallest_p(test, topics)
    if margin is not None:
        p = not_worse_p(test, found, margin_per_topic(comparison.measure, margin, topics))
        return replace(comparison, smallest_p=smallest / 2, p=p, fails=p >= SIGNIFICANCE_LEVEL)
    p = PAIRED_TESTS[test](found.tolist(), [0.0] * topics)
    worse = bool(found.mean() < 0 and evidence(test, found) < 0)
    if test == "t" and worse and not standard_deviation(found):
        smallest = p  # t is undefined for equal differences, and its substitute has a lower limit
    return replace(comparison, smallest_p=smallest, p=p, fails=worse)


def _below_minimum(results: Results, minimums: Mapping[str, float], exempt: Sequence[str]) -> list[str]:
    failures = []
    for measure, model, run in product(minimums, results.user_models, results.runs):
        mean, minimum = results.value(run, measure, user_model=model), minimums[measure]
        if mean < minimum - ROUNDING and run not in exempt:
            lowest = _lowest(_scores_by_topic(results, run, measure, model), ".4f")
            failures.append(
                f"{run}, {model}: {measure} is {mean:.4f}, below {minimum:g}; lowest on {lowest}"
            )
    return failures


def _worse_than_baseline(
    comparison: GateComparison, baseline: str, test: str, family: str, margin: float | None
) -> str:
    """Write why a comparison makes the gate fail."""
    measure, scores = comparison.measure, comparison.scores
    topics = len(scores)
    divisor = 1 if MEASURES.is_count(measure) else topics
    mean = math.fsum(scores.values()) / divisor
    baseline_mean = math.fsum(comparison.baseline_scores.values()) / divisor
    losses = {topic: scores[topic] - comparison.baseline_scores[topic] for topic in scores}
    sign = -1 if MEASURES.order(measure).lower_is_better else 1
    p = f"p = {comparison.p:.4f}" if comparison.p >= _SMALLEST_PRINTED else f"p < {_SMALLEST_PRINTED}"
    claim = "worse than" if margin is None else f"not shown to be at most {margin:g} worse than"
    return (
        f"{comparison.run}, {comparison.user_model}: {measure} is {mean:.4f}, {claim} "
        f"{baseline_mean:.4f} of {baseline} ({p}; {test} test, {topics} topics, {family}); "
        f"lost most on {_lowest(losses, '+.4f', sign)}"
    )


def _check_complete(
    results: Results, minimums: Mapping[str, float], baseline: str | None, allow_unmapped: int
) -> None:
    """Raise an error if scores are missing, or based on less data than were given."""
    scope = results.scope
    if scope.tolerated > allow_unmapped:
        warning = next((note for note in results.notes if note.startswith("warning: ")), "")
        raise UnmappedError(
            "",
            f"{scope.tolerated} results or assessments could not be used, and {allow_unmapped} are "
            f"allowed{warning and '; ' + warning.removeprefix('warning: ')}",
        )
    for measure in minimums:
        if measure not in scope.measures:
            raise XcgError(f"no scores of {measure}: expected it among the measures")
    if baseline is not None and baseline not in scope.runs:
        raise XcgError(f"no run {baseline!r}: {nearest(baseline, scope.runs)}")
    if scope.references:
        raise XcgError(
            f"{scope.references[0]} is ordered with the assessments, so a gate cannot test it or "
            "compare runs with it: expected other strategies"
        )
    if scope.unanswering:
        raise XcgError(f"run {scope.unanswering[0]} answers no assessed topic: expected its results")
    means = {(row.run, row.measure, row.user_model) for row in results if row.topic == MEAN}
    checked = scope.measures if baseline is not None else minimums
    for model, measure, run in product(scope.user_models, checked, scope.runs):
        if (run, measure, model) not in means:
            raise XcgError(
                f"run {run} has no score of {measure} under {model}: there is no topic to average over"
            )


def _scores_by_topic(results: Results, run: str, measure: str, model: str) -> dict[str, float]:
    return {
        row.topic: row.value
        for row in results
        if (row.run, row.measure, row.user_model) == (run, measure, model) and row.topic != MEAN
    }


def _lowest(values: Mapping[str, float], form: str, sign: int = 1) -> str:
    """Write the topics with the lowest values, or with the highest if sign is negative."""
    topics = sorted(values, key=lambda topic: sign * values[topic])[:_TOPICS_IN_MESSAGE]
    return ", ".join(f"topic {topic} ({values[topic]:{form}})" for topic in topics)
