"""Ideal recall-bases: which relevant elements of a document a system should retrieve.

A selection is a function ``(tree, scores) → paths`` for one document and topic. ``scores`` maps the
canonical path of every assessed element to its quantised score, even if this is 0. The function returns
the paths of the ideal elements; each must score above 0.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Literal

from xcg.documents.tree import ElementTree
from xcg.errors import XcgError
from xcg.registry import FunctionRegistry, Part

Selection = Callable[[ElementTree, Mapping[str, float]], Iterable[str]]
SELECTIONS: FunctionRegistry[Selection] = FunctionRegistry("ideal", "xcg.ideal")


@SELECTIONS.register("kazai_lalmas", references=("kazai-lalmas-2006",))
def kazai_lalmas(
    tree: ElementTree,
    scores: Mapping[str, float],
    *,
    tie: Literal["deeper", "shallower"] = "deeper",
    filter: Literal["shorter", "longer"] = "shorter",
) -> list[str]:
    """Select the best element of every relevant path, without overlap.

    A relevant path goes from the root to a relevant element without relevant descendants. On each path
    the element with the highest score is selected. Then one of two selected elements that overlap is
    dropped (Kazai and Lalmas 2006, section 4).

    Args:
        tree: The document.
        scores: Path → score of all assessed elements.
        tie: Which of several elements with the same score on a path is selected.
        filter: Which of two overlapping elements is kept: that with the shorter or the longer path.

    Returns:
        The paths of the selected elements.

    >>> tree = ElementTree.from_paths(["/a[1]/s[1]/p[1]", "/a[1]/s[2]"])
    >>> kazai_lalmas(tree, {"/a[1]": .25, "/a[1]/s[1]": .5, "/a[1]/s[1]/p[1]": .5, "/a[1]/s[2]": .9})
    ['/a[1]/s[1]/p[1]', '/a[1]/s[2]']
    """
    score = {tree.row(path): score for path, score in scores.items()}
    rows = sorted(score)
    end = dict(zip(rows, tree.end[rows].tolist(), strict=True))
    selected: set[int] = set()
    path: list[int] = []  # the assessed elements from the root to the current one
    for row, following in zip(rows, [*rows, len(tree)][1:], strict=True):
        while path and end[path[-1]] <= row:
            path.pop()
        path.append(row)
        if following < end[row]:
            continue  # an assessed descendant follows, so the path does not end here
        by_preference = reversed(path) if tie == "deeper" else path
        best = max(by_preference, key=score.__getitem__)  # the first of several maxima
        if score[best] > 0:
            selected.add(best)
    in_order = sorted(selected)
    if filter == "shorter":
        return [tree.path(row) for row in _outermost(tree, in_order)]
    return [tree.path(row) for row in innermost(tree, in_order)]


@SELECTIONS.register("full", references=("kazai-lalmas-inex-2005",))
def full(tree: ElementTree, scores: Mapping[str, float]) -> list[str]:
    """Select every element that scores above 0, with overlap (INEX 2005, Thorough task).

    >>> full(ElementTree.from_paths(["/a[1]/s[1]"]), {"/a[1]": 0.25, "/a[1]/s[1]": 0.0})
    ['/a[1]']
    """
    return [path for path, score in scores.items() if score > 0]


@SELECTIONS.register("max_gain")
def max_gain(tree: ElementTree, scores: Mapping[str, float]) -> list[str]:
    """Select the elements without overlap of the highest total score; not best at small cutoffs.

    best(v) = max(q(v), Σ best(child)); if both are equal, v itself is selected. xcg's own.

    >>> tree = ElementTree.from_paths(["/a[1]/s[1]/p[1]", "/a[1]/s[1]/p[2]"])
    >>> max_gain(tree, {"/a[1]/s[1]": 0.75, "/a[1]/s[1]/p[1]": 0.5, "/a[1]/s[1]/p[2]": 0.5})
    ['/a[1]/s[1]/p[1]', '/a[1]/s[1]/p[2]']
    """
    score = {tree.row(path): score for path, score in scores.items()}
    # In reverse document order, every element comes after its descendants. ``best`` has the elements
    # without a processed ancestor, and for each the total score and the rows of the best selection.
    best: dict[int, tuple[float, list[int]]] = {}
    open_rows: list[int] = []
    for row in sorted(score, reverse=True):
        children = []
        while open_rows and open_rows[-1] < tree.end[row]:
            children.append(open_rows.pop())
        below = [inner for child in children for inner in best.pop(child)[1]]
        total = math.fsum(score[inner] for inner in below)  # exact, so that ties are found
        itself = score[row] > 0 and score[row] >= total
        best[row] = (score[row], [row]) if itself else (total, below)
        open_rows.append(row)
    selected = [row for _, rows in best.values() for row in rows]
    return [tree.path(row) for row in sorted(selected)]


@SELECTIONS.register("leaves")
def leaves(tree: ElementTree, scores: Mapping[str, float]) -> list[str]:
    """Select the relevant elements without relevant descendants; not best at small cutoffs.

    An element above them can have a higher score, and then gains more at the first rank.

    >>> leaves(ElementTree.from_paths(["/a[1]/s[1]"]), {"/a[1]": 0.25, "/a[1]/s[1]": 0.5})
    ['/a[1]/s[1]']
    """
    return [tree.path(row) for row in innermost(tree, _relevant_rows(tree, scores))]


@SELECTIONS.register("roots")
def roots(tree: ElementTree, scores: Mapping[str, float]) -> list[str]:
    """Select the relevant elements without relevant ancestors; elements inside can score higher.

    The elements inside a root gain at most its score together.

    >>> roots(ElementTree.from_paths(["/a[1]/s[1]"]), {"/a[1]": 0.25, "/a[1]/s[1]": 0.5})
    ['/a[1]']
    """
    return [tree.path(row) for row in _outermost(tree, _relevant_rows(tree, scores))]


def select(part: Part[Selection], tree: ElementTree, scores: Mapping[str, float]) -> list[str]:
    """Return the ideal elements of a document in document order.

    Args:
        part: The selection with its parameters.
        tree: The document.
        scores: Path → score of all assessed elements.

    Raises:
        XcgError: If the selection fails, or selects an element that does not score above 0.
    """
    try:
        selected = list(part.function(tree, scores))
    except XcgError as error:
        raise XcgError(f"ideal {part}: {error}") from None
    except Exception as error:  # a user's function may raise anything
        raise XcgError(f"ideal {part} failed: {type(error).__name__}: {error}") from None
    for path in selected:
        if not scores.get(path, math.nan) > 0:
            raise XcgError(
                f"ideal {part} selected {path!r}: expected paths of elements that score above 0"
            )
    return sorted(dict.fromkeys(selected), key=tree.row)


def _relevant_rows(tree: ElementTree, scores: Mapping[str, float]) -> list[int]:
    return sorted(tree.row(path) for path, score in scores.items() if score > 0)


def _outermost(tree: ElementTree, rows: list[int]) -> list[int]:
    """Return the rows, of sorted ones, that no other row contains."""
    outermost: list[int] = []
    for row in rows:
        if not outermost or row >= tree.end[outermost[-1]]:
            outermost.append(row)
    return outermost


def innermost(tree: ElementTree, rows: list[int]) -> list[int]:
    """Return the rows, of sorted ones, that contain no other of them."""
    following = [*rows, len(tree)][1:]
    return [row for row, after in zip(rows, following, strict=True) if after >= tree.end[row]]
