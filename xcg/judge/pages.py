"""The pages of ``xcg judge``, and judgements as JSON."""

from __future__ import annotations

import re
from functools import cache
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup

from xcg.judge import access
from xcg.judge.access import topic_path
from xcg.judge.agreement import agreement, choices, disagreements
from xcg.judge.judgement import Judgement, Progress
from xcg.judge.workspace import Workspace
from xcg.judgements.recall_base import MEAN

LONGEST_EXCERPT = 400
CONTEXT = 150
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
    templates.filters |= {"number": _number, "line": _line}
    templates.globals |= {"urls": access, "total": Progress.sum, "excerpt": _excerpt, "person": None}
    return templates


def _number(value: float) -> str:
    """Write a value with three decimals, and a dash for NaN.

    >>> _number(0.12345), _number(float("nan"))
    ('0.123', '–')
    """
    return "–" if value != value else f"{value:.3f}"  # noqa: PLR0124 - only NaN differs from itself


def _line(text: str) -> str:
    return re.sub(r"\s+", " ", text)


def _excerpt(text: str, start: int, end: int) -> tuple[str, str, str]:
    """Return the text before a passage, its beginning, and the text after it."""
    shown = text[start : min(end, start + LONGEST_EXCERPT)]
    after = text[end : end + CONTEXT]
    return text[max(start - CONTEXT, 0) : start], shown + " […]" * (len(shown) < end - start), after


def render_page(template: str, **values: object) -> str:
    """Return a page: a file in ``templates/`` with values for its names."""
    return environment().get_template(template).render(**values)


def topics_page(workspace: Workspace, assessor: str) -> str:
    """Return the topics of an assessor with their progress."""
    progress, to_check = workspace.store.progress(assessor), workspace.store.to_check(assessor)
    return render_page(
        "topics.html", person=assessor, workspace=workspace, progress=progress, to_check=to_check
    )


def pool_page(workspace: Workspace, assessor: str, topic: str) -> str:
    """Return the documents of a topic, in the order that hides systems and ranks."""
    pool = workspace.pool(assessor, topic)
    in_order = sorted(pool, key=lambda pair: pair[1].skipped)  # skipped documents are the last
    unfinished = [document.name for document, judgement in in_order if not judgement.finished]
    return render_page(
        "pool.html",
        person=assessor,
        workspace=workspace,
        topic=workspace.topic(topic),
        pool=pool,
        unfinished=unfinished,
        progress=Progress(len(pool) - len(unfinished), len(pool)),
    )


def judgement_record(judgement: Judgement) -> dict[str, Any]:
    """Return a judgement as the JSON of the API.

    >>> judgement_record(Judgement(version=2, finished=True))["finished"]
    True
    """
    names = ("id", "start", "end", "grade", "status", "nugget")
    highlights = [
        {name: getattr(one, name) for name in names} | {"text": one.quote.exact}
        for one in judgement.highlights
    ]
    return {**vars(judgement), "highlights": highlights}


def judging_page(workspace: Workspace, assessor: str, topic: str, document: str) -> str:
    """Return the page of a document; ``page_data`` in its template is for the script.

    Raises:
        InputError: If the document cannot be read.
    """
    shown, rendering = workspace.topic(topic), workspace.rendering(document)
    pool = workspace.pool(assessor, topic)
    index = [one.name for one, _ in pool].index(document)
    others = [*range(index + 1, len(pool)), *range(index)]  # after the last document follows the first
    others.sort(key=lambda position: pool[position][1].skipped)
    unfinished = next((position for position in others if not pool[position][1].finished), -1)
    previous, following, next_unfinished = (
        access.document_path(assessor, topic, pool[position][0].name)
        if 0 <= position < len(pool)
        else None
        for position in (index - 1, index + 1, unfinished)
    )
    page_data = {
        "api": access.api_path(assessor, topic, document),
        "length": len(rendering.text),
        "judgement": judgement_record(pool[index][1]),
        "grades": [
            {"value": value, "label": label} for value, label in workspace.settings.grades.items()
        ],
        "nuggets": workspace.settings.nuggets.get(topic, []),
        "results": pool[index][0].results,
        "records_time": workspace.settings.time,
        "topic_title": shown.title or shown.id,
        "position": index + 1,
        "finished": sum(judgement.finished for _, judgement in pool),
        "size": len(pool),
        "pool_url": topic_path(assessor, topic),
        "previous": previous,
        "next": following,
        "next_unfinished": next_unfinished,
    }
    return render_page(
        "judge.html",
        person=assessor,
        topic=shown,
        name=document,
        title=rendering.title,
        article=Markup(rendering.html),  # noqa: S704 - rendering.py escapes the text
        page_data=page_data,
    )


def overview_page(workspace: Workspace) -> str:
    """Return the progress of all assessors, with a link to their agreement."""
    store = workspace.store
    progress = {assessor: store.progress(assessor) for assessor in store.assessors()}
    overall = Progress.sum(one for topics in progress.values() for one in topics.values())
    return render_page("overview.html", workspace=workspace, progress=progress, overall=overall)


def agreement_page(workspace: Workspace) -> str:
    """Return the agreement of assessors on documents and characters."""
    judged, decisions = workspace.store.judgements(), workspace.store.decisions()
    grouped = groupby(agreement(judged, workspace.corpus), attrgetter("topic"))
    rows = {topic: list(of_topic) for topic, of_topic in grouped}
    overall = rows.pop(MEAN, [])
    found = {topic: disagreements(judged, topic, workspace.corpus, decisions) for topic in rows}
    return render_page(
        "agreement.html", workspace=workspace, overall=overall, rows=rows, differences=found
    )


def agreement_topic_page(workspace: Workspace, topic: str, document: str | None = None) -> str:
    """Return the disagreements of assessors on a topic, or on one of its documents with its text."""
    judged = workspace.store.judgements(document)
    decisions = workspace.store.decisions()
    rendering = None if document is None else workspace.rendering(document)
    return render_page(
        "disagreements.html",
        workspace=workspace,
        topic=workspace.topic(topic),
        choices=choices(workspace.settings.grades),
        documents=disagreements(judged, topic, workspace.corpus, decisions),
        author=next((one.author for one in reversed(decisions.values())), ""),
        rendering=rendering,
        article=rendering and Markup(rendering.html),  # noqa: S704 - rendering.py escapes the text
    )
