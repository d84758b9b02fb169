"""Derive element assessments from passages that assessors highlighted in documents."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from xcg.documents.corpus import Corpus
from xcg.documents.tree import ElementTree
from xcg.errors import UnmappedError, XcgError
from xcg.judgements.assessment import Assessment
from xcg.judgements.recall_base import RecallBase, Span
from xcg.lazy_modules import np, npt


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
            raise UnmappedError(f"highlights, topic {topic}", f"the corpus has no document {file!r}")
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
    found = tree.text[start:end]
    if text is not None and found != text:
        raise UnmappedError(where, f"the text is {found[:60]!r}, not {text[:60]!r}")


def _element_assessments(
    tree: ElementTree, marked: Sequence[Highlight], scale: SpecificityScale
) -> Mapping[str, Assessment]:
    relevant, characters_inside = _highlighted(tree, marked)
    exhaustivity = np.zeros(len(tree))
    for mark, inside in zip(marked, characters_inside, strict=True):
        half = 2 * inside >= mark.end - mark.start
        contributed = np.where(half, mark.exhaustivity, max(mark.exhaustivity - 1, 1))
        exhaustivity = np.maximum(exhaustivity, np.where(inside > 0, contributed, 0))
    return {
        tree.paths[row]: Assessment(
            float(exhaustivity[row]),
            float(scale.specificity(relevant[row] / tree.characters[row])),
            int(tree.characters[row]),
        )
        for row in np.flatnonzero((relevant > 0) & (tree.characters >= scale.smallest)).tolist()
    }


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
    highlighted, characters_inside = _highlighted(tree, passages)
    exhaustivity = np.zeros(len(tree))
    for passage, inside in zip(passages, characters_inside, strict=True):
        exhaustivity = np.maximum(exhaustivity, np.where(inside > 0, passage.exhaustivity, 0))
    return {
        row: Assessment(
            float(exhaustivity[row]),
            float(highlighted[row] / tree.characters[row]),
            int(tree.characters[row]),
            "share",
        )
        for row in np.flatnonzero(highlighted > 0).tolist()
    }


def _highlighted(
    tree: ElementTree, marked: Sequence[Highlight | Span]
) -> tuple[npt.NDArray[np.int64], list[npt.NDArray[np.int64]]]:
    """Return each element's number of highlighted characters, in total and for each passage."""
    inside = np.zeros(int(tree.characters[0]) + 1, dtype=np.int64)
    for mark in marked:
        inside[mark.start + 1 : mark.end + 1] = 1
    before = np.cumsum(inside)
    held = [np.minimum(tree.stop, m.end) - np.maximum(tree.start, m.start) for m in marked]
    return before[tree.stop] - before[tree.start], held
