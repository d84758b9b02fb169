"""Documents in every form have the trees and texts of lxml, or end in an error."""

from __future__ import annotations

import pytest
from lxml import etree

from xcg.documents.parsing import parse_document

FORMS = {
    "spaces in tags": b"<a\n b = '1'\t><longer-name\tc='/'\n/><d ></d\n></a\n>\n",
    "references": b"<a b='&quot;'>x&amp;&lt;y &gt; z</a>",
    "characters": "<a>\u00e9 \u3000\U0001d11e<\u00e9l/>x</a>".encode(),
    "punctuation": b"<a>What? 1! #2: ]] / = x</a>",
    "quotes": b"""<a b="'" c='"'>"'</a>""",
    "an empty root": b"<a/>",
    "namespaces": b"<a xmlns:b='http://b' xmlns='http://c'><b:d/></a>",
    "255 levels": b"<a>" * 255 + b"x" + b"</a>" * 255,
    "an empty element on level 256": b"<a>" * 255 + b"<b/>" + b"</a>" * 255,
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


@pytest.mark.parametrize("data", FORMS.values(), ids=FORMS)
def test_trees_are_those_of_lxml(data: bytes) -> None:
    tree = parse_document(data)
    parser = etree.XMLParser(resolve_entities=False, remove_comments=True, remove_pis=True)
    elements = list(etree.fromstring(data, parser).iter("*"))
    assert list(map(tree.tag, range(len(tree)))) == [etree.QName(e).localname for e in elements]
    texts = ["".join(element.itertext()).replace("&b;", "\ufffc") for element in elements]
    assert list(map(tree.element_text, range(len(tree)))) == texts
    assert tree.words.tolist() == [len(text.split()) for text in texts]
