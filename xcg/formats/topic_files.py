"""Read topics from INEX topic files, JSON Lines and CSV."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple, cast

from xcg.documents.files import PathLike, expand, local_name, read_input
from xcg.documents.parsing import document_root
from xcg.errors import InputError
from xcg.formats.json_records import Field, check_record, csv_records, json_lines
from xcg.judgements.recall_base import check_topic
from xcg.lazy_modules import etree

LARGEST_FILE = 1 << 26
"""Maximum size of a topic file: 64 MB."""
LONGEST_TITLE = 500
"""Longer titles are shortened to this number of characters."""
LONGEST_DESCRIPTION = 20_000
"""Longer descriptions and narratives are shortened to this number of characters."""

_TOPIC_TAGS = ("inex_topic", "inex-topic", "topic")
_ID_NAMES = ("topic_id", "topic-id", "id")
_RECORD_FIELDS = (
    Field("id", (str, int), "an id"),
    Field("title", (str,), "text"),
    Field("description", (str,), "text", required=False),
    Field("narrative", (str,), "text", required=False),
    Field("castitle", (str,), "text", required=False),
)
_COLUMNS = tuple(field.name for field in _RECORD_FIELDS)


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
        start = data.removeprefix(b"\xef\xbb\xbf").lstrip()[:1]
        # XML in UTF-16 begins with a byte order mark or a NUL.
        read = _xml_topics if not start or start in b"<\xff\xfe\x00" else _records
        for topic, line in read(data, path):
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
        topic = _xml_id(element)
        texts = _child_texts(element) if topic else {}
        if texts.get("title"):
            yield _topic(topic, texts), cast(int, element.sourceline)


def _xml_id(element: etree._Element) -> str:
    """Return the id of a topic; empty if the element is not a topic."""
    if local_name(element) not in _TOPIC_TAGS:
        return ""
    values = {str(name).lower(): str(value).strip() for name, value in element.attrib.items()}
    return next((values[name] for name in _ID_NAMES if values.get(name)), "")


def _child_texts(element: etree._Element) -> dict[str, str]:
    """Return the text of the first child with each tag of a topic."""
    texts: dict[str, str] = {}
    for child in element.iterchildren("{*}*"):
        tag = local_name(child)
        if tag in _COLUMNS and tag not in texts:
            texts[tag] = "".join(map(str, child.itertext()))
    return texts


def _records(data: bytes, path: Path) -> _Found:
    """Yield the topics of a JSON Lines or CSV file."""
    is_json = data.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"{")
    file = cast(io.BufferedReader, io.BytesIO(data))
    for where, record in json_lines(file, path) if is_json else csv_records(data, path):
        check_record(record, _RECORD_FIELDS, where)
        values = {name: str(value).strip() for name, value in record.items()}
        for name in ("id", "title"):
            if not values[name]:
                raise InputError(where, f"the {name} is empty")
        yield _topic(values["id"], values), int(where.rpartition(":")[2])


def _topic(topic: str, texts: dict[str, str]) -> Topic:
    more = (_one_line(texts.get(name, ""), LONGEST_DESCRIPTION) for name in _COLUMNS[2:])
    return Topic(topic, _one_line(texts["title"], LONGEST_TITLE), *more)


def _one_line(text: str, longest: int) -> str:
    """Return a text with single spaces; a long one is shortened."""
    line = " ".join(text.split())
    return line if len(line) <= longest else f"{line[:longest].rstrip()} …"
