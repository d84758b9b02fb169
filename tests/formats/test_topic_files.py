"""Topic files: INEX, JSON Lines and CSV, illegal files and files of hostile content."""

from __future__ import annotations

from pathlib import Path

import pytest

from xcg.errors import InputError
from xcg.formats.topic_files import Topic, read_topics


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
    found = read_topics(write(tmp_path, "topics.xml", content))
    assert {topic.id: topic.title for topic in found.values()} == titles


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('<inex-submission><topic topic-id="1"/></inex-submission>', "t.xml: no topic with a title"),
        ("1 Q0 d 1 1 r", "t.xml: no topic with a title"),
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
        read_topics(write(tmp_path, "t.xml", content))


def test_two_files_with_different_titles_are_an_error(tmp_path: Path) -> None:
    files = [write(tmp_path, f"{t}.xml", f'<topic id="1"><title>{t}</title></topic>') for t in "ab"]
    with pytest.raises(InputError, match=r"b\.xml:1: topic 1 has another title in an earlier file"):
        read_topics(files)


def test_structural_hints_are_read(tmp_path: Path) -> None:
    path = "//article[about(., bees)]"
    topic = {"2": Topic("2", "bees", castitle=path)}
    xml = f'<topic id="2"><title>bees</title><castitle>{path}</castitle></topic>'
    assert read_topics(write(tmp_path, "t.xml", xml)) == topic
    assert read_topics(write(tmp_path, "t.csv", f'id,title,castitle\n2,bees,"{path}"\n')) == topic


_WHOLE = Topic("7", "dance of bees", "How do bees dance?", "Only honey bees are relevant.")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        (
            "t.xml",
            '<inex_topic topic_id="7"><title>dance  of bees</title><description>How do bees\n dance?'
            "</description><narrative><p>Only honey bees</p> are relevant.</narrative></inex_topic>",
        ),
        (
            "t.jsonl",
            '{"id": "7", "title": "dance of bees", "description": "How do bees dance?", '
            '"narrative": "Only honey bees\\nare relevant."}\n',
        ),
        (
            "t.csv",
            "id,title,narrative,description\n"
            '7,dance of bees,"Only honey bees\nare relevant.",How do bees dance?\n',
        ),
        (
            "bom.csv",
            "\ufeffID, Title ,narrative,description\r\n\r\n"
            "7,dance of bees,Only honey bees are relevant.,How do bees dance?\r\n",
        ),
    ],
)
def test_topics_have_a_description_and_a_narrative(tmp_path: Path, name: str, content: str) -> None:
    assert read_topics(write(tmp_path, name, content)) == {"7": _WHOLE}


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("t.csv", "title,id\n", "t.csv: no topic with a title"),
        ("t.csv", "id|title\n1|one\n", "t.csv:2: unknown field"),
        (
            "t.csv",
            "id,title,narative\n1,one,x\n",
            "t.csv:2: unknown field 'narative': did you mean 'narrative'",
        ),
        ("t.csv", 'id,title\n1,"a\nb"\n2,\n', "t.csv:4: the field 'title' is missing"),
        ("t.csv", 'id,title\n1,"a\n', "t.csv:2: illegal CSV: "),
        ("t.csv", f"id,title\n1,{'a' * 200_000}\n", "t.csv:2: illegal CSV: field larger"),
        ("t.csv", "id,title,id\n", "t.csv:1: the column 'id' occurs twice"),
        ("t.csv", "id,title\n1,a\x1b[31m\n", "t.csv:2: a control character"),
        ("t.csv", "id,title\n1,one\n1,uno\n", "t.csv:3: topic 1 has another title in line 2"),
        ("t.jsonl", '{"id": 1}\n', "t.jsonl:1: the field 'title' is missing"),
        ("t.jsonl", "{" * 100_000, "t.jsonl:1: not valid JSON"),
    ],
)
def test_illegal_tables_are_errors(tmp_path: Path, name: str, content: str, message: str) -> None:
    path = tmp_path / name
    path.write_text(content, newline="")
    with pytest.raises(InputError, match=message):
        read_topics(path)


def test_csv_in_another_encoding_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes("id,title\n1,Bienentänze\n".encode("latin-1"))
    with pytest.raises(InputError, match=r"t\.csv:2: not UTF-8 text"):
        read_topics(path)
