"""INEX assessments: ``<assessments topic><file>`` with ``<path>`` (2002–2004) or ``<element>``."""

from __future__ import annotations

from io import BufferedReader
from pathlib import Path

from xcg.documents.files import iterate_xml, local_name
from xcg.errors import InputError, Notes
from xcg.formats.detection import xml_certainty
from xcg.formats.fast_assessments import add_regular_assessments
from xcg.formats.fast_xml import if_regular
from xcg.formats.inex_attributes import (
    FORMS,
    POINT_FORMS,
    add_point,
    document_of,
    named,
    path_of,
    point_of,
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
    """Read an open file of INEX 2002 to 2007 into a recall-base; ``path`` is what messages call it.

    An element whose exhaustivity or specificity is ``U`` is unassessed and left out. In the 2002
    form ``relevance`` is read as exhaustivity and ``coverage`` (E, L, S, N) as specificity. In the
    form of 2005 and after, specificity is ``rsize / size``, the exhaustivity ``?`` (too small) counts
    as 0, and the size is kept; passages say which text was highlighted, and where a file has no
    ``<element>`` its elements are assessed by them. Best entry points are kept.
    Raises InputError with file and line for what is no such file, an illegal path or pair, or an
    element with two assessments.
    """
    if if_regular(file, path, lambda: add_regular_assessments(file, path, base)) is None:
        _by_elements(file, path, base, notes)


def _by_elements(file: BufferedReader, path: Path, base: RecallBase, notes: Notes) -> None:
    topic = ""
    for element in iterate_xml(file, ["file", "assessments"]):
        if local_name(element) == "assessments":
            _check_no_elements(element, path)
            topic = _topic(element, path)
            base.add_topic(topic, str(path))
        else:
            for sibling in element.itersiblings(preceding=True):
                _check_no_elements(sibling, path)
            topic = _topic(element.getparent(), path)
            base.add_topic(topic, str(path))
            _read_file(element, topic, path, base, notes)
    if not topic:
        raise InputError(path, "no <assessments> element; expected INEX assessments")


def _check_no_elements(element: etree._Element, path: Path) -> None:
    """Raise InputError for an assessed element that is not in a <file>: it would count for nothing."""
    if local_name(element) == "inex_topic":
        return
    for lost in element.iter(*FORMS):
        if not any(local_name(above) == "inex_topic" for above in lost.iterancestors()):
            where = f"{path}:{lost.sourceline}"
            raise InputError(where, f"<{local_name(lost)}> outside a <file>; expected it in one")


def _attributes(element: etree._Element, path: Path) -> dict[str, str]:
    try:
        return named(element.attrib.items())
    except ValueError as error:
        raise InputError(f"{path}:{element.sourceline}", str(error)) from None


def _topic(element: etree._Element | None, path: Path) -> str:
    if element is None or local_name(element) != "assessments":
        found = "" if element is None else f", found <{local_name(element)}>"
        raise InputError(path, f"no <assessments> element around <file>{found}; expected assessments")
    topic = _attributes(element, path).get("topic", "")
    if not topic:
        raise InputError(f"{path}:{element.sourceline}", "<assessments> lacks its topic attribute")
    return topic


def _read_file(element: etree._Element, topic: str, path: Path, base: RecallBase, notes: Notes) -> None:
    where = f"{path}:{element.sourceline}"
    attributes = _attributes(element, path)
    try:
        file = document_of(attributes)
    except ValueError as error:
        raise InputError(where, str(error)) from None
    for child in element:
        where = f"{path}:{child.sourceline}"
        form = local_name(child) if isinstance(child.tag, str) else ""
        if form in POINT_FORMS:
            _read_points(child, form, topic, file, path, base, notes)
            continue
        if form not in FORMS:
            expected = "<path path=… exhaustiveness=…> or <element path=… rsize=…>"
            raise InputError(where, f"unexpected <{child.tag}> in <file>: expected {expected}")
        try:
            if len(child):
                raise ValueError(f"<{form}> holds further elements; expected it empty")
            stated = _attributes(child, path)
            element_path = path_of(form, stated)
            assessment = FORMS[form](element_path, stated)
            if assessment is not None:
                base.add(topic, file, element_path, assessment, where)
        except InputError as error:
            notes.tolerate("contradicting assessments, of which the first counts", error)
        except ValueError as error:
            notes.problem("assessments left out", where, str(error))


def _read_points(
    element: etree._Element,
    form: str,
    topic: str,
    file: str,
    path: Path,
    base: RecallBase,
    notes: Notes,
) -> None:
    try:
        add_point(base, topic, file, point_of(form, _attributes(element, path)))
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
