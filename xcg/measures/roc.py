"""The area under the ROC curve of a ranking."""

from __future__ import annotations

import itertools
from operator import itemgetter

from xcg.measures.definition import Number, Parameters
from xcg.measures.judged_ranking import JudgedRanking
from xcg.measures.parser import MEASURES


def roc_area(ranking: JudgedRanking, rel: float = 1) -> float | None:
    """Compute the area under the ROC curve.

    AUC = share of the pairs of a relevant and a non-relevant document in which the relevant one is
    ranked first; ties count half. This is the area under the curve of the share of relevant documents
    found over the share of non-relevant documents found, with a straight line for tied results.

    Only assessed documents count. Those that are not retrieved are tied after the last result. Counts
    are whole numbers, so the value is exact but for the final division.

    Args:
        ranking: The ranking with its levels.
        rel: The least level of a relevant document.

    Returns:
        The value, from 0 to 1, 0.5 on average for a random order; 0 for a ranking without results. None
        if no assessed document is relevant, or all are.

    >>> roc_area(JudgedRanking([1, 2, 3, 4], [1, 0, 1, 0], [1, 0, 1, 0]))  # 3 of 4 pairs
    0.75
    >>> roc_area(JudgedRanking([1, 2], [1, 0], [1, 0], keys=[0.9, 0.9]))
    0.5
    """
    relevant = ranking.relevant(rel)
    other = ranking.relevant(0) - relevant
    if not relevant or not other:
        return None
    if not ranking.ranks and not ranking.retrieved:
        return 0.0
    keys = ranking.ranks if ranking.keys is None else ranking.keys
    twice = 0  # the number of pairs in the right order, times two because ties count half
    relevant_left, other_left = relevant, other
    for _, group in itertools.groupby(zip(keys, ranking.levels, strict=True), itemgetter(0)):
        levels = [level for _, level in group if level >= 0]
        hits = sum(level >= rel for level in levels)
        misses = len(levels) - hits
        relevant_left -= hits
        other_left -= misses
        twice += hits * (2 * other_left + misses)
    twice += relevant_left * other_left
    return twice / (2 * relevant * other)


# Declarations


@MEASURES.register(
    "AUC",
    title="area under the ROC curve",
    formula="AUC = pairs of a relevant and a non-relevant document with the relevant one first, and "
    "half of the tied pairs / all pairs",
    source="Hanley & McNeil 1982; named by Scheel, Lommatzsch & Albayrak 2011, section 2.3",
    references=("hanley-mcneil-1982",),
    example="levels 1, 0, 1, 0: AUC = (2 + 1) / (2·2) = 0.75",
    caveat="Only assessed documents count, and those that are not retrieved are tied after the last "
    "result. Results with equal scores are tied. A document is relevant if its level is at least rel. "
    "A topic without relevant or without non-relevant documents is left out of the mean. Accuracy "
    "of ir_measures looks only at retrieved documents.",
    parameters={"rel": Number(1, 1, whole=True)},
    aliases=("ROCAUC", "AUROC"),
    needs="levels",
)
def _auc(ranking: JudgedRanking, cutoff: float, parameters: Parameters) -> float | None:
    return roc_area(ranking, parameters["rel"])
