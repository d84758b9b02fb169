"""Cut Markdown files into chunks of several sizes, and write the results of BM25 as runs for xcg.

    python retrieve.py FOLDER QUESTIONS.csv [RUNS]

FOLDER is searched for files NAME.md. The column ``question`` of the CSV file has the questions. RUNS,
by default the folder ``runs``, receives a run for each size: ``words-020.jsonl`` has chunks of 20
words. Each question has as many results as fill 400 words. The same words, the same formula and the
same budget: only the size of the chunks differs.
"""

from __future__ import annotations

import csv
import json
import math
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

SIZES = (10, 20, 40, 80, 160)  # words
BUDGET = 400  # words of the results of a question
Chunk = tuple[str, int, int, Counter[str]]


def chunks_of(name: str, text: str, size: int) -> list[Chunk]:
    """Cut a text into chunks of a number of words: document, start, end, and the counts of words."""
    words = [match.span() for match in re.finditer(r"\S+", text)]
    parts = [words[first : first + size] for first in range(0, len(words), size)]
    spans = [(part[0][0], part[-1][1]) for part in parts]
    return [(name, start, end, Counter(terms(text[start:end]))) for start, end in spans]


def terms(text: str) -> list[str]:
    """Return the words that are compared: in lower case, without the s of a plural."""
    return [word.removesuffix("s") for word in re.findall(r"\w+", text.lower())]


def rankings(questions: list[str], chunks: list[Chunk]) -> Iterator[list[tuple[float, Chunk]]]:
    """Rank chunks for each question by BM25 (k1 = 1.2, b = 0.75); ties as in the documents."""
    frequency = Counter(word for *_, counts in chunks for word in counts)
    mean = sum(counts.total() for *_, counts in chunks) / len(chunks)
    norms = [1.2 * (0.25 + 0.75 * counts.total() / mean) for *_, counts in chunks]
    for question in questions:
        scores = [0.0] * len(chunks)
        for word in set(terms(question)) & frequency.keys():
            rarity = math.log(1 + (len(chunks) - frequency[word] + 0.5) / (frequency[word] + 0.5))
            for index, (*_, counts) in enumerate(chunks):
                if count := counts[word]:
                    scores[index] += rarity * count / (count + norms[index])
        scored = [(round(score, 4), one) for score, one in zip(scores, chunks, strict=True)]
        yield sorted(scored, key=lambda one: -one[0])


def main(folder: Path, file: Path, runs: Path) -> None:
    """Write a run for each size."""
    texts = {
        path.relative_to(folder).with_suffix("").as_posix(): path.read_bytes().decode()
        for path in sorted(folder.rglob("*.md"))
    }
    with file.open(encoding="utf-8-sig", newline="") as rows:
        questions = list(
            dict.fromkeys(" ".join(row["question"].split()) for row in csv.DictReader(rows))
        )
    runs.mkdir(exist_ok=True)
    for size in SIZES:
        chunks = [one for name, text in texts.items() for one in chunks_of(name, text, size)]
        with (runs / f"words-{size:03}.jsonl").open("w", encoding="utf-8") as run:
            for question, ranking in zip(questions, rankings(questions, chunks), strict=True):
                for score, (name, start, end, _) in ranking[: -(-BUDGET // size)]:
                    text = texts[name][start:end]
                    result = {"topic": question, "doc": name, "score": score, "text": text}
                    run.write(json.dumps({**result, "start": start, "end": end}) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), Path(*sys.argv[3:4] or ["runs"]))
