"""Strategies as texts, mappings and functions: parsing, parameters, lists and ranges."""

from __future__ import annotations

import functools
from pathlib import Path

import pytest

from xcg.errors import XcgError
from xcg.evaluation.inputs import resolve_strategies
from xcg.plugins import without_plugins
from xcg.runs.run import Ranking
from xcg.strategies.registry import MAX_STRATEGIES, STRATEGIES, strategies_of


def names(spec: object) -> list[str]:
    return list(map(str, strategies_of(spec)))


def last_first(ranking: Ranking, corpus: object, *, count: int = 1, word: str = "") -> Ranking:
    """Return the last results first."""
    return ranking.select(range(len(ranking) - 1, len(ranking) - 1 - count, -1))


class Callable:
    """A strategy that is an object."""

    def __call__(self, ranking: Ranking, corpus: object, *, count: int = 1) -> Ranking:
        return ranking.top(count)


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ("thorough", ["thorough"]),
        ("promote_parent(threshold=0.4)", ["promote_parent(threshold=0.4)"]),
        ("promote_parent (threshold = .4, score=sum)", ["promote_parent(threshold=0.4, score=sum)"]),
        ("merge_adjacent(gap=[0, 10])", ["merge_adjacent(gap=0)", "merge_adjacent(gap=10)"]),
        (
            "controlled(ancestor={from: 0, to: 1, step: 0.5})",
            ["controlled(ancestor=0.0)", "controlled(ancestor=0.5)", "controlled(ancestor=1.0)"],
        ),
        (
            "controlled(ancestor=[0, 1], descendant=[0, 1])",
            [f"controlled(ancestor={a}, descendant={d})" for a in (0, 1) for d in (0, 1)],
        ),
        ("by_document(first=outermost(rank=best))", ["by_document(first=outermost(rank=best))"]),
        (
            "by_document(first=promote_parent(threshold=0.4, levels=2), order=rank)",
            ["by_document(first=promote_parent(threshold=0.4, levels=2), order=rank)"],
        ),
        (
            {"name": "controlled", "ancestor": [0, 0.5, 1]},
            ["controlled(ancestor=0)", "controlled(ancestor=0.5)", "controlled(ancestor=1)"],
        ),
        (last_first, ["last_first"]),
        ({"name": last_first, "count": [1, 2]}, ["last_first(count=1)", "last_first(count=2)"]),
        (Callable(), ["Callable"]),
        ({"name": Callable(), "count": 2}, ["Callable(count=2)"]),
        (functools.partial(last_first, count=2), ["partial"]),
    ],
)
def test_a_specification_names_strategies(spec: object, expected: list[str]) -> None:
    assert names(spec) == expected


def test_the_name_of_a_strategy_is_a_specification_of_it() -> None:
    for name in STRATEGIES:
        assert names(name) == [name]
    for text in ("promote_parent(threshold=0.4, score=sum)", "by_document(first=outermost(rank=best))"):
        (strategy,) = strategies_of(text)
        (again,) = strategies_of(str(strategy))
        assert (str(again), again.key) == (str(strategy), strategy.key)
        assert strategies_of(strategy) == [strategy]


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("", "'' is not a strategy: expected one like promote_parent(threshold=0.4)"),
        ("top_ranked(", "'top_ranked(' is not a strategy"),
        ("top_ranked, unique", "'top_ranked, unique' is not a strategy"),
        ("controlled(0.5)", "'controlled(0.5)' is not a strategy"),
        ("controlled(ancestor=1, ancestor=0)", "sets 'ancestor' twice"),
        (
            "controlled(ancestor=[0, 1)",
            "'controlled(ancestor=[0, 1)': illegal value '[0, 1' of ancestor; expected a number, a "
            "word, a list like [0, 0.5] or a range like {from: 0, to: 1, step: 0.25}",
        ),
        ("top_rankd", "unknown strategy 'top_rankd': did you mean 'top_ranked'?"),
        ("thorough(depth=1)", "strategy thorough has no parameter 'depth': it has no parameters"),
        (
            "controlled(ancestr=1)",
            "strategy controlled has no parameter 'ancestr': did you mean 'ancestor'?",
        ),
        ("controlled(ancestor=x)", "strategy controlled: ancestor is 'x': expected a number"),
        ("controlled(ancestor=2)", "ancestor is 2: expected a number from 0 to 1"),
        ("controlled(ancestor=[])", "an empty list: expected values to try"),
        (
            "controlled(ancestor={from: 0, to: 1, step: 0.0001})",
            "more than 1,000 combinations of values",
        ),
        ("os:system", "the strategy 'os:system' is part of Python's standard library"),
        ("x" * 1001, "is not a strategy: it has 1,001 characters; expected at most 1,000"),
        (
            {"name": last_first, "word": "x" * 1001},
            "last_first(word=xxxx… is not a strategy: it has 1,018 ",
        ),
        ({}, "a strategy without a name: expected one like {name: top_ranked}"),
        ({"name": ["unique", "thorough"]}, "a strategy without a name"),
        (7, "illegal strategy 7: expected a name, or a mapping with a name"),
    ],
)
def test_an_illegal_specification_has_one_message(spec: object, message: str) -> None:
    with pytest.raises(XcgError) as caught:
        strategies_of(spec)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_the_number_of_strategies_is_limited() -> None:
    gaps = "merge_adjacent(gap={{from: {}, to: {}, step: 1}})"
    assert len(resolve_strategies(gaps.format(1, MAX_STRATEGIES))) == MAX_STRATEGIES
    with pytest.raises(XcgError, match="more than 1,000 strategies"):
        resolve_strategies([gaps.format(1, 600), gaps.format(601, 1001)])


def test_a_function_next_to_a_configuration(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "def first(ranking, corpus, *, count: int = 1):\n    return ranking.top(count)\n"
    )
    (strategy,) = strategies_of("mine:first(count=2)", tmp_path)
    assert str(strategy) == "mine:first(count=2)"
    assert len(strategy.function(Ranking(["a", "b", "c"], ["/"] * 3), None)) == 2
    with pytest.raises(XcgError, match="strategy mine:first: count is 'x': expected a whole number"):
        strategies_of("mine:first(count=x)", tmp_path)
    with without_plugins(), pytest.raises(XcgError, match="the strategy 'mine:first' is a plug-in"):
        strategies_of("mine:first", tmp_path)
