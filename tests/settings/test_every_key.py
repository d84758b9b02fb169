"""Every key by ``--set`` and in Python; and the options of all commands."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest

from xcg.campaign import Campaign
from xcg.cli.command import Command
from xcg.cli.main import COMMANDS, main
from xcg.settings.loading import KEYS, stated
from xcg.settings.schema import Key

VALUES: dict[str, Any] = {
    "assessments": ["a.qrels"],
    "gold": ["gold.jsonl"],
    "runs": ["a.run", "b.run"],
    "corpus": "documents",
    "plot.width": "page",
    "user_model": ["spans", {"base": "overlap-off"}],
    "measures": ["nxCG@5", "RR"],
    "strategies": ["thorough", {"name": "promote_parent", "threshold": 0.4}],
    "document": "source",
    "workers": -1,
    "gate.max_drop": ["5%"],
    "gate.max_regressed": {"MAep": "20%"},
    "gate.fail_under": {"MAep": 0.3},
    "gate.expected_topics": 40,
    "study.laws.law": ["padding"],
    "judge.grades": {"levels": [1, 2]},
    "judge.nuggets": {"q1": ["cause", "cure"]},
}
"""Legal values of keys whose type is not simple."""


def legal_value(key: Key) -> Any:
    """Return a legal value that is not the default."""
    if key.name == "parents":  # only in Python
        return [("d", 0, 9)]
    if key.name in VALUES:
        return VALUES[key.name]
    if key.type.is_flag:
        return not key.default
    if key.type.choices:
        value: Any = next(one for one in key.type.choices if one not in (key.default, key.default_text))
    elif key.type.metavar == "NUMBER":
        value = next(one for one in (0.75, 7) if is_legal(key, one) and one != key.default)
    else:
        value = "some"
    return [value] if key.type.is_list else value


def is_legal(key: Key, value: object) -> bool:
    try:
        stated(keywords={key.name: value}).settings()
    except ValueError:
        return False
    return True


def value_of(campaign: Campaign, key: Key) -> Any:
    value: Any = campaign.settings
    for part in key.path:
        value = getattr(value, part)
    return value


@pytest.mark.parametrize("key", KEYS.values(), ids=lambda key: key.name)
def test_each_key_can_be_set_by_set_and_in_python(key: Key) -> None:
    value = legal_value(key)
    expected = value
    if key.type.metavar == "PATH":
        expected = [Path(one) for one in value] if isinstance(value, list) else Path(value)
    text = str(value).replace("'", "").replace("False", "false").replace("True", "true")
    in_files = [] if key.name == "parents" else [Campaign(stated(set=[f"{key.name}={text}"]))]
    for found in (
        *in_files,
        Campaign(stated(keywords={key.name: value})),
        Campaign(stated(keywords=nested(key.path, value))),
    ):
        assert value_of(found, key) == expected != key.default


def nested(path: tuple[str, ...], value: object) -> dict[str, Any]:
    for part in reversed(path):
        value = {part: value}
    assert isinstance(value, dict)
    return value


def all_commands() -> Iterator[tuple[str, click.Command]]:
    for name in COMMANDS:
        command = main.get_command(click.Context(main), name)
        if isinstance(command, click.Group):
            yield from ((f"{name} {part}", one) for part, one in command.commands.items())
        elif command is not None:
            yield name, command


def help_of(name: str, command: click.Command) -> str:
    return command.get_help(click.Context(command, info_name=f"xcg {name}", terminal_width=80))


def test_the_options_stay_few() -> None:
    shown = [
        option
        for name, command in all_commands()
        for option in re.findall(r"^  (?:-\w, )?(--[\w-]+)", help_of(name, command), re.MULTILINE)
    ]
    assert len(shown) <= 240
    assert len(set(shown)) <= 90


@pytest.mark.parametrize(("name", "command"), list(all_commands()), ids=lambda one: str(one)[:20])
def test_the_help_is_short_and_its_example_is_legal(name: str, command: click.Command) -> None:
    assert len(help_of(name, command).splitlines()) <= 60
    assert isinstance(command, Command)
    program, *words = shlex.split(command.example)
    assert program == "xcg"
    assert words[: len(name.split())] == name.split()
    context = command.make_context(name, words[len(name.split()) :])
    if "config" in context.params:
        assert stated(context.params["config"], context.params.get("set", ())).settings()


def test_the_help_shows_the_default_of_the_command() -> None:
    helps = {name: " ".join(help_of(name, command).split()) for name, command in all_commands()}
    assert "[default: nxCG@10 MAep iMAep Q R]" in helps["evaluate"]
    assert "[default: nxCG ep]" in helps["curves"]
    assert "[default: table]" in helps["compare"]
    assert "[default: jsonl]" in helps["curves"]
    assert "relative to the best run]" in helps["compare"]
    assert "relative to the best run]" not in helps["gate"]
