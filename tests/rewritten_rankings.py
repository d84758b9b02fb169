"""Rankings as short texts, as they are before and after an overlap strategy."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from xcg import Corpus, Run
from xcg.documents.passage_points import Passage
from xcg.runs.run import UNKNOWN_SPAN, Ranking
from xcg.strategies.registry import rewrite, strategies_of


def rewritten(
    strategy: str, results: Iterable[str] | Mapping[str, float], corpus: Corpus | None = None
) -> list[str]:
    """Return the results of one topic under a strategy, without the positions ``[1]``."""
    (bound,) = strategies_of(strategy)
    return names(rewrite(Run.of("r", {"1": results}), bound, corpus).rankings["1"])


def names(ranking: Ranking) -> list[str]:
    """Return the results as ``file#/path`` or ``file#offset:length``."""
    found = []
    for position, (file, path) in enumerate(ranking):
        span = ranking.spans.get(position)
        if span == UNKNOWN_SPAN:
            found.append(f"{file}#X:0")
        elif span is None:
            found.append(f"{file}#{path}".removesuffix("#/").replace("[1]", ""))
        elif isinstance(span, Passage):
            found.append(f"{file}#{span.start}–{span.end}")
        else:
            found.append(f"{file}#{span[0]}:{span[1] - span[0]}")
    return found
