"""The table of docs/studies/false-alarms.md, and what the page concludes from it."""

from __future__ import annotations

import re

import pytest
from conftest import ROOT, load_script

PAGE = (ROOT / "docs" / "studies" / "test-levels.md").read_text(encoding="utf-8")
PROCEDURES = ("Tukey", "Holm", "Shaffer", "named baseline")
Cell = tuple[str, int, int]


def parsed() -> dict[str, dict[Cell, tuple[float | None, float | None]]]:
    """Return procedure → (law, topics, runs) → per cent of false alarms, and power."""
    rows = re.findall(r"^\| ([a-h]) \| (\d+) \| (\d+) \| (.*) \|$", PAGE, re.MULTILINE)
    found: dict[str, dict[Cell, tuple[float | None, float | None]]] = {name: {} for name in PROCEDURES}
    for law, topics, runs, texts in rows:
        for name, text in zip(PROCEDURES, texts.split(" | "), strict=True):
            alarms, power = (None if one == "–" else float(one) for one in text.split(" / "))
            found[name][law, int(topics), int(runs)] = alarms, power
    return found


TABLE = parsed()


@pytest.mark.slow
@pytest.mark.parametrize("cell", [("b", 50, 20), ("d", 15, 8), ("g", 5, 8)])
def test_the_script_finds_the_table(cell: Cell) -> None:
    benchmark = load_script(ROOT / "benchmarks" / "false_alarms.py")
    for name, shares in benchmark.cell(*cell, campaigns=2000, seed=1).items():
        for share, percent in zip(shares, TABLE[name][cell], strict=True):
            assert percent == (None if share is None else pytest.approx(100 * share, abs=0.11))
