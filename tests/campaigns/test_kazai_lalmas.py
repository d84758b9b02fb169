"""Options that Kazai and Lalmas (2006) do not use, on their runs."""

from __future__ import annotations

import pytest
from conftest import ROOT

import xcg


def test_other_options_on_the_runs_of_table_ii() -> None:
    table = xcg.load(ROOT / "configs/kazai-lalmas-2006.yaml").evaluate()
    # Linear interpolation at g = 0.6 (hand-computed): ideal 0.6/1, reverse_ideal 1 + (0.6 - 0.5)/1.
    assert table.value("reverse_ideal", "ep(interpolation=linear)@0.4") == pytest.approx(0.6 / 1.1)
    # Only rel_leaves has more hits (3) than there are ideal elements; no run misses an ideal element.
    assert table.value("rel_leaves", "MAep(unretrieved=max)") == pytest.approx(1.9 / 3)
    assert table.value("reverse_ideal", "Q(unretrieved=max)") == pytest.approx(0.875)
    over_gain = xcg.load(ROOT / "configs/kazai-lalmas-2006.yaml", measures="MAep(average=gain)")
    means = [f"{row.value:.4f}" for row in over_gain.evaluate().means()]
    assert means == ["1.0000", "1.0000", "0.6653", "0.7318"]


def test_section_5_2_3_evenly_spread_relevant_text_rewards_the_section() -> None:
    """The assumption of Gövert et al.: "a score of 9/10 · quant(assess(s1))"."""
    rule = {"partially_seen": "new_characters", "normalisation": "none"}
    results = xcg.evaluate(
        {"1": {"d": {"/s1": (3, 1), "/s1/p[1]": (3, 3)}}},
        {"run": {"1": ["d#/s1/p[1]", "d#/s1"]}},
        {"d": "<s1>" + "<p>0123456789</p>" * 10 + "</s1>"},
        {"name": "even", "relevance_value": rule},
        "xCG@2",
    )
    assert results.value("run", "xCG@2") == pytest.approx(1.0 + 9 / 10 * 0.25)
