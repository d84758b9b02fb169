"""Overlap strategies as a document transformer and document compressor of LangChain."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from langchain_core.callbacks import Callbacks
from langchain_core.documents import BaseDocumentCompressor, BaseDocumentTransformer, Document
from pydantic import Field, PrivateAttr

from xcg.documents.corpus import Documents
from xcg.integrations.chunk_strategies import (
    ChunkLibrary,
    ChunkRewriter,
    NewChunk,
    TextSource,
    storable_strategy,
)
from xcg.integrations.langchain import ADAPTER
from xcg.runs.chunk_documents import DocumentKey


class _LangChainChunks(ChunkLibrary):
    adapter = ADAPTER

    def __init__(self, score_key: str | None) -> None:
        self._score_key = score_key

    def score(self, chunk: Document) -> object:
        return None if self._score_key is None else chunk.metadata.get(self._score_key)

    def with_score(self, chunk: Document, score: float | None) -> Document:
        if self._score_key is None or score is None:
            return chunk
        return chunk.model_copy(update={"metadata": {**chunk.metadata, self._score_key: score}})

    def new_chunk(self, new: NewChunk) -> Document:
        metadata = {**new.metadata, "start_index": new.start}
        return self.with_score(Document(new.text, metadata=metadata, id=new.id), new.score)


class OverlapTransformer(BaseDocumentCompressor, BaseDocumentTransformer):
    """Applies an overlap strategy to retrieved documents.

    Kept documents are the objects that were passed. A merged span becomes a ``Document`` with the
    metadata of its best document and the ids of all its documents as ``merged_from``.

    Args:
        strategy: The strategy with its parameters: ``"merge_adjacent(gap=1)"``, a mapping such as
            ``{"name": "merge_adjacent", "gap": 1}``, ``package.module:function``, or a function.
        document: What names the source of a document: a key of its metadata or a function; by default
            the metadata ``source``.
        score_key: The key of the metadata that holds the score. Documents of LangChain have no other
            score. With it, strategies use the scores, and changed scores are written into copies.
        texts: The sources' texts by name, or a function of the name. They locate documents without
            ``start_index``, and are the source of the text of merged documents.
        corpus: The sources, if the strategy needs them: a folder or archive, a :class:`xcg.Corpus`,
            or a mapping.

    Raises:
        XcgError: If the strategy is illegal or needs assessments.
    """

    strategy: Any = Field(frozen=True)
    document: Any = Field(default=None, frozen=True)
    score_key: str | None = Field(default=None, frozen=True)
    texts: Any = Field(default=None, frozen=True, exclude=True)
    corpus: Any = Field(default=None, frozen=True, exclude=True)
    _rewriter: ChunkRewriter = PrivateAttr()

    def __init__(
        self,
        strategy: object,
        *,
        document: DocumentKey = None,
        score_key: str | None = None,
        texts: TextSource = None,
        corpus: Documents = None,
    ) -> None:
        chunks = _LangChainChunks(score_key)
        rewriter = ChunkRewriter(chunks, strategy, document, texts, corpus=corpus)
        fields: dict[str, Any] = {
            "document": document,
            "score_key": score_key,
            "texts": texts,
            "corpus": corpus,
        }
        fields["strategy"] = storable_strategy(rewriter.strategy)
        super().__init__(**fields)
        self._rewriter = rewriter

    def transform_documents(self, documents: Sequence[Document], **kwargs: Any) -> list[Document]:
        """Return the documents of the rewritten ranking.

        Args:
            documents: The documents of one query in rank order.
            **kwargs: Ignored.

        Raises:
            InputError: If the position of a document in its source is unknown, the strategy fails, or
                the text of a merged span is unknown.
        """
        return self._rewriter(documents)

    def compress_documents(
        self, documents: Sequence[Document], query: str, callbacks: Callbacks | None = None
    ) -> list[Document]:
        """Return the documents of the rewritten ranking, as :meth:`transform_documents`."""
        return self._rewriter(documents)
