"""Pools: results of runs to a depth, documents by BM25, and an order that hides systems and ranks."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from xcg.documents.corpus import Corpus
from xcg.errors import InputError, XcgError
from xcg.formats.base import read_runs
from xcg.formats.topic_files import Topic
from xcg.judge.workspace import ordered_pool, pools_of_runs, pools_of_titles
from xcg.runs.chunk_documents import ChunkSource
from xcg.runs.run import Run

CORPUS = Corpus.of(
    {
        "bees": "<article><p>Bees dance.</p><p>They waggle.</p></article>",
        "ants": "<article><p>Ants walk.</p></article>",
    }
)


def test_the_results_of_all_runs_are_pooled_to_the_depth() -> None:
    runs = [
        Run.of("one", {"1": ["bees#/article[1]/p[2]", "ants", "bees"], "9": ["ants"]}),
        Run.of("two", {"1": ["bees#0:4", "bees#/article[1]/p[2]", "ants#/article[1]/p[1]"]}),
    ]
    assert pools_of_runs(runs, CORPUS, ["1", "2"], 2) == {
        "1": {"bees": {(0, 4), (11, 23)}, "ants": set()},
        "2": {},
    }
    assert pools_of_runs(runs, CORPUS, ["1"], 3)["1"]["ants"] == {(0, 10)}


@pytest.mark.parametrize(
    ("content", "spans"),
    [
        ('{"topic": "1", "doc": "bees", "start": 5, "end": 10, "rank": 1}\n', {(5, 10)}),
        ('{"topic": "1", "doc": "bees", "text": "They waggle.", "rank": 1}\n', {(11, 23)}),
        ('{"topic": "1", "doc": "bees", "path": "/article[1]/p[1]", "rank": 1}\n', {(0, 11)}),
        ("1 Q0 bees 1 2.5 run\n", set()),
        ("1 Q0 bees#/article[1]/p[2] 1 2.5 run\n", {(11, 23)}),
        ("1 Q0 bees 1 2.5 run 5 5\n", {(5, 10)}),
        (
            '<inex-submission participant-id="1" run-id="r" task="t" query="q"><topic topic-id="1">'
            '<result><file>bees</file><passage start="/article[1]/p[1]/text()[1].5" '
            'end="/article[1]/p[2]/text()[1].4"/><rank>1</rank></result></topic></inex-submission>',
            {(5, 15)},
        ),
    ],
    ids=["passage", "chunk", "element", "document", "TREC element", "INEX 2009", "points"],
)
def test_every_kind_of_run_is_pooled(tmp_path: Path, content: str, spans: set[tuple[int, int]]) -> None:
    path = tmp_path / "run"
    path.write_text(content)
    runs = read_runs(path, source=ChunkSource(None, CORPUS))
    assert pools_of_runs(runs, CORPUS, ["1"], 20) == {"1": {"bees": spans}}


@pytest.mark.parametrize(
    ("result", "message"),
    [
        ("wasps", "run r, topic 1, rank 2, wasps: the corpus has no document 'wasps'"),
        ("bees#/article[1]/sec[1]", "run r, topic 1, rank 2, bees: "),
        ("bees#20:90", "run r, topic 1, rank 2, bees: "),
    ],
)
def test_results_that_do_not_exist_are_errors(result: str, message: str) -> None:
    run = Run.of("r", {"1": ["ants", result]})
    with pytest.raises(InputError, match=message):
        pools_of_runs([run], CORPUS, ["1"], 20)


def test_bm25_finds_the_documents_that_share_words_with_the_title() -> None:
    corpus = Corpus.of(
        {
            "both": "Bees dance. Bees waggle.",
            "one": "Bees sleep, and many other insects of the forest sleep too.",
            "none": "Ants walk.",
            "empty": "<a/>",
        }
    )
    topics = {"1": Topic("1", "The dance of Bees"), "2": Topic("2", "of the"), "3": Topic("3", "wasps")}
    found = pools_of_titles(topics, corpus, 20)
    assert {topic: list(documents) for topic, documents in found.items()} == {
        "1": ["both", "one"],
        "2": [],
        "3": [],
    }
    assert list(pools_of_titles(topics, corpus, 1)["1"]) == ["both"]


def test_bm25_separates_words_of_neighbouring_elements_and_keeps_words_with_markup_inside() -> None:
    corpus = Corpus.of(
        {
            "blocks": "<article><title>Honey</title><p>Bees</p><p>dance</p></article>",
            "inline": "<article><p>Drink H<sub>2</sub>O and honey</p></article>",
            "none": "<article><p>Ants</p></article>",
        }
    )
    titles = {"1": "bees", "2": "dance", "3": "H2O", "4": "honey", "5": "H2Oand"}
    found = pools_of_titles({topic: Topic(topic, title) for topic, title in titles.items()}, corpus, 20)
    assert {topic: {*documents} for topic, documents in found.items()} == {
        "1": {"blocks"},
        "2": {"blocks"},
        "3": {"inline"},
        "4": {"blocks", "inline"},
        "5": set(),
    }


def test_a_corpus_without_words_finds_nothing() -> None:
    assert pools_of_titles({"1": Topic("1", "bees")}, Corpus.of({"empty": "<a/>"}), 20) == {"1": {}}


def test_bm25_needs_an_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "bm25s", None)
    with pytest.raises(XcgError, match=r"xcg judge without runs needs bm25s: .*install.*judge"):
        pools_of_titles({"1": Topic("1", "bees")}, CORPUS, 20)


def test_the_order_depends_on_seed_topic_and_names_only() -> None:
    names = [f"d{number}" for number in range(50)]
    order = [one.name for one in ordered_pool("1", dict.fromkeys(names, ()), 0)]
    assert sorted(order) == sorted(names)
    assert order != names
    assert [one.name for one in ordered_pool("1", dict.fromkeys(reversed(names), ()), 0)] == order
    assert [one.name for one in ordered_pool("1", dict.fromkeys(names[:9], ()), 0)] == [
        name for name in order if name in names[:9]
    ]
    for topic, seed in (("2", 0), ("1", 1)):
        assert [one.name for one in ordered_pool(topic, dict.fromkeys(names, ()), seed)] != order
    [one] = ordered_pool("1", {"bees": [(11, 23), (0, 4), (11, 23)]}, 0)
    assert one.results == ((0, 4), (11, 23))
