"""Near-miss models: hand-computed examples, limits and laws."""

from __future__ import annotations

import math
import re
from itertools import pairwise

import pytest

import xcg
from xcg.documents.parsing import parse_document
from xcg.errors import XcgError
from xcg.user_model.near_misses import NEAR_MISSES, near_scores

#            0123456789  01234  56789  0123
DOCUMENT = "<a><s><p>1234567890</p><p>ideal</p><p>12345</p></s><s>tail</s></a>"
IDEAL = "/a[1]/s[1]/p[2]"
JUDGED = {"1": {"d": {"/a": (3, 1), IDEAL: (3, 3)}}}
PATHS = ["/a[1]", "/a[1]/s[1]", "/a[1]/s[1]/p[1]", "/a[1]/s[1]/p[2]", "/a[1]/s[1]/p[3]", "/a[1]/s[2]"]


_COMBINED = {"name": "combined", "models": "distance(reach=3, decay=0.5) length_ratio"}


def gains(near: object, results: list[str], base: object = JUDGED, **rule: object) -> list[float]:
    """Return the gain of each result under sog; the second paragraph is ideal."""
    model = {"name": "m", "relevance_value": {"near_misses": near, **rule}}
    run = {"r": {"1": [("d", path) for path in results]}}
    measures = [f"xCG@{rank}" for rank in range(1, len(results) + 1)]
    found = xcg.evaluate(base, run, {"d": DOCUMENT}, model, measures)  # type: ignore[arg-type]
    sums = [0.0, *(found.value("r", measure) for measure in measures)]
    return [round(after - before, 9) for before, after in pairwise(sums)]


@pytest.mark.parametrize(
    ("near", "expected"),
    [
        # the gain of each path alone; the root is (3,1), which scores .25 under sog
        ("judged", [0.25, 0, 0, 1, 0, 0]),
        ("exact", [0, 0, 0, 1, 0, 0]),
        # steps from p[2]: root 2, s[1] 1, siblings 2, s[2] 3
        ({"name": "distance", "reach": 3, "decay": 0.5}, [0.25, 0.5, 0.25, 1, 0.25, 0.125]),
        ({"name": "distance", "reach": 2, "decay": 0.9}, [0.81, 0.9, 0.81, 1, 0.81, 0]),
        # 5 of 24 and of 20 characters; the root's own .25 is more than 5/24
        ("length_ratio", [0.25, 0.25, 0, 1, 0, 0]),
        # the section and its first paragraph begin 10 before; p[3] begins at the end, s[2] 5 after it
        ({"name": "reading_order", "within": 20}, [0.5, 0.5, 0.5, 1, 0.5, 0.375]),
        ({"name": "reading_order", "within": 20, "after": 0.0}, [0.5, 0.5, 0.5, 1, 0, 0]),
        ({"name": "tolerance_to_irrelevance", "characters": 10}, [1, 1, 1, 1, 0, 0]),
        ({"name": "tolerance_to_irrelevance", "characters": 9}, [0.25, 0, 0, 1, 0, 0]),
        # the closenesses of distance alone times those of length_ratio above
        (_COMBINED, [0.25, 0.125, 0, 1, 0, 0]),
    ],
)
def test_gain_of_a_single_result_by_hand(near: object, expected: list[float]) -> None:
    found = [gains(near, [path])[0] for path in PATHS]
    assert found == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(
    ("models", "message"),
    [
        ("dist", "unknown near-miss model 'dist': did you mean 'distance'?"),
        ("distance(rech=3)", "has no parameter 'rech': did you mean 'reach'?"),
        ("distance + exact", "models is 'distance + exact': expected near-miss models"),
    ],
)
def test_a_wrong_combination_is_refused(models: str, message: str) -> None:
    with pytest.raises(XcgError, match=re.escape(message)):
        gains({"name": "combined", "models": models}, [IDEAL])


def test_near_misses_use_up_the_score_of_the_ideal_element() -> None:
    near = {"name": "distance", "reach": 2, "decay": 0.9}
    # p[1] gains .81, p[3] the remaining .19, the ideal element nothing
    assert gains(near, ["/a[1]/s[1]/p[1]", "/a[1]/s[1]/p[3]", IDEAL]) == pytest.approx([0.81, 0.19, 0])
    assert gains(near, [IDEAL, "/a[1]/s[1]/p[1]"]) == pytest.approx([1, 0])
    apart = gains(near, ["/a[1]/s[1]/p[1]", "/a[1]/s[1]/p[3]"], normalisation="none")
    assert apart == pytest.approx([0.81, 0.81])


def test_a_near_miss_of_two_ideal_elements_has_the_higher_score() -> None:
    tree = parse_document(b"<a><p>1</p><p>2</p><s><p>3</p></s></a>")
    ideals = {"/a[1]/p[1]": 0.5, "/a[1]/s[1]/p[1]": 1.0}
    found = near_scores(NEAR_MISSES.part("distance", {"reach": 3, "decay": 0.5}), tree, ideals)
    named = {tree.paths[row]: (score, tree.paths[home]) for row, (score, home) in found.items()}
    assert named["/a[1]/p[2]"] == (0.125, "/a[1]/p[1]")  # .5 · .25, and 1 · .125: the first
    assert named["/a[1]/s[1]"] == (0.5, "/a[1]/s[1]/p[1]")


CORNERS = [
    ({"name": "distance", "decay": 0.0}, "judged"),
    ({"name": "reading_order", "before": 0.0, "after": 0.0}, "judged"),
]


@pytest.mark.parametrize(("near", "simpler"), CORNERS)
def test_extreme_parameters_give_simpler_models(near: object, simpler: str) -> None:
    results = ["/a[1]/s[1]/p[1]", "/a[1]/s[2]", "/a[1]", IDEAL, "/a[1]/s[1]"]
    assert gains(near, results) == gains(simpler, results)


def nan_model(tree: object, ideal: str, ideals: object) -> dict[str, float]:
    return {"/a[1]/s[2]": math.nan}


def high_model(tree: object, ideal: str, ideals: object) -> dict[str, float]:
    return {"/a[1]/s[2]": 1.5}


def lost_model(tree: object, ideal: str, ideals: object) -> dict[str, float]:
    return {"/a[1]/s[9]": 0.5}


def row_model(tree: object, ideal: str, ideals: object) -> dict[int, float]:
    return {2: 0.5}


def failing_model(tree: object, ideal: str, ideals: object) -> dict[str, float]:
    raise RuntimeError("no idea")


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (nan_model, "gives nan for /a[1]/s[2]; expected a closeness from 0 to 1"),
        (high_model, "gives 1.5 for /a[1]/s[2]; expected a closeness from 0 to 1"),
        (lost_model, "no element /a[1]/s[9]"),
        (row_model, "no path: 2; tree.path(row) is the path of a row"),
        (failing_model, f"failing_model failed on {IDEAL}: RuntimeError: no idea"),
        ({"name": "distance", "decay": 2.0}, "decay is 2.0: expected a number from 0 to 1"),
    ],
)
def test_an_error_names_model_topic_and_ideal_element(model: object, message: str) -> None:
    with pytest.raises(XcgError) as raised:
        gains(model, [IDEAL])
    assert message in str(raised.value)
    if callable(model):
        assert f"user model m, topic 1, d: near-miss model {model.__name__}" in str(raised.value)
        assert IDEAL in str(raised.value)


def test_models_that_need_text_ask_for_the_corpus() -> None:
    model = {"name": "m", "relevance_value": {"near_misses": "reading_order"}}
    with pytest.raises(XcgError, match="the position of its text is unknown; give the corpus"):
        xcg.evaluate(JUDGED, {"r": {"1": [("d", IDEAL)]}}, None, model)
