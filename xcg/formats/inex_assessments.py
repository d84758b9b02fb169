"""Read and write INEX assessments: <path> (2002–2004) or <element> elements (2005 and later)."""

from __future__ import annotations

from io import BufferedReader
from pathlib import Path

from xcg.documents.files import iterate_xml, local_name
from xcg.errors import InputError, Notes
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
from xcg.formats.writing import (
    check_scale,
    lost_points,
    lost_sizes,
    refuse_passages,
    single_topic,
)
from xcg.judgements.recall_base import (
    ASSESSMENT_FORMATS,
    AssessmentFormat,
    DocumentLength,
    RecallBase,
)
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
    for element in iterate_xml(file, ["file", "assessments"]):
        if local_name(element) == "assessments":
            _check_contains_no_assessment(element, path)
            topic = _topic(element, path)
            base.add_topic(topic, str(path))
        else:
            for sibling in element.itersiblings(preceding=True):
                _check_contains_no_assessment(sibling, path)
            topic = _topic(element.getparent(), path)
            base.add_topic(topic, str(path))
            _read_file(element, topic, path, base, notes)
    if not topic:
        raise InputError(path, "no <assessments> element; expected INEX assessments")


def _check_contains_no_assessment(element: etree._Element, path: Path) -> None:
    """Raise InputError for an assessed element outside of a <file>, which would be ignored."""
    if local_name(element) == "inex_topic":
        return
    for assessed in element.iter(*ASSESSMENT_TAGS):
        if not any(local_name(ancestor) == "inex_topic" for ancestor in assessed.iterancestors()):
            tag = local_name(assessed)
            raise InputError(f"{path}:{assessed.sourceline}", f"<{tag}> outside a <file>")


def _attributes(element: etree._Element, path: Path) -> dict[str, str]:
    try:
        return attributes_by_name(element.attrib.items())
    except ValueError as error:
        raise InputError(f"{path}:{element.sourceline}", str(error)) from None


def _topic(element: etree._Element | None, path: Path) -> str:
    if element is None or local_name(element) != "assessments":
        found = "" if element is None else f", found <{local_name(element)}>"
        raise InputError(path, f"no <assessments> element around <file>{found}; expected assessments")
    topic = _attributes(element, path).get("topic", "")
    if not topic:
        raise InputError(f"{path}:{element.sourceline}", "<assessments> has no topic attribute")
    return topic


def _read_file(element: etree._Element, topic: str, path: Path, base: RecallBase, notes: Notes) -> None:
    attributes = _attributes(element, path)
    try:
        document = document_name(attributes)
    except ValueError as error:
        raise InputError(f"{path}:{element.sourceline}", str(error)) from None
    for child in element:
        tag = local_name(child) if isinstance(child.tag, str) else ""
        if tag in POINT_TAGS:
            _read_point(child, topic, document, path, base, notes)
        elif tag in ASSESSMENT_TAGS:
            _read_assessment(child, topic, document, path, base, notes)
        else:
            raise InputError(
                f"{path}:{child.sourceline}",
                f"unexpected <{child.tag}> in <file>: expected <path path=… exhaustiveness=…> or "
                "<element path=… rsize=…>",
            )


def _read_assessment(
    element: etree._Element, topic: str, document: str, path: Path, base: RecallBase, notes: Notes
) -> None:
    tag, where = local_name(element), f"{path}:{element.sourceline}"
    try:
        if len(element):
            raise ValueError(f"<{tag}> contains elements; expected it to be empty")
        attributes = attributes_by_name(element.attrib.items())
        canonical = element_path(tag, attributes)
        assessment = ASSESSMENT_TAGS[tag](canonical, attributes)
        if assessment is not None:
            base.add(topic, document, canonical, assessment, where)
    except InputError as error:
        notes.tolerate("contradictory assessments; the first is used", error)
    except ValueError as error:
        notes.problem("assessments left out", where, str(error))


def _read_point(
    element: etree._Element, topic: str, document: str, path: Path, base: RecallBase, notes: Notes
) -> None:
    try:
        attributes = attributes_by_name(element.attrib.items())
        add_point(base, topic, document, read_point(local_name(element), attributes))
    except ValueError as error:
        notes.problem("passages left out", f"{path}:{element.sourceline}", str(error))


def inex_2004(base: RecallBase, topic: str, pool: str = "") -> bytes:
    """Return the assessments of a topic as INEX 2004 XML.

    Documents are ordered by name; elements keep their order.

    Raises:
        XcgError: If an assessment is not on the four-point scale.

    >>> base = RecallBase.of({"7": {"d": {"/a": (3, 1)}}})
    >>> print(inex_2004(base, "7").decode().splitlines()[3].strip())
    <path path="/a[1]" exhaustiveness="3" specificity="1"/>
    """
    root = etree.Element("assessments", {"pool": pool, "topic": topic} if pool else {"topic": topic})
    for document, elements in sorted(base.files(topic).items()):
        file = etree.SubElement(root, "file", {"file": document})
        for path, assessment in elements.items():
            check_scale(document, path, assessment, "inex2004", ["four-point"])
            grades = {
                "exhaustiveness": f"{assessment.exhaustivity:.0f}",
                "specificity": f"{float(assessment.specificity):.0f}",
            }
            etree.SubElement(file, "path", {"path": path, **grades})
    return etree.tostring(root, encoding="UTF-8", xml_declaration=True, pretty_print=True)


def write_inex_2004(base: RecallBase, lengths: DocumentLength | None = None) -> tuple[str, list[str]]:
    """Return the text of an INEX 2004 file, and what it cannot hold.

    Raises:
        XcgError: If there are several topics, passages, or assessments on another scale.
    """
    topic = single_topic(base, "inex2004")
    refuse_passages(base, "inex2004")
    return inex_2004(base, topic).decode(), lost_points(base) + lost_sizes(base)


def write_inex_2005(base: RecallBase, lengths: DocumentLength | None = None) -> tuple[str, list[str]]:
    """Return the text of an INEX 2005 file, and what it cannot hold.

    Raises:
        XcgError: If there are several topics, passages, or assessments on another scale.
    """
    topic = single_topic(base, "inex2005")
    refuse_passages(base, "inex2005")
    root = etree.Element("assessments", {"topic": topic, "version": "2"})
    for document, elements in sorted(base.files(topic).items()):
        file = etree.SubElement(root, "file", {"name": document})
        for path, assessment in elements.items():
            check_scale(document, path, assessment, "inex2005", ["share"])
            size = assessment.characters or 0
            attributes = {
                "path": path,
                "exhaustivity": f"{assessment.exhaustivity:.0f}" if assessment.exhaustivity else "?",
                "size": str(size),
                "rsize": str(round(float(assessment.specificity) * size)),
            }
            etree.SubElement(file, "element", attributes)
    text = etree.tostring(root, encoding="UTF-8", xml_declaration=True, pretty_print=True)
    return text.decode(), lost_points(base)


def _certainty(head: bytes) -> float:
    return xml_certainty(head, b"assessments")


# One reader reads both forms, so it does not matter which of them is detected.
ASSESSMENT_FORMATS.add(
    "inex2004",
    AssessmentFormat(
        "INEX 2002–2004: <assessments topic><file><path path exhaustiveness specificity>, "
        "one topic per file",
        _certainty,
        read_inex_assessments,
        write_inex_2004,
    ),
)
ASSESSMENT_FORMATS.add(
    "inex2005",
    AssessmentFormat(
        "INEX 2005 and later: <assessments topic><file><element path exhaustivity size rsize>, "
        "one topic per file",
        _certainty,
        read_inex_assessments,
        write_inex_2005,
    ),
)
