"""Name the pages in URLs, and protect them against other users, other assessors and foreign web pages.

Browsers send requests of foreign pages to servers on the same machine, too. Therefore the rules apply
on the loopback address as well: each page needs a cookie that only the start URL sets, changes need the
origin of the server itself, and the host must be a name of this server. Without the last rule, a
foreign page could let its own name point to the address of the server (DNS rebinding).
"""

from __future__ import annotations

import hmac
import ipaddress
import re
import socket
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from urllib.parse import quote

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_ESCAPED = re.compile(r"~([0-9A-F]+)~")
HTTP_PORT = 80
"""The port of URLs that state none."""


def to_segment(name: str) -> str:
    """Return a name as one segment of a URL's path.

    Percent-encoding does not suffice: servers decode ``%2F`` before they divide the path, and browsers
    remove the segments ``.`` and ``..`` in any encoding.

    >>> to_segment("a/b c"), to_segment(".."), from_segment("a~2F~b c")
    ('a~2F~b%20c', '~2E~~2E~', 'a/b c')
    """
    is_dots = name.strip(".") == ""
    escaped = (
        f"~{ord(c):X}~" if c in "~/\\" or (is_dots and c == ".") or not c.isprintable() else c
        for c in name
    )
    return quote("".join(escaped), safe="~")


def from_segment(segment: str) -> str:
    """Return the name of a segment whose percent-encoding is already decoded."""
    return _ESCAPED.sub(_character, segment)


def _character(match: re.Match[str]) -> str:
    number = int(match[1], 16) if len(match[1]) <= 6 else -1
    return chr(number) if 0 <= number <= 0x10FFFF else match[0]


def assessor_path(assessor: str) -> str:
    """Return the path below which all pages of an assessor are."""
    return f"/assessors/{to_segment(assessor)}/"


OVERVIEW_PATH = "/overview/"
"""The path below which the pages of the organiser are."""


def topic_path(assessor: str, topic: str) -> str:
    """Return the path of the pool of a topic."""
    return f"{assessor_path(assessor)}topics/{to_segment(topic)}"


def document_path(assessor: str, topic: str, document: str) -> str:
    """Return the path of the page on which an assessor judges a document."""
    return f"{topic_path(assessor, topic)}/documents/{to_segment(document)}"


def api_path(assessor: str, topic: str, document: str) -> str:
    """Return the path under which programs read and change a judgement."""
    return f"{assessor_path(assessor)}api/topics/{to_segment(topic)}/documents/{to_segment(document)}"


def agreement_path(topic: str | None = None) -> str:
    """Return the path of the agreement on a topic, or on all topics."""
    page = f"{OVERVIEW_PATH}agreement"
    return page if topic is None else f"{page}/{to_segment(topic)}"


def differences_path(topic: str, document: str) -> str:
    """Return the path of a document with its disagreements, and below which decisions are sent."""
    return f"{agreement_path(topic)}/documents/{to_segment(document)}"


def origin(host: str, port: int) -> str:
    """Return the start of all URLs of a server.

    >>> origin("127.0.0.1", 8000), origin("::1", 80)
    ('http://127.0.0.1:8000', 'http://[::1]')
    """
    shown = f"[{host}]" if ":" in host else host
    return f"http://{shown}" + ("" if port == HTTP_PORT else f":{port}")


def is_loopback(host: str) -> bool:
    """Return whether only programs on the same machine can connect to an address.

    >>> is_loopback("127.0.0.1"), is_loopback("localhost"), is_loopback("0.0.0.0")
    (True, True, False)
    """
    if host.lower() == "localhost":
        return True
    address = to_ip_address(host)
    return address is not None and address.is_loopback


def to_ip_address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """Return the IP address that a text states; None for a name."""
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None


def shown_host(host: str) -> str:
    """Return the host in start URLs: the name of the machine if the server listens on all addresses."""
    address = to_ip_address(host)
    return socket.gethostname() if address is not None and address.is_unspecified else host


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
        self._paths = {OVERVIEW_PATH, *map(assessor_path, assessors)}
        self._secret = secret

    def _derived(self, kind: str, path: str) -> str:
        return hmac.digest(self._secret, f"{kind} {path}".encode(), "sha256").hex()

    def start_path(self, assessor: str | None = None) -> str:
        """Return the path and query of the start URL of an assessor, or of the overview."""
        path = OVERVIEW_PATH if assessor is None else assessor_path(assessor)
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
    if path.startswith(OVERVIEW_PATH):
        return OVERVIEW_PATH
    parts = path.split("/")
    if len(parts) > 3 and parts[1] == "assessors":
        return assessor_path(from_segment(parts[2]))
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
        address = to_ip_address(host)
        self._allows_addresses = address is not None and address.is_unspecified
        if is_loopback(host):
            self._names |= {"localhost", "127.0.0.1", "::1"}
        elif self._allows_addresses:
            names = (socket.gethostname(), socket.getfqdn())
            self._names |= {"localhost", *(name.lower() for name in names)}

    def __contains__(self, header: object) -> bool:
        name, port = _divided(str(header))
        if port != self._port:
            return False
        # No foreign page can take over an IP address, unlike a name.
        return name in self._names or (self._allows_addresses and to_ip_address(name) is not None)


def _divided(header: str) -> tuple[str, int]:
    """Return the name and the port in a header Host; the port -1 if it is illegal."""
    name, colon, port = header.rpartition(":")
    if not colon or port.endswith("]"):
        name, port = header, str(HTTP_PORT)
    if name.startswith("[") and name.endswith("]"):
        name = name[1:-1]
    is_number = port.isascii() and port.isdigit() and len(port) <= 5
    return name.lower(), int(port) if is_number else -1


@dataclass(frozen=True)
class Guard:
    """Refuses requests that are not from the server's own pages, and adds headers to all responses.

    Args:
        app: The application.
        access: The secrets.
        hosts: The names of the server.
        port: Its port.
        refuse: Makes the response to a refused request.
    """

    app: ASGIApp
    access: Access
    hosts: KnownHosts
    port: int
    refuse: Refusal

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers[name] = value
            await send(message)

        request = Request(scope)
        problem = self._problem(request)
        answer = self.app if problem is None else self.refuse(request, *problem)
        await answer(scope, receive, send_with_headers)

    def _problem(self, request: Request) -> tuple[int, str] | None:
        """Return the status and the reason if a request is refused."""
        headers, path = request.headers, request.scope["path"]
        if len(headers.getlist("host")) != 1 or headers["host"] not in self.hosts:
            return 403, "the header Host does not name this server"
        if request.method not in (*_SAFE_METHODS, "POST"):
            return 405, f"the method {request.method[:20]} is not supported"
        protected, cookie = protected_path(path), request.cookies.get(cookie_name(self.port), "")
        if protected and not is_start(path) and not self.access.allows(protected, cookie):
            return 403, _NO_COOKIE
        if request.method not in _SAFE_METHODS and headers.getlist("origin") != [
            f"http://{headers['host']}"
        ]:
            return 403, "changes are only accepted from the pages of this server"
        return None
