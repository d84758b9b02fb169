"""Files of a corpus that are not read, and links that leave its folder."""

from __future__ import annotations

import os
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest
from conftest import Command

import xcg
from xcg.documents import cache as cache_module
from xcg.documents.corpus import Corpus
from xcg.documents.sources import Folder

posix = pytest.mark.skipif(sys.platform == "win32", reason="links and FIFOs of POSIX")


@pytest.mark.parametrize("name", ["d.rst", "d.adoc"])
def test_restructuredtext_and_asciidoc_are_plain_text(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("Bees\n====\n\nThey *dance*.\n", encoding="utf-8")
    tree = Corpus(tmp_path, cache=False).tree("d")
    assert tree.text == "Bees\n====\n\nThey *dance*.\n"
    assert tree.paths[-1] == "/article[1]/sec[1]/p[1]"


@pytest.mark.parametrize("is_archive", [False, True])
def test_files_that_are_not_read_are_counted_by_type(tmp_path: Path, is_archive: bool) -> None:
    names = ["d.xml", "a.pdf", "x/b.PDF", "x/c.docx", "README", ".hidden", "x/.DS_Store"]
    folder = tmp_path / "corpus"
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("<a/>", encoding="utf-8")
    path = folder
    if is_archive:
        path = tmp_path / "corpus.zip"
        with zipfile.ZipFile(path, "w") as archive:
            for name in names:
                archive.write(folder / name, name)
    assert Corpus(path, cache=False).source.oddities() == [
        f"{path}: 1 without an extension, 1 .docx, 2 .pdf files are not read; convert those with text "
        "to .txt, .md, .html or .xml"
    ]


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE])
def test_links_in_archives_are_counted_and_not_read(tmp_path: Path, kind: bytes) -> None:
    path = tmp_path / "corpus.tar"
    with tarfile.open(path, "w") as archive:
        for name, its_kind in (("d", tarfile.DIRTYPE), ("d/a.txt", tarfile.REGTYPE), ("d/b.txt", kind)):
            member = tarfile.TarInfo(name)
            member.type, member.linkname = its_kind, "d/a.txt"
            archive.addfile(member)
    corpus = Corpus(path, cache=False)
    assert list(corpus) == ["d/a"]
    [note] = corpus.source.oddities()
    assert note.startswith(f"{path}: 1 linked or special file is not read; convert")


def test_a_folder_that_cannot_be_listed_is_noted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "lost+found").mkdir()
    (tmp_path / "d.xml").write_text("<a>one</a>", encoding="utf-8")
    scandir = os.scandir

    def refused(path: str) -> object:
        if "lost" in path:
            raise PermissionError(13, "Permission denied")
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refused)
    corpus = Corpus(tmp_path, cache=False)
    assert corpus.tree("d").text == "one"
    [note] = corpus.source.oddities()
    assert note.endswith("lost+found/: cannot list the folder: Permission denied")


@pytest.mark.parametrize("form", ["folder", "archive", "memory"])
def test_names_that_mean_elements_in_trec_files_are_noted(tmp_path: Path, form: str) -> None:
    (tmp_path / "corpus" / "d#").mkdir(parents=True)
    (tmp_path / "corpus" / "d#" / "article.xml").write_text("<article/>", encoding="utf-8")
    corpus = Corpus(tmp_path / "corpus", cache=False)
    if form == "archive":
        with zipfile.ZipFile(tmp_path / "c.zip", "w") as archive:
            archive.writestr("d#/article.xml", "<article/>")
        corpus = Corpus(tmp_path / "c.zip", cache=False)
    if form == "memory":
        corpus = Corpus.of({"d#/article.xml": "<article/>"})
    [note] = corpus.source.oddities()
    assert "TREC files cannot name documents such as 'd#/article'" in note


@posix
class TestLinks:
    @pytest.fixture
    def folder(self, tmp_path: Path) -> Path:
        folder = tmp_path / "corpus"
        (folder / "x").mkdir(parents=True)
        (folder / "x" / "d.xml").write_text("<a>inside</a>", encoding="utf-8")
        (tmp_path / "outside").mkdir()
        (tmp_path / "outside" / "s.txt").write_text("secret", encoding="utf-8")
        (folder / "inside.xml").symlink_to("x/d.xml")
        (folder / "out.txt").symlink_to(tmp_path / "outside" / "s.txt")
        (folder / "folder").symlink_to(tmp_path / "outside")
        (folder / "x" / "environ.txt").symlink_to("/proc/self/environ")
        (folder / "x" / "chain.txt").symlink_to("../out.txt")
        return folder

    def test_links_out_of_the_folder_are_not_followed(self, folder: Path) -> None:
        corpus = Corpus(folder, cache=False)
        assert list(corpus) == ["inside", "x/d"]
        assert corpus.tree("inside").text == "inside"
        for name in ("out", "folder/s", "x/environ", "x/chain"):
            assert name not in corpus
        [note] = corpus.source.oddities()
        assert note.startswith(
            f"{folder}: links out of the folder are not followed: 4, such as {folder}"
        )

    @pytest.mark.parametrize("workers", ["1", pytest.param("2", marks=pytest.mark.slow)])
    def test_the_configuration_allows_links(
        self, folder: Path, tmp_path: Path, workers: str, xcg_command: Command
    ) -> None:
        gold = '{"topic": "%s", "doc": "%s", "start": 0, "end": 6, "level": 1}\n'
        records = "".join(gold % (number, "out") for number in "12")
        (tmp_path / "gold.jsonl").write_text(records, encoding="utf-8")
        (tmp_path / "run.jsonl").write_text(records.replace('"level"', '"rank"'), encoding="utf-8")
        config = "corpus: %s\nassessments: gold.jsonl\nruns: run.jsonl\nmeasures: MAep\n"
        (tmp_path / "c.yaml").write_text(config % "corpus", encoding="utf-8")
        done = xcg_command("evaluate", "c.yaml", "--workers", workers, cwd=tmp_path)
        assert done.returncode == 2
        assert "the corpus has no document 'out'" in done.stderr
        assert "follow_links" in done.stderr
        allowed = config % "{path: corpus, follow_links: true}"
        (tmp_path / "c.yaml").write_text(allowed, encoding="utf-8")
        done = xcg_command("evaluate", "c.yaml", "--workers", workers, "--format", "csv", cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert done.stdout.splitlines()[-1].split(",")[3:4] == ["1.0"] or ",1.0" in done.stdout


def test_a_guessed_charset_is_noted_with_the_first_page(tmp_path: Path, xcg_command: Command) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.html").write_bytes("<p>Größe</p>".encode())
    (tmp_path / "docs" / "d.html").write_bytes("<p>Größe</p>".encode("cp1252"))
    gold = '{"topic": "1", "doc": "d", "start": 0, "end": 5, "level": 1}\n'
    (tmp_path / "gold.jsonl").write_text(gold, encoding="utf-8")
    (tmp_path / "run.jsonl").write_text(gold.replace("level", "rank"), encoding="utf-8")
    files = ("--assessments", "gold.jsonl", "--run", "run.jsonl", "--corpus", "docs")
    for command in ("evaluate", "check"):
        done = xcg_command(command, *files, cwd=tmp_path)
        first = f"1 time; the first: {Path('docs', 'd.html')}: declare its charset"
        assert f"not UTF-8 are read as windows-1252: {first}" in done.stderr
    (tmp_path / "docs" / "d.html").write_bytes("<p>Größe</p>".encode())
    assert "windows-1252" not in xcg_command("evaluate", *files, cwd=tmp_path).stderr


def test_entities_that_are_not_expanded_are_noted_also_from_the_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache_module, "_RECENT", -(10**15))
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "d.xml").write_text("<!DOCTYPE a SYSTEM 'a.dtd'><a>x&nbsp;y</a>", encoding="utf-8")
    (docs / "e.xml").write_text("<!DOCTYPE a [<!ENTITY s 'longer'>]><a>x&s;y</a>", encoding="utf-8")
    (docs / "f.xml").write_text("<a>x &amp; y&#160;z</a>", encoding="utf-8")
    gold = {topic: {name: [(0, 2)]} for topic, name in zip("123", "edf", strict=True)}
    run = {topic: [f"{name}#0:2" for name in files] for topic, files in gold.items()}
    for workers in (1, 1, 2):
        results = xcg.evaluate(gold, {"r": run}, str(docs), measures="SpanRecall", workers=workers)
        monkeypatch.setattr(Folder, "_read", None)  # from now on, all trees are in the cache
        (note,) = results.notes
        assert "documents with entities that are not expanded: 2 times; the first: " in note
        assert f"{Path('docs', 'e.xml')}: each reference, such as &s;, is one character" in note
