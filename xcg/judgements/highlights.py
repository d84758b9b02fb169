"""Derive element assessments from passages that assessors highlighted in documents."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from xcg.documents.corpus import Corpus
from xcg.documents.text_search import Quote, TextIndex, states_span
from xcg.documents.tree import ElementTree
from xcg.errors import UnmappedError, XcgError
from xcg.judgements.anchoring import difference
from xcg.judgements.assessment import Assessment
from xcg.judgements.covered_text import CoveredText
from xcg.judgements.recall_base import RecallBase, Span
from xcg.lazy_modules import np, npt
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
    text = _covered_text(tree, marked)
    relevant = text.characters
    in_part = [max(mark.exhaustivity - 1, 1) for mark in marked]
    exhaustivity = np.maximum(text.highest(in_part), _exhaustivity_of_halves(tree, marked))
    return {
        tree.paths[row]: Assessment(
            float(exhaustivity[row]),
            float(scale.specificity(relevant[row] / tree.characters[row])),
            int(tree.characters[row]),
        )
        for row in np.flatnonzero((relevant > 0) & (tree.characters >= scale.smallest)).tolist()
    }


def _exhaustivity_of_halves(tree: ElementTree, marked: Sequence[Highlight]) -> npt.NDArray[np.float64]:
    """For each element, return the highest exhaustivity of the passages that are half or more in it."""
    starts, ends = (np.array([mark[index] for mark in marked], dtype=np.int64) for index in (2, 3))
    grades = np.array([mark.exhaustivity for mark in marked], dtype=np.float64)
    highest = np.zeros(len(tree))
    # At least half of a passage includes one of its middle characters, and the elements around a
    # character are ancestors of each other.
    for middles in ((starts + ends - 1) // 2, (starts + ends) // 2):
        marks = np.arange(len(marked))
        rows = np.searchsorted(tree.start, middles, side="right") - 1
        while len(rows):
            first, last = starts[marks], ends[marks]
            inside = np.minimum(tree.stop[rows], last) - np.maximum(tree.start[rows], first)
            half = 2 * inside >= last - first
            np.maximum.at(highest, rows[half], grades[marks[half]])
            rows = tree.parent[rows]
            marks, rows = marks[rows >= 0], rows[rows >= 0]
    return highest


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
    text = _covered_text(tree, passages)
    highlighted = text.characters
    exhaustivity = text.highest([passage.exhaustivity for passage in passages])
    return {
        row: Assessment(
            float(exhaustivity[row]),
            float(highlighted[row] / tree.characters[row]),
            int(tree.characters[row]),
            "share",
        )
        for row in np.flatnonzero(highlighted > 0).tolist()
    }


def _covered_text(tree: ElementTree, marked: Sequence[Highlight | Span]) -> CoveredText:
    passages = [mark.start for mark in marked], [mark.end for mark in marked]
    return CoveredText((tree.start, tree.stop), passages)
