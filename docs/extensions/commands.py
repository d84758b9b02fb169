"""Write a page for each command of xcg, and the tables of the keys of a configuration."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import click
from sphinx.application import Sphinx
from sphinx.util.typing import ExtensionMetadata

from xcg.cli.command import Command
from xcg.cli.main import COMMANDS, PURPOSES, main
from xcg.settings.loading import KEYS
from xcg.settings.schema import MAX_NUMBER, Key

REFERENCE = Path(__file__).parents[1] / "reference"
FOLDER = REFERENCE / "commands"
"""The generated pages, which git ignores."""

_CODE = re.compile(
    r"(?<![\w`-])(--(?:set [\w.]+(?:=\w+)?|format [a-z_]+|as [a-z]+|[a-z]+(?:-[a-z]+)*)"
    r"|[a-z]+(?:\.[a-z_]+)+(?:=\w+)?(?![\w.]*:))"
)

COMMON_STATUSES = {
    0: "Success.",
    2: "An input or an option is wrong. One message on standard error states what is wrong, and where.",
}
CONFIG = (
    "A [configuration](../configuration.md) in YAML, with the inputs. Options override its settings."
)


def write_pages(app: Sphinx) -> None:
    """Write the pages of all commands, and the list of commands."""
    FOLDER.mkdir(exist_ok=True)
    examples = (REFERENCE / "commands.md").read_text(encoding="utf-8")
    pages = {f"{name}.md": page(name, examples) for name in COMMANDS}
    pages["list.txt"] = list_of_commands()
    pages["keys.txt"] = tables_of_keys()
    for name, text in pages.items():
        path = FOLDER / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
    for path in FOLDER.iterdir():
        if path.name not in pages:
            path.unlink()


def list_of_commands() -> str:
    """Return the commands by purpose as a table, and their entries in the menu."""
    rows = ["| task | command | what it does |", "|---|---|---|"]
    for purpose, names in PURPOSES.items():
        for number, name in enumerate(names):
            task = "" if number else purpose
            rows.append(f"| {task} | [xcg {name}](commands/{name}.md) | {COMMANDS[name][1]} |")
    menu = [f"xcg {name} <commands/{name}>" for name in sorted(COMMANDS)]
    return "\n".join([*rows, "", "```{toctree}", ":hidden:", ":maxdepth: 1", "", *menu, "```", ""])


def tables_of_keys() -> str:
    """Return a table of the keys of each section, with the heading of the section."""
    sections: dict[str, list[Key]] = {}
    for key in KEYS.values():
        sections.setdefault(".".join(key.path[:-1]), []).append(key)
    lines = []
    for section, keys in sections.items():
        lines += [f"### `{section}`" if section else "### Inputs and outputs", ""]
        lines += ["| key | value | default | meaning | option |", "|---|---|---|---|---|"]
        for key in keys:
            text = marked(key.help.rstrip("."), "commands/")
            option = f"`{key.option}`" if key.option else ""
            lines.append(
                f"| `{key.path[-1]}` | {value_of(key)} | {default_of(key)} | {text} | {option} |"
            )
        lines.append("")
    return "\n".join(lines)


def value_of(key: Key) -> str:
    """Return what the value of a key can be."""
    if key.type.is_flag:
        return "`true` or `false`"
    if key.type.choices:
        return ", ".join(f"`{choice}`" for choice in key.type.choices)
    words = key.type.metavar.lower()
    if "measure=" in words:
        return "value, or values by measure" if words.startswith("[") else "values by measure"
    return words.replace("_", " ") + (", or a list" if key.type.is_list and words != "list" else "")


def default_of(key: Key) -> str:
    """Return the default of a key as Markdown."""
    if key.default_text:
        return marked(key.default_text)
    if key.default is None or key.default in ([], ()):
        return "–"
    return f"`{json.dumps(key.default)}`" if not isinstance(key.default, str) else f"`{key.default}`"


def page(name: str, examples: str) -> str:
    """Return the page of a command.

    Args:
        name: The name of the command.
        examples: The list of examples, which can have lines of this command.
    """
    context = click.Context(main, info_name="xcg", **main.context_settings)
    command = main.get_command(context, name)
    assert command is not None
    lines = [f"# xcg {name}: {COMMANDS[name][1].removesuffix('.')}", ""]
    if isinstance(command, click.Group):
        lines += prose(command)
        group = click.Context(command, context, name)
        for part, subcommand in command.commands.items():
            lines += [f"## xcg {name} {part}", ""]
            lines += body(click.Context(subcommand, group, part), examples, "###")
    else:
        lines += body(click.Context(command, context, name), examples, "##")
    return "\n".join(lines).rstrip() + "\n"


def body(context: click.Context, examples: str, heading: str) -> Iterator[str]:
    """Yield the lines of a page below the title."""
    command, name = context.command, context.command_path
    assert isinstance(command, Command)
    yield from prose(command, COMMANDS.get(name.removeprefix("xcg "), ("", ""))[1])
    yield from [f"{heading} Usage", "", "```text"]
    yield f"{name} {' '.join(command.collect_usage_pieces(context))}"
    yield from ["```", "", f"{heading} Examples", "", "```sh"]
    listed = [line for line in examples.splitlines() if line.startswith(f"{name} ")]
    same = any(line.partition(" #")[0].rstrip() == command.example for line in listed)
    if not same:
        yield command.example
    for line in listed:
        call, _, comment = line.partition(" #")
        if comment:
            yield f"#{comment}"
        yield call.rstrip()
    yield from ["```", "", f"```{{program}} {name}", "```", ""]
    for title, options in command.option_groups(context).items():
        yield from [f"{heading} {'Options' if title == 'Options of this command' else title}", ""]
        if title == "Input" and command.takes_config:
            yield from ["```{option} CONFIG", CONFIG, "```", ""]
        for option in options:
            yield from entry(option, context)
    yield from [f"{heading} Exit status", "", "| status | meaning |", "|---|---|"]
    statuses = sorted((COMMON_STATUSES | command.statuses).items())
    yield from (f"| {status} | {marked(meaning)} |" for status, meaning in statuses)
    yield ""


def prose(command: click.Command, title: str = "") -> Iterator[str]:
    """Yield the help of a command as Markdown, without a first paragraph that repeats the title."""
    paragraphs = inspect.cleandoc(command.help or "").split("\n\n")
    if paragraphs[0] == title and paragraphs[1:]:
        del paragraphs[0]
    for paragraph in paragraphs:
        if paragraph.startswith("\b"):  # click prints this paragraph as it is
            yield from ["```text", *paragraph.splitlines()[1:], "```"]
        else:
            yield marked(paragraph)
        yield ""


def entry(option: click.Option, context: click.Context) -> Iterator[str]:
    """Yield the entry of an option: its names, help, legal values and default."""
    text, _, rest = (option.help or "").partition("  [default: ")
    extra = option.get_help_extra(context)
    default = rest.removesuffix("]") or extra.get("default", "")
    names = ", ".join(sorted(option.opts, key=len))
    choices = choices_of(option)
    if choices:
        value = " VALUE"
    elif option.is_flag:
        value = ""
    else:
        value = " " + (option.metavar or option.make_metavar(context).removesuffix(" RANGE"))
    yield f"````{{option}} {names}{value}"
    yield marked(text)
    facts = []
    if choices:
        facts.append("Values: " + ", ".join(f"`{choice}`" for choice in choices) + ".")
    if isinstance(option.type, (click.IntRange, click.FloatRange)):
        facts.append(f"Range: {written_range(option.type)}.")
    if option.required:
        facts.append("Required.")
    if option.multiple and "repeated" not in text:
        facts.append("May be repeated.")
    if default and not option.is_flag:
        facts.append(f"Default: {default if ' ' in default else f'`{default}`'}.")
    if key := key_of(option, context):
        facts.append(f"Key: [`{key}`](../configuration.md#keys).")
    if facts:
        yield from ["", " ".join(facts)]
    yield from ["````", ""]


def choices_of(option: click.Option) -> Sequence[str]:
    """Return the legal words of an option, if there are few."""
    if isinstance(option.type, click.Choice):
        return list(option.type.choices)
    metavar = option.metavar or ""
    return metavar.split("|") if "|" in metavar else ()


def key_of(option: click.Option, context: click.Context) -> str:
    """Return the key that an option of a command sets, empty if there is none."""
    command = context.command_path.removeprefix("xcg ").replace(" ", ".")
    found = [key.name for key in KEYS.values() if key.option in option.opts]
    own = [name for name in found if name.startswith(f"{command}.")]
    shared = [name for name in found if "." not in name]
    takes_keys = any(parameter.name == "set" for parameter in context.command.params)
    return next(iter([*own, *shared, *found]), "") if takes_keys else ""


def written_range(limits: click.IntRange | click.FloatRange) -> str:
    """Return a range of numbers in words, without a maximum that only protects the program.

    >>> written_range(click.IntRange(0, 1_000_000)), written_range(click.IntRange(1, 2**63))
    ('from 0 to 1,000,000', 'from 1')
    """
    has_maximum = limits.max is not None and limits.max < MAX_NUMBER
    return f"from {limits.min:,}" + (f" to {limits.max:,}" if has_maximum else "")


def marked(text: str, folder: str = "") -> str:
    r"""Return plain text as Markdown, with options and keys as code, and links to commands in a folder.

    >>> marked("With --plot and --set gate.per_topic=true, see xcg list: a_b.")
    'With `--plot` and `--set gate.per_topic=true`, see [xcg list](list.md): a\\_b.'
    """
    names = "|".join(sorted(COMMANDS, key=len, reverse=True))
    parts = _CODE.split(text)
    for number, part in enumerate(parts):
        if number % 2 and (part.startswith("--") or part.partition("=")[0] in KEYS):
            parts[number] = f"`{part}`"
            continue
        escaped = re.sub(r"([*_<>\[\]|`~$])", r"\\\1", part)
        parts[number] = re.sub(rf"\bxcg ({names})\b(?!-)", rf"[xcg \1]({folder}\1.md)", escaped)
    return "".join(parts)


def setup(app: Sphinx) -> ExtensionMetadata:
    """Connect the extension to Sphinx."""
    app.connect("builder-inited", write_pages)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
