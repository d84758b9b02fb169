"""xcg runs on systems that lack parts of POSIX, as far as this can be tested on another system."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT

WITHOUT_POSIX = """
import importlib, os, pkgutil, sys, types

def import_all():
    import xcg
    optional = ("xcg.__main__", "xcg.integrations.")
    for module in pkgutil.walk_packages(xcg.__path__, "xcg."):
        if not module.name.startswith(optional):
            importlib.import_module(module.name)

import_all()  # loads the libraries, which are those of this system
import joblib, lxml.html, markdown_it, matplotlib.pyplot, platformdirs, sqlite3, tempfile
for name in [name for name in sys.modules if name.partition(".")[0] == "xcg"]:
    del sys.modules[name]
for name in ("fcntl", "grp", "pty", "pwd", "resource", "termios", "tty"):
    sys.modules[name] = None
missing = (
    "fork geteuid getegid getuid getgid getpgid killpg mkfifo mknod openpty setsid sysconf "
    "O_CLOEXEC O_DIRECTORY O_NOFOLLOW O_NONBLOCK sched_getaffinity"
)
for name in missing.split():
    if hasattr(os, name):
        delattr(os, name)
sys.modules["msvcrt"] = types.SimpleNamespace(LK_NBLCK=2, locking=lambda descriptor, mode, size: None)
sys.platform = "win32"
import_all()

from xcg.cli.main import main
main(sys.argv[1:])
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "written"),
    [
        ("evaluate configs/quickstart.yaml --output {}/scores.csv --format csv", "scores.csv"),
        ("evaluate configs/quickstart.yaml --output {}/old.txt", "old.txt"),
        ("curves configs/kazai-lalmas-2006.yaml --measures ep --plot {}/ep.svg", "ep.svg"),
        ("report configs/quickstart.yaml --output {}/report.html", "report.html"),
        ("samples {}/samples", "samples/configs/quickstart.yaml"),
        ("simulate {}/campaign --small", "campaign/config.yaml"),
        ("convert --run corpora_samples/handbook-runs/merged.xml --to trec --output {}/m.run", "m.run"),
    ],
)
def test_commands_work_without_the_posix_parts_of_python(
    arguments: str, written: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XCG_CACHE", str(tmp_path / "cache"))
    (tmp_path / "old.txt").write_text("old")
    words = arguments.replace("{}", str(tmp_path)).split()
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_POSIX, *words], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / written).stat().st_size > 100
    assert not list(tmp_path.rglob(".xcg-*"))
