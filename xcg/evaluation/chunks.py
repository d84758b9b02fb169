"""Compare chunkers and retrievers on one gold set: found, missed and repeatedly returned text.

Results are scored as text, so documents can be split in different ways. The readers are those of
:func:`xcg.evaluate` under a user model with ``spans: text``. Amounts of text are tokens.
"""

from __future__ import annotations

import math
from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from statistics import fmean
from typing import Any

from xcg.documents.corpus import Corpus
from xcg.documents.text_units import IntervalSet, TextUnit
from xcg.errors import Notes, XcgError
from xcg.evaluation.evaluate import evaluate
from xcg.evaluation.inputs import Inputs, Measures
from xcg.evaluation.parallel import Progress
from xcg.evaluation.results import Result, Results
from xcg.evaluation.scoring import list_topics, note_topics
from xcg.evaluation.topics import TopicSource, map_topics
from xcg.gains.judged_topic import IdealRecallBase
from xcg.gains.span_reader import ReadResult
from xcg.gains.topic import Topic, reading_of
from xcg.judgements.recall_base import MEAN
from xcg.measures import MEASURES, Measure
from xcg.measures.effort import mean_effort_precision_in_text
from xcg.measures.topic_gains import Reading
from xcg.user_model.model import UserModel

Row = dict[str, Any]

BUDGETS = (500, 2000)
_UNIT: TextUnit = "tokens"
_SHOWN_CHARACTERS = 60
_ROUNDING = 1e-9  # amounts and shares of text below this are rounding errors


@dataclass(frozen=True)
class ChunkComparison:
    """Runs compared as text.

    Attributes:
        rows: One row per run: ``questions`` in the means; ``unanswered``, those with gold and without
            results; ``nothing found``, those with results and without any of the gold; means per
            question of ``chunks``, of text per chunk, and of the text read; ``found``, the mean share
            of the gold's gain in all results, gr(∞); ``useful`` and ``twice``, the shares of all text
            read that was relevant and new, and that had been seen before, None without text; MAep and
            nxCG with effort in text; and the further measures, None if undefined for all questions.
        questions: If asked for, for every question and run the gold spans (``kind`` gold) with the
            share ``found``, the ``rank`` of the first result that showed some of it, and the amount
            that the user pays before (``after``), as the charge of the user model decides; and the
            results, whose text is ``new`` + ``again`` (relevant text; again: seen before) +
            ``irrelevant``, and of which ``seen`` had been seen before, relevant or not.
        notes: Warnings and remarks.
        scores: The scores of each question, without greedy references.
    """

    rows: Sequence[Row]
    questions: Sequence[Row]
    notes: Sequence[str]
    scores: Results


def compare_chunks(
    inputs: Inputs,
    budgets: Iterable[int] = BUDGETS,
    measures: Measures = (),
    *,
    questions: bool = False,
    progress: Progress | None = None,
) -> ChunkComparison:
    """Compare runs as text: how much gold their results contain, and how much has to be read.

    Args:
        inputs: Gold, runs, a corpus and at most one user model with ``spans: text``.
        budgets: The tokens after which nxCG is computed, from 1.
        measures: Further measures; those that the table has anyway are left out.
        questions: Whether to list every gold span and result.
        progress: Shows progress.

    Raises:
        XcgError: As :func:`xcg.evaluate`; and without a corpus.
    """
    budgets = list(dict.fromkeys(budgets))
    columns = ("MAep", *(f"nxCG@{budget}" for budget in budgets))  # with effort in text
    named = MEASURES.parse_all(measures) if measures else []
    further = [one for one in named if str(one) not in columns]
    if inputs.user_model is not None:
        _ = inputs.text_model
    inputs.check()
    base, model, documents = inputs.recall_base, inputs.text_model, inputs.documents
    if documents is None:
        raise XcgError("chunks are compared by their text: expected a corpus")
    runs = {run.name: run for run in inputs.loaded_runs}
    notes = inputs.new_notes()
    scores = [_RunScores(run, {name: array("d") for name in ("tokens", "new", "seen")}) for run in runs]
    listed: list[Row] = []
    without_gold: list[str] = []

    def add(topic: Topic) -> None:
        ideal = topic.ideal(model)
        if not ideal.gains:
            without_gold.append(topic.name)
            return
        best = topic.ideal_reading(ideal, model, _UNIT)
        for of_run in scores:
            answered = of_run.run in topic.rankings
            read = _read(topic, of_run.run, ideal, model)
            reading = reading_of(read.results, model.effort.charge)
            of_run.unanswered += not answered
            if answered or inputs.unanswered == "zero":
                of_run.questions.append(topic.name)
                of_run.readings.append((reading, best))
                for name, amounts in of_run.amounts.items():
                    amounts.extend(row[name] for row in read.rows)
                of_run.nothing_found += answered and math.fsum(reading.gains) == 0
            if questions:
                gold = _gold_rows(topic, of_run.run, read, ideal, model)
                rows = chain(gold, read.rows)
                listed.extend({**row, "words": _beginning(documents, row)} for row in rows)

    map_topics(TopicSource.of(inputs), add, notes, progress=progress)
    note_topics(base, runs, inputs.unanswered, notes)
    notes.note(f"{model.name}: tokens are counted by the tokenizer {model.effort.tokenizer}")
    if without_gold:
        notes.note(f"{model.name}: no gold text, so left out: question {list_topics(without_gold)}")
    scores = _with_questions(scores, model, notes)
    further_scores = _evaluate(inputs, model, further) if further else []
    means = {(row.run, row.measure): row.value for row in further_scores if row.topic == MEAN}
    by_question = {of_run.run: list(of_run.results(budgets, model.name)) for of_run in scores}
    systems = {name for name, run in runs.items() if not run.is_reference}
    return ChunkComparison(
        [
            {
                **_row(of_run, by_question[of_run.run]),
                **{str(one): means.get((of_run.run, str(one))) for one in further},
            }
            for of_run in scores
        ],
        listed,
        notes.lines(),
        Results(row for row in chain(*by_question.values(), further_scores) if row.run in systems),
    )


def _evaluate(inputs: Inputs, model: UserModel, measures: Sequence[Measure]) -> list[Result]:
    """Return the scores that :func:`xcg.evaluate` computes."""
    loaded = replace(
        inputs,
        assessments=inputs.recall_base,
        runs=inputs.loaded_runs,
        corpus=inputs.documents,
        user_model=model,
        measures=measures,
        strategies=(),
    )
    return list(evaluate(loaded))


def _with_questions(scores: Sequence[_RunScores], model: UserModel, notes: Notes) -> list[_RunScores]:
    """Return the runs with questions to average over, and note the others."""
    for of_run in scores:
        if not of_run.readings:
            notes.note(f"{model.name}: run {of_run.run} has no question to average over")
    kept = [of_run for of_run in scores if of_run.readings]
    if not kept:
        raise XcgError(f"nothing to compare: no question with gold text under {model.name} is answered")
    return kept


@dataclass
class _RunScores:
    """The readings and results of one run, which are added question by question.

    Attributes:
        questions: The questions to average over.
        readings: For each of them, what the user reads of the run and of the ideal ranking.
        unanswered: Number of questions without results.
        nothing_found: Number of questions with results but without relevant text.
        amounts: The text of each result of all questions; of it, the relevant text that had not been
            seen before, and the text that had been seen before.
    """

    run: str
    amounts: dict[str, array[float]]
    unanswered: int = 0
    nothing_found: int = 0
    questions: list[str] = field(default_factory=list)
    readings: list[tuple[Reading, Reading]] = field(default_factory=list)

    def results(self, budgets: Sequence[int], model: str) -> Iterator[Result]:
        """Yield MAep and nxCG of each question."""
        for question, (run, ideal) in zip(self.questions, self.readings, strict=True):
            nxcg = run.gain_at(budgets) / ideal.gain_at(budgets)
            yield Result(self.run, question, "MAep", mean_effort_precision_in_text(run, ideal), model)
            for budget, value in zip(budgets, nxcg.tolist(), strict=True):
                yield Result(self.run, question, f"nxCG@{budget}", value, model)


def _row(scores: _RunScores, results: Iterable[Result]) -> Row:
    """Return the means of a run over its questions."""
    values: dict[str, list[float]] = defaultdict(list)
    for result in results:
        values[result.measure].append(result.value)
    readings, count = scores.readings, len(scores.amounts["tokens"])
    text, new, seen = map(math.fsum, scores.amounts.values())
    return {
        "run": scores.run,
        "questions": len(readings),
        "unanswered": scores.unanswered,
        "nothing found": scores.nothing_found,
        "chunks": count / len(readings),
        "tokens/chunk": text / count if count else None,
        "tokens": text / len(readings),
        "found": fmean(math.fsum(reading.gains) / math.fsum(best.gains) for reading, best in readings),
        "useful": new / text if text else None,
        "twice": seen / text if text else None,
        **{measure: fmean(of_measure) for measure, of_measure in values.items()},
    }


@dataclass
class _ReadRanking:
    """A ranking of one question after reading.

    Attributes:
        results: The results after reading.
        rows: The same, as rows without words.
        shown: The text of each gold span that was shown: document and number → amount.
        first: Document and number of a gold span → the first result with a gain on it, and the text
            read before this gain.
    """

    results: list[ReadResult] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    shown: dict[tuple[str, int], float] = field(default_factory=partial(defaultdict, float))
    first: dict[tuple[str, int], tuple[int, float]] = field(default_factory=dict)


def _read(topic: Topic, run: str, ideal: IdealRecallBase, model: UserModel) -> _ReadRanking:
    """Read a ranking result by result."""
    question, gold = topic.name, topic.span_topic(ideal, model, _UNIT)
    found = _ReadRanking()
    readers = gold.readers(model.relevance_value)
    seen_without_gold: dict[str, IntervalSet[float]] = defaultdict(IntervalSet)
    spans = topic.text_spans(run, model)
    before = 0.0
    others = topic.other_amounts(run, model, _UNIT)
    for rank, (named, span) in enumerate(zip(spans, gold.in_units(spans), strict=True), 1):
        other = others.get(rank - 1, 0.0)
        text = other or 1.0  # the user looks at an empty result, as in the curves
        new = again = seen = 0.0
        document = named[0]
        if span is None:
            read = gold.unread(*named)
        elif not gold.gold.get(document):
            start, end = span
            text = other + end - start
            seen = _without_rounding(seen_without_gold[document].amount(start, end))
            seen_without_gold[document].add(start, end)
            read = ReadResult(start, end, 0.0, ())
        else:
            reader, (start, end) = readers[document], span
            text = other + end - start
            for number in reader.related(span):
                low, high = max(start, reader.gold[number].start), min(end, reader.gold[number].end)
                known = reader.seen_text(low, high)
                found.shown[document, number] += high - low - known
                new += high - low - known
                again += known
            new, again, seen = map(_without_rounding, (new, again, reader.seen_text(start, end)))
            read = reader.read_parts(span)
            for number, amount in read.text_before_gold(model.effort.charge).items():
                found.first.setdefault((document, number), (rank, before + other + amount))
        read = read._replace(other=other)
        before += text
        irrelevant = _without_rounding(text - new - again)
        verdict = "new" if new else "paid twice" if seen else "irrelevant"
        found.results.append(read)
        found.rows.append(
            {
                **{"question": question, "run": run, "kind": "result", "rank": rank},
                **dict(zip(("doc", "start", "end"), named, strict=True)),
                **{"tokens": text, "new": new, "again": again, "irrelevant": irrelevant},
                **{"seen": seen, "verdict": verdict},
            }
        )
    return found


def _gold_rows(
    topic: Topic,
    run: str,
    read: _ReadRanking,
    ideal: IdealRecallBase,
    model: UserModel,
) -> Iterator[Row]:
    """Yield what a ranking showed of each gold span, without words.

    Overlapping gold is listed in pieces, as ``xcg explain`` does.
    """
    gold = topic.span_topic(ideal, model, _UNIT)
    for document, pieces in topic.gold_in_characters(ideal, model, _UNIT).items():
        for number, (begin, stop, score) in enumerate(pieces):
            piece = gold.gold[document][number]
            amount = piece.end - piece.start
            share = read.shown[document, number] / amount
            if share > 1 - _ROUNDING:
                share = 1.0
            rank, read_before = read.first.get((document, number), (None, None))
            yield {
                **{"question": topic.name, "run": run, "kind": "gold"},
                **{"doc": document, "start": begin, "end": stop},
                **{"tokens": amount, "score": score, "found": share},
                "verdict": "found" if share == 1 else "partly found" if share else "missed",
                **{"rank": rank, "after": read_before},
            }


def _without_rounding(amount: float) -> float:
    return amount if amount > _ROUNDING else 0.0


def _beginning(corpus: Corpus, row: Row) -> str:
    """Return the beginning of a text on one line, without control characters."""
    start, end = row["start"], row["end"]
    if start == end:
        return ""
    text = corpus.tree(row["doc"]).text[start : min(end, start + 4 * _SHOWN_CHARACTERS)]
    shown = "".join(c if c.isprintable() else " " for c in " ".join(text.split()))
    return shown if len(shown) <= _SHOWN_CHARACTERS else f"{shown[: _SHOWN_CHARACTERS - 1]}…"
