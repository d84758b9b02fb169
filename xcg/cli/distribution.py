"""The command ``xcg distribution``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import click

from xcg.cli.command import command
from xcg.cli.options import (
    ANY_PATH,
    corpus_option,
    lenient_option,
    no_cache_option,
    paths_option,
)
from xcg.cli.output import TABLES, Printed, prints
from xcg.cli.unused_options import refuse_unused
from xcg.documents.standard_input import STANDARD_INPUT
from xcg.errors import XcgError
from xcg.evaluation.config import load_configuration
from xcg.evaluation.inputs import Inputs
from xcg.formats.base import read_assessments
from xcg.judgements.anchoring import anchor
from xcg.judgements.distribution import CrossTabulation, cross_tabulate, level_distribution
from xcg.judgements.recall_base import RecallBase
from xcg.report.columns import DISTRIBUTION
from xcg.report.validation import cross_rows, distribution_rows
from xcg.statistics.rank_correlation import level_correlation


@command(
    example="xcg distribution configs/quickstart.yaml --other-assessments assessments/handbook-second"
)
@click.argument("config", required=False, type=ANY_PATH)
@paths_option(
    "--assessments",
    help="Count the assessments in this file, folder or glob pattern; - is standard input.",
)
@corpus_option()
@paths_option(
    "--other-assessments",
    help="Cross-tabulate with these assessments: a file, folder, glob pattern or -.",
)
@click.option("--topic", "topics", multiple=True, metavar="ID", help="Count only this topic.")
@click.option(
    "--unassessed",
    is_flag=True,
    help="With --other-assessments, also count what only one of the two sets assesses.",
)
@lenient_option
@no_cache_option
@prints(*TABLES)
def distribution(
    config: Path | None,
    assessments: Sequence[str],
    corpus: str | None,
    other_assessments: Sequence[str],
    topics: Sequence[str],
    unassessed: bool,
    lenient: bool,
) -> Printed:
    """Count the assessments of each level or grade pair.

    The shares are those of all assessments, and of the relevant ones. More than 20 different levels are
    grouped into 10 intervals of equal width.

    With --other-assessments, the rows are the levels of --assessments and the columns the levels of the
    others, with their shares of the column, as in Table 1 of Järvelin & Kekäläinen 2002. Only documents
    and elements that both sets assess are counted. For levels of relevance, a note states Pearson's
    correlation (Scheel, Lommatzsch & Albayrak 2011, section 2.2).
    """
    refuse_unused(not other_assessments, "without --other-assessments PATH", "--unassessed")
    if str(STANDARD_INPUT) in assessments and str(STANDARD_INPUT) in other_assessments:
        raise XcgError("standard input holds one set: expected a file for --other-assessments")
    inputs = load_configuration(config) if config is not None else Inputs()
    inputs = replace(inputs, lenient=lenient)
    if assessments:
        inputs = replace(inputs, assessments=assessments)
    if corpus is not None:
        inputs = replace(inputs, corpus=Path(corpus))
    if not inputs.assessments:
        raise XcgError("no assessments: expected a CONFIG.yaml or --assessments PATH")
    base, notes = inputs.recall_base, inputs.notes
    if not other_assessments:
        rows = distribution_rows(level_distribution(base, topics))
        return Printed(rows, notes.lines(), columns=DISTRIBUTION)
    other = anchor(read_assessments(other_assessments, notes), inputs.documents, notes)
    table = cross_tabulate(base, other, topics, unassessed)
    lines = [*notes.lines(), *_differences(base, other, table, unassessed)]
    if not topics:
        lines += _correlation(base, other)
    return Printed(cross_rows(table), lines, columns=DISTRIBUTION)


def _correlation(first: RecallBase, second: RecallBase) -> list[str]:
    """Return a note on the correlation of two sets of levels; nothing if it is undefined."""
    value, number = level_correlation(first, second)
    if value is None:
        return []
    return [
        f"note: Pearson's correlation of the levels of {number} documents and elements is {value:.4f}"
    ]


def _differences(
    first: RecallBase, second: RecallBase, table: CrossTabulation, unassessed: bool
) -> list[str]:
    """Return notes about what only one of the two sets assesses."""
    found = []
    topics = [sum(topic not in table.topics for topic in base.topics) for base in (first, second)]
    if any(topics):
        found.append(
            f"note: {len(table.topics)} topics are counted, but not {topics[0]} of --assessments and "
            f"{topics[1]} of --other-assessments"
        )
    if (table.only_first or table.only_second) and not unassessed:
        found.append(
            f"note: {table.only_first} documents and elements are only in --assessments, "
            f"{table.only_second} only in --other-assessments; --unassessed counts them"
        )
    return found
