"""Commands that check, convert and write files of a campaign."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from xcg.cli.command import command
from xcg.cli.messages import lost_data_notes, print_status
from xcg.cli.options import (
    ANY_PATH,
    MAX_NUMBER,
    MAX_SEED,
    check_order_options,
    corpus_option,
    count_option,
    document_option,
    no_cache_option,
    order_option,
    paths_option,
    ties_option,
)
from xcg.cli.output import Printed, format_option, prints, progress_bar
from xcg.cli.run_names import select_runs
from xcg.cli.unused_options import refuse_unused
from xcg.documents.corpus import Corpus, corpus_of
from xcg.documents.writing import whole_file
from xcg.errors import InputError, Notes, XcgError
from xcg.evaluation.config import load_configuration
from xcg.evaluation.conversion import assessments_of_run, convert_assessments, level_statistics
from xcg.evaluation.inputs import Inputs, check_document_is_used
from xcg.evaluation.repeated_results import count_repeated, note_repeated
from xcg.evaluation.validation import validate as validate_files
from xcg.formats.base import can_have_chunks, read_assessments, read_run
from xcg.formats.inex_assessments import inex_2004
from xcg.formats.json_assessments import read_highlights
from xcg.formats.letor import read_letor_feature
from xcg.formats.placing import locate_passages, update_gold
from xcg.judgements.highlights import SpecificityScale
from xcg.judgements.highlights import assess as assess_elements
from xcg.report.validation import report_as_json, report_blocks
from xcg.runs.chunk_documents import ChunkSource, DocumentKey
from xcg.runs.run import Order, Ties
from xcg.simulation.campaign import simulate as write_campaign
from xcg.simulation.shape import MIN_ELEMENTS, Shape
from xcg.tables import records


@command(
    example="xcg assess assessments/handbook-highlights --corpus corpora_samples/handbook "
    "--output derived"
)
@click.argument("highlights", nargs=-1, required=True)
@corpus_option(required=True)
@click.option(
    "--output",
    required=True,
    type=click.Path(path_type=Path, file_okay=False),
    help="Write one file TOPIC.xml per topic into this folder.",
)
@click.option(
    "--pool",
    default="",
    show_default=False,
    help="Write this value into the pool attribute of the files.",
)
@click.option(
    "--highly", type=float, default=0.9, help="Give specificity 3 from this share of highlighted text."
)
@click.option(
    "--fairly", type=float, default=0.5, help="Give specificity 2 from this share of highlighted text."
)
@count_option(
    "--smallest",
    "Leave elements with fewer characters unassessed.",
    default=40,
    least=0,
    most=MAX_NUMBER,
)
@click.option("--replace", is_flag=True, help="Replace existing files.")
@no_cache_option
def assess(
    highlights: Sequence[str],
    corpus: str,
    output: Path,
    pool: str,
    highly: float,
    fairly: float,
    smallest: int,
    replace: bool,
) -> None:
    """Derive element assessments in the format of INEX 2004 from highlighted passages.

    HIGHLIGHTS are JSON Lines with topic, doc, start, end and exhaustivity.
    """
    try:
        scale = SpecificityScale(highly, fairly, smallest)
    except ValueError as error:
        raise XcgError(str(error)) from None
    documents = Corpus(corpus)
    base = assess_elements(read_highlights(highlights, documents), documents, scale)
    for topic in base.topics:
        if "/" in topic or topic.startswith(".") or not topic.isprintable():
            raise XcgError(f"the topic {topic!r} cannot name a file")
    files = {topic: output / f"{topic}.xml" for topic in base.topics}
    try:
        output.mkdir(parents=True, exist_ok=True)
        existing = [file for file in files.values() if os.path.lexists(file)]
    except OSError as error:
        raise InputError(output, f"cannot write: {error.strerror}") from None
    if existing and not replace:
        raise InputError(
            existing[0], "the file exists; replace it with --replace, or name a new folder"
        )
    for topic, file in files.items():
        with whole_file(file) as opened:
            opened.write(inex_2004(base, topic, pool))
    notes = Notes()
    documents.source.note_oddities(notes)
    for line in notes.lines():
        print_status(line)
    print_status(f"{len(base.topics)} topics, {len(base)} assessed elements in {output}")


@command(
    example="xcg convert --run corpora_samples/handbook-runs/focused.xml --to trec --output focused.txt"
)
@paths_option("--assessments", help="Convert these assessments; - is standard input.")
@click.option("--run", metavar="PATH", help="Convert this run; - is standard input.")
@click.option(
    "--as",
    "target",
    type=click.Choice(["assessments"]),
    help="Write the scores of the run as levels of relevance, as if the system were an assessor.",
)
@count_option(
    "--depth",
    "Convert this number of results of each topic of the run.  [default: all]",
    most=MAX_NUMBER,
)
@click.option(
    "--irrelevant",
    type=float,
    metavar="SCORE",
    help="Subtract this score from all scores with --as assessments, so that it becomes level 0, which "
    "is not relevant.  [default: 0]",
)
@count_option(
    "--feature", "Read this feature of the LETOR file --run as the scores of a run.", most=MAX_NUMBER
)
@click.option(
    "--to",
    "target_format",
    required=True,
    metavar="FORMAT",
    help="Write this format: inex2004, inex2005, offsets, trec or jsonl for assessments; inex, trec or "
    "jsonl for runs.",
)
@corpus_option(
    "Read documents from this folder or archive, to convert passages to elements and to add lengths "
    "that the assessments do not state."
)
@document_option
@order_option
@ties_option
@no_cache_option
@prints()
def convert(
    assessments: Sequence[str],
    run: str | None,
    target: str | None,
    depth: int | None,
    irrelevant: float | None,
    feature: int | None,
    target_format: str,
    corpus: str | None,
    document: DocumentKey,
    order: Order | None,
    ties: Ties | None,
) -> Printed:
    """Convert assessments or a run to another file format.

    Notes name the data that the format cannot hold.

    With --corpus, passages become elements if the format holds elements: every element with relevant
    text is assessed. In inex2005, its specificity is the share of relevant text. In inex2004, it is 3
    from 90 %, 2 from 50 %, else 1. In trec, the level is the exhaustivity of the passages.

    With --as assessments, the scores of a run become levels of relevance (the virtual user of Scheel,
    Lommatzsch & Albayrak 2011). With --feature, the scores are a feature of a LETOR file.

    Chunks that a run in JSON Lines states by their text are searched in the documents of --corpus.
    """
    if bool(assessments) == bool(run):
        raise XcgError("nothing or too much to convert: expected either --assessments or --run")
    of_runs = ("--order", "--ties", "--as", "--depth", "--feature", "--irrelevant", "--document")
    refuse_unused(bool(assessments), "on assessments", *of_runs)
    refuse_unused(feature is not None, "with --feature", "--order", "--ties", "--document")
    if run and target is None:
        refuse_unused(True, "on a run without --as", "--irrelevant")
        has_chunks = feature is None and (run == "-" or can_have_chunks(Path(run)))
        refuse_unused(not has_chunks, "on a run without --as, except in JSON Lines", "--corpus")
    check_order_options(order, ties)
    if target is not None and order in ("rank", "file"):
        raise XcgError(f"--as assessments needs scores: expected --order score, not {order}")
    notes, documents = Notes(), corpus_of(corpus or None)
    if run:
        if feature is not None:
            read = read_letor_feature(run, feature, notes)
        else:
            check_document_is_used(document, [Path(run)])
            source = ChunkSource(document, documents)
            read = read_run(run, notes, order or "score", ties, source=source)
        if target is not None:
            base = assessments_of_run(read, depth, irrelevant or 0.0, notes)
            text, lost = convert_assessments(base, target_format, documents)
            notes.note(level_statistics(base))
        else:
            written = read.top(depth)
            note_repeated({written.name: count_repeated(written)}, notes)
            text, lost = written.to_text(target_format)
    else:
        base = read_assessments(assessments, notes)
        text, lost = convert_assessments(base, target_format, documents)
    if documents is not None:
        documents.source.note_oddities(notes)
    return Printed(text, [*notes.lines(), *lost_data_notes(target_format, lost)])


@command(
    example="xcg validate configs/quickstart.yaml",
    statuses={1: "There are warnings, but no errors."},
)
@click.argument("config", required=False, type=ANY_PATH)
@paths_option(
    "--assessments",
    help="Check the assessments in this file, folder or glob pattern; - is standard input.",
)
@paths_option(
    "--run",
    "runs",
    help="Check the runs in this file, folder or glob pattern; - is standard input. With CONFIG, the "
    "name of one of its runs selects this run.",
)
@corpus_option("Check the documents in this folder or archive.")
@document_option
@order_option
@ties_option
@no_cache_option
@format_option("text", "json")
@prints()
def validate(
    config: Path | None,
    assessments: Sequence[str],
    runs: Sequence[str],
    corpus: str | None,
    document: DocumentKey,
    order: Order | None,
    ties: Ties | None,
    format_: str,
) -> Printed:
    """Check the corpus, the assessments and the runs.

    The exit status is 0 if everything is correct, 1 after warnings and 2 after errors.
    """
    check_order_options(order, ties)
    configuration: Any = load_configuration(config) if config is not None else Inputs()
    checked: Any = runs or configuration.runs
    if runs and config is not None:
        as_read = dataclasses.replace(configuration, strategies=())
        checked = select_runs(as_read, runs, configuration.runs, config).runs
    inputs = (
        assessments or configuration.assessments,
        checked,
        corpus if corpus is not None else configuration.corpus,
    )
    if not any(inputs):
        raise XcgError("nothing to check: expected a CONFIG.yaml, --assessments, --run or --corpus")
    document = document if document is not None else configuration.document
    report = validate_files(
        *inputs,
        order or configuration.file_order,
        ties if order is not None else ties or configuration.ties,
        document,
    )
    notes = report.unread.lines()
    if format_ == "json":
        return Printed(report_as_json(report), notes, status=lambda: report.status)
    return Printed("", notes, table=report_blocks(report), status=lambda: report.status)


@command(
    example="xcg place corpora_samples/chunks/gold.jsonl --corpus corpora_samples/chunks/docs",
    statuses={1: "A passage is not found; with --update, this is 2, and with --lenient 0."},
)
@click.argument("passages", nargs=-1, required=True)
@corpus_option(required=True)
@click.option("--update", is_flag=True, help="Move the passages of old assessments to their text.")
@click.option(
    "--fuzzy",
    type=click.FloatRange(0.5, 1),
    metavar="SIMILARITY",
    help="Also accept similar text of at least this similarity, from 0.5 to 1, for example 0.9.",
)
@click.option("--lenient", is_flag=True, help="Exit with status 0 if passages are left out.")
@no_cache_option
@prints()
def place(
    passages: Sequence[str], corpus: str, update: bool, fuzzy: float | None, lenient: bool
) -> Printed:
    """Find passages in the documents by their text.

    PASSAGES are JSON Lines with topic, doc and text (or exact), and optionally prefix and suffix, which
    decide between several occurrences. The output adds start and end to each passage, so that it can be
    used as assessments. White space, Unicode form, case, quotation marks, dashes, ligatures and
    hyphenation may differ.

    Passages that are not found are named on standard error, and the exit status is then 1.

    With --update, PASSAGES are assessments, and the documents have changed since. The output has the
    same records with new start, end and text. Passages that are lost or ambiguous are left out and
    named on standard error, and the exit status is then 2.

    --fuzzy also finds text that was edited. It needs the extra fuzzy (rapidfuzz).
    """
    search = update_gold if update else locate_passages
    with progress_bar("documents") as progress:
        documents = Corpus(corpus)
        placed = search(passages, documents, fuzzy, progress)
    messages = [f"warning: {message}" for message in placed.missing]
    oddities = (*documents.source.oddities(), *documents.source.guesses)
    messages += [f"note: {message}" for message in (*placed.notes, *oddities)]
    status = 0 if lenient or not placed.missing else 2 if update else 1
    text = records(placed.passages, "jsonl")
    return Printed(text, [*messages, placed.summary], status=lambda: status)


@command(example="xcg simulate campaign --small")
@click.argument("folder", type=ANY_PATH)
@click.option("--small", is_flag=True, help="Start from a small campaign for trials.")
@count_option("--articles", "Write this number of articles.  [default: 12107; small: 40]")
@count_option(
    "--elements",
    "Use this mean number of elements per article.  [default: 680; small: 60]",
    least=MIN_ELEMENTS,
)
@count_option("--topics", "Write this number of topics.  [default: 34; small: 6]")
@count_option("--runs", "Write this number of runs.  [default: 69; small: 5]")
@count_option(
    "--results", "Use this maximum number of results per topic and run.  [default: 1500; small: 50]"
)
@count_option("--assessors", "Write the assessments of this number of assessors.  [default: 1]")
@click.option(
    "--agreement",
    type=click.FloatRange(-1, 1),
    help="Let further assessors agree with the first: 1 marks the same, 0 omits or changes every "
    "passage, -1 marks other articles. -0.6 is close to INEX 2004.  [default: 0.6]",
)
@click.option(
    "--hardness",
    type=click.FloatRange(0, 1),
    help="Lower the skill of all systems, up to 1 for random order. 0.65 (with --small, 0.9) gives "
    "a mean MAep close to INEX 2004.  [default: 0]",
)
@count_option(
    "--seed", "Start the random numbers from this seed.  [default: 2004]", least=0, most=MAX_SEED
)
@click.option(
    "--replace",
    is_flag=True,
    help="Replace an incomplete campaign, which an interrupted call left in FOLDER.",
)
def simulate(folder: Path, small: bool, replace: bool, **shape: int | float | None) -> None:
    """Write a simulated campaign into a new folder.

    FOLDER receives documents, assessments, runs and config.yaml, which evaluates the runs. The name of
    a run states the skill of the system, the preferred size of its results (0 for paragraphs to 1 for
    articles) and whether they overlap.

    The default campaign has the size of INEX 2004 and takes a minute and 0.8 GB; with --small, it takes
    a second. The same options and the same seed give the same files.
    """
    refuse_unused((shape["assessors"] or 1) == 1, "without --assessors 2 or more", "--agreement")
    given = {name: value for name, value in shape.items() if value is not None}
    start = Shape.small() if small else Shape()
    full_shape = dataclasses.replace(start, **given)  # type: ignore[arg-type]
    with progress_bar("steps") as progress:
        summary = write_campaign(folder, full_shape, replace=replace, progress=progress)
    print_status(
        f"{summary.articles} articles of {summary.elements / summary.articles:.0f} elements, "
        f"mean depth {summary.depth:.2f}; {summary.topics} topics, {summary.runs} runs, "
        f"{summary.results} results; evaluate {folder / 'config.yaml'}"
    )
