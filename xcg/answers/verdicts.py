"""The class of the answers of gates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xcg.answer import Answer
from xcg.evaluation.results import Results

if TYPE_CHECKING:
    from xcg.statistics.gate import Verdict


class GateAnswer(Answer[Any]):
    """The answer of a gate: a sequence of the checks of each run, measure and user model.

    Attributes:
        results: The scores.
        verdict: What was checked, and what failed.
        passed: Whether no run fails.
    """

    results: Results
    verdict: Verdict

    @property
    def passed(self) -> bool:
        """Whether no run fails."""
        return not self.verdict.failures
