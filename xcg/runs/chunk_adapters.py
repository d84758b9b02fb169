"""The base class and the registry of adapters for the chunks of retrieval libraries.

An adapter reads the chunks of one library. It recognises them by their attributes and never imports the
library. Adapters are found through the entry-point group ``xcg.adapter``; those of xcg itself are in
:mod:`xcg.integrations`. Dicts and tuples have an adapter here.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from xcg.registry import Registry
from xcg.runs.columns import finite_number


@dataclass(frozen=True)
class ChunkFields:
    """What a chunk states about itself.

    Attributes:
        document: The library's name of the chunk's document, None if unknown.
        start: First character in the document's text, or in that of the parent; None if unknown.
        end: First character after the chunk; by default start plus the length of the text.
        text: The chunk's text.
        metadata: Values that can name the document.
        parent: Id of the chunk from whose start the offsets count; None if they count from the
            document's start.
        parent_span: Start and end of the parent in the document's text; None if it has none or they are
            unknown.
        no_document: Message for a chunk whose document is unknown.
        no_offsets: Message for a chunk whose start is unknown.
        no_parent: Message for a chunk whose parent is not given; empty if the offsets then count from
            the document's start.
    """

    document: object = None
    start: int | None = None
    end: int | None = None
    text: str | None = None
    metadata: Mapping[str, object] = field(default_factory=dict)
    parent: str | None = None
    parent_span: tuple[int, int] | None = None
    no_document: str = ""
    no_offsets: str = ""
    no_parent: str = ""


class ChunkAdapter(ABC):
    """Reads the chunks of one library."""

    id_attributes: tuple[str, ...] = ("id",)
    """Attributes that can hold a chunk's id; the first that is a string counts."""

    @abstractmethod
    def recognises(self, chunk: Any) -> bool:
        """Return whether an object is a chunk of the library, with or without a score."""

    @abstractmethod
    def fields(self, chunk: Any) -> ChunkFields:
        """Return what a chunk without its score states.

        Raises:
            ValueError: If it is illegal.
        """

    def unwrap(self, chunk: Any) -> tuple[object, object]:
        """Return the chunk without its score, and the score or None."""
        return chunk, getattr(chunk, "score", None)

    def id(self, chunk: object) -> str | None:
        """Return a chunk's id."""
        ids = (getattr(chunk, name, None) for name in self.id_attributes)
        return next((key for key in ids if isinstance(key, str)), None)


ADAPTERS: Registry[ChunkAdapter] = Registry("chunk adapter", "xcg.adapter")


def as_offset(value: Any, name: str) -> int | None:
    """Return an offset as an int; stores may keep whole numbers as floats.

    Raises:
        ValueError: If it is not a whole number.

    >>> as_offset(3.0, "start")
    3
    """
    if value is None:
        return None
    try:
        number = int(value)
        is_whole = not isinstance(value, (bool, str)) and number == value
    except (TypeError, ValueError, OverflowError):
        is_whole = False
    if not is_whole:
        raise ValueError(f"{name} is {value!r}: expected a whole number")
    return number


def as_rank(value: Any) -> int | None:
    """Return a rank as an int.

    Raises:
        ValueError: If it is not a whole number from 0.
    """
    rank = as_offset(value, "rank")
    if rank is not None and rank < 0:
        raise ValueError(f"rank is {rank}: expected a whole number from 0")
    return rank


def as_score(value: Any) -> float | None:
    """Return a score as a float.

    Raises:
        ValueError: If it is not a finite number.
    """
    if value is None:
        return None
    number = finite_number(value)
    if number is None:
        raise ValueError(f"the score is {value!r}: expected a finite number")
    return number


def as_text(value: object) -> str | None:
    """Return a string unchanged, None for anything else."""
    return value if isinstance(value, str) else None


def as_metadata(value: object) -> Mapping[str, object]:
    """Return a mapping unchanged, an empty one for anything else."""
    return value if isinstance(value, Mapping) else {}


def shortened(text: str) -> str:
    """Return at most 60 characters of a text, for a message."""
    return text if len(text) <= 60 else text[:58] + " …"


class PlainAdapter(ChunkAdapter):
    """Reads dicts and (doc, start, end) tuples."""

    def recognises(self, chunk: Any) -> bool:
        """Return whether an object is a mapping or a tuple of three."""
        return isinstance(chunk, Mapping) or (isinstance(chunk, tuple) and len(chunk) == 3)

    def unwrap(self, chunk: Any) -> tuple[object, object]:
        """Return the chunk, and the score of a dict."""
        return chunk, chunk.get("score") if isinstance(chunk, Mapping) else None

    def fields(self, chunk: Any) -> ChunkFields:
        """Read the keys of a dict, or the values of a tuple."""
        if isinstance(chunk, tuple):
            chunk = dict(zip(("doc", "start", "end"), chunk, strict=True))
        missing = [repr(key) for key in ("start", "end") if chunk.get(key) is None]
        return ChunkFields(
            document=chunk.get("doc"),
            start=as_offset(chunk.get("start"), "start"),
            end=as_offset(chunk.get("end"), "end"),
            text=as_text(chunk.get("text")),
            metadata={**as_metadata(chunk.get("metadata")), **chunk},
            parent_span=stated_parent(chunk),
            no_document="the chunk has no 'doc'",
            no_offsets=f"the chunk has no {' and no '.join(missing)}",
        )


def stated_parent(chunk: Mapping[str, Any]) -> tuple[int, int] | None:
    """Return the span of the parent that a dict states; ValueError if it is illegal."""
    parent = chunk.get("parent")
    if parent is None:
        return None
    if not isinstance(parent, Mapping) or None in (parent.get("start"), parent.get("end")):
        raise ValueError(
            f"the parent is {shortened(repr(parent))}: expected a dict with start and end, or None"
        )
    start, end = (as_offset(parent[name], f"{name} of the parent") for name in ("start", "end"))
    if start is None or end is None or not 0 <= start <= end:
        raise ValueError(f"the parent is from {start} to {end}: expected 0 <= start <= end")
    return start, end


def check_parent(parent: tuple[int, int] | None, span: tuple[int, int] | None) -> None:
    """Raise ValueError if a parent does not contain its passage."""
    if parent is None:
        return
    if span is None:
        raise ValueError("the result has a parent: expected a passage, with 'start' and 'end'")
    if not (parent[0] <= span[0] and span[1] <= parent[1]):
        found = f"the parent, {parent[0]} to {parent[1]}, does not contain the passage"
        raise ValueError(f"{found}, {span[0]} to {span[1]}")
