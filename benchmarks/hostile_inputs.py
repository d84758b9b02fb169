"""Hostile files, option values and environments for fuzz.py: damaged samples and known attacks."""

from __future__ import annotations

import functools
import gzip
import io
import json
import os
import random
import socket
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

PIECES = [
    b"<", b">", b"</", b'"', b"'", b"&", b"&x;", b"<!DOCTYPE a [<!ENTITY x 'y'>]>", b"<![CDATA[", b"-->",
    b"\x00", b"\xff\xfe", b"\xef\xbb\xbf", b"\r\n", b"\t", b"9" * 25, b"-1", b"NaN", b"1e999", b"0x1",
    b"[", b"]", b"{", b"}", b":", b"#", b"/", b"../", b"*a", b"&a ", b"!!python/name:os.system ", b"? ",
    b"(", b")", b"@", b"=", b"\xc3\xa9", b"\xed\xa0\x80", b"/a[1]" * 50, b" " * 500,
]  # fmt: skip


def mutated(data: bytes, chance: random.Random) -> bytes:
    """Return a sample with a few parts replaced, cut, doubled or swapped, or sometimes random bytes."""
    if chance.random() < 0.03:
        return chance.randbytes(chance.randrange(200))
    changed = bytearray(data)
    for _ in range(chance.choice((0, 1, 1, 2, 3, 6))):
        start = chance.randrange(len(changed) + 1)
        end = min(len(changed), start + chance.choice((0, 1, 1, 4, 30)))
        action = chance.randrange(5)
        if action == 0:
            changed[start:end] = chance.choice(PIECES)
        elif action == 1:
            changed[start:end] = chance.randbytes(end - start)
        elif action == 2:
            changed[start:end] = changed[start:end] * 2
        elif action == 3:
            del changed[start:end]
        else:
            changed[start:] = changed[: len(changed) - start]
    return gzip.compress(changed) if chance.random() < 0.02 else bytes(changed)


def archive(kind: str, members: dict[str, bytes]) -> bytes:
    """Return files as an archive.

    Args:
        kind: ``zip``, ``tar`` or ``tar.gz``.
        members: Name → content.
    """
    stream = io.BytesIO()
    if kind == "zip":
        with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as packed:
            for name, content in members.items():
                packed.writestr(name, content)
    else:
        compression = kind.removeprefix("tar").removeprefix(".")
        with tarfile.open(fileobj=stream, mode=f"w:{compression}") as unpacked:
            for name, content in members.items():
                info = tarfile.TarInfo(name)
                info.size = len(content)
                unpacked.addfile(info, io.BytesIO(content))
    return stream.getvalue()


HOSTILE_NAMES = [
    "", " ", "-", "--", "-1", "é", "\udcff", "a\nb", "a\x1b[31mb", "a\u202eb", "\u2028", "x" * 5000, "/", "..",
    "~", "$HOME", "*", "**", "**/*.xml", "[", "{a: &x [*x]}", "<b>&", "=1+1", "@SUM(1)", "$\\frac$", "|",
    "\\input{x}", "[red]", "%s", "{}", "a,b", "'", '"', "a:b", "builtins:exec", "os:system", "no.module:x",
    ":", "json:loads", "/dev/null", "/dev/zero", "/dev/full", "/proc/self/mem", "/proc/self/environ", ".",
    "http://127.0.0.1:1/x", "\U0010ffff", "all", "best", "\t", "\x7f", "\x9b",
]  # fmt: skip
"""Values for options and for names in files."""

NUMBERS = [
    "0", "1", "2", "3", "-1", "-0", "0.5", ".5", "1.", "1e0", "1e-300", "1e308", "1e309", "-1e309", "nan",
    "inf", "-inf", "1_0", "٣", "0x10", "1" + "0" * 5000, "9" * 400, "2147483648", "9223372036854775808",
    "18446744073709551616", "1e999999999", "+1", " 1", "", "1,5", "1/3", "True", "999999999", "1000000000",
]  # fmt: skip
"""Values for options and fields that hold numbers."""


def _xml_attacks() -> list[Callable[[], bytes]]:
    laughs = "".join(
        f"<!ENTITY e{n} '{f'&e{n - 1};' * 10}'>" if n else "<!ENTITY e0 'ha'>" for n in range(12)
    )
    return [
        lambda: b"<a>" * 5000 + b"</a>" * 5000,
        lambda: f"<!DOCTYPE a [{laughs}]><a>&e11;</a>".encode(),
        lambda: b'<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>',
        lambda: b'<!DOCTYPE a SYSTEM "http://127.0.0.1:1/a.dtd"><a>x</a>',
        lambda: b"<a>" + b"<b/>" * 100_000 + b"</a>",
        lambda: gzip.compress(b"<a>" + b"<b/>" * 1_000_000 + b"</a>"),
        lambda: b"<a>" + b"".join(b"<b%d/>" % n for n in range(30_000)) + b"</a>",
        lambda: b"<a x='" + b"y" * 12_000_000 + b"'/>",
        lambda: b"<" + b"a" * 100_000 + b"/>",
        lambda: b"<a " + b" ".join(b'b%d=""' % n for n in range(20_000)) + b"/>",
        lambda: b"<a>&#0;&#27;&#x1F;</a>",
        lambda: "<?xml version='1.0' encoding='UTF-16'?><a>x</a>".encode("utf-16"),
        lambda: b"<?xml version='1.0' encoding='UTF-7'?><a>+ADw-b/+AD4-</a>",
        lambda: b"<a>" + b"\n" * 70_000 + b"<b></a>",
        lambda: b"<a>" + b"x" * 11_000_000 + b"</a>",
        lambda: b"<a>" + b"<!-- c -->" * 50_000 + b"</a>",
        lambda: b"<a>" + b"<?p i?>" * 50_000 + b"</a>",
        lambda: b"<a xmlns:x='u'><x:b><x:c>text</x:c></x:b></a>",
        lambda: (
            b"<inex-submission run-id='r'>"
            + b"<topic topic-id='162'><result>"
            + b"<x/>" * 200_000
            + b"</result></topic></inex-submission>"
        ),
        lambda: b"<inex-submission run-id='a&#10;b&#9;'/>",
        lambda: gzip.compress(b" " * 100_000_000),
        lambda: b"",
    ]


def _line_attacks() -> list[Callable[[], bytes]]:
    many = 20_000
    return [
        lambda: b"162 Q0 d 1 " + b"9" * 5000 + b" r\n",
        lambda: b"162 Q0 d " + b"9" * 5000 + b" 1 r\n",
        lambda: b"162 0 d " + b"9" * 5000 + b"\n",
        lambda: b"162 Q0 d 20 99 " + b"9" * 400 + b" 5:" + b"9" * 400 + b"\n",
        lambda: b"162 Q0 d#/a" + b"/b" * 20_000 + b" 1 1 r\n",
        lambda: b"\n" * 200_000,
        lambda: b"x" * 2_000_000,
        lambda: b"".join(b"162 Q0 d%d 1 %d r\n" % (n, n) for n in range(many)),
        lambda: b"".join(b"%d 0 d 1\n" % n for n in range(many)),
        lambda: b"162 Q0 a\x1bb 1 1 r\x0bs\n",
        lambda: "162 Q0 d 1 1 a\u2028b\u202e\n".encode(),
        lambda: b"1 qid:" + b"9" * 5000 + b" 1:1\n",
        lambda: b"1 qid:1 " + b" ".join(b"%d:1" % n for n in range(50_000)) + b"\n",
        lambda: gzip.compress(b"x" * 100_000_000),
        lambda: gzip.compress(b"162 Q0 d 1 1 r\n" * 10)[:-3],
        lambda: b'{"topic": "1", "doc": "d", "level": ' + b"9" * 5000 + b"}\n",
        lambda: b'{"topic": "1", "doc": "d", "score": ' + b"[" * 100_000 + b"\n",
        lambda: b'{"topic": "1", "doc": "d", "start": -1, "end": 1e999, "exhaustivity": NaN}\n',
        lambda: b'{"topic": "\\ud800", "doc": "\\u0000\\u001b[31m", "score": 1}\n',
        lambda: b'{"topic": {}, "doc": [], "start": null, "end": true}\n',
        lambda: b"null\n[]\n1\n" + b'"x"\n',
        lambda: b"".join(
            b'{"topic": "162", "doc": "cs/1995/a00003", "start": %d, "end": %d, "exhaustivity": 1}\n'
            % (n, n + 50)
            for n in range(3000)
        ),
        lambda: "﻿162 0 d 1\n".encode("utf-16"),
    ]


YAML_VALUES = [
    *NUMBERS, "null", "~", "[]", "{}", "yes", "1:59:59", "2001-01-01", "!!python/object/apply:os.system [x]",
    "!!binary aGVsbG8=", "!!set {a, b}", "<<", "*x", "&x 1", "builtins:exec", "os:system", "model:exec",
    "{from: 0, to: 1, step: 1e-300}", "{from: 0, to: 1e308, step: 1}", "{from: nan, to: 1, step: 0.1}",
    "{from: 1, to: 0, step: 0.1}", "{from: 0, to: 1, step: 0}", "[[[[1]]]]", "{name: distance, reach: 1e9}",
    "[" * 60 + "]" * 60, "{1: " + "9" * 400 + "}", "\"a\\nb\\e\"", "'\u202e'", "|\n  a\n  b", "[1, 2, 3]",
    "/dev/zero", "/", "**/x", "..", "''", "nxCG@999999999", "nxCG@" + "9" * 5000, "[MAep, MAep]",
]  # fmt: skip
"""Values that replace a value of a configuration or a user model."""


def _yaml_attacks() -> list[Callable[[], bytes]]:
    doubling = "a0: &a0 [x, x]\n" + "".join(
        f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]\n" for n in range(1, 30)
    )
    return [
        lambda: b"[" * 26_000,
        lambda: b"a: " * 1000,
        lambda: b"- " * 26_000,
        lambda: b"? " * 26_000,
        lambda: b"{a: " * 26_000,
        doubling.encode,
        lambda: b"a: &a [*a]\n",
        lambda: b"gains: " + b":59" * 100_000,
        lambda: b"#" * 900_000,
        lambda: b"a: " + b"x " * 400_000,
        lambda: b"".join(b"k%d: v\n" % n for n in range(60_000)),
        lambda: b"name: m\nname: n\n",
        lambda: b"--- 1\n--- 2\n",
        "corpus: \u0085\n".encode,
        lambda: b"%YAML 9.9\n---\na: b\n",
        lambda: b"x" * 2_000_000,
        lambda: b"",
    ]


def _text_attacks() -> list[Callable[[], bytes]]:
    return [
        lambda: b"<p>" * 50_000,
        lambda: b"<script></script>" * 5000,
        lambda: b"<div>" * 20_000,
        lambda: b"- \n" * 50_000,
        lambda: b"> " * 5000,
        lambda: b"#" * 100_000,
        lambda: b"[" * 20_000,
        lambda: b"*" * 20_000,
        lambda: b"|" * 20_000 + b"\n" + b"|-" * 20_000,
        lambda: b"\n\n" * 100_000 + b"x",
        lambda: b"x\n\n" * 50_000,
        lambda: b"<table>" + b"<tr><td>" * 20_000,
        lambda: b"\x00\x1b[31m\x9b\n",
        lambda: b"&" + b"a" * 100_000,
        lambda: b"<!--" * 20_000,
        lambda: b"",
    ]


def _archive_attacks() -> list[Callable[[], bytes]]:
    def long_name() -> bytes:
        info = tarfile.TarInfo("a" * 90)
        info.type, info.size = tarfile.GNUTYPE_LONGNAME, 3 << 30
        return info.tobuf(tarfile.GNU_FORMAT) + b"a" * 10_240

    def huge_pax() -> bytes:
        info = tarfile.TarInfo("x")
        info.type, info.size = tarfile.XHDTYPE, 3 << 30
        return info.tobuf(tarfile.USTAR_FORMAT) + b"30 path=" + b"a" * 10_240

    return [
        long_name,
        lambda: gzip.compress(long_name()),
        huge_pax,
        lambda: archive("zip", {f"d{n}.xml": b"<a/>" for n in range(3000)}),
        lambda: archive("zip", {"../../etc/x.xml": b"<a/>", "/abs.xml": b"<a/>", "a\\b.xml": b"<a/>"}),
        lambda: archive("zip", {"d.xml": b"<a>" + b" " * 50_000_000 + b"</a>"}),
        lambda: archive("tar.gz", {"d.xml": b"<a>" + b"<b/>" * 1_000_000 + b"</a>"}),
        lambda: archive("tar", {"a//b.xml": b"<a/>", "./a/b.xml": b"<a/>", "": b"<a/>"}),
        lambda: b"PK\x05\x06" + b"\xff" * 18,
        lambda: b"\x1f\x8b" + b"\x00" * 50,
    ]


_ATTACKS = {
    "xml": _xml_attacks(),
    "lines": _line_attacks(),
    "yaml": _yaml_attacks(),
    "text": _text_attacks() + _line_attacks(),
    "archive": _archive_attacks(),
}
_KINDS = {
    ".xml": "xml",
    ".yaml": "yaml",
    ".md": "text",
    ".html": "text",
    ".txt": "text",
}
_KINDS |= dict.fromkeys((".zip", ".gz"), "archive")


@functools.cache
def _content(kind: str, number: int) -> bytes:
    return _ATTACKS[kind][number]()


def attack(path: Path, chance: random.Random) -> bytes:
    """Return a known attack for the kind of a file, or sometimes for another kind."""
    kind = _KINDS.get(path.suffix, "lines")
    if chance.random() < 0.1:
        kind = chance.choice(sorted(_ATTACKS))
    return _content(kind, chance.randrange(len(_ATTACKS[kind])))


def hostile_yaml(text: bytes, chance: random.Random) -> bytes:
    """Return a YAML file with one or two hostile values, keys or repeated keys."""
    lines = text.decode().splitlines()
    for _ in range(chance.choice((1, 1, 2))):
        number = chance.randrange(len(lines))
        key, colon, _ = lines[number].partition(":")
        value = chance.choice(YAML_VALUES + HOSTILE_NAMES[1:])
        if not colon or chance.random() < 0.05:
            lines[number] = f"{value}: 1"
        elif chance.random() < 0.1:
            lines.insert(number, f"{key}: {value}")
        else:
            lines[number] = f"{key}: {value}"
    return "\n".join(lines).encode("utf-8", "surrogateescape")


def hostile_field(data: bytes, chance: random.Random) -> bytes:
    """Return a file in which a hostile name or number replaces a word or number."""
    words = sorted({word for word in data[:20_000].replace(b'"', b" ").split() if word.isalnum()})
    if not words:
        return data
    value = chance.choice(HOSTILE_NAMES + NUMBERS).encode("utf-8", "surrogateescape")
    if chance.random() < 0.4:
        value = json.dumps(value.decode("utf-8", "replace")).encode()[1:-1]
    return data.replace(chance.choice(words), value, chance.choice((1, 1, -1)))


def replace_by_special_file(path: Path, chance: random.Random, named: bool) -> str:
    """Replace a file, for example by a socket or a link, and return the kind of replacement.

    Args:
        path: The file.
        chance: Source of random numbers.
        named: Whether the command names the file. A named file does not become a FIFO, because the
            command would read it.
    """
    kind = chance.choice(
        (
            "fifo",
            "socket",
            "folder",
            "loop",
            "dangling",
            "zero",
            "absent",
            "renamed",
            "doubled",
            "outside",
        )
    )
    if kind == "doubled":
        ending = chance.choice((".gz", ".txt", ".md", "~", ".bak"))
        path.with_name(path.name + ending).write_bytes(gzip.compress(path.read_bytes()))
        return kind
    if kind == "renamed":
        name = os.fsencode(
            chance.choice(["\udcff", "a\nb", "a\x1b[2Jb", "\u202e", "x" * 240, "*", "-", "é"])
        )
        os.rename(
            os.fsencode(path), os.path.join(os.fsencode(path.parent), name) + os.fsencode(path.suffix)
        )
        return kind
    path.unlink()
    if kind == "fifo" and named:
        kind = "absent"
    if kind == "fifo":
        os.mkfifo(path)
    elif kind == "socket":
        with socket.socket(socket.AF_UNIX) as server:
            folder = os.getcwd()
            os.chdir(path.parent)
            try:
                server.bind(path.name[-100:])
            finally:
                os.chdir(folder)
    elif kind == "folder":
        path.mkdir()
    elif kind == "loop":
        path.symlink_to(path.parent, target_is_directory=True)
    elif kind == "dangling":
        path.symlink_to(path.parent / "nothing")
    elif kind == "zero":
        path.symlink_to("/dev/zero")
    elif kind == "outside":
        path.symlink_to("/etc/passwd")
    return kind


VARIABLES: list[dict[str, str | None]] = [
    {"HOME": None},
    {"HOME": "/no/such/folder", "XCG_CACHE": None},
    {"HOME": "", "XCG_CACHE": None, "XDG_CACHE_HOME": ""},
    {"XDG_CACHE_HOME": "/dev/null", "XCG_CACHE": None},
    {"XCG_CACHE": "config.yaml"},
    {"XCG_CACHE": "/no/such/folder"},
    {"XCG_CACHE": "/proc"},
    {"XCG_CACHE": "documents"},
    {"XCG_CACHE": "\x1b[31m\nx"},
    {"XCG_CACHE": "off"},
    {"XCG_NONSENSE": "1", "XCG_NO_PLUGINS": "maybe"},
    {"XCG_NO_PLUGINS": "1"},
    {"LANG": "C", "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    {"PYTHONIOENCODING": "ascii"},
    {"COLUMNS": "0", "LINES": "0"},
    {"COLUMNS": "9" * 5000},
    {"COLUMNS": "-5", "TERM": "dumb"},
    {"TMPDIR": "/no/such/folder"},
    {"TMPDIR": "/dev/null"},
    {"TZ": "../../etc/passwd"},
    {"FORCE_COLOR": "1", "TERM": "xterm-256color"},
    {"NO_COLOR": "", "CLICOLOR_FORCE": "1"},
    {"MPLBACKEND": "nonsense", "MPLCONFIGDIR": "/dev/null"},
    {"OMP_NUM_THREADS": "-1", "OPENBLAS_NUM_THREADS": "x"},
]
"""Environment variables to set, or to remove (None)."""
