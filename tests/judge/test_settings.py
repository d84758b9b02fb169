"""The configuration of xcg judge: its defaults, and one message for each mistake."""

from __future__ import annotations

from pathlib import Path

import pytest

from xcg.errors import InputError
from xcg.judge.settings import SCHEMES, Settings, load_settings
from xcg.settings.loading import stated

MINIMUM = "corpus: docs\ntopics: {files: topics.csv}\n"


def settings_of(folder: Path, text: str, *set: str) -> Settings:
    path = folder / "judge.yaml"
    path.write_text(text, encoding="utf-8")
    return load_settings(stated(path, set))


def test_only_corpus_and_topics_are_required(tmp_path: Path) -> None:
    settings = settings_of(tmp_path, MINIMUM)
    assert settings.corpus == tmp_path / "docs"
    assert settings.topics == [tmp_path / "topics.csv"]
    assert (*settings.runs, settings.depth, settings.seed, settings.second_share) == (20, 0, 0)
    assert settings.assessors == ("assessor",)
    assert settings.grades is SCHEMES["inex-2004"]
    assert settings.store == tmp_path / "judge.sqlite"
    assert settings.document is None


def test_every_key_is_read(tmp_path: Path) -> None:
    text = """corpus: docs
topics: {files: [a.xml, b.csv]}
runs: [runs/*.xml]
document: source
judge:
  depth: 5
  grades: {levels: {1: marginal, 2: good}}
  assessors: [anna, ben]
  second_share: 0.2
  store: kept.sqlite
  seed: 7
"""
    settings = settings_of(tmp_path, text)
    assert settings.topics == [tmp_path / "a.xml", tmp_path / "b.csv"]
    assert settings.runs == [tmp_path / "runs/*.xml"]
    assert (settings.depth, settings.seed, settings.second_share) == (5, 7, 0.2)
    assert settings.assessors == ("anna", "ben")
    assert list(settings.grades.items()) == [("1", "marginal"), ("2", "good")]
    assert settings.store == tmp_path / "kept.sqlite"
    assert settings.document == "source"
    assert settings.where("runs") == f"{tmp_path / 'judge.yaml'}:3: runs"


def test_grades_are_offered_in_the_order_of_the_scheme(tmp_path: Path) -> None:
    for written, values in (("inex-2004", "321"), ("{levels: [2, 1]}", "21")):
        settings = settings_of(tmp_path, MINIMUM, f"judge.grades={written}")
        assert "".join(settings.grades) == values


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("assesors: [anna]", "assesors: unknown key: did you mean 'assessors'?"),
        ("depth: 0", "depth: expected a whole number from 1 to 1,000,000, found int 0"),
        ("grades: inex-2006", "grades: unknown grades 'inex-2006': did you mean 'inex-2004'?"),
        ("grades: 3", "grades: expected inex-2004, none, {levels: [1, 2, 3]} or"),
        ("grades: {level: [1]}", "grades: expected inex-2004, none, {levels:"),
        ("grades: {levels: 3}", "grades: expected inex-2004, none, {levels:"),
        ("grades: {levels: []}", "grades: 0 levels: expected 1 to 9"),
        ("grades: {levels: [1, 2, 1]}", "grades: a level occurs twice"),
        ("grades: {levels: [0]}", "grades: illegal level 0: expected a whole number from 1"),
        ("grades: {levels: [good]}", "grades: illegal level 'good': expected a whole number"),
        ("grades: {levels: {1: 2}}", "grades: expected a label, found 2"),
        ("assessors: [' anna']", "assessors: illegal name ' anna': expected at most 100 visible"),
        ('assessors: ["a\\u202eb"]', "assessors: illegal name"),
        ("assessors: [anna, anna]", "assessors: a name occurs twice"),
        (f"assessors: [{'a' * 101}]", "assessors: illegal name"),
        ("second_share: .nan", "second_share: expected a number from 0 to 1, found float nan"),
        ("second_share: 0.5", "second_share: needs a second assessor: expected two or more"),
    ],
)
def test_a_mistake_is_reported_with_file_line_and_key(tmp_path: Path, line: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        settings_of(tmp_path, f"{MINIMUM}judge:\n  {line}\n")
    assert str(caught.value).startswith(f"{tmp_path / 'judge.yaml'}:4: judge.{message}")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("topics: {files: t.csv}\n", "judge.yaml:1: the key 'corpus' is missing"),
        ("corpus: docs\n", "judge.yaml:1: the key 'topics.files' is missing"),
        (f"{MINIMUM}document: names.csv\n", "names.csv: cannot read"),
        (f"{MINIMUM}judge: anna\n", "judge.yaml:3: judge: expected keys with values"),
    ],
)
def test_a_missing_key_or_file_is_reported(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        settings_of(tmp_path, text)


def test_an_error_about_a_named_file_has_the_position_of_its_key(tmp_path: Path) -> None:
    settings = settings_of(tmp_path, MINIMUM)
    from xcg.documents.corpus import Corpus

    with pytest.raises(InputError, match=r"judge\.yaml:1: corpus: .*docs"), settings.locating("corpus"):
        Corpus(settings.corpus)


@pytest.mark.parametrize("store", ["../store.sqlite", "/tmp/store.sqlite", "link/store.sqlite"])
def test_a_store_outside_the_folder_must_be_named_by_the_user(tmp_path: Path, store: str) -> None:
    folder = tmp_path / "campaign"
    folder.mkdir()
    (folder / "link").symlink_to(tmp_path)
    text = f"{MINIMUM}judge: {{store: {store}}}\n"
    message = r"judge\.yaml:3: judge.store: .*outside the folder .*--set judge.store=FILE"
    with pytest.raises(InputError, match=message):
        settings_of(folder, text)
    (folder / "judge.sqlite").symlink_to(tmp_path / "store.sqlite")
    with pytest.raises(InputError, match=r"judge\.yaml:1: judge.store: .*outside the folder"):
        settings_of(folder, MINIMUM)
    named = settings_of(folder, text, f"judge.store={tmp_path / 's.sqlite'}")
    assert named.store == tmp_path / "s.sqlite"
