"""Arrange the levels of assessments as rows for tables and records."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xcg.judgements.distribution import CrossTabulation, LevelCount

Row = dict[str, Any]


def distribution_rows(levels: Sequence[LevelCount]) -> list[Row]:
    """Return one row per level, followed by the total."""
    total = sum(level.number for level in levels)
    relevant = any(level.relevant_share is not None for level in levels)
    last = LevelCount("total", total, 1.0, 1.0 if relevant else None)
    return [level._asdict() for level in (*levels, last)]


def cross_rows(table: CrossTabulation) -> list[Row]:
    """Return one row per level of the first set, followed by the total.

    Each level of the second set, and the total, has its number and its share of the column (Järvelin
    and Kekäläinen 2002, Table 1).
    """
    columns = [list(column) for column in zip(*table.counts, strict=True)]
    columns.append([sum(row) for row in table.counts])
    labels = [*table.columns, "total"]
    rows: list[Row] = [{"level": level} for level in (*table.rows, "total")]
    for label, counts in zip(labels, columns, strict=True):
        total = sum(counts)
        for row, count in zip(rows, (*counts, total), strict=True):
            row[label] = count
            row[f"{label} share"] = count / total
    return rows
