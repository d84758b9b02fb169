"""Runs after a strategy: names, scores, messages, and files that hold them."""

from __future__ import annotations

import math
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import xcg
from xcg.errors import InputError, XcgError
from xcg.formats.base import read_run
from xcg.runs.run import RUN_FORMATS, UNKNOWN_SPAN, Ranking, Run
from xcg.strategies.registry import rewrite_runs, strategies_of, with_ordered_keys

RESULTS = ["d#/a/s[1]/p[1]", "d#/a/s[1]", "d#/a/s[2]"]


def reverse(ranking: Ranking, corpus: object) -> Ranking:
    """Return the results in reverse order."""
    return ranking.select(range(len(ranking) - 1, -1, -1))


def test_a_run_is_rewritten_under_a_new_name() -> None:
    run = Run.of("bm25", {"1": RESULTS, "2": ["d"]})
    rewritten = xcg.rewrite(run, "top_ranked")
    assert (rewritten.name, rewritten.strategy, rewritten.source) == (
        "bm25+top_ranked",
        "top_ranked",
        run.source,
    )
    assert rewritten.rankings["1"].paths == ["/a[1]/s[1]/p[1]", "/a[1]/s[2]"]
    assert rewritten.rankings["2"] is run.rankings["2"]
    assert len(run.rankings["1"]) == 3
    again = xcg.rewrite(rewritten, reverse)
    assert (again.name, again.strategy) == ("bm25+top_ranked+reverse", "top_ranked+reverse")
    assert again.rankings["1"].paths == ["/a[1]/s[2]", "/a[1]/s[1]/p[1]"]


def test_exactly_one_strategy_is_expected() -> None:
    run = Run.of("r", {"1": RESULTS})
    with pytest.raises(XcgError, match=r"2 strategies, controlled\(ancestor=0\) and others"):
        xcg.rewrite(run, "controlled(ancestor=[0, 1])")
    with pytest.raises(XcgError, match="expected a name, or a mapping with a name"):
        xcg.rewrite(run, ["unique", "thorough"])


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda ranking, corpus: 1 / 0, "failed: ZeroDivisionError: division by zero"),
        (lambda ranking, corpus: [1], "returned list: expected a Ranking"),
        (lambda ranking: ranking, "failed: TypeError: "),
        (
            lambda ranking, corpus: Ranking(["d"], []),
            "returned files, paths and keys of 1, 0: expected equal lengths",
        ),
        (
            lambda ranking, corpus: Ranking(["d"], ["/"], keys=[1.0, 2.0]),
            "returned files, paths and keys of 1, 1, 2: expected equal lengths",
        ),
        (lambda ranking, corpus: corpus["d"], "failed: TypeError"),
    ],
)
def test_an_error_of_a_strategy_names_run_topic_and_strategy(function: object, message: str) -> None:
    with pytest.raises(InputError) as caught:
        xcg.rewrite(Run.of("r", {"7": RESULTS}), {"name": function})
    where = "run r, topic 7, strategy test_rewriting.<lambda>: ".replace("test_rewriting.", "")
    assert str(caught.value).startswith(where + message)


def test_the_error_is_that_of_the_first_topic_and_run() -> None:
    """So it does not depend on the number of workers, each of which rewrites some of the topics."""
    late = Run.of("late", {"1": ["d#0:9"], "2": ["d#/a/p"], "3": ["c#/a/p"]})
    early = Run.of("early", {"3": ["d#0:9"], "1": ["e#/a/p"]})
    (strategy,) = strategies_of("merge_adjacent")
    for order, message in (
        ([late, early], "run early, topic 1, strategy merge_adjacent: e: "),
        ([early, late], "run late, topic 3, strategy merge_adjacent: c: "),
    ):
        with pytest.raises(InputError, match=f"^{message}"):
            rewrite_runs(order, [strategy])


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ([3.0, 2.0, 1.0], [3.0, 2.0, 1.0]),
        ([2.0, 2.0, 1.0], [2.0, 2.0, 1.0]),
        ([1.0, 2.0, 1.5], [math.nextafter(2.0, math.inf), 2.0, 1.5]),
        ([-1.0, -3.0, -2.0], [-1.0, math.nextafter(-2.0, math.inf), -2.0]),
        ([0.0, 0.0, 5e-324], [1.5e-323, 1e-323, 5e-324]),
        ([1.0, sys.float_info.max], None),
    ],
)
def test_scores_are_raised_where_they_would_not_decrease(
    keys: list[float], expected: list[float] | None
) -> None:
    ranking = Ranking(["d"] * len(keys), ["/"] * len(keys), keys=keys, has_scores=True)
    ordered = with_ordered_keys(ranking)
    assert (ordered.keys and list(ordered.keys)) == expected
    assert ordered.has_scores == (expected is not None)


def test_ranks_are_lowered_where_they_would_not_increase() -> None:
    ranking = Ranking(["d"] * 3, ["/"] * 3, keys=[3.0, 1.0, 2.0])
    keys = with_ordered_keys(ranking).keys
    assert list(keys or ()) == [math.nextafter(1.0, -math.inf), 1.0, 2.0]


_SCORES = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from([0.0, 1.0, 2.0, 1e16, 5e-324, 1e300, sys.float_info.max, -sys.float_info.max]),
)
_FILES = st.sampled_from(["d", "e/1", "x#y"])
_ELEMENTS = st.tuples(_FILES, st.sampled_from(["/a[1]", "/a[1]/b[2]", "/a[1]/b[10]"]), st.none())
_DOCUMENTS = st.tuples(_FILES, st.just("/"), st.none())
_PASSAGES = st.tuples(_FILES, st.just(""), st.sampled_from([(0, 0), (0, 7), (3, 1000), UNKNOWN_SPAN]))
_RESULTS = {
    "trec": st.one_of(_ELEMENTS, _DOCUMENTS, _PASSAGES),
    "jsonl": st.one_of(_ELEMENTS, _DOCUMENTS, _PASSAGES),
    "inex": st.one_of(_ELEMENTS, _PASSAGES),
}


def rankings(format: str) -> st.SearchStrategy[Ranking]:
    """Return rankings with scores in their order, with ranks, or without both."""
    scored = st.lists(st.tuples(_RESULTS[format], _SCORES), min_size=1, max_size=8).map(
        lambda found: Ranking.of(
            [result for result, _ in found],
            sorted((score for _, score in found), reverse=True),
            has_scores=True,
        )
    )
    unscored = st.lists(_RESULTS[format], min_size=1, max_size=8).map(Ranking.of)
    return st.one_of(scored, unscored)


@given(st.data())
@pytest.mark.parametrize("format", _RESULTS)
def test_a_written_run_is_read_in_the_same_order(
    tmp_path: Path, format: str, data: st.DataObject
) -> None:
    run = Run("r", {topic: data.draw(rankings(format)) for topic in ("1", "2")})
    rewritten = xcg.rewrite(run, data.draw(st.sampled_from(["thorough", "unique", reverse])))
    path = tmp_path / f"r.{format}"
    lost = rewritten.write(path, format)
    again = read_run(path)
    assert again.rankings == rewritten.rankings
    for topic, ranking in again.rankings.items():
        if not any(what.startswith("scores") for what in lost) and rewritten.rankings[topic].has_scores:
            assert list(ranking.scores) == list(rewritten.rankings[topic].scores)


def test_every_format_that_is_written_is_tested() -> None:
    assert {name for name in RUN_FORMATS if RUN_FORMATS.get(name).write is not None} >= set(_RESULTS)
