"""Read text files with columns, block by block: as whole columns if possible, else line by line.

Splitting a block into columns at once is several times faster than splitting every line. It needs lines
with equal numbers of columns. The format's reader of single lines handles all other blocks, and reports
errors.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from io import BufferedReader, BytesIO
from itertools import compress, islice, pairwise
from operator import ne
from pathlib import Path
from typing import NamedTuple

from xcg.documents.files import MAX_LINE_BYTES, RETURN, chunks, lines

_NAME_CHARACTERS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
_BYTE_ORDER_MARK = "\ufeff"


class TextBlock(NamedTuple):
    """Consecutive lines of a text file.

    Attributes:
        data: The bytes of the lines.
        path: The path of the file, for messages.
        first_line: The number of the first line in the file.
    """

    data: bytes
    path: Path
    first_line: int

    def columns(self) -> list[list[str]] | None:
        """Return the columns, or None if the lines must be read one by one."""
        if len(self.data) > MAX_LINE_BYTES:
            return None
        if RETURN in self.data and self.data.count(b"\r") > self.data.count(b"\r\n"):
            return None  # one may be within a line, which is an error
        try:
            text = self.data.decode().removeprefix(_BYTE_ORDER_MARK).rstrip()
        except UnicodeDecodeError:
            return None
        columns = split_columns(text) if text and _BYTE_ORDER_MARK not in text else None
        if columns is not None and any(first.startswith("#") for first in set(columns[0])):
            return None
        return columns

    def lines(self) -> Iterator[tuple[int, list[str]]]:
        """Yield number and columns of each line that is not blank and does not begin with ``#``.

        Raises:
            InputError: If a line is longer than 1 MB or is not UTF-8.
        """
        for number, line in lines(BytesIO(self.data), self.path, self.first_line):
            columns = line.split()
            if columns and not columns[0].startswith("#"):
                yield number, columns


def text_blocks(file: BufferedReader, path: Path) -> Iterator[TextBlock]:
    """Yield the lines of a file in blocks."""
    first_line = 1
    for data in chunks(file):
        if len(data) > MAX_LINE_BYTES:  # refuses the first part of an endless line
            deque(lines(BytesIO(data), path, first_line), 0)
        if not data.isspace():
            yield TextBlock(data, path, first_line)
        first_line += data.count(b"\n")


def split_columns(text: str) -> list[list[str]] | None:
    r"""Return the columns of lines that all have the same number of them, else None.

    Args:
        text: Lines; not empty, and without white space at the end.

    >>> split_columns("1 0 ants 2\n1 0 bees 0")
    [['1', '1'], ['0', '0'], ['ants', 'bees'], ['2', '0']]
    >>> split_columns("1 0 ants 2\n1 0 bees") is None
    True
    """
    if "\0" in text:
        return None
    width = len(text.partition("\n")[0].split())
    # A mark replaces the end of every line. Each line has ``width`` columns if all marks, and nothing
    # else, are in the column after the last one.
    fields = text.replace("\n", " \0 ").split()
    fields.append("\0")
    columns = [fields[index :: width + 1] for index in range(width + 1)]
    marks = columns.pop()
    line_count = text.count("\n") + 1
    if marks.count("\0") == line_count == len(marks) == len(fields) / (width + 1):
        return columns
    return None


def equal_stretches(values: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield start and end of the stretches of equal consecutive values.

    >>> list(equal_stretches(["1", "1", "2", "1"]))
    [(0, 2), (2, 3), (3, 4)]
    """
    changes = compress(range(1, len(values)), map(ne, values, islice(values, 1, None)))
    return pairwise([0, *changes, len(values)])


def are_numbers(texts: Sequence[str], most_digits: int) -> bool:
    """Return whether all texts consist of decimal digits, at most ``most_digits``."""
    joined = "".join(texts)
    return joined.isascii() and joined.isdecimal() and max(map(len, texts)) <= most_digits


def are_plain_names(texts: Sequence[str]) -> bool:
    """Return whether all texts consist of ASCII letters, digits, ``-`` and ``_``.

    Such a text is a document's name in canonical form.

    >>> are_plain_names(["FT911-3", "msmarco_doc_00_0"]), are_plain_names(["co/2001/r7022"])
    (True, False)
    """
    return not "".join(texts).encode().translate(None, _NAME_CHARACTERS)
