"""YAML as configuration: safely loaded, duplicate keys refused, and every key's line remembered."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from xcg.errors import InputError
from xcg.lazy_modules import yaml

_LARGEST = 1 << 20  # octets; a configuration is a page, not a megabyte
_MOST_NODES = 50_000  # also after aliases are followed, so that these cannot multiply
_DEEPEST = 50
_PLAIN = ("tag:yaml.org,2002:seq", "tag:yaml.org,2002:map")

Place = tuple[object, ...]
"""Where a value stands: the keys and list indices that lead to it."""


@dataclass
class YamlFile:
    """The content of a YAML file, and the line of every key in it."""

    path: Path
    content: object = None
    lines: dict[Place, int] = field(default_factory=dict)

    def where(self, place: Place = ()) -> str:
        """Return ``file:line: key.key`` for a place, or for the nearest known one above it."""
        known = place
        while known and known not in self.lines:
            known = known[:-1]
        name = f": {dotted(place)}" if place else ""
        return f"{self.path}:{self.lines.get(known, 1)}{name}"


def dotted(place: Place) -> str:
    """Write a place as users do.

    >>> dotted(("user_model", 1, "relevance_value", "alpha"))
    'user_model[1].relevance_value.alpha'
    """
    text = ""
    for key in place:
        text += f"[{key}]" if isinstance(key, int) else f".{key}" if text else str(key)
    return text


def load_yaml(path: Path) -> YamlFile:
    """Load a YAML file.

    Raises InputError with the line for a file that is missing, no YAML, or more than a
    configuration can be (too large, too deep, a key twice).
    """
    try:
        with path.open("rb") as stream:
            octets = stream.read(_LARGEST + 1)
    except (OSError, ValueError) as error:  # a name with a NUL is a ValueError
        reason = getattr(error, "strerror", None) or error
        raise InputError(path, f"cannot read: {reason}; expected a YAML file") from None
    if len(octets) > _LARGEST:
        raise InputError(path, "larger than 1 MB; expected a YAML configuration")
    file = YamlFile(path)
    try:
        # libyaml's loader is several times faster, where PyYAML was built with it.
        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)(octets)
        try:
            node = loader.get_single_node()
            if node is not None:
                file.content = _Builder(file, loader).build(node, ())
        finally:
            loader.dispose()
    except (yaml.YAMLError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        line = f":{mark.line + 1}" if mark is not None else ""
        problem = getattr(error, "problem", None) or getattr(error, "reason", None) or "too deep"
        raise InputError(f"{path}{line}", f"no YAML: {problem}") from None
    except ValueError as error:
        if isinstance(error, InputError):
            raise
        raise InputError(path, f"no YAML: {error}") from None
    return file


class _Builder:
    def __init__(self, file: YamlFile, loader: yaml.SafeLoader) -> None:
        self.file = file
        self.loader = loader
        self.nodes = 0

    def build(self, node: yaml.Node, place: Place) -> object:
        line = node.start_mark.line + 1
        self.nodes += 1
        if self.nodes > _MOST_NODES or len(place) > _DEEPEST:
            raise InputError(
                f"{self.file.path}:{line}",
                "nested too deep or repeated too often for a configuration",
            )
        self.file.lines.setdefault(place, line)
        if not isinstance(node, yaml.ScalarNode) and node.tag not in _PLAIN:
            raise InputError(f"{self.file.path}:{line}", f"the tag {node.tag} is not allowed")
        if isinstance(node, yaml.SequenceNode):
            return [self.build(item, (*place, index)) for index, item in enumerate(node.value)]
        if isinstance(node, yaml.MappingNode):
            return self._mapping(node, place)
        return self._scalar(node)

    def _scalar(self, node: yaml.Node) -> object:
        try:
            return self.loader.construct_object(node)
        except yaml.YAMLError:
            raise  # knows its line
        except Exception:  # PyYAML lets ValueError, KeyError and others out where a tag does not fit
            line = node.start_mark.line + 1
            kind = node.tag.rpartition(":")[2]
            raise InputError(
                f"{self.file.path}:{line}", f"no YAML: {str(node.value)[:40]!r} is no {kind}"
            ) from None

    def _mapping(self, node: yaml.MappingNode, place: Place) -> dict[object, object]:
        mapping: dict[object, object] = {}
        for key_node, value_node in node.value:
            line = key_node.start_mark.line + 1
            if not isinstance(key_node, yaml.ScalarNode):
                raise InputError(f"{self.file.path}:{line}", "expected a plain key before the colon")
            key = self._scalar(key_node)
            if key in mapping:
                raise InputError(f"{self.file.path}:{line}", f"the key {key!r} stands twice")
            self.file.lines[(*place, key)] = line
            mapping[key] = self.build(value_node, (*place, key))
        return mapping
