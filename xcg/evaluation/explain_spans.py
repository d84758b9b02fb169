"""Why a result that counts as text got its gain: which relevant text it was first to show."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from xcg.evaluation.explain import ExplainedResult, Explanation, MissedElement, Related, Seen
from xcg.gains.element_reader import NEGLIGIBLE, JudgedDocument
from xcg.gains.span_reader import SpanReader
from xcg.gains.topic import IdealTopic, Stages
from xcg.user_model.model import UserModel
from xcg.user_model.relevance_value import RelevanceValue


class _Before(NamedTuple):
    """How things stood before a result was read."""

    start: float
    end: float
    worth: float
    seen: float
    gold: Sequence[tuple[int, float, float]]
    """The gold spans that it shows: number, what was left, the share that lies in the result."""


def explain_spans(stages: Stages, run: str, ideal: IdealTopic, model: UserModel) -> Explanation:
    """Explain a run's ranking for a topic under a user model for which results are text.

    Gold spans, and results that are no elements, are named by their characters: ``120–180``.
    """
    view = stages.view
    before: dict[int, _Before] = {}

    def watch(place: int, start: float, end: float, reader: SpanReader) -> None:
        shown = []
        for number in reader.touched(start, end):
            gold = reader.gold[number]
            inside = min(end, gold.end) - max(start, gold.start)
            shown.append((number, reader.left(number), inside / (gold.end - gold.start)))
        seen = reader.seen(start, end)
        before[place] = _Before(start, end, reader.worth(start, end), seen, shown)

    read, _ = stages.read(run, ideal, model, model.size, watch)
    gold = stages.gold(ideal, model, model.size)
    named: dict[str, list[tuple[int, int]]] = {file: [] for file in gold}
    for file, start, end, _ in stages.gold_in_characters(ideal, model):
        named[file].append((start, end))
    results = []
    earned: set[tuple[str, int]] = set()
    paths = stages.paths(run)
    ranking = stages.spans(run)
    for place, ((file, start, end), result) in enumerate(zip(ranking, read, strict=True)):
        state = before.get(place, _Before(0, 0, 0, 0, ()))
        ranks = [
            rank
            for rank, (other, first, last) in enumerate(ranking[:place], 1)
            if other == file and max(start, first) < min(end, last)
        ]
        earned |= {(file, part.gold) for part in result.gained}
        related = [
            Related(_name(named[file][number]), gold[file][number].score, left, named[file][number])
            for number, left, _ in state.gold
        ]
        whole = state.seen >= (state.end - state.start) - NEGLIGIBLE
        seen: Seen = "no" if not state.seen else "fully" if whole else "partly"
        why = _why(result.gain, state, related, ranks, model.relevance_value)
        path = paths[place] or _name((start, end))
        results.append(
            ExplainedResult(
                place + 1,
                file,
                path,
                "",
                state.worth,
                seen,
                ranks if state.seen else [],
                None,
                related,
                result.gain,
                why,
                (start, end),
            )
        )
    missed = [
        MissedElement(file, _name(span), "", gold[file][number].score, span)
        for file, spans in sorted(named.items())
        for number, span in enumerate(spans)
        if (file, number) not in earned
    ]
    judged = {}
    for file, spans in named.items():
        tree = view.trees[file]
        scores: dict[int, float] = {}
        for span, found in zip(spans, gold[file], strict=True):
            row = tree.smallest_element(*span)
            scores[row] = scores.get(row, 0.0) + found.score
        judged[file] = JudgedDocument(tree, scores, list(scores), file)
    return Explanation(
        run,
        view.topic,
        model.name,
        results,
        sorted(missed, key=lambda element: -element.score),
        sum(ideal.gains),
        view.trees,
        judged,
        {},
    )


def _name(span: tuple[int, int]) -> str:
    return f"{span[0]}–{span[1]}"


def _why(
    gain: float,
    state: _Before,
    related: Sequence[Related],
    ranks: Sequence[int],
    rule: RelevanceValue,
) -> str:
    """Say in plain words why a result gained what it gained."""
    at = ("ranks " if len(ranks) > 1 else "rank ") + ", ".join(map(str, ranks))
    names = ", ".join(gold.path for gold in related)
    if state.start == state.end:
        return "it has no text"
    if not related:
        return "it shows no relevant text"
    if gain <= 0 and rule.alpha == 1:
        return f"its relevant text was shown at {at}"
    if gain <= 0:
        return f"nothing is left of {names}"
    shown = " and ".join(
        f"{'all' if share > 1 - NEGLIGIBLE else f'{share:.0%}'} of {gold.path}"
        for (_, _, share), gold in zip(state.gold, related, strict=True)
    )
    if gain < state.worth - NEGLIGIBLE:
        # Repeats of other text of a gold span use it up as well.
        why = f"of which {at} showed some before" if ranks else "of which less than that is left"
        return f"shows {shown}, {why}"
    return f"shows {shown}, new to the reader"
