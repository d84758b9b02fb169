"""Compute standard measures of runs."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import replace
from itertools import compress, count

from xcg.documents.paths import WHOLE
from xcg.errors import InputError, XcgError
from xcg.judgements.assessment import Assessment, number_text
from xcg.judgements.recall_base import RecallBase
from xcg.measures.definition import Measure
from xcg.measures.judged_rankings import JudgedRanking, NuggetRanking, Nuggets
from xcg.measures.parser import MEASURES
from xcg.measures.rankings import SpanRanking
from xcg.runs.run import Ranking, Run

Values = dict[tuple[str, str], float]
"""(topic, measure) → value."""


class TopicLevels(dict[str, int]):
    """The level of each assessed document of a topic, and the nuggets of documents that state some."""

    def __init__(self, levels: Mapping[str, int], nuggets: Mapping[str, Nuggets]) -> None:
        super().__init__(levels)
        self.nuggets = nuggets
        self.pool = [nuggets[name] for name in sorted(nuggets, reverse=True)]
        self.ideals: dict[tuple[float, float], list[float]] = {}


Levels = Mapping[str, Mapping[str, int]]
"""Topic → document → level; with nuggets if they are :class:`TopicLevels`."""


def standard_values(levels: Levels, run: Run, measures: Sequence[Measure]) -> Values:
    """Compute standard measures of a run.

    An element is the document ``file#path``. The results have the order of the run, and those of a
    greedy reference the order of their levels; of a repeated result the first counts.

    Args:
        levels: The levels of relevance of all assessed documents.
        run: The run.
        measures: Measures of levels.

    Returns:
        (topic, measure) → value, for all assessed topics for which the measure is defined.
    """
    if run.is_reference:
        run = ordered_by_level(levels, run)
    names = [(str(measure), measure) for measure in measures]
    values = {}
    for topic, judged in levels.items():
        judged_ranking = _judged_ranking(run.rankings.get(topic, Ranking([], [])), judged)
        for name, measure in names:
            value = measure.compute(judged_ranking)
            if value is not None:
                values[topic, name] = value
    return values


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


def _judged_ranking(ranking: Ranking, judged: Mapping[str, int]) -> JudgedRanking:
    documents = _documents(ranking)
    ranks = list(compress(count(1), map(judged.__contains__, documents)))
    found = [judged[documents[rank - 1]] for rank in ranks]
    keys = ranking.keys
    if keys is not None:
        if len(documents) < len(ranking):  # of a repeated result the first counts
            results = reversed(_documents_of_results(ranking))
            first = dict(zip(results, reversed(keys), strict=True))
            keys = [first[document] for document in documents]
        keys = [keys[rank - 1] for rank in ranks]
    nuggets = None
    if isinstance(judged, TopicLevels):
        stated = [judged.nuggets.get(document, {}) for document in documents]
        nuggets = NuggetRanking(stated, judged.pool, judged.ideals)
    return JudgedRanking(ranks, found, list(judged.values()), len(documents), keys, nuggets=nuggets)


def span_values(ranking: SpanRanking, measures: Sequence[Measure], by_level: bool) -> dict[str, float]:
    """Compute standard measures of a ranking for a topic whose relevance is given by passages alone.

    Args:
        ranking: The ranking, with the gold spans of the topic.
        measures: Measures of levels that are defined on spans.
        by_level: Whether to order the results by level first, as for a greedy reference.

    Returns:
        Measure → value, for the measures that are defined.

    >>> from xcg.measures import RR
    >>> ranking = SpanRanking([("d", 0, 9), ("d", 9, 20)], {"d": [(10, 20, 1)]})
    >>> span_values(ranking, [RR], False)
    {'RR': 0.5}
    """
    judged: dict[float, JudgedRanking] = {}
    values = {}
    for measure in measures:
        overlap = measure.settings()["overlap"]
        if overlap not in judged:
            found = ranking.judged(overlap)
            judged[overlap] = _with_best_first(found) if by_level else found
        value = measure.compute(judged[overlap])
        if value is not None:
            values[str(measure)] = value
    return values


def _with_best_first(ranking: JudgedRanking) -> JudgedRanking:
    """Return a ranking with its relevant results first, in decreasing order of level."""
    order = sorted(range(len(ranking.ranks)), key=lambda i: -ranking.levels[i])
    new = {ranking.ranks[old]: rank for rank, old in enumerate(order, 1)}
    return ranking._replace(
        ranks=range(1, len(order) + 1),
        levels=[ranking.levels[old] for old in order],
        others=[(new[rank], level) for rank, level in ranking.others],
    )


def span_topics(base: RecallBase) -> list[str]:
    """Return the topics whose relevance is given by passages alone."""
    by_text = base.spans, base.passages
    return [t for t in base.topics if not base.files[t] and any(one.get(t) for one in by_text)]


def check_span_measures(base: RecallBase, measures: Sequence[Measure]) -> None:
    """Check that standard measures are defined for the topics of a recall-base.

    Raises:
        XcgError: If a topic has passages alone, and a measure needs levels; or if a measure has the
            parameter ``overlap``, and no topic has passages alone.
        InputError: If a passage of such a topic has a grade that is not a whole number.
    """
    topics = span_topics(base)
    for measure in measures:
        is_defined = measure.definition.on_spans and ("judged_only", "True") not in measure.parameters
        if topics and not is_defined:
            standard = [found for found in MEASURES.values() if found.needs == "levels"]
            names = sorted(found.name for found in standard if found.on_spans)
            raise XcgError(
                f"topic {topics[0]}: {measure} needs levels or assessed elements, but it has only "
                f"passages: expected one of {', '.join(names)}; if the runs return elements, "
                "convert the passages with xcg convert --corpus"
            )
        if not topics and any(name == "overlap" for name, _ in measure.parameters):
            raise XcgError(
                f"{measure}: overlap applies to topics with gold spans alone, but all topics have "
                f"levels or assessed elements: expected {measure.definition.usage}"
            )
    for topic in topics if measures else ():
        for file, spans in base.spans[topic].items():
            for span in spans:
                _check_whole(span.exhaustivity, base, topic, file)


def levels_of(base: RecallBase, *, but_of: Container[str] = ()) -> Levels:
    """Return the levels of relevance of all assessed documents for standard measures.

    The level of an element with exhaustivity and specificity is its exhaustivity, at least 1 if the
    element is relevant, else 0.

    Args:
        base: The assessments.
        but_of: Topics to leave out, such as those of :func:`span_topics`.

    Raises:
        InputError: If a level is not a whole number. trec_eval cuts the digits after the point off.
    """
    return {topic: _with_nuggets(base, topic) for topic in base.topics if topic not in but_of}


def _with_nuggets(base: RecallBase, topic: str) -> dict[str, int]:
    levels, stated = _levels(base, topic), base.nuggets.get(topic, {})
    nuggets = {
        _document(file, part) if part != WHOLE else file: found
        for (file, part), found in stated.items()
        if isinstance(part, str)
    }
    return TopicLevels(levels, nuggets) if nuggets else levels


def _levels(base: RecallBase, topic: str) -> dict[str, int]:
    levels = {
        _document(file, path) if path != WHOLE else file: _level(assessment)
        for file, elements in base.files[topic].items()
        for path, assessment in elements.items()
    }
    if not all(map(float.is_integer, set(levels.values()))):
        for document, level in levels.items():
            _check_whole(level, base, topic, document)
    return dict(zip(levels, map(int, levels.values()), strict=True))


def _check_whole(level: float, base: RecallBase, topic: str, document: str) -> None:
    if not level.is_integer():
        raise InputError(
            base.sources.get(topic, "assessments"),
            f"topic {topic}, {document}: standard measures such as AP and nDCG need whole levels of "
            f"relevance, but the level is {number_text(level)}; expected measures of gains "
            "such as xAP, muAP and nxDCG",
        )


def _level(assessment: Assessment) -> float:
    if assessment.scale == "level":
        return assessment.exhaustivity
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


def _document(file: str, path: str) -> str:
    """Return the document name of an element: ``file#/path``, or the file for a whole document."""
    return f"{file}#{path}" if len(path) > 1 else file
