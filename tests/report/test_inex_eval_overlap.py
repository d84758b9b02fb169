"""inex-eval finds the first result that overlaps an earlier one, at little cost per result."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st
from work import executed_lines, growth

from xcg.report.inex_eval import InexEvalOptions, _offence
from xcg.runs.run import UNKNOWN_SPAN

spans = st.tuples(st.integers(0, 12), st.integers(0, 3)).map(lambda s: (s[0], s[0] + s[1]))


def first_overlap(results: list[tuple[int, int]]) -> int | None:
    """Return the index of the first result that overlaps an earlier one, as inex_eval compares them."""
    for index, (start, end) in enumerate(results):
        earlier = results[:index] if (start, end) != UNKNOWN_SPAN else []
        if any(start < stop and begin < end for begin, stop in earlier):
            return index
    return None


@given(st.lists(spans | st.just(UNKNOWN_SPAN), max_size=8))
def test_every_pair_of_results_is_compared(results: list[tuple[int, int]]) -> None:
    found = _offence([("d", *span) for span in results], InexEvalOptions("f"))
    assert (found[0] if found is not None else None) == first_overlap(results)


def test_the_work_per_result_does_not_grow() -> None:
    def work(count: int) -> int:
        results = [("d", 10 * i, 10 * i + i % 9) for i in range(count)]
        random.Random(1).shuffle(results)
        return executed_lines(lambda: _offence(results, InexEvalOptions("f")))

    assert growth(work, 500) < 1.25
