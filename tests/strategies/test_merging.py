"""Hand-computed rankings of ``merge_adjacent``, and comparison with the definition as code."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from rewritten_rankings import names, rewritten

from xcg import Corpus
from xcg.documents.passage_points import Passage
from xcg.runs.run import UNKNOWN_SPAN, Ranking
from xcg.strategies.registry import strategies_of

CORPUS = Corpus.of({"d": "<a><s><p>1234</p><p>567</p></s>89<s>0123456789</s><f/></a>"})
"""Characters: /a 0-19, s[1] 0-7 with p[1] 0-4 and p[2] 4-7, s[2] 9-19, f 19-19."""


def test_elements_become_spans():
    results = ["d#/a/s[2]", "d#/a/s/p[2]", "d#/a/s/p", "d#/a/f"]
    assert rewritten("merge_adjacent", results, CORPUS) == ["d#9:10", "d#0:7", "d#19:0"]
    assert rewritten("merge_adjacent(gap=2)", results, CORPUS) == ["d#0:19", "d#19:0"]
    assert rewritten("merge_adjacent", ["d"], CORPUS) == ["d#0:19"]


def test_passages_by_points():
    passage = Passage.of("/a/s[1]", "/a/s[1]/p[2]/text()[1].1")
    ranking = Ranking.of([("d", "", passage), ("d", "", (5, 6))])
    (strategy,) = strategies_of("merge_adjacent")
    assert names(strategy.function(ranking, CORPUS)) == ["d#0:6"]


def test_the_best_rank_of_results_with_ranks():
    ranking = Ranking.of([("d", "", (0, 4)), ("e", "", (0, 4)), ("d", "", (4, 9))], [1, 2, 3])
    (strategy,) = strategies_of("merge_adjacent")
    result = strategy.function(ranking, None)
    assert (list(result.keys), result.has_scores) == ([1, 2], False)


def test_merged_passages_keep_a_common_parent():
    ranking = Ranking.of([("d", "", span) for span in [(0, 4), (4, 9), (20, 24), (24, 29), (40, 49)]])
    ranking.parents = {0: (0, 9), 1: (0, 9), 2: (15, 24), 3: (24, 32), 4: (32, 64)}
    (strategy,) = strategies_of("merge_adjacent")
    assert strategy.function(ranking, None).parents == {0: (0, 9), 2: (32, 64)}


def test_results_without_text_stay_as_they_are():
    results = [("d", "", UNKNOWN_SPAN), ("d", "/a[1]/x[9]", None), ("d", "", (4, 4)), ("x", "/", None)]
    results += [("d", "", (2, 4)), ("d", "", (4, 6)), ("d", "", None)]
    ranking = Ranking.of(results)
    (strategy,) = strategies_of("merge_adjacent(gap=100)")
    result = strategy.function(ranking, CORPUS)
    assert result == Ranking.of([*results[:4], ("d", "", (2, 6)), results[6]])


@given(
    st.lists(st.tuples(st.sampled_from("de"), st.integers(0, 40), st.integers(1, 6))), st.integers(0, 4)
)
def test_random_spans_follow_the_definition(drawn, gap):
    merged = [(n, file, start, start + length) for n, (file, start, length) in enumerate(drawn)]
    changed = True
    while changed:
        changed = False
        for one in merged:
            for two in merged:
                if one != two and one[1] == two[1] and max(one[2], two[2]) - min(one[3], two[3]) <= gap:
                    joined = min(one[0], two[0]), one[1], min(one[2], two[2]), max(one[3], two[3])
                    merged = [*(row for row in merged if row not in (one, two)), joined]
                    changed = True
                    break
            if changed:
                break
    results = [f"{file}#{start}:{length}" for file, start, length in drawn]
    expected = [f"{file}#{start}:{end - start}" for _, file, start, end in sorted(merged)]
    assert rewritten(f"merge_adjacent(gap={gap})", results) == expected
