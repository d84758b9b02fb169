"""One simulated campaign that several test modules use."""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path

from xcg.simulation.campaign import simulate
from xcg.simulation.shape import Shape

SHAPE = Shape.small(seed=7, runs=12, assessors=2)

_FOLDER = tempfile.TemporaryDirectory(prefix="xcg-simulated-")  # exists as long as this object


@cache
def campaign_folder() -> Path:
    """Return the folder of a campaign of this shape."""
    folder = Path(_FOLDER.name) / "campaign"
    simulate(folder, SHAPE)
    return folder


def files_in(folder: Path) -> dict[str, bytes]:
    """Return the content of all files in a folder by their relative paths."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
