"""Collect the explanations of the HTML report, and encode them compactly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xcg.documents.tree import ElementTree
from xcg.errors import XcgError
from xcg.evaluation.explain import explain
from xcg.evaluation.explanation import ExplainedResult, Explanation, MissedElement
from xcg.measures import MEASURES
from xcg.report.html_context import Json, ReportContext
from xcg.report.html_documents import ReportDocument, document_data
from xcg.runs.run import Run
from xcg.user_model.model import UserModel

# Limits on the size of the file.
MAX_RUNS = 12
"""If there are more runs, only the best are explained."""
BEST_RUNS = 3
MAX_MODELS = 6
MAX_RESULTS = 50_000
MIN_DEPTH = 50
"""Results of each ranking that are explained in any case."""

_SEEN_CODES = {"no": 0, "partly": 1, "fully": 2}


@dataclass(frozen=True)
class _Ranking:
    """The parts of an explanation that are encoded when all documents are known.

    Attributes:
        results: File, row of the displayed element (None if there is none) and result.
        missed: File and row of each missed element.
        length: The number of results, including those that are not displayed.
        ideal_gain: The total gain of the ideal ranking.
    """

    results: Sequence[tuple[str, int | None, ExplainedResult]]
    missed: Sequence[tuple[str, int]]
    length: int
    ideal_gain: float


class _WordList:
    """Texts that occur often; the data hold their indices."""

    def __init__(self) -> None:
        self.words: list[str] = []
        self._indices: dict[str, int] = {}

    def index(self, word: str) -> int:
        """Return the index of a word, and add the word if it is new."""
        index = self._indices.setdefault(word, len(self.words))
        if index == len(self.words):
            self.words.append(word)
        return index


def explanation_data(context: ReportContext, explained: int, limits: list[str]) -> Json:
    """Return documents, and topic → user model → run → results.

    Args:
        context: The evaluated campaign.
        explained: How many topics, the first ones, are explained.
        limits: Receives a sentence about everything that is left out.
    """
    inputs = context.inputs
    topics = list(context.topics[: max(0, explained)])
    runs = _explained_runs(context, limits)
    models = inputs.user_models[:MAX_MODELS]
    rankings = max(1, len(runs) * len(models) * len(topics))
    longest = max((len(run.rankings.get(t, ())) for run in runs for t in topics), default=0)
    depth = max(MIN_DEPTH, MAX_RESULTS // rankings)
    if len(topics) < len(context.topics):
        limits.append(f"The first {len(topics)} of {len(context.topics)} topics are explained.")
    if len(models) < len(inputs.user_models):
        limits.append(
            f"The first {len(models)} of {len(inputs.user_models)} user models are explained."
        )
    if depth < longest:
        limits.append(f"The first {depth} results of each ranking are explained.")
    documents: dict[tuple[str, str], ReportDocument] = {}
    words = _WordList()
    explained_topics = []
    for topic in topics:
        explained_topics.append(_ExplainedTopic(context, topic, documents, depth, runs, models))
        context.steps.advance(1)
    return {
        "runs": [run.name for run in runs],
        "models": [model.name for model in models],
        "documents": document_data(documents.values(), inputs.documents is not None, limits),
        "topics": [topic.encode(words) for topic in explained_topics],
        "words": words.words,
    }


def _explained_runs(context: ReportContext, limits: list[str]) -> list[Run]:
    """Return all runs, or the best if there are many."""
    runs = context.inputs.loaded_runs
    if len(runs) <= MAX_RUNS:
        return list(runs)
    model, measure = context.inputs.user_models[0].name, context.results.measures[0]
    mean = {
        row.run: row.value
        for row in context.results.means()
        if (row.user_model, row.measure) == (model, measure)
    }
    order = MEASURES.order(measure)
    scored = [run for run in runs if run.name in mean]
    unscored = [run for run in runs if run.name not in mean]
    ranking = sorted(scored, key=lambda run: order.sort_key(mean[run.name])) + unscored
    limits.append(
        f"The best {BEST_RUNS} of {len(runs)} runs are explained, by {measure} under {model}."
    )
    return ranking[:BEST_RUNS]


class _ExplainedTopic:
    """The explanations of one topic under each user model."""

    def __init__(
        self,
        context: ReportContext,
        topic: str,
        all_documents: dict[tuple[str, str], ReportDocument],
        depth: int,
        runs: Sequence[Run],
        models: Sequence[UserModel],
    ) -> None:
        self._topic = topic
        inputs = context.inputs
        self._has_corpus = inputs.documents is not None
        self._all_documents = all_documents
        self._depth = depth
        self._documents: dict[str, ReportDocument] = {}
        self._labels: dict[str, Mapping[int, str]] = {}
        # For each model the rankings and the first explanation, or the reason if there is none.
        self._models: list[str | tuple[list[_Ranking], Explanation]] = []
        for model in models:
            try:
                explanations = explain(
                    inputs.recall_base, runs, topic, inputs.documents, [model], lenient=inputs.lenient
                )
            except XcgError as error:
                self._models.append(str(error))
                continue
            for file in explanations[0].judged:
                self._add_document(file, explanations[0])
            self._models.append(([self._ranking(one) for one in explanations], explanations[0]))

    def _add_document(self, file: str, explanation: Explanation) -> None:
        # Without a corpus, a tree holds only the paths of this topic, so topics do not share it.
        key = "" if self._has_corpus else self._topic, file
        tree = explanation.documents[file]
        document = self._all_documents.setdefault(key, ReportDocument(file, tree))
        self._documents[file] = document
        self._labels[file] = explanation.labels.get(file, {})
        document.named_rows.update(self._labels[file], explanation.judged[file].ideal)

    def _ranking(self, explanation: Explanation) -> _Ranking:
        results: list[tuple[str, int | None, ExplainedResult]] = []
        for result in explanation.results[: self._depth]:
            document = self._documents.get(result.file)
            if document is None or result.file not in explanation.judged:
                continue
            row = _displayed_row(document.tree, result)
            if row is not None:
                document.named_rows.add(row)
            results.append((result.file, row, result._replace(related=[])))
        missed = []
        for element in explanation.missed:
            row = _displayed_row(self._documents[element.file].tree, element)
            assert row is not None
            missed.append((element.file, row))
        return _Ranking(results, missed, len(explanation.results), explanation.ideal_gain)

    def encode(self, words: _WordList) -> Json:
        """Return plain objects; elements are indices of nodes, documents and texts are indices."""
        return {
            "topic": self._topic,
            "documents": [document.number for document in self._documents.values()],
            "labels": [
                [
                    [document.node_of_row[row], words.index(label)]
                    for row, label in sorted(self._labels[file].items())
                ]
                for file, document in self._documents.items()
            ],
            "models": [
                {"missing": model} if isinstance(model, str) else self._encode_model(*model, words)
                for model in self._models
            ],
        }

    def _encode_model(
        self, rankings: Sequence[_Ranking], explanation: Explanation, words: _WordList
    ) -> Json:
        return {
            "scores": [
                self._encode_scores(file, document, explanation)
                for file, document in self._documents.items()
            ],
            "ideal_gain": rankings[0].ideal_gain if rankings else 0,
            "runs": [self._encode_ranking(ranking, words) for ranking in rankings],
        }

    @staticmethod
    def _encode_scores(
        file: str, document: ReportDocument, explanation: Explanation
    ) -> list[tuple[int, float, int]]:
        """Return node, score, and 1 if the element is ideal."""
        judged = explanation.judged.get(file)
        if judged is None:
            return []
        return [
            (document.node_of_row[row], score, int(row in judged.ideal_scores))
            for row, score in sorted(judged.scores.items())
            if row in document.node_of_row
        ]

    def _encode_ranking(self, ranking: _Ranking, words: _WordList) -> Json:
        index_of_file = {file: index for index, file in enumerate(self._documents)}
        return {
            "length": ranking.length,
            "shown": min(ranking.length, self._depth),
            "results": [
                [
                    result.rank,
                    index_of_file[file],
                    self._documents[file].node_of_row[row] if row is not None else -1,
                    words.index(result.path),
                    _SEEN_CODES[result.seen],
                    result.through,
                    result.gain,
                    words.index(result.why),
                ]
                for file, row, result in ranking.results
            ],
            "missed": [
                [index_of_file[file], self._documents[file].node_of_row[row]]
                for file, row in ranking.missed
            ],
        }


def _displayed_row(tree: ElementTree, item: ExplainedResult | MissedElement) -> int | None:
    """Return the element of a result or a gold span: itself, or the smallest element around it."""
    if item.path in tree:
        return tree.row(item.path)
    if item.span is None or item.span[0] == item.span[1]:
        return None
    return tree.smallest_element(*item.span)
