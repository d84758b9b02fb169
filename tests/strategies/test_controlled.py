"""Hand-computed rankings of ``controlled``, and comparison with the definition as code."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from random_cases import RandomCampaign, campaigns
from rewritten_rankings import names

from xcg import Corpus, Run
from xcg.documents.tree import ElementTree
from xcg.errors import InputError
from xcg.runs.run import Ranking
from xcg.strategies import extents as module
from xcg.strategies.registry import rewrite, strategies_of

CORPUS = Corpus.of({"d": "<a><s><p>1234</p><p>56</p></s><s>789</s><f/></a>"})
"""Characters: /a 0-9, s[1] 0-6, s[1]/p[1] 0-4, s[1]/p[2] 4-6, s[2] 6-9, f 9-9."""


def reranked(strategy, results, corpus=CORPUS):
    """Return results and scores as text, one per result."""
    (bound,) = strategies_of(strategy)
    ranking = rewrite(Run.of("r", {"1": results}), bound, corpus).rankings["1"]
    return [f"{name} {score:.4g}" for name, score in zip(names(ranking), ranking.scores, strict=True)]


def test_elements():
    """After p[1], s[1] has 0.8 · (1 − 4/6), and /a has 0.5 · (1 − 4/9)."""
    scores = {"d#/a/s/p": 1, "d#/a/s": 0.8, "d#/a": 0.5, "d#/a/s[2]": 0.3, "d#/a/s/p[2]": 0.29}
    assert reranked("controlled", scores) == [
        "d#/a/s/p 1",
        "d#/a/s[2] 0.3",
        "d#/a/s/p[2] 0.29",  # after s[2], /a has 0.2778 · (1 − 7/9) = 0.0617
    ]
    assert reranked("controlled(ancestor=0.5)", scores) == [
        "d#/a/s/p 1",
        "d#/a/s 0.5333",  # 0.8 · (1 − 0.5 · 4/6); p[2] is dropped
        "d#/a/s[2] 0.3",
        "d#/a 0.1296",  # 0.5 · (1 − 0.5 · 4/9) · (1 − 0.5 · 6/9) · (1 − 0.5 · 9/9)
    ]


def test_ranks_are_scores_of_a_run_without_scores():
    """The scores are 3, 2 and 1; after p[1], s[1] has 2 · (1 − 0.4 · 4/6)."""
    results = ["d#/a/s/p", "d#/a/s", "d#/a/s[2]"]
    expected = ["d#/a/s/p 3", "d#/a/s 1.467", "d#/a/s[2] 1"]
    assert reranked("controlled(ancestor=0.4)", results) == expected


def test_a_missing_size_is_one_clear_message():
    message = (
        r"^run r, topic 1, strategy controlled: d: the strategy needs the document; give the corpus "
        r"\(--corpus\)$"
    )
    with pytest.raises(InputError, match=message):
        reranked("controlled", {"d#/a/s/p": 1, "d#/a/s": 0.5}, None)
    tree = ElementTree.from_paths(["/a/s/p"], {"/a[1]/s[1]/p[1]": 4})
    with pytest.raises(
        InputError, match="d: the strategy needs the text of the document; give the corp"
    ):
        reranked("controlled", {"d#/a/s/p": 1, "d#/a/s": 0.5}, Corpus.of({"d": tree}))


def test_results_that_do_not_exist_keep_their_scores():
    scores = {"d#/a/s/p[9]": 1, "d#/a/s": 0.8, "e#/a/b": 0.7, "e#/a": 0.6}
    assert reranked("controlled", scores) == ["d#/a/s/p[9] 1", "d#/a/s 0.8", "e#/a/b 0.7", "e#/a 0.6"]


def test_negative_scores_are_an_error():
    with pytest.raises(InputError, match=r"topic 1, strategy controlled: a score is -0.5: expected"):
        reranked("controlled", {"d#/a": 1, "e#/a": -0.5})


def by_definition(results, contains, text, ancestor, descendant):
    """Return (result, adjusted score) in order of output.

    Args:
        results: (name, score) in rank order.
        contains: Whether one position contains another.
        text: Position → set of its characters.
        ancestor: As in ``controlled``.
        descendant: As in ``controlled``.
    """
    scores = dict(enumerate(score for _, score in results))
    read, output = set(), []
    while scores:
        best = max(scores, key=lambda n: (scores[n], -n))
        if scores[best] == 0:
            break
        output.append((results[best][0], scores.pop(best)))
        read |= text[best]
        for other in scores:
            if contains(other, best):
                share = len(text[other] & read) / len(text[other]) if text[other] else 1
                scores[other] *= 1 - ancestor * share
            if contains(best, other):
                scores[other] *= 1 - descendant
    return output


WEIGHTS = st.sampled_from([0, 0.25, 0.5, 1])
SCORES = st.sampled_from([0, 0.125, 1, 1.5, 2, 3, 1e-300, 1e308])


def check(ranking, expected, strategy, corpus):
    result = strategy.function(ranking, corpus)
    found = [(d, p, result.spans.get(n)) for n, (d, p) in enumerate(result)]
    assert list(zip(found, result.scores, strict=True)) == expected
    assert result.has_scores


@given(
    st.lists(st.tuples(st.sampled_from("de"), st.integers(0, 12), st.integers(0, 6), SCORES)),
    WEIGHTS,
    WEIGHTS,
)
def test_crossing_passages_follow_the_definition(drawn, ancestor, descendant):
    drawn.sort(key=lambda row: -row[3])
    results = [((file, "", (start, start + length)), score) for file, start, length, score in drawn]

    def text(n):
        (file, _, (start, end)), _ = results[n]
        return {(file, character) for character in range(start, end)}

    texts = [text(n) for n in range(len(results))]

    def contains(outer, inner):
        equal = texts[outer] == texts[inner]
        return bool(texts[inner]) and texts[outer] >= texts[inner] and (not equal or outer < inner)

    expected = by_definition(results, contains, texts, ancestor, descendant)
    ranking = Ranking.of([r for r, _ in results], [s for _, s in results], True)
    (strategy,) = strategies_of(f"controlled(ancestor={ancestor}, descendant={descendant})")
    check(ranking, expected, strategy, None)


@given(campaigns(max_files=2), st.data(), WEIGHTS, WEIGHTS)
def test_random_trees_follow_the_definition(case: RandomCampaign, data, ancestor, descendant):
    scores = sorted((data.draw(SCORES) for _ in case.ranking), reverse=True)
    results = list(zip([(*element, None) for element in case.ranking], scores, strict=True))
    corpus = Corpus.of(case.sources)

    def text(n):
        (file, path, _), _ = results[n]
        tree = corpus.tree(file)
        row = tree.row(path)
        return {(file, character) for character in range(tree.start[row], tree.stop[row])}

    def contains(outer, inner):
        (file, path, _), (other, below, _) = results[outer][0], results[inner][0]
        inside = below.startswith(f"{path}/") or (path == below and outer < inner)
        return file == other and inside

    texts = [text(n) for n in range(len(results))]
    expected = by_definition(results, contains, texts, ancestor, descendant)
    (strategy,) = strategies_of(f"controlled(ancestor={ancestor}, descendant={descendant})")
    check(Ranking.of([r for r, _ in results], scores, True), expected, strategy, corpus)


def test_the_limit_counts_the_overlapping_results_of_a_document(monkeypatch):
    monkeypatch.setattr(module, "MAX_OVERLAPPING", 2)
    ranking = Run.of("r", {"1": ["d#0:9", "d#0:9", "d#9:9", "e#0:9", "e#0:9"]}).rankings["1"]
    (strategy,) = strategies_of("controlled")
    assert names(strategy.function(ranking, None)) == ["d#0:9", "d#9:9", "e#0:9"]
    monkeypatch.setattr(module, "MAX_OVERLAPPING", 1)
    with pytest.raises(InputError, match=r"^d: more than 1 overlapping results"):
        strategy.function(ranking, None)
