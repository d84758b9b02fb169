"""Measures of gold spans in characters: SpanRecall, SpanPrecision, SpanF and SpanIoU."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from xcg.measures.definition import RANK_OR_ALL, UNITS, Curve, Number, Parameters
from xcg.measures.highlighted import f_measure
from xcg.measures.parser import MEASURES
from xcg.measures.rankings import ReadText
from xcg.measures.topic_gains import RankingGains

_CURVE_POINTS = 100


# Declarations

_BUDGET = {"budget": UNITS}
_CAVEAT = (
    "A character in several gold spans counts once, and grades do not count. budget=tokens (words, "
    "characters) reads that amount of text instead of that number of results; without a cutoff, all "
    "results are read. The measure is undefined for a topic without gold spans. Over k results, whole "
    "documents raise SpanRecall, and repeats and small results raise SpanPrecision and SpanIoU: less "
    "other text is read. With a budget, no cut in the order of the text changes the value, which "
    "rises with whole documents only if they have gold that their chunks lack. Token budgets end "
    "earlier in text with many marks, so marks raise SpanPrecision and SpanIoU a little."
)
_SOURCE = (
    "xcg; after Smith & Troynikov 2024 [@smith-troynikov-2024] (Evaluating Chunking Strategies for "
    "Retrieval)"
)


def _of_read_text(
    function: Callable[..., float], fields: dict[str, Any]
) -> Callable[..., float | None]:
    """Return what computes a measure by a function of the text read, the relevant size, and beta."""
    parameters = fields["parameters"]
    fields["parameters"] = {**parameters, **_BUDGET}

    def values(
        topic: RankingGains, limits: Sequence[float], settings: Parameters
    ) -> list[float] | None:
        ranking, unit = topic.spans, settings["budget"]
        own = {key: settings[key] for key in parameters}
        # The effort up to a result is known only if no text before it is unknown.
        unknown = ranking.unknown and (unit != "ranks" or ranking.unknown[0] < limits[-1])
        if not ranking.relevant or unknown:
            return None
        return [function(one, ranking.relevant, **own) for one in ranking.read_up_to(limits, unit)]

    def compute(topic: RankingGains, cutoff: float, settings: Parameters) -> float | None:
        found = values(topic, [cutoff], settings)
        return found[0] if found else None

    def curve(topic: RankingGains, depth: int, settings: Parameters) -> Curve | None:
        points: Sequence[float] = range(1, depth + 1)
        if settings["budget"] != "ranks":
            points = [depth * point / _CURVE_POINTS for point in range(1, _CURVE_POINTS + 1)]
        found = values(topic, points, settings)
        return (points, found) if found else None

    fields["curve"] = curve
    return compute


_register = partial(
    MEASURES.register,
    adapt=_of_read_text,
    cutoff=RANK_OR_ALL,
    parameters={},
    needs="text",
    on_spans=True,
    source=_SOURCE,
    caveat=_CAVEAT,
)


@_register("SpanRecall")
def _recall(read: ReadText, relevant: int) -> float:
    """Compute the share of the gold text that was returned.

    SpanRecall[k] = characters of gold spans in the first k results / characters of all gold spans;
    text that is returned twice counts once

    Example: gold spans of 40 characters, 20 of them in the first two results: SpanRecall@2 = 0.5
    """
    return read.found / relevant


@_register("SpanPrecision")
def _precision(read: ReadText, relevant: int = 0) -> float:
    """Compute the share of the returned text that is gold text.

    SpanPrecision[k] = characters of gold spans in the first k results, each once / characters of
    the first k results, each as often as it is returned; 0 without text

    Example: results of 40 and 60 characters with 20 characters of gold spans: SpanPrecision@2 = 0.2
    """
    return read.found / read.returned if read.returned else 0.0


@_register("SpanF", parameters={"beta": Number(1.0, 0)})
def _f(read: ReadText, relevant: int, beta: float) -> float:
    """Compute F-measure of SpanPrecision and SpanRecall.

    SpanF = (1 + β²)·P·R / (β²·P + R) of P = SpanPrecision and R = SpanRecall

    Example: P = 0.2, R = 0.5: SpanF = 0.2857
    """
    return f_measure(_precision(read), _recall(read, relevant), beta)


@_register("SpanIoU")
def _intersection_over_union(read: ReadText, relevant: int) -> float:
    """Compute the intersection over union of returned text and gold text.

    SpanIoU[k] = found / (read + gold − found) in characters: those of gold spans in the first k
    results, each once; those of the first k results, each as often as it is returned; and those of
    all gold spans

    Example: gold spans of 40 characters, 20 of them in the 80 characters of the first two results:
    SpanIoU@2 = 20 / (80 + 40 − 20) = 0.2
    """
    return read.found / (read.returned + relevant - read.found)


@MEASURES.register(
    "NuggetRecall",
    cutoff=RANK_OR_ALL,
    parameters={**_BUDGET, "rel": Number(0, 0), "share": Number(0.5, 0, 1, above=True)},
    needs_nuggets=True,
)
def _nugget_recall(topic: RankingGains, cutoff: float, settings: Parameters) -> float | None:
    """Compute the share of the nuggets that are seen.

    NuggetRecall[k] = nuggets of which the first k results show at least the share of the text of
    one alternative / nuggets, of those with at least the level rel

    Source: xcg; after TREC RAG 2024, Pradeep et al. 2024 [@pradeep-et-al-2024]

    Example: two nuggets, one seen in full: NuggetRecall@5 = 0.5

    Caveat: Topics without nuggets are left out. budget=tokens (words, characters) reads that amount
    of text, and cuts the last result, instead of that number of results. Nuggets without a score
    under the user model do not count.
    """
    found = topic.seen_nuggets(cutoff, settings["budget"])
    seen = [share for level, share in found if level >= settings["rel"]]
    return sum(share >= settings["share"] - 1e-9 for share in seen) / len(seen) if seen else None
