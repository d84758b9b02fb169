"""Mark runs that do not differ significantly with common letters, as in statistical tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from string import ascii_letters

_MAX_GROUPS = 300
"""The number of groups at which the search ends; letters exist for 52."""


def letter_groups(runs: Sequence[str], different: Iterable[tuple[str, str]]) -> dict[str, str] | None:
    """Return letters of runs: two runs share a letter if and only if they do not differ significantly.

    The groups are the largest sets of runs without a significant difference, found by inserting the
    significant pairs one by one and absorbing groups that are part of others (Piepho 2004, An algorithm
    for a letter-based representation of all-pairwise comparisons, section 3).

    Args:
        runs: The runs, best first; the group of the first run has the letter a.
        different: The pairs of runs that differ significantly.

    Returns:
        Run → letters from a to z and A to Z, with ``a-d`` for ``abcd``; None if there are more than 52
        groups.

    >>> letter_groups(["first", "second", "third"], [("first", "third")])
    {'first': 'a', 'second': 'ab', 'third': 'b'}
    """
    groups = [frozenset(runs)]
    for pair in different:
        divided = [group for group in groups if group.issuperset(pair)]
        kept = [group for group in groups if not group.issuperset(pair)]
        parts = {group - {run} for group in divided for run in pair}
        groups = kept + [
            part
            for part in parts
            if not any(part <= group for group in kept) and not any(part < other for other in parts)
        ]
        if len(groups) > _MAX_GROUPS:
            return None
    if len(groups) > len(ascii_letters):
        return None
    groups.sort(key=lambda group: [run not in group for run in runs])
    return {run: _shortened([i for i, group in enumerate(groups) if run in group]) for run in runs}


def _shortened(positions: Sequence[int]) -> str:
    """Return positions as letters; three and more successive letters of one case become a range.

    >>> _shortened([0, 2, 3, 4, 6, 7, 25, 26])
    'ac-eghzA'
    """

    def sequence(item: tuple[int, int]) -> tuple[int, bool]:
        return item[1] - item[0], ascii_letters[item[1]].isupper()

    text = ""
    for _, items in groupby(enumerate(positions), sequence):
        letters = "".join(ascii_letters[position] for _, position in items)
        text += letters if len(letters) < 3 else f"{letters[0]}-{letters[-1]}"
    return text
