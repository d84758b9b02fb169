"""Compute the scores of RAG tools and their counterparts in xcg on the sample of chunks.

The run is ``windows``, whose chunks overlap, at five results; values are means over its 13 questions.
The identifiers of tools name chunks: those with at least half of a gold span are relevant. Of ragas,
LlamaIndex, ranx and spanchor, the packages are called. chunking_evaluation is not on a package index,
so its definition is written here, after ``_scores_from_dataset_and_retrievals`` of its source, with
five chunks. Rows without a reason must agree to 1e-9, and those whose reason is overlap must agree for
the run ``sections``, which has none; otherwise the exit status is 1. The page
docs/decisions/official-evaluators.md shows the table.

    pip install ragas rapidfuzz ranx spanchor toolkit-rag-quality llama-index-core
    python benchmarks/rag_tools.py
"""

from __future__ import annotations

import asyncio
import json
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean
from types import SimpleNamespace
from typing import Any, NamedTuple

from other_tools import TOLERANCE, K, Scores, of_ranx, of_spanchor, of_xcg
from other_tools_data import Chunk, Data, GoldSpan, judged_chunks

import xcg

SAMPLE = Path(__file__).parent.parent / "corpora_samples" / "chunks"
COUNTS = "counts chunks, of which several have the same gold span"
ONCE = "counts repeated text once"
OF_OVERLAP = (COUNTS, ONCE)
"""Reasons that chunks without overlap do not have."""


class Row(NamedTuple):
    """A score of a tool, a measure of xcg, and the reason of their difference."""

    tool: str
    score: str
    theirs: Scores
    measure: str
    reason: str = ""


def sample(run: str) -> Data:
    """Read the sample: gold spans, the first results of a run, and all chunks of its chunker."""
    corpus = xcg.Corpus(str(SAMPLE / "docs"))
    texts = {name: corpus.tree(name).text for name in corpus}
    gold: dict[str, list[GoldSpan]] = {}
    for line in (SAMPLE / "gold.jsonl").read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        start = texts[record["doc"]].index(record["exact"])
        span = GoldSpan(record["doc"], start, start + len(record["exact"]))
        gold.setdefault(record["topic"], []).append(span)
    rankings: dict[str, list[Chunk]] = {}
    for line in (SAMPLE / "runs" / f"{run}.jsonl").read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        rankings.setdefault(record["topic"], []).append((record["doc"], record["start"], record["end"]))
    sys.path.insert(0, str(SAMPLE.parent))
    from make_chunk_samples import CHUNKERS

    chunks = [(name, *span) for name, text in texts.items() for span in CHUNKERS[run](text)]
    first = {topic: found[:K] for topic, found in rankings.items()}
    return Data("sample", texts, gold, {run: first}, {run: chunks})


def of_chunking_evaluation(data: Data) -> dict[str, Scores]:
    """Compute recall, precision and IoU of chunking_evaluation; its one corpus is all documents."""
    scores: dict[str, Scores] = {"recall": {}, "precision": {}, "iou": {}}
    ((run, rankings),) = data.runs.items()
    for topic, chunks in rankings.items():
        gold = data.gold[topic]
        found = {
            (document, character)
            for document, start, end in chunks
            for span in gold
            if span.document == document
            for character in range(max(start, span.start), min(end, span.end))
        }
        relevant = sum(span.end - span.start for span in gold)
        read = sum(end - start for _, start, end in chunks)
        unused = relevant - len(found)
        scores["recall"][run, topic] = len(found) / relevant
        scores["precision"][run, topic] = len(found) / read
        scores["iou"][run, topic] = len(found) / (read + unused)
    return scores


def of_ragas(data: Data, relevant: dict[str, list[str]]) -> dict[str, Scores]:
    """Compute the ID-based and the non-LLM measures of ragas."""
    # ragas 0.4.3 imports a class that langchain-community 0.4 does not have.
    missing: Any = SimpleNamespace(ChatVertexAI=None)
    sys.modules.setdefault("langchain_community.chat_models.vertexai", missing)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from ragas import SingleTurnSample
        from ragas.metrics import (
            IDBasedContextPrecision,
            IDBasedContextRecall,
            NonLLMContextPrecisionWithReference,
            NonLLMContextRecall,
        )
    metrics = [
        IDBasedContextRecall(),
        IDBasedContextPrecision(),
        NonLLMContextRecall(),
        NonLLMContextPrecisionWithReference(),
    ]
    scores: dict[str, Scores] = {}
    ((run, rankings),) = data.runs.items()
    for topic, chunks in rankings.items():
        one = SingleTurnSample(
            retrieved_context_ids=list(map(str, chunks)),
            reference_context_ids=relevant[topic],
            retrieved_contexts=[data.documents[name][start:end] for name, start, end in chunks],
            reference_contexts=[data.documents[s.document][s.start : s.end] for s in data.gold[topic]],
        )
        for metric in metrics:
            value = asyncio.run(metric._single_turn_ascore(one, None))
            scores.setdefault(metric.name, {})[run, topic] = float(value)
    return scores


def of_llama_index(data: Data, relevant: dict[str, list[str]]) -> dict[str, Scores]:
    """Compute the retrieval metrics of LlamaIndex."""
    from llama_index.core.evaluation.retrieval import metrics

    names = [metrics.HitRate, metrics.MRR, metrics.Recall, metrics.Precision]
    scores: dict[str, Scores] = {}
    ((run, rankings),) = data.runs.items()
    for topic, chunks in rankings.items():
        for metric in (*names, metrics.AveragePrecision, metrics.NDCG):
            found = metric().compute(expected_ids=relevant[topic], retrieved_ids=list(map(str, chunks)))
            scores.setdefault(metric.metric_name, {})[run, topic] = float(found.score)
    return scores


def rows(data: Data) -> Iterator[Row]:
    """Yield the rows of the table."""
    ((run, rankings),) = data.runs.items()
    qrels = judged_chunks(data, run)
    relevant = {topic: [name for name, grade in of.items() if grade] for topic, of in qrels.items()}
    chunking = of_chunking_evaluation(data)
    for name, measure in (("recall", "SpanRecall"), ("precision", "SpanPrecision"), ("iou", "SpanIoU")):
        yield Row("chunking_evaluation", name, chunking[name], f"{measure}@{K}")
    joined = of_spanchor(data, joined=True)
    yield Row("spanchor", f"recall@{K}", joined[f"recall@{K}"], f"SpanRecall@{K}")
    yield Row("spanchor", f"precision@{K}", joined[f"precision@{K}"], f"SpanPrecision@{K}", ONCE)
    yield Row("spanchor", "iou", joined["iou"], f"SpanIoU@{K}", ONCE)
    ragas = of_ragas(data, relevant)
    whole = "the edit similarity of a chunk and a quote, which is low if the chunk is longer"
    yield Row("ragas", "id_based_context_recall", ragas["id_based_context_recall"], f"R@{K}", COUNTS)
    yield Row(
        "ragas", "id_based_context_precision", ragas["id_based_context_precision"], f"P@{K}", COUNTS
    )
    yield Row("ragas", "non_llm_context_recall", ragas["non_llm_context_recall"], f"R@{K}", whole)
    name = "non_llm_context_precision_with_reference"
    yield Row("ragas", name, ragas[name], f"AP@{K}", f"{whole}; divides by the chunks found")
    ids = {run: {topic: list(map(str, chunks)) for topic, chunks in rankings.items()}}
    ranx = of_ranx(qrels, ids)
    llama = of_llama_index(data, relevant)
    for tool, found, names in (
        ("ranx", ranx, ("hit_rate@5", "mrr@5", "recall@5", "precision@5", "map@5", "ndcg@5")),
        ("LlamaIndex", llama, ("hit_rate", "mrr", "recall", "precision", "ap", "ndcg")),
    ):
        measures = ("Success", "RR", "R", "P", "AP", "nDCG")
        for score, measure in zip(names, measures, strict=True):
            reason = "" if measure in ("Success", "RR") else COUNTS
            yield Row(tool, score, found[score], f"{measure}@{K}", reason)


def table() -> tuple[str, bool]:
    """Return the table in Markdown, and whether all rows agree that should."""
    lines = [
        "| tool | score | value | xcg | value | reason of the difference |",
        "|---|---|---|---|---|---|",
    ]
    agree = True
    for run in ("windows", "sections"):
        data = sample(run)
        for row in rows(data):
            ours = of_xcg(data.gold, data.runs, data.documents, row.measure)
            difference = max(abs(row.theirs[key] - ours[key]) for key in ours)
            is_equal = not row.reason or (run == "sections" and row.reason in OF_OVERLAP)
            if is_equal and difference > TOLERANCE:
                agree = False
                print(f"{run}: {row.tool} {row.score} differs by {difference}", file=sys.stderr)
            if run == "windows":
                theirs, mine = (f"{fmean(found.values()):.4f}" for found in (row.theirs, ours))
                score = f"| {row.tool} | `{row.score}` | {theirs} "
                lines.append(f"{score}| `{row.measure}` | {mine} | {row.reason} |")
    return "\n".join(lines) + "\n", agree


if __name__ == "__main__":
    text, is_right = table()
    print(text, end="")
    sys.exit(0 if is_right else "a difference has no reason")
