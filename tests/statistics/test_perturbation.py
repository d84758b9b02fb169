"""Perturbed runs: Figure 6 of Kazai and Lalmas 2006, and runs with non-relevant results."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import xcg
from xcg.errors import XcgError
from xcg.evaluation.inputs import Inputs
from xcg.statistics.perturbation import COUNTS, MEASURES_OF_FIGURE_6, perturb

DOCUMENT = {"d": f"<t>{'word ' * 30}</t>"}


def ideal_run(root: Path) -> tuple[Path, Path, Path]:
    samples = root / "corpora_samples"
    return (
        root / "assessments/kazai-lalmas-2006",
        samples / "kazai-lalmas-2006-runs/1-ideal.xml",
        samples / "kazai-lalmas-2006",
    )


@pytest.fixture
def lines(root: Path) -> dict[tuple[str, str, int], float]:
    found = perturb(Inputs(*ideal_run(root), measures=MEASURES_OF_FIGURE_6))
    return {(line.measure, line.position, line.inserted): line.value for line in found}


def test_results_after_the_first(lines: dict[tuple[str, str, int], float]) -> None:
    after = "after first"
    # "R remains constant at .5714", for any number of non-relevant results after the first
    assert all(round(lines["R", after, n], 4) == 0.5714 for n in COUNTS if n)
    # ep at low recall depends only on the first result.
    assert all(lines["ep@0.1", after, n] == 1 for n in COUNTS)
    assert round(lines["MAep", after, 1], 4) == 0.8333
    for measure in ("Q", "MAep", "iMAep"):
        falling = [lines[measure, after, n] for n in COUNTS]
        assert falling == sorted(falling, reverse=True)
        assert falling[0] == 1


def test_results_before_the_first(lines: dict[tuple[str, str, int], float]) -> None:
    def change(measure: str) -> float:
        return lines[measure, "before first", 1] / lines[measure, "after first", 1] - 1

    assert round(lines["MAep", "before first", 1], 4) == 0.5833
    assert change("MAep") == pytest.approx(-0.30, abs=0.005)
    # The paper states 25 and 48 %; see docs/decisions/measures.md.
    assert change("Q") == pytest.approx(-0.241, abs=0.0005)
    assert change("iMAep") == pytest.approx(-0.471, abs=0.0005)
    assert lines["ep@0.1", "before first", 1] < 1


def test_the_two_measures_that_hardly_change(lines: dict[tuple[str, str, int], float]) -> None:
    """KL 6.1.2: the two most stable measures across the panels are ep@1 and MAnxCG."""
    for n in COUNTS:
        # The last ideal element is at rank 2 + n in both panels.
        assert lines["ep@1", "after first", n] == pytest.approx(2 / (2 + n))
        assert lines["ep@1", "before first", n] == pytest.approx(2 / (2 + n))
        # After the first, nxCG is 1, then 2/3 at ranks 2 to n + 1, then 1 again.
        # Before the first, it is 0 up to rank n, and 2/3 at rank n + 1.
        after = (1500 - n / 3) / 1500
        before = (1500 - n - 1 / 3) / 1500 if n else 1.0
        assert lines["MAnxCG@1500", "after first", n] == pytest.approx(after)
        assert lines["MAnxCG@1500", "before first", n] == pytest.approx(before)


def test_average_precision(root: Path) -> None:
    """KL 6.1.2: precision and recall have "the same 30% decrease in performance score as MAep"."""
    found = perturb(Inputs(*ideal_run(root), measures="xAP(threshold=0.5)"), [0, 1])
    values = {(line.position, line.inserted): line.value for line in found}
    # The two ideal elements gain 1 and .5. They are at ranks 1 and 3, or 2 and 3.
    assert values["after first", 1] == pytest.approx((1 + 2 / 3) / 2)
    assert values["before first", 1] == pytest.approx((1 / 2 + 2 / 3) / 2)


def test_means_are_those_of_runs_with_non_relevant_results() -> None:
    """A result from an irrelevant document has a gain of 0."""
    base = {"1": {"d": {"/a/s[1]": (3, 3), "/a/s[2]": (2, 2)}}}
    good = ["d#/a/s[1]", "d#/a/s[2]"]
    names = "R Q MAep iMAep nxCG@2"
    found = {
        (line.measure, line.position, line.inserted): line.value
        for line in perturb(Inputs(base, {"r": {"1": good}}, measures=names), [0, 3])
    }
    non_relevant = [f"x#/a/p[{n}]" for n in range(1, 4)]
    for position, ranking in (
        ("after first", [good[0], *non_relevant, good[1]]),
        ("before first", [*non_relevant, *good]),
    ):
        plain = xcg.evaluate(base, {"r": {"1": ranking}}, measures=names)
        for measure in plain.measures:
            assert found[measure, position, 3] == pytest.approx(plain.value("r", measure))
    with pytest.raises(XcgError, match="inexEval does not depend on gains alone: expected measures"):
        perturb(Inputs(base, {"r": {"1": good}}, measures="inexEval"))


@pytest.mark.parametrize(
    ("measure", "message"),
    [
        ("MAep", "MAep: effort is in tokens under the user model spans, but the inserted results have"),
        ("nxCG(budget=words)@9", "expected effort in ranks, such as nxCG(budget=ranks)"),
        ("RR", "RR does not depend on gains alone: expected measures like MAep"),
    ],
)
def test_effort_in_text_is_refused(measure: str, message: str) -> None:
    given = {"1": {"d": [(0, 5)]}}, {"run": {"1": ["d#0:9"]}}, DOCUMENT, "spans"
    with pytest.raises(XcgError, match=re.escape(message)):
        perturb(Inputs(*given, measure), [0, 1])
    *_, last = perturb(Inputs(*given, "MAep(effort=ranks)"), [0, 1])
    assert (last.position, last.inserted, last.value, last.change) == ("before first", 1, 0.5, -0.5)
