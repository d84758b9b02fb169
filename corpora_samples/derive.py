"""Derive the sample campaign again after an edit of an article of the handbook.

    python corpora_samples/derive.py [--check]

The command places the highlights in the edited articles and derives from them the assessments, runs
and other samples. It then runs the commands in the articles, the README and the pages of ``docs/`` that
use the campaign, and updates their output. Commands in articles are run until nothing changes, because
their output is text that the runs retrieve. An output with ``…`` on a page of ``docs/`` is kept if it
still matches.

If the text of a highlight does not occur in the article, or occurs more than once, the highlight is
reported and nothing is written. Otherwise the command lists changed files, changed scores, and the
lines that still contain an old score: such numbers in prose, tables and tests are corrected by hand.

``--check`` writes nothing. The exit status is 1 if a file would change. All work is done in a copy, so
an error changes nothing either. Needs the extra ``xcg[samples]``.
"""

from __future__ import annotations

import argparse
import html
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from pathlib import Path

from xcg.documents.corpus import Corpus
from xcg.documents.text_search import TextIndex
from xcg.errors import XcgError

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from page_output import is_output, joined, written_examples  # noqa: E402 - a module of the tests

COPIED = ("README.md", "assessments", "configs", "corpora_samples", "docs", "tests", "benchmarks")
SAMPLES = ("assessments", "configs", "corpora_samples")
SEARCHED = (
    "README.md",
    "assessments/README.md",
    "configs",
    "docs",
    "tests",
    "corpora_samples/handbook",
)
MOST_ROUNDS = 8

_CONSOLE_OF_ARTICLE = re.compile(r'(<code language="console">)(.*?)(</code>)', re.DOTALL)
_TABLE_OF_STUDY = re.compile(r'(<code language="text">)(.*?)(</code>)', re.DOTALL)
_CONSOLE_OF_PAGE = re.compile(r"^(```console\n)(.*?)(^```)", re.MULTILINE | re.DOTALL)
_FILE_OF_PAGE = re.compile(
    r"^```\{code-block\} *\w+\n:caption: ([\w./-]+)\n+(.*?)^```",
    re.MULTILINE | re.DOTALL,
)
_TOML_OF_PAGE = re.compile(r"^```toml\n(.*?)^```", re.MULTILINE | re.DOTALL)
_USES_CAMPAIGN = re.compile(r"handbook|configs/(?!kazai|jarvelin|scheel)")
_NUMBER = re.compile(r"(?<![\w.])[-+]?\d*\.\d{3,}(?!\w)")

Output = tuple[str, str]
"""Printed text before and after."""


class Derivation:
    """Derives the campaign in a copy of the project.

    Attributes:
        root: The folder of the copy.
        outputs: All outputs that changed.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self.outputs: list[Output] = []

    def run_all(self) -> None:
        """Derive everything, until nothing changes."""
        self.place_highlights([])
        for _ in range(MOST_ROUNDS):
            self.script("make_handbook_campaign.py")
            changed = self.refresh_articles()
            self.place_highlights(changed)
            if not changed:
                break
        else:
            sys.exit(f"the printed output still changes after {MOST_ROUNDS} rounds")
        self.script("make_letor_sample.py")
        for page in sorted((self.root / "docs").rglob("*.md")):
            self.refresh_page(page)
        pages = [self.root / "README.md", self.root / "docs" / "start" / "first-hour.md"]
        before = [page.read_text(encoding="utf-8") for page in pages]
        self.python(self.root / "docs" / "start" / "make_first_hour.py")
        after = [page.read_text(encoding="utf-8") for page in pages]
        self.outputs += zip(before, after, strict=True)

    def place_highlights(self, changed: Iterable[Output]) -> None:
        """Correct the offsets of highlights and nuggets by searching for the marked text.

        Args:
            changed: Outputs that were replaced in the articles, and so in the highlights.
        """
        corpus = Corpus(self.root / "corpora_samples" / "handbook")
        lost: list[str] = []
        for path in sorted((self.root / "assessments").glob("handbook-*/*.jsonl")):
            records = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
            for record in records:
                for old, new in changed:
                    record["text"] = record["text"].replace(old, new)
                try:
                    tree = corpus.tree(record["doc"])
                    spans = TextIndex(tree.text).find(record["text"])
                    if len(spans) != 1:
                        raise XcgError(f"the text occurs {len(spans)} times: {record['text'][:60]!r}")
                    record["start"], record["end"] = spans[0]
                    record["text"] = tree.text[record["start"] : record["end"]]
                except XcgError as error:
                    lost.append(f"{path.name}, topic {record['topic']}, {record['doc']}: {error}")
            records.sort(key=lambda record: (int(record["topic"]), record["doc"], record["start"]))
            text = "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)
            path.write_text(text, encoding="utf-8")
        if lost:
            sys.exit("\n".join([*lost, "Mark these passages again. Nothing was written."]))

    def refresh_articles(self) -> list[Output]:
        """Update the output of commands in articles, and the first table of the chunking study."""
        changed: list[Output] = []
        for path in sorted((self.root / "corpora_samples" / "handbook").glob("*.xml")):
            old = path.read_text(encoding="utf-8")

            def console(block: re.Match[str]) -> str:
                text, outputs = refreshed(html.unescape(block[2]), self.output)
                changed.extend(outputs)
                return block[1] + html.escape(text, quote=False) + block[3]

            text = _CONSOLE_OF_ARTICLE.sub(console, old)
            if path.stem == "chunking-study":
                with tempfile.TemporaryDirectory() as folder:
                    table = self.script("make_chunk_study.py", "handbook", folder)
                shown = _TABLE_OF_STUDY.search(text)
                if shown is not None and html.unescape(shown[2]) != table:
                    changed.append((html.unescape(shown[2]), table))
                    escaped = html.escape(table, quote=False)
                    text = text[: shown.start(2)] + escaped + text[shown.end(2) :]
            if text != old:
                path.write_text(text, encoding="utf-8")
        self.outputs += changed
        return changed

    def refresh_page(self, page: Path) -> None:
        """Update the output of the commands on a page of ``docs/`` if one of them uses the campaign."""
        old = page.read_text(encoding="utf-8")
        files = "".join(found[2] for found in _FILE_OF_PAGE.finditer(old))
        commands = "".join(found[2] for found in _CONSOLE_OF_PAGE.finditer(old))
        if not commands or not _USES_CAMPAIGN.search(files + commands):
            return
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            write_files(old, folder, self.root)

            def console(block: re.Match[str]) -> str:
                has_notes = re.search("^xcg: ", block[2], re.MULTILINE) is not None
                text, outputs = refreshed(block[2], lambda line: self.output(line, folder, has_notes))
                self.outputs += outputs
                return block[1] + text + block[3]

            text = _CONSOLE_OF_PAGE.sub(console, old)
        if text != old:
            page.write_text(text, encoding="utf-8")

    def output(self, line: str, folder: Path | None = None, with_notes: bool = False) -> str:
        """Return what a command prints, with or without its notes."""
        words = shlex.split(line)
        if words[0] != "xcg":  # such as grep, which selects lines of the campaign
            programs = Path(sys.executable).parent
            done = subprocess.run(
                ["bash", "-c", line],
                cwd=folder or self.root,
                env={**os.environ, "PATH": f"{programs}{os.pathsep}{os.environ.get('PATH', '')}"},
                capture_output=True,
                text=True,
                check=False,
            )
            if done.returncode != 0:
                sys.exit(f"$ {line}\n{done.stderr}")
            return done.stdout
        return self.python("-m", *words, folder=folder, where=line, with_notes=with_notes)

    def script(self, name: str, *arguments: str) -> str:
        """Run a script in ``corpora_samples/``."""
        return self.python(self.root / "corpora_samples" / name, *arguments)

    def python(
        self, *words: str | Path, folder: Path | None = None, where: str = "", with_notes: bool = False
    ) -> str:
        """Run Python and return what it prints."""
        folder = folder or self.root
        paths = [folder / "packages", folder, ROOT]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, paths)), "COLUMNS": "200"}
        done = subprocess.run(
            [sys.executable, *words],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0 and not with_notes:  # notes of a page can be an error that it shows
            sys.exit(f"{where or ' '.join(map(str, words))}\n{done.stderr}")
        return done.stdout + done.stderr * with_notes


def refreshed(block: str, run: Callable[[str], str]) -> tuple[str, list[Output]]:
    """Return a console block with new output, and the outputs that changed.

    A command without output stays without.
    """
    lines, changed = [], []
    for command, old in written_examples(block):
        new = run(joined(command))
        if not old.strip() or is_output(old, new):
            new = old
        else:
            blank = old[len(old.rstrip("\n")) + 1 :]  # lines before the next command
            new = new.rstrip("\n") + "\n" + blank
            changed.append((old, new))
        lines.append(f"$ {command}\n{new}")
    return "".join(lines), changed


def write_files(page: str, folder: Path, root: Path) -> None:
    """Write the files that a page shows, and install the entry points that it declares."""
    for name in SAMPLES:
        (folder / name).symlink_to(root / name)
    for file, content in _FILE_OF_PAGE.findall(page):
        path = folder / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    for content in _TOML_OF_PAGE.findall(page):
        groups = tomllib.loads(content).get("project", {}).get("entry-points", {})
        information = folder / "packages" / "mine-1.0.dist-info"
        information.mkdir(parents=True, exist_ok=True)
        (information / "METADATA").write_text("Metadata-Version: 2.1\nName: mine\nVersion: 1.0\n")
        lines = [
            line
            for group, entries in groups.items()
            for line in (f"[{group}]", *(f"{name} = {value}" for name, value in entries.items()))
        ]
        (information / "entry_points.txt").write_text("\n".join(lines))


def changed_files(copy: Path) -> list[Path]:
    """Return the files of the copy that differ from the project, relative to it."""
    found = []
    for name in COPIED:
        top = copy / name
        for path in [top] if top.is_file() else sorted(top.rglob("*")):
            relative = path.relative_to(copy)
            if path.is_file() and "__pycache__" not in relative.parts:
                old = ROOT / relative
                if not old.exists() or old.read_bytes() != path.read_bytes():
                    found.append(relative)
    return found


def changed_scores(outputs: Iterable[Output]) -> dict[str, str]:
    """Return old score → new score, from the lines of outputs with the same number of scores."""
    found = {}
    for texts in outputs:
        for lines in zip(*(text.splitlines() for text in texts), strict=False):
            old, new = ([number.lstrip("+0") for number in _NUMBER.findall(line)] for line in lines)
            if len(old) == len(new):
                pairs = zip(old, new, strict=True)
                found.update({a: b for a, b in pairs if a != b and not _is_round(a)})
    return found


def _is_round(number: str) -> bool:
    """Return whether a number has at most two decimals, so that it occurs by coincidence."""
    return float(number) == round(float(number), 2)


def occurrences(scores: dict[str, str], root: Path) -> Iterator[str]:
    """Yield the lines of the project that contain an old score."""
    paths = chain.from_iterable(
        [root / name] if (root / name).is_file() else sorted((root / name).rglob("*.*"))
        for name in SEARCHED
    )
    for path in paths:
        if path.suffix not in {".md", ".py", ".xml", ".yaml"}:
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            for found in _NUMBER.findall(line):
                if (new := scores.get(found.lstrip("+0"))) is not None:
                    yield f"{path.relative_to(root)}:{number}: {found} (now {new})"


def main() -> int:
    """Derive the campaign, write or compare the files, and report what changed."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "--check", action="store_true", help="write nothing; status 1 if a file would change"
    )
    check = parser.parse_args().check
    with tempfile.TemporaryDirectory() as name:
        copy = Path(name)
        for item in COPIED:
            if (ROOT / item).is_dir():
                shutil.copytree(ROOT / item, copy / item)
            else:
                shutil.copy(ROOT / item, copy / item)
        derivation = Derivation(copy)
        derivation.run_all()
        files = changed_files(copy)
        for path in files:
            print(f"{'would change' if check else 'changed'}: {path}")
            if not check:
                (ROOT / path).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(copy / path, ROOT / path)
        scores = changed_scores(derivation.outputs)
        for old, new in scores.items():
            print(f"score {old} is now {new}")
        for line in occurrences(scores, copy):
            print(f"check {line}")
    return 1 if check and files else 0


if __name__ == "__main__":
    sys.exit(main())
