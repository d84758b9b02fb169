"""Nest rows of judgements and of results as the mappings that :func:`xcg.evaluate` takes."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from xcg.documents.paths import WHOLE, split_element_id
from xcg.errors import InputError
from xcg.judgements.recall_base import Assessment, check_pair

Grade = int | tuple[float, float] | Assessment
Judgements = dict[str, dict[str, int | dict[str, Grade]]]
"""Topic → file → path → level, (e, s) or assessment with size; or topic → document → level."""

Rankings = dict[str, dict[str, float] | list[str]]
"""Topic → element → score; or topic → elements in rank order if an element is repeated."""


class JudgedRow(NamedTuple):
    """A judgement of one element.

    Attributes:
        where: The row, for messages.
        topic: The topic.
        element: A document or ``file#/path``.
        level: Level of relevance, or None.
        exhaustivity: Exhaustivity, or None.
        specificity: Specificity, or None.
        characters: Size of the element, or None.
    """

    where: str
    topic: str
    element: str
    level: Any
    exhaustivity: Any
    specificity: Any
    characters: Any = None


def nest_judgements(rows: Iterable[JudgedRow]) -> Judgements:
    """Nest judgements by topic, file and path.

    The grades are (e, s) if all rows have both values, and levels otherwise.

    Raises:
        InputError: If an element or a value is illegal, or an element has two different judgements.
    """
    judged = list(rows)
    pairs = all(row.exhaustivity is not None and row.specificity is not None for row in judged)
    nested: dict[str, dict[str, dict[str, Grade]]] = {}
    for row in judged:
        try:
            file, path = split_element_id(row.element)
        except ValueError as error:
            raise InputError(row.where, str(error)) from None
        grade: Grade = (row.exhaustivity, row.specificity) if pairs else _level(row)
        if row.characters is not None:
            grade = check_pair(grade, row.where)._replace(characters=_size(row))
        elements = nested.setdefault(row.topic, {}).setdefault(file, {})
        if elements.setdefault(path, grade) != grade:
            raise InputError(
                row.where,
                f"topic {row.topic}, {row.element}: judged {grade}, but {elements[path]} before; "
                "expected one judgement per element",
            )
    return {
        topic: {file: _level_of_document(elements) for file, elements in files.items()}
        for topic, files in nested.items()
    }


def _level_of_document(elements: dict[str, Grade]) -> int | dict[str, Grade]:
    """Return a level instead of a mapping if only the whole document is judged."""
    whole = elements.get(WHOLE)
    return whole if len(elements) == 1 and isinstance(whole, int) else elements


def _level(row: JudgedRow) -> int:
    if row.level is None:
        raise InputError(row.where, "no level of relevance")
    number = finite_number(row.level)
    if number is None or not number.is_integer():
        raise InputError(row.where, f"the level is {row.level!r}: expected an integer")
    return int(number)


def _size(row: JudgedRow) -> int:
    number = finite_number(row.characters)
    if number is None or not number.is_integer() or number < 0:
        raise InputError(
            row.where,
            f"the size is {row.characters!r}: expected the number of characters as an integer",
        )
    return int(number)


def nest_scores(rows: Iterable[tuple[str, str, str, Any]]) -> Rankings:
    """Nest results by topic.

    Args:
        rows: For each result: the row for messages, topic, element and score.

    Returns:
        Scores by element; or elements in trec_eval's order if a topic repeats an element, because
        repeated results count as overlap and keep their ranks.

    Raises:
        InputError: If a score is not a finite number.
    """
    nested: dict[str, list[tuple[str, float]]] = {}
    for where, topic, element, score in rows:
        number = finite_number(score)
        if number is None:
            raise InputError(where, f"the score is {score!r}: expected a finite number")
        nested.setdefault(topic, []).append((element, number))
    rankings: Rankings = {}
    for topic, scored in nested.items():
        by_element = dict(scored)
        if len(by_element) == len(scored):
            rankings[topic] = by_element
        else:
            scored.sort(key=lambda pair: (float(np.float32(pair[1])), pair[0]), reverse=True)
            rankings[topic] = [element for element, _ in scored]
    return rankings


def finite_number(value: Any) -> float | None:
    """Return a finite number as float, and None for anything else, including texts and booleans."""
    if isinstance(value, (str, bytes, bool, np.bool_)):
        return None
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def value_or_none(value: Any) -> Any:
    """Return a value of a data frame, and None for the missing values of pandas and polars."""
    missing = value is None or (not isinstance(value, str) and str(value) in ("nan", "<NA>", "NaT"))
    return None if missing else value
