"""Strategies that keep some of the results of a ranking: ``thorough``, ``unique`` and others."""

from __future__ import annotations

from xcg.documents.corpus import Corpus
from xcg.runs.run import Ranking
from xcg.strategies.registry import STRATEGIES


@STRATEGIES.register("thorough")
def thorough(ranking: Ranking, corpus: Corpus | None = None) -> Ranking:
    """Return every result at its rank, overlapping or not."""
    return ranking
