"""Tables as papers print them, and what notebooks show."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest

import xcg
from xcg.errors import XcgError
from xcg.evaluation.explain import explain
from xcg.judgements.recall_base import RecallBase

BASE = {str(t): {"d": {"/a": (1, 1), "/a/s[1]": (3, 3), "/a/s[2]": (2, 2)}} for t in range(1, 7)}
GOOD, POOR = ["d#/a/s[1]", "d#/a/s[2]"], ["d#/a/s[2]"]
RUNS = {
    "good": dict.fromkeys(BASE, GOOD),
    "same_&": dict.fromkeys(BASE, GOOD),
    "poor": {t: POOR if t != "6" else GOOD for t in BASE},
}


def test_bold_and_daggers() -> None:
    results = xcg.evaluate(BASE, RUNS, measures="MAep ASL")
    markdown = results.to_text("markdown", mark=True, against="good")
    assert markdown.count("**1.0000**") == 2  # both best; for ASL less is better, so nothing is bold
    poor = next(line for line in markdown.splitlines() if "poor" in line)
    assert poor.count("†") == 2
    latex = results.to_text("latex", mark=True, against="good")
    assert latex.count(r"\textbf{1.0000}") == 2
    assert r"$^\dagger$" in latex
    assert r"same\_\&" in latex
    plain = results.to_text("markdown")
    assert "**" not in plain
    assert "**" not in results.to_text("table", mark=True)
    with pytest.raises(XcgError, match="no run 'god': did you mean 'good'"):
        results.to_text("latex", against="god")


def test_several_models_side_by_side() -> None:
    results = xcg.evaluate(BASE, RUNS, None, ["kazai-lalmas-2006", "overlap-off"], "MAep")
    latex = results.to_text("latex", mark=True)
    assert latex.count(r"\textbf{") == 4


class Checker(HTMLParser):
    """Counts rows and sees that tags close in order."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.rows = 0
        self.text = ""

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.open.append(tag)
        self.rows += tag == "tr"

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def shown(thing: object) -> Checker:
    checker = Checker()
    checker.feed(thing._repr_html_())  # type: ignore[attr-defined]
    assert not checker.open
    return checker


def test_what_notebooks_show() -> None:
    hostile = {"<script>alert(1)</script>": {"1": GOOD}}
    results = shown(xcg.evaluate(BASE, hostile, measures="MAep nxCG@1"))
    assert results.rows == 2
    assert "<script>alert(1)</script>" in results.text  # as text
    tree = shown(xcg.parse_document(b"<a>one<b>two</b></a>"))
    assert (tree.rows, "b[1]" in tree.text) == (3, True)
    base = shown(RecallBase.of(BASE))
    assert base.rows == 7
    (found,) = explain(BASE, {"r": {"1": POOR}}, "1")
    explanation = shown(found)
    assert explanation.rows == 2 + 2
    assert "ideal elements that were missed" in explanation.text
    many = shown(xcg.parse_document(f"<a>{'<b>x</b>' * 300}</a>".encode()))
    assert "and 101 more" in many.text
