"""Simulated assessors use the whole scales, and agree as far as requested."""

from __future__ import annotations

from pathlib import Path

import pytest
from simulated_campaign import SHAPE, campaign_folder, files_in

import xcg
from xcg.evaluation.validation import validate
from xcg.judgements.recall_base import RecallBase
from xcg.simulation.campaign import simulate
from xcg.simulation.shape import Shape


@pytest.mark.parametrize("assessor", ["assessor1", "assessor2"])
def test_all_assessed_and_retrieved_elements_exist(assessor: str) -> None:
    report = validate(
        [campaign_folder() / "assessments" / assessor],
        [campaign_folder() / "runs"],
        campaign_folder() / "documents",
    )
    assert report.findings == []
    assert report.counts["documents"] == SHAPE.articles
    assert report.counts["assessed topics"] == SHAPE.topics
    assert report.counts["relevant elements"] > 100


def test_assessments_use_all_nine_grades() -> None:
    base = xcg.read_assessments(campaign_folder() / "assessments" / "assessor1")
    labels = {a.label for t in base.topics for file in base.files(t).values() for a in file.values()}
    assert len(labels) == 9


def agreed(folder: Path, agreement: float) -> float:
    """Return the fraction of elements assessed alike, of those that either assessor assessed."""
    simulate(folder, Shape.small(seed=5, runs=1, assessors=2, agreement=agreement))
    one, other = (
        elements(xcg.read_assessments(folder / "assessments" / f"assessor{number}"))
        for number in (1, 2)
    )
    return len(one & other) / len(one | other)


def elements(base: RecallBase) -> set[tuple[str, str, str, str]]:
    return {
        (topic, file, path, assessment.label)
        for topic in base.topics
        for file, assessed in base.files(topic).items()
        for path, assessment in assessed.items()
    }


def test_assessors_agree_as_far_as_requested(tmp_path: Path) -> None:
    fractions = [agreed(tmp_path / str(agreement), agreement) for agreement in (1, 0.6, 0.2)]
    assert fractions[0] == 1
    assert fractions[0] > fractions[1] > fractions[2]
    first, second = (files_in(tmp_path / "1" / "assessments" / f"assessor{n}") for n in (1, 2))
    assert first == second


def test_a_further_assessor_may_mark_nothing(tmp_path: Path) -> None:
    shape = Shape(
        articles=3, topics=8, runs=1, results=5, assessors=2, elements=30, relevant=1, agreement=0
    )
    simulate(tmp_path / "c", shape)
    base = xcg.read_assessments(tmp_path / "c" / "assessments" / "assessor2")
    assert len(base.topics) == 8
    assert any(not base.files(topic) for topic in base.topics)
