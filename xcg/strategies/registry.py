"""The registry of overlap strategies, and the parser of the texts and mappings that name them.

A strategy is a function ``(ranking, corpus) → ranking`` for the results of one topic. It sees the
documents, but no assessments. Its keyword-only arguments are the parameters that users set.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from xcg.errors import InputError, XcgError
from xcg.registry import FunctionRegistry, ParameterError, Part
from xcg.runs.run import Ranking
from xcg.settings.yaml_file import KeyPath, parse_yaml
from xcg.user_model.schema import Where
from xcg.user_model.sweep import expand

Strategy = Callable[..., Ranking]
"""A function from the ranking of one topic, and the corpus or None, to another ranking.

Its parameters are keyword-only arguments: ``def promote_parent(ranking, corpus, *, threshold=0.5)``.
"""

BoundStrategy = Part[Strategy]
"""A strategy with values for its parameters. ``str`` returns the form that users type."""

STRATEGIES: FunctionRegistry[Strategy] = FunctionRegistry(
    "strategy", "xcg.strategy", package="xcg.strategies"
)

MAX_CHARACTERS = 1000
"""The maximum length of a strategy with its parameters as text."""
MAX_STRATEGIES = 1000
"""The maximum number of strategies, after lists and ranges of values are expanded."""

_TEXT = re.compile(r"\s*([A-Za-z_][\w.:-]*)\s*(?:\((.*)\)\s*)?", re.DOTALL)
_OPENING, _CLOSING = "([{", ")]}"


def no_position(_: KeyPath) -> str:
    """Return no position in a file, for strategies that are not in one."""
    return ""


def strategies_of(
    spec: object, folder: Path | None = None, where: Where = no_position
) -> list[BoundStrategy]:
    """Return the strategies that a text, a mapping or a function names.

    Lists and ranges of values give one strategy for each combination of values.

    Args:
        spec: A name with or without parameters, such as ``"promote_parent(threshold=0.4)"``; a mapping
            such as ``{"name": "controlled", "ancestor": [0, 0.5, 1]}``; ``package.module:function``;
            a function; or a strategy that this function returned.
        folder: The folder of the configuration, whose Python files ``module:function`` can name.
        where: Names a key of the mapping in messages.

    Raises:
        XcgError: If the name, a parameter or a value is illegal, or there are more than 1,000
            combinations of values.

    >>> [str(strategy) for strategy in strategies_of("controlled(ancestor=[0, 1])")]
    ['controlled(ancestor=0)', 'controlled(ancestor=1)']
    """
    if isinstance(spec, Part):
        return [spec]
    if isinstance(spec, str):
        spec = _mapping_of(spec)
    if callable(spec):
        spec = {"name": spec}
    if not isinstance(spec, Mapping):
        raise XcgError(f"illegal strategy {spec!r}: expected a name, or a mapping with a name")
    name = spec.get("name")
    if not callable(name) and not (isinstance(name, str) and name):
        raise XcgError("a strategy without a name: expected one like {name: top_ranked}")
    found = []
    content = {str(key): value for key, value in spec.items()}
    for combination in expand(content, where, MAX_STRATEGIES):
        parameters = {key: value for key, value in combination.items() if key != "name"}
        try:
            found.append(STRATEGIES.part(name, parameters, folder))
        except ParameterError as error:
            raise InputError(where((error.parameter,)), str(error)) from None
        _check_length(str(found[-1]))
    return found


def _mapping_of(text: str) -> dict[str, Any]:
    """Return name and parameters of a strategy in the form ``name(parameter=value, …)``."""
    _check_length(text)
    match = _TEXT.fullmatch(text)
    problem = f"{text.strip()!r} is not a strategy: expected one like promote_parent(threshold=0.4)"
    if match is None:
        raise XcgError(problem)
    spec: dict[str, Any] = {"name": match[1]}
    for setting in _split(match[2] or ""):
        name, sign, value = setting.partition("=")
        name = name.strip()
        if not name.isidentifier() or name == "name" or not sign:
            raise XcgError(problem)
        if name in spec:
            raise XcgError(f"{text.strip()!r} sets {name!r} twice")
        try:
            spec[name] = parse_yaml(value.strip())
        except InputError:
            raise XcgError(
                f"{text.strip()!r}: illegal value {value.strip()!r} of {name}; expected a number, a "
                "word, a list like [0, 0.5] or a range like {from: 0, to: 1, step: 0.25}"
            ) from None
    return spec


def _check_length(text: str) -> None:
    if len(text) > MAX_CHARACTERS:
        raise XcgError(
            f"{text.strip()[:20]}… is not a strategy: it has {len(text):,} characters; expected at "
            f"most {MAX_CHARACTERS:,}"
        )


def _split(settings: str) -> list[str]:
    """Split at the commas that are not inside of brackets."""
    found, depth = [""], 0
    for character in settings:
        depth += (character in _OPENING) - (character in _CLOSING)
        if character == "," and depth == 0:
            found.append("")
        else:
            found[-1] += character
    return [setting for setting in found if setting.strip() or len(found) > 1]
