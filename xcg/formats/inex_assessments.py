"""Read and write INEX assessments: <path> (2002–2004) or <element> elements (2005 and later)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from io import BufferedReader
from pathlib import Path

from xcg.documents.files import local_name
from xcg.documents.passage_points import Passage, Point
from xcg.documents.paths import canonical_file, canonical_path
from xcg.errors import InputError, Notes, nearest
from xcg.formats import writing
from xcg.formats.base import XmlElements, xml_certainty
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
_POINT_TAGS = ("passage", "best-entry-point")  # they refer to text by points


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


_ASSESSMENT_TAGS: Mapping[str, Callable[[str, Attributes], Assessment | None]] = {
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
    topic = ""
    elements = XmlElements(file, ["file", "assessments"], path)
    for element in elements:
        is_file = local_name(element) == "file"
        for other in element.itersiblings(preceding=True) if is_file else [element]:
            _check_contains_no_assessment(other, path, elements)
        root = element.getparent() if is_file else element
        if root is None or local_name(root) != "assessments":
            found = "" if root is None else f", found <{local_name(root)}>"
            raise InputError(
                path, f"no <assessments> element around <file>{found}; expected assessments"
            )
        topic = _name(root, ("topic",), f"{path}:{elements.line(root)}")
        base.add_topic(topic, str(path))
        if is_file:
            document = _name(element, ("file", "name"), f"{path}:{elements.line(element)}")
            for child in element:
                _read_child(child, topic, document, base, notes, f"{path}:{elements.line(child)}")
    if not topic:
        raise InputError(path, "no <assessments> element; expected INEX assessments")


def _check_contains_no_assessment(element: etree._Element, path: Path, elements: XmlElements) -> None:
    """Raise InputError for an assessed element outside of a <file>, which would be ignored."""
    if local_name(element) == "inex_topic":
        return
    for assessed in element.iter(*_ASSESSMENT_TAGS):
        if not any(local_name(ancestor) == "inex_topic" for ancestor in assessed.iterancestors()):
            tag = local_name(assessed)
            raise InputError(f"{path}:{elements.line(assessed)}", f"<{tag}> outside a <file>")


def _name(element: etree._Element, keys: tuple[str, ...], where: str) -> str:
    """Return the topic or the document that an element names; InputError if the name is illegal."""
    tag = local_name(element)
    try:
        attributes = _attributes(element)
        names = {attributes[key] for key in keys if key in attributes}
        if len(names) > 1:
            raise ValueError(
                f"<{tag}> has two names; expected one of the attributes {' and '.join(keys)}"
            )
        if not any(names):
            what = "document" if tag == "file" else "topic"
            raise ValueError(f"<{tag}> has no {keys[0]} attribute; expected the {what}'s name")
        return canonical_file(*names) if tag == "file" else names.pop()
    except ValueError as error:
        raise InputError(where, str(error)) from None


def _attributes(element: etree._Element) -> dict[str, str]:
    """Return attributes by their names in lower case; ValueError if a name occurs twice."""
    attributes: dict[str, str] = {}
    for key, value in element.attrib.items():
        name = str(key).lower()
        if name in attributes:
            raise ValueError(f"the attribute {name!r} occurs twice")
        attributes[name] = str(value).strip()
    return attributes


def _read_child(
    element: etree._Element, topic: str, document: str, base: RecallBase, notes: Notes, where: str
) -> None:
    """Add an assessed element, a passage or an entry point."""
    tag = local_name(element) if isinstance(element.tag, str) else ""
    if tag not in _POINT_TAGS and tag not in _ASSESSMENT_TAGS:
        raise InputError(
            where,
            f"unexpected <{element.tag}> in <file>: expected <path path=… exhaustiveness=…> or "
            "<element path=… rsize=…>",
        )
    try:
        if tag in _ASSESSMENT_TAGS and len(element):
            raise ValueError(f"<{tag}> contains elements; expected it to be empty")
        attributes = _attributes(element)
        if tag == "passage":
            points = attributes.get("start", ""), attributes.get("end", "")
            base.add_passage(topic, document, Passage.of(*points))
        elif tag in _POINT_TAGS:
            base.add_entry_point(topic, document, Point.of(attributes.get("path", "")))
        elif "path" not in attributes:
            raise ValueError(f"<{tag}> has no path attribute; expected the element's path")
        else:
            canonical = canonical_path(attributes["path"])
            assessment = _ASSESSMENT_TAGS[tag](canonical, attributes)
            if assessment is not None:
                base.add(topic, document, canonical, assessment, where)
    except InputError as error:
        notes.tolerate("contradictory assessments; the first is used", error)
    except ValueError as error:
        kind = "passages left out" if tag in _POINT_TAGS else "assessments left out"
        notes.problem(kind, where, str(error))


def inex_2004(base: RecallBase, topic: str) -> bytes:
    """Return the assessments of a topic as INEX 2004 XML.

    Documents are ordered by name; elements keep their order.

    Raises:
        XcgError: If an assessment is not on the four-point scale.

    >>> base = RecallBase.of({"7": {"d": {"/a": (3, 1)}}})
    >>> print(inex_2004(base, "7").decode().splitlines()[3].strip())
    <path path="/a[1]" exhaustiveness="3" specificity="1"/>
    """
    root = etree.Element("assessments", {"topic": topic})
    for document, elements in sorted(base.files[topic].items()):
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
    lost = writing.lost_of_assessments(base, "points", "entries", "documents", "elements")
    return inex_2004(base, topic).decode(), lost


def write_inex_2005(base: RecallBase, lengths: DocumentLength | None = None) -> tuple[str, list[str]]:
    """Return the text of an INEX 2005 file, and what it cannot hold.

    Raises:
        XcgError: If there are several topics, passages, or assessments on another scale.
    """
    topic = writing.single_topic(base, "inex2005")
    root = etree.Element("assessments", {"topic": topic, "version": "2"})
    for document, elements in sorted(base.files[topic].items()):
        file = etree.SubElement(root, "file", {"name": document})
        for path, assessment in elements.items():
            writing.check_scale(document, path, assessment, "inex2005", ["share"])
            e = f"{assessment.exhaustivity:.0f}" if assessment.exhaustivity else "?"
            size = assessment.characters or 0
            sizes = {"size": str(size), "rsize": str(round(float(assessment.specificity) * size))}
            etree.SubElement(file, "element", {"path": path, "exhaustivity": e, **sizes})
    lost = writing.lost_of_assessments(base, "points", "entries", "documents")
    return writing.xml_text(root), lost


_OLD = "INEX 2002–2004: <assessments topic><file><path path exhaustiveness specificity>"
_NEW = "INEX 2005 and later: <assessments topic><file><element path exhaustivity size rsize>"
_FORMAT = AssessmentFormat(
    f"{_OLD}, one topic per file",
    lambda head: xml_certainty(head, b"assessments"),
    read_inex_assessments,
    write_inex_2004,
    passages_become="four-point",
)
# One reader reads both forms, so it does not matter which of them is detected.
ASSESSMENT_FORMATS.add("inex2004", _FORMAT)
_NEW_FORMAT = _FORMAT._replace(write=write_inex_2005, passages_become="share")
ASSESSMENT_FORMATS.add("inex2005", _NEW_FORMAT._replace(description=f"{_NEW}, one topic per file"))
