"""The documents, topics and judgements of a configuration, opened together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass, field
from typing import NamedTuple

from xcg.documents.corpus import Corpus
from xcg.documents.text_search import Span
from xcg.errors import InputError, Notes, first_names
from xcg.formats.topic_files import Topic
from xcg.judge.judgement import PoolDocument
from xcg.judge.preparation import prepare
from xcg.judge.rendering import Rendering, render
from xcg.judge.settings import Settings
from xcg.judge.store import Store


class PoolEntry(NamedTuple):
    """A document in the pool of a topic, with what an assessor has done with it.

    Attributes:
        name: The document.
        results: Start and end of the results of the runs in it, in characters.
        highlights: Number of highlights.
        started: Whether there is a highlight or a best entry point.
        finished: Whether the assessor is done with the document.
        to_check: Whether a highlight has moved or is lost since the document changed.
    """

    name: str
    results: tuple[Span, ...]
    highlights: int
    started: bool
    finished: bool
    to_check: bool


@dataclass
class Workspace:
    """What a configuration of ``xcg judge`` names, opened.

    It belongs to one thread at a time, because a corpus does.

    Attributes:
        settings: The configuration.
        corpus: The documents.
        topics: Id → topic; for topics of the store that the topic files no longer have, see
            :meth:`topic`.
        store: The judgements.
        notes: Notes on the topics, runs and documents.
    """

    settings: Settings
    corpus: Corpus
    topics: Mapping[str, Topic]
    store: Store
    notes: Notes
    _titles: dict[str, str] = field(default_factory=dict, repr=False)

    @contextmanager
    def snapshot(self) -> Iterator[Workspace]:
        """Open a copy of the judgements with a corpus of its own, which another thread can use.

        Changes of the copy are not saved.

        Raises:
            InputError: If the store or the documents cannot be read.
        """
        corpus = copy(self.corpus)  # opens it again, without the trees in memory
        with self.store.copy(corpus) as store:
            yield Workspace(self.settings, corpus, self.topics, store, self.notes)

    def topic(self, topic: str) -> Topic:
        """Return a topic; its id is its title if the topic files do not have it."""
        return self.topics.get(topic, Topic(topic, topic))

    def rendering(self, document: str) -> Rendering:
        """Return a document as HTML.

        Raises:
            InputError: If the document cannot be read, or has changed since the store was opened.
        """
        self.store.tree(document)  # raises an error if it has changed
        rendering = render(self.corpus, document)
        self._titles[document] = rendering.title
        return rendering

    def title(self, document: str) -> str:
        """Return the title of a document; its name if it cannot be read."""
        if document not in self._titles:
            try:
                self.rendering(document)
            except InputError:
                self._titles[document] = document
        return self._titles[document]

    def pool(self, assessor: str, topic: str) -> list[PoolEntry]:
        """Return the pool of a topic, in the order in which assessors see it."""
        return [self._entry(assessor, topic, document) for document in self.store.pool(topic)]

    def _entry(self, assessor: str, topic: str, document: PoolDocument) -> PoolEntry:
        judgement = self.store.judgement(assessor, topic, document.name)
        return PoolEntry(
            name=document.name,
            results=document.results,
            highlights=len(judgement.highlights),
            started=bool(judgement.highlights) or judgement.entry_point is not None,
            finished=judgement.finished,
            to_check=any(highlight.status != "placed" for highlight in judgement.highlights),
        )


def open_workspace(settings: Settings) -> Workspace:
    """Open the documents and the store of a configuration, and add new topics and pools to the store.

    Raises:
        InputError: If a file is missing or illegal, the corpus has no documents, no topic has a
            document, or another process has opened the store.
    """
    corpus = open_corpus(settings)
    store = Store(settings.store, corpus)
    notes = Notes()
    try:
        store.add_notes(notes)
        _note_other_grades(store, settings, notes)
        return Workspace(settings, corpus, prepare(store, settings, corpus, notes), store, notes)
    except BaseException:
        store.close()
        raise


def _note_other_grades(store: Store, settings: Settings, notes: Notes) -> None:
    """Warn about highlights that were graded under another configuration."""
    documents = [
        f"{one.document} (topic {one.topic}, {one.assessor})"
        for one in store.judgements()
        if any(
            highlight.grade is not None and not settings.grades.has(highlight.grade)
            for highlight in one.judgement.highlights
        )
    ]
    if documents:
        notes.warning(
            f"{settings.store} has grades that the configuration does not have: "
            f"{first_names(documents, 3)}; grade them again, or exports leave them out"
        )


def open_corpus(settings: Settings) -> Corpus:
    """Return the documents of a configuration.

    Raises:
        InputError: If they do not exist or there are none.
    """
    with settings.locating("corpus"):
        corpus = Corpus(settings.corpus)
    if next(iter(corpus), None) is None:
        where = settings.where("corpus")
        raise InputError(where, f"{settings.corpus} contains no documents; expected XML or text files")
    return corpus
