"""A document as an ordered tree of elements: a networkx graph over numpy columns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property, partial
from itertools import pairwise
from types import MappingProxyType
from typing import Any, Literal, TypeAlias

from xcg.documents.paths import WHOLE, canonical_path, parent_path, split_step, walk
from xcg.documents.read_only_graph import ReadOnlyDict, ReadOnlyGraph, RowMapping
from xcg.errors import XcgError
from xcg.lazy_modules import np, npt

Ints: TypeAlias = "npt.NDArray[np.int64]"
SizeUnit = Literal["characters", "words"]
COLUMNS = ("tag_codes", "parent", "end", "depth", "start", "characters", "words", "positions")
"""The columns of an :class:`ElementTree`."""
LONGEST_PATHS = 1 << 29
"""Maximum number of characters of the paths of all elements of a document; articles have up to 2^21."""
UNKNOWN = -1
"""The size of an element if only its path is known."""
_EDGE = ReadOnlyDict()
_CLASSES: dict[type, type] = {}


class UnknownPathError(XcgError):
    """A document does not have a path."""


def sibling_positions(parent: Ints, tag_codes: Ints, tags: int) -> Ints:
    """Return the position of each element among its siblings with the same local name, from 1."""
    key = parent * tags + tag_codes
    order = np.argsort(key, kind="stable")
    in_order = key[order]
    first = np.flatnonzero(np.r_[True, in_order[1:] != in_order[:-1]])
    group_sizes = np.diff(np.r_[first, len(key)])
    positions = np.empty(len(key), dtype=np.int64)
    positions[order] = np.arange(1, len(key) + 1) - np.repeat(first, group_sizes)
    return positions


@dataclass(kw_only=True, eq=False, repr=False)
class ElementTree(ReadOnlyGraph):
    """The elements of one document, one row per element, in document order.

    The columns are numpy arrays; their length is the number of elements. A tree that is made from paths
    (:meth:`from_paths`) has no text: ``start`` is -1, and unknown sizes are -1.

    Every tree is a ``networkx.DiGraph`` that reads the columns. Its nodes are the rows, with the
    attributes ``tag``, ``path``, ``start``, ``characters`` and ``words``; edges lead from parents to
    children. ``in`` accepts rows and paths. A tree is read-only; ``copy`` and other functions of
    networkx that return a new graph return an ordinary ``networkx.DiGraph``.

    Source: Kazai and Lalmas 2006, sections 3 and 5.2.3 (sizes).

    Attributes:
        tag_names: The local names of the elements, each once.
        tag_codes: Index into ``tag_names`` of each element.
        parent: Row of the parent; -1 for the root.
        end: First row after the subtree. The descendants of row r are the rows r + 1 to end[r] - 1, so
            a is an ancestor of d if ``a < d < end[a]``.
        depth: Number of steps of the path; 1 for the root.
        start: First character of the element's string value in the document's text.
        characters: Length of the string value in Unicode characters.
        words: Number of words in the string value, separated by white space.
        positions: Position among the siblings with the same local name, from 1.
        read_text: Reads the text of the document; None for a tree that was made from paths.
        read_breaks: Reads the offsets of comments and processing instructions in the text.
        excluded: Local names of elements that were removed from the document.
        removed: Number of removed elements.
        entity: Name of the first entity that is not expanded; empty without one.

    >>> from xcg.documents.parsing import parse_document
    >>> tree = parse_document(b"<a>one <b>two</b><b> three</b></a>")
    >>> tree.paths
    ['/a[1]', '/a[1]/b[1]', '/a[1]/b[2]']
    >>> tree.characters.tolist(), tree.words.tolist()
    ([13, 3, 6], [3, 1, 1])
    >>> sorted(tree.successors(0)), tree.nodes[2]["path"]
    ([1, 2], '/a[1]/b[2]')
    """

    tag_names: list[str]
    tag_codes: Ints
    parent: Ints
    end: Ints
    depth: Ints
    start: Ints
    characters: Ints
    words: Ints
    positions: Ints
    read_text: Callable[[], str] | None = None
    read_breaks: Callable[[], Sequence[int]] = tuple
    excluded: Sequence[str] = ()
    removed: int = 0
    entity: str = ""

    def __post_init__(self) -> None:
        for name in COLUMNS:
            setattr(self, name, np.asarray(getattr(self, name), dtype=np.int64))
        self._paths: dict[int, str] = {}
        self._found: dict[str, int | None] = {"": None, WHOLE: 0}
        if len(self.parent):
            self._found[f"/{self.tag_names[self.tag_codes[0]]}[{self.positions[0]}]"] = 0

    def __new__(cls, **columns: object) -> Any:
        """Return a new instance; without columns an empty graph, of which networkx makes copies."""
        import networkx as nx

        if not columns:
            return nx.DiGraph()
        if cls not in _CLASSES:
            # Importing networkx takes a tenth of a second, so the class is made with the first tree.
            _CLASSES[cls] = type(cls.__name__, (cls, nx.DiGraph), {"__module__": cls.__module__})
        return object.__new__(_CLASSES[cls])

    @classmethod
    def from_paths(
        cls, paths: Iterable[str], characters: Mapping[str, int] = MappingProxyType({})
    ) -> ElementTree:
        """Return the tree of paths and their ancestors, for use without documents.

        Siblings are ordered by name and position, because their document order is unknown.

        Args:
            paths: Element paths.
            characters: Canonical path → size in characters, where known.

        Raises:
            XcgError: If the paths have more than one root.
            ValueError: If a path is illegal.

        >>> tree = ElementTree.from_paths(["/a[1]/s[2]", "/a[1]/s[1]/p[1]"], {"/a[1]/s[2]": 40})
        >>> tree.paths
        ['/a[1]', '/a[1]/s[1]', '/a[1]/s[1]/p[1]', '/a[1]/s[2]']
        >>> tree.characters.tolist()
        [-1, -1, -1, 40]
        """
        steps_of: dict[str, tuple[tuple[str, int], ...]] = {"": ()}
        for path in paths:
            walk(canonical_path(path), steps_of, lambda above, step: (*above, split_step(step)))
        del steps_of[""]
        ordered = sorted(steps_of, key=steps_of.__getitem__)
        row_of = {path: row for row, path in enumerate(ordered)}
        parent = [row_of.get(parent_path(path), -1) for path in ordered]
        if parent.count(-1) > 1:
            other = ordered[parent.index(-1, 1)]
            raise XcgError(f"one document has two roots: {ordered[0]} and {other}")
        end = list(range(1, len(ordered) + 1))
        for row in range(len(ordered) - 1, 0, -1):
            end[parent[row]] = max(end[parent[row]], end[row])
        steps = [steps_of[path][-1] for path in ordered]
        codes: dict[str, int] = {}
        tag_codes = [codes.setdefault(name, len(codes)) for name, _ in steps]
        tree = cls(
            tag_names=list(codes),
            tag_codes=np.array(tag_codes),
            parent=np.array(parent),
            end=np.array(end),
            depth=np.array([len(steps_of[path]) for path in ordered]),
            start=np.full(len(ordered), UNKNOWN),
            characters=np.array([characters.get(path, UNKNOWN) for path in ordered]),
            words=np.full(len(ordered), UNKNOWN),
            positions=np.array([position for _, position in steps]),
        )
        tree.paths, tree._paths = ordered, dict(enumerate(ordered))
        tree._found = {"": None, WHOLE: 0, **row_of}
        return tree

    def __reduce__(self) -> tuple[Any, ...]:
        """Support pickling; the copy contains the document's text."""
        columns = {field.name: getattr(self, field.name) for field in fields(self)}
        if self.read_text is not None:
            columns["read_text"] = partial(str, self.text)
            columns["read_breaks"] = partial(tuple, self._breaks)
        return partial(ElementTree, **columns), ()

    # Properties, because attributes would form reference cycles.
    @property
    def _node(self) -> RowMapping:
        return RowMapping(len(self), self._attributes)

    @property
    def _succ(self) -> RowMapping:
        return RowMapping(len(self), lambda row: ReadOnlyDict(dict.fromkeys(self.children(row), _EDGE)))

    @property
    def _pred(self) -> RowMapping:
        return RowMapping(len(self), self._parent)

    _adj = _succ

    def _attributes(self, row: int) -> ReadOnlyDict:
        columns = (self.start, self.characters, self.words)
        start, characters, words = (int(column[row]) for column in columns)
        return ReadOnlyDict(
            tag=self.tag(row), path=self.path(row), start=start, characters=characters, words=words
        )

    def _parent(self, row: int) -> ReadOnlyDict:
        return ReadOnlyDict({int(self.parent[row]): _EDGE} if row else {})

    def __len__(self) -> int:
        return len(self.parent)

    def __repr__(self) -> str:
        root = self.path(0) if len(self) else "empty"
        return f"<ElementTree {root}: {len(self)} elements>"

    __str__ = __repr__

    def __contains__(self, element: object) -> bool:
        if isinstance(element, str):
            return self.find(element) is not None
        return super().__contains__(element)

    @cached_property
    def stop(self) -> Ints:
        """First character after each element's string value."""
        return self.start + self.characters

    @cached_property
    def paths(self) -> list[str]:
        """Canonical path of every row; use :meth:`path` for a few rows.

        Raises:
            XcgError: If they would be longer than :data:`LONGEST_PATHS`.
        """
        names = self.tag_names
        steps = np.array([len(name) for name in names])[self.tag_codes] + len("/[1]")
        length = int((steps * (self.end - np.arange(len(self)))).sum())  # a step is in all paths below
        if length > LONGEST_PATHS:
            size = f"{length:,} characters; the limit is {LONGEST_PATHS:,}"
            raise XcgError(f"the paths of the elements of a document have {size}: split the document")
        paths: list[str] = []
        for parent, code, position in zip(
            self.parent.tolist(), self.tag_codes.tolist(), self.positions.tolist(), strict=True
        ):
            above = paths[parent] if parent >= 0 else ""
            paths.append(f"{above}/{names[code]}[{position}]")
        return paths

    def path(self, row: int) -> str:
        """Return the canonical path of a row."""
        known = self._paths.get(row)
        if known is None:
            known, element, names = "", row, self.tag_names
            while element >= 0:
                known = f"/{names[self.tag_codes[element]]}[{self.positions[element]}]{known}"
                element = int(self.parent[element])
            self._paths[row] = known
        return known

    def short_path(self, row: int) -> str:
        """Return the shortest end of the path of a row that is unique in the document.

        >>> from xcg.documents.parsing import parse_document
        >>> tree = parse_document(b"<a><s><p/></s><s><p/><p/></s></a>")
        >>> [tree.short_path(row) for row in range(len(tree))]
        ['a[1]', 's[1]', 's[1]/p[1]', 's[2]', 's[2]/p[1]', 'p[2]']
        """
        steps: list[str] = []
        element, others = row, np.delete(np.arange(len(self)), row)
        while True:
            steps.insert(0, f"{self.tag(element)}[{self.positions[element]}]")
            is_same = self.tag_codes[others] == self.tag_codes[element]
            others = others[is_same & (self.positions[others] == self.positions[element])]
            if not others.size:
                return "/".join(steps)
            # Ancestors of the elements whose paths end with the same steps; the root has none.
            element, others = int(self.parent[element]), self.parent[others]
            others = others[others >= 0]
            if element < 0:
                return "/".join(["", *steps])

    @cached_property
    def _children(self) -> tuple[dict[int, int], dict[str, int], int]:
        """Row by a number that identifies parent, name and position; what the number is made of.

        Most trees are only asked for a few paths, and making all paths would take most of the time.
        """
        codes = {name: code for code, name in enumerate(self.tag_names)}
        base = int(self.positions.max(initial=0)) + 1
        exact = len(self) * len(codes) * base < 2**63
        parent = self.parent if exact else self.parent.astype(object)
        keys = (parent * len(codes) + self.tag_codes) * base + self.positions
        return dict(zip(keys.tolist(), range(len(self)), strict=True)), codes, base

    def find(self, path: str) -> int | None:
        """Return the row of a canonical path, None without such an element; 0 for the whole document.

        >>> tree = ElementTree.from_paths(["/a[1]/s[1]", "/a[1]/s[2]"])
        >>> tree.find("/a[1]/s[2]"), tree.find("/a[1]/s[3]")
        (2, None)
        """
        found = self._found
        if path in found:
            return found[path]
        row = walk(path, found, self._child)
        if row is not None:
            self._paths[row] = path
        return row

    def _child(self, row: int | None, step: str) -> int | None:
        rows, codes, base = self._children
        name, position = split_step(step)
        code = codes.get(name)
        if row is None or code is None or position >= base:
            return None
        return rows.get((row * len(codes) + code) * base + position)

    def row(self, path: str) -> int:
        """Return the row of a canonical path.

        Raises:
            UnknownPathError: If the document does not have the element, with its nearest ancestor that
                exists.
        """
        if not isinstance(path, str):
            raise UnknownPathError(f"no path: {path!r}; tree.path(row) is the path of a row")
        row = self.find(path)
        if row is not None:
            return row
        if not len(self) or not path.startswith("/"):
            raise UnknownPathError(f"no element {path!r}")
        for step in path.split("/")[1:]:
            if (name := step.rpartition("[")[0]) in self.excluded:
                removes = f"corpus.exclude removes all {name!r} elements"
                raise UnknownPathError(f"no element {path}: {removes}")
        above = parent_path(path)
        while above and above not in self:
            above = parent_path(above)
        tag = path[len(above) :].split("/")[1].rpartition("[")[0]
        if not above:
            raise UnknownPathError(f"no element {path}: the root is {self.path(0)}")
        children = sum(self.tag(child) == tag for child in self.children(self.row(above)))
        raise UnknownPathError(f"no element {path}: {above} has {children} {tag!r} child elements")

    def tag(self, row: int) -> str:
        """Return the local name of an element."""
        return self.tag_names[int(self.tag_codes[row])]

    def children(self, row: int) -> Iterator[int]:
        """Yield the rows of an element's child elements in document order."""
        child, end = row + 1, self.end[row]
        while child < end:
            yield int(child)
            child = self.end[child]

    def text_nodes(self, row: int) -> Sequence[tuple[int, int]]:
        """Return start and end of each text node of an element, as in XPath; none of them is empty.

        >>> from xcg.documents.parsing import parse_document
        >>> parse_document(b"<a>one<b>two</b>three<!-- no -->four</a>").text_nodes(0)
        [(0, 3), (6, 11), (11, 15)]
        """
        children = [*self.children(row)]
        starts = [int(self.start[row]), *self.stop[children].tolist()]
        ends = [*self.start[children].tolist(), int(self.stop[row])]
        return [
            node
            for start, end in zip(starts, ends, strict=True)
            for node in pairwise([start, *(b for b in self._breaks if start < b < end), end])
            if start < end
        ]

    @cached_property
    def _breaks(self) -> Sequence[int]:
        return sorted(set(self.read_breaks()))

    def ancestors(self, row: int) -> Iterator[int]:
        """Yield the rows of an element's ancestors, the parent first."""
        row = int(self.parent[row])
        while row >= 0:
            yield row
            row = int(self.parent[row])

    def smallest_element(self, start: int, end: int) -> int:
        """Return the row of the smallest element that contains characters start to end - 1.

        Raises:
            UnknownPathError: If the document's text does not have these characters.
        """
        self.check_characters(start, end)
        if start == end:
            raise UnknownPathError(f"no characters {start}–{end}: they are none")
        # The elements around a non-empty span are the last element that starts before it, or ancestors
        # of this element.
        row = int(self.start.searchsorted(start, side="right")) - 1
        while self.stop[row] < end:
            row = int(self.parent[row])
        return row

    def check_characters(self, start: int, end: int) -> None:
        """Check that the document's text has characters start to end - 1; there may be none.

        Raises:
            UnknownPathError: If it does not have them.
        """
        length = int(self.characters[0]) if len(self) else 0
        if not 0 <= start <= end <= length:
            raise UnknownPathError(f"no characters {start}–{end}: the document's text has {length}")

    def sizes(self, unit: SizeUnit) -> Ints:
        """Return the sizes in characters or words; -1 where unknown."""
        return self.characters if unit == "characters" else self.words

    @cached_property
    def text(self) -> str:
        """The string value of the root, with U+FFFC for entity references.

        Raises:
            XcgError: If the tree was made from paths.
        """
        if self.read_text is None:
            raise XcgError("this tree was made from paths: it has no text")
        return self.read_text()

    def element_text(self, row: int) -> str:
        """Return the string value of one element."""
        start = int(self.start[row])
        return self.text[start : start + int(self.characters[row])]
