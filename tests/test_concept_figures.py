"""Compare the figures of the concept pages with what their script draws."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest
from conftest import ROOT

PAGES = ROOT / "docs" / "concepts"


@pytest.mark.slow
def test_the_script_draws_the_figures_of_the_concept_pages() -> None:
    script = PAGES / "make_figures.py"
    done = subprocess.run(
        [sys.executable, script, "--check"],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={"PYTHONPATH": str(ROOT), "PATH": ""},
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_each_figure_is_on_a_page_with_a_description() -> None:
    text = "".join(page.read_text(encoding="utf-8") for page in PAGES.glob("*.md"))
    shown = re.findall(r"!\[([^\]]+)\]\(figures/([\w-]+\.svg)\)", text)
    assert sorted(name for _, name in shown) == sorted(
        path.name for path in PAGES.glob("figures/*.svg")
    )
    assert all(len(description) > 40 for description, _ in shown)


def test_figures_load_nothing_from_other_hosts() -> None:
    for path in PAGES.glob("figures/*.svg"):
        links = re.findall(r'(?:href|src)="([^"]+)"|url\(([^)]+)\)', path.read_text(encoding="utf-8"))
        assert all((link or target).startswith("#") for link, target in links), path.name
