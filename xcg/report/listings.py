"""List and explain what xcg provides: measures, user models with their parts, and strategies.

The texts are the declarations themselves: definitions of measures, and the docstrings and signatures
of parts and strategies.
"""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from xcg.documents.text_units import TOKENIZERS
from xcg.errors import XcgError, nearest, printable
from xcg.judgements.recall_base import ASSESSMENT_FORMATS
from xcg.measures.definition import Definition, Number
from xcg.registry import FunctionRegistry, Parameter, Registry, parameters_of
from xcg.runs.run import RUN_FORMATS
from xcg.settings.schema import keys_of
from xcg.strategies.registry import STRATEGIES, strategies_of
from xcg.tables import Column, Table
from xcg.terminal_tables import Block, Prose
from xcg.user_model.ideal import SELECTIONS
from xcg.user_model.model import UserModel, resolve_models, shipped_models
from xcg.user_model.near_misses import NEAR_MISSES
from xcg.user_model.quantisation import QUANTISATIONS
from xcg.user_model.relevance_value import NORMALISATIONS, PARTIALLY_SEEN, READERS, Effort

REGISTRIES: dict[str, FunctionRegistry[Any]] = {
    "quantisation": QUANTISATIONS,
    "ideal": SELECTIONS,
    "relevance_value.normalisation": NORMALISATIONS,
    "relevance_value.partially_seen": PARTIALLY_SEEN,
    "relevance_value.near_misses": NEAR_MISSES,
    "relevance_value.reader": READERS,
    "effort.tokenizer": TOKENIZERS,
}
"""Setting → the functions that can be its value."""

_MORE = (
    "xcg list user-models NAME explains a user model or a part, such as distance: values and ranges. "
    "--bibtex prints its sources."
)
_SECTION = re.compile(r"[A-Z][a-z]+:")
_ARGUMENT = re.compile(r" {4}(\w+): (.*)")
_MARKUP = re.compile(r"``(.+?)``|:\w+:`~?(.+?)`")


_EFFORT_PARAMETERS = Effort().parameters()
_NEEDS = {
    "gains": "gains under a user model",
    "scores": "assessed elements or levels",
    "grades": "exhaustivity and specificity, and the corpus",
    "text": "highlighted passages (offset qrels, JSON Lines with start and end, or INEX 2005 and "
    "later); the corpus, unless passages and results are offsets",
    "levels": "levels of relevance or assessed elements",
}


_MEASURE_COLUMNS = (
    Column("measure", kind="text", is_key=True),
    Column("what it is", kind="text"),
    Column("range", kind="text", priority=2),
    Column("needs", kind="text", priority=1),
)


def list_measures(definitions: Iterable[Definition]) -> Table:
    """Return a table of measures: usage, title, range and needs."""
    rows = [
        [
            ", ".join([definition.usage, *definition.aliases]),
            definition.title,
            _range(definition, definition.range.partition(";")[0]),
            definition.needs,
        ]
        for definition in definitions
    ]
    return Table(_MEASURE_COLUMNS, rows, is_limited=False)


def list_formats() -> Table:
    """Return a table of the file formats that are read and written."""
    kinds: dict[str, Registry[Any]] = {"assessments": ASSESSMENT_FORMATS, "runs": RUN_FORMATS}
    rows = [
        [kind, name, "read and written" if found.write is not None else "read", found.description]
        for kind, registry in kinds.items()
        for name in registry
        for found in [registry.get(name)]
    ]
    columns = [Column(name, kind="text", is_key=True) for name in ("files", "format")]
    columns += [Column(name, kind="text") for name in ("use", "what they hold")]
    return Table(columns, rows, is_limited=False)


def describe_measure(definition: Definition) -> str:
    """Return everything that a measure declares: formula, parameters, range, example and source."""
    declared = [
        ("cutoff", definition.cutoff.name if definition.cutoff else ""),
        ("also called", ", ".join(definition.aliases)),
        *(("parameter", _parameter(name, values)) for name, values in definition.parameters.items()),
        ("needs", _needs(definition)),
        ("range", _range(definition, definition.range)),
        ("example", definition.example),
        ("caveat", definition.caveat),
        ("source", definition.source),
        ("citation", f"xcg list measures {definition.usage} --bibtex" if definition.references else ""),
    ]
    lines = [f"{definition.usage}: {definition.title}", "", f"  {definition.formula}", ""]
    lines += [f"{label + ':':13}{text}" for label, text in declared if text]
    return "".join(f"{printable(line)}\n" for line in lines)


def _needs(definition: Definition) -> str:
    on_spans = definition.needs == "levels" and definition.on_spans
    return f"{_NEEDS[definition.needs]}{', or gold spans' if on_spans else ''}"


def _parameter(name: str, values: Number | Sequence[str]) -> str:
    """Return the values of a parameter and its default."""
    if isinstance(values, Number):
        return f"{name}={values.default:g}; {values}"
    default = "that of the user model" if name in _EFFORT_PARAMETERS else "the first"
    return f"{name}={' | '.join(values)}; by default {default}"


def _range(definition: Definition, values: str) -> str:
    return f"{values}, lower is better" if definition.lower_is_better else values


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
        docstring = Docstring.of(STRATEGIES.get(name))
        documents = _documents(docstring).partition(":")[0]
        rows.append([_usage(name, STRATEGIES.get(name)), docstring.summary, documents])
    columns = [Column("strategy", kind="text", is_key=True), Column("what it does", kind="text")]
    columns.append(Column("documents", kind="text", priority=1))
    return Table(columns, rows, is_limited=False)


def describe_strategy(text: str) -> str:
    """Return the definition, the parameters and the example of a strategy.

    Args:
        text: A name, with or without parameters, or ``package.module:function``.

    Raises:
        XcgError: If the strategy is unknown, or a parameter is illegal.
    """
    strategy = strategies_of(text, Path())[0]
    return _describe("", strategy.name, strategy.plain)


def _describe(kind: str, name: str, function: Callable[..., Any]) -> str:
    """Return what the docstring and the signature of a part or a strategy declare."""
    docstring = Docstring.of(function)
    usage = _usage(name, function)
    lines = [kind + ": ".join(filter(None, [usage, docstring.summary])), ""]
    for paragraph in "\n".join(docstring.definition).split("\n\n"):
        filled = textwrap.fill(" ".join(paragraph.split()), 78)
        lines += [textwrap.indent(filled, "  "), ""] if filled else []
    for parameter in set_parameters(function):
        described = docstring.arguments.get(parameter.name, "").rstrip(".")
        values = "; ".join(filter(None, [str(parameter), parameter.legal, described]))
        lines.append(f"parameter:   {values}")
    lines += [f"documents:   {_documents(docstring)}"] if _documents(docstring) else []
    example = textwrap.indent("\n".join(docstring.example), " " * 13).lstrip()
    lines += [f"example:     {example}"] if example else []
    if getattr(function, "references", ()):
        list_ = "user-models" if kind else "strategies"
        lines += [f"citation:    xcg list {list_} {name} --bibtex"]
    return printable("\n".join(lines), keep="\n") + "\n"


def _usage(name: str, function: Callable[..., Any]) -> str:
    parameters = ", ".join(map(str, set_parameters(function)))
    return f"{name}({parameters})" if parameters else name


def _documents(docstring: Docstring) -> str:
    """Return when the strategy needs the documents, as its docstring states it."""
    stated = docstring.arguments.get("corpus", "").rstrip(".")
    return stated.removeprefix("The documents").lstrip(",; ") or ("always" if stated else "")


def list_user_models() -> list[Block]:
    """Return a table of the shipped user models, and one of the parts that user models consist of."""
    columns = [Column("user model", is_key=True), Column("settings", kind="text")]
    columns.append(Column("scores bounded by 1", kind="text"))
    default = UserModel("default").settings
    shipped = []
    for name in shipped_models():
        model = UserModel.shipped(name)
        own = [f"{key}={value}" for key, value in model.settings.items() if value != default.get(key)]
        bounded = "no" if model.reason_above_1 else "yes"
        shipped.append([name, " ".join(own) or "the default of every key", bounded])
    blocks: list[Block] = [Table(columns, shipped, is_limited=False)]
    for registry in filter(list, REGISTRIES.values()):
        rows = []
        for name in registry:
            summary = Docstring.of(registry.get(name)).summary.rstrip(".")
            rows.append([name, summary, " ".join(map(str, set_parameters(registry.get(name))))])
        columns = [Column(registry.kind, is_key=True), Column("what it is")]
        columns += [Column("parameters")] if any(row[-1] for row in rows) else []
        table = Table(columns, [row[: len(columns)] for row in rows], is_limited=False)
        blocks += ["\n", table]
    return [*blocks, "\n", _prose(_MORE)]


def describe(name: str) -> list[Block]:
    """Return the settings of a user model, or the parameters of a part, with ranges and defaults.

    Args:
        name: A shipped user model, the path of a YAML file with one or more models, or a part.

    Raises:
        XcgError: If the name is unknown, or the file is wrong.
    """
    settings = [registry for registry in REGISTRIES.values() if name in registry]
    if settings and name not in shipped_models():
        return [Prose(_describe(f"{one.kind} ", name, one.get(name))) for one in settings]
    if not name.endswith((".yaml", ".yml")) and name not in shipped_models():
        known = {*shipped_models()}.union(*REGISTRIES.values())
        raise XcgError(f"unknown user model {name!r}: {nearest(name, known)}")
    blocks: list[Block] = []
    for model in resolve_models(name):
        blocks += [*(["\n"] if blocks else []), *_model_blocks(model)]
    return [*blocks, "\n", _prose(_MORE)]


def _model_blocks(model: UserModel) -> list[Block]:
    shipped = shipped_models().get(model.name)
    title = model.name
    if shipped is not None and UserModel.shipped(model.name) == model:
        lines = shipped.read_text(encoding="utf-8").splitlines()
        title += ": " + " ".join(line[2:] for line in lines if line.startswith("# "))
    columns = [Column("setting", is_key=True)]
    columns += [Column(name, kind="text") for name in ("value", "default", "legal values")]
    bound = "No ranking gains more than the ideal one."
    if reason := model.reason_above_1:
        bound = f"Scores can be above 1: {reason}."
    table = Table(columns, _settings(model), is_limited=False)
    return [_prose(title), "\n", table, "\n", _prose(bound)]


def _settings(model: UserModel) -> list[list[str]]:
    """Return the settings of a user model: key, value, default and legal values."""
    legal = {
        key.name: " | ".join(REGISTRIES.get(key.name) or key.type.choices) or key.type.expected
        for key in keys_of(UserModel)
    }
    default = UserModel("default").settings
    return [[key, value, default.get(key, ""), legal[key]] for key, value in model.settings.items()]


def set_parameters(function: Callable[..., Any]) -> Sequence[Parameter]:
    """Return the parameters that users can set; none if their annotations cannot be read."""
    try:
        return parameters_of(function)
    except (TypeError, ValueError, NameError):
        return []


def _prose(text: str) -> Prose:
    return Prose(printable(text) + "\n")
