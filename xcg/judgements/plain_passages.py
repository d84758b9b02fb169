"""Read relevant passages that are given as tuples or dicts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any, NamedTuple, TypeGuard

from xcg.documents.text_search import Quote
from xcg.errors import nearest
from xcg.judgements.assessment import level_assessment

PlainPassage = Sequence[float] | Mapping[str, object]
"""A plain relevant passage: (start, end) or (start, end, level); or a dict with ``start`` and ``end``,
``exact`` or ``text`` (with optional ``prefix`` and ``suffix``), or both, and optionally ``level``."""

_KEYS = ("start", "end", "exact", "text", "prefix", "suffix", "level")
_DEFAULT_GRADE = 2.0


class QuotedPassage(NamedTuple):
    """A relevant passage that states its text.

    Attributes:
        quote: The text, with its context.
        span: Its position, if it is stated.
        exhaustivity: As for :class:`xcg.judgements.recall_base.Span`.
        where: File and line, for messages.
    """

    quote: Quote
    span: tuple[int, int] | None
    exhaustivity: float
    where: object


class ParsedPassage(NamedTuple):
    """The text, position and grade of a plain passage; the text or the position may be None."""

    quote: Quote | None
    span: tuple[int, int] | None
    exhaustivity: float


def are_passages(judged: object) -> TypeGuard[Sequence[PlainPassage]]:
    """Distinguish a list of passages from a pair of grades."""
    return isinstance(judged, (list, tuple)) and all(
        isinstance(passage, (list, tuple, Mapping)) for passage in judged
    )


def parse_passage(given: PlainPassage) -> ParsedPassage:
    """Return the parts of a plain passage.

    Raises:
        ValueError: If it is illegal.

    >>> parse_passage((0, 15)), parse_passage({"exact": "Bees dance.", "level": 1}).quote.exact
    (ParsedPassage(quote=None, span=(0, 15), exhaustivity=2.0), 'Bees dance.')
    """
    if isinstance(given, Mapping):
        return _parse_dict(given)
    start, end, *levels = given if len(given) in (2, 3) else (None, None)
    if type(start) is not int or type(end) is not int or not all(map(_is_level, levels)):
        raise ValueError(f"illegal passage {given!r}: expected (start, end) or (start, end, level)")
    return ParsedPassage(None, (start, end), _grade(*levels))


def _parse_dict(given: Mapping[str, Any]) -> ParsedPassage:
    for key in given:
        if key not in _KEYS:
            raise ValueError(f"unknown key {key!r} of a passage: {nearest(str(key), _KEYS)}")
    if "exact" in given and "text" in given:
        raise ValueError("a passage with 'exact' and 'text': expected one of them")
    illegal = f"illegal passage {str(dict(given))[:200]}"
    exact = given.get("exact", given.get("text"))
    if ("start" in given) != ("end" in given) or (exact is None and "start" not in given):
        raise ValueError(f"{illegal}: expected 'start' and 'end', 'exact', or both")
    if exact is None and ("prefix" in given or "suffix" in given):
        raise ValueError(f"{illegal}: expected 'exact' with 'prefix' and 'suffix'")
    span = (given["start"], given["end"]) if "start" in given else None
    if span is not None and not all(type(offset) is int for offset in span):
        raise ValueError(f"{illegal}: expected integers in 'start' and 'end'")
    if "level" in given and not _is_level(given["level"]):
        raise ValueError(f"{illegal}: expected a number in 'level'")
    grade = _grade(given["level"]) if "level" in given else _DEFAULT_GRADE
    if exact is None:
        return ParsedPassage(None, span, grade)
    words = exact, given.get("prefix", ""), given.get("suffix", "")
    if not all(isinstance(text, str) for text in words):
        raise ValueError(f"{illegal}: expected text in 'exact', 'prefix' and 'suffix'")
    return ParsedPassage(Quote(*words), span, grade)


def _grade(level: float = _DEFAULT_GRADE) -> float:
    return level_assessment(level).exhaustivity


def _is_level(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)
