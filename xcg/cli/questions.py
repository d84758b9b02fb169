"""The commands with CONFIG: load a campaign, ask it one question, print the answer.

Options are those of the schema (:mod:`xcg.settings.keys`), so each is a key, too.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from functools import partial
from operator import attrgetter
from pathlib import Path
from types import MappingProxyType
from typing import Any

from xcg.answer import CSV_WITHOUT_FORMULAS, FORMATS, Answer, open_plot
from xcg.campaign import Campaign
from xcg.cli.command import CONFIG, SET, STANDARD_OUTPUT, Command, open_output, option_of, progress_bar
from xcg.cli.main import Group, print_error, print_status
from xcg.errors import InputError, UndecidedError, UnmappedError, XcgError, nearest
from xcg.settings.loading import KEYS, stated
from xcg.terminal_tables import PIPE, Terminal

_INPUTS = ("assessments", "gold", "runs", "corpus", "user_model", "measures", "strategies")
_COMMON = (*_INPUTS, "format", "output", "workers")
_OF_STUDIES = ("format", "output", "workers")


def _command(
    name: str,
    help: str,
    example: str,
    options: Sequence[str] = (),
    formats: Sequence[str] = FORMATS,
    common: Sequence[str] = _COMMON,
    defaults: Mapping[str, str] = MappingProxyType({}),
    statuses: Mapping[int, str] = MappingProxyType({}),
    ask: Callable[[Campaign], Answer[Any]] | None = None,
) -> Command:
    """Return a command that asks a campaign one question.

    Args:
        name: The name of the method of a campaign; that of the command is its last part.
        help: The text of ``--help``.
        example: A call that works on the samples.
        options: The keys that are options of this command only.
        formats: The values of --format; the first is the default.
        common: The keys that are options of many commands.
        defaults: Key → the default that the help shows, if it is not that of other commands.
        statuses: Exit status → its meaning, except 0 and 2.
        ask: Returns the answer of a campaign, if the method alone does not.
    """
    by_option = {KEYS[key].option: KEYS[key] for key in (*common, *options)}
    order = dict.fromkeys(KEYS[key].option for key in (*options, *common))
    shown = [by_option[option] for option in order]  # own keys replace those of the same option
    keys = {key.option.lstrip("-").replace("-", "_"): key.name for key in shown}

    callback = partial(_print_answer, name, ask, keys, formats, "plot.path" in options)
    own = [option_of(key, formats, defaults.get(key.name)) for key in shown]
    params = [CONFIG, *own, SET]
    return Command(
        name.rpartition(".")[2],
        callback=callback,
        params=params,
        help=help,
        example=example,
        statuses=statuses,
    )


def _print_answer(
    name: str,
    ask: Callable[[Campaign], Answer[Any]] | None,
    keys: Mapping[str, str],
    formats: Sequence[str],
    has_plot: bool,
    /,
    config: Path | None,
    set: Sequence[str],
    **values: Any,
) -> None:
    """Print the answer of a campaign in the format and to the file of the settings.

    The files are opened first, so that no work is lost if they cannot be written.
    """
    campaign = campaign_of(config, set, {keys[one]: value for one, value in values.items()})
    settings, place = campaign.settings, campaign.stated.place
    wanted = settings.format or formats[0]
    if wanted not in formats:
        message = f"this command does not print {wanted!r}: {nearest(wanted, formats)}"
        raise InputError(place(("format",)).name, message)
    key = "plot", "path"
    if not has_plot and key in campaign.stated.overrides:
        raise InputError(place(key).name, "this command draws no plot: remove it")
    path = settings.plot.path if has_plot else None
    opened = nullcontext() if path is None else open_plot(Path(path))
    with open_output(settings.output) as write, opened as draw:
        answer = attrgetter(name)(campaign)() if ask is None else ask(campaign)
        is_stdout = settings.output in (None, STANDARD_OUTPUT)
        terminal = Terminal.of(sys.stdout) if is_stdout else PIPE
        is_escaped = wanted == "csv" and not settings.formulas
        written = CSV_WITHOUT_FORMULAS if is_escaped else wanted
        text = answer.to_text(written, terminal, settings.all_rows)
        if draw is not None:
            width = settings.plot.width
            caption = draw(answer, width)  # before the text, so that an error leaves no output
            if caption and width is not None:
                answer.notes.append(f"caption of the plot: {caption}")
        write(text)
    layout = [*answer.layout.heading, *answer.layout.footer] if wanted != "table" else []
    for note in (*layout, *answer.notes):
        print_status(note)
    if answer.status:
        sys.exit(answer.status)


def campaign_of(config: Path | None, set: Sequence[str], options: dict[str, Any]) -> Campaign:
    """Return the campaign of a file, --set and options; options that are not given are None or ()."""
    given = {name: value for name, value in options.items() if value not in (None, (), False)}
    if "measures" in given:
        given["measures"] = " ".join(given["measures"])
    campaign = Campaign(stated(config, set, options=given))
    campaign.progress = progress_bar
    return campaign


def _gate(campaign: Campaign) -> Answer[Any]:
    """Ask for the verdict; the exit status is 3 if there is none."""
    try:
        return campaign.gate()
    except (UnmappedError, UndecidedError) as error:
        print_error(error)
        raise SystemExit(3) from None


def _report(config: Path | None, set: Sequence[str], **values: Any) -> None:
    """Write the page, or print the methods paragraph."""
    others = {"run": "runs", "strategy": "strategies", "methods": "report.methods"}
    keys = {name: others.get(name, name) for name in values}
    campaign = campaign_of(config, set, {keys[name]: value for name, value in values.items()})
    settings = campaign.settings
    if settings.report.methods:
        _print_answer("methods", None, keys, _METHODS, False, config, set, **values)
        return
    if values["format"]:
        raise XcgError("--format has no effect on the page, which is HTML: remove it, or add --methods")
    if settings.output is None:
        raise XcgError("no file for the page: expected --output FILE")
    with open_output(settings.output) as write:
        page = io.BytesIO()
        campaign.report(page)
        write(page.getvalue())
    if str(settings.output) != "-":
        print_status(f"the report is in {settings.output}")


_METHODS = ("table", "bibtex", "jsonl", "csv", "json")

evaluate = _command(
    "evaluate",
    """Score runs: the mean of each measure over the topics, for each run and user model.

    --format trec_eval prints standard measures, by default the official ones, as trec_eval -c does, or
    as trec_eval without -c with --set topics.unanswered=skip. --set evaluate.intervals=95 adds
    confidence intervals of the means. To test whether runs differ, use xcg compare: intervals of means
    do not show it.""",
    'xcg evaluate configs/quickstart.yaml --measures "nxCG@10 MAep"',
    ("evaluate.per_topic", "evaluate.topic"),
    (*FORMATS, "trec_eval"),
)

compare = _command(
    "compare",
    """Test the differences between runs over topics.

    All pairs of runs are compared, with a correction for their number, or all runs with a named
    baseline. Without a baseline, runs are shown relative to the best one, and those that share a letter
    do not differ significantly; --baseline all prints all pairs.

    A relative difference is marginal below 5 %, noticeable from 5 to 10 %, and material above 10 %
    (Spärck Jones). --format markdown and latex print short tables for papers. --set compare.test
    and compare.correction choose the test.""",
    "xcg compare configs/quickstart.yaml --measures MAep --baseline focused",
    ("compare.baseline", "compare.table", "plot.path"),
)

gate = _command(
    "gate",
    """Pass or fail runs, by limits or by tests against a baseline.

    With --max-drop, --max-regressed or --fail-under, only these limits decide, without a test. With a
    baseline and no limit, a run fails if it is significantly worse by any measure (5 %, corrected over
    all runs, measures and user models). The verdict states how often an unchanged run fails. --format
    markdown prints a comment for a pull request.""",
    "xcg gate configs/quickstart.yaml --measures MAep --user-model kazai-lalmas-2006 --run focused "
    "--run paragraphs --baseline focused --max-drop 5%",
    (
        "compare.baseline",
        *(f"gate.{key}" for key in ("max_drop", "max_regressed", "fail_under", "expected_topics")),
        "gate.junit",
    ),
    defaults={"compare.baseline": ""},
    statuses={
        1: "A run fails.",
        3: "No verdict: too few topics, or a result or relevant text is not in the corpus.",
    },
    ask=_gate,
)

sweep = _command(
    "sweep",
    """Compare the order of runs between user models, or overlap strategies between values of α.

    A user model may have lists of values (alpha: [0, 0.5, 1]) or ranges for its parameters. tau_b low
    and high are the limits of a 95 % bootstrap interval over topics. p tests the difference between the
    best and the second run.

    With strategies, the command prints for each run the score of every strategy for α from 0 to 1, the
    values of α at which the best strategy changes, the largest lead of the best strategy over the
    second, and the distance to oracle, a greedy reference that knows the assessments.""",
    "xcg sweep configs/sweep.yaml --measures MAep --plot sweep.svg",
    ("plot.path",),
)

curves = _command(
    "curves",
    """Compute measures as curves over ranks, gain-recall, recall or text, one line per point.

    --measures names measures without a cutoff; the default is "nxCG ep", and xCG with --at. --at prints
    the rank at which each run reaches the gain that the ideal ranking has at this rank.""",
    "xcg curves configs/quickstart.yaml --run focused --plot curves.svg --output curves.jsonl",
    ("curves.per_topic", "curves.at", "plot.path"),
    ("jsonl", *(one for one in FORMATS if one != "jsonl")),
    defaults={"measures": "nxCG ep"},
)

explain = _command(
    "explain",
    """Explain rank by rank what the results of a run gained, and what the run missed.

    --run is a path or the name of a run in CONFIG; RUN+STRATEGY is a run under a strategy. Without
    --run, the ideal recall-base is printed: the elements that a system should return. xcg report shows
    both in the documents.""",
    "xcg explain configs/quickstart.yaml --run focused --topic 1 --user-model overlap-off",
    ("explain.run", "explain.topic"),
)

chunks = _command(
    "chunks",
    """Compare chunkers and retrievers on one gold set, with one run for each.

    Runs of chunks, passages and elements are read as text. The table has one row per run: questions,
    unanswered questions and those for which nothing was found; the chunks and the text read per
    question; the share of the gold text that was found; the shares of the text read that were useful
    (relevant and new) and that were read twice; MAep and nxCG with effort measured in text. The default
    user models charge for whole results. Further measures add columns.""",
    "xcg chunks corpora_samples/chunks/retrieval.yaml --budget 500",
    ("chunks.budget", "chunks.questions"),
    defaults={"measures": ""},
)

check = _command(
    "check",
    """Check the corpus, the assessments and the runs.

    --levels counts the assessments of each level or grade pair; --set check.other=PATH cross-tabulates
    them with those of a second assessor. --review lists what to review in gold: spans that no
    run finds, and passages elsewhere that repeat a gold span.""",
    "xcg check configs/quickstart.yaml",
    ("check.levels", "check.review"),
    statuses={2: "Errors were found."},
)

report = Command(
    "report",
    callback=_report,
    params=[CONFIG, *(option_of(KEYS[key], _METHODS) for key in ("report.methods", *_COMMON)), SET],
    help="""Write one self-contained HTML page with tables, curves, topics and explanations.

    --methods prints the methods paragraph of a paper instead, and BibTeX of what it cites.""",
    example="xcg report configs/quickstart.yaml --run focused --run articles --output report.html",
)


_plan = _command(
    "study.plan",
    """Predict from a pilot campaign which differences a comparison finds, and with how many topics.

    detectable is the smallest true difference that xcg compare finds by the t test with 80 % power with
    the topics at hand. study.plan.difference adds the power for a difference, and the number of topics
    that it needs. Topics are drawn from the pilot, and a difference is added to every topic.""",
    "xcg study plan configs/quickstart.yaml --set measures=MAep --set study.plan.difference=0.05",
    ("plot.path",),
    common=_OF_STUDIES,
)
_calibrate = _command(
    "study.calibrate",
    """Count the false alarms of tests and gates on exchanged runs (A/A study).

    The scores of each topic are exchanged among the runs at random, so no run is better than another,
    and every significant difference is a false alarm. The rate is the share of campaigns with at least
    one false alarm, at the level of 5 %, with a 95 % interval (Clopper and Pearson).""",
    "xcg study calibrate configs/quickstart.yaml --set measures=MAep "
    "--set study.calibrate.campaigns=200",
    common=_OF_STUDIES,
)
_assessors = _command(
    "study.assessors",
    """Evaluate all combinations of alternative assessments, and compare scores and orders of runs.

    The table holds Kendall's τ-b against the order by the first assessor, the error rate and ties, as
    Tables III and IV of Kazai & Lalmas 2006; the plot has the form of Figure 8. With
    study.assessors.ranges, the table holds scores, and the plot has the form of Figure 7.""",
    "xcg study assessors configs/quickstart.yaml "
    "--set study.assessors.others=assessments/handbook-second --set user_model=overlap-off",
    ("plot.path",),
    common=_OF_STUDIES,
)
_topics = _command(
    "study.topics",
    """Compare runs on disjoint topic sets, and count how often their order is reversed (KL 6.2.2).

    Prints the difference that 95 % confidence needs with half of the topics, and extrapolated to more.
    study.topics.rates prints the swap rates. The plot has the form of Figure 9.""",
    "xcg study topics configs/quickstart.yaml --set measures=MAep --set user_model=overlap-off",
    ("plot.path",),
    common=_OF_STUDIES,
)
_perturb = _command(
    "study.perturb",
    """Insert non-relevant results after or before the first result, and print the effect on measures.

    The experiment of Kazai & Lalmas 2006, section 6.1.2 and Figure 6, whose measures are the default.
    Effort is counted in ranks, because the inserted results have no text.""",
    "xcg study perturb configs/kazai-lalmas-2006.yaml --set runs=frb "
    '--set "study.perturb.counts=[0, 1, 10]"',
    ("plot.path",),
    common=_OF_STUDIES,
)
_levels = _command(
    "study.levels",
    """Test whether graded measures depend on the number of relevance levels.

    The experiment of Scheel, Lommatzsch & Albayrak 2011, Figures 4 and 5: random pairs are swapped in
    lists of 100 items on 2, 10, 20 and 50 levels.""",
    "xcg study levels --set study.levels.repetitions=10 --plot levels.svg",
    ("plot.path",),
    common=_OF_STUDIES,
)
_laws = _command(
    "study.laws",
    """Search for small cases in which a measure breaks a law, and print the smallest case for each law.

    The measure is one of xcg's, or your own as package.module:function. The laws: boundedness,
    no-pay-twice, granularity, padding, order, ideal, appending. Needs the extra break.""",
    "xcg study laws --measure nxCG@10 --set study.laws.law=padding --set study.laws.examples=50",
    ("study.laws.measure",),
    common=_OF_STUDIES,
)
study = Group(
    "study",
    help="Study measures and designs. Set the keys of a study with --set study.NAME.KEY=VALUE.",
    no_args_is_help=False,
    commands=[_plan, _calibrate, _assessors, _topics, _perturb, _levels, _laws],
)
