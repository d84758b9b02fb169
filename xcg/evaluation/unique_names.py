"""Give each run of an evaluation a name that no other run has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from xcg.errors import Notes, first_names
from xcg.runs.run import Run, name_without_strategy

_LISTED_RUNS = 3


def with_unique_names(runs: Sequence[Run], notes: Notes) -> list[Run]:
    """Return the runs, each under a name that no other has."""
    names = unique_names([(run.name, run.source, run.strategy) for run in runs], notes)
    return [
        run if run.name == name else run.with_name(name) for name, run in zip(names, runs, strict=True)
    ]


def note_references(names: Sequence[str], notes: Notes) -> None:
    """Note which runs are greedy references, and not what a system returned."""
    if len(names) == 1:
        notes.note(f"{names[0]} is a greedy reference: its results are ordered with the assessments")
    elif names:
        listed = first_names(names, _LISTED_RUNS)
        notes.note(f"{listed} are greedy references: their results are ordered with the assessments")


def unique_names(runs: Sequence[tuple[str, str, str]], notes: Notes) -> list[str]:
    """Return a different name for each run, given as (name, source, strategy).

    >>> runs = [("bm25", "a.run", ""), ("bm25", "b.run", ""), ("lm", "c.run", "")]
    >>> unique_names(runs, Notes())
    ['bm25 [a.run]', 'bm25 [b.run]', 'lm']
    >>> runs = [("bm25+unique", "a.run", "unique"), ("bm25+unique", "b.run", "unique")]
    >>> unique_names(runs, Notes())
    ['bm25 [a.run]+unique', 'bm25 [b.run]+unique']
    """
    originals = [name_without_strategy(name, strategy) for name, _, strategy in runs]
    counts = Counter(
        (original, strategy) for original, (_, _, strategy) in zip(originals, runs, strict=True)
    )
    shared: dict[str, int] = {}
    for (original, _), count in counts.items():
        if count > 1:
            shared[original] = max(count, shared.get(original, 0))
    for original in sorted(shared):
        notes.note(
            f"{shared[original]} runs are named {original!r}; the name of each now ends in its file"
        )
    used: Counter[tuple[str, str]] = Counter()
    unique = []
    for original, (name, source, strategy) in zip(originals, runs, strict=True):
        full_name = f"{original} [{source}]" if original in shared else original
        used[full_name, strategy] += 1
        number = used[full_name, strategy]
        full_name += f" #{number}" if number > 1 else ""
        unique.append(full_name + name.removeprefix(original))
    return unique
