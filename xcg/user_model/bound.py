"""The bound of scores: whether a ranking can gain more than the ideal ranking under a user model."""

from __future__ import annotations

from typing import Any

from xcg.registry import Part
from xcg.user_model.parts import at_most_score, ideals_overlap, only_ideals_gain
from xcg.user_model.relevance_value import RelevanceValue


def reason_for_more_than_ideal(ideal: Part[Any], rule: RelevanceValue) -> str:
    """Return why a ranking of elements can gain more than the ideal ranking; "" if none can.

    With ``normalisation: subtree`` and ideal elements that do not overlap, every result that contains
    no ideal element takes its gain from one ideal element, which yields at most its score. So k such
    results gain at most the k highest ideal scores, for every α, overlap model and near-miss model.

    Args:
        ideal: The selection of ideal elements.
        rule: The relevance value function.
    """
    if rule.reader is not None:
        return f"the reader {rule.reader} decides gains, and xcg knows no limit of them"
    normalised = rule.normalisation == "subtree"
    if only_ideals_gain(rule.near_misses):
        if normalised and not ideals_overlap(ideal):
            return ""
        if rule.alpha == 1 and at_most_score(rule.partially_seen):
            return ""  # every ideal element gains once, and at most its score
    if not normalised:
        if rule.alpha < 1:
            return "without normalisation and with alpha below 1, a result that was seen gains again"
        return "without normalisation, several results can gain from the same ideal element in full"
    if ideals_overlap(ideal):
        return "ideal elements can overlap, and what is left of all of them is added up"
    return (
        "results that contain ideal elements gain without using them up "
        "(Kazai and Lalmas 2006, equation 8)"
    )


def reason_for_more_than_ideal_text(rule: RelevanceValue) -> str:
    """Return why a ranking that is scored as text can gain more than the ideal ranking."""
    reason = "a result that shows several gold spans gains all of them at one rank"
    if rule.normalisation == "none" and rule.alpha < 1:
        return f"{reason}, and without normalisation, text that was seen gains again"
    return reason
