"""Evaluate runs: assessments, runs, documents, user models and measures give results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import replace
from itertools import chain, groupby
from pathlib import Path
from typing import NamedTuple

from xcg.errors import Notes, NothingToAverageError
from xcg.evaluation.inputs import Inputs, Unanswered
from xcg.evaluation.parallel import Progress, ProgressBar, no_progress
from xcg.evaluation.reading import (
    Reading,
    count_repeated,
    note_results,
    unique_names,
)
from xcg.evaluation.results import Result, Results, Scope
from xcg.evaluation.scoring import (
    ScoredRun,
    TopicScorer,
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
from xcg.runs.run import Run, name_without_strategy
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
    work = _work(inputs)
    notes = Notes(inputs.lenient)
    with progress("topics") as advance:
        if work.levels_only:
            scored = _score_levels(work, inputs, notes)
        else:
            scored = _score_topics(work, inputs, notes, advance)
    before, notes = notes, inputs.new_notes()
    notes.take(before)
    names = unique_names(scored, notes)
    runs = dict(zip(names, scored, strict=True))
    note_topics(work.base, runs, inputs.unanswered, notes)
    return _results(inputs, work, runs, notes)


class _Work(NamedTuple):
    """What is computed.

    Attributes:
        measures: The measures of gains, scores, grades and text.
        standard: The measures of levels of relevance.
        span_topics: The topics for which these are computed on gold spans.
        levels_only: Whether only standard measures of levels are computed, which need no topics.
        needs: The data that the measures of gains, scores, grades and text need.
        without_ideal: For each user model, the topics without an ideal element.
    """

    base: RecallBase
    models: Sequence[UserModel]
    model_names: Sequence[str]
    measures: Sequence[Measure]
    standard: Sequence[Measure]
    span_topics: Sequence[str]
    levels_only: bool
    needs: Set[str]
    without_ideal: Sequence[list[str]]


def _work(inputs: Inputs) -> _Work:
    """Return what is computed, after checking the inputs."""
    inputs.check()
    base, chosen = inputs.recall_base, inputs.measure_list
    standard = [measure for measure in chosen if measure.definition.needs == "levels"]
    measures = [measure for measure in chosen if measure.definition.needs != "levels"]
    if standard:
        check_span_measures(base, standard)
    if inputs.user_model is None and not measures and base.scales == {"level"}:
        models, names = [], [OF_SCALE["level"]]  # no model is used, so none is loaded
    else:
        models = inputs.user_models
        names = [model.name for model in models]
    checks_corpus = inputs.check_corpus and inputs.documents is not None
    levels_only = not measures and not checks_corpus and not base.states_text
    with_spans = span_topics(base) if standard else []
    needs = {measure.definition.needs for measure in measures}
    without: list[list[str]] = [[] for _ in models]
    return _Work(base, models, names, measures, standard, with_spans, levels_only, needs, without)


def _score_levels(work: _Work, inputs: Inputs, notes: Notes) -> list[ScoredRun]:
    """Score runs by standard measures of levels, one run after the other."""
    sources, executor = inputs.run_sources, inputs.executor
    files = [source for source in sources if isinstance(source, Path)]
    levels = levels_of(work.base)
    common = [inputs.reading, inputs.strategy_list, levels, work.standard, inputs.lenient]
    scored = []
    with inputs.naming_position("runs"):
        tasks = [(source,) for source in sources]
        for runs, noted in executor.run(_score_run, tasks, common=common, files=files):
            scored += runs
            notes.take(noted)
    return scored


def _score_run(
    reading: Reading,
    strategies: Sequence[BoundStrategy],
    levels: Levels,
    measures: Sequence[Measure],
    lenient: bool,
    source: Run | Path,
) -> tuple[list[ScoredRun], Notes]:
    notes = Notes(lenient)
    read = [reading.run(source, notes)]
    runs = rewrite_runs(read, strategies, reading.chunks.corpus) if strategies else read
    scored = []
    for run in runs:
        values = standard_values(levels, run, measures)
        repeated = 0 if run.is_reference else sum(map(count_repeated, run.rankings.values()))
        one = run.name, run.source, run.strategy, run.answered, run.skipped
        scored.append(ScoredRun(*one, [], values, repeated))
    return scored, notes


def _score_topics(
    work: _Work, inputs: Inputs, notes: Notes, progress: Progress | None
) -> list[ScoredRun]:
    """Score all runs topic by topic."""
    with inputs.naming_position("runs"):
        runs = inputs.loaded_runs
    source = TopicSource(
        work.base,
        runs,
        inputs.documents,
        needs_elements=bool(work.needs & {"gains", "scores", "grades"}),
        needs_entry_points="text" in work.needs,
    )
    scorer = TopicScorer(
        work.models,
        work.measures,
        work.standard,
        frozenset(work.span_topics),
        {run.name: replace(run, rankings={}) for run in runs},
        inputs.unanswered,
    )
    checks_all = work.measures or inputs.check_corpus
    topics = map_topics(
        source,
        scorer,
        notes,
        work.base.topics if checks_all else work.span_topics,
        executor=inputs.executor,
        progress=progress,
    )
    for topic in topics:
        for without, has_ideal in zip(work.without_ideal, topic.has_ideal, strict=False):
            if not has_ideal:
                without.append(topic.topic)
    levels = levels_of(work.base, but_of=work.span_topics) if work.standard else {}
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
        scored.append(
            ScoredRun(run.name, run.source, run.strategy, run.answered, run.skipped, values, standard)
        )
    return scored


def _results(inputs: Inputs, work: _Work, runs: Mapping[str, ScoredRun], notes: Notes) -> Results:
    """Return the results of scored runs, with means and notes."""
    rows: list[Result] = []
    for number, model_name in enumerate(work.model_names):
        without_ideal = work.without_ideal[number] if "gains" in work.needs else []
        if without_ideal:
            missing = list_topics(without_ideal)
            notes.note(f"{model_name}: no ideal element, so not in the means: topic {missing}")
        if work.measures:
            note_undefined(model_name, work.measures, runs, number, notes)
        for name, run in runs.items():
            if work.measures:
                rows += _rows(work.models[number], name, work.measures, run.values[number])
            options = name, run, work, inputs.unanswered, notes
            rows += _standard_rows(model_name, *options) if work.standard else []
    if work.standard and work.measures:  # sort the values of each run into the order of the measures
        order = {str(measure): position for position, measure in enumerate(inputs.measure_list)}
        grouped = groupby(rows, key=lambda row: (row.user_model, row.run))
        rows = [row for _, group in grouped for row in sorted(group, key=lambda r: order[r.measure])]
    if not rows:
        reason = "no topic has an ideal element under " + ", ".join(work.model_names)
        if not work.measures:
            reason = f"no topic has a value of {', '.join(map(str, work.standard))}"
        of_measures = chain(*chain(*(run.values for run in runs.values())))
        if any(one.is_unknown_text for values in of_measures for one in values.values()):
            reason = "the corpus lacks the text of results for all topics"
        raise NothingToAverageError(f"nothing to average: {reason}")
    scope = Scope(
        list(runs),
        [str(measure) for measure in inputs.measure_list],
        work.model_names,
        [name for name, run in runs.items() if run.answered.isdisjoint(work.base.topics)],
        notes.tolerated,
        {
            name: (name_without_strategy(name, run.strategy), run.strategy)
            for name, run in runs.items()
            if run.strategy
        },
        {name: run.answered | run.skipped for name, run in runs.items()},
        {model.name: model.relevance_value.alpha for model in work.models},
    )
    if work.base.has_nuggets and (count := _nuggets_with_several_levels(work.base)):
        notes.note(f"nuggets with several levels, of which the highest counts: {count}")
    references = scope.references
    note_results(references, {name: run.repeated for name, run in runs.items()}, notes)
    note_above_1(rows, work.models, work.measures, work.base.has_nuggets, notes)
    for model in work.models:
        units = {model.size, *(measure.unit(model.effort.parameters()) for measure in work.measures)}
        if "words" in units and inputs.documents is not None:
            note_unspaced(model, inputs.documents, notes)
    systems = {name: run for name, run in runs.items() if name not in references}
    note_other_order(work.model_names, work.measures, systems, notes)
    return Results(rows, notes.lines(), scope)


def _rows(
    model: UserModel, run: str, measures: Sequence[Measure], values: Sequence[Values]
) -> list[Result]:
    """Return the values of a run under one user model, the mean of each measure after its topics."""
    effort = model.effort.parameters()
    rows = []
    for measure, found in zip(measures, values, strict=True):
        if not (by_topic := defined(found)):
            continue
        name = str(measure)
        rows += [Result(run, topic, name, value, model.name) for topic, value in by_topic.items()]
        inputs = [one.aggregate_input for one in found.values() if one.aggregate_input is not None]
        mean = measure.aggregate([*by_topic.values()], inputs, effort)
        rows.append(Result(run, MEAN, name, mean, model.name))
    return rows


def _standard_rows(
    model: str, name: str, run: ScoredRun, work: _Work, unanswered: Unanswered, notes: Notes
) -> list[Result]:
    """Return the values of the standard measures for each topic, then over all topics."""
    rows = []
    topics = work.base.topics
    if unanswered == "skip":
        topics = [topic for topic in topics if topic in run.answered]
    for measure in work.standard:
        label = str(measure)
        values = {t: run.standard[t, label] for t in topics if (t, label) in run.standard}
        if len(values) < len(topics):
            undefined = list_topics([topic for topic in topics if topic not in values])
            notes.note(f"{label}: undefined, so not in the mean: topic {undefined}")
        rows += [Result(name, topic, label, value, model) for topic, value in values.items()]
        if values:
            mean = measure.aggregate(list(values.values()), list(values.values()))
            rows.append(Result(name, MEAN, label, mean, model))
    return rows


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
