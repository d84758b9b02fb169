"""Figures on levels of relevance: standard measures, and by ir_measures (``xcg[trec]``) all others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import compress, count
from typing import TYPE_CHECKING

from xcg.documents.paths import WHOLE
from xcg.errors import XcgError
from xcg.measures.definition import Definition, Measure, not_alone
from xcg.measures.flat import JudgedRanking

if TYPE_CHECKING:
    from xcg.judgements.recall_base import Assessment, RecallBase
    from xcg.runs.run import Ranking, Run

Figures = dict[tuple[str, str], float]
"""(topic, measure) → value."""
Levels = Mapping[str, Mapping[str, int]]
"""Topic → document → level."""


def trec_name(text: str) -> str | None:
    """Return what ir_measures calls the measure that a text names, None where it names none.

    Raises XcgError where ir_measures is not installed.
    """
    try:
        import ir_measures
    except ImportError:
        raise XcgError(
            f"{text} is a measure of ir_measures if it is any: pip install 'xcg[trec]'"
        ) from None
    try:
        return str(ir_measures.parse_measure(text))
    except Exception:  # what it raises for names and parameters that it does not know is no contract
        return None


_DEFINITIONS: dict[str, Definition] = {}


def trec_measure(name: str) -> Measure:
    """Return the measure that ir_measures computes under a name of its own."""
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
            compute=not_alone,
        )
    return Measure(_DEFINITIONS[name])


def trec_figures(levels: Levels, run: Run, measures: Sequence[Measure]) -> Figures:
    """Return (topic, measure) → value for the assessed topics that a run answers.

    An element is the document ``file#path``. The order of results is the run's; of an element that
    comes twice the first counts. Raises XcgError where ir_measures cannot compute one.
    """
    own = [measure for measure in measures if measure.definition.of_levels is not None]
    others = [measure for measure in measures if measure.definition.of_levels is None]
    return {
        **(_own_figures(levels, run, own) if own else {}),
        **(_figures_of_ir_measures(levels, run, others) if others else {}),
    }


def _own_figures(levels: Levels, run: Run, measures: Sequence[Measure]) -> Figures:
    computed = [
        (str(measure), measure.definition.of_levels, measure.cutoff, measure.settings())
        for measure in measures
    ]
    figures = {}
    for topic, ranking in run.rankings.items():
        judged = levels.get(topic)
        if not judged:
            continue
        documents = _documents(ranking)
        ranks = list(compress(count(1), map(judged.__contains__, documents)))
        found = [judged[documents[rank - 1]] for rank in ranks]
        seen = JudgedRanking(ranks, found, list(judged.values()))
        for name, of_levels, cutoff, settings in computed:
            assert of_levels is not None
            figures[topic, name] = of_levels(seen, cutoff, settings)
    return figures


def _figures_of_ir_measures(levels: Levels, run: Run, measures: Sequence[Measure]) -> Figures:
    import ir_measures

    wanted = [ir_measures.parse_measure(str(measure)) for measure in measures]
    qrels = {topic: dict(judged) for topic, judged in levels.items() if judged}
    ranked = [
        ir_measures.ScoredDoc(topic, document, float(-rank))
        for topic, ranking in run.rankings.items()
        if topic in levels
        for rank, document in enumerate(_documents(ranking))
    ]
    if not ranked:
        return {}
    try:
        found = list(ir_measures.iter_calc(wanted, qrels, ranked))
    except Exception as error:
        names = ", ".join(map(str, measures))
        raise XcgError(f"ir_measures cannot compute {names}: {type(error).__name__}: {error}") from None
    return {(metric.query_id, str(metric.measure)): float(metric.value) for metric in found}


def levels_of(base: RecallBase) -> Levels:
    """Return the levels of all assessed documents; XcgError where there are only passages.

    They are the stated ones, or the exhaustivity where an element is relevant.
    """
    return {topic: _levels(base, topic) for topic in base.topics}


def _levels(base: RecallBase, topic: str) -> dict[str, int]:
    files = base.files(topic)
    if not files and (base.spans(topic) or base.passages(topic)):
        raise XcgError(
            f"topic {topic}: standard measures need levels or assessed elements, and here "
            "are passages; xcg convert --corpus makes elements of them"
        )
    return {
        _document(file, path) if path != WHOLE else file: int(assessment.exhaustivity)
        if assessment.scale == "level"
        else _level(assessment)
        for file, elements in files.items()
        for path, assessment in elements.items()
    }


def _level(assessment: Assessment) -> int:
    """Return the level that grades stand for."""
    return max(int(assessment.exhaustivity), 1) if assessment.relevant else 0


def _documents(ranking: Ranking) -> Sequence[str]:
    """Return what the results are called as documents, in order, each once."""
    if not ranking.spans and ranking.paths.count(WHOLE) == len(ranking):
        documents = ranking.files
    else:
        documents = [
            f"{file}#{ranking.spans[place]}" if place in ranking.spans else _document(file, path)
            for place, (file, path) in enumerate(ranking)
        ]
    return documents if len(set(documents)) == len(documents) else list(dict.fromkeys(documents))


def _document(file: str, path: str) -> str:
    """Return what an element is called as a document: ``file#/path``, or the file for the whole."""
    return f"{file}#{path}" if len(path) > 1 else file
