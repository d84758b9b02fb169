"""The --plot option of commands that can draw their result."""

from __future__ import annotations

from pathlib import Path

import click

from xcg.report.plots import check_format


def _check_plot(_: click.Context, __: click.Parameter, path: Path | None) -> Path | None:
    """Refuse an unknown file format before anything is computed."""
    if path is not None:
        check_format(path)
    return path


plot_option = click.option(
    "--plot",
    type=click.Path(path_type=Path, dir_okay=False),
    callback=_check_plot,
    help="Draw the result into this file: .png, .svg or .pdf.",
)
