"""XML files as programs write them, read by columns: what the readers of runs and assessments share.

A file in which everything has the same fields in one order needs no parser: patterns and splitting find
the fields, and what stands between them must be what the layout says. That proves that the file is
well-formed, and that the general reader would read the same. Whatever else a file holds (entities,
comments, further elements, anything wrong) is :class:`IrregularError`, and left to that reader, so that
no message comes from here.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Iterator, Sequence
from io import BufferedReader
from pathlib import Path
from typing import TypeVar

from xcg.documents.files import HARDENED, local_name
from xcg.lazy_modules import etree, np

_Read = TypeVar("_Read")

BLOCK = 1 << 17
"""Bytes that are read at once: about a thousand results."""

_LONGEST = 1 << 22  # bytes without the end of a part; libxml2's own limits begin at 10 MB

SPACE = "[ \t\n]*"  # \r\n has become \n, as XML has it


class IrregularError(ValueError):
    """A file is not of the form that can be read by columns."""


def if_regular(file: BufferedReader, path: Path, read: Callable[[], _Read]) -> _Read | None:
    """Return what reading by columns gives, or None with the file at its start again.

    What cannot be read twice, as a pipe, is not tried.
    """
    if not path.is_file():
        return None
    try:
        return read()
    except (ValueError, OSError, EOFError, zlib.error, etree.XMLSyntaxError):
        file.seek(0)
        return None


def blocks(file: BufferedReader, end: bytes) -> Iterator[str]:
    """Yield the text in blocks that end behind the end tag of a part, and the rest of it at last."""
    rest = b""
    while octets := file.read(BLOCK):
        whole, mark, rest = (rest + octets).rpartition(end)
        if mark:
            yield _text(whole + mark)
        elif len(rest) > _LONGEST:
            raise IrregularError
    yield _text(rest)


def _text(octets: bytes) -> str:
    """Return the text of octets that hold the characters of XML and nothing else."""
    if b"\r" in octets:
        octets = octets.replace(b"\r\n", b"\n")
    codes = np.frombuffer(octets, np.uint8)
    controls = (codes < 32) & (codes != 9) & (codes != 10)
    text = octets.decode()
    if controls.any() or "\ufffe" in text or "\uffff" in text:
        raise IrregularError
    return text


def root_before(text: str, names: Sequence[str]) -> tuple[etree._Element, int]:
    """Return the root with what stands before its first part, and where that part begins.

    It goes through the parser, with the root closed behind it: where the parser takes that, the root is
    the only element open. names: of the root, of its parts, and of what else must only stand in these.
    """
    root_name, part, *_ = names
    first = re.search(f"<{part}[ \t\n]", text)
    if first is None:
        raise IrregularError
    head = text[: first.start()]
    if "<!DOCTYPE" in head and "[" in head:  # it may declare attributes that nobody wrote
        raise IrregularError
    root = etree.fromstring(f"{head}</{root_name}>".encode(), etree.XMLParser(**HARDENED))
    encoding = root.getroottree().docinfo.encoding
    below = {local_name(element) for element in root.iterdescendants()}
    if root.tag != root_name or (encoding or "UTF-8").upper() != "UTF-8" or not below.isdisjoint(names):
        raise IrregularError
    return root, first.start()
