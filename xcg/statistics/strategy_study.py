"""Study which overlap strategy suits which user: the scores of strategies for α from 0 to 1.

The runs are read and rewritten once, and all values of α are evaluated in one pass over the documents.
Each measure is studied by itself: what is said about it does not depend on the other measures.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, product
from typing import NamedTuple

from xcg.errors import Notes, XcgError
from xcg.evaluation.evaluate import evaluate
from xcg.evaluation.inputs import Inputs
from xcg.evaluation.parallel import ProgressBar, no_progress
from xcg.evaluation.reading import unique_names
from xcg.judgements.recall_base import MEAN
from xcg.measures import Measure
from xcg.runs.run import ORACLE
from xcg.statistics.intervals import t_interval
from xcg.statistics.topic_scores import ROUNDING, differences, sign
from xcg.user_model.model import UserModel
from xcg.user_model.schema import MAX_MODELS

STEP = 0.05
"""The default distance of the values of α."""
NEAR_ENDS = (0.001, 0.999)
"""Further values of α: at 1, where repeated results gain nothing, MAep jumps."""
PRECISION = 0.005
"""The maximum error of the values of α at which the best strategy changes."""
LEVEL = 0.05
"""The significance level of the difference between the best strategy and the second."""

_ALPHA_SETTING = re.compile(r"(?<=[\[,])(?:relevance_value\.)?alpha=[^,\]]*,?")
"""The value of α in the name of a user model of a sweep."""
_EVALUATED_ALPHA = re.compile(r" at alpha=[0-9.e-]+(?=: )")
"""What :meth:`_Grid.at` adds to the name of a user model, in a note."""

Case = tuple[str, str, str]
"""Measure, user model and run."""


class StrategyScore(NamedTuple):
    """The score of a run under one strategy at one value of α.

    Attributes:
        measure: Canonical name of the measure.
        user_model: Name of the user model, without α.
        run: Name of the run as read.
        strategy: The strategy as users type it; ``oracle`` is the greedy reference.
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


class Lead(NamedTuple):
    """How much better the best strategy is than the second, at one value of α.

    Attributes:
        alpha: α of the user model.
        second: The second best strategy.
        difference: How much better the mean of the best is.
        low: Lower limit of the 95 % interval by the paired t test; None without one.
        high: Upper limit.
        topics: The number of topics of the interval.
    """

    alpha: float
    second: str
    difference: float
    low: float | None = None
    high: float | None = None
    topics: int = 0


class Leaders(NamedTuple):
    """The strategies of a run that are best from one change to the next.

    Attributes:
        strategies: The strategies that are best at all these values of α; several have equal scores.
        first: The first evaluated α.
        last: The last evaluated α.
        lead: The largest lead over the second best strategy; None without a second.
    """

    strategies: tuple[str, ...]
    first: float
    last: float
    lead: Lead | None = None


@dataclass(frozen=True)
class StrategyStudy:
    """The result of :func:`study_strategies`.

    Attributes:
        scores: The scores in the order of measures, user models, runs, strategies and α. Oracle is the
            last strategy of each run.
        leaders: (Measure, user model, run) → the strategies that are best, from α = 0 to 1.
        alphas: User model → the values of α that were tried for all strategies.
        notes: The notes of the evaluation.
    """

    scores: Sequence[StrategyScore]
    leaders: Mapping[Case, Sequence[Leaders]]
    alphas: Mapping[str, Sequence[float]]
    notes: Sequence[str]

    def crossings(self, case: Case) -> list[float]:
        """Return the values of α at which the best strategy changes, to ± :data:`PRECISION`."""
        return [(one.last + other.first) / 2 for one, other in pairwise(self.leaders[case])]


def study_strategies(
    inputs: Inputs, step: float | None = None, progress: ProgressBar = no_progress
) -> StrategyStudy:
    """Compute the scores of overlap strategies for α from 0 to 1.

    The α of each user model is replaced by 0, ``step``, 2·``step``, … 1, and by 0.001 and 0.999.
    A user model that has several values of α already, such as ``alpha: [0, 0.5, 1]``, keeps these.
    Strategies are compared with the greedy reference ``oracle`` of the same run, user model and α.

    If the best strategies by a measure differ at two neighbouring values, the α of the change is found
    by bisection to ± 0.005. Two changes between neighbours that restore the best one are not found.

    Args:
        inputs: Inputs with at least one strategy besides ``oracle``.
        step: The distance of the values of α, from 0.001 to 1; 0.05 by default.
        progress: As for :func:`xcg.evaluation.evaluate.evaluate`.

    Raises:
        XcgError: As :func:`xcg.evaluate`; and if there is no strategy, no measure depends on α, or
            ``step`` has no effect.

    >>> study = study_strategies(
    ...     Inputs(
    ...         {"1": {"d": {"/a": (3, 3), "/a/s[1]": (2, 3)}, "e": {"/a": (1, 3)}}},
    ...         {"bm25": {"1": ["d#/a", "d#/a/s[1]", "e#/a"]}},
    ...         user_model={"name": "m", "relevance_value": {"normalisation": "none"}},
    ...         measures="xCG@2",
    ...         strategies="thorough",
    ...     )
    ... )
    >>> [score.score for score in study.scores if score.strategy == "thorough"][::11]
    [1.9, 1.45, 1.0]
    """
    inputs.check()
    return _Evaluator(inputs, step, progress).study()


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


def grid(step: float) -> tuple[float, ...]:
    """Return the values of α in steps from 0 to 1, and those near the ends.

    >>> grid(0.5)
    (0.0, 0.001, 0.5, 0.999, 1.0)
    """
    steps = (round(number * step, 12) for number in range(int(1 / step + 1e-9) + 1))
    return tuple(sorted({*steps, *NEAR_ENDS, 1.0}))


def _grids(models: Sequence[UserModel], step: float | None) -> list[_Grid]:
    """Return each user model with its values of α; the models of a sweep of α become one."""
    families: dict[str, list[UserModel]] = {}
    for model in models:
        name = _ALPHA_SETTING.sub("", model.name).replace(",]", "]").replace("[]", "")
        families.setdefault(name, []).append(model)
        if (reader := model.relevance_value.reader) is not None:
            raise XcgError(
                f"the user model {model.name} has no alpha, because it has the reader {reader}"
            )
    default = grid(STEP if step is None else step)
    grids = []
    for name, family in families.items():
        alphas = tuple(sorted({model.relevance_value.alpha for model in family}))
        if len(alphas) < len(family):  # they differ in another parameter
            grids += [_Grid(model.name, model, default) for model in family]
        elif len(family) == 1:
            grids.append(_Grid(name, family[0], default))
        elif step is not None:
            what = f"the user model {name} has several values of alpha"
            raise XcgError(f"{what}, so a step has no effect: remove one of them")
        else:
            grids.append(_Grid(name, family[0], alphas))
    return grids


class _Evaluator:
    """Evaluates the strategies of all runs at values of α, and keeps the means."""

    def __init__(self, inputs: Inputs, step: float | None, progress: ProgressBar) -> None:
        self._progress = progress
        self._strategies = [str(part) for part in inputs.strategy_list if part.name != ORACLE]
        if not self._strategies:
            raise XcgError("no overlap strategy besides oracle, the greedy reference: expected one")
        measures, left_out = _measures_of_gains(inputs.measure_list)
        self._notes = [f"note: α has no effect on {left_out}, so left out"] if left_out else []
        oracle = [ORACLE] if ORACLE not in map(str, inputs.strategy_list) else []
        read = replace(
            inputs,
            assessments=inputs.recall_base,
            runs=inputs.runs_as_read,
            corpus=inputs.documents,
            measures=measures,
            strategies=[*inputs.strategy_list, *oracle],
        )
        names = unique_names(read.runs_as_read, Notes())
        cases = product(names, map(str, read.strategy_list))
        self._runs = {run.name: case for run, case in zip(read.loaded_runs, cases, strict=True)}
        self._inputs = replace(read, runs=read.loaded_runs, strategies=())
        for notes in (inputs.notes, read.notes):
            self._inputs.notes.take(notes)
        self._grids = _grids(self._inputs.user_models, step)
        count = sum(len(grid.alphas) for grid in self._grids)
        if count > MAX_MODELS:
            what = f"{count:,} user models with their values of α"
            raise XcgError(f"{what}: expected at most {MAX_MODELS:,}")
        self._alphas = {grid.name: grid.alphas for grid in self._grids}
        self._cases = list(product(map(str, measures), self._alphas, names))
        self._values: dict[tuple[float, Case, str], dict[str, float]] = {}
        """(α, case, strategy) → topic → score, and :data:`MEAN` → mean."""
        self._tried = {case: set(self._alphas[case[1]]) for case in self._cases}
        """The values of α that were tried for each case. Others of the same model do not count."""

    def study(self) -> StrategyStudy:
        """Evaluate all values of α in one pass, refine the changes, and return the study."""
        notes = self._evaluate(self._alphas)
        self._notes += dict.fromkeys(_EVALUATED_ALPHA.sub("", note) for note in notes)
        self._refine_crossings()
        scores = [score for case in self._cases for score in self._scores(case)]
        leaders = {
            case: [self._with_lead(case, found) for found in self._leaders(case)]
            for case in self._cases
        }
        return StrategyStudy(scores, leaders, self._alphas, self._notes)

    def _evaluate(self, alphas: Mapping[str, Iterable[float]]) -> Sequence[str]:
        """Evaluate user models at values of α, and keep the values; return the notes."""
        chosen = [(grid, alpha) for grid in self._grids for alpha in alphas.get(grid.name, ())]
        models = [grid.at(alpha) for grid, alpha in chosen]
        names = {m.name: (grid.name, a) for m, (grid, a) in zip(models, chosen, strict=True)}
        results = evaluate(replace(self._inputs, user_model=models), self._progress)
        for row in results:
            (model, alpha), (run, strategy) = names[row.user_model], self._runs[row.run]
            key = alpha, (row.measure, model, run), strategy
            self._values.setdefault(key, {})[row.topic] = row.value
        return results.notes

    def _refine_crossings(self) -> None:
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
            for case, low, high in wide:
                centre = round((low + high) / 2, 12)
                self._tried[case].add(centre)
                centres.setdefault(case[1], {})[centre] = None
            self._evaluate(centres)

    def _oriented(self, case: Case, alpha: float) -> dict[str, float]:
        """Return the means of strategies, better ones higher."""
        means = {name: self._mean(case, alpha, name) for name in self._strategies}
        return {name: sign(case[0]) * mean for name, mean in means.items() if mean is not None}

    def _mean(self, case: Case, alpha: float, strategy: str) -> float | None:
        return self._values.get((alpha, case, strategy), {}).get(MEAN)

    def _best(self, case: Case, alpha: float) -> tuple[str, ...]:
        """Return the strategies with the best score; equal scores share it."""
        scores = self._oriented(case, alpha)
        return tuple(name for name, score in scores.items() if _equal(score, max(scores.values())))

    def _leaders(self, case: Case) -> list[Leaders]:
        """Return the strategies that are best, from the lowest to the highest evaluated α.

        A strategy leads as long as no other is better, so equal scores are no change.
        """
        found: list[Leaders] = []
        for alpha in sorted(self._tried[case]):
            best = self._best(case, alpha)
            if found and (common := tuple(n for n in found[-1].strategies if n in best)):
                found[-1] = found[-1]._replace(strategies=common, last=alpha)
            elif best:
                found.append(Leaders(best, alpha, alpha))
        return found

    def _with_lead(self, case: Case, leaders: Leaders) -> Leaders:
        """Return leaders with their largest lead over the second best strategy."""
        lead: Lead | None = None
        for alpha in sorted(a for a in self._tried[case] if leaders.first <= a <= leaders.last):
            scores = self._oriented(case, alpha)
            others = [name for name in scores if name not in leaders.strategies]
            if not others:
                continue
            second = max(others, key=scores.__getitem__)
            difference = scores[leaders.strategies[0]] - scores[second]
            if lead is None or difference > lead.difference + ROUNDING:
                lead = Lead(alpha, second, difference)
        if lead is None:
            return leaders
        names = leaders.strategies[0], lead.second
        by_topic = [self._values[lead.alpha, case, name] for name in names]
        topics = [topic for topic in by_topic[0] if topic in by_topic[1] and topic != MEAN]
        if len(topics) > 1:
            columns = ([values[topic] for topic in topics] for values in by_topic)
            found = sign(case[0]) * differences(*columns)
            if _equal(float(found.mean()), lead.difference):  # not of a measure with another mean
                low, high = t_interval(found, LEVEL)
                lead = lead._replace(low=low, high=high, topics=len(topics))
        return leaders._replace(lead=lead)

    def _scores(self, case: Case) -> Iterator[StrategyScore]:
        """Yield the scores of a run at the values of α of the grid, oracle last."""
        for strategy, alpha in product((*self._strategies, ORACLE), self._alphas[case[1]]):
            score, oracle = (self._mean(case, alpha, name) for name in (strategy, ORACLE))
            to_oracle = None
            if score is not None and oracle is not None:
                to_oracle = sign(case[0]) * (oracle - score) + 0.0  # not -0.0
            is_best = strategy in self._best(case, alpha)
            yield StrategyScore(*case, strategy, alpha, score, to_oracle, is_best)


def _measures_of_gains(measures: Sequence[Measure]) -> tuple[list[Measure], str]:
    """Return the measures that can depend on α, and the names of the others."""
    found = [measure for measure in measures if measure.definition.needs == "gains"]
    others = ", ".join(str(measure) for measure in measures if measure not in found)
    if not found:
        raise XcgError(f"α has no effect on {others}: expected a measure of gains, such as nxCG@10")
    return found, others


def _equal(first: float, second: float) -> bool:
    """Return whether two scores are equal apart from rounding."""
    return math.isclose(first, second, rel_tol=ROUNDING, abs_tol=ROUNDING)
