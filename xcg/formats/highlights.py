"""Read highlights, and relevant passages that are given as text, from JSON Lines files."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from xcg.documents.corpus import Corpus
from xcg.documents.files import PathLike, expand, open_input
from xcg.errors import InputError
from xcg.formats.json_records import (
    QUOTE_FIELDS,
    TOPIC_AND_DOCUMENT,
    Field,
    check_record,
    document_name,
    json_lines,
    quote_of,
)
from xcg.judgements.anchoring import QuoteFinder
from xcg.judgements.highlights import Highlight

_HIGHLIGHT_FIELDS = (
    *TOPIC_AND_DOCUMENT,
    Field("start", (int,), "a whole number", required=False),
    Field("end", (int,), "a whole number", required=False),
    Field("exhaustivity", (int,), "a whole number"),
    *QUOTE_FIELDS,
)


def read_highlights(
    paths: PathLike | Iterable[PathLike], corpus: Corpus | None = None
) -> list[Highlight]:
    """Read highlights from JSON Lines files.

    A record has the fields ``topic``, ``doc`` and ``exhaustivity`` (1, 2 or 3), and ``start`` and
    ``end`` (characters of the document's text), a quote, or both. A quote is ``exact`` or ``text``,
    with optional ``prefix`` and ``suffix``.

    Args:
        paths: Files, folders and globs.
        corpus: The documents, which quotes without offsets need.

    Raises:
        InputError: If a file cannot be read, a record is illegal, or a quote has no position in its
            document, with file and line.
    """
    highlights = []
    finder = QuoteFinder(corpus)
    for path in expand(paths, "highlights in JSON Lines"):
        with open_input(path) as file:
            for where, record in json_lines(file, path):
                highlights.append(_highlight(record, where, finder))
    return highlights


def _highlight(record: dict[str, Any], where: str, finder: QuoteFinder) -> Highlight:
    check_record(record, _HIGHLIGHT_FIELDS, where)
    topic, exhaustivity, quote = str(record["topic"]), record["exhaustivity"], quote_of(record, where)
    if exhaustivity not in (1, 2, 3):
        raise InputError(where, f"exhaustivity is {exhaustivity}: expected 1, 2 or 3")
    name = document_name(record, where)
    if quote is not None and "start" not in record and "end" not in record:
        start, end = finder.span(name, quote, where)
        return Highlight(topic, name, start, end, exhaustivity)
    for field in ("start", "end"):
        if field not in record:
            raise InputError(where, f"the field {field!r} is missing")
    start, end = record["start"], record["end"]
    if not 0 <= start < end:
        raise InputError(where, f"start {start} and end {end}: expected 0 <= start < end")
    return Highlight(topic, name, start, end, exhaustivity, quote.exact if quote is not None else None)
