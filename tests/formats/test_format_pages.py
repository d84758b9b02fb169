"""Read the samples on the pages of docs/reference/formats/, and what the pages state as refused.

tests/test_documentation.py runs the commands of the pages.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from conftest import ROOT

from xcg.documents.corpus import Corpus
from xcg.documents.passage_points import Passage
from xcg.documents.paths import canonical_file, canonical_path
from xcg.errors import Notes
from xcg.formats.base import read_assessments, read_run
from xcg.formats.json_records import document_key
from xcg.formats.topic_files import read_topics
from xcg.judgements.anchoring import anchor
from xcg.judgements.recall_base import ASSESSMENT_FORMATS, RecallBase
from xcg.runs.run import RUN_FORMATS

FOLDER = ROOT / "docs" / "reference" / "formats"
PAGES = {page.stem: page.read_text(encoding="utf-8") for page in sorted(FOLDER.glob("*.md"))}
SAMPLE = re.compile(r"^```\{code-block\} \w+\n:caption: (\S+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
REFUSED = re.compile(r"^\| refused \| message \|\n\|[-|]+\|\n((?:\|.*\n)+)", re.MULTILINE)
SECTION_6 = "/article[1]/bdy[1]/sec[6]"

Results = dict[str, list[tuple[str, str, object]]]
RUNS: dict[tuple[str, str], tuple[str, str, Results]] = {
    ("trec", "run.txt"): (
        "trec",
        "bm25",
        {
            "162": [
                ("d", "/a[1]", None),
                ("d", "/a[1]/s[2]", None),
                ("d", "/a[1]/s[1]", None),
                ("e", "/", None),
            ]
        },
    ),
    ("trec", "elements.txt"): (
        "trec",
        "focused",
        {
            "2009001": [
                ("851", "/article[1]/plant[1]/bdy[1]/sec[4]", None),
                ("912", "/article[1]", None),
            ]
        },
    ),
    ("trec", "passages.txt"): (
        "trec",
        "fetch",
        {"2009001": [("851", "", (1205, 4636)), ("912", "", (-18, 0))]},
    ),
    ("inex", "run.xml"): (
        "inex",
        "bm25",
        {"162": [("co/2001/r7022", SECTION_6, None), ("co/2001/r7022", "/article[1]", None)]},
    ),
    ("inex", "passages.xml"): (
        "inex",
        "passages",
        {
            "162": [
                ("d", "", Passage.of("/article/p[1]/text()[1].5", "/article/p[2]")),
                ("d", "", (120, 200)),
            ]
        },
    ),
    ("json-runs", "elements.jsonl"): (
        "jsonl",
        "elements",
        {"162": [("co/2001/r7022", SECTION_6, None), ("co/2001/r7023", "/", None)]},
    ),
    ("json-runs", "chunks.jsonl"): (
        "jsonl",
        "chunks",
        {"q1": [("bees", "", (0, 9)), ("bees", "", (10, 33))]},
    ),
}

Elements = dict[str, dict[str, dict[str, str]]]
ASSESSMENTS: dict[tuple[str, str], Elements] = {
    ("inex", "162.xml"): {"162": {"co/2001/r7022": {"/article[1]": "(3,1)", SECTION_6: "(3,3)"}}},
    ("inex", "2002.xml"): {
        "1": {"co/2001/r7022": {SECTION_6: "(3,E)", "/article[1]/bdy[1]/sec[4]": "(0,N)"}}
    },
    ("inex", "2005.xml"): {
        "202": {
            "co/2001/r7022": {
                "/article[1]": "(1,0.2)",
                SECTION_6: "(2,0.8)",
                f"{SECTION_6}/p[1]": "(0,1)",
            }
        }
    },
    ("inex", "inex.qrels"): {
        "2009001": {"851": {"1205–4636": "2", "4643–6083": "2"}, "912": {}},
        "2009002": {"851": {"0–100": "2"}},
    },
    ("trec", "qrels.txt"): {
        "351": {
            "FT911-3": {"/": "level 2"},
            "FT911-4": {"/": "level 0"},
            "co/2001/r7022": {SECTION_6: "level 1.5"},
        }
    },
    ("trec", "letor.txt"): {
        "10": {"GX000-1": {"/": "level 2"}, "GX000-2": {"/": "level 0"}},
        "11": {"GX000-9": {"/": "level 1"}},
    },
    ("json-assessments", "elements.jsonl"): {
        "162": {"co/2001/r7022": {"/article[1]": "(3,1)", SECTION_6: "(3,3)"}}
    },
    ("json-assessments", "levels.jsonl"): {
        "162": {
            "co/2001/r7022": {SECTION_6: "level 2"},
            "co/2001/r7023": {"/": "level 1.5"},
            "co/2001/r7024": {"/": "level 0"},
        }
    },
    ("json-assessments", "passages.jsonl"): {
        "q1": {"bees": {"10–33": "2"}, "ants": {"0–40": "3"}},
        "q2": {"wasps": {}},
    },
}
DOCUMENTS = {"co/bees.xml", "page.html", "notes.md", "plain.txt"}
OTHERS = {("documents", f"corpus/{name}") for name in DOCUMENTS} | {
    ("json-assessments", "marks.jsonl"),
    ("json-assessments", "marked/bees.xml"),
    ("json-assessments", "quotes.jsonl"),
    ("json-runs", "texts.jsonl"),
    ("json-runs", "corpus/bees.md"),
    ("names", "names.csv"),
    ("json-assessments", "words.jsonl"),
    ("json-assessments", "corpus/bees.md"),
    ("documents", "162.xml"),
    ("documents", "2009.xml"),
    ("documents", "topics.jsonl"),
    ("documents", "topics.csv"),
}


def write_samples(page: str, folder: Path) -> Path:
    """Write the samples of a page into a folder."""
    for name, content in SAMPLE.findall(PAGES[page]):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content, encoding="utf-8")
    return folder


def described(base: RecallBase) -> Elements:
    """Return topic → document → path or span → grades."""
    return {
        topic: {
            **{
                document: {path: one.label for path, one in elements.items()}
                for document, elements in base.files[topic].items()
            },
            **{
                document: {f"{start}–{end}": f"{grade:g}" for start, end, grade in spans}
                for document, spans in base.spans[topic].items()
            },
        }
        for topic in base.topics
    }


def test_every_sample_is_read_by_a_test() -> None:
    samples = {(page, name) for page, text in PAGES.items() for name, _ in SAMPLE.findall(text)}
    assert samples == {*RUNS, *ASSESSMENTS, *OTHERS}


def test_every_registered_format_has_a_page() -> None:
    named = {
        name
        for text in PAGES.values()
        for sentence in re.findall(r"format\s+names?\s+(?:is|are)\s+([^.]*)\.", text)
        for name in re.findall(r"`(\w+)`", sentence)
    }
    runs = set(RUN_FORMATS.registered())
    assessments = set(ASSESSMENT_FORMATS.registered())
    assert named == runs | assessments


@pytest.mark.parametrize(("page", "name"), RUNS)
def test_a_sample_of_a_run_has_the_stated_results(page: str, name: str, tmp_path: Path) -> None:
    format_name, run_name, expected = RUNS[page, name]
    run = read_run(write_samples(page, tmp_path) / name)
    assert (run.format, run.name) == (format_name, run_name)
    assert f"`{format_name}`" in PAGES[page]
    assert expected == {
        topic: [
            (document, path, ranking.spans.get(index)) for index, (document, path) in enumerate(ranking)
        ]
        for topic, ranking in run.rankings.items()
    }


@pytest.mark.parametrize(("page", "name"), ASSESSMENTS)
def test_a_sample_of_assessments_has_the_stated_grades(page: str, name: str, tmp_path: Path) -> None:
    base = read_assessments(write_samples(page, tmp_path) / name)
    assert described(base) == ASSESSMENTS[page, name]


def test_the_sample_of_inex_2005_has_a_passage_and_an_entry_point(tmp_path: Path) -> None:
    base = read_assessments(write_samples("inex", tmp_path) / "2005.xml")
    assert len(base.passages["202"]["co/2001/r7022"]) == 1
    assert list(base.entry_points["202"]) == ["co/2001/r7022"]


def test_the_offset_qrels_state_sizes_and_an_entry_point(tmp_path: Path) -> None:
    base = read_assessments(write_samples("inex", tmp_path) / "inex.qrels")
    assert base.document_sizes["2009001"] == {"851": (4871, 10656), "912": (0, 4000)}
    assert dict(base.entry_points["2009001"]) == {"851": 1205}
    assert "2009002" not in base.entry_points


def test_the_quotes_occur_in_their_document(tmp_path: Path) -> None:
    base = read_assessments(write_samples("json-assessments", tmp_path) / "quotes.jsonl")
    corpus = Corpus.of({"bees": "<p>Bees dance on the comb. The angle is the direction.</p>"})
    found = described(anchor(base, corpus, Notes()))
    assert found == {
        "q1": {"bees": {"0–23": "2"}},
        "q2": {"bees": {"41–50": "2"}},
        "q3": {"bees": {"5–10": "2"}},
    }


def test_documents_have_the_stated_elements(tmp_path: Path) -> None:
    corpus = Corpus(write_samples("documents", tmp_path) / "corpus")
    rows = re.findall(r"^\| `([\w/]+)` \| (`/.*)\|$", PAGES["documents"], re.MULTILINE)
    assert [name for name, _ in rows] == ["co/bees", "page", "notes", "plain"]
    for name, paths in rows:
        assert corpus.tree(name).paths == re.findall("`(.*?)`", paths)
    assert corpus.tree("notes").text == (tmp_path / "corpus" / "notes.md").read_text()


def test_names_and_paths_are_read_as_stated() -> None:
    text = PAGES["names"]
    pairs = re.findall(r"^\| `(.*?)` \| `(.*?)` \|$", text, re.MULTILINE)
    assert len(pairs) == 5
    for written, read in pairs:
        assert (canonical_path if written.startswith("/") else canonical_file)(written) == read
    for path, message in refused("names"):
        with pytest.raises(ValueError, match=re.escape(message)):
            canonical_path(path)


def test_topic_titles_are_read(tmp_path: Path) -> None:
    folder = write_samples("documents", tmp_path)
    topics = read_topics([folder / "162.xml", folder / "2009.xml"])
    assert {topic.id: topic.title for topic in topics.values()} == {
        "162": "text and index compression algorithms",
        "2009001": "Nobel prize",
        "2009002": "best movie",
    }
    for name in ("topics.jsonl", "topics.csv"):
        topics = read_topics(folder / name)
        assert {topic.id: topic.title for topic in topics.values()} == {
            "7": "dance of bees",
            "8": "senses of bees",
        }
        assert topics["7"].narrative.startswith("Only honey bees are relevant")


def test_the_table_of_names_is_read(tmp_path: Path) -> None:
    folder = write_samples("names", tmp_path)
    expected = {"https://example.org/bees": "bees", "https://example.org/ants": "insects/ants"}
    assert document_key("names.csv", folder) == expected


def refused(page: str) -> list[tuple[str, str]]:
    """Return the inputs that a page states as refused, without quotation marks, and the messages."""
    rows = [
        row.strip("|").split("|")
        for table in REFUSED.findall(PAGES[page])
        for row in table.splitlines()
    ]
    return [(cell.strip().strip("`"), message.strip()) for cell, message in rows]
