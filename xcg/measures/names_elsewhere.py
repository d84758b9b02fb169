"""The names of measures in tools for retrieval-augmented generation (RAG)."""

from __future__ import annotations

import re

_OTHERS = {
    "hitrate hit hits": (
        "Success@5",
        "A hit is a result with at least half of a gold span, not any chunk of its document",
    ),
    "mrr meanreciprocalrank reciprocalrank": (
        "RR",
        "Its mean over topics is MRR; a relevant result has at least half of a gold span",
    ),
    "recall": (
        "R@5",
        "It is the share of gold spans of which a result has at least half; SpanRecall@5 is the share "
        "of their text",
    ),
    "precision": (
        "P@5",
        "It is the share of results with at least half of a gold span; SpanPrecision@5 is the share of "
        "gold in their text",
    ),
    "contextrecall contextualrecall idbasedcontextrecall nonllmcontextrecall llmcontextrecall": (
        "SpanRecall(budget=tokens)@1000",
        "It is the share of the gold text that is read; other tools count passages, or statements "
        "that a language model finds in them",
    ),
    "map averageprecision": ("AP", "Each gold span counts once"),
    "contextprecision contextualprecision nonllmcontextprecision": (
        "AP",
        "It divides by all gold spans, other tools by those that were found; "
        "SpanPrecision(budget=tokens)@1000 is the share of gold in what is read",
    ),
    "idbasedcontextprecision contextrelevance contextrelevancy contextualrelevancy": (
        "SpanPrecision(budget=tokens)@1000",
        "It is the share of gold in the text that is read, not of chunks or statements",
    ),
    "ndcg": ("nDCG@5", "Each gold span counts once"),
    "iou jaccard": ("SpanIoU@5", "Text that is returned twice is read twice"),
    "f f1 fscore": ("SpanF@5", "It is of the text that is read, not of results"),
}
"""Names without case, marks and digits → the measure of xcg, and how it differs."""

_OF_ANSWERS = ("faithfulness", "groundedness", "answerrelevancy", "answercorrectness")


def measure_elsewhere(name: str) -> str:
    """Return the end of a message on a name of another tool: the measure and its difference; or "".

    >>> measure_elsewhere("ndcg_at_5")
    "did you mean 'nDCG@5'? Each gold span counts once"
    """
    key = re.sub("at$|withreference$", "", re.sub("[^a-z]", "", name.lower()))
    if key in _OF_ANSWERS:
        return "it judges the answer of a language model, and xcg the text that was retrieved for it"
    found = next((found for names, found in _OTHERS.items() if key in names.split()), None)
    return f"did you mean {found[0]!r}? {found[1]}" if found else ""
