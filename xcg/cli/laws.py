"""The command ``xcg break``."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import click

from xcg.cli.command import command
from xcg.cli.completion import complete_measure, complete_user_model
from xcg.cli.options import count_option, seed_option
from xcg.cli.output import format_option, open_output, output_option
from xcg.cli.unused_options import refuse_unused
from xcg.errors import XcgError, printable
from xcg.evaluation.inputs import resolve_user_models
from xcg.laws.search import check_laws, search
from xcg.laws.subjects import FunctionSubject, MeasureSubject, Subject
from xcg.report.laws import outcome_record, outcome_text
from xcg.tables import records
from xcg.terminal_tables import PIPE, Prose, Terminal, terminal_text


@command(
    "break",
    example="xcg break nxCG@10 --law padding --examples 50",
    statuses={1: "The measure breaks a law."},
)
@click.argument("measure", shell_complete=complete_measure)
@click.option(
    "--user-model",
    metavar="NAME_OR_FILE",
    shell_complete=complete_user_model,
    help="Use this user model for a measure of xcg. xcg user-models lists the names.",
)
@click.option(
    "--effort",
    type=click.Choice(["ranks", "text"]),
    help="Measure the effort of the user of a function in ranks, or in text as the user model spans "
    "does.  [default: text]",
)
@click.option(
    "--law",
    "laws",
    multiple=True,
    metavar="NAME",
    help="Test this law. May be repeated.  [default: all]",
)
@count_option("--examples", "Try this number of cases for each law.", default=200)
@seed_option
@format_option("text", "jsonl", "json")
@output_option
def break_(
    measure: str,
    user_model: str | None,
    effort: str | None,
    laws: Sequence[str],
    examples: int,
    seed: int,
    format_: str,
    output: Path | None,
) -> None:
    """Search for small cases in which a measure breaks a law, and print the smallest case for each law.

    MEASURE is a measure of xcg, such as "nxCG@10", or package.module:function. A function is called
    with a list of gold spans (document, start, end, grade) and a list of results (document, start, end)
    in rank order, and returns a number. Its user is the one of the user model spans, who pays for whole
    results by their length, here in characters; --effort ranks counts results instead.
    xcg.laws.chunk_measures:ndcg_over_chunks is nDCG as it is often computed over chunks.

    \b
    boundedness   a score is between 0 and 1
    no-pay-twice  a result that repeats an earlier one, or lies in it, never raises the score
    granularity   splitting results never raises the score; if effort is text, never lowers it
    padding       text without gold in a result never raises the score; if effort is text, it costs
    order         moving a result with relevant text above results without never lowers the score
    ideal         the gold spans themselves, best first, score 1
    appending     a result never raises the score by more than the share of all gain that it adds

    The law appending applies to measures without a cutoff, such as MAep(average=gain), with effort in
    ranks, under a user model with which no ranking gains more than the ideal.

    The exit status is 0 if all laws held, 1 if one is broken, and 2 if the input is wrong or the
    function failed. The command needs the extra break.
    """  # noqa: D301
    check_laws(laws)
    subject = _subject(measure, user_model, effort)
    outcomes = []
    with open_output(output) as write:
        if format_ == "text":
            write(f"{printable(subject.name)}, seed {seed}\n")
        for outcome in search(subject, laws, examples, seed):
            outcomes.append(outcome)
            if format_ == "text":
                text = Prose(outcome_text(subject, outcome))
                write(terminal_text([text], Terminal.of(sys.stdout) if output is None else PIPE))
        if format_ != "text":
            write(records([outcome_record(subject, outcome) for outcome in outcomes], format_))
    failure = outcomes[-1].failure
    if failure:
        raise XcgError(f"{subject.name} {failure}")
    if any(outcome.verdict == "broken" for outcome in outcomes):
        sys.exit(1)


def _subject(measure: str, user_model: str | None, effort: str | None) -> Subject:
    """Return the function or the measure under test."""
    is_function = ":" in measure
    refuse_unused(is_function, "on a function, which has its own user model", "--user-model")
    refuse_unused(not is_function, "on a measure of xcg, which declares its own effort", "--effort")
    if is_function:
        return FunctionSubject.named(measure, effort != "ranks")
    models = resolve_user_models(user_model) if user_model is not None else [None]
    if len(models) > 1:
        raise XcgError(f"{user_model} means {len(models)} user models: expected one")
    return MeasureSubject.named(measure, models[0])
