"""The size of a simulated campaign, and its random generators."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from xcg.errors import XcgError

MIN_ELEMENTS = 30
MAX_SIZE = 10_000_000
"""Maximum number of articles, topics, runs, results, assessors, elements or relevant articles."""
_FRACTIONS = ("agreement", "hardness")


@dataclass(frozen=True)
class Shape:
    """The size of a campaign and its seed; the defaults are the size of INEX 2004.

    Args:
        articles: Number of articles, at least 1; INEX 2004 had 12,107.
        topics: Number of topics, at least 1; INEX 2004 assessed 34 CO topics.
        runs: Number of runs, at least 1; INEX 2004 received 69 CO runs.
        results: Maximum number of results of a run for a topic, at least 1.
        assessors: Number of assessors of each topic, at least 1. The systems' skill refers to the first
            assessor. INEX 2004 had a second assessor for 5 topics.
        seed: At least 0. The same shape gives the same files.
        elements: Mean number of elements of an article, at least 30. INEX 2004 had 8.2 million elements
            in 12,107 articles, which is about 680.
        relevant: Mean number of articles with relevant text for a topic, at least 1.
        agreement: Agreement of a further assessor with the first, from 1 to -1. From 1 to 0, it is the
            probability that the further assessor marks a passage as the first one did. Of the other
            passages, the further assessor omits a half, moves the boundaries of a quarter, and changes
            the grade of a quarter. Below 0, the further assessor also finds other articles relevant:
            with probability -agreement, an article is replaced by another one with its own passages. In
            the articles that remain, a passage is replaced with twice that probability (always, from
            -0.5 on) by one block in each of a third of the sections that it touches, with another
            grade. The other passages are treated as with 0. With -0.6, the agreement is close to INEX
            2004. With -1, no article is relevant to both (``docs/studies/simulation.md`` has a table).
        hardness: How much less all systems find, from 0 to 1: the skill of each system is multiplied by
            1 - hardness. With 1, all systems rank at random. With 0.65, the mean of MAep is close to
            INEX 2004.

    Raises:
        XcgError: If a value is out of range.

    >>> Shape(articles=100, topics=5).runs
    69
    """

    articles: int = 12_107
    topics: int = 34
    runs: int = 69
    results: int = 1500
    assessors: int = 1
    seed: int = 2004
    elements: int = 680
    relevant: int = 60
    agreement: float = 0.6
    hardness: float = 0.0

    def __post_init__(self) -> None:
        minimums = {"seed": 0, "elements": MIN_ELEMENTS}
        for name, value in vars(self).items():
            minimum = minimums.get(name, 1)
            if name not in _FRACTIONS and value < minimum:
                raise XcgError(f"{name} is {value}: expected an integer of at least {minimum}")
            if name not in (*_FRACTIONS, "seed") and value > MAX_SIZE:
                raise XcgError(f"{name} is {value}: expected an integer of at most {MAX_SIZE:,}")
        if not -1 <= self.agreement <= 1:
            raise XcgError(f"agreement is {self.agreement}: expected a number from -1 to 1")
        if not 0 <= self.hardness <= 1:
            raise XcgError(f"hardness is {self.hardness}: expected a number from 0 to 1")

    @classmethod
    def small(cls, **changes: Any) -> Shape:
        """Return a shape for trials: 40 articles of about 60 elements, 6 topics, 5 runs, 50 results.

        Args:
            changes: Other values of any fields.

        >>> Shape.small(runs=3).runs
        3
        """
        small = cls(articles=40, topics=6, runs=5, results=50, elements=60, relevant=8)
        return replace(small, **changes)

    def generator(self, *key: int) -> np.random.Generator:
        """Return the random generator of one thing in the campaign.

        Each document, topic, assessor and run has its own generator, so that none depends on the
        number of others.

        Args:
            key: The kind of thing (see below) and its numbers.
        """
        return np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=key))


VOCABULARY, PART, DOCUMENT, TOPIC, ASSESSOR, SYSTEMS, RUN = range(7)
"""The kinds of things that have random generators. The numbers decide the generated files."""
