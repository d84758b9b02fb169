"""No command writes hostile names unescaped to tables, records, messages or plots."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
from pathlib import Path
from xml.sax.saxutils import quoteattr

import pytest
from click.testing import CliRunner, Result
from conftest import ROOT

from xcg.cli.main import COMMANDS, main

ESCAPES = "e\x1b[31m\x9b2J\x07\x7f"
"""Terminal escape sequences without white space, which would end the tag of a TREC run."""
INVISIBLE = "i\u202e\u200b\u2066$\\frac$\ue000<b>|`*[x](y)"
LINES = "l\nnote: all is well\r\t\u2028=1+1"
STEM = "f\x1b[2J\n\udcff"
"""A file name that is not UTF-8. A run in JSON Lines is named after its file."""
MODEL = "m\x1b[31m\n=1+1;@x|<i>&amp;"
ASSESSOR = "@SUM(1)/../|<i>&amp;"
TOPICS = ("1", "2", "3", "4", "5", "6")
GOOD, POOR = "/a[1]/p[1]", "/a[1]/p[2]"

BAR = "¦"
"""Encloses each hostile argument of a call. Other arguments are separated by blanks."""
CAMPAIGN = "{tmp}/campaign.yaml"
LEVELS = "{tmp}/levels.yaml"
RUN = "{tmp}/runs/lines.xml"
TREC_RUN = "{tmp}/runs/escapes.trec"
STEM_RUN = "{tmp}/named/" + STEM + ".jsonl"
PASSAGES = "--gold {tmp}/passages.jsonl --corpus {tmp}/corpus --run"
MISSED = "--gold {tmp}/missed.jsonl --corpus {tmp}/corpus --run"
ESCAPED = "csv --set formulas=false"
RECORDS = ("table", "csv", ESCAPED, "json", "jsonl")
TABLES = (*RECORDS, "markdown", "latex")
MEASURE = "--set measures=nxCG@1"

CALLS = [
    "convert --assessments {tmp}/passages.jsonl --corpus {tmp}/corpus --as elements "
    "--output {tmp}/assessed",
    *(f"chunks {PASSAGES}¦{STEM_RUN}¦--format {name}" for name in RECORDS),
    f"chunks {PASSAGES}¦{STEM_RUN}¦--questions --format csv",
    f"check --run¦{STEM_RUN}",
    f"check {CAMPAIGN}",
    f"check {CAMPAIGN} --format json",
    f"check --levels {CAMPAIGN} --format markdown",
    *(f"check --review {MISSED}¦{STEM_RUN}¦--run {RUN} --format {name}" for name in RECORDS),
    *(f"compare {CAMPAIGN} --format {name}" for name in TABLES),
    f"compare {CAMPAIGN} --table overall",
    f"compare {CAMPAIGN} --table orders --set compare.resamples=0",
    f"compare {CAMPAIGN} --baseline¦{ESCAPES}",
    f"convert --run {RUN} --to inex",
    f"convert --run {RUN} --to jsonl",
    f"convert --run {TREC_RUN} --to trec",
    f"convert --run¦{STEM_RUN}¦--to trec",
    f"convert --run {RUN} --strategy unique --to inex",
    f"convert --run {TREC_RUN} --strategy top_ranked",
    f"convert --run¦{STEM_RUN}¦--strategy top_ranked",
    "convert --assessments {tmp}/gold.jsonl --corpus {tmp}/corpus --as ideal --to inex",
    *(f"curves {CAMPAIGN} --set curves.depth=2 --format {name}" for name in RECORDS),
    f"curves {CAMPAIGN} --at 1 --set curves.depth=1 --set curves.reference=best",
    *(f"evaluate {CAMPAIGN} --format {name}" for name in TABLES),
    *(f"evaluate {CAMPAIGN} --per-topic --format {name}" for name in TABLES),
    f"evaluate {CAMPAIGN} --set¦evaluate.against={ESCAPES}¦--format markdown",
    f"evaluate {CAMPAIGN} --user-model {{tmp}}/model.yaml --user-model overlap-off",
    f"evaluate {LEVELS} --format trec_eval",
    f"explain {CAMPAIGN} --run {RUN} --topic 1",
    f"explain {CAMPAIGN} --run {RUN} --topic 1 --format json",
    f"explain {CAMPAIGN}",
    "inex-eval -f -q {tmp}/offsets.qrels {tmp}/offsets.trec",
    f"judge {{tmp}}/judge.yaml --import {{tmp}}/passages.jsonl --assessor¦{ASSESSOR}",
    "judge {tmp}/judge.yaml --export {tmp}/judged",
    f"report {CAMPAIGN} --output {{tmp}}/report.html",
    f"report {CAMPAIGN} --methods",
    *(
        f"study assessors {CAMPAIGN} --set study.assessors.others={{tmp}}/gold.jsonl "
        f"--set study.assessors.ranges=true --format {name}"
        for name in RECORDS
    ),
    *(
        f"study calibrate {CAMPAIGN} --set study.calibrate.campaigns=2 --set study.calibrate.test=t "
        f"--format {name}"
        for name in ("csv", "table")
    ),
    f"study perturb {CAMPAIGN} --set study.perturb.counts=1 {MEASURE} --format csv",
    f"study plan {CAMPAIGN} {MEASURE}",
    *(f"sweep {CAMPAIGN} --user-model {{tmp}}/sweep.yaml --format {name}" for name in RECORDS),
]

FAILING = {
    f"compare {CAMPAIGN} --baseline¦{LINES}?": 2,
    f"convert --run {RUN} --to trec": 2,
    f"convert --run {TREC_RUN} --to inex": 2,
    f"convert --run¦{STEM_RUN}¦--to inex": 2,
    f"convert --run {RUN} --strategy¦{LINES}": 2,
    f"convert --run¦{STEM_RUN}?¦--strategy top_ranked": 2,
    f"evaluate {CAMPAIGN} --run¦{STEM_RUN}": 2,
    f"evaluate {CAMPAIGN} --run¦{STEM_RUN}?": 2,
    f"evaluate {CAMPAIGN} --set¦{LINES}": 2,
    f"evaluate {CAMPAIGN} --set¦compare.test={LINES}": 2,
    f"evaluate¦{STEM}": 2,
    f"evaluate {CAMPAIGN}¦{INVISIBLE}": 2,
    f"explain {CAMPAIGN} --run {RUN} --topic¦{LINES}": 2,
    f"gate {CAMPAIGN} --fail-under nxCG@1=2": 1,
    f"gate {CAMPAIGN} --fail-under nxCG@1=2 --format markdown --junit {{tmp}}/gate.xml": 1,
    f"gate {CAMPAIGN} --max-drop 5% --baseline¦{ESCAPES}": 1,
    f"gate {CAMPAIGN} --baseline¦{INVISIBLE}": 3,
    f"judge¦{{tmp}}/{STEM}": 2,
    f"judge {{tmp}}/judge.yaml --import {{tmp}}/passages.jsonl --assessor¦{LINES}": 2,
    f"list¦{INVISIBLE}": 2,
    f"list measures¦{INVISIBLE}": 2,
    f"list strategies¦{STEM}": 2,
    f"list user-models¦{STEM}": 2,
    f"list measures --bibtex¦{INVISIBLE}": 2,
    "place {tmp}/texts.jsonl --corpus {tmp}/corpus": 1,
    f"samples¦{{tmp}}/campaign.yaml/{STEM}": 2,
    f"simulate¦{{tmp}}/campaign.yaml/{STEM}": 2,
    "study laws --measure hostile_measures:fails --set study.laws.examples=3": 2,
    f"study levels¦{INVISIBLE}": 2,
    f"study¦{INVISIBLE}": 2,
}
"""Call → its exit status."""

PLOTS = [
    f"compare {CAMPAIGN}",
    f"curves {CAMPAIGN} --set curves.depth=2 --set curves.ideal=true",
    f"study perturb {CAMPAIGN} --set study.perturb.counts=1 {MEASURE}",
    f"study plan {CAMPAIGN} {MEASURE}",
    f"study assessors {CAMPAIGN} --set study.assessors.others={{tmp}}/gold.jsonl "
    "--set study.assessors.ranges=true",
    f"sweep {CAMPAIGN} --user-model {{tmp}}/sweep.yaml",
]


def trec_run(tag: str, paths: tuple[str, ...]) -> str:
    return "".join(
        f"{topic} Q0 d#{path} {rank} {9 - rank} {tag}\n"
        for topic in TOPICS
        for rank, path in enumerate(paths, 1)
    )


def inex_run(name: str, topics: tuple[str, ...], paths: tuple[str, ...]) -> str:
    results = "".join(f"<result><file>d</file><path>{path}</path></result>" for path in paths)
    content = "".join(f"<topic topic-id={quoteattr(t)}>{results}</topic>" for t in topics)
    name = quoteattr(name).replace("\n", "&#10;").replace("\r", "&#13;").replace("\t", "&#9;")
    return f"<inex-submission run-id={name}>{content}</inex-submission>"


@pytest.fixture(scope="module")
def tmp(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a campaign whose names are hostile wherever possible."""
    tmp = tmp_path_factory.mktemp("hostile")
    for folder in ("corpus", "runs", "named"):
        (tmp / folder).mkdir()
    files = {
        "corpus/d.xml": "<a><p>Bees dance.</p><p>Drones do no work.</p></a>",
        "runs/escapes.trec": trec_run(ESCAPES, (GOOD, POOR)),
        "runs/invisible.trec": trec_run(INVISIBLE, (POOR, GOOD)),
        "runs/lines.xml": inex_run(LINES, (*TOPICS[:5], "9\n\u202e"), (POOR,)),
        "model.yaml": f"name: {json.dumps(MODEL)}\n",
        "sweep.yaml": f"name: {json.dumps(MODEL)}\nrelevance_value: {{alpha: [0, 1]}}\n",
        "campaign.yaml": "corpus: corpus\nassessments: gold.jsonl\nruns: runs\nuser_model: model.yaml\n"
        "measures: [nxCG@1, MAep]\n",
        "levels.yaml": "assessments: levels.qrels\nruns: [runs/escapes.trec, runs/invisible.trec]\n",
        "judge.yaml": "corpus: corpus\ntopics: {files: topics.jsonl}\n"
        f"judge: {{grades: inex-2004, assessors: [{json.dumps(ASSESSOR)}]}}\n",
        "topics.jsonl": "".join(
            json.dumps({"id": topic, "title": f"bees {INVISIBLE}"}) + "\n" for topic in TOPICS
        ),
        "levels.qrels": "".join(f"{topic} 0 d#{GOOD} 1\n" for topic in TOPICS),
        "offsets.qrels": "1 Q0 d 11 28 0 0:11\n",
        "offsets.trec": f"1 Q0 d 1 1 {ESCAPES} 0 11\n",
        "texts.jsonl": json.dumps({"topic": "1\u202e", "doc": "d", "text": "no such\u202e text"})
        + "\n",
        "hostile_measures.py": f"def fails(topic):\n    raise ValueError({LINES!r})\n",
    }
    for name, text in files.items():
        (tmp / name).write_text(text, encoding="utf-8", newline="")
    grades = {"exhaustivity": 3, "specificity": 3}
    records = [{"topic": topic, "doc": "d", "path": GOOD, **grades} for topic in TOPICS]
    (tmp / "gold.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    spans = [{"topic": topic, "doc": "d", "start": 0, "end": 11} for topic in TOPICS]
    passages = "".join(json.dumps({**span, "exhaustivity": 2}) + "\n" for span in spans)
    (tmp / "passages.jsonl").write_text(passages)
    (tmp / "missed.jsonl").write_text(
        passages.replace('"start": 0, "end": 11', '"start": 11, "end": 28')
    )
    named = "".join(json.dumps({**span, "rank": 1}) + "\n" for span in spans)
    try:
        (tmp / "named" / f"{STEM}.jsonl").write_text(named)
    except OSError:  # pragma: no cover
        pytest.skip("the file system has no names that are not UTF-8")
    return tmp


def call(words: str, tmp: Path, monkeypatch: pytest.MonkeyPatch, *more: object) -> Result:
    """Run a command as on a terminal, because click would otherwise remove escape sequences."""
    monkeypatch.chdir(ROOT)
    monkeypatch.syspath_prepend(tmp)
    arguments: list[str] = []
    for index, part in enumerate(words.split(BAR)):
        arguments += [part] if index % 2 else part.split()
    arguments = [word.replace("{tmp}", str(tmp)) for word in arguments]
    done = CliRunner().invoke(main, [*arguments, *map(str, more)], color=True)
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done


def is_visible(text: str) -> bool:
    """Return whether a text has only visible characters, apart from line breaks and tabs."""
    return all(line.replace("\t", "").isprintable() for line in text.split("\n"))


def test_every_command_is_tried() -> None:
    assert {words.replace(BAR, " ").split()[0] for words in (*CALLS, *FAILING)} == COMMANDS.keys()


@pytest.mark.parametrize("words", [*CALLS, *FAILING])
def test_names_reach_the_terminal_escaped(
    words: str, tmp: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = call(words, tmp, monkeypatch)
    assert done.exit_code == FAILING.get(words, 0), done.stderr
    assert is_visible(done.stdout), ascii(done.stdout)
    assert is_visible(done.stderr), ascii(done.stderr)
    assert "\nnote: all is well" not in done.output
    assert not any(line.startswith("=1+1") for line in done.output.splitlines())
    if done.exit_code == 2:
        assert done.stdout == "" or words.startswith("check")
        errors = [
            one for one in done.stderr.splitlines() if one.startswith(("xcg: error: ", "Error: "))
        ]
        assert len(errors) == 1
    if "--format csv" in words:
        rows = list(csv.reader(io.StringIO(done.stdout)))
        assert len({len(row) for row in rows}) == 1
        assert len(rows) == done.stdout.count("\n")
        if ESCAPED in words:
            assert not any(cell.startswith(("=", "@", "+")) for row in rows for cell in row)
    if "--format json" in words:
        texts = done.stdout.splitlines() if words.endswith("jsonl") else [done.stdout]
        assert all(map(json.loads, texts))


def test_json_keeps_the_names(tmp: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answer = json.loads(call(f"evaluate {CAMPAIGN} --format json", tmp, monkeypatch).stdout)
    records = answer["records"]
    assert {record["run"] for record in records} >= {ESCAPES, INVISIBLE}
    assert {record["user_model"] for record in records} == {MODEL}


def test_a_run_with_control_characters_is_read_again(
    tmp: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    text = call(f"convert --run {RUN} --to inex", tmp, monkeypatch).stdout
    assert "9&#10;&#8238;" in text
    (tmp_path / "again.xml").write_text(text)
    again = call(f"convert --run {tmp_path}/again.xml --to inex", tmp, monkeypatch).stdout
    assert again == text


def test_the_name_of_a_trec_run_loses_control_characters_with_a_note(
    tmp: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = call(f"convert --run {TREC_RUN} --to trec", tmp, monkeypatch)
    assert done.stdout.splitlines()[0].split()[5] == "e[31m2J"
    assert "lost in trec: white space and control characters in the run's name" in done.stderr


@pytest.mark.parametrize("ending", [".png", ".svg"])
@pytest.mark.parametrize("words", PLOTS)
def test_plots_draw_names_as_they_are(
    words: str, ending: str, tmp: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("matplotlib")
    target = tmp / f"plot{ending}"
    target.unlink(missing_ok=True)
    done = call(words, tmp, monkeypatch, "--plot", target)
    assert done.exit_code == 0, done.stderr
    if ending == ".svg":
        assert is_visible(target.read_text(encoding="utf-8"))


@pytest.mark.parametrize(("ending", "status"), [("", 0), ("?", 2)])
def test_a_file_name_that_is_not_utf_8_in_a_process(ending: str, status: int, tmp: Path) -> None:
    words = f"chunks {PASSAGES}{BAR}{STEM_RUN}{ending}".replace("{tmp}", str(tmp))
    given, name = words.split(BAR)
    done = subprocess.run(
        [sys.executable, "-m", "xcg", *given.split(), name],
        cwd=ROOT,
        capture_output=True,
        check=False,
        timeout=60,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert done.returncode == status, done.stderr
    assert is_visible((done.stdout + done.stderr).decode())
    assert b"f\\x1b[2J\\n\\udcff" in (done.stderr if status else done.stdout)
    assert done.stderr.count(b"\n") == 1  # the error, or the name of the tokenizer


def test_files_hold_names_escaped(tmp: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("csv", "jsonl", "markdown", "latex", "table"):
        call(f"evaluate {CAMPAIGN} --format {name}", tmp, monkeypatch, "--output", tmp / "out")
        assert is_visible((tmp / "out").read_text(encoding="utf-8"))
    call(f"chunks {PASSAGES}{BAR}{STEM_RUN}", tmp, monkeypatch, "--output", tmp / "out")
    assert is_visible((tmp / "out").read_text(encoding="utf-8"))
