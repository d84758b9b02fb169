"""Write the values of standard measures as trec_eval 10 does."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from xcg.errors import XcgError, printable
from xcg.evaluation.inputs import Inputs
from xcg.evaluation.results import Results
from xcg.judgements.recall_base import MEAN
from xcg.measures import MEASURES, Measure
from xcg.measures.topic_gains import sum_in_order
from xcg.settings.keys import DEFAULT_MEASURES

OFFICIAL_MEASURES = (
    *("NumQ", "NumRet", "NumRel", "NumRelRet", "AP", "Rprec", "Bpref", "RR"),
    *(f"IPrec@{tenth / 10}" for tenth in range(11)),
    *(f"P@{rank}" for rank in (5, 10, 15, 20, 30, 100, 200, 500, 1000)),
)
"""The measures that trec_eval prints by default, without gm_map."""

_NAMES = {
    "NumQ": "num_q",
    "NumRet": "num_ret",
    "NumRel": "num_rel",
    "NumRet(rel)": "num_rel_ret",
    "AP": "map",
    "Rprec": "Rprec",
    "Bpref": "bpref",
    "RR": "recip_rank",
    "IPrec@": "iprec_at_recall_{:.2f}",
    "P@": "P_{:.0f}",
    "R@": "recall_{:.0f}",
    "infAP": "infAP",
    "nDCG": "ndcg",
    "nDCG@": "ndcg_cut_{:.0f}",
    "AP@": "map_cut_{:.0f}",
    "Success@": "success_{:.0f}",
    "SetP": "set_P",
    "SetP(relative=True)": "set_relative_P",
    "SetR": "set_recall",
    "SetAP": "set_map",
    "SetF": "set_F",
}
"""Measure without level and cutoff → name in trec_eval, in the order of trec_eval's output."""
_POSITIONS = {measure: position for position, measure in enumerate(_NAMES)}
_WITHOUT_LEVEL = ("NumQ", "NumRet", "nDCG", "nDCG@")

_PARTS = re.compile(r"(\w+)(?:\((.*)\))?(?:@(.+))?")
_LEVEL = re.compile(r"(?:^|,)rel=(\d+)")
_LEAST_AVERAGE_PRECISION = 0.00001
"""Average precision that the geometric mean uses instead of lower values."""


class _Column(NamedTuple):
    """A measure of the output.

    Attributes:
        position: Sorts measures as trec_eval does.
        name: The name in trec_eval.
        measure: The canonical name in xcg.
        is_count: Whether values are whole numbers, and the last one is their sum.
    """

    position: tuple[int, float]
    name: str
    measure: str
    is_count: bool


def trec_eval_inputs(inputs: Inputs) -> Inputs:
    """Return inputs with the measures to evaluate: the official ones of trec_eval if none are given.

    Raises:
        XcgError: If trec_eval has no name for a measure, or the measures have several levels.
    """
    if inputs.measures == DEFAULT_MEASURES:
        inputs = replace(inputs, measures=OFFICIAL_MEASURES)
    _columns(inputs.measure_list)
    return inputs


def trec_eval_output(results: Results, per_topic: bool = False) -> str:
    """Write results as trec_eval does: name, topic and value between tabs, the name in 22 columns.

    Measures are in the order of trec_eval, and topics in string order. The official measures, and
    several runs, have the line ``runid``; several runs are printed one after the other. Means are
    computed in the order of the topics, so that they round as in trec_eval.

    Args:
        results: Values of the inputs that :func:`trec_eval_inputs` returns.
        per_topic: Whether to write the values of each topic before those over all topics, as
            ``trec_eval -q`` does.

    Raises:
        XcgError: As :func:`trec_eval_inputs`.
    """
    measures = MEASURES.parse_all(results.measures)
    columns = _columns(measures)
    official = measures == MEASURES.parse_all(OFFICIAL_MEASURES)
    values: dict[str, dict[str, dict[str, float]]] = {}
    for row in results:
        if row.topic != MEAN and row.user_model == results.user_models[0]:
            values.setdefault(row.run, {}).setdefault(row.topic, {})[row.measure] = row.value
    lines = []
    for run, by_topic in values.items():
        topics = sorted(by_topic)
        for topic in topics if per_topic else ():
            lines += [
                _line(column.name, topic, _written(by_topic[topic][column.measure], column.is_count))
                for column in columns
                if column.name != "num_q"
            ]
        if official or len(values) > 1:
            lines.append(_line("runid", MEAN, run))
        for column in columns:
            scores = [by_topic[topic][column.measure] for topic in topics]
            total = sum_in_order(scores) / (1 if column.is_count else len(scores))
            lines.append(_line(column.name, MEAN, _written(total, column.is_count)))
            if official and column.name == "map":
                lines.append(_line("gm_map", MEAN, _written(_geometric_mean(scores))))
    return "".join(lines)


def _columns(measures: Sequence[Measure]) -> list[_Column]:
    columns = []
    levels: dict[int, str] = {}
    for measure in measures:
        column, level = _column(measure)
        columns.append(column)
        if level is not None:
            levels[level] = str(measure)
    if len(levels) > 1:
        raise XcgError(
            f"{' and '.join(levels.values())} differ in rel, but trec_eval has one level of relevance "
            "for all measures (-l): expected measures with one value of rel"
        )
    return sorted(columns)


def _column(measure: Measure) -> tuple[_Column, int | None]:
    """Return a measure's column and its level of relevance, None if it has none."""
    match = _PARTS.fullmatch(str(measure))
    assert match is not None
    name, parameters, cutoff = match.groups(default="")
    level = _LEVEL.search(parameters)
    others = _LEVEL.sub("", parameters).strip(",")
    key = f"{name}({others})" if others else name
    if name == "NumRet" and level:
        key = "NumRet(rel)"
    if cutoff:
        key += "@"
    suffix, number = "", float(cutoff or 0)
    if name == "SetF" and others.startswith("beta="):
        beta = others.removeprefix("beta=")
        key, number, suffix = name, float(beta), f"_{beta}"
    if key not in _NAMES or measure.definition.needs != "levels":
        raise XcgError(
            f"trec_eval has no name for {measure}: expected standard measures such as AP, P@10 and "
            "nDCG@10, or no measures for the official ones of trec_eval"
        )
    column = _Column(
        (_POSITIONS[key], number),
        _NAMES[key].format(number) + suffix,
        str(measure),
        measure.definition.is_count,
    )
    return column, None if key in _WITHOUT_LEVEL else int(level[1]) if level else 1


def _line(name: str, topic: str, value: str) -> str:
    return f"{name:22}\t{printable(topic)}\t{printable(value)}\n"


def _written(value: float, is_count: bool = False) -> str:
    return f"{value:.0f}" if is_count else f"{value:6.4f}"


def _geometric_mean(values: Sequence[float]) -> float:
    logarithms = [math.log(max(value, _LEAST_AVERAGE_PRECISION)) for value in values]
    return math.exp(sum_in_order(logarithms) / len(values))
