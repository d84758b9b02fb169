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
ALARMS = {
    name: {cell: alarms for cell, (alarms, _) in cells.items() if alarms is not None}
    for name, cells in TABLE.items()
}
POWER = {
    name: {cell: power for cell, (_, power) in cells.items() if power is not None}
    for name, cells in TABLE.items()
}


@pytest.mark.slow
@pytest.mark.parametrize("cell", [("b", 50, 20), ("d", 15, 8), ("g", 5, 8)])
def test_the_script_finds_the_table(cell: Cell) -> None:
    benchmark = load_script(ROOT / "benchmarks" / "false_alarms.py")
    for name, shares in benchmark.cell(*cell, campaigns=2000, seed=1).items():
        for share, percent in zip(shares, TABLE[name][cell], strict=True):
            assert percent == (None if share is None else pytest.approx(100 * share, abs=0.11))


def test_what_the_page_says_about_levels() -> None:
    assert {len(cells) for cells in ALARMS.values()} == {48}
    above = {name: [cell for cell, rate in ALARMS[name].items() if rate > 6.2] for name in PROCEDURES}
    assert "above 6.2 % in 24 of 48 cells: in all of the laws b, c, d and g" in PAGE
    assert above["Tukey"] == [cell for cell in ALARMS["Tukey"] if cell[0] in "bcdg"]
    assert len(above["Tukey"]) == 24
    assert f"highest rate is {max(ALARMS['Tukey'].values())} %" in " ".join(PAGE.split())
    assert above["Holm"] == above["Shaffer"]
    assert {(law, topics) for law, topics, _ in above["Shaffer"]} == {("g", 5), ("g", 15)}
    assert {law for law, _, _ in above["named baseline"]} == {"g"}
    rates = [ALARMS["Shaffer"]["g", topics, 20] for topics in (5, 15, 50)]
    assert rates == [78.0, 23.4, 5.9]
    assert "in 78 % of the campaigns, with 15 topics in\n  23.4 %, with 50 in 5.9 %" in PAGE


def test_what_the_page_says_about_power() -> None:
    assert len(POWER["Holm"]) == 18
    gains = [POWER["Shaffer"][cell] - POWER["Holm"][cell] for cell in POWER["Holm"]]
    assert min(gains) >= 0
    assert max(gains) == pytest.approx(1.1)
    assert sum(POWER["named baseline"][cell] > POWER["Holm"][cell] for cell in POWER["Holm"]) == 17
    said = [("e", 50, 20, 6.7, 23.7), ("h", 15, 20, 8.6, 2.8), ("h", 50, 20, 66.9, 57.5)]
    for law, topics, runs, tukey, shaffer in said:
        assert POWER["Tukey"][law, topics, runs] == tukey
        assert POWER["Shaffer"][law, topics, runs] == shaffer
        assert f"{tukey} %" in PAGE
        assert f"{shaffer} %" in PAGE
