"""Resolve the results of runs to elements and text of documents."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import compress, count

from xcg.documents.corpus import Corpus
from xcg.documents.files import position_of
from xcg.documents.passage_points import Passage
from xcg.documents.paths import WHOLE
from xcg.documents.tree import ElementTree, UnknownPathError
from xcg.errors import InputError, Notes, UnmappedError
from xcg.evaluation.unjudged import UnjudgedResults
from xcg.gains.judged_topic import ResolvedRanking
from xcg.runs.chunk_documents import missing_document
from xcg.runs.run import UNKNOWN_SPAN, FunctionCache, Ranking, Run


class MissingDocumentError(UnknownPathError):
    """The corpus lacks the document of a result."""


class ResultResolver:
    """Resolves the results of runs.

    Args:
        corpus: The documents. Without them, results are looked up in the trees of known paths.

    Attributes:
        unjudged: The results in documents without assessments, which are still to be checked.
    """

    def __init__(self, corpus: Corpus | None) -> None:
        self.corpus = corpus
        self.unjudged = UnjudgedResults()
        self._lengths = FunctionCache(self._length)
        self._of_other_corpora: dict[str, bool] = {}

    def resolve(
        self,
        run: Run,
        topic: str,
        trees: Mapping[str, ElementTree],
        notes: Notes,
        offsets_only: bool = False,
    ) -> ResolvedRanking:
        """Resolve a run's ranking for a topic.

        Args:
            run: The run.
            topic: The topic.
            trees: Document → tree, for the documents with assessed elements.
            notes: Takes problems if they are tolerated.
            offsets_only: Whether character offsets are enough, because there are no documents and
                elements are not used.

        Raises:
            InputError: If a result does not exist, unless the notes are lenient.
        """
        ranking = run.rankings[topic]
        files, paths, spans = ranking.files, ranking.paths, ranking.spans
        rows: dict[int, int] = {}
        passages: dict[int, tuple[int, int]] = {}
        source = run.where(topic)
        positions: Iterable[int] = range(len(files))
        if self.corpus is not None:
            positions = self.unjudged.add(run, topic, trees, self.corpus)
        elif not spans and not offsets_only:
            # Nothing is known of documents without assessed elements. Most results are in them.
            positions = compress(count(), map(trees.__contains__, files))
        for position in positions:
            file, path = files[position], paths[position]
            tree = trees.get(file)
            if tree is not None:
                row = tree.find(path)
                if row is not None:
                    rows[position] = row
                    continue
            try:
                if position in spans:
                    passages[position], row = self._passage(ranking, position, tree, offsets_only)
                else:
                    row = self._element(file, path, tree, offsets_only)
            except UnknownPathError as error:
                # Without documents the passage is not to blame.
                kind = InputError if position in spans and self.corpus is None else UnmappedError
                message, where = str(error), source
                if isinstance(error, MissingDocumentError):
                    message = self._missing(run, file, notes)
                    where = _where(run, topic, file, notes)
                where = f"{where}, rank {position + 1}, {file}"
                notes.tolerate("results with unknown paths", kind(where, message))
                continue
            if row is not None and tree is not None:
                rows[position] = row
        return ResolvedRanking(ranking, rows, passages, source, run.is_reference)

    def _passage(
        self, ranking: Ranking, position: int, tree: ElementTree | None, offsets_only: bool
    ) -> tuple[tuple[int, int], int | None]:
        """Return the characters of a passage, and the row of the smallest element around its text.

        The row is None in a document without assessed elements, because it is not used.
        """
        span = ranking.spans[position]
        if not isinstance(span, Passage):
            if offsets_only:
                return span, None
            if tree is None and 0 <= span[0] <= span[1] <= self._lengths[ranking.files[position]]:
                return span, None
        document = tree
        if document is None or self.corpus is None:
            document = self._document(ranking.files[position], "passage")
        characters = span.characters(document) if isinstance(span, Passage) else span
        if characters == UNKNOWN_SPAN:
            return characters, None
        start, end = characters
        if tree is None or start >= end:
            document.check_characters(start, end)
            return characters, None
        return characters, document.smallest_element(start, end)

    def _element(
        self, file: str, path: str, tree: ElementTree | None, offsets_only: bool
    ) -> int | None:
        """Return the row of an element; None in a document without assessed elements."""
        if not path:
            return None  # an illegal path was reported when the run was read
        if offsets_only:
            raise UnknownPathError(
                "the result is named by its path, so it needs its document; expected a corpus"
            )
        if path == WHOLE:
            if tree is None and self.corpus is not None:
                self._document(file, "document")
            return 0
        if tree is not None:
            return tree.row(path)
        if self.corpus is not None:
            check_document(file, self.corpus)
        return None

    def _missing(self, run: Run, file: str, notes: Notes) -> str:
        """Return the message for a result whose document the corpus lacks."""
        corpus = self.corpus
        assert corpus is not None
        if run.name not in self._of_other_corpora:
            files = {file for ranking in run.rankings.values() for file in ranking.files}
            self._of_other_corpora[run.name] = len(files) > 1 and not any(
                file in corpus for file in files
            )
        message = missing_document(file, corpus, is_lenient=notes.lenient)
        if self._of_other_corpora[run.name] and "did you mean" not in message:
            first = next(iter(corpus), None)
            return (
                f"the corpus has no document {file!r} nor any other of this run; expected a run for "
                f"{corpus.label}" + ("" if first is None else f", with documents such as {first!r}")
            )
        return message

    def _length(self, file: str) -> int:
        tree = self._document(file, "passage")
        return int(tree.characters[0]) if len(tree) else 0

    def _document(self, file: str, kind: str) -> ElementTree:
        if self.corpus is None:
            raise UnknownPathError(f"a result that is a {kind} needs its document; expected a corpus")
        check_document(file, self.corpus)
        return self.corpus.tree(file)


def _where(run: Run, topic: str, file: str, notes: Notes) -> str:
    """Return where a run names a document for a topic; with the line unless notes are lenient."""
    where = run.where(topic)
    if notes.lenient:
        return where
    return position_of(run.source, topic, file) + where.removeprefix(run.source)


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


def check_document(file: str, corpus: Corpus) -> None:
    """Raise UnknownPathError if the corpus has no such document."""
    if file not in corpus:
        raise MissingDocumentError(missing_document(file, corpus))
