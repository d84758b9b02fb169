"""Parse single lines of TREC runs."""

from __future__ import annotations

import math
import re
from typing import NamedTuple

from xcg.documents.paths import split_at_mark
from xcg.formats.text_columns import decimal
from xcg.runs.run import span_of

_LIKE_OFFSET = re.compile(r"[+-]?[0-9.]+|X")
_RANK = re.compile(r"([+-]?[0-9]{1,18})(?:\.0*)?")


class Line(NamedTuple):
    """One line of a run; a score that is not needed is 0, and so is an illegal rank."""

    topic: str
    document: str
    element: str
    rank: int
    score: float
    tag: str
    has_other_text: bool


def parse_line(fields: list[str], with_score: bool, check_rank: bool) -> Line:
    """Parse a line; raise ValueError if it is illegal."""
    if len(fields) < 6:
        raise _wrong_columns(fields)
    topic, iteration, document, rank, score, tag, *others = fields
    if "#/" in topic + iteration:
        raise ValueError(
            f"the columns begin with {topic} {iteration}; expected topic Q0 file#/path rank score tag"
        )
    stated = _stated_element(fields)
    has_other_text = bool(others and not stated)
    rank_match = _RANK.fullmatch(rank)
    if has_other_text and (rank_match is None or tag.startswith("/")):
        raise _wrong_columns(fields)  # white space in a name moves the other columns
    if check_rank and rank_match is None:
        raise ValueError(f"illegal rank {rank!r}: expected a whole number")
    number = decimal(score) if with_score else 0.0
    if not math.isfinite(number):
        raise ValueError(f"illegal score {score!r}: expected a finite number")
    name, element = split_at_mark(document)
    if element and stated:
        raise ValueError(f"{document} and {' '.join(others)}: expected one element or passage")
    whole_rank = int(rank_match[1]) if rank_match is not None else 0
    return Line(topic, name, element or stated, whole_rank, number, tag, has_other_text)


def _wrong_columns(fields: list[str]) -> ValueError:
    return ValueError(
        f"{len(fields)} columns; expected six, topic Q0 file#/path rank score tag, "
        "or seven with an element's path, or eight with a passage's offset and length"
    )


def _stated_element(fields: list[str]) -> str:
    """Return the element or passage after column 6 as ``#/path`` or ``#offset:length``, if any.

    Text that begins like a path or a passage must be one; other text is ignored.

    Raises:
        ValueError: If it is not.
    """
    others = fields[6:]
    is_path = bool(others) and others[0].startswith("/")  # INEX 2009 and 2010
    is_passage = any(map(_LIKE_OFFSET.fullmatch, others[:2]))  # INEX 2010
    if (is_path and len(others) > 1) or (is_passage and len(others) != 2):
        raise _wrong_columns(fields)
    if is_passage:
        span_of(*others)
    return "#" + ":".join(others) if is_path or is_passage else ""
