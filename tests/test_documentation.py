"""Run the examples in README.md and docs/, and check their commands and links."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import click
import pytest
from conftest import ROOT, Command
from page_session import Block, Session, add_samples, code_blocks
from terminals import terminal_output

import xcg
from xcg.cli.main import COMMANDS, main

GENERATED = {ROOT / "docs" / "reference" / name for name in ("commands", "definitions")}
"""The folders of pages that Sphinx writes; tests/test_site.py checks the links in them."""
PAGES = [
    *(
        ROOT / name
        for name in (
            "README.md",
            "CHANGELOG.md",
            "SECURITY.md",
            "CONTRIBUTING.md",
            "assessments/README.md",
            "benchmarks/README.md",
        )
    ),
    *(
        page
        for page in sorted((ROOT / "docs").rglob("*.md"))
        if not GENERATED.intersection(page.parents)
    ),
]


def blocks_of(page: Path, language: str) -> list[Block]:
    """Return the code blocks of a page in a language that are not files with a name."""
    blocks = code_blocks(page.read_text(encoding="utf-8"))
    return [block for block in blocks if block.language == language and not block.file]


def blocks(language: str) -> list[object]:
    """Return the code blocks of all pages as test parameters."""
    return [
        pytest.param(block.content, id=f"{page.relative_to(ROOT)}:{block.line}")
        for page in PAGES
        for block in blocks_of(page, language)
    ]


def command_lines() -> list[object]:
    """Return the lines of shell blocks that run xcg, without comments."""
    lines = {
        line.strip()
        for page in PAGES
        for block in blocks_of(page, "sh")
        for line in re.split(r"[\n;]|&&", re.sub(r"\s#.*|\\\n", "", block.content))
        if re.match(r"(\.venv/bin/)?xcg ", line.strip())
    }
    return [pytest.param(line, id=line) for line in sorted(lines)]


def test_the_readme_has_the_setup_commands_that_ci_runs() -> None:
    lines = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
    setup = [line for line in lines if line.startswith("python3 -m venv .venv")]
    assert [line.rpartition("&& ")[2] for line in setup] == [
        ".venv/bin/xcg evaluate configs/quickstart.yaml --measures MAep",
        ".venv/bin/python -m pytest -q -n auto",
        ".venv/bin/sphinx-build -q -W docs build/site",
    ]


def test_the_readme_shows_what_its_first_command_prints() -> None:
    command, shown, *_ = code_blocks((ROOT / "README.md").read_text(encoding="utf-8"))
    words = command.content.rpartition(".venv/bin/")[2].split()
    output = terminal_output([sys.executable, "-m", *words], columns=120)
    assert (shown.language, shown.content) == ("text", output)


@pytest.mark.slow
def test_the_first_hour_shows_what_its_commands_print() -> None:
    script = ROOT / "docs" / "start" / "make_first_hour.py"
    done = subprocess.run([sys.executable, script, "--check"], capture_output=True, text=True, cwd=ROOT)
    assert (done.returncode, done.stderr) == (0, "")


SLOW = ("report", "study", "sweep")


def examples() -> list[object]:
    """Return the lines of the README and of the list of commands that run xcg on the sample files."""
    pages = [ROOT / "README.md", ROOT / "docs" / "reference" / "commands.md"]
    lines = dict.fromkeys(
        re.sub(r"\s+#.*", "", line)
        for page in pages
        for block in blocks_of(page, "sh")
        for line in block.content.splitlines()
        if line.startswith("xcg ")
    )
    return [
        pytest.param(line, marks=pytest.mark.slow if line[4:].startswith(SLOW) else (), id=line)
        for line in lines
    ]


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the sample files, which the examples write into."""
    folder = tmp_path_factory.mktemp("checkout")
    add_samples(folder)
    return folder


@pytest.mark.usefixtures("ending_server")
@pytest.mark.parametrize("line", examples())
def test_examples_run_on_the_sample_files(line: str, samples: Path, xcg_command: Command) -> None:
    words = shlex.split(line)[1:]
    done = xcg_command(*words, cwd=samples)
    assert done.returncode == 0, done.stderr
    assert "xcg: error" not in done.stderr
    for option in ("--output", "--plot"):
        if option in words:
            assert (samples / words[words.index(option) + 1]).exists()


def test_the_list_of_commands_has_every_command() -> None:
    text = (ROOT / "docs" / "reference" / "commands.md").read_text(encoding="utf-8")
    assert not [name for name in COMMANDS if f"xcg {name}" not in text]


OWN_TESTS = {
    "docs/studies/overlap-strategies.md": "tests/campaigns/test_strategy_page.py",
    **{
        f"docs/decisions/papers/{page.name}": "tests/test_paper_pages.py"
        for page in (ROOT / "docs" / "decisions" / "papers").glob("*.md")
    },
}
"""Pages whose sessions have tests of their own."""

SLOW_PAGES = {"docs/howto/gate.md", "docs/studies/nuggets.md"}  # take more than three seconds


def pages_with_sessions() -> list[object]:
    """Return the pages that show commands or Python sessions with their output."""
    names = [page.relative_to(ROOT).as_posix() for page in PAGES]
    return [
        pytest.param(name, marks=pytest.mark.slow if name in SLOW_PAGES else (), id=name)
        for name in names
        if name not in OWN_TESTS
        and re.search(r"^```(console|pycon)$", (ROOT / name).read_text(encoding="utf-8"), re.MULTILINE)
    ]


@pytest.mark.parametrize("name", pages_with_sessions())
def test_commands_print_what_the_page_shows(name: str, tmp_path: Path, xcg_command: Command) -> None:
    (folder := tmp_path / "reader").mkdir()
    session = Session(folder, xcg_command)
    blocks = code_blocks((ROOT / name).read_text(encoding="utf-8"))
    wrong = [
        f"{name}:{block.line}\n{problem}" for block in blocks for problem in session.problems(block)
    ]
    assert not wrong, "\n\n".join(wrong)


@pytest.mark.parametrize("page", sorted(OWN_TESTS.items()))
def test_pages_with_their_own_tests_and_the_tests_exist(page: tuple[str, str]) -> None:
    assert all((ROOT / name).exists() for name in page)


def test_differences_between_a_page_and_its_commands_are_found(
    tmp_path: Path, xcg_command: Command
) -> None:
    (folder := tmp_path / "reader").mkdir()
    session = Session(folder, xcg_command)

    def correct(text: str) -> bool:
        return not [problem for block in code_blocks(text) for problem in session.problems(block)]

    config = "`" * 3 + "{code-block} yaml\n:caption: mine/own.yaml\n\nmeasures: [MAep]\n" + "`" * 3
    assert correct(config)
    assert (folder / "mine" / "own.yaml").read_text() == "measures: [MAep]\n"
    assert correct("```console\n$ cat mine/own.yaml\nmeasures: [MAep]\n```")
    assert not correct("```console\n$ cat mine/own.yaml\nmeasures: [ep]\n```")
    command = "$ xcg evaluate \\\n  configs/kazai-lalmas-2006.yaml --measures MAep\n"
    assert correct(f"```console\n{command}…\nrel_leaves     0.6333\n```")
    assert not correct(f"```console\n{command}…\nrel_leaves     0.6334\n```")
    assert correct("```console\n$ xcg evaluate no.yaml\nxcg: error: no.yaml: …\n$ echo $?\n2\n```")
    assert correct(
        "```console\n$ xcg evaluate no.yaml\nxcg: error: no.yaml: …\n$ xcg --version\n…\n```"
    )
    assert not correct("```console\n$ xcg evaluate no.yaml\n…\n```")
    assert not correct("```console\n$ xcg evaluate no.yaml\n…\n$ xcg --version\n…\n```")
    assert correct("```pycon\n>>> a = 1\n```\n\n```pycon\n>>> a\n1\n```")
    assert not correct("```pycon\n>>> a\n2\n```")


@pytest.mark.slow
@pytest.mark.parametrize("code", blocks("python"))
def test_python_examples_run_and_print_what_their_comments_say(code: str) -> None:
    for library in re.findall(r"^from (haystack|langchain_core|llama_index)\b", code, re.MULTILINE):
        pytest.importorskip(library)
    # In a process of their own, because examples add to registries.
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    for expected in re.findall(r"^print\(.*\)  # ([-\d.]+)$", code, re.MULTILINE):
        assert expected in done.stdout.split()


@pytest.mark.parametrize("content", blocks("yaml"))
def test_yaml_examples_are_valid_configurations(content: str, tmp_path: Path) -> None:
    add_samples(tmp_path, "corpora_samples", "assessments")
    folder = tmp_path / "configs"
    folder.mkdir()
    path = folder / "example.yaml"
    path.write_text(content, encoding="utf-8")
    assert xcg.load(path).inputs


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
    paths = [(page.parent / link).resolve() for link in links]
    missing = [path for path in paths if GENERATED.intersection(path.parents) or not path.exists()]
    assert not missing


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_files_named_in_the_text_exist(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    names = re.findall(r"`((?:xcg|tests|docs|configs|corpora_samples|assessments)/[\w./-]*)`", text)
    assert not [name for name in names if not (ROOT / name).exists()]
