"""The gate distinguishes missed thresholds, illegal input and unmapped data."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.stats
from bee_campaign import GOOD, POOR, RIGHT, run_gate, write_campaign
from score_tables import results_by_run
from statsmodels.stats.multitest import multipletests

import xcg
from xcg.errors import XcgError
from xcg.evaluation.results import Result, Results, Scope
from xcg.statistics import gate_rules
from xcg.statistics.gate import Check, check_gate
from xcg.statistics.gate_rules import Rules, broken_rules, parse_limits, parse_thresholds
from xcg.statistics.significance_tests import adjusted, critical_levels, family_p_values
from xcg.statistics.topic_scores import BaselinePair, baseline_pairs


def decisions(results: Results, baseline: str, **rules: Any) -> list[tuple[BaselinePair, float, bool]]:
    """Return each comparison of a gate with a test, its p value, and whether it fails."""
    pairs = baseline_pairs(results, baseline)
    found = [pair.advantages[None] for pair in pairs]
    chosen = Rules(**{"test": "t", **rules})
    p_values = adjusted(family_p_values(found, chosen.test), chosen.correction)
    fails = broken_rules(pairs, found, chosen, p_values)["worse-than"]
    return list(zip(pairs, p_values[0].tolist(), fails[0].tolist(), strict=True))


@pytest.fixture
def files(tmp_path: Path) -> Callable[..., list[str]]:
    return partial(write_campaign, tmp_path)


def test_tolerated_problems_do_not_pass(files: Callable[..., list[str]]) -> None:
    gone = {**GOOD, "3": [RIGHT, ("wasps", 0, 5)], "4": [RIGHT, ("bees", 30, 99)]}
    options = [*files(new=gone), "--fail-under", "MAep=0.9"]
    status, stderr = run_gate(*options, "--set", "lenient=true")
    assert status == 3
    assert "2 results or assessments could not be used; " in stderr
    assert "topic 3, rank 2" in stderr


def test_missing_scores_do_not_pass(files: Callable[..., list[str]], tmp_path: Path) -> None:
    gate = ("--fail-under", "MAep=0.01", "--measures", "MAep")
    partly = {"1": [RIGHT]}
    assert run_gate(*files(new=partly), *gate)[0] == 0  # unanswered topics count 0, and a note says so
    assert run_gate(*files(new=partly), "--fail-under", "MAep=0.2")[0] == 1
    cases = [
        (files(good=GOOD, new={"99": [RIGHT]}), "run new answers no assessed topic"),
        ([*files(good=GOOD), "--run", str(tmp_path / "*.none")], "*.none"),
        ([*files(good=GOOD, poor=POOR), "--baseline", "gone"], "no run 'gone'"),
        ([*files(good=GOOD, poor=POOR), "--baseline", "all"], "baseline is 'all'"),
        (
            [*files(good=GOOD), "--fail-under", "ASL=1"],
            "ASL is lower-is-better: it cannot have a minimum threshold",
        ),
    ]
    (tmp_path / "empty.jsonl").touch()
    cases.append(([*files(good=GOOD), "--run", str(tmp_path / "empty.jsonl")], "an empty file"))
    for options, message in cases:
        status, stderr = run_gate(*options, *gate)
        assert (status, message in stderr) == (2, True), (message, stderr)
    # A run lacks a score of a measure that other runs have.
    rows = [Result("a", topic, "MAep", 1.0, "m") for topic in ("1", "2", "all")]
    results = Results(rows, (), Scope(["a", "b"], ["MAep"], ["m"]))
    with pytest.raises(XcgError, match="run b has no score of MAep under m"):
        check_gate(results, {"MAep": 0.5})


def test_thresholds_are_parsed_from_texts_and_mappings() -> None:
    assert parse_thresholds({"nxCG@10": 0.5, "MAep": 1}) == {"nxCG@10": 0.5, "MAep": 1.0}
    for wrong in ({"MAep": float("nan")}, {"MAep": "high"}, {"": 1.0}, ["0.3"]):
        with pytest.raises(XcgError, match="illegal threshold"):
            parse_thresholds(wrong)  # type: ignore[arg-type]
    with pytest.raises(XcgError, match="several values of threshold for MAep: expected one"):
        parse_thresholds(["MAep=0.5", "MAep=0.3"])


def test_a_rounding_error_below_a_threshold_passes() -> None:
    results = Results([Result("r", "all", "MAep", 0.3 - 1e-15, "m")])
    assert check_gate(results, {"MAep": 0.3}).failures == []
    assert len(check_gate(results, {"MAep": 0.3 + 1e-9}).failures) == 1


def test_a_measure_that_was_not_evaluated_does_not_pass() -> None:
    results = xcg.evaluate({"1": {"d": 1}}, {"r": {"1": ["d"]}}, measures="MAep")
    assert check_gate(results, parse_thresholds(["MAep=1"])).failures == []
    with pytest.raises(XcgError, match="no scores of Q: expected it among the measures"):
        check_gate(results, parse_thresholds(["Q=0.1"]))


def random_campaign(
    topics: int, runs: int, measures: tuple[str, ...], seed: int
) -> dict[tuple[str, str, str], list[float]]:
    rng = np.random.default_rng(seed)
    return {
        (f"r{run}", measure, model): rng.normal(0.5 - 0.12 * (run == 1), 0.1, topics).tolist()
        for measure in measures
        for model in ("m", "n")
        for run in range(runs)
    }


def test_one_family_holds_all_runs_measures_and_user_models() -> None:
    """scipy and statsmodels compute the same p values from the same scores."""
    measures = ("MAep", "nxCG@10", "AP")
    scores = random_campaign(20, 4, measures, seed=1)
    results = results_by_run(scores)
    for correction in ("holm", "bonferroni", "fdr_bh"):
        found = decisions(results, "r0", correction=correction)
        assert len(found) == 3 * 3 * 2
        pairs = [scores[c.run, c.measure, c.user_model] for c, _, _ in found]
        bases = [scores["r0", c.measure, c.user_model] for c, _, _ in found]
        p = scipy.stats.ttest_rel(np.array(pairs).T, np.array(bases).T).pvalue
        adjusted = multipletests(p, method=correction)[1]
        assert [p for _, p, _ in found] == pytest.approx(list(adjusted), abs=1e-12)
        worse = np.mean(pairs, axis=1) < np.mean(bases, axis=1)
        expected = list(worse & (adjusted < 0.05))
        assert [fails for _, _, fails in found] == expected
        assert 0 < sum(expected) < 18
        verdict = check_gate(results, {}, "r0", correction=correction)
        assert len(verdict.failures) == sum(expected)
        assert all("18 comparisons" in text for text in (*verdict.failures, verdict.notes[0]))


def test_a_run_with_few_topics_does_not_disarm_the_gate() -> None:
    """Each run is compared over the topics that it shares with the baseline."""
    rng = np.random.default_rng(3)
    base = rng.uniform(0.3, 0.9, 30)
    bad = base - rng.uniform(0.0, 0.2, 30)
    scores = {("base", "MAep", "m"): base.tolist(), ("bad", "MAep", "m"): bad.tolist()}
    ((_, alone, _),) = decisions(results_by_run(scores), "base")
    scores["partial", "MAep", "m"] = base[:3].tolist()
    results = results_by_run(scores)
    (bad_pair, p, _), (partial_pair, _, _) = decisions(results, "base")
    assert p == pytest.approx(2 * alone)
    assert alone == pytest.approx(scipy.stats.ttest_rel(bad, base).pvalue)
    assert (len(bad_pair.scores), len(partial_pair.scores)) == (30, 3)
    (failure,) = check_gate(results, {}, "base").failures
    assert failure.startswith("bad, m: MAep is ")
    assert "t test, 30 topics, Holm over 2 comparisons" in failure
    with pytest.raises(XcgError, match=r"partial, m: by MAep the gate can never fail: .* 3 topics"):
        check_gate(results, {}, "base", test="wilcoxon")
    scores["partial", "MAep", "m"] = [0.5]
    with pytest.raises(XcgError, match="partial and base share 1 topics with scores of MAep under m"):
        check_gate(results_by_run(scores), {}, "base")


@pytest.mark.parametrize("test", ["wilcoxon", "randomisation"])
def test_a_gate_that_cannot_fail_is_illegal(test: str) -> None:
    """2 / 2⁶ for each of three comparisons is 0.09375 after Holm's correction."""
    scores = {("base", "MAep", "m"): [0.60, 0.61, 0.62, 0.63, 0.64, 0.65]}
    scores["bad", "MAep", "m"] = [0.008, 0.009, 0.010, 0.011, 0.0, 0.002]
    (failure,) = check_gate(results_by_run(scores), {}, "base", test=test).failures
    assert "p = 0.0312" in failure
    for other in ("same", "also"):
        scores[other, "MAep", "m"] = scores["base", "MAep", "m"]
    results = results_by_run(scores)
    with pytest.raises(XcgError) as error:
        check_gate(results, {}, "base", test=test)
    assert str(error.value) == (
        f"bad, m: by MAep the gate can never fail: the {test} test over 6 topics, Holm over 3 "
        "comparisons, returns at least p = 0.0938; use more topics, fewer runs, measures or user "
        "models, or the t test"
    )
    assert len(check_gate(results, {}, "base").failures) == 1  # the t test


def test_wilcoxon_fails_a_run_only_if_the_ranks_are_worse_too() -> None:
    """One large loss makes the mean worse; eleven small wins are significant for Wilcoxon's test."""
    base = [0.5] * 12
    run = [0.5 + 0.001 * topic for topic in range(1, 12)] + [0.0]
    results = results_by_run({("base", "MAep", "m"): base, ("run", "MAep", "m"): run})
    assert scipy.stats.wilcoxon(np.subtract(run, base)).pvalue < 0.05
    assert check_gate(results, {}, "base", test="wilcoxon").failures == []


BASE = np.array([0.62, 0.55, 0.71, 0.48, 0.66, 0.59, 0.52])
LOST = np.array([0.05, -0.12, 0.08, -0.02, -0.09, 0.03, 0.11])


def exchanged(signs: tuple[int, ...], loss: float = 0) -> dict[str, np.ndarray]:
    """Exchange the scores of the topics with sign −1; then the run loses a constant."""
    kept, other = BASE - LOST, BASE
    base, run = (np.where(np.array(signs) > 0, *scores) for scores in ((other, kept), (kept, other)))
    return {"base": base, "run": run - loss}


def checked(scores: dict[str, np.ndarray], minimums: Any = (), **gate: Any) -> list[Check]:
    results = results_by_run({(run, "MAep", "m"): v.tolist() for run, v in scores.items()})
    verdict = check_gate(results, dict(minimums), "base", **gate)
    return [check for check in verdict.checks if check.pair is not None]


RULES: dict[str, dict[str, Any]] = {
    "drop": {"limits": parse_limits("8%"), "is_tested": False},
    "regressed": {"limits": parse_limits(None, 1, 0.06), "is_tested": False},
    "test": {},
    "wilcoxon": {"test": "wilcoxon"},
    "randomisation": {"test": "randomisation"},
    "minimum": {"minimums": {"MAep": 0.56}, "limits": parse_limits("20%"), "is_tested": False},
    "all": {"limits": parse_limits("8%", 2, 0.1), "minimums": {"MAep": 0.55}},
}


@pytest.mark.parametrize("name", RULES)
def test_the_chance_of_an_unchanged_run_by_all_exchanges(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All 2⁷ exchanges are given to the gate itself, as runs of their own."""
    rules = RULES[name]
    (check,) = checked({"base": BASE, "run": BASE - LOST}, **rules)
    found = check.chances.unchanged
    monkeypatch.setattr(gate_rules, "DRAWS", 1)  # only the failures count
    fails = []
    for signs in product((1, -1), repeat=len(BASE)):
        (check,) = checked(exchanged(signs), **rules)
        fails.append(bool(check.failures))
    assert found == pytest.approx(np.mean(fails), abs=0.03)  # three standard errors of 2,000 draws


@pytest.mark.slow
@pytest.mark.parametrize("name", ["drop", "test", "minimum"])
def test_the_loss_makes_the_gate_fail_in_80_percent_of_the_exchanges(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (check,) = checked({"base": BASE, "run": BASE - LOST}, **RULES[name])
    loss = check.chances.loss
    assert loss is not None
    monkeypatch.setattr(gate_rules, "DRAWS", 1)
    shares = []
    for size in (0.9 * loss, 1.1 * loss):
        exchanges = [exchanged(signs, size) for signs in product((1, -1), repeat=len(BASE))]
        checks = [checked(runs, **RULES[name])[0] for runs in exchanges]
        shares.append(np.mean([bool(check.failures) for check in checks]))
    assert shares[0] < 0.8 <= shares[1]


def test_what_cannot_be_estimated_has_a_reason() -> None:
    obstacles = {
        "all differences are 0": checked({"base": BASE, "run": BASE}),
        "no limit on means, and no test": checked(
            {"base": BASE, "run": BASE - LOST}, **RULES["regressed"]
        ),
        "an unchanged run fails in 80 % of cases or more": checked(
            {"base": BASE, "run": BASE - LOST},
            limits=parse_limits(0.0),
            is_tested=False,
            minimums={"MAep": 0.7},
        ),
        "it is more than the baseline's mean": checked(
            {"base": BASE / 10, "run": BASE / 10 + np.abs(LOST)}, test="t"
        ),
    }
    for obstacle, (check,) in obstacles.items():
        assert (check.chances.obstacle, check.chances.loss) == (obstacle, None)
    (equal,) = obstacles["all differences are 0"]
    assert equal.chances.unchanged is None
    results = results_by_run({("run", "MAep", "m"): BASE.tolist()})
    (note,) = check_gate(results, {"MAep": 0.5}).notes
    assert note.endswith("cannot be estimated: there is no baseline")


@pytest.mark.parametrize("correction", ["holm", "bonferroni", "fdr_bh", "none"])
def test_critical_levels_are_where_the_decision_changes(correction: str) -> None:
    rng = np.random.default_rng(1)
    p_values = rng.uniform(0, 1, (200, 5)) ** 4
    levels = critical_levels(p_values, correction, 0.05)
    for column in range(5):
        for factor, significant in ((0.999, True), (1.001, False)):
            changed = p_values.copy()
            changed[:, column] = factor * levels[:, column]
            found = adjusted(changed, correction)[:, column] < 0.05
            assert found.tolist() == [significant] * 200
