"""Paths, scripts, and fixtures that run the command and build the manual as users do."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import lxml.etree  # noqa: F401 - imported here so that lazy imports do not count against time limits
import networkx  # noqa: F401
import numpy  # noqa: F401
import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, settings

from xcg.cli.main import main

ROOT = Path(__file__).parent.parent
REAL_DATA = ROOT.parent / "shared" / "data"

Command = Callable[..., "subprocess.CompletedProcess[str]"]


SHARED_FIXTURES = [HealthCheck.function_scoped_fixture]  # an example may use the folder of another
settings.register_profile(
    "small", max_examples=20, deadline=None, suppress_health_check=SHARED_FIXTURES
)
settings.register_profile("large", settings.get_profile("small"), max_examples=100)
settings.load_profile("small")

_CACHE = tempfile.TemporaryDirectory(prefix="xcg-cache-")
os.environ["XCG_CACHE"] = _CACHE.name  # the user's own cache is not touched


SYSTEM = {name: os.environ[name] for name in ("SYSTEMROOT", "TEMP", "TMP") if name in os.environ}
"""Environment variables without which no program of Windows runs."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if os.name == "nt":
        for item in items:
            if item.get_closest_marker("posix"):
                item.add_marker(pytest.mark.skip(reason="Windows lacks a part of POSIX that it needs"))


def pytest_unconfigure() -> None:
    _CACHE.cleanup()


@pytest.fixture
def root() -> Path:
    return ROOT


@pytest.fixture(autouse=True)
def _safe_path_of_one_test() -> Iterator[None]:
    """Let processes of later tests import modules of the working folder."""
    yield
    os.environ.pop("PYTHONSAFEPATH", None)


@pytest.fixture
def xcg_command(monkeypatch: pytest.MonkeyPatch) -> Command:
    """Run ``xcg`` in this process; an unexpected exception fails the test."""

    def run(
        *arguments: object, cwd: Path = ROOT, stdin: str | None = None
    ) -> subprocess.CompletedProcess[str]:
        words = list(map(str, arguments))
        monkeypatch.chdir(cwd)
        result = CliRunner().invoke(main, words, stdin, prog_name="xcg")
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return subprocess.CompletedProcess(words, result.exit_code, result.stdout, result.stderr)

    return run


def without_note(stderr: str) -> str:
    """Return messages without the note that another divisor of MAep orders runs differently."""
    lines = stderr.splitlines(keepends=True)
    return "".join(line for line in lines if not line.startswith("xcg: note: unretrieved=max would"))


@pytest.fixture
def ending_server(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let ``xcg judge`` listen on any free port, and end when it would wait for requests."""
    from xcg.judge import server

    listen = server.listen
    monkeypatch.setattr("xcg.judge.server.listen", lambda host, _: listen(host, 0))
    monkeypatch.setattr("xcg.judge.server.serve", lambda *_: None)
    monkeypatch.setattr("webbrowser.open", lambda _: True)


@pytest.fixture
def xcg_process() -> Command:
    """Run ``xcg`` in a process of its own."""

    def run(
        *arguments: object, cwd: Path = ROOT, stdin: str | None = None
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "xcg", *map(str, arguments)],
            cwd=cwd,
            input=stdin,
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
            env={
                **SYSTEM,
                "PYTHONPATH": str(ROOT),
                "PATH": "/usr/bin:/bin",
                "PYTHONIOENCODING": "utf-8",
                "XCG_CACHE": os.environ["XCG_CACHE"],
            },
        )

    return run


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the site with warnings as errors, or return the built site that ``XCG_SITE`` names."""
    if built := os.environ.get("XCG_SITE"):
        return Path(built)
    for package in ("furo", "myst_parser", "sphinx_copybutton"):
        pytest.importorskip(package, reason="needs the extra docs")
    folder = tmp_path_factory.mktemp("site")
    builder = (sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going")
    done = subprocess.run(
        [*builder, "-d", folder / "doctrees", ROOT / "docs", folder / "html"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return folder / "html"


def load_script(path: Path) -> ModuleType:
    """Import a script that is not part of a package."""
    spec = importlib.util.spec_from_file_location(f"script_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses need it
    spec.loader.exec_module(module)
    return module


def real_documents(folder: str, pattern: str) -> list[Path]:
    """Return real articles next to the checkout; the test skips if there are none."""
    return sorted((REAL_DATA / folder).glob(pattern))
