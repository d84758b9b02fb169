"""Runs × topics × user models → Results."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import get_args

from xcg.config import DEFAULT_MEASURES, Unanswered
from xcg.documents import Corpus, ElementTree
from xcg.documents.paths import WHOLE
from xcg.documents.points import Passage
from xcg.documents.tree import UnknownPathError
from xcg.errors import InputError, Notes, XcgError, nearest
from xcg.ideal import select
from xcg.inputs import PathLike
from xcg.judgements import Assessment, RecallBase, read_assessments
from xcg.judgements.highlights import assess_spans
from xcg.judgements.recall_base import MEAN, Span, topic_key
from xcg.measures import MEASURES, Measure, TopicGains
from xcg.near_misses import near_scores
from xcg.quantisation import quantise
from xcg.relevance_value import JudgedDocument, Reader
from xcg.results import Result, Results
from xcg.runs import Run, Ties, read_runs
from xcg.runs.run import Topics
from xcg.user_model import DEFAULT, LEVELS, UserModel, resolve_models

Assessments = (
    RecallBase
    | PathLike
    | Iterable[PathLike]
    | Mapping[str, Mapping[str, int | Mapping[str, int | Sequence[float]]]]
)
Runs = Run | PathLike | Iterable[Run | PathLike] | Mapping[str, Mapping[str, Iterable[object]]]
Documents = Corpus | PathLike | Mapping[str, str | bytes | ElementTree] | None
UserModels = UserModel | PathLike | Mapping[str, object] | Iterable[object]
Progress = Callable[[int, int], None]


def evaluate(
    assessments: Assessments,
    runs: Runs,
    corpus: Documents = None,
    user_model: UserModels | None = None,
    measures: str | Measure | Iterable[str | Measure] = DEFAULT_MEASURES,
    *,
    unanswered: Unanswered = "zero",
    ties: Ties = "document",
    lenient: bool = False,
    progress: Progress | None = None,
) -> Results:
    """Evaluate runs.

    assessments: a file, folder or glob, several of them, a :class:`RecallBase`, or dicts topic →
        file → path → (e, s), or topic → document → level.
    runs: the same, :class:`Run` objects, or dicts run → topic → results, each ``(file, path)``,
        ``file#/path`` or a document, in order or with scores.
    corpus: a folder, a :class:`Corpus`, or dicts file → XML; without it, structure is read off the
        paths, and sizes off assessments that carry them.
    user_model: a name, a file, a mapping, a :class:`UserModel`, or several of these; by default
        ``kazai-lalmas-2006``, and ``levels`` where all assessments are levels of relevance.
    measures: names like ``"nxCG@10"``, or measures.
    unanswered: what an assessed topic that a run does not answer counts: ``zero`` or ``skip``.
    ties: how TREC results of one score are ordered, see :data:`xcg.runs.Ties`.
    lenient: count wrong data as warnings (``results.notes``) instead of raising.
    progress: called with the number of topics done and of all.

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
    notes = Notes(lenient)
    if unanswered not in get_args(Unanswered):
        raise XcgError(f"unanswered is {unanswered!r}: {nearest(unanswered, get_args(Unanswered))}")
    chosen = MEASURES.parse_all(measures)
    given = as_user_models(user_model) if user_model is not None else None
    base = as_recall_base(assessments, notes)
    models = given or [default_model(base)]
    loaded = as_runs(runs, notes, ties, base)
    campaign = Campaign(base, loaded, as_corpus(corpus), notes)
    sheets = [_Sheet(model, chosen, loaded, unanswered) for model in models]
    for done, topic in enumerate(base.topics):
        if progress is not None:
            progress(done, len(base.topics))
        stages = Stages(campaign.topic(topic))
        for sheet in sheets:
            sheet.score(stages)
    if progress is not None:
        progress(len(base.topics), len(base.topics))
    _note_topics(base, loaded, unanswered, notes)
    rows = [row for sheet in sheets for row in sheet.rows(notes)]
    if not rows:
        raise XcgError(
            "nothing to average: no topic has an ideal element under "
            + ", ".join(model.name for model in models)
        )
    return Results(rows, notes.lines())


def as_recall_base(assessments: Assessments, notes: Notes) -> RecallBase:
    """Return the recall-base that files, dicts or a recall-base mean."""
    if isinstance(assessments, RecallBase):
        return assessments
    if isinstance(assessments, Mapping):
        return RecallBase.of(assessments)
    return read_assessments(assessments, notes)


def as_runs(runs: Runs, notes: Notes, ties: Ties = "document", topics: Topics = None) -> list[Run]:
    """Return the runs that files, dicts or objects mean, each under a name of its own.

    topics: of files, the results for these are read alone.
    """
    if isinstance(runs, Mapping):
        return [Run.of(str(name), topics) for name, topics in runs.items()]
    if isinstance(runs, (Run, str, os.PathLike)):
        runs = [runs]
    loaded: list[Run] = []
    for item in runs:
        loaded += [item] if isinstance(item, Run) else read_runs(item, notes, ties, topics)
    if not loaded:
        raise XcgError("no runs: expected at least one")
    return _with_own_names(loaded, notes)


def _with_own_names(runs: list[Run], notes: Notes) -> list[Run]:
    """Tell runs of one name apart by their source, so that none hides another."""
    names = [run.name for run in runs]
    shared = {name for name in names if names.count(name) > 1}
    for name in sorted(shared):
        notes.note(f"{names.count(name)} runs are called {name!r}; they are told apart by their file")
    taken: dict[str, int] = {}
    renamed = []
    for run in runs:
        name = f"{run.name} [{run.source}]" if run.name in shared else run.name
        taken[name] = taken.get(name, 0) + 1
        if taken[name] > 1:
            name = f"{name} #{taken[name]}"
        renamed.append(Run(name, run.rankings, run.source, run.skipped))
    return renamed


def as_corpus(corpus: Documents) -> Corpus | None:
    """Return the corpus that a folder or dicts mean."""
    if corpus is None or isinstance(corpus, Corpus):
        return corpus
    return Corpus.of(corpus) if isinstance(corpus, Mapping) else Corpus(corpus)


def as_user_models(spec: UserModels) -> list[UserModel]:
    """Return the user models that names, files, mappings or objects mean; no name may come twice."""
    if isinstance(spec, (UserModel, str, os.PathLike, Mapping)):
        spec = [spec]
    models = [model for item in spec for model in resolve_models(item)]
    names = [model.name for model in models]
    if not models:
        raise XcgError("no user models: expected at least one")
    for name in names:
        if names.count(name) > 1:
            raise XcgError(f"two user models are called {name!r}: expected different names")
    return models


_MANY = 50
_WHOLE_DOCUMENT = ElementTree.from_paths(["/document[1]"])
"""Stands for each document of which nobody names an element, where there is no corpus."""


def default_model(base: RecallBase) -> UserModel:
    """Return the user model for assessments where the user names none."""
    assessed = (a for t in base.topics for file in base.files(t).values() for a in file.values())
    scales = {assessment.scale for assessment in assessed}
    return UserModel.shipped(LEVELS if scales == {"level"} else DEFAULT)


@dataclass(frozen=True)
class TopicView:
    """One topic, with every path turned into a row of its document's tree.

    trees: file → tree, for the files with assessed elements.
    assessed: file → row → assessment.
    rankings: run → the ranking as (file, row); row is None where the result names no element of a
        file with assessed elements, so that it can gain nothing and hide nothing. A result that is a
        passage stands as the smallest element that contains it.
    passages: run → place → the characters of a result that is a passage.
    highlighted: file → the passages of relevant text, where the assessments state them.
    sources: run → where its results for the topic were read, for messages.
    """

    topic: str
    trees: Mapping[str, ElementTree]
    assessed: Mapping[str, Mapping[int, Assessment]]
    rankings: Mapping[str, Sequence[tuple[str, int | None]]]
    passages: Mapping[str, Mapping[int, tuple[int, int]]] = field(default_factory=dict)
    highlighted: Mapping[str, Sequence[tuple[int, int]]] = field(default_factory=dict)
    sources: Mapping[str, str] = field(default_factory=dict)


class Campaign:
    """Judgements, runs and documents brought together, topic by topic.

    corpus: without one, the trees are those that the assessed and retrieved paths span.
    """

    def __init__(
        self, base: RecallBase, runs: Sequence[Run], corpus: Corpus | None, notes: Notes
    ) -> None:
        self.base = base
        self.runs = runs
        self.corpus = corpus
        self.notes = notes

    def topic(self, topic: str) -> TopicView:
        """Return the view of a topic.

        Raises InputError for a document that the corpus lacks and a path that a document lacks; where
        the notes are lenient, counts them and leaves such elements out.
        """
        assessed_paths = self.base.files(topic)
        answers = {run.name: run for run in self.runs if len(run.rankings.get(topic, ()))}
        if self.corpus is None:
            trees = self._trees_of_paths(topic, answers.values())
        else:
            trees = self._trees_of_corpus(topic, self.corpus)
        assessed: dict[str, dict[int, Assessment]] = {}
        for file, tree in trees.items():
            rows = assessed[file] = {}
            for path, assessment in assessed_paths.get(file, {}).items():
                try:
                    row = 0 if path == WHOLE else tree.row(path)
                except UnknownPathError as error:
                    self.notes.problem(
                        "assessments of unknown paths", self._where(topic, file), str(error)
                    )
                    continue
                if rows.setdefault(row, assessment) != assessment:
                    message = f"{path} and the whole document are one element with two assessments"
                    self.notes.problem("contradicting assessments", self._where(topic, file), message)
        highlighted: dict[str, list[tuple[int, int]]] = {}
        for file, spans in self._spans(topic, trees).items():
            highlighted[file] = [(span.start, span.end) for span in spans]
            if file not in assessed_paths:
                assessed[file] = assess_spans(trees[file], spans)
        rankings = {}
        passages = {}
        for name, run in answers.items():
            passages[name] = exact = dict[int, tuple[int, int]]()
            rankings[name] = self._rows(run, topic, trees, exact)
        sources = {name: f"{run.source}, topic {topic}" for name, run in answers.items()}
        return TopicView(topic, trees, assessed, rankings, passages, highlighted, sources)

    def _where(self, topic: str, file: str) -> str:
        return f"{self.base.sources.get(topic, 'assessments')}, topic {topic}, {file}"

    def _spans(self, topic: str, trees: Mapping[str, ElementTree]) -> dict[str, list[Span]]:
        """Return file → relevant passages in characters of the document's text."""
        found: dict[str, list[Span]] = {}
        stated: dict[str, Sequence[Span | Passage]] = {
            **self.base.spans(topic),
            **self.base.passages(topic),
        }
        for file, spans in stated.items():
            where = self._where(topic, file)
            if self.corpus is None:
                if file in self.base.files(topic):
                    continue  # the elements say all that is asked without documents
                raise InputError(
                    where,
                    "relevant passages become assessments of elements through the document; "
                    "expected a corpus",
                )
            if file not in trees:
                continue
            found[file] = []
            length = int(trees[file].characters[0])
            for span in spans:
                try:
                    placed = span if isinstance(span, Span) else Span(*span.characters(trees[file]))
                    if placed.end > length:
                        raise UnknownPathError(
                            f"the passage {placed.start}–{placed.end}: "
                            f"the document's text has {length} characters"
                        )
                    found[file].append(placed)
                except UnknownPathError as error:
                    self.notes.problem("passages that do not fit their document", where, str(error))
        return found

    def _trees_of_corpus(self, topic: str, corpus: Corpus) -> dict[str, ElementTree]:
        trees = {}
        base = self.base
        for file in dict.fromkeys([*base.files(topic), *base.spans(topic), *base.passages(topic)]):
            if file in corpus:
                trees[file] = corpus.tree(file)
                continue
            where = f"{self.base.sources.get(topic, 'assessments')}, topic {topic}"
            message = f"the corpus has no document {file!r}; expected {corpus.label / file}.xml"
            self.notes.problem("assessed documents that the corpus lacks", where, message)
        return trees

    def _trees_of_paths(self, topic: str, runs: Iterable[Run]) -> dict[str, ElementTree]:
        assessed = self.base.files(topic)
        paths = {file: set(elements) for file, elements in assessed.items()}
        for found in paths.values():
            found.discard(WHOLE)
        roots = {file: next(iter(found)).split("/", 2)[1] for file, found in paths.items() if found}
        for run in runs:
            for file, path in run.rankings[topic]:
                # A result under another root is none of this document; it is told as unknown later.
                if path not in ("", WHOLE) and roots.get(file) == path.split("/", 2)[1]:
                    paths[file].add(path)
        trees = {}
        for file, elements in assessed.items():
            if not paths[file]:
                trees[file] = _WHOLE_DOCUMENT
                continue
            sizes = {p: a.characters for p, a in elements.items() if a.characters is not None}
            try:
                trees[file] = ElementTree.from_paths(paths[file], sizes)
            except XcgError as error:
                raise InputError(f"topic {topic}, {file}", str(error)) from None
        return trees

    def _rows(
        self,
        run: Run,
        topic: str,
        trees: Mapping[str, ElementTree],
        exact: dict[int, tuple[int, int]],
    ) -> list[tuple[str, int | None]]:
        """Return a run's ranking as (file, row), and put the characters of passages into ``exact``."""
        rows: list[tuple[str, int | None]] = []
        spans = run.rankings[topic].spans
        for place, (file, path) in enumerate(run.rankings[topic]):
            tree = trees.get(file)
            row: int | None = None
            span = spans.get(place)
            try:
                if span is not None:
                    tree = tree if tree is not None and self.corpus else self._document(file, "passage")
                    exact[place] = span.characters(tree) if isinstance(span, Passage) else span
                    row = tree.smallest_element(*exact[place])
                elif not path:
                    pass  # told when it was read
                elif path == WHOLE:
                    if tree is None and self.corpus is not None:
                        self._document(file, "document")
                    row = 0
                elif tree is not None:
                    row = tree.row(path)
                elif self.corpus is not None:
                    self._document(file, "element").row(path)  # gains nothing, but must exist
            except UnknownPathError as error:
                where = f"{run.source}, topic {topic}, rank {place + 1}, {file}"
                self.notes.problem("results with unknown paths", where, str(error))
            rows.append((file, row if file in trees else None))
        return rows

    def _document(self, file: str, what: str) -> ElementTree:
        if self.corpus is None:
            raise UnknownPathError(f"a result that is a {what} needs its document; expected a corpus")
        if file not in self.corpus:
            raise UnknownPathError(
                f"the corpus has no document {file!r}; expected {self.corpus.label / file}.xml"
            )
        return self.corpus.tree(file)


@dataclass(frozen=True)
class IdealTopic:
    """A topic under one user model: its judged documents, and the ideal gains in decreasing order."""

    documents: Mapping[str, JudgedDocument]
    gains: Sequence[float]


class Stages:
    """The ideal recall-bases of one topic, each made once for all user models that share it."""

    def __init__(self, view: TopicView) -> None:
        self.view = view
        self._ideals: dict[object, IdealTopic] = {}

    def ideal(self, model: UserModel) -> IdealTopic:
        """Return the topic under a user model."""
        near = model.relevance_value.near_misses
        key = model.quantisation.key, model.ideal.key, near.key
        if key not in self._ideals:
            self._ideals[key] = ideal_topic(self.view, model)
        return self._ideals[key]


def ideal_topic(view: TopicView, model: UserModel) -> IdealTopic:
    """Quantise a topic's assessments and select its ideal recall-base.

    Raises XcgError where a part of the user model fails, with topic and document.
    """
    scores_of: dict[Assessment, float] = {}
    documents = {}
    gains = []
    for file, assessments in view.assessed.items():
        tree = view.trees[file]
        try:
            scores: dict[int, float] = {}
            for row, assessment in assessments.items():
                key = assessment._replace(characters=None)
                if key not in scores_of:
                    scores_of[key] = quantise(model.quantisation, assessment)
                if assessment.relevant or scores_of[key] > 0:
                    scores[row] = scores_of[key]
            if not scores:
                continue
            by_path = {tree.paths[row]: score for row, score in sorted(scores.items())}
            ideal = [tree.row(path) for path in select(model.ideal, tree, by_path)]
            ideals = {tree.paths[row]: scores[row] for row in ideal}
            near = near_scores(model.relevance_value.near_misses, tree, ideals)
        except XcgError as error:
            raise InputError(
                f"user model {model.name}, topic {view.topic}, {file}", str(error)
            ) from None
        positive = {row: score for row, score in scores.items() if score > 0}
        name = f"topic {view.topic}, {file}"
        documents[file] = JudgedDocument(tree, positive, ideal, name, near)
        gains += [scores[row] for row in ideal]
    return IdealTopic(documents, sorted(gains, reverse=True))


def ranking_gains(
    ranking: Sequence[tuple[str, int | None]], ideal: IdealTopic, model: UserModel
) -> TopicGains:
    """Return what each result of a ranking gains, and how many ideal elements it leaves out."""
    readers: dict[str, Reader] = {}
    documents = ideal.documents
    gains = [0.0] * len(ranking)
    for place, (file, row) in enumerate(ranking):
        if row is None or file not in documents:
            continue
        reader = readers.get(file)
        if reader is None:
            reader = readers[file] = Reader(documents[file], model.relevance_value, model.size)
        gains[place] = reader.read(row)
    retrieved = sum(len(reader.retrieved) for reader in readers.values())
    return TopicGains(gains, ideal.gains, len(ideal.gains) - retrieved)


class _Sheet:
    """The figures of all runs under one user model, filled topic by topic."""

    def __init__(
        self,
        model: UserModel,
        measures: Sequence[Measure],
        runs: Sequence[Run],
        unanswered: Unanswered,
    ) -> None:
        self.model = model
        self.measures = measures
        self.runs = runs
        self.unanswered = unanswered
        self._values: dict[str, dict[str, list[float]]] = {run.name: {} for run in runs}
        self._without_ideal: list[str] = []

    def score(self, stages: Stages) -> None:
        view, ideal = stages.view, stages.ideal(self.model)
        if not ideal.gains:
            self._without_ideal.append(view.topic)
            return
        effort = self.model.effort.parameters()
        for run in self.runs:
            ranking = view.rankings.get(run.name)
            if ranking is None and self.unanswered == "skip":
                continue
            passages = view.passages.get(run.name)
            if passages and self.model.spans == "refuse":
                raise InputError(
                    f"{view.sources[run.name]}, rank {min(passages) + 1}",
                    f"a passage and no element; the user model {self.model.name} takes elements only "
                    "(spans: smallest_element takes the smallest element around a passage)",
                )
            topic = ranking_gains(ranking or (), ideal, self.model)
            values = [measure(topic, effort) for measure in self.measures]
            self._values[run.name][view.topic] = values

    def rows(self, notes: Notes) -> list[Result]:
        """Return a line a figure, each run's means behind its topics."""
        model = self.model.name
        if self._without_ideal:
            names = _some(self._without_ideal)
            notes.note(f"{model}: no ideal element, so not in the means: topic {names}")
        rows = []
        for run in self.runs:
            topics = self._values[run.name]
            if not topics:
                notes.note(f"{model}: run {run.name} has no topic to average over")
                continue
            for index, measure in enumerate(map(str, self.measures)):
                column = [values[index] for values in topics.values()]
                rows += [
                    Result(run.name, topic, measure, value, model)
                    for topic, value in zip(topics, column, strict=True)
                ]
                # fsum is exact, so the mean does not depend on the order of topics.
                mean = math.fsum(column) / len(column)
                rows.append(Result(run.name, MEAN, measure, mean, model))
        return rows


def _note_topics(base: RecallBase, runs: Sequence[Run], unanswered: Unanswered, notes: Notes) -> None:
    for run in runs:
        answered = {topic for topic, ranking in run.rankings.items() if len(ranking)} | run.skipped
        unknown = sorted(answered - set(base.topics), key=topic_key)
        if unknown:
            notes.note(f"run {run.name}: no assessments, so left out: topic {_some(unknown)}")
        missing = [topic for topic in base.topics if topic not in answered]
        if missing:
            counted = "counted 0" if unanswered == "zero" else "left out of its means"
            notes.note(f"run {run.name}: not answered, so {counted}: topic {_some(missing)}")


def _some(topics: Sequence[str]) -> str:
    """Name topics, of very many the first ones."""
    if len(topics) <= _MANY:
        return ", ".join(topics)
    return f"{', '.join(topics[:_MANY])} and {len(topics) - _MANY} more"
