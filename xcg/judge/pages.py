"""The pages of ``xcg judge``, and judgements as JSON."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import jinja2
from markupsafe import Markup

from xcg.judge.addresses import (
    OVERVIEW_PATH,
    agreement_path,
    api_path,
    archive_path,
    assessor_path,
    document_path,
    topic_path,
)
from xcg.judge.agreement import AgreementRow, DifferentDocument, agreement, disagreements
from xcg.judge.judgement import Judgement, Move, PoolDocument, Progress
from xcg.judge.workspace import Workspace
from xcg.judgements.recall_base import MEAN

LONGEST_EXCERPT = 400
"""Maximum number of characters of a passage on the page of disagreements."""
CONTEXT = 60
"""Number of characters before and after a passage on the page of disagreements."""


@cache
def environment() -> jinja2.Environment:
    """Return the templates. Every value is escaped, and an unknown name in a template is an error."""
    templates = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent / "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    templates.filters["number"] = _number
    return templates


def _number(value: float) -> str:
    """Write a value with three decimals, and a dash for NaN.

    >>> _number(0.12345), _number(float("nan"))
    ('0.123', '–')
    """
    return "–" if value != value else f"{value:.3f}"  # noqa: PLR0124 - only NaN differs from itself


def render_page(template: str, **values: object) -> str:
    """Return a page.

    Args:
        template: The name of a file in ``templates/``.
        values: The names in the template. The base of all pages needs ``breadcrumbs``, pairs of a name
            and a URL (None for the page itself), and ``person``, an assessor or None.
    """
    return environment().get_template(template).render(**values)


def topics_page(workspace: Workspace, assessor: str) -> str:
    """Return the topics of an assessor with their progress."""
    progress = workspace.store.progress(assessor)
    topics = [
        {
            "topic": workspace.topic(topic),
            "progress": of_topic,
            "url": topic_path(assessor, topic),
        }
        for topic, of_topic in progress.items()
    ]
    return render_page(
        "topics.html",
        breadcrumbs=[("Topics", None)],
        person=assessor,
        topics=topics,
        total=Progress.sum(progress.values()),
        moves=_open_moves(workspace, assessor),
        moved_url=f"{assessor_path(assessor)}moved",
    )


def _open_moves(workspace: Workspace, assessor: str | None) -> list[Move]:
    """Return the moves that are to be checked, of one assessor or of all."""
    return [
        move for move in workspace.store.moved() if move.is_open and assessor in (None, move.assessor)
    ]


def pool_page(workspace: Workspace, assessor: str, topic: str) -> str:
    """Return the documents of a topic, in the order that hides systems and ranks."""
    pool = workspace.pool(assessor, topic)
    entries: list[dict[str, Any]] = [
        {
            "name": document.name,
            "judgement": judgement,
            "title": workspace.title(document.name),
            "url": document_path(assessor, topic, document.name),
        }
        for document, judgement in pool
    ]
    unfinished = [one["url"] for one in entries if not one["judgement"].finished]
    shown = workspace.topic(topic)
    return render_page(
        "pool.html",
        breadcrumbs=[("Topics", assessor_path(assessor)), (shown.title, None)],
        person=assessor,
        topic=shown,
        entries=entries,
        progress=Progress(len(pool) - len(unfinished), len(pool)),
        next_url=unfinished[0] if unfinished else None,
        topics_url=assessor_path(assessor),
    )


def judgement_record(judgement: Judgement) -> dict[str, Any]:
    """Return a judgement as the JSON of the API.

    >>> judgement_record(Judgement(version=2, finished=True))["finished"]
    True
    """
    return {
        "version": judgement.version,
        "highlights": [
            {
                "id": highlight.id,
                "start": highlight.start,
                "end": highlight.end,
                "grade": highlight.grade,
                "text": highlight.quote.exact,
                "status": highlight.status,
            }
            for highlight in judgement.highlights
        ],
        "entry_point": judgement.entry_point,
        "finished": judgement.finished,
        "can_undo": judgement.can_undo,
        "can_redo": judgement.can_redo,
    }


def judging_page(workspace: Workspace, assessor: str, topic_id: str, document: str) -> str:
    """Return the page of a document: the template ``judge.html``.

    Its names are ``topic`` (with ``id``, ``title``, ``description`` and ``narrative``), ``document``
    (with ``name`` and ``title``), ``article`` (the text as HTML), ``position`` (of the document in the
    pool, from 1), ``finished`` and ``size`` (numbers of documents of the pool), and ``page_data`` for
    the script.

    Args:
        workspace: The documents, topics and judgements.
        assessor: The assessor.
        topic_id: A topic that is assigned to the assessor.
        document: A document of its pool.

    Raises:
        InputError: If the document cannot be read.
    """
    topic = workspace.topic(topic_id)
    rendering = workspace.rendering(document)
    pool = workspace.pool(assessor, topic_id)
    index = [one.name for one, _ in pool].index(document)
    finished = sum(judgement.finished for _, judgement in pool)
    pool_url = topic_path(assessor, topic_id)

    def url(position: int | None) -> str | None:
        if position is None or not 0 <= position < len(pool):
            return None
        return document_path(assessor, topic_id, pool[position][0].name)

    page_data = {
        "api": api_path(assessor, topic_id, document),
        "assessor": assessor,
        "topic": topic_id,
        "document": document,
        "length": len(rendering.text),
        "judgement": judgement_record(pool[index][1]),
        "grades": [
            {"value": grade.value, "label": grade.label} for grade in workspace.settings.grades.grades
        ],
        "results": pool[index][0].results,
        "position": index + 1,
        "finished": finished,
        "size": len(pool),
        "pool_url": pool_url,
        "previous": url(index - 1),
        "next": url(index + 1),
        "next_unfinished": url(_next_unfinished(pool, index)),
    }
    return render_page(
        "judge.html",
        breadcrumbs=[
            ("Topics", assessor_path(assessor)),
            (topic.title, pool_url),
            (rendering.title, None),
        ],
        person=assessor,
        topic=topic,
        document={"name": document, "title": rendering.title},
        article=Markup(rendering.html),  # noqa: S704 - rendering.py escapes the text
        page_data=page_data,
        position=index + 1,
        finished=finished,
        size=len(pool),
    )


def _next_unfinished(pool: Sequence[tuple[PoolDocument, Judgement]], index: int) -> int | None:
    """Return the position of the next unfinished document; after the last one follows the first."""
    others = [*range(index + 1, len(pool)), *range(index)]
    return next((position for position in others if not pool[position][1].finished), None)


def moved_page(workspace: Workspace, assessor: str | None) -> str:
    """Return what changes of documents did to the judgements of one assessor, or of all."""
    rows = [
        {
            "move": move,
            "topic": workspace.topic(move.topic),
            "url": None if assessor is None else document_path(assessor, move.topic, move.document),
        }
        for move in workspace.store.moved()
        if assessor in (None, move.assessor)
    ]
    home = ("Overview", OVERVIEW_PATH) if assessor is None else ("Topics", assessor_path(assessor))
    return render_page(
        "moved.html",
        breadcrumbs=[home, ("Changed documents", None)],
        person=assessor,
        rows=rows,
        is_overview=assessor is None,
    )


def overview_page(workspace: Workspace) -> str:
    """Return the progress of all assessors, with links to agreement, moves and downloads."""
    store = workspace.store
    progress = {assessor: store.progress(assessor) for assessor in store.assessors()}
    assessors = [
        {
            "name": assessor,
            "topics": len(topics),
            "progress": Progress.sum(topics.values()),
            "archive": archive_path(assessor),
        }
        for assessor, topics in progress.items()
    ]
    topics = [
        {
            "topic": workspace.topic(topic),
            "size": len(store.pool(topic)),
            "assessors": [
                (assessor, assigned[topic])
                for assessor, assigned in progress.items()
                if topic in assigned
            ],
        }
        for topic in store.topics()
    ]
    return render_page(
        "overview.html",
        breadcrumbs=[("Overview", None)],
        person=None,
        assessors=assessors,
        topics=topics,
        total=Progress.sum(Progress.sum(one.values()) for one in progress.values()),
        notes=workspace.notes.lines(),
        moves=_open_moves(workspace, None),
        moved_url=f"{OVERVIEW_PATH}moved",
        agreement_url=agreement_path(),
        archive_url=archive_path(),
        store=str(workspace.settings.store),
    )


def agreement_page(workspace: Workspace) -> str:
    """Return the agreement of assessors on documents, elements and characters."""
    judged = list(workspace.store.judgements())
    by_topic: dict[str, list[AgreementRow]] = {}
    for row in agreement(judged, workspace.corpus):
        by_topic.setdefault(row.topic, []).append(row)
    overall = by_topic.pop(MEAN, [])
    topics = [
        {
            "topic": workspace.topic(topic),
            "rows": rows,
            "differences": len(disagreements(judged, topic, workspace.corpus)),
            "url": agreement_path(topic),
        }
        for topic, rows in by_topic.items()
    ]
    return render_page(
        "agreement.html",
        breadcrumbs=[("Overview", OVERVIEW_PATH), ("Agreement", None)],
        person=None,
        overall=overall,
        topics=topics,
    )


def agreement_topic_page(workspace: Workspace, topic: str) -> str:
    """Return the disagreements of assessors on a topic side by side."""
    judged = [one for one in workspace.store.judgements() if one.topic == topic]
    documents = [_difference(workspace, one) for one in disagreements(judged, topic, workspace.corpus)]
    shown = workspace.topic(topic)
    return render_page(
        "disagreements.html",
        breadcrumbs=[
            ("Overview", OVERVIEW_PATH),
            ("Agreement", agreement_path()),
            (shown.title, None),
        ],
        person=None,
        topic=shown,
        documents=documents,
    )


def _difference(workspace: Workspace, different: DifferentDocument) -> dict[str, Any]:
    """Return a document that assessors judged differently, with the text of its passages."""
    text = workspace.corpus.tree(different.document).text
    scheme = workspace.settings.grades
    return {
        "name": different.document,
        "title": workspace.title(different.document),
        "assessors": list(different.relevant),
        "relevant": different.relevant,
        "entry_points": {
            assessor: None if point is None else _line(text[point : point + CONTEXT]).strip()
            for assessor, point in different.entry_points.items()
        },
        "spans": [
            {
                "excerpt": _excerpt(text, span.start, span.end),
                "characters": span.end - span.start,
                "grades": {
                    assessor: None if grade is None else (grade, scheme.label(grade))
                    for assessor, grade in span.labels.items()
                },
            }
            for span in different.spans
        ],
    }


class Excerpt(NamedTuple):
    """A passage with the text around it, each on one line.

    Attributes:
        before: Text before the passage.
        start: The passage, or its beginning if it is long.
        end: The end of a long passage; empty for others.
        after: Text after the passage.
    """

    before: str
    start: str
    end: str
    after: str


def _excerpt(text: str, start: int, end: int) -> Excerpt:
    before, after = text[max(start - CONTEXT, 0) : start], text[end : end + CONTEXT]
    if end - start <= LONGEST_EXCERPT:
        return Excerpt(_line(before), _line(text[start:end]), "", _line(after))
    half = LONGEST_EXCERPT // 2
    first, last = text[start : start + half], text[end - half : end]
    return Excerpt(_line(before), _line(first), _line(last), _line(after))


def _line(text: str) -> str:
    return re.sub(r"\s+", " ", text)


def start_page(home: str) -> str:
    """Return the page between a start URL that was followed on another site and the first page."""
    return render_page("start.html", breadcrumbs=[], person=None, home=home)


def error_page(status: int, message: str, home: str | None = None) -> str:
    """Return the page of an error.

    Args:
        status: The HTTP status.
        message: What is wrong and what to do next.
        home: The page to which it links; None without a link.
    """
    first = message.partition(" ")[0]
    if first.isalpha():  # no path or name
        message = first.capitalize() + message[len(first) :]
    sentence = message if message.endswith((".", "?")) else f"{message}."
    return render_page(
        "error.html", breadcrumbs=[], person=None, status=status, message=sentence, home=home
    )
