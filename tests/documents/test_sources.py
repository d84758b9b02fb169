"""Every document has one name, in all sources and in all files that refer to it."""

from __future__ import annotations

import io
import os
import sys
import tarfile
import zipfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest
from format_examples import write

from xcg.documents.corpus import Corpus
from xcg.documents.parsing import parse_document
from xcg.documents.paths import LONGEST_NAME, canonical_file
from xcg.documents.sources import document_name
from xcg.errors import InputError, Notes
from xcg.formats.base import read_assessments

SPELLINGS = [
    "x//d",
    "x/./d",
    "././x/d",
    "./x/d.xml",
    " x / d ",
    "x\\d",
    ".\\x\\\\d.xml.xml",
    "x/d/",
    "x/d/.",
]
"""Names of the document x/d."""
SOURCES = ["folder", "zip", "tar", "memory"]


posix = pytest.mark.skipif(sys.platform == "win32", reason="names of files, links and FIFOs of POSIX")


def source(kind: str, folder: Path, files: Mapping[str, bytes]) -> Corpus:
    """Return a corpus with these files."""
    if kind == "memory":
        return Corpus.of(files)
    path = folder / f"corpus-{kind}"
    if kind == "folder":
        if sys.platform != "linux" and not all(map(str.isascii, files)):
            pytest.skip("other systems change or refuse these names of files")
        for name, data in files.items():
            (path / name).parent.mkdir(parents=True, exist_ok=True)
            (path / name).write_bytes(data)
    elif kind == "zip":
        with zipfile.ZipFile(path, "w") as archive:
            for name, data in files.items():
                archive.writestr(name, data)
    else:
        with tarfile.open(path, "w") as tar:
            for name, data in files.items():
                info = tarfile.TarInfo(name)
                info.size = len(data)
                tar.addfile(info, io.BytesIO(data))
    return Corpus(path)


class TestNames:
    @pytest.mark.parametrize("name", SPELLINGS)
    def test_a_document_has_one_name(self, name: str) -> None:
        assert canonical_file(name) == "x/d"

    @pytest.mark.parametrize(
        "name", ["", " ", ".", "./", ".xml", "/", "/x/d", "\\x\\d", "..", "../x", "x/../d", "x\\..\\d",
                 "x/...xml", "a\nb", "a\x1bb", "a\udc80b", "x/ .. /d"],
    )  # fmt: skip
    def test_illegal_names(self, name: str) -> None:
        with pytest.raises(
            ValueError, match="is not a document name: expected a path below the corpus"
        ):
            canonical_file(name)

    def test_a_long_name(self) -> None:
        assert len(canonical_file("d" * LONGEST_NAME)) == LONGEST_NAME
        with pytest.raises(
            ValueError, match="a document name of 8193 characters: expected at most 8192"
        ):
            canonical_file("d" * (LONGEST_NAME + 1))

    def test_characters_have_one_form(self) -> None:
        assert canonical_file("e\u0301/u\u0308") == canonical_file("é/ü") == "é/ü"

    @pytest.mark.parametrize(
        ("file", "name"),
        [("x//d.xml.gz", "x/d"), ("d.xml.txt", "d"), ("x/.xml", None), ("x/ .xml", None),
         ("x\\.md", None), ("d", None), ("x.xml/d", None), ("x/.hidden.xml", None)],
    )  # fmt: skip
    def test_names_of_files(self, file: str, name: str | None) -> None:
        assert document_name(file) == name


@pytest.mark.parametrize("kind", SOURCES)
class TestEverySource:
    def test_every_name_of_a_document(self, tmp_path: Path, kind: str) -> None:
        corpus = source(kind, tmp_path, {"x/d.xml": b"<a><b>text</b></a>"})
        for name in ["x/d", *SPELLINGS]:
            assert name in corpus
            assert corpus.tree(name) is corpus.tree("x/d")
            assert corpus.length(name) == 4
        assert list(corpus) == ["x/d"]
        for name in ("X/D", "x/D", "http://x/d", "x/d/e", "x", "d", "x/d.txt", "x/d.xml.gz"):
            assert name not in corpus
            with pytest.raises(InputError, match="no such document"):
                corpus.tree(name)
        for name in ("", "/x/d", "../x/d", "x/../x/d", "x/d\n/e"):
            assert name not in corpus
            with pytest.raises(InputError, match="is not a document name"):
                corpus.tree(name)

    @pytest.mark.parametrize(
        "files", [("d.xml", "d.xml.gz"), ("d.txt", "d.xml", "d.xml.gz"), ("e\u0301.xml", "é.xml"),
                  ("d.xml", " d.xml"), ("d.xml", "d.xml.xml"), ("x/d.md", "x/d.html")],
    )  # fmt: skip
    def test_two_files_of_one_document(self, tmp_path: Path, kind: str, files: tuple[str, ...]) -> None:
        data = dict.fromkeys(files, b"<a/>")
        message = r"contains the document '(x/)?[dé]' twice"
        if kind != "folder":
            with pytest.raises(InputError, match=message):
                source(kind, tmp_path, data)
            return
        corpus = source(kind, tmp_path, {**data, "other.xml": b"<a/>"})
        assert corpus.tree("other").paths == ["/a[1]"]
        [name] = set(corpus) - {"other"}
        with pytest.raises(InputError, match=message):
            corpus.tree(name)
        with pytest.raises(InputError, match=message):
            list(corpus.missing_paths({name: ["/a[1]"]}))


class TestFolders:
    def test_two_files_of_one_document_are_named(self, tmp_path: Path) -> None:
        corpus = source("folder", tmp_path, dict.fromkeys(("d.xml", "d.xml.gz", "d.txt"), b"<a/>"))
        files = r"corpus-folder: the folder contains the document 'd' twice: d\.txt, d\.xml, d\.xml\.gz"
        for _ in range(2):
            with pytest.raises(InputError, match=files):
                corpus.tree("d")
        assert "d" in corpus
        (tmp_path / "corpus-folder" / "e.xml").write_bytes(b"<a/>")
        (tmp_path / "corpus-folder" / "e.txt").mkdir()
        assert Corpus(tmp_path / "corpus-folder").tree("e").paths == ["/a[1]"]

    def test_two_folders_of_one_name(self, tmp_path: Path) -> None:
        corpus = source("folder", tmp_path, {"e\u0301/1.xml": b"<a/>", "é/2.xml": b"<a/>"})
        for read in (lambda: corpus.tree("é/1"), lambda: list(corpus)):
            with pytest.raises(InputError, match="contains the folder 'é' twice, in two spellings"):
                read()

    @posix
    def test_files_with_illegal_names(self, tmp_path: Path) -> None:
        corpus = source("folder", tmp_path, {"a.xml": b"<a/>", "x/b\nc.xml": b"<a/>"})
        assert corpus.tree("a").paths == ["/a[1]"]
        assert list(corpus) == ["a"]
        assert "1 with an illegal name file is not read" in corpus.source.oddities()[0]

    @posix
    def test_links(self, tmp_path: Path) -> None:
        corpus = source("folder", tmp_path, {"x/d.xml": b"<a/>", "y.xml": b"<b/>"})
        folder = tmp_path / "corpus-folder"
        (folder / "link").symlink_to("x")
        (folder / "file.xml").symlink_to("y.xml")
        (folder / "y.txt").symlink_to("missing")
        assert list(corpus) == ["file", "x/d", "y"]
        assert corpus.tree("link/d").paths == ["/a[1]"]
        assert corpus.tree("y").paths == corpus.tree("file").paths == ["/b[1]"]

    @posix
    def test_a_pipe_is_not_a_document_or_a_corpus(self, tmp_path: Path) -> None:
        corpus = source("folder", tmp_path, {"a.xml": b"<a/>"})
        os.mkfifo(tmp_path / "corpus-folder" / "pipe.xml")
        assert list(corpus) == ["a"]
        assert "pipe" not in corpus
        with pytest.raises(InputError, match="no corpus: expected a folder"):
            Corpus(tmp_path / "corpus-folder" / "pipe.xml")


def test_trees_and_texts_of_one_name() -> None:
    tree = parse_document(b"<a/>")
    assert list(Corpus.of({"x//d": tree, "e": "text"})) == ["e", "x/d"]
    for documents in ({"d": tree, "d.xml": tree}, {"./d": tree, "d": "text"}):
        with pytest.raises(InputError, match="corpus: contains the document 'd' twice"):
            Corpus.of(documents)
    for name in ("../d", "", "a\nb"):
        for document in (tree, "text"):
            with pytest.raises(InputError, match=r"corpus: .* is not a document name"):
                Corpus.of({name: document})


ASSESSMENTS: dict[str, Callable[[str], str]] = {
    "trec": "1 0 {} 1\n".format,
    "trec_elements": "1 0 {}#/a[1] 1\n".format,
    "jsonl": '{{"topic": "1", "doc": "{}", "path": "/a[1]", "level": 1}}\n'.format,
    "passages": '{{"topic": "1", "doc": "{}", "start": 0, "end": 4}}\n'.format,
    "inex": (
        '<assessments topic="1">\n<file file="{}">\n<element path="/a[1]" exhaustivity="2" '
        'size="9" rsize="9"/>\n</file>\n</assessments>'
    ).format,
    "offsets": "1 Q0 {} 4 4 0 0:4\n".format,
    "letor": "1 qid:1 1:0.5 #docid = {}\n".format,
}


class TestEveryFormat:
    """All readers return canonical names."""

    def names(self, kind: str) -> Iterator[str]:
        for name in SPELLINGS:
            if kind in ("jsonl", "passages"):
                yield name.replace("\\", "\\\\")
            elif kind.startswith("inex") or " " not in name:
                yield name

    @pytest.mark.parametrize("kind", ASSESSMENTS)
    def test_assessments(self, tmp_path: Path, kind: str) -> None:
        for name in self.names(kind):
            base = read_assessments(write(tmp_path, ASSESSMENTS[kind](name), "a"), Notes())
            documents = {*base.files["1"], *base.spans.get("1", ()), *base.passages.get("1", ())}
            assert documents == {"x/d"}, name
