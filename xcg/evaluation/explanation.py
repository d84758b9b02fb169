"""The explanation of a ranking, and how it is shown as text and in notebooks."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from xcg.documents.tree import ElementTree, SizeUnit
from xcg.errors import printable
from xcg.evaluation.derivation import Derivation
from xcg.evaluation.results import NotedList
from xcg.gains.element_reader import JudgedDocument
from xcg.gains.reader import Seen
from xcg.tables import Html, html_table, html_text, text_table

_LONGEST_TEXT = 160  # characters of a text in a notebook


class RelatedIdeal(NamedTuple):
    """An ideal element or gold span that a result can gain from.

    Attributes:
        path: The path; for a gold span, its characters: ``120–180``.
        score: Its score.
        left: What could still be gained from it before the result was read.
        span: Start and end of a gold span in characters.
    """

    path: str
    score: float
    left: float
    span: tuple[int, int] | None = None


class ExplainedResult(NamedTuple):
    """One result, and why it gained what it gained.

    Attributes:
        rank: The rank, from 1.
        file: The document.
        path: The path; for a result that is no element, its characters.
        assessment: The assessment as the papers write it, empty without one.
        score: The gain if nothing had been seen before.
        seen: How much of it earlier results had shown.
        through: The ranks of these results.
        value: The relevance value before normalisation; None if it plays no role or needs a size.
        related: The ideal elements or gold spans that limit the gain.
        gain: The gain.
        why: The reason, as a sentence.
        span: Start and end in characters, if results are scored as text.
    """

    rank: int
    file: str
    path: str
    assessment: str
    score: float
    seen: Seen
    through: list[int]
    value: float | None
    related: list[RelatedIdeal]
    gain: float
    why: str
    span: tuple[int, int] | None = None


class MissedElement(NamedTuple):
    """An ideal element that no result retrieves, or a gold span from which none gained anything."""

    file: str
    path: str
    assessment: str
    score: float
    span: tuple[int, int] | None = None


@dataclass(frozen=True)
class Explanation:
    """A ranking for one topic under one user model, explained result by result.

    Attributes:
        results: The results in rank order.
        missed: The ideal elements that are not retrieved, or gold spans without a gain, best first.
        ideal_gain: The sum of the ideal gains.
        documents: Document → tree, for the documents with assessed elements.
        judged: Document → its scored elements; gold spans as the smallest elements around them.
        labels: Document → row → assessment as the papers write it.
        size: The unit of element sizes under the user model.
        derivation: The steps of nxCG and MAep; None if the user model counts effort in text.
        settings: The settings of the user model.
    """

    run: str
    topic: str
    user_model: str
    results: Sequence[ExplainedResult]
    missed: Sequence[MissedElement]
    ideal_gain: float
    documents: Mapping[str, ElementTree]
    judged: Mapping[str, JudgedDocument]
    labels: Mapping[str, Mapping[int, str]]
    size: SizeUnit = "characters"
    derivation: Derivation | None = None
    settings: Mapping[str, str] = field(default_factory=dict)

    @property
    def title(self) -> str:
        """Run, topic, user model and total gain."""
        gained = math.fsum(result.gain for result in self.results)
        return (
            f"{self.run}, topic {self.topic}, {self.user_model}: gained {gained:.4g} of "
            f"{self.ideal_gain:.4g}"
        )

    def to_records(self) -> list[dict[str, object]]:
        """Return plain dicts: one per result, then one per missed element."""
        records: list[dict[str, object]] = []
        for result in self.results:
            related = [_without_empty_span(ideal._asdict()) for ideal in result.related]
            records.append({**result._asdict(), "related": related})
        records += [{"rank": None, **missed._asdict(), "why": "missed"} for missed in self.missed]
        return [_without_empty_span(record) for record in records]

    def __str__(self) -> str:
        rows = [
            [
                str(result.rank),
                f"{result.file} {result.path}",
                result.assessment,
                f"{result.score:.4g}",
                _seen(result),
                f"{result.gain:.4g}",
                result.why,
            ]
            for result in self.results
        ]
        heading = ["rank", "result", "(e,s)", "score", "seen", "gain", "why"]
        text = f"{printable(self.title)}\n{text_table(heading, rows)}"
        if self.missed:
            missed = [[f"{m.file} {m.path}", m.assessment, f"{m.score:.4g}"] for m in self.missed]
            text += f"\nmissed\n{text_table(['ideal', '(e,s)', 'score'], missed)}"
        return text

    def _repr_html_(self) -> str:
        """Return the results as a table for a notebook; text with the relevant text marked."""
        as_text = any(r.span for r in self.results) or any(m.span for m in self.missed)
        rows = [
            [
                r.rank,
                f"{r.file} {r.path}",
                self._marked(r, [ideal.span for ideal in r.related]) if as_text else r.assessment,
                float(r.score),
                _seen(r) if as_text else r.seen,
                float(r.gain),
                r.why,
            ]
            for r in self.results
        ]
        missed = [
            [f"{m.file} {m.path}", self._marked(m, [m.span]) if as_text else m.assessment, m.score]
            for m in self.missed
        ]
        kind, detail = ("result", "text") if as_text else ("element", "(e,s)")
        html = html_table(["rank", kind, detail, "score", "seen", "gain", "why"], rows, self.title)
        if not missed:
            return html
        kind, title = ("relevant text",) * 2 if as_text else ("element", "ideal elements")
        return html + html_table([kind, detail, "score"], missed, f"missed {title}")

    def _marked(
        self, one: ExplainedResult | MissedElement, gold: Iterable[tuple[int, int] | None]
    ) -> Html:
        """Return the text of a result or gold span as HTML, with the relevant text marked."""
        if one.span is None or one.file not in self.documents:
            return Html()
        text, (position, end) = self.documents[one.file].text, one.span
        html = ""
        for start, stop in sorted(
            (max(span[0], position), min(span[1], end)) for span in gold if span is not None
        ):
            html += f"{_shortened(text[position:start])}<mark>{_shortened(text[start:stop])}</mark>"
            position = stop
        return Html(html + _shortened(text[position:end]))


class Explanations(NotedList[Explanation]):
    """The explanations of several runs and user models, with notes."""

    def __str__(self) -> str:
        return "\n".join(map(str, self))

    def _repr_html_(self) -> str:
        return "".join(explanation._repr_html_() for explanation in self)


def _seen(result: ExplainedResult) -> str:
    if not result.through:
        return result.seen
    return f"{result.seen} ({', '.join(map(str, result.through))})"


def _shortened(text: str) -> str:
    half = _LONGEST_TEXT // 2
    return html_text(text if len(text) <= _LONGEST_TEXT else f"{text[:half]} … {text[-half:]}")


def _without_empty_span(record: dict[str, object]) -> dict[str, object]:
    return {key: value for key, value in record.items() if key != "span" or value}
