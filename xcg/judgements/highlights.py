"""Derive element assessments from passages that assessors highlighted in documents."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

from xcg.documents.corpus import Corpus
from xcg.documents.text_search import Quote, TextIndex
from xcg.documents.tree import ElementTree, Ints
from xcg.errors import UnmappedError, XcgError
from xcg.judgements.anchoring import checked_span
from xcg.judgements.assessment import Assessment
from xcg.judgements.recall_base import RecallBase, Span
from xcg.lazy_modules import np
from xcg.runs.chunk_documents import missing_document


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


class SpecificityScale(NamedTuple):
    """From the proportion of highlighted text to a specificity from 1 to 3.

    Attributes:
        highly: Minimum proportion of highlighted characters for the specificity 3.
        fairly: Minimum proportion for the specificity 2.
        smallest: Minimum number of characters of an assessed element.
    """

    highly: float = 0.9
    fairly: float = 0.5
    smallest: int = 40

    def specificity(self, share: float) -> int:
        """Return the specificity of a proportion above 0."""
        return 3 if share >= self.highly else 2 if share >= self.fairly else 1


SCALE = SpecificityScale()


def assess(
    highlights: Iterable[Highlight], corpus: Corpus, scale: SpecificityScale = SCALE
) -> RecallBase:
    """Derive element assessments from highlights.

    Every element with highlighted text that is not too small is assessed. Its specificity depends on
    the proportion of its characters that are highlighted. Its exhaustivity is the maximum over the
    passages: the passage's exhaustivity if the element contains at least half of the passage,
    otherwise one less, but at least 1. So exhaustivity never decreases towards the root (Kazai and
    Lalmas 2006, section 3.3). The rule for parts of a passage is not from the paper.

    Args:
        highlights: The highlights.
        corpus: Their documents.
        scale: The specificity of a proportion, and the smallest elements.

    Raises:
        UnmappedError: If the corpus does not have a document, or a document does not have a span.

    >>> from xcg.documents.corpus import Corpus
    >>> corpus = Corpus.of({"d": "<a><p>0123456789</p><p>0123456789</p></a>"})
    >>> base = assess([Highlight("1", "d", 0, 10, 3)], corpus, SpecificityScale(smallest=5))
    >>> {path: assessment.label for path, assessment in base.files["1"]["d"].items()}
    {'/a[1]': '(3,2)', '/a[1]/p[1]': '(3,3)'}
    """
    passages: dict[tuple[str, str], list[Highlight]] = {}
    for highlight in highlights:
        passages.setdefault((highlight.topic, highlight.file), []).append(highlight)
    base = RecallBase()
    for (topic, file), marked in sorted(passages.items()):
        where = f"highlights, topic {topic}"
        base.add_topic(topic, "highlights")
        if file not in corpus:
            raise UnmappedError(where, missing_document(file, corpus, is_result=False))
        tree = corpus.tree(file)
        length = int(tree.characters[0])
        for _, _, start, end, _, text in marked:
            if end > length:
                message = f"the document's text has {length} characters"
                raise UnmappedError(f"{where}, {file}, {start}–{end}", message)
            if text is not None:
                checked_span(TextIndex(tree.text), file, Quote(text), (start, end), where)
        graded = [(m.start, m.end, m.exhaustivity, max(m.exhaustivity - 1, 1)) for m in marked]
        for row, exhaustivity, share, size in _relevance(tree, graded):
            if size >= scale.smallest:
                assessment = Assessment(exhaustivity, float(scale.specificity(share)), size)
                base.add(topic, file, tree.paths[row], assessment, where)
    return base


def _relevance(
    tree: ElementTree, passages: Collection[tuple[int, int, float, float]]
) -> Iterator[tuple[int, float, float, int]]:
    """Yield row, exhaustivity, share in passages and size of every element with text of a passage.

    Args:
        tree: The document.
        passages: Start, end, and the exhaustivity of an element with at least half of the passage and
            of an element with less.
    """
    highlighted = covered_characters(tree, [passage[:2] for passage in passages])
    highest = np.zeros(len(tree))
    for start, end, value, value_of_part in passages:
        inside = np.minimum(tree.stop, end) - np.maximum(tree.start, start)
        values = np.where(2 * inside >= end - start, value, value_of_part)
        np.maximum(highest, values, out=highest, where=inside > 0)
    for row in np.flatnonzero(highlighted > 0).tolist():
        size = int(tree.characters[row])
        yield row, float(highest[row]), float(highlighted[row] / size), size


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
    graded = [(*passage, passage.exhaustivity) for passage in passages]
    return {
        row: Assessment(exhaustivity, share, size, "share")
        for row, exhaustivity, share, size in _relevance(tree, graded)
    }
