"""Simulated runs have the skill, granularity and overlap that their names state."""

from __future__ import annotations

import dataclasses

import numpy as np
from simulated_campaign import SHAPE, campaign_folder

import xcg
from xcg.formats.base import read_runs
from xcg.runs.result_overlap import overlapping_results
from xcg.simulation.documents import ArticleFactory
from xcg.simulation.shape import DOCUMENT, Shape
from xcg.simulation.systems import System, make_pool, rank, systems


def test_runs_answer_all_topics_at_their_granularity() -> None:
    runs = {run.name: run for run in read_runs(campaign_folder() / "runs")}
    drawn = systems(SHAPE)
    assert list(runs) == [system.name for system in drawn]
    large = {}
    for system in drawn:
        rankings = runs[system.name].rankings
        assert sorted(map(int, rankings)) == list(range(162, 162 + SHAPE.topics))
        assert all(0 < len(ranking) <= SHAPE.results for ranking in rankings.values())
        tags = [path.rpartition("/")[2].partition("[")[0] for r in rankings.values() for _, path in r]
        large[system.granularity] = sum(tag in ("article", "bdy") for tag in tags) / len(tags)
    assert large[max(large)] > 2 * large[min(large)]


def test_runs_overlap_as_their_names_state() -> None:
    for system, run in zip(systems(SHAPE), read_runs(campaign_folder() / "runs"), strict=True):
        found = [item for ranking in run.rankings.values() for item in overlapping_results(ranking)]
        fraction = sum(found) / len(found)
        assert fraction > 0.3 if system.overlap else fraction == 0, system.name


def test_systems_cover_skill_and_granularity_evenly() -> None:
    drawn = systems(Shape())
    assert drawn[:12] == systems(dataclasses.replace(Shape(), runs=12))
    skills = sorted(system.skill for system in drawn)
    assert max(np.diff(skills)) < 0.05
    assert skills[0] < 0.05
    assert skills[-1] > 0.95
    assert {system.granularity for system in drawn} == {0.0, 0.2, 0.4, 0.6, 0.8, 1.0}
    assert abs(np.corrcoef(np.array([(s.skill, s.granularity) for s in drawn]).T)[0, 1]) < 0.2
    for one, other in zip(drawn[::2], drawn[1::2], strict=False):
        assert (one.overlap, other.overlap) == (True, False)
        assert (one.skill, one.granularity) == (other.skill, other.granularity)


def test_scores_increase_with_skill() -> None:
    configuration = xcg.load(campaign_folder() / "config.yaml").inputs
    results = xcg.evaluate(
        configuration.assessments,
        configuration.runs,
        configuration.corpus,
        measures=["MAep", "nxCG@10"],
    )
    by_skill = sorted(systems(SHAPE), key=lambda system: system.skill)

    def mean(group: list[System], measure: str) -> float:
        return float(np.mean([results.value(system.name, measure) for system in group]))

    for measure in ("MAep", "nxCG@10"):
        low, middle, high = (mean(by_skill[n : n + 4], measure) for n in (0, 4, 8))
        assert low < middle < high, measure


def test_hardness_multiplies_the_skill() -> None:
    shape = Shape.small(seed=3)
    factory = ArticleFactory(shape)
    articles = [factory.draw(number, shape.generator(DOCUMENT, number)) for number in range(9)]
    base = xcg.read_assessments(campaign_folder() / "assessments" / "assessor1")
    names = sorted(base.files["162"])[:4]
    articles[:4] = [article._replace(name=name) for article, name in zip(articles, names, strict=False)]
    pool = make_pool(factory, articles, base, "162")
    assert pool.worth.any()

    def ranking(skill: float, hardness: float) -> list[int]:
        return rank(pool, System(1, skill, 0.4, False), 50, hardness, np.random.default_rng(1))

    assert ranking(0.8, 0.75) == ranking(0.2, 0.0) != ranking(0.8, 0.0)
    assert ranking(0.8, 1.0) == ranking(0.0, 0.0)
