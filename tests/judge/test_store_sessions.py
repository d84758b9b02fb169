"""Random sessions of a store have the content, the history and the versions of a simple model."""

from __future__ import annotations

import itertools
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from xcg.documents.corpus import Corpus
from xcg.errors import XcgError
from xcg.judge.editing import OPERATIONS, edit, fields_of
from xcg.judge.judgement import Judgement, PoolDocument
from xcg.judge.store import ConflictError, Store

TEXT = "Bees dance.\n\N{HONEYBEE} Ants walk."
positions = st.integers(-1, len(TEXT) + 1)
FIELDS = {
    "grade": st.sampled_from([None, "1", "2"]),
    "id": st.integers(1, 4),
    "finished": st.booleans(),
}
OWNER = "anna", "1", "bees"


@st.composite
def operations(draw: st.DrawFn) -> tuple[str, dict[str, Any]]:
    name = draw(st.sampled_from(["add", "add", "add", *OPERATIONS]))
    return name, {field: draw(FIELDS.get(field, positions)) for field in fields_of(name)}


def content(judgement: Judgement) -> tuple[object, ...]:
    return judgement.highlights, judgement.finished


class Session(RuleBasedStateMachine):
    """A store in memory; the model is the list of contents, and the position of the current one."""

    @initialize()
    def open_the_store(self) -> None:
        self.folder = TemporaryDirectory()
        path = Path(self.folder.name, "judge.sqlite")
        Store(path, Corpus.of({"bees": TEXT})).close()
        self.store = self.opened(path)
        self.store.add_assessors(["anna", "ben"])
        self.store.extend_pool("1", [PoolDocument("bees")])
        self.judgement = Judgement()
        self.contents = [self.judgement]
        self.current = 0

    def opened(self, path: Path) -> Store:
        return Store.snapshot(path, Corpus.of({"bees": TEXT}))

    def apply(self, version: int, name: str, fields: dict[str, Any]) -> None:
        self.judgement = self.store.apply(*OWNER, version, name, fields)

    @rule(operation=operations())
    def change(self, operation: tuple[str, dict[str, Any]]) -> None:
        try:
            expected = edit(self.judgement, TEXT, *operation)
        except XcgError as error:
            with pytest.raises(XcgError) as caught:
                self.apply(self.judgement.version, *operation)
            assert str(caught.value) == str(error)
            return
        before = self.judgement
        self.apply(before.version, *operation)
        assert content(self.judgement) == content(expected)
        if content(expected) == content(before):
            assert self.judgement == before
            return
        assert self.judgement.version == before.version + 1
        self.contents[self.current + 1 :] = [self.judgement]
        self.current += 1

    @rule(name=st.sampled_from(["undo", "redo"]))
    def go_through_the_history(self, name: str) -> None:
        target = self.current + (1 if name == "redo" else -1)
        version = self.judgement.version
        if not 0 <= target < len(self.contents):
            with pytest.raises(XcgError, match=f"there is nothing to {name}"):
                self.apply(version, name, {})
            return
        self.apply(version, name, {})
        assert self.judgement.version == version + 1
        self.current = target

    @rule(older=st.integers(-3, 3).filter(bool))
    def change_another_version(self, older: int) -> None:
        other = {"start": 0, "end": 4, "grade": "not in other changes"}
        with pytest.raises(ConflictError) as caught:
            self.apply(self.judgement.version + older, "add", other)
        assert caught.value.current == self.judgement

    @invariant()
    def the_store_agrees_with_the_model(self) -> None:
        assert self.store.judgement(*OWNER) == self.judgement
        assert content(self.judgement) == content(self.contents[self.current])
        assert self.judgement.can_undo == (self.current > 0)
        assert self.judgement.can_redo == (self.current + 1 < len(self.contents))
        assert self.store.judgement("ben", "1", "bees") == Judgement()
        for one, other in itertools.pairwise(self.judgement.highlights):
            assert one.end <= other.start

    def teardown(self) -> None:
        self.store.close()
        self.folder.cleanup()


class FileSession(Session):
    """A store in a file, which is closed and opened again."""

    def opened(self, path: Path) -> Store:
        return Store(path, Corpus.of({"bees": TEXT}))

    @rule()
    def open_again(self) -> None:
        self.store.close()
        self.store = self.opened(self.store.path)


TestSession = Session.TestCase
TestSession.settings = settings(stateful_step_count=25)
TestFileSession = pytest.mark.slow(FileSession.TestCase)
TestFileSession.settings = settings(stateful_step_count=25)
