"""Arrange explanations as tables and trees."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from xcg.documents.tree import UNKNOWN, SizeUnit
from xcg.errors import XcgError, nearest, printable
from xcg.evaluation.explanation import Explanation
from xcg.evaluation.ideals import JudgedTree
from xcg.gains.element_reader import JudgedDocument
from xcg.tables import Column, Table
from xcg.terminal_tables import Block, Prose, Terminal, rendered

_WIDTH = 150
"""Characters of a tree in a file or a pipe."""


_RESULTS = (
    Column("rank", kind="count", is_key=True),
    Column("element", kind="text"),
    Column("(e,s)", kind="text", priority=1, meaning="exhaustivity and specificity"),
    Column("score", priority=1, meaning="the gain if nothing had been seen before"),
    Column(
        "seen", kind="text", priority=2, meaning="how much earlier results had shown, and their ranks"
    ),
    Column("left of ideal", kind="text", priority=3, meaning="what ideal elements could still give"),
    Column("gain", kind="score"),
    Column("why", kind="text"),
)
_MISSED = (
    Column("element", kind="text", is_key=True),
    Column("(e,s)", kind="text"),
    Column("score", kind="score"),
)


NO_DERIVATION = (
    "effort is counted in text, so MAep is computed over the text that is read, not over ranks"
)
"""What stands in the place of a derivation."""
_STEPS = (
    Column("rank", kind="count", is_key=True, meaning="a rank with gain"),
    Column("gain", kind="score"),
    Column("xCG", kind="score", meaning="the sum of the gains"),
    Column("xCI", kind="score", meaning="the sum of the ideal gains"),
    Column("nxCG", kind="score", meaning="xCG / xCI"),
    Column("ideal rank", kind="score", meaning="where the ideal ranking has gained xCG"),
    Column("ep", kind="score", meaning="effort-precision: ideal rank / rank"),
)


def topic_heading(topic: str, titles: Mapping[str, str]) -> list[Block]:
    """Return a topic with its title, and nothing without a title."""
    return [Prose(printable(f"topic {topic}: {titles[topic]}") + "\n"), "\n"] if topic in titles else []


def ranking_tables(explanation: Explanation) -> list[Block]:
    """Return an explanation as a table of ranks, followed by the missed elements."""
    rows = [
        (
            result.rank,
            f"{result.file} {result.path}",
            result.assessment,
            float(result.score),
            result.seen + (f" ({', '.join(map(str, result.through))})" if result.through else ""),
            ", ".join(
                f"{_short_path(explanation, result.file, i.path)} {i.left:.4g}" for i in result.related
            ),
            float(result.gain),
            result.why,
        )
        for result in explanation.results
    ]
    total = math.fsum(result.gain for result in explanation.results)
    title = (
        f"{explanation.run}, topic {explanation.topic}, {explanation.user_model}: "
        f"gained {total:.4f} of {explanation.ideal_gain:.4f}"
    )
    settings = ", ".join(f"{key} {value}" for key, value in explanation.settings.items())
    blocks: list[Block] = [Prose(printable(title) + "\n")]
    blocks += [Prose(printable(settings) + "\n"), Table(_RESULTS, rows)]
    if explanation.missed:
        missed = [(f"{m.file} {m.path}", m.assessment, float(m.score)) for m in explanation.missed]
        blocks += ["\nideal elements that were missed\n", Table(_MISSED, missed)]
    if explanation.derivation is None:
        return [*blocks, "\n", Prose(f"{NO_DERIVATION}.\n")]
    steps = [list(step) for step in explanation.derivation.steps]
    return [
        *blocks,
        "\nhow nxCG and MAep follow from the gains\n",
        Table(_STEPS, steps),
        Prose(f"{explanation.derivation.sentence}.\n"),
    ]


def _short_path(explanation: Explanation, file: str, path: str) -> str:
    """Return the shortest unambiguous path of an element, or the characters of a gold span."""
    document = explanation.judged.get(file)
    if document is None or path not in document.tree:
        return path
    return document.tree.short_path(document.tree.row(path))


def document_tree(
    explanation: Explanation, file: str, size: SizeUnit | None = None, width: int | None = None
) -> str:
    """Write the tree of a document with assessments, ideal elements, sizes and ranks of results.

    Only these elements and their ancestors are included.

    Args:
        explanation: The explanation of a ranking.
        file: The document.
        size: The unit of sizes; by default the one of the user model.
        width: The width of the terminal, if the output is one.

    Raises:
        XcgError: If the document has no assessed elements.
    """
    if file not in explanation.judged:
        raise XcgError(f"no relevant element in {file!r}: {nearest(file, explanation.judged)}")
    document = explanation.judged[file]
    ranks: dict[int, list[int]] = {}
    for result in explanation.results:
        if result.file == file and result.path in document.tree:
            ranks.setdefault(document.tree.row(result.path), []).append(result.rank)
    rows = _element_rows(document, explanation.labels.get(file, {}), size or explanation.size, ranks)
    return f"{printable(file)}\n{_element_tree(rows, width or _WIDTH)}"


def ideal_tree(tree: JudgedTree, size: SizeUnit | None = None, width: int | None = None) -> str:
    """Write the tree of a document with assessments, ideal elements and sizes (KL, Figure 3).

    Args:
        tree: The document.
        size: The unit of sizes; by default the one of the user model.
        width: The width of the terminal, if the output is one.
    """
    rows = _element_rows(tree.document, tree.labels, size or tree.size)
    title = f"{tree.file}, topic {tree.topic}, {tree.user_model}"
    return f"{printable(title)}\n{_element_tree(rows, width or _WIDTH)}"


def ideal_tree_records(tree: JudgedTree, size: SizeUnit | None = None) -> list[dict[str, object]]:
    """Return the elements of :func:`ideal_tree` as plain dicts, in document order.

    Fields: user_model, topic, file, path, assessment, score, ideal, size, unit, and ratio, the size
    divided by that of the parent.
    """
    fields = ("path", "assessment", "score", "ideal", "size", "unit", "ratio")
    return [
        {"user_model": tree.user_model, "topic": tree.topic, "file": tree.file}
        | {field: getattr(row, field) for field in fields}
        for row in _element_rows(tree.document, tree.labels, size or tree.size)
    ]


class _ElementRow(NamedTuple):
    """An assessed or retrieved element, or an ancestor of one, in a tree.

    Attributes:
        row: The row in the tree of the document.
        parent: The row of the parent, -1 for the root.
        assessment: The assessment as the papers write it, empty without one.
        score: The quantised score; None without an assessment.
        ideal: Whether the element is ideal.
        size: The size; None if it is unknown.
        unit: The unit of the size.
        ratio: The size divided by that of the parent; None for the root or an unknown size.
        ranks: The ranks at which it was returned.
    """

    row: int
    parent: int
    path: str
    assessment: str
    score: float | None
    ideal: bool
    size: int | None
    unit: SizeUnit
    ratio: float | None
    ranks: Sequence[int]


def _element_rows(
    document: JudgedDocument,
    labels: Mapping[int, str],
    unit: SizeUnit,
    ranks: Mapping[int, Sequence[int]] = MappingProxyType({}),
) -> list[_ElementRow]:
    """Return the elements that a tree shows, in document order.

    Args:
        document: The document.
        labels: Row → assessment.
        unit: The unit of sizes.
        ranks: Row → the ranks at which it was returned.
    """
    tree = document.tree
    included = {0}
    for row in (*labels, *ranks):
        included |= {row, *tree.ancestors(row)}
    sizes = [None if size == UNKNOWN else size for size in document.sizes(unit)]
    rows = []
    for row in sorted(included):
        parent = document.parent[row]
        size, whole = sizes[row], sizes[parent] if parent >= 0 else None
        rows.append(
            _ElementRow(
                row,
                parent,
                tree.path(row),
                labels.get(row, ""),
                document.scores.get(row, 0.0 if row in labels else None),
                row in document.ideal_scores,
                size,
                unit,
                size / whole if size is not None and whole else None,
                ranks.get(row, ()),
            )
        )
    return rows


def _element_tree(rows: Sequence[_ElementRow], width: int) -> str:
    from rich.text import Text
    from rich.tree import Tree

    nodes: dict[int, Tree] = {}
    for row in rows:
        parts = [row.path.rpartition("/")[2], row.assessment]
        if row.score:
            parts.append(f"{'ideal' if row.ideal else 'score'} {row.score:.4g}")
        if row.ranks:
            parts.append("rank " + ", ".join(map(str, row.ranks)))
        if row.size is not None:
            ratio = row.ratio if row.ratio is not None else 0.0
            digits = f"{ratio:.2f}" if ratio >= 0.005 else f"{ratio:.1g}"
            share = f", {digits} of parent" if row.ratio is not None else ""
            parts.append(f"{row.size} {row.unit}{share}")
        label = Text(printable("  ".join(filter(None, parts))))
        nodes[row.row] = Tree(label) if row.parent < 0 else nodes[row.parent].add(label)
    unknown = sum(row.size is None for row in rows)
    note = f"sizes of {unknown} elements are unknown; the corpus has them (--corpus)\n"
    return rendered(nodes[0], Terminal(width)) + (note if unknown else "")
