"""Simulated campaigns are what was asked for, hold together, and behave as their systems' names say."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import Command

import xcg
from xcg.evaluation.config import load_configuration
from xcg.evaluation.validation import validate
from xcg.judgements.recall_base import RecallBase
from xcg.runs.result_overlap import overlapping_results
from xcg.simulation.campaign import Shape, Simulated, System, simulate, systems

SHAPE = Shape.small(seed=7, runs=12, assessors=2)


def files(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@pytest.fixture(scope="module")
def campaign(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("simulation") / "campaign"
    simulate(folder, SHAPE)
    return folder


def test_the_same_seed_gives_the_same_octets(campaign: Path, tmp_path: Path) -> None:
    simulate(tmp_path / "again", SHAPE)
    assert files(tmp_path / "again") == files(campaign)
    simulate(tmp_path / "other", dataclasses.replace(SHAPE, seed=8))
    assert files(tmp_path / "other") != files(campaign)


@pytest.mark.parametrize(
    ("change", "kept"),
    [
        ({"runs": 3}, ("documents", "assessments", "runs")),
        ({"topics": 2}, ("documents", "assessments")),
        ({"results": 10}, ("documents", "assessments")),
        ({"assessors": 3}, ("documents", "assessments", "runs")),
        ({"agreement": 0.1}, ("documents", "assessments/assessor1", "runs")),
        ({"articles": 20}, ("documents",)),
    ],
)
def test_a_file_does_not_depend_on_how_much_else_there_is(
    campaign: Path, tmp_path: Path, change: dict[str, Any], kept: tuple[str, ...]
) -> None:
    simulate(tmp_path / "other", dataclasses.replace(SHAPE, **change))
    first, other = files(campaign), files(tmp_path / "other")
    for folder in kept:
        shared = [name for name in other if name.startswith(folder) and name in first]
        assert shared
        assert {name: other[name] for name in shared} == {name: first[name] for name in shared}
    fewer = [name for name in other if name.startswith(kept) and name not in first]
    assert all("assessor3" in name for name in fewer)


def test_sizes_are_those_asked_for(tmp_path: Path) -> None:
    shape = Shape(articles=300, topics=3, runs=2, results=40, elements=100, seed=3)
    made = simulate(tmp_path / "c", shape)
    corpus = xcg.Corpus(tmp_path / "c" / "documents")
    trees = [corpus.tree(name) for name in corpus]
    sizes = np.array([len(tree) for tree in trees])
    depth = np.concatenate([tree.depth for tree in trees]).mean()
    assert made == Simulated(300, int(sizes.sum()), made.depth, 3, made.passages, 2, 2 * 3 * 40)
    assert made.depth == pytest.approx(depth)
    assert sizes.mean() == pytest.approx(100, rel=0.1)
    # Log-normal: the logarithms spread evenly about their mean, the sizes do not.
    logs = np.log(sizes)
    assert 0.3 < logs.std() < 0.7
    assert abs(((logs - logs.mean()) ** 3).mean() / logs.std() ** 3) < 0.6
    assert len(list((tmp_path / "c" / "assessments").glob("*.xml"))) == 3
    assert len(list((tmp_path / "c" / "runs").glob("*.xml"))) == 2


def test_at_full_size_articles_are_as_large_and_deep_as_in_inex(tmp_path: Path) -> None:
    made = simulate(tmp_path / "c", Shape(articles=1000, topics=1, runs=1, results=10))
    assert made.elements / made.articles == pytest.approx(680, rel=0.05)
    assert made.depth == pytest.approx(6.9, abs=0.15)


@pytest.mark.parametrize("assessor", ["assessor1", "assessor2"])
def test_everything_named_exists(campaign: Path, assessor: str) -> None:
    report = validate(
        [campaign / "assessments" / assessor], [campaign / "runs"], campaign / "documents"
    )
    assert report.findings == []
    assert report.counts["documents"] == SHAPE.articles
    assert report.counts["assessed topics"] == SHAPE.topics
    assert report.counts["relevant elements"] > 100


def test_assessments_use_the_whole_scales(campaign: Path) -> None:
    base = xcg.read_assessments(campaign / "assessments" / "assessor1")
    labels = {a.label for t in base.topics for file in base.files(t).values() for a in file.values()}
    assert len(labels) == 9


def test_runs_are_full_and_of_their_granularity(campaign: Path) -> None:
    runs = {run.name: run for run in xcg.read_runs(campaign / "runs")}
    made = systems(SHAPE)
    assert list(runs) == [system.name for system in made]
    depths = {}
    for system in made:
        rankings = runs[system.name].rankings
        assert sorted(map(int, rankings)) == list(range(162, 162 + SHAPE.topics))
        assert all(0 < len(ranking) <= SHAPE.results for ranking in rankings.values())
        tags = [path.rpartition("/")[2].partition("[")[0] for r in rankings.values() for _, path in r]
        depths[system.granularity] = sum(tag in ("article", "bdy") for tag in tags) / len(tags)
    assert depths[max(depths)] > 2 * depths[min(depths)]


def test_overlap_is_what_the_name_says(campaign: Path) -> None:
    for system, run in zip(systems(SHAPE), xcg.read_runs(campaign / "runs"), strict=True):
        found = [item for ranking in run.rankings.values() for item in overlapping_results(ranking)]
        share = sum(found) / len(found)
        assert share > 0.3 if system.overlap else share == 0, system.name


def test_systems_spread_over_skill_and_granularity() -> None:
    made = systems(Shape())
    assert made[: SHAPE.runs] == systems(dataclasses.replace(Shape(), runs=SHAPE.runs))
    skills = sorted(system.skill for system in made)
    assert max(np.diff(skills)) < 0.05
    assert skills[0] < 0.05
    assert skills[-1] > 0.95
    assert {system.granularity for system in made} == {0.0, 0.2, 0.4, 0.6, 0.8, 1.0}
    assert abs(np.corrcoef(np.array([(s.skill, s.granularity) for s in made]).T)[0, 1]) < 0.2
    for one, other in zip(made[::2], made[1::2], strict=False):
        assert (one.overlap, other.overlap) == (True, False)
        assert (one.skill, one.granularity) == (other.skill, other.granularity)


def test_skill_orders_systems(campaign: Path) -> None:
    configuration = load_configuration(campaign / "config.yaml")
    results = xcg.evaluate(
        configuration.assessments,
        configuration.runs,
        configuration.corpus,
        measures=["MAep", "nxCG@10"],
    )
    made = sorted(systems(SHAPE), key=lambda system: system.skill)

    def mean(group: list[System], measure: str) -> float:
        return float(np.mean([results.value(system.name, measure) for system in group]))

    for measure in ("MAep", "nxCG@10"):
        low, middle, high = (mean(made[n : n + 4], measure) for n in (0, 4, 8))
        assert low < middle < high, measure


def agreed(folder: Path, agreement: float) -> float:
    """The share of elements that two assessors assess alike, of those that either assesses."""
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


def test_assessors_agree_as_far_as_asked(tmp_path: Path) -> None:
    shares = [agreed(tmp_path / str(share), share) for share in (1, 0.6, 0.2)]
    assert shares[0] == 1
    assert shares[0] > shares[1] > shares[2]
    first, second = (files(tmp_path / "1" / "assessments" / f"assessor{n}") for n in (1, 2))
    assert first == second


def test_an_assessor_may_find_nothing(tmp_path: Path) -> None:
    simulate(
        tmp_path / "c",
        Shape(
            articles=3, topics=8, runs=1, results=5, assessors=2, elements=30, relevant=1, agreement=0
        ),
    )
    base = xcg.read_assessments(tmp_path / "c" / "assessments" / "assessor2")
    assert len(base.topics) == 8
    assert any(not base.files(topic) for topic in base.topics)


def test_the_command_evaluates_it(campaign: Path, xcg_command: Command) -> None:
    done = xcg_command("evaluate", campaign / "config.yaml")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("run0") == 9


def test_a_folder_with_files_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "kept.txt").write_text("mine")
    with pytest.raises(xcg.InputError, match="not empty; expected a new one"):
        simulate(tmp_path, Shape.small())
    with pytest.raises(xcg.InputError, match="cannot write"):
        simulate(tmp_path / "kept.txt", Shape.small())
    assert files(tmp_path) == {"kept.txt": b"mine"}


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Shape(articles=0), "articles is 0: expected a whole number from 1"),
        (lambda: Shape(elements=20), "elements is 20: expected a whole number from 30"),
        (lambda: Shape(seed=-1), "seed is -1: expected a whole number from 0"),
        (lambda: Shape(agreement=1.5), "agreement is 1.5: expected a number from 0 to 1"),
    ],
)
def test_shapes_out_of_range(make: Callable[[], Shape], message: str) -> None:
    with pytest.raises(xcg.XcgError, match=message):
        make()
