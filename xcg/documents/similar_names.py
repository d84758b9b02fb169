"""Find the document whose name is most similar to an unknown name, for messages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import islice

from xcg.errors import nearest_name

_COMPARED_NAMES = 20_000
"""Maximum number of documents that a name is compared with."""
_MAX_COMPARISONS = 10
"""Maximum number of unknown names of a kind for which a similar one is searched."""


class SimilarNames:
    """Similar names of documents, for the first unknown names.

    Comparing names takes time, and messages show only the first problem of a kind.

    >>> names, documents = SimilarNames(), ["bread", "wine"]
    >>> names.find("Bread", "results", documents), names.find("x", "results", documents)
    ('bread', None)
    """

    def __init__(self) -> None:
        self._found: dict[str, str | None] = {}
        self._comparisons: Counter[str] = Counter()

    def find(self, name: str, kind: str, documents: Iterable[str]) -> str | None:
        """Return the name of the most similar document; None for later names of the same kind.

        Args:
            name: A name that no document has.
            kind: What has the name. Each kind has its own first names, so that they do not depend on
                other problems.
            documents: The names of all documents.
        """
        if name not in self._found:
            if self._comparisons[kind] == _MAX_COMPARISONS:
                return None
            self._comparisons[kind] += 1
            self._found[name] = nearest_name(name, islice(documents, _COMPARED_NAMES))
        return self._found[name]
