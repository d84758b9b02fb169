"""Run a command in a terminal of a fixed width."""

from __future__ import annotations

import fcntl
import os
import pty
import struct
import subprocess
import tempfile
import termios
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parent.parent


def terminal_output(words: Sequence[str], columns: int = 80, cwd: Path = ROOT) -> str:
    """Return what a command prints on a terminal without colour, and then its messages.

    Standard error is no terminal, so there is no progress bar, which depends on the time.
    """
    master, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    environment = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    environment |= {"TERM": "xterm", "NO_COLOR": "1"}
    with tempfile.TemporaryFile() as messages:
        with subprocess.Popen(
            words, stdin=terminal, stdout=terminal, stderr=messages, cwd=cwd, env=environment
        ):
            os.close(terminal)
            output = b"".join(_blocks(master))
        os.close(master)
        messages.seek(0)
        output += messages.read()
    return output.decode().replace("\r\n", "\n")


def _blocks(master: int) -> list[bytes]:
    """Read until the command has closed its side; Linux then reports an error."""
    blocks = []
    while True:
        try:
            block = os.read(master, 1 << 16)
        except OSError:
            return blocks
        if not block:
            return blocks
        blocks.append(block)
