"""Find text that is similar to a quote, with rapidfuzz.

Short sequences of characters that the quote and the document share propose windows of the document, and
rapidfuzz compares the quote with these few windows. So time is linear in the length of the document.
"""

from __future__ import annotations

from typing import Any, TypeAlias

from xcg.documents.text_normalisation import code_points
from xcg.documents.tree import Ints
from xcg.installation import missing_extra
from xcg.lazy_modules import np, npt

_GRAM = 5
"""Number of characters in a sequence."""
_FREQUENT = 200
"""Sequences with more occurrences are ignored, unless all have more."""
_WINDOWS = 8
"""Maximum number of windows that are compared."""
_JOINED = 5
"""Maximum number of matching blocks at each end that are joined."""
MULTIPLIER = 0x9E3779B97F4A7C15
"""Multiplier of the hashes of sequences of characters."""

Hashes: TypeAlias = "npt.NDArray[np.uint64]"


class GramIndex:
    """The sequences of :data:`_GRAM` characters of a text.

    Args:
        text: The text.
    """

    def __init__(self, text: str) -> None:
        self._length = len(text)
        hashes = _hashes(text)
        self._order = np.argsort(hashes, kind="stable")
        self._sorted = hashes[self._order]

    def windows(self, wanted: str, min_similarity: float) -> list[tuple[int, int]]:
        """Return start and end of the windows that share the most sequences with a text, best first."""
        hashes = _hashes(wanted)
        first = self._sorted.searchsorted(hashes, side="left")
        counts = self._sorted.searchsorted(hashes, side="right") - first
        rare = (counts > 0) & (counts <= _FREQUENT)
        chosen = np.flatnonzero(rare if rare.any() else counts > 0)
        counts = np.minimum(counts[chosen], _FREQUENT)
        if not len(chosen):
            return []
        positions = self._order[ranges(first[chosen], counts)]
        shifts = positions - np.repeat(chosen, counts) + len(wanted)
        width = max(4, len(wanted) // 8)
        votes = np.bincount(shifts // width)
        votes[:-1] += votes[1:].copy()  # a shift near the border of two bins
        best = np.argsort(-votes, kind="stable")[:_WINDOWS]
        slack = width + int(len(wanted) * (1 - min_similarity))
        found = []
        for index in best[votes[best] > 0].tolist():
            start = index * width - len(wanted)
            end = start + 2 * width + len(wanted)
            found.append((max(start - slack, 0), min(end + slack, self._length)))
        return found


def _hashes(text: str) -> Hashes:
    codes = code_points(text).astype(np.uint64)
    count = max(len(codes) - _GRAM + 1, 0)
    hashes = np.zeros(count, dtype=np.uint64)
    for index in range(_GRAM):
        hashes = hashes * np.uint64(MULTIPLIER) + codes[index : index + count]
    return hashes


def ranges(first: Ints, counts: Ints) -> Ints:
    """Return the numbers of several ranges in one array.

    >>> ranges(np.array([5, 20]), np.array([2, 3])).tolist()
    [5, 6, 20, 21, 22]
    """
    starts = counts.cumsum() - counts
    return np.arange(counts.sum()) - np.repeat(starts - first, counts)


def best_alignment(wanted: str, window: str) -> tuple[int, int] | None:
    """Return start and end of the text in a window that is most similar to the wanted one.

    >>> best_alignment("a quick brown fox", "he saw a quick red fox jump")
    (7, 22)
    """
    blocks: list[tuple[int, int, int]] = [
        (block.src_start, block.dest_start, block.src_end - block.src_start)
        for block in _indel().opcodes(wanted, window)
        if block.tag == "equal"
    ]
    if not blocks:
        return None
    _join_ends(blocks, wanted, window)
    matched = sum(size for _, _, size in blocks)
    first, last = 0, len(blocks) - 1

    def ratio(matched: int, first: int, last: int) -> float:
        length = blocks[last][1] + blocks[last][2] - blocks[first][1]
        return 2 * matched / (len(wanted) + length)

    # Stray characters before and after the text match by accident: drop them while this helps.
    best = ratio(matched, first, last), first, last
    remaining = matched
    for index in range(last):
        remaining -= blocks[index][2]
        best = max(best, (ratio(remaining, index + 1, last), index + 1, last))
    first = best[1]
    remaining = sum(size for _, _, size in blocks[first:])
    best = ratio(remaining, first, last), first, last
    for index in range(last, first, -1):
        remaining -= blocks[index][2]
        best = max(best, (ratio(remaining, first, index - 1), first, index - 1))
    last = best[2]
    return blocks[first][1], blocks[last][1] + blocks[last][2]


def _join_ends(blocks: list[tuple[int, int, int]], wanted: str, window: str) -> None:
    """Move the first and the last blocks next to the others if the window has the same text there."""
    for count in range(min(_JOINED, len(blocks) - 1), 0, -1):
        source, start, size = blocks[count]
        text = wanted[blocks[0][0] : source]
        if start >= len(text) and window[start - len(text) : start] == text:
            blocks[: count + 1] = [(blocks[0][0], start - len(text), size + len(text))]
            break
    for count in range(min(_JOINED, len(blocks) - 1), 0, -1):
        source, start, size = blocks[-1 - count]
        text = wanted[source + size : blocks[-1][0] + blocks[-1][2]]
        if window.startswith(text, start + size):
            blocks[-1 - count :] = [(source, start, size + len(text))]
            break


def similarity(first: str, second: str) -> float:
    """Return 2 × common characters in the same order / characters of both texts, from 0 to 1.

    >>> similarity("abcd", "abxd")
    0.75
    """
    return float(_indel().normalized_similarity(first, second))


def may_contain(window: str, wanted: str, min_similarity: float) -> bool:
    """Return whether a window can contain a text that is similar to the wanted one.

    A similar text has at least s·n / (2 − s) common characters in the same order, for the similarity s
    and a wanted text of n characters. Counting them is much faster than an alignment.

    >>> may_contain("he saw a quick red fox", "a quick brown fox", 0.7)
    True
    >>> may_contain("bees dance well", "a quick brown fox", 0.7)
    False
    """
    least = int(len(wanted) * min_similarity / (2 - min_similarity))
    distance = len(wanted) + len(window) - 2 * least
    return len(window) >= least and _indel().distance(wanted, window, score_cutoff=distance) <= distance


def _indel() -> Any:
    try:
        from rapidfuzz.distance import Indel
    except ImportError:
        raise missing_extra("approximate search", "rapidfuzz", "fuzzy") from None
    return Indel
