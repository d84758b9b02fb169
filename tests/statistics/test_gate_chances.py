"""How often a gate fails an unchanged run, and which loss it finds, by enumeration and simulation."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from score_tables import results_by_run

from xcg.statistics import gate_rules
from xcg.statistics.corrections import adjusted, critical_levels
from xcg.statistics.gate import Check, check_gate
from xcg.statistics.gate_rules import parse_limits, share_text

BASE = np.array([0.62, 0.55, 0.71, 0.48, 0.66, 0.59, 0.52])
LOST = np.array([0.05, -0.12, 0.08, -0.02, -0.09, 0.03, 0.11])


def exchanged(signs: tuple[int, ...], loss: float = 0) -> dict[str, np.ndarray]:
    """Exchange the scores of the topics with sign −1; then the run loses a constant."""
    kept, other = BASE - LOST, BASE
    base, run = (np.where(np.array(signs) > 0, *scores) for scores in ((other, kept), (kept, other)))
    return {"base": base, "run": run - loss}


def checked(scores: dict[str, np.ndarray], minimums: Any = (), **gate: Any) -> list[Check]:
    results = results_by_run({(run, "MAep", "m"): v.tolist() for run, v in scores.items()})
    verdict = check_gate(results, dict(minimums), "base", allow_underpowered=True, **gate)
    return [check for check in verdict.checks if check.pair is not None]


RULES: dict[str, dict[str, Any]] = {
    "drop": {"limits": parse_limits("8%"), "is_tested": False},
    "regressed": {"limits": parse_limits(None, 1, 0.06), "is_tested": False},
    "test": {},
    "wilcoxon": {"test": "wilcoxon"},
    "randomisation": {"test": "randomisation"},
    "margin": {"margins": {"MAep": 0.08}},
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
@pytest.mark.parametrize("name", ["drop", "test", "margin", "minimum"])
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
            {"base": BASE, "run": BASE - LOST}, margins={"MAep": 0.001}
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


def test_the_note_states_both_numbers() -> None:
    runs = {"base": BASE, "run": BASE - LOST}
    results = results_by_run({(run, "MAep", "m"): v.tolist() for run, v in runs.items()})
    verdict = check_gate(results, {}, "base", limits=parse_limits("8%"), is_tested=False)
    (check,) = verdict.checks
    assert check.chances.unchanged is not None
    sentence = (
        f"run: an unchanged run fails in {share_text(check.chances.unchanged)} of cases; "
        f"a loss of {check.chances.loss:.4f} by MAep would be found with 80 % power"
    )
    assert (verdict.chances, verdict.notes[1:]) == ([sentence], [f"gate: {sentence}"])
    verdict = check_gate(results, {}, "base", test="wilcoxon", allow_underpowered=True)
    assert verdict.notes[-1].endswith("by MAep would be found with 80 % power (by the t test)")


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
