"""Functions that the writers of several formats share."""

from __future__ import annotations

import re
import sys
from array import array
from collections.abc import Iterator, Sequence
from itertools import islice
from operator import ge, gt

from xcg.errors import InputError, XcgError
from xcg.judgements.assessment import Assessment, Scale
from xcg.judgements.recall_base import RecallBase
from xcg.lazy_modules import etree
from xcg.runs.run import AnySpan, Run
from xcg.tables import with_references

_WHOLE = 1e15  # longer numbers are shorter as floating-point numbers
_NOT_IN_XML = "[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"  # slow to compile


def results(run: Run) -> Iterator[tuple[str, int, str, str, AnySpan | None]]:
    """Yield topic, rank, document, path and span of the results of a run, for writers.

    Args:
        run: The run.

    Raises:
        XcgError: If a result does not name an element.

    >>> list(results(Run.of("bm25", {"1": ["bees#/a[1]", "ants"]})))
    [('1', 1, 'bees', '/a[1]', None), ('1', 2, 'ants', '/', None)]
    """
    for topic, ranking in run.rankings.items():
        for rank, (document, path) in enumerate(ranking, 1):
            span = ranking.spans.get(rank - 1)
            if not path and span is None:
                raise XcgError(f"{run.source}, topic {topic}, rank {rank}: does not name an element")
            yield topic, rank, document, path, span


def written_scores(
    run: Run, highest: float = sys.float_info.max, *, ties_are_ordered: bool = False
) -> tuple[dict[str, list[float]], list[str]]:
    """Return topic → the scores that a file can hold instead of ranks, and a description of lost ones.

    A reader that orders results by score must find the order of the ranking, so the scores of a topic
    are written only if they never increase with the rank. Whole scores are ints.

    Args:
        run: The run.
        highest: The highest absolute value of a score in the format.
        ties_are_ordered: Whether readers order equal scores by name instead of keeping the order of the
            file. Then scores must decrease with every rank, also in single precision, in which some
            programs read them.
    """
    having = {topic: one.scores for topic, one in run.rankings.items() if one.has_scores and len(one)}
    kept = {}
    for topic, scores in having.items():
        numbers = array("f" if ties_are_ordered else "d", scores)
        in_order = map(gt if ties_are_ordered else ge, numbers, islice(numbers, 1, None))
        if max(abs(scores[0]), abs(scores[-1])) <= highest and all(in_order):
            kept[topic] = [int(s) if s == s // 1 and abs(s) < _WHOLE else s for s in map(float, scores)]
    reason = "do not decrease with every rank" if ties_are_ordered else "increase or are too large"
    incomplete = f"scores that {reason}; the order of the results is kept"
    return kept, [incomplete] if kept.keys() < having.keys() else []


def lost_of_run(run: Run, *kinds: str) -> list[str]:
    """Return descriptions of what a run has of the kinds that a format cannot hold.

    Kinds are ``topics`` without results, ``parents`` of passages, and ``text`` that documents lack.
    """
    rankings = list(run.rankings.values())
    found = {
        "topics": ("topics without results", not all(map(len, rankings))),
        "parents": ("the parents of passages", any(one.parents for one in rankings)),
        "text": ("the text that documents do not have", any(one.other_text for one in rankings)),
    }
    return [text for text, is_lost in map(found.__getitem__, kinds) if is_lost]


def lost_of_assessments(base: RecallBase, *kinds: str) -> list[str]:
    """Return descriptions of what assessments have of the kinds that a format cannot hold.

    Kinds are passages by ``points``, best ``entries`` into documents, the sizes of ``documents`` and of
    ``elements``.
    """
    topics = base.topics
    sizes = (one.characters for *_, one in assessed_elements(base))
    found = {
        "points": ("highlighted passages by their points", any(map(base.passages.get, topics))),
        "entries": ("best entry points", any(map(base.entry_points.get, topics))),
        "documents": (
            "stated lengths and relevant sizes of documents",
            any(map(base.document_sizes.get, topics)),
        ),
        "elements": ("the sizes of elements", any(size is not None for size in sizes)),
    }
    return [text for text, is_lost in map(found.__getitem__, kinds) if is_lost]


def points_error(run: Run, topic: str, rank: int, format: str) -> XcgError:
    """Return the error for a passage by points in a format with offsets."""
    return XcgError(
        f"{run.source}, topic {topic}, rank {rank}: the passage is given by points, but the format "
        f"{format} needs offsets; expected the format inex"
    )


def assessed_elements(base: RecallBase) -> Iterator[tuple[str, str, str, Assessment]]:
    """Yield topic, document, path and assessment of all assessed elements."""
    for topic in base.topics:
        for document, elements in sorted(base.files[topic].items()):
            for path, assessment in elements.items():
                yield topic, document, path, assessment


def check_scale(
    document: str, path: str, assessment: Assessment, format: str, scales: Sequence[Scale]
) -> None:
    """Raise XcgError if an assessment is on another scale than the given ones."""
    if assessment.scale not in scales:
        raise XcgError(
            f"{document}, {path}: {assessment.label} is on the {assessment.scale} scale, but the "
            f"format {format} holds elements on the {' or '.join(scales)} scale"
        )


def single_topic(base: RecallBase, format: str) -> str:
    """Return the only topic of a recall-base with elements.

    Raises:
        XcgError: If there are several topics, or none, or passages with offsets.
    """
    count = len(base.topics)
    if count != 1:
        first = ", ".join(base.topics[:3]) + (", …" if count > 3 else "")
        found = f"{count} topics ({first})" if count else "no topics"
        raise XcgError(
            f"the format {format} holds one topic per file, but the assessments have {found}; "
            "expected assessments of one topic"
        )
    refuse_passages(base, format)
    return base.topics[0]


def refuse_passages(base: RecallBase, format: str) -> None:
    """Raise XcgError if a recall-base has passages with offsets."""
    if any(map(base.spans.get, base.topics)):
        raise XcgError(
            f"the format {format} holds elements, but the assessments are passages; "
            "expected the format offsets or jsonl, or a corpus, in which passages become elements"
        )


def check_names(source: str, topic: str, document: str, format: str = "trec") -> None:
    """Raise InputError if a topic or document cannot be a column of a text file."""
    if not all(map(is_column, (topic, document))):
        raise InputError(
            source,
            f"the format {format} holds no names with white space or control characters: topic "
            f"{topic!r}, document {document!r}; expected the format jsonl",
        )
    if format == "trec" and "#/" in document:
        message = f"in TREC files, {document!r} is an element of another document"
        raise InputError(source, f"{message}; expected the format jsonl")


def is_column(name: str) -> bool:
    r"""Return whether a name has only visible characters and no white space.

    >>> is_column("bm25"), is_column("bm 25"), is_column("bm\x1b25")
    (True, False, False)
    """
    return name.isprintable() and " " not in name


def xml_name(name: str, source: str, format: str) -> str:
    """Check that an XML file can hold a name, and return it.

    Raises:
        InputError: If the name has control characters.
    """
    if re.search(_NOT_IN_XML, name):
        message = f"holds no control characters: expected another name than {name!r}"
        raise InputError(source, f"the format {format} {message}")
    return name


def xml_text(root: etree._Element) -> str:
    """Return the text of an XML document, with character references for invisible characters."""
    text = etree.tostring(root, encoding="UTF-8", xml_declaration=True, pretty_print=True)
    return with_references(text.decode())
