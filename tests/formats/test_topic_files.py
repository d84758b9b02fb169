"""INEX topic files: titles, illegal files and files of hostile content."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from conftest import ROOT

from xcg.errors import InputError
from xcg.formats.topic_files import LONGEST_TITLE, read_topic_titles


def write(folder: Path, name: str, content: str) -> Path:
    path = folder / name
    path.write_text(content)
    return path


@pytest.mark.parametrize(
    ("content", "titles"),
    [
        (
            '<inex_topic topic_id="162" query_type="CO" ct_no="1">\n<title>Text\n and index</title>'
            "<description>No</description></inex_topic>",
            {"162": "Text and index"},
        ),
        (
            '<INEX-Topic topic-id="01" query-type="CAS"><Title><te>article</te> <cw>XML</cw></Title>'
            "</INEX-Topic>",
            {"01": "article XML"},
        ),
        (
            '<inex-topic-file><topic id="2009001" ct_no="1"><title>Nobel prize</title>'
            '<castitle>//a</castitle></topic><topic id="2009002" ct_no="2"><title>best movie</title>'
            "</topic></inex-topic-file>",
            {"2009001": "Nobel prize", "2009002": "best movie"},
        ),
        (
            '<assessments topic="202" version="2"><inex_topic topic_id="202"><title>ontologies</title>'
            '</inex_topic><file collection="ieee" name="d"/></assessments>',
            {"202": "ontologies"},
        ),
        (
            '<topics><topic id="1"><title/></topic><topic id="2"><title>two</title></topic></topics>',
            {"2": "two"},
        ),
    ],
    ids=["2004", "2002", "2009", "assessments", "without a title"],
)
def test_topics_have_the_titles_of_their_files(
    tmp_path: Path, content: str, titles: dict[str, str]
) -> None:
    assert read_topic_titles(write(tmp_path, "topics.xml", content)) == titles


def test_the_sample_has_a_title_for_each_topic() -> None:
    titles = read_topic_titles(ROOT / "corpora_samples/handbook-topics")
    assert list(titles) == [str(number) for number in range(1, 16)]
    assert titles["13"] == "order of tied results TREC run"


def test_files_can_be_compressed(tmp_path: Path) -> None:
    file = tmp_path / "topics.xml.gz"
    file.write_bytes(gzip.compress(b'<topic id="1"><title>one</title></topic>'))
    assert read_topic_titles([file]) == {"1": "one"}


def test_long_titles_are_shortened(tmp_path: Path) -> None:
    content = f'<topic id="1"><title>{"long " * 200}</title></topic>'
    title = read_topic_titles(write(tmp_path, "t.xml", content))["1"]
    assert len(title) <= LONGEST_TITLE + 2
    assert title.endswith("long …")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('<inex-submission><topic topic-id="1"/></inex-submission>', "t.xml: no topic with a title"),
        ("1 Q0 d 1 1 r", "t.xml:1: "),
        (
            '<t>\n<topic id="1"><title>one</title></topic>\n<topic id="1"><title>uno</title></topic>'
            "</t>",
            "t.xml:3: topic 1 has another title in line 2",
        ),
        (f'<topic id="{"1" * 5000}"><title>one</title></topic>', "t.xml:1: "),
    ],
)
def test_illegal_files_are_errors(tmp_path: Path, content: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_topic_titles(write(tmp_path, "t.xml", content))


def test_two_files_with_different_titles_are_an_error(tmp_path: Path) -> None:
    files = [write(tmp_path, f"{t}.xml", f'<topic id="1"><title>{t}</title></topic>') for t in "ab"]
    with pytest.raises(InputError, match=r"b\.xml:1: topic 1 has another title in an earlier file"):
        read_topic_titles(files)


def test_entities_are_not_expanded(tmp_path: Path) -> None:
    secret = write(tmp_path, "secret", "password")
    content = (
        f'<!DOCTYPE topic [<!ENTITY s SYSTEM "{secret.as_uri()}"><!ENTITY a "aaaaaaaaaa">]>'
        '<topic id="1"><title>one &s; &a;</title></topic>'
    )
    title = read_topic_titles(write(tmp_path, "t.xml", content))["1"]
    assert "password" not in title
    assert "aaaaaaaaaa" not in title
