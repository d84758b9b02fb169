"""The result of comparing runs of chunks: one summary per run, and details of every question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from xcg.documents.text_units import TextUnit
from xcg.evaluation.curves import CurveOf
from xcg.evaluation.results import Results


class ChunkLine(NamedTuple):
    """What one run returned and gained. A share of nothing is None.

    Attributes:
        run: The run's name.
        questions: The number of questions in the means.
        unanswered: The number of questions with gold and without results.
        nothing_found: The number of questions with results and without any of the gold.
        chunks: Mean number of results per question.
        chunk_size: Mean text of a result.
        text: Mean text read per question.
        found: Mean share of the gold's gain in all results, gr(∞).
        useful: The share of all text read that was relevant and new.
        twice: The share of all text read that had been seen before.
        maep: MAep(effort=unit).
        nxcg: Budget → nxCG(budget=unit)@budget.
        scores: Measure → mean, for the further measures; None if it is undefined for all questions.
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
    scores: Mapping[str, float | None]


class GoldLine(NamedTuple):
    """What a run showed of one gold span.

    Attributes:
        start: The first character; overlapping gold is listed in pieces, as ``xcg explain`` does.
        end: The character after the last.
        text: The amount of text.
        score: The gain of the whole span.
        found: The share of its text that was shown.
        verdict: ``found``, ``partly found`` or ``missed``.
        rank: The first result that showed some of it.
        after: The amount of text that the user pays before the first of it; the user model's charge
            decides what part of the result is paid before.
        words: The beginning of the text.
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
    """What one result cost, and what of it was new: text = new + again + irrelevant.

    Attributes:
        text: The amount of text.
        new: Relevant text that had not been seen before.
        again: Relevant text that had been seen before.
        irrelevant: The rest.
        seen: Text that had been seen before, relevant or not.
        verdict: ``new`` if some of it is relevant and new; else ``paid twice`` if some of it had been
            seen before; else ``irrelevant``.
        words: The beginning of the text.
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


_FIELDS = (
    *("question", "run", "kind", "rank", "doc", "start", "end", "text", "score", "found", "after"),
    *("new", "again", "irrelevant", "seen", "verdict", "words"),
)


@dataclass(frozen=True)
class ChunkComparison:
    """Runs compared as text.

    Attributes:
        unit: The unit of all amounts of text.
        lines: One line per run.
        questions: For every question and run its gold spans and its results, if asked for.
        curves: The share of the gold's gain over the text read: one curve per run and one of the ideal
            reader, means over questions.
        notes: Warnings and remarks.
        scores: The scores of each question by MAep, nxCG and the further measures, without greedy
            references.
    """

    unit: TextUnit
    user_model: str
    lines: Sequence[ChunkLine]
    questions: Sequence[GoldLine | ResultLine]
    curves: Sequence[CurveOf]
    notes: Sequence[str]
    scores: Results

    def to_records(self) -> list[dict[str, object]]:
        """Return one dict per run; amounts of text are named after the unit."""
        names = {
            "nothing_found": "nothing found",
            "chunk_size": f"{self.unit}/chunk",
            "text": self.unit,
            "maep": "MAep",
        }
        records = []
        for line in self.lines:
            values = {names.get(name, name): value for name, value in line._asdict().items()}
            del values["nxcg"], values["scores"]
            nxcg = {f"nxCG@{budget}": value for budget, value in line.nxcg.items()}
            records.append({**values, **nxcg, **line.scores})
        return records

    def gold_records(self) -> list[dict[str, object]]:
        """Return one dict per question, run and gold span."""
        return [self._record(line) for line in self.questions if isinstance(line, GoldLine)]

    def result_records(self) -> list[dict[str, object]]:
        """Return one dict per question, run and result."""
        return [self._record(line) for line in self.questions if isinstance(line, ResultLine)]

    def question_records(self) -> list[dict[str, object]]:
        """Return the dicts of gold spans and results, all with the same keys."""
        empty = dict.fromkeys(self.unit if name == "text" else name for name in _FIELDS)
        return [
            {**empty, "kind": "gold" if isinstance(line, GoldLine) else "result", **self._record(line)}
            for line in self.questions
        ]

    def _record(self, line: GoldLine | ResultLine) -> dict[str, object]:
        return {self.unit if k == "text" else k: value for k, value in line._asdict().items()}
