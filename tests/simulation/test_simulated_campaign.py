"""A simulated campaign follows from its seed, and the command evaluates it."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest
from conftest import Command
from simulated_campaign import SHAPE, campaign_folder, files_in

import xcg
from xcg.simulation.campaign import simulate
from xcg.simulation.shape import Shape


def test_the_same_seed_gives_the_same_bytes(tmp_path: Path) -> None:
    simulate(tmp_path / "again", SHAPE)
    assert files_in(tmp_path / "again") == files_in(campaign_folder())
    simulate(tmp_path / "other", dataclasses.replace(SHAPE, seed=8))
    assert files_in(tmp_path / "other") != files_in(campaign_folder())


@pytest.mark.parametrize(
    ("change", "unchanged"),
    [
        ({"runs": 3}, ("documents", "assessments", "runs")),
        ({"topics": 2}, ("documents", "assessments")),
        ({"results": 10}, ("documents", "assessments")),
        ({"assessors": 3}, ("documents", "assessments", "runs")),
        ({"agreement": 0.1}, ("documents", "assessments/assessor1", "runs")),
        ({"articles": 20}, ("documents",)),
    ],
)
def test_a_file_does_not_depend_on_the_number_of_others(
    tmp_path: Path, change: dict[str, Any], unchanged: tuple[str, ...]
) -> None:
    simulate(tmp_path / "other", dataclasses.replace(SHAPE, **change))
    first, other = files_in(campaign_folder()), files_in(tmp_path / "other")
    for folder in unchanged:
        shared = [name for name in other if name.startswith(folder) and name in first]
        assert shared
        assert {name: other[name] for name in shared} == {name: first[name] for name in shared}
    added = [name for name in other if name.startswith(unchanged) and name not in first]
    assert all("assessor3" in name for name in added)


def test_the_command_evaluates_it(xcg_command: Command) -> None:
    done = xcg_command("evaluate", campaign_folder() / "config.yaml")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("run0") == 9


def test_a_folder_with_files_is_left_unchanged(tmp_path: Path) -> None:
    (tmp_path / "kept.txt").write_text("mine")
    with pytest.raises(xcg.InputError, match="not empty; expected a new folder"):
        simulate(tmp_path, Shape.small())
    with pytest.raises(xcg.InputError, match="cannot write"):
        simulate(tmp_path / "kept.txt", Shape.small())
    assert files_in(tmp_path) == {"kept.txt": b"mine"}


def test_the_command_writes_a_campaign_once(xcg_command: Command, tmp_path: Path) -> None:
    folder = tmp_path / "campaign"
    options = ("--small", "--articles", "20", "--topics", "3", "--runs", "2", "--results", "30")
    done = xcg_command("simulate", folder, *options)
    assert done.returncode == 0, done.stderr
    assert "20 articles" in done.stderr
    evaluated = xcg_command("evaluate", folder / "config.yaml", "--format", "jsonl")
    assert evaluated.returncode == 0, evaluated.stderr
    again = xcg_command("simulate", folder, *options)
    assert again.returncode == 2
    assert "not empty" in again.stderr
