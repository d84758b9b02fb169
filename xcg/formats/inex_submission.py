"""Read and write INEX submissions: <inex-submission run-id><topic topic-id><result>."""

from __future__ import annotations

import math
import re
from io import BufferedReader
from pathlib import Path

from xcg.documents.files import local_name
from xcg.documents.passage_points import Passage
from xcg.documents.paths import WHOLE, canonical_file, canonical_path
from xcg.errors import InputError, Notes, XcgError
from xcg.formats.base import xml_certainty
from xcg.formats.writing import WrittenScores, lost_of_run, results, xml_name, xml_text
from xcg.formats.xml_files import XmlElements, read_regular_submission
from xcg.lazy_modules import etree
from xcg.runs.ordering import Results
from xcg.runs.run import (
    RUN_FORMATS,
    AnySpan,
    FunctionCache,
    Ranking,
    Run,
    RunFormat,
    Ties,
    Topics,
    offset_and_length,
    span_of,
)

_POINTS = {"fol": ("offset", "length"), "passage": ("start", "end")}
_FIELDS = ("file", "path", "fol", "passage", "rank", "rsv")
_PARENTS = {"result": "topic", "topic": "inex-submission", "inex-submission": None}
_OTHER_TAGS = ("result", "collections", "topic-fields", "description")
_KEYS = {
    "rank": ("[+]?[0-9]+|-0+", "a whole number from 0", math.inf),
    "rsv": (r"[+-]?([0-9]+\.?|[0-9]*\.[0-9]+)([eE][+-]?[0-9]+)?", "a finite number", -math.inf),
}
"""The fields that order results, with their legal values and the key of an illegal value."""

_Names = FunctionCache[str, str]
_Element = tuple[str, str, AnySpan | None]
"""Document, path and span of a result."""


def read_inex_submission(
    file: BufferedReader,
    path: Path,
    notes: Notes,
    ties: Ties | None = None,
    topics: Topics = None,
) -> Run:
    """Read an INEX submission.

    The results of a topic are ordered by ``<rank>`` if all have one, else by ``<rsv>`` (descending) if
    all have one, else as in the file. Results with equal keys keep the order of the file by default.

    Args:
        file: The open file.
        path: The file's path, for messages.
        notes: Counts illegal results if they are tolerated.
        ties: ``document`` orders results with equal keys by document, then path or start, descending.
        topics: The topics whose results are read; all by default.

    Raises:
        InputError: If the file is not a submission or a value is illegal, with file and line.
    """
    run = read_regular_submission(file, path, notes, ties, topics)
    return run if run is not None else _read_results(file, path, notes, ties, topics)


def _read_results(
    file: BufferedReader, path: Path, notes: Notes, ties: Ties | None, topics: Topics
) -> Run:
    rankings: dict[str, Ranking] = {}
    skipped: set[str] = set()
    name = ""
    files, paths = FunctionCache(canonical_file), FunctionCache(canonical_path)
    found = Results()
    # One result at a time, so that memory does not grow with the XML of a topic.
    elements = XmlElements(file, ["result", "topic", "inex-submission"], path)
    for element in elements:
        where = f"{path}:{elements.line(element)}"
        parent = _expected_parent(element, where)
        if parent is None:
            name = (element.get("run-id") or "").strip()
            if not name:
                raise InputError(where, "<inex-submission> has no run-id attribute")
        elif local_name(element) == "result":
            topic = _topic_id(parent)
            if topics is None or topic in topics:
                _add_result(found, element, where, topic, notes, files, paths)
        else:
            topic = _topic_id(element)
            if not topic:
                raise InputError(where, "<topic> has no topic-id attribute")
            if topic in rankings:
                message = f"topic {topic} occurs twice; expected one <topic> per topic"
                notes.problem("duplicate topics; the first is used", where, message)
            elif topics is None or topic in topics:
                if not found.files:
                    _check_no_other_content(element, where)
                rankings[topic] = found.ranking(f"{path}, topic {topic}", notes, ties, "rsv")
            else:
                skipped.add(topic)
            found = Results()
    if not name:
        raise InputError(path, "no <inex-submission> element; expected a run")
    return Run(name, rankings, str(path), skipped)


def _expected_parent(element: etree._Element, where: str) -> etree._Element | None:
    """Return the parent of a <result> or <topic>, and None for the root.

    Raises:
        InputError: If the element is in the wrong place.
    """
    tag, parent = local_name(element), element.getparent()
    expected = _PARENTS[tag]
    if (local_name(parent) if parent is not None else None) != expected:
        hint = f"expected it directly in <{expected}>" if expected else "expected one run per file"
        raise InputError(where, f"<{tag}> in the wrong place; {hint}")
    return parent


def _topic_id(element: etree._Element) -> str:
    return (element.get("topic-id") or "").strip()


def _check_no_other_content(topic: etree._Element, where: str) -> None:
    """Raise InputError if a topic without results has unknown elements."""
    for child in topic:
        if isinstance(child.tag, str) and local_name(child) not in _OTHER_TAGS:
            raise InputError(
                where, f"<topic> has no <result>, but <{local_name(child)}>; expected results"
            )


def _add_result(
    found: Results, result: etree._Element, where: str, topic: str, notes: Notes, *names: _Names
) -> None:
    """Add the content of a <result>."""
    texts: dict[str, str] = {}
    points: dict[str, tuple[str, ...]] = {}
    element: _Element | None = None
    try:
        for child in result:
            tag = child.tag if child.tag in _FIELDS else local_name(child)
            if tag not in _FIELDS:
                continue
            if tag in texts or tag in points:
                raise ValueError(f"the result has two <{tag}>; expected one")
            if tag in _POINTS:
                points[tag] = tuple(child.get(name, "") for name in _POINTS[tag])
                continue
            if len(child):
                raise ValueError(f"<{tag}> contains elements; expected text")
            texts[tag] = child.text or ""
        if ("path" in texts) + len(points) > 1:
            raise ValueError("the result has several of <path>, <fol> and <passage>; expected one")
        element = _element(texts, points, *names)
    except ValueError as error:
        notes.problem("results that name no element", where, f"topic {topic}: {error}")
    found.add(*(element or (texts.get("file", "").strip(), "", None)))
    for field, keys in (("rank", found.ranks), ("rsv", found.scores)):
        pattern, expected, last_key = _KEYS[field]
        text = texts.get(field)
        if text is None or (re.fullmatch(pattern, text.strip()) and math.isfinite(float(text))):
            keys.append(text if text is None else float(text))
            continue
        message = f"illegal {field} {text!r}: expected {expected}"
        notes.problem("illegal ranks or scores; the results are last", where, message)
        keys.append(last_key)


def _element(
    texts: dict[str, str], points: dict[str, tuple[str, ...]], files: _Names, paths: _Names
) -> _Element:
    """Return document, path and span of a result, which is an element or a passage."""
    document = files[texts.get("file", "")]
    if "path" in texts:
        return document, paths[texts["path"]], None
    if "passage" in points:
        return document, "", Passage.of(*points["passage"])
    if "fol" in points:
        return document, "", span_of(*points["fol"])
    raise ValueError(
        "the result has no <path>; expected an element, <fol offset length/>, or <passage start end/>"
    )


def write_inex_submission(run: Run) -> tuple[str, list[str]]:
    """Return the text of an INEX submission, and what it cannot hold.

    The results of a topic have scores if these never increase with the rank, otherwise ranks.

    Raises:
        XcgError: If a result does not name an element or is a whole document, or a name has control
            characters.
    """
    scores = WrittenScores(run)
    root = etree.Element("inex-submission", {"run-id": xml_name(run.name, run.source, "inex")})
    names = {topic: xml_name(topic, run.source, "inex") for topic in run.rankings}
    topics = {t: etree.SubElement(root, "topic", {"topic-id": names[t]}) for t in names}
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
            offset, length = offset_and_length(span)
            etree.SubElement(result, "fol", offset=offset, length=length)
        score = scores.score(topic, rank)
        key, value = ("rank", rank) if score is None else ("rsv", score)
        etree.SubElement(result, key).text = str(value)
    return xml_text(root), [*scores.lost, *lost_of_run(run, "parents", "text")]


RUN_FORMATS.add(
    "inex",
    RunFormat(
        "INEX submission: <inex-submission run-id><topic><result>…",
        lambda head: xml_certainty(head, b"inex-submission"),
        read_inex_submission,
        write_inex_submission,
    ),
)
