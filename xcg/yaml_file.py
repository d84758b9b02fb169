"""Load YAML configuration files safely, and remember the line of every key."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from xcg.errors import InputError
from xcg.lazy_modules import yaml

_MAX_BYTES = 1 << 20
_MAX_NODES = 50_000  # after aliases are followed: a short file can expand to billions of nodes
_MAX_DEPTH = 50
_LEGAL_TAGS = ("tag:yaml.org,2002:seq", "tag:yaml.org,2002:map")

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


def load_yaml(path: Path) -> YamlFile:
    """Load a YAML file.

    Args:
        path: The file.

    Returns:
        Its content as dicts, lists and scalars, with the line of every key.

    Raises:
        InputError: If the file cannot be read, is not valid YAML, contains a key twice or a tag, or is
            larger or deeper than a configuration needs to be.
    """
    try:
        with path.open("rb") as stream:
            text = stream.read(_MAX_BYTES + 1)
    except (OSError, ValueError) as error:  # a NUL character in the name is a ValueError
        reason = getattr(error, "strerror", None) or error
        raise InputError(path, f"cannot read: {reason}; expected a YAML file") from None
    if len(text) > _MAX_BYTES:
        raise InputError(path, "larger than 1 MB; expected a YAML configuration")
    file = YamlFile(path)
    try:
        # libyaml's loader is several times faster, but PyYAML may have been built without it.
        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)(text)
        node = loader.get_single_node()
        if node is not None:
            file.content = _Builder(file, loader).build(node, ())
    except InputError:
        raise
    except (yaml.YAMLError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        line = f":{mark.line + 1}" if mark is not None else ""
        problem = getattr(error, "problem", None) or getattr(error, "reason", None) or "too deep"
        raise InputError(f"{path}{line}", f"not valid YAML: {problem}") from None
    except ValueError as error:
        raise InputError(path, f"not valid YAML: {error}") from None
    return file


class _Builder:
    """Builds Python values from YAML nodes, and checks them on the way."""

    def __init__(self, file: YamlFile, loader: yaml.SafeLoader) -> None:
        self._file = file
        self._loader = loader
        self._nodes = 0

    def build(self, node: yaml.Node, key_path: KeyPath) -> object:
        self._nodes += 1
        if self._nodes > _MAX_NODES or len(key_path) > _MAX_DEPTH:
            raise self._error(node, "nested too deep or repeated too often for a configuration")
        self._file.lines.setdefault(key_path, _line(node))
        if isinstance(node, yaml.ScalarNode):
            return self._scalar(node)
        if node.tag not in _LEGAL_TAGS:
            raise self._error(node, f"the tag {node.tag} is not allowed")
        if isinstance(node, yaml.SequenceNode):
            return [self.build(item, (*key_path, index)) for index, item in enumerate(node.value)]
        assert isinstance(node, yaml.MappingNode)
        return self._mapping(node, key_path)

    def _scalar(self, node: yaml.Node) -> object:
        try:
            return self._loader.construct_object(node)
        except yaml.YAMLError:
            raise  # it has a line already
        except Exception:  # ValueError, KeyError and others if the value does not fit its tag
            problem = f"{str(node.value)[:40]!r} is not of type {node.tag.rpartition(':')[2]}"
            raise self._error(node, f"not valid YAML: {problem}") from None

    def _mapping(self, node: yaml.MappingNode, key_path: KeyPath) -> dict[object, object]:
        mapping: dict[object, object] = {}
        for key_node, value_node in node.value:
            if not isinstance(key_node, yaml.ScalarNode):
                raise self._error(key_node, "expected a plain key before the colon")
            key = self._scalar(key_node)
            if key in mapping:
                raise self._error(key_node, f"the key {key!r} occurs twice")
            self._file.lines[(*key_path, key)] = _line(key_node)
            mapping[key] = self.build(value_node, (*key_path, key))
        return mapping

    def _error(self, node: yaml.Node, message: str) -> InputError:
        return InputError(f"{self._file.path}:{_line(node)}", message)


def _line(node: yaml.Node) -> int:
    return int(node.start_mark.line) + 1
