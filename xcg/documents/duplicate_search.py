"""Find the passages of many documents that repeat or resemble some quotes.

Hashes of short sequences of characters propose the quotes that a document may contain, and
:class:`TextIndex` searches these only. So each document is read once, and time is linear in its length,
whatever the number of quotes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from xcg.documents.approximate_search import MULTIPLIER, Hashes, may_contain, ranges
from xcg.documents.text_normalisation import code_points, normalise
from xcg.documents.text_search import MAX_APPROXIMATE, Span, Status, TextIndex
from xcg.documents.tree import Ints
from xcg.errors import XcgError
from xcg.lazy_modules import np

MIN_CHARACTERS = 40
"""Quotes with fewer characters, not counting white space, are not searched: they occur by accident."""
MAX_SEARCHES = 1_000
"""Maximum number of documents in which one quote is searched approximately."""

_ANCHOR = 32
"""Length of the sequence that identifies a quote; a power of 2, at most MIN_CHARACTERS."""
_GRAM = 8
"""Length of the sequences that propose similar passages; a power of 2."""
_HITS_PER_CHARACTER = 6
"""Maximum number of matching sequences per character of a document; the rarest are used."""
_WINDOWS = 8
"""Maximum number of parts of a document that are compared with one quote."""


class Occurrence(NamedTuple):
    """A passage that repeats or resembles a quote.

    Attributes:
        quote: Index of the quote.
        start: First character.
        end: First character after the passage.
        status: ``exact``, ``normalised`` or ``approximate``.
        similarity: From 0 to 1; 1 for the same words.
    """

    quote: int
    start: int
    end: int
    status: Status
    similarity: float = 1.0


class QuoteIndex:
    """Quotes, prepared to be found in many documents.

    Time and memory are linear in the length of the quotes.

    Args:
        quotes: The quotes. A quote with fewer than :data:`MIN_CHARACTERS` characters, not counting
            white space, is not searched.
        min_similarity: Minimum similarity of approximate matches, from 0.5 to 1; None for the same
            words only.

    Attributes:
        short: Indices of the quotes that are not searched.
        incomplete: Indices of the quotes that are not searched everywhere: approximate search ended
            after :data:`MAX_SEARCHES` documents, or a document contains the quote too often.

    >>> index = QuoteIndex(["Foragers dance on the comb to point their sisters to food.", "Bees."])
    >>> index.occurrences(TextIndex("So foragers dance on the comb to point their sisters to food."))
    [Occurrence(quote=0, start=3, end=61, status='normalised', similarity=1.0)]
    >>> index.short
    [1]
    """

    def __init__(self, quotes: Sequence[str], min_similarity: float | None = None) -> None:
        self._quotes = quotes
        self._min_similarity = min_similarity
        texts = [normalise(quote).text for quote in quotes]
        self.short = [index for index, text in enumerate(texts) if len(text) < MIN_CHARACTERS]
        self.incomplete: set[int] = set()
        searched = {index: text for index, text in enumerate(texts) if len(text) >= MIN_CHARACTERS}
        self._anchors = _anchors(searched)
        self._grams = _SimilarQuotes(searched, min_similarity) if min_similarity is not None else None
        self._searches: Counter[int] = Counter()

    def occurrences(self, document: TextIndex) -> list[Occurrence]:
        """Return the passages of a document that repeat or resemble a quote.

        Passages of the same quote do not overlap.

        Raises:
            XcgError: If approximate search needs rapidfuzz, and it is missing.
        """
        text = document.normalised_text
        found: list[Occurrence] = []
        for quote in self._anchors.owners_of(_hashes(text, _ANCHOR)):
            found += self._same_words(quote, document)
        if self._grams is None or self._min_similarity is None:
            return found
        same: dict[int, list[Occurrence]] = {}
        for one in found:
            same.setdefault(one.quote, []).append(one)
        for quote, windows in self._grams.proposed(text):
            if self._searches[quote] == MAX_SEARCHES:
                self.incomplete.add(quote)
                continue
            self._searches[quote] += 1
            wanted = self._quotes[quote]
            for (start, end), similarity in document.similar(wanted, self._min_similarity, windows):
                if all(end <= one.start or one.end <= start for one in same.get(quote, ())):
                    found.append(Occurrence(quote, start, end, "approximate", similarity))
        return found

    def _same_words(self, quote: int, document: TextIndex) -> list[Occurrence]:
        wanted = self._quotes[quote]
        try:
            spans = document.find(wanted)
        except XcgError:  # it occurs too often
            self.incomplete.add(quote)
            return []
        found: list[Occurrence] = []
        for start, end in spans:
            if not found or found[-1].end <= start:
                is_exact = document.text[start:end] == wanted.strip()
                found.append(Occurrence(quote, start, end, "exact" if is_exact else "normalised"))
        return found


class _Owners:
    """Hashes and the quotes that they belong to."""

    def __init__(self, hashes: Hashes, owners: Ints) -> None:
        order = np.argsort(hashes, kind="stable")
        self._hashes, self.owners, self.order = hashes[order], owners[order], order
        bits = min(max((16 * len(hashes)).bit_length(), 8), 26)
        self._shift = np.uint64(64 - bits)
        self._known = np.zeros(1 << bits, dtype=bool)  # rejects most hashes of a document quickly
        self._known[hashes >> self._shift] = True

    def lookup(self, hashes: Hashes) -> tuple[Ints, Ints, Ints]:
        """Return positions of known hashes, the index of the first owner of each, and the counts."""
        positions = np.flatnonzero(self._known[hashes >> self._shift])
        wanted = hashes[positions]
        first = self._hashes.searchsorted(wanted, side="left")
        counts = self._hashes.searchsorted(wanted, side="right") - first
        known = counts > 0
        return positions[known], first[known], counts[known]

    def owners_of(self, hashes: Hashes) -> list[int]:
        """Return the owners of the hashes that are known, each once, in order."""
        _, first, counts = self.lookup(hashes)
        first, kept = np.unique(first, return_index=True)
        indices = ranges(first, counts[kept])
        return [int(owner) for owner in np.unique(self.owners[indices])]


def _anchors(texts: dict[int, str]) -> _Owners:
    """Return for each quote its sequence of _ANCHOR characters that the fewest quotes contain."""
    candidates: dict[int, list[int]] = {}
    for quote, text in texts.items():
        hashes = _hashes(text, _ANCHOR)
        candidates[quote] = [*hashes[::_ANCHOR].tolist(), int(hashes[-1])]
    counts = Counter(candidate for found in candidates.values() for candidate in set(found))
    chosen = [min(found, key=counts.__getitem__) for found in candidates.values()]
    return _Owners(np.array(chosen, dtype=np.uint64), np.array(list(candidates), dtype=np.int64))


class _SimilarQuotes:
    """Proposes the parts of a document that may contain changed quotes.

    Sequences that a quote and a document share vote for the distance between their positions. A part of
    the document is proposed if enough sequences of the quote vote for about the same distance.
    """

    def __init__(self, texts: dict[int, str], min_similarity: float) -> None:
        texts = {quote: text for quote, text in texts.items() if len(text) <= MAX_APPROXIMATE}
        lengths = np.array([len(text) for text in texts.values()], dtype=np.int64)
        counts = lengths - _GRAM + 1
        hashes = [_hashes(text, _GRAM) for text in texts.values()]
        self._min_similarity = min_similarity
        self._quotes = list(texts.items())
        self._table = _Owners(
            np.concatenate(hashes) if hashes else np.zeros(0, dtype=np.uint64),
            np.repeat(np.arange(len(texts)), counts),
        )
        self._offsets = ranges(np.zeros(len(texts), dtype=np.int64), counts)[self._table.order]
        self._lengths = lengths
        self._widths = np.maximum(16, lengths // 8)
        # A changed character breaks _GRAM sequences, but changes are usually next to each other.
        share = min(max(1 - _GRAM * (1 - min_similarity), 0.1), 0.3)
        self._needed = np.maximum(2, (share * counts).astype(np.int64))

    def proposed(self, text: str) -> Iterator[tuple[int, list[Span]]]:
        """Yield the quotes that a normalised text may contain, each with the parts to search."""
        positions, first, counts = self._table.lookup(_hashes(text, _GRAM))
        most = _HITS_PER_CHARACTER * len(text)
        if counts.sum() > most:
            rare = np.argsort(counts, kind="stable")
            rare = np.sort(rare[: int(np.searchsorted(counts[rare].cumsum(), most, side="right"))])
            positions, first, counts = positions[rare], first[rare], counts[rare]
        hits = ranges(first, counts)
        if not len(hits):
            return
        quotes = self._table.owners[hits]
        shifts = np.repeat(positions, counts) - self._offsets[hits] + self._lengths[quotes]
        bins = shifts // self._widths[quotes]
        highest = int(bins.max()) + 2
        keys, votes = np.unique(quotes * highest + bins, return_counts=True)
        neighbours = keys[1:] == keys[:-1] + 1  # a distance near the border of two bins
        votes[:-1] += np.where(neighbours, votes[1:].copy(), 0)
        likely = np.flatnonzero(votes >= self._needed[keys // highest])
        proposed: dict[int, list[int]] = {}
        for key in keys[likely[np.argsort(-votes[likely], kind="stable")]].tolist():
            proposed.setdefault(key // highest, []).append(key % highest)
        for number, distances in sorted(proposed.items()):
            quote, wanted = self._quotes[number]
            windows = [
                (start, end)
                for one in distances[:_WINDOWS]
                for start, end in self._windows(number, one, len(text))
                if may_contain(text[start:end], wanted, self._min_similarity)
            ]
            if windows:
                yield quote, windows

    def _windows(self, number: int, distance: int, end: int) -> Iterator[Span]:
        """Yield two parts of a text for a bin of distances between positions.

        The second part has room for inserted text. The first has none, so its alignment is more exact.

        Args:
            number: Number of the quote.
            distance: The bin.
            end: Length of the text.
        """
        length, width = int(self._lengths[number]), int(self._widths[number])
        start = distance * width - length
        for slack in (0, width + int(length * (1 - self._min_similarity))):
            yield max(start - slack, 0), min(start + 2 * width + length + slack, end)


def _hashes(text: str, length: int) -> Hashes:
    """Return the hash of each sequence of ``length`` characters; ``length`` is a power of 2."""
    hashes: Hashes = code_points(text).astype(np.uint64)
    if len(hashes) < length:
        return hashes[:0]
    multiplier, size = MULTIPLIER, 1
    while size < length:
        hashes = hashes[:-size] * np.uint64(multiplier) + hashes[size:]
        multiplier, size = multiplier**2 % 2**64, 2 * size
    return hashes * np.uint64(MULTIPLIER)
