"""Finding elements and text in a large document is cheap, regardless of the number of elements."""

from __future__ import annotations

import pytest
from hypothesis import given
from random_cases import markup
from work import executed_lines, growth

from xcg.documents.parsing import parse_document
from xcg.documents.passage_points import Point
from xcg.documents.tree import UnknownPathError


@given(markup())
def test_the_smallest_element_around_a_span(document: str) -> None:
    tree = parse_document(document.encode())
    length = min(int(tree.characters[0]), 12)
    for start in range(length):
        for end in range(start + 1, length + 1):
            around = [r for r in range(len(tree)) if tree.start[r] <= start and end <= tree.stop[r]]
            assert tree.smallest_element(start, end) == around[-1]


def test_points_in_a_document_with_many_text_nodes() -> None:
    def work(count: int) -> int:
        tree = parse_document(b"<a>" + b"text<p/>" * count + b"</a>")
        points = [Point("/a[1]", i + 1, 2) for i in range(count)]
        return executed_lines(lambda: [point.character(tree) for point in points])

    assert growth(work, 250) < 1.25


def test_unknown_paths_in_a_document_with_many_elements() -> None:
    def work(count: int) -> int:
        tree = parse_document(b"<a>" + b"<p/>" * count + b"</a>")

        def look_up() -> None:
            for i in range(count):
                with pytest.raises(UnknownPathError, match=rf"/a\[1\] has {count} 'p' child elements"):
                    tree.row(f"/a[1]/p[{count + 1 + i}]")

        return executed_lines(look_up)

    assert growth(work, 250) < 1.25
