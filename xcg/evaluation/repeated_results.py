"""Count the results that a run returns more than once for a topic, and note them."""

from __future__ import annotations

from collections.abc import Mapping

from xcg.documents.paths import WHOLE
from xcg.errors import Notes
from xcg.evaluation.resolution import different, element_codes
from xcg.runs.columns import NameColumn
from xcg.runs.run import UNKNOWN_SPAN, Ranking, Run

_LISTED_RUNS = 3


def count_repeated(run: Run) -> int:
    """Return how many results of a run repeat an earlier one of their topic.

    >>> count_repeated(Run.of("bm25", {"1": ["a#/s[1]", "b", "a#/s[1]"], "2": ["b"]}))
    1
    """
    return sum(map(count_repeated_in_topic, run.rankings.values()))


def count_repeated_in_topic(ranking: Ranking) -> int:
    """Return how many results of a ranking repeat an earlier one; unknown spans repeat nothing."""
    files, paths = ranking.files, ranking.paths
    if isinstance(files, NameColumn) and isinstance(paths, NameColumn) and not ranking.spans:
        return len(ranking) - len(different(element_codes([ranking])))
    if not ranking.spans:
        are_documents = ranking.paths.count(WHOLE) == len(ranking)
        return len(ranking) - len(set(ranking.files if are_documents else ranking))
    results = [(*result, ranking.spans.get(position)) for position, result in enumerate(ranking)]
    known = [result for result in results if result[2] != UNKNOWN_SPAN]
    return len(known) - len(set(known))


def note_repeated(counts: Mapping[str, int], notes: Notes) -> None:
    """Note which runs repeat results.

    Args:
        counts: Name of each run → number of its repeated results.
        notes: The notes.

    >>> notes = Notes()
    >>> note_repeated({"bm25": 2, "lm": 0}, notes)
    >>> print(notes.notes[0])
    run bm25 repeats 2 results of the same topic: the strategy unique removes them
    """
    repeating = {name: count for name, count in counts.items() if count}
    if len(repeating) == 1:
        ((name, count),) = repeating.items()
        results = "a result" if count == 1 else f"{count} results"
        notes.note(f"run {name} repeats {results} of the same topic: the strategy unique removes them")
    elif repeating:
        listed = [f"{name} {count}" for name, count in list(repeating.items())[:_LISTED_RUNS]]
        more = (
            f" and {len(repeating) - _LISTED_RUNS} more runs" if len(repeating) > _LISTED_RUNS else ""
        )
        notes.note(
            f"{len(repeating)} runs repeat results of the same topic ({', '.join(listed)}{more}): the "
            "strategy unique removes them"
        )
