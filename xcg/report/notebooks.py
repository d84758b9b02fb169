"""How results, trees, recall-bases and explanations show themselves in a notebook."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from xcg.documents.tree import ElementTree
    from xcg.evaluation.explain import Explanation
    from xcg.evaluation.results import Results
    from xcg.judgements.recall_base import RecallBase

_MOST = 200  # rows; a notebook is no place for more
_LONGEST_TEXT = 160  # characters of a stretch of text


def table(heading: Sequence[str], rows: Iterable[Sequence[object]], caption: str = "") -> str:
    """Return an HTML table; every cell is escaped, and numbers stand to the right.

    >>> table(["run"], [["<b>"]])
    '<table><thead><tr><th>run</th></tr></thead><tbody><tr><td>&lt;b&gt;</td></tr></tbody></table>'
    """
    head = "".join(f"<th>{escape(name)}</th>" for name in heading)
    kept = list(rows)
    body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in kept[:_MOST])
    if len(kept) > _MOST:
        body += f"<tr><td colspan={len(heading)}>and {len(kept) - _MOST} more</td></tr>"
    title = f"<caption>{escape(caption)}</caption>" if caption else ""
    return f"<table>{title}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


class _Html(str):
    """A cell that is HTML already."""


def _cell(value: object) -> str:
    if isinstance(value, _Html):
        return f'<td style="text-align:left">{value}</td>'
    if isinstance(value, float):
        return f'<td style="text-align:right">{value:.4f}</td>'
    if isinstance(value, int):
        return f'<td style="text-align:right">{value}</td>'
    return f"<td>{escape('' if value is None else str(value))}</td>"


def results_html(results: Results) -> str:
    """Return the means: a row a run and user model, a column a measure."""
    means = {(r.user_model, r.run, r.measure): r.value for r in results.means()}
    rows = [
        [model, run, *(means.get((model, run, measure)) for measure in results.measures)]
        for model in results.user_models
        for run in results.runs
    ]
    notes = "".join(f"<li>{escape(note)}</li>" for note in results.notes)
    return table(["user model", "run", *results.measures], rows) + (
        f"<ul>{notes}</ul>" if notes else ""
    )


def tree_html(tree: ElementTree) -> str:
    """Return the elements of a document with their sizes, indented by depth."""
    rows = [
        [
            "\u00a0\u00a0" * (int(tree.depth[row]) - 1) + tree.paths[row].rpartition("/")[2],
            int(tree.characters[row]) if tree.characters[row] >= 0 else None,
        ]
        for row in range(len(tree))
    ]
    return table(["element", "characters"], rows, f"{len(tree)} elements")


def recall_base_html(base: RecallBase) -> str:
    """Return the topics with their numbers of files, assessed and relevant elements, passages."""
    rows = []
    for topic in base.topics:
        assessed = [a for file in base.files(topic).values() for a in file.values()]
        passages = sum(map(len, (*base.spans(topic).values(), *base.passages(topic).values())))
        files = {*base.files(topic), *base.spans(topic), *base.passages(topic)}
        rows.append([topic, len(files), len(assessed), sum(a.relevant for a in assessed), passages])
    return table(["topic", "files", "assessed elements", "relevant", "passages"], rows)


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
    text = table(heading, rows, caption)
    if found.missed:
        missed = [[f"{m.file} {m.path}", m.assessment, m.score] for m in found.missed]
        text += table(["element", "(e,s)", "score"], missed, "ideal elements that were missed")
    return text


def _text_explanation_html(found: Explanation, caption: str) -> str:
    rows = []
    for r in found.results:
        seen = f"{r.seen} ({', '.join(map(str, r.through))})" if r.through else r.seen
        gold = [ideal.span for ideal in r.related if ideal.span is not None]
        text = _marked(found, r.file, r.span, gold)
        rows.append([r.rank, f"{r.file} {r.path}", text, float(r.score), seen, float(r.gain), r.why])
    heading = ["rank", "result", "text", "worth", "seen", "gain", "why"]
    html = table(heading, rows, caption)
    if found.missed:
        missed = [
            [f"{m.file} {m.path}", _marked(found, m.file, m.span, [m.span] if m.span else []), m.score]
            for m in found.missed
        ]
        html += table(["relevant text", "text", "score"], missed, "relevant text that was missed")
    return html


def _marked(
    found: Explanation, file: str, span: tuple[int, int] | None, gold: Sequence[tuple[int, int]]
) -> _Html:
    """Return the text of a span with the relevant stretches marked and long ones shortened."""
    if span is None or file not in found.documents:
        return _Html()
    text = found.documents[file].text
    html, place = "", span[0]
    for start, end in sorted((max(start, span[0]), min(end, span[1])) for start, end in gold):
        html += f"{_shortened(text[place:start])}<mark>{_shortened(text[start:end])}</mark>"
        place = end
    return _Html(html + _shortened(text[place : span[1]]))


def _shortened(text: str) -> str:
    half = _LONGEST_TEXT // 2
    return escape(text if len(text) <= _LONGEST_TEXT else f"{text[:half]} … {text[-half:]}")
