"""Read and write INEX submissions: <inex-submission run-id><topic topic-id><result>."""

from __future__ import annotations

import math
import re
import zlib
from io import BufferedReader
from pathlib import Path

from xcg.documents.files import local_name
from xcg.documents.passage_points import Passage
from xcg.documents.paths import WHOLE, canonical_file, canonical_path
from xcg.errors import InputError, Notes, XcgError
from xcg.formats.base import xml_certainty
from xcg.formats.writing import lost_of_run, results, written_scores, xml_name, xml_text
from xcg.formats.xml_files import XmlElements, read_regular_submission
from xcg.lazy_modules import etree
from xcg.runs.ordering import Results
from xcg.runs.run import (
    RUN_FORMATS,
    AnySpan,
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
    if path.is_file():  # a pipe cannot be read twice
        found = Notes()
        try:
            run = read_regular_submission(file, path, found, ties, topics)
        except (ValueError, OSError, EOFError, zlib.error, etree.XMLSyntaxError):
            file.seek(0)
        else:
            notes.take(found)
            return run
    return _read_results(file, path, notes, ties, topics)


def _read_results(
    file: BufferedReader, path: Path, notes: Notes, ties: Ties | None, topics: Topics
) -> Run:
    rankings: dict[str, Ranking] = {}
    skipped: set[str] = set()
    name = ""
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
                _add_result(found, element, where, topic, notes)
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
    return Run(name, rankings, str(path), frozenset(skipped))


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


def _add_result(found: Results, result: etree._Element, where: str, topic: str, notes: Notes) -> None:
    """Add the content of a <result>."""
    fields: dict[str, list[str]] = {}
    problem = ""
    for child in result:
        tag = child.tag if child.tag in _FIELDS else local_name(child)
        if tag in fields:
            problem = f"the result has two <{tag}>; expected one"
        elif tag in _FIELDS and tag not in _POINTS and len(child):
            problem = f"<{tag}> contains elements; expected text"
        if tag in _FIELDS:
            names = _POINTS.get(tag)
            fields[tag] = [child.get(name, "") for name in names] if names else [child.text or ""]
    try:
        if problem:
            raise ValueError(problem)
        found.add(*_element(fields))
    except ValueError as error:
        notes.problem("results that name no element", where, f"topic {topic}: {error}")
        found.add(fields.get("file", [""])[0].strip(), "")
    for field, keys in (("rank", found.ranks), ("rsv", found.scores)):
        pattern, expected, last_key = _KEYS[field]
        for text in fields.get(field, [None]):
            if text is None or (re.fullmatch(pattern, text.strip()) and math.isfinite(float(text))):
                keys.append(text if text is None else float(text))
                continue
            message = f"illegal {field} {text!r}: expected {expected}"
            notes.problem("illegal ranks or scores; the results are last", where, message)
            keys.append(last_key)


def _element(fields: dict[str, list[str]]) -> tuple[str, str, AnySpan | None]:
    """Return document, path and span of a result, which is an element or a passage."""
    document = canonical_file(*fields.get("file", [""]))
    match [tag for tag in _FIELDS if tag in fields and (tag == "path" or tag in _POINTS)]:
        case ["path"]:
            return document, canonical_path(*fields["path"]), None
        case ["passage"]:
            return document, "", Passage.of(*fields["passage"])
        case ["fol"]:
            return document, "", span_of(*fields["fol"])
        case []:
            raise ValueError(
                "the result has no <path>; expected an element, <fol offset length/>, or "
                "<passage start end/>"
            )
    raise ValueError("the result has several of <path>, <fol> and <passage>; expected one")


def write_inex_submission(run: Run) -> tuple[str, list[str]]:
    """Return the text of an INEX submission, and what it cannot hold.

    The results of a topic have scores if these never increase with the rank, otherwise ranks.

    Raises:
        XcgError: If a result does not name an element or is a whole document, or a name has control
            characters.
    """
    scores, lost = written_scores(run)
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
        key, value = ("rsv", scores[topic][rank - 1]) if topic in scores else ("rank", rank)
        etree.SubElement(result, key).text = str(value)
    return xml_text(root), [*lost, *lost_of_run(run, "parents", "text")]


RUN_FORMATS.add(
    "inex",
    RunFormat(
        "INEX submission: <inex-submission run-id><topic><result>…",
        lambda head: xml_certainty(head, b"inex-submission"),
        read_inex_submission,
        write_inex_submission,
    ),
)
