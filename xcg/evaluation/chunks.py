"""Compare chunkers and retrievers on one gold set: what was found, missed, and paid for twice.

Results are scored as text, however documents were cut, by the readers of :func:`xcg.evaluate` under a
user model with ``spans: text``. Amounts of text are in one unit: characters, words or tokens.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import NamedTuple, get_args

from xcg.documents.corpus import Corpus
from xcg.documents.text_units import TextUnit
from xcg.errors import Notes, XcgError, nearest
from xcg.evaluation.campaign import Campaign
from xcg.evaluation.chunk_comparison import ChunkComparison, ChunkLine, GoldLine, ResultLine
from xcg.evaluation.curves import CurveOf
from xcg.evaluation.evaluate import list_topics, note_topics
from xcg.evaluation.inputs import Assessments, Documents, Inputs, Runs, Unanswered, UserModels
from xcg.evaluation.scoring import Progress
from xcg.gains.span_reader import GoldSpan
from xcg.gains.topic import GainCalculator, IdealRecallBase
from xcg.judgements.recall_base import MEAN
from xcg.lazy_modules import np
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
_CURVE_STEPS = 200
_SHOWN_CHARACTERS = 60
_ROUNDING = 1e-9  # amounts and shares of text below this are rounding errors


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

    Means are over the questions with gold. The scores are those of ``MAep(effort=unit)`` and
    ``nxCG(budget=unit)@N`` under :func:`xcg.evaluate`.

    Args:
        gold: The relevant text, as :func:`xcg.evaluate` takes assessments.
        runs: The runs, as :func:`xcg.evaluate` takes them.
        corpus: The documents.
        user_model: One with ``spans: text``. The default is ``spans``; ``spans-levels`` for levels of
            relevance; the model of Kazai and Lalmas 2006 with results as text for assessments on the
            four-point scales.
        budgets: Amounts of text for nxCG, whole numbers from 1.
        unit: ``characters``, ``words`` or ``tokens``.
        questions: Whether to list every gold span and result.
        unanswered: How a question without results counts: ``zero`` or ``skip``.
        ties: The order of TREC results with equal scores.
        lenient: Count wrong data as warnings instead of raising.
        progress: Called with the number of finished questions and of all.

    Raises:
        XcgError: As :func:`xcg.evaluate`; and if there is nothing to compare.

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
    budgets = _checked_budgets(budgets, unit)
    if inputs.user_model is not None:
        _ = inputs.text_model
    inputs.check()
    base, model, documents = inputs.recall_base, inputs.text_model, inputs.documents
    campaign = Campaign.of(inputs)
    if documents is None:
        raise XcgError("chunks are compared by their text: expected a corpus")
    notes = inputs.new_notes()
    summaries = [_RunSummary(run, budgets) for run in campaign.runs]
    lines: list[GoldLine | ResultLine] = []
    ideals: list[Reading] = []
    without_gold: list[str] = []
    for done, topic in enumerate(campaign.topics(notes)):
        if progress is not None:
            progress(done, len(base.topics))
        calculator = GainCalculator(topic, campaign)
        ideal = calculator.ideal(model)
        if not ideal.gains:
            without_gold.append(topic.topic)
            continue
        for summary in summaries:
            answered = summary.run in topic.rankings
            reading, best = calculator.details(summary.run, ideal, model, ()).readings(unit)
            read = _ReadRanking(calculator, summary.run, ideal, model, unit)
            summary.unanswered += not answered
            if answered or inputs.unanswered == "zero":
                summary.add(read, reading, best, answered)
            if questions:
                lines += read.gold_lines(documents)
                lines += read.result_lines(documents)
        ideals.append(best)
    if progress is not None:
        progress(len(base.topics), len(base.topics))
    note_topics(base, campaign.runs, inputs.unanswered, notes)
    if without_gold:
        notes.note(f"{model.name}: no gold text, so left out: question {list_topics(without_gold)}")
    summaries = _with_questions(summaries, model, notes)
    return ChunkComparison(
        unit,
        model.name,
        [summary.line() for summary in summaries],
        lines,
        _curves(summaries, ideals, model.name),
        notes.lines(),
    )


def _checked_budgets(budgets: Iterable[int], unit: str) -> list[int]:
    """Return the budgets, each once; XcgError for an illegal budget or unit."""
    if unit not in get_args(TextUnit):
        raise XcgError(f"unit is {unit!r}: {nearest(unit, get_args(TextUnit))}")
    checked = list(dict.fromkeys(budgets))
    for budget in checked:
        if not isinstance(budget, int) or budget < 1:
            raise XcgError(f"a budget of {budget!r} {unit}: expected a whole number from 1")
    return checked


def _with_questions(
    summaries: Sequence[_RunSummary], model: UserModel, notes: Notes
) -> list[_RunSummary]:
    """Return the runs with questions to average over, and note the others."""
    for summary in summaries:
        if not summary.readings:
            notes.note(f"{model.name}: run {summary.run} has no question to average over")
    kept = [summary for summary in summaries if summary.readings]
    if not kept:
        raise XcgError(f"nothing to compare: no question with gold text under {model.name} is answered")
    return kept


class _ReadText(NamedTuple):
    """The text of a result: all of it, what is relevant and new or seen, and what was seen at all."""

    text: float
    new: float = 0.0
    again: float = 0.0
    seen: float = 0.0


@dataclass
class _FoundGold:
    """The first result that showed a gold span, the text read before, and how much was shown."""

    rank: int
    after: float
    shown: float = 0.0


class _ReadRanking:
    """A run's ranking for a question, read result by result.

    Attributes:
        results: The text of each result.
    """

    def __init__(
        self,
        calculator: GainCalculator,
        run: str,
        ideal: IdealRecallBase,
        model: UserModel,
        unit: TextUnit,
    ) -> None:
        self._question = calculator.topic.topic
        self._run = run
        self._spans = calculator.text_spans(run)
        self._gold_in_characters = calculator.gold_in_characters(ideal, model, unit)
        topic = calculator.span_topic(ideal, model, unit)
        self._gold = topic.gold
        self._found: dict[tuple[str, int], _FoundGold] = {}
        self.results: list[_ReadText] = []
        readers = topic.readers(model.relevance_value)
        text_before = 0.0
        for position, span in enumerate(topic.in_units(self._spans)):
            if span is None:
                self.results.append(_ReadText(1.0))  # the user looks at it, as in the curves
                text_before += 1.0
                continue
            document = self._spans[position][0]
            reader = readers[document]
            start, end = span
            new = again = 0.0
            for number in reader.related(span):
                gold = reader.gold[number]
                low, high = max(start, gold.start), min(end, gold.end)
                seen = reader.seen_text(low, high)
                found = self._found.setdefault(
                    (document, number), _FoundGold(position + 1, text_before + low - start)
                )
                found.shown += high - low - seen
                new += high - low - seen
                again += seen
            amounts = map(_without_rounding, (new, again, reader.seen_text(start, end)))
            self.results.append(_ReadText(end - start, *amounts))
            reader.read(span)
            text_before += end - start

    def gold_lines(self, corpus: Corpus) -> Iterator[GoldLine]:
        """Yield the gold spans, document by document."""
        pieces: Iterator[tuple[int, GoldSpan]] = (
            piece for _, spans in sorted(self._gold.items()) for piece in enumerate(spans)
        )
        for (number, gold), (document, start, end, score) in zip(
            pieces, self._gold_in_characters, strict=True
        ):
            text = gold.end - gold.start
            found = self._found.get((document, number))
            share = found.shown / text if found is not None else 0.0
            if share > 1 - _ROUNDING:
                share = 1.0
            yield GoldLine(
                self._question,
                self._run,
                document,
                start,
                end,
                text,
                score,
                share,
                "found" if share == 1 else "partly found" if share else "missed",
                found.rank if found is not None else None,
                found.after if found is not None else None,
                _beginning(corpus, document, start, end),
            )

    def result_lines(self, corpus: Corpus) -> Iterator[ResultLine]:
        """Yield the results by rank."""
        for rank, ((document, start, end), (text, new, again, seen)) in enumerate(
            zip(self._spans, self.results, strict=True), 1
        ):
            yield ResultLine(
                self._question,
                self._run,
                rank,
                document,
                start,
                end,
                text,
                new,
                again,
                _without_rounding(text - new - again),
                seen,
                "new" if new else "paid twice" if seen else "irrelevant",
                _beginning(corpus, document, start, end),
            )


@dataclass
class _RunSummary:
    """The scores of one run, which grow question by question.

    Attributes:
        readings: For each question, what the user reads of the run and of the ideal ranking.
    """

    run: str
    budgets: Sequence[int]
    unanswered: int = 0
    nothing_found: int = 0
    readings: list[tuple[Reading, Reading]] = field(default_factory=list)
    results: list[_ReadText] = field(default_factory=list)
    found: list[float] = field(default_factory=list)
    maep: list[float] = field(default_factory=list)
    nxcg: list[Sequence[float]] = field(default_factory=list)

    def add(self, read: _ReadRanking, reading: Reading, best: Reading, answered: bool) -> None:
        """Add a question."""
        found = math.fsum(reading.gains) / math.fsum(best.gains)
        self.nothing_found += answered and found == 0
        self.readings.append((reading, best))
        self.results += read.results
        self.found.append(found)
        self.maep.append(mean_effort_precision_in_text(reading, best))
        self.nxcg.append(nxcg_at_budgets(reading, best, self.budgets).tolist())

    def line(self) -> ChunkLine:
        """Return the summary."""
        questions, chunks = len(self.readings), len(self.results)
        text = math.fsum(result.text for result in self.results)
        by_budget = zip(*self.nxcg, strict=True)
        return ChunkLine(
            self.run,
            questions,
            self.unanswered,
            self.nothing_found,
            chunks / questions,
            text / chunks if chunks else None,
            text / questions,
            fmean(self.found),
            math.fsum(result.new for result in self.results) / text if text else None,
            math.fsum(result.seen for result in self.results) / text if text else None,
            fmean(self.maep),
            {budget: fmean(scores) for budget, scores in zip(self.budgets, by_budget, strict=True)},
        )


def _curves(summaries: Sequence[_RunSummary], ideals: Sequence[Reading], model: str) -> list[CurveOf]:
    """Return gr over the text read, mean over questions, up to the most text that a run has."""
    of_runs = {summary.run: summary.readings for summary in summaries}
    texts = [reading.text for readings in of_runs.values() for reading, _ in readings]
    most = max(map(math.fsum, texts)) or max(math.fsum(ideal.text) for ideal in ideals)
    amounts = np.linspace(0.0, most, _CURVE_STEPS + 1)
    curves = []
    for run, readings in {**of_runs, IDEAL_READER: [(best, best) for best in ideals]}.items():
        heights = [gain_recall_at_budgets(reading, best, amounts) for reading, best in readings]
        mean = np.mean(heights, axis=0).tolist()
        curves.append(CurveOf(run, MEAN, "gr", model, amounts.tolist(), mean))
    return curves


def _without_rounding(amount: float) -> float:
    return amount if amount > _ROUNDING else 0.0


def _beginning(corpus: Corpus, document: str, start: int, end: int) -> str:
    """Return the beginning of a text on one line, without control characters."""
    if start == end:
        return ""
    text = corpus.tree(document).text[start : min(end, start + 4 * _SHOWN_CHARACTERS)]
    shown = "".join(c if c.isprintable() else " " for c in " ".join(text.split()))
    return shown if len(shown) <= _SHOWN_CHARACTERS else f"{shown[: _SHOWN_CHARACTERS - 1]}…"
