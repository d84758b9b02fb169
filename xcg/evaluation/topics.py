"""Make the topics of an evaluation: assessments, runs and documents, combined topic by topic."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from functools import cache
from itertools import accumulate
from pathlib import Path
from typing import Any, TypeVar

from xcg.documents.corpus import Corpus
from xcg.documents.parsing import note_entity
from xcg.documents.passage_points import Passage
from xcg.documents.paths import WHOLE, canonical_path
from xcg.documents.tree import ElementTree, UnknownPathError
from xcg.errors import InputError, Notes, UnmappedError, XcgError
from xcg.evaluation.inputs import Inputs
from xcg.evaluation.parallel import ONE_PROCESS, Executor, Progress
from xcg.evaluation.resolution import (
    TASKS_PER_WORKER,
    ResultResolver,
    judged_files,
    lacking_paths,
    shared_cache,
)
from xcg.gains.judged_topic import Texts
from xcg.gains.reader import ElementRows
from xcg.gains.topic import Topic
from xcg.judgements.assessment import Assessment
from xcg.judgements.highlights import assess_spans
from xcg.judgements.recall_base import RecallBase, Span
from xcg.runs.chunk_documents import missing_document
from xcg.runs.run import Run, Runs

T = TypeVar("T")

_PARSED_AHEAD = 256  # documents


@cache
def _whole_document() -> ElementTree:
    """Return the tree of a document without a corpus if neither assessments nor runs name elements."""
    return ElementTree.from_paths(["/document[1]"])


class TopicSource:
    """Makes topics from assessments, runs and documents.

    Problems in the data are added to notes, or raised unless these are lenient.

    Args:
        base: The assessments.
        runs: The runs, with different names.
        corpus: The documents. Without them, the trees have the elements that assessments and results
            name.
        needs_elements: Whether elements and their assessments are needed. If not, passages and results
            with character offsets need no documents. The order of a greedy reference needs them.
        needs_entry_points: Whether best entry points are resolved.
    """

    def __init__(
        self,
        base: RecallBase,
        runs: Iterable[Run] = (),
        corpus: Corpus | None = None,
        needs_elements: bool = True,
        needs_entry_points: bool = False,
    ) -> None:
        self.base = base
        self.runs = runs if isinstance(runs, Runs) else Runs(runs)
        self.corpus = corpus
        self.needs_elements = needs_elements or any(run.is_reference for run in self.runs)
        self.needs_entry_points = needs_entry_points
        self.resolver = ResultResolver(self.runs, corpus)
        self.texts = Texts(corpus)

    @classmethod
    def of(cls, inputs: Inputs, with_runs: bool = True, **needs: bool) -> TopicSource:
        """Return the source of inputs, with the needs of the constructor."""
        base, runs = inputs.recall_base, inputs.loaded_runs if with_runs else []
        return cls(base, runs, inputs.documents, **needs)

    def with_runs(self, runs: Runs, corpus: Corpus | None) -> TopicSource:
        """Return the source of other runs, for another process."""
        source = TopicSource(self.base, runs, corpus, self.needs_elements, self.needs_entry_points)
        source.resolver.lacking = self.resolver.lacking
        return source

    def topics(self, notes: Notes, names: Sequence[str]) -> Iterator[Topic]:
        """Yield topics, parsing the documents of several topics at once."""
        waiting: list[str] = []
        files: dict[str, None] = {}
        for name in names:
            waiting.append(name)
            files |= judged_files(self.base, name)
            if len(files) >= _PARSED_AHEAD or name == names[-1]:
                if self.corpus is not None:
                    self.corpus.prepare(file for file in files if file in self.corpus)
                yield from (self.topic(one, notes) for one in waiting)
                waiting, files = [], {}

    def topic(self, name: str, notes: Notes) -> Topic:
        """Return a topic with the rankings of all runs.

        Raises:
            InputError: If the corpus lacks a document, a document lacks a path or passage, or
                documents are needed and missing; unless the notes are lenient.
        """
        base, files = self.base, self.base.files[name]
        trees = self._trees(name, notes)
        # Without documents, passages need none if elements are not used.
        offsets_only = self.corpus is None and not self.needs_elements and not files
        assessed = {file: self._assessed_rows(name, file, tree, notes) for file, tree in trees.items()}
        passages = self._passages(name, trees, notes, offsets_only)
        gold = {
            file: spans
            for file, spans in passages.items()
            if file not in files and (file in trees or self.corpus is None)
        }
        for file, spans in gold.items():
            if file in trees:
                assessed[file] = assess_spans(trees[file], spans)
        has_passages = bool(base.spans[name] or base.passages[name])
        return Topic(
            name=name,
            texts=self.texts,
            trees=trees,
            elements={file: ElementRows(tree) for file, tree in trees.items()},
            assessed=assessed,
            highlighted={file: [span[:2] for span in spans] for file, spans in passages.items()},
            gold=gold,
            entry_points=self._entry_points(name, trees, notes) if has_passages else None,
            document_sizes=base.document_sizes[name],
            lacks_highlights=bool(files) and not has_passages,
            needs_text=not offsets_only,
            rankings=self.resolver.resolve(name, trees, notes, offsets_only),
            nuggets=base.nuggets.get(name, {}) if base.has_nuggets else {},
        )

    def _where(self, topic: str, file: str) -> str:
        return f"{self.base.sources.get(topic, 'assessments')}, topic {topic}, {file}"

    def _assessed_rows(
        self, topic: str, file: str, tree: ElementTree, notes: Notes
    ) -> dict[int, Assessment]:
        """Return row → assessment of a document."""
        rows: dict[int, Assessment] = {}
        for path, assessment in self.base.files[topic].get(file, {}).items():
            try:
                row = tree.row(path)
            except UnknownPathError as error:
                unmapped = UnmappedError(self._where(topic, file), str(error))
                notes.tolerate("assessments of unknown paths", unmapped)
                continue
            if rows.setdefault(row, assessment) != assessment:
                message = f"{path} and the whole document are one element with two assessments"
                notes.problem("contradicting assessments", self._where(topic, file), message)
        return rows

    def _passages(
        self, topic: str, trees: Mapping[str, ElementTree], notes: Notes, offsets_only: bool
    ) -> dict[str, list[Span]]:
        """Return document → relevant passages with text, in characters."""
        found: dict[str, list[Span]] = {}
        spans, points = self.base.spans[topic], self.base.passages[topic]
        stated: dict[str, Sequence[Span | Passage]] = {**spans, **points}
        assessed = self.base.files[topic]
        for file, passages in stated.items():
            tree = trees.get(file)
            if self.corpus is None:
                if file in assessed:
                    continue  # the assessments of its elements are enough
                if not offsets_only:
                    raise InputError(
                        self._where(topic, file),
                        "relevant passages become assessments of elements through the document; "
                        "expected a corpus",
                    )
            elif tree is None and any(isinstance(passage, Passage) for passage in passages):
                continue  # the corpus lacks the document, which the passages need
            if tree is None and file not in points:
                found[file] = [span for span in spans[file] if span.start < span.end]
                continue
            found[file] = []
            for passage in passages:
                try:
                    span = _in_characters(passage, tree)
                except UnknownPathError as error:
                    unmapped = UnmappedError(self._where(topic, file), str(error))
                    notes.tolerate("passages that do not fit their document", unmapped)
                    continue
                if span.start < span.end:
                    found[file].append(span)
        return found

    def _entry_points(
        self, topic: str, trees: Mapping[str, ElementTree], notes: Notes
    ) -> dict[str, int] | None:
        if not self.needs_entry_points or not any(self.base.entry_points.values()):
            return None
        points: dict[str, int] = {}
        for file, point in self.base.entry_points[topic].items():
            try:
                points[file] = point if isinstance(point, int) else point.character(trees[file])
            except (KeyError, UnknownPathError) as error:
                notes.problem("best entry points left out", self._where(topic, file), str(error))
        return points

    def _trees(self, topic: str, notes: Notes) -> dict[str, ElementTree]:
        """Return document → tree, for the documents with assessments."""
        if self.corpus is None:
            return self._trees_of_paths(topic)
        trees = {}
        for file in judged_files(self.base, topic):
            if file in self.corpus:
                trees[file] = self.corpus.tree(file)
                continue
            where = f"{self.base.sources.get(topic, 'assessments')}, topic {topic}"
            message = missing_document(file, self.corpus, is_result=False, is_lenient=notes.lenient)
            unmapped = UnmappedError(where, message)
            notes.tolerate("assessed documents that the corpus lacks", unmapped)
        for file, tree in trees.items():
            if tree.entity:
                note_entity(tree, self.corpus.where(file), notes)
        if self.corpus.source.guessed:
            self.corpus.source.note_guessed(trees, notes)
        return trees

    def _trees_of_paths(self, topic: str) -> dict[str, ElementTree]:
        """Return document → tree of the elements that assessments and results name."""
        assessed = self.base.files[topic]
        paths = {file: set(elements) - {WHOLE} for file, elements in assessed.items()}
        roots = {file: next(iter(found)).split("/", 2)[1] for file, found in paths.items() if found}
        retrieved = {
            result
            for run in self.runs
            if topic in run.rankings
            for result in run.rankings[topic]
            if result[0] in roots
        }
        for file, path in retrieved:
            # A path with another root does not belong here; it is reported as unknown later.
            if path.split("/", 2)[1:2] == [roots[file]]:
                paths[file].add(path)
        trees = {}
        for file, elements in assessed.items():
            if not paths[file]:
                trees[file] = _whole_document()
                continue
            sizes = {p: a.characters for p, a in elements.items() if a.characters is not None}
            if WHOLE in sizes:
                root = next(iter(paths[file])).split("/", 2)[1]
                sizes.setdefault(canonical_path(f"/{root}"), sizes.pop(WHOLE))
            try:
                trees[file] = ElementTree.from_paths(paths[file], sizes)
            except XcgError as error:
                raise InputError(f"topic {topic}, {file}", str(error)) from None
        return trees


def _in_characters(passage: Span | Passage, tree: ElementTree | None) -> Span:
    """Return a relevant passage in characters; UnknownPathError if it does not fit its document."""
    if isinstance(passage, Passage):
        if tree is None:
            raise UnknownPathError("a passage between two points needs its document; expected a corpus")
        passage = Span(*passage.characters(tree))
    if tree is not None:
        length = int(tree.characters[0])
        if passage.end > length:
            raise UnknownPathError(
                f"the passage {passage.start}–{passage.end}: "
                f"the document's text has {length} characters"
            )
    return passage


def map_topics(
    source: TopicSource,
    function: Callable[[Topic], T],
    notes: Notes,
    names: Sequence[str] | None = None,
    *,
    executor: Executor = ONE_PROCESS,
    progress: Progress | None = None,
) -> list[T]:
    """Return ``function(topic)`` of each topic, in order.

    First, the documents without assessments are checked, each once: results in them gain nothing, but
    they must exist.

    Args:
        source: The assessments, runs and documents.
        function: A function. For several workers it must be one that can be pickled.
        notes: Takes the problems that are tolerated, in the order of the topics.
        names: The topics; by default all assessed ones.
        executor: Where the work is done.
        progress: Called with the number of finished topics and of all topics.

    Raises:
        XcgError: The first error in the order of the topics.
    """
    names = source.base.topics if names is None else names
    found: list[T] = []

    def report(done: int, of: int) -> None:
        if progress is not None:
            progress(len(names) * done // of, len(names))

    is_here = executor.is_this_process
    shared = nullcontext(source.corpus) if is_here else shared_cache(source.corpus, executor)
    with shared as corpus:
        source.resolver.lacking = lacking_paths(source.runs, source.base, corpus, names, executor)
        if is_here:
            for topic in source.topics(notes, names):
                found.append(function(topic))
                if progress is not None:
                    progress(len(found), len(names))
            if corpus is not None:
                corpus.write_cache()
        else:
            files = [Path(corpus.path)] if corpus is not None and corpus.is_on_disk else []
            parts = _parts(names, source.runs, TASKS_PER_WORKER * executor.count_workers())
            tasks = [(source.runs.of_topics(part), part) for part in parts]
            common = [function, notes.lenient, source.with_runs(Runs(), corpus)]
            for values, noted, removed in executor.run(
                _map_part, tasks, common=common, files=files, progress=report
            ):
                found += values
                notes.take(noted)
                if source.corpus is not None:
                    source.corpus.removed |= removed
    if source.corpus is not None and source.corpus.source.exclude:
        judged = {file for name in names for file in judged_files(source.base, name)}
        notes.note(f"{source.corpus.exclusion(judged)} with assessments")
    return found


def _map_part(
    function: Callable[[Topic], Any],
    lenient: bool,
    without_runs: TopicSource,
    runs: Runs,
    names: Sequence[str],
) -> tuple[list[Any], Notes, dict[str, int]]:
    notes, source = Notes(lenient), without_runs.with_runs(runs, without_runs.corpus)
    found = [function(topic) for topic in source.topics(notes, names)]
    if source.corpus is None:
        return found, notes, {}
    source.corpus.write_cache()
    return found, notes, source.corpus.removed


def _parts(names: Sequence[str], runs: Runs, most: int) -> list[Sequence[str]]:
    """Divide topics into consecutive parts with about the same number of results."""
    rankings = [[run.rankings[name] for run in runs if name in run.rankings] for name in names]
    sizes = list(accumulate(1 + sum(map(len, of_topic)) for of_topic in rankings))
    parts: dict[int, list[str]] = {}
    for name, size in zip(names, sizes, strict=True):
        parts.setdefault((size - 1) * most // sizes[-1], []).append(name)
    return list(parts.values())
