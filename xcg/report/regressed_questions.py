"""Describe the worst topics of a gate: their text, gold, ranks, and the command that explains them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import NamedTuple

from xcg.errors import XcgError
from xcg.evaluation.explain import explain
from xcg.evaluation.explanation import Explanation
from xcg.evaluation.inputs import Inputs
from xcg.statistics.gate import Check, Verdict

MAX_TOPICS = 10
_MAX_DESCRIBED = 50
_MAX_GOLD = 10
_WORDS = 60
"""Characters of a gold span."""


class Question(NamedTuple):
    """A topic that a gate reports for a run under a user model.

    Attributes:
        text: The title of the topic; empty without one.
        gold: A line for each ideal element or gold span, with the ranks at which the baseline and the
            run first gained from it; at most 10.
        command: The command that explains the ranking.
    """

    text: str
    gold: list[str]
    command: str


def worst_topics(verdict: Verdict, most: int = MAX_TOPICS) -> list[tuple[Check, str]]:
    """Return the topics with the largest losses, of the checks that failed or else of all.

    Without a baseline, the topics with the lowest scores of checks that failed are returned. The checks
    take turns, because scores of different measures cannot be compared.
    """
    failed = [check for check in verdict.checks if check.failures]
    lists = [(check, _worst(check)) for check in failed or verdict.checks]
    turns = range(MAX_TOPICS)
    found = [(check, topics[turn]) for turn in turns for check, topics in lists if turn < len(topics)]
    return found[:most]


def _worst(check: Check) -> list[str]:
    if check.pair is not None and (check.pair.losses or not check.failures):
        return [*check.pair.losses][:MAX_TOPICS]
    lowest = sorted(check.scores, key=check.scores.__getitem__)
    return lowest[:MAX_TOPICS] if check.failures else []


def regressed_questions(
    verdict: Verdict, inputs: Inputs, command: Callable[[Inputs, str, str], str]
) -> dict[tuple[str, str, str], Question]:
    """Describe the worst topics of a gate.

    Args:
        verdict: The verdict.
        inputs: The inputs of the evaluation.
        command: Returns the command that explains a run for a topic.

    Returns:
        (run, topic, user model) → what is known. Gold is missing if the rankings cannot be explained.
    """
    shown = [
        (check.run, topic, check.user_model) for check, topic in worst_topics(verdict, _MAX_DESCRIBED)
    ]
    topics = list(dict.fromkeys(topic for _, topic, _ in shown))
    wanted = {verdict.baseline, *(run for run, _, _ in shown)}
    known = replace(
        inputs,
        assessments=inputs.recall_base,
        runs=inputs.run_sources,  # standard input cannot be read again
        corpus=inputs.documents,
        topics=topics,
        check_corpus=False,
    )
    titles = inputs.topic_titles
    commands = {key: command(inputs, *key[:2]) for key in shown}
    runs = [run for run in known.loaded_runs if run.name in wanted]
    known = replace(known, runs=runs, strategies=())
    found: dict[tuple[str, str, str], Explanation] = {}
    for topic in topics:
        try:
            found |= {(one.run, topic, one.user_model): one for one in explain(known, topic)}
        except XcgError:
            continue  # the verdict does not depend on it
    return {
        (run, topic, model): Question(
            titles.get(topic, ""),
            _gold(found.get((verdict.baseline or "", topic, model)), found.get((run, topic, model))),
            commands[run, topic, model],
        )
        for run, topic, model in shown
    }


def _gold(before: Explanation | None, now: Explanation | None) -> list[str]:
    """Return a line for each ideal element or gold span."""
    if now is None:
        return []
    old, new = ({} if one is None else dict(_ranks(one)) for one in (before, now))
    lines = []
    for name in dict.fromkeys((*old, *new)):
        ranks = [
            "not found" if rank is None else f"rank {rank}" for rank in (old.get(name), new.get(name))
        ]
        lines.append(f"{name}: {' → '.join(ranks if before is not None else ranks[1:])}")
    more = len(lines) - _MAX_GOLD
    return lines if more <= 0 else [*lines[:_MAX_GOLD], f"and {more} more"]


def _ranks(explanation: Explanation) -> Iterable[tuple[str, int | None]]:
    """Yield each ideal element or gold span with the first rank that gained from it, or None."""
    ranks: dict[tuple[str, str, tuple[int, int] | None], int | None] = {}
    for result in explanation.results:
        for ideal in result.related if result.gain > 0 else ():
            ranks.setdefault((result.file, ideal.path, ideal.span), result.rank)
    for missed in explanation.missed:
        ranks.setdefault((missed.file, missed.path, missed.span), None)
    for (file, path, span), rank in ranks.items():
        words = ""
        if span is not None and file in explanation.documents:
            words = " ".join(explanation.documents[file].text[slice(*span)].split())
            words = f" “{words if len(words) <= _WORDS else words[:_WORDS] + '…'}”"
        yield f"{file} {path}{words}", rank
