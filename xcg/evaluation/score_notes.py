"""Note what a reader of scores could overlook: topics left out, scores above 1, and other orders."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations, islice

from xcg.documents.corpus import Corpus
from xcg.documents.text_units import is_unspaced
from xcg.errors import Notes, XcgError, first_names
from xcg.evaluation.inputs import Unanswered
from xcg.evaluation.results import Result
from xcg.evaluation.scoring import ScoredRun
from xcg.judgements.recall_base import MEAN, RecallBase, topic_key
from xcg.measures import Measure
from xcg.measures.definition import BOUND
from xcg.runs.run import Run, name_without_strategy
from xcg.user_model.model import UserModel

_LISTED_TOPICS = 50
_LISTED_MODELS = 3
_SAMPLED = 20
_EQUAL = 1e-9  # the difference of scores
_ABOVE_1 = 1 + 1e-9  # not a rounding error


def note_topics(
    base: RecallBase, runs: Mapping[str, Run | ScoredRun], unanswered: Unanswered, notes: Notes
) -> None:
    """Note which topics of runs have no assessments, and which assessed topics have no results.

    Warn if a run answers no assessed topic; XcgError if this holds for all runs.
    """
    found: dict[str, list[tuple[str, str]]] = {}
    useless: dict[str, list[tuple[str, str]]] = {}
    for name, run in runs.items():
        texts = found[name] = []
        answered = run.answered | run.skipped
        unknown = sorted(answered - set(base.topics), key=topic_key)
        if unknown:
            texts.append(("", f": no assessments, so left out: topic {list_topics(unknown)}"))
        missing = [topic for topic in base.topics if topic not in answered]
        counted = "counted 0" if unanswered == "zero" else "left out of its means"
        if missing and len(missing) == len(base.topics):
            warning = f" answers no assessed topic, so each is {counted}: topic {list_topics(missing)}"
            if unknown:
                warning += f"; its topics have other names, such as {unknown[0]!r}"
            useless[name] = [("", warning)]
        elif missing:
            texts.append(("", f": not answered, so {counted}: topic {list_topics(missing)}"))
    others = sorted({t for run in runs.values() for t in run.answered | run.skipped}, key=topic_key)
    if len(useless) == len(runs) and others and base.topics and not notes.lenient:
        stated, assessed = (first_names([repr(t) for t in names], 3) for names in (others, base.topics))
        raise XcgError(f"no topic of the runs is assessed: runs have {stated}, assessments {assessed}")
    _note_runs(runs, useless, notes.warning)
    _note_runs(runs, found, notes.note)


def _note_runs(
    runs: Mapping[str, Run | ScoredRun],
    found: Mapping[str, Sequence[tuple[str, str]]],
    add: Callable[[str], None],
) -> None:
    """Note texts about runs; a text that holds under all strategies once, under the run's own name.

    Args:
        runs: Name → run.
        found: Name of a run → the parts of its notes before and after the name.
        add: Adds a note.
    """
    originals = {name: name_without_strategy(name, run.strategy) for name, run in runs.items()}
    counts = Counter((originals[name], text) for name, texts in found.items() for text in set(texts))
    strategies = Counter(originals.values())
    for name, texts in found.items():
        original = originals[name]
        for before, after in texts:
            is_general = counts[original, (before, after)] == strategies[original]
            add(f"{before}run {original if is_general else name}{after}")


def list_topics(topics: Sequence[str]) -> str:
    """Return the names of topics as text, at most 50 of them."""
    return first_names(topics, _LISTED_TOPICS)


def note_undefined(
    model: str,
    measures: Sequence[Measure],
    runs: Mapping[str, ScoredRun],
    number: int,
    notes: Notes,
) -> None:
    """Note for which topics the runs have no values under a user model."""
    found: dict[str, list[tuple[str, str]]] = {}
    for name, run in runs.items():
        undefined: dict[tuple[str, ...], list[str]] = {}
        texts: list[tuple[str, str]] = []
        for measure, values in zip(measures, run.values[number], strict=True):
            if values.unknown_text:
                undefined.setdefault(tuple(values.unknown_text), []).append(str(measure))
        if undefined:
            means = [
                f"of {', '.join(names)}: topic {list_topics(topics)}"
                for topics, names in undefined.items()
            ]
            reason = "the corpus lacks the text of results, so not in the means"
            texts.append(("", f": {reason} {'; '.join(means)}"))
        if not all(values.values for values in run.values[number]):
            texts.append((f"{model}: ", " has no topic to average over"))
        found[name] = texts
    _note_runs(runs, found, notes.note)


def note_units(units: Iterable[str], model: UserModel, corpus: Corpus | None, notes: Notes) -> None:
    """Note that words are counted in text that is written without spaces."""
    if "words" in units and corpus is not None:
        names = list(islice(corpus, _SAMPLED))
        unspaced = [name for name in names if is_unspaced(corpus.tree(name).text)]
        if 2 * len(unspaced) > len(names):
            notes.note(
                f"{model.name}: words are counted in text without spaces, such as {unspaced[0]}: "
                "expected the unit tokens or characters"
            )


def note_above_1(
    rows: Sequence[Result],
    models: Sequence[UserModel],
    measures: Sequence[Measure],
    has_nuggets: bool,
    notes: Notes,
) -> None:
    """Note the scores above 1 of measures that compare with the ideal ranking, and their reason."""
    bounded = {str(measure) for measure in measures if measure.definition.range == BOUND}
    reasons = {
        model.name: _reason_with_nuggets(model) if has_nuggets else model.reason_above_1
        for model in models
    }
    above: dict[str, list[Result]] = {}
    for row in rows:
        if row.measure in bounded and row.value > _ABOVE_1:
            above.setdefault(reasons[row.user_model], []).append(row)
    for reason, found in above.items():
        names = list(dict.fromkeys(row.user_model for row in found))
        highest = max(found, key=lambda row: row.value)
        topic = "mean" if highest.topic == MEAN else f"topic {highest.topic}"
        notes.note(
            f"{first_names(names, _LISTED_MODELS)}: "
            f"{'a score' if len(found) == 1 else f'{len(found)} scores'} above 1, up to "
            f"{highest.value:.4f} ({highest.measure} of run {highest.run}, {topic})"
            + (f", because {reason}" if reason else "")
        )


def _reason_with_nuggets(model: UserModel) -> str:
    if model.relevance_value.alpha < 1:
        return "a nugget that was seen gains again"
    return "the ideal ranking takes texts of nuggets one by one, and a result can state several"


def note_other_order(
    models: Sequence[str], measures: Sequence[Measure], runs: Mapping[str, ScoredRun], notes: Notes
) -> None:
    """Note how many pairs of runs ``unretrieved=max`` would order differently, if any.

    Args:
        models: The names of the user models.
        measures: The measures of the runs' values.
        runs: Name → run, without greedy references.
        notes: The notes.
    """
    compared = changed = total = 0
    largest, example = 0.0, ""
    for position, measure in enumerate(measures):
        for number, model in enumerate(models):
            means = {}
            for name, run in runs.items():
                values = run.values[number][position]
                if values.with_max:
                    default = measure.aggregate(list(values.values.values()))
                    means[name] = default, measure.aggregate(values.with_max)
            compared += bool(means)
            for one, two in combinations(sorted(means, key=lambda name: -means[name][0]), 2):
                difference, other = (a - b for a, b in zip(means[one], means[two], strict=True))
                total += 1
                if _sign(difference) != _sign(other):
                    changed += 1
                    if abs(difference - other) > largest:
                        largest = abs(difference - other)
                        example = (
                            f"{one} minus {two} is {difference:+.2g}, and with max {other:+.2g}, by "
                            f"{measure} under {model}"
                        )
    if changed:
        counted = ", counted for each measure and user model" if compared > 1 else ""
        notes.note(
            f"unretrieved=max would order {changed} of {total} pairs of runs differently{counted}; the "
            f"largest difference: {example}"
        )


def _sign(difference: float) -> int:
    return (difference > _EQUAL) - (difference < -_EQUAL)
