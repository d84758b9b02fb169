"""The gain of results that state nuggets: by hand, and properties on random cases."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import xcg

EXAMPLE = [
    {"topic": "1", "doc": "a", "start": 0, "end": 100, "nugget": "n1", "exhaustivity": 2},
    {"topic": "1", "doc": "b", "start": 40, "end": 90, "nugget": "n1", "exhaustivity": 2},
    {"topic": "1", "doc": "c", "start": 0, "end": 50, "nugget": "n2", "exhaustivity": 1},
]
RUNS = {
    "run1": {"1": [{"doc": "a", "start": 0, "end": 100}, {"doc": "b", "start": 40, "end": 90}]},
    "run2": {"1": [{"doc": "b", "start": 40, "end": 90}, {"doc": "c", "start": 0, "end": 50}]},
}
RUNS["run1"]["1"].append({"doc": "c", "start": 0, "end": 50})
RUNS["run2"]["1"].append({"doc": "a", "start": 0, "end": 100})
TEXT = "word " * 40
CORPUS = dict.fromkeys("abc", TEXT)


def model(alpha: float) -> dict[str, object]:
    return {"base": "spans", "relevance_value": {"alpha": alpha}}


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    path = tmp_path / "gold.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in EXAMPLE))
    return path


def gains(gold: Path, run: str, alpha: float) -> list[float]:
    names = [f"xCG@{rank}" for rank in (1, 2, 3)]
    found = xcg.evaluate(gold, RUNS, CORPUS, model(alpha), names)
    sums = [0.0, *(found.value(run, name) for name in names)]
    return [after - before for before, after in zip(sums, sums[1:], strict=False)]


def test_the_example_of_the_definition(gold: Path) -> None:
    assert gains(gold, "run1", 1.0) == pytest.approx([1, 0, 0.5])
    assert gains(gold, "run2", 1.0) == pytest.approx([1, 0.5, 0])
    assert gains(gold, "run1", 0.5) == pytest.approx([1, 0.5, 0.5])
