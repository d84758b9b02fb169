"""Find text that is similar to a quote, with rapidfuzz.

Short sequences of characters that quotes and a text share propose windows of the text, and rapidfuzz
compares the quotes with these few windows. So time is linear in the length of the text.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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
    """The sequences of characters of some texts, found by their hashes.

    Args:
        hashes: For each text the hashes of its sequences, see :func:`grams`.

    Attributes:
        texts: For each entry the index of its text.
        offsets: For each entry its position among the sequences of this text.
    """

    def __init__(self, hashes: Sequence[Hashes]) -> None:
        counts = np.array([len(found) for found in hashes], dtype=np.int64)
        joined = np.concatenate([np.zeros(0, dtype=np.uint64), *hashes])
        order = np.argsort(joined, kind="stable")
        self._hashes = joined[order]
        self.texts = np.repeat(np.arange(len(counts)), counts)[order]
        self.offsets = _ranges(np.zeros(len(counts), dtype=np.int64), counts)[order]
        bits = min(max((16 * len(joined)).bit_length(), 8), 26)
        self._shift = np.uint64(64 - bits)
        self._known = np.zeros(1 << bits, dtype=bool)  # rejects most other hashes quickly
        self._known[joined >> self._shift] = True

    def texts_with(self, hashes: Hashes) -> list[int]:
        """Return the texts that have one of some sequences, in order."""
        _, entries = self.shared(np.unique(hashes[self._known[hashes >> self._shift]]))
        return [int(text) for text in np.unique(self.texts[entries])]

    def shared(self, hashes: Hashes, most: int | None = None) -> tuple[Ints, Ints]:
        """Return the indices of the known hashes, and the entry for each; several entries repeat them.

        Args:
            hashes: The hashes.
            most: Maximum number of entries; the rarest hashes are used, at least one.
        """
        positions = np.flatnonzero(self._known[hashes >> self._shift])
        first = self._hashes.searchsorted(hashes[positions], side="left")
        counts = self._hashes.searchsorted(hashes[positions], side="right") - first
        if most is not None and counts.sum() > most:
            rarest = np.argsort(counts, kind="stable")
            kept = max(counts[rarest].cumsum().searchsorted(most, side="right"), sum(counts == 0) + 1)
            positions, first, counts = (x[np.sort(rarest[:kept])] for x in (positions, first, counts))
        return np.repeat(positions, counts), _ranges(first, counts)


def _ranges(first: Ints, counts: Ints) -> Ints:
    """Return the numbers of several ranges in one array.

    >>> _ranges(np.array([5, 20]), np.array([2, 3])).tolist()
    [5, 6, 20, 21, 22]
    """
    starts = counts.cumsum() - counts
    return np.arange(counts.sum()) - np.repeat(starts - first, counts)


class WindowSearch:
    """Proposes the parts of a text that may contain changed quotes.

    Sequences that a quote and the text share vote for the distance between their positions. A part is
    proposed if enough sequences vote for about the same distance.

    Args:
        quotes: The normalised quotes.
        min_similarity: Minimum similarity of a changed quote.
        needed: For each quote the minimum number of votes.
    """

    def __init__(self, quotes: Sequence[str], min_similarity: float, needed: Ints) -> None:
        self._quotes = quotes
        self._min_similarity = min_similarity
        self._needed = needed
        self._lengths = np.array([len(quote) for quote in quotes], dtype=np.int64)
        self._widths = np.maximum(16, self._lengths // 8)

    def windows(
        self, text: str, quotes: Ints, in_quotes: Ints, in_text: Ints
    ) -> Iterator[tuple[int, list[tuple[int, int]]]]:
        """Yield quotes with the start and end of the windows to compare, best first.

        Args:
            text: The normalised text.
            quotes: For each shared sequence its quote.
            in_quotes: Its position in the quote.
            in_text: Its position in the text.
        """
        bins = (in_text - in_quotes + self._lengths[quotes]) // self._widths[quotes]
        highest = int(bins.max(initial=0)) + 2
        keys, votes = np.unique(quotes * highest + bins, return_counts=True)
        neighbours = keys[1:] == keys[:-1] + 1  # a distance near the border of two bins
        votes[:-1] += np.where(neighbours, votes[1:].copy(), 0)
        likely = np.flatnonzero(votes >= self._needed[keys // highest])
        proposed: dict[int, list[int]] = {}
        for key in keys[likely[np.argsort(-votes[likely], kind="stable")]].tolist():
            proposed.setdefault(key // highest, []).append(key % highest)
        for quote, distances in sorted(proposed.items()):
            windows = [
                window
                for distance in distances[:_WINDOWS]
                for window in self._around(quote, distance, len(text))
                if may_contain(text[slice(*window)], self._quotes[quote], self._min_similarity)
            ]
            if windows:
                yield quote, windows

    def _around(self, quote: int, distance: int, end: int) -> Iterator[tuple[int, int]]:
        """Yield two windows for a bin of distances between positions.

        The second has room for inserted text. The first has none, so its alignment is more exact.
        """
        length, width = int(self._lengths[quote]), int(self._widths[quote])
        start = distance * width - length
        for slack in (0, width + int(length * (1 - self._min_similarity))):
            yield max(start - slack, 0), min(start + 2 * width + length + slack, end)


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
