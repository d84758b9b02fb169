"""Run commands on a pseudo-terminal."""

from __future__ import annotations

import os
import struct
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

import pytest

ROOT = Path(__file__).parent.parent
_OF_TERMINALS = ("COLUMNS", "LINES", "NO_COLOR")
_NO_COLOUR = MappingProxyType({"NO_COLOR": "1"})


def run_on_terminal(
    words: Sequence[str], width: int = 80, cwd: Path = ROOT, environment: Mapping[str, str] = _NO_COLOUR
) -> subprocess.CompletedProcess[str]:
    """Run a command with its standard output on a terminal.

    Standard error is no terminal, so there is no progress bar, which depends on the time.

    Args:
        words: The command.
        width: The width of the terminal; 0 for an unknown width.
        cwd: The folder in which the command runs.
        environment: Environment variables of terminals. By default there is no colour.
    """
    fcntl, pty, termios = map(pytest.importorskip, ("fcntl", "pty", "termios"))
    own, other = pty.openpty()
    fcntl.ioctl(other, termios.TIOCSWINSZ, struct.pack("HHHH", 24, width, 0, 0))
    inherited = {name: value for name, value in os.environ.items() if name not in _OF_TERMINALS}
    blocks: list[bytes] = []
    reader = threading.Thread(target=_read, args=(own, blocks))
    reader.start()
    done = subprocess.run(
        words,
        stdin=subprocess.DEVNULL,
        stdout=other,
        stderr=subprocess.PIPE,
        cwd=cwd,
        env={**inherited, **environment, "TERM": "xterm"},
        text=True,
        timeout=120,
    )
    os.close(other)
    reader.join()
    os.close(own)
    text = b"".join(blocks).decode().replace("\r\n", "\n")
    return subprocess.CompletedProcess(done.args, done.returncode, text, done.stderr)


def on_terminal(
    *arguments: str, width: int = 80, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run ``xcg`` with its standard output on a terminal; without colour by default."""
    words = [sys.executable, "-m", "xcg", *map(str, arguments)]
    return run_on_terminal(words, width, environment=environment or _NO_COLOUR)


def terminal_output(words: Sequence[str], columns: int = 80, cwd: Path = ROOT) -> str:
    """Return what a command prints on a terminal, and then its messages."""
    done = run_on_terminal(words, columns, cwd)
    return done.stdout + done.stderr


def _read(terminal: int, blocks: list[bytes]) -> None:
    """Read until the command has closed its side; Linux then reports an error."""
    while True:
        try:
            block = os.read(terminal, 1 << 16)
        except OSError:
            return
        if not block:
            return
        blocks.append(block)
