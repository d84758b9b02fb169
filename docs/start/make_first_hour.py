"""Write docs/start/first-hour.md, what the commands of a first hour print, and the first table of README.md.

Run ``python docs/start/make_first_hour.py`` in an environment with xcg. Each command runs in a terminal of 80
columns, in a folder with the sample files. The table of the README is 120 columns wide.
``--check`` compares the pages and writes nothing.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "start" / "first-hour.md"
README = ROOT / "README.md"
sys.path.insert(0, str(ROOT / "tests"))

from terminals import terminal_output  # noqa: E402 - a module of the tests

FILES = {
    "mine/docs/bees.md": "# Bees\n\nBees dance on the comb.\n\nDrones do no work.\n",
    "mine/docs/ants.md": "# Ants\n\nAnts follow trails of scent.\n\nThe queen lays all eggs.\n",
    "mine/gold.jsonl": """{"topic": "1", "doc": "bees", "exact": "Bees dance on the comb."}
{"topic": "2", "doc": "ants", "exact": "Ants follow trails of scent."}
""",
    "mine/runs/first.jsonl": """{"topic": "1", "doc": "bees", "text": "Drones do no work.", "rank": 1}
{"topic": "1", "doc": "bees", "text": "Bees dance on the comb.", "rank": 2}
{"topic": "2", "doc": "ants", "text": "Ants follow trails of scent.", "rank": 1}
""",
    "mine/runs/second.jsonl": """{"topic": "1", "doc": "bees", "text": "Bees dance on the comb.", "rank": 1}
{"topic": "2", "doc": "bees", "text": "Drones do no work.", "rank": 1}
""",
    "mine/config.yaml": """corpus: docs
assessments: gold.jsonl
runs: [runs/*.jsonl]
measures: [MAep, nxCG@10]
""",
}

TEMPLATE = """# The first hour

This page shows what the commands print in a terminal of 80 columns. [Install xcg](install.md), and run them in the folder
that `xcg samples` writes. `docs/start/make_first_hour.py` generates this page.

## Evaluate the sample campaign

$ xcg evaluate configs/quickstart.yaml --measures MAep --user-model kazai-lalmas-2006 --user-model overlap-off

The user models disagree: under the second, overlap costs nothing. `xcg list user-models overlap-off` and `xcg list measures MAep` print the
definitions, `xcg compare configs/quickstart.yaml` tests the differences, and `xcg report configs/quickstart.yaml --output
report.html` writes a report for the browser.

## Evaluate your own campaign

Documents can be XML, HTML, Markdown or plain text. Relevant passages and results can be quotes:

FILES

$ xcg check mine/config.yaml
$ xcg evaluate mine/config.yaml
$ xcg explain mine/config.yaml --run first --topic 1

## Mistakes

Messages say what is wrong, where, and what to do next. The exit status is 2.

$ xcg evaluate mine/config.yaml --measures nxCGG@10
"""


def page() -> str:
    """Return the page with the output of each command."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for sample in ("assessments", "configs", "corpora_samples"):
            (folder / sample).symlink_to(ROOT / sample)
        for path, text in FILES.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text, encoding="utf-8")
        os.environ["XCG_CACHE"] = str(folder / "cache")
        files = "".join(f"$ cat {path}\n{text}" for path, text in FILES.items())
        text = TEMPLATE.replace("FILES", f"```text\n{files}```")
        return re.sub(r"^(\$ xcg .*\n)+", lambda found: _transcript(found[0], folder), text, flags=re.M)


def _transcript(commands: str, folder: Path) -> str:
    shown = []
    for command in commands.splitlines():
        words = [sys.executable, "-m", *command.removeprefix("$ ").split()]
        output = terminal_output(words, cwd=folder)
        lines = [line.rstrip() for line in output.rstrip().splitlines()]
        shown += [command, *lines, ""]
    return "```text\n" + "\n".join(shown[:-1]) + "\n```\n"


def readme() -> str:
    """Return the README with the output of its first command."""
    text = README.read_text(encoding="utf-8")
    command = re.findall(r"\.venv/bin/(xcg .*)", text)[0]
    table = terminal_output([sys.executable, "-m", *command.split()], columns=120)
    return re.sub(r"(?<=^```text\n).*?(?=^```)", lambda _: table, text, count=1, flags=re.M | re.S)


def main() -> None:
    """Write the pages, or compare them."""
    for path, make in ((README, readme), (PAGE, page)):
        text = make()
        if "--check" not in sys.argv[1:]:
            path.write_text(text, encoding="utf-8")
        elif path.read_text(encoding="utf-8") != text:
            sys.exit(f"{path.name} is out of date: python docs/start/make_first_hour.py")


if __name__ == "__main__":
    main()
