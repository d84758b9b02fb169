"""Validation of mappings from YAML files and callers, and the schema of a user model."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal, cast, get_args

from xcg.documents.sources import LinkedFolder
from xcg.documents.text_units import TOKENIZERS
from xcg.documents.tree import SizeUnit
from xcg.errors import InputError, XcgError, nearest
from xcg.lazy_modules import vol
from xcg.registry import FunctionRegistry, Part
from xcg.user_model.effort import Charge, Effort, EffortUnit, Interpolation, Unretrieved
from xcg.user_model.ideal import SELECTIONS
from xcg.user_model.near_misses import NEAR_MISSES
from xcg.user_model.normalisations import NORMALISATIONS
from xcg.user_model.overlap_models import PARTIALLY_SEEN
from xcg.user_model.quantisation import QUANTISATIONS, Gains, Quantisation, Table, is_number
from xcg.user_model.readers import READERS, ReaderClass, check_reader
from xcg.user_model.relevance_value import ALPHA, RelevanceValue
from xcg.yaml_file import KeyPath

Where = Callable[[KeyPath], str]
"""A key path → what messages call that position, for example ``model.yaml:3: effort.unit``."""

Spans = Literal["refuse", "smallest_element", "text"]
"""How a result is read that is a passage: as an error, or as the smallest element around it. With
``text``, every result is read as the text that it spans, elements too."""


def check(content: object, schema: vol.Schema, where: Where) -> dict[str, Any]:
    """Return a mapping as a schema converts it.

    Args:
        content: The mapping.
        schema: What is legal.
        where: Names a position in messages.

    Raises:
        InputError: For the first error, with its position and the nearest legal key.
    """
    if not isinstance(content, Mapping):
        raise InputError(where(()), f"expected keys with values, found {_kind(content)}")
    try:
        return cast(dict[str, Any], schema(dict(content)))
    except vol.MultipleInvalid as invalid:
        error = invalid.errors[0]
        key_path = tuple(error.path)
        if "extra keys" in error.msg:
            hint = nearest(str(key_path[-1]), _legal_keys(schema, key_path[:-1]))
            raise InputError(where(key_path), f"unknown key: {hint}") from None
        if "required key" in error.msg:
            raise InputError(
                where(key_path[:-1]), f"the key {str(key_path[-1])!r} is missing"
            ) from None
        raise InputError(where(key_path), error.msg) from None


_MODEL_KEYS = frozenset(("name", "quantisation", "ideal", "relevance_value", "size", "effort", "spans"))
_CONFIGURATION_KEYS = frozenset(
    ("corpus", "assessments", "runs", "user_model", "measures", "topics", "strategies")
)


def is_user_model(content: object) -> bool:
    """Return whether a YAML file has keys of a user model, and none of a configuration.

    >>> is_user_model({"name": "m", "quantisation": "sog"}), is_user_model({"runs": "runs"})
    (True, False)
    """
    keys = set(content) if isinstance(content, Mapping) else set()
    return bool(keys & _MODEL_KEYS) and not keys & _CONFIGURATION_KEYS


def is_configuration(content: object) -> bool:
    """Return whether a YAML file has keys of a configuration, and none of a user model."""
    keys = set(content) if isinstance(content, Mapping) else set()
    return bool(keys & _CONFIGURATION_KEYS) and not keys & _MODEL_KEYS


def choice(values: tuple[str, ...]) -> Callable[[object], str]:
    """Return a validator that accepts one of the words."""

    def validate(value: object) -> str:
        if not isinstance(value, str) or value not in values:
            raise vol.Invalid(f"illegal value {value!r}: {nearest(str(value), values)}")
        return value

    return validate


def text(value: object) -> str:
    """Validate a text that is not empty."""
    if not isinstance(value, str) or not value.strip():
        raise vol.Invalid(f"expected text, found {_kind(value)}")
    return value


def corpus_path(value: object) -> str:
    """Validate a corpus: its path, or a mapping with ``path`` and ``follow_links``."""
    if not isinstance(value, Mapping):
        return text(value)
    keys = {vol.Required("path"): text, vol.Optional("follow_links"): bool}
    for unknown in (key for key in value if key not in ("path", "follow_links")):
        raise vol.Invalid(f"unknown key: {nearest(str(unknown), ('path', 'follow_links'))}")
    given = vol.Schema(keys)(value)
    return LinkedFolder(given["path"]) if given.get("follow_links") else str(given["path"])


def corpus_below(folder: Path, stated: str) -> str | Path:
    """Return the path of a corpus that a configuration in a folder states."""
    path = folder / stated
    return LinkedFolder(path) if isinstance(stated, LinkedFolder) else path


def user_model_schema(folder: Path | None = None) -> vol.Schema:
    """Return the schema of a user model, which returns the arguments of :class:`UserModel`.

    Args:
        folder: The folder of the configuration, whose Python files it can name; see
            :func:`xcg.plugins.load_function`.
    """
    relevance_value = {
        "alpha": _alpha,
        "normalisation": _part(NORMALISATIONS, folder),
        "partially_seen": _part(PARTIALLY_SEEN, folder),
        "near_misses": _part(NEAR_MISSES, folder),
        "reader": _reader(folder),
    }
    effort = {
        "interpolation": choice(get_args(Interpolation)),
        "unretrieved": choice(get_args(Unretrieved)),
        "unit": choice(get_args(EffortUnit)),
        "charge": choice(get_args(Charge)),
        "tokenizer": _part(TOKENIZERS, folder),
    }
    return vol.Schema(
        {
            vol.Required("name"): text,
            "quantisation": _quantisation(folder),
            "ideal": _part(SELECTIONS, folder),
            "relevance_value": vol.All(relevance_value, _relevance_value),
            "size": choice(get_args(SizeUnit)),
            "spans": choice(get_args(Spans)),
            "effort": vol.All(effort, lambda values: Effort(**values)),
        }
    )


def _alpha(value: object) -> float:
    if not is_number(value) or ALPHA.expected(value) is not None:
        raise vol.Invalid(f"illegal value {value!r}: expected a number {ALPHA}")
    return float(value)


def _part(registry: FunctionRegistry[Any], folder: Path | None) -> Callable[[object], Part[Any]]:
    """Return a validator of a name, ``package.module:function`` or ``{name: …, parameter: …}``."""

    def validate(value: object) -> Part[Any]:
        parameters: Mapping[str, object] = {}
        if isinstance(value, Part):
            return value
        if isinstance(value, Mapping):
            parameters = {str(key): v for key, v in value.items() if key != "name"}
            value = value.get("name")
        if not callable(value) and not (isinstance(value, str) and value):
            raise vol.Invalid(
                f"expected a name, package.module:function, or a mapping with a name; "
                f"found {_kind(value)}"
            )
        try:
            return registry.part(value, parameters, folder)
        except XcgError as error:
            raise vol.Invalid(str(error)) from None

    return validate


def _reader(folder: Path | None) -> Callable[[object], Part[ReaderClass]]:
    """Return a validator of a reader, which must be able to read a document."""
    named = _part(READERS, folder)

    def validate(value: object) -> Part[ReaderClass]:
        part = named(value)
        try:
            check_reader(part)
        except XcgError as error:
            raise vol.Invalid(str(error)) from None
        return part

    return validate


def _quantisation(folder: Path | None) -> Callable[[object], Part[Quantisation]]:
    """Return a validator of a quantisation, which can be a table or gains."""
    named = _part(QUANTISATIONS, folder)

    def validate(value: object) -> Part[Quantisation]:
        for key, kind, example in (
            ("table", Table, '{table: {"3,3": 1, …}}'),
            ("gains", Gains, "{gains: {1: 1, 2: 10, …}}"),
        ):
            if isinstance(value, Mapping) and key in value:
                content = value[key]
                if len(value) > 1 or not isinstance(content, Mapping) or not content:
                    raise vol.Invalid(f"expected {example} without other keys")
                try:
                    return Part(key, kind(content))
                except XcgError as error:
                    raise vol.Invalid(str(error)) from None
        return named(value)

    return validate


def _relevance_value(values: dict[str, Any]) -> RelevanceValue:
    try:
        return RelevanceValue(**values)
    except ValueError as error:
        raise vol.Invalid(str(error)) from None


_MAX_SHOWN = 80


def _kind(value: object) -> str:
    if value is None:
        return "nothing"
    shown = repr(value)
    return f"{type(value).__name__} {shown if len(shown) <= _MAX_SHOWN else shown[:_MAX_SHOWN] + '…'}"


def _legal_keys(schema: vol.Schema, key_path: KeyPath) -> list[str]:
    level: Any = schema.schema
    for key in key_path:
        level = next(inner for marker, inner in level.items() if str(marker) == str(key))
        level = level.validators[0] if isinstance(level, vol.All) else level
    return [str(marker) for marker in level]
