"""Derivations of nxCG and MAep end in the values of evaluate."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from subprocess import CompletedProcess
from typing import Any

import pytest
from conftest import ROOT

import xcg
from xcg.evaluation.explain import explain
from xcg.evaluation.inputs import Inputs
from xcg.report.explanations import ranking_tables
from xcg.terminal_tables import terminal_text

Command = Callable[..., CompletedProcess[str]]
MODELS: list[Any] = [
    "kazai-lalmas-2006",
    "kazai-lalmas-2006-bounded",
    "overlap-off",
    {"name": "linear", "effort": {"interpolation": "linear"}, "quantisation": "gen"},
    {"name": "max", "effort": {"unretrieved": "max"}, "relevance_value": {"alpha": 0.5}},
    {"name": "near", "relevance_value": {"near_misses": "distance", "alpha": 0.3}},
    {"name": "leaves", "ideal": "leaves"},
]


@pytest.mark.parametrize("model", MODELS, ids=lambda m: m if isinstance(m, str) else m["name"])
def test_the_derivation_ends_in_the_values_of_evaluate(model: Any) -> None:
    sample = xcg.load(ROOT / "configs" / "quickstart.yaml").inputs
    campaign = sample.assessments, sample.runs, sample.corpus, model
    results = xcg.evaluate(*campaign[:3], model, "MAep nxCG@3 nxCG@10 xCG@60")
    for topic in ("1", "9"):
        for one in explain(replace(sample, user_model=model), topic):
            derivation = one.derivation
            assert derivation is not None
            assert derivation.maep == pytest.approx(results.value(one.run, "MAep", topic), abs=1e-12)
            printed = re.search(r" = ([\d.]+); N", derivation.sentence)
            assert printed is not None
            assert printed[1] == f"{results.value(one.run, 'MAep', topic):.4f}"
            gained = 0.0
            for step in derivation.steps:
                gained += step.gain
                assert step.xcg == pytest.approx(gained)
                assert step.ep == pytest.approx(step.ideal_rank / step.rank)
                assert step.nxcg == pytest.approx(step.xcg / step.xci)
                if step.rank in (3, 10):
                    assert step.nxcg == pytest.approx(
                        results.value(one.run, f"nxCG@{step.rank}", topic)
                    )
            assert gained == pytest.approx(results.value(one.run, "xCG@60", topic))
            ideals = sum(ideal for rows in one.scores.values() for _, ideal in rows.values())
            of_max = "N = the larger of " in derivation.sentence
            counted = f"{ideals} ideal elements" if of_max else f"{len(one.missed)} ideal element"
            assert counted in derivation.sentence
            assert len(one.missed) <= ideals


def test_the_tables_show_the_steps_and_the_settings(xcg_command: Command) -> None:
    done = xcg_command(
        *("explain", ROOT / "configs" / "kazai-lalmas-2006.yaml", "--run", "rel_leaves"),
        *("--topic", "163"),
    )
    assert "   4  0.5000  1.5000  1.5000  1.0000      2.0000  0.5000\n" in done.stdout
    assert (
        "MAep = (0.9000 + 0.5000 + 0.5000) / 3 = 0.6333; N = 3 ranks with gain + 0 ideal elements not "
        "retrieved." in done.stdout
    )
    assert "effort.unretrieved uncredited" in done.stdout
    spans: dict[str, object] = {"name": "s", "quantisation": "inex2005_gen", "spans": "text"}
    spans["effort"] = {"unit": "characters"}
    (one,) = explain(
        Inputs({"1": {"d": [(0, 4)]}}, {"r": {"1": ["d#0:9"]}}, {"d": "x" * 20}, spans), "1"
    )
    text = terminal_text(ranking_tables(one))
    assert "MAep is computed over the text that is read" in " ".join(text.split())
