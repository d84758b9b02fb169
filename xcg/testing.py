"""Retrieval checked in a test suite: the gate of ``xcg compare`` as one assertion.

It needs no plugin, and works in pytest, unittest and a plain script.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from xcg.documents.files import PathLike, expand
from xcg.errors import XcgError
from xcg.evaluation.evaluate import evaluate
from xcg.evaluation.inputs import (
    DEFAULT_MEASURES,
    Assessments,
    Documents,
    NamedResults,
    Runs,
    Unanswered,
    UserModels,
)
from xcg.evaluation.results import Results
from xcg.measures import MEASURES, Measure
from xcg.runs.run import Run, Ties
from xcg.statistics.gate import limits, shortfalls


def assert_retrieval(
    assessments: Assessments,
    runs: Runs,
    corpus: Documents = None,
    user_model: UserModels | None = None,
    *,
    at_least: Mapping[str, float] | None = None,
    not_worse_than: str | os.PathLike[str] | Run | None = None,
    measures: str | Measure | Iterable[str | Measure] = (),
    unanswered: Unanswered = "zero",
    ties: Ties = "document",
    test: str = "t",
    correction: str = "holm",
    allow_unmapped: int = 0,
) -> Results:
    """Evaluate runs, and fail where one falls short of what is asked.

    The verdict is that of ``xcg compare`` with ``--fail-under`` and ``--fail-if-worse-than``.

    Args:
        assessments: As :func:`xcg.evaluate` takes them, like all that is not named here.
        runs: The runs to check.
        corpus: The documents.
        user_model: The user models; a run is checked under each.
        at_least: Measure → the least mean, ``{"MAep": 0.30}``.
        not_worse_than: The baseline: the name of one of the runs, or a :class:`xcg.Run` or the path of
            a run's file (a :class:`~pathlib.Path`), for which ``at_least`` does not hold. A run fails
            that is worse on one of the measures, significantly at 5 %.
        measures: Those on which runs are compared; by default those of ``at_least``, and without any
            those of :func:`xcg.evaluate`.
        unanswered: What an assessed topic counts that a run does not answer.
        ties: How TREC results of one score are ordered.
        test: ``t``, ``wilcoxon`` or ``randomisation``, see :func:`xcg.statistics.significance.compare`.
        correction: For the number of comparisons, see there.
        allow_unmapped: How many results or assessments may be left out because they are wrong or have
            no place in the corpus; each is then counted as a warning.

    Returns:
        The figures, ``notes`` telling what was left out.

    Raises:
        AssertionError: A run falls short; the message names run, measure, value, limit and the topics
            that lost most.
        UnmappedError: A result or relevant text has no place in the corpus: its document or path does
            not exist, its span goes beyond the text, its text is not there.
        XcgError: The input is wrong in another way, figures are absent, or nothing is asked.

    >>> gold = {"1": {"bees": [(0, 16)]}, "2": {"bees": [(17, 35)]}}
    >>> corpus = {"bees": "Bees dance well. Drones do no work."}
    >>> runs = {"chunks": {"1": [("bees", 0, 16)], "2": [("bees", 0, 16)]}}
    >>> assert_retrieval(gold, runs, corpus, at_least={"MAep": 0.5}).value("chunks", "MAep")
    0.5
    >>> assert_retrieval(gold, runs, corpus, at_least={"MAep": 0.6})  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    AssertionError: chunks, spans: MAep is 0.5000, below 0.6; lowest on topic 2 (0.0000), topic 1 ...
    """
    __tracebackhide__ = True  # pytest then shows the caller's line
    if not at_least and not_worse_than is None:
        raise XcgError("nothing to check: expected at_least or not_worse_than")
    if allow_unmapped < 0:
        raise XcgError(f"allow_unmapped is {allow_unmapped}: expected a number from 0")
    least = limits(at_least or {})
    chosen = MEASURES.parse_all(measures) if measures else []
    added = [] if not_worse_than is None or isinstance(not_worse_than, str) else [_one(not_worse_than)]
    results = evaluate(
        assessments,
        [*_listed(runs), *added],
        corpus,
        user_model,
        MEASURES.parse_all([*chosen, *least] or DEFAULT_MEASURES),
        unanswered=unanswered,
        ties=ties,
        lenient=allow_unmapped > 0,
        check_corpus=True,
    )
    baseline, exempt = not_worse_than, list[str]()
    if added:
        exempt = [results.scope.runs[-1]]
        (baseline,) = exempt
    assert baseline is None or isinstance(baseline, str)
    failures = shortfalls(results, least, baseline, test, correction, allow_unmapped, exempt)
    if failures:
        raise AssertionError("\n".join(failures))
    return results


def _listed(runs: Runs) -> list[Run | PathLike | NamedResults]:
    return [runs] if isinstance(runs, (Run, str, os.PathLike, Mapping)) else list(runs)


def _one(baseline: os.PathLike[str] | Run) -> Run | Path:
    """Return a run, or the path of the one file that holds it."""
    if isinstance(baseline, Run):
        return baseline
    if not isinstance(baseline, os.PathLike):
        kind = type(baseline).__name__
        raise XcgError(f"not_worse_than is a {kind}: expected a run's name, a Run or a Path")
    files = expand(baseline, "a run")
    if len(files) != 1:
        raise XcgError(f"{os.fspath(baseline)} holds {len(files)} runs: expected one")
    return files[0]
