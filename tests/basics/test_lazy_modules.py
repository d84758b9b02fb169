"""Packages that are imported on first use."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT


def run(script: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, cwd=ROOT, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_an_evaluation_of_whole_documents_imports_few_packages(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("1 0 a 1\n")
    (tmp_path / "run").write_text("1 Q0 a 1 2.5 bm25\n")
    words = ["evaluate", "--assessments", "qrels", "--run", "run", "--measures", "AP nDCG@10"]
    unused = {
        *("hashlib", "lxml", "networkx", "numpy"),
        *("pickle", "rich", "scipy"),
        *("socket", "sqlite3", "yaml"),
    }
    script = (
        f"import os, sys; from xcg.cli.main import main; os.chdir({str(tmp_path)!r});"
        f"main({words!r}, standalone_mode=False); print(sorted({unused!r} & set(sys.modules)))"
    )
    assert run(script).splitlines()[-1] == "[]"


def test_the_names_are_the_packages() -> None:
    import sqlite3

    import numpy
    from lxml import etree

    from xcg import lazy_modules

    assert lazy_modules.np.zeros is numpy.zeros
    assert lazy_modules.etree.fromstring is etree.fromstring
    assert lazy_modules.sqlite3.connect is sqlite3.connect
    with pytest.raises(AttributeError):
        lazy_modules.np.no_such_name  # noqa: B018


def test_several_threads_can_use_a_package_for_the_first_time_at_once() -> None:
    script = """
import threading
from xcg.lazy_modules import etree, np

errors = []
start = threading.Barrier(8)

def use():
    start.wait()
    try:
        np.zeros(3)
        etree.fromstring("<a/>")
    except Exception as error:
        errors.append(error)

threads = [threading.Thread(target=use) for _ in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(errors)
"""
    assert run(script) == "[]\n"
