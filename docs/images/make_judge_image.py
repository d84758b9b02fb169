"""Take docs/images/judge.png, the picture of ``xcg judge`` in its guide, with Chromium.

Run ``python docs/images/make_judge_image.py`` in the root of the checkout, in an environment with xcg,
its extra judge, and playwright. The picture shows a document of the handbook with highlights.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from urllib.parse import urlsplit

from PIL import Image
from playwright.sync_api import sync_playwright

IMAGE = Path("docs/images/judge.png").absolute()
SIZE = {"width": 1280, "height": 800}
TOPIC, DOCUMENT = "13", "file-formats"
CONFIGURATION = """\
corpus: {samples}/handbook
topics: {{files: {samples}/handbook-topics}}
runs: {samples}/handbook-runs
judge: {{depth: 10, assessors: [anna]}}
"""


def main() -> None:
    """Import the highlights of the first assessor, serve the page, and take its picture."""
    browser = next(filter(None, map(shutil.which, ("chromium", "google-chrome", "chrome"))), None)
    if browser is None:
        sys.exit("make_judge_image: no chromium or google-chrome on PATH")
    with tempfile.TemporaryDirectory() as folder:
        configuration, marked = Path(folder, "judge.yaml"), Path(folder, "marked.jsonl")
        samples = Path("corpora_samples").absolute()
        configuration.write_text(CONFIGURATION.format(samples=samples), encoding="utf-8")
        marked.write_text("".join(highlights()), encoding="utf-8")
        judge = [sys.executable, "-m", "xcg", "judge", str(configuration)]
        subprocess.run([*judge, "--import", str(marked)], check=True)
        with subprocess.Popen([*judge, "--port", "0"], stdout=subprocess.PIPE, text=True) as server:
            assert server.stdout is not None
            url = server.stdout.readline().split()[-1]
            try:
                take_picture(url, browser)
            finally:
                server.terminate()
    Image.open(IMAGE).quantize(128).save(IMAGE, optimize=True)


def highlights() -> list[str]:
    """Return the records of the first assessor for the document."""
    path = Path("assessments/handbook-highlights/first.jsonl")
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    return [
        line
        for line in lines
        if (json.loads(line)["topic"], json.loads(line)["doc"]) == (TOPIC, DOCUMENT)
    ]


def take_picture(start_url: str, browser: str) -> None:
    """Open the document after the start URL, go to its first highlight, and take the picture."""
    site = urlsplit(start_url)
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        page = chromium.new_page(viewport=SIZE, color_scheme="light")
        page.goto(start_url)
        page.wait_for_url(lambda url: "token" not in url)
        path = f"/assessors/anna/topics/{TOPIC}/documents/{DOCUMENT}"
        page.goto(f"{site.scheme}://{site.netloc}{path}")
        page.wait_for_selector("#highlight-list li")
        page.keyboard.press("h")
        page.wait_for_timeout(500)
        page.screenshot(path=IMAGE)
        chromium.close()


if __name__ == "__main__":
    main()
