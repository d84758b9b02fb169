"""Overlap strategies as a component of Haystack pipelines."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from haystack import Document, component, default_from_dict, default_to_dict
from haystack.utils import deserialize_callable, serialize_callable

from xcg.documents.corpus import Documents
from xcg.integrations.chunk_strategies import (
    ChunkLibrary,
    ChunkRewriter,
    NewChunk,
    TextSource,
    serialized_strategy,
)
from xcg.integrations.haystack import ADAPTER
from xcg.runs.chunk_documents import DocumentKey

_OF_A_SPLITTER = {
    "split_id",
    "_split_overlap",
    "__parent_id",
    "__children_ids",
    "__level",
    "__block_size",
}
"""Keys of metadata that do not hold for a new span."""


class _HaystackChunks(ChunkLibrary):
    adapter = ADAPTER

    def with_score(self, chunk: Document, score: float | None) -> Document:
        return replace(chunk, score=score)

    def new_chunk(self, new: NewChunk) -> Document:
        meta = {key: value for key, value in new.metadata.items() if key not in _OF_A_SPLITTER}
        if "__parent_id" in new.metadata:
            meta["source_id"] = new.document  # the splitter of blocks stores the id of the parent here
        meta["split_idx_start"] = new.start
        return Document(content=new.text, meta=meta, score=new.score)

    def is_store(self, parents: object) -> bool:
        return hasattr(parents, "filter_documents")

    def fetch(self, store: Any, ids: Sequence[str]) -> Iterable[Document]:
        wanted = {"field": "id", "operator": "in", "value": list(ids)}
        return store.filter_documents(wanted)  # type: ignore[no-any-return]


_CHUNKS = _HaystackChunks()

_FUNCTION = re.compile(r"([\w.]+):([\w.]+)")
"""A strategy, or a parameter of one, that names a function of a module."""


@component
class OverlapRewriter:
    """Applies an overlap strategy to retrieved documents.

    Kept documents and promoted parents are the objects that were passed; a document whose score changes
    is copied with its id. A merged span becomes a ``Document`` with the metadata of its best document
    and the ids of all its documents as ``merged_from``.

    Args:
        strategy: The strategy with its parameters: ``"promote_parent(threshold=0.4)"``, a mapping such
            as ``{"name": "promote_parent", "threshold": 0.4}``, ``package.module:function``, or a
            function.
        document: What names the source of a document: a key of its metadata or a function; by default
            ``source_id`` or ``parent_id``, which splitters set.
        texts: The sources' texts by name, or a function of the name. They locate documents without
            ``split_idx_start``, and are the source of the text of merged documents.
        parents: The parents of blocks of ``HierarchicalDocumentSplitter``: all its blocks, or a
            document store.
        corpus: The sources, if the strategy needs them: a folder or archive, a :class:`xcg.Corpus`,
            or a mapping.

    Raises:
        XcgError: If the strategy is illegal or needs assessments.
    """

    def __init__(
        self,
        strategy: Any,
        *,
        document: DocumentKey = None,
        texts: TextSource = None,
        parents: Any = None,
        corpus: Documents = None,
    ) -> None:
        self._rewriter = ChunkRewriter(_CHUNKS, strategy, document, texts, parents, corpus)
        self.document = document
        self.texts = texts
        self.parents = parents
        self.corpus = corpus

    @component.output_types(documents=list[Document])
    def run(self, documents: list[Document]) -> dict[str, list[Document]]:
        """Return the documents of the rewritten ranking.

        Args:
            documents: The documents of one query in rank order.

        Raises:
            InputError: If the position of a document in its source is unknown, the strategy fails, or
                the text of a merged span is unknown.
        """
        return {"documents": self._rewriter(documents)}

    def to_dict(self) -> dict[str, Any]:
        """Return the component for the file of a pipeline.

        Raises:
            XcgError: If the strategy is a function that cannot be imported.
            SerializationError: If another function cannot be imported.
        """
        parents = self.parents
        if parents is not None and not _CHUNKS.is_store(parents):
            blocks = parents.values() if isinstance(parents, dict) else parents
            parents = [block.to_dict() for block in blocks]
        return default_to_dict(
            self,
            strategy=serialized_strategy(self._rewriter.strategy),
            document=_serialized(self.document),
            texts=_serialized(self.texts),
            parents=parents,
            corpus=self.corpus,
        )

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> OverlapRewriter:
        """Return the component from the file of a pipeline.

        Raises:
            DeserializationError: If Haystack does not trust the module of a function.
        """
        options = dict(data.get("init_parameters", {}))
        for module, function in _FUNCTION.findall(str(options.get("strategy"))):
            deserialize_callable(f"{module}.{function}")  # raises if the module is not trusted
        for name in ("document", "texts"):
            match options.get(name):
                case {"function": str(path), **others} if not others:
                    options[name] = deserialize_callable(path)
        if isinstance(options.get("parents"), list):
            options["parents"] = [Document.from_dict(block) for block in options["parents"]]
        return default_from_dict(cls, {**data, "init_parameters": options})


def _serialized(option: Any) -> Any:
    return {"function": serialize_callable(option)} if callable(option) else option
