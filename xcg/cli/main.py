"""The ``xcg`` command: a group that loads each command when it is first used."""

from __future__ import annotations

import atexit
import gc
import importlib
import sys
from typing import Any

import click
from click.shell_completion import CompletionItem

from xcg import __version__
from xcg.cli.process import (
    INTERRUPTED,
    UNEXPECTED,
    discard_unwritten,
    explain,
    prepare,
    print_error,
    print_status,
)
from xcg.errors import nearest, printable
from xcg.plugins import NO_PLUGINS, without_plugins

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


class LazyGroup(click.Group):
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
            if error.message.isprintable():
                raise
            raise click.UsageError(printable(error.message), error.ctx) from None
        except KeyboardInterrupt:
            print_status("interrupted")
            ctx.exit(INTERRUPTED)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command; an error suggests the nearest name."""
        if cmd_name not in COMMANDS:
            if ctx.resilient_parsing or cmd_name.startswith("-"):
                return None
            raise click.UsageError(f"No such command {cmd_name!r}: {nearest(cmd_name, COMMANDS)}")
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
