"""The simulations of false alarms and of coverage whose tables are in docs/studies/test-levels.md."""

from __future__ import annotations

import gc
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from conftest import load_script

from xcg.evaluation.results import Result, Results
from xcg.statistics.gate import check_gate
from xcg.statistics.significance import compare_runs
from xcg.statistics.significance_tests import PAIRED_TESTS

BENCHMARKS = Path(__file__).parent.parent.parent / "benchmarks"


@pytest.fixture(autouse=True)
def quick_corrections() -> Iterator[None]:
    """Speed up the garbage collection that statsmodels runs for each family."""
    gc.freeze()
    yield
    gc.unfreeze()


def benchmark(name: str) -> ModuleType:
    """Import a script from the folder benchmarks."""
    return load_script(BENCHMARKS / f"{name}.py")


def written_scores(path: Path) -> Path:
    """Write scores of 8 runs for 20 topics by three measures under two user models."""
    rng = np.random.default_rng(5)
    rows = ["run,topic,measure,value,user_model"]
    for model in ("first", "second"):
        for measure in ("MAep", "nxCG@10", "AP"):
            scores = np.round(rng.beta(0.5, 2, (20, 8)), 2 if measure == "MAep" else 1)
            for (topic, run), score in np.ndenumerate(scores):
                rows.append(f"run{run},{topic},{measure},{score},{model}")
            rows += [f"run{run},all,{measure},{scores[:, run].mean()},{model}" for run in range(8)]
    path.write_text("\n".join(rows) + "\n")
    return path


@pytest.mark.slow
@pytest.mark.parametrize(("topics", "runs", "campaigns"), [(10, 2, 15), (9, 4, 5)])
def test_the_false_alarms_are_those_of_compare_and_the_gate(
    tmp_path: Path, topics: int, runs: int, campaigns: int
) -> None:
    module = benchmark("calibration")
    pilot = module.read_scores(written_scores(tmp_path / "scores.csv"))
    expected: Counter[tuple[str, str, str]] = Counter()
    sample = module.exchanged(pilot, topics, runs, np.random.default_rng([1, topics, runs]))
    for _ in range(campaigns):
        campaign = next(sample)
        rows = []
        for (measure, model), scores in campaign.items():
            assert scores.shape == (topics, runs)
            for (topic, run), score in np.ndenumerate(scores):
                rows.append(Result(f"run{run}", str(topic), measure, float(score), model))
            means = enumerate(scores.mean(axis=0).tolist())
            rows += [Result(f"run{run}", "all", measure, mean, model) for run, mean in means]
        results = Results(rows)
        for test in PAIRED_TESTS:
            for measure in results.measures:
                families = {module.NAMED: "run0"} | ({module.PAIRS: "all"} if runs > 2 else {})
                for family, baseline in families.items():
                    tukey = family == module.PAIRS and test in ("t", "randomisation")
                    found = compare_runs(
                        results, measure, "first", baseline, test, "tukey" if tukey else "holm"
                    )
                    expected[family, measure, test] += any(line.p_adjusted < 0.05 for line in found)
            verdict = check_gate(results, {}, "run0", test=test, allow_underpowered=True)
            expected[module.GATE, "all", test] += bool(verdict.failures)
    assert sum(expected.values()) > 0
    assert module.count_alarms(pilot, topics, runs, campaigns, seed=1) == expected


@pytest.mark.slow
def test_an_exchange_keeps_the_scores_of_a_topic_and_the_dependence_of_measures(tmp_path: Path) -> None:
    module = benchmark("calibration")
    pilot = module.read_scores(written_scores(tmp_path / "scores.csv"))
    pilot = {key: scores + 10 * np.arange(8) for key, scores in pilot.items()}  # marks the run
    campaign = next(module.exchanged(pilot, 20, 8, np.random.default_rng(1)))
    moved = [(scores // 10).tolist() for scores in campaign.values()]
    assert all(runs == moved[0] for runs in moved)
    assert any(row != moved[0][0] for row in moved[0])
    for key, scores in campaign.items():
        rows = sorted(np.sort(scores, axis=1).tolist())
        assert rows == sorted(np.sort(pilot[key], axis=1).tolist())


@pytest.mark.slow
def test_the_table_of_false_alarms_marks_rates_above_the_limit_and_families_without_power(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    module = benchmark("calibration")
    scores = str(written_scores(tmp_path / "scores.csv"))
    module.main([scores, "--campaigns", "40", "--cell", "6x3", "--cell", "6x2"])
    lines = capsys.readouterr().out.splitlines()
    table = [line for line in lines if line.startswith("| 6 ")]
    assert len(table) == 7 + 4
    # 2 / 2⁶ is below 5 % for one comparison, but not for two.
    assert "| 6 | 3 | named baseline | 2 | MAep |" in table[0]
    assert table[0].count("no power") == 3
    assert "no power" not in table[7]
    monkeypatch.setattr(module, "count_alarms", lambda *_: Counter({(module.NAMED, "MAep", "t"): 39}))
    module.main([scores, "--campaigns", "40", "--cell", "6x2"])
    assert "| 97.5 above |" in capsys.readouterr().out


@pytest.mark.slow
def test_the_intervals_that_coverage_counts_are_those_of_compare() -> None:
    """The limits of compare are checked one by one against the true differences."""
    module = benchmark("interval_coverage")
    rng = np.random.default_rng(2)
    found = []
    for _ in range(8):
        scores, means = module.campaign(rng, 8, 4, "skewed, unequal")
        rows = [
            Result(str(run), str(topic), "MAep", float(score), "m")
            for (topic, run), score in np.ndenumerate(scores)
        ]
        expected = []
        for baseline, test, correction in (
            ("0", "t", "bonferroni"),
            ("0", "randomisation", "bonferroni"),
            (None, "t", "tukey"),
            (None, "randomisation", "tukey"),
            (None, "t", "bonferroni"),
        ):
            lines = compare_runs(Results(rows), "MAep", "m", baseline, test, correction)
            limits = [
                (
                    -np.inf if line.low is None else line.low,
                    means[int(line.run)] - means[int(line.baseline)],
                    np.inf if line.high is None else line.high,
                )
                for line in lines
            ]
            expected.append(all(low <= truth <= high for low, truth, high in limits))
        found.append(module.intervals_cover(scores, means))
        assert found[-1] == expected
    assert not all(map(all, found))


@pytest.mark.slow
def test_the_table_of_coverage(capsys: pytest.CaptureFixture[str]) -> None:
    module = benchmark("interval_coverage")
    permutations = module.families.RANDOM_PERMUTATIONS
    try:
        module.main(["--campaigns", "3", "--topics", "6", "--runs", "2", "--runs", "3"])
    finally:
        module.families.RANDOM_PERMUTATIONS = permutations
    lines = capsys.readouterr().out.splitlines()
    table = [line for line in lines if line.startswith(tuple(f"| {noise} |" for noise in module.NOISE))]
    assert len(table) == 2 * len(module.NOISE)
    assert table[0].endswith("| – | – | – |")
