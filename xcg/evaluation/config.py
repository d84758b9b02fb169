"""Load a whole evaluation from one YAML file: corpus, assessments, runs, user models, measures."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, cast, get_args

from xcg.documents.files import check_complete
from xcg.documents.standard_input import STANDARD_INPUT
from xcg.errors import FileError, InputError, XcgError
from xcg.evaluation.inputs import Inputs, Unanswered, resolve_strategies
from xcg.lazy_modules import vol
from xcg.measures import MEASURES, Measure
from xcg.runs.document_names import document_key
from xcg.runs.run import ORDERS, TIES, check_order
from xcg.user_model.model import UserModel, checked_models, resolve_models
from xcg.user_model.quantisation import is_number
from xcg.user_model.schema import check, choice, corpus_below, corpus_path, is_user_model, text
from xcg.yaml_file import KeyPath, YamlFile, load_yaml

_PLAIN_KEYS = ("order", "ties", "workers", "intervals")


def load_configuration(path: str | os.PathLike[str]) -> Inputs:
    """Load the inputs of an evaluation from a YAML file.

    Paths in the file are relative to its folder; ``-`` is standard input.

    Args:
        path: The file.

    Returns:
        The inputs. User models and measures are validated; data files are not opened.

    Raises:
        InputError: If a key is unknown, a value has a wrong type or range, or a user model or measure
            is wrong; with file, line and key.
    """
    folder = Path(path).parent
    check_complete(folder)
    file = load_yaml(Path(path))
    if is_user_model(file.content):
        raise FileError(
            path,
            f"a user model; expected a configuration. Name it with --user-model {path}, or with the "
            "key user_model in a configuration",
        )
    if isinstance(file.content, str):
        raise InputError(
            path,
            "not a configuration; expected YAML with keys such as assessments and runs. Name runs with "
            "--run and assessments with --assessments",
        )
    given: dict[str, Any] = check(file.content, configuration_schema(), file.where)
    inputs: dict[str, Any] = {key: given[key] for key in _PLAIN_KEYS if key in given}
    positions: dict[str, dict[str, str]] = {}
    if "corpus" in given:
        inputs["corpus"] = corpus_below(folder, given["corpus"])
        positions["corpus"] = {str(inputs["corpus"]): file.where(("corpus",))}
    for key in ("assessments", "runs"):
        paths = given.get(key, [])
        inputs[key] = [STANDARD_INPUT if one == "-" else folder / one for one in paths]
        is_list = isinstance(file.content, Mapping) and isinstance(file.content.get(key), list)
        positions[key] = {
            str(one): file.where((key, index) if is_list else (key,))
            for index, one in enumerate(inputs[key])
        }
    if "document" in given:
        stated = given["document"]
        inputs["document"] = document_key(stated, folder) if isinstance(stated, str) else stated
    if "user_model" in given:
        inputs["user_model"] = _user_models(given["user_model"], file)
    if "measures" in given:
        inputs["measures"] = _measures(given["measures"], file)
    if "strategies" in given:
        below = _below(file, ("strategies",))
        inputs["strategies"] = resolve_strategies(given["strategies"], folder, below)
    try:
        check_order(inputs.get("order", "score"), inputs.get("ties"))
    except XcgError as error:
        raise InputError(file.where(("ties",)), str(error)) from None
    topics = given.get("topics", {})
    if "unanswered" in topics:
        inputs["unanswered"] = topics["unanswered"]
    inputs["topic_files"] = [folder / path for path in topics.get("files", [])]
    return Inputs(**inputs, positions=positions)


def _user_models(value: object, file: YamlFile) -> list[UserModel]:
    models = []
    for index, spec in enumerate(value if isinstance(value, list) else [value]):
        place: KeyPath = ("user_model", index) if isinstance(value, list) else ("user_model",)
        if isinstance(spec, Mapping):
            models += checked_models(spec, _below(file, place), file.path.parent)
            continue
        try:
            models += resolve_models(spec, file.path.parent)
        except FileError as error:
            raise InputError(file.where(place), str(error)) from None
        except InputError:
            raise  # names the model's own file
        except XcgError as error:
            raise InputError(file.where(place), str(error)) from None
    return models


def _below(file: YamlFile, place: KeyPath) -> Callable[[KeyPath], str]:
    return lambda inner: file.where(place + inner)


def _measures(value: object, file: YamlFile) -> list[Measure]:
    if isinstance(value, str):
        try:
            return MEASURES.parse_all(value, file.path.parent)
        except XcgError as error:
            raise InputError(file.where(("measures",)), str(error)) from None
    measures = []
    for index, item in enumerate(cast(list[object], value)):
        try:
            measures.append(MEASURES.parse(text(item), file.path.parent))
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


def _strategy_spec(value: object) -> object:
    if isinstance(value, (str, Mapping)) or (isinstance(value, list) and value):
        return value
    raise vol.Invalid("expected a name, a mapping with a name, or a list of these")


def _document(value: object) -> object:
    names = [name for pair in value.items() for name in pair] if isinstance(value, Mapping) else []
    if names and all(isinstance(name, str) for name in names):
        return value
    if isinstance(value, str):
        return text(value)
    raise vol.Invalid("expected file name, a key, a file of names, or a mapping of names")


def _workers(value: object) -> int:
    if isinstance(value, int) and not isinstance(value, bool) and (value >= 1 or value == -1):
        return value
    raise vol.Invalid("expected a number of processes from 1, or -1 for one per core")


def _confidence(value: object) -> object:
    if is_number(value) and 0 < value < 100:
        return value
    raise vol.Invalid("expected a confidence level in percent, such as 95")


def configuration_schema() -> vol.Schema:
    """Return the schema of a configuration."""
    return vol.Schema(
        {
            vol.Optional("corpus"): corpus_path,
            vol.Optional("assessments"): _paths,
            vol.Optional("runs"): _paths,
            vol.Optional("user_model"): _model_spec,
            vol.Optional("measures"): _list_or_text,
            vol.Optional("strategies"): _strategy_spec,
            vol.Optional("topics"): {
                vol.Optional("unanswered"): choice(get_args(Unanswered)),
                vol.Optional("files"): _paths,
            },
            vol.Optional("order"): choice(ORDERS),
            vol.Optional("ties"): choice(TIES),
            vol.Optional("workers"): _workers,
            vol.Optional("document"): _document,
            vol.Optional("intervals"): _confidence,
        }
    )
