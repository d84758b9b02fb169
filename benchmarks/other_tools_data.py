"""Documents, gold spans and runs of chunks for the comparison with other tools, read and generated."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import xcg

Chunk = tuple[str, int, int]
"""Document, start and end of a result."""


class GoldSpan(NamedTuple):
    """A relevant passage and its grade."""

    document: str
    start: int
    end: int
    grade: int = 1


class Data(NamedTuple):
    """Documents, gold spans and runs of chunks.

    Attributes:
        name: The name in the table.
        documents: Document → text.
        gold: Question → its gold spans.
        runs: Run → question → chunks in rank order.
        index: Run → all chunks that it could return.
    """

    name: str
    documents: Mapping[str, str]
    gold: Mapping[str, Sequence[GoldSpan]]
    runs: Mapping[str, Mapping[str, Sequence[Chunk]]]
    index: Mapping[str, Sequence[Chunk]]


def handbook(folder: Path) -> Data:
    """Read the chunk study of the handbook."""
    corpus = xcg.Corpus(str(Path(__file__).parent.parent / "corpora_samples/handbook"))
    gold: dict[str, list[GoldSpan]] = {}
    for line in (folder / "gold.jsonl").read_text().splitlines():
        record = json.loads(line)
        span = GoldSpan(record["doc"], record["start"], record["end"], record["level"])
        gold.setdefault(record["topic"], []).append(span)
    runs: dict[str, dict[str, list[Chunk]]] = {}
    for file in sorted((folder / "runs").glob("*.jsonl")):
        rankings = runs.setdefault(file.stem, {})
        for line in file.read_text().splitlines():
            record = json.loads(line)
            chunk = record["doc"], record["start"], record["end"]
            rankings.setdefault(record["topic"], []).append(chunk)
    index = {
        run: list(dict.fromkeys(c for ranking in runs[run].values() for c in ranking)) for run in runs
    }
    names = {chunk[0] for chunks in index.values() for chunk in chunks}
    names |= {span.document for spans in gold.values() for span in spans}
    return Data("handbook", {name: corpus.tree(name).text for name in names}, gold, runs, index)


def overlapping(seed: int) -> Data:
    """Draw overlapping and repeated chunks, overlapping gold spans, and unanswered questions."""
    rng = random.Random(seed)
    documents = {f"d{n}": "word " * 400 for n in range(6)}
    chunks = [(name, start, start + 200) for name in documents for start in range(0, 1801, 100)]
    gold: dict[str, list[GoldSpan]] = {}
    for question in range(60):
        spans = gold.setdefault(str(question), [])
        for _ in range(rng.randint(1, 4)):
            start = rng.randrange(1800)
            end = start + rng.randint(5, 150)
            spans.append(GoldSpan(rng.choice(list(documents)), start, end, rng.randint(1, 3)))
            if rng.random() < 0.3:  # the next gold span follows, or overlaps
                start = rng.choice([end, end - 3])
                spans.append(GoldSpan(spans[-1].document, start, start + 40, 1))
    runs: dict[str, dict[str, list[Chunk]]] = {}
    for run in ("first", "second", "third"):
        rankings = runs.setdefault(run, {})
        for question, spans in gold.items():
            if rng.random() < 0.1:
                continue  # not answered
            # Chunks at the offsets of gold spans: some of the same document, some of others.
            near = [c for c in chunks for s in spans if c[1] < s.end and s.start < c[2]]
            same = [c for c in near if any(c[0] == s.document for s in spans)]
            ranking = rng.sample(chunks, 4) + rng.sample(near, 4) + rng.sample(same, min(4, len(same)))
            ranking += rng.choices(ranking, k=3)
            rng.shuffle(ranking)
            rankings[question] = ranking
    return Data("overlapping chunks", documents, gold, runs, dict.fromkeys(runs, chunks))


def separate(seed: int) -> Data:
    """Draw chunks that do not overlap, and gold spans with a chunk each."""
    rng = random.Random(seed)
    documents = {f"d{n}": "word " * 400 for n in range(6)}
    chunks = [(name, start, start + 200) for name in documents for start in range(0, 2000, 200)]
    gold: dict[str, list[GoldSpan]] = {}
    runs: dict[str, dict[str, list[Chunk]]] = {"first": {}, "second": {}}
    for question in map(str, range(60)):
        found = rng.sample(chunks, rng.randint(1, 5))
        for name, start, end in found:
            low = start + rng.randint(0, 80)
            span = GoldSpan(name, low, rng.randint(low + 10, end - 1), rng.randint(1, 3))
            gold.setdefault(question, []).append(span)
        for rankings in runs.values():
            if rng.random() >= 0.1:
                some = [chunk for chunk in found if rng.random() < 0.7]
                others = [chunk for chunk in rng.sample(chunks, 8) if chunk not in found]
                rankings[question] = rng.sample([*some, *others], len(some) + len(others))
    return Data("separate chunks", documents, gold, runs, dict.fromkeys(runs, chunks))


def levels(seed: int) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, list[str]]]]:
    """Draw question → document → level, and run → question → documents in rank order."""
    rng = random.Random(seed)
    names = [f"d{n}" for n in range(40)]
    qrels: dict[str, dict[str, int]] = {}
    runs: dict[str, dict[str, list[str]]] = {"first": {}, "second": {}}
    for question in map(str, range(60)):
        qrels[question] = {name: rng.randint(0, 3) for name in rng.sample(names, 15)}
        for rankings in runs.values():
            if rng.random() >= 0.1:
                rankings[question] = rng.sample(names, 12)
    return qrels, runs


# Judgements of identifiers


def judged_chunks(data: Data, run: str) -> dict[str, dict[str, int]]:
    """Return question → chunk id → the best grade of the gold spans of which it has at least half."""
    qrels: dict[str, dict[str, int]] = {}
    for question, spans in data.gold.items():
        judged = qrels.setdefault(question, {})
        for chunk in data.index[run]:
            judged[str(chunk)] = max((s.grade for s in spans if _has_half(chunk, s)), default=0)
    return qrels


def as_gold_spans(data: Data) -> tuple[dict[str, dict[str, int]], Any, set[tuple[str, str]]]:
    """Name every result after the best gold span that it is the first to find.

    Returns:
        Question → gold span → grade; run → question → names; and the (run, question) pairs in which a
        result finds several gold spans, which a name cannot state.
    """
    qrels: dict[str, dict[str, int]] = {}
    for question, spans in data.gold.items():
        judged = qrels.setdefault(question, {})
        for s in spans:
            judged[str(s[:3])] = max(s.grade, judged.get(str(s[:3]), 0))
    named: dict[str, dict[str, list[str]]] = {}
    several = set()
    for run, rankings in data.runs.items():
        for question, ranking in rankings.items():
            names = named.setdefault(run, {}).setdefault(question, [])
            found: set[str] = set()
            for rank, chunk in enumerate(ranking):
                new = {str(s[:3]) for s in data.gold.get(question, ()) if _has_half(chunk, s)} - found
                found |= new
                names.append(max(new, key=qrels[question].__getitem__) if new else f"rank {rank}")
                if len(new) > 1:
                    several.add((run, question))
    return qrels, named, several


def _has_half(chunk: Chunk, span: GoldSpan) -> bool:
    shared = min(span.end, chunk[2]) - max(span.start, chunk[1])
    return span.document == chunk[0] and shared / (span.end - span.start) >= 0.5
