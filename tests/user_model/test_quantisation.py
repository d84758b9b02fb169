"""Quantisations: the tables and formulas of the papers, and users' own."""

from __future__ import annotations

import itertools
import math

import pytest

import xcg
from xcg.errors import XcgError
from xcg.judgements.assessment import Assessment
from xcg.user_model.model import UserModel
from xcg.user_model.quantisation import MAX_GAIN, QUANTISATIONS, Gains, quantise


def test_tables_of_kazai_and_lalmas() -> None:
    by_hand = {  # (e, s): strict, gen, sog
        (0, 0): (0, 0, 0),
        (1, 1): (0, 0.25, 0.1),
        (1, 2): (0, 0.25, 0.25),
        (1, 3): (0, 0.5, 0.75),
        (2, 1): (0, 0.5, 0.1),
        (2, 2): (0, 0.5, 0.5),
        (2, 3): (0, 0.75, 0.9),
        (3, 1): (0, 0.75, 0.25),
        (3, 2): (0, 0.75, 0.75),
        (3, 3): (1, 1, 1),
    }
    for (e, s), scores in by_hand.items():
        assert tuple(QUANTISATIONS.get(name)(e, s) for name in ("strict", "gen", "sog")) == scores


def test_tables_of_inex_2002() -> None:
    scores = {"3E": 1, "2E": 0.75, "3L": 0.75, "1E": 0.5, "2L": 0.5, "2S": 0.5, "1S": 0.25, "1L": 0.25}
    inex2002_gen, inex2002_strict = map(QUANTISATIONS.get, ("inex2002_gen", "inex2002_strict"))
    for relevance, coverage in itertools.product("123", "ELS"):
        pair = relevance + coverage
        assert inex2002_gen(float(relevance), coverage) == scores.get(pair, 0)
        assert inex2002_strict(float(relevance), coverage) == (pair == "3E")
    assert inex2002_gen(0, "N") == 0


def test_a_quantisation_refuses_assessments_of_other_scales() -> None:
    grades = {
        "four-point": Assessment(2.0, 1.0),
        "coverage": Assessment(3.0, "E", scale="coverage"),
        "share": Assessment(2.0, 1.0, 40, "share"),
    }
    for name in QUANTISATIONS:
        part = QUANTISATIONS.part(name)
        own = part.function.scale  # type: ignore[attr-defined]
        for scale, assessment in grades.items():
            if scale == own:
                assert 0 <= quantise(part, assessment) <= 1
            else:
                with pytest.raises(XcgError, match="choose one for the scale of these assessments"):
                    quantise(part, assessment)


def test_formulas_of_inex_2005_and_2006() -> None:
    by_hand = {  # (e, s): strict, gen, genlifted of 2005; strict, gen of 2006
        (2, 1.0): (1, 1, 1, 1, 1),
        (2, 0.5): (0, 0.5, 0.5, 0, 0.5),
        (1, 1.0): (0, 0.5, 2 / 3, 1, 1),
        (1, 0.3): (0, 0.15, 0.2, 0, 0.3),
        (0, 0.6): (0, 0, 0.2, 0, 0.6),
    }
    names = ["inex2005_strict", "inex2005_gen", "inex2005_genlifted", "inex2006_strict", "inex2006_gen"]
    for (e, s), scores in by_hand.items():
        found = [quantise(QUANTISATIONS.part(n), Assessment(float(e), s, 9, "share")) for n in names]
        assert found == pytest.approx(list(scores))


def test_a_users_own_table() -> None:
    model = UserModel.of({"name": "mine", "quantisation": {"table": {"3,3": 1, "2,3": 0.8}}})
    results = xcg.evaluate(
        {"1": {"d": {"/a": (2, 1), "/a/b": (2, 3)}}},
        {"r": {"1": ["d#/a", "d#/a/b"]}},
        user_model=model,
        measures=["xCG@1", "nxCG@2"],
    )
    assert results.value("r", "xCG@1") == 0  # (2,1) is not in the table
    assert results.value("r", "nxCG@2") == 0  # and after it the ideal /a/b is fully seen


@pytest.mark.parametrize(
    ("name", "pairs"),
    [
        ("e3_s321", [(3, 1), (3, 2), (3, 3)]),
        ("e3_s32", [(3, 2), (3, 3)]),
        ("s3_e321", [(1, 3), (2, 3), (3, 3)]),
        ("s3_e32", [(2, 3), (3, 3)]),
    ],
)
def test_the_quantisations_of_2004(name: str, pairs: list[tuple[int, int]]) -> None:
    part = QUANTISATIONS.part(name)
    ones = [(e, s) for e in range(4) for s in range(4) if quantise(part, Assessment(e, s)) == 1]
    assert ones == pairs
    assert sum(quantise(part, Assessment(e, s)) for e in range(4) for s in range(4)) == len(pairs)


def test_gains_whose_sums_could_overflow_are_refused() -> None:
    assert Gains({1: MAX_GAIN})(1, 1) == MAX_GAIN
    for gain in (1.01 * MAX_GAIN, math.inf, math.nan, 10**400):
        with pytest.raises(
            XcgError, match=r"the gain of level 1 is .*: expected a number from 0 to 1e\+100"
        ):
            Gains({1: gain})
    part = QUANTISATIONS.part(lambda level, _: 1e200)
    with pytest.raises(XcgError, match=r"gives 1e\+200 for .*: expected a gain from 0 to 1e\+100"):
        quantise(part, Assessment(1.0, 1.0, scale="level"))
