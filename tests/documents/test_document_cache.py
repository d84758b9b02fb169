"""The document cache: equal results, changed files, damage, limits, locks and several processes."""

from __future__ import annotations

import os
import random
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from conftest import ROOT
from hypothesis import given
from hypothesis import strategies as st
from random_cases import markup

from xcg.documents import cache as cache_module
from xcg.documents.cache import FILE_NAME
from xcg.documents.corpus import Corpus, open_cache
from xcg.documents.parsing import absent_paths, parse_document, serialise
from xcg.documents.tree import ElementTree
from xcg.errors import InputError

COLUMNS = ("tag_codes", "parent", "end", "depth", "start", "characters", "words", "positions")
DOCUMENTS = {
    "a": b"<a>one <b>two</b><b> three</b></a>",
    "co/1": "<r\u00e9sum\u00e9 xmlns:m='m'><m:x/>\u4e2d <m:x>&amp; y</m:x></r\u00e9sum\u00e9>".encode(),
    "co/2": b"<a><much-longer-name k='v'>t</much-longer-name><longest/><eight888/></a>",
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of an own cache that also stores files just written."""
    monkeypatch.setenv("XCG_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(cache_module, "_RECENT", -(10**15))
    return tmp_path / "cache"


def database(folder: Path) -> sqlite3.Connection:
    return sqlite3.connect(folder / FILE_NAME)


def count(folder: Path) -> int:
    with closing(database(folder)) as connection:
        return int(connection.execute("SELECT count(*) FROM entries").fetchone()[0])


@pytest.fixture
def documents(tmp_path: Path) -> Path:
    for name, data in DOCUMENTS.items():
        path = tmp_path / "documents" / f"{name}.xml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return tmp_path / "documents"


@pytest.fixture
def work(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return a list to which every parsed document is added."""
    done: list[str] = []

    def watched(data: bytes, name: object = "") -> bytes:
        done.append(Path(str(name)).stem)
        return serialise(data, name)

    def looked_into(data: bytes, paths: Sequence[str], name: object = "") -> list[str]:
        done.append(Path(str(name)).stem)
        return absent_paths(data, paths, name)

    monkeypatch.setattr("xcg.documents.corpus.serialise", watched)
    monkeypatch.setattr("xcg.documents.corpus.absent_paths", looked_into)
    return done


def assert_same(one: ElementTree, other: ElementTree) -> None:
    assert one.tag_names == other.tag_names
    assert one.paths == other.paths
    for column in COLUMNS:
        values = getattr(one, column)
        assert values.dtype == np.int64
        assert values.tolist() == getattr(other, column).tolist(), column
    assert one.text == other.text


def all_trees(corpus: Corpus) -> dict[str, ElementTree]:
    trees = {name: corpus.tree(name) for name in corpus}
    corpus.write_cache()
    return trees


def missing(path: Path, *, cache: bool = True) -> list[tuple[str, list[str]]]:
    asked = {"a": ["/a[1]/b[2]", "/a[1]/b[3]", "/b[1]"], "co/2": ["/a[1]/longest[1]", "/a[1]/x[1]"]}
    corpus = Corpus(path, cache=cache)
    found = list(corpus.missing_paths(asked))
    corpus.write_cache()
    return found


MISSING = [("a", ["/a[1]/b[3]", "/b[1]"]), ("co/2", ["/a[1]/x[1]"])]


@given(st.lists(markup(), min_size=1, max_size=4))
def test_trees_are_the_same_from_the_cache(sources: list[str]) -> None:
    folder = Path(os.environ["XCG_CACHE"]) / "many"
    folder.mkdir(exist_ok=True)
    for number, source in enumerate(sources):
        (folder / f"{number}.xml").write_text(source, encoding="utf-8")
    names = [str(number) for number in range(len(sources))]
    for _ in range(2):
        corpus = Corpus(folder)
        for name in names:
            assert_same(corpus.tree(name), parse_document((folder / f"{name}.xml").read_bytes()))
        asked = {name: [*corpus.tree(name).paths, "/s[1]/p[99]"] for name in names}
        again = Corpus(folder)
        assert list(again.missing_paths(asked)) == [(name, ["/s[1]/p[99]"]) for name in names]
        del corpus, again


def test_the_second_time_nothing_is_parsed_or_read(
    folder: Path, documents: Path, work: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(2):
        assert missing(documents) == MISSING
        assert sorted(work) == ["2", "a"]
    del work[:]
    first = all_trees(Corpus(documents))
    assert sorted(work) == ["1", "2", "a"]
    del work[:]
    second = all_trees(Corpus(documents))
    for name, tree in first.items():
        assert_same(tree, second[name])
    opened: list[str] = []
    monkeypatch.setattr("xcg.documents.sources.Folder.read", lambda *_: opened.append(""))
    all_trees(Corpus(documents))
    assert missing(documents) == MISSING
    assert work == opened == []


def test_other_paths_than_the_first_time(folder: Path, documents: Path, work: list[str]) -> None:
    def parsed(*paths: str) -> int:
        del work[:]
        corpus = Corpus(documents)
        absent = [path for path in paths if path.endswith("9]")]
        assert list(corpus.missing_paths({"a": paths})) == [("a", absent)]
        assert list(corpus.missing_paths({"a": paths})) == [("a", absent)]
        return len(work)

    assert parsed("/a[1]", "/a[1]/b[1]", "/a[1]/b[9]") == 1
    assert parsed("/a[1]/b[1]") == parsed("/a[1]") == parsed("/a[1]/b[9]", "/a[1]") == 0
    assert parsed("/a[1]", "/a[1]/b[2]") == 1
    assert parsed("/a[1]/c[9]") == 1
    assert parsed("/a[1]/b[2]", "/a[1]/c[9]", "/a[1]/b[1]", "/a[1]/b[9]") == 0


def test_a_changed_document_is_noticed(folder: Path, documents: Path) -> None:
    path = documents / "a.xml"
    assert Corpus(documents).tree("a").words.tolist() == [3, 1, 1]
    before = path.stat()
    path.write_bytes(DOCUMENTS["a"].replace(b"one", b"o e"))  # of the same size
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))  # and the same time
    assert Corpus(documents).tree("a").words.tolist() == [4, 1, 1]
    path.write_bytes(b"<a/>")
    assert len(Corpus(documents).tree("a")) == 1
    path.unlink()
    corpus = Corpus(documents)
    assert "a" not in corpus
    with pytest.raises(InputError, match="no such document"):
        corpus.tree("a")
    with pytest.raises(InputError, match="no such document"):
        missing(documents)


def fill(documents: Path) -> dict[str, ElementTree]:
    """Fill the cache with entries of all kinds and return the trees as parsed."""
    assert missing(documents) == MISSING
    all_trees(Corpus(documents))
    return all_trees(Corpus(documents, cache=False))


def check(documents: Path, expected: dict[str, ElementTree]) -> None:
    """Check that results are the same as without a cache."""
    for name, tree in all_trees(Corpus(documents)).items():
        assert_same(tree, expected[name])
    assert missing(documents) == MISSING


def damaged(data: bytes) -> list[bytes]:
    middle = len(data) // 2
    return [
        b"",
        b"rubbish",
        b"rubbish" * 5000,
        data[:middle],
        data[:-1],
        data[:100] + bytes(len(data) - 100),
        *(
            data[:position] + bytes([data[position] ^ 0x55]) + data[position + 1 :]
            for position in (*range(0, 110, 5), *range(200, len(data), 1499))
        ),
    ]


def test_damage_changes_no_result(folder: Path, documents: Path) -> None:
    expected = fill(documents)
    intact = (folder / FILE_NAME).read_bytes()
    for data in damaged(intact):
        for file in folder.iterdir():
            file.unlink()
        (folder / FILE_NAME).write_bytes(data)
        check(documents, expected)


@pytest.mark.parametrize(
    ("attribute", "value"),
    [
        ("FORMAT", cache_module.FORMAT + 1),
        ("etree.LIBXML_VERSION", (1, 2, 3)),
        ("etree.LXML_VERSION", (1, 2, 3, 0)),
        ("unicodedata.unidata_version", "1.0"),
    ],
)
def test_entries_of_other_versions_are_not_read(
    folder: Path,
    documents: Path,
    work: list[str],
    monkeypatch: pytest.MonkeyPatch,
    attribute: str,
    value: object,
) -> None:
    all_trees(Corpus(documents))
    assert len(work) == 3
    monkeypatch.setattr(f"xcg.documents.cache.{attribute}", value)
    all_trees(Corpus(documents))
    assert len(work) == 6


def test_the_oldest_entries_are_removed(
    folder: Path, tmp_path: Path, work: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache_module, "_MAX_SIZE", 1 << 20)
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    for number in range(3):
        generator = random.Random(number)
        text = "".join(f"<b>{'x ' * generator.randrange(9)}</b>" for _ in range(11_000))
        (corpus / f"{number}.xml").write_text(f"<a>{text}</a>")

    def read(number: int) -> bool:
        """Return whether a document was parsed."""
        del work[:]
        opened = Corpus(corpus)
        assert len(opened.tree(str(number))) == 11_001
        opened.write_cache()
        assert (folder / FILE_NAME).stat().st_size <= 1 << 20
        return bool(work)

    assert read(0)
    assert read(1)
    assert not read(0)
    assert read(2)  # removes 0
    assert not read(1)
    assert not read(2)
    assert read(0)  # removes 1
    assert not read(2)
    assert read(1)


def foreign_database() -> bytes:
    """Return a database of another program whose tables have the same names as those of xcg."""
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("CREATE TABLE entries (mine)")
        connection.execute("CREATE TABLE files (mine)")
        connection.execute("INSERT INTO entries VALUES ('precious')")
        connection.commit()
        return connection.serialize()


@pytest.mark.parametrize("content", [b"my notes", foreign_database()])
def test_a_foreign_file_with_the_name_of_the_cache_is_not_changed(
    folder: Path, documents: Path, content: bytes
) -> None:
    folder.mkdir()
    (folder / FILE_NAME).write_bytes(content)
    assert len(all_trees(Corpus(documents))) == 3
    assert missing(documents) == MISSING
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == {FILE_NAME: content}


@pytest.mark.posix
def test_links_and_fifos_with_the_name_of_the_cache_are_not_followed(
    folder: Path, documents: Path, tmp_path: Path
) -> None:
    folder.mkdir()
    for make in (lambda path: path.symlink_to(tmp_path / "target"), os.mkfifo):
        make(folder / FILE_NAME)
        assert len(all_trees(Corpus(documents))) == 3
        assert [path.name for path in folder.iterdir()] == [FILE_NAME]
        (folder / FILE_NAME).unlink()
    assert not (tmp_path / "target").exists()


@pytest.mark.posix
def test_a_folder_that_everybody_can_write_to_is_not_used(folder: Path, documents: Path) -> None:
    folder.mkdir()
    folder.chmod(0o1777)  # like /tmp
    assert len(all_trees(Corpus(documents))) == 3
    assert list(folder.iterdir()) == []
    folder.chmod(0o775)
    all_trees(Corpus(documents))
    assert [path.name for path in folder.iterdir()] == [FILE_NAME]


@pytest.mark.posix
def test_a_link_to_the_folder_must_belong_to_the_user(
    folder: Path, documents: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "target").mkdir()
    folder.symlink_to(tmp_path / "target")
    state = os.stat_result((0o120777, 0, 0, 1, os.geteuid() + 1, 0, 0, 0, 0, 0))
    with monkeypatch.context() as patched:
        patched.setattr(Path, "lstat", lambda path: state)
        assert open_cache("corpus") is None
    all_trees(Corpus(documents))
    assert [path.name for path in (tmp_path / "target").iterdir()] == [FILE_NAME]


def test_switched_off(folder: Path, documents: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    all_trees(Corpus(documents, cache=False))
    assert missing(documents, cache=False) == MISSING
    all_trees(Corpus.of(DOCUMENTS))
    monkeypatch.setenv("XCG_CACHE", "off")
    all_trees(Corpus(documents))
    assert not folder.exists()
    assert open_cache("corpus") is None


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have other folders")
def test_the_default_folder_is_private(
    documents: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XCG_CACHE", "")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "x"))
    monkeypatch.setattr(cache_module, "_RECENT", -(10**15))
    Corpus(documents).tree("a")  # nothing is written when the corpus is deleted
    assert not count(tmp_path / "x" / "xcg")
    Corpus(documents)
    assert count(tmp_path / "x" / "xcg") == 1
    assert (tmp_path / "x" / "xcg").stat().st_mode & 0o077 == 0


@pytest.mark.posix
def test_a_folder_that_cannot_be_used(
    folder: Path, documents: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder.write_text("a file")
    assert len(all_trees(Corpus(documents))) == 3
    folder.unlink()
    folder.mkdir()
    with monkeypatch.context() as another:
        another.setattr("os.geteuid", lambda: folder.stat().st_uid + 1)
        all_trees(Corpus(documents))
    assert list(folder.iterdir()) == []
    (folder / FILE_NAME).mkdir()
    assert len(all_trees(Corpus(documents))) == 3
    assert missing(documents) == MISSING
    (folder / FILE_NAME).rmdir()
    corpus = Corpus(documents)
    corpus.tree("a")
    shutil.rmtree(folder)
    corpus.write_cache()
    assert len(corpus.tree("a")) == 3


def test_a_full_disk(folder: Path, documents: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache_module, "_SETTINGS", (*cache_module._SETTINGS, "max_page_count = 7"))
    big = f"<a>{'<b/>' * 100_000}</a>".encode()
    (documents / "big.xml").write_bytes(big)
    for _ in range(2):
        assert len(all_trees(Corpus(documents))) == 4
        assert missing(documents) == MISSING
    assert (folder / FILE_NAME).stat().st_size <= 7 << 14


def test_a_locked_database_counts_as_empty(
    folder: Path, documents: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = fill(documents)
    monkeypatch.setattr(cache_module, "_LOCK_TIMEOUT", 0.05)
    with closing(database(folder)) as connection:
        connection.execute("PRAGMA locking_mode = EXCLUSIVE")
        connection.execute("BEGIN EXCLUSIVE")
        (documents / "new.xml").write_bytes(b"<new/>")
        expected["new"] = parse_document(b"<new/>")
        check(documents, expected)
    check(documents, expected)


@pytest.mark.slow
def test_many_processes_at_once(tmp_path: Path, work: list[str], folder: Path) -> None:
    corpus = tmp_path / "many"
    corpus.mkdir()
    for number in range(60):
        (corpus / f"{number}.xml").write_text(f"<a>{'<b>word </b>' * number}</a>")
    script = (
        "import sys\n"
        "from xcg.documents import cache\n"
        "from xcg.documents.corpus import Corpus\n"
        "cache._RECENT = -10**15\n"
        "for part in range(4):\n"
        "    corpus = Corpus(sys.argv[1])\n"
        "    trees = [corpus.tree(str(n)) for n in range(part, 60, 1 + part)]\n"
        "    asked = {str(n): ['/a[1]/b[7]'] for n in range(60)}\n"
        "    lack = sum(len(paths) for _, paths in Corpus(sys.argv[1]).missing_paths(asked))\n"
        "    print(sum(map(len, trees)), sum(int(t.words[0]) for t in trees), lack)\n"
        "    del corpus, trees\n"
    )
    running = [
        subprocess.Popen(
            [sys.executable, "-c", script, str(corpus)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )
        for _ in range(4)
    ]
    expected = "".join(
        f"{sum(n + 1 for n in part)} {sum(part)} 7\n"
        for part in (range(start, 60, 1 + start) for start in range(4))
    )
    for process in running:
        out, error = process.communicate(timeout=120)
        assert (out, error) == (expected, "")
    all_trees(Corpus(corpus))
    assert work == []
    with closing(database(folder)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
