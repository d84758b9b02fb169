"""Find pairs of runs that differ significantly after Friedman's test, and write them compactly."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from xcg.statistics.overall_tests import friedman, friedman_posthoc, mean_ranks
from xcg.statistics.topic_scores import TopicScores

MARKS = {0.01: "**", 0.05: "*"}
"""Significance level → mark in the compact form, the strictest level first."""


class SignificantPair(NamedTuple):
    """Two runs that differ significantly.

    Attributes:
        better: Name of the run with the better mean rank over topics.
        worse: Name of the other run.
        p: The larger of the p values of Friedman's test and of the pair, below 0.05.
    """

    better: str
    worse: str
    p: float


def significant_pairs(
    scores: TopicScores, lower_is_better: bool = False, correction: str = "holm"
) -> list[SignificantPair]:
    """Return the pairs of runs that differ significantly after Friedman's test.

    Pairs are compared by Conover's test only if Friedman's test is significant at the same level
    (Conover 1980). Without correction for the number of pairs, this is the test of
    Järvelin and Kekäläinen (2002), Table 2, who name Friedman's test and cite Conover.

    Args:
        scores: Scores of at least three runs for at least two topics.
        lower_is_better: Whether lower scores are better.
        correction: Correction of p values for the number of pairs, as for :func:`xcg.compare`.

    Returns:
        The pairs in the order of the worse runs, and of the better runs for each of them.

    Raises:
        XcgError: As :func:`xcg.statistics.significance_tests.friedman_posthoc`.

    >>> values = {"a": [1, 1, 1, 1], "b": [2, 2, 3, 2], "c": [3, 3, 2, 3]}
    >>> found = significant_pairs(TopicScores(["1", "2", "3", "4"], values), correction="none")
    >>> [(better, worse, round(p, 4)) for better, worse, p in found]
    [('b', 'a', 0.0388), ('c', 'a', 0.0388)]
    """
    _, overall = friedman(scores)
    ranks = mean_ranks(scores)
    found = []
    for pair, p in friedman_posthoc(scores, correction=correction).items():
        worse, better = sorted(pair, key=ranks.__getitem__, reverse=lower_is_better)
        found.append(SignificantPair(better, worse, max(overall, p)))
    order = {run: index for index, run in enumerate(scores.values)}
    return sorted(
        (pair for pair in found if pair.p < max(MARKS)),
        key=lambda pair: (order[pair.worse], order[pair.better]),
    )


def compact_form(pairs: Iterable[SignificantPair]) -> str:
    """Write pairs as in Table 2 of Järvelin and Kekäläinen (2002): ``D, E > A**``.

    ``**`` means p < 0.01 and ``*`` p < 0.05. Worse runs with the same better runs share an entry.
    Entries are separated by semicolons; without pairs, the text is empty.

    Args:
        pairs: Pairs in the order of :func:`significant_pairs`.

    >>> pairs = [("D", "A", 0.002), ("E", "A", 0.009), ("E", "B", 0.03)]
    >>> compact_form(SignificantPair(*pair) for pair in pairs)
    'D, E > A**; E > B*'
    """
    better_runs: dict[tuple[str, str], list[str]] = {}  # worse run and mark
    for pair in pairs:
        mark = next(mark for level, mark in MARKS.items() if pair.p < level)
        better_runs.setdefault((pair.worse, mark), []).append(pair.better)
    worse_runs: dict[tuple[str, tuple[str, ...]], list[str]] = {}  # mark and better runs
    for (worse, mark), better in better_runs.items():
        worse_runs.setdefault((mark, tuple(better)), []).append(worse)
    return "; ".join(
        f"{', '.join(better)} > {', '.join(worse)}{mark}"
        for (mark, better), worse in worse_runs.items()
    )
