"""``xcg check --review`` lists what to review in gold."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from conftest import Command

ANSWER = "Foragers dance on the comb to point their sisters to food."
TABLES = f"""\
Gold spans that no run finds: 1 of 3. The largest share of each that one result contains is below 0.5:
question  document  offsets  share  run  text
3         b         0–16      0.00       It is known that

Passages that repeat gold and are not gold for their question: 2
question  document  offsets  text
1         b         17–75    {ANSWER.lower()}
2         a         0–58     {ANSWER}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.txt").write_text(ANSWER)
    (tmp_path / "docs" / "b.txt").write_text(f"It is known that {ANSWER.lower()}")
    spans = [("1", "a", 0, 58), ("2", "b", 17, 75), ("3", "b", 0, 16)]
    write(
        tmp_path / "gold.jsonl", [{"topic": t, "doc": d, "start": s, "end": e} for t, d, s, e in spans]
    )
    for name, results in {
        "bm25": [("1", "a", 0, 58), ("2", "b", 17, 45), ("3", "a", 0, 9)],
        "dense": [("1", "b", 17, 75), ("2", "b", 17, 75), ("3", "a", 0, 9)],
    }.items():
        records = [{"topic": t, "doc": d, "start": s, "end": e, "rank": 1} for t, d, s, e in results]
        write(tmp_path / f"{name}.jsonl", records)
    return tmp_path


def write(path: Path, records: list[dict[str, object]]) -> None:
    path.write_text("".join(json.dumps(record) + "\n" for record in records))


def call(folder: Path) -> list[str]:
    runs = ["--run", f"{folder}/bm25.jsonl", "--run", f"{folder}/dense.jsonl"]
    return ["check", "--review", "--gold", f"{folder}/gold.jsonl", "--corpus", f"{folder}/docs", *runs]


def test_the_tables(folder: Path, xcg_command: Command) -> None:
    done = xcg_command(*call(folder))
    assert done.returncode == 0, done.stderr
    assert done.stdout == TABLES
    assert done.stderr == (
        "xcg: note: gold spans with fewer than 40 characters without white space, of which no "
        "duplicates were searched: 1\n"
    )


def test_records_in_all_formats(folder: Path, xcg_command: Command) -> None:
    lines = xcg_command(*call(folder), "--format", "jsonl").stdout
    records = [json.loads(line) for line in lines.splitlines()]
    sections = ["missed", "duplicate", "duplicate"]
    assert [record["section"] for record in records] == sections
    rows = list(csv.DictReader(io.StringIO(xcg_command(*call(folder), "--format", "csv").stdout)))
    assert [row["section"] for row in rows] == sections
    assert rows[0].keys() == records[0].keys()
    assert (rows[1]["text"], rows[1]["gold_doc"]) == (ANSWER.lower(), "a")


def test_a_duplicate_can_be_copied_into_the_gold(folder: Path, xcg_command: Command) -> None:
    done = xcg_command(*call(folder), "--format", "jsonl", "--output", folder / "review.jsonl")
    assert done.returncode == 0, done.stderr
    lines = (folder / "review.jsonl").read_text().splitlines()
    records = [record for line in lines if (record := json.loads(line))["section"] == "duplicate"]
    fields = ("topic", "doc", "start", "end", "text")
    assert len(records) == 2
    with (folder / "gold.jsonl").open("a") as gold:
        gold.writelines(json.dumps({name: one[name] for name in fields}) + "\n" for one in records)
    done = xcg_command("check", "--assessments", folder / "gold.jsonl", "--corpus", folder / "docs")
    assert done.returncode == 0, done.stdout
    assert "not gold for their question: 0" in xcg_command(*call(folder)).stdout


def test_a_configuration_needs_no_measures(folder: Path, xcg_command: Command) -> None:
    (folder / "c.yaml").write_text(
        "assessments: gold.jsonl\nruns: [bm25.jsonl, dense.jsonl]\ncorpus: docs\nmeasures: [MAep, RR]\n"
    )
    done = xcg_command("check", "--review", folder / "c.yaml")
    assert done.stdout == xcg_command(*call(folder)).stdout
