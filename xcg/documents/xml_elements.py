"""Read the elements of large XML files one after the other, with their line numbers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from io import BufferedReader
from typing import cast

from xcg.documents.files import CHUNK_BYTES, SAFE_PARSING
from xcg.lazy_modules import etree

_LARGE_LINE = 65_535
"""libxml2 stores a line number in 16 bits, and guesses larger ones from the text after the element."""


class XmlElements:
    r"""The elements with given names in an XML file.

    Each element is emptied after its use, which bounds the memory.

    Args:
        file: The open XML file.
        tags: Names in lower case; upper and capitalised spellings match too.

    Raises:
        lxml.etree.XMLSyntaxError: If the file is not well-formed, during the iteration.

    >>> import io
    >>> elements = XmlElements(io.BufferedReader(io.BytesIO(b"<a>\n<b>1</b><c/><b>2</b></a>")), ["b"])
    >>> [(element.text, elements.line(element)) for element in elements]
    [('1', 2), ('2', 2)]
    """

    def __init__(self, file: BufferedReader, tags: Iterable[str]) -> None:
        self._file = file
        self._tags = {spelling for tag in tags for spelling in (tag, tag.upper(), tag.capitalize())}
        self._line = 1  # in which the last bytes that were read start
        self._line_breaks = 0  # in these bytes
        self._large_lines: dict[etree._Element, int] = {}

    def __iter__(self) -> Iterator[etree._Element]:
        """Yield the elements in the order of their end tags."""
        for event, element in etree.iterparse(self, events=("start", "end"), **SAFE_PARSING):
            if event == "start":
                if self._line >= _LARGE_LINE:
                    self._large_lines[element] = self._line
            elif element.tag in self._tags:
                yield element
                element.clear()
                while element.getprevious() is not None:
                    del element.getparent()[0]
                while element in self._large_lines:  # its descendants were added after it
                    self._large_lines.popitem()

    def line(self, element: etree._Element) -> int:
        """Return the line in which the start tag of an element ends.

        Args:
            element: The element that was yielded last, one of its descendants or its ancestors.
        """
        return self._large_lines.get(element) or cast(int, element.sourceline)

    def read(self, size: int) -> bytes:
        """Return the next bytes for the parser: one line if the number of the line could be large.

        The parser has then seen exactly the elements whose start tags end in this line or before.
        """
        self._line += self._line_breaks
        is_small = self._line + CHUNK_BYTES < _LARGE_LINE
        data = self._file.read(CHUNK_BYTES) if is_small else self._file.readline(CHUNK_BYTES)
        self._line_breaks = data.count(b"\n")
        return data
