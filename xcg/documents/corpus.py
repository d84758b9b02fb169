"""The corpus: documents by name, read and parsed on demand."""

from __future__ import annotations

import os
import stat
from collections import Counter, deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from xcg.documents.archives import open_archive
from xcg.documents.cache import DocumentCache, write_caches
from xcg.documents.parsing import absent_paths, serialise, text_breaks, text_of, trees_of
from xcg.documents.paths import canonical_file
from xcg.documents.sources import Folder, Memory, Source, Stamp
from xcg.documents.tree import ElementTree
from xcg.errors import InputError, Notes, nearest_name, without_traceback

P = ParamSpec("P")
T = TypeVar("T")

_KEPT_ELEMENTS = 2_000_000  # of the trees in memory: 150 to 400 MB
_READ_AHEAD = 256
"""Maximum number of documents whose content is in memory at the same time."""
_BYTES_IN_MEMORY = 1 << 26
"""Size of documents in memory after which no further document is read."""
_BATCH_DOCUMENTS = 32
"""Maximum number of documents that are parsed at once."""
_BATCH_BYTES = 1 << 22
_SMALL_DOCUMENT = 1 << 15  # bytes; threads that parse smaller ones wait for each other most of the time
_MAX_WORKERS = 8
_COMPARED_NAMES = 20_000
"""Maximum number of documents that a name is compared with."""
_MAX_COMPARISONS = 10
"""Maximum number of unknown names of a kind for which a similar one is searched."""


class Corpus:
    """Documents by name: the path of a file in a folder or archive, without ``.xml``.

    Documents are read when they are needed, and the last trees stay in memory.
    :meth:`of` makes a corpus of documents in memory.

    Args:
        path: A folder, or a ``.zip``, ``.tar`` or ``.tar.gz`` archive; files may be gzipped. A
            ``CorpusPath`` also says whether links are followed, and which elements are removed.
        cache: Whether to use the document cache on disk, see :mod:`xcg.documents.cache`; or its folder.

    Raises:
        InputError: If the path is not a folder or an archive.

    >>> corpus = Corpus.of({"co/1": "<a><b>text</b></a>"})
    >>> corpus.tree("co/1").paths
    ['/a[1]', '/a[1]/b[1]']
    >>> "co/2" in corpus
    False
    """

    def __init__(self, path: str | os.PathLike[str] | Source, *, cache: bool | Path = True) -> None:
        self.path: str | os.PathLike[str] = path.label if isinstance(path, Source) else path
        if isinstance(path, Source):
            self.source = path
        else:
            self.source = Folder(path) if os.path.isdir(path) else open_archive(path)
        self.source.exclude = exclude = getattr(path, "exclude", ())
        self.label = self.source.label  # in messages
        self._given: dict[str, ElementTree] = {}
        self._trees: dict[str, ElementTree] = {}
        self._unreadable: dict[str, InputError] = {}  # read once, not for each result
        self.removed: dict[str, int] = {}
        """Document → number of elements that ``exclude`` removed, of the documents with a tree."""
        self._kept = 0
        self._cache_setting = cache
        self._cache: DocumentCache | None = None
        if cache:
            identity = "\0".join([os.path.abspath(self.path), *exclude])
            self._cache = open_cache(identity, cache if isinstance(cache, Path) else None)
        self._comparisons: Counter[str] = Counter()

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
        in_memory = {n: d for n, d in documents.items() if not isinstance(d, ElementTree)}
        corpus = cls(Memory(in_memory), cache=False)
        for given, document in documents.items():
            if isinstance(document, ElementTree):
                name = corpus._canonical(given)
                if name in corpus:
                    raise InputError(corpus.label, f"contains the document {name!r} twice")
                corpus._given[name] = document
        return corpus

    def __reduce__(self) -> tuple[Any, ...]:
        """Support pickling: another process opens the corpus again and gets no trees."""
        if isinstance(self.source, Memory):
            return Corpus.of, ({**self.source.documents, **self._given},)
        return partial(Corpus, cache=self._cache_setting), (self.path,)

    @property
    def cache_folder(self) -> Path | None:
        """The folder of the document cache; None without a cache that can be used."""
        return self._cache.folder if self._cache is not None and self._cache.is_usable else None

    @property
    def is_on_disk(self) -> bool:
        """Whether the documents are in a folder or an archive."""
        return not isinstance(self.source, Memory)

    def __contains__(self, name: object) -> bool:
        try:
            found = canonical_file(str(name))
        except ValueError:
            return False
        return found in self._given or bool(self.source.files(found))

    def __iter__(self) -> Iterator[str]:
        """Yield the names of all documents in alphabetical order."""
        yield from sorted([*self._given, *self.source.names()])

    def tree(self, name: str) -> ElementTree:
        """Return the tree of a document; its name may have another spelling, such as ``./d.xml``.

        Raises:
            InputError: If the corpus does not have the document, or it is not well-formed XML.
        """
        if (tree := self._trees.get(name)) is not None:  # most names are canonical
            return tree
        name = self._canonical(name)
        self.prepare([name])
        if name in self._unreadable:
            raise without_traceback(self._unreadable[name])
        return self._given[name] if name in self._given else self._trees[name]

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

    def similar_name(self, name: str, kind: str) -> str | None:
        """Return the name of the most similar document; None for later names of the same kind.

        Comparing names takes time, and messages show only the first problem of a kind.

        Args:
            name: A name that no document has.
            kind: What has the name. Each kind has its own first names, so that they do not depend on
                other problems.

        >>> corpus = Corpus.of({"bread": "", "wine": ""})
        >>> corpus.similar_name("Bread", "results"), corpus.similar_name("x", "results")
        ('bread', None)
        """
        self._comparisons[kind] += 1
        if self._comparisons[kind] > _MAX_COMPARISONS:
            return None
        return nearest_name(name, islice(self, _COMPARED_NAMES))

    def length(self, name: str) -> int:
        """Return the number of characters of a document's text.

        Raises:
            InputError: If there is no such document, or it cannot be read.
        """
        return int(self.tree(name).characters[0])

    def exclusion(self, names: Iterable[str]) -> str:
        """Return what was removed from documents with a tree, for a note; empty without ``exclude``."""
        if not self.source.exclude:
            return ""
        counts = [self.removed.get(name, 0) for name in names]
        what = f"element{'s' * (sum(counts) != 1)} ({', '.join(self.source.exclude)})"
        documents = f"{sum(map(bool, counts)):,} of {len(counts):,} document{'s' * (len(counts) != 1)}"
        return f"corpus.exclude removes {sum(counts):,} {what} from {documents}"

    def prepare(self, names: Iterable[str]) -> None:
        """Parse documents that are needed next in batches.

        Errors in a document are raised by :meth:`tree`.
        """
        cold: dict[str, Stamp | None] = {}
        for name in names:
            if name in self._given or name in self._trees or name in self._unreadable:
                continue
            stamp = tree = None
            if self._cache is not None:
                stamp = self.source.stamp(name)
                tree = self._cache.tree(name, stamp, partial(_text, self.source, name))
            if tree is None:
                cold[name] = stamp
            else:
                self._keep(name, tree)
        for name, read in self._parsed(cold, self._trees_of):
            if isinstance(read, InputError):
                self._unreadable[name] = read
                continue
            self._keep(name, read)
            if self._cache is not None and name not in self.source.guessed:
                self._cache.add_tree(name, cold[name], read)

    def prepared(self, names: Sequence[str]) -> Iterator[str]:
        """Yield names after preparing their documents, several at once; also those of missing ones.

        >>> list(Corpus.of({"d": "<a/>"}).prepared(["d", "e"]))
        ['d', 'e']
        """
        for first in range(0, len(names), _READ_AHEAD):
            batch = names[first : first + _READ_AHEAD]
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

        def look_up(batch: Mapping[str, bytes]) -> dict[str, list[str] | InputError]:
            return {
                name: _attempt(absent_paths, data, asked[name], self.source.where(name))
                for name, data in batch.items()
            }

        names = iter(asked)
        while batch := {name: self.source.stamp(name) for name in islice(names, _READ_AHEAD)}:
            if self._cache is not None:
                self._cache.fetch(batch)
            known = {name: self._known_missing(name, batch[name], asked[name]) for name in batch}
            read = dict(self._parsed((name for name in batch if known[name] is None), look_up))
            for name, stamp in batch.items():
                missing = read[name] if name in read else known[name] or []
                if isinstance(missing, InputError):
                    raise missing
                if self._cache is not None and name in read and name not in self.source.guessed:
                    self._cache.add_missing(name, stamp, asked[name], missing)
                yield name, missing

    def write_cache(self) -> None:
        """Write new entries to the cache now instead of at the end of the program."""
        if self._cache is not None:
            self._cache.flush()

    def _known_missing(
        self, name: str, stamp: Stamp | None, paths: Collection[str]
    ) -> list[str] | None:
        """Return the paths that a document lacks, None if this is not known without reading it."""
        tree = self._given.get(name) or self._trees.get(name)
        if tree is None and self._cache is not None:
            missing = self._cache.missing(name, stamp, paths)
            if missing is not None:
                return missing
            tree = self._cache.tree(name, stamp, partial(_text, self.source, name))
        return None if tree is None else [path for path in paths if path not in tree]

    def _keep(self, name: str, tree: ElementTree) -> None:
        source = self.source
        tree.read_breaks = lambda: text_breaks(source.read(name), source.where(name))
        if source.exclude:
            tree.excluded = source.exclude
            self.removed[name] = tree.removed
        self._trees[name] = tree
        self._kept += len(tree)
        while self._kept > _KEPT_ELEMENTS and len(self._trees) > 1:
            self._kept -= len(self._trees.pop(next(iter(self._trees))))

    def _trees_of(self, batch: Mapping[str, bytes]) -> dict[str, ElementTree | InputError]:
        found = {
            name: _attempt(serialise, data, self.source.where(name)) for name, data in batch.items()
        }
        errors = {name: read for name, read in found.items() if isinstance(read, InputError)}
        good = {name: read for name, read in found.items() if isinstance(read, bytes)}
        trees = trees_of(list(good.values()), [partial(_text, self.source, name) for name in good])
        for name, tree in zip(good, trees, strict=True):
            tree.removed = self.source.removed.get(name, 0)
        return {**errors, **dict(zip(good, trees, strict=True))}

    def _parsed(
        self, names: Iterable[str], parse: Callable[[Mapping[str, bytes]], Mapping[str, T | InputError]]
    ) -> Iterator[tuple[str, T | InputError]]:
        """Read documents, parse them in batches, and yield each with its result or error.

        Large documents are parsed by several threads; reading by several would not be faster.

        Args:
            names: The documents.
            parse: Function that parses a batch of documents, given their contents.
        """
        rest = deque(names)
        while rest:
            read: dict[str, bytes] = {}
            size = 0
            while rest and len(read) < _READ_AHEAD and size <= _BYTES_IN_MEMORY:
                name = rest.popleft()
                data = _attempt(self.source.read, name)
                if isinstance(data, InputError):
                    yield name, data
                else:
                    read[name] = data
                    size += len(data)
            step = max(1, min(_BATCH_DOCUMENTS, len(read) * _BATCH_BYTES // (size + 1)))
            items = list(read.items())
            batches = [dict(items[first : first + step]) for first in range(0, len(items), step)]
            results: Iterable[Mapping[str, T | InputError]] = map(parse, batches)
            if len(batches) > 1 and size >= _SMALL_DOCUMENT * len(items):
                from concurrent.futures import ThreadPoolExecutor

                with ThreadPoolExecutor(min(_MAX_WORKERS, os.cpu_count() or 1)) as pool:
                    results = list(pool.map(parse, batches))
            for result in results:
                yield from result.items()


def _text(source: Source, name: str) -> str:
    return text_of(source.read(name), source.where(name))


def _attempt(function: Callable[P, T], *arguments: P.args, **options: P.kwargs) -> T | InputError:
    """Return the result of a function, or the error that it raises."""
    try:
        return function(*arguments, **options)
    except InputError as error:
        return without_traceback(error)


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


def open_cache(corpus: str, folder: Path | None = None) -> DocumentCache | None:
    """Open the cache for a corpus, after writing the new entries of other corpora.

    The environment variable ``XCG_CACHE`` is a folder or ``off``.

    Args:
        corpus: Absolute path of the corpus, and the names of the elements that are removed.
        folder: The folder of a cache that is used even if caches are switched off.

    Returns:
        The cache; None if it is switched off, or if its folder cannot be used or is not private.
    """
    setting = os.environ.get("XCG_CACHE", "")
    if folder is None and setting == "off":
        return None
    try:
        if folder is None:
            import platformdirs

            default = platformdirs.user_cache_dir("xcg", appauthor=False)
            folder = Path(setting or default).expanduser()
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not _is_private(folder):
            return None
    except (OSError, RuntimeError, ValueError):
        return None
    write_caches()
    return DocumentCache(folder, corpus)


def _is_private(folder: Path) -> bool:
    """Return whether only this user controls a folder and the link to it, if it is a link.

    Write access for its group is allowed, because on many systems this is the user's own group.
    """
    if not hasattr(os, "geteuid"):
        return True
    states = (folder.lstat(), folder.stat())
    return all(s.st_uid == os.geteuid() for s in states) and not states[1].st_mode & stat.S_IWOTH
