"""Options of the command line, made from the declared keys of the configuration, and their completion.

docs/start/install.md explains how to enable completion.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem

from xcg.measures import MEASURES
from xcg.settings.loading import KEYS
from xcg.settings.schema import Key
from xcg.strategies.registry import STRATEGIES
from xcg.user_model.model import shipped_models

ANY_PATH = click.Path(path_type=Path)

_Complete = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]


def complete_paths(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Return an item for files and folders."""
    return [CompletionItem(incomplete, type="file")]


def completion(names: Callable[[], Iterable[str]], with_paths: bool = False) -> _Complete:
    """Return a function that completes names, and files if no name fits, for ``shell_complete``."""

    def complete(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
        # Shells complete files only if an item for files is first and no name fits.
        paths = [CompletionItem(incomplete, type="file")] if with_paths else []
        return paths + [CompletionItem(name) for name in names() if name.startswith(incomplete)]

    return complete


complete_strategy = completion(lambda: sorted(STRATEGIES))
_COMPLETE = {
    "measures": completion(lambda: sorted(MEASURES)),
    "study.laws.measure": completion(lambda: sorted(MEASURES)),
    "user_model": completion(lambda: sorted(shipped_models()), with_paths=True),
    "strategies": complete_strategy,
}
CONFIG = click.Argument(["config"], required=False, type=ANY_PATH)
_SET: dict[str, Any] = {
    "multiple": True,
    "metavar": "KEY=VALUE",
    "shell_complete": completion(lambda: [f"{name}=" for name in KEYS]),
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
        complete = completion(lambda: choices)
    sentence = f"{key.help.partition('. ')[0].rstrip('.')}."
    if default is None:
        default = choices[0] if key.name == "format" else key.default_text
        unstated = [] if key.default in (None, False, ()) else key.default
        default = default or " ".join(map(str, unstated if isinstance(unstated, list) else [unstated]))
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
