"""The key ``record``: a method that loads again, with hashes of all input files."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from conftest import Command

import xcg

GOLD = {"1": {"d": 1}, "2": {"d": 1}, "3": {"d": 1}}
RUNS = {
    "a": {"1": ["d"], "2": ["d"], "3": ["e", "d"]},
    "b": {"1": ["e", "d"], "2": ["e", "f", "d"], "3": ["e", "f", "g", "d"]},
}
SECOND = "assessments/handbook-second"
ONE = "--set measures=MAep --set user_model=overlap-off"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A campaign of files, with a further assessor, a baseline and a table of names."""
    for name, text in {
        "gold.qrels": "".join(f"{topic} 0 d 1\n" for topic in range(1, 7)),
        "second.qrels": "".join(f"{topic} 0 {'de'[topic % 2]} 1\n" for topic in range(1, 7)),
        "a.run": "".join(f"{topic} Q0 d 1 9 a\n{topic} Q0 e 2 8 a\n" for topic in range(1, 7)),
        "b.run": "".join(f"{topic} Q0 e 1 9 b\n{topic} Q0 d 2 8 b\n" for topic in range(1, 7)),
        "c.run": "".join(f"{topic} Q0 x 1 9 c\n{topic} Q0 d 2 8 c\n" for topic in range(3, 7)),
        "old.run": "".join(f"{topic} Q0 d 1 9 old\n" for topic in range(1, 6)),
        "c.yaml": "assessments: gold.qrels\nruns: '[abc].run'\nmeasures: [RR, nxCG@1]\n",
    }.items():
        (tmp_path / name).write_text(text)
    return tmp_path


@pytest.mark.parametrize(
    ("command", "options", "others"),
    [
        ("evaluate", "--per-topic --set topics.unanswered=skip", ()),
        ("compare", "--baseline {}/old.run --set compare.test=wilcoxon", ("old.run",)),
        (
            "gate",
            "--baseline {}/old.run --max-drop 5% --expected-topics 6 --junit {}/j.xml",
            ("old.run",),
        ),
        (
            "sweep",
            "--user-model levels --strategy thorough --strategy unique --set measures=nxCG@1",
            (),
        ),
        ("curves", "--measures ep", ()),
        ("curves", "--at 1", ()),
        ("explain", "--run {}/old.run --topic 1", ("old.run",)),
        ("explain", "", ()),
        ("check", "--levels", ()),
        ("check", "--levels --set check.other={}/second.qrels", ("second.qrels",)),
        ("study plan", "--set study.plan.runs=2", ()),
        (
            "study assessors",
            "--set study.assessors.others={}/second.qrels",
            ("second.qrels",),
        ),
        ("study topics", "--set study.topics.trials=2", ()),
        ("study perturb", "--set study.perturb.counts=1 --set measures=MAep", ()),
    ],
)
def test_a_record_gives_the_same_values(
    folder: Path, xcg_command: Command, command: str, options: str, others: tuple[str, ...]
) -> None:
    record = folder / "records" / "method.json"
    record.parent.mkdir()
    words = [*command.split(), folder / "c.yaml", *options.format(*[folder] * 2).split()]
    first = xcg_command(*words, "--format", "csv", "--set", f"record={record}")
    assert first.returncode in (0, 1), first.stderr
    content = json.loads(record.read_text())
    files = {Path(name).name for name in content["files"]}
    assert files >= {"gold.qrels", *others}
    assert set(content) == {"xcg", "settings", "files"}
    assert not {"record", "output", "format", "workers"} & set(content["settings"])
    again = xcg_command(*command.split(), record, "--format", "csv")
    assert (again.returncode, again.stdout, again.stderr) == (
        first.returncode,
        first.stdout,
        first.stderr,
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    "call",
    [
        "chunks corpora_samples/chunks/retrieval.yaml",
        "chunks corpora_samples/chunks/retrieval.yaml --questions",
        "sweep configs/sweep.yaml --set sweep.resamples=0",
        "check corpora_samples/chunks/retrieval.yaml --review",
        f"study calibrate configs/quickstart.yaml {ONE} --set study.calibrate.campaigns=9",
        f"study assessors configs/quickstart.yaml {ONE} --set study.assessors.others={SECOND}",
    ],
)
def test_records_of_the_samples(xcg_command: Command, tmp_path: Path, call: str) -> None:
    record = tmp_path / "method.json"
    words = call.split()
    first = xcg_command(*words, "--format", "csv", "--set", f"record={record}")
    assert first.returncode == 0, first.stderr
    options = [word for word in words if word in ("--questions", "--review")]
    command = words[: 2 if words[0] == "study" else 1]
    again = xcg_command(*command, record, *options, "--format", "csv")
    assert (again.stdout, again.stderr) == (first.stdout, first.stderr)


@pytest.mark.posix
@pytest.mark.parametrize("follows_links", [False, True])
def test_no_fifo_and_no_link_out_of_the_corpus_is_read_for_a_record(
    folder: Path, follows_links: bool
) -> None:
    corpus = folder / "corpus"
    corpus.mkdir()
    (corpus / "d.txt").write_text("bees")
    for name, target in {"in": "d.txt", "out": "../gold.qrels", "zero": "/dev/zero"}.items():
        (corpus / f"{name}.txt").symlink_to(target)
    (corpus / "dangling.txt").symlink_to("missing")
    os.mkfifo(corpus / "fifo.txt")
    os.mkfifo(folder / "fifo.run")
    campaign = xcg.load(
        folder / "c.yaml",
        runs=[folder / "a.run", folder / "fifo.run"],
        corpus={"path": corpus, "follow_links": follows_links},
    )
    found = [Path(name).name for name in campaign.record("evaluate")["files"]]
    assert found == ["gold.qrels", "a.run", "d.txt", "in.txt", *["out.txt"] * follows_links]


def test_a_changed_or_missing_input_is_named(folder: Path, xcg_command: Command) -> None:
    record = folder / "method.json"
    xcg_command("evaluate", folder / "c.yaml", "--set", f"record={record}")
    files = json.loads(record.read_text())["files"]
    assert files["a.run"] == hashlib.sha256((folder / "a.run").read_bytes()).hexdigest()
    assert "warning" not in xcg_command("evaluate", record).stderr
    with (folder / "a.run").open("a") as run:
        run.write("1 Q0 x 3 7 a\n")
    done = xcg_command("evaluate", record)
    assert done.returncode == 0
    assert f"xcg: warning: a.run has changed since {record} was recorded" in done.stderr
    (folder / "b.run").unlink()
    assert "xcg: warning: b.run does not exist any more" in xcg_command("evaluate", record).stderr


def test_a_record_moves_with_its_files(folder: Path, tmp_path_factory: Any) -> None:
    xcg.load(folder / "c.yaml", record=folder / "method.json").evaluate()
    other = tmp_path_factory.mktemp("other") / "copy"
    shutil.copytree(folder, other)
    assert xcg.load(other / "method.json").evaluate().records()


def test_inputs_in_memory_are_asked_for(tmp_path: Path) -> None:
    record = tmp_path / "method.json"
    model = {"name": "mine", "base": "levels", "effort": {"interpolation": "linear"}}
    campaign = xcg.load(assessments=GOLD, runs=RUNS, user_model=model, measures="MAep", record=record)
    answer = campaign.compare(baseline="b", correction="bonferroni")
    settings = json.loads(record.read_text())["settings"]
    assert (settings["assessments"], settings["runs"]) == ("in memory", "in memory")
    assert settings["user_model"][0]["effort"]["interpolation"] == "linear"
    assert answer.settings["settings"]["compare"]["correction"] == "bonferroni"
    with pytest.raises(xcg.XcgError, match="the assessments of this record were in memory: expected a"):
        xcg.load(record).compare()
    with pytest.raises(xcg.XcgError, match=r"the runs of this record were in memory: expected runs=…"):
        xcg.load(record, assessments=GOLD).compare()
    again = xcg.load(record, assessments=GOLD, runs=RUNS).compare()
    assert again.records() == answer.records()


def test_a_baseline_in_memory_is_named_in_memory() -> None:
    campaign = xcg.load(assessments=GOLD, runs={"a": RUNS["a"]}, measures="MAep")
    answer = campaign.gate(baseline=xcg.Run.of("b", RUNS["b"]), max_drop=0.1)
    assert answer.passed
    assert answer.settings["settings"]["compare"]["baseline"] == "in memory"
    (line,) = campaign.compare(baseline=xcg.Run.of("b", RUNS["b"]))
    assert (line.run, line.baseline) == ("a", "b")


def test_an_explanation_records_the_default_user_model_of_its_run(tmp_path: Path) -> None:
    """Passages are scored as text, but without results the default would be inex-2005."""
    gold, run = {"start": 0, "end": 4}, {"start": 2, "end": 8, "rank": 1}
    for name, record in {"gold": gold, "run": run}.items():
        (tmp_path / name).write_text(json.dumps({"topic": "1", "doc": "d", **record}))
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/d.txt").write_text("Bees dance.")
    paths = {"assessments": tmp_path / "gold", "corpus": tmp_path / "docs"}
    campaign = xcg.load(**paths, record=tmp_path / "record")
    given = {"run": tmp_path / "run", "topic": "1"}
    (first,), (again,) = campaign.explain(**given), xcg.load(tmp_path / "record").explain()
    assert first.user_model == again.user_model == "spans"
    assert first.to_records() == again.to_records()


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="a device of POSIX")
def test_a_device_is_not_read_for_its_hash(xcg_command: Command, folder: Path) -> None:
    """It is endless; the readers of inputs refuse its first line."""
    options = ("--assessments", "/dev/zero", "--run", "a.run", "--output", "page.html")
    done = xcg_command("report", *options, cwd=folder)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "xcg: error: /dev/zero:1: a line of more than 1 MB; expected text or XML\n"
