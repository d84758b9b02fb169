"""Arrange the findings of a review of gold as tables."""

from __future__ import annotations

from collections.abc import Sequence

from xcg.errors import printable
from xcg.evaluation.gold_review import Finding, GoldReview
from xcg.tables import Column, Table
from xcg.terminal_tables import Block, Prose

_SHOWN_CHARACTERS = 200
_PLACE = (
    Column("question", kind="text", is_cut=True),
    Column("document", kind="text"),
    Column("offsets", kind="text"),
)
_TEXT = Column("text", kind="text", is_cut=True)


def review_tables(review: GoldReview) -> list[Block]:
    """Return the tables of a review, with a sentence above each."""
    found = review.duplicates
    title = f"Passages that repeat gold and are not gold for their question: {len(found)}"
    blocks = _section(title, [*_PLACE, _TEXT], [[*_place(one), _one_line(one.text)] for one in found])
    if not review.runs:
        return blocks
    found = review.missed
    of_runs = "the run does not find" if len(review.runs) == 1 else "no run finds"
    title = f"Gold spans that {of_runs}: {len(found)} of {review.spans}"
    if found:
        title += f". The largest share of each that one result contains is below {review.overlap:g}:"
    columns = [*_PLACE, Column("share", decimals=2), Column("run", kind="text", is_cut=True), _TEXT]
    rows = [[*_place(one), one.share, one.run or "", _one_line(one.text)] for one in found]
    return [*_section(title, columns, rows), "\n", *blocks]


def _place(one: Finding) -> tuple[str, str, str]:
    return one.topic, one.doc, f"{one.start}–{one.end}"


def _section(title: str, columns: Sequence[Column], rows: Sequence[Sequence[object]]) -> list[Block]:
    """Return a table below its title."""
    above = Prose(printable(title) + "\n")
    return [above, Table(columns, rows)] if rows else [above]


def _one_line(text: str) -> str:
    """Return the beginning of a text on one line, without control characters."""
    words = " ".join(text[:_SHOWN_CHARACTERS].split())
    return "".join(c if c.isprintable() else " " for c in words)
