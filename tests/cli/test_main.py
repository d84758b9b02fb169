"""The group of commands: lazy loading, help, errors, output and progress."""

from __future__ import annotations

import builtins
import io
import shlex
import subprocess
import sys
import types
from pathlib import Path
from typing import Any

import click
import pytest
from conftest import ROOT, Command
from page_session import add_samples

import xcg
from xcg.cli import command as output
from xcg.cli.command import Command as GroupedCommand
from xcg.cli.main import COMMANDS, PURPOSES, LazyGroup, main
from xcg.errors import missing_extra

HEAVY = [
    *("dask", "distributed", "hypothesis", "ir_measures", "joblib", "markdown_it", "matplotlib"),
    *("networkx", "pandas", "rapidfuzz", "rich", "scipy", "statsmodels"),
]
"""Packages that most commands do not need, and that are slow to import."""


def test_help_lists_every_command_with_its_summary(xcg_command: Command) -> None:
    text = " ".join(xcg_command("--help").stdout.split())
    for name, (_, summary) in COMMANDS.items():
        assert f"{name} {summary}" in text
        assert summary.endswith(".")


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_and_option_has_help_in_sentences(name: str) -> None:
    command = main.get_command(click.Context(main), name)
    assert command is not None
    assert command.name == name
    commands = [command]
    if isinstance(command, click.Group):
        commands += command.commands.values()
    for one in commands:
        assert one.help is not None
        assert one.help.partition("\n\n")[0].strip().endswith(".")
        for option in one.params:
            if isinstance(option, click.Option):
                assert option.help is not None, (name, option.name)
                sentence = option.help.partition("  [default")[0]
                assert sentence[0].isupper(), sentence
                assert sentence.endswith("."), sentence


def every_command() -> list[tuple[str, click.Command]]:
    found = []
    for name in COMMANDS:
        command = main.get_command(click.Context(main), name)
        if isinstance(command, click.Group):
            found += [(f"{name} {part}", one) for part, one in command.commands.items()]
        elif command is not None:
            found.append((name, command))
    return found


@pytest.mark.slow
@pytest.mark.usefixtures("ending_server")
@pytest.mark.parametrize(("name", "command"), every_command())
def test_the_example_of_every_command_runs_on_the_samples(
    name: str, command: click.Command, xcg_command: Command, tmp_path: Path
) -> None:
    add_samples(tmp_path)
    (tmp_path / "qrels.txt").write_text("1 Q0 d 10 100 0 0:10\n")
    (tmp_path / "run.txt").write_text("1 Q0 d 1 1.0 r 0 10\n")
    assert isinstance(command, GroupedCommand)
    words = shlex.split(command.example)
    assert command.example.startswith(f"xcg {name}")
    done = xcg_command(*words[1:], cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    for option in ("--output", "--plot"):
        if option in words:
            assert (tmp_path / words[words.index(option) + 1]).exists()
    text = xcg_command(*name.split(), "--help").stdout
    example = text.partition("\nExample:\n")[2].partition("\n\n")[0]
    assert shlex.split(example.replace("\\\n", "")) == words
    assert max(map(len, example.splitlines())) < 80


def test_help_lists_every_command_under_one_purpose(xcg_command: Command) -> None:
    assert sorted(name for names in PURPOSES.values() for name in names) == sorted(COMMANDS)
    text = xcg_command("--help").stdout
    assert all(f"\n{purpose}:\n" in text for purpose in PURPOSES)


def test_help_lists_options_in_groups(xcg_command: Command) -> None:
    lines = xcg_command("compare", "--help").stdout.splitlines()
    own, given, other = (
        lines.index(f"{title}:") for title in ("Options of this command", "Input", "Other")
    )

    def line_of(option: str) -> int:
        return max(n for n, line in enumerate(lines) if line.startswith(f"  {option} "))

    assert own < line_of("--baseline") < line_of("--plot") < given < line_of("--assessments")
    assert line_of("--run") < line_of("--user-model") < other < line_of("--set") < line_of("--format")
    assert line_of("--format") < line_of("--workers") < line_of("-h, --help") == len(lines) - 1


def test_version_and_help_of_commands(xcg_command: Command) -> None:
    assert xcg_command("--version").stdout == f"xcg, version {xcg.__version__}\n"
    for command in COMMANDS:
        assert xcg_command(command, "--help").stdout.startswith("Usage: ")


def test_help_and_version_import_no_command() -> None:
    program = (
        "import sys; from xcg.cli.main import main\n"
        "try: main(['--help'])\n"
        "except SystemExit: pass\n"
        f"heavy = {['numpy', 'lxml', 'yaml', *HEAVY]}\n"
        "print([m for m in sys.modules if m in heavy or m.startswith('xcg.evaluation')])"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True)
    assert done.stdout.endswith("[]\n"), done.stdout


def test_a_missing_extra_is_named(xcg_command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "hypothesis", None)
    for module in [
        name for name in sys.modules if name.startswith(("xcg.laws", "xcg.answers.law_search"))
    ]:
        monkeypatch.delitem(sys.modules, module)
    original = builtins.__import__

    def without_hypothesis(name: str, *arguments: Any) -> types.ModuleType:
        if name.partition(".")[0] == "hypothesis":
            raise ModuleNotFoundError(name, name="hypothesis")
        return original(name, *arguments)

    monkeypatch.setattr(builtins, "__import__", without_hypothesis)
    done = xcg_command("study", "laws", "--measure", "nxCG@10")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"xcg: error: {missing_extra('study laws', 'hypothesis', 'break')}\n"


def test_a_broken_module_is_not_reported_as_a_missing_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(COMMANDS, "show", ("no_such_module:show", "Show nothing."))
    with pytest.raises(ModuleNotFoundError, match="no_such_module"):
        main.get_command(click.Context(main), "show")
    assert isinstance(main, LazyGroup)


def test_messages_show_control_characters_escaped(xcg_command: Command) -> None:
    done = xcg_command("evaluate", "no\x1b[31m\n.yaml")
    assert done.returncode == 2
    assert done.stderr.startswith("xcg: error: no\\x1b[31m\\n.yaml: no such file")
    assert done.stderr.count("\n") == 1


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_progress_appears_on_a_terminal_after_a_delay(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("NO_COLOR", "1")
    with output.progress_bar("tasks") as progress:
        assert progress is not None
        progress(1, 2)
        assert terminal.getvalue() == ""  # short commands show no bar
    monkeypatch.setattr(output, "_PROGRESS_DELAY", -1.0)
    with output.progress_bar("tasks") as progress:
        assert progress is not None
        progress(2, 2)
        assert terminal.getvalue() == ""  # everything is done already
        progress(1, 2)
        progress(2, 2)
    assert "tasks" in terminal.getvalue()
    assert "2/2" in terminal.getvalue()
    assert "left" in terminal.getvalue()  # after the remaining time
    *_, last = terminal.getvalue().split("left")
    assert "\x1b[2K" in last  # the bar is erased at the end


def test_progress_ends_cleanly_when_it_is_interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr(output, "_PROGRESS_DELAY", -1.0)
    monkeypatch.setenv("TERM", "xterm")

    def interrupt() -> None:
        with output.progress_bar("tasks") as progress:
            assert progress is not None
            progress(1, 2)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupt()
    assert terminal.getvalue().rfind("\x1b[?25h") > terminal.getvalue().rfind("\x1b[?25l")  # the cursor


def test_there_is_no_progress_without_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    with output.progress_bar() as progress:
        assert progress is None


def fail_after_writing(target: Path) -> None:
    with output.open_output(target) as write:
        write("half")
        raise RuntimeError


def test_output_is_replaced_at_the_end(tmp_path: Path) -> None:
    target = tmp_path / "out.txt"
    target.write_text("old")
    with output.open_output(target) as write:
        write("ne")
        write("wé")
        assert target.read_text() == "old"
    assert target.read_text() == "newé"
    with pytest.raises(RuntimeError):
        fail_after_writing(target)
    assert target.read_text() == "newé"
    assert list(tmp_path.iterdir()) == [target]


def test_a_hyphen_is_standard_output(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    with output.open_output(Path("-")) as write:
        write("text")
    assert capsys.readouterr().out == "text"
    assert not list(tmp_path.iterdir())


def test_an_option_of_a_key_is_of_the_same_kind_in_all_commands() -> None:
    kinds: dict[str, set[object]] = {}
    for _, command in every_command():
        for option in command.params:
            if isinstance(option, click.Option) and option.multiple | option.is_flag:
                kinds.setdefault(option.opts[0], set()).add((option.multiple, option.is_flag))
    assert {option for option, found in kinds.items() if len(found) > 1} == set()


WORKED = (
    "sweep configs/sweep.yaml --measures MAep --set sweep.resamples=0",
    "study assessors {} --set study.assessors.others=assessments/handbook-second "
    "--set user_model=overlap-off --set measures=MAep",
    "chunks corpora_samples/chunks/retrieval.yaml --measures RR",
    "study calibrate {} --set measures=MAep --set user_model=overlap-off "
    "--set study.calibrate.test=t --set study.calibrate.campaigns=20",
)


@pytest.mark.slow
@pytest.mark.parametrize("command", WORKED)
def test_workers_change_no_number(xcg_command: Command, command: str) -> None:
    words = command.format("configs/quickstart.yaml").split()
    one = xcg_command(*words, "--format", "jsonl")
    two = xcg_command(*words, "--format", "jsonl", "--workers", "2")
    assert one.returncode == 0, one.stderr
    assert one.stdout == two.stdout
