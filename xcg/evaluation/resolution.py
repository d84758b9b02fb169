"""Open the documents of an evaluation, each once, and resolve results to their elements and text."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any

from xcg.documents.corpus import Corpus
from xcg.documents.passage_points import Passage
from xcg.documents.paths import WHOLE
from xcg.documents.tree import ElementTree, UnknownPathError
from xcg.errors import InputError, Notes, UnmappedError
from xcg.gains.judged_topic import MISSING, ResolvedRanking
from xcg.lazy_modules import np
from xcg.runs.chunk_documents import missing_document
from xcg.runs.columns import NameColumn
from xcg.runs.run import UNKNOWN_SPAN, AnySpan, Ranking, Run, Runs

if TYPE_CHECKING:
    import numpy.typing as npt
from contextlib import contextmanager
from pathlib import Path

from xcg.evaluation.parallel import ONE_PROCESS, Executor
from xcg.judgements.recall_base import RecallBase

PATH_BITS = 32
PATH_MASK = (1 << PATH_BITS) - 1


def element_codes(rankings: Sequence[Ranking]) -> npt.NDArray[np.int64]:
    """Return the number of the document of each result and, in the last 32 bits, that of its path."""
    columns = ((one.files, one.paths) for one in rankings)
    files, paths = (
        np.concatenate([np.frombuffer(c.numbers, np.int32) for c in found if isinstance(c, NameColumn)])
        for found in zip(*columns, strict=True)
    )
    assert len(files) == len(paths) == sum(map(len, rankings)), "rankings outside of Runs"
    codes: npt.NDArray[np.int64] = (files.astype(np.int64) << PATH_BITS) | paths
    return codes


def different(codes: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return the different codes in ascending order; sorting is faster than numpy's hashing."""
    ordered = np.sort(codes)
    return ordered[np.flatnonzero(np.diff(ordered, prepend=-1))]


@dataclass(eq=False)
class ResultResolver:
    """Resolves the results of runs, topic by topic.

    Args:
        runs: The runs.
        corpus: The documents. Without them, results are looked up in the trees of known paths.

    Attributes:
        lacking: Document without assessments → the paths of results that it does not have.
    """

    runs: Runs
    corpus: Corpus | None
    lacking: Mapping[str, Set[str]] = field(default_factory=dict)
    _lengths: dict[str, int] = field(default_factory=dict, init=False)

    def resolve(
        self, topic: str, trees: Mapping[str, ElementTree], notes: Notes, offsets_only: bool = False
    ) -> dict[str, ResolvedRanking]:
        """Resolve the rankings of a topic.

        Args:
            topic: The topic.
            trees: Document → tree, for the documents with assessed elements.
            notes: Takes problems if they are tolerated.
            offsets_only: Whether character offsets are enough, because there are no documents and
                elements are not used.

        Returns:
            Name of a run → its ranking, for the runs with results.

        Raises:
            InputError: If a result does not exist, unless the notes are lenient.
        """
        answering = [run for run in self.runs if len(run.rankings.get(topic, ()))]
        rankings = [run.rankings[topic] for run in answering]
        bounds = list(accumulate(map(len, rankings), initial=0))
        needs_rows = bool(rankings) and (self.corpus is not None or bool(trees))
        if needs_rows:
            rows, is_unclear = self._rows(element_codes(rankings), trees)
        found = {}
        row: Any
        unclear: Sequence[int]
        for run, ranking, (start, end) in zip(answering, rankings, pairwise(bounds), strict=True):
            if needs_rows:
                row, unclear = rows[start:end], np.flatnonzero(is_unclear[start:end]).tolist()
            else:  # without numpy, which takes long to import
                row = array("i", [MISSING]) * len(ranking)
                unclear = range(len(ranking)) if offsets_only else ()
            positions = unclear if offsets_only else sorted({*unclear, *ranking.spans})
            passages: dict[int, tuple[int, int]] = {}
            if positions:
                passages = self._check(run, topic, ranking, positions, trees, row, notes, offsets_only)
            where = run.where(topic)
            found[run.name] = ResolvedRanking(ranking, row, passages, where, run.is_reference)
        return found

    def _rows(
        self, codes: npt.NDArray[np.int64], trees: Mapping[str, ElementTree]
    ) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.bool_]]:
        """Return the row of each result, and whether it may not exist.

        Different results are looked up once: runs share most of them.
        """
        documents, paths = self.runs.documents, self.runs.paths.texts
        row = np.full(len(codes), MISSING, np.int32)
        unclear = np.zeros(len(codes), np.bool_)
        files = codes >> PATH_BITS
        is_judged = np.zeros(len(documents), np.bool_)
        is_judged[[documents[file] for file in trees if file in documents]] = True
        judged = np.flatnonzero(is_judged[files])
        known = different(codes[judged])
        positions = np.searchsorted(known, codes[judged])
        found = (
            trees[documents.texts[code >> PATH_BITS]].find(paths[code & PATH_MASK])
            for code in known.tolist()
        )
        rows = np.array([MISSING if row is None else row for row in found], np.int32)
        if len(judged):
            row[judged] = rows[positions]
            unclear[judged] = (rows == MISSING)[positions]
        if self.corpus is not None:
            is_missing = np.zeros(len(documents), np.bool_)
            retrieved = np.bincount(files, minlength=len(documents)) > 0
            for number in np.flatnonzero(retrieved & ~is_judged).tolist():
                is_missing[number] = documents.texts[number] not in self.corpus
            unclear |= is_missing[files]
            lacking = [
                documents[file] << PATH_BITS | self.runs.paths[path]
                for file, of_file in self.lacking.items()
                if file in documents and not is_judged[documents[file]]
                for path in of_file
            ]
            if lacking:
                unclear |= np.isin(codes, lacking)
        return row, unclear

    def _check(
        self,
        run: Run,
        topic: str,
        ranking: Ranking,
        positions: Sequence[int],
        trees: Mapping[str, ElementTree],
        row: npt.NDArray[np.int32] | array[int],
        notes: Notes,
        offsets_only: bool,
    ) -> dict[int, tuple[int, int]]:
        """Return the characters of passages, add their rows, and report results that do not exist."""
        passages: dict[int, tuple[int, int]] = {}
        if offsets_only:
            passages = {p: s for p, s in ranking.spans.items() if not isinstance(s, Passage)}
            positions = [position for position in positions if position not in passages]
        results = list(ranking) if positions else []
        for position in positions:
            file, path = results[position]
            tree = trees.get(file)
            is_passage = position in ranking.spans
            try:
                if is_passage:
                    passages[position], found = self._passage(
                        file, ranking.spans[position], tree, notes
                    )
                    if found is not None and tree is not None:
                        row[position] = found
                else:
                    self._check_element(file, path, tree, notes, offsets_only)
            except UnknownPathError as error:
                # Without documents the passage is not to blame.
                kind = InputError if is_passage and self.corpus is None else UnmappedError
                where = f"{run.where(topic)}, rank {position + 1}, {file}"
                notes.tolerate("results with unknown paths", kind(where, str(error)))
        return passages

    def _passage(
        self, file: str, span: AnySpan, tree: ElementTree | None, notes: Notes
    ) -> tuple[tuple[int, int], int | None]:
        """Return the characters of a passage, and the row of the smallest element around its text.

        The row is None in a document without assessed elements, because it is not used.
        """
        if (
            tree is None
            and not isinstance(span, Passage)
            and 0 <= span[0] <= span[1] <= self._lengths.get(file, -1)
        ):
            return span, None
        if self.corpus is None:
            raise UnknownPathError("a result that is a passage needs its document; expected a corpus")
        document = self._document(file, notes) if tree is None else tree
        self._lengths[file] = int(document.characters[0]) if len(document) else 0
        characters = span.characters(document) if isinstance(span, Passage) else span
        if characters == UNKNOWN_SPAN:
            return characters, None
        start, end = characters
        if tree is None or start >= end:
            document.check_characters(start, end)
            return characters, None
        return characters, document.smallest_element(start, end)

    def _check_element(
        self, file: str, path: str, tree: ElementTree | None, notes: Notes, offsets_only: bool
    ) -> None:
        """Raise UnknownPathError for an element that does not exist."""
        if not path:
            return  # an illegal path was reported when the run was read
        if offsets_only:
            raise UnknownPathError(
                "the result is named by its path, so it needs its document; expected a corpus"
            )
        if tree is None and self.corpus is not None and (path != WHOLE or file not in self.corpus):
            tree = self._document(file, notes)
        if tree is not None:
            tree.row(path)

    def _document(self, file: str, notes: Notes) -> ElementTree:
        assert self.corpus is not None
        if file not in self.corpus:
            raise UnknownPathError(missing_document(file, self.corpus, is_lenient=notes.lenient))
        return self.corpus.tree(file)


TASKS_PER_WORKER = 6
"""Documents and topics have different sizes, so each worker gets several parts of them."""


def judged_files(base: RecallBase, topic: str) -> dict[str, None]:
    """Return the documents with assessments for a topic."""
    return dict.fromkeys([*base.files[topic], *base.spans[topic], *base.passages[topic]])


def lacking_paths(
    runs: Runs,
    base: RecallBase,
    corpus: Corpus | None,
    topics: Sequence[str],
    executor: Executor = ONE_PROCESS,
) -> dict[str, set[str]]:
    """Return document → the paths of results that it does not have, where it has no assessments.

    Each document is opened once, whatever the number of workers. Documents that are assessed for any
    topic, or whose text the results are, are parsed into the cache; of all others only the paths are
    looked up.

    Raises:
        InputError: If a document cannot be read; the first in the order of names.
    """
    if corpus is None:
        return {}
    documents, paths = runs.documents.texts, runs.paths.texts
    codes = [np.empty(0, np.int64)]
    needing: dict[str, None] = {}  # documents with assessments or passages
    for topic in topics:
        judged = judged_files(base, topic)
        needing |= dict.fromkeys(judged)
        rankings = [run.rankings[topic] for run in runs if len(run.rankings.get(topic, ()))]
        if rankings:
            found = different(element_codes(rankings))
            numbers = [runs.documents[file] for file in judged if file in runs.documents]
            codes.append(found[~np.isin(found >> PATH_BITS, numbers)])
        for ranking in rankings:
            needing |= dict.fromkeys(ranking.files[position] for position in ranking.spans)
    asked: dict[str, list[str]] = {}
    for code in different(np.concatenate(codes)).tolist():
        if (path := paths[code & PATH_MASK]) not in ("", WHOLE):
            asked.setdefault(documents[code >> PATH_BITS], []).append(path)
    asked = {file: asked[file] for file in asked if file in corpus}
    # One process parses the others topic by topic, and keeps their trees in memory.
    is_here = executor.is_this_process
    parsed = {file for file in needing if file in corpus and (file in asked or not is_here)}
    names = sorted({*parsed, *asked})
    count = 1 if is_here else TASKS_PER_WORKER * executor.count_workers()
    tasks = [
        ([f for f in part if f in parsed], {f: asked[f] for f in part if f in asked})
        for start, end in pairwise(len(names) * number // count for number in range(count + 1))
        if (part := names[start:end])
    ]
    lacking: dict[str, set[str]] = {}
    for of_part in executor.run(_open, tasks, common=[corpus]):
        lacking |= of_part
    return lacking


def _open(
    corpus: Corpus, parsed: Sequence[str], asked: Mapping[str, Sequence[str]]
) -> dict[str, set[str]]:
    for _ in corpus.prepared(parsed):
        pass  # errors are raised where a tree is needed
    found = {file: set(missing) for file, missing in corpus.missing_paths(asked) if missing}
    corpus.write_cache()
    return found


@contextmanager
def shared_cache(corpus: Corpus | None, executor: Executor) -> Iterator[Corpus | None]:
    """Provide a corpus that the workers of this machine parse once: its cache, or a temporary one.

    The machines of a cluster have their own caches, and documents in memory have none.
    """
    if corpus is None or not corpus.is_on_disk or executor.scheduler is not None:
        yield corpus
    elif corpus.cache_folder is not None:
        corpus.write_cache()
        shared = Corpus(corpus.path, cache=corpus.cache_folder)
        shared.source = corpus.source  # it has listed its folders
        yield shared
    else:
        import tempfile

        # Workers that are kept may have the file open, which some systems do not delete.
        with tempfile.TemporaryDirectory(prefix="xcg-", ignore_cleanup_errors=True) as folder:
            yield Corpus(corpus.path, cache=Path(folder))
