"""The charset of HTML pages: byte order mark, declaration, UTF-8, windows-1252, in this order."""

from __future__ import annotations

import codecs

import pytest

import xcg
from xcg.errors import InputError

WORDS = "Größe – café"


def text_of(data: bytes) -> str:
    return xcg.Corpus.of({"d.html": data}).tree("d").text


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (WORDS.encode(), WORDS),
        (codecs.BOM_UTF8 + WORDS.encode(), WORDS),
        (codecs.BOM_UTF16_LE + WORDS.encode("utf-16-le"), WORDS),
        (codecs.BOM_UTF16_BE + WORDS.encode("utf-16-be"), WORDS),
        (WORDS.encode("cp1252"), WORDS),
        (b"<meta charset=iso-8859-1>" + WORDS.encode("cp1252"), WORDS),
        (b'<meta charset="latin1">\x80', "€"),
        (b"<META http-equiv=Content-Type content='a; charset=Shift_JIS'>" + "猫".encode("cp932"), "猫"),
        (b"<meta content='a; charset=x-sjis' http-equiv=content-type>" + "①".encode("cp932"), "①"),
        (b"<meta http-equiv=refresh content='3; charset=koi8-r'>" + WORDS.encode(), WORDS),
        (b"<meta name=description content='set charset=koi8-r'>" + WORDS.encode(), WORDS),
        (b"<meta data-charset=koi8-r><metadata charset=koi8-r></metadata>" + WORDS.encode(), WORDS),
        (b"<p title='<meta charset=koi8-r>'>" + WORDS.encode(), WORDS),
        (b"<meta charset=x><meta name='>' charset = 'koi8-r'/>" + "пчела".encode("koi8-r"), "пчела"),
        (b"<?xml encoding='koi8-r'?><meta charset=utf-8>" + WORDS.encode(), WORDS),
        (b"<meta charset=iso-ir-100>" + WORDS.encode("cp1252"), WORDS),
        (b"<meta charset=latin5>\x93\xf0\x94", "“ğ”"),
        (b"<meta charset=ISO-2022-JP><p>" + "猫と犬".encode("iso2022_jp"), "猫と犬"),
        (b'<?xml version="1.0" encoding="koi8-r"?><p>' + "пчела".encode("koi8-r"), "пчела"),
        (b"<meta charset=gb2312>" + "镕".encode("gbk"), "镕"),
        (b"<!-- <meta charset=koi8-r> -->" + WORDS.encode(), WORDS),
        (b"<meta charset=unicode_escape>\\u0041", "\\u0041"),
        (b"<meta charset=utf-7>+AEE-", "+AEE-"),
        (b"<meta charset=cp037>" + WORDS.encode(), WORDS),
        (b"<meta charset=rot13>" + WORDS.encode(), WORDS),
        (b"<meta charset=nonsense>" + WORDS.encode(), WORDS),
        (b"<meta charset=utf-16><meta charset=koi8-r>" + WORDS.encode(), WORDS),
        (b" " * 1100 + b"<meta charset=koi8-r>" + WORDS.encode(), WORDS),
        (b"one\x00two\x0b three", "one two  three"),
    ],
)
def test_a_page_is_decoded_as_the_standard_says(data: bytes, text: str) -> None:
    assert text_of(data).strip() == text


@pytest.mark.parametrize("name", ["d.html", "d.txt", "d.md", "d"])
@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf_16_without_a_mark_is_an_error(name: str, encoding: str) -> None:
    corpus = xcg.Corpus.of({name: "Bees dance.<p>".encode(encoding)})
    with pytest.raises(InputError, match=f"{name}: UTF-16 without a byte order mark, or no text"):
        corpus.tree("d")


@pytest.mark.parametrize(
    ("data", "charset"),
    [(b"\x81", "windows-1252, as it declares none"), (b"<meta charset=utf-8>\xe9", "utf-8")],
)
def test_illegal_bytes_are_an_error(data: bytes, charset: str) -> None:
    with pytest.raises(
        InputError, match=f"d.html: not HTML: byte .* illegal in its charset {charset};"
    ):
        text_of(data)
