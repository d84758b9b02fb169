"""Runs as INEX participants submitted them: ``<inex-submission run-id><topic><result>…``."""

from __future__ import annotations

import math
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path

from lxml import etree

from xcg.documents.paths import canonical_file, canonical_path
from xcg.errors import InputError, Notes
from xcg.inputs import iterate_xml, local_name
from xcg.runs.run import Memo, Ranking, Run, check_span, order_by, ranking_of

_FIELDS = ("file", "path", "rank", "rsv")


@dataclass(slots=True)
class _Result:
    line: int
    file: str = ""
    path: str | None = None
    fol: tuple[str, str] | None = None
    rank: str | None = None
    rsv: str | None = None


def read_inex_submission(file: BufferedReader, path: Path, notes: Notes) -> Run:
    """Read an inex-submission from an open file; ``path`` is what messages call it.

    The results of a topic are ordered by ``<rank>`` where every one has it, else by ``<rsv>``
    descending where every one has it, else they stay as written; equal keys stay as written.
    Raises InputError with file and line for what is no such file.
    """
    rankings: dict[str, Ranking] = {}
    name = ""
    files, paths = Memo(canonical_file), Memo(canonical_path)
    for element in iterate_xml(file, ["topic", "inex-submission"]):
        if local_name(element) == "topic":
            topic = (element.get("topic-id") or "").strip()
            where = f"{path}:{element.sourceline}"
            if not topic:
                raise InputError(where, "<topic> lacks its topic-id attribute")
            if topic in rankings:
                message = f"topic {topic} stands twice; expected one <topic> a topic"
                notes.problem("topics that stand twice, of which the first counts", where, message)
                continue
            rankings[topic] = _read_topic(element, path, topic, notes, files, paths)
        else:
            name = (element.get("run-id") or "").strip()
            if not name:
                raise InputError(
                    f"{path}:{element.sourceline}", "<inex-submission> lacks its run-id attribute"
                )
    if not name:
        raise InputError(path, "no <inex-submission> element; expected a run")
    return Run(name, rankings, str(path))


def _read_topic(
    element: etree._Element, path: Path, topic: str, notes: Notes, files: Memo, paths: Memo
) -> Ranking:
    results = _results(element)
    order = _order(results, path, notes)
    ordered: list[tuple[str, str, tuple[int, int] | None]] = []
    for rank, place in enumerate(order, 1):
        result = results[place]
        try:
            ordered.append(_element(result, files, paths))
        except ValueError as error:
            where = f"{path}:{result.line}"
            message = f"topic {topic}, rank {rank}: {error}"
            notes.problem("results that name no element", where, message)
            ordered.append((result.file.strip(), "", None))
    return ranking_of(ordered)


def _element(result: _Result, files: Memo, paths: Memo) -> tuple[str, str, tuple[int, int] | None]:
    """Return file, path and span of a result that is an element or a passage by offset and length."""
    file = files(result.file)
    if result.path is not None:
        return file, paths(result.path), None
    if result.fol is None:
        raise ValueError("the result lacks its <path>; expected an element, or <fol offset length/>")
    offset, length = result.fol
    if not all(text.isascii() and text.isdecimal() and len(text) < 16 for text in result.fol):
        raise ValueError(f"illegal <fol> {offset!r} {length!r}: expected an offset and a length")
    return file, "", check_span(int(offset), int(offset) + int(length))


def _results(topic: etree._Element) -> list[_Result]:
    """Collect the fields of every result in one walk over the topic."""
    results: list[_Result] = []
    for element in topic.iter("result", "fol", *_FIELDS):
        tag = element.tag
        if tag == "result":
            results.append(_Result(_line(element)))
        elif tag == "fol" and results:
            results[-1].fol = (element.get("offset", ""), element.get("length", ""))
        elif results:
            setattr(results[-1], tag, element.text or "")
    return results


def _line(element: etree._Element) -> int:
    line: object = element.sourceline
    return line if isinstance(line, int) else 0


def _order(results: list[_Result], path: Path, notes: Notes) -> list[int]:
    """Return the order by rank where all have one, else by rsv where all have one, else as written."""
    for field in ("rank", "rsv"):
        texts = [getattr(result, field) for result in results]
        if results and None not in texts:
            keys = []
            for text, result in zip(texts, results, strict=True):
                key = _number(text, field)
                if key is None:
                    expected = "a whole number from 0" if field == "rank" else "a finite number"
                    message = f"illegal {field} {text!r}: expected {expected}"
                    where = f"{path}:{result.line}"
                    notes.problem("illegal ranks or scores, counted as the last", where, message)
                    key = math.inf if field == "rank" else -math.inf
                keys.append(key)
            return order_by(keys, descending=field == "rsv")
    return list(range(len(results)))


def _number(text: str, field: str) -> float | None:
    """Return the number in a field: a rank is a whole number from 0, an rsv finite; else None."""
    try:
        value = float(int(text)) if field == "rank" else float(text)
    except (ValueError, OverflowError):
        return None
    return value if math.isfinite(value) and (field == "rsv" or value >= 0) else None
