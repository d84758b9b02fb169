"""Explanations as text."""

from __future__ import annotations

from xcg.evaluation.explain import explain
from xcg.report.explanations import ranking_table


def test_missed_ideal_elements_follow_the_ranking() -> None:
    gold = {"1": {"d": [(0, 4), (5, 9)]}}
    (found,) = explain(gold, {"r": {"1": [("d", 0, 4)]}}, "1", {"d": "aaaa bbbb cccc"}, "spans")
    text = ranking_table(found)
    ranking, missed = text.split("gained 1 of 2\n")
    assert ranking.startswith("r, topic 1, spans\n")
    (row,) = (line for line in missed.splitlines() if "5–9" in line)
    assert [cell.strip() for cell in row.split("│")] == ["", "d  5–9", "", "1", ""]
