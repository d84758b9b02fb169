"""Measures that users write as functions, in YAML, on the command line and in Python."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any, Literal

import pytest
from conftest import ROOT

import xcg
from xcg.errors import XcgError
from xcg.measures import MEASURES

Command = Callable[..., CompletedProcess[str]]
GRADES = {"1": {"d": {"/a": (3, 3)}}, "2": {"d": {"/a": (3, 3)}}}
RUNS = {"r": {"1": ["d#/a"], "2": ["e", "d#/a"]}, "s": {"1": ["e"], "2": ["d#/a"]}}


def gain_at(topic: Any, *, cutoff: float, times: float = 1.0, sign: Literal["plus", "minus"] = "plus"):
    """Gain up to a rank."""
    gained = sum(list(topic.gains)[: int(cutoff)])
    return None if cutoff > 5 else (1 if sign == "plus" else -1) * times * gained


def missed(topic: Any) -> int:
    return int(topic.not_retrieved)


missed.lower_is_better = True  # type: ignore[attr-defined]


def broken(topic: Any) -> float:
    return topic.gains["x"]  # type: ignore[no-any-return]


def infinite(topic: Any) -> float:
    return math.inf


def test_a_function_is_a_measure_with_cutoff_and_parameters() -> None:
    names = [f"{__name__}:gain_at@1", f"{__name__}:gain_at(times=2,sign=minus)@2", f"{__name__}:missed"]
    results = xcg.evaluate(GRADES, RUNS, measures=names)
    assert results.measures == names
    assert [results.value("r", names[0], topic) for topic in ("1", "2", "all")] == [1, 0, 0.5]
    assert results.value("r", names[1], "2") == -2
    assert results.value("s", names[2]) == 0.5
    assert MEASURES.order(names[2]).lower_is_better
    with pytest.raises(XcgError, match="nothing to average"):
        xcg.evaluate(GRADES, RUNS, measures=f"{__name__}:gain_at@6")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("gain_at", "lacks its cutoff"),
        ("gain_at(tims=2)@1", "did you mean 'times'"),
        ("gain_at(sign=both)@1", "illegal sign 'both'"),
        ("missed@3", "takes no cutoff"),
        ("broken", "topic 1: .*broken: the function failed: "),
        ("infinite", "the function returned inf: expected a finite number or None"),
        ("nothing", "cannot import the measure"),
    ],
)
def test_a_wrong_function_or_parameter_is_one_message(name: str, message: str) -> None:
    with pytest.raises(XcgError, match=message):
        xcg.evaluate(GRADES, RUNS, measures=f"{__name__}:{name}")


@pytest.mark.slow
def test_a_configuration_names_a_function_in_its_folder(tmp_path: Path, xcg_command: Command) -> None:
    (tmp_path / "mine.py").write_text(
        "def first(topic, *, cutoff):\n    return topic.gains[0]\ndef bad(topic):\n    return 1 / 0\n"
    )
    sample = (ROOT / "configs" / "kazai-lalmas-2006.yaml").read_text().partition("measures:")[0]
    for name, status in (("mine:first@1", 0), ("mine:bad", 2)):
        config = tmp_path / "c.yaml"
        config.write_text(sample.replace(": ../", f": {ROOT}/") + f'measures: ["{name}"]\n')
        for workers in (1, 2):
            done = xcg_command("evaluate", config, "--workers", workers)
            assert done.returncode == status, done.stderr
            if status:
                assert "mine:bad: the function failed: ZeroDivisionError" in done.stderr
                assert done.stderr.count("\n") == 1
            else:
                assert done.stdout.split()[:4] == ["run", name, "ideal", "1.0000"]
