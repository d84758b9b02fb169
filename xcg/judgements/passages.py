"""Find the quotes of assessments in documents, and derive element assessments from passages."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from xcg.documents.corpus import Corpus
from xcg.documents.text_search import Location, Quote, TextIndex, states_span
from xcg.documents.tree import ElementTree, Ints
from xcg.errors import InputError, Notes, UnmappedError, XcgError
from xcg.judgements.assessment import Assessment, ParsedPassage, QuotedPassage
from xcg.judgements.nuggets import add_passage, remove_nuggets
from xcg.judgements.recall_base import RecallBase, Span
from xcg.lazy_modules import np, npt
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
    >>> anchor(base, Corpus.of({"bees": "Bees do a waggle dance."}), Notes()).spans("1")["bees"]
    [Span(start=10, end=22, exhaustivity=2.0)]
    """
    if not base.quoted:
        return base
    if corpus is None:
        _refuse_quotes(base)
        return base.without_quotes()
    quoted = _by_document(base, corpus)
    changed = base.without_quotes()
    for file in corpus.prepared(list(quoted)):
        try:
            index = TextIndex(corpus.tree(file).text)
        except UnmappedError:
            raise
        except InputError:
            continue  # reported when the document is evaluated
        for topic, passage in quoted[file]:
            try:
                span = _checked_span(index, file, passage)
            except UnmappedError as error:
                notes.tolerate("passages whose text is not in their document", error)
                if passage.span is not None and passage.nugget is not None:
                    remove_nuggets(changed, topic, (file, passage.span))
                elif passage.span is not None:
                    changed.remove_span(topic, file, Span(*passage.span, passage.exhaustivity))
            else:
                if passage.span is None:
                    found = ParsedPassage(passage.quote, span, passage.exhaustivity, passage.nugget)
                    add_passage(changed, topic, file, found, passage.where)
    return changed


def _by_document(base: RecallBase, corpus: Corpus) -> dict[str, list[tuple[str, QuotedPassage]]]:
    """Return document → topics and their passages in it that state their text."""
    found: dict[str, list[tuple[str, QuotedPassage]]] = {}
    for topic, file, passage in base.quoted:
        if file in corpus:  # missing documents are reported when they are evaluated
            found.setdefault(file, []).append((topic, passage))
    return found


def _refuse_quotes(base: RecallBase) -> None:
    """Raise an error if a passage has no position."""
    for *_, passage in base.quoted:
        if passage.span is None:
            raise InputError(
                passage.where,
                "the passage is given by its text: expected a corpus, or start and end, which xcg "
                "place adds",
            )


def _checked_span(index: TextIndex, file: str, passage: QuotedPassage) -> tuple[int, int]:
    """Return the position of a passage; raise UnmappedError if the document does not confirm it."""
    if passage.span is None:
        return _only_position(index, file, passage.quote, passage.where)
    start, end = passage.span
    if not states_span(index.text, start, end, passage.quote.exact):
        where = f"{passage.where}, {file}, {start}–{end}"
        raise UnmappedError(where, difference(index, start, end, passage.quote))
    return start, end


def _only_position(index: TextIndex, file: str, quote: Quote, where: object) -> tuple[int, int]:
    location = _located(index, quote, where)
    if location.is_found:
        return location.start, location.end
    shown = f"{quote.exact[:_SHOWN]!r}"
    if location.status == "ambiguous":
        problem = (
            f"{location.occurrence_list} of {shown} in {file}; expected more of its prefix or suffix"
        )
        raise UnmappedError(where, f"{problem}, or start and end")
    raise UnmappedError(
        where, f"{file} does not contain {shown}; xcg place --fuzzy 0.9 finds similar text"
    )


def difference(index: TextIndex, start: int, end: int, quote: Quote) -> str:
    """Return the message for a span with unexpected text; it gives the position of the stated text."""
    found = f"the text is {index.text[start:end][:_SHOWN]!r}, not {quote.exact[:_SHOWN]!r}"
    if start > 0 and states_span(index.text, start - 1, end - 1, quote.exact):
        return (
            f"{found}, which is at {start - 1}–{end - 1}: offsets begin with 0 and do not count a byte "
            "order mark, which Python keeps unless a file is opened with encoding='utf-8-sig'"
        )
    location = _located(index, quote, f"{start}–{end}")
    if location.is_found:
        now = f"which is at {location.start}–{location.end}"
    elif location.status == "ambiguous":
        now = f"which has {location.occurrence_list}"
    else:
        now = "which the document does not contain"
    return f"{found}, {now}; xcg place --update moves the passages to their text"


def _located(index: TextIndex, quote: Quote, where: object) -> Location:
    try:
        return index.locate(quote)
    except XcgError as error:
        raise UnmappedError(where, str(error)) from None


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
        return _checked_span(self._last[1], file, QuotedPassage(quote, stated, 0.0, where))


class Highlight(NamedTuple):
    """A highlighted passage: characters start to end - 1 of a document's text.

    Attributes:
        topic: The topic for which it is relevant.
        file: The document.
        start: First character.
        end: First character after the passage.
        exhaustivity: 1, 2 or 3.
        text: The passage's text, for checks; None if unknown.
    """

    topic: str
    file: str
    start: int
    end: int
    exhaustivity: int
    text: str | None = None


@dataclass(frozen=True)
class SpecificityScale:
    """Thresholds that turn the proportion of highlighted text into a specificity from 1 to 3.

    Args:
        highly: Minimum proportion of highlighted characters for specificity 3.
        fairly: Minimum proportion for specificity 2; smaller proportions have specificity 1.
        smallest: Minimum number of characters of an assessed element.

    Raises:
        ValueError: Unless 0 < fairly < highly <= 1.
    """

    highly: float = 0.9
    fairly: float = 0.5
    smallest: int = 40

    def __post_init__(self) -> None:
        if not 0 < self.fairly < self.highly <= 1:
            raise ValueError(
                f"fairly is {self.fairly} and highly {self.highly}: expected 0 < fairly < highly <= 1"
            )

    def specificity(self, share: float) -> int:
        """Return the specificity of a proportion above 0."""
        return 3 if share >= self.highly else 2 if share >= self.fairly else 1


def assess(
    highlights: Iterable[Highlight], corpus: Corpus, scale: SpecificityScale | None = None
) -> RecallBase:
    """Derive element assessments from highlights.

    Every element with highlighted text that is not too small is assessed. Its specificity is the
    proportion of its characters that are highlighted, on the scale. Its exhaustivity is the maximum
    over the passages: the passage's exhaustivity if the element contains at least half of the passage,
    otherwise one less, but at least 1. So exhaustivity never decreases towards the root (Kazai and
    Lalmas 2006, section 3.3). The rule for parts of a passage is not from the paper.

    Args:
        highlights: The highlights.
        corpus: Their documents.
        scale: Thresholds for specificity.

    Raises:
        UnmappedError: If the corpus does not have a document, or a document does not have a span.

    >>> from xcg.documents.corpus import Corpus
    >>> corpus = Corpus.of({"d": "<a><p>0123456789</p><p>0123456789</p></a>"})
    >>> base = assess([Highlight("1", "d", 0, 10, 3)], corpus, SpecificityScale(smallest=5))
    >>> {path: assessment.label for path, assessment in base.files("1")["d"].items()}
    {'/a[1]': '(3,2)', '/a[1]/p[1]': '(3,3)'}
    """
    scale = scale or SpecificityScale()
    passages: dict[tuple[str, str], list[Highlight]] = {}
    for highlight in highlights:
        passages.setdefault((highlight.topic, highlight.file), []).append(highlight)
    base = RecallBase()
    for (topic, file), marked in sorted(passages.items()):
        base.add_topic(topic, "highlights")
        if file not in corpus:
            message = missing_document(file, corpus, is_result=False)
            raise UnmappedError(f"highlights, topic {topic}", message)
        tree = corpus.tree(file)
        for highlight in marked:
            _check_span(highlight, tree)
        for path, assessment in _element_assessments(tree, marked, scale).items():
            base.add(topic, file, path, assessment, f"highlights, topic {topic}")
    return base


def _check_span(highlight: Highlight, tree: ElementTree) -> None:
    topic, file, start, end, _, text = highlight
    where = f"highlights, topic {topic}, {file}, {start}–{end}"
    length = int(tree.characters[0])
    if end > length:
        raise UnmappedError(where, f"the document's text has {length} characters")
    if text is not None and not states_span(tree.text, start, end, text):
        raise UnmappedError(where, difference(TextIndex(tree.text), start, end, Quote(text)))


def _element_assessments(
    tree: ElementTree, marked: Sequence[Highlight], scale: SpecificityScale
) -> Mapping[str, Assessment]:
    relevant = covered_characters(tree, [(mark.start, mark.end) for mark in marked])
    exhaustivity = _highest(
        tree, [(m.start, m.end, m.exhaustivity, max(m.exhaustivity - 1, 1)) for m in marked]
    )
    return {
        tree.paths[row]: Assessment(
            float(exhaustivity[row]),
            float(scale.specificity(relevant[row] / tree.characters[row])),
            int(tree.characters[row]),
        )
        for row in np.flatnonzero((relevant > 0) & (tree.characters >= scale.smallest)).tolist()
    }


def _highest(
    tree: ElementTree, passages: Iterable[tuple[int, int, float, float]]
) -> npt.NDArray[np.float64]:
    """Return the highest value of the passages that share text with each element.

    Args:
        tree: The document.
        passages: Start, end, and the values for an element with at least half of the passage and for
            an element with less.
    """
    highest = np.zeros(len(tree))
    for start, end, value, value_of_part in passages:
        inside = np.minimum(tree.stop, end) - np.maximum(tree.start, start)
        values = np.where(2 * inside >= end - start, value, value_of_part)
        np.maximum(highest, values, out=highest, where=inside > 0)
    return highest


def covered_characters(tree: ElementTree, passages: Collection[tuple[int, int]]) -> Ints:
    """Return how many characters of each element are in passages, which may overlap.

    >>> from xcg.documents.parsing import parse_document
    >>> tree = parse_document(b"<a><p>0123456789</p><p>0123456789</p></a>")
    >>> covered_characters(tree, [(0, 5), (4, 7), (9, 11)]).tolist()
    [9, 8, 1]
    """
    # Passages that overlap are one; the first one is empty and lies before the text.
    first, last = np.array([(-1, -1), *sorted(passages)], dtype=np.int64).T
    last = np.maximum.accumulate(last)
    begins = np.flatnonzero(np.r_[True, first[1:] > last[:-1]])
    starts, ends = first[begins], last[np.r_[begins[1:], len(last)] - 1]
    characters = (ends - starts).cumsum()

    def count_before(offsets: Ints) -> Ints:
        passage = np.searchsorted(starts, offsets, side="right") - 1
        return np.asarray(characters[passage] - np.maximum(ends[passage] - offsets, 0))

    return count_before(tree.stop) - count_before(tree.start)


def assess_spans(tree: ElementTree, spans: Iterable[Span]) -> dict[int, Assessment]:
    """Return row → assessment of every element with text of a passage, on the scale of INEX 2005.

    The specificity is the proportion of the element's characters in passages, the exhaustivity the
    maximum of these passages.

    Raises:
        XcgError: If a passage exceeds the document's text.

    >>> from xcg.documents.parsing import parse_document
    >>> tree = parse_document(b"<a><p>0123456789</p><p>0123456789</p></a>")
    >>> [(tree.paths[r], a.label) for r, a in assess_spans(tree, [Span(0, 10)]).items()]
    [('/a[1]', '(2,0.5)'), ('/a[1]/p[1]', '(2,1)')]
    """
    passages = list(spans)
    length = int(tree.characters[0])
    for start, end, _ in passages:
        if end > length:
            raise XcgError(f"the passage {start}–{end}: the document's text has {length} characters")
    highlighted = covered_characters(tree, [(start, end) for start, end, _ in passages])
    exhaustivity = _highest(tree, [(*passage, passage.exhaustivity) for passage in passages])
    return {
        row: Assessment(
            float(exhaustivity[row]),
            float(highlighted[row] / tree.characters[row]),
            int(tree.characters[row]),
            "share",
        )
        for row in np.flatnonzero(highlighted > 0).tolist()
    }
