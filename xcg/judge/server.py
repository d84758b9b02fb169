"""Run the web application of ``xcg judge`` until the user stops it."""

from __future__ import annotations

import asyncio
import errno
import socket

import h11
import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from xcg.errors import XcgError

SHUTDOWN_SECONDS = 2
"""How long open connections may delay the end."""
MAX_CONNECTIONS = 200
"""Further requests get status 503."""
MAX_WAITING = 50
"""Maximum number of connections of a client that wait for a request or for the rest of one."""
REQUEST_SECONDS = 10
"""A request must be complete after this time."""


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
        family, _, _, _, address = found[0]
        is_dual = family == socket.AF_INET6 and socket.has_dualstack_ipv6()
        return socket.create_server(address, family=family, dualstack_ipv6=is_dual)
    except (OSError, UnicodeError) as error:
        number = getattr(error, "errno", None)
        if number in _REASONS:
            raise XcgError(f"port {port} {_REASONS[number]}") from None
        reason = getattr(error, "strerror", None) or "not a host name"
        hosts = "an address of this machine, such as 127.0.0.1 or 0.0.0.0"
        raise XcgError(f"cannot use --host {host}: {reason}; expected {hosts}") from None


_REASONS = {
    errno.EADDRINUSE: "is in use: name another with --port, or a free one with --port 0",
    errno.EACCES: "is reserved by the system: name one from 1024 with --port",
}


class _Protocol(H11Protocol):
    """Closes connections that do not complete a request, which would keep others from being served."""

    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start the time for the first request, and close the oldest of too many connections."""
        super().connection_made(transport)
        self._timer = self.loop.call_later(REQUEST_SECONDS, transport.abort)
        client = (self.client or ("",))[0]
        waiting = [
            other
            for other in self.connections
            if isinstance(other, _Protocol) and other._waits and (other.client or ("",))[0] == client
        ]
        if len(waiting) > MAX_WAITING:
            oldest = min(waiting, key=_Protocol._deadline)
            oldest._stop_timer()
            self.connections.discard(oldest)  # the connection is lost later
            oldest.transport.abort()

    @property
    def _waits(self) -> bool:
        return self._timer is not None or (self.cycle is not None and self.cycle.response_complete)

    def _deadline(self) -> float:
        timer = self._timer or self.timeout_keep_alive_task
        return timer.when() if timer is not None else 0

    def data_received(self, data: bytes) -> None:
        """Handle data, and stop the time when the request is complete."""
        if self._timer is None:
            self._timer = self.loop.call_later(REQUEST_SECONDS, self.transport.abort)
        super().data_received(data)
        if self.conn.their_state not in (h11.IDLE, h11.SEND_BODY):
            self._stop_timer()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the time."""
        self._stop_timer()
        super().connection_lost(exc)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


def serve(application: ASGIApp, listening: socket.socket) -> None:
    """Answer requests until Ctrl-C.

    Requests are not logged, because start URLs contain tokens.

    Args:
        application: The application.
        listening: A socket that listens.

    Raises:
        KeyboardInterrupt: After Ctrl-C, when the last requests are answered.
    """
    server_of(application).run(sockets=[listening])


def server_of(application: ASGIApp) -> uvicorn.Server:
    """Return the server of an application, with limits for its connections."""
    config = uvicorn.Config(
        application,
        access_log=False,
        http=_Protocol,
        lifespan="off",
        limit_concurrency=MAX_CONNECTIONS,
        log_level="error",
        loop="asyncio",
        proxy_headers=False,
        server_header=False,
        timeout_graceful_shutdown=SHUTDOWN_SECONDS,
        ws="none",
    )
    return uvicorn.Server(config)
