"""Functions of gold and results for tests of the laws, and measures that keep all laws."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

from xcg.documents.text_units import CharacterConverter
from xcg.laws.cases import Case, Gold, Retrieved, Setting, overlap
from xcg.laws.subjects import Subject


@dataclass(frozen=True)
class _Function:
    name: str
    function: Callable[[list[Gold], list[Retrieved]], float]
    setting: Setting

    def score(self, case: Case, ranking: tuple[Retrieved, ...]) -> float:
        return self.function(list(case.gold), list(ranking))

    def assessed(self, case: Case) -> list[tuple[Retrieved, str]]:
        return [(Retrieved(*gold[:3]), f"grade {gold.grade}") for gold in case.gold]


def subject_of(function: Callable[[Any, Any], float], effort_is_text: bool = False) -> Subject:
    """Return a function of gold and results on plain text as the subject of laws."""
    setting = Setting()
    if effort_is_text:
        setting = Setting(converter=lambda text: CharacterConverter(), padding_costs=True)
    return cast("Subject", _Function("f", function, setting))


def characters(span: Gold | Retrieved) -> set[tuple[str, int]]:
    """Return the characters of a span."""
    return {(span.document, position) for position in range(span.start, span.end)}


def covered_gold(gold: list[Gold], ranking: list[Retrieved]) -> float:
    """Return the fraction of the gold's characters that the ranking contains."""
    relevant = set().union(*map(characters, gold))
    return len(relevant & set().union(*map(characters, ranking))) / len(relevant)


def reciprocal_rank(gold: list[Gold], ranking: list[Retrieved]) -> float:
    """Return 1 / rank of the first result with relevant text, 0 without one."""
    ranks = [i for i, r in enumerate(ranking, 1) if any(overlap(g, r) for g in gold)]
    return 1 / ranks[0] if ranks else 0.0
