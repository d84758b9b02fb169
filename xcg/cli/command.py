"""The class of all commands, whose help shows an example; their options and their output.

Options are made from the declared keys of the configuration. docs/start/install.md explains how to
enable completion.
"""

from __future__ import annotations

import importlib
import math
import re
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem

from xcg.cli.main import print_status
from xcg.documents.files import whole_file
from xcg.measures import MEASURES
from xcg.settings.schema import Key, decimal
from xcg.strategies.registry import STRATEGIES
from xcg.user_model.model import shipped_models

_INPUT = "Input"
_GROUPS = {
    _INPUT: (
        "--assessments",
        "--gold",
        "--run",
        "--corpus",
        "--user-model",
        "--measures",
        "--strategy",
    ),
    "Other": ("--set", "--format", "--output", "--workers", "--help"),
}
"""Title of a group → its options, in the order of the help."""

_OWN = "Options of this command"
_CONFIG = ("CONFIG", "Read the inputs from this YAML file. Options override its settings.")
_ORDER = (_OWN, *_GROUPS)
_GROUP_OF = {option: title for title, options in _GROUPS.items() for option in options}
_POSITION = {option: number for number, option in enumerate(_GROUP_OF)}


class _Decimal(click.ParamType):  # type: ignore[type-arg]  # not generic in click 8.2
    """Numbers are written as in configurations: ``1_0`` and the digits of other scripts are errors."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number."""
        if isinstance(value, str) and math.isnan(decimal(value)):
            self.fail(f"{value!r} is not a number.", param, ctx)
        return super().convert(value, param, ctx)


class Whole(_Decimal, click.IntRange):
    """Whole numbers in a range."""


class Real(_Decimal, click.FloatRange):
    """Numbers in a range."""


class Score(_Decimal, click.types.FloatParamType):
    """All numbers."""


class Command(click.Command):
    """A command whose help shows an example, and its options in groups, its own options first.

    Args:
        arguments: The arguments of :class:`click.Command`.
        example: A call that works on the samples, in the folder of a checkout.
        statuses: Exit status → its meaning, except 0 and the 2 of every error.
        options: The keyword arguments of :class:`click.Command`.
    """

    def __init__(
        self, *arguments: Any, example: str, statuses: Mapping[int, str] | None = None, **options: Any
    ) -> None:
        super().__init__(*arguments, **options)
        self.example = example
        self.statuses = dict(statuses or {})

    def get_short_help_str(self, limit: int = 45) -> str:
        """Return the first sentence, which the help of a group shows."""
        return super().get_short_help_str(limit=1000).partition("\n\n")[0]

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the help, and the example below it, so that it can be copied into a shell."""
        super().format_help_text(ctx, formatter)
        with formatter.section("Example"):
            for line in _shell_lines(self.example, formatter.width - 6):
                formatter.write(f"{'':{formatter.current_indent}}{line}\n")

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write a section for each group of options."""
        for title, options in self.option_groups(ctx).items():
            records = [option.get_help_record(ctx) for option in options]
            shown = [_CONFIG] if title == _INPUT and self.takes_config else []
            shown += [record for record in records if record is not None]
            with formatter.section(title):
                formatter.write_dl(shown)

    @property
    def takes_config(self) -> bool:
        """Whether the command has the argument CONFIG."""
        return any(parameter.name == "config" for parameter in self.params)

    def option_groups(self, ctx: click.Context) -> dict[str, list[click.Option]]:
        """Return title → options, in the order of the help."""
        groups: dict[str, list[click.Option]] = {title: [] for title in _ORDER}
        for parameter in self.get_params(ctx):
            if isinstance(parameter, click.Option):
                groups[_GROUP_OF.get(_long_name(parameter.opts), _OWN)].append(parameter)
        return {
            title: sorted(options, key=_position)
            for title, options in groups.items()
            if options or (title == _INPUT and self.takes_config)
        }


def _shell_lines(call: str, width: int) -> list[str]:
    r"""Break a call before options, into lines of a shell command that fit a width.

    >>> _shell_lines("xcg evaluate c.yaml --run r", 22)
    ['xcg evaluate c.yaml \\', '  --run r']
    """
    lines = [""]
    for part in re.split(" (?=--)", call):
        if lines[-1] and len(lines[-1]) + len(part) > width:
            lines[-1] += "\\"
            lines.append("  ")
        lines[-1] += f"{part} "
    return [line.rstrip() for line in lines]


def _long_name(names: Iterable[str]) -> str:
    return max(names, key=len)


def _position(option: click.Option) -> int:
    return _POSITION.get(_long_name(option.opts), 0)


command = partial(click.command, cls=Command)
"""The decorator of a command; it needs the argument ``example``."""

ANY_PATH = click.Path(path_type=Path)


def _complete(
    names: Callable[[], Iterable[str]],
    with_paths: bool,
    _: click.Context,
    __: click.Parameter,
    incomplete: str,
) -> list[CompletionItem]:
    """Return the names that start with a text, and files if no name fits, for ``shell_complete``."""
    # Shells complete files only if an item for files is first and no name fits.
    paths = [CompletionItem(incomplete, type="file")] if with_paths else []
    return paths + [CompletionItem(name) for name in names() if name.startswith(incomplete)]


complete_paths = partial(_complete, tuple, True)
complete_strategy = partial(_complete, lambda: sorted(STRATEGIES), False)
_COMPLETE = {
    "measures": partial(_complete, lambda: sorted(MEASURES), False),
    "study.laws.measure": partial(_complete, lambda: sorted(MEASURES), False),
    "user_model": partial(_complete, lambda: sorted(shipped_models()), True),
    "strategies": complete_strategy,
}
CONFIG = click.Argument(["config"], required=False, type=ANY_PATH)
_keys = partial(importlib.import_module, "xcg.settings.loading")  # inex-eval needs none
_SET: dict[str, Any] = {
    "multiple": True,
    "metavar": "KEY=VALUE",
    "shell_complete": partial(_complete, lambda: [f"{name}=" for name in _keys().KEYS], False),
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
        complete = partial(_complete, lambda: choices, False)
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


# Output

FILE = click.Path(path_type=Path, dir_okay=False)
STANDARD_OUTPUT = Path("-")
"""The name of standard output. A file of this name can only be given by its absolute path."""

_PROGRESS_DELAY = 1.0
"""Seconds before the progress bar appears."""


def print_text(text: str, notes: Sequence[str] = (), output: Path | None = None) -> None:
    """Print a text, or write it to a file, and its notes to standard error."""
    with open_output(output) as write:
        write(text)
    for note in notes:
        print_status(note)


output_option = click.option(
    "--output", type=FILE, help="Write to this file instead of standard output, which is -."
)


@contextmanager
def open_output(path: Path | None) -> Iterator[Callable[[str | bytes], object]]:
    """Yield a function that writes text or bytes to standard output, or to a file.

    The file is replaced when the block ends; it stays as it was if the block fails.

    Args:
        path: The file; None or ``-`` for standard output.

    Raises:
        InputError: If the file cannot be written.
    """
    if path is None or path == STANDARD_OUTPUT:
        yield lambda text: click.echo(text, nl=False)
        return
    with whole_file(path) as file:
        yield lambda text: file.write(text if isinstance(text, bytes) else text.encode())


@contextmanager
def progress_bar(label: str = "topics") -> Iterator[Callable[[int, int], None] | None]:
    """Yield a function that shows progress on standard error, or None if that is not a terminal.

    The function takes the number of completed steps and the number of all steps. The bar appears after
    one second, so short commands show none. It states the remaining time, and disappears at the end.
    """
    if not sys.stderr.isatty():
        yield None
        return
    with ExitStack() as stack:
        bar: Any = None
        start = time.monotonic()

        def advance(done: int, total: int) -> None:
            nonlocal bar
            if bar is None and done < total and time.monotonic() - start > _PROGRESS_DELAY:
                bar = stack.enter_context(_new_bar())
                bar.add_task(label, total=total)
            if bar is not None:
                bar.update(bar.task_ids[0], completed=done, total=total)

        yield advance


def _new_bar() -> Any:
    """Return a bar of rich that is removed when it ends."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    return Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=20),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("left"),
        console=Console(file=sys.stderr),
        transient=True,
        redirect_stdout=False,
        redirect_stderr=False,
    )
