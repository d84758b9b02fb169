"""Ideal recall-bases: which of the relevant elements of a document should be returned.

A selection is a function ``(tree, scores) → chosen`` for one document and topic. ``scores`` maps the
canonical path of every element of the full recall-base, also those that score 0, to its quantised
score; the result is the chosen paths. An element whose score is 0 must not be chosen.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Literal

from xcg.documents.tree import ElementTree
from xcg.errors import XcgError
from xcg.plugins import Part, Registry

Selection = Callable[[ElementTree, Mapping[str, float]], Iterable[str]]
SELECTIONS: Registry[Selection] = Registry("ideal")


@SELECTIONS.register("kazai_lalmas")
def kazai_lalmas(
    tree: ElementTree,
    scores: Mapping[str, float],
    *,
    tie: Literal["deeper", "shallower"] = "deeper",
    filter: Literal["shorter", "longer"] = "shorter",
) -> list[str]:
    """Keep the best element of every relevant path, without overlap (Kazai & Lalmas 2006, section 4).

    A relevant path runs from the root to a relevant element without relevant descendants. On each,
    the element with the highest score is kept, of equal ones the ``tie`` (deeper or shallower); then,
    of two kept elements that overlap, the one with the ``filter`` path (shorter or longer).

    >>> tree = ElementTree.from_paths(["/a[1]/s[1]/p[1]", "/a[1]/s[2]"])
    >>> kazai_lalmas(tree, {"/a[1]": .25, "/a[1]/s[1]": .5, "/a[1]/s[1]/p[1]": .5, "/a[1]/s[2]": .9})
    ['/a[1]/s[1]/p[1]', '/a[1]/s[2]']
    """
    rows = sorted(tree.row(path) for path in scores)
    score = {row: scores[tree.paths[row]] for row in rows}
    kept: set[int] = set()
    for place, row in enumerate(rows):
        following = rows[place + 1] if place + 1 < len(rows) else len(tree)
        if following < tree.end[row]:
            continue  # a relevant descendant follows: this row ends no relevant path
        path = [row, *(above for above in tree.ancestors(row) if above in score)]  # deepest first
        if tie == "shallower":
            path.reverse()
        best = max(path, key=lambda candidate: score[candidate])  # the first of equal ones
        if score[best] > 0:
            kept.add(best)
    in_order = sorted(kept)
    if filter == "shorter":
        chosen: list[int] = []
        for row in in_order:
            if not chosen or row >= tree.end[chosen[-1]]:
                chosen.append(row)
    else:
        chosen = [
            row
            for row, following in zip(in_order, [*in_order, len(tree)][1:], strict=True)
            if following >= tree.end[row]
        ]
    return [tree.paths[row] for row in chosen]


@SELECTIONS.register("full")
def full(tree: ElementTree, scores: Mapping[str, float]) -> list[str]:
    """Keep every element that scores above 0, overlapping or not (INEX 2005 Thorough).

    >>> full(ElementTree.from_paths(["/a[1]/s[1]"]), {"/a[1]": 0.25, "/a[1]/s[1]": 0.0})
    ['/a[1]']
    """
    return [path for path, score in scores.items() if score > 0]


def select(part: Part[Selection], tree: ElementTree, scores: Mapping[str, float]) -> list[str]:
    """Return the ideal elements of a document in document order.

    Raises XcgError where the selection fails or chooses what is not relevant.
    """
    try:
        chosen = list(part.function(tree, scores))
    except XcgError as error:
        raise XcgError(f"ideal {part}: {error}") from None
    except Exception as error:
        raise XcgError(f"ideal {part} failed: {type(error).__name__}: {error}") from None
    for path in chosen:
        if not scores.get(path, math.nan) > 0:
            raise XcgError(f"ideal {part} chose {path!r}: expected elements that score above 0")
    return sorted(dict.fromkeys(chosen), key=tree.row)
