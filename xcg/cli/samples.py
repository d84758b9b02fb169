"""The command ``xcg samples``."""

from __future__ import annotations

import shlex
from pathlib import Path

import click

from xcg.cli.command import command
from xcg.cli.main import print_status
from xcg.errors import InputError, XcgError
from xcg.user_model.model import shipped_folder

PARTS = ("assessments", "configs", "corpora_samples")
"""The folders of samples."""


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


def sample_files() -> list[str]:
    """Return the paths of all samples below :func:`shipped_folder`, with ``/`` and in sorted order.

    Caches, hidden files and the scripts of a checkout that make the samples are left out.
    """
    root = shipped_folder()
    found = [path for part in PARTS for path in (root / part).rglob("*") if path.is_file()]
    return sorted(
        path.relative_to(root).as_posix()
        for path in found
        if not any(name.startswith((".", "__")) for name in path.relative_to(root).parts)
        and not (path.suffix == ".py" and path.parent.name in PARTS)
    )


def write_samples(folder: Path) -> int:
    """Copy all samples into a folder that is empty or does not exist, and return their number.

    Raises:
        InputError: If the folder is not empty, is another kind of file, or cannot be written.
    """
    source, files = shipped_folder(), sample_files()
    try:
        if folder.exists() and any(folder.iterdir()):
            raise InputError(folder, "the folder is not empty; name a new folder")
        for file in files:
            target = folder / file
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes((source / file).read_bytes())
    except OSError as error:
        raise InputError(folder, f"cannot write: {error.strerror or error}") from None
    return len(files)
