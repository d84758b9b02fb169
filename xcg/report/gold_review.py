"""Arrange the findings of a review of gold as tables."""

from __future__ import annotations

from collections.abc import Sequence

from xcg.errors import printable
from xcg.evaluation.gold_review import GoldReview
from xcg.tables import Column, Table
from xcg.terminal_tables import Block, Prose

_SHOWN_CHARACTERS = 200
_COLUMNS = {
    column.name: column
    for column in (
        Column("question", kind="text", is_cut=True),
        Column("document", kind="text"),
        Column("offsets", kind="text"),
        Column("share", decimals=2),
        Column("run", kind="text", is_cut=True),
        Column("returned by", kind="text", is_cut=True),
        Column("text", kind="text", is_cut=True),
    )
}


def review_tables(review: GoldReview) -> list[Block]:
    """Return the tables of a review, with a sentence above each."""
    parts = [_duplicates(review)]
    if review.runs:
        parts.insert(0, _missed(review))
    blocks: list[Block] = []
    for part in parts:
        blocks += ["\n", *part] if blocks else part
    return blocks


def _missed(review: GoldReview) -> list[Block]:
    found = review.missed
    rows = []
    for one in found:
        place = one.topic, one.doc, f"{one.start}–{one.end}"
        rows.append([*place, one.share, one.run or "", _one_line(one.text)])
    of_runs = "the run does not find" if len(review.runs) == 1 else "no run finds"
    title = f"Gold spans that {of_runs}: {len(found)} of {review.spans}"
    if found:
        title += f". The largest share of each that one result contains is below {review.overlap:g}:"
    return _section(title, ["question", "document", "offsets", "share", "run", "text"], rows)


def _duplicates(review: GoldReview) -> list[Block]:
    found = review.duplicates
    rows = []
    for one in found:
        place = one.topic, one.doc, f"{one.start}–{one.end}"
        rows.append([*place, *([one.returned_by] if review.runs else []), _one_line(one.text)])
    title = (
        f"Passages that repeat gold and are not gold for their question: {len(found)} "
        f"({review.spans - review.short} of {review.spans} gold spans were searched for)"
    )
    returned = ["returned by"] if review.runs else []
    return _section(title, ["question", "document", "offsets", *returned, "text"], rows)


def _section(title: str, heading: Sequence[str], rows: Sequence[Sequence[object]]) -> list[Block]:
    """Return a table below its title."""
    above = Prose(printable(title) + "\n")
    return [above, Table([_COLUMNS[name] for name in heading], rows)] if rows else [above]


def _one_line(text: str) -> str:
    """Return the beginning of a text on one line, without control characters."""
    words = " ".join(text[:_SHOWN_CHARACTERS].split())
    return "".join(c if c.isprintable() else " " for c in words)
