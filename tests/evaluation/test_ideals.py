"""Ideal recall-bases: what selections keep, the command, and a selection that a package adds."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import Command

from xcg.evaluation.ideals import ideal_elements
from xcg.evaluation.inputs import Inputs


def test_ideals_of_the_papers_tree(root: Path) -> None:
    """Kazai & Lalmas 2006, Figure 3 and Table I, with sog: the sum prefers the leaves, 4.75 to 1.5."""
    base = root / "assessments/kazai-lalmas-2006"
    found = {}
    for ideal in ("kazai_lalmas", "max_gain", "leaves", "roots"):
        elements = ideal_elements(Inputs(base, user_model={"name": ideal, "ideal": ideal}))
        found[ideal] = (len(elements), sum(element.score for element in elements))
    assert found["kazai_lalmas"] == (2, 1.5)
    assert found["max_gain"][1] == pytest.approx(4.75)
    assert found["roots"][0] == 1


def test_the_commands_of_all_topics(xcg_command: Command) -> None:
    call = ("explain", "configs/quickstart.yaml", "--user-model", "kazai-lalmas-2006")
    call += ("--format", "jsonl")
    done = xcg_command(*call)
    assert done.returncode == 0, done.stderr
    per_topic = [xcg_command(*call, "--topic", topic).stdout for topic in range(1, 16)]
    assert sorted(done.stdout.splitlines()) == sorted("".join(per_topic).splitlines())


def test_a_document_that_was_assessed_as_a_whole_has_the_path_of_a_whole_document() -> None:
    found = ideal_elements(
        Inputs({"1": {"d": 2, "e": 0}}, corpus={"d": "<a><b>x</b></a>", "e": "<a/>"})
    )
    assert [(element.file, element.path) for element in found] == [("d", "/")]
