"""Declare keys as fields of dataclasses, and check what a user states against them.

Dataclasses of keys are neither frozen nor comparable, because each method made costs start-up time.
"""

from __future__ import annotations

import dataclasses
import math
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, TypeGuard, TypeVar

from xcg.errors import InputError, nearest
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


@dataclass(frozen=True)
class Type:
    """The legal values of a key.

    Attributes:
        check: Returns the value to use; raises ValueError with what was expected.
        metavar: What help texts call a value.
        is_text: Whether the text of an option is the value, and not YAML.
        is_list: Whether an option may be repeated.
        is_flag: Whether an option has no value.
        choices: The legal words, if there are few.
        expected: The legal values in listings, if there are no words.
    """

    check: Callable[[Any, Place], object]
    metavar: str = "TEXT"
    is_text: bool = False
    is_list: bool = False
    is_flag: bool = False
    choices: tuple[str, ...] = ()
    expected: str = ""


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


def section(cls: type[T]) -> T:
    """Declare a key whose value has keys of its own, those of a dataclass."""
    return dataclasses.field(default_factory=cls, metadata={"section": cls})


class Key(NamedTuple):
    """A declared key.

    Attributes:
        path: The keys that lead to it.
        help: What it does.
        type: Its legal values.
        default: The value if it is not stated.
        default_text: What help texts call the default.
        option: The option that sets it, empty if there is none.
    """

    path: tuple[str, ...]
    help: str
    type: Type
    default: Any
    default_text: str
    option: str

    @property
    def name(self) -> str:
        """The dotted path."""
        return ".".join(self.path)


def keys_of(cls: type, path: tuple[str, ...] = ()) -> Iterator[Key]:
    """Return the keys of a dataclass and of its sections."""
    for field in dataclasses.fields(cls):
        about, here = field.metadata, (*path, field.name)
        if "section" in about:
            yield from keys_of(about["section"], here)
        elif "type" in about:
            option = about["option"]
            name = option if isinstance(option, str) else f"--{field.name.replace('_', '-')}" * option
            default = field.default
            if default is dataclasses.MISSING and field.default_factory is not dataclasses.MISSING:
                default = field.default_factory()
            yield Key(here, about["help"], about["type"], default, about["default"], name)


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
    if not isinstance(content, Mapping):
        raise InputError(places(path).name, f"expected keys with values, found {kind(content)}")
    declared: Any = cls
    fields = {field.name: field for field in dataclasses.fields(declared) if field.metadata}
    values: dict[str, object] = {}
    for name, value in content.items():
        here = (*path, name)
        if name not in fields:
            legal = (*fields, *getattr(cls, "also_legal", ()))
            raise InputError(places(here).name, f"unknown key: {nearest(str(name), legal)}")
        about = fields[name].metadata
        if "section" in about:
            values[name] = checked(about["section"], value, places, here)
            continue
        place = places(here)
        with _placed(place):
            values[name] = about["type"].check(value, place)
    for name, field in fields.items():
        has_default = field.default is not dataclasses.MISSING
        if not has_default and field.default_factory is dataclasses.MISSING and name not in values:
            raise InputError(places(path).name, f"the key {name!r} is missing")
    with _placed(places(path)):
        return cls(**values)


@contextmanager
def _placed(place: Place) -> Iterator[None]:
    try:
        yield
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


TEXT = Type(_text, is_text=True)
NAME = Type(_word, "NAME", is_text=True)
FLAG = Type(_flag, is_flag=True)


def choice(choices: Sequence[str]) -> Type:
    """Return the type of some words."""

    def check(value: object, _: Place) -> object:
        if not isinstance(value, str) or value not in choices:
            raise ValueError(f"illegal value {value!r}: {nearest(str(value), choices)}")
        return value

    return Type(check, "|".join(choices), is_text=True, choices=tuple(choices))


def whole(least: int, most: int) -> Type:
    """Return the type of whole numbers in a range."""

    def check(value: object, _: Place) -> object:
        if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
            raise ValueError(f"expected a whole number from {least} to {most:,}, found {kind(value)}")
        return value

    return Type(check, "NUMBER")


def number(least: float = -math.inf, most: float = math.inf, is_open: bool = False) -> Type:
    """Return the type of numbers in a range, without its limits if that is open."""
    low, high = ("above", "below") if is_open else ("from", "to")
    limits = [f" {low} {least:g}"] * (least > -math.inf) + [f" {high} {most:g}"] * (most < math.inf)
    expected = f"a number{(' and' * is_open).join(limits)}"

    def check(value: Any, _: Place) -> object:
        legal = is_number(value) and (least < value < most if is_open else least <= value <= most)
        if not legal:
            raise ValueError(f"expected {expected}, found {kind(value)}")
        return float(value)

    return Type(check, "NUMBER", expected=expected)


def list_of(item: Type, example: str = "") -> Type:
    """Return the type of a list of values; one value is a list, too."""

    def check(value: object, place: Place) -> object:
        items = value if isinstance(value, (list, tuple)) else [value]
        if isinstance(value, str) and not item.is_text:
            items = value.replace(",", " ").split()
        if not items:
            raise ValueError(f"expected at least one value{f', like {example}' * bool(example)}")
        return [item.check(_scalar(one, item), place) for one in items]

    return dataclasses.replace(item, check=check, is_list=True)


def _scalar(value: object, item: Type) -> object:
    """Return the number that a word of an option states."""
    if isinstance(value, str) and not item.is_text and value.isascii() and value.isdecimal():
        return int(value) if len(value) < 20 else value
    return value


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


def _file(value: object, place: Place) -> object:
    """Check the path of a file to write besides the results."""
    if value == "-":
        raise ValueError("standard output is for the results: expected a file")
    return _path(value, place)


RUN = Type(_run, "NAME", is_text=True)
PATH = Type(_path, "PATH", is_text=True)
PATHS = list_of(PATH)
FILE = Type(_file, "PATH", is_text=True)


def stated(expected: str, check: Callable[[Any, Place], object] | None = None, **about: Any) -> Type:
    """Return the type of a specification that a higher layer reads: a text, list, mapping or number.

    Args:
        expected: What is expected, for messages.
        check: Checks the value further.
        about: Further attributes of the type.
    """

    def read(value: object, place: Place) -> object:
        if value is None or (isinstance(value, (str, list)) and not value):
            raise ValueError(f"expected {expected}, found {kind(value)}")
        return value if check is None else check(value, place)

    return Type(read, **about)


def _check_objects(value: object, place: Place) -> object:
    items = value if isinstance(value, (list, tuple)) else [value]
    is_paths = all(isinstance(item, str) or hasattr(item, "__fspath__") for item in items)
    if place.is_python and not (is_paths and items):
        return value
    return PATHS.check(value, place)


OBJECTS = dataclasses.replace(PATHS, check=_check_objects)
"""Inputs: paths, or in Python also objects in memory."""
