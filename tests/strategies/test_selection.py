"""Hand-computed rankings of the strategies that keep some results."""

from __future__ import annotations

import pytest
from rewritten_rankings import rewritten

from xcg import Corpus
from xcg.documents.passage_points import Passage
from xcg.documents.tree import ElementTree
from xcg.errors import InputError, MissingSizeError
from xcg.runs.run import Ranking
from xcg.strategies.registry import strategies_of

CORPUS = Corpus.of({"d": "<a><s><p>one</p><p>two</p></s><s><p>three</p></s></a>"})
"""Characters: /a 0-11, s[1] 0-6, s[1]/p[1] 0-3, s[1]/p[2] 3-6, s[2] and s[2]/p[1] 6-11."""


def test_siblings_with_similar_positions_do_not_overlap():
    results = ["d#/a/s[1]", "d#/a/s[11]/p", "d#/a/s[11]", "d#/a/s-s/p", "d#/a/s"]
    assert rewritten("top_ranked", results) == ["d#/a/s", "d#/a/s[11]/p", "d#/a/s-s/p"]


def test_elements_next_to_passages_without_text_need_no_corpus():
    results = ["d#/a/s", "d#X:0", "d#5:0", "d#/a"]
    assert rewritten("top_ranked", results) == ["d#/a/s", "d#X:0", "d#5:0"]


def test_results_that_do_not_exist_overlap_nothing():
    results = ["d#0:4", "d#/a/zz", "d#/a/zz/p", "d#/a/s[2]", "d#/a"]
    assert rewritten("top_ranked", results, CORPUS) == ["d#0:4", "d#/a/zz", "d#/a/zz/p", "d#/a/s[2]"]
    assert rewritten("top_ranked", ["z#0:4", "z#/a", "z#1:4"], CORPUS) == ["z#0:4", "z#/a"]


def test_passages_by_points_are_compared_by_characters():
    passages = [Passage.of("/a/s/p/text().1", "/a/s/p[2]"), Passage.of("/a/s[2]", "/a/s[2]")]
    (top_ranked,) = strategies_of("top_ranked")
    ranking = Ranking.of([("d", "", span) for span in [(5, 7), *passages, (6, 7)]])
    assert dict(top_ranked.function(ranking, CORPUS).spans) == {0: (5, 7)}
    with pytest.raises(MissingSizeError, match="d: the strategy needs the document"):
        top_ranked.function(ranking, None)


def test_a_corpus_without_text_has_no_characters():
    corpus = Corpus.of({"d": ElementTree.from_paths(["/a/s"], {"/a[1]/s[1]": 4})})
    with pytest.raises(InputError, match="d: the strategy needs the text of the document"):
        rewritten("top_ranked", ["d#/a/s", "d#0:4"], corpus)
