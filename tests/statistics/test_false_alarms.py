"""The table of docs/studies/test-levels.md, and what the page concludes from it."""

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
ALARMS = {
    name: {cell: alarms for cell, (alarms, _) in cells.items() if alarms is not None}
    for name, cells in TABLE.items()
}


@pytest.mark.slow
@pytest.mark.parametrize("cell", [("b", 15, 20), ("g", 5, 20)])
def test_the_script_finds_the_table(cell: Cell) -> None:
    benchmark = load_script(ROOT / "benchmarks" / "false_alarms.py")
    for name, shares in benchmark.cell(*cell, campaigns=2000, seed=1).items():
        for share, percent in zip(shares, TABLE[name][cell], strict=True):
            assert percent == (None if share is None else pytest.approx(100 * share, abs=0.11))


def test_what_the_page_says_about_levels() -> None:
    above = {name: {cell for cell, rate in ALARMS[name].items() if rate > 6.2} for name in PROCEDURES}
    assert above["Tukey"] == {cell for cell in ALARMS["Tukey"] if cell[0] in "bcdg"}
    assert f"up to {max(ALARMS['Tukey'].values())} %" in PAGE
    for name in PROCEDURES[1:]:
        assert {law for law, _, _ in above[name]} == {"g"}
    rates = [ALARMS["Shaffer"]["g", topics, 20] for topics in (5, 15, 50)]
    assert rates == [78.0, 23.4, 5.9]
    assert "in 78 % of the campaigns with 5 topics, in 23.4 % with 15 and in 5.9 % with\n  50" in PAGE
