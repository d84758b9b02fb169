"""Read topics from INEX topic files, JSON Lines and CSV."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple, cast

from xcg.documents.files import PathLike, expand, is_xml, local_name, read_input
from xcg.documents.parsing import document_root
from xcg.errors import InputError
from xcg.formats.base import json_certainty
from xcg.formats.json_records import check_record, csv_records, json_lines, legal_fields
from xcg.judgements.recall_base import check_topic

LARGEST_FILE = 1 << 26
"""Maximum size of a topic file: 64 MB."""
LONGEST_TITLE = 500
"""Longer titles are shortened to this number of characters."""
LONGEST_DESCRIPTION = 20_000
"""Longer descriptions and narratives are shortened to this number of characters."""

_TOPIC_TAGS = ("inex_topic", "inex-topic", "topic")
_ID_NAMES = ("topic_id", "topic-id", "id")


class Topic(NamedTuple):
    """A topic: what a user wants to know.

    Attributes:
        id: Its id.
        title: Its title on one line, which is never empty.
        description: What is asked, on one line; may be empty.
        narrative: What is relevant, on one line; may be empty.
        castitle: Hints at the structure of results in NEXI, on one line; may be empty. No measure uses
            them.
    """

    id: str
    title: str
    description: str = ""
    narrative: str = ""
    castitle: str = ""


_COLUMNS = Topic._fields
_Found = Iterator[tuple[Topic, int]]
"""Topics and the lines at which they begin."""


def read_topics(paths: PathLike | Iterable[PathLike]) -> dict[str, Topic]:
    """Read topic files, and return id → topic in the order of the files.

    The content of a file shows its format:

    - INEX: a topic is an ``<inex_topic topic_id="…">`` (to 2007; 2002 wrote ``<INEX-Topic
      topic-id="…">``) or a ``<topic id="…">`` of an ``<inex-topic-file>`` (2009), with a ``<title>``,
      and optionally a ``<description>``, a ``<narrative>`` and a ``<castitle>``. INEX assessments from
      2005 on contain their topic, so they are topic files too. Topics without a title are left out.
    - JSON Lines: a topic is a record with ``id`` and ``title``, and optionally the other fields.
    - CSV: the first line names the columns: ``id``, ``title``, and optionally the others.

    Args:
        paths: Files, folders and globs.

    Raises:
        InputError: If a file has no topic with a title, a topic is illegal, or two topics with the same
            id differ.

    >>> read_topics("corpora_samples/handbook-topics")["1"].title
    'overlapping results reward repetition in precision and recall'
    """
    topics: dict[str, Topic] = {}
    for path in expand(paths, "topic files"):
        data = read_input(path, LARGEST_FILE, "a topic file")
        lines: dict[str, int] = {}
        for topic, line in (_xml_topics if is_xml(data) else _records)(data, path):
            where = f"{path}:{line}"
            check_topic(topic.id, where)
            earlier = topics.setdefault(topic.id, topic)
            for name in _COLUMNS:
                if getattr(earlier, name) != getattr(topic, name):
                    other = f"in line {lines[topic.id]}" if topic.id in lines else "in an earlier file"
                    message = f"topic {topic.id} has another {name} {other}: expected one {name}"
                    raise InputError(where, message)
            lines.setdefault(topic.id, line)
        if not lines:
            expected = '<inex_topic topic_id="…"> or <topic id="…"> with a <title>, JSON Lines or CSV'
            raise InputError(path, f"no topic with a title: expected {expected}")
    return topics


def _xml_topics(data: bytes, path: Path) -> _Found:
    for element in document_root(data, path).iter("{*}*"):
        if local_name(element) not in _TOPIC_TAGS:
            continue
        values = {str(name).lower(): str(value).strip() for name, value in element.attrib.items()}
        children = element.iterchildren("{*}*", reversed=True)  # of several with one tag, the first
        texts = {local_name(child): "".join(map(str, child.itertext())) for child in children}
        texts["id"] = next((values[name] for name in _ID_NAMES if values.get(name)), "")
        if texts["id"] and texts.get("title"):
            yield _topic(texts), cast(int, element.sourceline)


def _records(data: bytes, path: Path) -> _Found:
    """Yield the topics of a JSON Lines or CSV file."""
    file = cast(io.BufferedReader, io.BytesIO(data))
    for where, record in json_lines(file, path) if json_certainty(data) else csv_records(data, path):
        check_record(record, legal_fields("id title", "description narrative castitle"), where)
        values = {name: str(value).strip() for name, value in record.items()}
        for name in ("id", "title"):
            if not values[name]:
                raise InputError(where, f"the {name} is empty")
        yield _topic(values), int(where.rpartition(":")[2])


def _topic(texts: dict[str, str]) -> Topic:
    more = (_one_line(texts.get(name, ""), LONGEST_DESCRIPTION) for name in _COLUMNS[2:])
    return Topic(texts["id"], _one_line(texts["title"], LONGEST_TITLE), *more)


def _one_line(text: str, longest: int) -> str:
    """Return a text with single spaces; a long one is shortened."""
    line = " ".join(text.split())
    return line if len(line) <= longest else f"{line[:longest].rstrip()} …"
