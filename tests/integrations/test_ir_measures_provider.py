"""xcg's measures in ir_measures, and data frames as assessments and runs."""

from __future__ import annotations

import copy
import importlib
import pickle
import random
import subprocess
import sys
from collections import namedtuple
from collections.abc import Callable
from typing import Any

import ir_measures
import pandas
import pytest
from conftest import ROOT
from ir_measures import Qrel, ScoredDoc

import xcg
import xcg.integrations.ir_measures as provided
from xcg import Assessment
from xcg.errors import InputError, XcgError
from xcg.integrations.ir_measures import (
    MAep,
    XcgMeasure,
    ep,
    nxCG,
    nxDCG,
    qrels_from_frame,
    run_from_frame,
    xAP,
    xcg_Q,
    xcg_R,
)

# ir_measures parses with names of ast that later Pythons deprecate.
pytestmark = pytest.mark.filterwarnings("ignore:ast.:DeprecationWarning")

Graded = namedtuple("Graded", "query_id doc_id relevance exhaustivity specificity")
Sized = namedtuple("Sized", "query_id doc_id relevance characters")
GradedSized = namedtuple("GradedSized", "query_id doc_id relevance exhaustivity specificity characters")

SIZES = {
    "/a[1]": 900,
    "/a[1]/s[1]": 300,
    "/a[1]/s[2]": 210,
    "/a[1]/s[2]/p[1]": 90,
    "/a[1]/s[2]/p[2]": 110,
    "/a[1]/s[3]": 300,
}
PAIRS = [(0, 0), (0, 0), (1, 1), (1, 3), (2, 1), (2, 2), (3, 1), (3, 3)]

OFFERED = [name for name in provided.__all__ if isinstance(getattr(provided, name), XcgMeasure)]
WANTED = {
    "nxCG@1": nxCG @ 1,
    "nxCG@10": nxCG @ 10,
    "xCG@5": provided.xCG @ 5,
    "MAnxCG@10": provided.MAnxCG @ 10,
    "gr@10": provided.gr @ 10,
    "ep@0.1": ep @ 0.1,
    "ep(interpolation=linear)@1": ep(interpolation="linear") @ 1,
    "MAep": MAep,
    "MAep(unretrieved=max)": MAep(unretrieved="max"),
    "iMAep": provided.iMAep,
    "Q": xcg_Q,
    "R": xcg_R,
    "nxDCG(discount=plus_one)@10": nxDCG(discount="plus_one") @ 10,
    "xAP(threshold=2)": xAP(threshold=2),
    "muAP": provided.muAP,
}


def campaign(seed: int, *, pairs: bool) -> tuple[list[Any], list[ScoredDoc]]:
    """Random qrels and a run with ties, overlap, unjudged results, missing and irrelevant topics."""
    generator = random.Random(seed)
    qrels: list[Any] = []
    run = []
    for topic in map(str, range(1, 11)):
        files = generator.sample(["d1", "d2", "d3", "d4"], 3)
        elements = [(f"{file}#{path}", size) for file in files for path, size in SIZES.items()]
        judged = [*elements, ("e1", 80), ("e2", 70)]
        for name, size in judged:
            pair = generator.choice(PAIRS) if topic != "7" else (0, 0)
            if pairs:
                qrels.append(GradedSized(topic, name, pair[0], *pair, size))
            else:
                level = pair[0] if pair[0] or topic == "7" else -1
                qrels.append(Sized(topic, name, level, size))
        if topic == "4":
            continue
        unjudged = ["e3", "d5#/a[1]", f"{files[0]}#/a[1]/s[9]"]
        for name in generator.sample([*(name for name, _ in judged), *unjudged], 15):
            run.append(ScoredDoc(topic, name, generator.choice([0.5, 1.0, 1.0, 1.25, 7.0])))
    run.append(ScoredDoc("unjudged", "d1", 1.0))
    generator.shuffle(run)
    return qrels, run


def as_xcg(qrels: list[Any], run: list[ScoredDoc]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The same as dicts for xcg.evaluate, by other means than the provider's."""
    base: dict[str, Any] = {}
    for qrel in qrels:
        file, _, path = qrel.doc_id.partition("#")
        if hasattr(qrel, "specificity"):
            grade = Assessment(qrel.exhaustivity, qrel.specificity, qrel.characters)
        else:
            grade = Assessment(qrel.relevance, 1.0, qrel.characters, "level")
        base.setdefault(qrel.query_id, {}).setdefault(file, {})[path or "/"] = grade
    ranked: dict[str, Any] = {}
    for topic, name, score in run:
        ranked.setdefault(topic, {})[name] = score
    return base, ranked


def frames(qrels: list[Any], run: list[ScoredDoc]) -> tuple[Any, Any]:
    return pandas.DataFrame(qrels), pandas.DataFrame(run)


def generators(qrels: list[Any], run: list[ScoredDoc]) -> tuple[Any, Any]:
    return iter(qrels), iter(run)


@pytest.mark.parametrize("form", [None, frames, generators])
@pytest.mark.parametrize("seed", range(4))
def test_values_are_those_of_evaluate(
    seed: int, form: Callable[[list[Any], list[ScoredDoc]], tuple[Any, Any]] | None
) -> None:
    qrels, run = campaign(seed, pairs=False)
    base, ranked = as_xcg(qrels, run)
    ours = xcg.evaluate(base, {"r": ranked}, None, "levels", list(WANTED))
    given = form(qrels, run) if form else (qrels, run)
    aggregated, found = ir_measures.calc(list(WANTED.values()), *given)
    values = {(metric.query_id, metric.measure): metric.value for metric in found}
    assert len(values) == len(found) == 10 * len(WANTED)
    for name, measure in WANTED.items():
        for topic in base:
            expected = ours.value("r", name, topic) if topic in ours.topics else 0.0
            assert values[topic, measure] == expected, (name, topic)
        # ir_measures counts the topic without ideal gain, and xcg leaves it out
        mean = ours.value("r", name) * len(ours.topics) / len(base)
        assert aggregated[measure] == pytest.approx(mean, abs=1e-12)
    assert "7" not in ours.topics
    assert values["4", nxCG @ 10] == 0


@pytest.mark.parametrize("form", [None, frames])
@pytest.mark.parametrize("seed", range(3))
def test_exhaustivity_and_specificity(seed: int, form: Any) -> None:
    """Extra fields count, beside a measure of ir_measures that reads relevance, for several models."""
    qrels, run = campaign(seed, pairs=True)
    base, ranked = as_xcg(qrels, run)
    asked = [MAep, MAep(user_model="overlap-off"), nxCG(user_model="kazai-lalmas-2006-strict") @ 5]
    given = form(qrels, run) if form else (qrels, run)
    found = list(ir_measures.iter_calc([*asked, ir_measures.nDCG @ 10], *given))
    values = {(metric.query_id, metric.measure): metric.value for metric in found}
    for model, name, measure in (
        ("kazai-lalmas-2006", "MAep", asked[0]),
        ("overlap-off", "MAep", asked[1]),
        ("kazai-lalmas-2006-strict", "nxCG@5", asked[2]),
    ):
        ours = xcg.evaluate(base, {"r": ranked}, None, model, name)
        for topic in base:
            expected = ours.value("r", name, topic) if topic in ours.topics else 0.0
            assert values[topic, measure] == expected
    theirs = ir_measures.iter_calc([ir_measures.nDCG @ 10], [Qrel(*qrel[:3]) for qrel in qrels], run)
    for metric in theirs:
        assert values[metric.query_id, metric.measure] == metric.value


def test_levels_count_where_a_qrel_has_no_pair() -> None:
    qrels = [Graded("1", "d", 2, 3, 3), Graded("1", "e", 1, None, None)]
    run = [ScoredDoc("1", "e", 1.0)]
    assert ir_measures.calc_aggregate([nxCG @ 1], qrels, run) == {nxCG @ 1: 0.5}
    plain = pandas.DataFrame(qrels)  # NaN for None
    assert ir_measures.calc_aggregate([nxCG @ 1], plain, run) == {nxCG @ 1: 0.5}


def test_overlap_and_repetition() -> None:
    """By hand: the section is worth 3, the article after it nothing, the other document 1."""
    qrels = [Qrel("1", "d#/a", 1), Qrel("1", "d#/a/s[1]", 3), Qrel("1", "e", 1)]
    run = [ScoredDoc("1", "d#/a/s[1]", 4), ScoredDoc("1", "d#/a", 3), ScoredDoc("1", "e", 2)]
    gains = {provided.xCG @ k: value for k, value in ((1, 3.0), (2, 3.0), (3, 4.0))}
    assert ir_measures.calc_aggregate(gains, qrels, run) == gains
    repeated = [ScoredDoc("1", "d#/a/s[1]", 4), *run[:1], run[2]]
    assert ir_measures.calc_aggregate(gains, qrels, repeated) == gains


@pytest.mark.parametrize("seed", range(3))
def test_flat_dicts(seed: int) -> None:
    generator = random.Random(seed)
    names = [f"d{n}" for n in range(30)]
    qrels = {t: {d: generator.choice([-1, 0, 0, 1, 2]) for d in names[:20]} for t in "123"}
    run = {t: {d: generator.choice([0.5, 1.0, 2.0]) for d in names[5:]} for t in "12"}
    ours = xcg.evaluate(qrels, {"r": run}, measures=list(WANTED))
    found = ir_measures.calc_aggregate([*WANTED.values(), ir_measures.nDCG @ 10], qrels, run)
    for name, measure in WANTED.items():
        assert found[measure] == pytest.approx(ours.value("r", name), abs=1e-12)
    # trec_eval's nDCG is that of the discount log2(rank + 1)
    assert found[WANTED["nxDCG(discount=plus_one)@10"]] == pytest.approx(found[ir_measures.nDCG @ 10])


def test_an_evaluator_serves_many_runs() -> None:
    qrels, run = campaign(1, pairs=False)
    evaluator = ir_measures.evaluator(iter([nxCG @ 10, MAep]), iter(qrels))
    first = evaluator.calc_aggregate(iter(run))
    assert evaluator.calc_aggregate([]) == {nxCG @ 10: 0, MAep: 0}
    assert evaluator.calc_aggregate(run) == first
    assert (nxCG @ 10).calc_aggregate(qrels, run) == first[nxCG @ 10] > 0
    assert provided.provider.calc_aggregate([MAep], qrels, run) == {MAep: first[MAep]}


def test_empty_and_partial_inputs() -> None:
    run = {"1": {"d": 1.0}}
    asked = [nxCG @ 10, MAep]
    assert list(ir_measures.iter_calc(asked, [], [])) == []
    assert list(ir_measures.iter_calc(asked, {}, run)) == []
    assert ir_measures.calc_aggregate(asked, {"1": {"d": 0}}, run) == dict.fromkeys(asked, 0.0)
    assert ir_measures.calc_aggregate(asked, {"1": {}}, run) == dict.fromkeys(asked, 0.0)
    assert ir_measures.calc_aggregate(asked, {"1": {"d": 1}}, {}) == dict.fromkeys(asked, 0.0)
    assert ir_measures.calc_aggregate(asked, {"1": {"d": 1}}, {"1": {}}) == dict.fromkeys(asked, 0.0)


def test_query_ids_come_back_as_they_were_given() -> None:
    qrels = pandas.DataFrame({"query_id": [1, 2], "doc_id": ["d", "d"], "relevance": [1, 2]})
    run = pandas.DataFrame({"query_id": [1, 2], "doc_id": ["d", "e"], "score": [1, 2]})
    found = ir_measures.iter_calc([nxCG @ 1], qrels, run)
    assert {metric.query_id: metric.value for metric in found} == {1: 1.0, 2: 0.0}


def test_every_measure_is_offered_and_parses_to_itself() -> None:
    assert len(OFFERED) == 20
    qrels, run = campaign(2, pairs=False)
    binary = [qrel._replace(relevance=int(qrel.relevance > 0)) for qrel in qrels]
    for label in OFFERED:
        measure: XcgMeasure = getattr(provided, label)
        assert ir_measures.measures.registry[label] is measure
        cutoff = measure.definition.cutoff
        if cutoff is not None:
            measure = measure @ (10 if cutoff.whole else 0.5)
        for asked in (measure, measure(user_model="levels")):
            printed = str(asked)
            assert printed.startswith(label)
            parsed = ir_measures.parse_measure(printed)
            assert parsed == asked
            assert hash(parsed) == hash(asked)
            assert str(parsed) == printed
            assert pickle.loads(pickle.dumps(asked)) == asked == copy.deepcopy(asked)
            assert ir_measures.calc_aggregate([parsed], binary, run)[asked] > 0


@pytest.mark.parametrize(
    ("text", "printed", "own"),
    [
        ("nxCG@10", "nxCG@10", "nxCG@10"),
        ("ep@1", "ep@1.0", "ep@1"),
        ("ep(interpolation='linear')@0.1", "ep(interpolation='linear')@0.1", None),
        ("MAep(unretrieved='max',interpolation='segment')", None, None),
        ("nxDCG(base=3)@5", "nxDCG(base=3.0)@5", "nxDCG(base=3)@5"),
        ("nxDCG@5", "nxDCG@5", "nxDCG@5"),
        ("xAP", "xAP", "xAP"),
        ("MAep(user_model='levels')", "MAep(user_model='levels')", "MAep"),
    ],
)
def test_parse_and_print(text: str, printed: str | None, own: str | None) -> None:
    measure = ir_measures.parse_measure(text)
    assert isinstance(measure, XcgMeasure)
    printed = printed or "MAep(interpolation='segment',unretrieved='max')"
    assert str(measure) == printed
    assert ir_measures.parse_measure(printed) == measure
    assert str(measure.asked()) == (own or printed.replace("'", ""))


def test_what_is_said_is_told_from_what_is_not() -> None:
    """The user model may say otherwise: a default that is spelt out is not the same measure."""
    assert MAep(interpolation="segment") != MAep
    assert MAep(unretrieved="max", interpolation="linear") == MAep(
        interpolation="linear", unretrieved="max"
    )
    assert nxDCG(base=2) == nxDCG(base=2.0) != nxDCG


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nxCG", "nxCG lacks its cutoff: expected a rank from 1, like nxCG@10"),
        ("nxCG@0", "nxCG@0: expected a rank from 1"),
        ("nxCG@1.5", "nxCG@1.5: expected a rank from 1"),
        ("nxCG@True", "nxCG@True: expected a rank from 1"),
        ("ep@2", "expected a recall point above 0 and at most 1"),
        ("MAep@3", "MAep takes no cutoff"),
        ("MAep(unretrievd='max')", "MAep has no parameter 'unretrievd': did you mean 'unretrieved'"),
        ("MAep(unretrieved='mx')", "illegal unretrieved 'mx': did you mean 'max'"),
        ("nxCG(user_model=3)@1", "illegal user_model 3"),
        ("nxCG(user_model='overlap-of')@1", "'overlap-of': did you mean 'overlap-off'"),
        ("nxCG(cutof=3)", "nxCG has no parameter 'cutof'"),
        ("nxDCG(mean='vectors')@1", "nxDCG has no parameter 'mean'"),
        ("xAP(threshold=0)", "expected a number above 0"),
    ],
)
def test_wrong_parameters(text: str, message: str) -> None:
    with pytest.raises(XcgError, match=message):
        ir_measures.calc_aggregate(
            [ir_measures.parse_measure(text)], {"1": {"d": 1}}, {"1": {"d": 1.0}}
        )


@pytest.mark.parametrize(
    ("qrels", "run", "message"),
    [
        ([Qrel("1", "d#a", 1)], [], "qrels, row 1: 'a' is no element path"),
        ([Qrel("1", "d", 1.5)], [], "qrels, row 1: the level is 1.5: expected a whole number"),
        ([Qrel("1", "d", True)], [], "qrels, row 1: the level is True"),
        ([Qrel("1", "d", 1), Qrel("1", "d", 2)], [], "row 2: topic 1, d: judged 2 but 1 before"),
        ([Qrel("1", "d#/a", 1), Qrel("1", "d#/a[1]", 2)], [], "judged 2 but 1 before"),
        ([Graded("1", "d", 1, 3, 0)], [], "illegal assessment"),
        ([Sized("1", "d", 1, -4)], [], "the size is -4: expected a whole number of characters"),
        ({"1": {"d": 1, "d#/a": 2, "e": "x"}}, {}, "qrels, topic 1, e: the level is 'x'"),
        ({"1": {"d": {"/": 1}, "d#/a": 2}}, {}, "topic 1, d: judged by paths and beside them"),
        ([Qrel("1", "d", 1)], [ScoredDoc("1", "d", float("nan"))], "run, row 1: the score is nan"),
        ([Qrel("1", "d", 1)], {"1": {"d": "9"}}, "run, topic 1, d: the score is '9'"),
        ([Qrel("1", "d", 1)], [ScoredDoc("1", "d#a", 1)], "'a' is no element path"),
        ([Qrel("1", "d", 1)], [("1", "d", 1)], "run, row 1: no query_id, doc_id, score"),
        ([("1", "d", 1)], [], "qrels, row 1: no query_id, doc_id"),
        ([Qrel("all", "d", 1)], [], "a topic is called 'all'"),
    ],
)
def test_wrong_data(qrels: Any, run: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        provided.provider.calc_aggregate([nxCG @ 1], qrels, run)
    with pytest.raises(ValueError, match=r".+"):  # perhaps in ir_measures' words
        ir_measures.calc_aggregate([nxCG @ 1], qrels, run)


def test_wrong_columns_and_models(tmp_path: Any) -> None:
    with pytest.raises(XcgError, match="qrels: no column doc_id, only query_id, docid"):
        provided.provider.calc_aggregate(
            [MAep], pandas.DataFrame({"query_id": [1], "docid": ["d"]}), []
        )
    with pytest.raises(XcgError, match="levels is for the level scale"):
        (nxCG(user_model="levels") @ 1).calc_aggregate([Graded("1", "d", 3, 3, 3)], [])
    (tmp_path / "two.yaml").write_text(
        "name: two\nquantisation: levels\nrelevance_value: {alpha: {values: [0.5, 1.0]}}\n"
    )
    with pytest.raises(XcgError, match=r"two"):
        MAep(user_model=str(tmp_path / "two.yaml")).calc_aggregate([Qrel("1", "d", 1)], [])


def test_repeated_import() -> None:
    script = (
        "import importlib, sys, ir_measures\n"
        "before = len(ir_measures.DefaultPipeline.providers), len(ir_measures.measures.registry)\n"
        "import xcg.integrations.ir_measures as first\n"
        "old = first.nxCG @ 1\n"
        "importlib.reload(first)\n"
        "del sys.modules['xcg.integrations.ir_measures']\n"
        "import xcg.integrations.ir_measures as again\n"
        "assert again is not first and again.nxCG is not first.nxCG\n"
        "after = len(ir_measures.DefaultPipeline.providers), len(ir_measures.measures.registry)\n"
        "print(after[0] - before[0], after[1] - before[1])\n"
        "qrels, run = {'1': {'d': 1}}, {'1': {'d': 1.0}}\n"
        "print(ir_measures.calc_aggregate([old, again.MAep], qrels, run)[again.nxCG @ 1])\n"
        "print(ir_measures.parse_measure('R@5').calc_aggregate(qrels, run))\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd=ROOT)
    assert done.stderr == ""
    assert done.stdout.splitlines() == ["1 20", "1.0", "1.0"]
    assert importlib.import_module("xcg.integrations.ir_measures") is provided


def test_names_of_ir_measures_keep_their_meaning() -> None:
    for name in ("AP", "nDCG", "R", "P"):
        assert not isinstance(ir_measures.measures.registry[name], XcgMeasure)
    assert "Q" not in ir_measures.measures.registry
    assert xcg.MEASURES.parse("nxCG@10").definition is (nxCG @ 10).definition
    assert xcg.MEASURES.parse("nDCG@10").definition.needs == "levels"
    inputs = ir_measures.run_inputs([MAep]), ir_measures.qrel_inputs([MAep])
    assert sorted(inputs[0]) == ["doc_id", "query_id", "score"]
    assert sorted(inputs[1]) == ["doc_id", "query_id", "relevance"]


# Data frames


def polars_frame(columns: dict[str, list[Any]]) -> Any:
    return pytest.importorskip("polars").DataFrame(columns)


LIBRARIES = pytest.mark.parametrize("frame", [pandas.DataFrame, polars_frame])


@LIBRARIES
@pytest.mark.parametrize("pairs", [False, True])
def test_frames_evaluate_as_dicts_do(frame: Any, pairs: bool) -> None:
    qrels, run = campaign(3, pairs=pairs)
    base, ranked = as_xcg(qrels, run)
    ids = [qrel.doc_id.partition("#") for qrel in qrels]
    columns: dict[str, list[Any]] = {
        "topic": [int(qrel.query_id) for qrel in qrels],
        "doc": [file for file, _, _ in ids],
        "path": [path or None for _, _, path in ids],
        "characters": [qrel.characters for qrel in qrels],
    }
    if pairs:
        columns["exhaustivity"] = [float(qrel.exhaustivity) for qrel in qrels]
        columns["specificity"] = [qrel.specificity for qrel in qrels]
    else:
        columns["level"] = [float(qrel.relevance) for qrel in qrels]
    results = {
        "qid": [row.query_id for row in run],
        "docno": [row.doc_id for row in run],
        "score": [row.score for row in run],
        "rank": range(len(run)),
        "query": ["words"] * len(run),
    }
    judged, answers = qrels_from_frame(frame(columns)), run_from_frame(frame(results))
    measures = ["MAep", "nxCG@10", "overlap"]
    found = xcg.evaluate(judged, {"r": answers}, measures=measures)
    assert list(found) == list(xcg.evaluate(base, {"r": ranked}, measures=measures))
    values = {m.query_id: m.value for m in ir_measures.iter_calc([MAep], judged, answers)}
    assert values.pop("7") == 0  # without an ideal gain
    assert values == {topic: found.value("r", "MAep", topic) for topic in values}
    assert len(values) == 9


@LIBRARIES
def test_frames_say_what_they_mean(frame: Any) -> None:
    rows = {
        "query_id": ["1", "1", "1", "2"],
        "doc_id": ["d#/a", "d", "e", "e.xml"],
        "relevance": [1, 2, 3, 0],
        "iteration": ["0"] * 4,
    }
    assert qrels_from_frame(frame(rows)) == {
        "1": {"d": {"/a[1]": 1, "/": 2}, "e": 3},
        "2": {"e": 0},
    }
    ranks = {"topic": [1, 1, 1], "doc": ["d", "d", "e"], "path": ["/a", "/", ""], "rank": [3, 1, 1]}
    assert run_from_frame(frame(ranks)) == {"1": ["d", "e", "d#/a"]}
    scores = {"topic": ["1"] * 3, "doc": ["d", "e", "d"], "score": [1.0, 1.0, 0.5]}
    assert run_from_frame(frame(scores)) == {"1": ["e", "d", "d"]}  # as trec_eval orders ties
    both = {"qid": ["1"], "docno": ["d"], "label": [2], "exhaustivity": [3], "specificity": [1]}
    assert qrels_from_frame(frame(both)) == {"1": {"d": {"/": (3, 1)}}}
    both["exhaustivity"] = [None]
    assert qrels_from_frame(frame(both)) == {"1": {"d": 2}}


@LIBRARIES
@pytest.mark.parametrize(
    ("read", "columns", "message"),
    [
        (qrels_from_frame, {"doc": ["d"], "level": [1]}, "topic: expected one of topic, query_id, qid"),
        (
            qrels_from_frame,
            {"qid": ["1"], "level": [1]},
            "document: expected one of doc, doc_id, docno",
        ),
        (qrels_from_frame, {"qid": ["1"], "doc": ["d"]}, "relevance: expected one of level, relevance"),
        (
            qrels_from_frame,
            {"qid": ["1"], "doc": ["d"], "level": [1], "specificity": [1]},
            "no column exhaustivity",
        ),
        (
            qrels_from_frame,
            {"qid": ["1"], "doc": ["d"], "levl": [1]},
            "assessments: unknown column 'levl': did you mean 'level'",
        ),
        (
            qrels_from_frame,
            {"qid": ["1"], "topic": ["1"], "doc": ["d"], "level": [1]},
            "the columns qid and topic both say the topic",
        ),
        (qrels_from_frame, {"qid": ["1"], "doc": ["d"], "level": [1.5]}, "row 1: the level is 1.5"),
        (qrels_from_frame, {"qid": ["1"], "doc": ["d"], "level": ["1"]}, "row 1: the level is '1'"),
        (qrels_from_frame, {"qid": ["1"], "doc": ["d"], "level": [None]}, "row 1: no level"),
        (qrels_from_frame, {"qid": ["1"], "doc": [None], "level": [1]}, "row 1: no document"),
        (
            qrels_from_frame,
            {"qid": ["1"], "doc": ["d"], "path": ["a"], "level": [1]},
            "row 1: 'a' is no element path",
        ),
        (
            qrels_from_frame,
            {"qid": ["1"] * 2, "doc": ["d"] * 2, "level": [1, 2]},
            "row 2: topic 1, d: judged 2 but 1 before",
        ),
        (run_from_frame, {"qid": ["1"], "doc": ["d"]}, "the order: expected score or rank"),
        (run_from_frame, {"qid": ["1"], "doc": ["d"], "rank": [None]}, "row 1: the rank is None"),
        (run_from_frame, {"qid": ["1"], "doc": ["d"], "score": ["x"]}, "row 1: the score is 'x'"),
        (run_from_frame, {"qid": ["1"], "doc": ["d"], "score": [1], "run": ["a"]}, "column 'run'"),
    ],
)
def test_wrong_frames(frame: Any, read: Any, columns: dict[str, list[Any]], message: str) -> None:
    with pytest.raises(XcgError, match=message):
        read(frame(columns))


def test_no_frame() -> None:
    with pytest.raises(XcgError, match="list is no DataFrame: expected one of pandas or polars"):
        qrels_from_frame([("1", "d", 1)])
    with pytest.raises(XcgError, match="both say the score"):
        run_from_frame(pandas.DataFrame([("1", "d", 1, 2)], columns=["qid", "doc", "score", "score"]))
