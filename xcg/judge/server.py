"""Run the web application of ``xcg judge`` until the user stops it."""

from __future__ import annotations

import errno
import os
import socket

import uvicorn
from starlette.types import ASGIApp

from xcg.errors import XcgError

DEFAULT_HOST = "127.0.0.1"
SHUTDOWN_SECONDS = 2
"""How long open connections may delay the end."""
MAX_CONNECTIONS = 200
"""Further requests get status 503."""


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens on an address.

    Args:
        host: An IP address or a name of this machine.
        port: The port; 0 for any free one.

    Raises:
        XcgError: If the address is not one of this machine, or the port is in use or reserved.
    """
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        family, kind, protocol, _, address = found[0]
        listening = socket.socket(family, kind, protocol)
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or "not a host name"
        raise XcgError(f"cannot use --host {host}: {reason}; expected {_HOSTS}") from None
    try:
        if os.name == "posix":  # so that a restart need not wait until old connections have expired
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
        listening.listen()
    except OSError as error:
        listening.close()
        raise XcgError(_reason(error, host, port)) from None
    return listening


_HOSTS = "an address of this machine, such as 127.0.0.1 or 0.0.0.0"


def _reason(error: OSError, host: str, port: int) -> str:
    """Return the message for an address on which this process cannot listen."""
    if error.errno == errno.EADDRINUSE:
        return f"port {port} is in use: name another with --port, or a free one with --port 0"
    if error.errno == errno.EACCES:
        return f"port {port} is reserved by the system: name one from 1024 with --port"
    return f"cannot use --host {host}: {error.strerror}; expected {_HOSTS}"


def serve(application: ASGIApp, listening: socket.socket) -> None:
    """Answer requests until Ctrl-C.

    Requests are not logged, because start URLs contain tokens.

    Args:
        application: The application.
        listening: A socket that listens.

    Raises:
        KeyboardInterrupt: After Ctrl-C, when the last requests are answered.
    """
    config = uvicorn.Config(
        application,
        access_log=False,
        http="h11",
        lifespan="off",
        limit_concurrency=MAX_CONNECTIONS,
        log_level="error",
        loop="asyncio",
        proxy_headers=False,
        server_header=False,
        timeout_graceful_shutdown=SHUTDOWN_SECONDS,
        ws="none",
    )
    uvicorn.Server(config).run(sockets=[listening])
