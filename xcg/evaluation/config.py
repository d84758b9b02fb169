"""A whole evaluation in one YAML file: corpus, assessments, runs, user models, measures."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, cast, get_args

from xcg.errors import InputError, XcgError
from xcg.lazy_modules import vol
from xcg.measures import MEASURES, Measure
from xcg.runs.run import TIES, Ties
from xcg.user_model.model import UserModel, check, checked_models, choice, resolve_models, text
from xcg.yaml_file import KeyPath, YamlFile, load_yaml

Unanswered = Literal["zero", "skip"]
DEFAULT_MEASURES = ("nxCG@10", "MAep", "iMAep", "Q", "R")


@dataclass
class Configuration:
    """What an evaluation works on. Paths are relative to the current folder.

    user_models: None where none is named, so that the assessments' scale decides.
    """

    assessments: list[Path] = field(default_factory=list)
    runs: list[Path] = field(default_factory=list)
    corpus: Path | None = None
    user_models: list[UserModel] | None = None
    measures: list[Measure] = field(default_factory=lambda: MEASURES.parse_all(DEFAULT_MEASURES))
    unanswered: Unanswered = "zero"
    ties: Ties = "document"
    workers: int = 1


def load_configuration(path: str | os.PathLike[str]) -> Configuration:
    """Load a configuration.

    Raises InputError that names file, line and key for an unknown key, a wrong type, a value out of
    range, or a user model or measure that is wrong.
    """
    file = load_yaml(Path(path))
    folder = file.path.parent
    values = check(file.content, _schema(), file.where)
    configuration = Configuration()
    if "corpus" in values:
        configuration.corpus = folder / values["corpus"]
    configuration.assessments = [folder / item for item in values.get("assessments", [])]
    configuration.runs = [folder / item for item in values.get("runs", [])]
    if "user_model" in values:
        configuration.user_models = _models(values["user_model"], file)
    if "measures" in values:
        configuration.measures = _measures(values["measures"], file)
    configuration.unanswered = cast(Unanswered, values.get("topics", {}).get("unanswered", "zero"))
    configuration.ties = cast(Ties, values.get("ties", "document"))
    configuration.workers = values.get("workers", 1)
    return configuration


def _models(value: object, file: YamlFile) -> list[UserModel]:
    several = isinstance(value, list)
    models = []
    for index, spec in enumerate(value if isinstance(value, list) else [value]):
        place: KeyPath = ("user_model", index) if several else ("user_model",)
        if isinstance(spec, Mapping):
            models += checked_models(spec, _below(file, place))
            continue
        try:
            models += resolve_models(spec, file.path.parent)
        except InputError:
            raise  # names the model's own file
        except XcgError as error:
            raise InputError(file.where(place), str(error)) from None
    return models


def _below(file: YamlFile, place: KeyPath) -> Callable[[KeyPath], str]:
    return lambda inner: file.where(place + inner)


def _measures(value: object, file: YamlFile) -> list[Measure]:
    try:
        if isinstance(value, str):
            return MEASURES.parse_all(value)
    except XcgError as error:
        raise InputError(file.where(("measures",)), str(error)) from None
    measures = []
    for index, item in enumerate(cast(list[object], value)):
        try:
            measures.append(MEASURES.parse(text(item)))
        except (XcgError, vol.Invalid) as error:
            raise InputError(file.where(("measures", index)), str(error)) from None
    return MEASURES.parse_all(measures)


def _paths(value: object) -> list[str]:
    items = value if isinstance(value, list) else [value]
    if not items:
        raise vol.Invalid("expected at least one path")
    return [text(item) for item in items]


def _list_or_text(value: object) -> object:
    if isinstance(value, str) or (isinstance(value, list) and value):
        return value
    raise vol.Invalid("expected a list like [nxCG@10, MAep]")


def _model_spec(value: object) -> object:
    if isinstance(value, (str, Mapping)) or (isinstance(value, list) and value):
        return value
    raise vol.Invalid("expected a name, a file, a mapping, or a list of these")


def _workers(value: object) -> int:
    if isinstance(value, int) and not isinstance(value, bool) and (value >= 1 or value == -1):
        return value
    raise vol.Invalid("expected a number of processes from 1, or -1 for one a core")


def _schema() -> vol.Schema:
    return vol.Schema(
        {
            vol.Optional("corpus"): text,
            vol.Optional("assessments"): _paths,
            vol.Optional("runs"): _paths,
            vol.Optional("user_model"): _model_spec,
            vol.Optional("measures"): _list_or_text,
            vol.Optional("topics"): {vol.Optional("unanswered"): choice(get_args(Unanswered))},
            vol.Optional("ties"): choice(TIES),
            vol.Optional("workers"): _workers,
        }
    )
