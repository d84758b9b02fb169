"""Hand-computed rankings of ``promote_parent``, and comparison with the definition as code."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from random_cases import RandomCampaign, campaigns
from rewritten_rankings import names, rewritten

from xcg import Corpus, Run
from xcg.documents.tree import ElementTree
from xcg.errors import InputError
from xcg.runs.run import Ranking
from xcg.strategies import replacing as module
from xcg.strategies.registry import rewrite, strategies_of

CORPUS = Corpus.of(
    {"d": "<a><s><p>1234</p><p>567</p><p>890</p></s><s>12345</s><s><p/><q/></s></a>", "e": "<a>1</a>"}
)
"""Characters: /a 0-15, s[1] 0-10 with p[1] 0-4, p[2] 4-7 and p[3] 7-10, s[2] 10-15, s[3] none."""


def promoted(ranking, strategy="promote_parent", corpus=None):
    """Return the ranking of one topic under the strategy."""
    (bound,) = strategies_of(strategy)
    return rewrite(Run("r", {"1": ranking}), bound, corpus).rankings["1"]


def passages(results, parents, keys=None):
    """Return the ranking of spans in the document d; ``parents`` is span → parent."""
    ranking = Ranking.of([("d", "", span) for span in results], keys, keys is not None)
    ranking.parents = {n: parents[span] for n, span in enumerate(results) if span in parents}
    return ranking


@pytest.mark.parametrize(
    ("threshold", "results", "expected"),
    [
        (0.5, ["e", "d#/a/s/p[2]", "d#/a/s[2]", "d#/a/s/p[3]"], ["e", "d#/a/s", "d#/a/s[2]"]),
        (0.6, ["e", "d#/a/s/p[2]", "d#/a/s/p[3]"], ["e", "d#/a/s"]),  # 6 of 10 characters
        (0.61, ["d#/a/s/p[2]", "d#/a/s/p[3]"], ["d#/a/s/p[2]", "d#/a/s/p[3]"]),
        (0.4, ["d#/a/s/p"], ["d#/a/s"]),  # one child is enough
        (0.5, ["d#/a/s/p[2]", "d#/a/s/p[2]"], ["d#/a/s/p[2]", "d#/a/s/p[2]"]),  # it counts once
        (0.3, ["d#/a/s[2]", "d#/a/s/p", "d#/a"], ["d#/a"]),  # with everything inside
        (1, ["d#/a/s", "d#/a/s[2]"], ["d#/a"]),
        (0, ["d#/a/s[3]/p", "d#/a/s[3]/q"], ["d#/a/s[3]/p", "d#/a/s[3]/q"]),  # without characters
        (0, ["d#/a/s[3]"], ["d#/a"]),
        (0, ["d", "e#/a"], ["d", "e#/a"]),  # a root has no parent
    ],
)
def test_elements(threshold, results, expected):
    assert rewritten(f"promote_parent(threshold={threshold})", results, CORPUS) == expected


@pytest.mark.parametrize(("score", "expected"), [("max", 4), ("sum", 7), ("mean", 3.5)])
def test_scores(score, expected):
    results = {"e#/a": 8, "d#/a/s/p": 4, "d#/a/s/p[2]": 3, "f": 2}
    ranking = Run.of("r", {"1": results}).rankings["1"]
    result = promoted(ranking, f"promote_parent(score={score})", CORPUS)
    assert names(result) == ["e#/a", "d#/a/s", "f"]
    assert list(result.scores) == [8, expected, 2]


def test_scores_rise_where_a_sum_exceeds_those_of_earlier_results():
    results = {"e#/a": 5, "d#/a/s/p": 4, "d#/a/s/p[2]": 3}
    result = promoted(Run.of("r", {"1": results}).rankings["1"], "promote_parent(score=sum)", CORPUS)
    assert names(result) == ["e#/a", "d#/a/s"]
    assert result.scores[0] > result.scores[1] == 7


def test_a_passage_whose_parent_another_result_states_is_promoted_again():
    parents = {(0, 10): (0, 20), (20, 30): (20, 40), (0, 20): (0, 40)}
    ranking = passages([(0, 10), (0, 20), (20, 30)], parents, [3, 2, 1])
    result = promoted(ranking)
    assert names(result) == ["d#0:20", "d#20:20"]
    assert result.parents == {0: (0, 40)}
    assert list(result.scores) == [3, 1]
    assert names(promoted(ranking, "promote_parent(levels=2)")) == ["d#0:40"]


def test_elements_and_passages_of_one_document_are_compared_by_characters():
    results = [("d", "/a[1]/s[1]/p[1]", None), ("d", "", (11, 12)), ("d", "", (4, 6)), ("d", "/", None)]
    ranking = Ranking.of(results)
    ranking.parents = {1: (10, 12)}
    result = promoted(ranking, "promote_parent(threshold=0.4)", CORPUS)
    assert names(result) == ["d#/a/s", "d#10:2", "d"]  # /a/s replaces 4:2 as well


def test_a_run_without_parents_of_passages_is_an_error():
    with pytest.raises(
        InputError, match=r"topic 1, strategy promote_parent: the run does not state the"
    ):
        rewritten("promote_parent", ["d#/a", "d#0:9"], CORPUS)


def test_a_missing_size_is_one_clear_message():
    message = r"^run r, topic 1, strategy promote_parent: d: the strategy needs the document; give the "
    with pytest.raises(InputError, match=message):
        rewritten("promote_parent", ["d#/a/s"])
    tree = ElementTree.from_paths(["/a/s"], {"/a[1]/s[1]": 4})
    with pytest.raises(InputError, match=r"d#/a\[1\]: the size is unknown; give the corpus \(--corpus"):
        rewritten("promote_parent", ["d#/a/s"], Corpus.of({"d": tree}))


def test_a_sum_of_scores_that_is_too_large_is_an_error():
    results = {"d#/a/s/p": 1.5e308, "d#/a/s/p[2]": 1.5e308}
    ranking = Run.of("r", {"1": results}).rankings["1"]
    assert promoted(ranking, corpus=CORPUS).scores[0] == 1.5e308
    with pytest.raises(InputError, match=r"d: the sum of the scores of 2 results is too large"):
        promoted(ranking, "promote_parent(score=sum)", CORPUS)


def by_definition(results, parent_of, text_of, inside, order, threshold, levels):
    """Return the names of the results of one document in rank order.

    Args:
        results: Names in rank order.
        parent_of: Function from a name to its parent, or None.
        text_of: Function from a name to the set of its characters.
        inside: Whether the second name is inside the first, or is the first.
        order: Key that sorts parents from the smallest to the largest.
        threshold: As in ``promote_parent``.
        levels: As in ``promote_parent``.
    """
    ranking = dict(enumerate(results))
    for _ in range(levels):
        new = set()
        for parent in sorted({parent_of(name) for name in ranking.values()} - {None}, key=order):
            names = set(ranking.values()) - new
            family = {name for name in names if parent_of(name) == parent}
            held = set().union(*map(text_of, family)) & text_of(parent)
            if not (family and text_of(parent) and len(held) / len(text_of(parent)) >= threshold):
                continue
            gone = [n for n, name in ranking.items() if name in family or inside(parent, name)]
            ranking = {n: name for n, name in ranking.items() if n not in gone} | {min(gone): parent}
            new.add(parent)
        if not new:
            break
    return [ranking[position] for position in sorted(ranking)]


THRESHOLDS = st.sampled_from([0, 0.1, 0.3, 0.5, 0.8, 1])


@given(campaigns(max_files=1), THRESHOLDS, st.integers(1, 4))
def test_random_trees_follow_the_definition(case: RandomCampaign, threshold, levels):
    corpus = Corpus.of(case.sources)
    tree = corpus.tree("d0")

    def text_of(path):
        row = tree.row(path)
        return set(range(tree.start[row], tree.stop[row]))

    expected = by_definition(
        [path for _, path in case.ranking],
        lambda path: path.rpartition("/")[0] or None,
        text_of,
        lambda parent, path: f"{path}/".startswith(f"{parent}/"),
        lambda path: (-path.count("/"), path),
        threshold,
        levels,
    )
    ranking = Run.of("r", {"1": case.ranking}).rankings["1"]
    result = promoted(ranking, f"promote_parent(threshold={threshold}, levels={levels})", corpus)
    assert list(result.paths) == expected


@given(
    st.lists(st.tuples(*[st.integers(0, n) for n in (12, 6, 4, 4)], st.booleans()), max_size=10),
    THRESHOLDS,
    st.integers(1, 4),
)
def test_crossing_passages_follow_the_definition(drawn, threshold, levels):
    spans, parents = [], {}
    for start, length, before, after, has_parent in drawn:
        span = start + 4, start + 5 + length
        spans.append(span)
        parent = span[0] - before, span[1] + after
        if has_parent and parent != span:
            parents.setdefault(span, parent)
    expected = by_definition(
        spans,
        parents.get,
        lambda span: set(range(*span)),
        lambda parent, span: parent[0] <= span[0] and span[1] <= parent[1],
        lambda span: (span[1] - span[0], span[0]),
        threshold,
        levels,
    )
    strategy = f"promote_parent(threshold={threshold}, levels={levels})"
    result = promoted(passages(spans, parents), strategy)
    assert [result.spans[n] for n in range(len(result))] == expected
    assert result.parents == {n: parents[span] for n, span in enumerate(expected) if span in parents}


def test_the_limit_of_crossing_passages(monkeypatch):
    ranking = passages([(0, 4), (2, 9), (3, 9)], {(0, 4): (0, 5)})
    monkeypatch.setattr(module, "MAX_PAIRS", 2)
    assert names(promoted(ranking)) == ["d#0:5", "d#2:7", "d#3:6"]
    monkeypatch.setattr(module, "MAX_PAIRS", 1)
    with pytest.raises(InputError, match=r"more than 1 passages start in a promoted parent"):
        promoted(ranking)
