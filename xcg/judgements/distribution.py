"""Count assessments by level or grade pair, in one set of judgements or two sets against each other."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import NamedTuple

from xcg.documents.paths import WHOLE
from xcg.errors import XcgError
from xcg.judgements.assessment import Assessment
from xcg.judgements.recall_base import RecallBase

MAX_LEVELS = 20
"""If assessments have more different levels, for example ratings, the levels are grouped."""
INTERVALS = 10
"""Number of intervals that more levels are grouped into."""

_SCALES = ("level", "four-point", "coverage", "share")
_COVERAGES = "NSLE"  # none, too small, too large, exact
_SHARE_LIMITS = (0.25, 0.5, 0.75, 1.0)

Unit = tuple[str, str, str]
"""What is assessed: topic, file and path."""


class Level(NamedTuple):
    """A class of assessments; levels sort from the lowest to the highest.

    Attributes:
        order: The key by which levels are sorted.
        label: For example ``level 2`` or ``(3,1)``.
        relevant: Whether assessments of the class are relevant.
    """

    order: tuple[int, float, float]
    label: str
    relevant: bool


_TEXT = len(_SCALES)
_WITHOUT_PASSAGES = Level((_TEXT, 0, 0), "documents without relevant passages", False)
_WITH_PASSAGES = Level((_TEXT, 1, 0), "documents with relevant passages", True)


class LevelCount(NamedTuple):
    """The number of assessments of a level.

    Attributes:
        level: Label of the level, for example ``level 2`` or ``(3,1)``.
        number: Number of assessments.
        share: Share of all assessments, 0 to 1.
        relevant_share: Share of the relevant assessments, 0 to 1; None if the level is not relevant.
    """

    level: str
    number: int
    share: float
    relevant_share: float | None


@dataclass(frozen=True)
class CrossTabulation:
    """The levels of two sets of judgements against each other.

    Attributes:
        rows: Labels of the levels of the first set, lowest first.
        columns: Labels of the levels of the second set, lowest first.
        counts: Number of documents and elements by row and column.
        only_first: Number of documents and elements that only the first set assesses.
        only_second: The same number for the second set.
    """

    rows: list[str]
    columns: list[str]
    counts: list[list[int]]
    only_first: int
    only_second: int


def level_distribution(base: RecallBase) -> list[LevelCount]:
    """Count the assessments of each level or grade pair.

    Assessed documents and elements are counted. A document with passages counts once, as relevant if
    it has a passage. More than 20 different levels are grouped into 10 intervals of equal width from 0
    to the highest level, which exclude their lower limits. On the scale of INEX 2005, specificity is
    grouped into quarters; full specificity is a class of its own.

    Returns:
        The levels that occur, from the lowest to the highest.

    >>> base = RecallBase.of({"1": {"a": 0, "b": 1, "c": 2}, "2": {"a": 1}})
    >>> [(one.level, one.number, one.share) for one in level_distribution(base)]
    [('level 0', 1, 0.25), ('level 1', 2, 0.5), ('level 2', 1, 0.25)]
    """
    counts = Counter(_levels(base).values())
    relevant = sum(count for level, count in counts.items() if level.relevant)
    total = counts.total()
    return [
        LevelCount(level.label, count, count / total, count / relevant if level.relevant else None)
        for level, count in sorted(counts.items())
    ]


def cross_tabulate(first: RecallBase, second: RecallBase) -> CrossTabulation:
    """Count the documents and elements for each level of one set and each level of another.

    Järvelin and Kekäläinen (2002), Table 1, compare four levels of relevance with the binary judgements
    of TREC in this form.

    Args:
        first: The judgements whose levels are the rows.
        second: The judgements whose levels are the columns.

    Raises:
        XcgError: If the sets share no assessed document or element of a topic.

    >>> new = RecallBase.of({"1": {"a": 0, "b": 1, "c": 2, "d": 0}})
    >>> old = RecallBase.of({"1": {"a": 0, "b": 1, "c": 1, "e": 1}})
    >>> table = cross_tabulate(new, old)
    >>> table.rows, table.columns, table.counts
    (['level 0', 'level 1', 'level 2'], ['level 0', 'level 1'], [[1, 0], [0, 1], [0, 1]])
    >>> table.only_first, table.only_second
    (1, 1)
    """
    rows, columns = _levels(first), _levels(second)
    both = rows.keys() & columns.keys()
    if not both:
        raise XcgError(
            "the two sets of judgements share no assessed document or element: expected judgements of "
            "the same topics and units, both of documents or both of elements"
        )
    counts = Counter((rows[unit], columns[unit]) for unit in both)
    row_levels = sorted({row for row, _ in counts})
    column_levels = sorted({column for _, column in counts})
    return CrossTabulation(
        [level.label for level in row_levels],
        [level.label for level in column_levels],
        [[counts[row, column] for column in column_levels] for row in row_levels],
        len(rows) - len(both),
        len(columns) - len(both),
    )


def _levels(base: RecallBase) -> dict[Unit, Level]:
    """Return the level of every assessed document and element."""
    assessed = {
        (topic, file, path): assessment
        for topic in base.topics
        for file, elements in base.files[topic].items()
        for path, assessment in elements.items()
    }
    values = {one.exhaustivity for one in assessed.values() if one.scale == "level"}
    width = max(values) / INTERVALS if len(values) > MAX_LEVELS else None
    levels = {unit: _level(assessment, width) for unit, assessment in assessed.items()}
    for topic in base.topics:
        elements = base.files[topic]
        for file, passages in (*base.spans[topic].items(), *base.passages[topic].items()):
            if file not in elements:
                levels[topic, file, WHOLE] = _WITH_PASSAGES if passages else _WITHOUT_PASSAGES
    return levels


def _level(assessment: Assessment, width: float | None) -> Level:
    """Return the class of an assessment; levels are in intervals of a width if it is not None."""
    scale, (e, s) = _SCALES.index(assessment.scale), assessment[:2]
    if assessment.scale == "level" and width is not None:
        if e <= 0:
            return Level((scale, 0, 0), "level 0 or below", False)
        # Rounding must not move the upper limit of an interval into the next one.
        index = max(1, math.ceil(e / width - 1e-9))
        return Level((scale, index, 0), f"level {(index - 1) * width:g} to {index * width:g}", True)
    if isinstance(s, str):
        return Level((scale, e, _COVERAGES.find(s)), assessment.label, assessment.relevant)
    if assessment.scale == "share" and 0 < s < 1:
        limit = next(limit for limit in _SHARE_LIMITS if s < limit)
        # Half of a limit is below 1, so that full specificity is the last class.
        return Level((scale, e, limit / 2), f"({e:g},<{limit:g})", assessment.relevant)
    return Level((scale, e, s), assessment.label, assessment.relevant)
