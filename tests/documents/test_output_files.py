"""Output files are replaced as a whole, and only files that the user named or xcg wrote are touched."""

from __future__ import annotations

import errno
import os
import socket
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from conftest import ROOT

from xcg.documents.files import whole_file
from xcg.errors import InputError

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="links, FIFOs and locks of POSIX")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with a file."""
    (tmp_path / "run").write_text("1 Q0 d 1 2 t\n")
    return tmp_path


def write(path: Path, content: bytes = b"new") -> None:
    with whole_file(path) as file:
        file.write(content)


@pytest.mark.posix
def test_a_fifo_receives_the_output_and_remains(folder: Path) -> None:
    os.mkfifo(folder / "pipe")
    received: list[bytes] = []
    reader = threading.Thread(target=lambda: received.append((folder / "pipe").read_bytes()))
    reader.start()
    write(folder / "pipe")
    reader.join(10)
    assert received == [b"new"]
    assert (folder / "pipe").is_fifo()


@pytest.mark.posix
@pytest.mark.parametrize("name", ["/dev/fd/1", "/proc/self/fd/1", "/dev/stdout"])
def test_a_descriptor_keeps_its_position(folder: Path, name: str) -> None:
    if not Path(name).exists():
        pytest.skip("the system has no such file")
    code = (
        "import sys; from pathlib import Path; from xcg.documents.files import whole_file\n"
        "with whole_file(Path(sys.argv[1])) as file: file.write(b'new ')\n"
    )
    with (folder / "file").open("wb") as file:
        file.write(b"before ")
        file.flush()
        command = [sys.executable, "-c", code, name]
        subprocess.run(command, stdout=file, check=True, env={**os.environ, "PYTHONPATH": str(ROOT)})
        file.seek(0, os.SEEK_END)
        file.write(b"after")
    assert (folder / "file").read_bytes() == b"before new after"


@pytest.mark.posix
def test_a_link_remains_and_its_target_is_replaced(folder: Path) -> None:
    (folder / "elsewhere").mkdir()
    target = folder / "elsewhere" / "target"
    for _ in range(2):  # the first time, the target does not exist
        (folder / "first").unlink(missing_ok=True)
        (folder / "first").symlink_to("second")
        (folder / "second").unlink(missing_ok=True)
        (folder / "second").symlink_to("elsewhere/target")
        write(folder / "first")
        assert (folder / "first").is_symlink()
        assert (folder / "second").is_symlink()
        assert target.read_text() == "new"
        target.write_text("old")
    (folder / "loop").symlink_to("loop")
    with pytest.raises(InputError, match=f"loop: cannot write: {os.strerror(errno.ELOOP)}$"):
        write(folder / "loop")


@pytest.mark.posix
def test_permissions_are_kept_and_the_umask_is_used(folder: Path) -> None:
    (folder / "private").write_text("old")
    (folder / "private").chmod(0o600)
    before = os.umask(0o027)
    try:
        write(folder / "private")
        write(folder / "created")
    finally:
        os.umask(before)
    assert stat.S_IMODE((folder / "private").stat().st_mode) == 0o600
    assert stat.S_IMODE((folder / "created").stat().st_mode) == 0o640


def test_what_cannot_be_written_is_one_message(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket(socket.AF_UNIX) as listener:
        monkeypatch.chdir(folder)
        listener.bind("socket")
    (folder / "read-only").write_text("old")
    with monkeypatch.context() as patched:
        patched.setattr("os.access", lambda path, mode: False)  # root may write everything
        with pytest.raises(InputError, match=r"read-only: cannot write: Permission denied$"):
            write(folder / "read-only")
    with monkeypatch.context() as patched:
        refused = PermissionError(errno.EACCES, "Permission denied")
        patched.setattr("os.open", lambda *_: (_ for _ in ()).throw(refused))
        with pytest.raises(InputError, match=r"new: cannot write: Permission denied$"):
            write(folder / "new")
    for path, message in (
        (folder, "cannot write: Is a directory$"),
        (folder / "none" / "file", "cannot write: No such file or directory$"),
        (folder / "run" / "file", "cannot write: Not a directory$"),
        (folder / "nul\0", "cannot write: embedded null byte$"),
        (folder / "socket", "cannot write: neither a file nor a FIFO nor a character device$"),
    ):
        with pytest.raises(InputError, match=message):
            write(path)
    assert {path.name for path in folder.iterdir()} == {"run", "socket", "read-only"}
    assert (folder / "read-only").read_text() == "old"


def test_an_error_leaves_the_old_file_and_no_temporary_one(folder: Path) -> None:
    before = sorted(folder.iterdir())
    with pytest.raises(TypeError), whole_file(folder / "run") as file:
        file.writelines([b"half", None])  # type: ignore[list-item]
    assert sorted(folder.iterdir()) == before
    assert (folder / "run").read_text() == "1 Q0 d 1 2 t\n"


@pytest.mark.posix
def test_a_file_that_replaces_a_private_file_is_private_from_its_creation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "table.txt"
    path.touch(0o600)
    modes = []
    monkeypatch.setattr(Path, "chmod", lambda file, mode: modes.append((file.stat().st_mode, mode)))
    with whole_file(path) as file:
        file.write(b"new")
    assert [(stat.S_IMODE(before), after) for before, after in modes] == [(0o600, 0o600)]
