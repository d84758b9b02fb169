"""Draw docs/images/report.png, the picture of the report in the README, with Chromium.

Run ``python docs/images/make_report_image.py`` in the root of the checkout, in an environment with xcg.
The picture has the title, the means and the curves of the page in its light colours.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image

IMAGE = Path("docs/images/report.png").absolute()
WIDTH, HEIGHT = 1280, 1010
STYLE = """<style>
main > section:not([aria-labelledby=measures], [aria-labelledby=curves]) { display: none }
nav { display: none }
main { display: grid; grid-template-columns: 27rem 1fr; gap: 2rem }
</style></head>"""


def main() -> None:
    """Write the report of the sample campaign, and take its picture."""
    browser = next(filter(None, map(shutil.which, ("chromium", "google-chrome", "chrome"))), None)
    if browser is None:
        sys.exit("make_report_image: no chromium or google-chrome on PATH")
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "report.html"
        report = [sys.executable, "-m", "xcg", "report", "configs/quickstart.yaml"]
        options = ["--user-model", "kazai-lalmas-2006", "--set", "report.title=The sample campaign"]
        environment = {**os.environ, "SOURCE_DATE_EPOCH": "1795305600"}
        subprocess.run([*report, *options, "--output", page], check=True, env=environment)
        text = page.read_text(encoding="utf-8")
        page.write_text(text.replace("</head>", STYLE, 1), encoding="utf-8")
        subprocess.run(
            [
                *(browser, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"),
                *(f"--window-size={WIDTH},{HEIGHT}", f"--screenshot={IMAGE}", page.as_uri()),
            ],
            check=True,
            capture_output=True,
        )
    Image.open(IMAGE).quantize(64).save(IMAGE, optimize=True)


if __name__ == "__main__":
    main()
