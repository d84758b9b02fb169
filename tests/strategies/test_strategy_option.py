"""Every command and every function that takes runs accepts overlap strategies."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import Command

import xcg
from xcg.cli.main import COMMANDS, main
from xcg.evaluation.inputs import Inputs
from xcg.statistics.perturbation import perturb
from xcg.testing import assert_retrieval

WITHOUT_STRATEGIES = {
    "assess": "takes no runs",
    "break": "takes no runs",
    "cite": "takes no runs",
    "convert": "xcg rewrite is this command with a strategy",
    "distribution": "takes no runs",
    "ideal": "takes no runs",
    "judge": "pools contain the results of the runs as they are",
    "levels": "takes no runs",
    "measures": "takes no runs",
    "place": "takes no runs",
    "samples": "takes no runs",
    "simulate": "takes no runs",
    "strategies": "takes no runs",
    "user-models": "takes no runs",
    "validate": "checks files as they are",
}
"""Command → why it has no option --strategy."""

CALLS = {
    "calibrate": "c.yaml --campaigns 2 --test t",
    "chunks": "c.yaml",
    "compare": "c.yaml",
    "curves": "c.yaml --depth 2",
    "evaluate": "c.yaml",
    "explain": "c.yaml --run r --topic 1",
    "gold": "c.yaml --format jsonl",
    "inex-eval": "-t qrels offsets",
    "perturb": "c.yaml --counts 1 --measures nxCG@2",
    "plan": "c.yaml",
    "report": "c.yaml --output report.html",
    "rewrite": "--run r",
    "stability assessors": "c.yaml --assessor gold.jsonl --ranges",
    "stability topics": "c.yaml --trials 2 --sizes 2",
    "sweep": "c.yaml",
}
NAMELESS = ("plan", "stability topics", "sweep")
"""Commands whose output does not have the names of runs and strategies together."""


@pytest.fixture
def campaign(tmp_path: Path) -> Path:
    (tmp_path / "corpus").mkdir()
    topics = [str(number) for number in range(1, 7)]
    for topic in topics:
        (tmp_path / "corpus" / f"d{topic}.xml").write_text("<a><p>some words</p><p>more text</p></a>")
    gold = [
        {"topic": topic, "doc": f"d{topic}", "start": 0, "end": 5 + int(topic), "exhaustivity": 2}
        for topic in topics
    ]
    (tmp_path / "gold.jsonl").write_text("".join(json.dumps(one) + "\n" for one in gold))
    for name, paths in (
        ("r", ("", "/p[1]", "/p[2]")),
        ("s", ("/p[2]", "", "/p[1]")),
        ("t", ("/p[1]", "", "")),
    ):
        (tmp_path / name).write_text(
            "".join(
                f"{topic} Q0 d{1 + (int(topic) * rank) % 6 if rank == 3 else topic}#/a[1]{path} {rank} "
                f"{9 - rank} {name}\n"
                for topic in topics
                for rank, path in enumerate(paths, 1)
            )
        )
    (tmp_path / "c.yaml").write_text(
        "corpus: corpus\nassessments: gold.jsonl\nruns: [r, s, t]\nuser_model: spans\nmeasures: MAep\n"
    )
    (tmp_path / "qrels").write_text("1 Q0 d1 6 19 0 0:6\n")
    (tmp_path / "offsets").write_text("1 Q0 d1 1 2 r 0 6\n1 Q0 d1 2 1 r 3 9\n")
    return tmp_path


def test_every_command_has_the_option_or_a_reason() -> None:
    assert {call.split()[0] for call in CALLS} | WITHOUT_STRATEGIES.keys() == COMMANDS.keys()
    for name in WITHOUT_STRATEGIES:
        command = main.get_command(None, name)  # type: ignore[arg-type]
        assert command is not None
        assert "--strategy" not in {option for one in command.params for option in one.opts}


@pytest.mark.parametrize("call", CALLS)
def test_a_command_rewrites_the_runs(campaign: Path, call: str, xcg_command: Command) -> None:
    words = [*call.split(), *CALLS[call].split(), "--strategy", "top_ranked"]
    done = xcg_command(*words, cwd=campaign)
    assert done.returncode == 0, done.stderr
    output = done.stdout
    if call == "report":
        output = (campaign / "report.html").read_text()
    assert ("r+top_ranked" in output) == (call not in NAMELESS)
    plain = xcg_command(*words[:-2], cwd=campaign)
    assert plain.returncode == (2 if call in ("rewrite", "sweep") else 0), plain.stderr
    assert "+top_ranked" not in plain.stdout


def test_the_option_replaces_the_strategies_of_a_configuration(
    campaign: Path, xcg_command: Command
) -> None:
    config = campaign / "c.yaml"
    config.write_text(config.read_text() + "strategies: [unique, thorough]\n")
    done = xcg_command("evaluate", config, "--format", "csv")
    runs = [line.split(",")[0] for line in done.stdout.splitlines()[1:]]
    assert runs == [f"{run}+{strategy}" for run in "rst" for strategy in ("unique", "thorough")]
    done = xcg_command("evaluate", config, "--format", "csv", "--strategy", "top_ranked")
    assert [line.split(",")[0] for line in done.stdout.splitlines()[1:]] == [
        "r+top_ranked",
        "s+top_ranked",
        "t+top_ranked",
    ]


def test_explain_accepts_the_name_of_a_run_and_of_a_rewritten_run(
    campaign: Path, xcg_command: Command
) -> None:
    call = ("explain", campaign / "c.yaml", "--topic", "1", "--format", "json", "--run")
    strategies = ("--strategy", "top_ranked", "--strategy", "thorough")

    def explained(run: str) -> list[tuple[str, int]]:
        done = xcg_command(*call, run, *strategies)
        assert done.returncode == 0, done.stderr
        rows = json.loads(done.stdout)
        names = list(dict.fromkeys(row["run"] for row in rows))
        return [(name, sum(row["run"] == name and bool(row["rank"]) for row in rows)) for name in names]

    assert explained("s+top_ranked") == [("s+top_ranked", 2)]
    assert explained("s") == [("s+top_ranked", 2), ("s+thorough", 3)]
    done = xcg_command(*call, "s+top_rankd", *strategies)
    assert done.returncode == 2
    assert done.stderr.endswith("did you mean 's+top_ranked'?\n")


GOLD = {"1": {"d": {"/a": (3, 2), "/a/p[1]": (3, 3)}}, "2": {"d": {"/a/p[1]": (3, 3)}}}
RUNS = {"r": {"1": ["d#/a", "d#/a/p[1]"], "2": ["d#/a", "d#/a/p[1]"]}}
DOCUMENTS = {"d": "<a><p>some words</p><p>more text</p></a>"}


def test_functions_accept_strategies() -> None:
    names = ["r+top_ranked", "r+thorough"]
    given = {"strategies": ["top_ranked", "thorough"]}
    assert xcg.evaluate(GOLD, RUNS, DOCUMENTS, measures="MAep", **given).runs == names
    lines = xcg.curves(GOLD, RUNS, DOCUMENTS, depth=2, **given)
    assert list(dict.fromkeys(line.run for line in lines)) == names
    found = xcg.explain(GOLD, RUNS, "1", DOCUMENTS, **given)
    assert [(one.run, len(one.results)) for one in found] == [(names[0], 1), (names[1], 2)]
    inputs = Inputs(GOLD, RUNS, DOCUMENTS, measures="MAep", **given)
    assert list(dict.fromkeys(line.run for line in perturb(inputs, [0, 1]))) == names
    comparison = xcg.compare_chunks({"1": {"d": [(0, 5)]}}, RUNS, DOCUMENTS, **given)
    assert [line.run for line in comparison.lines] == names


def test_the_assertion_of_test_suites_accepts_strategies() -> None:
    given = {"strategies": ["innermost", "thorough"], "user_model": "kazai-lalmas-2006"}
    results = assert_retrieval(GOLD, RUNS, DOCUMENTS, at_least={"MAep": 0.1}, **given)
    assert results.runs == ["r+innermost", "r+thorough"]
    with pytest.raises(AssertionError) as caught:
        assert_retrieval(GOLD, RUNS, DOCUMENTS, at_least={"MAep": 0.9}, **given)
    assert "r+thorough" in str(caught.value)
    assert "r+innermost" not in str(caught.value)
    baseline = xcg.Run.of("baseline", RUNS["r"])
    results = assert_retrieval(
        *(GOLD, RUNS, DOCUMENTS),
        not_worse_than=baseline,
        measures="MAep",
        allow_underpowered=True,
        **given,
    )
    assert results.runs == ["r+innermost", "r+thorough", "baseline"]
