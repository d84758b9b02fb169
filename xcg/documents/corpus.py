"""Documents as trees, read when they are asked for."""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from xcg.documents.parsing import missing_paths, parse_document
from xcg.documents.paths import canonical_file
from xcg.documents.sources import Memory, Source, open_source
from xcg.documents.tree import ElementTree

_KEPT_ELEMENTS = 4_000_000
"""How many elements of parsed documents a corpus keeps at most: some 400 MB of columns, paths."""


class Corpus:
    """Documents by name: the path of a file below the folder, or in the archive, without ``.xml``.

    path: a folder, a ``.zip`` or a ``.tar`` / ``.tar.gz``; files may be gzipped. A document is opened
    when it is first asked for, and the most recently used trees are kept.

    ``Corpus.of({"a": b"<a/>"})`` makes one of documents in memory: bytes, strings or trees.

    >>> corpus = Corpus.of({"co/1": "<a><b>text</b></a>"})
    >>> corpus.tree("co/1").paths
    ['/a[1]', '/a[1]/b[1]']
    >>> "co/2" in corpus
    False
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._source: Source = open_source(path)
        self._given: dict[str, ElementTree] = {}
        self._trees: OrderedDict[str, ElementTree] = OrderedDict()
        self._kept = 0
        self._names: dict[str, bool] = {}

    @classmethod
    def of(cls, documents: Mapping[str, bytes | str | ElementTree]) -> Corpus:
        """Return a corpus of documents in memory."""
        corpus = cls.__new__(cls)
        corpus._source = Memory({n: d for n, d in documents.items() if not isinstance(d, ElementTree)})
        trees = {n: d for n, d in documents.items() if isinstance(d, ElementTree)}
        corpus._given = {canonical_file(name): tree for name, tree in trees.items()}
        corpus._trees = OrderedDict()
        corpus._kept = 0
        corpus._names = {}
        return corpus

    def __reduce__(self) -> tuple[Any, tuple[Any]]:
        """Be opened anew in another process, without the trees that were read."""
        if isinstance(self._source, Memory):
            return Corpus.of, ({**self._source.documents, **self._given},)
        return Corpus, (self.label,)

    @property
    def label(self) -> Path:
        """What messages call the corpus."""
        return self._source.label

    def __contains__(self, name: str) -> bool:
        known = self._names.get(name)  # asked again and again, and a folder has to look
        if known is None:
            known = self._names[name] = name in self._given or name in self._source
        return known

    def missing_paths(self, name: str, paths: Iterable[str]) -> list[str]:
        """Return those of some canonical paths that a document does not have.

        Costs less than its tree where that is not known yet. Raises InputError as :meth:`tree`.

        >>> Corpus.of({"d": "<a><b/></a>"}).missing_paths("d", ["/a[1]/b[1]", "/a[1]/b[2]"])
        ['/a[1]/b[2]']
        """
        if name in self._given or name in self._trees:
            tree = self.tree(name)
            return [path for path in paths if path not in tree]
        return missing_paths(self._source.read(name), paths, self._source.where(name))

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
        read = partial(self._source.read, name)
        tree = parse_document(read(), self._source.where(name), reread=read)
        self._trees[name] = tree
        self._kept += len(tree)
        while self._kept > _KEPT_ELEMENTS and len(self._trees) > 1:
            _, oldest = self._trees.popitem(last=False)
            self._kept -= len(oldest)
        return tree
