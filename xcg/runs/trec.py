"""TREC runs: ``topic Q0 file#/path rank score tag``, or an element or a passage in further columns."""

from __future__ import annotations

import math
from io import BufferedReader
from pathlib import Path

import numpy as np

from xcg.documents.paths import canonical_file
from xcg.errors import InputError, Notes
from xcg.inputs import lines
from xcg.runs.run import Ranking, Run, Ties, check_span, ranking_of, split_element_id


def read_trec_run(file: BufferedReader, path: Path, notes: Notes, ties: Ties = "document") -> Run:
    """Read a TREC run from an open file; ``path`` is what messages call it.

    Results are ordered by score descending. As in trec_eval, scores are compared in single precision
    and the written rank is ignored; equal scores are ordered by ``ties``: ``document`` (by document
    id descending, as trec_eval does), ``rank`` (by the written rank) or ``file`` (as written).
    The run is named by its tag. Raises InputError with file and line for a line that is no result.
    """
    topics: dict[str, list[tuple[float, str, int, int]]] = {}
    tag = ""
    for number, line in lines(file, path):
        fields = line.split()
        if not fields:
            continue
        try:
            topic, document, rank, score, line_tag = _fields(fields)
        except ValueError as error:
            notes.problem("lines left out of a run", f"{path}:{number}", str(error))
            continue
        tag = tag or line_tag
        if line_tag != tag:
            notes.note(f"{path}: holds several run tags; the run is called {tag}")
        topics.setdefault(topic, []).append((score, document, rank, number))
    if not tag:
        raise InputError(path, "an empty file; expected a run")
    rankings = {topic: _ranking(path, topic, rows, notes, ties) for topic, rows in topics.items()}
    return Run(tag, rankings, str(path))


def _fields(fields: list[str]) -> tuple[str, str, int, float, str]:
    """Return topic, document, rank, score and tag of a line; ValueError where it is no result."""
    if len(fields) == 7 and fields[6].startswith("/"):  # INEX 2009 and 2010
        fields = [*fields[:2], f"{fields[2]}#{fields[6]}", *fields[3:6]]
    if len(fields) == 8:  # INEX 2010: a passage by offset and length
        if not all(text.isascii() and text.isdecimal() and len(text) < 16 for text in fields[6:]):
            raise ValueError(
                f"illegal passage {fields[6]} {fields[7]}: expected an offset and a length"
            )
        fields = [*fields[:2], f"{fields[2]}#{fields[6]}:{fields[7]}", *fields[3:6]]
    if len(fields) != 6:
        raise ValueError(
            f"{len(fields)} columns; expected the six of a TREC run, "
            "topic Q0 file#/path rank score tag, or with an element's path as the seventh, "
            "or a passage's offset and length as the seventh and eighth"
        )
    topic, _, document, rank, score, tag = fields
    try:
        number = float(score)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise ValueError(f"illegal score {score!r}: expected a finite number")
    try:
        place = int(rank)
    except ValueError:
        raise ValueError(f"illegal rank {rank!r}: expected a whole number") from None
    with np.errstate(over="ignore"):
        return topic, document, place, float(np.float32(number)), tag


def _ranking(
    path: Path, topic: str, rows: list[tuple[float, str, int, int]], notes: Notes, ties: Ties
) -> Ranking:
    if ties == "document":
        rows.sort(key=lambda row: row[1], reverse=True)
    elif ties == "rank":
        rows.sort(key=lambda row: row[2])
    rows.sort(key=lambda row: -row[0])  # stable: equal scores keep the order of the ties
    results = []
    for rank, (_, document, _, number) in enumerate(rows, 1):
        try:
            results.append(_element(document))
        except ValueError as error:
            where = f"{path}:{number}"
            message = f"topic {topic}, rank {rank}: {error}"
            notes.problem("results that name no element", where, message)
            results.append((document.partition("#")[0], "", None))
    return ranking_of(results)


def _element(document: str) -> tuple[str, str, tuple[int, int] | None]:
    """Return file, path and span of ``file#/path`` or ``file#offset:length``."""
    file, _, place = document.rpartition("#")
    offset, colon, length = place.partition(":")
    if colon and offset.isdecimal() and length.isdecimal():
        return canonical_file(file), "", check_span(int(offset), int(offset) + int(length))
    return *split_element_id(document), None
