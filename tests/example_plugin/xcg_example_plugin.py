"""A package that adds one of each extension to xcg."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from io import BufferedReader
from pathlib import Path
from typing import Any

from xcg.documents.corpus import Corpus
from xcg.documents.tree import ElementTree
from xcg.errors import Notes
from xcg.gains.document_reader import DocumentReader
from xcg.judgements.assessment import Assessment
from xcg.judgements.recall_base import AssessmentFormat, DocumentLength, RecallBase
from xcg.measures import Definition, RankingGains
from xcg.runs.chunk_adapters import ChunkAdapter, ChunkFields
from xcg.runs.run import Ranking, Run, RunFormat, Ties, Topics


def rows(file: BufferedReader) -> Iterator[list[str]]:
    """Yield the columns of a CSV file without its heading."""
    for line in file.read().decode().splitlines()[1:]:
        yield line.split(",")


def read_assessments(file: BufferedReader, path: Path, base: RecallBase, notes: Notes) -> None:
    for topic, document, element, exhaustivity, specificity in rows(file):
        base.add_topic(topic, str(path))
        base.add(topic, document, element, Assessment(int(exhaustivity), int(specificity)), str(path))


def write_assessments(base: RecallBase, length: DocumentLength | None) -> tuple[str, list[str]]:
    lines = [
        f"{topic},{document},{element},{assessment.exhaustivity},{assessment.specificity}"
        for topic in base.topics
        for document, elements in base.files[topic].items()
        for element, assessment in elements.items()
    ]
    return "\n".join(["topic,document,element,e,s", *lines, ""]), []


CSV_ASSESSMENTS = AssessmentFormat(
    "CSV with a heading", lambda head: head.startswith(b"topic,document,element,e,s"),
    read_assessments, write_assessments,
)  # fmt: skip


def read_run(file: BufferedReader, path: Path, notes: Notes, ties: Ties, topics: Topics) -> Run:
    results: dict[str, list[tuple[str, str]]] = {}
    for topic, document, element in rows(file):
        results.setdefault(topic, []).append((document, element))
    return Run.of(path.stem, results)


def write_run(run: Run) -> tuple[str, list[str]]:
    lines = [
        f"{topic},{document},{element}"
        for topic, ranking in run.rankings.items()
        for document, element in ranking
    ]
    return "\n".join(["topic,document,element", *lines, ""]), []


CSV_RUN = RunFormat(
    "CSV with a heading", lambda head: head.startswith(b"topic,document,element\n"), read_run, write_run
)


def first_gain(topic: RankingGains, cutoff: float, parameters: Mapping[str, Any]) -> float:
    return float(topic.gains[0]) if len(topic.gains) else 0.0


FIRST_GAIN = Definition(
    name="firstGain",
    title="gain of the first result",
    formula="xG[1]",
    range="from 0",
    source="example",
    example="firstGain of the gains 0.5, 1 is 0.5",
    compute=first_gain,
)


def halves(exhaustivity: float, specificity: float) -> float:
    """Score 0.5 for every relevant element."""
    return 0.5 if exhaustivity and specificity else 0.0


def first_relevant(tree: ElementTree, scores: Mapping[str, float]) -> list[str]:
    """Select the first element of a document with a score."""
    return [path for path, score in scores.items() if score > 0][:1]


def half(score: float) -> float:
    """Pay half of the score for a partly seen result."""
    return score / 2


def siblings(
    tree: ElementTree, ideal: str, ideals: Mapping[str, float], *, closeness: float = 0.25
) -> dict[str, float]:
    """Reward the siblings of an ideal element."""
    parent = int(tree.parent[tree.row(ideal)])
    return {tree.path(row): closeness for row in tree.children(parent)} if parent >= 0 else {}


class FirstOnly(DocumentReader):
    """Gain the score of the first result of a document only."""

    def gain_of(self, result: int) -> float:
        return 0.0 if self.results else self.score(result)


def letters(text: str) -> list[int]:
    """Take each letter as a token."""
    return [offset for offset, character in enumerate(text) if character.isalpha()]


def first_results(ranking: Ranking, corpus: Corpus | None, *, count: int = 1) -> Ranking:
    """Keep the first results."""
    return ranking.top(count)


class Piece:
    """A chunk of an imaginary library."""

    def __init__(self, source: str, begin: int, content: str) -> None:
        self.source, self.begin, self.content = source, begin, content


class PieceAdapter(ChunkAdapter):
    """Reads pieces."""

    def recognises(self, chunk: Any) -> bool:
        return isinstance(chunk, Piece)

    def fields(self, chunk: Any) -> ChunkFields:
        return ChunkFields(document=chunk.source, start=chunk.begin, text=chunk.content)


ADAPTER = PieceAdapter()
