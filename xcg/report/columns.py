"""Declare the columns of the tables that commands print.

A declaration says how a field of records is written for people; records for programs do not use it. On
a narrow terminal, columns with a priority number are hidden, the highest number first.
"""

from __future__ import annotations

from collections.abc import Sequence

from xcg.tables import Column


def chunk_columns(unit: str, budgets: Sequence[int] = ()) -> list[Column]:
    """Declare the columns of ``xcg chunks``.

    Args:
        unit: The unit of amounts of text.
        budgets: The amounts of text after which nxCG is computed.
    """
    texts = ("text", "new", "again", "irrelevant", "seen", "after")
    return [
        Column("run", is_key=True),
        Column("questions", kind="count", priority=2),
        Column("unanswered", kind="count", priority=3, meaning="questions without a result"),
        Column("nothing found", kind="count", priority=2, meaning="questions without relevant text"),
        Column("chunks", kind="score", decimals=1, priority=1, meaning="results per question"),
        Column(
            f"{unit}/chunk", kind="score", decimals=1, priority=1, meaning="mean length of a result"
        ),
        Column(unit, kind="score", decimals=1, meaning=f"{unit} read per question"),
        Column("found", meaning="share of the gold text that was returned"),
        Column("useful", meaning="share of the text read that is relevant and new"),
        Column("twice", meaning="share of the text read that had been read before"),
        Column("MAep", meaning="mean average effort-precision"),
        *(
            Column(f"nxCG@{budget}", meaning=f"share of the ideal gain after {budget} {unit}")
            for budget in budgets
        ),
        *(Column(name, kind="score", decimals=1) for name in texts),
    ]
