"""Measure whether time and memory grow linearly: python benchmarks/growth.py [SCALE [REPETITIONS]].

Each quantity is measured at three sizes, which differ by a factor of 4. The measured work begins with
files and ends with trees or scores. Time is the lowest CPU time of several repetitions. Memory is the
increase of the largest resident memory of a fork, so it includes memory that libraries allocate.
"""

from __future__ import annotations

import gc
import io
import json
import os
import random
import resource
import sys
import tarfile
import tempfile
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import xcg
from xcg.documents.corpus import Corpus

SIZES = (1, 4, 16)
Work = Callable[[], object]


class Cost(NamedTuple):
    """CPU time in seconds, and memory in bytes."""

    seconds: float
    memory: int


def cost(work: Work) -> Cost:
    """Measure the cost of a function in a fork of this process."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        Path("/proc/self/clear_refs").write_text("5")  # resets VmHWM to the current memory
        before = _largest_memory()
        start = time.process_time()
        work()
        os.write(
            writing, json.dumps([time.process_time() - start, _largest_memory() - before]).encode()
        )
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        answer = pipe.read()
    os.waitpid(child, 0)
    return Cost(*json.loads(answer))


def _largest_memory() -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) << 10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10


def _trees(path: Path, names: list[str] | None = None) -> Work:
    """Return a function that parses all documents of a folder or an archive."""

    def work() -> object:
        corpus = Corpus(path, cache=False)
        chosen = names if names is not None else list(corpus)
        corpus.prepare(chosen)
        return [len(corpus.tree(name)) for name in chosen]

    return work


def _document(folder: Path, name: str, content: str) -> Path:
    folder.mkdir()
    (folder / name).write_text(content)
    return folder


def tag_names(folder: Path, count: int) -> Work:
    """Return a function that parses a document in which every element has another name."""
    elements = "".join(f"<n{number}>text</n{number}>" for number in range(count))
    return _trees(_document(folder, "d.xml", f"<a>{elements}</a>"))


def empty_elements(folder: Path, count: int) -> Work:
    """Return a function that parses a document of empty elements."""
    return _trees(_document(folder, "d.xml", f"<a>{'<b/>' * count}</a>"))


def text_paragraphs(folder: Path, count: int) -> Work:
    """Return a function that parses a text file of short paragraphs."""
    return _trees(_document(folder, "d.txt", "some words\n\n" * count))


def markdown_items(folder: Path, count: int) -> Work:
    """Return a function that parses a Markdown file of list items."""
    return _trees(_document(folder, "d.md", "- item\n" * count))


def html_scripts(folder: Path, count: int) -> Work:
    """Return a function that parses an HTML page of paragraphs and scripts."""
    return _trees(_document(folder, "d.html", "<p>text<script>x</script>" * count))


def zip_members(folder: Path, count: int) -> Work:
    """Return a function that parses the members of a ZIP archive in random order."""
    folder.mkdir()
    path = folder / "documents.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(count):
            archive.writestr(f"d{number}.xml", f"<a><p>text {number}</p></a>")
    return _trees(path, _shuffled(count))


def tar_members(kind: str) -> Callable[[Path, int], Work]:
    """Return the equivalent of ``zip_members`` for tar archives with a kind of compression."""

    def members(folder: Path, count: int) -> Work:
        folder.mkdir()
        path = folder / f"documents.tar.{kind}"
        with tarfile.open(path, f"w:{kind}") as archive:
            for number in range(count):
                data = f"<a><p>text {number}</p></a>".encode()
                info = tarfile.TarInfo(f"d{number}.xml")
                info.size = len(data)
                archive.addfile(info, io.BytesIO(data))
        return _trees(path, _shuffled(count))

    return members


def folder_members(folder: Path, count: int) -> Work:
    """Return a function that parses the documents of a folder in random order."""
    folder.mkdir()
    for number in range(count):
        (folder / f"d{number}.xml").write_text(f"<a><p>text {number}</p></a>")
    return _trees(folder, _shuffled(count))


def _shuffled(count: int) -> list[str]:
    names = [f"d{number}" for number in range(count)]
    random.Random(1).shuffle(names)
    return names


def _evaluation(
    folder: Path,
    assessments: list[dict[str, object]],
    results: list[dict[str, object]],
    paragraphs: int,
) -> Work:
    """Return a function that evaluates a run with one topic and one document of equal paragraphs.

    Each paragraph has 20 characters.
    """
    folder.mkdir()
    _document(folder / "documents", "d.xml", f"<a>{'<p>twenty characters  .</p>' * paragraphs}</a>")
    common: dict[str, object] = {"topic": "1", "doc": "d"}
    for name, records in (("gold.jsonl", assessments), ("run.jsonl", results)):
        lines = (json.dumps(common | record) + "\n" for record in records)
        (folder / name).write_text("".join(lines))

    def work() -> object:
        return xcg.evaluate(
            assessments=folder / "gold.jsonl",
            runs=folder / "run.jsonl",
            corpus=Corpus(folder / "documents", cache=False),
            measures=["MAep", "nxCG@10"],
        )

    return work


def _spans(count: int, seed: int, length: int) -> list[dict[str, object]]:
    """Return random spans of a document of count × 20 characters."""
    chance = random.Random(seed)
    starts = [chance.randrange(count * 20 - length) for _ in range(count)]
    return [{"start": start, "end": start + length} for start in starts]


def _elements(count: int) -> list[dict[str, object]]:
    order = list(range(1, count + 1))
    random.Random(1).shuffle(order)
    return [{"path": f"/a[1]/p[{number}]"} for number in order]


def _ranked(records: list[dict[str, object]]) -> list[dict[str, object]]:
    return [record | {"score": len(records) - rank} for rank, record in enumerate(records)]


def assessed_spans(folder: Path, count: int) -> Work:
    """Return a function that evaluates ten span results with many assessed spans."""
    gold = [span | {"level": 1} for span in _spans(count, 1, 15)]
    return _evaluation(folder, gold, _ranked(_spans(count, 2, 50)[:10]), count)


def span_results(folder: Path, count: int) -> Work:
    """Return a function that evaluates overlapping span results in one document."""
    gold = [span | {"level": 1} for span in _spans(count, 1, 15)]
    return _evaluation(folder, gold, _ranked(_spans(count, 2, 200)), count)


def element_results(folder: Path, count: int) -> Work:
    """Return a function that evaluates element results in one document, all of them assessed."""
    elements = _elements(count)
    gold = [element | {"exhaustivity": 2, "specificity": 2} for element in elements]
    return _evaluation(folder, gold, _ranked(elements), count)


def element_results_of_spans(folder: Path, count: int) -> Work:
    """Return a function that evaluates element results in one document with assessed spans."""
    gold = [span | {"level": 1} for span in _spans(count, 1, 15)]
    return _evaluation(folder, gold, _ranked(_elements(count)), count)


QUANTITIES: dict[str, tuple[Callable[[Path, int], Work], int]] = {
    "distinct names in an XML document": (tag_names, 8_000),
    "empty elements in an XML document": (empty_elements, 40_000),
    "paragraphs in a text file": (text_paragraphs, 10_000),
    "list items in a Markdown file": (markdown_items, 1_000),
    "scripts in an HTML file": (html_scripts, 4_000),
    "members of a ZIP archive": (zip_members, 1_000),
    "members of a .tar.gz archive": (tar_members("gz"), 1_000),
    "documents in a folder": (folder_members, 1_000),
    "assessed spans in a document": (assessed_spans, 4_000),
    "span results in a document": (span_results, 4_000),
    "element results in a document": (element_results, 4_000),
    "element results with assessed spans": (element_results_of_spans, 4_000),
}
"""Quantity → its function and its first size."""


def growth(name: str, scale: float = 1, repetitions: int = 3) -> list[tuple[int, Cost]]:
    """Return the size and cost of a quantity at three sizes.

    Args:
        name: A key of QUANTITIES.
        scale: Factor of all sizes.
        repetitions: Number of measurements; the lowest is used.
    """
    make, first = QUANTITIES[name]
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for size in SIZES:
            count = max(1, round(first * scale * size))
            work = make(Path(folder) / str(size), count)
            gc.collect()
            costs = [cost(work) for _ in range(repetitions)]
            found.append((count, Cost(min(c.seconds for c in costs), min(c.memory for c in costs))))
    return found


def main() -> None:
    """Print the costs of all quantities; docs/howto/scaling.md states how they grow."""
    scale = float(sys.argv[1]) if len(sys.argv) > 1 else 1
    repetitions = int(sys.argv[2]) if len(sys.argv) > 2 else 3
    _trees_once()
    print("| quantity | sizes | time per unit | ratios | memory per unit | ratios |")
    print("|---|---|---|---|---|---|")
    for name in QUANTITIES:
        rows = growth(name, scale, repetitions)
        sizes = " – ".join(f"{count:,}" for count, _ in (rows[0], rows[-1]))
        times = [one.seconds / count for count, one in rows]
        memory = [one.memory / count for count, one in rows]
        time_ratios = ", ".join(f"{value / times[0]:.2f}" for value in times[1:])
        memory_ratios = ", ".join(
            f"{value / memory[0]:.2f}" if memory[0] else "–" for value in memory[1:]
        )
        print(
            f"| {name} | {sizes} | {times[-1] * 1e6:.1f} µs | {time_ratios} "
            f"| {memory[-1]:,.0f} bytes | {memory_ratios} |",
            flush=True,
        )


def _trees_once() -> None:
    """Run every function once, so that no measurement includes imports."""
    for make, _ in QUANTITIES.values():
        with tempfile.TemporaryDirectory() as folder:
            make(Path(folder) / "first", 20)()


if __name__ == "__main__":
    main()
