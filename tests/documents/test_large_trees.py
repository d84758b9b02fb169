"""Finding elements and text in a large document is cheap, regardless of the number of elements."""

from __future__ import annotations

from hypothesis import given
from random_cases import markup

from xcg.documents.parsing import parse_document


@given(markup())
def test_the_smallest_element_around_a_span(document: str) -> None:
    tree = parse_document(document.encode())
    length = min(int(tree.characters[0]), 12)
    for start in range(length):
        for end in range(start + 1, length + 1):
            around = [r for r in range(len(tree)) if tree.start[r] <= start and end <= tree.stop[r]]
            assert tree.smallest_element(start, end) == around[-1]
