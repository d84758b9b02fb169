"""Exports: what each format holds for each scheme of grades, file names, and incomplete exports."""

from __future__ import annotations

import io
import json
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from judge_examples import judged

from xcg.documents.corpus import Corpus
from xcg.errors import InputError, Notes, XcgError
from xcg.formats.base import read_assessments
from xcg.judge.agreement import disagreements
from xcg.judge.exporting import export, export_archive, file_names, write_export
from xcg.judge.judgement import Decision
from xcg.judge.settings import SCHEMES, Grade, GradeScheme
from xcg.judgements.anchoring import anchor

DOCUMENT = f"<article><p>{'a' * 50}</p><p>{'b' * 50}</p></article>"
CORPUS = Corpus.of({"bees": DOCUMENT, "ants": DOCUMENT})
TEXT = CORPUS.tree("bees").text
LEVELS = GradeScheme("levels", (Grade("1", "marginal"), Grade("2", "good"), Grade("3", "perfect")))


def write(folder: Path, *arguments: Any) -> list[str]:
    """Write an export, and return its notes."""
    found = export(*arguments)
    write_export(folder, found)
    return found.notes


def records(content: bytes) -> list[dict[str, object]]:
    return [json.loads(line) for line in content.splitlines()]


def test_passages_have_their_quote_and_grade() -> None:
    found = export(
        [judged("anna", "bees", TEXT, (0, 50, "3"), (60, 70, "1"), entry_point=60)],
        CORPUS,
        SCHEMES["inex-2004"],
    )
    base = {"topic": "1", "doc": "bees"}
    assert records(found.files["anna/passages.jsonl"]) == [
        {
            **base,
            **{"start": 0, "end": 50, "level": 3, "entry_point": 60},
            **{"exact": "a" * 50, "suffix": "b" * 5},
        },
        {
            **base,
            **{"start": 60, "end": 70, "level": 1},
            **{"exact": "b" * 10, "prefix": "b" * 5, "suffix": "b" * 5},
        },
    ]


def test_a_document_without_relevant_text_is_assessed() -> None:
    found = export(
        [judged("anna", "ants", TEXT), judged("anna", "bees", TEXT, (0, 50, "2"))],
        CORPUS,
        SCHEMES["inex-2004"],
    )
    first, _ = records(found.files["anna/passages.jsonl"])
    assert first == {"topic": "1", "doc": "ants", "start": 0, "end": 100, "level": 0}
    assert found.files["anna/offsets.qrels"] == b"1 Q0 ants 0 100\n1 Q0 bees 50 100 -1 0:50\n"
    assert "anna/inex-2004: without assessed documents without relevant text" in found.notes


@pytest.mark.parametrize("scheme", [*SCHEMES.values(), LEVELS], ids=lambda scheme: scheme.name)
def test_all_files_are_read_again(tmp_path: Path, scheme: GradeScheme) -> None:
    grade = (scheme.values[0],) if scheme.values else ()
    notes = write(
        tmp_path / "out",
        [judged("anna", "ants", TEXT), judged("anna", "bees", TEXT, (5, 50, *grade), entry_point=7)],
        CORPUS,
        scheme,
    )
    passages = anchor(read_assessments(tmp_path / "out/anna/passages.jsonl"), CORPUS, Notes())
    spans = passages.spans("1")
    assert [(span.start, span.end) for span in spans["bees"]] == [(5, 50)]
    assert spans["bees"][0].exhaustivity == float(grade[0] if grade else 2)
    assert spans["ants"] == []
    assert passages.entry_points("1") == {"bees": 7}
    offsets = read_assessments(tmp_path / "out/anna/offsets.qrels")
    assert {name: list(spans) for name, spans in offsets.spans("1").items()} == {
        "ants": [],
        "bees": [(5, 50, 2.0)],
    }
    assert offsets.entry_points("1") == {"bees": 7}
    folders = {path.name for path in (tmp_path / "out/anna").iterdir() if path.is_dir()}
    if scheme.name == "levels":
        assert folders == set()
        assert "anna/inex-2005: not written; the format cannot hold these grades" in notes
    else:
        assert folders == {"inex-2004"} | ({"inex-2005"} if scheme.name != "inex-2004" else set())
    labels = {
        folder: {
            path: assessment.label
            for path, assessment in read_assessments(tmp_path / "out/anna" / folder)
            .files("1")["bees"]
            .items()
        }
        for folder in folders
    }
    # 45 of 50 characters are 90 %, and the passage is exhaustive in the whole article.
    for folder, expected in (
        ("inex-2004", {"/article[1]": "(3,1)", "/article[1]/p[1]": "(3,3)"}),
        ("inex-2005", {"/article[1]": "(2,0.45)", "/article[1]/p[1]": "(2,0.9)"}),
    ):
        assert labels.get(folder, expected) == expected


def test_text_that_is_too_small_is_unassessed_in_2005_and_not_relevant_elsewhere() -> None:
    found = export(
        [judged("anna", "bees", TEXT, (0, 10, "?"), (50, 100, "1"))], CORPUS, SCHEMES["inex-2005"]
    )
    assert records(found.files["anna/passages.jsonl"])[0]["level"] == 0
    xml = found.files["anna/inex-2005/1.xml"].decode()
    assert '<element path="/article[1]/p[1]" exhaustivity="?" size="50" rsize="10"/>' in xml
    assert '<element path="/article[1]" exhaustivity="1" size="100" rsize="60"/>' in xml
    assert "/p[1]" not in found.files["anna/inex-2004/1.xml"].decode()
    assert found.files["anna/offsets.qrels"] == b"1 Q0 bees 50 100 -1 50:50\n"
    assert "anna/offsets.qrels: without highlights with the grade ?" in found.notes


def test_remarks_and_time_of_all_documents_are_written() -> None:
    first, second = judged("anna", "bees", TEXT, (0, 9)), judged("anna", "ants", TEXT, finished=False)
    first = first._replace(judgement=replace(first.judgement, note='"no"\n', unsure=True, seconds=61))
    second = second._replace(judgement=replace(second.judgement, skipped=True, words_marked=True))
    found = export([first, second, judged("ben", "ants", TEXT)], CORPUS, SCHEMES["none"])
    base = {"topic": "1", "unsure": False, "note": "", "seconds": 0, "words_marked": False}
    assert records(found.files["anna/remarks.jsonl"]) == [
        {**base, "doc": "bees", "finished": True, "unsure": True, "skipped": False}
        | {"note": '"no"\n', "seconds": 61},
        {**base, "doc": "ants", "finished": False, "skipped": True, "words_marked": True},
    ]
    assert "ben/remarks.jsonl" not in found.files


def test_a_gold_is_exported_without_remarks() -> None:
    first, second = judged("anna", "bees", TEXT, (0, 9)), judged("anna", "ants", TEXT, (0, 9))
    first = first._replace(judgement=replace(first.judgement, note="why?"))
    judgements = [first, second, judged("ben", "ants", TEXT, (5, 12), finished=False)]
    found = export(judgements, CORPUS, SCHEMES["none"], "union")
    names = {"passages.jsonl", "inex-2004/1.xml", "inex-2005/1.xml", "offsets.qrels"}
    assert set(found.files) == {f"union/{name}" for name in names}
    assert found.notes[:3] == [
        "ben: started documents that are not finished, left out: ants (topic 1)",
        "ben: no finished document, so nothing is written",
        "documents that one assessor has finished, as in that judgement: "
        "ants (topic 1), bees (topic 1)",
    ]


def test_adjudicated_gold_has_the_decisions_with_their_authors() -> None:
    judgements = [
        judged("anna", "bees", TEXT, (0, 10, "2"), entry_point=0),
        judged("ben", "bees", TEXT, (0, 10, "1"), entry_point=5),
    ]
    [different] = disagreements(judgements, "1", CORPUS, {})
    keys = [("1", "bees", one.key) for one in different.disagreements]
    passage, point = Decision("2", "chris", "2026-01-01"), Decision(None, "dora", "2026-01-02")
    decisions = {keys[0]: passage, keys[1]: point, ("1", "bees", "outdated"): passage}
    found = export(judgements, CORPUS, SCHEMES["inex-2005"], "adjudicated", decisions)
    document = {"topic": "1", "doc": "bees"}
    assert records(found.files["adjudicated/decisions.jsonl"]) == [
        {**document, "start": 0, "end": 10, "labels": {"anna": "2", "ben": "1"}}
        | {"label": "2", "author": "chris", "time": "2026-01-01"},
        {**document, "start": 0, "end": 0, "labels": {"anna": "0", "ben": "5"}}
        | {"label": None, "author": "dora", "time": "2026-01-02"},
    ]
    others = export(judgements, CORPUS, SCHEMES["inex-2005"], "union", decisions)
    assert "union/decisions.jsonl" not in others.files


def test_unfinished_documents_are_left_out() -> None:
    found = export(
        [
            judged("anna", "bees", TEXT, (0, 9), finished=False),
            judged("anna", "ants", TEXT, finished=False),
            judged("ben", "bees", TEXT, (0, 9), finished=False),
            judged("ben", "ants", TEXT),
        ],
        CORPUS,
        SCHEMES["none"],
    )
    assert {name.partition("/")[0] for name in found.files} == {"ben"}
    assert len(records(found.files["ben/passages.jsonl"])) == 1
    assert found.notes[:2] == [
        "anna: started documents that are not finished, left out: bees (topic 1)",
        "anna: no finished document, so nothing is written",
    ]


def test_names_with_white_space_prevent_offset_qrels_only() -> None:
    corpus = Corpus.of({"honey bees": DOCUMENT})
    found = export([judged("anna", "honey bees", TEXT, (0, 9))], corpus, SCHEMES["none"])
    assert "anna/offsets.qrels" not in found.files
    assert any(note.startswith("anna/offsets.qrels: not written; ") for note in found.notes)
    assert records(found.files["anna/passages.jsonl"])[0]["doc"] == "honey bees"


def test_a_passage_of_more_than_a_megabyte_is_written_without_its_text(tmp_path: Path) -> None:
    corpus = Corpus.of({"bees": "ä" * 600_000})
    text = corpus.tree("bees").text
    notes = write(
        tmp_path / "out", [judged("anna", "bees", text, (0, 600_000))], corpus, SCHEMES["none"]
    )
    base = anchor(read_assessments(tmp_path / "out/anna/passages.jsonl"), corpus, Notes())
    assert [(span.start, span.end) for span in base.spans("1")["bees"]] == [(0, 600_000)]
    assert "anna/passages.jsonl: without the text of passages of 1 MB or more" in notes


def test_names_cannot_leave_the_folder(tmp_path: Path) -> None:
    names = ["../../etc", "..", ".", "/root", "C:\\temp", "a/b", "nul", "COM1.txt", "x.", "-rf"]
    documents = [judged(name, "bees", TEXT, (0, 9), topic=f"../{name}") for name in names]
    write(tmp_path / "out", documents, CORPUS, SCHEMES["none"])
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    folders = {path.name for path in (tmp_path / "out").iterdir()}
    assert len(folders) == len(names)
    expected = "%2E%2E %2E %2Froot C%3A%5Ctemp %6Eul %43OM1.txt x%2E %2Drf"
    assert set(expected.split()) <= folders
    assert len(list((tmp_path / "out").rglob("inex-2005/*.xml"))) == len(names)


def test_names_that_differ_in_case_or_form_have_different_files() -> None:
    names = ["Anna", "anna", "ANNA", "a" * 200, "a" * 201, "é", "e\u0301", "ﬁ", "fi", "a b", "a%20b"]
    found = file_names(names)
    assert len({name.casefold() for name in found.values()}) == len(names)
    assert all(len(name.encode()) <= 100 for name in found.values())
    assert file_names(names) == found


def test_an_export_is_written_to_a_new_or_empty_folder(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    documents = [judged("anna", "bees", TEXT, (0, 9))]
    for folder in (tmp_path / "below/out", tmp_path / "out"):
        write(folder, documents, CORPUS, SCHEMES["none"])
        assert (folder / "anna/passages.jsonl").is_file()
        with pytest.raises(InputError, match="the folder is not empty: expected a new folder"):
            write(folder, documents, CORPUS, SCHEMES["none"])


def test_an_export_that_fails_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written = []

    def fail(path: Path, content: bytes) -> int:
        written.append(path)
        if len(written) == 2:
            raise OSError(28, "No space left on device")
        return 0

    monkeypatch.setattr(Path, "write_bytes", fail)
    with pytest.raises(InputError, match="cannot write the export: No space left on device"):
        write(tmp_path / "out", [judged("anna", "bees", TEXT, (0, 9))], CORPUS, SCHEMES["none"])
    assert list(tmp_path.iterdir()) == []


def test_an_export_without_judgements_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(XcgError, match="no assessor has finished a document: nothing to export"):
        write(tmp_path / "out", [], CORPUS, SCHEMES["none"])
    (tmp_path / "file").touch()
    for name in ("file", "file/out"):
        with pytest.raises(InputError, match="file"):
            write(tmp_path / name, [judged("anna", "bees", TEXT)], CORPUS, SCHEMES["none"])


def test_equal_judgements_give_equal_archives() -> None:
    documents = [judged("anna", "bees", TEXT, (0, 9, "3"))]
    content = export_archive(export(documents, CORPUS, SCHEMES["inex-2004"]))
    assert content == export_archive(export(documents, CORPUS, SCHEMES["inex-2004"]))
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert "anna/passages.jsonl" in archive.namelist()
        assert b"anna/inex-2005: not written" in archive.read("notes.txt")
