"""What the attributes of INEX assessments mean, for the readers of files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from xcg.documents.passage_points import Passage, Point
from xcg.documents.paths import canonical_file, canonical_path
from xcg.errors import nearest
from xcg.judgements.recall_base import LEGAL_PAIRS, Assessment, RecallBase

Attributes = Mapping[str, str]

_EXHAUSTIVITY = ("exhaustiveness", "exhaustivity", "e")
_SPECIFICITY = ("specificity", "s")
_FILE = ("file", "name")
_SCALE = {"0": 0, "1": 1, "2": 2, "3": 3}
_COVERAGE = ("E", "L", "S", "N")
_UNASSESSED = "U"
_SCALE_2005 = {"?": 0.0, "0": 0.0, "1": 1.0, "2": 2.0}
POINT_FORMS = ("passage", "best-entry-point")


def named(pairs: Iterable[tuple[object, object]]) -> dict[str, str]:
    """Return attributes by name in lower case; ValueError for a name that stands twice."""
    attributes: dict[str, str] = {}
    for key, value in pairs:
        name = str(key).lower()
        if name in attributes:
            raise ValueError(f"the attribute {name!r} stands twice")
        attributes[name] = str(value).strip()
    return attributes


def document_of(attributes: Attributes) -> str:
    """Return the document that a <file> names; ValueError where it names none."""
    names = {attributes[key] for key in _FILE if key in attributes}
    if not names:
        raise ValueError("<file> lacks its file attribute, the document's name")
    if len(names) > 1:
        raise ValueError("<file> has two names; expected one of the attributes file and name")
    return canonical_file(*names)


def point_of(form: str, attributes: Attributes) -> Passage | Point:
    """Return what a <passage> or a <best-entry-point> states; ValueError for what is no point."""
    if form == "passage":
        return Passage.of(attributes.get("start", ""), attributes.get("end", ""))
    return Point.of(attributes.get("path", ""))


def add_point(base: RecallBase, topic: str, file: str, point: Passage | Point) -> None:
    """Add a highlighted passage, or a best entry point."""
    if isinstance(point, Passage):
        base.add_passage(topic, file, point)
    else:
        base.add_entry_point(topic, file, point)


def path_of(form: str, attributes: Attributes) -> str:
    """Return the canonical path of an assessed element; ValueError where there is none."""
    if "path" not in attributes:
        raise ValueError(f"<{form}> lacks its path attribute, the element's path")
    return canonical_path(attributes["path"])


def _path(path: str, attributes: Attributes) -> Assessment | None:
    """Return the assessment of the form of 2002 to 2004."""
    if "coverage" in attributes or "relevance" in attributes:
        if any(name in attributes for name in (*_EXHAUSTIVITY, *_SPECIFICITY)):
            raise ValueError(f"{path}: relevance and coverage beside exhaustivity or specificity")
        return _path_2002(path, attributes)
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
    return Assessment(float(pair[0]), float(pair[1]))


def _path_2002(path: str, attributes: Attributes) -> Assessment | None:
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
    return Assessment(float(_SCALE[relevance]), coverage, scale="coverage")


def _element(path: str, attributes: Attributes) -> Assessment | None:
    """Return the assessment of the form of 2005 and after."""
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
    return Assessment(grade, share, size, "share")


def _whole_number(attributes: Attributes, name: str, path: str) -> int:
    text = _value(attributes, (name,))
    if not (text.isascii() and text.isdecimal() and len(text) < 16):
        raise ValueError(f"{path}: illegal {name} {text!r}: expected a number of characters")
    return int(text)


def _value(attributes: Attributes, names: tuple[str, ...]) -> str:
    stated = [name for name in names if name in attributes]
    if len(stated) > 1:
        raise ValueError(f"the element states {stated[0]} and {stated[1]}; expected one of them")
    if stated:
        return attributes[stated[0]].upper()
    hint = next((h for a in attributes if (h := nearest(a, names)).startswith("did")), "")
    found = f" ({hint})" if hint else ""
    raise ValueError(f"the element lacks its {names[0]} attribute{found}")


FORMS: Mapping[str, Callable[[str, Attributes], Assessment | None]] = {
    "path": _path,
    "element": _element,
}
"""What the attributes of an element say, its path being for messages; None for an unassessed element.

Each raises ValueError for wrong values.
"""
