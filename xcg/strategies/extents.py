"""The extents of results in their document: which results contain or overlap each other."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence

from xcg.documents.corpus import Corpus
from xcg.documents.passage_points import Passage
from xcg.documents.paths import WHOLE
from xcg.documents.tree import ElementTree, UnknownPathError
from xcg.errors import InputError, MissingSizeError
from xcg.runs.run import UNKNOWN_SPAN, Ranking

Extent = tuple[int, int]
"""Start and end. One extent contains another if it includes its interval, and overlaps with it if they
intersect. An extent with start = end overlaps with nothing."""

NOTHING: Extent = (0, 0)
"""The extent of a result without text."""

MAX_OVERLAPPING = 20_000
"""Maximum number of results of a document that overlap, for strategies that compare all of them."""


def positions_by_document(ranking: Ranking) -> Mapping[str, list[int]]:
    """Return document → positions of its results, in rank order.

    Args:
        ranking: The ranking.

    >>> positions_by_document(Ranking.of([("a", "/", None), ("b", "/", None), ("a", "/s[1]", None)]))
    {'a': [0, 2], 'b': [1]}
    """
    found: dict[str, list[int]] = {}
    for position, file in enumerate(ranking.files):
        found.setdefault(file, []).append(position)
    return found


def extents(ranking: Ranking, positions: Sequence[int], corpus: Corpus | None) -> list[Extent]:
    """Return the extents of results of one document.

    The extents of elements come from their paths and need no document: an element contains itself and
    its descendants. Those of passages are in characters, and also those of elements if the results
    include passages with text; then elements need the document, as do passages by points.

    Args:
        ranking: The ranking.
        positions: The positions of results of one document.
        corpus: The documents.

    Returns:
        The extents in the order of the positions. Extents of different documents are not comparable.

    Raises:
        MissingSizeError: If the document is needed and there is no corpus.
        InputError: If the document cannot be read.

    >>> paths = ["/a[1]/s[2]", "/a[1]/s[2]/p[1]", "/"]
    >>> extents(Ranking.of([("d", path, None) for path in paths]), [0, 1, 2], None)
    [(1, 3), (2, 3), (0, 3)]
    """
    if len(positions) == 1:
        return [(0, 1)]
    if ranking.spans and any(
        isinstance(span, Passage) or (span != UNKNOWN_SPAN and span[0] < span[1])
        for span in map(ranking.spans.get, positions)
        if span is not None
    ):
        return [span or NOTHING for span in character_spans(ranking, positions, corpus)]
    return _extents_of_paths([ranking.paths[position] for position in positions])


def overlapping_groups(spans: Sequence[Extent], gap: int = -1) -> list[list[int]]:
    """Divide results so that those of different groups do not overlap.

    Args:
        spans: Their extents.
        gap: Results that are at most this far apart are in one group too.

    Returns:
        The indices of each group. A result without text is a group of its own.

    >>> overlapping_groups([(4, 9), (0, 5), (9, 12)]), overlapping_groups([(4, 9), (0, 4)], gap=0)
    ([[1, 0], [2]], [[1, 0]])
    """
    groups = [[index] for index, (start, end) in enumerate(spans) if start == end]
    with_text = [index for index, (start, end) in enumerate(spans) if start < end]
    last = -math.inf
    for index in sorted(with_text, key=lambda index: spans[index][0]):
        start, end = spans[index]
        if start - last > gap:
            groups.append([])
        groups[-1].append(index)
        last = max(last, end)
    return groups


def limited_groups(file: str, spans: Sequence[Extent]) -> list[list[int]]:
    """Return the groups of several results, see :func:`overlapping_groups`.

    Raises:
        InputError: If one has more than :data:`MAX_OVERLAPPING` results.
    """
    groups = [group for group in overlapping_groups(spans) if len(group) > 1]
    if any(len(group) > MAX_OVERLAPPING for group in groups):
        found = f"more than {MAX_OVERLAPPING:,} overlapping results"
        raise InputError(file, f"{found}; use unique before, or return fewer results")
    return groups


def _extents_of_paths(paths: Sequence[str]) -> list[Extent]:
    """Number the elements so that those inside an element follow it."""
    keys = paths
    if WHOLE in paths:  # the whole document is its root element
        root = root_path(paths)
        keys = [root if path == WHOLE else path for path in paths]
    # Descendants follow an element in alphabetical order, since its path ends with a bracket and theirs
    # go on with a slash, which "0" follows. An empty path is an illegal one: it names no element.
    ordered = sorted({*keys} - {""})
    found = {key: (row, bisect_left(ordered, f"{key}0", row)) for row, key in enumerate(ordered)}
    found[""] = NOTHING
    return [found[key] for key in keys]


def root_path(paths: Iterable[str]) -> str:
    """Return the root element of the first path; ``"/"`` if there are only whole documents.

    >>> root_path(["/", "/a[1]/s[2]"])
    '/a[1]'
    """
    first = next((path for path in paths if len(path) > 1), WHOLE)
    return "/" + first.split("/", 2)[1]


def character_spans(
    ranking: Ranking, positions: Sequence[int], corpus: Corpus | None
) -> list[Extent | None]:
    """Return the spans of results of one document in characters.

    Returns:
        The spans in the order of the positions; None for a result that does not exist, or whose text is
        unknown.

    Raises:
        MissingSizeError: If the document is needed and there is no corpus: for elements, and for
            passages by points.
        InputError: If the document cannot be read.
    """
    return [_characters(ranking, position, corpus) for position in positions]


def document_tree(file: str, corpus: Corpus | None) -> ElementTree | None:
    """Return the tree of a document, None if the corpus lacks it.

    Args:
        file: The name of the document.
        corpus: The documents.

    Raises:
        MissingSizeError: If there is no corpus.
        InputError: If the document cannot be read.

    >>> corpus = Corpus.of({"bees": "<a><b/></a>"})
    >>> document_tree("bees", corpus).paths, document_tree("ants", corpus)
    (['/a[1]', '/a[1]/b[1]'], None)
    """
    if corpus is None:
        raise MissingSizeError(file, "the strategy needs the document; give the corpus (--corpus)")
    return corpus.tree(file) if file in corpus else None


def _characters(ranking: Ranking, position: int, corpus: Corpus | None) -> Extent | None:
    file, path, span = ranking.files[position], ranking.paths[position], ranking.spans.get(position)
    if span is None and not path:
        return None
    if span is not None and not isinstance(span, Passage):
        return None if span == UNKNOWN_SPAN else span
    tree = document_tree(file, corpus)
    if tree is None:
        return None
    if min(tree.start[0], tree.characters[0]) < 0:
        raise MissingSizeError(file, "the strategy needs the text of the document; give the corpus")
    if span is not None:
        try:
            return span.characters(tree)
        except UnknownPathError:
            return None
    row = tree.find(path)
    return None if row is None else (int(tree.start[row]), int(tree.stop[row]))
