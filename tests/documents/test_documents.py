"""Documents become trees as an XPath user expects."""

from __future__ import annotations

import gzip
import io
import tarfile
import zipfile
from pathlib import Path
from typing import ClassVar

import pytest
from conftest import real_documents
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree
from random_cases import element_sizes, markup

from xcg.documents.corpus import Corpus
from xcg.documents.parsing import parse_document
from xcg.documents.paths import canonical_path
from xcg.documents.tree import ElementTree
from xcg.errors import InputError

PARTS = [
    *(
        "x",
        "two words",
        " ",
        "\n",
        "é",
        "\u00a0",
        "\u0085",
        "\u3000",
        "日 本",
        "<b k='v w'/>",
        "<m> y</m>",
    ),
    *(
        "<i>z</i>",
        "<q>  </q>",
        "&amp;",
        "&gt; ",
        "&#13;",
        "&#32;",
        "&#x2014;",
        "&none;",
        "<!-- c d -->",
    ),
]


def test_entities_count_one_character_and_are_not_expanded() -> None:
    tree = parse_document(
        b'<!DOCTYPE a SYSTEM "no-such.dtd" [<!ENTITY long "many words here">]><a>1 &long; &nbsp; 2</a>'
    )
    assert tree.characters.tolist() == [7]
    assert tree.text == "1 \ufffc \ufffc 2"
    assert tree.words.tolist() == [4]


@given(st.lists(st.sampled_from(PARTS), max_size=30))
def test_the_words_of_an_element_are_those_of_its_text(parts: list[str]) -> None:
    tree = parse_document(f"<!DOCTYPE a SYSTEM 'no.dtd'><a>{''.join(parts)}</a>".encode())
    texts = [tree.element_text(row) for row in range(len(tree))]
    assert tree.words.tolist() == [len(text.split()) for text in texts]


@given(markup())
def test_the_sizes_are_those_of_the_standard_librarys_parser(source: str) -> None:
    tree = parse_document(source.encode())
    assert dict(zip(tree.paths, tree.characters.tolist(), strict=True)) == element_sizes(source)


@given(markup())
def test_the_tree_of_paths_has_the_structure_of_the_document(source: str) -> None:
    tree = parse_document(source.encode())
    sparse = ElementTree.from_paths(reversed(tree.paths), element_sizes(source))
    assert set(sparse.paths) == set(tree.paths)
    for path in tree.paths:
        row, there = tree.row(path), sparse.row(path)
        above = {tree.paths[r] for r in tree.ancestors(row)}
        assert {sparse.paths[r] for r in sparse.ancestors(there)} == above
        assert sparse.characters[there] == tree.characters[row]
        assert sparse.end[there] - there == tree.end[row] - row


PLOS = real_documents("plos", "*.xml")


@pytest.mark.slow
@pytest.mark.skipif(not PLOS, reason="the PLOS articles are not beside the checkout")
def test_real_articles_resolve_by_xpath_and_have_the_sizes_of_their_string_values() -> None:
    for file in PLOS:
        data = file.read_bytes()
        tree = parse_document(data, file)
        parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
        document = etree.fromstring(data, parser)
        elements = list(document.iter("*"))
        assert len(elements) == len(tree)
        evaluate = etree.XPathEvaluator(document)
        for row, element in enumerate(elements):
            path = tree.paths[row]
            if row % 29 == 0 or row < 50:  # resolving is slow; every 29th is ten thousand elements
                steps = (
                    f'*[local-name()="{name}"][{position}'
                    for name, _, position in (s.partition("[") for s in path[1:].split("/"))
                )
                assert evaluate("/" + "/".join(steps)) == [element]
            assert tree.characters[row] == len(str(element.xpath("string()")))


@pytest.mark.parametrize(
    ("raw", "canonical"),
    [
        ("/article/bdy/sec[6]", "/article[1]/bdy[1]/sec[6]"),
        (" /article[1]/sec[ 02 ] ", "/article[1]/sec[2]"),
        ("/a:article/b:math[3]", "/article[1]/math[3]"),
    ],
)
def test_paths_have_one_spelling(raw: str, canonical: str) -> None:
    assert canonical_path(raw) == canonical
    assert canonical_path(canonical) == canonical


@pytest.mark.parametrize(
    "raw",
    ["", "/", "article[1]", "/a[0]", "/a[-1]", "//a", "/a/", "/a[x]", "/a/text()[1]", "/a/@id", "/*"],
)
def test_illegal_paths_are_refused(raw: str) -> None:
    with pytest.raises(ValueError, match="is not an element path"):
        canonical_path(raw)


def test_unknown_paths_are_told_with_the_nearest_ancestor() -> None:
    tree = parse_document(b"<a><s/><s/></a>")
    with pytest.raises(ValueError, match=r"no element /a\[1\]/s\[3\]: /a\[1\] has 2 's' child"):
        tree.row("/a[1]/s[3]")
    with pytest.raises(ValueError, match=r"/a\[1\] has 0 'd' child elements"):
        tree.row("/a[1]/d[1]/e[1]")
    with pytest.raises(ValueError, match=r"the root is /a\[1\]"):
        tree.row("/b[1]")


@pytest.mark.parametrize("data", [b"", b"<a>", b"<a></b>", b"text", b"<a>\x00</a>", b"\xff\xfe\x00"])
def test_broken_xml_names_its_place(data: bytes) -> None:
    with pytest.raises(InputError, match=r"^broken\.xml:\d+: not well-formed XML"):
        parse_document(data, "broken.xml")


def test_bombs_and_depths_are_refused_or_harmless() -> None:
    laughs = b"".join(
        b'<!ENTITY l%d "%s">' % (i, b"&l%d;" % (i - 1) * 10 if i else b"ha") for i in range(12)
    )
    bomb = b"<!DOCTYPE a [" + laughs + b"]><a>&l11;</a>"
    with pytest.raises(InputError, match=r"^[^:]*:1: too large to parse: its entities expand"):
        parse_document(bomb)
    with pytest.raises(InputError, match="too large to parse: Excessive depth"):
        parse_document(b"<a>" * 100_000 + b"</a>" * 100_000)
    external = b'<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>'
    with pytest.raises(InputError, match="the entity &x; contains elements, entities or a file"):
        parse_document(external)


class TestArchives:
    """Corpora in archives, and what archives can do to a reader."""

    FILES: ClassVar = {
        "co/1.xml": b"<a><b>x</b></a>",
        "co/2.xml.gz": gzip.compress(b"<a/>"),
        "README": b"no",
        ".xml": b"no",
        "co/.md": b"no",
    }

    def zipped(self, folder: Path, files: dict[str, bytes]) -> Path:
        path = folder / "corpus.zip"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, data in files.items():
                archive.writestr(name, data)
        return path

    def tarred(self, folder: Path, files: dict[str, bytes], mode: str = "w:gz") -> Path:
        path = folder / ("corpus.tar.gz" if mode == "w:gz" else "corpus.tar")
        with tarfile.open(path, mode) as archive:  # type: ignore[call-overload]
            for name, data in files.items():
                info = tarfile.TarInfo(name)
                info.size = len(data)
                archive.addfile(info, io.BytesIO(data))
        return path

    @pytest.mark.parametrize("name", ["../x.xml", "/etc/x.xml", "a/../../x.xml", "..\\x.xml"])
    def test_members_that_climb_out_are_refused(self, tmp_path: Path, name: str) -> None:
        for path in (self.zipped(tmp_path, {name: b"<a/>"}), self.tarred(tmp_path, {name: b"<a/>"})):
            with pytest.raises(
                InputError, match=r"illegal member: .*x' is not a document name: expected a path"
            ):
                Corpus(path)

    def test_two_members_of_one_name_are_refused(self, tmp_path: Path) -> None:
        path = self.tarred(tmp_path, {"a.xml": b"<a/>", "a.xml.gz": gzip.compress(b"<a/>")})
        with pytest.raises(InputError, match="contains the document 'a' twice"):
            Corpus(path)

    def test_bombs(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("xcg.documents.sources.LARGEST_DOCUMENT", 1 << 20)
        bomb = {"a.xml": b"<a>" + b" " * (1 << 21) + b"</a>"}
        packed = {"a.xml.gz": gzip.compress(bomb["a.xml"])}
        for path in (
            self.zipped(tmp_path, bomb),
            self.tarred(tmp_path, bomb),
            self.zipped(tmp_path, packed),
        ):
            with pytest.raises(InputError, match="the document is larger than 1 MB"):
                Corpus(path).tree("a")

    @pytest.mark.posix
    def test_link_loops_end(self, tmp_path: Path) -> None:
        (tmp_path / "a.xml").write_bytes(b"<a/>")
        (tmp_path / "loop").symlink_to(tmp_path)
        (tmp_path / "self.xml").symlink_to(tmp_path / "self.xml")
        corpus = Corpus(tmp_path)
        assert "self" not in corpus
        assert "a" in list(corpus)


class TestOtherMarkup:
    """HTML pages as documents, and other input; test_text_documents has Markdown and plain text."""

    def corpus(self, folder: Path, **files: str | bytes) -> Corpus:
        for name, text in files.items():
            stem, _, ending = name.rpartition("_")
            data = text.encode() if isinstance(text, str) else text
            (folder / f"{stem}.{ending}").write_bytes(data)
        return Corpus(folder)

    def test_html(self, tmp_path: Path) -> None:
        page = (
            "<!DOCTYPE html><meta charset=utf-8><title>T</title><h1>é</h1><p>one<p class=x>two &amp; 3"
            "<!-- no --><script>var no</script><my-tag>4</my-tag>"
        )
        tree = self.corpus(tmp_path, page_html=page).tree("page")
        assert "/html[1]/body[1]/p[2]/mytag[1]" in tree
        row = tree.row("/html[1]/body[1]/p[2]")
        assert tree.element_text(row) == "two & 34"
        assert "no" not in tree.text

    @given(st.binary(max_size=200))
    def test_any_bytes_become_a_page_or_an_error(self, data: bytes) -> None:
        from xcg.documents.markup import html_to_xml

        try:
            page = html_to_xml(data, "x")
        except InputError:
            return
        parse_document(page)
