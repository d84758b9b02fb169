"""Explanations for a terminal, by rich (the extra ``xcg[rich]``)."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

from xcg.errors import XcgError, nearest
from xcg.evaluation.explain import Explanation

if TYPE_CHECKING:
    from rich.tree import Tree

_WIDTH = 150  # characters, where nobody says how wide a terminal is


def ranking_table(found: Explanation) -> str:
    """Return an explanation as a table, rank by rank, and what was missed below it."""
    table = _rich("table").Table(
        title=f"{found.run}, topic {found.topic}, {found.user_model}", title_justify="left"
    )
    for name in ("rank", "element", "(e,s)", "score", "seen", "left of ideal", "gain", "why"):
        numbers = name in ("rank", "score", "gain")
        table.add_column(name, justify="right" if numbers else "left", overflow="fold")
    for result in found.results:
        seen: str = result.seen
        if result.through:
            seen += " (" + ", ".join(map(str, result.through)) + ")"
        left = ", ".join(f"{i.path.rpartition('/')[2]} {i.left:.4g}" for i in result.related)
        table.add_row(
            str(result.rank),
            f"{result.file}\n{result.path}",
            result.assessment,
            f"{result.score:.4g}",
            seen,
            left,
            f"{result.gain:.4g}",
            result.why,
        )
    total = sum(result.gain for result in found.results)
    text = _rendered(table) + f"gained {total:.4g} of {found.ideal_gain:.4g}\n"
    if found.missed:
        missed = _rich("table").Table(title="ideal elements that were missed", title_justify="left")
        for name in ("element", "(e,s)", "score"):
            missed.add_column(name, overflow="fold")
        for element in found.missed:
            missed.add_row(
                f"{element.file}  {element.path}", element.assessment, f"{element.score:.4g}"
            )
        text += _rendered(missed)
    return text


def document_tree(found: Explanation, file: str) -> str:
    """Return a document's tree with assessments, ideal elements and the ranks of its results.

    Elements with nothing to say below them are left out. Raises XcgError for a document without
    assessed elements.
    """
    if file not in found.judged:
        raise XcgError(f"no relevant element in {file!r}: {nearest(file, found.judged)}")
    document = found.judged[file]
    tree, labels = document.tree, found.labels.get(file, {})
    ranks: dict[int, list[int]] = {}
    for result in found.results:
        if result.file == file and result.path in tree:
            ranks.setdefault(tree.row(result.path), []).append(result.rank)
    wanted = {0}
    for row in (*labels, *ranks):
        wanted |= {row, *tree.ancestors(row)}
    nodes: dict[int, Tree] = {}
    for row in sorted(wanted):
        step = tree.path(row).rpartition("/")[2]
        words = [step, labels.get(row, "")]
        if row in document.ideal_scores:
            words.append(f"ideal {document.ideal_scores[row]:.4g}")
        elif row in document.scores:
            words.append(f"score {document.scores[row]:.4g}")
        if row in ranks:
            words.append("rank " + ", ".join(map(str, ranks[row])))
        label = _rich("text").Text("  ".join(word for word in words if word))
        above = document.parent[row]
        if above < 0:
            nodes[row] = _rich("tree").Tree(label)
        else:
            nodes[row] = nodes[above].add(label)
    return f"{file}\n" + _rendered(nodes[0])


def _rich(module: str) -> Any:
    import importlib

    try:
        return importlib.import_module(f"rich.{module}")
    except ImportError:
        raise XcgError("explanations need rich: pip install 'xcg[rich]'") from None


def _rendered(what: object) -> str:
    stream = io.StringIO()
    console = _rich("console").Console(file=stream, width=_WIDTH, color_system=None)
    console.print(what)
    return "".join(line.rstrip() + "\n" for line in stream.getvalue().splitlines())
