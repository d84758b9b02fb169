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
from xcg.cli.messages import print_error, print_status
from xcg.cli.process import INTERRUPTED, UNEXPECTED, discard_unwritten, explain, prepare
from xcg.errors import nearest, printable
from xcg.installation import missing_extra
from xcg.plugins import NO_PLUGINS, without_plugins

COMMANDS = {
    "assess": ("files:assess", "Derive element assessments from highlighted passages."),
    "break": ("laws:break_", "Search for small cases in which a measure breaks a law."),
    "calibrate": (
        "calibrate:calibrate",
        "Count the false alarms of tests and gates on exchanged runs.",
    ),
    "chunks": ("chunks:chunks", "Compare chunkers and retrievers on one gold set."),
    "cite": ("cite:cite", "Print BibTeX for measures, user models and strategies."),
    "compare": ("compare:compare", "Test the differences between runs over topics."),
    "convert": ("files:convert", "Convert assessments or a run to another file format."),
    "curves": ("explore:curves", "Print measures as curves over ranks or recall."),
    "distribution": (
        "distribution:distribution",
        "Count the assessments of each level or grade pair.",
    ),
    "evaluate": ("evaluate:evaluate", "Evaluate runs."),
    "explain": ("explore:explain", "Explain the gain of each result of a run."),
    "gold": ("gold:gold", "List what to review in gold: disagreement, missed spans, duplicates."),
    "ideal": ("explore:ideal", "Print the ideal recall-base of a topic."),
    "inex-eval": (
        "inex_eval:inex_eval",
        "Evaluate runs as inex_eval does (INEX 2009 and 2010).",
    ),
    "judge": ("judge:judge", "Judge the relevance of documents in the browser."),
    "levels": ("studies:levels", "Test whether measures depend on the number of levels."),
    "measures": ("listings:measures", "List the measures, or describe one measure."),
    "perturb": ("studies:perturb", "Insert non-relevant results and print the effect."),
    "place": ("files:place", "Find passages in the documents by their text."),
    "plan": ("plan:plan", "Predict what a comparison finds, with how many topics."),
    "report": ("report:report", "Write an HTML page with tables, curves and explanations."),
    "rewrite": ("rewrite:rewrite", "Rewrite a run with an overlap strategy."),
    "samples": ("samples:samples", "Write the sample campaigns into a new folder."),
    "simulate": ("files:simulate", "Write a simulated campaign into a new folder."),
    "stability": (
        "studies:stability",
        "Study how scores depend on assessors and on the number of topics.",
    ),
    "strategies": (
        "listings:strategies",
        "List the overlap strategies, or explain one.",
    ),
    "sweep": ("compare:sweep", "Compare the order of runs between user models."),
    "user-models": ("listings:user_models", "List user models and their parts, or explain one."),
    "validate": ("files:validate", "Check the corpus, the assessments and the runs."),
}
"""Name → function below ``xcg.cli`` as ``module:function``, and the line in ``xcg --help``."""

PURPOSES = {
    "Evaluate and compare runs": (
        *("evaluate", "compare", "report", "curves", "sweep", "chunks", "inex-eval"),
    ),
    "Look into a campaign": ("explain", "ideal", "distribution", "gold", "validate"),
    "Plan and check experiments": (*("plan", "stability", "calibrate", "perturb", "levels", "break"),),
    "Create and convert files": (
        "convert",
        "rewrite",
        "place",
        "judge",
        "assess",
        "simulate",
        "samples",
    ),
    "List what xcg provides": ("measures", "user-models", "strategies", "cite"),
}
"""Heading in ``xcg --help`` → its commands."""

_SETTINGS = {"help_option_names": ["-h", "--help"], "show_default": True}
_NO_PLUGINS = "--no-plugins"
_EXTRAS = {"hypothesis": "break"}
"""Package that the module of a command imports → the extra that installs it."""


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

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments, and accept --no-plugins also after the name of a command."""
        options = args[: args.index("--")] if "--" in args else args
        if _NO_PLUGINS in options:
            rest = [word for word in options if word != _NO_PLUGINS]
            args = [_NO_PLUGINS, *rest, *args[len(options) :]]
        return super().parse_args(ctx, args)

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
        """Return the names of all commands in alphabetical order."""
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command; XcgError if the extra that it needs is not installed."""
        if cmd_name not in COMMANDS:
            return None
        target, _ = COMMANDS[cmd_name]
        module, function = target.split(":")
        try:
            command = getattr(importlib.import_module(f"xcg.cli.{module}"), function)
        except ModuleNotFoundError as error:
            if error.name not in _EXTRAS:
                raise
            extra = _EXTRAS[error.name]
            raise missing_extra(f"xcg {cmd_name}", error.name, extra) from None
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

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that the arguments name; an error suggests the nearest name."""
        if args and not args[0].startswith("-") and args[0] not in COMMANDS:
            raise click.UsageError(f"No such command {args[0]!r}: {nearest(args[0], COMMANDS)}")
        return super().resolve_command(ctx, args)


@click.group(cls=LazyGroup, context_settings=_SETTINGS)
@click.version_option(__version__, prog_name="xcg")
@click.option(
    _NO_PLUGINS,
    is_flag=True,
    help="Run no code of others: refuse package.module:function in configurations, and what installed "
    f"packages add to xcg.  [environment variable: {NO_PLUGINS}=1]",
)
@click.pass_context
def main(context: click.Context, no_plugins: bool) -> None:
    """Evaluate the retrieval of parts of documents: xCG, nxCG, ep/gr, MAep.

    xcg COMMAND --help describes a command, with an example.
    """
    if no_plugins:
        context.with_resource(without_plugins())
