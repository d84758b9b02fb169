"""Simulated campaigns: documents, assessments and runs from a seed, in the size of INEX 2004 or any.

They are for what no real campaign shows: how measures react where the truth is known, and what the
program costs at full size. Simulated is

- the structure of documents: a schema like that of INEX, how many elements and how deep, log-normal
  sizes, inline markup, tables, lists, bibliographies;
- the assessments: passages of which the element assessments follow with the project's own rules
  (:func:`xcg.judgements.highlights.assess`), and further assessors who differ from the first;
- systems of a known skill, a preferred granularity and a behaviour towards overlap.

Not simulated is language: words are pseudo-words with the frequencies of Zipf and Mandelbrot, and what
is relevant has nothing to do with them, so a search engine finds nothing here. Nor are there topic
statements, pooling, or elements assessed as irrelevant: what is not assessed counts as irrelevant
anyway. All of it is ours; the figures of INEX 2004 are those of Kazai & Lalmas 2006, sections 3 and 6.

Every document, topic, assessor and run has a generator of its own, spawned from the seed: asking for
more runs, assessors, topics or results leaves documents, and asking for more runs leaves all the other
files, as they were (but for the size that ``config.yaml`` states). The same seed gives the same octets
with the same release series of numpy, which may change its random streams (NEP 19).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from xcg.documents.corpus import Corpus
from xcg.documents.files import PathLike
from xcg.documents.tree import ElementTree
from xcg.errors import InputError, XcgError
from xcg.evaluation.config import DEFAULT_MEASURES
from xcg.formats.inex_writing import inex_2004
from xcg.judgements.highlights import Highlight, assess
from xcg.judgements.recall_base import RecallBase
from xcg.user_model.model import DEFAULT
from xcg.user_model.quantisation import sog

Ints = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float64]

_FEWEST_ELEMENTS = 30
_FIRST_TOPIC = 162  # the CO topics of INEX 2004 are 162–201
_JOURNALS = (
    "an",
    "cg",
    "co",
    "cs",
    "dt",
    "ex",
    "ic",
    "it",
    "mi",
    "mu",
    "pd",
    "so",
    "tc",
    "td",
    "tp",
    "ts",
)


@dataclass(frozen=True)
class Shape:
    """How large a campaign is, and its seed; by default the size of INEX 2004.

    articles: 12,107 in INEX 2004.
    topics: 34 assessed topics (CO).
    runs: 69 submitted runs (CO).
    results: the most that a run returns for a topic, 1500.
    assessors: how many assess each topic; the first is the truth that the systems' skill refers to.
        (INEX 2004 had a second one for 5 of the topics.)
    seed: a whole number from 0.
    elements: the mean number of elements in an article; 8.2 million in 12,107 articles are some 680.
    relevant: the mean number of articles with relevant text for a topic (ours).
    agreement: the probability that a further assessor marks a passage just as the first did. Of the
        others it loses half, moves the borders of a quarter, and grades a quarter otherwise (ours).
        With 0.6, two assessors share 56 % of their elements with grades and 91 % of their articles,
        with 0 still 20 % and 69 %: at INEX they shared 2 % and 24 % (section 6.2).

    Raises XcgError for a number that is out of range.
    """

    articles: int = 12_107
    topics: int = 34
    runs: int = 69
    results: int = 1500
    assessors: int = 1
    seed: int = 2004
    elements: int = 680
    relevant: int = 60
    agreement: float = 0.6

    def __post_init__(self) -> None:
        lowest = {"seed": 0, "elements": _FEWEST_ELEMENTS}
        for name, value in vars(self).items():
            least = lowest.get(name, 1)
            if name != "agreement" and value < least:
                raise XcgError(f"{name} is {value}: expected a whole number from {least}")
        if not 0 <= self.agreement <= 1:
            raise XcgError(f"agreement is {self.agreement}: expected a number from 0 to 1")

    @classmethod
    def small(
        cls, seed: int = 2004, runs: int = 5, assessors: int = 1, agreement: float = 0.6
    ) -> Shape:
        """Return a shape for trying out: 40 articles of some 60 elements, 6 topics, 50 results."""
        return cls(
            articles=40,
            topics=6,
            runs=runs,
            results=50,
            assessors=assessors,
            seed=seed,
            elements=60,
            relevant=8,
            agreement=agreement,
        )


@dataclass(frozen=True)
class System:
    """A simulated system.

    skill: 0 ranks at random, 1 by what elements are truly worth.
    granularity: what it prefers, from 0, paragraphs, over sections to 1, articles.
    overlap: returns ancestors and descendants of what it returned; else nothing that overlaps.
    """

    number: int
    skill: float
    granularity: float
    overlap: bool

    @property
    def name(self) -> str:
        """The run's name, which tells all of this.

        >>> System(7, 0.6, 0.5, overlap=True).name
        'run07-skill0.60-gran0.5-overlap'
        """
        behaviour = "overlap" if self.overlap else "no_overlap"
        return f"run{self.number:02d}-skill{self.skill:.2f}-gran{self.granularity:.1f}-{behaviour}"


def systems(shape: Shape) -> list[System]:
    """Return the systems of a campaign.

    They come in pairs of one skill and granularity, of which the first returns overlapping results and
    the second does not. The pairs follow a Kronecker sequence, which starts where the seed says and
    spreads any number of points evenly over the square. So the first systems of a larger campaign are
    those of a smaller one.
    """
    start = _generator(shape, _SYSTEMS).random(2)
    made = []
    for number in range(1, shape.runs + 1):
        skill, granularity = ((start + (number + 1) // 2 * _STEPS) % 1).tolist()
        sixth = math.floor(granularity * 6)
        made.append(System(number, round(skill, 2), round(sixth / 5, 1), number % 2 == 1))
    return made


_STEPS = np.array([(math.sqrt(5) - 1) / 2, math.sqrt(3) - 1])


@dataclass
class Simulated:
    """What was written: how many articles, elements, topics, passages, runs and results.

    depth: the mean depth of elements, the root's being 1. passages: those of the first assessor.
    """

    articles: int = 0
    elements: int = 0
    depth: float = 0.0
    topics: int = 0
    passages: int = 0
    runs: int = 0
    results: int = 0


def simulate(folder: PathLike, shape: Shape | None = None) -> Simulated:
    """Write a campaign into a new folder; return what was written.

    ``documents/`` holds the articles, ``assessments/`` a file a topic in the form of INEX 2004 (with
    several assessors in ``assessments/assessor1/`` and so on), ``runs/`` a submission in XML a
    system, and ``config.yaml`` evaluates them by the first assessor; it is written last.

    Measured at full size: 8.17 million elements, 675 an article and 6.88 deep in the mean; 64 relevant
    articles and 1,200 assessed elements a topic. With ``elements=60`` the mean depth is 4.8.

    A topic's systems all choose from the same articles: those with relevant text, and as many more as
    there are results. They rank articles, bodies, abstracts, sections, paragraphs, lists, figures and
    tables, not titles and inline markup, which assessors do assess.

    Raises InputError for a folder that holds something, or that cannot be written.
    """
    shape = shape or Shape()
    target = Path(folder)
    try:
        target.mkdir(parents=True, exist_ok=True)
        if any(target.iterdir()):
            raise InputError(target, "the folder is not empty; expected a new one")
        return _Campaign(target, shape).write()
    except OSError as error:
        raise InputError(error.filename or target, f"cannot write: {error.strerror}") from None


# Generators: one for every thing, by kind and number, so that nothing depends on what else there is.
_VOCABULARY, _SKELETON, _DOCUMENT, _TOPIC, _ASSESSOR, _SYSTEMS, _RUN = range(7)


def _generator(shape: Shape, *key: int) -> np.random.Generator:
    return np.random.default_rng(np.random.SeedSequence(shape.seed, spawn_key=key))


# Words.
_WORDS = 10_000
_QUANTILES = 1 << 18


def _vocabulary(rng: np.random.Generator) -> list[str]:
    """Return pseudo-words, the frequent first and by tendency short."""
    onsets = [*"bcdfghjklmnprstvwz", "qu", "br", "ch", "cl", "dr", "gr", "pl", "pr", "sh", "st", "th"]
    syllables = [onset + vowel for onset in onsets for vowel in (*"aeiou", "ea", "io")]
    lengths = rng.integers(1, 5, 3 * _WORDS).tolist()
    draws = rng.integers(0, len(syllables), (3 * _WORDS, 4)).tolist()
    made = {
        "".join(syllables[syllable] for syllable in draw[:length]): None
        for draw, length in zip(draws, lengths, strict=True)
    }
    words = list(made)[:_WORDS]
    keys = rng.random(len(words)) * 6 + [len(word) for word in words]
    return [words[place] for place in np.argsort(keys, kind="stable").tolist()]


def _zipf() -> Ints:
    """Return word numbers at evenly spread quantiles of the law of Zipf and Mandelbrot."""
    weights = np.cumsum(1 / (np.arange(_WORDS) + 2.7))
    quantiles = (np.arange(_QUANTILES) + 0.5) / _QUANTILES
    numbers: Ints = np.searchsorted(weights, quantiles * weights[-1]).astype(np.int32)
    return numbers


# Skeletons: parts of articles with their markup, and places for words.
_SLOT = -1
_LEVELS = {
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
"""The elements that systems return, with their granularity."""
_SUBSECTIONS = {"sec": "ss1", "ss1": "ss2", "ss2": "ss3"}
_INLINE = ("it", "b", "ref", "sub", "tf")


class _Returned(NamedTuple):
    """An element that systems return: its path below the skeleton, granularity, and place in order."""

    path: str
    level: float
    parent: int
    end: int


class _Builder:
    """Writes a skeleton element by element."""

    def __init__(self, rng: np.random.Generator, depth: int) -> None:
        self.rng = rng
        self.pieces: list[str | int] = []
        self.elements = 0
        self.depths = 0
        self.returned: list[_Returned] = []
        self._depth = depth - 1
        self._open: list[tuple[str, str, dict[str, int], int]] = []

    def open(self, tag: str) -> None:
        path = ""
        if self._open:
            _, above, counts, _ = self._open[-1]
            counts[tag] = counts.get(tag, 0) + 1
            path = f"{above}/{tag}[{counts[tag]}]"
        number = -1
        if tag in _LEVELS:
            parent = next((entry[3] for entry in reversed(self._open) if entry[3] >= 0), -1)
            number = len(self.returned)
            self.returned.append(_Returned(path, _LEVELS[tag], parent, 0))
        self._open.append((tag, path, {}, number))
        self._depth += 1
        self.elements += 1
        self.depths += self._depth
        self.pieces.append(f"<{tag}>" if tag in _INLINE else f"\n<{tag}>")

    def close(self) -> None:
        tag, _, _, number = self._open.pop()
        self._depth -= 1
        if number >= 0:
            self.returned[number] = self.returned[number]._replace(end=len(self.returned))
        self.pieces.append(f"</{tag}>")

    def words(self, number: int) -> None:
        self.pieces.append(number)

    def leaf(self, tag: str, words: int) -> None:
        self.open(tag)
        self.words(words)
        self.close()

    def size(self, median: float, least: int = 1, most: int = 400) -> int:
        """Draw a log-normal number of words."""
        return int(min(max(self.rng.lognormal(math.log(median), 0.6), least), most))

    def count(self, low: int, high: int) -> int:
        """Draw a whole number from low to high."""
        return int(self.rng.integers(low, high + 1))

    def chance(self, probability: float) -> bool:
        return bool(self.rng.random() < probability)

    def text(self, tag: str, words: int, most: int) -> None:
        """Write a paragraph with inline markup, of at most so many elements."""
        left = most - 1
        self.open(tag)
        inlines = min(int(self.rng.poisson(words / 5)), left)
        cuts = np.sort(self.rng.integers(1, words + 1, inlines)).tolist()
        done = 0
        for cut in cuts:
            if left < 1:
                break
            if cut > done:
                self.words(cut - done)
                done = cut
            if left > 3 and self.chance(0.55):
                left -= self._formula(left)
                continue
            self.leaf(_INLINE[self.count(0, 2)], self.count(1, 3))
            left -= 1
        self.words(max(words - done, 1))
        self.close()

    def _formula(self, most: int) -> int:
        """Write a formula of at most so many elements, at least four; return how many."""
        before = self.elements
        self.open("tf")
        for _ in range(self.count(2, 5)):
            if most - (self.elements - before) < 3:
                break
            self.open("it")
            self.words(1)
            self.open("sub")
            self.leaf("b", 1)
            self.close()
            self.close()
        self.close()
        return self.elements - before

    def blocks(self, budget: int, first: str = "p") -> None:
        """Write paragraphs, lists, figures and tables of about so many elements."""
        end = self.elements + max(budget, 1)
        tag = first
        while self.elements < end:
            left = end - self.elements
            kind = self.rng.random()
            if tag == "ip1" or kind < 0.5 or left < 10:
                self.text(tag, self.size(70, least=12), left)
                tag = "p"
            elif kind < 0.72:
                self._list(left)
            elif kind < 0.8:
                self.open("fig")
                self.leaf("fgc", self.size(14, least=8))
                self.close()
            else:
                self._table(left)

    def _list(self, most: int) -> None:
        end = self.elements + most
        self.open("list")
        for _ in range(self.count(2, 6)):
            if end - self.elements < 2:
                break
            self.open("item")
            self.text("p", self.size(18, least=8), end - self.elements)
            self.close()
        self.close()

    def _table(self, most: int) -> None:
        for tag in ("tbl", "tgroup", "tbody"):
            self.open(tag)
        columns = self.count(2, 5)
        for _ in range(max(min(self.count(3, 8), (most - 3) // (columns + 1)), 1)):
            self.open("row")
            for _ in range(columns):
                self.leaf("entry", self.count(1, 3))
            self.close()
        for _ in range(3):
            self.close()

    def section(self, tag: str, budget: int) -> None:
        """Write a section of about so many elements, with subsections where it is large."""
        end = self.elements + budget
        self.open(tag)
        self.leaf("st", self.count(2, 6))
        below = _SUBSECTIONS.get(tag)
        if below is not None and budget >= 16 and self.chance(0.9):
            self.blocks(round(budget * 0.1), first="ip1")
            for number in (2, 1):
                self.section(below, max((end - self.elements) // number, 3))
        else:
            self.blocks(end - self.elements, first="ip1")
        self.close()


@dataclass
class _Skeleton:
    """A part of an article: markup and word slots, and the elements in it that systems return."""

    tokens: Ints
    elements: int
    depths: int
    returned: list[_Returned]
    levels: Floats
    parents: Ints
    ends: Ints


class _Article(NamedTuple):
    """What an article is made of: numbers of skeletons."""

    name: str
    head: int
    sections: list[int]
    entries: list[int]


class _Templates:
    """The skeletons that articles are composed of; they depend on the seed and ``elements`` alone."""

    def __init__(self, shape: Shape) -> None:
        self.shape = shape
        self._words = [f"{word} " for word in _vocabulary(_generator(shape, _VOCABULARY))]
        self._numbers: dict[str, int] = {}
        self._quantiles = _zipf()
        self.heads = [self._head(_generator(shape, _SKELETON, 0, number)) for number in range(40)]
        self.sections = [self._section(_generator(shape, _SKELETON, 1, n)) for n in range(400)]
        self.entries = [self._entry(_generator(shape, _SKELETON, 2, number)) for number in range(40)]
        self._start = self._tokens(['<?xml version="1.0" encoding="UTF-8"?>\n<article>'])
        self._body = self._tokens(["\n<bdy>"])
        self._back = self._tokens(["</bdy>\n<bm>\n<bib>\n<bibl>"])
        self._end = self._tokens(["</bibl></bib></bm></article>\n"])
        self._plain_end = self._tokens(["</bdy></article>\n"])
        self._table = np.array([text.encode() for text in (*self._words, *self._numbers)], dtype=object)
        self._entry_size = sum(entry.elements for entry in self.entries) / len(self.entries)

    def _tokens(self, pieces: Iterable[str | int]) -> Ints:
        tokens: list[int] = []
        markup = ""
        for piece in (*pieces, 0):
            if isinstance(piece, str):
                markup += piece
                continue
            if markup:
                tokens.append(self._numbers.setdefault(markup, _WORDS + len(self._numbers)))
                markup = ""
            tokens += [_SLOT] * piece
        return np.array(tokens, dtype=np.int32)

    def _skeleton(self, builder: _Builder) -> _Skeleton:
        returned = builder.returned
        return _Skeleton(
            self._tokens(builder.pieces),
            builder.elements,
            builder.depths,
            returned,
            np.array([entry.level for entry in returned], dtype=np.float64),
            np.array([entry.parent for entry in returned], dtype=np.int32),
            np.array([entry.end for entry in returned], dtype=np.int32),
        )

    def _head(self, rng: np.random.Generator) -> _Skeleton:
        builder = _Builder(rng, depth=2)
        builder.open("fm")
        builder.leaf("ti", builder.count(4, 12))
        for _ in range(builder.count(1, 2 if self.shape.elements < 200 else 4)):
            builder.open("au")
            builder.leaf("fnm", 1)
            builder.leaf("snm", 1)
            builder.close()
        builder.open("abs")
        for _ in range(builder.count(1, 2)):
            builder.text("p", builder.size(60, least=20), max(self.shape.elements // 60, 1))
        builder.close()
        builder.close()
        return self._skeleton(builder)

    def _section(self, rng: np.random.Generator) -> _Skeleton:
        builder = _Builder(rng, depth=3)
        mean = self.shape.elements * 0.74 / 6  # six sections and the greater part of an article
        size = rng.lognormal(math.log(mean) - 0.125, 0.5)
        builder.section("sec", max(round(size), 4))
        return self._skeleton(builder)

    def _entry(self, rng: np.random.Generator) -> _Skeleton:
        builder = _Builder(rng, depth=5)
        builder.open("bb")
        for _ in range(builder.count(1, 2)):
            builder.open("au")
            builder.leaf("fnm", 1)
            builder.leaf("snm", 1)
            builder.close()
        builder.leaf("atl", builder.count(4, 10))
        builder.leaf("ti", builder.count(2, 5))
        builder.open("pdt")
        builder.leaf("mo", 1)
        builder.leaf("yr", 1)
        builder.close()
        builder.close()
        return self._skeleton(builder)

    def article(self, number: int, rng: np.random.Generator) -> _Article:
        """Draw what an article is made of: log-normal in size, a fifth of it references."""
        journal = _JOURNALS[number % len(_JOURNALS)]
        name = f"{journal}/{1995 + number // len(_JOURNALS) % 8}/a{number:05d}"
        head = int(rng.integers(len(self.heads)))
        target = self.shape.elements * rng.lognormal(-0.125, 0.5)
        references = round(target * 0.2 / self._entry_size * rng.lognormal(-0.08, 0.4))
        entries = rng.integers(len(self.entries), size=references).tolist()
        left = target - self.heads[head].elements - 2
        left -= sum(self.entries[entry].elements for entry in entries) + 3 * bool(entries)
        sections: list[int] = []
        while True:
            section = int(rng.integers(len(self.sections)))
            size = self.sections[section].elements
            if sections and size > 2 * left:  # nearer to the target without it
                return _Article(name, head, sections, entries)
            sections.append(section)
            left -= size

    def parts(self, article: _Article) -> list[_Skeleton]:
        """Return the skeletons of an article in order."""
        sections = [self.sections[number] for number in article.sections]
        return [self.heads[article.head], *sections, *(self.entries[n] for n in article.entries)]

    def measures(self, article: _Article) -> tuple[int, int]:
        """Return the number of elements, and the sum of their depths."""
        parts = self.parts(article)
        back = (3, 2 + 3 + 4) if article.entries else (0, 0)
        elements = 2 + sum(part.elements for part in parts) + back[0]
        return elements, 1 + 2 + sum(part.depths for part in parts) + back[1]

    def document(self, article: _Article, rng: np.random.Generator) -> bytes:
        """Write an article in words of its own."""
        head, *others = [part.tokens for part in self.parts(article)]
        body, back = others[: len(article.sections)], others[len(article.sections) :]
        end = [self._back, *back, self._end] if back else [self._plain_end]
        tokens = np.concatenate([self._start, head, self._body, *body, *end])
        slots = np.flatnonzero(tokens == _SLOT)
        drawn = rng.integers(0, _QUANTILES, len(slots), dtype=np.uint32)
        tokens[slots] = self._quantiles[drawn]
        return b"".join(self._table[tokens].tolist())

    def paths(self, article: _Article) -> list[str]:
        """Return the paths of the elements that systems return, in document order."""
        paths = ["/article[1]"]
        paths += [f"/article[1]/fm[1]{entry.path}" for entry in self.heads[article.head].returned]
        paths.append("/article[1]/bdy[1]")
        for position, number in enumerate(article.sections, 1):
            above = f"/article[1]/bdy[1]/sec[{position}]"
            paths += [above + entry.path for entry in self.sections[number].returned]
        return paths


class _Passage(NamedTuple):
    """The blocks first … last of an article as an assessor marked them, and how exhaustive they are."""

    first: int
    last: int
    grade: int


class _Blocks:
    """The blocks of an article: what stands directly in a section or an abstract, titles too."""

    _HOLDERS = ("abs", "sec", "ss1", "ss2", "ss3")

    def __init__(self, tree: ElementTree) -> None:
        self.tree = tree
        tags = [tree.tag(row) for row in range(len(tree))]
        self.rows = [
            row
            for row, above in enumerate(tree.parent.tolist())
            if above >= 0 and tags[above] in self._HOLDERS and tags[row] not in self._HOLDERS
        ]
        self._starters = [n for n, row in enumerate(self.rows) if tags[row] != "st"]

    def draw(self, rng: np.random.Generator) -> tuple[int, int]:
        """Draw a passage: a few blocks, a section at any level, or seldom the body."""
        block = self._starters[int(rng.integers(len(self._starters)))]
        kind, length = rng.random(), int(rng.integers(4))
        holder = int(self.tree.parent[self.rows[block]])
        if kind < 0.6:
            inside = self._inside(holder)
            last = block
            while last < min(block + length, inside[1]) and self._holder(last + 1) == holder:
                last += 1
            return block, last
        levels = [holder, *self.tree.ancestors(holder)][:-1]  # not the article
        return self._inside(levels[0] if kind < 0.8 else levels[-2 if kind < 0.96 else -1])

    def _holder(self, block: int) -> int:
        return int(self.tree.parent[self.rows[block]])

    def _inside(self, row: int) -> tuple[int, int]:
        first, last = np.searchsorted(self.rows, [row, int(self.tree.end[row])]).tolist()
        return first, last - 1

    def span(self, passage: _Passage) -> tuple[int, int]:
        """Return the characters of a passage."""
        tree = self.tree
        return int(tree.start[self.rows[passage.first]]), int(tree.stop[self.rows[passage.last]])


@dataclass
class _Judged:
    """What an assessor marked in one article."""

    name: str
    blocks: _Blocks
    passages: list[_Passage]


def _mark(blocks: _Blocks, rng: np.random.Generator) -> list[_Passage]:
    """Draw the passages of a relevant article, one to some, which do not overlap."""
    passages: list[_Passage] = []
    for _ in range(1 + int(rng.poisson(1.2))):
        first, last = blocks.draw(rng)
        grade = 1 + int(np.searchsorted([0.45, 0.78], rng.random()))
        if all(last < other.first or other.last < first for other in passages):
            passages.append(_Passage(first, last, grade))
    return sorted(passages)


def _second_thoughts(judged: _Judged, agreement: float, rng: np.random.Generator) -> _Judged:
    """Return what a further assessor marks in an article."""
    passages = []
    for passage in judged.passages:
        agrees, kind = rng.random(2).tolist()
        shifts = rng.integers(1, 4, 2) * rng.choice([-1, 1], 2)
        raised = int(rng.integers(1, 3))
        if agrees < agreement:
            passages.append(passage)
        elif kind < 0.25:
            highest = len(judged.blocks.rows) - 1
            first = min(max(passage.first + int(shifts[0]), 0), highest)
            last = min(max(passage.last + int(shifts[1]), first), highest)
            passages.append(_Passage(first, last, passage.grade))
        elif kind < 0.5:
            passages.append(passage._replace(grade=(passage.grade - 1 + raised) % 3 + 1))
    return _Judged(judged.name, judged.blocks, passages)


@dataclass
class _Pool:
    """The elements that a topic's systems choose from, article by article in document order.

    parents, ends: places in the pool; the descendants of element i are i + 1 … ends[i] - 1.
    owners: place of the article among those of the pool.
    """

    files: list[str]
    paths: list[str]
    levels: Floats
    owners: Ints
    parents: list[int]
    ends: list[int]
    worth: Floats = field(default_factory=lambda: np.zeros(0))


def _pool(templates: _Templates, articles: Sequence[_Article]) -> _Pool:
    paths: list[str] = []
    levels: list[Floats] = []
    parents: list[Ints] = []
    ends: list[Ints] = []
    sizes: list[int] = []
    for article in articles:
        start = len(paths)
        paths += templates.paths(article)
        sizes.append(len(paths) - start)
        head = templates.heads[article.head]
        body = start + 1 + len(head.levels)
        place = start + 1
        end = np.array([len(paths)], dtype=np.int32)
        levels.append(np.array([_LEVELS["article"]]))
        parents.append(np.array([-1], dtype=np.int32))
        ends.append(end)
        for part in [head, None, *(templates.sections[number] for number in article.sections)]:
            if part is None:
                levels.append(np.array([_LEVELS["bdy"]]))
                parents.append(np.array([start], dtype=np.int32))
                ends.append(end)
                place += 1
                continue
            levels.append(part.levels)
            above = start if part is head else body
            parents.append(np.where(part.parents < 0, above, part.parents + place).astype(np.int32))
            ends.append(part.ends + np.int32(place))
            place += len(part.levels)
    return _Pool(
        [article.name for article in articles],
        paths,
        np.concatenate(levels),
        np.repeat(np.arange(len(articles), dtype=np.int32), sizes),
        np.concatenate(parents).tolist(),
        np.concatenate(ends).tolist(),
    )


def _worth(pool: _Pool, truth: RecallBase, topic: str) -> Floats:
    """Return what elements are truly worth: the first assessor's grades, quantised (sog)."""
    assessed = truth.files(topic)
    worth = np.zeros(len(pool.paths))
    owners = {number for number, file in enumerate(pool.files) if file in assessed}
    for place in np.flatnonzero(np.isin(pool.owners, list(owners))).tolist():
        found = assessed[pool.files[int(pool.owners[place])]].get(pool.paths[place])
        if found is not None:
            worth[place] = sog(*found[:2])
    return worth


def _retrieve(pool: _Pool, system: System, results: int, rng: np.random.Generator) -> list[int]:
    """Return a system's ranking as places in the pool.

    Score = fit · (skill · worth + (1 - skill) · noise); the fit falls from 1 for the preferred
    granularity to 0.5, and half of the noise is the article's, for what stands together ranks together.
    """
    number = len(pool.levels)
    noise = (rng.random(len(pool.files))[pool.owners] + rng.random(number)) / 2
    company = rng.random(number) < 0.5
    fit = 1 - 0.5 * np.abs(pool.levels - system.granularity)
    scores = fit * (system.skill * pool.worth + (1 - system.skill) * noise)
    choose = _overlapping if system.overlap else _disjoint
    top = min(8 * results, number)
    while True:
        # By value and then by place, so that the order rests on no sorting algorithm.
        least = np.partition(scores, number - top)[number - top]
        candidates = np.flatnonzero(scores >= least)
        order = candidates[np.argsort(-scores[candidates], kind="stable")]
        chosen = choose(pool, order.tolist(), results, scores, company)
        if len(chosen) >= results or top == number:
            return chosen
        top = number


def _disjoint(
    pool: _Pool, order: Iterable[int], results: int, scores: Floats, company: npt.NDArray[np.bool_]
) -> list[int]:
    """Take from the top what neither contains nor lies in what was taken."""
    barred = bytearray(len(pool.parents))
    chosen: list[int] = []
    for place in order:
        if barred[place]:
            continue
        chosen.append(place)
        if len(chosen) == results:
            break
        end, above = pool.ends[place], pool.parents[place]
        barred[place:end] = b"\1" * (end - place)
        while above >= 0 and not barred[above]:
            barred[above] = 1
            above = pool.parents[above]
    return chosen


def _overlapping(
    pool: _Pool, order: Iterable[int], results: int, scores: Floats, company: npt.NDArray[np.bool_]
) -> list[int]:
    """Take from the top, of every other element its parent and its best child with it."""
    chosen: dict[int, None] = {}
    for place in order:
        if place in chosen:
            continue
        chosen[place] = None
        if company[place]:
            if pool.parents[place] >= 0:
                chosen[pool.parents[place]] = None
            children = list(_children(pool, place))
            if children:
                chosen[max(children, key=scores.__getitem__)] = None
        if len(chosen) >= results:
            break
    return list(chosen)[:results]


def _children(pool: _Pool, place: int) -> Iterator[int]:
    child, end = place + 1, pool.ends[place]
    while child < end:
        yield child
        child = pool.ends[child]


class _Campaign:
    """Writes the files of a campaign."""

    def __init__(self, folder: Path, shape: Shape) -> None:
        self.folder = folder
        self.shape = shape
        self.templates = _Templates(shape)
        self.articles: list[_Article] = []
        self.made = Simulated()

    def write(self) -> Simulated:
        self._documents()
        made = systems(self.shape)
        (self.folder / "runs").mkdir()
        for system in made:
            self._append(system, f'{_DECLARATION}<inex-submission run-id="{system.name}">\n')
        for number in range(self.shape.topics):
            self._topic(number, made)
        for system in made:
            self._append(system, "</inex-submission>\n")
        self.made.runs = len(made)
        self._configuration()
        return self.made

    def _documents(self) -> None:
        depths = 0
        folders: set[Path] = set()
        for number in range(self.shape.articles):
            rng = _generator(self.shape, _DOCUMENT, number)
            article = self.templates.article(number, rng)
            path = self.folder / "documents" / f"{article.name}.xml"
            if path.parent not in folders:
                folders.add(path.parent)
                path.parent.mkdir(parents=True)
            path.write_bytes(self.templates.document(article, rng))
            self.articles.append(article)
            elements, depth = self.templates.measures(article)
            self.made.elements += elements
            depths += depth
        self.made.articles = len(self.articles)
        self.made.depth = depths / self.made.elements

    def _topic(self, number: int, made: Iterable[System]) -> None:
        """Draw a topic's relevant articles and passages, have them assessed, and answer it."""
        topic = str(_FIRST_TOPIC + number)
        rng = _generator(self.shape, _TOPIC, number)
        wanted = round(self.shape.relevant * rng.lognormal(-0.18, 0.6))
        relevant = min(max(wanted, 1), max(len(self.articles) // 2, 1))
        order = rng.permutation(len(self.articles))[: relevant + self.shape.results].tolist()
        # One a topic, so that few trees are kept.
        corpus = Corpus(self.folder / "documents", cache=False)
        truth = []
        for article in sorted(order[:relevant]):
            blocks = _Blocks(corpus.tree(self.articles[article].name))
            truth.append(_Judged(self.articles[article].name, blocks, _mark(blocks, rng)))
        self.made.topics += 1
        self.made.passages += sum(len(judged.passages) for judged in truth)
        base = self._assessments(topic, 0, truth, corpus)
        for assessor in range(1, self.shape.assessors):
            rng = _generator(self.shape, _ASSESSOR, assessor, number)
            others = [_second_thoughts(judged, self.shape.agreement, rng) for judged in truth]
            self._assessments(topic, assessor, others, corpus)
        pool = _pool(self.templates, [self.articles[article] for article in sorted(order)])
        pool.worth = _worth(pool, base, topic)
        for system in made:
            rng = _generator(self.shape, _RUN, system.number, number)
            ranking = _retrieve(pool, system, self.shape.results, rng)
            self.made.results += len(ranking)
            self._append(system, _answer(topic, pool, ranking))

    def _assessments(
        self, topic: str, assessor: int, judged: Iterable[_Judged], corpus: Corpus
    ) -> RecallBase:
        marks = [
            Highlight(topic, article.name, *article.blocks.span(passage), passage.grade)
            for article in judged
            for passage in article.passages
        ]
        base = assess(marks, corpus)
        base.add_topic(topic, "simulation")
        folder = self.folder / _assessments_of(assessor, self.shape)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{topic}.xml").write_bytes(inex_2004(base, topic))
        return base

    def _append(self, system: System, text: str) -> None:
        with (self.folder / "runs" / f"{system.name}.xml").open("ab") as file:
            file.write(text.encode())

    def _configuration(self) -> None:
        shape = self.shape
        lines = [
            f"# A simulated campaign (xcg.simulation.campaign), seed {shape.seed}: {shape.articles} articles,",
            f"# {shape.topics} topics, {shape.runs} runs; a run's name tells its skill, granularity",
            "# and behaviour towards overlap.",
        ]
        if shape.assessors > 1:
            lines.append(f"# Further assessors, agreement {shape.agreement:g}:")
            lines += [f"#   {_assessments_of(number, shape)}" for number in range(1, shape.assessors)]
        lines += [
            "corpus: documents",
            f"assessments: {_assessments_of(0, shape)}",
            "runs: runs",
            f"user_model: {DEFAULT}",
            f"measures: [{', '.join(DEFAULT_MEASURES)}]",
        ]
        text = "".join(f"{line}\n" for line in lines)
        (self.folder / "config.yaml").write_bytes(text.encode())


_DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n'


def _assessments_of(assessor: int, shape: Shape) -> str:
    """Return the folder of an assessor's files."""
    return "assessments" if shape.assessors == 1 else f"assessments/assessor{assessor + 1}"


def _answer(topic: str, pool: _Pool, ranking: Sequence[int]) -> str:
    """Return a run's results for a topic as XML; names and paths hold nothing to escape."""
    owners = pool.owners[ranking].tolist()
    lines = [f'<topic topic-id="{topic}">\n']
    lines += [
        f"<result><file>{pool.files[owner]}</file><path>{pool.paths[place]}</path>"
        f"<rank>{rank}</rank></result>\n"
        for rank, (place, owner) in enumerate(zip(ranking, owners, strict=True), 1)
    ]
    return "".join([*lines, "</topic>\n"])
