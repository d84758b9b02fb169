"""Compare the scores of spanchor, toolkit-rag-quality and ranx with those of xcg on the same data.

    pip install spanchor toolkit-rag-quality ranx
    python corpora_samples/make_chunk_study.py handbook FOLDER
    python benchmarks/other_tools.py FOLDER

FOLDER has the gold spans and chunk runs of the handbook. Three more data sets are generated. The first
table compares the score of every run for every question; the second compares small cases with values
computed by hand. A row without a reason must agree to 1e-9: otherwise the exit status is 1. The page
docs/decisions/official-evaluators.md has the result of one day.
"""

from __future__ import annotations

import json
import math
import sys
import tempfile
import warnings
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

from other_tools_data import (
    Chunk,
    Data,
    GoldSpan,
    as_gold_spans,
    handbook,
    judged_chunks,
    levels,
    overlapping,
    separate,
)

import xcg

K = 5
TOLERANCE = 1e-9
SPANCHOR, TOOLKIT, RANX = "spanchor", "toolkit-rag-quality", "ranx"

Scores = dict[tuple[str, str], float]
"""(run, question) → score."""


class Row(NamedTuple):
    """A comparison of one score of a tool with one measure of xcg."""

    data: str
    tool: str
    score: str
    measure: str
    values: int
    difference: float
    reason: str


# Scores


def of_xcg(gold: Any, runs: Any, documents: Mapping[str, str] | None, measure: str) -> Scores:
    """Compute one measure; ``gold`` is question → gold spans, or question → document → level."""
    with tempfile.TemporaryDirectory() as folder:
        if documents is not None:
            file = Path(folder, "gold.jsonl")
            records = [
                {"topic": question, "doc": doc, "start": start, "end": end, "level": grade}
                for question, spans in gold.items()
                for doc, start, end, grade in spans
            ]
            file.write_text("".join(json.dumps(record) + "\n" for record in records))
            gold = str(file)
        results = xcg.evaluate(gold, runs, documents and dict(documents), None, measure)
    return {(row.run, row.topic): row.value for row in results if row.topic != "all"}


def of_spanchor(data: Data, *, joined: bool) -> dict[str, Scores]:
    """Compute the scores of spanchor; ``joined`` makes one document of all documents."""
    from spanchor import Anchor, Document, Query, RetrievalResult, evaluate
    from spanchor.canonical.normalize import compute_hash

    place = {name: (name, 0) for name in data.documents}
    texts = dict(data.documents)
    if joined:
        texts = {"all": "\n".join(data.documents.values())}
        offset = 0
        for name, text in data.documents.items():
            place[name] = "all", offset
            offset += len(text) + 1
    documents = {name: Document.from_text(name, text) for name, text in texts.items()}
    if any(documents[name].text != text for name, text in texts.items()):
        sys.exit("spanchor normalises the text of a document, so offsets would differ")
    queries = []
    for question, spans in data.gold.items():
        anchors = []
        for name, start, end, _ in spans:
            document, shift = place[name]
            digest = compute_hash(data.documents[name][start:end])
            anchors.append(Anchor(document, start + shift, end + shift, digest))
        queries.append(Query(question, "", tuple(anchors)))
    scores: dict[str, Scores] = {}
    for run, rankings in data.runs.items():
        results = {}
        for question, ranking in rankings.items():
            found = results.setdefault(question, [])
            for rank, (name, start, end) in enumerate(ranking, 1):
                document, shift = place[name]
                found.append(RetrievalResult(rank, 1 / rank, document, start + shift, end + shift))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            per_query = evaluate(documents, queries, results, k=K).per_query_metrics
        for question, values in per_query.items():
            for name, value in values.items():
                scores.setdefault(name, {})[run, question] = float(value)
    return scores


def of_toolkit(qrels: Mapping[str, Mapping[str, int]], runs: Any) -> dict[str, Scores]:
    """Compute the scores of toolkit-rag-quality."""
    from toolkit_rag_quality import score_retrieval

    queries = [{"id": question, "relevance": dict(grades)} for question, grades in qrels.items()]
    scores: dict[str, Scores] = {}
    for run, rankings in runs.items():
        rows = [{"id": question, "retrieved_ids": found} for question, found in rankings.items()]
        for row in score_retrieval(queries=queries, retrieved=rows, k=K).per_query:
            for name in ("hit", "recall", "precision", "mrr", "ndcg", "ap"):
                scores.setdefault(name, {})[run, row["id"]] = float(row[name])
    return scores


def of_ranx(qrels: Mapping[str, Mapping[str, int]], runs: Any) -> dict[str, Scores]:
    """Compute the scores of ranx."""
    import ranx

    names = ["hit_rate", "recall", "precision", "mrr", "ndcg", "map"]
    metrics = [*[f"{name}@{K}" for name in names], "ndcg", "map", "r-precision", "bpref"]
    judged = ranx.Qrels(
        {
            question: {_padded(name): grades[name] for name in grades}
            for question, grades in qrels.items()
        }
    )
    scores: dict[str, Scores] = {}
    for run, rankings in runs.items():
        scored = {
            question: {_padded(name): 1 / rank for rank, name in enumerate(dict.fromkeys(ranking), 1)}
            for question, ranking in rankings.items()
        }
        ranked = ranx.Run(scored, name=run)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ranx.evaluate(judged, ranked, metrics, make_comparable=True)
        for name in metrics:
            for question, value in ranked.scores[name].items():
                scores.setdefault(name, {})[run, question] = float(value)
    return scores


def _padded(name: str) -> str:
    return name.ljust(60)  # ranx compiles its functions again for every length of identifiers


# Comparison

MEASURES = {
    "hit": f"Success@{K}",
    "hit_rate": f"Success@{K}",
    "recall": f"R@{K}",
    "precision": f"P@{K}",
    "mrr": f"RR@{K}",
    "ndcg": f"nDCG@{K}",
    "map": f"AP@{K}",
    "ap": f"AP@{K}",
}
"""Score of a tool on identifiers, without its cutoff → measure of xcg."""
WITHOUT_CUTOFF = {"ndcg": "nDCG", "map": "AP", "r-precision": "Rprec", "bpref": "Bpref"}
"""The same for scores of ranx without a cutoff."""


def compare(
    data: str, tool: str, score: str, measure: str, theirs: Scores, ours: Scores, reason: str = ""
) -> Row:
    """Return the row of the largest difference; a NaN counts as an infinite difference."""
    missing = theirs.keys() ^ ours.keys()
    if missing:
        sys.exit(f"{data}, {tool}, {score}: only one tool has scores of {sorted(missing)[:3]}")
    differences = [abs(theirs[key] - ours[key]) for key in theirs]
    largest = max(math.inf if math.isnan(value) else value for value in differences)
    return Row(data, tool, score, measure, len(theirs), largest, reason)


def compare_spans(data: Data) -> list[Row]:
    """Compare spanchor with the measures of spans."""
    measures = (f"SpanRecall@{K}", f"SpanPrecision@{K}", "SpanIoU", f"Success@{K}")
    ours = {m: of_xcg(data.gold, data.runs, data.documents, m) for m in measures}
    recall = ours[f"SpanRecall@{K}"]
    joined, as_is = of_spanchor(data, joined=True), of_spanchor(data, joined=False)
    twice = "" if data.name.startswith("separate") else "counts repeated text once"
    jointly = "" if data.name.startswith("separate") else "counts results jointly, joins gold spans"
    document = "ignores the document"
    recall_name, hit = f"recall@{K}", f"hit@{K}"
    precision = f"precision@{K}"
    one = f"{data.name}, one document"
    return [
        compare(one, SPANCHOR, recall_name, f"SpanRecall@{K}", joined[recall_name], recall),
        compare(one, SPANCHOR, "iou", "SpanIoU", joined["iou"], ours["SpanIoU"], twice),
        compare(one, SPANCHOR, precision, measures[1], joined[precision], ours[measures[1]], twice),
        compare(one, SPANCHOR, hit, f"Success@{K}", joined[hit], ours[f"Success@{K}"], jointly),
        compare(
            data.name, SPANCHOR, recall_name, f"SpanRecall@{K}", as_is[recall_name], recall, document
        ),
        compare(data.name, SPANCHOR, "iou", "SpanIoU", as_is["iou"], ours["SpanIoU"], document),
        compare(
            data.name, SPANCHOR, precision, measures[1], as_is[precision], ours[measures[1]], document
        ),
    ]


def compare_chunks(data: Data, reason: str) -> list[Row]:
    """Compare scores of chunk identifiers with standard measures on spans."""
    theirs: dict[tuple[str, str], Scores] = {}
    for run, rankings in data.runs.items():
        ids = {run: {question: list(map(str, found)) for question, found in rankings.items()}}
        qrels = judged_chunks(data, run)
        for tool, found in ((TOOLKIT, of_toolkit(qrels, ids)), (RANX, of_ranx(qrels, ids))):
            for score, values in found.items():
                theirs.setdefault((tool, score), {}).update(values)
    return _standard_rows(data.name, theirs, data.gold, data.runs, data.documents, reason)


def compare_gold_spans(data: Data) -> list[Row]:
    """Compare scores of results that are named after gold spans with standard measures on spans."""
    qrels, named, several = as_gold_spans(data)
    theirs = {
        (tool, score): {
            key: value
            for key, value in values.items()
            if key not in several or not score.startswith(("recall", "ap", "map"))
        }
        for tool, found in ((TOOLKIT, of_toolkit(qrels, named)), (RANX, of_ranx(qrels, named)))
        for score, values in found.items()
    }
    name = f"{data.name}, named by gold span"
    return _standard_rows(name, theirs, data.gold, data.runs, data.documents, "")


def compare_levels(seed: int) -> list[Row]:
    """Compare scores of documents with levels."""
    qrels, runs = levels(seed)
    theirs = {
        (tool, score): values
        for tool, found in ((TOOLKIT, of_toolkit(qrels, runs)), (RANX, of_ranx(qrels, runs)))
        for score, values in found.items()
    }
    return _standard_rows("documents with levels", theirs, qrels, runs, None, "")


def _standard_rows(
    name: str,
    theirs: Mapping[tuple[str, str], Scores],
    gold: Any,
    runs: Any,
    documents: Mapping[str, str] | None,
    reason: str,
) -> list[Row]:
    rows = []
    for (tool, score), values in theirs.items():
        short = score.removesuffix(f"@{K}")
        is_at_end = tool == RANX and short == score
        measure = (WITHOUT_CUTOFF if is_at_end else MEASURES)[short]
        if documents is not None and measure in ("Rprec", "Bpref"):
            continue  # not defined on spans
        label = f"{score}@{K}" if tool == TOOLKIT else score
        ours = of_xcg(gold, runs, documents, measure)
        ours = {key: value for key, value in ours.items() if key in values or not documents}
        rows.append(compare(name, tool, label, measure, values, ours, reason))
    return rows


# Cases computed by hand

TEXT = {"a": "word " * 40, "b": "word " * 40}


class Case(NamedTuple):
    """A small case: gold spans, results, scores to compare, and the value of xcg by hand."""

    title: str
    gold: list[GoldSpan]
    results: list[Chunk]
    tool: str
    score: str
    measure: str
    value: float


CASES = [
    Case(
        "a result at the offsets of the gold span, in another document",
        [GoldSpan("a", 10, 30)], [("b", 10, 30)], SPANCHOR, f"recall@{K}", f"SpanRecall@{K}", 0.0,
    ),
    Case(
        "the same",
        [GoldSpan("a", 10, 30)], [("b", 10, 30)], SPANCHOR, f"precision@{K}", f"SpanPrecision@{K}", 0.0,
    ),
    Case(
        "gold spans at the same offsets of two documents, one found",
        [GoldSpan("a", 0, 20), GoldSpan("b", 0, 20)], [("a", 0, 20)],
        SPANCHOR, f"recall@{K}", f"SpanRecall@{K}", 20 / 40,
    ),
    Case(
        "adjacent gold spans of 20 and 80 characters, the first found",
        [GoldSpan("a", 0, 20), GoldSpan("a", 20, 100)], [("a", 0, 20)],
        SPANCHOR, f"hit@{K}", f"Success@{K}", 1.0,
    ),
    Case(
        "two results with 30 % of a gold span each",
        [GoldSpan("a", 0, 100)], [("a", 0, 30), ("a", 30, 60)],
        SPANCHOR, f"hit@{K}", f"Success@{K}", 0.0,
    ),
    Case(
        "a result twice, all of it gold",
        [GoldSpan("a", 0, 40)], [("a", 0, 40), ("a", 0, 40)],
        SPANCHOR, f"precision@{K}", f"SpanPrecision@{K}", 40 / 80,
    ),
    Case(
        "a gold span that two overlapping chunks contain, the first found",
        [GoldSpan("a", 40, 60)], [("a", 0, 60)], TOOLKIT, "recall", f"R@{K}", 1.0,
    ),
    Case(
        "the same",
        [GoldSpan("a", 40, 60)], [("a", 0, 60)], TOOLKIT, "ndcg", f"nDCG@{K}", 1.0,
    ),
    Case(
        "the same, both chunks found",
        [GoldSpan("a", 40, 60)], [("a", 0, 60), ("a", 30, 90)], RANX, f"precision@{K}", f"P@{K}", 1 / K,
    ),
    Case(
        "two gold spans in one chunk, a third one in a chunk that is not found",
        [GoldSpan("a", 100, 110), GoldSpan("a", 120, 130), GoldSpan("b", 0, 20)], [("a", 90, 150)],
        RANX, f"recall@{K}", f"R@{K}", 2 / 3,
    ),
]  # fmt: skip
INDEX: list[Chunk] = [("a", 0, 60), ("a", 30, 90), ("a", 90, 150), ("b", 0, 60)]


def by_hand() -> tuple[list[str], bool]:
    """Return the table of the cases, and whether xcg has all values computed by hand."""
    lines, agree = [], True
    for case in CASES:
        data = Data("case", TEXT, {"1": case.gold}, {"r": {"1": case.results}}, {"r": INDEX})
        if case.tool == SPANCHOR:
            theirs = of_spanchor(data, joined=False)[case.score]
        else:
            ids = {"r": {"1": [str(chunk) for chunk in case.results]}}
            tool = of_toolkit if case.tool == TOOLKIT else of_ranx
            theirs = tool(judged_chunks(data, "r"), ids)[case.score]
        (ours,) = of_xcg(data.gold, data.runs, TEXT, case.measure).values()
        agree &= abs(ours - case.value) <= TOLERANCE
        lines.append(
            f"| {case.title} | {case.tool} `{case.score}` | {theirs['r', '1']:.4f} | "
            f"`{case.measure}` | {ours:.4f} | {case.value:.4f} |"
        )
    return lines, agree


def main() -> None:
    """Print both tables."""
    print(", ".join(f"{tool} {version(tool)}" for tool in (SPANCHOR, TOOLKIT, RANX)), "\n")
    chunks = "counts chunks instead of gold spans"
    rows: list[Row] = []
    for data in (handbook(Path(sys.argv[1])), overlapping(1), separate(2)):
        rows += compare_spans(data)
        rows += compare_gold_spans(data)
        rows += compare_chunks(data, "" if data.name.startswith("separate") else chunks)
    rows += compare_levels(3)
    print("| data | score of the tool | xcg | values | largest difference | reason |")
    print("|---|---|---|---|---|---|")
    for row in rows:
        difference = f"{row.difference:.4f}" if row.difference > TOLERANCE else f"{row.difference:.0e}"
        print(
            f"| {row.data} | {row.tool} `{row.score}` | `{row.measure}` | {row.values} | "
            f"{difference} | {row.reason} |"
        )
    lines, agree = by_hand()
    print("\n| case | score of the tool | its value | xcg | its value | by hand |")
    print("|---|---|---|---|---|---|")
    print("\n".join(lines))
    if not agree or any(row.difference > TOLERANCE and not row.reason for row in rows):
        sys.exit("a difference has no reason, or a value differs from the one computed by hand")


if __name__ == "__main__":
    main()
