"""Overlap: what a result is worth of which a part was seen before.

What was not seen is worth its score, and what was seen as a whole (1 − α)·score, whatever the model. In
between, for a result that holds earlier results, the model decides. It is a function whose positional
arguments are named after what it wants to know:

    score     the result's own quantised score, q
    alpha     the user's intolerance to what was seen before, 0 … 1
    rest      Σ over its child elements of their own values, weighted by length: rv(c_j)·|c_j| / |c|
    seen      the share of its text that was seen before, 0 … 1
    tree      the document, an :class:`~xcg.documents.ElementTree`; ``tree.graph`` is a networkx graph
    result    the result's canonical path
    earlier   the paths of the earlier results from this document, in order of rank
    scores    path → quantised score, of all elements of the document that score above 0

Keyword-only arguments are the model's parameters. It returns the value, from 0.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable

from xcg.errors import XcgError, nearest
from xcg.registry import Part
from xcg.user_model.parts import PartRegistry

PartiallySeen = Callable[..., float]
PARTIALLY_SEEN: PartRegistry[PartiallySeen] = PartRegistry("overlap model", "xcg.overlap_model")

ARGUMENTS = ("score", "alpha", "rest", "seen", "tree", "result", "earlier", "scores")


@PARTIALLY_SEEN.register("recursive", depends_on_other_runs=False, ignores_overlap_at_alpha_0=True)
def recursive(alpha: float, rest: float, score: float) -> float:
    """Add up what is new, child by child: α·rest + (1 − α)·q (Kazai & Lalmas 2006, equation 9).

    >>> recursive(alpha=1.0, rest=0.25, score=0.5)
    0.25
    """
    return alpha * rest + (1 - alpha) * score


@PARTIALLY_SEEN.register("capped", depends_on_other_runs=False, ignores_overlap_at_alpha_0=True)
def capped(alpha: float, rest: float, score: float) -> float:
    """Do as ``recursive``, and give no more than the result's own score.

    >>> capped(alpha=1.0, rest=0.75, score=0.5)
    0.5
    """
    return min(recursive(alpha, rest, score), score)


@PARTIALLY_SEEN.register("new_characters", depends_on_other_runs=False, ignores_overlap_at_alpha_0=True)
def new_characters(alpha: float, seen: float, score: float) -> float:
    """Pay for the share of new text: (1 − α·seen)·q, as if relevance were spread evenly (ours).

    Kazai & Lalmas argue against it (section 5.2.3): compare the two.

    >>> new_characters(alpha=1.0, seen=0.25, score=0.5)
    0.375
    """
    return (1 - alpha * seen) * score


@PARTIALLY_SEEN.register(
    "first_seen_only", depends_on_other_runs=False, ignores_overlap_at_alpha_0=True
)
def first_seen_only(alpha: float, score: float) -> float:
    """Take a part for the whole: (1 − α)·q as soon as anything of it was seen (ours).

    >>> first_seen_only(alpha=1.0, score=0.5)
    0.0
    """
    return (1 - alpha) * score


@PARTIALLY_SEEN.register("growing_alpha", depends_on_other_runs=False, ignores_overlap_at_alpha_0=True)
def growing_alpha(
    alpha: float, rest: float, seen: float, score: float, *, exponent: float = 1.0
) -> float:
    """Mind the more, the more was seen: α(seen) = α·seen^exponent in the recursive rule (ours).

    exponent 0 is the recursive rule; a large one forgives whatever was not seen as a whole.

    >>> growing_alpha(alpha=1.0, rest=0.25, seen=0.5, score=0.75, exponent=1.0)
    0.5
    """
    if exponent < 0:
        raise ValueError(f"exponent is {exponent}: expected a number from 0")
    now = alpha * float(seen**exponent)
    return now * rest + (1 - now) * score


def wanted(part: Part[PartiallySeen]) -> tuple[str, ...]:
    """Return the arguments that a model asks for; XcgError for one that there is not."""
    try:
        parameters = inspect.signature(part.plain).parameters.values()
    except (TypeError, ValueError):
        raise XcgError(f"overlap model {part}: its arguments are not known") from None
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    names = tuple(parameter.name for parameter in parameters if parameter.kind in kinds)
    for name in names:
        if name not in ARGUMENTS:
            raise XcgError(f"overlap model {part} asks for {name!r}: {nearest(name, ARGUMENTS)}")
    return names
