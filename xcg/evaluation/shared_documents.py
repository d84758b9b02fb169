"""Parse the documents of an evaluation once for all processes of this machine."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from xcg.documents.corpus import Corpus
from xcg.evaluation.parallel import Executor
from xcg.judgements.recall_base import RecallBase

_TASKS_PER_WORKER = 4
"""Documents have different sizes, so each worker gets several parts of them."""


@contextmanager
def shared_documents(
    corpus: Corpus | None, base: RecallBase, topics: Sequence[str], executor: Executor
) -> Iterator[Corpus | None]:
    """Provide a corpus whose assessed documents no worker parses again, because they are in a cache.

    Documents that are not in the cache are parsed first, divided among the workers. If the cache is
    switched off, they are in a temporary one. The machines of a cluster have their own caches, and
    documents in memory have none; nothing is done for these.

    Args:
        corpus: The corpus.
        base: The assessments.
        topics: The topics whose documents are needed.
        executor: Where the work is done.
    """
    if corpus is None or not corpus.is_on_disk or executor.scheduler is not None:
        yield corpus
    elif corpus.cache_folder is not None:
        yield _parsed(Corpus(corpus.path, cache=corpus.cache_folder), base, topics, executor)
    else:
        import tempfile

        # Workers that are kept may have the file open, which some systems do not delete.
        with tempfile.TemporaryDirectory(prefix="xcg-", ignore_cleanup_errors=True) as folder:
            yield _parsed(Corpus(corpus.path, cache=Path(folder)), base, topics, executor)


def _parsed(corpus: Corpus, base: RecallBase, topics: Sequence[str], executor: Executor) -> Corpus:
    """Return a corpus, after parsing its assessed documents that are not in its cache."""
    files = dict.fromkeys(
        file
        for topic in topics
        for file in (*base.files(topic), *base.spans(topic), *base.passages(topic))
    )
    names = [file for file in files if file in corpus and not corpus.is_tree_cached(file)]
    count = min(len(names), _TASKS_PER_WORKER * executor.count_workers())
    parts = [(names[number::count],) for number in range(count)]
    executor.run(_parse, parts, common=[corpus])
    return corpus


def _parse(corpus: Corpus, names: Sequence[str]) -> None:
    """Parse documents into the cache; errors are reported when they are needed."""
    for _ in corpus.prepared(names):
        pass
    corpus.write_cache()
