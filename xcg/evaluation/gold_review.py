"""Review gold: find where runs disagree, which gold spans no run finds, and duplicates of gold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from xcg.documents.corpus import Corpus
from xcg.documents.duplicate_search import MIN_CHARACTERS, QuoteIndex
from xcg.documents.text_search import Status, TextIndex
from xcg.errors import InputError, Notes, XcgError
from xcg.evaluation.evaluate import evaluate
from xcg.evaluation.inputs import Inputs
from xcg.evaluation.parallel import Progress
from xcg.evaluation.scoring import note_topics
from xcg.evaluation.topics import TopicSource, map_topics
from xcg.gains.topic import Topic
from xcg.judgements.recall_base import MEAN
from xcg.measures.rankings import RelevantText, SpanRanking


class Disagreement(NamedTuple):
    """A question on which the runs disagree.

    Attributes:
        topic: The question.
        spread: The best minus the worst value of the measure.
        best_run: The run with the best value; the first of several.
        best: Its value.
        worst_run: The run with the worst value; the first of several.
        worst: Its value.
    """

    topic: str
    spread: float
    best_run: str
    best: float
    worst_run: str
    worst: float


class MissedSpan(NamedTuple):
    """A gold span that no run finds.

    Attributes:
        topic: The question.
        doc: The document.
        start: The first character.
        end: The character after the last.
        text: The text.
        share: The largest share of the span in one result; 0 if no result contains any of its text.
        run: The run of this result; None without one.
        rank: The rank of this result; None without one.
    """

    topic: str
    doc: str
    start: int
    end: int
    text: str
    share: float
    run: str | None
    rank: int | None


class Duplicate(NamedTuple):
    """A passage that repeats or resembles gold of a question, and is not gold for it.

    Attributes:
        topic: The question.
        doc: The document of the passage.
        start: The first character.
        end: The character after the last.
        text: The text.
        status: ``exact``, ``normalised`` or ``approximate``.
        similarity: From 0 to 1; 1 for the same words.
        gold_doc: The document of the gold span.
        gold_start: The first character of the gold span.
        gold_end: The character after its last.
        returned: The runs that return the passage, with the ranks of the results.
    """

    topic: str
    doc: str
    start: int
    end: int
    text: str
    status: Status
    similarity: float
    gold_doc: str
    gold_start: int
    gold_end: int
    returned: Sequence[tuple[str, Sequence[int]]] = ()

    @property
    def returned_by(self) -> str:
        """The runs that return the passage, with their ranks, such as "bm25 (3, 7), dense (1)"."""
        return ", ".join(f"{run} ({', '.join(map(str, ranks))})" for run, ranks in self.returned)


_FIELDS = (
    *("section", "topic", "doc", "start", "end", "text"),
    *("measure", "spread", "best_run", "best", "worst_run", "worst"),
    *("share", "run", "rank"),
    *("status", "similarity", "gold_doc", "gold_start", "gold_end", "returned"),
)


@dataclass(frozen=True)
class GoldReview:
    """The questions, gold spans and passages to review in order to improve gold.

    Attributes:
        measure: The measure by which runs are compared.
        overlap: The least share of a gold span that a result must contain to find the span.
        runs: The names of the runs.
        topics: Number of questions with gold spans.
        spans: Number of gold spans.
        short: Number of gold spans that are too short to search for duplicates.
        disagreements: The questions on which the runs disagree, largest spread first.
        missed: The gold spans that no run finds, in the order of the questions.
        duplicates: The passages that repeat or resemble gold, in decreasing order of the number of runs
            that return them.
        notes: Warnings and remarks.
    """

    measure: str
    overlap: float
    runs: Sequence[str]
    topics: int
    spans: int
    short: int
    disagreements: Sequence[Disagreement]
    missed: Sequence[MissedSpan]
    duplicates: Sequence[Duplicate]
    notes: Sequence[str]

    def to_records(self) -> list[dict[str, object]]:
        """Return one dict per item, all with the same keys.

        ``section`` is ``disagreement``, ``missed`` or ``duplicate``. The keys topic, doc, start, end
        and text are the same as in assessments in JSON Lines.
        """
        found: list[dict[str, object]] = [
            {"section": "disagreement", "measure": self.measure, **one._asdict()}
            for one in self.disagreements
        ]
        found += [{"section": "missed", **one._asdict()} for one in self.missed]
        found += [
            {"section": "duplicate", **one._asdict(), "returned": one.returned_by}
            for one in self.duplicates
        ]
        empty: dict[str, object] = dict.fromkeys(_FIELDS)
        return [{**empty, **record} for record in found]


MEASURE = "SpanRecall"
"""The default measure of disagreement: the share of the gold text that a run returns."""
OVERLAP = 0.5
MAX_PASSAGES = 100
"""Maximum number of duplicates that are listed for the text of a gold span."""

_ROUNDING = 1e-9
_Span = tuple[str, int, int]
"""Document, start and end."""


def review_gold(
    inputs: Inputs,
    measure: str = MEASURE,
    overlap: float = OVERLAP,
    min_similarity: float | None = None,
    progress: Progress | None = None,
) -> GoldReview:
    """Find the questions, gold spans and passages to review.

    Args:
        inputs: Gold, documents and, if there are any, runs; their own measures are not used.
        measure: The measure by which runs are compared.
        overlap: The least share of a gold span that a result must contain to find the span.
        min_similarity: The least similarity of a passage to gold; None for equal words.
        progress: Called with the number of searched documents and of all documents.

    Raises:
        XcgError: As :func:`xcg.evaluate`; and if there is no corpus or no gold span.
    """
    inputs = replace(inputs, measures=measure)
    if len(inputs.measure_list) != 1:
        raise XcgError(f"{len(inputs.measure_list)} measures of disagreement: expected one")
    inputs.check()
    base, documents = inputs.recall_base, inputs.documents
    if documents is None:
        raise XcgError("gold is compared with the documents: expected a corpus")
    loaded = inputs.loaded_runs if inputs.has_runs else []
    lines: dict[str, None] = {}
    disagreements: list[Disagreement] = []
    systems = [run for run in loaded if not run.is_reference]
    if len(systems) > 1:
        if len(inputs.user_models) > 1:
            names = ", ".join(model.name for model in inputs.user_models)
            raise XcgError(f"{len(inputs.user_models)} user models ({names}): expected one, like spans")
        disagreements = _disagreements(
            replace(inputs, assessments=base, runs=systems, corpus=documents, strategies=()), lines
        )
    source = TopicSource(base, systems, documents, needs_elements=False)
    runs = {run.name: run for run in systems}
    notes = inputs.new_notes()
    searched = _Gold(documents)

    def find_missed(topic: Topic) -> list[MissedSpan]:
        spans = searched.add(topic)
        return list(_missed(topic, list(runs), spans, overlap, documents)) if runs else []

    missed = [span for found in map_topics(source, find_missed, notes) for span in found]
    note_topics(base, runs, inputs.unanswered, notes)
    if not searched.owners:
        raise XcgError("nothing to review: the assessments have no gold spans")
    found, short = _duplicates(searched, documents, overlap, min_similarity, notes, progress)
    duplicates = _with_runs(source, list(runs), found, overlap)
    position = {topic: index for index, topic in enumerate(base.topics)}
    duplicates.sort(key=lambda one: (-len(one.returned), position[one.topic], one.doc, one.start))
    lines.update(dict.fromkeys(notes.lines()))
    return GoldReview(
        str(inputs.measure_list[0]),
        overlap,
        [run.name for run in systems],
        len(searched.gold),
        sum(map(len, searched.owners.values())),
        short,
        disagreements,
        missed,
        duplicates,
        list(lines),
    )


def _disagreements(inputs: Inputs, lines: dict[str, None]) -> list[Disagreement]:
    """Return the questions for which the runs have different values, and add notes to ``lines``."""
    results = evaluate(inputs)
    lines.update(dict.fromkeys(results.notes))
    order = inputs.measure_list[0].definition.order
    values: dict[str, dict[str, float]] = {}
    for row in results:
        if row.topic != MEAN:
            values.setdefault(row.topic, {})[row.run] = row.value
    found = []
    for topic, of_runs in values.items():
        keys = {run: order.sort_key(value) for run, value in of_runs.items()}
        best, worst = min(keys, key=keys.__getitem__), max(keys, key=keys.__getitem__)
        spread = keys[worst] - keys[best]
        if spread > _ROUNDING:
            found.append(Disagreement(topic, spread, best, of_runs[best], worst, of_runs[worst]))
    return sorted(found, key=lambda one: -one.spread)


@dataclass
class _Gold:
    """The gold spans of all questions.

    Attributes:
        owners: Text → the gold spans with this text, each with its question.
        gold: Question → document → all its gold text.
    """

    corpus: Corpus
    owners: dict[str, list[tuple[str, _Span]]] = field(default_factory=dict)
    gold: dict[str, dict[str, RelevantText]] = field(default_factory=dict)

    def add(self, topic: Topic) -> list[_Span]:
        """Add the gold spans of a question, and return each different span with text once."""
        ranking = _ranking(topic, "")
        spans: list[_Span] = []
        for file, found in ranking.gold.items():
            if file not in self.corpus:  # the campaign has noted it
                continue
            spans += [(file, *s) for s in sorted({(s, e) for s, e, _ in found if s < e})]
        if spans:
            self.gold[topic.name] = dict(ranking.relevant_text)
        for file, start, end in spans:
            text = self.corpus.tree(file).text[start:end]
            self.owners.setdefault(text, []).append((topic.name, (file, start, end)))
        return spans

    def gold_share(self, topic: str, file: str, start: int, end: int) -> float:
        """Return the share of a passage that is gold for a question."""
        text = self.gold[topic].get(file)
        return text.count(start, end) / (end - start) if text is not None else 0.0


def _ranking(topic: Topic, run: str) -> SpanRanking:
    try:
        return topic.span_ranking(run)
    except XcgError as error:
        raise InputError(f"topic {topic.name}", str(error)) from None


def _missed(
    topic: Topic, runs: list[str], spans: list[_Span], overlap: float, corpus: Corpus
) -> Iterator[MissedSpan]:
    """Yield the gold spans of a question that no run finds."""
    best: dict[_Span, tuple[float, str, int]] = {}
    for run in runs:
        for rank, span, share in _ranking(topic, run).shares():
            if span not in best or share > best[span][0]:
                best[span] = share, run, rank
    for span in spans:
        share, found_by, rank_of_best = best.get(span, (0.0, None, None))
        if share < overlap:
            file, start, end = span
            text = corpus.tree(file).text[start:end]
            yield MissedSpan(topic.name, *span, text, share, found_by, rank_of_best)


def _duplicates(
    gold: _Gold,
    corpus: Corpus,
    overlap: float,
    min_similarity: float | None,
    notes: Notes,
    progress: Progress | None,
) -> tuple[list[Duplicate], int]:
    """Return the duplicates of gold, without runs, and the number of gold spans that are too short."""
    quotes = list(gold.owners)
    index = QuoteIndex(quotes, min_similarity)
    counts: Counter[int] = Counter()
    found: dict[tuple[str, str], list[Duplicate]] = {}
    for file, document in _documents(corpus, notes, progress):
        for one in index.occurrences(document):
            if counts[one.quote] > MAX_PASSAGES:
                continue
            text = quotes[one.quote]
            others = [
                (topic, span)
                for topic, span in gold.owners[text]
                if gold.gold_share(topic, file, one.start, one.end) < overlap
            ]
            counts[one.quote] += bool(others)
            if counts[one.quote] > MAX_PASSAGES:
                continue
            if one.status != "exact":
                text = document.text[one.start : one.end]
            for topic, span in others:
                where = topic, file, one.start, one.end
                new = Duplicate(*where, text, one.status, one.similarity, *span)
                found.setdefault((topic, file), []).append(new)
    frequent = sum(count > MAX_PASSAGES for count in counts.values())
    if frequent:
        notes.note(
            f"gold texts with more than {MAX_PASSAGES} duplicates, of which the first {MAX_PASSAGES} "
            f"are listed: {frequent}"
        )
    if index.incomplete:
        notes.note(
            f"gold texts that are too frequent to be searched everywhere: {len(index.incomplete)}"
        )
    short = sum(len(gold.owners[quotes[quote]]) for quote in index.short)
    if short:
        notes.note(
            f"gold spans with fewer than {MIN_CHARACTERS} characters without white space, of which no "
            f"duplicates were searched: {short}"
        )
    return [one for duplicates in found.values() for one in _outermost(duplicates)], short


def _documents(
    corpus: Corpus, notes: Notes, progress: Progress | None
) -> Iterator[tuple[str, TextIndex]]:
    """Yield all documents, parsing several at once. Note the documents that cannot be read."""
    files = list(corpus)
    for number, file in enumerate(corpus.prepared(files)):
        if progress is not None:
            progress(number, len(files))
        try:
            text = corpus.tree(file).text
        except InputError as error:
            notes.oddity("documents that cannot be read, so not searched", "", str(error))
            continue
        yield file, TextIndex(text)
    corpus.write_cache()
    if progress is not None:
        progress(len(files), len(files))


def _outermost(duplicates: list[Duplicate]) -> Iterator[Duplicate]:
    """Yield the duplicates of a document that are not inside another duplicate.

    Gold spans of a question can contain each other, and so do their duplicates.
    """
    last = 0
    for one in sorted(duplicates, key=lambda one: (one.start, -one.end, -one.similarity)):
        if one.end > last:
            last = one.end
            yield one


def _with_runs(
    source: TopicSource, runs: list[str], found: list[Duplicate], overlap: float
) -> list[Duplicate]:
    """Return the duplicates with the results that return them."""
    if not runs:
        return [one._replace(returned=[]) for one in found]
    by_topic: dict[str, list[Duplicate]] = {}
    for one in found:
        by_topic.setdefault(one.topic, []).append(one)

    def add_runs(topic: Topic) -> list[Duplicate]:
        duplicates = by_topic[topic.name]
        passages: dict[str, list[tuple[int, int, float]]] = {}
        for one in duplicates:
            passages.setdefault(one.doc, []).append((one.start, one.end, 1.0))
        returned: dict[_Span, dict[str, list[int]]] = {}
        for run in runs:
            ranking = SpanRanking(_ranking(topic, run).results, passages)
            for rank, span, share in ranking.shares():
                if share >= overlap:
                    returned.setdefault(span, {}).setdefault(run, []).append(rank)
        return [
            one._replace(returned=list(returned.get((one.doc, one.start, one.end), {}).items()))
            for one in duplicates
        ]

    # Problems were noted when the topics were first read.
    in_topics = map_topics(source, add_runs, Notes(lenient=True), list(by_topic))
    return [one for duplicates in in_topics for one in duplicates]
