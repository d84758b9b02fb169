"""The measures that only ir_measures computes: their names, and what each of them measures."""

from __future__ import annotations

from xcg.errors import missing_extra
from xcg.measures.definition import Definition

MEANS = "The mean is over all assessed topics, as with trec_eval -c."
_PAGE = "https://ir-measur.es/en/latest/measures.html"
_INTENTS = "assessments of several intents per topic, which the formats that xcg reads do not have"

TITLES = {
    "Accuracy": "probability that a relevant document is ranked before a non-relevant one",
    "AP_IA": f"intent-aware average precision; needs {_INTENTS}",
    "BPM": "bejeweled player model: gain until the user has enough or loses patience",
    "Compat": "compatibility: rank-biased overlap with the ideal ranking",
    "ERR": "expected reciprocal rank: graded relevance, and a user who stops when satisfied",
    "ERR_IA": f"intent-aware expected reciprocal rank; needs {_INTENTS}",
    "INSQ": "precision weighted by the probability that the user continues, given a target T",
    "INST": "INSQ adapted to how close the user is to the target T",
    "Judged": "share of the first results that are assessed",
    "NERR10": "nearly expected reciprocal rank with gain-based stopping and patience p",
    "NERR11": "nearly expected reciprocal rank with gain-based stopping and target T",
    "NERR8": "nearly expected reciprocal rank with gain-based stopping, up to a rank",
    "NERR9": "nearly expected reciprocal rank with stopping and discount, up to a rank",
    "NRBP": f"novelty- and rank-biased precision; needs {_INTENTS}",
    "P_IA": f"intent-aware precision at a rank; needs {_INTENTS}",
    "RBP": "rank-biased precision: a user who continues with probability p",
    "SDCG": "nDCG with an ideal ranking as long as the cutoff and of maximal gain",
    "SetAP": "average precision of the results as a set: SetP · SetR",
    "SetF": "F-measure of the results as a set",
    "SetP": "precision of the results as a set",
    "SetR": "recall of the results as a set",
    "StRecall": f"share of the subtopics that the first results cover; needs {_INTENTS}",
    "alpha_DCG": f"discounted cumulated gain with novelty and diversity; needs {_INTENTS}",
    "alpha_nDCG": f"nDCG with novelty and diversity; needs {_INTENTS}",
    "infAP": "average precision inferred from assessments of a sample of the pool",
    "nERR_IA": f"normalised intent-aware expected reciprocal rank; needs {_INTENTS}",
    "nNRBP": f"normalised novelty- and rank-biased precision; needs {_INTENTS}",
}
"""Name → title of the measures of ir_measures that xcg does not compute itself."""

ALIASES = {"AP_IA": ("MAP_IA",), "SetP": ("SetRelP",)}
"""Name → other names. SetRelP is SetP(relative=True)."""


def canonical_name(text: str) -> str | None:
    """Return the name that ir_measures gives the measure in a text, None if it knows none.

    Raises:
        XcgError: If ir_measures is not installed.
    """
    try:
        import ir_measures
    except ImportError:
        raise missing_extra(f"the measure {text}", "ir_measures", "trec") from None
    try:
        name = str(ir_measures.parse_measure(text))
        ir_measures.parse_measure(name)  # fails for AP(rel=1e999), which is printed as AP(rel=inf)
        return name
    except Exception:  # which exceptions it raises for unknown names and parameters is undocumented
        return None


def ir_measures_definition(name: str) -> Definition:
    """Return the declaration of a measure that ir_measures computes."""
    return Definition(
        name=name,
        title=TITLES.get(name, "a measure of ir_measures"),
        formula=f"computed by ir_measures, see {_PAGE}",
        range="see there",
        source="ir_measures (MacAvaney, Macdonald & Ounis 2022)",
        references=(*_REFERENCES.get(name, ()), "macavaney-macdonald-ounis-2022"),
        example=f"xcg evaluate … --measures {_USAGES.get(name, name)}",
        caveat=f"Parameters and cutoffs are those of ir_measures. {MEANS}",
        aliases=ALIASES.get(name, ()),
        needs="levels",
        compute=None,
    )


_REFERENCES = {
    "BPM": ("zhang-et-al-2017",),
    "Compat": ("clarke-vtyurina-smucker-2021",),
    "ERR": ("chapelle-et-al-2009",),
    "ERR_IA": ("chapelle-et-al-2009",),
    "INSQ": ("moffat-scholer-thomas-2012",),
    "INST": ("bailey-et-al-2015",),
    **dict.fromkeys(("NERR10", "NERR11", "NERR8", "NERR9"), ("azzopardi-et-al-2021",)),
    "NRBP": ("clarke-kolla-vechtomova-2009",),
    "RBP": ("moffat-zobel-2008",),
    "alpha_DCG": ("clarke-et-al-2008",),
    "alpha_nDCG": ("clarke-et-al-2008",),
    "nERR_IA": ("chapelle-et-al-2009",),
    "nNRBP": ("clarke-kolla-vechtomova-2009",),
}
"""Name → the sources that the documentation of ir_measures names."""

_USAGES = {
    "BPM": "'BPM(T=1.0,max_rel=3)@10'",
    "INSQ": "'INSQ(max_rel=3)'",
    "INST": "'INST(max_rel=3)'",
    "NERR10": "'NERR10(max_rel=3)'",
    "NERR11": "'NERR11(max_rel=3)'",
    "NERR8": "'NERR8(max_rel=3)@10'",
    "NERR9": "'NERR9(max_rel=3)@10'",
    "Judged": "Judged@10",
    "RBP": "'RBP(rel=1)@10'",
    "SDCG": "'SDCG(max_rel=3)@10'",
}
