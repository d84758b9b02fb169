"""Read INEX submissions and assessments with a regular layout, much faster than with an XML parser.

A program writes all results, or all assessed elements, with the same fields in the same order. Regular
expressions and string splitting find these fields, and the text between them must be what the layout
predicts. This proves that the file is well-formed and that the general reader would read the same. Any
other file, and any file with an error, is left to the general reader. So this module has no messages: a
ValueError means that the file is not regular.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Iterator
from io import BufferedReader
from itertools import chain
from pathlib import Path
from typing import TypeVar

from xcg.documents.files import SAFE_PARSING, local_name
from xcg.documents.paths import canonical_file, canonical_path
from xcg.lazy_modules import etree, np
from xcg.runs.run import FunctionCache

_T = TypeVar("_T")

BLOCK_SIZE = 1 << 17
"""Bytes that are read at once; about a thousand results."""
_LONGEST_PART = 1 << 22  # bytes; the limits of libxml2 begin at 10 MB

SPACE = "[ \t\n]*"  # \r\n is replaced by \n, as in XML
TEXT = "[^<]*"
QUOTED_TEXT = '[^<"\t\n]*'


_KEPT_NAMES = 1 << 18
FILES: FunctionCache[str, str] = FunctionCache(canonical_file)
PATHS: FunctionCache[str, str] = FunctionCache(canonical_path)
"""Canonical names and paths. Runs share them, so that equal texts are one object, and later steps are
faster."""


def require(is_regular: object) -> None:
    """Raise ValueError if a condition of the regular layout is not met."""
    if not is_regular:
        raise ValueError


def read_if_regular(file: BufferedReader, path: Path, read: Callable[[], _T]) -> _T | None:
    """Return what a function reads; None at the start of the file if this is not regular."""
    if not path.is_file():  # a pipe cannot be read twice
        return None
    for names in (FILES, PATHS):
        if len(names) > _KEPT_NAMES:
            names.clear()
    try:
        return read()
    except (ValueError, OSError, EOFError, zlib.error, etree.XMLSyntaxError):
        file.seek(0)
        return None


def _blocks(file: BufferedReader, end_tag: bytes) -> Iterator[str]:
    """Yield the text of a file in blocks that end with an end tag; the last block is the rest."""
    rest = b""
    while data := file.read(BLOCK_SIZE):
        block, tag, rest = (rest + data).rpartition(end_tag)
        if tag:
            yield _decode(block + tag)
        require(len(rest) <= _LONGEST_PART)
    yield _decode(rest)


def _decode(data: bytes) -> str:
    """Return bytes as text, whose characters must all be legal in XML."""
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n")
    codes = np.frombuffer(data, np.uint8)
    text = data.decode()
    require(not ((codes < 32) & (codes != 9) & (codes != 10)).any())
    require("\ufffe" not in text and "\uffff" not in text and "]]>" not in text)
    return text


def read_head(
    file: BufferedReader, root_tag: str, part_tag: str, block_tag: str, *more_tags: str
) -> tuple[etree._Element, Iterator[str]]:
    """Parse the text before the first part of a document.

    The head is parsed with the end tag of the root appended. If this succeeds, only the root is open at
    the first part. None of the given tags may occur in the head.

    Returns:
        The root, and the text from the first part on, in blocks that end with an end tag.
    """
    blocks = _blocks(file, f"</{block_tag}>".encode())
    head, start, rest = next(blocks).partition(f"<{part_tag} ")
    require(start)
    require("<!DOCTYPE" not in head or "[" not in head)  # a DTD can declare default attributes
    root = etree.fromstring(f"{head}</{root_tag}>".encode(), etree.XMLParser(**SAFE_PARSING))
    encoding = root.getroottree().docinfo.encoding or "UTF-8"
    tags = {local_name(element) for element in root.iterdescendants()}
    require(root.tag == root_tag and encoding.upper() == "UTF-8")
    require(tags.isdisjoint({root_tag, part_tag, block_tag, *more_tags}))
    return root, chain([start + rest], blocks)


def split_columns(patterns: list[re.Pattern[str]], text: str) -> list[list[str]]:
    """Return the values of each group of a pattern in a text that contains only its matches.

    Patterns that do not match are removed.
    """
    while True:
        width, parts = patterns[0].groups + 1, patterns[0].split(text)
        if not "".join(parts[::width]).strip(" \t\n"):
            return [parts[index::width] for index in range(1, width)]
        require(len(patterns) > 1)
        del patterns[0]
