"""Whether a ranking can gain more than the ideal ranking under a user model, and why."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from random_cases import RandomCampaign, campaigns

import xcg
from xcg.errors import XcgError
from xcg.evaluation.ideals import ideal_elements
from xcg.evaluation.inputs import Inputs
from xcg.user_model.model import UserModel, shipped_models
from xcg.user_model.near_misses import NEAR_MISSES

DOCUMENT = "<a><s><p>12345</p><p>67890</p></s></a>"
IDEAL = "/a[1]/s[1]/p[1]"
RELATED = {"near_misses": "distance", "alpha": 0.5}


def gains(
    results: list[str], model: dict[str, Any], document: str = DOCUMENT, grades: Any = None
) -> list[float]:
    """Return the gain of each result, and then nxCG at the last rank."""
    ranks = range(1, len(results) + 1)
    found = xcg.evaluate(
        {"1": {"d": grades or {IDEAL: (3, 3)}}},
        {"r": {"1": [("d", path) for path in results]}},
        {"d": document},
        {"name": "m", **model},
        [*(f"xCG@{rank}" for rank in ranks), f"nxCG@{len(results)}"],
    )
    sums = [0.0, *(found.value("r", f"xCG@{rank}") for rank in ranks)]
    return [after - before for before, after in pairwise(sums)] + [
        found.value("r", f"nxCG@{ranks[-1]}")
    ]


def test_containers_gain_from_an_ideal_element_without_using_it_up() -> None:
    """The section is 1 step from the ideal paragraph and the article 2.

    The article gains ½·Σ + ½·0.25, where the child section was seen: ½·0.5·(10/10) = 0.25 and ½·¼. So
    its value is 0.25. Then the paragraph was seen: ½·1. Its sibling is 2 steps away and seen: ½·0.25.
    """
    results = ["/a[1]/s[1]", "/a[1]", IDEAL, "/a[1]/s[1]/p[2]"]
    assert gains(results, {"relevance_value": RELATED}) == pytest.approx([0.5, 0.25, 0.5, 0.125, 1.375])


def test_an_ideal_element_and_near_misses_below_and_beside_it_gain_at_most_its_score() -> None:
    document = "<a><s><p>12345<b>6</b></p><p>67890</p><p>1</p></s></a>"
    results = ["/a[1]/s[1]/p[2]", f"{IDEAL}/b[1]", "/a[1]/s[1]/p[3]", IDEAL]
    near = {"near_misses": {"name": "distance", "decay": 0.9}, "alpha": 0.5}
    # The value of the paragraph after its <b> is more than the 0 that is left.
    found = gains(results, {"relevance_value": near}, document)
    assert found == pytest.approx([0.81, 0.19, 0, 0, 1])


CONTAINER = "<a><s><p>x</p><p>" + "y" * 1000 + "</p></s><s>z</s><s>z</s><s>z</s></a>"
FOUR_IDEALS = {f"/a/s[{n}]": (1, 2) for n in range(1, 5)} | {
    "/a/s[1]/p[1]": (1, 1),
    "/a/s[1]/p[2]": (3, 3),
}


@pytest.mark.parametrize(
    ("model", "reason"),
    [
        ({}, "results that contain ideal elements gain without using them up"),
        (
            {"relevance_value": RELATED},
            "results that contain ideal elements gain without using them up",
        ),
        (
            {"ideal": "leaves", "relevance_value": {"normalisation": "related"}},
            "with the ideal leaves, an element above ideal elements can have a higher score",
        ),
        (
            {"relevance_value": {"normalisation": "related"}},
            "a result that was partly seen can be worth more than its score",
        ),
        ({"relevance_value": {"normalisation": "none"}}, "without normalisation, several results"),
        ({"relevance_value": {"normalisation": "none", "alpha": 0.5}}, "a result that was seen gains"),
        ({"ideal": "full"}, "ideal elements can overlap"),
        ({"ideal": lambda tree, scores: scores}, "ideal elements can overlap"),
        ({"spans": "text"}, "a result that shows several gold spans gains all of them at one rank"),
        (
            {"spans": "text", "relevance_value": {"normalisation": "none", "alpha": 0}},
            "and without normalisation, text that was seen gains again",
        ),
        ({"relevance_value": {"near_misses": "exact"}}, ""),
        ({"ideal": "leaves", "relevance_value": {"near_misses": "exact", "alpha": 0.2}}, ""),
        (
            {
                "ideal": "full",
                "relevance_value": {
                    "near_misses": "exact",
                    "normalisation": "none",
                    "partially_seen": "capped",
                },
            },
            "",
        ),
        ({"ideal": "full", "relevance_value": {"near_misses": "exact"}}, "ideal elements can overlap"),
    ],
)
def test_a_user_model_states_why_scores_can_be_above_1(model: dict[str, Any], reason: str) -> None:
    found = UserModel.of({"name": "m", **model}).reason_above_1
    assert reason in found
    assert bool(reason) == bool(found)


def test_one_shipped_user_model_bounds_all_scores() -> None:
    bounded = [name for name in shipped_models() if not UserModel.shipped(name).reason_above_1]
    assert bounded == ["kazai-lalmas-2006-bounded"]


def test_each_reason_has_an_example_above_1() -> None:
    # The first paragraph gains .1. Then the article holds the unseen second one, worth 1, and gains
    # the .9 that is left of four ideal sections of .25.
    results = ["/a[1]/s[1]/p[1]", "/a[1]"]
    assert gains(results, {}, CONTAINER, FOUR_IDEALS) == pytest.approx([0.1, 0.9, 2.0])
    beside = {"near_misses": {"name": "distance", "reach": 4, "decay": 0.9}}
    document = "<a><s><p>12345</p></s><s>x</s></a>"
    found = gains(["/a[1]/s[1]", "/a[1]/s[2]"], {"relevance_value": beside}, document)
    assert found == pytest.approx([0.9, 0.729, 1.629])
    independent = {"relevance_value": {"normalisation": "none", "alpha": 0}}
    assert gains([IDEAL, IDEAL], independent)[-1] == 2
    inside = {"/a/s": (3, 2), IDEAL: (2, 3), "/a/s/p[2]": (2, 3)}
    unlimited = {"ideal": "roots", "relevance_value": {"normalisation": "none"}}
    assert gains([IDEAL, "/a[1]/s[1]/p[2]"], unlimited, grades=inside)[-1] > 1
    overlapping = {"/a/s": (3, 1), IDEAL: (3, 2), f"{IDEAL}/b": (3, 3), f"{IDEAL}/i": (3, 3)}
    document = "<a><s><p><b>1</b><i>2</i></p></s></a>"
    full = {"ideal": "full", "relevance_value": {"alpha": 0.0}}
    # The paragraph scores .75. What is left of its two ideal children is never used up by it.
    assert gains([IDEAL] * 10, full, document, overlapping) == pytest.approx([*[0.75] * 10, 7.5 / 3])
    assert gains(["/a[1]"], {"spans": "text"}, grades={IDEAL: (3, 3), "/a/s/p[2]": (3, 3)})[-1] == 2


SELECTIONS = st.sampled_from(["kazai_lalmas", "leaves", "roots", "max_gain", "full"])
OVERLAP_MODELS = st.sampled_from(["recursive", "capped", "new_characters", "first_seen_only"])


@given(
    campaigns(),
    SELECTIONS,
    OVERLAP_MODELS,
    st.sampled_from([0, 0.3, 1]),
    st.sampled_from(["none", "subtree", "related"]),
    st.sampled_from(["exact", "judged"]),
)
def test_no_score_is_above_1_if_there_is_no_reason(
    campaign: RandomCampaign,
    ideal: str,
    partially_seen: str,
    alpha: float,
    normalisation: str,
    near: str,
) -> None:
    rule = {
        "near_misses": near,
        "partially_seen": partially_seen,
        "alpha": alpha,
        "normalisation": normalisation,
    }
    model = UserModel.of({"name": "m", "ideal": ideal, "relevance_value": rule})
    if not model.reason_above_1:
        assert all(score <= 1 + 1e-9 for score in _scores(campaign, model))


@given(campaigns(), st.sampled_from(["kazai_lalmas", "leaves", "roots"]), st.sampled_from([0, 0.5, 1]))
def test_rankings_without_containers_of_ideal_elements_gain_at_most_the_ideal(
    campaign: RandomCampaign, ideal: str, alpha: float
) -> None:
    """The statement on normalisation: only results that contain ideal elements take nothing."""
    for near in NEAR_MISSES:
        rule = {"near_misses": near, "alpha": alpha}
        model = UserModel.of({"name": "m", "ideal": ideal, "relevance_value": rule})
        found = ideal_elements(Inputs({"1": campaign.assessments}, (), dict(campaign.sources), model))
        ideals = [(element.file, element.path) for element in found]
        campaign.ranking = [
            (file, path)
            for file, path in campaign.ranking
            if not any(file == other and below.startswith(f"{path}/") for other, below in ideals)
        ]
        assert all(score <= 1 + 1e-9 for score in _scores(campaign, model))


def _scores(campaign: RandomCampaign, model: UserModel) -> list[float]:
    if not campaign.ranking:
        return []
    measures = "nxCG@1 nxCG@2 nxCG@3 nxCG@100 MAnxCG@5 MAep iMAep Q R"
    runs = {"r": {"1": campaign.ranking}}
    try:
        results = xcg.evaluate(
            {"1": campaign.assessments}, runs, dict(campaign.sources), model, measures
        )
    except XcgError as error:
        assert "nothing to average" in str(error)
        return []
    return [row.value for row in results.means()]
