"""Runs as INEX participants submitted them: ``<inex-submission run-id><topic><result>…``."""

from __future__ import annotations

import math
import re
from array import array
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path

from xcg.documents.files import iterate_xml, local_name
from xcg.documents.passage_points import Passage
from xcg.documents.paths import WHOLE, canonical_file, canonical_path
from xcg.errors import InputError, Notes, XcgError
from xcg.formats.detection import xml_certainty
from xcg.formats.fast_submissions import regular_submission
from xcg.formats.fast_xml import if_regular
from xcg.formats.writing import results
from xcg.lazy_modules import etree
from xcg.runs.run import (
    RUN_FORMATS,
    AnySpan,
    Memo,
    Ranking,
    Run,
    RunFormat,
    Ties,
    Topics,
    check_span,
    order_by,
    ranking_of,
)

_NAMES = ("file", "path")
_PASSAGES = {"fol": ("offset", "length"), "passage": ("start", "end")}
_FIELDS = (*_NAMES, *_PASSAGES, "rank", "rsv")
_NUMBER = re.compile(r"\s*[+-]?[0-9.]+(?:[eE][+-]?[0-9]+)?\s*")


@dataclass(slots=True)
class _Result:
    line: int
    file: str | None = None
    path: str | None = None
    fol: tuple[str, str] | None = None
    passage: tuple[str, str] | None = None
    rank: str | None = None
    rsv: str | None = None
    problem: str = ""


def read_inex_submission(
    file: BufferedReader, path: Path, notes: Notes, ties: Ties = "document", topics: Topics = None
) -> Run:
    """Read an inex-submission from an open file; ``path`` is what messages call it.

    The results of a topic are ordered by ``<rank>`` where every one has it, else by ``<rsv>``
    descending where every one has it, else they stay as written; equal keys stay as written.
    Topics that are not among ``topics`` are passed over. Raises InputError with file and line for
    what is no such file.
    """
    run = if_regular(file, path, lambda: regular_submission(file, path, topics))
    return run if run is not None else _by_results(file, path, notes, topics)


def _by_results(file: BufferedReader, path: Path, notes: Notes, topics: Topics) -> Run:
    rankings: dict[str, Ranking] = {}
    skipped: set[str] = set()
    name = ""
    files, paths = Memo(canonical_file), Memo(canonical_path)
    results: list[_Result] = []
    same: dict[str, str] = {}
    # A result at a time, so that memory is bounded by what is kept, however large a topic is.
    for element in iterate_xml(file, ["result", "topic", "inex-submission"]):
        tag = local_name(element)
        where = f"{path}:{element.sourceline}"
        above = _expected_parent(element, where)
        if tag == "result" and above is not None:
            if topics is None or _topic_id(above) in topics:
                results.append(_result(element, same))
        elif tag == "topic":
            topic = _topic_id(element)
            if not topic:
                raise InputError(where, "<topic> lacks its topic-id attribute")
            if topic in rankings:
                message = f"topic {topic} stands twice; expected one <topic> a topic"
                notes.problem("topics that stand twice, of which the first counts", where, message)
            elif topics is None or topic in topics:
                _check_topic(element, results, where)
                rankings[topic] = _ranking(results, path, topic, notes, files, paths)
            else:
                skipped.add(topic)
            results = []
        else:
            name = (element.get("run-id") or "").strip()
            if not name:
                raise InputError(where, "<inex-submission> lacks its run-id attribute")
    if not name:
        raise InputError(path, "no <inex-submission> element; expected a run")
    return Run(name, rankings, str(path), skipped)


_PARENTS = {"result": "topic", "topic": "inex-submission", "inex-submission": None}


def _expected_parent(element: etree._Element, where: str) -> etree._Element | None:
    """Return the element around one of a submission's; InputError where it stands elsewhere."""
    tag, above = local_name(element), element.getparent()
    expected = _PARENTS[tag]
    if (local_name(above) if above is not None else None) != expected:
        place = f"expected it directly in <{expected}>" if expected else "expected one run a file"
        raise InputError(where, f"<{tag}> in the wrong place; {place}")
    return above


def _topic_id(element: etree._Element) -> str:
    return (element.get("topic-id") or "").strip()


def _check_topic(element: etree._Element, results: list[_Result], where: str) -> None:
    """Raise InputError for a topic that has something else in the place of its results."""
    other = [local_name(child) for child in element if isinstance(child.tag, str)]
    other = [
        tag for tag in other if tag not in ("result", "collections", "topic-fields", "description")
    ]
    if other and not results:
        raise InputError(where, f"<topic> holds no <result>, but <{other[0]}>; expected results")


def _ranking(
    results: list[_Result], path: Path, topic: str, notes: Notes, files: Memo, paths: Memo
) -> Ranking:
    order, keys = _order(results, path, notes)
    ordered: list[tuple[str, str, AnySpan | None]] = []
    for rank, place in enumerate(order, 1):
        result = results[place]
        try:
            ordered.append(_element(result, files, paths))
        except ValueError as error:
            where = f"{path}:{result.line}"
            message = f"topic {topic}, rank {rank}: {error}"
            notes.problem("results that name no element", where, message)
            ordered.append(((result.file or "").strip(), "", None))
    return ranking_of(ordered, keys)


def _element(result: _Result, files: Memo, paths: Memo) -> tuple[str, str, AnySpan | None]:
    """Return file, path and span of a result that is an element, or a passage in one of two forms."""
    if result.problem:
        raise ValueError(result.problem)
    file = files[result.file or ""]
    if result.path is not None:
        return file, paths[result.path], None
    if result.passage is not None:
        return file, "", Passage.of(*result.passage)
    if result.fol is None:
        raise ValueError(
            "the result lacks its <path>; expected an element, <fol offset length/>, "
            "or <passage start end/>"
        )
    offset, length = result.fol
    if not all(text.isascii() and text.isdecimal() and len(text) < 16 for text in result.fol):
        raise ValueError(f"illegal <fol> {offset!r} {length!r}: expected an offset and a length")
    return file, "", check_span(int(offset), int(offset) + int(length))


def _result(element: etree._Element, same: dict[str, str]) -> _Result:
    """Collect the fields of a result; equal names and paths are kept once."""
    result = _Result(_line(element))
    for child in element:
        tag = child.tag if child.tag in _FIELDS else local_name(child)
        if tag not in _FIELDS:
            continue
        if getattr(result, tag) is not None:
            result.problem = f"the result has two <{tag}>; expected one"
        if tag in _PASSAGES:
            setattr(result, tag, tuple(child.get(name, "") for name in _PASSAGES[tag]))
            continue
        if len(child):
            result.problem = f"<{tag}> holds further elements; expected text"
        text = child.text or ""
        setattr(result, tag, same.setdefault(text, text) if tag in _NAMES else text)
    if sum(place is not None for place in (result.path, result.fol, result.passage)) > 1:
        result.problem = "named in two ways; expected one of <path>, <fol> and <passage>"
    return result


def _line(element: etree._Element) -> int:
    line: object = element.sourceline
    return line if isinstance(line, int) else 0


def _order(results: list[_Result], path: Path, notes: Notes) -> tuple[list[int], array[float] | None]:
    """Return the order by rank where all have one, else by rsv, else as written; and its keys."""
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
            order = order_by(keys, descending=field == "rsv")
            return order, array("d", (keys[place] for place in order))
    return list(range(len(results))), None


def _number(text: str, field: str) -> float | None:
    """Return the number in a field: a rank is a whole number from 0, an rsv finite; else None."""
    if not _NUMBER.fullmatch(text):
        return None
    try:
        value = float(int(text)) if field == "rank" else float(text)
    except (ValueError, OverflowError):
        return None
    return value if math.isfinite(value) and (field == "rsv" or value >= 0) else None


def write_inex_submission(run: Run) -> tuple[str, list[str]]:
    """Return the text of an INEX submission; it can hold everything but whole documents.

    Raises:
        XcgError: If a result names no element or is a whole document.
    """
    root = etree.Element("inex-submission", {"run-id": run.name})
    topics = {t: etree.SubElement(root, "topic", {"topic-id": t}) for t in run.rankings}
    for topic, rank, document, path, span in results(run):
        if path == WHOLE:
            raise XcgError(
                f"{run.source}, topic {topic}, rank {rank}: the format inex holds elements and "
                f"passages, but {document} is a whole document"
            )
        result = etree.SubElement(topics[topic], "result")
        etree.SubElement(result, "file").text = document
        if span is None:
            etree.SubElement(result, "path").text = path
        elif isinstance(span, Passage):
            etree.SubElement(result, "passage", start=str(span.start), end=str(span.end))
        else:
            etree.SubElement(result, "fol", offset=str(span[0]), length=str(span[1] - span[0]))
        etree.SubElement(result, "rank").text = str(rank)
    text = etree.tostring(root, encoding="UTF-8", xml_declaration=True, pretty_print=True)
    return text.decode(), []


RUN_FORMATS.add(
    "inex",
    RunFormat(
        "INEX submission: <inex-submission run-id><topic><result>…",
        lambda head: xml_certainty(head, b"inex-submission"),
        read_inex_submission,
        write_inex_submission,
    ),
)
