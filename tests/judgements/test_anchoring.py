"""Stated text of gold is compared with the documents, and quotes are searched in all commands."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from conftest import Command

import xcg
from xcg.errors import InputError, Notes, UnmappedError, XcgError
from xcg.formats.base import read_assessments
from xcg.formats.json_assessments import read_highlights
from xcg.judgements.anchoring import anchor
from xcg.judgements.recall_base import RecallBase, Span
from xcg.testing import assert_retrieval

BEES = "Bees dance well. Drones do no work. Worker bees dance at noon, and drones sleep."
CORPUS = {"bees": BEES}


def write(path: Path, *records: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def spans(path: Path, corpus: xcg.Corpus | None = None) -> list[Span]:
    base = anchor(read_assessments(path), corpus or xcg.Corpus.of(CORPUS), Notes())
    return list(base.spans["1"]["bees"])


@pytest.mark.parametrize(
    ("fields", "span"),
    [
        ({"exact": "Drones do no work."}, (17, 35)),
        ({"text": "drones  do NO work."}, (17, 35)),
        ({"exact": "drones", "prefix": "noon, and "}, (BEES.index("drones"), BEES.index("drones") + 6)),
        ({"exact": "bees dance", "suffix": " at noon"}, (43, 53)),
        ({"start": 17, "end": 35, "text": "Drones do no work."}, (17, 35)),
        ({"start": 17, "end": 35, "exact": "Drones\n do no work.", "prefix": "x"}, (17, 35)),
    ],
)
def test_quotes_in_json_lines_and_in_python(
    tmp_path: Path, fields: dict[str, Any], span: tuple[int, int]
) -> None:
    path = write(tmp_path / "gold.jsonl", {"topic": "1", "doc": "bees", **fields, "level": 3})
    assert spans(path) == [Span(*span, 3.0)]
    base = RecallBase.of({"1": {"bees": [{**fields, "level": 3}]}})
    assert anchor(base, xcg.Corpus.of(CORPUS), Notes()).spans["1"]["bees"] == [Span(*span, 3.0)]


def test_quotes_of_level_0_are_not_relevant(tmp_path: Path) -> None:
    path = write(tmp_path / "gold.jsonl", {"topic": "1", "doc": "bees", "exact": "x", "level": 0})
    assert spans(path) == []
    assert RecallBase.of({"1": {"bees": [{"exact": "x", "level": 0}]}}).spans["1"] == {"bees": []}


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        (
            {"start": 16, "end": 34, "text": "Drones do no work."},
            "bees, 16–34: the text is ' Drones do no work', not 'Drones do no work.', which is at "
            "17–35; xcg place --update moves the passages to their text",
        ),
        (
            {"start": 18, "end": 36, "text": "Drones do no work."},
            "which is at 17–35: offsets begin with 0 and do not count a byte order mark",
        ),
        (
            {"start": 3, "end": 13, "text": "bees  dance"},
            "not 'bees  dance', which has 2 occurrences (at 0–10, 43–53)",
        ),
        ({"start": 17, "end": 9000, "text": "ants run"}, "which the document does not contain"),
        (
            {"exact": "bees  dance"},
            "2 occurrences (at 0–10, 43–53) of 'bees  dance' in bees; expected more of its prefix",
        ),
        ({"exact": "ants run"}, "bees does not contain 'ants run'; xcg place --fuzzy 0.9 finds"),
    ],
)
def test_gold_that_does_not_fit_is_refused(
    tmp_path: Path, xcg_command: Command, fields: dict[str, Any], message: str
) -> None:
    right = {"topic": "2", "doc": "bees", "exact": "Bees dance well."}
    gold = write(tmp_path / "gold.jsonl", {"topic": "1", "doc": "bees", **fields}, right)
    (tmp_path / "corpus").mkdir()
    (tmp_path / "corpus" / "bees.txt").write_text(BEES)
    run = write(tmp_path / "run.jsonl", {"topic": "1", "doc": "bees", "start": 0, "end": 16})
    options = ("--assessments", gold, "--run", run, "--corpus", tmp_path / "corpus")
    for command in ("check", "evaluate"):
        done = xcg_command(command, *options)
        assert done.returncode == 2, command
        assert f"{gold}:1" in done.stdout + done.stderr
        assert message in done.stdout + done.stderr
    lenient = xcg_command("evaluate", *options, "--set", "lenient=true", "--measures", "MAep")
    assert lenient.returncode == 0
    assert "passages whose text is not in their document: 1 time" in lenient.stderr
    python = {"1": {"bees": [fields]}}
    with pytest.raises(UnmappedError) as raised:
        assert_retrieval(python, {"r": {"1": [("bees", 0, 16)]}}, CORPUS, fail_under={"MAep": 0})
    assert message in str(raised.value)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"exact": "a", "text": "a"}, "the fields 'exact' and 'text': expected one of them"),
        ({"start": 1, "end": 2, "prefix": "a"}, "the field 'prefix' has no effect without 'exact'"),
        ({"exact": "a", "start": 1}, "the field 'end' is missing"),
        ({"exact": 3}, "exact is 3: expected the words of the passage"),
    ],
)
def test_wrong_lines(tmp_path: Path, fields: dict[str, Any], message: str) -> None:
    path = write(tmp_path / "gold.jsonl", {"topic": "1", "doc": "bees", **fields})
    with pytest.raises(InputError) as raised:
        read_assessments(path)
    assert str(raised.value) == f"{path}:1: {message}" or f"{path}:1: {message}" in str(raised.value)


@pytest.mark.parametrize(
    ("passage", "message"),
    [
        ({"exact": "a", "text": "a"}, "expected one of them"),
        ({"exact": 3}, "expected text in 'exact', 'prefix' and 'suffix'"),
        ({"start": 1}, "expected 'start' and 'end', 'exact', or both"),
        ({"prefix": "a", "start": 1, "end": 2}, "the field 'prefix' has no effect without 'exact'"),
        ({"exact": "a", "start": 1.5, "end": 2}, "expected integers in 'start' and 'end'"),
        ({"exact": "a", "level": "high"}, "expected a number in 'level'"),
        ({"exact": " "}, "the text of the passage is empty"),
        ({"exact": "a", "start": 5, "end": 5}, "expected 0 <= start < end"),
        ({"exakt": "a"}, "unknown key 'exakt' of a passage: did you mean 'exact'?"),
    ],
)
def test_wrong_dicts(passage: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as raised:
        RecallBase.of({"1": {"bees": [passage]}})
    assert str(raised.value).startswith("assessments, topic 1, bees: ")
    assert message in str(raised.value)


def test_quotes_need_a_corpus_and_offsets_do_not(tmp_path: Path) -> None:
    runs = {"r": {"1": [("bees", 17, 35)]}}
    quoted = {"1": {"bees": [{"exact": "Drones do no work."}]}}
    with pytest.raises(InputError, match="the passage is given by its text: expected a corpus"):
        xcg.evaluate(quoted, runs, measures="iP@0.0")
    assert xcg.evaluate(quoted, runs, CORPUS, measures="MAep").value("r", "MAep") == 1.0
    stated = {"1": {"bees": [{"start": 17, "end": 35, "text": "not compared without documents"}]}}
    assert xcg.evaluate(stated, runs, measures="iP@0.0").value("r", "iP@0.0") == 1.0


def test_highlights_with_quotes(tmp_path: Path) -> None:
    quote = {"topic": "1", "doc": "bees", "exact": "Drones do no work.", "exhaustivity": 3}
    path = write(tmp_path / "marks.jsonl", quote)
    (mark,) = read_highlights(path, xcg.Corpus.of(CORPUS))
    assert (mark.start, mark.end) == (17, 35)
    with pytest.raises(InputError, match="expected a corpus"):
        read_highlights(path)
    write(path, {**quote, "exact": "ants"})
    with pytest.raises(UnmappedError, match="bees does not contain 'ants'"):
        read_highlights(path, xcg.Corpus.of(CORPUS))


def test_conversion_and_agreement_read_quotes(xcg_command: Command, tmp_path: Path) -> None:
    gold = write(tmp_path / "gold.jsonl", {"topic": "1", "doc": "bees", "exact": "Drones do no work."})
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    (corpus / "bees.txt").write_text(BEES)
    options = ("--assessments", gold, "--corpus", corpus)
    done = xcg_command("convert", *options, "--to", "jsonl")
    record = {"topic": "1", "doc": "bees", "start": 17, "end": 35, "exhaustivity": 2}
    record["exact"] = "Drones do no work."
    assert json.loads(done.stdout) == record
    sets = (f"assessments={gold}", f"corpus={corpus}", f"study.assessors.others={gold}")
    told = [word for one in (*sets, "study.assessors.agreement=true") for word in ("--set", one)]
    agreement = xcg_command("study", "assessors", *told)
    assert (agreement.returncode, agreement.stderr) == (0, "")
    refused = xcg_command("convert", "--assessments", gold, "--to", "jsonl")
    assert refused.returncode == 2
    assert f"{gold}:1: the passage is given by its text: expected a corpus" in refused.stderr
    with pytest.raises(XcgError, match="cannot write passages without start and end"):
        read_assessments(gold).to_text("jsonl")
    counted = xcg_command("check", "--assessments", gold)
    assert "relevant passages" in counted.stdout
    assert counted.returncode == 0


def test_conversion_keeps_the_text_or_names_the_loss(xcg_command: Command, tmp_path: Path) -> None:
    quote = {"exact": "Drones do no work.", "prefix": "well. "}
    records = [
        {"topic": "1", "doc": "bees", **quote},
        {"topic": "1", "doc": "bees", "start": 0, "end": 4},
    ]
    gold = write(tmp_path / "gold.jsonl", *records)
    (tmp_path / "corpus").mkdir()
    (tmp_path / "corpus" / "bees.txt").write_text(BEES)
    options = ["--assessments", gold, "--corpus", tmp_path / "corpus"]
    done = xcg_command("convert", *options, "--to", "jsonl")
    first, second = map(json.loads, done.stdout.splitlines())
    assert "exact" not in first
    assert {name: second[name] for name in quote} == quote
    assert done.stderr == ""
    again = tmp_path / "again.jsonl"
    again.write_text(done.stdout)
    assert xcg_command("convert", "--assessments", again, "--to", "jsonl").stdout == done.stdout
    done = xcg_command("convert", "--assessments", again, "--to", "offsets")
    assert "lost in offsets: the text of passages" in done.stderr
