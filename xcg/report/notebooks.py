"""Show results and explanations as HTML in a notebook."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

from xcg.tables import Html, html_table

if TYPE_CHECKING:
    from xcg.evaluation.explain import Explanation
    from xcg.evaluation.results import Results

_LONGEST_TEXT = 160  # characters of a stretch of text


def results_html(results: Results) -> str:
    """Return the means: a row a run and user model, a column a measure."""
    means = {(r.user_model, r.run, r.measure): r.value for r in results.means()}
    rows = [
        [model, run, *(means.get((model, run, measure)) for measure in results.measures)]
        for model in results.user_models
        for run in results.runs
    ]
    notes = "".join(f"<li>{escape(note)}</li>" for note in results.notes)
    return html_table(["user model", "run", *results.measures], rows) + (
        f"<ul>{notes}</ul>" if notes else ""
    )


def explanation_html(found: Explanation) -> str:
    """Return a ranking result by result, and what was missed.

    Where results count as text, this is shown with the relevant text marked.
    """
    gained = math.fsum(result.gain for result in found.results)
    caption = (
        f"{found.run}, topic {found.topic}, {found.user_model}: gained {gained:.4g} of "
        f"{found.ideal_gain:.4g}"
    )
    spans = [*(result.span for result in found.results), *(missed.span for missed in found.missed)]
    if any(span is not None for span in spans):
        return _text_explanation_html(found, caption)
    rows = [
        [r.rank, f"{r.file} {r.path}", r.assessment, r.score, r.seen, r.gain, r.why]
        for r in found.results
    ]
    heading = ["rank", "element", "(e,s)", "score", "seen", "gain", "why"]
    text = html_table(heading, rows, caption)
    if found.missed:
        missed = [[f"{m.file} {m.path}", m.assessment, m.score] for m in found.missed]
        text += html_table(["element", "(e,s)", "score"], missed, "ideal elements that were missed")
    return text


def _text_explanation_html(found: Explanation, caption: str) -> str:
    rows = []
    for r in found.results:
        seen = f"{r.seen} ({', '.join(map(str, r.through))})" if r.through else r.seen
        gold = [ideal.span for ideal in r.related if ideal.span is not None]
        text = _marked(found, r.file, r.span, gold)
        rows.append([r.rank, f"{r.file} {r.path}", text, float(r.score), seen, float(r.gain), r.why])
    heading = ["rank", "result", "text", "worth", "seen", "gain", "why"]
    html = html_table(heading, rows, caption)
    if found.missed:
        missed = [
            [f"{m.file} {m.path}", _marked(found, m.file, m.span, [m.span] if m.span else []), m.score]
            for m in found.missed
        ]
        html += html_table(["relevant text", "text", "score"], missed, "relevant text that was missed")
    return html


def _marked(
    found: Explanation, file: str, span: tuple[int, int] | None, gold: Sequence[tuple[int, int]]
) -> Html:
    """Return the text of a span with the relevant stretches marked and long ones shortened."""
    if span is None or file not in found.documents:
        return Html()
    text = found.documents[file].text
    html, place = "", span[0]
    for start, end in sorted((max(start, span[0]), min(end, span[1])) for start, end in gold):
        html += f"{_shortened(text[place:start])}<mark>{_shortened(text[start:end])}</mark>"
        place = end
    return Html(html + _shortened(text[place : span[1]]))


def _shortened(text: str) -> str:
    half = _LONGEST_TEXT // 2
    return escape(text if len(text) <= _LONGEST_TEXT else f"{text[:half]} … {text[-half:]}")
