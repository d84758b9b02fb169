"""Chunks of LlamaIndex, Haystack and LangChain as runs, with stand-ins and with the libraries."""

from __future__ import annotations

import math
import random
from collections.abc import Iterable
from enum import Enum
from types import SimpleNamespace as Thing
from typing import Any

import numpy as np
import pytest

import xcg
import xcg.testing
from xcg.errors import InputError, XcgError
from xcg.runs.chunks import ChunkSpan, run_of_chunks, span_of

#       0123456789012345678901234567890123456789012
TEXT = "The bee flies.\n\n  Ants walk. The bee flies."


class Related(Enum):
    SOURCE = "1"
    PARENT = "4"
    CHILD = "5"


def node(text: str, start: int | None, source: str | None = "bees", **more: Any) -> Thing:
    """Return what stands for a node of LlamaIndex."""
    relationships: dict[Related, object] = {Related.CHILD: [Thing(node_id="c")]}
    if source is not None:
        relationships[Related.SOURCE] = Thing(node_id=source)
    if "parent" in more:
        relationships[Related.PARENT] = Thing(node_id=more.pop("parent"))
    end = None if start is None else start + len(text)
    fields = {"metadata": {"file_name": "bees.txt"}, "id_": "n", **more}
    return Thing(
        text=text, start_char_idx=start, end_char_idx=end, relationships=relationships, **fields
    )


def haystack(content: str, score: float | None = None, **meta: object) -> Thing:
    return Thing(content=content, meta=meta, score=score, id=meta.pop("id", "block"))


def langchain(text: str, **metadata: object) -> Thing:
    return Thing(page_content=text, metadata=metadata)


@pytest.mark.parametrize(
    ("chunk", "span"),
    [
        (Thing(node=node("Ants walk.", 18), score=0.5), ("bees", 18, 28, 0.5)),
        (Thing(node=node("Ants walk.", 18), score=None), ("bees", 18, 28, None)),
        (node("Ants walk.", 18), ("bees", 18, 28, None)),
        (node("Ants walk.", 18, None), ("bees", 18, 28, None)),
        (node("Ants walk.", 18, None, ref_doc_id="d"), ("d", 18, 28, None)),
        (
            Thing(start_char_idx=1, end_char_idx=3, relationships={"1": {"node_id": "d"}}),
            ("d", 1, 3, None),
        ),
        (haystack("Ants walk.", 2, source_id="d", split_idx_start=18), ("d", 18, 28, 2.0)),
        (haystack("Ants walk.", parent_id="d", split_idx_start=18.0), ("d", 18, 28, None)),
        (haystack("Ants", id="d", __level=0, __parent_id=None), ("d", 0, 4, None)),
        (
            haystack("An", source_id="d", __level=1, __parent_id="d", split_idx_start=5),
            ("d", 5, 7, None),
        ),
        (langchain("Ants walk.", source="a/d.xml", start_index=18), ("a/d", 18, 28, None)),
        ((langchain("Ants", source="d", start_index=0), np.float32(0.5)), ("d", 0, 4, 0.5)),
        ({"doc": "d", "start": np.int64(3), "end": 5, "score": 1}, ("d", 3, 5, 1.0)),
        ({"doc": "d", "start": 3, "text": "abc"}, ("d", 3, 6, None)),
        (langchain("Ants", source="a/d.md", start_index=3), ("a/d", 3, 7, None)),
        (("d.v2.txt.gz", 3, 5), ("d.v2", 3, 5, None)),
        ((".md", 3, 5), (".md", 3, 5, None)),
        (("d", 3, 5), ("d", 3, 5, None)),
        ((("d", 3, 5), -1), ("d", 3, 5, -1.0)),
    ],
)
def test_places(chunk: object, span: tuple[object, ...]) -> None:
    assert span_of(chunk) == ChunkSpan(*span)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("chunk", "message"),
    [
        (node("Ants", None), "no start_char_idx: node parsers set it .* or pass texts="),
        (node("Ants", 3, None, metadata={}), "no source node and no metadata 'file_name'.*document="),
        (haystack("Ants", source_id="d"), "no meta 'split_idx_start': DocumentSplitter and"),
        (haystack("Ants", split_idx_start=1), "no meta 'source_id' or 'parent_id'"),
        (
            haystack("An", source_id="p", __level=2, __parent_id="p", split_idx_start=5),
            "level 2 .* counts from its parent p: pass .* parents=",
        ),
        (
            haystack("An", source_id="d", parent_headers=[], split_idx_start=5),
            "MarkdownHeaderSplitter counts from its header",
        ),
        (node("Ants", 3, parent="p"), "HierarchicalNodeParser made counts from its parent p: pass"),
        (langchain("Ants", source="d"), "no metadata 'start_index': .*add_start_index=True"),
        (langchain("Ants", source="d", start_index=-1), "start_index is -1: its splitter changed"),
        (langchain("Ants", start_index=3), "no metadata 'source'.*document="),
        (
            langchain("Ants", source="/x/d", start_index=3),
            "not a document name.*; use document= to name it",
        ),
        ({"doc": "d", "start": 3}, "the chunk has no 'end'$"),
        ({"start": 3, "end": 4}, "the chunk has no 'doc'"),
        (("d", 3, 3), "the chunk is empty: it starts and ends at 3"),
        (("d", 5, 3), "start 5 and end 3: expected 0 <= start < end"),
        (("d", "1", 3), "start is '1': expected a whole number"),
        ((["d"], 1, 3), r"the document is \['d'\]: expected its name"),
        (langchain("", source="d", start_index=3), "the chunk is empty: it starts and ends at 3"),
        ((("d", 1, 3), math.nan), "the score is nan: expected a finite number"),
        ((("d", 1, 3), "0.5"), "the score is '0.5'"),
        ("d", "illegal chunk 'd': expected a dict .* haystack, langchain, llama_index, with or"),
    ],
)
def test_refused(chunk: object, message: str) -> None:
    with pytest.raises(XcgError, match=message):
        span_of(chunk)
    with pytest.raises(InputError, match=rf"^run r, topic 7, rank 2: .*{message}"):
        run_of_chunks("r", {"7": [("d", 0, 1), chunk]})


def test_order() -> None:
    chunks = [(("d", 0, 1), 1), (("e", 0, 2), 3), (("f", 0, 3), 1), (("g", 0, 4), 2)]

    def files(results: Iterable[object]) -> tuple[str, list[float] | None]:
        ranking = run_of_chunks("r", {7: iter(results)}).rankings["7"]
        assert [span for _, span in sorted(ranking.spans.items())] == [
            (0, "defg".index(file) + 1) for file in ranking.files
        ]
        return "".join(ranking.files), ranking.keys and list(ranking.keys)

    assert files(chunks) == ("egdf", [3, 2, 1, 1])
    assert files([*chunks[:3], ("g", 0, 4)]) == ("defg", None)
    assert files([]) == ("", None)
    ranking = run_of_chunks("r", {7: [(("d", 0, 1), 0.25), (("e", 0, 2), 0.75)]}).rankings["7"]
    assert list(ranking.scores) == [2, 1]  # of distances, n - rank + 1


@pytest.mark.parametrize(
    ("chunk", "place"),
    [
        (langchain("Ants walk.", source="bees", start_index=18), (18, 28)),
        (langchain("Ants walk.", source="bees", start_index=14), (18, 28)),  # stripped afterwards
        (langchain("\n\n  Ants walk.", source="bees", start_index=18), (18, 28)),
        (haystack("Ants walk. \n", source_id="bees", split_idx_start=18), (18, 28)),
        (haystack("flies. ", source_id="bees", split_idx_start=37), (37, 43)),
        (("bees", 3, 43), (3, 43)),
        ({"doc": "bees", "start": 14, "end": 29, "text": "Ants walk."}, (14, 29)),
        (langchain("Ants walk.", source="bees"), (18, 28)),
        (langchain(" Ants walk.\n", source="bees", start_index=-1), (18, 28)),
        (langchain(".\n", source="bees"), (13, 15)),  # with its blank it occurs once
        (node("Ants", None), (18, 22)),
        (langchain("Ants", source="bees", start_index=17), (18, 22)),
        (node("Ants", 2, parent="p"), (18, 22)),
    ],
)
def test_texts(chunk: object, place: tuple[int, int]) -> None:
    assert span_of(chunk, texts={"bees": TEXT})[1:3] == place


@pytest.mark.parametrize(
    ("chunk", "message"),
    [
        (("bees", 3, 44), "the chunk ends at 44, but bees has 43 characters"),
        (langchain("The wasp", source="bees"), "'The wasp' does not occur in bees"),
        (langchain("Ants", source="wasps"), "there is no text of the document 'wasps'"),
    ],
)
def test_texts_that_differ(chunk: object, message: str) -> None:
    with pytest.raises(XcgError, match=message):
        span_of(chunk, texts={"bees": TEXT})


def test_texts_by_either_name() -> None:
    for name in ("bees", "bees.xml"):
        assert span_of(("bees.xml", 0, 3), texts={name: TEXT}).document == "bees"


def test_parents() -> None:
    top = node(TEXT[16:], 16, id_="top")
    middle = node("Ants walk.", 2, id_="middle", parent="top")
    leaf = node("walk", 5, id_="leaf", parent="middle")
    nodes = [top, middle, leaf]
    assert span_of((leaf, 1), parents=nodes, texts={"bees": TEXT}) == ("bees", 23, 27, 1)
    assert span_of(leaf, parents={n.id_: n for n in nodes}) == ("bees", 23, 27, None)
    # A parser that counts from the document's start is told by the parent's text.
    assert span_of(node("Ants walk.", 18, parent="top"), parents=nodes)[1:3] == (18, 28)
    with pytest.raises(XcgError, match="parent does not contain its text at its offsets"):
        span_of(node("Wasps", 18, parent="top"), parents=nodes)
    with pytest.raises(XcgError, match=r"offset of the chunk's parent is unknown: .* parent top"):
        span_of(leaf, parents=[middle])
    middle.relationships[Related.PARENT] = Thing(node_id="leaf")
    with pytest.raises(XcgError, match="more than 50 levels of parents"):
        span_of(leaf, parents=nodes)


def test_a_run_states_the_parents_that_dicts_state() -> None:
    chunks = [
        {"doc": "d", "start": 4, "end": 8, "score": 1, "parent": {"start": 0, "end": 10}},
        {"doc": "d", "start": 4, "end": 9, "score": 3, "parent": None},
        {"doc": "d", "start": 4, "end": 9, "score": 2, "parent": {"start": 4.0, "end": 9.0}},
    ]
    run = run_of_chunks("r", {"1": chunks, "2": chunks[1:2], "3": [("d", 0, 4)]})
    assert [run.rankings[topic].parents for topic in "123"] == [{1: (4, 9), 2: (0, 10)}, {}, {}]
    assert run_of_chunks("r", {"1": [("d", 0, 4)]}).rankings["1"].parents is None
    assert span_of(chunks[0]) == ("d", 4, 8, 1)


@pytest.mark.parametrize(
    ("parent", "message"),
    [
        ("section 1", "the parent is 'section 1': expected a dict with start and end, or None"),
        ({"start": -2, "end": 9}, "the parent is from -2 to 9: expected 0 <= start <= end"),
        ({"start": 5, "end": 9}, "the parent, 5 to 9, does not contain the passage, 4 to 8"),
    ],
)
def test_illegal_parents(parent: object, message: str) -> None:
    with pytest.raises(InputError, match=f"^run r, topic 1, rank 1: {message}"):
        run_of_chunks("r", {"1": [{"doc": "d", "start": 4, "end": 8, "parent": parent}]})


def test_a_run_states_the_parents_of_a_hierarchy() -> None:
    top = node(TEXT[16:], 16, id_="top")
    middle = node("Ants walk.", 2, id_="middle", parent="top")
    leaf = node("walk", 5, id_="leaf", parent="middle")
    for texts in (None, {"bees": TEXT}):
        run = run_of_chunks("r", {"1": [leaf, middle, top]}, texts=texts, parents=[top, middle, leaf])
        assert run.rankings["1"].spans == {0: (23, 27), 1: (18, 28), 2: (16, 43)}
        assert run.rankings["1"].parents == {0: (18, 28), 1: (16, 43)}
    gold, measures = {"1": {"bees": [(18, 28)]}}, "SpanIoU SpanRecall(budget=tokens)@1 MAep"
    by_text = {"r": {"1": [{"doc": "bees", "text": one.text} for one in (leaf, middle)]}}
    expected = xcg.evaluate(gold, by_text, {"bees": TEXT}, measures=measures)
    campaign = xcg.load(
        assessments=gold,
        runs={"r": {"1": [leaf, middle]}},
        corpus={"bees": TEXT},
        parents=iter([top, middle, leaf]),
        measures=measures,
    )
    assert [row.value for row in campaign.evaluate()] == [row.value for row in expected]
    assert campaign.chunks()[0]["MAep"] == expected.value("r", "MAep") > 0
    assert campaign.gate(fail_under={"SpanIoU": 0.1}).passed
    runs, corpus = {"r": {"1": [leaf, middle]}}, {"bees": TEXT}
    for wrong in ("top", 7):
        with pytest.raises(XcgError, match="parents: expected chunks in Python; JSON Lines states the"):
            xcg.evaluate(gold, runs, corpus, parents=wrong)
    xcg.testing.assert_retrieval(gold, runs, corpus, parents=[top, middle], fail_under={"MAep": 0.1})
    root = haystack(TEXT, id="bees", __level=0, __parent_id=None)
    block = haystack("Ants walk.", source_id="bees", __level=1, __parent_id="bees", split_idx_start=18)
    run = run_of_chunks("r", {"1": [block, root]}, parents=[root, block])
    assert run.rankings["1"].parents == {0: (0, 43)}
    assert run_of_chunks("r", {"1": [block]}).rankings["1"].parents is None


# The libraries themselves

WORDS = ("bee", "honey", "wasps", "sting", "ants", "walk", "in", "lines", "and", "never", "fly", "home")


def long_text() -> str:
    generator = random.Random(7)
    paragraphs = (" ".join(generator.choices(WORDS, k=30)).capitalize() for _ in range(12))
    return "\n\n".join(f"{paragraph}.  The same again.\n" for paragraph in paragraphs)


def check(spans: Iterable[tuple[ChunkSpan, str]], text: str) -> None:
    checked = 0
    for span, chunk in spans:
        assert text[span.start : span.end].strip() == chunk.strip()
        checked += 1
    assert checked > 1


@pytest.fixture(scope="module")
def haystack_library() -> Any:
    pytest.importorskip("haystack.components.preprocessors")
    from haystack import Document
    from haystack.components import preprocessors

    return Thing(Document=Document, preprocessors=preprocessors)


def split(splitter: Any, document: Any) -> list[Any]:
    if hasattr(splitter, "warm_up"):
        splitter.warm_up()
    return list(splitter.run([document])["documents"])


@pytest.mark.filterwarnings("ignore")
@pytest.mark.slow
def test_haystack(haystack_library: Any) -> None:
    text = long_text()
    library = haystack_library.preprocessors
    document = haystack_library.Document(content=text, id="bees", meta={"file_path": "bees.txt"})
    for splitter in (
        library.DocumentSplitter(split_by="word", split_length=15, split_overlap=4),
        library.DocumentSplitter(split_by="passage", split_length=2),
        library.RecursiveDocumentSplitter(split_length=15, separators=["\n\n", " "]),
    ):
        chunks = split(splitter, document)
        for options in ({}, {"texts": {"bees": text}}):
            check([(span_of(chunk, **options), chunk.content) for chunk in chunks], text)
        assert span_of(chunks[0], "file_path").document == "bees"
    with pytest.raises(XcgError, match="split_idx_start"):
        span_of(haystack_library.Document(content="Ants", meta={"source_id": "bees"}))
