"""Numbers by measure, as users write them: 0.02, ``MAep=0.02``, or a mapping."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from xcg.errors import XcgError
from xcg.measures import MEASURES

_T = TypeVar("_T")


def by_measure(what: str, values: Any, parse: Callable[[Any], _T], expected: str) -> dict[str, _T]:
    """Return the value of each measure.

    Args:
        what: Name of the values in messages.
        values: One value for all measures; values by measure; or texts like ``"0.01"`` and
            ``"ASL=2"``. None means no value.
        parse: Returns a value, or raises ValueError or TypeError.
        expected: End of the message about an illegal value.

    Returns:
        Values by canonical name; the measure ``""`` means all others.

    Raises:
        XcgError: If a value is illegal, a measure is unknown, or a measure has several values.

    >>> by_measure("margin", ["0.01", "ASL=2"], float, "expected a number")
    {'': 0.01, 'ASL': 2.0}
    """
    pairs: Iterable[tuple[str, Any]]
    if values is None:
        return {}
    if isinstance(values, Mapping):
        pairs = values.items()
    elif isinstance(values, (str, float, int)):
        pairs = [("", values)]
    else:
        pairs = [(name, value) for name, _, value in (text.rpartition("=") for text in values)]
    found: dict[str, _T] = {}
    for name, value in pairs:
        try:
            parsed = parse(value)
        except (TypeError, ValueError, OverflowError):
            text = f"{name}={value}" if name else str(value)
            raise XcgError(f"illegal {what} {text!r}: {expected}") from None
        measure = str(MEASURES.parse(name)) if name else ""
        if measure in found:
            raise XcgError(f"several values of {what}{measure and f' for {measure}'}: expected one")
        found[measure] = parsed
    return found
