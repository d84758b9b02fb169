"""Simulated articles: parts that many articles share, drawn as markup with slots for pseudo-words.

Articles share parts because drawing millions of elements one by one would be slow. Each article still
has its own words.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

from xcg.documents.parsing import parse_document
from xcg.documents.tree import ElementTree
from xcg.lazy_modules import np, npt
from xcg.simulation.shape import PART, VOCABULARY, Shape

Ints = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float64]

DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n'
_JOURNALS = "an cg co cs dt ex ic it mi mu pd so tc td tp ts".split()  # noqa: SIM905

_SLOT = -1  # a token to be replaced by a word
_WORDS = 10_000
_QUANTILES = 1 << 18


def _vocabulary(rng: np.random.Generator) -> list[str]:
    """Return pseudo-words by decreasing frequency; frequent words tend to be short."""
    onsets = [*"bcdfghjklmnprstvwz", "qu", "br", "ch", "cl", "dr", "gr", "pl", "pr", "sh", "st", "th"]
    syllables = [onset + vowel for onset in onsets for vowel in (*"aeiou", "ea", "io")]
    lengths = rng.integers(1, 5, 3 * _WORDS).tolist()
    draws = rng.integers(0, len(syllables), (3 * _WORDS, 4)).tolist()
    distinct = {
        "".join(syllables[syllable] for syllable in draw[:length]): None
        for draw, length in zip(draws, lengths, strict=True)
    }
    words = list(distinct)[:_WORDS]
    keys = rng.random(len(words)) * 6 + [len(word) for word in words]
    return [words[index] for index in np.argsort(keys, kind="stable").tolist()]


def _zipf_mandelbrot_quantiles() -> Ints:
    """Return the word numbers at evenly spaced quantiles of the Zipf-Mandelbrot distribution."""
    weights = np.cumsum(1 / (np.arange(_WORDS) + 2.7))
    quantiles = (np.arange(_QUANTILES) + 0.5) / _QUANTILES
    numbers: Ints = np.searchsorted(weights, quantiles * weights[-1]).astype(np.int32)
    return numbers


class Retrievable(NamedTuple):
    """Retrievable elements in document order; see :class:`~xcg.simulation.documents.PartBuilder`.

    The descendants of element i are the elements i + 1 … ends[i] - 1.
    """

    paths: list[str]
    granularities: Floats
    parents: Ints
    ends: Ints

    @classmethod
    def of(cls, tree: ElementTree) -> Retrievable:
        """Return the retrievable elements of a part, with paths below its outermost element."""
        rows = [row for row in range(len(tree)) if tree.tag(row) in GRANULARITY]
        position = {row: index for index, row in enumerate(rows)}
        parents = [next((position[a] for a in tree.ancestors(r) if a in position), -1) for r in rows]
        return cls(
            [tree.path(row)[len(tree.path(0)) :] for row in rows],
            np.array([GRANULARITY[tree.tag(row)] for row in rows]),
            np.array(parents, np.int32),
            np.searchsorted(rows, tree.end[rows]).astype(np.int32),
        )

    def below(self, parent: int, position: int, path: str) -> Retrievable:
        """Return the elements as part of a longer list.

        Args:
            parent: Index of the element that contains all of them.
            position: Index of the first of them.
            path: Path of the outermost element.
        """
        return Retrievable(
            [path + below for below in self.paths],
            self.granularities,
            np.where(self.parents < 0, parent, self.parents + position).astype(np.int32),
            self.ends + np.int32(position),
        )

    @classmethod
    def concatenate(cls, lists: Iterable[Retrievable]) -> Retrievable:
        """Join lists whose indices already refer to the joined list."""
        paths, *arrays = zip(*lists, strict=True)
        granularities, parents, ends = map(np.concatenate, arrays)
        return cls([path for part in paths for path in part], granularities, parents, ends)


class _Part(NamedTuple):
    """A part of articles: markup and word slots as tokens, and its retrievable elements."""

    tokens: Ints
    elements: int
    retrievable: Retrievable


class Article(NamedTuple):
    """An article as its parts, which it shares with other articles."""

    name: str
    front: _Part
    sections: list[_Part]
    references: list[_Part]


class ArticleFactory:
    """Draws articles. The parts depend only on the shape's ``seed`` and ``elements``."""

    def __init__(self, shape: Shape) -> None:
        self._shape = shape
        self._words = [f"{word} " for word in _vocabulary(shape.generator(VOCABULARY))]
        self._markup: dict[str, int] = {}
        self._fronts = self._parts(0, 40, lambda part: part.front_matter(shape.elements))
        self._sections = self._parts(1, 400, self._section)
        self._references = self._parts(2, 40, PartBuilder.reference)
        self._start = self._tokens([f"{DECLARATION}<article>"])
        self._body = self._tokens(["\n<bdy>"])
        self._back = self._tokens(["</bdy>\n<bm>\n<bib>\n<bibl>"])
        self._end = self._tokens(["</bibl></bib></bm></article>\n"])
        self._end_without_back = self._tokens(["</bdy></article>\n"])
        self._bytes_of = np.array(
            [text.encode() for text in (*self._words, *self._markup)], dtype=object
        )
        self._quantiles = _zipf_mandelbrot_quantiles()
        self._reference_size = sum(part.elements for part in self._references) / len(self._references)

    def _parts(self, kind: int, count: int, build: Callable[[PartBuilder], None]) -> list[_Part]:
        parts = []
        for number in range(count):
            builder = PartBuilder(self._shape.generator(PART, kind, number))
            build(builder)
            markup = "".join("x " * one if isinstance(one, int) else one for one in builder.pieces)
            tree = parse_document(markup.encode())
            parts.append(_Part(self._tokens(builder.pieces), len(tree), Retrievable.of(tree)))
        return parts

    def _section(self, builder: PartBuilder) -> None:
        mean = self._shape.elements * 0.74 / 6  # six sections have the greater part of an article
        size = builder.rng.lognormal(math.log(mean) - 0.125, 0.5)
        builder.section("sec", max(round(size), 4))

    def _tokens(self, pieces: Iterable[str | int]) -> Ints:
        """Return a token for each stretch of markup, and a slot for each word."""
        tokens: list[int] = []
        markup = ""
        for piece in (*pieces, 0):
            if isinstance(piece, str):
                markup += piece
                continue
            if markup:
                tokens.append(self._markup.setdefault(markup, _WORDS + len(self._markup)))
                markup = ""
            tokens += [_SLOT] * piece
        return np.array(tokens, dtype=np.int32)

    def draw(self, number: int, rng: np.random.Generator) -> Article:
        """Draw the parts of an article: log-normal in size, with a fifth for the references."""
        journal = _JOURNALS[number % len(_JOURNALS)]
        name = f"{journal}/{1995 + number // len(_JOURNALS) % 8}/a{number:05d}"
        front = self._fronts[rng.integers(len(self._fronts))]
        size = self._shape.elements * rng.lognormal(-0.125, 0.5)
        count = round(size * 0.2 / self._reference_size * rng.lognormal(-0.08, 0.4))
        references = [self._references[n] for n in rng.integers(len(self._references), size=count)]
        left = size - front.elements - 2
        left -= sum(reference.elements for reference in references) + 3 * bool(references)
        sections: list[_Part] = []
        while True:
            section = self._sections[rng.integers(len(self._sections))]
            if sections and section.elements > 2 * left:  # the size is closer to the target without it
                return Article(name, front, sections, references)
            sections.append(section)
            left -= section.elements

    def xml(self, article: Article, rng: np.random.Generator) -> bytes:
        """Return an article as XML, with words drawn from ``rng``."""
        sections = (part.tokens for part in article.sections)
        tokens = [self._start, article.front.tokens, self._body, *sections]
        if article.references:
            tokens += [self._back, *(part.tokens for part in article.references), self._end]
        else:
            tokens.append(self._end_without_back)
        joined = np.concatenate(tokens)
        slots = np.flatnonzero(joined == _SLOT)
        joined[slots] = self._quantiles[rng.integers(0, _QUANTILES, len(slots), dtype=np.uint32)]
        return b"".join(self._bytes_of[joined].tolist())

    def retrievable(self, article: Article) -> Retrievable:
        """Return the elements of an article that systems retrieve."""
        front = article.front.retrievable
        sections = [part.retrievable for part in article.sections]
        body = 1 + len(front.paths)
        end = body + 1 + sum(len(section.paths) for section in sections)
        lists = [
            _single("/article[1]", "article", -1, end),
            front.below(0, 1, "/article[1]/fm[1]"),
            _single("/article[1]/bdy[1]", "bdy", 0, end),
        ]
        position = body + 1
        for number, section in enumerate(sections, 1):
            lists.append(section.below(body, position, f"/article[1]/bdy[1]/sec[{number}]"))
            position += len(section.paths)
        return Retrievable.concatenate(lists)


def _single(path: str, tag: str, parent: int, end: int) -> Retrievable:
    return Retrievable(
        [path], np.array([GRANULARITY[tag]]), np.array([parent], np.int32), np.array([end], np.int32)
    )


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


class PartBuilder:
    """Draws one part of an article, element by element.

    Attributes:
        pieces: Markup, and numbers of words that follow each other.
        elements: Number of elements written so far.
    """

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng
        self.pieces: list[str | int] = []
        self.elements = 0

    @contextmanager
    def element(self, tag: str) -> Iterator[None]:
        """Write the start tag, and the end tag after the block."""
        self.elements += 1
        self.pieces.append(f"<{tag}>" if tag in _INLINE else f"\n<{tag}>")
        yield
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
