"""Chunkers and retrievers compared on one gold set: what was found, missed, and paid for twice.

Results are read as text, whatever cut them, by the steps of :func:`xcg.evaluate` under a user model
with ``spans: text``. Amounts of text are in one unit: characters, words or tokens.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import NamedTuple, get_args

import numpy as np

from xcg.documents.corpus import Corpus
from xcg.documents.text_units import TextUnit
from xcg.errors import Notes, XcgError, nearest
from xcg.evaluation.campaign import Campaign
from xcg.evaluation.curves import CurveOf
from xcg.evaluation.evaluate import note_topics, some_topics
from xcg.evaluation.inputs import Assessments, Documents, Inputs, Runs, Unanswered, UserModels
from xcg.evaluation.scoring import Progress
from xcg.gains.element_reader import NEGLIGIBLE
from xcg.gains.span_reader import SpanReader
from xcg.gains.topic import IdealTopic, Stages
from xcg.judgements.recall_base import MEAN
from xcg.measures.text_effort import (
    gain_recall_at_budgets,
    mean_effort_precision_in_text,
    nxcg_at_budgets,
)
from xcg.measures.topic_gains import Reading
from xcg.runs.run import Ties
from xcg.user_model.model import UserModel

BUDGETS = (500, 2000)
IDEAL_READER = "ideal reader"
_STEPS = 200
"""How many points a curve has beside its start."""
_SHOWN = 60
"""How many characters of a text are shown, so that a reader recognises it."""


class ChunkLine(NamedTuple):
    """What one run returned and what it was worth.

    run: its name. questions: over how many the means are. unanswered: for how many questions with gold
    it returned nothing. nothing_found: for how many it returned something, and none of the gold.
    chunks: returned for a question, in the mean. chunk_size: the text of a chunk, in the mean over all
    chunks. text: read for a question, in the mean. found: the share of the gold's gain in all that was
    returned, gr(∞), in the mean. useful: the share of all text read that was relevant and new. twice:
    the share of all text read that was seen before. maep: MAep(effort=unit). nxcg: budget →
    nxCG(budget=unit)@budget. What is a share of nothing is None.
    """

    run: str
    questions: int
    unanswered: int
    nothing_found: int
    chunks: float
    chunk_size: float | None
    text: float
    found: float
    useful: float | None
    twice: float | None
    maep: float
    nxcg: dict[int, float]


class GoldLine(NamedTuple):
    """What a run showed of one gold span.

    start, end: characters of the document's text; gold that overlaps is told in pieces, as
    ``xcg ideal`` does. text: how much it is. score: its gain. found: the share of its text that was
    shown. verdict: ``found``, ``partly found`` or ``missed``. rank: where it was first met. after: how
    much text was read before that. words: how it begins.
    """

    question: str
    run: str
    doc: str
    start: int
    end: int
    text: float
    score: float
    found: float
    verdict: str
    rank: int | None
    after: float | None
    words: str


class ResultLine(NamedTuple):
    """What one result cost, and what of it was new.

    text = new + again + irrelevant. new: relevant, and not seen before. again: relevant, and seen
    before. irrelevant: the rest. seen: seen before, relevant or not. verdict: ``new`` where some of it
    is relevant and new, else ``paid twice`` where some of it was seen before, else ``irrelevant``.
    words: how it begins.
    """

    question: str
    run: str
    rank: int
    doc: str
    start: int
    end: int
    text: float
    new: float
    again: float
    irrelevant: float
    seen: float
    verdict: str
    words: str


@dataclass(frozen=True)
class ChunkComparison:
    """Runs compared as text.

    unit: of all amounts of text. lines: a line a run. questions: for every question and run its gold
    spans and then its results, where that was asked for. curves: the share of the gold's gain over the
    text read, a curve a run and one of the ideal reader, means over questions. notes: what is worth
    telling beside the figures.
    """

    unit: TextUnit
    user_model: str
    lines: Sequence[ChunkLine]
    questions: Sequence[GoldLine | ResultLine]
    curves: Sequence[CurveOf]
    notes: Sequence[str]

    def to_records(self) -> list[dict[str, object]]:
        """Return a plain object a run; amounts of text are called after the unit."""
        return [
            {
                "run": line.run,
                "questions": line.questions,
                "unanswered": line.unanswered,
                "nothing found": line.nothing_found,
                "chunks": line.chunks,
                f"{self.unit}/chunk": line.chunk_size,
                self.unit: line.text,
                "found": line.found,
                "useful": line.useful,
                "twice": line.twice,
                "MAep": line.maep,
                **{f"nxCG@{budget}": value for budget, value in line.nxcg.items()},
            }
            for line in self.lines
        ]

    def gold_records(self) -> list[dict[str, object]]:
        """Return a plain object a question, run and gold span."""
        return [self._record(line) for line in self.questions if isinstance(line, GoldLine)]

    def result_records(self) -> list[dict[str, object]]:
        """Return a plain object a question, run and result."""
        return [self._record(line) for line in self.questions if isinstance(line, ResultLine)]

    def question_records(self) -> list[dict[str, object]]:
        """Return both with the same keys, None standing for what one of them has not."""
        empty = dict.fromkeys(self.unit if name == "text" else name for name in _FIELDS)
        return [
            {**empty, "kind": "gold" if isinstance(line, GoldLine) else "result", **self._record(line)}
            for line in self.questions
        ]

    def _record(self, line: GoldLine | ResultLine) -> dict[str, object]:
        return {self.unit if k == "text" else k: value for k, value in line._asdict().items()}


_FIELDS = (
    *("question", "run", "kind", "rank", "doc", "start", "end", "text", "score", "found", "after"),
    *("new", "again", "irrelevant", "seen", "verdict", "words"),
)


def compare_chunks(
    gold: Assessments,
    runs: Runs,
    corpus: Documents,
    user_model: UserModels | None = None,
    budgets: Iterable[int] = BUDGETS,
    unit: TextUnit = "tokens",
    *,
    questions: bool = False,
    unanswered: Unanswered = "zero",
    ties: Ties = "document",
    lenient: bool = False,
    progress: Progress | None = None,
) -> ChunkComparison:
    """Compare runs of chunks, passages or elements as text, on one gold set.

    gold, runs, corpus, unanswered, ties, lenient, progress: as :func:`xcg.evaluate` takes them.
    user_model: one with ``spans: text``; by default ``spans``, or ``spans-levels`` where there are
    levels of relevance, or the model of Kazai & Lalmas 2006 with results as text where there are
    assessments on the four-point scales. budgets: amounts of text for nxCG, whole numbers from 1. unit:
    characters, words or tokens. questions: tell every gold span and result too.

    Means are over the questions with gold, an unanswered one counting 0. The figures are those of
    ``MAep(effort=unit)`` and ``nxCG(budget=unit)@N`` under :func:`xcg.evaluate`.

    Raises XcgError as :func:`xcg.evaluate`, and where there is nothing to compare.

    >>> chunks = [{"doc": "bees", "start": 0, "end": 8}, {"doc": "bees", "start": 4, "end": 12}]
    >>> gold, runs = {"1": {"bees": [(4, 8)]}}, {"r": {"1": chunks}}
    >>> found = compare_chunks(gold, runs, {"bees": "aaa bbb ccc ddd"}, budgets=[1, 2])
    >>> (line,) = found.lines
    >>> line.text, line.found, line.useful, line.twice, line.nxcg
    (4.0, 1.0, 0.25, 0.25, {1: 0.0, 2: 1.0})
    """
    inputs = Inputs(gold, runs, corpus, user_model, unanswered=unanswered, ties=ties, lenient=lenient)
    return compare_chunks_of_inputs(inputs, budgets, unit, questions=questions, progress=progress)


def compare_chunks_of_inputs(
    inputs: Inputs,
    budgets: Iterable[int] = BUDGETS,
    unit: TextUnit = "tokens",
    *,
    questions: bool = False,
    progress: Progress | None = None,
) -> ChunkComparison:
    """Compare runs as text, as :func:`compare_chunks` does."""
    budgets = _checked(budgets, unit)
    inputs.check_options()
    base, model, documents = inputs.recall_base, inputs.text_model, inputs.documents
    loaded, unanswered = inputs.loaded_runs, inputs.unanswered
    notes = Notes(inputs.lenient)
    notes.take(inputs.notes)
    if documents is None:
        raise XcgError("chunks are compared by their text: expected a corpus")
    campaign = Campaign(base, loaded, documents, notes, check_later=True)
    tallies = [_Tally(run.name, budgets) for run in loaded]
    told: list[GoldLine | ResultLine] = []
    ideals: list[Reading] = []
    without_gold: list[str] = []
    for done, topic in enumerate(base.topics):
        if progress is not None:
            progress(done, len(base.topics))
        stages = Stages(campaign.topic(topic), campaign)
        ideal = stages.ideal(model)
        if not ideal.gains:
            without_gold.append(topic)
            continue
        for tally in tallies:
            answered = tally.run in stages.view.rankings
            reading, best = stages.details(tally.run, ideal, model, ()).readings(unit)
            read = _Read(stages, tally.run, ideal, model, unit)
            tally.unanswered += not answered
            if answered or unanswered == "zero":
                tally.add(read, reading, best, answered)
            if questions:
                told += read.lines(documents)
        ideals.append(best)
    campaign.check_results()
    if progress is not None:
        progress(len(base.topics), len(base.topics))
    note_topics(base, {run.name: run for run in loaded}, unanswered, notes)
    if without_gold:
        notes.note(f"{model.name}: no gold text, so left out: question {some_topics(without_gold)}")
    tallies = _with_questions(tallies, model, notes)
    return ChunkComparison(
        unit,
        model.name,
        [tally.line() for tally in tallies],
        told,
        _curves(tallies, ideals, model.name),
        notes.lines(),
    )


def _checked(budgets: Iterable[int], unit: str) -> list[int]:
    """Return the budgets, each once; XcgError for an illegal budget or unit."""
    if unit not in get_args(TextUnit):
        raise XcgError(f"unit is {unit!r}: {nearest(unit, get_args(TextUnit))}")
    found = list(dict.fromkeys(budgets))
    for budget in found:
        if not isinstance(budget, int) or budget < 1:
            raise XcgError(f"a budget of {budget!r} {unit}: expected a whole number from 1")
    return found


def _with_questions(tallies: Sequence[_Tally], model: UserModel, notes: Notes) -> list[_Tally]:
    """Return what can be averaged, and note the runs that cannot; XcgError where none can."""
    for tally in tallies:
        if not tally.readings:
            notes.note(f"{model.name}: run {tally.run} has no question to average over")
    kept = [tally for tally in tallies if tally.readings]
    if not kept:
        raise XcgError(f"nothing to compare: no question with gold text under {model.name} is answered")
    return kept


class _Shown(NamedTuple):
    """Of a result: its text, what of it is relevant and new or seen, and what was seen at all."""

    text: float
    new: float = 0.0
    again: float = 0.0
    seen: float = 0.0


@dataclass
class _Met:
    """How far a gold span was shown, and where it was first met."""

    rank: int
    after: float
    shown: float = 0.0


class _Read:
    """What a user reads of a run for a topic, result by result."""

    def __init__(
        self, stages: Stages, run: str, ideal: IdealTopic, model: UserModel, unit: TextUnit
    ) -> None:
        self._stages, self._run, self._under = stages, run, (ideal, model, unit)
        self._gold = stages.gold(ideal, model, unit)
        self._spans = stages.spans(run)
        self._met: dict[tuple[str, int], _Met] = {}
        self._watched: dict[int, _Shown] = {}
        self._text_before = 0.0
        read, _ = stages.read(run, ideal, model, unit, self._watch)
        # A result without text has to be looked at, as in the curves.
        self.results = [self._watched.get(place, _Shown(1.0)) for place in range(len(read))]

    def _watch(self, place: int, start: float, end: float, reader: SpanReader) -> None:
        document = self._spans[place][0]
        before = self._text_before + place - len(self._watched)  # results without text cost 1 each
        new = again = 0.0
        for number in reader.touched(start, end):
            gold = reader.gold[number]
            low, high = max(start, gold.start), min(end, gold.end)
            seen = reader.seen(low, high)
            met = self._met.get((document, number))
            if met is None:
                met = self._met[document, number] = _Met(place + 1, before + low - start)
            met.shown += high - low - seen
            new += high - low - seen
            again += seen
        self._watched[place] = _Shown(end - start, *map(_amount, (new, again, reader.seen(start, end))))
        self._text_before += end - start

    def lines(self, corpus: Corpus) -> Iterator[GoldLine | ResultLine]:
        """Yield the gold spans, document by document, and then the results by rank."""
        topic = self._stages.view.topic
        pieces = (
            (number, gold.end - gold.start)
            for _, spans in sorted(self._gold.items())
            for number, gold in enumerate(spans)
        )
        places = self._stages.gold_in_characters(*self._under)
        for (number, text), (document, start, end, score) in zip(pieces, places, strict=True):
            met = self._met.get((document, number))
            found = _share(met.shown / text) if met is not None else 0.0
            yield GoldLine(
                topic,
                self._run,
                document,
                start,
                end,
                text,
                score,
                found,
                "found" if found == 1 else "partly found" if found else "missed",
                met.rank if met is not None else None,
                met.after if met is not None else None,
                _words(corpus, document, start, end),
            )
        for place, ((document, start, end), shown) in enumerate(
            zip(self._spans, self.results, strict=True)
        ):
            text, new, again, seen = shown
            yield ResultLine(
                topic,
                self._run,
                place + 1,
                document,
                start,
                end,
                text,
                new,
                again,
                _amount(text - new - again),
                seen,
                "new" if new else "paid twice" if seen else "irrelevant",
                _words(corpus, document, start, end),
            )


@dataclass
class _Tally:
    """The figures of one run, filled question by question."""

    run: str
    budgets: Sequence[int]
    unanswered: int = 0
    nothing_found: int = 0
    readings: list[tuple[Reading, Reading]] = field(default_factory=list)
    """What was read of the run, and what the ideal reader reads."""
    chunks: int = 0
    text: list[float] = field(default_factory=list)
    new: list[float] = field(default_factory=list)
    seen: list[float] = field(default_factory=list)
    found: list[float] = field(default_factory=list)
    maep: list[float] = field(default_factory=list)
    nxcg: list[Sequence[float]] = field(default_factory=list)

    def add(self, read: _Read, reading: Reading, best: Reading, answered: bool) -> None:
        """Add a question."""
        found = math.fsum(reading.gains) / math.fsum(best.gains)
        self.nothing_found += answered and found == 0
        self.readings.append((reading, best))
        self.chunks += len(read.results)
        self.text += [shown.text for shown in read.results]
        self.new += [shown.new for shown in read.results]
        self.seen += [shown.seen for shown in read.results]
        self.found.append(found)
        self.maep.append(mean_effort_precision_in_text(reading, best))
        self.nxcg.append(nxcg_at_budgets(reading, best, self.budgets).tolist())

    def line(self) -> ChunkLine:
        """Return the line of the run."""
        questions, text = len(self.readings), math.fsum(self.text)
        columns = zip(*self.nxcg, strict=True)
        return ChunkLine(
            self.run,
            questions,
            self.unanswered,
            self.nothing_found,
            self.chunks / questions,
            text / self.chunks if self.chunks else None,
            text / questions,
            fmean(self.found),
            math.fsum(self.new) / text if text else None,
            math.fsum(self.seen) / text if text else None,
            fmean(self.maep),
            {n: fmean(column) for n, column in zip(self.budgets, columns, strict=True)},
        )


def _curves(tallies: Sequence[_Tally], ideals: Sequence[Reading], model: str) -> list[CurveOf]:
    """Return gr over the text read, in the mean over questions, up to the most that a run reads."""
    of_runs = {tally.run: tally.readings for tally in tallies}
    texts = [reading.text for readings in of_runs.values() for reading, _ in readings]
    most = max(map(math.fsum, texts)) or max(math.fsum(ideal.text) for ideal in ideals)
    places = np.linspace(0.0, most, _STEPS + 1)
    found = []
    for run, readings in {**of_runs, IDEAL_READER: [(best, best) for best in ideals]}.items():
        heights = [gain_recall_at_budgets(reading, best, places) for reading, best in readings]
        mean = np.mean(heights, axis=0).tolist()
        found.append(CurveOf(run, MEAN, "gr", model, places.tolist(), mean))
    return found


def _amount(text: float) -> float:
    """Return an amount of text without what rounding leaves of none."""
    return text if text > NEGLIGIBLE else 0.0


def _share(share: float) -> float:
    return 1.0 if share > 1 - NEGLIGIBLE else share


def _words(corpus: Corpus, document: str, start: int, end: int) -> str:
    """Return how a text begins, on one line and without what a terminal would take for a command."""
    if start == end:
        return ""
    words = " ".join(corpus.tree(document).text[start : min(end, start + 4 * _SHOWN)].split())
    shown = "".join(c if c.isprintable() else " " for c in words)
    return shown if len(shown) <= _SHOWN else f"{shown[: _SHOWN - 1]}…"
