"""Runs × topics × user models → Results."""

from __future__ import annotations

import itertools
import math
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, get_args

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
from xcg.measures import MEASURES, Material, Measure, TopicGains
from xcg.measures.highlighted import HighlightedRanking
from xcg.measures.measure import Graded, vector
from xcg.measures.trec import trec_figures
from xcg.near_misses import near_scores
from xcg.quantisation import quantise
from xcg.relevance_value import JudgedDocument, Reader
from xcg.results import Result, Results
from xcg.runs import Run, Ties, read_runs
from xcg.runs.overlap import overlapping_results
from xcg.runs.run import Topics
from xcg.user_model import DEFAULT, OF_SCALE, UserModel, resolve_models

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
        ``kazai-lalmas-2006``, ``levels`` where all assessments are levels of relevance, ``inex-2005``
        where all are shares of highlighted text.
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
    campaign = Campaign(base, loaded, as_corpus(corpus), notes, check_later=True)
    own = [measure for measure in chosen if measure.definition.needs != "levels"]
    standard = [measure for measure in chosen if measure.definition.needs == "levels"]
    sheets = [_Sheet(model, own, loaded, unanswered) for model in models]
    for done, topic in enumerate(base.topics if own else []):
        if progress is not None:
            progress(done, len(base.topics))
        stages = Stages(campaign.topic(topic), campaign)
        for sheet in sheets:
            sheet.score(stages)
    campaign.check_results()
    if progress is not None:
        progress(len(base.topics), len(base.topics))
    _note_topics(base, loaded, unanswered, notes)
    figures = {run.name: trec_figures(base, run, standard) for run in loaded} if standard else {}
    rows = [
        row
        for sheet in sheets
        for run in loaded
        for row in (
            *sheet.rows(run, notes),
            *_trec_rows(sheet.model.name, run, figures.get(run.name, {}), standard, base, unanswered),
        )
    ]
    order = {str(measure): place for place, measure in enumerate(chosen)}
    if standard and own:
        rows = _in_order(rows, order)
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
    scales: set[str] = {assessment.scale for assessment in assessed}
    if any(base.spans(topic) or base.passages(topic) for topic in base.topics):
        scales.add("share")
    (scale,) = scales if len(scales) == 1 else ("",)
    return UserModel.shipped(OF_SCALE.get(scale, DEFAULT))


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


def _mean_length(corpus: Corpus) -> float:
    lengths = [int(corpus.tree(file).characters[0]) for file in corpus]
    return sum(lengths) / len(lengths)


class _Place(NamedTuple):
    """Where an element was first returned, and how often it was."""

    source: str
    topic: str
    place: int
    times: int


class Campaign:
    """Judgements, runs and documents brought together, topic by topic.

    corpus: without one, the trees are those that the assessed and retrieved paths span.
    check_later: whoever made the campaign calls :meth:`check_results` when all topics were seen, so
        that a document in which nothing was assessed is opened once and not once a topic.
    """

    def __init__(
        self,
        base: RecallBase,
        runs: Sequence[Run],
        corpus: Corpus | None,
        notes: Notes,
        check_later: bool = False,
    ) -> None:
        self._check_later = check_later
        self._unchecked: dict[str, dict[str, _Place]] = {}
        self.base = base
        self.runs = {run.name: run for run in runs}
        self.corpus = corpus
        self.notes = notes

    def topic(self, topic: str) -> TopicView:
        """Return the view of a topic.

        Raises InputError for a document that the corpus lacks and a path that a document lacks; where
        the notes are lenient, counts them and leaves such elements out.
        """
        assessed_paths = self.base.files(topic)
        answers = {run.name: run for run in self.runs.values() if len(run.rankings.get(topic, ()))}
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
        if not self._check_later:
            self.check_results()
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

    def text(self, view: TopicView, run: str) -> HighlightedRanking:
        """Return a run's ranking for a topic as text.

        Raises XcgError where there is no corpus, or the assessments do not say what was highlighted.
        """
        topic = view.topic
        stated = {*self.base.spans(topic), *self.base.passages(topic)}
        if not stated and self.base.files(topic):
            raise XcgError(
                "needs highlighted passages: offset qrels, JSON Lines with start and end, or INEX "
                "assessments with <passage>"
            )
        points = {}
        for file, point in self.base.entry_points(topic).items():
            try:
                points[file] = point if isinstance(point, int) else point.character(view.trees[file])
            except (KeyError, UnknownPathError) as error:
                self.notes.problem("best entry points left out", self._where(topic, file), str(error))
        corpus = self._needed_corpus()
        return HighlightedRanking(
            self.spans(view, run),
            view.highlighted,
            points or None,
            lambda: _mean_length(corpus),
        )

    def spans(self, view: TopicView, run: str) -> list[tuple[str, int, int]]:
        """Return the results of a run for a topic as (file, start, end) in characters.

        A result that names nothing is an empty span. Raises XcgError where there is no corpus.
        """
        corpus = self._needed_corpus()
        ranking = view.rankings.get(run, ())
        if not ranking:
            return []
        exact = view.passages.get(run, {})
        found = []
        results = zip(ranking, self.runs[run].rankings[view.topic], strict=True)
        for place, ((file, row), (_, path)) in enumerate(results):
            if place in exact:
                found.append((file, *exact[place]))
                continue
            tree = view.trees.get(file) or (corpus.tree(file) if file in corpus else None)
            if row is None and tree is not None and path:
                row = 0 if path == WHOLE else tree.row(path) if path in tree else None  # noqa: PLW2901
            if tree is None or row is None:
                found.append((file, 0, 0))
            else:
                found.append((file, int(tree.start[row]), int(tree.stop[row])))
        return found

    def _needed_corpus(self) -> Corpus:
        if self.corpus is None:
            raise XcgError("needs the documents: expected a corpus")
        return self.corpus

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
                    # It gains nothing, but must exist.
                    self._check_file(file, self.corpus)
                    paths = self._unchecked.setdefault(file, {})
                    first = paths.get(path)
                    paths[path] = (
                        first._replace(times=first.times + 1)
                        if first is not None
                        else _Place(run.source, topic, place, 1)
                    )
            except UnknownPathError as error:
                where = f"{run.source}, topic {topic}, rank {place + 1}, {file}"
                self.notes.problem("results with unknown paths", where, str(error))
            rows.append((file, row if file in trees else None))
        return rows

    def check_results(self) -> None:
        """Look whether the results in documents without assessed elements exist.

        Raises InputError for one that does not; where the notes are lenient, counts it.
        """
        unchecked, self._unchecked = self._unchecked, {}
        for file, places in unchecked.items():
            assert self.corpus is not None
            for path in self.corpus.missing_paths(file, places):
                try:
                    self.corpus.tree(file).row(path)
                except UnknownPathError as error:
                    source, topic, place, times = places[path]
                    where = f"{source}, topic {topic}, rank {place + 1}, {file}"
                    for _ in range(times):
                        self.notes.problem("results with unknown paths", where, str(error))

    def _document(self, file: str, what: str) -> ElementTree:
        if self.corpus is None:
            raise UnknownPathError(f"a result that is a {what} needs its document; expected a corpus")
        self._check_file(file, self.corpus)
        return self.corpus.tree(file)

    @staticmethod
    def _check_file(file: str, corpus: Corpus) -> None:
        if file not in corpus:
            raise UnknownPathError(
                f"the corpus has no document {file!r}; expected {corpus.label / file}.xml"
            )


@dataclass(frozen=True)
class IdealTopic:
    """A topic under one user model: its judged documents, and the ideal gains in decreasing order."""

    documents: Mapping[str, JudgedDocument]
    gains: Sequence[float]


class Stages:
    """The ideal recall-bases of one topic, each made once for all user models that share it."""

    def __init__(self, view: TopicView, campaign: Campaign) -> None:
        self.view = view
        self._campaign = campaign
        self._ideals: dict[object, IdealTopic] = {}
        self._texts: dict[str, HighlightedRanking] = {}
        self._spans: dict[str, list[tuple[str, int, int]]] = {}

    def ideal(self, model: UserModel) -> IdealTopic:
        """Return the topic under a user model."""
        near = model.relevance_value.near_misses
        key = model.quantisation.key, model.ideal.key, near.key
        if key not in self._ideals:
            self._ideals[key] = ideal_topic(self.view, model)
        return self._ideals[key]

    def material(self, run: str, ideal: IdealTopic) -> Material:
        """Return what measures can look at beside the gains of a run."""
        ranking = self.view.rankings.get(run, ())
        as_read = self._campaign.runs[run].rankings.get(self.view.topic)

        def scores() -> list[float]:
            return [
                ideal.documents[file].own_scores.get(row, 0.0)
                if row is not None and file in ideal.documents
                else 0.0
                for file, row in ranking
            ]

        def recall_base() -> list[float]:
            return [s for document in ideal.documents.values() for s in document.own_scores.values()]

        def ties() -> list[int]:
            keys = as_read.keys if as_read is not None else None
            if keys is None:
                return list(range(len(ranking)))
            changes = [place > 0 and key != keys[place - 1] for place, key in enumerate(keys)]
            return list(itertools.accumulate(map(int, changes)))

        return Material(
            scores,
            recall_base,
            ties,
            lambda depth: [] if as_read is None else list(overlapping_results(as_read.top(depth))),
            lambda: self._grades(run),
            lambda: self._text(run),
            lambda: _decreasing(as_read.keys) if as_read is not None else [],
        )

    def _text(self, run: str) -> HighlightedRanking:
        if run not in self._texts:
            self._texts[run] = self._campaign.text(self.view, run)
        return self._texts[run]

    def _grades(self, run: str) -> tuple[list[Graded], float]:
        """Return the results of a run as inex-eval-ng sees them, and the recall-base's exhaustivity."""
        assessed = self.view.assessed
        total = math.fsum(
            _mapped(assessment)[0] for rows in assessed.values() for assessment in rows.values()
        )
        if run not in self._spans:
            self._spans[run] = self._campaign.spans(self.view, run)
        spans = self._spans[run]
        new = HighlightedRanking(spans, {}).new_sizes.tolist()
        graded = []
        ranking = self.view.rankings.get(run, ())
        for (file, row), (_, start, end), unseen in zip(ranking, spans, new, strict=True):
            assessment = assessed.get(file, {}).get(row) if row is not None else None
            e, s = _mapped(assessment) if assessment is not None else (0.0, 0.0)
            graded.append(Graded(e, s, end - start, unseen))
        return graded, total


def _mapped(assessment: Assessment) -> tuple[float, float]:
    """Map exhaustivity and specificity to 0 … 1; XcgError for a scale that has no such pair."""
    e, s = assessment.exhaustivity, assessment.specificity
    if assessment.scale == "four-point":
        return e / 3, float(s) / 3
    if assessment.scale == "share":
        return e / 2, float(s)
    raise XcgError(
        f"needs exhaustivity and specificity, and here is {assessment.label} on the "
        f"{assessment.scale} scale"
    )


def _decreasing(keys: Sequence[float] | None) -> Sequence[float] | None:
    """Return keys that are scores; ranks, which grow, are none."""
    if keys is None or any(b > a for a, b in itertools.pairwise(keys)):
        return None
    return keys


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
    ranking: Sequence[tuple[str, int | None]],
    ideal: IdealTopic,
    model: UserModel,
    material: Material | None = None,
    watch: Callable[[int, int, Reader], None] | None = None,
) -> TopicGains:
    """Return what each result of a ranking gains, and how many ideal elements it leaves out.

    watch: called with place, row and the document's reader before each result is read.
    """
    readers: dict[str, Reader] = {}
    documents = ideal.documents
    gains = [0.0] * len(ranking)
    for place, (file, row) in enumerate(ranking):
        if row is None or file not in documents:
            continue
        reader = readers.get(file)
        if reader is None:
            reader = readers[file] = Reader(documents[file], model.relevance_value, model.size)
        if watch is not None:
            watch(place, row, reader)
        gains[place] = reader.read(row)
    retrieved = sum(len(reader.retrieved) for reader in readers.values())
    return TopicGains(gains, ideal.gains, len(ideal.gains) - retrieved, material)


@dataclass
class _Column:
    """The figures of one run on one measure: topic → value, and what its mean is made of."""

    values: dict[str, float] = field(default_factory=dict)
    parts: list[object] = field(default_factory=list)


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
        self._effort = model.effort.parameters()
        self._any_gains = any(measure.definition.needs == "gains" for measure in measures)
        self._needs_model = any(m.definition.needs in ("gains", "scores") for m in measures)
        self._gains_only = all(measure.definition.needs == "gains" for measure in measures)
        self._values = {run.name: [_Column() for _ in measures] for run in runs}
        self._without_ideal: list[str] = []

    def score(self, stages: Stages) -> None:
        view = stages.view
        ideal = stages.ideal(self.model) if self._needs_model else IdealTopic({}, [])
        if not ideal.gains:
            self._without_ideal.append(view.topic)
            if self._gains_only:
                return
        for run in self.runs:
            ranking = view.rankings.get(run.name)
            if ranking is None and self.unanswered == "skip":
                continue
            material = stages.material(run.name, ideal)
            topic = TopicGains((), (), 0, material)
            if ideal.gains:
                self._check_passages(view, run.name)
                topic = ranking_gains(ranking or (), ideal, self.model, material)
            for measure, column in zip(self.measures, self._values[run.name], strict=True):
                self._enter(column, measure, topic, view.topic, run.name)

    def _enter(self, column: _Column, measure: Measure, topic: TopicGains, name: str, run: str) -> None:
        definition = measure.definition
        if definition.needs == "gains" and not len(vector(topic.ideal)):
            return
        try:
            value = measure(topic, self._effort)
            if value is None:
                return
            column.values[name] = value
            if definition.parts is not None:
                parts = definition.parts(topic, measure.cutoff, measure.settings(self._effort))
                column.parts.append(parts)
        except XcgError as error:
            message = f"{measure}: {error}"
            raise InputError(f"run {run}, topic {name}", message) from None

    def _check_passages(self, view: TopicView, run: str) -> None:
        passages = view.passages.get(run)
        if passages and self.model.spans == "refuse" and self._any_gains:
            raise InputError(
                f"{view.sources[run]}, rank {min(passages) + 1}",
                f"a passage and no element; the user model {self.model.name} takes elements only "
                "(spans: smallest_element takes the smallest element around a passage)",
            )

    def rows(self, run: Run, notes: Notes) -> list[Result]:
        """Return a line a figure of a run, its means behind its topics."""
        model = self.model.name
        if self._without_ideal and self._any_gains:
            names = _some(self._without_ideal)
            notes.note(f"{model}: no ideal element, so not in the means: topic {names}")
        rows = []
        for measure, column in zip(self.measures, self._values[run.name], strict=True):
            if not column.values:
                notes.note(f"{model}: run {run.name} has no topic to average over")
                continue
            name = str(measure)
            rows += [
                Result(run.name, topic, name, value, model) for topic, value in column.values.items()
            ]
            mean = measure.mean(list(column.values.values()), column.parts, self._effort)
            rows.append(Result(run.name, MEAN, name, mean, model))
        return rows


def _trec_rows(
    model: str,
    run: Run,
    figures: Mapping[tuple[str, str], float],
    measures: Sequence[Measure],
    base: RecallBase,
    unanswered: Unanswered,
) -> list[Result]:
    """Return a line a figure of ir_measures, the means over all assessed topics behind them."""
    rows = []
    for measure in map(str, measures):
        answered = [topic for topic in base.topics if len(run.rankings.get(topic, ()))]
        topics = base.topics if unanswered == "zero" else answered
        values = [figures.get((topic, measure), 0.0) for topic in topics]
        rows += [
            Result(run.name, topic, measure, value, model)
            for topic, value in zip(topics, values, strict=True)
        ]
        if values:
            rows.append(Result(run.name, MEAN, measure, math.fsum(values) / len(values), model))
    return rows


def _in_order(rows: list[Result], order: Mapping[str, int]) -> list[Result]:
    """Put the measures of each run in the order in which they were asked for."""
    grouped = itertools.groupby(rows, key=lambda row: (row.user_model, row.run))
    return [row for _, group in grouped for row in sorted(group, key=lambda r: order[r.measure])]


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
