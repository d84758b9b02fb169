"""The command line: parse, call, print; no arithmetic."""

from __future__ import annotations

import atexit
import gc
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Literal, TypeVar

import click

from xcg import __version__
from xcg.errors import InputError, UnmappedError, XcgError
from xcg.garbage import seldom_collected

if TYPE_CHECKING:
    from xcg.evaluation.config import Configuration
    from xcg.evaluation.results import Results

FORMATS = ("table", "jsonl", "csv", "json", "markdown", "latex")  # as in xcg.report.tables
_PATIENCE = 1.0  # seconds
C = TypeVar("C", bound=Callable[..., Any])


class _Group(click.Group):
    """Commands that answer every error a user can cause with one message and status 2."""

    def main(self, *arguments: Any, **options: Any) -> Any:
        """Run a command, without looking for garbage that a short process hardly has.

        Looks are rarer than usual, and there is none at the end of the process.
        """
        atexit.register(gc.freeze)
        with seldom_collected():
            return super().main(*arguments, **options)

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except XcgError as error:
            _print_error(error)
            ctx.exit(2)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and not args[0].startswith("-") and args[0] not in self.commands:
            from xcg.errors import nearest

            raise click.UsageError(f"No such command {args[0]!r}: {nearest(args[0], self.commands)}")
        return super().resolve_command(ctx, args)


@click.group(cls=_Group, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="xcg")
def main() -> None:
    """Evaluate the retrieval of parts of documents: xCG, nxCG, ep/gr, MAep."""


def _without_cache(context: click.Context, _: click.Parameter, off: bool) -> None:
    if off:
        from xcg.documents.cache import without_cache

        context.with_resource(without_cache())


def _campaign_options(command: C) -> C:
    """Add the options that say what to work on, for the commands that take a CONFIG."""
    options = [
        click.argument("config", required=False, type=click.Path(path_type=Path)),
        click.option("--assessments", multiple=True, metavar="PATH", help="File, folder or glob."),
        click.option("--corpus", metavar="PATH", help="Folder or archive of documents."),
        click.option(
            "--user-model", multiple=True, metavar="NAME_OR_FILE", help="See xcg user-models."
        ),
        click.option(
            "--lenient", is_flag=True, help="Count wrong data as warnings instead of stopping."
        ),
        click.option(
            "--no-cache",
            is_flag=True,
            expose_value=False,
            callback=_without_cache,
            help="Parse the documents anew, and keep nothing of them.",
        ),
    ]
    for option in reversed(options):
        command = option(command)
    return command


_records_format = click.option(
    "--format", "format_", type=click.Choice(["table", "jsonl", "csv", "json"]), default="table"
)
_plot = click.option(
    "--plot", type=click.Path(path_type=Path, dir_okay=False), help="File: .png, .svg or .pdf."
)
_output = click.option(
    "--output", type=click.Path(path_type=Path, dir_okay=False), help="File instead of stdout."
)


def _configure(
    config: Path | None,
    assessments: Sequence[str],
    corpus: str | None,
    user_model: Sequence[str],
) -> Configuration:
    """Return the configuration with what the options say put in place of what the file says."""
    from xcg.evaluation.campaign import as_user_models
    from xcg.evaluation.config import Configuration, load_configuration

    configuration = load_configuration(config) if config is not None else Configuration()
    if assessments:
        configuration.assessments = [Path(path) for path in assessments]
    if corpus is not None:
        configuration.corpus = Path(corpus)
    if user_model:
        configuration.user_models = as_user_models(user_model)
    if not configuration.assessments:
        raise _missing("assessments", config)
    return configuration


def _missing(what: str, config: Path | None) -> XcgError:
    option = f"--{'run' if what == 'runs' else what} PATH"
    if config is not None:
        return InputError(config, f"no {what}: expected the key {what!r} or {option}")
    return XcgError(f"no {what}: expected a CONFIG.yaml or {option}")


def _run_file_options(command: C) -> C:
    """Add the options that say which runs to look at."""
    options = [
        _campaign_options,
        click.option("--run", "runs", multiple=True, metavar="PATH", help="File, folder or glob."),
        click.option(
            "--ties",
            type=click.Choice(["document", "rank", "file"]),
            help="Order of TREC results of one score: by document id descending, by rank, as in the "
            "file.  [default: document]",
        ),
    ]
    for option in reversed(options):
        command = option(command)
    return command


def _run_options(command: C) -> C:
    """Add the options of the commands that look at runs by measures."""
    measures = click.option(
        "--measures", metavar="LIST", help='Such as "nxCG@10 MAep"; see xcg measures.'
    )
    return _run_file_options(measures(command))


_unanswered = click.option(
    "--unanswered",
    type=click.Choice(["zero", "skip"]),
    help="What an assessed topic counts that a run does not answer.  [default: zero]",
)


def _evaluation_options(command: C) -> C:
    """Add the options of the commands that average over topics as the user says."""
    return _run_options(_unanswered(command))


def _configured(campaign: Mapping[str, Any], parse_measures: bool = True) -> Configuration:
    """Return the configuration of a command that looks at runs.

    parse_measures: without it, what the option says is the command's own business.
    """
    from xcg.measures import MEASURES

    config = campaign["config"]
    configuration = _configure(
        config, campaign["assessments"], campaign["corpus"], campaign["user_model"]
    )
    if campaign["runs"]:
        configuration.runs = [Path(path) for path in campaign["runs"]]
    if not configuration.runs:
        raise _missing("runs", config)
    if parse_measures and campaign["measures"] is not None:
        configuration.measures = MEASURES.parse_all(campaign["measures"])
    configuration.ties = campaign["ties"] or configuration.ties
    configuration.unanswered = campaign.get("unanswered") or configuration.unanswered
    if campaign.get("workers") is not None:
        configuration.workers = campaign["workers"]
    return configuration


def _evaluate(configuration: Configuration, lenient: bool, check_corpus: bool = False) -> Results:
    """Evaluate as a configuration says."""
    from xcg.evaluation.evaluate import evaluate as evaluate_runs

    with _progress() as progress:
        return evaluate_runs(
            configuration.assessments,
            configuration.runs,
            configuration.corpus,
            configuration.user_models,
            configuration.measures,
            unanswered=configuration.unanswered,
            ties=configuration.ties,
            lenient=lenient,
            check_corpus=check_corpus,
            progress=progress,
            workers=configuration.workers,
        )


@main.command()
@_evaluation_options
@click.option(
    "--workers", type=int, help="Processes that share the runs; -1 is one a core.  [default: 1]"
)
@click.option("--per-topic", is_flag=True, help="Print each topic's figures too.")
@click.option(
    "--format",
    "format_",
    type=click.Choice([*FORMATS, "inex_eval"]),
    default="table",
    show_default=True,
    help="inex_eval prints the figures on highlighted text as the official evaluator of INEX 2009 and "
    "2010 did, whatever the measures.",
)
@click.option("--mark", is_flag=True, help="Best means in bold, in markdown and latex.")
@click.option(
    "--against",
    metavar="RUN",
    help="Daggers where a mean differs significantly, in markdown and latex.",
)
@_output
def evaluate(
    per_topic: bool,
    format_: str,
    mark: bool,
    against: str | None,
    output: Path | None,
    **campaign: Any,
) -> None:
    """Evaluate runs; CONFIG is a YAML file, and options take the place of what it says."""
    with _file_or_stdout(output) as write:
        configuration = _configured(campaign)
        if format_ == "inex_eval":
            from xcg.evaluation.text_evaluation import evaluate_text, official_output

            found = evaluate_text(
                configuration.assessments,
                configuration.runs,
                configuration.corpus,
                ties=configuration.ties,
                lenient=campaign["lenient"],
            )
            write(official_output(found, per_topic))
            return
        results = _evaluate(configuration, campaign["lenient"])
        write(results.to_text(format_, per_topic, mark, against))
    _print_notes(results.notes)


@main.command()
@_evaluation_options
@click.option("--baseline", metavar="NAME", help="User model to compare with.  [default: the first]")
@_plot
@_records_format
@_output
def sweep(
    baseline: str | None, plot: Path | None, format_: str, output: Path | None, **campaign: Any
) -> None:
    """Print how the order of runs moves from user model to user model.

    A user model may have lists of values (alpha: [0, 0.5, 1]) or ranges for its parameters; all
    combinations are evaluated in one pass over the files.
    """
    from xcg.report.plots import check_format, save, sweep_plot
    from xcg.statistics.rank_correlation import shifts
    from xcg.tables import records

    if plot is not None:
        check_format(plot)
    with _file_or_stdout(output) as write:
        results = _evaluate(_configured(campaign), campaign["lenient"])
        found = shifts(results, baseline)
        write(records([row._asdict() for row in found], format_))
    if plot is not None:
        save(sweep_plot(results, found, baseline or results.user_models[0]), plot)
    _print_notes(results.notes)


@main.command()
@_campaign_options
@click.option("--topic", help="The topic's id.")
@click.option("--statistics", is_flag=True, help="Print what the ideal of each topic keeps and loses.")
@_records_format
@_output
def ideal(
    config: Path | None,
    assessments: Sequence[str],
    corpus: str | None,
    user_model: Sequence[str],
    lenient: bool,
    topic: str | None,
    statistics: bool,
    format_: str,
    output: Path | None,
) -> None:
    """Print the ideal recall-base of a topic: the elements that should be returned."""
    from xcg.errors import Notes
    from xcg.evaluation.ideals import ideal_elements, ideal_statistics
    from xcg.tables import records

    if (topic is None) != statistics:
        raise XcgError("expected either --topic, or --statistics for all topics")
    configuration = _configure(config, assessments, corpus, user_model)
    notes = Notes(lenient)
    with _file_or_stdout(output) as write:
        base, corpus_, models = (
            configuration.assessments,
            configuration.corpus,
            configuration.user_models,
        )
        rows: Sequence[Any] = (
            ideal_elements(base, topic, corpus_, models, notes)
            if topic is not None
            else ideal_statistics(base, corpus_, models, notes)
        )
        write(records([row._asdict() for row in rows], format_))
    _print_notes(notes.lines())


@main.command()
@_evaluation_options
@click.option(
    "--baseline", metavar="RUN", help="Run to compare with, or all for all pairs.  [default: the best]"
)
@click.option(
    "--test",
    type=click.Choice(["t", "wilcoxon", "randomisation"]),
    default="t",
    show_default=True,
    help="Paired test over topics.",
)
@click.option(
    "--correction",
    type=click.Choice(["holm", "bonferroni", "fdr_bh", "none"]),
    default="holm",
    show_default=True,
    help="For the number of comparisons.",
)
@click.option(
    "--overall", is_flag=True, help="Print the tests over all runs: ANOVA, Friedman with its pairs."
)
@click.option(
    "--orders", is_flag=True, help="Print τ-b between the orders by all measures and user models."
)
@click.option("--topics", type=click.IntRange(min=0), default=3, help="How many deciding topics.")
@_plot
@click.option("--fail-under", multiple=True, metavar="MEASURE=VALUE", help="Exit 1 for a lower mean.")
@click.option(
    "--fail-if-worse-than", metavar="RUN", help="Exit 1 where a run is significantly worse (5 %)."
)
@click.option(
    "--allow-unmapped",
    type=click.IntRange(min=0),
    metavar="N",
    help="Let a gate pass where up to N results or assessments could not be used; implies --lenient.",
)
@_records_format
@_output
def compare(
    baseline: str | None,
    test: str,
    correction: str,
    overall: bool,
    orders: bool,
    topics: int,
    plot: Path | None,
    fail_under: Sequence[str],
    fail_if_worse_than: str | None,
    allow_unmapped: int | None,
    format_: str,
    output: Path | None,
    **campaign: Any,
) -> None:
    """Compare runs over topics: differences, intervals, tests, and the topics that decide.

    With --fail-under or --fail-if-worse-than the exit status is 1 where a run falls short, 3 where a
    result or relevant text has no place in the corpus, and 2, as everywhere, where the input is wrong.
    """
    from xcg.measures import MEASURES
    from xcg.report.comparisons import comparison_rows, order_rows, overall_rows
    from xcg.report.plots import check_format, differences_plot, save
    from xcg.statistics.gate import limits, shortfalls
    from xcg.tables import records

    if plot is not None:
        check_format(plot)

    wanted = limits(fail_under)
    gated = bool(wanted) or fail_if_worse_than is not None
    if allow_unmapped is not None:
        if not gated:
            raise XcgError("--allow-unmapped is for --fail-under and --fail-if-worse-than")
        campaign["lenient"] = True
    if campaign["measures"] is None and wanted and campaign["config"] is None:
        campaign["measures"] = " ".join(wanted)
    with _gate_status(gated):
        with _file_or_stdout(output) as write:
            configuration = _configured(campaign)
            configuration.measures = MEASURES.parse_all([*configuration.measures, *wanted])
            results = _evaluate(configuration, campaign["lenient"], check_corpus=gated)
            rows: list[dict[str, Any]] = []
            if orders:
                rows = order_rows(results)
            elif overall:
                rows = overall_rows(results)
            elif len(results.runs) > 1 or not fail_under:
                chosen = fail_if_worse_than or baseline
                rows = comparison_rows(results, chosen, test, correction, topics)
            write(records(rows, format_) if rows else "")
        if plot is not None:
            save(differences_plot(results, fail_if_worse_than or baseline), plot)
        _print_notes(results.notes)
        allowed = allow_unmapped or 0
        failures = (
            shortfalls(results, wanted, fail_if_worse_than, test, correction, allowed) if gated else []
        )
    for failure in failures:
        click.echo(f"xcg: failed: {_one_line(failure)}", err=True)
    if failures:
        sys.exit(1)


@main.command()
@_run_file_options
@_unanswered
@click.option("--gold", multiple=True, metavar="PATH", help="The same as --assessments.")
@click.option(
    "--budget",
    "budgets",
    type=click.IntRange(min=1, max=999_999_999),
    multiple=True,
    default=(500, 2000),
    show_default=True,
    help="Amount of text for nxCG; may be repeated.",
)
@click.option(
    "--unit",
    type=click.Choice(["characters", "words", "tokens"]),
    default="tokens",
    show_default=True,
    help="What text is counted in; the user model says what tokens are.",
)
@click.option("--questions", is_flag=True, help="Print every gold span and result instead.")
@_plot
@_records_format
@_output
def chunks(
    gold: Sequence[str],
    budgets: Sequence[int],
    unit: str,
    questions: bool,
    plot: Path | None,
    format_: str,
    output: Path | None,
    **campaign: Any,
) -> None:
    """Compare chunkers and retrievers on one gold set, a run for each.

    Runs of chunks, passages and elements are read as text. A line a run: questions averaged over,
    unanswered ones, and ones for which nothing was found; chunks returned for a question, their text,
    and the text read for a question; the share of the gold that was found; the shares of the text read
    that were useful (relevant and new), and that were read twice (seen before); MAep and nxCG with
    effort paid in text.

    The user model is spans by default, or spans-levels where there are levels of relevance. --questions
    says for every question which gold spans were found or missed, and which results were new,
    irrelevant or paid for twice; --plot draws the share found over the text read.

    With --user-model spans, xcg compare tests whether differences are more than chance, and xcg explain
    says why a result gained what it gained.
    """
    from xcg.evaluation.chunks import compare_chunks
    from xcg.report.plots import check_format, reading_plot, save
    from xcg.tables import records

    if plot is not None:
        check_format(plot)
    campaign["assessments"] = (*campaign["assessments"], *gold)
    configuration = _configured(campaign, parse_measures=False)
    if configuration.corpus is None:
        raise _missing("corpus", campaign["config"])
    with _file_or_stdout(output) as write:
        with _progress() as progress:
            found = compare_chunks(
                configuration.assessments,
                configuration.runs,
                configuration.corpus,
                configuration.user_models,
                budgets,
                unit,  # type: ignore[arg-type]
                questions=questions,
                unanswered=configuration.unanswered,
                ties=configuration.ties,
                lenient=campaign["lenient"],
                progress=progress,
            )
        if not questions:
            write(records(found.to_records(), format_))
        elif format_ == "table":
            tables = found.gold_records(), found.result_records()
            write("\n".join(records(rows, format_) for rows in tables if rows))
        else:
            write(records(found.question_records(), format_))
    if plot is not None:
        save(reading_plot(found.curves, unit), plot)
    _print_notes(found.notes)


@main.group()
def stability() -> None:
    """Study how much figures depend on assessors and on the number of topics (KL 6.2)."""


@stability.command("assessors")
@_run_options
@click.option(
    "--assessor",
    "assessors",
    multiple=True,
    metavar="PATH",
    help="Assessments of a further assessor; --assessments or CONFIG have the first one's.",
)
@click.option("--ranges", is_flag=True, help="Print, and draw, the score range of each run.")
@click.option("--agreement", is_flag=True, help="Print how far the assessors agree (6.2.1).")
@click.option("--sample", type=click.IntRange(min=2), help="So many random combinations at most.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True)
@_plot
@_records_format
@_output
def stability_assessors(
    assessors: Sequence[str],
    ranges: bool,
    agreement: bool,
    sample: int | None,
    seed: int,
    plot: Path | None,
    format_: str,
    output: Path | None,
    **campaign: Any,
) -> None:
    """Combine alternative judgements in all ways and see what the scores and orders do.

    Kendall's τ-b against the first assessor's order, error rate and ties as in Tables III and IV, drawn
    as in Figure 8; with --ranges the scores, drawn as in Figure 7.
    """
    from itertools import combinations as pairs_of

    from xcg.documents.corpus import Corpus
    from xcg.formats.base import read_assessments
    from xcg.formats.convert import with_elements
    from xcg.report.plots import check_format, correlations_plot, ranges_plot, save
    from xcg.report.stability import assessor_rows, range_rows
    from xcg.statistics.stability import agreement as agreement_of
    from xcg.statistics.stability import variations
    from xcg.tables import records

    if plot is not None:
        check_format(plot)
    if not assessors:
        raise XcgError("one assessor: expected a further one, --assessor PATH")
    configuration = _configured(campaign)
    bases = [read_assessments(configuration.assessments), *map(read_assessments, assessors)]
    with _file_or_stdout(output) as write:
        if agreement:
            if configuration.corpus is not None:  # what experts marked becomes elements
                documents = Corpus(configuration.corpus)
                bases = [with_elements(base, documents) for base in bases]
            rows = [
                {"assessors": f"{a + 1} and {b + 1}", **agreement_of(bases[a], bases[b])}
                for a, b in pairs_of(range(len(bases)), 2)
            ]
            write(records(rows, format_))
            return
        found = variations(
            bases,
            configuration.runs,
            configuration.corpus,
            configuration.user_models,
            configuration.measures,
            ties=configuration.ties,
            lenient=campaign["lenient"],
        )
        rows = (range_rows if ranges else assessor_rows)(found, sample, seed)
        write(records(rows, format_))
    if plot is not None:
        save(ranges_plot(rows) if ranges else correlations_plot(rows), plot)
    _print_notes(next(iter(found.values())).notes)


@stability.command("topics")
@_evaluation_options
@click.option("--trials", type=click.IntRange(min=1), default=100, show_default=True)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True)
@click.option("--rates", is_flag=True, help="Print the swap rate of each size and difference.")
@click.option("--sizes", default="25 50", show_default=True, help="Topic-set sizes to extrapolate to.")
@click.option("--workers", type=int, default=1, show_default=True, help="Processes; -1 is one a core.")
@click.option("--backend", type=click.Choice(["loky", "dask"]), default="loky", show_default=True)
@click.option("--scheduler", metavar="ADDRESS", help="Of a Dask cluster; a local one otherwise.")
@click.option(
    "--checkpoint",
    type=click.Path(path_type=Path, dir_okay=False),
    help="File from which an interrupted study goes on.",
)
@_plot
@_records_format
@_output
def stability_topics(
    trials: int,
    seed: int,
    rates: bool,
    sizes: str,
    workers: int,
    backend: str,
    scheduler: str | None,
    checkpoint: Path | None,
    plot: Path | None,
    format_: str,
    output: Path | None,
    **campaign: Any,
) -> None:
    """Compare runs on disjoint topic sets and see how often their order is reversed (KL 6.2.2).

    Prints the difference needed for 95 % confidence at half the topics and extrapolated.
    """
    import numpy as np

    from xcg.report.plots import check_format, save, swaps_plot
    from xcg.report.stability import needed_rows, swap_rows
    from xcg.statistics.significance import align
    from xcg.statistics.stability import measured_swap_rates
    from xcg.tables import records

    if plot is not None:
        check_format(plot)
    words = sizes.replace(",", " ").split()
    if not all(word.isascii() and word.isdecimal() and 0 < int(word) < 100_000 for word in words):
        raise XcgError(f"illegal sizes {sizes!r}: expected whole numbers, like '25 50'")
    if workers == 0:
        raise XcgError("0 workers: expected 1 or more, or -1 for one a core")
    with _file_or_stdout(output) as write:
        results = _evaluate(_configured(campaign), campaign["lenient"])
        if len(results.user_models) != 1:
            raise XcgError("several user models: expected one for this study")
        (model,) = results.user_models
        figures = {
            measure: np.array(list(align(results, measure, model, results.runs).values.values())).T
            for measure in results.measures
        }
        with _progress("tasks") as progress:
            found = measured_swap_rates(
                figures,
                trials,
                seed,
                workers,
                backend,  # type: ignore[arg-type]
                scheduler,
                checkpoint,
                progress=progress,
            )
        numbers = [int(word) for word in words]
        write(records(swap_rows(found) if rates else needed_rows(found, numbers), format_))
    if plot is not None:
        save(swaps_plot(found), plot)
    _print_notes(results.notes)


@main.command()
@_evaluation_options
@click.option(
    "--explained", type=click.IntRange(min=0), default=10, show_default=True, help="Topics explained."
)
@click.option(
    "--output",
    required=True,
    type=click.Path(path_type=Path, dir_okay=False),
    help="The HTML file.",
)
def report(explained: int, output: Path, **campaign: Any) -> None:
    """Write one HTML page with tables, curves, topics and explanations; it needs no network."""
    from xcg.documents.files import whole_file
    from xcg.report.html import write_report

    configuration = _configured(campaign)
    with whole_file(output) as file, _progress() as progress:
        write_report(
            configuration,
            file,
            explained=explained,
            lenient=campaign["lenient"],
            progress=progress,
        )


@main.command()
@click.argument("run")
@click.option("--topic", required=True, help="The topic's id.")
@click.option(
    "--config", type=click.Path(path_type=Path), help="CONFIG.yaml; RUN may name a run in it."
)
@click.option("--assessments", multiple=True, metavar="PATH", help="File, folder or glob.")
@click.option("--corpus", metavar="PATH", help="Folder or archive of documents.")
@click.option("--user-model", multiple=True, metavar="NAME_OR_FILE", help="See xcg user-models.")
@click.option("--document", metavar="NAME", help="Print the tree of one document instead.")
@click.option("--format", "format_", type=click.Choice(["table", "json"]), default="table")
@_output
def explain(
    run: str,
    topic: str,
    config: Path | None,
    assessments: Sequence[str],
    corpus: str | None,
    user_model: Sequence[str],
    document: str | None,
    format_: str,
    output: Path | None,
) -> None:
    """Say rank by rank why the results of RUN gained what they gained, and what was missed."""
    import json

    from xcg.errors import Notes, nearest
    from xcg.evaluation.explain import explain as explain_run
    from xcg.report.explanations import document_tree, ranking_table

    configuration = _configure(config, assessments, corpus, user_model)
    notes = Notes()
    source: Any = run
    if config is not None and not Path(run).exists():
        from xcg.formats.run_reading import read_runs

        loaded = {
            known.name: known
            for known in read_runs(configuration.runs, notes, configuration.ties, [topic])
        }
        if run not in loaded:
            raise XcgError(f"no run {run!r} in {config}: {nearest(run, loaded)}")
        source = loaded[run]
    with _file_or_stdout(output) as write:
        found = explain_run(
            configuration.assessments,
            source,
            topic,
            configuration.corpus,
            configuration.user_models,
            notes,
            configuration.ties,
        )
        if format_ == "json":
            rows = [
                {"run": one.run, "topic": one.topic, "user_model": one.user_model, **record}
                for one in found
                for record in one.to_records()
            ]
            write(json.dumps(rows, ensure_ascii=False, indent=1) + "\n")
        elif document is not None:
            write("\n".join(document_tree(one, document) for one in found))
        else:
            write("\n".join(ranking_table(one) for one in found))
    _print_notes(notes.lines())


@main.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--articles", type=click.IntRange(min=1), help="[default: 12107]")
@click.option("--elements", type=click.IntRange(min=1), help="Mean an article.  [default: 680]")
@click.option("--topics", type=click.IntRange(min=1), help="[default: 34]")
@click.option("--runs", type=click.IntRange(min=1), help="[default: 69]")
@click.option("--results", type=click.IntRange(min=1), help="A topic and run.  [default: 1500]")
@click.option("--assessors", type=click.IntRange(min=1), help="[default: 1]")
@click.option("--agreement", type=float, help="Of further assessors, 0 … 1.  [default: 0.6]")
@click.option("--seed", type=click.IntRange(min=0), help="[default: 2004]")
@click.option("--small", is_flag=True, help="Start from a small campaign instead of INEX 2004's size.")
def simulate(folder: Path, small: bool, **shape: int | float | None) -> None:
    """Write a simulated campaign into a new FOLDER: documents, assessments, runs, config.yaml."""
    import dataclasses

    from xcg.simulation.shape import Shape
    from xcg.simulation.campaign import simulate as write_campaign

    given = {name: value for name, value in shape.items() if value is not None}
    start = Shape.small() if small else Shape()
    found = write_campaign(folder, dataclasses.replace(start, **given))  # type: ignore[arg-type]
    click.echo(
        f"xcg: {found.articles} articles of {found.elements / found.articles:.0f} elements, "
        f"mean depth {found.depth:.2f}; {found.topics} topics, {found.runs} runs, "
        f"{found.results} results; evaluate {folder / 'config.yaml'}",
        err=True,
    )


@main.command()
@_run_options
@click.option("--counts", metavar="LIST", help="How many to insert.  [default: 0 1 2 … 1000]")
@_plot
@_records_format
@_output
def perturb(
    counts: str | None, plot: Path | None, format_: str, output: Path | None, **campaign: Any
) -> None:
    """Insert useless results behind or before the first one and print how measures react.

    Kazai & Lalmas 2006, section 6.1.2 and Figure 6.
    """
    from xcg.errors import Notes
    from xcg.report.plots import check_format, perturbation_plot, save
    from xcg.statistics.perturbation import COUNTS
    from xcg.statistics.perturbation import perturb as insert
    from xcg.tables import records

    if plot is not None:
        check_format(plot)
    numbers = list(COUNTS)
    if counts is not None:
        words = counts.replace(",", " ").split()
        if not words or not all(
            word.isascii() and word.isdecimal() and len(word) < 7 for word in words
        ):
            raise XcgError(f"illegal counts {counts!r}: expected whole numbers, like '0 1 10'")
        numbers = sorted({0, *map(int, words)})
    configuration = _configured(campaign, parse_measures=False)
    notes = Notes(campaign["lenient"])
    with _file_or_stdout(output) as write:
        found = insert(
            configuration.assessments,
            configuration.runs,
            configuration.corpus,
            configuration.user_models,
            campaign["measures"] or "R ep@0.1 Q MAep iMAep",
            numbers,
            notes,
            configuration.ties,
        )
        write(records([line._asdict() for line in found], format_))
    if plot is not None:
        save(perturbation_plot(found), plot)
    _print_notes(notes.lines())


@main.command()
@_run_options
@click.option("--depth", type=click.IntRange(min=1), default=100, show_default=True)
@click.option("--ideal", is_flag=True, help="Add the curve of the ideal ranking.")
@click.option("--per-topic", is_flag=True, help="Print each topic's curve too.")
@_plot
@click.option("--format", "format_", type=click.Choice(["jsonl", "csv"]), default="jsonl")
@_output
def curves(
    depth: int,
    ideal: bool,
    per_topic: bool,
    plot: Path | None,
    format_: str,
    output: Path | None,
    **campaign: Any,
) -> None:
    """Print measures as curves: by rank, over gain-recall or over recall, and draw them.

    --measures names them without a cutoff: "nxCG ep". A line a point.
    """
    from xcg.errors import Notes
    from xcg.evaluation.curves import curves as find_curves
    from xcg.judgements.recall_base import MEAN
    from xcg.report.plots import check_format, curves_plot, save
    from xcg.tables import records

    if plot is not None:
        check_format(plot)
    configuration = _configured(campaign, parse_measures=False)
    notes = Notes(campaign["lenient"])
    with _file_or_stdout(output) as write:
        found = find_curves(
            configuration.assessments,
            configuration.runs,
            configuration.corpus,
            configuration.user_models,
            campaign["measures"] or "nxCG ep",
            depth,
            notes,
            ideal,
            configuration.ties,
        )
        if not per_topic:
            found = [curve for curve in found if curve.topic == MEAN]
        rows = [
            {**curve._asdict(), "x": x, "y": y}
            for curve in found
            for x, y in zip(curve.x, curve.y, strict=True)
        ]
        write(records(rows, format_))
    if plot is not None:
        save(curves_plot([curve for curve in found if curve.topic == MEAN]), plot)
    _print_notes(notes.lines())


@main.command()
@click.option("--non-uniform", is_flag=True, help="Levels of random frequency, as in Figure 5.")
@click.option("--swaps", type=click.IntRange(min=1), default=100, show_default=True)
@click.option("--repetitions", type=click.IntRange(min=1), default=100, show_default=True)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True)
@_plot
@_records_format
@_output
def levels(
    non_uniform: bool,
    swaps: int,
    repetitions: int,
    seed: int,
    plot: Path | None,
    format_: str,
    output: Path | None,
) -> None:
    """Show whether graded measures depend on the number of relevance levels.

    The experiment of Scheel, Lommatzsch & Albayrak 2011, Figures 4 and 5: lists of 100 items on 2, 10,
    20 and 50 levels, in which random pairs are swapped. A row a number of swaps, a column a measure and
    number of levels; the last lines say how far the curves of each measure are apart.
    """
    from xcg.report.plots import check_format, levels_plot, save
    from xcg.statistics.levels import MEASURES, levels_experiment, spread
    from xcg.tables import records

    if plot is not None:
        check_format(plot)
    with _file_or_stdout(output) as write:
        curves = levels_experiment(not non_uniform, swaps=swaps, repetitions=repetitions, seed=seed)
        names = [f"{curve.measure}/{curve.levels}" for curve in curves]
        rows = [
            {"swaps": number, **dict(zip(names, values, strict=True))}
            for number, values in enumerate(zip(*(curve.values for curve in curves), strict=True))
        ]
        write(records(rows, format_))
    if plot is not None:
        save(levels_plot(curves), plot)
    for measure in MEASURES:
        apart = spread(curves, measure)
        click.echo(f"xcg: {measure}: the curves are at most {apart:.4f} apart", err=True)


@main.command()
@click.argument("name", required=False)
def measures(name: str | None) -> None:
    """List the measures, or say all about one: xcg measures ep."""
    from xcg.measures import MEASURES
    from xcg.report.listings import describe_measure, list_measures

    if name is None:
        text = list_measures([*MEASURES, *MEASURES.standard()])
    else:
        text = "\n".join(describe_measure(definition) for definition in MEASURES.all_named(name))
    click.echo(text, nl=False)


@main.command("user-models")
@click.argument("name", required=False)
def user_models(name: str | None) -> None:
    """List the shipped user models and the parts they are made of, or print one as YAML."""
    from xcg.report.listings import list_user_models, show_user_model

    click.echo(list_user_models() if name is None else show_user_model(name), nl=False)


@main.command()
@click.argument("highlights", nargs=-1, required=True)
@click.option("--corpus", required=True, metavar="PATH", help="Folder or archive.")
@click.option(
    "--output",
    required=True,
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder; a file TOPIC.xml is written for each topic.",
)
@click.option("--pool", default="", help="The pool attribute of the files.")
@click.option(
    "--highly", type=float, default=0.9, show_default=True, help="Least share for specificity 3."
)
@click.option(
    "--fairly", type=float, default=0.5, show_default=True, help="Least share for specificity 2."
)
@click.option(
    "--smallest",
    type=click.IntRange(min=0),
    default=40,
    show_default=True,
    help="Elements of fewer characters are left unassessed.",
)
def assess(
    highlights: Sequence[str],
    corpus: str,
    output: Path,
    pool: str,
    highly: float,
    fairly: float,
    smallest: int,
) -> None:
    """Derive element assessments in the form of INEX 2004 from highlighted passages.

    HIGHLIGHTS are JSON Lines with topic, doc, start, end and exhaustivity.
    """
    from xcg.documents.corpus import Corpus
    from xcg.formats.highlights import read_highlights
    from xcg.formats.inex_writing import inex_2004
    from xcg.judgements.highlights import Scale
    from xcg.judgements.highlights import assess as assess_elements

    try:
        scale = Scale(highly, fairly, smallest)
    except ValueError as error:
        raise XcgError(str(error)) from None
    base = assess_elements(read_highlights(highlights), Corpus(corpus), scale)
    for topic in base.topics:
        if "/" in topic or topic.startswith("."):
            raise XcgError(f"the topic {topic!r} cannot name a file")
    try:
        output.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(output, f"cannot write: {error.strerror}") from None
    for topic in base.topics:
        with _file_or_stdout(output / f"{topic}.xml") as write:
            write(inex_2004(base, topic, pool).decode())
    click.echo(f"xcg: {len(base.topics)} topics, {len(base)} assessed elements in {output}", err=True)


@main.command()
@click.option("--assessments", multiple=True, metavar="PATH", help="Assessments to convert.")
@click.option("--run", metavar="PATH", help="A run to convert.")
@click.option(
    "--to",
    "form",
    required=True,
    help="inex2004, inex2005, offsets, trec, jsonl; for runs inex, trec, jsonl.",
)
@click.option("--corpus", metavar="PATH", help="Makes elements of passages, and tells lengths.")
@_output
def convert(
    assessments: Sequence[str],
    run: str | None,
    form: str,
    corpus: str | None,
    output: Path | None,
) -> None:
    """Convert assessments or a run to another form; what the form cannot hold is said."""
    from xcg.documents.corpus import Corpus
    from xcg.formats.base import read_assessments
    from xcg.formats.convert import assessments_as, run_as
    from xcg.formats.run_reading import read_run

    if bool(assessments) == bool(run):
        raise XcgError("nothing or too much to convert: expected either --assessments or --run")
    lost: dict[str, None] = {}
    with _file_or_stdout(output) as write:
        if run:
            write(run_as(read_run(run), form, lambda what: lost.update({what: None})))
        else:
            base = read_assessments(assessments)
            documents = Corpus(corpus) if corpus else None
            write(assessments_as(base, form, lambda what: lost.update({what: None}), documents))
    for what in lost:
        click.echo(f"xcg: note: lost in {form}: {what}", err=True)


@main.command()
@click.argument("config", required=False, type=click.Path(path_type=Path))
@click.option("--assessments", multiple=True, metavar="PATH", help="File, folder or glob.")
@click.option("--run", "runs", multiple=True, metavar="PATH", help="File, folder or glob.")
@click.option("--corpus", metavar="PATH", help="Folder or archive of documents.")
@click.option("--format", "format_", type=click.Choice(["text", "json"]), default="text")
def validate(
    config: Path | None,
    assessments: Sequence[str],
    runs: Sequence[str],
    corpus: str | None,
    format_: str,
) -> None:
    """Check corpus, assessments and runs; exit status 0 is clean, 1 warnings, 2 errors."""
    from xcg.evaluation.config import Configuration, load_configuration
    from xcg.evaluation.validation import validate as check
    from xcg.report.listings import report_as_json, report_as_text

    configuration = load_configuration(config) if config is not None else Configuration()
    given = (assessments or configuration.assessments, runs or configuration.runs)
    where = corpus if corpus is not None else configuration.corpus
    if not any((*given, where)):
        raise XcgError("nothing to check: expected a CONFIG.yaml, --assessments, --run or --corpus")
    report = check(*given, where, configuration.ties)
    click.echo(report_as_json(report) if format_ == "json" else report_as_text(report), nl=False)
    sys.exit(report.status)


@main.command()
@click.argument("passages", nargs=-1, required=True)
@click.option("--corpus", required=True, metavar="PATH", help="Folder or archive.")
@_output
def place(passages: Sequence[str], corpus: str, output: Path | None) -> None:
    """Find passages given as text in the documents, white space and Unicode forms aside.

    PASSAGES are JSON Lines with topic, doc and text; the same come out with start and end, and
    can be used as assessments. What is not found is named; exit status 1 says that there is such.
    """
    import json

    from xcg.documents.corpus import Corpus
    from xcg.formats.highlights import locate_passages

    with _file_or_stdout(output) as write:
        placed = locate_passages(passages, Corpus(corpus))
        write("".join(json.dumps(p, ensure_ascii=False) + "\n" for p in placed.passages))
    for message in placed.missing:
        click.echo(f"xcg: warning: {message}", err=True)
    count = f"{len(placed.passages)} of {len(placed.passages) + len(placed.missing)} passages placed"
    click.echo(f"xcg: {count}, {placed.ambiguous} of them at one of several places", err=True)
    if placed.missing:
        sys.exit(1)


@main.command()
@click.argument("article", type=click.Path(path_type=Path))
@click.option("--format", "format_", type=click.Choice(["text", "html"]), default="text")
@_output
def show(article: Path, format_: str, output: Path | None) -> None:
    """Print an article of the handbook, an XML file, as readable text or as an HTML page."""
    from xcg.report.article import show as show_article

    with _file_or_stdout(output) as write:
        write(show_article(article, format_))


@contextmanager
def _gate_status(gated: bool) -> Iterator[None]:
    """Give what could not be mapped to the corpus a status of its own where a gate asks."""
    try:
        yield
    except UnmappedError as error:
        if not gated:
            raise
        _print_error(error)
        sys.exit(3)


def _print_error(error: XcgError) -> None:
    click.echo(f"xcg: error: {_one_line(error)}", err=True)


@main.command("break")
@click.argument("measure")
@click.option("--user-model", metavar="NAME_OR_FILE", help="Of a measure of xcg; see xcg user-models.")
@click.option(
    "--effort",
    type=click.Choice(["ranks", "text"]),
    help="What the user of a function of one's own pays with.  [default: ranks]",
)
@click.option("--law", "laws", multiple=True, metavar="NAME", help="A law of these.  [default: all]")
@click.option(
    "--examples", type=click.IntRange(min=1), default=200, show_default=True, help="Cases for each law."
)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True)
@click.option("--format", "format_", type=click.Choice(["text", "jsonl", "json"]), default="text")
@_output
def break_(
    measure: str,
    user_model: str | None,
    effort: Literal["ranks", "text"] | None,
    laws: Sequence[str],
    examples: int,
    seed: int,
    format_: str,
    output: Path | None,
) -> None:
    """Search small cases in which a measure breaks a law, and print the smallest for each.

    MEASURE is one of xcg's, such as "nxCG@10", or package.module:function, called with a list of gold
    spans (document, start, end, grade) and a list of results (document, start, end) in order of rank;
    it returns a number. xcg.laws.subject_types:ndcg_over_chunks is nDCG as it is often computed over chunks.

    \b
    boundedness   a score lies between 0 and 1
    no-pay-twice  a result that repeats an earlier one, or lies in it, never raises the score
    granularity   results cut in two never raise it, and leave it equal where text is paid for
    order         a result with relevant text, moved up past results without, never lowers it
    ideal         the gold spans themselves, the best first, score 1

    Exit status 0 says that all laws held, 1 that one is broken, 2 that the input is wrong or the
    function failed. Needs the extra break.
    """  # noqa: D301
    from xcg.evaluation.campaign import as_user_models
    from xcg.tables import records

    try:
        from xcg.laws.search import search
        from xcg.laws.subjects import FunctionSubject, MeasureSubject, Subject
        from xcg.report.laws import outcome_record, outcome_text
    except ImportError:
        raise XcgError("xcg break needs hypothesis: pip install 'xcg[break]'") from None

    subject: Subject
    if ":" in measure:
        if user_model is not None:
            raise XcgError("--user-model is for a measure of xcg: a function has its own")
        subject = FunctionSubject.named(measure, effort == "text")
    else:
        if effort is not None:
            raise XcgError("--effort is for a function: a measure of xcg says itself what is paid")
        models = as_user_models(user_model) if user_model is not None else [None]
        if len(models) > 1:
            raise XcgError(f"{user_model} means {len(models)} user models: expected one")
        subject = MeasureSubject.named(measure, models[0])
    outcomes = []
    with _file_or_stdout(output) as write:
        if format_ == "text":
            write(f"{subject.name}, seed {seed}\n")
        for outcome in search(subject, laws, examples, seed):
            outcomes.append(outcome)
            if format_ == "text":
                write(outcome_text(subject, outcome))
        if format_ != "text":
            write(records([outcome_record(subject, outcome) for outcome in outcomes], format_))
    failed = outcomes[-1].failure
    if failed:
        raise XcgError(f"{subject.name} {failed}")
    if any(outcome.verdict == "broken" for outcome in outcomes):
        sys.exit(1)


def _print_notes(notes: Sequence[str]) -> None:
    for note in notes:
        click.echo(f"xcg: {_one_line(note)}", err=True)


def _one_line(message: object) -> str:
    """Return a message with its control characters written out: it may quote hostile files."""
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in str(message))


@contextmanager
def _file_or_stdout(output: Path | None) -> Iterator[Callable[[str], None]]:
    """Yield what writes the output: to stdout, or to a file that appears whole or not at all."""
    if output is None:
        yield lambda text: click.echo(text, nl=False)
        return
    from xcg.documents.files import whole_file

    with whole_file(output) as file:
        yield lambda text: _write(file, text)


def _write(file: BinaryIO, text: str) -> None:
    file.write(text.encode())


@contextmanager
def _progress(what: str = "topics") -> Iterator[Callable[[int, int], None] | None]:
    """Yield a callback that draws a bar on standard error, or None where that is no terminal.

    The bar appears after a second: what is done by then needs none.
    """
    if not sys.stderr.isatty():
        yield None
        return
    bar: Any = None
    began = time.monotonic()

    def advance(done: int, of: int) -> None:
        nonlocal bar
        if bar is None and done < of and time.monotonic() - began > _PATIENCE:
            bar = click.progressbar(length=of, file=sys.stderr, label=what)
        if bar is not None:
            bar.update(done - bar.pos)

    yield advance
    if bar is not None:
        bar.render_finish()
