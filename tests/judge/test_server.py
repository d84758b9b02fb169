"""Connections that do not complete a request keep nobody from being served."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from threading import Thread

import pytest
from starlette.responses import PlainTextResponse

from xcg.judge import server as server_module
from xcg.judge.server import MAX_CONNECTIONS, MAX_WAITING, listen, server_of

REQUEST = b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
SLOW = b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\n\r\n"


@pytest.fixture
def address(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[str, int]]:
    """Serve a page until the end of the test."""
    monkeypatch.setattr(server_module, "REQUEST_SECONDS", 0.4)
    server = server_of(PlainTextResponse("bees"))
    with listen("127.0.0.1", 0) as listening:
        thread = Thread(target=server.run, args=([listening],))
        thread.start()
        yield listening.getsockname()
        server.should_exit = True
        thread.join()


def answer(address: tuple[str, int]) -> bytes:
    with socket.create_connection(address, timeout=10) as client:
        client.sendall(REQUEST)
        return client.recv(4096)


@pytest.mark.parametrize("data", [b"", REQUEST[:20], SLOW, REQUEST, REQUEST + REQUEST[:20]])
def test_many_waiting_connections_of_a_client_do_not_stop_the_server(
    address: tuple[str, int], data: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server_module, "REQUEST_SECONDS", 60)
    clients = []
    with ExitStack() as stack:
        for _ in range(MAX_CONNECTIONS + 50):
            client = stack.enter_context(socket.create_connection(address, timeout=10))
            client.sendall(data)
            if data.startswith(REQUEST):
                assert client.recv(4096).startswith(b"HTTP/1.1 200")
            clients.append(client)
        assert answer(address).startswith(b"HTTP/1.1 200")
        clients[-MAX_WAITING + 2].settimeout(0.1)
        with suppress(TimeoutError):  # the youngest are open
            assert clients[-MAX_WAITING + 2].recv(4096)


@pytest.mark.parametrize("data", [b"", REQUEST[:20]])
def test_a_request_must_be_complete_in_time(address: tuple[str, int], data: bytes) -> None:
    started = time.monotonic()
    with socket.create_connection(address, timeout=20) as client:
        client.sendall(data)
        with suppress(ConnectionResetError):
            assert not client.recv(4096)
    assert 0.2 < time.monotonic() - started < 4


def test_connections_are_used_again(address: tuple[str, int]) -> None:
    with socket.create_connection(address, timeout=10) as client:
        for _ in range(3):
            client.sendall(REQUEST)
            received = b""
            while b"bees" not in received:
                received += client.recv(4096)
            time.sleep(0.25)
