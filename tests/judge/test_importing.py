"""Imports: formats, placing by quotes, conflicts, and the handbook's assessors."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from conftest import ROOT
from hypothesis import given
from hypothesis import strategies as st
from judge_examples import judged

from xcg.documents.corpus import Corpus
from xcg.errors import InputError
from xcg.formats.topic_files import read_topics
from xcg.judge.exchange import export, import_assessments, write_export
from xcg.judge.judgement import JudgedDocument
from xcg.judge.settings import SCHEMES, Grades
from xcg.judge.store import Store

BEES = "Bees dance. They waggle in the dark hive. Bees dance. They also sting."
CORPUS = Corpus.of({"bees": BEES, "ants": "Ants walk."})
NONE, INEX_2004 = SCHEMES["none"], SCHEMES["inex-2004"]
LEVELS = {"1": "", "5": ""}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "judgements.sqlite", CORPUS) as store:
        yield store


def write(folder: Path, *records: dict[str, object], name: str = "in.jsonl") -> Path:
    path = folder / name
    path.write_text("".join(f"{json.dumps({'topic': '1', **record})}\n" for record in records))
    return path


def take(store: Store, path: Path, scheme: Grades = NONE, assessor: str = "anna") -> str:
    return import_assessments(path, store, assessor, CORPUS, scheme, ["1", "2"])


def content(store: Store, document: str = "bees", assessor: str = "anna") -> object:
    judgement = store.judgement(assessor, "1", document)
    spans = [(one.start, one.end, one.grade) for one in judgement.placed]
    return spans, judgement.finished


def test_passages_are_placed_and_their_documents_finished(store: Store, tmp_path: Path) -> None:
    path = write(
        tmp_path,
        {"doc": "bees", "start": 0, "end": 11, "text": "Bees dance.", "entry_point": 12},
        {"doc": "bees.xml", "exact": "they  waggle"},
        {"doc": "bees", "start": 54, "end": 69},
        {"doc": "ants", "start": 0, "end": 10, "level": 0},
    )
    assert (
        take(store, path)
        == "imported 3 highlights in 2 judged documents; best entry points are left out"
    )
    assert content(store) == ([(0, 11, None), (12, 23, None), (54, 69, None)], True)
    assert content(store, "ants") == ([], True)
    assert store.assignments() == {"anna": ["1"]}
    assert {one.name for one in store.pool("1")} == {"bees", "ants"}
    assert store.judgement("anna", "1", "bees").highlights[0].quote.exact == "Bees dance."


@pytest.mark.parametrize(
    ("scheme", "fields", "grade"),
    [
        (NONE, {}, None),
        (NONE, {"exhaustivity": 2}, None),
        (INEX_2004, {"exhaustivity": 3}, "3"),
        (INEX_2004, {"level": 1.0}, "1"),
        (LEVELS, {"level": 5}, "5"),
    ],
)
def test_grades_have_the_scheme_of_the_configuration(
    store: Store, tmp_path: Path, scheme: Grades, fields: dict[str, object], grade: str | None
) -> None:
    take(store, write(tmp_path, {"doc": "bees", "start": 0, "end": 11, **fields}), scheme)
    assert content(store) == ([(0, 11, grade)], True)


@pytest.mark.parametrize(
    ("record", "message"),
    [
        (
            {"doc": "bees", "start": 0, "end": 71},
            "in.jsonl:2: the passage 0–71 is empty or not in the document: .* 70 characters",
        ),
        ({"doc": "bees", "start": 9, "end": 3}, "in.jsonl:2: start 9 and end 3"),
        ({"doc": "bees", "start": 0}, "in.jsonl:2: the field 'end' is missing"),
        ({"doc": "bees"}, "in.jsonl:2: the field 'start' is missing"),
        ({"doc": "bees", "text": " "}, "in.jsonl:2: the text of the passage is empty"),
        ({"doc": "bees", "text": "Wasps sting."}, "in.jsonl:2: bees does not contain 'Wasps sting.'"),
        ({"doc": "bees", "text": "Bees dance."}, r"in.jsonl:2: 2 occurrences \(at 0–11, 42–53\)"),
        ({"doc": "wasps", "start": 0, "end": 1}, "in.jsonl:2: the corpus has no document 'wasps'"),
        ({"doc": "bees", "start": 0, "end": 1, "topic": "11"}, "in.jsonl:2: unknown topic '11'"),
        ({"doc": "bees", "start": 0, "end": 1, "level": 3}, "in.jsonl:2: a passage with the grade 3"),
        ({"doc": "bees", "start": 0, "end": 1, "level": 1, "exhaustivity": 1}, "expected one of them"),
        ({"doc": "bees", "path": "/article[1]", "level": 1}, "in.jsonl:2: an assessed element"),
        ({"doc": "bees", "start": 0, "end": 1, "grade": 1}, "in.jsonl:2: unknown field 'grade'"),
        (
            {"doc": "bees", "start": 2, "end": 13, "text": "They waggle"},
            "not 'They waggle', which is at 12–23; xcg place --update moves",
        ),
    ],
)
def test_illegal_records_import_nothing(
    store: Store, tmp_path: Path, record: dict[str, object], message: str
) -> None:
    path = write(tmp_path, {"doc": "ants", "start": 0, "end": 4}, record)
    with pytest.raises(InputError, match=message):
        take(store, path)
    assert list(store.judgements()) == []
    assert store.topics() == []


def test_passages_that_contradict_each_other_are_an_error(store: Store, tmp_path: Path) -> None:
    first = {"doc": "bees", "start": 0, "end": 11, "level": 5}
    for changed, message in (
        (
            {"start": 5, "end": 20, "level": 1},
            "in.jsonl:1: the highlight 5–20 overlaps .* 0–11",
        ),
    ):
        with pytest.raises(InputError, match=message):
            take(store, write(tmp_path, first, {**first, **changed}), LEVELS)


def test_other_formats_are_refused(store: Store, tmp_path: Path) -> None:
    path = tmp_path / "in.qrels"
    path.write_text("1 Q0 bees 11 70 -1 0:11\n")
    with pytest.raises(InputError, match=r"in\.qrels:1: .*JSON"):
        take(store, path)
    assert list(store.judgements()) == []


def test_a_judgement_is_never_overwritten(store: Store, tmp_path: Path) -> None:
    take(store, write(tmp_path, {"doc": "bees", "start": 0, "end": 11}))
    path = write(tmp_path, {"doc": "ants", "start": 0, "end": 4}, {"doc": "bees", "start": 0, "end": 4})
    with pytest.raises(InputError, match=r"in.jsonl:2: anna has judged bees for topic 1"):
        take(store, path)
    assert content(store) == ([(0, 11, None)], True)
    take(store, path, assessor="ben")
    assert content(store, assessor="ben") == ([(0, 4, None)], True)


def test_the_assessors_of_the_handbook_survive_export_and_import(tmp_path: Path) -> None:
    corpus = Corpus(ROOT / "corpora_samples/handbook")
    topics = list(read_topics(ROOT / "corpora_samples/handbook-topics"))
    folder = ROOT / "assessments/handbook-highlights"
    sources = {"first": folder / "first.jsonl", "second": folder / "second.jsonl"}
    with Store(tmp_path / "one.sqlite", corpus) as one, Store(tmp_path / "two.sqlite", corpus) as two:
        for name, path in sources.items():
            found = import_assessments(path, one, name, corpus, INEX_2004, topics)
            count = len(path.read_text().splitlines())
            assert found.startswith(f"imported {count} highlights in ")
        write_export(tmp_path / "one", export(one.judgements(), corpus, INEX_2004))
        for name in sources:
            exported = tmp_path / "one" / name / "passages.jsonl"
            import_assessments(exported, two, name, corpus, INEX_2004, topics)
        stores = [{tuple(one[:3]): one.judgement for one in store.judgements()} for store in (one, two)]
    assert stores[0] == stores[1]


def test_too_many_highlights_name_their_file(tmp_path: Path) -> None:
    corpus = Corpus.of({"long": "a " * 6000})
    path = write(tmp_path, *({"doc": "long", "start": i, "end": i + 1} for i in range(0, 10_002, 2)))
    with (
        Store(tmp_path / "long.sqlite", corpus) as other,
        pytest.raises(InputError, match=r"in\.jsonl:1: .*5000 highlights"),
    ):
        import_assessments(path, other, "anna", corpus, NONE, ["1"])


@st.composite
def judgements(draw: st.DrawFn) -> tuple[Grades, list[JudgedDocument]]:
    scheme = draw(st.sampled_from([NONE, INEX_2004, LEVELS]))
    found = []
    for topic in ("1", "2"):
        for document in ("bees", "ants"):
            text = CORPUS.tree(document).text
            bounds = sorted(draw(st.sets(st.integers(0, len(text)), max_size=8)))
            marked: list[tuple[int, int] | tuple[int, int, str]] = [
                (start, end, draw(st.sampled_from([*scheme]))) if scheme else (start, end)
                for start, end in pairwise(bounds)
                if text[start:end].strip() and draw(st.booleans())
            ]
            found.append(judged("anna", document, text, *marked, topic=topic))
    return scheme, found


@given(judgements())
def test_any_export_is_imported_without_a_difference(
    example: tuple[Grades, list[JudgedDocument]],
) -> None:
    scheme, documents = example

    def contents(found: Iterable[JudgedDocument]) -> dict[object, object]:
        return {
            (one.topic, one.document): (
                [(mark.start, mark.end, mark.grade) for mark in one.judgement.highlights],
                one.judgement.finished,
            )
            for one in found
        }

    with TemporaryDirectory() as folder:
        exported = export(documents, CORPUS, scheme)
        path = Path(folder, "passages.jsonl")
        path.write_bytes(exported.files["anna/passages.jsonl"])
        with Store(Path(folder, "judgements.sqlite"), CORPUS) as store:
            take(store, path, scheme)
            assert contents(store.judgements()) == contents(documents)
