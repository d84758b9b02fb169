"""Try to raise the scores of chunks without finding more: which attacks raise which measures.

Each attack changes the results of the sample of chunks (three chunkers, and chunks of five sizes), but
finds nothing new. A cell has the largest rise of a question in any run, in bold if the mean of a run
rises, too; "no" means that no question rises. The page docs/howto/chunk-sizes.md shows the table.

    python benchmarks/chunk_attacks.py
"""

from __future__ import annotations

import base64
import json
import random
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import xcg

SAMPLE = Path(__file__).parent.parent / "corpora_samples" / "chunks"
MEASURES = {
    "Success@5": "Success@5",
    "RR": "RR",
    "nDCG@5": "nDCG@5",
    "SpanRecall@5": "SpanRecall@5",
    "SpanPrecision@5": "SpanPrecision@5",
    "MAep": "MAep",
    "nxCG": "nxCG(budget=tokens)@200",
    "SpanRecall": "SpanRecall(budget=tokens)@200",
    "SpanPrecision": "SpanPrecision(budget=tokens)@200",
    "SpanIoU": "SpanIoU(budget=tokens)@200",
}
TOLERANCE = 1e-9

Chunk = dict[str, Any]
"""Document and text of a result, and its start if it states one."""
Attack = Callable[[list[Chunk], "Case"], list[Chunk]]


class Case:
    """The documents, and the gold spans of one question."""

    def __init__(self, texts: dict[str, str], gold: list[Chunk]) -> None:
        self.texts = texts
        self.gold = gold

    def start(self, chunk: Chunk) -> int:
        """Return where a result is in its document."""
        return self.texts[chunk["doc"]].index(chunk["text"])

    def has_gold(self, document: str, start: int, end: int) -> bool:
        """Return whether a stretch of a document has some gold."""
        return any(
            span["doc"] == document and start < span["end"] and span["start"] < end
            for span in self.gold
        )


def pad(chunks: list[Chunk], case: Case) -> list[Chunk]:
    """Add up to 200 characters without gold on either side."""
    found = []
    for chunk in chunks:
        text, start = case.texts[chunk["doc"]], case.start(chunk)
        end = start + len(chunk["text"])
        first, last = start, end
        while first > max(start - 200, 0) and not case.has_gold(chunk["doc"], first - 1, first):
            first -= 1
        while last < min(end + 200, len(text)) and not case.has_gold(chunk["doc"], last, last + 1):
            last += 1
        found.append({**chunk, "text": text[first:last]})
    return found


def prepend(chunks: list[Chunk], case: Case) -> list[Chunk]:
    """Begin each text with the words of the gold, which are not there in the document."""
    words = " ".join(sorted(" ".join(span["exact"] for span in case.gold).split()))
    return [{**chunk, "text": f"Context: {words} ~~~\n\n{chunk['text']}"} for chunk in chunks]


def marks(chunks: list[Chunk], _: Case) -> list[Chunk]:
    """Add 100 dashes to each text: each is a token of one character."""
    return [{**chunk, "text": chunk["text"] + "\n" + " - " * 100} for chunk in chunks]


def repeat(chunks: list[Chunk], _: Case) -> list[Chunk]:
    """Return each result twice."""
    return [chunk for chunk in chunks for _ in range(2)]


def whole(chunks: list[Chunk], case: Case) -> list[Chunk]:
    """Return the document of each result."""
    return [{"doc": name, "text": case.texts[name]} for name in dict.fromkeys(c["doc"] for c in chunks)]


def fragment(chunks: list[Chunk], _: Case) -> list[Chunk]:
    """Cut each result into pieces of five words, in the order of the text."""
    found = []
    for chunk in chunks:
        words = [match.span() for match in re.finditer(r"\S+\s*", chunk["text"])]
        for first in range(0, len(words), 5):
            part = words[first : first + 5]
            found.append({**chunk, "text": chunk["text"][part[0][0] : part[-1][1]]})
    return found


def near_duplicate(chunks: list[Chunk], _: Case) -> list[Chunk]:
    """Return a copy of each result, with other first and last words, after it."""
    return [
        one
        for chunk in chunks
        for one in (chunk, {**chunk, "text": f"Also {chunk['text'].rpartition(' ')[0]} too."})
    ]


def overlap(chunks: list[Chunk], _: Case) -> list[Chunk]:
    """Return each result three times, each time ten characters shorter at the start."""
    parts = [{**chunk, "text": chunk["text"][skip:]} for chunk in chunks for skip in (0, 10, 20)]
    return [part for part in parts if part["text"].strip()]


def other_offsets(chunks: list[Chunk], case: Case) -> list[Chunk]:
    """State the offsets of gold for results that have other text."""
    (span, *_) = case.gold
    return [
        {**chunk, "doc": span["doc"], "start": span["start"], "end": span["end"]}
        if chunk["doc"] == span["doc"]
        else chunk
        for chunk in chunks
    ]


def chinese(chunks: list[Chunk], _: Case) -> list[Chunk]:
    """Add 400 Chinese characters, which have no spaces, to each text."""
    return [
        {**chunk, "text": chunk["text"] + "\n" + "备份服务器每天晚上运行一次" * 31} for chunk in chunks
    ]


def encoded(chunks: list[Chunk], _: Case) -> list[Chunk]:
    """Add 4,000 characters of base64, which have no spaces, to each text."""
    data = base64.b64encode(random.Random(1).randbytes(3000)).decode()
    return [{**chunk, "text": f"{chunk['text']}\n{data}"} for chunk in chunks]


ATTACKS: dict[str, Attack] = {
    "padding without gold": pad,
    "prepended words of the gold": prepend,
    "100 dashes added": marks,
    "each result twice": repeat,
    "whole documents": whole,
    "fragments of five words": fragment,
    "near-duplicates": near_duplicate,
    "huge overlap": overlap,
    "offsets of other text": other_offsets,
    "Chinese added": chinese,
    "base64 added": encoded,
}


def scores(gold: Path, runs: Path) -> dict[tuple[str, str, str], float]:
    """Return run, question and measure → value; the question of means is "all"."""
    found = xcg.evaluate(gold, runs, SAMPLE / "docs", measures=list(MEASURES.values()))
    return {(row.run, row.topic, row.measure): row.value for row in found}


def write(folder: Path, runs: dict[str, dict[str, list[Chunk]]]) -> Path:
    """Write runs as JSON Lines, with ranks."""
    folder.mkdir()
    for name, rankings in runs.items():
        lines = [
            json.dumps({"topic": topic, "rank": rank, **chunk})
            for topic, chunks in rankings.items()
            for rank, chunk in enumerate(chunks, 1)
        ]
        (folder / f"{name}.jsonl").write_text("\n".join(lines), encoding="utf-8")
    return folder


def read(
    folder: Path, texts: dict[str, str], names: dict[str, str]
) -> dict[str, dict[str, list[Chunk]]]:
    """Return run → question → results by their text."""
    runs: dict[str, dict[str, list[Chunk]]] = {}
    for file in sorted(folder.glob("*.jsonl")):
        rankings = runs.setdefault(file.stem, {})
        for line in file.read_text(encoding="utf-8").splitlines():
            record = json.loads(line)
            text = texts[record["doc"]][record["start"] : record["end"]].strip()
            topic = names.get(record["topic"], record["topic"])
            rankings.setdefault(topic, []).append({"doc": record["doc"], "text": text})
    return runs


def table() -> str:
    """Return the table in Markdown."""
    texts = {path.stem: path.read_text(encoding="utf-8") for path in sorted(SAMPLE.glob("docs/*.md"))}
    names = json.loads((SAMPLE / "questions.json").read_text(encoding="utf-8"))
    lines = [f"| | {' | '.join(MEASURES)} |", f"|---|{'---|' * len(MEASURES)}"]
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        gold = folder / "gold.jsonl"
        command = [sys.executable, "-m", "xcg", "place", str(SAMPLE / "questions.csv")]
        command += ["--corpus", str(SAMPLE / "docs"), "--output", str(gold)]
        subprocess.run(command, check=True, capture_output=True)
        cases: dict[str, Case] = {}
        for line in gold.read_text(encoding="utf-8").splitlines():
            span = json.loads(line)
            cases.setdefault(span["topic"], Case(texts, [])).gold.append(span)
        script = [sys.executable, str(SAMPLE / "retrieve.py"), str(SAMPLE / "docs")]
        subprocess.run([*script, str(SAMPLE / "questions.csv"), str(folder / "sizes")], check=True)
        runs = {**read(SAMPLE / "runs", texts, names), **read(folder / "sizes", texts, names)}
        before = scores(gold, write(folder / "before", runs))
        for attack, change in ATTACKS.items():
            changed = {
                name: {topic: change(chunks, cases[topic]) for topic, chunks in rankings.items()}
                for name, rankings in runs.items()
            }
            after = scores(gold, write(folder / change.__name__, changed))
            cells = [cell(before, after, measure) for measure in MEASURES.values()]
            lines.append(f"| {attack} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def cell(before: dict[Any, float], after: dict[Any, float], measure: str) -> str:
    """Return the largest rise of a question, in bold if the mean of a run rises; or "no"."""
    rises = {key: after[key] - before[key] for key in before if key[2] == measure}
    rise = max(rises.values())
    if rise <= TOLERANCE:
        return "no"
    is_mean = any(value > TOLERANCE for (_, topic, _), value in rises.items() if topic == "all")
    return f"**+{rise:.2f}**" if is_mean else f"+{rise:.2f}"


if __name__ == "__main__":
    print(table(), end="")
