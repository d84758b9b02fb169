"""A small configuration of xcg judge, and its server in a process of its own."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import httpx2
from starlette.testclient import TestClient

from xcg.judge.access import Access
from xcg.judge.application import create_application
from xcg.judge.settings import load_settings
from xcg.judge.workspace import Workspace, open_workspace
from xcg.settings.loading import stated

ROOT = Path(__file__).parent.parent
ANNA, BEN = "anna", "ben/../é ~"
"""The assessors; the second name has characters that URLs and file systems treat specially."""
PORT = 8765
DOCUMENTS: Mapping[str, str] = {
    "bees.xml": (
        "<article><title>Bees dance</title><p>Bees dance to show the way.</p>"
        "<p>They <i>waggle</i> &lt;script&gt;alert(1)&lt;/script&gt;.</p></article>"
    ),
    "sub/ants.md": "# Ants\n\nAnts follow a trail. Ants never dance.\n",
    "wasps.txt": "Wasps build nests. 𝒲asps do not dance.\n",
}
TOPICS = "id,title,narrative,castitle\n1,dance,Text about <b>dances</b>.,//sec<b>\n2/b,nests,,\n"
CONFIG = f"""corpus: docs
topics: {{files: topics.csv}}
judge:
  assessors: [{ANNA}, "{BEN}"]
  second_share: 1
"""


def write_campaign(folder: Path, config: str = CONFIG) -> Path:
    """Write documents, topics and a configuration, and return the configuration."""
    for name, text in DOCUMENTS.items():
        path = folder / "docs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    (folder / "topics.csv").write_text(TOPICS, encoding="utf-8")
    (folder / "judge.yaml").write_text(config, encoding="utf-8")
    return folder / "judge.yaml"


@contextlib.contextmanager
def opened_workspace(config: Path) -> Iterator[Workspace]:
    """Open what a configuration names, and close the store at the end."""
    workspace = open_workspace(load_settings(stated(config)))
    try:
        yield workspace
    finally:
        workspace.store.close()


class Browser:
    """Requests to the application as the browser of one assessor sends them.

    Args:
        workspace: What the application shows.
        access: The secrets of the application.
        assessor: The assessor whose start URL is opened; None for the overview.
        host: The host in URLs.
    """

    def __init__(
        self,
        workspace: Workspace,
        access: Access | None = None,
        assessor: str | None = ANNA,
        host: str = "127.0.0.1",
    ) -> None:
        self.access = access or Access(workspace.settings.assessors, bytes(32))
        self.application = create_application(workspace, self.access, "127.0.0.1", PORT)
        self.origin = f"http://{host}:{PORT}"
        self.client = TestClient(self.application, base_url=self.origin, follow_redirects=False)
        self.start = self.get(self.access.start_path(assessor))

    def get(self, path: str, **options: object) -> httpx2.Response:
        """Send a GET request."""
        return self.client.get(path, **options)  # type: ignore[arg-type]

    def post(self, path: str, record: object, **options: object) -> httpx2.Response:
        """Send a change, with the origin that a browser adds."""
        headers = {"origin": self.origin, "content-type": "application/json"}
        content = json.dumps(record)  # in ASCII, so that it can hold any text
        return self.client.post(path, content=content, headers=headers, **options)  # type: ignore[arg-type]


@contextlib.contextmanager
def running_server(
    config: Path, *options: str
) -> Iterator[tuple[dict[str, str], subprocess.Popen[str]]]:
    """Run ``xcg judge`` on a free port until the block ends.

    Returns:
        Assessor → start URL, with ``(overview)``; and the process.
    """
    command = (sys.executable, "-m", "xcg", "judge", str(config), "--port", "0", *options)
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"}
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        env=environment,
    )
    try:
        yield _start_urls(process), process
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
        try:
            process.communicate(timeout=20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()


def _start_urls(process: subprocess.Popen[str]) -> dict[str, str]:
    assert process.stdout is not None
    urls: dict[str, str] = {}
    while "(overview)" not in urls:
        line = process.stdout.readline()
        match = re.fullmatch(r"(.*?)\s+(http://\S+)\n", line)
        if match is None:
            assert process.stderr is not None
            raise AssertionError(f"{line}{process.stderr.read() if not line else ''}")
        urls[match[1]] = match[2]
    return urls


def change(version: int, operation: str, **values: object) -> Mapping[str, object]:
    """Return the record of a change."""
    return {"version": version, "operation": operation, **values}
