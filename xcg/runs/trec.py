"""TREC runs whose documents are elements: ``topic Q0 file#/path rank score tag``."""

from __future__ import annotations

import math
from io import BufferedReader
from pathlib import Path

import numpy as np

from xcg.errors import InputError, Notes
from xcg.inputs import lines
from xcg.runs.run import Ranking, Run, Ties, split_element_id


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
        where = f"{path}:{number}"
        if len(fields) != 6:
            raise InputError(
                where,
                f"{len(fields)} columns; expected the six of a TREC run: "
                "topic Q0 file#/path rank score tag",
            )
        topic, _, document, rank, score, line_tag = fields
        tag = tag or line_tag
        if line_tag != tag:
            notes.note(f"{path}: holds several run tags; the run is called {tag}")
        topics.setdefault(topic, []).append(
            (_score(score, where), document, _rank(rank, where), number)
        )
    if not tag:
        raise InputError(path, "an empty file; expected a run")
    rankings = {topic: _ranking(path, topic, rows, notes, ties) for topic, rows in topics.items()}
    return Run(tag, rankings, str(path))


def _score(text: str, where: str) -> float:
    try:
        score = float(text)
    except ValueError:
        score = math.nan
    if not math.isfinite(score):
        raise InputError(where, f"illegal score {text!r}: expected a finite number")
    with np.errstate(over="ignore"):
        return float(np.float32(score))


def _rank(text: str, where: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise InputError(where, f"illegal rank {text!r}: expected a whole number") from None


def _ranking(
    path: Path, topic: str, rows: list[tuple[float, str, int, int]], notes: Notes, ties: Ties
) -> Ranking:
    if ties == "document":
        rows.sort(key=lambda row: row[1], reverse=True)
    elif ties == "rank":
        rows.sort(key=lambda row: row[2])
    rows.sort(key=lambda row: -row[0])  # stable: equal scores keep the order of the ties
    files, paths = [], []
    for rank, (_, document, _, number) in enumerate(rows, 1):
        try:
            file, element = split_element_id(document)
        except ValueError as error:
            where = f"{path}:{number}"
            notes.problem("results that name no element", where, f"topic {topic}, rank {rank}: {error}")
            file, element = document.partition("#")[0], ""
        files.append(file)
        paths.append(element)
    return Ranking(files, paths)
