"""Test the serialised form of documents, and documents that already have it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from random_cases import markup

from xcg.documents import serialising
from xcg.documents.parsing import parse_document, trees_of
from xcg.documents.serialising import Serialised, serialise
from xcg.documents.tree import COLUMNS, ElementTree
from xcg.errors import InputError

HEADS = ["", "<?xml version='1.0'?>\n", '<?xml version="1.0" encoding="utf-8"?>', "\n"]
ALREADY_SERIALISED = {
    "spaces in tags": b"<a\n b = '1'\t><longer-name\tc='/'\n/><d ></d\n></a\n>\n",
    "references": b"<a b='&quot;'>x&amp;&lt;y &gt; z</a>",
    "characters": "<a>\u00e9 \u3000\U0001d11e<\u00e9l/>x</a>".encode(),
    "punctuation": b"<a>What? 1! #2: ]] / = x</a>",
    "quotes": b"""<a b="'" c='"'>"'</a>""",
    "an empty root": b"<a/>",
    "namespaces": b"<a xmlns:b='http://b' xmlns='http://c'><b:d/></a>",
    "255 levels": b"<a>" * 255 + b"x" + b"</a>" * 255,
    "an empty element on level 256": b"<a>" * 255 + b"<b/>" + b"</a>" * 255,
}
OTHER_FORMS = {
    "comment": b"<a>x<!-- <b/> -->y</a>",
    "comment after the root": b"<a>x</a><!-- y -->",
    "CDATA": b"<a><![CDATA[<b/>]]></a>",
    "instruction": b"<a><?b <c/>?>x</a>",
    "DTD": b"<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>",
    "greater-than sign": b"<a>x > y<b/> > z</a>",
    "greater-than sign in an attribute": b"<a b='>'>x<c/></a>",
    "character reference": b"<a>x&#32;y&#x20;z&#60;b/&#62;</a>",
    "line break": b"<a>x\r\ny</a>",
    "identifier": b"<a xml:id='b'/>",
    "byte order mark": b"\xef\xbb\xbf<a>x</a>",
    "UTF-16": "<a>x</a>".encode("utf-16"),
    "UTF-16 without a mark": "<?xml version='1.0'?><a>x</a>".encode("utf-16-le"),
    "Latin-1": b"<?xml version='1.0' encoding='iso-8859-1'?><a>\xe9</a>",
    "XML 1.1": b"<?xml version='1.1'?><a>x</a>",
    "256 levels": b"<a>" * 256 + b"x" + b"</a>" * 256,
}
ERRORS = {
    "257 levels": b"<a>" * 257 + b"</a>" * 257,
    "an empty element on level 257": b"<a>" * 256 + b"<b/>" + b"</a>" * 256,
    "unknown prefix": b"<x:a/>",
    "unknown prefix of an attribute": b"<a x:b='1'/>",
    "no name after the prefix": b"<a:/>",
    "two prefixes": b"<a:b:c/>",
    "empty namespace": b"<a xmlns:x=''/>",
    "illegal namespace": b"<a xmlns='no uri % '/>",
    "attribute twice in a namespace": b"<a xmlns:p='u' xmlns:q='u' p:b='1' q:b='2'/>",
    "attribute twice": b"<a b='1' b='2'/>",
    "illegal identifier": b"<a xml:id='1 2'/>",
    "identifier twice": b"<a><b xml:id='c'/><b xml:id='c'/></a>",
    "undefined entity": b"<a>&foo;</a>",
    "control character": b"<a>\x01</a>",
    "no UTF-8": b"<a>\xff</a>",
    "surrogate": b"<a>\xed\xa0\x80</a>",
    "text after the root": b"<a/>x",
    "two roots": b"<a></a><b/>",
    "wrong end": b"<a><b></a></b>",
    "no end": b"<a><b/>",
    "open tag": b"<a></a><",
    "signs in the wrong order": b"<a>><</a>",
    "long text": b"<a>" + b"x" * 10_000_001 + b"</a>",
}


def through_a_tree(data: bytes, name: object = "document") -> Serialised:
    return serialising.serialised_root(serialising.document_root(data, name), name)


def columns(tree: ElementTree) -> list[object]:
    return [tree.tag_names, *(getattr(tree, column).tolist() for column in COLUMNS)]


def assert_same_tree(data: bytes) -> None:
    [expected] = trees_of([through_a_tree(data)], [str])
    tree = parse_document(data)
    assert columns(tree) == columns(expected)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(serialising, "_already_serialised", lambda _: None)
        assert parse_document(data).text == tree.text


def is_used_as_it_is(data: bytes) -> bool:
    return serialising._already_serialised(data) is not None


@pytest.mark.parametrize("data", ALREADY_SERIALISED.values(), ids=ALREADY_SERIALISED)
def test_documents_in_the_serialised_form_are_not_serialised(data: bytes) -> None:
    for head in HEADS:
        document = head.encode() + data
        assert is_used_as_it_is(document)
        assert serialise(document).content == data.rstrip()
        assert_same_tree(document)


@pytest.mark.parametrize("data", OTHER_FORMS.values(), ids=OTHER_FORMS)
def test_documents_in_another_form_are_serialised(data: bytes) -> None:
    assert not is_used_as_it_is(data)
    assert serialise(data).content == through_a_tree(data).content
    assert_same_tree(data)


@pytest.mark.parametrize("data", ERRORS.values(), ids=ERRORS)
def test_documents_in_any_form_have_the_same_errors(data: bytes) -> None:
    with pytest.raises(InputError) as expected:
        through_a_tree(data, "d.xml")
    with pytest.raises(InputError) as error:
        serialise(data, "d.xml")
    assert str(error.value) == str(expected.value)


@given(st.sampled_from(HEADS), markup(), st.sampled_from(["", "\n", " \n\t"]))
def test_trees_do_not_depend_on_the_form(head: str, source: str, end: str) -> None:
    assert_same_tree(f"{head.lstrip()}{source}{end}".encode())


@given(markup(), st.data())
def test_damaged_documents_have_the_same_trees_and_errors(source: str, data: st.DataObject) -> None:
    document = source.encode()
    for _ in range(data.draw(st.integers(1, 3))):
        start = data.draw(st.integers(0, len(document)))
        stop = data.draw(st.integers(start, min(start + 3, len(document))))
        piece = data.draw(
            st.sampled_from([*"<>/&;:=!?' \"\r\n", "</", "/>", "<!--", "-->", "x:", "<b>", ""])
        )
        document = document[:start] + piece.encode() + document[stop:]
    try:
        through_a_tree(document)
    except InputError as expected:
        with pytest.raises(InputError) as error:
            serialise(document)
        assert str(error.value) == str(expected)
    else:
        assert_same_tree(document)
