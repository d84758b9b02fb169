"""Retrieval checks for test suites: the gate of ``xcg compare`` as one assertion.

It needs no plugin. It works with pytest, unittest and plain scripts.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from pathlib import Path

from xcg.documents.corpus import Documents
from xcg.documents.files import PathLike, expand
from xcg.errors import XcgError, printable
from xcg.evaluation.evaluate import evaluate
from xcg.evaluation.inputs import (
    DEFAULT_MEASURES,
    AnyOrder,
    Assessments,
    GivenRuns,
    Inputs,
    Measures,
    NamedResults,
    Strategies,
    Unanswered,
    UserModels,
)
from xcg.evaluation.results import Results
from xcg.measures import MEASURES
from xcg.runs.chunk_documents import DocumentKey
from xcg.runs.run import Run, Ties
from xcg.statistics.gate import check_gate
from xcg.statistics.gate_rules import parse_limits, parse_thresholds
from xcg.statistics.margins import parse_margins


def assert_retrieval(
    assessments: Assessments,
    runs: GivenRuns,
    corpus: Documents = None,
    user_model: UserModels | None = None,
    *,
    at_least: Mapping[str, float] | None = None,
    not_worse_than: str | os.PathLike[str] | Run | None = None,
    baseline: str | os.PathLike[str] | Run | None = None,
    max_drop: float | str | Mapping[str, float | str] | None = None,
    max_regressed: int | str | Mapping[str, int | str] | None = None,
    regressed_by: float | None = None,
    expected_topics: int | Collection[str] | None = None,
    measures: Measures = (),
    unanswered: Unanswered = "zero",
    order: AnyOrder | None = None,
    ties: Ties | None = None,
    test: str = "t",
    correction: str | None = None,
    margin: float | Mapping[str, float] | None = None,
    allow_underpowered: bool = False,
    allow_unmapped: int = 0,
    strategies: Strategies = (),
    document: DocumentKey = None,
) -> Results:
    """Evaluate runs, and fail if a run misses a minimum or is worse than a baseline.

    The verdict is that of ``xcg compare`` with ``--fail-under``, ``--fail-if-worse-than``,
    ``--max-drop`` and ``--max-regressed``.

    Args:
        assessments: As for :func:`xcg.evaluate`.
        runs: As for :func:`xcg.evaluate`.
        corpus: As for :func:`xcg.evaluate`.
        user_model: As for :func:`xcg.evaluate`; each run is checked under each user model.
        at_least: Minimum means by measure, for example ``{"MAep": 0.30}``. Lower-is-better measures
            cannot have a minimum.
        not_worse_than: The baseline: the name of one of the runs; or a :class:`xcg.Run`, or the path
            (:class:`~pathlib.Path`) of a file with one run, to which ``at_least`` does not apply. A run
            fails if it is worse by any measure and the difference is significant at 5 %, corrected over
            all runs, measures and user models.
        baseline: The baseline of ``max_drop`` and ``max_regressed`` without a test, in the same forms.
            Without it, ``not_worse_than`` is their baseline.
        max_drop: How much worse than the baseline's mean a mean may be: a difference such as 0.02, a
            share of the baseline's mean such as ``"5%"``, or these by measure.
        max_regressed: How many topics may regress: a number, a share such as ``"20%"``, or these by
            measure.
        regressed_by: A topic regresses if its score is worse than the baseline's by more than this; by
            default 0.1.
        expected_topics: The topics (questions) that must have scores of all runs, or their smallest
            number. Without it, a change can pass by removing them from the assessments; a note then
            names the topics that the baseline answers and that have no score.
        measures: Measures for the comparison with the baseline; by default those of ``at_least``,
            ``max_drop`` and ``max_regressed``, and without these the default measures of
            :func:`xcg.evaluate`.
        unanswered: As for :func:`xcg.evaluate`.
        order: As for :func:`xcg.evaluate`.
        ties: As for :func:`xcg.evaluate`.
        test: As for :func:`xcg.compare`.
        correction: Correction of the p values of all runs, measures and user models: ``"holm"`` (the
            default), ``"bonferroni"``, ``"fdr_bh"`` or ``"none"``. A margin needs no correction.
        margin: How much worse than the baseline a run may be: a number for all measures, or numbers by
            measure. Then a run fails unless it is shown (at 5 %) to be at most this much worse.
        allow_underpowered: Whether to accept a check that some run can never fail (with a margin: never
            pass), because there are too few topics for the test or no score can exceed a limit.
        allow_unmapped: Number of results and assessments that may be unusable, because they are wrong
            or do not exist in the corpus. They become warnings in the notes of the results.
        strategies: As for :func:`xcg.evaluate`; each run is checked under each strategy. A baseline
            that is a :class:`xcg.Run` or a path is not rewritten.
        document: As for :func:`xcg.evaluate`.

    Returns:
        The scores, and notes that state how often an unchanged run fails, and which loss is found.

    Raises:
        AssertionError: If a run fails; the message states run, measure, score, minimum or baseline, the
            topics with the lowest scores or the largest losses, and how often an unchanged run fails.
        UnmappedError: If a result or relevant text does not exist in the corpus: its document or path
            is unknown, its span exceeds the text, or its text is not found.
        XcgError: If other input is wrong, scores are missing, a run answers no topic, there are too few
            topics for the test, or there is nothing to check.

    >>> gold = {"1": {"bees": [(0, 16)]}, "2": {"bees": [(17, 35)]}}
    >>> corpus = {"bees": "Bees dance well. Drones do no work."}
    >>> runs = {"chunks": {"1": [("bees", 0, 16)], "2": [("bees", 0, 16)]}}
    >>> assert_retrieval(gold, runs, corpus, at_least={"MAep": 0.5}).value("chunks", "MAep")
    0.5
    >>> assert_retrieval(gold, runs, corpus, at_least={"MAep": 0.6})  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    AssertionError: chunks, spans: MAep is 0.5000, below 0.6; lowest on topic 2 (0.0000), topic 1 ...
    """
    __tracebackhide__ = True  # pytest then shows the line of the caller
    limits = parse_limits(max_drop, max_regressed, regressed_by)
    if not at_least and not_worse_than is None and not limits:
        raise XcgError(
            "nothing to check: expected at_least or not_worse_than, or a baseline with max_drop or "
            "max_regressed"
        )
    if baseline is not None and not_worse_than is not None:
        raise XcgError("baseline has no effect with not_worse_than, which is the baseline: remove it")
    if baseline is not None and not limits:
        raise XcgError("baseline has no effect without max_drop or max_regressed: expected one of them")
    compared = not_worse_than if baseline is None else baseline
    if limits and compared is None:
        given_limit = "max_drop" if limits.drops else "max_regressed"
        raise XcgError(f"{given_limit} has no effect without baseline or not_worse_than: expected one")
    if allow_unmapped < 0:
        raise XcgError(f"allow_unmapped is {allow_unmapped}: expected an integer of at least 0")
    minimums = parse_thresholds(at_least or {})
    given = {
        "test": test != "t",
        "correction": correction is not None,
        "margin": margin is not None,
        "allow_underpowered": allow_underpowered and not limits,
    }
    if not_worse_than is None and any(given.values()):
        useless = next(parameter for parameter in given if given[parameter])
        raise XcgError(f"{useless} has no effect without not_worse_than: expected a baseline")
    if margin is not None and given["correction"]:
        raise XcgError("correction has no effect with a margin: expected one of them")
    requested = MEASURES.parse_all(measures) if measures else []
    checked: list[Run | PathLike | NamedResults]
    checked = [runs] if isinstance(runs, (Run, str, os.PathLike, Mapping)) else list(runs)
    added: list[Run | PathLike | NamedResults] = []
    if compared is not None and not isinstance(compared, str):
        added.append(_single_run(compared, "baseline" if baseline is not None else "not_worse_than"))
        inputs = Inputs(
            assessments,
            checked,
            corpus,
            order=order,
            ties=ties,
            lenient=allow_unmapped > 0,
            strategies=strategies,
            document=document,
        )
        if inputs.strategy_list:
            checked, strategies = [*inputs.loaded_runs], ()
    results = evaluate(
        assessments,
        [*checked, *added],
        corpus,
        user_model,
        [*requested, *minimums, *limits.measures] or DEFAULT_MEASURES,
        unanswered=unanswered,
        order=order,
        ties=ties,
        lenient=allow_unmapped > 0,
        check_corpus=True,
        strategies=strategies,
        document=document,
    )
    name = compared if isinstance(compared, str) else None
    if added:
        name = results.scope.runs[-1]
    exempt = results.scope.runs[-1:] if added else []
    verdict = check_gate(
        results,
        minimums,
        name,
        test=test,
        correction=correction,
        margins=None if margin is None else parse_margins(margin, results.measures),
        allow_unmapped=allow_unmapped,
        allow_underpowered=allow_underpowered,
        exempt=exempt,
        limits=limits,
        is_tested=not_worse_than is not None,
        expected_topics=expected_topics,
    )
    if verdict.failures:
        raise AssertionError("\n".join(map(printable, [*verdict.failures, *verdict.chances])))
    results.notes += verdict.notes
    return results


def _single_run(baseline: os.PathLike[str] | Run, parameter: str) -> Run | Path:
    """Return a run, or the path of the only file that a path means."""
    if isinstance(baseline, Run):
        return baseline
    if not isinstance(baseline, os.PathLike):
        kind = type(baseline).__name__
        raise XcgError(f"{parameter} is of type {kind}: expected a run's name, a Run or a Path")
    files = expand(baseline, "a run")
    if len(files) != 1:
        raise XcgError(f"{os.fspath(baseline)} contains {len(files)} runs: expected one")
    return files[0]
