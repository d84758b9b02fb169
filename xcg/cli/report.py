"""The command ``xcg report``."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

import click

from xcg.cli.campaign_options import CampaignOptions, campaign_options
from xcg.cli.command import command
from xcg.cli.messages import print_status
from xcg.cli.options import (
    MAX_NUMBER,
    count_option,
    paths_option,
)
from xcg.cli.output import FILE, STANDARD_OUTPUT, progress_bar
from xcg.documents.writing import whole_file
from xcg.report.html_page import DEFAULT_TITLE, write_report


@command(example="xcg report configs/quickstart.yaml --run focused --run articles --output report.html")
@campaign_options("runs", "order", "ties", "measures", "unanswered", "workers")
@count_option(
    "--explained", "Explain the results of this number of topics.", default=10, least=0, most=MAX_NUMBER
)
@paths_option(
    "--topic-file", help="Show the titles of topics from this INEX topic file, folder or glob."
)
@click.option("--title", default=DEFAULT_TITLE, show_default=True, help="Give the page this title.")
@click.option("--output", required=True, type=FILE, help="Write to this file; - is standard output.")
def report(
    campaign: CampaignOptions, explained: int, topic_file: Sequence[str], title: str, output: Path
) -> None:
    """Write one HTML page with tables, curves, topics and explanations.

    The page is self-contained and needs no network.
    """
    inputs = campaign.inputs()
    if topic_file:
        inputs = replace(inputs, topic_files=[Path(path) for path in topic_file])
    with _opened(output) as page, progress_bar() as progress:
        write_report(inputs, page, title=title, explained=explained, progress=progress)
    if output != STANDARD_OUTPUT:
        print_status(f"the report is in {output}")


@contextmanager
def _opened(output: Path) -> Iterator[BinaryIO]:
    """Open a file, or collect what standard output receives when the block ends without an error."""
    if output != STANDARD_OUTPUT:
        with whole_file(output) as file:
            yield file
        return
    page = io.BytesIO()
    yield page
    click.echo(page.getvalue(), nl=False)
