"""Documents as trees, read when they are asked for."""

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
"""How many elements of parsed documents a corpus keeps at most: some 400 MB of columns."""
_TOGETHER = 32
"""How many documents are looked at together,"""
_OCTETS_TOGETHER = 1 << 22
"""or fewer where they have so many octets."""
_MOST_WORKERS = 8


class _Read(NamedTuple):
    """A document's octets, or why there are none; began: when reading began, in nanoseconds."""

    name: str
    began: int
    octets: bytes | InputError


class _Document(NamedTuple):
    """What was found in a document that was read.

    digest: of its octets, where there is a cache. found: the tree, or the hashes of all paths, or the
    paths that were asked for and are not there, or what is wrong; None where the cache knows it.
    """

    name: str
    began: int
    digest: bytes
    found: _Found


class _Where(NamedTuple):
    """What messages call a document, looked up only where there is one."""

    source: Source
    name: str

    def __str__(self) -> str:
        return self.source.where(self.name)


def _absent(paths: Iterable[str], tree: ElementTree) -> list[str]:
    return [path for path in paths if path not in tree]


class Corpus:
    """Documents by name: the path of a file below the folder, or in the archive, without ``.xml``.

    path: a folder, a ``.zip`` or a ``.tar`` / ``.tar.gz``; files may be gzipped. A document is opened
    when it is first asked for, and the most recently used trees are kept.

    cache: keep what is found in the documents on disk, see :mod:`xcg.documents.cache`.

    ``Corpus.of({"a": b"<a/>"})`` makes one of documents in memory: bytes, strings or trees.

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

        A name with the ending of a file (``.md``, ``.txt``, ``.html``, …) says what the document is and
        loses the ending. Any other is XML where its first character that is no white space is ``<``,
        and plain text elsewhere.

        >>> Corpus.of({"bees": "Bees dance.\n\nThey waggle."}).tree("bees").paths
        ['/article[1]', '/article[1]/p[1]', '/article[1]/p[2]']
        """
        corpus = cls.__new__(cls)
        corpus._open(Memory({n: d for n, d in documents.items() if not isinstance(d, ElementTree)}))
        trees = {n: d for n, d in documents.items() if isinstance(d, ElementTree)}
        corpus._given = {canonical_file(name): tree for name, tree in trees.items()}
        return corpus

    def __reduce__(self) -> tuple[Any, ...]:
        """Be opened anew in another process, without the trees that were read."""
        if isinstance(self._source, Memory):
            return Corpus.of, ({**dict(self._source.documents.values()), **self._given},)
        return partial(Corpus, cache=self._cache is not None), (self.label,)

    @property
    def label(self) -> Path:
        """What messages call the corpus."""
        return self._source.label

    def __contains__(self, name: str) -> bool:
        known = self._names.get(name)  # asked again and again, and a folder has to look
        if known is None:
            known = name in self._given or self._stamp(name) is not None or name in self._source
            self._names[name] = known
        return known

    def __iter__(self) -> Iterator[str]:
        """Yield the names of all documents in order."""
        yield from sorted([*self._given, *self._source.names()])

    def tree(self, name: str) -> ElementTree:
        """Return a document's tree.

        Raises InputError where the corpus lacks the document or it is not well-formed XML.
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
        """Make the trees of documents that are asked for next, several at once.

        What is wrong with a document is told when its tree is asked for.
        """
        wanted = [name for name in names if name not in self._given and name not in self._trees]
        for _ in self._read_trees(wanted):
            pass

    def missing_paths(self, asked: Mapping[str, Collection[str]]) -> Iterator[tuple[str, list[str]]]:
        """Yield each document's name with those of some canonical paths that it does not have.

        Costs less than trees where these are not known yet. Raises InputError as :meth:`tree`, in the
        order of the documents.

        >>> list(Corpus.of({"d": "<a><b/></a>"}).missing_paths({"d": ["/a[1]/b[1]", "/a[1]/b[2]"]}))
        [('d', ['/a[1]/b[2]'])]
        """
        known = self._known_missing(asked)
        cache = self._cache

        def look(name: str, data: bytes, found: bytes) -> bytes | list[str] | None:
            if cache is not None and cache.has(ALL_PATHS, found):
                return None
            where = _Where(self._source, name)
            if cache is not None and cache.has(SOME_PATHS, found):
                # Who asks for other paths of a document comes again, so then all are taken.
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
        """Write what was found so far to the cache; else it is written when the program ends."""
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
        self, documents: Sequence[_Document], asked: Mapping[str, Collection[str]]
    ) -> Iterator[tuple[str, list[str] | InputError]]:
        """Yield what documents that were just read lack, and keep their paths."""
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
                if name not in known:  # the cache was damaged meanwhile
                    known[name] = _absent(asked[name], self.tree(name))
            yield from known.items()

    def _read_trees(self, names: Sequence[str]) -> Iterator[tuple[str, ElementTree | InputError]]:
        """Yield trees, and what is wrong with the documents that have none; keep the trees."""
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
            return None if known else serialise(data, _Where(self._source, name))

        def made_of(names: Sequence[str], octets: Sequence[bytes]) -> list[ElementTree]:
            return trees_of(octets, [self._read_text(name) for name in names])

        for documents in self._documents(cold, look, made_of):
            for name, _, digest_, found in documents:
                if isinstance(found, InputError):
                    yield name, found
                    continue
                if found is None:
                    tree = self._kept_tree(name, digest_)
                    if tree is None:  # the cache was damaged meanwhile
                        octets = serialise(self._source.read(name), _Where(self._source, name))
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
        """Return the digest of a document that need not be read for it."""
        if self._cache is None:
            return None
        stamp = self._stamp(name)
        return self._cache.digest(name, stamp) if stamp is not None else None

    def _documents(
        self, names: Sequence[str], look: _Look, made_of: _MadeOf
    ) -> Iterator[list[_Document]]:
        """Yield what is found in documents, several at a time, by as many threads as are of use.

        look: says of name, octets and digest what is found, or gives the document as :func:`serialise`
        does. made_of: says what is found in several of these, which costs less together.
        """

        def looked_at(read: Sequence[_Read]) -> list[_Document]:
            return self._looked_at(read, look, made_of)

        if len(names) <= _TOGETHER:
            yield from map(self._noted, map(looked_at, self._read(names)))
            return

        from concurrent.futures import ThreadPoolExecutor  # slow to import

        workers = min(_MOST_WORKERS, os.cpu_count() or 1)
        pool = ThreadPoolExecutor(workers)
        try:
            running: deque[Future[list[_Document]]] = deque()
            for read in self._read(names):
                running.append(pool.submit(looked_at, read))
                if len(running) == 2 * workers:  # the others wait, unread
                    yield self._noted(running.popleft().result())
            for future in running:
                yield self._noted(future.result())
        finally:
            # Whoever stops half-way may leave this to the garbage collector, and that to one of the
            # threads, which cannot wait for itself.
            pool.shutdown(wait=False, cancel_futures=True)

    def _read(self, names: Sequence[str]) -> Iterator[list[_Read]]:
        """Yield documents as they are read; by one thread, for more would wait for each other."""
        together: list[_Read] = []
        size = 0
        for name in names:
            began = time.time_ns()
            try:
                octets = self._source.read(name)
                together.append(_Read(name, began, octets))
                size += len(octets)
            except InputError as error:
                together.append(_Read(name, began, error))
            if len(together) == _TOGETHER or size > _OCTETS_TOGETHER:
                yield together
                together, size = [], 0
        if together:
            yield together

    def _looked_at(self, read: Sequence[_Read], look: _Look, made_of: _MadeOf) -> list[_Document]:
        documents: list[_Document] = []
        serialised: dict[int, bytes] = {}
        for place, (name, began, octets) in enumerate(read):
            digest_ = b""
            found: _Found = None
            if isinstance(octets, InputError):
                found = octets
            else:
                if self._cache is not None:
                    digest_ = digest(octets)
                try:
                    looked = look(name, octets, digest_)
                    if isinstance(looked, bytes):
                        serialised[place] = looked
                    else:
                        found = looked
                except InputError as error:
                    found = error
            documents.append(_Document(name, began, digest_, found))
        made = made_of([read[place].name for place in serialised], list(serialised.values()))
        for place, found in zip(serialised, made, strict=True):
            documents[place] = documents[place]._replace(found=found)
        return documents

    def _noted(self, documents: list[_Document]) -> list[_Document]:
        """Let the cache know the digests of documents that were read."""
        if self._cache is not None:
            for document in documents:
                stamp = self._stamp(document.name)
                if stamp is not None and not isinstance(document.found, InputError):
                    self._cache.add_file(document.name, stamp, document.digest, document.began)
        return documents
