"""Compare the page on false alarms with its simulation, and its advice with its table."""

from __future__ import annotations

from typing import Any

import pytest
from conftest import ROOT, load_script

PAGE = (ROOT / "docs" / "studies" / "test-levels.md").read_text(encoding="utf-8")
ROWS = [line for line in PAGE.splitlines() if line[:2] == "| " and line[3:5] == " |"]


def rates() -> dict[tuple[str, int, int], list[tuple[float | None, float | None]]]:
    """Return false alarms and power by Tukey, Holm, Shaffer and named baseline, for each cell."""

    def number(text: str) -> float | None:
        return None if text == "–" else float(text)

    found = {}
    for row in ROWS:
        law, topics, runs, *cells = (cell.strip() for cell in row.strip("|").split("|"))
        pairs = [cell.split(" / ") for cell in cells]
        found[law, int(topics), int(runs)] = [(number(a), number(b)) for a, b in pairs]
    return found


@pytest.mark.slow
def test_the_rows_of_the_page_are_those_of_the_script(capsys: Any) -> None:
    script = load_script(ROOT / "benchmarks" / "false_alarms.py")
    script.main(["--topics", "5", "--topics", "15"])
    script.main(["--topics", "50", "--runs", "8"])
    printed = [line for line in capsys.readouterr().out.splitlines() if line[3:5] == " |"]
    assert len(printed) == 40
    assert set(printed) < set(ROWS)


def test_the_advice_follows_from_the_table() -> None:
    table = rates()
    assert set(table) == {(law, n, k) for law in "abcdefgh" for n in (5, 15, 50) for k in (8, 20)}
    tukey = {cell: found[0][0] or 0 for cell, found in table.items()}
    assert [cell for cell, rate in tukey.items() if rate > 6.2] == [c for c in table if c[0] in "bcdg"]
    assert max(tukey.values()) == 39.2
    others = {
        cell[0] for cell, found in table.items() for alarms, _ in found[1:] if (alarms or 0) > 6.2
    }
    assert others == {"g"}
    powers = [(found[1][1], found[3][1]) for found in table.values()]
    known = [(holm, named) for holm, named in powers if holm is not None and named is not None]
    assert (len(known), sum(named > holm for holm, named in known)) == (18, 17)
    assert [table["g", n, 20][2][0] for n in (5, 15, 50)] == [78, 23.4, 5.9]
