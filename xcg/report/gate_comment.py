"""Write the verdict of a gate as Markdown for a comment on a pull request."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from xcg.errors import printable
from xcg.report.regressed_questions import Question, worst_topics
from xcg.statistics.gate import Check, Verdict
from xcg.tables import Markup, Record, Table, markdown_table, markdown_text, records

MAX_CHARACTERS = 60_000
"""The maximum length of a comment; GitHub refuses comments of more than 65,536 characters."""

COMMENT_MARK = "<!-- xcg gate -->"
"""The first line of each comment, by which the next run of a workflow finds it."""

_MENTION = re.compile(r"(?<![0-9A-Za-z])@(?=\w)")
_MAX_FAILURES = 20
_MAX_CHECKS = 20
_MAX_WARNINGS = 5
_SENTENCE_LENGTH = 300
_LINE_LENGTH = 200
_NAME_LENGTH = 60


def gate_comment(
    verdict: Verdict,
    notes: Sequence[str] = (),
    rows: Sequence[Record] = (),
    table: Table | None = None,
    questions: Mapping[tuple[str, str, str], Question] = MappingProxyType({}),
) -> str:
    """Write the verdict of a gate: the result, its reasons, what it can find, and the worst topics.

    At most 20 failures, 20 checks and 10 topics are listed; long names are shortened, and names cannot
    mention users of GitHub. The whole text has at most :data:`MAX_CHARACTERS` characters.

    Args:
        verdict: The result of the gate.
        notes: Lines for the user; only warnings are written.
        rows: The records of ``xcg compare``, for the folded part at the end. It is left out if the text
            would be too long.
        table: A table of these records for people. It is written instead of them.
        questions: From :func:`xcg.report.regressed_questions.regressed_questions`.
    """
    failed = [check for check in verdict.checks if check.failures]
    count, total = len(failed), len(verdict.checks)
    checks = f"{total} check{'s' * (total != 1)}"
    against = f", compared with {_name(verdict.baseline)}" if verdict.baseline is not None else ""
    summary = f"{count} of {checks} failed{against}." if failed else f"{checks} passed{against}."
    blocks = [f"## Retrieval gate: {'failed' if failed else 'passed'}", summary]
    blocks += filter(None, [_list(verdict.failures, _MAX_FAILURES, "failures")])
    blocks += [_list(verdict.chances, _MAX_FAILURES, "runs")]
    worst = worst_topics(verdict)
    blocks += _worst_topics(worst)
    blocks += ["### Checks", _checks_table([*failed, *(c for c in verdict.checks if not c.failures)])]
    warnings = [note for note in (*notes, *verdict.notes) if note.startswith("warning: ")]
    blocks += filter(None, [_list(warnings, _MAX_WARNINGS, "warnings")])
    text = "\n\n".join(block.rstrip("\n") for block in [f"{COMMENT_MARK}\n{blocks[0]}", *blocks[1:]])
    keys = dict.fromkeys((check.run, topic, check.user_model) for check, topic in worst)
    described = [_described(key, questions[key]) for key in keys if key in questions]
    further = ["### Gold of these topics, and its ranks", *described] if described else []
    if rows:
        shown = records(rows, "markdown") if table is None else table.write("markdown")
        heading = f"<details>\n<summary>All comparisons ({len(rows)})</summary>"
        further.append(f"{heading}\n\n{_without_mentions(shown)}\n</details>")
    for block in further:
        if len(text) + len(block) + 3 < MAX_CHARACTERS:
            text += f"\n\n{block}"
    return text + "\n"


def _list(sentences: Sequence[str], most: int, kind: str) -> str:
    lines = [f"- {_shortened(sentence, _SENTENCE_LENGTH)}" for sentence in sentences[:most]]
    if len(sentences) > most:
        lines.append(f"- and {len(sentences) - most} more {kind}")
    return "\n".join(lines)


def _worst_topics(shown: Sequence[tuple[Check, str]]) -> Iterator[str]:
    """Yield the heading and the table of the worst topics, if there are any."""
    if not shown:
        return
    rows = []
    for check, topic in shown:
        names, pair = [topic, check.run, check.measure, check.user_model], check.pair
        compared = ["", ""]
        if pair is not None:
            compared = [f"{pair.baseline_scores[topic]:.4f}", f"{pair.differences[topic]:+.4f}"]
        rows.append([*names, f"{check.scores[topic]:.4f}", *compared])
    heading = ["topic", "run", "measure", "user model", "score", "baseline", "difference"]
    yield "### Worst topics"
    yield _table(heading, rows)


def _described(key: tuple[str, str, str], question: Question) -> str:
    run, topic, model = key
    title = f"topic {topic}{question.text and f': {question.text}'} ({run}, {model})"
    lines = "".join(f"\n- {_shortened(line, _LINE_LENGTH)}" for line in question.gold)
    return f"**{_shortened(title, _LINE_LENGTH)}**\n{lines}\n- {_shortened(question.command, 1000)}"


def _checks_table(checks: Sequence[Check]) -> str:
    heading = ["run", "measure", "user model", "mean", "baseline", "difference", "worse topics"]
    rows = []
    for check in checks[:_MAX_CHECKS]:
        compared = [""] * 3
        if check.pair is not None:
            mean, baseline_mean = check.pair.means
            worse = f"{len(check.pair.losses)} of {len(check.pair.scores)}"
            compared = [f"{baseline_mean:.4f}", f"{mean - baseline_mean:+.4f}", worse]
        result = "failed" if check.failures else "passed"
        names = [check.run, check.measure, check.user_model]
        rows.append([*names, f"{check.mean:.4f}", *compared, result])
    table = _table([*heading, "result"], rows)
    more = len(checks) - len(rows)
    return f"{table}\nand {more} more" if more > 0 else table


def _table(heading: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Write a table without its empty columns, and without user models if there is only one."""
    columns = [
        (name, column)
        for name, column in zip(heading, zip(*rows, strict=True), strict=True)
        if any(column) and (name != "user model" or len(set(column)) > 1)
    ]
    body = zip(*(column for _, column in columns), strict=True)
    return markdown_table([name for name, _ in columns], [list(map(_name, row)) for row in body])


def _name(text: str) -> Markup:
    return _shortened(text, _NAME_LENGTH)


def _shortened(text: str, most: int) -> Markup:
    text = printable(text)
    shown = text if len(text) <= most else text[: most - 1] + "…"
    return Markup(_without_mentions(markdown_text(shown)))


def _without_mentions(markdown: str) -> str:
    """Separate @ from the name after it, so that GitHub notifies nobody; nxCG@10 stays."""
    return _MENTION.sub("@<!-- -->", markdown)
