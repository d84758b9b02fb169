"""The documents, topics and judgements of a configuration, opened together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass, field

from xcg.documents.corpus import Corpus
from xcg.errors import InputError, Notes, first_names
from xcg.formats.topic_files import Topic
from xcg.judge.judgement import Judgement, PoolDocument
from xcg.judge.pools import prepare
from xcg.judge.rendering import Rendering, render
from xcg.judge.settings import Settings
from xcg.judge.store import Store


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

    def pool(self, assessor: str, topic: str) -> list[tuple[PoolDocument, Judgement]]:
        """Return the pool of a topic as the assessor sees it, with the judgements."""
        pool = self.store.pool(topic)
        return [(one, self.store.judgement(assessor, topic, one.name)) for one in pool]


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
