"""Evaluate runs: assessments, runs, documents, user models and measures give results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from xcg.errors import Notes, NothingToAverageError
from xcg.evaluation.inputs import Inputs
from xcg.evaluation.parallel import Progress, ProgressBar, no_progress
from xcg.evaluation.reading import Reading, count_repeated, named_runs
from xcg.evaluation.results import Result, Results, Scope
from xcg.evaluation.scoring import (
    ScoredRun,
    TopicScorer,
    TopicValue,
    Values,
    defined,
    list_topics,
    note_above_1,
    note_other_order,
    note_topics,
    note_undefined,
    note_unspaced,
)
from xcg.evaluation.topics import TopicSource, map_topics
from xcg.judgements.recall_base import MEAN, RecallBase
from xcg.measures import Measure
from xcg.measures.trec import Levels, check_span_measures, levels_of, span_topics, standard_values
from xcg.runs.run import Run
from xcg.strategies.registry import BoundStrategy, rewrite_runs
from xcg.user_model.model import OF_SCALE, UserModel


def evaluate(inputs: Inputs, progress: ProgressBar = no_progress) -> Results:
    """Score runs by measures: for each topic, and as means over topics.

    Means are over the assessed topics with an ideal gain above 0 under the user model.

    Args:
        inputs: What is evaluated.
        progress: Shows how many topics are finished; less often with several workers.

    Raises:
        XcgError: For every error that a user can cause; :class:`InputError` if data are wrong.
    """
    inputs.check()
    base, chosen = inputs.recall_base, inputs.measure_list
    standard = [measure for measure in chosen if measure.definition.needs == "levels"]
    measures = [measure for measure in chosen if measure.definition.needs != "levels"]
    if standard:
        check_span_measures(base, standard)
    is_without_model = inputs.user_model is None and not measures and base.scales == {"level"}
    models = [] if is_without_model else inputs.user_models  # a model that is not used is not loaded
    names = [OF_SCALE["level"]] if is_without_model else [model.name for model in models]
    work = _Work(inputs, models, names, measures, standard)
    checks_corpus = inputs.check_corpus and inputs.documents is not None
    noted = Notes(inputs.lenient)
    with progress("topics") as advance:
        if measures or checks_corpus or base.states_text:
            scored, without_ideal = _score_topics(work, noted, advance)
        else:
            scored, without_ideal = _score_levels(work, noted), []
    notes = inputs.new_notes()
    notes.take(noted)
    note_topics(base, [one.run for one in scored], inputs.unanswered, notes)
    return _results(work, scored, without_ideal, notes)


class _Work(NamedTuple):
    """What is computed.

    Attributes:
        inputs: The inputs.
        models: The user models; none if levels of relevance need none.
        model_names: Their names, or that of the default.
        measures: The measures of gains, scores, grades and text.
        standard: The measures of levels of relevance.
    """

    inputs: Inputs
    models: Sequence[UserModel]
    model_names: Sequence[str]
    measures: Sequence[Measure]
    standard: Sequence[Measure]


def _score_levels(work: _Work, notes: Notes) -> list[ScoredRun]:
    """Score runs by standard measures of levels, one run after the other."""
    inputs, sources = work.inputs, work.inputs.run_sources
    levels = levels_of(inputs.recall_base)
    scored: list[tuple[ScoredRun, int]] = []
    files = [source for source in sources if isinstance(source, Path)]
    common = [inputs.reading, inputs.strategy_list, levels, work.standard, inputs.lenient]
    with inputs.naming_position("runs"):
        tasks = [(source,) for source in sources]
        for found, noted in inputs.executor.run(_score_run, tasks, common=common, files=files):
            scored += found
            notes.take(noted)
    named = named_runs([one.run for one, _ in scored], [count for _, count in scored], notes)
    return [one._replace(run=run) for (one, _), run in zip(scored, named, strict=True)]


def _score_run(
    reading: Reading,
    strategies: Sequence[BoundStrategy],
    levels: Levels,
    measures: Sequence[Measure],
    lenient: bool,
    source: Run | Path,
) -> tuple[list[tuple[ScoredRun, int]], Notes]:
    """Return a run under each strategy with its values and the number of its repeated results."""
    notes = Notes(lenient)
    read = [reading.run(source, notes)]
    runs = rewrite_runs(read, strategies, reading.chunks.corpus) if strategies else read
    # From here on, only the answered topics of a run are needed.
    scored = (ScoredRun(run.top(1), [], standard_values(levels, run, measures)) for run in runs)
    repeated = [sum(map(count_repeated, run.rankings.values())) for run in runs]
    return list(zip(scored, repeated, strict=True)), notes


def _score_topics(
    work: _Work, notes: Notes, progress: Progress | None
) -> tuple[list[ScoredRun], list[list[str]]]:
    """Score all runs topic by topic; return also each user model's topics without an ideal element."""
    inputs, runs = work.inputs, work.inputs.loaded_runs
    needs = {measure.definition.needs for measure in work.measures}
    base, of_spans = inputs.recall_base, span_topics(inputs.recall_base) if work.standard else []
    source = TopicSource(
        base,
        runs,
        inputs.documents,
        needs_elements=bool(needs & {"gains", "scores", "grades"}),
        needs_entry_points="text" in needs,
    )
    scorer = TopicScorer(
        work.models,
        work.measures,
        work.standard,
        frozenset(of_spans),
        {run.name: replace(run, rankings={}) for run in runs},
        inputs.unanswered,
    )
    names = base.topics if work.measures or inputs.check_corpus else of_spans
    topics = map_topics(source, scorer, notes, names, executor=inputs.executor, progress=progress)
    without_ideal = [
        [one.topic for one in topics if not one.has_ideal[number]] if "gains" in needs else []
        for number in range(len(work.models))
    ]
    levels = levels_of(base, but_of=of_spans) if work.standard else {}
    nothing = [None] * len(work.measures)
    scored = []
    for run in runs:
        values: list[list[Values]] = [
            [
                {t.topic: one for t in topics if (one := (t.values[n].get(run.name) or nothing)[k])}
                for k in range(len(work.measures))
            ]
            for n in range(len(work.models))
        ]
        standard = {(t.topic, m): v for t in topics for m, v in t.standard.get(run.name, {}).items()}
        standard |= standard_values(levels, run, work.standard) if levels else {}
        scored.append(ScoredRun(run, values, standard))
    return scored, without_ideal


def _results(
    work: _Work, scored: Sequence[ScoredRun], without_ideal: Sequence[Sequence[str]], notes: Notes
) -> Results:
    """Return the results of scored runs, with means and notes."""
    inputs, base = work.inputs, work.inputs.recall_base
    rows: list[Result] = []
    for number, model_name in enumerate(work.model_names):
        if without_ideal and without_ideal[number]:
            missing = list_topics(without_ideal[number])
            notes.note(f"{model_name}: no ideal element, so not in the means: topic {missing}")
        if work.measures:
            note_undefined(model_name, work.measures, scored, number, notes)
        effort = work.models[number].effort.parameters() if work.models else {}
        for one in scored:
            gained = zip(work.measures, one.values[number] if work.measures else (), strict=True)
            values = {**dict(gained), **{m: _standard(m, one, inputs, notes) for m in work.standard}}
            for measure in inputs.measure_list:
                rows += _rows(model_name, one.run.name, measure, values[measure], effort)
    if not rows:
        reason = "no topic has an ideal element under " + ", ".join(work.model_names)
        if not work.measures:
            reason = f"no topic has a value of {', '.join(map(str, work.standard))}"
        of_measures = chain(*chain(*(run.values for run in scored)))
        if any(one.is_unknown_text for values in of_measures for one in values.values()):
            reason = "the corpus lacks the text of results for all topics"
        raise NothingToAverageError(f"nothing to average: {reason}")
    runs = [one.run for one in scored]
    scope = Scope(
        [run.name for run in runs],
        [str(measure) for measure in inputs.measure_list],
        work.model_names,
        [run.name for run in runs if run.answered.isdisjoint(base.topics)],
        notes.tolerated,
        {run.name: (run.name_as_read, run.strategy) for run in runs if run.strategy},
        {run.name: run.answered | run.skipped for run in runs},
        {model.name: model.relevance_value.alpha for model in work.models},
    )
    if base.has_nuggets and (count := _nuggets_with_several_levels(base)):
        notes.note(f"nuggets with several levels, of which the highest counts: {count}")
    note_above_1(rows, work.models, work.measures, base.has_nuggets, notes)
    for model in work.models:
        units = {model.size, *(measure.unit(model.effort.parameters()) for measure in work.measures)}
        if "words" in units and inputs.documents is not None:
            note_unspaced(model, inputs.documents, notes)
    systems = [one for one in scored if not one.run.is_reference]
    note_other_order(work.model_names, work.measures, systems, notes)
    return Results(rows, notes.lines(), scope)


def _rows(
    model: str, run: str, measure: Measure, values: Values, effort: Mapping[str, str]
) -> list[Result]:
    """Return the values of a run by a measure under a user model, the mean after the topics."""
    if not (by_topic := defined(values)):
        return []
    name = str(measure)
    rows = [Result(run, topic, name, value, model) for topic, value in by_topic.items()]
    inputs = [one.aggregate_input for one in values.values() if one.aggregate_input is not None]
    mean = measure.aggregate([*by_topic.values()], inputs, effort)
    return [*rows, Result(run, MEAN, name, mean, model)]


def _standard(measure: Measure, scored: ScoredRun, inputs: Inputs, notes: Notes) -> Values:
    """Return the values of a standard measure for each topic, and note undefined ones."""
    topics, label, found = inputs.recall_base.topics, str(measure), scored.standard
    if inputs.unanswered == "skip":
        topics = [topic for topic in topics if topic in scored.run.answered]
    values = {
        t: TopicValue(value, value) for t in topics if (value := found.get((t, label))) is not None
    }
    if len(values) < len(topics):
        undefined = list_topics([topic for topic in topics if topic not in values])
        notes.note(f"{label}: undefined, so not in the mean: topic {undefined}")
    return values


def _nuggets_with_several_levels(base: RecallBase) -> int:
    """Return how many nuggets of topics have several levels above 0."""
    levels = {
        (topic, nugget, level)
        for topic, stated in base.nuggets.items()
        for found in stated.values()
        for nugget, level in found.items()
        if level > 0
    }
    return sum(count > 1 for count in Counter(one[:2] for one in levels).values())
