"""Documents as HTML pages whose text is the text of the document."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from xcg.documents.corpus import Corpus
from xcg.judge import rendering
from xcg.judge.rendering import INLINE_ROLES, MATH_NAMES, ROLES, render

ROOT = Path(__file__).parents[2]
DATA = ROOT.parent / "shared" / "data"


class Reader(HTMLParser):
    """Reads the text, the elements and the attributes of a page."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.texts: list[str] = []
        self.tags: list[str] = []
        self.attributes: set[str] = set()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes.update(name for name, _ in attrs)
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def read(html: str) -> Reader:
    reader = Reader()
    reader.feed(html)
    reader.close()
    assert not reader.open
    return reader


def html_of(document: str, name: str = "d") -> str:
    return render(Corpus.of({name: document}), "d").html


def check(corpus: Corpus, name: str) -> None:
    rendering = render(corpus, name)
    reader = read(rendering.html)
    assert "".join(reader.texts) == rendering.text == corpus.tree(name).text
    assert set(reader.tags) <= {"div", "span", "br"} | MATH_NAMES
    assert reader.attributes <= {
        "class", "role", "title", "aria-label", "aria-level", "aria-colspan", "aria-rowspan"
    }  # fmt: skip


names = st.sampled_from([*sorted(ROLES), *sorted(MATH_NAMES), "unknown", "other", "script", "style"])
texts = st.text(
    st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufffe\uffff")
    | st.sampled_from("<>&\r\n\t \u0085\u00a0\u2028\U0001f41d"),
    max_size=6,
)


def escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\r", "&#13;")


elements = st.recursive(
    texts.map(escaped),
    lambda content: st.builds(
        lambda name, parts: (
            f"<{name} onclick='x' style='y' alt='&quot;>' colspan='2'>{''.join(parts)}</{name}>"
        ),
        names,
        st.lists(content, max_size=4),
    ),
    max_leaves=25,
)


@given(st.builds(lambda name, parts: f"<{name}>{''.join(parts)}</{name}>", names, st.lists(elements)))
def test_page_has_exactly_the_text_of_any_document(document: str) -> None:
    check(Corpus.of({"d.xml": document}), "d")


@pytest.mark.slow
@given(st.text(max_size=200), st.sampled_from([".md", ".txt"]))
def test_page_has_exactly_the_text_of_markdown_and_plain_text(text: str, ending: str) -> None:
    data = text.encode(errors="ignore")
    assume(4 * data.count(b"\0") <= len(data))  # otherwise it is taken for UTF-16, and refused
    check(Corpus.of({f"d{ending}": data}), "d")


@given(st.lists(elements, max_size=3))
def test_page_has_exactly_the_text_of_html(parts: list[str]) -> None:
    check(Corpus.of({"d.html": f"<html><body><p>x</p>{''.join(parts)}</body></html>"}), "d")


@pytest.mark.slow
@pytest.mark.skipif(not DATA.is_dir(), reason="the real documents are not there")
@pytest.mark.parametrize(
    "folder", ["plos", "shakespeare", "evidence-inference/nxml", "evidence-inference/txt"]
)
def test_pages_of_real_documents_have_exactly_their_text(folder: str) -> None:
    corpus = Corpus(DATA / folder, cache=False)
    for name in corpus:
        check(corpus, name)


def test_attributes_scripts_and_markup_in_text_do_not_reach_the_page() -> None:
    page = html_of(
        "<p onclick='evil()' id='save'>&lt;script>alert(1)&lt;/script><a href='javascript:x'>link</a>"
        "<img src='http://example.org/x.png' onerror='evil()'/><script>evil()</script></p>"
    )
    assert "evil()" not in page.replace("evil()</span>", "")
    assert "javascript" not in page
    assert "example.org" not in page
    assert "<script" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page


def test_carriage_return_is_kept() -> None:
    assert html_of("<p>a&#13;\nb</p>") == '<div class="paragraph">a&#13;\nb</div>'


def test_unknown_element_is_inline_next_to_text_and_a_block_otherwise() -> None:
    page = html_of("<unknown><x>one</x> <x>two</x></unknown>")
    assert page == '<div class="block"><div class="block">one</div> <div class="block">two</div></div>'
    page = html_of("<unknown>text <x>one</x></unknown>")
    assert page == '<div class="block">text <span class="inline">one</span></div>'
    assert '<span class="inline">one</span>' in html_of("<a><p><x>one</x></p></a>")


@pytest.mark.parametrize(
    "document",
    [
        "<article><fm><ti>A</ti></fm><bdy><sec><st>B</st><ss1><st>C</st></ss1></sec></bdy></article>",
        "<article><front><article-meta><title-group><article-title>A</article-title></title-group>"
        "</article-meta></front><body><sec><title>B</title><sec><title>C</title></sec></sec></body></article>",
        "<TEI><teiHeader><fileDesc><titleStmt><title>A</title></titleStmt></fileDesc></teiHeader>"
        "<text><body><div><head>B</head><div><head>C</head></div></div></body></text></TEI>",
    ],
    ids=["IEEE", "JATS", "TEI"],
)
def test_levels_of_headings_follow_the_sections(document: str) -> None:
    page = html_of(document)
    levels = [part.split('"')[0] for part in page.split('aria-level="')[1:]]
    assert levels == ["2", "3", "4"]
    assert render(Corpus.of({"d": document}), "d").title == "A"


def test_levels_of_headings_in_html_are_those_of_their_names() -> None:
    page = html_of("<h1>A</h1><h2>B</h2><h3>C</h3>", "d.html")
    assert [part[0] for part in page.split('aria-level="')[1:]] == ["2", "3", "4"]


def test_code_of_markdown_and_paragraphs_of_plain_text_keep_their_lines() -> None:
    page = html_of("# A\n\n- one\n- two\n\n```\ncode\n  more\n```\n", "d.md")
    assert '<span class="markup"># </span>A</div>' in page
    assert '<div class="code source">```\ncode\n  more\n```</div>' in page
    assert '<div class="paragraph source">one\n  two</div>' in html_of("one\n  two", "d.txt")
    assert "source" not in html_of("<article><p>one\ntwo</p></article>", "d.xml")


def test_tables_and_lists_have_roles_for_screen_readers() -> None:
    page = html_of(
        "<table><caption>T</caption><thead><tr><th>a</th></tr></thead><tr><td>b</td></tr></table>"
    )
    for role in ("table", "rowgroup", "row", "columnheader", "cell"):
        assert f'role="{role}"' in page
    assert 'role="row"' not in html_of("<p><tr><td>b</td></tr></p>")
    assert 'role="listitem"' in html_of("<list><item>a</item></list>")
    assert "role" not in html_of("<p><item>a</item></p>")


def test_parts_without_what_their_role_needs_have_no_role() -> None:
    page = html_of("<table><tr><td>a</td></tr><tr/></table>")
    assert page.count('role="row"') == 1
    assert "role" not in html_of("<table><tbody/></table>")
    assert html_of("<list><list><item>a</item></list></list>").count('role="list"') == 1
    assert "role" not in html_of("<h1> </h1>")
    page = html_of("<p><h1>A</h1><h4>B</h4></p>", "d.html")
    assert [part[0] for part in page.split('aria-level="')[1:]] == ["2", "3"]


def test_formulas_are_mathml_and_unknown_parts_of_them_are_text() -> None:
    page = html_of(
        "<p>x <math><msub><mi>a</mi><mn>1</mn></msub><annotation>a_1</annotation><b>c</b></math></p>"
    )
    assert "<math><msub><mi>a</mi><mn>1</mn></msub><mtext>a_1</mtext><mtext>c</mtext></math>" in page


def test_every_known_name_has_one_role() -> None:
    kinds = (rendering._VOCABULARY[kind].values() for kind in ("blocks", "text", "inline"))
    names = [name for roles in kinds for of_role in roles for name in of_role]
    assert sorted(names) == sorted(ROLES)
    assert set(ROLES.values()) >= INLINE_ROLES


def test_references_to_entities_are_marked_with_their_names() -> None:
    page = html_of("<!DOCTYPE a SYSTEM 'a.dtd' [<!ENTITY e 'x'>]><a>a&nbsp;b&e;</a>", "d.xml")
    assert (
        '<span class="entity" title="&amp;nbsp;">\ufffc</span>b<span class="entity" title="&amp;e;">'
        in page
    )
    page = html_of("<!DOCTYPE a SYSTEM 'a.dtd'><a>\ufffc&nbsp;</a>", "d.xml")
    assert page.count('title="&amp;?;"') == 2  # which of them is the reference is unknown


def test_images_have_their_alternative_text_and_cells_their_spans() -> None:
    page = html_of(
        "<p>x <img src='a.png' alt='A &quot;bee&quot;'> y <img alt=''> z <img src='b.png'></p>"
        "<table><tr><td colspan='2'>a</td><td rowspan='3'>b</td><td colspan='x'>c</td></tr></table>",
        "d.html",
    )
    labels = ("A &quot;bee&quot;", "Image without description")
    assert f'<span class="image" role="img" aria-label="Image: {labels[0]}"></span>' in page
    assert f'<span class="image" role="img" aria-label="{labels[1]}"></span>' in page
    assert '<span class="image"></span>' in page  # decoration
    assert 'aria-colspan="2">a<' in page
    assert 'aria-rowspan="3">b<' in page
    assert 'role="cell">c<' in page
    page = html_of(
        "<informaltable><tgroup><colspec colname='a'/><colspec colname='b'/><tbody><row>"
        "<entry namest='a' nameend='b' morerows='1'>x</entry></row></tbody></tgroup></informaltable>"
    )
    assert 'aria-colspan="2" aria-rowspan="2">x<' in page
