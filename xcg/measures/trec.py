"""Standard measures of runs: computed by xcg, or by ir_measures for all others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import compress, count

from xcg.documents.paths import WHOLE
from xcg.errors import InputError, XcgError
from xcg.judgements.assessment import Assessment, number_text
from xcg.judgements.recall_base import RecallBase
from xcg.measures.definition import Measure
from xcg.measures.ir_measures_names import TITLES, ir_measures_definition
from xcg.measures.judged_ranking import JudgedRanking
from xcg.measures.parser import MEASURES
from xcg.runs.run import Ranking, Run

for _name in TITLES:
    MEASURES.add(_name, ir_measures_definition(_name))

Values = dict[tuple[str, str], float]
"""(topic, measure) → value."""
Levels = Mapping[str, Mapping[str, int]]
"""Topic → document → level."""


def standard_values(levels: Levels, run: Run, measures: Sequence[Measure]) -> Values:
    """Compute standard measures of a run.

    An element is the document ``file#path``. The results have the order of the run, and those of a
    reference point the order of their levels; of a repeated result the first counts.

    Args:
        levels: The levels of relevance of all assessed documents.
        run: The run.
        measures: Measures of levels.

    Returns:
        (topic, measure) → value, for all assessed topics for which the measure is defined. Measures of
        ir_measures are 0 for topics that the run does not answer.

    Raises:
        XcgError: If ir_measures cannot compute a measure.
    """
    if run.is_reference:
        run = ordered_by_level(levels, run)
    own = [measure for measure in measures if not measure.is_external]
    external = [measure for measure in measures if measure.is_external]
    return {
        **(_own_values(levels, run, own) if own else {}),
        **{(topic, str(measure)): 0.0 for topic in levels for measure in external},
        **(_values_of_ir_measures(levels, run, external) if external else {}),
    }


def ordered_by_level(levels: Levels, run: Run) -> Run:
    """Return a run with its results in decreasing order of level, as it was read.

    Results without a level above 0 and repeated results follow in their order.

    >>> run = ordered_by_level({"1": {"a": 1, "b": 2}}, Run.of("r", {"1": ["c", "a", "b", "b"]}))
    >>> [document for document, _ in run.rankings["1"]]
    ['b', 'a', 'c', 'b']
    """
    rankings = {}
    for topic, ranking in run.rankings.items():
        judged = levels.get(topic, {})
        gains: list[int] = []
        seen: set[str] = set()
        for document in _documents_of_results(ranking):
            gains.append(0 if document in seen else max(judged.get(document, 0), 0))
            seen.add(document)
        order = sorted(range(len(gains)), key=gains.__getitem__, reverse=True)
        rankings[topic] = replace(ranking.select(order), keys=None, has_scores=False)
    return Run(run.name, rankings, run.source, run.skipped)


def _own_values(levels: Levels, run: Run, measures: Sequence[Measure]) -> Values:
    names = [(str(measure), measure) for measure in measures]
    values = {}
    for topic, judged in levels.items():
        judged_ranking = _judged_ranking(run.rankings.get(topic, Ranking([], [])), judged)
        for name, measure in names:
            value = measure.compute(judged_ranking)
            if value is not None:
                values[topic, name] = value
    return values


def _judged_ranking(ranking: Ranking, judged: Mapping[str, int]) -> JudgedRanking:
    documents = _documents(ranking)
    ranks = list(compress(count(1), map(judged.__contains__, documents)))
    found = [judged[documents[rank - 1]] for rank in ranks]
    keys = None
    if ranking.keys is not None:
        keys = _keys_of_documents(ranking, ranking.keys, documents)
        keys = [keys[rank - 1] for rank in ranks]
    return JudgedRanking(ranks, found, list(judged.values()), len(documents), keys)


def _values_of_ir_measures(levels: Levels, run: Run, measures: Sequence[Measure]) -> Values:
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
        metrics = list(ir_measures.iter_calc(wanted, qrels, ranked))
    except Exception as error:  # its providers raise anything
        names = ", ".join(map(str, measures))
        raise XcgError(f"ir_measures cannot compute {names}: {type(error).__name__}: {error}") from None
    return {(metric.query_id, str(metric.measure)): float(metric.value) for metric in metrics}


def levels_of(base: RecallBase) -> Levels:
    """Return the levels of relevance of all assessed documents for standard measures.

    The level of an element with exhaustivity and specificity is its exhaustivity, at least 1 if the
    element is relevant, else 0.

    Args:
        base: The assessments.

    Raises:
        XcgError: If a topic has assessed passages only.
        InputError: If a level is not a whole number. trec_eval cuts the digits after the point off.
    """
    return {topic: _levels(base, topic) for topic in base.topics}


def _levels(base: RecallBase, topic: str) -> dict[str, int]:
    files = base.files(topic)
    if not files and (base.spans(topic) or base.passages(topic)):
        raise XcgError(
            f"topic {topic}: standard measures need levels or assessed elements, but it has "
            "only passages; convert them to elements with xcg convert --corpus"
        )
    levels = {
        _document(file, path) if path != WHOLE else file: assessment.exhaustivity
        if assessment.scale == "level"
        else _level(assessment)
        for file, elements in files.items()
        for path, assessment in elements.items()
    }
    if not all(map(float.is_integer, set(levels.values()))):
        document = next(name for name, level in levels.items() if not level.is_integer())
        raise InputError(
            base.sources.get(topic, "assessments"),
            f"topic {topic}, {document}: standard measures such as AP and nDCG need whole levels of "
            f"relevance, but the level is {number_text(levels[document])}; expected measures of gains "
            "such as xAP, muAP and nxDCG",
        )
    return dict(zip(levels, map(int, levels.values()), strict=True))


def _level(assessment: Assessment) -> float:
    return max(assessment.exhaustivity, 1.0) if assessment.relevant else 0.0


def _documents(ranking: Ranking) -> Sequence[str]:
    """Return the results as documents in rank order, each once."""
    documents = _documents_of_results(ranking)
    return documents if len(set(documents)) == len(documents) else list(dict.fromkeys(documents))


def _documents_of_results(ranking: Ranking) -> Sequence[str]:
    """Return the document of each result in rank order."""
    if not ranking.spans and ranking.paths.count(WHOLE) == len(ranking):
        return ranking.files
    return [
        f"{file}#{ranking.spans[index]}" if index in ranking.spans else _document(file, path)
        for index, (file, path) in enumerate(ranking)
    ]


def _keys_of_documents(
    ranking: Ranking, keys: Sequence[float], documents: Sequence[str]
) -> Sequence[float]:
    """Return the key of the first result with each document."""
    if len(documents) == len(ranking):
        return keys
    results = zip(_documents_of_results(ranking), keys, strict=True)
    first: dict[str, float] = {}
    for document, key in results:
        first.setdefault(document, key)
    return list(first.values())


def _document(file: str, path: str) -> str:
    """Return the document name of an element: ``file#/path``, or the file for a whole document."""
    return f"{file}#{path}" if len(path) > 1 else file
