"""SECURITY.md states every limit with its value."""

from __future__ import annotations

import ast
import importlib
import re

import pytest
from conftest import ROOT

TEXT = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| ([^|]+) \| ([^|]+) \| `xcg\.([\w.]+)\.(\w+)` \|$", TEXT, re.MULTILINE)
UNITS = {"MB": 1 << 20, "GB": 1 << 30}
LIMIT = re.compile(r"(MAX|MOST|LARGEST|LONGEST|HIGHEST)_[A-Z_]+")
NO_ERRORS = {
    "judgements.distribution.MAX_LEVELS": "more levels are grouped",
    "evaluation.curves.MOST_THRESHOLDS": "the default of an option",
    "evaluation.different_results.MOST_RESULTS": "more are kept in a temporary file",
    "formats.topic_files.LONGEST_DESCRIPTION": "descriptions and narratives are shortened",
    "formats.topic_files.LONGEST_TITLE": "titles are shortened",
    "judge.pages.LONGEST_EXCERPT": "the page shortens passages",
    "judge.settings.MAX_SEED": "limits no cost",
    "statistics.assessors.MAX_COMBINATIONS": "more are sampled",
    "statistics.topic_sets.HIGHEST_RATE": "a rate of random swaps",
    "statistics.planning.MAX_SIMULATED_TOPICS": "more are extrapolated",
    "report.gates.MAX_TOPICS": "the worst are listed",
    "report.explanations.MAX_RUNS": "the page shows the best",
    "report.explanations.MAX_MODELS": "the page shows the first",
    "report.explanations.MAX_RESULTS": "the page shows fewer",
    "report.explanations.MAX_TEXT": "the page shortens texts",
    "report.explanations.MAX_TOTAL_TEXT": "the page shortens texts",
    "report.html_page.MAX_SCORES": "the page shows fewer",
    "report.html_page.MAX_CURVE_POINTS": "the page shows fewer",
    "report.html_page.MAX_CURVE_DEPTH": "the page shows fewer",
    "report.html_statistics.MAX_COMPARISONS": "the page shows fewer",
    "report.html_statistics.MAX_LINES": "the page shows fewer",
    "report.figures.MAX_PANELS": "plots have fewer panels, with a caption",
    "report.plot_selection.MAX_STYLES": "other runs are grey in plots",
    "report.comparison_plots.MAX_MEASURES": "the plot shows fewer",
    "report.comparison_plots.MAX_MODELS": "the plot shows fewer",
    "terminal_tables.MAX_ROWS": "the number of hidden rows is stated",
    "settings.schema.MAX_SEED": "limits no cost",
    "cli.main.MAX_MESSAGE_LENGTH": "messages are shortened",
}
"""Limits that cause no input error → their effect."""


def value(text: str) -> float:
    """Return the number that a cell of the table states."""
    number, _, unit = text.partition(" ")
    return float(number.replace(",", "")) * UNITS.get(unit, 1)


@pytest.mark.parametrize(("text", "module", "name"), [row[1:] for row in ROWS])
def test_every_stated_limit_has_the_value_of_its_constant(text: str, module: str, name: str) -> None:
    assert getattr(importlib.import_module(f"xcg.{module}"), name) == value(text)


def test_every_public_limit_is_stated() -> None:
    found = set()
    for path in sorted((ROOT / "xcg").rglob("*.py")):
        module = ".".join(path.relative_to(ROOT / "xcg").with_suffix("").parts)
        for statement in ast.parse(path.read_text(encoding="utf-8")).body:
            targets = statement.targets if isinstance(statement, ast.Assign) else []
            if isinstance(statement, ast.AnnAssign):
                targets = [statement.target]
            names = [target.id for target in targets if isinstance(target, ast.Name)]
            found |= {f"{module}.{name}" for name in names if LIMIT.fullmatch(name)}
    stated = {f"{module}.{name}" for _, _, module, name in ROWS}
    assert found - NO_ERRORS.keys() == stated
