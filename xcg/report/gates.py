"""Write the verdict of a gate as Markdown and as JUnit XML, with its worst topics."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from types import MappingProxyType
from typing import NamedTuple

from xcg.errors import XcgError, printable
from xcg.evaluation.explain import explain
from xcg.evaluation.explanation import Explanation
from xcg.evaluation.inputs import Inputs
from xcg.lazy_modules import etree
from xcg.statistics.gate import Check, Verdict
from xcg.statistics.topic_scores import ROUNDING, BaselinePair
from xcg.table_formats import Markup, markdown_table, markdown_text

MAX_CHARACTERS = 60_000
"""The maximum length of a comment; GitHub refuses comments of more than 65,536 characters."""

COMMENT_MARK = "<!-- xcg gate -->"
"""The first line of each comment, by which the next run of a workflow finds it."""

_MENTION = re.compile(r"(?<![0-9A-Za-z])@(?=\w)")
_MAX_FAILURES = 20
_MAX_CHECKS = 20
_MAX_WARNINGS = 5
_SENTENCE_LENGTH = 300
_COMMAND_LENGTH = 1000
_NAME_LENGTH = 60
MAX_TOPICS = 10
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


def worst_topics(verdict: Verdict) -> list[tuple[Check, str]]:
    """Return the ten topics with the largest losses, of the checks that failed or else of all.

    Without a baseline, the topics with the lowest scores of checks that failed are returned. The checks
    take turns, because scores of different measures cannot be compared.
    """
    failed = [check for check in verdict.checks if check.failures]
    lists = [(check, _worst(check)) for check in failed or verdict.checks]
    turns = range(MAX_TOPICS)
    found = [(check, topics[turn]) for turn in turns for check, topics in lists if turn < len(topics)]
    return found[:MAX_TOPICS]


def _worst(check: Check) -> list[str]:
    if check.pair is not None and (check.pair.losses or not check.failures):
        return [*check.pair.losses][:MAX_TOPICS]
    lowest = sorted(check.scores, key=check.scores.__getitem__)
    return lowest[:MAX_TOPICS] if check.failures else []


def junit_topics(verdict: Verdict, regressed_by: float | None) -> list[tuple[Check, str]]:
    """Return the topics in the failures of :func:`junit_xml`."""
    return [
        (check, topic)
        for check in verdict.checks
        if check.failures and check.pair is not None
        for topic in (*[*check.pair.losses][:MAX_TOPICS], *_regressed(check.pair, regressed_by))
    ]


def _regressed(pair: BaselinePair, regressed_by: float | None) -> list[str]:
    """Return the topics for which a run is worse than the baseline by more than this."""
    if regressed_by is None:
        return []
    return [t for t, change in pair.losses.items() if pair.sign * change < -regressed_by - ROUNDING]


def regressed_questions(
    topics: Iterable[tuple[Check, str]],
    baseline: str | None,
    inputs: Inputs,
    command: Callable[[Inputs, str, str], str],
) -> dict[tuple[str, str, str], Question]:
    """Describe topics of a gate.

    Args:
        topics: From :func:`worst_topics` or :func:`junit_topics`.
        baseline: Name of the run with which the others were compared.
        inputs: The inputs of the evaluation.
        command: Returns the command that explains a run for a topic.

    Returns:
        (run, topic, user model) → what is known. Gold is missing if the rankings cannot be explained.
    """
    shown = dict.fromkeys((check.run, topic, check.user_model) for check, topic in topics)
    names = list(dict.fromkeys(topic for _, topic, _ in shown))
    wanted = {baseline, *(run for run, _, _ in shown)}
    known = replace(
        inputs,
        assessments=inputs.recall_base,
        runs=inputs.run_sources,  # standard input cannot be read again
        corpus=inputs.documents,
        topics=names,
        check_corpus=False,
    )
    titles = inputs.topic_titles
    commands = {key: command(inputs, *key[:2]) for key in shown}
    runs = [run for run in known.loaded_runs if run.name in wanted]
    known = replace(known, runs=runs, strategies=())
    found: dict[tuple[str, str, str], Explanation] = {}
    for topic in names:
        try:
            found |= {(one.run, topic, one.user_model): one for one in explain(known, topic)}
        except XcgError:
            continue  # the verdict does not depend on it
    return {
        (run, topic, model): Question(
            titles.get(topic, ""),
            _gold(found.get((baseline or "", topic, model)), found.get((run, topic, model))),
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
        if span is not None and file in explanation.trees:
            words = " ".join(explanation.trees[file].text[slice(*span)].split())
            words = f" “{words if len(words) <= _WORDS else words[:_WORDS] + '…'}”"
        yield f"{file} {path}{words}", rank


def gate_comment(
    verdict: Verdict,
    notes: Sequence[str] = (),
    questions: Mapping[tuple[str, str, str], Question] = MappingProxyType({}),
) -> str:
    """Write the verdict of a gate: the result, its reasons, what it can find, and the worst topics.

    At most 20 failures, 20 checks and 10 topics are listed; long names are shortened, and names cannot
    mention users of GitHub. The whole text has at most :data:`MAX_CHARACTERS` characters.

    Args:
        verdict: The result of the gate.
        notes: Lines for the user; only warnings are written.
        questions: From :func:`regressed_questions`.
    """
    failed = [check for check in verdict.checks if check.failures]
    count, total = len(failed), len(verdict.checks)
    checks = f"{total} check{'s' * (total != 1)}"
    against = f", compared with {_name(verdict.baseline)}" if verdict.baseline is not None else ""
    summary = f"{count} of {checks} failed{against}." if failed else f"{checks} passed{against}."
    blocks = [f"## Retrieval gate: {'failed' if failed else 'passed'}", summary]
    blocks += filter(None, [_list(verdict.failures, _MAX_FAILURES, "failures")])
    blocks += [_list(verdict.chances, _MAX_FAILURES, "runs")]
    blocks += ["### Checks", _checks_table([*failed, *(c for c in verdict.checks if not c.failures)])]
    warnings = [note for note in (*notes, *verdict.notes) if note.startswith("warning: ")]
    blocks += filter(None, [_list(warnings, _MAX_WARNINGS, "warnings")])
    worst = [_described(check, topic, questions) for check, topic in worst_topics(verdict)]
    blocks += ["### Worst topics", *worst] if worst else []
    text = f"{COMMENT_MARK}\n{blocks[0]}"
    for block in blocks[1:]:
        if len(text) + len(block) + 3 < MAX_CHARACTERS:
            text += f"\n\n{block}".rstrip("\n")
    return text + "\n"


def _list(sentences: Sequence[str], most: int, kind: str) -> str:
    lines = [f"- {_shortened(sentence, _SENTENCE_LENGTH)}" for sentence in sentences[:most]]
    if len(sentences) > most:
        lines.append(f"- and {len(sentences) - most} more {kind}")
    return "\n".join(lines)


def _described(check: Check, topic: str, questions: Mapping[tuple[str, str, str], Question]) -> str:
    first, *more = _lines_about(check, topic, questions)
    title = f"{check.run}, {check.user_model}, {check.measure}, {first}"
    lines = "".join(f"\n- {_shortened(line, _COMMAND_LENGTH)}" for line in more)
    return f"**{_shortened(title, _SENTENCE_LENGTH)}**" + f"\n{lines}" * bool(more)


def _checks_table(checks: Sequence[Check]) -> str:
    rows: list[dict[str, str]] = []
    for check in checks[:_MAX_CHECKS]:
        names = {"run": check.run, "measure": check.measure, "user model": check.user_model}
        row = {"result": "failed" if check.failures else "passed"}
        row |= {kind: _name(name) for kind, name in names.items()} | {"mean": f"{check.mean:.4f}"}
        if check.pair is not None:
            mean, baseline_mean = check.pair.means
            row |= {"baseline": f"{baseline_mean:.4f}", "difference": f"{mean - baseline_mean:+.4f}"}
            row["worse topics"] = f"{len(check.pair.losses)} of {len(check.pair.scores)}"
        rows.append(row)
    heading: dict[str, str] = max(rows, key=len)
    table = markdown_table([*heading], [[row.get(name, "") for name in heading] for row in rows])
    more = len(checks) - len(rows)
    return f"{table}\nand {more} more" if more > 0 else table


def _name(text: str) -> Markup:
    return _shortened(text, _NAME_LENGTH)


def _shortened(text: str, most: int) -> Markup:
    text = printable(text)
    shown = text if len(text) <= most else text[: most - 1] + "…"
    # @ is separated from the name after it, so that GitHub notifies nobody; nxCG@10 stays.
    return Markup(_MENTION.sub("@<!-- -->", markdown_text(shown)))


def junit_xml(
    verdict: Verdict,
    questions: Mapping[tuple[str, str, str], Question] = MappingProxyType({}),
    regressed_by: float | None = None,
) -> bytes:
    """Write the verdict of a gate as JUnit XML.

    There is one test suite for each user model, and one test case for each run and measure. A failure
    contains all reasons and the topics that lost most. The document follows the schema of Jenkins'
    xUnit plug-in, like the reports of pytest. GitLab only shows the class name, name and text of
    failures: the class name contains the user model and the run, so that no two cases are equal.
    Invisible characters are escaped as in messages, because XML cannot contain most of them.

    Args:
        verdict: The result of the gate.
        questions: From :func:`regressed_questions`.
        regressed_by: Add a test case for each topic of a comparison. It fails if the comparison fails
            and the run is worse than the baseline by more than this. None adds none.

    Returns:
        The document in UTF-8.
    """
    root = etree.Element("testsuites", name="xcg")
    for model, group in groupby(verdict.checks, key=lambda check: check.user_model):
        suite = etree.SubElement(root, "testsuite", name=printable(model))
        for check in group:
            name = f"{model}.{check.run}"
            lines = [failure.text for failure in check.failures]
            lost = [
                line
                for topic in [*(check.pair.losses if check.pair else ())][:MAX_TOPICS]
                for line in _lines_about(check, topic, questions)
            ]
            _add_case(suite, name, check.measure, check, [*lines, *lost])
            if regressed_by is not None and check.pair is not None:
                regressed = _regressed(check.pair, regressed_by)
                for topic in check.pair.scores:
                    lines = _lines_about(check, topic, questions) if topic in regressed else []
                    _add_case(suite, f"{name}.{check.measure}", topic, check, lines)
    for element in (root, *root):
        for count, tag in (("tests", "testcase"), ("failures", "failure")):
            element.set(count, str(sum(1 for _ in element.iter(tag))))
        element.attrib.update(
            {"errors": "0", "time": "0"} | ({} if element is root else {"skipped": "0"})
        )
    document: bytes = etree.tostring(root, encoding="UTF-8", xml_declaration=True, pretty_print=True)
    return document


def _add_case(
    suite: etree._Element, classname: str, name: str, check: Check, lines: Sequence[str]
) -> None:
    """Add a test case, which fails for these reasons if the check does."""
    case = etree.SubElement(
        suite, "testcase", classname=printable(classname), name=printable(name), time="0"
    )
    if check.failures and lines:
        attributes = {"message": printable(lines[0]), "type": check.failures[0].rule}
        etree.SubElement(case, "failure", attributes).text = "\n".join(map(printable, lines))


def _lines_about(
    check: Check, topic: str, questions: Mapping[tuple[str, str, str], Question]
) -> list[str]:
    """Return the scores of a topic, and what is known about it, one line each."""
    score = f"{check.scores[topic]:.4f}"
    if check.pair is not None and topic in check.pair.scores:
        before, change = check.pair.baseline_scores[topic], check.pair.differences[topic]
        score = f"{before:.4f} → {score} ({change:+.4f})"
    line = f"topic {topic}: {score}"
    question = questions.get((check.run, topic, check.user_model))
    if question is None:
        return [line]
    return [line, *filter(None, [question.text]), *question.gold, question.command]
