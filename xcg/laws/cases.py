"""Small cases: documents, gold spans and rankings, and the strategies that make them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from xcg.documents.text_units import Yardstick
from xcg.laws.subject_types import Gold, Retrieved, overlap

Form = Literal["text", "elements"]
"""What gold and results are: any spans of plain text, or elements of a tree, as their spans."""

Sizes = int | tuple["Sizes", ...]
"""The characters of an element, or what its child elements have."""

Ranking = tuple[Retrieved, ...]

_WORDS = "a bc def ghij klmno pqrstu vwxyz "
_TAGS = ("article", "sec", "p")


@dataclass(frozen=True)
class Document:
    """A document of which only the sizes matter: a text, or a tree of sections and paragraphs.

    >>> document = Document((3, (4, 2)))
    >>> document.markup
    '<article><sec>a b</sec><sec><p>c de</p><p>f </p></sec></article>'
    >>> document.elements[(3, 9)]
    '/article[1]/sec[2]'
    """

    sizes: Sizes

    @cached_property
    def elements(self) -> Mapping[tuple[int, int], str]:
        """The spans of all elements, each with its path; no two elements have the same."""
        return dict(_elements(self.sizes, "/article[1]", 0, 0))

    @property
    def size(self) -> int:
        """How many characters the text has."""
        return _total(self.sizes)

    @property
    def text(self) -> str:
        """The text."""
        return (_WORDS * (self.size // len(_WORDS) + 1))[: self.size]

    @property
    def markup(self) -> str:
        """The document as XML."""
        return _markup(self.sizes, self.text, 0)

    def children(self, span: tuple[int, int]) -> list[tuple[int, int]]:
        """Return the spans of an element's child elements."""
        depth = self.elements[span].count("/") + 1
        inside = [s for s in self.elements if span[0] <= s[0] and s[1] <= span[1]]
        return [s for s in inside if self.elements[s].count("/") == depth]


def _total(sizes: Sizes) -> int:
    return sizes if isinstance(sizes, int) else sum(map(_total, sizes))


def _elements(sizes: Sizes, path: str, depth: int, at: int) -> Iterator[tuple[tuple[int, int], str]]:
    yield (at, at + _total(sizes)), path
    for position, child in enumerate(sizes if isinstance(sizes, tuple) else (), 1):
        yield from _elements(child, f"{path}/{_TAGS[depth + 1]}[{position}]", depth + 1, at)
        at += _total(child)


def _markup(sizes: Sizes, text: str, depth: int) -> str:
    inner = text
    if isinstance(sizes, tuple):
        inner, at = "", 0
        for child in sizes:
            inner += _markup(child, text[at : at + _total(child)], depth + 1)
            at += _total(child)
    return f"<{_TAGS[depth]}>{inner}</{_TAGS[depth]}>"


@dataclass(frozen=True)
class Case:
    """One topic: one or two documents, and the gold spans in them."""

    documents: Mapping[str, Document]
    gold: tuple[Gold, ...]

    def relevant(self, result: Retrieved) -> bool:
        """Say whether a result has relevant text."""
        return any(overlap(gold, result) for gold in self.gold)


@dataclass(frozen=True)
class Setting:
    """What cases look like.

    form: what spans are. grades: which gold has. yardstick: how the text of a document is measured,
    where the user pays with the text that is read, and not with every result the same.
    """

    form: Form = "text"
    grades: tuple[int, ...] = (1, 2, 3)
    yardstick: Callable[[str], Yardstick] | None = None


@st.composite
def cases(draw: DrawFn, setting: Setting) -> Case:
    """A case with at least one gold span, in the order of the text; gold spans do not overlap.

    Of elements gold are some of the smallest: what lies in a relevant element is relevant.
    """
    if setting.form == "elements":
        return draw(_cases_of_elements(setting))
    marked = st.tuples(st.integers(0, 6), st.integers(1, 12), st.sampled_from(setting.grades))
    # Lists and no numbers of documents and spans: hypothesis knows how to leave out what they hold.
    first = draw(st.tuples(st.lists(marked, min_size=1, max_size=2), st.integers(0, 12)))
    others = draw(st.lists(st.tuples(st.lists(marked, max_size=2), st.integers(1, 12)), max_size=1))
    documents, gold = {}, list[Gold]()
    for name, (spans, rest) in zip(_NAMES, [first, *others], strict=False):
        at = 0
        for gap, length, grade in spans:
            gold.append(Gold(name, at + gap, at + gap + length, grade))
            at += gap + length
        documents[name] = Document(at + rest)
    return Case(documents, tuple(gold))


@st.composite
def _cases_of_elements(draw: DrawFn, setting: Setting) -> Case:
    # A single child would have its parent's span.
    sizes = st.integers(1, 9)
    sections = sizes | st.lists(sizes, min_size=2, max_size=3).map(tuple)
    trees = sizes | st.lists(sections, min_size=2, max_size=3).map(tuple)
    drawn = draw(st.lists(trees, min_size=1, max_size=2))
    documents = {name: Document(tree) for name, tree in zip(_NAMES, drawn, strict=False)}
    smallest = [span for span in _spans(documents) if not documents[span.document].children(span[1:])]
    marked = st.tuples(st.sampled_from(smallest), st.sampled_from(setting.grades))
    chosen = draw(st.lists(marked, min_size=1, max_size=3, unique_by=lambda mark: mark[0]))
    return Case(documents, tuple(Gold(*span, grade) for span, grade in sorted(chosen)))


_NAMES = ("a", "b")


def _spans(documents: Mapping[str, Document]) -> list[Retrieved]:
    return [
        Retrieved(name, *span) for name, document in documents.items() for span in document.elements
    ]


def results(case: Case, setting: Setting) -> SearchStrategy[Retrieved]:
    """A result: a gold span as it is, a whole document, any other span."""
    golden = st.sampled_from([Retrieved(*gold[:3]) for gold in case.gold])
    if setting.form == "elements":
        return golden | st.sampled_from(_spans(case.documents))
    whole = st.sampled_from(
        [Retrieved(name, 0, document.size) for name, document in case.documents.items()]
    )
    return golden | whole | whole.flatmap(lambda outer: inside(case, setting, outer))


def rankings(case: Case, setting: Setting, least: int = 1) -> SearchStrategy[Ranking]:
    """A ranking of up to five results."""
    return st.lists(results(case, setting), min_size=least, max_size=5).map(tuple)


def inside(case: Case, setting: Setting, outer: Retrieved) -> SearchStrategy[Retrieved]:
    """A result that is, or lies in, another."""
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


def beside_gold(case: Case, setting: Setting) -> list[Retrieved]:
    """Return the longest stretches of text, or all elements, that have no relevant text."""
    if setting.form == "elements":
        return [span for span in _spans(case.documents) if not case.relevant(span)]
    found = []
    for name, document in case.documents.items():
        at = 0
        for gold in (gold for gold in case.gold if gold.document == name):
            found.append(Retrieved(name, at, gold.start))
            at = gold.end
        found.append(Retrieved(name, at, document.size))
    return [span for span in found if span.start < span.end]


@st.composite
def pieces(draw: DrawFn, case: Case, setting: Setting, result: Retrieved) -> Ranking:
    """A result cut in two, or an element's child elements; what cannot be cut stays as it is."""
    name, start, end = result
    if setting.form == "elements":
        children = case.documents[name].children((start, end))
        return tuple(Retrieved(name, *child) for child in children) or (result,)
    if end - start < 2:
        return (result,)
    cut = draw(st.integers(start + 1, end - 1))
    return Retrieved(name, start, cut), Retrieved(name, cut, end)
