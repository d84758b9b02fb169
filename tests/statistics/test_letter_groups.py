"""Letters of runs that do not differ significantly."""

from __future__ import annotations

from itertools import combinations

import networkx
from hypothesis import given
from hypothesis import strategies as st

from xcg.statistics.overall_tests import letter_groups

RUNS = [f"r{number}" for number in range(7)]
PAIRS = list(combinations(RUNS, 2))
SETS_OF_PAIRS = st.lists(st.sampled_from(PAIRS), unique=True)
Pairs = list[tuple[str, str]]


def letters_of(text: str) -> set[str]:
    """Return the letters of ``ac-e``."""
    letters: set[str] = set()
    for position, character in enumerate(text):
        if character == "-":
            letters |= {chr(code) for code in range(ord(text[position - 1]), ord(text[position + 1]))}
        else:
            letters.add(character)
    return letters


def test_a_case_by_hand() -> None:
    """Runs 1 2 3 4 5; 1 differs from 4 and 5, and 2 from 5: the groups are 123, 234 and 345."""
    different = [("1", "4"), ("1", "5"), ("2", "5")]
    groups = letter_groups(["1", "2", "3", "4", "5"], different)
    assert groups == {"1": "a", "2": "ab", "3": "a-c", "4": "bc", "5": "c"}


def test_equal_runs_have_one_letter_and_different_runs_their_own() -> None:
    assert letter_groups(RUNS, []) == dict.fromkeys(RUNS, "a")
    assert letter_groups(RUNS, PAIRS) == dict(zip(RUNS, "abcdefg", strict=True))


def test_there_are_no_letters_for_more_than_52_groups() -> None:
    runs = [str(number) for number in range(53)]
    assert letter_groups(runs, combinations(runs, 2)) is None
    assert letter_groups(runs[1:], combinations(runs[1:], 2)) is not None


def test_the_search_ends_if_there_are_very_many_groups() -> None:
    """Of 20 pairs, each group has one run: 2 to the power of 20 groups."""
    runs = [str(number) for number in range(40)]
    assert letter_groups(runs, zip(runs[::2], runs[1::2], strict=True)) is None


@given(SETS_OF_PAIRS)
def test_two_runs_share_a_letter_exactly_if_they_do_not_differ(different: Pairs) -> None:
    groups = letter_groups(RUNS, different)
    assert groups is not None
    for pair in PAIRS:
        shares = bool(letters_of(groups[pair[0]]) & letters_of(groups[pair[1]]))
        assert shares == (pair not in different)


@given(SETS_OF_PAIRS)
def test_the_groups_are_the_maximal_cliques_of_equal_runs(different: Pairs) -> None:
    groups = letter_groups(RUNS, different)
    assert groups is not None
    equal = networkx.complement(networkx.Graph(different))
    equal.add_nodes_from(RUNS)
    equal.add_edges_from(pair for pair in PAIRS if pair not in different)
    cliques = {frozenset(clique) for clique in networkx.find_cliques(equal)}
    names = sorted(set().union(*map(letters_of, groups.values())))
    found = {frozenset(run for run in RUNS if name in letters_of(groups[run])) for name in names}
    assert found == cliques
