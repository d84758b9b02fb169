"""Completion of commands, options and names in the shell."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.shell_completion import CompletionItem, ShellComplete
from conftest import ROOT

from xcg.cli.main import COMMANDS, main
from xcg.measures import MEASURES
from xcg.strategies.registry import STRATEGIES
from xcg.user_model.model import shipped_models


def completions(*words: str) -> list[CompletionItem]:
    """Return the completions of the last word."""
    return ShellComplete(main, {}, "xcg", "_XCG_COMPLETE").get_completions(list(words[:-1]), words[-1])


def values(*words: str) -> list[str]:
    return [item.value for item in completions(*words) if item.type == "plain"]


def test_commands_are_completed_with_their_summaries() -> None:
    assert values("") == list(COMMANDS)
    assert [(item.value, item.help) for item in completions("sw")] == [("sweep", COMMANDS["sweep"][1])]
    assert values("study", "p") == ["perturb", "plan"]


@pytest.mark.parametrize(
    ("words", "names"),
    [
        (("evaluate", "--measures", "M"), [name for name in MEASURES if name.startswith("M")]),
        (("list", "measures", "MA"), [name for name in MEASURES if name.startswith("MA")]),
        (("study", "laws", "--measure", "M"), [name for name in MEASURES if name.startswith("M")]),
        (("evaluate", "--strategy", ""), STRATEGIES),
        (("evaluate", "--user-model", ""), shipped_models()),
        (("list", "user"), ["user-models"]),
        (("compare", "--table", ""), ["pairs", "overall", "orders"]),
        (("compare", "--format", "m"), ["markdown"]),
        (("compare", "--set", "compare.t"), ["compare.test=", "compare.table="]),
        (("explain", "--to"), ["--topic"]),
        (("evaluate", "--user-model", "no"), []),
    ],
)
def test_names_are_completed(words: tuple[str, ...], names: list[str]) -> None:
    assert sorted(values(*words)) == sorted(names)


@pytest.mark.parametrize(
    "words",
    [
        *(("evaluate", option) for option in ("--run", "--assessments", "--corpus", "--user-model")),
        ("evaluate",),
    ],
)
def test_paths_are_completed_by_the_shell(words: tuple[str, ...]) -> None:
    assert (completions(*words, "co")[0].type, completions(*words, "co")[0].value) == ("file", "co")


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_bash_completes_names_after_the_documented_line(tmp_path: Path) -> None:
    executable = tmp_path / "xcg"
    executable.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m xcg "$@"\n')
    executable.chmod(0o755)
    script = (
        f'PATH="{tmp_path}:$PATH"\n'
        'eval "$(_XCG_COMPLETE=bash_source xcg)"\n'
        "COMP_WORDS=(xcg evaluate --strategy to) COMP_CWORD=3\n"
        "_xcg_completion xcg\n"
        'echo "${COMPREPLY[@]}"\n'
    )
    done = subprocess.run(["bash", "-c", script], cwd=ROOT, capture_output=True, text=True)
    assert done.stdout == "top_ranked\n", done.stderr
