"""Normalisations: the worked examples, the proven bound of scores, and functions of users."""

from __future__ import annotations

from typing import Any

import pytest

import xcg
from xcg.documents.tree import ElementTree
from xcg.errors import XcgError
from xcg.gains.element_reader import ElementReader
from xcg.gains.reader import JudgedDocument
from xcg.user_model.relevance_value import NORMALISATIONS, RelevanceValue

ARTICLE, S1, P, S2 = range(4)


def gains(results: list[int], normalisation: Any) -> list[float]:
    """Return the gains of an article with two sections and a paragraph; the sections are ideal."""
    tree = ElementTree.from_paths(["/a[1]/s[1]/p[1]", "/a[1]/s[2]"])
    document = JudgedDocument(tree, {ARTICLE: 0.5, S1: 0.5, P: 0.25, S2: 0.5}, [S1, S2])
    reader = ElementReader(document, RelevanceValue(0.0, NORMALISATIONS.part(normalisation)))
    return [reader.read(result) for result in results]


def test_a_result_above_ideal_elements_uses_them_up_in_proportion() -> None:
    """After ⟨p⟩, .25 is left of s1 and .5 of s2. They share the gain .5 of the article 1 : 2."""
    results = [P, ARTICLE, S1, S2]
    left = [0.25 - 0.5 * 0.25 / 0.75, 0.5 - 0.5 * 0.5 / 0.75]
    assert gains(results, normalisation="related") == pytest.approx([0.25, 0.5, *left])
    assert gains(results, normalisation="subtree") == pytest.approx([0.25, 0.5, 0.25, 0.5])
    assert gains(results, normalisation="none") == pytest.approx([0.25, 0.5, 0.5, 0.5])


def half(value: float, around: list[float], inside: list[float], *, share: float = 0.5) -> Any:
    return share * value, [0.0 for _ in around], inside


def test_a_normalisation_of_a_user_has_parameters() -> None:
    assert gains([P, S1], normalisation=half) == [0.125, 0.25]
    model = xcg.UserModel.of(
        {
            "name": "m",
            "relevance_value": {
                "alpha": 0,
                "normalisation": {"name": f"{__name__}:half", "share": 0.25},
            },
        }
    )
    assert "knows no limit" in model.reason_above_1
    run = {"r": {"1": [("d", "/a[1]")]}}
    found = xcg.evaluate({"1": {"d": {"/a[1]": (3, 3)}}}, run, user_model=model, measures="xCG@1")
    assert found.value("r", "xCG@1") == 0.25


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda value, around, inside: 1 / 0, "failed: ZeroDivisionError"),
        (lambda value, around, inside: value, "failed: TypeError"),
        (lambda value, around, inside: (-1, around, inside), "expected a finite gain from 0"),
        (lambda value, around, inside: (float("nan"), around, inside), "expected a finite gain"),
        (lambda value, around, inside: (value, [9.0], inside), "did not grow"),
        (lambda value, around, inside: (value, [], []), "failed: ValueError"),
        (lambda value, around, inside: (value, inside, around), "expected a finite gain"),
    ],
)
def test_an_illegal_normalisation_is_one_message(function: Any, message: str) -> None:
    with pytest.raises(XcgError, match=rf"/a\[1\]/s\[1\]: normalisation .*{message}"):
        gains([S1], normalisation=function)


def test_text_is_used_up_by_position_under_both_normalisations() -> None:
    scores = []
    for normalisation in ("subtree", "related"):
        rule = {"normalisation": normalisation, "alpha": 0.5}
        model = {"name": "m", "spans": "text", "relevance_value": rule}
        found = xcg.evaluate(
            {"1": {"d": {"/a/p[1]": (3, 3), "/a/p[2]": (3, 2)}}},
            {"r": {"1": [("d", "/a"), ("d", "/a/p[2]"), ("d", "/a")]}},
            {"d": "<a><p>one</p><p>two</p></a>"},
            model,
            "xCG@1 xCG@2 xCG@3 MAep",
        )
        scores.append([row.value for row in found.means()])
    assert scores[0] == scores[1]
    with pytest.raises(XcgError, match="applies to elements only"):
        xcg.UserModel.of({**model, "relevance_value": {"normalisation": half}})
