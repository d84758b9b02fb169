"""What frameworks return scores the same as their objects, in JSON Lines, and by its text alone."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT

import xcg
from xcg.runs.chunks import span_of

SAMPLE = ROOT / "corpora_samples" / "chunks"
TEXTS = {file.stem: file.read_text() for file in sorted((SAMPLE / "docs").iterdir())}
QUESTIONS: dict[str, str] = json.loads((SAMPLE / "questions.json").read_text())
MEASURES = "MAep SpanPrecision SpanRecall(budget=tokens)@100 nxCG(budget=tokens)@100 SpanIoU@3 nDCG@5"

Retrieved = dict[str, list[Any]]
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]


def shared_words(question: str, text: str) -> float:
    asked, found = (Counter(re.findall(r"\w{4,}", one.lower())) for one in (question, text))
    return (asked & found).total() / (5 + found.total() ** 0.5)


def best(question: str, items: Sequence[Any], text: Callable[[Any], str], count: int) -> list[Any]:
    """Return the items that share most words with a question."""
    return sorted(items, key=lambda item: -shared_words(question, text(item)))[:count]


def check(
    retrieved: Retrieved, fields: Callable[[Any], tuple[str, int]], folder: Path, parents: Any = ()
) -> None:
    """Compare the scores of objects with those of JSON Lines with text, with and without offsets.

    ``fields`` returns the text and the start that a framework states, which hierarchies count from
    parents.
    """
    runs: dict[str, Any] = {"objects": retrieved}
    for name in ("offsets", "text"):
        lines = []
        for topic, items in retrieved.items():
            for rank, item in enumerate(items, 1):
                document = span_of(item, texts=TEXTS, parents=parents).document
                text, start = fields(item)
                record = {"topic": topic, "doc": document, "rank": rank, "text": text}
                if name == "offsets":
                    record["start"] = start
                lines.append(json.dumps(record))
        (folder / f"{name}.jsonl").write_text("\n".join(lines))
        runs[name] = folder / f"{name}.jsonl"
    scores = [
        xcg.evaluate(
            SAMPLE / "gold.jsonl",
            {name: run} if name == "objects" else run,
            SAMPLE / "docs",
            measures=MEASURES,
            **({"parents": parents} if name == "objects" and parents else {}),
        )
        for name, run in runs.items()
    ]
    values = [[(row.topic, row.measure, row.value) for row in found] for found in scores]
    assert values[0] == values[1] == values[2]
    assert 0 < scores[0].value("objects", "SpanRecall(budget=tokens)@100") < 1


def test_sentence_windows_of_llama_index(tmp_path: Path) -> None:
    pytest.importorskip("llama_index.core")
    from llama_index.core.node_parser import SentenceWindowNodeParser
    from llama_index.core.postprocessor import MetadataReplacementPostProcessor
    from llama_index.core.schema import Document, NodeWithScore

    parser = SentenceWindowNodeParser.from_defaults(window_size=2)
    nodes = parser.get_nodes_from_documents([Document(text=t, id_=name) for name, t in TEXTS.items()])
    replace = MetadataReplacementPostProcessor("window")
    retrieved = {
        topic: replace.postprocess_nodes(
            [
                NodeWithScore(node=node.model_copy(), score=1 / rank)
                for rank, node in enumerate(best(question, nodes, lambda node: node.text, 4), 1)
            ]
        )
        for topic, question in QUESTIONS.items()
    }
    assert any(
        len(one.node.text) > 1.5 * (one.node.end_char_idx - one.node.start_char_idx)
        for one in retrieved["new-laptop"]
    )
    check(retrieved, lambda one: (one.node.text, one.node.start_char_idx), tmp_path)


def test_merged_nodes_of_llama_index(tmp_path: Path) -> None:
    pytest.importorskip("llama_index.core")
    from llama_index.core import StorageContext
    from llama_index.core.node_parser import HierarchicalNodeParser, SentenceSplitter, get_leaf_nodes
    from llama_index.core.retrievers import AutoMergingRetriever, BaseRetriever
    from llama_index.core.schema import Document, NodeWithScore

    parsers = {
        str(size): SentenceSplitter(chunk_size=size, chunk_overlap=0, tokenizer=str.split)
        for size in (120, 50, 20)
    }
    parser = HierarchicalNodeParser.from_defaults(
        node_parser_ids=list(parsers), node_parser_map=parsers
    )
    nodes = parser.get_nodes_from_documents([Document(text=t, id_=name) for name, t in TEXTS.items()])
    leaves = get_leaf_nodes(nodes)

    class Words(BaseRetriever):
        def _retrieve(self, query_bundle: Any) -> list[Any]:
            found = best(query_bundle.query_str, leaves, lambda node: node.text, 6)
            return [NodeWithScore(node=one, score=1 / rank) for rank, one in enumerate(found, 1)]

    storage = StorageContext.from_defaults()
    storage.docstore.add_documents(nodes)
    retriever = AutoMergingRetriever(Words(), storage, simple_ratio_thresh=0.4)
    retrieved = {topic: retriever.retrieve(question) for topic, question in QUESTIONS.items()}
    ids = {node.node_id for node in leaves}
    assert any(one.node.node_id not in ids for found in retrieved.values() for one in found)
    check(retrieved, lambda one: (one.node.text, one.node.start_char_idx), tmp_path, parents=nodes)


def test_parents_of_langchain(tmp_path: Path) -> None:
    pytest.importorskip("langchain_classic.retrievers")
    from langchain_classic.retrievers import ParentDocumentRetriever
    from langchain_classic.storage import InMemoryStore
    from langchain_core.documents import Document
    from langchain_core.embeddings import Embeddings
    from langchain_core.vectorstores import InMemoryVectorStore
    from langchain_text_splitters import RecursiveCharacterTextSplitter

    class Words(Embeddings):
        def embed_documents(self, texts: list[str]) -> list[list[float]]:
            return [self.embed_query(text) for text in texts]

        def embed_query(self, text: str) -> list[float]:
            counts = Counter(sum(map(ord, word)) % 64 for word in re.findall(r"\w{4,}", text.lower()))
            return [counts[index] + 0.01 for index in range(64)]

    def splitter(size: int) -> Any:
        return RecursiveCharacterTextSplitter(
            chunk_size=size, chunk_overlap=0, add_start_index=size == 400
        )

    retriever = ParentDocumentRetriever(
        vectorstore=InMemoryVectorStore(Words()),
        docstore=InMemoryStore(),
        child_splitter=splitter(100),
        parent_splitter=splitter(400),
        search_kwargs={"k": 4},
    )
    retriever.add_documents(
        [Document(page_content=text, metadata={"source": f"{name}.md"}) for name, text in TEXTS.items()]
    )
    retrieved = {topic: retriever.invoke(question) for topic, question in QUESTIONS.items()}
    assert any(len(one.page_content) > 200 for one in retrieved["new-laptop"])
    check(retrieved, lambda one: (one.page_content, one.metadata["start_index"]), tmp_path)


def test_merged_blocks_of_haystack(tmp_path: Path) -> None:
    pytest.importorskip("haystack.components.retrievers")
    from haystack import Document
    from haystack.components.preprocessors import HierarchicalDocumentSplitter
    from haystack.components.retrievers import AutoMergingRetriever
    from haystack.document_stores.in_memory import InMemoryDocumentStore

    splitter = HierarchicalDocumentSplitter(block_sizes={80, 30, 10}, split_by="word", split_overlap=0)
    documents = [Document(content=text, id=name) for name, text in TEXTS.items()]
    blocks = splitter.run(documents)["documents"]
    store = InMemoryDocumentStore()
    store.write_documents([block for block in blocks if block.meta["__children_ids"]])
    retriever = AutoMergingRetriever(store, threshold=0.4)
    leaves = [block for block in blocks if not block.meta["__children_ids"]]
    retrieved = {
        topic: retriever.run(best(question, leaves, lambda block: block.content, 6))["documents"]
        for topic, question in QUESTIONS.items()
    }
    assert any(one.meta["__children_ids"] for found in retrieved.values() for one in found)
    check(
        retrieved,
        lambda one: (one.content, one.meta.get("split_idx_start", 0)),
        tmp_path,
        parents=blocks,
    )
