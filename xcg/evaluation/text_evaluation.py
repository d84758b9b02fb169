"""The official evaluator's figures of INEX 2009 and 2010, on highlighted text, under its own names.

Quantities are those of its output. How it computed some of them no literature at hand settles: what an
"article" figure counts, and that text which several results share is read once, are choices made here.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from xcg.documents.passage_points import Passage
from xcg.documents.paths import WHOLE
from xcg.documents.tree import ElementTree, UnknownPathError
from xcg.errors import InputError, XcgError
from xcg.evaluation.inputs import Assessments, Documents, Inputs, Runs
from xcg.judgements.recall_base import MEAN, RecallBase
from xcg.measures.highlighted import RECALL_POINTS, f_measure, interpolated_precision
from xcg.measures.highlighted_ranking import HighlightedRanking
from xcg.measures.in_context import (
    article_scores,
    average_generalised_precision,
    generalised_precision,
)
from xcg.runs.run import Run, Ties

COUNTS = ("num_ret", "num_rel", "num_rel_ret", "ret_size", "rel_size", "rel_ret_size")
IN_CONTEXT_RANKS = (1, 2, 3, 5, 10, 25, 50)
Trees = Callable[[str], ElementTree]


@dataclass(frozen=True)
class TextFigures:
    """The figures of one run: topic → name → value, the mean (sums for counts) under ``all``."""

    run: str
    source: str
    topics: Mapping[str, Mapping[str, float]]


def evaluate_text(
    assessments: Assessments,
    runs: Runs,
    corpus: Documents = None,
    *,
    beta: float = 0.25,
    ties: Ties = "document",
    lenient: bool = False,
) -> list[TextFigures]:
    """Return the official figures of runs over the topics with highlighted text.

    A topic that a run does not answer counts 0. The corpus is needed where results are elements or
    passages by points. beta: of the F-measure in context. Raises XcgError as :func:`xcg.evaluate`.

    >>> qrels = RecallBase()
    >>> qrels.add_topic("7", "qrels")
    >>> from xcg.judgements.recall_base import Span
    >>> qrels.add_span("7", "d", Span(0, 4), "qrels")
    >>> (found,) = evaluate_text(qrels, {"r": {"7": ["d#/a/p"]}}, {"d": "<a><p>1234</p><p>56</p></a>"})
    >>> found.topics["7"]["char_prec"], found.topics["all"]["AiP"]
    (1.0, 1.0)
    """
    inputs = Inputs(assessments, runs, corpus, ties=ties, lenient=lenient)
    base, documents = inputs.recall_base, inputs.documents

    def tree(file: str) -> ElementTree:
        if documents is None:
            raise UnknownPathError("it is named by its path; expected a corpus")
        if file not in documents:
            raise UnknownPathError(f"the corpus has no document {file!r}")
        return documents.tree(file)

    highlighted = {topic: _highlighted(base, topic, tree) for topic in base.topics}
    relevant = [topic for topic in base.topics if any(highlighted[topic].values())]
    if not relevant:
        raise XcgError(
            "no highlighted passages: expected offset qrels, JSON Lines with start and end, or INEX "
            "assessments with <passage>"
        )
    found = []
    for run in inputs.loaded_runs:
        topics = {
            topic: _figures(HighlightedRanking(_results(run, topic, tree), highlighted[topic]), beta)
            for topic in relevant
        }
        topics[MEAN] = {
            name: math.fsum(figures[name] for figures in topics.values())
            / (1 if name in COUNTS else len(relevant))
            for name in next(iter(topics.values()))
        }
        found.append(TextFigures(run.name, run.source, topics))
    return found


def _highlighted(base: RecallBase, topic: str, tree: Trees) -> dict[str, list[tuple[int, int]]]:
    found: dict[str, list[tuple[int, int]]] = {
        file: [(span.start, span.end) for span in spans] for file, spans in base.spans(topic).items()
    }
    for file, passages in base.passages(topic).items():
        try:
            found[file] = [passage.characters(tree(file)) for passage in passages]
        except UnknownPathError as error:
            where = f"{base.sources.get(topic, 'assessments')}, topic {topic}, {file}"
            raise InputError(where, str(error)) from None
    return found


def _results(run: Run, topic: str, tree: Trees) -> list[tuple[str, int, int]]:
    ranking = run.rankings.get(topic)
    found = []
    for place, (file, path) in enumerate(ranking or ()):
        span = ranking.spans.get(place) if ranking is not None else None
        try:
            if span is None and path:
                document = tree(file)
                row = 0 if path == WHOLE else document.row(path)
                span = int(document.start[row]), int(document.stop[row])
            elif isinstance(span, Passage):
                span = span.characters(tree(file))
        except UnknownPathError as error:
            where = f"{run.source}, topic {topic}, rank {place + 1}, {file}"
            raise InputError(where, str(error)) from None
        found.append((file, *(span or (0, 0))))
    return found


def _figures(ranking: HighlightedRanking, beta: float) -> dict[str, float]:
    """Return the figures of one topic in the order of the output."""
    articles, relevant = ranking.articles(), ranking.relevant_in
    hits = sum(document in relevant for document in articles)
    size, marked = int(ranking.new_sizes.sum()), int(ranking.new_relevant_sizes.sum())
    art_prec = hits / len(articles) if articles else 0.0
    art_rec = hits / len(relevant)
    char_prec = marked / size if size else 0.0
    char_rec = marked / ranking.relevant
    precisions = interpolated_precision(ranking, RECALL_POINTS)
    scores = article_scores(ranking, beta, math.inf, math.inf)
    figures: dict[str, float] = {
        "num_ret": len(articles),
        "num_rel": len(relevant),
        "num_rel_ret": hits,
        "ret_size": size,
        "rel_size": ranking.relevant,
        "rel_ret_size": marked,
        "art_prec": art_prec,
        "art_rec": art_rec,
        "art_f1": f_measure(art_prec, art_rec, 1),
        "char_prec": char_prec,
        "char_rec": char_rec,
        "char_f1": f_measure(char_prec, char_rec, 1),
    }
    figures.update({f"iP[{x:.2f}]": precisions[round(x * 100)] for x in (0.0, 0.01, 0.05, 0.1)})
    figures["AiP"] = math.fsum(precisions) / len(precisions)
    for rank in IN_CONTEXT_RANKS:
        figures[f"gP[{rank}]"] = generalised_precision(scores, rank)
    for rank in IN_CONTEXT_RANKS:
        figures[f"gR[{rank}]"] = sum(hit for _, hit in scores[:rank]) / len(relevant)
    figures["AgP"] = average_generalised_precision(scores, len(relevant))
    figures.update({f"ircl_prn.{x:.2f}": p for x, p in zip(RECALL_POINTS, precisions, strict=True)})
    return figures


def official_output(found: Iterable[TextFigures], per_topic: bool = True) -> str:
    """Return figures as the official evaluator prints them: ``name<TAB>topic<TAB>value``.

    The interpolated precisions at all recall points stand in the mean alone. per_topic: print the
    topics' own lines too.
    """
    lines: list[str] = []
    for run in found:
        lines.append(f'<eval run-id="{_attribute(run.run)}" file="{_attribute(run.source)}">')
        for topic, figures in run.topics.items():
            if topic != MEAN and not per_topic:
                continue
            for name, value in figures.items():
                if name.startswith("ircl_prn") and topic != MEAN:
                    continue
                written = f"{value:.0f}" if name in COUNTS else f"{value:.4f}"
                lines.append(f"{name}\t{topic}\t{written}")
        lines.append("</eval>")
    return "".join(line + "\n" for line in lines)


def _attribute(text: str) -> str:
    from xml.sax.saxutils import escape

    return escape(text, {'"': "&quot;"})
