"""Review gold: find gold spans that no run finds, and passages that repeat gold."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from xcg.documents.approximate_search import grams
from xcg.documents.corpus import Corpus
from xcg.documents.text_normalisation import normalise
from xcg.documents.text_search import Status, TextIndex
from xcg.errors import InputError, Notes, XcgError
from xcg.evaluation.inputs import Inputs
from xcg.evaluation.parallel import Progress
from xcg.evaluation.scoring import note_topics
from xcg.evaluation.topics import TopicSource, map_topics
from xcg.gains.topic import Topic
from xcg.lazy_modules import np
from xcg.measures.rankings import RelevantText, SpanRanking


class Finding(NamedTuple):
    """A gold span that no run finds, or a passage that repeats gold and is not gold for its question.

    Attributes:
        section: ``missed`` or ``duplicate``.
        topic: The question.
        doc: The document.
        start: The first character.
        end: The character after the last.
        text: The text.
        share: The largest share of a missed span in one result; 0 if no result contains any of it.
        run: The run of this result; None without one.
        rank: The rank of this result; None without one.
        status: ``exact`` or ``normalised`` for a passage that repeats gold.
        gold_doc: The document of the gold span that it repeats.
        gold_start: The first character of the gold span.
        gold_end: The character after its last.
    """

    section: str
    topic: str
    doc: str
    start: int
    end: int
    text: str
    share: float | None = None
    run: str | None = None
    rank: int | None = None
    status: Status | None = None
    gold_doc: str | None = None
    gold_start: int | None = None
    gold_end: int | None = None


@dataclass(frozen=True)
class GoldReview:
    """The gold spans and passages to review in order to improve gold.

    Attributes:
        overlap: The least share of a gold span that a result must contain to find the span.
        runs: The names of the runs.
        spans: Number of gold spans.
        missed: The gold spans that no run finds, in the order of the questions.
        duplicates: The passages that repeat gold, in the order of the questions.
        notes: Warnings and remarks.
    """

    overlap: float
    runs: Sequence[str]
    spans: int
    missed: Sequence[Finding]
    duplicates: Sequence[Finding]
    notes: Sequence[str]


OVERLAP = 0.5
MIN_CHARACTERS = 40
"""Gold texts with fewer characters, not counting white space, occur elsewhere by accident."""

_ANCHOR = 32
"""Number of characters at the start of a text by which it is searched."""

_GoldSpan = tuple[str, int, int]
"""Document, start and end."""


def review_gold(
    inputs: Inputs, overlap: float = OVERLAP, progress: Progress | None = None
) -> GoldReview:
    """Find the gold spans and passages to review.

    Args:
        inputs: Gold, documents and, if there are any, runs.
        overlap: The least share of a gold span that a result must contain to find the span.
        progress: Called with the number of searched documents and of all documents.

    Raises:
        XcgError: As :func:`xcg.evaluate`; and if there is no corpus or no gold span.
    """
    inputs.check()
    base, documents = inputs.recall_base, inputs.documents
    if documents is None:
        raise XcgError("gold is compared with the documents: expected a corpus")
    loaded = inputs.loaded_runs if inputs.has_runs else []
    systems = [run for run in loaded if not run.is_reference]
    names = [run.name for run in systems]
    source = TopicSource(base, systems, documents, needs_elements=False)
    notes = inputs.new_notes()
    searched = _Gold(documents)

    def find_missed(topic: Topic) -> list[Finding]:
        spans = searched.add(topic)
        return list(_missed(topic, names, spans, overlap, documents)) if systems else []

    missed = [span for found in map_topics(source, find_missed, notes) for span in found]
    note_topics(base, systems, inputs.unanswered, notes)
    if not searched.owners:
        raise XcgError("nothing to review: the assessments have no gold spans")
    duplicates = _duplicates(searched, documents, overlap, notes, progress)
    position = {topic: index for index, topic in enumerate(base.topics)}
    duplicates.sort(key=lambda one: (position[one.topic], one.doc, one.start))
    spans = sum(map(len, searched.owners.values()))
    return GoldReview(overlap, names, spans, missed, duplicates, notes.lines())


@dataclass
class _Gold:
    """The gold spans of all questions.

    Attributes:
        owners: Text → the gold spans with this text, each with its question.
        gold: Question → document → all its gold text.
    """

    corpus: Corpus
    owners: dict[str, list[tuple[str, _GoldSpan]]] = field(default_factory=dict)
    gold: dict[str, dict[str, RelevantText]] = field(default_factory=dict)

    def add(self, topic: Topic) -> list[_GoldSpan]:
        """Add the gold spans of a question, and return each different span with text once."""
        ranking = _ranking(topic, "")
        spans: list[_GoldSpan] = []
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


def _ranking(topic: Topic, run: str) -> SpanRanking:
    try:
        return topic.span_ranking(run)
    except XcgError as error:
        raise InputError(f"topic {topic.name}", str(error)) from None


def _missed(
    topic: Topic, runs: list[str], spans: list[_GoldSpan], overlap: float, corpus: Corpus
) -> Iterator[Finding]:
    """Yield the gold spans of a question that no run finds."""
    best: dict[_GoldSpan, tuple[float, str, int]] = {}
    for run in runs:
        for rank, span, share in _ranking(topic, run).shares():
            if span not in best or share > best[span][0]:
                best[span] = share, run, rank
    for span in spans:
        share, found_by, rank_of_best = best.get(span, (0.0, None, None))
        if share < overlap:
            file, start, end = span
            text = corpus.tree(file).text[start:end]
            yield Finding("missed", topic.name, *span, text, share, found_by, rank_of_best)


def _duplicates(
    gold: _Gold, corpus: Corpus, overlap: float, notes: Notes, progress: Progress | None
) -> list[Finding]:
    """Return the duplicates of gold."""
    normalised = {text: normalise(text).text for text in gold.owners}
    short = [text for text, words in normalised.items() if len(words) < MIN_CHARACTERS]
    by_anchor: dict[int, list[str]] = {}
    for text, words in normalised.items():
        if len(words) >= MIN_CHARACTERS:
            by_anchor.setdefault(int(grams(words[:_ANCHOR], _ANCHOR)[0]), []).append(text)
    anchors = np.array(list(by_anchor), dtype=np.uint64)
    frequent: set[str] = set()
    found: dict[tuple[str, str], list[Finding]] = {}
    for file, document in _documents(corpus, notes, progress):
        present = anchors[np.isin(anchors, grams(document.normalised.text, _ANCHOR))]
        for text in (text for anchor in present.tolist() for text in by_anchor[anchor]):
            try:
                passages = document.find(text)
            except XcgError:  # it occurs too often
                frequent.add(text)
                continue
            for start, end in passages:
                stated = document.text[start:end]
                status: Status = "exact" if stated == text.strip() else "normalised"
                for topic, span in gold.owners[text]:
                    known = gold.gold[topic].get(file)
                    share = known.count(start, end) / (end - start) if known is not None else 0.0
                    if share < overlap:
                        place = "duplicate", topic, file, start, end, stated
                        new = Finding(*place, None, None, None, status, *span)
                        found.setdefault((topic, file), []).append(new)
    if frequent:
        notes.note(f"gold texts that are too frequent to be searched everywhere: {len(frequent)}")
    too_short = sum(len(gold.owners[text]) for text in short)
    if too_short:
        notes.note(
            f"gold spans with fewer than {MIN_CHARACTERS} characters without white space, of which no "
            f"duplicates were searched: {too_short}"
        )
    return [one for duplicates in found.values() for one in _outermost(duplicates)]


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


def _outermost(duplicates: list[Finding]) -> Iterator[Finding]:
    """Yield the duplicates of a document that are not inside another duplicate.

    Gold spans of a question can contain each other, and so do their duplicates.
    """
    last = 0
    for one in sorted(duplicates, key=lambda one: (one.start, -one.end)):
        if one.end > last:
            last = one.end
            yield one
