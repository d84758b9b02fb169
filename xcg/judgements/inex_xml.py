"""INEX assessments: ``<assessments topic><file>`` with ``<path>`` (2002–2004) or ``<element>``."""

from __future__ import annotations

from io import BufferedReader
from pathlib import Path

from xcg.documents.paths import canonical_file, canonical_path
from xcg.documents.points import Passage, Point
from xcg.errors import InputError, Notes, nearest
from xcg.inputs import iterate_xml, local_name
from xcg.judgements.recall_base import LEGAL_PAIRS, Assessment, RecallBase
from xcg.later import etree

_EXHAUSTIVITY = ("exhaustiveness", "exhaustivity", "e")
_SPECIFICITY = ("specificity", "s")
_FILE = ("file", "name")
_SCALE = {"0": 0, "1": 1, "2": 2, "3": 3}
_COVERAGE = ("E", "L", "S", "N")
_UNASSESSED = "U"
_SCALE_2005 = {"?": 0.0, "0": 0.0, "1": 1.0, "2": 2.0}


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
    for lost in element.iter(*_FORMS):
        if not any(local_name(above) == "inex_topic" for above in lost.iterancestors()):
            where = f"{path}:{lost.sourceline}"
            raise InputError(where, f"<{local_name(lost)}> outside a <file>; expected it in one")


def _attributes(element: etree._Element, path: Path) -> dict[str, str]:
    attributes: dict[str, str] = {}
    for key, value in element.attrib.items():
        name = str(key).lower()
        if name in attributes:
            raise InputError(f"{path}:{element.sourceline}", f"the attribute {name!r} stands twice")
        attributes[name] = str(value).strip()
    return attributes


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
    names = {attributes[key] for key in _FILE if key in attributes}
    if not names:
        raise InputError(where, "<file> lacks its file attribute, the document's name")
    if len(names) > 1:
        raise InputError(where, "<file> has two names; expected one of the attributes file and name")
    (name,) = names
    try:
        file = canonical_file(name)
    except ValueError as error:
        raise InputError(where, str(error)) from None
    for child in element:
        where = f"{path}:{child.sourceline}"
        form = local_name(child) if isinstance(child.tag, str) else ""
        if form in ("passage", "best-entry-point"):
            _read_points(child, form, topic, file, path, base, notes)
            continue
        if form not in _FORMS:
            expected = "<path path=… exhaustiveness=…> or <element path=… rsize=…>"
            raise InputError(where, f"unexpected <{child.tag}> in <file>: expected {expected}")
        try:
            if len(child):
                raise ValueError(f"<{form}> holds further elements; expected it empty")
            assessed = _FORMS[form](_attributes(child, path))
            if assessed is not None:
                base.add(topic, file, *assessed, where)
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
        points = _attributes(element, path)
        if form == "passage":
            passage = Passage.of(points.get("start", ""), points.get("end", ""))
            base.add_passage(topic, file, passage)
        else:
            base.add_entry_point(topic, file, Point.of(points.get("path", "")))
    except ValueError as error:
        notes.problem("passages left out", f"{path}:{element.sourceline}", str(error))


def _read_path(attributes: dict[str, str]) -> tuple[str, Assessment] | None:
    """Return path and assessment, or None for an unassessed element; ValueError for wrong values."""
    if "path" not in attributes:
        raise ValueError("<path> lacks its path attribute, the element's path")
    path = canonical_path(attributes["path"])
    if "coverage" in attributes or "relevance" in attributes:
        if any(name in attributes for name in (*_EXHAUSTIVITY, *_SPECIFICITY)):
            raise ValueError(f"{path}: relevance and coverage beside exhaustivity or specificity")
        return _read_2002(path, attributes)
    exhaustivity = _value(attributes, _EXHAUSTIVITY)
    specificity = _value(attributes, _SPECIFICITY)
    for value in (exhaustivity, specificity):
        if value != _UNASSESSED and value not in _SCALE:
            raise ValueError(f"{path}: illegal value {value!r}: expected 0, 1, 2, 3 or U")
    if _UNASSESSED in (exhaustivity, specificity):
        return None
    pair = (_SCALE[exhaustivity], _SCALE[specificity])
    if pair not in LEGAL_PAIRS:
        raise ValueError(
            f"{path}: illegal assessment (e, s) = {pair}: expected both 0 or both from 1 to 3"
        )
    return path, Assessment(float(pair[0]), float(pair[1]))


def _read_2002(path: str, attributes: dict[str, str]) -> tuple[str, Assessment] | None:
    relevance = _value(attributes, ("relevance",))
    coverage = _value(attributes, ("coverage",)).upper()
    if _UNASSESSED in (relevance, coverage):
        return None
    if relevance not in _SCALE:
        raise ValueError(f"{path}: illegal relevance {relevance!r}: expected 0, 1, 2, 3 or U")
    if coverage not in _COVERAGE:
        raise ValueError(f"{path}: illegal coverage {coverage!r}: expected E, L, S, N or U")
    if (relevance == "0") != (coverage == "N"):
        raise ValueError(
            f"{path}: illegal assessment {relevance}{coverage}: relevance 0 goes with coverage N"
        )
    return path, Assessment(float(_SCALE[relevance]), coverage, scale="coverage")


def _read_element(attributes: dict[str, str]) -> tuple[str, Assessment] | None:
    """Return path and assessment of the form of 2005 and after."""
    if "path" not in attributes:
        raise ValueError("<element> lacks its path attribute, the element's path")
    path = canonical_path(attributes["path"])
    exhaustivity = _value(attributes, ("exhaustivity", "exhaustiveness", "e"))
    if exhaustivity == _UNASSESSED:
        return None
    if exhaustivity not in _SCALE_2005:
        raise ValueError(f"{path}: illegal exhaustivity {exhaustivity!r}: expected 1, 2 or ?")
    size, rsize = (_whole_number(attributes, name, path) for name in ("size", "rsize"))
    if rsize > size:
        raise ValueError(f"{path}: rsize {rsize} is larger than size {size}")
    share = rsize / size if size else 0.0
    grade = _SCALE_2005[exhaustivity]
    if grade > 0 and rsize == 0:
        raise ValueError(f"{path}: exhaustivity {exhaustivity} without highlighted text (rsize 0)")
    return path, Assessment(grade, share, size, "share")


def _whole_number(attributes: dict[str, str], name: str, path: str) -> int:
    text = _value(attributes, (name,))
    if not (text.isascii() and text.isdecimal() and len(text) < 16):
        raise ValueError(f"{path}: illegal {name} {text!r}: expected a number of characters")
    return int(text)


def _value(attributes: dict[str, str], names: tuple[str, ...]) -> str:
    stated = [name for name in names if name in attributes]
    if len(stated) > 1:
        raise ValueError(f"the element states {stated[0]} and {stated[1]}; expected one of them")
    if stated:
        return attributes[stated[0]].upper()
    hint = next((h for a in attributes if (h := nearest(a, names)).startswith("did")), "")
    found = f" ({hint})" if hint else ""
    raise ValueError(f"the element lacks its {names[0]} attribute{found}")


_FORMS = {"path": _read_path, "element": _read_element}
