"""Open files, and load YAML configurations safely with the line of every key.

Scalars follow the core schema of YAML 1.2 (section 10.3): ``no`` and dates are text, ``010`` is ten.
"""

from __future__ import annotations

import codecs
import errno
import os
import re
import select
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from io import BufferedReader
from pathlib import Path
from typing import Any

from xcg.errors import FileError, InputError, nearest_file
from xcg.lazy_modules import yaml

FIFO_SECONDS = 10.0
"""Seconds to wait for a process that writes to a FIFO."""
MAX_BYTES = 1 << 20
"""Maximum size of a file, and maximum number of characters of its values after aliases are followed."""
MAX_TOKENS = 400_000
"""Maximum number of tokens in a file: keys, values, and the punctuation around them."""
MAX_VALUES = 50_000
"""Maximum number of values after aliases are followed. A short file can expand to billions."""
MAX_DEPTH = 50
"""Maximum depth of nested lists and mappings. libyaml overflows the stack at about 20,000 levels."""
LONGEST_NUMBER = 100
"""Maximum length of a number, so that every number can be converted to a float."""

_TAG = "tag:yaml.org,2002:"
_COLLECTIONS = (f"{_TAG}seq", f"{_TAG}map")
_CORE_SCHEMA: dict[str, tuple[str, Callable[[str], object]]] = {
    "null": (r"(?:~|null|Null|NULL)?", lambda text: None),
    "bool": (r"true|True|TRUE|false|False|FALSE", lambda text: text.lower() == "true"),
    "int": (
        r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+",
        lambda text: int(text, {"0o": 8, "0x": 16}.get(text[:2], 10)),
    ),
    "float": (
        r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?"
        r"|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)",
        lambda text: float(re.sub(r"\.(?=[iInN])", "", text)),
    ),
    "str": (r"(?s:.*)", str),
}
"""Tag → its regular expression and its conversion."""

KeyPath = tuple[object, ...]
"""The keys and list indices that lead from the top of a file to a value."""


@dataclass
class YamlFile:
    """The content of a YAML file, and the line of every key in it."""

    path: Path
    content: object = None
    lines: dict[KeyPath, int] = field(default_factory=dict)

    def where(self, key_path: KeyPath = ()) -> str:
        """Return ``file:line: key.key``, with the line of the nearest key that is in the file."""
        known = key_path
        while known and known not in self.lines:
            known = known[:-1]
        name = f": {format_key_path(key_path)}" if key_path else ""
        return f"{self.path}:{self.lines.get(known, 1)}{name}"


def format_key_path(key_path: KeyPath) -> str:
    """Return a key path as users write it.

    >>> format_key_path(("user_model", 1, "relevance_value", "alpha"))
    'user_model[1].relevance_value.alpha'
    """
    text = ""
    for key in key_path:
        text += f"[{key}]" if isinstance(key, int) else f".{key}" if text else str(key)
    return text


def open_file(path: Path) -> BufferedReader:
    """Open a file for reading.

    Args:
        path: The file; a FIFO or a device needs a process that writes within :data:`FIFO_SECONDS`.

    Returns:
        The open file.

    Raises:
        OSError: If the file cannot be opened, or nobody writes to the FIFO or device.
    """
    is_fifo = path.is_fifo()
    if not (is_fifo or path.is_char_device()):
        return path.open("rb")
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)  # without this flag, waits for a writer
    file = os.fdopen(descriptor, "rb")
    is_ready = select.select([file], [], [], FIFO_SECONDS)[0]
    if not (is_ready or (is_fifo and _has_writer(descriptor))):
        file.close()
        kind = "FIFO" if is_fifo else "device"
        raise OSError(errno.ENXIO, f"a {kind} that no process writes to", str(path))
    os.set_blocking(descriptor, True)
    return file


def _has_writer(descriptor: int) -> bool:
    """Return whether a process has opened an empty FIFO for writing."""
    try:
        return bool(os.read(descriptor, 1))
    except BlockingIOError:
        return True


def load_yaml(path: Path) -> YamlFile:
    """Load a YAML file.

    Args:
        path: The file.

    Returns:
        Its content as dicts, lists and scalars, with the line of every key.

    Raises:
        InputError: If the file cannot be read, is not valid YAML, contains a key twice, a tag outside
            of the core schema or a number that is too long, or is larger or deeper than a configuration
            needs to be.
    """
    try:
        with open_file(path) as stream:
            content = stream.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:  # a NUL character in the name is a ValueError
        if path.is_dir():
            raise FileError(path, "a folder; expected a YAML file") from None
        if isinstance(error, FileNotFoundError):
            raise FileError(path, f"no such file{nearest_file(path)}; expected a YAML file") from None
        reason = getattr(error, "strerror", None) or error
        raise InputError(path, f"cannot read: {reason}; expected a YAML file") from None
    if len(content) > MAX_BYTES:
        raise InputError(path, "larger than 1 MB; expected a YAML configuration")
    try:
        is_utf_16 = content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
        return _parsed(content.decode("utf-16" if is_utf_16 else "utf-8"), path)
    except UnicodeDecodeError as error:
        number = error.object[: error.start].count(b"\n") + 1
        encoding = error.encoding.upper()
        raise InputError(f"{path}:{number}", f"not valid YAML: expected text in {encoding}") from None


def parse_yaml(text: str) -> object:
    """Return the value of a YAML text, such as a number or a list.

    Raises:
        InputError: As :func:`load_yaml`.

    >>> parse_yaml("[0, 0.5]"), parse_yaml("no")
    ([0, 0.5], 'no')
    """
    return _parsed(text, Path(text)).content


def _parsed(text: str, path: Path) -> YamlFile:
    file = YamlFile(path)
    try:
        _check_tokens(text, path)
        node = _loader()(text).get_single_node()
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f":{mark.line + 1}" if mark is not None else ""
        problem = getattr(error, "problem", None) or getattr(error, "reason", None) or error
        if mark is not None and "\t" in _indentation(text, mark.line):
            problem = "a tab at the start of the line; expected spaces"
        if "nesting depth" in str(problem):  # libyaml 0.2.6 limits it while it scans
            raise InputError(f"{path}{line}", _TOO_DEEP) from None
        raise InputError(f"{path}{line}", f"not valid YAML: {problem}") from None
    if node is not None:
        file.content = _Builder(file).build(node, ())
    return file


def _indentation(text: str, number: int) -> str:
    """Return the white space at the start of a line, which is counted from 0."""
    line = "".join(text.split("\n")[number : number + 1])
    return line[: len(line) - len(line.lstrip())]


@cache
def _loader() -> Any:
    """Return a loader class that resolves the tags of scalars by the core schema."""
    # libyaml's loader is several times faster, but PyYAML may have been built without it.
    base: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    loader: Any = type("_CoreLoader", (base,), {"yaml_implicit_resolvers": {}})
    for name, (pattern, _) in _CORE_SCHEMA.items():
        loader.add_implicit_resolver(_TAG + name, re.compile(f"(?:{pattern})\\Z"), None)
    return loader


def _check_tokens(text: str, path: Path) -> None:
    """Refuse a text that would cost libyaml too much stack, memory or time.

    PyYAML builds nodes recursively in C, and libyaml compares each %TAG directive with all others.
    """
    starts = (
        yaml.BlockSequenceStartToken,
        yaml.BlockMappingStartToken,
        yaml.FlowSequenceStartToken,
        yaml.FlowMappingStartToken,
    )
    ends = (yaml.BlockEndToken, yaml.FlowSequenceEndToken, yaml.FlowMappingEndToken)
    depth = 0
    for number, token in enumerate(yaml.scan(text, Loader=_loader())):
        depth += isinstance(token, starts) - isinstance(token, ends)
        problem = ""
        if depth > MAX_DEPTH:
            problem = _TOO_DEEP
        elif number >= MAX_TOKENS:
            problem = f"more than {MAX_TOKENS:,} keys and values; expected a YAML configuration"
        elif isinstance(token, yaml.DirectiveToken) and token.name == "TAG":
            problem = "%TAG is not allowed: tags are those of YAML itself"
        if problem:
            raise InputError(f"{path}:{token.start_mark.line + 1}", problem)


_TOO_DEEP = f"lists and mappings are nested more than {MAX_DEPTH} levels deep"


@dataclass
class _Builder:
    """Builds Python values from YAML nodes, and checks them on the way."""

    _file: YamlFile
    _values: int = 0
    _characters: int = 0

    def build(self, node: yaml.Node, key_path: KeyPath) -> object:
        self._values += 1
        if self._values > MAX_VALUES or self._characters > MAX_BYTES:
            raise self._error(
                node,
                f"more than {MAX_VALUES:,} values or {MAX_BYTES:,} characters after aliases are "
                "followed; expected a YAML configuration",
            )
        if len(key_path) > MAX_DEPTH:  # an alias can occur inside its own anchor
            raise self._error(node, _TOO_DEEP)
        self._file.lines.setdefault(key_path, node.start_mark.line + 1)
        if isinstance(node, yaml.ScalarNode):
            return self._scalar(node)
        if node.tag not in _COLLECTIONS:
            raise self._error(node, f"the tag {node.tag} is not allowed")
        if isinstance(node, yaml.SequenceNode):
            return [self.build(item, (*key_path, index)) for index, item in enumerate(node.value)]
        mapping: dict[object, object] = {}
        for key_node, value_node in node.value:
            if not isinstance(key_node, yaml.ScalarNode):
                raise self._error(key_node, "expected a plain key before the colon")
            key = self._scalar(key_node)
            if key in mapping:
                raise self._error(key_node, f"the key {key!r} occurs twice")
            self._file.lines[(*key_path, key)] = key_node.start_mark.line + 1
            mapping[key] = self.build(value_node, (*key_path, key))
        return mapping

    def _scalar(self, node: yaml.ScalarNode) -> object:
        text, kind = node.value, node.tag.removeprefix(_TAG)
        self._characters += len(text)
        if kind not in _CORE_SCHEMA:
            raise self._error(node, f"the tag {node.tag} is not allowed")
        pattern, convert = _CORE_SCHEMA[kind]
        if not re.fullmatch(pattern, text):  # the file has an explicit tag
            raise self._error(node, f"not valid YAML: {text[:40]!r} is not of type {kind}")
        if kind in ("int", "float") and len(text) > LONGEST_NUMBER:
            problem = f"the number {text[:20]}… has {len(text):,} characters"
            raise self._error(node, f"{problem}; expected at most {LONGEST_NUMBER}")
        return convert(text)

    def _error(self, node: yaml.Node, message: str) -> InputError:
        return InputError(f"{self._file.path}:{node.start_mark.line + 1}", message)
