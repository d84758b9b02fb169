"""Check the command that derives the sample campaign again after an edit of an article."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest
from conftest import ROOT, load_script

SCRIPT = ROOT / "corpora_samples" / "derive.py"


@pytest.fixture(scope="module")
def script() -> ModuleType:
    return load_script(SCRIPT)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Return a folder with one article and two highlights with wrong offsets."""
    article = tmp_path / "corpora_samples" / "handbook" / "one.xml"
    article.parent.mkdir(parents=True)
    article.write_text(
        '<article><p>New. Gains depend on overlap.</p><code language="console">$ xcg a\n'
        "a  0.1234\n</code></article>"
    )
    mark(tmp_path, "Gains depend on overlap.", "$ xcg a\na  0.1234\n")
    return tmp_path


def mark(folder: Path, *texts: str) -> Path:
    path = folder / "assessments" / "handbook-highlights" / "first.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    record = {"topic": "1", "doc": "one", "start": 0, "end": 3, "exhaustivity": 2}
    path.write_text("".join(json.dumps({**record, "text": text}) + "\n" for text in texts))
    return path


@pytest.mark.slow
def test_the_committed_files_are_up_to_date() -> None:
    done = subprocess.run([sys.executable, SCRIPT, "--check"], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_highlights_are_found_again(script: ModuleType, project: Path) -> None:
    derivation = script.Derivation(project)
    derivation.place_highlights([])
    path = project / "assessments" / "handbook-highlights" / "first.jsonl"
    records = [json.loads(line) for line in path.read_text().splitlines()]
    assert [(record["start"], record["end"]) for record in records] == [(5, 29), (29, 46)]
    assert {record["exhaustivity"] for record in records} == {2}


@pytest.mark.parametrize("text", ["No such text.", "Gains depend on measures."])
def test_a_lost_highlight_is_reported(script: ModuleType, project: Path, text: str) -> None:
    mark(project, "Gains depend on overlap.", text)
    with pytest.raises(SystemExit, match=r"first\.jsonl, topic 1, one: .*\n.*Nothing was written"):
        script.Derivation(project).place_highlights([])


def test_the_output_in_articles_and_highlights_is_updated(
    script: ModuleType, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    derivation = script.Derivation(project)
    monkeypatch.setattr(derivation, "output", lambda line: f"{line[4:]}  0.4321 <\n")
    changed = derivation.refresh_articles()
    derivation.place_highlights(changed)
    assert changed == [("a  0.1234\n", "a  0.4321 <\n")]
    assert "a  0.4321 &lt;\n" in (project / "corpora_samples/handbook/one.xml").read_text()
    assert "a  0.4321 <" in (project / "assessments/handbook-highlights/first.jsonl").read_text()
    assert derivation.refresh_articles() == []
