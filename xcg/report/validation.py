"""Arrange the levels of assessments, and the findings of a validation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xcg.errors import printable
from xcg.evaluation.validation import Report
from xcg.judgements.distribution import CrossTabulation, LevelCount
from xcg.report.columns import DISTRIBUTION
from xcg.tables import Column, Table
from xcg.terminal_tables import Block, Prose, separated

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


def report_blocks(report: Report) -> list[Block]:
    """Return the findings of a validation as tables and sentences."""
    counts = [
        [name, count if isinstance(count, int) else f"{count:.4f}"]
        for name, count in report.counts.items()
    ]
    lines = [
        f"{finding.level}: {finding.kind}: {finding.count}; the first: {finding.first}"
        for finding in report.findings
    ] or ["clean: no errors and no warnings"]
    lines += [f"note: {note}" for note in report.data.notes]
    tables = [
        Table([Column("what was read"), Column("number", kind="count")], counts, is_limited=False)
    ]
    if report.levels:
        tables.append(Table.of_records(distribution_rows(report.levels), DISTRIBUTION))
    findings = Prose("".join(f"{printable(line)}\n" for line in lines))
    return [*separated(tables), "\n", findings]
