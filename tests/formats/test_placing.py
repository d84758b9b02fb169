"""Passages given as text are found in documents, also the real ones of medical experts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import Command

import xcg
import xcg.testing
from xcg.documents import text_search
from xcg.documents.text_search import TextIndex
from xcg.errors import InputError, UnmappedError, XcgError
from xcg.formats.placing import locate_passages, update_gold


def write(folder: Path, *records: dict[str, object]) -> Path:
    path = folder / "quotes.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


CORPUS = {"d": "<a><p>The ﬁrst  “word”</p><p>x y</p><p>x\u00a0y</p></a>"}


def test_the_nearest_of_several_places_and_what_is_missing(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        {"topic": "1", "doc": "d", "text": "x y"},
        {"topic": "1", "doc": "d", "text": "x y", "near": 0.99},
        {"topic": "1", "doc": "d", "text": "nowhere"},
        {"topic": "1", "doc": "d", "text": " "},
    )
    located = locate_passages(path, xcg.Corpus.of(CORPUS))
    assert [passage["start"] for passage in located.passages] == [16, 19]
    assert located.counts["ambiguous"] == 2
    assert [message.partition(": ")[0] for message in located.missing] == [f"{path}:3", f"{path}:4"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"doc": "e"}, "the corpus has no document 'e'"),
        ({"doc": "../d"}, "is not a document name"),
        ({"near": 2}, "near is 2: expected a number from 0 to 1"),
        ({"text": 3}, "text is 3: expected the words"),
        ({"txt": "x"}, "unknown field 'txt': did you mean 'text'?"),
    ],
)
def test_wrong_lines(tmp_path: Path, change: dict[str, object], message: str) -> None:
    path = write(tmp_path, {"topic": "1", "doc": "d", "text": "x", **change})
    with pytest.raises(InputError) as raised:
        locate_passages(path, xcg.Corpus.of(CORPUS))
    assert str(raised.value).startswith(f"{path}:1: ")
    assert message in str(raised.value)


def test_a_text_with_very_many_occurrences_is_refused(
    xcg_command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "d.xml").write_text(f"<a>{'a' * 1_000_000}</a>")
    passages = tmp_path / "passages.jsonl"
    passages.write_text(json.dumps({"topic": "1", "doc": "d", "text": "a" * 400_000}) + "\n")
    found = xcg_command("place", str(passages), "--corpus", str(tmp_path / "docs"))
    assert found.returncode == 2
    assert f"{passages}:1: d: the text occurs more than 25 times: 'aaaaa" in found.stderr
    monkeypatch.setattr(text_search, "MAX_CHARACTERS", 6)
    index = TextIndex("abcabcabc")
    assert len(index.find("ab")) == 3
    monkeypatch.setattr(text_search, "MAX_CHARACTERS", 5)
    with pytest.raises(XcgError, match="the text occurs more than 2 times: 'ab'; expected a lon"):
        index.find("ab")


def test_update_keeps_lines_and_marks_what_is_lost(xcg_command: Command, tmp_path: Path) -> None:
    (tmp_path / "corpus").mkdir()
    (tmp_path / "corpus" / "d.txt").write_text("New. A cat sat here. The dog ran. A cat sat on it now.")
    gold = write(
        tmp_path,
        {"topic": "1", "doc": "d", "path": "/a", "level": 1},
        {"topic": "1", "doc": "d", "exact": "the dog  ran", "note": "kept", "start": 3, "end": 9},
        {"topic": "1", "doc": "d", "text": "cat sat", "start": 90, "end": 97},
        {"topic": "1", "doc": "d", "start": 90, "end": 97},
        {"topic": "1", "doc": "e", "text": "The dog", "start": 90, "end": 97},
        {"topic": "1", "doc": "d", "text": "A cat sat all over it now.", "start": 90, "end": 97},
    )
    arguments = ("place", "--update", gold, "--corpus", tmp_path / "corpus")
    done = xcg_command(*arguments)
    assert done.returncode == 2
    moved = {"topic": "1", "doc": "d", "exact": "The dog ran", "note": "kept", "start": 21, "end": 32}
    written = [json.loads(line) for line in done.stdout.splitlines()]
    first, _, *others = map(json.loads, gold.read_text().splitlines())
    assert written == [first, moved, *({**record, "lost": True} for record in others)]
    del moved["note"]
    lines = [moved, *written[2:-1], {**written[-1], "topic": "2"}]
    (tmp_path / "updated.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    runs = {"r": {"1": [("d", 21, 32)], "2": [("d", 0, 4)]}}
    given = tmp_path / "updated.jsonl", runs, tmp_path / "corpus"
    with pytest.raises(UnmappedError, match=r"updated.jsonl:2: the passage is lost: correct its text"):
        xcg.evaluate(*given, measures="SpanIoU")
    found = xcg.evaluate(*given, measures="SpanIoU MAep", lenient=True)
    assert found.value("r", "SpanIoU") == 1
    assert found.notes[0].startswith("warning: lost passages: 4 times")
    assert any(note.endswith("so not in the means: topic 2") for note in found.notes)
    with pytest.raises(UnmappedError, match="4 results or assessments could not be used"):
        xcg.testing.assert_retrieval(*given, fail_under={"MAep": 0.5}, lenient=True)
    for message in (
        f"{gold}:3: 2 occurrences (at 7–14, 36–43) of 'cat sat' in d",
        f"{gold}:4: the passage of d states no text, so it cannot be placed",
        f"{gold}:5: the corpus has no document 'e'",
        f"{gold}:6: d does not contain 'A cat sat all over it now.'; similar text (similarity 0.8",
        "accepted with --fuzzy): 'A cat sat on it now.'",
        "5 passages: 1 normalised, 1 ambiguous, 3 lost",
    ):
        assert message in done.stderr
    assert xcg_command(*arguments, "--lenient").returncode == 0
    fuzzy = xcg_command(*arguments, "--fuzzy", "0.7")
    assert "for 'A cat sat all over it now.' in d, at 34–54: 'A cat sat on it now.'" in fuzzy.stderr
    assert json.loads(fuzzy.stdout.splitlines()[-1])["text"] == "A cat sat on it now."
    (tmp_path / "again.jsonl").write_text(done.stdout)
    again = xcg_command("place", "--update", tmp_path / "again.jsonl", *arguments[3:], "--fuzzy=0.7")
    assert json.loads(again.stdout.splitlines()[-1]).get("lost") is None
    by_default = xcg_command(*arguments, "--fuzzy")
    assert by_default.stdout == done.stdout  # 0.9 is more than its similarity
    wrong = xcg_command(*arguments, "--fuzzy", "90")
    assert wrong.returncode == 2
    assert "--fuzzy" in wrong.stderr


def test_a_quote_that_is_placed_by_a_part_of_its_context_is_noted(tmp_path: Path) -> None:
    text = "Old bees dance well at noon, and sleep at night. Young bees dance badly."
    quotes = [("Some ", " well at noon, and sleep at night."), ("Old bees ", " well")]
    lines = [
        {"topic": "1", "doc": "d", "exact": "dance", "prefix": prefix, "suffix": suffix}
        for prefix, suffix in quotes
    ]
    (tmp_path / "q.jsonl").write_text("\n".join(map(json.dumps, lines)))
    for search in (locate_passages, update_gold):
        placed = search(tmp_path / "q.jsonl", xcg.Corpus.of({"d": text}))
        assert [one["start"] for one in placed.passages] == [9, 9]
        note = f"{tmp_path / 'q.jsonl'}:1: 2 occurrences (at 9–14, 60–65) of 'dance' in d; took 9–14"
        assert placed.notes == [note]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"topic": "1", "text": "dance", "start": 0, "end": 5}', "the field 'doc' is missing"),
        ("1 Q0 d 5 5 -1 0:5", "expected JSON Lines, one object"),
    ],
)
def test_illegal_gold_is_an_error_of_update(tmp_path: Path, line: str, message: str) -> None:
    (tmp_path / "q.jsonl").write_text(line)
    with pytest.raises(InputError, match=f"q.jsonl:1: {message}"):
        update_gold(tmp_path / "q.jsonl", xcg.Corpus.of({"d": "dance"}))


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("question,quote\nq,dance well\n", "1 exact"),
        ("quote,document,question\nDANCE  well,bees,q\n", "1 normalised"),
        ("Question;Quote\nq;dance well\n", "1 exact"),
        ('\ufefftopic,exact,prefix\n"q\nr",well,dance \n', "1 exact"),
        (
            "question,quote\n\nq,fly\n",
            "p.csv:3: 2 documents have 'fly', such as ants and bees; expected",
        ),
        ("question,quote\nq\n", "p.csv:2: 1 columns: expected 2"),
        ("question,qoute\nq,fly\n", "p.csv:2: unknown field 'qoute': expected one of"),
        ("question,quote\nq,\n", "p.csv:2: the field 'text' is missing"),
        ('question,quote\nq,"fly\n', "p.csv:2: illegal CSV"),
    ],
)
def test_a_table_of_questions_and_quotes(
    xcg_command: Command, tmp_path: Path, lines: str, message: str
) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "bees.md").write_text("Bees dance well and fly.")
    (tmp_path / "docs" / "ants.md").write_text("Some ants fly.")
    (tmp_path / "p.csv").write_text(lines, encoding="utf-8")
    done = xcg_command("place", "p.csv", "--corpus", "docs", cwd=tmp_path)
    assert message in done.stderr
    if message.startswith("1"):
        (record,) = map(json.loads, done.stdout.splitlines())
        assert record["doc"] == "bees"
        assert record["topic"] in ("q", "q r")
        assert record["end"] - record["start"] >= 4
