"""Measures on highlighted text, in characters: HiXEval and the measures of INEX 2007 to 2010."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

from xcg.documents.intervals import Covered
from xcg.errors import XcgError
from xcg.lazy_modules import np
from xcg.measures.definition import (
    RANK,
    RANK_OR_ALL,
    RECALL_FROM_0,
    Curve,
    Cutoff,
    Definition,
    Number,
    Parameters,
    TopicGains,
)

if TYPE_CHECKING:
    import numpy.typing as npt

Spans = Sequence[tuple[int, int]]
Ints: TypeAlias = "npt.NDArray[np.int64]"
POINTS = tuple(point / 100 for point in range(101))


@dataclass(frozen=True)
class HighlightedRanking:
    """One ranking as text: which characters it returns, and which were highlighted.

    results: (document, start, end) by rank, characters start … end - 1 of the document's text.
    highlighted: document → highlighted spans, for the documents that have any. entry_points: document →
    the character of the best entry point, where the assessments state it. mean_length: finds that of
    the corpus's documents, None where there is no corpus.

    >>> ranking = HighlightedRanking([("d", 0, 100), ("e", 0, 50)], {"d": [(0, 80)], "f": [(0, 120)]})
    >>> ranking.relevant, ranking.sizes.tolist(), ranking.relevant_sizes.tolist()
    (200, [100, 50], [80, 0])
    """

    results: Sequence[tuple[str, int, int]]
    highlighted: Mapping[str, Spans]
    entry_points: Mapping[str, int] | None = None
    mean_length: Callable[[], float] | None = None

    @cached_property
    def marks(self) -> dict[str, Ints]:
        """Document → how many of the characters before each are highlighted."""
        return {document: _marks(spans) for document, spans in self.highlighted.items() if spans}

    @cached_property
    def relevant_in(self) -> dict[str, int]:
        """Document → number of highlighted characters."""
        return {document: int(before[-1]) for document, before in self.marks.items()}

    @property
    def relevant(self) -> int:
        """Trel, the number of highlighted characters of the topic."""
        return sum(self.relevant_in.values())

    @cached_property
    def sizes(self) -> Ints:
        """Characters of every result."""
        return np.array([end - start for _, start, end in self.results], dtype=np.int64)

    @cached_property
    def relevant_sizes(self) -> Ints:
        """Highlighted characters of every result (rsize)."""
        return np.array([self._marked(*result) for result in self.results], dtype=np.int64)

    @cached_property
    def _new(self) -> tuple[Ints, Ints]:
        """Characters, and highlighted ones, of every result that lie in no earlier result."""
        covered: dict[str, Covered[int]] = {}
        new, relevant = [], []
        for document, start, end in self.results:
            pieces = covered.setdefault(document, Covered[int]()).add(start, end)
            new.append(sum(stop - begin for begin, stop in pieces))
            relevant.append(sum(self._marked(document, *piece) for piece in pieces))
        return np.array(new, dtype=np.int64), np.array(relevant, dtype=np.int64)

    @property
    def new_sizes(self) -> Ints:
        """Characters of every result that lie in no earlier result."""
        return self._new[0]

    @property
    def new_relevant_sizes(self) -> Ints:
        """Highlighted characters of every result that lie in no earlier result."""
        return self._new[1]

    def _marked(self, document: str, start: int, end: int) -> int:
        before = self.marks.get(document)
        if before is None:
            return 0
        last = len(before) - 1
        return int(before[min(end, last)] - before[min(start, last)])

    def articles(self) -> dict[str, list[tuple[int, int]]]:
        """Document → its results, documents in the order of their first result."""
        grouped: dict[str, list[tuple[int, int]]] = {}
        for document, start, end in self.results:
            grouped.setdefault(document, []).append((start, end))
        return grouped

    def read(
        self, document: str, spans: Iterable[tuple[int, int]], limit: float, tolerance: float
    ) -> tuple[int, int]:
        """Return how many characters of a document are read in some spans, and how many are relevant.

        Text is read once, in the order of the spans, up to ``limit`` characters; reading stops with the
        character by which ``tolerance`` irrelevant ones have been read.
        """
        covered: Covered[int] = Covered()
        pieces = [piece for span in spans for piece in covered.add(*span)]
        if math.isinf(limit) and math.isinf(tolerance):
            size = sum(end - start for start, end in pieces)
            return size, sum(self._marked(document, *piece) for piece in pieces)
        places = np.concatenate([np.arange(*piece) for piece in pieces] or [np.arange(0)])
        places = places[: int(min(limit, len(places)))]
        before = self.marks.get(document, np.zeros(1, dtype=np.int64))
        last = len(before) - 1
        marked = before[np.minimum(places + 1, last)] - before[np.minimum(places, last)]
        if not math.isinf(tolerance):
            irrelevant = np.cumsum(1 - marked)
            stop = int(np.searchsorted(irrelevant, tolerance)) + 1
            marked = marked[:stop]
        return len(marked), int(marked.sum())


def _marks(spans: Spans) -> Ints:
    inside = np.zeros(max(end for _, end in spans) + 1, dtype=np.int64)
    for start, end in spans:
        inside[start + 1 : end + 1] = 1
    return np.cumsum(inside)


def f_measure(precision: float, recall: float, beta: float) -> float:
    """Return F_β = (1 + β²)·P·R / (β²·P + R), 0 where both are 0.

    >>> round(f_measure(0.8, 0.4, 1), 5), round(f_measure(0.8, 0.4, 0.25), 5)
    (0.53333, 0.75556)
    """
    under = beta * beta * precision + recall
    return (1 + beta * beta) * precision * recall / under if under else 0.0


def hixeval(ranking: HighlightedRanking, rank: int, alpha: float, beta: float) -> tuple[float, ...]:
    """Return HiXEval's precision, recall and F_β at a rank.

    rval = rsize − α·(highlighted text of the result that was retrieved before); P = Σ rval / Σ size,
    R = Σ rval / Trel. Range 0 … 1. Source: Pehcevski & Thom 2006.
    """
    relevant = ranking.relevant_sizes[:rank]
    seen = relevant - ranking.new_relevant_sizes[:rank]
    value = float(relevant.sum() - alpha * seen.sum())
    size = float(ranking.sizes[:rank].sum())
    precision = value / size if size else 0.0
    recall = value / ranking.relevant
    return precision, recall, f_measure(precision, recall, beta)


def precision_and_recall(
    ranking: HighlightedRanking, rank: int, limit: float = math.inf
) -> tuple[float, float]:
    """Return P[r] and R[r]: the share of the text read that is highlighted, and of the latter read.

    Text that several results share is read once. limit: characters after which reading stops.
    """
    size = float(ranking.new_sizes[:rank].sum())
    relevant = float(ranking.new_relevant_sizes[:rank].sum())
    if size > limit:
        size = relevant = 0.0
        covered: dict[str, Covered[int]] = {}
        for document, start, end in ranking.results[:rank]:
            pieces = covered.setdefault(document, Covered[int]()).add(start, end)
            read, marked = ranking.read(document, pieces, limit - size, math.inf)
            size, relevant = size + read, relevant + marked
            if size >= limit:
                break
    return (relevant / size if size else 0.0), relevant / ranking.relevant


def interpolated_precision(ranking: HighlightedRanking, points: Sequence[float]) -> list[float]:
    """Return iP[x], the highest P[r] at ranks with R[r] ≥ x, for each point; 0 where x is not reached.

    >>> sizes = [("d", 0, 100), ("e", 0, 50), ("f", 0, 100)]
    >>> ranking = HighlightedRanking(sizes, {"d": [(0, 80)], "f": [(0, 60)], "g": [(0, 60)]})
    >>> interpolated_precision(ranking, [0.01, 0.41, 0.8])
    [0.8, 0.56, 0.0]
    """
    relevant = np.cumsum(ranking.new_relevant_sizes)
    size = np.cumsum(ranking.new_sizes)
    precision = np.divide(relevant, size, out=np.zeros(len(size)), where=size > 0)
    best = np.maximum.accumulate(precision[::-1])[::-1]
    # In whole numbers, so that a recall of exactly x is reached: Σ rsize ≥ x·Trel.
    places = np.searchsorted(relevant, [math.ceil(x * ranking.relevant - 1e-9) for x in points])
    return [float(best[place]) if place < len(best) else 0.0 for place in places]


def article_scores(
    ranking: HighlightedRanking, beta: float, limit: float, tolerance: float
) -> list[tuple[float, bool]]:
    """Return for each article in order F_β of its text, and whether it is relevant."""
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
    """Return for each article in order the score of its entry point's distance, and its relevance.

    The entry point of an article is where its first result begins.
    """
    if ranking.entry_points is None:
        raise XcgError(
            "needs best entry points: assessments in the form of INEX 2006, or offset qrels, with them"
        )
    scores = []
    for document, spans in ranking.articles().items():
        relevant = document in ranking.relevant_in
        best = ranking.entry_points.get(document)
        near = score(abs(spans[0][0] - best)) if relevant and best is not None else 0.0
        scores.append((near, relevant))
    return scores


def generalised_precision(scores: Sequence[tuple[float, bool]], rank: int) -> float:
    """Return gP[r] = Σ of the scores of the first r articles / r."""
    return math.fsum(score for score, _ in scores[:rank]) / rank


def average_generalised_precision(scores: Sequence[tuple[float, bool]], relevant: int) -> float:
    """Return AgP = Σ over the relevant articles of gP at their rank / number of relevant articles.

    >>> scores = [(0.8, True), (0.0, False), (0.5, True)]
    >>> round(average_generalised_precision(scores, 4), 5)
    0.30833
    """
    at = [rank for rank, (_, is_relevant) in enumerate(scores, 1) if is_relevant]
    return math.fsum(generalised_precision(scores, rank) for rank in at) / relevant


# Measures

_Compute = Callable[[TopicGains, float, Parameters], float | None]
_Figure = Callable[[HighlightedRanking, float, Parameters], float]


def _on_text(name: str, figure: _Figure) -> _Compute:
    def compute(topic: TopicGains, cutoff: float, parameters: Parameters) -> float | None:
        ranking = topic.required_details(name).highlights()
        return figure(ranking, cutoff, parameters) if ranking.relevant else None

    return compute


def _rank(ranking: HighlightedRanking, cutoff: float) -> int:
    return len(ranking.results) if math.isnan(cutoff) else int(cutoff)


def _hixeval(which: int) -> _Figure:
    def figure(ranking: HighlightedRanking, cutoff: float, parameters: Parameters) -> float:
        rank, beta = _rank(ranking, cutoff), parameters.get("beta", 1.0)
        return hixeval(ranking, rank, parameters["alpha"], beta)[which]

    return figure


def _characters(which: int) -> _Figure:
    def figure(ranking: HighlightedRanking, cutoff: float, parameters: Parameters) -> float:
        precision, recall = precision_and_recall(
            ranking, _rank(ranking, cutoff), parameters["limit"] or math.inf
        )
        if which < 2:
            return (precision, recall)[which]
        return f_measure(precision, recall, parameters["beta"])

    return figure


def _ip(ranking: HighlightedRanking, cutoff: float, parameters: Parameters) -> float:
    return interpolated_precision(ranking, [cutoff])[0]


def _aip(ranking: HighlightedRanking, cutoff: float, parameters: Parameters) -> float:
    return math.fsum(interpolated_precision(ranking, POINTS)) / len(POINTS)


def _ip_curve(topic: TopicGains, depth: int, parameters: Parameters) -> Curve:
    ranking = topic.required_details("AiP").highlights()
    if not ranking.relevant:
        return POINTS, [0.0] * len(POINTS)
    return POINTS, interpolated_precision(ranking, POINTS)


def _articles(ranking: HighlightedRanking, parameters: Parameters) -> list[tuple[float, bool]]:
    limit, tolerance = parameters["limit"] or math.inf, parameters["t2i"] or math.inf
    return article_scores(ranking, parameters["beta"], limit, tolerance)


def _gp(ranking: HighlightedRanking, cutoff: float, parameters: Parameters) -> float:
    return generalised_precision(_articles(ranking, parameters), int(cutoff))


def _gr(ranking: HighlightedRanking, cutoff: float, parameters: Parameters) -> float:
    found = list(ranking.articles())[: int(cutoff)]
    return sum(document in ranking.relevant_in for document in found) / len(ranking.relevant_in)


def _agp(ranking: HighlightedRanking, cutoff: float, parameters: Parameters) -> float:
    scores = _articles(ranking, parameters)
    return average_generalised_precision(scores, len(ranking.relevant_in))


def _best_in_context(ranking: HighlightedRanking, cutoff: float, parameters: Parameters) -> float:
    n = parameters["n"]
    scores = entry_point_scores(ranking, lambda distance: max(0.0, (n - distance) / n))
    return average_generalised_precision(scores, len(ranking.relevant_in))


def _bepd(ranking: HighlightedRanking, cutoff: float, parameters: Parameters) -> float:
    length = parameters["L"]
    if not length and ranking.mean_length is not None:
        length = ranking.mean_length()
    if not length:
        raise XcgError("BEPD needs the mean length of the articles: give the corpus, or BEPD(L=…)")
    weight = parameters["A"] * length
    scores = entry_point_scores(ranking, lambda distance: weight / (weight + distance))
    return math.fsum(score for score, _ in scores) / len(ranking.relevant_in)


_ALPHA = {"alpha": Number(1.0, 0, 1)}
_BETA_1 = {"beta": Number(1.0, 0)}
_BETA = {"beta": Number(0.25, 0)}
_LIMIT = {"limit": Number(0, 0, whole=True)}
_READING = {**_LIMIT, "t2i": Number(0, 0, whole=True)}
_HIX = "HiXEval, Pehcevski & Thom 2006"
_INEX = "INEX 2007–2010, Kamps, Pehcevski, Kazai, Lalmas & Robertson 2008"
_LIMITED = "limit=1000 reads the first 1000 characters of the topic (Restricted Focused, INEX 2010)."
_IN_CONTEXT = (
    "beta is 1 in INEX 2006 and 2007, 0.25 from 2009. limit=500 reads the first 500 characters an "
    "article (Restricted in Context, 2010); t2i=300 stops after 300 irrelevant characters (ours)."
)


def _define(
    name: str,
    title: str,
    formula: str,
    source: str,
    example: str,
    figure: _Figure,
    parameters: Mapping[str, Number],
    cutoff: Cutoff | None = None,
    caveat: str = "",
    curve: Callable[[TopicGains, int, Parameters], Curve] | None = None,
) -> Definition:
    return Definition(
        name=name,
        title=title,
        formula=formula,
        range="0 to 1",
        source=source,
        example=example,
        caveat=caveat,
        cutoff=cutoff,
        parameters=dict(parameters),
        needs="text",
        compute=_on_text(name, figure),
        curve=curve,
    )


DEFINITIONS = (
    _define(
        "hixP",
        "HiXEval's precision",
        "Σ rval / Σ size, rval = rsize − alpha·(its highlighted text that was retrieved before)",
        _HIX,
        "sizes 100, 50, highlighted 80, 0: hixP@2 = 80 / 150",
        _hixeval(0),
        _ALPHA,
        RANK_OR_ALL,
    ),
    _define(
        "hixR",
        "HiXEval's recall",
        "Σ rval / Trel, Trel the highlighted characters of the topic",
        _HIX,
        "highlighted 80 and 0 of 200: hixR@2 = 0.4",
        _hixeval(1),
        _ALPHA,
        RANK_OR_ALL,
    ),
    _define(
        "hixF",
        "HiXEval's F-measure",
        "(1 + β²)·P·R / (β²·P + R) of hixP and hixR",
        _HIX,
        "P = 0.8, R = 0.4: hixF = 0.533",
        _hixeval(2),
        {**_ALPHA, **_BETA_1},
        RANK_OR_ALL,
    ),
    _define(
        "charP",
        "precision in characters, P[r]",
        "highlighted characters / characters of the first r results, text counted once",
        _INEX,
        "sizes 100, 50, highlighted 80, 0: charP@2 = 0.533",
        _characters(0),
        _LIMIT,
        RANK_OR_ALL,
        _LIMITED,
    ),
    _define(
        "charR",
        "recall in characters, R[r]",
        "highlighted characters of the first r results / Trel, text counted once",
        _INEX,
        "highlighted 80 and 0 of 200: charR@2 = 0.4",
        _characters(1),
        _LIMIT,
        RANK_OR_ALL,
        _LIMITED,
    ),
    _define(
        "charF",
        "F-measure in characters",
        "(1 + β²)·P·R / (β²·P + R) of charP and charR",
        _INEX,
        "P = 0.8, R = 0.4: charF = 0.533",
        _characters(2),
        {**_BETA_1, **_LIMIT},
        RANK_OR_ALL,
        _LIMITED,
    ),
    _define(
        "iP",
        "interpolated precision at a recall point",
        "iP[x] = max of P[r'] over the ranks with R[r'] ≥ x, 0 where x is not reached",
        _INEX,
        "P .8, .53, .56 at R .4, .4, .7: iP@0.41 = 0.56",
        _ip,
        {},
        RECALL_FROM_0,
    ),
    _define(
        "AiP",
        "average interpolated precision",
        "mean of iP at 0, 0.01, …, 1",
        _INEX,
        "sizes 100, 50, 100, highlighted 80, 0, 60 of 200: AiP = 0.49109",
        _aip,
        {},
        caveat="Its mean over topics is MAiP.",
        curve=_ip_curve,
    ),
    _define(
        "gP",
        "generalised precision of articles, Relevant in Context",
        "gP[r] = Σ F_β of the first r articles / r, precision and recall in characters",
        _INEX,
        "F .8, 0: gP@2 = 0.4",
        _gp,
        {**_BETA, **_READING},
        RANK,
        _IN_CONTEXT,
    ),
    _define(
        "gR",
        "recall of articles, Relevant in Context",
        "relevant articles among the first r / relevant articles",
        _INEX,
        "one of two articles relevant, four in all: gR@2 = 0.25",
        _gr,
        {},
        RANK,
    ),
    _define(
        "AgP",
        "average generalised precision, Relevant in Context",
        "Σ over the relevant articles of gP at their rank / relevant articles",
        _INEX,
        "F .8, 0, .5 (relevant, not, relevant) of 4: AgP = (.8 + 1.3 / 3) / 4 = 0.308",
        _agp,
        {**_BETA, **_READING},
        caveat=f"Its mean over topics is MAgP. {_IN_CONTEXT}",
    ),
    _define(
        "BiC",
        "Best in Context: average generalised precision of entry points",
        "AgP of (n − distance) / n within n characters of the best entry point, else 0",
        _INEX,
        "distance 100: (500 − 100) / 500 = 0.8",
        _best_in_context,
        {"n": Number(500, 1)},
        caveat="n = 500; 1000 was used in 2007 (not settled by the literature at hand).",
    ),
    _define(
        "BEPD",
        "best-entry-point distance, INEX 2006",
        "Σ over the relevant articles retrieved of A·L / (A·L + distance) / relevant articles",
        "INEX 2006, Lalmas, Kazai, Kamps, Pehcevski, Piwowarski & Robertson 2007",
        "A = 0.1, L = 1000, distance 300: 100 / 400 = 0.25",
        _bepd,
        {"A": Number(0.1, 0, above=True), "L": Number(0, 0)},
        caveat="L is the mean length of the corpus's articles unless given; the average is ours.",
    ),
)
