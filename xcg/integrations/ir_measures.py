"""xcg's measures in ir_measures, and so in PyTerrier; and evaluation of data frames.

Importing this module makes ir_measures know the measures of gains: ``ir_measures.parse_measure``,
``iter_calc``, ``calc_aggregate`` and all that builds on them take ``nxCG@10`` beside ``nDCG@10``. A
``doc_id`` is ``file#/path`` or a whole document; a result that lies inside an earlier one, contains or
repeats it is overlap, as everywhere in xcg. A topic's value is that of :func:`xcg.evaluate` without a
corpus.

>>> import ir_measures
>>> from xcg.integrations.ir_measures import MAep, nxCG
>>> qrels = {"1": {"d#/a": 1, "d#/a/s[1]": 3, "e": 1}}
>>> run = {"1": {"d#/a/s[1]": 2.5, "d#/a": 2.0, "e": 1.0}}
>>> means = ir_measures.calc_aggregate([nxCG @ 2, MAep], qrels, run)
>>> means[nxCG @ 2], round(means[MAep], 3)
(0.75, 0.833)

Names: those of xcg, but ``xcg_Q`` and ``xcg_R``, since R is another measure in ir_measures. Parameters: xcg's, quoted (``MAep(unretrieved='max')``), and ``user_model``, the
name or file of one. Without it that is ``levels``, or ``kazai-lalmas-2006`` where every qrel has the
fields ``exhaustivity`` and ``specificity``, which then count instead of ``relevance``. A field
``characters`` states the size of the element, which user models need where a result contains earlier
ones. Without a corpus a whole document and its root are one element.

Means are ir_measures': over all topics with qrels, of which one without an ideal gain counts 0. xcg
leaves such a topic out of its means.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple, cast

import numpy as np

try:
    import ir_measures
except ImportError as _error:
    raise ImportError(
        "xcg.integrations.ir_measures needs ir_measures: pip install 'xcg[trec]'"
    ) from _error
from ir_measures.measures import ParamInfo
from ir_measures.measures import registry as _registry
from ir_measures.providers.base import Any as _Accepted

from xcg.documents.paths import WHOLE, split_element_id
from xcg.errors import InputError, Notes, XcgError, nearest
from xcg.judgements.recall_base import MEAN, Assessment, RecallBase, check_pair
from xcg.measures import MEASURES, Definition, Measure, Number

__all__ = [
    "NDCNG",
    "MAep",
    "MAnxCG",
    "MAnxDCG",
    "MAxCG",
    "MAxDCG",
    "XcgMeasure",
    "XcgProvider",
    "avgNDCNG",
    "ep",
    "gPrecision",
    "gRecall",
    "gr",
    "iMAep",
    "muAP",
    "nxCG",
    "nxDCG",
    "provider",
    "qrels_from_frame",
    "run_from_frame",
    "xAP",
    "xCG",
    "xDCG",
    "xcg_Q",
    "xcg_R",
]

Grade = int | tuple[float, float] | Assessment
Judgements = dict[str, dict[str, int | dict[str, Grade]]]
"""Topic → file → path → level or (e, s), with a size as Assessment; topic → document → level where only
the whole is judged."""

Rankings = dict[str, dict[str, float] | list[str]]
"""Topic → element → score; topic → elements in order where scores cannot say it."""


class XcgMeasure(ir_measures.Measure):
    """A measure of xcg as ir_measures has them: ``nxCG @ 10``, ``MAep(unretrieved="max")``.

    Unlike ir_measures' own, wrong parameters are XcgError, which is a ValueError.
    """

    definition: ClassVar[Definition]

    def __init__(self, **params: Any) -> None:
        # Unknown names cannot wait for validate_params: ir_measures prints the measure before.
        own = [name for name in self.SUPPORTED_PARAMS if name != self.AT_PARAM]
        for name in params:
            if name not in (self.AT_PARAM, *own):
                raise XcgError(f"{self.NAME} has no parameter {name!r}: {nearest(name, own)}")
        # ir_measures tells measures apart by their print, where 1 is not 1.0 and order counts.
        given = [name for name in (self.AT_PARAM, *own) if name in params]
        super().__init__(**{name: self._exact(name, params[name]) for name in given})  # type: ignore[no-untyped-call]

    def _exact(self, name: str, value: Any) -> Any:
        info = self.SUPPORTED_PARAMS.get(name)
        number = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(
            value, bool
        )
        if info is None or not number:
            return value
        if info.dtype is float:
            return float(value)
        return int(value) if info.dtype is int and value == value // 1 < math.inf else value

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (self.NAME, self.params)

    def validate_params(self) -> None:
        """Raise XcgError for parameters that the measure lacks or takes otherwise."""
        if not self.validated:
            self.asked()
            self.validated = True

    def asked(self) -> Measure:
        """Return the measure as xcg has it; XcgError where it has none such."""
        brackets = {}
        for name, value in self.params.items():
            if name == "user_model":
                if not isinstance(value, str):
                    raise XcgError(f"{self.NAME}: illegal user_model {value!r}: expected a name")
            elif name != self.AT_PARAM:
                brackets[name] = value
        text = self.definition.name
        if brackets:
            text += f"({','.join(f'{name}={value}' for name, value in brackets.items())})"
        if self.AT_PARAM in self.params:
            text += f"@{self.params[self.AT_PARAM]}"
        return MEASURES.parse(text)


def _restored(name: str, params: Mapping[str, Any]) -> XcgMeasure:
    kind: type[XcgMeasure] = type(_registry[name])
    return kind(**params)


def _offered(name: str) -> XcgMeasure:
    """Register a measure with ir_measures, in place of what an earlier import registered."""
    definition = MEASURES.definition(name)
    taken = name in _registry and not hasattr(_registry[name], "definition")
    label = f"xcg_{name}" if taken or name in ("Q", "R") else name
    at = "cutoff" if definition.cutoff is None or definition.cutoff.whole else "recall"
    supported = {}
    if definition.cutoff is not None:
        kind = int if definition.cutoff.whole else float
        required = definition.cutoff.required
        supported[at] = _info(dtype=kind, required=required, desc=definition.cutoff.name)
    for parameter, legal in definition.parameters.items():
        if parameter == "mean":
            continue  # what is no mean of topics' values cannot come out of ir_measures
        # No defaults here: what is not said is the user model's to say.
        if isinstance(legal, Number):
            supported[parameter] = _info(dtype=int if legal.whole else float, desc=str(legal))
        else:
            supported[parameter] = _info(dtype=str, choices=legal, desc=" or ".join(legal))
    supported["user_model"] = _info(dtype=str, desc="name or file of an xcg user model")
    content = {
        "__doc__": f"{definition.title}: {definition.formula} ({definition.source}).",
        "__module__": __name__,
        "__name__": label,
        "NAME": label,
        "PRETTY_NAME": definition.title,
        "SHORT_DESC": definition.formula,
        "AT_PARAM": at,
        "SUPPORTED_PARAMS": supported,
        "definition": definition,
    }
    measure: XcgMeasure = type(f"_{label}", (XcgMeasure,), content)()
    _registry[label] = measure
    return measure


def _info(**given: Any) -> ParamInfo:
    return ParamInfo(**given)  # type: ignore[no-untyped-call]


# Measures that may be undefined for a topic, and those where less is better, are not offered:
# ir_measures counts a topic without a value 0.
xCG = _offered("xCG")  # noqa: N816
nxCG = _offered("nxCG")  # noqa: N816
MAxCG = _offered("MAxCG")
MAnxCG = _offered("MAnxCG")
gr = _offered("gr")
ep = _offered("ep")
MAep = _offered("MAep")
iMAep = _offered("iMAep")  # noqa: N816
xcg_Q = _offered("Q")  # noqa: N816
xcg_R = _offered("R")  # noqa: N816
xDCG = _offered("xDCG")  # noqa: N816
nxDCG = _offered("nxDCG")  # noqa: N816
MAxDCG = _offered("MAxDCG")
MAnxDCG = _offered("MAnxDCG")
NDCNG = _offered("NDCNG")
avgNDCNG = _offered("avgNDCNG")  # noqa: N816
xAP = _offered("xAP")  # noqa: N816
muAP = _offered("muAP")  # noqa: N816
gPrecision = _offered("gPrecision")  # noqa: N816
gRecall = _offered("gRecall")  # noqa: N816


def _accepting(measure: XcgMeasure) -> XcgMeasure:
    """Return a measure that says to ir_measures that all its parameters are supported."""
    accepted = {
        name: _Accepted(required=info.required)  # type: ignore[no-untyped-call]
        for name, info in measure.SUPPORTED_PARAMS.items()
    }
    return type(measure)(**accepted)


class XcgProvider(ir_measures.Provider):
    """xcg: measures for the retrieval of parts of documents, where results may overlap."""

    NAME = "xcg"
    SUPPORTED_MEASURES: ClassVar[list[ir_measures.Measure]] = [  # type: ignore[misc]
        _accepting(measure) for measure in _registry.values() if isinstance(measure, XcgMeasure)
    ]

    def _evaluator(self, measures: Iterable[ir_measures.Measure], qrels: Any) -> ir_measures.Evaluator:
        return _Evaluator(list(measures), qrels)

    def run_inputs(self, measures: Iterable[ir_measures.Measure]) -> list[str]:
        """Return the fields that a run must have."""
        return ["query_id", "doc_id", "score"]

    def qrel_inputs(self, measures: Iterable[ir_measures.Measure]) -> list[str]:
        """Return the fields that qrels must have; exhaustivity and specificity are used if there."""
        return ["query_id", "doc_id", "relevance"]

    def install_instructions(self) -> str:
        """Return what to install."""
        return "pip install 'xcg[trec]'"


class _Evaluator(ir_measures.Evaluator):
    """Qrels and measures, ready for any number of runs."""

    def __init__(self, measures: Sequence[ir_measures.Measure], qrels: Any) -> None:
        from xcg.evaluation.default_models import default_model
        from xcg.evaluation.inputs import resolve_user_models

        judgements, self._query_ids = _judgements(qrels)
        super().__init__(measures, set(self._query_ids.values()))
        self._base = RecallBase.of(cast(Any, judgements))
        self._groups = []
        by_model: dict[str | None, dict[str, list[Any]]] = {}
        measure: Any  # perhaps one that an earlier import made
        for measure in measures:
            named = by_model.setdefault(measure.params.get("user_model"), {})
            named.setdefault(str(measure.asked()), []).append(measure)
        for name, named in by_model.items():
            models = [default_model(self._base)] if name is None else resolve_user_models(name)
            if len(models) != 1:
                raise XcgError(f"user_model={name!r} means {len(models)} user models: expected one")
            if _has_ideal(self._base, models[0]):
                self._groups.append((models[0], named))

    def _iter_calc(self, run: Any) -> Iterator[ir_measures.Metric]:
        from xcg.evaluation.evaluate import evaluate

        rankings = _rankings(run)
        for model, named in self._groups:
            for figure in evaluate(self._base, {"run": rankings}, None, model, list(named)):
                if figure.topic != MEAN:
                    for measure in named[figure.measure]:
                        yield ir_measures.Metric(self._query_ids[figure.topic], measure, figure.value)


def _has_ideal(base: Any, model: Any) -> bool:
    """Tell whether any topic has an ideal gain; an evaluation over none is an error to xcg."""
    from xcg.evaluation.campaign import Campaign
    from xcg.gains.topic import Stages

    campaign = Campaign(base, [], None, Notes())
    return any(Stages(campaign.topic(topic), campaign).ideal(model).gains for topic in base.topics)


def _registered() -> XcgProvider:
    """Register the provider in place of one that an earlier import registered."""
    made = XcgProvider()  # type: ignore[no-untyped-call]
    ir_measures.providers.register(made)  # type: ignore[no-untyped-call]
    pipeline = ir_measures.DefaultPipeline
    others = [other for other in pipeline.providers if other.NAME != made.NAME]
    pipeline.providers[:] = [*others, made]
    return made


provider = _registered()


class _Judged(NamedTuple):
    """One row of qrels; grades of None are not there."""

    where: str
    topic: str
    element: str
    level: Any
    exhaustivity: Any
    specificity: Any
    characters: Any = None


def _gathered(rows: Iterable[_Judged]) -> Judgements:
    """Nest judgements, as (e, s) where all have both, else as levels.

    Raises InputError for an illegal element or level, and for two judgements of one element.
    """
    listed = list(rows)
    pairs = all(row.exhaustivity is not None and row.specificity is not None for row in listed)
    nested: dict[str, dict[str, dict[str, Grade]]] = {}
    for row in listed:
        try:
            file, path = split_element_id(row.element)
        except ValueError as error:
            raise InputError(row.where, str(error)) from None
        grade: Grade = (row.exhaustivity, row.specificity) if pairs else _level(row.level, row.where)
        if row.characters is not None:
            size = _number(row.characters)
            if size is None or not size.is_integer() or size < 0:
                problem = f"the size is {row.characters!r}: expected a whole number of characters"
                raise InputError(row.where, problem)
            grade = check_pair(grade, row.where)._replace(characters=int(size))
        elements = nested.setdefault(row.topic, {}).setdefault(file, {})
        if elements.setdefault(path, grade) != grade:
            raise InputError(
                row.where,
                f"topic {row.topic}, {row.element}: judged {grade} but {elements[path]} before; "
                "expected one judgement an element",
            )
    return {topic: {f: _flat(paths) for f, paths in files.items()} for topic, files in nested.items()}


def _flat(elements: dict[str, Grade]) -> int | dict[str, Grade]:
    whole = elements.get(WHOLE)
    return whole if len(elements) == 1 and isinstance(whole, int) else elements


def _level(value: Any, where: str) -> int:
    if value is None:
        raise InputError(where, "no level of relevance")
    number = _number(value)
    if number is None or not number.is_integer():
        raise InputError(where, f"the level is {value!r}: expected a whole number")
    return int(number)


def _number(value: Any) -> float | None:
    """Return a finite number as float, None for what is none; texts are none."""
    if isinstance(value, (str, bytes, bool, np.bool_)):
        return None
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def _given(value: Any) -> Any:
    """Return a value of a data frame, None for its marks of missing values."""
    missing = value is None or (not isinstance(value, str) and str(value) in ("nan", "<NA>", "NaT"))
    return None if missing else value


def _scored(rows: Iterable[tuple[str, str, str, Any]]) -> Rankings:
    """Nest (where, topic, element, score); InputError for a score that is no finite number."""
    nested: dict[str, list[tuple[str, float]]] = {}
    for where, topic, element, score in rows:
        number = _number(score)
        if number is None:
            raise InputError(where, f"the score is {score!r}: expected a finite number")
        nested.setdefault(topic, []).append((element, number))
    rankings: Rankings = {}
    for topic, scored in nested.items():
        by_element = dict(scored)
        if len(by_element) == len(scored):
            rankings[topic] = by_element
        else:  # repeated results are overlap and keep their ranks, which a dict would lose
            scored.sort(key=lambda pair: (float(np.float32(pair[1])), pair[0]), reverse=True)
            rankings[topic] = [element for element, _ in scored]
    return rankings


def _records(rows: Any, what: str, fields: tuple[str, ...]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield where and the fields of each row of a pandas DataFrame or named tuples.

    Raises XcgError where a row lacks a field.
    """
    if hasattr(rows, "itertuples"):
        missing = [field for field in fields if field not in rows.columns]
        if missing:
            raise XcgError(f"{what}: no column {', '.join(missing)}, only {', '.join(rows.columns)}")
        rows = rows.to_dict("records")
    for number, row in enumerate(rows, 1):
        record = row if isinstance(row, dict) else row._asdict() if hasattr(row, "_asdict") else {}
        where = f"{what}, row {number}"
        missing = [field for field in fields if field not in record]
        if missing:
            raise InputError(where, f"no {', '.join(missing)}: expected a named tuple or a DataFrame")
        yield where, record


_GRADES = ("relevance", "exhaustivity", "specificity", "characters")


def _judgements(qrels: Any) -> tuple[Judgements, dict[str, Any]]:
    """Return qrels in any form of ir_measures as xcg has them, and topic → query_id as it was given."""
    query_ids: dict[str, Any] = {}
    judgements: Judgements = {}
    rows = []
    if not isinstance(qrels, Mapping):
        for where, record in _records(qrels, "qrels", ("query_id", "doc_id")):
            topic = str(record["query_id"])
            query_ids.setdefault(topic, record["query_id"])
            grades = (_given(record.get(field)) for field in _GRADES)
            rows.append(_Judged(where, topic, str(record["doc_id"]), *grades))
        return _gathered(rows), query_ids
    for query_id, documents in qrels.items():
        topic = str(query_id)
        query_ids.setdefault(topic, query_id)
        judgements[topic] = {f: grade for f, grade in documents.items() if isinstance(grade, Mapping)}  # type: ignore[misc]
        for element, level in documents.items():
            if not isinstance(level, Mapping):
                where = f"qrels, topic {topic}, {element}"
                rows.append(_Judged(where, topic, str(element), level, None, None))
    for topic, files in _gathered(rows).items():
        for file, judged in files.items():
            if file in judgements[topic]:
                raise InputError(f"qrels, topic {topic}, {file}", "judged by paths and beside them")
            judgements[topic][file] = judged
    return judgements, query_ids


def _rankings(run: Any) -> Rankings:
    """Return a run in any form of ir_measures, or with rankings in order, as xcg has it."""
    rows = []
    in_order: Rankings = {}
    if not isinstance(run, Mapping):
        for where, record in _records(run, "run", ("query_id", "doc_id", "score")):
            rows.append((where, str(record["query_id"]), str(record["doc_id"]), record["score"]))
        return _scored(rows)
    for query_id, scored in run.items():
        if isinstance(scored, Mapping):
            where = f"run, topic {query_id}"
            for element, score in scored.items():
                rows.append((f"{where}, {element}", str(query_id), str(element), score))
        else:
            in_order[str(query_id)] = list(scored)
    return {**in_order, **_scored(rows)}


_TOPIC = ("topic", "query_id", "qid")
_DOCUMENT = ("doc", "doc_id", "docno")
_LEVEL = ("level", "relevance", "label")
_IGNORED = ("iteration", "query", "docid")
"""Columns that ir_measures and PyTerrier have beside; PyTerrier's docid is a number of its own."""

_ELEMENT_ROLES = {"topic": _TOPIC, "document": _DOCUMENT, "path": ("path",)}
_QREL_ROLES = {
    **_ELEMENT_ROLES,
    "level": _LEVEL,
    "exhaustivity": ("exhaustivity",),
    "specificity": ("specificity",),
    "characters": ("characters",),
}
_RUN_ROLES = {**_ELEMENT_ROLES, "score": ("score",), "rank": ("rank",)}


def qrels_from_frame(frame: Any) -> Judgements:
    """Return the assessments in a pandas or polars DataFrame as the dicts that xcg.evaluate takes.

    Columns: topic (query_id, qid); doc (doc_id, docno), a file, a document or ``file#/path``; path, if
    elements have a column of their own, empty for whole documents; level (relevance, label), or
    exhaustivity and specificity. Where all rows have the latter, the level is not used. characters, if
    it is there, states the size of the element.

    Raises XcgError for a column that is missing, not known or there under two names, and with the row
    for a value that is missing or wrong.

    >>> import pandas
    >>> rows = [("1", "d", "/a/s[1]", 2), ("1", "e", None, 0)]
    >>> qrels_from_frame(pandas.DataFrame(rows, columns=["qid", "docno", "path", "label"]))
    {'1': {'d': {'/a[1]/s[1]': 2}, 'e': 0}}
    """
    what = "assessments"
    columns, rows = _read_frame(frame, what, _QREL_ROLES)
    if ("exhaustivity" in columns) != ("specificity" in columns):
        lacking = "specificity" if "exhaustivity" in columns else "exhaustivity"
        raise XcgError(
            f"{what}: no column {lacking}: expected exhaustivity and specificity, or neither"
        )
    if "level" not in columns and "exhaustivity" not in columns:
        expected = f"one of {', '.join(_LEVEL)}, or exhaustivity and specificity"
        raise XcgError(f"{what}: no column for the relevance: expected {expected}")
    grades = ("level", "exhaustivity", "specificity", "characters")
    return _gathered(
        _Judged(where, *_element(row, where), *(row.get(grade) for grade in grades))
        for where, row in rows
    )


def run_from_frame(frame: Any) -> Rankings:
    """Return a run in a pandas or polars DataFrame as xcg.evaluate takes it behind the run's name.

    Columns: topic (query_id, qid); doc (doc_id, docno) and path as for :func:`qrels_from_frame`; score,
    or without one rank, where equal ranks stay in the frame's order. Results of equal score are
    ordered as trec_eval does, whatever their rank. A topic that names an element twice becomes a
    list in order.

    Raises XcgError as :func:`qrels_from_frame`.

    >>> import pandas
    >>> rows = [("1", "d", "/a/s[1]", 2), ("1", "e", None, 1)]
    >>> run_from_frame(pandas.DataFrame(rows, columns=["qid", "docno", "path", "rank"]))
    {'1': ['e', 'd#/a/s[1]']}
    """
    what = "run"
    columns, rows = _read_frame(frame, what, _RUN_ROLES)
    if "score" in columns:
        return _scored((where, *_element(row, where), row["score"]) for where, row in rows)
    if "rank" not in columns:
        raise XcgError(f"{what}: no column for the order: expected score or rank")
    ranked: dict[str, list[tuple[float, str]]] = {}
    for where, row in rows:
        topic, element = _element(row, where)
        rank = _number(row["rank"])
        if rank is None:
            raise InputError(where, f"the rank is {row['rank']!r}: expected a number")
        ranked.setdefault(topic, []).append((rank, element))
    return {
        topic: [element for _, element in sorted(results, key=lambda pair: pair[0])]
        for topic, results in ranked.items()
    }


def _read_frame(
    frame: Any, what: str, roles: Mapping[str, tuple[str, ...]]
) -> tuple[set[str], list[tuple[str, dict[str, Any]]]]:
    """Return the roles that a frame has columns for, and where and role → value of each row."""
    polars = hasattr(frame, "to_dicts")
    if not polars and not (hasattr(frame, "to_dict") and hasattr(frame, "columns")):
        raise XcgError(
            f"{what}: {type(frame).__name__} is no DataFrame: expected one of pandas or polars"
        )
    names = [str(name) for name in frame.columns]
    known = {alias: role for role, aliases in roles.items() for alias in aliases}
    columns: dict[str, str] = {}
    for name in names:
        if name in _IGNORED:
            continue
        if name not in known:
            raise XcgError(f"{what}: unknown column {name!r}: {nearest(name, known)}")
        if known[name] in columns:
            both = f"{columns[known[name]]} and {name}"
            raise XcgError(f"{what}: the columns {both} both say the {known[name]}: expected one")
        columns[known[name]] = name
    for role in ("topic", "document"):
        if role not in columns:
            expected = ", ".join(roles[role])
            raise XcgError(f"{what}: no column for the {role}: expected one of {expected}")
    records = frame.to_dicts() if polars else frame.to_dict("records")
    rows = []
    for number, record in enumerate(records, 1):
        row = {role: _given(record[name]) for role, name in columns.items()}
        rows.append((f"{what}, row {number}", row))
    return set(columns), rows


def _element(row: Mapping[str, Any], where: str) -> tuple[str, str]:
    """Return topic and element of a row; InputError where it names none."""
    for role in ("topic", "document"):
        if row[role] is None:
            raise InputError(where, f"no {role}")
    path = row.get("path")
    document = str(row["document"])
    return str(row["topic"]), document if path in (None, "", WHOLE) else f"{document}#{path}"
