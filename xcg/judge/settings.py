"""Read the configuration of ``xcg judge``: documents, topics, runs, grades and assessors."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from xcg.documents.files import check_complete
from xcg.errors import FileError, InputError, nearest
from xcg.judge.grades import SCHEMES, Grade, GradeScheme
from xcg.lazy_modules import vol
from xcg.runs.chunk_documents import DocumentKey
from xcg.runs.document_names import document_key
from xcg.user_model.schema import check, corpus_below, corpus_path, text
from xcg.yaml_file import YamlFile, load_yaml

DEPTH = 20
"""Default number of results per run and topic, or of documents per topic without runs."""
MAX_DEPTH = 1_000_000
MAX_SEED = 2**63 - 1
MAX_ASSESSORS = 100
LONGEST_NAME = 100
"""Maximum number of characters of the name of an assessor."""
MAX_LEVELS = 9
"""Maximum number of grades, so that each has a key from 1 to 9."""
MAX_LEVEL = 1000
LONGEST_LABEL = 100


@dataclass(frozen=True)
class Settings:
    """What a configuration of ``xcg judge`` states.

    Attributes:
        path: The configuration.
        corpus: The folder or archive of documents.
        topics: Topic files, folders and globs.
        runs: Run files, folders and globs; empty if BM25 selects the documents.
        depth: Number of results per run and topic, or of documents per topic without runs.
        grades: The grades of highlights.
        assessors: The names of the assessors.
        second_share: Proportion of the topics that a second assessor judges too.
        store: The database of judgements.
        seed: Seed of the order of pools and of the choice of topics for second assessors.
        document: How runs in JSON Lines name documents, from
            :func:`xcg.runs.document_names.document_key`.
        positions: Key → its file, line and name, for messages.
    """

    path: Path
    corpus: str | Path
    topics: tuple[Path, ...]
    runs: tuple[Path, ...] = ()
    depth: int = DEPTH
    grades: GradeScheme = SCHEMES["inex-2004"]
    assessors: tuple[str, ...] = ("assessor",)
    second_share: float = 0.0
    store: Path = Path("judgements.sqlite")
    seed: int = 0
    document: DocumentKey = None
    positions: Mapping[str, str] = field(default_factory=dict)

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


def load_settings(path: str | os.PathLike[str], store: Path | None = None) -> Settings:
    """Load the configuration of ``xcg judge`` from a YAML file.

    Paths in the file are relative to its folder.

    Args:
        path: The file.
        store: The store, instead of that in the file; it may be outside the folder.

    Returns:
        The settings; data files are not opened.

    Raises:
        InputError: If a key is unknown, required or occurs twice, or a value has a wrong type or range;
            with file, line and key.
    """
    file_path = Path(path)
    folder = file_path.parent
    check_complete(folder)
    file = load_yaml(file_path)
    _refuse_evaluation(file)
    given = check(file.content, settings_schema(), file.where)
    values: dict[str, Any] = {
        key: given[key]
        for key in ("depth", "grades", "assessors", "second_share", "seed")
        if key in given
    }
    if values.get("second_share", 0) > 0 and len(values.get("assessors", [""])) < 2:
        raise InputError(
            file.where(("second_share",)), "needs a second assessor: expected two or more assessors"
        )
    if "document" in given:
        values["document"] = document_key(given["document"], folder)
    if store is not None:
        values["store"] = store
    else:
        values["store"] = folder / given.get("store", file_path.with_suffix(".sqlite").name)
        if not Path(os.path.realpath(values["store"])).is_relative_to(os.path.realpath(folder)):
            raise InputError(
                file.where(("store",)),
                f"{values['store']} is outside the folder of the configuration; name it with --store",
            )
    return Settings(
        path=file_path,
        corpus=corpus_below(folder, given["corpus"]),
        topics=tuple(folder / name for name in given["topics"]),
        runs=tuple(folder / name for name in given.get("runs", ())),
        positions={key: file.where((key,)) for key in given},
        **values,
    )


def settings_schema() -> vol.Schema:
    """Return the schema of a configuration."""
    return vol.Schema(
        {
            vol.Required("corpus"): corpus_path,
            vol.Required("topics"): _paths,
            vol.Optional("runs"): _paths,
            vol.Optional("depth"): _whole_number(1, MAX_DEPTH),
            vol.Optional("grades"): _grades,
            vol.Optional("assessors"): _assessors,
            vol.Optional("second_share"): _share,
            vol.Optional("store"): text,
            vol.Optional("seed"): _whole_number(0, MAX_SEED),
            vol.Optional("document"): text,
        }
    )


def _refuse_evaluation(file: YamlFile) -> None:
    """Refuse a configuration of an evaluation, which users confuse with that of ``xcg judge``."""
    if isinstance(file.content, Mapping) and "assessments" in file.content:
        raise InputError(
            file.where(("assessments",)),
            "a configuration of an evaluation; expected one of xcg judge with corpus, topics and "
            "assessors",
        )


def _paths(value: object) -> list[str]:
    names = value if isinstance(value, list) else [value]
    if not names:
        raise vol.Invalid("expected at least one path")
    return [text(name) for name in names]


def _whole_number(least: int, most: int) -> Callable[[object], int]:
    def validate(value: object) -> int:
        if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
            raise vol.Invalid(
                f"illegal value {value!r}: expected a whole number from {least} to {most:,}"
            )
        return value

    return validate


def _share(value: object) -> float:
    if not isinstance(value, (int, float)) or isinstance(value, bool) or not 0 <= value <= 1:
        raise vol.Invalid(f"illegal value {value!r}: expected a number from 0 to 1")
    return float(value)


def _grades(value: object) -> GradeScheme:
    if isinstance(value, str):
        if value not in SCHEMES:
            raise vol.Invalid(f"unknown grades {value!r}: {nearest(value, SCHEMES)}")
        return SCHEMES[value]
    if not isinstance(value, Mapping) or set(value) != {"levels"}:
        raise vol.Invalid(f"expected {', '.join(SCHEMES)} or {{levels: [1, 2, 3]}}")
    levels = value["levels"]
    if isinstance(levels, Mapping):
        labels = [_label(label) for label in levels.values()]
    elif isinstance(levels, list):
        labels = [""] * len(levels)
    else:
        raise vol.Invalid("expected levels such as [1, 2, 3] or {1: marginal, 2: good}")
    if not 1 <= len(levels) <= MAX_LEVELS:
        raise vol.Invalid(f"{len(levels)} levels: expected 1 to {MAX_LEVELS}")
    grades = [Grade(_level(level), label) for level, label in zip(levels, labels, strict=True)]
    if len({grade.value for grade in grades}) < len(grades):
        raise vol.Invalid("a level occurs twice")
    return GradeScheme("levels", tuple(grades))


def _level(level: object) -> str:
    if not isinstance(level, int) or isinstance(level, bool) or not 1 <= level <= MAX_LEVEL:
        raise vol.Invalid(f"illegal level {level!r}: expected a whole number from 1 to {MAX_LEVEL:,}")
    return str(level)


def _label(label: object) -> str:
    label = text(label)
    if len(label) > LONGEST_LABEL:
        raise vol.Invalid(f"a label has {len(label)} characters: expected at most {LONGEST_LABEL}")
    return label


def _assessors(value: object) -> tuple[str, ...]:
    names = [value] if isinstance(value, str) else value
    if not isinstance(names, list) or not 1 <= len(names) <= MAX_ASSESSORS:
        raise vol.Invalid(f"expected a list of 1 to {MAX_ASSESSORS} names such as [anna, ben]")
    known: dict[str, str] = {}
    for name in names:
        if not isinstance(name, str) or not name.strip() or name != name.strip():
            raise vol.Invalid(f"illegal name {name!r}: expected text without spaces at its ends")
        if len(name) > LONGEST_NAME:
            raise vol.Invalid(f"a name has {len(name)} characters: expected at most {LONGEST_NAME}")
        if not name.isprintable():
            raise vol.Invalid(f"illegal name {name!r}: it contains an invisible character")
        # Each assessor has a folder in exports, and some file systems ignore case.
        if name in known.values():
            raise vol.Invalid(f"the name {name!r} occurs twice")
        other = known.setdefault(unicodedata.normalize("NFKC", name).casefold(), name)
        if other != name:
            raise vol.Invalid(f"the names {other!r} and {name!r} differ in case only: rename one")
    return tuple(names)
