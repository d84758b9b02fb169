"""The same option has the same meaning in all commands that can have it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import click
import pytest
from conftest import Command

from xcg.cli.main import COMMANDS, main

OF_CONFIG = (*("--assessments", "--corpus", "--no-cache", "--lenient", "--output", "--user-model"),)
OF_RUNS = ("--run", "--document", "--order", "--ties", "--strategy")
MISSING = {
    ("distribution", "--user-model"): "counts assessments",
    ("validate", "--lenient"): "reports all problems",
    ("validate", "--strategy"): "checks files as they are",
    ("validate", "--user-model"): "checks files as they are",
    ("convert", "--strategy"): "xcg rewrite applies strategies",
}
"""Command and option → why the command lacks it."""
OTHER_KIND = {
    ("convert", "--run"): "converts one run",
    ("break", "--user-model"): "tests one measure",
    ("explain", "--topic"): "explains one topic",
    ("calibrate", "--test"): "studies several",
    ("calibrate", "--correction"): "studies several",
    ("calibrate", "--difference"): "studies several",
    ("stability assessors", "--topics"): "kinds of topics",
    ("plan", "--topics"): "a number of topics to plan for",
    ("stability assessors", "--agreement"): "a table",
}
"""Command and option → why its values are of another kind."""


def all_commands() -> Iterator[tuple[str, click.Command]]:
    for name in COMMANDS:
        command = main.get_command(click.Context(main), name)
        if isinstance(command, click.Group):
            yield from ((f"{name} {part}", one) for part, one in command.commands.items())
        elif command is not None:
            yield name, command


def options_of(command: click.Command) -> Mapping[str, click.Option]:
    options = [option for option in command.params if isinstance(option, click.Option)]
    return {option.opts[0]: option for option in options}


@pytest.mark.parametrize(("name", "command"), list(all_commands()), ids=str)
def test_a_command_has_all_options_that_make_sense(name: str, command: click.Command) -> None:
    arguments = [one.name for one in command.params if isinstance(one, click.Argument)]
    options = options_of(command)
    assert "--config" not in options  # CONFIG is an argument
    expected = list(OF_CONFIG if "config" in arguments else ())
    expected += OF_RUNS if "--run" in options else ()
    expected += ["--workers"] if "--unanswered" in options and name != "gold" else ()
    expected += ["--workers", "--scheduler"] if {"--workers", "--scheduler"} & set(options) else ()
    expected += ["--no-cache"] if "--corpus" in options else ()
    missing = {option for option in expected if option not in options}
    assert missing == {option for command_name, option in MISSING if command_name == name}


def test_an_option_is_of_the_same_kind_in_all_commands() -> None:
    kinds: dict[str, dict[object, list[str]]] = {}
    for name, command in all_commands():
        for option, declared in options_of(command).items():
            if (name, option) not in OTHER_KIND and option not in ("--format", "--to", "--all"):
                kind = (type(declared.type), declared.multiple, declared.is_flag)
                kinds.setdefault(option, {}).setdefault(kind, []).append(name)
    different = {option: uses for option, uses in kinds.items() if len(uses) > 1}
    assert not different


@pytest.mark.parametrize("option", ["--baseline", "--against", "--fail-if-worse-than", "--run"])
def test_an_option_for_a_run_says_so(option: str) -> None:
    for name, command in all_commands():
        declared = options_of(command).get(option)
        if declared is not None:
            assert " run" in str(declared.help), name


@pytest.mark.slow
@pytest.mark.parametrize(
    "command",
    [
        "compare {} --measures MAep",
        "sweep configs/sweep.yaml --measures MAep --resamples 0",
        "stability topics {} --measures MAep --user-model kazai-lalmas-2006 --trials 2 --resamples 9",
        "stability assessors {} --assessor assessments/handbook-second --user-model overlap-off "
        "--measures MAep --resamples 9",
        "chunks corpora_samples/chunks/retrieval.yaml --measures RR",
        "levels --swaps 3 --repetitions 2",
        "plan {} --measures MAep --user-model overlap-off",
        "calibrate {} --measures MAep --user-model overlap-off --test t --campaigns 20",
    ],
)
def test_workers_change_no_number(xcg_command: Command, command: str) -> None:
    words = command.format("configs/quickstart.yaml").split()
    one = xcg_command(*words, "--format", "jsonl")
    two = xcg_command(*words, "--format", "jsonl", "--workers", "2")
    assert one.returncode == 0, one.stderr
    assert one.stdout == two.stdout


def test_explanations_have_all_formats_of_records(xcg_command: Command) -> None:
    call = "explain configs/kazai-lalmas-2006.yaml --run frb --topic 163 --format"
    lines = xcg_command(*call.split(), "jsonl").stdout.splitlines()
    table = xcg_command(*call.split(), "csv").stdout.splitlines()
    assert len(table) == len(lines) + 1
    assert '"why"' in lines[0]
