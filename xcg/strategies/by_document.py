"""The strategy ``by_document``: the results of one document after the other."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Annotated, Any, Literal

from xcg.documents.corpus import Corpus
from xcg.documents.paths import WHOLE, split_step
from xcg.errors import MissingSizeError, XcgError
from xcg.runs.run import ORACLE, UNKNOWN_SPAN, Ranking
from xcg.strategies.extents import character_spans, positions_by_document, root_path
from xcg.strategies.registry import STRATEGIES, strategies_of

Step = tuple[str, int]
"""Name and position of an element among its siblings with this name."""

_NOT_FIRST = ("by_document", ORACLE)


class OneStrategy:
    """The texts that name one strategy other than ``by_document`` and ``oracle``.

    >>> OneStrategy().expected("by_document")
    'another strategy than by_document and oracle'
    >>> OneStrategy().expected("top_rankd")
    "one strategy (unknown strategy 'top_rankd': did you mean 'top_ranked'?)"
    """

    def __str__(self) -> str:
        return "that names a strategy"

    def expected(self, value: str) -> str | None:
        """Return what was expected instead of a text; None if it is legal."""
        try:
            found = strategies_of(value)
        except XcgError as error:
            return f"one strategy ({error})"
        if len(found) > 1:
            return f"one strategy, not {len(found)}"
        if found[0].name in _NOT_FIRST:
            return f"another strategy than {' and '.join(_NOT_FIRST)}"
        return None


@STRATEGIES.register("by_document")
def by_document(
    ranking: Ranking,
    corpus: Corpus | None = None,
    *,
    order: Literal["text", "rank"] = "text",
    first: Annotated[str, OneStrategy()] = "top_ranked",
) -> Ranking:
    """Order documents by their best result, and list each document's results in text order.

    These are INEX's in-context tasks (Relevant in Context).

    Text order is document order, an element before its descendants. Passages, and elements of documents
    that also have passages as results, are ordered by their start, the longer first. Results that do
    not exist, and those with an unknown span, follow in rank order.

    Args:
        ranking: The results of one topic.
        corpus: The documents, if ``first`` needs them, or the order of elements is not known from their
            paths: the order of /a/p[1] and /a/fig[1] is in the document.
        order: ``text``, or ``rank`` to list each document's results by rank.
        first: The strategy that is applied first, such as ``thorough`` or ``"controlled(ancestor=0)"``.

    Raises:
        MissingSizeError: If a document is needed and there is no corpus.

    >>> from xcg.runs.run import Run
    >>> results = ["d#/a/s[10]", "e#/b/p[2]", "e#/b/p[1]", "d#/a/s[9]", "d#/a"]
    >>> ranking = Run.of("bm25", {"1": results}).rankings["1"]
    >>> by_document(ranking).paths
    ['/a[1]/s[9]', '/a[1]/s[10]', '/b[1]/p[1]', '/b[1]/p[2]']
    >>> by_document(ranking, order="rank", first="thorough").paths
    ['/a[1]/s[10]', '/a[1]/s[9]', '/a[1]', '/b[1]/p[2]', '/b[1]/p[1]']
    """
    (strategy,) = strategies_of(first)
    ranking = strategy.function(ranking, corpus)
    listed: list[int] = []
    for positions in positions_by_document(ranking).values():
        listed += positions if order == "rank" else _in_text_order(ranking, positions, corpus)
    return ranking if listed == sorted(listed) else ranking.select(listed)


def _in_text_order(ranking: Ranking, positions: Sequence[int], corpus: Corpus | None) -> Sequence[int]:
    """Return the positions of results of one document in text order."""
    if len(positions) == 1:
        return positions
    if all(ranking.spans.get(position, UNKNOWN_SPAN) == UNKNOWN_SPAN for position in positions):
        keys = _keys_of_elements(ranking, positions, corpus)
    else:
        keys = {
            position: (span[0], -span[1], ranking.paths[position].count("/"))
            for position, span in zip(
                positions, character_spans(ranking, positions, corpus), strict=True
            )
            if span is not None
        }
    known = sorted(keys, key=keys.__getitem__)  # results with equal keys stay in rank order
    return [*known, *(position for position in positions if position not in keys)]


def _keys_of_elements(
    ranking: Ranking, positions: Sequence[int], corpus: Corpus | None
) -> dict[int, Any]:
    """Return position → sort key, from the paths; from the document if siblings have other names."""
    paths = {position: ranking.paths[position] for position in positions if ranking.paths[position]}
    root = root_path(paths.values())
    paths = {position: root if path == WHOLE else path for position, path in paths.items()}
    keys = {path: tuple(map(split_step, path.split("/")[1:])) for path in set(paths.values())}
    ordered = sorted(keys, key=keys.__getitem__)
    pairs = (_siblings_with_other_names(keys[one], keys[other]) for one, other in pairwise(ordered))
    siblings = next((pair for pair in pairs if pair is not None), None)
    if siblings is None:
        return {position: keys[path] for position, path in paths.items()}
    file = ranking.files[positions[0]]
    tree = None if corpus is None or file not in corpus else corpus.tree(file)
    if corpus is None or (tree is not None and tree.start[0] < 0):
        one, other = (f"{name[:40]}[{number}]" for name, number in siblings)
        raise MissingSizeError(
            file,
            f"the paths do not tell the order of the siblings {one} and {other}; give the corpus "
            "(--corpus)",
        )
    if tree is None:
        return {}
    return {position: row for position, path in paths.items() if (row := tree.find(path)) is not None}


def _siblings_with_other_names(one: Sequence[Step], other: Sequence[Step]) -> tuple[Step, Step] | None:
    """Return the first different steps of two paths if their names differ."""
    for pair in zip(one, other, strict=False):
        if pair[0] != pair[1]:
            return pair if pair[0][0] != pair[1][0] else None
    return None
