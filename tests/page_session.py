"""Run the examples of a page in the order of a reader, in a folder with the sample files.

A block ``console`` shows commands after ``$ `` with their whole output, notes included. ``…`` stands
for any text in a line, or for any lines. A command that fails shows its message, or its status by
``$ echo $?``. A block ``{code-block}`` with a caption is a file of that name. A block ``pycon`` is a
Python session.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from conftest import ROOT, Command
from page_output import is_output, joined, written_examples

SAMPLES = ("assessments", "configs", "corpora_samples")

_BLOCK = re.compile(
    r"^(?P<fence>`{3,})(?P<info>[^`\n]*)\n(?P<content>(?s:.*?))^(?P=fence)[ ]*$", re.MULTILINE
)
_CAPTION = re.compile(
    r"(?:^:[\w-]+:.*\n)*?^:caption:[ ]*(\S+)[ ]*\n(?:^:[\w-]+:.*\n)*\n?", re.MULTILINE
)


class Block(NamedTuple):
    """A code block of a page. ``file`` is the name in its caption."""

    line: int
    language: str
    content: str
    file: str = ""


def code_blocks(text: str) -> Iterator[Block]:
    """Yield the code blocks of a page that have a language."""
    for match in _BLOCK.finditer(text):
        words = match["info"].split()
        line = text.count("\n", 0, match.start()) + 1
        if words[:1] in (["{code-block}"], ["{code}"]):
            caption = _CAPTION.match(match["content"])
            content = match["content"][caption.end() if caption else 0 :]
            yield Block(line, " ".join(words[1:2]), content, caption[1] if caption else "")
        elif words:
            yield Block(line, words[0], match["content"])


def commands(block: str) -> list[tuple[str, str]]:
    """Return the commands of a block ``console``, each on one line, with their output."""
    return [(joined(command), output) for command, output in written_examples(block)]


def add_samples(folder: Path, *names: str) -> None:
    """Add sample folders to a folder: links, or copies if the system does not allow links.

    Configurations are copied, because they name files to write with paths relative to their folder.
    """
    for name in names or SAMPLES:
        if name != "configs":
            with contextlib.suppress(OSError):
                (folder / name).symlink_to(ROOT / name, target_is_directory=True)
        if not (folder / name).exists():
            shutil.copytree(ROOT / name, folder / name)


class Session:
    """Runs the examples of a page in a folder of their own."""

    shows_notes = True  # whether the page shows standard error too

    def __init__(self, folder: Path, xcg_command: Command) -> None:
        self.folder = folder
        self._xcg = xcg_command
        self.names: dict[str, Any] = {}
        add_samples(folder)

    def problems(self, block: Block) -> Iterator[str]:
        """Run a block and yield what differs from the page."""
        if block.file:
            self._write(block)
        elif block.language == "console":
            yield from self._console(block.content)
        elif block.language == "pycon":
            yield from self._python(block.content)

    def _write(self, block: Block) -> None:
        path = self.folder / block.file
        assert path.resolve().is_relative_to(self.folder.resolve()), f"{block.file}: outside the folder"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(block.content, encoding="utf-8")

    def _console(self, block: str) -> Iterator[str]:
        status = 0
        examples = commands(block)
        for (command, expected), (following, _) in pairwise([*examples, ("", "")]):
            if command == "echo $?":
                found = f"{status}\n"
            else:
                done = self.run(command)
                found, status = done.stdout + done.stderr * self.shows_notes, done.returncode
                named = ("xcg: error:", " failed in ")  # the last line of pytest
                if status and following != "echo $?" and not any(text in expected for text in named):
                    yield f"$ {command}\nstatus {status}: expected its message, or $ echo $?"
            if not is_output(expected, found):
                yield f"$ {command}\n{found}"

    def run(self, command: str) -> subprocess.CompletedProcess[str]:
        """Run a command: xcg in this process, others in a shell."""
        program, *words = shlex.split(command)
        simple = not re.search(r"[|<>;&$*]", re.sub(r"'[^']*'|\"[^\"$]*\"", "", command))
        if program == "xcg" and simple:
            done = self._xcg(*words, cwd=self.folder)
            written = [word for option, word in pairwise(words) if option in {"--plot", "--output"}]
            assert done.returncode or all(
                (self.folder / name).stat().st_size for name in written if name != "-"
            )
            return done
        if os.name == "nt":
            pytest.skip("the page has commands for a POSIX shell")
        programs = _programs(self.folder.with_name(f"{self.folder.name}-programs"))
        return subprocess.run(
            ["bash", "-c", command],
            cwd=self.folder,
            env={
                "PYTHONPATH": str(ROOT),
                "PATH": f"{programs}:/usr/bin:/bin",
                "PYTHONIOENCODING": "utf-8",
                "XCG_CACHE": os.environ["XCG_CACHE"],
            },
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
            timeout=300,
        )

    def _python(self, block: str) -> Iterator[str]:
        test = doctest.DocTestParser().get_doctest(block, self.names, "page", None, None)
        runner = doctest.DocTestRunner(verbose=False)
        report = io.StringIO()
        with contextlib.chdir(self.folder):
            runner.run(test, out=report.write, clear_globs=False)
        self.names = test.globs
        if runner.failures:
            yield report.getvalue()


def _programs(folder: Path) -> Path:
    """Return a folder with the programs of this interpreter, for commands that need a shell."""
    calls = {"xcg": "-m xcg", "python": "", "pytest": "-m pytest -p no:cacheprovider"}
    folder.mkdir(exist_ok=True)
    for name, call in calls.items():
        script = folder / name
        script.write_text(f'#!/bin/sh\nexec "{sys.executable}" {call} "$@"\n', encoding="utf-8")
        script.chmod(0o755)
    return folder
