"""The corpus: documents by name, read and parsed on demand."""

from __future__ import annotations

import os
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, cast

from xcg.documents.cache import (
    ALL_PATHS,
    SOME_PATHS,
    TREE,
    DocumentCache,
    absent_paths_of,
    digest,
    open_cache,
)
from xcg.documents.parsing import Hashes, absent_paths, path_hashes, serialise, text_of, trees_of
from xcg.documents.paths import canonical_file
from xcg.documents.sources import Memory, Source, Stamp, open_source
from xcg.documents.tree import ElementTree
from xcg.errors import InputError
from xcg.lazy_modules import np

if TYPE_CHECKING:
    from concurrent.futures import Future

_Found: TypeAlias = "ElementTree | Hashes | list[str] | InputError | None"
_Look = Callable[[str, bytes, bytes], bytes | list[str] | None]
_MadeOf = Callable[[Sequence[str], Sequence[bytes]], "Sequence[ElementTree | Hashes]"]

_KEPT_ELEMENTS = 4_000_000
"""Maximum number of elements of the trees in memory: about 400 MB."""
_BATCH_DOCUMENTS = 32
"""Maximum number of documents that are parsed batch."""
_BATCH_BYTES = 1 << 22
"""A batch ends when it has this number of bytes."""
_MAX_WORKERS = 8


class _ReadDocument(NamedTuple):
    """The bytes of a document, or the error; ``began`` is when reading began, in nanoseconds."""

    name: str
    began: int
    data: bytes | InputError


class _ParsedDocument(NamedTuple):
    """The result of reading a document.

    Attributes:
        name: The document.
        began: When reading began, in nanoseconds.
        digest: Digest of its bytes if there is a cache.
        found: The tree, the hashes of all paths, the paths that it lacks, or the error; None if the
            cache has the result.
    """

    name: str
    began: int
    digest: bytes
    found: _Found


class _Location(NamedTuple):
    """A document's file for messages, looked up when there is a message."""

    source: Source
    name: str

    def __str__(self) -> str:
        return self.source.where(self.name)


def _absent(paths: Iterable[str], tree: ElementTree) -> list[str]:
    return [path for path in paths if path not in tree]


class Corpus:
    """Documents by name: the path of a file in a folder or archive, without ``.xml``.

    Documents are read when they are needed, and the most recently used trees stay in memory.
    :meth:`of` makes a corpus of documents in memory.

    Args:
        path: A folder, a ``.zip`` or a ``.tar`` or ``.tar.gz`` archive; files may be gzipped.
        cache: Whether to use the document cache on disk, see :mod:`xcg.documents.cache`.

    Raises:
        InputError: If the path is not a folder or an archive.

    >>> corpus = Corpus.of({"co/1": "<a><b>text</b></a>"})
    >>> corpus.tree("co/1").paths
    ['/a[1]', '/a[1]/b[1]']
    >>> "co/2" in corpus
    False
    """

    def __init__(self, path: str | os.PathLike[str], *, cache: bool = True) -> None:
        self._open(open_source(path), open_cache(os.path.abspath(path)) if cache else None)

    def _open(self, source: Source, cache: DocumentCache | None = None) -> None:
        self._source = source
        self._given: dict[str, ElementTree] = {}
        self._trees: OrderedDict[str, ElementTree] = OrderedDict()
        self._kept = 0
        self._names: dict[str, bool] = {}
        self._stamps: dict[str, Stamp | None] = {}
        self._cache = cache

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
        trees = {n: d for n, d in documents.items() if isinstance(d, ElementTree)}
        corpus._given = {canonical_file(name): tree for name, tree in trees.items()}
        return corpus

    def __reduce__(self) -> tuple[Any, ...]:
        """Support pickling: another process opens the corpus again and gets no trees."""
        if isinstance(self._source, Memory):
            return Corpus.of, ({**dict(self._source.documents.values()), **self._given},)
        return partial(Corpus, cache=self._cache is not None), (self.label,)

    @property
    def label(self) -> Path:
        """The corpus in messages."""
        return self._source.label

    def __contains__(self, name: str) -> bool:
        known = self._names.get(name)  # saves looking into the folder
        if known is None:
            known = name in self._given or self._stamp(name) is not None or name in self._source
            self._names[name] = known
        return known

    def __iter__(self) -> Iterator[str]:
        """Yield the names of all documents in alphabetical order."""
        yield from sorted([*self._given, *self._source.names()])

    def tree(self, name: str) -> ElementTree:
        """Return the tree of a document.

        Raises:
            InputError: If the corpus does not have the document, or it is not well-formed XML.
        """
        if name in self._given:
            return self._given[name]
        tree = self._trees.get(name)
        if tree is not None:
            self._trees.move_to_end(name)
            return tree
        [(_, read)] = self._read_trees([name])
        if isinstance(read, InputError):
            raise read
        return read

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
        wanted = [name for name in names if name not in self._given and name not in self._trees]
        for _ in self._read_trees(wanted):
            pass

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
        known = self._known_missing(asked)
        cache = self._cache

        def look(name: str, data: bytes, found: bytes) -> bytes | list[str] | None:
            if cache is not None and cache.has(ALL_PATHS, found):
                return None
            where = _Location(self._source, name)
            if cache is not None and cache.has(SOME_PATHS, found):
                # The second request for paths of a document stores all its paths.
                return serialise(data, where)
            return absent_paths(data, asked[name], where)

        cold = self._documents(
            [name for name in asked if name not in known], look, lambda _, octets: path_hashes(octets)
        )
        for name in asked:
            while name not in known:
                known.update(self._missing_of(next(cold), asked))
            missing = known.pop(name)
            if isinstance(missing, InputError):
                raise missing
            yield name, missing

    def write_cache(self) -> None:
        """Write new entries to the cache now instead of at the end of the program."""
        if self._cache is not None:
            self._cache.flush()

    def _known_missing(self, asked: Mapping[str, Collection[str]]) -> dict[str, list[str] | InputError]:
        known: dict[str, list[str] | InputError] = {}
        digests: dict[str, tuple[bytes, Collection[str]]] = {}
        for name, paths in asked.items():
            if name in self._given or name in self._trees:
                known[name] = _absent(paths, self.tree(name))
            elif (found := self._digest(name)) is not None:
                digests[name] = found, paths
        if self._cache is not None:
            known.update(self._cache.missing(digests))
        return known

    def _missing_of(
        self, documents: Sequence[_ParsedDocument], asked: Mapping[str, Collection[str]]
    ) -> Iterator[tuple[str, list[str] | InputError]]:
        """Yield the paths that newly read documents lack, and add their paths to the cache."""
        cache = self._cache
        kept: dict[str, tuple[bytes, Collection[str]]] = {}
        for name, _, digest_, found in documents:
            if isinstance(found, InputError):
                yield name, found
            elif found is None:
                kept[name] = digest_, asked[name]
            elif isinstance(found, list):
                there = set(asked[name]).difference(found)
                if cache is not None and there:
                    cache.add_paths(SOME_PATHS, digest_, np.sort(cache.hashed(there)))
                yield name, found
            else:
                hashes = cast("Hashes", found)
                assert cache is not None
                cache.add_paths(ALL_PATHS, digest_, hashes)
                yield name, absent_paths_of(hashes, cache.hashed(asked[name]), asked[name])
        if cache is not None and kept:
            known = cache.missing(kept)
            for name in kept:
                if name not in known:  # the cache is damaged
                    known[name] = _absent(asked[name], self.tree(name))
            yield from known.items()

    def _read_trees(self, names: Sequence[str]) -> Iterator[tuple[str, ElementTree | InputError]]:
        """Yield the tree or the error of every document, and keep the trees in memory."""
        cold = []
        for name in names:
            tree = self._kept_tree(name, self._digest(name))
            if tree is None:
                cold.append(name)
            else:
                yield name, self._keep(name, tree)
        cache = self._cache

        def look(name: str, data: bytes, found: bytes) -> bytes | None:
            known = cache is not None and cache.has(TREE, found)
            return None if known else serialise(data, _Location(self._source, name))

        def made_of(names: Sequence[str], octets: Sequence[bytes]) -> list[ElementTree]:
            return trees_of(octets, [self._read_text(name) for name in names])

        for documents in self._documents(cold, look, made_of):
            for name, _, digest_, found in documents:
                if isinstance(found, InputError):
                    yield name, found
                    continue
                if found is None:
                    tree = self._kept_tree(name, digest_)
                    if tree is None:  # the cache is damaged
                        octets = serialise(self._source.read(name), _Location(self._source, name))
                        [tree] = made_of([name], [octets])
                else:
                    tree = cast(ElementTree, found)
                    if cache is not None:
                        cache.add_tree(digest_, tree)
                yield name, self._keep(name, tree)

    def _kept_tree(self, name: str, digest: bytes | None) -> ElementTree | None:
        if self._cache is None or digest is None:
            return None
        return self._cache.tree(digest, self._read_text(name))

    def _read_text(self, name: str) -> Callable[[], str]:
        source = self._source
        return lambda: text_of(source.read(name), source.where(name))

    def _keep(self, name: str, tree: ElementTree) -> ElementTree:
        self._trees[name] = tree
        self._kept += len(tree)
        while self._kept > _KEPT_ELEMENTS and len(self._trees) > 1:
            _, oldest = self._trees.popitem(last=False)
            self._kept -= len(oldest)
        return tree

    def _stamp(self, name: str) -> Stamp | None:
        if name not in self._stamps:
            self._stamps[name] = self._source.stamp(name)
        return self._stamps[name]

    def _digest(self, name: str) -> bytes | None:
        """Return the digest of a document if the cache knows it without reading the document."""
        if self._cache is None:
            return None
        stamp = self._stamp(name)
        return self._cache.digest(name, stamp) if stamp is not None else None

    def _documents(
        self, names: Sequence[str], look: _Look, made_of: _MadeOf
    ) -> Iterator[list[_ParsedDocument]]:
        """Read and parse documents in batches with several threads.

        Args:
            names: The documents.
            look: Takes the name, bytes and digest of a document and returns the result, or the
                document as serialised by :func:`serialise`.
            made_of: Takes the names and serialised forms of a batch of documents and returns their
                results.
        """

        def looked_at(read: Sequence[_ReadDocument]) -> list[_ParsedDocument]:
            return self._looked_at(read, look, made_of)

        if len(names) <= _BATCH_DOCUMENTS:
            yield from map(self._noted, map(looked_at, self._read(names)))
            return

        from concurrent.futures import ThreadPoolExecutor

        workers = min(_MAX_WORKERS, os.cpu_count() or 1)
        pool = ThreadPoolExecutor(workers)
        try:
            running: deque[Future[list[_ParsedDocument]]] = deque()
            for read in self._read(names):
                running.append(pool.submit(looked_at, read))
                if len(running) == 2 * workers:  # bounds the documents in memory
                    yield self._noted(running.popleft().result())
            for future in running:
                yield self._noted(future.result())
        finally:
            # If the caller stops early, the garbage collector may run this in one of the threads, which
            # cannot wait for itself.
            pool.shutdown(wait=False, cancel_futures=True)

    def _read(self, names: Sequence[str]) -> Iterator[list[_ReadDocument]]:
        """Yield batches of documents; reading by several threads would not be faster."""
        batch: list[_ReadDocument] = []
        size = 0
        for name in names:
            began = time.time_ns()
            try:
                data = self._source.read(name)
                batch.append(_ReadDocument(name, began, data))
                size += len(data)
            except InputError as error:
                batch.append(_ReadDocument(name, began, error))
            if len(batch) == _BATCH_DOCUMENTS or size > _BATCH_BYTES:
                yield batch
                batch, size = [], 0
        if batch:
            yield batch

    def _looked_at(
        self, read: Sequence[_ReadDocument], look: _Look, made_of: _MadeOf
    ) -> list[_ParsedDocument]:
        documents: list[_ParsedDocument] = []
        serialised: dict[int, bytes] = {}
        for index, (name, began, data) in enumerate(read):
            digest_ = b""
            found: _Found = None
            if isinstance(data, InputError):
                found = data
            else:
                if self._cache is not None:
                    digest_ = digest(data)
                try:
                    looked = look(name, data, digest_)
                    if isinstance(looked, bytes):
                        serialised[index] = looked
                    else:
                        found = looked
                except InputError as error:
                    found = error
            documents.append(_ParsedDocument(name, began, digest_, found))
        made = made_of([read[index].name for index in serialised], list(serialised.values()))
        for index, found in zip(serialised, made, strict=True):
            documents[index] = documents[index]._replace(found=found)
        return documents

    def _noted(self, documents: list[_ParsedDocument]) -> list[_ParsedDocument]:
        """Add the digests of documents to the cache."""
        if self._cache is not None:
            for document in documents:
                stamp = self._stamp(document.name)
                if stamp is not None and not isinstance(document.found, InputError):
                    self._cache.add_file(document.name, stamp, document.digest, document.began)
        return documents
