"""The user model that assessments get when the user names none."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from xcg.judgements.recall_base import RecallBase
from xcg.runs.run import Run
from xcg.user_model.model import DEFAULT, OF_SCALE, UserModel

_EXHAUSTIVITIES = (1, 2)  # of passages; another grade is a level of relevance


def has_only_passages(base: RecallBase) -> bool:
    """Return whether all relevance is given as character offsets."""
    return not any(base.files(topic) or base.passages(topic) for topic in base.topics)


def default_model(base: RecallBase, runs: Iterable[Run] = ()) -> UserModel:
    """Return the default user model of assessments.

    The scale of the assessments decides. If all relevance is given as character offsets and a run
    returns passages for it, results are scored as text, because models of elements refuse passages.

    Args:
        base: The assessments.
        runs: The runs to evaluate. Without them, results are taken for elements.

    >>> default_model(RecallBase.of({"1": {"d": 2}})).name
    'levels'
    """
    if has_only_passages(base):
        topics = (t for run in runs for t, ranking in run.rankings.items() if ranking.spans)
        if any(any(base.spans(topic).values()) for topic in topics):
            return default_text_model(base)
    scales = base.scales
    (scale,) = scales if len(scales) == 1 else ("",)
    return UserModel.shipped(OF_SCALE.get(scale, DEFAULT))


def default_text_model(base: RecallBase) -> UserModel:
    """Return the default user model of assessments for results that are scored as text.

    >>> default_text_model(RecallBase.of({"1": {"d": 2}})).name
    'spans-levels'
    """
    spans = UserModel.shipped("spans")
    scales = base.scales
    grades = (s.exhaustivity for t in base.topics for file in base.spans(t).values() for s in file)
    if "level" in scales or any(grade not in _EXHAUSTIVITIES for grade in grades):
        return UserModel.shipped("spans-levels")
    if scales & {"four-point", "coverage"}:
        model = default_model(base)
        return replace(model, name=f"{model.name}, as text", spans="text", effort=spans.effort)
    return spans
