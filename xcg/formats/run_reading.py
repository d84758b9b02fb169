"""Run files by their content: XML is an inex-submission, a brace JSON Lines, all else a TREC run.

The readers of other forms are imported when a file has one.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from xcg.documents.files import PathLike, expand, looks_like_xml, open_input
from xcg.errors import Notes
from xcg.formats.json_records import looks_like_json
from xcg.formats.trec_run import read_trec_run
from xcg.runs.run import Run, Ties, Topics


def read_run(
    path: PathLike, notes: Notes | None = None, ties: Ties = "document", topics: Topics = None
) -> Run:
    """Read one run file; with ``topics``, the results of these alone.

    Raises InputError with file and line for anything wrong; with ``Notes(lenient=True)`` results
    with an illegal path are counted, and hold their rank without naming an element.
    """
    notes = notes if notes is not None else Notes()
    path = Path(path)
    with open_input(path) as file:
        if looks_like_xml(file):
            from xcg.formats.inex_submission import read_inex_submission

            return read_inex_submission(file, path, notes, topics)
        if looks_like_json(file):
            from xcg.formats.json_runs import read_json_run

            return read_json_run(file, path, notes, topics)
        return read_trec_run(file, path, notes, ties, topics)


def read_runs(
    paths: PathLike | Iterable[PathLike],
    notes: Notes | None = None,
    ties: Ties = "document",
    topics: Topics = None,
) -> list[Run]:
    """Read run files, folders and globs."""
    return [read_run(path, notes, ties, topics) for path in expand(paths, "runs")]
