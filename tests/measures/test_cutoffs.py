"""Cutoffs far beyond the results: memory depends on the results, and values do not change."""

from __future__ import annotations

import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

import xcg
from xcg.errors import XcgError
from xcg.measures import MEASURES, RankingGains, cumulated_gain, manxcg
from xcg.measures.definition import HIGHEST_RANK

VECTOR_MEASURES = [
    "xCG",
    "nxCG",
    "gr",
    "MAxCG",
    "MAnxCG",
    "xDCG",
    "nxDCG",
    "xDCG(discount=plus_one,gain=exp)",
    "MAxDCG",
    "MAnxDCG",
    "NDCNG",
    "avgNDCNG",
    "avgNDCG",
]
ASSESSMENTS = {"1": {"d": 2, "e": 1}, "2": {"d": 1, "f": 3, "g": 1}}
RUNS = {"r": {"1": ["x", "e"], "2": ["f", "d", "x", "y"]}}


def peak_memory(measure: str) -> int:
    tracemalloc.start()
    try:
        xcg.evaluate(ASSESSMENTS, RUNS, measures=measure)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    "measure",
    [
        *VECTOR_MEASURES,
        "nxCG(mean=vectors)",
        "MAnxCG(mean=vectors)",
        *("AP", "P", "R", "RR", "Success", "nDCG", "frustration", "overlap"),
        *("satisfaction", "slidingRatio", "total"),
    ],
)
def test_memory_does_not_depend_on_the_cutoff(measure: str) -> None:
    peak_memory(f"{measure}@10")
    assert peak_memory(f"{measure}@{HIGHEST_RANK}") < 20_000_000  # 8 GB for all ranks


@given(
    st.lists(st.floats(0, 3), max_size=8),
    st.lists(st.floats(0.1, 3), min_size=1, max_size=8),
    st.integers(1, 40),
    st.sampled_from(VECTOR_MEASURES),
)
def test_a_cutoff_beyond_the_stored_ranks_has_the_same_value(
    gains: list[float], ideal: list[float], cutoff: int, name: str
) -> None:
    topic = RankingGains(gains, sorted(ideal, reverse=True), 0)
    measure = MEASURES.parse(f"{name}@{cutoff}")
    if name == "MAnxCG":
        expected = float(manxcg(topic.gains, topic.ideal, cutoff)[-1])
    else:  # all ranks up to the cutoff
        vectors = getattr(measure.definition.compute, "__self__", None)
        by_rank = vectors._by_rank(*vectors.cumulated(topic, cutoff, measure.settings()))
        expected = float(by_rank.mean() if vectors.averaged else by_rank[-1])
    assert measure.compute(topic) == expected  # bit by bit
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cumulated_gain, "MAX_RANKS", 3)
        found = measure.compute(topic)
    averaged = {"MAxCG", "MAnxCG", "MAxDCG", "MAnxDCG", "avgNDCG", "avgNDCNG"}
    if cutoff <= max(3, len(gains), len(ideal)) or measure.definition.name not in averaged:
        assert found == expected  # bit by bit
    assert found == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("measure", ["nxCG(mean=vectors)", "MAnxCG(mean=vectors)"])
def test_mean_vectors_of_stored_ranks_have_the_same_value(
    measure: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = f"{measure}@30"
    expected = xcg.evaluate(ASSESSMENTS, RUNS, measures=name).value("r", name)
    monkeypatch.setattr(cumulated_gain, "MAX_RANKS", 1)
    assert xcg.evaluate(ASSESSMENTS, RUNS, measures=name).value("r", name) == pytest.approx(expected)


def test_means_over_a_range_of_ranks() -> None:
    """nxCG is 1, 2/3, 1 and then 1; xCG 1, 1, 1.5 and then 1.5."""
    topic = RankingGains([1, 0, 0.5], [1, 0.5], 0)
    values = [
        ("MAnxCG(first=2)@3", 5 / 6),
        ("MAnxCG(first=3)@3", 1),
        ("MAnxCG(first=5)@8", 1),
        ("MAxCG(first=2)@5", 5.5 / 4),
        ("MAxCG(first=200000)@1000000", 1.5),
    ]
    for name, value in values:
        assert MEASURES.parse(name).compute(topic) == pytest.approx(value)
    with pytest.raises(XcgError, match="first=4 is after the last rank, 3"):
        MEASURES.parse("MAnxCG(first=4)@3").compute(topic)
    found = xcg.evaluate(
        {"1": {"a": 1}, "2": {"a": 2, "b": 1}},
        {"r": {"1": ["x", "a"], "2": ["b", "a"]}},
        measures="MAnxCG(mean=vectors,first=2)@3 MAnxCG(first=2)@2",
    )
    assert (
        found.value("r", "MAnxCG(mean=vectors,first=2)@3") == 1
    )  # mean vectors 0.5, 2, 2 of 1.5, 2, 2
    assert found.value("r", "MAnxCG(first=2)@2") == 1
