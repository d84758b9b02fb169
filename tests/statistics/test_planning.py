"""Plans of comparisons: predicted power agrees with the tests of campaigns that are drawn anew."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
import pytest
from score_tables import paired_p_value, results_of
from statsmodels.stats.power import TTestPower

from xcg.errors import XcgError
from xcg.statistics.intervals import t_detectable
from xcg.statistics.planning import MAX_SIMULATED_TOPICS, Plan, PowerSimulation, plan

RNG = np.random.default_rng(2)
NORMAL = RNG.normal(0, 1, 2000)
SKEWED = RNG.beta(0.5, 2, 3000) - RNG.beta(2, 5, 3000)
PILOT = RNG.beta(1, 3, (4, 20)).tolist()


@pytest.mark.parametrize("topics", [15, 50])
@pytest.mark.parametrize("level", [0.05, 0.005])
def test_normal_scores_have_the_power_of_the_noncentral_t_distribution(
    topics: int, level: float
) -> None:
    simulation = PowerSimulation([NORMAL], level, 0)
    deviation = float(NORMAL.std(ddof=1))
    assert simulation.deviation == pytest.approx(deviation)
    for power in (0.5, 0.8):
        difference = t_detectable(deviation, topics, level, power)
        assert simulation.power(topics, difference) == pytest.approx(power, abs=0.02)
        expected = TTestPower().power(0.4, topics, level)
        assert simulation.power(topics, 0.4 * deviation) == pytest.approx(expected, abs=0.02)
    needed = TTestPower().solve_power(0.4, None, level, 0.8)
    assert simulation.topics_needed(0.4 * deviation, 0.8) == pytest.approx(needed, rel=0.04)
    assert simulation.topics_needed(0.1 * deviation, 0.8) == pytest.approx(
        TTestPower().solve_power(0.1, None, level, 0.8), rel=0.04
    )


@pytest.mark.parametrize("topics", [8, 15])
def test_thresholds_are_where_the_test_begins_to_reject(topics: int) -> None:
    """The first drawn sample is shifted to just below and just above its threshold."""
    simulation = PowerSimulation([SKEWED], 0.05, 3)
    samples: list[np.ndarray] = []
    draw = simulation._centred

    class Recorder:
        def __getitem__(self, index: object) -> np.ndarray:
            samples.append(draw[index])
            return draw[index]

    simulation._centred = Recorder()  # type: ignore[assignment]
    thresholds = simulation._simulate(topics)
    p_value = partial(paired_p_value, "t")
    count = 0
    for sample, threshold in zip(samples[0][:40], thresholds[:40], strict=True):
        if not math.isfinite(threshold):
            continue
        below, above = (
            p_value((sample + threshold + change).tolist(), [0.0] * topics)
            for change in (-0.003, 0.003)
        )
        count += below >= 0.05 > above
    assert count >= 39


def line_of(**options: object) -> Plan:
    (line,) = plan(results_of(PILOT), **options)  # type: ignore[arg-type]
    return line


def test_families_have_their_corrections_and_sizes() -> None:
    pairs = line_of(runs=5)
    assert (pairs.test, pairs.correction, pairs.comparisons) == ("t", "shaffer", 10)
    named = line_of(baseline="r1")
    assert (named.correction, named.runs, named.comparisons, named.topics) == ("holm", 4, 3, 20)
    columns = np.array(PILOT)
    others = np.delete(columns, 1, axis=0) - columns[1]
    variance = others.var(axis=1, ddof=1).mean()
    assert named.deviation == pytest.approx(math.sqrt(variance))
    all_variances = [(a - b).var(ddof=1) for i, a in enumerate(columns) for b in columns[:i]]
    assert pairs.deviation == pytest.approx(math.sqrt(np.mean(all_variances)))
    two = line_of(runs=2)
    assert (two.comparisons, two.correction) == (1, "holm")
    (wide,) = plan(results_of(PILOT[:2]), runs=6)  # a pilot of two runs plans for more
    assert (wide.correction, wide.comparisons) == ("shaffer", 15)


def test_needed_topics_have_the_wanted_power() -> None:
    line = line_of(difference=0.15, power=0.7)
    assert line.topics_needed is not None
    assert line.simulation is not None
    assert line.simulation.power(line.topics_needed, 0.15) == pytest.approx(0.7, abs=0.03)


def test_many_topics_are_extrapolated() -> None:
    simulation = PowerSimulation([SKEWED], 0.05, 0)
    at_limit = simulation.detectable(MAX_SIMULATED_TOPICS, 0.8)
    assert at_limit is not None
    assert simulation.detectable(4 * MAX_SIMULATED_TOPICS, 0.8) == pytest.approx(at_limit / 2, rel=0.02)
    assert simulation.topics_needed(at_limit / 1e4, 0.8) is None


def test_equal_runs_and_too_few_topics_have_no_detectable_difference() -> None:
    (line,) = plan(results_of([PILOT[0]] * 3), difference=0.1)
    assert (line.deviation, line.detectable, line.power, line.topics_needed) == (None,) * 4
    binary = [[0.0] * 10, [0.0, 1.0] * 5]  # two topics often have equal differences
    (line,) = plan(results_of(binary), topics=2, difference=0.1)
    assert line.detectable is None
    assert (line.topics_needed or 0) > 5


def test_a_pilot_needs_two_runs_and_five_topics() -> None:
    with pytest.raises(XcgError, match="1 runs with scores per topic of MAep under m"):
        plan(results_of(PILOT[:1]))
    with pytest.raises(XcgError, match=r"2 topics with scores of MAep under m .* at least 5"):
        plan(results_of([column[:2] for column in PILOT]))
