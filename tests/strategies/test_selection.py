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

ELEMENTS = ["d#/a/s/p", "d#/a/s", "d#/a/s[2]", "d#/a/s/p[2]", "d#/a", "d#/a/s[2]"]
PASSAGES = ["d#5:5", "d#0:6", "d#8:4", "d#6:2", "d#10:2", "d#8:4"]
MIXED = ["d#/a/s/p", "d#1:4", "d#/a/s[2]", "d#/a/s[2]/p", "d#6:3", "d#3:3", "d"]


@pytest.mark.parametrize(
    ("results", "kept"),
    [(ELEMENTS, [0, 1, 2, 3, 4]), (PASSAGES, [0, 1, 2, 3, 4]), (MIXED, [0, 1, 2, 3, 4, 5, 6])],
)
def test_unique_drops_names_that_occurred(results, kept):
    assert rewritten("unique", results) == [results[position] for position in kept]


def test_the_whole_document_and_its_root_are_one_result_in_both_orders():
    assert rewritten("unique", ["d", "d#/a", "e#/a", "e"]) == ["d", "e#/a"]


@pytest.mark.parametrize(
    ("results", "kept"), [(ELEMENTS, [0, 2, 3]), (PASSAGES, [0, 4]), (MIXED, [0, 2, 5])]
)
def test_top_ranked_keeps_results_that_overlap_no_kept_result(results, kept):
    expected = [results[position] for position in kept]
    assert rewritten("top_ranked", results, CORPUS) == expected


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


@pytest.mark.parametrize(("results", "kept"), [(ELEMENTS, [4]), (PASSAGES, [0, 1, 2]), (MIXED, [6])])
def test_outermost_keeps_results_that_no_other_result_contains(results, kept):
    expected = [results[position] for position in kept]
    assert rewritten("outermost", results, CORPUS) == expected
    assert rewritten("outermost(rank=own)", results, CORPUS) == expected


@pytest.mark.parametrize(
    ("results", "kept"), [(ELEMENTS, [0, 2, 3]), (PASSAGES, [1, 3, 4]), (MIXED, [0, 1, 4, 5])]
)
def test_innermost_keeps_results_that_contain_no_other_result(results, kept):
    expected = [results[position] for position in kept]
    assert rewritten("innermost", results, CORPUS) == expected


def test_outermost_moves_each_result_to_the_best_rank_inside_it():
    results = ["d#/a/s/p", "e", "d#/a/s[2]", "d#/a/s"]
    assert rewritten("outermost(rank=best)", results) == ["d#/a/s", "e", "d#/a/s[2]"]


@pytest.mark.parametrize("strategy", ["outermost", "outermost(rank=best)", "innermost"])
def test_the_earlier_of_two_results_with_equal_characters_is_kept(strategy):
    assert rewritten(strategy, ["d#6:5", "d#/a/s[2]", "d#/a/s[2]/p"], CORPUS) == ["d#6:5"]
    assert rewritten(strategy, ["d#/a/s[2]/p", "d#6:5", "d#/a/s[2]"], CORPUS) == ["d#/a/s[2]/p"]


@pytest.mark.parametrize("strategy", ["outermost", "outermost(rank=best)", "innermost"])
def test_passages_without_text_contain_nothing_and_are_contained_in_nothing(strategy):
    results = ["d#0:8", "d#4:0", "d#X:0", "d#8:0", "d#X:0"]
    assert rewritten(strategy, [*results, "d#4:0"]) == results
