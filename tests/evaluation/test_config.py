"""Configuration files: paths, and errors with their keys."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from xcg.errors import XcgError
from xcg.evaluation.config import load_configuration


def configure(folder: Path, **changes: object) -> Path:
    content: dict[str, object] = {"assessments": "a", "runs": ["r"], "measures": ["MAep"]}
    content.update(changes)
    path = folder / "config.yaml"
    path.write_text(yaml.safe_dump(content))
    return path


def test_paths_are_relative_to_the_file(tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text("name: mine")
    path = configure(
        tmp_path, corpus="c", user_model=["overlap-off", "mine.yaml", {"name": "inline"}], ties="rank"
    )
    configuration = load_configuration(path)
    assert configuration.corpus == tmp_path / "c"
    assert configuration.assessments == [tmp_path / "a"]
    assert [model.name for model in configuration.user_models] == ["overlap-off", "mine", "inline"]
    assert configuration.ties == "rank"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"corpse": "c"}, "corpse: unknown key: did you mean 'corpus'?"),
        ({"measures": ["MAepp"]}, "measures[0]: unknown measure 'MAepp': did you mean 'MAep'?"),
        ({"measures": [3]}, "measures[0]: expected text"),
        ({"measures": []}, "measures: expected a list"),
        ({"topics": {"unanswered": "none"}}, "topics.unanswered: illegal value 'none'"),
        ({"topics": {"file": "topics.xml"}}, "topics.file: unknown key: did you mean 'files'?"),
        ({"topics": {"files": []}}, "topics.files: expected at least one path"),
        ({"topics": {"missing": "zero"}}, "topics.missing: unknown key"),
        ({"user_model": "kazai-lalmas-2005"}, "user_model: unknown user model"),
        ({"user_model": {"name": "m", "size": "x"}}, "user_model.size: illegal value 'x'"),
        ({"user_model": [{"name": "m", "sise": "x"}]}, "user_model[0].sise: unknown key"),
        ({"user_model": "none.yaml"}, "none.yaml: no such file"),
        ({"runs": 7}, "runs: expected text"),
        ({"ties": "random"}, "ties: illegal value 'random'"),
    ],
)
def test_an_error_names_the_file_and_the_key(
    tmp_path: Path, changes: dict[str, object], message: str
) -> None:
    path = configure(tmp_path, **changes)
    with pytest.raises(XcgError) as raised:
        load_configuration(path)
    assert message in str(raised.value)
    assert str(tmp_path) in str(raised.value)
