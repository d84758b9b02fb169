"""The configuration of xcg judge: its defaults, and one message for each mistake."""

from __future__ import annotations

from pathlib import Path

import pytest

from xcg.errors import InputError
from xcg.judge.grades import SCHEMES, Grade
from xcg.judge.settings import load_settings

MINIMUM = "corpus: docs\ntopics: topics.csv\n"


def settings_file(folder: Path, text: str) -> Path:
    path = folder / "judge.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def test_only_corpus_and_topics_are_required(tmp_path: Path) -> None:
    settings = load_settings(settings_file(tmp_path, MINIMUM))
    assert settings.corpus == tmp_path / "docs"
    assert settings.topics == (tmp_path / "topics.csv",)
    assert (settings.runs, settings.depth, settings.seed, settings.second_share) == ((), 20, 0, 0)
    assert settings.assessors == ("assessor",)
    assert settings.grades is SCHEMES["inex-2004"]
    assert settings.store == tmp_path / "judge.sqlite"
    assert settings.document is None


def test_every_key_is_read(tmp_path: Path) -> None:
    text = (
        "corpus: docs\n"
        "topics: [a.xml, b.csv]\n"
        "runs: [runs/*.xml]\n"
        "depth: 5\n"
        "grades: {levels: {1: marginal, 2: good}}\n"
        "assessors: [anna, ben]\n"
        "second_share: 0.2\n"
        "store: kept.sqlite\n"
        "seed: 7\n"
        "document: source\n"
    )
    settings = load_settings(settings_file(tmp_path, text))
    assert settings.topics == (tmp_path / "a.xml", tmp_path / "b.csv")
    assert settings.runs == (tmp_path / "runs/*.xml",)
    assert (settings.depth, settings.seed, settings.second_share) == (5, 7, 0.2)
    assert settings.assessors == ("anna", "ben")
    assert settings.grades.grades == (Grade("1", "marginal"), Grade("2", "good"))
    assert settings.store == tmp_path / "kept.sqlite"
    assert settings.document == "source"
    assert settings.where("runs") == f"{tmp_path / 'judge.yaml'}:3: runs"


@pytest.mark.parametrize(
    ("written", "values"),
    [
        ("inex-2004", ("3", "2", "1")),
        ("inex-2005", ("2", "1", "?")),
        ("none", ()),
        ("{levels: [1, 2, 3]}", ("1", "2", "3")),
        ("{levels: [2, 1]}", ("2", "1")),
    ],
)
def test_grades_are_offered_in_the_order_of_the_scheme(
    tmp_path: Path, written: str, values: tuple[str, ...]
) -> None:
    settings = load_settings(settings_file(tmp_path, f"{MINIMUM}grades: {written}\n"))
    assert settings.grades.values == values


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("assesors: [anna]", "3: assesors: unknown key: did you mean 'assessors'?"),
        ("depth: 0", "3: depth: illegal value 0: expected a whole number from 1 to 1,000,000"),
        ("depth: true", "3: depth: illegal value True: expected a whole number from 1 to 1,000,000"),
        ("seed: -1", "3: seed: illegal value -1: expected a whole number from 0 to"),
        ("runs: []", "3: runs: expected at least one path"),
        ("store: 3", "3: store: expected text, found int 3"),
        ("grades: inex-2006", "3: grades: unknown grades 'inex-2006': did you mean 'inex-200"),
        ("grades: 3", "3: grades: expected inex-2004, inex-2005, none or {levels: [1, 2, 3]}"),
        ("grades: {level: [1]}", "3: grades: expected inex-2004, inex-2005, none or {levels:"),
        ("grades: {levels: 3}", "3: grades: expected levels such as [1, 2, 3] or {1: marginal"),
        ("grades: {levels: []}", "3: grades: 0 levels: expected 1 to 9"),
        ("grades: {levels: [1, 2, 1]}", "3: grades: a level occurs twice"),
        ("grades: {levels: [0]}", "3: grades: illegal level 0: expected a whole number from 1"),
        ("grades: {levels: [good]}", "3: grades: illegal level 'good': expected a whole number"),
        ("grades: {levels: {1: ''}}", "3: grades: expected text, found str ''"),
        ("assessors: []", "3: assessors: expected a list of 1 to 100 names such as [anna, ben]"),
        ("assessors: ['']", "3: assessors: illegal name '': expected text without spaces at"),
        ("assessors: [' anna']", "3: assessors: illegal name ' anna': expected text without"),
        ('assessors: ["a\\u202eb"]', "3: assessors: illegal name"),
        ("assessors: [anna, Anna]", "3: assessors: the names 'anna' and 'Anna' differ in case only"),
        ("assessors: [anna, anna]", "3: assessors: the name 'anna' occurs twice"),
        (f"assessors: [{'a' * 101}]", "3: assessors: a name has 101 characters: expected at most 100"),
        ("second_share: 2", "3: second_share: illegal value 2: expected a number from 0 to 1"),
        ("second_share: .nan", "3: second_share: illegal value nan: expected a number from 0 to 1"),
        ("second_share: 0.5", "3: second_share: needs a second assessor: expected two or more"),
        ("document: names.csv", "names.csv"),
        ("assessments: a.xml", "3: assessments: a configuration of an evaluation; expected one of"),
    ],
)
def test_a_mistake_is_reported_with_file_line_and_key(tmp_path: Path, line: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        load_settings(settings_file(tmp_path, f"{MINIMUM}{line}\n"))
    assert str(caught.value).startswith(str(tmp_path))
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("topics: t.csv\n", "the key 'corpus' is missing"),
        ("corpus: docs\n", "the key 'topics' is missing"),
        ("just text\n", "expected keys with values"),
        ("", "expected keys with values"),
    ],
)
def test_a_missing_key_is_reported(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        load_settings(settings_file(tmp_path, text))


def test_an_error_about_a_named_file_has_the_position_of_its_key(tmp_path: Path) -> None:
    settings = load_settings(settings_file(tmp_path, MINIMUM))
    from xcg.documents.corpus import Corpus

    with pytest.raises(InputError, match=r"judge\.yaml:1: corpus: .*docs"), settings.locating("corpus"):
        Corpus(settings.corpus)


@pytest.mark.parametrize("stated", ["../store.sqlite", "/tmp/store.sqlite", "link/store.sqlite"])
def test_a_store_outside_the_folder_must_be_named_by_the_user(tmp_path: Path, stated: str) -> None:
    folder = tmp_path / "campaign"
    folder.mkdir()
    (folder / "link").symlink_to(tmp_path)
    config = folder / "judge.yaml"
    config.write_text(f"corpus: docs\ntopics: topics.csv\nstore: {stated}\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"judge\.yaml:3: store: .*outside the folder .*--store"):
        load_settings(config)
    assert load_settings(config, tmp_path / "s.sqlite").store == tmp_path / "s.sqlite"
