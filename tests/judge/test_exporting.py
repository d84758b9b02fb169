"""Exports: what each format holds for each scheme of grades, file names, and incomplete exports."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from judge_examples import judged

from xcg.documents.corpus import Corpus
from xcg.errors import InputError, Notes, XcgError
from xcg.formats.base import read_assessments
from xcg.judge.agreement import disagreements
from xcg.judge.exchange import export, file_names, write_export
from xcg.judge.judgement import Decision
from xcg.judge.settings import SCHEMES, Grades
from xcg.judgements.anchoring import anchor

DOCUMENT = f"<article><p>{'a' * 50}</p><p>{'b' * 50}</p></article>"
CORPUS = Corpus.of({"bees": DOCUMENT, "ants": DOCUMENT})
TEXT = CORPUS.tree("bees").text
LEVELS = {"1": "marginal", "2": "good", "3": "perfect"}


def write(folder: Path, *arguments: Any) -> list[str]:
    """Write an export, and return its notes."""
    found = export(*arguments)
    write_export(folder, found)
    return found.notes


def records(content: bytes) -> list[dict[str, object]]:
    return [json.loads(line) for line in content.splitlines()]


def test_passages_have_their_quote_and_grade() -> None:
    found = export(
        [judged("anna", "bees", TEXT, (0, 50, "3"), (60, 70, "1"))],
        CORPUS,
        SCHEMES["inex-2004"],
    )
    base = {"topic": "1", "doc": "bees"}
    assert records(found.files["anna/passages.jsonl"]) == [
        {
            **base,
            **{"start": 0, "end": 50, "level": 3},
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


@pytest.mark.parametrize("grades", [*SCHEMES.values(), LEVELS], ids=len)
def test_all_files_are_read_again(tmp_path: Path, grades: Grades) -> None:
    grade = list(grades)[:1]
    notes = write(
        tmp_path / "out",
        [judged("anna", "ants", TEXT), judged("anna", "bees", TEXT, (5, 50, *grade))],
        CORPUS,
        grades,
    )
    assert notes == []
    passages = anchor(read_assessments(tmp_path / "out/anna/passages.jsonl"), CORPUS, Notes())
    spans = passages.spans["1"]
    assert [(span.start, span.end) for span in spans["bees"]] == [(5, 50)]
    assert spans["bees"][0].exhaustivity == float(grade[0] if grade else 2)
    assert spans["ants"] == []
    folder = tmp_path / "out/anna/inex-2004"
    assert folder.exists() == (grades is SCHEMES["inex-2004"])
    if folder.exists():
        elements = read_assessments(folder).files["1"]["bees"]
        # 45 of 50 characters are 90 %, and the passage is exhaustive in the whole article.
        expected = {"/article[1]": "(3,1)", "/article[1]/p[1]": "(3,3)"}
        assert {path: one.label for path, one in elements.items()} == expected


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
    assert set(found.files) == {"union/passages.jsonl"}
    assert found.notes == [
        "ben: started documents that are not finished, left out: ants (topic 1)",
        "ben: no finished document, so nothing is written",
        "documents that one assessor has finished, as in that judgement: "
        "ants (topic 1), bees (topic 1)",
    ]


def test_adjudicated_gold_has_the_decisions_with_their_authors() -> None:
    judgements = [
        judged("anna", "bees", TEXT, (0, 10, "2")),
        judged("ben", "bees", TEXT, (0, 10, "1"), (20, 30, "1")),
    ]
    [different] = disagreements(judgements, "1", CORPUS, {})
    keys = [("1", "bees", one.key) for one in different.disagreements]
    first, second = Decision("2", "chris", "2026-01-01"), Decision(None, "dora", "2026-01-02")
    decisions = {keys[0]: first, keys[1]: second, ("1", "bees", "outdated"): first}
    found = export(judgements, CORPUS, SCHEMES["inex-2004"], "adjudicated", decisions)
    document = {"topic": "1", "doc": "bees"}
    assert records(found.files["adjudicated/decisions.jsonl"]) == [
        {**document, "start": 0, "end": 10, "labels": {"anna": "2", "ben": "1"}}
        | {"label": "2", "author": "chris", "time": "2026-01-01"},
        {**document, "start": 20, "end": 30, "labels": {"anna": None, "ben": "1"}}
        | {"label": None, "author": "dora", "time": "2026-01-02"},
    ]
    others = export(judgements, CORPUS, SCHEMES["inex-2004"], "union", decisions)
    assert "union/decisions.jsonl" not in others.files


def test_unfinished_documents_and_those_with_other_grades_are_left_out() -> None:
    found = export(
        [
            judged("anna", "bees", TEXT, (0, 9), finished=False),
            judged("anna", "ants", TEXT, finished=False),
            judged("ben", "bees", TEXT, (0, 9), finished=False),
            judged("ben", "ants", TEXT),
            judged("cem", "ants", TEXT, (0, 9, "3")),
        ],
        CORPUS,
        SCHEMES["none"],
    )
    assert {name.partition("/")[0] for name in found.files} == {"ben"}
    assert len(records(found.files["ben/passages.jsonl"])) == 1
    problems = (
        "started documents that are not finished, left out: bees (topic 1)",
        "documents left out because a grade is not among those of the configuration: ants (topic 1)",
    )
    nothing = "no finished document, so nothing is written"
    assert found.notes[:2] == [f"anna: {problems[0]}", f"anna: {nothing}"]
    assert found.notes[-2:] == [f"cem: {problems[1]}", f"cem: {nothing}"]


def test_a_passage_of_more_than_a_megabyte_is_written_without_its_text(tmp_path: Path) -> None:
    corpus = Corpus.of({"bees": "ä" * 600_000})
    text = corpus.tree("bees").text
    notes = write(
        tmp_path / "out", [judged("anna", "bees", text, (0, 600_000))], corpus, SCHEMES["none"]
    )
    base = anchor(read_assessments(tmp_path / "out/anna/passages.jsonl"), corpus, Notes())
    assert [(span.start, span.end) for span in base.spans["1"]["bees"]] == [(0, 600_000)]
    assert "anna/passages.jsonl: without the text of passages of 1 MB or more" in notes


def test_names_cannot_leave_the_folder(tmp_path: Path) -> None:
    names = ["../../etc", "..", ".", "/root", "C:\\temp", "a/b", "nul", "COM1.txt", "x.", "-rf"]
    documents = [judged(name, "bees", TEXT, (0, 9, "1"), topic=f"../{name}") for name in names]
    write(tmp_path / "out", documents, CORPUS, SCHEMES["inex-2004"])
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    folders = {path.name for path in (tmp_path / "out").iterdir()}
    assert len(folders) == len(names)
    expected = "%2E%2E %2E %2Froot C%3A%5Ctemp %6Eul %43OM1.txt x%2E %2Drf"
    assert set(expected.split()) <= folders
    assert len(list((tmp_path / "out").rglob("inex-2004/*.xml"))) == len(names)


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
    documents = [judged("anna", "bees", TEXT, (0, 9, "1"))]
    with pytest.raises(InputError, match="cannot write the export: No space left on device"):
        write(tmp_path / "out", documents, CORPUS, SCHEMES["inex-2004"])
    assert list(tmp_path.iterdir()) == []


def test_an_export_without_judgements_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(XcgError, match="no assessor has finished a document: nothing to export"):
        write(tmp_path / "out", [], CORPUS, SCHEMES["none"])
    (tmp_path / "file").touch()
    for name in ("file", "file/out"):
        with pytest.raises(InputError, match="file"):
            write(tmp_path / name, [judged("anna", "bees", TEXT)], CORPUS, SCHEMES["none"])
