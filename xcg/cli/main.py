"""The ``xcg`` command: its process, and a group that loads each command when it is first used.

This module is imported at every start, so it imports little.
"""

from __future__ import annotations

import atexit
import errno
import gc
import importlib
import io
import os
import re
import sys
from contextlib import suppress
from typing import Any

import click
from click.shell_completion import CompletionItem

from xcg import __version__
from xcg.errors import InputError, XcgError, nearest, printable
from xcg.plugins import NO_PLUGINS, without_plugins

if sys.platform != "win32":
    import resource

COMMANDS = {
    "evaluate": ("questions:evaluate", "Score runs against assessments."),
    "compare": ("questions:compare", "Test the differences between runs over topics."),
    "gate": ("questions:gate", "Pass or fail runs, by limits or by tests against a baseline."),
    "sweep": ("questions:sweep", "Compare user models, or overlap strategies over alpha."),
    "curves": ("questions:curves", "Compute measures as curves over ranks, recall or text."),
    "chunks": ("questions:chunks", "Compare chunkers and retrievers on one gold set."),
    "report": ("questions:report", "Write one HTML page, or the methods paragraph of a paper."),
    "explain": ("questions:explain", "Explain the gain of each result, or the ideal recall-base."),
    "check": ("questions:check", "Check all inputs; count assessments; review gold."),
    "study": ("questions:study", "Study measures and designs: plan, calibrate, assessors and more."),
    "convert": ("files:convert", "Convert between formats; write the ideal run; apply a strategy."),
    "place": ("files:place", "Find quotes in documents; repair gold after changes."),
    "judge": ("judge:judge", "Judge the relevance of documents in the browser."),
    "samples": ("samples:samples", "Write the sample campaigns into a new folder."),
    "simulate": ("files:simulate", "Write a simulated campaign into a new folder."),
    "list": ("listings:list_", "List measures, user models, strategies and formats; BibTeX."),
    "inex-eval": ("inex_eval:inex_eval", "Print what inex_eval of INEX 2009 and 2010 prints."),
}
"""Name → function below ``xcg.cli`` as ``module:function``, and the line in ``xcg --help``."""

PURPOSES = {
    "Evaluate and compare": (*("evaluate", "compare", "gate", "sweep", "curves", "chunks", "report"),),
    "Explain, check and study": ("explain", "check", "study"),
    "Make and convert files": ("convert", "place", "judge", "samples", "simulate"),
    "Other": ("list", "inex-eval"),
}
"""Heading in ``xcg --help`` → its commands."""

_SETTINGS = {"help_option_names": ["-h", "--help"], "show_default": True}

INTERRUPTED = 130
"""The exit status after Ctrl-C: 128 plus the number of the signal, as in a shell."""

_WHOLE_NUMBERS = ("SOURCE_DATE_EPOCH", "LOKY_MAX_CPU_COUNT", "COMP_CWORD")
"""Variables in which matplotlib, joblib and click expect whole numbers."""

_LEAST_MEGABYTES = 512
"""Smallest limit of the memory: below 400, OpenBLAS ends the process or hangs."""

_OBJECTS_PER_COLLECTION = 20_000
"""Number of new objects after which Python looks for reference cycles; its default is 700."""


def prepare() -> None:
    """Prepare the standard streams, the garbage collector and the environment for a command.

    Raises:
        XcgError: If a variable has an illegal value, or ``ulimit -v`` or ``-d`` is too low for NumPy.
    """
    if None in (sys.stdin, sys.stdout, sys.stderr):
        _open_missing_streams()
    # Imports make many objects that live until the end, and few cycles.
    gc.set_threshold(_OBJECTS_PER_COLLECTION, *gc.get_threshold()[1:])
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # escape characters that the encoding lacks
            stream.reconfigure(errors="backslashreplace")
    os.environ["MPLBACKEND"] = "agg"  # plots are saved, never shown
    os.environ["PYTHONSAFEPATH"] = "1"  # workers would import modules of the working folder
    if sys.flags.ignore_environment:  # the flags of Python do not reach workers
        os.environ.pop("PYTHONPATH", None)
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
        for option, what, kind in (
            ("-v", "address space", resource.RLIMIT_AS),
            ("-d", "data segment", resource.RLIMIT_DATA),
        ):
            limit, _ = resource.getrlimit(kind)
            if limit != resource.RLIM_INFINITY and limit < _LEAST_MEGABYTES << 20:
                raise XcgError(
                    f"the {what} is limited to {limit >> 20} MB: expected at least "
                    f"{_LEAST_MEGABYTES} MB (ulimit {option})"
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
            os.set_inheritable(descriptor, True)  # workers need it, too
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
    """Print one line to standard error."""
    with suppress(OSError):  # an error of standard error itself cannot be reported
        click.echo(f"xcg: {_shown(message)}", err=True)


def _shown(message: str) -> str:
    """Escape the control characters of a message, which input files may hold, and shorten it."""
    message = printable(message)
    half = MAX_MESSAGE_LENGTH // 2
    return message if len(message) <= 2 * half else f"{message[:half]} … {message[-half:]}"


class Group(click.Group):
    """A group whose error for an unknown command suggests the nearest name."""

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        """Return the command that the arguments name."""
        is_known = args[0].startswith("-") or self.get_command(ctx, args[0]) is not None
        if is_known or ctx.resilient_parsing:
            return super().resolve_command(ctx, args)
        hint = nearest(args[0], self.list_commands(ctx))
        raise click.UsageError(f"No such command {args[0]!r}: {hint}")


class LazyGroup(Group):
    """A group that imports a command's module when the command is called.

    Every error that a user can cause ends with one message on standard error and exit status 2.
    """

    def main(self, *arguments: Any, **options: Any) -> Any:
        """Run a command, and turn a user's error into one message and exit status 2.

        Garbage collection is skipped when the process ends. Without ``standalone_mode``, errors are
        raised.
        """
        atexit.register(gc.freeze)
        if not options.get("standalone_mode", True):
            return super().main(*arguments, **options)
        try:
            prepare()
            try:
                super().main(*arguments, **options)
            finally:
                sys.stdout.flush()
        except SystemExit:
            discard_unwritten()
            raise
        except UNEXPECTED as error:
            message = explain(error)
        # Report the error here, where its frames are gone and the memory of its inputs is free again.
        print_error(message)
        discard_unwritten()
        sys.exit(2)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command, and exit with status :data:`INTERRUPTED` after Ctrl-C."""
        try:
            return super().invoke(ctx)
        except click.UsageError as error:  # click does not escape all arguments
            if error.message == (shown := _shown(error.message)):
                raise
            raise click.UsageError(shown, error.ctx) from None
        except KeyboardInterrupt:
            pass
        except Exception as error:
            if not isinstance(error.__context__, KeyboardInterrupt):  # it can interrupt an import
                raise
        print_status("interrupted")
        return ctx.exit(INTERRUPTED)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command."""
        if cmd_name not in COMMANDS:
            return None
        target, _ = COMMANDS[cmd_name]
        module, function = target.split(":")
        command = getattr(importlib.import_module(f"xcg.cli.{module}"), function)
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands by purpose, without importing them."""
        width = max(map(len, COMMANDS))
        for purpose, names in PURPOSES.items():
            with formatter.section(purpose):
                formatter.write_dl([(name.ljust(width), COMMANDS[name][1]) for name in names])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Return the commands and options that start with a text, without importing the commands."""
        names = [name for name in COMMANDS if name.startswith(incomplete)]
        items = [CompletionItem(name, help=COMMANDS[name][1]) for name in names]
        return items + click.Command.shell_complete(self, ctx, incomplete)


@click.group(cls=LazyGroup, context_settings=_SETTINGS)
@click.version_option(__version__, prog_name="xcg")
@click.option(
    "--no-plugins",
    is_flag=True,
    help="Do not run third-party code: refuse package.module:function in configurations, and what "
    f"installed packages add to xcg.  [environment variable: {NO_PLUGINS}=1]",
)
@click.pass_context
def main(context: click.Context, no_plugins: bool) -> None:
    """Evaluate the retrieval of parts of documents: xCG, nxCG, ep/gr, MAep.

    xcg COMMAND --help describes a command, with an example.
    """
    if no_plugins:
        context.with_resource(without_plugins())
