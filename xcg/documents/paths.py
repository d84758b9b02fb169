"""Canonical element paths and document names, so that equal elements have equal names."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

WHOLE = "/"
"""The path of a whole document."""

_CANONICAL_STEP = re.compile(r"([^/\[\]:@*()|=#\s]+)\[([1-9][0-9]{0,8})\]")
_CANONICAL = re.compile(r"(?:/[^/\[\]:@*()|=#\s]+\[[1-9][0-9]{0,8}\])+\Z")
# A fast path for most names: every part begins with a letter, a digit, - or _.
_CANONICAL_FILE = re.compile(r"[\w-][\w.#-]*(?:/[\w-][\w.#-]*)*(?<!\.xml)\Z", re.ASCII)
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
_STEP = re.compile(
    r"(?:[^/\[\]:@*()|=#\s]+:)?([^/\[\]:@*()|=#\s]+)\s*(?:\[\s*0*([1-9][0-9]{0,8})\s*\])?\Z"
)


_PASSAGE = re.compile(r"#(?:[0-9]+:[0-9]+|(?:X|-1):(?:[0-9]+|X|-1))\Z")
LONGEST_NAME = 8192
"""Maximum number of characters of a document's name, and of an element path."""


def canonical_path(raw: str) -> str:
    """Return the canonical form of an element path: a position for every step, and no prefixes.

    A step without a position means the first element. Positions count the siblings with the same local
    name.

    >>> canonical_path("/article/bdy/sec[6]")
    '/article[1]/bdy[1]/sec[6]'
    >>> canonical_path("/article[1]/m:math[02]")
    '/article[1]/math[2]'

    Raises:
        ValueError: If it is not an absolute path of element steps.
    """
    if len(raw) > LONGEST_NAME:
        raise ValueError(f"an element path of {len(raw)} characters: expected at most {LONGEST_NAME}")
    if _CANONICAL.match(raw):
        return raw
    text = raw.strip()
    if not text.startswith("/") or len(text) < 2:
        raise ValueError(f"{raw!r} is not an element path: expected one like /article[1]/bdy[1]/sec[6]")
    steps = []
    for step in text[1:].split("/"):
        match = _STEP.match(step.strip())
        if match is None:
            expected = "is not a name with a position from 1, like sec[6]"
            raise ValueError(f"{raw!r} is not an element path: the step {step!r} {expected}")
        steps.append(f"/{match[1]}[{match[2] or 1}]")
    return "".join(steps)


def parent_path(path: str) -> str:
    """Return the path of the parent; ``""`` for a root.

    >>> parent_path("/article[1]/sec[2]"), parent_path("/article[1]")
    ('/article[1]', '')
    """
    return path.rpartition("/")[0]


def split_step(step: str) -> tuple[str, int]:
    """Return the name and position of a step of a canonical path; ``("", 1)`` for an illegal step.

    >>> split_step("sec[12]"), split_step("sec[012]")
    (('sec', 12), ('', 1))
    """
    match = _CANONICAL_STEP.fullmatch(step)
    return (match[1], int(match[2])) if match is not None else ("", 1)


def walk(path: str, known: dict[str, T], child: Callable[[T, str], T]) -> T:
    """Follow a canonical path, without recursion.

    Args:
        path: The path.
        known: Path → element. It must contain ``""`` or the root's path. The elements on the way are
            added.
        child: Function that returns the child of an element for a step.

    Returns:
        The element.

    >>> known = {"": "", "/a[1]": "a"}
    >>> walk("/a[1]/b[2]", known, lambda parent, step: parent + step)
    'ab[2]'
    """
    unknown = []
    above = path
    while above not in known:
        below = above
        above, _, step = below.rpartition("/")
        unknown.append((below, step))
    found = known[above]
    for below, step in reversed(unknown):
        found = known[below] = child(found, step)
    return found


def canonical_file(name: str) -> str:
    r"""Return the canonical name of a document: its path below the corpus folder without ``.xml``.

    All names that refer to the same document of a folder have the same canonical name: empty and ``.``
    parts and white space around a part are removed, a backslash is a slash, and Unicode text is in
    normalisation form C. A URL keeps its slashes. Upper and lower case are different on all systems.

    >>> canonical_file(" co/2001/r7022.xml "), canonical_file(".//co\\2001/./r7022")
    ('co/2001/r7022', 'co/2001/r7022')
    >>> canonical_file("https://example.org//a/")
    'https://example.org//a/'

    Raises:
        ValueError: If the name is empty, longer than ``LONGEST_NAME``, outside the corpus folder, or
            has control characters.
    """
    if len(name) > LONGEST_NAME:
        raise ValueError(f"a document name of {len(name)} characters: expected at most {LONGEST_NAME}")
    if _CANONICAL_FILE.match(name):
        return name
    text = name if name.isascii() else unicodedata.normalize("NFC", name)
    text = text.replace("\\", "/")
    while True:  # without .xml, the name may end with another part to be removed
        parts = [part.strip() for part in text.split("/")]
        if not parts[0] or ".." in parts or not text.strip().isprintable():
            expected = "expected a path below the corpus folder, like co/2001/r7022"
            raise ValueError(f"{name!r} is not a document name: {expected}")
        is_url = _URL.match(text) is not None
        shorter = text.strip() if is_url else "/".join(part for part in parts if part not in ("", "."))
        if not shorter.endswith("/.xml"):
            shorter = shorter.removesuffix(".xml")
        if shorter == text:
            return text
        text = shorter


def split_element_id(element_id: str) -> tuple[str, str]:
    """Split ``file#/path`` into canonical name and path; without ``#/``, it is a whole document.

    >>> split_element_id("co/2001/r7022#/article/bdy")
    ('co/2001/r7022', '/article[1]/bdy[1]')
    >>> split_element_id("msmarco_v2.1_doc_0#4_163")
    ('msmarco_v2.1_doc_0#4_163', '/')

    Raises:
        ValueError: If the name or the path is illegal, or the id is a passage, ``file#offset:length``.
    """
    file, element = split_at_mark(element_id)
    if element.startswith("#/"):
        return canonical_file(file), canonical_path(element[1:])
    if element:
        raise ValueError(f"{element_id!r} is a passage: expected a document or file#/path")
    if "/article[" in element_id or element_id.endswith("]"):
        raise ValueError(f"{element_id!r} does not name an element: expected file#/path")
    return canonical_file(file), WHOLE


def split_at_mark(element_id: str) -> tuple[str, str]:
    """Split ``file#/path`` or ``file#offset:length`` before the ``#``.

    Any other ``#`` is a part of the document's name. The second part is empty for a whole document.

    >>> split_at_mark("d#/a"), split_at_mark("d#7#12:30"), split_at_mark("d#4_163")
    (('d', '#/a'), ('d#7', '#12:30'), ('d#4_163', ''))
    """
    position = element_id.find("#/")
    if position < 0 and ":" in element_id and (passage := _PASSAGE.search(element_id)) is not None:
        position = passage.start()
    return (element_id, "") if position < 0 else (element_id[:position], element_id[position:])
