"""The styles of a Markdown source are those of the HTML that markdown-it writes."""

from __future__ import annotations

from html.parser import HTMLParser

from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from xcg.judge.rendering import markdown_styles

STYLES = {"em": "italic", "strong": "bold", "code": "monospace", "a": "link"}
parts = ["a", "b", "é", "c d", " ", "\n", "*", "**", "_", "`", "``", "[", "]", "](u)", "> ", "- ", "# "]


class Styled(HTMLParser):
    """Collects the characters with a style, without white space and blocks of code."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.found: list[tuple[str, str]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        pass

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        classes = " ".join(sorted({STYLES[tag] for tag in self.open if tag in STYLES}))
        if classes and "pre" not in self.open:
            self.found += [(one, classes) for one in data if not one.isspace()]


@given(st.lists(st.sampled_from(parts), max_size=25).map("".join))
def test_styled_characters_are_those_of_the_html(text: str) -> None:
    page = Styled()
    page.feed(MarkdownIt("commonmark").render(text))
    page.close()
    assert page.found == [
        (one, style.classes)
        for style in markdown_styles(text)
        if style.classes != "markup"
        for one in text[style.start : style.end]
        if not one.isspace()
    ]
