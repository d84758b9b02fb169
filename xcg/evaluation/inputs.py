"""The inputs of every evaluation: what a user provides, and the validated objects made of it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from xcg.documents.corpus import Corpus, Documents, corpus_of
from xcg.documents.files import STANDARD_INPUT, PathLike, expand
from xcg.errors import FileError, InputError, Notes, XcgError
from xcg.evaluation.parallel import Executor
from xcg.evaluation.reading import (
    Reading,
    count_repeated,
    named_runs,
    read_file,
    rewrite_all,
    unique_names,
)
from xcg.formats.base import can_have_chunks, read_assessments
from xcg.formats.topic_files import read_topics
from xcg.judgements.anchoring import anchor, with_nugget_column
from xcg.judgements.recall_base import Judged, RecallBase
from xcg.measures import MEASURES, Measure
from xcg.registry import Part
from xcg.runs.chunk_adapters import shortened
from xcg.runs.chunk_documents import ChunkSource, DocumentKey
from xcg.runs.chunks import Parents, check_chunks, is_chunk, run_of_chunks
from xcg.runs.ordering import in_document_order, note_equal_scores, note_whole_documents
from xcg.runs.run import Run, Runs, Ties, Topics
from xcg.settings.schema import DEFAULT_MEASURES
from xcg.strategies.registry import MAX_STRATEGIES, BoundStrategy, no_position, strategies_of
from xcg.user_model.model import (
    UserModel,
    default_model,
    default_text_model,
    has_only_passages,
    resolve_models,
)
from xcg.user_model.schema import Where

Assessments = RecallBase | PathLike | Iterable[PathLike] | Mapping[str, Mapping[str, Judged]]
"""Paths, a recall-base, or topic → file → assessments."""
NamedResults = Mapping[str, Mapping[str, Iterable[object]]]
"""Run → topic → results: elements, documents or chunks."""
GivenRuns = Run | PathLike | NamedResults | Iterable[Run | PathLike | NamedResults]
UserModels = UserModel | PathLike | Mapping[str, object] | Iterable[object]
Measures = str | Measure | Iterable[str | Measure]
Strategies = object
"""A strategy or several, each as :func:`xcg.strategies.registry.strategies_of` accepts it."""
Unanswered = Literal["zero", "skip"]
"""How an assessed topic without results counts: 0, or not at all."""


@dataclass(frozen=True)
class Inputs:
    """Everything an evaluation works on.

    The arguments are what a user provides: paths, plain data or objects. The properties are validated
    objects. Each is made on first use and kept, so files are read once.

    Args:
        assessments: Files, folders, globs or ``-`` for standard input; a :class:`RecallBase`; or dicts
            topic → file → path → (e, s), or topic → document → level or list of (start, end) passages.
        nuggets: Read the second column of qrels as the nugget.
        runs: Files, folders or globs; :class:`Run` objects; or dicts run → topic → results.
        corpus: A folder or archive, a :class:`Corpus`, or a dict of documents.
        user_model: A name, a file, a mapping, a :class:`UserModel`, or several of these. By default
            the assessments decide, see :func:`xcg.user_model.model.default_model`.
        measures: Names such as ``"nxCG@10"``, or measures.
        unanswered: How an assessed topic without results counts: ``zero`` or ``skip``.
        ties: The order of results with equal scores or ranks, see :data:`xcg.runs.run.Ties`.
        lenient: Count wrong data as warnings instead of raising.
        check_corpus: Check that results and assessments exist in the corpus, also if no measure needs
            the documents.
        workers: Number of processes; -1 for one per core.
        scheduler: Address of a Dask scheduler whose cluster does the work.
        topics: The topics to read from run files; by default the assessed ones.
        strategies: Overlap strategies. Each run is evaluated once under each, as ``RUN+STRATEGY``.
        document: How chunks, in memory and in JSON Lines, name their document, see
            :func:`xcg.runs.chunks.span_of`.
        parents: The chunks of a hierarchical splitter, see :func:`xcg.runs.chunks.span_of`.
        topic_files: INEX topic files, whose titles the HTML report shows.
        positions: Key of a configuration → path → the line that names it, for messages.

    Raises:
        XcgError: The properties raise it for illegal data; settings are checked before.

    >>> inputs = Inputs({"1": {"d": 2}}, {"r": {"1": ["d", "e"]}}, measures="nxCG@1 MAep")
    >>> inputs.recall_base.topics, inputs.loaded_runs[0].name
    (['1'], 'r')
    >>> [model.name for model in inputs.user_models], [str(m) for m in inputs.measure_list]
    (['levels'], ['nxCG@1', 'MAep'])
    """

    assessments: Assessments = ()
    runs: GivenRuns = ()
    corpus: Documents = None
    user_model: UserModels | None = None
    measures: Measures = DEFAULT_MEASURES
    unanswered: Unanswered = "zero"
    ties: Ties | None = None
    lenient: bool = False
    check_corpus: bool = False
    workers: int = 1
    scheduler: str | None = None
    topics: Topics = None
    strategies: Strategies = ()
    nuggets: bool = False
    document: DocumentKey = None
    parents: Parents = ()
    topic_files: PathLike | Iterable[PathLike] = ()
    positions: Mapping[str, Mapping[str, str]] = field(default_factory=dict, repr=False, compare=False)
    notes: Notes = field(init=False, repr=False, compare=False)
    """What was noted while the inputs were read."""
    executor: Executor = field(init=False, repr=False, compare=False)
    """Where the work is done."""

    has_assessments: bool = field(init=False, repr=False, compare=False)
    """Whether there are assessments; a recall-base of passages has no elements."""
    has_runs: bool = field(init=False, repr=False, compare=False)
    """Whether there are runs; some commands need assessments only."""

    def __post_init__(self) -> None:
        is_one_source = isinstance(self.runs, (Run, str, os.PathLike, Mapping))
        has_assessments = isinstance(self.assessments, RecallBase) or bool(self.assessments)
        object.__setattr__(self, "notes", Notes(self.lenient))
        object.__setattr__(self, "executor", Executor(self.workers, self.scheduler))
        object.__setattr__(self, "has_assessments", has_assessments)
        object.__setattr__(self, "has_runs", is_one_source or bool(self.runs))

    @cached_property
    def measure_list(self) -> list[Measure]:
        """The measures, each once."""
        return MEASURES.parse_all(self.measures)

    @cached_property
    def recall_base(self) -> RecallBase:
        """The assessments. The text that they state is compared with the documents."""
        if isinstance(self.assessments, RecallBase):
            base = self.assessments
        elif isinstance(self.assessments, Mapping):
            base = RecallBase.of(self.assessments)
        else:
            with self.naming_position("assessments"):
                base = read_assessments(self.assessments, self.notes)
        needing = [f"{one} needs nuggets" for one in self.measure_list if one.definition.needs_nuggets]
        if self.nuggets or needing:
            base = with_nugget_column(base, ["nuggets is true"] * self.nuggets + needing, self.notes)
        return anchor(base, self.documents, self.notes) if base.quoted else base

    @cached_property
    def documents(self) -> Corpus | None:
        """The corpus, None without one."""
        with self.naming_position("corpus"):
            return corpus_of(self.corpus, self.notes)

    @cached_property
    def topic_titles(self) -> dict[str, str]:
        """The titles of the topics in the topic files."""
        return {topic.id: topic.title for topic in read_topics(self.topic_files).values()}

    @property
    def run_sources(self) -> Sequence[Run | Path]:
        """The runs that are in memory, and the files of the others, in order."""
        for source in self._given_runs:
            # Other processes cannot read standard input and pipes.
            if source == STANDARD_INPUT or (isinstance(source, Path) and not source.is_file()):
                return self.runs_as_read
        return self.runs_as_read if "runs_as_read" in self.__dict__ else self._given_runs

    @cached_property
    def loaded_runs(self) -> Runs:
        """The runs under each strategy, each under a name that no other run has."""
        runs = self.runs_as_read
        if self.strategy_list:
            runs = rewrite_all(runs, self.strategy_list, self.documents, self.executor)
        repeated = [sum(map(count_repeated, run.rankings.values())) for run in runs]
        return Runs(named_runs(runs, repeated, self.notes), runs)

    @cached_property
    def runs_as_read(self) -> Runs:
        """The runs without strategies, under the names in their files."""
        given, reading = self._given_runs, self.reading
        # Other processes cannot read standard input and pipes.
        files = [source for source in given if isinstance(source, Path) and source.is_file()]
        with self.naming_position("runs"):
            if self.executor.is_this_process or len(files) < 2 or len(files) < len(given):
                return Runs(reading.run(source, self.notes) for source in given)
            runs, tasks = Runs(), [(source,) for source in files]
            common = [reading, self.lenient]
            for found, noted in self.executor.run(read_file, tasks, common=common, files=files):
                runs.merge(found)
                self.notes.take(noted)
            return runs

    @property
    def reading(self) -> Reading:
        """How run files are read."""
        topics = frozenset(self.recall_base.topics) if self.topics is None else self.topics
        # Without documents, nothing is searched.
        base = self.recall_base if self.has_assessments and self.documents is not None else RecallBase()
        gold = {topic: base.spans[topic] for topic in base.topics}
        return Reading(topics, self.ties, ChunkSource(self.document, self.documents, gold))

    @cached_property
    def named_sources(self) -> dict[str, Run | Path]:
        """Name of each run, without strategies → its file, or the run itself if it is not in a file."""
        names = unique_names(self.runs_as_read, Notes())
        return {
            name: source if isinstance(source, Path) and source.is_file() else run
            for name, run, source in zip(names, self.runs_as_read, self._given_runs, strict=True)
        }

    @cached_property
    def strategy_list(self) -> list[BoundStrategy]:
        """The overlap strategies."""
        return resolve_strategies(self.strategies) if self.strategies else []

    @cached_property
    def user_models(self) -> list[UserModel]:
        """The user models that are named, or the default one."""
        if self.user_model is not None:
            return resolve_user_models(self.user_model)
        base = self.recall_base
        # What the results are matters in this case only. Otherwise runs are read by the workers.
        by_results = has_only_passages(base) and any(
            measure.definition.needs == "gains" or measure.definition.on_spans
            for measure in self.measure_list
        )
        return [default_model(base, self.loaded_runs if by_results and self.has_runs else ())]

    @cached_property
    def text_model(self) -> UserModel:
        """The user model for results that are scored as text: the only named one, or the default."""
        if self.user_model is None:
            return default_text_model(self.recall_base)
        if len(self.user_models) > 1:
            raise XcgError(
                f"{len(self.user_models)} user models: expected one with 'spans: text', like spans"
            )
        (model,) = self.user_models
        if model.spans != "text":
            raise XcgError(
                f"chunks are compared as text, but the user model {model.name} has 'spans: "
                f"{model.spans}': expected one with 'spans: text', like spans or spans-levels"
            )
        return model

    def check(self) -> None:
        """Raise XcgError for an illegal measure, user model, assessment, corpus or run.

        So errors have the same order in all commands. Run files are looked up, but not read.
        """
        _ = self.measure_list, self.strategy_list
        if self.user_model is not None:
            _ = self.user_models
        _ = self.recall_base, self.documents
        if self.has_runs:
            _ = self._given_runs
            if self.document is not None:
                check_document_is_used(self._given_runs)

    def new_notes(self) -> Notes:
        """Return a copy of the notes, to which an evaluation adds its own."""
        notes = Notes(self.lenient)
        notes.take(self.notes)
        return notes

    @contextmanager
    def naming_position(self, key: Literal["assessments", "runs", "corpus"]) -> Iterator[None]:
        """Add the line of the configuration to an error in a file that it names."""
        try:
            yield
        except FileError as error:
            file = Path(error.where.partition(":")[0])
            for named, position in self.positions.get(key, {}).items():
                if str(file) == named or file.is_relative_to(named) or file.match(named):
                    raise InputError(position, str(error)) from None
            raise

    @cached_property
    def _given_runs(self) -> Sequence[Run | Path]:
        given = self.runs
        items = [given] if isinstance(given, (Run, str, os.PathLike, Mapping)) else given
        if not isinstance(items, Iterable):
            raise _illegal_runs(given)
        found: list[Run | Path] = []
        for item in items:
            if isinstance(item, Run):
                found.append(self._with_ties(item))
            elif isinstance(item, Mapping):
                runs = [self._run_of(str(name), results) for name, results in item.items()]
                found += map(self._with_ties, runs)
            elif isinstance(item, (str, os.PathLike)):
                with self.naming_position("runs"):
                    found += expand(item, "runs")
            else:
                raise _illegal_runs(item)
        if not found:
            raise XcgError("no runs: expected at least one")
        return found

    def _with_ties(self, run: Run) -> Run:
        """Return a run in memory with ties as stated, and note equal scores."""
        for topic, ranking in run.rankings.items():
            note_equal_scores(ranking, run.where(topic), self.notes)
        note_whole_documents(run.rankings.values(), f"run {run.name}", self.notes)
        rankings = {topic: in_document_order(found) for topic, found in run.rankings.items()}
        return replace(run, rankings=rankings) if self.ties == "document" else run

    def _run_of(self, name: str, results: Mapping[str, Iterable[object]]) -> Run:
        """Return the run of topic → results, which are all chunks or all elements and documents."""
        if not isinstance(results, Mapping):
            raise XcgError(f"run {name} is a {type(results).__name__}: expected topic → results")
        kept: dict[str, Any] = {}
        for topic, found in results.items():
            if str(topic) in kept:
                raise XcgError(f"run {name}: the topic {topic} occurs twice, as text and as a number")
            if not isinstance(found, Mapping) or {"doc", "start"} <= set(found):
                check_chunks(found, f"run {name}, topic {topic}")
            kept[str(topic)] = found if isinstance(found, Mapping) else list(found)
        if not any(is_chunk(result) for found in kept.values() for result in found):
            return Run.of(name, kept)
        options = self.document, self.documents, self.parents, self.notes, self.reading.chunks.gold
        return run_of_chunks(name, kept, *options)


def _illegal_runs(given: object) -> XcgError:
    hint = "; chunks belong to a run and a topic" * is_chunk(given)
    expected = f"expected a path, a Run, or a dict run → topic → results{hint}"
    return XcgError(f"illegal runs {shortened(repr(given))}: {expected}")


def resolve_user_models(user_model: UserModels) -> list[UserModel]:
    """Return the user models that names, files, mappings or objects describe.

    Raises:
        XcgError: If there is none, or two have the same name.
    """
    given = user_model
    specs = [given] if isinstance(given, (UserModel, str, os.PathLike, Mapping)) else given
    models = [model for spec in specs for model in resolve_models(spec)]
    if not models:
        raise XcgError("no user models: expected at least one")
    names = [model.name for model in models]
    for name in names:
        if names.count(name) > 1:
            raise XcgError(f"two user models are named {name!r}: expected different names")
    return models


def resolve_strategies(
    strategies: Strategies, folder: Path | None = None, where: Where = no_position
) -> list[BoundStrategy]:
    """Return the overlap strategies that names, mappings or functions describe.

    Args:
        strategies: One or several, each as :func:`xcg.strategies.registry.strategies_of` accepts it.
        folder: A folder whose Python files ``module:function`` can name.
        where: Names the position of a strategy or a parameter in messages.

    Raises:
        XcgError: If one is illegal, two are the same, or there are more than 1,000.
    """
    is_one = isinstance(strategies, (str, Part, Mapping)) or callable(strategies)
    specs = [strategies] if is_one else strategies
    if not isinstance(specs, Iterable):
        raise XcgError(f"illegal strategies {specs!r}: expected a name, a mapping, or a list of these")
    found: dict[str, BoundStrategy] = {}
    for index, spec in enumerate(specs):
        position = where if is_one else _below(where, index)
        try:
            for strategy in strategies_of(spec, folder, position):
                if str(strategy) in found:
                    problem = f"the strategy {str(strategy)!r} occurs twice"
                    raise XcgError(f"{problem}: expected different strategies")
                found[str(strategy)] = strategy
        except InputError:
            raise  # names the key
        except XcgError as error:
            raise InputError(position(()), str(error)) from None
        if len(found) > MAX_STRATEGIES:
            raise InputError(position(()), f"more than {MAX_STRATEGIES:,} strategies")
    return list(found.values())


def _below(where: Where, index: int) -> Where:
    return lambda key: where((index, *key))


def check_document_is_used(sources: Sequence[Run | Path]) -> None:
    """Raise XcgError if no run can have chunks, for whose document there is a key."""
    for source in sources:
        if isinstance(source, Run) or not source.is_file() or can_have_chunks(source):
            return
    raise XcgError("document has no effect on runs without JSON Lines or chunks: remove it")
