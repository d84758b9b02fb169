"""Several processes parse each assessed document once, and leave no temporary cache."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Command

import xcg
from xcg.documents.cache import without_cache
from xcg.errors import UnmappedError
from xcg.evaluation.inputs import Inputs
from xcg.evaluation.parallel import Executor
from xcg.evaluation.shared_documents import shared_documents
from xcg.profiling import collect_profile

NAMES = [f"d{number}" for number in range(20)]
ASSESSMENTS = {
    topic: {name: {"/a[1]/s[1]": (2, 2)} for name in names}
    for topic, names in {"1": NAMES[:12], "2": NAMES[8:]}.items()
}
RUNS = {
    run: {topic: [f"{name}#/a[1]/s[{number}]" for name in NAMES] for topic in "12"}
    for run, number in (("r1", 1), ("r2", 2))
}


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


def parsed_documents(evaluate: Callable[[], object]) -> list[str]:
    """Return the documents that were parsed, by all processes, as often as they were parsed."""
    with collect_profile() as profile:
        evaluate()
    return sorted(Path(name).stem for name, count in profile.parsed.items() for _ in range(count))


@pytest.mark.parametrize("runs", [RUNS, {"r1": RUNS["r1"]}], ids=["by runs", "by topics"])
def test_documents_are_parsed_once(corpus: Path, runs: dict[str, object]) -> None:
    def evaluate() -> object:
        return xcg.evaluate(ASSESSMENTS, runs, corpus, "overlap-off", "MAep", workers=2)

    assert parsed_documents(evaluate) == sorted(NAMES)
    assert parsed_documents(evaluate) == []


def test_documents_are_parsed_once_without_a_cache(corpus: Path, tmp_path: Path) -> None:
    def evaluate() -> object:
        return xcg.evaluate(ASSESSMENTS, RUNS, corpus, "overlap-off", "MAep", workers=2)

    with without_cache():
        assert parsed_documents(evaluate) == sorted(NAMES)
        assert parsed_documents(evaluate) == sorted(NAMES)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["corpus"]


def test_documents_are_parsed_once_if_the_cache_is_a_foreign_file(corpus: Path, tmp_path: Path) -> None:
    def evaluate() -> object:
        return xcg.evaluate(ASSESSMENTS, RUNS, corpus, "overlap-off", "MAep", workers=2)

    (tmp_path / "cache").mkdir(mode=0o700)
    foreign = tmp_path / "cache" / "xcg-documents.sqlite"
    foreign.write_bytes(b"another program")
    assert parsed_documents(evaluate) == sorted(NAMES)
    assert foreign.read_bytes() == b"another program"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["cache", "corpus"]


def test_the_temporary_cache_is_deleted_after_an_error(corpus: Path, tmp_path: Path) -> None:
    wrong = {**RUNS, "r3": {"1": ["d1#/a[1]/b[1]"]}}
    with without_cache(), pytest.raises(UnmappedError):
        xcg.evaluate(ASSESSMENTS, wrong, corpus, "overlap-off", "MAep", workers=2)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["corpus"]


def test_the_temporary_cache_is_deleted_after_an_interruption(corpus: Path, tmp_path: Path) -> None:
    inputs = Inputs(ASSESSMENTS, RUNS, xcg.Corpus(corpus, cache=False))

    def interrupt() -> None:
        with shared_documents(inputs.documents, inputs.recall_base, ["1"], Executor(2)) as shared:
            assert shared is not None
            assert shared.cache_folder is not None
            assert shared.cache_folder.parent == tmp_path
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupt()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["corpus"]


def test_the_option_no_cache_changes_no_score(xcg_command: Command, tmp_path: Path) -> None:
    call = ("evaluate", "configs/quickstart.yaml", "--per-topic", "--no-cache")
    assert xcg_command(*call, "--workers", 2).stdout == xcg_command(*call).stdout
