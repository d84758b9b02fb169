"""A campaign as one HTML file that needs no network: tables, curves, explanations."""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any, BinaryIO

from xcg.documents.corpus import Corpus
from xcg.documents.tree import ElementTree
from xcg.errors import XcgError
from xcg.evaluation.curves import curves
from xcg.evaluation.evaluate import evaluate_inputs
from xcg.evaluation.explain import ExplainedResult, Explanation, MissedElement, explain
from xcg.evaluation.inputs import Inputs
from xcg.evaluation.results import Results
from xcg.evaluation.scoring import Progress
from xcg.judgements.recall_base import MEAN, RecallBase
from xcg.runs.run import Run
from xcg.statistics.significance import compare
from xcg.user_model.model import UserModel

LEVEL = 0.05
"""A difference is called significant where the corrected p value is below this."""

# What bounds the file: a campaign of 69 runs and 34 topics stays below 20 MB.
FIGURES = 250_000
CURVE_POINTS = 1_000_000
DEPTH = 100
MANY_RUNS = 12
BEST_RUNS = 3
EXPLAINED_MODELS = 6
EXPLAINED_RESULTS = 50_000
LEAST_RESULTS = 50
TEXT = 300
TEXTS = 5_000_000
NODES = 150_000

_PLACE_OF_DATA = '{"data": "of the report"}'
_SEEN = {"no": 0, "partly": 1, "fully": 2}

Json = dict[str, Any]


def write_report(
    inputs: Inputs,
    stream: BinaryIO,
    *,
    explained: int = 10,
    progress: Progress | None = None,
) -> None:
    """Write the report of a campaign as one HTML file.

    explained: how many topics are explained result by result, the first ones.
    progress: called with the number of steps done and of all.

    Raises XcgError as :func:`xcg.evaluate`; nothing is written then.
    """
    data = report_data(inputs, explained=explained, progress=progress)
    template = files("xcg.report").joinpath("page.html").read_text(encoding="utf-8")
    before, place, after = template.partition(_PLACE_OF_DATA)
    if not place:
        raise AssertionError("page.html has no place for the data")
    stream.write(before.encode())
    stream.write(island(data))
    stream.write(after.encode())


_UNSAFE = re.compile("[<>&\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufffe\uffff]")


def island(data: object) -> bytes:
    r"""Return JSON that can stand inside a script element whatever the texts in it hold.

    >>> island({"run": "</script>"})
    b'{"run":"\\u003c/script\\u003e"}'
    """
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    escaped = _UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
    # A lone surrogate has no UTF-8, but this error handler writes what JSON calls it.
    return escaped.encode("utf-8", "backslashreplace")


def report_data(
    inputs: Inputs,
    *,
    explained: int = 10,
    progress: Progress | None = None,
) -> Json:
    """Return all that the page shows, as plain objects.

    Raises XcgError as :func:`xcg.evaluate`.
    """
    from xcg import __version__

    base, runs, corpus, models = (
        inputs.recall_base,
        inputs.loaded_runs,
        inputs.documents,
        inputs.user_models,
    )
    steps = _Steps(progress, 3 * len(base.topics) + max(0, explained))
    results = evaluate_inputs(inputs, lambda done, _: steps.at(done))
    having = set(results.topics)
    topics = [topic for topic in base.topics if topic in having]
    campaign = _Material(base, runs, corpus, models, results, topics, inputs.lenient, steps)
    limits: list[str] = []
    data = {
        "version": __version__,
        "files": {
            "assessments": _paths(inputs.assessments),
            "runs": _paths(inputs.runs),
            "corpus": next(iter(_paths(inputs.corpus)), None),
        },
        "unanswered": inputs.unanswered,
        "runs": results.runs,
        "topics": topics,
        "assessed": len(base.topics),
        "models": [_model(model) for model in models],
        "measures": results.measures,
        "titles": {str(measure): measure.definition.title for measure in inputs.measure_list},
        "notes": results.notes,
        "limits": limits,
        "figures": _figures(campaign, limits),
        "best": _best(campaign),
        "curves": [_curves(campaign, name, limits) for name in ("nxCG", "ep")],
        "explanations": _explanations(campaign, explained, limits),
    }
    steps.at(steps.of)
    return data


def _paths(given: object) -> list[str]:
    """Return the paths among the inputs; objects in memory have none."""
    items = given if isinstance(given, (list, tuple)) else [given]
    return [os.path.normpath(item) for item in items if isinstance(item, (str, os.PathLike))]


class _Steps:
    """Passes on how far the report is."""

    def __init__(self, progress: Progress | None, of: int) -> None:
        self._progress = progress
        self.of = of
        self._done = 0

    def at(self, done: int) -> None:
        self._done = done
        if self._progress is not None:
            self._progress(min(done, self.of), self.of)

    def on(self, by: int) -> None:
        self.at(self._done + by)


@dataclass(frozen=True)
class _Material:
    """What the parts of a report are made of. topics: those with figures."""

    base: RecallBase
    runs: Sequence[Run]
    corpus: Corpus | None
    models: Sequence[UserModel]
    results: Results
    topics: Sequence[str]
    lenient: bool
    steps: _Steps


def _model(model: UserModel) -> Json:
    rule = model.relevance_value
    return {
        "name": model.name,
        "settings": {
            "quantisation": str(model.quantisation),
            "ideal elements": str(model.ideal),
            "α": f"{rule.alpha:g}",
            "normalisation": rule.normalisation,
            "partly seen": str(rule.partially_seen),
            "near-misses": str(rule.near_misses),
        },
    }


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None


def _figures(campaign: _Material, limits: list[str]) -> list[list[list[list[float | None]]]]:
    """Return user model → measure → run → the mean, and behind it each topic's figure."""
    results, topics = campaign.results, campaign.topics
    value = {(r.user_model, r.measure, r.run, r.topic): r.value for r in results}
    a_model = len(results.measures) * len(results.runs) * max(1, len(topics))
    whole = max(1, FIGURES // a_model)
    if whole < len(campaign.models):
        limits.append(
            f"To keep this file small, figures of single topics are here for the first {whole} of "
            f"{len(campaign.models)} user models."
        )
    return [
        [
            [
                [
                    _finite(value.get((model.name, measure, run, topic)))
                    for topic in (MEAN, *(topics if place < whole else ()))
                ]
                for run in results.runs
            ]
            for measure in results.measures
        ]
        for place, model in enumerate(campaign.models)
    ]


def _best(campaign: _Material) -> list[Json]:
    """Return the best run for each user model and measure, and how sure it is ahead of the second."""
    results = campaign.results
    means: dict[tuple[str, str], list[tuple[float, str]]] = {}
    for row in results.means():
        if math.isfinite(row.value):
            means.setdefault((row.user_model, row.measure), []).append((row.value, row.run))
    lines = []
    for model in campaign.models:
        for measure in results.measures:
            # sorted() is stable: of equal means, the earlier run is the best, as compare has it.
            found = sorted(means.get((model.name, measure), ()), key=lambda pair: -pair[0])
            if not found:
                continue
            (mean, best), second = found[0], found[1] if len(found) > 1 else None
            line: Json = {"model": model.name, "measure": measure, "run": best, "mean": mean}
            if second is not None:
                line |= {"second": second[1], "difference": mean - second[0]}
                line |= _tested(results, measure, model.name, best, second[1])
            lines.append(line)
    return lines


def _tested(results: Results, measure: str, model: str, best: str, second: str) -> Json:
    """Return the p value of the best run against the second; or why there is none."""
    try:
        compared = compare(results, measure, model, baseline=best)
    except XcgError as error:
        return {"untested": str(error)}
    (line,) = (line for line in compared if line.run == second)
    p = line.p_adjusted
    return {"p": p, "significant": p < LEVEL, "tested_topics": line.topics}


def _curves(campaign: _Material, name: str, limits: list[str]) -> Json:
    """Return user model → run → curve, in the mean and for each topic."""
    results = campaign.results
    longest = max(
        (len(ranking) for run in campaign.runs for ranking in run.rankings.values()), default=1
    )
    found: Json = {"measure": name, "by": "gain-recall" if name == "ep" else "rank"}
    try:
        lines = curves(
            campaign.base,
            campaign.runs,
            campaign.corpus,
            campaign.models,
            name,
            min(DEPTH, max(longest, 10)),
            lenient=campaign.lenient,
        )
    except XcgError as error:
        campaign.steps.on(len(campaign.base.topics))
        return found | {"missing": str(error)}
    # Effort-precision is read off at every second of its hundred points.
    step = slice(1, None, 2) if name == "ep" else slice(None)
    height = {
        (line.user_model, line.run, line.topic): [
            _finite(round(float(y), 4)) for y in list(line.y)[step]
        ]
        for line in lines
    }
    found["x"] = [round(float(x), 4) for x in list(lines[0].x)[step]]
    found["mean"] = [
        [height.get((model.name, run, MEAN)) for run in results.runs] for model in campaign.models
    ]
    a_model = len(results.runs) * len(campaign.topics) * len(found["x"])
    whole = CURVE_POINTS // 2 // max(1, a_model)
    if whole < len(campaign.models):
        which = f"the first {whole} of {len(campaign.models)} user models" if whole else "no user model"
        limits.append(f"To keep this file small, {name} curves of single topics are here for {which}.")
    found["topics"] = [
        [[height.get((model.name, run, topic)) for topic in campaign.topics] for run in results.runs]
        for model in campaign.models[:whole]
    ]
    campaign.steps.on(len(campaign.base.topics))
    return found


@dataclass
class _Document:
    """A document that explanations share, and the rows of it that they name."""

    file: str
    tree: ElementTree
    named: set[int] = field(default_factory=lambda: {0})
    number: int = 0
    place: Mapping[int, int] = field(default_factory=dict)


@dataclass(frozen=True)
class _Ranking:
    """What is kept of an Explanation until it is known which rows are shown."""

    results: Sequence[tuple[str, int | None, ExplainedResult]]
    missed: Sequence[tuple[str, int]]
    length: int
    ideal_gain: float


def _explanations(campaign: _Material, explained: int, limits: list[str]) -> Json:
    """Return documents, and topic → user model → run → result."""
    topics = list(campaign.topics[: max(0, explained)])
    runs = _explained_runs(campaign, limits)
    models = campaign.models[:EXPLAINED_MODELS]
    rankings = max(1, len(runs) * len(models) * len(topics))
    longest = max((len(run.rankings.get(t, ())) for run in runs for t in topics), default=0)
    depth = max(LEAST_RESULTS, EXPLAINED_RESULTS // rankings)
    if len(topics) < len(campaign.topics):
        limits.append(f"The first {len(topics)} of {len(campaign.topics)} topics are explained.")
    if len(models) < len(campaign.models):
        limits.append(f"The first {len(models)} of {len(campaign.models)} user models are explained.")
    if depth < longest:
        limits.append(f"The first {depth} results of each ranking are explained.")
    library: dict[tuple[str, str], _Document] = {}
    words = _Words()
    pages = []
    for topic in topics:
        pages.append(_Topic(campaign, topic, library, depth).read(runs, models))
        campaign.steps.on(1)
    outlined = _outlines(library.values(), campaign.corpus is not None, limits)
    return {
        "runs": [run.name for run in runs],
        "models": [model.name for model in models],
        "documents": outlined,
        "topics": [page.encoded(words) for page in pages],
        "words": words.known,
    }


def _explained_runs(campaign: _Material, limits: list[str]) -> list[Run]:
    """Return the runs to explain: all, or of many the best."""
    if len(campaign.runs) <= MANY_RUNS:
        return list(campaign.runs)
    model, measure = campaign.models[0].name, campaign.results.measures[0]
    mean = {
        row.run: row.value
        for row in campaign.results.means()
        if (row.user_model, row.measure) == (model, measure)
    }
    order = sorted(campaign.runs, key=lambda run: -mean.get(run.name, -math.inf))
    limits.append(
        f"The best {BEST_RUNS} of {len(campaign.runs)} runs are explained, by {measure} under {model}."
    )
    return order[:BEST_RUNS]


class _Words:
    """Texts that come again and again, each kept once."""

    def __init__(self) -> None:
        self.known: list[str] = []
        self._places: dict[str, int] = {}

    def __call__(self, text: str) -> int:
        place = self._places.setdefault(text, len(self.known))
        if place == len(self.known):
            self.known.append(text)
        return place


def _shown_row(tree: ElementTree, what: ExplainedResult | MissedElement) -> int | None:
    """Return the element that stands for a result or a gold span: itself, or the smallest around it."""
    if what.path in tree:
        return tree.row(what.path)
    if what.span is None or what.span[0] == what.span[1]:
        return None
    return tree.smallest_element(*what.span)


class _Topic:
    """The explanations of one topic."""

    def __init__(
        self, campaign: _Material, topic: str, library: dict[tuple[str, str], _Document], depth: int
    ) -> None:
        self._campaign = campaign
        self._topic = topic
        self._library = library
        self._depth = depth
        self._documents: dict[str, _Document] = {}
        self._labels: dict[str, Mapping[int, str]] = {}
        self._models: list[str | tuple[list[_Ranking], Explanation]] = []

    def read(self, runs: Sequence[Run], models: Sequence[UserModel]) -> _Topic:
        """Explain the topic under each user model, and remember which elements are named."""
        of = self._campaign
        for model in models:
            try:
                found = explain(of.base, runs, self._topic, of.corpus, [model], lenient=of.lenient)
            except XcgError as error:
                self._models.append(str(error))
                continue
            for file in found[0].judged:
                self._keep(file, found[0])
            self._models.append(([self._ranking(one) for one in found], found[0]))
        return self

    def _keep(self, file: str, found: Explanation) -> None:
        # Without a corpus, a tree is what the paths of this topic span.
        key = "" if self._campaign.corpus is not None else self._topic, file
        tree = found.documents[file]
        document = self._library.setdefault(key, _Document(file, tree))
        self._documents[file] = document
        self._labels[file] = found.labels.get(file, {})
        document.named.update(self._labels[file], found.judged[file].ideal)

    def _ranking(self, found: Explanation) -> _Ranking:
        results: list[tuple[str, int | None, ExplainedResult]] = []
        for result in found.results[: self._depth]:
            document = self._documents.get(result.file)
            if document is None or result.file not in found.judged:
                continue
            row = _shown_row(document.tree, result)
            if row is not None:
                document.named.add(row)
            results.append((result.file, row, result._replace(related=[])))
        missed = []
        for element in found.missed:
            row = _shown_row(self._documents[element.file].tree, element)
            assert row is not None
            missed.append((element.file, row))
        return _Ranking(results, missed, len(found.results), found.ideal_gain)

    def encoded(self, words: _Words) -> Json:
        """Return the topic with every element as its place among the shown nodes of its document."""
        names = list(self._documents)
        number = {file: place for place, file in enumerate(names)}
        documents = [self._documents[file] for file in names]
        labels = [
            [[document.place[row], words(label)] for row, label in sorted(self._labels[file].items())]
            for file, document in zip(names, documents, strict=True)
        ]
        models: list[Json] = []
        for model in self._models:
            if isinstance(model, str):
                models.append({"missing": model})
                continue
            rankings, found = model
            scores = []
            for file, document in zip(names, documents, strict=True):
                judged = found.judged.get(file)
                ideal = judged.ideal_scores if judged is not None else {}
                known = judged.scores if judged is not None else {}
                scores.append(
                    [
                        [document.place[row], score, int(row in ideal)]
                        for row, score in sorted(known.items())
                        if row in document.place
                    ]
                )
            models.append(
                {
                    "scores": scores,
                    "ideal_gain": rankings[0].ideal_gain if rankings else 0,
                    "runs": [
                        {
                            "length": ranking.length,
                            "shown": min(ranking.length, self._depth),
                            "results": [
                                [
                                    result.rank,
                                    number[file],
                                    documents[number[file]].place[row] if row is not None else -1,
                                    words(result.path),
                                    _SEEN[result.seen],
                                    result.through,
                                    result.gain,
                                    words(result.why),
                                ]
                                for file, row, result in ranking.results
                            ],
                            "missed": [
                                [number[file], documents[number[file]].place[row]]
                                for file, row in ranking.missed
                            ],
                        }
                        for ranking in rankings
                    ],
                }
            )
        return {
            "topic": self._topic,
            "documents": [document.number for document in documents],
            "labels": labels,
            "models": models,
        }


def _outlines(documents: Iterable[_Document], with_text: bool, limits: list[str]) -> list[Json]:
    """Return the documents as lists of nodes, and tell each its number and the places of its rows."""
    found: list[Json] = []
    texts, nodes = TEXTS, NODES
    for number, document in enumerate(documents):
        text = document.tree.text if with_text and texts > 0 and nodes > 0 else None
        outline = _Outline(document, text)
        document.number, document.place = number, outline.place
        if text is not None:
            texts -= sum(len(node[2].encode("utf-8", "replace")) for node in outline.nodes)
        elif with_text and not any("text of further" in limit for limit in limits):
            limits.append("To keep this file small, the text of further documents is left out.")
        nodes -= len(outline.nodes)
        found.append({"file": document.file, "nodes": outline.nodes})
    return found


class _Outline:
    """A document as nodes in document order: [node of the parent, name, text].

    Elements that somebody assessed or returned, and what contains them, are nodes of their own. What
    lies between them is text, a node without a name, or neighbours, which share a node. At most 300
    characters of each are kept.
    """

    def __init__(self, document: _Document, text: str | None) -> None:
        self._tree = tree = document.tree
        self._text = text
        self._parent = tree.parent.tolist()
        self._start = tree.start.tolist()
        self._stop = tree.stop.tolist()
        self._shown: set[int] = set()
        for named in document.named:
            row = named
            while row >= 0 and row not in self._shown:
                self._shown.add(row)
                row = self._parent[row]
        self._inner = {self._parent[row] for row in self._shown} - {-1}
        self.nodes: list[tuple[int, str, str]] = []
        self.place: dict[int, int] = {}
        # What is still to be written, the next one last: a row with its parent's node, or a node.
        waiting: list[tuple[int, int | tuple[str, str]]] = [(-1, 0)]
        while waiting:
            above, what = waiting.pop()
            if isinstance(what, tuple):
                self.nodes.append((above, *what))
                continue
            self.place[what] = len(self.nodes)
            inner = what in self._inner
            self.nodes.append((above, self._step(what), "" if inner else self._cut_row(what)))
            if inner:
                node = self.place[what]
                waiting += [(node, item) for item in reversed(self._items(what))]

    def _items(self, row: int) -> list[int | tuple[str, str]]:
        """Return what an element holds, in order: rows of shown children, and nodes between them."""
        tree, text = self._tree, self._text
        children = list(tree.children(row))
        if text is None:
            return [child for child in children if child in self._shown]
        edges = [self._start[row], *(self._stop[child] for child in children)]
        ends = [*(self._start[child] for child in children), self._stop[row]]
        mixed = any(text[a:b].strip() for a, b in zip(edges, ends, strict=True))
        items: list[int | tuple[str, str]] = []
        between: list[int] = []
        begin = self._start[row]

        def close(end: int) -> None:
            kept = self._cut(begin, end)
            if not kept:
                return
            name = ""
            if not mixed:
                first, last = self._step(between[0]), self._step(between[-1])
                name = first if first == last else f"{first} … {last}"
            items.append((name, kept))

        for child in children:
            if child not in self._shown:
                between.append(child)
                continue
            close(self._start[child])
            items.append(child)
            between.clear()
            begin = self._stop[child]
        close(self._stop[row])
        return items

    def _step(self, row: int) -> str:
        return f"{self._tree.tag(row)}[{int(self._tree.positions[row])}]"

    def _cut_row(self, row: int) -> str:
        return self._cut(self._start[row], self._stop[row])

    def _cut(self, start: int, stop: int) -> str:
        """Return text in one line, cut where it is long."""
        if self._text is None:
            return ""
        ahead = min(stop, start + 4 * TEXT)
        line = " ".join(self._text[start:ahead].split())
        if len(line) > TEXT or ahead < stop:
            return line[:TEXT].rstrip() + " …"
        return line
