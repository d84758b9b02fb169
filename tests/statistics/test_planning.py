"""Plans of comparisons: predicted power agrees with the tests of campaigns that are drawn anew."""

from __future__ import annotations

import math
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from conftest import load_script
from score_tables import results_of
from statsmodels.stats.power import TTestPower

from xcg.errors import XcgError
from xcg.evaluation.parallel import Executor
from xcg.statistics import power_simulation
from xcg.statistics.planning import Plan, plan
from xcg.statistics.power import t_detectable
from xcg.statistics.power_simulation import (
    MAX_SIMULATED_TOPICS,
    PairedSimulation,
    TukeySimulation,
)
from xcg.statistics.significance_tests import paired_p_value

RNG = np.random.default_rng(2)
NORMAL = RNG.normal(0, 1, 2000)
SKEWED = RNG.beta(0.5, 2, 3000) - RNG.beta(2, 5, 3000)
PILOT = RNG.beta(1, 3, (4, 20)).tolist()


@pytest.mark.parametrize("topics", [15, 50])
@pytest.mark.parametrize("level", [0.05, 0.005])
def test_normal_scores_have_the_power_of_the_noncentral_t_distribution(
    topics: int, level: float
) -> None:
    simulation = PairedSimulation([NORMAL], "t", level, 0)
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


@pytest.mark.parametrize("test", ["t", "wilcoxon", "wilcoxon-pratt", "randomisation"])
@pytest.mark.parametrize("topics", [8, 15])
def test_thresholds_are_where_the_test_begins_to_reject(test: str, topics: int) -> None:
    """The first drawn sample is shifted to just below and just above its threshold."""
    simulation = PairedSimulation([SKEWED], test, 0.05, 3)
    samples: list[np.ndarray] = []
    draw = simulation._centred

    class Recorder:
        def __getitem__(self, index: object) -> np.ndarray:
            samples.append(draw[index])
            return draw[index]

    simulation._centred = Recorder()  # type: ignore[assignment]
    thresholds, _ = simulation.simulate(topics, np.random.default_rng(0))
    p_value = partial(paired_p_value, test)
    drawn = samples[0]  # the pseudomedians are read after the draw
    count = 0
    for sample, threshold in zip(drawn[:40], thresholds[:40], strict=True):
        if not math.isfinite(threshold):
            continue
        step = 0.02 if test == "randomisation" else 0.003
        below, above = (
            p_value((sample + threshold + change).tolist(), [0.0] * topics) for change in (-step, step)
        )
        count += below >= 0.05 > above
    assert count >= (36 if test == "randomisation" else 39)


def test_the_power_of_tukeys_hsd_agrees_with_independent_campaigns() -> None:
    """Normal scores of four runs; q is computed by hand."""
    from scipy.stats import studentized_range

    rng = np.random.default_rng(0)
    pilot = rng.normal(0, 1, (3000, 4)) + rng.normal(0, 2, (3000, 1))
    scores = rng.normal(0, 1, (4000, 15, 4))
    residuals = scores - scores.mean(1, keepdims=True) - scores.mean(2, keepdims=True)
    residuals += scores.mean((1, 2), keepdims=True)
    error = np.sqrt((residuals**2).sum((1, 2)) / 42 / 15)
    distance = scores[:, :, 0].mean(1) - scores[:, :, 1].mean(1)
    for difference in (0.8, 1.2):
        found = np.mean(np.abs(distance + difference) / error > studentized_range.isf(0.05, 4, 42))
        simulation = TukeySimulation(pilot, 4, False, 0.05, 0)
        assert simulation.deviation == pytest.approx(math.sqrt(2), rel=0.03)
        assert simulation.power(15, difference) == pytest.approx(found, abs=0.03)


def lines_of(**options: object) -> dict[tuple[str, str], Plan]:
    found = plan(results_of(PILOT), **options)  # type: ignore[arg-type]
    return {(line.test, line.correction): line for line in found}


def test_a_plan_does_not_depend_on_workers() -> None:
    steps: list[tuple[int, int]] = []
    expected = lines_of(difference=0.1)
    divided = lines_of(difference=0.1, executor=Executor(2), progress=lambda *done: steps.append(done))
    assert list(divided.items()) == list(expected.items())
    assert steps == [(number, len(expected)) for number in range(1, len(expected) + 1)]
    for procedure, line in expected.items():
        one, other = line.simulation, divided[procedure].simulation
        assert one is not None
        assert other is not None
        assert one.thresholds(20).tolist() == other.thresholds(20).tolist()


def test_families_have_their_tests_corrections_and_sizes() -> None:
    pairs = lines_of(runs=5)
    assert list(pairs) == [
        *(("t", "shaffer"), ("randomisation", "holm"), ("wilcoxon", "holm")),
    ]
    assert {line.comparisons for line in pairs.values()} == {10}
    named = lines_of(baseline="r1")
    assert [*named] == [("t", "holm"), ("randomisation", "holm"), ("wilcoxon", "holm")]
    assert {(line.runs, line.comparisons, line.topics) for line in named.values()} == {(4, 3, 20)}
    columns = np.array(PILOT)
    others = np.delete(columns, 1, axis=0) - columns[1]
    variance = others.var(axis=1, ddof=1).mean()
    assert named["t", "holm"].deviation == pytest.approx(math.sqrt(variance))
    all_variances = [(a - b).var(ddof=1) for i, a in enumerate(columns) for b in columns[:i]]
    for line in pairs.values():
        assert line.deviation == pytest.approx(math.sqrt(np.mean(all_variances)))
    (two,) = lines_of(runs=2, test="t").values()
    assert (two.comparisons, two.correction) == (1, "holm")
    alone = lines_of(runs=2, test="t", correction="none")["t", "none"]
    assert alone.detectable == two.detectable
    assert list(lines_of(correction="tukey")) == [("t", "tukey"), ("randomisation", "tukey")]
    wide = plan(results_of(PILOT[:2]), runs=6, test="t")  # a pilot of two runs plans for more
    assert [(line.correction, line.comparisons) for line in wide] == [("shaffer", 15)]


@pytest.mark.slow
@pytest.mark.parametrize("test", ["t", "wilcoxon"])
def test_the_extrapolated_power_agrees_with_simulated_power(
    monkeypatch: pytest.MonkeyPatch, test: str
) -> None:
    """The detectable difference of Wilcoxon's test does not approach 0 if differences are skewed."""
    extrapolated = PairedSimulation([SKEWED], test, 0.05, 0)
    found = [(extrapolated.detectable(200, power), power) for power in (0.5, 0.8)]
    monkeypatch.setattr(power_simulation, "MAX_SIMULATED_TOPICS", 200)
    simulated = PairedSimulation([SKEWED], test, 0.05, 0)
    for difference, power in found:
        assert simulated.power(200, difference or 0) == pytest.approx(power, abs=0.03)


def test_more_topics_and_fewer_runs_find_smaller_differences() -> None:
    for name in ("tukey", "shaffer"):
        more, line = (
            lines_of(topics=topics, test="t", correction=name)["t", name] for topics in (40, None)
        )
        assert (more.detectable or 1) < (line.detectable or 0)
        few, many = (
            lines_of(runs=n, test="t", correction=name, difference=0.1)["t", name] for n in (3, 30)
        )
        assert (few.detectable or 1) < (many.detectable or 0)
        assert (few.power or 0) > (many.power or 1)
        assert (few.topics_needed or 0) < (many.topics_needed or 0)


@pytest.mark.parametrize(
    "test", ["t", "wilcoxon", pytest.param("randomisation", marks=pytest.mark.slow)]
)
def test_needed_topics_have_the_wanted_power(test: str) -> None:
    for line in lines_of(test=test, difference=0.15, power=0.7).values():
        needed, simulation = line.topics_needed, line.simulation
        assert needed is not None
        assert simulation is not None
        assert simulation.power(needed, 0.15) == pytest.approx(0.7, abs=0.03)


def test_many_topics_are_extrapolated() -> None:
    simulation = PairedSimulation([SKEWED], "t", 0.05, 0)
    at_limit = simulation.detectable(MAX_SIMULATED_TOPICS, 0.8)
    assert at_limit is not None
    assert simulation.detectable(4 * MAX_SIMULATED_TOPICS, 0.8) == pytest.approx(at_limit / 2, rel=0.02)
    assert simulation.topics_needed(at_limit / 1e4, 0.8) is None


def test_equal_runs_and_too_few_topics_have_no_detectable_difference() -> None:
    equal = plan(results_of([PILOT[0]] * 3), difference=0.1)
    for line in equal:
        assert (line.deviation, line.detectable, line.power, line.topics_needed) == (None,) * 4
    (line,) = plan(results_of(PILOT), topics=5, test="wilcoxon", difference=0.1)
    assert (line.detectable, line.power) == (None, 0)
    assert (line.topics_needed or 0) > 5


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"power": 0}, "illegal power 0: expected a number between 0.05 and 1"),
        ({"power": 1}, "illegal power 1"),
        ({"power": math.nan}, "illegal power nan"),
        ({"difference": 0}, "illegal difference 0: expected a number above 0"),
        ({"difference": -0.1}, "illegal difference -0.1"),
        ({"difference": math.inf}, "illegal difference inf"),
        ({"runs": 1}, "illegal number of runs to compare 1: expected at least 2"),
        ({"topics": 1}, "illegal number of topics 1"),
        ({"test": "u"}, "no test 'u'"),
        ({"correction": "tuky"}, "no correction 'tuky': did you mean 'tukey'"),
        ({"baseline": "r9"}, "no run 'r9'"),
        ({"baseline": "r1", "correction": "tukey"}, "tukey is only defined if all pairs"),
        ({"test": "wilcoxon", "correction": "tukey"}, "tukey is only defined if the test"),
    ],
)
def test_wrong_arguments_are_refused(options: dict[str, object], message: str) -> None:
    with pytest.raises(XcgError, match=message):
        lines_of(**options)


def test_a_pilot_needs_two_runs_and_five_topics() -> None:
    with pytest.raises(XcgError, match="1 runs with scores per topic of MAep under m"):
        plan(results_of(PILOT[:1]))
    with pytest.raises(XcgError, match=r"2 topics with scores of MAep under m .* at least 5"):
        plan(results_of([column[:2] for column in PILOT]))


@pytest.mark.slow
@pytest.mark.parametrize("baseline", [True, False])
def test_a_cell_of_the_benchmark_agrees_within_three_points(root: Path, baseline: bool) -> None:
    benchmark = load_script(root / "benchmarks" / "power.py")
    pilot = benchmark.pilots()["handbook, MAep"]
    correction = "holm" if baseline else "tukey"
    line = benchmark.predicted(pilot, "t", correction, baseline, 15)
    drawn = benchmark.Campaigns(pilot, 15, 4000, 1, baseline)
    found = drawn.found("t", correction, line.detectable).mean()
    assert found == pytest.approx(0.8, abs=0.03)
