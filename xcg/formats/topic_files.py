"""Read the titles of topics from INEX topic files."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import cast

from xcg.documents.files import PathLike, expand, local_name, open_input
from xcg.documents.serialising import document_root
from xcg.errors import MAX_NAME_LENGTH, InputError, name_too_long
from xcg.lazy_modules import etree

LARGEST_FILE = 1 << 26
"""Maximum size of a topic file: 64 MB."""
LONGEST_TITLE = 500
"""Longer titles are shortened to this number of characters."""

_TOPIC_TAGS = ("inex_topic", "inex-topic", "topic")
_ID_NAMES = ("topic_id", "topic-id", "id")


def read_topic_titles(paths: PathLike | Iterable[PathLike]) -> dict[str, str]:
    """Read topic files, and return topic → title.

    A topic is an ``<inex_topic topic_id="…">`` (to 2007; 2002 wrote ``<INEX-Topic topic-id="…">``) or a
    ``<topic id="…">`` of an ``<inex-topic-file>`` (2009), with a ``<title>``. So INEX assessments from
    2005 on, which contain their topic, are topic files too. Topics without a title are left out.

    Args:
        paths: Files, folders and globs.

    Raises:
        InputError: If a file is not XML or has no topic with a title, or a topic has two titles.

    >>> titles = read_topic_titles("corpora_samples/handbook-topics")
    >>> titles["1"]
    'overlapping results reward repetition in precision and recall'
    """
    titles: dict[str, str] = {}
    for path in expand(paths, "topic files"):
        found = _titles_in(path)
        for topic, (title, line) in found.items():
            if titles.setdefault(topic, title) != title:
                message = f"topic {topic} has another title in an earlier file: expected one title"
                raise InputError(f"{path}:{line}", message)
    return titles


def _titles_in(path: Path) -> dict[str, tuple[str, int]]:
    """Return topic → title and line."""
    with open_input(path) as file:
        data = file.read(LARGEST_FILE + 1)
    if len(data) > LARGEST_FILE:
        raise InputError(path, f"more than {LARGEST_FILE >> 20} MB: expected a topic file")
    titles: dict[str, tuple[str, int]] = {}
    for element in document_root(data, path).iter("{*}*"):
        topic, title = _topic(element), _title(element)
        if not topic or not title:
            continue
        line = cast(int, element.sourceline)
        if len(topic) > MAX_NAME_LENGTH:
            raise InputError(f"{path}:{line}", name_too_long("topic", topic))
        if titles.setdefault(topic, (title, line))[0] != title:
            earlier = titles[topic][1]
            message = f"topic {topic} has another title in line {earlier}: expected one title"
            raise InputError(f"{path}:{line}", message)
    if not titles:
        expected = '<inex_topic topic_id="…"> or <topic id="…"> with a <title>'
        raise InputError(path, f"no topic with a title: expected {expected}")
    return titles


def _topic(element: etree._Element) -> str:
    """Return the id of a topic; empty if the element is not a topic."""
    if local_name(element) not in _TOPIC_TAGS:
        return ""
    values = {str(name).lower(): str(value).strip() for name, value in element.attrib.items()}
    return next((values[name] for name in _ID_NAMES if values.get(name)), "")


def _title(element: etree._Element) -> str:
    """Return the text of the child <title> on one line; empty without one."""
    for child in element.iterchildren("{*}*"):
        if local_name(child) == "title":
            title = " ".join("".join(map(str, child.itertext())).split())
            return title if len(title) <= LONGEST_TITLE else f"{title[:LONGEST_TITLE].rstrip()} …"
    return ""
