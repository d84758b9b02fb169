"""Measures of articles, INEX's tasks in Context: gP, gR and AgP, BiC, and BEPD."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import partial

from xcg.documents.text_units import IntervalSet
from xcg.errors import XcgError
from xcg.measures.definition import RANK, Number
from xcg.measures.highlighted import LIMIT, f_measure, register_highlighted
from xcg.measures.rankings import HighlightedRanking, Spans
from xcg.measures.topic_gains import sum_in_order
from xcg.runs.run import UNKNOWN_SPAN

ArticleScores = Sequence[tuple[float, bool]]
"""For each retrieved article in rank order: its score from 0 to 1, and whether it is relevant."""


def article_scores(
    ranking: HighlightedRanking, beta: float, limit: float = math.inf
) -> list[tuple[float, bool]]:
    """Score each retrieved article by the F-measure of the text read in it (Relevant in Context).

    Precision is the relevant part of the text that is read, each character once. Recall is the part of
    the article's relevant size that is read.

    Args:
        ranking: The ranking as text.
        beta: β of the F-measure.
        limit: Number of characters after which reading an article stops.

    Returns:
        For each article, in the order of its first result, F_β from 0 to 1 and whether it is relevant.

    >>> ranking = HighlightedRanking([("d", 0, 100), ("e", 0, 50)], {"d": [(0, 80)], "f": [(0, 120)]})
    >>> article_scores(ranking, 0)
    [(0.8, True), (0.0, False)]
    """
    pieces: dict[str, list[tuple[int, int]]] = {}
    for (document, _, _), new in zip(ranking.results, ranking.pieces("official"), strict=True):
        pieces.setdefault(document, []).extend(new)
    scores = []
    for document, to_read in pieces.items():
        total, f = ranking.relevant_in.get(document), 0.0
        if total is not None:
            size, relevant = ranking.read(document, to_read, limit)
            f = f_measure(relevant / size if size else 0.0, relevant / total, beta)
        scores.append((f, total is not None))
    return scores


def tolerance_scores(ranking: HighlightedRanking, irrelevant: float) -> list[tuple[float, bool]]:
    """Score each retrieved article for a reader with a tolerance to irrelevance (T2I).

    The user reads the results in an article in the order of its text. Then the user reads the rest of
    the article, again in order. Reading stops when a number of irrelevant characters was read. The
    score is the relevant part of the text read. Each character counts once, also if several passages
    contain it. A result of unknown offset is not read.

    Args:
        ranking: The ranking as text, with the lengths of the relevant documents.
        irrelevant: Number of irrelevant characters after which the user stops.

    Returns:
        For each article, in the order of its first result, the score from 0 to 1 and whether it is
        relevant.

    Raises:
        XcgError: If the length of a document with relevant text is unknown.

    >>> found = [("d", 50, 100), ("d", 200, 300)]
    >>> ranking = HighlightedRanking(found, {"d": [(60, 160)]}, length=lambda document: 1000)
    >>> tolerance_scores(ranking, 300), tolerance_scores(ranking, 30)
    ([(0.25, True)], [(0.5714285714285714, True)])
    """
    scores = []
    for document, spans in ranking.articles().items():
        is_relevant = document in ranking.relevant_in
        if document not in ranking.relevant_text:
            scores.append((0.0, is_relevant))
            continue
        length = ranking.length(document) if ranking.length is not None else None
        if length is None:
            raise XcgError(
                f"the tolerance reader needs the length of the document {document}: expected offset "
                "qrels, which state it, or a corpus"
            )
        pieces = _reading_order(spans, length)
        relevant, other = _read_with_tolerance(ranking, document, pieces, irrelevant)
        scores.append((relevant / (relevant + other) if relevant else 0.0, is_relevant))
    return scores


def _reading_order(spans: Spans, length: int) -> Iterator[tuple[int, int]]:
    """Yield the results in an article in order of text, and then the rest of the article.

    Results after the end of the article are read, and so is what lies between them.
    """
    known = sorted(span for span in spans if span != UNKNOWN_SPAN)
    end_of_rest = max([length, *(end for _, end in known)])
    seen: IntervalSet[int] = IntervalSet()
    for start, end in [*known, (0, end_of_rest)]:
        yield from seen.add(start, end)


def _read_with_tolerance(
    ranking: HighlightedRanking, document: str, pieces: Iterator[tuple[int, int]], tolerance: float
) -> tuple[int, float]:
    """Return the numbers of relevant and of irrelevant characters that are read."""
    relevant = irrelevant = 0
    text = ranking.relevant_text[document]
    for piece in pieces:
        for size, passages in text.stretches(*piece):
            if irrelevant >= tolerance:
                return relevant, tolerance
            if passages:
                relevant += size
            else:
                irrelevant += size
    return relevant, min(irrelevant, tolerance)


def entry_point_scores(ranking: HighlightedRanking, n: float) -> list[tuple[float, bool]]:
    """Score each retrieved article by its distance d to the best entry point (Best in Context).

    The score is max(0, (n - d) / n). It is 0 without a best entry point, in an article that is not
    relevant, and for a result at an unknown offset.

    Args:
        ranking: The ranking as text. The user enters an article at the start of its first result.
        n: The distance in characters from which the score is 0.

    Returns:
        For each article, in the order of its first result, the score and whether it is relevant.

    >>> ranking = HighlightedRanking([("d", 100, 150)], {"d": [(0, 80)]}, {"d": 0})
    >>> entry_point_scores(ranking, 500)
    [(0.8, True)]
    """
    return [
        ((n - distance) / n if distance < n else 0.0, relevant)
        for distance, relevant in _distances(ranking)
    ]


def _distances(ranking: HighlightedRanking) -> Iterator[tuple[float, bool]]:
    """Yield each article's distance, which is infinite for a score of 0, and whether it is relevant."""
    points = ranking.entry_points or {}
    for document, spans in ranking.articles().items():
        relevant, start = document in ranking.relevant_in, spans[0][0]
        counts = relevant and document in points and start >= 0
        yield (abs(start - points[document]) if counts else math.inf), relevant


def generalised_precision(scores: ArticleScores, rank: int) -> float:
    """Compute generalised precision gP[r] = Σ of the scores of the first r articles / r.

    With fewer than r articles, this is the value at the last one, as in inex_eval.

    Args:
        scores: The scores of the retrieved articles.
        rank: r, from 1.

    Returns:
        The value, from 0 to 1; 0 without articles.

    >>> scores = [(0.8, True), (0.0, False)]
    >>> generalised_precision(scores, 1), generalised_precision(scores, 10)
    (0.8, 0.4)
    """
    first = scores[:rank]
    return sum_in_order(score for score, _ in first) / len(first) if first else 0.0


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
    # Plain sums: inex_eval adds from left to right, and an exact sum would differ in the last digit.
    total = sum_of_precisions = 0.0
    for rank, (score, is_relevant) in enumerate(scores, 1):
        total += score
        if is_relevant:
            sum_of_precisions += total / rank
    return sum_of_precisions / relevant


# Declarations

_PARAMETERS = {"beta": Number(0.25, 0), **LIMIT, "t2i": Number(0, 0, whole=True)}
_CAVEAT = (
    "beta was 1 in INEX 2006 and 2007; it is 0.25 in inex_eval of 2009 and 2010. limit=500 reads the "
    "first 500 characters of an article (Restricted in Context task, 2010). t2i=300 replaces F_β with "
    "the score of inex_eval's reader with a tolerance to irrelevance: the user reads the results in "
    "the article in the order of its text, then the rest of the article, until 300 irrelevant "
    "characters were read; the score is the relevant part of the text read. 0 means no limit, and no "
    "such reader."
)


def _reads_unknown(ranking: HighlightedRanking, _: float) -> bool:
    """Return whether the text of a result in a relevant article is unknown; others score 0 anyway."""
    return any(ranking.results[index][0] in ranking.relevant_in for index in ranking.unknown)


def _scores(
    ranking: HighlightedRanking, beta: float, limit: float, t2i: float
) -> list[tuple[float, bool]]:
    if not t2i:
        return article_scores(ranking, beta, limit or math.inf)
    if limit:
        raise XcgError("limit and t2i cannot be combined: expected one of them")
    return tolerance_scores(ranking, t2i)


_of_articles = partial(register_highlighted, reads_unknown=_reads_unknown)


@_of_articles("gP", caveat=_CAVEAT, cutoff=RANK, parameters=_PARAMETERS)
def _gp(ranking: HighlightedRanking, rank: int, **scored_by: float) -> float:
    """Compute generalised precision of articles, Relevant in Context.

    gP[r] = Σ F_β of the text read in the first r articles / r; with fewer than r articles the value
    at the last one

    Example: F .8, 0: gP@2 = gP@10 = 0.4
    """
    return generalised_precision(_scores(ranking, **scored_by), rank)


@register_highlighted("gR", cutoff=RANK, reads_unknown=lambda ranking, _: False)
def _gr(ranking: HighlightedRanking, rank: int) -> float:
    """Compute recall of articles, Relevant in Context.

    gR[r] = relevant articles among the first r / relevant articles

    Example: one of two articles relevant, four relevant in all: gR@2 = 0.25

    Caveat: An article counts as found if it has relevant text, even if no result contains this
    text.
    """
    first = list(ranking.articles())[:rank]
    return sum(document in ranking.relevant_in for document in first) / len(ranking.relevant_in)


@_of_articles("AgP", caveat=f"The mean over topics is called MAgP. {_CAVEAT}", parameters=_PARAMETERS)
def _agp(ranking: HighlightedRanking, rank: int, **scored_by: float) -> float:
    """Compute average generalised precision, Relevant in Context.

    AgP = Σ of gP at the ranks of relevant articles / relevant articles

    Example: F .8, 0, .5 (relevant, not, relevant) of 4: AgP = (.8 + 1.3 / 3) / 4 = 0.308
    """
    return average_generalised_precision(_scores(ranking, **scored_by), len(ranking.relevant_in))


@_of_articles("BiC", parameters={"n": Number(500, 1)})
def _bic(ranking: HighlightedRanking, rank: int, n: float) -> float:
    """Compute average generalised precision of entry points, Best in Context.

    BiC = AgP of the scores max(0, (n - distance) / n), where distance is that of the article's
    first result to the best entry point, in characters; 0 without an entry point

    Example: distance 100: (500 - 100) / 500 = 0.8

    Caveat: n was 1000 in 2007. It is 500 in inex_eval of 2009 and 2010.
    """
    _check_entry_points(ranking)
    return average_generalised_precision(entry_point_scores(ranking, n), len(ranking.relevant_in))


@_of_articles("BEPD", parameters={"A": Number(0.1, 0, above=True), "L": Number(0, 0)})
def _bepd(ranking: HighlightedRanking, rank: int, A: float, L: float) -> float:  # noqa: N803
    """Compute best-entry-point distance, INEX 2006.

    BEPD = Σ A·L / (A·L + distance) over the retrieved relevant articles / relevant articles

    Source: INEX 2006, Lalmas, Kazai, Kamps, Pehcevski, Piwowarski & Robertson 2007
    [@lalmas-et-al-2007]

    Example: A = 0.1, L = 1000, distance 300: 100 / 400 = 0.25

    Caveat: L is the mean length of the corpus's articles by default. The lengths in offset qrels do
    not replace it: only assessed articles have them. The mean over articles is xcg's own.
    """
    _check_entry_points(ranking)
    length = L or (ranking.mean_length() if ranking.mean_length is not None else 0.0)
    if not length:
        raise XcgError("BEPD needs the mean length of the articles: give the corpus, or BEPD(L=…)")
    weight = A * length
    scores = [weight / (weight + distance) for distance, _ in _distances(ranking)]
    return math.fsum(scores) / len(ranking.relevant_in)


def _check_entry_points(ranking: HighlightedRanking) -> None:
    if ranking.entry_points is None:
        raise XcgError("needs best entry points: INEX 2006 assessments or offset qrels that have them")
