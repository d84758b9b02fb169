"""Read judgements and runs from pandas and polars data frames."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from xcg.documents.paths import WHOLE
from xcg.errors import InputError, XcgError, nearest
from xcg.integrations.tabular import (
    JudgedRow,
    Judgements,
    Rankings,
    finite_number,
    nest_judgements,
    nest_scores,
    value_or_none,
)

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
}
_RUN_COLUMNS = {**_ELEMENT_COLUMNS, "score": ("score",), "rank": ("rank",)}


def qrels_from_frame(frame: Any) -> Judgements:
    """Return the assessments in a data frame as the dicts that :func:`xcg.evaluate` takes.

    Args:
        frame: A pandas or polars DataFrame with these columns:

            - ``topic`` (or ``query_id``, ``qid``);
            - ``doc`` (or ``doc_id``, ``docno``): a file, a document or ``file#/path``;
            - ``path``, optional: the element's path, empty for whole documents;
            - ``level`` (or ``relevance``, ``label``), or ``exhaustivity`` and ``specificity``. If all
              rows have exhaustivity and specificity, the level is not used;
            - ``characters``, optional: the size of the element.

    Raises:
        XcgError: If a column is missing, unknown, or given under two names; or if a value is missing or
            illegal.

    >>> import pandas
    >>> rows = [("1", "d", "/a/s[1]", 2), ("1", "e", None, 0)]
    >>> qrels_from_frame(pandas.DataFrame(rows, columns=["qid", "docno", "path", "label"]))
    {'1': {'d': {'/a[1]/s[1]': 2}, 'e': 0}}
    """
    name = "assessments"
    table = _read_frame(frame, name, {**_ELEMENT_COLUMNS, **_GRADE_COLUMNS})
    if ("exhaustivity" in table.columns) != ("specificity" in table.columns):
        missing = "specificity" if "exhaustivity" in table.columns else "exhaustivity"
        raise XcgError(
            f"{name}: no column {missing}: expected exhaustivity and specificity, or neither"
        )
    if not {"level", "exhaustivity"} & table.columns:
        expected = f"one of {', '.join(_LEVEL)}, or exhaustivity and specificity"
        raise XcgError(f"{name}: no column for the relevance: expected {expected}")
    return nest_judgements(
        JudgedRow(where, *_element(row, where), *(row.get(grade) for grade in _GRADE_COLUMNS))
        for where, row in table.rows
    )


def run_from_frame(frame: Any) -> Rankings:
    """Return the results in a data frame as the dicts that :func:`xcg.evaluate` takes for one run.

    Args:
        frame: A pandas or polars DataFrame with the columns ``topic``, ``doc`` and ``path`` as for
            :func:`qrels_from_frame`, and ``score`` or ``rank``. Equal scores are ordered as by
            trec_eval, whatever their rank. Without scores, equal ranks keep the order of the frame.

    Returns:
        Topic → element → score; or topic → elements in rank order, without scores or if a topic repeats
        an element.

    Raises:
        XcgError: As :func:`qrels_from_frame`.

    >>> import pandas
    >>> rows = [("1", "d", "/a/s[1]", 2), ("1", "e", None, 1)]
    >>> run_from_frame(pandas.DataFrame(rows, columns=["qid", "docno", "path", "rank"]))
    {'1': ['e', 'd#/a/s[1]']}
    """
    table = _read_frame(frame, "run", _RUN_COLUMNS)
    if "score" in table.columns:
        return nest_scores((where, *_element(row, where), row["score"]) for where, row in table.rows)
    if "rank" not in table.columns:
        raise XcgError("run: no column for the order: expected score or rank")
    ranked: dict[str, list[tuple[float, str]]] = {}
    for where, row in table.rows:
        topic, element = _element(row, where)
        rank = finite_number(row["rank"])
        if rank is None:
            raise InputError(where, f"the rank is {row['rank']!r}: expected a number")
        ranked.setdefault(topic, []).append((rank, element))
    return {
        topic: [element for _, element in sorted(results, key=lambda pair: pair[0])]
        for topic, results in ranked.items()
    }


class _Table(NamedTuple):
    columns: set[str]  # by their standard names, like "document"
    rows: list[tuple[str, dict[str, Any]]]  # the row for messages, and its values


def _read_frame(frame: Any, name: str, columns: Mapping[str, tuple[str, ...]]) -> _Table:
    """Read the known columns of a frame, given as standard name → legal names."""
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
    return _Table(set(found), rows)


def _element(row: Mapping[str, Any], where: str) -> tuple[str, str]:
    """Return the topic and the element of a row."""
    for column in ("topic", "document"):
        if row[column] is None:
            raise InputError(where, f"no {column}")
    path = row.get("path")
    document = str(row["document"])
    return str(row["topic"]), document if path in (None, "", WHOLE) else f"{document}#{path}"
