"""The command ``xcg inex-eval``."""

from __future__ import annotations

import gc
from collections.abc import Sequence
from pathlib import Path
from typing import get_args

import click

from xcg.cli.command import Real, Whole, command, complete_strategy, output_option, print_text
from xcg.evaluation.inputs import resolve_strategies
from xcg.report.inex_eval import InexEvalOptions, Task, inex_eval_files, inex_eval_output
from xcg.settings.schema import MAX_NUMBER


@command(example="xcg inex-eval -f qrels.txt run.txt")
@click.option("-t", "thorough", is_flag=True, help="Thorough task: results may overlap.")
@click.option("-f", "focused", is_flag=True, help="Focused task.")
@click.option("-r", "relevant", is_flag=True, help="Relevant in Context task.")
@click.option("-b", "best", is_flag=True, help="Best in Context task.")
@click.option(
    "-i",
    "with_tolerance",
    is_flag=True,
    help="Relevant in Context task with a reader who tolerates irrelevance (T2I).",
)
@click.option(
    "-irr",
    "tolerance",
    type=Whole(1, MAX_NUMBER),
    default=InexEvalOptions.tolerance,
    metavar="INT",
    help="In -i, stop reading an article after this number of irrelevant characters.",
)
@click.option(
    "-n",
    "distance",
    type=Whole(1, MAX_NUMBER),
    default=InexEvalOptions.distance,
    metavar="INT",
    help="In -b, give 0 to results at this distance from the best entry point, in characters.",
)
@click.option(
    "-beta",
    type=Real(min=0),
    default=InexEvalOptions.beta,
    metavar="NUM",
    help="In -r, weight recall by this beta of the F-measure.",
)
@click.option(
    "-c", "complete", is_flag=True, help="Average over all topics of QRELS, not only the answered ones."
)
@click.option("-q", "per_topic", is_flag=True, help="Print the scores of each topic before the means.")
@click.option(
    "--strategy",
    "strategies",
    multiple=True,
    metavar="NAME",
    shell_complete=complete_strategy,
    help="Rewrite each run with this overlap strategy, and evaluate it as TAG+STRATEGY.",
)
@output_option
@click.argument("qrels")
@click.argument("runs", metavar="RUN...", nargs=-1, required=True)
def inex_eval(
    thorough: bool,
    focused: bool,
    relevant: bool,
    best: bool,
    with_tolerance: bool,
    tolerance: int,
    distance: int,
    beta: float,
    complete: bool,
    per_topic: bool,
    strategies: Sequence[str],
    output: Path | None,
    qrels: str,
    runs: Sequence[str],
) -> None:
    """Print what inex_eval 3.1, the official evaluator of INEX 2009 and 2010, prints.

    Exactly one task is required: -t, -f, -r, -b or -i.

    QRELS has lines of topic, Q0, document, relevant size, document length, best entry point and
    passages as offset:length. Each RUN has lines of topic, Q0, document, rank, score, tag, offset and
    length; the order of its lines counts, not ranks and scores. - reads standard input.

    The original inex_eval does not have --strategy.
    """
    given = (thorough, focused, relevant, best, with_tolerance)
    tasks: list[Task] = [task for task, is_given in zip(get_args(Task), given, strict=True) if is_given]
    if len(tasks) != 1:
        names = ", ".join(f"-{task}" for task in tasks) or "none"
        raise click.UsageError(f"{names} given: expected exactly one task of -t, -f, -r, -b, -i")
    options = InexEvalOptions(tasks[0], tolerance, distance, beta, complete)
    bound = resolve_strategies(strategies, Path())
    gc.disable()  # almost all objects live until the end; this saves a fifth of the time
    try:
        scores = inex_eval_files(qrels, runs, options, bound)
    finally:
        gc.freeze()  # the process ends soon, so nothing is freed
        gc.enable()
    print_text(inex_eval_output(scores, per_topic), scores.notes, output)
