"""The inputs of commands that evaluate: CONFIG, and the options that override it."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

import click

from xcg.cli.completion import complete_measure, complete_user_model
from xcg.cli.options import (
    ANY_PATH,
    check_order_options,
    corpus_option,
    count_option,
    document_option,
    lenient_option,
    list_option,
    no_cache_option,
    order_option,
    paths_option,
    strategy_option,
    ties_option,
)
from xcg.cli.output import C, progress_bar
from xcg.cli.run_names import select_runs
from xcg.cli.unused_options import refuse_unused
from xcg.errors import InputError, XcgError
from xcg.evaluation.config import load_configuration
from xcg.evaluation.evaluate import evaluate_inputs
from xcg.evaluation.inputs import Inputs, Unanswered, resolve_strategies, resolve_user_models
from xcg.evaluation.parallel import Executor
from xcg.evaluation.results import Results
from xcg.measures import MEASURES
from xcg.runs.chunk_documents import DocumentKey
from xcg.runs.run import Order, Ties
from xcg.statistics.intervals import RESAMPLES

resamples_option = count_option(
    "--resamples",
    "Compute intervals from this number of bootstrap resamples of the topics; 0 for none.",
    default=RESAMPLES,
    least=0,
)


@dataclass
class CampaignOptions:
    """The options that name the inputs of a command; options override CONFIG.

    A field keeps its default value if the command does not have the option.
    """

    config: Path | None
    assessments: Sequence[str]
    corpus: str | None
    user_model: Sequence[str]
    lenient: bool
    runs: Sequence[str] | None = None
    order: Order | None = None
    ties: Ties | None = None
    measures: str | None = None
    unanswered: Unanswered | None = None
    workers: int | None = None
    scheduler: str | None = None
    strategies: Sequence[str] = ()
    document: DocumentKey = None

    def inputs(self, *, parse_measures: bool = True, needs_runs: bool = True, **others: Any) -> Inputs:
        """Return the inputs that CONFIG and the options describe.

        Args:
            parse_measures: Whether --measures lists measures of the evaluation. Some commands read
                it differently.
            needs_runs: Whether runs are required if the command has the option.
            others: Further arguments of :class:`Inputs`.

        Raises:
            XcgError: If CONFIG or an option is wrong, or if no assessments or runs are given.
        """
        check_order_options(self.order, self.ties)
        check_worker_options(self.scheduler)
        given: dict[str, Any] = {
            "assessments": [Path(path) for path in self.assessments] or None,
            "corpus": Path(self.corpus) if self.corpus is not None else None,
            "user_model": resolve_user_models(self.user_model) if self.user_model else None,
            "measures": MEASURES.parse_all(self.measures, Path())
            if parse_measures and self.measures
            else None,
            "order": self.order,
            "ties": self.ties,
            "unanswered": self.unanswered,
            "workers": 1 if self.scheduler is not None else self.workers,
            "scheduler": self.scheduler,
            "strategies": resolve_strategies(self.strategies, Path()) or None,
            "document": self.document,
        }
        options = {name: value for name, value in given.items() if value is not None}
        if self.order is not None:
            options["ties"] = self.ties  # those of CONFIG may have no effect in this order
        inputs = load_configuration(self.config) if self.config is not None else Inputs()
        configured = inputs.runs
        given_keys = {*options, "runs"} if self.runs else set(options)
        positions = {key: found for key, found in inputs.positions.items() if key not in given_keys}
        inputs = replace(inputs, **options, **others, lenient=self.lenient, positions=positions)
        if self.runs and self.config is not None:
            inputs = select_runs(inputs, self.runs, configured, self.config)
        elif self.runs:
            inputs = replace(inputs, runs=[Path(path) for path in self.runs])
        if not inputs.assessments:
            raise self.missing("assessments")
        if needs_runs and self.runs is not None and not inputs.runs:
            raise self.missing("runs")
        return inputs

    def missing(self, key: str) -> XcgError:
        """Return the error for an input that neither CONFIG nor an option gives."""
        option = f"--{'run' if key == 'runs' else key} PATH"
        if self.config is not None:
            return InputError(self.config, f"no {key}: expected the key {key!r} or {option}")
        return XcgError(f"no {key}: expected a CONFIG.yaml or {option}")


def check_worker_options(scheduler: str | None) -> None:
    """Raise XcgError if --workers has no effect."""
    reason = "with --scheduler, whose cluster has its own workers"
    refuse_unused(scheduler is not None, reason, "--workers")


def evaluate_with_progress(inputs: Inputs) -> Results:
    """Evaluate runs, with a progress bar."""
    with progress_bar() as progress:
        return evaluate_inputs(inputs, progress)


_INPUT_NAMES = ("config", "assessments", "corpus", "user_model", "lenient")
_INPUT_OPTIONS = (
    paths_option(
        "--assessments",
        help="Read assessments from this file, folder or glob pattern; - is standard input.",
    ),
    corpus_option(),
    click.option(
        "--user-model",
        multiple=True,
        metavar="NAME_OR_FILE",
        shell_complete=complete_user_model,
        help="Use this user model. xcg user-models lists the names.",
    ),
    lenient_option,
    no_cache_option,
)
_FURTHER_OPTIONS = {
    "runs": paths_option(
        "--run",
        "runs",
        help="Read runs from this file, folder or glob pattern; - is standard input. With CONFIG, the "
        "name of one of its runs selects this run.",
    ),
    "strategies": strategy_option,
    "order": order_option,
    "ties": ties_option,
    "measures": list_option(
        "--measures",
        help='Compute these measures, such as "nxCG@10 MAep". xcg measures lists them.',
        shell_complete=complete_measure,
    ),
    "document": document_option,
    "unanswered": click.option(
        "--unanswered",
        type=click.Choice(["zero", "skip"]),
        help="Count an assessed topic without results as 0, or leave it out.  [default: zero]",
    ),
    "workers": click.option(
        "--workers",
        type=int,
        help="Divide the work among this number of processes; -1 uses all cores.  [default: 1]",
    ),
    "scheduler": click.option(
        "--scheduler",
        metavar="ADDRESS",
        help="Divide the work among the workers of the Dask cluster with this scheduler.",
    ),
}


def executor_options(command: C) -> C:
    """Add --workers and --scheduler, which the command receives as the argument ``executor``."""

    @functools.wraps(command)
    def call(*, workers: int | None, scheduler: str | None, **values: Any) -> Any:
        check_worker_options(scheduler)
        executor = Executor(1 if workers is None else workers, scheduler)
        return command(executor=executor, **values)

    wrapped: Any = call
    for name in ("scheduler", "workers"):
        wrapped = _FURTHER_OPTIONS[name](wrapped)
    return cast(C, wrapped)


def campaign_options(*names: str) -> Callable[[C], C]:
    """Add CONFIG and the input options to a command.

    The command receives them as one :class:`CampaignOptions`, its first argument.

    Args:
        names: Further options: runs (with --strategy and --document), strategies, order, ties,
            measures, unanswered, workers (with --scheduler).
    """
    config = click.argument("config", required=False, type=ANY_PATH)
    further = list(names)
    further += ["strategies", "document"] if "runs" in names else []
    further += ["scheduler"] if "workers" in names else []
    options = [config, *_INPUT_OPTIONS, *(_FURTHER_OPTIONS[name] for name in further)]

    def decorate(command: C) -> C:
        @functools.wraps(command)
        def call(**values: Any) -> Any:
            inputs = {name: values.pop(name) for name in (*_INPUT_NAMES, *further)}
            return command(CampaignOptions(**inputs), **values)

        for option in reversed(options):
            call = option(call)
        return cast(C, call)

    return decorate
