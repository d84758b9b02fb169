"""Read the configuration of ``xcg judge``: documents, topics, runs, grades and assessors."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, TypeVar

from xcg.documents.files import check_complete
from xcg.errors import FileError, InputError, nearest
from xcg.evaluation.config import corpus_of_key
from xcg.formats.json_records import document_key
from xcg.runs.chunk_documents import DocumentKey
from xcg.settings.loading import Stated
from xcg.settings.study_keys import Judge

T = TypeVar("T")

MAX_ASSESSORS = 100
LONGEST_NAME = 100
"""Maximum number of characters of the name of an assessor."""
MAX_LEVELS = 9
"""Maximum number of grades, so that each has a key from 1 to 9."""
MAX_LEVEL = 1000
LONGEST_LABEL = 100


TOO_SMALL = "?"
"""The grade of INEX 2005 for text that is too small to be exhaustive; it counts as not relevant."""
UNGRADED = 2.0
"""The exhaustivity of highlights without grades, as since INEX 2006."""


class Grade(NamedTuple):
    """A grade of a highlight.

    Attributes:
        value: The grade as it is stored and exported, such as ``"3"`` or ``"?"``.
        label: Its meaning for assessors; empty if the configuration states none.
    """

    value: str
    label: str = ""


@dataclass(frozen=True)
class GradeScheme:
    """The grades of a collection, in the order in which they are offered.

    Args:
        name: A key of :data:`SCHEMES`, or ``"levels"`` for the grades of a configuration.
        grades: The grades; empty if highlights have none.

    >>> SCHEMES["inex-2005"].values
    ('2', '1', '?')
    """

    name: str
    grades: tuple[Grade, ...] = ()

    @property
    def values(self) -> tuple[str, ...]:
        """The legal values; empty if highlights have no grade."""
        return tuple(grade.value for grade in self.grades)

    def has(self, value: str | None) -> bool:
        """Return whether a highlight of a finished document may have a grade, or none.

        >>> SCHEMES["inex-2005"].has("3"), SCHEMES["none"].has(None)
        (False, True)
        """
        return value in (self.values or (None,))

    def label(self, value: str | None) -> str:
        """Return the meaning of a grade; empty if it has none."""
        return next((grade.label for grade in self.grades if grade.value == value), "")


_LABELS = {
    "inex-2004": {"3": "highly exhaustive", "2": "fairly exhaustive", "1": "marginally exhaustive"},
    "inex-2005": {"2": "highly exhaustive", "1": "partly exhaustive", TOO_SMALL: "too small"},
    "none": {},
}
SCHEMES: Mapping[str, GradeScheme] = MappingProxyType(
    {name: GradeScheme(name, tuple(map(Grade._make, one.items()))) for name, one in _LABELS.items()}
)
"""Name in configurations → scheme: the exhaustivity of INEX 2004, of INEX 2005, or no grade."""


@dataclass(eq=False, repr=False, kw_only=True)
class Settings(Judge):
    """What a configuration of ``xcg judge`` states: the keys of the section ``judge``, and the others.

    Attributes:
        path: The configuration.
        corpus: The folder or archive of documents.
        topics: Topic files, folders and globs.
        runs: Run files, folders and globs; empty if BM25 selects the documents.
        grades: The grades of highlights.
        document: How runs in JSON Lines name documents, from
            :func:`xcg.formats.json_records.document_key`.
        positions: Key → its file, line and name, for messages.
    """

    path: Path
    corpus: str | Path
    topics: tuple[Path, ...]
    runs: tuple[Path, ...]
    grades: GradeScheme
    document: DocumentKey
    positions: Mapping[str, str]

    def where(self, key: str) -> str:
        """Return the position of a key in messages: file, line and key."""
        return self.positions.get(key, str(self.path))

    @contextmanager
    def locating(self, key: str) -> Iterator[None]:
        """Add the position of a key to errors about the file that it names."""
        try:
            yield
        except FileError as error:
            raise InputError(self.where(key), str(error)) from None


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
    chosen = given.judge
    for key, value in {"corpus": given.corpus, "topics.files": given.topics.files}.items():
        if not value:
            raise InputError(stated.file.where(), f"the key {key!r} is missing")

    def where(*key: str) -> str:
        return stated.place(key).name

    def checked(key: str, check: Callable[[Any], T]) -> T:
        try:
            return check(getattr(chosen, key))
        except ValueError as error:
            raise InputError(where("judge", key), str(error)) from None

    assessors = checked("assessors", _assessors)
    if chosen.second_share > 0 and len(assessors) < 2:
        raise InputError(
            where("judge", "second_share"), "needs a second assessor: expected two or more assessors"
        )
    store = chosen.store or path.with_suffix(".sqlite")
    is_of_file = ("judge", "store") not in stated.overrides
    if is_of_file and not Path(os.path.realpath(store)).is_relative_to(os.path.realpath(folder)):
        raise InputError(
            where("judge", "store"),
            f"{store} is outside the folder of the configuration; name it with --set judge.store=FILE",
        )
    is_text = isinstance(given.document, str)
    values = {"grades": checked("grades", _grades), "assessors": assessors, "store": store}
    return Settings(
        **{**vars(chosen), **values},
        path=path,
        corpus=corpus_of_key(given.corpus),
        topics=tuple(given.topics.files),
        runs=tuple(given.runs),
        document=document_key(given.document, folder) if is_text else given.document,
        positions={
            "corpus": where("corpus"),
            "topics": where("topics", "files"),
            "runs": where("runs"),
            **{key: where("judge", key) for key in stated.content.get("judge", {})},
        },
    )


def _grades(value: object) -> GradeScheme:
    if isinstance(value, str):
        if value not in SCHEMES:
            raise ValueError(f"unknown grades {value!r}: {nearest(value, SCHEMES)}")
        return SCHEMES[value]
    if not isinstance(value, Mapping) or set(value) != {"levels"}:
        raise ValueError(f"expected {', '.join(SCHEMES)} or {{levels: [1, 2, 3]}}")
    levels = value["levels"]
    if isinstance(levels, Mapping):
        labels = [_label(label) for label in levels.values()]
    elif isinstance(levels, list):
        labels = [""] * len(levels)
    else:
        raise ValueError("expected levels such as [1, 2, 3] or {1: marginal, 2: good}")
    if not 1 <= len(levels) <= MAX_LEVELS:
        raise ValueError(f"{len(levels)} levels: expected 1 to {MAX_LEVELS}")
    for level in levels:
        if type(level) is not int or not 1 <= level <= MAX_LEVEL:
            raise ValueError(
                f"illegal level {level!r}: expected a whole number from 1 to {MAX_LEVEL:,}"
            )
    if len(set(levels)) < len(levels):
        raise ValueError("a level occurs twice")
    return GradeScheme("levels", tuple(map(Grade, map(str, levels), labels)))


def _label(label: object) -> str:
    if not isinstance(label, str) or not label.strip():
        raise ValueError(f"expected a label, found {label!r}")
    if len(label) > LONGEST_LABEL:
        raise ValueError(f"a label has {len(label)} characters: expected at most {LONGEST_LABEL}")
    return label


def _assessors(names: Sequence[str]) -> tuple[str, ...]:
    if len(names) > MAX_ASSESSORS:
        raise ValueError(f"{len(names)} names: expected at most {MAX_ASSESSORS}")
    known: dict[str, str] = {}
    for name in names:
        if name != name.strip():
            raise ValueError(f"illegal name {name!r}: expected text without spaces at its ends")
        if len(name) > LONGEST_NAME:
            raise ValueError(f"a name has {len(name)} characters: expected at most {LONGEST_NAME}")
        if not name.isprintable():
            raise ValueError(f"illegal name {name!r}: it contains an invisible character")
        # Each assessor has a folder in exports, and some file systems ignore case.
        if name in known.values():
            raise ValueError(f"the name {name!r} occurs twice")
        other = known.setdefault(unicodedata.normalize("NFKC", name).casefold(), name)
        if other != name:
            raise ValueError(f"the names {other!r} and {name!r} differ in case only: rename one")
    return tuple(names)
