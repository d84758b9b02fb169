"""Folders and globs: what is found, links, special files, limits and hints."""

from __future__ import annotations

import glob
import os
import socket
import sys
from pathlib import Path

import pytest

from xcg.documents import files
from xcg.documents.files import expand
from xcg.errors import InputError
from xcg.formats.base import read_run

posix = pytest.mark.skipif(sys.platform == "win32", reason="links and FIFOs of POSIX")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the current folder, which contains files."""
    monkeypatch.chdir(tmp_path)
    names = ["a.run", "B.run", "sub/c.run", "sub/deep/d.run", "sub/deep/e[1].run", ".hidden/f.run"]
    for name in (*names, "sub/.g.run", "sub/README.md", "sub/deep/inex.dtd", "x y/\n.run"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("1 Q0 d 1 2 t\n")
    return tmp_path


def found(pattern: object) -> list[str]:
    return [path.as_posix() for path in expand(Path(str(pattern)), "runs")]


@pytest.mark.parametrize(
    "pattern",
    [
        *("*.run", "?.run", "[aB].run", "[!a].run", "*/*.run", "sub/*.run", "sub/.g*", ".*/*.run"),
        *("**/*.run", "sub/**/*.run", "**/deep/*", "**/**/c.run", "**/sub/**/[de]*", "*/deep/d.run"),
        *("./*.run", "sub/../*.run", "*/../a.run", "s*//c.run", "{}/**/c.run", "{}/*/c.run"),
    ],
)
def test_globs_find_what_the_function_of_python_finds(folder: Path, pattern: str) -> None:
    pattern = pattern.format(folder)
    matches = sorted(set(map(Path, glob.glob(pattern, recursive=True))))
    expected = {file for match in matches for file in (found(match) if match.is_dir() else [match])}
    assert set(map(Path, found(pattern))) == set(map(Path, expected))
    assert expected


def test_folders_are_searched_in_order(folder: Path) -> None:
    files = ["B.run", "a.run", "sub/c.run", "sub/deep/d.run", "sub/deep/e[1].run", "x y/\n.run"]
    assert found(".") == found("**") == files
    assert found("sub/**") == found("sub") == files[2:5]
    assert found("sub/deep/e[1].run") == ["sub/deep/e[1].run"]


@posix
def test_links_to_folders_are_not_followed(folder: Path) -> None:
    for name in ("sub/one", "sub/two", "sub/deep/three"):  # 2^40 paths if they are followed
        (folder / name).symlink_to(folder)
    (folder / "link.run").symlink_to("a.run")
    assert found("**/d.run") == ["sub/deep/d.run"]
    assert found("sub") == ["sub/c.run", "sub/deep/d.run", "sub/deep/e[1].run"]
    assert found("link.run") == ["link.run"]
    assert found("*/one/a.run") == ["sub/one/a.run"]


@pytest.mark.parametrize("pattern", [".", "**/none", "**/none/**"])
def test_too_many_entries_are_an_error(
    folder: Path, monkeypatch: pytest.MonkeyPatch, pattern: str
) -> None:
    monkeypatch.setattr(files, "MAX_ENTRIES", 5)
    with pytest.raises(InputError) as raised:
        found(pattern)
    assert str(raised.value) == (
        ".: more than 5 files and folders to search for runs; expected a smaller folder or a "
        "more specific pattern"
    )


@posix
@pytest.mark.parametrize("pattern", ["special", "special/*", "**/special"])
@pytest.mark.parametrize("kind", ["a FIFO", "a socket", "a device"])
def test_special_files_in_folders_are_refused(folder: Path, kind: str, pattern: str) -> None:
    (folder / "special").mkdir()
    (folder / "special" / "0").write_text("1 Q0 d 1 2 t\n")
    path = folder / "special" / "1"
    if kind == "a FIFO":
        os.mkfifo(path)
    elif kind == "a socket":
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind("special/1")
    else:
        path.symlink_to("/dev/zero")
    with pytest.raises(InputError, match=f"special/1: {kind}, not a file; expected runs"):
        found(pattern)


def test_a_file_that_vanishes_is_one_message(folder: Path) -> None:
    (file,) = expand("sub/c.run", "runs")
    file.unlink()
    with pytest.raises(InputError, match=r"^sub/c.run: cannot read: No such file or directory$"):
        read_run(file)


@posix
def test_broken_links_and_unreadable_folders_are_one_message(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "sub" / "loop").symlink_to("loop")
    with pytest.raises(InputError, match="sub/loop: cannot read: Too many levels of symbolic links"):
        found("sub")
    (folder / "sub" / "loop").unlink()
    (folder / "sub" / "gone").symlink_to("nowhere")
    with pytest.raises(InputError, match="sub/gone: cannot read: No such file or directory"):
        found("sub")
    (folder / "sub" / "gone").unlink()
    scandir = os.scandir

    def refused(path: str) -> object:
        if path.endswith("deep"):
            raise PermissionError(13, "Permission denied", path)
        return scandir(path)

    monkeypatch.setattr("os.scandir", refused)
    with pytest.raises(InputError, match="sub/deep: cannot read the folder: Permission denied"):
        found("sub")
    assert found("**/c.run") == ["sub/c.run"]  # as in a shell
