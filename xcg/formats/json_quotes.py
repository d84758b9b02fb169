"""Read the quotes in JSON records."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from xcg.documents.paths import canonical_file
from xcg.documents.text_search import Quote
from xcg.errors import InputError
from xcg.formats.json_records import Field

QUOTE_FIELDS = (
    Field("text", (str,), "the words of the passage", required=False),
    Field("exact", (str,), "the words of the passage", required=False),
    Field("prefix", (str,), "the text before the passage", required=False),
    Field("suffix", (str,), "the text after the passage", required=False),
)
"""The fields of a quote: ``exact`` or ``text``, with optional ``prefix`` and ``suffix``."""


def quote_of(record: Mapping[str, Any], where: str) -> Quote | None:
    """Return the quote of a record; None without one.

    Raises:
        InputError: If it has ``exact`` and ``text``, or context alone.
    """
    if "exact" in record and "text" in record:
        raise InputError(where, "the fields 'exact' and 'text': expected one of them")
    exact = record.get("exact", record.get("text"))
    if exact is None:
        for name in ("prefix", "suffix"):
            if name in record:
                raise InputError(where, f"the field {name!r} has no effect without 'exact'")
        return None
    return Quote(exact, record.get("prefix", ""), record.get("suffix", ""))


def document_name(record: Mapping[str, Any], where: str) -> str:
    """Return the canonical name of a record's document.

    Raises:
        InputError: If it is illegal.
    """
    try:
        return canonical_file(record["doc"])
    except ValueError as error:
        raise InputError(where, str(error)) from None
