"""Read assessments and runs in any format.

Each format is one module of this package, which registers it in ``xcg.runs.run.RUN_FORMATS`` or in
``xcg.judgements.recall_base.ASSESSMENT_FORMATS``. Installed packages add formats through the entry
points ``xcg.run_format`` and ``xcg.assessment_format``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from io import BufferedReader, FileIO
from pathlib import Path
from typing import TypeVar

from xcg.documents.files import PathLike, expand, open_input
from xcg.errors import MAX_NAME_LENGTH, FileError, InputError, Notes, name_too_long
from xcg.formats.detection import Kind, content_hint
from xcg.judgements.recall_base import ASSESSMENT_FORMATS, AssessmentFormat, RecallBase
from xcg.registry import Registry
from xcg.runs.chunk_documents import NO_SOURCE, ChunkSource
from xcg.runs.run import RUN_FORMATS, Order, Run, RunFormat, Ties, Topics, check_order

_HEAD_SIZE = 4096


def read_assessments(paths: PathLike | Iterable[PathLike], notes: Notes | None = None) -> RecallBase:
    """Read assessment files into one recall-base.

    The format of each file is detected from its content.

    Args:
        paths: Files, folders and globs.
        notes: Collects warnings. With ``Notes(lenient=True)`` illegal values are counted, and their
            elements are left unassessed.

    Returns:
        The assessments of all files.

    Raises:
        InputError: If a file cannot be read or holds an illegal value, with file and line.

    >>> read_assessments("assessments/kazai-lalmas-2006")
    <RecallBase: 1 topics, 10 assessed elements>
    """
    notes = notes if notes is not None else Notes()
    base = RecallBase()
    for path in expand(paths, "assessments"):
        add_assessments(base, path, notes)
    return base


def add_assessments(base: RecallBase, path: Path, notes: Notes) -> None:
    """Add the assessments in one file to a recall-base; see :func:`read_assessments`."""
    with open_input(path) as file, _with_content_hint(file, path, "assessments", notes):
        _, format_ = _detect(ASSESSMENT_FORMATS, file)
        format_.read(file, path, base, notes)


def read_run(
    path: PathLike,
    notes: Notes | None = None,
    order: Order = "score",
    ties: Ties | None = None,
    topics: Topics = None,
    source: ChunkSource = NO_SOURCE,
) -> Run:
    """Read one run file, whose format is detected from its content.

    Args:
        path: The file.
        notes: Collects warnings. With ``Notes(lenient=True)`` results with an illegal path are counted;
            they keep their rank and name no element.
        order: The order of the results of a TREC run, see :data:`xcg.runs.run.Order`.
        ties: The order of results with equal scores or ranks, see :data:`xcg.runs.run.Ties`.
        topics: The topics whose results are read; all by default.
        source: How the chunks in JSON Lines name their document, and the documents. Chunks without
            offsets are searched in the documents.

    Returns:
        The run. Its name is stated in the file, or is the name of the file.

    Raises:
        InputError: If the file cannot be read or holds an illegal value, with file and line.
        XcgError: If an order is unknown or has no effect.

    >>> read_run("corpora_samples/kazai-lalmas-2006-runs/1-ideal.xml")
    <Run ideal: 1 topics>
    """
    return read_run_and_format(path, notes, order, ties, topics, source)[0]


def read_run_and_format(
    path: PathLike,
    notes: Notes | None = None,
    order: Order = "score",
    ties: Ties | None = None,
    topics: Topics = None,
    source: ChunkSource = NO_SOURCE,
) -> tuple[Run, str]:
    """Read one run file, and return the run and the name of its format; see :func:`read_run`."""
    check_order(order, ties)
    notes = notes if notes is not None else Notes()
    path = Path(path)
    with open_input(path) as file, _with_content_hint(file, path, "run", notes):
        format_name, format_ = _detect(RUN_FORMATS, file)
        of_chunks = [source] if format_.reads_chunks else []
        run = format_.read(file, path, notes, order, ties, topics, *of_chunks)
    for kind, names in (("run", [run.name]), ("topic", [*run.rankings, *run.skipped])):
        longest = max(names, key=len, default="")
        if len(longest) > MAX_NAME_LENGTH:
            raise InputError(path, name_too_long(kind, longest))
    if topics is not None and not all(topic in topics for topic in run.rankings):
        rankings = {topic: ranking for topic, ranking in run.rankings.items() if topic in topics}
        skipped = run.skipped.union(run.rankings.keys() - rankings.keys())
        run = Run(run.name, rankings, run.source, skipped)
    return run, format_name


def can_have_chunks(path: Path) -> bool:
    """Return whether a run file has a format that can state chunks by their text."""
    with open_input(path) as file:
        return _detect(RUN_FORMATS, file)[1].reads_chunks


def read_runs(
    paths: PathLike | Iterable[PathLike],
    notes: Notes | None = None,
    order: Order = "score",
    ties: Ties | None = None,
    topics: Topics = None,
    source: ChunkSource = NO_SOURCE,
) -> list[Run]:
    """Read several run files.

    Args:
        paths: Files, folders and globs.
        notes: As for :func:`read_run`, like all further arguments.
        order: The order of the results of TREC runs.
        ties: The order of results with equal scores or ranks.
        topics: The topics whose results are read; all by default.
        source: How the chunks in JSON Lines name their document, and the documents.

    Returns:
        One run for each file. Folders and globs are read in the order of their file names.

    Raises:
        InputError: If a path does not exist, and as :func:`read_run`.

    >>> [run.name for run in read_runs("corpora_samples/kazai-lalmas-2006-runs")]
    ['ideal', 'frb', 'reverse_ideal', 'rel_leaves']
    """
    return [read_run(path, notes, order, ties, topics, source) for path in expand(paths, "runs")]


_AnyFormat = TypeVar("_AnyFormat", RunFormat, AssessmentFormat)


def _detect(formats: Registry[_AnyFormat], file: BufferedReader) -> tuple[str, _AnyFormat]:
    """Return the format that is most certain that a file is its own, and its name; consume nothing.

    Installed packages are asked only if no format of xcg is certain, because finding them is slow.
    """
    head = file.peek(_HEAD_SIZE)
    best = max(formats.registered(), key=lambda one: one.detect(head))
    if best.detect(head) < 1:
        best = max(formats.values(), key=lambda one: one.detect(head))
    return formats.name(best), best


@contextmanager
def _with_content_hint(
    file: BufferedReader, path: Path, expected: Kind, notes: Notes
) -> Iterator[None]:
    """Add a hint to the errors in a file if it seems to hold something else than expected."""
    hint = content_hint(bytes(file.peek(_HEAD_SIZE)), expected)
    if not hint and path.suffix == ".gz" and isinstance(file.raw, FileIO):
        hint = "Despite its name, it is not gzipped"
    try:
        with notes.hinting(hint):
            yield
    except InputError as error:
        if not hint or (hint.startswith("Its root") and "found <" in str(error)):
            raise
        raise FileError(error.where, str(error).removeprefix(f"{error.where}: "), hint) from None
