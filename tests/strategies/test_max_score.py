"""``max_score`` by hand, and against all sets of results without overlap."""

from __future__ import annotations

import random
import time
import tracemalloc
from collections.abc import Iterator, Sequence
from itertools import combinations_with_replacement, product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rewritten_rankings import rewritten

from xcg.runs.run import Ranking
from xcg.strategies.extents import MAX_OVERLAPPING
from xcg.strategies.selection import max_score

Span = tuple[int, int]
Tree = tuple["Tree", ...]


def test_scores_are_added_as_decimals():
    """As binary floats, 0.1 + 0.2 is greater than 0.3, and 0.1 + 0.7 is less than 0.8."""
    scores = {"d#/a": 0.3, "d#/a/s": 0.1, "d#/a/s[2]": 0.2}
    assert rewritten("max_score", scores) == ["d#/a/s[2]", "d#/a/s"]  # a tie: more results
    assert rewritten("max_score", scores | {"d#/a": 0.30000000000000004}) == ["d#/a"]
    scores = {"d#/a": 0.8, "d#/a/s": 0.7, "d#/a/s[2]": 0.1}
    assert rewritten("max_score", scores) == ["d#/a/s", "d#/a/s[2]"]


def test_without_scores_the_ranks_are_the_scores():
    """The scores are 3, 2, 1: the children tie with their parent."""
    assert rewritten("max_score", ["d#/a", "d#/a/s", "d#/a/p"]) == ["d#/a/s", "d#/a/p"]
    assert rewritten("max_score", ["d#/a", "e", "d#/a/s", "d#/a/p"]) == ["d#/a", "e"]


def test_results_with_a_negative_score_are_dropped_and_those_with_0_are_kept():
    scores = {"d#/a/s": 0.0, "e": 0.0, "f": -1.0, "d#/a/p": -0.5, "g#4:0": -2.0, "g#5:0": 0.0}
    assert rewritten("max_score", scores) == ["d#/a/s", "e", "g#5:0"]
    assert rewritten("max_score", {"e#0:4": -1.0, "e#2:9": -2.0}) == []


def trees(size: int) -> list[Tree]:
    """Return all unordered trees."""
    return list(forests(size - 1))


def forests(size: int, largest: int | None = None) -> Iterator[Tree]:
    """Yield all unordered forests as tuples of trees, the larger trees first."""
    if size == 0:
        yield ()
        return
    for first in range(min(size, largest or size), 0, -1):
        for count in range(1, size // first + 1):
            for group in combinations_with_replacement(trees(first), count):
                rest = size - first * count
                if rest == 0:
                    yield group
                elif first > 1:
                    yield from (group + others for others in forests(rest, first - 1))


def paths_and_spans(forest: Tree, path: str = "/a[1]", start: int = 0) -> list[tuple[str, Span]]:
    """Return the elements of a forest below the root element, with two characters per leaf."""
    found: list[tuple[str, Span]] = []
    for number, tree in enumerate(forest, 1):
        below = paths_and_spans(tree, f"{path}/s[{number}]", start + 1)
        end = max((end for _, (_, end) in below), default=start + 1) + 1
        found += [(f"{path}/s[{number}]", (start, end)), *below]
        start = end
    return found


def best_set(spans: Sequence[Span], scores: Sequence[int]) -> set[int]:
    """Return the best of all sets without overlap by the definition."""
    sets: list[tuple[int, ...]] = [()]
    for position, (start, end) in enumerate(spans):
        sets += [
            (*chosen, position)
            for chosen in sets
            if not any(max(start, spans[c][0]) < min(end, spans[c][1]) for c in chosen)
        ]
    key = {
        chosen: (sum(scores[c] for c in chosen), len(chosen), [-c for c in chosen]) for chosen in sets
    }
    return set(max(sets, key=key.__getitem__))


def test_the_number_of_forests_is_as_known():
    """Rooted trees with n + 1 nodes: https://oeis.org/A000081."""
    numbers = [sum(1 for _ in forests(size)) for size in range(11)]
    assert numbers == [1, 1, 2, 4, 9, 20, 48, 115, 286, 719, 1842]


@pytest.mark.parametrize(
    "size", [*range(1, 9), *(pytest.param(n, marks=pytest.mark.slow) for n in (9, 10))]
)
def test_the_best_set_of_every_forest_is_kept(size):
    """With few different scores, so that sets tie; as elements and as passages."""
    chance = random.Random(size)
    for forest in forests(size):
        elements = paths_and_spans(forest)
        chance.shuffle(elements)
        scores = sorted((chance.choice([-1, 0, 1, 1, 2, 2, 3, 4, 6]) for _ in elements), reverse=True)
        spans = [span for _, span in elements]
        best = [n in best_set(spans, scores) for n in range(size)]
        keys = [score / 10 for score in scores]
        by_path = Ranking.of([("d", path, None) for path, _ in elements], keys, True)
        by_span = Ranking.of([("d", "", span) for span in spans], keys, True)
        assert max_score(by_path).paths == [
            e[0] for e, chosen in zip(elements, best, strict=True) if chosen
        ]
        assert list(max_score(by_span).spans.values()) == [
            span for span, chosen in zip(spans, best, strict=True) if chosen
        ]


@given(st.lists(st.tuples(st.integers(0, 12), st.integers(1, 7)), max_size=9))
def test_the_best_set_of_unscored_passages_is_kept(results):
    spans = [(start, start + length) for start, length in results]
    best = best_set(spans, range(len(spans), 0, -1))
    ranking = Ranking.of([("d", "", span) for span in spans])
    assert list(max_score(ranking).spans.values()) == [spans[n] for n in sorted(best)]


HOSTILE = {
    "sliding": lambda n: [(10 * i, 10 * i + 95) for i in range(n)],
    "nested": lambda n: [(i, 2 * n - i) for i in range(n)],
    "identical": lambda n: [(5, 50)] * n,
    "comb": lambda n: [(i // 2, i // 2 + 1 if i % 2 else n) for i in range(n)],
}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("shape", "scores"),
    [*product(["sliding", "comb"], ["equal", "random"]), ("nested", "negative"), ("identical", "huge")],
)
def test_hostile_rankings_take_seconds_and_little_memory(shape, scores):
    chance = random.Random(1)
    spans = HOSTILE[shape](MAX_OVERLAPPING)
    chance.shuffle(spans)
    score = {
        "equal": lambda: 0.1,
        "huge": lambda: 1e308,
        "negative": lambda: -1.0,
        "random": lambda: chance.random() * 10.0 ** chance.randint(-320, 307),
    }[scores]
    keys = sorted((score() for _ in spans), reverse=True)
    ranking = Ranking.of([("d", "", span) for span in spans], keys, True)
    started = time.process_time()
    rewritten_ranking = max_score(ranking)
    assert time.process_time() - started < 20
    tracemalloc.start()
    assert max_score(ranking) == rewritten_ranking
    assert tracemalloc.get_traced_memory()[1] < 200 * 2**20
    tracemalloc.stop()
