"""Prepare a store for judging: its assessors, pools and assignments."""

from __future__ import annotations

from collections.abc import Mapping

from xcg.documents.corpus import Corpus
from xcg.errors import InputError, Notes
from xcg.formats.base import read_runs
from xcg.formats.topic_files import Topic, read_topics
from xcg.judge.assignments import assign_topics
from xcg.judge.pools import Found, ordered_pool, pools_of_runs, pools_of_titles
from xcg.judge.settings import Settings
from xcg.judge.store import Store
from xcg.runs.chunk_documents import ChunkSource


def prepare(store: Store, settings: Settings, corpus: Corpus, notes: Notes) -> dict[str, Topic]:
    """Add what the configuration states to a store: assessors, pools and assignments.

    A store can be prepared again after a change of the configuration: new documents of a pool follow
    those that the store has, and only topics that nobody has started move to a new assessor.

    Args:
        store: The store.
        settings: The configuration.
        corpus: The documents.
        notes: Collects notes on topics and runs.

    Returns:
        The topics by id.

    Raises:
        InputError: If a file cannot be read, a result does not exist, or no topic has any document.
    """
    with settings.locating("topics"):
        topics = read_topics(settings.topics)
    found = _found(settings, corpus, topics, notes)
    with store.transaction():
        store.add_assessors(settings.assessors)
        for topic, documents in found.items():
            store.extend_pool(topic, ordered_pool(topic, documents, settings.seed))
        empty = [topic for topic in topics if not store.pool(topic)]
        if len(empty) == len(topics):
            key = "runs" if settings.runs else "topics"
            source = "runs" if settings.runs else "titles of the topics"
            raise InputError(settings.where(key), f"the {source} find no document for any topic")
        if empty:
            notes.warning(f"topics without documents to judge: {', '.join(empty)}")
        _assign(store, settings, [topic for topic in topics if topic not in empty])
    corpus.source.note_oddities(notes)
    return topics


def _found(settings: Settings, corpus: Corpus, topics: Mapping[str, Topic], notes: Notes) -> Found:
    """Return the results of the runs, or the documents that BM25 finds."""
    if not settings.runs:
        with settings.locating("corpus"):
            return pools_of_titles(topics, corpus, settings.depth)
    with settings.locating("runs"):
        source = ChunkSource(settings.document, corpus)
        runs = read_runs(settings.runs, notes, topics=frozenset(topics), source=source)
    return pools_of_runs(runs, corpus, topics, settings.depth, notes)


def _assign(store: Store, settings: Settings, topics: list[str]) -> None:
    """Divide the topics that have documents among the assessors."""
    earlier: dict[str, list[str]] = {}
    assignments = store.assignments()
    for assessor, assigned in assignments.items():
        for topic in assigned:
            earlier.setdefault(topic, []).append(assessor)
    started = {(one.assessor, one.topic) for one in store.judgements()}
    divided = assign_topics(
        topics, settings.assessors, settings.second_share, settings.seed, earlier, started
    )
    for assessor, assigned in assignments.items():
        store.assign(assessor, [topic for topic, names in divided.items() if assessor in names])
        moved = [topic for topic in assigned if assessor not in divided.get(topic, (assessor,))]
        store.unassign(assessor, moved)
