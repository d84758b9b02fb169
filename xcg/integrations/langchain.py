"""Read LangChain documents as chunks."""

from __future__ import annotations

from typing import Any

from xcg.runs.chunk_adapters import ChunkAdapter, ChunkFields, as_metadata, as_offset, as_text


class LangChainAdapter(ChunkAdapter):
    """Reads LangChain ``Document`` objects."""

    def recognises(self, chunk: Any) -> bool:
        """Return whether an object has the attribute ``page_content``."""
        return hasattr(chunk, "page_content")

    def fields(self, chunk: Any) -> ChunkFields:
        """Read ``start_index`` and ``source`` from the metadata."""
        metadata = as_metadata(getattr(chunk, "metadata", None))
        start = as_offset(metadata.get("start_index"), "start_index")
        no_offsets = (
            "the LangChain document has no metadata 'start_index': its text splitters set it with "
            "add_start_index=True (splitters by headers never do)"
        )
        if start is not None and start < 0:
            no_offsets = (
                f"the LangChain document's start_index is {start}: its splitter changed the text and "
                "did not find it again (a separator that is a regex, an overlap not in characters)"
            )
            start = None
        return ChunkFields(
            document=metadata.get("source"),
            start=start,
            text=as_text(chunk.page_content),
            metadata=metadata,
            no_document="the LangChain document has no metadata 'source': loaders set it",
            no_offsets=no_offsets,
        )


ADAPTER = LangChainAdapter()
