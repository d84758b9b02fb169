"""A folder of documents, read when they are asked for."""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from pathlib import Path

from xcg.documents.parsing import parse_document
from xcg.documents.paths import canonical_file
from xcg.documents.tree import ElementTree
from xcg.errors import InputError

_KEPT_ELEMENTS = 4_000_000
"""How many elements of parsed documents a corpus keeps at most: some 400 MB of columns and paths."""


class Corpus:
    """Documents by name, where a name is a file's path below the folder without ``.xml``.

    folder: the corpus folder. A document is opened when it is first asked for, and the most
    recently used trees are kept.

    ``Corpus.of({"a": b"<a/>"})`` makes one of documents in memory: bytes, strings or trees.

    >>> corpus = Corpus.of({"co/1": "<a><b>text</b></a>"})
    >>> corpus.tree("co/1").paths
    ['/a[1]', '/a[1]/b[1]']
    >>> "co/2" in corpus
    False
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(folder)
        if not self.folder.is_dir():
            state = "is no folder" if self.folder.exists() else "no such folder"
            raise InputError(self.folder, f"{state}; expected a corpus folder of XML documents")
        self._given: Mapping[str, bytes | str | ElementTree] | None = None
        self._trees: OrderedDict[str, ElementTree] = OrderedDict()
        self._kept = 0

    @classmethod
    def of(cls, documents: Mapping[str, bytes | str | ElementTree]) -> Corpus:
        """Return a corpus of documents in memory."""
        corpus = cls.__new__(cls)
        corpus.folder = Path("corpus")
        corpus._given = {canonical_file(name): document for name, document in documents.items()}
        corpus._trees = OrderedDict()
        corpus._kept = 0
        return corpus

    def _path(self, name: str) -> Path:
        return self.folder / f"{canonical_file(name)}.xml"

    def __contains__(self, name: str) -> bool:
        if self._given is not None:
            return name in self._given
        try:
            return self._path(name).is_file()
        except OSError:  # a name that no file system takes
            return False

    def __iter__(self) -> Iterator[str]:
        """Yield the names of all documents in order."""
        if self._given is not None:
            yield from sorted(self._given)
            return
        names = []
        for folder, _, files in os.walk(self.folder):  # does not follow links, so it ends
            below = Path(folder).relative_to(self.folder)
            names += [(below / file[:-4]).as_posix() for file in files if file.endswith(".xml")]
        yield from sorted(names)

    def tree(self, name: str) -> ElementTree:
        """Return a document's tree.

        Raises InputError where the corpus lacks the document or it is not well-formed XML.
        """
        tree = self._trees.get(name)
        if tree is not None:
            self._trees.move_to_end(name)
            return tree
        tree = self._parse(name)
        self._trees[name] = tree
        self._kept += len(tree)
        while self._kept > _KEPT_ELEMENTS and len(self._trees) > 1:
            _, oldest = self._trees.popitem(last=False)
            self._kept -= len(oldest)
        return tree

    def _parse(self, name: str) -> ElementTree:
        if self._given is not None:
            if name not in self._given:
                raise InputError(name, "no such document in the corpus")
            document = self._given[name]
            if isinstance(document, ElementTree):
                return document
            return parse_document(document.encode() if isinstance(document, str) else document, name)
        path = self._path(name)
        try:
            return parse_document(path.read_bytes(), path, reread=path.read_bytes)
        except OSError as error:
            raise InputError(path, f"cannot read the document: {error.strerror}") from None
