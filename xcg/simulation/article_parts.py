"""Parts of simulated articles (front matter, sections, references) as markup with slots for words."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

import numpy as np

GRANULARITY = {
    "article": 1.0,
    "bdy": 0.9,
    "sec": 0.7,
    "ss1": 0.5,
    "ss2": 0.4,
    "ss3": 0.35,
    "abs": 0.3,
    "list": 0.2,
    "tbl": 0.2,
    "fig": 0.1,
    "p": 0.0,
    "ip1": 0.0,
}
"""Tags of the elements that systems retrieve, with a granularity from 0 (paragraph) to 1 (article)."""

_INLINE = ("it", "b", "ref", "sub", "tf")
_SUBSECTIONS = {"sec": "ss1", "ss1": "ss2", "ss2": "ss3"}


class _OpenElement(NamedTuple):
    path: str  # below the part's outermost element
    children: dict[str, int]  # tag → number so far
    number: int  # among the retrievable elements, or that of the nearest ancestor; -1 without one


class PartBuilder:
    """Draws one part of an article, element by element.

    Args:
        rng: Source of all random choices.
        depth: Depth of the part's outermost element; the root of an article has depth 1.

    Attributes:
        pieces: Markup as text, and numbers of words, in document order.
        elements: Number of elements.
        depth_sum: Sum of the elements' depths.
        paths: Paths of the retrievable elements below the outermost element, in document order.
        granularities: Granularity of each retrievable element.
        parents: Index of the nearest retrievable ancestor of each retrievable element, -1 without one.
        ends: Index after the last retrievable descendant of each retrievable element.
    """

    def __init__(self, rng: np.random.Generator, depth: int) -> None:
        self.rng = rng
        self.pieces: list[str | int] = []
        self.elements = 0
        self.depth_sum = 0
        self.paths: list[str] = []
        self.granularities: list[float] = []
        self.parents: list[int] = []
        self.ends: list[int] = []
        self._outer_depth = depth - 1
        self._open: list[_OpenElement] = []

    @contextmanager
    def element(self, tag: str) -> Iterator[None]:
        """Write the start tag, and the end tag after the block."""
        path, number = "", -1
        if self._open:
            outer = self._open[-1]
            outer.children[tag] = outer.children.get(tag, 0) + 1
            path, number = f"{outer.path}/{tag}[{outer.children[tag]}]", outer.number
        retrievable = tag in GRANULARITY
        if retrievable:
            self.parents.append(number)
            number = len(self.paths)
            self.paths.append(path)
            self.granularities.append(GRANULARITY[tag])
            self.ends.append(0)
        self._open.append(_OpenElement(path, {}, number))
        self.elements += 1
        self.depth_sum += self._outer_depth + len(self._open)
        self.pieces.append(f"<{tag}>" if tag in _INLINE else f"\n<{tag}>")
        yield
        self._open.pop()
        if retrievable:
            self.ends[number] = len(self.paths)
        self.pieces.append(f"</{tag}>")

    def words(self, tag: str, words: int) -> None:
        """Write an element that contains words only."""
        with self.element(tag):
            self.pieces.append(words)

    def size(self, median: float, minimum: int = 1) -> int:
        """Draw a log-normal number of words, at most 400."""
        return int(min(max(self.rng.lognormal(math.log(median), 0.6), minimum), 400))

    def integer(self, low: int, high: int) -> int:
        """Draw an integer from ``low`` to ``high``, both included."""
        return int(self.rng.integers(low, high + 1))

    def chance(self, probability: float) -> bool:
        """Return True with a probability."""
        return bool(self.rng.random() < probability)

    # The methods below take ``end``, the number of elements that the part should not exceed.

    def paragraph(self, tag: str, words: int, end: int) -> None:
        """Write a paragraph with inline markup."""
        with self.element(tag):
            inline = min(int(self.rng.poisson(words / 5)), end - self.elements)
            written = 0
            for position in np.sort(self.rng.integers(1, words + 1, inline)).tolist():
                left = end - self.elements
                if left < 1:
                    break
                if position > written:
                    self.pieces.append(position - written)
                    written = position
                if left > 3 and self.chance(0.55):
                    self._formula(end)
                else:
                    self.words(_INLINE[self.integer(0, 2)], self.integer(1, 3))
            self.pieces.append(max(words - written, 1))

    def _formula(self, end: int) -> None:
        with self.element("tf"):
            for _ in range(self.integer(2, 5)):
                if end - self.elements < 3:
                    break
                with self.element("it"):
                    self.pieces.append(1)
                    with self.element("sub"):
                        self.words("b", 1)

    def blocks(self, end: int, first: str = "p") -> None:
        """Write paragraphs, lists, figures and tables, at least one; ``first`` is the first tag."""
        end = max(end, self.elements + 1)
        tag = first
        while self.elements < end:
            kind = self.rng.random()
            if tag == "ip1" or kind < 0.5 or end - self.elements < 10:
                self.paragraph(tag, self.size(70, minimum=12), end)
                tag = "p"
            elif kind < 0.72:
                self._list(end)
            elif kind < 0.8:
                with self.element("fig"):
                    self.words("fgc", self.size(14, minimum=8))
            else:
                self._table(end)

    def _list(self, end: int) -> None:
        with self.element("list"):
            for _ in range(self.integer(2, 6)):
                if end - self.elements < 2:
                    break
                with self.element("item"):
                    self.paragraph("p", self.size(18, minimum=8), end)

    def _table(self, end: int) -> None:
        with self.element("tbl"), self.element("tgroup"), self.element("tbody"):
            columns = self.integer(2, 5)
            rows = min(self.integer(3, 8), (end - self.elements) // (columns + 1))
            for _ in range(max(rows, 1)):
                with self.element("row"):
                    for _ in range(columns):
                        self.words("entry", self.integer(1, 3))

    def section(self, tag: str, size: int) -> None:
        """Write a section of about ``size`` elements; large sections have subsections."""
        end = self.elements + size
        with self.element(tag):
            self.words("st", self.integer(2, 6))
            subsection = _SUBSECTIONS.get(tag)
            if subsection is not None and size >= 16 and self.chance(0.9):
                self.blocks(self.elements + round(size * 0.1), first="ip1")
                for remaining in (2, 1):
                    self.section(subsection, max((end - self.elements) // remaining, 3))
            else:
                self.blocks(end, first="ip1")

    def front_matter(self, article_size: int) -> None:
        """Write title, authors and abstract of an article of about ``article_size`` elements."""
        with self.element("fm"):
            self.words("ti", self.integer(4, 12))
            self._authors(2 if article_size < 200 else 4)
            with self.element("abs"):
                for _ in range(self.integer(1, 2)):
                    words = self.size(60, minimum=20)
                    self.paragraph("p", words, self.elements + max(article_size // 60, 1))

    def _authors(self, maximum: int) -> None:
        for _ in range(self.integer(1, maximum)):
            with self.element("au"):
                self.words("fnm", 1)
                self.words("snm", 1)

    def reference(self) -> None:
        """Write an entry of a bibliography."""
        with self.element("bb"):
            self._authors(2)
            self.words("atl", self.integer(4, 10))
            self.words("ti", self.integer(2, 5))
            with self.element("pdt"):
                self.words("mo", 1)
                self.words("yr", 1)
