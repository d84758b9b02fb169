"""Zip and tar archives, including hostile ones."""

from __future__ import annotations

import gzip
import io
import os
import stat
import tarfile
import tempfile
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xcg.documents import archives, files
from xcg.documents.corpus import Corpus
from xcg.errors import InputError

END = b"\0" * 1024


def header(name: str, size: int, kind: bytes = b"0") -> bytes:
    """Return a tar header with any size."""
    info = tarfile.TarInfo(name)
    info.type = kind
    block = bytearray(info.tobuf(tarfile.GNU_FORMAT))
    block[124:136] = b"%011o\0" % size if size >= 0 else b"\xff" + size.to_bytes(11, "big", signed=True)
    block[148:156] = b"        "
    block[148:156] = b"%06o\0 " % sum(block)
    return bytes(block)


def blocks(data: bytes) -> bytes:
    return data + b"\0" * (-len(data) % 512)


def member(name: str, data: bytes = b"<a/>", kind: bytes = b"0") -> bytes:
    return header(name, len(data), kind) + blocks(data)


def opened(folder: Path, data: bytes) -> Corpus:
    path = folder / "corpus"
    path.write_bytes(data)
    return Corpus(path, cache=False)


def zipped(files: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", method) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return data.getvalue()


class TestTarHeaders:
    def test_the_limit(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        data = header("", 1000, b"L") + blocks(b"d" * 995 + b".xml\0") + member("x") + END
        monkeypatch.setattr(archives, "LARGEST_HEADER", 2048)  # two headers and the name
        assert list(opened(tmp_path, data)) == ["d" * 995]
        monkeypatch.setattr(archives, "LARGEST_HEADER", 2047)
        with pytest.raises(InputError, match="a member has headers of more than 2047 bytes"):
            opened(tmp_path, data)

    @pytest.mark.parametrize(
        "records",
        [
            b"x",
            b"3 a",
            b"-5 a=b\n",
            b"0 a=b\n",
            b"1 path=d\n",
            # Before Python 3.11.10, tarfile needs quadratic time for these.
            b"1" * (1 << 19),
            b"2 " * (1 << 18) + b"=",
            b"500011 a=" + b"1" * 500_000 + b"\n",
        ],
    )
    def test_damaged_records(self, tmp_path: Path, records: bytes) -> None:
        with pytest.raises(InputError, match="damaged archive: illegal extended header"):
            opened(tmp_path, member("x", records, b"x") + member("a.xml"))

    @pytest.mark.parametrize("size", [-1, -512, -1536, 5 << 30])
    def test_a_member_has_an_impossible_size(self, tmp_path: Path, size: int) -> None:
        message = "the member 'b.xml' is damaged, or a sparse file|unexpected end of data"
        with pytest.raises(InputError, match=message):
            opened(tmp_path, member("a.xml") + header("b.xml", size) + END)
        record = b" size=%d\n" % size
        record = b"%d" % (len(record) + 2) + record
        with pytest.raises(InputError, match=message):
            opened(tmp_path, member("a.xml") + member("x", record, b"x") + member("b.xml") + END)

    @pytest.mark.parametrize(
        "data",
        [
            member("a.xml", kind=b"S"),
            member("x", b"22 GNU.sparse.major=1\n22 GNU.sparse.minor=0\n", b"x")
            + member("a.xml", b"0\n"),
        ],
    )
    def test_sparse_members(self, tmp_path: Path, data: bytes) -> None:
        message = "the member 'a.xml' is damaged, or a sparse file; create the archive without --sparse"
        with pytest.raises(InputError, match=message):
            opened(tmp_path, data + END)

    def test_damage_between_members(self, tmp_path: Path) -> None:
        """tarfile stops at the damage without an error."""
        with pytest.raises(InputError, match="damaged archive: no tar header at byte 1024"):
            opened(tmp_path, member("a.xml") + b"x" * 512 + member("b.xml") + END)

    @given(
        st.lists(
            st.tuples(st.text("abé/.", min_size=1, max_size=300), st.binary(max_size=600)), max_size=5
        ),
        st.sampled_from([tarfile.GNU_FORMAT, tarfile.PAX_FORMAT]),
    )
    def test_names_and_bytes_are_those_of_tarfile(
        self, files: list[tuple[str, bytes]], tar_format: int
    ) -> None:
        data = io.BytesIO()
        with tarfile.open(fileobj=data, mode="w", format=tar_format) as archive:
            for name, content in files:
                info = tarfile.TarInfo(name.rstrip("/"))
                info.size = len(content)
                archive.addfile(info, io.BytesIO(content))
            folder = tarfile.TarInfo("folder.xml")
            folder.type = tarfile.DIRTYPE
            archive.addfile(folder)
        data.seek(0)
        with tarfile.open(fileobj=data) as archive:
            expected = [
                (info.name, archive.extractfile(info).read())  # type: ignore[union-attr]
                for info in archive
                if info.isfile()
            ]
        with tempfile.NamedTemporaryFile() as file:
            ours = archives.TarArchive.__new__(archives.TarArchive)
            ours.label, ours._file = Path(file.name), data
            found = [(name, position) for name, position in ours._members() if position is not None]
            assert [(name, ours._content(position, 1000)) for name, position in found] == expected


class TestCompressedTar:
    DATA = b"".join(member(f"{i}.xml", b"<a><b>%d</b></a>" % i) for i in range(9)) + END

    def test_damage(self, tmp_path: Path) -> None:
        data = gzip.compress(self.DATA + os.urandom(9999))
        for damaged in (data[:-9], data[:40], data[:200] + b"damage" + data[206:]):
            with pytest.raises(InputError, match="corpus: "):
                opened(tmp_path, damaged)
        with pytest.raises(InputError, match="no corpus: expected a folder"):
            opened(tmp_path, gzip.compress(b"text"))

    def test_bombs(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        data = gzip.compress(member("a.xml", b" " * (1 << 22)))
        monkeypatch.setattr(files, "RATIO_FROM_BYTES", 1 << 21)
        with pytest.raises(InputError, match="more than 250 times its size when decompressed"):
            opened(tmp_path, data)


class TestZip:
    def test_methods_whose_memory_is_not_limited(self, tmp_path: Path) -> None:
        for method in (zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA):
            corpus = opened(tmp_path, zipped({"a.xml": b"<a/>"}, method))
            message = f"a.xml: compressed with method {method}: expected deflate or no compression"
            with pytest.raises(InputError, match=message):
                corpus.tree("a")

    def test_encrypted_members(self, tmp_path: Path) -> None:
        data = bytearray(zipped({"a.xml": b"<a/>"}))
        data[data.index(b"PK\1\2") + 8] |= 1
        data[6] |= 1
        with pytest.raises(InputError, match=r"a\.xml: cannot read the document: .* is encrypted"):
            opened(tmp_path, bytes(data)).tree("a")

    def test_members_that_share_their_data(self, tmp_path: Path) -> None:
        data = zipped({f"{i}.xml": b"<a/>" for i in range(3)})
        directory = data.index(b"PK\1\2")
        entries = bytearray(data[directory:])
        for entry in range(3):  # all data are those of the first member
            start = entry * (46 + len("0.xml")) + 42
            entries[start : start + 4] = b"\0\0\0\0"
        with pytest.raises(InputError, match=r"its members '0\.xml' and '1\.xml' overlap"):
            opened(tmp_path, data[:directory] + entries)

    def test_links_are_no_documents(self, tmp_path: Path) -> None:
        link = zipfile.ZipInfo("passwd.txt")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        path = tmp_path / "corpus"
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr(link, "/etc/passwd")
            archive.writestr("a.xml", "<a/>")
        assert list(Corpus(path)) == ["a"]

    def test_a_tar_archive_that_ends_with_a_zip_archive(self, tmp_path: Path) -> None:
        data = member("a.xml") + member("inner.zip", zipped({"b.xml": b"<b/>"})) + END
        assert list(opened(tmp_path, data)) == ["a"]


class TestManyMembers:
    @pytest.mark.parametrize("form", ["zip", "tar"])
    def test_limits(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str) -> None:
        names = [f"{i}.xml" for i in range(10)]
        tar = b"".join(map(member, names))
        data = zipped(dict.fromkeys(names, b"<a/>")) if form == "zip" else tar
        monkeypatch.setattr(archives, "MOST_MEMBERS", 10)
        assert len(list(opened(tmp_path, data))) == 10
        monkeypatch.setattr(archives, "MOST_MEMBERS", 9)
        with pytest.raises(InputError, match="corpus: the archive has more than 9 members; divide it"):
            opened(tmp_path, data)
        monkeypatch.setattr(archives, "LARGEST_DIRECTORY", 40)
        with pytest.raises(InputError, match="members' names are larger than 0 MB; divide"):
            opened(tmp_path, data)
