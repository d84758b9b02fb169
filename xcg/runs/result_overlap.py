"""Find the results of a ranking that overlap with other results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from xcg.documents.passage_points import Passage
from xcg.documents.paths import WHOLE, parent_path
from xcg.runs.run import UNKNOWN_SPAN, AnySpan, Ranking


def overlapping_results(ranking: Ranking) -> Iterator[bool]:
    """Yield for every result whether it contains, is inside or repeats another one of the ranking.

    Passages without known text overlap with nothing.

    The proportion of such results is the overlap of a run (Kazai and Lalmas 2006, section 6.3).
    Elements are compared with elements, and passages by offset with passages by offset.

    >>> from xcg.runs.run import Run
    >>> ranking = Run.of("r", {"1": ["d#/a/s[1]/p[1]", "d#/a/s[1]", "d#/a/s[2]"]}).rankings["1"]
    >>> list(overlapping_results(ranking))
    [True, True, False]
    """
    elements = list(ranking)
    identities = [(*element, ranking.spans.get(index)) for index, element in enumerate(elements)]
    counts = Counter(identities)
    known = {(file, path) for file, path in elements if path}
    containers = {(file, above) for file, path in known for above in _above(path)}
    without_text = {index for index, span in ranking.spans.items() if _has_no_text(span)}
    passages = _overlapping_passages(ranking)
    for index, (file, path) in enumerate(elements):
        is_inside = any((file, above) in known for above in _above(path))
        is_repeated = counts[identities[index]] > 1 or index in passages
        overlaps = is_repeated or is_inside or (file, path) in containers
        yield overlaps and index not in without_text


def _overlapping_passages(ranking: Ranking) -> set[int]:
    by_file: dict[str, list[tuple[int, int, int]]] = {}
    for index, span in ranking.spans.items():
        if not isinstance(span, Passage) and not _has_no_text(span):
            by_file.setdefault(ranking.files[index], []).append((span[0], -span[1], index))
    found: set[int] = set()
    for spans in by_file.values():
        spans.sort()
        outer: tuple[int, int, int] | None = None
        for inner in spans:  # by start, the longer first
            if outer is not None and -inner[1] <= -outer[1]:
                found |= {outer[2], inner[2]}
            else:
                outer = inner
    return found


def _has_no_text(span: AnySpan) -> bool:
    return not isinstance(span, Passage) and (span == UNKNOWN_SPAN or span[0] == span[1])


def _above(path: str) -> Iterable[str]:
    """Yield the paths around an element; the last is the whole document."""
    while path not in ("", WHOLE):
        path = parent_path(path) or WHOLE
        yield path
