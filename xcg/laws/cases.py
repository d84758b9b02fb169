"""Small cases (documents, gold spans, rankings) and the hypothesis strategies that draw them."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from xcg.documents.parsing import parse_document
from xcg.documents.text_units import UnitConverter
from xcg.documents.tree import ElementTree

Form = Literal["text", "elements"]
"""Whether gold and results are arbitrary spans of plain text, or elements of a tree."""

Sizes = int | tuple["Sizes", ...]
"""Number of characters of an element, or the sizes of its children."""


class Gold(NamedTuple):
    """A relevant passage.

    Attributes:
        document: Name of the document.
        start: First character, from 0.
        end: Character after the last.
        grade: Grade of relevance, 1 to 3.
    """

    document: str
    start: int
    end: int
    grade: int


class Retrieved(NamedTuple):
    """A result.

    Attributes:
        document: Name of the document.
        start: First character, from 0.
        end: Character after the last.
    """

    document: str
    start: int
    end: int


Ranking = tuple[Retrieved, ...]


def overlap(one: Gold | Retrieved, other: Gold | Retrieved) -> bool:
    """Return whether two spans share text.

    >>> gold = Gold("d", 3, 9, 1)
    >>> overlap(Retrieved("d", 0, 4), gold), overlap(Retrieved("d", 0, 3), gold)
    (True, False)
    """
    return one.document == other.document and one.start < other.end and other.start < one.end


_TEXT = "a bc def ghij klmno pqrstu vwxyz "
_TAGS = ("article", "sec", "p")
_NAMES = ("a", "b")


@dataclass(frozen=True)
class Document:
    """A document that is defined by its sizes: a text, or a tree of sections and paragraphs.

    Args:
        sizes: Number of characters, or the sizes of the sections.

    >>> document = Document((3, (4, 2)))
    >>> document.markup
    '<article><sec>a b</sec><sec><p>c de</p><p>f </p></sec></article>'
    >>> document.elements[(3, 9)]
    '/article[1]/sec[2]'
    """

    sizes: Sizes

    @cached_property
    def _tree(self) -> ElementTree:
        return parse_document(self.markup.encode())

    @cached_property
    def elements(self) -> Mapping[tuple[int, int], str]:
        """The path of each element by its span; spans are unique."""
        spans = zip(self._tree.start.tolist(), self._tree.stop.tolist(), strict=True)
        return dict(zip(spans, self._tree.paths, strict=True))

    @property
    def text(self) -> str:
        """The text without markup."""
        return self._tree.text

    @property
    def size(self) -> int:
        """Number of characters of the text."""
        return len(self.text)

    @cached_property
    def markup(self) -> str:
        """The document as XML."""
        return _markup(self.sizes, itertools.cycle(_TEXT), 0)

    def children(self, span: tuple[int, int]) -> list[tuple[int, int]]:
        """Return the spans of an element's children."""
        spans = list(self.elements)
        return [spans[row] for row in self._tree.children(spans.index(span))]


def _markup(sizes: Sizes, characters: Iterator[str], depth: int) -> str:
    """Return an element as XML, with its text taken from the remaining characters."""
    if isinstance(sizes, int):
        content = "".join(itertools.islice(characters, sizes))
    else:
        content = "".join(_markup(child, characters, depth + 1) for child in sizes)
    return f"<{_TAGS[depth]}>{content}</{_TAGS[depth]}>"


@dataclass(frozen=True)
class Case:
    """A topic with one or two documents.

    Args:
        documents: Documents by name.
        gold: The relevant passages.
    """

    documents: Mapping[str, Document]
    gold: tuple[Gold, ...]

    def relevant(self, result: Retrieved) -> bool:
        """Return whether a result contains relevant text."""
        return any(overlap(gold, result) for gold in self.gold)


@dataclass(frozen=True)
class Setting:
    """The kind of cases that suits a measure.

    Args:
        form: Whether gold and results are spans of text or elements.
        grades: Possible grades of gold.
        converter: Returns the measure of effort for a document's text; None if the user's effort is the
            same for each result.
        padding_costs: Whether text without gold that is added to a result must lower its score,
            because the user pays for whole results and the measure depends on all effort.
        total_gain: Whether the measure is about all gain in rank order, and no ranking can gain more
            than the ideal ranking. Only then a result can be limited to the share of gain that it adds.
    """

    form: Form = "text"
    grades: tuple[int, ...] = (1, 2, 3)
    converter: Callable[[str], UnitConverter] | None = None
    padding_costs: bool = False
    total_gain: bool = False


@st.composite
def cases(draw: DrawFn, setting: Setting) -> Case:
    """Draw a case with at least one gold span; gold spans are in text order and do not overlap.

    With elements, gold spans are leaves, because the ancestors of a relevant element are relevant too.
    """
    if setting.form == "elements":
        return draw(_element_cases(setting))
    marked = st.tuples(st.integers(0, 6), st.integers(1, 12), st.sampled_from(setting.grades))
    # Draw lists instead of numbers of documents and spans, so that hypothesis can drop single items.
    first = draw(st.tuples(st.lists(marked, min_size=1, max_size=2), st.integers(0, 12)))
    others = draw(st.lists(st.tuples(st.lists(marked, max_size=2), st.integers(1, 12)), max_size=1))
    documents = {}
    gold: list[Gold] = []
    for name, (spans, rest) in zip(_NAMES, [first, *others], strict=False):
        end = 0
        for gap, length, grade in spans:
            start, end = end + gap, end + gap + length
            gold.append(Gold(name, start, end, grade))
        documents[name] = Document(end + rest)
    return Case(documents, tuple(gold))


@st.composite
def _element_cases(draw: DrawFn, setting: Setting) -> Case:
    sizes = st.integers(1, 9)
    # At least two children, because a single child would have the span of its parent.
    sections = sizes | st.lists(sizes, min_size=2, max_size=3).map(tuple)
    trees = sizes | st.lists(sections, min_size=2, max_size=3).map(tuple)
    drawn = draw(st.lists(trees, min_size=1, max_size=2))
    documents = {name: Document(tree) for name, tree in zip(_NAMES, drawn, strict=False)}
    leaves = [span for span in _spans(documents) if not documents[span.document].children(span[1:])]
    marked = st.tuples(st.sampled_from(leaves), st.sampled_from(setting.grades))
    chosen = draw(st.lists(marked, min_size=1, max_size=3, unique_by=lambda mark: mark[0]))
    return Case(documents, tuple(Gold(*span, grade) for span, grade in sorted(chosen)))


def _spans(documents: Mapping[str, Document]) -> list[Retrieved]:
    return [
        Retrieved(name, *span) for name, document in documents.items() for span in document.elements
    ]


def results(case: Case, setting: Setting) -> SearchStrategy[Retrieved]:
    """Return a strategy for a result: a gold span, a whole document, or any other span."""
    gold = st.sampled_from([Retrieved(*gold[:3]) for gold in case.gold])
    if setting.form == "elements":
        return gold | st.sampled_from(_spans(case.documents))
    whole = st.sampled_from(
        [Retrieved(name, 0, document.size) for name, document in case.documents.items()]
    )
    return gold | whole | whole.flatmap(lambda outer: results_inside(case, setting, outer))


def rankings(case: Case, setting: Setting, min_size: int = 1) -> SearchStrategy[Ranking]:
    """Return a strategy for a ranking of at most five results."""
    return st.lists(results(case, setting), min_size=min_size, max_size=5).map(tuple)


def results_inside(case: Case, setting: Setting, outer: Retrieved) -> SearchStrategy[Retrieved]:
    """Return a strategy for a result that is ``outer`` or lies inside it."""
    if setting.form == "elements":
        spans = [
            span
            for span in _spans(case.documents)
            if span.document == outer.document and outer.start <= span.start and span.end <= outer.end
        ]
        return st.sampled_from(spans)
    starts = st.integers(outer.start, outer.end - 1)
    return starts.flatmap(
        lambda start: st.integers(start + 1, outer.end).map(
            lambda end: Retrieved(outer.document, start, end)
        )
    )


def irrelevant_spans(case: Case, setting: Setting) -> list[Retrieved]:
    """Return the longest spans of text, or all elements, without relevant text."""
    if setting.form == "elements":
        return [span for span in _spans(case.documents) if not case.relevant(span)]
    spans = []
    for name, document in case.documents.items():
        start = 0
        for gold in (gold for gold in case.gold if gold.document == name):
            spans.append(Retrieved(name, start, gold.start))
            start = gold.end
        spans.append(Retrieved(name, start, document.size))
    return [span for span in spans if span.start < span.end]


def padded(case: Case, setting: Setting, result: Retrieved) -> list[Retrieved]:
    """Return longer results with the same relevant text: all spans, or all elements."""
    name, start, end = result
    document = case.documents[name]
    inside = [gold for gold in case.gold if gold.document == name]

    def relevant(low: int, high: int) -> list[int]:
        return [max(min(gold.end, high) - max(gold.start, low), 0) for gold in inside]

    spans: Iterable[tuple[int, int]] = document.elements
    if setting.form == "text":
        spans = itertools.product(range(start + 1), range(end, document.size + 1))
    return [
        Retrieved(name, low, high)
        for low, high in spans
        if low <= start and end <= high and (low, high) != (start, end)
        if relevant(low, high) == relevant(start, end)
    ]


@st.composite
def splits(draw: DrawFn, case: Case, setting: Setting, result: Retrieved) -> Ranking:
    """Draw two halves of a result, or return an element's children; or the result itself."""
    name, start, end = result
    if setting.form == "elements":
        children = case.documents[name].children((start, end))
        return tuple(Retrieved(name, *child) for child in children) or (result,)
    if end - start < 2:
        return (result,)
    middle = draw(st.integers(start + 1, end - 1))
    return Retrieved(name, start, middle), Retrieved(name, middle, end)
