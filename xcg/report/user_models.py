"""List user models and their parts, with the parameters, legal values and defaults."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable, Sequence
from typing import Any

from xcg.documents.text_units import TOKENIZERS
from xcg.errors import XcgError, nearest, printable
from xcg.lazy_modules import yaml
from xcg.registry import FunctionRegistry, Parameter, fields_of, parameters_of
from xcg.report.strategies import Docstring
from xcg.tables import Column, Table
from xcg.terminal_tables import Block, Prose
from xcg.user_model.ideal import SELECTIONS
from xcg.user_model.model import UserModel, resolve_models, shipped_models
from xcg.user_model.near_misses import NEAR_MISSES
from xcg.user_model.normalisations import NORMALISATIONS
from xcg.user_model.overlap_models import PARTIALLY_SEEN
from xcg.user_model.quantisation import QUANTISATIONS
from xcg.user_model.readers import READERS

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

_SETTINGS = {
    "quantisation": "quantisation",
    "ideal": "ideal",
    "alpha": "relevance_value.alpha",
    "normalisation": "relevance_value.normalisation",
    "partially seen": "relevance_value.partially_seen",
    "near misses": "relevance_value.near_misses",
    "size": "size",
}
"""Column of the listing → setting."""
_PARAMETER_COLUMNS = (
    Column("parameter", is_key=True),
    Column("default", kind="text"),
    Column("legal values"),
    Column("what it is", priority=1),
)

_MORE = (
    "xcg list user-models NAME explains a user model or a part, such as distance: values and ranges. "
    "--bibtex prints its sources."
)
_OWN = (
    "A part can also be a function of your own, package.module:function, and a quantisation a table, "
    "{table: {'3,3': 1, …}}, or gains of levels, {gains: {1: 1, 2: 10, …}}. The parts have these "
    "parameters:"
)


def list_user_models() -> list[Block]:
    """Return a table of the shipped user models, and one of the parts that user models consist of."""
    models = {name: UserModel.shipped(name) for name in shipped_models()}
    heading = [Column("user model", is_key=True), *(Column(name, kind="text") for name in _SETTINGS)]
    heading += [Column("others", kind="text"), Column("scores bounded by 1", kind="text")]
    default = UserModel("default").settings
    shipped = []
    for name, model in models.items():
        settings = model.settings
        shown = [settings.pop(key, "") for key in _SETTINGS.values()]
        others = (f"{key}={value}" for key, value in settings.items() if value != default.get(key))
        bounded = "no" if model.reason_above_1 else "yes"
        shipped.append([name, *shown, " ".join(others), bounded])
    blocks: list[Block] = [Table(heading, shipped, is_limited=False)]
    for registry in REGISTRIES.values():
        rows = []
        for name in registry:
            function = registry.get(name)
            parameters = " ".join(map(str, _parameters(function)))
            rows.append([name, Docstring.of(function).summary.rstrip("."), parameters])
        if not rows:
            continue
        columns = [Column(registry.kind, is_key=True), Column("what it is"), Column("parameters")]
        if not any(row[-1] for row in rows):
            columns, rows = columns[:2], [row[:2] for row in rows]
        blocks += ["\n", Table(columns, rows, is_limited=False)]
    return [*blocks, "\n", _prose(_MORE)]


def describe(name: str) -> list[Block]:
    """Return the settings of a user model, or the parameters of a part, with ranges and defaults.

    Args:
        name: A shipped user model, the path of a YAML file with one or more models, or a part.

    Raises:
        XcgError: If the name is unknown, or the file is wrong.
    """
    parts = {part for registry in REGISTRIES.values() for part in registry}
    is_file = name.endswith((".yaml", ".yml"))
    if not is_file and name not in shipped_models():
        if name not in parts:
            raise XcgError(
                f"unknown user model {name!r}: {nearest(name, parts | set(shipped_models()))}"
            )
        found = [registry for registry in REGISTRIES.values() if name in registry]
        return [block for registry in found for block in _part_blocks(registry, name)]
    blocks: list[Block] = []
    for model in resolve_models(name):
        blocks += [*(["\n"] if blocks else []), *_model_blocks(model)]
    return [*blocks, "\n", _prose(_OWN), "\n", _all_parameters(), "\n", _prose(_MORE)]


def user_model_yaml(name: str) -> str:
    """Return the YAML file of a shipped user model.

    Raises:
        XcgError: If the name is unknown.
    """
    UserModel.shipped(name)  # checks the name
    return shipped_models()[name].read_text(encoding="utf-8")


def _model_blocks(model: UserModel) -> list[Block]:
    shipped = shipped_models().get(model.name)
    title = model.name
    if shipped is not None and UserModel.shipped(model.name) == model:
        lines = shipped.read_text(encoding="utf-8").splitlines()
        title += ": " + " ".join(line[2:] for line in lines if line.startswith("# "))
    columns = [
        Column("setting", is_key=True),
        *(Column(name, kind="text") for name in ("value", "default", "legal values")),
    ]
    reason = model.reason_above_1
    bound = (
        f"Scores can be above 1: {reason}." if reason else "No ranking gains more than the ideal one."
    )
    return [
        _prose(title),
        "\n",
        Table(columns, _settings(model), is_limited=False),
        "\n",
        _prose(bound),
    ]


def _settings(model: UserModel) -> list[list[str]]:
    """Return the settings of a user model: key, value, default and legal values."""
    sections = {"": model, "relevance_value": model.relevance_value, "effort": model.effort}
    rows = []
    for section, values in sections.items():
        if section:
            rows.append([f"{section}:", "", "", ""])
        for parameter in fields_of(type(values)).values():
            key = ".".join(filter(None, [section, parameter.name]))
            if key == "name" or key in sections:
                continue
            name = f"  {parameter.name}" if section else key
            legal = " | ".join(REGISTRIES[key]) if key in REGISTRIES else parameter.legal
            if key == "relevance_value.reader":
                legal = " | ".join([*READERS, "package.module:Class, instead of all of the above"])
            value = getattr(values, parameter.name)
            rows.append([name, _value_text(value), _value_text(parameter.default), legal])
    return rows


def _all_parameters() -> Table:
    rows = [
        [name, *row]
        for registry in REGISTRIES.values()
        for name in registry
        for row in _parameter_rows(registry.get(name))
    ]
    columns = [Column("part", is_key=True), *_PARAMETER_COLUMNS[:3]]
    return Table(columns, [row[:4] for row in rows], is_limited=False)


def _part_blocks(registry: FunctionRegistry[Any], name: str) -> list[Block]:
    function = registry.get(name)
    docstring = Docstring.of(function)
    blocks: list[Block] = [_prose(f"{registry.kind} {name}: {docstring.summary}"), "\n"]
    for paragraph in "\n".join(docstring.definition).split("\n\n"):
        if paragraph:
            blocks += [_prose("  " + " ".join(paragraph.split())), "\n"]
    rows = _parameter_rows(function)
    if rows:
        blocks += [Table(_PARAMETER_COLUMNS, rows, is_limited=False), "\n"]
    else:
        blocks += ["It has no parameters.\n\n"]
    key = next(key for key, other in REGISTRIES.items() if other is registry)
    value: object = name
    if rows:
        defaults = {one.name: one.default for one in _parameters(function)}
        plain = {key: one for key, one in defaults.items() if isinstance(one, str | float | int)}
        value = {"name": name, **plain}
    for setting in reversed(key.split(".")):
        value = {setting: value}
    example = yaml.safe_dump(value, sort_keys=False, allow_unicode=True)
    blocks += ["In a user model:\n", textwrap.indent(example, "  ")]
    if registry.references(name):
        blocks += ["\n", _prose(f"xcg list user-models {name} --bibtex prints the source.")]
    return blocks


def _parameter_rows(function: Callable[..., Any]) -> list[list[str]]:
    """Return the parameters of a function: name, default, legal values and description."""
    arguments = Docstring.of(function).arguments
    return [
        [
            parameter.name,
            _default_text(parameter),
            parameter.legal,
            arguments.get(parameter.name, "").rstrip("."),
        ]
        for parameter in _parameters(function)
    ]


def _parameters(function: Callable[..., Any]) -> Sequence[Parameter]:
    try:
        return parameters_of(function)
    except (TypeError, ValueError, NameError):  # a function of a package without readable annotations
        return []


def _default_text(parameter: Parameter) -> str:
    return "" if parameter.default is inspect.Parameter.empty else _value_text(parameter.default)


def _value_text(value: object) -> str:
    if value is None:
        return "none"
    return f"{value:g}" if isinstance(value, float) else str(value)


def _prose(text: str) -> Prose:
    return Prose(printable(text) + "\n")
