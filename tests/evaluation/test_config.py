"""Inputs of a configuration: paths, user models and measures with the places of their keys."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

import xcg
from xcg.errors import XcgError


def configure(folder: Path, **changes: object) -> Path:
    content: dict[str, object] = {"assessments": "a", "runs": ["r"], "measures": ["MAep"]}
    content.update(changes)
    path = folder / "config.yaml"
    path.write_text(yaml.safe_dump(content))
    return path


def test_paths_are_relative_to_the_file(tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text("name: mine")
    models = ["overlap-off", "mine.yaml", {"name": "inline", "base": "mine.yaml"}]
    inputs = xcg.load(configure(tmp_path, corpus="c", user_model=models, ties="rank")).inputs
    assert inputs.corpus == tmp_path / "c"
    assert inputs.assessments == [tmp_path / "a"]
    assert [model.name for model in inputs.user_models] == ["overlap-off", "mine", "inline"]
    assert inputs.ties == "rank"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"measures": ["MAepp"]}, "measures[0]: unknown measure 'MAepp': did you mean 'MAep'?"),
        ({"user_model": [{"name": "m", "sise": "x"}]}, "user_model[0].sise: unknown key"),
        ({"user_model": "none.yaml"}, "none.yaml: no such file"),
        ({"user_model": ["overlap-off"] * 2}, "user_model: two user models are named 'overlap-off'"),
        ({"user_model": {"base": "overlap-of"}}, "user_model.base: unknown user model 'overlap-of'"),
        (
            {"strategies": [{"name": "unique", "x": 1}]},
            "strategies[0].x: strategy unique has no parameter 'x'",
        ),
        ({"gold": "g"}, "gold: means assessments: expected one of them"),
        ({"workers": 2, "scheduler": "tcp://x"}, "workers: has no effect with scheduler"),
    ],
)
def test_an_error_names_the_file_the_line_and_the_key(
    tmp_path: Path, changes: dict[str, object], message: str
) -> None:
    path = configure(tmp_path, **changes)
    with pytest.raises(XcgError) as raised:
        _ = xcg.load(path).inputs
    where, _, text = str(raised.value).removeprefix(f"{path}:").partition(": ")
    assert where.isdecimal()
    assert message in text


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({}, "no assessments: expected a CONFIG.yaml or --assessments PATH (assessments=…)"),
        ({"assessments": {"1": {"d": 1}}}, "no runs: expected a CONFIG.yaml or --run PATH (runs=…)"),
    ],
)
def test_missing_inputs_are_named(keys: Any, message: str) -> None:
    with pytest.raises(XcgError) as raised:
        xcg.load(**keys).evaluate()
    assert str(raised.value) == message


def test_a_recall_base_of_passages_is_not_missing() -> None:
    base = xcg.RecallBase.of({"1": {"d": [(0, 4)]}})
    found = xcg.load(assessments=base, runs={"r": {"1": [("d", 0, 4)]}}, measures="AP").evaluate()
    assert found.value("r", "AP") == 1
