"""Hand-computed rankings of ``merge_adjacent``, and comparison with the definition as code."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from conftest import Command
from hypothesis import given
from hypothesis import strategies as st
from rewritten_rankings import names, rewritten

from xcg import Corpus, Run
from xcg.documents.passage_points import Passage
from xcg.errors import InputError, XcgError
from xcg.runs.run import UNKNOWN_SPAN, Ranking
from xcg.strategies.registry import strategies_of
from xcg.strategies.rewriting import rewrite

CORPUS = Corpus.of({"d": "<a><s><p>1234</p><p>567</p></s>89<s>0123456789</s><f/></a>"})
"""Characters: /a 0-19, s[1] 0-7 with p[1] 0-4 and p[2] 4-7, s[2] 9-19, f 19-19."""


@pytest.mark.parametrize(
    ("gap", "expected"),
    [
        (0, ["d#30:10", "e#0:5", "d#0:12", "d#41:4", "d#15:5"]),
        (1, ["d#30:15", "e#0:5", "d#0:12", "d#15:5"]),
        (2, ["d#30:15", "e#0:5", "d#0:12", "d#15:5"]),
        (3, ["d#30:15", "e#0:5", "d#0:20"]),
        (10, ["d#0:45", "e#0:5"]),
    ],
)
def test_passages(gap, expected):
    results = ["d#30:10", "e#0:5", "d#8:4", "d#41:4", "d#0:8", "d#15:5"]
    assert rewritten(f"merge_adjacent(gap={gap})", results) == expected


def test_spans_are_merged_transitively():
    assert rewritten("merge_adjacent", ["d#0:5", "d#9:5", "d#4:6", "d#20:1"]) == ["d#0:14", "d#20:1"]
    assert rewritten("merge_adjacent", ["d#0:50", "d#2:3", "d#40:20"]) == ["d#0:60"]


def test_elements_become_spans():
    results = ["d#/a/s[2]", "d#/a/s/p[2]", "d#/a/s/p", "d#/a/f"]
    assert rewritten("merge_adjacent", results, CORPUS) == ["d#9:10", "d#0:7", "d#19:0"]
    assert rewritten("merge_adjacent(gap=2)", results, CORPUS) == ["d#0:19", "d#19:0"]
    assert rewritten("merge_adjacent", ["d"], CORPUS) == ["d#0:19"]


def test_elements_and_passages_of_one_document():
    assert rewritten("merge_adjacent", ["d#7:1", "d#/a/s", "d#/a/s[2]"], CORPUS) == ["d#0:8", "d#9:10"]


def test_passages_by_points():
    passage = Passage.of("/a/s[1]", "/a/s[1]/p[2]/text()[1].1")
    ranking = Ranking.of([("d", "", passage), ("d", "", (5, 6))])
    (strategy,) = strategies_of("merge_adjacent")
    assert names(strategy.function(ranking, CORPUS)) == ["d#0:6"]


def test_the_best_score_is_that_of_any_merged_result():
    """In a TREC run ordered by rank, an earlier result can have a lower score; here keys are given."""
    ranking = Ranking.of([("d", "", (0, 4)), ("e", "", (0, 4)), ("d", "", (4, 9))], [2, 2, 2.5], True)
    (strategy,) = strategies_of("merge_adjacent")
    assert list(strategy.function(ranking, None).scores) == [2.5, 2]


def test_the_best_rank_of_results_with_ranks():
    ranking = Ranking.of([("d", "", (0, 4)), ("e", "", (0, 4)), ("d", "", (4, 9))], [1, 2, 3])
    (strategy,) = strategies_of("merge_adjacent")
    result = strategy.function(ranking, None)
    assert (list(result.keys), result.has_scores) == ([1, 2], False)


def test_scores_of_unmerged_results_stay():
    results = {"d#0:4": 0.5, "d#8:4": 0.4, "e#0:4": 0.3}
    ranking = Run.of("r", {"1": results}).rankings["1"]
    (strategy,) = strategies_of("merge_adjacent")
    result = rewrite(Run("r", {"1": ranking}), strategy).rankings["1"]
    assert result == ranking
    assert list(result.keys) == [0.5, 0.4, 0.3]


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


def test_elements_need_the_corpus():
    message = r"^run r, topic 1, strategy merge_adjacent: e: the strategy needs the document; give the"
    with pytest.raises(InputError, match=message):
        rewritten("merge_adjacent", ["d#0:5", "e#/a/s"])


@pytest.mark.parametrize("gap", ["-1", "0.5", "none", "true"])
def test_illegal_gaps(gap):
    with pytest.raises(XcgError, match=r"merge_adjacent: gap is .*: expected a (whole )?number from 0"):
        strategies_of(f"merge_adjacent(gap={gap})")


def test_the_command(tmp_path: Path, xcg_command: Command) -> None:
    run = tmp_path / "r.run"
    run.write_text("1 Q0 d 1 3 r 10 20\n1 Q0 e 2 2 r 0 5\n1 Q0 d 3 1 r 32 8\n")
    options = "rewrite", "--run", run, "--strategy"
    done = xcg_command(*options, "merge_adjacent(gap=2)")
    assert done.returncode == 0
    assert [line.split()[2:4] + line.split()[6:] for line in done.stdout.splitlines()] == [
        ["d", "1", "10", "30"],
        ["e", "2", "0", "5"],
    ]
    done = xcg_command(*options, "merge_adjacent(gap=-2)")
    assert (done.returncode, done.stdout) == (2, "")
    assert "strategy merge_adjacent: gap is -2: expected a number from 0" in done.stderr


@given(
    st.lists(st.tuples(st.sampled_from("de"), st.integers(0, 40), st.integers(1, 6))),
    st.integers(0, 4),
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


@pytest.mark.parametrize(
    "spans",
    [[(n, 200_000 - n) for n in range(100_000)], [(0, 9)] * 100_000],
    ids=["nested", "identical"],
)
def test_hostile_rankings_are_rewritten_within_seconds(spans):
    ranking = Ranking.of([("d", "", span) for span in spans])
    (strategy,) = strategies_of("merge_adjacent")
    begin = time.process_time()
    assert names(strategy.function(ranking, None)) == [f"d#{spans[0][0]}:{spans[0][1] - spans[0][0]}"]
    assert time.process_time() - begin < 5
