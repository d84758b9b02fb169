"""Answer ``gate``: pass or fail, by limits, or by tests against a baseline."""

from __future__ import annotations

import functools
import shlex
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from xcg.answer import Answer, Layout
from xcg.answers.asked import Asked
from xcg.answers.comparison import compared, margins_of
from xcg.documents.writing import whole_file
from xcg.errors import XcgError, nearest
from xcg.evaluation.inputs import Inputs
from xcg.evaluation.results import Results
from xcg.evaluation.run_names import with_named_run
from xcg.measures import MEASURES
from xcg.report.gates import gate_comment, junit_xml, regressed_questions
from xcg.statistics.gate import Verdict, check_gate
from xcg.statistics.gate_rules import parse_limits, parse_thresholds


class GateAnswer(Answer[Any]):
    """The answer of a gate: a sequence of the checks of each run, measure and user model.

    Attributes:
        results: The scores.
        verdict: What was checked, and what failed.
        passed: Whether no run fails.
    """

    results: Results
    verdict: Verdict

    @property
    def passed(self) -> bool:
        """Whether no run fails."""
        return not self.verdict.failures


def gate(asked: Asked) -> GateAnswer:
    """Check that no run misses a limit, or is worse than the baseline."""
    chosen, test = asked.settings.gate, asked.settings.compare
    limits = parse_limits(chosen.max_drop, chosen.max_regressed, chosen.regressed_by)
    minimums = parse_thresholds(chosen.fail_under if chosen.fail_under is not None else {})
    is_tested = not limits and not minimums
    given = test.baseline
    if is_tested and given is None:
        raise XcgError(
            "nothing to check: expected a baseline (--baseline RUN), or a limit (--fail-under, or with "
            "a baseline --max-drop or --max-regressed)"
        )
    if isinstance(given, str) and given in ("all", "best"):
        raise XcgError(f"baseline is {given!r}: expected the name or the path of a run")
    if limits and given is None:
        name = "max_drop" if limits.drops else "max_regressed"
        raise XcgError(f"{name} needs the run to compare with: expected a baseline (--baseline RUN)")
    if not is_tested:
        asked.refuse("compare.margin", "on a gate with limits, which have no test")
    inputs = asked.inputs_with("assessments", "runs")
    configured = len(inputs.named_sources) if given is not None else 0
    inputs, baseline = with_named_run(inputs, given)
    # A baseline that is an object, or a path outside of the runs, is no run under test.
    is_added = given is not None and len(inputs.named_sources) > configured
    allowed = chosen.allow_unmapped
    named = [*minimums, *limits.measures]
    requested = inputs.measure_list if asked.states("measures") or not named else []
    inputs = replace(
        inputs,
        measures=MEASURES.parse_all([*requested, *named]) if named else inputs.measures,
        check_corpus=True,
        lenient=inputs.lenient or allowed is not None,
    )
    results = asked.evaluate(inputs)
    if baseline is not None and baseline not in results.scope.runs:
        raise XcgError(f"no run {baseline!r}: {nearest(baseline, results.scope.runs)}")
    verdict = check_gate(
        results,
        minimums,
        baseline if is_tested or limits else None,
        test=test.test,
        correction=test.correction,
        margins=margins_of(asked, results.measures),
        allow_unmapped=allowed or 0,
        allow_underpowered=chosen.allow_underpowered,
        exempt=[str(baseline)] * is_added,
        limits=limits,
        is_tested=is_tested,
        expected_topics=chosen.expected_topics,
    )
    tested = results.without_references()
    comparison: Answer[Any] | None = None
    if baseline is not None and len(tested.runs) > 1 and (limits or is_tested):
        comparison = compared(asked, tested, baseline)
    printed: Answer[Any] = comparison or results
    notes = tested.notes if comparison is None else comparison.notes
    find_questions = functools.cache(
        lambda: regressed_questions(verdict, inputs, functools.partial(_command, asked))
    )
    if chosen.junit is not None:
        regressed_by = limits.regressed_by if chosen.per_topic else None
        with whole_file(Path(chosen.junit)) as file:
            file.write(junit_xml(verdict, find_questions(), regressed_by))
    failed = [f"failed: {failure}" for failure in verdict.failures]

    def layout() -> Layout:
        return replace(printed.layout, texts={"markdown": comment})

    def comment() -> str:
        table = comparison.to_text("markdown") if comparison else ""
        return gate_comment(verdict, notes, len(comparison or ()), table, find_questions())

    answer = GateAnswer(
        verdict.checks,
        [*notes, *verdict.notes, *failed],
        to_records=printed.records,
        layout=layout,
        status=int(bool(failed)),
    )
    answer.results, answer.verdict = results, verdict
    return answer


def _command(asked: Asked, inputs: Inputs, run: str, topic: str) -> str:
    """Return the command that explains a run for a topic."""
    originals = {
        f"{name}+{strategy}": name for name in inputs.named_sources for strategy in inputs.strategy_list
    }
    source = inputs.named_sources.get(originals.get(run, run))
    words: Sequence[str] = asked.stated.words("runs", "measures")
    shown = str(source) if isinstance(source, Path) else run
    return shlex.join(["xcg", "explain", *words, "--run", shown, "--topic", topic])
