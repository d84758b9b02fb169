"""Ideal recall-bases: ties and filters by hand, and properties of all selections."""

from __future__ import annotations

import math
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xcg.documents.tree import ElementTree
from xcg.user_model.ideal import SELECTIONS, full, kazai_lalmas, leaves, max_gain, roots

PATHS = ["/a[1]", "/a[1]/b[1]", "/a[1]/b[1]/d[1]", "/a[1]/b[1]/d[2]", "/a[1]/c[1]", "/a[1]/c[1]/d[1]"]
TREE = ElementTree.from_paths(PATHS)
SCORES = st.dictionaries(
    st.sampled_from(PATHS), st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0]), min_size=1
)


def overlap(first: str, second: str) -> bool:
    """Return whether one path contains the other."""
    return first == second or first.startswith(second + "/") or second.startswith(first + "/")


def test_ties_and_filters_of_kazai_lalmas() -> None:
    scores = {"/a[1]": 0.5, "/a[1]/b[1]": 0.5, "/a[1]/b[1]/d[1]": 0.25, "/a[1]/c[1]": 0.75}
    assert kazai_lalmas(TREE, scores) == ["/a[1]/b[1]", "/a[1]/c[1]"]
    assert kazai_lalmas(TREE, scores, tie="shallower") == ["/a[1]"]
    # of the kept root and section, the longer path
    assert kazai_lalmas(TREE, scores, tie="shallower", filter="longer") == ["/a[1]/c[1]"]


@given(SCORES)
def test_selections_have_no_overlap_and_only_relevant_elements(scores: dict[str, float]) -> None:
    for name in set(SELECTIONS) - {"full"}:
        selected = list(SELECTIONS.get(name)(TREE, scores))
        assert all(scores[path] > 0 for path in selected)
        assert not any(overlap(*pair) for pair in combinations(selected, 2))
        assert bool(selected) == any(scores.values())


@given(SCORES)
def test_max_gain_is_the_best_of_all_sets_without_overlap(scores: dict[str, float]) -> None:
    best = max(
        math.fsum(scores[path] for path in chosen)
        for size in range(len(scores) + 1)
        for chosen in combinations(scores, size)
        if not any(overlap(*pair) for pair in combinations(chosen, 2))
    )
    assert math.fsum(scores[path] for path in max_gain(TREE, scores)) == pytest.approx(best)


@given(SCORES)
def test_leaves_and_roots_are_the_innermost_and_the_outermost_elements(
    scores: dict[str, float],
) -> None:
    relevant = set(full(TREE, scores))
    assert set(leaves(TREE, scores)) == {
        path for path in relevant if not any(other.startswith(path + "/") for other in relevant)
    }
    assert set(roots(TREE, scores)) == {
        path for path in relevant if not any(path.startswith(other + "/") for other in relevant)
    }
