"""Simulated systems: known skill, preferred granularity and overlap, and the rankings that follow."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from xcg.judgements.recall_base import RecallBase
from xcg.simulation.documents import Article, ArticleFactory, Floats, Ints, Retrievable
from xcg.simulation.shape import SYSTEMS, Shape
from xcg.user_model.quantisation import QUANTISATIONS


@dataclass(frozen=True)
class System:
    """A simulated system.

    Args:
        number: The run's number from 1.
        skill: From 0 (random order) to 1 (order of true worth), before the hardness of the campaign.
        granularity: Preferred size of results, from 0 (paragraphs) over sections to 1 (articles).
        overlap: Whether results may contain each other.
    """

    number: int
    skill: float
    granularity: float
    overlap: bool

    @property
    def name(self) -> str:
        """The run's name with all properties.

        >>> System(7, 0.6, 0.5, overlap=True).name
        'run07-skill0.60-gran0.5-overlap'
        """
        overlap = "overlap" if self.overlap else "no_overlap"
        return f"run{self.number:02d}-skill{self.skill:.2f}-gran{self.granularity:.1f}-{overlap}"


def systems(shape: Shape) -> list[System]:
    """Return the systems of a campaign.

    Systems 1 and 2, 3 and 4, and so on, have the same skill and granularity; only the first of a pair
    returns overlapping results. The pairs follow a Kronecker sequence with a random start. It spreads
    any number of points evenly over the square, so a larger campaign contains the systems of a smaller
    one.
    """
    start = shape.generator(SYSTEMS).random(2)
    steps = np.array([(math.sqrt(5) - 1) / 2, math.sqrt(3) - 1])
    drawn = []
    for number in range(1, shape.runs + 1):
        skill, granularity = ((start + (number + 1) // 2 * steps) % 1).tolist()
        fifths = math.floor(granularity * 6)
        drawn.append(System(number, round(skill, 2), round(fifths / 5, 1), number % 2 == 1))
    return drawn


@dataclass
class Pool:
    """The elements that the systems rank for a topic, article by article in document order.

    Args:
        files: Names of the articles.
        articles: Index in ``files`` for each element.
        elements: All elements.
        worth: True worth of each element, 0 to 1.
    """

    files: list[str]
    articles: Ints
    elements: Retrievable
    worth: Floats

    def children(self, element: int) -> Iterator[int]:
        """Yield the indices of an element's children."""
        child, end = element + 1, int(self.elements.ends[element])
        while child < end:
            yield child
            child = int(self.elements.ends[child])


def make_pool(
    factory: ArticleFactory, articles: Sequence[Article], truth: RecallBase, topic: str
) -> Pool:
    """Return the elements of articles, with the grades of ``truth`` quantised by sog as their worth."""
    lists: list[Retrievable] = []
    sizes: list[int] = []
    worth: list[float] = []
    assessed = truth.files[topic]
    sog = QUANTISATIONS.get("sog")
    for article in articles:
        elements = factory.retrievable(article)
        lists.append(elements.below(-1, sum(sizes), ""))
        sizes.append(len(elements.paths))
        grades = assessed.get(article.name, {})
        for path in elements.paths:
            grade = grades.get(path)
            worth.append(0.0 if grade is None else sog(*grade[:2]))
    return Pool(
        [article.name for article in articles],
        np.repeat(np.arange(len(articles), dtype=np.int32), sizes),
        Retrievable.concatenate(lists),
        np.array(worth),
    )


def rank(
    pool: Pool, system: System, results: int, hardness: float, rng: np.random.Generator
) -> list[int]:
    """Return the ranking of a system as indices of elements in the pool.

    score = fit · (skill · worth + (1 - skill) · noise), where skill is the system's skill times
    1 - hardness. The fit decreases from 1 at the preferred granularity to 0.5. Half of the noise is the
    same for all elements of an article, because similar elements have similar ranks.
    """
    granularities = pool.elements.granularities
    number = len(granularities)
    noise = (rng.random(len(pool.files))[pool.articles] + rng.random(number)) / 2
    with_relatives = rng.random(number) < 0.5
    fit = 1 - 0.5 * np.abs(granularities - system.granularity)
    skill = system.skill * (1 - hardness)
    scores = fit * (skill * pool.worth + (1 - skill) * noise)
    count = min(8 * results, number)
    while True:
        # Sort by score and then by position, so that the order depends on no sorting algorithm.
        minimum = np.partition(scores, number - count)[number - count]
        best = np.flatnonzero(scores >= minimum)
        order = best[np.argsort(-scores[best], kind="stable")].tolist()
        if system.overlap:
            chosen = _choose_overlapping(pool, order, results, scores, with_relatives.tolist())
        else:
            chosen = _choose_disjoint(pool, order, results)
        if len(chosen) >= results or count == number:
            return chosen
        count = number


def _choose_disjoint(pool: Pool, order: Iterable[int], results: int) -> list[int]:
    """Return the first elements that do not contain each other."""
    parents, ends = pool.elements.parents.tolist(), pool.elements.ends.tolist()
    excluded = bytearray(len(parents))
    chosen: list[int] = []
    for element in order:
        if excluded[element]:
            continue
        chosen.append(element)
        if len(chosen) == results:
            break
        excluded[element : ends[element]] = b"\1" * (ends[element] - element)
        ancestor = parents[element]
        while ancestor >= 0 and not excluded[ancestor]:
            excluded[ancestor] = 1
            ancestor = parents[ancestor]
    return chosen


def _choose_overlapping(
    pool: Pool, order: Iterable[int], results: int, scores: Floats, with_relatives: Sequence[bool]
) -> list[int]:
    """Return the first elements, about half of them followed by their parent and best child."""
    chosen: dict[int, None] = {}
    for element in order:
        if element in chosen:
            continue
        chosen[element] = None
        if with_relatives[element]:
            parent = int(pool.elements.parents[element])
            if parent >= 0:
                chosen[parent] = None
            children = list(pool.children(element))
            if children:
                chosen[max(children, key=scores.__getitem__)] = None
        if len(chosen) >= results:
            break
    return list(chosen)[:results]


def submission_topic(topic: str, pool: Pool, ranking: Sequence[int]) -> str:
    """Return the results for a topic as the XML of an INEX submission.

    File names and paths contain no characters that XML would escape.
    """
    results = "".join(
        f"<result><file>{pool.files[pool.articles[element]]}</file>"
        f"<path>{pool.elements.paths[element]}</path><rank>{rank}</rank></result>\n"
        for rank, element in enumerate(ranking, 1)
    )
    return f'<topic topic-id="{topic}">\n{results}</topic>\n'
