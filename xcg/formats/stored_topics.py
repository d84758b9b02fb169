"""Collect the lines of a run by topic, and keep those of large runs in a temporary file.

The lines of a topic need not follow each other in the file. So a reader knows the ranking of a topic
only at the end of the file, and would otherwise hold all lines in memory.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from itertools import chain
from typing import Any, Generic, Protocol, TypeVar

from xcg.documents.temporary_records import TemporaryRecords

LINES_IN_MEMORY = 1 << 18
"""Number of lines, or of different names, that a reader keeps in memory: up to about 100 MB."""


def clear_large(*caches: dict[Any, Any]) -> None:
    """Clear the caches that have more entries than a reader should keep in memory."""
    for cache in caches:
        if len(cache) > LINES_IN_MEMORY:
            cache.clear()


class _Lines(Protocol):
    def extend(self, lines: Any, /) -> None: ...


Lines = TypeVar("Lines", bound=_Lines)


class StoredTopics(Generic[Lines]):
    """Topic → its lines.

    Args:
        new: Returns an empty collection of lines, such as ``list``.

    >>> topics = StoredTopics[list[str]](list)
    >>> topics["1"].append("bees")
    >>> topics.store()
    >>> topics["2"].append("ants")
    >>> topics["1"].append("wasps")
    >>> list(topics.pop_all())
    [('1', ['bees', 'wasps']), ('2', ['ants'])]
    """

    def __init__(self, new: Callable[[], Lines]) -> None:
        self._new = new
        self._in_memory: defaultdict[str, Lines] = defaultdict(new)
        self._positions: defaultdict[str, list[int]] = defaultdict(list)
        self._records = TemporaryRecords()

    def __getitem__(self, topic: str) -> Lines:
        """Return the lines of a topic that are in memory, to which new ones are added."""
        return self._in_memory[topic]

    def store(self) -> None:
        """Move all lines to the temporary file.

        Raises:
            XcgError: If it cannot be written.
        """
        for topic, lines in self._in_memory.items():
            self._positions[topic].append(self._records.add(lines))
        self._in_memory.clear()

    def pop_all(self) -> Iterator[tuple[str, Lines]]:
        """Yield the topics in the order of their first lines, each with all its lines; forget them."""
        for topic in dict.fromkeys([*self._positions, *self._in_memory]):
            in_memory = [self._in_memory.pop(topic)] if topic in self._in_memory else []
            parts = chain(map(self._records.get, self._positions.pop(topic, ())), in_memory)
            lines = next(parts)
            for part in parts:
                lines.extend(part)
            yield topic, lines
