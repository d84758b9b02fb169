"""Read and write INEX submissions: <inex-submission run-id><topic topic-id><result>.

Those with a regular layout are read much faster. A program writes all results with the same fields
in the same order. Splitting at ``</`` finds these fields, and the tags between them must be what the
layout predicts. This proves that the file is well-formed and that the general reader would read the
same. Any other file, and any file with an error, is left to the general reader. So the fast reader
has no messages: a ValueError means that the file is not regular.
"""

from __future__ import annotations

import math
import re
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from io import BufferedReader
from itertools import chain
from pathlib import Path
from typing import Any, cast

from xcg.documents.files import SAFE_PARSING, local_name
from xcg.documents.passage_points import Passage
from xcg.documents.paths import WHOLE, canonical_file, canonical_path
from xcg.errors import InputError, Notes, XcgError
from xcg.formats.base import XmlElements, xml_certainty
from xcg.formats.writing import lost_of_run, results, written_scores, xml_name, xml_text
from xcg.lazy_modules import etree, np
from xcg.runs.columns import FunctionCache
from xcg.runs.ordering import Results, note_equal_scores
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
_NOT_READ = "elements and attributes of results that are not read"


def read_inex_submission(
    file: BufferedReader, path: Path, notes: Notes, ties: Ties | None = None, topics: Topics = None
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
                note_equal_scores(rankings[topic], f"{path}, topic {topic}", notes)
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
    for name in result.attrib:
        notes.oddity(_NOT_READ, where, f"the attribute {name!s}")
    for child in result:
        tag = child.tag if child.tag in _FIELDS else local_name(child)
        if tag not in _FIELDS:
            notes.oddity(_NOT_READ, where, f"<{tag}>")
            continue
        if tag in fields:
            problem = f"the result has two <{tag}>; expected one"
        elif tag not in _POINTS and len(child):
            problem = f"<{tag}> contains elements; expected text"
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


# The fast reader

BLOCK_SIZE = 1 << 17
"""Bytes that are read at once; about a thousand results."""
_LONGEST_PART = 1 << 22  # bytes; the limits of libxml2 begin at 10 MB
_KEPT_NAMES = 1 << 18
_WHITE = " \t\n"
_SPACE = f"[{_WHITE}]*"  # \r\n is replaced by \n, as in XML
_QUOTED_TEXT = '[^<"\t\n]*'
_WITH_TEXT = ("file", "path", "rank", "rsv")
_EMPTY = {
    "fol": 'offset="([0-9]{1,15})" length="([0-9]{1,15})" ?>',
    "passage": f'start="({_QUOTED_TEXT})" end="({_QUOTED_TEXT})" ?>',
}
"""The fields of a result: elements with text, and elements with two attributes."""
_TEXTS: Mapping[str, tuple[str, Callable[[str], Any]]] = {
    "file": ("([^<>]*)", canonical_file),
    "path": ("([^<>]*)", canonical_path),
    "rank": (f"{_SPACE}([0-9]{{1,15}}){_SPACE}", float),
}
"""Field → its legal text, and how it is read."""
_OF_NUMBERS = frozenset("0123456789+-.eE \t\n")


def _values_of(field: tuple[str, str]) -> FunctionCache[str, Any]:
    """Return part → value of the field."""
    before, tag = field
    text, read = _TEXTS[tag]
    pattern = f"{before}{_SPACE}<{tag}>{text}"

    def value(part: str) -> Any:
        found = re.fullmatch(pattern, part)
        if found is None:
            raise ValueError
        return read(found[1])

    return FunctionCache(value)


# Runs share the values, so that equal names are one object, and later steps are faster.
_VALUES = FunctionCache(_values_of)

_TOPIC = (
    f'{_SPACE}<topic topic-id="({_QUOTED_TEXT})" ?>{_SPACE}'
    f"(?:<collections>{_SPACE}(?:<collection>[^<>]*</collection>{_SPACE})*</collections>)?"
)


def read_regular_submission(
    file: BufferedReader, path: Path, notes: Notes, ties: Ties | None = None, topics: Topics = None
) -> Run:
    """Return the run in an INEX submission with a regular layout.

    Args:
        file: The open file.
        path: The file's path.
        notes: Counts topics whose scores hardly order the results, or contradict the ranks.
        ties: The order of results with equal ranks or scores.
        topics: The topics whose results are read; all by default.

    Raises:
        ValueError: If the layout is not regular; reading and parsing raise other errors.
    """
    for names in _VALUES.values():
        if len(names) > _KEPT_NAMES:
            names.clear()
    rankings: dict[str, Ranking] = {}
    skipped: set[str] = set()
    blocks = _blocks(file)
    # The head is parsed with the end tag of the root: then only the root is open at the first topic.
    head, start, rest = next(blocks).partition("<topic ")
    # A DTD can declare default attributes and entities.
    if not start or ("<!DOCTYPE" in head and re.search(r"\[|&(?!(?:amp|lt|gt|quot|apos);|#)", head)):
        raise ValueError
    root = etree.fromstring(f"{head}</inex-submission>".encode(), etree.XMLParser(**SAFE_PARSING))
    encoding = root.getroottree().docinfo.encoding or "UTF-8"
    in_head = {local_name(element) for element in root.iterdescendants()}
    is_regular = root.tag == "inex-submission" and encoding.upper() == "UTF-8"
    name = (root.get("run-id") or "").strip()
    if not name or not is_regular or in_head & {"inex-submission", "topic", "result"}:
        raise ValueError
    results = Results()
    layout: list[str] = []
    for topic, text, is_end in _topics(chain([start + rest], blocks)):
        if text := text.strip(_WHITE):
            layout = layout or _layout_of_first(text)
            _add_results(results, layout, text)
        if topics is not None and topic not in topics:
            skipped.add(topic)
            results = Results()
        elif is_end:
            keys = cast("list[float]", results.ranks + results.scores)
            if topic in rankings or not math.isfinite(sum(keys)):
                raise ValueError
            rankings[topic] = results.ranking(f"{path}, topic {topic}", notes, ties, "rsv")
            note_equal_scores(rankings[topic], f"{path}, topic {topic}", notes)
            results = Results()
    return Run(name, rankings, str(path), frozenset(skipped))


def _blocks(file: BufferedReader) -> Iterator[str]:
    """Yield the text of a file in blocks that end with a result; the last block is the rest.

    All characters must be legal in XML.
    """
    data, rest = b" ", b""
    while data:
        data = file.read(BLOCK_SIZE)
        block, tag, rest = (rest + data).rpartition(b"</result>") if data else (rest, b"", b"")
        if len(rest) > _LONGEST_PART:
            raise ValueError
        if data and not tag:
            continue
        block += tag
        if b"\r" in block:
            block = block.replace(b"\r\n", b"\n")
        codes = np.frombuffer(block, np.uint8)
        text = block.decode()
        is_illegal = (codes < 32) & (codes != 9) & (codes != 10)
        if is_illegal.any() or "\ufffe" in text or "\uffff" in text:
            raise ValueError
        yield text


def _topics(blocks: Iterator[str]) -> Iterator[tuple[str, str, bool]]:
    """Yield topic, text of results, and whether these are the last results of the topic."""
    start_tag = re.compile(_TOPIC)
    topic = rest = ""
    for block in blocks:
        if rest or "&" in block:
            raise ValueError
        parts = block.split("</topic>")
        for number, part in enumerate(parts, 1):
            start, is_end = 0, number < len(parts)
            if not topic:
                tag = start_tag.match(part)
                if tag is None:
                    if is_end:
                        raise ValueError
                    rest = part
                    break
                topic, start = tag[1].strip(), tag.end()
                if not topic:
                    raise ValueError
            yield topic, part[start:], is_end
            topic = "" if is_end else topic
    if topic or not re.fullmatch(f"{_SPACE}</inex-submission>{_SPACE}", rest):
        raise ValueError


def _layout_of_first(text: str) -> list[str]:
    """Return the fields of the first result; all results must have the same fields in this order."""
    first = re.match("<result>(.*?)</result>", text, re.DOTALL)
    tags = re.findall("<([a-z]+)", first[1]) if first is not None else []
    is_legal = {"file"} <= set(tags) <= {*_WITH_TEXT, *_EMPTY} and len(tags) == len(set(tags))
    if not is_legal or len({"path", "fol", "passage"}.intersection(tags)) != 1:
        raise ValueError
    return tags


def _add_results(results: Results, layout: Sequence[str], text: str) -> None:
    """Add the results in a text with results only; raise ValueError for an illegal one.

    Each part has the end of an element, the start of the next one, and its text: ``path><rank>1``.
    """
    for tag in _EMPTY.keys() & layout:
        text = text.replace("/>", f"></{tag}>")
    first_end = text.find("</result>") + len("</result>")
    space = text[first_end : text.find("<", first_end)]  # between two results
    *parts, last = f"result>{space}{text}".split("</")
    width = len(layout) + 1
    ends = {last, *(part.rstrip(_WHITE) for part in set(parts[len(layout) :: width]))}
    if len(parts) % width or ends != {"result>", f"{layout[-1]}>"}:
        raise ValueError
    first = len(results.files)
    before = f"result>{_SPACE}<result>"
    for position, tag in enumerate(layout):
        found = parts[position::width]
        if tag in _TEXTS:
            column: list[Any] = getattr(results, f"{tag}s")
            column += map(_VALUES[before, tag].__getitem__, found)
        elif tag == "rsv":
            start = re.match(f"{before}{_SPACE}<rsv>", found[0])
            scores = [part.removeprefix(start[0]) for part in found] if start is not None else ["?"]
            if not set("".join(scores)) <= _OF_NUMBERS:
                raise ValueError
            results.scores += map(float, scores)
        else:
            pattern = re.compile(f"{before}{_SPACE}<{tag} {_EMPTY[tag]}")
            for index, match in enumerate(map(pattern.fullmatch, found), first):
                if match is None:
                    raise ValueError
                results.paths.append("")
                results.spans[index] = (span_of if tag == "fol" else Passage.of)(match[1], match[2])
        before = f"{tag}>"


RUN_FORMATS.add(
    "inex",
    RunFormat(
        "INEX submission: <inex-submission run-id><topic><result>…",
        lambda head: xml_certainty(head, b"inex-submission"),
        read_inex_submission,
        write_inex_submission,
    ),
)
