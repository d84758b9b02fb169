"""Measures of articles, INEX's tasks in Context: gP, gR and AgP, BiC, and BEPD."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from xcg.errors import XcgError
from xcg.measures.definition import RANK, Number, Parameters
from xcg.measures.highlighted import LIMIT, f_measure, register_highlighted
from xcg.measures.highlighted_ranking import HighlightedRanking

ArticleScores = Sequence[tuple[float, bool]]
"""For each retrieved article in rank order: its score from 0 to 1, and whether it is relevant."""


def article_scores(
    ranking: HighlightedRanking, beta: float, limit: float, tolerance: float
) -> list[tuple[float, bool]]:
    """Score each retrieved article by the F-measure of the text read in it (Relevant in Context).

    Args:
        ranking: The ranking as text.
        beta: β of the F-measure.
        limit: Number of characters after which reading an article stops.
        tolerance: Number of irrelevant characters after which reading an article stops.

    Returns:
        For each article, in the order of its first result, F_β from 0 to 1 and whether it is relevant.

    >>> ranking = HighlightedRanking([("d", 0, 100), ("e", 0, 50)], {"d": [(0, 80)], "f": [(0, 120)]})
    >>> article_scores(ranking, 0, math.inf, math.inf)
    [(0.8, True), (0.0, False)]
    """
    scores = []
    for document, spans in ranking.articles().items():
        total = ranking.relevant_in.get(document, 0)
        if not total:
            scores.append((0.0, False))
            continue
        size, relevant = ranking.read(document, spans, limit, tolerance)
        precision = relevant / size if size else 0.0
        scores.append((f_measure(precision, relevant / total, beta), True))
    return scores


def entry_point_scores(
    ranking: HighlightedRanking, score: Callable[[int], float]
) -> list[tuple[float, bool]]:
    """Score each retrieved article by its distance to the best entry point (Best in Context).

    Args:
        ranking: The ranking as text. The user enters an article at the start of its first result.
        score: Distance in characters → score from 0 to 1.

    Returns:
        For each article, in the order of its first result, the score and whether it is relevant.

    Raises:
        XcgError: If the assessments have no best entry points.

    >>> ranking = HighlightedRanking([("d", 10, 50)], {"d": [(0, 80)]}, {"d": 0})
    >>> entry_point_scores(ranking, lambda distance: 1 / (1 + distance))
    [(0.09090909090909091, True)]
    """
    if ranking.entry_points is None:
        raise XcgError("needs best entry points: INEX 2006 assessments or offset qrels that have them")
    scores = []
    for document, spans in ranking.articles().items():
        relevant = document in ranking.relevant_in
        best = ranking.entry_points.get(document)
        near = score(abs(spans[0][0] - best)) if relevant and best is not None else 0.0
        scores.append((near, relevant))
    return scores


def generalised_precision(scores: ArticleScores, rank: int) -> float:
    """Compute generalised precision gP[r] = Σ of the scores of the first r articles / r.

    Args:
        scores: The scores of the retrieved articles.
        rank: r, from 1.

    Returns:
        The value, from 0 to 1.

    >>> generalised_precision([(0.8, True), (0.0, False)], 2)
    0.4
    """
    return math.fsum(score for score, _ in scores[:rank]) / rank


def average_generalised_precision(scores: ArticleScores, relevant: int) -> float:
    """Compute AgP = Σ gP at the ranks of relevant articles / number of relevant articles.

    Kamps, Pehcevski, Kazai, Lalmas and Robertson 2008.

    Args:
        scores: The scores of the retrieved articles.
        relevant: The number of relevant articles of the topic.

    Returns:
        The value, from 0 to 1.

    >>> round(average_generalised_precision([(0.8, True), (0.0, False), (0.5, True)], 4), 5)
    0.30833
    """
    ranks = [rank for rank, (_, is_relevant) in enumerate(scores, 1) if is_relevant]
    return math.fsum(generalised_precision(scores, rank) for rank in ranks) / relevant


# Declarations

_PARAMETERS = {"beta": Number(0.25, 0), **LIMIT, "t2i": Number(0, 0, whole=True)}
_CAVEAT = (
    "beta was 1 in INEX 2006 and 2007, and 0.25 from 2009. limit=500 reads the first 500 characters of "
    "an article (Restricted in Context task, 2010). t2i=300 stops after 300 irrelevant characters "
    "(xcg's own). 0 means no limit."
)


def _scores(ranking: HighlightedRanking, parameters: Parameters) -> list[tuple[float, bool]]:
    limit, tolerance = parameters["limit"] or math.inf, parameters["t2i"] or math.inf
    return article_scores(ranking, parameters["beta"], limit, tolerance)


@register_highlighted(
    "gP",
    title="generalised precision of articles, Relevant in Context",
    formula="gP[r] = Σ F_β of the text read in the first r articles / r",
    example="F .8, 0: gP@2 = 0.4",
    caveat=_CAVEAT,
    cutoff=RANK,
    parameters=_PARAMETERS,
)
def _gp(ranking: HighlightedRanking, cutoff: float, parameters: Parameters) -> float:
    return generalised_precision(_scores(ranking, parameters), int(cutoff))


@register_highlighted(
    "gR",
    title="recall of articles, Relevant in Context",
    formula="gR[r] = relevant articles among the first r / relevant articles",
    example="one of two articles relevant, four relevant in all: gR@2 = 0.25",
    cutoff=RANK,
)
def _gr(ranking: HighlightedRanking, cutoff: float, parameters: Parameters) -> float:
    first = list(ranking.articles())[: int(cutoff)]
    return sum(document in ranking.relevant_in for document in first) / len(ranking.relevant_in)


@register_highlighted(
    "AgP",
    title="average generalised precision, Relevant in Context",
    formula="AgP = Σ of gP at the ranks of relevant articles / relevant articles",
    example="F .8, 0, .5 (relevant, not, relevant) of 4: AgP = (.8 + 1.3 / 3) / 4 = 0.308",
    caveat=f"The mean over topics is called MAgP. {_CAVEAT}",
    parameters=_PARAMETERS,
)
def _agp(ranking: HighlightedRanking, cutoff: float, parameters: Parameters) -> float:
    return average_generalised_precision(_scores(ranking, parameters), len(ranking.relevant_in))


@register_highlighted(
    "BiC",
    title="average generalised precision of entry points, Best in Context",
    formula="BiC = AgP of the scores max(0, (n - distance) / n), where distance is that of the "
    "article's first result to the best entry point, in characters",
    example="distance 100: (500 - 100) / 500 = 0.8",
    caveat="n was 1000 in 2007; the available literature does not settle the default of 500.",
    parameters={"n": Number(500, 1)},
)
def _bic(ranking: HighlightedRanking, cutoff: float, parameters: Parameters) -> float:
    n = parameters["n"]
    scores = entry_point_scores(ranking, lambda distance: max(0.0, (n - distance) / n))
    return average_generalised_precision(scores, len(ranking.relevant_in))


@register_highlighted(
    "BEPD",
    title="best-entry-point distance, INEX 2006",
    formula="BEPD = Σ A·L / (A·L + distance) over the retrieved relevant articles / relevant articles",
    source="INEX 2006, Lalmas, Kazai, Kamps, Pehcevski, Piwowarski & Robertson 2007",
    example="A = 0.1, L = 1000, distance 300: 100 / 400 = 0.25",
    caveat="L is the mean length of the corpus's articles by default. The mean over articles is xcg's "
    "own.",
    parameters={"A": Number(0.1, 0, above=True), "L": Number(0, 0)},
)
def _bepd(ranking: HighlightedRanking, cutoff: float, parameters: Parameters) -> float:
    length = parameters["L"]
    if not length and ranking.mean_length is not None:
        length = ranking.mean_length()
    if not length:
        raise XcgError("BEPD needs the mean length of the articles: give the corpus, or BEPD(L=…)")
    weight = parameters["A"] * length
    scores = entry_point_scores(ranking, lambda distance: weight / (weight + distance))
    return math.fsum(score for score, _ in scores) / len(ranking.relevant_in)
