"""Apply overlap strategies to runs."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace

from xcg.documents.corpus import Corpus
from xcg.errors import InputError, XcgError
from xcg.runs.run import Ranking, Run
from xcg.strategies.registry import BoundStrategy


def rewrite(run: Run, strategy: BoundStrategy, corpus: Corpus | None = None) -> Run:
    """Return a run in which an overlap strategy has rewritten the ranking of each topic.

    Scores are rewritten only where they would no longer decrease with the rank.

    Args:
        run: The run; it is not changed.
        strategy: The strategy, see :func:`xcg.strategies.registry.strategies_of`.
        corpus: The documents, if the strategy needs them.

    Returns:
        A run with the name ``RUN+STRATEGY`` and the same topics.

    Raises:
        InputError: If the strategy fails, with run and topic: it needs documents that are missing, or a
            size that is unknown, or it is a function of the user that raises an error.

    >>> from xcg.strategies.registry import strategies_of
    >>> run = Run.of("bm25", {"1": ["d#/a/s[1]/p[1]", "d#/a/s[1]", "d#/a/s[2]"]})
    >>> (top_ranked,) = strategies_of("top_ranked")
    >>> rewrite(run, top_ranked)
    <Run bm25+top_ranked: 1 topics>
    """
    rankings = {}
    for topic, ranking in run.rankings.items():
        where = f"{run.source}, topic {topic}, strategy {strategy}"
        try:
            rewritten = strategy.function(ranking, corpus)
        except XcgError as error:
            raise InputError(where, str(error)) from None
        except Exception as error:
            raise InputError(where, f"failed: {type(error).__name__}: {error}") from None
        if not isinstance(rewritten, Ranking):
            raise InputError(where, f"returned {type(rewritten).__name__}: expected a Ranking")
        rankings[topic] = rewritten if rewritten is ranking else with_ordered_keys(rewritten)
    return Run(f"{run.name}+{strategy}", rankings, run.source, run.skipped, str(strategy))


def rewrite_all(
    runs: Iterable[Run], strategies: Sequence[BoundStrategy], corpus: Corpus | None = None
) -> list[Run]:
    """Return each run under each strategy; the runs themselves without strategies.

    Raises:
        InputError: As :func:`rewrite`.
    """
    if not strategies:
        return list(runs)
    return [rewrite(run, strategy, corpus) for run in runs for strategy in strategies]


def with_ordered_keys(ranking: Ranking) -> Ranking:
    """Return a ranking with keys that follow the order of its results.

    A score that is lower than a later one is raised to the next number above it, and a rank that is
    greater than a later one is lowered likewise. Other keys stay.
    """
    if ranking.keys is None:
        return ranking
    sign = 1.0 if ranking.has_scores else -1.0
    keys = [sign * key for key in ranking.keys]
    changed = False
    for position in range(len(keys) - 2, -1, -1):
        if keys[position] < keys[position + 1]:
            keys[position] = math.nextafter(keys[position + 1], math.inf)
            changed = True
    return replace(ranking, keys=[sign * key for key in keys]) if changed else ranking
