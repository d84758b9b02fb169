"""Write the values of standard measures as trec_eval 10 does."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from xcg.errors import XcgError, printable
from xcg.evaluation.inputs import Inputs
from xcg.evaluation.results import Results
from xcg.judgements.recall_base import MEAN
from xcg.measures import MEASURES, Definition, Measure
from xcg.measures.definition import NO_CUTOFF
from xcg.measures.parser import SETS, TREC_NAMES
from xcg.measures.topic_gains import sum_in_order
from xcg.measures.trec_eval import relevance_string
from xcg.settings.schema import DEFAULT_MEASURES

_POSITIONS = {name: position for position, name in enumerate(TREC_NAMES)}
_NAMES = {measure: name for name, measure in TREC_NAMES.items()}
_NUMBER = re.compile(r"(?<=[@=])[0-9.]+(?=\)?\Z)")


class _Column(NamedTuple):
    """A measure of the output.

    Attributes:
        position: Sorts measures as trec_eval does.
        name: The name in trec_eval.
        measure: The canonical name in xcg.
        definition: The declaration of the measure.
    """

    position: tuple[int, float]
    name: str
    measure: str
    definition: Definition


def trec_eval_inputs(inputs: Inputs) -> Inputs:
    """Return inputs with the measures to evaluate: the official ones of trec_eval if none are given.

    ``all_trec`` has relstring too, which is no number.

    Raises:
        XcgError: If trec_eval has no name for a measure.
    """
    if inputs.measures == DEFAULT_MEASURES:
        inputs = replace(inputs, measures="official")
    if inputs.measure_list == MEASURES.parse_all("all_trec"):
        inputs = replace(inputs, measures=[*inputs.measure_list, "relstring"])
    _columns(inputs.measure_list)
    return inputs


def trec_eval_output(results: Results, per_topic: bool = False) -> str:
    """Write results as trec_eval does: name, topic and value between tabs, the name in 22 columns.

    Measures are in the order of trec_eval, and topics in string order. Sets of trec_eval, and several
    runs, have the line ``runid``; several runs are printed one after the other. Means are
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
    numbers = [measure for measure in measures if measure.definition.name != "relstring"]
    is_set = numbers in map(MEASURES.parse_all, SETS)
    values: dict[str, dict[str, dict[str, float]]] = {}
    for row in results:
        if row.topic != MEAN and row.user_model == results.user_models[0]:
            values.setdefault(row.run, {}).setdefault(row.topic, {})[row.measure] = row.value
    lines = []
    for run, by_topic in values.items():
        topics = sorted(by_topic)
        for topic in topics if per_topic else ():
            lines += [
                _line(column.name, topic, _written(by_topic[topic][column.measure], column.definition))
                for column in columns
                if column.name != "num_q" and column.definition.aggregate is None
            ]
        if is_set or len(values) > 1:
            lines.append(_line("runid", MEAN, run))
        for column in columns:
            if column.name == "relstring":
                continue
            definition = column.definition
            scores = [by_topic[topic][column.measure] for topic in topics]
            total = sum_in_order(scores) / (1 if definition.is_count else len(scores))
            if definition.aggregate is not None:
                total = definition.aggregate(scores, NO_CUTOFF, {})
            lines.append(_line(column.name, MEAN, _written(total, definition)))
    return "".join(lines)


def _columns(measures: Sequence[Measure]) -> list[_Column]:
    return sorted(map(_column, measures))


def _column(measure: Measure) -> _Column:
    text, definition = str(measure), measure.definition
    if text == "Rprec_mult":
        text = "Rprec_mult(x=1)"
    number = None if text in _NAMES else _NUMBER.search(text)
    name = _NAMES.get(_NUMBER.sub("#", text) if number else text)
    if name is None or definition.needs != "levels":
        raise XcgError(
            f"trec_eval has no name for {measure}: expected standard measures such as AP, P@10 and "
            "nDCG@10, no measures for the official ones of trec_eval, or all_trec"
        )
    value = float(number[0]) if number else 0.0
    written = f"{value:.2f}" if name.startswith(("iprec", "Rprec")) else f"{value:g}"
    if name == "set_F_#":
        written = repr(value)
    return _Column((_POSITIONS[name], value), name.replace("#", written), str(measure), definition)


def _line(name: str, topic: str, value: str) -> str:
    return f"{name:22}\t{printable(topic)}\t{printable(value)}\n"


def _written(value: float, definition: Definition) -> str:
    if definition.name == "relstring":
        return relevance_string(value)
    return f"{value:.0f}" if definition.is_count else f"{value:6.4f}"
