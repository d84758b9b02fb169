"""Make the inputs of an evaluation of what a user states: paths, user models, measures, strategies."""

from __future__ import annotations

import glob
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from xcg.documents.files import STANDARD_INPUT, expand
from xcg.documents.sources import CorpusPath
from xcg.errors import FileError, InputError, XcgError, nearest
from xcg.evaluation.inputs import GivenRuns, Inputs, resolve_strategies, resolve_user_models
from xcg.formats.json_records import document_key
from xcg.measures import MEASURES, Measure
from xcg.runs.run import Run
from xcg.settings.keys import Settings
from xcg.settings.loading import Stated
from xcg.settings.yaml_file import KeyPath
from xcg.user_model.model import UserModel, checked_models, resolve_models

_PLAIN_KEYS = ("ties", "workers", "lenient", "parents")


def inputs_of(stated: Stated, settings: Settings, with_measures: bool = True) -> Inputs:
    """Return the inputs of an evaluation.

    Args:
        stated: What the user states.
        settings: The same, checked.
        with_measures: Whether the measures are scores; those of curves have no cutoff.

    Returns:
        The inputs. User models, measures and strategies are validated; data files are not opened.

    Raises:
        InputError: If a user model, a measure or a strategy is wrong, with the place of the key.
    """
    values: dict[str, Any] = {name: getattr(settings, name) for name in _PLAIN_KEYS}
    values["unanswered"] = settings.topics.unanswered
    values["topic_files"] = settings.topics.files
    values |= {key: value for key, value in _paths(stated, settings).items() if value is not None}
    if settings.user_model is not None:
        values["user_model"] = _user_models(settings.user_model, stated)
    if settings.measures is not None and with_measures:
        values["measures"] = measures_of(settings.measures, stated, ("measures",))
    if settings.strategies is not None:
        folder, where = _folder(stated, "strategies"), _below(stated, ("strategies",))
        values["strategies"] = resolve_strategies(settings.strategies, folder, where)
    if settings.scheduler is not None:
        if stated.is_stated("workers"):
            raise InputError(
                stated.place(("workers",)).name,
                "has no effect with scheduler, whose cluster has its own workers: remove it",
            )
        values["scheduler"] = settings.scheduler
    inputs = Inputs(**values)
    return _with_selected_runs(inputs, stated) if ("runs",) in stated.overrides else inputs


def _paths(stated: Stated, settings: Settings) -> dict[str, Any]:
    """Return the assessments, runs, corpus and names of documents, and the lines that name them."""
    both = [name for name in ("gold", "assessments") if stated.is_stated(name)]
    chosen = [name for name in both if (name,) in stated.overrides] or both or ["assessments"]
    if len(chosen) > 1:
        raise InputError(stated.place(("gold",)).name, "means assessments: expected one of them")
    judged: Any = settings.gold if chosen == ["gold"] else settings.assessments
    positions: dict[str, dict[str, str]] = {}
    has_flag = isinstance(judged, Mapping) and isinstance(judged.get("nuggets"), bool)
    values: dict[str, Any] = {
        "assessments": judged["path"] if has_flag else judged,
        "nuggets": has_flag and judged["nuggets"],
        "runs": settings.runs,
        "corpus": corpus_of_key(settings.corpus),
        "positions": positions,
    }
    for key, name in (("assessments", chosen[0]), ("runs", "runs")):
        if stated.is_stated(name) and not stated.place((name,)).is_python:
            is_list = isinstance(stated.content[name], (list, tuple))
            values[key] = [STANDARD_INPUT if str(one) == "-" else one for one in values[key]]
            positions[key] = {
                str(one): stated.place((name, index) if is_list else (name,)).name
                for index, one in enumerate(values[key])
                if stated.overrides.get((name,)) is None
            }
    if stated.is_stated("corpus") and ("corpus",) not in stated.overrides:
        positions["corpus"] = {str(values["corpus"]): stated.place(("corpus",)).name}
    values["document"] = settings.document
    if isinstance(settings.document, str):
        values["document"] = document_key(settings.document, stated.place(("document",)).folder)
    return values


def corpus_of_key(value: Any) -> Any:
    """Return the corpus that the key states."""
    if not (isinstance(value, Mapping) and isinstance(value.get("path"), Path)):
        return value
    return CorpusPath(str(value["path"]), value.get("follow_links", False), value.get("exclude", ()))


def _with_selected_runs(inputs: Inputs, stated: Stated) -> Inputs:
    """Return inputs with the runs of an option, which can name runs of the file."""
    content: Any = stated.file.content if stated.file is not None else {}
    configured = content.get("runs")
    given: Any = inputs.runs
    is_texts = isinstance(given, (list, tuple)) and all(isinstance(one, (str, Path)) for one in given)
    if configured is None or not is_texts:
        return inputs
    assert stated.file is not None
    names = configured if isinstance(configured, list) else [configured]
    folder = stated.file.path.parent
    paths = [STANDARD_INPUT if name == "-" else folder / name for name in names]
    return select_runs(inputs, list(map(str, given)), paths, stated.file.path)


def _folder(stated: Stated, name: str) -> Path | None:
    """Return the folder whose Python files a key can name; Python can name all modules."""
    place = stated.place((name,))
    return None if place.is_python else place.folder or Path()


def _user_models(value: object, stated: Stated) -> list[UserModel]:
    specs: Any = value if isinstance(value, (list, tuple)) else [value]
    models: list[UserModel] = []
    for index, spec in enumerate(specs):
        path: KeyPath = ("user_model", index) if specs is value else ("user_model",)
        place = stated.place(path)
        if isinstance(spec, Mapping):
            folder = _folder(stated, "user_model")
            models += checked_models(spec, _below(stated, path), folder)
            continue
        try:
            models += resolve_models(spec, place.folder)
        except XcgError as error:
            if isinstance(error, InputError) and not isinstance(error, FileError):
                raise  # names the model's own file
            raise InputError(place.name, str(error)) from None
    try:
        return resolve_user_models(models)
    except XcgError as error:
        raise InputError(stated.place(("user_model",)).name, str(error)) from None


def _below(stated: Stated, path: KeyPath) -> Callable[[KeyPath], str]:
    return lambda inner: stated.place(path + inner).name


def measures_of(value: object, stated: Stated, path: KeyPath) -> list[Measure]:
    """Return the measures that a key states; errors name the place of each."""
    folder = _folder(stated, str(path[0]))
    is_list = isinstance(value, (list, tuple))
    measures: list[Measure] = []
    for index, item in enumerate(cast(Any, value) if is_list else [value]):
        try:
            if is_list and not (isinstance(item, (str, Measure)) and str(item).strip()):
                raise XcgError(f"expected the name of a measure, found {item!r}")
            measures += MEASURES.parse_all(item, folder)
        except XcgError as error:
            place = stated.place((*path, index) if is_list else path)
            raise InputError(place.name, str(error)) from None
    return MEASURES.parse_all(measures)


def _is_path(text: str) -> bool:
    """Return whether a text is standard input, a file, a folder, or a pattern that matches some."""
    return text == "-" or os.path.exists(text) or bool(glob.glob(text))


def select_runs(inputs: Inputs, given: Sequence[str], configured: GivenRuns, config: Path) -> Inputs:
    """Return inputs with the runs of --run: paths, or names of runs in the configuration.

    RUN+STRATEGY selects one of the overlap strategies too. A text that is both a path and a name is
    the path.

    Args:
        inputs: All other inputs.
        given: The values of --run.
        configured: The runs of the configuration.
        config: The configuration, for messages.

    Raises:
        XcgError: If a text is neither a path nor a name, or names select different strategies.
    """
    campaign = replace(inputs, runs=configured)
    if not campaign.has_runs or all(map(_is_path, given)):
        return replace(inputs, runs=[Path(text) for text in given])
    every = campaign.strategy_list
    by_name: dict[str, tuple[Any, list[Any]]] = {
        f"{name}+{strategy}": (source, [strategy])
        for name, source in campaign.named_sources.items()
        for strategy in every
    }
    by_name |= {name: (source, every) for name, source in campaign.named_sources.items()}
    chosen: list[tuple[Any, list[Any]]] = []
    for text in given:
        if not _is_path(text) and text in by_name:
            chosen.append(by_name[text])
        elif _is_path(text) or os.sep in text:  # without a file, the error suggests the nearest
            chosen.append((Path(text), every))
        else:
            hint = nearest(text, by_name)
            raise XcgError(f"{text}: no such file, and no run {text!r} in {config}: {hint}")
    sources = list(dict.fromkeys(source for source, _ in chosen))
    strategies = [one for one in every if any(one in selected for _, selected in chosen)]
    pairs = {(source, str(one)) for source, selected in chosen for one in selected}
    if len(pairs) != len(sources) * len(strategies):
        raise XcgError("--run selects different strategies of different runs: expected the same")
    return replace(inputs, runs=sources, strategies=strategies)


def with_named_run(
    inputs: Inputs, run: str | Run | None, words: Sequence[str] = ()
) -> tuple[Inputs, str | None]:
    """Return inputs that include the run of an option such as --baseline, and the name of the run.

    Args:
        inputs: The inputs. A run that is given by a path is added to their runs.
        run: The name of a run, a path or a run; None without the option. A text that is both a name and
            a path is the path.
        words: Values of the option that are not runs, such as ``best``.
    """
    if isinstance(run, Run):
        count = len(inputs.loaded_runs)
        inputs = replace(inputs, runs=[*inputs.loaded_runs, run], strategies=())
        return inputs, inputs.loaded_runs[count].name
    if run is None or run in words:
        return inputs, run
    if not os.path.isfile(run):
        if os.sep in run and not any(run.startswith(name) for name in inputs.named_sources):
            expand(run, "a run")  # the error suggests the nearest file
        return inputs, run
    sources = inputs.named_sources.items()
    names = [name for name, file in sources if isinstance(file, Path) and file.samefile(run)]
    if not names:
        inputs = replace(inputs, runs=[*inputs.named_sources.values(), Path(run)])
        names = list(inputs.named_sources)
    strategies = inputs.strategy_list
    return inputs, f"{names[-1]}+{strategies[0]}" if len(strategies) == 1 else names[-1]
