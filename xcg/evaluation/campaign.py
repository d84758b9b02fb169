"""A campaign: assessments, runs and documents, combined topic by topic."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, lru_cache

from xcg.documents.corpus import Corpus
from xcg.documents.files import position_of
from xcg.documents.passage_points import Passage
from xcg.documents.paths import WHOLE, canonical_path
from xcg.documents.text_units import CharacterConverter, TextUnit, UnitConverter
from xcg.documents.tree import ElementTree, UnknownPathError
from xcg.errors import InputError, Notes, UnmappedError, XcgError
from xcg.evaluation.inputs import Inputs
from xcg.evaluation.resolution import ResultResolver, retrieved_paths
from xcg.evaluation.unjudged import UnjudgedProblems
from xcg.gains.judged_topic import JudgedTopic, ResolvedRanking
from xcg.gains.span_reader import TextSpan, UnitSpan
from xcg.judgements.assessment import Assessment
from xcg.judgements.highlights import assess_spans
from xcg.judgements.recall_base import RecallBase, Span
from xcg.runs.chunk_documents import missing_document
from xcg.runs.run import Run
from xcg.user_model.model import UserModel

RetrievedPaths = Mapping[str, Mapping[str, set[str]]]
"""Topic → document → paths of results."""

_PARSED_AHEAD = 256  # documents
_KEPT_CONVERTERS = 2000
_KEPT_SPANS = 1 << 16  # in units: about 20 MB


@cache
def _whole_document() -> ElementTree:
    """Return the tree of a document without a corpus if neither assessments nor runs name elements."""
    return ElementTree.from_paths(["/document[1]"])


class Campaign:
    """Assessments, runs and documents, combined topic by topic.

    Problems in the data are returned as :class:`Notes`, or raised unless ``lenient``.

    Args:
        base: The assessments.
        runs: The runs, with different names.
        corpus: The documents. Without them, the trees have the elements that assessments and results
            name.
        lenient: Whether problems are counted instead of raised.
        needs_elements: Whether elements and their assessments are needed. If not, passages and results
            with character offsets need no documents. The order of a greedy reference needs them.
        needs_entry_points: Whether best entry points are resolved.
        other_paths: Paths that other runs retrieve, which belong to the trees without a corpus.
    """

    def __init__(
        self,
        base: RecallBase,
        runs: Sequence[Run] = (),
        corpus: Corpus | None = None,
        *,
        lenient: bool = False,
        needs_elements: bool = True,
        needs_entry_points: bool = False,
        other_paths: RetrievedPaths | None = None,
    ) -> None:
        self.base = base
        self.runs = {run.name: run for run in runs}
        self.corpus = corpus
        self.lenient = lenient
        self._needs_elements = needs_elements or any(run.is_reference for run in runs)
        self._needs_entry_points = needs_entry_points
        self._other_paths = other_paths or {}
        self._resolver = ResultResolver(corpus)
        self._converters: dict[object, UnitConverter] = {}
        self._characters = CharacterConverter()
        self._in_units: dict[object, Callable[[str, float, float], UnitSpan]] = {}

    @classmethod
    def of(
        cls,
        inputs: Inputs,
        *,
        with_runs: bool = True,
        needs_elements: bool = True,
        needs_entry_points: bool = False,
    ) -> Campaign:
        """Return the campaign of inputs, with all runs in memory."""
        return cls(
            inputs.recall_base,
            inputs.loaded_runs if with_runs else [],
            inputs.documents,
            lenient=inputs.lenient,
            needs_elements=needs_elements,
            needs_entry_points=needs_entry_points,
        )

    def topics(self, notes: Notes, topics: Iterable[str] | None = None) -> Iterator[JudgedTopic]:
        """Yield topics, and add to the notes what is found.

        The order of problems is that of :func:`xcg.evaluate`: topic by topic the assessments and then
        the results; at the end, results in documents without assessments.

        Args:
            notes: Takes the problems that are tolerated.
            topics: The topics; by default all assessed ones.
        """
        for name in self.with_documents(self.base.topics if topics is None else topics):
            topic, found = self.judged_topic(name)
            notes.take(found)
            topic, found = self.with_rankings(topic)
            notes.take(found)
            yield topic
        for problems in self.check_unjudged():
            notes.take(problems.notes)

    def topic(self, name: str, notes: Notes | None = None) -> JudgedTopic:
        """Return one topic, see :meth:`topics`."""
        (topic,) = self.topics(notes if notes is not None else Notes(self.lenient), [name])
        return topic

    def with_documents(self, topics: Iterable[str]) -> Iterator[str]:
        """Yield the topics, parsing the documents of several topics at once."""
        waiting: list[str] = []
        files: dict[str, None] = {}
        for topic in topics:
            waiting.append(topic)
            if self.corpus is not None:
                files.update((file, None) for file in self._judged_files(topic) if file in self.corpus)
                if len(files) >= _PARSED_AHEAD:
                    self.corpus.prepare(files)
                    yield from waiting
                    waiting, files = [], {}
        if self.corpus is not None:
            self.corpus.prepare(files)
        yield from waiting

    def judged_topic(self, name: str) -> tuple[JudgedTopic, Notes]:
        """Return a topic without rankings, and the problems of its assessments.

        Raises:
            InputError: If the corpus lacks a document, a document lacks a path or passage, or
                documents are needed and missing; unless the campaign is lenient.
        """
        notes = Notes(self.lenient)
        base = self.base
        trees = self._trees(name, notes)
        assessed = {file: self._assessed_rows(name, file, tree, notes) for file, tree in trees.items()}
        passages = self._passages(name, trees, notes)
        gold = {
            file: spans
            for file, spans in passages.items()
            if file not in base.files(name) and (file in trees or self.corpus is None)
        }
        for file, spans in gold.items():
            if file in trees:
                assessed[file] = assess_spans(trees[file], spans)
        has_passages = bool(base.spans(name) or base.passages(name))
        points = self._entry_points(name, trees, notes) if has_passages else None
        topic = JudgedTopic(
            name,
            trees,
            assessed,
            {file: [(span.start, span.end) for span in spans] for file, spans in passages.items()},
            gold,
            points,
            base.document_sizes(name),
            lacks_highlights=bool(base.files(name)) and not has_passages,
        )
        return topic, notes

    def with_rankings(self, topic: JudgedTopic) -> tuple[JudgedTopic, Notes]:
        """Return a topic with the rankings of all runs, and the problems of their results.

        Results in documents without assessments are checked by :meth:`check_unjudged`.

        Raises:
            InputError: If a result does not exist, unless the campaign is lenient.
        """
        notes = Notes(self.lenient)
        name = topic.topic
        offsets_only = self._needs_offsets_only(name)
        rankings = {
            run.name: self._resolver.resolve(run, name, topic.trees, notes, offsets_only)
            for run in self._answering(name)
        }
        return replace(topic, rankings=rankings), notes

    def check_unjudged(self) -> Iterator[UnjudgedProblems]:
        """Check the results of all topics so far, see :meth:`UnjudgedResults.check`."""
        return self._resolver.unjudged.check(self.corpus, self.lenient)

    def text_spans(self, topic: JudgedTopic, run: str) -> list[TextSpan]:
        """Return the results of a run for a topic as text.

        A result that does not exist is an empty span.

        Raises:
            XcgError: If documents are needed and missing.
        """
        resolved = topic.ranking(run)
        missing = resolved.ranking.spans.keys() - resolved.passages.keys()
        return [
            (file, 0, 0) if span is None or position in missing else span
            for position, (file, span) in enumerate(
                zip(resolved.files, self.stated_spans(topic, run), strict=True)
            )
        ]

    def stated_spans(self, topic: JudgedTopic, run: str) -> list[TextSpan | None]:
        """Return the results of a run for a topic as text, see :class:`TextAccess`.

        Raises:
            XcgError: If documents are needed and missing.
        """
        if self.corpus is None and not self._needs_offsets_only(topic.topic):
            self._required_corpus()
        resolved = topic.ranking(run)
        spans = {**resolved.ranking.spans, **resolved.passages}
        return [
            self._stated_span(topic, resolved, position)
            if (span := spans.get(position)) is None or isinstance(span, Passage)
            else (file, *span)
            for position, file in enumerate(resolved.files)
        ]

    def _stated_span(
        self, topic: JudgedTopic, resolved: ResolvedRanking, position: int
    ) -> TextSpan | None:
        """Return an element as text; None if its document is unknown."""
        file, path = resolved.files[position], resolved.ranking.paths[position]
        row, tree = resolved.rows.get(position), topic.trees.get(file)
        if tree is None and self.corpus is not None and file in self.corpus:
            tree = self.corpus.tree(file)
        if tree is None or not path:
            return None
        if row is None:
            row = 0 if path == WHOLE else tree.find(path)
        return None if row is None else (file, int(tree.start[row]), int(tree.stop[row]))

    def document_length(self, file: str) -> int | None:
        """Return the length of a document in characters; None if the corpus lacks it."""
        if self.corpus is None or file not in self.corpus:
            return None
        return int(self.corpus.tree(file).characters[0])

    def converter(self, model: UserModel, unit: TextUnit, file: str) -> UnitConverter:
        """Return how the text of a document is measured in a unit.

        Raises:
            XcgError: If documents are missing, or the tokenizer of the user model fails.
        """
        if unit == "characters":
            return self._characters
        tokenizer = model.effort.tokenizer
        key = file, unit, unit == "tokens" and tokenizer.key
        if key not in self._converters:
            while len(self._converters) >= _KEPT_CONVERTERS:
                del self._converters[next(iter(self._converters))]
            corpus = self._required_corpus()
            try:
                self._converters[key] = UnitConverter.of(corpus.tree(file).text, unit, tokenizer)
            except XcgError as error:
                raise InputError(f"{corpus.label}, {file}", str(error)) from None
        return self._converters[key]

    def in_units(self, model: UserModel, unit: TextUnit) -> Callable[[str, float, float], UnitSpan]:
        """Return a function (document, start, end) → start and end of the text in a unit.

        It remembers spans, because runs return the same chunks for many topics.
        """
        key = unit, model.effort.tokenizer.key
        if key not in self._in_units:

            def in_units(file: str, start: float, end: float) -> UnitSpan:
                converter = self.converter(model, unit, file)
                return converter.amount(start), converter.amount(end)

            self._in_units[key] = lru_cache(_KEPT_SPANS)(in_units)
        return self._in_units[key]

    def mean_document_length(self) -> float:
        """Return the mean length of all documents in characters, 0 without documents."""
        if self.corpus is None:
            return 0.0
        lengths = [int(self.corpus.tree(file).characters[0]) for file in self.corpus]
        return sum(lengths) / len(lengths)

    def _required_corpus(self) -> Corpus:
        if self.corpus is None:
            raise XcgError("needs the documents: expected a corpus")
        return self.corpus

    def _answering(self, topic: str) -> list[Run]:
        return [run for run in self.runs.values() if len(run.rankings.get(topic, ()))]

    def _needs_offsets_only(self, topic: str) -> bool:
        """Return whether a topic needs no documents, because its elements are not used."""
        return self.corpus is None and not self._needs_elements and not self.base.files(topic)

    def _where(self, topic: str, file: str) -> str:
        return f"{self.base.sources.get(topic, 'assessments')}, topic {topic}, {file}"

    def _judged_files(self, topic: str) -> dict[str, None]:
        base = self.base
        return dict.fromkeys([*base.files(topic), *base.spans(topic), *base.passages(topic)])

    def _assessed_rows(
        self, topic: str, file: str, tree: ElementTree, notes: Notes
    ) -> dict[int, Assessment]:
        """Return row → assessment of a document."""
        rows: dict[int, Assessment] = {}
        for path, assessment in self.base.files(topic).get(file, {}).items():
            try:
                row = 0 if path == WHOLE else tree.row(path)
            except UnknownPathError as error:
                unmapped = UnmappedError(self._where(topic, file), str(error))
                notes.tolerate("assessments of unknown paths", unmapped)
                continue
            if rows.setdefault(row, assessment) != assessment:
                message = f"{path} and the whole document are one element with two assessments"
                notes.problem("contradicting assessments", self._where(topic, file), message)
        return rows

    def _passages(
        self, topic: str, trees: Mapping[str, ElementTree], notes: Notes
    ) -> dict[str, list[Span]]:
        """Return document → relevant passages with text, in characters."""
        found: dict[str, list[Span]] = {}
        spans, points = self.base.spans(topic), self.base.passages(topic)
        stated: dict[str, Sequence[Span | Passage]] = {**spans, **points}
        assessed = self.base.files(topic)
        offsets_only = self._needs_offsets_only(topic)
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
        if not self._needs_entry_points or not self.base.has_entry_points:
            return None
        points: dict[str, int] = {}
        for file, point in self.base.entry_points(topic).items():
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
        files = self._judged_files(topic)
        self.corpus.prepare(file for file in files if file in self.corpus)
        for file in files:
            if file in self.corpus:
                trees[file] = self.corpus.tree(file)
                continue
            source = self.base.sources.get(topic, "assessments")
            if not notes.lenient:
                source = position_of(source, topic, file)
            where = f"{source}, topic {topic}"
            message = missing_document(file, self.corpus, is_result=False, is_lenient=notes.lenient)
            unmapped = UnmappedError(where, message)
            notes.tolerate("assessed documents that the corpus lacks", unmapped)
        for guess in self.corpus.source.guesses:
            notes.note(guess)
        return trees

    def _trees_of_paths(self, topic: str) -> dict[str, ElementTree]:
        """Return document → tree of the elements that assessments and results name."""
        assessed = self.base.files(topic)
        paths = {file: set(elements) - {WHOLE} for file, elements in assessed.items()}
        roots = {file: next(iter(found)).split("/", 2)[1] for file, found in paths.items() if found}
        retrieved = retrieved_paths(self._answering(topic), topic, roots)
        others = self._other_paths.get(topic, {})
        for file, root in roots.items():
            for path in retrieved[file] | others.get(file, set()):
                # A path with another root does not belong here; it is reported as unknown later.
                if path.split("/", 2)[1:2] == [root]:
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
