"""Arrange explanations as tables and trees."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from xcg.documents.tree import UNKNOWN, SizeUnit
from xcg.errors import XcgError, nearest, printable
from xcg.evaluation.explanation import Explanation
from xcg.evaluation.ideals import JudgedTree
from xcg.gains.reader import JudgedDocument
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
    labels = explanation.labels.get(file, {})
    return _tree_text(file, document, labels, size or explanation.size, width, ranks)


def ideal_tree(tree: JudgedTree, size: SizeUnit | None = None, width: int | None = None) -> str:
    """Write the tree of a document with assessments, ideal elements and sizes (KL, Figure 3).

    Args:
        tree: The document.
        size: The unit of sizes; by default the one of the user model.
        width: The width of the terminal, if the output is one.
    """
    title = f"{tree.file}, topic {tree.topic}, {tree.user_model}"
    return _tree_text(title, tree.document, tree.labels, size or tree.size, width)


def ideal_tree_records(tree: JudgedTree, size: SizeUnit | None = None) -> list[dict[str, object]]:
    """Return the elements of :func:`ideal_tree` as plain dicts, in document order.

    Fields: user_model, topic, file, path, assessment, score, ideal, size, unit, and ratio, the size
    divided by that of the parent.
    """
    named = {"user_model": tree.user_model, "topic": tree.topic, "file": tree.file}
    elements = _elements(tree.document, tree.labels, size or tree.size)
    return [named | element for element in elements.values()]


def _elements(
    document: JudgedDocument, labels: Mapping[int, str], unit: SizeUnit, ranked: Iterable[int] = ()
) -> dict[int, dict[str, Any]]:
    """Return row → element of a tree: assessed and retrieved elements and their ancestors.

    Args:
        document: The document.
        labels: Row → assessment.
        unit: The unit of sizes.
        ranked: The rows that were returned.
    """
    tree = document.tree
    included = {0}
    for row in (*labels, *ranked):
        included |= {row, *tree.ancestors(row)}
    sizes = [None if size == UNKNOWN else size for size in document.rows.sizes(unit)]
    elements = {}
    for row in sorted(included):
        size, whole = sizes[row], sizes[document.tree.parent[row]] if row else None
        elements[row] = {
            "path": tree.path(row),
            "assessment": labels.get(row, ""),
            "score": document.scores.get(row, 0.0 if row in labels else None),
            "ideal": row in document.ideal_scores,
            "size": size,
            "unit": unit,
            "ratio": size / whole if size is not None and whole else None,
        }
    return elements


def _tree_text(
    title: str,
    document: JudgedDocument,
    labels: Mapping[int, str],
    unit: SizeUnit,
    width: int | None,
    ranks: Mapping[int, Sequence[int]] = MappingProxyType({}),
) -> str:
    """Write the elements of :func:`_elements` as a tree below a title; ranks are those of a row."""
    from rich.text import Text
    from rich.tree import Tree

    nodes: dict[int, Tree] = {}
    elements = _elements(document, labels, unit, ranks)
    for row, one in elements.items():
        parts = [one["path"].rpartition("/")[2], one["assessment"]]
        if one["score"]:
            parts.append(f"{'ideal' if one['ideal'] else 'score'} {one['score']:.4g}")
        if row in ranks:
            parts.append("rank " + ", ".join(map(str, ranks[row])))
        if one["size"] is not None:
            ratio = one["ratio"]
            digits = "" if ratio is None else f"{ratio:.2f}" if ratio >= 0.005 else f"{ratio:.1g}"
            parts.append(f"{one['size']} {unit}{digits and f', {digits} of parent'}")
        label = Text(printable("  ".join(filter(None, parts))))
        nodes[row] = nodes[int(document.tree.parent[row])].add(label) if row else Tree(label)
    unknown = sum(one["size"] is None for one in elements.values())
    note = f"sizes of {unknown} elements are unknown; the corpus has them (--corpus)\n"
    text = rendered(nodes[0], Terminal(width or _WIDTH)) + (note if unknown else "")
    return f"{printable(title)}\n{text}"
