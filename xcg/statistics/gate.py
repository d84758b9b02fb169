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
from xcg.statistics.baseline_pairs import BaselinePair, Cell, baseline_pairs, scores_by_cell
from xcg.statistics.corrections import adjust
from xcg.statistics.gate_limits import Limits, limit_failures, useless_limits
from xcg.statistics.margins import advantages, evidence, margin_per_topic, not_worse_p
from xcg.statistics.significance import SIGNIFICANCE_LEVEL
from xcg.statistics.significance_tests import PAIRED_TESTS, smallest_p
from xcg.statistics.topic_scores import ROUNDING, check_name, standard_deviation

_NO_LIMITS = Limits()
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


class Failure(NamedTuple):
    """A reason why a gate fails.

    Attributes:
        run: Name of the run.
        measure: Canonical name of the measure.
        user_model: Name of the user model.
        rule: The rule that the run breaks: ``minimum``, ``worse-than``, ``margin``, ``max-drop`` or
            ``max-regressed``.
        text: The reason as one sentence.
    """

    run: str
    measure: str
    user_model: str
    rule: str
    text: str


class Check(NamedTuple):
    """The result of a gate for one run, by one measure under one user model.

    Attributes:
        run: Name of the run.
        measure: Canonical name of the measure.
        user_model: Name of the user model.
        mean: The mean of the run; over the topics of the pair if there is one.
        scores: Scores of the run by topic.
        pair: The scores of the run and of the baseline; None if the run is not compared with one.
        failures: Why the run fails; empty if it passes.
    """

    run: str
    measure: str
    user_model: str
    mean: float
    scores: Mapping[str, float]
    pair: BaselinePair | None
    failures: Sequence[Failure]


@dataclass(frozen=True)
class Verdict:
    """The result of :func:`check_gate`.

    Attributes:
        checks: What was found, in the order of user models, measures and runs.
        notes: What was tested, and what the gate cannot find.
        baseline: Name of the run with which the others were compared.
        failures: A sentence for each reason to fail; empty if the gate passes.
    """

    checks: list[Check]
    notes: list[str]
    baseline: str | None
    failures: list[str]


@dataclass(frozen=True)
class GateComparison(BaselinePair):
    """The test of a run against the baseline of a gate, by one measure under one user model.

    Attributes:
        smallest_p: The smallest p value that the gate can reach if no other comparison shows anything.
        p: p value that decides, corrected over all comparisons of the gate.
        fails: Whether the gate fails because of this comparison.
    """

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
    limits: Limits = _NO_LIMITS,
    is_tested: bool = True,
) -> Verdict:
    """Check that no mean is below its minimum, and no run is worse than the baseline.

    A mean may be lower than its minimum by a rounding error. :func:`gate_comparisons` describes the
    test against the baseline. The limits are compared without a test.

    Args:
        results: Results with scores per topic.
        minimums: Minimum mean of each measure, from :func:`parse_thresholds`.
        baseline: Name of the run with which all other runs are compared, by all measures.
        test: As for :func:`xcg.compare`.
        correction: As for :func:`gate_comparisons`.
        margins: By measure, how much worse than the baseline a run may be.
        allow_unmapped: Number of tolerated problems (see ``lenient`` of :func:`xcg.evaluate`) that may
            pass, at least 0.
        allow_underpowered: Whether comparisons are accepted that cannot change the verdict, because
            there are too few topics, or because no score can exceed a limit.
        exempt: Names of runs to which the minimums do not apply.
        limits: How far means may drop below those of the baseline, and how many topics may become
            worse.
        is_tested: Whether runs fail that are significantly worse than the baseline, or with margins not
            shown to be close to it; otherwise only the limits count.

    Raises:
        UnmappedError: If more problems were tolerated than allowed.
        XcgError: If a measure with a minimum was not evaluated, a run has no score, answers no
            assessed topic or is a greedy reference, the baseline is unknown, or the gate can never
            fail. Missing scores must not pass.
    """
    for measure in limits.measures:
        check_name("measure", measure, results.scope.measures)
    _check_complete(results, minimums, baseline, allow_unmapped)
    failures = _below_minimum(results, minimums, exempt)
    notes: list[str] = []
    pairs: list[BaselinePair] = []
    if baseline is not None and is_tested:
        pairs = _test_baseline(
            results, baseline, test, correction, margins, allow_underpowered, failures, notes
        )
    elif baseline is not None:
        pairs = baseline_pairs(results, baseline, 1)
    if baseline is not None and limits:
        notes.append(f"gate: limits without a test, baseline {baseline}")
        limited = [pair for pair in pairs if limits.apply_to(pair.measure)]
        for problem in (text for pair in limited for text in useless_limits(pair, baseline, limits)):
            if not allow_underpowered:
                raise XcgError(f"{problem}, or --allow-underpowered (allow_underpowered=True)")
            notes.append(f"warning: {problem}")
        for pair in limited:
            for rule, text, losses in limit_failures(pair, baseline, limits):
                lost = f"; lost most on {_lowest(losses, '+.4f', pair.sign)}" if losses else ""
                failures.append(Failure(pair.run, pair.measure, pair.user_model, rule, text + lost))
    compared = [pair for pair in pairs if is_tested or limits.apply_to(pair.measure)]
    limited_runs = [run for run in results.runs if run not in exempt]
    checks = _checks(results, [*minimums], limited_runs, compared, failures)
    return Verdict(checks, notes, baseline, [failure.text for failure in failures])


def _checks(
    results: Results,
    measures: Sequence[str],
    runs: Sequence[str],
    pairs: Sequence[BaselinePair],
    failures: Sequence[Failure],
) -> list[Check]:
    """Return the checks of measures with a minimum for some runs, and of pairs with a baseline."""
    by_cell: dict[Cell, list[Failure]] = {}
    for failure in failures:
        by_cell.setdefault((failure.measure, failure.user_model, failure.run), []).append(failure)
    compared = {(pair.measure, pair.user_model, pair.run): pair for pair in pairs}
    scores = scores_by_cell(results)
    checks = []
    for model, measure, run in product(results.user_models, results.measures, results.runs):
        cell = measure, model, run
        pair = compared.get(cell)
        if pair is None and (measure not in measures or run not in runs):
            continue
        mean = pair.means[0] if pair else results.value(run, measure, user_model=model)
        checks.append(
            Check(run, measure, model, mean, scores.get(cell, {}), pair, by_cell.get(cell, []))
        )
    return checks


def _test_baseline(
    results: Results,
    baseline: str,
    test: str,
    correction: str | None,
    margins: Mapping[str, float] | None,
    allow_underpowered: bool,
    failures: list[Failure],
    notes: list[str],
) -> list[BaselinePair]:
    """Test each run against the baseline, add failures and notes, and return the pairs."""
    found = gate_comparisons(results, baseline, test, correction, margins)
    family = f"{len(found)} comparison{'s' * (len(found) > 1)}"
    if margins is None:
        family = f"{_CORRECTION_NAMES[correction or _DEFAULT_CORRECTION]} over {family}"
    else:
        family = f"one-sided, must hold for {family}"
    level = f"level {100 * SIGNIFICANCE_LEVEL:g} %"
    notes.append(f"gate: {test} test, {family}, {level}, baseline {baseline}")
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
            text = _worse_than_baseline(comparison, baseline, test, family, margin)
            rule = "worse-than" if margin is None else "margin"
            failures.append(
                Failure(comparison.run, comparison.measure, comparison.user_model, rule, text)
            )
    return [*found]


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
    found = [
        _uncorrected(
            GateComparison(pair.run, pair.measure, pair.user_model, pair.scores, pair.baseline_scores),
            test,
            None if margins is None else margins[pair.measure],
        )
        for pair in baseline_pairs(results, baseline)
    ]
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


def _below_minimum(
    results: Results, minimums: Mapping[str, float], exempt: Sequence[str]
) -> list[Failure]:
    failures = []
    scores = scores_by_cell(results)
    for measure, model, run in product(minimums, results.user_models, results.runs):
        mean, minimum = results.value(run, measure, user_model=model), minimums[measure]
        if mean < minimum - ROUNDING and run not in exempt:
            lowest = _lowest(scores.get((measure, model, run), {}), ".4f")
            text = f"{run}, {model}: {measure} is {mean:.4f}, below {minimum:g}; lowest on {lowest}"
            failures.append(Failure(run, measure, model, "minimum", text))
    return failures


def _worse_than_baseline(
    comparison: GateComparison, baseline: str, test: str, family: str, margin: float | None
) -> str:
    """Write why a comparison makes the gate fail."""
    mean, baseline_mean = comparison.means
    p = f"p = {comparison.p:.4f}" if comparison.p >= _SMALLEST_PRINTED else f"p < {_SMALLEST_PRINTED}"
    claim = "worse than" if margin is None else f"not shown to be at most {margin:g} worse than"
    return (
        f"{comparison.run}, {comparison.user_model}: {comparison.measure} is {mean:.4f}, {claim} "
        f"{baseline_mean:.4f} of {baseline} ({p}; {test} test, {len(comparison.scores)} topics, "
        f"{family}); lost most on {_lowest(comparison.differences, '+.4f', comparison.sign)}"
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


def _lowest(values: Mapping[str, float], form: str, sign: int = 1) -> str:
    """Write the topics with the lowest values, or with the highest if sign is negative."""
    topics = sorted(values, key=lambda topic: sign * values[topic])[:_TOPICS_IN_MESSAGE]
    return ", ".join(f"topic {topic} ({values[topic]:{form}})" for topic in topics)
