"""Read judgements and runs from tables: data frames of pandas and polars, and rows of ir_measures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import Any

from xcg.documents.paths import WHOLE, canonical_path, split_element_id
from xcg.errors import InputError, XcgError, nearest
from xcg.judgements.assessment import check_pair
from xcg.judgements.recall_base import RecallBase
from xcg.runs.columns import finite_number

Rankings = dict[str, dict[str, float] | list[str]]
"""Topic → element → score; or topic → elements in rank order if an element is repeated."""

_TOPIC = ("topic", "query_id", "qid")
_DOCUMENT = ("doc", "doc_id", "docno")
_LEVEL = ("level", "relevance", "label")
_IGNORED = ("iteration", "query", "docid")
"""Further columns of ir_measures and PyTerrier; docid is PyTerrier's internal number."""

_ELEMENT_COLUMNS = {"topic": _TOPIC, "document": _DOCUMENT, "path": ("path",)}
_GRADE_COLUMNS = {
    "level": _LEVEL,
    "exhaustivity": ("exhaustivity",),
    "specificity": ("specificity",),
    "characters": ("characters",),
    "nugget": ("nugget",),
}
_RUN_COLUMNS = {**_ELEMENT_COLUMNS, "score": ("score",), "rank": ("rank",)}


def qrels_from_frame(frame: Any) -> RecallBase:
    """Return the assessments in a data frame, for :func:`xcg.evaluate`.

    Args:
        frame: A pandas or polars DataFrame with these columns:

            - ``topic`` (or ``query_id``, ``qid``);
            - ``doc`` (or ``doc_id``, ``docno``): a file, a document or ``file#/path``;
            - ``path``, optional: the element's path, empty for whole documents;
            - ``level`` (or ``relevance``, ``label``), or ``exhaustivity`` and ``specificity``. If all
              rows have exhaustivity and specificity, the level is not used;
            - ``characters``, optional: the size of the element;
            - ``nugget``, optional: the name of a fact that the element states.

    Raises:
        XcgError: If a column is missing, unknown, or given under two names; or if a value is missing or
            illegal.

    >>> import pandas
    >>> rows = [("1", "d", "/a/s[1]", 2), ("1", "e", None, 0)]
    >>> qrels_from_frame(pandas.DataFrame(rows, columns=["qid", "docno", "path", "label"]))
    <RecallBase: 1 topics, 2 assessed elements>
    """
    name = "assessments"
    columns, rows = _read_frame(frame, name, {**_ELEMENT_COLUMNS, **_GRADE_COLUMNS})
    if ("exhaustivity" in columns) != ("specificity" in columns):
        missing = "specificity" if "exhaustivity" in columns else "exhaustivity"
        raise XcgError(
            f"{name}: no column {missing}: expected exhaustivity and specificity, or neither"
        )
    if not {"level", "exhaustivity"} & columns:
        expected = f"one of {', '.join(_LEVEL)}, or exhaustivity and specificity"
        raise XcgError(f"{name}: no column for the relevance: expected {expected}")
    return recall_base_of_rows(
        (where, *_element(row, where), {k: row[k] for k in _GRADE_COLUMNS if row.get(k) is not None})
        for where, row in rows
    )


def run_from_frame(frame: Any) -> Rankings:
    """Return the results in a data frame as the dicts that :func:`xcg.evaluate` takes for one run.

    Args:
        frame: A pandas or polars DataFrame with the columns ``topic``, ``doc`` and ``path`` as for
            :func:`qrels_from_frame`, and ``score`` or ``rank``. Equal scores keep the order of the
            frame, whatever their rank; without scores, equal ranks do.

    Returns:
        Topic → element → score; or topic → elements in rank order, without scores or if a topic repeats
        an element.

    Raises:
        XcgError: As :func:`qrels_from_frame`; or if ranks and scores contradict each other.

    >>> import pandas
    >>> rows = [("1", "d", "/a/s[1]", 2), ("1", "e", None, 1)]
    >>> run_from_frame(pandas.DataFrame(rows, columns=["qid", "docno", "path", "rank"]))
    {'1': ['e', 'd#/a/s[1]']}
    """
    columns, rows = _read_frame(frame, "run", _RUN_COLUMNS)
    key = "score" if "score" in columns else "rank"
    if key not in columns:
        raise XcgError("run: no column for the order: expected score or rank")
    if {"score", "rank"} <= columns:
        _check_order(rows)
    return nest_scores(((where, *_element(row, where), row[key]) for where, row in rows), key)


def _check_order(rows: Iterable[tuple[str, dict[str, Any]]]) -> None:
    """Raise XcgError if ranks and scores contradict each other, as those of distances do."""
    keys: dict[str, list[tuple[float, float]]] = {}
    for _, row in rows:
        rank, score = finite_number(row["rank"]), finite_number(row["score"])
        if rank is not None and score is not None:
            keys.setdefault(str(row["topic"]), []).append((rank, -score))
    for topic, pairs in keys.items():
        if any(before > after for (_, before), (_, after) in pairwise(sorted(pairs))):
            message = "a result has a better rank and a lower score than another one"
            raise XcgError(f"run, topic {topic}: {message}; expected one of these columns")


def _read_frame(
    frame: Any, name: str, columns: Mapping[str, tuple[str, ...]]
) -> tuple[set[str], list[tuple[str, dict[str, Any]]]]:
    """Read the known columns of a frame, given as standard name → legal names.

    Returns:
        The standard names of the frame's columns, and the values of each row with its number for
        messages.
    """
    polars = hasattr(frame, "to_dicts")
    if not polars and not (hasattr(frame, "to_dict") and hasattr(frame, "columns")):
        raise XcgError(
            f"{name} is of type {type(frame).__name__}: expected a DataFrame of pandas or polars"
        )
    standard_names = {alias: column for column, aliases in columns.items() for alias in aliases}
    found: dict[str, str] = {}
    for given in map(str, frame.columns):
        if given in _IGNORED:
            continue
        if given not in standard_names:
            raise XcgError(f"{name}: unknown column {given!r}: {nearest(given, standard_names)}")
        column = standard_names[given]
        if column in found:
            raise XcgError(f"{name}: two columns for the {column}, {found[column]} and {given}")
        found[column] = given
    for column in ("topic", "document"):
        if column not in found:
            expected = ", ".join(columns[column])
            raise XcgError(f"{name}: no column for the {column}: expected one of {expected}")
    records = frame.to_dicts() if polars else frame.to_dict("records")
    rows = [
        (
            f"{name}, row {number}",
            {column: value_or_none(record[given]) for column, given in found.items()},
        )
        for number, record in enumerate(records, 1)
    ]
    return set(found), rows


def _element(row: Mapping[str, Any], where: str) -> tuple[str, str]:
    """Return the topic and the element of a row."""
    for column in ("topic", "document"):
        if row[column] is None:
            raise InputError(where, f"no {column}")
    path = row.get("path")
    document = str(row["document"])
    if path in (None, "", WHOLE):
        return str(row["topic"]), document
    try:
        canonical_path(str(path))
    except ValueError as error:
        raise InputError(where, str(error)) from None
    return str(row["topic"]), f"{document}#{path}"


JudgedRow = tuple[str, str, str, Mapping[str, Any]]
"""A judgement: the row, for messages; the topic; a document or ``file#/path``; and the values that are
not None of level, exhaustivity, specificity, characters and nugget."""


def recall_base_of_rows(rows: Iterable[JudgedRow]) -> RecallBase:
    """Return a recall-base of judgements.

    The grades are (e, s) if all rows have both values, and levels otherwise.

    Raises:
        InputError: If an element or a value is illegal, or an element has two different judgements.
    """
    judged = list(rows)
    pairs = all({"exhaustivity", "specificity"} <= grades.keys() for *_, grades in judged)
    base = RecallBase()
    for where, topic, element, grades in judged:
        base.add_topic(topic, "assessments")
        level, size = (finite_number(grades.get(name)) for name in ("level", "characters"))
        has_pair = pairs and "nugget" not in grades
        if level is None and not has_pair:
            stated = f"the level is {grades['level']!r}" if "level" in grades else "no level"
            raise InputError(where, f"{stated}: expected a finite number")
        pair = (grades["exhaustivity"], grades["specificity"]) if has_pair else level
        try:
            (file, path), grade = split_element_id(element), check_pair(pair)
        except ValueError as error:
            raise InputError(where, str(error)) from None
        if "nugget" in grades:
            base.has_nuggets = True
            base.add_nugget(topic, str(grades["nugget"]), (file, path), grade.exhaustivity, where)
            continue
        if "characters" in grades:
            if size is None or not size.is_integer() or size < 0:
                expected = "expected the number of characters as an integer"
                raise InputError(where, f"the size is {grades['characters']!r}: {expected}")
            grade = grade._replace(characters=int(size))
        base.add(topic, file, path, grade, where)
    return base


def nest_scores(rows: Iterable[tuple[str, str, str, Any]], key: str = "score") -> Rankings:
    """Nest results by topic.

    Args:
        rows: For each result: the row for messages, topic, element, and score or rank.
        key: What orders the results: ``score`` or ``rank``.

    Returns:
        Scores by element; or elements in rank order if there are ranks, or a topic repeats an element,
        because repeated results count as overlap and keep their ranks.

    Raises:
        InputError: If a score or rank is not a finite number.
    """
    nested: dict[str, list[tuple[str, float]]] = {}
    for where, topic, element, score in rows:
        number = finite_number(score)
        if number is None:
            raise InputError(where, f"the {key} is {score!r}: expected a finite number")
        nested.setdefault(topic, []).append((element, number))
    rankings: Rankings = {}
    for topic, scored in nested.items():
        by_element = dict(scored)
        if key == "score" and len(by_element) == len(scored):
            rankings[topic] = by_element
        else:
            scored.sort(key=lambda pair: pair[1] if key == "rank" else -pair[1])
            rankings[topic] = [element for element, _ in scored]
    return rankings


def value_or_none(value: Any) -> Any:
    """Return a value of a data frame, and None for the missing values of pandas and polars."""
    missing = value is None or (not isinstance(value, str) and str(value) in ("nan", "<NA>", "NaT"))
    return None if missing else value
