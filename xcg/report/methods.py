"""Describe an evaluation for the methods section of a paper."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from operator import attrgetter
from typing import Any

from xcg import __version__
from xcg.evaluation.inputs import Inputs
from xcg.evaluation.results import Results
from xcg.judgements.distribution import level_distribution
from xcg.judgements.recall_base import MEAN, RecallBase
from xcg.measures import Measure
from xcg.registry import Part
from xcg.report.citations import entries_of
from xcg.report.listings import Docstring, set_parameters
from xcg.user_model.model import UserModel
from xcg.user_model.relevance_value import Effort

_SCALES = {
    "four-point": "exhaustivity and specificity from 0 to 3",
    "coverage": "relevance from 0 to 3 and coverage",
    "share": "exhaustivity and the share of relevant text",
    "level": "levels of relevance",
}
_SETTINGS = {
    "ideal": "ideal elements {}",
    "size": "sizes in {}",
    "spans refuse": "no passages as results",
    "spans smallest_element": "passages read as the smallest elements around them",
    "spans text": "results read as the text that they span",
    "relevance_value.alpha": "intolerance of overlap α = {}",
    "relevance_value.partially_seen": "overlap model {}",
    "relevance_value.near_misses": "near-misses {}",
    "effort.interpolation": "{} interpolation of effort",
    "effort.unretrieved uncredited": "no credit for ideal elements that are not retrieved",
    "effort.unretrieved max": "as N the number of ranks with gain or of ideal elements, the larger",
    "effort.unit": "effort in {}",
    "effort.charge as_read": "text paid for as it is read",
    "effort.charge whole": "text without gain paid for first",
}
"""Setting of a user model, with or without a value → what the paragraph calls it."""
_FOR_TEXT = ("effort.charge", "effort.tokenizer")
"""Settings without an effect if effort is counted in ranks."""
_MOST_NAMES = 10
_SOURCE = re.compile(r" \([^()]*\d{4}[^()]*\)$")


def methods_paragraph(inputs: Inputs, results: Results, comparison: Sequence[str] = ()) -> str:
    """Return the paragraph: data, measures, user models, strategies and comparison.

    Publications are cited as ``[@key]``, with the keys of the BibTeX entries, as Pandoc reads them.

    Args:
        inputs: What was evaluated.
        results: Its scores.
        comparison: Sentences on the comparison of runs.
    """
    sentences = [*_data(inputs, results)]
    sentences.append(f"Scores were computed by xcg {__version__} [@xcg].")
    measures = inputs.measure_list
    sentences += [
        _measures([one for one in measures if one.definition is definition])
        for definition in dict.fromkeys(one.definition for one in measures)
    ]
    if any(one.definition.needs != "levels" or one.definition.on_spans for one in measures):
        sentences += _user_models(inputs.user_models, measures)
    if inputs.strategy_list:
        names = "; and ".join(map(_part, inputs.strategy_list))
        sentences.append(f"Each run was rewritten by the overlap strategy {names}.")
    return " ".join([*sentences, *comparison])


def _data(inputs: Inputs, results: Results) -> Iterator[str]:
    base = inputs.recall_base
    if inputs.documents is None:
        yield "No documents were read."
    else:
        excluded = inputs.documents.source.exclude
        without = f", read without their {listed(excluded)} elements" if excluded else ""
        yield f"The collection has {_count(sum(1 for _ in inputs.documents), 'document')}{without}."
    yield _judgements(base)
    runs = sorted({results.scope.strategies.get(run, (run,))[0] for run in results.runs})
    names = f" ({', '.join(runs)})" if len(runs) <= _MOST_NAMES else ""
    yield f"We evaluated {_count(len(runs), 'run')}{names}."
    if inputs.ties:
        yield f"Results with equal scores or ranks were ordered by {inputs.ties}."
    zero = "counts 0" if inputs.unanswered == "zero" else "is left out of the mean of the run"
    scores = Counter(row[:1] + row[2:3] + row[4:] for row in results if row.topic != MEAN).values()
    topics = (
        f"{min(scores):,} to {max(scores):,} topics"
        if len({*scores}) > 1
        else _count(max(scores), "topic")
    )
    yield f"Scores are over {topics}; a topic that a run does not answer {zero}."
    if left := len(base.topics) - len(results.topics):
        yield f"Left out, without a score: {_count(left, 'further assessed topic')}."
    if count := results.scope.tolerated:
        yield f"Tolerated: {_count(count, 'problem')} in results and assessments."


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'s' * (number != 1)}"


def _judgements(base: RecallBase) -> str:
    levels = level_distribution(base)
    assessed = sum(level.number for level in levels)
    relevant = sum(level.number for level in levels if level.relevant_share is not None)
    scales = listed([_SCALES[scale] for scale in sorted(base.scales)])
    files = [(base.spans[topic], base.passages[topic]) for topic in base.topics]
    passages = sum(len(found) for pair in files for one in pair for found in one.values())
    topics = f"For {_count(len(base.topics), 'topic')}"
    if passages and not any(base.files[topic] for topic in base.topics):
        held = (
            f"{_count(passages, 'relevant passage')} in {relevant:,} of {_count(assessed, 'document')}"
        )
        return f"{topics}, the assessments name {held}."
    shown = f", with {_count(passages, 'relevant passage')}" if passages else ""
    return (
        f"{topics}, {assessed:,} documents and elements were assessed"
        f"{f' in {scales}' if scales else ''}, {relevant:,} of them relevant{shown}."
    )


def _measures(measures: Sequence[Measure]) -> str:
    """Define measures of one definition; their names state the parameters without default values."""
    definition = measures[0].definition
    stated = [dict(measure.parameters) for measure in measures]
    settings = [
        f"{name} = {value:g}" if isinstance(value, float) else f"{name} = {value}"
        for name, value in Measure(definition).settings().items()
        if not all(name in one for one in stated) and name not in Effort().parameters()
    ]
    names = listed(list(map(str, measures)))
    unless = " unless stated" if any(stated) else ""
    parameters = f" with {listed(settings)}{unless}" if settings else ""
    verb = "is" if len(measures) == 1 else "are"
    title = f"{definition.title}{_cited(definition.references)}"
    return f"{names}{parameters} ({title}) {verb} defined as: {definition.formula}."


def _user_models(models: Sequence[UserModel], measures: Sequence[Measure]) -> Iterator[str]:
    first: dict[str, str] = {}
    for model in models:
        effort = model.effort.parameters()
        in_ranks = all(measure.unit(effort) == "ranks" for measure in measures)
        settings = {
            key: _setting(model, key, value)
            for key, value in model.settings.items()
            if not (in_ranks and key in _FOR_TEXT)
        }
        others = [text for key, text in settings.items() if first.get(key) != text]
        others += [
            f"no {key.rpartition('.')[2].replace('_', ' ')}" for key in first if key not in settings
        ]
        verb = f"differs from {models[0].name} in" if first else "has"
        same = f"The user model {model.name} scores like {models[0].name}."
        yield f"The user model {model.name} {verb} {listed(others)}." if others else same
        first = first or settings


def _setting(model: UserModel, key: str, value: str) -> str:
    part = attrgetter(key)(model)
    if isinstance(part, Part) and part.name not in ("table", "gains"):
        value = _part(part)
    label = _SETTINGS.get(f"{key} {value}") or _SETTINGS.get(key, key.rpartition(".")[2] + " {}")
    return label.replace("{}", value)


def _part(part: Part[Any]) -> str:
    """Return the name of a function with all parameters, what it does, and its sources."""
    summary = _SOURCE.sub("", Docstring.of(part.plain).summary.rstrip("."))
    given = {**{one.name: one.default for one in set_parameters(part.plain)}, **dict(part.parameters)}
    values = f"({', '.join(f'{name}={value}' for name, value in given.items())})" if given else ""
    if summary[1:2].islower():
        summary = summary[0].lower() + summary[1:]
    shown = f" ({summary.replace('(', '[').replace(')', ']')})" if summary else ""
    return f"{part.name}{values}{shown}{_cited(getattr(part.plain, 'references', ()))}"


def _cited(references: Sequence[str]) -> str:
    keys = "; ".join(f"@{entry.key}" for entry in entries_of(references))
    return f" [{keys}]" if keys else ""


def listed(names: Sequence[str]) -> str:
    """Join names with commas and a final "and".

    >>> listed(["MAep"]), listed(["MAep", "Q", "R"])
    ('MAep', 'MAep, Q and R')
    """
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))
