"""The pages of ``xcg judge`` as HTML, and judgements as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import jinja2
from markupsafe import Markup

from xcg.judge.addresses import (
    api_path,
    assessor_path,
    document_path,
    topic_path,
)
from xcg.judge.grades import GradeScheme
from xcg.judge.judgement import Judgement

_TEMPLATES = Path(__file__).parent / "templates"


@cache
def environment() -> jinja2.Environment:
    """Return the templates. Every value is escaped, and an unknown name in a template is an error."""
    templates = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    templates.globals["share"] = _share
    return templates


def _share(part: int, whole: int) -> int:
    """Return a proportion in percent, rounded down, so that only a complete topic has 100 %."""
    return 100 * part // whole if whole else 0


def render_page(template: str, **values: object) -> str:
    """Return a page.

    Args:
        template: The name of a file in ``templates/``.
        values: The names in the template. The base of all pages needs ``breadcrumbs``, pairs of a name
            and a URL (None for the page itself), and ``person``, an assessor or None.
    """
    return environment().get_template(template).render(**values)


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


class Neighbours(NamedTuple):
    """The documents of a pool that the page of a document links to.

    Attributes:
        previous: The document before it; None for the first.
        next: The document after it; None for the last.
        next_unfinished: The next document that is not finished, also from the start of the pool; None
            without one.
    """

    previous: str | None
    next: str | None
    next_unfinished: str | None


def judging_page(
    assessor: str,
    topic: Any,
    document: str,
    title: str,
    html: str,
    *,
    length: int,
    judgement: Judgement,
    grades: GradeScheme,
    results: Sequence[tuple[int, int]],
    neighbours: Neighbours,
    position: int,
    finished: int,
    size: int,
) -> str:
    """Return the page on which an assessor judges a document: the template ``judge.html``.

    Args:
        assessor: The assessor.
        topic: The topic, with ``id``, ``title``, ``description`` and ``narrative``.
        document: The name of the document.
        title: Its title.
        html: Its text as HTML.
        length: Number of characters of its text.
        judgement: The current version of the judgement.
        grades: The grades.
        results: Start and end of the results of the pool in the document.
        neighbours: Further documents of the pool.
        position: Its position in the pool, from 1.
        finished: Number of finished documents of the pool.
        size: Number of documents of the pool.
    """

    def url(name: str | None) -> str | None:
        return None if name is None else document_path(assessor, topic.id, name)

    pool_url = topic_path(assessor, topic.id)
    page_data = {
        "api": api_path(assessor, topic.id, document),
        "assessor": assessor,
        "topic": topic.id,
        "document": document,
        "length": length,
        "judgement": judgement_record(judgement),
        "grades": [{"value": grade.value, "label": grade.label} for grade in grades.grades],
        "pool": [[start, end] for start, end in results],
        "position": position,
        "finished": finished,
        "size": size,
        "pool_url": pool_url,
        "previous": url(neighbours.previous),
        "next": url(neighbours.next),
        "next_unfinished": url(neighbours.next_unfinished),
    }
    return render_page(
        "judge.html",
        breadcrumbs=[
            ("Topics", assessor_path(assessor)),
            (topic.title or topic.id, pool_url),
            (title, None),
        ],
        person=assessor,
        topic=topic,
        document={"name": document, "title": title},
        article=Markup(html),  # noqa: S704 - made by rendering.py, which escapes the text
        page_data=page_data,
        position=position,
        finished=finished,
        size=size,
    )


def error_page(status: int, message: str, home: str | None = None) -> str:
    """Return the page of an error.

    Args:
        status: The HTTP status.
        message: What is wrong and what to do next.
        home: The page to which it links; None without a link.
    """
    return render_page(
        "error.html", breadcrumbs=[], person=None, status=status, message=message, home=home
    )
