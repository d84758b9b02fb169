"""Open the documents of an evaluation, each once, and find the results that they do not have."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path

from xcg.documents.corpus import Corpus
from xcg.documents.paths import WHOLE
from xcg.evaluation.parallel import ONE_PROCESS, Executor
from xcg.evaluation.resolution import PATH_BITS, PATH_MASK, different, element_codes
from xcg.judgements.recall_base import RecallBase
from xcg.lazy_modules import np
from xcg.runs.runs import Runs

_TASKS_PER_WORKER = 4
"""Documents have different sizes, so each worker gets several parts of them."""


def judged_files(base: RecallBase, topic: str) -> list[str]:
    """Return the documents with assessments for a topic."""
    return list(dict.fromkeys([*base.files(topic), *base.spans(topic), *base.passages(topic)]))


def lacking_paths(
    runs: Runs,
    base: RecallBase,
    corpus: Corpus | None,
    topics: Sequence[str],
    executor: Executor = ONE_PROCESS,
) -> dict[str, set[str]]:
    """Return document → the paths of results that it does not have, where it has no assessments.

    Each document is opened once, whatever the number of workers. Documents that are assessed for any
    topic, or whose text the results are, are parsed into the cache; of all others only the paths are
    looked up.

    Raises:
        InputError: If a document cannot be read; the first in the order of names.
    """
    if corpus is None:
        return {}
    asked, with_text = _asked(runs, base, corpus, topics)
    judged = dict.fromkeys(file for topic in topics for file in judged_files(base, topic))
    # One process parses the others topic by topic, and keeps their trees in memory.
    parsed = {
        file: None
        for file in {**judged, **dict.fromkeys(with_text)}
        if file in corpus and (file in asked or not executor.is_this_process)
    }
    if executor.is_this_process:
        return _open(corpus, list(parsed), asked)
    names = sorted({*parsed, *asked})
    count = _TASKS_PER_WORKER * executor.count_workers()
    tasks = [
        ([f for f in part if f in parsed], {f: asked[f] for f in part if f in asked})
        for start, end in pairwise(len(names) * number // count for number in range(count + 1))
        if (part := names[start:end])
    ]
    found: dict[str, set[str]] = {}
    for lacking in executor.run(_open, tasks, common=[corpus]):
        found |= lacking
    return found


def _asked(
    runs: Runs, base: RecallBase, corpus: Corpus, topics: Sequence[str]
) -> tuple[dict[str, list[str]], list[str]]:
    """Return document → the paths of results that it must have, and the documents of passages."""
    documents, paths = runs.documents.texts, runs.paths.texts
    found = [np.empty(0, np.int64)]
    with_text: dict[str, None] = {}
    for topic in topics:
        rankings = [run.rankings[topic] for run in runs if len(run.rankings.get(topic, ()))]
        if rankings:
            codes = different(element_codes(rankings))
            judged = [runs.documents[f] for f in judged_files(base, topic) if f in runs.documents]
            found.append(codes[~np.isin(codes >> PATH_BITS, judged)])
        for ranking in rankings:
            with_text.update((ranking.files[position], None) for position in ranking.spans)
    asked: dict[str, list[str]] = {}
    for code in different(np.concatenate(found)).tolist():
        if (path := paths[code & PATH_MASK]) not in ("", WHOLE):
            asked.setdefault(documents[code >> PATH_BITS], []).append(path)
    return {file: asked[file] for file in sorted(asked) if file in corpus}, list(with_text)


def _open(
    corpus: Corpus, parsed: Sequence[str], asked: Mapping[str, Sequence[str]]
) -> dict[str, set[str]]:
    for _ in corpus.prepared(parsed):
        pass  # errors are raised where a tree is needed
    found = {file: set(missing) for file, missing in corpus.missing_paths(asked) if missing}
    corpus.write_cache()
    return found


@contextmanager
def shared_cache(corpus: Corpus | None, executor: Executor) -> Iterator[Corpus | None]:
    """Provide a corpus that the workers of this machine parse once: its cache, or a temporary one.

    The machines of a cluster have their own caches, and documents in memory have none.
    """
    if corpus is None or not corpus.is_on_disk or executor.scheduler is not None:
        yield corpus
    elif corpus.cache_folder is not None:
        corpus.write_cache()
        yield Corpus(corpus.path, cache=corpus.cache_folder)
    else:
        import tempfile

        # Workers that are kept may have the file open, which some systems do not delete.
        with tempfile.TemporaryDirectory(prefix="xcg-", ignore_cleanup_errors=True) as folder:
            yield Corpus(corpus.path, cache=Path(folder))
