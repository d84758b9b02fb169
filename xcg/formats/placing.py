"""Find the passages of JSON Lines files in their documents by their text.

Passages are grouped by document, so that each document is prepared for the search once, and only one at
a time is in memory. An edit moves all text after it by the same distance. So the passages before and
after another one show its expected position, even if its words occur several times.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from xcg.documents.corpus import Corpus
from xcg.documents.files import PathLike
from xcg.documents.text_search import LONG, Location, Quote, Span, Status, TextIndex
from xcg.errors import InputError, XcgError
from xcg.formats.json_records import QUOTE, check_record, document_name, legal_fields, records_in
from xcg.judgements.anchoring import located
from xcg.judgements.assessment import quote_of
from xcg.runs.chunk_documents import missing_document

_SLACK = 50
"""Maximum distance of a plausible position from the expected positions, in characters."""
_SLACK_SHARE = 10
"""The tolerance grows by 1 / n of the distance between the neighbours, because edits add up."""
_DRIFT = 4
"""The tolerance grows by 1 / n of the distance to the neighbour if there is only one."""
_MIN_MATCHED = 20
"""Characters of a quote and its context that must match for the neighbours to decide."""

Move = tuple[int, int]
"""The old and the new start of a passage."""


class MovedPassage(NamedTuple):
    """A passage with its old position and its location in the changed document.

    Attributes:
        quote: The quote.
        old_start: Where it was; None if unknown.
        location: Where it is.
        is_doubtful: Whether the words at the location may belong to another passage.
    """

    quote: Quote
    old_start: int | None
    location: Location
    is_doubtful: bool = False


def compare_with_neighbours(passages: Sequence[MovedPassage], text: str) -> list[MovedPassage]:
    """Decide uncertain passages of a document by the passages around them.

    A passage is certain if its whole context is next to it, or if it is long and occurs once. Its
    neighbours are the nearest certain passages before and after it. A position is expected if the
    passage moved by a distance between theirs, and plausible if it nearly did.

    - An ambiguous passage is placed if one occurrence is expected, or else plausible, and at least
      twenty characters of its words and context match there. It is doubtful unless it moved exactly as
      far as a neighbour.
    - A passage in an implausible position becomes ambiguous if another occurrence is plausible, and one
      that is not certain also if another occurrence is expected. Otherwise it is doubtful.
    - A passage that is not certain is also doubtful in a plausible position that is not expected.

    Args:
        passages: The passages of a document.
        text: The text of the changed document.

    Returns:
        The passages in the same order.

    >>> text = "New. " + "Bees dance. " * 9
    >>> ambiguous = Location("ambiguous", 5, 16, occurrences=[(5, 16), (53, 64)], matched=25)
    >>> one, two = compare_with_neighbours([
    ...     MovedPassage(Quote("Bees dance."), 48, ambiguous),
    ...     MovedPassage(Quote("dance. Bees"), 41, Location("exact", 46, 57, has_context=True)),
    ... ], text)
    >>> one.location.status, one.location.start
    ('exact', 53)
    """
    certain = sorted(
        (one.old_start, one.location.start)
        for one in passages
        if one.old_start is not None and _is_certain(one.location)
    )
    return [_decided(one, certain, text) for one in passages]


def _is_certain(location: Location) -> bool:
    if location.status not in ("exact", "normalised"):
        return False
    return location.has_context or (not location.occurrences and location.end - location.start >= LONG)


def _decided(one: MovedPassage, certain: Sequence[Move], text: str) -> MovedPassage:
    location, old = one.location, one.old_start
    is_exempt = location.status in ("approximate", "lost")
    if old is None or is_exempt or (location.is_found and location.start == old):
        return one
    neighbours = _neighbours(old, certain)
    spans = location.occurrences or [(location.start, location.end)]
    plausible = [span for span in spans if _is_plausible(old, span[0], *neighbours)]
    expected = [span for span in spans if _is_plausible(old, span[0], *neighbours, slack=0)]
    if location.status == "ambiguous":
        chosen = expected or plausible
        if len(chosen) == 1 and location.matched >= _MIN_MATCHED:
            as_stated = text[slice(*chosen[0])] == one.quote.exact
            status: Status = "exact" if as_stated else "normalised"
            shifts = {near[1] - near[0] for near in neighbours if near}
            return one._replace(
                location=Location(status, *chosen[0]), is_doubtful=chosen[0][0] - old not in shifts
            )
        return one
    own = location.start, location.end
    is_certain = _is_certain(location)
    if _overlaps(own, plausible):
        has_rival = not is_certain and expected and not _overlaps(own, expected)
    else:
        is_long = location.end - location.start >= _MIN_MATCHED
        has_rival = plausible and (is_long or not is_certain)
    if has_rival:
        return one._replace(location=Location("ambiguous", *own, occurrences=spans))
    if is_certain:
        return one._replace(is_doubtful=any(neighbours) and not _overlaps(own, plausible))
    return one._replace(is_doubtful=not _overlaps(own, expected))


def _overlaps(span: Span, others: Sequence[Span]) -> bool:
    return any(span[0] < end and start < span[1] for start, end in others)


def _neighbours(old: int, certain: Sequence[Move]) -> tuple[Move | None, Move | None]:
    """Return the nearest certain passages before and after an old position."""
    first = bisect_left(certain, (old, -1))
    last = bisect_left(certain, (old + 1, -1))
    before = certain[first - 1] if first else None
    return before, certain[last] if last < len(certain) else None


def _is_plausible(
    old: int, new: int, before: Move | None, after: Move | None, slack: int = _SLACK
) -> bool:
    """Return whether a passage moved like its neighbours, or by a distance between theirs."""
    if after and not before:
        before = 0, 0  # the start of the document
    if before and after and before[1] <= after[1]:
        moved = sorted([before[1] - before[0], after[1] - after[0]])
        if slack:
            slack += (after[0] - before[0]) // _SLACK_SHARE
        return moved[0] - slack <= new - old <= moved[1] + slack
    return any(
        abs((new - old) - (near[1] - near[0])) <= (slack and slack + abs(old - near[0]) // _DRIFT)
        for near in (before, after)
        if near
    )


_SHOWN = 60
_SHOWN_SIMILARITY = 0.8
"""The minimum similarity of text that is shown, but not accepted."""

Record = dict[str, Any]
_Given = tuple[str, Record, Quote]
"""File and line, record, and its quote."""
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
    """Find passages, given as text in JSON Lines or CSV files, in their documents.

    A record has the fields ``topic``, ``exact`` or ``text``, and optionally ``doc``, ``prefix``,
    ``suffix``, ``near``, ``nugget``, and ``exhaustivity`` or ``level``. Without ``doc``, the only
    document with its words is taken. ``near`` is the approximate position in the document, from 0 (its
    start, the default) to 1. If a passage is ambiguous, the occurrence nearest to it is taken.

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
    given: list[_Given] = []
    legal = legal_fields("topic", f"doc {QUOTE} near exhaustivity level nugget")
    for where, record in list(records_in(paths, "passages in JSON Lines or CSV")):
        check_record(record, legal, where)
        if (quote := quote_of(record, where)) is None:
            raise InputError(where, "the field 'text' is missing")
        quote = quote._replace(exact=quote.exact.strip())
        record["exact" if "exact" in record else "text"] = quote.exact
        given.append((where, record, quote))
    given = _with_documents(given, corpus, placed)
    for where, record, _ in given:
        record["doc"] = document_name(record, where)
        if record["doc"] not in corpus:
            raise InputError(where, missing_document(record["doc"], corpus, is_result=False))
        if not 0 <= record.get("near", 0) <= 1:
            raise InputError(where, f"near is {record['near']}: expected a number from 0 to 1")
    for one, moved, text in _located(given, corpus, min_similarity, progress):
        location, position = moved.location, one[1].pop("near", 0) * len(text)
        if location.status == "ambiguous":
            start, end = min(location.occurrences, key=lambda span: abs(span[0] - position))
            location = location._replace(start=start, end=end)
        _report(placed, one, location, text)
        if location.status != "lost":
            _place(one[1], location, text)
            placed.passages.append(one[1])
    return placed


def _with_documents(given: Sequence[_Given], corpus: Corpus, placed: PlacedPassages) -> list[_Given]:
    """Return the records with a document: the only one with their words, if they state none."""
    unnamed = [one for one in given if "doc" not in one[1]]
    found: list[list[str]] = [[] for _ in unnamed]
    for name in corpus if unnamed else ():
        index = TextIndex(corpus.tree(name).text)
        for (where, _, quote), names in zip(unnamed, found, strict=True):
            if located(index, quote, f"{where}: {name}").status != "lost":
                names.append(name)
    for (where, record, quote), names in zip(unnamed, found, strict=True):
        shown = f"{quote.exact[:_SHOWN]!r}"
        if len(names) == 1:
            record["doc"] = names[0]
            continue
        problem = f"no document contains {shown}; with doc, similar text is shown"
        if names:
            documents = f"{len(names)} documents have {shown}, such as {' and '.join(names[:2])}"
            problem = f"{documents}; expected one of them as doc"
        placed.counts["ambiguous" if names else "lost"] += 1
        placed.missing.append(f"{where}: {problem}")
    return [one for one in given if "doc" in one[1]]


def update_gold(
    paths: PathLike | Iterable[PathLike],
    corpus: Corpus,
    min_similarity: float | None = None,
    progress: Progress | None = None,
) -> PlacedPassages:
    """Move the passages of assessments in JSON Lines to the current positions of their text.

    Records keep their order and their fields; only ``start``, ``end`` and the text change. Passages
    that are lost or ambiguous, or state no text, stay as they are, with ``"lost": true``, which
    evaluations refuse. Records of elements and documents stay.

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
    legal = legal_fields("topic doc", f"{QUOTE} start end")
    passages: list[_Given] = []
    for where, record in given:
        if not {"start", "end", "exact", "text"} & record.keys():
            continue
        known = {one.name: record[one.name] for one in legal if one.name in record}
        check_record(known, legal, where)
        name = document_name(record, where)
        if (quote := quote_of(record, where)) is None:
            message = f"the passage of {name} states no text, so it cannot be placed"
        elif name not in corpus:
            message = missing_document(name, corpus, is_result=False)
        else:
            passages.append((where, record, quote))
            continue
        record["lost"] = True
        placed.counts["lost"] += 1
        placed.missing.append(f"{where}: {message}")
    for one, moved, text in _located(passages, corpus, min_similarity, progress):
        where, record, _ = one
        _report(placed, one, moved.location, text, left_out=True)
        if moved.is_doubtful:
            placed.notes.append(
                f"{where}: moved from {record['start']} to {moved.location.start}, unlike the "
                "passages around it; check it, because its words may be those of another passage"
            )
        if moved.location.is_found:
            _place(record, moved.location, text)
        else:
            record["lost"] = True
    placed.passages = [record for _, record in given]
    return placed


def _located(
    given: Sequence[_Given], corpus: Corpus, min_similarity: float | None, progress: Progress | None
) -> Iterable[tuple[_Given, MovedPassage, str]]:
    """Return each record with its passage and the text of its document, in order."""
    by_document: dict[str, list[int]] = {}
    for number, (where, record, _) in enumerate(given):
        by_document.setdefault(document_name(record, where), []).append(number)
    found: dict[int, tuple[_Given, MovedPassage, str]] = {}
    for done, (name, numbers) in enumerate(by_document.items()):
        if progress is not None:
            progress(done, len(by_document))
        index = TextIndex(corpus.tree(name).text)
        passages = []
        for where, record, quote in (given[number] for number in numbers):
            old = record.get("start")
            location = located(index, quote, f"{where}: {name}", min_similarity, old)
            passages.append(MovedPassage(quote, old, location))
        moved = compare_with_neighbours(passages, index.text)
        found |= {n: (given[n], one, index.text) for n, one in zip(numbers, moved, strict=True)}
    return [found[number] for number in range(len(given))]


def _place(record: Record, location: Location, text: str) -> None:
    record.pop("lost", None)
    record["start"], record["end"] = location.start, location.end
    record["exact" if "exact" in record else "text"] = text[location.start : location.end]


def _report(
    placed: PlacedPassages, one: _Given, location: Location, text: str, left_out: bool = False
) -> None:
    where, record, quote = one
    shown = f"{quote.exact[:_SHOWN]!r}"
    name = record["doc"]
    placed.counts[location.status] += 1
    if location.status == "lost":
        similar = ""
        with suppress(XcgError):  # without rapidfuzz
            near = TextIndex(text).locate(quote, _SHOWN_SIMILARITY)
            if near.status == "approximate":
                similar = f"; similar text (similarity {near.similarity:.3f}, accepted with --fuzzy): "
                similar += repr(text[near.start : near.end][:_SHOWN])
        placed.missing.append(f"{where}: {name} does not contain {shown}{similar}")
    elif location.status == "ambiguous" and left_out:
        placed.missing.append(f"{where}: {location.occurrence_list} of {shown} in {name}")
    elif location.status == "ambiguous" or (
        len(location.occurrences) > 1 and not location.has_context and "start" not in record
    ):
        chosen = f"took {location.start}–{location.end}"
        placed.notes.append(f"{where}: {location.occurrence_list} of {shown} in {name}; {chosen}")
    elif location.status == "approximate":
        placed.notes.append(
            f"{where}: similar text (similarity {location.similarity:.3f}) for {shown} in {name}, at "
            f"{location.start}–{location.end}: {text[location.start : location.end][:_SHOWN]!r}"
        )
