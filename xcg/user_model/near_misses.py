"""Near-misses: what results are worth that lie near an ideal element without being one.

Kazai & Lalmas 2006 reward the *judged* neighbours of an ideal element (section 5.2.2) and name others
for future work (section 7): these are here, and are ours. A near-miss model is a function

    (tree, ideal, ideals) → {path: closeness}

for one document: ``ideal`` is the path of one ideal element, ``ideals`` maps all of them to their
scores, and the result says how close other elements come to it, from 0 (no near-miss, may be left out)
to 1 (as good as the ideal element). An element's score is then the larger of its own and of closeness ×
the ideal element's score. Under the normalisation ``subtree`` what near-misses earn is taken from the
ideal element that they are near to, so that all together never earn more than its own score.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from xcg.documents.tree import UNKNOWN, ElementTree
from xcg.errors import MissingSizeError, XcgError
from xcg.lazy_modules import np
from xcg.registry import Part
from xcg.user_model.parts import PartRegistry

if TYPE_CHECKING:
    import numpy.typing as npt

NearMisses = Callable[[ElementTree, str, Mapping[str, float]], Mapping[str, float]]
NEAR_MISSES: PartRegistry[NearMisses] = PartRegistry("near-miss model", "xcg.near_miss_model")

_LEAST = 1e-9
"""A chance below this is none: the browsing user's walk ends somewhere."""


@NEAR_MISSES.register("judged", depends_on_other_runs=False)
def judged(tree: ElementTree, ideal: str, ideals: Mapping[str, float]) -> Mapping[str, float]:
    """Reward what the assessors found relevant, and nothing else (Kazai & Lalmas 2006, 5.2.2)."""
    return {}


@NEAR_MISSES.register("exact", depends_on_other_runs=False)
def exact(tree: ElementTree, ideal: str, ideals: Mapping[str, float]) -> Mapping[str, float]:
    """Reward ideal elements alone; whatever else is returned gains nothing, and counts as seen."""
    return {}


@NEAR_MISSES.register("distance")
def distance(
    tree: ElementTree,
    ideal: str,
    ideals: Mapping[str, float],
    *,
    reach: int = 2,
    decay: float = 0.5,
) -> Mapping[str, float]:
    """Reward elements by their distance in the tree: closeness = decay^d, for d up to reach.

    d is the number of steps between parent and child on the way from one to the other, so siblings
    are 2 apart. reach 0 rewards nothing beyond what is judged.

    >>> tree = ElementTree.from_paths(["/a[1]/s[1]/p[1]", "/a[1]/s[2]"])
    >>> distance(tree, "/a[1]/s[1]", {"/a[1]/s[1]": 1.0})
    {'/a[1]': 0.5, '/a[1]/s[1]/p[1]': 0.5, '/a[1]/s[2]': 0.25}
    """
    _check("decay", decay, 0, 1)
    _check("reach", reach, 0, 1_000_000)
    row = tree.row(ideal)
    steps = {row: 0}
    edge = [row]
    for far in range(1, min(reach, len(tree)) + 1):
        around = [other for here in edge for other in (int(tree.parent[here]), *tree.children(here))]
        edge = [other for other in dict.fromkeys(around) if other >= 0 and other not in steps]
        steps.update(dict.fromkeys(edge, far))
    return {tree.path(other): decay ** steps[other] for other in sorted(steps) if other != row}


@NEAR_MISSES.register("length_ratio")
def length_ratio(
    tree: ElementTree, ideal: str, ideals: Mapping[str, float], *, least: float = 0.0
) -> Mapping[str, float]:
    """Reward what contains the ideal element or lies in it, by length: closeness = shorter / longer.

    Lengths are characters. least: ratios below this count as none; 1 leaves what has the same text.

    >>> from xcg.documents.parsing import parse_document
    >>> tree = parse_document(b"<a><s>12345678<p>90</p></s><s>1234567890</s></a>")
    >>> length_ratio(tree, "/a[1]/s[1]", {"/a[1]/s[1]": 1.0})
    {'/a[1]': 0.5, '/a[1]/s[1]/p[1]': 0.2}
    """
    _check("least", least, 0, 1)
    found = {}
    for other, shared in _nested(tree, ideal).items():
        size, own = _size(tree, other), _size(tree, tree.row(ideal))
        ratio = shared / max(size, own) if max(size, own) else 0.0
        if ratio > 0 and ratio >= least:
            found[tree.path(other)] = ratio
    return found


@NEAR_MISSES.register("shared_characters")
def shared_characters(
    tree: ElementTree, ideal: str, ideals: Mapping[str, float], *, beta: float = 1.0
) -> Mapping[str, float]:
    """Reward what shares text with the ideal element: closeness = F_β of the characters.

    Precision is the share of the result that lies in the ideal element, recall the share of the ideal
    element that lies in the result: F = (1 + β²)·P·R / (β²·P + R). beta 0 is precision alone, so that
    all that lies inside an ideal element is worth as much as the ideal element; large values approach
    recall, which likes what contains it.

    >>> from xcg.documents.parsing import parse_document
    >>> tree = parse_document(b"<a><s>12345678<p>90</p></s><s>1234567890</s></a>")
    >>> near = shared_characters(tree, "/a[1]/s[1]", {"/a[1]/s[1]": 1.0})
    >>> {path: round(closeness, 4) for path, closeness in near.items()}
    {'/a[1]': 0.6667, '/a[1]/s[1]/p[1]': 0.3333}
    """
    _check("beta", beta, 0, 1e6)
    own = _size(tree, tree.row(ideal))
    found = {}
    for other, shared in _nested(tree, ideal).items():
        size = _size(tree, other)
        if shared and size and own:
            precision, recall = shared / size, shared / own
            weighed = beta * beta * precision + recall
            found[tree.path(other)] = (1 + beta * beta) * precision * recall / weighed
    return found


@NEAR_MISSES.register("reading_order")
def reading_order(
    tree: ElementTree,
    ideal: str,
    ideals: Mapping[str, float],
    *,
    before: float = 1.0,
    after: float = 0.5,
    within: int = 500,
) -> Mapping[str, float]:
    """Reward what leads to the ideal element more than what follows it.

    A reader who starts at an element that begins g characters before the ideal element comes to it by
    reading on: closeness = before·(1 − g/within). Who starts g characters behind its end has to turn
    back: after·(1 − g/within). 0 where g ≥ within. What lies inside the ideal element counts as judged.

    >>> from xcg.documents.parsing import parse_document
    >>> tree = parse_document(b"<a><p>1234567890</p><p>ideal</p><p>1234567890</p><p>x</p></a>")
    >>> reading_order(tree, "/a[1]/p[2]", {"/a[1]/p[2]": 1.0}, within=20)
    {'/a[1]': 0.5, '/a[1]/p[1]': 0.5, '/a[1]/p[3]': 0.5, '/a[1]/p[4]': 0.25}
    """
    _check("before", before, 0, 1)
    _check("after", after, 0, 1)
    _check("within", within, 0, 1e12)
    row = tree.row(ideal)
    _check_text(tree, ideal)
    ahead = tree.start[row] - tree.start
    behind = tree.start - tree.stop[row]
    return _closeness(
        tree,
        row,
        np.where(
            ahead >= 0,
            before * _fading(ahead, within),
            np.where(behind >= 0, after * _fading(behind, within), 0.0),
        ),
    )


@NEAR_MISSES.register("tolerance_to_irrelevance")
def tolerance_to_irrelevance(
    tree: ElementTree, ideal: str, ideals: Mapping[str, float], *, characters: int = 300
) -> Mapping[str, float]:
    """Reward whoever starts reading early enough: closeness 1, where the reader comes to the ideal.

    The user reads on from the beginning of a result, and gives up after ``characters`` characters of
    text that lies in no ideal element (the tolerance to irrelevance of INEX; the form is ours). 0: only
    what begins where the ideal element does, or leads to it over ideal text alone.

    >>> from xcg.documents.parsing import parse_document
    >>> tree = parse_document(b"<a><p>1234567890</p><p>12345</p><p>ideal</p><p>late</p></a>")
    >>> tolerance_to_irrelevance(tree, "/a[1]/p[3]", {"/a[1]/p[3]": 1.0}, characters=5)
    {'/a[1]/p[2]': 1.0}
    """
    _check("characters", characters, 0, 1e12)
    row = tree.row(ideal)
    _check_text(tree, ideal)
    irrelevant = np.ones(int(tree.characters[0]) + 1, dtype=np.int64)
    for path in ideals:
        place = tree.row(path)
        irrelevant[tree.start[place] : tree.stop[place]] = 0
    before = np.r_[0, np.cumsum(irrelevant)]
    starts = tree.start
    read = before[tree.start[row]] - before[starts]
    reached = (starts <= tree.start[row]) & (read <= characters)
    return _closeness(tree, row, np.where(reached, 1.0, 0.0))


@NEAR_MISSES.register("browsing")
def browsing(
    tree: ElementTree,
    ideal: str,
    ideals: Mapping[str, float],
    *,
    parent: float = 0.3,
    child: float = 0.2,
    sibling: float = 0.2,
    onward: float = 0.0,
    moves: int = 5,
) -> Mapping[str, float]:
    """Reward elements by the chance that a user who browses from them comes to the ideal element.

    At every step the user goes to the parent, to one of the child elements (each as likely), to one
    of the two neighbouring siblings (likewise), or onward to the next element in document order that
    is not inside, with these probabilities; a move that the place does not offer, and what is left to
    1, is giving up. closeness is the chance of coming to the ideal element within ``moves`` moves. The
    idea
    is Piwowarski, Gallinari and Dupret's navigating user; the formula is ours. All probabilities 0
    reward nothing beyond what is judged.

    >>> tree = ElementTree.from_paths(["/a[1]/s[1]/p[1]", "/a[1]/s[2]"])
    >>> near = browsing(tree, "/a[1]/s[1]", {"/a[1]/s[1]": 1.0}, moves=2)
    >>> {path: round(chance, 4) for path, chance in near.items()}
    {'/a[1]': 0.12, '/a[1]/s[1]/p[1]': 0.3, '/a[1]/s[2]': 0.23}
    """
    chances = {"parent": parent, "child": child, "sibling": sibling, "onward": onward}
    for name, probability in chances.items():
        _check(name, probability, 0, 1)
    if sum(chances.values()) > 1 + _LEAST:
        raise ValueError(f"the probabilities sum to {sum(chances.values()):g}: expected at most 1")
    _check("moves", moves, 0, 1000)
    row = tree.row(ideal)
    arriving = _Arriving(tree, parent, child, sibling, onward)
    # Backwards from the ideal element: coming[x] is the chance of coming there from x within as many
    # moves as were counted; who has come stays.
    coming = {row: 1.0}
    for _ in range(moves):
        following: dict[int, float] = {}
        for place, value in coming.items():
            for origin, probability in arriving(place):
                if origin != row:
                    following[origin] = following.get(origin, 0.0) + probability * value
        following[row] = 1.0
        coming = {place: value for place, value in following.items() if value > _LEAST}
    return {tree.path(place): min(coming[place], 1.0) for place in sorted(coming) if place != row}


class _Arriving:
    """From which places, and how likely, one move leads to a place."""

    def __init__(
        self, tree: ElementTree, parent: float, child: float, sibling: float, onward: float
    ) -> None:
        self.tree = tree
        self.parent, self.child, self.sibling, self.onward = parent, child, sibling, onward
        self._children: dict[int, list[int]] = {}

    def __call__(self, place: int) -> list[tuple[int, float]]:
        tree = self.tree
        above = int(tree.parent[place])
        origins = [(below, self.parent) for below in self._below(place)] if self.parent else []
        if above >= 0:
            siblings = self._below(above)
            if self.child:
                origins.append((above, self.child / len(siblings)))
            if self.sibling:
                index = siblings.index(place)
                for beside in (index - 1, index + 1):
                    if 0 <= beside < len(siblings):
                        offered = (beside > 0) + (beside < len(siblings) - 1)
                        origins.append((siblings[beside], self.sibling / offered))
        if self.onward and place > 0:
            # Whoever ends where this begins: the row before it and what encloses that one's end.
            before = place - 1
            while before >= 0 and tree.end[before] == place:
                origins.append((before, self.onward))
                before = int(tree.parent[before])
        return origins

    def _below(self, row: int) -> list[int]:
        if row not in self._children:
            self._children[row] = list(self.tree.children(row))
        return self._children[row]


def near_scores(
    part: Part[NearMisses], tree: ElementTree, ideals: Mapping[str, float]
) -> dict[int, tuple[float, int]]:
    """Return row → (score as a near-miss, row of the ideal element it is near to).

    Of several ideal elements the one counts that gives the highest score, of equal ones the first.
    Raises XcgError that names the model and the element where the model fails or gives what is no
    closeness.
    """
    found: dict[int, tuple[float, int]] = {}
    if part.function in (judged, exact):
        return found
    for path, score in ideals.items():
        home = tree.row(path)
        try:
            near = part.function(tree, path, ideals)
            pairs = [(tree.row(other), closeness) for other, closeness in near.items()]
        except (XcgError, MissingSizeError) as error:
            raise XcgError(f"near-miss model {part}, {path}: {error}") from None
        except Exception as error:
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
            worth = float(closeness) * score
            if row != home and worth > found.get(row, (0.0, 0))[0]:
                found[row] = worth, home
    return found


def _check(name: str, value: float, least: float, most: float) -> None:
    if not least <= value <= most:
        raise ValueError(f"{name} is {value}: expected a number from {least:g} to {most:g}")


def _check_text(tree: ElementTree, ideal: str) -> None:
    if not len(tree) or int(tree.start[0]) == UNKNOWN:
        raise MissingSizeError(ideal, "where its text stands is not known; give the corpus")


def _size(tree: ElementTree, row: int) -> int:
    size = int(tree.characters[row])
    if size == UNKNOWN:
        raise MissingSizeError(
            tree.path(row), "its size is not known; give the corpus, or assessments with sizes"
        )
    return size


def _nested(tree: ElementTree, ideal: str) -> dict[int, int]:
    """Return row → shared characters of what contains the ideal element or lies in it."""
    row = tree.row(ideal)
    own = _size(tree, row)
    shared = dict.fromkeys(tree.ancestors(row), own)
    shared.update({below: _size(tree, below) for below in range(row + 1, int(tree.end[row]))})
    return dict(sorted(shared.items()))


def _fading(gap: npt.NDArray[np.int64], within: int) -> npt.NDArray[np.float64]:
    if not within:
        return np.zeros(len(gap))
    return np.clip(1.0 - gap / within, 0.0, 1.0)


def _closeness(tree: ElementTree, row: int, values: npt.NDArray[np.float64]) -> dict[str, float]:
    """Return path → closeness of the elements with any, without the ideal element and what is in it."""
    values[row : int(tree.end[row])] = 0.0
    return {tree.path(other): float(values[other]) for other in np.flatnonzero(values).tolist()}
