"""Markdown and plain text: a document's text is the source, and its elements are lines of it."""

from __future__ import annotations

import gzip
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xcg.documents.corpus import Corpus
from xcg.documents.markup import Converter, markdown_to_xml, text_to_xml
from xcg.documents.parsing import parse_document
from xcg.documents.tree import ElementTree
from xcg.errors import InputError

CONVERTERS = [markdown_to_xml, text_to_xml]
MARKS = [
    *("#", "===", "---", "***", ">", "```", "~~~", "[a]: b", "[a]:", "<div>", "<!--", "-->", "*x*"),
    *("`", "a", "two words", "&lt;", "]]>"),
    *("# ", "## ", "###### ", "- ", "+ ", "1. ", "> ", "    ", "\t", " ", "|", "|a|b|\n|-|-|\n|c|d|\n"),
    *("\n", "\n\n", "\r\n", "\r", "é𝄞", "\u00a0", "\u2028", "\ufeff", "\\"),
    *("\x00", "\x0c", "\x1f", "\ufffe"),
]


def sources() -> st.SearchStrategy[str]:
    """Any text, and text with many marks."""
    return st.text(max_size=200) | st.lists(st.sampled_from(MARKS), max_size=40).map("".join)


def kept(source: str) -> str:
    """What a document's text is by its source: XML cannot hold most control characters."""
    source = source.removeprefix("\ufeff")
    forbidden = [chr(c) for c in range(32) if chr(c) not in "\t\n\r"] + ["\ufffe", "\uffff"]
    for character in forbidden:
        source = source.replace(character, " ")
    return source


def read(convert: Converter, source: str) -> ElementTree:
    return parse_document(convert(source.encode(), "x"))


def shape(tree: ElementTree) -> list[tuple[str, str]]:
    """Paths below the root without positions of 1, and texts."""
    paths = [path.removeprefix("/article[1]/").replace("[1]", "") for path in tree.paths[1:]]
    return [(path, tree.element_text(row)) for row, path in enumerate(paths, 1)]


@pytest.mark.parametrize("convert", CONVERTERS)
@given(source=sources())
def test_the_text_is_the_source(convert: Converter, source: str) -> None:
    tree = read(convert, source)
    assert tree.text == kept(source)
    assert tree.tag(0) == "article"


@pytest.mark.parametrize("convert", CONVERTERS)
@given(source=sources())
def test_elements_are_lines(convert: Converter, source: str) -> None:
    tree = read(convert, source)
    text, stops = tree.text, tree.stop
    for row in range(1, len(tree)):
        start, stop, above = int(tree.start[row]), int(stops[row]), int(tree.parent[row])
        assert tree.start[above] <= start < stop <= stops[above]
        assert start == 0 or text[start - 1] in "\r\n"
        assert stop == len(text) or text[stop - (tree.tag(row) == "sec")] in "\r\n"
        children = list(tree.children(row))
        for one, next_one in pairwise(children):
            assert stops[one] <= tree.start[next_one]


def test_markdown() -> None:
    source = (
        "intro *text* `code`\n\n# One\n\npara\ngraph\n\n### Deep\n- item\n  > cited\n\n- second\n\n\n"
        "Two\r\nlines\r\n---\r\n```\rx < y\r```\n\n[link]: there\n***\n"
        "# Three #\n> # quoted\n> text\nlazy\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n    indented\n\n<hr>"
    )
    tree = read(markdown_to_xml, source)
    first = source[source.index("# One") : source.index("# Three")]
    deep = source[source.index("### Deep") : source.index("Two")]
    two = source[source.index("Two") : source.index("# Three")]
    listed = "- item\n  > cited\n\n- second"
    table = "| a | b |\n|---|---|\n| 1 | 2 |"
    assert shape(tree) == [
        ("p", "intro *text* `code`"),
        ("sec", first),
        ("sec/title", "# One"),
        ("sec/p", "para\ngraph"),
        ("sec/sec", deep),
        ("sec/sec/title", "### Deep"),
        ("sec/sec/list", listed),
        ("sec/sec/list/item", "- item\n  > cited"),
        ("sec/sec/list/item/p", "- item"),
        ("sec/sec/list/item/quote", "  > cited"),
        ("sec/sec/list/item/quote/p", "  > cited"),
        ("sec/sec/list/item[2]", "- second"),
        ("sec/sec/list/item[2]/p", "- second"),
        ("sec/sec[2]", two),
        ("sec/sec[2]/title", "Two\r\nlines\r\n---"),
        ("sec/sec[2]/code", "```\rx < y\r```"),
        ("sec[2]", source[source.index("# Three") :]),
        ("sec[2]/title", "# Three #"),
        ("sec[2]/quote", "> # quoted\n> text\nlazy"),
        ("sec[2]/quote/title", "> # quoted"),
        ("sec[2]/quote/p", "> text\nlazy"),
        ("sec[2]/table", table),
        ("sec[2]/table/tr", "| a | b |"),
        ("sec[2]/table/tr[2]", "| 1 | 2 |"),
        ("sec[2]/code", "    indented"),
        ("sec[2]/code[2]", "<hr>"),
    ]


def test_plain_text() -> None:
    source = (
        "\ufefffirst\nparagraph\n---\n\f\nTitle\n=====\n- no list\n\n    no code\n## Below\r\n"
        "   Under it\r\n   -  \r\n####### none\n#none\n# \n\n===\n===\n"
    )
    tree = read(text_to_xml, source)
    text = source[1:].replace("\f", " ")
    assert tree.text == text
    title = text[text.index("Title") : text.index("# \n")]
    below = text[text.index("## Below") : text.index("   Under")]
    under = text[text.index("   Under") : text.index("# \n")]
    assert shape(tree) == [
        ("p", "first\nparagraph\n---"),
        ("sec", title),
        ("sec/title", "Title\n====="),
        ("sec/p", "- no list"),
        ("sec/p[2]", "    no code"),
        ("sec/sec", below),
        ("sec/sec/title", "## Below"),
        ("sec/sec[2]", under),
        ("sec/sec[2]/title", "   Under it\r\n   -  "),
        ("sec/sec[2]/p", "####### none\n#none"),
        ("sec[2]", "# \n\n===\n===\n"),
        ("sec[2]/title", "# "),
        ("sec[2]/p", "===\n==="),
    ]


@pytest.mark.parametrize("marks", ["> ", "- ", "1. ", "> - "])
def test_deep_nesting_is_bounded(marks: str) -> None:
    source = marks * 300 + "deep\n\n# Behind\n"
    tree = read(markdown_to_xml, source)
    assert tree.text == source
    assert max(tree.depth) < 30


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("<div>B</div><div>café</div>", "B\ncafé"),
        ("one<b>two</b><br>three <p>four<ul><li>five<li>six", "onetwo\nthree four\nfive\nsix"),
        ("<p>one</p>\n<p>two</p><p></p>", "one\ntwo"),
    ],
)
def test_blocks_of_a_page_divide_words(page: str, text: str) -> None:
    assert Corpus.of({"d.html": page}).tree("d").text == text


class TestInMemory:
    @pytest.mark.parametrize("text", ["", " ", "\ufeff"])
    def test_an_empty_text_is_a_document_without_words(self, text: str) -> None:
        tree = Corpus.of({"d": text}).tree("d")
        assert (tree.paths, tree.text.strip()) == (["/article[1]"], "")

    def test_what_begins_like_no_xml_is_plain_text(self) -> None:
        corpus = Corpus.of(
            {
                "bees": "Bees dance.\n\nThey & theirs",
                "octets": "\n é <\n".encode(),
                "xml": "\ufeff\n <a>x</a>",
                "wide": "<a>é</a>".encode("utf-16"),
                "v1.2": "# Ants",
            }
        )
        assert list(corpus) == ["bees", "octets", "v1.2", "wide", "xml"]
        assert shape(corpus.tree("bees")) == [("p", "Bees dance."), ("p[2]", "They & theirs")]
        assert corpus.tree("octets").text == "\n é <\n"
        assert (corpus.tree("xml").text, corpus.tree("wide").text) == ("x", "é")
        assert "/article[1]/sec[1]" in corpus.tree("v1.2")
        assert [*corpus.missing_paths({"bees": ["/article[1]/p[2]", "/article[1]/p[3]"]})] == [
            ("bees", ["/article[1]/p[3]"])
        ]

    def test_endings_say_what_a_document_is(self) -> None:
        corpus = Corpus.of(
            {
                "notes/a.md": "- <b>",
                "b.txt": "<a/>",
                "c.html": "<meta charset=latin-1><p>é<p>two",
                "d.xml": "<a/>",
                "e.txt.gz": gzip.compress(b"packed"),
                "f.md": "",
            }
        )
        assert list(corpus) == ["b", "c", "d", "e", "f", "notes/a"]
        assert "/article[1]/list[1]/item[1]" in corpus.tree("notes/a")
        assert shape(corpus.tree("b")) == [("p", "<a/>")]
        page = corpus.tree("c")
        assert page.element_text(page.row("/html[1]/body[1]/p[1]")) == "é"
        assert corpus.tree("d").paths == ["/a[1]"]
        assert corpus.tree("e").text == "packed"
        assert len(corpus.tree("f")) == 1

    @pytest.mark.parametrize(
        ("name", "document", "message"),
        [
            ("a.xml", "text", r"^a\.xml:1: not well-formed XML"),
            ("a", "x\ud800", r"^a: not UTF-8 text"),
            ("a.md", b"\xff", r"^a\.md: not UTF-8 text"),
            ("a.html", "", r"^a\.html: not HTML"),
            ("a.md.gz", b"\x1f\x8b\x08", r"^a\.md\.gz: cannot read the document"),
        ],
    )
    def test_what_is_none(self, name: str, document: str | bytes, message: str) -> None:
        with pytest.raises(InputError, match=message):
            Corpus.of({name: document}).tree("a")

    def test_what_is_refused(self) -> None:
        with pytest.raises(InputError, match="contains the document 'a' twice"):
            Corpus.of({"a.md": "x", "a.txt": "x"})
        with pytest.raises(InputError, match="the document is a int: expected text, bytes or a tree"):
            Corpus.of({"a": 3})  # type: ignore[dict-item]
