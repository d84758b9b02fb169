"""Find quotes in a document, also if the document was edited since.

A quote follows the Web Annotation Data Model of the W3C (2017, TextQuoteSelector): the exact text, and
the text before and after it, which distinguishes several occurrences. Relevant text, ``xcg place`` and
chunks use the same search.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import takewhile
from typing import Literal, NamedTuple

from xcg.documents.approximate_search import GramTable, best_alignment, grams, similarity, windows
from xcg.documents.text_normalisation import NormalisedText, is_word_inside, normalise, same_words
from xcg.errors import XcgError

MAX_CHARACTERS = 10_000_000
"""Maximum total number of characters of all occurrences of a text.

Each occurrence is compared, so a text of one repeated character would take quadratic time.
"""
MAX_OCCURRENCES = 10_000
"""Maximum number of occurrences of a quote whose contexts are compared."""
MAX_APPROXIMATE = 20_000
"""Maximum number of characters of a quote that is searched approximately."""

_CONTEXT = 200
"""Characters of prefix and suffix that are compared."""
_MIN_CONTEXT = 12
"""Characters of context by which an occurrence without its whole context must exceed all others."""
_CLEARER_BY = 3
"""Characters of context by which an occurrence with its whole context must exceed all others."""
_WHOLE_SIDE = 24
"""Characters of a prefix or suffix that decide alone, if all of it matches."""
LONG = 40
"""Characters of a quote and its matching context that hardly occur twice by accident."""
_INSIDE_WORDS = 20
"""Characters of a quote that may start or end within a word."""
_LONGEST_WORD = 100
_LISTED = 3
_GRAM = 5
"""Number of characters of the sequences that propose similar text."""
_HITS_PER_CHARACTER = 200
"""Maximum number of sequences of the text per character of a quote; the rarest are used."""
_TIE = 0.03
"""Similarities with a smaller difference are ties."""

Span = tuple[int, int]
Status = Literal["exact", "normalised", "approximate", "ambiguous", "lost"]


class Quote(NamedTuple):
    """A quote from a document.

    Attributes:
        exact: The text.
        prefix: The text before it; may be empty.
        suffix: The text after it; may be empty.
    """

    exact: str
    prefix: str = ""
    suffix: str = ""


class Location(NamedTuple):
    """The position of a quote in a document.

    Attributes:
        status: ``exact`` or ``normalised`` for the same words, ``approximate`` for similar ones,
            ``ambiguous`` if the context does not determine the occurrence, or ``lost``.
        start: First character; 0 if the quote is lost. For an ambiguous quote, the first
            occurrence, or the most similar text.
        end: First character after the quote.
        similarity: From 0 to 1; 1 for the same words.
        occurrences: All occurrences of the same words if there are several. For an ambiguous quote,
            those that its context does not distinguish.
        has_context: Whether the whole prefix and suffix are next to it, and at least one is stated.
        matched: Characters of the quote and its context that match there, after normalisation.
    """

    status: Status
    start: int = 0
    end: int = 0
    similarity: float = 1.0
    occurrences: Sequence[Span] = ()
    has_context: bool = False
    matched: int = 0

    @property
    def is_found(self) -> bool:
        """Whether the quote has one position."""
        return self.status not in ("ambiguous", "lost")

    @property
    def occurrence_list(self) -> str:
        """The occurrences of an ambiguous quote for messages: "2 occurrences (at 3–7, 9–13)"."""
        shown = [f"{start}–{end}" for start, end in self.occurrences[:_LISTED]]
        more = ["…"] if len(self.occurrences) > _LISTED else []
        count = len(self.occurrences)
        noun = "occurrences" if count > 1 else "uncertain occurrence"
        return f"{count} {noun} (at {', '.join([*shown, *more])})"


_LOST = Location("lost", similarity=0.0)


class TextIndex:
    """A document's text, prepared for searching.

    The text is normalised on the first search; time and memory of this are linear.

    Args:
        text: The text.

    >>> index = TextIndex("e\ufb03cient  at last. Efficient at first.")
    >>> index.find("efficient at last")
    [(0, 16)]
    >>> index.locate(Quote("efficient at", suffix=" first")).start
    18
    >>> index.locate(Quote("efficient at")).status
    'ambiguous'
    """

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def normalised(self) -> NormalisedText:
        """The text after normalisation, without white space, and where its characters come from."""
        return normalise(self.text)

    @cached_property
    def _grams(self) -> GramTable:
        return GramTable(grams(self.normalised.text, _GRAM))

    def find(self, text: str) -> list[Span]:
        """Return the start and end of every occurrence of a text after normalisation, in order.

        Raises:
            XcgError: If the occurrences have more than :data:`MAX_CHARACTERS` characters in total.
        """
        return [self._in_text(span) for span in self._find(normalise(text).text, text)]

    def locate(
        self, quote: Quote, min_similarity: float | None = None, old_start: int | None = None
    ) -> Location:
        """Return the position of a quote.

        The same words are searched first: as stated, then normalised. If the quote has a prefix or
        suffix, the occurrence with its whole context is taken, or with clearly more of it than the
        others. A short quote in another context is ambiguous. If nothing is found, similar text is
        searched if allowed.

        Args:
            quote: The quote.
            min_similarity: Minimum similarity of an approximate match, from 0.5 to 1; None for the same
                words only. Longer quotes than :data:`MAX_APPROXIMATE` are not searched approximately.
            old_start: Where the quote was. It decides between occurrences of a quote without context if
                one of them is still there. Without it, an occurrence as stated is preferred to
                normalised ones.

        Raises:
            XcgError: If the quote occurs too often, or rapidfuzz is needed and missing.
        """
        parts = _normalised_parts(quote)
        if not parts.exact:
            return _LOST
        candidates = self._find(parts.exact, quote.exact)
        whole = [
            span
            for span in candidates
            if len(parts.exact) >= _INSIDE_WORDS
            or self._in_text(span)[0] == old_start
            or self._is_whole_words(span)
        ]
        decided = _LOST
        if candidates:
            decided = self._decide(whole or candidates, quote, parts, old_start, not whole)
        if decided.status != "exact":
            # A dash at an end can normalise differently in the text: "bees -" in "bees -art".
            literal = [span for span in self._literal(quote) if span[0] == old_start or not candidates]
            spans = [span for span in literal if span[0] == old_start] or literal
            if len(spans) == 1:
                has_context = bool(quote.prefix or quote.suffix)
                return Location(
                    "exact", *spans[0], 1.0, decided.occurrences, has_context, decided.matched
                )
            if spans:
                return Location("ambiguous", *spans[0], occurrences=spans)
        if candidates or min_similarity is None or len(parts.exact) > MAX_APPROXIMATE:
            return decided
        return self._approximate(parts, min_similarity)

    def _find(self, wanted: str, shown: str) -> list[Span]:
        """Return the occurrences of a normalised text in the normalised text."""
        text = self.normalised.text
        most = min(MAX_CHARACTERS // max(len(wanted), 1), MAX_OCCURRENCES)
        occurrences: list[Span] = []
        for start in _occurrences(text, wanted, 1) if wanted else ():
            if len(occurrences) == most:
                problem = f"the text occurs more than {most} times: {shown[:60]!r}"
                raise XcgError(f"{problem}; expected a longer one")
            occurrences.append((start, start + len(wanted)))
        return occurrences

    def _literal(self, quote: Quote) -> Iterator[Span]:
        """Yield where a quote occurs to the letter between its prefix and suffix; no overlaps."""
        whole = "".join((quote.prefix, quote.exact, quote.suffix))
        for at in _occurrences(self.text, whole, len(whole)):
            start = at + len(quote.prefix)
            yield start, start + len(quote.exact)

    def _in_text(self, span: Span) -> Span:
        offsets = self.normalised.offsets
        return int(offsets[span[0]]), int(offsets[span[1] - 1]) + 1

    def _is_whole_words(self, span: Span) -> bool:
        start, end = self._in_text(span)
        return not is_word_inside(self.text, start) and not is_word_inside(self.text, end)

    def _decide(
        self,
        candidates: list[Span],
        quote: Quote,
        parts: Quote,
        old_start: int | None,
        needs_context: bool,
    ) -> Location:
        """Choose between the occurrences of a quote by its context and its old position."""
        ignored = _ignored_start(quote)
        spans = [self._with_ends(self._in_text(span), quote.exact, ignored) for span in candidates]
        as_stated = [i for i, (start, end) in enumerate(spans) if self.text[start:end] == quote.exact]
        tied = list(range(len(spans)))
        best = 0
        if parts.prefix or parts.suffix:
            stated = len(parts.prefix) + len(parts.suffix)
            scores = [sum(self._context(span, parts)) for span in candidates]
            tied.sort(key=lambda i: -scores[i])
            best = scores[tied[0]]
            margin = _CLEARER_BY if best == stated else _MIN_CONTEXT
            is_clear = len(tied) == 1 or best - scores[tied[1]] >= min(margin, stated)
            sides = zip(self._context(candidates[tied[0]], parts), parts[1:], strict=True)
            has_side = any(found == len(side) >= _WHOLE_SIDE for found, side in sides)
            is_enough = (
                has_side
                or best == stated
                or (len(parts.exact) + best >= LONG and (best >= _MIN_CONTEXT or not needs_context))
            )
            if is_clear and is_enough:
                found = self._found(spans[tied[0]], quote, spans)
                return found._replace(has_context=best == stated, matched=len(parts.exact) + best)
            if best >= _MIN_CONTEXT:
                tied = sorted(i for i in tied if scores[i] > best - margin)
        elif len(spans) == 1 and not needs_context:
            return self._found(spans[0], quote)
        elif len(as_stated) == 1 and old_start is None and not needs_context:
            return self._found(spans[as_stated[0]], quote, spans)
        for i in set(as_stated) & set(tied):
            if spans[i][0] == old_start:
                return self._found(spans[i], quote, spans)
        occurrences = [spans[i] for i in sorted(tied)]
        matched = len(parts.exact) + best
        return Location("ambiguous", *occurrences[0], occurrences=occurrences, matched=matched)

    def _found(self, span: Span, quote: Quote, spans: Sequence[Span] = ()) -> Location:
        is_exact = self.text[slice(*span)] == quote.exact
        return Location(
            "exact" if is_exact else "normalised", *span, occurrences=spans if len(spans) > 1 else ()
        )

    def _with_ends(self, span: Span, exact: str, ignored: int) -> Span:
        """Extend a span by the ignored characters at the ends of a quote, if the text has them."""
        start = span[0] - ignored
        if start >= 0 and self.text.startswith(exact, start):
            return start, start + len(exact)
        return span

    def _context(self, span: Span, parts: Quote) -> tuple[int, int]:
        """Return how many characters of prefix and suffix match the text around an occurrence."""
        text = self.normalised.text
        before = text[max(span[0] - len(parts.prefix), 0) : span[0]]
        after = text[span[1] : span[1] + len(parts.suffix)]
        return common_length(before[::-1], parts.prefix[::-1]), common_length(after, parts.suffix)

    def _approximate(self, parts: Quote, min_similarity: float) -> Location:
        wanted = parts.exact
        positions = self._grams.shared(grams(wanted, _GRAM), _HITS_PER_CHARACTER * len(wanted))
        proposed = windows(wanted, self.normalised.text, *positions, min_similarity)
        found = self._similar(wanted, min_similarity, proposed)
        if not found:
            return _LOST
        best, similarity_of_best = found[0]
        tied = [span for span, similarity in found if similarity >= similarity_of_best - _TIE]
        similarities = dict(found)
        if len(tied) > 1:
            contexts = {span: self._similar_context(span, parts) for span in tied}
            tied.sort(key=lambda span: -contexts[span])
            if contexts[tied[0]] - contexts[tied[1]] < _MIN_CONTEXT:
                return Location("ambiguous", *best, similarity_of_best, sorted(tied))
        return Location("approximate", *tied[0], similarities[tied[0]])

    def _similar(
        self, wanted: str, min_similarity: float, proposed: Iterable[Span]
    ) -> list[tuple[Span, float]]:
        """Return passages that are similar to a text, most similar first; they do not overlap."""
        text = self.normalised.text
        found: dict[Span, float] = {}
        shortest = int(len(wanted) * min_similarity / (2 - min_similarity))
        rest = [(*window, True) for window in proposed]
        while rest:
            first, last, is_whole = rest.pop()
            aligned = best_alignment(wanted, text[first:last]) if last - first >= shortest else None
            if aligned is None:
                continue
            low, high = first + aligned[0], first + aligned[1]
            if is_whole:  # another text that is as similar may be next to it
                rest += [(first, low, False), (high, last, False)]
            start, end = self._whole_words(self._in_text((low, high)))
            score = similarity(wanted, normalise(self.text[start:end]).text)
            if score >= min_similarity:
                found[start, end] = score
        distinct: list[Span] = []
        for span in sorted(found, key=lambda span: -found[span]):
            if all(span[1] <= other[0] or other[1] <= span[0] for other in distinct):
                distinct.append(span)
        return [(span, found[span]) for span in distinct]

    def _whole_words(self, span: Span) -> Span:
        """Extend a span to whole words."""
        start, end = span
        for _ in range(_LONGEST_WORD):
            start -= is_word_inside(self.text, start)
            end += is_word_inside(self.text, end)
        return start, end

    def _similar_context(self, span: Span, parts: Quote) -> float:
        """Estimate how many characters of the prefix and the suffix are next to a span."""
        start, end = span
        reach = 2 * _CONTEXT
        before = normalise(self.text[max(start - reach, 0) : start]).text
        after = normalise(self.text[end : end + reach]).text
        stated_and_near = (
            (parts.prefix, before[-len(parts.prefix) :]),
            (parts.suffix, after[: len(parts.suffix)]),
        )
        return sum(  # different text has a similarity of about 0.5
            len(stated) * max(2 * similarity(stated, near) - 1, 0.0)
            for stated, near in stated_and_near
            if stated
        )


def _occurrences(text: str, wanted: str, step: int) -> Iterator[int]:
    """Yield where a text occurs; the search continues ``step`` characters after each occurrence."""
    at = text.find(wanted)
    while at >= 0:
        yield at
        at = text.find(wanted, at + step)


def _normalised_parts(quote: Quote) -> Quote:
    """Return the parts of a quote, normalised as one text."""
    prefix, suffix = quote.prefix[-_CONTEXT:], quote.suffix[:_CONTEXT]
    text, offsets = normalise(prefix + quote.exact + suffix)
    first, last = offsets.searchsorted([len(prefix), len(prefix) + len(quote.exact)]).tolist()
    return Quote(text[first:last], text[:first], text[last:])


def _ignored_start(quote: Quote) -> int:
    """Return how many characters normalisation ignores at the start of a quote."""
    before = quote.prefix[-1:]
    offsets = normalise(before + quote.exact).offsets
    return int(offsets[offsets >= len(before)][0]) - len(before)


def common_length(first: str, second: str) -> int:
    """Return the length of the longest common beginning of two texts."""
    same = takewhile(lambda pair: pair[0] == pair[1], zip(first, second, strict=False))
    return sum(1 for _ in same)


def states_span(text: str, start: int, end: int, stated: str) -> bool:
    """Return whether a span of a text has the stated words.

    >>> states_span("Bees dance well.", 5, 10, "dance"), states_span("Bees dance well.", 4, 9, "dance")
    (True, False)
    """
    return end <= len(text) and same_words(text[start:end], stated)
