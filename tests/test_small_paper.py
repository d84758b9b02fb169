"""The small paper in the manual: its files, length, and conclusions from the scores of topics."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("matplotlib")
stats = pytest.importorskip("scipy.stats")
PAPER = Path("docs/studies/paper")
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def script() -> Any:
    spec = importlib.util.spec_from_file_location("make_paper", PAPER / "make_paper.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_script_writes_the_paper(script: Any, tmp_path: Path) -> None:
    script.write(tmp_path)
    for name in ("paper.md", "paper.tex", "paper.bib"):
        assert (tmp_path / name).read_text() == (PAPER / name).read_text(), "run make_paper.py"
    if shutil.which("pdflatex") is None or shutil.which("bibtex") is None:
        pytest.skip("needs LaTeX")
    for program in ("pdflatex", "bibtex", "pdflatex", "pdflatex"):
        options = ["-interaction=nonstopmode", "-halt-on-error"] * (program == "pdflatex")
        done = subprocess.run([program, *options, "paper"], cwd=tmp_path, capture_output=True)
        assert done.returncode == 0, done.stdout[-2000:]
    log = (tmp_path / "paper.log").read_text(encoding="latin-1")
    assert "Output written on paper.pdf (4 pages" in log
    for problem in ("undefined", "multiply defined", "Overfull"):
        assert problem not in log


def holm(p_values: dict[str, float]) -> dict[str, float]:
    adjusted, largest = {}, 0.0
    for index, name in enumerate(sorted(p_values, key=p_values.__getitem__)):
        largest = max(largest, min(1.0, (len(p_values) - index) * p_values[name]))
        adjusted[name] = largest
    return adjusted


def test_the_conclusions_hold_for_the_scores_of_topics(script: Any) -> None:
    """Means and t tests are computed here, from the scores of topics only."""
    own = script.campaign()
    scores: dict[str, dict[str, list[float]]] = {}
    for row in own.evaluate():
        if row.topic != "all":
            strategy = row.run.removeprefix("bm25+")
            scores.setdefault(row.user_model, {}).setdefault(strategy, []).append(row.value)
    means = {m: {s: sum(v) / len(v) for s, v in runs.items()} for m, runs in scores.items()}
    against = {
        model: holm(
            {s: stats.ttest_rel(v, runs["thorough"]).pvalue for s, v in runs.items() if s != "thorough"}
        )
        for model, runs in scores.items()
    }
    better = {
        m: {s for s, p in found.items() if p < 0.05 and means[m][s] > means[m]["thorough"]}
        for m, found in against.items()
    }
    worse = {
        m: {s for s, p in found.items() if p < 0.05 and means[m][s] < means[m]["thorough"]}
        for m, found in against.items()
    }
    assert list(scores) == [f"{name}[alpha={alpha}]" for name in ("sog", "gen") for alpha in (0, 1)]
    conclusions = script.conclusions(own)
    assert len(conclusions) == 6
    for name in ("sog", "gen"):
        tolerant, rejecting = means[f"{name}[alpha=0]"], means[f"{name}[alpha=1]"]
        assert rejecting["thorough"] < tolerant["thorough"]
        for strategy in ("top_ranked", "outermost", "innermost", "max_score"):
            assert rejecting[strategy] == pytest.approx(tolerant[strategy], abs=1e-12)
        assert better[f"{name}[alpha=0]"] == set()
        assert {"top_ranked", "controlled"} <= better[f"{name}[alpha=1]"]
    assert {max(own, key=own.__getitem__) for own in means.values()} == {"top_ranked"}
    assert {m for m, found in worse.items() if "outermost" in found} == {"sog[alpha=0]", "sog[alpha=1]"}
    for runs in scores.values():  # uncorrected, so not significant by any correction either
        assert stats.ttest_rel(runs["top_ranked"], runs["innermost"]).pvalue > 0.05
