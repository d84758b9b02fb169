"""Elements of large XML files have the right line numbers."""

from __future__ import annotations

import io
import xml.parsers.expat
from collections.abc import Iterator

import pytest
from lxml import etree

from xcg.errors import InputError
from xcg.formats import base
from xcg.formats.base import XmlElements

BREAKS = "\n" * 65_530
RECORDS = {
    "one line per record": "<r><f>x</f></r>\n" * 9,
    "one line per field": "<r>\n <f>x</f>\n <f>y</f>\n</r>\n" * 9,
    "empty fields": "<r>\n<f/>\n\n<f/></r>" * 9,
    "several records per line": ("<r><f/><f/></r>" * 20 + "\n") * 9,
    "line breaks in texts": ("<r><f>x\n\ny</f>\n\n<f/>\n" + "long text\n" * 99 + "</r>\n") * 3,
    "line breaks in tags": "<r\n>\n<f\n\na='1'\n/>\n<f\n>x</f\n></r\n>" * 9,
    "comments": "<r><!--\n\n--><f/><?p\n?></r>\n" * 9,
}


def file_of(text: str) -> io.BufferedReader:
    return io.BufferedReader(io.BytesIO(text.encode()))


def lines_of_start_tags(text: str) -> Iterator[tuple[str, int]]:
    """Yield the name of every element and the line in which its start tag ends."""
    parser = xml.parsers.expat.ParserCreate()
    found: list[tuple[str, int]] = []
    parser.StartElementHandler = lambda name, _: found.append((name, parser.CurrentByteIndex))
    parser.Parse(text.encode(), True)
    for name, offset in found:
        yield name, text.count("\n", 0, text.index(">", offset)) + 1


@pytest.mark.parametrize("breaks", ["", BREAKS, BREAKS * 2])
@pytest.mark.parametrize("records", RECORDS.values(), ids=RECORDS)
def test_line_numbers_are_those_of_the_start_tags(records: str, breaks: str) -> None:
    text = f"<a>{breaks}{records}{records}</a>"
    elements = XmlElements(file_of(text), ["r"])
    lines = []
    for element in elements:
        lines += [(below.tag, elements.line(below)) for below in element.iter()]
    assert lines == list(lines_of_start_tags(text))[1:]


def test_elements_are_emptied_after_their_use() -> None:
    elements = XmlElements(file_of(f"<a>{BREAKS}{BREAKS}" + "<r><f>x</f></r>" * 3 + "</a>"), ["r"])
    for element in elements:
        assert element.findtext("f") == "x"
        before = element.getprevious()
        assert before is None or len(before) == 0
        assert len(elements._large_lines) <= 3  # root, record and field


def test_errors_have_large_line_numbers() -> None:
    with pytest.raises(etree.XMLSyntaxError) as error:
        list(XmlElements(file_of(f"<a>{BREAKS}{BREAKS}<b></a>"), ["r"]))
    assert error.value.lineno == 131_061


@pytest.mark.parametrize(
    "text", ["<a>{}<r/></a>", "<a><r>{}</r></a>", "<a><b><c>{}</c></b></a>", "<a><r/>{}</a>"]
)
def test_the_number_of_other_elements_is_limited(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(base, "MAX_ELEMENTS", 100)
    list(XmlElements(file_of(text.format("<x/>" * 90)), ["r"], "run.xml"))
    with pytest.raises(InputError, match=r"^run.xml:1: more than 100 elements without one of <r>; exp"):
        list(XmlElements(file_of(text.format("<x/>" * 110)), ["r"], "run.xml"))


@pytest.mark.parametrize("filler", ["<!-- a comment -->", "<?a processing instruction?>", "<x y='1'/>"])
def test_the_bytes_between_two_elements_are_limited(
    filler: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(base, "MAX_BYTES", 1 << 20)
    list(XmlElements(file_of(f"<a>{('<r/>' + filler * 999) * 99}</a>"), ["r"], "run.xml"))
    with pytest.raises(InputError, match=r"^run.xml:1: more than 1 MB without one of <r>; expected"):
        list(XmlElements(file_of(f"<a>{filler * 199_999}</a>"), ["r"], "run.xml"))


@pytest.mark.parametrize(
    "text",
    [
        "<!DOCTYPE a [<!ENTITY e '<r/>'>]>\n<a>&e;</a>",
        "<!DOCTYPE a [<!ENTITY e ''><!ENTITY f '&e;&e;'>]>\n<a>&f;</a>",
        "<!DOCTYPE a [<!ENTITY % e ''>]>\n<a></a>",
        "<!DOCTYPE a SYSTEM 'a.dtd'>\n<a>&e;</a>",
        "<!DOCTYPE a SYSTEM 'a.dtd'>\n<a>&e;<r/></a>",
        "<!DOCTYPE a SYSTEM 'a.dtd'>\n<a><r>&e;</r></a>",
    ],
)
def test_entities_are_refused_because_they_could_be_results(text: str) -> None:
    with pytest.raises(InputError, match=r"^run.xml:2: the file has entities, which are not read: exp"):
        list(XmlElements(file_of(text), ["r", "a"], "run.xml"))
