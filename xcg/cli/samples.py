"""The command ``xcg samples``."""

from __future__ import annotations

import shlex
from pathlib import Path

import click

from xcg.cli.command import command
from xcg.cli.main import print_status
from xcg.errors import XcgError
from xcg.settings.files import PARTS, write_samples


@command(example="xcg samples xcg-samples")
@click.argument("folder", type=click.Path(path_type=Path))
def samples(folder: Path) -> None:
    """Write the sample campaigns into a new folder.

    FOLDER receives assessments, configs and corpora_samples: the campaign of the handbook, the examples
    of the papers, and chunks. All commands of the manual work in this folder.
    """
    if folder == Path("-"):
        raise XcgError("samples are files, not text for standard output: name a new folder")
    count = write_samples(folder)
    print_status(f"{count} files in {folder}: {', '.join(PARTS[:-1])} and {PARTS[-1]}")
    is_here = folder.resolve() == Path.cwd()
    go = "" if is_here else f"cd {shlex.quote(str(folder))} && "
    print_status(f"next: {go}xcg evaluate configs/quickstart.yaml")
