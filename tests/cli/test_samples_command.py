"""``xcg samples`` writes the sample campaigns, also from a wheel."""

from __future__ import annotations

import filecmp
from pathlib import Path
from typing import NoReturn

import pytest
from conftest import ROOT, Command
from installation import Installation

from xcg.cli import samples
from xcg.cli.samples import PARTS, sample_files
from xcg.errors import XcgError

NEEDED = (
    "assessments/handbook-highlights/first.jsonl",
    "configs/quickstart.yaml",
    "configs/user_models/overlap-off.yaml",
    "corpora_samples/chunks/docs/retention.md",
    "corpora_samples/handbook-letor.txt",
    "corpora_samples/kazai-lalmas-2006/co/2001/r7022.xml",
)


def content(folder: Path) -> list[str]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return sorted(path.relative_to(folder).as_posix() for path in files)


def test_the_folder_has_the_samples_of_the_checkout(tmp_path: Path, xcg_command: Command) -> None:
    done = xcg_command("samples", "new/samples", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, "")
    count = len(sample_files())
    assert done.stderr == (
        f"xcg: {count} files in new/samples: assessments, configs and corpora_samples\n"
        "xcg: next: cd new/samples && xcg evaluate configs/quickstart.yaml\n"
    )
    folder = tmp_path / "new" / "samples"
    written = content(folder)
    assert written == sample_files()
    assert set(NEEDED) <= set(written)
    assert [name for name in written if name.endswith(".py")] == ["corpora_samples/chunks/retrieve.py"]
    assert filecmp.cmpfiles(ROOT, folder, written, shallow=False) == (written, [], [])
    assert content(tmp_path / "new") == [f"samples/{name}" for name in written]


def test_the_files_have_the_permissions_of_new_files(tmp_path: Path, xcg_command: Command) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "folder").mkdir()
    assert xcg_command("samples", tmp_path / "samples").returncode == 0
    for path in (tmp_path / "samples", *(tmp_path / "samples").rglob("*")):
        usual = tmp_path / ("folder" if path.is_dir() else "file")
        assert path.stat().st_mode == usual.stat().st_mode


def test_an_empty_folder_receives_the_samples(tmp_path: Path, xcg_command: Command) -> None:
    done = xcg_command("samples", ".", cwd=tmp_path)
    assert done.stderr.splitlines()[1] == "xcg: next: xcg evaluate configs/quickstart.yaml"
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(PARTS)
    assert content(tmp_path) == sample_files()


def test_a_name_with_spaces_is_quoted_in_the_next_command(tmp_path: Path, xcg_command: Command) -> None:
    done = xcg_command("samples", "my samples", cwd=tmp_path)
    assert "next: cd 'my samples' && xcg" in done.stderr


@pytest.mark.posix
@pytest.mark.parametrize(
    ("folder", "message"),
    [
        ("full", "full: the folder is not empty; name a new folder"),
        ("file", "file: cannot write: Not a directory"),
        ("file/new", "file/new: cannot write: Not a directory"),
        ("-", "samples are files, not text for standard output: name a new folder"),
    ],
)
def test_a_folder_that_cannot_be_new_is_refused(
    tmp_path: Path, xcg_command: Command, folder: str, message: str
) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine").write_text("mine")
    (tmp_path / "file").write_text("mine")
    done = xcg_command("samples", folder, cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (
        2,
        "",
        f"xcg: error: {message}\n",
    )
    assert content(tmp_path) == ["file", "full/mine"]


def test_an_installation_without_samples_is_reported(
    tmp_path: Path, xcg_command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lacks() -> NoReturn:
        raise XcgError("this installation of xcg lacks its files: install it again")

    monkeypatch.setattr(samples, "shipped_folder", lacks)
    done = xcg_command("samples", tmp_path / "samples")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "xcg: error: this installation of xcg lacks its files: install it again\n"


@pytest.mark.slow
def test_a_wheel_is_enough_for_the_quick_start(tmp_path: Path) -> None:
    """A wheel contains the samples of the checkout, and the main commands work outside of it."""
    installation = Installation(tmp_path)
    installation.run("-m", "xcg", "samples", tmp_path / "samples")
    folder = tmp_path / "samples"
    written = content(folder)
    assert written == sample_files()
    assert filecmp.cmpfiles(ROOT, folder, written, shallow=False) == (written, [], [])

    def xcg(line: str) -> str:
        return installation.run("-m", "xcg", *line.split(), cwd=folder)

    assert "focused" in xcg("evaluate configs/quickstart.yaml --measures MAep")
    assert "0.7500" in xcg("evaluate configs/kazai-lalmas-2006.yaml --measures MAep")
    assert "sections" in xcg("chunks corpora_samples/chunks/retrieval.yaml")
    xcg("curves configs/kazai-lalmas-2006.yaml --measures nxCG --plot curves.svg")
    xcg("report configs/kazai-lalmas-2006.yaml --output report.html")
    assert (folder / "curves.svg").stat().st_size > 1000
    assert (folder / "report.html").stat().st_size > 1000
