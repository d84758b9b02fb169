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
from xcg.errors import XcgError
from xcg.evaluation.evaluate import evaluate
from xcg.evaluation.inputs import Inputs, Measures
from xcg.evaluation.parallel import Progress
from xcg.evaluation.results import Results
from xcg.evaluation.scoring import list_topics, note_topics
from xcg.evaluation.topics import TopicSource, map_topics
from xcg.gains.judged_topic import IdealRecallBase
from xcg.gains.span_reader import ReadResult
from xcg.gains.topic import Topic, reading_of
from xcg.measures import MEASURES
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

    Nuggets count in measures only: to columns about text, a text that states a nugget is gold.

    Args:
        inputs: Gold, runs, a corpus and at most one user model with ``spans: text``.
        budgets: The tokens after which nxCG is computed, from 1.
        measures: Further measures; those that the table has anyway are left out.
        questions: Whether to list every gold span and result.
        progress: Shows progress.

    Raises:
        XcgError: As :func:`xcg.evaluate`; and without a corpus.
    """
    scored = {"MAep": "MAep(effort=tokens)"}
    scored |= {f"nxCG@{budget}": f"nxCG(budget=tokens)@{budget}" for budget in budgets}
    columns = {column: MEASURES.parse(name) for column, name in scored.items()}
    further = MEASURES.parse_all(measures) if measures else []
    columns |= {str(one): one for one in further if str(one) not in columns}
    if inputs.user_model is not None:
        _ = inputs.text_model
    inputs.check()
    base, model, documents = inputs.recall_base, inputs.text_model, inputs.documents
    if documents is None:
        raise XcgError("chunks are compared by their text: expected a corpus")
    runs = {run.name: run for run in inputs.loaded_runs}
    notes = inputs.new_notes()
    counts = {run: _RunCounts() for run in runs}
    listed: list[Row] = []
    without_gold: list[str] = []

    def add(topic: Topic) -> None:
        topic = replace(topic, nuggets={})  # text is counted, whatever it states
        ideal = topic.ideal(model)
        if not ideal.gains:
            without_gold.append(topic.name)
            return
        best = topic.ideal_reading(ideal, model, _UNIT)
        for run, counted in counts.items():
            answered = run in topic.rankings
            read = _read(topic, run, ideal, model)
            counted.unanswered += not answered
            if answered or inputs.unanswered == "zero":
                gain = math.fsum(reading_of(read.results, model.effort.charge).gains)
                counted.found.append(gain / math.fsum(best.gains))
                counted.nothing_found += answered and gain == 0
                for name, amounts in counted.amounts.items():
                    amounts.extend(row[name] for row in read.rows)
            if questions:
                gold = _gold_rows(topic, run, read, ideal, model)
                rows = chain(gold, read.rows)
                listed.extend({**row, "words": _beginning(documents, row)} for row in rows)

    map_topics(TopicSource.of(inputs), add, notes, progress=progress)
    note_topics(base, inputs.loaded_runs, inputs.unanswered, notes)
    notes.note(f"{model.name}: tokens are counted by the tokenizer {model.effort.tokenizer}")
    if without_gold:
        notes.note(f"{model.name}: no gold text, so left out: question {list_topics(without_gold)}")
    for run in [run for run, counted in counts.items() if not counted.found]:
        notes.note(f"{model.name}: run {run} has no question to average over")
        del counts[run]
    if not counts:
        raise XcgError(f"nothing to compare: no question with gold text under {model.name} is answered")
    results = evaluate(
        replace(
            inputs,
            assessments=base,
            runs=inputs.loaded_runs,
            corpus=documents,
            user_model=model,
            measures=[*columns.values()],
            strategies=(),
        )
    )
    means = {(row.run, row.measure): row.value for row in results.means()}
    rows = []
    for run, counted in counts.items():
        scores = {column: means.get((run, str(one))) for column, one in columns.items()}
        rows.append({"run": run, **counted.row(), **scores})
    return ChunkComparison(
        rows,
        listed,
        notes.lines(),
        Results(
            row._replace(measure=column)
            for row in results
            for column, one in columns.items()
            if row.measure == str(one) and not runs[row.run].is_reference
        ),
    )


@dataclass
class _RunCounts:
    """What is counted of one run, question by question.

    Attributes:
        found: The share of the gold's gain for each question to average over.
        unanswered: Number of questions without results.
        nothing_found: Number of questions with results but without relevant text.
        amounts: The text of each result of all questions; of it, the relevant text that had not been
            seen before, and the text that had been seen before.
    """

    found: list[float] = field(default_factory=list)
    unanswered: int = 0
    nothing_found: int = 0
    amounts: dict[str, array[float]] = field(
        default_factory=lambda: {name: array("d") for name in ("tokens", "new", "seen")}
    )

    def row(self) -> Row:
        """Return the columns before the scores."""
        questions, count = len(self.found), len(self.amounts["tokens"])
        text, new, seen = map(math.fsum, self.amounts.values())
        return {
            "questions": questions,
            "unanswered": self.unanswered,
            "nothing found": self.nothing_found,
            "chunks": count / questions,
            "tokens/chunk": text / count if count else None,
            "tokens": text / questions,
            "found": fmean(self.found),
            "useful": new / text if text else None,
            "twice": seen / text if text else None,
        }


@dataclass
class _ReadRanking:
    """A ranking of one question after reading.

    Attributes:
        results: The results in documents with gold, after reading.
        rows: All results, as rows without words.
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
        if span is not None and not gold.gold.get(document):
            start, end = span
            text = other + end - start
            seen = _without_rounding(seen_without_gold[document].amount(start, end))
            seen_without_gold[document].add(start, end)
        elif span is not None:
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
            found.results.append(read)
            for number, amount in read.text_before_gold(model.effort.charge).items():
                found.first.setdefault((document, number), (rank, before + other + amount))
        before += text
        irrelevant = _without_rounding(text - new - again)
        verdict = "new" if new else "paid twice" if seen else "irrelevant"
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
    topic: Topic, run: str, read: _ReadRanking, ideal: IdealRecallBase, model: UserModel
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
