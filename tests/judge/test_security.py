"""Judgements are safe from other users, other assessors and foreign pages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from judge_campaign import ANNA, BEN, PORT, Browser, change, opened_workspace, write_campaign

from xcg.documents.corpus import Corpus
from xcg.judge.access import (
    HEADERS,
    Access,
    KnownHosts,
    api_path,
    assessor_path,
    document_path,
    shown_host,
    topic_path,
)
from xcg.judge.store import Store
from xcg.judge.workspace import Workspace

API = api_path(ANNA, "1", "bees")
COOKIE = f"xcg-judge-{PORT}"
PROTECTED = (
    assessor_path(ANNA),
    topic_path(ANNA, "1"),
    document_path(ANNA, "1", "bees"),
    API,
    "/overview/",
    "/overview/agreement",
    "/overview/agreement/1",
    "/overview/agreement/1/documents/bees",
)


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    with opened_workspace(write_campaign(tmp_path_factory.mktemp("campaign"))) as workspace:
        yield workspace


@pytest.fixture
def browser(workspace: Workspace) -> Browser:
    return Browser(workspace)


def test_the_start_url_sets_a_cookie_for_this_assessor_only(browser: Browser) -> None:
    assert browser.start.status_code == 200
    assert f'content="0; url={assessor_path(ANNA)}"' in browser.start.text
    assert "token" not in browser.start.text
    cookie = browser.start.headers["set-cookie"]
    assert cookie.startswith(f"{COOKIE}=")
    attributes = {part.strip().lower() for part in cookie.split(";")[1:]}
    assert attributes == {"httponly", "samesite=strict", f"path={assessor_path(ANNA)}"}
    assert browser.get(assessor_path(ANNA)).status_code == 200


def test_the_cookie_is_not_the_token(browser: Browser) -> None:
    token = browser.access.start_path(ANNA).partition("token=")[2]
    assert token not in browser.start.headers["set-cookie"]
    assert len(token) >= 43  # 256 bits


def test_tokens_are_new_at_each_start_unless_they_are_kept(tmp_path: Path) -> None:
    paths = []
    for keep in (False, True, True, False, True):
        with Store(tmp_path / "judge.sqlite", Corpus.of({})) as store:
            paths.append(Access([ANNA], store.secret(keep=keep)).start_path(ANNA))
    assert paths[1] == paths[2]
    assert len(set(paths)) == 4  # without the key, a kept address is forgotten


@pytest.mark.parametrize("path", PROTECTED)
def test_a_page_without_its_cookie_is_refused(workspace: Workspace, path: str) -> None:
    browser = Browser(workspace)
    browser.client.cookies.clear()
    assert browser.get("/static/base.css").status_code == 200
    answer = browser.get(path)
    assert (answer.status_code, "start URL" in answer.text) == (403, True)
    for value in ("", "x", "é", browser.access.start_path(ANNA).partition("token=")[2]):
        headers = {"cookie": f"{COOKIE}={value}".encode("latin-1")}
        assert browser.get(path, headers=headers).status_code == 403


@pytest.mark.parametrize("path", ["/static/../pages.py", "/static/%2e%2e/pages.py", "/static/", "/x"])
def test_other_files_are_not_served(browser: Browser, path: str) -> None:
    assert browser.get(path).status_code == 404


@pytest.mark.parametrize("token", ["", "?token=", "?token=x", "?token=%C3%A9", "?token=%00", "?tok=1"])
def test_a_wrong_token_is_refused(browser: Browser, token: str) -> None:
    for path in (assessor_path(ANNA), assessor_path("nobody"), "/overview/"):
        answer = browser.get(f"{path}start{token}")
        assert answer.status_code == 403
        assert "set-cookie" not in answer.headers


def test_a_known_assessor_looks_like_an_unknown_one(workspace: Workspace) -> None:
    browser = Browser(workspace)
    known = browser.get(assessor_path(BEN))
    unknown = browser.get(assessor_path("nobody"))
    assert known.status_code == unknown.status_code == 403
    assert known.text == unknown.text


def test_an_assessor_sees_nothing_of_others(workspace: Workspace) -> None:
    browser = Browser(workspace)
    cookie = browser.start.headers["set-cookie"].partition(";")[0]
    for path in (
        assessor_path(BEN),
        topic_path(BEN, "1"),
        api_path(BEN, "1", "bees"),
        "/overview/",
        "/overview/agreement",
    ):
        assert browser.get(path, headers={"cookie": cookie}).status_code == 403
    pages = [browser.get(path).text for path in PROTECTED if path.startswith("/assessors")]
    assert all("é ~" not in page and "ben" not in page for page in pages)
    assert all("/overview" not in page for page in pages)
    overview = Browser(workspace, assessor=None)
    cookie = overview.start.headers["set-cookie"].partition(";")[0]
    page = overview.get("/overview/", headers={"cookie": cookie})
    assert (page.status_code, "token" in page.text) == (200, False)
    assert overview.get(assessor_path(ANNA), headers={"cookie": cookie}).status_code == 403


@pytest.mark.parametrize(
    "origin",
    [
        None,
        "null",
        "http://evil.example",
        "http://127.0.0.1:1",
        "https://127.0.0.1:8765",
        f"http://127.0.0.1:{PORT}.evil.example",
        f"http://localhost:{PORT}",
    ],
)
def test_a_change_from_another_origin_is_refused(workspace: Workspace, origin: str | None) -> None:
    browser = Browser(workspace)
    headers = {} if origin is None else {"origin": origin}
    record = change(0, "finish", finished=True)
    answer = browser.client.post(API, json=record, headers=headers)
    assert answer.status_code == 403
    assert "only accepted from the pages of this server" in answer.json()["error"]
    assert workspace.store.judgement(ANNA, "1", "bees").version == 0


@pytest.mark.parametrize(
    "host",
    [
        *("evil.example", f"evil.example:{PORT}", "127.0.0.1", "127.0.0.1:80", f"127.0.0.2:{PORT}"),
        *("", ":", f"[::1]:{PORT}x", f"localhost.:{PORT}", f"127.0.0.1:{PORT}:{PORT}", "[", "x]"),
        *(f"127.0.0.1:{PORT}@evil.example", f"evil.example@127.0.0.1:{PORT}", f"127.0.0.1:0{PORT}0"),
    ],
)
@pytest.mark.parametrize("path", [assessor_path(ANNA), "/static/base.css", "/overview/start?token=x"])
def test_another_host_is_refused(browser: Browser, host: str, path: str) -> None:
    answer = browser.get(path, headers={"host": host})
    assert answer.status_code == 403
    assert "Host" in answer.text


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "LOCALHOST", "[::1]"])
def test_every_name_of_the_loopback_address_is_accepted(browser: Browser, host: str) -> None:
    assert browser.get("/static/base.css", headers={"host": f"{host}:{PORT}"}).status_code == 200


@pytest.mark.parametrize(
    ("host", "port", "legal", "illegal"),
    [
        ("127.0.0.1", 80, "127.0.0.1 [::1] 127.0.0.1:80", "127.0.0.1:81"),
        ("192.168.0.2", 1, "192.168.0.2:1", "192.168.0.3:1 localhost:1"),
    ],
)
def test_a_server_on_one_address_has_no_other_name(
    host: str, port: int, legal: str, illegal: str
) -> None:
    hosts = KnownHosts(host, port)
    assert all(name in hosts for name in legal.split())
    assert not any(name in hosts for name in illegal.split())


def test_a_server_on_all_addresses_has_every_address_and_its_own_name(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("xcg.judge.access.socket.gethostname", lambda: "Lab")
    monkeypatch.setattr("xcg.judge.access.socket.getfqdn", lambda: "lab.example.org")
    hosts = KnownHosts("0.0.0.0", 1)
    for name in ("192.168.0.2", "[fe80::1]", "lab", "LAB.example.org", "localhost"):
        assert f"{name}:1" in hosts
    assert "evil.example:1" not in hosts
    assert shown_host("0.0.0.0") == "Lab"
    assert shown_host("192.168.0.2") == "192.168.0.2"


def test_two_host_headers_are_refused(browser: Browser) -> None:
    host = f"127.0.0.1:{PORT}"
    answer = browser.get("/static/base.css", headers=[("host", host), ("host", "evil.example")])
    assert answer.status_code == 403


@pytest.mark.parametrize(
    "path",
    [
        *(assessor_path(ANNA), document_path(ANNA, "1", "bees"), API, "/static/base.css"),
        *("/overview/", "/nothing", f"{assessor_path(ANNA)}nothing", f"{assessor_path(ANNA)}start"),
    ],
)
def test_every_response_has_the_headers(browser: Browser, path: str) -> None:
    answer = browser.get(path)
    for name, value in HEADERS.items():
        assert answer.headers[name] == value
    policy = answer.headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self'; ")
    assert "unsafe" not in policy


def test_the_response_to_an_unexpected_error_has_the_headers(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    browser = Browser(workspace)
    browser.client._transport.raise_server_exceptions = False  # type: ignore[attr-defined]

    def fail(*_: object) -> None:
        raise RuntimeError("secret detail")

    monkeypatch.setattr(workspace.store, "to_check", fail)
    answer = browser.get(assessor_path(ANNA))
    assert answer.status_code == 500
    assert answer.headers["content-security-policy"] == HEADERS["Content-Security-Policy"]
    assert "secret detail" not in answer.text


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT"])
def test_other_methods_are_refused(browser: Browser, method: str) -> None:
    assert browser.client.request(method, API).status_code == 405


def test_a_large_body_is_refused(browser: Browser) -> None:
    headers = {"origin": browser.origin, "content-type": "application/json"}
    for content in (b"x" * 70_000, iter([b"x" * 1000] * 70)):  # the second does not state its length
        answer = browser.client.post(API, content=content, headers=headers)
        assert answer.status_code == 413
        assert "65,536 bytes" in answer.json()["error"]


def test_the_text_of_documents_and_topics_is_escaped(browser: Browser) -> None:
    page = browser.get(document_path(ANNA, "1", "bees")).text
    assert "alert(1)" in page
    assert "<script>alert" not in page
    assert "<b>dances" not in page
    assert "&lt;b&gt;dances" in page
    assert "Structural hint, not evaluated: <code><bdi>//sec&lt;b&gt;</bdi></code>" in page


def test_pages_have_no_inline_script_and_no_foreign_resource(workspace: Workspace) -> None:
    browser = Browser(workspace)
    overview = Browser(workspace, browser.access, None)
    pages = [browser.get(path).text for path in PROTECTED if path.startswith("/assessors")]
    pages += [overview.get(path).text for path in PROTECTED if path.startswith("/overview")]
    for page in pages:
        for script in re.findall(r"<script[^>]*>", page):
            assert 'src="/static/' in script or 'type="application/json"' in script
        assert not re.search(r"\s(on\w+|style)=", page)
        assert not re.search(r"(src|href)=\"(?!/|data:,|#)", page)
