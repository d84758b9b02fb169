"""Results: one long table of run, topic, measure, value and user model, read by all that prints."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from xcg.errors import XcgError, nearest
from xcg.judgements.recall_base import MEAN

if TYPE_CHECKING:
    import pandas


T = TypeVar("T")


class NotedList(list[T]):
    """A list of results with the notes of the evaluation that made it."""

    def __init__(self, items: Iterable[T], notes: Sequence[str] = ()) -> None:
        super().__init__(items)
        self.notes = list(notes)


class Result(NamedTuple):
    """One figure."""

    run: str
    topic: str
    measure: str
    value: float
    user_model: str


class Scope(NamedTuple):
    """What figures were asked for, and what they do not rest on: a gate asks, for silence is no pass.

    runs, measures, user_models: all that were evaluated, with figures or without. unanswering: the runs
    that answer no assessed topic. tolerated: how many wrong data ``lenient`` counted as warnings.
    """

    runs: Sequence[str]
    measures: Sequence[str]
    user_models: Sequence[str]
    unanswering: Sequence[str] = ()
    tolerated: int = 0


class Results:
    """The figures of an evaluation in the order of user models, runs, measures and topics.

    The mean over topics has topic ``"all"``. ``notes`` holds what is worth knowing beside the
    figures: topics that were left out, problems that were tolerated; ``scope`` what was asked for.

    >>> results = Results([Result("r1", "1", "MAep", 0.5, "m"), Result("r1", "all", "MAep", 0.5, "m")])
    >>> results.value("r1", "MAep")
    0.5
    >>> [result.topic for result in results]
    ['1', 'all']
    """

    def __init__(
        self, rows: Iterable[Result], notes: Iterable[str] = (), scope: Scope | None = None
    ) -> None:
        self._rows = list(rows)
        self.notes = list(notes)
        self.scope = scope or Scope(self.runs, self.measures, self.user_models)
        self._index = {(r.run, r.topic, r.measure, r.user_model): r.value for r in self._rows}

    def __iter__(self) -> Iterator[Result]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    def __repr__(self) -> str:
        return (
            f"<Results: {len(self.runs)} runs, {len(self.measures)} measures, "
            f"{len(self.topics)} topics, {len(self.user_models)} user models>"
        )

    @property
    def runs(self) -> list[str]:
        """The runs' names."""
        return list(dict.fromkeys(row.run for row in self._rows))

    @property
    def measures(self) -> list[str]:
        """The measures' canonical names."""
        return list(dict.fromkeys(row.measure for row in self._rows))

    @property
    def user_models(self) -> list[str]:
        """The user models' names."""
        return list(dict.fromkeys(row.user_model for row in self._rows))

    @property
    def topics(self) -> list[str]:
        """The topics that have figures, without the mean."""
        return list(dict.fromkeys(row.topic for row in self._rows if row.topic != MEAN))

    def means(self) -> Results:
        """Return the means over topics alone."""
        return Results((row for row in self._rows if row.topic == MEAN), self.notes, self.scope)

    def value(self, run: str, measure: str, topic: str = MEAN, user_model: str | None = None) -> float:
        """Return one figure.

        user_model may be left out where there is one. Raises XcgError for a name that is not there.
        """
        if user_model is None:
            if len(self.user_models) != 1:
                raise XcgError(f"name the user model: {nearest('', self.user_models)}")
            user_model = self.user_models[0]
        key = (run, topic, measure, user_model)
        if key in self._index:
            return self._index[key]
        known = (self.runs, [*self.topics, MEAN], self.measures, self.user_models)
        for name, names in zip(key, known, strict=True):
            if name not in names:
                raise XcgError(f"no results for {name!r}: {nearest(name, names)}")
        raise XcgError(f"run {run} has no figure of {measure} for topic {topic} under {user_model}")

    def to_pandas(self) -> pandas.DataFrame:
        """Return the long table as a pandas DataFrame (needs the extra ``xcg[pandas]``)."""
        try:
            import pandas
        except ImportError:
            raise XcgError("to_pandas needs pandas: pip install 'xcg[pandas]'") from None
        return pandas.DataFrame(self._rows, columns=list(Result._fields))

    def to_text(
        self,
        format: str = "table",
        per_topic: bool = False,
        mark: bool = False,
        against: str | None = None,
    ) -> str:
        """Return the figures as ``table``, ``jsonl``, ``csv``, ``json``, ``markdown`` or ``latex``.

        mark: in Markdown and LaTeX the best mean of each measure stands in bold. against: a run; means
        that differ significantly from its (paired t test, Holm, 5 %) get a dagger.
        """
        from xcg.report.tables import render

        return render(self, format, per_topic, mark, against)

    def _repr_html_(self) -> str:
        """Return the means as a table for a notebook."""
        from xcg.report.notebooks import results_html

        return results_html(self)

    def __str__(self) -> str:
        return self.to_text()
