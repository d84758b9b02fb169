"""The preparation of a store by a configuration, again and again."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from itertools import chain
from pathlib import Path

import pytest

from xcg.documents.corpus import Corpus
from xcg.errors import InputError, Notes
from xcg.judge.settings import Settings, load_settings
from xcg.judge.store import Store
from xcg.judge.workspace import prepare
from xcg.settings.loading import stated

DOCUMENTS = {"bees": "Bees dance.", "ants": "Ants walk.", "wasps": "Wasps sting."}


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    (tmp_path / "docs").mkdir()
    for name, text in DOCUMENTS.items():
        (tmp_path / "docs" / f"{name}.txt").write_text(text)
    (tmp_path / "topics.csv").write_text("id,title\n1,dance\n2,walk\n3,bees and wasps\n")
    (tmp_path / "one.run").write_text("1 Q0 bees 1 2 one\n1 Q0 ants 2 1 one\n9 Q0 ants 1 1 one\n")
    path = tmp_path / "judge.yaml"
    path.write_text("corpus: docs\ntopics: {files: topics.csv}\njudge: {assessors: [anna, ben]}\n")
    return load_settings(stated(path))


def prepared(settings: Settings) -> tuple[Store, Notes]:
    corpus, notes = Corpus(settings.corpus), Notes()
    with ExitStack() as stack:
        store = stack.enter_context(Store(settings.store, corpus))
        prepare(store, settings, corpus, notes)
        stack.pop_all()
    return store, notes


def pools(store: Store) -> dict[str, list[str]]:
    return {topic: [one.name for one in store.pool(topic)] for topic in store.topics()}


def test_bm25_fills_the_pools_without_runs(settings: Settings) -> None:
    store, notes = prepared(settings)
    with store:
        assert {topic: sorted(names) for topic, names in pools(store).items()} == {
            "1": ["bees"],
            "2": ["ants"],
            "3": ["bees", "wasps"],
        }
        assert store.assessors() == ["anna", "ben"]
        assert sorted(chain(*store.assignments().values())) == ["1", "2", "3"]
    assert notes.lines() == []


def test_topics_without_documents_are_noted_and_not_assigned(settings: Settings) -> None:
    store, notes = prepared(replace(settings, runs=(settings.path.parent / "one.run",)))
    with store:
        assert sorted(pools(store)["1"]) == ["ants", "bees"]
        assert list(chain(*store.assignments().values())) == ["1"]
    assert any("topics without documents to judge: 2, 3" in line for line in notes.lines())


def test_later_runs_append_to_the_pools(settings: Settings) -> None:
    folder = settings.path.parent
    store, _ = prepared(replace(settings, runs=(folder / "one.run",)))
    with store:
        before = pools(store)["1"]
        store.apply("anna", "1", "bees", 0, "finish", {"finished": True})
    (folder / "two.run").write_text("1 Q0 wasps 1 2 two\n1 Q0 bees#/article[1]/p[1] 2 1 two\n")
    store, _ = prepared(replace(settings, runs=(folder / "one.run", folder / "two.run")))
    with store:
        assert pools(store)["1"] == [*before, "wasps"]
        assert {one.name: one.results for one in store.pool("1")}["bees"] == ((0, 11),)
        assert store.judgement("anna", "1", "bees").finished


def test_a_new_assessor_takes_over_topics_that_nobody_has_started(settings: Settings) -> None:
    store, _ = prepared(replace(settings, assessors=("assessor",)))
    with store:
        assert store.assignments() == {"assessor": ["1", "2", "3"]}
        store.apply("assessor", "2", "ants", 0, "finish", {"finished": True})
    store, _ = prepared(settings)
    with store:
        assigned = store.assignments()
        assert assigned["assessor"] == ["2"]
        assert sorted(assigned["anna"] + assigned["ben"]) == ["1", "3"]
        assert len(assigned["anna"]) == 1


def test_topics_that_find_nothing_are_an_error(settings: Settings) -> None:
    path = settings.path.parent / "topics.csv"
    path.unlink()
    with pytest.raises(InputError, match=r"judge.yaml:2: topics.*no such file"):
        prepared(settings)
    path.write_text("id,title\n1,elephants\n")
    message = r"judge.yaml:2: topics.*the titles of the topics find no document for any topic"
    with pytest.raises(InputError, match=message):
        prepared(settings)
