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

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from typing import Annotated

from xcg.documents.tree import UNKNOWN, ElementTree
from xcg.errors import MissingSizeError, XcgError
from xcg.lazy_modules import np, npt
from xcg.registry import Between, FunctionRegistry, Part

NearMisses = Callable[[ElementTree, str, Mapping[str, float]], Mapping[str, float]]
NEAR_MISSES: FunctionRegistry[NearMisses] = FunctionRegistry("near-miss model", "xcg.near_miss_model")

_NEGLIGIBLE = 1e-9
"""Smaller probabilities of a browsing user count as 0."""


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
    row = tree.row(ideal)
    distances = {row: 0}
    frontier = [row]
    for d in range(1, min(reach, len(tree)) + 1):
        neighbours = [n for here in frontier for n in (int(tree.parent[here]), *tree.children(here))]
        frontier = [n for n in dict.fromkeys(neighbours) if n >= 0 and n not in distances]
        distances.update(dict.fromkeys(frontier, d))
    return {tree.path(other): decay**d for other, d in sorted(distances.items()) if other != row}


@NEAR_MISSES.register("length_ratio")
def length_ratio(
    tree: ElementTree,
    ideal: str,
    ideals: Mapping[str, float],
    *,
    least: Annotated[float, Between(0, 1)] = 0.0,
) -> Mapping[str, float]:
    """Reward ancestors and descendants by size: closeness = characters of the smaller / of the larger.

    Args:
        tree: The document, with sizes.
        ideal: The path of the ideal element.
        ideals: The paths and scores of all ideal elements.
        least: The least ratio that is rewarded.

    >>> from xcg.documents.parsing import parse_document
    >>> tree = parse_document(b"<a><s>12345678<p>90</p></s><s>1234567890</s></a>")
    >>> length_ratio(tree, "/a[1]/s[1]", {"/a[1]/s[1]": 1.0})
    {'/a[1]': 0.5, '/a[1]/s[1]/p[1]': 0.2}
    """
    own = _size(tree, tree.row(ideal))
    ratios = {}
    for other, shared in _shared_characters(tree, ideal).items():
        larger = max(_size(tree, other), own)
        ratio = shared / larger if larger else 0.0
        if ratio > 0 and ratio >= least:
            ratios[tree.path(other)] = ratio
    return ratios


@NEAR_MISSES.register("shared_characters")
def shared_characters(
    tree: ElementTree,
    ideal: str,
    ideals: Mapping[str, float],
    *,
    beta: Annotated[float, Between(0, 1_000_000)] = 1.0,
) -> Mapping[str, float]:
    """Reward elements that share text with the ideal element: closeness = F_β of the characters.

    F_β = (1 + β²)·P·R / (β²·P + R), where precision P is the share of the result that lies in the ideal
    element, and recall R the share of the ideal element that lies in the result.

    Args:
        tree: The document, with sizes.
        ideal: The path of the ideal element.
        ideals: The paths and scores of all ideal elements.
        beta: β. 0 is precision, so that everything inside an ideal element has its score; large values
            approach recall, so that everything around it has.

    >>> from xcg.documents.parsing import parse_document
    >>> tree = parse_document(b"<a><s>12345678<p>90</p></s><s>1234567890</s></a>")
    >>> near = shared_characters(tree, "/a[1]/s[1]", {"/a[1]/s[1]": 1.0})
    >>> {path: round(closeness, 4) for path, closeness in near.items()}
    {'/a[1]': 0.6667, '/a[1]/s[1]/p[1]': 0.3333}
    """
    own = _size(tree, tree.row(ideal))
    closeness = {}
    for other, shared in _shared_characters(tree, ideal).items():
        size = _size(tree, other)
        if shared and size and own:
            precision, recall = shared / size, shared / own
            divisor = beta * beta * precision + recall
            closeness[tree.path(other)] = (1 + beta * beta) * precision * recall / divisor
    return closeness


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


@NEAR_MISSES.register("browsing", references=("piwowarski-gallinari-dupret-2007",))
def browsing(
    tree: ElementTree,
    ideal: str,
    ideals: Mapping[str, float],
    *,
    parent: Annotated[float, Between(0, 1)] = 0.3,
    child: Annotated[float, Between(0, 1)] = 0.2,
    sibling: Annotated[float, Between(0, 1)] = 0.2,
    onward: Annotated[float, Between(0, 1)] = 0.0,
    moves: Annotated[int, Between(0, 1000)] = 5,
) -> Mapping[str, float]:
    """Reward elements by the probability that a user browses from them to the ideal element.

    In each move the user goes to the parent, to one of the child elements (each with the same
    probability), to one of the two neighbouring siblings (likewise), or to the next element in document
    order that is not a descendant. Otherwise, or if there is no such element, the user gives up.
    Closeness is the probability that the user reaches the ideal element. The idea is that of
    Piwowarski, Gallinari and Dupret's navigating user; the formula is xcg's own.

    Args:
        tree: The document.
        ideal: The path of the ideal element.
        ideals: The paths and scores of all ideal elements.
        parent: Probability of going to the parent.
        child: Probability of going to a child element.
        sibling: Probability of going to a neighbouring sibling.
        onward: Probability of going to the next element that is not a descendant.
        moves: The number of moves.

    Raises:
        ValueError: If the probabilities sum to more than 1.

    >>> tree = ElementTree.from_paths(["/a[1]/s[1]/p[1]", "/a[1]/s[2]"])
    >>> near = browsing(tree, "/a[1]/s[1]", {"/a[1]/s[1]": 1.0}, moves=2)
    >>> {path: round(chance, 4) for path, chance in near.items()}
    {'/a[1]': 0.12, '/a[1]/s[1]/p[1]': 0.3, '/a[1]/s[2]': 0.23}
    """
    probabilities = {"parent": parent, "child": child, "sibling": sibling, "onward": onward}
    total = sum(probabilities.values())
    if total > 1 + _NEGLIGIBLE:
        raise ValueError(f"the probabilities sum to {total:g}: expected at most 1")
    row = tree.row(ideal)

    # Backwards from the ideal element: the probability of reaching it from each element within the
    # moves counted so far. A user who has reached it stays.
    reaching = {row: 1.0}
    for _ in range(moves):
        before: defaultdict[int, float] = defaultdict(float)
        for target, value in reaching.items():
            for origin, probability in _moves_to(target, tree, probabilities):
                if origin != row:
                    before[origin] += probability * value
        before[row] = 1.0
        reaching = {origin: value for origin, value in before.items() if value > _NEGLIGIBLE}
    return {tree.path(other): min(reaching[other], 1.0) for other in sorted(reaching) if other != row}


def _moves_to(
    target: int,
    tree: ElementTree,
    probabilities: Mapping[str, float],
) -> Iterator[tuple[int, float]]:
    """Yield the moves of a browsing user that lead to an element: origin and probability."""
    parent = int(tree.parent[target])
    if probabilities["parent"]:
        yield from ((child, probabilities["parent"]) for child in tree.children(target))
    if parent >= 0:
        siblings = list(tree.children(parent))
        if probabilities["child"]:
            yield parent, probabilities["child"] / len(siblings)
        if probabilities["sibling"]:
            index = siblings.index(target)
            for neighbour in (index - 1, index + 1):
                if 0 <= neighbour < len(siblings):
                    choices = (neighbour > 0) + (neighbour < len(siblings) - 1)
                    yield siblings[neighbour], probabilities["sibling"] / choices
    if probabilities["onward"]:
        # The elements that end where this one begins: the previous row, and its ancestors that end
        # with it.
        previous = target - 1
        while previous >= 0 and tree.end[previous] == target:
            yield previous, probabilities["onward"]
            previous = int(tree.parent[previous])


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
        for row, closeness in near_elements(part, tree, path, ideals).items():
            score = closeness * ideal_score
            if score > scores.get(row, (0.0, 0))[0]:
                scores[row] = score, ideal_row
    return scores


def near_elements(
    part: Part[NearMisses], tree: ElementTree, path: str, ideals: Mapping[str, float]
) -> dict[int, float]:
    """Return row → closeness of the elements that are close to an ideal element.

    Args:
        part: The near-miss model with its parameters.
        tree: The document.
        path: The path of the ideal element.
        ideals: The paths and scores of all ideal elements.

    Raises:
        XcgError: If the model fails or returns an illegal closeness.
    """
    if part.function in (judged, exact):
        return {}
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


def _shared_characters(tree: ElementTree, ideal: str) -> dict[int, int]:
    """Return row → number of shared characters of the ancestors and descendants of an element."""
    row = tree.row(ideal)
    own = _size(tree, row)
    shared = dict.fromkeys(tree.ancestors(row), own)
    shared.update({below: _size(tree, below) for below in range(row + 1, int(tree.end[row]))})
    return dict(sorted(shared.items()))


def _linear_decay(gap: npt.NDArray[np.int64], within: int) -> npt.NDArray[np.float64]:
    if not within:
        return np.zeros(len(gap))
    return np.clip(1.0 - gap / within, 0.0, 1.0)


def _outside(tree: ElementTree, row: int, closeness: npt.NDArray[np.float64]) -> dict[str, float]:
    """Return path → closeness above 0 of the elements outside of an ideal element."""
    closeness[row : int(tree.end[row])] = 0.0
    return {tree.path(other): float(closeness[other]) for other in np.flatnonzero(closeness).tolist()}
