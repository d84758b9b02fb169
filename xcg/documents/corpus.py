"""The corpus: documents by name, read and parsed on demand."""

from __future__ import annotations

import os
from collections import OrderedDict, deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextvars import copy_context
from functools import lru_cache, partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, cast

from xcg.documents.archives import open_source
from xcg.documents.cache import ALL_PATHS, SOME_PATHS, TREE, DocumentCache, digest, open_cache
from xcg.documents.parsing import absent_paths, path_hashes, text_breaks, text_of, trees_of
from xcg.documents.paths import canonical_file
from xcg.documents.serialising import Serialised, serialise
from xcg.documents.similar_names import SimilarNames
from xcg.documents.sources import Location, Memory, Source
from xcg.documents.tree import ElementTree
from xcg.errors import InputError, Notes, without_traceback

if TYPE_CHECKING:
    from concurrent.futures import Future

T = TypeVar("T", ElementTree, list[str])
_Batch: TypeAlias = Mapping[str, Serialised]
_Look: TypeAlias = Callable[[str, bytes, bytes], T | Serialised]
_Make: TypeAlias = Callable[[_Batch, Mapping[str, bytes]], Sequence[T]]

_KEPT_ELEMENTS = 2_000_000  # of the trees in memory: 150 to 400 MB
_BATCH_DOCUMENTS = 32
"""Maximum number of documents that are parsed at once."""
_BATCH_BYTES = 1 << 22  # a batch ends
_SMALL_DOCUMENT = 1 << 15  # bytes; threads that parse smaller ones wait for each other most of the time
_BYTES_IN_MEMORY = 1 << 28
"""Maximum size of all documents that threads parse at the same time; a single one may be larger."""
_MAX_WORKERS = 8
_PARSED_AHEAD = 256
_CHECKED_AT_ONCE = 4096
"""Number of documents whose paths are in memory at the same time."""
_KEPT_NAMES = 100_000  # whose existence and stamps stay in memory


class Corpus:
    """Documents by name: the path of a file in a folder or archive, without ``.xml``.

    Documents are read when they are needed, and the most recently used trees stay in memory.
    :meth:`of` makes a corpus of documents in memory.

    Args:
        path: A folder (its links are followed only in a ``LinkedFolder``), or a ``.zip``, ``.tar`` or
            ``.tar.gz`` archive; files may be gzipped.
        cache: Whether to use the document cache on disk, see :mod:`xcg.documents.cache`; or its folder.

    Raises:
        InputError: If the path is not a folder or an archive.

    >>> corpus = Corpus.of({"co/1": "<a><b>text</b></a>"})
    >>> corpus.tree("co/1").paths
    ['/a[1]', '/a[1]/b[1]']
    >>> "co/2" in corpus
    False
    """

    def __init__(self, path: str | os.PathLike[str], *, cache: bool | Path = True) -> None:
        folder = cache if isinstance(cache, Path) else None
        self.path = path
        self._open(open_source(path), open_cache(os.path.abspath(path), folder) if cache else None)
        self._cache_setting = cache

    def _open(self, source: Source, cache: DocumentCache | None = None) -> None:
        self.source = source
        self.label = source.label  # in messages
        self._given: dict[str, ElementTree] = {}
        self._trees: OrderedDict[str, ElementTree] = OrderedDict()
        self._unreadable: dict[str, InputError] = {}  # read once, not for each result
        self._kept = 0
        self._names: dict[str, bool] = {}
        self._stamp = lru_cache(_KEPT_NAMES)(source.stamp)
        self._cache = cache
        self.similar_names = SimilarNames()

    @classmethod
    def of(cls, documents: Mapping[str, bytes | str | ElementTree]) -> Corpus:
        r"""Return a corpus of documents in memory.

        Args:
            documents: Name → bytes, text or tree. The ending of a name (``.md``, ``.txt``, ``.html``,
                …) states its format and is removed. Other documents are XML if their first character
                other than white space is ``<``, otherwise plain text.

        >>> Corpus.of({"bees": "Bees dance.\n\nThey waggle."}).tree("bees").paths
        ['/article[1]', '/article[1]/p[1]', '/article[1]/p[2]']
        """
        corpus = cls.__new__(cls)
        corpus._open(Memory({n: d for n, d in documents.items() if not isinstance(d, ElementTree)}))
        for given, document in documents.items():
            if isinstance(document, ElementTree):
                name = corpus._canonical(given)
                if name in corpus._given or name in corpus.source:
                    raise InputError(corpus.label, f"contains the document {name!r} twice")
                corpus._given[name] = document
        return corpus

    def __reduce__(self) -> tuple[Any, ...]:
        """Support pickling: another process opens the corpus again and gets no trees."""
        if isinstance(self.source, Memory):
            return Corpus.of, ({**self.source.documents, **self._given},)
        return partial(Corpus, cache=self._cache_setting if self._cache else False), (self.path,)

    @property
    def cache_folder(self) -> Path | None:
        """The folder of the document cache; None without a cache that can be used."""
        return self._cache.folder if self._cache is not None and self._cache.is_usable else None

    @property
    def is_on_disk(self) -> bool:
        """Whether the documents are in a folder or an archive."""
        return not isinstance(self.source, Memory)

    def __contains__(self, name: str) -> bool:
        known = self._names.get(name)  # saves looking into the folder
        if known is None:
            try:
                found = canonical_file(name)
            except ValueError:
                return False
            known = found in self._given or found in self.source
            if len(self._names) == _KEPT_NAMES:
                self._names.clear()
            self._names[name] = known
        return known

    def __iter__(self) -> Iterator[str]:
        """Yield the names of all documents in alphabetical order."""
        yield from sorted([*self._given, *self.source.names()])

    def tree(self, name: str) -> ElementTree:
        """Return the tree of a document; its name may have another spelling, such as ``./d.xml``.

        Raises:
            InputError: If the corpus does not have the document, or it is not well-formed XML.
        """
        tree = self._trees.get(name)  # most names are canonical
        if tree is not None:
            self._trees.move_to_end(name)
            return tree
        canonical = self._canonical(name)
        if canonical != name:
            return self.tree(canonical)
        if name in self._given:
            return self._given[name]
        if name in self._unreadable:
            raise without_traceback(self._unreadable[name])
        [read] = self._read_trees([name])
        if isinstance(read, InputError):
            raise read
        return read

    def _canonical(self, name: str) -> str:
        try:
            return canonical_file(name)
        except ValueError as error:
            raise InputError(self.label, str(error)) from None

    def where(self, name: str) -> str:
        """Return the file of a document, whose ending states its format; its name if it has no file.

        >>> Corpus.of({"bees.md": "# Bees"}).where("bees")
        'bees.md'
        """
        return self.source.where(self._canonical(name))

    def length(self, name: str) -> int:
        """Return the number of characters of a document's text.

        Raises:
            InputError: If there is no such document, or it cannot be read.
        """
        return int(self.tree(name).characters[0])

    def prepare(self, names: Iterable[str]) -> None:
        """Parse documents that are needed next in batches.

        Errors in a document are raised by :meth:`tree`.
        """
        known = (self._given, self._trees, self._unreadable)
        wanted = [name for name in names if not any(name in documents for documents in known)]
        for _ in self._read_trees(wanted):
            pass

    def prepared(self, names: Sequence[str]) -> Iterator[str]:
        """Yield names after preparing their documents, several at once; also those of missing ones.

        >>> list(Corpus.of({"d": "<a/>"}).prepared(["d", "e"]))
        ['d', 'e']
        """
        for first in range(0, len(names), _PARSED_AHEAD):
            batch = names[first : first + _PARSED_AHEAD]
            self.prepare(name for name in batch if name in self)
            yield from batch

    def missing_paths(self, asked: Mapping[str, Collection[str]]) -> Iterator[tuple[str, list[str]]]:
        """Yield every document with those of the given canonical paths that it lacks.

        This takes less time than parsing documents into trees.

        Args:
            asked: Document → canonical paths.

        Raises:
            InputError: As in :meth:`tree`, in the order of the documents.

        >>> list(Corpus.of({"d": "<a><b/></a>"}).missing_paths({"d": ["/a[1]/b[1]", "/a[1]/b[2]"]}))
        [('d', ['/a[1]/b[2]'])]
        """
        cache = self._cache

        def look(name: str, data: bytes, found: bytes) -> list[str] | Serialised:
            where = Location(self.source, name)
            if cache is None:
                return absent_paths(data, asked[name], where)
            if cache.has(ALL_PATHS, found):
                known = cache.missing({name: (found, asked[name])})
                if name in known:
                    return known[name]
            elif (absent := self._absent(name, found, asked[name])) is not None:
                return absent
            elif not cache.has(SOME_PATHS, found):
                missing = absent_paths(data, asked[name], where)
                cache.add_some_paths(found, set(asked[name]).difference(missing))
                return missing
            # The second request for paths of a document stores all its paths.
            return serialise(data, where)

        def make(documents: _Batch, digests: Mapping[str, bytes]) -> list[list[str]]:
            assert cache is not None
            all_hashes = path_hashes(list(documents.values()))
            return [
                cache.add_all_paths(digests[name], hashes, asked[name])
                for name, hashes in zip(documents, all_hashes, strict=True)
            ]

        names = iter(asked)
        while batch := {name: asked[name] for name in islice(names, _CHECKED_AT_ONCE)}:
            known = self._known_missing(batch)
            unknown = [name for name in batch if name not in known]
            read = self._documents(unknown, look, make)
            for name in batch:
                missing = known[name] if name in known else next(read)
                if isinstance(missing, InputError):
                    raise missing
                yield name, missing

    def is_tree_cached(self, name: str) -> bool:
        """Return whether the cache has the tree of a document whose file has not changed."""
        found = self._digest(name)
        return self._cache is not None and found is not None and self._cache.has(TREE, found)

    def write_cache(self) -> None:
        """Write new entries to the cache now instead of at the end of the program."""
        if self._cache is not None:
            self._cache.flush()

    def _known_missing(self, asked: Mapping[str, Collection[str]]) -> dict[str, list[str]]:
        """Return the paths that documents lack if this is known without reading the documents."""
        known = {}
        digests = {}
        for name, paths in asked.items():
            if name in self._given or name in self._trees:
                tree = self.tree(name)
                known[name] = [path for path in paths if path not in tree]
            elif (found := self._digest(name)) is not None:
                digests[name] = found, paths
        if self._cache is not None:
            known |= self._cache.missing(digests)
        for name in digests.keys() - known.keys():
            if (missing := self._absent(name, *digests[name])) is not None:
                known[name] = missing
        return known

    def _absent(self, name: str, found: bytes, paths: Collection[str]) -> list[str] | None:
        """Return the paths that a document lacks, None if its tree is not in the cache."""
        tree = self._cached_tree(name, found)
        return None if tree is None else [path for path in paths if path not in tree]

    def _read_trees(self, names: Iterable[str]) -> Iterator[ElementTree | InputError]:
        """Yield the trees and errors of documents in any order, and keep the trees in memory."""
        cold = []
        for name in names:
            tree = self._cached_tree(name, self._digest(name))
            if tree is None:
                cold.append(name)
            else:
                yield self._keep(name, tree)

        def look(name: str, data: bytes, found: bytes) -> ElementTree | Serialised:
            tree = self._cached_tree(name, found)
            return serialise(data, Location(self.source, name)) if tree is None else tree

        def make(documents: _Batch, digests: Mapping[str, bytes]) -> list[ElementTree]:
            trees = trees_of(list(documents.values()), [self._read_text(name) for name in documents])
            if self._cache is not None:
                for name, tree in zip(documents, trees, strict=True):
                    self._cache.add_tree(digests[name], tree)
            return trees

        parsed = self._documents(cold, look, make)
        for name, read in zip(cold, parsed, strict=True):
            if isinstance(read, InputError):
                self._unreadable[name] = read
                yield read
            else:
                yield self._keep(name, read)

    def _cached_tree(self, name: str, found: bytes | None) -> ElementTree | None:
        if self._cache is None or found is None:
            return None
        return self._cache.tree(found, self._read_text(name))

    def _read_text(self, name: str) -> Callable[[], str]:
        source = self.source
        return lambda: text_of(source.read(name), source.where(name))

    def _keep(self, name: str, tree: ElementTree) -> ElementTree:
        source = self.source  # without a reference cycle
        tree.read_breaks = lambda: text_breaks(source.read(name), source.where(name))
        self._trees[name] = tree
        self._kept += len(tree)
        while self._kept > _KEPT_ELEMENTS and len(self._trees) > 1:
            _, oldest = self._trees.popitem(last=False)
            self._kept -= len(oldest)
        return tree

    def _digest(self, name: str) -> bytes | None:
        """Return the digest of a document if the cache knows it without reading the document."""
        if self._cache is None:
            return None
        stamp = self._stamp(name)
        return self._cache.digest(name, stamp) if stamp is not None else None

    def _documents(
        self, names: Sequence[str], look: _Look[T], make: _Make[T]
    ) -> Iterator[T | InputError]:
        """Read and parse documents in batches with several threads.

        Args:
            names: The documents.
            look: Takes the name, bytes and digest of a document and returns the result, or the
                document as serialised by :func:`serialise`.
            make: Takes name → serialised document and name → digest for a batch of documents, and
                returns their results.

        Yields:
            The result or the error of each document, in order.
        """
        results = partial(self._results, look=look, make=make)
        if len(names) <= _BATCH_DOCUMENTS:
            for batch in self._read(names):
                yield from results(batch)
            return

        from concurrent.futures import ThreadPoolExecutor

        workers = min(_MAX_WORKERS, os.cpu_count() or 1)
        pool = ThreadPoolExecutor(workers)
        try:
            running: deque[tuple[Future[Iterable[T | InputError]], int]] = deque()
            in_memory = 0
            for batch in self._read(names):
                size = sum(len(data) for data in batch.values() if isinstance(data, bytes))
                if size < _SMALL_DOCUMENT * len(batch) and not running:
                    yield from results(batch)
                    continue
                running.append((pool.submit(copy_context().run, results, batch), size))
                in_memory += size
                while len(running) == 2 * workers or (running and in_memory > _BYTES_IN_MEMORY):
                    future, size = running.popleft()
                    yield from future.result()
                    in_memory -= size
            for future, _ in running:
                yield from future.result()
        finally:
            # If the caller stops early, one of the threads may run this, and cannot wait for itself.
            pool.shutdown(wait=False, cancel_futures=True)

    def _read(self, names: Iterable[str]) -> Iterator[dict[str, bytes | InputError]]:
        """Yield batches of documents; reading by several threads would not be faster."""
        batch: dict[str, bytes | InputError] = {}
        size = 0
        for name in names:
            try:
                batch[name] = data = self.source.read(name)
                size += len(data)
            except InputError as error:
                batch[name] = without_traceback(error)
            if len(batch) == _BATCH_DOCUMENTS or size > _BATCH_BYTES:
                yield batch
                batch, size = {}, 0
        if batch:
            yield batch

    def _results(
        self, batch: Mapping[str, bytes | InputError], look: _Look[T], make: _Make[T]
    ) -> Iterable[T | InputError]:
        """Return the results of a batch of documents, see :meth:`_documents`."""
        results: dict[str, T | InputError | Serialised] = {}
        digests = {}
        for name, data in batch.items():
            try:
                if isinstance(data, InputError):
                    raise data
                digests[name] = self._add_digest(name, data)
                results[name] = look(name, data, digests[name])
            except InputError as error:
                results[name] = without_traceback(error)
        serialised = {name: found for name, found in results.items() if isinstance(found, Serialised)}
        if serialised:
            results.update(zip(serialised, make(serialised, digests), strict=True))
        return cast("Iterable[T | InputError]", results.values())

    def _add_digest(self, name: str, data: bytes) -> bytes:
        """Return the digest of a document and add it to the cache; an empty one without a cache."""
        if self._cache is None:
            return b""
        found = digest(data)
        if (stamp := self._stamp(name)) is not None:
            self._cache.add_file(name, stamp, found)
        return found


Documents = Corpus | str | os.PathLike[str] | Mapping[str, str | bytes | ElementTree] | None
"""A corpus; a folder or an archive; documents by name, see :meth:`Corpus.of`; or nothing."""


def corpus_of(documents: Documents, notes: Notes | None = None) -> Corpus | None:
    """Return the corpus that a user provides, None without documents; note files that are not read.

    Raises:
        InputError: If a path is not a folder or an archive.
    """
    if documents is None or isinstance(documents, Corpus):
        return documents
    corpus = Corpus.of(documents) if isinstance(documents, Mapping) else Corpus(documents)
    if notes is not None:
        corpus.source.note_oddities(notes)
    return corpus
