"""Damaged, foreign and hostile checkpoints: one message with the file, the line and a remedy."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Command

from xcg.errors import InputError
from xcg.evaluation import checkpoint as checkpoint_module
from xcg.evaluation.checkpoint import Checkpoint
from xcg.evaluation.parallel import Executor

TASKS = [(number,) for number in range(5)]
DAMAGED = (
    "a damaged checkpoint: expected the next result of the study; delete this line and all that "
    "follow, to continue before them, or name another file"
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return the checkpoint of a complete study."""
    path = tmp_path / "study.jsonl"
    Executor().run(abs, TASKS, checkpoint=path, study="s")
    return path


def message(path: Path, study: str = "s") -> str:
    before = path.read_bytes()
    with pytest.raises(InputError) as raised:
        Executor().run(abs, TASKS, checkpoint=path, study=study)
    assert path.read_bytes() == before  # an error never changes the file
    return str(raised.value).removeprefix(str(path))


def test_a_checkpoint_has_one_line_per_result_and_is_extended(path: Path) -> None:
    content = path.read_bytes()
    lines = content.splitlines(keepends=True)
    assert len(lines) == 6
    for end in (b"", lines[0], lines[0][:-1], b"".join(lines[:3]), b"".join(lines[:3]) + lines[3][:9]):
        path.write_bytes(end)
        assert Executor().run(abs, TASKS, checkpoint=path, study="s") == [0, 1, 2, 3, 4]
        assert path.read_bytes() == content


@pytest.mark.parametrize(
    "line",
    [
        *(b"null", b"[]", b"{}", b"NaN", b"-Infinity", b"1", b'"text"', b"", b"\xff\xfe", b"\0"),
        *(b"[" * 100_000, b"9" * 5000, b'{"task": 1}', b'{"task": 1, "result": 1, "digest": null}'),
        b"x" * (1 << 21),
    ],
    ids=lambda line: repr(line[:20]),
)
def test_a_line_that_is_no_result_is_reported(path: Path, line: bytes) -> None:
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[:2], line + b"\n", *lines[3:]]))
    assert message(path) == f":3: {DAMAGED}"


@pytest.mark.parametrize(
    ("change", "number"),
    [
        (lambda lines: [lines[0], *lines], 2),  # a second header
        (lambda lines: [lines[0], lines[2], lines[1]], 2),
        (lambda lines: [lines[0], *lines[2:]], 2),
        (lambda lines: [*lines[:2], *lines[1:]], 3),
        (lambda lines: [*lines, lines[-1]], 7),
        (lambda lines: [*lines[:2], lines[2].replace(b'"result": 1', b'"result": 2')], 3),
        (lambda lines: [*lines[:2], lines[2].replace(b'"result": 1', b'"result": true')], 3),
        (lambda lines: [*lines[:2], lines[2].replace(b'"result": 1', b'"result": NaN')], 3),
    ],
)
def test_lines_that_do_not_follow_each_other_are_reported(
    path: Path, change: Callable[[list[bytes]], list[bytes]], number: int
) -> None:
    path.write_bytes(b"".join(change(path.read_bytes().splitlines(keepends=True))))
    assert message(path) == f":{number}: {DAMAGED}"


def test_lines_of_another_study_are_reported(path: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.jsonl"
    Executor().run(abs, TASKS, checkpoint=other, study="t")
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[:3], *other.read_bytes().splitlines(keepends=True)[3:]]))
    assert message(path) == f":4: {DAMAGED}"


def test_other_files_are_not_changed(path: Path, tmp_path: Path) -> None:
    assert message(path, study="t") == (
        ":1: the checkpoint of another study: expected that of the same files and parameters, or a "
        "new name"
    )
    for content in (
        b"a letter",
        b"null\n",
        b"[]\n",
        b"{}\n",
        b'{"study": null}\n',
        b"[" * 100_000,
        b"\n",
    ):
        path.write_bytes(content)
        assert message(path) == (
            ":1: not a checkpoint: expected the file of an interrupted study, or a new name"
        )


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes")
def test_a_pipe_is_refused_instead_of_read(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(InputError) as raised:
        Executor().run(abs, TASKS, checkpoint=pipe)
    assert str(raised.value) == f"{pipe}: not a file: expected a checkpoint, or a new name"


def test_a_checkpoint_that_cannot_be_written_is_reported(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(InputError, match="cannot write: No such file or directory"):
        Executor().run(abs, TASKS, checkpoint=tmp_path / "no" / "folder")
    with pytest.raises(InputError, match=r"cannot write: File name too long|cannot write: Invalid"):
        Executor().run(abs, TASKS, checkpoint=tmp_path / ("x" * 5000))

    def no_space(self: Checkpoint, record: object) -> None:
        raise self._cannot_write(OSError(28, "No space left on device"))

    monkeypatch.setattr(checkpoint_module.Checkpoint, "_write", no_space)
    with pytest.raises(InputError, match=r"new: cannot write: No space left on device"):
        Executor().run(abs, TASKS, checkpoint=tmp_path / "new")


def test_errors_of_a_task_are_not_errors_of_the_checkpoint(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        Executor().run(os.stat, [("/no/such/file",)], checkpoint=tmp_path / "study")


# Forged lines have a correct digest, but a result that is impossible in the study.
@pytest.mark.parametrize(
    "result",
    [
        *(None, [], {}, 1.5, "text", [[1]], [[[1], [2, 3]]], [[[10**30] * 23] * 3], [[["a"] * 23] * 3]),
        [[[0] * 23] * 3],
        [[[-1, 1, *[0] * 21], [0] * 23, [0] * 23]],
        [[[1.0, *[0.0] * 22], [0.0] * 23, [0.0] * 23]],
    ],
    ids=lambda result: str(result)[:20],
)
def test_a_study_of_topic_sets_refuses_results_that_it_cannot_have(
    xcg_command: Command, tmp_path: Path, result: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "study"
    call = (
        *("stability", "topics", "configs/quickstart.yaml", "--user-model", "kazai-lalmas-2006"),
        *("--measures", "nxCG@10", "--trials", "2", "--resamples", "0", "--checkpoint", path),
    )
    append = Checkpoint.append
    with monkeypatch.context() as patch:
        patch.setattr(Checkpoint, "append", lambda self, _: append(self, result))
        xcg_command(*call)
    done = xcg_command(*call)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"xcg: error: {path}:2: {DAMAGED}\n"


def test_a_deep_checkpoint_does_not_exhaust_the_stack(path: Path) -> None:
    assert sys.getrecursionlimit() < 5000
    deep = b'{"task": 0, "digest": "", "result": ' + b"[" * 5000 + b"]" * 5000 + b"}\n"
    path.write_bytes(path.read_bytes().splitlines(keepends=True)[0] + deep)
    assert message(path) == f":2: {DAMAGED}"
