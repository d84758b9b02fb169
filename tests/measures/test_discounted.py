"""Cumulated and discounted gain: the numbers printed in the papers."""

from __future__ import annotations

import math

import pytest
import reference_lineage as oracle
from hypothesis import given
from measure_values import GAINS, IDEAL, REL, REL_IDEAL, G, value

import xcg
from xcg.errors import XcgError
from xcg.measures import MEASURES, RankingGains

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


@pytest.mark.parametrize("measure", PRINTED)
def test_vectors_of_a_run_are_those_printed_by_jarvelin_and_kekalainen(measure: str) -> None:
    digits = 4 if "nxDCG" in measure else 2
    found = [value(f"{measure}@{rank}") for rank in range(1, 11)]
    assert [round(v, digits) for v in found if v is not None] == PRINTED[measure]
    _, curve = MEASURES.parse(f"{measure}@1").curve(RankingGains(G, IDEAL, 0), 10)
    assert list(curve) == pytest.approx(found)


@pytest.mark.parametrize("measure", IDEAL_PRINTED)
def test_vectors_of_the_ideal_are_those_printed_by_jarvelin_and_kekalainen(measure: str) -> None:
    found = [value(f"{measure}@{rank}", IDEAL) for rank in range(1, 11)]
    assert [round(v, 2) for v in found if v is not None] == IDEAL_PRINTED[measure]


def test_means_up_to_a_rank_are_those_of_the_paper() -> None:
    assert value("MAnxCG@10") == pytest.approx(0.784808, abs=5e-7)
    assert value("MAnxDCG(base=2)@10") == pytest.approx(0.803055, abs=5e-7)
    assert value("MAxCG@2") == (3 + 5) / 2


def test_base_of_the_logarithm_and_depth() -> None:
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


def test_a_base_below_2_discounts_from_rank_2() -> None:
    # log1.5 2 = 1.709511, log1.5 3 = 2.709511: 3 + 2 / 1.709511 + 3 / 2.709511
    assert value("xDCG(base=1.5)@3") == pytest.approx(5.277136, abs=5e-7)
    assert value("xDCG(base=1.5)@1") == 3  # rank 1 is below the base


def test_discount_by_rank() -> None:
    """Järvelin and Kekäläinen 2002, section 4: df = i."""
    # 3/1 + 2/2 + 3/3 + 1/6 + 2/7 + 2/8 + 3/9 in units of 1/84: 252 + 84 + 84 + 14 + 24 + 21 + 28
    assert value("xDCG(discount=rank)@10") == pytest.approx(507 / 84)
    assert [value(f"xDCG(discount=rank)@{rank}") for rank in (1, 2, 3, 5)] == [3, 4, 5, 5]
    # the ideal: 3/1 + 3/2 + 3/3 = 5.5
    assert value("nxDCG(discount=rank)@3") == pytest.approx(5 / 5.5)
    # (3 + 4 + 5) / 3, and (1 + 4/4.5 + 5/5.5) / 3
    assert value("MAxDCG(discount=rank)@3") == pytest.approx(4)
    assert value("MAnxDCG(discount=rank)@3") == pytest.approx((1 + 8 / 9 + 10 / 11) / 3)
    assert value("xDCG(discount=rank,base=10)@10") == value("xDCG(discount=rank)@10")
    assert value("xDCG(discount=rank,gain=exp)@2") == 7 + 3 / 2


def test_mean_of_vectors_is_taken_before_normalisation() -> None:
    """Järvelin and Kekäläinen 2002, section 2.3: norm-vect of avg-vect."""
    qrels = {"1": {"a": 1}, "2": {f"d{i}": 1 for i in range(4)}}
    runs = {"r": {"1": ["a"], "2": ["x", "y"]}}
    measures = "nxCG@2 nxCG(mean=vectors)@2 MAnxCG(mean=vectors)@2"
    results = xcg.evaluate(qrels, runs, None, None, measures)
    # topic 1: 1 of 1, topic 2: 0 of 2; mean vectors (.5, .5) and (1, 1.5)
    assert results.value("r", "nxCG@2") == 0.5
    assert results.value("r", "nxCG(mean=vectors)@2") == pytest.approx(0.5 / 1.5)
    assert results.value("r", "MAnxCG(mean=vectors)@2") == pytest.approx((0.5 + 0.5 / 1.5) / 2)


def test_table_2_of_scheel_et_al() -> None:
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
    assert value("avgNDCG@8", REL, REL_IDEAL) == value(f"MA{measure}@8", REL, REL_IDEAL)
    assert value("meanNDCG@8", REL, REL_IDEAL) == pytest.approx(0.28, abs=0.005)
    doubled, best = [2 * g for g in REL], [2 * g for g in REL_IDEAL]
    assert value(f"MA{measure}@8", doubled, best) == pytest.approx(0.17, abs=0.005)
    assert value("avgNDCG(base=10)@8", doubled, best) == pytest.approx(0.17, abs=0.005)
    for gains, ideal in ((REL, REL_IDEAL), (doubled, best)):
        found = [value(f"NDCNG@{n}", gains, ideal) for n in range(1, 9)]
        assert [round(v, 2) for v in found if v is not None] == [
            0.19, 0.13, 0.3, 0.42, 0.49, 0.47, 0.5, 0.65,
        ]  # fmt: skip
        assert value("avgNDCNG@8", gains, ideal) == pytest.approx(0.39, abs=0.005)
        assert value("meanNDCNG@8", gains, ideal) == value("avgNDCNG@8", gains, ideal)
        assert value("NDCNG(base=10)@5", gains, ideal) == pytest.approx(found[4])


def test_without_relevant_documents_normalised_gains_are_0() -> None:
    """Scheel et al. 2011, equation 5: ngain is 0 if the highest gain is 0."""
    for ideal in ([], [0.0], [0.0, 0.0]):
        for measure in ("NDCNG", "NDCNG@2", "avgNDCNG@5"):
            assert value(measure, [], ideal) == 0
            assert value(measure, [0, 2, 1], ideal) == 0


def test_a_topic_without_relevant_documents_is_left_out_of_the_mean_of_ndcng() -> None:
    qrels = {"1": {"a": 4, "b": 2}, "2": {"a": 0}}
    found = xcg.evaluate(qrels, {"r": {"1": ["b", "a"], "2": ["a"]}}, measures="NDCNG@1 meanNDCG@1")
    # 2^(2 / 4) - 1 of 2^1 - 1, and 2^2 - 1 of 2^4 - 1
    assert found.value("r", "NDCNG@1") == pytest.approx(math.sqrt(2) - 1)
    assert found.value("r", "avgNDCG@1") == pytest.approx(3 / 15)


@given(GAINS, GAINS.filter(any))
def test_discounted_gain_agrees_with_the_transcription_of_the_formulas(
    gains: list[int], judged: list[int]
) -> None:
    ideal = sorted((g for g in judged if g), reverse=True)
    exp = "nxDCG(discount=plus_one,gain=exp)@5"
    assert value(exp, gains, ideal) == pytest.approx(oracle.ndcg_exp(gains, ideal, 5, 2))
    assert value("NDCNG@5", gains, ideal) == pytest.approx(oracle.ndcng(gains, ideal, 5, 2))


@pytest.mark.parametrize(
    ("measure", "message"),
    [
        ("xDCG(base=1)@3", "illegal base '1': expected a number above 1"),
        ("xDCG(gain=exp)@3", "2 to the power of these gains is too large"),
        ("xDCG(discount=ranks)@3", "xDCG: illegal discount 'ranks': did you mean 'rank'?"),
        ("avgNDCG", "avgNDCG lacks its cutoff: expected a rank from 1, like avgNDCG@10"),
    ],
)
def test_illegal_parameters_and_too_large_gains(measure: str, message: str) -> None:
    with pytest.raises(XcgError) as raised:
        value(measure, [5000.0], [5000.0])
    assert message in str(raised.value)
