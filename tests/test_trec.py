"""Standard measures by ir_measures, and agreement of ours with trec_eval."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import ir_measures
import pytest
import pytrec_eval
from conftest import ROOT, Command

import xcg
from xcg.errors import XcgError
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
def test_ours_agree_with_trec_eval_where_both_have_a_measure(seed: int) -> None:
    """Order, ties, unjudged documents and empty topics: AP, nDCG, P and recall, per topic and mean."""
    qrels, run = graded_campaign(seed)
    names = {"map", "ndcg_cut", "ndcg", "P", "recall", "set_relative_P", "Rprec"}
    theirs = pytrec_eval.RelevanceEvaluator(qrels, names).evaluate(run)
    binary = {"name": "binary", "quantisation": {"gains": {1: 1, 2: 1, 3: 1}}}
    linear = "nDCG(discount=plus_one)"
    depths = (1, 5, 10, 20)
    levels = xcg.evaluate(
        qrels,
        {"r": run},
        None,
        None,
        [linear, *(f"{linear}@{k}" for k in (5, 10, 20)), "AP(threshold=1)"],
    )
    flat = xcg.evaluate(
        qrels, {"r": run}, None, binary, [f"{m}@{k}" for k in depths for m in ("gPrecision", "gRecall")]
    )
    for topic in qrels:
        expected = theirs.get(topic)
        for name, measure in (
            ("map", "AP(threshold=1)"),
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
def test_ir_measures_own_figures(seed: int) -> None:
    names = ["nDCG@10", "AP", "P@5", "RR", "Rprec", "nDCG(dcg='exp-log2')@5", "AP(rel=2)", "Bpref"]
    qrels, run = graded_campaign(seed)
    found = xcg.evaluate(qrels, {"r": run}, None, None, names)
    wanted = [ir_measures.parse_measure(name) for name in names]
    theirs = ir_measures.calc_aggregate(wanted, qrels, run)
    assert found.measures == [str(measure) for measure in wanted]
    for measure in wanted:
        assert found.value("r", str(measure)) == pytest.approx(theirs[measure], abs=1e-9)
    each = {(m.query_id, str(m.measure)): m.value for m in ir_measures.iter_calc(wanted, qrels, run)}
    for topic in qrels:
        for measure in map(str, wanted):
            value = each.get((topic, measure), 0.0)
            assert found.value("r", measure, topic) == pytest.approx(value, abs=1e-9)


def test_one_table_of_ours_and_theirs() -> None:
    qrels, run = graded_campaign(1)
    found = xcg.evaluate(qrels, {"r": run, "s": {}}, None, None, "MAep nDCG@10 nxCG@10 AP")
    assert found.measures == ["MAep", "nDCG@10", "nxCG@10", "AP"]
    assert found.value("s", "nDCG@10") == found.value("s", "nxCG@10") == 0
    skipped = xcg.evaluate(qrels, {"r": run}, None, None, "AP", unanswered="skip")
    assert len(skipped) == 12  # eleven topics and their mean
    with_means = xcg.evaluate(qrels, {"r": run}, None, None, "AP")
    assert skipped.value("r", "AP") == pytest.approx(with_means.value("r", "AP") * 12 / 11)


def test_elements_are_documents_by_file_and_path() -> None:
    base = {"1": {"d": {"/a": (3, 1), "/a/s[1]": (2, 2), "/a/s[2]": (0, 0)}}}
    runs = {"r": {"1": ["d#/a/s[2]", "d#/a/s[1]", "d#/a/s[1]", "d#/a"]}}
    found = xcg.evaluate(base, runs, None, None, "P@2 RR AP AP(rel=3)")
    assert found.value("r", "P@2") == 0.5
    assert found.value("r", "RR") == 0.5
    assert found.value("r", "AP") == pytest.approx((1 / 2 + 2 / 3) / 2)  # the repetition is dropped
    assert found.value("r", "AP(rel=3)") == pytest.approx(1 / 3)


def test_names_that_both_have() -> None:
    assert MEASURES.parse("nDCG(base=2)@10").definition.needs == "gains"
    assert MEASURES.parse("nDCG@10").definition.needs == "levels"
    assert MEASURES.parse("AP(threshold=2)").definition.needs == "gains"
    assert str(MEASURES.parse("AP(rel=2)")) == "AP(rel=2)"
    assert len(MEASURES.parse_all("P@10 AP nDCG@10 P@10 AP")) == 3
    with pytest.raises(XcgError, match="unknown measure 'PP'"):
        MEASURES.parse("PP@10")
    with pytest.raises(XcgError, match="has no parameter 'bsae': did you mean 'base'"):
        MEASURES.parse("DCG(bsae=2)@10")


def test_passages_have_no_levels(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("1 Q0 d 4 9 0:4\n")
    with pytest.raises(XcgError, match="topic 1: measures of ir_measures need levels or assessed"):
        xcg.evaluate(tmp_path / "qrels", {"r": {"1": ["d"]}}, {"d": "<a>123456789</a>"}, None, "AP")


def test_without_ir_measures(tmp_path: Path) -> None:
    """The name of a standard measure says which extra is missing; ours work without it."""
    (tmp_path / "ir_measures.py").write_text("raise ImportError('not here')\n")
    script = (
        "import xcg\n"
        "qrels, runs = {'1': {'d': 1}}, {'r': {'1': ['d']}}\n"
        "print(xcg.evaluate(qrels, runs, measures='nDCG(base=2)@10').value('r', 'nDCG(base=2)@10'))\n"
        "for name in ('nDCG@10', 'P@10', 'nxGC@10'):\n"
        "    try:\n"
        "        xcg.evaluate(qrels, runs, measures=name)\n"
        "    except xcg.XcgError as error:\n"
        "        print(error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        env={"PYTHONPATH": f"{tmp_path}:{ROOT}", "PATH": "/usr/bin:/bin"},
    )
    assert done.stdout.splitlines() == [
        "1.0",
        "nDCG@10 is a measure of ir_measures if it is any: pip install 'xcg[trec]'",
        "P@10 is a measure of ir_measures if it is any: pip install 'xcg[trec]'",
        "unknown measure 'nxGC': did you mean 'nxCG'?",
    ]


def test_the_order_of_inex_eval_is_that_of_overlap_off(root: Path, xcg_command: Command) -> None:
    """The setting of Kazai & Lalmas 2006, Table V, on the sample campaign."""
    from xcg.statistics import kendall_tau_b

    models = ["overlap-off", "kazai-lalmas-2006"]
    found = xcg.evaluate(
        root / "assessments/handbook",
        root / "corpora_samples/handbook-runs",
        root / "corpora_samples/handbook",
        models,
        "MAep inexEval",
    )
    off, on = (
        kendall_tau_b(
            [found.value(run, "inexEval", user_model=model) for run in found.runs],
            [found.value(run, "MAep", user_model=model) for run in found.runs],
        )
        for model in models
    )
    assert off is not None
    assert on is not None
    assert off > 0.8 > on
