"""Overlap models: the value of a result that the user has partly seen before.

Under any model, the value of an unseen result is its score, and that of a fully seen result is
(1 - α)·score. For a result that contains earlier results, the overlap model computes the value. It is a
function whose positional arguments are named after what it uses:

    score     q, the quantised score of the result
    alpha     α, the user's intolerance to text that was seen before, from 0 to 1
    rest      Σ rv(c_j)·|c_j| / |c| over the result's child elements c_j: their values, weighted by size
    seen      the share of the result's text that was seen before, from 0 to 1
    tree      the document, an :class:`~xcg.documents.ElementTree`; a networkx graph of rows
    result    the canonical path of the result
    earlier   the paths of the earlier results from this document, in rank order
    scores    path → quantised score of all elements of the document that score above 0

Keyword-only arguments are the model's parameters. The function returns the value, from 0.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Annotated

from xcg.errors import XcgError, nearest
from xcg.registry import Between, FunctionRegistry, Part

PartiallySeen = Callable[..., float]
PARTIALLY_SEEN: FunctionRegistry[PartiallySeen] = FunctionRegistry("overlap model", "xcg.overlap_model")

ARGUMENTS = ("score", "alpha", "rest", "seen", "tree", "result", "earlier", "scores")


@PARTIALLY_SEEN.register("recursive", references=("kazai-lalmas-2006",))
def recursive(alpha: float, rest: float, score: float) -> float:
    """Add up the values of the child elements: α·rest + (1 - α)·q.

    Kazai and Lalmas 2006, equation 9.

    >>> recursive(alpha=1.0, rest=0.25, score=0.5)
    0.25
    """
    return alpha * rest + (1 - alpha) * score


@PARTIALLY_SEEN.register("capped")
def capped(alpha: float, rest: float, score: float) -> float:
    """Limit the value of ``recursive`` to the result's score: min(α·rest + (1 - α)·q, q).

    xcg's own.

    >>> capped(alpha=1.0, rest=0.75, score=0.5)
    0.5
    """
    return min(recursive(alpha, rest, score), score)


@PARTIALLY_SEEN.register("new_characters")
def new_characters(alpha: float, seen: float, score: float) -> float:
    """Reward the share of new text: (1 - α·seen)·q, as if relevant text were spread evenly.

    xcg's own, for comparison: Kazai and Lalmas 2006 (section 5.2.3) argue against it.

    >>> new_characters(alpha=1.0, seen=0.25, score=0.5)
    0.375
    """
    return (1 - alpha * seen) * score


@PARTIALLY_SEEN.register("first_seen_only")
def first_seen_only(alpha: float, score: float) -> float:
    """Treat a result as fully seen if any part of it was seen: (1 - α)·q.

    xcg's own.

    >>> first_seen_only(alpha=1.0, score=0.5)
    0.0
    """
    return (1 - alpha) * score


@PARTIALLY_SEEN.register("growing_alpha")
def growing_alpha(
    alpha: float,
    rest: float,
    seen: float,
    score: float,
    *,
    exponent: Annotated[float, Between(0)] = 1.0,
) -> float:
    """Penalise overlap more if more was seen: ``recursive`` with α·seen^exponent instead of α.

    xcg's own.

    Args:
        alpha: α of the user model.
        rest: The weighted values of the child elements.
        seen: The share of text that was seen before.
        score: The score q of the result.
        exponent: 0 is ``recursive``; with a large one only results seen as a whole are penalised.

    >>> growing_alpha(alpha=1.0, rest=0.25, seen=0.5, score=0.75, exponent=1.0)
    0.5
    """
    return recursive(alpha * float(seen**exponent), rest, score)


AT_MOST_SCORE = (capped, new_characters, first_seen_only)
"""The models whose value never exceeds the result's own score."""


def argument_names(part: Part[PartiallySeen]) -> tuple[str, ...]:
    """Return the names of an overlap model's positional arguments.

    Raises:
        XcgError: If the function cannot be inspected, or an argument is not in the list above.
    """
    try:
        parameters = inspect.signature(part.plain).parameters.values()
    except (TypeError, ValueError):
        raise XcgError(f"overlap model {part}: the names of its arguments are unknown") from None
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    names = tuple(parameter.name for parameter in parameters if parameter.kind in kinds)
    for name in names:
        if name not in ARGUMENTS:
            raise XcgError(
                f"overlap model {part}: unknown argument {name!r}: {nearest(name, ARGUMENTS)}"
            )
    return names
