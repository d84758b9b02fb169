"""Declarations of measures, and measures as objects."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

import xcg
from xcg import measures
from xcg.errors import XcgError
from xcg.measures import AP, ASL, MEASURES, MAep, Measure, P, R, RankingGains, ep, nxCG, nxDCG
from xcg.measures.definition import HIGHER_IS_BETTER, Order


def test_objects_print_as_the_names_that_users_type() -> None:
    for measure, name in (
        (nxCG @ 10, "nxCG@10"),
        (ep(interpolation="linear") @ 0.1, "ep(interpolation=linear)@0.1"),
        ((ep @ 0.1)(interpolation="linear"), "ep(interpolation=linear)@0.1"),
        (MAep(unretrieved="max")(interpolation="linear"), "MAep(interpolation=linear,unretrieved=max)"),
        (nxDCG(base=3), "nxDCG(base=3)"),
        (nxDCG(base=3) @ 5 @ 7, "nxDCG(base=3)@7"),
        (P(rel=2) @ 5, "P(rel=2)@5"),
        (AP, "AP"),
        (measures.MAP, "AP"),
        (R, "R"),
        (R @ 10, "R@10"),
    ):
        assert str(measure) == name
        assert MEASURES.parse(measure) == MEASURES.parse(name)
    assert R.definition.needs == "gains"
    assert (R @ 10).definition.needs == "levels"


def test_objects_are_accepted_wherever_names_are() -> None:
    found = xcg.evaluate({"1": {"d": 1}}, {"r": {"1": ["e", "d"]}}, measures=[nxCG @ 2, MAep, P @ 2])
    assert found.measures == ["nxCG@2", "MAep", "P@2"]
    assert list(map(str, MEASURES.parse_all([nxCG @ 2, "MAep", nxCG @ 2]))) == ["nxCG@2", "MAep"]
    assert list(map(str, MEASURES.parse_all(MAep))) == ["MAep"]


def test_objects_are_equal_by_value_and_are_listed() -> None:
    assert nxCG @ 10 == MEASURES.parse("nxCG@10") != nxCG @ 11
    assert len({nxCG @ 10, MEASURES.parse("nxCG@10"), MAep}) == 2
    assert isinstance(nxCG, Measure)
    assert {"nxCG", "nxcg", "MEASURES"} <= set(dir(measures))


def test_order_of_values_from_best_to_worst() -> None:
    lower = ASL.definition.order
    assert lower == Order(lower_is_better=True) == MEASURES.order("ASL")
    assert lower.best([3.0, 1.0, 2.0]) == 1.0
    assert sorted([3.0, 1.0, 2.0], key=lower.sort_key) == [1.0, 2.0, 3.0]
    assert [lower.rank(value, [3.0, 1.0, 1.0]) for value in (1.0, 3.0)] == [1, 3]
    assert MEASURES.order("nxCG@10") == MEASURES.order("no measure") == HIGHER_IS_BETTER
    assert HIGHER_IS_BETTER.best([3.0, 1.0]) == 3.0
    lower_is_better = {name for name in MEASURES if MEASURES.get(name).lower_is_better}
    assert lower_is_better == {"ASL", "ESL", "frustration", "halfLife", "rbp_resid", "unj"}


def test_a_measure_of_levels_is_not_computed_from_gains() -> None:
    with pytest.raises(XcgError, match="P@5 is computed from levels of relevance, not from gains"):
        MEASURES.parse("P@5").compute(RankingGains([1.0], [1.0], 0))


def test_every_declaration_is_complete_and_its_usage_parses() -> None:
    for definition in MEASURES.values():
        assert all([definition.title, definition.formula, definition.range, definition.example])
        assert re.search(r"(19|20)[0-9]{2}|TREC|trec_eval", definition.source)
        assert MEASURES.parse(definition.usage).definition is definition


def test_measures_work_without_docstrings() -> None:
    command = [
        sys.executable,
        "-OO",
        "-c",
        "from xcg.measures import MEASURES; print(len([*MEASURES]))",
    ]
    assert int(subprocess.run(command, capture_output=True, check=True).stdout) == len([*MEASURES])
