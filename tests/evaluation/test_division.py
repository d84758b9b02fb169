"""Work is divided by runs, by topics or by both, into pieces of about the same size."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xcg.evaluation.division import Piece, divide


def shapes(pieces: list[Piece]) -> tuple[int, int]:
    """Return the number of parts of the runs and of the topics."""
    return len({piece.runs for piece in pieces}), len({piece.topics for piece in pieces})


@pytest.mark.parametrize(
    ("sizes", "topics", "workers", "expected"),
    [
        ([7] * 69, 34, 1, (1, 1)),
        ([7] * 69, 34, 2, (2, 1)),  # enough runs
        ([7] * 69, 34, 8, (8, 1)),
        ([7], 34, 2, (1, 2)),  # one run
        ([7], 34, 4, (1, 4)),
        ([7], 1, 4, (1, 1)),
        ([7, 7], 34, 4, (2, 2)),  # both
        ([7] * 3, 0, 2, (2, 1)),
        ([0, 0], 5, 2, (2, 1)),  # empty files
    ],
)
def test_the_division_of_campaigns(
    sizes: list[float], topics: int, workers: int, expected: tuple[int, int]
) -> None:
    assert shapes(divide(sizes, topics, workers)) == expected


def test_runs_are_balanced_by_size() -> None:
    first, second = divide([1, 1, 1, 1, 1, 5], 3, 2)
    assert (list(first.runs), list(second.runs)) == ([0, 1, 2, 3, 4], [5])


def test_unequal_runs_give_more_pieces_than_workers() -> None:
    pieces = divide([4, 4, 10, 4, 4], 1, 2)
    assert len(pieces) > 2


def test_a_run_that_is_larger_than_all_others_is_divided_by_topics() -> None:
    pieces = divide([100, 1, 1, 1], 30, 2)
    assert shapes(pieces)[1] >= 2


@given(
    st.lists(st.floats(0, 1e12), min_size=1, max_size=30),
    st.integers(0, 40),
    st.integers(1, 1000),
)
def test_pieces_are_all_the_work_once_and_in_order(
    sizes: list[float], topics: int, workers: int
) -> None:
    pieces = divide(sizes, topics, workers)
    assert all(len(piece.runs) for piece in pieces)
    assert all(len(piece.topics) for piece in pieces) or topics == 0
    assert pieces == sorted(pieces, key=lambda piece: (piece.runs.start, piece.topics.start))
    work = [(run, topic) for runs, found in pieces for run in runs for topic in found]
    assert sorted(work) == [(run, topic) for run in range(len(sizes)) for topic in range(topics)]
    assert len(set(work)) == len(work)
