"""The results of an evaluation: one long table of run, topic, measure, value and user model."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from xcg.answer import Answer, Layout
from xcg.errors import XcgError, missing_extra, nearest
from xcg.judgements.recall_base import MEAN
from xcg.measures import MEASURES, Measure
from xcg.runs.run import ORACLE
from xcg.tables import Column, Table

if TYPE_CHECKING:
    import pandas

T = TypeVar("T")


class NotedList(list[T]):
    """A list of results with the notes of the evaluation that made it."""

    def __init__(self, items: Iterable[T], notes: Sequence[str] = ()) -> None:
        super().__init__(items)
        self.notes = list(notes)


class Result(NamedTuple):
    """One value of a measure."""

    run: str
    topic: str
    measure: str
    value: float
    user_model: str


class Scope(NamedTuple):
    """What was evaluated, with or without values: a missing value must not pass a gate.

    Attributes:
        runs: The names of all runs.
        measures: The names of all measures.
        user_models: The names of all user models.
        unanswering: The runs without results for any assessed topic.
        tolerated: Number of problems that ``lenient`` counted as warnings.
        strategies: Name of a run under an overlap strategy → its name as read, and the strategy.
        answered: Run → the topics of its file, also those that are not assessed.
        alphas: User model → its alpha.
    """

    runs: Sequence[str]
    measures: Sequence[str]
    user_models: Sequence[str]
    unanswering: Sequence[str] = ()
    tolerated: int = 0
    strategies: Mapping[str, tuple[str, str]] = {}
    answered: Mapping[str, Collection[str]] = {}
    alphas: Mapping[str, float] = {}

    @property
    def references(self) -> list[str]:
        """The runs under ``oracle``, which are greedy references and not systems."""
        return [
            run
            for run, (_, strategy) in self.strategies.items()
            if strategy == ORACLE or strategy.endswith(f"+{ORACLE}")
        ]


class Results(Answer[Result]):
    """The values of an evaluation in the order of user models, runs, measures and topics.

    The mean over topics has the topic ``"all"``.

    Attributes:
        runs: The names of the runs.
        measures: The canonical names of the measures.
        user_models: The names of the user models.
        topics: The topics with values, without the mean.
        notes: Warnings, and remarks such as topics that were left out.
        scope: What was evaluated.

    >>> results = Results([Result("r1", "1", "MAep", 0.5, "m"), Result("r1", "all", "MAep", 0.5, "m")])
    >>> results.value("r1", "MAep")
    0.5
    >>> [result.topic for result in results]
    ['1', 'all']
    """

    def __init__(
        self,
        rows: Iterable[Result],
        notes: Iterable[str] = (),
        scope: Scope | None = None,
        layout: Layout | None = None,
        per_topic: bool = False,
    ) -> None:
        self._rows = list(rows)
        make_layout = self._default_layout if layout is None else lambda: layout
        super().__init__(self._rows, list(notes), layout=make_layout)
        self.per_topic = per_topic
        self.runs = list(dict.fromkeys(row.run for row in self._rows))
        self.measures = list(dict.fromkeys(row.measure for row in self._rows))
        self.user_models = list(dict.fromkeys(row.user_model for row in self._rows))
        self.topics = list(dict.fromkeys(row.topic for row in self._rows if row.topic != MEAN))
        self.scope = scope or Scope(self.runs, self.measures, self.user_models)
        self._values = {(r.run, r.topic, r.measure, r.user_model): r.value for r in self._rows}

    def __repr__(self) -> str:
        return (
            f"<Results: {len(self.runs)} runs, {len(self.measures)} measures, "
            f"{len(self.topics)} topics, {len(self.user_models)} user models>"
        )

    def means(self) -> Results:
        """Return the means over topics only."""
        return Results((row for row in self._rows if row.topic == MEAN), self.notes, self.scope)

    def of_topics(self, topics: Iterable[str]) -> Results:
        """Return the values of some topics, without means.

        Raises:
            XcgError: If a topic has no value; with the nearest name.
        """
        chosen = set(topics)
        for topic in sorted(chosen.difference(self.topics)):
            raise XcgError(f"no results for topic {topic!r}: {nearest(topic, self.topics)}")
        return Results((row for row in self._rows if row.topic in chosen), self.notes, self.scope)

    def without_references(self) -> Results:
        """Return the results of systems, without greedy references such as ``bm25+oracle``."""
        left_out = set(self.scope.references)
        if not left_out:
            return self
        runs = [run for run in self.scope.runs if run not in left_out]
        rows = (row for row in self._rows if row.run not in left_out)
        return Results(
            rows,
            [*self.notes, "note: greedy references are not tested"],
            self.scope._replace(runs=runs),
        )

    def value(
        self,
        run: str,
        measure: str | Measure,
        topic: str = MEAN,
        user_model: str | None = None,
    ) -> float:
        """Return one value.

        Args:
            run: The name of the run.
            measure: The measure, or its name in any accepted spelling.
            topic: The topic; the mean over topics by default.
            user_model: The name of the user model; optional if there is only one.

        Raises:
            XcgError: If there is no such value; with the nearest name.

        >>> results = Results([Result("bm25", "all", "nxCG@10", 0.5, "m")])
        >>> results.value("bm25", "nxCG @ 10"), results.value("bm25", MEASURES.parse("nxCG@10"))
        (0.5, 0.5)
        """
        if user_model is None:
            if len(self.user_models) != 1:
                raise XcgError(f"name the user model: {nearest('', self.user_models)}")
            user_model = self.user_models[0]
        key = run, topic, self._measure_name(measure), user_model
        if key in self._values:
            return self._values[key]
        names = self.runs, [*self.topics, MEAN], self.measures, self.user_models
        for name, known in zip(key, names, strict=True):
            if name not in known:
                raise XcgError(f"no results for {name!r}: {nearest(name, known)}")
        raise XcgError(f"run {run} has no value of {measure} for topic {topic} under {user_model}")

    def _measure_name(self, measure: str | Measure) -> str:
        """Return the canonical name of a measure; an unknown name as it is."""
        if isinstance(measure, Measure) or measure in self.measures:
            return str(measure)
        try:
            return str(MEASURES.parse(measure))
        except XcgError:
            return measure

    def shown(self, layout: Layout, per_topic: bool = False) -> Results:
        """Return these results as they are shown.

        Args:
            layout: What people see.
            per_topic: Whether :meth:`records` has the values of each topic, not only the means.
        """
        return Results(self._rows, self.notes, self.scope, layout, per_topic)

    def records(self) -> list[dict[str, Any]]:
        """Return the means as dicts; with ``per_topic``, also the values of each topic."""
        return [row._asdict() for row in (self if self.per_topic else self.means())]

    def to_pandas(self) -> pandas.DataFrame:
        """Return the values of topics as a pandas DataFrame (needs the extra ``xcg[pandas]``).

        The columns are run, topic, measure and value, and what varies: user_model, alpha, strategy.
        """
        try:
            import pandas
        except ImportError:
            raise missing_extra("to_pandas", "pandas", "pandas") from None
        rows = [row for row in self._rows if row.topic != MEAN] or self._rows
        frame = pandas.DataFrame(rows, columns=list(Result._fields))
        alphas = self.scope.alphas
        if len(set(alphas.values())) > 1:
            frame.insert(1, "alpha", [alphas[model] for model in frame["user_model"]])
        if len(self.user_models) == 1:
            del frame["user_model"]
        if self.scope.strategies:
            named = {run: self.scope.strategies.get(run, (run, "")) for run in self.runs}
            frame.insert(1, "strategy", [named[run][1] for run in frame["run"]])
            frame["run"] = [named[run][0] for run in frame["run"]]
        return frame

    def _default_layout(self) -> Layout:
        several = len(self.user_models) > 1
        heading = ["user model"] * several + ["run"] + ["topic"] * self.per_topic + self.measures
        cells: dict[tuple[str, ...], dict[str, float]] = {}
        for row in self if self.per_topic else self.means():
            names = (row.user_model,) * several + (row.run,) + (row.topic,) * self.per_topic
            cells.setdefault(names, {})[row.measure] = row.value
        rows = [
            [*names, *(values.get(measure) for measure in self.measures)]
            for names, values in cells.items()
        ]
        return Layout(tables=[Table([Column(name) for name in heading], rows)])
