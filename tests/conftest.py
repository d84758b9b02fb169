"""Where things are, and the command as a user runs it."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import lxml.etree  # noqa: F401 - what is imported when first needed would count against time limits
import networkx  # noqa: F401
import numpy  # noqa: F401
import pytest

ROOT = Path(__file__).parent.parent
REAL_DATA = ROOT.parent / "shared" / "data"

Command = Callable[..., "subprocess.CompletedProcess[str]"]


_CACHE = tempfile.TemporaryDirectory(prefix="xcg-cache-")
os.environ["XCG_CACHE"] = _CACHE.name  # not the user's own


def pytest_unconfigure() -> None:
    _CACHE.cleanup()


@pytest.fixture
def root() -> Path:
    return ROOT


@pytest.fixture
def xcg_command() -> Command:
    """Run ``xcg`` in a process of its own."""

    def run(*arguments: object, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "xcg", *map(str, arguments)],
            cwd=cwd,
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
            env={
                "PYTHONPATH": str(ROOT),
                "PATH": "/usr/bin:/bin",
                "PYTHONIOENCODING": "utf-8",
                "XCG_CACHE": os.environ["XCG_CACHE"],
            },
        )

    return run


def real_documents(folder: str, pattern: str) -> list[Path]:
    """Real articles beside the checkout; a test skips where they are not."""
    return sorted((REAL_DATA / folder).glob(pattern))
