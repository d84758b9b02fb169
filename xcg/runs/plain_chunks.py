"""Read dicts and tuples as chunks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from xcg.runs.chunk_adapters import ChunkAdapter, ChunkFields, as_offset, as_text, shortened


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
            metadata=chunk,
            parent_span=_stated_parent(chunk),
            no_document="the chunk has no 'doc'",
            no_offsets=f"the chunk has no {' and no '.join(missing)}",
        )


def _stated_parent(chunk: Mapping[str, Any]) -> tuple[int, int] | None:
    """Return the span of the parent that a dict states."""
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
