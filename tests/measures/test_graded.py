"""Graded relevance and the measures around it: the papers' worked numbers, at their printed digits."""

from __future__ import annotations

import math
import random
from typing import ClassVar

import numpy as np
import pytest
import reference_lineage as oracle
from conftest import Command
from hypothesis import given
from hypothesis import strategies as st

import xcg
from xcg.errors import XcgError
from xcg.measures import MEASURES, TopicGains
from xcg.measures.graded_precision import average_precision_at, mu_average_precision
from xcg.measures.inex_eval import precall
from xcg.measures.search_length import (
    average_search_length,
    expected_search_length,
    normalised_precision,
    normalised_recall,
    scaled_utility,
)
from xcg.measures.sliding_ratio import half_life, relative_relevance, sliding_ratio
from xcg.statistics.levels import largest_distance, levels_experiment, list_scores

# Järvelin & Kekäläinen 2002, sections 2.1 to 2.3: G' and its ideal vector
G = [3, 2, 3, 0, 0, 1, 2, 2, 3, 0]
IDEAL = [3, 3, 3, 2, 2, 2, 1, 1, 1, 1]
PRINTED = {
    "xCG": [3, 5, 8, 8, 8, 9, 11, 13, 16, 16],
    "xDCG": [3, 5, 6.89, 6.89, 6.89, 7.28, 7.99, 8.66, 9.61, 9.61],
    "nxCG": [1, 0.83, 0.89, 0.73, 0.62, 0.6, 0.69, 0.76, 0.89, 0.84],
    "nxDCG(base=2)": [1, 0.8333, 0.8733, 0.7751, 0.7067, 0.6915, 0.7343, 0.7719, 0.8328, 0.8117],
}
IDEAL_PRINTED = {
    "xCG": [3, 6, 9, 11, 13, 15, 16, 17, 18, 19],
    # the paper cuts two of these to 10.52 and 11.21
    "xDCG": [3, 6, 7.89, 8.89, 9.75, 10.53, 10.88, 11.22, 11.53, 11.83],
}


def value(measure: str, gains: object = G, ideal: object = IDEAL) -> float | None:
    return MEASURES.parse(measure).compute(TopicGains(gains, ideal, 0))  # type: ignore[arg-type]


@pytest.mark.parametrize("measure", PRINTED)
def test_the_vectors_of_the_paper(measure: str) -> None:
    digits = 4 if "nxDCG" in measure else 2
    found = [value(f"{measure}@{rank}") for rank in range(1, 11)]
    assert [round(v, digits) for v in found if v is not None] == PRINTED[measure]
    _, curve = MEASURES.parse(f"{measure}@1").curve(TopicGains(G, IDEAL, 0), 10)
    assert list(curve) == pytest.approx(found)


@pytest.mark.parametrize("measure", IDEAL_PRINTED)
def test_the_ideal_vectors_of_the_paper(measure: str) -> None:
    found = [value(f"{measure}@{rank}", IDEAL) for rank in range(1, 11)]
    assert [round(v, 2) for v in found if v is not None] == IDEAL_PRINTED[measure]


def test_averages_up_to_a_rank() -> None:
    assert value("MAnxCG@10") == pytest.approx(0.784808, abs=5e-7)
    assert value("MAnxDCG(base=2)@10") == pytest.approx(0.803055, abs=5e-7)
    assert value("MAxCG@2") == (3 + 5) / 2


def test_bases_and_the_whole_list() -> None:
    # base 10: nothing is discounted below rank 10, and log10 10 = 1
    assert value("xDCG(base=10)@10") == sum(G)
    assert value("xDCG(base=3)@4") == pytest.approx(3 + 2 + 3 + 0)
    assert value("xDCG(base=3)@7") == pytest.approx(8 + 1 / math.log(6, 3) + 2 / math.log(7, 3))
    assert value("xDCG(base=10)") == sum(G)
    assert value("nxDCG(base=20)") == pytest.approx(16 / 19)
    assert value("xCG@50") == 16
    assert value("nxCG@12", G, [*IDEAL, 1, 1]) == pytest.approx(16 / 21)
    assert value("nxDCG(discount=plus_one)@2") == pytest.approx(
        (3 + 2 / math.log2(3)) / (3 + 3 / math.log2(3))
    )


def test_normalised_mean_vectors_are_no_mean_of_normalised_vectors() -> None:
    """JK section 2.3: norm-vect of avg-vect beside the mean over topics."""
    qrels = {"1": {"a": 1}, "2": {f"d{i}": 1 for i in range(4)}}
    runs = {"r": {"1": ["a"], "2": ["x", "y"]}}
    measures = "nxCG@2 nxCG(mean=vectors)@2 MAnxCG(mean=vectors)@2"
    results = xcg.evaluate(qrels, runs, None, None, measures)
    # topic 1: 1 of 1, topic 2: 0 of 2; mean vectors (.5, .5) and (1, 1.5)
    assert results.value("r", "nxCG@2") == 0.5
    assert results.value("r", "nxCG(mean=vectors)@2") == pytest.approx(0.5 / 1.5)
    assert results.value("r", "MAnxCG(mean=vectors)@2") == pytest.approx((0.5 + 0.5 / 1.5) / 2)


# Scheel, Lommatzsch & Albayrak 2011, Tables 1 and 2
REL = [1, 0, 3, 3, 2, 0, 1, 4]
REL_IDEAL = [4, 3, 3, 2, 1, 1, 0, 0]


@pytest.mark.parametrize(("threshold", "ap"), [(5, 0), (4, 0.125), (3, 0.403), (2, 0.483), (1, 0.780)])
def test_table_1(threshold: int, ap: float) -> None:
    assert value(f"xAP(threshold={threshold})", REL, REL_IDEAL) == pytest.approx(ap, abs=5e-4)
    assert average_precision_at(REL, REL_IDEAL, 0) == 1  # all documents are relevant


def test_mu_ap() -> None:
    assert value("muAP", REL, REL_IDEAL) == pytest.approx(0.44782, abs=5e-6)
    assert value("μAP", [0.3, 1, 0], [1, 0.3]) == pytest.approx(0.65)
    assert average_precision_at([0.3, 1, 0], [1, 0.3], 0.3) == 1
    assert average_precision_at([0.3, 1, 0], [1, 0.3], 1) == 0.5


def test_table_2() -> None:
    dcg = [value(f"xDCG(base=10,discount=plus_one,gain=exp)@{n}", REL, REL_IDEAL) for n in range(1, 9)]
    assert [round(v, 2) for v in dcg if v is not None] == [
        3.32, 3.32, 14.95, 24.96, 28.82, 28.82, 29.93, 45.65,
    ]  # fmt: skip
    measure = "nxDCG(base=10,discount=plus_one,gain=exp)"
    found = [value(f"{measure}@{n}", REL, REL_IDEAL) for n in range(1, 9)]
    assert [round(v, 2) for v in found if v is not None] == [
        0.07, 0.05, 0.2, 0.31, 0.35, 0.35, 0.36, 0.55,
    ]  # fmt: skip
    assert value(f"MA{measure}@8", REL, REL_IDEAL) == pytest.approx(0.28, abs=0.005)
    doubled, best = [2 * g for g in REL], [2 * g for g in REL_IDEAL]
    assert value(f"MA{measure}@8", doubled, best) == pytest.approx(0.17, abs=0.005)
    for gains, ideal in ((REL, REL_IDEAL), (doubled, best)):
        found = [value(f"NDCNG@{n}", gains, ideal) for n in range(1, 9)]
        assert [round(v, 2) for v in found if v is not None] == [
            0.19, 0.13, 0.3, 0.42, 0.49, 0.47, 0.5, 0.65,
        ]  # fmt: skip
        assert value("avgNDCNG@8", gains, ideal) == pytest.approx(0.39, abs=0.005)
        assert value("NDCNG(base=10)@5", gains, ideal) == pytest.approx(found[4])


GAINS = st.lists(st.sampled_from([0, 0, 1, 2, 3]), max_size=12)


@given(GAINS, GAINS.filter(any))
def test_agrees_with_the_literal_transcription(gains: list[int], judged: list[int]) -> None:
    ideal = sorted((g for g in judged if g), reverse=True)
    totals = {t: sum(g >= t for g in ideal) for t in set(ideal)}
    assert value("muAP", gains, ideal) == pytest.approx(oracle.mu_ap(gains, list(totals), totals))
    for t in (1, 2, 3):
        expected = oracle.ap_at(gains, t, sum(g >= t for g in ideal))
        assert value(f"xAP(threshold={t})", gains, ideal) == pytest.approx(expected)
    exp = "nxDCG(discount=plus_one,gain=exp)@5"
    assert value(exp, gains, ideal) == pytest.approx(oracle.ndcg_exp(gains, ideal, 5, 2))
    assert value("NDCNG@5", gains, ideal) == pytest.approx(oracle.ndcng(gains, ideal, 5, 2))
    for k in range(1, len(gains) + 1):
        assert sliding_ratio(gains)[k - 1] == pytest.approx(oracle.sliding_ratio(gains, k))
    if any(gains):
        assert half_life(gains) == pytest.approx(oracle.half_life(gains))


class TestWhatJkCompareWith:
    RANKS = (1, 2, 4, 6, 13)

    def test_search_lengths(self) -> None:
        assert average_search_length(self.RANKS) == 5.2
        assert average_search_length([]) is None
        # three before, then a tie of five with two relevant, one wanted
        assert expected_search_length([(0, 1), (0, 2), (2, 3)], 1) == 3 + 3 * 1 / 3
        assert expected_search_length([(1, 0)], 2) is None

    def test_rocchio(self) -> None:
        assert normalised_recall(self.RANKS, 200) == pytest.approx(0.98872, abs=5e-6)
        assert normalised_precision(self.RANKS, 200) == pytest.approx(0.92386, abs=5e-6)
        assert normalised_recall([1, 2, 3], 9) == normalised_precision([1, 2, 3], 9) == 1
        assert normalised_recall([7, 8, 9], 9) == pytest.approx(0)
        assert normalised_precision([7, 8, 9], 9) == pytest.approx(0)

    def test_sliding_ratio(self) -> None:
        expected = [1, 0.833, 0.889, 0.727, 0.615, 0.6, 0.6875, 0.8125, 1, 1]
        assert sliding_ratio(G).tolist() == pytest.approx(expected, abs=5e-4)
        assert value("slidingRatio@4") == value("satisfaction@4") == pytest.approx(8 / 11)

    def test_satisfaction_frustration_and_total(self) -> None:
        # without gain: ranks 4, 5 and 10, so 1 of the 3 possible by rank 4
        assert value("frustration@4") == pytest.approx(1 / 3)
        assert value("total@4") == pytest.approx((8 / 11 + 2 / 3) / 2)
        assert value("total(weight=1)@4") == pytest.approx(8 / 11)

    def test_half_life_and_relative_relevance(self) -> None:
        assert half_life(G) == 3.0
        assert half_life([1, 0.5, 0, 1, 0.5]) == 2.0
        assert half_life([0, 0]) is None
        assert relative_relevance([1] * 5, [1, 0.5, 0, 1, 0]) == pytest.approx(0.745356, abs=5e-7)

    def test_scaled_utility(self) -> None:
        assert scaled_utility(3, 2, 5) == pytest.approx(0.84615, abs=5e-6)
        assert scaled_utility(0, 100, 5) == 0
        assert scaled_utility(5, 0, 5) == 1

    def test_as_measures(self) -> None:
        """Relevant at ranks 1 and 4 of 4, the last two tied; one relevant document is missed."""
        qrels = {"1": {"a": 1, "b": 1, "c": 1}, "2": {"a": 1}}
        runs = {"r": {"1": {"a": 4.0, "x": 3.0, "z": 2.0, "b": 2.0}, "2": {"x": 1.0}}}
        names = "ASL ESL ESL(wanted=2) normRecall(N=10) scaledUtility halfLife relativeRelevance@2"
        results = xcg.evaluate(qrels, runs, None, None, names)
        figures = {row.measure: row.value for row in results if row.topic == "1"}
        assert figures["ASL"] == (1 + 3.5) / 2
        assert figures["ESL"] == 0
        # x, and half a chance of z: 1 + 1 · 1 / 2
        assert figures["ESL(wanted=2)"] == 1.5
        # ranks 1, 3 or 4 as z ties after b by name; z, b: descending id puts z first, so b is fourth
        assert figures["normRecall(N=10)"] == pytest.approx(1 - (1 + 4 + 10 - 6) / (3 * 7))
        assert figures["scaledUtility"] == pytest.approx((3 * 2 - 2 * 2 + 50) / (9 + 50))
        assert figures["halfLife"] == 1
        assert figures["relativeRelevance@2"] == pytest.approx(4 / 5)
        # topic 2 has no relevant result: no ASL, ESL or half-life, so their means are those of topic 1
        assert results.value("r", "ASL") == figures["ASL"]
        assert results.value("r", "scaledUtility") == pytest.approx(
            (figures["scaledUtility"] + (-2 + 50) / (3 + 50)) / 2
        )

    def test_generalised_precision_and_recall(self) -> None:
        assert value("gPrecision@3", [1, 0.5, 0], [1, 0.5, 0.5]) == 0.5
        assert value("gRecall@2", [1, 0.5, 0], [1, 0.5, 0.5]) == 0.75
        with pytest.raises(XcgError, match="gRecall needs gains from 0 to 1, and the highest is 3"):
            value("gRecall@2")

    @pytest.mark.parametrize(
        ("measure", "message"),
        [
            ("normRecall", "needs the number of documents: normRecall(N=12107)"),
            ("normRecall(N=2)", "N is 2, but there are more results and relevant documents"),
            ("relativeRelevance", "needs the system's scores"),
            ("ESL(wanted=0)", "illegal wanted '0': expected a whole number from 1"),
            ("ESL(wanted=1.5)", "expected a whole number from 1"),
            ("xDCG(base=1)@3", "illegal base '1': expected a number above 1"),
            ("xDCG(base=x)@3", "illegal base 'x': expected a number above 1"),
            ("total(weight=2)@3", "expected a number from 0 to 1"),
            ("xDCG(gain=exp)@3", "2 to the power of these gains is too large"),
            ("MAxCG", "MAxCG lacks its cutoff"),
        ],
    )
    def test_what_they_cannot_do(self, measure: str, message: str) -> None:
        model = {"name": "m", "quantisation": {"gains": {1: 5000.0}}}
        with pytest.raises(XcgError) as raised:
            xcg.evaluate({"1": {"a": 1}}, {"r": {"1": ["x", "a", "b"]}}, None, model, measure)
        assert message in str(raised.value)


class TestInexEval:
    """KL equation 17, with the worked numbers of the definition."""

    @pytest.mark.parametrize(
        ("ranks", "total", "recall", "expected"),
        [
            ([[1], [0], [1]], 2, 0.5, 1),
            ([[1], [0], [1]], 2, 1, 2 / 3),
            ([[0.75], [0.5], [0], [1]], 2.25, 0.5, 0.75),
            ([[0.75], [0.5], [0], [1]], 2.25, 1, 0.5625),
            ([[1, 0]], 1, 1, 2 / 3),
            ([[1], [0]], 2, 1, 0),
        ],
    )
    def test_points(
        self, ranks: list[list[float]], total: float, recall: float, expected: float
    ) -> None:
        assert precall(ranks, total, recall) == pytest.approx(expected)

    @given(st.lists(st.lists(st.sampled_from([0, 0.25, 0.5, 1]), min_size=1, max_size=3), max_size=6))
    def test_agrees_with_the_literal_transcription(self, ranks: list[list[float]]) -> None:
        total = sum(map(sum, ranks)) + 0.5
        for recall in (0.25, 0.5, 1):
            assert precall(ranks, total, recall) == pytest.approx(
                oracle.precall(ranks, None, total, recall)
            )

    def test_in_an_evaluation_overlap_is_ignored_and_ties_are_one_rank(self) -> None:
        base = {"1": {"d": {"/a": (3, 1), "/a/s[1]": (3, 3)}}}  # sog .25 and 1
        runs = {
            "strict": {"1": ["d#/a/s[1]", "d#/a"]},
            "tied": {"1": {"d#/a/s[1]": 2.0, "e#/x": 2.0}},
            "none": {"1": ["e#/x"]},
        }
        found = xcg.evaluate(base, runs, None, None, "inexEval@0.8 inexEval@1 inexEval")
        assert found.value("strict", "inexEval@0.8") == pytest.approx(1)
        # n = 1.25; on the second rank lie .25 and .75: 1.25 / (1.25 + 0 + .25 · .75 / 1.25)
        assert found.value("strict", "inexEval@1") == pytest.approx(1.25 / (1.25 + 0.15))
        # one rank with 1 and 0: 1 / (1 + 1 · 1 / 2)
        assert found.value("tied", "inexEval@0.8") == pytest.approx(2 / 3)
        assert found.value("tied", "inexEval@1") == found.value("none", "inexEval") == 0
        points = [precall([[1.0], [0.25]], 1.25, x / 100) for x in range(1, 101)]
        assert found.value("strict", "inexEval") == pytest.approx(sum(points) / 100)
        assert found.value("strict", "inexEval") == pytest.approx(
            oracle.precall_mean([[1.0], [0.25]], 1.25)
        )

    def test_overlap_of_a_run(self) -> None:
        base = {"1": {"d": {"/a": (3, 3)}}, "2": {"d": {"/a": (3, 3)}}}
        runs = {"r": {"1": ["d#/a/s[1]/p[1]", "d#/a/s[1]", "d#/a/s[2]", "e#/a"]}}
        found = xcg.evaluate(base, runs, None, None, "overlap overlap@1")
        assert found.value("r", "overlap") == 0.5  # topic 2 has no results, so it has no overlap
        assert found.value("r", "overlap@1") == 0
        whole = {"r": {"1": ["d", "d#/a/s[1]", "e"]}}
        assert xcg.evaluate(base, whole, None, None, "overlap").value("r", "overlap") == pytest.approx(
            2 / 3
        )


class TestInexEvalNg:
    # a has 20 characters, s[1] 10 of them, s[1]/p[1] 4 of these
    DOCUMENT = "<a><s><p>1234</p>567890</s><s>1234567890</s></a>"
    BASE: ClassVar = {"1": {"d": {"/a": (3, 1), "/a/s[1]": (2, 3), "/a/s[1]/p[1]": (1, 3)}}}
    RUN: ClassVar = {"r": {"1": ["d#/a/s[1]/p[1]", "d#/a/s[1]", "d#/a/s[2]"]}}

    def figure(self, measure: str) -> float:
        return xcg.evaluate(self.BASE, self.RUN, {"d": self.DOCUMENT}, None, measure).value(
            "r", measure
        )

    def test_worked_by_hand(self) -> None:
        total = (3 + 2 + 1) / 3
        assert self.figure("ngRecall@2") == pytest.approx((1 / 3 + 2 / 3 * 6 / 10) / total)
        assert self.figure("ngRecall(overlap=ignored)@2") == pytest.approx((1 / 3 + 2 / 3) / total)
        assert self.figure("ngPrecision@2") == 1
        assert self.figure("ngPrecision") == pytest.approx((4 + 6) / 20)
        assert self.figure("ngPrecision(overlap=ignored)") == pytest.approx(14 / 24)

    def test_agrees_with_the_literal_transcription(self) -> None:
        generator = random.Random(3)
        spans = {"/a": (0, 20), "/a/s[1]": (0, 10), "/a/s[1]/p[1]": (0, 4), "/a/s[2]": (10, 20)}
        grades = {path: (e / 3, s / 3) for path, (e, s) in self.BASE["1"]["d"].items()}
        for _ in range(30):
            ranking = [generator.choice(list(spans)) for _ in range(generator.randint(1, 6))]
            run = {"r": {"1": [f"d#{path}" for path in ranking]}}
            results = [("d", *spans[path], *grades.get(path, (0, 0))) for path in ranking]
            for considered in (True, False):
                option = "considered" if considered else "ignored"
                for k in (1, 3):
                    names = [f"ngRecall(overlap={option})@{k}", f"ngPrecision(overlap={option})@{k}"]
                    found = xcg.evaluate(self.BASE, run, {"d": self.DOCUMENT}, None, names)
                    recall, precision = (row.value for row in found.means())
                    assert recall == pytest.approx(oracle.ng_recall(results, 2, k, considered))
                    assert precision == pytest.approx(oracle.ng_precision(results, k, considered))

    def test_needs(self) -> None:
        with pytest.raises(XcgError, match="ngRecall@1: needs the documents: expected a corpus"):
            xcg.evaluate(self.BASE, self.RUN, None, None, "ngRecall@1")
        flat = {"1": {"d": 1}}
        with pytest.raises(XcgError, match="needs exhaustivity and specificity, and here is level 1"):
            xcg.evaluate(flat, self.RUN, {"d": self.DOCUMENT}, None, "ngRecall@1")


class TestLevels:
    def test_the_fast_scores_are_those_of_the_measures(self) -> None:
        generator = np.random.default_rng(1)
        for _ in range(20):
            ideal = np.sort(generator.integers(0, 8, 100))[::-1].astype(float)
            ranking = generator.permutation(ideal)
            expected = [
                mu_average_precision(ranking, ideal),
                value("nxDCG(discount=plus_one,gain=exp)", ranking, ideal),
                value("NDCNG", ranking, ideal),
            ]
            assert list(list_scores(ranking, ideal)) == pytest.approx(expected)

    @pytest.mark.parametrize("uniform", [True, False])
    def test_only_ndcg_depends_on_the_number_of_levels(self, uniform: bool) -> None:
        curves = levels_experiment(uniform, swaps=40, repetitions=12)
        assert len(curves) == 12
        assert all(curve.values[0] == pytest.approx(1) for curve in curves)
        others = max(largest_distance(curves, name) for name in ("muMAP", "NDCNG"))
        assert largest_distance(curves, "NDCG") > 2 * others

    def test_the_command(self, xcg_command: Command, tmp_path: object) -> None:
        plot = f"{tmp_path}/levels.svg"
        call = ("levels", "--swaps", "6", "--repetitions", "3", "--format", "jsonl", "--plot", plot)
        done = xcg_command(*call)
        assert done.returncode == 0, done.stderr
        assert len(done.stdout.splitlines()) == 6
        assert xcg_command(*call).stdout == done.stdout
