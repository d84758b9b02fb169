"""Write the verdict of a gate as Markdown for a comment on a pull request."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from xcg.errors import printable
from xcg.statistics.gate import Check, Verdict
from xcg.statistics.gate_rules import share_text
from xcg.tables import Markup, Record, Table, markdown_table, markdown_text, records

MAX_CHARACTERS = 60_000
"""The maximum length of a comment; GitHub refuses comments of more than 65,536 characters."""

COMMENT_MARK = "<!-- xcg gate -->"
"""The first line of each comment, by which the next run of a workflow finds it."""

_CHANCES = {
    True: "unchanged fails: how often the gate fails a run that differs from the baseline only by "
    "chance; loss found: the true loss of the mean that it finds with 80 % power.",
    False: "Without a baseline, it cannot be estimated how often the gate fails an unchanged run, and "
    "which loss it finds.",
}
_MENTION = re.compile(r"(?<![0-9A-Za-z])@(?=\w)")
_MAX_FAILURES = 20
_MAX_CHECKS = 20
_MAX_TOPICS = 10
_MAX_WARNINGS = 5
_SENTENCE_LENGTH = 300
_NAME_LENGTH = 60


def gate_comment(
    verdict: Verdict,
    notes: Sequence[str] = (),
    rows: Sequence[Record] = (),
    table: Table | None = None,
) -> str:
    """Write the verdict of a gate: first the result and its reasons, then the worst topics.

    At most 20 failures, 20 checks and 10 topics are listed; long names are shortened, and names cannot
    mention users of GitHub. The whole text has at most :data:`MAX_CHARACTERS` characters.

    Args:
        verdict: The result of the gate.
        notes: Lines for the user; only warnings are written.
        rows: The records of ``xcg compare``, for the folded part at the end. It is left out if the text
            would be too long.
        table: A table of these records for people. It is written instead of them.
    """
    failed = [check for check in verdict.checks if check.failures]
    count, total = len(failed), len(verdict.checks)
    checks = f"{total} check{'s' * (total != 1)}"
    against = f", compared with {_name(verdict.baseline)}" if verdict.baseline is not None else ""
    summary = f"{count} of {checks} failed{against}." if failed else f"{checks} passed{against}."
    blocks = [f"## Retrieval gate: {'failed' if failed else 'passed'}", summary]
    blocks += filter(None, [_list(verdict.failures, _MAX_FAILURES, "failures")])
    blocks += _worst_topics(failed or verdict.checks)
    blocks += ["### Checks", _checks_table([*failed, *(c for c in verdict.checks if not c.failures)])]
    warnings = [note for note in (*notes, *verdict.notes) if note.startswith("warning: ")]
    blocks += filter(None, [_list(warnings, _MAX_WARNINGS, "warnings")])
    text = "\n\n".join(block.rstrip("\n") for block in [f"{COMMENT_MARK}\n{blocks[0]}", *blocks[1:]])
    if rows:
        shown = records(rows, "markdown") if table is None else table.write("markdown")
        heading = f"<details>\n<summary>All comparisons ({len(rows)})</summary>"
        details = f"\n\n{heading}\n\n{_without_mentions(shown)}\n</details>"
        if len(text) + len(details) < MAX_CHARACTERS:
            text += details
    return text + "\n"


def _list(sentences: Sequence[str], most: int, kind: str) -> str:
    lines = [f"- {_shortened(sentence, _SENTENCE_LENGTH)}" for sentence in sentences[:most]]
    if len(sentences) > most:
        lines.append(f"- and {len(sentences) - most} more {kind}")
    return "\n".join(lines)


def _worst_topics(checks: Sequence[Check]) -> Iterable[str]:
    """Return the heading and the table of the topics with the largest losses, if there are any.

    Without a baseline, the topics with the lowest scores are listed. The checks take turns, because
    scores of different measures cannot be compared.
    """
    lists = [_worst(check) for check in checks]
    turns = range(min(_MAX_TOPICS, max(map(len, lists), default=0)))
    rows = [rows[turn] for turn in turns for rows in lists if turn < len(rows)][:_MAX_TOPICS]
    if not rows:
        return
    heading = ["topic", "run", "measure", "user model", "score", "baseline", "difference"]
    yield "### Worst topics"
    yield _table(heading, rows)


def _worst(check: Check) -> list[list[str]]:
    names = [check.run, check.measure, check.user_model]
    pair = check.pair
    if pair is not None and (pair.losses or not check.failures):
        return [
            [
                topic,
                *names,
                f"{pair.scores[topic]:.4f}",
                f"{pair.baseline_scores[topic]:.4f}",
                f"{by:+.4f}",
            ]
            for topic, by in list(pair.losses.items())[:_MAX_TOPICS]
        ]
    if not check.failures:
        return []
    lowest = sorted(check.scores, key=check.scores.__getitem__)[:_MAX_TOPICS]
    return [[topic, *names, f"{check.scores[topic]:.4f}", "", ""] for topic in lowest]


def _checks_table(checks: Sequence[Check]) -> str:
    heading = ["run", "measure", "user model", "mean", "baseline", "difference", "worse topics"]
    heading += ["unchanged fails", "loss found"]
    rows = []
    for check in checks[:_MAX_CHECKS]:
        compared = [""] * 5
        if check.pair is not None:
            mean, baseline_mean = check.pair.means
            worse = f"{len(check.pair.losses)} of {len(check.pair.scores)}"
            compared = [f"{baseline_mean:.4f}", f"{mean - baseline_mean:+.4f}", worse]
            unchanged, loss, obstacle = check.chances
            compared += [obstacle if unchanged is None else share_text(unchanged)]
            compared += [obstacle if loss is None else f"{loss:.4f}"]
        result = "failed" if check.failures else "passed"
        names = [check.run, check.measure, check.user_model]
        rows.append([*names, f"{check.mean:.4f}", *compared, result])
    table = _table([*heading, "result"], rows)
    more = len(checks) - len(rows)
    chances = _CHANCES[any(check.pair for check in checks)]
    shown = f"and {more} more\n\n" if more > 0 else ""
    return f"{table}\n{shown}{chances}"


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
