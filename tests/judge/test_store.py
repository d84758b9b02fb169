"""The store saves judgements, refuses stale changes and foreign files, and undoes changes."""

from __future__ import annotations

import json
import os
import random
import sqlite3
import stat
import struct
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT

from xcg.documents.corpus import Corpus
from xcg.errors import Notes, XcgError
from xcg.judge.judgement import JudgedDocument, Judgement, PoolDocument
from xcg.judge.pool_store import StoreError
from xcg.judge.store import ConflictError, Store

TEXT = "Bees dance. Ants walk. Wasps sting."
DOCUMENTS = {"bees": TEXT, "ants/1": "Ants walk in lines.", "empty": "<a/>"}


@pytest.fixture
def corpus() -> Corpus:
    return Corpus.of(DOCUMENTS)


@pytest.fixture
def store(tmp_path: Path, corpus: Corpus) -> Iterator[Store]:
    with filled(tmp_path / "judge.sqlite", corpus) as store:
        yield store


def filled(path: Path, corpus: Corpus) -> Store:
    """Return a store with two assessors and two topics."""
    store = Store(path, corpus)
    store.add_assessors(["anna", "ben"])
    store.extend_pool("1", [PoolDocument("bees", ((0, 11),)), PoolDocument("ants/1")])
    store.extend_pool("2", [PoolDocument("ants/1")])
    store.assign("anna", ["1", "2"])
    store.assign("ben", ["2"])
    return store


def apply(store: Store, operation: str, /, version: int | None = None, **values: object) -> Judgement:
    if version is None:
        version = store.judgement("anna", "1", "bees").version
    return store.apply("anna", "1", "bees", version, operation, values)


def spans(judgement: Judgement) -> list[tuple[int, int, str | None]]:
    return [(one.start, one.end, one.grade) for one in judgement.highlights]


def test_everything_is_there_after_the_store_is_opened_again(
    store: Store, tmp_path: Path, corpus: Corpus
) -> None:
    apply(store, "add", start=0, end=11, grade="3")
    apply(store, "unsure", unsure=True)
    apply(store, "add", start=12, end=22)
    before = apply(store, "finish", finished=True)
    assert before.version == 4
    store.close()
    with Store(tmp_path / "judge.sqlite", corpus) as again:
        assert again.judgement("anna", "1", "bees") == before
        assert before.unsure
        assert before.finished
        assert spans(before) == [(0, 11, "3"), (12, 22, None)]
        assert before.highlights[1].quote == ("Ants walk.", "Bees dance. ", " Wasps sting.")
        assert again.assessors() == ["anna", "ben"]
        assert again.assignments() == {"anna": ["1", "2"], "ben": ["2"]}
        assert again.topics() == ["1", "2"]
        assert again.pool("1") == (PoolDocument("bees", ((0, 11),)), PoolDocument("ants/1"))
        assert again.progress("anna") == {"1": (1, 2), "2": (0, 1)}
        assert again.progress("ben") == {"2": (0, 1)}
        assert list(again.judgements()) == [JudgedDocument("anna", "1", "bees", before)]
        assert list(again.judgements("ants/1")) == []
        assert again.judgement("ben", "2", "ants/1") == Judgement()


@pytest.mark.parametrize(("operation", "fields"), [("add", {"start": 5, "end": 9}), ("undo", {})])
def test_a_change_that_is_sent_again_is_made_once(
    store: Store, operation: str, fields: dict[str, int]
) -> None:
    apply(store, "add", start=0, end=4)
    changed = apply(store, operation, version=1, **fields)
    assert apply(store, operation, version=1, **fields) == changed
    with pytest.raises(ConflictError):
        apply(store, operation, version=0, **fields)
    apply(store, "finish", finished=True)
    with pytest.raises(ConflictError):
        apply(store, operation, version=1, **fields)


def test_of_changes_to_one_version_by_several_threads_one_is_saved(store: Store) -> None:
    outcomes = []

    def change(number: int) -> None:
        try:
            outcomes.append(apply(store, "add", version=0, start=number, end=number + 1).version)
        except ConflictError as error:
            outcomes.append(-error.current.version)

    threads = [threading.Thread(target=change, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == [-1, -1, -1, 1]
    assert len(store.judgement("anna", "1", "bees").highlights) == 1


def test_the_history_has_every_change_with_its_time(store: Store, tmp_path: Path) -> None:
    apply(store, "add", start=0, end=4, grade="ü")
    apply(store, "undo")
    rows = read(tmp_path / "judge.sqlite", "SELECT version, operation, fields, time FROM changes")
    assert [row[:2] for row in rows] == [(1, "add"), (2, "undo")]
    assert json.loads(rows[0][2]) == {"start": 0, "end": 4, "grade": "ü"}
    assert rows[0][3].endswith("+00:00")


def test_names_are_any_unicode(store: Store) -> None:
    name = "Ann'a \"; DROP TABLE pools; --\u202e/../\x00é"
    store.add_assessors([name, name])
    store.assign(name, [name, "1"])
    assert store.assignments()[name] == [name, "1"]
    with pytest.raises(XcgError, match="not valid Unicode"):
        store.add_assessors(["\udc80"])


def test_later_runs_only_append_to_a_pool(store: Store) -> None:
    store.extend_pool("1", [PoolDocument("empty"), PoolDocument("bees", ((12, 22), (0, 11)))])
    assert store.pool("1") == (
        PoolDocument("bees", ((0, 11), (12, 22))),
        PoolDocument("ants/1"),
        PoolDocument("empty"),
    )
    assert store.pool("unknown") == ()


def test_a_transaction_saves_everything_or_nothing(store: Store) -> None:
    with store.transaction():
        apply(store, "add", start=0, end=4)
        apply(store, "add", start=5, end=10)

    def delete_and_fail() -> None:
        with store.transaction():
            apply(store, "delete", id=1)
            apply(store, "add", start=4, end=5)

    with pytest.raises(XcgError, match="only white space"):
        delete_and_fail()
    assert spans(store.judgement("anna", "1", "bees")) == [(0, 4, None), (5, 10, None)]


def test_an_import_replaces_a_judgement_and_can_be_undone(store: Store) -> None:
    apply(store, "add", start=0, end=4)
    replaced = store.replace("anna", "1", "bees", [(12, 22, "2"), (5, 10, None)], True)
    assert (replaced.version, spans(replaced)) == (2, [(5, 10, None), (12, 22, "2")])
    assert replaced.finished
    again = store.replace("anna", "1", "bees", [(5, 10, None), (12, 22, "2")], True)
    assert again == replaced
    assert spans(apply(store, "undo")) == [(0, 4, None)]
    with pytest.raises(XcgError, match="5–10 overlaps the highlight 0–6 of another"):
        store.replace("anna", "1", "bees", [(0, 6, "1"), (5, 10, None)], False)


@pytest.mark.parametrize(
    ("assessor", "topic", "document", "message"),
    [
        ("ana", "1", "bees", "unknown assessor 'ana': did you mean 'anna'"),
        ("anna", "3", "bees", "the pool of topic '3' does not have the document 'bees'"),
        ("anna", "2", "bees", "the pool of topic '2' does not have the document 'bees'"),
    ],
)
def test_unknown_names_are_reported(
    store: Store, assessor: str, topic: str, document: str, message: str
) -> None:
    with pytest.raises(XcgError, match=message):
        store.judgement(assessor, topic, document)
    with pytest.raises(XcgError, match=message):
        store.apply(assessor, topic, document, 0, "add", {"start": 0, "end": 4})


def test_a_pool_has_only_documents_of_the_corpus(store: Store) -> None:
    with pytest.raises(XcgError, match="beees"):
        store.extend_pool("1", [PoolDocument("beees")])
    assert [name for name, _ in store.pool("1")] == ["bees", "ants/1"]


def test_a_second_process_cannot_open_the_store(store: Store, tmp_path: Path, corpus: Corpus) -> None:
    code = (
        "import sys; from pathlib import Path; from xcg.judge.store import Store\n"
        "from xcg.documents.corpus import Corpus\n"
        "try: Store(Path(sys.argv[1]), Corpus.of({}))\n"
        "except ValueError as error: print(error)"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "judge.sqlite")]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    assert "another process serves this store" in done.stdout
    assert "; stop it first" in done.stdout
    with pytest.raises(StoreError, match="another process serves this store"):
        Store(tmp_path / "judge.sqlite", corpus)
    apply(store, "add", start=0, end=4)


@pytest.mark.posix
class TestForeignFiles:
    """Files of others in place of the lock or the store stay as they are."""

    def test_a_database_as_lock_is_not_opened(self, tmp_path: Path, corpus: Corpus) -> None:
        path = tmp_path / "judge.sqlite"
        filled(path, corpus).close()
        lock = Path(f"{path}.lock")
        lock.unlink()
        execute(
            lock,
            "CREATE TABLE owner (process TEXT); CREATE TRIGGER slow AFTER INSERT ON owner BEGIN "
            "INSERT INTO owner WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x FROM c) "
            "SELECT x FROM c; END",
        )
        before = lock.read_bytes()
        Store(path, corpus).close()
        assert lock.read_bytes() == before

    @pytest.mark.parametrize("kind", ["link", "dangling", "hard link", "fifo", "folder"])
    def test_a_lock_that_is_no_file_of_its_own_is_refused(
        self, tmp_path: Path, corpus: Corpus, kind: str
    ) -> None:
        foreign, lock = tmp_path / "foreign", tmp_path / "judge.sqlite.lock"
        if kind != "dangling":
            foreign.write_bytes(b"")
        if kind in ("link", "dangling"):
            lock.symlink_to(foreign)
        elif kind == "hard link":
            lock.hardlink_to(foreign)
        elif kind == "fifo":
            os.mkfifo(lock)
        else:
            lock.mkdir()
        with pytest.raises(StoreError, match=r"cannot lock the store: .*a file that xcg judge"):
            Store(tmp_path / "judge.sqlite", corpus)
        assert not foreign.exists() if kind == "dangling" else foreign.read_bytes() == b""
        assert os.path.lexists(lock)
        assert not (tmp_path / "judge.sqlite").exists()

    @pytest.mark.parametrize("kind", ["link", "hard link", "text", "fifo", "of several databases"])
    def test_a_foreign_journal_is_not_used(self, tmp_path: Path, corpus: Corpus, kind: str) -> None:
        """SQLite would delete files, wait for the FIFO, and delete the file that the last one names."""
        path, foreign = tmp_path / "judge.sqlite", tmp_path / "foreign"
        filled(path, corpus).close()
        foreign.write_bytes(b"mine")
        journal = Path(f"{path}-journal")
        if kind == "link":
            journal.symlink_to(foreign)
        elif kind == "hard link":
            journal.hardlink_to(foreign)
        elif kind == "text":
            journal.write_bytes(b"mine")
        elif kind == "fifo":
            os.mkfifo(journal)
        else:
            magic, name = bytes.fromhex("d9d505f920a163d7"), os.fsencode(foreign)
            pages = path.stat().st_size // 4096
            header = magic + struct.pack(">5I", 0, 1, pages, 512, 4096)
            last = struct.pack(">I", (1 << 30) // 4096 + 1) + name
            last += struct.pack(">2I", len(name), sum(name)) + magic
            journal.write_bytes(header.ljust(512, b"\0") + last)
        with pytest.raises(StoreError, match=r"sqlite-journal: not a file of xcg judge; move"):
            Store(path, corpus)
        assert foreign.read_bytes() == b"mine"
        assert os.path.lexists(journal)

    @pytest.mark.parametrize("kind", ["file", "fifo", "dangling link"])
    def test_a_foreign_write_ahead_log_is_not_used(
        self, tmp_path: Path, corpus: Corpus, kind: str
    ) -> None:
        """SQLite would use it instead of the journal, and delete it."""
        path = tmp_path / "judge.sqlite"
        filled(path, corpus).close()
        log = Path(f"{path}-wal")
        if kind == "file":
            log.write_bytes(b"mine")
        elif kind == "fifo":
            os.mkfifo(log)
        else:
            log.symlink_to(tmp_path / "missing")
        for opened in (Store, Store.snapshot):
            with pytest.raises(StoreError, match=r"sqlite-wal: not a file of xcg judge; move it"):
                opened(path, corpus)
        assert os.path.lexists(log)

    def test_a_store_with_a_write_ahead_log_is_refused(self, tmp_path: Path, corpus: Corpus) -> None:
        """SQLite would write to the files of the log, which can be links to others."""
        path = tmp_path / "judge.sqlite"
        filled(path, corpus).close()
        execute(path, "PRAGMA journal_mode = WAL")
        with pytest.raises(StoreError, match="not a store of xcg judge"):
            Store(path, corpus)

    def test_links_to_a_store_have_its_lock(self, store: Store, tmp_path: Path, corpus: Corpus) -> None:
        (tmp_path / "other").mkdir()
        (tmp_path / "other" / "link.sqlite").symlink_to(tmp_path / "judge.sqlite")
        with pytest.raises(StoreError, match="serves this store"):
            Store(tmp_path / "other" / "link.sqlite", corpus)
        (tmp_path / "hard.sqlite").hardlink_to(tmp_path / "judge.sqlite")
        with pytest.raises(StoreError, match="has several names"):
            Store(tmp_path / "hard.sqlite", corpus)

    def test_others_cannot_read_a_store(self, tmp_path: Path, corpus: Corpus) -> None:
        path = tmp_path / "new" / "judge.sqlite"
        mask = os.umask(0)
        try:
            filled(path, corpus).close()
        finally:
            os.umask(mask)
        modes = [stat.S_IMODE(one.stat().st_mode) for one in (path, path.parent, Path(f"{path}.lock"))]
        assert modes == [0o600, 0o700, 0o600]


def test_a_snapshot_reads_an_open_store_and_changes_nothing(
    store: Store, tmp_path: Path, corpus: Corpus
) -> None:
    before = apply(store, "add", start=0, end=4)
    with Store.snapshot(tmp_path / "judge.sqlite", corpus) as copy:
        assert [one.judgement for one in copy.judgements()] == [before]
        apply(copy, "delete", id=1)
    assert store.judgement("anna", "1", "bees") == before
    apply(store, "add", start=5, end=10)


def test_a_copy_of_an_open_store_has_its_own_documents_and_changes_nothing(store: Store) -> None:
    before = apply(store, "add", start=0, end=4)
    text = store.tree("bees").text
    with store.copy(Corpus.of({"bees": f"News. {text}"})) as copy:
        (moved,) = copy.judgement("anna", "1", "bees").highlights
        assert (moved.start, moved.end, moved.status) == (6, 10, "moved")
        assert store.judgement("anna", "1", "bees") == before
        changed = apply(store, "add", start=5, end=10)
        assert len(copy.judgement("anna", "1", "bees").highlights) == 1
    assert store.judgement("anna", "1", "bees") == changed


def read(path: Path, query: str) -> list[Any]:
    with sqlite3.connect(path) as connection:
        rows = connection.execute(query).fetchall()
    connection.close()
    return rows


def execute(path: Path, script: str) -> None:
    connection = sqlite3.connect(path)
    connection.executescript(script)
    connection.close()


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("DROP TABLE results", "its tables are not those of xcg judge"),
        ("CREATE TRIGGER t AFTER INSERT ON changes BEGIN DELETE FROM results; END", "its tables"),
        ("CREATE VIEW v AS SELECT 1", "its tables are not those of xcg judge"),
        ("PRAGMA user_version = 2", "written by a later version of xcg"),
        ("PRAGMA user_version = 0", "its tables are not those of xcg judge"),
        ("PRAGMA application_id = 7", "not a store of xcg judge"),
        (
            "UPDATE judgements SET content = replace(content, 'Bees', 'Ants')",
            "damaged; restore it from",
        ),
        ("UPDATE judgements SET content = replace(content, '0,4', '0,99')", "damaged"),
        ("UPDATE judgements SET document = 'other'", "damaged"),
        ("UPDATE judgements SET version = 7", "damaged"),
        ("UPDATE judgements SET content = CAST(x'ff' AS TEXT)", "damaged"),
        ("UPDATE judgements SET content = '[[],[\"\",false,false],false]'", "damaged"),
        ("UPDATE changes SET version = 9", "damaged"),
        ("UPDATE changes SET content = '[[],[\"\",false,false],false]'", "damaged"),
        ("DELETE FROM changes", "damaged"),
        ("PRAGMA ignore_check_constraints = ON; UPDATE results SET start = -1", "damaged"),
    ],
)
def test_a_changed_file_is_refused(tmp_path: Path, corpus: Corpus, script: str, message: str) -> None:
    path = tmp_path / "judge.sqlite"
    with filled(path, corpus) as store:
        apply(store, "add", start=0, end=4)
    execute(path, script)
    content = path.read_bytes()
    with pytest.raises(StoreError, match=message):
        Store(path, corpus)
    assert path.read_bytes() == content
    assert sorted(os.listdir(tmp_path)) == ["judge.sqlite", "judge.sqlite.lock"]


@pytest.mark.parametrize(
    "content",
    [
        *("null", "[", "[" * 9999, "[[]]", "[[],0]"),
        *(f"[[],{rest}]" for rest in ('["",false,false],0', "[1,false,false],false")),
        *(f"[[],{rest}]" for rest in ('["",0,false],false', '["",false],false', '"abc",false')),
        '[[["x"]],["",false,false],false]',
        '[[[1,0,99,null,"placed"]],["",false,false],false]',
        '[[[1,4,4,null,"placed"]],["",false,false],false]',
        '[[[1,0,4,3,"placed"]],["",false,false],false]',
        '[[["1",0,4,null,"placed"]],["",false,false],false]',
        '[[[1,0,4,null,"there"]],["",false,false],false]',
        '[[[1,0,4,null,"lost","Bees","",""]],["",false,false],false]',
        '[[[1,0,4,null,"placed"],[2,3,9,null,"placed"]],["",false,false],false]',
        '[[[2,5,9,null,"placed"],[1,0,4,null,"placed"]],["",false,false],false]',
    ],
)
def test_a_damaged_history_is_refused_when_it_is_used(
    tmp_path: Path, corpus: Corpus, content: str
) -> None:
    path = tmp_path / "judge.sqlite"
    with filled(path, corpus) as store:
        apply(store, "add", start=0, end=4)
        before = apply(store, "add", start=5, end=10)
    execute(path, f"UPDATE changes SET content = '{content}' WHERE version = 1")
    with Store(path, corpus) as store:
        with pytest.raises(StoreError, match="damaged"):
            apply(store, "undo")
        assert store.judgement("anna", "1", "bees") == before


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "not a store of xcg judge"),
        (b"SQLite format 3\0" + bytes(100), "not a store of xcg judge"),
        (b"<article/>", "not a store of xcg judge"),
        (b"SQLite format 3\0\0\0\1\1" + bytes(48) + b"xcgj" + bytes(5000), "damaged"),
    ],
)
def test_another_file_is_refused_and_not_changed(
    tmp_path: Path, corpus: Corpus, content: bytes, message: str
) -> None:
    path = tmp_path / "judge.sqlite"
    path.write_bytes(content)
    for opened in (Store, Store.snapshot):
        with pytest.raises(StoreError, match=message):
            opened(path, corpus)
    assert path.read_bytes() == content
    assert "judge.sqlite-journal" not in os.listdir(tmp_path)


def test_folders_and_missing_folders_are_refused(tmp_path: Path, corpus: Corpus) -> None:
    with pytest.raises(StoreError, match="not a regular file"):
        Store(tmp_path, corpus)
    with pytest.raises(StoreError, match="cannot lock the store: No such file or directory"):
        Store(tmp_path / "missing" / "missing" / "judge.sqlite", corpus)


def test_a_corpus_without_any_of_the_documents_is_refused(tmp_path: Path, corpus: Corpus) -> None:
    path = tmp_path / "judge.sqlite"
    filled(path, corpus).close()
    with pytest.raises(StoreError, match="has none of the 2 documents of this store, such as 'bees'"):
        Store(path, Corpus.of({"other": "text"}))


def test_a_missing_document_is_left_out_until_it_is_back(tmp_path: Path, corpus: Corpus) -> None:
    path = tmp_path / "judge.sqlite"
    with filled(path, corpus) as store:
        before = apply(store, "add", start=0, end=4)
    with Store(path, Corpus.of({"ants/1": DOCUMENTS["ants/1"]})) as store:
        assert list(store.missing) == ["bees"]
        notes = Notes()
        store.add_notes(notes)
        (line,) = notes.lines()
        assert line.startswith(
            "warning: documents of the store that cannot be read, and are left out with their "
            "judgements: 1; the first: bees: "
        )
        assert [name for name, _ in store.pool("1")] == ["ants/1"]
        assert store.progress("anna")["1"] == (0, 1)
        assert not list(store.judgements())
        with pytest.raises(XcgError, match="bees"):
            store.judgement("anna", "1", "bees")
    with Store(path, corpus) as store:
        assert store.judgement("anna", "1", "bees") == before


def test_a_document_that_changes_while_it_is_judged_is_refused(tmp_path: Path) -> None:
    documents = tmp_path / "docs"
    documents.mkdir()
    (documents / "bees.txt").write_text(TEXT, encoding="utf-8")
    with Store(tmp_path / "judge.sqlite", Corpus(documents, cache=False)) as store:
        store.add_assessors(["anna"])
        store.extend_pool("1", [PoolDocument("bees")])
        (documents / "bees.txt").write_text(f"New. {TEXT}", encoding="utf-8")
        store._corpus = Corpus(documents, cache=False)  # as if the tree had left the memory
        with pytest.raises(
            XcgError, match="bees: the document has changed since xcg judge was started"
        ):
            apply(store, "add", start=0, end=4)


def test_a_copy_made_while_a_change_is_saved_is_complete_or_refused(
    tmp_path: Path, corpus: Corpus
) -> None:
    path, copy = tmp_path / "judge.sqlite", tmp_path / "copy.sqlite"
    chosen = random.Random(5)
    filled(path, corpus).close()
    refused = 0
    for number in range(30):
        before = path.read_bytes()
        with Store(path, corpus) as store:
            old = store.judgement("anna", "1", "bees")
            new = apply(store, "add", start=number, end=number + 2, grade=str(number))
            new = apply(store, "delete", id=new.highlights[0].id) if number % 5 == 4 else new
        after = path.read_bytes()
        # A copy has some pages from before the change, and others from after it.
        pages = range(0, len(after), 4096)
        mixed = b"".join(
            chosen.choice([before, after])[start : start + 4096].ljust(4096, b"\0") for start in pages
        )
        copy.write_bytes(mixed)
        try:
            with Store(copy, corpus) as store:
                assert store.judgement("anna", "1", "bees") in (old, new)
        except StoreError as error:
            assert "damaged" in str(error)
            refused += 1
    assert refused


def test_a_change_that_does_not_fit_on_the_disk_is_not_saved(store: Store) -> None:
    before = apply(store, "add", start=0, end=4)
    store._connection.execute("PRAGMA max_page_count = 1")  # rounds up to the current size
    error = None
    for number in range(300):
        try:
            before = apply(store, "grade", id=1, grade=f"{number:0100}")
        except StoreError as raised:
            error = raised
            break
    assert "cannot read or write the store: database or disk is full" in str(error)
    assert store.judgement("anna", "1", "bees") == before
    store._connection.execute("PRAGMA max_page_count = 1000")
    assert apply(store, "delete", id=1).version == before.version + 1
