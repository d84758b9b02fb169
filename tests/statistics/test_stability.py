"""Stability: agreement, combinations of assessors, error rates and swap rates, by hand and as laws."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations as pairs_of
from itertools import product

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import xcg
from xcg.errors import XcgError
from xcg.evaluation.inputs import Assessments
from xcg.judgements.recall_base import Assessment, RecallBase, Span
from xcg.statistics.assessor_combinations import (
    ErrorRate,
    combinations,
    error_rate,
    order_correlations,
    score_ranges,
)
from xcg.statistics.assessors import AssessorScores, agreement, scores_by_assessor
from xcg.statistics.rank_correlation import kendall_tau_b
from xcg.statistics.topic_sets import (
    BIN_STARTS,
    SwapRates,
    difference_needed,
    extrapolate,
    swap_rates,
    swap_trial,
)

Floats = npt.NDArray[np.float64]
Judged = dict[str, dict[str, dict[str, tuple[int, int]]]]

BINS = len(BIN_STARTS)


@st.composite
def tables(
    draw: st.DrawFn, least_rows: int = 1, most_rows: int = 6, least: int = 2, most: int = 5
) -> Floats:
    """Figures as k/16, so that sums are exact and ties are likely."""
    rows, columns = draw(st.integers(least_rows, most_rows)), draw(st.integers(least, most))
    cells = draw(st.lists(st.integers(0, 16), min_size=rows * columns, max_size=rows * columns))
    return np.array(cells, np.float64).reshape(rows, columns) / 16


def by_assessor(assessments: Sequence[Assessments], measure: str = "MAep") -> AssessorScores:
    (found,) = scores_by_assessor(assessments, RUNS, measures=measure).values()
    return found


# Agreement


def test_agreement_by_hand() -> None:
    first = RecallBase.of(
        {
            "1": {
                "d": {
                    "/article": (3, 1),
                    "/article/bdy/sec[1]": (3, 3),
                    "/article/bdy/sec[1]/p[1]": (1, 3),
                },
                "e": {"/article/bdy/sec[1]/ss1[1]": (2, 2)},
                "f": {"/article/bdy/sec[1]": (0, 0)},
            },
            "2": {"d": {"/article/bdy/sec[2]/p[1]": (1, 1)}},
            "3": {"x": {"/article/bdy/sec[2]/p[1]": (1, 1)}},  # the second has no topic 3
        }
    )
    second = RecallBase.of(
        {
            "1": {
                "d": {
                    "/article": (3, 1),
                    "/article/bdy/sec[1]": (3, 2),
                    "/article/bdy/sec[2]": (1, 1),
                    "/article/bdy/sec[1]/p[1]": (0, 0),
                },
                "f": {"/article/bdy/sec[1]": (0, 0)},  # both say irrelevant: no agreement
            },
            "2": {"d": {"/article/bdy/sec[2]/p[1]": (1, 1)}, "g": {"/article/fm/abs/p[2]": (2, 1)}},
            "4": {"d": {"/article": (3, 3)}},
        }
    )
    found = agreement(first, second)
    assert found == {
        "article": 2 / 4,  # topic 1: d of {d, e}; topic 2: d of {d, g}
        "section": 1 / 3,  # sec[1] of {sec[1], sec[2], ss1[1]}
        "paragraph": 1 / 3,  # topic 2's p[1] of {topic 1's p[1], topic 2's p[1], p[2]}
        "exact": 2 / 7,  # article and topic 2's p[1]; topic 1 has 5 elements, topic 2 has 2
    }
    assert agreement(second, first) == found
    # ss1 is no section any more: sec[1] of {sec[1], sec[2]}; of no abstracts nothing is known
    other = agreement(first, second, sections={"sec"}, paragraphs={"abs"})
    assert other["section"] == 1 / 2
    assert math.isnan(other["paragraph"])


def test_agreement_knows_scales_and_sizes() -> None:
    def of(assessment: Assessment) -> RecallBase:
        return RecallBase.of({"1": {"d": {"/a": assessment}}})  # type: ignore[dict-item]

    sized = of(Assessment(2.0, 1.0, 40, "share"))
    assert agreement(sized, of(Assessment(2.0, 1.0, 41, "share")))["exact"] == 1  # not its grade
    assert agreement(sized, of(Assessment(2.0, 1.0)))["exact"] == 0  # (2,1) on another scale
    levels = RecallBase.of({"1": {"d": 1, "e": 0}})
    assert agreement(levels, levels)["article"] == agreement(levels, levels)["exact"] == 1


def test_agreement_needs_common_topics_and_elements() -> None:
    first = RecallBase.of({"1": {"d": {"/a": (1, 1)}}})
    with pytest.raises(XcgError, match="share no topic"):
        agreement(first, RecallBase.of({"2": {"d": {"/a": (1, 1)}}}))
    passages = RecallBase()
    passages.add_span("1", "d", None, "here")
    assert agreement(first, passages)["article"] == 0  # assessed, and nothing in it
    passages.add_span("1", "e", Span(0, 3), "here")
    with pytest.raises(XcgError, match="topic 1, e: relevant passages without assessed elements"):
        agreement(first, passages)


# AssessorScores and combinations

RUNS = {
    "r": {"1": ["d#/a/s[1]", "d#/a/s[2]"], "2": ["d#/a/s[2]"], "3": ["d#/a/s[1]"]},
    "q": {"1": ["d#/a/s[2]"], "2": ["d#/a/s[1]", "d#/a/s[2]"], "4": ["d#/a/s[3]", "d#/a/s[1]"]},
}
FIRST: Judged = {
    "1": {"d": {"/a/s[1]": (3, 3), "/a/s[2]": (1, 1)}},
    "2": {"d": {"/a/s[2]": (2, 3)}},
    "3": {"d": {"/a/s[1]": (3, 3)}},
    "5": {"d": {"/a/s[1]": (0, 0)}},  # without ideal
}
SECOND: Judged = {
    "1": {"d": {"/a/s[2]": (3, 3)}},
    "2": {"d": {"/a/s[1]": (0, 0)}},  # judged, and nothing is relevant
    "4": {"d": {"/a/s[1]": (3, 2)}},
}


def directly(chosen: Judged, run: str, measure: str) -> float:
    try:
        return xcg.evaluate(chosen, RUNS, measures=measure).value(run, measure)
    except XcgError as error:
        assert "nothing to average" in str(error)
        return math.nan


def combined(assessors: list[Judged]) -> list[Judged]:
    """Every recall-base that takes each topic from one assessor, in the order of topics."""
    topics = sorted({topic for judged in assessors for topic in judged})
    having = [[judged[topic] for judged in assessors if topic in judged] for topic in topics]
    return [dict(zip(topics, chosen, strict=True)) for chosen in product(*having)]


@pytest.mark.parametrize("measure", ["nxCG@1", "MAep", "nxDCG(base=2)@2"])
def test_all_combinations_equal_their_evaluation(measure: str) -> None:
    variation = by_assessor([FIRST, RecallBase.of(SECOND)], measure)
    assert variation.runs == ("r", "q")
    assert variation.topics == ("1", "2", "3", "4", "5")
    assert variation.assessors == [[0, 1], [0, 1], [0], [1], [0]]
    means = combinations(variation)
    wanted = [
        [directly(base, run, measure) for run in variation.runs] for base in combined([FIRST, SECOND])
    ]
    assert means.shape == (4, 2)
    assert means == pytest.approx(np.array(wanted), abs=1e-12)


def test_figures_by_assessor_by_hand() -> None:
    variation = by_assessor([FIRST, SECOND], "nxCG@1")
    nan = math.nan
    wanted = [
        [
            [1, 0.1],
            [1, 0],
            [1, 0],
            [nan, nan],
            [nan, nan],
        ],  # q's (1,1) gains .1 by sog, the ideal's (3,3) 1
        [[0, 1], [nan, nan], [nan, nan], [0, 0], [nan, nan]],
    ]
    np.testing.assert_allclose(variation.scores, np.array(wanted, np.float64))
    assert any(note.startswith("assessor 2: note: ") and "topic 2" in note for note in variation.notes)
    assert not any("no assessments" in note for note in variation.notes)  # topics of the other
    # r: (1 + 1 + 1 + 0) / 4; (1 + 1 + 0) / 3 without topic 2; (0 + 1 + 1 + 0) / 4; (0 + 1 + 0) / 3
    np.testing.assert_allclose(combinations(variation)[:, 0], [3 / 4, 2 / 3, 2 / 4, 1 / 3])
    varying = variation.varying
    assert varying.topics == ("1", "2")
    # topics 1 and 2: (1 + 1) / 2; 1 / 1 without topic 2; (0 + 1) / 2; 0 / 1
    np.testing.assert_allclose(combinations(varying)[:, 0], [1, 1, 1 / 2, 0])


@st.composite
def judgements(draw: st.DrawFn) -> Judged:
    pair = st.sampled_from([(0, 0), (1, 1), (2, 3), (3, 3)])
    topics = draw(st.sets(st.sampled_from("1234"), min_size=1))
    paths = st.sampled_from(["/a", "/a/s[1]", "/a/s[2]", "/a/s[3]"])
    return {topic: {"d": draw(st.dictionaries(paths, pair, min_size=1))} for topic in sorted(topics)}


@settings(max_examples=25, deadline=None)
@given(st.lists(judgements(), min_size=1, max_size=3))
def test_combinations_are_evaluations(assessors: list[Judged]) -> None:
    bases = combined(assessors)
    assume(len(bases) <= 12)
    try:
        variation = by_assessor(assessors)
    except XcgError as error:
        assert "nothing to average" in str(error)
        assert all(math.isnan(directly(base, "r", "MAep")) for base in bases)
        return
    wanted = [[directly(base, run, "MAep") for run in variation.runs] for base in bases]
    np.testing.assert_allclose(combinations(variation), wanted, atol=1e-12)


def test_an_assessor_to_whom_nothing_is_relevant() -> None:
    nothing: Judged = {"1": {"d": {"/a/s[1]": (0, 0)}}}
    variation = by_assessor([FIRST, nothing], "nxCG@1")
    assert np.isnan(variation.scores[1]).all()
    assert variation.assessors[0] == [0, 1]
    assert any(note.startswith("assessor 2: nothing to average") for note in variation.notes)
    assert combinations(variation).shape == (2, 2)
    alone = combinations(by_assessor([{"1": FIRST["1"]}, nothing]))
    assert np.isnan(alone[1]).all()
    with pytest.raises(XcgError, match="has no topic for a run"):
        score_ranges(alone)
    with pytest.raises(
        XcgError, match="no topic of any assessor has an ideal element under kazai-lalmas-2006"
    ):
        by_assessor([nothing, nothing])


def test_figures_by_assessor_names_what_is_wrong() -> None:
    cases: list[tuple[Callable[[], object], str]] = [
        (lambda: by_assessor([]), "no assessors"),
        (
            lambda: scores_by_assessor([FIRST], RUNS, user_model=["kazai-lalmas-2006", "inex-2005"]),
            "2 user models: kazai-lalmas-2006, inex-2005",
        ),
        (lambda: by_assessor([FIRST, {"1": {"d": 1}}]), "2 user models: .*levels"),
        (
            lambda: by_assessor([FIRST], "nxDCG(mean=vectors)@2"),
            "its mean is not the arithmetic mean",
        ),
        (lambda: by_assessor([FIRST], "MAepp"), "MAep"),
    ]
    for call, message in cases:
        with pytest.raises(XcgError, match=message):
            call()


def variation_of(figures: Floats) -> AssessorScores:
    _, topics, runs = figures.shape
    return AssessorScores(tuple(f"r{i}" for i in range(runs)), tuple(map(str, range(topics))), figures)


def test_the_first_assessor_with_a_topic_stands_in() -> None:
    nan = math.nan
    # topic 0 by assessors 0 and 2, topic 1 by 1 alone, topic 2 by 1 and 2
    figures = np.array([[[1.0], [nan], [nan]], [[nan], [0.5], [0.0]], [[0.25], [nan], [0.75]]])
    variation = variation_of(figures)
    assert variation.assessors == [[0, 2], [1], [1, 2]]
    # (1 + .5 + 0) / 3, (1 + .5 + .75) / 3, (.25 + .5 + 0) / 3, (.25 + .5 + .75) / 3
    np.testing.assert_allclose(combinations(variation)[:, 0], [0.5, 0.75, 0.25, 0.5])
    # topics 0 and 2 alone
    np.testing.assert_allclose(combinations(variation.varying)[:, 0], [0.5, 0.875, 0.125, 0.5])


def test_many_combinations_are_sampled() -> None:
    # 70 topics: 2⁷⁰ combinations. Of the ones that assessor 1 decides, run 0's mean counts the share.
    figures = np.zeros((2, 70, 2))
    figures[1, :, 0] = 1
    variation = variation_of(figures)
    means = combinations(variation, 200, seed=3)
    assert means.shape == (200, 2)
    assert means[0].tolist() == [0, 0]  # the official test set
    assert abs(means[1:, 0].mean() - 0.5) < 0.02  # 199 · 70 coins: 5 standard errors are .021
    assert np.array_equal(means, combinations(variation, 200, seed=3))
    assert not np.array_equal(means, combinations(variation, 200, seed=4))
    assert len(combinations(variation)) == 4096
    few = variation_of(np.array([1.0, 2, 4, 8, 16, 32]).reshape(2, 3, 1))  # all sums differ
    assert len(np.unique(combinations(few, 7)[:, 0])) == 7  # of 8, and none twice
    assert len(combinations(few, 8)) == 8


def test_combinations_names_what_is_wrong() -> None:
    good = variation_of(np.zeros((2, 3, 1)))
    lost = variation_of(np.full((1, 1, 1), math.nan))
    cases: list[tuple[Callable[[], object], str]] = [
        (lambda: combinations(good, 0), "sample of 0"),
        (lambda: combinations(good, 2, seed=-1), "seed of -1"),
        (lambda: combinations(lost), "topic 0 has no assessor"),
        (lambda: combinations(variation_of(np.zeros((1, 0, 1)))), "no topics"),
        (lambda: AssessorScores(("r",), ("1",), np.zeros((1, 2, 1))), "expected assessors × 1 topics"),
        (
            lambda: AssessorScores(("r",), ("1",), np.zeros((1, 1, 1)), np.ones((2, 1), np.bool_)),
            "assessed has shape",
        ),
    ]
    for call, message in cases:
        with pytest.raises(XcgError, match=message):
            call()


# Scores, orders, errors


def test_score_ranges_by_hand() -> None:
    # run 0: .1 … .3, mean .2; run 1: .2 … .6, mean .4; run 2 as run 0
    found = score_ranges([[0.1, 0.6, 0.3], [0.3, 0.2, 0.1]])
    assert [(line.run, line.low, line.high) for line in found] == [
        (1, 0.2, 0.6),
        (0, 0.1, 0.3),
        (2, 0.1, 0.3),
    ]
    assert [line.mean for line in found] == pytest.approx([0.4, 0.2, 0.2])


@given(tables())
def test_a_mean_lies_in_its_range(table: Floats) -> None:
    found = score_ranges(table / 3)
    assert sorted(line.run for line in found) == list(range(table.shape[1]))
    for line in found:
        assert line.low <= line.mean <= line.high
    assert [line.mean for line in found] == sorted((line.mean for line in found), reverse=True)


def test_order_correlations_by_hand() -> None:
    # orders abcd, abdc, dcba: one of six pairs swapped: (5 − 1) / 6 = 2/3; all: −1; five: −2/3
    means = [[0.4, 0.3, 0.2, 0.1], [0.4, 0.3, 0.1, 0.2], [0.1, 0.2, 0.3, 0.4]]
    assert order_correlations(means) == pytest.approx((-1, -1 / 3, 2 / 3))
    assert order_correlations(means, reference=1) == pytest.approx((-2 / 3, 0, 2 / 3))
    # ties, and what is a tie but for rounding: (1, 2, 2) against (1, 2, 3): 2 / √(2 · 3)
    tied = [[1.0, 2.0, 2.0 + 1e-15], [1.0, 2.0, 3.0]]
    assert order_correlations(tied).mean == pytest.approx(2 / math.sqrt(6))
    # a combination without order is left out
    assert order_correlations([[1, 2], [1, 1], [1, 2]]) == (1, 1, 1)


@settings(max_examples=30, deadline=None)
@given(tables(least_rows=2, least=2))
def test_order_correlations_are_those_of_all_pairs(table: Floats) -> None:
    taus = [kendall_tau_b(a.tolist(), b.tolist()) for a, b in pairs_of(table, 2)]
    known = [tau for tau in taus if tau is not None]
    if not known:
        with pytest.raises(XcgError, match="no order to correlate"):
            order_correlations(table)
        return
    wanted = (min(known), math.fsum(known) / len(known), max(known))
    assert order_correlations(table) == pytest.approx(wanted)
    assert order_correlations(table[::-1]) == pytest.approx(wanted)


def test_many_pairs_are_sampled() -> None:
    table = np.random.default_rng(1).random((12, 6))
    low, mean, high = order_correlations(table)  # 66 pairs
    sampled = order_correlations(table, pairs=65, seed=2)
    assert low <= sampled.low <= sampled.high <= high
    # 65 different ones of 66: their sum lacks one τ of -1 … 1
    assert -1 <= 66 * mean - 65 * sampled.mean <= 1
    assert sampled == order_correlations(table, pairs=65, seed=2)
    assert order_correlations(table, pairs=3, seed=2, reference=4).low >= low


@given(tables())
def test_error_rate_is_a_count(table: Floats) -> None:
    found = error_rate(table)
    assert 0 <= found.error <= 0.5
    assert 0 <= found.ties <= 1
    assert 2 * found.error + found.ties <= 1 + 1e-12
    # the definition, pair by pair, with whole numbers: .05 · max / 16 is max / 320
    errors = ties = 0
    for first, second in pairs_of((table.T * 16).astype(int).tolist(), 2):
        both = list(zip(first, second, strict=True))
        better = sum(a > b and 20 * (a - b) >= a for a, b in both)
        worse = sum(b > a and 20 * (b - a) >= b for a, b in both)
        errors += min(better, worse)
        ties += len(both) - better - worse
    comparisons = len(table) * math.comb(table.shape[1], 2)
    assert found == (errors / comparisons, ties / comparisons)
    assert found == error_rate(table[::-1, ::-1])


@given(tables(most_rows=1), st.integers(2, 5))
def test_identical_assessors_make_no_errors(row: Floats, number: int) -> None:
    figures = np.repeat(row[None], number, axis=0)  # one topic, assessors that agree
    means = combinations(variation_of(figures))
    assert means.shape == (number, row.shape[1])
    assert error_rate(means).error == 0
    assert all(line.low == line.high for line in score_ranges(means))
    if len(set(row[0].tolist())) > 1:
        assert order_correlations(means) == (1, 1, 1)


def test_error_rate_by_hand() -> None:
    # Pairs of runs over 4 combinations, A > B : B > A : A = B
    #   01: 3 : 1 : 0    02: 2 : 1 : 1 (1 against .96 is a tie)    12: 1 : 3 : 0    Σ min = 3, ties 1
    means = [[1.0, 0.5, 0.96], [1.0, 0.5, 0.2], [0.8, 0.4, 0.5], [0.1, 0.2, 0.9]]
    assert error_rate(means) == ErrorRate(3 / 12, 1 / 12)
    # as grand totals it would be min(6, 5) / 12
    # KL: equal where the difference is less than 5 %; 1 − .95 is just that
    assert error_rate([[1.0, 0.95]]).ties == 0
    assert error_rate([[1.0, 0.9501]]).ties == 1
    assert error_rate([[0.0, 0.0]]).ties == 1
    assert error_rate([[1.0, 1.0 + 1e-15], [1.0, 1.0]], equal=0).ties == 1
    assert error_rate([[1.0, 0.6]], equal=0.5).ties == 1


def test_the_comparisons_of_the_paper() -> None:
    # 6.2.1.3: 32 · 69 · 68 / 2 = 75072; one of them a tie
    means = np.tile(2.0 ** np.arange(69), (32, 1))
    means[0, 0] = 2
    assert error_rate(means) == (0, 1 / 75072)


def test_means_that_are_none() -> None:
    cases: list[tuple[Callable[[], object], str]] = [
        (lambda: error_rate([[0.5]]), "at least 1 × 2"),
        (lambda: error_rate([0.5, 0.5]), "expected combinations × runs"),
        (lambda: error_rate([[0.5, math.nan]]), "not finite"),
        (lambda: error_rate([[0.5, 0.5]], equal=1.5), "equal is 1.5"),
        (lambda: score_ranges(np.zeros((0, 3))), "at least 1 × 1"),
        (lambda: order_correlations([[0.5, 0.4]]), "at least 2 × 2"),
        (lambda: order_correlations([[1, 2], [1, 2]], pairs=0), "0 pairs"),
        (lambda: order_correlations([[1, 2], [1, 2]], reference=2), "combination 2 of 2"),
        (lambda: order_correlations([[1, 1], [2, 2]]), "no order to correlate"),
    ]
    for call, message in cases:
        with pytest.raises(XcgError, match=message):
            call()


# Topics


def test_the_bins_of_the_paper() -> None:
    assert BINS == 23
    assert BIN_STARTS[:5] == (0, 0.0025, 0.005, 0.01, 0.02)
    assert BIN_STARTS[-2:] == (0.19, 0.2)
    # The difference of a trial with two like topics falls into the bin that begins with it.
    for place, border in enumerate(BIN_STARTS):
        for difference, wanted in ((border, place), (border + 0.002, place)):
            topic = [0.3 + difference, 0.3]  # .3 + .01 − .3 is .010000000000000009
            counts, swaps = swap_trial([topic, topic], 1, 0, 0)
            assert counts.tolist() == [int(i == wanted) for i in range(BINS)]
            assert not swaps.any()


def test_a_swap_by_hand() -> None:
    # Two topics of one each, either first. Pairs: 01 is .1 or −.3: a swap; 02 is .1 or 0: none, as 0
    # has no sign; 12 is 0 or .3: none. Bins of .1, .1, 0 (12, 12, 0) or of .3, 0, .3 (22, 0, 22).
    table = np.array([[0.5, 0.4, 0.4], [0.5, 0.8, 0.5]])
    seen = set()
    for trial in range(20):
        counts, swaps = swap_trial(table, 1, seed=7, trial=trial)
        assert counts.dtype.kind == swaps.dtype.kind == "i"
        filled = {int(i): (int(counts[i]), int(swaps[i])) for i in np.flatnonzero(counts)}
        assert filled in ({0: (1, 0), 12: (2, 1)}, {0: (1, 0), 22: (2, 1)})
        seen.add(12 in filled)
    assert seen == {True, False}


def test_the_comparisons_of_a_size() -> None:
    table = np.random.default_rng(0).random((34, 69)) / 10
    rates = swap_rates(table, sizes=[1, 17])
    assert rates.counts.sum(axis=1).tolist() == [127_500] * 2  # 6.2.2: 51 · 50 · 100 / 2
    assert swap_rates(table, trials=1).sizes == tuple(range(1, 18))


def test_the_best_runs_are_compared() -> None:
    # Means .5, .1, .4, .3: of 4 runs, 3 are left. Run 1 would be .2 or more from each of the others.
    table = np.tile([0.5, 0.1, 0.4, 0.3], (2, 1))
    rates = swap_rates(table, trials=10)
    # .1, .1 (bin 12) and .2 (bin 22)
    assert rates.counts[0, [12, 22]].tolist() == [20, 10]
    assert rates.counts.sum() == 30
    assert np.isnan(rates.at(1)[0])
    assert rates.at(1)[[12, 22]].tolist() == [0, 0]


@settings(max_examples=40, deadline=None)
@given(tables(least_rows=2, most_rows=7), st.integers(0, 5), st.integers(1, 5), st.data())
def test_laws_of_swap_rates(table: Floats, seed: int, trials: int, data: st.DataObject) -> None:
    whole = swap_rates(table, trials=trials + 2, fraction=1, seed=seed)
    assert (whole.swaps <= whole.counts).all()
    known = whole.rates[~np.isnan(whole.rates)]
    assert ((known >= 0) & (known <= 1)).all()
    assert (whole.counts.sum(axis=1) == (trials + 2) * math.comb(table.shape[1], 2)).all()
    # two parts of the trials sum to the whole
    parts = swap_rates(table, trials=trials, fraction=1, seed=seed)
    parts += swap_rates(table, trials=2, fraction=1, seed=seed, first_trial=trials)
    # neither the order of the runs nor the direction of the scores matters, nor the other sizes
    order = data.draw(st.permutations(range(table.shape[1])))
    others = [
        parts,
        swap_rates(table[:, order], trials=trials + 2, fraction=1, seed=seed),
        swap_rates(1 - table, trials=trials + 2, fraction=1, seed=seed),
    ]
    for other in others:
        assert other.trials == whole.trials
        assert np.array_equal(other.counts, whole.counts)
        assert np.array_equal(other.swaps, whole.swaps)
    last = whole.sizes[-1]
    alone = swap_rates(table, sizes=[last], trials=trials + 2, fraction=1, seed=seed)
    assert np.array_equal(alone.counts[0], whole.counts[-1])


def test_runs_that_never_change_places_have_no_swaps() -> None:
    table = np.random.default_rng(0).random((8, 1)) + np.arange(5) / 50
    rates = swap_rates(table)
    assert not rates.swaps.any()
    assert not np.nan_to_num(extrapolate(rates, 50)).any()


def rates_of(columns: Mapping[int, list[tuple[int, int]]], sizes: tuple[int, ...]) -> SwapRates:
    """Bin → (swaps, counts) per size; the other bins are empty."""
    counts = np.zeros((len(sizes), BINS), np.int64)
    swaps = np.zeros_like(counts)
    for place, column in columns.items():
        swaps[:, place], counts[:, place] = zip(*column, strict=True)
    return SwapRates(sizes, 1, counts, swaps)


def test_extrapolation_by_hand() -> None:
    rates = rates_of(
        {
            0: [(8, 16), (4, 16), (2, 16)],  # 2⁻ⁿ
            1: [(4, 16), (8, 16), (4, 16)],  # ln: slope 0 through the mean of ln ¼, ln ½, ln ¼
            2: [(4, 16), (0, 16), (1, 16)],  # without the 0: from ¼ at 1 to 1/16 at 3
            3: [(0, 16), (3, 16), (0, 16)],  # one rate
            4: [(0, 16), (0, 16), (0, 16)],
            5: [(1, 16), (2, 16), (4, 16)],  # doubles: 2ⁿ / 32, and no rate is above 1
        },
        (1, 2, 3),
    )
    found = extrapolate(rates, 5)
    # (¼ · ½ · ¼)^⅓ = 32^(−⅓); ¼ · ½⁴ = 1/64
    assert found[:6].tolist() == pytest.approx([1 / 32, 32 ** (-1 / 3), 1 / 64, 3 / 16, 0, 1])
    assert np.isnan(found[6:]).all()
    assert extrapolate(rates, 4)[5] == pytest.approx(0.5)


def test_extrapolation_is_least_squares() -> None:
    rates = swap_rates(np.random.default_rng(5).random((20, 8)), trials=30)
    column = rates.rates[:, -1]
    slope, start = np.polyfit(rates.sizes, np.log(column), 1)
    assert extrapolate(rates, 34)[-1] == pytest.approx(min(1, math.exp(start + 34 * slope)))


def test_difference_needed_by_hand() -> None:
    nan = math.nan
    cases: list[tuple[list[float], float | None]] = [
        ([0.2, 0.1, 0.04, 0.06, 0.05] + [0.0] * 18, 0.02),  # the fourth is above: from the fifth on
        ([0.05] * 23, 0.0),
        ([0.0] * 22 + [0.051], None),
        ([0.3] * 22 + [0.01], 0.2),
        ([nan] * 23, None),
        ([0.3] * 5 + [nan] * 18, None),  # nobody saw larger differences
        ([0.3, nan, 0.01] + [nan] * 20, 0.005),  # and none between
        ([0.3, 0.01, nan, 0.02] + [nan] * 19, 0.0025),
        ([nan, 0.01] + [nan] * 21, 0.0025),
    ]
    for rates, wanted in cases:
        assert difference_needed(rates) == wanted
    assert difference_needed([0.3] * 22 + [0.01], level=0.3) == 0


@given(st.lists(st.sampled_from([0.0, 0.05, 0.06, 0.5, math.nan]), min_size=23, max_size=23))
def test_all_bins_from_the_difference_on_are_safe(rates: list[float]) -> None:
    needed = difference_needed(rates)
    seen = [
        (border, rate) for border, rate in zip(BIN_STARTS, rates, strict=True) if not math.isnan(rate)
    ]
    if needed is None:
        assert not seen or seen[-1][1] > 0.05
        return
    assert all(rate <= 0.05 for border, rate in seen if border >= needed)
    below = [rate for border, rate in seen if border < needed]
    assert not below or below[-1] > 0.05  # it is the smallest


def test_topics_that_are_none() -> None:
    table = np.zeros((4, 4))
    rates = swap_rates(table, trials=1)
    cases: list[tuple[Callable[[], object], str]] = [
        (lambda: swap_rates(np.zeros(4)), "expected topics × runs"),
        (lambda: swap_rates(np.zeros((4, 1))), "at least two runs"),
        (lambda: swap_rates(np.full((4, 4), math.nan)), "not finite"),
        (lambda: swap_rates(np.zeros((1, 4))), "no sizes"),
        (
            lambda: swap_rates(table, sizes=[3]),
            "two disjoint sets of 3 of 4 topics: expected a size from 1 to 2",
        ),
        (lambda: swap_rates(table, sizes=[0]), "two disjoint sets of 0"),
        (lambda: swap_rates(table, trials=0), "0 trials"),
        (lambda: swap_rates(table, fraction=0), "fraction is 0"),
        (lambda: swap_rates(table, fraction=0.25), "0.25 of 4 runs are 1"),
        (lambda: swap_rates(table, seed=-1), "seed of -1"),
        (lambda: rates.at(7), "no swap rates for 7 topics: expected one of 1, 2"),
        (lambda: rates + swap_rates(table, sizes=[1], trials=1), "expected the same sizes"),
        (lambda: extrapolate(rates, 0), "0 topics"),
        (lambda: difference_needed([0.1]), "expected one for each of 23 bins"),
        (lambda: difference_needed([0.1] * 23, level=2), "level is 2"),
    ]
    for call, message in cases:
        with pytest.raises(XcgError, match=message):
            call()
