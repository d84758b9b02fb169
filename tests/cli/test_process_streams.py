"""Commands without disk space, standard streams, memory or valid environment variables."""

from __future__ import annotations

import hashlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn

import click
import pytest
from conftest import ROOT, Command

from xcg.cli import main as main_module
from xcg.cli.main import MAX_MESSAGE_LENGTH
from xcg.documents.files import open_input
from xcg.errors import XcgError
from xcg.settings.yaml_file import load_yaml

CONFIG = "configs/kazai-lalmas-2006.yaml"
EVALUATE = ("evaluate", CONFIG, "--measures", "MAep")
full_disk = pytest.mark.skipif(
    not Path("/dev/full").is_char_device(), reason="the system has no /dev/full"
)


def shell(command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a command line in which XCG is the command."""
    return subprocess.run(
        ["sh", "-c", command.replace("XCG", f"{sys.executable} -m xcg")],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
        capture_output=True,
        text=True,
        timeout=60,
    )


@pytest.mark.posix
@full_disk
@pytest.mark.parametrize(
    "arguments", ["--help", "--version", "evaluate --help", "list user-models", " ".join(EVALUATE)]
)
def test_a_full_disk_behind_standard_output_ends_with_one_message(arguments: str) -> None:
    done = shell(f"XCG {arguments} >/dev/full")
    assert (done.returncode, done.stderr) == (
        2,
        "xcg: error: standard output: cannot write: No space left on device\n",
    )


@pytest.mark.slow
@pytest.mark.posix
@full_disk
def test_a_full_disk_behind_standard_error_does_not_change_the_status() -> None:
    assert shell("XCG evaluate no.yaml 2>/dev/full").returncode == 2
    assert shell("XCG no-command 2>/dev/full").returncode == 2
    assert shell(f"XCG {' '.join(EVALUATE)} 2>/dev/full").returncode == 0


@pytest.mark.posix
def test_a_closed_standard_output_is_an_error_if_something_is_written(tmp_path: Path) -> None:
    done = shell("XCG --version >&-")
    assert done.returncode == 2
    assert done.stderr == "xcg: error: standard output: cannot write: Bad file descriptor\n"
    target = tmp_path / "out.txt"
    done = shell(f"XCG {' '.join(EVALUATE)} --output {target} >&-")
    assert (done.returncode, done.stderr) == (0, "")
    assert "MAep" in target.read_text()


@pytest.mark.slow
@pytest.mark.posix
def test_commands_run_without_standard_error_and_input() -> None:
    done = shell(f"XCG {' '.join(EVALUATE)} --workers 2 2>&- <&-")
    assert (done.returncode, done.stderr) == (0, "")
    done = shell(f"XCG {' '.join(EVALUATE)} 2>&- <&-")
    assert done.returncode == 0
    assert "MAep" in done.stdout
    assert shell("XCG evaluate no.yaml 2>&- <&-").returncode == 2
    assert shell(f"XCG {' '.join(EVALUATE)} >&- 2>&- <&-").returncode == 2
    done = shell("XCG evaluate --assessments - --run r --measures AP <&-")
    assert (done.returncode, done.stderr) == (
        2,
        "xcg: error: -: there is no standard input; expected a file\n",
    )


def test_a_closed_pipe_is_silent() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [sys.executable, "-m", "xcg", "list", "measures"],
        cwd=ROOT,
        stdout=writing,
        stderr=subprocess.PIPE,
        text=True,
    )
    os.close(writing)
    assert (done.returncode, done.stderr) == (1, "")


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits the address space")
def test_too_little_memory_ends_with_one_message() -> None:
    program = (
        "import resource, numpy, xcg.cli.questions as questions\n"
        "from xcg.cli.main import main\n"
        "questions.evaluate.callback = lambda *_, **__: numpy.zeros(10**9).fill(1)\n"
        "resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))\n"
        "main(['evaluate'])"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr == (
        "xcg: error: not enough memory (Unable to allocate 7.45 GiB for an array with shape "
        "(1000000000,) and data type float64): expected smaller inputs, fewer workers or more memory\n"
    )


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits the address space")
@pytest.mark.parametrize(("option", "what"), [("-v", "address space"), ("-d", "data segment")])
def test_a_limit_at_which_numpy_would_wait_is_refused(option: str, what: str) -> None:
    done = shell(f"ulimit {option} 50000; XCG compare {CONFIG}")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        f"xcg: error: the {what} is limited to 48 MB: expected at least 512 MB (ulimit {option})\n"
    )


@pytest.mark.posix
def test_a_fifo_without_a_writer_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("xcg.settings.yaml_file.FIFO_SECONDS", 0.1)
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    with pytest.raises(XcgError, match="fifo: cannot read: a FIFO that no process writes to; expected"):
        load_yaml(fifo)
    with (
        pytest.raises(XcgError, match=r"fifo: cannot read: a FIFO that no process writes to$"),
        open_input(fifo),
    ):
        pass
    if os.path.exists("/dev/ptmx"):
        with pytest.raises(XcgError, match="ptmx: cannot read: a device that no process writes to"):
            load_yaml(Path("/dev/ptmx"))
    with subprocess.Popen(f"(sleep .5; echo 'a: 1') > {fifo}", shell=True):  # slower than the limit
        time.sleep(0.1)
        assert load_yaml(fifo).content == {"a": 1}


@pytest.mark.posix
def test_the_record_of_a_pipe_does_not_read_it(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("1 0 d 1\n")
    done = shell(
        f"echo 1 Q0 d 1 1 r | XCG report --assessments {tmp_path}/qrels --run /dev/stdin "
        f"--measures MAep --output {tmp_path}/page.html"
    )
    assert (done.returncode, done.stdout) == (0, "")
    page = (tmp_path / "page.html").read_text()
    assert hashlib.sha256((tmp_path / "qrels").read_bytes()).hexdigest() in page
    assert hashlib.sha256(b"").hexdigest() not in page


def raise_(error: BaseException) -> Callable[..., NoReturn]:
    def command(**_: Any) -> NoReturn:
        raise error

    return command


@pytest.fixture
def failing(monkeypatch: pytest.MonkeyPatch) -> Callable[[BaseException], None]:
    """Return a function that makes ``xcg samples`` raise an error."""

    def fail(error: BaseException) -> None:
        command = click.Command("samples", callback=raise_(error))
        monkeypatch.setattr(main_module.LazyGroup, "get_command", lambda *_: command)

    return fail


def recurse() -> None:
    recurse()


def encode() -> None:
    "\udcff".encode()


def raised_by(function: Callable[[], object]) -> BaseException:
    with suppress(RecursionError, UnicodeEncodeError):
        function()
    try:
        function()
    except Exception as error:
        return error
    raise AssertionError


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (MemoryError(), "not enough memory: expected smaller inputs"),
        (OSError(12, "Cannot allocate memory"), "not enough memory ("),
        (SystemError("returned NULL"), "not enough memory (returned NULL): expected"),
        (raised_by(recurse), "an input is nested too deep: expected fewer levels"),
        (OSError(13, "Permission denied", "a\nb"), "a\\nb: Permission denied"),
        (OSError(28, "No space left on device"), "standard output: cannot write: No space left"),
        (OSError(5, "Input/output error"), "the operating system reports: Input/output error"),
        (raised_by(encode), "'\\udcff' cannot be written in utf-8: expected names in Unicode"),
        (XcgError("\x9b" * 9000), "\\x9b\\x9b"),
        (ImportError("see\n\nlibx.so: broken"), "cannot load a library: libx.so: broken; check"),
    ],
)
def test_an_unexpected_error_ends_with_one_message(
    xcg_command: Command, failing: Callable[[BaseException], None], error: BaseException, message: str
) -> None:
    failing(error)
    done = xcg_command("samples")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"xcg: error: {message}")
    assert done.stderr.count("\n") == 1
    assert len(done.stderr) < MAX_MESSAGE_LENGTH + 20


def test_other_exceptions_keep_their_traceback(
    xcg_command: Command, failing: Callable[[BaseException], None]
) -> None:
    failing(KeyError("a bug"))
    with pytest.raises(KeyError, match="a bug"):
        xcg_command("samples")


@pytest.mark.posix
def test_an_interrupted_command_has_the_status_of_the_signal(
    xcg_command: Command, failing: Callable[[BaseException], None]
) -> None:
    incomplete = AttributeError("partially initialized module")
    incomplete.__context__ = KeyboardInterrupt()  # of an import
    for error in (KeyboardInterrupt(), incomplete):
        failing(error)
        done = xcg_command("samples")
        assert (done.returncode, done.stdout, done.stderr) == (
            128 + signal.SIGINT,
            "",
            "xcg: interrupted\n",
        )


@pytest.mark.parametrize("name", ["COLUMNS", "LINES"])
@pytest.mark.parametrize("value", ["0", "-1", "nonsense", "9" * 5000])
def test_tables_do_not_depend_on_the_size_of_the_terminal(
    xcg_command: Command, monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    ranking = ("explain", CONFIG, "--run", "2-frb", "--topic", "163")
    expected = [xcg_command(*EVALUATE), xcg_command(*ranking)]
    monkeypatch.setenv(name, value)
    done = [xcg_command(*EVALUATE), xcg_command(*ranking)]
    assert [one.stdout for one in done] == [one.stdout for one in expected]
    assert xcg_command("evaluate", "--help").returncode == 0


@pytest.mark.posix
@pytest.mark.parametrize(
    "environment",
    [
        {"HOME": "/no/such/folder", "XDG_CACHE_HOME": ""},
        {"XCG_CACHE": "/no/such/folder"},
        {"XCG_CACHE": str(ROOT / CONFIG)},
        {"TMPDIR": "/no/such/folder"},
        {"TZ": "no/such/../zone"},
        {"PYTHONIOENCODING": "ascii"},
        {"PYTHONIOENCODING": "latin-1"},
        {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"},
    ],
    ids=str,
)
@pytest.mark.slow
def test_a_strange_environment_changes_no_result(environment: dict[str, str]) -> None:
    done = shell(f"XCG {' '.join(EVALUATE)}", **environment)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == shell(f"XCG {' '.join(EVALUATE)}").stdout


@pytest.mark.posix
def test_characters_that_the_terminal_lacks_are_escaped() -> None:
    done = shell("XCG study assessors --help", PYTHONIOENCODING="latin-1")
    assert (done.returncode, done.stderr) == (0, "")
    assert "\\u03c4-b" in done.stdout


@pytest.mark.slow
@pytest.mark.posix
def test_plots_do_not_need_the_backend_of_the_environment(tmp_path: Path) -> None:
    plot = tmp_path / "plot.svg"
    done = shell(f"XCG curves {CONFIG} --set curves.depth=2 --plot {plot}", MPLBACKEND="nonsense")
    assert (done.returncode, done.stderr) == (0, "")
    assert plot.stat().st_size > 1000


@pytest.mark.parametrize(
    "words", [["n" * 9999], ["study", "n" * 9999], ["evaluate", "--" + "n" * 9999]]
)
def test_messages_about_long_arguments_are_short(xcg_command: Command, words: list[str]) -> None:
    done = xcg_command(*words)
    assert (done.returncode, done.stdout) == (2, "")
    assert max(map(len, done.stderr.splitlines())) < MAX_MESSAGE_LENGTH + 20


@pytest.mark.parametrize("name", ["SOURCE_DATE_EPOCH", "LOKY_MAX_CPU_COUNT", "COMP_CWORD"])
@pytest.mark.parametrize("value", ["nonsense", "-1", "9" * 5000])
def test_numbers_in_variables_of_libraries_are_checked(
    xcg_command: Command, monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv(name, value)
    done = xcg_command(*EVALUATE)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert done.stderr.startswith(f"xcg: error: {name}: '{value[:100]}")
    assert len(done.stderr) < MAX_MESSAGE_LENGTH + 20


@pytest.mark.parametrize("shell_name", ["bash", "zsh", "fish"])
def test_completion_without_the_variables_of_the_shell_is_silent(
    xcg_command: Command, monkeypatch: pytest.MonkeyPatch, shell_name: str
) -> None:
    monkeypatch.setenv("_XCG_COMPLETE", f"{shell_name}_complete")
    for name in ("COMP_WORDS", "COMP_CWORD"):
        monkeypatch.delenv(name, raising=False)
    assert (xcg_command().returncode, xcg_command().stderr) == (0, "")


@pytest.mark.slow
@pytest.mark.posix
def test_a_deleted_working_folder_is_no_obstacle(tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    command = f"mkdir {gone}; cd {gone}; rmdir {gone}; XCG evaluate {ROOT / CONFIG} --measures MAep"
    assert shell(command).stdout == shell(f"XCG {' '.join(EVALUATE)}").stdout


@pytest.mark.parametrize(("isolated", "foreign"), [("", "foreign"), ("-I", "xcg, version")])
def test_which_calls_import_modules_of_the_working_folder(
    tmp_path: Path, isolated: str, foreign: str
) -> None:
    (tmp_path / "click.py").write_text("print('foreign')")
    done = shell(f"cd {tmp_path}; {sys.executable} {isolated} -m xcg --no-plugins --version")
    assert done.stdout.startswith(foreign)  # as SECURITY.md states


@pytest.mark.slow
@pytest.mark.posix
@pytest.mark.parametrize("flag", ["-P", "-I"])  # -P as in the command xcg
def test_workers_do_not_import_modules_of_the_working_folder(tmp_path: Path, flag: str) -> None:
    for name in ("joblib", "multiprocessing", "numpy", "click"):
        (tmp_path / f"{name}.py").write_text(f"open({str(tmp_path / 'foreign')!r}, 'w').close()")
    call = f"{sys.executable} {flag} -m xcg --no-plugins evaluate {ROOT / CONFIG} --workers 2"
    path = tmp_path if flag == "-I" else ROOT
    done = shell(f"cd {tmp_path}; PYTHONPATH={path} {call} --measures MAep --user-model overlap-off")
    assert (done.returncode, (tmp_path / "foreign").exists()) == (0, False), done.stderr
