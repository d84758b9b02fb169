"""Write the runs in chunks/: three chunkers and one retriever on the documents in chunks/docs/.

    python corpora_samples/make_chunk_samples.py [FOLDER]

FOLDER is chunks/ by default. It receives runs/ and ``framework.jsonl``, the run ``sections`` with the
text of the chunks and the paths of the documents, as frameworks return them. The documents are the
manual of a backup program that does not exist. Documents, questions and gold were written by hand.
``sections`` cuts the documents before each heading, ``windows`` into 60 words, of which 20 are those of
the chunk before, and ``pages`` not at all. The retriever is BM25, with five results for each question.
The output is deterministic. Needs the extra ``xcg[samples]``.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

import bm25s
from make_handbook_campaign import tokens

FOLDER = Path(__file__).parent / "chunks"
RESULTS = 5
WINDOW, OVERLAP = 60, 20  # words

Cuts = Callable[[str], Iterator[tuple[int, int]]]


def sections(text: str) -> Iterator[tuple[int, int]]:
    """Yield the start and end of each section; the title belongs to the first one."""
    starts = [match.start() for match in re.finditer(r"^## ", text, re.MULTILINE)]
    return pairwise([0, *starts[1:], len(text)])


def windows(text: str) -> Iterator[tuple[int, int]]:
    """Yield the start and end of overlapping chunks of equally many words."""
    words = [match.span() for match in re.finditer(r"\S+", text)]
    for first in range(0, len(words) - OVERLAP, WINDOW - OVERLAP):
        chunk = words[first : first + WINDOW]
        yield chunk[0][0], chunk[-1][1]


def pages(text: str) -> Iterator[tuple[int, int]]:
    """Yield the start and end of the document."""
    yield 0, len(text)


CHUNKERS: dict[str, Cuts] = {"sections": sections, "windows": windows, "pages": pages}


def run(cut: Cuts, documents: dict[str, str], questions: dict[str, str]) -> Iterator[str]:
    """Yield the lines of a run."""
    chunks = [(name, *span) for name, text in documents.items() for span in cut(text)]
    bm25 = bm25s.BM25(method="lucene", k1=1.2, b=0.75)
    bm25.index(tokens([documents[name][a:b] for name, a, b in chunks]), show_progress=False)
    for topic, words in zip(questions, tokens(list(questions.values())), strict=True):
        scores = bm25.get_scores([word for word in sorted(set(words)) if word in bm25.vocab_dict])
        ranked = sorted(
            (-round(float(score), 4), chunk) for score, chunk in zip(scores, chunks, strict=True)
        )
        for score, (name, start, end) in ranked[:RESULTS]:
            if score < 0:
                result = {"topic": topic, "doc": name, "start": start, "end": end, "score": -score}
                yield json.dumps(result) + "\n"


def by_text(line: str, documents: dict[str, str]) -> str:
    """Return a result with its text and a path."""
    result = json.loads(line)
    name = result.pop("doc")
    text = documents[name][result.pop("start") : result.pop("end")].strip()
    return json.dumps({**result, "metadata": {"source": f"docs/{name}.md"}, "text": text}) + "\n"


def main(folder: Path) -> None:
    """Write the runs."""
    documents = {
        path.stem: path.read_text(encoding="utf-8") for path in sorted(FOLDER.glob("docs/*.md"))
    }
    questions = json.loads((FOLDER / "questions.json").read_text(encoding="utf-8"))
    (folder / "runs").mkdir(parents=True, exist_ok=True)
    for name, cut in CHUNKERS.items():
        lines = list(run(cut, documents, questions))
        write(folder / "runs" / f"{name}.jsonl", lines)
        if name == "sections":
            write(folder / "framework.jsonl", [by_text(line, documents) for line in lines])


def write(path: Path, lines: list[str]) -> None:
    """Write a run."""
    path.write_text("".join(lines), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER)
