"""Offer xcg's measures of gains in ir_measures, and so in PyTerrier.

Importing this module registers the measures: ``ir_measures.parse_measure``, ``iter_calc``,
``calc_aggregate`` and everything based on them accept ``nxCG@10`` as they accept ``nDCG@10``. A
``doc_id`` is ``file#/path`` or a whole document. A result that repeats, contains or lies inside an
earlier result is overlap. The value for a topic is that of :func:`xcg.evaluate` without a corpus.

>>> import ir_measures
>>> from xcg.integrations.ir_measures import MAep, nxCG
>>> qrels = {"1": {"d#/a": 1, "d#/a/s[1]": 3, "e": 1}}
>>> run = {"1": {"d#/a/s[1]": 2.5, "d#/a": 2.0, "e": 1.0}}
>>> means = ir_measures.calc_aggregate([nxCG @ 2, MAep], qrels, run)
>>> means[nxCG @ 2], round(means[MAep], 3)
(0.75, 0.833)

Names are those of xcg, except ``xcg_Q`` and ``xcg_R``, because ir_measures has another R. Parameters
are those of xcg, with quoted values (``MAep(unretrieved='max')``), and ``user_model``, the name or file
of a user model. The default user model is ``levels``; if all qrels have the fields ``exhaustivity`` and
``specificity``, these are used instead of ``relevance``, and the default is ``kazai-lalmas-2006``. A
field ``characters`` is the size of the element, which user models need if a result contains an earlier
result. Without a corpus, a whole document and its root are the same element.

ir_measures averages over all topics with qrels, and a topic without an ideal gain counts 0. xcg does
not include such a topic in its means.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, cast

from xcg.errors import missing_extra

try:
    import ir_measures
except ImportError as _error:
    _missing = missing_extra("xcg.integrations.ir_measures", "ir_measures", "trec")
    raise ImportError(str(_missing)) from _error
from ir_measures.measures import ParamInfo
from ir_measures.measures import registry as _registry
from ir_measures.providers.base import Any as _AnyValue

from xcg.campaign import evaluate
from xcg.errors import InputError, NothingToAverageError, XcgError, nearest
from xcg.evaluation.inputs import resolve_user_models
from xcg.integrations.pandas import JudgedRow, Rankings, nest_scores, recall_base_of_rows, value_or_none
from xcg.judgements.recall_base import MEAN, RecallBase
from xcg.lazy_modules import np
from xcg.measures import MEASURES, Definition, Measure, Number
from xcg.user_model.model import default_model


class XcgMeasure(ir_measures.Measure):
    """A measure of xcg as a measure of ir_measures: ``nxCG @ 10``, ``MAep(unretrieved="max")``.

    Illegal parameters raise :class:`xcg.XcgError`, which is a ValueError.
    """

    definition: ClassVar[Definition]

    def __init__(self, **params: Any) -> None:
        # Check names here and not in validate_params, because ir_measures prints measures before that.
        own = [name for name in self.SUPPORTED_PARAMS if name != self.AT_PARAM]
        for name in params:
            if name not in (self.AT_PARAM, *own):
                raise XcgError(f"{self.NAME} has no parameter {name!r}: {nearest(name, own)}")
        # ir_measures compares measures as printed, so numbers and order must be the same.
        given = [name for name in (self.AT_PARAM, *own) if name in params]
        super().__init__(**{name: self._as_declared(name, params[name]) for name in given})  # type: ignore[no-untyped-call]

    def _as_declared(self, name: str, value: Any) -> Any:
        """Return a number in the declared type of a parameter, if it has the same value."""
        info = self.SUPPORTED_PARAMS.get(name)
        is_number = isinstance(value, (int, float, np.integer, np.floating))
        if info is None or not is_number or isinstance(value, bool):
            return value
        if info.dtype is float:
            return float(value)
        return int(value) if info.dtype is int and value == value // 1 < math.inf else value

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickle, (self.NAME, self.params)

    def validate_params(self) -> None:
        """Raise XcgError if a parameter has an illegal value."""
        if not self.validated:
            self.xcg_measure()
            self.validated = True

    def xcg_measure(self) -> Measure:
        """Return the same measure as an object of xcg, without the user model.

        Raises:
            XcgError: If a parameter has an illegal value, or a cutoff is missing.
        """
        user_model = self.params.get("user_model", "")
        if not isinstance(user_model, str):
            raise XcgError(f"{self.NAME}: illegal user_model {user_model!r}: expected a name")
        parameters = ",".join(
            f"{name}={value}"
            for name, value in self.params.items()
            if name not in ("user_model", self.AT_PARAM)
        )
        text = f"{self.definition.name}({parameters})" if parameters else self.definition.name
        if self.AT_PARAM in self.params:
            text += f"@{self.params[self.AT_PARAM]}"
        return MEASURES.parse(text)


def _unpickle(name: str, params: Mapping[str, Any]) -> XcgMeasure:
    measure_class: type[XcgMeasure] = type(_registry[name])
    return measure_class(**params)


def _offer(name: str) -> XcgMeasure:
    """Register a measure with ir_measures."""
    definition = MEASURES.definition(name)
    label = f"xcg_{name}" if name in _registry or name == "Q" else name
    cutoff = definition.cutoff
    at = "cutoff" if cutoff is None or cutoff.whole else "recall"
    supported = {}
    if cutoff is not None:
        dtype = int if cutoff.whole else float
        supported[at] = _info(dtype=dtype, required=cutoff.required, desc=cutoff.name)
    for parameter, legal in definition.parameters.items():
        if parameter == "mean":
            continue  # ir_measures averages the topics' values
        # Without defaults, because the user model has defaults for some parameters.
        if isinstance(legal, Number):
            supported[parameter] = _info(dtype=int if legal.whole else float, desc=str(legal))
        else:
            supported[parameter] = _info(dtype=str, choices=legal, desc=" or ".join(legal))
    supported["user_model"] = _info(dtype=str, desc="name or file of an xcg user model")
    attributes = {
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
    measure: XcgMeasure = type(f"_{label}", (XcgMeasure,), attributes)()
    _registry[label] = measure
    return measure


def _info(**values: Any) -> ParamInfo:
    return ParamInfo(**values)  # type: ignore[no-untyped-call]


# Lower-is-better measures, and measures that can be undefined for a topic, are not offered, because
# ir_measures counts a topic without a value as 0.
_OFFERED = (
    "xCG nxCG MAxCG MAnxCG gr ep MAep iMAep Q R xDCG nxDCG MAxDCG MAnxDCG NDCNG avgNDCG avgNDCNG "
    "xAP muAP gPrecision gRecall"
)
globals().update({str(measure.NAME): measure for measure in map(_offer, _OFFERED.split())})
if TYPE_CHECKING:

    def __getattr__(name: str) -> XcgMeasure: ...


class XcgProvider(ir_measures.Provider):
    """xcg: measures for the retrieval of parts of documents, with overlapping results."""

    NAME = "xcg"
    SUPPORTED_MEASURES: ClassVar[list[ir_measures.Measure]] = [  # type: ignore[misc]
        type(measure)(
            **{
                name: _AnyValue(required=info.required)  # type: ignore[no-untyped-call]
                for name, info in measure.SUPPORTED_PARAMS.items()
            }
        )
        for measure in _registry.values()
        if isinstance(measure, XcgMeasure)
    ]

    def _evaluator(self, measures: Iterable[ir_measures.Measure], qrels: Any) -> ir_measures.Evaluator:
        return _Evaluator(list(measures), qrels)

    def run_inputs(self, measures: Iterable[ir_measures.Measure]) -> list[str]:
        """Return the fields that runs must have."""
        return ["query_id", "doc_id", "score"]

    def qrel_inputs(self, measures: Iterable[ir_measures.Measure]) -> list[str]:
        """Return the fields that qrels must have; exhaustivity and specificity are optional."""
        return ["query_id", "doc_id", "relevance"]

    def install_instructions(self) -> str:
        """Return the command that installs the provider."""
        return "pip install 'xcg[trec]'"


class _Evaluator(ir_measures.Evaluator):
    """Evaluates any number of runs by the same qrels and measures."""

    def __init__(self, measures: Sequence[ir_measures.Measure], qrels: Any) -> None:
        self._recall_base, self._query_ids = _read_qrels(qrels)
        super().__init__(measures, set(self._query_ids.values()))
        by_model: dict[str | None, dict[str, list[Any]]] = {}
        for measure in cast(Sequence[XcgMeasure], measures):
            names = by_model.setdefault(measure.params.get("user_model"), {})
            names.setdefault(str(measure.xcg_measure()), []).append(measure)
        self._groups = []
        for name, names in by_model.items():
            models = [default_model(self._recall_base)] if name is None else resolve_user_models(name)
            if len(models) != 1:
                raise XcgError(f"user_model={name!r} means {len(models)} user models: expected one")
            self._groups.append((models[0], names))

    def _iter_calc(self, run: Any) -> Iterator[ir_measures.Metric]:
        rankings = _read_run(run)
        for model, names in self._groups:
            try:
                results = evaluate(
                    self._recall_base,
                    {"run": rankings},
                    user_model=model,
                    measures=list(names),
                    ties="document",
                )
            except NothingToAverageError:
                continue  # ir_measures then counts 0
            for row in results:
                if row.topic != MEAN:
                    for measure in names[row.measure]:
                        yield ir_measures.Metric(self._query_ids[row.topic], measure, row.value)


provider = XcgProvider()  # type: ignore[no-untyped-call]
ir_measures.providers.register(provider)  # type: ignore[no-untyped-call]
ir_measures.DefaultPipeline.providers.append(provider)


def _read_rows(
    rows: Any, what: str, fields: tuple[str, ...], value: str
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each row of a pandas DataFrame, named tuples or nested dicts, with its place for messages.

    Args:
        rows: The rows; or query_id → doc_id → value.
        what: What they are, for messages.
        fields: The fields that they must have.
        value: The field that nested dicts state.
    """
    if isinstance(rows, Mapping):
        for topic, values in rows.items():
            for document, stated in values.items():
                record = {"query_id": topic, "doc_id": document, value: stated}
                yield f"{what}, topic {topic}, {document}", record
        return
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


_GRADES = {"level": "relevance"} | {n: n for n in ("exhaustivity", "specificity", "characters")}


def _read_qrels(qrels: Any) -> tuple[RecallBase, dict[str, Any]]:
    """Return qrels of ir_measures, and the given query_id of each topic."""
    query_ids: dict[str, Any] = (
        {str(topic): topic for topic in qrels} if isinstance(qrels, Mapping) else {}
    )
    rows: list[JudgedRow] = []
    for where, record in _read_rows(qrels, "qrels", ("query_id", "doc_id"), "relevance"):
        topic = str(record["query_id"])
        query_ids.setdefault(topic, record["query_id"])
        grades = {name: value_or_none(record.get(field)) for name, field in _GRADES.items()}
        given = {name: value for name, value in grades.items() if value is not None}
        rows.append((where, topic, str(record["doc_id"]), given))
    base = recall_base_of_rows(rows)
    for topic in query_ids:
        base.add_topic(topic, "assessments")
    return base, query_ids


def _read_run(run: Any) -> Rankings:
    """Return a run of ir_measures as rankings."""
    rows = _read_rows(run, "run", ("query_id", "doc_id", "score"), "score")
    return nest_scores(
        (where, str(record["query_id"]), str(record["doc_id"]), record["score"])
        for where, record in rows
    )
