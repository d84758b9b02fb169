"""Write the scores on highlighted text as the official evaluator of INEX 2009 and 2010 does.

The names and quantities are those of its output. The available literature does not settle all
definitions: what an "article" score counts, and that text of several results is read once, are choices
of xcg.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from html import escape

from xcg.errors import XcgError
from xcg.evaluation.campaign import Campaign
from xcg.evaluation.evaluate import note_topics
from xcg.evaluation.inputs import Inputs
from xcg.evaluation.results import NotedList
from xcg.gains.topic import GainCalculator
from xcg.judgements.recall_base import MEAN
from xcg.measures.highlighted import RECALL_POINTS, f_measure, interpolated_precision
from xcg.measures.highlighted_ranking import HighlightedRanking
from xcg.measures.in_context import (
    article_scores,
    average_generalised_precision,
    generalised_precision,
)

_COUNTS = ("num_ret", "num_rel", "num_rel_ret", "ret_size", "rel_size", "rel_ret_size")
_IN_CONTEXT_RANKS = (1, 2, 3, 5, 10, 25, 50)
_INTERPOLATED_POINTS = (0.0, 0.01, 0.05, 0.1)


@dataclass(frozen=True)
class InexEvalScores:
    """The scores of one run.

    Attributes:
        topics: Topic → name → score; under ``all`` the means, and the sums of counts.
    """

    run: str
    source: str
    topics: Mapping[str, Mapping[str, float]]


def inex_eval_scores(inputs: Inputs, beta: float = 0.25) -> NotedList[InexEvalScores]:
    """Return the official scores of runs over the topics with highlighted text.

    Documents are needed only for results and highlighted passages without character offsets.

    Args:
        inputs: The assessments, runs and documents. Measures and user models are ignored.
        beta: The β of the F-measure in context.

    Returns:
        The scores of each run with results for these topics, with ``notes``.

    Raises:
        XcgError: If there is no highlighted text, and as :func:`xcg.evaluate`.

    >>> gold, runs = {"7": {"d": [(0, 4)]}}, {"r": {"7": ["d#/a/p"]}}
    >>> (found,) = inex_eval_scores(Inputs(gold, runs, {"d": "<a><p>1234</p><p>56</p></a>"}))
    >>> found.topics["7"]["char_prec"], found.topics["all"]["AiP"]
    (1.0, 1.0)
    """
    inputs.check()
    campaign = Campaign.of(inputs, needs_elements=False)
    notes = inputs.new_notes()
    scores: dict[str, dict[str, dict[str, float]]] = {run: {} for run in campaign.runs}
    with_highlights = False
    for topic in campaign.topics(notes):
        if not any(topic.highlighted.values()):
            continue
        with_highlights = True
        calculator = GainCalculator(topic, campaign)
        for run, by_topic in scores.items():
            if run in topic.rankings or inputs.unanswered == "zero":
                ranking = calculator.highlighted_ranking(run)
                by_topic[topic.topic] = _topic_scores(ranking, beta)
    if not with_highlights:
        raise XcgError(
            "no highlighted passages: expected offset qrels, JSON Lines with start and end, or INEX "
            "assessments with <passage>"
        )
    note_topics(inputs.recall_base, campaign.runs, inputs.unanswered, notes)
    found = []
    for run, by_topic in scores.items():
        if by_topic:
            topics = {**by_topic, MEAN: _means(by_topic)}
            found.append(InexEvalScores(run, campaign.runs[run].source, topics))
        else:
            notes.note(f"run {run} has no topic to average over")
    return NotedList(found, notes.lines())


def inex_eval_output(scores: Iterable[InexEvalScores], per_topic: bool = True) -> str:
    """Write scores as the official evaluator does: ``name<TAB>topic<TAB>score``.

    Args:
        scores: The scores of the runs.
        per_topic: Whether to write the scores of each topic. The interpolated precisions at all recall
            points are written as means only.
    """
    lines: list[str] = []
    for run in scores:
        lines.append(f"<eval run-id={_attribute(run.run)} file={_attribute(run.source)}>")
        for topic, by_name in run.topics.items():
            if topic == MEAN or per_topic:
                lines += [
                    f"{name}\t{topic}\t{score:{'.0f' if name in _COUNTS else '.4f'}}"
                    for name, score in by_name.items()
                    if topic == MEAN or not name.startswith("ircl_prn")
                ]
        lines.append("</eval>")
    return "".join(line + "\n" for line in lines)


def _attribute(text: str) -> str:
    return '"' + escape(text, quote=False).replace('"', "&quot;") + '"'


def _means(by_topic: Mapping[str, Mapping[str, float]]) -> dict[str, float]:
    names = next(iter(by_topic.values()))
    totals = {name: math.fsum(scores[name] for scores in by_topic.values()) for name in names}
    return {name: total if name in _COUNTS else total / len(by_topic) for name, total in totals.items()}


def _topic_scores(ranking: HighlightedRanking, beta: float) -> dict[str, float]:
    """Return the scores of one topic in the order of the output."""
    articles, relevant = ranking.articles(), ranking.relevant_in
    hits = sum(document in relevant for document in articles)
    size, marked = sum(ranking.new_sizes), sum(ranking.new_relevant_sizes)
    precisions = interpolated_precision(ranking, RECALL_POINTS)
    in_context = article_scores(ranking, beta)
    counts = len(articles), len(relevant), hits, size, ranking.relevant, marked
    scores: dict[str, float] = dict(zip(_COUNTS, counts, strict=True))
    for unit, precision, recall in (
        ("art", hits / len(articles) if articles else 0.0, hits / len(relevant)),
        ("char", marked / size if size else 0.0, marked / ranking.relevant),
    ):
        f1 = f_measure(precision, recall, 1)
        scores |= {f"{unit}_prec": precision, f"{unit}_rec": recall, f"{unit}_f1": f1}
    scores |= {f"iP[{x:.2f}]": precisions[round(x * 100)] for x in _INTERPOLATED_POINTS}
    scores["AiP"] = math.fsum(precisions) / len(precisions)
    scores |= {f"gP[{rank}]": generalised_precision(in_context, rank) for rank in _IN_CONTEXT_RANKS}
    for rank in _IN_CONTEXT_RANKS:
        scores[f"gR[{rank}]"] = sum(hit for _, hit in in_context[:rank]) / len(relevant)
    scores["AgP"] = average_generalised_precision(in_context, len(relevant))
    scores |= {f"ircl_prn.{x:.2f}": p for x, p in zip(RECALL_POINTS, precisions, strict=True)}
    return scores
