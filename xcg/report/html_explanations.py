"""Collect the explanations of the HTML report and the documents that they name, and encode them."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from xcg.documents.paths import WHOLE
from xcg.documents.tree import ElementTree
from xcg.errors import XcgError
from xcg.evaluation.explain import explain
from xcg.evaluation.explanation import ExplainedResult, Explanation, MissedElement
from xcg.evaluation.inputs import Inputs
from xcg.gains.element_reader import JudgedDocument
from xcg.report.explanations import NO_DERIVATION
from xcg.report.html_statistics import Json, ReportContext
from xcg.runs.run import Run
from xcg.statistics.topic_scores import best_first
from xcg.user_model.model import UserModel

# Limits on the size of the file.
MAX_RUNS = 12
"""If there are more runs, only the best are explained."""
BEST_RUNS = 3
MAX_MODELS = 6
MAX_RESULTS = 50_000
MIN_DEPTH = 50
"""Results of each ranking that are explained in any case."""
MAX_TEXT = 300
"""Characters of text kept for each node."""
MAX_TOTAL_TEXT = 5_000_000
"""Bytes of text kept for all documents."""
MAX_NODES = 150_000
"""Nodes after which documents have no text."""

_SEEN_CODES = {"no": 0, "partly": 1, "fully": 2}


def explanation_data(context: ReportContext, explained: int) -> Json:
    """Return documents, and topic → user model → run → results.

    Args:
        context: The evaluated campaign.
        explained: How many topics, the first ones, are explained.
    """
    inputs, limits = context.inputs, context.limits
    topics = list(context.topics[: max(0, explained)])
    before = len(limits)
    runs = _explained_runs(context)
    models = inputs.user_models[:MAX_MODELS]
    rankings = max(1, len(runs) * len(models) * len(topics))
    longest = max((len(run.rankings.get(t, ())) for run in runs for t in topics), default=0)
    depth = max(MIN_DEPTH, MAX_RESULTS // rankings)
    if len(topics) < len(context.topics):
        limits.append(
            f"The first {len(topics)} of {len(context.topics)} topics are explained, in the order of "
            "the assessments; report.explained sets the number."
        )
    if len(models) < (count := len(inputs.user_models)):
        limits.append(f"The first {len(models)} of {count} user models are explained.")
    if depth < longest:
        limits.append(f"The first {depth} results of each ranking are explained.")
    rule = limits[before:]
    if len(runs) == len(inputs.loaded_runs):
        other = f"with more than {MAX_RUNS} runs, only the best {BEST_RUNS} would be."
        rule.insert(0, f"All runs are explained; {other}")
    documents: dict[tuple[str, str], _Document] = {}
    words: dict[str, int] = {}
    explained_topics = []
    for topic in topics:
        explained_topics.append(_ExplainedTopic(context, topic, documents, depth, runs, models))
        context.steps.advance(1)
    return {
        "rule": rule,
        "runs": [run.name for run in runs],
        "models": [model.name for model in models],
        "documents": _document_data(documents.values(), inputs.documents is not None, limits),
        "topics": [topic.encode(words) for topic in explained_topics],
        "words": list(words),
    }


def _explained_runs(context: ReportContext) -> list[Run]:
    """Return all runs, or the best if there are many."""
    runs = context.inputs.loaded_runs
    if len(runs) <= MAX_RUNS:
        return list(runs)
    model, measure = context.inputs.user_models[0].name, context.results.measures[0]
    context.limits.append(
        f"The best {BEST_RUNS} of {len(runs)} runs are explained, by {measure} under {model}, because "
        f"there are more than {MAX_RUNS}."
    )
    best = best_first(context.results, measure, model)[:BEST_RUNS]
    return sorted((run for run in runs if run.name in best), key=lambda run: best.index(run.name))


class _ExplainedTopic:
    """The explanations of one topic under each user model."""

    def __init__(
        self,
        context: ReportContext,
        topic: str,
        all_documents: dict[tuple[str, str], _Document],
        depth: int,
        runs: Sequence[Run],
        models: Sequence[UserModel],
    ) -> None:
        self._topic = topic
        inputs = context.inputs
        self._has_corpus = inputs.documents is not None
        self._all_documents = all_documents
        self._depth = depth
        self._documents: dict[str, _Document] = {}
        self._labels: dict[str, Mapping[int, str]] = {}
        self._marks: dict[str, Sequence[tuple[int, int, str]]] = {}
        # For each model the explanations of the runs, or the reason if there are none.
        self._models: list[str | list[Explanation]] = []
        for model in models:
            try:
                explained = Inputs(
                    *(inputs.recall_base, runs, inputs.documents, [model]),
                    lenient=inputs.lenient,
                    topics=[topic],
                )
                explanations = explain(explained, topic)
            except XcgError as error:
                self._models.append(str(error))
                continue
            for file in explanations[0].judged:
                self._add_document(file, explanations[0])
            for explanation in explanations:
                for document, row, _ in self._results(explanation):
                    if row is not None:
                        document.named_rows.add(row)
            self._models.append(list(explanations))

    def _add_document(self, file: str, explanation: Explanation) -> None:
        # Without a corpus, a tree holds only the paths of this topic, so topics do not share it.
        key = "" if self._has_corpus else self._topic, file
        tree = explanation.documents[file]
        document = self._all_documents.setdefault(key, _Document(file, tree))
        self._documents[file] = document
        self._labels[file] = explanation.labels.get(file, {})
        document.named_rows.update(self._labels[file], explanation.judged[file].ideal)
        self._marks[file] = explanation.marks.get(file, ())
        document.cuts.update(offset for start, end, _ in self._marks[file] for offset in (start, end))

    def _results(
        self, explanation: Explanation
    ) -> Iterator[tuple[_Document, int | None, ExplainedResult]]:
        """Yield the displayed results: document, row of the element (None if there is none), result."""
        for result in explanation.results[: self._depth]:
            document = self._documents.get(result.file)
            if document is not None and result.file in explanation.judged:
                yield document, _displayed_row(document.tree, result), result

    def encode(self, words: dict[str, int]) -> Json:
        """Return plain objects; elements are indices of nodes, documents and texts are indices.

        Args:
            words: Text → its index; new texts are added.
        """
        return {
            "topic": self._topic,
            "documents": [document.number for document in self._documents.values()],
            "labels": [
                [[node, words.setdefault(label, len(words))] for node, label in self._labelled(*item)]
                for item in self._documents.items()
            ],
            "models": [
                {"missing": model} if isinstance(model, str) else self._encode_model(model, words)
                for model in self._models
            ],
        }

    def _labelled(self, file: str, document: _Document) -> list[tuple[int, str]]:
        """Return the nodes of assessed elements and relevant texts, with their labels."""
        found = {document.node_of_row[row]: [label] for row, label in self._labels[file].items()}
        for start, end, label in self._marks[file]:
            for low, high, node in document.texts:
                if start <= low and high <= end:
                    found.setdefault(node, []).append(label)
        return [(node, ", ".join(dict.fromkeys(labels))) for node, labels in sorted(found.items())]

    def _encode_model(self, explanations: Sequence[Explanation], words: dict[str, int]) -> Json:
        return {
            "scores": [
                _encode_scores(document, explanations[0].judged.get(file))
                for file, document in self._documents.items()
            ],
            "ideal_gain": explanations[0].ideal_gain,
            "runs": [self._encode_ranking(explanation, words) for explanation in explanations],
        }

    def _encode_ranking(self, explanation: Explanation, words: dict[str, int]) -> Json:
        index_of_file = {file: index for index, file in enumerate(self._documents)}
        derivation, length = explanation.derivation, len(explanation.results)
        missed = []
        for element in explanation.missed:
            document = self._documents[element.file]
            row = _displayed_row(document.tree, element)
            assert row is not None
            missed.append([index_of_file[element.file], document.node_of_row[row]])
        return {
            "length": length,
            "shown": min(length, self._depth),
            "results": [
                [
                    result.rank,
                    index_of_file[document.file],
                    document.node_of_row[row] if row is not None else -1,
                    words.setdefault(result.path, len(words)),
                    _SEEN_CODES[result.seen],
                    result.through,
                    result.gain,
                    words.setdefault(result.why, len(words)),
                    int(row is not None and _shows_all(document.tree, row, result)),
                ]
                for document, row, result in self._results(explanation)
            ],
            "steps": [s for s in derivation.steps if s.rank <= self._depth] if derivation else [],
            "sum": derivation.sentence if derivation else NO_DERIVATION,
            "missed": missed,
        }


def _encode_scores(document: _Document, judged: JudgedDocument | None) -> list[tuple[int, float, int]]:
    """Return node, score, and 1 if the element is ideal."""
    if judged is None:
        return []
    return [
        (document.node_of_row[row], score, int(row in judged.ideal_scores))
        for row, score in sorted(judged.scores.items())
        if row in document.node_of_row
    ]


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


@dataclass
class _Document:
    """A document of the report.

    Attributes:
        file: Its name.
        tree: Its elements.
        named_rows: The rows of the tree that explanations name; the root is always one.
        cuts: Offsets at which the text of a node ends.
        number: Its index in the data of the report.
        node_of_row: Row of the tree → index of its node.
        texts: Start, end and node of each text.
    """

    file: str
    tree: ElementTree
    named_rows: set[int] = field(default_factory=lambda: {0})
    cuts: set[int] = field(default_factory=set)
    number: int = 0
    node_of_row: Mapping[int, int] = field(default_factory=dict)
    texts: Sequence[tuple[int, int, int]] = ()


def _document_data(documents: Iterable[_Document], has_corpus: bool, limits: list[str]) -> list[Json]:
    """Return documents as lists of nodes, and set the number and the nodes of each.

    Args:
        documents: The documents.
        has_corpus: Whether the documents have text.
        limits: Receives a sentence if text is left out.
    """
    data: list[Json] = []
    remaining_text, remaining_nodes = MAX_TOTAL_TEXT, MAX_NODES
    text_is_left_out = False
    for number, document in enumerate(documents):
        has_text = has_corpus and remaining_text > 0 and remaining_nodes > 0
        outline = _Outline(document, document.tree.text if has_text else None)
        document.number, document.node_of_row = number, outline.node_of_row
        document.texts = outline.texts
        text_is_left_out |= has_corpus and not has_text
        if has_text:
            remaining_text -= sum(len(node[2].encode("utf-8", "replace")) for node in outline.nodes)
        remaining_nodes -= len(outline.nodes)
        data.append({"file": document.file, "nodes": outline.nodes})
    if text_is_left_out:
        limits.append("To keep this file small, the text of further documents is left out.")
    return data


class _Outline:
    """A document as nodes in document order: (index of the parent, name, text).

    Named elements and their ancestors are nodes of their own. The text between them is a node without
    a name; adjacent elements between them share one node.
    """

    def __init__(self, document: _Document, text: str | None) -> None:
        self._tree = tree = document.tree
        self._text = text
        self._cuts = sorted(document.cuts)
        self._start = tree.start.tolist()
        self._stop = tree.stop.tolist()
        parent = tree.parent.tolist()
        self._shown: set[int] = set()
        for named in document.named_rows:
            row = named
            while row >= 0 and row not in self._shown:
                self._shown.add(row)
                row = parent[row]
        self._with_shown_children = {parent[row] for row in self._shown} - {-1}
        self.nodes: list[tuple[int, str, str]] = []
        self.node_of_row: dict[int, int] = {}
        self.texts: list[tuple[int, int, int]] = []
        # A stack instead of recursion, because documents can be deep. Items are (parent's node, row)
        # or (parent's node, (name, start, end)).
        stack: list[tuple[int, int | tuple[str, int, int]]] = [(-1, 0)]
        while stack:
            parent_node, item = stack.pop()
            if isinstance(item, tuple):
                name, low, high = item
                self.texts.append((low, high, len(self.nodes)))
                self.nodes.append((parent_node, name, self._excerpt(low, high)))
                continue
            node = self.node_of_row[item] = len(self.nodes)
            start, stop = self._start[item], self._stop[item]
            if item in self._with_shown_children:
                parts = self._children(item)
            elif len(parts := self._pieces("", start, stop)) < 2:
                parts = []
                self.texts.append((start, stop, node))
            self.nodes.append(
                (parent_node, self._step(item), "" if parts else self._excerpt(start, stop))
            )
            stack += [(node, part) for part in reversed(parts)]

    def _pieces(self, name: str, start: int, stop: int) -> list[int | tuple[str, int, int]]:
        """Return a text in pieces that begin or end where the text of a nugget or gold span does."""
        cuts = self._cuts[bisect_left(self._cuts, start) : bisect_right(self._cuts, stop)]
        ends = sorted({start, *cuts, stop})
        name = "" if cuts else name
        return [(name, *piece) for piece in pairwise(ends) if self._excerpt(*piece)]

    def _children(self, row: int) -> list[int | tuple[str, int, int]]:
        """Return shown children as rows, and what is between them as (name, start, end), in order."""
        children = list(self._tree.children(row))
        if self._text is None:
            return [child for child in children if child in self._shown]
        has_own_text = self._has_own_text(row, children)
        items: list[int | tuple[str, int, int]] = []
        hidden: list[int] = []  # children since the last shown child
        begin = self._start[row]

        def add_hidden(end: int) -> None:
            name = ""
            if not has_own_text and hidden:
                first, last = self._step(hidden[0]), self._step(hidden[-1])
                name = first if first == last else f"{first} … {last}"
            items.extend(self._pieces(name, begin, end))

        for child in children:
            if child not in self._shown:
                hidden.append(child)
                continue
            add_hidden(self._start[child])
            items.append(child)
            hidden.clear()
            begin = self._stop[child]
        add_hidden(self._stop[row])
        return items

    def _has_own_text(self, row: int, children: list[int]) -> bool:
        """Return whether an element has text outside its children."""
        assert self._text is not None
        begins = [self._start[row], *(self._stop[child] for child in children)]
        ends = [*(self._start[child] for child in children), self._stop[row]]
        return any(self._text[begin:end].strip() for begin, end in zip(begins, ends, strict=True))

    def _step(self, row: int) -> str:
        return f"{self._tree.tag(row)}[{int(self._tree.positions[row])}]"

    def _excerpt(self, start: int, stop: int) -> str:
        """Return text on one line, shortened if it is long."""
        if self._text is None:
            return ""
        end = min(stop, start + 4 * MAX_TEXT)
        line = " ".join(self._text[start:end].split())
        if len(line) > MAX_TEXT or end < stop:
            return line[:MAX_TEXT].rstrip() + " …"
        return line
