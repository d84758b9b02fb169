"""Ideal recall-bases: what selections keep, the command, and a selection that a package adds."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from conftest import Command

from xcg.documents.tree import ElementTree
from xcg.errors import XcgError
from xcg.evaluation.ideals import ideal_statistics
from xcg.evaluation.inputs import Inputs
from xcg.user_model.ideal import SELECTIONS

BASE = {"1": {"d": {"/a": (2, 1), "/a/s[1]": (3, 3), "/a/s[2]": (2, 2)}}}


def test_ideals_of_the_papers_tree(root: Path) -> None:
    """Kazai & Lalmas 2006, Figure 3 and Table I, with sog: the sum prefers the leaves, 4.75 to 1.5."""
    base = root / "assessments/kazai-lalmas-2006"
    found = {}
    for ideal in ("kazai_lalmas", "max_gain", "leaves", "roots"):
        (line,) = ideal_statistics(Inputs(base, user_model={"name": ideal, "ideal": ideal}))
        found[ideal] = (line.ideal, line.gain)
    assert found["kazai_lalmas"] == (2, 1.5)
    assert found["max_gain"][1] == 4.75
    assert found["roots"][0] == 1


def test_statistics_of_an_ideal_selection() -> None:
    # text: s[1] has 10 characters, 6 of them in its p; s[2] has 10
    document = "<a><s>1234<p>567890</p></s><s>1234567890</s></a>"
    base = {"1": {"d": {"/a": (1, 1), "/a/s[1]": (2, 2), "/a/s[1]/p[1]": (3, 3)}}}
    found = {
        ideal: ideal_statistics(Inputs(base, (), {"d": document}, {"name": ideal, "ideal": ideal}))[0]
        for ideal in ("leaves", "roots", "full")
    }
    leaves, roots, full = found["leaves"], found["roots"], found["full"]
    assert (leaves.relevant, leaves.ideal, leaves.depth, leaves.characters) == (3, 1, 3, 6)
    assert (leaves.covered, leaves.relevant_text) == (1, 1)
    assert (roots.ideal, roots.gain, roots.characters) == (1, 0.1, 20)
    assert (roots.covered, roots.relevant_text) == (1, 6 / 20)
    assert (full.ideal, full.gain, full.depth, full.characters) == (3, 1.6, 2, 12)
    (paths,) = ideal_statistics(Inputs(base))
    assert (paths.ideal, paths.characters, paths.covered) == (1, None, None)


def test_statistics_on_the_command_line(xcg_command: Command) -> None:
    call = (
        "ideal",
        "configs/quickstart.yaml",
        "--user-model",
        "kazai-lalmas-2006",
        "--format",
        "jsonl",
    )
    lines = [json.loads(line) for line in xcg_command(*call, "--statistics").stdout.splitlines()]
    assert len(lines) == 15
    assert all(0 < line["covered"] <= 1 and line["ideal"] <= line["relevant"] for line in lines)
    wrong = xcg_command(*call)
    assert wrong.returncode == 2
    assert "expected either --topic, or --statistics for all topics" in wrong.stderr


def largest(tree: ElementTree, scores: dict[str, float]) -> list[str]:
    """Keep the largest element."""
    return sorted((path for path in scores if scores[path] > 0), key=len)[:1]


def test_an_installed_package_adds_user_model_parts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What an installed package declares as entry points is found by name."""
    info = tmp_path / "thesis-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: thesis\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[xcg.ideal]\nlargest = test_ideals:largest\n")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    monkeypatch.delitem(vars(SELECTIONS), "_entry_points", raising=False)  # may be cached
    assert "largest" in list(SELECTIONS)
    assert SELECTIONS.summary("largest") == "Keep the largest element."
    (line,) = ideal_statistics(Inputs(BASE, user_model={"name": "m", "ideal": "largest"}))
    assert (line.ideal, line.depth) == (1, 1)
    with pytest.raises(XcgError, match="did you mean 'largest'"):
        SELECTIONS.part("larges")
