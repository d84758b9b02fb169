"""The results of an evaluation: one long table of run, topic, measure, value and user model."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from xcg.answer import Answer, Layout, data_frame
from xcg.errors import XcgError, nearest
from xcg.judgements.recall_base import MEAN
from xcg.measures import MEASURES, Measure
from xcg.runs.run import ORACLE
from xcg.table_formats import Marked
from xcg.tables import Column, Table

if TYPE_CHECKING:
    import pandas

Cell = tuple[str, str, str]
"""Measure, user model, run."""
Intervals = Mapping[Cell, tuple[float, float]]
"""Cell → the limits of the interval of its mean."""
_MAX_NAMED, _MAX_DESCRIBED = 4, 8
"""Measures that are described below a table in which they are not the columns."""


class Marks(NamedTuple):
    """What distinguishes means in publications.

    Attributes:
        best: The cells of the best means.
        raised: Cell → letters of its group, or a dagger.
        sentences: What the marks mean, for the caption.
    """

    best: Collection[Cell]
    raised: Mapping[Cell, str]
    sentences: Sequence[str]


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
        by_cell: Cell → topic → value, with the mean as topic ``"all"``.
        per_topic: Whether tables and records have the values of each topic, not only the means.
        intervals: The limits of the intervals of means.
        marks: Makes the marks of means in publications.
        ranks: Whether ranks follow the scores under several user models; by default not in
            publications.
        texts: Format → function that writes these results in it.

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
        per_topic: bool = False,
    ) -> None:
        self._rows = list(rows)
        super().__init__(
            self._rows,
            list(notes),
            layout=lambda: Layout(publication=lambda: [self.table(True)], texts=self.texts),
        )
        self.per_topic = per_topic
        self.intervals: Intervals | None = None
        self.marks: Callable[[], Marks] | None = None
        self.ranks: bool | None = None
        self.texts: Mapping[str, Callable[[], str]] = {}
        self.runs = list(dict.fromkeys(row.run for row in self._rows))
        self.measures = list(dict.fromkeys(row.measure for row in self._rows))
        self.user_models = list(dict.fromkeys(row.user_model for row in self._rows))
        self.topics = list(dict.fromkeys(row.topic for row in self._rows if row.topic != MEAN))
        self.scope = scope or Scope(self.runs, self.measures, self.user_models)
        self.by_cell: dict[Cell, dict[str, float]] = {}
        for row in self._rows:
            self.by_cell.setdefault((row.measure, row.user_model, row.run), {})[row.topic] = row.value

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
        rows = (row for row in self._rows if row.topic in chosen)
        return Results(rows, self.notes, self.scope, per_topic=True)

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
        self, run: str, measure: str | Measure, topic: str = MEAN, user_model: str | None = None
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
        topic = str(topic)  # names of topics are often numbers
        key = run, topic, self._measure_name(measure), user_model
        values = self.by_cell.get((key[2], user_model, run), {})
        if topic in values:
            return values[topic]
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

    def records(self) -> list[dict[str, Any]]:
        """Return the means as dicts; with ``per_topic``, also the values of each topic.

        With intervals, they have the fields low and high.
        """
        rows = [row._asdict() for row in self._rows if self.per_topic or row.topic == MEAN]
        if self.intervals is not None:
            for row in rows:
                cell = row["measure"], row["user_model"], row["run"]
                limits = self.intervals.get(cell, (None, None))
                row["low"], row["high"] = limits if row["topic"] == MEAN else (None, None)
        return rows

    def to_pandas(self) -> pandas.DataFrame:
        """Return the values of topics as a pandas DataFrame (needs the extra ``xcg[pandas]``).

        The columns are run, topic, measure and value, and what varies: user_model, alpha, strategy.
        """
        rows = [row for row in self._rows if row.topic != MEAN] or self._rows
        frame = data_frame(rows, Result._fields)
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

    def table(self, is_published: bool = False) -> Table:
        """Return the results as a table with four decimals: one row per run, one column per measure.

        With several user models, they are the columns, and the number after each score is the rank of
        the run. Greedy references have no rank. Half the width of an interval follows its mean after ±.
        """
        marks = self.marks() if is_published and self.marks is not None else Marks((), {}, ())
        by_model = len(self.user_models) > 1 and not self.per_topic
        has_ranks = by_model and (not is_published if self.ranks is None else self.ranks)
        shown = self if self.per_topic else self.means()
        ranks = _ranks(shown) if has_ranks else {}

        def cell(row: Result) -> Marked:
            key = row.measure, row.user_model, row.run
            number = f"{row.value:.4f}"
            if row.topic != MEAN:
                return Marked(number)
            low, high = (self.intervals or {}).get(key, (None, None))
            addition = "" if low is None or high is None else f" ±{(high - low) / 2:.4f}"
            return Marked(
                number, key in marks.best, marks.raised.get(key, ""), addition + ranks.get(key, "")
            )

        columns, rows = (_columns_of_models if by_model else _columns_of_measures)(shown, cell)
        legend = [*_legend(self, columns, has_ranks, not is_published), *marks.sentences]
        title = _names("measure", self.measures) + " under " + _names("user model", self.user_models)
        is_limited = not by_model and self.per_topic
        return Table(columns, rows, legend, is_limited, title if is_published else "")


def _ranks(means: Results) -> dict[Cell, str]:
    """Return the rank of each mean as a text; those with equal printed scores share one."""
    references = set(means.scope.references)
    families: dict[tuple[str, str], dict[str, float]] = {}
    for row in means:
        families.setdefault((row.measure, row.user_model), {})[row.run] = round(row.value, 4)
    ranks = {}
    for (measure, model), scores in families.items():
        ranked = [score for run, score in scores.items() if run not in references]
        for run, score in scores.items():
            is_ranked = run not in references
            text = f" {MEASURES.order(measure).rank(score, ranked):>3}." if is_ranked else "    –"
            ranks[measure, model, run] = text
    return ranks


def _legend(
    results: Results, columns: Sequence[Column], has_ranks: bool, names_model: bool
) -> list[str]:
    """Return what the table of results shows, for a terminal."""
    topics = len(results.topics)
    number = f"{topics} topic{'s' * (topics != 1)}"
    sentences = [f"Means over {number}."] if topics else []
    if names_model and len(results.user_models) == 1:
        sentences.append(f"User model: {results.user_models[0]}.")
    if has_ranks:
        sentences.append("The number after each score is the rank of the run under the user model.")
    lower = [name for name in results.measures if MEASURES.order(name).lower_is_better]
    if lower:
        sentences.append(f"Lower is better: {', '.join(lower)}.")
    headings = {column.name for column in columns}
    others = [name for name in results.measures if name not in headings and _title(name)]
    if len(others) <= _MAX_DESCRIBED:
        sentences += [f"{name}: {_title(name)}." for name in others]
    return sentences


def _names(kind: str, names: Sequence[str]) -> str:
    return ", ".join(names) if len(names) < _MAX_NAMED else f"{len(names)} {kind}s"


def _title(measure: str) -> str:
    """Return what a measure is; empty if it is not known here."""
    try:
        return MEASURES.parse(measure).definition.title
    except XcgError:
        return ""


def _columns_of_measures(
    results: Results, cell: Callable[[Result], Marked]
) -> tuple[list[Column], list[list[str]]]:
    """Return columns and rows: names, then one column per measure."""
    several_models = len(results.user_models) > 1
    per_topic = any(row.topic != MEAN for row in results)
    cells: dict[tuple[str, ...], dict[str, str]] = {}
    for row in results:
        names = (
            *([row.user_model] if several_models else ()),
            row.run,
            *([row.topic] if per_topic else ()),
        )
        if per_topic and row.topic == MEAN:
            cells[names] = cells.pop(names, {})  # last, although a measure may lack topics
        cells.setdefault(names, {})[row.measure] = cell(row)
    measures = results.measures
    heading = ["user model"] * several_models + ["run"] + ["topic"] * per_topic + measures
    rows = [[*names, *(values.get(m, "") for m in measures)] for names, values in cells.items()]
    columns = [
        *(Column(name, is_key=True) for name in heading[: len(heading) - len(measures)]),
        *(Column(name, kind="score", meaning=_title(name)) for name in measures),
    ]
    return columns, rows


def _columns_of_models(
    means: Results, cell: Callable[[Result], Marked]
) -> tuple[list[Column], list[list[str]]]:
    """Return columns and rows: measure and run, then one column per user model."""
    cells = {(row.measure, row.user_model, row.run): cell(row) for row in means}
    rows = [
        [measure, run, *(cells.get((measure, model, run), "") for model in means.user_models)]
        for measure in means.measures
        for run in means.runs
    ]
    names = [Column(name, kind="text", is_key=True) for name in ("measure", "run")]
    return [*names, *(Column(model, kind="score") for model in means.user_models)], rows
