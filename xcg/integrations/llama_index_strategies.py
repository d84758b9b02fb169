"""Overlap strategies as a node postprocessor of LlamaIndex."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from llama_index.core.bridge.pydantic import Field, PrivateAttr
from llama_index.core.postprocessor.types import BaseNodePostprocessor
from llama_index.core.schema import (
    BaseNode,
    NodeRelationship,
    NodeWithScore,
    QueryBundle,
    TextNode,
)

from xcg.documents.corpus import Documents
from xcg.integrations.chunk_strategies import (
    SOURCES_KEY,
    ChunkLibrary,
    ChunkRewriter,
    NewChunk,
    TextSource,
    storable_strategy,
)
from xcg.integrations.llama_index import ADAPTER
from xcg.runs.chunk_documents import DocumentKey

_COPIED = ("text_template", "metadata_template", "metadata_separator")


class _LlamaIndexChunks(ChunkLibrary):
    adapter = ADAPTER

    def with_score(self, chunk: Any, score: float | None) -> NodeWithScore:
        node: Any = self.adapter.unwrap(chunk)[0]
        return NodeWithScore(node=node, score=score)

    def new_chunk(self, new: NewChunk) -> NodeWithScore:
        child: BaseNode = new.child
        source = child.source_node
        node = TextNode(
            id_=new.id,
            text=new.text,
            start_char_idx=new.start,
            end_char_idx=new.end,
            metadata=new.metadata,
            relationships={} if source is None else {NodeRelationship.SOURCE: source},
            excluded_embed_metadata_keys=[*child.excluded_embed_metadata_keys, SOURCES_KEY],
            excluded_llm_metadata_keys=[*child.excluded_llm_metadata_keys, SOURCES_KEY],
            **{name: getattr(child, name) for name in _COPIED if hasattr(child, name)},
        )
        return NodeWithScore(node=node, score=new.score)

    def is_store(self, parents: object) -> bool:
        return hasattr(parents, "get_nodes")

    def fetch(self, store: Any, ids: Sequence[str]) -> Iterable[BaseNode]:
        return store.get_nodes(list(ids), raise_error=False)  # type: ignore[no-any-return]


_CHUNKS = _LlamaIndexChunks()


class OverlapPostprocessor(BaseNodePostprocessor):
    """Applies an overlap strategy to retrieved nodes.

    Kept nodes and promoted parents are the nodes that were passed, not copies. A merged span becomes a
    ``TextNode`` with the metadata of its best node and the ids of all its nodes as ``merged_from``.

    Args:
        strategy: The strategy with its parameters: ``"promote_parent(threshold=0.4)"``, a mapping such
            as ``{"name": "promote_parent", "threshold": 0.4}``, ``package.module:function``, or a
            function.
        document: What names the document of a node: a key of its metadata or a function of the node;
            by default the id of its source node, or the metadata ``file_name``.
        texts: The documents' texts by name, or a function of the name. They locate nodes without
            offsets, and are the source of the text of merged nodes.
        parents: The parents of nodes of ``HierarchicalNodeParser``: all its nodes, or a docstore.
        corpus: The documents, if the strategy needs them: a folder or archive, a :class:`xcg.Corpus`,
            or a mapping.

    Texts, parents and corpus are not part of ``to_dict()``.

    Raises:
        XcgError: If the strategy is illegal or needs assessments.
    """

    strategy: Any = Field(frozen=True, description="The overlap strategy with its parameters.")
    document: Any = Field(default=None, frozen=True, description="What names a node's document.")
    texts: Any = Field(default=None, frozen=True, exclude=True, description="The documents' texts.")
    parents: Any = Field(default=None, frozen=True, exclude=True, description="The nodes' parents.")
    corpus: Any = Field(default=None, frozen=True, exclude=True, description="The documents.")
    _rewriter: ChunkRewriter = PrivateAttr()

    def __init__(
        self,
        strategy: object,
        *,
        document: DocumentKey = None,
        texts: TextSource = None,
        parents: Any = None,
        corpus: Documents = None,
        **options: Any,
    ) -> None:
        rewriter = ChunkRewriter(_CHUNKS, strategy, document, texts, parents, corpus)
        options |= {"document": document, "texts": texts, "parents": parents, "corpus": corpus}
        options["strategy"] = storable_strategy(rewriter.strategy)
        super().__init__(**options)
        self._rewriter = rewriter

    @classmethod
    def class_name(cls) -> str:
        """Return the name of the class for serialization."""
        return "OverlapPostprocessor"

    def _postprocess_nodes(
        self, nodes: list[NodeWithScore], query_bundle: QueryBundle | None = None
    ) -> list[NodeWithScore]:
        return self._rewriter(nodes)
