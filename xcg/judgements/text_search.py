"""Find passages that are given as text in a document.

Texts are compared in Unicode's compatibility form (NFKC) and without white space, so that a passage
copied from a plain-text rendering, a PDF or a web page is found in the XML.
"""

from __future__ import annotations

import unicodedata

from xcg.documents.tree import ElementTree
from xcg.errors import XcgError

MAX_CHARACTERS = 10_000_000
"""Maximum total number of characters of all occurrences of a text.

Each occurrence is compared, so a text of one repeated character would take quadratic time.
"""


class TextIndex:
    """A document's text, normalised for searching.

    Args:
        tree: The document.
        within: Canonical path of the element to search; the whole document by default.

    Attributes:
        length: Number of characters of the document's text.

    >>> from xcg.documents.parsing import parse_document
    >>> index = TextIndex(parse_document("<a><p>e\ufb03cient  at</p> <p>last</p></a>".encode()))
    >>> index.find("efficient at last")
    [(0, 16)]
    """

    def __init__(self, tree: ElementTree, within: str | None = None) -> None:
        row = tree.row(within) if within is not None else 0
        offsets = range(int(tree.start[row]), int(tree.stop[row]))
        pieces = [_normalised(tree.text[offset]) for offset in offsets]
        self._text = "".join(pieces)
        self._offsets = [offset for offset, piece in zip(offsets, pieces, strict=True) for _ in piece]
        self.length = len(tree.text)

    def find(self, text: str) -> list[tuple[int, int]]:
        """Return the start and end of every occurrence of a text, in order.

        Raises:
            XcgError: If the occurrences have more than :data:`MAX_CHARACTERS` characters in total.
        """
        wanted = _normalised(text)
        most = MAX_CHARACTERS // max(len(wanted), 1)
        occurrences: list[tuple[int, int]] = []
        index = self._text.find(wanted) if wanted else -1
        while index >= 0:
            last = index + len(wanted) - 1
            if len(occurrences) == most:
                raise XcgError(
                    f"the text occurs more than {most} times: {text[:60]!r}; expected a longer one"
                )
            occurrences.append((self._offsets[index], self._offsets[last] + 1))
            index = self._text.find(wanted, index + 1)
        return occurrences


def _normalised(text: str) -> str:
    return "".join(unicodedata.normalize("NFKC", text).split())


def locate_passage(tree: ElementTree, text: str, within: str | None = None) -> tuple[int, int]:
    """Return the start and end of the only occurrence of a passage.

    Args:
        tree: The document.
        text: The passage.
        within: Canonical path of the element to search; the whole document by default.

    Raises:
        XcgError: If the passage does not occur, or occurs more than once.

    >>> from xcg.documents.parsing import parse_document
    >>> locate_passage(parse_document(b"<a><p>one  two</p> <p>three</p></a>"), "two three")
    (5, 14)
    """
    occurrences = TextIndex(tree, within).find(text)
    if len(occurrences) != 1:
        problem = "the text occurs more than once" if occurrences else "the text does not occur"
        raise XcgError(f"{problem}: {text[:60]!r}")
    return occurrences[0]
