"""Tests on the scores of all runs over the same topics, their pairs, and discriminative power."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import combinations, islice
from string import ascii_letters
from typing import NamedTuple

from xcg.errors import XcgError
from xcg.lazy_modules import np
from xcg.statistics.significance_tests import P_VALUE_CORRECTIONS, adjust, equal_signs_probability
from xcg.statistics.topic_scores import DIGITS, ROUNDING, Floats, TopicScores, check_name, differences

MARKS = {0.01: "**", 0.05: "*"}
"""Significance level → mark in the compact form, the strictest level first."""
_RESAMPLES = 1000


def _matrix(scores: TopicScores, what: str, min_runs: int) -> Floats:
    """Return the scores as topics × runs, rounded so that rounding errors are ties."""
    if len(scores.values) < min_runs or len(scores.topics) < 2:
        raise XcgError(
            f"{what} over {len(scores.values)} runs and {len(scores.topics)} topics: "
            f"expected at least {min_runs} runs and two topics"
        )
    matrix = scores.matrix
    if not np.isfinite(matrix).all():
        raise XcgError(f"{what}: a score is not finite: expected finite numbers")
    return np.round(matrix, DIGITS)


class Effect(NamedTuple):
    """A row of an ANOVA table.

    Attributes:
        df: Degrees of freedom.
        f: F statistic, at least 0; infinite if the error is 0.
        p: p value, 0 to 1.
    """

    df: int
    f: float
    p: float


def anova(scores: TopicScores) -> tuple[Effect, Effect, int]:
    """Compute the two-way analysis of variance without replication: runs by topics.

    F = (SS / df) / (SS_error / df_error), with df = runs − 1 and topics − 1, and df_error as their
    product. With two runs, F of the runs is t² of the paired t test (Fisher 1925; for retrieval,
    Tague-Sutcliffe and Blustein 1995). scipy computes p. Without error, p
    is the p value of a randomisation test: the probability m / mⁿ that n topics all draw the same of
    the m possible orders of the runs' effects. The p value of the topics is computed in the same way.

    Args:
        scores: Scores of at least two runs for at least two topics.

    Returns:
        The effects of the runs and of the topics, and the degrees of freedom of the error. An effect
        without variation has F = 0 and p = 1.

    Raises:
        XcgError: If there are fewer runs or topics, or a score is not finite.

    >>> runs, topics, df = anova(TopicScores(["1", "2", "3"], {"a": [1, 2, 3], "b": [2, 3, 7]}))
    >>> runs.df, df, round(runs.f, 4), round(topics.f, 4)
    (1, 2, 4.0, 4.3333)
    """
    from scipy.stats import f as f_distribution

    matrix = _matrix(scores, "ANOVA", 2)
    topics, runs = matrix.shape
    run_effects = matrix.mean(axis=0) - matrix.mean()
    topic_effects = matrix.mean(axis=1) - matrix.mean()
    residuals = matrix - matrix.mean() - run_effects - topic_effects[:, None]
    rounding = ROUNDING * max(1, float(np.abs(matrix).max()))
    error, error_df = _sum_of_squares(residuals, rounding), (runs - 1) * (topics - 1)

    def effect(effects: Floats, repetitions: int) -> Effect:
        squares, df = repetitions * _sum_of_squares(effects, rounding), len(effects) - 1
        if not squares:
            return Effect(df, 0.0, 1.0)
        if not error:
            return Effect(df, math.inf, _orders(effects) ** (1 - repetitions))
        f = (squares / df) / (error / error_df)
        return Effect(df, f, float(f_distribution.sf(f, df, error_df)))

    return effect(run_effects, topics), effect(topic_effects, runs), error_df


def _orders(values: Floats) -> float:
    """Return the number of different orders of the values; infinite if it is too large."""
    counts = np.unique(np.round(values, DIGITS), return_counts=True)[1]
    try:
        return math.factorial(len(values)) / math.prod(map(math.factorial, counts.tolist()))
    except OverflowError:
        return math.inf


def _sum_of_squares(values: Floats, rounding: float) -> float:
    """Return the sum of squares, and 0 if all values are rounding errors."""
    return float(np.sum(values**2)) if np.abs(values).max() > rounding else 0.0


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

    matrix = _matrix(scores, "Friedman's test", 3)
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
    ranks = rankdata(_matrix(scores, "Friedman's test", 3), axis=1)
    n, k = ranks.shape
    first, second = np.triu_indices(k, 1)
    if (ranks == ranks[0]).all():
        found = np.where(ranks[0][first] == ranks[0][second], 1.0, equal_signs_probability(n))
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
    means = rankdata(_matrix(scores, "Friedman's test", 3), axis=1).mean(axis=0)
    ranks = dict(zip(order, means.tolist(), strict=True))
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


def discriminative_power(scores: TopicScores) -> tuple[float, float]:
    """Compute the discriminative power of a measure by Sakai's paired bootstrap test.

    For each pair of runs with differences z and t = mean(z) / (sd(z) / √n), B resamples of topics from
    w = z − mean(z) give t*. The achieved significance level is the fraction of |t*| ≥ |t|, and the
    runs differ significantly if it is below 0.05. The difference needed is the maximum, over all
    pairs, of the absolute mean of the resample whose |t*| is the (0.05·B)-th largest. All pairs use
    the same resamples of topics, so the order of the runs does not matter. A resample without variance
    has t* = 0 if its mean is 0, and is infinite otherwise (Sakai 2006, Evaluating evaluation metrics
    based on the bootstrap, SIGIR). If z is the same for all n topics but not 0, no resample can reach
    t; then the level is 2 / 2ⁿ, as in
    :func:`xcg.statistics.significance_tests.paired_p_values`.

    Args:
        scores: Scores of at least two runs for at least two topics.

    Returns:
        The fraction of pairs of runs that differ significantly, and the difference needed.

    Raises:
        XcgError: If there are fewer runs or topics, or a score is not finite.

    >>> discriminative_power(TopicScores(["1", "2"], {"a": [0.5, 0.75], "b": [0.25, 0.5]}))
    (0.0, 0.0)
    """
    matrix = _matrix(scores, "discriminative power", 2)
    topics, runs = matrix.shape
    drawn = np.random.default_rng(0).integers(0, topics, (_RESAMPLES, topics))
    pairs = list(combinations(range(runs), 2))
    significant, needed = 0, 0.0
    for first, second in pairs:
        found = differences(matrix[:, first].tolist(), matrix[:, second].tolist())
        samples = (found - found.mean())[drawn]
        resampled = _absolute_t(samples)
        t = _absolute_t(found[None])[0]
        reached = np.count_nonzero(resampled >= t - ROUNDING) / _RESAMPLES
        significant += bool(
            (reached if np.isfinite(t) else equal_signs_probability(topics)) < max(MARKS)
        )
        decisive = np.argsort(-resampled, kind="stable")[round(_RESAMPLES * max(MARKS)) - 1]
        needed = max(needed, abs(float(samples[decisive].mean())))
    return significant / len(pairs), needed


def _absolute_t(samples: Floats) -> Floats:
    """Return |t| of each row: infinite without variance, and 0 without variance and mean."""
    mean = np.abs(samples.mean(axis=1))
    error = samples.std(axis=1, ddof=1) / math.sqrt(samples.shape[1])
    rounding = ROUNDING * np.maximum(1, np.abs(samples).max(axis=1))
    found: Floats = np.where(mean > rounding, np.inf, 0.0)
    np.divide(mean, error, out=found, where=error > rounding)
    return found


def letter_groups(runs: Sequence[str], different: Iterable[tuple[str, str]]) -> dict[str, str] | None:
    """Return letters of runs: two runs share a letter if and only if they do not differ significantly.

    The groups are the largest sets of runs without a significant difference (Piepho 2004, An algorithm
    for a letter-based representation of all-pairwise comparisons): the maximal cliques of the graph of
    pairs that do not differ.

    Args:
        runs: The runs, best first; the group of the first run has the letter a.
        different: The pairs of runs that differ significantly.

    Returns:
        Run → letters from a to z and A to Z; None if there are more than 52 groups.

    >>> letter_groups(["first", "second", "third"], [("first", "third")])
    {'first': 'a', 'second': 'ab', 'third': 'b'}
    """
    import networkx

    graph = networkx.complete_graph(runs)
    graph.remove_edges_from(different)
    groups = list(islice(networkx.find_cliques(graph), len(ascii_letters) + 1))
    if len(groups) > len(ascii_letters):
        return None
    groups.sort(key=lambda group: [run not in group for run in runs])
    named = list(zip(ascii_letters, groups, strict=False))
    return {run: "".join(letter for letter, group in named if run in group) for run in runs}
