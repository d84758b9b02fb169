"""The web application of ``xcg judge``: routes, requests and responses."""

from __future__ import annotations

import json
import threading
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from xcg.errors import InputError, XcgError, nearest
from xcg.judge import access, pages
from xcg.judge.agreement import choices, disagreements
from xcg.judge.settings import LONGEST_NAME
from xcg.judge.store import ConflictError
from xcg.judge.workspace import Workspace
from xcg.lazy_modules import sqlite3

Page = Callable[..., "str | Response"]
"""A function of the workspace and of the names in the path of a request."""

_STATIC = Path(__file__).parent / "static"
MAX_SECONDS = 1_000_000
"""Longest time between two changes."""
_RETRY = 503
"""Status of a change that was not saved for a reason on the side of the server."""


def _json(content: object, status: int = 200) -> Response:
    """Return a JSON response in ASCII, which can hold any text."""
    return Response(json.dumps(content), status, media_type="application/json")


def create_application(workspace: Workspace, keys: access.Access, host: str, port: int) -> ASGIApp:
    """Return the application.

    Args:
        workspace: The documents, topics and judgements.
        keys: The secrets of the assessors who may use this server, and of the overview.
        host: The address on which the server listens.
        port: Its port.
    """
    application = _Application(workspace, keys, port).starlette()
    return access.Guard(application, keys, access.KnownHosts(host, port), port, _refuse)


class _Application:
    """The endpoints. Each uses the workspace alone, in a thread; reports use a snapshot of it.

    Starlette runs endpoints that are not coroutines in threads.
    """

    def __init__(self, workspace: Workspace, keys: access.Access, port: int) -> None:
        self._workspace = workspace
        self._keys = keys
        self._port = port
        self._lock = threading.Lock()
        self._report_lock = threading.Lock()

    def starlette(self) -> Starlette:
        """Return the routes."""
        judging = "topics/{topic}/documents/{document}"
        differences = "/agreement/{topic}/documents/{document}"
        assessor_routes = [
            Route("/start", self._start),
            Route("/", self._page(pages.topics_page)),
            Route("/topics/{topic}", self._page(pages.pool_page)),
            Route(f"/{judging}", self._page(pages.judging_page)),
            Route(f"/api/{judging}", self._page(_judgement), methods=["GET"]),
            Route(f"/api/{judging}", self._change(self._changed), methods=["POST"]),
        ]
        overview_routes = [
            Route("/start", self._start),
            Route("/", self._page(pages.overview_page)),
            Route("/agreement", self._report(pages.agreement_page)),
            Route("/agreement/{topic}", self._report(pages.agreement_topic_page)),
            Route(differences, self._report(pages.agreement_topic_page), methods=["GET"]),
            Route(differences, self._change(self._decided), methods=["POST"]),
        ]
        return Starlette(
            routes=[
                Mount("/static", StaticFiles(directory=_STATIC)),
                Mount("/assessors/{assessor}", routes=assessor_routes),
                Mount("/overview", routes=overview_routes),
            ],
            exception_handlers=dict.fromkeys((HTTPException, XcgError, Exception), _failed),
        )

    def _page(self, page: Page) -> Callable[[Request], Response]:
        """Return an endpoint that answers with a page."""

        def endpoint(request: Request) -> Response:
            with self._lock:
                return _response(page(self._workspace, **_names(self._workspace, request)))

        return endpoint

    def _report(self, report: Page) -> Callable[[Request], Response]:
        """Return an endpoint that reads all judgements, while assessors can save theirs."""

        def endpoint(request: Request) -> Response:
            with self._report_lock, self._workspace.snapshot() as workspace:
                return _response(report(workspace, **_names(workspace, request)))

        return endpoint

    async def _start(self, request: Request) -> Response:
        """Set the cookie and open the first page, so that the token leaves the address bar."""
        home = access.protected_path(request.scope["path"]) or access.OVERVIEW_PATH
        cookie = self._keys.cookie(home, request.query_params.get("token", ""))
        if cookie is None:
            raise HTTPException(
                403, "the token of this URL is not valid: use the start URL that xcg judge printed last"
            )
        # A browser does not send the cookie when it follows a redirect that begins on another site.
        response = _response(pages.render_page("start.html", home=home))
        access.set_cookie(response, self._port, home, cookie)
        return response

    def _change(self, change: Callable[..., Response]) -> Callable[[Request], Awaitable[Response]]:
        """Return an endpoint that changes the store, from the JSON of a request."""

        def changed(request: Request, record: dict[str, Any]) -> Response:
            with self._lock:
                names = _names(self._workspace, request)
                try:
                    return change(record, **names)
                except (InputError, sqlite3.Error, OSError) as error:  # not about the change
                    raise HTTPException(_RETRY, f"the change was not saved: {error}") from None
                except XcgError as error:
                    raise HTTPException(400, str(error)) from None

        async def endpoint(request: Request) -> Response:
            return await run_in_threadpool(changed, request, await _record(request))

        return endpoint

    def _changed(self, record: dict[str, Any], assessor: str, topic: str, document: str) -> Response:
        """Change a judgement."""
        owner = assessor, topic, document
        store, settings = self._workspace.store, self._workspace.settings
        version, operation = record.pop("version", None), record.pop("operation", None)
        seconds, words_marked = record.pop("seconds", 0), record.pop("words_marked", False)
        stated = {int: (version, seconds), str: (operation,), bool: (words_marked,)}
        if any(type(value) is not kind for kind, values in stated.items() for value in values):
            expected = (
                "version and seconds as whole numbers, operation as text, words_marked as true or false"
            )
            raise HTTPException(400, f"expected {expected}")
        if not 0 <= seconds <= MAX_SECONDS:
            raise HTTPException(400, f"expected the seconds as a whole number from 0 to {MAX_SECONDS}")
        grade, legal = record.get("grade"), settings.grades
        if isinstance(grade, str) and grade not in legal:
            expected = f"one of {', '.join(legal)}" if legal else "none"
            raise HTTPException(400, f"unknown grade {grade!r}: expected {expected}")
        if operation == "finish" and record.get("finished") is True and legal:
            missing = sum(one.grade is None for one in store.judgement(*owner).highlights)
            if missing:
                found = f"highlights without a grade: {missing}"
                raise HTTPException(400, f"{found}; grade them before you finish the document")
        nugget, known = record.get("nugget"), settings.nuggets.get(topic, [])
        if isinstance(nugget, str) and nugget not in known:
            raise HTTPException(400, f"unknown nugget {nugget[:40]!r}: {nearest(nugget[:40], known)}")
        try:
            work = (seconds if settings.time else 0, words_marked)
            changed = store.apply(*owner, version, operation, record, *work)
        except ConflictError as error:
            current = pages.judgement_record(error.current)
            return _json({"error": str(error), "judgement": current}, 409)
        return _json(pages.judgement_record(changed))

    def _decided(self, record: dict[str, Any], topic: str, document: str) -> Response:
        """Save a decision on a disagreement that the organiser saw."""
        store = self._workspace.store
        key, label, author = str(record.get("disagreement")), record.get("label"), record.get("author")
        known = disagreements(store.judgements(document), topic, self._workspace.corpus, {})
        keys = {one.key: one for found in known for one in found.disagreements}
        if key not in keys:
            raise HTTPException(409, "the judgements have changed: load this page again")
        if label not in choices(self._workspace.settings.grades):
            raise HTTPException(400, f"expected a label of this disagreement, not {label!r}")
        if not isinstance(author, str) or not 0 < len(author.strip()) <= LONGEST_NAME:
            raise HTTPException(400, f"expected who decides: a name of 1 to {LONGEST_NAME} characters")
        store.decide(topic, document, key, label, author.strip())
        return _json({})


def _names(workspace: Workspace, request: Request) -> dict[str, str]:
    """Return the assessor, topic and document in the path of a request that names them.

    Raises:
        HTTPException: If there is no such assessor, topic or document, or the topic is not assigned to
            the assessor.
    """
    names = {
        key: access.from_segment(value)
        for key, value in request.path_params.items()
        if key in ("assessor", "topic", "document")
    }
    assessor, topic, document = map(names.get, ("assessor", "topic", "document"))
    if assessor is not None and assessor not in workspace.store.assessors():
        raise HTTPException(404, f"there is no assessor {assessor!r}")
    if topic is not None and assessor is None and topic not in workspace.store.topics():
        raise HTTPException(404, f"there is no topic {topic!r}")
    if topic is not None and assessor and topic not in workspace.store.assignments()[assessor]:
        raise HTTPException(404, f"the topic {topic!r} is not assigned to you")
    if document is not None and all(one.name != document for one in workspace.store.pool(topic or "")):
        raise HTTPException(404, f"the pool of topic {topic!r} has no document {document!r}")
    return names


def _judgement(workspace: Workspace, assessor: str, topic: str, document: str) -> Response:
    return _json(pages.judgement_record(workspace.store.judgement(assessor, topic, document)))


async def _record(request: Request) -> dict[str, Any]:
    """Return the JSON object of a request, which may be larger than its header states."""
    body = b""
    try:
        async for part in request.stream():
            body += part
            if len(body) > access.MAX_BODY_BYTES:
                raise HTTPException(413, f"the request has more than {access.MAX_BODY_BYTES:,} bytes")
    except ClientDisconnect:
        raise HTTPException(400, "the request ended early") from None
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media_type != "application/json":
        raise HTTPException(400, "expected the content type application/json")
    try:
        record = json.loads(body)
    except (ValueError, RecursionError):
        record = None
    if not isinstance(record, dict):
        raise HTTPException(400, "expected a JSON object")
    return record


def _response(page: str | Response, status: int = 200) -> Response:
    """Return a page; lone surrogates, which names can have, become question marks."""
    return HTMLResponse(page.encode("utf-8", "replace"), status) if isinstance(page, str) else page


def _refuse(request: Request, status: int, message: str, home: str | None = None) -> Response:
    """Return an error as JSON to programs and as a page to people."""
    path = request.scope["path"]
    is_api = path.startswith("/assessors/") and path.split("/")[3:4] == ["api"]
    if is_api or request.method == "POST":
        return _json({"error": message}, status)
    return _response(pages.render_page("error.html", status=status, message=message, home=home), status)


async def _failed(request: Request, error: Exception) -> Response:
    """Return the response to a request that raised an exception."""
    status, message = 500, "an error of xcg: the terminal of xcg judge shows the details"
    if isinstance(error, XcgError):
        status, message = _RETRY if isinstance(error, InputError) else 409, str(error)
    elif isinstance(error, HTTPException):
        found = "there is no such page" if error.detail == "Not Found" else error.detail
        status, message = error.status_code, str(XcgError(found))
    home = access.protected_path(request.scope["path"]) if status in (404, 500, _RETRY) else None
    return _refuse(request, status, message, home)
