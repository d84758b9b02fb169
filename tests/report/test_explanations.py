"""Explanations as text."""

from __future__ import annotations

from xcg.evaluation.explain import explain
from xcg.evaluation.inputs import Inputs
from xcg.report.explanations import ranking_tables
from xcg.terminal_tables import terminal_text


def test_missed_ideal_elements_follow_the_ranking() -> None:
    gold = {"1": {"d": [(0, 4), (5, 9)]}}
    (found,) = explain(Inputs(gold, {"r": {"1": [("d", 0, 4)]}}, {"d": "aaaa bbbb cccc"}, "spans"), "1")
    text = terminal_text(ranking_tables(found))
    ranking, missed = text.split("\nideal elements that were missed\n")
    assert ranking.startswith("r, topic 1, spans: gained 1.0000 of 2.0000\nquantisation inex2005_gen")
    (row,) = (line for line in missed.splitlines() if "5–9" in line)
    assert row.split() == ["d", "5–9", "1.0000"]
