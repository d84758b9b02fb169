"""Prepare assessments: find their quotes in documents, and decide whether they name nuggets."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy, deepcopy

from xcg.documents.corpus import Corpus
from xcg.documents.text_search import Location, Quote, TextIndex, states_span
from xcg.errors import InputError, Notes, UnmappedError, XcgError
from xcg.judgements.assessment import ParsedPassage
from xcg.judgements.recall_base import ByTopic, RecallBase, Span, topic_key
from xcg.runs.chunk_documents import missing_document

_SHOWN = 60


def anchor(base: RecallBase, corpus: Corpus | None, notes: Notes) -> RecallBase:
    """Return assessments whose passages all have positions.

    Quotes are searched, and the text of passages that state their position is compared with the
    document; only white space, Unicode form, case and typography may differ. Documents are read one
    after the other, so that each is prepared for the search once.

    Args:
        base: The assessments, which are not changed.
        corpus: The documents. Without them, passages with a position stay as they are.
        notes: If they are lenient, passages that do not match are counted and left out.

    Raises:
        UnmappedError: If a quote is lost or ambiguous, or a document has another text at the position.
        XcgError: If there are quotes without position, and no documents.

    >>> base = RecallBase.of({"1": {"bees": [{"exact": "waggle dance"}]}})
    >>> anchor(base, Corpus.of({"bees": "Bees do a waggle dance."}), Notes()).spans["1"]["bees"]
    [Span(start=10, end=22, exhaustivity=2.0)]
    """
    if not base.quoted:
        return base
    changed = copy(base)  # whose passages and nuggets can be changed
    changed.quoted, changed.texts, changed.nuggets = [], dict(base.texts), deepcopy(base.nuggets)
    changed.spans = ByTopic({t: {f: [*s] for f, s in files.items()} for t, files in base.spans.items()})
    quoted = sorted(base.quoted, key=lambda one: topic_key(one[0]))
    if corpus is None:
        unplaced = [where for *_, passage, where in quoted if passage.span is None]
        if unplaced:
            message = "the passage is given by its text: expected a corpus, or start and end, which xcg"
            raise InputError(unplaced[0], f"{message} place adds")
        return changed
    by_document: dict[str, list[tuple[str, ParsedPassage, object]]] = {}
    for topic, file, passage, where in quoted:
        if file in corpus:  # missing documents are reported when they are evaluated
            by_document.setdefault(file, []).append((topic, passage, where))
    for file in corpus.prepared(list(by_document)):
        try:
            index = TextIndex(corpus.tree(file).text)
        except InputError:
            continue  # reported when the document is evaluated
        for topic, passage, where in by_document[file]:
            quote, span = passage[:2]
            assert quote is not None
            try:
                found = checked_span(index, file, quote, span, where)
            except UnmappedError as error:
                notes.tolerate("passages whose text is not in their document", error)
                _remove_passage(changed, topic, file, passage)
            else:
                if span is None:
                    changed.add_stated(topic, file, passage._replace(span=found), where)
    return changed


def _remove_passage(base: RecallBase, topic: str, file: str, passage: ParsedPassage) -> None:
    """Remove a passage and the nuggets that it states, if it has a position."""
    _, span, level, nugget = passage
    if span is None:
        return
    if nugget is not None:
        level = max(base.nuggets[topic].pop((file, span), {"": 0.0}).values())
    if level > 0:
        base.spans[topic][file].remove(Span(*span, level))


def checked_span(
    index: TextIndex, file: str, quote: Quote, stated: tuple[int, int] | None, where: object
) -> tuple[int, int]:
    """Return the position of a passage; raise UnmappedError if the document does not confirm it."""
    if stated is not None:
        start, end = stated
        if states_span(index.text, start, end, quote.exact):
            return start, end
        place = f"{where}, {file}, {start}–{end}"
        raise UnmappedError(place, _difference(index, start, end, quote))
    location = located(index, quote, where)
    if location.is_found:
        return location.start, location.end
    shown = f"{quote.exact[:_SHOWN]!r}"
    problem = f"{file} does not contain {shown}; xcg place --fuzzy 0.9 finds similar text"
    if location.status == "ambiguous":
        found = f"{location.occurrence_list} of {shown} in {file}"
        problem = f"{found}; expected more of its prefix or suffix, or start and end"
    raise UnmappedError(where, problem)


def _difference(index: TextIndex, start: int, end: int, quote: Quote) -> str:
    """Return the message for a span with unexpected text; it gives the position of the stated text."""
    found = f"the text is {index.text[start:end][:_SHOWN]!r}, not {quote.exact[:_SHOWN]!r}"
    if start > 0 and states_span(index.text, start - 1, end - 1, quote.exact):
        return (
            f"{found}, which is at {start - 1}–{end - 1}: offsets begin with 0 and do not count a byte "
            "order mark, which Python keeps unless a file is opened with encoding='utf-8-sig'"
        )
    location = located(index, quote, f"{start}–{end}")
    if location.is_found:
        now = f"which is at {location.start}–{location.end}"
    elif location.status == "ambiguous":
        now = f"which has {location.occurrence_list}"
    else:
        now = "which the document does not contain"
    return f"{found}, {now}; xcg place --update moves the passages to their text"


def located(
    index: TextIndex,
    quote: Quote,
    where: object,
    min_similarity: float | None = None,
    old_start: int | None = None,
) -> Location:
    """Return the position of a quote, see :meth:`TextIndex.locate`; UnmappedError if it fails."""
    try:
        return index.locate(quote, min_similarity, old_start)
    except XcgError as error:
        raise UnmappedError(where, str(error)) from None


def with_nugget_column(base: RecallBase, reasons: Sequence[str], notes: Notes) -> RecallBase:
    """Return a recall-base in which the second column of qrels is the nugget if there are reasons.

    Raises:
        XcgError: If no judgement names a nugget.
    """
    if base.has_nuggets or not reasons:
        return base
    if not base.nuggets:
        raise XcgError(
            f"{reasons[0]}, but no judgement names one: expected the field nugget in JSON Lines and "
            "Python, or the second column of TREC diversity qrels"
        )
    notes.note(f"the second column of the qrels is read as the nugget, because {reasons[0]}")
    found = copy(base)
    found.has_nuggets = True
    return found


class QuoteFinder:
    """Finds quotes one by one, and keeps the document of the last one.

    Args:
        corpus: The documents; None without them.
    """

    def __init__(self, corpus: Corpus | None) -> None:
        self._corpus = corpus
        self._last: tuple[str, TextIndex] | None = None

    def span(
        self, file: str, quote: Quote, where: object, stated: tuple[int, int] | None = None
    ) -> tuple[int, int]:
        """Return start and end of a quote in a document.

        Args:
            file: The document.
            quote: The quote.
            where: File and line, for messages.
            stated: Its start and end, where the document must have its text; None to search it.

        Raises:
            InputError: If there are no documents or the quote has no position.
        """
        if self._corpus is None:
            raise InputError(where, "the passage is given by its text: expected a corpus")
        if file not in self._corpus:
            raise UnmappedError(where, missing_document(file, self._corpus, is_result=False))
        if self._last is None or self._last[0] != file:
            self._last = file, TextIndex(self._corpus.tree(file).text)
        return checked_span(self._last[1], file, quote, stated, where)
