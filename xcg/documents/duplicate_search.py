"""Find the passages of many documents that repeat or resemble some quotes.

Hashes of short sequences of characters propose the quotes that a document may contain, and
:class:`TextIndex` searches these only. So each document is read once, and time is linear in its length,
whatever the number of quotes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from xcg.documents.approximate_search import GramTable, WindowSearch, grams
from xcg.documents.text_normalisation import normalise
from xcg.documents.text_search import MAX_APPROXIMATE, Status, TextIndex
from xcg.errors import XcgError
from xcg.lazy_modules import np

MIN_CHARACTERS = 40
"""Quotes with fewer characters, not counting white space, are not searched: they occur by accident."""
MAX_SEARCHES = 1_000
"""Maximum number of documents in which one quote is searched approximately."""

_ANCHOR = 32
"""Length of the sequence that identifies a quote, at most MIN_CHARACTERS."""
_GRAM = 8
"""Length of the sequences that propose similar passages."""
_HITS_PER_CHARACTER = 6
"""Maximum number of matching sequences per character of a document; the rarest are used."""


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
        self._texts = texts = [normalise(quote).text for quote in quotes]
        self.short = [index for index, text in enumerate(texts) if len(text) < MIN_CHARACTERS]
        self.incomplete: set[int] = set()
        self._searches: Counter[int] = Counter()
        candidates = [
            {*(found := grams(text, _ANCHOR))[::_ANCHOR].tolist(), *found[-1:].tolist()}
            for text in (text if len(text) >= MIN_CHARACTERS else "" for text in texts)
        ]
        frequency = Counter(anchor for found in candidates for anchor in found)
        rarest = [sorted(found, key=frequency.__getitem__)[:1] for found in candidates]
        self._anchors = GramTable([np.array(found, dtype=np.uint64) for found in rarest])
        if min_similarity is not None:
            lengths = range(MIN_CHARACTERS, MAX_APPROXIMATE + 1)
            hashes = [grams(text if len(text) in lengths else "", _GRAM) for text in texts]
            self._grams = GramTable(hashes)
            # A changed character breaks _GRAM sequences, but changes are usually next to each other.
            share = min(max(1 - _GRAM * (1 - min_similarity), 0.1), 0.3)
            needed = np.array([max(2, int(share * len(found))) for found in hashes], dtype=np.int64)
            self._windows = WindowSearch(texts, min_similarity, needed)

    def occurrences(self, document: TextIndex) -> list[Occurrence]:
        """Return the passages of a document that repeat or resemble a quote.

        Passages of the same quote do not overlap.

        Raises:
            XcgError: If approximate search needs rapidfuzz, and it is missing.
        """
        text = document.normalised_text
        found = [
            occurrence
            for quote in self._anchors.texts_with(grams(text, _ANCHOR))
            for occurrence in self._same_words(quote, document)
        ]
        if self._min_similarity is None:
            return found
        same: dict[int, list[Occurrence]] = {}
        for one in found:
            same.setdefault(one.quote, []).append(one)
        positions, entries = self._grams.shared(grams(text, _GRAM), _HITS_PER_CHARACTER * len(text))
        owners, offsets = self._grams.texts[entries], self._grams.offsets[entries]
        for quote, windows in self._windows.windows(text, owners, offsets, positions):
            if self._searches[quote] == MAX_SEARCHES:
                self.incomplete.add(quote)
                continue
            self._searches[quote] += 1
            similar = document.similar(self._texts[quote], self._min_similarity, windows)
            for (start, end), similarity in similar:
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
