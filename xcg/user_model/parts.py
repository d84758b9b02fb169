"""The registry class of user-model parts, which declare properties."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from xcg.registry import F, FunctionRegistry, Part


class PartRegistry(FunctionRegistry[F]):
    """Functions that are parts of a user model.

    >>> parts: PartRegistry = PartRegistry("ideal", "xcg.ideal")
    >>> @parts.register("none", depends_on_other_runs=False)
    ... def none(tree, scores): return []
    >>> depends_on_other_runs(parts.part("none")), depends_on_other_runs(parts.part(sorted))
    (False, True)
    """

    def register(
        self,
        name: str,
        *,
        depends_on_other_runs: bool = True,
        ignores_overlap_at_alpha_0: bool = False,
        ideals_overlap: bool = True,
        at_most_score: bool = False,
        only_ideals_gain: bool = False,
        at_most_left: bool = False,
        none_above_is_better: bool = False,
        references: Sequence[str] = (),
    ) -> Callable[[F], F]:
        """Return a decorator that registers a function under a name.

        Args:
            name: The name in user models.
            depends_on_other_runs: Whether the result can depend on elements that are neither assessed,
                nor retrieved by the run itself, nor ancestors of such elements. Without a corpus,
                a document's tree has only the elements that assessments and runs name, so the
                gains of one run would depend on the other runs.
            ignores_overlap_at_alpha_0: For overlap models: whether the value is the result's own score
                if alpha is 0, so that the function need not be called.
            ideals_overlap: For selections: whether one ideal element can contain another.
            at_most_score: For overlap models: whether the value never exceeds the result's own score.
            only_ideals_gain: For near-miss models: whether all other elements gain nothing.
            at_most_left: For normalisations: whether the gain never exceeds the sum of all left-overs.
            none_above_is_better: For selections: whether no element above an ideal element has a higher
                score.
            references: The published sources: keys of ``xcg/references.bib``, or whole BibTeX entries.
        """
        registered = super().register(name, references=references)

        def add(function: F) -> F:
            for name_of_property, value in (
                ("depends_on_other_runs", depends_on_other_runs),
                ("ignores_overlap_at_alpha_0", ignores_overlap_at_alpha_0),
                ("ideals_overlap", ideals_overlap),
                ("at_most_score", at_most_score),
                ("only_ideals_gain", only_ideals_gain),
                ("at_most_left", at_most_left),
                ("none_above_is_better", none_above_is_better),
            ):
                setattr(function, name_of_property, value)
            return registered(function)

        return add


def depends_on_other_runs(part: Part[Any]) -> bool:
    """Return whether gains can depend on other runs if there is no corpus.

    True for functions that declare nothing, such as users' own.
    """
    return bool(getattr(part.plain, "depends_on_other_runs", True))


def ignores_overlap_at_alpha_0(part: Part[Any]) -> bool:
    """Return whether an overlap model gives the result's own score if alpha is 0."""
    return bool(getattr(part.plain, "ignores_overlap_at_alpha_0", False))


def ideals_overlap(part: Part[Any]) -> bool:
    """Return whether a selection can select elements that contain each other."""
    return bool(getattr(part.plain, "ideals_overlap", True))


def at_most_score(part: Part[Any]) -> bool:
    """Return whether the value of an overlap model never exceeds the result's own score."""
    return bool(getattr(part.plain, "at_most_score", False))


def only_ideals_gain(part: Part[Any]) -> bool:
    """Return whether only ideal elements gain under a near-miss model."""
    return bool(getattr(part.plain, "only_ideals_gain", False))


def at_most_left(part: Part[Any]) -> bool:
    """Return whether the gain under a normalisation never exceeds what ideal elements have left."""
    return bool(getattr(part.plain, "at_most_left", False))


def none_above_is_better(part: Part[Any]) -> bool:
    """Return whether no element above an ideal element has a higher score."""
    return bool(getattr(part.plain, "none_above_is_better", False))
