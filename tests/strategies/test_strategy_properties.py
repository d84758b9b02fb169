"""Properties of overlap strategies on random trees and crossing passages."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import random_cases
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

import xcg
from xcg.documents.paths import WHOLE
from xcg.runs.chunks import run_of_chunks
from xcg.runs.run import UNKNOWN_SPAN, AnySpan, Ranking, Run
from xcg.strategies.registry import STRATEGIES, rewrite

Result = tuple[str, str, AnySpan | None]
Text = frozenset[object]

WITHOUT_OVERLAP = ["top_ranked", "outermost", "outermost(rank=best)", "innermost", "max_score"]
OF_ANY_STRUCTURE = [
    *(
        "thorough",
        "unique",
        *WITHOUT_OVERLAP,
        "controlled",
        "controlled(ancestor=0.5, descendant=0.25)",
    ),
    *("controlled(ancestor=0, descendant=0)", "merge_adjacent", "merge_adjacent(gap=2)"),
    *("by_document", "by_document(order=rank)", "by_document(first=thorough)"),
]
OF_ELEMENTS = ["promote_parent", "promote_parent(threshold=0.2, levels=3, score=sum)"]


@dataclass
class Case:
    """A ranking and the documents of its results."""

    corpus: xcg.Corpus
    ranking: Ranking

    def rewritten(self, strategy: str) -> Ranking:
        return rewritten(self.ranking, strategy, self.corpus)

    def files_with_passages(self) -> set[str]:
        return {
            self.ranking.files[position]
            for position, span in self.ranking.spans.items()
            if span != UNKNOWN_SPAN and span[0] < span[1]
        }

    def texts(self, with_passages: set[str] | None = None) -> list[Text]:
        """Return what each result contains: characters, or the elements if there are no passages."""
        if with_passages is None:
            with_passages = self.files_with_passages()
        found: list[Text] = []
        for position, (file, path) in enumerate(self.ranking):
            tree = self.corpus.tree(file)
            span = self.ranking.spans.get(position)
            row = 0 if path == WHOLE else tree.find(path)
            if span is None and file not in with_passages:
                content: range = range(row, int(tree.end[row]))
            else:
                content = range(*(span or (int(tree.start[row]), int(tree.stop[row]))))
            found.append(frozenset() if span == UNKNOWN_SPAN else frozenset((file, n) for n in content))
        return found


def rewritten(ranking: Ranking, strategy: str, corpus: xcg.Corpus | None = None) -> Ranking:
    return rewrite(Run("r", {"1": ranking}), strategy, corpus).rankings["1"]


def results(ranking: Ranking) -> list[Result]:
    return [(*result, ranking.spans.get(n)) for n, result in enumerate(ranking)]


@st.composite
def cases(draw: DrawFn, elements: bool = True, passages: bool = True) -> Case:
    """Draw documents, and a ranking of elements, passages or both, with or without scores."""
    campaign = draw(random_cases.campaigns())
    corpus = xcg.Corpus.of(campaign.sources)
    kinds = []
    if elements:
        kinds.append(st.sampled_from(campaign.elements).map(lambda element: (*element, None)))
        kinds.append(st.sampled_from(sorted(campaign.sources)).map(lambda file: (file, WHOLE, None)))
    if passages:
        for file in campaign.sources:
            length = int(corpus.tree(file).characters[0])
            points = st.integers(0, length)
            spans = st.tuples(points, points).map(lambda ends: (min(ends), max(ends)))
            kinds.append(spans.map(lambda span, file=file: (file, "", span)))
        kinds.append(st.just(("d0", "", UNKNOWN_SPAN)))
    found = draw(st.lists(st.one_of(kinds), max_size=12))
    keys = None
    if draw(st.booleans()):
        scores = st.lists(st.integers(0, 20), min_size=len(found), max_size=len(found))
        keys = [score / 10 for score in sorted(draw(scores), reverse=True)]
    return Case(corpus, Ranking.of(found, keys, keys is not None))


def names(case: Case) -> list[tuple[str, object]]:
    """Return what each result names; unknown passages are all different."""
    found: list[tuple[str, object]] = []
    for position, (file, path, span) in enumerate(results(case.ranking)):
        name: object = span or (WHOLE if path.count("/") == 1 else path)
        found.append((file, position if span == UNKNOWN_SPAN else name))
    return found


def unique(case: Case) -> list[int]:
    of_results = names(case)
    return [n for n, name in enumerate(of_results) if name not in of_results[:n]]


def top_ranked(case: Case) -> list[int]:
    texts = case.texts()
    kept: list[int] = []
    for position, text in enumerate(texts):
        if not any(text & texts[other] for other in kept):
            kept.append(position)
    return kept


def contained(case: Case, positions: list[int]) -> Callable[[int, int], bool]:
    """Return whether one result contains another; of equal ones, the earlier contains the later."""
    texts = case.texts()

    def contains(outer: int, inner: int) -> bool:
        if not texts[inner] or not texts[inner] <= texts[outer] or outer == inner:
            return False
        return texts[inner] != texts[outer] or outer < inner

    assert set(positions) <= set(range(len(texts)))
    return contains


def outermost(case: Case) -> list[int]:
    positions = unique(case)
    contains = contained(case, positions)
    return [n for n in positions if not any(contains(other, n) for other in positions)]


def outermost_best(case: Case) -> list[int]:
    positions = unique(case)
    contains = contained(case, positions)
    best = {n: min([n, *(o for o in positions if contains(n, o))]) for n in outermost(case)}
    return sorted(best, key=lambda n: (best[n], n))


def innermost(case: Case) -> list[int]:
    positions, texts = unique(case), case.texts()
    first = [
        n for n in positions if not texts[n] or texts[n] not in [texts[o] for o in positions if o < n]
    ]
    return [n for n in first if not any(texts[o] and texts[o] < texts[n] for o in first)]


DEFINITIONS = {
    "unique": unique,
    "top_ranked": top_ranked,
    "outermost": outermost,
    "outermost(rank=best)": outermost_best,
    "innermost": innermost,
}


@given(cases())
def test_results_are_as_defined(case):
    """The definitions compare all pairs of results."""
    for strategy, definition in DEFINITIONS.items():
        expected = case.ranking.select(definition(case))
        assert results(case.rewritten(strategy)) == results(expected), strategy


def test_the_properties_are_tested_for_all_strategies():
    """``oracle`` needs assessments and has its own tests."""
    tested = {name.partition("(")[0] for name in [*OF_ANY_STRUCTURE, *OF_ELEMENTS]}
    assert tested == {*STRATEGIES} - {"oracle"}


@given(cases())
def test_scores_do_not_increase(case):
    for strategy in [*OF_ANY_STRUCTURE, *([] if case.ranking.spans else OF_ELEMENTS)]:
        ranking = case.rewritten(strategy)
        keys = ranking.keys
        if keys is None:
            continue
        assert len(keys) == len(ranking)
        assert list(keys) == sorted(keys, reverse=ranking.has_scores)
        assert all(map(math.isfinite, keys))


@given(cases(passages=False), st.permutations(["d0", "zz/9", "A.b"]))
def test_names_of_documents_have_no_effect(case, new_names):
    new = dict(zip(["d0", "d1", "d2"], new_names, strict=True))
    renamed_corpus = xcg.Corpus.of({new[file]: case.corpus.tree(file) for file in case.corpus})
    for strategy in [*OF_ANY_STRUCTURE, *OF_ELEMENTS]:
        renamed = rewritten(_renamed(case.ranking, new), strategy, renamed_corpus)
        expected = _renamed(case.rewritten(strategy), new)
        assert results(renamed) == results(expected), strategy
        assert renamed.keys == expected.keys, strategy


def _renamed(ranking: Ranking, new: dict[str, str]) -> Ranking:
    return Ranking(
        [new[file] for file in ranking.files],
        ranking.paths,
        ranking.spans,
        ranking.keys,
        ranking.has_scores,
    )


@given(cases(passages=False))
def test_elements_need_no_corpus(case):
    for strategy in ("thorough", "unique", *WITHOUT_OVERLAP, "by_document(order=rank)"):
        without = rewritten(case.ranking, strategy)
        assert results(without) == results(case.rewritten(strategy)), strategy


@given(cases(passages=False))
def test_without_corpus_the_ranking_is_the_same_or_the_corpus_is_asked_for(case):
    for strategy in ("by_document", "controlled", "promote_parent", "merge_adjacent"):
        try:
            without = rewritten(case.ranking, strategy)
        except xcg.InputError as error:
            assert "give the corpus (--corpus)" in str(error)
        else:
            assert results(without) == results(case.rewritten(strategy)), strategy


@st.composite
def trees_with_own_text(draw: DrawFn, depth: int = 3) -> str:
    """Draw the XML of an element that has text before and after each child."""
    name = draw(st.sampled_from(["s", "p"]))
    inner = draw(st.sampled_from(["one ", "longer words "]))
    if depth:
        for _ in range(draw(st.integers(0, 2))):
            inner += draw(trees_with_own_text(depth=depth - 1)) + "x"
    return f"<{name}>{inner}</{name}>"


@given(st.lists(trees_with_own_text(), min_size=1, max_size=2), st.data())
def test_paths_offsets_and_chunks_give_the_same_ranking(sources, data):
    """All elements have different characters. ``promote_parent`` depends on the elements."""
    corpus = xcg.Corpus.of({f"d{n}": source for n, source in enumerate(sources)})
    elements = [(file, path) for file in corpus for path in corpus.tree(file).paths]
    chosen = data.draw(st.lists(st.sampled_from(elements), min_size=1, max_size=10))
    drawn = st.lists(st.integers(0, 9), min_size=len(chosen), max_size=len(chosen))
    scores = [score / 10 for score in sorted(data.draw(drawn), reverse=True)]
    span_of = {}
    for file, path in elements:
        tree = corpus.tree(file)
        row = tree.row(path)
        span_of[file, path] = int(tree.start[row]), int(tree.stop[row])
    by_path = Ranking.of([(*element, None) for element in chosen], scores, True)
    by_offset = Ranking.of([(file, "", span_of[file, path]) for file, path in chosen], scores, True)
    chunks = [
        {"doc": element[0], "start": span_of[element][0], "end": span_of[element][1], "score": score}
        for element, score in zip(chosen, scores, strict=True)
    ]
    of_chunks = run_of_chunks("r", {"1": chunks}).rankings["1"]
    for strategy in OF_ANY_STRUCTURE:
        with_paths = rewritten(by_path, strategy, corpus)
        expected = [
            (file, "", span_of[file, path] if span is None else span)
            for file, path, span in results(with_paths)
        ]
        for ranking in (by_offset, of_chunks):
            for documents in (corpus, None):
                found = rewritten(ranking, strategy, documents)
                assert results(found) == expected, strategy
                assert list(found.keys) == list(with_paths.keys), strategy


ASSESSMENTS = {"1": {"d": {"/a": (1, 1), "/a/s": (3, 2)}}, "2": {"d": {"/a/s[2]": (2, 3)}}}
DOCUMENTS = {"d": "<a><s><p>one</p><p>two</p></s><s><p>three</p></s></a>"}
RUNS = {
    "one": {"1": ["d#/a/s/p", "d#/a/s", "d#/a"], "2": ["d#/a", "d#/a/s[2]", "d#/a/s[2]/p"]},
    "two": {"1": ["d#/a", "d#/a/s/p"], "2": ["d#/a/s[2]/p", "d#/a/s", "d#/a"]},
}


def test_the_order_of_runs_and_the_number_of_workers_have_no_effect():
    """All strategies but those that return passages, which this user model refuses."""
    strategies = [name for name in (*OF_ANY_STRUCTURE, *OF_ELEMENTS) if not name.startswith("merge")]

    def values(runs: dict[str, object], workers: int) -> dict[str, float]:
        found = xcg.evaluate(
            ASSESSMENTS, runs, DOCUMENTS, workers=workers, strategies=strategies, measures=["nxCG@2"]
        )
        return {run: found.value(run, "nxCG@2") for run in found.runs}

    expected = values(RUNS, 1)
    assert len(expected) == 2 * len(strategies)
    assert values(dict(reversed(RUNS.items())), 1) == expected
    assert values(RUNS, 2) == expected
