"""The typical mistakes of somebody who sees xcg for the first time: one table of whole messages."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from conftest import Command

ASSESSED = """<assessments topic="163">
  <file file="bread">
    <path path="/article[1]" exhaustiveness="2" specificity="1"/>
    <path path="/article[1]/sec[1]" exhaustiveness="2" specificity="3"/>
    <path path="/article[1]/sec[1]/p[1]" exhaustiveness="2" specificity="3"/>
  </file>
</assessments>
"""
RUN = """<inex-submission participant-id="1" run-id="mine" task="CO" query="automatic">
  <topic topic-id="163">
    <result><file>bread</file><path>/article[1]/sec[1]/p[1]</path><rank>1</rank></result>
    <result><file>wine</file><path>/article[1]/sec[1]</path><rank>2</rank></result>
  </topic>
  <topic topic-id="164">
    <result><file>cheese</file><path>/article[1]/sec[1]</path><rank>1</rank></result>
  </topic>
</inex-submission>
"""
CONFIG = """corpus: corpus
assessments: gold
runs: runs/mine.xml
user_model: kazai-lalmas-2006
measures: [nxCG@10, MAep]
"""
MODEL = "name: mine\nquantisation: sog\nideal: kazai_lalmas\nrelevance_value: {alpha: 1.0}\n"
QRELS = "163 0 bread 2\n164 0 cheese 2\n"
TREC_RUN = "163 Q0 bread 1 0.5 me\n163 Q0 wine 2 0.4 me\n164 Q0 cheese 1 0.4 me\n"

FILES = {
    "config.yaml": CONFIG,
    "model.yaml": MODEL,
    "gold/163.xml": ASSESSED,
    "gold/164.xml": ASSESSED.replace("163", "164").replace("bread", "cheese"),
    "runs/mine.xml": RUN,
    "mine.run": TREC_RUN,
    "good.qrels": QRELS,
    **{
        f"corpus/{name}.xml": f"<article><sec><p>All about {name}.</p><p>More.</p></sec></article>"
        for name in ("bread", "cheese", "wine")
    },
    # wrong files
    "folder.yaml": CONFIG.replace("assessments: gold", "assessments: gould"),
    "tab.yaml": "corpus: corpus\nassessments:\n\t- gold\n",
    "empty.yaml": "",
    "Bread.xml": RUN.replace(">bread<", ">Bread<"),
    "ending.jsonl": '{"topic": "163", "doc": "bread.md", "rank": 1}\n',
    "beer.xml": RUN.replace(">wine<", ">beer<"),
    "Topic.xml": RUN.replace('"163"', '"Topic 163"').replace('"164"', '"Topic 164"'),
    "empty.xml": "",
    "run.csv": "topic,document,score\n163,bread,0.5\n",
    "repeated.run": "163 Q0 bread 1 0.5 me\n163 Q0 bread 2 0.4 me\n164 Q0 cheese 1 0.5 me\n",
    "three-times.run": "".join(
        f"163 Q0 bread#/article[1]/sec[1]{part} {rank} {1 / rank} me\n"
        for rank, part in enumerate(["", "", "/p[1]"], 1)
    )
    + "164 Q0 cheese 1 0.5 me\n",
    "quotes.jsonl": '{"topic": "163", "doc": "Bread", "text": "All about bread."}\n',
}
INPUTS = ["--corpus", "corpus", "--assessments", "gold"]
OTHERS = ["--corpus", "corpus", "--run", "runs/mine.xml"]
SIX = (
    "expected six, topic Q0 file#/path rank score tag, or seven with an element's path, or eight with "
    "a passage's offset and length"
)


@pytest.fixture
def campaign(tmp_path: Path) -> Path:
    for name, content in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    return tmp_path


MISTAKES = [
    # (mistake, command, message)
    (
        "a misspelt folder in a configuration",
        ["evaluate", "folder.yaml"],
        "folder.yaml:2: assessments: gould: no such file or folder (did you mean 'gold'?); expected "
        "assessments",
    ),
    (
        "a misspelt configuration",
        ["evaluate", "confg.yaml"],
        "confg.yaml: no such file (did you mean 'config.yaml'?); expected a YAML file",
    ),
    (
        "a run as assessments",
        ["evaluate", *OTHERS, "--assessments", "runs/mine.xml"],
        "runs/mine.xml: no <assessments> element around <file>, found <result>; expected assessments. "
        "It looks like a run: use --run",
    ),
    (
        "assessments as a run",
        ["evaluate", *INPUTS, "--run", "gold/163.xml"],
        "gold/163.xml: no <inex-submission> element; expected a run. It looks like assessments: use "
        "--assessments",
    ),
    (
        "qrels as a run",
        ["evaluate", *INPUTS, "--run", "good.qrels"],
        f"good.qrels:1: 4 columns; {SIX}. It looks like assessments: use --assessments",
    ),
    (
        "a TREC run as qrels",
        ["evaluate", *OTHERS, "--assessments", "mine.run"],
        "mine.run:1: illegal length '0.5': expected a number of characters. It looks like a run: use "
        "--run",
    ),
    (
        "a tab in YAML",
        ["evaluate", "tab.yaml"],
        "tab.yaml:3: not valid YAML: a tab at the start of the line; expected spaces",
    ),
    (
        "a document in another case",
        ["evaluate", *INPUTS, "--run", "Bread.xml"],
        "Bread.xml, topic 163, rank 1, Bread: the corpus has no document 'Bread'; did you mean "
        "'bread'?",
    ),
    (
        "a document with its file extension",
        ["evaluate", *INPUTS, "--run", "ending.jsonl"],
        "ending.jsonl, topic 163, rank 1, bread.md: the corpus has no document 'bread.md'; did you "
        "mean 'bread'? Documents are named without the file extension; in JSON Lines, --set "
        "document='file name' removes it",
    ),
    (
        "a missing document",
        ["evaluate", *INPUTS, "--run", "beer.xml"],
        "beer.xml, topic 163, rank 2, beer: the corpus has no document 'beer'; expected "
        "corpus/beer.xml, or --set lenient=true to only warn of missing documents",
    ),
    (
        "an unknown document in passages",
        ["place", "quotes.jsonl", "--corpus", "corpus"],
        "quotes.jsonl:1: the corpus has no document 'Bread'; did you mean 'bread'?",
    ),
    (
        "a configuration as user model",
        ["evaluate", "config.yaml", "--user-model", "config.yaml"],
        "config.yaml:1: corpus: unknown key: expected one of base, effort, ideal, name, quantisation, "
        "relevance_value, size, spans",
    ),
    (
        "a topic that is similar to another",
        ["explain", "config.yaml", "--topic", "165"],
        "no assessments for topic '165': did you mean '164'?",
    ),
    (
        "a cutoff without @",
        ["evaluate", "config.yaml", "--measures", "nxCG10"],
        "--measures: unknown measure 'nxCG10': did you mean 'nxCG@10'?",
    ),
    (
        "an empty configuration",
        ["evaluate", "empty.yaml"],
        "empty.yaml:1: expected keys with values, found nothing",
    ),
    ("a folder as configuration", ["evaluate", "corpus"], "corpus: a folder; expected a YAML file"),
    (
        "a run as configuration",
        ["evaluate", "runs/mine.xml"],
        "runs/mine.xml: not a configuration; expected YAML with keys such as assessments and runs. "
        "Name runs with --run and assessments with --assessments",
    ),
    (
        "the corpus as runs",
        ["evaluate", *INPUTS, "--run", "corpus"],
        "corpus/bread.xml: no <inex-submission> element; expected a run",
    ),
    (
        "a gzip file that is cut off",
        ["evaluate", *INPUTS, "--run", "cut.xml.gz"],
        "cut.xml.gz: damaged gzip file: Compressed file ended before the end-of-stream marker was "
        "reached",
    ),
    (
        "CSV instead of a TREC run",
        ["evaluate", *INPUTS, "--run", "run.csv"],
        f"run.csv:1: 1 columns; {SIX}. Its values are separated by commas; expected spaces",
    ),
    *(
        (
            f"{command}: a run whose topics have other names",
            [command, *INPUTS, "--run", "Topic.xml"],
            "no topic of the runs is assessed: runs have 'Topic 163', 'Topic 164', assessments '163', "
            "'164'",
        )
        for command in ("evaluate", "curves")
    ),
    (
        "no configuration",
        ["evaluate"],
        "no assessments: expected a CONFIG.yaml or --assessments PATH (assessments=…)",
    ),
]


@pytest.mark.parametrize(
    ("arguments", "message"), [pytest.param(words, text, id=name) for name, words, text in MISTAKES]
)
def test_a_mistake_ends_with_one_message(
    xcg_command: Command, campaign: Path, arguments: list[str], message: str
) -> None:
    (campaign / "cut.xml.gz").write_bytes(gzip.compress(RUN.encode())[:80])
    done = xcg_command(*arguments, cwd=campaign)
    assert done.stderr == f"xcg: error: {message}\n"
    assert (done.returncode, done.stdout) == (2, "")


def test_an_unknown_option_names_the_similar_ones(xcg_command: Command, campaign: Path) -> None:
    done = xcg_command("evaluate", "config.yaml", "--measure", "MAep", cwd=campaign)
    assert done.stderr.endswith("No such option '--measure'. Did you mean '--measures'?\n")
    assert (done.returncode, done.stdout) == (2, "")


NOTED = [
    # (what is odd, options, notes)
    (
        "a repeated result",
        ["--run", "repeated.run"],
        ["note: run me repeats a result of the same topic: the strategy unique removes them"],
    ),
    (
        "scores above 1",
        ["--run", "three-times.run", "--user-model", "overlap-off", "--measures", "nxCG@10"],
        [
            "note: runs with whole documents among elements or passages: 1 time; the first: "
            "three-times.run: 1 of 4 results have no path and no start, so each is its whole document",
            "note: run me repeats a result of the same topic: the strategy unique removes them",
            "note: overlap-off: a score above 1, up to 1.4211 (nxCG@10 of run me, topic 163), because "
            "without normalisation and with alpha below 1, a result that was seen gains again",
        ],
    ),
]


@pytest.mark.parametrize(
    ("options", "notes"), [pytest.param(words, notes, id=name) for name, words, notes in NOTED]
)
def test_what_is_legal_but_odd_is_noted(
    xcg_command: Command, campaign: Path, options: list[str], notes: list[str]
) -> None:
    done = xcg_command("evaluate", *INPUTS, *options, cwd=campaign)
    assert done.stderr == "".join(f"xcg: {note}\n" for note in notes)
    assert done.returncode == 0


@pytest.mark.parametrize("prefix", ["", "\ufeff"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_windows_line_ends_and_byte_order_marks_are_harmless(
    xcg_command: Command, campaign: Path, prefix: str, end: str
) -> None:
    expected = xcg_command("evaluate", "config.yaml", cwd=campaign)
    for name in ("config.yaml", "gold/163.xml", "runs/mine.xml", "mine.run", "good.qrels"):
        content = prefix + FILES[name].replace("\n", end)
        (campaign / name).write_bytes(content.encode())
    done = xcg_command("evaluate", "config.yaml", cwd=campaign)
    assert (done.stdout, done.stderr) == (expected.stdout, expected.stderr)
    assert "1.0000" in done.stdout
    flat = xcg_command(
        "evaluate",
        "--assessments",
        "good.qrels",
        "--run",
        "mine.run",
        "--measures",
        "P@2",
        cwd=campaign,
    )
    assert flat.returncode == 0
    assert "0.5000" in flat.stdout


def test_a_line_that_cannot_be_found_is_left_out(xcg_command: Command, campaign: Path) -> None:
    """Lines are searched in UTF-8 only."""
    (campaign / "utf16.xml").write_bytes(FILES["beer.xml"].encode("utf-16"))
    done = xcg_command("evaluate", *INPUTS, "--run", "utf16.xml", cwd=campaign)
    assert done.stderr.startswith("xcg: error: utf16.xml, topic 163, rank 2, beer: the corpus has no")
