"""Find the passages of JSON Lines files in their documents by their text.

Passages are grouped by document, so that each document is prepared for the search once, and only one at
a time is in memory.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from xcg.documents.corpus import Corpus
from xcg.documents.files import PathLike
from xcg.documents.text_search import Location, TextIndex
from xcg.errors import InputError, XcgError
from xcg.formats.json_records import (
    NUGGET,
    QUOTE_FIELDS,
    START_AND_END,
    TOPIC_AND_DOCUMENT,
    Field,
    check_record,
    document_name,
    quote_of,
    records_in,
)
from xcg.formats.moved_passages import MovedPassage, compare_with_neighbours
from xcg.runs.chunk_documents import missing_document

_PASSAGE_FIELDS = (
    *TOPIC_AND_DOCUMENT,
    *QUOTE_FIELDS,
    Field("near", (int, float), "a number from 0 to 1", required=False),
    Field("exhaustivity", (int,), "1, 2 or 3", required=False),
    Field("level", (int, float), "a level of relevance", required=False),
    NUGGET,
)
_OLD_PASSAGE_FIELDS = (
    *TOPIC_AND_DOCUMENT,
    *QUOTE_FIELDS,
    *START_AND_END,
    Field("entry_point", (int,), "the offset of a character", required=False),
)
_SHOWN = 60
_SHOWN_SIMILARITY = 0.8
"""The minimum similarity of text that is shown, but not accepted."""

Record = dict[str, Any]
Progress = Callable[[int, int], None]
"""Called with the number of documents that have been searched and the number of all documents."""


@dataclass
class PlacedPassages:
    """The result of a search for passages.

    Attributes:
        passages: The records of the passages that were found, in the order of the files.
        missing: Messages about passages that were not found. :func:`update_gold` adds messages about
            ambiguous passages.
        notes: Messages about passages to check: approximate matches, ambiguous passages for which the
            occurrence nearest to the stated position was chosen, and doubtful moves.
        counts: Status → number of passages.
    """

    passages: list[Record] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)

    @property
    def summary(self) -> str:
        """The numbers of passages by status, in one line."""
        parts = [f"{self.counts[name]} {name}" for name in _STATUSES if self.counts[name]]
        total = self.counts.total()
        return f"{total} passage{'s' if total != 1 else ''}: {', '.join(parts) or 'none'}"


_STATUSES = ("exact", "normalised", "approximate", "ambiguous", "lost")


def locate_passages(
    paths: PathLike | Iterable[PathLike],
    corpus: Corpus,
    min_similarity: float | None = None,
    progress: Progress | None = None,
) -> PlacedPassages:
    """Find passages, given as text in JSON Lines files, in their documents.

    A record has the fields ``topic``, ``doc``, ``exact`` or ``text``, and optionally ``prefix``,
    ``suffix``, ``near``, ``nugget``, and ``exhaustivity`` or ``level``. ``near`` is the approximate
    position in the document, from 0 (its start, the default) to 1. If a passage is ambiguous, the
    occurrence nearest to it is taken.

    Args:
        paths: Files, folders and globs.
        corpus: The documents.
        min_similarity: Minimum similarity of approximate matches; None for the same words only.
        progress: Called before each document.

    Raises:
        InputError: If a record is illegal, the corpus does not have its document, or the passage occurs
            too often.
    """
    placed = PlacedPassages()
    given = list(records_in(paths, "passages in JSON Lines"))
    for where, record in given:
        check_record(record, _PASSAGE_FIELDS, where)
        record["doc"] = document_name(record, where)
        if record["doc"] not in corpus:
            raise InputError(where, missing_document(record["doc"], corpus, is_result=False))
        if not 0 <= record.get("near", 0) <= 1:
            raise InputError(where, f"near is {record['near']}: expected a number from 0 to 1")
        if (quote := quote_of(record, where)) is None:
            raise InputError(where, "the field 'text' is missing")
        record["exact" if "exact" in record else "text"] = quote.exact.strip()
    for where, record, location, text, _ in _located(given, corpus, min_similarity, progress):
        if location.status == "ambiguous":
            position = record.get("near", 0) * len(text)
            near = min(location.occurrences, key=lambda span: abs(span[0] - position))
            location = location._replace(start=near[0], end=near[1])  # noqa: PLW2901
        record.pop("near", None)
        _report(placed, where, record, location, text)
        if location.status != "lost":
            _place(record, location, text)
            placed.passages.append(record)
    return placed


def update_gold(
    paths: PathLike | Iterable[PathLike],
    corpus: Corpus,
    min_similarity: float | None = None,
    progress: Progress | None = None,
) -> PlacedPassages:
    """Move the passages of assessments in JSON Lines to the current positions of their text.

    Records keep their order and their fields; only ``start``, ``end`` and the text change, and the best
    entry point ``entry_point``, which moves as far as the passage that states it. Passages that are
    lost or ambiguous, or state no text, stay as they are, with ``"lost": true``, which evaluations
    refuse. Records of elements and documents stay.

    Args:
        paths: Files, folders and globs.
        corpus: The changed documents.
        min_similarity: Minimum similarity of approximate matches; None for the same words only.
        progress: Called before each document.

    Raises:
        InputError: If a record is illegal.
    """
    placed = PlacedPassages()
    given = list(records_in(paths, "assessments in JSON Lines"))
    passages = []
    for where, record in given:
        if not {"start", "end", "exact", "text"} & record.keys():
            continue
        known = {name: record[name] for name in _OLD_NAMES if name in record}
        check_record(known, _OLD_PASSAGE_FIELDS, where)
        name = document_name(record, where)
        if quote_of(record, where) is None:
            _lose(
                placed, record, f"{where}: the passage of {name} states no text, so it cannot be placed"
            )
        elif name not in corpus:
            _lose(placed, record, f"{where}: {missing_document(name, corpus, is_result=False)}")
        else:
            passages.append((where, record))
    located = _located(passages, corpus, min_similarity, progress)
    for where, record, location, text, is_doubtful in located:
        _report(placed, where, record, location, text, left_out=True)
        if is_doubtful:
            placed.notes.append(
                f"{where}: moved from {record['start']} to {location.start}, unlike the "
                "passages around it; check it, because its words may be those of another passage"
            )
        if location.is_found:
            _place(record, location, text)
        else:
            record["lost"] = True
    placed.passages = [record for _, record in given]
    return placed


_OLD_NAMES = [one.name for one in _OLD_PASSAGE_FIELDS]


_Located = tuple[str, Record, Location, str, bool]
"""File and line, record, location of its passage, text of the document, and whether the words at the
location may belong to another passage."""


def _located(
    given: Sequence[tuple[str, Record]],
    corpus: Corpus,
    min_similarity: float | None,
    progress: Progress | None,
) -> Iterable[_Located]:
    """Return the location of each record, in order."""
    by_document: dict[str, list[int]] = {}
    for number, (where, record) in enumerate(given):
        by_document.setdefault(document_name(record, where), []).append(number)
    found: dict[int, _Located] = {}
    for done, (name, numbers) in enumerate(by_document.items()):
        if progress is not None:
            progress(done, len(by_document))
        index = TextIndex(corpus.tree(name).text)
        moved = []
        for number in numbers:
            where, record = given[number]
            quote = quote_of(record, where)
            assert quote is not None
            old_start = record.get("start")
            try:
                location = index.locate(quote, min_similarity, old_start)
            except XcgError as error:
                raise InputError(where, f"{name}: {error}") from None
            moved.append(MovedPassage(quote, old_start, location))
        for number, one in zip(numbers, compare_with_neighbours(moved, index.text), strict=True):
            found[number] = (*given[number], one.location, index.text, one.is_doubtful)
    return [found[number] for number in range(len(given))]


def _place(record: Record, location: Location, text: str) -> None:
    record.pop("lost", None)
    if "entry_point" in record and "start" in record:
        record["entry_point"] += location.start - record["start"]
    record["start"], record["end"] = location.start, location.end
    record["exact" if "exact" in record else "text"] = text[location.start : location.end]


def _report(
    placed: PlacedPassages,
    where: str,
    record: Mapping[str, Any],
    location: Location,
    text: str,
    left_out: bool = False,
) -> None:
    name, quote = record["doc"], quote_of(record, where)
    assert quote is not None
    shown = f"{quote.exact[:_SHOWN]!r}"
    placed.counts[location.status] += 1
    if location.status == "lost":
        similar = ""
        with suppress(XcgError):  # without rapidfuzz
            near = TextIndex(text).locate(quote, _SHOWN_SIMILARITY)
            if near.status == "approximate":
                similar = f"; similar text (similarity {near.similarity:.3f}, accepted with --fuzzy): "
                similar += repr(text[near.start : near.end][:_SHOWN])
        placed.missing.append(f"{where}: {name} does not contain {shown}{similar}")
    elif location.status == "ambiguous":
        message = f"{where}: {location.occurrence_list} of {shown} in {name}"
        if left_out:
            placed.missing.append(message)
        else:
            placed.notes.append(f"{message}; took {location.start}–{location.end}")
    elif location.status == "approximate":
        placed.notes.append(
            f"{where}: similar text (similarity {location.similarity:.3f}) for {shown} in {name}, at "
            f"{location.start}–{location.end}: {text[location.start : location.end][:_SHOWN]!r}"
        )


def _lose(placed: PlacedPassages, record: Record, message: str) -> None:
    record["lost"] = True
    placed.counts["lost"] += 1
    placed.missing.append(message)
