"""``xcg list --bibtex``: what to cite."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from conftest import Command

import xcg
from xcg.report.citations import entries_of


def keys(bibtex: str) -> list[str]:
    return re.findall(r"^@\w+\{([^,]+),$", bibtex, re.MULTILINE)


def cite(command: Command, *names: object) -> subprocess.CompletedProcess[str]:
    kind = ("measures",) if names else ()
    return command("list", *kind, *names, "--bibtex")


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        ("MAep", ["kazai-lalmas-2006"]),
        ("nxCG@10", ["kazai-lalmas-2006", "jarvelin-kekalainen-2002"]),
        ("MAep(unretrieved=max) sog ep@0.1", ["kazai-lalmas-2006"]),
        ("muAP controlled(ancestor=0)", ["scheel-lommatzsch-albayrak-2011", "clarke-2005"]),
        ("inex-2005", ["kazai-lalmas-inex-2005", "kazai-lalmas-2006"]),
        ("RBP", ["moffat-zobel-2008"]),
        ("R@10", ["van-rijsbergen-1979", "trec-eval"]),
        ("configs/user_models/levels.yaml", ["kazai-lalmas-2006"]),
    ],
)
def test_cite_prints_each_entry_once(xcg_command: Command, names: str, expected: list[str]) -> None:
    done = cite(xcg_command, *names.split())
    assert sorted(keys(done.stdout)) == sorted(expected)
    assert done.stdout == "\n".join(f"{entry.bibtex}\n" for entry in entries_of(keys(done.stdout)))


def test_without_names_the_entry_of_xcg_is_printed(xcg_command: Command) -> None:
    done = cite(xcg_command)
    assert keys(done.stdout) == ["xcg"]
    assert f"  version = {{{xcg.__version__}}},\n}}\n" in done.stdout


def test_a_name_without_a_published_source_says_so(xcg_command: Command) -> None:
    done = cite(xcg_command, "outermost", "distance", "MAep")
    assert keys(done.stdout) == ["kazai-lalmas-2006"]
    assert "the strategy outermost has no published source" in done.stderr
    assert "the near-miss model distance has no published source" in done.stderr


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("MAepp", "did you mean 'MAep'?"),
        ("sogg", "did you mean 'sog'?"),
        ("controled", "did you mean 'controlled'?"),
        ("nxCG@x", "expected a rank from 1"),
        ("missing.yaml", "no such file"),
        ("", "expected one of"),
    ],
)
def test_an_unknown_name_is_one_error(xcg_command: Command, name: str, message: str) -> None:
    done = cite(xcg_command, "MAep", name)
    assert done.returncode == 2
    assert done.stdout == ""
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_function_of_ones_own_can_declare_an_entry(
    xcg_command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine.py").write_text(
        "def first(ranking, corpus):\n    return ranking.top(1)\n\n"
        "first.references = ('@misc{own,\\n  title = {Mine},\\n}',)\n"
    )
    done = xcg_command("list", "strategies", "mine:first", "--bibtex", cwd=tmp_path)
    assert done.stdout == "@misc{own,\n  title = {Mine},\n}\n"
