"""The gate for automatic use: which runs miss a threshold or are worse than a baseline."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from operator import itemgetter
from typing import NamedTuple

from xcg.errors import UndecidedError, UnmappedError, XcgError
from xcg.evaluation.results import Cell, Results
from xcg.evaluation.scoring import list_topics
from xcg.judgements.recall_base import MEAN, topic_key
from xcg.lazy_modules import np
from xcg.statistics.corrections import CORRECTION_NAMES, P_VALUE_CORRECTIONS, SIGNIFICANCE_LEVEL, adjust
from xcg.statistics.gate_rules import (
    Chances,
    Limits,
    Rules,
    broken_rules,
    chance_sentences,
    deciding_p_values,
    gate_chances,
    useless_limits,
)
from xcg.statistics.significance_tests import PAIRED_TESTS, equal_signs_probability, smallest_p
from xcg.statistics.topic_scores import (
    ROUNDING,
    BaselinePair,
    Booleans,
    baseline_pairs,
    check_name,
    scores_by_cell,
    standard_deviation,
)

_NO_LIMITS = Limits()
_TOPICS_IN_MESSAGE = 3
_SMALLEST_PRINTED = 0.0001
_UNDERPOWERED = "or --set gate.allow_underpowered=true"


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
        chances: How often an unchanged run fails, and the loss that the gate finds.
    """

    run: str
    measure: str
    user_model: str
    mean: float
    scores: Mapping[str, float]
    pair: BaselinePair | None
    failures: Sequence[Failure]
    chances: Chances


@dataclass(frozen=True)
class Verdict:
    """The result of :func:`check_gate`.

    Attributes:
        checks: What was found, in the order of user models, measures and runs.
        notes: What was tested, and what the gate cannot find.
        chances: How often an unchanged run fails, and which loss is found: a sentence for each run.
        baseline: Name of the run with which the others were compared.
        failures: A sentence for each reason to fail; empty if the gate passes.
    """

    checks: list[Check]
    notes: list[str]
    chances: list[str]
    baseline: str | None
    failures: list[str]


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
    expected_topics: int | Collection[str] | None = None,
) -> Verdict:
    """Check that no mean is below its minimum, and no run is worse than the baseline.

    A mean may be lower than its minimum by a rounding error. Each run is compared with the baseline
    over the topics that both have. The limits are compared without a test.

    Without margins, a run fails if it is shown to be worse: its mean is worse, and the two-sided p
    value is below 5 %. Every comparison can make the gate fail, so all of them are one family: the
    correction is applied to all runs, measures and user models together. With Holm's or Bonferroni's
    method, the probability that a test fails although no run is worse is at most 5 %, if the test
    itself keeps its level (see the study of false alarms), and if there is one try: a gate that is
    repeated until it passes, or applied to every commit, fails more often. Limits have no such bound;
    the notes and :class:`xcg.statistics.gate_rules.Chances` state how often an unchanged run fails.

    With margins, a run fails unless it is shown to be at most the margin worse: its one-sided p value
    (see :func:`xcg.statistics.corrections.not_worse_p`) must be below 5 %. The gate passes only if
    every comparison shows this. Therefore no correction is needed: the probability that a gate passes
    although a run is worse by the margin is at most 5 % (intersection-union test, Berger 1982).

    Args:
        results: Results with scores per topic.
        minimums: Minimum mean of each measure, from :func:`parse_thresholds`.
        baseline: Name of the run with which all other runs are compared, by all measures.
        test: As for ``xcg compare``.
        correction: ``"holm"`` (the default), ``"bonferroni"``, ``"fdr_bh"`` or ``"none"``; without an
            effect if there are margins.
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
        expected_topics: The topics that must have scores of all runs, or their smallest number; or a
            text with one of these. Without it, a warning names the topics that the baseline answers and
            that have no score.

    Raises:
        UnmappedError: If more problems were tolerated than allowed.
        XcgError: If a measure with a minimum was not evaluated, a run has no score, answers no
            assessed topic or is a greedy reference, the baseline or another name is unknown, a run
            shares too few topics with the baseline, no topic is expected, or the gate can never fail.
            Missing scores must not pass.
    """
    check_name("test", test, PAIRED_TESTS)
    correction = correction or "holm"
    check_name("correction", correction, P_VALUE_CORRECTIONS)
    for measure in limits.measures:
        check_name("measure", measure, results.scope.measures)
    _check_complete(results, minimums, baseline, allow_unmapped)
    scores = scores_by_cell(results)
    failures = _below_minimum(results, scores, minimums, exempt)
    problems = []
    for measure, minimum in minimums.items():
        if minimum <= 0 <= min((row.value for row in results if row.measure == measure), default=0.0):
            problem = f"by {measure} the gate can never fail: no score is below {minimum:g}"
            problems.append((problem, f"expected a minimum above 0, like {measure}=0.3"))
    topic_checks, notes = _check_topics(results, baseline, expected_topics)
    failures += [failure for check in topic_checks for failure in check.failures]
    pairs: list[BaselinePair] = []
    chances: list[Chances] = []
    if baseline is not None:
        pairs = baseline_pairs(results, baseline, 2 if is_tested else 1)
        rules = Rules(minimums, limits, test if is_tested else "", correction, margins)
        failures += _compare(pairs, baseline, rules, notes, problems)
        own_scores = [[*scores[p.measure, p.user_model, p.run].values()] for p in pairs]
        chances = gate_chances(pairs, own_scores, rules)
    for problem, advice in problems:
        if not allow_underpowered:
            raise UndecidedError(f"{problem}; {advice}, {_UNDERPOWERED}")
        notes.append(f"warning: {problem}")
    compared = {
        (pair.measure, pair.user_model, pair.run): (pair, chance)
        for pair, chance in zip(pairs, chances, strict=True)
        if is_tested or limits.apply_to(pair.measure)
    }
    sentences = [*chance_sentences([*compared.values()], baseline, is_tested and test != "t")]
    notes += [f"gate: {sentence}" for sentence in sentences]
    checks = [*topic_checks, *_checks(results, scores, minimums, exempt, compared, failures)]
    return Verdict(checks, notes, sentences, baseline, [failure.text for failure in failures])


def _check_topics(
    results: Results, baseline: str | None, expected: int | Collection[str] | None
) -> tuple[list[Check], list[str]]:
    """Check that expected topics have scores, or warn of topics that only the baseline has."""
    by_run: dict[str, set[str]] = {run: set() for run in results.runs}
    for row in results:
        by_run[row.run].add(row.topic)
    scored = set.intersection(*by_run.values()) - {MEAN}
    if expected is None:
        lost = set(results.scope.answered.get(baseline or "", ())) - scored
        note = (
            f"warning: {baseline} answers topics without scores: topic "
            f"{list_topics(sorted(lost, key=topic_key))}; --expected-topics (expected_topics) states "
            "which topics must have some"
        )
        return [], [note] if lost else []
    if isinstance(expected, str):
        expected = int(expected) if expected.isdecimal() else expected.replace(",", " ").split()
    names = [] if isinstance(expected, int) else [*dict.fromkeys(expected)]
    number = expected if isinstance(expected, int) else len(names)
    if number < 1:
        raise XcgError(f"{number} expected topics: expected at least one")
    missing = [topic for topic in names if topic not in scored]
    found = number - len(missing) if names else min(len(scored), number)
    which = f": not topic {list_topics(missing)}" if missing else ""
    text = f"{found} of {number} expected topics have scores of all runs{which}"
    where = "all runs", "expected topics", results.user_models[0]
    failures = [Failure(*where, "expected-topics", text)] if found < number else []
    return [Check(*where, found / number, {}, None, failures, Chances(obstacle="no comparison"))], []


def _compare(
    pairs: Sequence[BaselinePair],
    baseline: str,
    rules: Rules,
    notes: list[str],
    problems: list[tuple[str, str]],
) -> Iterator[Failure]:
    """Yield why runs are worse than the baseline; add notes, and problems with advice."""
    found = [pair.advantages[None] for pair in pairs]
    p_values, family = None, ""
    if rules.test:
        p_values = deciding_p_values(pairs, found, rules)
        family = f"{len(pairs)} comparison{'s' * (len(pairs) > 1)}"
        if rules.margins is None:
            family = f"{CORRECTION_NAMES[rules.correction]} over {family}"
        else:
            family = f"one-sided, must hold for {family}"
        level = f"level {100 * SIGNIFICANCE_LEVEL:g} %"
        notes.append(f"gate: {rules.test} test, {family}, {level}, baseline {baseline}")
    broken = broken_rules(pairs, found, rules, p_values)
    if p_values is not None:
        fails = broken["worse-than" if rules.margins is None else "margin"][0]
        problems += _without_power(pairs, rules, family, fails)
        for column in np.flatnonzero(fails).tolist():
            p = float(p_values[0, column])
            yield _worse_than_baseline(pairs[column], baseline, rules, family, p)
    if rules.limits:
        notes.append(f"gate: limits without a test, baseline {baseline}")
    for column, pair in enumerate(pairs):
        problems += useless_limits(pair, baseline, rules.limits)
        for rule in ("max-drop", "max-regressed"):
            if broken[rule][0, column]:
                yield _beyond_limit(pair, baseline, rule, rules.limits)


def _without_power(
    pairs: Sequence[BaselinePair], rules: Rules, family: str, fails: Booleans
) -> Iterator[tuple[str, str]]:
    """Yield a message if a run can never fail (with margins: pass) by a test, with advice."""
    decided = {pair.run for pair, fail in zip(pairs, fails, strict=True) if fail}
    found = []
    for pair in pairs:
        if rules.margins is None and pair.run in decided:
            continue  # a run that fails by another comparison needs no power here
        smallest = smallest_p(rules.test, len(pair.scores))
        if rules.margins is not None:
            smallest /= 2
        else:
            loss = pair.advantages
            if rules.test == "t" and loss.mean() < 0 and not standard_deviation(loss):
                # t is undefined for equal differences, and its substitute has a lower limit.
                smallest = equal_signs_probability(len(loss))
            smallest = adjust([smallest, *[1.0] * (len(pairs) - 1)], rules.correction)[0]
        found.append((smallest, pair))
    if not found or max(found, key=itemgetter(0))[0] < SIGNIFICANCE_LEVEL:
        return
    largest, weakest = max(found, key=itemgetter(0))
    verdict = "fail" if rules.margins is None else "pass"
    is_t = rules.test == "t"
    yield (
        f"{weakest.run}, {weakest.user_model}: by {weakest.measure} the gate can never {verdict}: "
        f"the {rules.test} test over {len(weakest.scores)} topics"
        f"{' with equal differences' * is_t}, {family}, returns at least p = {largest:.4f}",
        f"use more topics, fewer runs, measures or user models{'' if is_t else ', the t test'}",
    )


def _worse_than_baseline(
    pair: BaselinePair, baseline: str, rules: Rules, family: str, p_value: float
) -> Failure:
    mean, baseline_mean = pair.means
    p = f"p = {p_value:.4f}" if p_value >= _SMALLEST_PRINTED else f"p < {_SMALLEST_PRINTED}"
    claim = "worse than"
    if rules.margins is not None:
        claim = f"not shown to be at most {rules.margins[pair.measure]:g} worse than"
    return _failure(
        pair,
        "worse-than" if rules.margins is None else "margin",
        f" is {mean:.4f}, {claim} {baseline_mean:.4f} of {baseline} ({p}; {rules.test} test, "
        f"{len(pair.scores)} topics, {family}); lost most on "
        f"{_lowest(pair.differences, '+.4f', pair.sign)}",
    )


def _beyond_limit(pair: BaselinePair, baseline: str, rule: str, limits: Limits) -> Failure:
    mean, baseline_mean = pair.means
    allowed = limits.drop(pair.measure) if rule == "max-drop" else limits.most_regressed(pair.measure)
    assert allowed is not None
    lost = _lowest(pair.losses, "+.4f", pair.sign)
    if rule == "max-drop":
        drop = pair.sign * (baseline_mean - mean)
        share = drop / abs(baseline_mean) if baseline_mean else math.inf
        size = f"{100 * share:.4g} %" if allowed.is_relative else f"{drop:.4f}"
        direction = "lower" if pair.sign > 0 else "higher"
        found = f" is {mean:.4f}, {size} {direction} than {baseline_mean:.4f} of {baseline}"
        return _failure(pair, rule, f"{found}: at most {allowed} is allowed; lost most on {lost}")
    count = int((pair.advantages < -limits.regressed_by - ROUNDING).sum())
    found = f"{count} topic{'s' * (count > 1)} of {len(pair.scores)}"
    are = "is" if str(allowed) == "1" else "are"
    return _failure(
        pair,
        rule,
        f" is worse than that of {baseline} by more than {limits.regressed_by:g} for {found}: "
        f"at most {allowed} {are} allowed; lost most on {lost}",
    )


def _failure(pair: BaselinePair, rule: str, reason: str) -> Failure:
    text = f"{pair.run}, {pair.user_model}: {pair.measure}{reason}"
    return Failure(pair.run, pair.measure, pair.user_model, rule, text)


def _checks(
    results: Results,
    scores: Mapping[Cell, Mapping[str, float]],
    minimums: Mapping[str, float],
    exempt: Sequence[str],
    compared: Mapping[Cell, tuple[BaselinePair, Chances]],
    failures: Sequence[Failure],
) -> list[Check]:
    """Return the checks of measures with a minimum for some runs, and of pairs with a baseline."""
    checks = []
    for model, measure, run in product(results.user_models, results.measures, results.runs):
        cell = measure, model, run
        pair, chances = compared.get(cell, (None, Chances(obstacle="no baseline")))
        if pair is None and (measure not in minimums or run in exempt):
            continue
        mean = pair.means[0] if pair else results.value(run, measure, user_model=model)
        own = scores.get(cell, {})
        failed = [failure for failure in failures if failure[:3] == (run, measure, model)]
        checks.append(Check(run, measure, model, mean, own, pair, failed, chances))
    return checks


def _below_minimum(
    results: Results,
    scores: Mapping[Cell, Mapping[str, float]],
    minimums: Mapping[str, float],
    exempt: Sequence[str],
) -> list[Failure]:
    failures = []
    for measure, model, run in product(minimums, results.user_models, results.runs):
        mean, minimum = results.value(run, measure, user_model=model), minimums[measure]
        if mean < minimum - ROUNDING and run not in exempt:
            lowest = _lowest(scores.get((measure, model, run), {}), ".4f")
            text = f"{run}, {model}: {measure} is {mean:.4f}, below {minimum:g}; lowest on {lowest}"
            failures.append(Failure(run, measure, model, "minimum", text))
    return failures


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
