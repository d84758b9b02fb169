"""Chunks whose text differs from that of their document, as splitters return them."""

from __future__ import annotations

import json
import math
from io import BufferedReader, BytesIO
from pathlib import Path
from types import SimpleNamespace as Thing
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import xcg
from xcg.documents.corpus import Corpus
from xcg.errors import Notes, UnmappedError
from xcg.formats.json_lines import read_json_run
from xcg.runs import chunk_matching
from xcg.runs.chunk_documents import ChunkSource
from xcg.runs.chunk_matching import DocumentText, _longest_part, compact
from xcg.runs.chunks import run_of_chunks, span_of
from xcg.runs.run import Ranking

CHARACTERS = {"base": "spans", "effort": {"unit": "characters"}}
PAGES = b"First page about bees.\x0cSecond page: bees \x00dance well.\r\n\r\nThey fly home at night."


def corpus_text(tmp_path: Any) -> str:
    """Return the text of a file with form feeds, NULs and Windows line breaks."""
    (tmp_path / "bees.txt").write_bytes(PAGES)
    return Corpus(tmp_path).tree("bees").text


def chunk(text: str, start: int | None = None, end: int | None = None) -> dict[str, Any]:
    offsets = {"start": start, "end": end}
    return {"doc": "bees", "text": text, **{k: v for k, v in offsets.items() if v is not None}}


def evaluate(folder: Path, chunks: list[Any], gold: dict[str, Any], measures: str, **keys: Any) -> Any:
    """Return the scores of a ranking from memory, which are those of the same in JSON Lines."""
    lines = "".join(json.dumps({"topic": "1", **one}) + "\n" for one in chunks)
    (folder / "run").mkdir(exist_ok=True)
    (folder / "run" / "r.jsonl").write_text(lines)
    corpus = Corpus.of({"bees": corpus_text(folder)})
    found = [
        xcg.evaluate(gold, runs, corpus, CHARACTERS, measures, **keys)
        for runs in ({"r": {"1": chunks}}, folder / "run" / "r.jsonl")
    ]
    assert [row.value for row in found[0]] == [row.value for row in found[1]]
    return found[0]


def read_both(chunks: list[Any], body: str, gold: dict[str, Any]) -> dict[str, Ranking]:
    """Return a ranking of chunks from memory, and of dicts from JSON Lines, of one document."""
    found = {
        "python": run_of_chunks("r", {"1": chunks}, texts={"bees": body}, notes=Notes(), gold=gold)
    }
    if all(isinstance(one, dict) for one in chunks):
        lines = "".join(json.dumps({"topic": "1", **one}) + "\n" for one in chunks)
        source = ChunkSource(None, Corpus.of({"bees": f"<d>{body}</d>"}), gold)
        file = BufferedReader(BytesIO(lines.encode()))  # type: ignore[arg-type]
        found["jsonl"] = read_json_run(file, Path("r.jsonl"), Notes(), source=source)
    return {name: run.rankings["1"] for name, run in found.items()}


SECOND = "Second page: bees \x00dance well."


@pytest.mark.parametrize(
    ("given_chunk", "words"),
    [
        (chunk("First page about bees.\x0cSecond page", 0), "First page about bees. Second page"),
        (chunk(SECOND, 23), "Second page: bees  dance well."),
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


@pytest.mark.parametrize("start", [None, 3])
@pytest.mark.parametrize("text", ["Header\nbees", "wasps", "b e e s fly h o m e at", "pa ge: bees"])
def test_text_without_a_place_gains_nothing_and_is_read(
    tmp_path: Path, text: str, start: int | None
) -> None:
    lost, gold = chunk(text, start), {"1": {"bees": [(0, 10)]}}
    body = corpus_text(tmp_path)
    with pytest.raises(UnmappedError, match=r"its text '.*' does not occur in bees"):
        span_of(lost, texts={"bees": body})
    measures = "SpanPrecision SpanRecall(budget=characters)@25 MAep"
    results = evaluate(tmp_path, [lost, chunk(body[:10], 0)], gold, measures)
    size = len(text)
    assert results.value("r", "SpanPrecision") == pytest.approx(10 / (10 + size))
    found = min(25 - size, 10) / 10
    assert results.value("r", "SpanRecall(budget=characters)@25") == pytest.approx(found)
    # A share g of the gold is read after size + 10g characters instead of 10g.
    effort = 1 - size / 10 * math.log((10 + size) / size)
    assert results.value("r", "MAep") == pytest.approx(effort, abs=1e-9)
    assert any("without a place" in note for note in results.notes)
    with pytest.raises(UnmappedError, match=r"^run r: 1 of 1 results have no place .*: run r, topic 1"):
        evaluate(tmp_path, [lost], gold, measures)
    assert evaluate(tmp_path, [lost], gold, measures, lenient=True).value("r", "MAep") == 0


SENTENCE = "Bees dance very well in the dark of their hive."
REPEATED = f"{SENTENCE} Ants walk home. {SENTENCE} Ants walk home. {SENTENCE}"
SECOND_START = len(SENTENCE) + len(" Ants walk home. ")


@pytest.mark.parametrize(
    ("given_chunk", "start"),
    [
        (chunk(SENTENCE), SECOND_START),
        (chunk(f"# Bees\n\n{SENTENCE}"), SECOND_START),
        (chunk(SENTENCE, 30, 40), 0),  # the occurrence that shares text with its offsets
        (chunk(SENTENCE, SECOND_START * 2), SECOND_START * 2),
        (chunk(SENTENCE, 400), SECOND_START),
        (chunk("Ants walk home."), len(SENTENCE) + 1),  # short: the first
    ],
)
def test_recurring_text_has_its_place_in_the_gold(given_chunk: dict[str, Any], start: int) -> None:
    gold = {
        "1": {
            "bees": [(SECOND_START, SECOND_START + 20, 1), (2 * SECOND_START - 9, 2 * SECOND_START, 1)]
        }
    }
    for name, found in read_both([given_chunk], REPEATED, gold).items():
        assert found.spans[0][0] == start, name
    assert read_both([given_chunk], REPEATED, {})["python"].spans[0][0] in (0, start)


def test_wrong_offsets_are_noted_and_the_text_decides(tmp_path: Path) -> None:
    corpus_text(tmp_path)
    gold = {"1": {"bees": [(23, 53)]}}
    for start, end in ((5, None), (5, 30), (900, 930)):
        results = evaluate(tmp_path, [chunk(SECOND, start, end)], gold, "SpanIoU")
        assert results.value("r", "SpanIoU") == 1
        assert any("offsets belong to another text" in note for note in results.notes)


WINDOW_BODY = " ".join(f"Sentence {number} is about bees and ants." for number in range(30))


@given(st.integers(0, 29), st.integers(1, 3), st.sampled_from(["", "Title: bees\n", "“Über” Bienen: "]))
def test_a_sentence_window_is_read_as_its_text(number: int, around: int, title: str) -> None:
    sentences = [f"Sentence {n} is about bees and ants." for n in range(30)]
    window = " ".join(sentences[max(number - around, 0) : number + around + 1])
    start = WINDOW_BODY.index(sentences[number])
    end = start + len(sentences[number])
    first = WINDOW_BODY.index(window)
    stated = chunk(title + window, start, end)
    node = Thing(
        text=title + window, start_char_idx=start, end_char_idx=end, ref_doc_id="bees", relationships={}
    )
    for given_chunk in (stated, node, chunk(title + window)):
        for found in read_both([given_chunk], WINDOW_BODY, {}).values():
            assert found.spans == {0: (first, first + len(window))}
            assert found.other_text == ({0: title} if title else {})


def test_prepended_lines_are_never_free() -> None:
    gold = {"1": {"bees": [(0, len(SENTENCE))]}}
    precisions = []
    for lines in (0, 1, 5, 50):
        runs = {"r": {"1": [chunk("A line of context.\n" * lines + SENTENCE, 0, len(SENTENCE))]}}
        corpus = Corpus.of({"bees": f"<d>{REPEATED}</d>"})
        found = xcg.evaluate(gold, runs, corpus, measures="SpanPrecision MAep nxCG(budget=tokens)@20")
        precisions.append(found.value("r", "SpanPrecision"))
        size = len(SENTENCE)
        assert precisions[-1] == pytest.approx(size / (size + lines * len("A line of context.\n")))
        assert (found.value("r", "MAep") == 1) == (lines == 0)
    assert found.value("r", "nxCG(budget=tokens)@20") == 0


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


@given(
    st.text("ab", min_size=1, max_size=30),
    st.text("ab", min_size=1, max_size=30),
    st.integers(1, 6),
    st.integers(0, 29),
    st.integers(1, 9),
)
def test_the_longest_part_is_that_of_all_parts(
    text: str, body: str, least: int, start: int, size: int
) -> None:
    around = min(start, len(body) - 1), min(start + size, len(body))
    lengths = [
        stop - first
        for first in range(len(body))
        for stop in range(max(first, around[0]) + 1, len(body) + 1)
        if first < around[1] and body[first:stop] in text
    ]
    longest = max((length for length in lengths if length >= least), default=0)
    at, place, length = _longest_part(text, body, least, around)
    assert length == longest
    if length:
        assert text[at : at + length] == body[place : place + length]
        assert place < around[1]
        assert around[0] < place + length


@pytest.mark.parametrize("parts", [("a", "b"), ("ab", "b"), ("abcdefghij", "x"), ("é", "中")])
def test_hostile_texts_are_compared_few_times(
    parts: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each comparison takes O(n log n); before, a part began at every character."""
    lengths = []
    shared = chunk_matching._shared_part
    monkeypatch.setattr(
        chunk_matching, "_shared_part", lambda *given: lengths.append(given[-1]) or shared(*given)
    )
    first, second = parts
    text = "".join(first * (n % 97) + second for n in range(700))
    body = "".join(second * (n % 89) + first for n in range(700))
    _longest_part(text, body, 20, (0, len(body)))
    assert len(lengths) <= 2 * math.log2(len(text)) + 2


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
            assert again.end == span.end
            assert span.start - len("Ants\n\n") <= again.start <= span.start


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


def test_chunks_are_searched_like_quotes() -> None:
    body = "He said: “The bees fly home” – before night\u00adfall, in fine weather."
    found = span_of(chunk('said: "The bees fly home" - before nightfall'), texts={"bees": body})
    assert body[found.start : found.end] == "said: “The bees fly home” – before night\u00adfall"
