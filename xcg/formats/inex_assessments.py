"""Read and write INEX assessments: <path> (2002–2004) or <element> elements (2005 and later)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from io import BufferedReader
from pathlib import Path

from xcg.documents.files import local_name
from xcg.documents.passage_points import Passage, Point
from xcg.documents.paths import canonical_file, canonical_path
from xcg.documents.xml_elements import XmlElements
from xcg.errors import InputError, Notes, nearest
from xcg.formats import writing
from xcg.formats.detection import xml_certainty
from xcg.formats.fast_xml import PATHS, SPACE, read_head, read_if_regular, require, split_columns
from xcg.judgements.assessment import LEGAL_PAIRS, Assessment
from xcg.judgements.recall_base import ASSESSMENT_FORMATS, AssessmentFormat, DocumentLength, RecallBase
from xcg.lazy_modules import etree

Attributes = Mapping[str, str]
"""Attributes by their names in lower case."""

_EXHAUSTIVITY = ("exhaustiveness", "exhaustivity", "e")
_EXHAUSTIVITY_2005 = ("exhaustivity", "exhaustiveness", "e")
_SPECIFICITY = ("specificity", "s")
_GRADES = {"0": 0, "1": 1, "2": 2, "3": 3}
_COVERAGES = ("E", "L", "S", "N")
_GRADES_2005 = {"?": 0.0, "0": 0.0, "1": 1.0, "2": 2.0}
_UNASSESSED = "U"
_MOST_DIGITS = 15

POINT_TAGS = ("passage", "best-entry-point")
"""The elements that refer to text by points."""


def attributes_by_name(pairs: Iterable[tuple[object, object]]) -> dict[str, str]:
    """Return attributes by their names in lower case.

    Raises:
        ValueError: If a name occurs twice.
    """
    attributes: dict[str, str] = {}
    for key, value in pairs:
        name = str(key).lower()
        if name in attributes:
            raise ValueError(f"the attribute {name!r} occurs twice")
        attributes[name] = str(value).strip()
    return attributes


def document_name(attributes: Attributes) -> str:
    """Return the name of the document that a <file> is about.

    Raises:
        ValueError: If there is no name, more than one, or an illegal one.
    """
    names = {attributes[key] for key in ("file", "name") if key in attributes}
    if not names:
        raise ValueError("<file> has no file attribute; expected the document's name")
    if len(names) > 1:
        raise ValueError("<file> has two names; expected one of the attributes file and name")
    return canonical_file(*names)


def read_point(tag: str, attributes: Attributes) -> Passage | Point:
    """Return the content of a <passage> or a <best-entry-point>.

    Raises:
        ValueError: If a point is missing or illegal.
    """
    if tag == "passage":
        return Passage.of(attributes.get("start", ""), attributes.get("end", ""))
    return Point.of(attributes.get("path", ""))


def add_point(base: RecallBase, topic: str, document: str, point: Passage | Point) -> None:
    """Add a highlighted passage, or a best entry point, to a recall-base."""
    if isinstance(point, Passage):
        base.add_passage(topic, document, point)
    else:
        base.add_entry_point(topic, document, point)


def element_path(tag: str, attributes: Attributes) -> str:
    """Return the canonical path of an assessed element.

    Raises:
        ValueError: If the path is missing or illegal.
    """
    if "path" not in attributes:
        raise ValueError(f"<{tag}> has no path attribute; expected the element's path")
    return canonical_path(attributes["path"])


def _assessment_2002_to_2004(path: str, attributes: Attributes) -> Assessment | None:
    if "coverage" in attributes or "relevance" in attributes:
        if any(name in attributes for name in (*_EXHAUSTIVITY, *_SPECIFICITY)):
            raise ValueError(
                f"{path}: relevance and coverage together with exhaustivity or specificity; "
                "expected one pair"
            )
        return _assessment_2002(path, attributes)
    exhaustivity = _value(attributes, _EXHAUSTIVITY)
    specificity = _value(attributes, _SPECIFICITY)
    for value in (exhaustivity, specificity):
        if value != _UNASSESSED and value not in _GRADES:
            raise ValueError(f"{path}: illegal value {value!r}: expected 0, 1, 2, 3 or U")
    if _UNASSESSED in (exhaustivity, specificity):
        return None
    pair = (_GRADES[exhaustivity], _GRADES[specificity])
    if pair not in LEGAL_PAIRS:
        raise ValueError(
            f"{path}: illegal assessment (e, s) = {pair}: expected both 0 or both from 1 to 3"
        )
    return Assessment(float(pair[0]), float(pair[1]))


def _assessment_2002(path: str, attributes: Attributes) -> Assessment | None:
    relevance, coverage = _value(attributes, ("relevance",)), _value(attributes, ("coverage",))
    if _UNASSESSED in (relevance, coverage):
        return None
    if relevance not in _GRADES:
        raise ValueError(f"{path}: illegal relevance {relevance!r}: expected 0, 1, 2, 3 or U")
    if coverage not in _COVERAGES:
        raise ValueError(f"{path}: illegal coverage {coverage!r}: expected E, L, S, N or U")
    if (relevance == "0") != (coverage == "N"):
        raise ValueError(
            f"{path}: illegal assessment {relevance}{coverage}: relevance 0 goes with coverage N"
        )
    return Assessment(float(_GRADES[relevance]), coverage, scale="coverage")


def _assessment_2005(path: str, attributes: Attributes) -> Assessment | None:
    exhaustivity = _value(attributes, _EXHAUSTIVITY_2005)
    if exhaustivity == _UNASSESSED:
        return None
    if exhaustivity not in _GRADES_2005:
        raise ValueError(f"{path}: illegal exhaustivity {exhaustivity!r}: expected 1, 2 or ?")
    size, relevant = (_character_count(path, attributes, name) for name in ("size", "rsize"))
    if relevant > size:
        raise ValueError(f"{path}: rsize {relevant} is larger than size {size}")
    grade = _GRADES_2005[exhaustivity]
    if grade > 0 and relevant == 0:
        raise ValueError(f"{path}: exhaustivity {exhaustivity} without highlighted text (rsize 0)")
    return Assessment(grade, relevant / size if size else 0.0, size, "share")


def _character_count(path: str, attributes: Attributes, name: str) -> int:
    text = _value(attributes, (name,))
    if not (text.isascii() and text.isdecimal() and len(text) <= _MOST_DIGITS):
        raise ValueError(f"{path}: illegal {name} {text!r}: expected a number of characters")
    return int(text)


def _value(attributes: Attributes, names: tuple[str, ...]) -> str:
    """Return the value, in upper case, of the attribute with one of these names."""
    stated = [name for name in names if name in attributes]
    if len(stated) > 1:
        raise ValueError(f"the element states {stated[0]} and {stated[1]}; expected one of them")
    if stated:
        return attributes[stated[0]].upper()
    hints = (nearest(name, names) for name in attributes)
    hint = next((f" ({hint})" for hint in hints if hint.startswith("did you mean")), "")
    raise ValueError(f"the element has no {names[0]} attribute{hint}")


ASSESSMENT_TAGS: Mapping[str, Callable[[str, Attributes], Assessment | None]] = {
    "path": _assessment_2002_to_2004,
    "element": _assessment_2005,
}
"""The tags of assessed elements, with the function that interprets their attributes.

It takes the element's path, which occurs in messages, and the attributes. It returns None for an
unassessed element and raises ValueError for illegal values.
"""


def read_inex_assessments(file: BufferedReader, path: Path, base: RecallBase, notes: Notes) -> None:
    """Add the assessments in an INEX file to a recall-base.

    INEX 2002: ``relevance`` is the exhaustivity and ``coverage`` (E, L, S or N) the specificity.
    INEX 2003 and 2004: exhaustivity and specificity are 0, 1, 2 or 3.
    INEX 2005 and later: the specificity is ``rsize / size``, and the exhaustivity ``?`` (too small)
    counts as 0. If a document has highlighted passages but no <element>, its elements are assessed by
    the passages.

    Elements with the value ``U`` are unassessed and left out. Best entry points are kept.

    Args:
        file: The open file.
        path: The file's path, for messages.
        base: The recall-base.
        notes: Counts illegal values if they are tolerated.

    Raises:
        InputError: If the file is not an INEX file, a path or value is illegal, or an element has two
            different assessments; with file and line.
    """
    if not read_regular_assessments(file, path, base):
        _read_elements(file, path, base, notes)


def _read_elements(file: BufferedReader, path: Path, base: RecallBase, notes: Notes) -> None:
    topic = ""
    elements = XmlElements(file, ["file", "assessments"], path)
    for element in elements:
        is_file = local_name(element) == "file"
        for other in element.itersiblings(preceding=True) if is_file else [element]:
            _check_contains_no_assessment(other, path, elements)
        topic = _topic(element.getparent() if is_file else element, path, elements)
        base.add_topic(topic, str(path))
        if is_file:
            _read_file(element, topic, path, base, notes, elements)
    if not topic:
        raise InputError(path, "no <assessments> element; expected INEX assessments")


def _check_contains_no_assessment(element: etree._Element, path: Path, elements: XmlElements) -> None:
    """Raise InputError for an assessed element outside of a <file>, which would be ignored."""
    if local_name(element) == "inex_topic":
        return
    for assessed in element.iter(*ASSESSMENT_TAGS):
        if not any(local_name(ancestor) == "inex_topic" for ancestor in assessed.iterancestors()):
            tag = local_name(assessed)
            raise InputError(f"{path}:{elements.line(assessed)}", f"<{tag}> outside a <file>")


def _topic(element: etree._Element | None, path: Path, elements: XmlElements) -> str:
    if element is None or local_name(element) != "assessments":
        found = "" if element is None else f", found <{local_name(element)}>"
        raise InputError(path, f"no <assessments> element around <file>{found}; expected assessments")
    try:
        if topic := attributes_by_name(element.attrib.items()).get("topic"):
            return topic
        raise ValueError("<assessments> has no topic attribute")
    except ValueError as error:
        raise InputError(f"{path}:{elements.line(element)}", str(error)) from None


def _read_file(
    element: etree._Element,
    topic: str,
    path: Path,
    base: RecallBase,
    notes: Notes,
    elements: XmlElements,
) -> None:
    try:
        document = document_name(attributes_by_name(element.attrib.items()))
    except ValueError as error:
        raise InputError(f"{path}:{elements.line(element)}", str(error)) from None
    for child in element:
        tag = local_name(child) if isinstance(child.tag, str) else ""
        where = f"{path}:{elements.line(child)}"
        if tag not in POINT_TAGS and tag not in ASSESSMENT_TAGS:
            raise InputError(
                where,
                f"unexpected <{child.tag}> in <file>: expected <path path=… exhaustiveness=…> or "
                "<element path=… rsize=…>",
            )
        try:
            _read_child(child, tag, topic, document, base, where)
        except InputError as error:
            notes.tolerate("contradictory assessments; the first is used", error)
        except ValueError as error:
            kind = "passages left out" if tag in POINT_TAGS else "assessments left out"
            notes.problem(kind, where, str(error))


def _read_child(
    element: etree._Element, tag: str, topic: str, document: str, base: RecallBase, where: str
) -> None:
    """Add an assessed element, a passage or an entry point; raise ValueError if it is illegal."""
    if tag in ASSESSMENT_TAGS and len(element):
        raise ValueError(f"<{tag}> contains elements; expected it to be empty")
    attributes = attributes_by_name(element.attrib.items())
    if tag in POINT_TAGS:
        add_point(base, topic, document, read_point(tag, attributes))
        return
    canonical = element_path(tag, attributes)
    assessment = ASSESSMENT_TAGS[tag](canonical, attributes)
    if assessment is not None:
        base.add(topic, document, canonical, assessment, where)


# Files with a regular layout.

_NAME = "(?![Xx][Mm][Ll])[A-Za-z_][A-Za-z_-]*"
_VALUE = '[^<&"\t\n]*'
_ATTRIBUTE = re.compile(f' ({_NAME})="({_VALUE})"')
_ATTRIBUTES = f'(?: {_NAME}="{_VALUE}")+'
_FILE = f"{SPACE}<file({_ATTRIBUTES}) ?>{SPACE}"
_POINT = f"<({'|'.join(POINT_TAGS)})({_ATTRIBUTES}) ?/>{SPACE}"
_ELEMENT = f"<({'|'.join(ASSESSMENT_TAGS)})({_ATTRIBUTES}) ?/>"


def read_regular_assessments(file: BufferedReader, path: Path, base: RecallBase) -> bool:
    """Add the assessments in an INEX file with a regular layout to a recall-base.

    Returns:
        True, or False if the layout is not regular; then nothing is added, and the file is at its start
        again.
    """
    return bool(read_if_regular(file, path, lambda: _read_assessments(file, path, base)))


def _read_assessments(file: BufferedReader, path: Path, base: RecallBase) -> bool:
    root, blocks = read_head(file, "assessments", "file", "file", *ASSESSMENT_TAGS)
    topic = attributes_by_name(root.attrib.items()).get("topic", "")
    require(topic)
    file_tag, point_tag = re.compile(_FILE), re.compile(_POINT)
    assessed: dict[str, dict[str, Assessment]] = {}
    points: list[tuple[str, Passage | Point]] = []
    read: Callable[[str], dict[str, Assessment]] | None = None
    rest = ""
    for block in blocks:  # all but the last end with an end tag
        *files, rest = block.split("</file>")
        for text in files:
            start = file_tag.match(text)
            if start is None:
                raise ValueError
            document = document_name(_parse_attributes(start[1]))
            position = start.end()
            while point := point_tag.match(text, position):
                points.append((document, read_point(point[1], _parse_attributes(point[2]))))
                position = point.end()
            if position == len(text):
                continue
            read = read or _element_reader(text, position)
            require(document not in assessed)
            if elements := read(text[position:]):
                assessed[document] = elements
    require(re.fullmatch(f"{SPACE}</assessments>{SPACE}", rest))
    base.add_topic(topic, str(path))
    require(base.add_elements(topic, assessed))
    for document, stated in points:
        add_point(base, topic, document, stated)
    return True


def _parse_attributes(text: str) -> dict[str, str]:
    return attributes_by_name(_ATTRIBUTE.findall(text))


def _element_reader(text: str, position: int) -> Callable[[str], dict[str, Assessment]]:
    """Return the reader of elements with the tag and attributes of the one at a position of a text.

    It takes a text that contains only such elements, and returns path → assessment.
    """
    first = re.compile(_ELEMENT).match(text, position)
    if first is None:
        raise ValueError
    names = [name for name, _ in _ATTRIBUTE.findall(first[2])]
    require("path" in names and 1 < len(names) == len({name.lower() for name in names}))
    values = " ".join(f'{name}="({_VALUE})"' for name in names)
    pattern = re.compile(f"<{first[1]} {values} ?/>")
    path_index = names.index("path")
    names.remove("path")

    @cache
    def assessment(*values: str) -> Assessment | None:
        return ASSESSMENT_TAGS[first[1]]("", attributes_by_name(zip(names, values, strict=True)))

    def read(text: str) -> dict[str, Assessment]:
        columns = split_columns([pattern], text)
        paths = columns.pop(path_index)
        found = dict(zip(map(PATHS.__getitem__, paths), map(assessment, *columns), strict=True))
        require(len(found) == len(paths))
        return {path: one for path, one in found.items() if one is not None}

    return read


def inex_2004(base: RecallBase, topic: str, pool: str = "") -> bytes:
    """Return the assessments of a topic as INEX 2004 XML.

    Documents are ordered by name; elements keep their order.

    Raises:
        XcgError: If an assessment is not on the four-point scale, or the pool has control characters.

    >>> base = RecallBase.of({"7": {"d": {"/a": (3, 1)}}})
    >>> print(inex_2004(base, "7").decode().splitlines()[3].strip())
    <path path="/a[1]" exhaustiveness="3" specificity="1"/>
    """
    stated = {"pool": writing.xml_name(pool, "pool", "inex2004")} if pool else {}
    root = etree.Element("assessments", {**stated, "topic": topic})
    for document, elements in sorted(base.files(topic).items()):
        file = etree.SubElement(root, "file", {"file": document})
        for path, assessment in elements.items():
            writing.check_scale(document, path, assessment, "inex2004", ["four-point"])
            e, s = f"{assessment.exhaustivity:.0f}", f"{float(assessment.specificity):.0f}"
            etree.SubElement(file, "path", path=path, exhaustiveness=e, specificity=s)
    return writing.xml_text(root).encode()


def write_inex_2004(base: RecallBase, lengths: DocumentLength | None = None) -> tuple[str, list[str]]:
    """Return the text of an INEX 2004 file, and what it cannot hold.

    Raises:
        XcgError: If there are several topics, passages, or assessments on another scale.
    """
    topic = writing.single_topic(base, "inex2004")
    lost = [*writing.lost_points(base), *writing.lost_text_details(base), *writing.lost_sizes(base)]
    return inex_2004(base, topic).decode(), lost


def write_inex_2005(base: RecallBase, lengths: DocumentLength | None = None) -> tuple[str, list[str]]:
    """Return the text of an INEX 2005 file, and what it cannot hold.

    Raises:
        XcgError: If there are several topics, passages, or assessments on another scale.
    """
    topic = writing.single_topic(base, "inex2005")
    root = etree.Element("assessments", {"topic": topic, "version": "2"})
    for document, elements in sorted(base.files(topic).items()):
        file = etree.SubElement(root, "file", {"name": document})
        for path, assessment in elements.items():
            writing.check_scale(document, path, assessment, "inex2005", ["share"])
            e = f"{assessment.exhaustivity:.0f}" if assessment.exhaustivity else "?"
            size = assessment.characters or 0
            sizes = {"size": str(size), "rsize": str(round(float(assessment.specificity) * size))}
            etree.SubElement(file, "element", {"path": path, "exhaustivity": e, **sizes})
    return writing.xml_text(root), writing.lost_points(base) + writing.lost_text_details(base)


_OLD = "INEX 2002–2004: <assessments topic><file><path path exhaustiveness specificity>"
_NEW = "INEX 2005 and later: <assessments topic><file><element path exhaustivity size rsize>"
_FORMAT = AssessmentFormat(
    f"{_OLD}, one topic per file",
    lambda head: xml_certainty(head, b"assessments"),
    read_inex_assessments,
    write_inex_2004,
    passages_become="four-point",
    one_topic=True,
)
# One reader reads both forms, so it does not matter which of them is detected.
ASSESSMENT_FORMATS.add("inex2004", _FORMAT)
_NEW_FORMAT = _FORMAT._replace(write=write_inex_2005, passages_become="share")
ASSESSMENT_FORMATS.add("inex2005", _NEW_FORMAT._replace(description=f"{_NEW}, one topic per file"))
