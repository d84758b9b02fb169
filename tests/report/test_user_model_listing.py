"""``xcg list user-models``: user models, their parts, and the ranges and defaults of parameters."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import Command

from xcg.report.listings import REGISTRIES
from xcg.user_model.model import UserModel, shipped_models


def cells(output: str) -> list[str]:
    """Return the lines of an output with single spaces."""
    return [" ".join(line.split()) for line in output.splitlines()]


def test_all_parts_are_listed_with_their_parameters(xcg_command: Command) -> None:
    listed = cells(xcg_command("list", "user-models").stdout)
    for registry in filter(list, REGISTRIES.values()):  # xcg itself has no readers
        assert any(line.startswith(f"{registry.kind} what it is") for line in listed)
        for name in registry:
            assert any(line.startswith(f"{name} ") for line in listed), name
    assert any(line.startswith("approximate Estimate where") for line in listed)
    assert any(line.startswith("distance ") and line.endswith("reach=2 decay=0.5") for line in listed)


@pytest.mark.parametrize("name", list(shipped_models()))
def test_a_user_model_is_explained_with_ranges_and_defaults(xcg_command: Command, name: str) -> None:
    model = UserModel.shipped(name)
    explained = xcg_command("list", "user-models", name).stdout
    lines = cells(explained)
    assert lines[0].startswith(f"{name}: ")
    assert f"relevance_value.alpha {model.relevance_value.alpha:g} 1 a number from 0 to 1" in lines
    assert f"effort.charge {model.effort.charge} as_read as_read | whole" in lines
    reason = model.reason_above_1
    bound = (
        f"Scores can be above 1: {reason}." if reason else "No ranking gains more than the ideal one."
    )
    assert bound in " ".join(explained.split())


def test_a_part_is_explained_with_its_parameters(xcg_command: Command) -> None:
    distance = cells(xcg_command("list", "user-models", "distance").stdout)
    assert distance[0].startswith("near-miss model distance(reach=2, decay=0.5): Reward elements by")
    assert "parameter: decay=0.5; a number from 0 to 1; Closeness at the distance 1" in distance


def test_the_models_of_a_file_are_explained(xcg_command: Command, tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text("name: mine\nrelevance_value: {near_misses: exact, alpha: [0.25, 0.5]}\n")
    lines = cells(xcg_command("list", "user-models", str(file)).stdout)
    assert "relevance_value.alpha 0.25 1 a number from 0 to 1" in lines
    assert "relevance_value.alpha 0.5 1 a number from 0 to 1" in lines
    assert lines.count("No ranking gains more than the ideal one.") == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["distanse"], "unknown user model 'distanse': did you mean 'distance'?"),
        (["overlap-of"], "unknown user model 'overlap-of': did you mean 'overlap-off'?"),
        (["none.yaml"], "none.yaml: "),
    ],
)
def test_a_wrong_name_has_one_message(xcg_command: Command, arguments: list[str], message: str) -> None:
    done = xcg_command("list", "user-models", *arguments)
    assert done.returncode == 2
    assert done.stderr.startswith(f"xcg: error: {message}")
    assert done.stderr.count("\n") == 1
    assert not done.stdout


def test_kinds_without_parts_are_not_listed(xcg_command: Command) -> None:
    headings = [line.split("  ")[0] for line in xcg_command("list", "user-models").stdout.splitlines()]
    assert "tokenizer" in headings
    assert "reader" not in headings  # xcg has none; packages can add some
