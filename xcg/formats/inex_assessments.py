"""Read and write INEX assessments: <path> (2002–2004) or <element> elements (2005 and later)."""

from __future__ import annotations

from io import BufferedReader
from pathlib import Path

from xcg.documents.files import local_name
from xcg.documents.xml_elements import XmlElements
from xcg.errors import InputError, Notes
from xcg.formats import writing
from xcg.formats.detection import xml_certainty
from xcg.formats.fast_xml import read_regular_assessments
from xcg.formats.inex_attributes import (
    ASSESSMENT_TAGS,
    POINT_TAGS,
    add_point,
    attributes_by_name,
    document_name,
    element_path,
    read_point,
)
from xcg.judgements.recall_base import ASSESSMENT_FORMATS, AssessmentFormat, DocumentLength, RecallBase
from xcg.lazy_modules import etree


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
