"""Find text that is similar to a quote, with rapidfuzz.

Short sequences of characters that the quote and a text share propose windows of the text, and rapidfuzz
compares the quote with these few windows. So time is linear in the length of the text.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

from xcg.documents.text_normalisation import code_points
from xcg.documents.tree import Ints
from xcg.errors import missing_extra
from xcg.lazy_modules import np, npt

_WINDOWS = 8
"""Maximum number of distances between positions for which windows are compared."""
_JOINED = 5
"""Maximum number of matching blocks at each end that are joined."""
_MULTIPLIER = 0x9E3779B97F4A7C15

Hashes: TypeAlias = "npt.NDArray[np.uint64]"


def grams(text: str, length: int) -> Hashes:
    """Return the hash of each sequence of ``length`` characters."""
    hashes: Hashes = code_points(text).astype(np.uint64)
    if len(hashes) < length:
        return hashes[:0]
    multiplier, size = _MULTIPLIER, 1
    while size < length:
        step = min(size, length - size)
        hashes = hashes[:-step] * np.uint64(multiplier) + hashes[step:]
        multiplier, size = multiplier**2 % 2**64, size + step
    return hashes * np.uint64(_MULTIPLIER)


class GramTable:
    """The sequences of characters of a text, found by their hashes, see :func:`grams`."""

    def __init__(self, hashes: Hashes) -> None:
        self._order = np.argsort(hashes, kind="stable")
        self._hashes = hashes[self._order]

    def shared(self, hashes: Hashes, most: int) -> tuple[Ints, Ints]:
        """Return the indices of the known hashes, and their positions in the text.

        Args:
            hashes: The hashes.
            most: Maximum number of positions; the rarest hashes are used, at least one.
        """
        first = self._hashes.searchsorted(hashes, side="left")
        counts = self._hashes.searchsorted(hashes, side="right") - first
        if counts.sum() > most:
            rarest = np.argsort(counts, kind="stable")
            kept = max(counts[rarest].cumsum().searchsorted(most, side="right"), sum(counts == 0) + 1)
            counts[rarest[kept:]] = 0
        # The numbers of several ranges in one array.
        starts = counts.cumsum() - counts
        entries = np.arange(counts.sum()) - np.repeat(starts - first, counts)
        return np.repeat(np.arange(len(hashes)), counts), self._order[entries]


def windows(
    quote: str, text: str, in_quote: Ints, in_text: Ints, min_similarity: float
) -> Iterator[tuple[int, int]]:
    """Yield the start and end of the parts of a text that may contain a changed quote, best first.

    Sequences that the quote and the text share vote for the distance between their positions. Each of
    the distances with most votes has two windows. The second has room for inserted text. The first has
    none, so its alignment is more exact.

    Args:
        quote: The normalised quote.
        text: The normalised text.
        in_quote: For each shared sequence its position in the quote.
        in_text: Its position in the text.
        min_similarity: Minimum similarity of a changed quote.
    """
    length = len(quote)
    width = max(16, length // 8)
    bins, votes = np.unique((in_text - in_quote + length) // width, return_counts=True)
    neighbours = bins[1:] == bins[:-1] + 1  # a distance near the border of two bins
    votes[:-1] += np.where(neighbours, votes[1:].copy(), 0)
    for distance in bins[np.argsort(-votes, kind="stable")][:_WINDOWS].tolist():
        start = distance * width - length
        for slack in (0, width + int(length * (1 - min_similarity))):
            window = max(start - slack, 0), min(start + 2 * width + length + slack, len(text))
            if may_contain(text[slice(*window)], quote, min_similarity):
                yield window


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
    # Stray characters before and after the text match by accident: drop them while this helps.
    _, starts, sizes = np.array(blocks).T
    ends, before = starts + sizes, sizes.cumsum() - sizes
    ratios = (sizes.sum() - before) / (len(wanted) + ends[-1] - starts)
    first = _last_highest(ratios)
    ends, matched = ends[first:], (before + sizes - before[first])[first:]
    ratios = matched / (len(wanted) + ends - starts[first])
    return int(starts[first]), int(ends[_last_highest(ratios)])


def _last_highest(numbers: npt.NDArray[np.float64]) -> int:
    return len(numbers) - 1 - int(numbers[::-1].argmax())


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
