"""User models: quantisation, ideal recall-base, relevance value and effort, checked as a whole."""

from __future__ import annotations

import itertools
import math
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Literal, cast, get_args

from xcg.documents.text_units import TOKENIZERS
from xcg.documents.tree import SizeUnit
from xcg.errors import InputError, XcgError, nearest
from xcg.lazy_modules import vol
from xcg.registry import FunctionRegistry, Part
from xcg.user_model.effort import Effort, EffortUnit, Interpolation, Unretrieved
from xcg.user_model.ideal import SELECTIONS, Selection
from xcg.user_model.near_misses import NEAR_MISSES
from xcg.user_model.overlap_models import PARTIALLY_SEEN
from xcg.user_model.parts import depends_on_other_runs
from xcg.user_model.quantisation import QUANTISATIONS, Quantisation, gains_part, table_part
from xcg.user_model.relevance_value import Normalisation, RelevanceValue
from xcg.yaml_file import KeyPath, format_key_path, load_yaml

DEFAULT = "kazai-lalmas-2006"
OF_SCALE = {"level": "levels", "share": "inex-2005"}
"""The models that are chosen for assessments of other scales, where the user names none."""
Spans = Literal["refuse", "smallest_element", "text"]
"""What a result is that is a passage and no element: an error, or the smallest element around it. With
``text`` every result, an element too, is the text that it spans, see :mod:`xcg.gains.span_reader`."""


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

    def __post_init__(self) -> None:
        rule = self.relevance_value
        for part, only in ((rule.partially_seen, "recursive"), (rule.near_misses, "judged")):
            if self.spans == "text" and part.name != only:
                raise XcgError(
                    f"{part} is for elements; with spans: text, what is new and what is near follows "
                    "from the text that results share"
                )

    @property
    def depends_on_other_runs(self) -> bool:
        """Whether the gains of a run can depend on other runs if there is no corpus."""
        rule = self.relevance_value
        parts: tuple[Part[Any], ...] = (self.ideal, rule.partially_seen, rule.near_misses)
        return any(depends_on_other_runs(part) for part in parts)

    @classmethod
    def of(cls, mapping: Mapping[str, object], where: object = "user model") -> UserModel:
        """Return the model of a mapping in the form of the YAML files; InputError where it is wrong."""
        return checked_model(
            mapping, lambda place: f"{where}: {format_key_path(place)}" if place else str(where)
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
    here = Path(__file__).parent
    # Installed, the files are in the package; in a checkout, where people read and edit them.
    for folder in (here / "shipped", here.parent.parent / "configs" / "user_models"):
        if folder.is_dir():
            files = sorted(folder.glob("*.yaml"), key=lambda file: file.stem)
            return {file.stem: file for file in files}
    raise XcgError("the shipped user models are missing from this installation of xcg")


def resolve_models(spec: object, folder: Path | None = None) -> list[UserModel]:
    """Return the models that a name, a file (relative to a folder), a mapping or a model means.

    A mapping or file that has lists of values for its parameters means several, see :func:`expanded`.
    """
    if isinstance(spec, UserModel):
        return [spec]
    if isinstance(spec, Mapping):
        return checked_models(
            spec, lambda at: f"user model: {format_key_path(at)}" if at else "user model"
        )
    if isinstance(spec, os.PathLike) or (
        isinstance(spec, str) and (spec.endswith((".yaml", ".yml")) or "/" in spec)
    ):
        file = load_yaml((folder or Path()) / spec)
        return checked_models(file.content, file.where)
    if isinstance(spec, str):
        return [UserModel.shipped(spec)]
    raise XcgError(f"illegal user model {spec!r}: expected a name, a file or a mapping")


def checked_models(content: object, where: Callable[[KeyPath], str]) -> list[UserModel]:
    """Return the models of a mapping that may have lists of values for its parameters."""
    if not isinstance(content, Mapping):
        return [checked_model(content, where)]
    return [checked_model(mapping, where) for mapping in expanded(content, where)]


def expanded(
    content: Mapping[str, object], where: Callable[[KeyPath], str]
) -> list[Mapping[str, object]]:
    """Return the mappings of all combinations of the values that stand in lists or ranges.

    A range is ``{from: 0, to: 1, step: 0.25}``, both ends included. Each model is called after its
    values: ``mine[alpha=0.5,ideal=leaves]``. Raises InputError for an empty list, a range that is none,
    or more than 10,000 combinations.

    >>> models = expanded({"name": "m", "relevance_value": {"alpha": [0, 1]}}, str)
    >>> [model["name"] for model in models]
    ['m[alpha=0]', 'm[alpha=1]']
    """
    axes: list[tuple[KeyPath, list[object]]] = []

    def look(value: object, place: KeyPath) -> None:
        if isinstance(value, list):
            if not value:
                raise InputError(where(place), "an empty list: expected values to try")
            axes.append((place, value))
        elif isinstance(value, Mapping) and {"from", "to", "step"} & set(value):
            axes.append((place, _range(value, where(place))))
        elif isinstance(value, Mapping) and not {"table", "gains"} & set(value):
            for key, inner in value.items():
                look(inner, (*place, key))

    look({key: value for key, value in content.items() if key != "name"}, ())
    if math.prod(len(values) for _, values in axes) > _MOST_MODELS:
        raise InputError(where(()), f"more than {_MOST_MODELS:,} combinations of values")
    if not axes:
        return [content]
    names = _axis_names([place for place, _ in axes])
    return [
        {
            **_with_values(content, [place for place, _ in axes], combination),
            "name": f"{content.get('name', '')}[{','.join(map(_setting, names, combination))}]",
        }
        for combination in itertools.product(*(values for _, values in axes))
    ]


_MOST_MODELS = 10_000


def _axis_names(places: list[KeyPath]) -> list[str]:
    """Call each axis by its last key, or by the whole place where another has that key too."""
    last = [str(place[-1]) for place in places]
    return [
        format_key_path(place) if last.count(name) > 1 else name
        for place, name in zip(places, last, strict=True)
    ]


def _setting(name: str, value: object) -> str:
    if isinstance(value, Mapping):
        inner = [f"{key}={item}" for key, item in value.items() if key != "name"]
        value = f"{value.get('name', '')}({' '.join(inner)})" if inner else value.get("name")
    return f"{name}={value}"


def _with_values(
    content: Mapping[str, object], places: list[KeyPath], values: tuple[object, ...]
) -> dict[str, object]:
    copy: Any = _copied(content)
    for place, value in zip(places, values, strict=True):
        inner = copy
        for key in place[:-1]:
            inner = inner[key]
        inner[place[-1]] = value
    return cast(dict[str, object], copy)


def _copied(value: object) -> object:
    if isinstance(value, Mapping):
        return {key: _copied(inner) for key, inner in value.items()}
    return value


def _range(value: Mapping[object, object], where: str) -> list[object]:
    numbers = [value.get(key) for key in ("from", "to", "step")]
    if set(value) != {"from", "to", "step"} or not all(
        isinstance(number, (int, float)) and not isinstance(number, bool) for number in numbers
    ):
        raise InputError(where, "expected a range {from: 0, to: 1, step: 0.25}")
    first, last, step = (cast(float, number) for number in numbers)
    if not (step > 0 and first <= last and (last - first) / step <= _MOST_MODELS):
        raise InputError(where, f"no range from {first} to {last} by {step}")
    # Rounded, so that 3 × 0.1 is called 0.3; the end is met though steps of 0.1 add up to a hair more.
    count = int((last - first) / step + 1e-9) + 1
    return [round(first + index * step, 12) for index in range(count)]


def checked_model(content: object, where: Callable[[KeyPath], str]) -> UserModel:
    """Return the model of a mapping; ``where`` says for a place in it how messages name it."""
    values = check(content, _schema(), where)
    try:
        return UserModel(**values)
    except XcgError as error:
        raise InputError(where(("spans",)), str(error)) from None


def check(content: object, schema: vol.Schema, where: Callable[[KeyPath], str]) -> dict[str, Any]:
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


def _legal_keys(schema: vol.Schema, place: KeyPath) -> list[str]:
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


def _part(registry: FunctionRegistry[Any]) -> Callable[[object], Part[Any]]:
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


def _relevance_value(values: dict[str, Any]) -> RelevanceValue:
    try:
        return RelevanceValue(**values)
    except ValueError as error:
        raise vol.Invalid(str(error)) from None


@cache
def _schema() -> vol.Schema:
    relevance_value = _optional(
        {
            "alpha": _alpha,
            "normalisation": choice(get_args(Normalisation)),
            "partially_seen": _part(PARTIALLY_SEEN),
            "near_misses": _part(NEAR_MISSES),
        }
    )
    effort = _optional(
        {
            "interpolation": choice(get_args(Interpolation)),
            "unretrieved": choice(get_args(Unretrieved)),
            "unit": choice(get_args(EffortUnit)),
            "tokenizer": _part(TOKENIZERS),
        }
    )
    parts = _optional(
        {
            "quantisation": _quantisation,
            "ideal": _part(SELECTIONS),
            "relevance_value": vol.All(relevance_value, _relevance_value),
            "size": choice(get_args(SizeUnit)),
            "spans": choice(get_args(Spans)),
            "effort": vol.All(effort, lambda values: Effort(**values)),
        }
    )
    return vol.Schema({vol.Required("name"): text, **parts})
