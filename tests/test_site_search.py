"""Search the built manual in Chromium: the first result answers the first questions of a user."""

from __future__ import annotations

import shutil
import subprocess
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import quote

import pytest
from lxml import html

CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
pytestmark = [pytest.mark.slow, pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium")]

ANSWERS = {
    "how do I write assessments": "howto/write-assessments",
    "which user model should I use": "howto/choose-a-user-model",
    "why is a score above 1": "howto/score-above-1",
    "why does a relevant result gain nothing": "howto/relevant-result-gains-nothing",
    "how do I evaluate chunks": "start/chunks",
    "RAG": "start/chunks",
    "which chunk size is best": "howto/chunk-sizes",
    "how do I evaluate retrieval-augmented generation": "start/chunks",
    "how do I evaluate my own collection": "howto/own-collection",
    "how do I compare two runs for significance": "howto/significance",
    "why do two measures disagree": "howto/read-scores",
    "how do I use xcg in CI": "howto/gate",
    "how do I use xcg in a pull request": "howto/gate",
    "which overlap strategy suits which user": "studies/overlap-strategies",
    "significance": "howto/significance",
    "how do I add my own measure": "howto/extending",
    "what is MAep": "concepts/effort-precision",
    "how do I cite xcg": "howto/cite",
    "how do I cite the measure": "howto/cite",
    "how do I run on a cluster": "howto/scaling",
    "how do I evaluate LangChain": "howto/frameworks",
    "which file formats for runs": "reference/formats/index",
    "what is overlap": "concepts/overlap",
    "why do precision and recall mislead": "concepts/overlap",
    "what is a user model": "concepts/user-model",
}
"""Question → the page of the first result."""


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="module")
def address(site: Path) -> Iterator[str]:
    """Serve the site on this machine."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(site)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def results(address: str, query: str, profile: Path) -> list[str]:
    """Return the pages that a search finds, first to last, with the anchors."""
    assert CHROMIUM is not None
    done = subprocess.run(
        [
            CHROMIUM,
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            f"--user-data-dir={profile}",
            "--virtual-time-budget=10000",
            "--dump-dom",
            f"{address}/search.html?q={quote(query)}",
        ],
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    links = html.fromstring(done.stdout).xpath("//ul[contains(@class, 'search')]/li/a[1]/@href")
    return [str(link).replace(".html", "") for link in links]


@pytest.mark.parametrize(("question", "page"), ANSWERS.items())
def test_the_first_result_answers_the_question(
    question: str, page: str, address: str, tmp_path: Path
) -> None:
    first = results(address, question, tmp_path)[0]
    assert first.partition("?")[0].partition("#")[0] == page


def test_a_question_without_an_answer_has_no_result(address: str, tmp_path: Path) -> None:
    assert results(address, "zymurgy", tmp_path) == []
