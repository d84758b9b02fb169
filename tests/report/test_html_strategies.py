"""The section of the HTML report on overlap strategies: its data, and the page in a browser."""

from __future__ import annotations

import html
import re
from dataclasses import replace
from pathlib import Path

import pytest
from test_html_report import CHROMIUM, browse_with_self_test, page_bytes

from xcg.evaluation.inputs import Inputs
from xcg.report import html_statistics
from xcg.report.html_page import report_data
from xcg.statistics.strategy_study import study_strategies

ASSESSMENTS = {"1": {"d": {"/a": (3, 3), "/a/s[1]": (2, 3)}, "e": {"/a": (2, 2)}}}
RUNS = {"bm25": {"1": ["d#/a", "d#/a/s[1]", "e#/a"]}, "</script>": {"1": ["d#/a", "e#/a"]}}


@pytest.fixture
def inputs() -> Inputs:
    """A campaign in which top_ranked takes over from thorough at α = 4/9."""
    return Inputs(
        ASSESSMENTS,
        RUNS,
        user_model={"name": "m", "relevance_value": {"normalisation": "none"}},
        measures="xCG@2 P@10",
        strategies=["thorough", "top_ranked"],
    )


def test_the_lines_and_crossings_are_those_of_the_study(inputs: Inputs) -> None:
    data = report_data(inputs)["strategies"]
    assert data["names"] == ["thorough", "top_ranked", "oracle (greedy reference)"]
    assert data["reference"] == 2
    study = study_strategies(inputs)
    cases = {case["run"]: case for case in data["cases"]}
    assert list(cases) == list(RUNS)
    for score in study.scores:
        case = cases[score.run]
        strategy = ["thorough", "top_ranked", "oracle"].index(score.strategy)
        assert case["scores"][strategy][case["alphas"].index(score.alpha)] == score.score
    (crossing,) = cases["bm25"]["crossings"]
    assert crossing["alpha"] == pytest.approx(4 / 9, abs=0.005)
    assert (crossing["before"], crossing["after"]) == ([0], [1])
    assert cases["</script>"]["crossings"] == []


def test_a_report_without_strategies_has_no_section() -> None:
    inputs = Inputs(ASSESSMENTS, RUNS, measures="xCG@2")
    assert report_data(inputs)["strategies"] is None
    page = page_bytes(inputs).decode()
    assert '<section aria-labelledby="strategies" hidden>' in page
    assert '<li hidden><a href="#strategies">' in page


def test_measures_without_gains_are_explained() -> None:
    inputs = Inputs({"1": {"d": 1}}, {"r": {"1": ["d"]}}, measures="P@10", strategies="thorough")
    assert report_data(inputs)["strategies"] == {
        "missing": "α has no effect on P@10: expected a measure of gains, such as nxCG@10"
    }


def test_the_number_of_lines_is_limited(inputs: Inputs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(html_statistics, "MAX_LINES", 3)
    data = report_data(inputs)
    assert [case["run"] for case in data["strategies"]["cases"]] == ["bm25"]
    assert data["limits"] == [
        "To keep this file small, overlap strategies are compared for the first 1 of 2 runs, measures "
        "and user models."
    ]


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="no chromium")
def test_the_browser_shows_lines_crossings_and_distances(inputs: Inputs, tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    file.write_bytes(page_bytes(inputs))
    done = browse_with_self_test(file, tmp_path / "profile")
    page = done.stdout
    assert '<output id="selftest">selftest ok</output>' in page
    assert "CONSOLE" not in done.stderr
    section = page.partition('aria-labelledby="strategies"')[2].partition("</section>")[0]
    assert section.startswith(">")  # no longer hidden
    text = html.unescape(re.sub("<[^>]+>", " ", section))
    assert "bm25, xCG@2: thorough is best up to α = 0.447 (largest lead" in text
    assert len(re.findall("<g data-strategy=", section)) == 3
    assert len(re.findall('<line class="change"', section)) == 1
    rows = re.findall(r"<tr><th scope=\"row\">.*?</tr>", section)
    cells = [re.findall(r"<td[^>]*>(?:<strong>)?([^<]*)", row) for row in rows]
    assert [found[:3] for found in cells[:2]] == [
        ["1.9000", "1.4500", "1.0000"],
        ["1.5000", "1.5000", "1.5000"],
    ]
    assert "oracle (greedy reference)" in rows[2]


def test_oracle_is_no_best_run(inputs: Inputs) -> None:
    data = report_data(replace(inputs, strategies=["oracle", "thorough"]))
    assert [data["runs"][run] for run in data["references"]] == ["bm25+oracle", "</script>+oracle"]
    named = {line[name] for line in data["best"] for name in ("run", "second")}
    assert named == {"bm25+thorough", "</script>+thorough"}
    assert data["strategies"]["names"] == ["thorough", "oracle (greedy reference)"]


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="no chromium")
def test_the_browser_marks_oracle_as_reference_point(inputs: Inputs, tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    file.write_bytes(
        page_bytes(replace(inputs, runs={"bm25": RUNS["bm25"]}, strategies=["oracle", "unique"]))
    )
    page = browse_with_self_test(file, tmp_path / "profile").stdout
    assert '<output id="selftest">selftest ok</output>' in page
    for section in ("measures", "topics"):
        table = page.partition(f'aria-labelledby="{section}"')[2].partition("</section>")[0]
        table = table.replace("<wbr>", "")
        rows = dict(re.findall(r'<th scope="row"><bdi>([^<]*)</bdi></th>(.*?)</tr>', table))
        assert set(rows) == {"bm25+oracle (greedy reference)", "bm25+unique"}
        assert "<strong>" in rows["bm25+unique"]
        assert "<strong>" not in rows["bm25+oracle (greedy reference)"]
