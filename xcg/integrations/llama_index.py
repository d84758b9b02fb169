"""Read LlamaIndex nodes as chunks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from xcg.runs.chunk_adapters import (
    ChunkAdapter,
    ChunkFields,
    as_metadata,
    as_offset,
    as_text,
    shortened,
)


class LlamaIndexAdapter(ChunkAdapter):
    """Reads LlamaIndex nodes and ``NodeWithScore`` objects.

    The nodes of HierarchicalNodeParser count their offsets from the start of their parent.
    """

    id_attributes = ("id_", "node_id", "id")

    def recognises(self, chunk: Any) -> bool:
        """Return whether an object is a node with a score, or has an attribute of a node."""
        names = ("start_char_idx", "ref_doc_id", "relationships")
        return _has_score(chunk) or any(hasattr(chunk, name) for name in names)

    def unwrap(self, chunk: Any) -> tuple[object, object]:
        """Return the node and score of a ``NodeWithScore``."""
        return (chunk.node, chunk.score) if _has_score(chunk) else super().unwrap(chunk)

    def fields(self, chunk: Any) -> ChunkFields:
        """Read ``start_char_idx``, ``end_char_idx``, the source node and the parent."""
        metadata = as_metadata(getattr(chunk, "metadata", None))
        relationships = as_metadata(getattr(chunk, "relationships", None))
        source = _related_id(relationships, "SOURCE", "1")
        parent = _related_id(relationships, "PARENT", "4")
        return ChunkFields(
            document=getattr(chunk, "ref_doc_id", None) or source or metadata.get("file_name"),
            start=as_offset(getattr(chunk, "start_char_idx", None), "start_char_idx"),
            end=as_offset(getattr(chunk, "end_char_idx", None), "end_char_idx"),
            text=as_text(getattr(chunk, "text", None)),
            metadata=metadata,
            parent=parent,
            no_document=(
                "the LlamaIndex node has no source node and no metadata 'file_name': node parsers set "
                "the first, readers the second"
            ),
            no_offsets=(
                "the LlamaIndex node has no start_char_idx: node parsers set it "
                "(get_nodes_from_documents) if the document contains the node's text word for word"
            ),
            no_parent=(
                "the start_char_idx of a child that LlamaIndex's HierarchicalNodeParser made counts "
                f"from its parent {shortened(str(parent))}: pass all its nodes as parents="
            ),
        )


def _has_score(chunk: object) -> bool:
    return hasattr(chunk, "node") and hasattr(chunk, "score")


def _related_id(relationships: Mapping[Any, Any], name: str, value: str) -> str | None:
    """Return the id of a related node; keys are members of an enumeration, or their values."""
    for key, related in relationships.items():
        if getattr(key, "name", None) == name or getattr(key, "value", key) in (value, name):
            if isinstance(related, Mapping):
                return as_text(related.get("node_id"))
            return as_text(getattr(related, "node_id", None))
    return None


ADAPTER = LlamaIndexAdapter()
