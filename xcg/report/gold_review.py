"""Print what to review in gold as tables for a terminal of 80 columns."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence

from xcg.errors import printable
from xcg.evaluation.gold_review import GoldReview
from xcg.tables import text_table

WIDTH = 80
SHOWN_ROWS = 20

_SHOWN_CHARACTERS = 200
_GAP = 2
_DECIMALS = 2


def review_text(review: GoldReview, all_rows: bool = False) -> str:
    """Return the tables of a review, with a sentence above each.

    Args:
        review: The review.
        all_rows: Whether to print all rows. Otherwise the first :data:`SHOWN_ROWS` of each table are
            printed, and the number of hidden ones.
    """
    limit = None if all_rows else SHOWN_ROWS
    parts = [_duplicates(review, limit)]
    if review.runs:
        parts.insert(0, _missed(review, limit))
    if len(review.runs) > 1:
        parts.insert(0, _disagreements(review, limit))
    return "\n".join(parts)


def _disagreements(review: GoldReview, limit: int | None) -> str:
    found = review.disagreements
    rows = [
        (
            *(one.topic, _number(one.spread)),
            *(_number(one.best), one.best_run, _number(one.worst), one.worst_run),
        )
        for one in found
    ]
    title = f"Questions on which the runs disagree by {review.measure}: {len(found)} of {review.topics}"
    return _section(
        title, ["question", "spread", "best", "best run", "worst", "worst run"], rows, limit
    )


def _missed(review: GoldReview, limit: int | None) -> str:
    found = review.missed
    rows = [
        (
            *(one.topic, one.doc, f"{one.start}–{one.end}"),
            *(_number(one.share), one.run or "", _one_line(one.text)),
        )
        for one in found
    ]
    of_runs = "the run does not find" if len(review.runs) == 1 else "no run finds"
    title = f"Gold spans that {of_runs}: {len(found)} of {review.spans}"
    if found:
        title += f". The largest share of each that one result contains is below {review.overlap:g}:"
    return _section(title, ["question", "document", "offsets", "share", "run", "text"], rows, limit)


def _duplicates(review: GoldReview, limit: int | None) -> str:
    found = review.duplicates
    rows = [
        (
            *(one.topic, one.doc, f"{one.start}–{one.end}", _similarity(one.similarity)),
            *((one.returned_by,) if review.runs else ()),
            _one_line(one.text),
        )
        for one in found
    ]
    title = (
        f"Passages that repeat gold and are not gold for their question: {len(found)} "
        f"({review.spans - review.short} of {review.spans} gold spans were searched for)"
    )
    returned = ["returned by"] if review.runs else []
    return _section(
        title, ["question", "document", "offsets", "similar", *returned, "text"], rows, limit
    )


def _section(
    title: str, heading: Sequence[str], rows: Sequence[Sequence[str]], limit: int | None
) -> str:
    """Return a table below its title, with the number of hidden rows."""
    above = textwrap.fill(printable(title), WIDTH) + "\n"
    if not rows:
        return above
    shown = rows[:limit]
    hidden = len(rows) - len(shown)
    below = f"and {hidden:,} more: add --all\n" if hidden else ""
    return above + fitted_table(heading, shown, WIDTH) + below


def fitted_table(heading: Sequence[str], rows: Iterable[Sequence[str]], width: int) -> str:
    """Return a table for a terminal, with cells shortened until it has a width.

    Offsets and numbers are never shortened. Document names keep their ends, other cells their
    beginnings.

    >>> print(fitted_table(["document", "text"], [["guides/setup", "Bees dance well."]], 20), end="")
    document   text
    …es/setup  Bees dan…
    """
    from rich.cells import cell_len

    body = [[printable(cell) for cell in row] for row in (heading, *rows)]
    columns = list(zip(*body, strict=True))
    widths = [max(map(cell_len, column)) for column in columns]
    flexible = {
        index: max(cell_len(name), 8)
        for index, name in enumerate(heading)
        if name in ("question", "document", "best run", "worst run", "run", "returned by", "text")
    }
    while sum(widths) + _GAP * (len(widths) - 1) > width:
        wide = [index for index, least in flexible.items() if widths[index] > least]
        if not wide:
            break
        widths[max(wide, key=widths.__getitem__)] -= 1
    shortened = [
        [
            _shortened(cell, widths[index], from_start=heading[index] == "document")
            for index, cell in enumerate(row)
        ]
        for row in body[1:]
    ]
    return text_table(heading, shortened)


def _shortened(text: str, width: int, from_start: bool) -> str:
    """Return a text with a number of terminal cells at most, shortened at its start or end."""
    from rich.cells import cell_len

    if cell_len(text) <= width:
        return text
    kept = text[-width:] if from_start else text[:width]
    while cell_len(kept) > width - 1:
        kept = kept[1:] if from_start else kept[:-1]
    return f"…{kept}" if from_start else f"{kept}…"


def _number(value: float) -> str:
    return f"{value:.{_DECIMALS}f}"


def _similarity(value: float) -> str:
    """Return a similarity; one below 1 is never shown as 1."""
    return "1" if value == 1 else f"{min(value, 0.99):.2f}"


def _one_line(text: str) -> str:
    """Return the beginning of a text on one line, without control characters."""
    words = " ".join(text[:_SHOWN_CHARACTERS].split())
    return "".join(c if c.isprintable() else " " for c in words)
