"""INEX assessments: ``<assessments topic><file>`` with ``<path>`` (2002–2004) or ``<element>``."""

from __future__ import annotations

from io import BufferedReader
from pathlib import Path

from xcg.documents.files import iterate_xml, local_name
from xcg.errors import InputError, Notes
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
from xcg.judgements.recall_base import RecallBase
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
