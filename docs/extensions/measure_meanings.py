"""A sentence on what each measure of xcg measures, and formulas, for the reference pages."""

from __future__ import annotations

from collections.abc import Mapping

MEANINGS: Mapping[str, str] = {
    "AP": "It is the mean precision at the ranks of the relevant documents; one that is not retrieved "
    "counts 0.",
    "ASL": "It states at which rank a relevant result is on average.",
    "AUC": "It is the probability that a relevant document is ranked before a non-relevant one.",
    "AgP": "It measures how early relevant articles come, and how much of what is read in them is "
    "relevant.",
    "AiP": "It is the mean of the best precision in characters from 101 points of recall on.",
    "BEPD": "It measures how close the entry points of a run are to the best ones.",
    "BiC": "It measures how early relevant articles come, and how close their entry points are to the "
    "best ones.",
    "Bpref": "It measures how often relevant documents are ranked before assessed non-relevant ones; "
    "documents without an assessment are ignored.",
    "ESL": "It is the number of non-relevant results that a user sees before a wanted number of "
    "relevant ones.",
    "IPrec": "It is the best precision that a run has from a point of recall on.",
    "MAep": "It measures how little effort a user needs for the gain of each relevant result, compared "
    "with the ideal ranking.",
    "MAnxCG": "It summarises how close a run is to the ideal ranking at all ranks up to a rank.",
    "MAnxDCG": "It summarises how close a run is to the ideal ranking at all ranks up to a rank, with "
    "less weight for later results.",
    "MAxCG": "It summarises how much a user gains at all ranks up to a rank.",
    "MAxDCG": "It summarises how much a user gains at all ranks up to a rank, with less weight for "
    "later results.",
    "NDCNG": "It compares the discounted gain with that of the ideal ranking, and does not depend on "
    "how large the scale of relevance is.",
    "NumQ": "It counts the topics that an evaluation is about.",
    "NumRel": "It counts the relevant documents of a topic, retrieved or not.",
    "NumRet": "It counts the results of a run, or its relevant results.",
    "P": "It is the share of the first results that are relevant.",
    "Q": "It averages, over the ranks with gain, how close the cumulated gain is to that of the ideal "
    "ranking; late ranks cost more than with nxCG.",
    "R": "It compares the cumulated gain with that of the ideal ranking at one rank: the number of "
    "ideal elements.",
    "RR": "It states how early the first relevant result comes.",
    "Recall": "It is the share of the relevant documents that are among the first results.",
    "Rprec": "It is the precision at the rank that equals the number of relevant documents.",
    "SpanF": "It balances how much of the gold text is returned with how much of the returned text is "
    "gold.",
    "SpanIoU": "It states how much the returned text and the gold text are the same.",
    "SpanPrecision": "It states how much of the text that a reader or a language model gets is gold "
    "text.",
    "SpanRecall": "It states how much of the gold text a reader or a language model gets.",
    "Success": "It states for how many topics there is at least one relevant result among the first "
    "ones.",
    "avgNDCG": "It summarises the nDCG with exponential gains at all ranks up to a rank.",
    "avgNDCNG": "It summarises NDCNG at all ranks up to a rank.",
    "charF": "It balances precision and recall of the returned characters.",
    "charP": "It is the share of the returned characters that are highlighted.",
    "charR": "It is the share of the highlighted characters that are returned.",
    "ep": "It states how much of the effort was necessary to reach a level of gain: 0.5 means that the "
    "ideal ranking needs half the ranks.",
    "frustration": "It measures how early the results without gain come.",
    "gIPrec": "It is the best mean gain of the first results from a point of generalised recall on.",
    "gP": "It states how well the text read in the first articles matches their highlighted text, on "
    "average.",
    "gPrecision": "It is the mean gain of the first results: precision for graded relevance.",
    "gR": "It is the share of the relevant articles that are among the first ones.",
    "gRecall": "It is the share of the ideal gain that the first results have: recall for graded "
    "relevance.",
    "gr": "It is the share of the total ideal gain that a user has after the first results.",
    "halfLife": "It states how late a user has half of the gain that the run has in all.",
    "hixF": "It balances HiXEval's precision and recall.",
    "hixP": "It is the share of the returned text that is highlighted, where repeated text counts "
    "less.",
    "hixR": "It is the share of the highlighted text that is returned, where repeated text counts "
    "less.",
    "iMAep": "It averages how much of the effort was necessary at ten levels of gain.",
    "iP": "It is the best precision in characters from a point of recall on.",
    "inexEval": "It is the precision that a user can expect at a point of recall, if overlap does not "
    "matter.",
    "muAP": "It is average precision for graded relevance: the mean over all levels of gain, weighted "
    "by the distances between the levels.",
    "nDCG": "It compares the discounted levels of the first results with those of the best possible "
    "ranking.",
    "ngPrecision": "It is the mean specificity of the new text in the first results.",
    "ngRecall": "It is the share of all exhaustivity that the new text of the first results has.",
    "normPrecision": "It compares the logarithms of the ranks of relevant documents with those of the "
    "best ranking.",
    "normRecall": "It compares the ranks of relevant documents with those of the best ranking.",
    "nxCG": "It states how much of the gain that is possible up to a rank a user has.",
    "nxDCG": "It states how much of the gain that is possible up to a rank a user has, with less "
    "weight for later results.",
    "overlap": "It states how many results contain, lie inside or repeat another result.",
    "relativeRelevance": "It states how well the scores of a system agree with the gains of its "
    "results.",
    "satisfaction": "It states how early the results of a run with high gains come.",
    "scaledUtility": "It rewards relevant results and charges for others, on a scale that makes topics "
    "comparable.",
    "slidingRatio": "It compares the gain of the first results with that of the run's own best "
    "results.",
    "total": "It combines satisfaction and frustration.",
    "xAP": "It is average precision if all results from a threshold of gain on are relevant.",
    "xCG": "It states how much a user has gained after a number of results.",
    "xDCG": "It states how much a user has gained after a number of results, with less weight for "
    "later results.",
    "xIPrec": "It is the best precision from a point of recall on, for all gains or for one level.",
}
"""Name in the registry → a sentence about the measure."""

WITHOUT_BETTER = frozenset({"overlap", "NumQ", "NumRel", "NumRet"})
"""Measures that describe a run or a campaign: no value is better than another."""

FORMULAS: Mapping[str, str] = {
    "xCG": r"\mathrm{xCG}[i] = \sum_{j=1}^{i} \mathrm{xG}[j]",
    "nxCG": r"\mathrm{nxCG}[i] = \frac{\mathrm{xCG}[i]}{\mathrm{xCI}[i]}",
    "MAxCG": r"\mathrm{MAxCG}[i] = \frac{1}{i} \sum_{j=1}^{i} \mathrm{xCG}[j]",
    "MAnxCG": r"\mathrm{MAnxCG}[i] = \frac{1}{i} \sum_{j=1}^{i} \mathrm{nxCG}[j]",
    "MAxDCG": r"\mathrm{MAxDCG}[i] = \frac{1}{i} \sum_{j=1}^{i} \mathrm{xDCG}[j]",
    "MAnxDCG": r"\mathrm{MAnxDCG}[i] = \frac{1}{i} \sum_{j=1}^{i} \mathrm{nxDCG}[j]",
    "nxDCG": r"\mathrm{nxDCG}[i] = \frac{\mathrm{xDCG}[i]}{\mathrm{xDCI}[i]}",
    "ep": r"\mathrm{ep}[r] = \frac{i_{\mathrm{ideal}}(g)}{i_{\mathrm{run}}(g)}, "
    r"\quad g = r \cdot \mathrm{xCI}[n]",
    "gr": r"\mathrm{gr}[i] = \frac{\mathrm{xCG}[i]}{\mathrm{xCI}[n]}",
    "iMAep": r"\mathrm{iMAep} = \frac{1}{10} \sum_{k=1}^{10} \mathrm{ep}[k / 10]",
    "R": r"\mathrm{R} = \frac{\mathrm{cbg}(n)}{\mathrm{cig}(n) + n}",
    "gPrecision": r"\mathrm{gPrecision}[n] = \frac{1}{n} \sum_{i=1}^{n} G[i]",
    "SpanF": r"\mathrm{SpanF} = \frac{(1 + \beta^2) \cdot P \cdot R}{\beta^2 \cdot P + R}",
    "SpanIoU": r"\mathrm{SpanIoU}[k] = "
    r"\frac{\mathrm{found}}{\mathrm{read} + \mathrm{gold} - \mathrm{found}}",
    "charF": r"\mathrm{charF} = \frac{(1 + \beta^2) \cdot P \cdot R}{\beta^2 \cdot P + R}",
    "hixF": r"\mathrm{hixF} = \frac{(1 + \beta^2) \cdot P \cdot R}{\beta^2 \cdot P + R}",
    "nDCG": r"\mathrm{nDCG}[k] = \frac{\mathrm{DCG}[k]}{\mathrm{IDCG}[k]}",
    "muAP": r"\mu\mathrm{AP} = \frac{\sum_t \mathrm{xAP}(t) \cdot d(t)}{\sum_t d(t)}",
    "ESL": r"\mathrm{ESL} = j + \frac{i \cdot s}{r + 1}",
}
"""Name in the registry → the formula in LaTeX; the definition states it in words, too."""
