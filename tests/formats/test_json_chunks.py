"""Runs in JSON Lines whose chunks state their text, or name their document by a path."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from format_examples import write

import xcg
from xcg.documents.corpus import Corpus
from xcg.errors import InputError, Notes, XcgError
from xcg.formats.base import read_run
from xcg.runs.chunk_documents import ChunkSource, DocumentKey
from xcg.runs.chunks import run_of_chunks
from xcg.runs.run import Run

BEES = "Bees dance in the dark.\n\nDrones do no work at all, in the hive or elsewhere."
#       0                         25                   46
TEXTS = {"bees": BEES, "ants": "Ants follow a trail of smells, and Ants follow leaders."}


def read(
    folder: Path, *records: dict[str, Any], document: DocumentKey = None, notes: Notes | None = None
) -> Run:
    lines = [json.dumps({"topic": "1", **record}) for record in records]
    path = write(folder, "\n".join(lines), "r.jsonl")
    return read_run(path, notes, source=ChunkSource(document, Corpus.of(TEXTS)))


@pytest.mark.parametrize(
    ("chunk", "span"),
    [
        ({"text": "Bees dance in the dark."}, (0, 23)),
        ({"text": "Drones do\fno\n work at all,"}, (25, 50)),
        ({"text": "The hive\nWork in the hive\nDrones do no work at all,"}, (25, 50)),
        ({"start": 25, "end": 50, "text": "Drones do no work at all,"}, (25, 50)),
        ({"start": 25, "text": "Drones do no work at all,"}, (25, 50)),
        ({"start": 25, "end": 50, "text": "# The hive\n\nDrones do no work at all,"}, (25, 50)),
        ({"start": 23, "text": "\n\nDrones do"}, (23, 34)),
        ({"start": 23, "text": "\n\n"}, (23, 25)),
        ({"text": "dance  in\fthe"}, (5, 17)),
        ({"text": "e"}, (1, 2)),  # short texts: the first
        ({"start": 0, "text": "Drones do no work"}, (25, 42)),
    ],
)
def test_chunks_are_found_as_in_python(
    tmp_path: Path, chunk: dict[str, Any], span: tuple[int, int]
) -> None:
    record = {"doc": "bees", **chunk}
    run = read(tmp_path, record)
    assert run.rankings["1"].spans == {0: span}
    assert run.rankings["1"] == run_of_chunks("r", {"1": [record]}, texts=TEXTS).rankings["1"]


def test_without_corpus_stated_offsets_are_kept(tmp_path: Path) -> None:
    path = write(tmp_path, '{"topic": "1", "doc": "d", "start": 2, "text": "abc"}', "r.jsonl")
    assert read_run(path).rankings["1"].spans == {0: (2, 5)}


@pytest.mark.parametrize(
    ("chunk", "message"),
    [
        ({"doc": "bees", "text": " \f"}, "the chunk is empty: it has no text"),
        ({"doc": "bees", "end": 3, "text": "a"}, "expected the field 'text' with 'start' and 'end'"),
        ({"doc": "bee", "text": "dance"}, "no document 'bee'; did you mean 'bees'?"),
        (
            {"doc": "docs/bees.md", "text": "dance"},
            "did you mean 'bees'? --set document='file name' takes the end of a path that names a",
        ),
        ({"doc": "/data/bees.md", "text": "dance"}, "--set document='file name' takes"),
        ({"source": "bees", "text": "a"}, "its 'source' is 'bees': expected --set document=source"),
        (
            {"metadata": {"file_path": "/data/bees.md"}, "text": "a"},
            "its 'file_path' is '/data/bees.md': expected --set document='file name'",
        ),
        (
            {"doc": "bees", "text": "dance", "parent": {"start": 6, "end": 30}},
            "the parent, 6 to 30, does not contain the passage, 5 to 10",
        ),
    ],
)
def test_a_mistake_gives_one_message_with_file_and_line(
    tmp_path: Path, chunk: dict[str, Any], message: str
) -> None:
    with pytest.raises(InputError) as raised:
        read(tmp_path, {"doc": "bees", "text": "dance"}, chunk)
    assert str(raised.value).startswith(f"{tmp_path / 'r.jsonl'}:2: ")
    assert message in str(raised.value)


def test_a_chunk_without_offsets_needs_a_corpus(tmp_path: Path) -> None:
    path = write(tmp_path, '{"topic": "1", "doc": "d", "text": "abc"}', "r.jsonl")
    with pytest.raises(InputError, match=r"r.jsonl:1: the chunk is given by its text: expected a corp"):
        read_run(path, Notes(lenient=True))


def test_lenient_chunks_that_are_not_found_keep_their_rank(tmp_path: Path) -> None:
    notes = Notes(lenient=True)
    missing, found = {"doc": "bees", "text": "Wasps"}, {"doc": "bees", "text": "dance"}
    run = read(tmp_path, missing, {"doc": "wasps", "text": "a"}, found, {"doc": "/b"}, notes=notes)
    assert run.rankings["1"].spans == {2: (5, 10)}
    assert run.rankings["1"].other_text == {0: "Wasps", 1: "a"}
    assert list(run.rankings["1"].files) == ["bees", "wasps", "bees", "/b"]
    assert [problem[:2] for problem in notes.problems()] == [
        ("results that name no element", 1),
        ("chunks without a place in a document", 1),
    ]
    assert [(kind[:30], count) for kind, count, _ in notes.oddities()] == [
        ("chunks without a place in a do", 1)
    ]


def test_more_than_half_of_a_run_without_a_place_is_another_corpus(tmp_path: Path) -> None:
    lost, found = {"doc": "bees", "text": "Wasps"}, {"doc": "bees", "text": "dance"}
    assert len(read(tmp_path, lost, found).rankings["1"]) == 2
    with pytest.raises(
        InputError, match=r"r.jsonl: 2 of 3 results .*: .*:1: .*; .*:2: .* expected the"
    ):
        read(tmp_path, lost, lost, found)


NAMED = [
    ("source", {"source": "bees"}),
    ("source", {"metadata": {"source": "bees.md"}}),
    ("url", {"metadata": {"url": "bees"}, "doc": "chunk-7"}),
    ("url", {"url": "bees.html"}),
    ("file name", {"doc": "/data/docs/bees.md"}),
    ("file name", {"source": "C:\\docs\\bees.txt"}),
    ("file name", {"metadata": {"file_path": "docs/bees"}}),
    ("file name", {"doc": "https://example.org/docs/bees.html?page=2#dance"}),
    ({"https://example.org/7": "bees"}, {"doc": "https://example.org/7"}),
    (lambda record: record["metadata"]["id"].split(":")[0], {"metadata": {"id": "bees:7"}}),
]


@pytest.mark.parametrize(("document", "fields"), NAMED)
@pytest.mark.parametrize("text", [{"text": "dance in"}, {"start": 5, "end": 13}])
def test_documents_are_named_by_their_metadata(
    tmp_path: Path, document: DocumentKey, fields: dict[str, Any], text: dict[str, Any]
) -> None:
    run = read(tmp_path, {**fields, **text}, document=document)
    assert list(run.rankings["1"]) == [("bees", "")]
    assert run.rankings["1"].spans == {0: (5, 13)}


@pytest.mark.parametrize(
    ("document", "chunk", "message"),
    [
        ("url", {"metadata": {"uri": "bees"}}, "no 'url', the key for document=: did you mean 'uri'?"),
        ("url", {"doc": "bees", "urls": "b"}, "unknown field 'urls': did you mean 'url'?"),
        (
            {"beees": "b"},
            {"doc": "bees"},
            "does not contain the document 'bees': did you mean 'beees'?",
        ),
        ("file name", {"text": "dance"}, "the result has no 'doc'"),
        ("source", {"source": "/data/bees.md"}, "'/data/bees.md' is not a document name"),
    ],
)
def test_a_document_without_name_gives_file_and_line(
    tmp_path: Path, document: DocumentKey, chunk: dict[str, Any], message: str
) -> None:
    with pytest.raises(InputError) as raised:
        read(tmp_path, chunk, document=document)
    assert str(raised.value).startswith(f"{tmp_path / 'r.jsonl'}:1: ")
    assert message in str(raised.value)


def test_document_without_chunks_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path, "1 Q0 bees 1 1 r\n", "r.run")
    with pytest.raises(XcgError, match="document has no effect on runs without JSON Lines or chunks"):
        xcg.evaluate({"1": {"bees": 1}}, path, document="source")


@pytest.mark.parametrize("folder", ["", "/data/docs/", "https://example.org/docs/", "C:\\docs\\"])
@pytest.mark.parametrize("name", ["insects/bees", "bees"])
def test_a_path_with_any_prefix_names_a_document_in_a_subfolder(
    tmp_path: Path, folder: str, name: str
) -> None:
    corpus = {"insects/bees.md": BEES, "bees.md": "Other bees dance in other ways."}
    text = "Drones do no work" if "/" in name else "Other bees dance"
    record = {"metadata": {"source": f"{folder}{name}.md"}, "text": text}
    path = write(tmp_path, json.dumps({"topic": "1", **record}), "r.jsonl")
    source = ChunkSource("file name", Corpus.of(corpus))
    assert list(read_run(path, source=source).rankings["1"]) == [(name, "")]
    texts = {"insects/bees": BEES, "bees": corpus["bees.md"]}
    found = run_of_chunks("r", {"1": [record]}, "file name", texts)
    assert list(found.rankings["1"]) == [(name, "")]
    if folder.startswith("C:"):
        return
    plain = write(
        tmp_path, json.dumps({"topic": "1", "doc": f"old/{name}.md", "text": text}), "p.jsonl"
    )
    with pytest.raises(InputError, match="--set document='file name' places 1 of the first 1 chunks"):
        read_run(plain, source=ChunkSource(None, Corpus.of(corpus)))


@pytest.mark.parametrize(
    ("fields", "hint"),
    [
        ({"doc": "7", "metadata": {"page": "all", "origin": "docs/{}-guide.md"}}, "document=origin"),
        ({"doc": "7", "source": "https://x.org/docs/{}-guide.md?v=2"}, "document='file name'"),
        (
            {"doc": "{} Guide 2024.md"},
            "document=names.csv, a table with a line such as '{} Guide 2024.md,docs/{}-guide' for each",
        ),
        ({"doc": "unknown"}, ""),
    ],
)
def test_a_message_proposes_the_setting_that_places_most_chunks(
    tmp_path: Path, fields: dict[str, Any], hint: str
) -> None:
    names = ["bees", "ants", "wasp"]
    corpus = Corpus.of({f"docs/{name}-guide.md": f"All about {name}." for name in names})
    records = [
        json.loads(json.dumps({"topic": "1", "text": f"about {name}", **fields}).replace("{}", name))
        for name in names
    ]
    path = write(tmp_path, "\n".join(map(json.dumps, records)), "r.jsonl")
    with pytest.raises(InputError) as raised:
        read_run(path, source=ChunkSource(None, corpus))
    message = str(raised.value)
    hint = hint.replace("{}", "bees")
    assert (f"; --set {hint} " if hint else "expected") in message
    assert message.endswith("places 3 of the first 3 chunks") == bool(hint)
