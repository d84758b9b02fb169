"""Measures of gold spans in characters: SpanRecall, SpanPrecision, SpanF and SpanIoU."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from xcg.measures.definition import RANK_OR_ALL, UNITS, Curve, Number, Parameters
from xcg.measures.highlighted import f_measure
from xcg.measures.parser import MEASURES
from xcg.measures.rankings import ReadText
from xcg.measures.topic_gains import RankingGains

_CURVE_POINTS = 100


def _precision(read: ReadText) -> float:
    return read.found / read.returned if read.returned else 0.0


# Declarations

_BUDGET = {"budget": UNITS}
_CAVEAT = (
    "A character in several gold spans counts once, and grades do not count. budget=tokens (words, "
    "characters) reads that amount of text instead of that number of results; without a cutoff, all "
    "results are read. The measure is undefined for a topic without gold spans. Over k results, whole "
    "documents raise SpanRecall, and repeats and small results raise SpanPrecision and SpanIoU: less "
    "other text is read. With a budget, no cut in the order of the text changes the value, which "
    "rises with whole documents only if they have gold that their chunks lack. Budgets of tokens end "
    "earlier in text with many marks, so these raise SpanPrecision and SpanIoU a little."
)
_SOURCE = (
    "xcg; after Smith & Troynikov 2024 [@smith-troynikov-2024] (Evaluating Chunking Strategies for "
    "Retrieval)"
)


def _declare(
    name: str,
    function: Callable[..., float],
    parameters: Mapping[str, Number] = MappingProxyType({}),
    **fields: Any,
) -> None:
    """Register a function of the text that was read, of the relevant size, and of the parameters."""

    def values(
        topic: RankingGains, limits: Sequence[float], settings: Parameters
    ) -> list[float] | None:
        ranking = topic.spans
        own = {key: settings[key] for key in parameters}
        # The effort up to a result is known only if no text before it is unknown.
        unknown = ranking.unknown and (settings["budget"] != "ranks" or ranking.unknown[0] < limits[-1])
        if not ranking.relevant or unknown:
            return None
        unit = settings["budget"]
        if len(limits) == 1:
            return [function(ranking.text_at(limits[0], unit), ranking.relevant, **own)]
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

    MEASURES.register(
        name,
        cutoff=RANK_OR_ALL,
        parameters={**parameters, **_BUDGET},
        needs="text",
        on_spans=True,
        source=_SOURCE,
        curve=curve,
        caveat=_CAVEAT,
        **fields,
    )(compute)


_declare(
    "SpanRecall",
    lambda read, relevant: read.found / relevant,
    title="share of the gold text that was returned",
    formula="SpanRecall[k] = characters of gold spans in the first k results / characters of all gold "
    "spans; text that is returned twice counts once",
    example="gold spans of 40 characters, 20 of them in the first two results: SpanRecall@2 = 0.5",
)
_declare(
    "SpanPrecision",
    lambda read, relevant: _precision(read),
    title="share of the returned text that is gold text",
    formula="SpanPrecision[k] = characters of gold spans in the first k results, each once / "
    "characters of the first k results, each as often as it is returned; 0 without text",
    example="results of 40 and 60 characters with 20 characters of gold spans: SpanPrecision@2 = 0.2",
)
_declare(
    "SpanF",
    lambda read, relevant, beta: f_measure(_precision(read), read.found / relevant, beta),
    {"beta": Number(1.0, 0)},
    title="F-measure of SpanPrecision and SpanRecall",
    formula="SpanF = (1 + β²)·P·R / (β²·P + R) of P = SpanPrecision and R = SpanRecall",
    example="P = 0.2, R = 0.5: SpanF = 0.2857",
)
_declare(
    "SpanIoU",
    lambda read, relevant: read.found / (read.returned + relevant - read.found),
    title="intersection over union of returned text and gold text",
    formula="SpanIoU[k] = found / (read + gold − found) in characters: those of gold spans in the "
    "first k results, each once; those of the first k results, each as often as it is returned; and "
    "those of all gold spans",
    example="gold spans of 40 characters, 20 of them in the 80 characters of the first two results: "
    "SpanIoU@2 = 20 / (80 + 40 − 20) = 0.2",
)


@MEASURES.register(
    "NuggetRecall",
    title="share of the nuggets that are seen",
    formula="NuggetRecall[k] = nuggets of which the first k results show at least the share of the "
    "text of one alternative / nuggets, of those with at least the level rel",
    source="xcg; after TREC RAG 2024, Pradeep et al. 2024 [@pradeep-et-al-2024]",
    example="two nuggets, one seen in full: NuggetRecall@5 = 0.5",
    caveat="Topics without nuggets are left out. budget=tokens (words, characters) reads that amount "
    "of text, and cuts the last result, instead of that number of results. Nuggets without a score "
    "under the user model do not count.",
    cutoff=RANK_OR_ALL,
    parameters={**_BUDGET, "rel": Number(0, 0), "share": Number(0.5, 0, 1, above=True)},
    needs_nuggets=True,
)
def _nugget_recall(topic: RankingGains, cutoff: float, settings: Parameters) -> float | None:
    found = topic.seen_nuggets(cutoff, settings["budget"])
    seen = [share for level, share in found if level >= settings["rel"]]
    return sum(share >= settings["share"] - 1e-9 for share in seen) / len(seen) if seen else None
