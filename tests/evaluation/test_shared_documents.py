"""Several processes parse each assessed document once, and leave no temporary cache."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

import xcg
from xcg.errors import UnmappedError
from xcg.evaluation.inputs import Inputs
from xcg.evaluation.parallel import Executor
from xcg.evaluation.resolution import shared_cache

NAMES = [f"d{number}" for number in range(20)]
ASSESSMENTS = {
    topic: {name: {"/a[1]/s[1]": (2, 2)} for name in names}
    for topic, names in {"1": NAMES[:12], "2": NAMES[8:]}.items()
}
RUNS = {
    run: {topic: [f"{name}#/a[1]/s[{number}]" for name in NAMES] for topic in "12"}
    for run, number in (("r1", 1), ("r2", 2))
}
HOOK = """
import sys

def log(event, arguments):
    name = str(arguments[0]) if event == "open" else ""
    if name.startswith({corpus!r}) and name.endswith(".xml"):
        with open({log!r}, "a") as file:
            file.write(f"{{name}}\\n")

sys.addaudithook(log)
"""
EVALUATION = """
import json, sys, xcg
assessments, runs, corpus, cache = map(json.loads, sys.argv[1:])
documents = xcg.Corpus(corpus) if cache else xcg.Corpus(corpus, cache=False)
xcg.evaluate(assessments, runs, documents, "overlap-off", "MAep", workers=2)
"""


@pytest.fixture
def corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with documents that are old enough for the cache."""
    folder = tmp_path / "corpus"
    folder.mkdir()
    for name in NAMES:
        file = folder / f"{name}.xml"
        file.write_text(f"<a><s>{name}</s><s>text</s></a>")
        os.utime(file, (1, 1))
    monkeypatch.setenv("XCG_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return folder


def opened_documents(corpus: Path, runs: object = RUNS, cache: bool = True) -> list[str]:
    """Return the documents that all processes of an evaluation opened, as often as they did.

    Python imports ``sitecustomize`` when it starts, also in workers.
    """
    newest = max(file.stat().st_ctime for file in corpus.iterdir())
    time.sleep(max(0, newest + 2.1 - time.time()))  # younger files are not cached
    folder, log = corpus.parent / "hook", corpus.parent / "opened"
    folder.mkdir(exist_ok=True)
    (folder / "sitecustomize.py").write_text(HOOK.format(corpus=str(corpus), log=str(log)))
    log.write_text("")
    arguments = [json.dumps(value) for value in (ASSESSMENTS, runs, str(corpus), cache)]
    environment = {**os.environ, "PYTHONPATH": str(folder), "TMPDIR": tempfile.gettempdir()}
    subprocess.run([sys.executable, "-c", EVALUATION, *arguments], env=environment, check=True)
    return sorted(Path(name).stem for name in log.read_text().splitlines())


@pytest.mark.slow
@pytest.mark.parametrize("runs", [RUNS, {"r1": RUNS["r1"]}], ids=["by runs", "by topics"])
def test_documents_are_opened_once(corpus: Path, runs: dict[str, object]) -> None:
    assert opened_documents(corpus, runs) == sorted(NAMES)
    assert opened_documents(corpus, runs) == []


@pytest.mark.slow
def test_documents_are_opened_once_without_a_cache(corpus: Path, tmp_path: Path) -> None:
    for _ in range(2):
        assert opened_documents(corpus, cache=False) == sorted(NAMES)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["corpus", "hook", "opened"]


@pytest.mark.slow
def test_documents_are_opened_once_if_the_cache_is_a_foreign_file(corpus: Path, tmp_path: Path) -> None:
    (tmp_path / "cache").mkdir(mode=0o700)
    foreign = tmp_path / "cache" / "xcg-documents.sqlite"
    foreign.write_bytes(b"another program")
    assert opened_documents(corpus) == sorted(NAMES)
    assert foreign.read_bytes() == b"another program"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["cache", "corpus", "hook", "opened"]


def test_the_temporary_cache_is_deleted_after_an_error(corpus: Path, tmp_path: Path) -> None:
    wrong = {**RUNS, "r3": {"1": ["d1#/a[1]/b[1]"]}}
    without_cache = xcg.Corpus(corpus, cache=False)
    with pytest.raises(UnmappedError):
        xcg.evaluate(ASSESSMENTS, wrong, without_cache, "overlap-off", "MAep", workers=2)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["corpus"]


def test_the_temporary_cache_is_deleted_after_an_interruption(corpus: Path, tmp_path: Path) -> None:
    inputs = Inputs(ASSESSMENTS, RUNS, xcg.Corpus(corpus, cache=False))

    def interrupt() -> None:
        with shared_cache(inputs.documents, Executor(2)) as shared:
            assert shared is not None
            assert shared.cache_folder is not None
            assert shared.cache_folder.parent == tmp_path
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupt()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["corpus"]
