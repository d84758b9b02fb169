"""List the overlap strategies, and explain one from its docstring and signature."""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from xcg.errors import printable
from xcg.registry import parameters_of
from xcg.strategies.registry import STRATEGIES, strategies_of
from xcg.tables import Column, Table

_SECTION = re.compile(r"[A-Z][a-z]+:")
_ARGUMENT = re.compile(r" {4}(\w+): (.*)")
_MARKUP = re.compile(r"``(.+?)``|:\w+:`~?(.+?)`")
_INDENT = " " * 13


class Docstring(NamedTuple):
    """The parts of a docstring in Google style, without markup.

    Attributes:
        summary: The first line.
        definition: The lines between the summary and the first section.
        arguments: Argument → its description.
        example: The lines of the doctest.
    """

    summary: str
    definition: Sequence[str]
    arguments: dict[str, str]
    example: Sequence[str]

    @classmethod
    def of(cls, function: Callable[..., Any]) -> Docstring:
        """Return the parts of the docstring of a function."""
        text, _, example = (inspect.getdoc(function) or "").partition("\n>>> ")
        summary, *lines = _MARKUP.sub(lambda found: found[1] or found[2], text).split("\n")
        sections: dict[str, list[str]] = {"": []}
        name = ""
        for line in lines:
            if _SECTION.fullmatch(line):
                name = line[:-1]
            sections.setdefault(name, []).append(line)
        arguments: dict[str, str] = {}
        argument = ""
        for line in sections.get("Args", ()):
            if found := _ARGUMENT.match(line):
                argument, arguments[found[1]] = found[1], found[2]
            elif argument and line.strip():
                arguments[argument] += f" {line.strip()}"
        definition = "\n".join(sections[""]).strip().split("\n")
        shown = f">>> {example}".rstrip().split("\n") if example else []
        return cls(summary, definition if definition != [""] else [], arguments, shown)


def list_strategies() -> Table:
    """Return a table of the strategies: parameters with defaults, what they do, and documents."""
    rows = []
    for name in STRATEGIES:
        function = STRATEGIES.get(name)
        docstring = Docstring.of(function)
        documents = _documents(docstring).partition(":")[0]
        rows.append([_usage(name, function), docstring.summary, documents])
    columns = [
        Column("strategy", kind="text", is_key=True),
        Column("what it does", kind="text"),
        Column("documents", kind="text", priority=1),
    ]
    return Table(columns, rows, is_limited=False)


def describe_strategy(text: str) -> str:
    """Return the definition, the parameters and the example of a strategy.

    Args:
        text: A name, with or without parameters, or ``package.module:function``.

    Raises:
        XcgError: If the strategy is unknown, or a parameter is illegal.
    """
    strategy = strategies_of(text, Path())[0]
    function = strategy.plain
    docstring = Docstring.of(function)
    lines = [": ".join(filter(None, [_usage(strategy.name, function), docstring.summary])), ""]
    lines += _paragraphs(docstring.definition)
    lines += [""] if docstring.definition else []
    for parameter in parameters_of(function):
        described = docstring.arguments.get(parameter.name, "").rstrip(".")
        values = "; ".join(filter(None, [str(parameter), parameter.legal, described]))
        lines.append(f"parameter:   {values}")
    lines += [f"documents:   {_documents(docstring)}"] if _documents(docstring) else []
    if docstring.example:
        first, *others = docstring.example
        lines += [f"example:     {first}", *(f"{_INDENT}{line}".rstrip() for line in others)]
    if getattr(function, "references", ()):
        lines += [f"citation:    xcg list strategies {strategy.name} --bibtex"]
    return "".join(f"{printable(line)}\n" for line in lines)


def _paragraphs(lines: Sequence[str]) -> list[str]:
    """Break paragraphs into lines that fit a terminal of 80 columns."""
    paragraphs = "\n".join(lines).split("\n\n") if lines else []
    filled = [textwrap.indent(textwrap.fill(paragraph, 78), "  ") for paragraph in paragraphs]
    return "\n\n".join(filled).split("\n") if filled else []


def _usage(name: str, function: Callable[..., Any]) -> str:
    parameters = ", ".join(map(str, parameters_of(function)))
    return f"{name}({parameters})" if parameters else name


def _documents(docstring: Docstring) -> str:
    """Return when the strategy needs the documents, as its docstring states it."""
    stated = docstring.arguments.get("corpus", "").rstrip(".")
    return stated.removeprefix("The documents").lstrip(",; ") or ("always" if stated else "")
