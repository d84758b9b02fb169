"""The options --order and --ties, and standard input, in all commands that read runs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import Command

QRELS = "1 0 a 1\n1 0 b 0\n1 0 c 0\n1 0 d 0\n"
RUN = "1 Q0 c 2 1 t\n1 Q0 a 2 1 t\n1 Q0 b 1 0.5 t\n1 Q0 d 3 2 t\n"
ORDERS = {
    (): "d c a b",
    ("--ties", "document"): "d c a b",
    ("--ties", "rank"): "d c a b",
    ("--order", "rank"): "b c a d",
    ("--order", "rank", "--ties", "file"): "b c a d",
    ("--order", "file"): "c a b d",
}


@pytest.fixture
def campaign(tmp_path: Path) -> Path:
    (tmp_path / "q").write_text(QRELS)
    (tmp_path / "r").write_text(RUN)
    (tmp_path / "c.yaml").write_text("assessments: q\nruns: r\nmeasures: RR\n")
    return tmp_path


@pytest.mark.parametrize("options", ORDERS)
def test_the_order_decides_about_scores_and_converted_runs(
    campaign: Path, xcg_command: Command, options: tuple[str, ...]
) -> None:
    order = ORDERS[options].split()
    done = xcg_command("evaluate", campaign / "c.yaml", *options)
    assert done.stdout.split() == ["run", "RR", "t", f"{1 / (order.index('a') + 1):.4f}"]
    converted = xcg_command("convert", "--run", campaign / "r", "--to", "jsonl", *options)
    assert [json.loads(line)["doc"] for line in converted.stdout.splitlines()] == order
    explained = xcg_command(
        "explain", campaign / "c.yaml", "--run", campaign / "r", "--topic", "1", *options,
        "--format", "json",
    )  # fmt: skip
    assert [row["file"] for row in json.loads(explained.stdout)] == order


def test_the_order_may_be_in_the_configuration(campaign: Path, xcg_command: Command) -> None:
    config = campaign / "c.yaml"
    text = config.read_text()
    config.write_text(text + "order: file\n")
    assert "0.5000" in xcg_command("evaluate", config).stdout
    assert "0.3333" in xcg_command("evaluate", config, "--order", "score").stdout
    config.write_text(text + "ties: rank\n")
    assert "0.5000" in xcg_command("evaluate", config, "--order", "file").stdout
    config.write_text(text + "order: file\nties: rank\n")
    wrong = xcg_command("evaluate", config)
    message = "ties: ties is 'rank', which has no effect: the order 'file' has no ties"
    assert (wrong.returncode, wrong.stderr) == (2, f"xcg: error: {config}:5: {message}\n")
    config.write_text(text + "order: ranks\n")
    wrong = xcg_command("evaluate", config)
    assert wrong.returncode == 2
    assert wrong.stderr.startswith(f"xcg: error: {config}:4: order: ")
    assert "did you mean 'rank'" in wrong.stderr


@pytest.mark.parametrize(
    ("command", "options", "message"),
    [
        ("evaluate", "--order file --ties document", "--ties has no effect with --order file"),
        ("evaluate", "--order rank --ties rank", "order and ties are both 'rank'"),
        ("convert", "--order file --ties rank", "--ties has no effect with --order file"),
    ],
)
def test_options_without_effect_are_refused(
    campaign: Path, xcg_command: Command, command: str, options: str, message: str
) -> None:
    files = ["--run", campaign / "r"]
    files += ["--to", "trec"] if command == "convert" else ["--assessments", campaign / "q"]
    done = xcg_command(command, *files, *options.split())
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"xcg: error: {message}")
    assert done.stderr.count("\n") == 1


def test_orders_of_runs_are_refused_for_assessments(campaign: Path, xcg_command: Command) -> None:
    wrong = xcg_command("convert", "--assessments", campaign / "q", "--to", "jsonl", "--order", "file")
    assert (wrong.returncode, wrong.stderr) == (
        2,
        "xcg: error: --order has no effect on assessments: remove it\n",
    )


COMMANDS = [
    "evaluate --assessments q --run - --order file --measures RR",
    "evaluate --assessments q --run - --run r --workers 2",
    "explain --run - --assessments q --topic 1",
    "explain c.yaml --run - --topic 1",
    "validate --assessments q --run -",
    "convert --run - --to jsonl",
    "curves --assessments q --run -",
    "report --assessments q --run - --output h.html",
    "perturb --assessments q --run - --measures nxCG@2",
]


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_read_a_run_from_standard_input(
    campaign: Path, xcg_command: Command, command: str
) -> None:
    """The output is that for a file with the same content."""
    (campaign / "f").write_text(RUN)
    words = command.split()
    expected = xcg_command(*("f" if word == "-" else word for word in words), cwd=campaign)
    done = xcg_command(*words, cwd=campaign, stdin=RUN)
    status = 1 if command.startswith("validate") else 0  # its ranks and scores contradict each other
    assert (done.returncode, done.stdout) == (
        status,
        expected.stdout.replace("[f]", "[-]").replace("f, t", "-, t"),
    )


def test_assessments_from_standard_input(campaign: Path, xcg_command: Command) -> None:
    done = xcg_command(
        "evaluate", "--assessments", "-", "--run", "r", "--measures", "RR", cwd=campaign, stdin=QRELS
    )
    assert (done.returncode, done.stdout.split()) == (0, ["run", "RR", "t", "0.3333"]), done.stderr
    both = xcg_command("evaluate", "--assessments", "-", "--run", "-", cwd=campaign, stdin=QRELS)
    message = "-: standard input is already used for assessments; expected a file with runs"
    assert (both.returncode, both.stdout, both.stderr) == (2, "", f"xcg: error: {message}\n")
    both = xcg_command("inex-eval", "-f", "-", "-", cwd=campaign, stdin=QRELS)
    assert (both.returncode, both.stdout, both.stderr) == (2, "", f"xcg: error: {message}\n")
    empty = xcg_command("evaluate", "--assessments", "q", "--run", "-", cwd=campaign, stdin="")
    assert (empty.returncode, empty.stderr) == (2, "xcg: error: -: an empty file; expected a run\n")
    config = campaign / "c.yaml"
    config.write_text("assessments: q\nruns: '-'\nmeasures: RR\n")
    done = xcg_command("evaluate", config, stdin=RUN)
    assert (done.returncode, done.stdout.split()) == (0, ["run", "RR", "t", "0.3333"]), done.stderr
