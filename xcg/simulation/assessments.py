"""Simulated assessors: the passages that they mark in an article, and their disagreement."""

from __future__ import annotations

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


def mark_again(article: MarkedArticle, agreement: float, rng: np.random.Generator) -> MarkedArticle:
    """Draw the passages of a further assessor.

    Args:
        article: The first assessor's passages.
        agreement: See :class:`~xcg.simulation.shape.Shape`.
        rng: Source of the random choices.
    """
    passages = []
    for passage in article.passages:
        agrees, kind = rng.random(2).tolist()
        shifts = rng.integers(1, 4, 2) * rng.choice([-1, 1], 2)
        raised = int(rng.integers(1, 3))
        if agrees < agreement:
            passages.append(passage)
        elif kind < 0.25:
            highest = len(article.blocks) - 1
            first = min(max(passage.first + int(shifts[0]), 0), highest)
            last = min(max(passage.last + int(shifts[1]), first), highest)
            passages.append(Passage(first, last, passage.grade))
        elif kind < 0.5:
            passages.append(passage._replace(grade=(passage.grade - 1 + raised) % 3 + 1))
    return article._replace(passages=passages)
