"""Write explanations for a terminal."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from xcg.errors import XcgError, nearest
from xcg.evaluation.explanation import Explanation

if TYPE_CHECKING:
    from rich.table import Table
    from rich.tree import Tree

_WIDTH = 150
"""Characters; the output is the same for every terminal."""


def ranking_table(explanation: Explanation) -> str:
    """Write an explanation as a table of ranks, followed by the missed elements."""
    table = _table(
        f"{explanation.run}, topic {explanation.topic}, {explanation.user_model}",
        ["rank", "element", "(e,s)", "score", "seen", "left of ideal", "gain", "why"],
        numeric=["rank", "score", "gain"],
    )
    for result in explanation.results:
        remaining = (f"{i.path.rpartition('/')[2]} {i.left:.4g}" for i in result.related)
        table.add_row(
            str(result.rank),
            f"{result.file}\n{result.path}",
            result.assessment,
            f"{result.score:.4g}",
            result.seen + (f" ({', '.join(map(str, result.through))})" if result.through else ""),
            ", ".join(remaining),
            f"{result.gain:.4g}",
            result.why,
        )
    total = sum(result.gain for result in explanation.results)
    text = _render(table) + f"gained {total:.4g} of {explanation.ideal_gain:.4g}\n"
    if explanation.missed:
        missed = _table("ideal elements that were missed", ["element", "(e,s)", "score"])
        for element in explanation.missed:
            missed.add_row(
                f"{element.file}  {element.path}", element.assessment, f"{element.score:.4g}"
            )
        text += _render(missed)
    return text


def document_tree(explanation: Explanation, file: str) -> str:
    """Write the tree of a document with assessments, ideal elements and ranks of results.

    Only these elements and their ancestors are included.

    Raises:
        XcgError: If the document has no assessed elements.
    """
    from rich.text import Text
    from rich.tree import Tree

    if file not in explanation.judged:
        raise XcgError(f"no relevant element in {file!r}: {nearest(file, explanation.judged)}")
    document = explanation.judged[file]
    tree, labels = document.tree, explanation.labels.get(file, {})
    ranks: dict[int, list[int]] = {}
    for result in explanation.results:
        if result.file == file and result.path in tree:
            ranks.setdefault(tree.row(result.path), []).append(result.rank)
    included = {0}
    for row in (*labels, *ranks):
        included |= {row, *tree.ancestors(row)}
    nodes: dict[int, Tree] = {}
    for row in sorted(included):
        parts = [tree.path(row).rpartition("/")[2], labels.get(row, "")]
        if row in document.ideal_scores:
            parts.append(f"ideal {document.ideal_scores[row]:.4g}")
        elif row in document.scores:
            parts.append(f"score {document.scores[row]:.4g}")
        if row in ranks:
            parts.append("rank " + ", ".join(map(str, ranks[row])))
        label = Text("  ".join(filter(None, parts)))
        parent = document.parent[row]
        nodes[row] = Tree(label) if parent < 0 else nodes[parent].add(label)
    return f"{file}\n" + _render(nodes[0])


def _table(title: str, heading: list[str], numeric: list[str] | None = None) -> Table:
    from rich.table import Table

    table = Table(title=title, title_justify="left")
    for name in heading:
        justify = "right" if name in (numeric or ()) else "left"
        table.add_column(name, justify=justify, overflow="fold")  # type: ignore[arg-type]
    return table


def _render(content: Table | Tree) -> str:
    from rich.console import Console

    stream = io.StringIO()
    # Texts come from input files, so they must not be interpreted as markup.
    console = Console(file=stream, width=_WIDTH, color_system=None, markup=False, emoji=False)
    console.print(content)
    return "".join(line.rstrip() + "\n" for line in stream.getvalue().splitlines())
