"""Schemes of grades that an assessor can give to a highlight."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

TOO_SMALL = "?"
"""The grade of INEX 2005 for text that is too small to be exhaustive; it counts as not relevant."""
UNGRADED = 2.0
"""The exhaustivity of highlights without grades, as since INEX 2006."""


class Grade(NamedTuple):
    """A grade of a highlight.

    Attributes:
        value: The grade as it is stored and exported, such as ``"3"`` or ``"?"``.
        label: Its meaning for assessors; empty if the configuration states none.
    """

    value: str
    label: str = ""


@dataclass(frozen=True)
class GradeScheme:
    """The grades of a collection, in the order in which they are offered.

    Args:
        name: A key of :data:`SCHEMES`, or ``"levels"`` for the grades of a configuration.
        grades: The grades; empty if highlights have none.

    >>> SCHEMES["inex-2005"].values
    ('2', '1', '?')
    """

    name: str
    grades: tuple[Grade, ...] = ()

    @property
    def values(self) -> tuple[str, ...]:
        """The legal values; empty if highlights have no grade."""
        return tuple(grade.value for grade in self.grades)

    def has(self, value: str | None) -> bool:
        """Return whether a highlight of a finished document may have a grade, or none.

        >>> SCHEMES["inex-2005"].has("3"), SCHEMES["none"].has(None)
        (False, True)
        """
        return value in (self.values or (None,))

    def label(self, value: str | None) -> str:
        """Return the meaning of a grade; empty if it has none."""
        return next((grade.label for grade in self.grades if grade.value == value), "")


_LABELS = {
    "inex-2004": {"3": "highly exhaustive", "2": "fairly exhaustive", "1": "marginally exhaustive"},
    "inex-2005": {"2": "highly exhaustive", "1": "partly exhaustive", TOO_SMALL: "too small"},
    "none": {},
}
SCHEMES: Mapping[str, GradeScheme] = MappingProxyType(
    {name: GradeScheme(name, tuple(map(Grade._make, one.items()))) for name, one in _LABELS.items()}
)
"""Name in configurations → scheme: the exhaustivity of INEX 2004, of INEX 2005, or no grade."""
