"""Interpret the attributes of INEX assessments, for the general and the fast reader."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from xcg.documents.passage_points import Passage, Point
from xcg.documents.paths import canonical_file, canonical_path
from xcg.errors import nearest
from xcg.judgements.assessment import LEGAL_PAIRS, Assessment
from xcg.judgements.recall_base import RecallBase

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
