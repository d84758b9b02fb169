"""Study which overlap strategy suits which user: the scores of strategies for α from 0 to 1.

The runs are read and rewritten once. All values of α are then evaluated in one pass over the documents,
and the values at which the best strategy changes are found by further evaluations.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, product
from typing import NamedTuple

from xcg.errors import Notes, XcgError
from xcg.evaluation.evaluate import evaluate_inputs
from xcg.evaluation.inputs import Inputs
from xcg.evaluation.results import Results
from xcg.evaluation.unique_names import with_unique_names
from xcg.measures import MEASURES, Measure
from xcg.runs.run import ORACLE, Run
from xcg.statistics.topic_scores import ROUNDING
from xcg.strategies.rewriting import reference_run
from xcg.user_model.model import UserModel
from xcg.user_model.sweep import MAX_MODELS

POINTS = 11
"""The default number of values of α: 0, 0.1, …, 1."""
MAX_POINTS = 1001
"""The maximum number of values of α."""
PRECISION = 0.005
"""The maximum error of the values of α at which the best strategy changes."""

_ALPHA_SETTING = re.compile(r"(?<=[\[,])(?:relevance_value\.)?alpha=[^,\]]*,?")
"""The value of α in the name of a user model of a sweep."""
_EVALUATED_ALPHA = re.compile(r" at alpha=[0-9.e-]+(?=: )")
"""What :meth:`_Grid.at` adds to the name of a user model, in a note."""


class StrategyScore(NamedTuple):
    """The score of a run under one strategy at one value of α.

    Attributes:
        measure: Canonical name of the measure.
        user_model: Name of the user model, without α.
        run: Name of the run as read.
        strategy: The strategy as users type it; ``oracle`` is the reference point.
        alpha: α of the user model.
        score: Mean over topics; None without one.
        to_oracle: How much better oracle is: oracle − score, or score − oracle for a lower-is-better
            measure. None if one of them has no score.
        is_best: Whether no other strategy of the run is better at this α. Never true of oracle.
    """

    measure: str
    user_model: str
    run: str
    strategy: str
    alpha: float
    score: float | None
    to_oracle: float | None
    is_best: bool


class Crossing(NamedTuple):
    """A value of α at which the best strategy of a run changes.

    Attributes:
        measure: Canonical name of the measure.
        user_model: Name of the user model, without α.
        run: Name of the run as read.
        low: The greatest α known to be below the change. ``before`` is best here.
        high: The smallest α known to be above it. ``after`` is best here.
        before: The best strategy before the change, or several with equal scores.
        after: The best strategy after the change, or several with equal scores.
    """

    measure: str
    user_model: str
    run: str
    low: float
    high: float
    before: tuple[str, ...]
    after: tuple[str, ...]

    @property
    def alpha(self) -> float:
        """The centre of the interval, which differs by at most :data:`PRECISION` from the change."""
        return round((self.low + self.high) / 2, 12)


class Leaders(NamedTuple):
    """The strategies of a run that are best from one change to the next.

    Attributes:
        strategies: The strategies that are best at all these values of α; several have equal scores.
        first: The first evaluated α.
        last: The last evaluated α.
    """

    strategies: tuple[str, ...]
    first: float
    last: float


Case = tuple[str, str, str]
"""Measure, user model and run."""


@dataclass(frozen=True)
class StrategyStudy:
    """The result of :func:`study_strategies`.

    Attributes:
        scores: The scores in the order of measures, user models, runs, strategies and α. Oracle is the
            last strategy of each run.
        refined: Scores of strategies at further values of α, near changes of the best strategy.
        leaders: (Measure, user model, run) → the strategies that are best, from α = 0 to 1.
        constant: The measures and user models for which no score depends on α.
        notes: The notes of the evaluation.
    """

    scores: Sequence[StrategyScore]
    refined: Sequence[StrategyScore]
    leaders: Mapping[Case, Sequence[Leaders]]
    constant: Sequence[tuple[str, str]]
    notes: Sequence[str]

    @property
    def crossings(self) -> list[Crossing]:
        """The changes of the best strategy in the order of the scores."""
        return [
            Crossing(*case, before.last, after.first, before.strategies, after.strategies)
            for case, found in self.leaders.items()
            for before, after in pairwise(found)
        ]


def study_strategies(
    inputs: Inputs,
    points: int | None = None,
    evaluate: Callable[[Inputs], Results] = evaluate_inputs,
) -> StrategyStudy:
    """Compute the scores of overlap strategies for α from 0 to 1.

    The α of each user model is replaced by ``points`` values with equal distances. A user model that
    has several values of α already, such as ``alpha: [0, 0.5, 1]``, keeps these. Strategies are
    compared with the reference point ``oracle`` of the same run, user model and α.

    If the best strategies at two neighbouring values differ, the α of the change is found by bisection
    to ± 0.005. Two changes between neighbouring values that restore the best strategy are not found.

    Args:
        inputs: Inputs with at least one strategy besides ``oracle``.
        points: The number of values of α, at least 2; 11 by default.
        evaluate: Evaluates inputs, for example with a progress bar.

    Raises:
        XcgError: As :func:`xcg.evaluate`; and if there is no strategy, no measure depends on α, or
            ``points`` has no effect.

    >>> study = study_strategies(
    ...     Inputs(
    ...         {"1": {"d": {"/a": (3, 3), "/a/s[1]": (2, 3)}, "e": {"/a": (1, 3)}}},
    ...         {"bm25": {"1": ["d#/a", "d#/a/s[1]", "e#/a"]}},
    ...         user_model={"name": "m", "relevance_value": {"normalisation": "none"}},
    ...         measures="xCG@2",
    ...         strategies="thorough",
    ...     )
    ... )
    >>> [score.score for score in study.scores if score.strategy == "thorough"][::5]
    [1.9, 1.45, 1.0]
    """
    if points is not None and not 2 <= points <= MAX_POINTS:
        raise XcgError(f"{points} values of α: expected a number from 2 to {MAX_POINTS:,}")
    inputs.check()
    evaluator = _Evaluator(inputs, points, evaluate)
    evaluator.evaluate_grids()
    evaluator.refine_crossings()
    return evaluator.study()


@dataclass(frozen=True)
class _Grid:
    """A user model, and the values of α at which it is evaluated."""

    name: str
    model: UserModel
    alphas: tuple[float, ...]

    def at(self, alpha: float) -> UserModel:
        """Return the user model with another α."""
        value = replace(self.model.relevance_value, alpha=alpha)
        return replace(self.model, name=f"{self.name} at alpha={alpha!r}", relevance_value=value)


def _grids(models: Sequence[UserModel], points: int | None) -> list[_Grid]:
    """Return each user model with its values of α; the models of a sweep of α become one."""
    families: dict[str, list[UserModel]] = {}
    for model in models:
        name = _ALPHA_SETTING.sub("", model.name).replace(",]", "]").replace("[]", "")
        families.setdefault(name, []).append(model)
        if (reader := model.relevance_value.reader) is not None:
            raise XcgError(
                f"the user model {model.name} has no alpha, because it has the reader {reader}"
            )
    count = POINTS if points is None else points
    default = tuple(round(number / (count - 1), 12) for number in range(count))
    grids = []
    for name, family in families.items():
        alphas = tuple(sorted({model.relevance_value.alpha for model in family}))
        if len(alphas) < len(family):  # they differ in another parameter
            grids += [_Grid(model.name, model, default) for model in family]
        elif len(family) == 1:
            grids.append(_Grid(name, family[0], default))
        elif points is not None:
            raise XcgError(
                f"the user model {name} has several values of alpha, so a number of points has no "
                "effect: remove one of them"
            )
        else:
            grids.append(_Grid(name, family[0], alphas))
    return grids


class _Evaluator:
    """Evaluates the strategies of all runs at values of α, and keeps the means."""

    def __init__(
        self, inputs: Inputs, points: int | None, evaluate: Callable[[Inputs], Results]
    ) -> None:
        self._evaluate_inputs = evaluate
        self._strategies = [str(part) for part in inputs.strategy_list if part.name != ORACLE]
        if not self._strategies:
            raise XcgError("no overlap strategy besides oracle, the reference point: expected one")
        measures, left_out = _measures_of_gains(inputs.measure_list)
        self._notes = [f"note: α has no effect on {left_out}, so left out"] if left_out else []
        runs, self._runs = _with_oracle(inputs)
        self._inputs = replace(
            inputs,
            assessments=inputs.recall_base,
            runs=runs,
            corpus=inputs.documents,
            measures=measures,
            strategies=(),
        )
        self._inputs.notes.take(inputs.notes)
        self._grids = _grids(self._inputs.user_models, points)
        count = sum(len(grid.alphas) for grid in self._grids)
        if count > MAX_MODELS:
            raise XcgError(
                f"{count:,} user models with their values of α: expected at most {MAX_MODELS:,}"
            )
        self._alphas = {grid.name: grid.alphas for grid in self._grids}
        names = dict.fromkeys(run for run, _ in self._runs.values())
        self._cases = [
            (str(measure), grid.name, name)
            for measure in measures
            for grid in self._grids
            for name in names
        ]
        self._means: dict[str, dict[float, dict[tuple[str, str, str], float]]] = {
            grid.name: {} for grid in self._grids
        }
        """User model → α → (measure, run, strategy) → mean."""
        self._constant: list[tuple[str, str]] = []

    def evaluate_grids(self) -> None:
        """Evaluate all runs at all values of α in one pass."""
        results = self._evaluate(self._alphas, self._inputs)
        names = self._names(self._alphas)
        self._notes += dict.fromkeys(_EVALUATED_ALPHA.sub("", note) for note in results.notes)
        self._constant = self._unaffected(results, names)

    def _names(self, alphas: Mapping[str, Iterable[float]]) -> dict[str, tuple[str, float]]:
        """Return name of the evaluated user model → name without α, and α."""
        return {
            grid.at(alpha).name: (grid.name, alpha)
            for grid in self._grids
            for alpha in alphas.get(grid.name, ())
        }

    def _evaluate(self, alphas: Mapping[str, Iterable[float]], inputs: Inputs) -> Results:
        """Evaluate user models at values of α, and keep the means."""
        models = [grid.at(alpha) for grid in self._grids for alpha in alphas.get(grid.name, ())]
        names = self._names(alphas)
        results = self._evaluate_inputs(replace(inputs, user_model=models))
        for row in results.means():
            run, strategy = self._runs[row.run]
            model, alpha = names[row.user_model]
            found = self._means[model].setdefault(alpha, {})
            found[row.measure, run, strategy] = row.value
        return results

    def _unaffected(
        self, results: Results, names: Mapping[str, tuple[str, float]]
    ) -> list[tuple[str, str]]:
        """Return the measures and user models under which no score of a topic depends on α."""
        first: dict[tuple[str, str, str, str], float] = {}
        affected = set()
        for row in results:
            model, _ = names[row.user_model]
            value = first.setdefault((row.measure, model, row.run, row.topic), row.value)
            if not _equal(value, row.value):
                affected.add((row.measure, model))
        cases = dict.fromkeys((measure, model) for measure, model, _ in self._cases)
        return [case for case in cases if case not in affected]

    def refine_crossings(self) -> None:
        """Evaluate further values of α until every change of the best strategy is precise."""
        while True:
            wide = [
                (case, before.last, after.first)
                for case in self._cases
                for before, after in pairwise(self._leaders(case))
                if after.first - before.last > 2 * PRECISION
            ]
            if not wide:
                return
            centres: dict[str, dict[float, None]] = {}
            for (_, model, _), low, high in wide:
                centres.setdefault(model, {})[round((low + high) / 2, 12)] = None
            self._evaluate(centres, self._inputs_of({run for (_, _, run), _, _ in wide}))

    def _inputs_of(self, runs: set[str]) -> Inputs:
        """Return inputs with the strategies of some runs; with all if their scores depend on others."""
        if self._inputs.documents is None and any(
            grid.model.depends_on_other_runs for grid in self._grids
        ):
            return self._inputs
        chosen = [
            run
            for run in self._inputs.loaded_runs
            if self._runs[run.name][0] in runs and not run.is_reference
        ]
        return replace(self._inputs, runs=chosen)

    def _best(self, case: Case, alpha: float) -> set[str]:
        """Return the strategies with the best score; equal scores share it."""
        measure, model, run = case
        means = self._means[model].get(alpha, {})
        scores = {
            strategy: means[measure, run, strategy]
            for strategy in self._strategies
            if math.isfinite(means.get((measure, run, strategy), math.nan))
        }
        best = MEASURES.order(measure).best(scores.values()) if scores else 0.0
        return {name for name, score in scores.items() if _equal(score, best)}

    def _leaders(self, case: Case) -> list[Leaders]:
        """Return the strategies that are best, from the lowest to the highest evaluated α.

        A strategy leads as long as no other is better, so equal scores are no change.
        """
        found: list[tuple[set[str], float, float]] = []
        for alpha in sorted(self._means[case[1]]):
            best = self._best(case, alpha)
            if not best:
                continue
            if found and found[-1][0] & best:
                found[-1] = found[-1][0] & best, found[-1][1], alpha
            else:
                found.append((best, alpha, alpha))
        return [
            Leaders(tuple(sorted(best, key=self._strategies.index)), first, last)
            for best, first, last in found
        ]

    def study(self) -> StrategyStudy:
        """Return the study of everything that was evaluated."""
        return StrategyStudy(
            [score for case in self._cases for score in self._scores(case, self._alphas[case[1]])],
            [score for case in self._cases for score in self._scores(case, self._refined_alphas(case))],
            {case: self._leaders(case) for case in self._cases},
            self._constant,
            self._notes,
        )

    def _refined_alphas(self, case: Case) -> list[float]:
        """Return the values of α outside the grid at which this run was evaluated."""
        measure, model, run = case
        first = measure, run, self._strategies[0]
        further = self._means[model].keys() - set(self._alphas[model])
        return sorted(alpha for alpha in further if first in self._means[model][alpha])

    def _scores(self, case: Case, alphas: Iterable[float]) -> Iterator[StrategyScore]:
        """Yield the scores of a run at values of α, oracle last."""
        measure, model, run = case
        sign = -1 if MEASURES.order(measure).lower_is_better else 1
        for strategy in (*self._strategies, ORACLE):
            for alpha in alphas:
                means = self._means[model].get(alpha, {})
                score = means.get((measure, run, strategy))
                oracle = means.get((measure, run, ORACLE))
                to_oracle = None
                if score is not None and oracle is not None:
                    to_oracle = sign * (oracle - score) + 0.0  # not -0.0
                is_best = strategy in self._best(case, alpha)
                yield StrategyScore(*case, strategy, alpha, score, to_oracle, is_best)


def _measures_of_gains(measures: Sequence[Measure]) -> tuple[list[Measure], str]:
    """Return the measures that can depend on α, and the names of the others."""
    found = [measure for measure in measures if measure.definition.needs == "gains"]
    others = ", ".join(str(measure) for measure in measures if measure not in found)
    if not found:
        raise XcgError(f"α has no effect on {others}: expected a measure of gains, such as nxCG@10")
    return found, others


def rewritten_runs(inputs: Inputs) -> list[tuple[str, str, Run]]:
    """Return name as read, strategy and run, for each run under each strategy of the inputs.

    Args:
        inputs: Inputs with at least one strategy.

    Raises:
        XcgError: If a run or a strategy is wrong.
    """
    names = [run.name for run in with_unique_names(inputs.runs_as_read, Notes())]
    pairs = product(names, map(str, inputs.strategy_list))
    return [(*pair, run) for pair, run in zip(pairs, inputs.loaded_runs, strict=True)]


def _with_oracle(inputs: Inputs) -> tuple[list[Run], dict[str, tuple[str, str]]]:
    """Return the runs under all strategies and oracle, and name → name as read, and strategy."""
    found = rewritten_runs(inputs)
    if ORACLE not in map(str, inputs.strategy_list):
        as_read = with_unique_names(inputs.runs_as_read, Notes())
        found += [(run.name, ORACLE, reference_run(run)) for run in as_read]
    return [run for _, _, run in found], {run.name: (name, strategy) for name, strategy, run in found}


def _equal(first: float, second: float) -> bool:
    """Return whether two scores are equal apart from rounding."""
    return math.isclose(first, second, rel_tol=ROUNDING, abs_tol=ROUNDING)
