"""The virtual users of docs/studies/virtual-users.md: its commands print its numbers."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest
from conftest import ROOT, Command, load_script
from page_session import add_samples

PAGE = ROOT / "docs" / "studies" / "virtual-users.md"
SAMPLE = ROOT / "corpora_samples" / "handbook-letor.txt"


def test_the_script_reproduces_the_committed_file(tmp_path: Path) -> None:
    module = load_script(ROOT / "corpora_samples" / "make_letor_sample.py")
    module.main(tmp_path)
    assert (tmp_path / SAMPLE.name).read_text() == SAMPLE.read_text()


def commands(text: str) -> list[str]:
    """Return the commands of the page; that in the loop is repeated."""
    lines = re.findall(
        r"^ *xcg (.*)$", "\n".join(re.findall(r"```sh\n(.*?)```", text, re.DOTALL)), re.M
    )
    values = [range(1, 9) if "$f" in line else range(1) for line in lines]
    return [
        line.replace("$f", str(number))
        for line, numbers in zip(lines, values, strict=True)
        for number in numbers
    ]


def test_the_commands_of_the_page_print_its_numbers(xcg_command: Command, tmp_path: Path) -> None:
    add_samples(tmp_path, "corpora_samples")
    text = PAGE.read_text(encoding="utf-8")
    values: dict[str, list[str]] = {}
    messages, printed = "", ""
    for line in commands(text):
        done = xcg_command(*shlex.split(line), cwd=tmp_path)
        assert done.returncode == 0, line
        messages += done.stderr
        if line.startswith("curves"):
            for row in map(json.loads, done.stdout.splitlines()):
                if row["x"] is None:
                    values.setdefault(row["run"], []).append(f"{row['y']:.3f}")
                elif row["x"] == 0:
                    assert row["y"] == 1  # Table 1 of the paper: all documents are relevant
        else:
            printed += done.stdout
    table = {
        cells[0].strip(): [cell.strip() for cell in cells[1:]]
        for cells in (row.split("|")[1:-1] for row in text.splitlines() if row.startswith("| feature"))
    }
    assert table == values
    assert "with 8 different levels above 0" in messages
    assert "with 31 different levels above 0" in messages
    assert "Pearson's correlation of the levels of 270 documents and elements is 0.6720" in messages
    assert re.search(r"muAP +levels +avgNDCG@18 +levels +1\.0000 +0\.9969 +1\.0000", printed)
    assert all((tmp_path / f"figure-{number}.png").stat().st_size > 10_000 for number in (6, 7, 8))
    # A strategy scores 1 for its own ratings, and the other virtual user is most similar to it.
    for user, column in (("feature-1", 3), ("feature-2", 6)):
        scores = sorted(table, key=lambda run: float(table[run][column]), reverse=True)
        assert table[user][column : column + 3] == ["1.000"] * 3
        assert scores[:2] == [user, {"feature-1": "feature-2", "feature-2": "feature-1"}[user]]


def test_pearson_of_the_page_is_that_of_numpy() -> None:
    numpy = pytest.importorskip("numpy")
    features = [
        [float(re.search(rf" {number}:(\S+)", line)[1]) for number in (1, 2)]  # type: ignore[index]
        for line in SAMPLE.read_text().splitlines()
    ]
    assert round(numpy.corrcoef(numpy.array(features).T)[0, 1], 4) == 0.672
