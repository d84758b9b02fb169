"""The HTML that notebooks show."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest

import xcg
from xcg.errors import InputError
from xcg.runs.run import Run
from xcg.testing import assert_retrieval

BASE = {str(t): {"d": {"/a": (1, 1), "/a/s[1]": (3, 3), "/a/s[2]": (2, 2)}} for t in range(1, 7)}
GOOD, POOR = ["d#/a/s[1]", "d#/a/s[2]"], ["d#/a/s[2]"]


class Checker(HTMLParser):
    """Counts rows, and checks that tags are closed in order."""

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


def test_notebooks_show_tables_with_escaped_texts() -> None:
    hostile = {"<script>alert(1)</script>": {"1": GOOD}}
    results = shown(xcg.evaluate(BASE, hostile, measures="MAep nxCG@1"))
    assert results.rows == 2
    assert "<script>alert(1)</script>" in results.text  # as text
    explanation = shown(xcg.load(assessments=BASE, runs={"r": {"1": POOR}}).explain(run="r", topic="1"))
    assert explanation.rows == 2 + 2 + 2  # results, missed, steps
    assert "ideal elements that were missed" in explanation.text


def is_visible(text: str) -> bool:
    return text.replace("\n", "").isprintable()


def test_texts_of_objects_have_hostile_names_escaped() -> None:
    name = "r\x1b[2J\u202e\r\ud800"
    results = xcg.evaluate(BASE, {name: {"1": GOOD}}, measures="MAep")
    assert results.runs == [name]
    assert all(is_visible(results.to_text(one)) for one in ("csv", "json", "markdown"))
    explanation = xcg.load(assessments=BASE, runs={name: {"1": POOR}}).explain(run=name, topic="1")
    texts = [repr(Run.of(name, {})), str(results), str(explanation), *results.notes]
    texts += [results._repr_html_(), explanation._repr_html_()]
    assert all(map(is_visible, texts))
    assert all(r"r\x1b[2J\u202e\r\ud800" in text for text in texts)


def test_errors_have_hostile_names_escaped() -> None:
    error = InputError("f\x1b[2J.xml", "line\nbreak")
    assert (str(error), error.where) == (r"f\x1b[2J.xml: line\nbreak", "f\x1b[2J.xml")
    with pytest.raises(AssertionError) as failed:
        assert_retrieval(BASE, {"r\x1b[2J": {"1": POOR}}, fail_under={"MAep": 1})
    assert is_visible(str(failed.value))
