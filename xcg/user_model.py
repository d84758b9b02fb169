"""User models: quantisation, ideal recall-base, relevance value and effort, checked as a whole."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, cast, get_args

import voluptuous as vol

from xcg.documents.tree import SizeUnit
from xcg.errors import InputError, XcgError, nearest
from xcg.ideal import SELECTIONS, Selection
from xcg.measures.effort_precision import Interpolation, Unretrieved
from xcg.plugins import Part, Registry
from xcg.quantisation import QUANTISATIONS, Quantisation, gains_part, table_part
from xcg.relevance_value import NearMisses, Normalisation, PartiallySeen, RelevanceValue
from xcg.yaml_file import Place, dotted, load_yaml

DEFAULT = "kazai-lalmas-2006"
LEVELS = "levels"
"""The model that is chosen for assessments in levels, where the user names none."""
Spans = Literal["refuse", "smallest_element"]
"""What a result is that is a passage and no element: an error, or the smallest element around it."""


@dataclass(frozen=True)
class Effort:
    """How effort-precision is read off the curves; a measure's own parameters come first."""

    interpolation: Interpolation = "segment"
    unretrieved: Unretrieved = "uncredited"

    def parameters(self) -> dict[str, str]:
        """Return the parameters that measures take from the user model."""
        return {"interpolation": self.interpolation, "unretrieved": self.unretrieved}


@dataclass(frozen=True)
class UserModel:
    """What a user wants, and how the user reads.

    Every part but the name has a default: the model of Kazai & Lalmas 2006 with sog and overlap=on.

    >>> model = UserModel.of({"name": "mine", "relevance_value": {"alpha": 0.5}})
    >>> model.relevance_value.alpha, str(model.quantisation), str(model.ideal)
    (0.5, 'sog', 'kazai_lalmas')
    """

    name: str
    quantisation: Part[Quantisation] = field(default_factory=lambda: QUANTISATIONS.part("sog"))
    ideal: Part[Selection] = field(default_factory=lambda: SELECTIONS.part("kazai_lalmas"))
    relevance_value: RelevanceValue = field(default_factory=RelevanceValue)
    size: SizeUnit = "characters"
    spans: Spans = "refuse"
    effort: Effort = field(default_factory=Effort)

    @classmethod
    def of(cls, mapping: Mapping[str, object], where: object = "user model") -> UserModel:
        """Return the model of a mapping in the form of the YAML files; InputError where it is wrong."""
        return checked_model(
            mapping, lambda place: f"{where}: {dotted(place)}" if place else str(where)
        )

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> UserModel:
        """Load a model from a YAML file; InputError with file, line and key where it is wrong."""
        file = load_yaml(Path(path))
        return checked_model(file.content, file.where)

    @classmethod
    def shipped(cls, name: str) -> UserModel:
        """Return a shipped model by name; XcgError with the nearest name for an unknown one."""
        names = shipped_models()
        if name not in names:
            raise XcgError(f"unknown user model {name!r}: {nearest(name, names)}")
        return cls.load(names[name])


def shipped_models() -> dict[str, Path]:
    """Return name → file of the models that come with xcg."""
    package = Path(__file__).parent
    # Installed, the files lie in the package; in a checkout, where people read and edit them.
    for folder in (package / "user_models", package.parent / "configs" / "user_models"):
        if folder.is_dir():
            files = sorted(folder.glob("*.yaml"), key=lambda file: file.stem)
            return {file.stem: file for file in files}
    raise XcgError("the shipped user models are missing from this installation of xcg")


def resolve_model(spec: object, folder: Path | None = None) -> UserModel:
    """Return the model that a name, a file (relative to a folder), a mapping or a model means."""
    if isinstance(spec, UserModel):
        return spec
    if isinstance(spec, Mapping):
        return UserModel.of(spec)
    if isinstance(spec, os.PathLike) or (
        isinstance(spec, str) and (spec.endswith((".yaml", ".yml")) or "/" in spec)
    ):
        return UserModel.load((folder or Path()) / spec)
    if isinstance(spec, str):
        return UserModel.shipped(spec)
    raise XcgError(f"illegal user model {spec!r}: expected a name, a file or a mapping")


def checked_model(content: object, where: Callable[[Place], str]) -> UserModel:
    """Return the model of a mapping; ``where`` says for a place in it how messages name it."""
    return UserModel(**check(content, _MODEL, where))


def check(content: object, schema: vol.Schema, where: Callable[[Place], str]) -> dict[str, Any]:
    """Return what a schema makes of a mapping; InputError for the first thing that is wrong."""
    if not isinstance(content, Mapping):
        raise InputError(where(()), f"expected keys with values, found {_kind(content)}")
    try:
        return cast(dict[str, Any], schema(dict(content)))
    except vol.MultipleInvalid as invalid:
        error = invalid.errors[0]
        place = tuple(error.path)
        if "extra keys" in error.msg:
            hint = nearest(str(place[-1]), _legal_keys(schema, place[:-1]))
            raise InputError(where(place), f"unknown key: {hint}") from None
        if "required key" in error.msg:
            key = str(place[-1])
            raise InputError(where(place[:-1]), f"the key {key!r} is missing") from None
        raise InputError(where(place), error.msg) from None


def _kind(value: object) -> str:
    return "nothing" if value is None else f"{type(value).__name__} {value!r}"


def _legal_keys(schema: vol.Schema, place: Place) -> list[str]:
    level: Any = schema.schema
    for key in place:
        level = next(inner for marker, inner in level.items() if str(marker) == str(key))
        level = level.validators[0] if isinstance(level, vol.All) else level
    return [str(marker) for marker in level]


def choice(values: tuple[str, ...]) -> Callable[[object], str]:
    """Return a validator that admits one of some names."""

    def validate(value: object) -> str:
        if not isinstance(value, str) or value not in values:
            raise vol.Invalid(f"illegal value {value!r}: {nearest(str(value), values)}")
        return value

    return validate


def text(value: object) -> str:
    """Admit text that is not empty."""
    if not isinstance(value, str) or not value.strip():
        raise vol.Invalid(f"expected text, found {_kind(value)}")
    return value


def _alpha(value: object) -> float:
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not number or not 0 <= cast(float, value) <= 1:
        raise vol.Invalid(f"illegal value {value!r}: expected a number from 0 to 1")
    return float(cast(float, value))


def _part(registry: Registry[Any]) -> Callable[[object], Part[Any]]:
    """Return a validator for a name, ``package.module:function`` or ``{name: …, parameter: …}``."""

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
            return registry.part(value, parameters)
        except XcgError as error:
            raise vol.Invalid(str(error)) from None

    return validate


def _quantisation(value: object) -> Part[Quantisation]:
    for key, make, example in (
        ("table", table_part, '{table: {"3,3": 1, …}}'),
        ("gains", gains_part, "{gains: {1: 1, 2: 10, …}}"),
    ):
        if isinstance(value, Mapping) and key in value:
            content = value[key]
            if len(value) > 1 or not isinstance(content, Mapping) or not content:
                raise vol.Invalid(f"expected {example} and nothing beside it")
            try:
                return make(content)
            except XcgError as error:
                raise vol.Invalid(str(error)) from None
    return _part(QUANTISATIONS)(value)


def _optional(rules: Mapping[str, object]) -> dict[object, object]:
    return {vol.Optional(key): rule for key, rule in rules.items()}


_RELEVANCE_VALUE = _optional(
    {
        "alpha": _alpha,
        "normalisation": choice(get_args(Normalisation)),
        "partially_seen": choice(get_args(PartiallySeen)),
        "near_misses": choice(get_args(NearMisses)),
    }
)
_EFFORT = _optional(
    {
        "interpolation": choice(get_args(Interpolation)),
        "unretrieved": choice(get_args(Unretrieved)),
    }
)
_MODEL = vol.Schema(
    {
        vol.Required("name"): text,
        **_optional(
            {
                "quantisation": _quantisation,
                "ideal": _part(SELECTIONS),
                "relevance_value": vol.All(_RELEVANCE_VALUE, lambda values: RelevanceValue(**values)),
                "size": choice(get_args(SizeUnit)),
                "spans": choice(get_args(Spans)),
                "effort": vol.All(_EFFORT, lambda values: Effort(**values)),
            }
        ),
    }
)
