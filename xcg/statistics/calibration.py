"""False-alarm rates of tests, corrections and gates on the scores of a campaign.

An A/A study: the scores of each topic are exchanged among the runs at random. Then all runs are equally
good, and every significant difference is a false alarm. Topics, the distribution of scores in each
topic, and the dependence between measures and user models stay as they are.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import combinations, product
from typing import NamedTuple

from xcg.errors import XcgError
from xcg.evaluation.parallel import ONE_PROCESS, Executor
from xcg.evaluation.results import Results
from xcg.lazy_modules import np
from xcg.statistics.intervals import paired_significant
from xcg.statistics.significance_tests import (
    P_VALUE_CORRECTIONS,
    PAIRED_TESTS,
    SIGNIFICANCE_LEVEL,
    are_losses,
    smallest_p,
)
from xcg.statistics.topic_scores import (
    ALL_PAIRS,
    ROUNDING,
    Floats,
    check_name,
    common_scores,
    pair_differences,
    score_matrix,
    scores_by_run,
    sign,
)

CAMPAIGNS = 1000
ALL = "all"
NAMED = "named baseline"
PAIRS = "all pairs"
GATE = "gate"
IF_EQUAL = "if spreads are equal"
"""The condition of each verdict: exchanged runs have scores with the same distribution."""
_MAX_SCORES_IN_MEMORY = 4_000_000
_MAX_CAMPAIGNS_AT_ONCE = 250

Progress = Callable[[int, int], None]


class ErrorRate(NamedTuple):
    """How often a procedure has a false alarm in exchanged campaigns.

    Attributes:
        measure: Canonical name of the measure; ``"all"`` for a gate.
        user_model: Name of the user model; ``"all"`` for a gate.
        procedure: ``"named baseline"``, ``"all pairs"`` or ``"gate"``, which compares runs with a
            baseline by all measures under all user models.
        baseline: Name of the baseline; empty for all pairs.
        test: Name of the test.
        correction: Name of the correction.
        comparisons: Number of comparisons in the family.
        campaigns: Number of exchanged campaigns.
        found: Number of campaigns with a false alarm.
        rate: found / campaigns.
        low: Lower limit of the 95 % interval of the rate (Clopper and Pearson 1934).
        high: Upper limit.
        verdict: Compares the interval of the rate with the level of 5 %: ``"above 5 %"``,
            ``"below 5 %, if spreads are equal"`` or ``"5 % is possible, if spreads are equal"``: the
            exchange gives all runs the same spread, so it cannot see false alarms from unequal spreads.
            ``"no power"`` if no comparison of the family can be significant with so few topics.
    """

    measure: str
    user_model: str
    procedure: str
    baseline: str
    test: str
    correction: str
    comparisons: int
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
    def complete(self) -> bool:
        """Whether the runs have scores for the same topics."""
        present = ~np.isnan(self.scores)
        return bool((present.all(axis=1) | ~present.any(axis=1)).all())

    def smallest_p(self, test: str) -> float:
        """Return the smallest p value of a pair, given the topics on which any runs differ."""
        scores = self.scores[(~np.isnan(self.scores)).any(axis=1)]
        ranges = np.nanmax(scores, axis=1) - np.nanmin(scores, axis=1)
        return smallest_p(test, len(scores), int(np.count_nonzero(ranges > ROUNDING)))


class _Procedure(NamedTuple):
    """A procedure under study: ``xcg compare`` by one measure and user model, or a gate."""

    kind: str
    families: Sequence[_Family]
    test: str
    corrections: list[str]
    pairs: list[tuple[int, int]]


def calibrate(
    results: Results,
    baseline: str | None = None,
    tests: Sequence[str] = (),
    corrections: Sequence[str] = (),
    campaigns: int = CAMPAIGNS,
    seed: int = 0,
    progress: Progress | None = None,
    executor: Executor = ONE_PROCESS,
) -> list[ErrorRate]:
    """Measure how often tests, corrections and gates find differences between equally good runs.

    In each campaign, the scores of each topic are exchanged among the runs at random (see
    :func:`exchange`). Then the tests and corrections of ``xcg compare``
    and the gate of ``xcg gate`` are applied at the level of 5 %. A campaign has
    a false alarm if at least one comparison of the family is significant, or the gate fails.

    Args:
        results: Results with scores per topic of at least two runs.
        baseline: Name of a run that the others are compared with, or ``"all"`` for all pairs of runs.
            By default both, with the first run.
        tests: Names in :data:`xcg.statistics.significance_tests.PAIRED_TESTS`; by default all.
        corrections: As for ``xcg compare``, except ``"tukey"``, whose assumption of equal spreads
            the exchange makes true; by default those that it uses by default. ``"shaffer"`` is only
            applied to all pairs by ``"t"``.
        campaigns: Number of exchanged campaigns, at least 1.
        seed: Seed of the random exchange.
        progress: Called with the number of completed tasks and of all tasks.
        executor: Where the campaigns are studied. The rates do not depend on it.

    Returns:
        The rates in the order of measures, user models and baselines, with the gates last.

    Raises:
        XcgError: If a run is unknown, there are fewer than two runs, two runs share fewer than two
            topics, or no correction is defined for the tests.
    """
    tests, corrections = [*dict.fromkeys(tests)], [*dict.fromkeys(corrections)]
    if baseline not in (None, ALL_PAIRS):
        check_name("run", baseline, results.runs)
    if len(results.runs) < 2:
        raise XcgError(f"{len(results.runs)} run: expected at least two to exchange")
    families = _families(results)
    base = 0 if baseline in (None, ALL_PAIRS) else results.runs.index(str(baseline))
    procedures = _procedures(families, base, baseline, tests or PAIRED_TESTS, corrections)
    used = {name for procedure in procedures for name in (procedure.test, *procedure.corrections)}
    for name in (*tests, *corrections):
        if name not in used:
            raise XcgError(
                f"{name} cannot be studied: shaffer is only defined for all pairs of at least three "
                "runs with the same topics, by t; use holm"
            )
    largest = max(family.scores.size * len(results.runs) for family in families)
    size = min(_MAX_CAMPAIGNS_AT_ONCE, max(1, _MAX_SCORES_IN_MEMORY // largest))
    tasks = [
        (range(start, min(start + size, campaigns)), number)
        for start in range(0, campaigns, size)
        for number in range(len(procedures))
    ]
    counts = Counter[tuple[int, str]]()
    found = executor.run(_count_found, tasks, common=[procedures, seed], progress=progress)
    for (_, number), by_correction in zip(tasks, found, strict=True):
        counts.update({(number, correction): n for correction, n in by_correction.items()})
    return [
        _error_rate(procedures[number], results.runs[base], correction, campaigns, count)
        for (number, correction), count in counts.items()
    ]


def exchange(scores: Floats, keys: Floats) -> Floats:
    """Exchange the scores of each topic among the runs that have one.

    The first run gets the score of the run with the lowest key, and so on. The same keys exchange the
    scores of all measures and user models alike. If a topic has scores of different runs by different
    measures, the scores of each measure are exchanged separately, by the same keys.

    Args:
        scores: Array of shape (topics, runs); NaN if a run has no score.
        keys: Random numbers below 1, independent and with the same distribution; array of shape
            (campaigns, topics, runs).

    Returns:
        Array of shape (campaigns, topics, runs). Runs without a score still have none.

    >>> scores = np.array([[0.1, 0.2, np.nan]])
    >>> exchange(scores, np.array([[[0.7, 0.4, 0.1]], [[0.3, 0.4, 0.5]]])).tolist()
    [[[0.2, 0.1, nan]], [[0.1, 0.2, nan]]]
    """
    present = ~np.isnan(scores)
    order = np.argsort(np.where(present, keys, np.inf), axis=2)  # the runs with a score are first
    positions = np.maximum(np.cumsum(present, axis=1) - 1, 0)
    sources = np.take_along_axis(order, np.broadcast_to(positions, keys.shape), axis=2)
    exchanged = np.take_along_axis(np.broadcast_to(scores, keys.shape), sources, axis=2)
    return np.where(present, exchanged, np.nan)


def _count_found(
    procedures: Sequence[_Procedure], seed: int, campaigns: range, number: int
) -> dict[str, int]:
    """Return in how many campaigns a procedure finds a difference, for each correction.

    The exchanged scores are the same for any division of the campaigns.
    """
    procedure = procedures[number]
    shape = procedure.families[0].scores.shape
    generator = np.random.PCG64(seed)
    generator.advance(campaigns.start * math.prod(shape))  # skip the keys of earlier campaigns
    keys = np.random.Generator(generator).random((len(campaigns), *shape))
    found = []
    for family in procedure.families:
        exchanged = exchange(family.scores, keys)
        found += [sign(family.measure) * pair_differences(exchanged, p) for p in procedure.pairs]
    significant = paired_significant(found, procedure.test, procedure.corrections)
    alarms = are_losses(found, procedure.test) if procedure.kind == GATE else True
    return {name: int((one & alarms).any(axis=1).sum()) for name, one in significant.items()}


def _families(results: Results) -> list[_Family]:
    """Return the scores by each measure under each user model, if there are any."""
    families = []
    for measure, model in product(results.measures, results.user_models):
        by_run = scores_by_run(results, measure, model)
        scores = {run: by_run.get(run, {}) for run in results.runs}
        for pair in combinations(scores, 2):
            common_scores({r: scores[r] for r in pair}, results.topics, f"{measure} under {model}")
        families.append(_Family(measure, model, score_matrix(scores, results.topics)))
    return families


def _procedures(
    families: Sequence[_Family],
    base: int,
    baseline: str | None,
    tests: Sequence[str],
    corrections: Sequence[str],
) -> list[_Procedure]:
    runs = families[0].scores.shape[1]
    named = [(run, base) for run in range(runs) if run != base]
    pairs = list(combinations(range(runs), 2))
    paired = [c for c in corrections or ("holm",) if c in P_VALUE_CORRECTIONS]
    found = []
    for family in families:
        if baseline != ALL_PAIRS:
            found += [_Procedure(NAMED, [family], test, paired, named) for test in tests]
        if baseline == ALL_PAIRS or (baseline is None and runs > 2):
            for test in tests:
                steps = test == "t" and family.complete and runs > 2
                chosen = ["shaffer"] * (steps and "shaffer" in (corrections or ("shaffer",)))
                chosen += paired if corrections or not steps else []
                found.append(_Procedure(PAIRS, [family], test, chosen, pairs))
    if baseline != ALL_PAIRS:
        found += [_Procedure(GATE, families, test, paired, named) for test in tests]
    return [procedure for procedure in found if procedure.corrections]


def _error_rate(
    procedure: _Procedure, base: str, correction: str, campaigns: int, found: int
) -> ErrorRate:
    from scipy.stats import binomtest

    kind, studied = procedure.kind, procedure.families
    comparisons = len(procedure.pairs) * len(studied)
    limits = binomtest(found, campaigns).proportion_ci(method="exact")
    low, high, level = float(limits.low), float(limits.high), f"{100 * SIGNIFICANCE_LEVEL:g} %"
    smallest = min(family.smallest_p(procedure.test) for family in studied)
    if correction in ("shaffer", "holm", "bonferroni"):
        smallest *= comparisons
    if smallest >= SIGNIFICANCE_LEVEL:
        verdict = "no power"
    elif low > SIGNIFICANCE_LEVEL:
        verdict = f"above {level}"
    else:
        known = f"below {level}" if high < SIGNIFICANCE_LEVEL else f"{level} is possible"
        verdict = f"{known}, {IF_EQUAL}"
    measure, model, _ = studied[0] if kind != GATE else (ALL, ALL, None)
    base = "" if kind == PAIRS else base
    rate = found / campaigns, low, high, verdict
    procedure_of = kind, base, procedure.test, correction
    return ErrorRate(measure, model, *procedure_of, comparisons, campaigns, found, *rate)
