"""Prepare a store for judging: its assessors, pools and assignments."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence

from xcg.documents.corpus import Corpus
from xcg.errors import InputError, Notes
from xcg.formats.base import read_runs
from xcg.formats.topic_files import Topic, read_topics
from xcg.judge.pools import Found, order_key, ordered_pool, pools_of_runs, pools_of_titles
from xcg.judge.settings import Settings
from xcg.judge.store import Store
from xcg.runs.chunk_documents import ChunkSource

Assignments = dict[str, tuple[str, ...]]
"""Topic → its assessors."""


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


def assign_topics(
    topics: Sequence[str],
    assessors: Sequence[str],
    second_share: float = 0.0,
    seed: int = 0,
    earlier: Mapping[str, Collection[str]] | None = None,
    started: Collection[tuple[str, str]] = (),
) -> Assignments:
    """Divide topics among assessors as evenly as possible, and give a share to a second assessor.

    Earlier assignments are kept, so further topics change nothing for the others. Only topics that
    nobody has started move: to a new assessor, or away from an assessor who is no longer in the list.

    Args:
        topics: The topics.
        assessors: Names of the assessors.
        second_share: Proportion of the topics that a second assessor judges too.
        seed: Seed of the choice of topics.
        earlier: Topic → assessors so far.
        started: Assessor and topic of every judgement so far. These assignments never change.

    Returns:
        Topic → its assessors, the first one first; also for assessors who are not in the list but have
        started.

    >>> assign_topics(["1", "2", "3"], ["anna", "ben"], second_share=0.34)
    {'1': ('anna', 'ben'), '2': ('anna',), '3': ('ben',)}
    """
    begun = set(started)
    assigned = {
        topic: [
            name
            for name in (earlier or {}).get(topic, ())
            if name in assessors or (name, topic) in begun
        ]
        for topic in topics
    }
    for name, topic in sorted(begun):
        if topic in assigned and name not in assigned[topic]:
            assigned[topic].append(name)
    in_order = sorted(topics, key=lambda topic: order_key(seed, topic))
    if assessors:
        known = {name for names in assigned.values() for name in names}
        _assign_first(assigned, in_order, assessors)
        for newcomer in (name for name in assessors if known and name not in known):
            _move_topics(assigned, in_order, newcomer, assessors, begun)
        _assign_second(assigned, in_order, assessors, int(second_share * len(topics) + 0.5))
    return {topic: tuple(names) for topic, names in assigned.items()}


def _assign_first(
    assigned: dict[str, list[str]], topics: Sequence[str], assessors: Sequence[str]
) -> None:
    """Give each topic without an assessor to the one with the fewest topics."""
    for topic in topics:
        if not assigned[topic]:
            assigned[topic].append(_least_loaded(assigned, assessors))


def _move_topics(
    assigned: dict[str, list[str]],
    topics: Sequence[str],
    newcomer: str,
    assessors: Sequence[str],
    begun: Collection[tuple[str, str]],
) -> None:
    """Move topics that nobody has started from the assessors with most topics to a new one."""
    for topic in topics:
        names = assigned[topic]
        if newcomer in names or any((name, topic) in begun for name in names):
            continue
        counts = _counts(assigned, assessors)
        giver = max(names, key=lambda name: counts[name])
        if counts[giver] - counts[newcomer] > 1:
            names[names.index(giver)] = newcomer


def _assign_second(
    assigned: dict[str, list[str]], topics: Sequence[str], assessors: Sequence[str], count: int
) -> None:
    """Add second assessors until the given number of topics has one."""
    if len(assessors) < 2:
        return
    missing = count - sum(len(names) > 1 for names in assigned.values())
    for topic in topics:
        if missing > 0 and len(assigned[topic]) == 1:
            others = [name for name in assessors if name not in assigned[topic]]
            assigned[topic].append(_least_loaded(assigned, others))
            missing -= 1


def _least_loaded(assigned: Mapping[str, Sequence[str]], assessors: Sequence[str]) -> str:
    counts = _counts(assigned, assessors)
    return min(assessors, key=lambda name: counts[name])


def _counts(assigned: Mapping[str, Sequence[str]], assessors: Sequence[str]) -> Counter[str]:
    counts = Counter(name for names in assigned.values() for name in names)
    return Counter({name: counts[name] for name in assessors})
