"""Read Haystack documents as chunks."""

from __future__ import annotations

from typing import Any

from xcg.runs.chunk_adapters import (
    ChunkAdapter,
    ChunkFields,
    as_metadata,
    as_offset,
    as_text,
    shortened,
)


class HaystackAdapter(ChunkAdapter):
    """Reads Haystack ``Document`` objects.

    The blocks of HierarchicalDocumentSplitter count their offsets from the start of their parent.
    """

    def recognises(self, chunk: Any) -> bool:
        """Return whether an object has the attributes ``content`` and ``meta``."""
        return hasattr(chunk, "content") and hasattr(chunk, "meta")

    def fields(self, chunk: Any) -> ChunkFields:
        """Read ``split_idx_start``, ``source_id`` or ``parent_id``, and the hierarchy's fields."""
        metadata = as_metadata(chunk.meta)
        start = as_offset(metadata.get("split_idx_start"), "split_idx_start")
        document = metadata.get("source_id") or metadata.get("parent_id")
        level = as_offset(metadata.get("__level"), "__level")
        parent = as_text(metadata.get("__parent_id"))
        if level == 0 and document is None and start is None:
            document, start = getattr(chunk, "id", None), 0  # a hierarchy's root is the document
        no_offsets = (
            "the Haystack document has no meta 'split_idx_start': DocumentSplitter and "
            "RecursiveDocumentSplitter set it, and stores keep it with the meta"
        )
        if start is not None and "parent_headers" in metadata:
            start = None
            no_offsets = (
                "the split_idx_start of a chunk of Haystack's MarkdownHeaderSplitter counts from its "
                "header, whose offset is unknown"
            )
        no_parent = (
            f"the split_idx_start of a block at level {level} of Haystack's "
            f"HierarchicalDocumentSplitter counts from its parent {shortened(str(parent))}: pass all "
            "its blocks as parents="
        )
        return ChunkFields(
            document=document,
            start=start,
            text=as_text(chunk.content),
            metadata=metadata,
            parent=parent,
            no_document=(
                "the Haystack document has no meta 'source_id' or 'parent_id': splitters set it"
            ),
            no_offsets=no_offsets,
            no_parent=no_parent if level is None or level > 1 else "",  # level 0 is the document
        )


ADAPTER = HaystackAdapter()
