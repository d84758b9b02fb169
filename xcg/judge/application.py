"""The web application of ``xcg judge``: routes, requests and responses."""

from __future__ import annotations

import io
import json
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from xcg.errors import InputError, XcgError
from xcg.judge.addresses import OVERVIEW_PATH, from_path, from_segment
from xcg.judge.exporting import export_archive
from xcg.judge.judgement import Judgement
from xcg.judge.pages import (
    agreement_page,
    agreement_topic_page,
    error_page,
    judgement_record,
    judging_page,
    moved_page,
    overview_page,
    pool_page,
    start_page,
    topics_page,
)
from xcg.judge.security import (
    MAX_BODY_BYTES,
    Access,
    Guard,
    KnownHosts,
    protected_path,
    set_cookie,
)
from xcg.judge.store import ConflictError
from xcg.judge.workspace import Workspace
from xcg.lazy_modules import sqlite3

_STATIC = Path(__file__).parent / "static"
_RETRY = 503
"""Status of a change that was not saved for a reason on the side of the server."""


class JsonResponse(Response):
    """A JSON response in ASCII, which can hold any text."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:
        """Return the body."""
        return json.dumps(content, allow_nan=False).encode("ascii")


def create_application(workspace: Workspace, access: Access, host: str, port: int) -> ASGIApp:
    """Return the application.

    Args:
        workspace: The documents, topics and judgements.
        access: The secrets of the assessors who may use this server, and of the overview.
        host: The address on which the server listens.
        port: Its port.
    """
    return Guard(
        _Application(workspace, access, port).starlette(), access, KnownHosts(host, port), port, _refuse
    )


Page = Callable[[Request], str]
Report = Callable[[Workspace, Request], Response]


class _Application:
    """The endpoints. Each uses the workspace alone, in a thread; reports use a snapshot of it.

    Starlette runs endpoints that are not coroutines in threads.
    """

    def __init__(self, workspace: Workspace, access: Access, port: int) -> None:
        self._workspace = workspace
        self._access = access
        self._port = port
        self._lock = threading.Lock()
        self._report_lock = threading.Lock()

    def starlette(self) -> Starlette:
        """Return the routes."""
        judging = "topics/{topic}/documents/{document:path}"
        assessor_routes = [
            Route("/start", self._start),
            Route("/", self._page(self._topics)),
            Route("/moved", self._page(self._moved)),
            Route("/topics/{topic}", self._page(self._pool)),
            Route(f"/{judging}", self._page(self._judging)),
            Route(f"/api/{judging}", self._read, methods=["GET"]),
            Route(f"/api/{judging}", self._change, methods=["POST"]),
        ]
        overview_routes = [
            Route("/start", self._start),
            Route("/", self._page(self._overview)),
            Route("/moved", self._page(self._moved)),
            Route("/agreement", self._report(_agreement)),
            Route("/agreement/{topic}", self._report(_agreement_topic)),
            Route("/judgements.zip", self._report(_archive)),
            Route("/judgements/{assessor}.zip", self._report(_archive)),
        ]
        return Starlette(
            routes=[
                Mount("/static", StaticFiles(directory=_STATIC)),
                Mount("/assessors/{assessor}", routes=assessor_routes),
                Mount("/overview", routes=overview_routes),
            ],
            exception_handlers={
                HTTPException: _http_error,
                XcgError: _input_error,
                Exception: _unexpected_error,
            },
        )

    def _page(self, page: Page) -> Callable[[Request], Response]:
        """Return an endpoint that answers with a page."""

        def endpoint(request: Request) -> Response:
            with self._lock:
                return _page_response(page(request))

        return endpoint

    def _report(self, report: Report) -> Callable[[Request], Response]:
        """Return an endpoint that reads all judgements, while assessors can save theirs."""

        def endpoint(request: Request) -> Response:
            with self._report_lock, self._workspace.snapshot() as workspace:
                return report(workspace, request)

        return endpoint

    async def _start(self, request: Request) -> Response:
        """Set the cookie and open the first page, so that the token leaves the address bar."""
        home = protected_path(request.scope["path"]) or OVERVIEW_PATH
        cookie = self._access.cookie(home, request.query_params.get("token", ""))
        if cookie is None:
            raise HTTPException(
                403, "the token of this URL is not valid: use the start URL that xcg judge printed last"
            )
        # A browser does not send the cookie when it follows a redirect that begins on another site.
        if request.headers.get("sec-fetch-site") == "cross-site":
            response = _page_response(start_page(home))
        else:
            response = RedirectResponse(home, 303)
        set_cookie(response, self._port, home, cookie)
        return response

    def _topics(self, request: Request) -> str:
        return topics_page(self._workspace, _assessor(request))

    def _pool(self, request: Request) -> str:
        assessor, topic = _assessor(request), self._topic(request)
        return pool_page(self._workspace, assessor, topic)

    def _moved(self, request: Request) -> str:
        assessor = _assessor(request) if "assessor" in request.path_params else None
        return moved_page(self._workspace, assessor)

    def _judging(self, request: Request) -> str:
        return judging_page(self._workspace, *self._judged(request))

    def _overview(self, _: Request) -> str:
        return overview_page(self._workspace)

    def _topic(self, request: Request) -> str:
        """Return the topic of a request; an error if it is not assigned to the assessor."""
        topic = from_segment(request.path_params["topic"])
        if topic not in self._workspace.store.assignments().get(_assessor(request), ()):
            raise HTTPException(404, f"the topic {topic!r} is not assigned to you")
        return topic

    def _judged(self, request: Request) -> tuple[str, str, str]:
        """Return the assessor, the topic and the document of a request."""
        topic = self._topic(request)
        document = from_path(request.path_params["document"])
        if all(entry.name != document for entry in self._workspace.store.pool(topic)):
            raise HTTPException(404, f"the pool of topic {topic!r} has no document {document!r}")
        return _assessor(request), topic, document

    def _read(self, request: Request) -> Response:
        with self._lock:
            judgement = self._workspace.store.judgement(*self._judged(request))
        return JsonResponse(judgement_record(judgement))

    async def _change(self, request: Request) -> Response:
        record = _parsed(request, await _body(request))
        return await run_in_threadpool(self._change_judgement, request, record)

    def _change_judgement(self, request: Request, record: dict[str, Any]) -> Response:
        with self._lock:
            return self._changed(request, record)

    def _changed(self, request: Request, record: dict[str, Any]) -> Response:
        store = self._workspace.store
        judged = self._judged(request)
        version, operation = record.pop("version", None), record.pop("operation", None)
        if not isinstance(version, int) or isinstance(version, bool):
            return _failure(400, "expected the version of the judgement as a whole number")
        if not isinstance(operation, str):
            return _failure(400, "expected the name of an operation")
        problem = self._grade_problem(operation, record, partial(store.judgement, *judged))
        if problem is not None:
            return _failure(400, problem)
        try:
            changed = store.apply(*judged, version, operation, record)
        except ConflictError as error:
            current = judgement_record(error.current)
            return JsonResponse({"error": str(error), "judgement": current}, 409)
        except InputError as error:  # about a file, not about the change
            return _failure(_RETRY, f"the change was not saved: {error}")
        except XcgError as error:
            return _failure(400, str(error))
        except (sqlite3.Error, OSError) as error:
            return _failure(_RETRY, f"the change was not saved: {error}")
        return JsonResponse(judgement_record(changed))

    def _grade_problem(
        self, operation: str, values: dict[str, Any], current: Callable[[], Judgement]
    ) -> str | None:
        """Return what is wrong with the grades of a change, which the store does not know."""
        scheme = self._workspace.settings.grades
        grade = values.get("grade")
        if isinstance(grade, str) and grade not in scheme.values:
            expected = f"one of {', '.join(scheme.values)}" if scheme.values else "none"
            return f"unknown grade {grade!r}: expected {expected}"
        if operation == "finish" and values.get("finished") is True and scheme.values:
            missing = sum(highlight.grade is None for highlight in current().highlights)
            if missing:
                return (
                    f"highlights without a grade: {missing}; grade them before you finish the document"
                )
        return None


def _agreement(workspace: Workspace, _: Request) -> Response:
    return _page_response(agreement_page(workspace))


def _agreement_topic(workspace: Workspace, request: Request) -> Response:
    topic = from_segment(request.path_params["topic"])
    if topic not in workspace.store.topics():
        raise HTTPException(404, f"there is no topic {topic!r}")
    return _page_response(agreement_topic_page(workspace, topic))


def _archive(workspace: Workspace, request: Request) -> Response:
    """Return the judgements of an assessor, or of all."""
    assessor = _assessor(request) if "assessor" in request.path_params else None
    if assessor is not None and assessor not in workspace.store.assessors():
        raise HTTPException(404, f"there is no assessor {assessor!r}")
    judged = workspace.store.judgements(assessor)
    content = export_archive(judged, workspace.corpus, workspace.settings.grades)
    name = "judgements" if assessor is None else f"judgements-{assessor}"
    return Response(
        content,
        media_type="application/zip",
        headers={"Content-Disposition": f"attachment; filename*=UTF-8''{quote(name, safe='')}.zip"},
    )


def _assessor(request: Request) -> str:
    return from_segment(request.path_params["assessor"])


async def _body(request: Request) -> bytes:
    """Return the body of a request, which may be larger than its header states."""
    body = io.BytesIO()
    try:
        async for part in request.stream():
            body.write(part)
            if body.tell() > MAX_BODY_BYTES:
                raise HTTPException(413, f"the request has more than {MAX_BODY_BYTES:,} bytes")
    except ClientDisconnect:
        raise HTTPException(400, "the request ended early") from None
    return body.getvalue()


def _parsed(request: Request, body: bytes) -> dict[str, Any]:
    """Return the JSON object of a request."""
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media_type != "application/json":
        raise HTTPException(400, "expected the content type application/json")
    try:
        record = json.loads(body)
    except (ValueError, RecursionError):
        raise HTTPException(400, "expected a JSON object") from None
    if not isinstance(record, dict):
        raise HTTPException(400, "expected a JSON object")
    return record


def _page_response(page: str, status: int = 200) -> Response:
    """Return a page; lone surrogates, which names can have, become question marks."""
    return HTMLResponse(page.encode("utf-8", "replace"), status)


def _failure(status: int, message: str) -> Response:
    return JsonResponse({"error": message}, status)


def _refuse(request: Request, status: int, message: str, home: str | None = None) -> Response:
    """Return an error as JSON to programs and as a page to people."""
    path = request.scope["path"]
    is_api = path.startswith("/assessors/") and path.split("/")[3:4] == ["api"]
    if is_api or request.method == "POST":
        return _failure(status, message)
    return _page_response(error_page(status, message, home), status)


async def _http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    home = protected_path(request.scope["path"]) if error.status_code == 404 else None
    message = error.detail
    if message == "Not Found":
        message = "there is no such page"
    return _refuse(request, error.status_code, str(XcgError(message)), home)


async def _input_error(request: Request, error: Exception) -> Response:
    return _refuse(request, _RETRY, str(error), protected_path(request.scope["path"]))


async def _unexpected_error(request: Request, _: Exception) -> Response:
    message = "an error of xcg: the terminal of xcg judge shows the details"
    return _refuse(request, 500, message, protected_path(request.scope["path"]))
