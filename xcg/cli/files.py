"""Commands that read files and write files: ``convert``, ``place`` and ``simulate``."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from xcg.answer import RECORD_FORMATS
from xcg.answers.converting import convert as convert_files
from xcg.answers.converting import derive_elements
from xcg.cli.command import (
    ANY_PATH,
    SET,
    STANDARD_OUTPUT,
    Real,
    Score,
    Whole,
    command,
    option_of,
    output_option,
    print_text,
    progress_bar,
)
from xcg.cli.main import print_status
from xcg.cli.questions import campaign_of
from xcg.documents.corpus import Corpus
from xcg.errors import Notes, XcgError
from xcg.formats.placing import locate_passages, update_gold
from xcg.settings.loading import KEYS
from xcg.settings.schema import MAX_NUMBER, MAX_SEED
from xcg.simulation.campaign import simulate as write_campaign
from xcg.simulation.shape import MIN_ELEMENTS, Shape

C = TypeVar("C", bound=Callable[..., Any])

_INPUTS = [
    option_of(KEYS[key])
    for key in ("assessments", "gold", "runs", "corpus", "user_model", "strategies")
]


def _convert(
    target: str | None,
    output: Path | None,
    set: Sequence[str],
    run: Sequence[str],
    strategy: Sequence[str],
    **values: Any,
) -> None:
    own = {name: values.pop(name) for name in ("to", "depth", "irrelevant", "feature")}
    campaign = campaign_of(None, set, {**values, "runs": run, "strategies": strategy})
    if target == "elements":
        if output is None or output == STANDARD_OUTPUT:
            raise XcgError("--as elements writes one file per topic: expected --output FOLDER")
        text, notes, output = "", derive_elements(campaign.asked("evaluate", {}), output), None
    else:
        text, notes = convert_files(campaign.asked("evaluate", {}), target=target, **own)
    print_text(text, notes, output)


def count_option(name: str, help: str, least: int = 1, most: int = MAX_NUMBER) -> Callable[[C], C]:
    """Add an option for a whole number."""
    return click.option(name, type=Whole(least, most), help=help)


convert = command(
    "convert",
    example="xcg convert --run corpora_samples/handbook-runs/focused.xml --to trec --output new.txt",
    help="""Convert between formats, derive assessments, write the ideal run, or apply a strategy.

    Notes name the data that the format cannot hold. FORMAT is inex2004, inex2005, offsets, trec or
    jsonl for assessments; inex, trec or jsonl for runs (by default that of the run).

    --strategy rewrites the run with an overlap strategy. --as ideal writes the ideal ranking of the
    assessments, or another of the simulated runs of Kazai & Lalmas 2006, Table I. --as elements derives
    element assessments from highlighted passages, one file TOPIC.xml per topic, in the folder --output.
    --as assessments writes the scores of a run, or a feature of a LETOR file, as levels of relevance
    (the virtual user of Scheel, Lommatzsch & Albayrak 2011).

    With --corpus, passages become elements if the format holds elements, and chunks that state their
    text are located in the documents.""",
)(_convert)
convert.params += [
    *_INPUTS,
    click.Option(["--to"], metavar="FORMAT", help="Write this format."),
    click.Option(
        ["--as", "target"],
        type=click.Choice(["assessments", "elements", "ideal", "reverse_ideal", "frb", "rel_leaves"]),
        help="Write this instead of the input.",
    ),
    click.Option(
        ["--depth"],
        type=Whole(1, MAX_NUMBER),
        help="Write this number of results of each topic.  [default: all]",
    ),
    click.Option(
        ["--irrelevant"],
        type=Score(),
        metavar="SCORE",
        help="Subtract this score from all scores with --as assessments, so that it becomes level "
        "0, which is not relevant.",
    ),
    click.Option(
        ["--feature"],
        type=Whole(1, MAX_NUMBER),
        help="Read this feature of the LETOR file --run as the scores of a run.",
    ),
    click.Option(
        ["--output"],
        type=ANY_PATH,
        help="Write to this file instead of standard output, which is -; a folder for --as elements.",
    ),
    SET,
]


@command(
    example="xcg place corpora_samples/chunks/gold.jsonl --corpus corpora_samples/chunks/docs",
    statuses={1: "A passage is not found; 2 with --update, and 0 with --lenient."},
)
@click.argument("passages", nargs=-1, required=True)
@click.option(
    "--corpus", required=True, metavar="PATH", help="Read documents from this folder or archive."
)
@click.option("--update", is_flag=True, help="Move the passages of old assessments to their text.")
@click.option(
    "--fuzzy",
    type=Real(0.5, 1),
    is_flag=False,
    flag_value=0.9,
    metavar="[SIMILARITY]",
    help="Also accept similar text of at least this similarity, from 0.5 to 1; 0.9 if not stated.",
)
@click.option("--lenient", is_flag=True, help="Exit with status 0 if passages are not found.")
@output_option
def place(
    passages: Sequence[str],
    corpus: str,
    update: bool,
    fuzzy: float | None,
    lenient: bool,
    output: Path | None,
) -> None:
    """Find passages in the documents by their text.

    PASSAGES are JSON Lines or CSV with topic, doc and text (or exact), and optionally prefix and
    suffix, which decide between several occurrences. In CSV, these columns can also be question,
    document and quote. Without doc, the only document that has the words is used. The output adds start
    and end to each passage, so that it can be used as assessments. White space, Unicode form, case,
    quotation marks, dashes, ligatures and hyphenation may differ. Passages that are not found are named
    on standard error.

    With --update, PASSAGES are assessments, and the documents have changed since. The output has the
    same records with new start, end and text. Those that are not found are kept, with "lost": true.

    --fuzzy also finds text that was edited. It needs the extra fuzzy (rapidfuzz).
    """
    search = update_gold if update else locate_passages
    with progress_bar("documents") as progress:
        documents = Corpus(corpus)
        placed = search(passages, documents, fuzzy, progress)
    messages = [f"warning: {message}" for message in placed.missing]
    notes = Notes()
    for note in placed.notes:
        notes.note(note)
    documents.source.note_oddities(notes)
    messages += notes.lines()
    print_text(RECORD_FORMATS["jsonl"](placed.passages), [*messages, placed.summary], output)
    if placed.missing and not lenient:
        raise SystemExit(2 if update else 1)


@command(example="xcg simulate campaign --small")
@click.argument("folder", type=ANY_PATH)
@click.option("--small", is_flag=True, help="Start from a small campaign for trials.")
@count_option("--articles", "Write this number of articles.  [default: 12107; small: 40]")
@count_option(
    "--elements",
    "Use this mean number of elements per article.  [default: 680; small: 60]",
    MIN_ELEMENTS,
)
@count_option("--topics", "Write this number of topics.  [default: 34; small: 6]")
@count_option("--runs", "Write this number of runs.  [default: 69; small: 5]")
@count_option(
    "--results", "Use this maximum number of results per topic and run.  [default: 1500; small: 50]"
)
@count_option("--assessors", "Write the assessments of this number of assessors.  [default: 1]")
@click.option(
    "--agreement",
    type=Real(-1, 1),
    help="How far further assessors agree with the first: at 1 they mark the same, at 0 they omit or "
    "change every passage, at -1 they mark other articles.  [default: 0.6]",
)
@click.option(
    "--hardness",
    type=Real(0, 1),
    help="Lower the skill of all systems, up to 1 for random order.  [default: 0]",
)
@count_option("--seed", "Use this seed for random numbers.  [default: 2004]", 0, MAX_SEED)
def simulate(folder: Path, small: bool, **shape: int | float | None) -> None:
    """Write a simulated campaign into a new folder.

    FOLDER receives documents, assessments, runs and config.yaml, which evaluates the runs. The name of
    a run states the skill of the system, the preferred size of its results (0 for paragraphs to 1 for
    articles) and whether they overlap.

    The default campaign has the size of INEX 2004 and takes a minute and 0.8 GB; with --small, it takes
    a second. The same options and the same seed give the same files.
    """
    if shape["agreement"] is not None and (shape["assessors"] or 1) == 1:
        raise XcgError("--agreement has no effect without --assessors 2 or more: remove it")
    given = {name: value for name, value in shape.items() if value is not None}
    start = Shape.small() if small else Shape()
    full_shape = dataclasses.replace(start, **given)  # type: ignore[arg-type]
    with progress_bar("steps") as progress:
        write_campaign(folder, full_shape, progress=progress)
    print_status(
        f"{full_shape.articles} articles, {full_shape.topics} topics, {full_shape.runs} runs; evaluate "
        f"{folder / 'config.yaml'}"
    )
