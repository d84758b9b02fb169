"""Overlap strategies on the chunks of LlamaIndex, Haystack and LangChain, with the real libraries."""

from __future__ import annotations

import itertools
import os
import pickle
import random
import re
import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import ROOT
from hypothesis import given
from hypothesis import strategies as st

import xcg
from xcg.errors import InputError, XcgError
from xcg.integrations.chunk_strategies import ChunkLibrary, ChunkRewriter, NewChunk
from xcg.integrations.haystack import ADAPTER
from xcg.runs.chunks import run_of_chunks, span_of
from xcg.runs.run import Ranking
from xcg.strategies.registry import STRATEGIES

pytestmark = pytest.mark.slow

TEXTS = {name: "".join(chr(ord(name) + n % 20) for n in range(60)) for name in "ab"}
"""Two documents in which nearby characters differ."""

Span = tuple[str, int, int]


@dataclass
class Framework:
    """One library: how its chunks are made, rewritten and read."""

    name: str
    chunk: Callable[[Span, float | None], Any]
    component: Callable[..., Any]
    apply: Callable[[Any, list[Any]], list[Any]]
    text: Callable[[Any], str]
    metadata: Callable[[Any], dict[str, Any]]
    id: Callable[[Any], str | None]
    score: Callable[[Any], float | None]

    def rewrite(self, strategy: object, chunks: list[Any], **options: Any) -> list[Any]:
        return self.apply(self.component(strategy, **options), chunks)

    def spans(self, chunks: Sequence[Any]) -> list[Span]:
        return [tuple(span_of(chunk)[:3]) for chunk in chunks]


def llama_index() -> Framework:
    schema = pytest.importorskip("llama_index.core.schema")
    from xcg.integrations.llama_index_strategies import OverlapPostprocessor

    def chunk(span: Span, score: float | None) -> Any:
        name, start, end = span
        node = schema.TextNode(
            text=TEXTS[name][start:end],
            start_char_idx=start,
            end_char_idx=end,
            metadata={"title": f"{start}"},
            relationships={
                schema.NodeRelationship.SOURCE: schema.RelatedNodeInfo(node_id=name),
                schema.NodeRelationship.NEXT: schema.RelatedNodeInfo(node_id="next"),
            },
        )
        return schema.NodeWithScore(node=node, score=score)

    return Framework(
        "llama_index",
        chunk,
        OverlapPostprocessor,
        lambda component, chunks: component.postprocess_nodes(chunks, query_str="bees"),
        lambda chunk: chunk.text,
        lambda chunk: chunk.metadata,
        lambda chunk: chunk.node_id,
        lambda chunk: chunk.score,
    )


def haystack() -> Framework:
    library = pytest.importorskip("haystack")
    from xcg.integrations.haystack_strategies import OverlapRewriter

    def chunk(span: Span, score: float | None) -> Any:
        name, start, end = span
        meta = {"source_id": name, "split_idx_start": start, "split_id": 7, "title": f"{start}"}
        return library.Document(content=TEXTS[name][start:end], meta=meta, score=score)

    return Framework(
        "haystack",
        chunk,
        OverlapRewriter,
        lambda component, chunks: component.run(documents=chunks)["documents"],
        lambda chunk: chunk.content,
        lambda chunk: chunk.meta,
        lambda chunk: chunk.id,
        lambda chunk: chunk.score,
    )


def langchain() -> Framework:
    documents = pytest.importorskip("langchain_core.documents")
    from xcg.integrations.langchain_strategies import OverlapTransformer

    def chunk(span: Span, score: float | None) -> Any:
        name, start, end = span
        metadata = {"source": name, "start_index": start, "score": score, "title": f"{start}"}
        return documents.Document(TEXTS[name][start:end], metadata=metadata)

    return Framework(
        "langchain",
        chunk,
        lambda strategy, **options: OverlapTransformer(strategy, **{"score_key": "score"} | options),
        lambda component, chunks: component.transform_documents(chunks),
        lambda chunk: chunk.page_content,
        lambda chunk: chunk.metadata,
        lambda chunk: chunk.id,
        lambda chunk: chunk.metadata["score"],
    )


@dataclass
class StandIn:
    """A chunk like those of Haystack, without the library."""

    content: str
    meta: dict[str, Any]
    score: float | None
    id: str


class StandIns(ChunkLibrary):
    """Makes stand-ins, so that most tests run without the libraries."""

    adapter = ADAPTER

    def with_score(self, chunk: StandIn, score: float | None) -> StandIn:
        return replace(chunk, score=score)

    def new_chunk(self, new: NewChunk) -> StandIn:
        meta = {**new.metadata, "source_id": new.document, "split_idx_start": new.start}
        meta = {key: meta[key] for key in meta if key not in ("split_id", "__level", "__parent_id")}
        return StandIn(new.text, meta, new.score, new.id)

    def is_store(self, parents: object) -> bool:
        return isinstance(parents, StandInStore)

    def fetch(self, store: Any, ids: Sequence[str]) -> Iterable[StandIn]:
        store.requests.append(list(ids))
        return [block for block in store.blocks if block.id in ids]


@dataclass
class StandInStore:
    blocks: list[StandIn]
    requests: list[list[str]] = field(default_factory=list)


def stand_ins() -> Framework:
    ids = itertools.count()

    def chunk(span: Span, score: float | None) -> Any:
        name, start, end = span
        meta = {"source_id": name, "split_idx_start": start, "split_id": 7, "title": f"{start}"}
        return StandIn(TEXTS[name][start:end], meta, score, f"{next(ids)}")

    return Framework(
        "stand_ins",
        chunk,
        lambda strategy, **options: ChunkRewriter(StandIns(), strategy, **options),
        lambda component, chunks: component(chunks),
        lambda chunk: chunk.content,
        lambda chunk: chunk.meta,
        lambda chunk: chunk.id,
        lambda chunk: chunk.score,
    )


FRAMEWORKS = [stand_ins, llama_index, haystack, langchain]


@pytest.fixture(scope="module", params=FRAMEWORKS, ids=lambda make: make.__name__)
def framework(request: pytest.FixtureRequest) -> Framework:
    make: Callable[[], Framework] = request.param
    return make()


WINDOWS = [(("a", 0, 10), 0.9), (("a", 5, 15), 0.8), (("b", 0, 9), 0.7), (("a", 15, 20), 0.4)]


def windows(framework: Framework) -> list[Any]:
    return [framework.chunk(span, score) for span, score in WINDOWS]


def merged_windows(ranking: Ranking, corpus: object) -> Ranking:
    """Merge the windows of document a, and keep that of b."""
    return Ranking.of([("b", "", (0, 9)), ("a", "", (np.int64(0), np.int64(20)))], [2.5, 1.5], True)


def same(left: Sequence[object], right: Sequence[object]) -> bool:
    return len(left) == len(right) and all(a is b for a, b in zip(left, right, strict=True))


def test_thorough_returns_the_given_objects(framework: Framework) -> None:
    chunks = windows(framework)[::-1]  # also if the scores increase
    assert same(framework.rewrite("thorough", chunks), chunks)


def test_two_chunks_with_one_span_keep_their_order(framework: Framework) -> None:
    chunks = [*windows(framework), *windows(framework)]
    assert same(framework.rewrite("unique", chunks), chunks[:4])

    def last_first(ranking: Ranking, corpus: object) -> Ranking:
        return ranking.select(range(7, -1, -1))

    kept = framework.rewrite(last_first, chunks)
    assert same([kept[0], kept[4]], [chunks[3], chunks[7]])


def test_a_new_score_is_written_into_a_copy(framework: Framework) -> None:
    chunks = windows(framework)

    def halved(ranking: Ranking, corpus: object) -> Ranking:
        kept = ranking.select([0, 2])
        return Ranking(kept.files, kept.paths, kept.spans, [0.9, 0.35], True)

    first, second = framework.rewrite(halved, chunks)
    assert first is chunks[0]
    assert (framework.score(second), framework.score(chunks[2])) == (0.35, 0.7)
    assert framework.id(second) == framework.id(chunks[2])
    assert framework.text(second) == framework.text(chunks[2])


@pytest.mark.parametrize("options", [{}, {"texts": TEXTS}, {"texts": TEXTS.get}, {"corpus": TEXTS}])
def test_a_merged_span_is_a_chunk_with_the_metadata_of_the_best(
    framework: Framework, options: dict[str, Any]
) -> None:
    chunks = windows(framework)
    ids = [framework.id(chunk) for chunk in chunks]
    kept, merged = framework.rewrite(merged_windows, chunks, **options)
    assert framework.spans([kept, merged]) == [("b", 0, 9), ("a", 0, 20)]
    assert framework.text(merged) == TEXTS["a"][:20]
    assert (framework.score(kept), framework.score(merged)) == (2.5, 1.5)
    assert framework.metadata(merged)["title"] == "0"
    given = (
        ["a#0:10", "a#5:10", "a#15:5"] if framework.name == "langchain" else [ids[0], ids[1], ids[3]]
    )
    assert framework.metadata(merged)["merged_from"] == given
    assert "split_id" not in framework.metadata(merged)
    assert framework.id(merged) not in ids
    (again,) = framework.rewrite("top_ranked", [merged])
    assert again is merged


def test_a_gap_needs_the_text_of_the_document(framework: Framework) -> None:
    chunks = [framework.chunk(("a", 0, 4), 1), framework.chunk(("a", 6, 20), 1)]

    def joined(ranking: Ranking, corpus: object) -> Ranking:
        return Ranking.of([("a", "", (0, 20))])

    message = "a, characters 0 to 20: the text of the new chunk is unknown: no chunk has character 4; "
    with pytest.raises(InputError, match=message + "pass texts="):
        framework.rewrite(joined, chunks)
    (merged,) = framework.rewrite(joined, chunks, texts=TEXTS)
    assert framework.text(merged) == TEXTS["a"][:20]
    assert framework.score(merged) == 1


def test_windows_with_different_texts_are_not_merged(framework: Framework) -> None:
    chunks = windows(framework)

    def joined(ranking: Ranking, corpus: object) -> Ranking:
        return Ranking.of([("a", "", (0, 20))])

    moved = renamed(framework, framework.chunk(("b", 5, 15), 0.8), "a")
    with pytest.raises(InputError, match="a, characters 5 to 10: two chunks have different texts"):
        framework.rewrite(joined, [chunks[0], moved, chunks[3]])


def renamed(framework: Framework, chunk: Any, name: str) -> Any:
    if framework.name == "llama_index":
        from llama_index.core.schema import NodeRelationship, RelatedNodeInfo

        chunk.node.relationships = {NodeRelationship.SOURCE: RelatedNodeInfo(node_id=name)}
    else:
        framework.metadata(chunk)["source_id"] = framework.metadata(chunk)["source"] = name
    return chunk


@pytest.mark.parametrize(
    ("returned", "message"),
    [
        (
            [("a", "", (40, 50))],
            "a: the strategy returned characters 40 to 50, which no chunk overlaps",
        ),
        ([("z", "", (0, 5))], "z: the strategy returned characters 0 to 5, which no chunk overlaps"),
        ([("a", "/s[1]", None)], r"a: the strategy returned '/s\[1\]': expected a span of characters"),
        ([("a", "", (5, 5))], r"a: the strategy returned \(5, 5\): expected a span of characters"),
    ],
)
def test_results_that_a_strategy_invents_are_refused(
    framework: Framework, returned: Any, message: str
) -> None:
    def inventive(ranking: Ranking, corpus: object) -> Ranking:
        return Ranking.of(returned)

    with pytest.raises(InputError, match=message):
        framework.rewrite(inventive, windows(framework))


@pytest.mark.parametrize(
    ("strategy", "message"),
    [
        ({"name": "outermost", "rank": ["own", "best"]}, "expected one strategy"),
        ("oracle", "the strategy 'oracle' needs assessments, which a retrieval pipeline lacks"),
    ],
)
def test_strategies_are_checked_when_the_component_is_made(
    framework: Framework, strategy: object, message: str
) -> None:
    with pytest.raises(XcgError, match=message):
        framework.component(strategy)


def test_options_are_checked_when_the_component_is_made(tmp_path: Path) -> None:
    framework = stand_ins()
    with pytest.raises(
        XcgError, match="texts is 'abc': expected a mapping from names to texts, or a fu"
    ):
        framework.component("unique", texts="abc")
    with pytest.raises(
        XcgError, match="parents is 3: expected chunks, a mapping from ids to chunks, or"
    ):
        framework.component("unique", parents=3)
    with pytest.raises(XcgError, match="no such folder or archive"):
        framework.component("unique", corpus=tmp_path / "missing")


def test_a_strategy_can_give_scores_to_chunks_without(framework: Framework) -> None:
    chunks = [framework.chunk(("a", 0, 10), None), framework.chunk(("b", 0, 10), None)]

    def scored(ranking: Ranking, corpus: object) -> Ranking:
        return replace(ranking, keys=[2.0, 0.5], has_scores=True)

    assert [framework.score(chunk) for chunk in framework.rewrite(scored, chunks)] == [2.0, 0.5]
    assert same(framework.rewrite("max_score", chunks), chunks)


def test_chunks_without_offsets_name_rank_and_remedy(framework: Framework) -> None:
    chunks = windows(framework)
    if framework.name == "llama_index":
        chunks[1].node.start_char_idx = None
    else:
        for key in ("split_idx_start", "start_index"):
            framework.metadata(chunks[1]).pop(key, None)
    with pytest.raises(XcgError, match=r"strategy top_ranked, rank 2: .*or pass texts="):
        framework.rewrite("top_ranked", chunks)
    kept = framework.rewrite("top_ranked", chunks, texts={**TEXTS, "a": TEXTS["a"][:20]})
    assert same(kept, [chunks[0], chunks[2], chunks[3]])


def test_a_key_or_a_function_names_the_document(framework: Framework) -> None:
    chunks = windows(framework)
    for document in ("title", lambda chunk: str(id(chunk))):
        assert same(framework.rewrite("top_ranked", chunks, document=document)[:2], chunks[:2])


def test_scores_that_increase_do_not_count(framework: Framework) -> None:
    """They are distances, or of another ranking. The best rank then has the greatest score."""
    chunks = [framework.chunk(("a", 0, 10), 0.1), framework.chunk(("a", 5, 15), 0.9)]
    assert same(framework.rewrite("max_score", chunks), chunks[:1])
    assert same(framework.rewrite("max_score", chunks[::-1]), chunks[1:])


# One ranking gives one result, as spans and as chunks

PARAMETERS: dict[str, list[dict[str, object]]] = {
    "outermost": [{"rank": "best"}],
    "by_document": [{"order": "rank"}, {"first": "thorough"}],
    "controlled": [{"ancestor": 0.5, "descendant": 0.25}],
    "merge_adjacent": [{"gap": 3}],
}
SPECS = [
    {"name": name, **parameters}
    for name in STRATEGIES
    if name not in ("oracle", "promote_parent")
    for parameters in [{}, *PARAMETERS.get(name, [])]
]


@st.composite
def ranked_windows(draw: Any) -> list[tuple[Span, float]]:
    count = draw(st.integers(1, 12))
    scores = draw(st.lists(st.integers(0, 8), min_size=count, max_size=count))
    found = []
    for score in sorted(scores, reverse=True):
        start = draw(st.integers(0, 40))
        span = draw(st.sampled_from("ab")), start, start + draw(st.integers(1, 20))
        found.append((span, score / 4))
    return found


@pytest.mark.parametrize("spec", SPECS, ids=str)
def test_chunks_are_rewritten_like_spans(framework: Framework, spec: dict[str, object]) -> None:
    @given(ranked_windows())
    def check(results: list[tuple[Span, float]]) -> None:
        chunks = [framework.chunk(span, score) for span, score in results]
        ranking = Ranking.of(
            [(name, "", (start, end)) for (name, start, end), _ in results],
            [score for _, score in results],
            True,
        )
        expected = xcg.rewrite(xcg.Run("r", {"1": ranking}), spec).rankings["1"]
        for options in [{"texts": TEXTS}, {}] if "gap" not in spec else [{"texts": TEXTS}]:
            found = framework.rewrite(spec, chunks, **options)
            assert framework.spans(found) == [
                (file, *expected.spans[rank]) for rank, file in enumerate(expected.files)
            ]
            assert [framework.score(chunk) for chunk in found] == list(expected.scores)
            for chunk, (name, start, end) in zip(found, framework.spans(found), strict=True):
                assert framework.text(chunk) == TEXTS[name][start:end]
            given = {framework.id(chunk) for chunk in chunks}
            kept = [chunk for chunk in found if framework.id(chunk) in given]
            assert all("merged_from" not in framework.metadata(chunk) for chunk in kept)

    check()


def test_a_text_that_is_missing_or_no_string_is_an_error() -> None:
    framework = stand_ins()
    with pytest.raises(InputError, match="there is no text of the document 'b'"):
        framework.rewrite("top_ranked", windows(framework), texts={"a": TEXTS["a"]})
    with pytest.raises(InputError, match="b: its text is bytes: expected str"):
        framework.rewrite("top_ranked", windows(framework), texts={**TEXTS, "b": b"bytes"})


# Parents


def block(parent: StandIn | None, start: int, end: int, level: int) -> StandIn:
    """Return a block of a hierarchy, whose offset counts from the start of its parent."""
    if parent is None:
        return StandIn(TEXTS["a"][start:end], {"__level": 0, "__parent_id": None}, None, "a")
    meta = {
        "source_id": parent.id,
        "__parent_id": parent.id,
        "__level": level,
        "split_idx_start": start,
    }
    return StandIn(parent.content[start:end], meta, None, f"{parent.id}-{start}")


ROOT_BLOCK = block(None, 0, 60, 0)
HALVES = [block(ROOT_BLOCK, start, start + 30, 1) for start in (0, 30)]
LEAVES = [block(half, start, start + 10, 2) for half in HALVES for start in (0, 10, 20)]
BLOCKS = [ROOT_BLOCK, *HALVES, *LEAVES]


def retrieved(*leaves: int) -> list[StandIn]:
    return [replace(LEAVES[leaf], score=0.9 - rank / 10) for rank, leaf in enumerate(leaves)]


@pytest.mark.parametrize(
    "parents", [BLOCKS, {block.id: block for block in BLOCKS}, StandInStore(BLOCKS)], ids=str
)
def test_a_parent_replaces_its_children(parents: Any) -> None:
    """Leaves 4 and 5 hold 20 of the 30 characters of the second half; leaf 1 holds 10 of the first."""
    chunks = retrieved(1, 4, 5)
    first, second = stand_ins().rewrite("promote_parent(threshold=0.6)", chunks, parents=parents)
    assert first is chunks[0]
    assert second == replace(HALVES[1], score=0.8)


def test_the_parent_of_a_parent_needs_a_second_application() -> None:
    framework = stand_ins()
    chunks = retrieved(1, 4, 5)
    spec = "promote_parent(threshold=0.3)"
    once = framework.rewrite(spec, chunks, parents=BLOCKS)
    assert once == [replace(HALVES[0], score=0.9), replace(HALVES[1], score=0.8)]
    assert framework.rewrite(spec, once, parents=BLOCKS) == [replace(ROOT_BLOCK, score=0.9)]
    # Now no chunk has a parent.
    roots = [replace(ROOT_BLOCK, score=0.9)]
    assert same(framework.rewrite(spec, roots, parents=BLOCKS), roots)


def test_a_store_is_asked_once_per_level() -> None:
    store = StandInStore(BLOCKS)
    stand_ins().rewrite("thorough", retrieved(1, 4, 5), parents=store)
    assert store.requests == [["a-0", "a-30"], ["a"]]


def test_merged_children_count_from_the_start_of_the_document() -> None:
    (merged,) = stand_ins().rewrite("merge_adjacent", retrieved(4, 3), parents=BLOCKS)
    assert span_of(merged)[:3] == ("a", 30, 50)
    assert merged.content == TEXTS["a"][30:50]
    assert merged.meta["merged_from"] == ["a-30-10", "a-30-0"]


def test_parents_that_are_not_given_are_named() -> None:
    with pytest.raises(
        XcgError, match=r"rank 1: .*HierarchicalDocumentSplitter counts from its parent"
    ):
        stand_ins().rewrite("promote_parent", retrieved(1))
    with pytest.raises(
        XcgError, match=r"rank 2: .* counts from its parent a-30: pass all its blocks as"
    ):
        stand_ins().rewrite("promote_parent", retrieved(1, 4), parents=BLOCKS[:2])


def check_hierarchy(
    framework: Framework,
    blocks: list[Any],
    parents: Any,
    scored: Callable[[Any, float], Any],
    key: Callable[[Any], object],
) -> None:
    """Compare random rankings of blocks with their spans under every strategy."""
    given = {key(block) for block in blocks}
    promoted = 0
    for seed, spec in enumerate([*SPECS, *PROMOTIONS] * 2):
        chosen = random.Random(seed)
        sample = chosen.sample(blocks, chosen.randint(1, len(blocks)))
        chunks = [scored(block, 1 - rank / 64) for rank, block in enumerate(sample)]
        texts = {"bees": LONG_TEXT}
        run = run_of_chunks("r", {"1": chunks}, parents=blocks, texts=texts)
        expected = xcg.rewrite(run, spec).rankings["1"]
        found = framework.rewrite(spec, chunks, parents=parents, texts=texts)
        spans = [span_of(chunk, parents=blocks, texts=texts) for chunk in found]
        assert [span[:3] for span in spans] == [
            (file, *expected.spans[rank]) for rank, file in enumerate(expected.files)
        ], (seed, spec)
        assert [span.score for span in spans] == list(expected.scores)
        if "merge_adjacent" not in spec["name"]:
            assert {key(chunk) for chunk in found} <= given
        promoted += spec["name"] == "promote_parent" and len(found) < len(chunks)
    assert promoted


PROMOTIONS: list[dict[str, Any]] = [
    {"name": "promote_parent", "threshold": 0.3},
    {"name": "promote_parent", "score": "sum"},
    {"name": "promote_parent", "threshold": 0.9, "levels": 3, "score": "mean"},
]

LONG_TEXT = " ".join(f"Bee number {n} flies to flower {n * n % 7}." for n in range(60))


@pytest.mark.filterwarnings("ignore")
def test_nodes_of_a_hierarchy_are_rewritten_like_their_spans() -> None:
    framework = llama_index()
    from llama_index.core.node_parser import HierarchicalNodeParser, SentenceSplitter
    from llama_index.core.schema import Document, NodeWithScore
    from llama_index.core.storage.docstore import SimpleDocumentStore

    sizes = {
        str(size): SentenceSplitter(chunk_size=size, chunk_overlap=0, tokenizer=str.split)
        for size in (150, 70, 30)
    }
    parser = HierarchicalNodeParser.from_defaults(node_parser_ids=list(sizes), node_parser_map=sizes)
    nodes = parser.get_nodes_from_documents([Document(text=LONG_TEXT, id_="bees")])
    docstore = SimpleDocumentStore()
    docstore.add_documents(nodes)

    def scored(node: Any, score: float) -> Any:
        return NodeWithScore(node=node, score=score)

    check_hierarchy(framework, nodes, nodes, scored, lambda chunk: id(getattr(chunk, "node", chunk)))
    spec = "promote_parent(threshold=0.01)"
    leaf = scored(nodes[-1], 0.5)
    (parent,) = framework.rewrite(spec, [leaf], parents=docstore)
    assert parent.node_id == nodes[-1].parent_node.node_id
    assert parent.score == 0.5
    assert parent.node == docstore.get_node(parent.node_id)


@pytest.mark.filterwarnings("ignore")
def test_blocks_of_a_hierarchy_are_rewritten_like_their_spans() -> None:
    framework = haystack()
    from haystack import Document
    from haystack.components.preprocessors import HierarchicalDocumentSplitter
    from haystack.document_stores.in_memory import InMemoryDocumentStore

    splitter = HierarchicalDocumentSplitter(block_sizes={100, 40, 10}, split_by="word")
    blocks = splitter.run([Document(content=LONG_TEXT, id="bees")])["documents"]
    store = InMemoryDocumentStore()
    store.write_documents(blocks)

    def scored(block: Any, score: float) -> Any:
        return replace(block, score=score)

    check_hierarchy(framework, blocks, store, scored, lambda chunk: chunk.id)
    text = pipeline_text("promote_parent(threshold=0.01)", parents=blocks)
    (parent,) = loaded(text).run({"overlap": {"documents": [scored(blocks[-1], 0.5)]}})["overlap"][
        "documents"
    ]
    assert parent.id == blocks[-1].meta["__parent_id"]
    assert parent.content == next(block.content for block in blocks if block.id == parent.id)


# LlamaIndex


def test_the_postprocessor_is_serialized_and_pickled() -> None:
    framework = llama_index()
    chunks = windows(framework)
    spec = {"name": "outermost", "rank": "best"}
    component = framework.component(spec, document="title")
    data = component.to_dict()
    assert data == {"strategy": spec, "document": "title", "class_name": "OverlapPostprocessor"}
    for copy in (type(component).from_dict(data), pickle.loads(pickle.dumps(component))):
        assert same(framework.apply(copy, chunks), framework.apply(component, chunks))
    with pytest.raises(ValueError, match="frozen"):
        component.strategy = "thorough"


# The page

PAGE = (ROOT / "docs/howto/frameworks.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)[3:]


@pytest.mark.parametrize("code", EXAMPLES, ids=["llama_index", "haystack", "langchain"])
def test_the_examples_of_the_page_run(code: str) -> None:
    for library in re.findall(
        r"^from (haystack|langchain_core|langchain_text_splitters|llama_index)", code
    ):
        pytest.importorskip(library)
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment)
    assert (done.returncode, done.stderr) == (0, "")
    (printed,) = re.findall(r"^print\(.*\)  # (\d+)$", code, re.MULTILINE)
    assert done.stdout == f"{printed}\n"


# Haystack

MODULE = "xcg.integrations.haystack_strategies"


def loaded(text: str, *modules: str) -> Any:
    from haystack import Pipeline

    return Pipeline.loads(text, allowed_modules=[MODULE, *modules])


def pipeline_text(*arguments: Any, **options: Any) -> str:
    from haystack import Pipeline

    pipeline = Pipeline()
    pipeline.add_component("overlap", haystack().component(*arguments, **options))
    return pipeline.dumps()


def last_only(ranking: Ranking, corpus: object, *, count: int = 1) -> Ranking:
    return ranking.select(range(len(ranking) - count, len(ranking)))


def text_of(name: str) -> str:
    return TEXTS[name]


@pytest.mark.parametrize(
    "options", [{}, {"texts": TEXTS}, {"texts": text_of}, {"document": "source_id", "corpus": TEXTS}]
)
def test_a_pipeline_is_serialized(options: dict[str, Any]) -> None:
    framework = haystack()
    text = pipeline_text({"name": "by_document", "first": "unique"}, **options)
    chunks = windows(framework)
    found = loaded(text, __name__).run({"overlap": {"documents": chunks}})["overlap"]["documents"]
    # A pipeline copies its input, and the score of the third document is raised to that of the fourth.
    assert [chunk.id for chunk in found] == [chunks[rank].id for rank in (0, 1, 3, 2)]


def test_a_function_of_a_module_is_serialized_and_needs_trust(monkeypatch: pytest.MonkeyPatch) -> None:
    framework = haystack()
    from haystack.core.errors import DeserializationError

    component = framework.component({"name": last_only, "count": 2})
    data = component.to_dict()
    assert data["init_parameters"]["strategy"] == {"name": f"{__name__}:last_only", "count": 2}
    text = pipeline_text({"name": last_only, "count": 2})
    chunks = windows(framework)
    found = loaded(text, __name__).run({"overlap": {"documents": chunks}})["overlap"]["documents"]
    assert found == chunks[2:]
    nested = pipeline_text({"name": "by_document", "first": f"{__name__}:last_only"})
    assert len(loaded(nested, __name__).run({"overlap": {"documents": chunks}})["overlap"]) == 1
    for untrusted in (text, nested):
        with pytest.raises(DeserializationError, match=__name__):
            loaded(untrusted)
    monkeypatch.setenv("XCG_NO_PLUGINS", "1")
    with pytest.raises(DeserializationError, match="plug-ins are refused"):
        loaded(text, __name__)
    with pytest.raises(XcgError, match=r"<lambda>' of .* cannot be serialized: expected a function"):
        framework.component(lambda ranking, corpus: ranking).to_dict()


# LangChain


def test_documents_without_a_score_key_keep_their_metadata() -> None:
    framework = langchain()
    chunks = windows(framework)
    kept, merged = framework.rewrite(merged_windows, chunks, score_key=None)
    assert kept is chunks[2]
    assert framework.metadata(merged)["score"] == 0.9  # of the best document
    assert framework.component("top_ranked").model_dump() == {
        "strategy": "top_ranked",
        "document": None,
        "score_key": "score",
    }


def test_the_package_does_not_import_the_libraries() -> None:
    code = (
        "import sys, xcg, xcg.integrations.chunk_strategies; xcg.rewrite; "
        "print({'haystack', 'llama_index', 'langchain_core', 'pydantic'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"
