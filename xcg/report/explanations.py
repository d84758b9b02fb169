"""Arrange explanations as tables and trees."""

from __future__ import annotations

import math
from collections.abc import Iterable

from xcg.errors import printable
from xcg.evaluation.explanation import Explanation
from xcg.evaluation.ideals import TreeElement
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


_STEPS = (
    Column("rank", kind="count", is_key=True, meaning="a rank with gain"),
    Column("gain", kind="score"),
    Column("xCG", kind="score", meaning="the sum of the gains"),
    Column("xCI", kind="score", meaning="the sum of the ideal gains"),
    Column("nxCG", kind="score", meaning="xCG / xCI"),
    Column("ideal rank", kind="score", meaning="where the ideal ranking has gained xCG"),
    Column("ep", kind="score", meaning="effort-precision: ideal rank / rank"),
)


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
    if steps := [list(step) for step in explanation.derivation.steps]:
        blocks += ["\nhow nxCG and MAep follow from the gains\n", Table(_STEPS, steps)]
    return [*blocks, "\n" * (not steps), Prose(f"{explanation.derivation.sentence}.\n")]


def _short_path(explanation: Explanation, file: str, path: str) -> str:
    """Return the shortest unambiguous path of an element, or the characters of a gold span."""
    tree = explanation.trees.get(file)
    return path if tree is None or path not in tree else tree.short_path(tree.row(path))


def tree_text(elements: Iterable[TreeElement], width: int | None = None) -> str:
    """Draw the elements of a document as a tree, with assessments, scores and sizes.

    Args:
        elements: The elements, each after its parent.
        width: The width of the terminal, if the output is one.
    """
    from rich.text import Text
    from rich.tree import Tree

    nodes: dict[str, Tree] = {}
    unknown = 0
    for one in elements:
        above, _, step = one.path.rpartition("/")
        parts = [step, one.assessment]
        if one.score:
            parts.append(f"{'ideal' if one.ideal else 'score'} {one.score:.4g}")
        if one.size is None:
            unknown += 1
        else:
            share = "" if one.ratio is None else f", {one.ratio:.2g} of parent"
            parts.append(f"{one.size} {one.unit}{share}")
        label = Text(printable("  ".join(filter(None, parts))))
        nodes[one.path] = nodes[above].add(label) if above else Tree(label)
        title = printable(f"{one.file}, topic {one.topic}, {one.user_model}")
    note = f"sizes of {unknown} elements are unknown; the corpus has them (--corpus)\n"
    tree = rendered(next(iter(nodes.values())), Terminal(width or _WIDTH))
    return f"{title}\n{tree}" + note * bool(unknown)
