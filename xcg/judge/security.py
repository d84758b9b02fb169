"""Protect the judgements against other users, other assessors and foreign web pages.

Browsers send requests of foreign pages to servers on the same machine, too. Therefore the rules apply
on the loopback address as well: each page needs a cookie that only the start URL sets, changes need the
origin of the server itself, and the host must be a name of this server. Without the last rule, a
foreign page could let its own name point to the address of the server (DNS rebinding).
"""

from __future__ import annotations

import hmac
import socket
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from xcg.judge import addresses

MAX_BODY_BYTES = 1 << 16
"""Maximum size of the body of a request. A change with the longest note has fewer than 25,000 bytes."""
_SAFE_METHODS = ("GET", "HEAD")

HEADERS: Mapping[str, str] = MappingProxyType(
    {
        "Content-Security-Policy": (
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
            "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
        ),
        "X-Content-Type-Options": "nosniff",
        "X-Frame-Options": "DENY",
        "Referrer-Policy": "no-referrer",
        "Cache-Control": "no-store",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Resource-Policy": "same-origin",
    }
)
"""Headers of every response."""

Refusal = Callable[[Request, int, str], Response]
"""Returns the response to a request that is refused, from the status and the reason."""

_NO_COOKIE = (
    "this page needs the start URL that xcg judge printed when it started: open that URL again, or the "
    "new one after a restart"
)


class Access:
    """The secrets of a server: for each assessor and for the overview, a token and a cookie.

    The token is in the start URL, which sets the cookie. Nobody can compute them without the secret.

    Args:
        assessors: The names of the assessors.
        secret: 32 random bytes. Equal secrets give equal tokens and cookies.
    """

    def __init__(self, assessors: Iterable[str], secret: bytes) -> None:
        self._paths = {addresses.OVERVIEW_PATH, *map(addresses.assessor_path, assessors)}
        self._secret = secret

    def _derived(self, kind: str, path: str) -> str:
        return hmac.digest(self._secret, f"{kind} {path}".encode(), "sha256").hex()

    def start_path(self, assessor: str | None = None) -> str:
        """Return the path and query of the start URL of an assessor, or of the overview."""
        path = addresses.OVERVIEW_PATH if assessor is None else addresses.assessor_path(assessor)
        return f"{path}start?token={self._derived('token', path)}"

    def cookie(self, path: str, token: str) -> str | None:
        """Return the value of the cookie for the pages below a path; None if the token is wrong."""
        is_right = _is_equal(self._derived("token", path), token) and path in self._paths
        return self._derived("cookie", path) if is_right else None

    def allows(self, path: str, cookie: str) -> bool:
        """Return whether a cookie belongs to the pages below a path."""
        return _is_equal(self._derived("cookie", path), cookie) and path in self._paths


def _is_equal(secret: str, given: str) -> bool:
    """Compare in a time that does not depend on the number of equal characters."""
    return hmac.compare_digest(secret.encode(), given.encode("utf-8", "surrogatepass"))


def cookie_name(port: int) -> str:
    """Return the name of the cookie. Browsers send cookies to all ports of a host."""
    return f"xcg-judge-{port}"


def set_cookie(response: Response, port: int, path: str, value: str) -> None:
    """Set the cookie for the pages below a path until the browser is closed."""
    response.set_cookie(cookie_name(port), value, path=path, httponly=True, samesite="strict")


def protected_path(path: str) -> str | None:
    """Return the start of a path that decides which cookie a request needs; None for other paths.

    >>> protected_path("/assessors/anna/topics/1"), protected_path("/static/base.css")
    ('/assessors/anna/', None)
    """
    if path.startswith(addresses.OVERVIEW_PATH):
        return addresses.OVERVIEW_PATH
    parts = path.split("/")
    if len(parts) > 3 and parts[1] == "assessors":
        return addresses.assessor_path(addresses.from_segment(parts[2]))
    return None


def is_start(path: str) -> bool:
    """Return whether a path is that of a start URL, which needs no cookie.

    >>> is_start("/assessors/anna/start"), is_start("/assessors/anna/topics/start")
    (True, False)
    """
    protected = protected_path(path)
    return protected is not None and path.split("/")[protected.count("/") :] == ["start"]


class KnownHosts:
    """The values of the header Host that name a server.

    Args:
        host: The address on which the server listens.
        port: Its port.
    """

    def __init__(self, host: str, port: int) -> None:
        self._port = port
        self._names = {host.lower()}
        address = addresses.to_ip_address(host)
        self._allows_addresses = address is not None and address.is_unspecified
        if addresses.is_loopback(host):
            self._names |= {"localhost", "127.0.0.1", "::1"}
        elif self._allows_addresses:
            names = (socket.gethostname(), socket.getfqdn())
            self._names |= {"localhost", *(name.lower() for name in names)}

    def __contains__(self, header: object) -> bool:
        if not isinstance(header, str):
            return False
        name, port = _divided(header)
        if port != self._port:
            return False
        # No foreign page can take over an IP address, unlike a name.
        return name in self._names or (
            self._allows_addresses and addresses.to_ip_address(name) is not None
        )


def _divided(header: str) -> tuple[str, int]:
    """Return the name and the port in a header Host; the port -1 if it is illegal."""
    name, colon, port = header.rpartition(":")
    if not colon or port.endswith("]"):
        name, port = header, str(addresses.HTTP_PORT)
    if name.startswith("[") and name.endswith("]"):
        name = name[1:-1]
    is_number = port.isascii() and port.isdigit() and len(port) <= 5
    return name.lower(), int(port) if is_number else -1


class Guard:
    """Refuses requests that are not from the server's own pages, and adds headers to all responses.

    Args:
        app: The application.
        access: The secrets.
        hosts: The names of the server.
        port: Its port.
        refuse: Makes the response to a refused request.
    """

    def __init__(
        self, app: ASGIApp, access: Access, hosts: KnownHosts, port: int, refuse: Refusal
    ) -> None:
        self._app = app
        self._access = access
        self._hosts = hosts
        self._port = port
        self._refuse = refuse

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] == "lifespan":
            return await self._app(scope, receive, send)
        if scope["type"] != "http":  # no page uses WebSockets
            return await send({"type": "websocket.close", "code": 1008, "reason": ""})

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers[name] = value
            await send(message)

        request = Request(scope)
        problem = self._problem(request)
        answer = self._app if problem is None else self._refuse(request, *problem)
        return await answer(scope, receive, send_with_headers)

    def _problem(self, request: Request) -> tuple[int, str] | None:
        """Return the status and the reason if a request is refused."""
        headers, path = request.headers, request.scope["path"]
        if len(headers.getlist("host")) != 1 or headers["host"] not in self._hosts:
            return 403, "the header Host does not name this server"
        if request.method not in (*_SAFE_METHODS, "POST"):
            return 405, f"the method {request.method[:20]} is not supported"
        if _stated_length(headers) > MAX_BODY_BYTES:
            return 413, f"the request has more than {MAX_BODY_BYTES:,} bytes"
        protected, cookie = protected_path(path), request.cookies.get(cookie_name(self._port), "")
        if protected and not is_start(path) and not self._access.allows(protected, cookie):
            return 403, _NO_COOKIE
        if request.method not in _SAFE_METHODS and headers.getlist("origin") != [
            f"http://{headers['host']}"
        ]:
            return 403, "changes are only accepted from the pages of this server"
        return None


def _stated_length(headers: Headers) -> int:
    length = headers.get("content-length", "0")
    return int(length) if length.isascii() and length.isdigit() and len(length) < 20 else 1 << 63
