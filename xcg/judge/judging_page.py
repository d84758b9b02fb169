"""The page on which an assessor judges a document, and judgements as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from markupsafe import Markup

from xcg.judge.addresses import api_path, assessor_path, document_path, topic_path
from xcg.judge.judgement import Judgement
from xcg.judge.page_templates import render_page
from xcg.judge.workspace import PoolEntry, Workspace


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
    index = [entry.name for entry in pool].index(document)
    finished = sum(entry.finished for entry in pool)
    pool_url = topic_path(assessor, topic_id)

    def url(position: int | None) -> str | None:
        if position is None or not 0 <= position < len(pool):
            return None
        return document_path(assessor, topic_id, pool[position].name)

    page_data = {
        "api": api_path(assessor, topic_id, document),
        "assessor": assessor,
        "topic": topic_id,
        "document": document,
        "length": len(rendering.text),
        "judgement": judgement_record(workspace.store.judgement(assessor, topic_id, document)),
        "grades": [
            {"value": grade.value, "label": grade.label} for grade in workspace.settings.grades.grades
        ],
        "results": pool[index].results,
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


def _next_unfinished(pool: Sequence[PoolEntry], index: int) -> int | None:
    """Return the position of the next unfinished document; after the last one follows the first."""
    others = [*range(index + 1, len(pool)), *range(index)]
    return next((position for position in others if not pool[position].finished), None)
