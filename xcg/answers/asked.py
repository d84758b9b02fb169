"""A question about a campaign: its settings and inputs, its scores, and the record of the method."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from xcg import __version__, answers
from xcg.answer import Answer
from xcg.documents.files import expand, whole_file
from xcg.documents.sources import CorpusPath, is_followed
from xcg.errors import InputError, XcgError, nearest
from xcg.evaluation.config import select_runs, with_named_run
from xcg.evaluation.evaluate import evaluate as evaluate_inputs
from xcg.evaluation.inputs import Inputs
from xcg.evaluation.parallel import ProgressBar
from xcg.evaluation.results import Results
from xcg.lazy_modules import hashlib
from xcg.measures import split_measures
from xcg.registry import Part
from xcg.report.trec_eval import trec_eval_inputs, trec_eval_output
from xcg.settings.keys import Settings
from xcg.settings.loading import Stated
from xcg.statistics.intervals import mean_intervals
from xcg.statistics.topic_scores import ALL_PAIRS
from xcg.tables import json_text
from xcg.user_model.model import UserModel

A = TypeVar("A", bound=Answer[Any])


@dataclass(frozen=True)
class Asked:
    """The settings and the inputs of a question.

    Attributes:
        sections: The sections of the configuration that it uses.
        stated: What the user states.
        settings: The same, checked.
        inputs: The inputs of the campaign.
        progress: Shows progress.
    """

    sections: Sequence[str]
    stated: Stated
    settings: Settings
    inputs: Inputs
    progress: ProgressBar

    def inputs_with(self, *required: str, of: Inputs | None = None) -> Inputs:
        """Return the inputs, or others; XcgError for one that a question needs and nothing states.

        Args:
            required: Some of ``assessments``, ``runs`` and ``corpus``.
            of: Other inputs.
        """
        inputs = self.inputs if of is None else of
        given = {
            "assessments": inputs.has_assessments,
            "runs": inputs.has_runs,
            "corpus": inputs.corpus is not None,
        }
        for key in required:
            if not given[key]:
                option = f"--{'run' if key == 'runs' else key} PATH"
                if self.stated.file is not None:
                    message = f"no {key}: expected the key {key!r} or {option}"
                    raise InputError(self.stated.file.path, message)
                raise XcgError(f"no {key}: expected a CONFIG.yaml or {option} ({key}=…)")
        return inputs

    def scores_of_systems(self, inputs: Inputs) -> Results:
        """Return the scores of all runs but greedy references; XcgError if there are no others."""
        results = evaluate_inputs(inputs, self.progress).without_references()
        if not results.runs:
            raise XcgError("all runs are greedy references, which are not tested: expected others")
        return results

    def recorded(self, answer: A) -> A:
        """Return an answer with the record of its settings; write the record if this is asked."""
        answer.get_settings = partial(record_of, self, self.sections)
        if self.settings.record is not None:
            self.write_record(Path(self.settings.record))
        return answer

    def write_record(self, path: Path) -> None:
        """Write the record of the settings."""
        record = record_of(self, self.sections, path.parent)
        with whole_file(path) as file:
            file.write((json_text(record, indent=1) + "\n").encode())

    @property
    def measure_names(self) -> list[str]:
        """The measures as the user states them; those of curves have no cutoff."""
        stated: Any = self.settings.measures
        given = stated if isinstance(stated, (list, tuple)) else [stated]
        return [name for one in given if one is not None for name in split_measures(str(one))]

    def states(self, name: str) -> bool:
        """Return whether the user states a key, such as ``compare.baseline``."""
        return self.stated.is_stated(name)

    def refuse(self, name: str, reason: str) -> None:
        """Raise XcgError if a key without effect is stated outside of the file of all commands."""
        path = tuple(name.split("."))
        if path in self.stated.overrides:
            place = self.stated.place(path).name
            raise XcgError(f"{place} has no effect {reason}: remove it")


def evaluate(asked: Asked) -> Results:
    """Return the scores of the runs."""
    shown = asked.settings.evaluate
    inputs = asked.inputs_with("assessments", "runs")
    if asked.settings.format == "trec_eval":
        results = evaluate_inputs(trec_eval_inputs(inputs), asked.progress)
        text = trec_eval_output(results, shown.per_topic)
        results.texts = {"trec_eval": lambda: text}
        return results
    against: Any = shown.against
    if against is not None:
        inputs, against = with_named_run(inputs, against, (ALL_PAIRS,))
    results = evaluate_inputs(inputs, asked.progress)
    if against not in (None, ALL_PAIRS, *results.runs):
        raise XcgError(f"evaluate.against: no run {against!r}: {nearest(str(against), results.runs)}")
    if shown.topic:
        results = results.of_topics(shown.topic)
    elif shown.intervals is not None:
        results.intervals, without = mean_intervals(results, shown.intervals)
        results.notes += [
            f"intervals: Student's t over the topics, {shown.intervals:g} %; each holds alone",
            *without,
        ]
    results.per_topic = shown.per_topic or bool(shown.topic)
    results.ranks = shown.ranks
    if not shown.topic:
        results.marks = lambda: answers.marks_of(results, against)  # imported for publications only
    return results


IN_MEMORY = "in memory"
"""What a record has instead of an input that is not a file."""
_INPUTS = ("assessments", "gold", "runs", "corpus")
_WITH_OWN_MEASURES = {"curves", "chunks", "gate", "study.perturb"}
_MADE = (*_INPUTS, "user_model", "measures", "strategies")
_RUNS = ("baseline", "against", "reference", "run")
_WRITTEN = ("junit",)
_EVALUATED = ("ties", "lenient")


def record_of(asked: Asked, sections: Iterable[str], folder: Path | None = None) -> dict[str, Any]:
    """Return the record of a method, which :func:`xcg.load` evaluates again.

    Args:
        asked: The question.
        sections: The sections of the configuration that the question uses.
        folder: The folder of the file to which the record is written, to which paths become relative.

    Returns:
        ``xcg``: the version; ``settings``: every key that can change a value, also those that have
        their default; ``files``: path → SHA-256 of each input file; pipes have none.
    """
    inputs, settings = asked.inputs, asked.settings
    written = partial(_path, folder=folder)
    models, explained = inputs, settings.explain.run if "explain" in sections else []
    if explained:  # the default user model can depend on their results
        models = select_runs(inputs, explained, inputs.runs, Path("the runs"))
    found: dict[str, Any] = {
        "assessments": _inputs(inputs.assessments, written),
        "runs": _inputs(inputs.runs, written),
        "corpus": _inputs(inputs.corpus, written),
        "user_model": [model_mapping(model) for model in models.user_models],
        "measures": _measures(asked, sections),
        "strategies": [_part(strategy) for strategy in inputs.strategy_list],
        "topics": {"unanswered": inputs.unanswered, "files": settings.topics.files},
        "document": inputs.document,
        "parents": IN_MEMORY if inputs.parents else None,
        **{name: getattr(settings, name) for name in _EVALUATED},
    }
    if inputs.nuggets:
        found["assessments"] = {"path": found["assessments"], "nuggets": True}
    others: list[Path] = []

    def value_of(value: Any, key: object = "") -> Any:
        if isinstance(value, (list, tuple)):
            return [value_of(one, key) for one in value]
        if isinstance(value, dict):
            inner = {key: value_of(one, key) for key, one in value.items() if key not in _WRITTEN}
            return {key: one for key, one in inner.items() if one not in (None, [])}
        is_run = key in _RUNS and isinstance(value, str) and os.path.isfile(value)
        if isinstance(value, Path) or is_run:
            others.append(Path(value))
            return written(Path(value))
        return value if value is None or isinstance(value, (str, int, float)) else IN_MEMORY

    for name in sections:
        level: Any = settings
        target = found
        *outer, last = name.split(".")
        for part in outer:
            level, target = getattr(level, part), target.setdefault(part, {})
        target[last] = dict(vars(getattr(level, last)))  # not copied: it can hold runs
    recorded = {name: value if name in _MADE else value_of(value) for name, value in found.items()}
    kept = {key: value for key, value in recorded.items() if value not in (None, [], ())}
    return {
        "xcg": __version__,
        "settings": kept,
        "files": {written(path): _sha256(path) for path in files_of(inputs, others)},
    }


def _measures(asked: Asked, sections: Iterable[str]) -> list[str]:
    """Return the measures; none if an answer has measures of its own and the user states none."""
    if not asked.states("measures") and set(sections) & _WITH_OWN_MEASURES:
        return []
    if "curves" in sections:
        return asked.measure_names
    return [str(measure) for measure in asked.inputs.measure_list]


def check_recorded(stated: Stated) -> list[str]:
    """Return a warning for each file that has changed since the record that a user loads.

    Raises:
        XcgError: If the record asks for inputs that were in memory, or an input is a data frame.
    """
    for name in (*_INPUTS, "parents"):
        value = stated.content.get(name)
        value = value.get("path") if isinstance(value, Mapping) else value
        given = value if isinstance(value, list) else [value]
        if any(hasattr(one, "columns") for one in given):  # its == returns no truth value
            readers = "qrels_from_frame and run_from_frame of xcg.integrations.pandas read data frames"
            raise XcgError(f"{name}: expected files or plain data, found a data frame; {readers}")
        if [one for one in given if isinstance(one, str)] == [IN_MEMORY]:
            raise XcgError(f"the {name} of this record were in memory: expected {name}=…")
    lines = []
    record = Path() if stated.file is None else stated.file.path
    for name, recorded in stated.hashes.items():
        path = record.parent / name
        if not path.is_file():
            lines.append(f"{name} does not exist any more")
        elif _sha256(path) != recorded:
            lines.append(f"{name} has changed since {record} was recorded")
    return lines


def files_of(inputs: Inputs, others: Sequence[Path]) -> Iterator[Path]:
    """Yield the files of the inputs, and other files and folders, each once; no pipe and no device."""
    found = expand(list(others), "files") if others else []
    for what in ("assessments", "runs", "topic_files"):
        given = getattr(inputs, what)
        items = [given] if isinstance(given, (str, os.PathLike)) else given
        if isinstance(items, (list, tuple)):
            for one in items:
                if isinstance(one, (str, os.PathLike)) and str(one) != "-":
                    with suppress(InputError):  # a finding of check
                        found += expand([one], what)
    if isinstance(inputs.corpus, (str, os.PathLike)):
        found += sorted(_files_below(inputs.corpus))
    # Reading a pipe takes its content away, and a device may have no end.
    yield from filter(Path.is_file, dict.fromkeys(found))


def _files_below(corpus: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield the file of a corpus, or the files in its folder without links that are not followed."""
    if os.path.isfile(corpus):
        yield Path(corpus)
    for folder, _, names in os.walk(corpus):
        for path in (os.path.join(folder, name) for name in names if name[:1] != "."):
            if not os.path.islink(path) or is_followed(path, corpus):
                yield Path(path)


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _path(path: Path, folder: Path | None) -> str:
    return os.path.relpath(path, folder) if folder is not None else str(path.absolute())


def _inputs(given: Any, written: Any) -> Any:
    if isinstance(given, CorpusPath):
        options = {"follow_links": given.follow_links, "exclude": list(given.exclude)}
        return {"path": written(Path(given)), **{name: one for name, one in options.items() if one}}
    if isinstance(given, (str, os.PathLike)):
        return written(Path(given))
    if given is None or (isinstance(given, tuple) and not given):
        return None
    items = given if isinstance(given, (list, tuple)) else [given]
    if all(isinstance(one, (str, os.PathLike)) for one in items):
        return [written(Path(one)) for one in items]
    return IN_MEMORY


def model_mapping(model: UserModel) -> dict[str, Any]:
    """Return a user model in the form of its YAML file, with every key."""
    found: dict[str, Any] = {}
    for field in dataclasses.fields(model):
        value = getattr(model, field.name)
        if field.name in ("relevance_value", "effort"):
            found[field.name] = {
                inner.name: _part(getattr(value, inner.name))
                for inner in dataclasses.fields(value)
                if inner.init and getattr(value, inner.name) is not None
            }
        else:
            found[field.name] = _part(value)
    if "reader" in found["relevance_value"]:
        found["relevance_value"] = {"reader": found["relevance_value"]["reader"]}
    return found


def _part(value: Any) -> Any:
    if not isinstance(value, Part):
        return value
    if value.name in ("table", "gains"):
        return {value.name: dict(value.function.content)}
    parameters: Mapping[str, object] = dict(value.parameters)
    return {"name": value.name, **parameters} if parameters else value.name
