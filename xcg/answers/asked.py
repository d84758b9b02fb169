"""A question about a campaign: its settings and inputs."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

from xcg.errors import XcgError
from xcg.evaluation.config import require
from xcg.evaluation.evaluate import evaluate
from xcg.evaluation.inputs import Inputs
from xcg.evaluation.parallel import Progress
from xcg.evaluation.results import Results
from xcg.measures import split_measures
from xcg.settings.keys import Settings
from xcg.settings.loading import Stated

ProgressBar = Callable[[str], AbstractContextManager[Progress | None]]
"""What is counted → a context in which progress is shown."""


@dataclass(frozen=True)
class Asked:
    """The settings and the inputs of a question.

    Attributes:
        stated: What the user states.
        settings: The same, checked.
        inputs: The inputs of the campaign; made when first needed.
        progress: Shows progress.
    """

    stated: Stated
    settings: Settings
    get_inputs: Callable[[], Inputs]
    progress: ProgressBar

    @property
    def inputs(self) -> Inputs:
        """The inputs of the campaign."""
        return self.get_inputs()

    def inputs_with(self, *required: str) -> Inputs:
        """Return the inputs; XcgError if one of ``assessments``, ``runs``, ``corpus`` is not stated."""
        inputs = self.inputs
        require(inputs, self.stated, *required)
        return inputs

    def evaluate(self, inputs: Inputs | None = None) -> Results:
        """Evaluate runs, with a progress bar."""
        if inputs is None:
            inputs = self.inputs_with("assessments", "runs")
        with self.progress("topics") as progress:
            return evaluate(inputs, progress)

    @property
    def measure_names(self) -> list[str]:
        """The measures as the user states them; those of curves have no cutoff."""
        stated: Any = self.settings.measures
        given = stated if isinstance(stated, (list, tuple)) else [stated]
        return [name for one in given if one is not None for name in split_measures(str(one))]

    def states(self, name: str) -> bool:
        """Return whether the user states a key, such as ``compare.baseline``."""
        return self.stated.is_stated(name)

    def refuse(self, name: str, reason: str) -> None:
        """Raise XcgError if a key without effect is stated outside of the file of all commands."""
        path = tuple(name.split("."))
        if path in self.stated.overrides:
            place = self.stated.place(path).name
            raise XcgError(f"{place} has no effect {reason}: remove it")
