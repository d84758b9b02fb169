"""Highlighted passages: what assessors marked in documents, and the element assessments that follow.

A highlight is a span of a document's text (the string value of its root) with the exhaustivity of
what it says about the topic. They are stored as JSON Lines with ``topic``, ``doc``, ``start``,
``end`` and ``exhaustivity``; where a line also has ``text``, it must be what stands in the span.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from xcg.documents.corpus import Corpus
from xcg.documents.tree import ElementTree
from xcg.errors import UnmappedError, XcgError
from xcg.judgements.recall_base import Assessment, RecallBase, Span
from xcg.lazy_modules import np, npt


class Highlight(NamedTuple):
    """A marked passage: the characters start … end - 1 of a document's text, for a topic."""

    topic: str
    file: str
    start: int
    end: int
    exhaustivity: int
    text: str | None = None


@dataclass(frozen=True)
class SpecificityScale:
    """How the share of highlighted text becomes a specificity from 1 to 3.

    highly, fairly: the least share of highlighted characters for specificity 3 and 2; less is 1.
    smallest: elements of fewer characters are too small to be an answer and are left unassessed.

    Raises ValueError unless 0 < fairly < highly <= 1.
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
        """Return 3, 2 or 1 for a share above 0."""
        return 3 if share >= self.highly else 2 if share >= self.fairly else 1


def assess(
    highlights: Iterable[Highlight], corpus: Corpus, scale: SpecificityScale | None = None
) -> RecallBase:
    """Return the element assessments that follow from highlights.

    Every element that holds highlighted text and is not too small is assessed. Its specificity is the
    share of its characters that is highlighted, on the scale. Its exhaustivity is the highest that a
    passage lends it: a passage lends its own to an element that holds at least half of it, and one
    less, but at least 1, to an element that holds less. So exhaustivity never falls towards the root
    (Kazai & Lalmas 2006, section 3.3); the rule for parts of a passage is ours.

    Raises InputError for a document that the corpus lacks, or a span that its text has not.

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
        raise UnmappedError(where, f"there stands {found[:60]!r}, not {text[:60]!r}")


def _element_assessments(
    tree: ElementTree, marked: Iterable[Highlight], scale: SpecificityScale
) -> Mapping[str, Assessment]:
    passages = list(marked)
    relevant, held_by_passage = _highlighted(tree, [(mark.start, mark.end) for mark in passages])
    exhaustivity = np.zeros(len(tree), dtype=np.int64)
    for mark, held in zip(passages, held_by_passage, strict=True):
        half = 2 * held >= mark.end - mark.start
        lent = np.where(half, mark.exhaustivity, max(mark.exhaustivity - 1, 1))
        exhaustivity = np.maximum(exhaustivity, np.where(held > 0, lent, 0))
    assessed = np.flatnonzero((relevant > 0) & (tree.characters >= scale.smallest))
    return {
        tree.paths[row]: Assessment(
            float(exhaustivity[row]),
            float(scale.specificity(relevant[row] / tree.characters[row])),
            int(tree.characters[row]),
        )
        for row in assessed.tolist()
    }


def assess_spans(tree: ElementTree, spans: Iterable[Span]) -> dict[int, Assessment]:
    """Return row → assessment for every element that holds text of a passage, on the scale of 2005.

    The specificity is the share of the element's characters that lie in passages, the exhaustivity
    the highest of these passages. Raises XcgError for a passage beyond the end of the text.

    >>> from xcg.documents.parsing import parse_document
    >>> tree = parse_document(b"<a><p>0123456789</p><p>0123456789</p></a>")
    >>> [(tree.paths[r], a.label) for r, a in assess_spans(tree, [Span(0, 10)]).items()]
    [('/a[1]', '(2,0.5)'), ('/a[1]/p[1]', '(2,1)')]
    """
    marked = [(span.start, span.end, span.exhaustivity) for span in spans]
    length = int(tree.characters[0])
    for start, end, _ in marked:
        if end > length:
            raise XcgError(f"the passage {start}–{end}: the document's text has {length} characters")
    highlighted, held = _highlighted(tree, [(start, end) for start, end, _ in marked])
    exhaustivity = np.zeros(len(tree))
    for (_, _, grade), inside in zip(marked, held, strict=True):
        exhaustivity = np.maximum(exhaustivity, np.where(inside > 0, grade, 0))
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
    tree: ElementTree, marked: Sequence[tuple[int, int]]
) -> tuple[npt.NDArray[np.int64], list[npt.NDArray[np.int64]]]:
    """Return the highlighted characters of every element, and those of each passage in it."""
    inside = np.zeros(int(tree.characters[0]) + 1, dtype=np.int64)
    for start, end in marked:
        inside[start + 1 : end + 1] = 1
    before = np.cumsum(inside)
    held = [np.minimum(tree.stop, end) - np.maximum(tree.start, start) for start, end in marked]
    return before[tree.stop] - before[tree.start], held
