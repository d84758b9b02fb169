"""Small INEX files, and functions that the tests of file formats share."""

from __future__ import annotations

from pathlib import Path

from xcg.errors import InputError, Notes
from xcg.formats.base import read_assessments, read_run
from xcg.judgements.recall_base import RecallBase
from xcg.runs.run import Run, Ties

ASSESSMENTS = '<assessments topic="162">\n<file file="co/1">\n{}\n</file>\n</assessments>'
"""A file with assessments of one document; the format argument is the content of its <file>."""


def submission(*results: str) -> str:
    """Return a submission with results for topic 1; the first result is in line 3."""
    lines = "\n".join(f"<result>{result}</result>" for result in results)
    return f'<inex-submission run-id="r">\n<topic topic-id="1">\n{lines}\n</topic>\n</inex-submission>'


def write(folder: Path, text: str, name: str = "input.xml") -> Path:
    """Write a text to a file and return its path."""
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def steps(run: Run, topic: str = "1") -> str:
    """Return the paths of a topic in rank order, for example ``b a`` for /b[1] and /a[1]."""
    return " ".join(path[1:-3] for _, path in run.rankings[topic])


def labels(base: RecallBase, topic: str = "162", document: str = "co/1") -> dict[str, str]:
    """Return path → label of the assessments of one document."""
    elements = base.files[topic].get(document, {})
    return {path: assessment.label for path, assessment in elements.items()}


def run_content(
    path: Path,
    ties: Ties | None = "document",
    lenient: bool = False,
    topics: set[str] | None = None,
) -> object:
    """Read a run, and return everything that users can observe, or the error message."""
    notes = Notes(lenient)
    try:
        run = read_run(path, notes, ties, topics)
    except InputError as error:
        return str(error)
    rankings = [
        (topic, list(ranking.files), list(ranking.paths), dict(ranking.spans))
        + ((ranking.keys.typecode, list(ranking.keys)) if ranking.keys is not None else ())  # type: ignore[attr-defined]
        for topic, ranking in run.rankings.items()
    ]
    return run.name, run.source, run.skipped, rankings, notes.lines()


def assessments_content(path: Path, lenient: bool = False) -> object:
    """Read assessments, and return everything that users can observe, or the error message."""
    notes = Notes(lenient)
    try:
        base = read_assessments(path, notes)
    except InputError as error:
        return str(error)
    topics = [
        (
            topic,
            [(document, list(elements.items())) for document, elements in base.files[topic].items()],
            [(document, list(spans)) for document, spans in base.spans[topic].items()],
            [(document, list(passages)) for document, passages in base.passages[topic].items()],
            list(base.entry_points[topic].items()),
        )
        for topic in base.topics
    ]
    return topics, base.sources, notes.lines()
