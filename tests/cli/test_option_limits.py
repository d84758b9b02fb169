"""Every numeric option has limits, and a value outside of them ends in one message."""

from __future__ import annotations

from collections.abc import Iterator

import click
import pytest
from conftest import Command

from xcg.cli.main import COMMANDS, main
from xcg.cli.options import MAX_COUNT, MAX_NUMBER, MAX_SEED

CONFIG = "configs/kazai-lalmas-2006.yaml"
DIGITS = "9" * 5000


def number_options() -> Iterator[tuple[str, str, click.IntRange]]:
    """Yield the command, name and range of every integer option."""
    context = click.Context(main)
    for name in COMMANDS:
        command = main.get_command(context, name)
        assert command is not None
        inner = command.commands.items() if isinstance(command, click.Group) else [("", command)]
        for sub_name, one in inner:
            for option in one.params:
                if isinstance(option.type, click.IntRange):
                    yield f"{name} {sub_name}".strip(), option.opts[0], option.type


def test_every_whole_number_has_a_limit() -> None:
    options = list(number_options())
    assert len(options) > 30
    for command, option, limits in options:
        expected = {"--seed": {MAX_SEED}, "--port": {65535}}.get(option, {MAX_COUNT, MAX_NUMBER})
        assert limits.max in expected, (command, option)
        assert limits.min is not None, (command, option)


@pytest.mark.parametrize("value", [str(MAX_SEED + 1), "9" * 400, DIGITS, "-1", "nan", "1e3", ""])
def test_a_number_outside_of_the_limits_is_one_message(xcg_command: Command, value: str) -> None:
    for command, option in (("curves", "--depth"), ("levels", "--swaps"), ("levels", "--seed")):
        done = xcg_command(command, option, value)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.count("Error: ") == 1
        assert f"Invalid value for '{option}'" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("perturb", "--counts", "1000000"), "expected whole numbers up to 999,999, like '0 1 10'"),
        (("perturb", "--counts", DIGITS), "expected whole numbers up to 999,999, like '0 1 10'"),
        (("curves", "--depth", str(MAX_NUMBER)), "the highest rank is 100,000"),
        (
            ("evaluate", "--workers", "1001"),
            "1001 workers: expected 1 to 1,000, or -1 for one per core",
        ),
        (
            ("evaluate", "--measures", f"nxCG@{DIGITS}"),
            "it has 5,005 characters; expected at most 1,000",
        ),
    ],
)
def test_a_number_that_costs_too_much_is_one_message(
    xcg_command: Command, arguments: tuple[str, ...], message: str
) -> None:
    command, *options = arguments
    done = xcg_command(command, CONFIG, "--user-model", "kazai-lalmas-2006", *options)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("xcg: error: ")
    assert done.stderr.endswith(f"{message}\n")
    assert done.stderr.count("\n") == 1


def test_the_highest_cutoff_is_computed(xcg_command: Command) -> None:
    measures = f"nxCG@{MAX_NUMBER} MAnxCG@{MAX_NUMBER}"
    done = xcg_command("evaluate", CONFIG, "--user-model", "kazai-lalmas-2006", "--measures", measures)
    assert (done.returncode, done.stderr) == (0, "")
    assert f"nxCG@{MAX_NUMBER}" in done.stdout
