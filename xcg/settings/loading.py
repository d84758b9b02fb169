"""Fill the schema from a YAML file, from ``--set KEY=VALUE``, and from options or Python keywords."""

from __future__ import annotations

import copy
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import reduce
from pathlib import Path
from typing import Any

from xcg.errors import InputError, XcgError, nearest
from xcg.lazy_modules import json
from xcg.settings.keys import CORPUS_OPTIONS, Settings
from xcg.settings.schema import Key, Place, checked, keys_of, kind
from xcg.settings.yaml_file import KeyPath, YamlFile, format_key_path, load_yaml, parse_yaml

KEYS: dict[str, Key] = {key.name: key for key in keys_of(Settings)}
"""Dotted path → declared key."""

NOT_IN_METHOD = ("workers", "scheduler", "format", "output", "plot", "all_rows", "formulas", "record")
"""Keys without an effect on values."""


@dataclass(frozen=True)
class Stated:
    """What a user states: a mapping, and the place of each key.

    Attributes:
        content: Nested mappings as in the YAML file.
        file: The YAML file, None without one.
        overrides: Key path → the place of what is stated outside of the file.
        hashes: File → SHA-256 in the record that is loaded.
    """

    content: dict[str, Any] = field(default_factory=dict)
    file: YamlFile | None = None
    overrides: Mapping[KeyPath, Place] = field(default_factory=dict)
    hashes: Mapping[str, str] = field(default_factory=dict)

    def place(self, path: KeyPath) -> Place:
        """Return where a key is stated: in an option, in Python, or in the file."""
        for length in range(len(path), 0, -1):
            if path[:length] in self.overrides:
                place = self.overrides[path[:length]]
                # The values of an option have no index: the message names the value.
                is_option = place.name.startswith("--") and not place.name.startswith("--set ")
                inner = "" if is_option else format_key_path(path[length:])
                joint = "" if not inner or inner.startswith("[") else "."
                return place._replace(name=f"{place.name}{joint}{inner}")
        if self.file is None:
            return Place(format_key_path(path), is_python=True)
        return Place(self.file.where(path), self.file.path.parent)

    def with_values(self, values: Mapping[KeyPath, tuple[Any, Place]]) -> Stated:
        """Return this with further values, which replace those of the same keys."""
        content = copy.copy(self.content)
        for path, (value, _) in values.items():
            level = content
            for name in path[:-1]:
                inner = level.get(str(name))
                is_path = name == "corpus" and inner is not None
                above = {"path": inner} if is_path else {}
                level[str(name)] = dict(inner) if isinstance(inner, Mapping) else above
                level = level[str(name)]
            level[str(path[-1])] = value
        places = {path: place for path, (_, place) in values.items()}
        return replace(self, content=content, overrides={**self.overrides, **places})

    def with_keywords(self, keywords: Mapping[str, Any]) -> Stated:
        """Return this with further Python keywords: dotted key → value."""
        values: dict[KeyPath, tuple[Any, Place]] = {}
        for name, value in keywords.items():
            path = tuple(name.split("."))
            if path[0] not in Settings.__dataclass_fields__:
                raise XcgError(f"{name}: unknown key: {nearest(name, Settings.__dataclass_fields__)}")
            if value is not None:
                kept = list(value) if isinstance(value, Iterator) else value
                values[path] = (kept, Place(name.rpartition(".")[2], is_python=True))
        return self.with_values(values)

    def settings(self) -> Settings:
        """Return the checked settings.

        Raises:
            InputError: For the first key that is unknown or has an illegal value.
        """
        return checked(Settings, self.content, self.place)

    def is_stated(self, name: str) -> bool:
        """Return whether a key, such as ``compare.baseline``, is stated."""
        level: Any = self.content
        for part in name.split("."):
            if not isinstance(level, Mapping) or part not in level:
                return False
            level = level[part]
        return True

    def words(self, *left_out: str) -> list[str]:
        """Return the arguments of a command that states the same, except some keys."""
        words = [] if self.file is None else [str(self.file.path)]
        for path in self.overrides:
            name = format_key_path(path)
            if (
                name in left_out
                or name in NOT_IN_METHOD
                or (len(path) > 1 and path[0] not in ("topics", "corpus"))
            ):
                continue
            value: Any = reduce(lambda level, part: level[str(part)], path, self.content)
            if isinstance(value, (list, tuple)) and len(value) == 1:
                (value,) = value
            is_object = isinstance(value, Mapping) and name in ("assessments", "gold", "corpus")
            if isinstance(value, (str, os.PathLike)):
                words += ["--set", f"{name}={os.fspath(value)}"]
            elif not (is_object and "path" not in value):
                with suppress(TypeError):  # objects of Python have no words
                    words += ["--set", f"{name}={json.dumps(value, default=os.fspath)}"]
        return words


def stated(
    file: str | os.PathLike[str] | None = None,
    set: Sequence[str] = (),
    keywords: Mapping[str, Any] | None = None,
    options: Mapping[str, Any] | None = None,
) -> Stated:
    """Return what a file, ``--set``, Python keywords and options state; later ones override.

    Args:
        file: A YAML file, or a record that ``record`` wrote.
        set: Texts ``KEY=VALUE``; the value is YAML.
        keywords: Keys of the top level, whose values can be mappings for sections, and objects; None
            states nothing.
        options: Dotted key → value of an option.

    Raises:
        InputError: If the file cannot be read, or a key is unknown.
    """
    found = Stated() if file is None else _of_file(Path(file))
    if keywords:
        found = found.with_keywords(keywords)
    texts = [set] if isinstance(set, str) else set
    values = {path: value for text in texts for path, value in _of_text(text).items()}
    stated_later: dict[KeyPath, tuple[Any, Place]] = {}
    for name, value in (options or {}).items():
        key = KEYS[name]
        place = Place(key.option or f"--{name}")
        is_yaml = isinstance(value, str) and not key.type.is_text
        stated_later[key.path] = (_yaml(value, place) if is_yaml else value, place)
    # The option --corpus states only the path.
    of_corpus = {path: values[path] for path in values if path[:-1] == ("corpus",)}
    return found.with_values(values).with_values(stated_later | of_corpus)


def _of_file(path: Path) -> Stated:
    file = load_yaml(path)
    content = file.content
    if isinstance(content, Mapping) and set(content) == {"xcg", "settings", "files"}:
        return _of_record(content, file)
    if isinstance(content, str):
        raise InputError(
            path,
            "not a configuration; expected YAML with keys such as assessments and runs. Name runs with "
            "--run and assessments with --assessments",
        )
    if not isinstance(content, Mapping):
        raise InputError(file.where(), f"expected keys with values, found {kind(content)}")
    return Stated(dict(content), file)


def _of_record(content: Mapping[str, Any], file: YamlFile) -> Stated:
    """Return what a record states, with the lines of its settings."""
    settings, hashes = content["settings"], content["files"]
    if not isinstance(settings, Mapping) or not isinstance(hashes, Mapping):
        raise InputError(file.where(), "expected a record with settings and files")
    lines = {path[1:]: line for path, line in file.lines.items() if path[:1] == ("settings",)}
    file = replace(file, content=settings, lines=lines)
    return Stated(dict(settings), file, hashes=dict(hashes))


def _of_text(text: str) -> dict[KeyPath, tuple[Any, Place]]:
    name, sign, value = text.partition("=")
    name = name.strip()
    place = Place(f"--set {name}")
    if not (sign and name):
        raise XcgError(f"--set {text}: expected KEY=VALUE, like compare.test=wilcoxon")
    path: KeyPath = tuple(name.split("."))
    sections = {key.rpartition(".")[0] for key in KEYS} | {"study"}
    if name not in (*KEYS, *sections, *(f"corpus.{option}" for option in CORPUS_OPTIONS)):
        if path[0] == "user_model":
            raise XcgError(
                f"--set {name}: keys within a user model cannot be set: write "
                "user_model: {base: NAME, …} in a file"
            )
        raise XcgError(f"--set {name}: unknown key: {nearest(name, KEYS)}")
    declared = KEYS.get(name)
    value = value.strip()
    has_parts = value.startswith("{") or (
        value.startswith("[") and name in KEYS and KEYS[name].type.is_list
    )
    is_text = declared is not None and declared.type.is_text and not has_parts
    return {path: (value if is_text else _yaml(value, place), place)}


def _yaml(text: str, place: Place) -> object:
    try:
        return parse_yaml(text)
    except InputError as error:
        problem = str(error).removeprefix(f"{error.where}: ")  # where is the text itself
        raise InputError(place.name, problem) from None
