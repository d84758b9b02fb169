"""A campaign: judgements, runs and documents brought together, topic by topic."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import compress, count
from operator import itemgetter
from typing import TYPE_CHECKING

from xcg.documents.passage_points import Passage
from xcg.documents.paths import WHOLE, canonical_path
from xcg.documents.text_units import CharacterConverter, TextUnit, UnitConverter
from xcg.documents.tree import ElementTree, UnknownPathError
from xcg.errors import InputError, Notes, UnmappedError, XcgError
from xcg.judgements.recall_base import Assessment, RecallBase, Span
from xcg.measures.highlighted_ranking import HighlightedRanking
from xcg.runs.run import Ranking, Run
from xcg.user_model.model import UserModel

if TYPE_CHECKING:
    from xcg.documents.corpus import Corpus

Retrieved = Mapping[str, Mapping[str, set[str]]]
"""Topic → file → paths."""


@cache
def _whole_document() -> ElementTree:
    """Return what stands for each document of which nobody names an element, without a corpus."""
    return ElementTree.from_paths(["/document[1]"])


class RankedRows:
    """A run's ranking for a topic as (file, row).

    files: the file of every result. found: place → row, in order, of the results that have one; the
    others name no element of a file with assessed elements, so that they can gain nothing and hide
    nothing.
    """

    __slots__ = ("files", "found")

    def __init__(self, files: Sequence[str] = (), found: Mapping[int, int] | None = None) -> None:
        self.files = files
        self.found = found or {}

    def __len__(self) -> int:
        return len(self.files)

    def __iter__(self) -> Iterator[tuple[str, int | None]]:
        return zip(self.files, map(self.found.get, count()), strict=False)


@dataclass(frozen=True)
class TopicView:
    """One topic, with every path turned into a row of its document's tree.

    trees: file → tree, for the files with assessed elements.
    assessed: file → row → assessment.
    rankings: run → its ranking, for the runs with results. A result that is a passage stands as the
        smallest element that contains it.
    passages: run → place → the characters of a result that is a passage.
    highlighted: file → the passages of relevant text, where the assessments state them.
    passages_stated: the same with their grades, where relevance is stated by passages alone.
    sources: run → where its results for the topic were read, for messages.
    """

    topic: str
    trees: Mapping[str, ElementTree]
    assessed: Mapping[str, Mapping[int, Assessment]]
    rankings: Mapping[str, RankedRows]
    passages: Mapping[str, Mapping[int, tuple[int, int]]] = field(default_factory=dict)
    highlighted: Mapping[str, Sequence[tuple[int, int]]] = field(default_factory=dict)
    passages_stated: Mapping[str, Sequence[Span]] = field(default_factory=dict)
    sources: Mapping[str, str] = field(default_factory=dict)

    def ranking(self, run: str) -> RankedRows:
        """Return a run's ranking, empty where it has no results."""
        return self.rankings.get(run) or RankedRows()


_PARSED_AHEAD = 256  # documents
_KEPT_YARDSTICKS = 2000
"""Of how many documents a campaign keeps where their words or tokens begin."""


def _mean_length(corpus: Corpus) -> float:
    lengths = [int(corpus.tree(file).characters[0]) for file in corpus]
    return sum(lengths) / len(lengths)


@dataclass(slots=True)
class _Unchecked:
    """Results in one document, of which nobody has looked yet whether they exist.

    first: path → the number, among all results, of the first that names it. again: how often it is
    named beside that.
    """

    first: dict[str, int] = field(default_factory=dict)
    again: dict[str, int] = field(default_factory=dict)


def retrieved_paths(runs: Iterable[Run], topic: str, files: Iterable[str]) -> dict[str, set[str]]:
    """Return file → the paths that runs retrieve for a topic, for some files."""
    retrieved: dict[str, set[str]] = {file: set() for file in files}
    found: set[tuple[str, str]] = set()  # runs share many
    for run in runs:
        ranking = run.rankings.get(topic)
        if ranking is not None:
            found.update(compress(ranking, map(retrieved.__contains__, ranking.files)))
    for file, path in found:
        retrieved[file].add(path)
    return retrieved


def _places_in(files: Sequence[str], known: Container[str]) -> Iterator[int]:
    """Return the places of a ranking's results in some documents."""
    return compress(count(), map(known.__contains__, files))


class Campaign:
    """Judgements, runs and documents brought together, topic by topic.

    corpus: without one, the trees are those that the assessed and retrieved paths span.
    check_later: whoever made the campaign calls :meth:`check_results` when all topics were seen, so
        that a document in which nothing was assessed is opened once and not once a topic.
    beside: topic → file → the paths that further runs retrieve, which belong to the trees without a
        corpus.
    """

    def __init__(
        self,
        base: RecallBase,
        runs: Sequence[Run],
        corpus: Corpus | None,
        notes: Notes,
        check_later: bool = False,
        beside: Retrieved | None = None,
    ) -> None:
        self._check_later = check_later
        self._unchecked: dict[str, _Unchecked] = {}
        self._numbers: list[tuple[int, str, str]] = []
        """The number of the first result of every ranking, with its run's source and its topic."""
        self._numbered = 0
        self.base = base
        self.runs = {run.name: run for run in runs}
        self.corpus = corpus
        self.notes = notes
        self._converters: dict[object, UnitConverter] = {}
        self.notes_of_rankings: Notes | None = None
        """Where problems of results go that come up in :meth:`topic`; None for ``notes``."""
        self._beside = beside or {}

    def with_documents(self, topics: Iterable[str]) -> Iterator[str]:
        """Yield topics, after the documents of several of them were parsed together."""
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

    def _judged_files(self, topic: str) -> dict[str, None]:
        base = self.base
        return dict.fromkeys([*base.files(topic), *base.spans(topic), *base.passages(topic)])

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
        assessed = {file: self._assessed_rows(topic, file, tree) for file, tree in trees.items()}
        highlighted: dict[str, list[tuple[int, int]]] = {}
        stated: dict[str, list[Span]] = {}
        for file, spans in self._spans(topic, trees).items():
            highlighted[file] = [(span.start, span.end) for span in spans]
            if file not in assessed_paths:
                from xcg.judgements.highlights import assess_spans

                assessed[file] = assess_spans(trees[file], spans)
                stated[file] = spans
        rankings = {}
        passages = {}
        for name, run in answers.items():
            passages[name] = exact = dict[int, tuple[int, int]]()
            rankings[name] = self._rows(run, topic, trees, exact)
        if not self._check_later:
            self.check_results()
        sources = {name: f"{run.source}, topic {topic}" for name, run in answers.items()}
        return TopicView(topic, trees, assessed, rankings, passages, highlighted, stated, sources)

    def _assessed_rows(self, topic: str, file: str, tree: ElementTree) -> dict[int, Assessment]:
        """Return row → assessment of a document."""
        elements = self.base.files(topic).get(file, {})
        rows: dict[int, Assessment] = {}
        for path, assessment in elements.items():
            try:
                row = 0 if path == WHOLE else tree.row(path)
            except UnknownPathError as error:
                unmapped = UnmappedError(self._where(topic, file), str(error))
                self.notes.tolerate("assessments of unknown paths", unmapped)
                continue
            if row not in rows:
                rows[row] = assessment
            elif rows[row] != assessment:
                message = f"{path} and the whole document are one element with two assessments"
                self.notes.problem("contradicting assessments", self._where(topic, file), message)
        return rows

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
                    unmapped = UnmappedError(where, str(error))
                    self.notes.tolerate("passages that do not fit their document", unmapped)
        return found

    def _trees_of_corpus(self, topic: str, corpus: Corpus) -> dict[str, ElementTree]:
        trees = {}
        files = self._judged_files(topic)
        corpus.prepare(file for file in files if file in corpus)
        for file in files:
            if file in corpus:
                trees[file] = corpus.tree(file)
                continue
            where = f"{self.base.sources.get(topic, 'assessments')}, topic {topic}"
            unmapped = UnmappedError(where, _lacks(corpus, file))
            self.notes.tolerate("assessed documents that the corpus lacks", unmapped)
        return trees

    def _trees_of_paths(self, topic: str, runs: Iterable[Run]) -> dict[str, ElementTree]:
        assessed = self.base.files(topic)
        paths = {file: set(elements) for file, elements in assessed.items()}
        for found in paths.values():
            found.discard(WHOLE)
        roots = {file: next(iter(found)).split("/", 2)[1] for file, found in paths.items() if found}
        retrieved = retrieved_paths(runs, topic, roots)
        beside = self._beside.get(topic, {})
        for file, root in roots.items():
            for path in retrieved[file] | beside.get(file, set()):
                # A result under another root is none of this document; it is told as unknown later.
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
        ranking = view.ranking(run)
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

    def converter(self, model: UserModel, unit: TextUnit, file: str) -> UnitConverter:
        """Return how the text of a document is measured in a unit.

        Raises XcgError where there is no corpus, or the user model's tokenizer fails.
        """
        if unit == "characters":
            return CharacterConverter()
        tokenizer = model.effort.tokenizer
        key = file, unit, unit == "tokens" and tokenizer.key
        if key not in self._converters:
            while len(self._converters) >= _KEPT_YARDSTICKS:
                del self._converters[next(iter(self._converters))]
            corpus = self._needed_corpus()
            try:
                self._converters[key] = UnitConverter.of(corpus.tree(file).text, unit, tokenizer)
            except XcgError as error:
                raise InputError(f"{corpus.label}, {file}", str(error)) from None
        return self._converters[key]

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
    ) -> RankedRows:
        """Return a run's ranking as rows, and put the characters of passages into ``exact``."""
        ranking = run.rankings[topic]
        files, paths, spans = ranking.files, ranking.paths, ranking.spans
        found: dict[int, int] = {}
        places: Iterable[int] = range(len(files))
        if self.corpus is None and not spans:
            # Most results lie in documents without assessed elements, and all that can be said of
            # these without the documents is that they gain nothing.
            places = _places_in(files, trees)
        number = self._numbered
        self._numbers.append((number, run.source, topic))
        self._numbered += len(files)
        unchecked = self._unchecked
        for place in places:
            file, path = files[place], paths[place]
            tree = trees.get(file)
            if tree is not None:
                row = tree.find(path)
                if row is not None:
                    found[place] = row
                    continue
            elif file in unchecked and path and path != WHOLE:  # most results of most runs
                elsewhere = unchecked[file]
                if path in elsewhere.first:
                    elsewhere.again[path] = elsewhere.again.get(path, 0) + 1
                else:
                    elsewhere.first[path] = number + place
                continue
            try:
                row = self._unusual_row(ranking, place, tree, exact, number + place)
            except UnknownPathError as error:
                where = f"{run.source}, topic {topic}, rank {place + 1}, {file}"
                notes = self.notes_of_rankings or self.notes
                kind = InputError if place in spans and self.corpus is None else UnmappedError
                notes.tolerate("results with unknown paths", kind(where, str(error)))
                continue
            if row is not None and tree is not None:
                found[place] = row
        return RankedRows(files, found)

    def _unusual_row(
        self,
        ranking: Ranking,
        place: int,
        tree: ElementTree | None,
        exact: dict[int, tuple[int, int]],
        number: int,
    ) -> int | None:
        """Return the row of a passage or a whole document, None for what can only be told to exist.

        number: of the result among all. Raises UnknownPathError for what does not exist.
        """
        file, path = ranking.files[place], ranking.paths[place]
        if place in ranking.spans:
            tree = tree if tree is not None and self.corpus else self._document(file, "passage")
            span = ranking.spans[place]
            characters = span.characters(tree) if isinstance(span, Passage) else span
            row = tree.smallest_element(*characters)
            exact[place] = characters
            return row
        if not path:
            return None  # told when it was read
        if path == WHOLE:
            if tree is None and self.corpus is not None:
                self._document(file, "document")
            return 0
        if tree is not None:
            return tree.row(path)
        if self.corpus is not None:
            self._check_file(file, self.corpus)
            # It gains nothing, but must exist.
            self._unchecked[file] = _Unchecked({path: number})
        return None

    def check_results(self, notes_of: Callable[[str], Notes] | None = None) -> None:
        """Look whether the results in documents without assessed elements exist, document by document.

        notes_of: returns where to the problems of a document go, by default the campaign's notes.
        Raises InputError for a result that does not exist; where the notes are lenient, counts it.
        """
        unchecked, self._unchecked = self._unchecked, {}
        numbers, self._numbers = self._numbers, []
        if self.corpus is None:
            return
        files = sorted(unchecked)
        found = self.corpus.missing_paths({file: unchecked[file].first for file in files})
        for file in files:
            try:
                _, missing = next(found)  # documents are read ahead, several at once
            except XcgError:
                if notes_of is not None:
                    self.notes = notes_of(file)
                raise
            if missing and notes_of is not None:
                self.notes = notes_of(file)
            for path in missing:
                try:
                    self.corpus.tree(file).row(path)
                except UnknownPathError as error:
                    number = unchecked[file].first[path]
                    first, source, topic = numbers[bisect_right(numbers, number, key=itemgetter(0)) - 1]
                    where = f"{source}, topic {topic}, rank {number - first + 1}, {file}"
                    for _ in range(1 + unchecked[file].again.get(path, 0)):
                        unmapped = UnmappedError(where, str(error))
                        self.notes.tolerate("results with unknown paths", unmapped)

    def _document(self, file: str, what: str) -> ElementTree:
        if self.corpus is None:
            raise UnknownPathError(f"a result that is a {what} needs its document; expected a corpus")
        self._check_file(file, self.corpus)
        return self.corpus.tree(file)

    @staticmethod
    def _check_file(file: str, corpus: Corpus) -> None:
        if file not in corpus:
            raise UnknownPathError(_lacks(corpus, file))


def _lacks(corpus: Corpus, file: str) -> str:
    """Say that a corpus lacks a document, and whether it has it without the ending of its file."""
    message = f"the corpus has no document {file!r}; "
    from xcg.documents.sources import document_name

    name = document_name(file)
    if name is not None and name in corpus:
        return f"{message}did you mean {name!r}? Documents lose the ending of their file"
    return f"{message}expected {corpus.label / file}.xml"
