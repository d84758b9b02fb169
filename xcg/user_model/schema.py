"""The types of the keys of a user model, such as a quantisation or an overlap model."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal

from xcg.errors import XcgError
from xcg.registry import FunctionRegistry, Part
from xcg.settings.schema import Place, Type, kind
from xcg.settings.yaml_file import KeyPath

Where = Callable[[KeyPath], str]
"""A key path → what messages call that position, for example ``model.yaml:3: effort.unit``."""

Spans = Literal["refuse", "smallest_element", "text"]
"""How a result is read that is a passage: as an error, or as the smallest element around it. With
``text``, every result is read as the text that it spans, elements too."""


def part_type(registry: FunctionRegistry[Any], *checks: Callable[[Part[Any]], None]) -> Type:
    """Return the type of a name, ``package.module:function`` or ``{name: …, parameter: …}``.

    Args:
        registry: What the name names.
        checks: Functions that raise XcgError for an illegal part.
    """

    def check(value: Any, place: Place) -> Part[Any]:
        parameters: Mapping[str, object] = {}
        if isinstance(value, Part):
            return value
        if isinstance(value, Mapping):
            parameters = {str(key): v for key, v in value.items() if key != "name"}
            value = value.get("name")
        if not callable(value) and not (isinstance(value, str) and value):
            raise XcgError(
                f"expected a name, package.module:function, or a mapping with a name; "
                f"found {kind(value)}"
            )
        part = registry.part(value, parameters, place.folder)
        for function in checks:
            function(part)
        return part

    return Type(check, "NAME")


def table_type(registry: FunctionRegistry[Any], kinds: Mapping[str, Callable[[Any], Any]]) -> Type:
    """Return the type of a part that can be a mapping, such as ``{table: {"3,3": 1}}``.

    Args:
        registry: What a name names.
        kinds: The key of a mapping → function that makes the part of its value.
    """
    named = part_type(registry)
    examples = {"table": '{table: {"3,3": 1, …}}', "gains": "{gains: {1: 1, 2: 10, …}}"}

    def check(value: Any, place: Place) -> object:
        for key, make in kinds.items():
            if isinstance(value, Mapping) and key in value:
                content = value[key]
                if len(value) > 1 or not isinstance(content, Mapping) or not content:
                    raise XcgError(f"expected {examples[key]} without other keys")
                return Part(key, make(content))
        return named.check(value, place)

    return Type(check, "NAME")
