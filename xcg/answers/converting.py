"""Convert files: formats, derived assessments, simulated runs, and runs under a strategy."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from xcg.answers.asked import Asked
from xcg.documents.files import whole_file
from xcg.errors import InputError, Notes, XcgError
from xcg.evaluation.conversion import assessments_of_run, convert_assessments
from xcg.evaluation.ideals import ideal_run
from xcg.evaluation.inputs import Inputs, check_document_is_used
from xcg.evaluation.reading import count_repeated, named_runs
from xcg.formats.base import read_run
from xcg.formats.inex_assessments import inex_2004
from xcg.formats.json_assessments import read_highlights
from xcg.formats.letor import read_letor_feature
from xcg.judgements.highlights import assess
from xcg.runs.chunk_documents import ChunkSource
from xcg.runs.run import RUN_FORMATS, Run
from xcg.strategies.registry import rewrite


def convert(
    asked: Asked,
    to: str | None,
    target: str | None = None,
    depth: int | None = None,
    irrelevant: float | None = None,
    feature: int | None = None,
) -> tuple[str, list[str]]:
    """Return the content of the new file, and notes on what it cannot hold.

    Args:
        asked: The inputs.
        to: The format; None for that of the run.
        target: What is made of the input: ``assessments`` of a run, or a simulated run of assessments.
        depth: Number of results of each topic; None for all.
        irrelevant: The score that becomes level 0.
        feature: The feature of a LETOR file that becomes the scores.
    """
    inputs = asked.inputs
    if inputs.has_assessments == inputs.has_runs:
        raise XcgError("nothing or too much to convert: expected either --assessments or --run")
    if to is None and not (inputs.has_runs and target is None):
        raise XcgError("no format: expected --to FORMAT")
    unused = {
        "--irrelevant": irrelevant is not None and not (inputs.has_runs and target),
        "--feature": feature is not None and not inputs.has_runs,
        "--strategy": bool(inputs.strategy_list) and not (inputs.has_runs and target is None),
        "--depth": depth is not None and not inputs.has_runs and target in (None, "assessments"),
    }
    for option in filter(unused.get, unused):
        raise XcgError(f"{option} has no effect on this conversion: remove it")
    notes, format_ = Notes(inputs.lenient), to or ""
    if inputs.has_runs:
        run = _read(inputs, feature, notes)
        if target is None:
            format_ = to or run.format or "trec"
            text, lost = _rewritten(run, inputs, depth, notes).to_text(format_)
        else:
            if target != "assessments":
                raise XcgError(f"--as {target} is made of assessments: expected --assessments")
            base = assessments_of_run(run, depth, irrelevant or 0.0, notes)
            text, lost = convert_assessments(base, format_, inputs.documents)
    elif target in (None, "assessments"):
        base = inputs.recall_base
        notes.take(inputs.notes)
        text, lost = convert_assessments(base, format_, inputs.documents)
    else:
        RUN_FORMATS.get(format_)  # before anything is computed
        kind: Any = target
        run, found = ideal_run(inputs, kind)
        notes.take(found)
        text, lost = run.top(depth).to_text(format_)
    if inputs.documents is not None:
        inputs.documents.source.note_oddities(notes)
    return text, [*notes.lines(), *(f"note: lost in {format_}: {data}" for data in lost)]


def _read(inputs: Inputs, feature: int | None, notes: Notes) -> Run:
    """Read the only run."""
    given: Sequence[Any] = list(inputs.runs)  # type: ignore[arg-type]
    if len(given) != 1:
        raise XcgError(f"{len(given)} runs: expected one, --run PATH")
    if feature is not None:
        return read_letor_feature(given[0], feature, notes)
    if inputs.document is not None:
        check_document_is_used([Path(given[0])])
    source = ChunkSource(inputs.document, inputs.documents)
    return read_run(given[0], notes, inputs.ties, source=source)


def _rewritten(run: Run, inputs: Inputs, depth: int | None, notes: Notes) -> Run:
    """Return a run under the only strategy, if there is one, and up to a depth."""
    strategies = inputs.strategy_list
    if len(strategies) > 1:
        raise XcgError(f"{len(strategies)} strategies, {strategies[0]} and others: expected one")
    run = (rewrite(run, strategies[0], inputs.documents) if strategies else run).top(depth)
    named_runs([run], [sum(map(count_repeated, run.rankings.values()))], notes)
    return run


def derive_elements(asked: Asked, folder: Path) -> list[str]:
    """Write element assessments in the format of INEX 2004, one file per topic into a folder.

    Returns:
        Notes on the documents, and a summary.
    """
    inputs = asked.inputs_with("assessments", "corpus")
    documents = inputs.documents
    assert documents is not None
    given: Any = inputs.assessments
    base = assess(read_highlights(given, documents), documents)
    for topic in base.topics:
        if "/" in topic or topic.startswith(".") or not topic.isprintable():
            raise XcgError(f"the topic {topic!r} cannot name a file")
    files = {topic: folder / f"{topic}.xml" for topic in base.topics}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        existing = [file for file in files.values() if os.path.lexists(file)]
    except OSError as error:
        raise InputError(folder, f"cannot write: {error.strerror}") from None
    if existing:
        raise InputError(existing[0], "the file exists: name a new folder")
    for topic, file in files.items():
        with whole_file(file) as opened:
            opened.write(inex_2004(base, topic))
    notes = inputs.new_notes()
    documents.source.note_oddities(notes)
    return [*notes.lines(), f"{len(base.topics)} topics, {len(base)} assessed elements in {folder}"]
