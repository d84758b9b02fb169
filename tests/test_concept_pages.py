"""Compare figures, tables and numbers of the concept pages with what xcg computes."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest
from conftest import ROOT, SYSTEM

import xcg
from xcg.user_model.quantisation import QUANTISATIONS

PAGES = ROOT / "docs" / "concepts"
ASSESSMENTS = ROOT / "assessments" / "kazai-lalmas-2006"
CORPUS = ROOT / "corpora_samples" / "kazai-lalmas-2006"


@pytest.mark.slow
def test_the_script_draws_the_figures_of_the_concept_pages() -> None:
    pytest.importorskip("matplotlib")
    script = PAGES / "make_figures.py"
    done = subprocess.run(
        [sys.executable, script, "--check"],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**SYSTEM, "PYTHONPATH": str(ROOT), "PATH": ""},
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


def test_the_page_on_quantisation_shows_the_functions() -> None:
    text = (PAGES / "assessments.md").read_text(encoding="utf-8")
    rows = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("|")]
    header, *scores = [row for row in rows if len(row) == 11]
    pairs = [tuple(map(int, re.findall(r"\d", pair))) for pair in header[1:]]
    shown = {row[0].strip("`"): [float(score) for score in row[1:]] for row in scores}
    assert len(pairs) == 10
    assert shown == {
        name: [QUANTISATIONS.part(name).function(e, s) for e, s in pairs]
        for name in ("strict", "gen", "sog")
    }


def test_the_value_of_the_partly_seen_section_is_the_one_computed_by_hand() -> None:
    section = "co/2001/r7022#/article[1]/bdy[1]/sec[6]"
    ranking = {"run": {"163": [f"{section}/p[1]", section, f"{section}/p[2]"]}}
    values = {}
    for normalisation in ("none", "subtree"):
        model = {"name": "m", "relevance_value": {"normalisation": normalisation}}
        campaign = xcg.load(assessments=ASSESSMENTS, runs=ranking, corpus=CORPUS, user_model=model)
        (found,) = campaign.explain(run=list(ranking), topic="163")
        values[normalisation] = [result.gain for result in found.results]
    assert values["none"] == pytest.approx([0.9, 0.9 * (160 + 189) / 627, 0])
    assert values["subtree"] == pytest.approx([0.9, 0.1, 0])
    text = (PAGES / "gain.md").read_text(encoding="utf-8")
    assert f"0.9 · (160 + 189) / 627 = {values['none'][1]:.3f}" in text


def test_the_leaves_have_the_sum_of_scores_that_the_pages_state() -> None:
    model = {"name": "m", "ideal": "max_gain"}
    ideal = xcg.load(assessments=ASSESSMENTS, corpus=CORPUS, user_model=model).ideal(topic="163")
    assert sum(element.score for element in ideal) == pytest.approx(4.75)
    for page in ("ideal-recall-base", "gain"):
        assert "4.75" in (PAGES / f"{page}.md").read_text(encoding="utf-8")


def test_all_pages_are_on_the_start_page_and_short() -> None:
    index = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    for page in PAGES.glob("*.md"):
        assert f"concepts/{page.stem}\n" in index
        assert len(page.read_text(encoding="utf-8").split()) <= 1200
