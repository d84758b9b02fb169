"""Arrange explanations as tables, and as data of the HTML report with the documents that they name."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from xcg.documents.paths import WHOLE
from xcg.documents.tree import ElementTree
from xcg.errors import XcgError, printable
from xcg.evaluation.explain import explain
from xcg.evaluation.explanation import ExplainedResult, Explanation, MissedElement
from xcg.evaluation.inputs import Inputs
from xcg.report.html_statistics import Json, ReportContext
from xcg.runs.run import Run
from xcg.statistics.topic_scores import best_first
from xcg.tables import Column, Table
from xcg.terminal_tables import Block, Prose

# Limits on the size of the file.
MAX_RUNS = 12
"""If there are more runs, only the best are explained."""
BEST_RUNS = 3
MAX_MODELS = 6
MAX_RESULTS = 100
"""Results of each ranking that are explained."""
MAX_TEXT = 300
"""Characters of text kept for each node."""
MAX_TOTAL_TEXT = 5_000_000
"""Characters of text kept for all documents."""

Span = tuple[int, int, str]

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


def explanation_data(context: ReportContext, explained: int) -> Json:
    """Return topic → documents, and user model → run → results.

    Args:
        context: The evaluated campaign.
        explained: How many topics, the first ones, are explained.
    """
    inputs = context.inputs
    topics = list(context.topics[: max(0, explained)])
    runs, rule = _explained_runs(context)
    models = inputs.user_models[:MAX_MODELS]
    longest = max((len(run.rankings.get(t, ())) for run in runs for t in topics), default=0)
    if len(topics) < len(context.topics):
        rule.append(
            f"The first {len(topics)} of {len(context.topics)} topics are explained, in the order of "
            "the assessments; report.explained sets the number."
        )
    if len(models) < (count := len(inputs.user_models)):
        rule.append(f"The first {len(models)} of {count} user models are explained.")
    if longest > MAX_RESULTS:
        rule.append(f"The first {MAX_RESULTS} results of each ranking are explained.")
    words: dict[str, int] = {}
    found = []
    room = MAX_TOTAL_TEXT if inputs.documents is not None else 0
    for topic in topics:
        only = Inputs(
            inputs.recall_base, runs, inputs.documents, lenient=inputs.lenient, topics=[topic]
        )
        explanations: list[str | Sequence[Explanation]] = []
        for model in models:
            try:
                explanations.append(explain(replace(only, user_model=[model]), topic))
            except XcgError as error:
                explanations.append(str(error))
        one, room = _topic_data(explanations, room, words)
        found.append({"topic": topic, **one})
        context.steps.advance(1)
    if room <= 0 and inputs.documents is not None:
        rule.append("To keep this file small, the text of further documents is left out.")
    return {
        "rule": rule,
        "runs": [run.name for run in runs],
        "models": [model.name for model in models],
        "topics": found,
        "words": list(words),
    }


def _explained_runs(context: ReportContext) -> tuple[list[Run], list[str]]:
    """Return all runs, or the best if there are many, with a sentence on it."""
    runs = context.inputs.loaded_runs
    if len(runs) <= MAX_RUNS:
        rest = f"with more than {MAX_RUNS} runs, only the best {BEST_RUNS} would be."
        return list(runs), [f"All runs are explained; {rest}"]
    model, measure = context.inputs.user_models[0].name, context.results.measures[0]
    best = best_first(context.results, measure, model)[:BEST_RUNS]
    rule = (
        f"The best {BEST_RUNS} of {len(runs)} runs are explained, by {measure} under {model}, because "
        f"there are more than {MAX_RUNS}."
    )
    named = {run.name: run for run in runs}
    return [named[name] for name in best], [rule]


def _topic_data(
    models: Sequence[str | Sequence[Explanation]], room: int, words: dict[str, int]
) -> tuple[Json, int]:
    """Return the explanations of a topic, and how many characters of text still have room.

    Args:
        models: For each user model the explanations of the runs, or the reason if there are none.
        room: How many characters have room.
        words: Text → its index; new texts are added.
    """
    rows: dict[str, set[int]] = {}  # what explanations name
    labels: dict[str, Mapping[int, str]] = {}
    marks: dict[str, Sequence[Span]] = {}
    trees: dict[str, ElementTree] = {}
    for one in (one for model in models if not isinstance(model, str) for one in model):
        trees.update(one.trees)
        for file in one.trees:
            labels[file], marks[file] = one.labels.get(file, {}), one.marks.get(file, ())
            ideal = (row for row, (_, is_ideal) in one.scores.get(file, {}).items() if is_ideal)
            rows.setdefault(file, set()).update(labels[file], ideal)
        items: list[ExplainedResult | MissedElement] = [*one.results[:MAX_RESULTS], *one.missed]
        for item in items:
            if item.file in trees and (row := _displayed_row(trees[item.file], item)) is not None:
                rows[item.file].add(row)
    outlines: dict[str, _Outline] = {}
    for file, tree in trees.items():
        outlines[file] = _Outline(tree, rows[file], marks[file], tree.text if room > 0 else "")
        room -= sum(len(text) for _, _, text in outlines[file].nodes)
    data: Json = {
        "documents": [
            {"file": file, "nodes": one.nodes, "labels": one.labels(labels[file])}
            for file, one in outlines.items()
        ],
        "models": [
            {"missing": model}
            if isinstance(model, str)
            else {
                "scores": [one.scores(model[0].scores.get(file, {})) for file, one in outlines.items()],
                "ideal_gain": model[0].ideal_gain,
                "runs": [_ranking_data(one, outlines, words) for one in model],
            }
            for model in models
        ],
    }
    return data, room


def _ranking_data(
    explanation: Explanation, outlines: Mapping[str, _Outline], words: dict[str, int]
) -> Json:
    numbers = {file: number for number, file in enumerate(outlines)}
    derivation, length = explanation.derivation, len(explanation.results)
    results = []
    for result in explanation.results[:MAX_RESULTS]:
        if result.file in explanation.trees:
            tree = outlines[result.file].tree
            row = _displayed_row(tree, result)
            results.append(
                [
                    result.rank,
                    numbers[result.file],
                    outlines[result.file].node_of[row] if row is not None else -1,
                    words.setdefault(result.path, len(words)),
                    result.seen,
                    result.through,
                    result.gain,
                    words.setdefault(result.why, len(words)),
                    int(row is not None and _shows_all(tree, row, result)),
                ]
            )
    return {
        "length": length,
        "shown": min(length, MAX_RESULTS),
        "results": results,
        "steps": [step for step in derivation.steps if step.rank <= MAX_RESULTS],
        "sum": derivation.sentence,
        "missed": [
            [
                numbers[one.file],
                outlines[one.file].node_of[_displayed_row(outlines[one.file].tree, one)],
            ]
            for one in explanation.missed
        ],
    }


def _displayed_row(tree: ElementTree, item: ExplainedResult | MissedElement) -> int | None:
    """Return the element of a result or a gold span: itself, or the smallest element around it."""
    if item.path == WHOLE:
        return 0
    if item.path in tree:
        return tree.row(item.path)
    if item.span is None or item.span[0] == item.span[1] or item.span[0] < 0:
        return None
    return tree.smallest_element(*item.span)


def _shows_all(tree: ElementTree, row: int, result: ExplainedResult) -> bool:
    """Return whether a result shows all text of the element at which it is displayed."""
    if result.span is None or result.path in tree:
        return True
    start, end = result.span
    return not (tree.text[tree.start[row] : start] + tree.text[end : tree.stop[row]]).strip()


class _Outline:
    """A document as nodes in document order: (index of the parent, name, text).

    Named elements and their ancestors are nodes. So is the text between them, in pieces that begin or
    end where the text of a nugget or gold span does; text of an element without other nodes is its own.

    Args:
        tree: The elements.
        rows: The rows of named elements.
        marks: Start, end and label of nuggets and gold spans.
        text: The text, empty if it is left out.
    """

    def __init__(self, tree: ElementTree, rows: set[int], marks: Sequence[Span], text: str) -> None:
        self.tree = tree
        self.nodes: list[tuple[int, str, str]] = []
        self.node_of: dict[int | None, int] = {}  # row → node
        self._marks = marks
        self._texts: list[tuple[int, int, int]] = []  # start, end, node
        cuts = sorted({offset for mark in marks for offset in mark[:2]})
        position = 0
        open_rows: list[int] = []

        def add_text(stop: int) -> None:
            nonlocal position
            inside = cuts[bisect_right(cuts, position) : bisect_left(cuts, stop)]
            for low, high in pairwise([position, *inside, stop]):
                if line := " ".join(text[low:high].split()):
                    shown = line if len(line) <= MAX_TEXT else f"{line[:MAX_TEXT].rstrip()} …"
                    self._texts.append((low, high, len(self.nodes)))
                    self.nodes.append((self.node_of[open_rows[-1]], "", shown))
            position = stop

        shown = {0}
        for named in rows:
            row = named
            while row not in shown:  # not all ancestors of each row: documents can be deep
                shown.add(row)
                row = int(tree.parent[row])
        for row in [*sorted(shown), len(tree)]:
            while open_rows and row >= tree.end[open_rows[-1]]:
                add_text(int(tree.stop[open_rows[-1]]))
                node = self.node_of[open_rows.pop()]
                if node == len(self.nodes) - 2 and not self.nodes[-1][1]:  # has only a text
                    self.nodes[node:] = [(*self.nodes[node][:2], self.nodes[-1][2])]
                    self._texts[-1] = (*self._texts[-1][:2], node)
            if row < len(tree):
                if open_rows:
                    add_text(int(tree.start[row]))
                parent = self.node_of[open_rows[-1]] if open_rows else -1
                self.node_of[row] = len(self.nodes)
                self.nodes.append((parent, f"{tree.tag(row)}[{int(tree.positions[row])}]", ""))
                open_rows.append(row)
                position = int(tree.start[row])

    def labels(self, of_rows: Mapping[int, str]) -> list[tuple[int, str]]:
        """Return the nodes of assessed elements and relevant texts, with their labels."""
        found = {self.node_of[row]: [label] for row, label in of_rows.items()}
        for start, end, label in self._marks:
            for low, high, node in self._texts:
                if start <= low and high <= end:
                    found.setdefault(node, []).append(label)
        return [(node, ", ".join(dict.fromkeys(labels))) for node, labels in sorted(found.items())]

    def scores(self, of_rows: Mapping[int, tuple[float, bool]]) -> list[tuple[int, float, int]]:
        """Return node, score, and 1 if the element is ideal."""
        scored = sorted(of_rows.keys() & self.node_of.keys())
        return [(self.node_of[row], of_rows[row][0], int(of_rows[row][1])) for row in scored]
