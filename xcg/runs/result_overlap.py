"""Overlap within a ranking."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from xcg.documents.passage_points import Passage
from xcg.documents.paths import WHOLE, parent_path
from xcg.runs.run import Ranking


def overlapping_results(ranking: Ranking) -> Iterator[bool]:
    """Say of every result whether it contains, lies inside or repeats another of the ranking.

    Their share is the overlap of a run (Kazai & Lalmas 2006, section 6.3). Elements are compared with
    elements, and passages by offset with such.

    >>> from xcg.runs.run import Run
    >>> ranking = Run.of("r", {"1": ["d#/a/s[1]/p[1]", "d#/a/s[1]", "d#/a/s[2]"]}).rankings["1"]
    >>> list(overlapping_results(ranking))
    [True, True, False]
    """
    elements = list(ranking)
    named = [(*element, ranking.spans.get(place)) for place, element in enumerate(elements)]
    times: dict[object, int] = {}
    for name in named:
        times[name] = times.get(name, 0) + 1
    known = {(file, path) for file, path in elements if path}
    several = {file for file, path in known if path != WHOLE}
    containers = {
        (file, above) for file, path in known for above in _above(path) if (file, above) in known
    }
    passages = _overlapping_passages(ranking)
    for place, ((file, path), name) in enumerate(zip(elements, named, strict=True)):
        if times[name] > 1 or place in passages:
            yield True
        elif path == WHOLE:
            yield file in several
        else:
            inside = any((file, above) in known for above in _above(path))
            whole = bool(path) and (file, WHOLE) in known
            yield inside or whole or (file, path) in containers


def _overlapping_passages(ranking: Ranking) -> set[int]:
    by_file: dict[str, list[tuple[int, int, int]]] = {}
    for place, where in ranking.spans.items():
        if not isinstance(where, Passage):
            by_file.setdefault(ranking.files[place], []).append((where[0], -where[1], place))
    found: set[int] = set()
    for spans in by_file.values():
        spans.sort()
        outer: tuple[int, int, int] | None = None
        for span in spans:  # by start, the longer first: one that ends in time lies inside
            if outer is not None and -span[1] <= -outer[1]:
                found |= {outer[2], span[2]}
            else:
                outer = span
    return found


def _above(path: str) -> Iterable[str]:
    while path := parent_path(path):
        yield path
