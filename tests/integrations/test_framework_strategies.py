"""Overlap strategies on the chunks of LlamaIndex, Haystack and LangChain, with the real libraries."""

from __future__ import annotations

import os
import pickle
import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import pytest
from conftest import ROOT

import xcg
from xcg.errors import InputError, XcgError
from xcg.runs.chunks import span_of
from xcg.runs.run import Ranking
from xcg.strategies.registry import STRATEGIES

st = pytest.importorskip("hypothesis.strategies")
hypothesis = pytest.importorskip("hypothesis")

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


@pytest.fixture(
    scope="module", params=[llama_index, haystack, langchain], ids=lambda make: make.__name__
)
def framework(request: pytest.FixtureRequest) -> Framework:
    make: Callable[[], Framework] = request.param
    return make()


WINDOWS = [(("a", 0, 10), 0.9), (("a", 5, 15), 0.8), (("b", 0, 9), 0.7), (("a", 15, 20), 0.4)]


def windows(framework: Framework) -> list[Any]:
    return [framework.chunk(span, score) for span, score in WINDOWS]


def merged_windows(ranking: Ranking, corpus: object) -> Ranking:
    """Merge the windows of document a, and keep that of b."""
    return Ranking.of([("b", "", (0, 9)), ("a", "", (0, 20))], [2.5, 1.5], True)


def same(left: Sequence[object], right: Sequence[object]) -> bool:
    return len(left) == len(right) and all(a is b for a, b in zip(left, right, strict=True))


def test_thorough_returns_the_given_objects(framework: Framework) -> None:
    chunks = windows(framework)[::-1]  # also if the scores increase
    assert same(framework.rewrite("thorough", chunks), chunks)


def test_kept_results_are_the_given_objects(framework: Framework) -> None:
    chunks = windows(framework)
    assert same(framework.rewrite("top_ranked", chunks), [chunks[0], chunks[2], chunks[3]])


def test_an_empty_list_stays_empty(framework: Framework) -> None:
    assert framework.rewrite("top_ranked", []) == []


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


def test_a_strategy_that_fails_is_named(framework: Framework) -> None:
    def failing(ranking: Ranking, corpus: object) -> Ranking:
        raise RuntimeError("no luck")

    with pytest.raises(InputError, match=r"strategy .*failing: failed: RuntimeError: no luck"):
        framework.rewrite(failing, windows(framework))


@pytest.mark.parametrize(
    ("strategy", "message"),
    [
        ("top_rnked", "unknown strategy 'top_rnked': did you mean 'top_ranked'"),
        ("top_ranked(depth=3)", "has no parameter 'depth'"),
        ({"name": "outermost", "rank": "bst"}, "did you mean 'best'"),
        ({"name": "outermost", "rank": ["own", "best"]}, "expected one strategy"),
        (7, "illegal strategy 7"),
    ],
)
def test_strategies_are_checked_when_the_component_is_made(
    framework: Framework, strategy: object, message: str
) -> None:
    with pytest.raises(XcgError, match=message):
        framework.component(strategy)


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
    @hypothesis.given(ranked_windows())
    @hypothesis.settings(max_examples=25, deadline=None)
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


def test_the_texts_of_the_documents_are_asked_for_once() -> None:
    framework = llama_index()
    asked = []

    def text(name: str) -> str | None:
        asked.append(name)
        return TEXTS.get(name)

    component = framework.component("top_ranked", texts=text)
    assert len(framework.apply(component, windows(framework))) == 3
    assert sorted(asked) == ["a", "b"]


def test_a_text_that_is_missing_or_no_string_is_an_error() -> None:
    framework = haystack()
    with pytest.raises(InputError, match="there is no text of the document 'b'"):
        framework.rewrite("top_ranked", windows(framework), texts={"a": TEXTS["a"]})
    with pytest.raises(InputError, match="b: its text is bytes: expected str"):
        framework.rewrite("top_ranked", windows(framework), texts={**TEXTS, "b": b"bytes"})


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


def test_a_query_engine_uses_the_postprocessor() -> None:
    framework = llama_index()
    from llama_index.core.llms import MockLLM
    from llama_index.core.query_engine import RetrieverQueryEngine
    from llama_index.core.retrievers import BaseRetriever

    chunks = windows(framework)

    class Retriever(BaseRetriever):
        def _retrieve(self, query_bundle: Any) -> list[Any]:
            return chunks

    engine = RetrieverQueryEngine.from_args(
        Retriever(), MockLLM(), node_postprocessors=[framework.component("top_ranked")]
    )
    assert same(engine.query("bees").source_nodes, [chunks[0], chunks[2], chunks[3]])


# The page

PAGE = (ROOT / "docs/production.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


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
    "options",
    [{}, {"texts": TEXTS}, {"texts": text_of}, {"document": "source_id", "corpus": TEXTS}],
)
def test_a_pipeline_is_serialized(options: dict[str, Any]) -> None:
    framework = haystack()
    text = pipeline_text({"name": "by_document", "first": "unique"}, **options)
    chunks = windows(framework)
    found = loaded(text, __name__).run({"overlap": {"documents": chunks}})["overlap"]["documents"]
    # A pipeline copies its input, and the score of the third document is raised to that of the fourth.
    assert [chunk.id for chunk in found] == [chunks[rank].id for rank in (0, 1, 3, 2)]


def test_a_function_of_a_module_is_serialized_and_needs_trust() -> None:
    from haystack.core.errors import DeserializationError

    framework = haystack()
    component = framework.component({"name": last_only, "count": 2})
    data = component.to_dict()
    assert data["init_parameters"]["strategy"] == {"name": f"{__name__}:last_only", "count": 2}
    text = pipeline_text({"name": last_only, "count": 2})
    chunks = windows(framework)
    found = loaded(text, __name__).run({"overlap": {"documents": chunks}})["overlap"]["documents"]
    assert found == chunks[2:]
    with pytest.raises(DeserializationError, match=__name__):
        loaded(text)
    with pytest.raises(XcgError, match=r"<lambda>' of .* cannot be serialized: expected a function"):
        framework.component(lambda ranking, corpus: ranking).to_dict()


# LangChain


def test_a_chain_uses_the_transformer() -> None:
    framework = langchain()
    from langchain_core.runnables import RunnableLambda

    chunks = windows(framework)
    transformer = framework.component("top_ranked")
    chain = RunnableLambda(lambda query: chunks) | transformer.transform_documents
    kept = [chunks[0], chunks[2], chunks[3]]
    assert same(chain.invoke("bees"), kept)
    assert same(transformer.compress_documents(chunks, "bees"), kept)


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
