"""Assessors: agreement by hand, and scores whose combinations are evaluations."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import product

import numpy as np
import pytest

import xcg
from xcg.errors import XcgError
from xcg.evaluation.inputs import Assessments, Inputs
from xcg.judgements.assessment import Assessment
from xcg.judgements.recall_base import RecallBase, Span
from xcg.statistics.assessors import AssessorScores, agreement, combinations, scores_by_assessor

Judged = dict[str, dict[str, dict[str, tuple[int, int]]]]


def test_agreement_computed_by_hand() -> None:
    first = RecallBase.of(
        {
            "1": {
                "d": {
                    "/article": (3, 1),
                    "/article/bdy/sec[1]": (3, 3),
                    "/article/bdy/sec[1]/p[1]": (1, 3),
                },
                "e": {"/article/bdy/sec[1]/ss1[1]": (2, 2)},
                "f": {"/article/bdy/sec[1]": (0, 0)},
            },
            "2": {"d": {"/article/bdy/sec[2]/p[1]": (1, 1)}},
            "3": {"x": {"/article/bdy/sec[2]/p[1]": (1, 1)}},  # the second has no topic 3
        }
    )
    second = RecallBase.of(
        {
            "1": {
                "d": {
                    "/article": (3, 1),
                    "/article/bdy/sec[1]": (3, 2),
                    "/article/bdy/sec[2]": (1, 1),
                    "/article/bdy/sec[1]/p[1]": (0, 0),
                },
                "f": {"/article/bdy/sec[1]": (0, 0)},  # both say irrelevant: no agreement
            },
            "2": {"d": {"/article/bdy/sec[2]/p[1]": (1, 1)}, "g": {"/article/fm/abs/p[2]": (2, 1)}},
            "4": {"d": {"/article": (3, 3)}},
        }
    )
    found = agreement(first, second)
    assert found == {
        "article": 2 / 4,  # topic 1: d of {d, e}; topic 2: d of {d, g}
        "section": 1 / 3,  # sec[1] of {sec[1], sec[2], ss1[1]}
        "paragraph": 1 / 3,  # topic 2's p[1] of {topic 1's p[1], topic 2's p[1], p[2]}
        "exact": 2 / 7,  # article and topic 2's p[1]; topic 1 has 5 elements, topic 2 has 2
    }
    assert agreement(second, first) == found


def test_agreement_depends_on_scales_but_not_on_sizes() -> None:
    def of(assessment: Assessment) -> RecallBase:
        return RecallBase.of({"1": {"d": {"/a": assessment}}})  # type: ignore[dict-item]

    sized = of(Assessment(2.0, 1.0, 40, "share"))
    assert agreement(sized, of(Assessment(2.0, 1.0, 41, "share")))["exact"] == 1  # not its grade
    assert agreement(sized, of(Assessment(2.0, 1.0)))["exact"] == 0  # (2,1) on another scale
    levels = RecallBase.of({"1": {"d": 1, "e": 0}})
    assert agreement(levels, levels)["article"] == agreement(levels, levels)["exact"] == 1


def test_agreement_needs_common_topics_and_elements() -> None:
    first = RecallBase.of({"1": {"d": {"/a": (1, 1)}}})
    with pytest.raises(XcgError, match="share no topic"):
        agreement(first, RecallBase.of({"2": {"d": {"/a": (1, 1)}}}))
    passages = RecallBase()
    passages.add_span("1", "d", None, "here")
    assert agreement(first, passages)["article"] == 0  # assessed, and nothing in it
    passages.add_span("1", "e", Span(0, 3), "here")
    with pytest.raises(XcgError, match="topic 1, e: relevant passages without assessed elements"):
        agreement(first, passages)


RUNS = {
    "r": {"1": ["d#/a/s[1]", "d#/a/s[2]"], "2": ["d#/a/s[2]"], "3": ["d#/a/s[1]"]},
    "q": {"1": ["d#/a/s[2]"], "2": ["d#/a/s[1]", "d#/a/s[2]"], "4": ["d#/a/s[3]", "d#/a/s[1]"]},
}


FIRST: Judged = {
    "1": {"d": {"/a/s[1]": (3, 3), "/a/s[2]": (1, 1)}},
    "2": {"d": {"/a/s[2]": (2, 3)}},
    "3": {"d": {"/a/s[1]": (3, 3)}},
    "5": {"d": {"/a/s[1]": (0, 0)}},  # without ideal
}


SECOND: Judged = {
    "1": {"d": {"/a/s[2]": (3, 3)}},
    "2": {"d": {"/a/s[1]": (0, 0)}},  # judged, and nothing is relevant
    "4": {"d": {"/a/s[1]": (3, 2)}},
}


def by_assessor(assessments: Sequence[Assessments], measure: str = "MAep") -> AssessorScores:
    (found,) = scores_by_assessor(assessments, Inputs(runs=RUNS, measures=measure)).values()
    return found


def directly(chosen: Judged, run: str, measure: str) -> float:
    try:
        return xcg.evaluate(chosen, RUNS, measures=measure).value(run, measure)
    except XcgError as error:
        assert "nothing to average" in str(error)
        return math.nan


def combined(assessors: list[Judged]) -> list[Judged]:
    """Every recall-base that takes each topic from one assessor, in the order of topics."""
    topics = sorted({topic for judged in assessors for topic in judged})
    having = [[judged[topic] for judged in assessors if topic in judged] for topic in topics]
    return [dict(zip(topics, chosen, strict=True)) for chosen in product(*having)]


@pytest.mark.parametrize("measure", ["nxCG@1", "MAep", "nxDCG(base=2)@2"])
def test_means_of_combinations_are_those_of_combined_assessments(measure: str) -> None:
    scores = by_assessor([FIRST, RecallBase.of(SECOND)], measure)
    assert scores.runs == ("r", "q")
    assert scores.topics == ("1", "2", "3", "4", "5")
    assert scores.assessors == [[0, 1], [0, 1], [0], [1], [0]]
    means = combinations(scores)
    wanted = [
        [directly(base, run, measure) for run in scores.runs] for base in combined([FIRST, SECOND])
    ]
    assert means.shape == (4, 2)
    assert means == pytest.approx(np.array(wanted), abs=1e-12)


def test_an_assessor_may_assess_nothing_as_relevant() -> None:
    nothing: Judged = {"1": {"d": {"/a/s[1]": (0, 0)}}}
    scores = by_assessor([FIRST, nothing], "nxCG@1")
    assert np.isnan(scores.scores[1]).all()
    assert scores.assessors[0] == [0, 1]
    assert any(note.startswith("assessor 2: nothing to average") for note in scores.notes)
    assert combinations(scores).shape == (2, 2)
    alone = combinations(by_assessor([{"1": FIRST["1"]}, nothing]))
    assert np.isnan(alone[1]).all()
    with pytest.raises(
        XcgError, match="no topic of any assessor has an ideal element under kazai-lalmas-2006"
    ):
        by_assessor([nothing, nothing])


def test_illegal_arguments_of_scores_by_assessor_are_errors() -> None:
    cases: list[tuple[Callable[[], object], str]] = [
        (
            lambda: scores_by_assessor(
                [FIRST], Inputs(runs=RUNS, user_model=["kazai-lalmas-2006", "inex-2005"])
            ),
            "2 user models: kazai-lalmas-2006, inex-2005",
        ),
        (lambda: by_assessor([FIRST, {"1": {"d": 1}}]), "2 user models: .*levels"),
        (lambda: by_assessor([FIRST], "nxDCG(mean=vectors)@2"), "its mean is not the arithmetic mean"),
        (lambda: by_assessor([FIRST], "MAepp"), "MAep"),
    ]
    for call, message in cases:
        with pytest.raises(XcgError, match=message):
            call()
