"""The evaluated campaign that all parts of the HTML report share, and the progress of the report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from xcg.evaluation.inputs import Inputs
from xcg.evaluation.parallel import Progress
from xcg.evaluation.results import Results
from xcg.statistics.significance import Comparison

Json = dict[str, Any]


class StepCounter:
    """Counts the completed steps of the report and reports them."""

    def __init__(self, progress: Progress | None, total: int) -> None:
        self._progress = progress
        self.total = total
        self._done = 0

    def set(self, done: int) -> None:
        """Set the number of completed steps."""
        self._done = done
        if self._progress is not None:
            self._progress(min(done, self.total), self.total)

    def advance(self, steps: int) -> None:
        """Add completed steps."""
        self.set(self._done + steps)


@dataclass(frozen=True)
class ReportContext:
    """An evaluated campaign.

    Attributes:
        topics: The topics that have scores.
        limits: Receives a sentence about everything that is left out to keep the file small.
        tests: User model and measure → the comparisons of all pairs of runs, or the reason if there are
            none; each is made once.
    """

    inputs: Inputs
    results: Results
    topics: Sequence[str]
    steps: StepCounter
    limits: list[str] = field(default_factory=list)
    tests: dict[tuple[str, str], list[Comparison] | str] = field(default_factory=dict)
