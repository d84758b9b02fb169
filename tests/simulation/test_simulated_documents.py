"""Simulated articles have the requested sizes, and their retrievable elements are as parsed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import xcg
from xcg.simulation.campaign import simulate
from xcg.simulation.documents import GRANULARITY, ArticleFactory
from xcg.simulation.shape import DOCUMENT, Shape


@pytest.mark.slow
def test_sizes_are_as_requested(tmp_path: Path) -> None:
    shape = Shape(articles=300, topics=3, runs=2, results=40, elements=100, seed=3)
    simulate(tmp_path / "c", shape)
    corpus = xcg.Corpus(tmp_path / "c" / "documents")
    trees = [corpus.tree(name) for name in corpus]
    sizes = np.array([len(tree) for tree in trees])
    assert sizes.mean() == pytest.approx(100, rel=0.1)
    # Sizes are log-normal: their logarithms are symmetric around the mean.
    logs = np.log(sizes)
    assert 0.3 < logs.std() < 0.7
    assert abs(((logs - logs.mean()) ** 3).mean() / logs.std() ** 3) < 0.6
    assert len(list((tmp_path / "c" / "assessments").glob("*.xml"))) == 3
    assert len(list((tmp_path / "c" / "runs").glob("*.xml"))) == 2


@pytest.mark.slow
def test_articles_of_the_default_size_are_as_large_and_deep_as_in_inex(tmp_path: Path) -> None:
    simulate(tmp_path / "c", Shape(articles=1000, topics=1, runs=1, results=10))
    corpus = xcg.Corpus(tmp_path / "c" / "documents")
    depths = [corpus.tree(name).depth for name in corpus]
    assert sum(map(len, depths)) / len(depths) == pytest.approx(680, rel=0.05)
    assert np.concatenate(depths).mean() == pytest.approx(6.9, abs=0.15)


def test_retrievable_elements_are_those_of_the_parsed_article() -> None:
    shape = Shape.small(seed=11)
    factory = ArticleFactory(shape)
    for number in range(5):
        rng = shape.generator(DOCUMENT, number)
        article = factory.draw(number, rng)
        tree = xcg.parse_document(factory.xml(article, rng))
        rows = [row for row in range(len(tree)) if tree.tag(row) in GRANULARITY]
        elements = factory.retrievable(article)
        assert elements.paths == [tree.paths[row] for row in rows]
        assert elements.granularities.tolist() == [GRANULARITY[tree.tag(row)] for row in rows]
        for position, row in enumerate(rows):
            ancestors = [rows.index(a) for a in tree.ancestors(row) if a in rows]
            assert elements.parents[position] == (ancestors[0] if ancestors else -1)
            assert elements.ends[position] == sum(r < tree.end[row] for r in rows)
