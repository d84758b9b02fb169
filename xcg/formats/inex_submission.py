"""Read and write INEX submissions: <inex-submission run-id><topic topic-id><result>."""

from __future__ import annotations

import math
import re
from array import array
from io import BufferedReader
from pathlib import Path

from xcg.documents.files import local_name
from xcg.documents.passage_points import Passage
from xcg.documents.paths import WHOLE, canonical_file, canonical_path
from xcg.documents.xml_elements import XmlElements
from xcg.errors import InputError, Notes, XcgError
from xcg.formats.detection import xml_certainty
from xcg.formats.fast_xml import read_regular_submission
from xcg.formats.stored_topics import clear_large
from xcg.formats.writing import WrittenScores, lost_parents, results, xml_name, xml_text
from xcg.lazy_modules import etree
from xcg.runs.run import (
    RUN_FORMATS,
    AnySpan,
    FunctionCache,
    Order,
    Ranking,
    Run,
    RunFormat,
    Ties,
    Topics,
    offset_and_length,
    sorted_order,
    span_of,
)
from xcg.runs.stored_rankings import StoredRankings
from xcg.runs.ties import (
    in_document_order,
    note_contradiction,
    note_equal_scores,
    note_missing_keys,
)

_PASSAGE_ATTRIBUTES = {"fol": ("offset", "length"), "passage": ("start", "end")}
_FIELDS = ("file", "path", "fol", "passage", "rank", "rsv")
_PARENTS = {"result": "topic", "topic": "inex-submission", "inex-submission": None}
_OTHER_TAGS = ("result", "collections", "topic-fields", "description")
_KEYS = {
    "rank": ("[+]?[0-9]+|-0+", "a whole number from 0", math.inf),
    "rsv": (r"[+-]?([0-9]+\.?|[0-9]*\.[0-9]+)([eE][+-]?[0-9]+)?", "a finite number", -math.inf),
}
"""The fields that order results, with their legal values and the key of an illegal value."""


class _Result:
    """The fields of a <result> as they are written."""

    __slots__ = (*_FIELDS, "line", "problem")

    def __init__(self, line: int) -> None:
        self.line = line
        self.file: str | None = None
        self.path: str | None = None
        self.fol: tuple[str, str] | None = None
        self.passage: tuple[str, str] | None = None
        self.rank: str | None = None
        self.rsv: str | None = None
        self.problem = ""


def read_inex_submission(
    file: BufferedReader,
    path: Path,
    notes: Notes,
    order: Order = "score",
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
        order: Not used; it is for TREC runs.
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
    rankings = StoredRankings()
    skipped: set[str] = set()
    name = ""
    files, paths = FunctionCache(canonical_file), FunctionCache(canonical_path)
    found: list[_Result] = []
    texts: dict[str, str] = {}
    # One result at a time, so that memory does not grow with the XML of a topic.
    elements = XmlElements(file, ["result", "topic", "inex-submission"], path)
    for element in elements:
        line = elements.line(element)
        where = f"{path}:{line}"
        parent = _expected_parent(element, where)
        if parent is None:
            name = (element.get("run-id") or "").strip()
            if not name:
                raise InputError(where, "<inex-submission> has no run-id attribute")
        elif local_name(element) == "result":
            if topics is None or _topic_id(parent) in topics:
                found.append(_result(element, line, texts))
        else:
            topic = _topic_id(element)
            if not topic:
                raise InputError(where, "<topic> has no topic-id attribute")
            if topic in rankings:
                message = f"topic {topic} occurs twice; expected one <topic> per topic"
                notes.problem("duplicate topics; the first is used", where, message)
            elif topics is None or topic in topics:
                if not found:
                    _check_no_other_content(element, where)
                ranking = _ranking(found, path, topic, notes, files, paths)
                note_equal_scores(ranking, f"{path}, topic {topic}", notes)
                rankings.add(topic, in_document_order(ranking) if ties == "document" else ranking)
            else:
                skipped.add(topic)
            found = []
            clear_large(files, paths, texts)
    if not name:
        raise InputError(path, "no <inex-submission> element; expected a run")
    return Run(name, rankings.as_mapping(), str(path), skipped)


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


def _result(element: etree._Element, line: int, texts: dict[str, str]) -> _Result:
    """Return the fields of a <result>; equal file names and paths become one object."""
    result = _Result(line)
    for child in element:
        tag = child.tag if child.tag in _FIELDS else local_name(child)
        if tag not in _FIELDS:
            continue
        if getattr(result, tag) is not None:
            result.problem = f"the result has two <{tag}>; expected one"
        if tag in _PASSAGE_ATTRIBUTES:
            setattr(result, tag, tuple(child.get(name, "") for name in _PASSAGE_ATTRIBUTES[tag]))
            continue
        if len(child):
            result.problem = f"<{tag}> contains elements; expected text"
        text = child.text or ""
        setattr(result, tag, texts.setdefault(text, text) if tag in ("file", "path") else text)
    if [result.path, result.fol, result.passage].count(None) < 2:
        result.problem = "the result has several of <path>, <fol> and <passage>; expected one"
    return result


def _ranking(
    found: list[_Result],
    path: Path,
    topic: str,
    notes: Notes,
    files: FunctionCache[str, str],
    paths: FunctionCache[str, str],
) -> Ranking:
    order, keys, has_scores = _order(found, path, f"{path}, topic {topic}", notes)
    ordered: list[tuple[str, str, AnySpan | None]] = []
    for rank, index in enumerate(order, 1):
        result = found[index]
        try:
            ordered.append(_element(result, files, paths))
        except ValueError as error:
            where = f"{path}:{result.line}"
            message = f"topic {topic}, rank {rank}: {error}"
            notes.problem("results that name no element", where, message)
            ordered.append(((result.file or "").strip(), "", None))
    return Ranking.of(ordered, keys, has_scores)


def _element(
    result: _Result, files: FunctionCache[str, str], paths: FunctionCache[str, str]
) -> tuple[str, str, AnySpan | None]:
    """Return document, path and span of a result, which is an element or a passage."""
    if result.problem:
        raise ValueError(result.problem)
    document = files[result.file or ""]
    if result.path is not None:
        return document, paths[result.path], None
    if result.passage is not None:
        return document, "", Passage.of(*result.passage)
    if result.fol is None:
        raise ValueError(
            "the result has no <path>; expected an element, <fol offset length/>, "
            "or <passage start end/>"
        )
    return document, "", span_of(*result.fol)


def _order(
    found: list[_Result], path: Path, where: str, notes: Notes
) -> tuple[list[int], array[float] | None, bool]:
    """Return the order of results, the ranks or scores in this order, and whether these are scores."""
    for field, (pattern, expected, last_key) in _KEYS.items():
        texts = [getattr(result, field) for result in found]
        if note_missing_keys(texts, field, where, notes) == 0 and found:
            keys = []
            for text, result in zip(texts, found, strict=True):
                key = float(text) if re.fullmatch(pattern, text.strip()) else math.nan
                if not math.isfinite(key):
                    message = f"illegal {field} {text!r}: expected {expected}"
                    line = f"{path}:{result.line}"
                    notes.problem("illegal ranks or scores; the results are last", line, message)
                    key = last_key
                keys.append(key)
            scores = [result.rsv or "" for result in found]
            if field == "rank" and all(re.fullmatch(_KEYS["rsv"][0], s.strip()) for s in scores):
                note_contradiction(keys, list(map(float, scores)), where, notes, "ranks")
            order = sorted_order(keys, descending=field == "rsv")
            return order, array("d", (keys[index] for index in order)), field == "rsv"
    return list(range(len(found))), None, False


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
    return xml_text(root), [*scores.lost, *lost_parents(run)]


RUN_FORMATS.add(
    "inex",
    RunFormat(
        "INEX submission: <inex-submission run-id><topic><result>…",
        lambda head: xml_certainty(head, b"inex-submission"),
        read_inex_submission,
        write_inex_submission,
    ),
)
