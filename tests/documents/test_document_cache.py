"""What is kept of documents: the same as without, noticed changes, damage, limits, many processes."""

from __future__ import annotations

import gzip
import os
import pickle
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
from conftest import ROOT, Command
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import markup

from xcg.documents import cache as cache_module
from xcg.documents.cache import open_cache, without_cache
from xcg.documents.corpus import Corpus
from xcg.documents.parsing import (
    absent_paths,
    hash_paths,
    parse_document,
    path_hashes,
    serialise,
    trees_of,
)
from xcg.documents.tree import ElementTree
from xcg.errors import InputError, XcgError

COLUMNS = ("tag_codes", "parent", "end", "depth", "start", "characters", "words", "positions")
DOCUMENTS = {
    "a": b"<a>one <b>two</b><b> three</b></a>",
    "co/1": "<r\u00e9sum\u00e9 xmlns:m='m'><m:x/>\u4e2d <m:x>&amp; y</m:x></r\u00e9sum\u00e9>".encode(),
    "co/2": b"<a><much-longer-name k='v'>t</much-longer-name><longest/><eight888/></a>",
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of a cache of our own, in which files that were just written count."""
    monkeypatch.setenv("XCG_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(cache_module, "_RACY", -(10**15))
    return tmp_path / "cache"


@pytest.fixture
def documents(tmp_path: Path) -> Path:
    for name, data in DOCUMENTS.items():
        path = tmp_path / "documents" / f"{name}.xml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return tmp_path / "documents"


@pytest.fixture
def work(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return a list that tells which documents are parsed from now on."""
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


@given(st.lists(markup(), min_size=1, max_size=5))
def test_documents_are_the_same_together_and_alone(sources: list[str]) -> None:
    octets = [serialise(source.encode()) for source in sources]
    texts: list[Callable[[], str]] = [lambda: ""] * len(sources)
    together = trees_of(octets, texts)
    for source, tree, hashes in zip(sources, together, path_hashes(octets), strict=True):
        alone = parse_document(source.encode())
        assert tree.paths == alone.paths
        assert tree.tag_names == alone.tag_names
        for column in COLUMNS:
            assert getattr(tree, column).tolist() == getattr(alone, column).tolist()
        assert sorted(hash_paths(alone.paths, {})) == hashes.tolist()
        others = [f"{path[:-2]}{number}]" for path in alone.paths for number in (2, 3, 10)]
        asked = [*alone.paths, *others, *(f"{path}/none[1]" for path in alone.paths), "/none[1]"]
        absent = [path for path in asked if path not in alone.paths]
        assert absent_paths(source.encode(), asked) == absent
        assert [path for path in asked if path not in tree] == absent
        assert [tree.find(path) for path in alone.paths] == list(range(len(alone)))
        assert list(map(tree.path, range(len(alone)))) == alone.paths
        assert len(set(hashes.tolist())) == len(alone)


@settings(deadline=None)
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
    first = all_trees(Corpus(documents))
    assert sorted(work) == ["1", "2", "a"]
    for parsed in (5, 7, 7):  # paths are kept apart from trees, and all of them the second time
        assert missing(documents) == MISSING
        assert len(work) == parsed
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
        assert list(Corpus(documents).missing_paths({"a": paths})) == [("a", [])]
        return len(work)

    assert parsed("/a[1]", "/a[1]/b[1]") == 1
    assert parsed("/a[1]/b[1]") == parsed("/a[1]") == 0
    assert parsed("/a[1]", "/a[1]/b[2]") == 1
    assert parsed("/a[1]/b[2]", "/a[1]/b[1]") == 0


@pytest.mark.parametrize("kind", ["zip", "tar", "tar.gz", "xml.gz"])
def test_archives(folder: Path, documents: Path, work: list[str], tmp_path: Path, kind: str) -> None:
    path = tmp_path / f"corpus.{kind}"
    if kind == "zip":
        with zipfile.ZipFile(path, "w") as archive:
            for name, data in DOCUMENTS.items():
                archive.writestr(f"{name}.xml", data)
    elif kind == "xml.gz":
        for name, data in DOCUMENTS.items():
            (path / name).parent.mkdir(parents=True, exist_ok=True)
            (path / f"{name}.xml.gz").write_bytes(gzip.compress(data))
    else:
        with tarfile.open(path, "w:gz" if kind == "tar.gz" else "w") as tar:
            tar.add(documents, ".")
    first = all_trees(Corpus(path))
    assert len(work) == 3
    second = all_trees(Corpus(path))
    for name, tree in first.items():
        assert_same(tree, second[name])
    assert len(work) == 3
    all_trees(Corpus(documents))  # the same documents elsewhere
    assert len(work) == 3


def test_many_documents_are_read_at_once(folder: Path, tmp_path: Path, work: list[str]) -> None:
    names = [f"d{number}" for number in range(100)]
    (tmp_path / "many").mkdir()
    for number, name in enumerate(names):
        (tmp_path / "many" / f"{name}.xml").write_text(f"<a>{'<b/>' * number}</a>")
    (tmp_path / "many" / "d50.xml").write_text("<a>")
    asked = {name: ["/a[1]/b[40]"] for name in names}

    def until_the_damaged() -> list[str]:
        found: list[str] = []
        answers = Corpus(tmp_path / "many").missing_paths(asked)
        with pytest.raises(InputError, match=r"d50.xml:1: not well-formed"):
            found.extend(name for name, lacking in answers if lacking)
        return found

    assert until_the_damaged() == names[:40]
    assert until_the_damaged() == names[:40]
    corpus = Corpus(tmp_path / "many")
    corpus.prepare(names)
    parsed = len(work)
    assert [len(corpus.tree(name)) for name in names if name != "d50"] == [
        number + 1 for number in range(100) if number != 50
    ]
    assert len(work) == parsed
    with pytest.raises(InputError, match=r"d50.xml:1: not well-formed"):
        corpus.tree("d50")


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


def test_a_file_that_was_just_written_is_read_again(
    documents: Path, tmp_path: Path, work: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XCG_CACHE", str(tmp_path / "cache"))
    Corpus(documents).tree("a")
    assert not list((tmp_path / "cache").glob("*index*"))
    Corpus(documents).tree("a")
    assert work == ["a"]  # though its octets were compared


def damaged(data: bytes) -> list[bytes]:
    """Return what may have become of a file."""
    middle = len(data) // 2
    return [
        b"",
        b"rubbish",
        data[:middle],
        data[:-1],
        pickle.dumps(["no", "array"]),
        *(
            data[:place] + bytes([data[place] ^ 0x55]) + data[place + 1 :]
            for place in range(0, len(data), 97)
        ),
    ]


@pytest.mark.parametrize("kind", ["trees", "some", "paths", "index"])
def test_damage_is_as_if_nothing_were_there(folder: Path, documents: Path, kind: str) -> None:
    all_trees(Corpus(documents))
    for _ in ("some", "paths"):
        assert missing(documents) == MISSING
    expected = all_trees(Corpus(documents, cache=False))
    (path,) = folder.glob(f"*{kind}*")
    intact = path.read_bytes()
    for data in damaged(intact):
        for file in folder.glob(f"*{kind}*"):
            file.unlink()
        path.write_bytes(data)
        found = all_trees(Corpus(documents))
        for name, tree in expected.items():
            assert_same(tree, found[name])
        assert missing(documents) == MISSING


def test_shards_of_another_form(folder: Path, documents: Path) -> None:
    all_trees(Corpus(documents))
    (path,) = folder.glob("*trees*")
    with np.load(path) as file:
        arrays = dict(file)
    wrong = {
        "offsets": arrays["offsets"][:-1],
        "columns": arrays["columns"][:3],
        "tags": arrays["tags"][:3],
        "digests": arrays["digests"].astype(object),
    }
    for name, array in wrong.items():
        for file_ in folder.glob("*trees*"):
            file_.unlink()
        np.savez(path, **{**arrays, name: array})
        for document, tree in all_trees(Corpus(documents)).items():
            assert_same(tree, parse_document(DOCUMENTS[document]))


def test_small_shards_are_joined(folder: Path, documents: Path, work: list[str]) -> None:
    for name in DOCUMENTS:
        Corpus(documents).tree(name)
        for step in ("/a[1]", "/none[1]"):
            list(Corpus(documents).missing_paths({n: [step] for n in ("a", "co/2") if n <= name}))
    for kind in ("trees", "some", "paths"):
        assert len(list(folder.glob(f"*{kind}*"))) == 1
    del work[:]
    for name, tree in all_trees(Corpus(documents)).items():
        assert_same(tree, parse_document(DOCUMENTS[name]))
    assert missing(documents) == MISSING
    assert work == []


def test_the_least_recently_used_goes(
    folder: Path, documents: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XCG_CACHE_SIZE", "1")
    folder.mkdir()
    for age in (1, 2, 3):
        (folder / f"old{age}.npz").write_bytes(bytes(400_000))
        os.utime(folder / f"old{age}.npz", (10 - age, 10 - age))
    (folder / "left.tmp").write_bytes(b"")
    os.utime(folder / "left.tmp", (1, 1))
    all_trees(Corpus(documents))
    assert not (folder / "old3.npz").exists()
    assert not (folder / "left.tmp").exists()
    assert (folder / "old1.npz").exists()
    assert sum(file.stat().st_size for file in folder.iterdir()) <= 1 << 20
    monkeypatch.setenv("XCG_CACHE_SIZE", "0")
    (documents / "new.xml").write_bytes(b"<new/>")
    all_trees(Corpus(documents))
    assert list(folder.iterdir()) == []
    monkeypatch.setenv("XCG_CACHE_SIZE", "much")
    with pytest.raises(XcgError, match="XCG_CACHE_SIZE is 'much': expected a number of megabytes"):
        Corpus(documents)


def test_switched_off(folder: Path, documents: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    all_trees(Corpus(documents, cache=False))
    assert missing(documents, cache=False) == MISSING
    with without_cache():
        all_trees(Corpus(documents))
    all_trees(Corpus.of(DOCUMENTS))
    monkeypatch.setenv("XCG_CACHE", "off")
    all_trees(Corpus(documents))
    assert not folder.exists()
    assert open_cache("corpus") is None


def test_the_usual_place(documents: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XCG_CACHE", "")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "x"))
    monkeypatch.setattr("sys.platform", "linux")
    Corpus(documents).tree("a")
    assert not list((tmp_path / "x" / "xcg").iterdir())  # nor when the corpus is garbage
    Corpus(documents)
    assert len(list((tmp_path / "x" / "xcg").glob("*.npz"))) == 1
    assert (tmp_path / "x" / "xcg").stat().st_mode & 0o077 == 0


def test_no_place_for_a_cache(folder: Path, documents: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder.write_text("a file")
    assert len(all_trees(Corpus(documents))) == 3
    folder.unlink()
    folder.mkdir()
    with monkeypatch.context() as another:
        another.setattr("os.geteuid", lambda: folder.stat().st_uid + 1)
        all_trees(Corpus(documents))
    assert list(folder.iterdir()) == []

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("xcg.documents.cache.np.savez", full)
    assert missing(documents) == MISSING
    assert len(all_trees(Corpus(documents))) == 3
    assert list(folder.iterdir()) == []
    corpus = Corpus(documents)
    corpus.tree("a")
    folder.rmdir()
    del corpus


def test_a_file_gone_while_in_use(folder: Path, documents: Path) -> None:
    all_trees(Corpus(documents))
    missing(documents)
    corpus = Corpus(documents)
    for file in folder.iterdir():
        file.unlink()
    assert list(corpus.missing_paths({"a": ["/a[1]", "/x[1]"]})) == [("a", ["/x[1]"])]
    for name, tree in all_trees(corpus).items():
        assert_same(tree, parse_document(DOCUMENTS[name]))


def test_many_processes_at_once(tmp_path: Path, work: list[str], folder: Path) -> None:
    corpus = tmp_path / "many"
    corpus.mkdir()
    for number in range(60):
        (corpus / f"{number}.xml").write_text(f"<a>{'<b>word </b>' * number}</a>")
    script = (
        "import sys\n"
        "from xcg.documents import cache\n"
        "from xcg.documents.corpus import Corpus\n"
        "cache._RACY = -10**15\n"
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
    assert not list(folder.glob("*.tmp"))


def test_the_command_without_a_cache(
    xcg_command: Command, folder: Path, documents: Path, tmp_path: Path
) -> None:
    (tmp_path / "qrels").write_text("1 0 a#/a/b[1] 1\n1 0 co/2#/a 1\n")
    (tmp_path / "run").write_text("1 Q0 a#/a/b[1] 1 2 r\n1 Q0 a#/a/b[2] 2 1 r\n")
    arguments = ["evaluate", "--assessments", tmp_path / "qrels", "--run", tmp_path / "run"]
    arguments += ["--corpus", documents]
    one = xcg_command(*arguments, "--no-cache")
    assert one.returncode == 0, one.stderr
    assert not folder.exists()
    two = xcg_command(*arguments)
    assert len(list(folder.glob("*trees*"))) == 1
    three = xcg_command(*arguments)
    assert one.stdout == two.stdout == three.stdout
    assert one.stderr == two.stderr == three.stderr
