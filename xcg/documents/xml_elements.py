"""Read the elements of large XML files one after the other, with their line numbers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from io import BufferedReader
from typing import cast

from xcg.documents.files import CHUNK_BYTES, SAFE_PARSING
from xcg.errors import InputError
from xcg.lazy_modules import etree

_LARGE_LINE = 65_535
"""libxml2 stores a line number in 16 bits, and guesses larger ones from the text after the element."""
MAX_ELEMENTS = 1_000_000
"""Maximum number of XML elements between two results of a run, or in the assessments of a document."""
MAX_BYTES = 1 << 26
"""Maximum number of bytes between two results of a run, or in the assessments of a document."""


class XmlElements:
    r"""The elements with given names in an XML file.

    Each element is cleared after its use, and the content between these elements is limited. So the
    memory is bounded.

    Args:
        file: The open XML file.
        tags: Names in lower case; upper and capitalised spellings match too.
        path: The path of the file, for messages.

    Raises:
        lxml.etree.XMLSyntaxError: If the file is not well-formed, during the iteration.
        InputError: If the file has entities, or more than :data:`MAX_ELEMENTS` elements or
            :data:`MAX_BYTES` bytes without one of the names.

    >>> import io
    >>> elements = XmlElements(io.BufferedReader(io.BytesIO(b"<a>\n<b>1</b><c/><b>2</b></a>")), ["b"])
    >>> [(element.text, elements.line(element)) for element in elements]
    [('1', 2), ('2', 2)]
    """

    def __init__(self, file: BufferedReader, tags: Iterable[str], path: object = "") -> None:
        self._file = file
        self._path = path
        self._elements = self._bytes = 0  # since the last element with one of the names
        self._tags = {spelling for tag in tags for spelling in (tag, tag.upper(), tag.capitalize())}
        self._line = 1  # line in which the last bytes read begin
        self._line_breaks = 0  # in these bytes
        self._large_lines: dict[etree._Element, int] = {}

    def __iter__(self) -> Iterator[etree._Element]:
        """Yield the elements in the order of their end tags."""
        for event, element in etree.iterparse(self, events=("start", "end"), **SAFE_PARSING):
            if event == "start":
                self._count(element)
                if self._line >= _LARGE_LINE:
                    self._large_lines[element] = self._line
            elif element.tag in self._tags:
                self._elements = self._bytes = 0
                self._check_no_entity(element, element)
                yield element
                element.clear()
                while (earlier := element.getprevious()) is not None:
                    self._check_no_entity([earlier], element)
                    del element.getparent()[0]
                while element in self._large_lines:  # its descendants were added after it
                    self._large_lines.popitem()

    def _count(self, element: etree._Element) -> None:
        """Raise InputError if too many elements are kept in memory, or the file has entities."""
        self._elements += 1
        if self._elements > MAX_ELEMENTS:
            raise self._size_error(f"{MAX_ELEMENTS} elements")
        if element.getparent() is None:
            declared = element.getroottree().docinfo.internalDTD
            if declared is not None and list(declared.iterentities()):  # type: ignore[attr-defined]
                raise self._entity_error(element)

    def _size_error(self, limit: str) -> InputError:
        tags = ", ".join(f"<{tag}>" for tag in sorted(self._tags) if tag.islower())
        message = f"more than {limit} without one of {tags}; expected a run or assessments"
        return InputError(f"{self._path}:{self._line}", message)

    def _check_no_entity(self, nodes: Iterable[etree._Element], element: etree._Element) -> None:
        """Raise InputError for an entity reference, which could expand to any number of results."""
        if any(node.tag is etree.Entity for node in nodes):
            raise self._entity_error(element)

    def _entity_error(self, element: etree._Element) -> InputError:
        message = "the file has entities, which are not read: expected XML without <!ENTITY> and &name;"
        return InputError(f"{self._path}:{self.line(element)}", message)

    def line(self, element: etree._Element) -> int:
        """Return the line in which the start tag of an element ends.

        Args:
            element: The element that was yielded last, or a descendant or an ancestor of it.
        """
        return self._large_lines.get(element) or cast(int, element.sourceline)

    def read(self, size: int) -> bytes:
        """Return the next bytes for the parser, or only one line if line numbers may be too large.

        After a single line, the parser has seen exactly the elements whose start tags end in this line
        or before.
        """
        self._line += self._line_breaks
        is_small = self._line + CHUNK_BYTES < _LARGE_LINE
        data = self._file.read(CHUNK_BYTES) if is_small else self._file.readline(CHUNK_BYTES)
        self._line_breaks = data.count(b"\n")
        self._bytes += len(data)
        if self._bytes > MAX_BYTES:
            raise self._size_error(f"{MAX_BYTES >> 20} MB")
        return data
