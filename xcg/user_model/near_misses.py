"""Near-miss models: the value of results close to an ideal element.

Kazai and Lalmas 2006 reward the assessed neighbours of an ideal element (section 5.2.2), and name
others as future work (section 7); those here are xcg's own. A near-miss model is a function

    (tree, ideal, ideals) → {path: closeness}

for one document. ``ideal`` is the path of one ideal element, ``ideals`` maps the paths of all of them
to their scores. The result states how close other elements are to this one, from 0 (not a near-miss;
can be omitted) to 1 (as good as the ideal element). The score of an element is then the larger of its
own score and closeness · score of the ideal element.

Under the normalisation ``subtree``, an ideal element and the near-misses inside and beside it gain at
most its score in total. A near-miss that contains ideal elements gains at most what is left of them,
but takes nothing from them (Kazai and Lalmas 2006, equation 8), so together with such near-misses they
can gain more; see :attr:`xcg.user_model.model.UserModel.reason_above_1`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache
from math import prod
from typing import Annotated, Any

from xcg.documents.tree import UNKNOWN, ElementTree
from xcg.errors import MissingSizeError, XcgError
from xcg.lazy_modules import np, npt
from xcg.registry import Between, FunctionRegistry, Part
from xcg.settings.yaml_file import parse_yaml

NearMisses = Callable[[ElementTree, str, Mapping[str, float]], Mapping[str, float]]
NEAR_MISSES: FunctionRegistry[NearMisses] = FunctionRegistry("near-miss model", "xcg.near_miss_model")


@NEAR_MISSES.register("judged", references=("kazai-lalmas-2006",))
def judged(tree: ElementTree, ideal: str, ideals: Mapping[str, float]) -> Mapping[str, float]:
    """Reward assessed elements only (Kazai and Lalmas 2006, section 5.2.2)."""
    return {}


@NEAR_MISSES.register("exact")
def exact(tree: ElementTree, ideal: str, ideals: Mapping[str, float]) -> Mapping[str, float]:
    """Reward ideal elements only; other results gain nothing, but count as seen."""
    return {}


@NEAR_MISSES.register("distance")
def distance(
    tree: ElementTree,
    ideal: str,
    ideals: Mapping[str, float],
    *,
    reach: Annotated[int, Between(0, 1_000_000)] = 2,
    decay: Annotated[float, Between(0, 1)] = 0.5,
) -> Mapping[str, float]:
    """Reward elements by their distance in the tree: closeness = decay^d for d up to reach.

    d is the number of steps between parents and children from one element to the other; siblings have
    distance 2.

    Args:
        tree: The document.
        ideal: The path of the ideal element.
        ideals: The paths and scores of all ideal elements.
        reach: The largest distance that is rewarded.
        decay: Closeness at the distance 1.

    >>> tree = ElementTree.from_paths(["/a[1]/s[1]/p[1]", "/a[1]/s[2]"])
    >>> distance(tree, "/a[1]/s[1]", {"/a[1]/s[1]": 1.0})
    {'/a[1]': 0.5, '/a[1]/s[1]/p[1]': 0.5, '/a[1]/s[2]': 0.25}
    """
    import networkx as nx

    steps = nx.single_source_shortest_path_length(
        tree.to_undirected(as_view=True), tree.row(ideal), reach
    )
    return {tree.path(other): decay**d for other, d in sorted(steps.items()) if d}


@NEAR_MISSES.register("length_ratio")
def length_ratio(tree: ElementTree, ideal: str, ideals: Mapping[str, float]) -> Mapping[str, float]:
    """Reward ancestors and descendants by size: closeness = characters of the smaller / of the larger.

    >>> from xcg.documents.parsing import parse_document
    >>> tree = parse_document(b"<a><s>12345678<p>90</p></s><s>1234567890</s></a>")
    >>> length_ratio(tree, "/a[1]/s[1]", {"/a[1]/s[1]": 1.0})
    {'/a[1]': 0.5, '/a[1]/s[1]/p[1]': 0.2}
    """
    row = tree.row(ideal)
    own = _size(tree, row)
    related = sorted([*tree.ancestors(row), *range(row + 1, int(tree.end[row]))])
    sizes = {other: _size(tree, other) for other in related}
    return {tree.path(other): min(own, s) / max(own, s) for other, s in sizes.items() if own and s}


@NEAR_MISSES.register("reading_order")
def reading_order(
    tree: ElementTree,
    ideal: str,
    ideals: Mapping[str, float],
    *,
    before: Annotated[float, Between(0, 1)] = 1.0,
    after: Annotated[float, Between(0, 1)] = 0.5,
    within: Annotated[int, Between(0, 10**12)] = 500,
) -> Mapping[str, float]:
    """Reward elements before the ideal element more than elements after it.

    A user who starts reading g characters before the ideal element reaches it by reading on: closeness
    = before·(1 - g/within). A user who starts g characters after its end has to go back: closeness =
    after·(1 - g/within). Elements inside the ideal element are not near-misses.

    Args:
        tree: The document, with its text.
        ideal: The path of the ideal element.
        ideals: The paths and scores of all ideal elements.
        before: Closeness right before the ideal element.
        after: Closeness right after it.
        within: Number of characters from which closeness is 0.

    >>> from xcg.documents.parsing import parse_document
    >>> tree = parse_document(b"<a><p>1234567890</p><p>ideal</p><p>1234567890</p><p>x</p></a>")
    >>> reading_order(tree, "/a[1]/p[2]", {"/a[1]/p[2]": 1.0}, within=20)
    {'/a[1]': 0.5, '/a[1]/p[1]': 0.5, '/a[1]/p[3]': 0.5, '/a[1]/p[4]': 0.25}
    """
    row = tree.row(ideal)
    _check_text(tree, ideal)
    ahead = tree.start[row] - tree.start
    past = tree.start - tree.stop[row]
    closeness = np.where(
        ahead >= 0,
        before * _linear_decay(ahead, within),
        np.where(past >= 0, after * _linear_decay(past, within), 0.0),
    )
    return _outside(tree, row, closeness)


@NEAR_MISSES.register("tolerance_to_irrelevance", references=("de-vries-kazai-lalmas-2004",))
def tolerance_to_irrelevance(
    tree: ElementTree,
    ideal: str,
    ideals: Mapping[str, float],
    *,
    characters: Annotated[int, Between(0, 10**12)] = 300,
) -> Mapping[str, float]:
    """Reward elements from which the user reaches the ideal element before losing patience.

    The user reads on from the beginning of a result, and stops after some characters of text outside
    ideal elements. Closeness is 1 if the user reaches the ideal element, else 0. The tolerance to
    irrelevance is INEX's; this form of it is xcg's own.

    Args:
        tree: The document, with its text.
        ideal: The path of the ideal element.
        ideals: The paths and scores of all ideal elements.
        characters: Number of characters outside ideal elements that the user reads.

    >>> from xcg.documents.parsing import parse_document
    >>> tree = parse_document(b"<a><p>1234567890</p><p>12345</p><p>ideal</p><p>late</p></a>")
    >>> tolerance_to_irrelevance(tree, "/a[1]/p[3]", {"/a[1]/p[3]": 1.0}, characters=5)
    {'/a[1]/p[2]': 1.0}
    """
    row = tree.row(ideal)
    _check_text(tree, ideal)
    irrelevant = np.ones(int(tree.characters[0]) + 1, dtype=np.int64)
    for path in ideals:
        other = tree.row(path)
        irrelevant[tree.start[other] : tree.stop[other]] = 0
    irrelevant_before = np.r_[0, np.cumsum(irrelevant)]
    read = irrelevant_before[tree.start[row]] - irrelevant_before[tree.start]
    reached = (tree.start <= tree.start[row]) & (read <= characters)
    return _outside(tree, row, np.where(reached, 1.0, 0.0))


_MODEL = r"\s*([\w-]+)(?:\(([^()]*)\))?\s*"


@NEAR_MISSES.register("combined", references=("kazai-lalmas-2006",))
def combined(
    tree: ElementTree, ideal: str, ideals: Mapping[str, float], *, models: str = "distance length_ratio"
) -> Mapping[str, float]:
    """Combine near-miss models: closeness = product of their values.

    Kazai and Lalmas (2006, section 7) plan scores that reflect distance and size ratio. The closeness
    of a model is 0 for elements that it does not return.

    Args:
        tree: The document, with what the models need.
        ideal: The path of the ideal element.
        ideals: The paths and scores of all ideal elements.
        models: Names with parameters, such as ``distance(reach=3) length_ratio``.

    >>> from xcg.documents.parsing import parse_document
    >>> tree = parse_document(b"<a><s>12345678<p>90</p></s><s>1234567890</s></a>")
    >>> combined(tree, "/a[1]/s[1]", {"/a[1]/s[1]": 1.0})
    {'/a[1]': 0.25, '/a[1]/s[1]/p[1]': 0.1}
    """
    near = [part.function(tree, ideal, ideals) for part in _parts(models)]
    closeness = {path: prod(one.get(path, 0.0) for one in near) for path in near[0]}
    return {path: value for path, value in closeness.items() if value}


@cache
def _parts(models: str) -> list[Part[NearMisses]]:
    """Return the near-miss models that a text names."""
    if not re.fullmatch(f"(?:{_MODEL})+", models):
        raise XcgError(f"models is {models!r}: expected near-miss models, like distance(reach=3)")
    parts = []
    for name, given in re.findall(_MODEL, models):
        parameters: Any = parse_yaml(f"{{{given.replace('=', ': ')}}}")
        parts.append(NEAR_MISSES.part(name, parameters))
    return parts


def near_scores(
    part: Part[NearMisses], tree: ElementTree, ideals: Mapping[str, float]
) -> dict[int, tuple[float, int]]:
    """Compute the scores that elements of a document have as near-misses.

    Args:
        part: The near-miss model with its parameters.
        tree: The document.
        ideals: The paths and scores of all ideal elements.

    Returns:
        Row → (score, row of the ideal element that it is close to). Of several ideal elements, the one
        with the highest resulting score counts, and of equal ones the first.

    Raises:
        XcgError: If the model fails or returns an illegal closeness, with the ideal element.
    """
    scores: dict[int, tuple[float, int]] = {}
    for path, ideal_score in ideals.items():
        ideal_row = tree.row(path)
        for row, closeness in _near_elements(part, tree, path, ideals).items():
            score = closeness * ideal_score
            if score > scores.get(row, (0.0, 0))[0]:
                scores[row] = score, ideal_row
    return scores


def _near_elements(
    part: Part[NearMisses], tree: ElementTree, path: str, ideals: Mapping[str, float]
) -> dict[int, float]:
    """Return row → closeness of the elements that are close to an ideal element."""
    try:
        near = part.function(tree, path, ideals)
        pairs = [(tree.row(other), closeness) for other, closeness in near.items()]
    except XcgError as error:
        raise XcgError(f"near-miss model {part}, {path}: {error}") from None
    except Exception as error:  # a user's function may raise anything
        raise XcgError(
            f"near-miss model {part} failed on {path}: {type(error).__name__}: {error}"
        ) from None
    for row, closeness in pairs:
        number = isinstance(closeness, (int, float, np.number))
        if not number or not 0 <= closeness <= 1:
            raise XcgError(
                f"near-miss model {part}, {path}: gives {closeness!r} for {tree.path(row)}; "
                "expected a closeness from 0 to 1"
            )
    own = tree.row(path)
    return {row: float(closeness) for row, closeness in pairs if row != own}


def _check_text(tree: ElementTree, ideal: str) -> None:
    if not len(tree) or int(tree.start[0]) == UNKNOWN:
        raise MissingSizeError(ideal, "the position of its text is unknown; give the corpus")


def _size(tree: ElementTree, row: int) -> int:
    size = int(tree.characters[row])
    if size == UNKNOWN:
        raise MissingSizeError(
            tree.path(row), "its size is unknown; give the corpus, or assessments with sizes"
        )
    return size


def _linear_decay(gap: npt.NDArray[np.int64], within: int) -> npt.NDArray[np.float64]:
    if not within:
        return np.zeros(len(gap))
    return np.clip(1.0 - gap / within, 0.0, 1.0)


def _outside(tree: ElementTree, row: int, closeness: npt.NDArray[np.float64]) -> dict[str, float]:
    """Return path → closeness above 0 of the elements outside of an ideal element."""
    closeness[row : int(tree.end[row])] = 0.0
    return {tree.path(other): float(closeness[other]) for other in np.flatnonzero(closeness).tolist()}
