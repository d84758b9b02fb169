"""Run the examples in README.md and docs/, and check their commands and links."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import click
import pytest
from conftest import ROOT

from xcg.cli.main import main
from xcg.evaluation.config import load_configuration

PAGES = [
    *(
        ROOT / name
        for name in (
            "README.md",
            "CHANGELOG.md",
            "SECURITY.md",
            "assessments/README.md",
            "benchmarks/README.md",
        )
    ),
    *sorted((ROOT / "docs").rglob("*.md")),
]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def blocks(*languages: str) -> list[object]:
    """Return the code blocks of all pages as test parameters."""
    return [
        pytest.param(
            block.group(2), id=f"{page.relative_to(ROOT)}:{text.count(chr(10), 0, block.start()) + 1}"
        )
        for page in PAGES
        for text in [page.read_text(encoding="utf-8")]
        for block in BLOCK.finditer(text)
        if block.group(1) in languages
    ]


def command_lines() -> list[object]:
    """Return the lines of shell blocks that run xcg, without comments."""
    lines = {
        line.strip()
        for page in PAGES
        for block in BLOCK.finditer(page.read_text(encoding="utf-8"))
        if block.group(1) == "sh"
        for line in re.split(r"[\n;]|&&", re.sub(r"\s#.*|\\\n", "", block.group(2)))
        if re.match(r"(\.venv/bin/)?xcg ", line.strip())
    }
    return [pytest.param(line, id=line) for line in sorted(lines)]


def test_the_readme_has_the_two_setup_commands_that_ci_runs() -> None:
    lines = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
    setup = [line for line in lines if line.startswith("python3 -m venv .venv")]
    assert [line.rpartition("&& ")[2] for line in setup] == [
        ".venv/bin/xcg evaluate configs/quickstart.yaml",
        ".venv/bin/python -m pytest -q",
    ]


@pytest.mark.parametrize("code", blocks("python"))
def test_python_examples_run_and_print_what_their_comments_say(code: str) -> None:
    for library in re.findall(r"^from (haystack|langchain_core|llama_index)\b", code, re.MULTILINE):
        pytest.importorskip(library)  # tests/integrations runs these with the libraries
    # In a process of their own, because examples add to registries.
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    for expected in re.findall(r"^print\(.*\)  # ([-\d.]+)$", code, re.MULTILINE):
        assert expected in done.stdout.split()


@pytest.mark.parametrize("content", blocks("yaml"))
def test_yaml_examples_are_valid_configurations(content: str, tmp_path: Path) -> None:
    for name in ("corpora_samples", "assessments"):
        (tmp_path / name).symlink_to(ROOT / name)
    folder = tmp_path / "configs"
    folder.mkdir()
    path = folder / "example.yaml"
    path.write_text(content, encoding="utf-8")
    load_configuration(path)


@pytest.mark.parametrize("line", command_lines())
def test_commands_and_options_exist(line: str) -> None:
    command: click.Command = main
    words = shlex.split(line)[1:]
    while isinstance(command, click.Group):
        found = command.get_command(click.Context(command), words.pop(0))
        assert found is not None, line
        command = found
    known = {option for parameter in command.params for option in parameter.opts}
    assert {word for word in words if re.match("--?[A-Za-z]", word)} <= known


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_to_files_work(page: Path) -> None:
    links = re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text(encoding="utf-8"))
    missing = [link for link in links if not (page.parent / link).exists()]
    assert not missing


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_files_named_in_the_text_exist(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    names = re.findall(r"`((?:xcg|tests|docs|configs|corpora_samples|assessments)/[\w./-]*)`", text)
    if page.name == "CHANGELOG.md":  # it also names files of earlier releases
        return
    assert not [name for name in names if not (ROOT / name).exists()]
