"""False-alarm rates and power of tests, corrections and gates on the scores of a campaign.

An A/A study: the scores of each topic are exchanged among the runs at random. Then all runs are equally
good, and every significant difference is a false alarm. Topics, the distribution of scores in each
topic, and the dependence between measures and user models stay as they are.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import NamedTuple

from xcg.errors import XcgError
from xcg.evaluation.parallel import ONE_PROCESS, Executor
from xcg.evaluation.results import Results
from xcg.lazy_modules import np
from xcg.measures import MEASURES
from xcg.statistics.corrections import P_VALUE_CORRECTIONS
from xcg.statistics.decisions import (
    Booleans,
    IndexPair,
    are_losses,
    exchange,
    pair_differences,
    paired_significant,
    tukey_significant,
)
from xcg.statistics.margins import margin_per_topic
from xcg.statistics.proportions import Proportion, proportion
from xcg.statistics.run_pairs import ALL_PAIRS, BEST
from xcg.statistics.significance import CORRECTIONS, SIGNIFICANCE_LEVEL
from xcg.statistics.significance_tests import PAIRED_TESTS, smallest_p
from xcg.statistics.topic_scores import ROUNDING, Floats, check_name, common_scores, scores_by_run

CAMPAIGNS = 1000
ALL = "all"
NAMED = "named baseline"
PAIRS = "all pairs"
GATE = "gate"
IF_EQUAL = "if spreads are equal"
"""The condition of each verdict: exchanged runs have scores with the same distribution."""
_MAX_SCORES_IN_MEMORY = 4_000_000
_MAX_CAMPAIGNS_AT_ONCE = 250
_TUKEY_TESTS = ("t", "randomisation")

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class ErrorRate:
    """How often a procedure finds a difference in exchanged campaigns.

    Attributes:
        measure: Canonical name of the measure; ``"all"`` for a gate.
        user_model: Name of the user model; ``"all"`` for a gate.
        procedure: ``"named baseline"``, ``"all pairs"`` or ``"gate"``, which compares runs with a
            baseline by all measures under all user models.
        baseline: Name of the baseline; empty for all pairs.
        test: Name of the test.
        correction: Name of the correction.
        comparisons: Number of comparisons in the family.
        difference: The constant added to the scores of one run; 0 for a false-alarm rate.
        campaigns: Number of exchanged campaigns.
        found: Number of campaigns with a false alarm or, with a difference, that detected it.
        rate: found / campaigns, which is the false-alarm rate or the power.
        low: Lower limit of the 95 % interval of the rate (Clopper and Pearson 1934).
        high: Upper limit.
        verdict: Compares the interval of a false-alarm rate with the level of 5 %: ``"above 5 %"``,
            ``"below 5 %, if spreads are equal"`` or ``"5 % is possible, if spreads are equal"``: the
            exchange gives all runs the same spread, so it cannot see false alarms from unequal spreads.
            ``"no power"`` if no comparison of the family can be significant with so few topics. Empty
            with a difference.
    """

    measure: str
    user_model: str
    procedure: str
    baseline: str
    test: str
    correction: str
    comparisons: int
    difference: float
    campaigns: int
    found: int
    rate: float
    low: float
    high: float
    verdict: str


class _Family(NamedTuple):
    """The scores by one measure under one user model: an array of shape (topics, runs)."""

    measure: str
    user_model: str
    scores: Floats

    @property
    def runs(self) -> list[int]:
        """The runs with scores."""
        return [int(run) for run in np.flatnonzero(~np.isnan(self.scores).all(axis=0))]

    @property
    def complete(self) -> bool:
        """Whether the runs have scores for the same topics."""
        present = ~np.isnan(self.scores[:, self.runs])
        return bool((present.all(axis=1) | ~present.any(axis=1)).all())

    def better_by(self, difference: float) -> float:
        """Return the constant to add to the score of each topic so that a run is better."""
        topics = int((~np.isnan(self.scores)).any(axis=1).sum())
        by_topic = margin_per_topic(self.measure, difference, topics)
        return -by_topic if MEASURES.order(self.measure).lower_is_better else by_topic

    def smallest_p(self, test: str) -> float:
        """Return the smallest p value of a pair, given the topics on which any runs differ."""
        scores = self.scores[(~np.isnan(self.scores)).any(axis=1)]
        changed = int(
            np.count_nonzero(np.nanmax(scores, axis=1) - np.nanmin(scores, axis=1) > ROUNDING)
        )
        return smallest_p(test, len(scores), changed)


class _Procedure(NamedTuple):
    """A procedure under study: ``xcg compare`` by one measure and user model, or a gate."""

    family: int | None  # None for a gate
    named: bool
    test: str
    corrections: list[str]
    pairs: list[IndexPair]
    wanted: list[int]  # the comparisons that show the better run


class _Study(NamedTuple):
    """What all tasks of a study have in common."""

    families: Sequence[_Family]
    procedures: Sequence[_Procedure]
    shifts: Sequence[float]
    better: int
    seed: int

    def exchanged(self, campaigns: range, procedure: _Procedure) -> dict[int, Floats]:
        """Return the exchanged scores of some campaigns that a procedure needs, by family.

        They are the same for any division of the campaigns.
        """
        shape = self.families[0].scores.shape
        generator = np.random.PCG64(self.seed)
        generator.advance(campaigns.start * math.prod(shape))  # skip the keys of earlier campaigns
        keys = np.random.Generator(generator).random((len(campaigns), *shape))
        needed = range(len(self.families)) if procedure.family is None else [procedure.family]
        return {number: exchange(self.families[number].scores, keys) for number in needed}


def calibrate(
    results: Results,
    baseline: str | None = None,
    tests: Sequence[str] = (),
    corrections: Sequence[str] = (),
    differences: Sequence[float] = (),
    campaigns: int = CAMPAIGNS,
    seed: int = 0,
    progress: Progress | None = None,
    executor: Executor = ONE_PROCESS,
) -> list[ErrorRate]:
    """Measure how often tests, corrections and gates find differences between equally good runs.

    In each campaign, the scores of each topic are exchanged among the runs at random (see
    :func:`xcg.statistics.decisions.exchange`). Then the tests and corrections of :func:`xcg.compare`
    and the gate of ``xcg compare --fail-if-worse-than`` are applied at the level of 5 %. A campaign has
    a false alarm if at least one comparison of the family is significant, or the gate fails.

    With a difference, one run becomes better after the exchange: its scores improve by this constant.
    They may leave the range of the measure, so that the true difference is exact. The rate is the
    proportion of campaigns that find this run significantly better than the baseline (for all pairs,
    than the first other run). For a gate, the run becomes worse instead, and the rate is the proportion
    of campaigns in which the gate fails because of this run.

    Args:
        results: Results with scores per topic of at least two runs.
        baseline: Name of a run that the others are compared with, or ``"all"`` for all pairs of runs.
            By default both, with the first run.
        tests: Names in :data:`xcg.statistics.significance_tests.PAIRED_TESTS`; by default all.
        corrections: As for :func:`xcg.compare`; by default those that it uses by default.
            ``"shaffer"`` is only applied to all pairs by ``"t"``, ``"tukey"`` to these by ``"t"`` and
            ``"randomisation"``.
        differences: Differences of means above 0 (of sums if the measure is a count).
        campaigns: Number of exchanged campaigns, at least 1.
        seed: Seed of the random exchange.
        progress: Called with the number of completed campaigns and of all campaigns. Campaigns are
            counted once without a difference, and once for each difference.
        executor: Where the campaigns are studied. The rates do not depend on it.

    Returns:
        False-alarm rates, then power by difference. Both are in the order of measures, user models and
        baselines, with the gates last.

    Raises:
        XcgError: If a name is unknown, there are fewer than two runs, two runs share fewer than two
            topics, a number is illegal, or no correction is defined for the tests.
    """
    _check_numbers(campaigns, differences)
    _check_names(results, baseline, tests, corrections)
    families = _families(results)
    base = 0 if baseline in (None, ALL_PAIRS) else results.runs.index(str(baseline))
    better = 0 if base else 1
    procedures = _procedures(
        families, base, better, baseline, tests or tuple(PAIRED_TESTS), corrections
    )
    _check_all_studied(procedures, tests, corrections)
    shifts = (0.0, *differences)
    counts = dict.fromkeys(_keys(procedures, shifts), 0)
    largest = max(family.scores.size * len(results.runs) for family in families)
    size = min(_MAX_CAMPAIGNS_AT_ONCE, max(1, _MAX_SCORES_IN_MEMORY // largest))
    tasks = [
        (range(start, min(start + size, campaigns)), step, number)
        for start in range(0, campaigns, size)
        for step in range(len(shifts))
        for number in range(len(procedures))
    ]

    def report_campaigns(done: int, of: int) -> None:
        if progress is not None:
            block, step, number = tasks[done - 1]
            part = (number + 1) * len(block) // len(procedures)
            progress(block.start * len(shifts) + step * len(block) + part, campaigns * len(shifts))

    study = _Study(families, procedures, shifts, better, seed)
    found = executor.run(_count_found, tasks, common=[study], progress=report_campaigns)
    for (_, step, number), by_correction in zip(tasks, found, strict=True):
        for correction, count in by_correction.items():
            counts[number, correction, shifts[step]] += count
    return [
        _error_rate(
            procedures[number], families, results.runs[base], correction, shift, campaigns, found
        )
        for (number, correction, shift), found in counts.items()
    ]


def _count_found(study: _Study, campaigns: range, step: int, number: int) -> dict[str, int]:
    """Return in how many campaigns a procedure finds a difference, for each correction."""
    procedure, shift = study.procedures[number], study.shifts[step]
    exchanged = study.exchanged(campaigns, procedure)
    found = _found(procedure, study.families, exchanged, study.better, shift)
    return {
        correction: int((one[:, procedure.wanted] if shift else one).any(axis=1).sum())
        for correction, one in found.items()
    }


def _keys(
    procedures: Sequence[_Procedure], shifts: Sequence[float]
) -> Iterator[tuple[int, str, float]]:
    for shift, (number, procedure) in product(shifts, enumerate(procedures)):
        for correction in procedure.corrections:
            yield number, correction, shift


def _check_names(
    results: Results, baseline: str | None, tests: Sequence[str], corrections: Sequence[str]
) -> None:
    for test in tests:
        check_name("test", test, PAIRED_TESTS)
    for correction in corrections:
        check_name("correction", correction, CORRECTIONS)
    for name in (*tests, *corrections):
        if (*tests, *corrections).count(name) > 1:
            raise XcgError(f"{name} is given twice: expected different names")
    if baseline == BEST:
        raise XcgError("the results select the best run: expected the name of a run, or all")
    if baseline not in (None, ALL_PAIRS):
        check_name("run", baseline, results.runs)
    if len(results.runs) < 2:
        raise XcgError(f"{len(results.runs)} run: expected at least two to exchange")


def _check_all_studied(
    procedures: Sequence[_Procedure], tests: Sequence[str], corrections: Sequence[str]
) -> None:
    """Raise an error if no family uses a test or correction."""
    used = {name for procedure in procedures for name in (procedure.test, *procedure.corrections)}
    for name in (*tests, *corrections):
        if name not in used:
            raise XcgError(
                f"{name} cannot be studied: shaffer and tukey are only defined for all pairs of at "
                "least three runs with the same topics, by t (tukey also by randomisation); use holm"
            )


def _check_numbers(campaigns: int, differences: Sequence[float]) -> None:
    if campaigns < 1:
        raise XcgError(f"{campaigns} campaigns: expected at least one")
    for difference in differences:
        if not (math.isfinite(difference) and difference > 0):
            raise XcgError(f"illegal difference {difference}: expected a number above 0, like 0.02")
    if len(set(differences)) < len(differences):
        raise XcgError("the same difference twice: expected different numbers")


def _families(results: Results) -> list[_Family]:
    """Return the scores by each measure under each user model, if there are any."""
    rows = {topic: row for row, topic in enumerate(results.topics)}
    families = []
    for measure, model in product(results.measures, results.user_models):
        by_run = scores_by_run(results, measure, model)
        scores = np.full((len(rows), len(results.runs)), np.nan)
        for run, values in by_run.items():
            for topic, value in values.items():
                scores[rows[topic], results.runs.index(run)] = value
        for pair in combinations(results.runs, 2):
            common_scores(
                {r: by_run.get(r, {}) for r in pair}, results.topics, f"{measure} under {model}"
            )
        families.append(_Family(measure, model, scores))
    return families


def _procedures(
    families: Sequence[_Family],
    base: int,
    better: int,
    baseline: str | None,
    tests: Sequence[str],
    corrections: Sequence[str],
) -> list[_Procedure]:
    runs = families[0].scores.shape[1]
    named = [(run, base) for run in range(runs) if run != base]
    pairs = list(combinations(range(runs), 2))
    paired = [c for c in corrections or ("holm",) if c in P_VALUE_CORRECTIONS]
    shown = named.index((better, base))
    found = []
    for index, family in enumerate(families):
        if baseline != ALL_PAIRS:
            found += [_Procedure(index, True, test, paired, named, [shown]) for test in tests]
        if baseline == ALL_PAIRS or (baseline is None and runs > 2):
            wanted = [pairs.index((min(better, base), max(better, base)))]
            for test in tests:
                steps = test == "t" and family.complete and runs > 2
                tukey = test in _TUKEY_TESTS and family.complete and runs > 2
                chosen = ["tukey"] * (tukey and "tukey" in corrections)
                chosen += ["shaffer"] * (steps and "shaffer" in (corrections or ("shaffer",)))
                chosen += paired if corrections or not steps else []
                found.append(_Procedure(index, False, test, chosen, pairs, wanted))
    if baseline != ALL_PAIRS:
        wanted = [i * len(named) + shown for i in range(len(families))]
        found += [_Procedure(None, True, test, paired, named, wanted) for test in tests]
    return [procedure for procedure in found if procedure.corrections]


def _found(
    procedure: _Procedure,
    families: Sequence[_Family],
    exchanged: Mapping[int, Floats],
    better: int,
    shift: float,
) -> dict[str, Booleans]:
    """Return the significant comparisons for each correction: shape (campaigns, comparisons).

    With a shift, only comparisons in the true direction count: the run is better, or the gate finds it
    worse.
    """
    _, test, corrections, pairs = procedure[1:5]
    if procedure.family is None:
        advantages = []
        for family, values in zip(families, exchanged.values(), strict=True):
            sign = -1 if MEASURES.order(family.measure).lower_is_better else 1
            shifted = _shift(values, better, -family.better_by(shift))
            advantages += [sign * pair_differences(shifted, pair) for pair in pairs]
        losses = are_losses(advantages, test)
        rejected = paired_significant(advantages, test, corrections)
        return {correction: one & losses for correction, one in rejected.items()}
    by_topic = families[procedure.family].better_by(shift)
    values = _shift(exchanged[procedure.family], better, by_topic)
    significant = {}
    if "tukey" in corrections:
        present = ~np.isnan(values[0]).all(axis=1)
        significant["tukey"] = tukey_significant(values[:, present], pairs, test)
    remaining = [correction for correction in corrections if correction != "tukey"]
    if remaining:
        significant |= paired_significant(
            [pair_differences(values, pair) for pair in pairs], test, remaining
        )
    if shift:
        means = np.nanmean(values, axis=1)
        for number in procedure.wanted:
            first, second = pairs[number]
            other = second if first == better else first
            right = (means[:, better] - means[:, other]) * by_topic > 0
            for found in significant.values():
                found[:, number] &= right
    return significant


def _shift(scores: Floats, run: int, difference: float) -> Floats:
    """Return scores with a constant added to those of one run."""
    if not difference:
        return scores
    shifted = scores.copy()
    shifted[:, :, run] += difference
    return shifted


def _error_rate(
    procedure: _Procedure,
    families: Sequence[_Family],
    base: str,
    correction: str,
    shift: float,
    campaigns: int,
    found: int,
) -> ErrorRate:
    gate = procedure.family is None
    studied = families if procedure.family is None else [families[procedure.family]]
    comparisons = len(procedure.pairs) * len(studied)
    rate = proportion(found, campaigns)
    verdict = ""
    if not shift:
        smallest = min(family.smallest_p(procedure.test) for family in studied)
        if correction in ("shaffer", "holm", "bonferroni"):
            smallest *= comparisons
        elif correction == "tukey":
            smallest = 0.0
        verdict = "no power" if smallest >= SIGNIFICANCE_LEVEL else _verdict(rate)
    return ErrorRate(
        measure=ALL if gate else studied[0].measure,
        user_model=ALL if gate else studied[0].user_model,
        procedure=GATE if gate else NAMED if procedure.named else PAIRS,
        baseline=base if procedure.named else "",
        test=procedure.test,
        correction=correction,
        comparisons=comparisons,
        difference=shift,
        campaigns=campaigns,
        found=found,
        rate=rate.rate,
        low=rate.low,
        high=rate.high,
        verdict=verdict,
    )


def _verdict(rate: Proportion) -> str:
    level = f"{100 * SIGNIFICANCE_LEVEL:g} %"
    if rate.low > SIGNIFICANCE_LEVEL:
        return f"above {level}"
    known = f"below {level}" if rate.high < SIGNIFICANCE_LEVEL else f"{level} is possible"
    return f"{known}, {IF_EQUAL}"
