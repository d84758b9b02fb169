"""Measures of stopping users, of sets and of trec_eval: by hand, and as in ir_measures."""

from __future__ import annotations

import math
import random
from dataclasses import replace
from pathlib import Path

import ir_measures
import pytest

import xcg
from xcg.errors import XcgError
from xcg.evaluation.evaluate import evaluate
from xcg.evaluation.inputs import Inputs
from xcg.measures import MEASURES
from xcg.measures.judged_rankings import JudgedRanking

# Levels 2, not assessed, 0, 1; a relevant document of level 2 is not retrieved.
RANKING = JudgedRanking([1, 3, 4], [2, 0, 1], [2, 0, 1, 2], 4)


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        ("RBP(p=0.5,rel=1)", 0.5 * (1 + 0.125)),
        ("RBP(p=0.5)", 0.5 * (1 + 0.5 * 0.125)),
        ("RBP(p=0.5,max_rel=4)@3", 0.5 * 0.5),
        ("RBP(p=0.5,score=residual)", 0.5 * 0.5 + 0.5**4),
        ("RBP(p=0.5,score=residual)@1", 0.5),
        ("SDCG(max_rel=4)@2", 0.5 / (1 + 1 / math.log2(3))),
        ("ERR", 3 / 16 + 1 / 4 * 13 / 16 * 1 / 16),
        ("ERR(max_rel=2)@1", 3 / 4),
        ("INSQ(rel=2)", 1 / (4 * (math.pi**2 / 6 - 1))),  # w = 1, 4/9, 4/16, … = 4 / (i + 1)²
        ("NERR8(rel=2)@3", 1.0),
        ("NERR8(rel=1,max_rel=0)@9", 1.0),
        ("SetP", 2 / 4),
        ("SetP(relative=True)", 2 / 3),
        ("SetR", 2 / 3),
        ("SetAP", 2 / 4 * 2 / 3),
        ("SetF", 2 * (1 / 2) * (2 / 3) / (1 / 2 + 2 / 3)),
        ("Judged@2", 1 / 2),
        ("unj@8", 1 / 8),
        ("utility", 0),
        ("relative_P@3", 1 / 3),
        ("Rprec_mult(x=2)", 2 / 6),
        ("binG", (1 + 1 / 2) / 3),
        ("G", (2 / 1 + 1 / math.log2(2 + 6 - 3)) / 5),
        ("num_nonrel_judged_ret", 1),
        ("rbp_resid", 0.9**4 + 0.1 * 0.9),
        ("relstring", 0x12B01),
        ("IPrec", (5 * 1 + 4 * 1 / 2) / 11),
        ("AP(judged_only=True)", (1 + 2 / 3) / 3),
        ("nDCG(dcg=exp-log2)@1", 1),
    ],
)
def test_by_hand(measure: str, expected: float) -> None:
    assert MEASURES.parse(measure).compute(RANKING) == pytest.approx(expected, abs=1e-12)


def test_an_inst_user_stops_earlier_the_closer_the_target_is() -> None:
    """T = 1, first result relevant: a = i + 1 - 0 after it, w = 1, (1/2)², (1/3)², …, sum π²/6."""
    relevant = JudgedRanking([1], [1], [1], 1)
    assert MEASURES.parse("INST(rel=1)").compute(relevant) == pytest.approx(6 / math.pi**2)
    nothing = JudgedRanking([], [], [1], 0)
    for name in ("INST", "INSQ", "NERR8@5", "NERR9@5", "NERR10", "NERR11", "RBP", "ERR", "SDCG@5"):
        assert MEASURES.parse(name).compute(nothing) == 0


def test_weights_summed_over_a_long_ranking() -> None:
    """The closed forms of the tails equal a ranking with 20,000 results that gain nothing."""
    for name in ("INST(T=2)", "INSQ(T=2)", "NERR9@20000", "NERR10(p=0.8)", "NERR11(T=2)"):
        levels = [1, 0, 3, 0, 2]
        short = JudgedRanking(range(1, 6), levels, [*levels, 4], 5)
        value = MEASURES.parse(name).compute(short)
        assert value == pytest.approx(MEASURES.parse(name).compute(short._replace(retrieved=20_000)))


def test_values_of_err_are_those_of_gdeval() -> None:
    generator = random.Random(3)
    qrels = {
        str(t): {f"d{n}": generator.choice([0, 0, 1, 2, 3, 4]) for n in range(20)} for t in range(5)
    }
    run = {t: {d: float(-i) for i, d in enumerate(levels)} for t, levels in qrels.items()}
    for at in (1, 5, 20):
        measure = ir_measures.parse_measure(f"ERR@{at}")
        each = {m.query_id: m.value for m in ir_measures.iter_calc([measure], qrels, run)}
        found = xcg.evaluate(qrels, {"r": run}, measures=f"ERR@{at}")
        for topic, value in each.items():
            assert found.value("r", f"ERR@{at}", topic) == pytest.approx(value, abs=1e-5)


def test_a_level_above_the_highest_is_an_error() -> None:
    with pytest.raises(XcgError, match="max_rel is 1, but a document has the level 2"):
        MEASURES.parse("SDCG(max_rel=1)@5").compute(RANKING)


def test_every_listed_measure_has_a_value(tmp_path: Path) -> None:
    """On documents with levels and nuggets, passages with entry points, or elements with grades."""
    levels = {"1": {"a": [{"nugget": "n", "level": 1}, {"nugget": "m"}], "b": 0}, "2": {"c": 2}}
    (tmp_path / "qrels").write_text("1 Q0 a 20 30 0 0:10 20:10\n")
    grades = {"1": {"a": {"/a": (2, 1), "/a/p[1]": (3, 3)}}}
    element = {"r": {"1": ["a#/a/p[1]"]}}
    corpus = {"a": f"<a>{'<p>0123456789</p>' * 3}</a>"}
    campaigns = [
        xcg.load(assessments=levels, runs={"r": {"1": {"b": 3.0, "a": 2.0, "x": 1.0}}}),
        xcg.load(assessments=tmp_path / "qrels", runs=element, corpus=corpus, user_model="inex-2005"),
        xcg.load(assessments=grades, runs=element, corpus=corpus),
    ]
    without = set()
    for definition in MEASURES.values():
        measure = MEASURES.parse(definition.usage)
        measure = measure(N=9) if "N" in definition.parameters else measure
        if not any(_has_value(replace(campaign.inputs, measures=measure)) for campaign in campaigns):
            without.add(definition.name)
    assert not without


def _has_value(inputs: Inputs) -> bool:
    try:
        return any(row.topic == "all" for row in evaluate(inputs))
    except XcgError:
        return False


def test_geometric_means() -> None:
    qrels, run = {"1": {"a": 1}, "2": {"a": 1}, "3": {"a": 1}}, {"r": {"1": ["b", "a"], "2": ["a"]}}
    found = xcg.evaluate(qrels, run, measures="gm_map gm_bpref")
    assert found.value("r", "gm_map") == pytest.approx((0.5 * 1 * 0.00001) ** (1 / 3))
    assert found.value("r", "gm_map", "1") == 0.5


def test_names_of_trec_eval() -> None:
    names = "map P_10 ndcg_cut_10 recip_rank gm_map Rndcg 11pt_avg iprec_at_recall_0.10 set_F_2.0 rbp"
    expected = "AP P@10 nDCG@10 RR gm_map Rndcg IPrec IPrec@0.1 SetF(beta=2) RBP(p=0.9)"
    assert [str(found) for found in MEASURES.parse_all(names)] == expected.split()
    assert len(MEASURES.parse_all("official")) == 29
    assert [found.name for found in MEASURES.definitions("P_10")] == ["P"]


def test_a_measure_of_ir_measures_alone_names_its_command() -> None:
    with pytest.raises(XcgError, match="ir_measures QRELS RUN Compat"):
        MEASURES.parse("Compat(p=0.9)")
