"""The texts of documents, and of spans that several chunks cover."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping

from xcg.documents.paths import canonical_file
from xcg.documents.sources import document_name
from xcg.errors import InputError

TextSource = Mapping[str, str] | Callable[[str], str | None] | None
"""The documents' texts by name, or a function of the name."""

Piece = tuple[int, int, str]
"""Start, end and text of a part of a document."""


class DocumentTexts(Mapping[str, str]):
    """The texts of documents by the names that chunks state; each is asked for once."""

    def __init__(self, source: Mapping[str, str] | Callable[[str], str | None]) -> None:
        self._get = source.get if isinstance(source, Mapping) else source
        self._texts: dict[str, str | None] = {}
        self.by_document: dict[str, str] = {}
        """The texts by the names in rankings."""

    def __getitem__(self, name: str) -> str:
        if name not in self._texts:
            self._texts[name] = self._get(name)
        text = self._texts[name]
        if text is None:
            raise KeyError(name)
        if not isinstance(text, str):
            raise InputError(name, f"its text is {type(text).__name__}: expected str")
        self.by_document[document_name(name) or canonical_file(name)] = text
        return text

    def __iter__(self) -> Iterator[str]:
        return iter(self.by_document)

    def __len__(self) -> int:
        return len(self.by_document)


class TextPieces:
    """Texts of spans of one document, which together are the text of a longer span."""

    def __init__(self, pieces: Iterable[Piece]) -> None:
        self._starts: list[int] = []
        self._furthest: list[Piece] = []
        """The piece with the greatest end among those up to each start."""
        for piece in sorted(pieces):
            if not self._furthest or piece[1] > self._furthest[-1][1]:
                self._starts.append(piece[0])
                self._furthest.append(piece)

    def text(self, document: str, start: int, end: int) -> str:
        """Return the text of a span.

        Raises:
            InputError: If the pieces do not cover the span, or differ in a character.
        """
        parts: list[str] = []
        reached, previous = start, None
        while reached < end:
            index = bisect_right(self._starts, reached) - 1
            piece = self._furthest[index] if index >= 0 else None
            if piece is None or piece[1] <= reached:
                raise InputError(
                    f"{document}, characters {start} to {end}",
                    f"the text of the new chunk is unknown: no chunk has character {reached}; pass "
                    "texts=, the texts of the documents",
                )
            if previous is not None:
                _check_shared_text(document, previous, piece)
            parts.append(piece[2][reached - piece[0] : end - piece[0]])
            reached, previous = piece[1], piece
        return "".join(parts)


def _check_shared_text(document: str, a: Piece, b: Piece) -> None:
    start, end = max(a[0], b[0]), min(a[1], b[1])
    if a[2][start - a[0] : end - a[0]] != b[2][start - b[0] : end - b[0]]:
        raise InputError(
            f"{document}, characters {start} to {end}",
            "two chunks have different texts there: are their offsets those of one text? Pass texts=, "
            "the texts of the documents",
        )
