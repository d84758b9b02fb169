"""Compute and print what inex_eval 3.1 prints, the official evaluator of INEX 2009 and 2010.

The output is compared with published scores digit by digit. Therefore numbers are added from left to
right, as in the program, without exact sums. docs/decisions/official-evaluators.md lists all rules.
"""

from __future__ import annotations

import math
from bisect import bisect_left, insort
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, compress
from pathlib import Path
from typing import Literal, NamedTuple

from xcg.answer import Answer
from xcg.documents.files import open_input
from xcg.errors import InputError, XcgError, printable
from xcg.evaluation.inputs import Inputs, Strategies
from xcg.evaluation.topics import TopicSource, map_topics
from xcg.formats.inex_eval_run import read_inex_eval_run
from xcg.formats.qrels import read_offset_qrels
from xcg.gains.topic import Topic
from xcg.judgements.recall_base import MEAN, RecallBase
from xcg.measures.highlighted import f_measure
from xcg.measures.in_context import article_scores, entry_point_scores, tolerance_scores
from xcg.measures.rankings import HighlightedRanking
from xcg.measures.topic_gains import sum_in_order
from xcg.runs.run import UNKNOWN_SPAN

Task = Literal["t", "f", "r", "b", "i"]
"""Thorough, focused, relevant in context, best in context, in context with tolerance to irrelevance."""

_COUNTS = ("num_ret", "num_rel", "num_rel_ret", "ret_size", "rel_size", "rel_ret_size")
_MEAN_NAMES = {"AiP": "MAiP", "AgP": "MAgP"}
_PRINTED_POINTS = (0, 1, 5, 10)  # of 100
_PRINTED_RANKS = (1, 2, 3, 5, 10, 25, 50)


@dataclass(frozen=True)
class InexEvalOptions:
    """The options of inex_eval.

    Attributes:
        task: The task.
        tolerance: Number of irrelevant characters after which reading stops, for the task ``i``.
        distance: n, the distance to the best entry point from which the score is 0, for the task ``b``.
        beta: β of the F-measure, for the task ``r``.
        complete: Whether means are over all assessed topics. By default they are over those with
            results.

    Raises:
        XcgError: If β is illegal.
    """

    task: Task = "f"
    tolerance: int = 300
    distance: int = 500
    beta: float = 0.25
    complete: bool = False

    def __post_init__(self) -> None:
        if not 0 <= self.beta < math.inf:
            raise XcgError(f"beta is {self.beta}: expected 0 or more")

    @property
    def in_context(self) -> bool:
        """Whether the task ranks articles; else it ranks passages."""
        return self.task in ("r", "b", "i")


@dataclass(frozen=True)
class InexEvalScores:
    """The scores of one run.

    Attributes:
        tag: The run's tag.
        file: The run's file.
        topics: Topic → name → score in the order of the output; under ``all`` the means, and the sums
            of counts. Scores can be NaN, as in inex_eval.
    """

    tag: str
    file: str
    topics: Mapping[str, Mapping[str, float]]


class _TopicScores(NamedTuple):
    """The scores of a topic: those that are printed, and precision at all recall points."""

    answered: bool
    scores: dict[str, float]
    points: list[float]


def inex_eval_files(
    qrels: str, runs: Iterable[str], options: InexEvalOptions | None = None, strategies: Strategies = ()
) -> Answer[InexEvalScores]:
    """Evaluate files as inex_eval does.

    Args:
        qrels: Path of the offset qrels.
        runs: Paths of the runs, see :func:`xcg.formats.inex_eval_run.read_inex_eval_run`.
        options: The task and its options.
        strategies: Overlap strategies. Each run is evaluated once under each, as ``TAG+STRATEGY``.

    Returns:
        The scores of each run, with ``notes``.

    Raises:
        InputError: If a file is illegal, with its line, or a run is not legal in the task.
    """
    base = RecallBase()
    notes = Inputs().notes
    with open_input(Path(qrels)) as file:
        read_offset_qrels(file, Path(qrels), base, notes)
    found = [read_inex_eval_run(run, base) for run in runs]
    inputs = Inputs(base, [run for run, _ in found], strategies=strategies)
    suffixes = [f"+{strategy}" for strategy in inputs.strategy_list] or [""]
    tags = [f"{tag}{suffix}" for _, tag in found for suffix in suffixes]
    scores = inex_eval_scores(inputs, options)
    tagged = [InexEvalScores(tag, s.file, s.topics) for tag, s in zip(tags, scores, strict=True)]
    unanswering = [run.source for run, _ in found if not run.answered]
    lines = [f"note: {file} has no results for the topics of {qrels}" for file in unanswering]
    return Answer(tagged, [*notes.lines(), *scores.notes, *lines])


def inex_eval_scores(inputs: Inputs, options: InexEvalOptions | None = None) -> Answer[InexEvalScores]:
    """Compute the scores of inex_eval.

    Documents are needed only for results and relevant passages without character offsets.

    Args:
        inputs: The assessments, runs and documents. Measures and user models are ignored.
        options: The task and its options.

    Returns:
        The scores of each run, with ``notes``.

    Raises:
        InputError: If a run is not legal in the task, and as :func:`xcg.evaluate`.

    >>> gold, runs = {"7": {"d": [(0, 4)]}}, {"r": {"7": ["d#/a"]}}
    >>> (found,) = inex_eval_scores(Inputs(gold, runs, {"d": "<a><p>1234</p><p>56</p></a>"}))
    >>> found.topics["7"]["char_prec"], found.topics["7"]["char_rec"]
    (0.6666666666666666, 1.0)
    """
    options = options or InexEvalOptions()
    inputs.check()
    for run in inputs.loaded_runs:
        if run.is_reference:
            raise XcgError(
                f"{run.name} is ordered by gain under a user model, and inex_eval has none: expected "
                "other strategies"
            )
    runs = {run.name: run for run in inputs.loaded_runs}
    source = TopicSource.of(inputs, needs_elements=False, needs_entry_points=options.task == "b")
    notes = inputs.new_notes()
    topic_scores: dict[str, dict[str, _TopicScores]] = {run: {} for run in runs}

    def add(topic: Topic) -> None:
        for name, by_topic in topic_scores.items():
            ranking = topic.highlighted_ranking(name)
            offence = _offence(ranking.results, options)
            if offence is not None:
                index, message = offence
                raise InputError(f"{runs[name].where(topic.name)}, rank {index + 1}", message)
            by_topic[topic.name] = _topic_scores(ranking, options)

    map_topics(source, add, notes)
    scores = [
        InexEvalScores(run.name, run.source, _scores_of_run(topic_scores[run.name], options))
        for run in runs.values()
    ]
    return Answer(scores, notes.lines())


def inex_eval_output(scores: Iterable[InexEvalScores], per_topic: bool = False) -> str:
    """Return the output of inex_eval: one line for each score, ``name<TAB>topic<TAB>score``.

    A name shorter than eight characters is followed by two tabs.

    Args:
        scores: The scores of the runs.
        per_topic: Whether to print the scores of each topic.
    """
    lines: list[str] = []
    for run in scores:
        lines.append(f'<eval run-id="{printable(run.tag)}" file="{printable(run.file)}">')
        for topic, by_name in run.topics.items():
            if topic == MEAN or per_topic:
                for name, score in by_name.items():
                    tabs = "\t\t" if len(name) < 8 else "\t"
                    number = score if isinstance(score, int) else java_double(score)
                    lines.append(f"{name}{tabs}{printable(topic)}\t{number}")
        lines.append("</eval>")
    return "".join(f"{line}\n" for line in lines)


def java_double(number: float) -> str:
    """Return a number as Java prints a double: the shortest digits that identify it.

    >>> java_double(1.0), java_double(0.00025), java_double(1e7), java_double(math.nan)
    ('1.0', '2.5E-4', '1.0E7', 'NaN')
    """
    if math.isnan(number):
        return "NaN"
    if math.isinf(number):
        return "Infinity" if number > 0 else "-Infinity"
    if number == 0 or 1e-3 <= abs(number) < 1e7:
        return repr(number)
    digits = repr(abs(number)).partition("e")[0].replace(".", "").strip("0")
    mantissa, exponent = f"{number:.{max(len(digits) - 1, 1)}e}".split("e")
    return f"{mantissa}E{int(exponent)}"


def _offence(
    results: Sequence[tuple[str, int, int]], options: InexEvalOptions
) -> tuple[int, str] | None:
    """Return the index of the first result that is illegal in the task, and the message."""
    if options.task == "t":
        return None
    earlier: dict[str, list[tuple[int, int]]] = {}
    last = None
    for index, (document, start, end) in enumerate(results):
        spans = earlier.get(document)
        if spans is None:  # most results of most runs
            earlier[document] = [(start, end)]
            last = document
            continue
        if options.in_context:
            if document != last:
                return index, (
                    f"the document {document!r} comes back after another document; expected the "
                    "results of each document in consecutive lines"
                )
            if options.task == "b":
                return index, (
                    f"a second result from the document {document!r}; expected one result per document "
                    "in the task -b"
                )
        if (start, end) != UNKNOWN_SPAN and _overlaps(spans, start, end):
            return index, (
                f"the result overlaps an earlier result of the document {document!r}; only the "
                "task -t allows overlap"
            )
        insort(spans, (start, end))
        last = document
    return None


def _overlaps(spans: Sequence[tuple[int, int]], start: int, end: int) -> bool:
    """Return whether a span overlaps one of several spans, which are sorted and do not overlap.

    An empty span overlaps the spans that begin before it and end after it.
    """
    # Spans without overlap are also sorted by their ends. Among those that begin before the end of the
    # new span, the last one therefore also ends last.
    count = bisect_left(spans, (end,))
    return count > 0 and spans[count - 1][1] > start


def _topic_scores(ranking: HighlightedRanking, options: InexEvalOptions) -> _TopicScores:
    documents = ranking.articles()
    relevant_documents = ranking.relevant_in
    sizes, relevant_sizes = _sizes(ranking, options.task)
    found = len(documents.keys() & relevant_documents)
    counts = [len(documents), len(relevant_documents), found]
    counts += [sum(sizes), ranking.relevant, sum(relevant_sizes)]
    scores: dict[str, float] = dict(zip(_COUNTS, counts, strict=True))
    if options.in_context:
        further, points = _in_context(ranking, options)
    else:
        further, points = _focused(scores, sizes, relevant_sizes)
    return _TopicScores(bool(ranking.results), {**scores, **further}, points)


def _sizes(ranking: HighlightedRanking, task: Task) -> tuple[Sequence[int], Sequence[int]]:
    """Return the numbers of characters and of relevant characters of each result that count."""
    if task == "b":  # a result is an entry point
        return [], []
    # Outside the thorough task, nothing overlaps.
    amounts = ranking.amounts("official" if task == "t" else "always")
    # In the thorough task, a result of unknown offset counts 0 in documents with relevant text.
    sizes = [
        0 if task == "t" and (start, end) == UNKNOWN_SPAN and file in ranking.relevant_in else size
        for (file, start, end), (size, _) in zip(ranking.results, amounts, strict=True)
    ]
    return sizes, [relevant for _, relevant in amounts]


def _focused(
    counts: Mapping[str, float], sizes: Sequence[int], relevant_sizes: Sequence[int]
) -> tuple[dict[str, float], list[float]]:
    """Return the scores of a topic after the counts, and interpolated precision at 101 points."""
    relevant = counts["rel_size"]
    read = zip(accumulate(sizes), accumulate(relevant_sizes), strict=True)
    points = _interpolated(
        ((part / size, part / (relevant or math.nan)) for size, part in read if size), levels=101
    )
    scores: dict[str, float] = {}
    for unit, hits, retrieved, all_relevant in (
        ("art", counts["num_rel_ret"], counts["num_ret"], counts["num_rel"]),
        ("char", counts["rel_ret_size"], counts["ret_size"], relevant),
    ):
        precision = hits / retrieved if retrieved else 0.0
        recall = _divide(hits, all_relevant)
        f1 = f_measure(precision, recall, 1) if hits else 0.0
        scores |= {f"{unit}_prec": precision, f"{unit}_rec": recall, f"{unit}_f1": f1}
    scores |= {f"iP[{point / 100:.2f}]": points[point] for point in _PRINTED_POINTS}
    scores["AiP"] = _mean(points)
    return scores, points


def _in_context(
    ranking: HighlightedRanking, options: InexEvalOptions
) -> tuple[dict[str, float], list[float]]:
    """Return the scores of a topic after the counts, and interpolated precision at eleven points."""
    if options.task == "r":
        of_articles = article_scores(ranking, options.beta)
    elif options.task == "b":
        of_articles = entry_point_scores(ranking, options.distance)
    else:
        of_articles = tolerance_scores(ranking, options.tolerance)
    relevant = len(ranking.relevant_in)
    totals = accumulate(score for score, _ in of_articles)
    precisions = [total / rank for rank, total in enumerate(totals, 1)]
    are_relevant = [is_relevant for _, is_relevant in of_articles]
    recalls = [_divide(count, relevant) for count in accumulate(are_relevant)]
    scores: dict[str, float] = {}
    for rank in _PRINTED_RANKS:
        scores[f"gP[{rank}]"] = precisions[:rank][-1] if precisions else 0.0
        scores[f"gR[{rank}]"] = recalls[:rank][-1] if recalls else 0.0
    scores["AgP"] = _divide(sum_in_order(compress(precisions, are_relevant)), relevant)
    return scores, _interpolated(zip(precisions, recalls, strict=True), levels=11)


def _interpolated(pairs: Iterable[tuple[float, float]], levels: int) -> list[float]:
    """Return the best precision at each of the recall points 0 to 1 or at a higher one.

    Args:
        pairs: Precision and recall at each rank. Recall above the last point is not counted.
        levels: The number of points.
    """
    points = [0.0] * levels
    for precision, recall in pairs:
        # In floating point, as in inex_eval: a recall of 0.29 belongs to point 28. NaN is 0 in Java.
        point = 0 if math.isnan(recall) else int((levels - 1) * recall)
        if point < levels and precision > points[point]:
            points[point] = precision
    return list(accumulate(reversed(points), max))[::-1]


def _scores_of_run(
    by_topic: Mapping[str, _TopicScores], options: InexEvalOptions
) -> dict[str, dict[str, float]]:
    """Return topic → name → score of a run, with the means at the end."""
    ordered = sorted(by_topic, key=lambda topic: topic.encode("utf-16-be"))  # as Java sorts strings
    counted = {
        topic: by_topic[topic] for topic in ordered if options.complete or by_topic[topic].answered
    }
    means: dict[str, float] = {"num_q": len(counted)}
    # inex_eval adds the counts in context over all topics, even if it does not average over them.
    summed = by_topic if options.in_context else counted
    means |= {name: sum(int(topic.scores[name]) for topic in summed.values()) for name in _COUNTS}
    names = [name for name in next(iter(by_topic.values())).scores if name not in _COUNTS]
    if options.in_context:
        names.sort(key="AgP".__ne__)  # the mean is printed first
    for name in names:
        means[_MEAN_NAMES.get(name, name)] = _mean([one.scores[name] for one in counted.values()])
    levels = 11 if options.in_context else 101
    for point in range(levels):
        name = f"ircl_prn.{point / (levels - 1):.2f}"
        means[name] = _mean([one.points[point] for one in counted.values()])
    return {**{topic: one.scores for topic, one in counted.items()}, MEAN: means}


def _mean(numbers: Sequence[float]) -> float:
    return _divide(sum_in_order(numbers), len(numbers))


def _divide(number: float, divisor: float) -> float:
    """Divide as Java does; the divisor is 0 only if the number is."""
    return number / divisor if divisor else math.nan
