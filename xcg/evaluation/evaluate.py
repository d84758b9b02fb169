"""Runs × topics × user models → Results."""

from __future__ import annotations

import itertools
import math
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from xcg.errors import Notes, NothingToAverageError
from xcg.evaluation.inputs import (
    DEFAULT_MEASURES,
    Assessments,
    Documents,
    Inputs,
    Measures,
    Runs,
    Unanswered,
    UserModels,
    unique_names,
)
from xcg.evaluation.results import Result, Results, Scope
from xcg.evaluation.scoring import (
    Column,
    Progress,
    ScoredRun,
    Share,
    Work,
    depends_on_other_runs,
    put_together,
    retrieved,
    score,
)
from xcg.judgements.recall_base import MEAN, RecallBase, topic_key
from xcg.measures import Measure
from xcg.runs.run import Run, Ties
from xcg.user_model.model import OF_SCALE, UserModel

_MANY = 50


def evaluate(
    assessments: Assessments,
    runs: Runs,
    corpus: Documents = None,
    user_model: UserModels | None = None,
    measures: Measures = DEFAULT_MEASURES,
    *,
    unanswered: Unanswered = "zero",
    ties: Ties = "document",
    lenient: bool = False,
    check_corpus: bool = False,
    progress: Progress | None = None,
    workers: int = 1,
) -> Results:
    """Evaluate runs.

    assessments: a file, folder or glob, several of them, a :class:`RecallBase`, or dicts topic →
        file → path → (e, s), or topic → document → level or list of (start, end) passages.
    runs: the same, :class:`Run` objects, or dicts run → topic → results, each ``(file, path)``,
        ``file#/path`` or a document, in order or with scores; or chunks in the place of such results,
        as :func:`xcg.runs.chunks.span_of` takes them, whose text must be in the corpus.
    corpus: a folder, a :class:`Corpus`, or a dict as :meth:`Corpus.of` takes; without it, structure
        is read off the paths, and sizes off assessments that carry them.
    user_model: a name, a file, a mapping, a :class:`UserModel`, or several of these; by default
        ``kazai-lalmas-2006``, ``levels`` where all assessments are levels of relevance, ``inex-2005``
        where all are shares of highlighted text, and ``spans`` (or ``spans-levels``, for levels above
        2) where these are passages and results are passages or chunks.
    measures: names like ``"nxCG@10"``, or measures.
    unanswered: what an assessed topic that a run does not answer counts: ``zero`` or ``skip``.
    ties: how TREC results of one score are ordered, see :data:`xcg.runs.Ties`.
    lenient: count wrong data as warnings (``results.notes``) instead of raising.
    check_corpus: look whether results and assessments exist in the corpus also where no measure looks
        at documents, as those of levels of relevance do not.
    progress: called with the number of topics done and of all; with several workers, in leaps.
    workers: processes among which the runs are divided (needs the extra ``xcg[statistics]``); -1 is one
        a core. The figures, notes and errors are the same for any number.

    Means are over the assessed topics with an ideal gain above 0 under the user model.

    Raises XcgError (InputError where the data are wrong) for anything a user can cause.

    >>> results = evaluate(
    ...     assessments={"1": {"d": {"/a": (2, 1), "/a/s[1]": (3, 3), "/a/s[2]": (2, 2)}}},
    ...     runs={"bm25": {"1": ["d#/a/s[2]", "d#/a/s[1]"]}},
    ...     measures=["nxCG@1", "MAep"],
    ... )
    >>> results.value("bm25", "nxCG@1"), results.value("bm25", "MAep")
    (0.5, 0.75)
    """
    inputs = Inputs(
        assessments,
        runs,
        corpus,
        user_model,
        measures,
        unanswered=unanswered,
        ties=ties,
        lenient=lenient,
        check_corpus=check_corpus,
        workers=workers,
    )
    return evaluate_inputs(inputs, progress)


def evaluate_inputs(inputs: Inputs, progress: Progress | None = None) -> Results:
    """Evaluate runs, as :func:`evaluate` does."""
    inputs.check_options()
    base, documents, unanswered = inputs.recall_base, inputs.documents, inputs.unanswered
    _ = inputs.run_sources
    chosen = inputs.measure_list
    standard = [measure for measure in chosen if measure.definition.needs == "levels"]
    own = [measure for measure in chosen if measure.definition.needs != "levels"]
    models, model_names = _with_names(inputs, own)
    sources = inputs.run_sources
    notes = Notes(inputs.lenient)
    notes.take(inputs.notes)
    work = Work(
        base,
        documents,
        models,
        own,
        standard,
        unanswered,
        inputs.ties,
        inputs.lenient,
        inputs.check_corpus and documents is not None,
    )
    shares = _shares(work, sources, inputs.workers, progress)
    scored = put_together(shares, notes)
    if progress is not None:
        progress(len(base.topics), len(base.topics))
    names = unique_names([(run.name, run.source) for run in scored], notes)
    named = dict(zip(names, scored, strict=True))
    note_topics(base, named, unanswered, notes)
    rows = []
    for number, model_name in enumerate(model_names):
        if any(measure.definition.needs == "gains" for measure in own):
            missing = some_topics(shares[0].without_ideal[number])
            if missing:
                notes.note(f"{model_name}: no ideal element, so not in the means: topic {missing}")
        for name, run in named.items():
            if own:
                rows += _rows(models[number], name, own, run.columns[number], notes)
            rows += _trec_rows(model_name, name, run, standard, base, unanswered)
    order = {str(measure): place for place, measure in enumerate(chosen)}
    if standard and own:
        rows = _in_order(rows, order)
    if not rows:
        raise NothingToAverageError(
            "nothing to average: no topic has an ideal element under " + ", ".join(model_names)
        )
    return Results(rows, notes.lines(), _scope(named, base, chosen, model_names, notes))


def _with_names(inputs: Inputs, own: Sequence[Measure]) -> tuple[list[UserModel], list[str]]:
    """Return the user models and their names.

    Standard measures use no model: for levels, the name of the default model is enough.
    """
    if inputs.user_model is None and not own and inputs.recall_base.scales == {"level"}:
        return [], [OF_SCALE["level"]]
    return inputs.user_models, [model.name for model in inputs.user_models]


def _shares(
    work: Work, sources: Sequence[Run | Path], workers: int, progress: Progress | None
) -> list[Share]:
    """Return what comes of the runs, divided among workers in their order."""
    count = min(len(sources), (os.cpu_count() or 1) if workers == -1 else workers)
    if count == 1:
        return [score(work, {}, sources, progress)]
    from xcg.evaluation.parallel import run_tasks

    bounds = [len(sources) * number // count for number in range(count + 1)]
    tasks = [(sources[first:last],) for first, last in itertools.pairwise(bounds)]
    topics = len(work.base.topics)

    def done(shares: int, of: int) -> None:
        if progress is not None and shares < of:
            progress(topics * shares // of, topics)

    beside: dict[str, dict[str, set[str]]] = {}
    if depends_on_other_runs(work):
        for found in run_tasks(retrieved, tasks, common=[work], workers=count):
            for topic, files in found.items():
                for file, paths in files.items():
                    beside.setdefault(topic, {}).setdefault(file, set()).update(paths)
    return run_tasks(score, tasks, common=[work, beside], workers=count, progress=done)


def _rows(
    model: UserModel, run: str, measures: Sequence[Measure], columns: Sequence[Column], notes: Notes
) -> list[Result]:
    """Return a line a figure of a run, its means behind its topics."""
    effort = model.effort.parameters()
    rows = []
    for measure, column in zip(measures, columns, strict=True):
        if not column.values:
            notes.note(f"{model.name}: run {run} has no topic to average over")
            continue
        name = str(measure)
        rows += [Result(run, topic, name, value, model.name) for topic, value in column.values.items()]
        mean = measure.mean(list(column.values.values()), column.parts, effort)
        rows.append(Result(run, MEAN, name, mean, model.name))
    return rows


def _trec_rows(
    model: str,
    name: str,
    run: ScoredRun,
    measures: Sequence[Measure],
    base: RecallBase,
    unanswered: Unanswered,
) -> list[Result]:
    """Return a line a figure of ir_measures, the means over all assessed topics behind them."""
    rows = []
    answered = [topic for topic in base.topics if topic in run.answered]
    topics = base.topics if unanswered == "zero" else answered
    for measure in map(str, measures):
        values = [run.standard.get((topic, measure), 0.0) for topic in topics]
        rows += [
            Result(name, topic, measure, value, model)
            for topic, value in zip(topics, values, strict=True)
        ]
        if values:
            rows.append(Result(name, MEAN, measure, math.fsum(values) / len(values), model))
    return rows


def _in_order(rows: list[Result], order: Mapping[str, int]) -> list[Result]:
    """Put the measures of each run in the order in which they were asked for."""
    grouped = itertools.groupby(rows, key=lambda row: (row.user_model, row.run))
    return [row for _, group in grouped for row in sorted(group, key=lambda r: order[r.measure])]


def _scope(
    runs: Mapping[str, ScoredRun],
    base: RecallBase,
    measures: Sequence[Measure],
    user_models: Sequence[str],
    notes: Notes,
) -> Scope:
    return Scope(
        list(runs),
        [str(measure) for measure in measures],
        user_models,
        [name for name, run in runs.items() if run.answered.isdisjoint(base.topics)],
        notes.tolerated,
    )


def note_topics(
    base: RecallBase, runs: Mapping[str, Run | ScoredRun], unanswered: Unanswered, notes: Notes
) -> None:
    """Note which topics of runs are not assessed, and which assessed ones they do not answer."""
    for name, run in runs.items():
        answered = run.answered | run.skipped
        unknown = sorted(answered - set(base.topics), key=topic_key)
        if unknown:
            notes.note(f"run {name}: no assessments, so left out: topic {some_topics(unknown)}")
        missing = [topic for topic in base.topics if topic not in answered]
        if missing:
            counted = "counted 0" if unanswered == "zero" else "left out of its means"
            notes.note(f"run {name}: not answered, so {counted}: topic {some_topics(missing)}")


def some_topics(topics: Sequence[str]) -> str:
    """Name topics, of very many the first ones."""
    if len(topics) <= _MANY:
        return ", ".join(topics)
    return f"{', '.join(topics[:_MANY])} and {len(topics) - _MANY} more"
