"""Standard measures: agreement with trec_eval and ir_measures, and worked numbers."""

from __future__ import annotations

import random

import ir_measures
import pytest
import pytrec_eval
from hypothesis import assume, given
from hypothesis import strategies as st

import xcg
from xcg.documents.paths import split_element_id
from xcg.judgements.assessment import level_assessment
from xcg.judgements.recall_base import RecallBase
from xcg.measures import MEASURES


def graded_campaign(seed: int) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]:
    """Random qrels and a run with ties, unjudged documents, negative levels, an empty topic."""
    generator = random.Random(seed)
    documents = [f"d{number}" for number in range(40)]
    qrels: dict[str, dict[str, int]] = {}
    run: dict[str, dict[str, float]] = {}
    for topic in range(12):
        judged = generator.sample(documents, 15)
        qrels[str(topic)] = {d: generator.choice([-1, 0, 0, 0, 1, 2, 3]) for d in judged}
        qrels[str(topic)][judged[0]] = 1
        if topic:
            answered = generator.sample(documents, 25)
            run[str(topic)] = {d: generator.choice([0.5, 1.0, 1.0, 1.25, 7.0]) for d in answered}
    return qrels, run


@pytest.mark.parametrize("seed", range(5))
def test_measures_on_gains_agree_with_trec_eval_on_flat_rankings(seed: int) -> None:
    """Order, ties, unjudged documents and empty topics: AP, nDCG, P and recall, per topic and mean."""
    qrels, run = graded_campaign(seed)
    names = {"map", "ndcg_cut", "ndcg", "P", "recall", "set_relative_P", "Rprec"}
    theirs = pytrec_eval.RelevanceEvaluator(qrels, names).evaluate(run)
    binary = {"name": "binary", "quantisation": {"gains": {1: 1, 2: 1, 3: 1}}}
    linear = "nxDCG(discount=plus_one)"
    depths = (1, 5, 10, 20)
    levels = xcg.evaluate(
        qrels,
        {"r": run},
        None,
        None,
        [linear, *(f"{linear}@{k}" for k in (5, 10, 20)), "xAP(threshold=1)"],
        ties="document",
    )
    generalised = [f"{m}@{k}" for k in depths for m in ("gPrecision", "gRecall")]
    flat = xcg.evaluate(qrels, {"r": run}, None, binary, generalised, ties="document")
    for topic in qrels:
        expected = theirs.get(topic)
        for name, measure in (
            ("map", "xAP(threshold=1)"),
            ("ndcg", linear),
            *((f"ndcg_cut_{k}", f"{linear}@{k}") for k in (5, 10, 20)),
        ):
            value = expected[name] if expected else 0.0
            assert levels.value("r", measure, topic) == pytest.approx(value, abs=1e-6)
        for k in (5, 10, 20):
            value = expected[f"P_{k}"] if expected else 0.0
            assert flat.value("r", f"gPrecision@{k}", topic) == pytest.approx(value, abs=1e-6)
            value = expected[f"recall_{k}"] if expected else 0.0
            assert flat.value("r", f"gRecall@{k}", topic) == pytest.approx(value, abs=1e-6)


@pytest.mark.parametrize("seed", range(3))
def test_parameters_of_ir_measures(seed: int) -> None:
    names = ["nDCG@10", "SetP", "AP", "nDCG(dcg='exp-log2')@5", "P(judged_only=True)@5", "SetF"]
    qrels, run = graded_campaign(seed)
    found = xcg.evaluate(qrels, {"r": run}, None, None, names, ties="document")
    wanted = [ir_measures.parse_measure(name) for name in names]
    theirs = ir_measures.calc_aggregate(wanted, qrels, run)
    for name, measure in zip(names, wanted, strict=True):
        assert found.value("r", name) == pytest.approx(theirs[measure], abs=1e-5)
    each = {(m.query_id, str(m.measure)): m.value for m in ir_measures.iter_calc(wanted, qrels, run)}
    for topic in qrels:
        for name, measure in zip(names, map(str, wanted), strict=True):
            value = each.get((topic, measure), 0.0)
            assert found.value("r", name, topic) == pytest.approx(value, abs=1e-5)


STANDARD = """P@1 P@3 P(rel=2)@5 P@20 R@1 R@4 R(rel=2)@20 AP AP(rel=2) AP@3 AP(rel=3)@4 nDCG nDCG@1
nDCG@3 nDCG@20 RR RR(rel=2) RR@2 RR(rel=2)@5 Rprec Rprec(rel=2) Success@1 Success(rel=2)@4 Bpref
Bpref(rel=2)"""
_DOCUMENTS = [*(f"d{n}" for n in range(7)), "d1#/a[1]", "d1#/a[1]/s[2]", "d2#/a[1]"]
_QRELS = st.dictionaries(
    st.sampled_from("123"),
    st.tuples(st.dictionaries(st.sampled_from(_DOCUMENTS), st.integers(-2, 3)), st.integers(0, 2)).map(
        lambda pair: {**pair[0], "e": pair[1]}
    ),  # trec_eval breaks on a topic with negative levels alone
    min_size=1,
)
_RANKED = st.dictionaries(
    st.sampled_from([*_DOCUMENTS, "e", "x", "y#/a[1]"]), st.sampled_from([0.5, 1.0, 1.0 + 2**-20, 7.0])
)


@given(_QRELS, st.dictionaries(st.sampled_from("1234"), _RANKED, min_size=1))
def test_standard_measures_agree_with_trec_eval(
    qrels: dict[str, dict[str, int]], run: dict[str, dict[str, float]]
) -> None:
    """Ties, unjudged documents, negative levels, unanswered topics.

    The scores are exact in single precision, in which pytrec_eval compares them.
    """
    assume(any(run.get(topic) for topic in qrels))  # without a result for an assessed topic: an error
    found = xcg.evaluate(_judged(qrels), {"r": run}, None, None, STANDARD, ties="document")
    # RR with a cutoff is MS MARCO's there, which orders ties otherwise: xcg's order for all of them
    ordered = {
        topic: {
            document: -rank
            for rank, document in enumerate(sorted(scored, key=lambda d: (scored[d], d), reverse=True))
        }
        for topic, scored in run.items()
    }
    for measure in map(ir_measures.parse_measure, STANDARD.split()):
        name = str(measure)
        scores = ordered if name.startswith("RR") and "@" in name else run
        each = {m.query_id: m.value for m in ir_measures.iter_calc([measure], qrels, scores)}
        for topic in qrels:
            value = each.get(topic, 0.0)
            assert found.value("r", name, topic) == pytest.approx(value, abs=1e-12), name
        mean = sum(each.get(topic, 0.0) for topic in qrels) / len(qrels)
        assert found.value("r", name) == pytest.approx(mean, abs=1e-12)


def _judged(qrels: dict[str, dict[str, int]]) -> RecallBase:
    """Return the recall-base of documents and elements ``file#/path``."""
    base = RecallBase()
    for topic, levels in qrels.items():
        base.add_topic(topic, "here")
        for document, level in levels.items():
            base.add(topic, *split_element_id(document), level_assessment(level), "here")
    return base


def test_names_and_aliases_of_standard_measures() -> None:
    for written, printed in (
        ("MAP(rel=1)@3", "AP@3"),
        ("Recall(rel=2)@5", "R(rel=2)@5"),
        ("P (rel = 2)@ 5", "P(rel=2)@5"),
        ("AP(rel=1,judged_only=False)", "AP"),
        ("NDCG", "nDCG"),
        ("MRR", "RR"),
        ("NumRelRet", "NumRet(rel=1)"),
        ("NumRelRet(rel=2)", "NumRet(rel=2)"),
        ("NumRel(rel=1)", "NumRel"),
    ):
        measure = MEASURES.parse(written)
        assert str(measure) == printed
        assert MEASURES.parse(printed) == measure
    assert MEASURES.parse("R").definition.needs == "gains"


def test_one_evaluation_of_measures_on_gains_and_on_levels() -> None:
    qrels, run = graded_campaign(1)
    found = xcg.evaluate(qrels, {"r": run, "s": {}}, None, None, "MAep nDCG@10 nxCG@10 AP")
    assert found.measures == ["MAep", "nDCG@10", "nxCG@10", "AP"]
    assert found.value("s", "nDCG@10") == found.value("s", "nxCG@10") == 0
    skipped = xcg.evaluate(qrels, {"r": run}, None, None, "AP", topics={"unanswered": "skip"})
    assert len(skipped) == 12  # eleven topics and their mean
    with_means = xcg.evaluate(qrels, {"r": run}, None, None, "AP")
    assert skipped.value("r", "AP") == pytest.approx(with_means.value("r", "AP") * 12 / 11)


COUNTS = {"NumQ": (1, 1, 1), "NumRet": (3, 0, 2), "NumRel": (2, 1, 0), "NumRet(rel=1)": (2, 0, 0)}
"""Values for the topics 1, 2 and 3 of counted()."""


def counted() -> tuple[dict[str, dict[str, int]], dict[str, dict[str, list[str]]]]:
    """Qrels and a run: topic 2 is not answered, topic 3 has no relevant document."""
    qrels = {"1": {"a": 1, "b": 2, "c": 0, "d": -1}, "2": {"a": 1}, "3": {"a": 0}}
    return qrels, {"r": {"1": ["a", "x", "b", "a"], "3": ["a", "b"], "4": ["a"]}}


def test_counts_are_sums_over_topics() -> None:
    qrels, runs = counted()
    found = xcg.evaluate(qrels, runs, measures=list(COUNTS))
    answered = xcg.evaluate(qrels, runs, measures=list(COUNTS), topics={"unanswered": "skip"})
    for name, values in COUNTS.items():
        assert tuple(found.value("r", name, topic) for topic in "123") == values
        assert found.value("r", name) == sum(values)
        assert answered.value("r", name) == values[0] + values[2]
    with_gains = xcg.evaluate(qrels, runs, measures=[*COUNTS, "nxCG@1"])
    assert [with_gains.value("r", name) for name in COUNTS] == [3, 5, 3, 2]


def test_interpolated_precision_rounds_recall_points_as_trec_eval_10() -> None:
    """Six relevant documents; 0.2 · 6 = 1.2 is 1 for trec_eval 10 and 2 for 9; 0.25 · 6 = 1.5 is 2."""
    qrels = {"1": dict.fromkeys("abcdef", 1)}
    run = {"r": {"1": ["a", "x", "y", "b"]}}
    names = ["IPrec@0", "IPrec@0.2", "IPrec@0.25", "IPrec@0.4", "IPrec@0.5", "IPrec@1"]
    found = xcg.evaluate(qrels, run, measures=names)
    assert [found.value("r", name) for name in names] == [1, 1, 0.5, 0.5, 0, 0]
    scores = {"1": {"a": 4.0, "x": 3.0, "y": 2.0, "b": 1.0}}
    theirs = ir_measures.calc_aggregate([ir_measures.IPrec @ 0.2], qrels, scores)
    assert theirs[ir_measures.IPrec @ 0.2] == 0.5
