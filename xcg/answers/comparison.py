"""Answer `compare`, `gate`, `sweep` and `chunks`: the differences between runs."""

from __future__ import annotations

import functools
import shlex
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from xcg.answer import Answer, Layout
from xcg.answers.asked import Asked
from xcg.documents.files import whole_file
from xcg.errors import XcgError, nearest
from xcg.evaluation.chunks import compare_chunks
from xcg.evaluation.config import with_named_run
from xcg.evaluation.evaluate import evaluate
from xcg.evaluation.inputs import Inputs
from xcg.evaluation.results import Cell, Marks, Results
from xcg.measures import MEASURES
from xcg.report import comparison_sentences as sentences
from xcg.report import comparisons as arranged
from xcg.report.columns import AGREEMENTS, OVERALL_TESTS, SHIFTS, chunk_columns
from xcg.report.comparison_plots import differences_plot, strategies_plot, sweep_plot
from xcg.report.gates import gate_comment, junit_topics, junit_xml, regressed_questions, worst_topics
from xcg.report.strategy_studies import study_rows, study_sentences, study_table
from xcg.statistics.gate import Verdict, check_gate
from xcg.statistics.gate_rules import parse_limits, parse_thresholds
from xcg.statistics.rank_correlation import order_shifts
from xcg.statistics.significance import Comparison, best_runs, compare_runs
from xcg.statistics.significance import compare as compare_results
from xcg.statistics.significance_tests import CORRECTION_NAMES, SIGNIFICANCE_LEVEL
from xcg.statistics.strategy_study import study_strategies
from xcg.statistics.topic_scores import ALL_PAIRS
from xcg.tables import Table
from xcg.terminal_tables import separated

_LETTERS = (
    "Runs that share a letter do not differ significantly by the same measure under the same user "
    "model."
)


def compare(asked: Asked) -> Answer[Any]:
    """Return the comparisons of runs, or a table about all runs."""
    chosen = asked.settings.compare
    if chosen.table != "pairs":
        asked.refuse("plot.path", f"with the table {chosen.table}")
    inputs = asked.inputs_with("assessments", "runs")
    inputs, baseline = with_named_run(inputs, chosen.baseline, (ALL_PAIRS,))
    results = asked.scores_of_systems(inputs)
    if chosen.table == "pairs":
        return compared(asked, results, baseline)
    notes = list(results.notes)
    if chosen.table == "orders":
        rows = arranged.order_rows(results, chosen.resamples, chosen.seed)
        legend = [
            f"Orders of {len(results.runs)} runs by their means over {len(results.topics)} topics."
        ]
        return Answer(rows, notes, layout=lambda: Layout(columns=AGREEMENTS, legend=legend))
    if len(results.runs) == 2:
        notes.append("note: Friedman's test needs at least three runs; there are two")
    correction = chosen.correction or "holm"
    legend = [
        f"Tests over the topics that all runs have, of {len(results.topics)}; of pairs: Conover's; "
        f"correction: {CORRECTION_NAMES[correction]}.",
        "A > B: A is better than B by Conover's test after Friedman's; * p < 0.05, ** p < 0.01.",
    ]
    rows = arranged.overall_rows(results, correction)
    return Answer(rows, notes, layout=lambda: Layout(columns=OVERALL_TESTS, legend=legend))


def compared(asked: Asked, results: Results, baseline: str | None) -> Answer[Comparison]:
    """Return the comparisons of evaluated runs."""
    chosen = asked.settings.compare
    comparisons = compare_results(
        results, baseline=baseline, test=chosen.test, correction=chosen.correction
    )

    def layout() -> Layout:
        statement = sentences.comparison_statement(comparisons, baseline, chosen.correction)
        by_pair = baseline == ALL_PAIRS and len({line.baseline for line in comparisons}) > 1
        return Layout(
            statement.lead,
            statement.facts,
            arranged.comparison_tables(results, comparisons, by_pair),
            lambda: arranged.publication_tables(results, comparisons, baseline or ALL_PAIRS, by_pair),
        )

    return Answer(
        comparisons,
        [*results.notes, *sentences.zero_notes(results, comparisons)],
        to_records=lambda: arranged.comparison_rows(comparisons),
        layout=layout,
        figure=functools.partial(differences_plot, results, comparisons),
    )


def marks_of(results: Results, against: str | None = None) -> Marks:
    """Return the marks of the means, and their meaning.

    Args:
        results: The results. Greedy references are never the best, and not tested.
        against: A run; means that differ significantly from its mean (paired t test, Holm, 5 %) get a
            dagger. ``all`` gives letters for the pairs that do not differ (Holm with Shaffer's steps).
    """
    best: list[Cell] = []
    raised: dict[Cell, str] = {}
    lines: list[Comparison] = []
    systems = results.without_references()
    values: dict[tuple[str, str], dict[str, float]] = {}
    for row in systems.means():
        values.setdefault((row.measure, row.user_model), {})[row.run] = round(row.value, 4)
    for (measure, model), means in values.items():
        highest = MEASURES.order(measure).best(means.values())
        best += [(measure, model, run) for run, value in means.items() if value == highest]
        if against is not None and len(means) > 1:
            found = compare_runs(systems, measure, model, against)
            lines += found
            if against == ALL_PAIRS:
                letters = arranged.groups_of(systems, found)
            else:
                letters = {one.run: "†" for one in found if one.p_adjusted < SIGNIFICANCE_LEVEL}
            raised |= {(measure, model, run): letter for run, letter in letters.items()}
    legend = ["The best mean of each measure and user model is bold."]
    if lines:
        named = _LETTERS if against == ALL_PAIRS else f"†: differs significantly from {against}."
        lead = sentences.comparison_statement(lines, against).lead
        legend += [named, *lead]
    return Marks(best, raised, legend)


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
    if given == ALL_PAIRS:
        raise XcgError("baseline is 'all': expected the name or the path of a run")
    comparing = {"max_drop": limits.drops, "max_regressed": limits.regressed}
    for name, value in {**comparing, "per_topic": chosen.per_topic}.items():
        if value and given is None:
            raise XcgError(f"{name} needs a run to compare with: expected a baseline (--baseline RUN)")
    if chosen.junit is None:
        asked.refuse("gate.per_topic", "without a JUnit file (--junit FILE)")
    inputs = asked.inputs_with("assessments", "runs")
    configured = len(inputs.named_sources) if given is not None else 0
    inputs, baseline = with_named_run(inputs, given)
    # A baseline that is an object, or a path outside of the runs, is no run under test.
    is_added = given is not None and len(inputs.named_sources) > configured
    named = [*minimums, *limits.measures]
    requested = inputs.measure_list if asked.states("measures") or not named else []
    inputs = replace(
        inputs,
        measures=MEASURES.parse_all([*requested, *named]) if named else inputs.measures,
        check_corpus=True,
    )
    results = evaluate(inputs, asked.progress)
    if baseline is not None and baseline not in results.scope.runs:
        raise XcgError(f"no run {baseline!r}: {nearest(baseline, results.scope.runs)}")
    verdict = check_gate(
        results,
        minimums,
        baseline if is_tested or limits or len(results.runs) > 1 else None,
        test=test.test,
        correction=test.correction,
        exempt=[str(baseline)] * is_added,
        limits=limits,
        is_tested=is_tested,
        expected_topics=chosen.expected_topics,
    )
    printed: Answer[Any] = compared(asked, results, baseline) if limits or is_tested else results
    shown, regressed_by = worst_topics(verdict), limits.regressed_by if chosen.per_topic else None
    if chosen.junit is not None:
        shown += junit_topics(verdict, regressed_by)
    command = functools.partial(_command, asked)
    find_questions = functools.cache(
        lambda: regressed_questions(shown, verdict.baseline, inputs, command)
    )
    if chosen.junit is not None:
        with whole_file(Path(chosen.junit)) as file:
            file.write(junit_xml(verdict, find_questions(), regressed_by))
    failed = [f"failed: {failure}" for failure in verdict.failures]

    def layout() -> Layout:
        return replace(printed.layout, tables=printed.blocks(), texts={"markdown": comment})

    def comment() -> str:
        return gate_comment(verdict, printed.notes, find_questions())

    answer = GateAnswer(
        verdict.checks,
        [*printed.notes, *verdict.notes, *failed],
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


def sweep(asked: Asked) -> Answer[Any]:
    """Compare the orders of runs, or the overlap strategies if there are some."""
    inputs = asked.inputs_with("assessments", "runs")
    chosen = asked.settings.sweep
    if inputs.strategy_list:
        return _strategy_sweep(asked)
    results = evaluate(inputs, asked.progress)
    shifts = order_shifts(results, chosen.resamples, chosen.seed)
    best = best_runs(results)
    lead = sentences.sweep_sentences(results, chosen.resamples)
    rows = functools.partial(arranged.shift_rows, shifts, best, chosen.resamples)
    facts = sentences.shift_facts(shifts, best, chosen.resamples)
    return Answer(
        shifts,
        results.notes,
        to_records=rows,
        layout=lambda: Layout(
            lead,
            facts,
            publication=lambda: arranged.shift_tables(rows(), [*lead, *facts]),
            columns=SHIFTS,
        ),
        figure=lambda: sweep_plot(results, shifts),
    )


def _strategy_sweep(asked: Asked) -> Answer[Any]:
    """Study the overlap strategies of the inputs."""
    chosen = asked.settings.sweep
    study = study_strategies(asked.inputs, chosen.step, asked.progress)
    return Answer(
        study_rows(study),
        study.notes,
        layout=lambda: Layout(
            study_sentences(study),
            tables=[study_table(study)],
            publication=lambda: [study_table(study, has_all_names=True)],
        ),
        figure=functools.partial(strategies_plot, study),
    )


def chunks(asked: Asked) -> Answer[Any]:
    """Return one row per run; or every gold span and result of each question."""
    chosen = asked.settings.chunks
    inputs = asked.inputs_with("assessments", "runs", "corpus")
    measures = inputs.measure_list if asked.states("measures") else ()
    with asked.progress("topics") as progress:
        found = compare_chunks(
            inputs, chosen.budget, measures, questions=chosen.questions, progress=progress
        )
    columns = chunk_columns(chosen.budget)
    if not chosen.questions:
        notes = [*found.notes, *sentences.best_run_sentences(best_runs(found.scores))]
        return Answer(found.rows, notes, layout=lambda: Layout(columns=columns))
    tables = [
        Table.of_records(rows, columns)
        for kind in ("gold", "result")
        if (
            rows := [
                {name: value for name, value in row.items() if name != "kind"}
                for row in found.questions
                if row["kind"] == kind
            ]
        )
    ]
    names = (
        *(
            "question",
            "run",
            "kind",
            "rank",
            "doc",
            "start",
            "end",
            "tokens",
            "score",
            "found",
            "after",
        ),
        *("new", "again", "irrelevant", "seen", "verdict", "words"),
    )
    return Answer(
        [{name: row.get(name) for name in names} for row in found.questions],
        found.notes,
        layout=lambda: Layout(tables=separated(tables)),
    )
