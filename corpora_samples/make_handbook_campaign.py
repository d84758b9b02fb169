"""Write the assessments and runs of the handbook campaign, from its articles, topics and highlights.

    python corpora_samples/make_handbook_campaign.py [FOLDER]

FOLDER receives ``assessments/`` and ``corpora_samples/``; it is the root of the project by default. The
output is deterministic. The retriever is BM25 over the elements of the articles (extra
``xcg[samples]``). It gives one thorough run, ``handbook-thorough/bm25.jsonl``: all elements that share
a word with the topic, with their scores. The runs in ``handbook-runs/`` are derived from this run by
overlap strategies, except for ``random``. They contain the first 60 results of each topic. So these
commands write ``focused`` too, with all its results::

    cd corpora_samples/handbook-thorough
    xcg convert --run bm25.jsonl --strategy top_ranked --output focused.jsonl

Three of the strategies are functions of this file: ``only``, ``below_bodies`` and ``merged_siblings``.
They show how users add their own.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import bm25s
import numpy as np
from lxml import etree

from xcg.documents.corpus import Corpus
from xcg.formats.inex_assessments import inex_2004
from xcg.formats.json_assessments import read_highlights
from xcg.judgements.highlights import Highlight, assess
from xcg.judgements.recall_base import RecallBase, Span
from xcg.runs.run import Ranking
from xcg.strategies.registry import strategies_of

ROOT = Path(__file__).parent.parent
CORPUS = ROOT / "corpora_samples" / "handbook"
TOPICS = ROOT / "corpora_samples" / "handbook-topics"
HIGHLIGHTS = ROOT / "assessments" / "handbook-highlights"
SECTIONS = "sec ss1 ss2 ss3"
PARAGRAPHS = "p ip1"
SMALLEST = 60  # characters of an element that can be an answer
LONGEST = 60  # results per topic in a derived run

Element = tuple[str, str]  # file, path


@dataclass
class Topic:
    """A question of a user."""

    id: str
    title: str


class Index:
    """A BM25 index of all elements that are long enough to be an answer."""

    def __init__(self, corpus: Corpus) -> None:
        self.corpus = corpus
        self.elements: list[Element] = []
        texts = []
        for file in corpus:
            tree = corpus.tree(file)
            for row in np.flatnonzero(tree.characters >= SMALLEST).tolist():
                self.elements.append((file, tree.paths[row]))
                texts.append(tree.element_text(row))
        self._bm25 = bm25s.BM25(method="lucene", k1=1.2, b=0.75)
        self._bm25.index(tokens(texts), show_progress=False)

    def search(self, query: str, file: str | None = None) -> Ranking:
        """Return the elements that share a word with the query: all, or those of one document."""
        words = sorted(set(tokens([query])[0]))
        scores = self._bm25.get_scores([word for word in words if word in self._bm25.vocab_dict])
        found = {
            element: float(score)
            for element, score in zip(self.elements, scores, strict=True)
            if score > 0 and file in (None, element[0])
        }
        return ranked(found)

    def at_random(self, seed: str, file: str | None = None) -> Ranking:
        """Return elements in random order, as a lower bound for all strategies."""
        elements = sorted(self.elements)
        random.Random(seed).shuffle(elements)
        return ranking_of(element for element in elements if file in (None, element[0]))


def tokens(texts: Sequence[str]) -> list[list[str]]:
    """Return the words of each text, without stop words."""
    words: list[list[str]] = bm25s.tokenize(
        list(texts), stopwords="en", return_ids=False, show_progress=False
    )
    return words


def ranked(scores: Mapping[Element, float]) -> Ranking:
    """Return elements by descending score, and ties by name."""
    rounded = {element: round(score, 6) for element, score in scores.items()}
    elements = sorted(rounded, key=lambda element: (-rounded[element], element))
    return ranking_of(elements, [rounded[element] for element in elements])


def ranking_of(elements: Iterable[Element], scores: Sequence[float] | None = None) -> Ranking:
    """Return a ranking of elements."""
    results = [(file, path, None) for file, path in elements]
    return Ranking.of(results, scores, has_scores=scores is not None)


def only(ranking: Ranking, corpus: Corpus | None = None, *, tags: str = PARAGRAPHS) -> Ranking:
    """Keep the elements with some tag names, which are separated by blanks."""
    chosen = set(tags.split())
    return ranking.select([n for n, path in enumerate(ranking.paths) if tag(path) in chosen])


def below_bodies(ranking: Ranking, corpus: Corpus | None = None) -> Ranking:
    """Keep the elements below bodies; bodies and articles would replace everything."""
    return ranking.select([n for n, path in enumerate(ranking.paths) if path.count("/") > 2])


def merged_siblings(ranking: Ranking, corpus: Corpus) -> Ranking:
    """Return paragraphs, but replace more than half of the paragraphs of a section by the section.

    The paragraphs are the first 60. They are counted, and the short ones do not count;
    ``promote_parent`` compares the numbers of characters.
    """
    paragraphs = only(ranking).top(LONGEST)
    retrieved = set(paragraphs)
    merged: dict[Element, None] = {}
    for file, path in paragraphs:
        tree = corpus.tree(file)
        parent = int(tree.parent[tree.row(path)])
        siblings = [
            (file, tree.paths[row])
            for row in tree.children(parent)
            if tree.characters[row] >= SMALLEST and tree.tag(row) in PARAGRAPHS.split()
        ]
        found = retrieved & set(siblings)
        whole = tree.tag(parent) in SECTIONS.split() and 2 * len(found) > len(siblings) > 1
        merged[(file, tree.paths[parent]) if whole else (file, path)] = None
    return ranking_of(merged)


def tag(path: str) -> str:
    """Return the tag name of an element."""
    return path.rpartition("/")[2].partition("[")[0]


RUNS: dict[str, tuple[str, list[object]]] = {
    "elements": ("All elements as scored, overlapping or not.", ["thorough"]),
    "articles": ("Whole articles only.", [{"name": only, "tags": "article"}]),
    "sections": ("Sections and subsections only.", [{"name": only, "tags": SECTIONS}]),
    "paragraphs": ("Paragraphs only.", [{"name": only, "tags": PARAGRAPHS}]),
    "focused": ("All elements, overlap removed from the top of the ranking.", ["top_ranked"]),
    "parents": (
        "All elements but articles, overlap removed in favour of the parent.",
        [below_bodies, "outermost(rank=best)"],
    ),
    "merged": (
        "Paragraphs, merged into their section where most of them are retrieved.",
        [merged_siblings, "top_ranked"],
    ),
    "random": ("Elements at random.", []),
}
"""Run → its description, and the strategies that derive it from the thorough run."""


def derived(ranking: Ranking, index: Index, file: str | None = None) -> Iterator[tuple[str, Ranking]]:
    """Yield name and ranking of all runs for one topic, given the thorough ranking."""
    for name, (_, specs) in RUNS.items():
        found = ranking if specs else index.at_random(f"handbook {len(ranking)}", file)
        for strategy in (strategy for spec in specs for strategy in strategies_of(spec)):
            found = strategy.function(found, index.corpus)
        yield name, found


def read_topics(folder: Path = TOPICS) -> list[Topic]:
    """Read topics in the INEX format."""
    topics = []
    for path in sorted(folder.glob("*.xml")):
        root = etree.parse(path).getroot()
        topics.append(Topic(root.get("topic_id", ""), " ".join((root.findtext("title") or "").split())))
    return topics


def submission(name: str, description: str, results: Mapping[str, Iterable[Element]]) -> bytes:
    """Return a run as an inex-submission."""
    root = etree.Element(
        "inex-submission", {"participant-id": "0", "run-id": name, "task": "CO", "query": "automatic"}
    )
    etree.SubElement(root, "topic-fields", title="yes", description="no", narrative="no")
    etree.SubElement(root, "description").text = description
    collections = etree.SubElement(root, "collections")
    etree.SubElement(collections, "collection").text = "handbook"
    for topic, elements in results.items():
        answer = etree.SubElement(root, "topic", {"topic-id": topic})
        for rank, (file, path) in enumerate(elements, 1):
            result = etree.SubElement(answer, "result")
            for field, value in (("file", file), ("path", path), ("rank", str(rank))):
                etree.SubElement(result, field).text = value
    return etree.tostring(root, encoding="UTF-8", xml_declaration=True, pretty_print=True)


def write_thorough(path: Path, found: Mapping[str, Ranking]) -> None:
    """Write all results with their scores as JSON Lines."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8") as file:
        for topic, ranking in found.items():
            for (document, element), score in zip(ranking, ranking.scores, strict=True):
                record = {"topic": topic, "doc": document, "path": element, "score": score}
                file.write(json.dumps(record) + "\n")


def write_runs(
    folder: Path, found: Mapping[str, Ranking], index: Index, files: Mapping[str, str] = {}
) -> None:
    """Write the runs that are derived from the thorough rankings of all topics.

    Args:
        folder: Receives the runs.
        found: Topic → thorough ranking.
        index: The index of the elements.
        files: Topic → the only document that was searched.
    """
    folder.mkdir(parents=True, exist_ok=True)
    results: dict[str, dict[str, Ranking]] = {name: {} for name in RUNS}
    for topic, ranking in found.items():
        for name, elements in derived(ranking, index, files.get(topic)):
            results[name][topic] = elements.top(LONGEST)
    for name, (description, _) in RUNS.items():
        (folder / f"{name}.xml").write_bytes(submission(name, description, results[name]))


def offset_qrels(marks: Iterable[Highlight], corpus: Corpus) -> str:
    """Return highlights as the qrels of INEX 2007 to 2010, without exhaustivity."""
    base = RecallBase()
    for mark in marks:
        base.add_topic(mark.topic, "highlights")
        base.add_span(mark.topic, mark.file, Span(mark.start, mark.end), "highlights")
    return base.to_text("offsets", corpus.length)[0]


def main(target: Path = ROOT) -> None:
    """Write the assessments of both assessors, and the runs."""
    corpus = Corpus(CORPUS)
    for assessor in ("first", "second"):
        marks = list(read_highlights(HIGHLIGHTS / f"{assessor}.jsonl"))
        base = assess(marks, corpus)
        folder = target / "assessments" / ("handbook" if assessor == "first" else "handbook-second")
        folder.mkdir(parents=True, exist_ok=True)
        for topic in base.topics:
            (folder / f"{topic}.xml").write_bytes(inex_2004(base, topic))
        if assessor == "first":
            folder = target / "assessments" / "handbook-passages"
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "offsets.qrels").write_text(offset_qrels(marks, corpus), encoding="utf-8")
    index = Index(corpus)
    found = {topic.id: index.search(topic.title) for topic in read_topics()}
    write_thorough(target / "corpora_samples" / "handbook-thorough" / "bm25.jsonl", found)
    write_runs(target / "corpora_samples" / "handbook-runs", found, index)


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:2]))
