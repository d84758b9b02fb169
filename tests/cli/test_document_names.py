"""Commands with runs whose chunks state their text and name their document by a path."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import Command

import xcg
from xcg.errors import InputError, XcgError
from xcg.formats.json_records import document_key

BEES = "Bees dance in the dark hive.\n\nDrones do no work at all.\n"
GOLD = (
    '{"topic": "1", "doc": "bees", "exact": "Bees dance"}\n'
    '{"topic": "2", "doc": "bees", "exact": "Drones do no work"}\n'
)
CHUNKS = [
    ("1", "# Bees\n\nBees dance in the dark hive."),
    ("1", "Drones do\fno work at all."),
    ("2", "Drones do no work"),
]
# SpanPrecision@1 is 10/36, because the title is read, and 17/17.
PRECISION = f"{(10 / 36 + 1) / 2:.4f}"
NAMES = {
    "names.csv": 'from,to\n"/data/docs/bees.md",bees.md\n',
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "bees.txt").write_text(BEES)
    (tmp_path / "gold.jsonl").write_text(GOLD)
    lines = [
        {"topic": topic, "text": text, "doc": "/data/docs/bees.md", "metadata": {"title": "bees"}}
        for topic, text in CHUNKS
    ]
    (tmp_path / "r.jsonl").write_text("\n".join(map(json.dumps, lines)))
    for name, text in NAMES.items():
        (tmp_path / name).write_text(text)
    return tmp_path


EVALUATE = ["evaluate", "--assessments", "gold.jsonl", "--run", "r.jsonl", "--corpus", "docs"]
MEASURE = ["--measures", "SpanPrecision@1"]


@pytest.mark.parametrize("document", ["file name", "title", *NAMES, "{/data/docs/bees.md: bees}"])
def test_documents_are_named_in_a_configuration(
    xcg_command: Command, folder: Path, document: str
) -> None:
    (folder / "c.yaml").write_text(
        "corpus: docs\nassessments: gold.jsonl\nruns: r.jsonl\nmeasures: SpanPrecision@1\n"
        f"document: {document}\n"
    )
    done = xcg_command("evaluate", folder / "c.yaml")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.split()[-1] == PRECISION
    if document == "file name":
        explained = xcg_command("explain", folder / "c.yaml", "--run", "r", "--topic", "1")
        assert "0–28" in explained.stdout
        for command in ("chunks", "check", "explain --run r.jsonl --topic 1"):
            done = xcg_command(*command.split(), "c.yaml", cwd=folder)
            assert done.returncode == 0
            assert done.stderr.strip() in (
                "",
                "xcg: note: spans: tokens are counted by the tokenizer approximate",
            )


def test_every_command_with_runs_names_documents(xcg_command: Command, folder: Path) -> None:
    runs = ["--run", "r.jsonl", "--corpus", "docs", "--set", "document=file name"]
    (folder / "s.jsonl").write_text((folder / "r.jsonl").read_text().replace("# Bees", "Title"))
    gold = ["--assessments", "gold.jsonl"]
    for command in (
        ["chunks", *gold, *runs],
        ["compare", *gold, *runs, "--run", "s.jsonl", *MEASURE],
        ["curves", *gold, *runs],
        ["explain", *gold, *runs, "--topic", "1"],
        ["check", *gold, *runs],
        ["convert", *runs, "--strategy", "unique"],
        ["convert", *runs, "--to", "trec"],
        ["report", *gold, *runs, "--output", "report.html"],
    ):
        done = xcg_command(*command, cwd=folder)
        assert done.returncode == 0, done.stderr
        assert "error" not in done.stderr


def test_text_becomes_offsets(xcg_command: Command, folder: Path) -> None:
    runs = ["--run", "r.jsonl", "--corpus", "docs", "--set", "document=file name"]
    done = xcg_command("convert", *runs, "--to", "jsonl", cwd=folder)
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert [(line["topic"], line["doc"], line["start"], line["end"]) for line in found] == [
        ("1", "bees", 0, 28),
        ("1", "bees", 30, 55),
        ("2", "bees", 30, 47),
    ]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "r.jsonl:1: '/data/docs/bees.md' is not a document name: expected a path below"),
        (
            ["--set", "document=filename"],
            "no 'filename', the key for document=: did you mean 'file name'?",
        ),
        (["--set", "document= "], "--set document: expected a name, found nothing"),
        (["--set", "document=bad.csv"], "bad.csv:2: 'a' has two names: 'b' and 'c'"),
        (
            ["--set", "document=other.csv"],
            "does not contain the document '/data/docs/bees.md': did you mean",
        ),
    ],
)
def test_a_mistake_gives_one_message(
    xcg_command: Command, folder: Path, arguments: list[str], message: str
) -> None:
    (folder / "bad.csv").write_text("a,b\na,c\n")
    (folder / "other.csv").write_text("/data/doc/bees.md,bees\n")
    done = xcg_command(*EVALUATE, *MEASURE, *arguments, cwd=folder)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("n.csv", "a,b\na,c\n", "n.csv:2: 'a' has two names: 'b' and 'c'"),
        ("n.csv", "\n", "no names of documents: expected at least one"),
        ("n.csv", "a\n", "expected the name in run files"),
        ("n.csv", "a,b,c\n", "expected the name in run files"),
        ("n.csv", 'a,"b\n', "illegal CSV"),
        ("n.csv", "a\t \n", "expected the name in run files"),
    ],
)
def test_an_illegal_file_of_names(tmp_path: Path, name: str, text: str, message: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(InputError) as raised:
        document_key(name, tmp_path)
    assert str(raised.value).startswith(str(tmp_path / name))
    assert message in str(raised.value)


def test_a_file_of_names_has_a_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("xcg.formats.json_records.MAX_TABLE_BYTES", 20)
    (tmp_path / "n.csv").write_text("a,b\n" * 9)
    with pytest.raises(InputError, match=r"n\.csv: larger than 0 MB"):
        document_key("n.csv", tmp_path)


def test_names_may_repeat_and_have_quotes_and_marks(tmp_path: Path) -> None:
    (tmp_path / "n.csv").write_text('\ufeff"a,b",c\n"a,b",c\n"say ""hi""",d\n', encoding="utf-8")
    assert document_key("n.csv", tmp_path) == {"a,b": "c", 'say "hi"': "d"}
    with pytest.raises(XcgError, match="no name of the documents"):
        document_key("")


@pytest.mark.parametrize("value", ["", "{}", "[a]", "3", "{a: 1}"])
def test_an_illegal_key_of_a_configuration(tmp_path: Path, value: str) -> None:
    (tmp_path / "c.yaml").write_text(f"corpus: d\ndocument: {value}\n")
    with pytest.raises(InputError, match=r"c.yaml:2: document: expected"):
        xcg.load(tmp_path / "c.yaml")
