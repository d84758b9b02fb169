"""ir_measures computes the measures of xcg with the values of xcg.evaluate."""

from __future__ import annotations

import copy
import pickle
from collections import namedtuple
from collections.abc import Callable
from typing import Any

import ir_measures
import pandas
import pytest
from ir_measures import Qrel, ScoredDoc
from ir_measures_campaign import Sized, as_xcg, campaign

import xcg
import xcg.integrations.ir_measures as provided
from xcg.errors import InputError, XcgError
from xcg.integrations.ir_measures import MAep, XcgMeasure, ep, nxCG, nxDCG, xAP, xcg_Q, xcg_R

# ir_measures parses with names of ast that later Pythons deprecate.
pytestmark = pytest.mark.filterwarnings("ignore:ast.:DeprecationWarning")

Graded = namedtuple("Graded", "query_id doc_id relevance exhaustivity specificity")

OFFERED_NAMES = [name for name, value in vars(provided).items() if isinstance(value, XcgMeasure)]
MEASURES_BY_NAME = {
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
    ours = xcg.evaluate(base, {"r": ranked}, None, "levels", list(MEASURES_BY_NAME), ties="document")
    given = form(qrels, run) if form else (qrels, run)
    aggregated, found = ir_measures.calc(list(MEASURES_BY_NAME.values()), *given)
    values = {(metric.query_id, metric.measure): metric.value for metric in found}
    assert len(values) == len(found) == 10 * len(MEASURES_BY_NAME)
    for name, measure in MEASURES_BY_NAME.items():
        for topic in base:
            expected = ours.value("r", name, topic) if topic in ours.topics else 0.0
            assert values[topic, measure] == expected, (name, topic)
        # ir_measures averages over the topic without an ideal gain, and xcg does not.
        mean = ours.value("r", name) * len(ours.topics) / len(base)
        assert aggregated[measure] == pytest.approx(mean, abs=1e-12)
    assert "7" not in ours.topics
    assert values["4", nxCG @ 10] == 0


@pytest.mark.parametrize("form", [None, frames])
@pytest.mark.parametrize("seed", range(3))
def test_exhaustivity_and_specificity_are_used_if_all_qrels_have_them(seed: int, form: Any) -> None:
    """Measures of xcg use the extra fields, and those of ir_measures use relevance."""
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
        ours = xcg.evaluate(base, {"r": ranked}, None, model, name, ties="document")
        for topic in base:
            expected = ours.value("r", name, topic) if topic in ours.topics else 0.0
            assert values[topic, measure] == expected
    theirs = ir_measures.iter_calc([ir_measures.nDCG @ 10], [Qrel(*qrel[:3]) for qrel in qrels], run)
    for metric in theirs:
        assert values[metric.query_id, metric.measure] == metric.value


def test_levels_are_used_if_a_qrel_lacks_specificity() -> None:
    qrels = [Graded("1", "d", 2, 3, 3), Graded("1", "e", 1, None, None)]
    run = [ScoredDoc("1", "e", 1.0)]
    assert ir_measures.calc_aggregate([nxCG @ 1], qrels, run) == {nxCG @ 1: 0.5}
    plain = pandas.DataFrame(qrels)  # NaN for None
    assert ir_measures.calc_aggregate([nxCG @ 1], plain, run) == {nxCG @ 1: 0.5}


def test_an_evaluator_evaluates_several_runs() -> None:
    qrels, run = campaign(1, pairs=False)
    evaluator = ir_measures.evaluator(iter([nxCG @ 10, MAep]), iter(qrels))
    first = evaluator.calc_aggregate(iter(run))
    assert evaluator.calc_aggregate([]) == {nxCG @ 10: 0, MAep: 0}
    assert evaluator.calc_aggregate(run) == first
    assert (nxCG @ 10).calc_aggregate(qrels, run) == first[nxCG @ 10] > 0
    assert provided.provider.calc_aggregate([MAep], qrels, run) == {MAep: first[MAep]}


def test_missing_judgements_and_results_count_0() -> None:
    run = {"1": {"d": 1.0}}
    asked = [nxCG @ 10, MAep]
    assert list(ir_measures.iter_calc(asked, [], [])) == []
    assert list(ir_measures.iter_calc(asked, {}, run)) == []
    assert ir_measures.calc_aggregate(asked, {"1": {"d": 0}}, run) == dict.fromkeys(asked, 0.0)
    assert ir_measures.calc_aggregate(asked, {"1": {}}, run) == dict.fromkeys(asked, 0.0)
    assert ir_measures.calc_aggregate(asked, {"1": {"d": 1}}, {}) == dict.fromkeys(asked, 0.0)
    assert ir_measures.calc_aggregate(asked, {"1": {"d": 1}}, {"1": {}}) == dict.fromkeys(asked, 0.0)


def test_query_ids_keep_their_type() -> None:
    qrels = pandas.DataFrame({"query_id": [1, 2], "doc_id": ["d", "d"], "relevance": [1, 2]})
    run = pandas.DataFrame({"query_id": [1, 2], "doc_id": ["d", "e"], "score": [1, 2]})
    found = ir_measures.iter_calc([nxCG @ 1], qrels, run)
    assert {metric.query_id: metric.value for metric in found} == {1: 1.0, 2: 0.0}


def test_every_measure_is_offered_and_parses_to_itself() -> None:
    assert len(OFFERED_NAMES) == 21
    qrels, run = campaign(2, pairs=False)
    binary = [qrel._replace(relevance=int(qrel.relevance > 0)) for qrel in qrels]
    for label in OFFERED_NAMES:
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


def test_an_explicit_default_is_another_measure() -> None:
    """The user model can change defaults, but not explicit parameters."""
    assert MAep(interpolation="segment") != MAep
    assert MAep(unretrieved="max", interpolation="linear") == MAep(
        interpolation="linear", unretrieved="max"
    )
    assert nxDCG(base=2) == nxDCG(base=2.0) != nxDCG


@pytest.mark.parametrize(
    ("qrels", "run", "message"),
    [
        ([Qrel("1", "d#/a[0]", 1)], [], "qrels, row 1: '/a\\[0\\]' is not an element path"),
        (
            [Qrel("1", "d", float("inf"))],
            [],
            "qrels, row 1: the level is inf: expected a finite number",
        ),
        ([Qrel("1", "d", 1), Qrel("1", "d", 2)], [], "row 2: topic 1, d: / is assessed"),
        ([Graded("1", "d", 1, 3, 0)], [], "illegal assessment"),
        (
            [Sized("1", "d", 1, -4)],
            [],
            "the size is -4: expected the number of characters as an integer",
        ),
        ([Qrel("1", "d", 1)], [ScoredDoc("1", "d", float("nan"))], "run, row 1: the score is nan"),
        ([Qrel("1", "d", 1)], [ScoredDoc("1", "d#/a[0]", 1)], "'/a\\[0\\]' is not an element path"),
        ([Qrel("1", "d", 1)], [("1", "d", 1)], "run, row 1: no query_id, doc_id, score"),
    ],
)
def test_illegal_data_are_errors(qrels: Any, run: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        provided.provider.calc_aggregate([nxCG @ 1], qrels, run)
    with pytest.raises(ValueError, match=r".+"):  # possibly with a message of ir_measures
        ir_measures.calc_aggregate([nxCG @ 1], qrels, run)


def test_missing_columns_and_unsuitable_models_are_errors(tmp_path: Any) -> None:
    with pytest.raises(XcgError, match="qrels: no column doc_id, only query_id, docid"):
        provided.provider.calc_aggregate(
            [MAep], pandas.DataFrame({"query_id": [1], "docid": ["d"]}), []
        )
    for wrong, message in (({"cutof": 3}, "no parameter 'cutof'"), ({"user_model": 3}, "user_model 3")):
        with pytest.raises(XcgError, match=message):
            (nxCG(**wrong) @ 1).xcg_measure()
    with pytest.raises(XcgError, match="levels is for the level scale"):
        (nxCG(user_model="levels") @ 1).calc_aggregate([Graded("1", "d", 3, 3, 3)], [])
    (tmp_path / "two.yaml").write_text(
        "name: two\nquantisation: levels\nrelevance_value: {alpha: {values: [0.5, 1.0]}}\n"
    )
    with pytest.raises(XcgError, match=r"two"):
        MAep(user_model=str(tmp_path / "two.yaml")).calc_aggregate([Qrel("1", "d", 1)], [])


def test_names_of_ir_measures_keep_their_meaning() -> None:
    for name in ("AP", "nDCG", "R", "P"):
        assert not isinstance(ir_measures.measures.registry[name], XcgMeasure)
    assert "Q" not in ir_measures.measures.registry
    assert xcg.MEASURES.parse("nxCG@10").definition is (nxCG @ 10).definition
    assert xcg.MEASURES.parse("nDCG@10").definition.needs == "levels"
    inputs = ir_measures.run_inputs([MAep]), ir_measures.qrel_inputs([MAep])
    assert sorted(inputs[0]) == ["doc_id", "query_id", "score"]
    assert sorted(inputs[1]) == ["doc_id", "query_id", "relevance"]
