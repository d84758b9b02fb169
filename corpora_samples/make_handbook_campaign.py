"""Write the assessments and runs of the handbook campaign, from its articles, topics and highlights.

    python corpora_samples/make_handbook_campaign.py [FOLDER]

FOLDER receives ``assessments/`` and ``corpora_samples/``; it is the root of the project by default. The
output is deterministic. The retriever is BM25 over the elements of the articles (extra
``xcg[samples]``). The runs differ in their overlap strategy only.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import bm25s
import numpy as np
from lxml import etree

from xcg.documents.corpus import Corpus
from xcg.documents.tree import ElementTree
from xcg.formats.highlights import read_highlights
from xcg.formats.inex_assessments import inex_2004
from xcg.judgements.highlights import Highlight, assess
from xcg.judgements.recall_base import RecallBase, Span

ROOT = Path(__file__).parent.parent
CORPUS = ROOT / "corpora_samples" / "handbook"
TOPICS = ROOT / "corpora_samples" / "handbook-topics"
HIGHLIGHTS = ROOT / "assessments" / "handbook-highlights"
SECTIONS = {"sec", "ss1", "ss2", "ss3"}
PARAGRAPHS = {"p", "ip1"}
SMALLEST = 60  # characters of an element that can be an answer
LONGEST = 60  # results per topic

Element = tuple[str, str]  # file, path
Scores = dict[Element, float]
Strategy = Callable[["Index", Scores], list[Element]]


@dataclass
class Topic:
    """A question of a user."""

    id: str
    title: str


class Index:
    """A BM25 index of all elements that are long enough to be an answer."""

    def __init__(self, corpus: Corpus) -> None:
        self.trees: dict[str, ElementTree] = {file: corpus.tree(file) for file in corpus}
        self.elements: list[Element] = []
        texts = []
        for file, tree in self.trees.items():
            for row in np.flatnonzero(tree.characters >= SMALLEST).tolist():
                self.elements.append((file, tree.paths[row]))
                texts.append(tree.element_text(row))
        self.known = frozenset(self.elements)
        self._bm25 = bm25s.BM25(method="lucene", k1=1.2, b=0.75)
        self._bm25.index(tokens(texts), show_progress=False)

    def search(self, query: str) -> Scores:
        """Return the score of every element that shares a word with the query."""
        words = sorted(set(tokens([query])[0]))
        scores = self._bm25.get_scores([word for word in words if word in self._bm25.vocab_dict])
        return {
            element: float(score)
            for element, score in zip(self.elements, scores, strict=True)
            if score > 0
        }

    def tag(self, element: Element) -> str:
        """Return the tag name of an element."""
        tree = self.trees[element[0]]
        return tree.tag(tree.row(element[1]))


def tokens(texts: Sequence[str]) -> list[list[str]]:
    """Return the words of each text, without stop words."""
    words: list[list[str]] = bm25s.tokenize(
        list(texts), stopwords="en", return_ids=False, show_progress=False
    )
    return words


def ranked(scores: Scores) -> list[Element]:
    """Return the elements by descending score, and ties by name."""
    return sorted(scores, key=lambda element: (-round(scores[element], 6), element))


def overlap(one: Element, other: Element) -> bool:
    """Return whether two elements are equal or one contains the other."""
    (file, path), (other_file, other_path) = one, other
    return file == other_file and (f"{path}/".startswith(f"{other_path}/") or inside(other, one))


def inside(one: Element, other: Element) -> bool:
    """Return whether the first element is the second or lies inside it."""
    return one[0] == other[0] and f"{one[1]}/".startswith(f"{other[1]}/")


def everything(index: Index, scores: Scores) -> list[Element]:
    """Return all elements; they may overlap."""
    return ranked(scores)


def only(tags: Iterable[str]) -> Strategy:
    """Return a strategy that keeps the elements with some tag names."""
    chosen = frozenset(tags)
    return lambda index, scores: ranked({e: s for e, s in scores.items() if index.tag(e) in chosen})


def without_overlap(index: Index, scores: Scores) -> list[Element]:
    """Drop elements that overlap with an earlier result."""
    kept: list[Element] = []
    for element in ranked(scores):
        if not any(overlap(element, earlier) for earlier in kept):
            kept.append(element)
    return kept


def preferring_the_parent(index: Index, scores: Scores) -> list[Element]:
    """Drop elements inside an earlier result; an element replaces earlier results inside it.

    It takes the rank of the first of them. Articles are excluded because they would replace everything.
    """
    kept: list[Element] = []
    for element in ranked({e: s for e, s in scores.items() if e[1].count("/") > 2}):
        if any(inside(element, earlier) for earlier in kept):
            continue
        below = [position for position, earlier in enumerate(kept) if inside(earlier, element)]
        if below:
            kept[below[0]] = element
            for position in reversed(below[1:]):
                del kept[position]
        else:
            kept.append(element)
    return kept


def merged_siblings(index: Index, scores: Scores) -> list[Element]:
    """Return paragraphs, but replace more than half of the paragraphs of a section by the section."""
    paragraphs = only(PARAGRAPHS)(index, scores)[:LONGEST]
    retrieved = set(paragraphs)
    merged: dict[Element, None] = {}
    for file, path in paragraphs:
        tree = index.trees[file]
        parent = int(tree.parent[tree.row(path)])
        siblings = [(file, tree.paths[row]) for row in tree.children(parent)]
        known = [e for e in siblings if e in index.known and index.tag(e) in PARAGRAPHS]
        whole = tree.tag(parent) in SECTIONS and 2 * len(retrieved & set(known)) > len(known) > 1
        merged[(file, tree.paths[parent]) if whole else (file, path)] = None
    return without_repeats(list(merged))


def without_repeats(elements: list[Element]) -> list[Element]:
    """Drop elements that overlap with an earlier one, such as a merged section."""
    kept: list[Element] = []
    for element in elements:
        if not any(overlap(element, earlier) for earlier in kept):
            kept.append(element)
    return kept


def at_random(index: Index, scores: Scores) -> list[Element]:
    """Return random elements, as a lower bound for all strategies."""
    elements = sorted(index.elements)
    random.Random(f"handbook {len(scores)}").shuffle(elements)
    return elements


STRATEGIES: dict[str, tuple[str, Strategy]] = {
    "elements": ("All elements as scored, overlapping or not.", everything),
    "articles": ("Whole articles only.", only(["article"])),
    "sections": ("Sections and subsections only.", only(SECTIONS)),
    "paragraphs": ("Paragraphs only.", only(PARAGRAPHS)),
    "focused": ("All elements, overlap removed from the top of the ranking.", without_overlap),
    "parents": (
        "All elements but articles, overlap removed in favour of the parent.",
        preferring_the_parent,
    ),
    "merged": (
        "Paragraphs, merged into their section where most of them are retrieved.",
        merged_siblings,
    ),
    "random": ("Elements at random.", at_random),
}


def read_topics(folder: Path = TOPICS) -> list[Topic]:
    """Read topics in the INEX format."""
    topics = []
    for path in sorted(folder.glob("*.xml")):
        root = etree.parse(path).getroot()
        topics.append(Topic(root.get("topic_id", ""), " ".join((root.findtext("title") or "").split())))
    return topics


def submission(name: str, description: str, results: dict[str, list[Element]]) -> bytes:
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
        for rank, (file, path) in enumerate(elements[:LONGEST], 1):
            result = etree.SubElement(answer, "result")
            for field, value in (("file", file), ("path", path), ("rank", str(rank))):
                etree.SubElement(result, field).text = value
    return etree.tostring(root, encoding="UTF-8", xml_declaration=True, pretty_print=True)


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
            (folder / f"{topic}.xml").write_bytes(inex_2004(base, topic, f"handbook-{assessor}"))
        if assessor == "first":
            folder = target / "assessments" / "handbook-passages"
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "offsets.qrels").write_text(offset_qrels(marks, corpus), encoding="utf-8")
    index = Index(corpus)
    found = {topic.id: index.search(topic.title) for topic in read_topics()}
    folder = target / "corpora_samples" / "handbook-runs"
    folder.mkdir(parents=True, exist_ok=True)
    for name, (description, strategy) in STRATEGIES.items():
        results = {topic: strategy(index, scores) for topic, scores in found.items()}
        (folder / f"{name}.xml").write_bytes(submission(name, description, results))


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:2]))
