"""Hand-computed rankings of the strategy ``by_document``, and its misuse."""

from __future__ import annotations

import pytest
from rewritten_rankings import rewritten

from xcg import Corpus
from xcg.documents.tree import ElementTree
from xcg.errors import InputError

CORPUS = Corpus.of({"d": "<a><s><p>one</p><e/><p>two</p></s><fig>four</fig><s><p>three</p></s></a>"})
"""Characters: s[1] 0-6, s[1]/p[1] 0-3, s[1]/p[2] 3-6, fig 6-10, s[2] and s[2]/p[1] 10-15."""


def test_documents_follow_their_best_result_and_elements_their_order_in_the_text():
    results = ["d#/a/s[10]", "e#/b/p[2]", "d#/a/s[9]/p[3]", "e#/b/p[1]", "f", "d#/a/s[9]/p[2]"]
    assert rewritten("by_document", results) == [
        *("d#/a/s[9]/p[2]", "d#/a/s[9]/p[3]", "d#/a/s[10]"),
        *("e#/b/p", "e#/b/p[2]", "f"),
    ]


def test_order_rank_keeps_the_order_within_a_document():
    results = ["d#/a/s[10]", "e#/b/p[2]", "d#/a/s[9]", "e#/b/p[1]"]
    assert rewritten("by_document(order=rank)", results) == [
        *("d#/a/s[10]", "d#/a/s[9]", "e#/b/p[2]", "e#/b/p")
    ]


def test_top_ranked_is_applied_first_by_default():
    results = ["d#/a/s[2]", "d#/a", "e#0:9", "d#/a/s", "e#5:9", "d#/a/s[2]/p"]
    assert rewritten("by_document", results) == ["d#/a/s", "d#/a/s[2]", "e#0:9"]
    assert rewritten("by_document(first=thorough)", results) == [
        *("d#/a", "d#/a/s", "d#/a/s[2]", "d#/a/s[2]/p", "e#0:9", "e#5:9")
    ]
    assert rewritten("by_document(order=rank, first=outermost(rank=best))", results) == [
        *("d#/a", "e#0:9", "e#5:9")
    ]


def test_passages_are_ordered_by_start_the_longer_first():
    results = ["d#9:4", "d#X:0", "d#2:3", "d#2:0", "d#0:1", "d#2:7", "d#X:0"]
    assert rewritten("by_document(first=thorough)", results) == [
        *("d#0:1", "d#2:7", "d#2:3", "d#2:0", "d#9:4", "d#X:0", "d#X:0")
    ]


def test_passages_and_elements_are_ordered_by_characters():
    results = [
        "d#10:5",
        "d#/a/s[2]/p",
        "d#/a/s[2]",
        "d#3:1",
        "d#/a/s/p[2]",
        "d#/a",
        "d#0:5",
        "d#/a/fig",
    ]
    assert rewritten("by_document(first=thorough)", results, CORPUS) == [
        *("d#/a", "d#0:5", "d#/a/s/p[2]", "d#3:1", "d#/a/fig", "d#10:5", "d#/a/s[2]", "d#/a/s[2]/p")
    ]


def test_the_corpus_tells_the_order_of_siblings_with_different_names():
    results = ["d#/a/s[2]", "d#/a/fig", "d#/a/s/p[2]", "d#/a/s/e", "d#/a/s/p"]
    assert rewritten("by_document", results, CORPUS) == [
        *("d#/a/s/p", "d#/a/s/e", "d#/a/s/p[2]", "d#/a/fig", "d#/a/s[2]")
    ]
    with pytest.raises(InputError) as error:
        rewritten("by_document", results)
    assert str(error.value) == (
        "run r, topic 1, strategy by_document: d: the paths do not tell the order of the siblings "
        "fig[1] and s[1]; give the corpus (--corpus)"
    )


def test_a_corpus_without_text_does_not_tell_the_order():
    corpus = Corpus.of({"d": ElementTree.from_paths(["/a/s", "/a/fig"])})
    with pytest.raises(InputError, match="d: the paths do not tell the order of the siblings fig"):
        rewritten("by_document", ["d#/a/s", "d#/a/fig"], corpus)


def test_results_that_do_not_exist_follow_in_their_order():
    results = ["d#/a/zz", "d#/a/s[2]", "d#/a/fig", "d#/a/yy"]
    assert rewritten("by_document", results, CORPUS) == ["d#/a/fig", "d#/a/s[2]", "d#/a/zz", "d#/a/yy"]
    assert rewritten("by_document", ["z#/a/zz", "z#/a/s"], CORPUS) == ["z#/a/zz", "z#/a/s"]


def test_the_first_strategy_is_one_that_needs_no_assessments():
    for first, message in (("outermost(rank=[own, best])", "one strategy"), ("oracle", "assessments")):
        with pytest.raises(InputError, match=message):
            rewritten(f"by_document(first={first})", ["d#/a"])
