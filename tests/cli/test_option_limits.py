"""Every numeric option and key has limits, and a value outside of them ends in one message."""

from __future__ import annotations

from collections.abc import Iterator

import click
import pytest
from conftest import Command

from xcg.cli.main import COMMANDS, main
from xcg.settings.loading import KEYS
from xcg.settings.schema import MAX_COUNT, MAX_NUMBER, MAX_SEED

CONFIG = "configs/kazai-lalmas-2006.yaml"
DIGITS = "9" * 5000


def number_options() -> Iterator[tuple[str, str, click.IntRange]]:
    """Yield the command, name and range of every integer option that is no key."""
    context = click.Context(main)
    for name in COMMANDS:
        command = main.get_command(context, name)
        assert command is not None
        for option in command.params:
            if isinstance(option.type, click.IntRange):
                yield name, option.opts[0], option.type


def test_every_whole_number_has_a_limit() -> None:
    options = list(number_options())
    assert len(options) >= 10
    for command, option, limits in options:
        expected = {"--seed": {MAX_SEED}, "--port": {65535}}.get(option, {MAX_COUNT, MAX_NUMBER})
        assert limits.max in expected, (command, option)
        assert limits.min is not None, (command, option)


@pytest.mark.parametrize("number", ["1_0", "\u0663", "0x1", "nan", "inf"])
def test_numbers_are_ascii_decimals(number: str) -> None:
    context = click.Context(main)
    commands = [main.get_command(context, name) for name in COMMANDS]
    options = [option for command in commands if command is not None for option in command.params]
    types = [option.type for option in options if option.type.name.startswith(("integer", "float"))]
    assert len(types) >= 15
    for one in types:
        with pytest.raises(click.BadParameter):
            one.convert(number, None, context)


@pytest.mark.parametrize("value", [DIGITS[:101], "-1", ".nan", "1e400", "1_0", "\u0663", "[]", ""])
@pytest.mark.parametrize("key", [key for key in KEYS.values() if key.type.metavar == "NUMBER"])
def test_a_number_outside_of_the_limits_is_one_message(
    xcg_command: Command, key: object, value: str
) -> None:
    name = key.name  # type: ignore[attr-defined]
    if (name, value) == ("workers", "-1"):
        return
    done = xcg_command("study", "levels", "--set", f"{name}={value}")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"xcg: error: --set {name}: ")
    assert done.stderr.count("\n") == 1
    assert len(done.stderr) < 300


@pytest.mark.parametrize(
    ("command", "options", "message"),
    [
        ("curves", ("--set", f"curves.depth={MAX_NUMBER}"), "the highest rank is 100,000"),
        (
            "evaluate",
            ("--measures", f"nxCG@{DIGITS}"),
            "or your own as module:function; at most 1,000 characters",
        ),
        ("chunks", ("--budget", DIGITS), "found str '" + "9" * 79 + "…"),
    ],
)
def test_a_number_that_costs_too_much_is_one_message(
    xcg_command: Command, command: str, options: tuple[str, ...], message: str
) -> None:
    done = xcg_command(command, CONFIG, *options)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("xcg: error: ")
    assert done.stderr.endswith(f"{message}\n")
    assert done.stderr.count("\n") == 1


def test_the_highest_cutoff_is_computed(xcg_command: Command) -> None:
    measures = f"nxCG@{MAX_NUMBER} MAnxCG@{MAX_NUMBER}"
    done = xcg_command("evaluate", CONFIG, "--user-model", "kazai-lalmas-2006", "--measures", measures)
    assert (done.returncode, done.stderr) == (0, "")
    assert f"nxCG@{MAX_NUMBER}" in done.stdout
