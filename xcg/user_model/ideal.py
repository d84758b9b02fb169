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
from xcg.registry import Part
from xcg.user_model.parts import PartRegistry

Selection = Callable[[ElementTree, Mapping[str, float]], Iterable[str]]
SELECTIONS: PartRegistry[Selection] = PartRegistry("ideal", "xcg.ideal")


@SELECTIONS.register("kazai_lalmas", depends_on_other_runs=False)
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
    score = {tree.row(path): score for path, score in scores.items()}
    rows = sorted(score)
    end = dict(zip(rows, tree.end[rows].tolist(), strict=True))
    kept: set[int] = set()
    path: list[int] = []  # what is relevant from the root down to a row
    for row, following in zip(rows, [*rows, len(tree)][1:], strict=True):
        while path and end[path[-1]] <= row:
            path.pop()
        path.append(row)
        if following < end[row]:
            continue  # a relevant descendant follows: this row ends no relevant path
        in_order_of_choice = reversed(path) if tie == "deeper" else path
        best = max(in_order_of_choice, key=score.__getitem__)  # the first of equal ones
        if score[best] > 0:
            kept.add(best)
    in_order = sorted(kept)
    if filter == "shorter":
        chosen: list[int] = []
        for row in in_order:
            if not chosen or row >= end[chosen[-1]]:
                chosen.append(row)
    else:
        chosen = [
            row
            for row, following in zip(in_order, [*in_order, len(tree)][1:], strict=True)
            if following >= end[row]
        ]
    return [tree.path(row) for row in chosen]


@SELECTIONS.register("full", depends_on_other_runs=False)
def full(tree: ElementTree, scores: Mapping[str, float]) -> list[str]:
    """Keep every element that scores above 0, overlapping or not (INEX 2005 Thorough).

    >>> full(ElementTree.from_paths(["/a[1]/s[1]"]), {"/a[1]": 0.25, "/a[1]/s[1]": 0.0})
    ['/a[1]']
    """
    return [path for path, score in scores.items() if score > 0]


@SELECTIONS.register("max_gain", depends_on_other_runs=False)
def max_gain(tree: ElementTree, scores: Mapping[str, float]) -> list[str]:
    """Keep the elements without overlap whose scores add up to the most (ours).

    best(v) = max(q(v), Σ best(child)); of equal ones v itself is kept, being the shorter path.

    >>> tree = ElementTree.from_paths(["/a[1]/s[1]/p[1]", "/a[1]/s[1]/p[2]"])
    >>> max_gain(tree, {"/a[1]/s[1]": 0.75, "/a[1]/s[1]/p[1]": 0.5, "/a[1]/s[1]/p[2]": 0.5})
    ['/a[1]/s[1]/p[1]', '/a[1]/s[1]/p[2]']
    """
    score = {tree.row(path): score for path, score in scores.items()}
    # Backwards in document order every element comes after what is in it. An element stands for what
    # is below it until one above is better; sums are exact, so that a tie is one.
    best: dict[int, tuple[float, list[int]]] = {}
    open_rows: list[int] = []
    for row in sorted(score, reverse=True):
        below = []
        while open_rows and open_rows[-1] < tree.end[row]:
            below.append(open_rows.pop())
        kept = [inner for child in below for inner in best.pop(child)[1]]
        together = math.fsum(score[inner] for inner in kept)
        own = score[row] > 0 and score[row] >= together
        best[row] = (score[row], [row]) if own else (together, kept)
        open_rows.append(row)
    chosen = [row for _, rows in best.values() for row in rows]
    return [tree.path(row) for row in sorted(chosen)]


@SELECTIONS.register("leaves", depends_on_other_runs=False)
def leaves(tree: ElementTree, scores: Mapping[str, float]) -> list[str]:
    """Keep the elements that score above 0 and have none such below them: the smallest.

    >>> leaves(ElementTree.from_paths(["/a[1]/s[1]"]), {"/a[1]": 0.25, "/a[1]/s[1]": 0.5})
    ['/a[1]/s[1]']
    """
    rows = sorted(tree.row(path) for path, score in scores.items() if score > 0)
    following = [*rows, len(tree)][1:]
    return [
        tree.path(row) for row, after in zip(rows, following, strict=True) if after >= tree.end[row]
    ]


@SELECTIONS.register("roots", depends_on_other_runs=False)
def roots(tree: ElementTree, scores: Mapping[str, float]) -> list[str]:
    """Keep the elements that score above 0 and have none such above them: the largest.

    >>> roots(ElementTree.from_paths(["/a[1]/s[1]"]), {"/a[1]": 0.25, "/a[1]/s[1]": 0.5})
    ['/a[1]']
    """
    chosen: list[int] = []
    for row in sorted(tree.row(path) for path, score in scores.items() if score > 0):
        if not chosen or row >= tree.end[chosen[-1]]:
            chosen.append(row)
    return [tree.path(row) for row in chosen]


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
