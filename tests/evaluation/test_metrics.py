"""The functions that ir_measures has under the same names."""

from __future__ import annotations

import pytest

import xcg
from xcg.errors import XcgError
from xcg.measures import MEASURES

QRELS = {"1": {"d": 2, "e": 1}, "2": {"d": 1}, "3": {"d": 0}}
RUN = {"r": {"1": ["e", "d"], "2": ["x"]}}


def test_the_values_are_those_of_evaluate() -> None:
    names = ["nxCG@1", "MAep", "nDCG@10"]
    results = xcg.evaluate(QRELS, RUN, measures=names)
    found = {(m.query_id, str(m.measure)): m.value for m in xcg.iter_calc(names, QRELS, RUN)}
    assert found == {(r.topic, r.measure): r.value for r in results if r.topic != "all"}
    means = xcg.calc_aggregate(names, QRELS, RUN)
    assert means == {MEASURES.parse(name): results.value("r", name) for name in names}


def test_topics_without_an_ideal_element_have_no_value() -> None:
    assert [m.query_id for m in xcg.iter_calc("MAep", QRELS, RUN)] == ["1", "2"]
    assert list(xcg.iter_calc("MAep", {"3": {"d": 0}}, RUN)) == []
    assert xcg.calc_aggregate("MAep", {"3": {"d": 0}}, RUN) == {}


def test_one_run_and_one_user_model_are_expected() -> None:
    with pytest.raises(XcgError, match="2 runs: expected one"):
        list(xcg.iter_calc("MAep", QRELS, {**RUN, "s": {"1": ["d"]}}))
    models = [{"name": "a", "size": ["characters", "words"]}]
    with pytest.raises(XcgError, match="2 user models: expected one"):
        xcg.calc_aggregate("MAep", QRELS, RUN, user_model=models)  # type: ignore[arg-type]
