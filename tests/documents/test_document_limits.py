"""Hostile documents end in one message, or are parsed in linear time and memory."""

from __future__ import annotations

import socket
import subprocess
import sys
from pathlib import Path

import pytest
from lxml import etree

import xcg
from xcg.documents import markup, parsing
from xcg.documents.corpus import Corpus
from xcg.documents.markup import check_markup, html_to_xml, markdown_to_xml, text_to_xml
from xcg.documents.parsing import absent_paths, parse_document, serialise
from xcg.errors import InputError, XcgError

NODES = {
    "elements": "<a>" + "<b/>" * 30 + "</a>",
    "texts": "<a>" + "<b>x</b>" * 30 + "</a>",
    "attributes": "<a " + " ".join(f"b{i}='x'" for i in range(30)) + "/>",
    "namespaces": "<a " + " ".join(f"xmlns:b{i} = 'x'" for i in range(30)) + "/>",
    "entities": "<!DOCTYPE a SYSTEM 'x'><a>" + "&e;" * 30 + "</a>",
    "declared elements": f"<!DOCTYPE a [<!ENTITY e '{'&#60;b/>' * 30}'>]><a>&e;</a>",
}


@pytest.fixture
def twenty_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("xcg.documents.markup.MOST_NODES", 20)
    for module in ("parsing", "markup"):
        monkeypatch.setattr(f"xcg.documents.{module}.SMALL", 60)


class TestNodes:
    @pytest.fixture(autouse=True)
    def _limit(self, twenty_nodes: None, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(parsing, "etree", None)  # no document is parsed

    @pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-16-be", "utf-32", "latin-1"])
    @pytest.mark.parametrize("document", NODES.values(), ids=NODES)
    def test_too_many_nodes_are_an_error_before_parsing(self, document: str, encoding: str) -> None:
        with pytest.raises(InputError, match=r"^d\.xml: the document has \d\d elements.* limit is 20:"):
            parse_document(document.encode(encoding), "d.xml")

    @pytest.mark.parametrize("encoding", ["UTF-7", "IBM037", "ebcdic-us", "UCS-4", "JAVA"])
    def test_encodings_that_hide_markup_are_refused_in_large_documents(self, encoding: str) -> None:
        declaration = f"<?xml version='1.0'{' ' * 99}encoding = \"{encoding}\"?><a/>"
        with pytest.raises(
            InputError, match=f"in the encoding {encoding.lower()}; convert it to UTF-8"
        ):
            parse_document(declaration.encode(), "d.xml")

    def test_html_pages_have_the_same_limit(self) -> None:
        with pytest.raises(InputError, match=r"the document has 30 elements"):
            html_to_xml(b"<p>" * 30, "d.html")
        late = b"<?xml version='1.0'?><p>" + b"x" * 99 + b"<META CHARSET=utf-7>"
        with pytest.raises(InputError, match="in the encoding utf-7"):
            html_to_xml(late, "d.html")

    @pytest.mark.parametrize(
        "document",
        [
            b"<a>" + b"&amp;&lt;&#233;" * 30 + b"</a>",
            b"<a>" + b"<b>" * 19 + b"</b>" * 19 + b"</a>",
            b"<a>" + b"1 = 2 " * 30 + b"</a>",
        ],
    )
    def test_references_to_characters_and_end_tags_are_not_nodes(self, document: bytes) -> None:
        check_markup(document, "d.xml")


def test_serialised_documents_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parsing, "LARGEST_SERIALISED", 99)
    with pytest.raises(
        InputError, match=r"^d\.xml: the parsed document has 127 bytes; the limit is 99"
    ):
        serialise(b"<a>" + b">" * 30 + b"</a>", "d.xml")


@pytest.mark.parametrize("data", [b"<a>" * 300, b"<a>" + b"x" * 10_000_001 + b"</a>"])
def test_limits_of_the_parser_are_explained(data: bytes) -> None:
    with pytest.raises(
        InputError, match=r"d\.xml:1: too large to parse: .* the limits are 256"
    ) as error:
        parse_document(data, "d.xml")
    assert "HUGE" not in str(error.value)


class TestConvertedDocuments:
    def test_lines_are_limited(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(markup, "MOST_LINES", 3)
        monkeypatch.setattr(markup, "MOST_MARKDOWN_LINES", 3)
        for source in (b"a\n\nb\n", b"a\r\rb\r", b"a\r\n\r\nb\r\n"):
            text_to_xml(source, "d.txt")
            with pytest.raises(InputError, match=r"^d\.txt: the document has 4 lines; the limit is 3"):
                text_to_xml(source + source[-1:], "d.txt")
            with pytest.raises(InputError, match=r"^d\.md: the document has 4 lines and table cells"):
                markdown_to_xml(source + source[-1:], "d.md")
        with pytest.raises(InputError, match=r"^d\.md: the document has 6 lines and table cells"):
            markdown_to_xml(b"|a|b|\n|-\n", "d.md")

    def test_sizes_are_limited(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(markup, "LARGEST_TEXT", 1 << 20)
        for convert in (text_to_xml, markdown_to_xml):
            with pytest.raises(InputError, match=r"^d: the document is larger than 1 MB"):
                convert(b"<" * ((1 << 20) + 1), "d")

    @pytest.mark.parametrize("noise", [b"", b"</x>" * 300])
    def test_no_part_of_a_page_is_ignored(self, noise: bytes) -> None:
        with pytest.raises(InputError, match=r"^d\.html: not HTML: elements are nested more than 256"):
            html_to_xml(b"<p>" + noise + b"<div>" * 5000 + b"text", "d.html")
        text = b"text " * 2_100_000
        assert html_to_xml(b"<p>" + noise + text + b"<p>end", "d.html").count(b"text") == 2_100_000

    def test_text_after_illegal_bytes_is_not_ignored(self) -> None:
        with pytest.raises(InputError, match=r"^d\.html: not HTML: byte \d+ is illegal in its charset"):
            html_to_xml(b"<meta charset=shift_jis>\n<p>\x81\xff</p>text", "d.html")

    def test_attributes_of_an_html_element_are_limited(self) -> None:
        names = b" ".join(b"a%d" % number for number in range(1001))
        with pytest.raises(InputError, match=r"^d\.html: not HTML: <p> has more than 1,000 attributes"):
            html_to_xml(b"<p " + names + b">", "d.html")
        assert b"<p>text</p>" in html_to_xml(b"<p " + names[:-6] + b">text", "d.html")


class TestExternalEntities:
    @pytest.mark.parametrize("name", ["xml", "html"])
    def test_no_file_is_read_and_no_server_is_asked(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
    ) -> None:
        secret = tmp_path / "secret.txt"
        secret.write_text("SECRET")
        server = socket.create_server(("127.0.0.1", 0))
        server.settimeout(0)
        url = f"http://127.0.0.1:{server.getsockname()[1]}/x.dtd"
        for target in (secret.as_uri(), str(secret), url):
            document = (
                f'<!DOCTYPE a SYSTEM "{target}" [<!ENTITY x SYSTEM "{target}">'
                f'<!ENTITY % p SYSTEM "{target}">%p;]><a xmlns:i="http://www.w3.org/2001/XInclude">'
                f'&x;<i:include href="{target}" parse="text"/></a>'
            )
            corpus = Corpus.of({f"d.{name}": document})
            if name == "xml":
                with pytest.raises(
                    InputError, match="contains elements, entities or a file, which are not read"
                ):
                    corpus.tree("d")
                corpus = Corpus.of({f"d.{name}": document.replace("&x;", "")})
            assert "SECRET" not in corpus.tree("d").text
        with pytest.raises(BlockingIOError):
            server.accept()
        server.close()


class TestLinearWork:
    @pytest.mark.parametrize("block", [1, 2, 7, 1 << 22])
    def test_blocks_do_not_change_trees(self, block: int, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(parsing, "_BLOCK", block)
        data = (
            '<!DOCTYPE a SYSTEM "x"><a é="&gt;">é𝄞 &amp; <b>two words&lt;</b>&entité;&#13; \u3000x'
            "<c/>y<d>&amp;amp; </d>z>]</a>"
        )
        tree = parse_document(data.encode())
        parser = etree.XMLParser(resolve_entities=False)
        text = "é𝄞 & two words<\ufffc\r \u3000xy&amp; z>]"
        assert tree.text == text
        assert tree.characters.tolist() == [len(text), 10, 0, 6]
        assert tree.words.tolist() == [len(text.split()), 2, 0, 1]
        assert [e.tag for e in etree.fromstring(data, parser).iter("*")] == tree.tag_names

    def test_many_paths_are_looked_up_in_a_tree(self, monkeypatch: pytest.MonkeyPatch) -> None:
        data = b"<a>" + b"<b/><c/>" * 99 + b"</a>"
        paths = [f"/a[1]/{name}[{position}]" for name in "bc" for position in range(90, 110)]
        expected = absent_paths(data, paths)
        assert expected == [path for path in paths if int(path[-4:-1].strip("[")) > 99]
        monkeypatch.setattr(parsing, "_SCANNED_BYTES", 0)
        monkeypatch.setattr(parsing, "_child", None)
        assert absent_paths(data, paths) == expected

    def test_the_paths_of_all_elements_are_bounded(self, monkeypatch: pytest.MonkeyPatch) -> None:
        tree = parse_document(b"<a><bcd><e/></bcd></a>")
        length = sum(map(len, tree.paths))
        del tree.paths
        monkeypatch.setattr("xcg.documents.tree.LONGEST_PATHS", length - 1)
        with pytest.raises(XcgError, match=f"have {length} characters; the limit is {length - 1}"):
            _ = tree.paths


@pytest.mark.skipif(sys.platform == "win32", reason="needs resource limits")
@pytest.mark.slow
def test_the_largest_documents_fit_into_four_gigabytes(tmp_path: Path) -> None:
    """Parse documents just below the limits with 4 GB of memory."""
    code = """
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, (4_000_000_000, 4_000_000_000))
from xcg.documents.parsing import parse_document
text = b"x " * 4_900_000
print(len(parse_document(b"<a>" + b"<b/>x" * 2_900_000 + b"</a>")))
print(parse_document(b"<a>" + (text + b"<b/>") * 25 + b"</a>").words[0])
"""
    run = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        cwd=Path(xcg.__file__).parent.parent,
    )
    assert run.stdout.split() == ["2900001", str(25 * 4_900_000)], run.stderr
