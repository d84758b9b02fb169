"""Keep the rankings of large runs in a temporary file, so that memory does not grow with the run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from xcg.documents.temporary_records import TemporaryRecords
from xcg.runs.run import Ranking, Run

RESULTS_IN_MEMORY = 1 << 20
"""Number of results of a run that stay in memory: 25 to 200 MB, depending on how many texts differ."""
RESULTS_OF_ALL_RUNS = 1 << 22
"""Number of results of all runs of an evaluation that stay in memory."""


class StoredRankings(Mapping[str, Ranking]):
    """Topic → ranking. The first results stay in memory, further rankings are in a temporary file.

    A reader adds the rankings in their order. Of those in the file, the last one that was used is kept.

    Args:
        most_results: The number of results that stay in memory; by default ``RESULTS_IN_MEMORY``.
        records: The file for the other rankings; by default one of its own.
        topics: All topics in their order, if their rankings are added in another order.

    Attributes:
        in_memory: The number of results in memory.

    >>> rankings = StoredRankings(most_results=1)
    >>> rankings.add("1", Ranking(["bees"], ["/"]))
    >>> rankings.add("2", Ranking(["ants"], ["/"]))
    >>> list(rankings["2"]), rankings.in_memory
    ([('ants', '/')], 1)
    """

    def __init__(
        self,
        most_results: int | None = None,
        records: TemporaryRecords | None = None,
        topics: Iterable[str] = (),
    ) -> None:
        self._most_results = RESULTS_IN_MEMORY if most_results is None else most_results
        self._records = records if records is not None else TemporaryRecords()
        self._rankings: dict[str, Ranking | int | None] = dict.fromkeys(topics)
        """The ranking, or its position in the file; None before it is added."""
        self._last: tuple[str, Ranking] | None = None
        self.in_memory = 0

    def add(self, topic: str, ranking: Ranking) -> None:
        """Add the ranking of a new topic.

        Raises:
            XcgError: If the temporary file cannot be written.
        """
        if self.in_memory + len(ranking) <= self._most_results:
            self._rankings[topic] = ranking
            self.in_memory += len(ranking)
        else:
            self._rankings[topic] = self._records.add(ranking)

    def as_mapping(self) -> Mapping[str, Ranking]:
        """Return a dict if all rankings are in memory, otherwise this object."""
        in_memory = {t: found for t, found in self._rankings.items() if isinstance(found, Ranking)}
        return in_memory if len(in_memory) == len(self._rankings) else self

    def __getitem__(self, topic: str) -> Ranking:
        found = self._rankings[topic]
        if isinstance(found, Ranking):
            return found
        assert found is not None, f"the ranking of topic {topic} was not added"
        if self._last is None or self._last[0] != topic:
            self._last = None  # never two in memory
            self._last = topic, self._records.get(found)
        return self._last[1]

    def __contains__(self, topic: object) -> bool:
        return topic in self._rankings

    def __iter__(self) -> Iterator[str]:
        return iter(self._rankings)

    def __len__(self) -> int:
        return len(self._rankings)

    def __reduce__(self) -> tuple[Any, ...]:
        """Support pickling: another process gets all rankings."""
        return dict, (dict(self),)


class LimitedRuns:
    """Moves rankings to a temporary file if all runs of an evaluation have too many results."""

    def __init__(self) -> None:
        self._left = RESULTS_OF_ALL_RUNS
        self._records = TemporaryRecords()

    def limited(self, run: Run) -> Run:
        """Return a run, which keeps only as many results in memory as the earlier runs left over."""
        rankings = run.rankings
        if isinstance(rankings, StoredRankings):
            in_memory = rankings.in_memory
        else:
            in_memory = sum(map(len, rankings.values()))
        if in_memory <= self._left:
            self._left -= in_memory
            return run
        stored = StoredRankings(self._left, self._records)
        for topic, ranking in rankings.items():
            stored.add(topic, ranking)
        self._left -= stored.in_memory
        return run.with_rankings(stored)
