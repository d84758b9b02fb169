"""Write the verdict of a gate as JUnit XML, which CI systems show as test results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from types import MappingProxyType

from xcg.errors import printable
from xcg.lazy_modules import etree
from xcg.report.regressed_questions import MAX_TOPICS, Question
from xcg.statistics.gate import Check, Verdict
from xcg.statistics.topic_scores import ROUNDING


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
        questions: From :func:`xcg.report.regressed_questions.regressed_questions`.
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
                for line in _lost(check, topic, questions)
            ]
            _add_case(suite, name, check.measure, check, [*lines, *lost])
            if regressed_by is not None and check.pair is not None:
                for topic in check.pair.scores:
                    regressed = (
                        check.pair.sign * check.pair.differences[topic] < -regressed_by - ROUNDING
                    )
                    lines = _lost(check, topic, questions) if regressed else []
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


def _lost(check: Check, topic: str, questions: Mapping[tuple[str, str, str], Question]) -> list[str]:
    """Return what is known about a topic, one line each."""
    assert check.pair is not None
    scores = check.pair.baseline_scores[topic], check.pair.scores[topic]
    line = f"topic {topic}: {scores[0]:.4f} → {scores[1]:.4f} ({check.pair.differences[topic]:+.4f})"
    question = questions.get((check.run, topic, check.user_model))
    if question is None:
        return [line]
    return [line, *filter(None, [question.text]), *question.gold, question.command]
