"""``xcg check --levels``: levels of assessments, and two sets of judgements against each other."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from conftest import Command

# Järvelin and Kekäläinen (2002), Table 1: level → TREC irrelevant, TREC relevant.
TABLE_1 = {0: (2780, 691), 1: (134, 1004), 2: (40, 724), 3: (11, 353)}


@pytest.fixture
def judgements(tmp_path: Path) -> tuple[Path, Path]:
    new, old = [], []
    for level, numbers in TABLE_1.items():
        for binary, number in enumerate(numbers):
            for _ in range(number):
                new.append(f"351 0 d{len(new)} {level}\n")
                old.append(f"351 0 d{len(old)} {binary}\n")
    paths = tmp_path / "new.qrels", tmp_path / "trec.qrels"
    for path, lines in zip(paths, (new, old), strict=True):
        path.write_text("".join(lines))
    return paths


def test_table_1_of_jarvelin_and_kekalainen(
    judgements: tuple[Path, Path], xcg_command: Command
) -> None:
    call = ("check", "--levels", "--assessments", judgements[0])
    call = (*call, "--set", f"check.other={judgements[1]}")
    done = xcg_command(*call)
    # Pearson's correlation as computed by scipy
    note = "xcg: note: Pearson's correlation of the levels of 5737 documents and elements is 0.6329\n"
    assert (done.returncode, done.stderr) == (0, note)
    assert done.stdout.splitlines() == [
        "level    level 0  level 0 share  level 1  level 1 share  total  total share",
        "level 0     2780         0.9376      691         0.2493   3471       0.6050",
        "level 1      134         0.0452     1004         0.3622   1138       0.1984",
        "level 2       40         0.0135      724         0.2612    764       0.1332",
        "level 3       11         0.0037      353         0.1273    364       0.0634",
        "total       2965         1.0000     2772         1.0000   5737       1.0000",
    ]
    rows = list(csv.DictReader(xcg_command(*call, "--format", "csv").stdout.splitlines()))
    assert [float(row["level 1 share"]) for row in rows] == [
        691 / 2772,
        1004 / 2772,
        724 / 2772,
        353 / 2772,
        1,
    ]
    latex = xcg_command(*call, "--format", "latex").stdout
    assert "level 3 & 11 & 0.0037 & 353 & 0.1273 & 364 & 0.0634" in latex
    assert xcg_command(*call, "--format", "markdown").stdout.startswith("| level   | level 0 |")


def test_notes_name_what_only_one_set_assesses(tmp_path: Path, xcg_command: Command) -> None:
    (tmp_path / "a").write_text("1 0 d 1\n1 0 e 1\n1 0 f 0\n2 0 d 1\n")
    (tmp_path / "b").write_text("1 0 d 1\n1 0 g 1\n3 0 d 1\n4 0 d 1\n")
    call = ("check", "--levels", "--assessments", tmp_path / "a")
    call = (*call, "--set", f"check.other={tmp_path / 'b'}")
    done = xcg_command(*call, "--format", "jsonl")
    assert [json.loads(line)["total"] for line in done.stdout.splitlines()] == [1, 1]
    assert done.stderr.splitlines() == [
        "xcg: note: 3 documents and elements are only in the assessments, 3 only in check.other",
    ]


def test_misuses(tmp_path: Path, xcg_command: Command) -> None:
    (tmp_path / "a").write_text("351 0 d 1\n")
    (tmp_path / "b").write_text("351 0 e 1\n")
    one = ("--assessments", tmp_path / "a")
    for options, message in (
        ((), "no assessments: expected a CONFIG.yaml or --assessments PATH"),
        ((*one, "--review"), "levels and review are two tables: expected one of them"),
        ((*one, "--set", f"check.other={tmp_path}/b"), "share no assessed document or element"),
        ((*one, "--set", f"check.other={tmp_path}/c"), "c: "),
    ):
        done = xcg_command("check", "--levels", *options)
        assert (done.returncode, done.stdout) == (2, "")
        assert message in done.stderr
