"""The process of a command: its standard streams, and errors of the operating system.

This module is imported at every start, so it imports little.
"""

from __future__ import annotations

import errno
import gc
import io
import os
import re
import sys
from contextlib import suppress

import click

from xcg.errors import InputError, XcgError, printable

if sys.platform != "win32":
    import resource

INTERRUPTED = 130
"""The exit status after Ctrl-C: 128 plus the number of the signal, as in a shell."""

_WHOLE_NUMBERS = ("SOURCE_DATE_EPOCH", "LOKY_MAX_CPU_COUNT", "COMP_CWORD")
"""Variables in which matplotlib, joblib and click expect whole numbers."""

_LEAST_MEGABYTES = 512
"""Least limit of the address space: below 400, OpenBLAS ends the process, or waits for ever."""

_OBJECTS_PER_COLLECTION = 20_000
"""Number of new objects after which Python looks for reference cycles; its default is 700."""


def prepare() -> None:
    """Prepare the standard streams, the garbage collector and the environment for a command.

    Raises:
        XcgError: If a variable has an illegal value, or ``ulimit -v`` is too low for NumPy.
    """
    if None in (sys.stdin, sys.stdout, sys.stderr):
        _open_missing_streams()
    # Imports make many objects that live until the end, and few cycles.
    gc.set_threshold(_OBJECTS_PER_COLLECTION, *gc.get_threshold()[1:])
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # escape characters that the encoding lacks
            stream.reconfigure(errors="backslashreplace")
    os.environ["MPLBACKEND"] = "agg"  # plots are saved, never shown
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # each thread reserves address space
    if "_XCG_COMPLETE" in os.environ:  # click needs these variables, which a shell usually sets
        os.environ.setdefault("COMP_WORDS", "")
        os.environ.setdefault("COMP_CWORD", "0")
    for name in _WHOLE_NUMBERS:
        value = os.environ.get(name, "0")
        if not value:
            del os.environ[name]
        elif not re.fullmatch("[0-9]{1,11}", value):
            raise InputError(name, f"{value!r} in the environment; expected a whole number")
    if sys.platform != "win32":
        limit, _ = resource.getrlimit(resource.RLIMIT_AS)
        if limit != resource.RLIM_INFINITY and limit < _LEAST_MEGABYTES << 20:
            raise XcgError(
                f"the address space is limited to {limit >> 20} MB: expected at least "
                f"{_LEAST_MEGABYTES} MB (ulimit -v)"
            )


def _open_missing_streams() -> None:
    """Open standard streams that the caller has closed, so that no other file gets their descriptors.

    Writing to standard output then fails, as on a full disk. Messages to standard error are lost.
    """
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:  # open returns the lowest free descriptor
            os.open(os.devnull, os.O_RDONLY if descriptor == 1 else os.O_RDWR)
    if sys.stdout is None:
        sys.stdout = os.fdopen(1, "w", closefd=False)
    if sys.stderr is None:
        sys.stderr = os.fdopen(2, "w", closefd=False)


UNEXPECTED = (
    *(XcgError, OSError, ImportError, UnicodeEncodeError),
    *(MemoryError, RecursionError, SystemError),
)
"""Errors that end a command with one message, because users can cause them."""

_WRITING = (errno.EBADF, errno.EDQUOT, errno.EFBIG, errno.ENOSPC)


def explain(error: BaseException) -> object:
    """Return the message for an error of a type in :data:`UNEXPECTED`."""
    no_memory = isinstance(error, OSError) and error.errno == errno.ENOMEM
    # Python reports some failed allocations as SystemError.
    if no_memory or isinstance(error, (MemoryError, SystemError)):
        detail = f" ({error})" if str(error) else ""
        return f"not enough memory{detail}: expected smaller inputs, fewer workers or more memory"
    if isinstance(error, ImportError):
        reason = str(error).strip().rpartition("\n")[2]
        return f"cannot load a library: {reason}; check the installation and the memory"
    if isinstance(error, RecursionError):
        return "an input is nested too deep: expected fewer levels"
    if isinstance(error, UnicodeEncodeError):
        unknown = error.object[error.start : error.end]
        return f"{unknown!r} cannot be written in {error.encoding}: expected names in Unicode"
    if isinstance(error, OSError):
        reason = error.strerror or str(error)
        if error.filename is not None:
            return InputError(os.fsdecode(error.filename), reason)
        if error.errno in _WRITING:  # errors in other files have a file name
            return InputError("standard output", f"cannot write: {reason}")
        return f"the operating system reports: {reason}"
    return error


def discard_unwritten() -> None:
    """Discard text that cannot be written, so that Python does not report it again when it exits."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            with suppress(OSError):
                null = os.open(os.devnull, os.O_WRONLY)
                os.dup2(null, stream.fileno())
                os.close(null)


MAX_MESSAGE_LENGTH = 1000
"""The maximum length of a message. Longer messages, which can quote a file, are shortened."""


def print_error(error: object) -> None:
    """Print an error to standard error in one line."""
    print_status(f"error: {error}")


def print_status(message: str) -> None:
    """Print one line to standard error.

    Control characters, which input files may hold, are escaped, and very long messages are shortened.
    """
    message = printable(message)
    if len(message) > MAX_MESSAGE_LENGTH:
        half = MAX_MESSAGE_LENGTH // 2
        message = f"{message[:half]} … {message[-half:]}"
    with suppress(OSError):  # an error of standard error itself cannot be reported
        click.echo(f"xcg: {message}", err=True)
