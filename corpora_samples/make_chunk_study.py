"""Compare chunkings under one retriever, with measures over chunk identifiers and with xcg's measures.

    python corpora_samples/make_chunk_study.py handbook FOLDER
    python corpora_samples/make_chunk_study.py evidence DATA FOLDER
    xcg evaluate FOLDER/config.yaml

The first command uses the handbook, its topics and the passages of the first assessor. The second uses
DATA, the folder of Evidence Inference 2.0 that ``make_evidence_campaign.py`` reads. FOLDER receives the
gold passages, a run for every chunking with ``config.yaml``, and three control runs with
``controls.yaml``. The scores of both are printed. The article ``handbook/chunking-study.xml`` discusses
them. The output is deterministic. Needs the extra ``xcg[samples]``.
"""

from __future__ import annotations

import json
import math
import re
import sys
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import bm25s
from make_evidence_campaign import evidence, question_of, rows, write_passages
from make_handbook_campaign import CORPUS, HIGHLIGHTS, read_topics, tokens

import xcg
from xcg.documents.corpus import Corpus
from xcg.documents.tree import ElementTree
from xcg.formats.json_assessments import read_highlights

SMALL, LARGE = 100, 400  # tokens
BEST = 12  # number of leaves that auto-merging considers
MODEL = "spans-levels"
WRITE_UP = "chunking-study"  # the article about this study, which is not judged
SECTIONS = {"front", "fm", "abstract", "abs", "sec", "ss1", "ss2", "ss3", "back", "bm"}
BLOCKS = {"p", "ip1", "code", "tbl", "table-wrap", "fd", "disp-formula", "ref", "bb"}
MEASURES = ("MAep(effort=tokens)", "nxCG(budget=tokens)@500", "gr(budget=tokens)@2000")
CONTROLS = ("documents", "fixed-large-halved", "fixed-large-twice")
CONFIGURATION = """\
corpus: {corpus}
assessments: gold.jsonl
runs: {runs}
user_model: {{base: {model}, name: {model}, effort: {{tokenizer: "tokens:words_and_marks"}}}}
measures: ["{measures}"]
"""
TOKENS = '''"""The tokens of the study: words, numbers and single marks."""

import re


def words_and_marks(text):
    return [match.start() for match in re.finditer(r"\\w+|[^\\w\\s]", text)]
'''
HEADING = (
    f"{'':20}{'chunks':>7}{'text@10':>8}{'rec@5':>8}{'rec@10':>7}{'hit@5':>7}{'hit@10':>7}"
    f"{'nDCG@5':>8}{'nDCG@10':>8}{'MAep':>8}{'nxCG@500':>9}{'gr@2000':>8}"
)


def words_and_marks(text: str) -> list[int]:
    """Return the start of every run of letters, digits and underscores, and of every other mark."""
    return [match.start() for match in re.finditer(r"\w+|[^\w\s]", text)]


class Chunk(NamedTuple):
    """The text of a document from character ``start`` to ``end`` - 1."""

    document: str
    start: int
    end: int


class Gold(NamedTuple):
    """A relevant passage and its grade."""

    document: str
    start: int
    end: int
    grade: int = 1


class Question(NamedTuple):
    """A question about one document, or about all if ``document`` is None."""

    id: str
    text: str
    document: str | None = None


Cuts = Callable[[ElementTree], list[tuple[int, int]]]
Ranking = list[Chunk]


def fixed(size: int, step: int) -> Cuts:
    """Return a chunker that makes chunks of ``size`` tokens, one every ``step`` tokens."""

    def cut(tree: ElementTree) -> list[tuple[int, int]]:
        starts = words_and_marks(tree.text)
        offsets = [0, *starts[1:], len(tree.text)]
        last = max(1, len(offsets) - 1)
        # No chunk follows the first one that reaches the end of the text.
        firsts = range(0, max(1, last - (size - step)), step)
        return [(offsets[first], offsets[min(first + size, last)]) for first in firsts]

    return cut


def structure(tree: ElementTree) -> tuple[list[int], list[int]]:
    """Return the offsets at which sections begin, and those at which blocks (such as paragraphs) begin.

    Each section or block extends to the beginning of the next. A heading belongs to the block after it.
    Elements inside a block, such as footnotes, belong to the block.
    """
    sections, paragraphs, inside, heading = [0], [0], 0, True
    for row in range(len(tree)):
        tag, start = tree.tag(row), int(tree.start[row])
        if row < inside or tag not in SECTIONS | BLOCKS:
            continue
        if tag in BLOCKS:
            inside = int(tree.end[row])
        if not heading and start > paragraphs[-1]:
            paragraphs.append(start)
            if tag in SECTIONS:
                sections.append(start)
        heading = tag in SECTIONS
    return sections, paragraphs


def between(offsets: Sequence[int], tree: ElementTree) -> list[tuple[int, int]]:
    """Return the span from each offset to the next."""
    return [(start, end) for start, end in pairwise([*offsets, len(tree.text)]) if start < end]


CHUNKINGS: dict[str, Cuts] = {
    "fixed-small": fixed(SMALL, SMALL),
    "fixed-small-overlap": fixed(SMALL, SMALL // 2),
    "fixed-large": fixed(LARGE, LARGE),
    "fixed-large-overlap": fixed(LARGE, LARGE // 2),
    "paragraphs": lambda tree: between(structure(tree)[1], tree),
    "sections": lambda tree: between(structure(tree)[0], tree),
    "documents": lambda tree: [(0, len(tree.text))],
}


def chunks_of(trees: Mapping[str, ElementTree], cut: Cuts) -> list[Chunk]:
    """Cut all documents."""
    return [Chunk(name, *span) for name, tree in trees.items() for span in cut(tree)]


def search(
    trees: Mapping[str, ElementTree], chunks: Sequence[Chunk], questions: Sequence[Question]
) -> dict[str, Ranking]:
    """Rank the chunks that share a word with a question by BM25; ties keep their order."""
    bm25 = bm25s.BM25(method="lucene", k1=1.2, b=0.75)
    texts = [trees[chunk.document].text[chunk.start : chunk.end] for chunk in chunks]
    bm25.index(tokens(texts), show_progress=False)
    places: dict[str | None, list[int]] = {None: list(range(len(chunks)))}
    for place, chunk in enumerate(chunks):
        places.setdefault(chunk.document, []).append(place)
    found = {}
    for question, words in zip(questions, tokens([q.text for q in questions]), strict=True):
        scores = bm25.get_scores([word for word in sorted(set(words)) if word in bm25.vocab_dict])
        asked = places[question.document]
        scored = [(-round(float(scores[place]), 6), chunks[place]) for place in asked]
        found[question.id] = [chunk for score, chunk in sorted(scored) if score < 0]
    return found


def parents_of(leaves: Iterable[Chunk], parents: Iterable[Chunk]) -> dict[Chunk, Chunk]:
    """Return leaf → the parent that contains it. Parents do not overlap."""
    ordered = sorted(parents)
    return {
        leaf: ordered[bisect_right(ordered, (leaf.document, leaf.start, math.inf)) - 1]
        for leaf in leaves
    }


def merged(leaves: Ranking, parents: Mapping[Chunk, Chunk]) -> Ranking:
    """Replace the leaves of a parent by the parent if more than half of them are among the best.

    The parent has the rank of its first leaf.
    """
    size, best = Counter(parents.values()), Counter(parents[leaf] for leaf in leaves[:BEST])
    whole = {parent for parent, count in best.items() if 2 * count > size[parent]}
    return list(dict.fromkeys(parents[leaf] if parents[leaf] in whole else leaf for leaf in leaves))


def halved(chunks: Iterable[Chunk]) -> Ranking:
    """Cut every chunk in two at its middle; keep the order."""
    cut = []
    for name, start, end in chunks:
        middle = (start + end) // 2
        cut += [Chunk(name, a, b) for a, b in ((start, middle), (middle, end)) if a < b]
    return cut


def twice(ranking: Ranking) -> Ranking:
    """Repeat every result directly after itself."""
    return [chunk for chunk in ranking for _ in range(2)]


def relevant(chunk: Chunk, gold: Iterable[Gold]) -> int:
    """Return the grade of a chunk: the highest grade of the gold passages that it overlaps."""
    name, start, end = chunk
    shared = [g.grade for g in gold if g.document == name and start < g.end and g.start < end]
    return max(shared, default=0)


def by_ids(ranking: Ranking, chunks: Sequence[Chunk], gold: Sequence[Gold]) -> dict[str, float]:
    """Return the scores over chunk identifiers for one question.

    recall@k is the share of all relevant chunks that is among the first k. hit@k is the share of gold
    passages that overlap one of the first k chunks. nDCG@k has the grades as gains, the discount
    log2(rank + 1), and all relevant chunks by descending grade as the ideal ranking. A chunk that is
    retrieved twice counts twice, as in common implementations.
    """
    grades = sorted((grade for chunk in chunks if (grade := relevant(chunk, gold))), reverse=True)
    found = [relevant(chunk, gold) for chunk in ranking]
    scores = {}
    for k in (5, 10):
        scores[f"recall@{k}"] = sum(grade > 0 for grade in found[:k]) / len(grades)
        shown = [any(relevant(chunk, [g]) for chunk in ranking[:k]) for g in gold]
        scores[f"hit@{k}"] = sum(shown) / len(gold)
        scores[f"nDCG@{k}"] = discounted(found[:k]) / discounted(grades[:k])
    return scores


def discounted(gains: Iterable[float]) -> float:
    """Return the discounted cumulated gain of a ranking."""
    return sum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, 1))


def write_run(path: Path, rankings: Mapping[str, Ranking]) -> None:
    """Write a run as JSON Lines."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8") as file:
        for topic, ranking in rankings.items():
            for rank, (name, start, end) in enumerate(ranking, 1):
                record = {"topic": topic, "doc": name, "start": start, "end": end, "rank": rank}
                file.write(json.dumps(record) + "\n")


class Study:
    """Chunkings of a corpus, with their runs and scores.

    Attributes:
        chunks: Chunking → all chunks.
        runs: Chunking → topic → ranking.
    """

    def __init__(
        self,
        corpus: Corpus,
        questions: Sequence[Question],
        gold: Mapping[str, Sequence[Gold]],
        unjudged: str = "",
    ) -> None:
        self.questions, self.gold = questions, gold
        self.trees = {name: corpus.tree(name) for name in corpus if name != unjudged}
        self.chunks = {name: chunks_of(self.trees, cut) for name, cut in CHUNKINGS.items()}
        self.runs = {name: search(self.trees, c, questions) for name, c in self.chunks.items()}
        leaves, sections, large = (self.chunks[n] for n in ("paragraphs", "sections", "fixed-large"))
        parents = parents_of(leaves, sections)
        self._derive("merged", "paragraphs", {*leaves, *sections}, lambda run: merged(run, parents))
        self._derive("fixed-large-halved", "fixed-large", halved(large), halved)
        self._derive("fixed-large-twice", "fixed-large", large, twice)

    def _derive(
        self, name: str, run: str, chunks: Iterable[Chunk], change: Callable[[Ranking], Ranking]
    ) -> None:
        self.chunks[name] = sorted(chunks)
        self.runs[name] = {topic: change(ranking) for topic, ranking in self.runs[run].items()}

    def ids(self, name: str) -> dict[str, float]:
        """Return the mean scores over chunk identifiers."""
        within: dict[str, list[Chunk]] = {}
        for chunk in self.chunks[name]:
            within.setdefault(chunk.document, []).append(chunk)
        total: dict[str, float] = {}
        for question in self.questions:
            gold = self.gold[question.id]
            chunks = [chunk for document in {g.document for g in gold} for chunk in within[document]]
            for measure, value in by_ids(self.runs[name][question.id], chunks, gold).items():
                total[measure] = total.get(measure, 0.0) + value / len(self.questions)
        return total

    def text(self, name: str) -> float:
        """Return the mean number of tokens in the first ten results."""
        shown = Counter(chunk for ranking in self.runs[name].values() for chunk in ranking[:10])
        return sum(
            times * len(words_and_marks(self.trees[c.document].text[c.start : c.end]))
            for c, times in shown.items()
        ) / len(self.questions)

    def write(self, target: Path, corpus: Path, model: str) -> str:
        """Write runs and configurations next to gold.jsonl; return the tables of all scores."""
        tables = []
        (target / "tokens.py").write_text(TOKENS, encoding="utf-8")
        chosen = {"config": [name for name in self.runs if name not in CONTROLS], "controls": CONTROLS}
        for configuration, names in chosen.items():
            runs = "runs" if configuration == "config" else "controls"
            for name in names:
                write_run(target / runs / f"{name}.jsonl", self.runs[name])
            text = CONFIGURATION.format(
                corpus=corpus.resolve(), runs=runs, model=model, measures='", "'.join(MEASURES)
            )
            (target / f"{configuration}.yaml").write_text(text, encoding="utf-8")
            results = xcg.load(target / f"{configuration}.yaml").evaluate()
            tables.append("\n".join([HEADING, *(self._row(name, results) for name in names), ""]))
        return "\n".join(tables)

    def _row(self, name: str, results: xcg.Results) -> str:
        ids = self.ids(name)
        plain = "".join(
            f"{ids[f'{measure}@{k}']:8.4f}"[1:] for measure in ("recall", "hit") for k in (5, 10)
        )
        in_text = [results.value(name, measure) for measure in MEASURES]
        return (
            f"{name:20}{len(self.chunks[name]):7}{self.text(name):8.0f} {plain}"
            f"{ids['nDCG@5']:8.4f}{ids['nDCG@10']:8.4f}{in_text[0]:8.4f}{in_text[1]:9.4f}{in_text[2]:8.4f}"
        )


def write_gold(target: Path, gold: Mapping[str, Sequence[Gold]]) -> None:
    """Write the gold passages with their grades as levels."""
    target.mkdir(parents=True, exist_ok=True)
    records = [
        {"topic": topic, "doc": g.document, "start": g.start, "end": g.end, "level": g.grade}
        for topic, passages in gold.items()
        for g in passages
    ]
    text = "".join(json.dumps(record) + "\n" for record in records)
    (target / "gold.jsonl").write_text(text, encoding="utf-8")


def handbook(target: Path) -> str:
    """Write the study of the handbook and return its tables."""
    gold: dict[str, list[Gold]] = {}
    for mark in read_highlights(HIGHLIGHTS / "first.jsonl"):
        passage = Gold(mark.file, mark.start, mark.end, mark.exhaustivity)
        gold.setdefault(mark.topic, []).append(passage)
    write_gold(target, gold)
    questions = [Question(topic.id, topic.title) for topic in read_topics()]
    return Study(Corpus(CORPUS), questions, gold, WRITE_UP).write(target, CORPUS, MODEL)


def evidence_inference(data: Path, target: Path) -> str:
    """Write the study of Evidence Inference and return its tables."""
    corpus = Corpus(data / "nxml")
    gold: dict[str, list[Gold]] = {}
    target.mkdir(parents=True, exist_ok=True)
    path = target / "gold.jsonl"
    write_passages(path, [passage for _, passage in evidence(data)], corpus)
    for line in path.read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        place = record["doc"], record["start"], record["end"]
        gold.setdefault(record["topic"], []).append(Gold(*place))
    write_gold(target, gold)
    questions = [
        Question(row["PromptID"], question_of(row), f"PMC{row['PMCID']}")
        for row in rows(data, "prompts_merged*.csv")
        if row["PromptID"] in gold
    ]
    return Study(corpus, questions, gold).write(target, data / "nxml", MODEL)


def main(arguments: Sequence[str]) -> None:
    """Write a study and print its tables."""
    match arguments:
        case ["handbook", target]:
            tables = handbook(Path(target))
        case ["evidence", data, target]:
            tables = evidence_inference(Path(data), Path(target))
        case _:
            sys.exit("expected: handbook FOLDER, or: evidence DATA FOLDER")
    print(tables, end="")


if __name__ == "__main__":
    main(sys.argv[1:])
