"""Registry of overlap strategies, and the form of a strategy."""

from __future__ import annotations

from collections.abc import Callable

from xcg.registry import FunctionRegistry
from xcg.runs.run import Ranking

Strategy = Callable[..., Ranking]
"""A function from the ranking of one topic, and the corpus or None, to another ranking.

Its parameters are keyword-only arguments: ``def promote_parent(ranking, corpus, *, threshold=0.5)``.
"""

STRATEGIES: FunctionRegistry[Strategy] = FunctionRegistry(
    "strategy", "xcg.strategy", package="xcg.strategies"
)
