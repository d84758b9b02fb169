"""The bound of scores: whether a ranking can gain more than the ideal ranking under a user model."""

from __future__ import annotations

from typing import Any

from xcg.registry import Part
from xcg.user_model.ideal import kazai_lalmas, leaves, max_gain, roots
from xcg.user_model.near_misses import exact, judged
from xcg.user_model.normalisations import none, related, subtree
from xcg.user_model.overlap_models import AT_MOST_SCORE
from xcg.user_model.relevance_value import RelevanceValue


def reason_for_more_than_ideal(ideal: Part[Any], rule: RelevanceValue) -> str:
    """Return why a ranking of elements can gain more than the ideal ranking; "" if none can.

    docs/howto/score-above-1.md proves the bound: every gain is taken from ideal elements,
    which yield at most their scores in total, and no result gains more than the score of any ideal
    element that it takes from. So k results gain at most the k highest ideal scores.

    Args:
        ideal: The selection of ideal elements.
        rule: The relevance value function.
    """
    if rule.reader is not None:
        return f"the reader {rule.reader} decides gains, and xcg knows no limit of them"
    normalisation = rule.normalisation.plain
    if normalisation not in (subtree, related, none):
        return f"the normalisation {rule.normalisation} decides gains, and xcg knows no limit of them"
    overlapping = ideal.plain not in (kazai_lalmas, max_gain, leaves, roots)
    own_score_only = rule.partially_seen.plain in AT_MOST_SCORE
    if rule.near_misses.plain is exact:
        if normalisation is not none and not overlapping:
            return ""  # an ideal element takes from itself only
        if rule.alpha == 1 and own_score_only:
            return ""  # every ideal element gains once, and at most its score
    reasons = {
        "without normalisation and with alpha below 1, a result that was seen gains again": (
            normalisation is none and rule.alpha < 1
        ),
        "without normalisation, several results can gain from the same ideal element in full": (
            normalisation is none
        ),
        "ideal elements can overlap, and what is left of all of them is added up": overlapping,
        "results that contain ideal elements gain without using them up "
        "(Kazai and Lalmas 2006, equation 8)": normalisation is subtree,
        f"with the ideal {ideal}, an element above ideal elements can have a higher score than they": (
            ideal.plain not in (kazai_lalmas, roots)
        ),
        "a result that was partly seen can be worth more than its score": not own_score_only,
        "a near-miss above ideal elements can be worth more than one of them": (
            rule.near_misses.plain is not judged
        ),
    }
    return next((reason for reason, holds in reasons.items() if holds), "")


def reason_for_more_than_ideal_text(rule: RelevanceValue) -> str:
    """Return why a ranking that is scored as text can gain more than the ideal ranking."""
    reason = "a result that shows several gold spans gains all of them at one rank"
    if rule.normalisation.plain is none and rule.alpha < 1:
        return f"{reason}, and without normalisation, text that was seen gains again"
    return reason
