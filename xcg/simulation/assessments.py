"""Simulated assessors: the passages that they mark in an article, and their disagreement."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import NamedTuple

import numpy as np

from xcg.documents.tree import ElementTree

_CONTAINERS = ("abs", "sec", "ss1", "ss2", "ss3")


class Passage(NamedTuple):
    """A marked passage: its first and last block (from 0), and its exhaustivity (1 to 3)."""

    first: int
    last: int
    grade: int


class Blocks:
    """The blocks of an article: the children of sections and abstracts, with section titles."""

    def __init__(self, tree: ElementTree) -> None:
        self._tree = tree
        tags = [tree.tag(row) for row in range(len(tree))]
        self._rows = [
            row
            for row, parent in enumerate(tree.parent.tolist())
            if parent >= 0 and tags[parent] in _CONTAINERS and tags[row] not in _CONTAINERS
        ]
        self._not_titles = [block for block, row in enumerate(self._rows) if tags[row] != "st"]

    def __len__(self) -> int:
        return len(self._rows)

    def draw(self, rng: np.random.Generator) -> tuple[int, int]:
        """Draw the first and last block of a passage: some blocks, a section, or rarely the body."""
        block = self._not_titles[int(rng.integers(len(self._not_titles)))]
        kind, length = rng.random(), int(rng.integers(4))
        parent = self._parent(block)
        if kind < 0.6:
            last_in_parent = self._blocks_in(parent)[1]
            last = block
            while last < min(block + length, last_in_parent) and self._parent(last + 1) == parent:
                last += 1
            return block, last
        containers = [parent, *self._tree.ancestors(parent)][:-1]  # without the article
        return self._blocks_in(containers[0 if kind < 0.8 else -2 if kind < 0.96 else -1])

    def draw_near(self, passage: Passage, rng: np.random.Generator) -> list[Passage]:
        """Draw one block of a third of the sections that a passage touches, with another grade."""
        grade = _other_grade(passage.grade, int(rng.integers(1, 3)))
        sections = sorted({self._parent(block) for block in range(passage.first, passage.last + 1)})
        drawn = []
        for section in rng.permutation(sections)[: math.ceil(len(sections) / 3)].tolist():
            blocks = [block for block in self._not_titles if self._parent(block) == section]
            block = blocks[int(rng.integers(len(blocks)))]
            drawn.append(Passage(block, block, grade))
        return drawn

    def _parent(self, block: int) -> int:
        return int(self._tree.parent[self._rows[block]])

    def _blocks_in(self, row: int) -> tuple[int, int]:
        first, end = np.searchsorted(self._rows, [row, int(self._tree.end[row])]).tolist()
        return first, end - 1

    def span(self, passage: Passage) -> tuple[int, int]:
        """Return the first character of a passage and the one after its last."""
        tree = self._tree
        return int(tree.start[self._rows[passage.first]]), int(tree.stop[self._rows[passage.last]])


class MarkedArticle(NamedTuple):
    """The passages that an assessor marked in an article."""

    name: str
    blocks: Blocks
    passages: list[Passage]


def mark(blocks: Blocks, rng: np.random.Generator) -> list[Passage]:
    """Draw the passages of a relevant article: one or more, without overlap."""
    passages: list[Passage] = []
    for _ in range(1 + int(rng.poisson(1.2))):
        first, last = blocks.draw(rng)
        grade = 1 + int(np.searchsorted([0.45, 0.78], rng.random()))
        if all(last < other.first or other.last < first for other in passages):
            passages.append(Passage(first, last, grade))
    return sorted(passages)


def mark_again(
    articles: Iterable[MarkedArticle],
    others: Iterator[MarkedArticle],
    agreement: float,
    rng: np.random.Generator,
) -> Iterator[MarkedArticle]:
    """Yield the articles and passages of a further assessor.

    Args:
        articles: The first assessor's articles.
        others: Other articles with passages, which a further assessor may find instead.
        agreement: See :class:`~xcg.simulation.shape.Shape`.
        rng: Source of the random choices.
    """
    for article in articles:
        if agreement < 0 and rng.random() < -agreement:
            yield from islice(others, 1)
            continue
        passages: list[Passage] = []
        for passage in article.passages:
            if agreement < 0 and rng.random() < -2 * agreement:
                passages += article.blocks.draw_near(passage, rng)
            else:
                passages += _again(passage, len(article.blocks), agreement, rng)
        yield article._replace(passages=passages)


def _again(passage: Passage, blocks: int, agreement: float, rng: np.random.Generator) -> list[Passage]:
    """Return a passage as a further assessor marks it, or no passage if that assessor omits it."""
    agrees, kind = rng.random(2).tolist()
    shifts = rng.integers(1, 4, 2) * rng.choice([-1, 1], 2)
    raised = int(rng.integers(1, 3))
    if agrees < agreement:
        return [passage]
    if kind < 0.25:
        first = min(max(passage.first + int(shifts[0]), 0), blocks - 1)
        last = min(max(passage.last + int(shifts[1]), first), blocks - 1)
        return [Passage(first, last, passage.grade)]
    if kind < 0.5:
        return [passage._replace(grade=_other_grade(passage.grade, raised))]
    return []


def _other_grade(grade: int, raised: int) -> int:
    """Return another grade; ``raised`` is 1 or 2, and grade 1 follows grade 3."""
    return (grade - 1 + raised) % 3 + 1
