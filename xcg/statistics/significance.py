"""Whether differences between runs are more than chance: tests, effect sizes, discriminative power.

The figures of one measure are columns, one per run, over the same topics in the same order.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from xcg.errors import XcgError, nearest
from xcg.evaluation.results import Results
from xcg.judgements.recall_base import MEAN

TIE = 1e-12
"""Figures that are no further apart are equal: what is left is the rounding of a sum."""

CORRECTIONS = ("holm", "bonferroni", "fdr_bh", "none")
POSTHOC = ("conover", "nemenyi")
ALL_PAIRS = "all"

EXACT_RANKS = 13
EXACT_TOPICS = 16
SAMPLED_SIGNS = 100_000
CHUNK = 2_000_000

Column = npt.NDArray[np.float64]


@contextmanager
def _wanted(what: str, package: str) -> Iterator[None]:
    """Say which extra is missing where the import inside the block fails."""
    try:
        yield
    except ImportError:
        raise XcgError(f"{what} needs {package}: pip install 'xcg[statistics]'") from None


@dataclass(frozen=True)
class Figures:
    """Per-topic figures of several runs: ``values[run][i]`` belongs to ``topics[i]``."""

    topics: list[str]
    values: dict[str, list[float]]


def align(results: Results, measure: str, user_model: str, runs: Sequence[str]) -> Figures:
    """Return the runs' figures over the topics that all of them have, in the order of the results.

    Raises XcgError for an unknown name and where the runs share fewer than two topics.

    >>> from xcg.evaluation.results import Result
    >>> rows = [("a", "1", 0.5), ("a", "2", 0.3), ("a", "3", 0), ("b", "2", 0.1), ("b", "1", 0.2)]
    >>> results = Results(Result(run, topic, "MAep", value, "m") for run, topic, value in rows)
    >>> align(results, "MAep", "m", ["a", "b"])
    Figures(topics=['1', '2'], values={'a': [0.5, 0.3], 'b': [0.2, 0.1]})
    """
    if not runs:
        raise XcgError("no runs: expected one or more")
    _known("measure", measure, results.measures)
    _known("user model", user_model, results.user_models)
    for run in runs:
        _known("run", run, results.runs)
    found: dict[str, dict[str, float]] = {run: {} for run in runs}
    for row in results:
        if (row.measure, row.user_model) == (measure, user_model):
            found.get(row.run, {})[row.topic] = row.value
    topics = [topic for topic in results.topics if all(topic in found[run] for run in found)]
    if len(topics) < 2:
        raise XcgError(
            f"{len(topics)} topics with a figure of {measure} under {user_model} for each of "
            f"{', '.join(runs)}: expected two or more"
        )
    return Figures(topics, {run: [found[run][topic] for topic in topics] for run in found})


def _known(kind: str, name: str, legal: Sequence[str]) -> None:
    if name not in legal:
        raise XcgError(f"no {kind} {name!r}: {nearest(name, legal)}")


def _differences(first: Sequence[float], second: Sequence[float]) -> Column:
    """Return first − second with what is a tie set to 0; XcgError for columns that are no pairs."""
    if len(first) != len(second) or len(first) < 2:
        raise XcgError(
            f"columns of {len(first)} and {len(second)} figures: "
            "expected the same number of topics, two or more"
        )
    found: Column = np.asarray(first, np.float64) - np.asarray(second, np.float64)
    if not np.isfinite(found).all():
        raise XcgError("a figure that is no finite number has no difference from another")
    found[np.abs(found) <= TIE] = 0
    return found


def _deviation(differences: Column) -> float:
    """Return the sample standard deviation, 0 where all that varies is rounding."""
    found = float(np.std(differences, ddof=1))
    return found if found > TIE * max(1, float(np.abs(differences).max())) else 0.0


def t_test(first: Sequence[float], second: Sequence[float]) -> float:
    """Return the two-sided p value of Student's paired t test, 0 … 1.

    t = mean(d) / (sd(d) / √n) with n − 1 degrees of freedom, d the differences per topic. 1 where
    all differences are 0, 0 where they are equal to each other and not 0.
    Raises XcgError for columns of different lengths or fewer than two topics.
    Source: Student 1908, by scipy (needs the extra ``xcg[statistics]``).

    >>> round(t_test([0.2, 0.4, 0.6], [0.1, 0.2, 0.3]), 4)  # t = 0.2 / (0.1 / √3) = 2√3
    0.0742
    """
    with _wanted("the t test", "scipy"):
        from scipy.stats import ttest_rel
    differences = _differences(first, second)
    if not differences.any():
        return 1.0
    if not _deviation(differences):
        return 0.0  # scipy would divide by 0, or by rounding
    return float(ttest_rel(first, second).pvalue)


def wilcoxon_test(first: Sequence[float], second: Sequence[float]) -> float:
    """Return the two-sided p value of Wilcoxon's signed-rank test, 0 … 1.

    Topics without a difference are left out; where none is left, p is 1. Up to 13 topics, the p value
    is exact; beyond, exact or by the normal approximation, as scipy chooses.
    Raises XcgError as :func:`t_test`.
    Source: Wilcoxon 1945, by scipy (needs the extra ``xcg[statistics]``).

    >>> wilcoxon_test([0.2, 0.4, 0.6], [0.1, 0.2, 0.3])  # +1 +2 +3 and −1 −2 −3 of 8 signed ranks
    0.25
    """
    with _wanted("Wilcoxon's test", "scipy"):
        from scipy.stats import rankdata, wilcoxon
    differences = _differences(first, second)
    if not differences.any():
        return 1.0
    # 0.3 − 0.2 and 0.2 − 0.1 differ in their last bit, and would get different ranks
    differences = np.round(differences, 12)
    if len(differences) <= EXACT_RANKS:
        # scipy gives the same figure, but takes seconds where ranks are tied
        signed = np.zeros_like(differences)
        moved = differences != 0
        signed[moved] = np.sign(differences[moved]) * rankdata(np.abs(differences[moved]))
        return randomisation_test(signed.tolist(), [0.0] * len(signed))
    return float(wilcoxon(differences, zero_method="wilcox").pvalue)


def randomisation_test(first: Sequence[float], second: Sequence[float], seed: int = 0) -> float:
    """Return the two-sided p value of Fisher's paired randomisation test of the mean, 0 … 1.

    Where the runs are alike, the sign of each topic's difference is a coin: p is the share of sign
    vectors whose absolute mean reaches the observed one. With up to 16 topics that differ, all 2ⁿ
    vectors are counted; beyond, B = 100 000 random ones, and p = (1 + count) / (1 + B). It depends
    neither on the order of the topics nor on that of the arguments. Raises XcgError as :func:`t_test`.
    Source: Fisher 1935; Smucker, Allan & Carterette 2007.

    >>> randomisation_test([0.2, 0.4, 0.6], [0.1, 0.2, 0.3])  # +++ and −−− of 8
    0.25
    """
    differences = _differences(first, second)
    topics = len(differences)
    observed = abs(float(differences.mean()))
    # Signs are drawn anew, so only magnitudes matter; a 0 stays what it is under either sign.
    magnitudes = np.sort(np.abs(differences[differences != 0]))
    flips = len(magnitudes)
    if not flips:
        return 1.0
    least = observed - TIE * max(1, float(magnitudes[-1]))
    if flips <= EXACT_TOPICS:
        bits = (np.arange(1 << flips)[:, None] >> np.arange(flips)) & 1
        return _reaching(bits, magnitudes, topics, least) / (1 << flips)
    random = np.random.default_rng(seed)
    rows = max(1, CHUNK // flips)
    count = 0
    for start in range(0, SAMPLED_SIGNS, rows):
        size = (min(rows, SAMPLED_SIGNS - start), flips)
        count += _reaching(random.integers(0, 2, size, np.int8), magnitudes, topics, least)
    return (1 + count) / (1 + SAMPLED_SIGNS)


def _reaching(bits: npt.NDArray[np.integer], magnitudes: Column, topics: int, least: float) -> int:
    """Count the rows of bits, 1 for plus, whose absolute mean is at least so much."""
    means = np.abs((2 * bits - 1) @ magnitudes) / topics
    return int(np.count_nonzero(means >= least))


Test = Callable[[Sequence[float], Sequence[float]], float]

TESTS: dict[str, Test] = {"t": t_test, "wilcoxon": wilcoxon_test, "randomisation": randomisation_test}
"""Paired tests by name: two columns to a two-sided p value."""


@dataclass(frozen=True)
class Comparison:
    """One run against another on one measure, over the topics that all compared runs have.

    topics: how many. difference: mean − baseline_mean. low, high: its 95 % confidence interval by
    Student's t. effect: Cohen's d_z, the difference by the standard deviation of the differences,
    None where that is 0. wins, losses, ties: topics where the run is above, below, or within 10⁻¹²
    of the baseline. p: two-sided. p_adjusted: corrected for the number of comparisons.
    """

    run: str
    baseline: str
    measure: str
    user_model: str
    topics: int
    mean: float
    baseline_mean: float
    difference: float
    low: float
    high: float
    effect: float | None
    wins: int
    losses: int
    ties: int
    p: float
    p_adjusted: float


def compare(
    results: Results,
    measure: str,
    user_model: str | None = None,
    baseline: str | None = None,
    test: str = "t",
    correction: str = "holm",
) -> list[Comparison]:
    """Return every run against a baseline, or all pairs of runs.

    Args:
        results: with figures per topic.
        measure: its canonical name. Only runs with figures of it take part, over the topics that
            all of them have.
        user_model: may be left out where there is one.
        baseline: a run, by default that with the highest mean (the first of equals), or ``"all"``
            for all pairs, the earlier run of a pair against the later.
        test: one of :data:`TESTS`.
        correction: ``holm``, ``bonferroni``, ``fdr_bh`` (Benjamini & Hochberg 1995) or ``none``.

    Raises:
        XcgError: for an unknown name, fewer than two runs or two topics, or without the packages of
            the extra ``xcg[statistics]``.

    >>> from xcg.evaluation.results import Result
    >>> columns = {"a": (0.2, 0.4, 0.6), "b": (0.1, 0.2, 0.3)}
    >>> results = Results(
    ...     Result(run, str(topic), "MAep", value, "m")
    ...     for run, column in columns.items() for topic, value in enumerate(column)
    ... )
    >>> (line,) = compare(results, "MAep")
    >>> line.run, line.baseline, round(line.difference, 4), round(line.p, 4)
    ('b', 'a', -0.2, 0.0742)
    """
    _known("test", test, list(TESTS))
    _known("correction", correction, CORRECTIONS)
    _known("measure", measure, results.measures)
    if user_model is None:
        if len(results.user_models) != 1:
            raise XcgError(f"name the user model: {nearest('', results.user_models)}")
        user_model = results.user_models[0]
    _known("user model", user_model, results.user_models)
    having = {
        r.run for r in results if (r.measure, r.user_model) == (measure, user_model) and r.topic != MEAN
    }
    runs = [run for run in results.runs if run in having]
    if len(runs) < 2:
        raise XcgError(
            f"{len(runs)} runs with figures per topic of {measure} under {user_model}: expected several"
        )
    if baseline not in (None, ALL_PAIRS):
        _known("run", baseline, runs)
    figures = align(results, measure, user_model, runs)
    if baseline == ALL_PAIRS:
        pairs = list(combinations(runs, 2))
    else:
        chosen = baseline or max(runs, key=lambda run: math.fsum(figures.values[run]))
        pairs = [(run, chosen) for run in runs if run != chosen]
    p_values = [TESTS[test](figures.values[run], figures.values[other]) for run, other in pairs]
    return [
        _comparison(figures, measure, user_model, pair, p, p_adjusted)
        for pair, p, p_adjusted in zip(pairs, p_values, _adjusted(p_values, correction), strict=True)
    ]


def _adjusted(p_values: list[float], correction: str) -> list[float]:
    if correction == "none":
        return p_values
    with _wanted("a correction for several comparisons", "statsmodels"):
        from statsmodels.stats.multitest import multipletests  # type: ignore[import-untyped]
    return [float(p) for p in multipletests(p_values, method=correction)[1]]


def _comparison(
    figures: Figures, measure: str, user_model: str, pair: tuple[str, str], p: float, p_adjusted: float
) -> Comparison:
    with _wanted("a confidence interval", "scipy"):
        from scipy.stats import t
    first, second = (figures.values[run] for run in pair)
    differences = _differences(first, second)
    topics = len(differences)
    difference = float(differences.mean())
    deviation = _deviation(differences)
    half = float(t.ppf(0.975, topics - 1)) * deviation / math.sqrt(topics)
    return Comparison(
        run=pair[0],
        baseline=pair[1],
        measure=measure,
        user_model=user_model,
        topics=topics,
        mean=math.fsum(first) / topics,
        baseline_mean=math.fsum(second) / topics,
        difference=difference,
        low=difference - half,
        high=difference + half,
        effect=difference / deviation if deviation else None,
        wins=int(np.count_nonzero(differences > 0)),
        losses=int(np.count_nonzero(differences < 0)),
        ties=int(np.count_nonzero(differences == 0)),
        p=p,
        p_adjusted=p_adjusted,
    )


def _table(figures: Figures, what: str, least_runs: int) -> Column:
    """Return topics × runs, rounded so that figures equal but for their last bits are ties."""
    table = np.array(list(figures.values.values()), np.float64).T
    if len(figures.values) < least_runs or len(figures.topics) < 2:
        raise XcgError(
            f"{what} over {len(figures.values)} runs and {len(figures.topics)} topics: "
            f"expected {least_runs} runs or more, two topics or more"
        )
    if not np.isfinite(table).all():
        raise XcgError(f"{what} over a figure that is no finite number")
    return np.round(table, 12)


class Effect(NamedTuple):
    """One line of an ANOVA table: sum of squares, degrees of freedom, F and its p value."""

    squares: float
    df: int
    f: float
    p: float


@dataclass(frozen=True)
class AnovaTable:
    """Runs and topics against what neither explains."""

    runs: Effect
    topics: Effect
    error_squares: float
    error_df: int


def anova(figures: Figures) -> AnovaTable:
    """Return the two-way analysis of variance without replication: runs as treatment, topics as blocks.

    F = (SS / df) / (SS_error / df_error), df = runs − 1 and topics − 1, df_error their product;
    F ≥ 0, infinite where runs and topics explain all; 0 (p = 1) for an effect that is not there.
    With two runs, F of the runs is t² of the paired t test.
    Raises XcgError for fewer than two runs or topics.
    Source: Fisher 1925; Tague-Sutcliffe & Blustein 1995 for retrieval; F's distribution by scipy
    (needs the extra ``xcg[statistics]``).

    >>> found = anova(Figures(["1", "2", "3"], {"a": [1, 2, 3], "b": [2, 3, 7]}))
    >>> found.runs.df, found.error_df, round(found.runs.f, 4), round(found.topics.f, 4)
    (1, 2, 4.0, 4.3333)
    """
    with _wanted("ANOVA", "scipy"):
        from scipy.stats import f as f_distribution
    table = _table(figures, "ANOVA", 2)
    topics, runs = table.shape
    of_run = table.mean(axis=0) - table.mean()
    of_topic = table.mean(axis=1) - table.mean()
    rest = table - table.mean() - of_run - of_topic[:, None]
    rounding = TIE * max(1, float(np.abs(table).max()))
    error, error_df = _squares(rest, rounding), (runs - 1) * (topics - 1)

    def effect(squares: float, df: int) -> Effect:
        if not squares:
            return Effect(0.0, df, 0.0, 1.0)
        f = (squares / df) / (error / error_df) if error else math.inf
        return Effect(squares, df, f, float(f_distribution.sf(f, df, error_df)))

    return AnovaTable(
        runs=effect(topics * _squares(of_run, rounding), runs - 1),
        topics=effect(runs * _squares(of_topic, rounding), topics - 1),
        error_squares=error,
        error_df=error_df,
    )


def _squares(values: Column, rounding: float) -> float:
    """Return the sum of squares, 0 where there is nothing but rounding."""
    return float(np.sum(values**2)) if np.abs(values).max() > rounding else 0.0


def friedman(figures: Figures) -> tuple[float, float]:
    """Return the statistic (≥ 0) and the p value of Friedman's test that all runs rank alike.

    χ² = 12 / (n·k·(k + 1)) · Σ R² − 3·n·(k + 1), corrected for ties, R the sum of a run's ranks over
    n topics. (0, 1) where no topic tells the k runs apart.
    Raises XcgError for fewer than three runs (take Wilcoxon's test) or two topics.
    Source: Friedman 1937, by scipy (needs the extra ``xcg[statistics]``).

    >>> statistic, p = friedman(Figures(["1", "2"], {"a": [3, 3], "b": [2, 2], "c": [1, 1]}))
    >>> round(statistic, 4), round(p, 4)  # 12 / 24 · (36 + 16 + 4) − 24, and exp(−4 / 2)
    (4.0, 0.1353)
    """
    with _wanted("Friedman's test", "scipy"):
        from scipy.stats import friedmanchisquare
    table = _table(figures, "Friedman's test", 3)
    if (table == table[:, :1]).all():
        return 0.0, 1.0  # scipy would divide by 0
    found = friedmanchisquare(*table.T)
    return float(found.statistic), float(found.pvalue)


def friedman_posthoc(figures: Figures, method: str = "conover") -> dict[tuple[str, str], float]:
    """Return a p value for each pair of runs, after Friedman's test.

    method: ``conover`` (Conover & Iman 1979, corrected by Holm) or ``nemenyi`` (Nemenyi 1963, which
    corrects in itself). With Conover's, ranks that are the same for all topics leave no variance: p
    is 0 for runs of different rank and 1 for runs of equal rank.
    Raises XcgError for another method, fewer than three runs or two topics.
    Source: scikit_posthocs (needs the extra ``xcg[statistics]``).

    >>> figures = Figures(["1", "2", "3"], {"a": [3, 3, 1], "b": [2, 2, 2], "c": [1, 1, 3]})
    >>> {pair: round(p, 4) for pair, p in friedman_posthoc(figures, "nemenyi").items()}
    {('a', 'b'): 0.9122, ('a', 'c'): 0.6928, ('b', 'c'): 0.9122}
    """
    with _wanted("the comparison after Friedman's test", "scikit-posthocs"):
        import scikit_posthocs  # type: ignore[import-untyped]
        from scipy.stats import rankdata
    _known("method", method, POSTHOC)
    table = _table(figures, "Friedman's test", 3)
    pairs = [*combinations(enumerate(figures.values), 2)]
    ranks = rankdata(table, axis=1)
    if method == "nemenyi":
        p_values = scikit_posthocs.posthoc_nemenyi_friedman(table).to_numpy()
    elif (ranks == ranks[0]).all():
        p_values = (ranks[0] == ranks[0][:, None]).astype(float)
    else:
        p_values = scikit_posthocs.posthoc_conover_friedman(table, p_adjust="holm").to_numpy()
    return {(run, other): float(p_values[i, j]) for (i, run), (j, other) in pairs}


def deciding_topics(figures: Figures, run: str, baseline: str, k: int = 5) -> list[tuple[str, float]]:
    """Return the topics where run − baseline is largest in size, signed, at most k.

    Equal ones come in the order of the topics; a topic without a difference decides nothing and is
    left out. Raises XcgError for an unknown run.

    >>> figures = Figures(["1", "2", "3"], {"a": [0.5, 0.25, 1], "b": [0.25, 0.75, 1]})
    >>> deciding_topics(figures, "a", "b")
    [('2', -0.5), ('1', 0.25)]
    """
    for name in (run, baseline):
        _known("run", name, list(figures.values))
    differences = _differences(figures.values[run], figures.values[baseline]).tolist()
    found = [pair for pair in zip(figures.topics, differences, strict=True) if pair[1]]
    return sorted(found, key=lambda pair: -abs(pair[1]))[:k]


def tau_ap(reference: Sequence[float], other: Sequence[float]) -> float:
    """Return τ_AP, the agreement of two orders that counts most at the top: −1 … 1.

    2 / (N − 1) · Σ_{i=2…N} C(i) / (i − 1) − 1: the runs stand in descending order of ``other``, and
    C(i) counts those above rank i that ``reference`` puts above the run at rank i, too. Of equal
    figures the earlier is above. Not symmetric. Raises XcgError for columns of different lengths or
    fewer than two runs.
    Source: Yilmaz, Aslam & Robertson 2008.

    >>> round(tau_ap([4, 3, 2, 1], [3, 4, 2, 1]), 4)  # the top two swapped
    0.3333
    >>> round(tau_ap([4, 3, 2, 1], [4, 3, 1, 2]), 4)  # the bottom two swapped
    0.7778
    """
    number = len(reference)
    if number != len(other) or number < 2:
        raise XcgError(
            f"columns of {number} and {len(other)} figures: expected equally many, two or more"
        )
    # sorted() is stable, so equal figures keep their positions
    place = {run: i for i, run in enumerate(sorted(range(number), key=lambda run: -reference[run]))}
    places = [place[run] for run in sorted(range(number), key=lambda run: -other[run])]
    total = math.fsum(sum(p < places[i] for p in places[:i]) / i for i in range(1, number))
    return 2 / (number - 1) * total - 1


def discriminative_power(
    figures: Figures, level: float = 0.05, resamples: int = 1000, seed: int = 0
) -> tuple[float, float]:
    """Return the share of pairs of runs that a measure tells apart, and the difference that takes.

    Sakai's paired bootstrap test: for each pair with differences z and t = mean(z) / (sd(z) / √n),
    B resamples of topics from w = z − mean(z) give t*; the achieved significance level is the share
    of |t*| ≥ |t|, and the pair is told apart where that is below ``level``. The second figure is
    the largest, over the pairs, of the absolute mean of the resample whose |t*| is the
    ⌊B·level⌋-th largest. Every pair sees the same resamples of topics, so that the order of the
    runs does not matter.

    A resample without variance has t* = 0 where its mean is 0, and is infinite otherwise.
    Raises XcgError for fewer than two runs or topics, or where B·level is not in 1 … B.
    Source: Sakai 2006, Evaluating evaluation metrics based on the bootstrap (SIGIR).

    >>> discriminative_power(Figures(["1", "2"], {"a": [0.5, 0.75], "b": [0.25, 0.5]}))
    (1.0, 0.0)
    """
    rank = math.floor(resamples * level + 1e-9)  # 0.29 · 100 is a little below 29
    if not 1 <= rank <= resamples:
        raise XcgError(
            f"level {level} of {resamples} resamples: expected a level in 0 … 1 of one resample or more"
        )
    table = _table(figures, "discriminative power", 2)
    topics, runs = table.shape
    drawn = np.random.default_rng(seed).integers(0, topics, (resamples, topics))
    pairs = list(combinations(range(runs), 2))
    apart, required = 0, 0.0
    for first, second in pairs:
        differences = _differences(table[:, first].tolist(), table[:, second].tolist())
        samples = (differences - differences.mean())[drawn]
        resampled = _absolute_t(samples)
        reached = np.count_nonzero(resampled >= _absolute_t(differences[None])[0] - TIE)
        apart += bool(reached / resamples < level)
        decisive = np.argsort(-resampled, kind="stable")[rank - 1]
        required = max(required, abs(float(samples[decisive].mean())))
    return apart / len(pairs), required


def _absolute_t(samples: Column) -> Column:
    """Return |t| of each row: infinite without variance, 0 without variance and mean."""
    mean = np.abs(samples.mean(axis=1))
    error = samples.std(axis=1, ddof=1) / math.sqrt(samples.shape[1])
    rounding = TIE * np.maximum(1, np.abs(samples).max(axis=1))
    found: Column = np.where(mean > rounding, np.inf, 0.0)
    np.divide(mean, error, out=found, where=error > rounding)
    return found
