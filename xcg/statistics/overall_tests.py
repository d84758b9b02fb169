"""Friedman's test of all runs over the same topics, Conover's test of their pairs, and letters."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations, groupby
from string import ascii_letters
from typing import NamedTuple

from xcg.errors import XcgError
from xcg.lazy_modules import np
from xcg.statistics.corrections import P_VALUE_CORRECTIONS, adjust
from xcg.statistics.significance_tests import equal_signs_probability
from xcg.statistics.topic_scores import DIGITS, Floats, TopicScores, check_name

MARKS = {0.01: "**", 0.05: "*"}
"""Significance level → mark in the compact form, the strictest level first."""


def _matrix(scores: TopicScores) -> Floats:
    """Return the scores as topics × runs, rounded so that rounding errors are ties."""
    matrix = scores.matrix
    if matrix.shape[1] < 3 or len(matrix) < 2 or not np.isfinite(matrix).all():
        what = f"{matrix.shape[1]} runs and {len(matrix)} topics"
        raise XcgError(f"Friedman's test over {what}: expected 3 runs, 2 topics and finite scores")
    return np.round(matrix, DIGITS)


def friedman(scores: TopicScores) -> tuple[float, float]:
    """Compute Friedman's test of the hypothesis that all runs have the same ranks.

    χ² = 12 / (n·k·(k + 1)) · Σ R² − 3·n·(k + 1), corrected for ties, where R is the sum of the ranks of
    one of k runs over n topics (Friedman 1937). Computed by scipy.

    Args:
        scores: Scores of at least three runs (for two, use Wilcoxon's test) for at least two topics.

    Returns:
        The statistic (at least 0) and the p value; (0, 1) if the runs are equal for each topic.

    Raises:
        XcgError: If there are fewer runs or topics, or a score is not finite.

    >>> statistic, p = friedman(TopicScores(["1", "2"], {"a": [3, 3], "b": [2, 2], "c": [1, 1]}))
    >>> round(statistic, 4), round(p, 4)  # 12 / 24 · (36 + 16 + 4) − 24, and exp(−4 / 2)
    (4.0, 0.1353)
    """
    from scipy.stats import friedmanchisquare

    matrix = _matrix(scores)
    if (matrix == matrix[:, :1]).all():
        return 0.0, 1.0  # scipy would divide by 0
    found = friedmanchisquare(*matrix.T)
    return float(found.statistic), float(found.pvalue)


def friedman_posthoc(scores: TopicScores, correction: str = "holm") -> dict[tuple[str, str], float]:
    """Compute a p value for each pair of runs after Friedman's test (Conover and Iman 1979).

    For n topics and k runs with the sums of ranks R, t = |R_i − R_j| / √(A B) has Student's
    distribution with (n − 1)(k − 1) degrees of freedom. A = 2 n (k − 1) S / ((n − 1)(k − 1)) with the
    variance S of the ranks, and B = 1 − T / (n (k − 1)) with Friedman's statistic T.

    Args:
        scores: Scores of at least three runs for at least two topics.
        correction: Correction of the p values for the number of pairs, as for ``xcg compare``.

    Returns:
        p values from 0 to 1 by pair of runs. If all n topics have the same ranks, Conover's test has no
        variance. Before the correction, p is then 1 for runs with equal ranks, and otherwise 2 / 2ⁿ as
        in the sign test.

    Raises:
        XcgError: If a name is unknown, there are fewer runs or topics, or a score is not finite.

    >>> scores = TopicScores(["1", "2", "3"], {"a": [3, 3, 1], "b": [2, 2, 2], "c": [1, 1, 3]})
    >>> {pair: round(p, 4) for pair, p in friedman_posthoc(scores, "none").items()}
    {('a', 'b'): 0.7415, ('a', 'c'): 0.5185, ('b', 'c'): 0.7415}
    """
    from scipy.stats import rankdata, t

    check_name("correction", correction, P_VALUE_CORRECTIONS)
    ranks = rankdata(_matrix(scores), axis=1)
    n, k = ranks.shape
    first, second = np.triu_indices(k, 1)
    if (ranks == ranks[0]).all():
        p = equal_signs_probability(n)
        if correction != "none":  # with Holm and Bonferroni; fdr_bh is not larger
            p = min(1.0, len(first) * p)
        p_values = np.where(ranks[0][first] == ranks[0][second], 1.0, p).tolist()
    else:
        sums = ranks.sum(axis=0)
        variance = 1 / (k - 1) * (np.sum(ranks**2) - k * n * (k + 1) ** 2 / 4)
        statistic = np.sum((sums - n * (k + 1) / 2) ** 2) / variance
        df = n * k - k - n + 1
        a = variance * (2 * n * (k - 1)) / df
        b = 1 - statistic / (n * (k - 1))
        found = 2 * t.sf(np.abs(sums[first] - sums[second]) / np.sqrt(a) / np.sqrt(b), df=df)
        p_values = adjust(found.tolist(), correction)
    return dict(zip(combinations(scores.values, 2), p_values, strict=True))


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
        correction: Correction of p values for the number of pairs, as for ``xcg compare``.

    Returns:
        The pairs in the order of the worse runs, and of the better runs for each of them.

    Raises:
        XcgError: As :func:`friedman_posthoc`.

    >>> values = {"a": [1, 1, 1, 1], "b": [2, 2, 3, 2], "c": [3, 3, 2, 3]}
    >>> found = significant_pairs(TopicScores(["1", "2", "3", "4"], values), correction="none")
    >>> [(better, worse, round(p, 4)) for better, worse, p in found]
    [('b', 'a', 0.0388), ('c', 'a', 0.0388)]
    """
    from scipy.stats import rankdata

    _, overall = friedman(scores)
    order = list(scores.values)
    ranks = dict(zip(order, rankdata(_matrix(scores), axis=1).mean(axis=0).tolist(), strict=True))
    found = []
    for pair, p in friedman_posthoc(scores, correction).items():
        worse, better = sorted(pair, key=ranks.__getitem__, reverse=lower_is_better)
        if max(overall, p) < max(MARKS):
            found.append(SignificantPair(better, worse, max(overall, p)))
    return sorted(found, key=lambda pair: (order.index(pair.worse), order.index(pair.better)))


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


_MAX_GROUPS = 300
"""The number of groups at which the search ends; letters exist for 52."""


def letter_groups(runs: Sequence[str], different: Iterable[tuple[str, str]]) -> dict[str, str] | None:
    """Return letters of runs: two runs share a letter if and only if they do not differ significantly.

    The groups are the largest sets of runs without a significant difference, found by inserting the
    significant pairs one by one and absorbing groups that are part of others (Piepho 2004, An algorithm
    for a letter-based representation of all-pairwise comparisons, section 3).

    Args:
        runs: The runs, best first; the group of the first run has the letter a.
        different: The pairs of runs that differ significantly.

    Returns:
        Run → letters from a to z and A to Z, with ``a-d`` for ``abcd``; None if there are more than 52
        groups.

    >>> letter_groups(["first", "second", "third"], [("first", "third")])
    {'first': 'a', 'second': 'ab', 'third': 'b'}
    """
    groups = [frozenset(runs)]
    for pair in different:
        divided = [group for group in groups if group.issuperset(pair)]
        kept = [group for group in groups if not group.issuperset(pair)]
        parts = {group - {run} for group in divided for run in pair}
        groups = kept + [
            part
            for part in parts
            if not any(part <= group for group in kept) and not any(part < other for other in parts)
        ]
        if len(groups) > _MAX_GROUPS:
            return None
    if len(groups) > len(ascii_letters):
        return None
    groups.sort(key=lambda group: [run not in group for run in runs])
    return {run: _shortened([i for i, group in enumerate(groups) if run in group]) for run in runs}


def _shortened(positions: Sequence[int]) -> str:
    """Return positions as letters; three and more successive letters of one case become a range.

    >>> _shortened([0, 2, 3, 4, 6, 7, 25, 26])
    'ac-eghzA'
    """

    def sequence(item: tuple[int, int]) -> tuple[int, bool]:
        return item[1] - item[0], ascii_letters[item[1]].isupper()

    text = ""
    for _, items in groupby(enumerate(positions), sequence):
        letters = "".join(ascii_letters[position] for _, position in items)
        text += letters if len(letters) < 3 else f"{letters[0]}-{letters[-1]}"
    return text
