"""Read the configuration of ``xcg judge``: documents, topics, runs, grades and assessors."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from xcg.documents.files import check_complete
from xcg.errors import FileError, InputError, nearest
from xcg.evaluation.config import corpus_of_key
from xcg.formats.json_records import document_key
from xcg.runs.chunk_documents import DocumentKey
from xcg.settings.loading import Stated
from xcg.settings.schema import OWN_FILE, Place, Places
from xcg.settings.study_keys import Judge

LONGEST_NAME = 100
"""Maximum number of characters of the name of an assessor."""
MAX_LEVELS = 9
"""Maximum number of grades, so that each has a key from 1 to 9."""
MAX_LEVEL = 1000
UNGRADED = 2.0
"""The exhaustivity of highlights without grades, as since INEX 2006."""

Grades = Mapping[str, str]
"""Grade → its meaning, empty if the configuration states none; empty if highlights have no grade."""
INEX_2004: Grades = MappingProxyType(
    {"3": "highly exhaustive", "2": "fairly exhaustive", "1": "marginally exhaustive"}
)
SCHEMES: Mapping[str, Grades] = MappingProxyType({"inex-2004": INEX_2004, "none": {}})
"""Name in configurations → grades."""


@dataclass(eq=False, repr=False, kw_only=True)
class Settings(Judge):
    """What a configuration of ``xcg judge`` states: the keys of the section ``judge``, and the others.

    Attributes:
        path: The configuration.
        corpus: The folder or archive of documents.
        topics: Topic files, folders and globs.
        runs: Run files, folders and globs; empty if BM25 selects the documents.
        document: How runs in JSON Lines name documents, from
            :func:`xcg.formats.json_records.document_key`.
        place: Names the place of each key.
    """

    path: Path
    corpus: str | Path
    topics: Sequence[Path]
    runs: Sequence[Path]
    document: DocumentKey
    place: Places

    def where(self, *key: str) -> str:
        """Return the position of a key in messages: file, line and key."""
        return self.place(key).name

    @contextmanager
    def locating(self, *key: str) -> Iterator[None]:
        """Add the position of a key to errors about the file that it names."""
        try:
            yield
        except FileError as error:
            raise InputError(self.where(*key), str(error)) from None


def load_settings(stated: Stated) -> Settings:
    """Return the settings of ``xcg judge``.

    Args:
        stated: A configuration: ``corpus``, ``topics.files``, ``runs``, ``document``, and the section
            ``judge``.

    Returns:
        The settings; data files are not opened.

    Raises:
        InputError: If a key is unknown, missing, or has an illegal value; with file, line and key.
    """
    assert stated.file is not None
    path = stated.file.path
    folder = path.parent
    check_complete(folder)
    given = stated.settings()
    for key, value in {"corpus": given.corpus, "topics.files": given.topics.files}.items():
        if not value:
            raise InputError(stated.file.where(), f"the key {key!r} is missing")
    is_text = isinstance(given.document, str)
    settings = Settings(
        **vars(given.judge),
        path=path,
        corpus=corpus_of_key(given.corpus),
        topics=given.topics.files,
        runs=given.runs,
        document=document_key(given.document, folder) if is_text else given.document,
        place=stated.place,
    )
    store = path.with_suffix(".sqlite").name
    checks: dict[str, Callable[[Any], object]] = {
        "grades": _grades,
        "assessors": _assessors,
        "store": lambda given: given or OWN_FILE.check(store, Place("judge.store", folder)),
    }
    for key, check in checks.items():
        try:
            setattr(settings, key, check(getattr(settings, key)))
        except ValueError as error:
            raise InputError(settings.where("judge", key), str(error)) from None
    if settings.second_share > 0 and len(settings.assessors) < 2:
        raise InputError(
            settings.where("judge", "second_share"),
            "needs a second assessor: expected two or more assessors",
        )
    return settings


def _grades(value: object) -> Grades:
    if isinstance(value, str):
        if value not in SCHEMES:
            raise ValueError(f"unknown grades {value!r}: {nearest(value, SCHEMES)}")
        return SCHEMES[value]
    levels = value.get("levels") if isinstance(value, Mapping) and len(value) == 1 else None
    if not isinstance(levels, (list, Mapping)):
        names = ", ".join(SCHEMES)
        raise ValueError(
            f"expected {names}, {{levels: [1, 2, 3]}} or {{levels: {{1: marginal, 2: good}}}}"
        )
    if not 1 <= len(levels) <= MAX_LEVELS:
        raise ValueError(f"{len(levels)} levels: expected 1 to {MAX_LEVELS}")
    grades: dict[str, str] = {}
    for level in levels:
        label = levels[level] if isinstance(levels, Mapping) else ""
        if type(level) is not int or not 1 <= level <= MAX_LEVEL:
            raise ValueError(
                f"illegal level {level!r}: expected a whole number from 1 to {MAX_LEVEL:,}"
            )
        if not isinstance(label, str):
            raise ValueError(f"expected a label, found {label!r}")
        grades[str(level)] = label
    if len(grades) < len(levels):
        raise ValueError("a level occurs twice")
    return grades


def _assessors(names: Sequence[str]) -> tuple[str, ...]:
    for name in names:
        if name != name.strip() or not name.isprintable() or len(name) > LONGEST_NAME:
            expected = f"at most {LONGEST_NAME} visible characters without spaces at the ends"
            raise ValueError(f"illegal name {name!r}: expected {expected}")
    if len(set(names)) < len(names):
        raise ValueError("a name occurs twice")
    return tuple(names)
