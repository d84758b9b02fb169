"""The section of the HTML report on overlap strategies: scores over α, crossings, overlap."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from xcg.documents.corpus import Corpus
from xcg.errors import MissingSizeError, XcgError
from xcg.evaluation.inputs import Inputs
from xcg.evaluation.results import Results
from xcg.measures import MEASURES
from xcg.report.html_context import Json, ReportContext
from xcg.report.strategy_studies import (
    ORACLE_SENTENCE,
    case_sentence,
    general_sentences,
    strategy_label,
    with_gaps,
)
from xcg.runs.run import ORACLE, Run
from xcg.statistics.strategy_study import Case, StrategyStudy, rewritten_runs, study_strategies
from xcg.strategies.extents import overlapping_positions

FIRST_RESULTS = 10
"""The results of each topic whose overlap is counted."""

MAX_LINES = 20_000
"""The most lines over α; further runs are left out to keep the file small."""


def strategy_data(context: ReportContext) -> Json | None:
    """Return what the section on overlap strategies shows; None without strategies."""
    inputs = context.inputs
    if not inputs.strategy_list:
        return None

    def evaluate(inputs: Inputs) -> Results:
        results = evaluate(inputs)
        context.steps.advance(1)
        return results

    try:
        study = study_strategies(inputs, evaluate=evaluate)
    except XcgError as error:
        return {"missing": str(error)}
    strategies = list(dict.fromkeys(score.strategy for score in study.scores))
    shown = list(study.leaders)[: max(1, MAX_LINES // len(strategies))]
    if len(shown) < len(study.leaders):
        context.limits.append(
            "To keep this file small, overlap strategies are compared for the first "
            f"{len(shown)} of {len(study.leaders)} runs, measures and user models."
        )
    return {
        "names": [strategy_label(strategy) for strategy in strategies],
        "reference": strategies.index(ORACLE),
        "remarks": [*general_sentences(study), ORACLE_SENTENCE],
        "cases": list(_cases(study, shown, strategies)),
        "overlap": _overlap(context, strategies),
        "first": FIRST_RESULTS,
    }


def _cases(study: StrategyStudy, shown: Sequence[Case], strategies: Sequence[str]) -> Iterator[Json]:
    """Yield the lines of each measure, user model and run, and the changes of the best strategy."""
    lines: dict[Case, dict[str, dict[float, float | None]]] = {}
    for score in study.scores:
        values = lines.setdefault(score[:3], {}).setdefault(score.strategy, {})
        value = score.score
        values[score.alpha] = value if value is not None and math.isfinite(value) else None
    refined: dict[Case, list[Json]] = {}
    for score in study.refined:
        if score.score is not None and math.isfinite(score.score):
            point = {"strategy": strategies.index(score.strategy), "alpha": score.alpha}
            refined.setdefault(score[:3], []).append(point | {"score": score.score})
    crossings = study.crossings
    for case in shown:
        measure, model, run = case
        for number, strategy in enumerate(strategies):  # a point without a score makes a gap
            own = refined.setdefault(case, [])
            known = dict(lines[case][strategy])
            known |= {point["alpha"]: point["score"] for point in own if point["strategy"] == number}
            points = sorted((a, math.nan if s is None else s) for a, s in known.items())
            gaps = set(with_gaps(points)[0]) - known.keys()
            own += [{"strategy": number, "alpha": x, "score": None} for x in sorted(gaps)]
        yield {
            "measure": measure,
            "model": model,
            "run": run,
            "sentence": case_sentence(study, case),
            "lower_is_better": MEASURES.order(measure).lower_is_better,
            "alphas": list(lines[case][ORACLE]),
            "scores": [list(lines[case][strategy].values()) for strategy in strategies],
            "refined": refined.get(case, []),
            "crossings": [
                {
                    "alpha": crossing.alpha,
                    "before": [strategies.index(name) for name in crossing.before],
                    "after": [strategies.index(name) for name in crossing.after],
                }
                for crossing in crossings
                if (crossing.measure, crossing.user_model, crossing.run) == case
            ],
        }


def _overlap(context: ReportContext, strategies: Sequence[str]) -> Json:
    """Return run as read → strategy → share of overlapping results among the first ones, or null."""
    inputs = context.inputs
    shares: Json = {}
    for original, strategy, run in rewritten_runs(inputs):
        own = shares.setdefault(original, [None] * len(strategies))
        if not run.is_reference:  # its order depends on the user model
            own[strategies.index(strategy)] = _overlap_of(run, context.topics, inputs.documents)
    return shares


def _overlap_of(run: Run, topics: Sequence[str], corpus: Corpus | None) -> float | None:
    """Return the mean share over topics; None without results or if the corpus is needed."""
    shares = []
    for topic in topics:
        ranking = run.rankings[topic].top(FIRST_RESULTS) if topic in run.rankings else None
        if ranking:
            try:
                shares.append(len(overlapping_positions(ranking, corpus)) / len(ranking))
            except MissingSizeError:
                return None
    return math.fsum(shares) / len(shares) if shares else None
