"""Keys and options that contradict each other are refused with one message."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from conftest import Command

FILES = "configs/quickstart.yaml --measures MAep --user-model kazai-lalmas-2006"


@pytest.mark.parametrize(
    ("call", "place", "reason"),
    [
        (f"compare {FILES} --table overall --plot f.png", "--plot", "with the table overall"),
        (f"evaluate {FILES} --set scheduler=tcp://h:1 --workers 2", "--workers:", "with scheduler"),
        (f"check {FILES} --set check.other=q", "--set check.other", "without check.levels"),
        ("simulate new-folder --agreement 0.5", "--agreement", "without --assessors 2 or more"),
    ],
)
def test_what_has_no_effect_is_refused(
    xcg_command: Command, call: str, place: str, reason: str
) -> None:
    done = xcg_command(*call.split())
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"xcg: error: {place} has no effect {reason}")
    assert done.stderr.endswith(": remove it\n")
    assert done.stderr.count("\n") == 1


def test_the_keys_of_a_file_are_for_several_commands(xcg_command: Command, tmp_path: Path) -> None:
    (tmp_path / "q").write_text("".join(f"{topic} 0 d 1\n" for topic in range(5)))
    for run in "ab":
        (tmp_path / run).write_text("".join(f"{topic} Q0 d 1 9 {run}\n" for topic in range(5)))
    config = tmp_path / "c.yaml"
    config.write_text(
        "assessments: q\nruns: [a, b]\nuser_model: levels\nmeasures: [RR]\nplot: {path: p.svg}\n"
        "compare: {baseline: a, seed: 1}\ngate: {fail_under: {RR: 0.5}}\n"
        "check: {overlap: 0.9}\n"
    )
    for command in ("evaluate --format trec_eval", "gate", "check --levels", "explain"):
        done = xcg_command(command.split()[0], config, *command.split()[1:])
        assert done.returncode == 0, done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("test", ["t", "wilcoxon", "randomisation"])
@pytest.mark.parametrize("pairs", [(), ("--baseline", "focused")])
def test_each_correction_has_an_effect_or_is_refused(
    xcg_command: Command, test: str, pairs: tuple[str, ...]
) -> None:
    """The default is one of the corrections. The others give different results."""
    call = ("compare", *FILES.split(), *pairs, "--set", f"compare.test={test}")
    default = xcg_command(*call)
    corrections = ("shaffer", "tukey", "holm", "bonferroni", "fdr_bh", "none")
    done = [xcg_command(*call, "--set", f"compare.correction={one}") for one in corrections]
    accepted = [one.stdout for one in done if one.returncode == 0]
    assert len(set(accepted)) == len(accepted) >= 4
    assert accepted.count(default.stdout) == 1
    for refused in (one for one in done if one.returncode != 0):
        assert (refused.returncode, refused.stdout) == (2, "")
        assert re.search("the correction (tukey|shaffer) is only defined if", refused.stderr)
