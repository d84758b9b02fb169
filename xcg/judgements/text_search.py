"""Placing passages that are given as text: where in a document do these words stand?

Texts are compared without white space and in Unicode's compatibility form (NFKC), so that a passage
copied from a plain-text rendering, a PDF or a web page is found in the XML.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from typing import Any, NamedTuple

from xcg.documents.corpus import Corpus
from xcg.documents.files import Field, PathLike, check_record, expand, json_lines, open_input
from xcg.documents.paths import canonical_file
from xcg.documents.tree import ElementTree
from xcg.errors import InputError, XcgError

_FIELDS = (
    Field("topic", (str, int), "an id"),
    Field("doc", (str,), "a document's name"),
    Field("text", (str,), "the words of the passage"),
    Field("near", (int, float), "a place from 0 to 1", required=False),
    Field("exhaustivity", (int,), "1, 2 or 3", required=False),
)


class PlacingIndex:
    """A document's text, folded for the search of passages.

    >>> from xcg.documents.parsing import parse_document
    >>> index = PlacingIndex(parse_document("<a><p>e\ufb03cient  at</p> <p>last</p></a>".encode()))
    >>> index.find("efficient at last")
    [(0, 16)]
    """

    def __init__(self, tree: ElementTree, within: str | None = None) -> None:
        row = tree.row(within) if within is not None else 0
        folded, places = [], []
        for place in range(int(tree.start[row]), int(tree.stop[row])):
            for character in _folded(tree.text[place]):
                folded.append(character)
                places.append(place)
        self._text = "".join(folded)
        self._places = places
        self.length = len(tree.text)

    def find(self, text: str) -> list[tuple[int, int]]:
        """Return start and end of every place where the passage stands, in order."""
        wanted = _folded(text)
        found = []
        place = self._text.find(wanted) if wanted else -1
        while place >= 0:
            found.append((self._places[place], self._places[place + len(wanted) - 1] + 1))
            place = self._text.find(wanted, place + 1)
        return found


def _folded(text: str) -> str:
    return "".join(unicodedata.normalize("NFKC", text).split())


def place_passage(tree: ElementTree, text: str, within: str | None = None) -> tuple[int, int]:
    """Return start and end of a passage in a document, or in one of its elements.

    Raises XcgError where it occurs not at all, or more than once.

    >>> from xcg.documents.parsing import parse_document
    >>> place_passage(parse_document(b"<a><p>one  two</p> <p>three</p></a>"), "two three")
    (5, 14)
    """
    found = PlacingIndex(tree, within).find(text)
    if len(found) != 1:
        state = "more than once" if found else "no such text"
        raise XcgError(f"{state}: {text[:60]!r}")
    return found[0]


class Placed(NamedTuple):
    """What came of placing: the passages with their offsets, and messages on all others.

    ambiguous: how many passages occur more than once; the place nearest to ``near`` was taken.
    """

    passages: list[dict[str, object]]
    missing: list[str]
    ambiguous: int


def place_passages(paths: PathLike | Iterable[PathLike], corpus: Corpus) -> Placed:
    """Place the passages of JSON Lines files: ``{"topic", "doc", "text", "near"?, "exhaustivity"?}``.

    ``near`` says about where in the document the passage stands, from 0 to 1; without it the first
    place counts. Raises InputError for a wrong line or a document that the corpus lacks.
    """
    placed = Placed([], [], 0)
    ambiguous = 0
    indexes: dict[str, PlacingIndex] = {}
    for path in expand(paths, "passages in JSON Lines"):
        with open_input(path) as file:
            for where, record in json_lines(file, path):
                check_record(record, _FIELDS, where)
                name = _document(record, corpus, where)
                if name not in indexes:
                    indexes[name] = PlacingIndex(corpus.tree(name))
                index, text = indexes[name], str(record["text"])
                found = index.find(text)
                if not found:
                    placed.missing.append(f"{where}: {name} has no such text: {text[:60]!r}")
                    continue
                ambiguous += len(found) > 1
                start, end = min(found, key=lambda span: _distance(span, record, index))
                kept = {key: value for key, value in record.items() if key != "near"}
                kept.update(doc=name, start=start, end=end, text=corpus.tree(name).text[start:end])
                placed.passages.append(kept)
    return placed._replace(ambiguous=ambiguous)


def _document(record: dict[str, Any], corpus: Corpus, where: str) -> str:
    try:
        name = canonical_file(record["doc"])
    except ValueError as error:
        raise InputError(where, str(error)) from None
    if name not in corpus:
        raise InputError(where, f"the corpus has no document {name!r}")
    if not 0 <= record.get("near", 0) <= 1:
        raise InputError(where, f"near is {record['near']}: expected a place from 0 to 1")
    return name


def _distance(span: tuple[int, int], record: dict[str, Any], index: PlacingIndex) -> float:
    return abs(span[0] - float(record.get("near", 0)) * index.length)
