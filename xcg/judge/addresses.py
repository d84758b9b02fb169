"""Names of assessors, topics and documents in URLs, and the host names under which a server answers."""

from __future__ import annotations

import ipaddress
import re
import socket
from urllib.parse import quote

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


def to_path(document: str) -> str:
    """Return the name of a document as the end of a URL's path, with its slashes.

    >>> to_path("co/2001/r 7022")
    'co/2001/r%207022'
    """
    return "/".join(map(to_segment, document.split("/")))


def from_path(path: str) -> str:
    """Return the name of a document from the end of a URL's path."""
    return "/".join(map(from_segment, path.split("/")))


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
    return f"{topic_path(assessor, topic)}/documents/{to_path(document)}"


def api_path(assessor: str, topic: str, document: str) -> str:
    """Return the path under which programs read and change a judgement."""
    return f"{assessor_path(assessor)}api/topics/{to_segment(topic)}/documents/{to_path(document)}"


def agreement_path(topic: str | None = None) -> str:
    """Return the path of the agreement on a topic, or on all topics."""
    page = f"{OVERVIEW_PATH}agreement"
    return page if topic is None else f"{page}/{to_segment(topic)}"


def differences_path(topic: str, document: str) -> str:
    """Return the path of a document with its disagreements, and below which decisions are sent."""
    return f"{agreement_path(topic)}/documents/{to_path(document)}"


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
