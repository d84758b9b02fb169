"""Write the judgements of a store as assessments."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from xcg.documents.corpus import Corpus
from xcg.judge.grades import GradeScheme
from xcg.judge.store import JudgedDocument


class Export(NamedTuple):
    """The files of an export, and what they do not hold.

    Attributes:
        files: Path below the folder, with ``/`` → content.
        notes: What was left out, one sentence each.
    """

    files: Mapping[str, bytes]
    notes: list[str]


def export(judged: Iterable[JudgedDocument], corpus: Corpus, scheme: GradeScheme) -> Export:
    """Return the judgements of finished documents as files; see the page on the formats."""
    raise NotImplementedError


def export_archive(judged: Iterable[JudgedDocument], corpus: Corpus, scheme: GradeScheme) -> bytes:
    """Return an export as a zip archive; its notes are the file ``notes.txt``."""
    raise NotImplementedError


def write_export(
    folder: Path, judged: Iterable[JudgedDocument], corpus: Corpus, scheme: GradeScheme
) -> list[str]:
    """Write an export to a new folder, completely or not at all, and return its notes.

    Raises:
        InputError: If the folder exists and is not empty, or cannot be written.
    """
    raise NotImplementedError
