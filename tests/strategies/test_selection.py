"""Hand-computed rankings of the strategies that keep some results."""

from __future__ import annotations

import random
import time
import tracemalloc

import pytest
from rewritten_rankings import rewritten

from xcg import Corpus, Run
from xcg.documents.passage_points import Passage
from xcg.documents.tree import ElementTree
from xcg.errors import InputError, MissingSizeError, XcgError
from xcg.runs.run import Ranking
from xcg.strategies.registry import strategies_of
from xcg.strategies.rewriting import rewrite
from xcg.strategies.selection import top_ranked

CORPUS = Corpus.of({"d": "<a><s><p>one</p><p>two</p></s><s><p>three</p></s></a>"})
"""Characters: /a 0-11, s[1] 0-6, s[1]/p[1] 0-3, s[1]/p[2] 3-6, s[2] and s[2]/p[1] 6-11."""

ELEMENTS = ["d#/a/s/p", "d#/a/s", "d#/a/s[2]", "d#/a/s/p[2]", "d#/a", "d#/a/s[2]"]
PASSAGES = ["d#5:5", "d#0:6", "d#8:4", "d#6:2", "d#10:2", "d#8:4"]
MIXED = ["d#/a/s/p", "d#1:4", "d#/a/s[2]", "d#/a/s[2]/p", "d#6:3", "d#3:3", "d"]


@pytest.mark.parametrize("results", [ELEMENTS, PASSAGES, MIXED])
def test_thorough_returns_the_ranking_itself(results):
    (thorough,) = strategies_of("thorough")
    ranking = Run.of("r", {"1": results}).rankings["1"]
    assert thorough.function(ranking, None) is ranking


@pytest.mark.parametrize(
    ("results", "kept"),
    [(ELEMENTS, [0, 1, 2, 3, 4]), (PASSAGES, [0, 1, 2, 3, 4]), (MIXED, [0, 1, 2, 3, 4, 5, 6])],
)
def test_unique_drops_names_that_occurred(results, kept):
    assert rewritten("unique", results) == [results[position] for position in kept]


def test_the_whole_document_and_its_root_are_one_result_in_both_orders():
    assert rewritten("unique", ["d", "d#/a", "e#/a", "e"]) == ["d", "e#/a"]


def test_unique_keeps_the_first_of_equal_results_of_each_document():
    assert rewritten("unique", ["d#/a/p", "e#/a/p", "d#/a/p", "e#/a/p"]) == ["d#/a/p", "e#/a/p"]


@pytest.mark.parametrize("strategy", ["unique", "top_ranked"])
def test_results_that_name_nothing_are_kept(strategy):
    """Their offset is unknown, or their path was illegal and errors are lenient."""
    unknown = [("d", "", (-18, 0)), ("d", "", None)]
    ranking = Ranking.of([("d", "/a[1]", None), *unknown, *unknown])
    (bound,) = strategies_of(strategy)
    assert bound.function(ranking, None) == ranking


@pytest.mark.parametrize(
    ("results", "kept"), [(ELEMENTS, [0, 2, 3]), (PASSAGES, [0, 4]), (MIXED, [0, 2, 5])]
)
def test_top_ranked_keeps_results_that_overlap_no_kept_result(results, kept):
    expected = [results[position] for position in kept]
    assert rewritten("top_ranked", results, CORPUS) == expected


def test_top_ranked_keeps_empty_and_adjacent_passages():
    assert rewritten("top_ranked", ["d#4:4", "d#6:0", "d#0:4", "d#8:1", "d#7:2"]) == (
        ["d#4:4", "d#6:0", "d#0:4", "d#8:1"]
    )


def test_siblings_with_similar_positions_do_not_overlap():
    results = ["d#/a/s[1]", "d#/a/s[11]/p", "d#/a/s[11]", "d#/a/s-s/p", "d#/a/s"]
    assert rewritten("top_ranked", results) == ["d#/a/s", "d#/a/s[11]/p", "d#/a/s-s/p"]


def test_scores_stay_with_their_results():
    (top_ranked,) = strategies_of("top_ranked")
    run = Run.of("r", {"1": {"d#/a/s": 3.5, "d#/a": 3.0, "d#/a/b": 1.5}})
    assert list(rewrite(run, top_ranked).rankings["1"].keys) == [3.5, 1.5]


def test_elements_and_passages_of_one_document_need_the_corpus():
    expected = (
        "run r, topic 1, strategy top_ranked: d: the strategy needs the document; give the corpus"
    )
    with pytest.raises(InputError, match=expected):
        rewritten("top_ranked", ["d#/a/s", "d#0:4"])


def test_elements_and_passages_of_different_documents_need_no_corpus():
    assert rewritten("top_ranked", ["d#/a/s", "e#0:4"]) == ["d#/a/s", "e#0:4"]


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


@pytest.mark.parametrize(
    ("strategy", "message"),
    [
        ("top_rankd", "unknown strategy 'top_rankd': did you mean 'top_ranked'?"),
        ("top_ranked(rank=own)", "strategy top_ranked has no parameter 'rank': it has no parameters"),
    ],
)
def test_illegal_names_and_parameters_have_a_message(strategy, message):
    with pytest.raises(XcgError) as error:
        strategies_of(strategy)
    assert str(error.value) == message


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


def test_a_passage_inside_two_crossing_passages_moves_both_in_their_order():
    """3-5 is in 2-8 and 0-6, but not in 4-9; 5-6 is in all three, and 7-8 only in 2-8 and 4-9."""
    results = ["e#0:9", "d#3:2", "e#9:9", "d#4:5", "d#2:6", "d#5:1", "d#7:1", "d#0:6"]
    assert rewritten("outermost(rank=best)", results) == (["e#0:9", "d#2:6", "d#0:6", "e#9:9", "d#4:5"])
    assert rewritten("outermost", results) == ["e#0:9", "e#9:9", "d#4:5", "d#2:6", "d#0:6"]


def test_moved_results_take_a_score_above_the_next_result():
    (best,) = strategies_of("outermost(rank=best)")
    run = Run.of("r", {"1": {"d#/a/s": 3.5, "e": 3.0, "d#/a": 1.5}})
    ranking = rewrite(run, best).rankings["1"]
    assert list(ranking) == [("d", "/a[1]"), ("e", "/")]
    assert ranking.keys[0] > ranking.keys[1] == 3.0


@pytest.mark.parametrize("strategy", ["outermost", "outermost(rank=best)", "innermost"])
def test_the_earlier_of_two_results_with_equal_characters_is_kept(strategy):
    assert rewritten(strategy, ["d#6:5", "d#/a/s[2]", "d#/a/s[2]/p"], CORPUS) == ["d#6:5"]
    assert rewritten(strategy, ["d#/a/s[2]/p", "d#6:5", "d#/a/s[2]"], CORPUS) == ["d#/a/s[2]/p"]


@pytest.mark.parametrize("strategy", ["outermost", "outermost(rank=best)", "innermost"])
def test_passages_without_text_contain_nothing_and_are_contained_in_nothing(strategy):
    results = ["d#0:8", "d#4:0", "d#X:0", "d#8:0", "d#X:0"]
    assert rewritten(strategy, [*results, "d#4:0"]) == results


def test_an_illegal_rank_has_a_message():
    with pytest.raises(XcgError) as error:
        strategies_of("outermost(rank=bset)")
    assert str(error.value) == "strategy outermost: rank is 'bset': did you mean 'best'?"


HOSTILE = {
    "nested": lambda n: [(n - i, n + 1 + i) for i in range(n)],
    "identical": lambda n: [(5, 50)] * n,
    "sliding": lambda n: [(i, i + 1000) for i in range(n)],
    "comb": lambda n: [(i // 2, i // 2 + 1 if i % 2 else n) for i in range(n)],
}


@pytest.mark.slow
@pytest.mark.parametrize("shape", HOSTILE)
def test_hostile_passages_take_seconds(shape):
    spans = HOSTILE[shape](100_000)
    random.Random(1).shuffle(spans)
    ranking = Ranking.of([("d", "", span) for span in spans])
    started = time.process_time()
    for text in ("unique", "top_ranked", "outermost(rank=best)", "innermost", "by_document"):
        (strategy,) = strategies_of(text)
        strategy.function(ranking, None)
    assert time.process_time() - started < 20


def test_long_paths_need_memory_in_proportion_to_their_length():
    below = "/a[1]" * 1_600
    paths = [f"/r[{number}]{below}" for number in range(1, 101)]
    results = [*(("d", path, None) for path in paths), ("d", f"/r[7]{below}/b[1]", None)]
    tracemalloc.start()
    kept = top_ranked(Ranking.of(results))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert list(kept.paths) == paths
    assert peak < 10_000_000  # with all ancestors in memory it was 600 million
