"""Several user models from one mapping with lists and ranges of values."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping
from typing import Any, Literal, cast

from xcg.errors import InputError
from xcg.settings.schema import is_number
from xcg.settings.yaml_file import KeyPath

Where = Callable[[KeyPath], str]
"""A key path → what messages call that position, for example ``model.yaml:3: effort.unit``."""

Spans = Literal["refuse", "smallest_element", "text"]
"""How a result is read that is a passage: as an error, or as the smallest element around it. With
``text``, every result is read as the text that it spans, elements too."""


MAX_MODELS = 10_000
"""The maximum number of combinations of the values in lists and ranges."""
_RANGE = {"from", "to", "step"}
MAX_CHARACTERS = 20_000_000
"""The maximum number of characters of a mapping with lists, times the number of combinations."""


def expand(
    content: Mapping[str, object], where: Where, most: int = MAX_MODELS
) -> list[Mapping[str, object]]:
    """Return a mapping for each combination of the values in lists and ranges.

    A range is ``{from: 0, to: 1, step: 0.25}``, with both ends included. Each model's name states its
    values: ``mine[alpha=0.5,ideal=leaves]``.

    Args:
        content: A user model in which some parameters have several values.
        where: Names a position in messages.
        most: The maximum number of combinations.

    Raises:
        InputError: If a list is empty, a range is illegal, there are too many combinations, or all of
            them together are too large.

    >>> models = expand({"name": "m", "relevance_value": {"alpha": [0, 1]}}, str)
    >>> [model["name"] for model in models]
    ['m[alpha=0]', 'm[alpha=1]']
    """
    axes: list[tuple[KeyPath, list[object]]] = []

    def collect_axes(value: object, key_path: KeyPath) -> None:
        if isinstance(value, list):
            if not value:
                raise InputError(where(key_path), "an empty list: expected values to try")
            axes.append((key_path, value))
        elif isinstance(value, Mapping) and _RANGE & set(value):
            axes.append((key_path, _range(value, where(key_path))))
        elif isinstance(value, Mapping) and not {"table", "gains"} & set(value):
            for key, inner in value.items():
                collect_axes(inner, (*key_path, key))

    collect_axes({key: value for key, value in content.items() if key != "name"}, ())
    if not axes:
        return [content]
    combinations = math.prod(len(values) for _, values in axes)
    if combinations > most:
        raise InputError(where(()), f"more than {most:,} combinations of values")
    if combinations * len(repr(content)) > MAX_CHARACTERS:
        raise InputError(
            where(()),
            f"{combinations:,} combinations of this user model have more than "
            f"{MAX_CHARACTERS:,} characters; expected fewer combinations or a shorter table",
        )
    key_paths = [key_path for key_path, _ in axes]
    names = [str(key_path[-1]) for key_path in key_paths]
    models: list[Mapping[str, object]] = []
    for combination in itertools.product(*(values for _, values in axes)):
        settings = ",".join(map(setting_text, names, combination))
        model: dict[str, object] = {**content, "name": f"{content.get('name', '')}[{settings}]"}
        for key_path, value in zip(key_paths, combination, strict=True):
            model = _with_value(model, key_path, value)
        models.append(model)
    return models


def has_several_values(value: object) -> bool:
    """Return whether a value is a list or a range, of which each value makes a model."""
    return isinstance(value, list) or (isinstance(value, Mapping) and bool(_RANGE & set(value)))


def setting_text(name: str, value: object) -> str:
    """Return a key and its value as in the names of models, such as ``alpha=0.5``."""
    if isinstance(value, Mapping):
        inner = [f"{key}={item}" for key, item in value.items() if key != "name"]
        value = f"{value.get('name', '')}({' '.join(inner)})" if inner else value.get("name")
    return f"{name}={value}"


def _with_value(content: Mapping[Any, Any], key_path: KeyPath, value: object) -> dict[Any, Any]:
    """Return a copy of nested mappings with another value."""
    key, *rest = key_path
    return {**content, key: _with_value(content[key], tuple(rest), value) if rest else value}


def _range(value: Mapping[object, object], where: str) -> list[object]:
    numbers = [value.get(key) for key in ("from", "to", "step")]
    if set(value) != {"from", "to", "step"} or not all(map(is_number, numbers)):
        raise InputError(where, "expected a range {from: 0, to: 1, step: 0.25}")
    first, last, step = cast(list[float], numbers)
    if not (step > 0 and first <= last and (last - first) / step <= MAX_MODELS):
        raise InputError(where, f"illegal range from {first} to {last} by {step}")
    # Rounded, so that 3 × 0.1 is printed as 0.3; the tolerance includes the end despite rounding.
    count = int((last - first) / step + 1e-9) + 1
    return [round(first + index * step, 12) for index in range(count)]
