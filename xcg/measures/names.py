"""The names of measures in trec_eval, and in tools for retrieval-augmented generation (RAG)."""

from __future__ import annotations

import re

SETS = ("official", "all_trec")
"""The names of sets of measures."""

_CUTOFFS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
_AT = {
    "iprec_at_recall_#": tuple(tenth / 10 for tenth in range(11)),
    "Rprec_mult_#": tuple(tenth / 10 for tenth in range(2, 22, 2)),
    "success_#": (1, 5, 10),
    "unj_#": (5, 10, 20),
    "set_F_#": (),
}
"""Name → the numbers that trec_eval puts in it by default, if they are not the usual cutoffs."""

TREC_NAMES = {
    "num_q": "NumQ",
    "num_ret": "NumRet",
    "num_rel": "NumRel",
    "num_rel_ret": "NumRet(rel=1)",
    "map": "AP",
    "gm_map": "gm_map",
    "Rprec": "Rprec",
    "bpref": "Bpref",
    "recip_rank": "RR",
    "iprec_at_recall_#": "IPrec@#",
    "P_#": "P@#",
    "relstring": "relstring",
    "recall_#": "R@#",
    "infAP": "infAP",
    "gm_bpref": "gm_bpref",
    "Rprec_mult_#": "Rprec_mult(x=#)",
    "utility": "utility",
    "11pt_avg": "IPrec",
    "binG": "binG",
    "G": "G",
    "ndcg": "nDCG",
    "ndcg_rel": "ndcg_rel",
    "Rndcg": "Rndcg",
    "ndcg_cut_#": "nDCG@#",
    "map_cut_#": "AP@#",
    "relative_P_#": "relative_P@#",
    "success_#": "Success@#",
    "set_P": "SetP",
    "set_relative_P": "SetP(relative=True)",
    "set_recall": "SetR",
    "set_map": "SetAP",
    "set_F": "SetF",
    "set_F_#": "SetF(beta=#)",
    "num_nonrel_judged_ret": "num_nonrel_judged_ret",
    "rbp": "RBP(p=0.9)",
    "rbp_resid": "rbp_resid",
    "unj_#": "unj@#",
}
"""Name in trec_eval → measure, in the order of trec_eval's output; # is a number."""

_NUMBER = re.compile(r"(?<=_)[0-9]+(?:\.[0-9]+)?\Z", re.ASCII)


def measure_of(name: str) -> str:
    """Return the measure that a name of trec_eval means; other texts are returned unchanged.

    >>> measure_of("ndcg_cut_10"), measure_of("recip_rank"), measure_of("nxCG@10")
    ('nDCG@10', 'RR', 'nxCG@10')
    """
    found = _NUMBER.search(name)
    key = f"{name[: found.start()]}#" if found else name
    return TREC_NAMES.get(key, name).replace("#", found[0] if found else "#")


def measures_of_set(name: str) -> list[str] | None:
    """Return the measures of trec_eval's sets ``official`` and ``all_trec``; None for other names."""
    if name not in SETS:
        return None
    found = []
    for key, measure in TREC_NAMES.items():
        if key == "relstring" and name == "official":
            break
        numbers = _AT.get(key, _CUTOFFS) if "#" in key else (0,)
        found += [measure.replace("#", f"{number:g}") for number in numbers]
    return found


_RAG = {
    "hitrate hit hits": ("Success@5", "A hit is a result with at least half of a gold span"),
    "mrr meanreciprocalrank reciprocalrank": (
        "RR",
        "A relevant result has at least half of a gold span",
    ),
    "recall": ("R@5", "It is the share of gold spans; SpanRecall@5 is the share of their text"),
    "precision": (
        "P@5",
        "It is the share of results; SpanPrecision@5 is that of gold in their text",
    ),
    "contextrecall contextualrecall idbasedcontextrecall nonllmcontextrecall llmcontextrecall": (
        "SpanRecall(budget=tokens)@1000",
        "It is the share of the gold text that is read; other tools count passages or statements",
    ),
    "map averageprecision": ("AP", "Each gold span counts once"),
    "contextprecision contextualprecision nonllmcontextprecision": (
        "AP",
        "It divides by all gold spans, other tools by those that were found",
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
    found = next((found for names, found in _RAG.items() if key in names.split()), None)
    return f"did you mean {found[0]!r}? {found[1]}" if found else ""
