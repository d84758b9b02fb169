"""Chunks whose text differs from that of their document, as splitters return them."""

from __future__ import annotations

import time
from types import SimpleNamespace as Thing
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import xcg
from xcg.documents.corpus import Corpus
from xcg.errors import InputError, UnmappedError
from xcg.runs.chunk_matching import DocumentText, compact
from xcg.runs.chunks import span_of

PAGES = b"First page about bees.\x0cSecond page: bees \x00dance well.\r\n\r\nThey fly home at night."


def corpus_text(tmp_path: Any) -> str:
    """Return the text of a file with form feeds, NULs and Windows line breaks."""
    (tmp_path / "bees.txt").write_bytes(PAGES)
    return Corpus(tmp_path).tree("bees").text


def chunk(text: str, start: int | None = None, end: int | None = None) -> dict[str, Any]:
    offsets = {"start": start, "end": end}
    return {"doc": "bees", "text": text, **{k: v for k, v in offsets.items() if v is not None}}


SECOND = "Second page: bees \x00dance well."


@pytest.mark.parametrize(
    ("given_chunk", "words"),
    [
        (chunk("First page about bees.\x0cSecond page", 0), "First page about bees. Second page"),
        (chunk("First page about bees.\x0cSecond page"), "First page about bees. Second page"),
        (chunk(SECOND, 23), "Second page: bees  dance well."),
        (chunk(SECOND, 23, 53), "Second page: bees  dance well."),
        (chunk(SECOND), "Second page: bees  dance well."),
        (
            chunk("Second page: bees dance well.\n\nThey fly", 23),
            "Second page: bees  dance well.\r\n\r\nThey fly",
        ),
        (
            chunk("Second page: bees dance well.  \nThey fly home"),
            "Second page: bees  dance well.\r\n\r\nThey fly home",
        ),
        (chunk("page:\n\x0cbees"), "page: bees"),  # short, so the words are compared
        # headers and context, with correct offsets and without
        (chunk("# Bees\n## Pages\n\n" + SECOND, 23), "Second page: bees  dance well."),
        (chunk("# Bees\n## Pages\n\n" + SECOND, 23, 53), "Second page: bees  dance well."),
        (
            chunk("This is about bees: " + SECOND + " (page 2)", 23, 53),
            "Second page: bees  dance well.",
        ),
        (chunk("# Bees\n## Pages\n\n" + SECOND), "Second page: bees  dance well."),
    ],
)
def test_text_that_a_splitter_changed_is_found(
    tmp_path: Any, given_chunk: dict[str, Any], words: str
) -> None:
    text = corpus_text(tmp_path)
    _, start, end, _ = span_of(given_chunk, texts={"bees": text})
    assert text[start:end] == words
    gold = {"1": {"bees": [(start, end)]}}
    results = xcg.evaluate(gold, {"r": {"1": [given_chunk]}}, tmp_path, measures="MAep")
    assert results.value("r", "MAep") == 1


@pytest.mark.parametrize(
    ("given_chunk", "message"),
    [
        (chunk(SECOND, 5), r"\(its text is at 23 to 53\): do its offsets belong"),
        (chunk(SECOND, 5, 30), r"\(its text is at 23 to 53\): do its offsets belong"),
        (chunk("bees", 5), "has ' pag' at 5 to 9 of its 80 characters: do its offsets belong"),
        (chunk("wasps", 5), "has ' page' at 5 to 10 of its 80 characters: do its"),
        (chunk("bees", 5, 9), "do its offsets belong to this text"),
        (chunk("Header\n" + "bees"), "'Header.nbees' does not occur"),
        (chunk("b e e s fly h o m e at"), "does not occur"),  # too short to ignore white space
        (chunk("bees"), "occurs more than once in bees; expected its start"),
        (chunk("pa ge: bees"), "does not occur"),
    ],
)
def test_other_text_is_not_found(tmp_path: Any, given_chunk: dict[str, Any], message: str) -> None:
    text = corpus_text(tmp_path)
    with pytest.raises(UnmappedError, match=message):
        span_of(given_chunk, texts={"bees": text})
    runs = {"r": {"1": [given_chunk]}}
    with pytest.raises(InputError, match=r"^run r, topic 1, rank 1: the chunk"):
        xcg.evaluate({"1": {"bees": [(0, 5)]}}, runs, tmp_path)


def test_text_that_occurs_twice_after_normalisation_is_refused() -> None:
    body = "Bees dance very well in  the dark. Bees dance very well in\nthe dark."
    with pytest.raises(UnmappedError, match="occurs more than once"):
        span_of(chunk("Bees dance very well in the dark."), texts={"bees": body})
    assert span_of(chunk("Bees dance very well in\nthe dark."), texts={"bees": body})[1:3] == (35, 68)


@given(st.text("ab \n\x0c\x00", max_size=60), st.integers(0, 60), st.integers(0, 60))
def test_a_span_found_at_an_offset_has_the_words_of_the_chunk(
    text: str, start: int, length: int
) -> None:
    part = text[start : start + length]
    changed = part.replace("\x0c", "\n").replace(" ", "  ")
    found = DocumentText(text).span_at(start, changed)
    assert (found is None) == (not compact(part))
    if found is not None:
        assert compact(text[slice(*found)]) == compact(part)
        assert start <= found[0] < found[1] <= start + length


@pytest.mark.slow
def test_hostile_texts_take_linear_time() -> None:
    body = "a\n" * 100_000
    before = time.process_time()
    with pytest.raises(UnmappedError):
        span_of(chunk("a \n" * 80_000 + "b"), texts={"bees": body})
    with pytest.raises(UnmappedError):
        span_of(chunk("a \n" * 80_000 + "b", 7), texts={"bees": body})
    assert time.process_time() - before < 5


MARKDOWN = """# Bees

Bees dance well in the dark of the hive.

They fly home at night, and sleep.

## Ants

- ants walk *in* long lines
- ants never fly, except queens

Ants walk home before the rain.
"""


@pytest.mark.slow
def test_langchain_markdown_splitters() -> None:
    splitters = pytest.importorskip("langchain_text_splitters")
    headers = [("#", "h1"), ("##", "h2")]
    for strip_headers in (True, False):
        splitter = splitters.MarkdownHeaderTextSplitter(headers, strip_headers=strip_headers)
        chunks = splitter.split_text(MARKDOWN)
        assert len(chunks) == 2
        for found in chunks:
            span = span_of(found, lambda _: "bees", texts={"bees": MARKDOWN})
            assert compact(MARKDOWN[span.start : span.end]) == compact(found.page_content)
            found.page_content = f"{found.metadata['h1']}\n\n{found.page_content}"
            again = span_of(found, lambda _: "bees", texts={"bees": MARKDOWN})
            assert again.start in (span.start, span.start - len("# Bees\n\n") + len("# "))


@pytest.mark.slow
def test_haystack_markdown_and_page_splitters() -> None:
    preprocessors = pytest.importorskip("haystack.components.preprocessors")
    from haystack import Document

    document = Document(content=MARKDOWN, id="bees")
    splitter = preprocessors.MarkdownHeaderSplitter()
    for found in splitter.run([document])["documents"]:
        span = span_of(found, texts={"bees": MARKDOWN})
        assert compact(MARKDOWN[span.start : span.end]) == compact(found.content)
    pages = "One page about bees.\fAnother page about ants.\fThe end"
    splitter = preprocessors.DocumentSplitter(split_by="page", split_length=1)
    for found in splitter.run([Document(content=pages, id="bees")])["documents"]:
        span = span_of(found, texts={"bees": pages.replace("\f", " ")})
        assert pages[span.start : span.end].strip() == found.content.strip()


def test_stand_ins_of_llama_index_with_context() -> None:
    node = Thing(
        text="Title: Bees\nBees dance well in the dark of the hive.",
        start_char_idx=8,
        end_char_idx=48,
        ref_doc_id="bees",
        relationships={},
    )
    assert span_of(node, texts={"bees": MARKDOWN})[1:3] == (8, 48)


def test_chunks_are_searched_like_quotes() -> None:
    body = "He said: “The bees fly home” – before night\u00adfall, in fine weather."
    found = span_of(chunk('said: "The bees fly home" - before nightfall'), texts={"bees": body})
    assert body[found.start : found.end] == "said: “The bees fly home” – before night\u00adfall"
