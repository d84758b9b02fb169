"""What a user states: YAML files and records, ``--set``, options and Python keywords."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from xcg.errors import InputError, XcgError
from xcg.settings.keys import Settings
from xcg.settings.loading import Stated, stated


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "c.yaml"
    path.write_text("runs: [a.run]\nmeasures: MAep\ncompare:\n  test: wilcoxon\n  seed: 3\n")
    return path


def test_without_a_file_every_key_has_its_default() -> None:
    assert asdict(stated().settings()) == asdict(Settings())


def test_a_file_states_keys_with_their_lines(file: Path) -> None:
    found = stated(file)
    settings = found.settings()
    assert (settings.runs, settings.measures) == ([file.parent / "a.run"], "MAep")
    assert (settings.compare.test, settings.compare.seed, settings.compare.table) == (
        "wilcoxon",
        3,
        "pairs",
    )
    assert found.place(("compare", "seed")).name == f"{file}:5: compare.seed"
    assert found.place(("runs", 0)) == (f"{file}:1: runs[0]", file.parent, False)
    assert [found.is_stated(name) for name in ("compare.test", "compare.table", "gate.junit")] == [
        *(True, False, False)
    ]


@pytest.mark.parametrize("key", ["output", "record", "gate.junit", "plot.path", "judge.store"])
@pytest.mark.parametrize("path", ["../mine", "{}/mine", "link/mine", "link/../mine", "own"])
def test_a_file_of_a_stranger_writes_only_below_its_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, key: str, path: str
) -> None:
    (tmp_path / "link").symlink_to(tmp_path.parent)
    (tmp_path / "own").symlink_to("../mine")
    section, _, name = key.rpartition(".")
    line = f"{name}: {path.format(tmp_path.parent)}"
    file = tmp_path / "c.yaml"
    file.write_text(f"{section}: {{{line}}}" if section else line)
    if key != "judge.store":
        stated(file).settings()
    monkeypatch.setenv("XCG_NO_PLUGINS", "1")
    with pytest.raises(InputError, match=rf"c\.yaml:1: {key}: .*outside the fo.*--set {key}=FILE"):
        stated(file).settings()
    stated(file, [f"{key}={tmp_path.parent}/mine"]).settings()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("compare: {tst: t}", "{file}:1: compare.tst: unknown key: did you mean 'test'?"),
        ("\ncompar: {test: t}", "{file}:2: compar: unknown key: did you mean 'compare'?"),
        ("compare:\n  test: tt", "{file}:2: compare.test: illegal value 'tt': did you mean 't'?"),
        ("workers: 1001", "{file}:1: workers: expected 1 to 1,000 processes, or -1 for one per core"),
        ("compare:", "{file}:1: compare: expected keys with values, found nothing"),
        ("gold:", "{file}:1: gold: expected text, found nothing"),
        ("corpus: {path: d, links: true}", "{file}:1: corpus: unknown key: expected one of exclude"),
        ("corpus: {follow_links: true}", "{file}:1: corpus: the key 'path' is missing"),
        ("document: {1: 2}", "{file}:1: document: expected file name, a key, a file of names, or a"),
        ("measures: 3", "{file}:1: measures: expected a name, found int 3"),
        ("gate: {max_drop: true}", "{file}:1: gate.max_drop: expected a value, or values by measure"),
        ("gate: {expected_topics: 0}", "{file}:1: gate.expected_topics: expected a whole"),
        ("[1, 2]", "{file}:1: expected keys with values"),
        ("just text", "{file}: not a configuration; expected YAML with keys such as assessments and r"),
        ("xcg: 1\nsettings: 3\nfiles: {}", "{file}:1: expected a record with settings and files"),
    ],
)
def test_a_wrong_file_names_the_line(tmp_path: Path, content: str, message: str) -> None:
    file = tmp_path / "c.yaml"
    file.write_text(content)
    with pytest.raises(InputError) as caught:
        stated(file).settings()
    assert str(caught.value).startswith(message.replace("{file}", str(file)))


def test_later_statements_override(file: Path) -> None:
    found = stated(
        file,
        ["compare.seed=4", "compare.resamples=5"],
        {"compare": {"seed": 5}, "ties": "rank"},
        {"runs": ("b.run", "c.run"), "compare.resamples": "7"},
    ).settings()
    # Keywords replace a section; --set and options replace one key.
    assert (found.compare.test, found.compare.seed, found.compare.resamples) == ("t", 4, 7)
    assert (found.runs, found.ties) == ([Path("b.run"), Path("c.run")], "rank")
    assert stated(file, "compare.seed=6").settings().compare.test == "wilcoxon"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("compare.test=randomisation", "randomisation"),
        ("lenient=true", True),
        ("evaluate.topic=[1, 2]", ["1", "2"]),
        ("evaluate.topic=010", ["010"]),
        ("topics.files=-", [Path("-")]),
        ("report.title= A: b [c ", "A: b [c"),
        ("measures=nxCG@10 MAep", "nxCG@10 MAep"),
        ("measures=[nxCG@10, MAep]", ["nxCG@10", "MAep"]),
        ("user_model={base: spans}", {"base": "spans"}),
        ("gate.max_drop=MAep=5%", ["MAep=5%"]),
        ("gate.max_drop=[0.02, MAep=5%]", ["0.02", "MAep=5%"]),
        ("gate.fail_under={MAep: 0.3}", {"MAep": 0.3}),
        ("gate.expected_topics=40", 40),
        ("gate.expected_topics=a b,c", ["a", "b", "c"]),
        ("gate.expected_topics=[40]", ["40"]),
        ("study.perturb.counts=0 1 10", [0, 1, 10]),
    ],
)
def test_the_values_of_set(text: str, value: object) -> None:
    settings: Any = stated(set=[text]).settings()
    for part in text.partition("=")[0].split("."):
        settings = getattr(settings, part)
    assert settings == value


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("compare.test", "--set compare.test: expected KEY=VALUE, like compare.test=wilcoxon"),
        ("=t", "--set =t: expected KEY=VALUE"),
        ("compare.tset=t", "--set compare.tset: unknown key: did you mean 'compare.test'?"),
        ("compare.test=tt", "--set compare.test: illegal value 'tt': did you mean 't'?"),
        ("compare={tset: t}", "--set compare.tset: unknown key: did you mean 'test'?"),
        ("compare=t", "--set compare: expected keys with values, found str 't'"),
        ("measures=[nxCG@10", "--set measures: not valid YAML: "),
        ("lenient=", "--set lenient: expected true or false, found nothing"),
        ("user_model.alpha=1", "--set user_model.alpha: keys within a user model cannot be set"),
    ],
)
def test_a_wrong_set_names_the_key(text: str, message: str) -> None:
    with pytest.raises(XcgError) as caught:
        stated(set=[text]).settings()
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"workers": "0"}, "--workers: expected 1 to 1,000 processes"),
        ({"workers": "many"}, "--workers: expected 1 to 1,000 processes"),
        ({"chunks.budget": ("500", "0")}, "--budget: expected a whole number from 1 to"),
        ({"compare.table": "order"}, "--table: illegal value 'order': did you mean 'orders'?"),
        ({"curves.at": "[1"}, "--at: not valid YAML: "),
    ],
)
def test_a_wrong_option_is_named(options: dict[str, object], message: str) -> None:
    with pytest.raises(InputError) as caught:
        stated(options=options).settings()
    assert str(caught.value).startswith(message)


def test_python_keywords_can_be_objects_and_none_states_nothing() -> None:
    gold = {"1": {"d": 1}}
    found = stated(keywords={"assessments": gold, "corpus": None, "compare.test": "t"})
    assert found.settings().assessments is gold
    assert not found.is_stated("corpus")
    assert found.settings().compare.test == "t"
    assert stated(keywords={"runs": []}).settings().runs == []


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"assesments": {}}, "assesments: unknown key: did you mean 'assessments'?"),
        ({"compare": {"tset": "t"}}, "compare.tset: unknown key: did you mean 'test'?"),
        ({"compare": {"test": "tt"}}, "compare.test: illegal value 'tt': did you mean 't'?"),
        ({"compare.test": "tt"}, "test: illegal value 'tt': did you mean 't'?"),
    ],
)
def test_a_wrong_keyword_is_named(keywords: dict[str, object], message: str) -> None:
    with pytest.raises(XcgError) as caught:
        stated(keywords=keywords).settings()
    assert str(caught.value) == message


def test_a_record_states_its_settings_with_their_lines(tmp_path: Path) -> None:
    record = {"xcg": "1", "settings": {"compare": {"test": "tt"}}, "files": {"a.run": "00"}}
    (tmp_path / "r.json").write_text(json.dumps(record, indent=1))
    found = stated(tmp_path / "r.json")
    assert found.hashes == {"a.run": "00"}
    with pytest.raises(InputError, match=r"r\.json:5: compare\.test: illegal value"):
        found.settings()
    assert stated(tmp_path / "r.json", ["compare.test=t"]).settings().compare.test == "t"


def test_words_are_the_arguments_of_a_command_that_states_the_same(file: Path) -> None:
    def words(*left_out: str, **given: Any) -> list[str]:
        return stated(file, **given).words(*left_out)

    assert words() == [str(file)]
    options = {"runs": ("a b",), "user_model": ("spans",), "compare.baseline": "x", "format": "csv"}
    assert words("runs", options=options) == [str(file), "--set", "user_model=spans"]
    assert words(options=options)[1:3] == ["--set", "runs=a b"]
    assert words(set=["topics.unanswered=skip", "lenient=true", "workers=2", "ties=rank"]) == [
        *(str(file), "--set", "topics.unanswered=skip", "--set", "lenient=true", "--set", "ties=rank")
    ]
    exclude = words(set=["corpus.exclude=[a, b]"], options={"corpus": "d"})
    assert stated(set=exclude[2::2]).content["corpus"] == {"path": "d", "exclude": ["a", "b"]}
    again = Stated().with_keywords({"assessments": {"1": {}}, "user_model": {"base": "spans"}}).words()
    assert again == ["--set", 'user_model={"base": "spans"}']  # objects have no words
