"""Simulated assessors use the whole scales, and agree as far as requested."""

from __future__ import annotations

import re
from itertools import pairwise, repeat
from pathlib import Path

import numpy as np
import pytest
from conftest import ROOT
from simulated_campaign import SHAPE, campaign_folder, files_in

import xcg
from xcg.evaluation.inputs import Inputs
from xcg.evaluation.validation import validate
from xcg.judgements.recall_base import RecallBase
from xcg.simulation.campaign import Blocks, MarkedArticle, Passage, mark_again, simulate
from xcg.simulation.shape import Shape


@pytest.mark.parametrize("assessor", ["assessor1", "assessor2"])
def test_all_assessed_and_retrieved_elements_exist(assessor: str) -> None:
    folder = campaign_folder()
    report = validate(
        Inputs([folder / "assessments" / assessor], [folder / "runs"], folder / "documents")
    )
    assert report.findings == []
    assert report.counts["documents"] == SHAPE.articles
    assert report.counts["assessed topics"] == SHAPE.topics
    assert report.counts["relevant elements"] > 100


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
        for file, assessed in base.files[topic].items()
        for path, assessment in assessed.items()
    }


@pytest.mark.slow
def test_assessors_agree_as_far_as_requested(tmp_path: Path) -> None:
    values = (1, 0.6, 0.2, 0, -0.3, -0.6, -1)
    fractions = [agreed(tmp_path / str(agreement), agreement) for agreement in values]
    assert fractions[0] == 1
    assert all(one > other for one, other in pairwise(fractions))
    assert fractions[-1] == 0
    first, second = (files_in(tmp_path / "1" / "assessments" / f"assessor{n}") for n in (1, 2))
    assert first == second


def test_a_further_assessor_may_mark_nothing(tmp_path: Path) -> None:
    shape = Shape(
        articles=3, topics=8, runs=1, results=5, assessors=2, elements=30, relevant=1, agreement=0
    )
    simulate(tmp_path / "c", shape)
    base = xcg.read_assessments(tmp_path / "c" / "assessments" / "assessor2")
    assert len(base.topics) == 8
    assert any(not base.files[topic] for topic in base.topics)


TREE = xcg.parse_document(
    b"<article><bdy><sec><st>t</st><ip1>one</ip1><p>two</p><p>three</p>"
    b"<ss1><st>t</st><ip1>four</ip1><p>five</p></ss1></sec></bdy></article>"
)
"""Its blocks are 0 st, 1 ip1, 2 p and 3 p in the section, and 4 st, 5 ip1 and 6 p in the subsection."""


def test_below_0_the_rates_are_those_calculated_by_hand() -> None:
    # With -0.4, an article is replaced in 0.4 of all cases. In the other 0.6, its only passage is
    # redrawn with probability 0.8; else it is omitted with probability 0.5. So 0.6 · (0.8 + 0.2 · 0.5)
    # = 0.54 of the articles are relevant to both: their agreement is 0.54 / (1 + 0.4) = 0.3857.
    blocks = Blocks(TREE)
    number = 20_000
    first = repeat(MarkedArticle("first", blocks, [Passage(1, 2, 3)]), number)
    other = MarkedArticle("other", blocks, [Passage(1, 1, 1)])
    again = list(mark_again(first, repeat(other), -0.4, np.random.default_rng(0)))
    names = [article.name for article in again if article.passages]
    both, others = names.count("first"), names.count("other")
    assert both / number == pytest.approx(0.54, abs=0.01)
    assert others / number == pytest.approx(0.4, abs=0.01)
    assert both / (number + others) == pytest.approx(0.3857, abs=0.01)


def test_a_redrawn_passage_is_one_block_of_a_third_of_the_sections_with_another_grade() -> None:
    rng = np.random.default_rng(0)
    drawn = [Blocks(TREE).draw_near(Passage(2, 5, 2), rng) for _ in range(200)]
    assert {len(passages) for passages in drawn} == {1}  # of two sections
    assert {passages[0] for passages in drawn} == {
        Passage(block, block, grade) for block in (1, 2, 3, 5, 6) for grade in (1, 3)
    }
    within = [Blocks(TREE).draw_near(Passage(5, 5, 3), rng)[0] for _ in range(200)]
    assert {(passage.first, passage.grade) for passage in within} == {(5, 1), (5, 2), (6, 1), (6, 2)}


def test_the_agreement_of_inex_2004_lies_between_documented_ones() -> None:
    page = (ROOT / "docs" / "studies" / "simulation.md").read_text(encoding="utf-8")
    rows = [
        [float(cell) for cell in row.split("|")[1:-1]]
        for row in re.findall(r"^\|(?: -?[\d.]+ \|){5}$", page, re.MULTILINE)
    ]
    assert [row[0] for row in rows] == sorted((row[0] for row in rows), reverse=True)
    for kind, inex in enumerate((0.237, 0.185, 0.103, 0.02), 1):  # Kazai and Lalmas 2006, section 6.2.1
        column = [row[kind] for row in rows]
        assert column == sorted(column, reverse=True)
        assert column[0] > inex > column[-1]
        [closest] = [row[kind] for row in rows if row[0] == -0.6]
        assert closest == pytest.approx(inex, abs=0.02)
