"""Options of the command line, made from the declared keys of the configuration."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem

from xcg.cli.completion import (
    complete_measure,
    complete_paths,
    complete_strategy,
    complete_user_model,
)
from xcg.settings.loading import KEYS
from xcg.settings.schema import Key

ANY_PATH = click.Path(path_type=Path)

_Complete = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]
_COMPLETE: dict[str, _Complete] = {
    "measures": complete_measure,
    "study.laws.measure": complete_measure,
    "user_model": complete_user_model,
    "strategies": complete_strategy,
}


def _complete_keys(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    return [CompletionItem(f"{name}=") for name in KEYS if name.startswith(incomplete)]


CONFIG = click.Argument(["config"], required=False, type=ANY_PATH)
_SET: dict[str, Any] = {
    "multiple": True,
    "metavar": "KEY=VALUE",
    "shell_complete": _complete_keys,
    "help": "Set a key of the configuration, such as topics.unanswered=skip; the value is YAML.",
}
SET = click.Option(["--set"], **_SET)
set_option = click.option("--set", **_SET)


def option_of(key: Key, formats: Sequence[str] = (), default: str | None = None) -> click.Option:
    """Return the option that sets a key; a command can have another default."""
    choices = formats if key.name == "format" else key.type.choices
    metavar = "|".join(choices) if choices else key.type.metavar
    complete = _COMPLETE.get(key.name)
    if complete is None and key.type.metavar == "PATH":
        complete = complete_paths
    elif complete is None and choices:
        complete = _complete_choices(choices)
    sentence = f"{key.help.partition('. ')[0].rstrip('.')}."
    if default is None:
        default = choices[0] if key.name == "format" else key.default_text
        default = default or ("" if key.default in (None, False, (), []) else _shown(key.default))
    return click.Option(
        [key.option],
        is_flag=key.type.is_flag,
        default=None if not key.type.is_flag else False,
        multiple=key.type.is_list,
        metavar=None if key.type.is_flag else metavar,
        shell_complete=complete,
        help=sentence + (f"  [default: {default}]" if default else ""),
        show_default=False,
    )


def _shown(value: object) -> str:
    return " ".join(map(str, value)) if isinstance(value, list) else str(value)


def _complete_choices(choices: Sequence[str]) -> _Complete:
    def complete(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
        return [CompletionItem(word) for word in choices if word.startswith(incomplete)]

    return complete
