"""Ideal recall-bases: what selections keep, the command, and a selection that a package adds."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import Command

from xcg.errors import XcgError
from xcg.evaluation.ideals import ideal_elements, judged_elements
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


# Sizes of the elements: by hand from the text, as characters and as words.
SIZED = "<a>12 <s>one two <p>three</p></s><s>four</s></a>"
SIZED_BASE = {"1": {"d": {"/a": (2, 1), "/a/s[1]": (2, 2), "/a/s[1]/p[1]": (3, 3)}}}
SIZED_FILES = (
    '{"topic": "1", "doc": "d", "path": "/a", "exhaustivity": 2, "specificity": 1}\n'
    '{"topic": "1", "doc": "d", "path": "/a/s[1]", "exhaustivity": 2, "specificity": 2}\n'
    '{"topic": "1", "doc": "d", "path": "/a/s[1]/p[1]", "exhaustivity": 3, "specificity": 3}\n'
)


def sized_campaign(folder: Path) -> list[str]:
    (folder / "corpus").mkdir()
    (folder / "corpus/d.xml").write_text(SIZED)
    (folder / "base.jsonl").write_text(SIZED_FILES)
    return ["--assessments", str(folder / "base.jsonl"), "--corpus", str(folder / "corpus")]


def test_a_tree_needs_an_assessed_topic_and_elements() -> None:
    with pytest.raises(XcgError, match="no assessments for topic '2'"):
        judged_elements(Inputs(SIZED_BASE), ["2"])
    with pytest.raises(XcgError, match="the user model spans scores results as text"):
        judged_elements(Inputs(SIZED_BASE, user_model="spans"))


def test_the_command_draws_trees_with_sizes(tmp_path: Path, xcg_command: Command) -> None:
    # a: "12 one two threefour", 20 characters, 4 words; s[1]: "one two three", 13 and 3; p: 5 and 1
    files, tree = sized_campaign(tmp_path), ("--set", "explain.tree=true")
    done = xcg_command("explain", *files, *tree)
    assert done.stdout.splitlines() == [
        "d, topic 1, kazai-lalmas-2006",
        "a[1]  (2,1)  score 0.1  20 characters",
        "└── s[1]  (2,2)  score 0.5  13 characters, 0.65 of parent",
        "    └── p[1]  (3,3)  ideal 1  5 characters, 0.38 of parent",
    ]
    (tmp_path / "words.yaml").write_text("{name: words, size: words}")
    words = xcg_command("explain", *files, *tree, "--user-model", tmp_path / "words.yaml").stdout
    assert "s[1]  (2,2)  score 0.5  3 words, 0.75 of parent" in words
    assert "p[1]  (3,3)  ideal 1  1 words, 0.33 of parent" in words
    records = xcg_command("explain", *files, *tree, "--format", "jsonl").stdout.splitlines()
    record = json.loads(records[1])
    assert (record["path"], record["size"], record["ratio"]) == ("/a[1]/s[1]", 13, 13 / 20)
    unknown = xcg_command("explain", *files[:2], *tree).stdout
    assert "sizes of 3 elements are unknown; the corpus has them (--corpus)" in unknown
    assert "of parent" not in unknown
