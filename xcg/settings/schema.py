"""Declare keys as fields of dataclasses, and check what a user states against them.

A field without metadata is a section, whose value has keys of its own: those of its default factory.

Dataclasses of keys are neither frozen nor comparable, because each method made costs start-up time.
"""

from __future__ import annotations

import dataclasses
import math
import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, TypeGuard, TypeVar

from xcg.errors import InputError, nearest
from xcg.plugins import are_refused
from xcg.settings.yaml_file import KeyPath

T = TypeVar("T")

MAX_COUNT = 1_000_000
"""The maximum of keys that set a number of repetitions or files."""
MAX_NUMBER = 999_999_999
"""The maximum of keys that set a rank, size or limit. High values cost no memory."""
MAX_WORKERS = 1000
"""The maximum number of processes."""
MAX_SEED = 2**63 - 1
"""The maximum seed of the random number generators."""
DEFAULT_MEASURES = ("nxCG@10", "MAep", "iMAep", "Q", "R")
PLOT_WIDTHS = {"column": 8.4, "page": 17.8}
"""Name of a width → centimetres."""


class Place(NamedTuple):
    """Where a value is stated.

    Attributes:
        name: What messages call it: ``c.yaml:3: compare.test``, ``--test`` or ``compare.test``.
        folder: The folder of the file; None for options and Python, where paths and functions are
            relative to the working folder.
        is_python: Whether it is from Python, so that it can be an object.
    """

    name: str
    folder: Path | None = None
    is_python: bool = False


Places = Callable[[KeyPath], Place]


@dataclass(eq=False, repr=False, kw_only=True)
class Type:
    """The legal values of a key.

    Attributes:
        metavar: What help texts call a value.
        is_text: Whether the text of an option is the value, and not YAML.
        is_list: Whether an option may be repeated.
        is_flag: Whether an option has no value.
        choices: The legal words, if there are few.
    """

    metavar: str = "TEXT"
    is_text: bool = False
    is_list: bool = False
    is_flag: bool = False
    choices: tuple[str, ...] = ()

    def check(self, value: Any, place: Place) -> object:
        """Return the value to use; ValueError with what was expected."""
        raise NotImplementedError

    @property
    def expected(self) -> str:
        """The legal values in listings, if there are no words."""
        return ""


REQUIRED = object()
"""The default of a key that must be stated."""


def key(
    help: str,
    type: Type,
    default: Any = None,
    *,
    option: str | bool = False,
    default_text: str = "",
    factory: Callable[[], Any] | None = None,
) -> Any:
    """Declare a key as a field of a dataclass.

    Args:
        help: What the key does, as one or two sentences.
        type: The legal values.
        default: The value if the key is not stated; :data:`REQUIRED` for none.
        option: Whether the commands of the section have an option of the same name; or its name.
        default_text: What help texts call the default, if it depends on other keys.
        factory: Makes the default.
    """
    about = {"help": help, "type": type, "option": option, "default": default_text}
    if default is REQUIRED:
        return dataclasses.field(metadata=about)
    if isinstance(default, list):
        factory = default.copy
    if factory is not None:
        return dataclasses.field(default_factory=factory, metadata=about)
    return dataclasses.field(default=default, metadata=about)


class Key(NamedTuple):
    """A declared key.

    Attributes:
        path: The keys that lead to it.
        name: The dotted path.
        help: What it does.
        type: Its legal values.
        default: The value if it is not stated.
        default_text: What help texts call the default.
        option: The option that sets it, empty if there is none.
    """

    path: tuple[str, ...]
    name: str
    help: str
    type: Type
    default: Any
    default_text: str
    option: str


def keys_of(cls: type, path: tuple[str, ...] = ()) -> Iterator[Key]:
    """Return the keys of a dataclass and of its sections."""
    for field in dataclasses.fields(cls):
        about, here, default = field.metadata, (*path, field.name), field.default
        if about:
            option = about["option"]
            option = option if isinstance(option, str) else f"--{field.name.replace('_', '-')}" * option
            if field.default_factory is not dataclasses.MISSING:
                default = field.default_factory()
            name = ".".join(here)
            yield Key(here, name, about["help"], about["type"], default, about["default"], option)
        elif field.init:
            section: Any = field.default_factory
            yield from keys_of(section, here)


def checked(cls: type[T], content: object, places: Places, path: KeyPath = ()) -> T:
    """Return an instance of a dataclass of keys, filled with what a user states.

    Args:
        cls: The dataclass.
        content: The mapping that the user states.
        places: Names the place of each key.
        path: The keys that lead to the mapping.

    Raises:
        InputError: For the first key that is unknown, missing or has an illegal value.
    """
    declared: Any = cls
    fields = {field.name: field for field in dataclasses.fields(declared) if field.init}
    values: dict[str, object] = {}
    place = places(path)
    try:
        if not isinstance(content, Mapping):
            raise ValueError(f"expected keys with values, found {kind(content)}")
        for name, value in content.items():
            place = places((*path, name))
            if name not in fields:
                legal = (*fields, *getattr(cls, "also_legal", ()))
                raise ValueError(f"unknown key: {nearest(str(name), legal)}")
            field = fields[name]
            if field.metadata:
                values[name] = field.metadata["type"].check(value, place)
            else:
                section: Any = field.default_factory
                values[name] = checked(section, value, places, (*path, name))
        place = places(path)
        for name, field in fields.items():
            has_default = (field.default, field.default_factory) != (dataclasses.MISSING,) * 2
            if not has_default and name not in values:
                raise ValueError(f"the key {name!r} is missing")
        return cls(**values)
    except InputError:
        raise
    except ValueError as error:
        raise InputError(place.name, str(error)) from None


def kind(value: object) -> str:
    """Describe a value in messages."""
    if value is None:
        return "nothing"
    shown = repr(value)
    return f"{type(value).__name__} {shown if len(shown) <= _MAX_SHOWN else shown[:_MAX_SHOWN] + '…'}"


_MAX_SHOWN = 80


def is_number(value: object) -> TypeGuard[float]:
    """Return whether a value is a number that a float can hold, and not a truth value."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    return abs(value) <= sys.float_info.max


_DECIMAL = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")


def decimal(text: str) -> float:
    """Return an ASCII decimal with an optional exponent; NaN for anything else, such as ``1_0``.

    >>> decimal("-1.5e3"), decimal("1_0"), decimal("٣")
    (-1500.0, nan, nan)
    """
    return float(text) if _DECIMAL.fullmatch(text) else math.nan


def _text(value: object, _: Place) -> str:
    if not isinstance(value, str) or not value.strip():
        raise ValueError(f"expected text, found {kind(value)}")
    return value


def _word(value: object, place: Place) -> str:
    """Check a name, which YAML can have read as a number: topics are often numbers."""
    is_whole = isinstance(value, int) and not isinstance(value, bool)
    return _text(str(value) if is_whole else value, place)


def _flag(value: object, _: Place) -> bool:
    if not isinstance(value, bool):
        raise ValueError(f"expected true or false, found {kind(value)}")
    return value


@dataclass(eq=False, repr=False)
class Checked(Type):
    """Values that a function checks, which raises ValueError; or that only a higher layer reads.

    Attributes:
        function: The function.
        stated: What is expected, if nothing, an empty text and an empty list are illegal.
    """

    function: Callable[[Any, Place], object] | None = None
    stated: str = ""

    def check(self, value: Any, place: Place) -> object:
        """Return what the function returns."""
        if self.stated and (value is None or (isinstance(value, (str, list)) and not value)):
            raise ValueError(f"expected {self.stated}, found {kind(value)}")
        return value if self.function is None else self.function(value, place)


@dataclass(eq=False, repr=False)
class Choice(Type):
    """Some words."""

    choices: tuple[str, ...]
    is_text: bool = dataclasses.field(default=True, kw_only=True)

    def check(self, value: object, _: Place) -> object:
        """Return the word."""
        if not isinstance(value, str) or value not in self.choices:
            raise ValueError(f"illegal value {value!r}: {nearest(str(value), self.choices)}")
        return value


@dataclass(eq=False, repr=False)
class Number(Type):
    """Numbers in a range, without its limits if that is open."""

    least: float = -math.inf
    most: float = math.inf
    is_open: bool = False
    is_whole: bool = False
    metavar: str = dataclasses.field(default="NUMBER", kw_only=True)

    def check(self, value: Any, _: Place) -> object:
        """Return the number."""
        legal = is_number(value) and self.least <= value <= self.most
        if not legal or (self.is_open and value in (self.least, self.most)):
            raise ValueError(f"expected {self.expected}, found {kind(value)}")
        if self.is_whole and not isinstance(value, int):
            raise ValueError(f"expected {self.expected}, found {kind(value)}")
        return value if self.is_whole else float(value)

    @property
    def expected(self) -> str:
        """The legal values."""
        low, high = ("above", "below") if self.is_open else ("from", "to")
        limits = [f" {low} {self.least:,}"] * (self.least > -math.inf)
        limits += [f" {high} {self.most:,}"] * (self.most < math.inf)
        return f"a {'whole ' * self.is_whole}number{(' and' * self.is_open).join(limits)}"


whole = partial(Number, is_whole=True)


class ListOf(Type):
    """A list of values; one value is a list, too. ``or_objects`` allows other objects of Python."""

    def __init__(self, item: Type, example: str = "", or_objects: bool = False) -> None:
        super().__init__(metavar=item.metavar, is_text=item.is_text, is_list=True, choices=item.choices)
        self.item, self.example, self.or_objects = item, example, or_objects

    def check(self, value: object, place: Place) -> object:
        """Return the list of the checked values."""
        items: Any = value if isinstance(value, (list, tuple)) else [value]
        is_texts = items and all(isinstance(item, (str, os.PathLike)) for item in items)
        if self.or_objects and place.is_python and not is_texts:
            return value
        if not self.is_text:  # options have words
            items = value.replace(",", " ").split() if isinstance(value, str) else items
            items = [int(one) if re.fullmatch("[0-9]{1,19}", str(one)) else one for one in items]
        if not items:
            example = f", like {self.example}" if self.example else ""
            raise ValueError(f"expected at least one value{example}")
        return [self.item.check(one, place) for one in items]


TEXT = Checked(_text, is_text=True)
NAME = Checked(_word, metavar="NAME", is_text=True)
FLAG = Checked(_flag, is_flag=True)


def _path(value: object, place: Place) -> object:
    if place.is_python and isinstance(value, os.PathLike):
        return Path(value)
    text = _text(value, place)
    return Path(text) if place.folder is None or text == "-" else place.folder / text


def _run(value: object, place: Place) -> object:
    """Check the name or the path of a run; in Python also a run."""
    if place.is_python and not isinstance(value, (str, bool, int, list, dict)):
        return os.fspath(value) if isinstance(value, os.PathLike) else value
    name = _word(value, place)
    path = name if place.folder is None else str(place.folder / name)
    return path if os.path.isfile(path) else name


def _file(value: object, place: Place, *, is_own: bool = False, is_result: bool = False) -> object:
    """Check the path of a file to write; that of results can be ``-``.

    Plug-ins are refused for files of strangers, which then write only below their own folder.
    """
    if value == "-" and not is_result:
        raise ValueError("standard output is for the results: expected a file")
    path: Any = _path(value, place)
    folder = place.folder if is_own or (are_refused() and value != "-") else None
    if folder and not Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder)):
        named = f"name it with --set {place.name.rpartition(' ')[2]}=FILE"
        raise ValueError(f"{path} is outside the folder of the configuration; {named}")
    return path


RUN = Checked(_run, metavar="NAME", is_text=True)
PATH = Checked(_path, metavar="PATH", is_text=True)
PATHS = ListOf(PATH)
OUTPUT = Checked(partial(_file, is_result=True), metavar="PATH", is_text=True)
FILE = Checked(_file, metavar="PATH", is_text=True)
OWN_FILE = Checked(partial(_file, is_own=True), metavar="PATH", is_text=True)
OBJECTS = ListOf(PATH, or_objects=True)
"""Inputs: paths, or in Python also objects in memory."""
