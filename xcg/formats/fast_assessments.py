"""INEX assessments read by columns, see :mod:`xcg.formats.fast_xml`.

Where all elements of a file state the same attributes in one order, splitting at the quotation marks
gives every column as a slice, and what stands between the values must be what the layout says. What
values mean is asked once for all elements that share them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from io import BufferedReader
from itertools import chain
from pathlib import Path
from typing import cast

from xcg.documents.passage_points import Passage, Point
from xcg.documents.paths import canonical_path
from xcg.formats.fast_xml import SPACE, IrregularError, blocks, root_before
from xcg.formats.inex_attributes import FORMS, POINT_FORMS, add_point, document_of, named, point_of
from xcg.judgements.recall_base import Assessment, RecallBase

_GAP = "[ \t\n]{0,99}"  # each is remembered
_NAME = "(?![Xx][Mm][Ll])[A-Za-z_][A-Za-z_-]*"
_NOT_IN_VALUES = '<&"\t\n'
_ATTRIBUTE = re.compile(f' ({_NAME})="([^{_NOT_IN_VALUES}]*)"')
_ATTRIBUTES = f'(?: {_NAME}="[^{_NOT_IN_VALUES}]*")+'
_FILE = re.compile(f"{SPACE}<file({_ATTRIBUTES}) ?>{SPACE}")
_POINT = re.compile(f"<({'|'.join(POINT_FORMS)})({_ATTRIBUTES}) ?/>{SPACE}")
_ELEMENT = re.compile(f"<({'|'.join(FORMS)})({_ATTRIBUTES}) ?/>")
_PATH = re.compile(f"[^{_NOT_IN_VALUES}]{{0,999}}")
_VALUE = re.compile(f"[^{_NOT_IN_VALUES}]{{0,99}}")
_AFTER_LAST = re.compile(f" ?/>{SPACE}")
_END = re.compile(f"{SPACE}</assessments>{SPACE}")


def add_regular_assessments(file: BufferedReader, path: Path, base: RecallBase) -> bool:
    """Add assessments of one layout; IrregularError, or another error, for every other file.

    Nothing is added but where all of the file is regular.
    """
    texts = blocks(file, b"</file>")
    first = next(texts)
    root, end_of_head = root_before(first, ("assessments", "file", *FORMS))
    topic = named(root.attrib.items()).get("topic", "")
    if not topic:
        raise IrregularError
    assessed: dict[str, dict[str, Assessment]] = {}
    points: list[tuple[str, Passage | Point]] = []
    layout: _Layout | None = None
    for text in _files(chain([first[end_of_head:]], texts)):
        head = _FILE.match(text)
        if head is None:
            raise IrregularError
        document = document_of(_named(head[1]))
        place = head.end()
        while point := _POINT.match(text, place):
            points.append((document, point_of(point[1], _named(point[2]))))
            place = point.end()
        if place == len(text):
            continue
        if layout is None:
            layout = _Layout(text, place)
        if document in assessed:
            raise IrregularError
        elements = layout.elements(text[place:])
        if elements:
            assessed[document] = elements
    base.add_topic(topic, str(path))
    if not base.add_elements(topic, assessed):
        raise IrregularError
    for document, stated in points:
        add_point(base, topic, document, stated)
    return True


def _files(texts: Iterator[str]) -> Iterator[str]:
    """Yield what stands from behind one </file> to the next."""
    rest = ""
    for text in texts:  # each but the last ends with an end tag
        *files, rest = text.split("</file>")
        yield from files
    if not _END.fullmatch(rest):
        raise IrregularError


def _named(attributes: str) -> dict[str, str]:
    return named(_ATTRIBUTE.findall(attributes))


class _Layout:
    """The attributes of every element, in their order."""

    def __init__(self, text: str, place: int) -> None:
        """Take the layout from the element at a place of a text."""
        first = _ELEMENT.match(text, place)
        if first is None:
            raise IrregularError
        self._form = first[1]
        attributes = _ATTRIBUTE.findall(first[2])
        named(attributes)
        names = [name for name, _ in attributes]
        if "path" not in names or len(names) == 1:
            raise IrregularError
        self._start = f"<{self._form} {names[0]}="
        self._inside = [f" {name}=" for name in names[1:]]
        self._between = re.compile(f" ?/>{_GAP}{self._start}")
        self._seen_between: set[str] = set()
        self._place_of_path = names.index("path")
        self._others = [name for name in names if name != "path"]
        self._assessment = cache(self._read_assessment)
        self._unassessed = False

    def elements(self, text: str) -> dict[str, Assessment]:
        """Return the assessed elements of a text that holds elements and nothing else."""
        parts = text.split('"')
        width = 2 + 2 * len(self._inside)
        count, rest = divmod(len(parts) - 1, width)
        if rest or parts[0] != self._start or not _AFTER_LAST.fullmatch(parts[-1]):
            raise IrregularError
        for place, name in enumerate(self._inside, 1):
            if parts[2 * place :: width].count(name) != count:
                raise IrregularError
        for between in set(parts[width:-1:width]) - self._seen_between:
            if not self._between.fullmatch(between):
                raise IrregularError
            self._seen_between.add(between)
        columns = [parts[place::width] for place in range(1, width, 2)]
        paths = map(_path, columns.pop(self._place_of_path))
        stated = dict(zip(paths, map(self._assessment, *columns), strict=True))
        if len(stated) < count:
            raise IrregularError
        if self._unassessed:
            return {path: assessment for path, assessment in stated.items() if assessment is not None}
        return cast("dict[str, Assessment]", stated)

    def _read_assessment(self, *values: str) -> Assessment | None:
        if not all(map(_VALUE.fullmatch, values)):
            raise IrregularError
        assessment = FORMS[self._form]("", named(zip(self._others, values, strict=True)))
        self._unassessed |= assessment is None
        return assessment


@lru_cache(1 << 13)
def _path(text: str) -> str:
    """Return a canonical path; kept from file to file, because topics share most of them."""
    if not _PATH.fullmatch(text):
        raise IrregularError
    return canonical_path(text.strip())
