"""The gate for automatic use: which runs miss a threshold or are worse than a baseline."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

from xcg.errors import UndecidedError, UnmappedError, XcgError
from xcg.evaluation.results import Cell, Results
from xcg.evaluation.scoring import list_topics
from xcg.judgements.recall_base import MEAN, topic_key
from xcg.statistics.gate_rules import (
    Chances,
    Limits,
    Rules,
    broken_rules,
    chance_sentences,
    check_limits,
    gate_chances,
)
from xcg.statistics.significance_tests import (
    CORRECTION_NAMES,
    P_VALUE_CORRECTIONS,
    PAIRED_TESTS,
    SIGNIFICANCE_LEVEL,
    adjust,
    adjusted,
    equal_signs_probability,
    family_p_values,
    smallest_p,
)
from xcg.statistics.topic_scores import (
    ROUNDING,
    BaselinePair,
    Booleans,
    baseline_pairs,
    check_name,
    scores_by_cell,
    standard_deviation,
)
from xcg.tables import p_equation

_NO_LIMITS = Limits()
_TOPICS_IN_MESSAGE = 3


class Failure(NamedTuple):
    """A reason why a gate fails.

    Attributes:
        rule: The rule that is broken: ``minimum``, ``worse-than``, ``max-drop``, ``max-regressed`` or
            ``expected-topics``.
        text: The reason as one sentence.
    """

    rule: str
    text: str


class Check(NamedTuple):
    """The result of a gate for one run, by one measure under one user model.

    Attributes:
        run: Name of the run.
        measure: Canonical name of the measure.
        user_model: Name of the user model.
        mean: The mean of the run; over the topics of the pair if a limit or a test compares it.
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
    """

    checks: list[Check]
    notes: list[str]
    chances: list[str]
    baseline: str | None

    @property
    def failures(self) -> list[str]:
        """A sentence for each reason to fail; empty if the gate passes."""
        return [failure.text for check in self.checks for failure in check.failures]


def check_gate(
    results: Results,
    minimums: Mapping[str, float],
    baseline: str | None = None,
    *,
    test: str = "t",
    correction: str | None = None,
    exempt: Sequence[str] = (),
    limits: Limits = _NO_LIMITS,
    is_tested: bool = True,
    expected_topics: int | Collection[str] | None = None,
) -> Verdict:
    """Check that no mean is below its minimum, and no run is worse than the baseline.

    A mean may be lower than its minimum by a rounding error. Each run is compared with the baseline
    over the topics that both have. The limits are compared without a test.

    With a test, a run fails if it is shown to be worse: its mean is worse, and the two-sided p value is
    below 5 %. Every comparison can make the gate fail, so all of them are one family: the correction is
    applied to all runs, measures and user models together. With Holm's or Bonferroni's method, the
    probability that a test fails although no run is worse is at most 5 %, if the test itself keeps its
    level (see the study of false alarms), and if there is one try: a gate that is repeated until it
    passes, or applied to every commit, fails more often. Limits have no such bound; the notes and
    :class:`xcg.statistics.gate_rules.Chances` state how often an unchanged run fails.

    Args:
        results: Results with scores per topic.
        minimums: Minimum mean of each measure, from :func:`xcg.statistics.gate_rules.parse_thresholds`.
        baseline: Name of the run with which all other runs are compared, by all measures.
        test: As for ``xcg compare``.
        correction: ``"holm"`` (the default), ``"bonferroni"``, ``"fdr_bh"`` or ``"none"``.
        exempt: Names of runs to which the minimums do not apply.
        limits: How far means may drop below those of the baseline, and how many topics may become
            worse.
        is_tested: Whether runs fail that are significantly worse than the baseline; otherwise only the
            limits count.
        expected_topics: The topics that must have scores of all runs, or their smallest number. Without
            it, a warning names the topics that the baseline answers and that have no score.

    Raises:
        UnmappedError: If problems were tolerated.
        UndecidedError: If the gate can never fail.
        XcgError: If a measure with a minimum was not evaluated, a run has no score, answers no
            assessed topic or is a greedy reference, the baseline or another name is unknown, a run
            shares too few topics with the baseline, or no topic is expected. Missing scores must not
            pass.
    """
    check_name("test", test, PAIRED_TESTS)
    correction = correction or "holm"
    check_name("correction", correction, P_VALUE_CORRECTIONS)
    for measure in limits.measures:
        check_name("measure", measure, results.scope.measures)
    _check_complete(results, minimums, baseline)
    for measure, minimum in minimums.items():
        if minimum <= 0 <= min((row.value for row in results if row.measure == measure), default=0.0):
            raise UndecidedError(
                f"by {measure} the gate can never fail: no score is below {minimum:g}; expected a "
                f"minimum above 0, like {measure}=0.3"
            )
    scores = scores_by_cell(results)
    checks, notes = _check_topics(results, baseline, expected_topics)
    failures: dict[Cell, list[Failure]] = {}
    compared: dict[Cell, tuple[BaselinePair, Chances]] = {}
    if baseline is not None:
        pairs = baseline_pairs(results, baseline, 2 if is_tested or limits else 1)
        rules = Rules(minimums, limits, test if is_tested else "", correction)
        failures = _compare(pairs, baseline, rules, notes)
        chances = gate_chances(pairs, [[*scores[pair.cell].values()] for pair in pairs], rules)
        for pair, chance in zip(pairs, chances, strict=True):
            if is_tested or limits.apply_to(pair.measure) or pair.measure in minimums:
                compared[pair.cell] = pair, chance
    for model, measure, run in product(results.user_models, results.measures, results.runs):
        cell = measure, model, run
        pair_or_none, chance = compared.get(cell, (None, Chances(obstacle="no baseline")))
        has_minimum = measure in minimums and run not in exempt
        if pair_or_none is None and not has_minimum:
            continue
        own, mean = scores.get(cell, {}), results.value(run, measure, user_model=model)
        found = failures.get(cell, [])
        if has_minimum and mean < minimums[measure] - ROUNDING:
            text = f"{run}, {model}: {measure} is {mean:.4f}, below {minimums[measure]:g}; lowest on "
            found = [Failure("minimum", text + _lowest(own, ".4f")), *found]
        if pair_or_none is not None and (is_tested or limits.apply_to(measure)):
            mean = pair_or_none.means[0]
        checks.append(Check(run, measure, model, mean, own, pair_or_none, found, chance))
    sentences = [*chance_sentences([*compared.values()], baseline, is_tested and test != "t")]
    notes += [f"gate: {sentence}" for sentence in sentences]
    return Verdict(checks, notes, sentences, baseline)


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
    names = [] if isinstance(expected, int) else [*dict.fromkeys(expected)]
    number = expected if isinstance(expected, int) else len(names)
    if number < 1:
        raise XcgError(f"{number} expected topics: expected at least one")
    missing = [topic for topic in names if topic not in scored]
    found = number - len(missing) if names else min(len(scored), number)
    which = f": not topic {list_topics(missing)}" if missing else ""
    text = f"{found} of {number} expected topics have scores of all runs{which}"
    failures = [Failure("expected-topics", text)] if found < number else []
    where = "all runs", "expected topics", results.user_models[0]
    return [Check(*where, found / number, {}, None, failures, Chances(obstacle="no comparison"))], []


def _compare(
    pairs: Sequence[BaselinePair], baseline: str, rules: Rules, notes: list[str]
) -> dict[Cell, list[Failure]]:
    """Return why runs are worse than the baseline, and add notes."""
    found = [pair.advantages[None] for pair in pairs]
    p_values, family = None, ""
    if rules.test:
        p_values = adjusted(family_p_values(found, rules.test), rules.correction)
        family = f"{CORRECTION_NAMES[rules.correction]} over {len(pairs)} comparison"
        family += "s" * (len(pairs) > 1)
        level = f"level {100 * SIGNIFICANCE_LEVEL:g} %"
        notes.append(f"gate: {rules.test} test, {family}, {level}, baseline {baseline}")
    if rules.limits:
        notes.append(f"gate: limits without a test, baseline {baseline}")
    broken = broken_rules(pairs, found, rules, p_values)
    if p_values is not None:
        _check_power(pairs, rules, family, broken["worse-than"][0])
    failures: dict[Cell, list[Failure]] = {}
    for column, pair in enumerate(pairs):
        check_limits(pair, baseline, rules.limits)
        for rule in ("worse-than", "max-drop", "max-regressed"):
            if rule not in broken or not broken[rule][0, column]:
                continue
            if p_values is not None and rule == "worse-than":
                reason = (
                    f" is {pair.means[0]:.4f}, worse than {pair.means[1]:.4f} of {baseline} (p "
                    f"{p_equation(float(p_values[0, column]))}; {rules.test} test, {len(pair.scores)} "
                    f"topics, {family})"
                )
            else:
                reason = _beyond_limit(pair, baseline, rule, rules.limits)
            lost = _lowest(pair.losses, "+.4f", pair.sign)
            text = f"{pair.run}, {pair.user_model}: {pair.measure}{reason}; lost most on {lost}"
            failures.setdefault(pair.cell, []).append(Failure(rule, text))
    return failures


def _check_power(pairs: Sequence[BaselinePair], rules: Rules, family: str, fails: Booleans) -> None:
    """Raise UndecidedError if a run can never fail by a test."""
    decided = {pair.run for pair, fail in zip(pairs, fails, strict=True) if fail}
    for pair in pairs:
        if pair.run in decided:
            continue  # a run that fails by another comparison needs no power here
        smallest = smallest_p(rules.test, len(pair.scores))
        loss = pair.advantages
        if rules.test == "t" and loss.mean() < 0 and not standard_deviation(loss):
            # t is undefined for equal differences, and its substitute has a lower limit.
            smallest = equal_signs_probability(len(loss))
        smallest = adjust([smallest, *[1.0] * (len(pairs) - 1)], rules.correction)[0]
        if smallest >= SIGNIFICANCE_LEVEL:
            is_t = rules.test == "t"
            raise UndecidedError(
                f"{pair.run}, {pair.user_model}: by {pair.measure} the gate can never fail: the "
                f"{rules.test} test over {len(pair.scores)} topics{' with equal differences' * is_t}, "
                f"{family}, returns at least p = {smallest:.4f}; use more topics, fewer runs, measures "
                f"or user models{'' if is_t else ', or the t test'}"
            )


def _beyond_limit(pair: BaselinePair, baseline: str, rule: str, limits: Limits) -> str:
    mean, baseline_mean = pair.means
    allowed = limits.drop(pair.measure) if rule == "max-drop" else limits.most_regressed(pair.measure)
    assert allowed is not None
    if rule == "max-drop":
        drop = pair.sign * (baseline_mean - mean)
        share = drop / abs(baseline_mean) if baseline_mean else math.inf
        size = f"{100 * share:.4g} %" if allowed.is_relative else f"{drop:.4f}"
        direction = "lower" if pair.sign > 0 else "higher"
        found = f" is {mean:.4f}, {size} {direction} than {baseline_mean:.4f} of {baseline}"
        return f"{found}: at most {allowed} is allowed"
    count = int((pair.advantages < -limits.regressed_by - ROUNDING).sum())
    are = "is" if str(allowed) == "1" else "are"
    return (
        f" is worse than that of {baseline} by more than {limits.regressed_by:g} for {count} "
        f"topic{'s' * (count > 1)} of {len(pair.scores)}: at most {allowed} {are} allowed"
    )


def _check_complete(results: Results, minimums: Mapping[str, float], baseline: str | None) -> None:
    """Raise an error if scores are missing, or based on less data than were given."""
    scope = results.scope
    if scope.tolerated:
        warning = next((note for note in results.notes if note.startswith("warning: ")), "")
        raise UnmappedError(
            "",
            f"{scope.tolerated} results or assessments could not be used"
            f"{warning and '; ' + warning.removeprefix('warning: ')}",
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
