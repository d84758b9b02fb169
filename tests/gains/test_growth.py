"""The work per result does not grow with the number of results in one document."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from work import executed_lines, growth

from xcg.documents.parsing import parse_document
from xcg.documents.tree import ElementTree
from xcg.errors import InputError
from xcg.gains import span_reader
from xcg.gains.element_reader import ElementReader, JudgedDocument
from xcg.gains.span_reader import GoldSpan, SpanReader, UnitSpan
from xcg.user_model.overlap_models import PARTIALLY_SEEN
from xcg.user_model.relevance_value import RelevanceValue

ORDERS = ("leaves first", "root between leaves", "shuffled", "root only")


def tree_of(count: int) -> ElementTree:
    section = b"<s>" + b"<p>0123456789</p>" * 10 + b"</s>"
    return parse_document(b"<a>" + section * (count // 10) + b"</a>")


def ranking(tree: ElementTree, order: str) -> list[int]:
    leaves = [row for row in range(len(tree)) if tree.depth[row] == 3]
    if order == "leaves first":
        return leaves + [0] * len(leaves)
    if order == "root between leaves":
        return [row for leaf in leaves for row in (leaf, 0)]
    if order == "root only":
        return [0] * 2 * len(leaves)
    return random.Random(1).choices(range(1, len(tree)), k=2 * len(leaves))


@pytest.mark.parametrize(("order", "alpha"), [*((order, 1.0) for order in ORDERS), ("shuffled", 0.5)])
def test_reading_elements(order: str, alpha: float) -> None:
    def work(count: int) -> int:
        tree = tree_of(count)
        results = ranking(tree, order)
        leaves = [row for row in range(len(tree)) if tree.depth[row] == 3]
        document = JudgedDocument(tree, dict.fromkeys([0, *leaves], 0.5), leaves)
        value = RelevanceValue(alpha=alpha, partially_seen=PARTIALLY_SEEN.part("first_seen_only"))
        reader = ElementReader(document, value)
        return executed_lines(lambda: [reader.read(row) for row in results])

    assert growth(work, 500) < 1.25


def test_looking_for_earlier_results_inside_an_element() -> None:
    def work(count: int) -> int:
        tree = tree_of(count)
        results = ranking(tree, "shuffled")
        document = JudgedDocument(tree, {0: 0.5}, [0])
        value = RelevanceValue(partially_seen=PARTIALLY_SEEN.part("new_characters"))
        reader = ElementReader(document, value)

        def read() -> None:
            for row in results:
                reader.seen(row)
                reader.read(row)

        return executed_lines(read)

    assert growth(work, 500) < 1.25


SPANS: dict[str, Callable[[int, int], UnitSpan]] = {
    "disjoint": lambda i, count: (10 * i, 10 * i + 7),
    "overlapping": lambda i, count: (10 * i, 10 * i + 15),
    "growing": lambda i, count: (5 * (count - i) - 5, 5 * (count + i) + 5),
    "shrinking": lambda i, count: (i, 10 * count - i),
    "everything": lambda i, count: (0, 10 * count),
}


@pytest.mark.parametrize("span", SPANS.values(), ids=SPANS)
def test_reading_spans(span: Callable[[int, int], UnitSpan]) -> None:
    def work(count: int) -> int:
        gold = [GoldSpan(10 * i, 10 * i + 7, 0.5) for i in range(count)]
        reader = SpanReader(gold, RelevanceValue())
        return executed_lines(lambda: [reader.read(span(i, count)) for i in range(count)])

    assert growth(work, 500) < 1.25


def test_looking_for_earlier_results_with_the_same_text() -> None:
    def work(count: int) -> int:
        reader = SpanReader([], RelevanceValue())
        reader.read((0, 10 * count))
        return executed_lines(
            lambda: [reader.seen(span) or reader.read(span) for span in results(count)]
        )

    def results(count: int) -> list[UnitSpan]:
        return [(10 * i, 10 * i + 15) for i in range(count)]

    assert growth(work, 500) < 1.25


def test_repeated_text_that_gains_something_has_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(span_reader, "MAX_PIECES", 10)
    gold = [GoldSpan(10 * i, 10 * i + 7, 0.5) for i in range(5)]
    reader = SpanReader(gold, RelevanceValue(alpha=0.5), "bees")
    assert reader.read((0, 50)) == 2.5
    assert reader.read((0, 50)) == 0
    with pytest.raises(InputError, match="bees: the results repeat more than 10 pieces of gold spans"):
        reader.read((0, 50))
