"""The covered text of elements equals a count of single characters, and needs linear memory."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from xcg.documents.corpus import Corpus
from xcg.documents.parsing import parse_document
from xcg.judgements.highlights import Highlight, SpecificityScale, assess, assess_spans
from xcg.judgements.recall_base import Span

TREE = parse_document(b"<a>12<b>3456<c>7890</c></b>12<b><c>3</c>4567<c/><c>8</c>901234567890</b></a>")
ranges = st.tuples(st.integers(0, 30), st.integers(0, 30)).map(sorted)
passages = st.tuples(ranges.filter(lambda r: r[0] < r[1]), st.sampled_from([0.5, 1.0, 2.0, 7.0]))


@given(st.lists(passages, max_size=6))
def test_shares_and_grades_are_those_of_single_characters(
    marked: list[tuple[list[int], float]],
) -> None:
    covering = [[value for (low, high), value in marked if low <= i < high] for i in range(31)]
    expected = {}
    for row in range(len(TREE)):
        inside = covering[TREE.start[row] : TREE.stop[row]]
        if any(inside):
            grade = max(value for values in inside for value in values)
            expected[row] = grade, sum(map(bool, inside)) / len(inside)
    found = assess_spans(TREE, [Span(*span, value) for span, value in marked])
    assert {row: assessment[:2] for row, assessment in found.items()} == expected


@given(st.lists(passages, min_size=1, max_size=6))
def test_exhaustivity_is_that_of_passages_of_which_an_element_contains_half(
    marked: list[tuple[list[int], float]],
) -> None:
    tree = TREE
    highlights = [Highlight("1", "d", *span, exhaustivity=1 + int(grade) % 3) for span, grade in marked]
    base = assess(highlights, Corpus.of({"d": tree}), SpecificityScale(smallest=1))
    found = base.files["1"].get("d", {})
    expected = {}
    for row, path in enumerate(tree.paths):
        inside = [min(tree.stop[row], h.end) - max(tree.start[row], h.start) for h in highlights]
        grades = [
            h.exhaustivity if 2 * shared >= h.end - h.start else max(h.exhaustivity - 1, 1)
            for h, shared in zip(highlights, inside, strict=True)
            if shared > 0
        ]
        if grades:
            expected[path] = max(grades)
    assert {path: assessment.exhaustivity for path, assessment in found.items()} == expected
