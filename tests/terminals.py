"""Run the command on a pseudo-terminal."""

from __future__ import annotations

import os
import struct
import subprocess
import sys
import threading

import pytest

fcntl = pytest.importorskip("fcntl")
pty = pytest.importorskip("pty")
termios = pytest.importorskip("termios")

_OF_TERMINALS = ("COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE")


def on_terminal(
    *arguments: str, width: int = 80, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run ``xcg`` with its standard output on a terminal.

    Args:
        arguments: The arguments.
        width: The width of the terminal; 0 for an unknown width.
        environment: Environment variables. By default there is no colour.
    """
    own, other = pty.openpty()
    fcntl.ioctl(other, termios.TIOCSWINSZ, struct.pack("HHHH", 24, width, 0, 0))
    inherited = {name: value for name, value in os.environ.items() if name not in _OF_TERMINALS}
    chunks: list[bytes] = []

    def read() -> None:
        while True:
            try:
                chunk = os.read(own, 65536)
            except OSError:  # Linux: the other end is closed
                return
            if not chunk:
                return
            chunks.append(chunk)

    reader = threading.Thread(target=read)
    reader.start()
    done = subprocess.run(
        [sys.executable, "-m", "xcg", *map(str, arguments)],
        stdin=subprocess.DEVNULL,
        stdout=other,
        stderr=subprocess.PIPE,
        env=inherited | (environment or {"NO_COLOR": "1"}) | {"TERM": "xterm"},
        text=True,
        timeout=120,
    )
    os.close(other)
    reader.join()
    os.close(own)
    text = b"".join(chunks).decode().replace("\r\n", "\n")
    return subprocess.CompletedProcess(done.args, done.returncode, text, done.stderr)
