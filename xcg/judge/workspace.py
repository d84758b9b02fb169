"""The documents, topics, pools and judgements of a configuration, opened together.

The pool of a topic has the documents that assessors judge. Its order hides which system found a
document, and at which rank.
"""

from __future__ import annotations

import bisect
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from copy import copy
from dataclasses import dataclass
from itertools import chain, pairwise
from types import MappingProxyType

from xcg.documents.corpus import Corpus
from xcg.documents.passage_points import Passage
from xcg.documents.paths import WHOLE
from xcg.documents.text_search import Span
from xcg.documents.tree import ElementTree, UnknownPathError
from xcg.errors import InputError, Notes, UnmappedError, missing_extra, nearest
from xcg.formats.base import read_runs
from xcg.formats.topic_files import Topic, read_topics
from xcg.judge.judgement import Judgement, PoolDocument
from xcg.judge.rendering import Rendering, render
from xcg.judge.settings import Settings
from xcg.judge.store import Store
from xcg.lazy_modules import hashlib
from xcg.runs.chunk_documents import ChunkSource, missing_document
from xcg.runs.run import UNKNOWN_SPAN, Run

Found = dict[str, dict[str, set[Span]]]
"""Topic → document → start and end of the results in it; not of those that are the whole document."""
Assignments = dict[str, tuple[str, ...]]
"""Topic → its assessors."""


def pools_of_runs(runs: Iterable[Run], corpus: Corpus, topics: Iterable[str], depth: int) -> Found:
    """Return the results of runs to a depth: topic → document → characters of the results.

    Args:
        runs: The runs.
        corpus: The documents.
        topics: The topics. A topic without results has no documents.
        depth: Number of results per run and topic.

    Raises:
        InputError: If the corpus lacks a document, element or passage of a result.

    >>> corpus = Corpus.of({"bees": "<a><p>Bees dance.</p><p>They waggle.</p></a>"})
    >>> run = Run.of("bm25", {"1": ["bees#/a[1]/p[2]", "bees"]})
    >>> pools_of_runs([run], corpus, ["1"], 20)
    {'1': {'bees': {(11, 23)}}}
    """
    found: Found = {topic: {} for topic in topics}
    ranked = [(run, topic) for run in runs for topic in found if topic in run.rankings]
    for run, topic in ranked:
        top = run.rankings[topic].top(depth)
        for rank, (name, path) in enumerate(top, 1):
            span = top.spans.get(rank - 1)
            if not path and span is None:
                continue  # an illegal result, which was reported when the run was read
            try:
                if name not in corpus:
                    raise UnknownPathError(missing_document(name, corpus, is_lenient=False))
                characters = _characters(corpus, name, path, span)
            except UnknownPathError as error:
                where = f"{run.where(topic)}, rank {rank}, {name}"
                raise UnmappedError(where, str(error)) from None
            found[topic].setdefault(name, set()).update(characters)
    return found


def _characters(corpus: Corpus, name: str, path: str, span: Span | Passage | None) -> list[Span]:
    """Return the characters of a result; none if it is a whole document.

    Raises:
        UnknownPathError: If the document does not have them.
    """
    tree = corpus.tree(name)
    if isinstance(span, Passage):
        start, end = span.characters(tree)
    elif span is not None and span != UNKNOWN_SPAN:
        tree.check_characters(*span)
        start, end = span
    elif span is None and path != WHOLE and (row := tree.row(path)):
        start, end = int(tree.start[row]), int(tree.stop[row])
    else:
        return []
    return [(start, end)] if start < end else []


def pools_of_titles(topics: Mapping[str, Topic], corpus: Corpus, depth: int) -> Found:
    """Return the documents that BM25 finds for the titles of topics: topic → document → no results.

    Only documents that share a word with the title are found. Equal scores are ordered by name. A word
    ends where an element starts or ends; a word with markup inside counts as a whole, too.

    Args:
        topics: The topics by id.
        corpus: The documents.
        depth: Maximum number of documents per topic.

    Raises:
        InputError: If a document cannot be read.
        XcgError: If bm25s is not installed.

    >>> corpus = Corpus.of({"bees": "Bees dance.", "ants": "Ants do not."})
    >>> pools_of_titles({"1": Topic("1", "dance of bees")}, corpus, 20)
    {'1': {'bees': set()}}
    """
    try:
        import bm25s  # type: ignore[import-untyped]
    except ImportError:
        raise missing_extra("xcg judge without runs", "bm25s", "judge") from None

    def words(texts: Sequence[str]) -> list[list[str]]:
        found: list[list[str]] = bm25s.tokenize(
            texts, stopwords="en", return_ids=False, show_progress=False
        )
        return found

    names = list(corpus)
    indexed = words([_text_of_words(corpus.tree(name)) for name in corpus.prepared(names)])
    pools: Found = {topic: {} for topic in topics}
    if not any(indexed):
        return pools
    index = bm25s.BM25(method="lucene", k1=1.2, b=0.75)
    index.index(indexed, show_progress=False)
    for topic, documents in pools.items():
        known = sorted(set(words([topics[topic].title])[0]) & index.vocab_dict.keys())
        if not known:
            continue
        scores = zip(names, map(float, index.get_scores(known)), strict=True)
        best = sorted((-score, name) for name, score in scores if score > 0)
        documents.update((name, set()) for _, name in best[:depth])
    return pools


def _text_of_words(tree: ElementTree) -> str:
    """Return the text, separated where elements start and end, then the words with markup inside.

    >>> _text_of_words(Corpus.of({"a": "<a><p>Honey</p><p>Bees</p></a>"}).tree("a"))
    'Honey Bees HoneyBees'
    """
    text = tree.text
    tags = sorted({*tree.start.tolist(), *tree.stop.tolist(), len(text)})
    pieces = [text[start:end] for start, end in pairwise([0, *tags])]
    divided = [
        word[0]
        for word in re.finditer(r"\w+", text)
        if bisect.bisect_right(tags, word.start()) < bisect.bisect_left(tags, word.end())
    ]
    return " ".join(piece for piece in [*pieces, *divided] if piece)


def ordered_pool(topic: str, found: Mapping[str, Iterable[Span]], seed: int) -> list[PoolDocument]:
    """Return documents in an order that depends only on the seed, the topic and their names.

    Args:
        topic: The topic.
        found: Document → start and end of the results in it.
        seed: Seed of the order.

    >>> [one.name for one in ordered_pool("1", {"ants": [], "bees": [(4, 8)], "wasps": []}, seed=1)]
    ['bees', 'ants', 'wasps']
    """
    names = sorted(found, key=lambda name: order_key(seed, topic, name))
    return [PoolDocument(name, tuple(sorted(set(found[name])))) for name in names]


def order_key(seed: int, *names: str) -> bytes:
    """Return a sort key that looks random but depends only on a seed and names."""
    text = "\0".join([str(seed), *names])
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


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
    with settings.locating("topics", "files"):
        topics = read_topics(settings.topics)
    found = _found(settings, corpus, topics, notes)
    with store.transaction():
        store.add_assessors(settings.assessors)
        for topic, documents in found.items():
            store.extend_pool(topic, ordered_pool(topic, documents, settings.seed))
        empty = [topic for topic in topics if not store.pool(topic)]
        if len(empty) == len(topics):
            source = "runs" if settings.runs else "titles of the topics"
            where = settings.where("runs") if settings.runs else settings.where("topics", "files")
            raise InputError(where, f"the {source} find no document for any topic")
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
    return pools_of_runs(runs, corpus, topics, settings.depth)


def _assign(store: Store, settings: Settings, topics: list[str]) -> None:
    """Divide the topics that have documents among the assessors."""
    assignments = store.assignments()
    earlier = {
        topic: [name for name, assigned in assignments.items() if topic in assigned] for topic in topics
    }
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
    earlier: Mapping[str, Collection[str]] = MappingProxyType({}),
    started: Collection[tuple[str, str]] = (),
) -> Assignments:
    """Divide topics among assessors as evenly as possible, and give a share to a second assessor.

    Earlier assignments are kept, so further topics change nothing for the others. With a new assessor,
    topics that nobody has started are divided again.

    Args:
        topics: The topics.
        assessors: Names of the assessors.
        second_share: Proportion of the topics that a second assessor judges too.
        seed: Seed of the choice of topics.
        earlier: Topic → assessors so far.
        started: Assessor and topic of every judgement so far. These assignments never change.

    Returns:
        Topic → its assessors; also those who are not in the list but have started.

    >>> assign_topics(["1", "2", "3"], ["anna", "ben"], second_share=0.34)
    {'1': ('anna', 'ben'), '2': ('anna',), '3': ('ben',)}
    """
    is_new = not set(assessors) <= set(chain(*earlier.values())) and len(assessors) <= len(topics)
    begun = {topic for _, topic in started}
    assigned = {
        topic: [name for name in earlier.get(topic, ()) if name in assessors]
        if topic in begun or not is_new
        else []
        for topic in topics
    }
    for name, topic in sorted(started):
        if topic in assigned and name not in assigned[topic]:
            assigned[topic].append(name)

    def load(name: str) -> int:
        return sum(name in names for names in assigned.values())

    in_order = [assigned[topic] for topic in sorted(topics, key=lambda topic: order_key(seed, topic))]
    for names in in_order:
        if not names:  # to the assessor with the fewest topics
            names.append(min(assessors, key=load))
    wanted = int(second_share * len(topics) + 0.5) - sum(len(names) > 1 for names in in_order)
    single = [names for names in in_order if len(names) == 1]
    for names in single[: max(wanted, 0)] if len(assessors) > 1 else ():
        names.append(min((name for name in assessors if name not in names), key=load))
    return {topic: tuple(sorted(names)) for topic, names in assigned.items()}


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
        return render(self.corpus, document)

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
    corpus, notes = open_corpus(settings), Notes()
    with ExitStack() as stack:
        store = stack.enter_context(Store(settings.store, corpus))
        store.add_notes(notes)
        topics = prepare(store, settings, corpus, notes)
        for topic in settings.nuggets:
            if topic not in topics:
                unknown = f"unknown topic {topic!r}: {nearest(topic, topics)}"
                raise InputError(settings.where("judge", "nuggets"), unknown)
        stack.pop_all()
        return Workspace(settings, corpus, topics, store, notes)


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
