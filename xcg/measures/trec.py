"""Standard TREC measures, computed by ir_measures (the extra ``xcg[trec]``) under its own names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from xcg.errors import XcgError
from xcg.measures.measure import Definition, Measure, Parameters, TopicGains

if TYPE_CHECKING:
    from xcg.judgements import RecallBase
    from xcg.runs import Run


def trec_measure(text: str) -> Measure | None:
    """Return the measure of ir_measures that a text names, None where it names none.

    Raises XcgError where ir_measures is not installed.
    """
    try:
        import ir_measures
    except ImportError:
        raise XcgError(
            f"{text} is a measure of ir_measures if it is any: pip install 'xcg[trec]'"
        ) from None
    try:
        name = str(ir_measures.parse_measure(text))
    except Exception:  # what it raises for names and parameters that it does not know is no contract
        return None
    return Measure(_definition(name))


_DEFINITIONS: dict[str, Definition] = {}


def _definition(name: str) -> Definition:
    if name not in _DEFINITIONS:
        _DEFINITIONS[name] = Definition(
            name=name,
            title="a measure of ir_measures",
            formula=f"https://ir-measur.es/en/latest/measures.html, {name.partition('@')[0]}",
            range="see there",
            source="ir_measures, by trec_eval where that has it",
            example=f"xcg evaluate … --measures {name}",
            caveat="Means are over all assessed topics, as trec_eval -c has them.",
            needs="levels",
            compute=_not_alone,
        )
    return _DEFINITIONS[name]


def _not_alone(topic: TopicGains, cutoff: float, parameters: Parameters) -> float | None:
    raise XcgError("a measure of ir_measures is computed over a whole run: use it in an evaluation")


def trec_figures(
    base: RecallBase, run: Run, measures: Sequence[Measure]
) -> dict[tuple[str, str], float]:
    """Return (topic, measure) → value for the assessed topics that the run answers.

    An element is the document ``file#path``. Its level is the stated one, or the exhaustivity where
    the element is relevant. The order of results is the run's; of an element that comes twice the
    first counts. Raises XcgError where there are only passages, or ir_measures cannot compute one.
    """
    import ir_measures

    wanted = [ir_measures.parse_measure(str(measure)) for measure in measures]
    qrels = list(_qrels(base, ir_measures))
    ranked = list(_scored(base, run, ir_measures))
    if not ranked:
        return {}
    try:
        found = list(ir_measures.iter_calc(wanted, qrels, ranked))
    except Exception as error:
        names = ", ".join(map(str, measures))
        raise XcgError(f"ir_measures cannot compute {names}: {type(error).__name__}: {error}") from None
    return {(metric.query_id, str(metric.measure)): float(metric.value) for metric in found}


def _qrels(base: RecallBase, ir_measures: Any) -> Iterable[Any]:
    for topic in base.topics:
        files = base.files(topic)
        if not files and (base.spans(topic) or base.passages(topic)):
            raise XcgError(
                f"topic {topic}: measures of ir_measures need levels or assessed elements, and here "
                "are passages; xcg convert --corpus makes elements of them"
            )
        for file, elements in files.items():
            for path, assessment in elements.items():
                level = int(assessment.exhaustivity)
                if assessment.scale != "level":
                    level = max(level, 1) if assessment.relevant else 0
                yield ir_measures.Qrel(topic, document_id(file, path), level)


def _scored(base: RecallBase, run: Run, ir_measures: Any) -> Iterable[Any]:
    for topic, ranking in run.rankings.items():
        if topic not in base:
            continue
        seen: set[str] = set()
        for place, (file, path) in enumerate(ranking):
            span = ranking.spans.get(place)
            name = document_id(file, path) if span is None else f"{file}#{span}"
            if name not in seen:
                seen.add(name)
                yield ir_measures.ScoredDoc(topic, name, float(len(ranking) - place))


def document_id(file: str, path: str) -> str:
    """Return what an element is called as a document: ``file#/path``, or the file for the whole."""
    return f"{file}#{path}" if len(path) > 1 else file
