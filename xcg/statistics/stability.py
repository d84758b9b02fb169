"""Stability: do figures and orders of runs hold with other assessors, and with other topics?

The experiments of Kazai & Lalmas 2006, section 6.2. Assessors (6.2.1): :func:`agreement`, then
:func:`figures_by_assessor` → :func:`combinations` → :func:`score_ranges`,
:func:`order_correlations`, :func:`error_rate`. Topics (6.2.2): :func:`swap_rates` →
:func:`extrapolate` → :func:`difference_needed`.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from xcg.errors import Notes, XcgError
from xcg.evaluation.default_models import default_model
from xcg.evaluation.evaluate import evaluate
from xcg.evaluation.inputs import (
    Assessments,
    Documents,
    Inputs,
    Runs,
    UserModels,
    resolve_user_models,
)
from xcg.evaluation.parallel import Backend, Progress, run_tasks
from xcg.judgements.recall_base import MEAN, Assessment, RecallBase, topic_key
from xcg.measures import MEASURES, Measure
from xcg.runs.run import Run, Ties
from xcg.statistics.rank_correlation import kendall_tau_b
from xcg.statistics.significance import TIE
from xcg.user_model.model import UserModel

Floats = npt.NDArray[np.float64]
Counts = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

SECTIONS = frozenset({"sec", "ss1", "ss2", "ss3", "section"})
PARAGRAPHS = frozenset({"p", "ip1", "p1", "para"})

MOST_COMBINATIONS = 4096
MOST_PAIRS = 2000
EQUAL = 0.05
TRIALS = 100
BEST = 0.75

BORDERS = (0.0, 0.0025, 0.005, *(i / 100 for i in range(1, 21)))
"""The lower borders of the 23 bins of differences; a bin ends below the next one, the last nowhere."""

_DIGITS = 12  # what is behind them is the rounding of a sum


def agreement(
    first: RecallBase,
    second: RecallBase,
    sections: Collection[str] = SECTIONS,
    paragraphs: Collection[str] = PARAGRAPHS,
) -> dict[str, float]:
    """Return how far two assessors agree, pooled over the topics that both have.

    ``article``: files with a relevant element, as |relevant to both| / |relevant to either|;
    ``section`` and ``paragraph``: the same of relevant elements whose last tag is one of these;
    ``exact``: relevant elements with the same (e, s) on the same scale, by all relevant to either.
    Each is from 0 to 1, and NaN where nothing of the kind is relevant to either. For the spread over
    topics, call it with recall-bases of one topic.

    Args:
        first: one assessor.
        second: the other; the order does not matter.
        sections: the tags of sections, by default those of INEX.
        paragraphs: the tags of paragraphs.

    Raises:
        XcgError: where they share no topic, and for relevant passages without assessed elements.

    Source: KL 6.2.1, where 5 topics of INEX 2004 have .237, .185, .103 and about .02.

    >>> one = RecallBase.of({"1": {"d": {"/article/sec[1]": (3, 3), "/article/sec[2]": (1, 1)}}})
    >>> two = RecallBase.of({"1": {"d": {"/article/sec[1]": (2, 3)}}})
    >>> agreement(one, two)
    {'article': 1.0, 'section': 0.5, 'paragraph': nan, 'exact': 0.0}
    """
    topics = [topic for topic in first.topics if topic in second]
    if not topics:
        raise XcgError("the two assessors share no topic: expected one or more")
    shared = dict.fromkeys(("article", "section", "paragraph", "exact"), 0)
    either = dict.fromkeys(shared, 0)
    for topic in topics:
        one, two = _relevant(first, topic), _relevant(second, topic)
        for kind, a, b in (
            ("article", {file for file, _ in one}, {file for file, _ in two}),
            ("section", _tagged(one, sections), _tagged(two, sections)),
            ("paragraph", _tagged(one, paragraphs), _tagged(two, paragraphs)),
        ):
            shared[kind] += len(a & b)
            either[kind] += len(a | b)
        shared["exact"] += sum(one[element] == two[element] for element in one.keys() & two.keys())
        either["exact"] += len(one.keys() | two.keys())
    return {kind: shared[kind] / either[kind] if either[kind] else math.nan for kind in shared}


Element = tuple[str, str]


def _relevant(base: RecallBase, topic: str) -> dict[Element, Assessment]:
    """Return (file, path) → assessment, without the size, of what is relevant to a topic."""
    files = base.files(topic)
    for stated in (base.spans(topic), base.passages(topic)):
        for file, passages in stated.items():
            if passages and file not in files:
                raise XcgError(
                    f"topic {topic}, {file}: relevant passages and no assessed elements; agreement is "
                    "counted on elements"
                )
    return {
        (file, path): assessment._replace(characters=None)
        for file, elements in files.items()
        for path, assessment in elements.items()
        if assessment.relevant
    }


def _tagged(elements: Collection[Element], tags: Collection[str]) -> set[Element]:
    """Return the elements whose last step has one of these tags."""
    return {(file, path) for file, path in elements if _tag(path) in tags}


def _tag(path: str) -> str:
    return path.rpartition("/")[2].partition("[")[0]


@dataclass(frozen=True, eq=False)
class Variation:
    """The figures of all runs by every assessor, topic by topic.

    runs, topics: their names. figures: [assessor, topic, run], NaN where the assessor did not judge the
    topic, the topic has no ideal element under that assessor, or the run has no figure for it. judged:
    [assessor, topic], whether the assessor judged the topic at all; left out, it is where there are
    figures. notes: what is worth knowing beside the figures.

    Raises XcgError for arrays whose shapes do not fit.
    """

    runs: tuple[str, ...]
    topics: tuple[str, ...]
    figures: Floats
    judged: Bools | None = None
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.figures.ndim != 3 or self.figures.shape[1:] != (len(self.topics), len(self.runs)):
            raise XcgError(
                f"figures of shape {self.figures.shape}: expected assessors × "
                f"{len(self.topics)} topics × {len(self.runs)} runs"
            )
        if self.judged is not None and self.judged.shape != self.figures.shape[:2]:
            raise XcgError(f"judged has shape {self.judged.shape}: expected assessors × topics")

    @property
    def assessors(self) -> list[list[int]]:
        """Return for each topic the numbers of the assessors who judged it, from 0."""
        judged = self.judged
        if judged is None:
            judged = np.asarray(~np.isnan(self.figures).all(axis=2), np.bool_)
        return [np.flatnonzero(column).tolist() for column in judged.T]

    @property
    def varying(self) -> Variation:
        """Return the same without the static topics, which only one assessor judged.

        KL 6.2.1.1: all topics give an upper bound of stability, the varying ones alone a lower bound.
        """
        kept = [i for i, assessors in enumerate(self.assessors) if len(assessors) > 1]
        return replace(
            self,
            topics=tuple(self.topics[i] for i in kept),
            figures=self.figures[:, kept],
            judged=None if self.judged is None else self.judged[:, kept],
        )


def figures_by_assessor(
    assessments: Sequence[Assessments],
    runs: Runs,
    corpus: Documents = None,
    user_model: UserModels | None = None,
    measure: str | Measure = "MAep",
    *,
    ties: Ties = "document",
    lenient: bool = False,
) -> Variation:
    """Evaluate runs by each of several assessors, every topic once.

    A topic's figures do not depend on who judged the other topics, so that all combinations of
    assessors follow from these, see :func:`combinations`. A topic that a run does not answer counts 0.

    Args:
        assessments: one recall-base, or what :func:`xcg.evaluate` takes for one, per assessor; the
            first is the official one.
        runs: as :func:`xcg.evaluate` takes them.
        corpus: likewise.
        user_model: one user model; by default that of the assessments' scale.
        measure: one measure whose mean is the mean over topics.
        ties: how TREC results of one score are ordered.
        lenient: count wrong data as warnings (``notes``) instead of raising.

    Raises:
        XcgError: for several user models or measures, assessors on different scales without a user
            model, a measure with another mean, no topic with an ideal element, and as
            :func:`xcg.evaluate` does.

    Source: KL 6.2.1.1.

    >>> one = {"1": {"d": {"/a/s[1]": (3, 3), "/a/s[2]": (3, 3)}}, "2": {"d": {"/a/s[1]": (3, 3)}}}
    >>> two = {"1": {"d": {"/a/s[2]": (3, 3)}}}
    >>> runs = {"r": {"1": ["d#/a/s[1]"], "2": ["d#/a/s[1]"]}}
    >>> variation = figures_by_assessor([one, two], runs, measure="nxCG@1")
    >>> variation.topics, variation.figures[:, :, 0].tolist()
    (('1', '2'), [[1.0, 1.0], [0.0, nan]])
    """
    if len(MEASURES.parse_all(measure)) != 1:
        raise XcgError(f"{len(MEASURES.parse_all(measure))} measures: expected one")
    found = variations(assessments, runs, corpus, user_model, measure, ties=ties, lenient=lenient)
    return next(iter(found.values()))


def variations(
    assessments: Sequence[Assessments],
    runs: Runs,
    corpus: Documents = None,
    user_model: UserModels | None = None,
    measures: str | Measure | Iterable[str | Measure] = "MAep",
    *,
    ties: Ties = "document",
    lenient: bool = False,
) -> dict[str, Variation]:
    """Return measure → what :func:`figures_by_assessor` returns, with one pass for each assessor."""
    notes = Notes(lenient)
    bases = []
    for given in assessments:
        inputs = Inputs(given, lenient=lenient)
        bases.append(inputs.recall_base)
        notes.take(inputs.notes)
    if not bases:
        raise XcgError("no assessors: expected one or more")
    chosen = MEASURES.parse_all(measures)
    model = _one_model(bases, user_model)
    for measure in chosen:
        if not measure.averages_values(model.effort.parameters()):
            raise XcgError(f"{measure}: its mean over topics is no mean of the topics' figures")
    topics = tuple(sorted({topic for base in bases for topic in base.topics}, key=topic_key))
    inputs = Inputs(bases[0], runs, corpus, ties=ties, lenient=lenient, topics=frozenset(topics))
    documents, loaded = inputs.documents, inputs.loaded_runs
    notes.take(inputs.notes)
    names = tuple(run.name for run in loaded)
    row_of = {topic: row for row, topic in enumerate(topics)}
    column_of = {run: column for column, run in enumerate(names)}
    shape = len(bases), len(topics), len(names)
    figures = {str(measure): np.full(shape, np.nan) for measure in chosen}
    told = notes.lines()
    for number, base in enumerate(bases):
        own = [_of_topics(run, base) for run in loaded]
        try:
            results = evaluate(base, own, documents, model, chosen, lenient=lenient)
        except XcgError as error:
            if not str(error).startswith("nothing to average"):
                raise
            told.append(f"assessor {number + 1}: {error}")
            continue
        for row in results:
            if row.topic != MEAN:
                place = number, row_of[row.topic], column_of[row.run]
                figures[row.measure][place] = row.value
        told += [f"assessor {number + 1}: {line}" for line in results.notes]
    if all(np.isnan(table).all() for table in figures.values()):
        raise XcgError(f"nothing to average: no topic of any assessor has an ideal under {model.name}")
    judged = np.array([[topic in base for topic in topics] for base in bases], np.bool_)
    return {
        name: Variation(names, topics, table, judged, tuple(told)) for name, table in figures.items()
    }


def _one_model(bases: Sequence[RecallBase], user_model: UserModels | None) -> UserModel:
    """Return the only user model; XcgError where several are meant."""
    if user_model is None:
        models = list({model.name: model for model in map(default_model, bases)}.values())
    else:
        models = resolve_user_models(user_model)
    if len(models) != 1:
        names = ", ".join(model.name for model in models)
        raise XcgError(f"{len(models)} user models: {names}; expected one")
    return models[0]


def _of_topics(run: Run, base: RecallBase) -> Run:
    """Return a run without the topics that an assessor did not judge, which are worth no note here."""
    kept = {topic: ranking for topic, ranking in run.rankings.items() if topic in base}
    return Run(run.name, kept, run.source)


def combinations(variation: Variation, sample: int | None = None, seed: int = 0) -> Floats:
    """Return the runs' means over topics for combinations of assessors: [combination, run].

    A combination takes each topic from one assessor who judged it, so that k topics with two assessors
    have 2ᵏ combinations and topics with one are static. The mean is that of :func:`xcg.evaluate` on the
    combined assessments: topics without an ideal element under their assessor stay out of it; where
    that leaves none, it is NaN.

    Args:
        variation: the figures by assessor.
        sample: at most so many combinations, by default 4096. Where there are no more, all of them, the
            last topic's assessor changing fastest; else as many different ones at random.
        seed: of the random ones, a whole number from 0.

    Returns:
        The first row is the official test set, every topic by the first assessor who has it.

    Raises:
        XcgError: for no topics, a topic that nobody judged, a sample below 1 or a seed below 0.

    Source: KL 6.2.1.1; Voorhees 2000.

    >>> figures = np.array([[[1.0], [0.5]], [[0.0], [np.nan]]])  # the second judged one topic
    >>> combinations(Variation(("r",), ("1", "2"), figures)).tolist()
    [[0.75], [0.25]]
    """
    most = MOST_COMBINATIONS if sample is None else sample
    if most < 1:
        raise XcgError(f"a sample of {most} combinations: expected 1 or more")
    assessors = variation.assessors
    if not assessors:
        raise XcgError("no topics: expected one or more")
    for name, having in zip(variation.topics, assessors, strict=True):
        if not having:
            raise XcgError(f"topic {name} has no assessor: expected one or more")
    choices = _choices([len(having) for having in assessors], most, seed)
    total = np.zeros((len(choices), len(variation.runs)))
    topics = np.zeros_like(total)
    for topic, having in enumerate(assessors):
        figures = variation.figures[having, topic]
        known = ~np.isnan(figures)
        total += np.where(known, figures, 0)[choices[:, topic]]
        topics += known[choices[:, topic]]
    means: Floats = np.divide(total, topics, out=np.full_like(total, np.nan), where=topics > 0)
    return means


def _choices(counts: Sequence[int], most: int, seed: int) -> Counts:
    """Return [combination, topic] → which of the topic's assessors."""
    if math.prod(counts) <= most:
        return np.array(list(itertools.product(*map(range, counts))), np.int64)
    generator = _generator(seed)
    found = {(0,) * len(counts): None}  # in the order in which they came up
    while len(found) < most:
        for row in generator.integers(0, counts, (most, len(counts))).tolist():
            found[tuple(row)] = None
    return np.array(list(itertools.islice(found, most)), np.int64)


def _generator(*key: int) -> np.random.Generator:
    if min(key) < 0:
        raise XcgError(f"a seed of {min(key)}: expected a whole number from 0")
    return np.random.default_rng(key)


class ScoreRange(NamedTuple):
    """A run's lowest, mean and highest score over combinations of assessors; run: its number from 0."""

    run: int
    low: float
    mean: float
    high: float


def score_ranges(means: npt.ArrayLike) -> list[ScoreRange]:
    """Return each run's lowest, mean and highest score, by decreasing mean as in the figure.

    means: [combination, run], see :func:`combinations`. Raises XcgError for another shape, an empty
    array, and a mean that is no finite number.
    Source: KL Figure 7.

    >>> for run, low, mean, high in score_ranges([[0.25, 0.5], [0.25, 1.0]]):
    ...     print(run, low, mean, high)
    1 0.5 0.75 1.0
    0 0.25 0.25 0.25
    """
    table = _means(means, 1, 1)
    low, high = table.min(axis=0), table.max(axis=0)
    middle = np.clip(table.mean(axis=0), low, high)  # a mean of equal figures may round beyond them
    order = np.argsort(-middle, kind="stable").tolist()
    return [ScoreRange(i, float(low[i]), float(middle[i]), float(high[i])) for i in order]


def _means(means: npt.ArrayLike, least_combinations: int, least_runs: int) -> Floats:
    """Return the means as an array [combination, run]; XcgError where they are none."""
    table = np.asarray(means, np.float64)
    if table.ndim != 2 or table.shape[0] < least_combinations or table.shape[1] < least_runs:
        raise XcgError(
            f"means of shape {table.shape}: expected combinations × runs, "
            f"{least_combinations} or more by {least_runs} or more"
        )
    if not np.isfinite(table).all():
        raise XcgError("a mean is no finite number: a combination leaves a run without topics")
    return table


class Correlations(NamedTuple):
    """The lowest, mean and highest Kendall's τ-b between orders of runs."""

    low: float
    mean: float
    high: float


def order_correlations(
    means: npt.ArrayLike, reference: int | None = None, pairs: int = MOST_PAIRS, seed: int = 0
) -> Correlations:
    """Return the lowest, mean and highest Kendall's τ-b between the orders of runs, -1 … 1.

    Args:
        means: [combination, run], see :func:`combinations`. Means that differ by no more than rounding
            are equal. A pair with a combination under which all runs are equal is left out.
        reference: compare this combination with all others, as KL do with the official one (0); by
            default all pairs of combinations are compared.
        pairs: where there are more pairs than so many, as many different ones at random.
        seed: of the random ones, a whole number from 0.

    Raises:
        XcgError: for fewer than two combinations or runs, a mean that is no finite number, an unknown
            reference, fewer than one pair, and where no pair has a τ-b. Needs scipy (the extra
            ``xcg[statistics]``).

    Source: KL 6.2.1.2 and Table III; lineage 11: τ-b, because the table cannot come from plain τ.

    >>> found = order_correlations([[0.1, 0.2, 0.3], [0.1, 0.3, 0.2], [0.1, 0.2, 0.3]])
    >>> [round(tau, 4) for tau in found]  # 1/3, 1 and 1/3
    [0.3333, 0.5556, 1.0]
    """
    table = np.round(_means(means, 2, 2), _DIGITS)
    if pairs < 1:
        raise XcgError(f"{pairs} pairs: expected 1 or more")
    if reference is not None and not 0 <= reference < len(table):
        raise XcgError(f"combination {reference} of {len(table)}: expected one from 0")
    rows = table.tolist()
    compared = _pairs(len(rows), reference, pairs, seed)
    every = (kendall_tau_b(rows[i], rows[j]) for i, j in compared)
    taus = [round(tau, _DIGITS) for tau in every if tau is not None]  # scipy gives 0.99…98 for 1
    if not taus:
        raise XcgError("no order to correlate: all runs have the same mean")
    return Correlations(min(taus), math.fsum(taus) / len(taus), max(taus))


def _pairs(rows: int, reference: int | None, most: int, seed: int) -> Iterator[tuple[int, int]]:
    """Yield the pairs of rows to compare."""
    possible = rows - 1 if reference is not None else rows * (rows - 1) // 2
    numbers: Sequence[int] = range(possible)
    if possible > most:
        numbers = _generator(seed).choice(possible, most, replace=False).tolist()
    for number in numbers:
        if reference is not None:
            yield reference, number + (number >= reference)
        else:
            upper = (1 + math.isqrt(1 + 8 * number)) // 2  # number = upper·(upper − 1)/2 + lower
            yield number - upper * (upper - 1) // 2, upper


class ErrorRate(NamedTuple):
    """error: the share of contradicting decisions, 0 … 0.5. ties: that of no decision, 0 … 1."""

    error: float
    ties: float


def error_rate(means: npt.ArrayLike, equal: float = EQUAL) -> ErrorRate:
    """Return how often the better of two runs depends on the assessors, and how often there is none.

    For a pair of runs, #(A > B) counts the combinations where A is better, #(A = B) those where the
    difference is less than 5 % of the larger score (by magnitude), or 0::

        error = Σ min(#(A > B), #(B > A)) / Σ (#(A > B) + #(B > A) + #(A = B))     over pairs of runs
        ties  = Σ #(A = B)                / Σ (#(A > B) + #(B > A) + #(A = B))

    Args:
        means: [combination, run], see :func:`combinations`.
        equal: the share below which scores are equal, 0 … 1.

    Raises:
        XcgError: for no combination, fewer than two runs, a mean that is no finite number, and another
            share.

    Source: KL equations 15 and 16 (whose left side must be ties); lineage 11: the minimum is taken per
    pair and not of two grand totals.

    >>> error_rate([[0.5, 0.4], [0.5, 0.4], [0.4, 0.5], [0.5, 0.49]])
    ErrorRate(error=0.25, ties=0.25)
    """
    table = _means(means, 1, 2)
    if not 0 <= equal <= 1:
        raise XcgError(f"equal is {equal}: expected a share from 0 to 1")
    rows, runs = table.shape
    magnitudes = np.abs(table)
    errors = ties = 0
    for run in range(runs - 1):  # one run against all behind it
        difference = table[:, run, None] - table[:, run + 1 :]
        least = equal * np.maximum(magnitudes[:, run, None], magnitudes[:, run + 1 :])
        decided = (np.abs(difference) > TIE) & (np.abs(difference) >= least - TIE)
        better = np.count_nonzero(decided & (difference > 0), axis=0)
        worse = np.count_nonzero(decided & (difference < 0), axis=0)
        errors += int(np.minimum(better, worse).sum())
        ties += int((rows - better - worse).sum())
    comparisons = rows * runs * (runs - 1) // 2
    return ErrorRate(errors / comparisons, ties / comparisons)


@dataclass(frozen=True, eq=False)
class SwapRates:
    """How often the order of two runs is reversed on other topics, by topic-set size and difference.

    sizes: numbers of topics. trials: how many each. counts, swaps: [size, bin], the comparisons, and
    those whose second topic set reverses them. The bins begin at :data:`BORDERS`. The sum of two is
    that of their trials.
    """

    sizes: tuple[int, ...]
    trials: int
    counts: Counts
    swaps: Counts

    @property
    def rates(self) -> Floats:
        """Swaps by counts: [size, bin], 0 … 1, NaN where nothing was compared."""
        nothing = np.full(self.counts.shape, np.nan)
        found: Floats = np.divide(self.swaps, self.counts, out=nothing, where=self.counts > 0)
        return found

    def at(self, n: int) -> Floats:
        """Return the rates of one topic-set size by bin; XcgError for one that is not there."""
        if n not in self.sizes:
            known = ", ".join(map(str, self.sizes))
            raise XcgError(f"no swap rates for {n} topics: expected one of {known}")
        found: Floats = self.rates[self.sizes.index(n)]
        return found

    def __add__(self, other: SwapRates) -> SwapRates:
        if self.sizes != other.sizes:
            raise XcgError(f"swap rates for {self.sizes} and {other.sizes} topics: expected the same")
        return SwapRates(
            self.sizes,
            self.trials + other.trials,
            self.counts + other.counts,
            self.swaps + other.swaps,
        )


def swap_rates(
    figures: npt.ArrayLike,
    sizes: Sequence[int] | None = None,
    trials: int = TRIALS,
    share: float = BEST,
    seed: int = 0,
    offset: int = 0,
) -> SwapRates:
    """Compare the order of every two runs on disjoint topic sets of the same size.

    In a trial, two sets of n topics are drawn. The difference of two runs' means on the first set
    chooses the bin; it is a swap where the means on the second set have the strictly reversed order.
    Every trial has a generator of its own, so that trials may be split in any way and added up.

    Args:
        figures: [topic, run].
        sizes: numbers of topics, by default 1 … ⌊T / 2⌋.
        trials: how many for each size.
        share: only so many of the runs are compared, those with the best means, rounded down.
        seed: a whole number from 0.
        offset: the number of the first trial.

    Raises:
        XcgError: for another shape, a figure that is no finite number, fewer than two topics or runs
            left, no sizes, a size that does not fit twice, fewer than one trial, another share, or a
            negative seed or offset.

    Source: KL 6.2.2, with 34 topics, 69 runs of which the best 51, 100 trials; Voorhees & Buckley 2002.

    >>> found = swap_rates([[0.5, 0.3], [0.2, 0.4]], share=1)  # 0.2 apart, and reversed
    >>> found.sizes, found.counts[0, -2:].tolist(), found.swaps[0, -2:].tolist()
    ((1,), [0, 100], [0, 100])
    """
    table = _figures(figures)
    if not 0 < share <= 1:
        raise XcgError(f"share is {share}: expected one above 0, up to 1")
    if trials < 1:
        raise XcgError(f"{trials} trials: expected 1 or more")
    chosen = tuple(range(1, len(table) // 2 + 1)) if sizes is None else tuple(sizes)
    if not chosen:
        raise XcgError(f"{len(table)} topics and no sizes: expected two topics or more")
    best = best_runs(table, share)
    counts = np.zeros((len(chosen), len(BORDERS)), np.int64)
    swaps = np.zeros_like(counts)
    for row, n in enumerate(chosen):
        for trial in range(offset, offset + trials):
            compared, swapped = swap_trial(best, n, seed, trial)
            counts[row] += compared
            swaps[row] += swapped
    return SwapRates(chosen, trials, counts, swaps)


def _figures(figures: npt.ArrayLike) -> Floats:
    """Return the figures as an array [topic, run]; XcgError where they are none."""
    table = np.asarray(figures, np.float64)
    if table.ndim != 2 or table.shape[1] < 2:
        raise XcgError(f"figures of shape {table.shape}: expected topics × runs, two runs or more")
    if not np.isfinite(table).all():
        raise XcgError("a figure is no finite number: expected one for every topic and run")
    return table


def best_runs(table: Floats, share: float = BEST) -> Floats:
    """Return the columns of the runs with the best means, of equal ones the first."""
    kept = math.floor(round(share * table.shape[1], 9))  # 0.29 × 100 is 29, and not 28.999…
    if kept < 2:
        raise XcgError(f"{share:g} of {table.shape[1]} runs are {kept}: expected two runs or more")
    order = np.argsort(-np.round(table.mean(axis=0), _DIGITS), kind="stable")
    return table[:, np.sort(order[:kept])]


def swap_trial(figures: npt.ArrayLike, n: int, seed: int, trial: int) -> tuple[Counts, Counts]:
    """Return the comparisons and the swaps of one trial, each by bin (see :data:`BORDERS`).

    All runs are compared, see :func:`swap_rates`. Differences no larger than rounding are 0, in the
    first bin and no swap.

    Args:
        figures: [topic, run].
        n: the number of topics in each of the two sets.
        seed: a whole number from 0.
        trial: its number from 0; together with n and the seed it decides the topics.

    Raises:
        XcgError: as :func:`swap_rates`.

    Source: KL 6.2.2.

    >>> counts, swaps = swap_trial([[0.5, 0.499], [0.499, 0.5]], 1, seed=0, trial=0)
    >>> counts[:2].tolist(), swaps[:2].tolist()
    ([1, 0], [1, 0])
    """
    table = _figures(figures)
    topics = len(table)
    if not 1 <= n <= topics // 2:
        raise XcgError(f"two disjoint sets of {n} of {topics} topics: expected 1 to {topics // 2}")
    drawn = _generator(seed, n, trial).permutation(topics)
    i, j = np.triu_indices(table.shape[1], 1)
    means = (table[drawn[:n]].mean(axis=0), table[drawn[n : 2 * n]].mean(axis=0))
    first, second = (np.round(column[i] - column[j], _DIGITS) for column in means)
    bins = np.searchsorted(BORDERS, np.abs(first), side="right") - 1
    swapped = first * second < 0
    counts = np.bincount(bins, minlength=len(BORDERS))
    return counts, np.bincount(bins[swapped], minlength=len(BORDERS))


def measured_swap_rates(
    figures: Mapping[str, Floats],
    trials: int,
    seed: int,
    workers: int = 1,
    backend: Backend = "loky",
    scheduler: str | None = None,
    checkpoint: Path | None = None,
    progress: Progress | None = None,
) -> dict[str, SwapRates]:
    """Return measure → swap rates for all topic-set sizes, each size and block of trials a task.

    figures: measure → [topic, run]. The same for any number of workers.
    """
    tables = {measure: best_runs(np.asarray(table), BEST) for measure, table in figures.items()}
    sizes = tuple(range(1, len(next(iter(tables.values()))) // 2 + 1))
    blocks = [range(start, min(start + _BLOCK, trials)) for start in range(0, trials, _BLOCK)]
    tasks = [
        (tables[measure].tolist(), n, seed, block.start, block.stop)
        for measure in tables
        for n in sizes
        for block in blocks
    ]
    results = run_tasks(
        _trials,
        tasks,
        workers=workers,
        backend=backend,
        scheduler=scheduler,
        checkpoint=checkpoint,
        study=(trials, seed, list(figures), [t.tolist() for t in tables.values()]),
        progress=progress,
    )
    found = {}
    each = len(sizes) * len(blocks)
    for number, measure in enumerate(tables):
        own = np.array(results[number * each : (number + 1) * each], dtype=np.int64)
        table = own.reshape(len(sizes), len(blocks), 2, len(BORDERS)).sum(axis=1)
        found[measure] = SwapRates(sizes, trials, table[:, 0], table[:, 1])
    return found


_BLOCK = 25


def _trials(figures: list[list[float]], n: int, seed: int, first: int, last: int) -> list[list[int]]:
    """Return the counts and swaps of a block of trials, as JSON can hold them."""
    totals = np.zeros((2, len(BORDERS)), dtype=np.int64)
    for trial in range(first, last):
        totals += np.array(swap_trial(figures, n, seed, trial))
    return totals.tolist()


def extrapolate(rates: SwapRates, n: int) -> Floats:
    """Return the swap rates to be expected with n topics, by bin: 0 … 1.

    Each bin has the least-squares line of ln(rate) against the number of topics, as GROWTH of Excel
    fits it::

        rate(n) = exp(a + b·n)

    Rates of 0 have no logarithm and stay out of the fit; a bin with one other rate has that rate at any
    size, a bin with none has 0, and a bin in which nothing was ever compared NaN. Nothing is smoothed
    before (KL do not say how they did), and no rate exceeds 1.

    Raises XcgError for fewer than one topic.
    Source: KL 6.2.2, Figures 9b and 9d, footnote 18; lineage 11.

    >>> one = np.array([[8] * 23, [8] * 23])
    >>> rates = SwapRates((1, 2), 1, one, np.array([[4] * 23, [2] * 23]))  # 1/2, 1/4
    >>> round(float(extrapolate(rates, 4)[0]), 4)  # 1/16
    0.0625
    """
    if n < 1:
        raise XcgError(f"{n} topics: expected 1 or more")
    sizes = np.array(rates.sizes, np.float64)
    found = np.full(len(BORDERS), np.nan)
    for place, column in enumerate(rates.rates.T):
        if np.isnan(column).all():
            continue
        positive = np.isfinite(column) & (column > 0)
        found[place] = _growth(sizes[positive], column[positive], n) if positive.any() else 0.0
    return found


def _growth(sizes: Floats, rates: Floats, n: int) -> float:
    """Return the exponential least-squares fit at n, at most 1."""
    logarithms = np.log(rates)
    apart = sizes - sizes.mean()
    spread = float(apart @ apart)
    slope = float(apart @ logarithms) / spread if spread else 0.0
    return math.exp(min(0.0, float(logarithms.mean()) + slope * (n - float(sizes.mean()))))


def difference_needed(rates_at_n: npt.ArrayLike, level: float = 0.05) -> float | None:
    """Return the difference from which on the order of two runs can be relied upon.

    It is the smallest border of a bin from which on all bins have a swap rate of at most the level.
    Bins in which nothing was compared (NaN) say nothing: the difference begins with a bin that was
    observed, and it is None where there is none.

    rates_at_n: by bin, from :meth:`SwapRates.at` or :func:`extrapolate`. level: 0 … 1, 0.05 for a
    confidence of 95 %. Raises XcgError for another number of bins or another level.
    Source: KL 6.2.2 (0.05 for MAep at 17 topics); Voorhees & Buckley 2002.

    >>> difference_needed([0.24, 0.18, 0.06] + [0.05] * 5 + [0.0] * 15)
    0.01
    """
    rates = np.asarray(rates_at_n, np.float64)
    if rates.shape != (len(BORDERS),):
        raise XcgError(
            f"swap rates of shape {rates.shape}: expected one for each of {len(BORDERS)} bins"
        )
    if not 0 <= level <= 1:
        raise XcgError(f"level is {level}: expected one from 0 to 1")
    needed = None
    for border, rate in reversed(list(zip(BORDERS, rates.tolist(), strict=True))):
        if rate > level + TIE:
            break
        if not math.isnan(rate):
            needed = border
    return needed
