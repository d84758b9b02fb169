"""Write the verdict of a gate as JUnit XML, which CI systems show as test results."""

from __future__ import annotations

from itertools import groupby

from xcg.errors import printable
from xcg.lazy_modules import etree
from xcg.statistics.gate import Check, Verdict

_MAX_TOPICS = 10


def junit_xml(verdict: Verdict) -> bytes:
    """Write the verdict of a gate as JUnit XML.

    There is one test suite for each user model, and one test case for each run and measure. A failure
    contains all reasons and the topics that lost most. The document follows the schema of Jenkins'
    xUnit plug-in, like the reports of pytest. GitLab only shows the class name, name and text of
    failures: the class name contains the user model and the run, so that no two cases are equal.
    Invisible characters are escaped as in messages, because XML cannot contain most of them.

    Args:
        verdict: The result of the gate.

    Returns:
        The document in UTF-8.
    """
    failed = sum(bool(check.failures) for check in verdict.checks)
    root = etree.Element("testsuites", {"name": "xcg", **_counts(len(verdict.checks), failed)})
    for model, group in groupby(verdict.checks, key=lambda check: check.user_model):
        checks = list(group)
        failed = sum(bool(check.failures) for check in checks)
        counts = {**_counts(len(checks), failed), "skipped": "0"}
        suite = etree.SubElement(root, "testsuite", {"name": printable(model), **counts})
        for check in checks:
            case = etree.SubElement(
                suite,
                "testcase",
                classname=printable(f"{model}.{check.run}"),
                name=printable(check.measure),
                time="0",
            )
            if check.failures:
                first = check.failures[0]
                failure = etree.SubElement(
                    case, "failure", message=printable(first.text), type=first.rule
                )
                lines = [failure.text for failure in check.failures] + _lost(check)
                failure.text = "\n".join(map(printable, lines))
    document: bytes = etree.tostring(root, encoding="UTF-8", xml_declaration=True, pretty_print=True)
    return document


def _counts(tests: int, failures: int) -> dict[str, str]:
    return {"tests": str(tests), "failures": str(failures), "errors": "0", "time": "0"}


def _lost(check: Check) -> list[str]:
    """Return a line for each of the topics that lost most."""
    pair = check.pair
    if pair is None:
        return []
    return [
        f"topic {topic}: {pair.baseline_scores[topic]:.4f} → {pair.scores[topic]:.4f} ({by:+.4f})"
        for topic, by in list(pair.losses.items())[:_MAX_TOPICS]
    ]
