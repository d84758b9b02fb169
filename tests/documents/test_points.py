"""Passages by points, as the files of INEX 2005 and after name them."""

from __future__ import annotations

import pickle
from pathlib import Path

import lxml.etree
import pytest

import xcg
from xcg.documents.corpus import Corpus
from xcg.documents.parsing import parse_document
from xcg.documents.passage_points import Passage
from xcg.documents.tree import UnknownPathError
from xcg.errors import InputError
from xcg.evaluation.conversion import assess_elements_of_passages
from xcg.formats.base import read_assessments, read_run

# characters:          0123456789 0123 456789 0123456789
DOCUMENT = "<a>lead text.<p>one <b>bold</b> two</p><p>the second</p> tail</a>"
TEXT = "lead text.one bold twothe second tail"


@pytest.mark.parametrize(
    ("start", "end", "text"),
    [
        ("/a[1]", "/a[1]", TEXT),
        ("/a/p[1]", "/a/p[1]", "one bold two"),
        ("/a/p[1]/text()[1].0", "/a/p[1]/text()[1].3", "one"),
        ("/a/p[1]/text()[2].1", "/a/p[2]/text()[1].3", "twothe"),
        ("/a/text()[1].5", "/a/p[1]/b[1]", "text.one bold"),
        ("/a/p[2]/text().4", "/a/text()[2].5", "second tail"),
    ],
)
def test_points(start: str, end: str, text: str) -> None:
    tree = parse_document(DOCUMENT.encode())
    first, behind = Passage.of(start, end).characters(tree)
    assert TEXT[first:behind] == text == tree.text[first:behind]


@pytest.mark.parametrize(
    ("start", "end", "message"),
    [
        ("/a/p[3]", "/a", "/a[1] has 2 'p' child elements"),
        ("/a/p[2]", "/a/p[1]", "contains no text"),
        ("/a/p[2]/text()[2].0", "/a", "/a[1]/p[2] has 1 text nodes"),
        ("/a/p[2]/text()[1].11", "/a", "that text node has 10 characters"),
    ],
)
def test_points_that_a_document_does_not_have(start: str, end: str, message: str) -> None:
    with pytest.raises(UnknownPathError) as raised:
        Passage.of(start, end).characters(parse_document(DOCUMENT.encode()))
    assert message in str(raised.value)


BREAKS = [
    "<a>one<!-- x -->two</a>",
    "<a><!-- x -->one<?pi?>two<b/><!-- y -->three<!-- z --><!-- z -->four<b>five<?pi?>six</b></a>",
    "<a>one<![CDATA[ <two> ]]>three<!-- x --> <b>four</b><!-- x --></a>",
    "<!-- x --><a xmlns='u'>é<!-- < > & -->中<b_>two</b_></a><!-- y -->",
    "<a>one</a>",
]


@pytest.mark.parametrize("document", BREAKS)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_text_nodes_are_those_of_xpath(document: str, encoding: str) -> None:
    declared = f"<?xml version='1.0' encoding='{encoding}'?>{document}".encode(encoding)
    root = lxml.etree.fromstring(declared, lxml.etree.XMLParser(strip_cdata=True))
    tree = parse_document(declared)
    for row, element in enumerate(root.iter("*")):
        nodes = [tree.text[start:end] for start, end in tree.text_nodes(row)]
        assert nodes == element.xpath("text()")
    for copy in (pickle.loads(pickle.dumps(tree)), Corpus.of({"d": declared}).tree("d")):
        assert copy.text_nodes(0) == tree.text_nodes(0)


ENTITIES = [
    ('<!ENTITY e "<p>x</p>">', "&e;"),
    ('<!ENTITY e "x &f;"><!ENTITY f "&#60;p/>">', "&e;"),
    ('<!ENTITY e SYSTEM "chapter.xml">', "<q>&e;</q>"),
]


@pytest.mark.parametrize(("declarations", "content"), ENTITIES)
def test_entities_with_elements_are_errors(declarations: str, content: str) -> None:
    document = f"<!DOCTYPE a [{declarations}]>\n<a>{content}<p>y</p></a>"
    with pytest.raises(
        InputError, match=r"d\.xml:2: the entity &e; contains elements, entities or a file"
    ):
        parse_document(document, "d.xml")
    assert parse_document(document.replace("&e;", "")).paths[-1] == "/a[1]/p[1]"  # only declared


def test_entities_with_text_count_as_a_character() -> None:
    document = "<!DOCTYPE a [<!ENTITY e 'x &lt; &#38;lt;'>]><a>&e;<p>y</p></a>"
    assert parse_document(document).text == "\ufffcy"


ASSESSMENTS = """<assessments topic="7" version="2"><file name="d">
<passage start="/a[1]/p[1]" end="/a[1]/p[2]/text()[1].3" size="15"/>
</file></assessments>"""
RUN = """<inex-submission run-id="r"><topic topic-id="7"><result><file>d</file>
<passage start="/a[1]/p[2]/text()[1].0" end="/a[1]/p[2]/text()[1].3"/></result></topic>
</inex-submission>"""


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_points_beyond_the_document(tmp_path: Path) -> None:
    model = {"name": "m", "quantisation": "inex2006_gen", "spans": "smallest_element"}
    base = write(tmp_path, "base.xml", ASSESSMENTS)
    run = write(tmp_path, "run.xml", RUN.replace("text()[1].3", "text()[1].30"))
    with pytest.raises(InputError, match=r"run\.xml, topic 7, rank 1, d: no .*has 10 characters"):
        xcg.evaluate(base, run, {"d": DOCUMENT}, model)
    far = write(tmp_path, "far.xml", ASSESSMENTS.replace("text()[1].3", "text()[1].30"))
    with pytest.raises(InputError, match=r"far\.xml, topic 7, d: no .*has 10 characters"):
        xcg.evaluate(far, run, {"d": DOCUMENT}, model)


def test_converted(tmp_path: Path) -> None:
    run = read_run(write(tmp_path, "run.xml", RUN))
    text, lost = run.to_text("inex")
    again = read_run(write(tmp_path, "again.xml", text))
    assert again.rankings == run.rankings
    assert not lost
    for form in ("trec", "jsonl"):
        with pytest.raises(xcg.XcgError, match="needs offsets"):
            run.to_text(form)
    base = read_assessments(write(tmp_path, "base.xml", ASSESSMENTS))
    corpus = Corpus.of({"d": DOCUMENT})
    elements, lost = assess_elements_of_passages(base, corpus).to_text("inex2005")
    assert not lost
    found = read_assessments(write(tmp_path, "elements.xml", elements)).files["7"]["d"]
    assert {path: (a.specificity, a.characters) for path, a in found.items()} == {
        "/a[1]": (15 / 37, 37),
        "/a[1]/p[1]": (1, 12),
        "/a[1]/p[1]/b[1]": (1, 4),
        "/a[1]/p[2]": (0.3, 10),
    }
    offsets = write(tmp_path, "offsets", "7 Q0 d 4 37 -1 14:4\n")
    text = read_assessments(offsets).to_text("offsets", corpus.length)
    assert text == ("7 Q0 d 4 37 -1 14:4\n", [])
