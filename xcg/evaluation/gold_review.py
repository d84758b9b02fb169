"""The result of reviewing gold: disagreements between runs, missed gold, and duplicates of gold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from xcg.documents.text_search import Status


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
