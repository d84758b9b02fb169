"""Find the files that come with xcg, sample campaigns and user models, and copy them for users.

An installed package contains these files in ``xcg/shipped``. A checkout has them in its own folders,
with the same layout, so that every command of the manual works in both.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from xcg.errors import InputError, XcgError

PARTS = ("assessments", "configs", "corpora_samples")
"""The folders of samples."""


def shipped_folder() -> Path:
    """Return the folder that contains the folders of samples.

    Raises:
        XcgError: If the installation lacks it.

    >>> (shipped_folder() / "configs" / "quickstart.yaml").is_file()
    True
    """
    package = Path(__file__).parent.parent
    for folder in (package / "shipped", package.parent):
        if (folder / "configs" / "user_models").is_dir():
            return folder
    raise XcgError("this installation of xcg lacks its user models and samples: install it again")


def sample_files() -> list[str]:
    """Return the paths of all samples below :func:`shipped_folder`, with ``/`` and in sorted order.

    The scripts of a checkout that make the samples are left out.
    """
    root = shipped_folder()
    return sorted(file.relative_to(root).as_posix() for part in PARTS for file in _data(root / part))


def write_samples(folder: Path) -> int:
    """Copy all samples into a new folder. The folder is complete, or it does not exist.

    An empty folder is accepted. It receives the folders of samples when all files are written.

    Args:
        folder: A folder that is empty or does not exist. Its parents are created.

    Returns:
        The number of files.

    Raises:
        InputError: If the folder is not empty, is another kind of file, or cannot be written.
    """
    import tempfile

    source, files = shipped_folder(), sample_files()
    try:
        target = Path(os.path.realpath(folder))
        exists = target.is_dir()
        if not exists and os.path.lexists(target):
            raise InputError(folder, "not a folder; name a new folder")
        if exists and any(target.iterdir()):
            raise InputError(folder, "the folder is not empty; name a new folder")
        parent = target if exists else target.parent  # on the same disk, so that rename works
        parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".xcg-", suffix=".tmp", dir=parent) as temporary:
            copy = Path(temporary, "samples")
            for file in files:
                (copy / file).parent.mkdir(parents=True, exist_ok=True)
                (copy / file).write_bytes((source / file).read_bytes())
            if exists:
                for part in PARTS:
                    (copy / part).rename(target / part)
            else:
                copy.rename(target)
    except FileExistsError:
        raise InputError(folder, f"cannot write: {parent} is not a folder") from None
    except OSError as error:
        raise InputError(folder, f"cannot write: {error.strerror or error}") from None
    return len(files)


def _data(folder: Path) -> Iterator[Path]:
    """Yield all files below a folder except caches, hidden files, and scripts that are in it itself."""
    for path in folder.iterdir():
        if path.name.startswith((".", "__")) or (path.suffix == ".py" and folder.name in PARTS):
            continue
        if path.is_dir():
            yield from _data(path)
        else:
            yield path
