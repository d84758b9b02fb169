"""Greedy references in the HTML report."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from test_html_report import CHROMIUM, browse_with_self_test, page_bytes

from xcg.evaluation.inputs import Inputs
from xcg.report.html_page import report_data

ASSESSMENTS = {"1": {"d": {"/a": (3, 3), "/a/s[1]": (2, 3)}, "e": {"/a": (2, 2)}}}
RUNS = {"bm25": {"1": ["d#/a", "d#/a/s[1]", "e#/a"]}, "</script>": {"1": ["d#/a", "e#/a"]}}


@pytest.fixture
def inputs() -> Inputs:
    """A campaign of two runs."""
    return Inputs(
        ASSESSMENTS,
        RUNS,
        user_model={"name": "m", "relevance_value": {"normalisation": "none"}},
        measures="xCG@2 P@10",
        strategies=["thorough", "top_ranked"],
    )


def test_oracle_is_no_best_run(inputs: Inputs) -> None:
    data = report_data(replace(inputs, strategies=["oracle", "thorough"]))
    assert [data["runs"][run] for run in data["references"]] == ["bm25+oracle", "</script>+oracle"]
    named = {line[name] for line in data["best"] for name in ("run", "second")}
    assert named == {"bm25+thorough", "</script>+thorough"}


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
