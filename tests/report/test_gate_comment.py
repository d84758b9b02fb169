"""A gate's verdict as Markdown for a pull request, and as JUnit XML."""

from __future__ import annotations

from typing import Any

from lxml import etree
from markdown_it import MarkdownIt
from score_tables import results_by_run

from xcg.evaluation.results import Results
from xcg.report.gates import MAX_CHARACTERS, Question, gate_comment, junit_xml, worst_topics
from xcg.statistics.gate import Verdict, check_gate
from xcg.statistics.gate_rules import parse_limits


def verdict_of(
    results: Results, minimums: Any = (), drop: Any = None, regressed: Any = None
) -> Verdict:
    limits = parse_limits(drop, regressed, None if regressed is None else 0)
    baseline = "base" if limits else None
    return check_gate(results, dict(minimums), baseline, limits=limits, is_tested=False)


TWO = {("base", "MAep", "m"): [0.8, 0.6, 0.4, 0.2], ("new", "MAep", "m"): [0.8, 0.5, 0.4, 0.22]}


CHECKS = """\
| result | run | measure | user model |   mean | baseline | difference | worse topics |
| :------| :---| :-------| :----------|------: |--------: |----------: |------------: |
| failed | new | MAep    | m          | 0.4800 |   0.5000 |    -0.0200 |       1 of 4 |\
"""


def test_the_verdict_is_first_and_the_worst_topics_follow() -> None:
    verdict = verdict_of(results_by_run(TWO), drop="1%")
    comment = gate_comment(verdict, ["note: n", "warning: w"])
    reason = (
        "new, m: MAep is 0.4800, 4 % lower than 0.5000 of base: at most 1 % is allowed; lost most on "
        "topic 2 (-0.1000)"
    )
    assert (
        comment
        == f"""\
<!-- xcg gate -->
## Retrieval gate: failed

1 of 1 check failed, compared with base.

- {reason}

- new: an unchanged run fails in 50 % of cases; a loss of 0.0347 by MAep would be found with 80 % power

### Checks

{CHECKS}

- warning: w

### Worst topics

**new, m, MAep, topic 2: 0.6000 → 0.5000 (-0.1000)**
"""
    )


def test_gold_and_ranks_follow_the_checks() -> None:
    question = Question("Which @bee?", ["d /a: rank 1 → not found"], "xcg explain --topic 2")
    verdict = verdict_of(results_by_run(TWO), drop="1%")
    comment = gate_comment(verdict, questions={("new", "2", "m"): question})
    assert (
        comment.split(CHECKS)[1]
        == """

### Worst topics

**new, m, MAep, topic 2: 0.6000 → 0.5000 (-0.1000)**

- Which @<!-- -->bee?
- d /a: rank 1 → not found
- xcg explain --topic 2
"""
    )
    (case,) = etree.fromstring(junit_xml(verdict, {("new", "2", "m"): question})).iter("testcase")
    assert (case[0].text or "").splitlines()[1:] == [
        "topic 2: 0.6000 → 0.5000 (-0.1000)",
        "Which @bee?",
        *question.gold,
        question.command,
    ]


def test_junit_has_a_case_for_each_topic_on_request() -> None:
    scores = {**TWO, ("late", "MAep", "m"): [0.7, 0.59, 0.4, 0.0], ("same", "MAep", "m"): [0.5] * 4}
    verdict = verdict_of(results_by_run(scores), drop="1%")
    cases = etree.fromstring(junit_xml(verdict, regressed_by=0.1)).findall(".//testcase")
    found = {(case.get("classname"), case.get("name")): len(case) for case in cases}
    assert len(found) == 3 * 5
    failed = [name for name, failures in found.items() if failures]
    # 0.1 is not more than 0.1, and "same" passes, although it lost 0.3 for topic 1.
    assert failed == [("m.new", "MAep"), ("m.late", "MAep"), ("m.late.MAep", "4")]


def test_a_passed_gate_also_shows_what_became_worse() -> None:
    lines = gate_comment(verdict_of(results_by_run(TWO), drop="5%", regressed=1)).splitlines()
    assert lines[1:4] == ["## Retrieval gate: passed", "", "1 check passed, compared with base."]
    assert "### Worst topics" in lines
    assert "**new, m, MAep, topic 2: 0.6000 → 0.5000 (-0.1000)**" in lines
    same = {("base", "MAep", "m"): [0.5, 0.6], ("new", "MAep", "m"): [0.5, 0.7]}
    assert "Worst" not in gate_comment(verdict_of(results_by_run(same), drop="5%"))


def test_without_a_baseline_the_lowest_scores_are_shown() -> None:
    comment = gate_comment(verdict_of(results_by_run(TWO), {"MAep": 0.49}))
    assert "1 of 2 checks failed." in comment
    assert "| result | run  | measure | user model |   mean |\n" in comment
    worst = comment.split("### Worst topics")[1]
    assert worst.index("**new, m, MAep, topic 4: 0.2200**") < worst.index("topic 3: 0.4000**")
    assert "base" not in worst


def test_checks_take_turns_among_the_worst_topics() -> None:
    scores = {
        (run, measure, "m"): [9.0 + size * lost for lost in (0.1, 0.2, 0.3)]
        for run, size in (("base", 0), ("new", 1))
        for measure in ("ASL", "ESL")
    }
    worst = gate_comment(verdict_of(results_by_run(scores), drop=0)).split("### Worst topics")[1]
    titles = [line.split(":")[0] for line in worst.splitlines() if line]
    assert titles == [f"**new, m, {m}, topic {topic}" for topic in "321" for m in ("ASL", "ESL")]


HOSTILE = "<img src=x> @octocat `a` | **b** [c](http://d) \x1b\u202e\n# e"


def test_names_are_text_and_notify_nobody() -> None:
    scores = {(f"{run}{HOSTILE}", "MAep", "m"): values for (run, _, _), values in TWO.items()}
    results = results_by_run(scores)
    limits = parse_limits(0)
    verdict = check_gate(results, {}, f"base{HOSTILE}", limits=limits, is_tested=False)
    html = MarkdownIt("commonmark").enable("table").render(gate_comment(verdict))
    body = etree.HTML(html)
    assert {element.tag for element in body.iter(etree.Element)} <= {
        *("html", "body", "h2", "h3", "p", "strong", "table", "thead", "tbody", "tr", "th", "td"),
        *("ul", "li"),
    }
    assert not [text for text in body.itertext() if "@octocat" in text]
    assert "<img src=x>" in etree.tostring(body, method="text", encoding="unicode")


def test_the_length_of_a_comment_is_bounded() -> None:
    names = {run: run + "<|@" * 330 for run in ("base", *(f"r{number}" for number in range(40)))}
    measures = [f"nxCG@{rank}" for rank in range(1, 9)]
    scores = {
        (name, measure, "m" * 900): [float(run == "base")] * 3
        for run, name in names.items()
        for measure in measures
    }
    limits = parse_limits("1%", 0)
    verdict = check_gate(results_by_run(scores), {}, names["base"], limits=limits, is_tested=False)
    assert len(verdict.failures) == 2 * 40 * 8
    question = Question("@" * 999, ["<" * 999] * 11, "`" * 999)
    described = {
        (check.run, topic, check.user_model): question for check, topic in worst_topics(verdict)
    }
    warnings = ["warning: " + "<" * 999] * 9
    comment = gate_comment(verdict, warnings, described)
    assert len(comment) < MAX_CHARACTERS
    assert "- and 620 more failures" in comment
    assert "and 300 more" in comment
    assert "- and 4 more warnings" in comment


def test_junit_has_one_case_for_each_run_measure_and_user_model() -> None:
    scores = {(run, "MAep", model): values for (run, _, _), values in TWO.items() for model in "mn"}
    scores["better", "MAep", "m"] = scores["better", "MAep", "n"] = [0.9] * 4
    root = etree.fromstring(junit_xml(verdict_of(results_by_run(scores), drop="1%", regressed=0)))
    assert (root.tag, root.get("tests"), root.get("failures"), root.get("errors")) == (
        *("testsuites", "4", "2", "0"),
    )
    counts = {"name", "tests", "failures", "errors", "time"}
    attributes = {
        "testsuites": counts,
        "testsuite": counts | {"skipped"},
        "testcase": {"classname", "name", "time"},
        "failure": {"message", "type"},
    }  # the schema of Jenkins' xUnit plug-in allows no others
    assert all({*element.attrib} == attributes[element.tag] for element in root.iter())
    suites = {suite.get("name"): suite for suite in root}
    assert list(suites) == ["m", "n"]
    for name, suite in suites.items():
        assert (suite.tag, suite.get("tests"), suite.get("failures")) == ("testsuite", "2", "1")
        new, better = suite
        assert (new.get("classname"), new.get("name")) == (f"{name}.new", "MAep")
        assert (better.get("classname"), len(better)) == (f"{name}.better", 0)
        (failure,) = new
        assert failure.get("type") == "max-drop"
        lines = (failure.text or "").splitlines()
        assert lines[0].startswith(f"new, {name}: MAep is 0.4800, 4 % lower")
        assert lines[0] == failure.get("message")
        assert "for 1 topic of 4: at most 0 are allowed" in lines[1]
        assert lines[2:] == ["topic 2: 0.6000 → 0.5000 (-0.1000)"]


def test_junit_escapes_names() -> None:
    scores = {(f"{run}{HOSTILE}]]>", "MAep", "m\x00"): values for (run, _, _), values in TWO.items()}
    root = etree.fromstring(junit_xml(verdict_of(results_by_run(scores), {"MAep": 0.49})))
    case = root.findall(".//testcase")[1]
    shown = HOSTILE.replace("\x1b\u202e\n", r"\x1b\u202e\n")
    assert case.get("classname") == rf"m\x00.new{shown}]]>"
    assert [failure.get("type") for failure in case] == ["minimum"]
